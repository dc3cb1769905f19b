//! The steps of a draft.

use std::path::PathBuf;

use crate::app::command::{ComposeCommand, CredentialCommand};
use crate::app::compose::drafts::draft_removed;
use crate::app::compose::{
    DraftInProgress, DraftJob, DraftKind, DraftOutcome, DraftStage, DraftStep, group_url,
    path_sentence,
};
use crate::app::dialogs::dialog::Dialog;
use crate::app::requester::{PendingRequest, Requester};
use crate::app::tabs::external::Program;
use crate::app::tabs::open::OpenIn;
use crate::app::{Command, Compose, Context, Credentials, Dialogs, Effect, Overlay, Tabs};
use crate::files::draft::{DeliveryMethod, Draft, DraftIssue, SendRecord, ServerGroups, check};
use crate::load::{LoadId, PostError, PostOutcome, PostingGroup, Question, Request, Stop};
use crate::text::Text;
use crate::url::Url;

impl Compose {
    /// Handles the result of a job for the draft.
    pub(crate) fn written(
        &mut self,
        outcome: DraftOutcome,
        dialogs: &mut Dialogs,
        credentials: &Credentials,
        cx: &mut Context,
    ) {
        match outcome {
            DraftOutcome::Created(Ok(path)) => self.draft_created(path, cx),
            DraftOutcome::Created(Err(sentence)) => {
                self.writing = None;
                cx.report_error(&sentence);
            }
            DraftOutcome::Edited(ended) => self.draft_edited(ended, cx),
            DraftOutcome::Read(Ok(draft), record) => {
                self.draft_read(draft, record, credentials, cx)
            }
            DraftOutcome::Read(Err(sentence), _) => {
                let Some(path) = self.draft_path() else {
                    return;
                };
                let lines = vec![sentence, path_sentence(&path)];
                self.ask_about_draft(None, "The draft cannot be read.", &lines, "");
            }
            DraftOutcome::DraftsListed(listed) => dialogs.drafts_listed(listed, cx),
            DraftOutcome::Removed(path, removed) => draft_removed(&path, removed, cx),
            DraftOutcome::Listed(load, listed) => self.draft_listed(load, listed, cx),
            DraftOutcome::Sent(load, sent) => self.draft_sent(load, sent, cx),
        }
    }

    fn draft_created(&mut self, path: PathBuf, cx: &mut Context) {
        let Some(writing) = &self.writing else {
            return;
        };
        match writing.kind {
            // A cancel message is not edited.
            DraftKind::Cancel(_) => self.read_draft(path, cx),
            DraftKind::New(_)
            | DraftKind::FollowUp(_)
            | DraftKind::MailReply(..)
            | DraftKind::Mailto(_)
            | DraftKind::Supersede(_)
            | DraftKind::Stored(_) => self.edit_draft(path, cx),
        }
    }

    pub(crate) fn edit_draft(&mut self, path: PathBuf, cx: &mut Context) {
        let mut arguments = cx.settings.author.editor.clone();
        arguments.push(path.display().to_string());
        self.set_draft_step(DraftStage::Editing(path));
        cx.emit(Effect::Write(DraftJob::Edit(Program {
            arguments,
            in_terminal: true,
            file: None,
        })));
    }

    fn draft_edited(&mut self, ended: Result<String, String>, cx: &mut Context) {
        let Some(path) = self.draft_path() else {
            return;
        };
        match ended {
            Ok(_) => self.read_draft(path, cx),
            Err(sentence) => {
                self.writing = None;
                let path = path_sentence(&path);
                cx.report_error(&format!("{sentence}; {path}"));
            }
        }
    }

    fn read_draft(&mut self, path: PathBuf, cx: &mut Context) {
        self.set_draft_step(DraftStage::Reading(path.clone()));
        cx.emit(Effect::Write(DraftJob::Read(path)));
    }

    /// Handles the draft that was read back: reports errors in the draft itself before it asks the server about its groups.
    fn draft_read(
        &mut self,
        draft: Draft,
        record: SendRecord,
        credentials: &Credentials,
        cx: &mut Context,
    ) {
        if let Some(writing) = &mut self.writing {
            writing.record = record;
        }
        let (Some(path), Some(delivery)) = (self.draft_path(), self.delivery()) else {
            return;
        };
        let findings = check(&draft, delivery, ServerGroups::Unknown);
        let is_fault = |finding: &DraftIssue| matches!(finding, DraftIssue::Fault(_));
        if delivery == DeliveryMethod::Mail || findings.iter().any(is_fault) {
            return self.ask_to_send(draft, &findings, cx);
        }
        self.start_step(path, draft, DraftStep::List, credentials, cx);
    }

    fn draft_listed(
        &mut self,
        load: LoadId,
        listed: Result<Vec<PostingGroup>, Stop>,
        cx: &mut Context,
    ) {
        let Some((path, draft, step_kind)) = self.running_draft(load) else {
            return;
        };
        match listed {
            Ok(listed) => {
                if let Some(writing) = &self.writing {
                    let request = writing.request.clone();
                    cx.command(Command::Credentials(CredentialCommand::Remember(Box::new(
                        request,
                    ))));
                }
                let findings = check(&draft, DeliveryMethod::Post, ServerGroups::Listed(&listed));
                self.ask_to_send(draft, &findings, cx);
            }
            Err(stop) => self.draft_stopped(path, draft, step_kind, stop),
        }
    }

    fn draft_sent(&mut self, load: LoadId, sent: Result<PostOutcome, PostError>, cx: &mut Context) {
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
        cx.command(Command::Credentials(CredentialCommand::Remember(Box::new(
            writing.request.clone(),
        ))));
        match writing.kind.delivery() {
            DeliveryMethod::Mail => cx.notify(words.as_str()),
            DeliveryMethod::Post => {
                let groups = draft.groups();
                let group = groups.first().map(|group| String::from_utf8_lossy(group));
                let url = group.and_then(|group| group_url(&writing.request, &group));
                match url {
                    Some(url) => {
                        let (taken, note) = accepted_message(&writing.kind, is_new);
                        cx.ask_later(Dialog::reopen_group(url, taken, note, &words));
                    }
                    None => cx.notify(words.as_str()),
                }
            }
        }
    }

    /// Opens the waiting question of the draft, when no other question is open. Returns `None` if there is none.
    pub(crate) fn ask_for_draft(&mut self, cx: &mut Context) -> Option<()> {
        let writing = self.writing.as_mut()?;
        match &mut writing.step {
            DraftStage::Asking(_, _, dialog) => {
                let dialog = dialog.take()?;
                cx.show(Overlay::Dialog(dialog));
                Some(())
            }
            DraftStage::ServerQuestion(_, _, _, question) => {
                let question = question.take()?;
                let pending =
                    PendingRequest::new(writing.request.clone(), Text::default(), Requester::Draft);
                cx.command(Command::Ask(*question, Box::new(pending)));
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

    /// Carries out a command about the draft.
    pub(crate) fn carry_out(
        &mut self,
        command: ComposeCommand,
        tabs: &Tabs,
        credentials: &Credentials,
        cx: &mut Context,
    ) {
        match command {
            ComposeCommand::Remove(path) => return cx.emit(Effect::Write(DraftJob::Remove(path))),
            ComposeCommand::ReloadGroup(url) => return tabs.reload_group(url, cx),
            ComposeCommand::Send
            | ComposeCommand::SendToFirstServer
            | ComposeCommand::Edit
            | ComposeCommand::Close => {}
        }
        let Some(DraftInProgress {
            step: DraftStage::Asking(path, draft, _),
            ..
        }) = &self.writing
        else {
            return;
        };
        let (path, draft) = (path.clone(), draft.clone());
        match (command, draft) {
            (ComposeCommand::Send, Some(draft)) => {
                self.start_step(path, draft, DraftStep::Send, credentials, cx);
            }
            (ComposeCommand::SendToFirstServer, Some(draft)) => {
                if let Some(writing) = &mut self.writing {
                    writing.return_to_server(&draft);
                }
                self.start_step(path, draft, DraftStep::List, credentials, cx);
            }
            (ComposeCommand::Edit, _) => self.edit_draft(path, cx),
            (_, _) => self.close_draft("", cx),
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
        let DraftStage::ServerQuestion(path, draft, step_kind, _) = &writing.step else {
            return;
        };
        let (path, draft, step_kind) = (path.clone(), draft.clone(), *step_kind);
        writing.request = request;
        self.start_step(path, draft, step_kind, credentials, cx);
    }

    /// Closes the draft, which stays in its file, and shows the path. `why` comes first in the message.
    pub(crate) fn close_draft(&mut self, why: &str, cx: &mut Context) {
        if let Some(path) = self.draft_path() {
            let path = path_sentence(&path);
            let sentence = if why.is_empty() {
                path
            } else {
                format!("{why}; {path}")
            };
            cx.notify(&sentence);
        }
        self.writing = None;
    }

    /// Stops the running step of the draft. Returns `None` if there is none.
    pub(crate) fn stop_draft(&mut self, cx: &mut Context) -> Option<()> {
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
        self.close_draft(why, cx);
        cx.emit(Effect::Drop(load));
        Some(())
    }

    fn start_step(
        &mut self,
        path: PathBuf,
        draft: Draft,
        step_kind: DraftStep,
        credentials: &Credentials,
        cx: &mut Context,
    ) {
        let load = cx.next_load();
        let Some(writing) = &self.writing else {
            return;
        };
        let delivery = writing.kind.delivery();
        let mut request = writing.request.clone();
        credentials.apply_request_defaults(&mut request, cx);
        let job = match (step_kind, delivery) {
            (DraftStep::List, _) => DraftJob::List(load, Box::new(request), draft.groups()),
            (DraftStep::Send, DeliveryMethod::Post) => DraftJob::Post(
                load,
                Box::new(request),
                Box::new(draft.clone()),
                path.clone(),
                cx.settings.author.message_id_domain.clone(),
            ),
            (DraftStep::Send, DeliveryMethod::Mail) => {
                let command = cx.settings.author.mail.clone();
                DraftJob::Mail(load, command, Box::new(draft.clone()), path.clone())
            }
        };
        cx.notify(match step_kind {
            DraftStep::List => "asking the server about its groups",
            DraftStep::Send => "sending it",
        });
        self.set_draft_step(DraftStage::Running(path, draft, step_kind, load));
        cx.emit(Effect::Write(job));
    }

    /// Returns true while a draft is being sent.
    pub(crate) fn is_sending(&self) -> bool {
        let step = self.writing.as_ref().map(|writing| &writing.step);
        matches!(step, Some(DraftStage::Running(_, _, DraftStep::Send, _)))
    }

    pub(crate) fn set_draft_step(&mut self, step: DraftStage) {
        if let Some(writing) = &mut self.writing {
            writing.step = step;
        }
    }

    fn delivery(&self) -> Option<DeliveryMethod> {
        Some(self.writing.as_ref()?.kind.delivery())
    }

    pub(crate) fn draft_path(&self) -> Option<PathBuf> {
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

impl Tabs {
    /// Loads the group of the posted article again.
    pub(crate) fn reload_group(&self, url: Url, cx: &mut Context) {
        if self.page().is_some_and(|page| page.url == url) {
            return cx.command(Command::Reload);
        }
        cx.open(url, None, OpenIn::ThisPane);
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
