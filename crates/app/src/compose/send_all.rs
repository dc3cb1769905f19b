//! Sending of all stored drafts, one after the other, after one question that lists them.
//!
//! Each draft goes to the server that it was begun for. A draft that has a fault, or that its server refuses, stays in
//! its file, and the next one is sent.

use geomys_store::files::draft::{DeliveryMethod, DraftIssue, State, StoredDraft};
use geomys_wire::text::Text;

use crate::compose::message::DraftKind;
use crate::compose::message::{ComposeCommand, DraftJob};
use crate::compose::{BUSY, DraftBatch, DraftInProgress, DraftStep, NO_MAIL_PROGRAM};
use crate::{Command, Compose, Context, Credentials, Dialog, Effect, Tabs};

/// Asks whether to send all stored drafts.
pub(crate) fn ask_send_all(items: Vec<StoredDraft>, cx: &mut Context) {
    let lines = items.iter().map(|draft| {
        let (subject, to) = (Text::of(&draft.subject), Text::of(&draft.to));
        let doubt = match draft.state {
            State::Unknown | State::Sending => " (perhaps sent already)",
            State::Unsent | State::Queued | State::Refused => "",
        };
        Text::of(&format!("{subject}  to {to}{doubt}"))
    });
    let (lines, count): (Vec<Text>, usize) = (lines.collect(), items.len());
    let question = match count {
        1 => "Send this draft?".to_owned(),
        count => format!("Send all {count} drafts?"),
    };
    let send = Command::Compose(ComposeCommand::SendAll(items));
    cx.ask(Dialog::confirm(&question, send).with_lines(lines));
}

impl Compose {
    /// Sends these drafts, the oldest first.
    pub(crate) fn send_all(&mut self, items: Vec<StoredDraft>, tabs: &Tabs, cx: &mut Context) {
        if self.writing.is_some() {
            return cx.report_error(BUSY);
        }
        let mut batch = DraftBatch::default();
        for draft in items.into_iter().rev() {
            let has_program =
                draft.delivery != DeliveryMethod::Mail || !cx.settings.author.mail.is_empty();
            match Self::stored_request(&draft, tabs, cx).filter(|_| has_program) {
                Some(request) => batch.waiting.push_back((draft, request)),
                None => batch
                    .kept
                    .push(format!("{}: {NO_MAIL_PROGRAM}", draft.subject)),
            }
        }
        self.batch = Some(batch);
        self.send_next(cx);
    }

    /// Sends the next draft of the batch, or reports the end.
    fn send_next(&mut self, cx: &mut Context) {
        self.writing = None;
        let Some(batch) = &mut self.batch else {
            return;
        };
        if let Some((stored, request)) = batch.waiting.pop_front() {
            batch.subject = stored.subject;
            let mut writing =
                DraftInProgress::new(DraftKind::Stored(stored.delivery), request, true);
            writing.path = Some(stored.path);
            self.writing = Some(writing);
            return self.read_draft(cx);
        }
        let DraftBatch { sent, kept, .. } = self.batch.take().unwrap_or_default();
        let drafts = match sent {
            1 => "1 draft sent".to_owned(),
            sent => format!("{sent} drafts sent"),
        };
        match kept.first() {
            None => cx.notify(&drafts),
            Some(first) => {
                let count = kept.len();
                cx.report_error(&format!("{drafts}, {count} failed: {first}"));
                cx.emit(Effect::Compose(DraftJob::ListDrafts));
            }
        }
    }

    /// Counts the current draft of a batch as sent, and sends the next one. Returns false outside of a batch.
    pub(crate) fn sent_in_batch(&mut self, cx: &mut Context) -> bool {
        let Some(batch) = &mut self.batch else {
            return false;
        };
        batch.sent += 1;
        self.send_next(cx);
        true
    }

    /// Keeps the current draft of a batch for this reason, and sends the next one. Returns false outside of a batch.
    pub(crate) fn kept_in_batch(&mut self, why: &str, cx: &mut Context) -> bool {
        let Some(batch) = &mut self.batch else {
            return false;
        };
        batch.kept.push(format!("{}: {why}", batch.subject));
        self.send_next(cx);
        true
    }

    /// Sends the checked draft of a batch; outside of a batch, shows the draft and asks whether to send it.
    pub(crate) fn send_or_ask(
        &mut self,
        findings: &[DraftIssue],
        credentials: &Credentials,
        cx: &mut Context,
    ) {
        let fault = findings.iter().find_map(|finding| match finding {
            DraftIssue::Fault(fault) => Some(fault.clone()),
            DraftIssue::Remark(_) => None,
        });
        match fault {
            Some(fault) if self.kept_in_batch(&fault, cx) => {}
            None if self.batch.is_some() => self.start_step(DraftStep::Send, credentials, cx),
            Some(_) | None => self.ask_to_send(findings, cx),
        }
    }
}
