//! Questions about a draft: whether to send it, and what to do after a failure.

use geomys_load::{Failure, FailureKind, Stop};
use geomys_store::files::command::quoted;
use geomys_store::files::draft::{DeliveryMethod, Draft, DraftIssue, FORWARDED};
use geomys_store::outbox::server_of;
use geomys_wire::net::shown_url;
use geomys_wire::text::{self, Charset, Text};

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
        let mut faults = Vec::new();
        for finding in findings {
            match finding {
                DraftIssue::Fault(fault) => faults.push(format!("It cannot be sent: {fault}.")),
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
            DraftKind::Cancel(_) => ("Send this cancel message?", "cancel it"),
            DraftKind::Supersede(_) => ("Post this to replace the article?", "post it"),
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
        let send = if faults.is_empty() { send } else { "" };
        // The notes stand behind the end of the text, which is always visible.
        let shown = ShownDraft::of(draft, cx.layout.question_columns());
        lines.extend(shown.rest);
        lines.extend(writing.path.as_deref().map(path_line));
        let lines = [faults, shown.beginning, lines].concat();
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

/// The most rows of a text that are shown before everything else of its draft.
const LAST_ROWS: usize = 6;

/// The lines of a draft in a question.
struct ShownDraft {
    /// Where it goes and as whose, and the end of its author's own text.
    beginning: Vec<String>,
    /// All of it that the beginning does not show.
    rest: Vec<String>,
}

impl ShownDraft {
    /// The lines for a question of this width.
    fn of(draft: &Draft, columns: usize) -> Self {
        let own = own_text(&draft.body);
        let rows = own.lines().flat_map(|line| text::wrap(line, columns));
        let rows: Vec<&str> = rows.collect();
        let hidden = rows.len().saturating_sub(LAST_ROWS);
        let mut beginning: Vec<String> = recipient(draft).into_iter().collect();
        if !beginning.is_empty() && !rows.is_empty() {
            beginning.push(String::new());
        }
        beginning.extend((hidden > 0).then(|| "…".to_owned()));
        beginning.extend(rows.iter().skip(hidden).map(|row| (*row).to_owned()));
        beginning.push(String::new());
        let (text, signature) = match draft.body.split_once(SIGNATURE) {
            Some((text, signature)) => (text, Some(signature)),
            None => (draft.body.as_str(), None),
        };
        let is_shown = rows.len() == own.lines().count() && hidden == 0 && text.trim() == own;
        let shown = Draft {
            headers: draft.headers.clone(),
            body: match signature {
                Some(signature) if is_shown => format!("{}{signature}", SIGNATURE.trim_start()),
                Some(_) | None if is_shown => String::new(),
                Some(_) | None => draft.body.clone(),
            },
        };
        let rest = shown.text();
        Self {
            beginning,
            rest: rest.lines().map(str::to_owned).collect(),
        }
    }
}

/// The mark of a signature, in a text.
const SIGNATURE: &str = "\n-- \n";

/// Returns the last text that the author of a draft has written: no signature, no forwarded article and no quotation.
fn own_text(body: &str) -> &str {
    let text = body.split(SIGNATURE).next().unwrap_or_default();
    let text = text.split(FORWARDED).next().unwrap_or_default();
    let mut own = text.trim();
    while let Some((before, last)) = own.rsplit_once('\n') {
        if !last.trim().is_empty() && !last.starts_with('>') {
            break;
        }
        own = before.trim_end();
    }
    let last = own.rfind("\n>").map(|at| at + 1);
    let Some(last) = last.or_else(|| own.starts_with('>').then_some(0)) else {
        return own;
    };
    let from = own.get(last..).unwrap_or_default();
    from.split_once('\n').map_or("", |(_, own)| own.trim())
}

/// Returns where a draft goes, and as whose; nothing for an upload.
fn recipient(draft: &Draft) -> Option<String> {
    let to = draft.header("Newsgroups").or_else(|| draft.header("To"));
    let from = draft.header("From");
    to.or(from)?;
    let from = from.unwrap_or("nobody");
    let name = from.split('<').next().unwrap_or_default();
    let name = name.trim().trim_matches('"');
    let name = if name.is_empty() { from } else { name };
    Some(format!("To {} as {name}", to.unwrap_or("nobody")))
}
