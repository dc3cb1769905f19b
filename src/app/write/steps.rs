//! The way of a draft, step by step.

use std::path::PathBuf;

use super::super::browse::Where;
use super::super::choice::Choice;
use super::super::outside::Program;
use super::super::pane::Incoming;
use super::super::{App, Effect, Overlay};
use super::{DraftJob, DraftStep, Outcome, Step, What, Writing, group_url, whereabouts};
use crate::files::draft::{Draft, Finding, Known, Record, Way, check};
use crate::load::{Listed, LoadId, NotSent, Question, Request, Sent, Stop};
use crate::url::Url;

impl App {
    /// Something has come of an job for the draft.
    pub(crate) fn written(&mut self, outcome: Outcome) -> Vec<Effect> {
        match outcome {
            Outcome::Created(Ok(path)) => self.draft_created(path),
            Outcome::Created(Err(sentence)) => {
                self.writing = None;
                self.complain(&sentence);
                Vec::new()
            }
            Outcome::Edited(ended) => self.draft_edited(ended),
            Outcome::Read(Ok(draft), record) => self.draft_read(draft, record),
            Outcome::Read(Err(sentence), _) => {
                let Some(path) = self.draft_path() else {
                    return Vec::new();
                };
                let lines = vec![sentence, whereabouts(&path)];
                self.ask_about_draft(None, "The draft cannot be read.", &lines, "")
            }
            Outcome::Kept(listed) => self.drafts_listed(listed),
            Outcome::Removed(path, removed) => self.draft_removed(&path, removed),
            Outcome::Listed(load, listed) => self.draft_listed(load, listed),
            Outcome::Sent(load, sent) => self.draft_sent(load, sent),
        }
    }

    fn draft_created(&mut self, path: PathBuf) -> Vec<Effect> {
        let Some(writing) = &self.writing else {
            return Vec::new();
        };
        match writing.what {
            // There is nothing to edit.
            What::Cancel(_) => self.read_draft(path),
            What::New(_)
            | What::FollowUp(_)
            | What::Letter(..)
            | What::Addressed(_)
            | What::Supersede(_)
            | What::Kept(_) => self.edit_draft(path),
        }
    }

    pub(super) fn edit_draft(&mut self, path: PathBuf) -> Vec<Effect> {
        let mut arguments = self.settings.author.editor.clone();
        arguments.push(path.display().to_string());
        self.draft_is(Step::Editing(path));
        vec![Effect::Write(DraftJob::Edit(Program {
            arguments,
            in_terminal: true,
            file: None,
        }))]
    }

    fn draft_edited(&mut self, ended: Result<String, String>) -> Vec<Effect> {
        let Some(path) = self.draft_path() else {
            return Vec::new();
        };
        match ended {
            Ok(_) => self.read_draft(path),
            Err(sentence) => {
                self.writing = None;
                let path = whereabouts(&path);
                self.complain(&format!("{sentence}; {path}"));
                Vec::new()
            }
        }
    }

    fn read_draft(&mut self, path: PathBuf) -> Vec<Effect> {
        self.draft_is(Step::Reading(path.clone()));
        vec![Effect::Write(DraftJob::Read(path))]
    }

    /// The draft is here: what is wrong with it by itself is told before a server is asked about its groups.
    fn draft_read(&mut self, draft: Draft, record: Record) -> Vec<Effect> {
        if let Some(writing) = &mut self.writing {
            writing.record = record;
        }
        let (Some(path), Some(way)) = (self.draft_path(), self.way()) else {
            return Vec::new();
        };
        let findings = check(&draft, way, Known::Nothing);
        let is_fault = |finding: &Finding| matches!(finding, Finding::Fault(_));
        if way == Way::Mail || findings.iter().any(is_fault) {
            return self.ask_to_send(draft, &findings);
        }
        self.go(path, draft, DraftStep::List)
    }

    fn draft_listed(&mut self, load: LoadId, listed: Result<Vec<Listed>, Stop>) -> Vec<Effect> {
        let Some((path, draft, step_kind)) = self.draft_busy(load) else {
            return Vec::new();
        };
        match listed {
            Ok(listed) => {
                if let Some(writing) = &self.writing {
                    let request = writing.request.clone();
                    self.remember(&request);
                }
                let findings = check(&draft, Way::Post, Known::Listed(&listed));
                self.ask_to_send(draft, &findings)
            }
            Err(stop) => self.draft_stopped(path, draft, step_kind, stop),
        }
    }

    fn draft_sent(&mut self, load: LoadId, sent: Result<Sent, NotSent>) -> Vec<Effect> {
        let Some((path, draft, step_kind)) = self.draft_busy(load) else {
            return Vec::new();
        };
        let (words, is_new) = match sent {
            Ok(Sent::Taken(words)) => (words, true),
            Ok(Sent::There(words)) => (words, false),
            Err(NotSent::Stopped(stop)) => return self.draft_stopped(path, draft, step_kind, stop),
            Err(NotSent::Refused(failure)) => {
                return self.ask_after_failure(&path, draft, step_kind, &failure);
            }
            Err(NotSent::Unknown(failure)) => return self.ask_after_loss(&path, draft, &failure),
        };
        let Some(writing) = self.writing.take() else {
            return Vec::new();
        };
        self.remember(&writing.request);
        match writing.what.way() {
            Way::Mail => self.tell(words.as_str()),
            Way::Post => {
                let groups = draft.groups();
                let group = groups.first().map(|group| String::from_utf8_lossy(group));
                let url = group.and_then(|group| group_url(&writing.request, &group));
                match url {
                    Some(url) => {
                        let (taken, note) = what_came(&writing.what, is_new);
                        self.ask_later(Choice::look_again(url, taken, note, &words));
                    }
                    None => self.tell(words.as_str()),
                }
            }
        }
        Vec::new()
    }

    /// Puts what the draft waits for, once nothing else is asked; whether there was something.
    pub(crate) fn ask_for_draft(&mut self) -> Option<Vec<Effect>> {
        let writing = self.writing.as_mut()?;
        match &mut writing.step {
            Step::Asking(_, _, choice) => {
                let choice = choice.take()?;
                self.overlay = Some(Overlay::Choice(*choice));
                Some(Vec::new())
            }
            Step::Needs(_, _, _, question) => {
                let question = question.take()?;
                let incoming = Incoming::of_draft(writing.request.clone());
                Some(self.put_question(*question, incoming))
            }
            Step::Preparing | Step::Editing(_) | Step::Reading(_) | Step::Busy(..) => None,
        }
    }

    /// Puts a question of the draft's server back, to be asked again.
    pub(crate) fn put_back_for_draft(&mut self, again: Question) {
        if let Some(Writing {
            step: Step::Needs(_, _, _, question),
            ..
        }) = &mut self.writing
        {
            *question = Some(Box::new(again));
        }
    }

    /// Whether the draft waits for an answer that nobody was asked for yet.
    pub(crate) fn draft_waits(&self) -> bool {
        let step = self.writing.as_ref().map(|writing| &writing.step);
        match step {
            Some(Step::Asking(_, _, choice)) => choice.is_some(),
            Some(Step::Needs(_, _, _, question)) => question.is_some(),
            Some(Step::Preparing | Step::Editing(_) | Step::Reading(_) | Step::Busy(..)) | None => {
                false
            }
        }
    }

    /// The question about the draft was answered.
    pub(crate) fn answer_draft(&mut self, letter: char) -> Vec<Effect> {
        let Some(Writing {
            step: Step::Asking(path, draft, _),
            ..
        }) = &self.writing
        else {
            return Vec::new();
        };
        let (path, draft) = (path.clone(), draft.clone());
        match (letter, draft) {
            ('s', Some(draft)) => self.go(path, draft, DraftStep::Send),
            ('a', Some(draft)) => {
                if let Some(writing) = &mut self.writing {
                    writing.return_to_server(&draft);
                }
                self.go(path, draft, DraftStep::List)
            }
            ('e', _) => self.edit_draft(path),
            (_, _) => self.keep_draft(""),
        }
    }

    /// What the server wanted for the draft is here: what was begun is begun again.
    pub(crate) fn go_on_with_draft(&mut self, request: Request) -> Vec<Effect> {
        let Some(writing) = &mut self.writing else {
            return Vec::new();
        };
        let Step::Needs(path, draft, step_kind, _) = &writing.step else {
            return Vec::new();
        };
        let (path, draft, step_kind) = (path.clone(), draft.clone(), *step_kind);
        writing.request = request;
        self.go(path, draft, step_kind)
    }

    /// Leaves the draft in its file, and says where; `why` comes first.
    pub(crate) fn keep_draft(&mut self, why: &str) -> Vec<Effect> {
        if let Some(path) = self.draft_path() {
            let path = whereabouts(&path);
            let sentence = if why.is_empty() {
                path
            } else {
                format!("{why}; {path}")
            };
            self.tell(&sentence);
        }
        self.writing = None;
        Vec::new()
    }

    /// Stops what is done for the draft; nothing where nothing is.
    pub(crate) fn stop_draft(&mut self) -> Option<Vec<Effect>> {
        let Some(Writing {
            step: Step::Busy(_, _, step_kind, load),
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
        self.keep_draft(why);
        Some(vec![Effect::Drop(load)])
    }

    /// Opens what was posted to again.
    pub(crate) fn look_again(&mut self, url: Url) -> Vec<Effect> {
        if self.page().is_some_and(|page| page.url == url) {
            return self.reload();
        }
        self.open(url, None, Where::Here)
    }

    fn go(&mut self, path: PathBuf, draft: Draft, step_kind: DraftStep) -> Vec<Effect> {
        let load = self.next_load();
        let Some(writing) = &self.writing else {
            return Vec::new();
        };
        let way = writing.what.way();
        let mut request = writing.request.clone();
        self.complete(&mut request);
        let job = match (step_kind, way) {
            (DraftStep::List, _) => DraftJob::List(load, Box::new(request), draft.groups()),
            (DraftStep::Send, Way::Post) => DraftJob::Post(
                load,
                Box::new(request),
                Box::new(draft.clone()),
                path.clone(),
                self.settings.author.message_id_domain.clone(),
            ),
            (DraftStep::Send, Way::Mail) => {
                let command = self.settings.author.mail.clone();
                DraftJob::Mail(load, command, Box::new(draft.clone()), path.clone())
            }
        };
        self.tell(match step_kind {
            DraftStep::List => "asking the server about its groups",
            DraftStep::Send => "sending it",
        });
        self.draft_is(Step::Busy(path, draft, step_kind, load));
        vec![Effect::Write(job)]
    }

    /// Whether something is being sent.
    pub fn is_sending(&self) -> bool {
        let step = self.writing.as_ref().map(|writing| &writing.step);
        matches!(step, Some(Step::Busy(_, _, DraftStep::Send, _)))
    }

    pub(super) fn draft_is(&mut self, step: Step) {
        if let Some(writing) = &mut self.writing {
            writing.step = step;
        }
    }

    fn way(&self) -> Option<Way> {
        Some(self.writing.as_ref()?.what.way())
    }

    pub(super) fn draft_path(&self) -> Option<PathBuf> {
        match &self.writing.as_ref()?.step {
            Step::Preparing => None,
            Step::Editing(path)
            | Step::Reading(path)
            | Step::Busy(path, ..)
            | Step::Needs(path, ..)
            | Step::Asking(path, ..) => Some(path.clone()),
        }
    }

    /// The draft that this load is about, if it is still awaited.
    fn draft_busy(&self, wanted: LoadId) -> Option<(PathBuf, Draft, DraftStep)> {
        match &self.writing.as_ref()?.step {
            Step::Busy(path, draft, step_kind, load) if *load == wanted => {
                Some((path.clone(), draft.clone(), *step_kind))
            }
            Step::Busy(..)
            | Step::Preparing
            | Step::Editing(_)
            | Step::Reading(_)
            | Step::Needs(..)
            | Step::Asking(..) => None,
        }
    }
}

/// What is said when a server has an article now, and what is to be known of it.
fn what_came(what: &What, is_new: bool) -> (&'static str, Option<&'static str>) {
    let ignored = "Servers may ignore it; a superseding article is the other way.";
    match (what, is_new) {
        (What::Cancel(_), true) => (
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
