//! The steps of a draft.

use std::path::PathBuf;

use super::super::browse::OpenIn;
use super::super::choice::Choice;
use super::super::external::Program;
use super::super::pane::IncomingPage;
use super::super::{App, Effect, Overlay};
use super::{
    DraftInProgress, DraftJob, DraftKind, DraftOutcome, DraftStage, DraftStep, group_url,
    path_sentence,
};
use crate::files::draft::{DeliveryMethod, Draft, DraftIssue, SendRecord, ServerGroups, check};
use crate::load::{LoadId, PostError, PostOutcome, PostingGroup, Question, Request, Stop};
use crate::url::Url;

impl App {
    /// Handles the result of a job for the draft.
    pub(crate) fn written(&mut self, outcome: DraftOutcome) {
        match outcome {
            DraftOutcome::Created(Ok(path)) => self.draft_created(path),
            DraftOutcome::Created(Err(sentence)) => {
                self.writing = None;
                self.report_error(&sentence);
            }
            DraftOutcome::Edited(ended) => self.draft_edited(ended),
            DraftOutcome::Read(Ok(draft), record) => self.draft_read(draft, record),
            DraftOutcome::Read(Err(sentence), _) => {
                let Some(path) = self.draft_path() else {
                    return;
                };
                let lines = vec![sentence, path_sentence(&path)];
                self.ask_about_draft(None, "The draft cannot be read.", &lines, "");
            }
            DraftOutcome::DraftsListed(listed) => self.drafts_listed(listed),
            DraftOutcome::Removed(path, removed) => self.draft_removed(&path, removed),
            DraftOutcome::Listed(load, listed) => self.draft_listed(load, listed),
            DraftOutcome::Sent(load, sent) => self.draft_sent(load, sent),
        }
    }

    fn draft_created(&mut self, path: PathBuf) {
        let Some(writing) = &self.writing else {
            return;
        };
        match writing.kind {
            // A cancel message is not edited.
            DraftKind::Cancel(_) => self.read_draft(path),
            DraftKind::New(_)
            | DraftKind::FollowUp(_)
            | DraftKind::MailReply(..)
            | DraftKind::Mailto(_)
            | DraftKind::Supersede(_)
            | DraftKind::Stored(_) => self.edit_draft(path),
        }
    }

    pub(super) fn edit_draft(&mut self, path: PathBuf) {
        let mut arguments = self.settings.author.editor.clone();
        arguments.push(path.display().to_string());
        self.set_draft_step(DraftStage::Editing(path));
        self.emit(Effect::Write(DraftJob::Edit(Program {
            arguments,
            in_terminal: true,
            file: None,
        })));
    }

    fn draft_edited(&mut self, ended: Result<String, String>) {
        let Some(path) = self.draft_path() else {
            return;
        };
        match ended {
            Ok(_) => self.read_draft(path),
            Err(sentence) => {
                self.writing = None;
                let path = path_sentence(&path);
                self.report_error(&format!("{sentence}; {path}"));
            }
        }
    }

    fn read_draft(&mut self, path: PathBuf) {
        self.set_draft_step(DraftStage::Reading(path.clone()));
        self.emit(Effect::Write(DraftJob::Read(path)));
    }

    /// Handles the draft that was read back: reports errors in the draft itself before it asks the server about its groups.
    fn draft_read(&mut self, draft: Draft, record: SendRecord) {
        if let Some(writing) = &mut self.writing {
            writing.record = record;
        }
        let (Some(path), Some(delivery)) = (self.draft_path(), self.delivery()) else {
            return;
        };
        let findings = check(&draft, delivery, ServerGroups::Unknown);
        let is_fault = |finding: &DraftIssue| matches!(finding, DraftIssue::Fault(_));
        if delivery == DeliveryMethod::Mail || findings.iter().any(is_fault) {
            return self.ask_to_send(draft, &findings);
        }
        self.start_step(path, draft, DraftStep::List);
    }

    fn draft_listed(&mut self, load: LoadId, listed: Result<Vec<PostingGroup>, Stop>) {
        let Some((path, draft, step_kind)) = self.running_draft(load) else {
            return;
        };
        match listed {
            Ok(listed) => {
                if let Some(writing) = &self.writing {
                    let request = writing.request.clone();
                    self.remember_login(&request);
                }
                let findings = check(&draft, DeliveryMethod::Post, ServerGroups::Listed(&listed));
                self.ask_to_send(draft, &findings);
            }
            Err(stop) => self.draft_stopped(path, draft, step_kind, stop),
        }
    }

    fn draft_sent(&mut self, load: LoadId, sent: Result<PostOutcome, PostError>) {
        let Some((path, draft, step_kind)) = self.running_draft(load) else {
            return;
        };
        let (words, is_new) = match sent {
            Ok(PostOutcome::Accepted(words)) => (words, true),
            Ok(PostOutcome::AlreadyPosted(words)) => (words, false),
            Err(PostError::Stopped(stop)) => {
                return self.draft_stopped(path, draft, step_kind, stop);
            }
            Err(PostError::Refused(failure)) => {
                return self.ask_after_failure(&path, draft, step_kind, &failure);
            }
            Err(PostError::Unknown(failure)) => {
                return self.ask_after_lost_answer(&path, draft, &failure);
            }
        };
        let Some(writing) = self.writing.take() else {
            return;
        };
        self.remember_login(&writing.request);
        match writing.kind.delivery() {
            DeliveryMethod::Mail => self.notify(words.as_str()),
            DeliveryMethod::Post => {
                let groups = draft.groups();
                let group = groups.first().map(|group| String::from_utf8_lossy(group));
                let url = group.and_then(|group| group_url(&writing.request, &group));
                match url {
                    Some(url) => {
                        let (taken, note) = accepted_message(&writing.kind, is_new);
                        self.ask_later(Choice::reopen_group(url, taken, note, &words));
                    }
                    None => self.notify(words.as_str()),
                }
            }
        }
    }

    /// Opens the waiting question of the draft, when no other question is open. Returns `None` if there is none.
    pub(crate) fn ask_for_draft(&mut self) -> Option<()> {
        let writing = self.writing.as_mut()?;
        match &mut writing.step {
            DraftStage::Asking(_, _, choice) => {
                let choice = choice.take()?;
                self.show(Overlay::Choice(*choice));
                Some(())
            }
            DraftStage::ServerQuestion(_, _, _, question) => {
                let question = question.take()?;
                let incoming = IncomingPage::of_draft(writing.request.clone());
                self.open_question(*question, incoming);
                Some(())
            }
            DraftStage::Preparing
            | DraftStage::Editing(_)
            | DraftStage::Reading(_)
            | DraftStage::Running(..) => None,
        }
    }

    /// Stores a question of the draft's server again, to be asked later.
    pub(crate) fn requeue_draft_question(&mut self, again: Question) {
        if let Some(DraftInProgress {
            step: DraftStage::ServerQuestion(_, _, _, question),
            ..
        }) = &mut self.writing
        {
            *question = Some(Box::new(again));
        }
    }

    /// Returns true if the draft has a question that was not opened yet.
    pub(crate) fn draft_waits(&self) -> bool {
        let step = self.writing.as_ref().map(|writing| &writing.step);
        match step {
            Some(DraftStage::Asking(_, _, choice)) => choice.is_some(),
            Some(DraftStage::ServerQuestion(_, _, _, question)) => question.is_some(),
            Some(
                DraftStage::Preparing
                | DraftStage::Editing(_)
                | DraftStage::Reading(_)
                | DraftStage::Running(..),
            )
            | None => false,
        }
    }

    /// Handles the answer to the question about the draft.
    pub(crate) fn answer_draft(&mut self, letter: char) {
        let Some(DraftInProgress {
            step: DraftStage::Asking(path, draft, _),
            ..
        }) = &self.writing
        else {
            return;
        };
        let (path, draft) = (path.clone(), draft.clone());
        match (letter, draft) {
            ('s', Some(draft)) => self.start_step(path, draft, DraftStep::Send),
            ('a', Some(draft)) => {
                if let Some(writing) = &mut self.writing {
                    writing.return_to_server(&draft);
                }
                self.start_step(path, draft, DraftStep::List);
            }
            ('e', _) => self.edit_draft(path),
            (_, _) => self.close_draft(""),
        }
    }

    /// Repeats the step of the draft with the answer that the server requested.
    pub(crate) fn resume_draft(&mut self, request: Request) {
        let Some(writing) = &mut self.writing else {
            return;
        };
        let DraftStage::ServerQuestion(path, draft, step_kind, _) = &writing.step else {
            return;
        };
        let (path, draft, step_kind) = (path.clone(), draft.clone(), *step_kind);
        writing.request = request;
        self.start_step(path, draft, step_kind);
    }

    /// Closes the draft, which stays in its file, and shows the path. `why` comes first in the message.
    pub(crate) fn close_draft(&mut self, why: &str) {
        if let Some(path) = self.draft_path() {
            let path = path_sentence(&path);
            let sentence = if why.is_empty() {
                path
            } else {
                format!("{why}; {path}")
            };
            self.notify(&sentence);
        }
        self.writing = None;
    }

    /// Stops the running step of the draft. Returns `None` if there is none.
    pub(crate) fn stop_draft(&mut self) -> Option<()> {
        let Some(DraftInProgress {
            step: DraftStage::Running(_, _, step_kind, load),
            ..
        }) = &self.writing
        else {
            return None;
        };
        let (step_kind, load) = (*step_kind, *load);
        let why = match step_kind {
            DraftStep::List => "stopped",
            DraftStep::Send => "stopped, and nobody knows whether it was taken",
        };
        self.close_draft(why);
        self.emit(Effect::Drop(load));
        Some(())
    }

    /// Loads the group of the posted article again.
    pub(crate) fn reload_group(&mut self, url: Url) {
        if self.page().is_some_and(|page| page.url == url) {
            return self.reload();
        }
        self.open(url, None, OpenIn::ThisPane);
    }

    fn start_step(&mut self, path: PathBuf, draft: Draft, step_kind: DraftStep) {
        let load = self.next_load();
        let Some(writing) = &self.writing else {
            return;
        };
        let delivery = writing.kind.delivery();
        let mut request = writing.request.clone();
        self.apply_request_defaults(&mut request);
        let job = match (step_kind, delivery) {
            (DraftStep::List, _) => DraftJob::List(load, Box::new(request), draft.groups()),
            (DraftStep::Send, DeliveryMethod::Post) => DraftJob::Post(
                load,
                Box::new(request),
                Box::new(draft.clone()),
                path.clone(),
                self.settings.author.message_id_domain.clone(),
            ),
            (DraftStep::Send, DeliveryMethod::Mail) => {
                let command = self.settings.author.mail.clone();
                DraftJob::Mail(load, command, Box::new(draft.clone()), path.clone())
            }
        };
        self.notify(match step_kind {
            DraftStep::List => "asking the server about its groups",
            DraftStep::Send => "sending it",
        });
        self.set_draft_step(DraftStage::Running(path, draft, step_kind, load));
        self.emit(Effect::Write(job));
    }

    /// Returns true while a draft is being sent.
    pub fn is_sending(&self) -> bool {
        let step = self.writing.as_ref().map(|writing| &writing.step);
        matches!(step, Some(DraftStage::Running(_, _, DraftStep::Send, _)))
    }

    pub(super) fn set_draft_step(&mut self, step: DraftStage) {
        if let Some(writing) = &mut self.writing {
            writing.step = step;
        }
    }

    fn delivery(&self) -> Option<DeliveryMethod> {
        Some(self.writing.as_ref()?.kind.delivery())
    }

    pub(super) fn draft_path(&self) -> Option<PathBuf> {
        match &self.writing.as_ref()?.step {
            DraftStage::Preparing => None,
            DraftStage::Editing(path)
            | DraftStage::Reading(path)
            | DraftStage::Running(path, ..)
            | DraftStage::ServerQuestion(path, ..)
            | DraftStage::Asking(path, ..) => Some(path.clone()),
        }
    }

    /// Returns the draft of this load, if the load is still the current one.
    fn running_draft(&self, load_id: LoadId) -> Option<(PathBuf, Draft, DraftStep)> {
        match &self.writing.as_ref()?.step {
            DraftStage::Running(path, draft, step_kind, load) if *load == load_id => {
                Some((path.clone(), draft.clone(), *step_kind))
            }
            DraftStage::Running(..)
            | DraftStage::Preparing
            | DraftStage::Editing(_)
            | DraftStage::Reading(_)
            | DraftStage::ServerQuestion(..)
            | DraftStage::Asking(..) => None,
        }
    }
}

/// Returns the message about an accepted article, and a note.
fn accepted_message(kind: &DraftKind, is_new: bool) -> (&'static str, Option<&'static str>) {
    let ignored = "Servers may ignore it; a superseding article is the other way.";
    match (kind, is_new) {
        (DraftKind::Cancel(_), true) => (
            "The cancel message was taken. Load the group again?",
            Some(ignored),
        ),
        (_, true) => ("It was taken. Load the group again?", None),
        (_, false) => (
            "It is there from an earlier attempt. Load the group again?",
            None,
        ),
    }
}
