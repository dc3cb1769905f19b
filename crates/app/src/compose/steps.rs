//! The steps of a draft.

use std::path::PathBuf;

use geomys_load::{Failure, LoadId, PostError, PostOutcome, PostingGroup, Question, Request, Stop};
use geomys_store::files::draft::{
    DeliveryMethod, Draft, DraftIssue, SendRecord, ServerGroups, check,
};
use geomys_store::outbox::server_of;
use geomys_wire::text::Text;

use crate::action::Action;
use crate::compose::drafts::draft_removed;
use crate::compose::message::DraftKind;
use crate::compose::message::{DraftJob, DraftOutcome};
use crate::compose::questions::NextSync;
use crate::compose::{DraftInProgress, DraftStage, DraftStep, group_url, stored_sentence};
use crate::requester::Requester;
use crate::tabs::groups::reload_group;
use crate::tabs::message::Program;
use crate::{
    Command, Compose, ComposeCommand, Context, CredentialCommand, Credentials, Dialogs, Effect,
    NewsEffect, Overlay, PendingRequest, Tabs,
};

impl Compose {
    /// Handles the result of a job for the draft.
    pub(crate) fn written(
        &mut self,
        outcome: DraftOutcome,
        dialogs: &mut Dialogs,
        credentials: &Credentials,
        cx: &mut Context,
    ) {
        cx.questions_changed();
        match outcome {
            DraftOutcome::Created(Ok(path)) => self.draft_created(path, cx),
            DraftOutcome::Created(Err(sentence)) => {
                self.writing = None;
                cx.report_error(&sentence);
            }
            DraftOutcome::Edited(ended) => self.draft_edited(ended, cx),
            DraftOutcome::Read(Ok(draft), record) => {
                self.draft_read(draft, record, credentials, cx);
            }
            DraftOutcome::Read(Err(sentence), _) if self.kept_in_batch(&sentence, cx) => {}
            DraftOutcome::Read(Err(sentence), _) => {
                let lines = vec![sentence];
                self.ask_about_file("The draft cannot be read.", lines, "", NextSync::No);
            }
            DraftOutcome::DraftsListed(listed) => dialogs.drafts_listed(listed, cx),
            DraftOutcome::Removed(path, removed) => draft_removed(&path, removed, cx),
            DraftOutcome::Listed(load, listed) => {
                self.draft_listed(load, listed, credentials, cx);
            }
            DraftOutcome::Sent(load, sent) => self.draft_sent(load, sent, cx),
            DraftOutcome::Queued(Ok(())) => {
                let (sync, list) = (cx.key_of(Action::Sync), cx.key_of(Action::Drafts));
                cx.notify(&format!(
                    "In the outbox: {sync} sync sends it, {list} lists it"
                ));
            }
            DraftOutcome::Queued(Err(sentence)) => cx.report_error(&sentence),
        }
    }

    fn draft_created(&mut self, path: PathBuf, cx: &mut Context) {
        let Some(writing) = &mut self.writing else {
            return;
        };
        if matches!(writing.kind, DraftKind::Cancel(_)) {
            // A cancel message is not edited.
            writing.path = Some(path);
            return self.read_draft(cx);
        }
        self.edit_draft(path, cx);
    }

    pub(crate) fn edit_draft(&mut self, path: PathBuf, cx: &mut Context) {
        let mut arguments = cx.settings.author.editor.clone();
        arguments.push(path.display().to_string());
        if let Some(writing) = &mut self.writing {
            writing.path = Some(path);
            writing.step = DraftStage::Editing;
        }
        cx.emit(DraftJob::Edit(Program {
            arguments,
            in_terminal: true,
            file: None,
        }));
    }

    fn draft_edited(&mut self, ended: Result<String, String>, cx: &mut Context) {
        match ended {
            Ok(_) => self.read_draft(cx),
            Err(sentence) => {
                if self.draft_path().is_some() {
                    self.writing = None;
                    cx.report_error(&stored_sentence(&sentence, cx));
                }
            }
        }
    }

    pub(crate) fn read_draft(&mut self, cx: &mut Context) {
        if let Some(writing) = &mut self.writing
            && let Some(path) = writing.path.clone()
        {
            writing.draft = None;
            writing.step = DraftStage::Editing;
            cx.emit(DraftJob::Read(path));
        }
    }

    /// Handles the draft that was read back: reports errors in the draft itself before it asks the server about its
    /// groups.
    fn draft_read(
        &mut self,
        draft: Draft,
        record: SendRecord,
        credentials: &Credentials,
        cx: &mut Context,
    ) {
        let Some(writing) = &mut self.writing else {
            return;
        };
        let delivery = writing.kind.delivery();
        let findings = check(&draft, delivery, ServerGroups::Unknown);
        writing.record = record;
        writing.draft = Some(draft);
        if self.batch.is_some() && delivery == DeliveryMethod::Post {
            // Without a question it goes nowhere else.
            writing.return_to_server();
        }
        let is_fault = |finding: &DraftIssue| matches!(finding, DraftIssue::Fault(_));
        if let Some(url) = writing.draft.as_ref().and_then(Draft::upload_url) {
            // The user may have edited it.
            writing.request.url = url;
        }
        // Offline the server cannot be asked for its groups: the sync does.
        let is_offline = cx.settings.offline && self.batch.is_none();
        if delivery != DeliveryMethod::Post || is_offline || findings.iter().any(is_fault) {
            return self.send_or_ask(&findings, credentials, cx);
        }
        self.start_step(DraftStep::List, credentials, cx);
    }

    fn draft_listed(
        &mut self,
        load: LoadId,
        listed: Result<Vec<PostingGroup>, Stop>,
        credentials: &Credentials,
        cx: &mut Context,
    ) {
        let Some((step, writing, draft)) = self.running_draft(load) else {
            return;
        };
        match listed {
            Ok(listed) => {
                let remember = CredentialCommand::Remember(Box::new(writing.request.clone()));
                cx.command(remember);
                let findings = check(draft, DeliveryMethod::Post, ServerGroups::Listed(&listed));
                self.send_or_ask(&findings, credentials, cx);
            }
            Err(Stop::Failed(failure)) if self.kept_in_batch(&reason(&failure), cx) => {}
            Err(stop) => self.draft_stopped(step, stop),
        }
    }

    fn draft_sent(&mut self, load: LoadId, sent: Result<PostOutcome, PostError>, cx: &mut Context) {
        if self.running_draft(load).is_none() {
            return;
        }
        if let Err(
            PostError::Stopped(Stop::Failed(failure))
            | PostError::Refused(failure)
            | PostError::Unknown(failure)
            | PostError::Uncertain(failure),
        ) = &sent
            && self.kept_in_batch(&reason(failure), cx)
        {
            return;
        }
        let Some((step, writing, draft)) = self.running_draft(load) else {
            return;
        };
        let (words, is_new) = match sent {
            Ok(PostOutcome::Accepted(words)) => (words, true),
            Ok(PostOutcome::AlreadyPosted(words)) => (words, false),
            Err(PostError::Stopped(stop)) => return self.draft_stopped(step, stop),
            Err(PostError::Refused(failure)) => return self.ask_after_failure(step, &failure),
            Err(PostError::Unknown(failure) | PostError::Uncertain(failure)) => {
                return self.ask_after_lost_answer(&failure);
            }
        };
        let remember = CredentialCommand::Remember(Box::new(writing.request.clone()));
        cx.command(remember);
        if self.batch.is_some() {
            self.sent_in_batch(cx);
            return;
        }
        let url = match writing.kind.delivery() {
            DeliveryMethod::Mail | DeliveryMethod::Upload => None,
            DeliveryMethod::Post => {
                let groups = draft.groups();
                let group = groups.first().map(|group| String::from_utf8_lossy(group));
                group.and_then(|group| group_url(&writing.request, &group))
            }
        };
        match url {
            Some(url) => {
                cx.notify(accepted_message(&writing.kind, is_new));
                cx.emit(NewsEffect::Posted);
                cx.command(ComposeCommand::ReloadGroup(url));
            }
            None => cx.notify(words.as_str()),
        }
        self.writing = None;
    }

    /// Opens the waiting question of the draft, when no other question is open. Returns `None` if there is none.
    pub(crate) fn ask_for_draft(&mut self, cx: &mut Context) -> Option<()> {
        let writing = self.writing.as_mut()?;
        match &mut writing.step {
            DraftStage::Asking(dialog) => {
                let dialog = dialog.take()?;
                cx.show(Overlay::Dialog(dialog));
                Some(())
            }
            DraftStage::ServerQuestion(_, question) => {
                let question = question.take()?;
                let request = writing.request.clone();
                let pending = PendingRequest {
                    asked_at: writing.asked_at,
                    ..PendingRequest::new(request, Text::default(), Requester::Draft)
                };
                cx.command(Command::Ask(*question, Box::new(pending)));
                Some(())
            }
            DraftStage::Editing | DraftStage::Running(..) => None,
        }
    }

    /// Stores a question of the draft's server again, to be asked later.
    pub(crate) fn requeue_draft_question(&mut self, again: Question) {
        if let Some(DraftInProgress {
            step: DraftStage::ServerQuestion(_, question),
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
            Some(DraftStage::Asking(dialog)) => dialog.is_some(),
            Some(DraftStage::ServerQuestion(_, question)) => question.is_some(),
            Some(DraftStage::Editing | DraftStage::Running(..)) | None => false,
        }
    }

    /// Carries out a command about the draft.
    pub(crate) fn carry_out(
        &mut self,
        command: ComposeCommand,
        tabs: &Tabs,
        credentials: &Credentials,
        cx: &mut Context,
    ) {
        match command {
            ComposeCommand::Begin(kind) => return self.begin(*kind, tabs, cx),
            ComposeCommand::Remove(path) => {
                return cx.emit(DraftJob::Remove(path));
            }
            ComposeCommand::SendAll(items) => return self.send_all(items, tabs, cx),
            ComposeCommand::ReloadGroup(url) => return reload_group(&url, tabs, cx),
            ComposeCommand::QueueUpload(draft, namer) => {
                cx.command(Command::LeavePage);
                return cx.emit(DraftJob::QueueUpload(draft, namer));
            }
            ComposeCommand::Send
            | ComposeCommand::SendToFirstServer
            | ComposeCommand::Queue
            | ComposeCommand::Edit
            | ComposeCommand::Drop
            | ComposeCommand::Close => {}
        }
        let Some(writing) = &mut self.writing else {
            return;
        };
        let (DraftStage::Asking(_), Some(path)) = (&writing.step, writing.path.clone()) else {
            return;
        };
        match command {
            ComposeCommand::Send if writing.draft.is_some() => {
                self.start_step(DraftStep::Send, credentials, cx);
            }
            ComposeCommand::SendToFirstServer if writing.draft.is_some() => {
                writing.return_to_server();
                self.start_step(DraftStep::List, credentials, cx);
            }
            ComposeCommand::Queue => {
                let server = match writing.kind.delivery() {
                    DeliveryMethod::Post => server_of(&writing.request),
                    DeliveryMethod::Mail | DeliveryMethod::Upload => String::new(),
                };
                let namer = writing.request.namer_to_store();
                self.writing = None;
                cx.emit(DraftJob::Queue(path, server, namer));
            }
            ComposeCommand::Edit => self.edit_draft(path, cx),
            ComposeCommand::Drop => {
                self.writing = None;
                cx.emit(DraftJob::Remove(path));
            }
            ComposeCommand::Send
            | ComposeCommand::SendToFirstServer
            | ComposeCommand::Close
            | ComposeCommand::Begin(_)
            | ComposeCommand::Remove(_)
            | ComposeCommand::SendAll(_)
            | ComposeCommand::QueueUpload(..)
            | ComposeCommand::ReloadGroup(_) => self.close_draft("", cx),
        }
    }

    /// Repeats the step of the draft with the answer that the server requested.
    pub(crate) fn resume_draft(
        &mut self,
        request: Request,
        credentials: &Credentials,
        cx: &mut Context,
    ) {
        let Some(writing) = &mut self.writing else {
            return;
        };
        if let DraftStage::ServerQuestion(step, _) = writing.step {
            writing.request = request;
            self.start_step(step, credentials, cx);
        }
    }

    /// Closes the draft, which stays in its file, and says so. `why` comes first in the message. The waiting drafts of
    /// a batch stay, too.
    pub(crate) fn close_draft(&mut self, why: &str, cx: &mut Context) {
        self.batch = None;
        if self.draft_path().is_some() {
            cx.notify(&stored_sentence(why, cx));
        }
        self.writing = None;
    }

    /// Stops the running step of the draft. Returns false if there is none.
    pub(crate) fn stop_draft(&mut self, cx: &mut Context) -> bool {
        let Some(DraftInProgress {
            step: DraftStage::Running(step, load),
            ..
        }) = self.writing
        else {
            return false;
        };
        let why = match step {
            DraftStep::List => "stopped",
            DraftStep::Send => "stopped: unknown whether it was accepted",
        };
        self.close_draft(why, cx);
        cx.emit(Effect::Drop(load));
        true
    }

    pub(crate) fn start_step(
        &mut self,
        step: DraftStep,
        credentials: &Credentials,
        cx: &mut Context,
    ) {
        let Some(writing) = &mut self.writing else {
            return;
        };
        let (Some(path), Some(draft)) = (writing.path.clone(), writing.draft.clone()) else {
            return;
        };
        writing.asked_at = cx.asked_at().or(writing.asked_at);
        let load = cx.next_load();
        let mut request = writing.request.clone();
        credentials.apply_defaults(&mut request, &cx.settings);
        let (request, draft) = (Box::new(request), Box::new(draft));
        let job = match step {
            DraftStep::List => DraftJob::List(load, request, draft.groups()),
            DraftStep::Send => {
                let author = Box::new(cx.settings.author.clone());
                DraftJob::Send(load, request, draft, path, author)
            }
        };
        writing.step = DraftStage::Running(step, load);
        cx.notify(match step {
            DraftStep::List => "checking the groups of the server",
            DraftStep::Send => "sending it",
        });
        cx.emit(job);
    }

    /// Returns true while a draft is being sent.
    pub(crate) fn is_sending(&self) -> bool {
        let step = self.writing.as_ref().map(|writing| &writing.step);
        matches!(step, Some(DraftStage::Running(DraftStep::Send, _)))
    }

    pub(crate) fn set_draft_step(&mut self, step: DraftStage) {
        if let Some(writing) = &mut self.writing {
            writing.step = step;
        }
    }

    /// Returns the file of the draft.
    pub(crate) fn draft_path(&self) -> Option<PathBuf> {
        self.writing.as_ref()?.path.clone()
    }

    /// Returns the draft of this load and its step, if the load is still the current one.
    fn running_draft(&self, load: LoadId) -> Option<(DraftStep, &DraftInProgress, &Draft)> {
        let writing = self.writing.as_ref()?;
        match writing.step {
            DraftStage::Running(step, running) if running == load => {
                Some((step, writing, writing.draft.as_ref()?))
            }
            _ => None,
        }
    }
}

/// Returns why a draft was not sent, with the words of the server.
fn reason(failure: &Failure) -> String {
    let said = failure.said.iter().map(|said| format!(" ({said})"));
    said.fold(failure.sentence.clone(), |why, said| why + &said)
}

/// Returns the message about an accepted article.
fn accepted_message(kind: &DraftKind, is_new: bool) -> &'static str {
    match (kind, is_new) {
        (DraftKind::Cancel(_), true) => "Cancel message accepted; servers may ignore it",
        (_, true) => "Posted",
        (_, false) => "Posted by an earlier attempt",
    }
}
