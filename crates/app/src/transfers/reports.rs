//! Reports of transfers, and the start of the next ones.

use geomys_crawl::tree::TreeProgress;
use geomys_load::{Failure, FailureKind, LoadId, Question};
use geomys_page::document::{Kind, kind_of};
use geomys_store::transfer::download::{PartialFilePolicy, SavedFile, TransferEvent};
use geomys_wire::text::{self, Text};
use rfc1738::Url;

use crate::name::name_of;
use crate::transfers::message::{TransferInterruption, TransferOutcome, TransferQuestion};
use crate::transfers::{Rate, State, TransferAmount, host};
use crate::{Context, CredentialCommand, Credentials, Effect, TransferEffect, Transfers};

impl Transfers {
    /// Starts the next waiting transfers, and saves the list of unfinished transfers after a change.
    pub(crate) fn update_transfer_queue(&mut self, credentials: &Credentials, cx: &mut Context) {
        self.resume_answered(credentials, cx);
        self.queue.forget_host_limits();
        while let Some(id) = self.queue.next(&cx.settings.transfers) {
            let load = cx.next_load();
            let Some(mut request) = self.queue.get_mut(id).map(|item| item.request.clone()) else {
                break;
            };
            credentials.apply_defaults(&mut request, &cx.settings);
            let Some(item) = self.queue.get_mut(id) else {
                break;
            };
            item.request = request;
            item.state = State::Running(load, Rate::default());
            let job = Box::new(item.job());
            cx.emit(TransferEffect::Start(load, job));
        }
        if let Some((was, now)) = self.queue.changed() {
            cx.emit(TransferEffect::WriteList(was, now));
        }
    }

    /// Handles the progress of a file.
    pub(crate) fn transfer_progress(
        &mut self,
        load: LoadId,
        report: TransferEvent,
        cx: &mut Context,
    ) {
        let now = cx.now;
        let Some(item) = self.queue.of_load(load) else {
            return;
        };
        match report {
            TransferEvent::Octets(octets, size) => {
                item.amount = TransferAmount {
                    octets,
                    size,
                    files: None,
                };
                // The policy for the old partial file has been applied.
                item.partial = PartialFilePolicy::ResumeUnchanged;
                record_progress(&mut item.state, load, |rate| rate.record(now, octets));
            }
            TransferEvent::Restarted => {
                let sentence = format!("{}: cannot resume, downloading the whole file", item.name);
                cx.notify(&sentence);
            }
            // The end, or the remaining time, follows.
            TransferEvent::Received | TransferEvent::Unpacking(..) | TransferEvent::Outage(..) => {}
            TransferEvent::Busy => self.wait_for_host(load, cx),
            TransferEvent::Retry(left, why) => {
                item.state = State::Retrying(load, now + left, Text::of(&why));
            }
        }
    }

    /// Handles a transfer whose server has no free connection: it waits until another one from there ends, if one runs.
    fn wait_for_host(&mut self, load: LoadId, cx: &mut Context) {
        let Some(id) = self.queue.of_load(load).map(|item| item.id) else {
            return;
        };
        if self.queue.lower_host_limit(id)
            && let Some(item) = self.queue.get_mut(id)
        {
            item.state = State::Waiting;
            cx.emit(Effect::Drop(load));
        }
    }

    /// Names the own transfers as the reason, where a page of their host fails because the server has no free
    /// connection.
    pub(crate) fn explain_busy(&self, url: &Url, failure: &mut Failure) {
        if failure.kind != FailureKind::Busy {
            return;
        }
        let sentence = match self.queue.running_from(&host(url)) {
            0 => return,
            1 => "Your own transfer from this server uses a connection".to_owned(),
            many => format!("Your own {many} transfers from this server use a connection each"),
        };
        let about = failure.about.get_or_insert_default();
        about.lines.push(Text::of(&sentence));
        failure.advice = Some("wait for them or pause them, then retry");
    }

    /// Handles the progress of a directory.
    pub(crate) fn directory_progress(&mut self, load: LoadId, step: TreeProgress, cx: &Context) {
        let now = cx.now;
        if let Some(item) = self.queue.of_load(load) {
            // Files that were there already are counted as files only.
            let size = step.size.saturating_sub(step.existing);
            item.amount = TransferAmount {
                octets: step.octets,
                size: Some(size).filter(|size| *size >= step.octets && *size > 0),
                files: Some((step.done, step.found)),
            };
            item.current = Some(step.name).filter(|name| !name.is_blank());
            match step.retry {
                Some((left, why)) => {
                    item.state = State::Retrying(load, now + left, Text::of(&why));
                }
                None => {
                    record_progress(&mut item.state, load, |rate| rate.record(now, step.octets));
                }
            }
        }
    }

    /// Handles the end of a transfer.
    pub(crate) fn transfer_ended(
        &mut self,
        load: LoadId,
        result: Result<TransferOutcome, TransferInterruption>,
        credentials: &mut Credentials,
        cx: &mut Context,
    ) {
        let Some(item) = self.queue.of_load(load) else {
            return;
        };
        match result {
            Ok(outcome) => {
                let (mut sentence, is_fault) = outcome_sentence(&outcome);
                if let TransferOutcome::File(saved) = &outcome {
                    item.amount.octets = saved.octets;
                    // The server may have named it, or the name was taken.
                    item.name = name_of(&saved.path);
                    if kind_of(&item.request.url) == Kind::Menu {
                        sentence = format!("saved the menu {} alone", item.name);
                    }
                    let (inputs, names) = &mut self.saved;
                    if *inputs != cx.inputs {
                        (*inputs, *names) = (cx.inputs, Vec::new());
                    }
                    names.push(item.name.clone());
                    if let [.., before, last] = names.as_slice() {
                        let more = match names.len() {
                            2 => String::new(),
                            count => format!(" and {} more", count - 2),
                        };
                        sentence = format!("saved {before}, {last}{more}");
                    }
                }
                let request = item.request.clone();
                item.state = State::Done(outcome);
                cx.command(CredentialCommand::Remember(Box::new(request)));
                if is_fault {
                    cx.report_error(&sentence);
                } else {
                    cx.notify(&sentence);
                }
            }
            Err(TransferInterruption::Question(TransferQuestion::Load(
                question @ (Question::Save { .. } | Question::Unknown(_) | Question::Form(_)),
            ))) => {
                // A file that is saved is not shown, and a form not filled in.
                let sentence = question.unanswered();
                item.state = State::Failed(Text::of(&sentence));
                cx.report_error(&sentence);
            }
            Err(TransferInterruption::Question(question)) => {
                item.state = State::Asking(Box::new(question.clone()));
                let pending = item.pending();
                if let TransferQuestion::Load(Question::Password {
                    user,
                    host,
                    said: None,
                    security,
                }) = &question
                {
                    let _ = credentials.lookup_password(user, host, *security, &pending, cx);
                }
            }
            Err(TransferInterruption::Failed(sentence)) => {
                item.state = State::Failed(Text::of(&sentence));
                cx.report_error(&sentence);
            }
        }
    }
}

/// Records the progress of a running transfer: in its rate, or in a new one after a pause.
fn record_progress(state: &mut State, load: LoadId, record: impl FnOnce(&mut Rate)) {
    if let State::Running(_, rate) = state {
        return record(rate);
    }
    let mut rate = Rate::default();
    record(&mut rate);
    *state = State::Running(load, rate);
}

/// Returns the message about a saved file.
pub(super) fn saved_sentence(saved: &SavedFile) -> String {
    let size = text::octets(saved.octets);
    let note = saved.end.note();
    let note = note.map_or(String::new(), |note| format!("; {note}"));
    format!("saved {} ({size}){note}", saved.path.display())
}

/// Returns the result of a transfer as a sentence, and true if a part of it failed.
fn outcome_sentence(outcome: &TransferOutcome) -> (String, bool) {
    match outcome {
        TransferOutcome::File(saved) => (saved_sentence(saved), false),
        TransferOutcome::Skipped(path) => (format!("{} exists already", path.display()), false),
        TransferOutcome::Directory(path, summary) => {
            let sentence = format!("saved {} ({})", path.display(), summary.sentence(None));
            (sentence, summary.failures > 0)
        }
    }
}
