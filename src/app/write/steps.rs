//! The way of a draft, step by step.

use std::path::{Path, PathBuf};

use super::super::browse::Where;
use super::super::choice::{Choice, Of};
use super::super::outside::Program;
use super::super::pane::Incoming;
use super::super::{App, Effect, Overlay};
use super::{Asked, Deed, Errand, Outcome, Step, What, Writing, group_url, whereabouts};
use crate::files::command::shown;
use crate::files::draft::{Draft, Finding, Known, Way, check};
use crate::load::{Failure, Listed, LoadId, Question, Request, Stop};
use crate::text::{Charset, Text};
use crate::url::Url;

impl App {
    /// Something has come of an errand for the draft.
    pub(crate) fn written(&mut self, outcome: Outcome) -> Vec<Effect> {
        match outcome {
            Outcome::Created(Ok(path)) => self.draft_created(path),
            Outcome::Created(Err(sentence)) => {
                self.writing = None;
                self.complain(&sentence);
                Vec::new()
            }
            Outcome::Edited(ended) => self.draft_edited(ended),
            Outcome::Read(Ok(draft)) => self.draft_read(draft),
            Outcome::Read(Err(sentence)) => {
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
            | What::Kept(_) => self.edit_draft(path),
        }
    }

    pub(super) fn edit_draft(&mut self, path: PathBuf) -> Vec<Effect> {
        let mut arguments = self.settings.author.editor.clone();
        arguments.push(path.display().to_string());
        self.draft_is(Step::Editing(path));
        vec![Effect::Write(Errand::Edit(Program {
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
        vec![Effect::Write(Errand::Read(path))]
    }

    /// The draft is here: what is wrong with it by itself is told before a server is asked about its groups.
    fn draft_read(&mut self, draft: Draft) -> Vec<Effect> {
        let (Some(path), Some(way)) = (self.draft_path(), self.way()) else {
            return Vec::new();
        };
        let findings = check(&draft, way, Known::Nothing);
        let is_fault = |finding: &Finding| matches!(finding, Finding::Fault(_));
        if way == Way::Mail || findings.iter().any(is_fault) {
            return self.ask_to_send(draft, &findings);
        }
        self.go(path, draft, Deed::List)
    }

    fn draft_listed(&mut self, load: LoadId, listed: Result<Vec<Listed>, Stop>) -> Vec<Effect> {
        let Some((path, draft, deed)) = self.draft_busy(load) else {
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
            Err(stop) => self.draft_stopped(path, draft, deed, stop),
        }
    }

    fn draft_sent(&mut self, load: LoadId, sent: Result<Text, Stop>) -> Vec<Effect> {
        let Some((path, draft, deed)) = self.draft_busy(load) else {
            return Vec::new();
        };
        let words = match sent {
            Ok(words) => words,
            Err(stop) => return self.draft_stopped(path, draft, deed, stop),
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
                    Some(url) => self.ask_later(Choice::look_again(url, &words)),
                    None => self.tell(words.as_str()),
                }
            }
        }
        Vec::new()
    }

    /// A server did not do what a draft needs.
    fn draft_stopped(
        &mut self,
        path: PathBuf,
        draft: Draft,
        deed: Deed,
        stop: Stop,
    ) -> Vec<Effect> {
        match stop {
            Stop::Needs(question) => {
                self.draft_is(Step::Needs(path, draft, deed, Some(Box::new(question))));
                Vec::new()
            }
            Stop::Failed(failure) => self.ask_after_failure(&path, draft, deed, &failure),
            Stop::Cut(_) | Stop::Unheard => {
                self.ask_after_failure(&path, draft, deed, &Failure::new("it was stopped"))
            }
        }
    }

    fn ask_after_failure(
        &mut self,
        path: &Path,
        draft: Draft,
        deed: Deed,
        failure: &Failure,
    ) -> Vec<Effect> {
        let mut lines = vec![failure.sentence.clone()];
        let said = failure.said.iter();
        lines.extend(said.map(|said| format!("the server said: {said}")));
        lines.extend(failure.advice.map(str::to_owned));
        lines.push(whereabouts(path));
        let question = match deed {
            Deed::List => "The groups could not be asked about.",
            Deed::Send => "It was not sent.",
        };
        self.ask_about_draft(Some(draft), question, &lines, "try again")
    }

    /// Shows all of a draft, and asks whether it goes.
    fn ask_to_send(&mut self, draft: Draft, findings: &[Finding]) -> Vec<Effect> {
        let Some(writing) = &self.writing else {
            return Vec::new();
        };
        let mut lines = Vec::new();
        let mut is_faulty = false;
        for finding in findings {
            match finding {
                Finding::Fault(fault) => {
                    is_faulty = true;
                    lines.push(format!("It cannot go so: {fault}."));
                }
                Finding::Remark(remark) => lines.push(format!("Note: {remark}.")),
            }
        }
        let (question, send) = match &writing.what {
            What::New(_) => ("Post this article?", "post it"),
            What::FollowUp(_) => ("Post this answer?", "post it"),
            What::Kept(Way::Post) => {
                // It need not be the server that it was written for.
                if let Some(place) = writing.request.place() {
                    let place = place.strip_prefix("news ").unwrap_or(&place);
                    lines.push(format!("It goes to {place}."));
                }
                ("Post this draft?", "post it")
            }
            What::Kept(Way::Mail) => {
                let command = shown(&self.settings.author.mail);
                lines.push(format!("It is given to {command}."));
                ("Mail this draft?", "mail it")
            }
            What::Cancel(_) => ("Cancel the article, by this?", "cancel it"),
            What::Addressed(addressed) => {
                for name in &addressed.letter.left_out {
                    let name = Text::new(name, Charset::default());
                    lines.push(format!("Left out, as no address may set it: {name}."));
                }
                let command = shown(&self.settings.author.mail);
                lines.push(format!("It is given to {command}."));
                ("Mail this letter?", "mail it")
            }
            What::Letter(_, asked) => {
                if *asked == Asked::There {
                    let note = "Its author wants answers by mail (Followup-To: poster).";
                    lines.insert(0, note.to_owned());
                }
                let command = shown(&self.settings.author.mail);
                lines.push(format!("It is given to {command}."));
                ("Mail this letter?", "mail it")
            }
        };
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.extend(draft.text().lines().map(str::to_owned));
        let send = if is_faulty { "" } else { send };
        self.ask_about_draft(Some(draft), question, &lines, send)
    }

    /// Puts a question about the draft; without words for sending it cannot be sent.
    fn ask_about_draft(
        &mut self,
        draft: Option<Draft>,
        question: &str,
        lines: &[String],
        send: &str,
    ) -> Vec<Effect> {
        let Some(path) = self.draft_path() else {
            return Vec::new();
        };
        let mut answers = vec![('k', "keep it as a draft"), ('e', "edit it")];
        if !send.is_empty() {
            answers.push(('s', send));
        }
        let lines = lines.iter().map(|line| Text::of(line)).collect();
        let choice = Choice::new(question, &answers, Of::Draft).about(lines);
        self.draft_is(Step::Asking(path, draft, Some(Box::new(choice))));
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
            ('s', Some(draft)) => self.go(path, draft, Deed::Send),
            ('e', _) => self.edit_draft(path),
            (_, _) => self.keep_draft(""),
        }
    }

    /// What the server wanted for the draft is here: what was begun is begun again.
    pub(crate) fn go_on_with_draft(&mut self, request: Request) -> Vec<Effect> {
        let Some(writing) = &mut self.writing else {
            return Vec::new();
        };
        let Step::Needs(path, draft, deed, _) = &writing.step else {
            return Vec::new();
        };
        let (path, draft, deed) = (path.clone(), draft.clone(), *deed);
        writing.request = request;
        self.go(path, draft, deed)
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
            step: Step::Busy(_, _, deed, load),
            ..
        }) = &self.writing
        else {
            return None;
        };
        let (deed, load) = (*deed, *load);
        let why = match deed {
            Deed::List => "stopped",
            Deed::Send => "stopped, and nobody knows whether it was taken",
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

    fn go(&mut self, path: PathBuf, draft: Draft, deed: Deed) -> Vec<Effect> {
        let load = self.next_load();
        let Some(writing) = &self.writing else {
            return Vec::new();
        };
        let way = writing.what.way();
        let mut request = writing.request.clone();
        self.complete(&mut request);
        let errand = match (deed, way) {
            (Deed::List, _) => Errand::List(load, Box::new(request), draft.groups()),
            (Deed::Send, Way::Post) => Errand::Post(
                load,
                Box::new(request),
                Box::new(draft.clone()),
                path.clone(),
            ),
            (Deed::Send, Way::Mail) => {
                let command = self.settings.author.mail.clone();
                Errand::Mail(load, command, Box::new(draft.clone()), path.clone())
            }
        };
        self.tell(match deed {
            Deed::List => "asking the server about its groups",
            Deed::Send => "sending it",
        });
        self.draft_is(Step::Busy(path, draft, deed, load));
        vec![Effect::Write(errand)]
    }

    fn draft_is(&mut self, step: Step) {
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
    fn draft_busy(&self, wanted: LoadId) -> Option<(PathBuf, Draft, Deed)> {
        match &self.writing.as_ref()?.step {
            Step::Busy(path, draft, deed, load) if *load == wanted => {
                Some((path.clone(), draft.clone(), *deed))
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
