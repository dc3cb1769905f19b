//! Questions about a draft: whether to send it, and what to do after a failure.

use geomys_load::{Failure, FailureKind, Stop};
use geomys_store::files::command::quoted;
use geomys_store::files::draft::{DeliveryMethod, Draft, DraftIssue};
use geomys_store::outbox::server_of;
use geomys_wire::net::shown_url;
use geomys_wire::text::{Charset, Text};

use crate::compose::message::{DraftKind, MailReplyReason};
use crate::compose::{DraftInProgress, DraftStage, DraftStep, path_line};
use crate::{Command, Compose, ComposeCommand, Context, Dialog};

/// The answer "at the next sync" to a question about a draft.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum NextSync {
    /// Not offered: the server has refused the draft, or may have it.
    No,
    /// Offered.
    Offered,
    /// Offered and selected: no server was reached.
    Selected,
    /// The only way to send the draft, and selected: Geomys is offline.
    Only,
}

impl NextSync {
    fn after(failure: &Failure) -> Self {
        match failure.kind {
            FailureKind::Unreachable => Self::Selected,
            FailureKind::Transient | FailureKind::Busy => Self::Offered,
            FailureKind::Permanent
            | FailureKind::Missing
            | FailureKind::Malformed
            | FailureKind::ServerError
            | FailureKind::ResumeMismatch => Self::No,
        }
    }

    fn is_selected(self) -> bool {
        matches!(self, Self::Selected | Self::Only)
    }
}

impl Compose {
    /// Handles a server request for a draft that stopped.
    pub(crate) fn draft_stopped(&mut self, step: DraftStep, stop: Stop) {
        match stop {
            Stop::Needs(question) => {
                self.set_draft_step(DraftStage::ServerQuestion(step, Some(Box::new(question))));
            }
            Stop::Failed(failure) => self.ask_after_failure(step, &failure),
            Stop::Truncated(_) | Stop::Closed => {
                self.ask_after(step, &Failure::new("it was stopped"), NextSync::Offered);
            }
        }
    }

    pub(crate) fn ask_after_failure(&mut self, step: DraftStep, failure: &Failure) {
        self.ask_after(step, failure, NextSync::after(failure));
    }

    fn ask_after(&mut self, step: DraftStep, failure: &Failure, next_sync: NextSync) {
        let mut lines = vec![failure.sentence.clone()];
        let said = failure.said.iter();
        lines.extend(said.map(|said| format!("the server said: {said}")));
        lines.extend(failure.advice.map(str::to_owned));
        let question = match step {
            DraftStep::List => "The groups could not be checked.",
            DraftStep::Send => "It was not sent.",
        };
        self.ask_about_file(question, lines, "try again", next_sync);
    }

    /// Asks about a draft that was sent without an answer.
    pub(crate) fn ask_after_lost_answer(&mut self, failure: &Failure) {
        let kind = self.writing.as_ref().map(|writing| &writing.kind);
        let (remark, send, next_sync) = match kind.map(DraftKind::delivery) {
            Some(DeliveryMethod::Mail | DeliveryMethod::Upload) => {
                ("Repeating it may send it twice.", "repeat it", NextSync::No)
            }
            Some(DeliveryMethod::Post) | None => (
                "Geomys checks for its Message-ID before sending again.",
                "check, and send it if it is missing",
                NextSync::Offered,
            ),
        };
        let lines = vec![failure.sentence.clone(), remark.to_owned()];
        self.ask_about_file("Unknown whether it was sent.", lines, send, next_sync);
    }

    /// Asks a question about the draft; the last line names its file.
    pub(crate) fn ask_about_file(
        &mut self,
        question: &str,
        mut lines: Vec<String>,
        send: &str,
        next_sync: NextSync,
    ) {
        lines.extend(self.draft_path().map(|path| path_line(&path)));
        self.ask_about_draft(question, &lines, send, next_sync);
    }

    /// Shows the complete draft, and asks whether to send it.
    pub(crate) fn ask_to_send(&mut self, findings: &[DraftIssue], cx: &Context) {
        let Some(writing) = &self.writing else {
            return;
        };
        let Some(draft) = &writing.draft else {
            return;
        };
        let mut lines = writing.notes();
        if cx.settings.offline {
            lines.push("Geomys is offline: it can be sent at the next sync.".to_owned());
        }
        let program = || format!("It is passed to {}.", quoted(&cx.settings.author.mail));
        let mut is_faulty = false;
        for finding in findings {
            match finding {
                DraftIssue::Fault(fault) => {
                    is_faulty = true;
                    lines.push(format!("It cannot be sent: {fault}."));
                }
                DraftIssue::Remark(remark) => lines.push(format!("Note: {remark}.")),
            }
        }
        let (question, send) = match &writing.kind {
            DraftKind::New(_) => ("Post this article?", "post it"),
            DraftKind::FollowUp(_) => ("Post this reply?", "post it"),
            DraftKind::Stored(DeliveryMethod::Post) => {
                // The server may differ from the one that the draft was written for.
                if let Some(scope) = writing.request.login_scope() {
                    let scope = scope.strip_prefix("news ").unwrap_or(&scope);
                    lines.push(format!("It goes to {scope}."));
                }
                ("Post this draft?", "post it")
            }
            DraftKind::Stored(DeliveryMethod::Mail) => {
                lines.push(program());
                ("Mail this draft?", "mail it")
            }
            DraftKind::Stored(DeliveryMethod::Upload) => {
                let target = shown_url(&writing.request.url);
                lines.push(format!("It goes to {target}."));
                ("Send this text?", "upload it")
            }
            DraftKind::Cancel(_) => {
                lines.push(note_of_key(draft).to_owned());
                ("Send this cancel message?", "cancel it")
            }
            DraftKind::Supersede(_) => {
                lines.push(note_of_key(draft).to_owned());
                ("Post this to replace the article?", "post it")
            }
            DraftKind::Mailto(mailto) => {
                for name in &mailto.message.left_out {
                    let name = Text::new(name, Charset::default());
                    lines.push(format!("Ignored (a URL may not set it): {name}"));
                }
                lines.push(program());
                ("Send this mail?", "mail it")
            }
            DraftKind::Forward(_) => {
                lines.push(program());
                ("Send this mail?", "mail it")
            }
            DraftKind::MailReply(_, reason) => {
                if *reason == MailReplyReason::FollowupToPoster {
                    let note = "Its author asks for replies by mail (Followup-To: poster).";
                    lines.insert(0, note.to_owned());
                }
                lines.push(program());
                ("Send this mail?", "mail it")
            }
        };
        lines.extend(shown_draft(draft));
        lines.extend(writing.path.as_deref().map(path_line));
        let send = if is_faulty { "" } else { send };
        let next_sync = if cx.settings.offline {
            NextSync::Only
        } else {
            NextSync::Offered
        };
        self.ask_about_draft(question, &lines, send, next_sync);
    }

    /// Asks a question about the draft. If `send` is empty, there is no answer that sends it.
    fn ask_about_draft(
        &mut self,
        question: &str,
        lines: &[String],
        send: &str,
        next_sync: NextSync,
    ) {
        let Some(writing) = &mut self.writing else {
            return;
        };
        let close = Command::Compose(ComposeCommand::Close);
        let mut dialog = Dialog::new(question)
            .answer('k', "keep it as a draft", close.clone())
            .answer('e', "edit it", ComposeCommand::Edit);
        if let Some(letter) = send.chars().next().filter(|_| next_sync != NextSync::Only) {
            dialog = dialog.answer(letter, send, ComposeCommand::Send);
            if let Some(server) = writing.other_server() {
                let label = format!("post it to {server}");
                let send = Command::Compose(ComposeCommand::SendToFirstServer);
                dialog = dialog.answer('a', &label, send);
            }
        }
        let can_wait = !send.is_empty() && !writing.is_private && next_sync != NextSync::No;
        if can_wait {
            let queue = Command::Compose(ComposeCommand::Queue);
            dialog = dialog.answer('s', "at the next sync", queue);
        }
        let is_selected = can_wait && next_sync.is_selected();
        let safe = if is_selected { 's' } else { 'k' };
        let dialog = dialog
            .answer('d', "drop it", Command::Compose(ComposeCommand::Drop))
            .with_letters()
            .with_lines(lines.iter().map(|line| Text::of(line)).collect())
            .safe(safe)
            .scrolled_by_line()
            .cancelled(close);
        writing.step = DraftStage::Asking(Some(Box::new(dialog)));
    }
}

impl DraftInProgress {
    /// Returns notes about a draft before it is sent: the server it was begun for, and earlier attempts.
    fn notes(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(server) = self.other_server() {
            let here = server_of(&self.request);
            lines.push(format!(
                "Note: it was written for {server}, and would go to {here}."
            ));
        }
        lines.extend(self.record.line().map(|line| format!("Note: {line}.")));
        lines
    }
}

/// The most lines of a text that are shown before everything else of its draft.
const LAST_LINES: usize = 6;

/// Returns the lines of a draft: where it goes and as whose, the end of its own text, and then all of it that was not
/// shown.
fn shown_draft(draft: &Draft) -> Vec<String> {
    let to = draft.header("Newsgroups").or_else(|| draft.header("To"));
    let Some(to) = to else {
        return draft.text().lines().map(str::to_owned).collect();
    };
    let from = draft.header("From").unwrap_or_default();
    let name = from.split('<').next().unwrap_or_default();
    let name = name.trim().trim_matches('"');
    let name = if name.is_empty() { from } else { name };
    let text = draft.body.split("\n-- \n").next().unwrap_or_default();
    let text: Vec<&str> = text.trim().lines().collect();
    let hidden = text.len().saturating_sub(LAST_LINES);
    let mut lines = vec![format!("To {to} as {name}"), String::new()];
    lines.extend((hidden > 0).then(|| "…".to_owned()));
    lines.extend(text.iter().skip(hidden).map(|line| (*line).to_owned()));
    lines.push(String::new());
    if hidden > 0 {
        lines.extend(draft.text().lines().map(str::to_owned));
    } else {
        let headers = draft.headers.iter();
        lines.extend(headers.map(|(name, value)| format!("{name}: {value}")));
        let signature = draft.body.split_once("\n-- \n");
        let signature = signature.map_or("", |(_, signature)| signature);
        lines.extend(
            ["", "-- "]
                .map(str::to_owned)
                .into_iter()
                .filter(|_| !signature.is_empty()),
        );
        lines.extend(signature.lines().map(str::to_owned));
    }
    lines
}

/// Returns a note about a cancel or superseding article: whether servers can verify its author.
fn note_of_key(draft: &Draft) -> &'static str {
    match draft.header("Cancel-Key") {
        Some(_) => "Note: servers may ignore it.",
        None => "Note: the article has no Cancel-Lock of yours, so most servers ignore it.",
    }
}
