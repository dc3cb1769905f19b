//! What is asked about a draft: whether it goes, and what becomes of it when it did not.

use std::path::{Path, PathBuf};

use super::super::choice::{Choice, Of};
use super::super::{App, Effect};
use super::{Asked, DraftStep, Step, What, Writing, server_of, whereabouts};
use crate::files::command::shown;
use crate::files::draft::{Draft, Finding, Way};
use crate::load::{Failure, Stop};
use crate::text::{Charset, Text};

impl App {
    /// A server did not do what a draft needs.
    pub(super) fn draft_stopped(
        &mut self,
        path: PathBuf,
        draft: Draft,
        step_kind: DraftStep,
        stop: Stop,
    ) -> Vec<Effect> {
        match stop {
            Stop::Needs(question) => {
                self.draft_is(Step::Needs(
                    path,
                    draft,
                    step_kind,
                    Some(Box::new(question)),
                ));
                Vec::new()
            }
            Stop::Failed(failure) => self.ask_after_failure(&path, draft, step_kind, &failure),
            Stop::Cut(_) | Stop::Closed => {
                self.ask_after_failure(&path, draft, step_kind, &Failure::new("it was stopped"))
            }
        }
    }

    pub(super) fn ask_after_failure(
        &mut self,
        path: &Path,
        draft: Draft,
        step_kind: DraftStep,
        failure: &Failure,
    ) -> Vec<Effect> {
        let mut lines = vec![failure.sentence.clone()];
        let said = failure.said.iter();
        lines.extend(said.map(|said| format!("the server said: {said}")));
        lines.extend(failure.advice.map(str::to_owned));
        lines.push(whereabouts(path));
        let question = match step_kind {
            DraftStep::List => "The groups could not be asked about.",
            DraftStep::Send => "It was not sent.",
        };
        self.ask_about_draft(Some(draft), question, &lines, "try again")
    }

    /// The article went out, and no answer came.
    pub(super) fn ask_after_loss(
        &mut self,
        path: &Path,
        draft: Draft,
        failure: &Failure,
    ) -> Vec<Effect> {
        let lines = [
            failure.sentence.clone(),
            "Geomys asks for its Message-ID before it sends it again.".to_owned(),
            whereabouts(path),
        ];
        let question = "It is unknown whether it was sent.";
        self.ask_about_draft(
            Some(draft),
            question,
            &lines,
            "check, and send it if it is missing",
        )
    }

    /// Shows all of a draft, and asks whether it goes.
    pub(super) fn ask_to_send(&mut self, draft: Draft, findings: &[Finding]) -> Vec<Effect> {
        let Some(writing) = &self.writing else {
            return Vec::new();
        };
        let mut lines = writing.notes();
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
            What::Cancel(_) | What::Supersede(_) => {
                lines.push(note_of_key(&draft).to_owned());
                match &writing.what {
                    What::Cancel(_) => ("Cancel the article, by this?", "cancel it"),
                    _ => ("Post this in the place of the article?", "post it"),
                }
            }
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
    pub(super) fn ask_about_draft(
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
        let other = self.writing.as_ref().and_then(Writing::other_server);
        let other = other.map(|server| format!("post it to {server}"));
        if !send.is_empty() {
            answers.push(('s', send));
            answers.extend(other.iter().map(|other| ('a', other.as_str())));
        }
        let lines = lines.iter().map(|line| Text::of(line)).collect();
        let choice = Choice::new(question, &answers, Of::Draft).about(lines);
        self.draft_is(Step::Asking(path, draft, Some(Box::new(choice))));
        Vec::new()
    }
}

impl Writing {
    /// What is to be known of a draft before it is sent: where it was begun, and how often it was sent.
    fn notes(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(server) = self.other_server() {
            let here = server_of(&self.request);
            lines.push(format!(
                "Note: it was begun for {server}, and would go to {here}."
            ));
        }
        lines.extend(self.record.line().map(|line| format!("Note: {line}.")));
        lines
    }
}

/// Whether servers can tell that a draft cancels or supersedes an article of its own author.
fn note_of_key(draft: &Draft) -> &'static str {
    match draft.header("Cancel-Key") {
        Some(_) => "Note: servers may ignore it.",
        None => "Note: the article has no Cancel-Lock of yours, so most servers ignore it.",
    }
}
