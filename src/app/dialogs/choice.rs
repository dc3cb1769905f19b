//! Questions with a small number of answers.

mod questions;

use std::path::PathBuf;

use crossterm::event::KeyCode;

use crate::app::bookmarks::form::BookmarkForm;
use crate::app::dialogs::ask::UNANSWERED;
use crate::app::news::NewsAuthority;
use crate::app::news::mark::CatchUpRange;
use crate::app::tabs::open::OpenIn;
use crate::app::requester::{PendingRequest};
use crate::app::transfers::TransferId;
use crate::app::transfers::ViewerJob;
use crate::app::{App, Overlay};
use crate::bookmarks::{Bookmarks, NewBookmark};
use crate::keymap::Key;
use crate::load::{Login, Request};
use crate::net::UntrustedCertificate;
use crate::text::Text;
use crate::url::Url;

/// A question with explaining lines and its answers.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The text of the question.
    pub question: Text,
    /// The lines that explain the question.
    pub lines: Vec<Text>,
    /// The index of the first shown line.
    pub top: usize,
    /// The answers with their letters. `n` is the answer that does nothing.
    pub answers: Vec<(char, String)>,
    /// The method of answering.
    pub answer_method: AnswerMethod,
    /// The subject of the question.
    pub kind: ChoiceKind,
}

/// The method of answering a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerMethod {
    /// The letter of an answer: only for a question that opens directly after a key press.
    Letter,
    /// One of [`Choice::buttons`] and Enter; the number is the index of the selected button.
    Button(usize),
}

/// The subject of a question.
#[derive(Clone, Debug)]
pub enum ChoiceKind {
    /// Reading of an item with an unknown item type.
    UnknownType(PendingRequest),
    /// Opening of a URL with hazards.
    AcceptHazards(PendingRequest),
    /// Sending of passwords to this authority (`host:port`) without TLS.
    PlainLoginConsent(PendingRequest, String),
    /// Sending of the form answers that a URL contains.
    SendForm(PendingRequest),
    /// Sending of this file with the shown form.
    SendFile(PathBuf),
    /// Saving of the reply to the shown form to this file.
    SaveReply(PathBuf),
    /// Opening or downloading of a local file; with the label of its link.
    LocalFile(Box<Request>, Text, LocalFileAction),
    /// Running of this command line; or else opening of the page that explains the address.
    RunProgram(Vec<String>, Option<Url>),
    /// Opening of the first URL unchanged, or of the second one, which searches for the words after the `?`.
    GopherQuery(Url, Url),
    /// Charset of the current page.
    Charset,
    /// Marking of these articles of a group as read.
    CatchUp(NewsAuthority, Vec<u8>, CatchUpRange),
    /// Pattern of a new rule for articles.
    Rule {
        /// The group of the rule.
        group: Vec<u8>,
        /// The author of the article.
        author: String,
        /// The subject of the article.
        subject: String,
    },
    /// Saving or viewing of a file with this name.
    ViewFile(PendingRequest, String, ViewerJob),
    /// Trust in a certificate.
    Certificate(Box<UntrustedCertificate>, PendingRequest),
    /// Partial file of a download that has changed on the server.
    FileChanged(PendingRequest),
    /// Download of a whole directory, where a file was expected.
    WholeDirectory(PendingRequest),
    /// Download of a directory into one that already contains other files.
    MergeDirectory(PendingRequest),
    /// Download of octets beyond the announced size.
    Oversize(PendingRequest),
    /// Removal of a transfer and its partial file.
    EraseTransfer(TransferId),
    /// Storing of a password in the keyring for this login scope.
    StoreLogin(String, Login),
    /// Next step for the shown draft.
    Draft,
    /// Removal of the draft in this file.
    RemoveDraft(PathBuf),
    /// Reloading of the group to which an article was posted.
    ReopenGroup(Url),
    /// Removal of these bookmarks and folders, by their indices.
    RemoveBookmarks(Bookmarks, Vec<usize>),
    /// Opening of these addresses in tabs.
    OpenInTabs(Vec<(Text, Url)>),
    /// Saving of the form although the bookmark at this index has the same address.
    DuplicateBookmark(Box<BookmarkForm>, Bookmarks, usize),
    /// Replacement of the URLs of these bookmarks by fixed ones.
    RepairUrls(Bookmarks, Vec<(usize, Url)>),
    /// Watching of these bookmarks, or removal of their tag.
    WatchBookmarks(Bookmarks, Vec<usize>),
    /// Bookmarking of these links, in a folder with the page's title.
    BookmarkLinks(Vec<NewBookmark>, String),
    /// Selection of the bookmarks to check: for each letter the indices of its items.
    CheckBookmarks(Bookmarks, Vec<(char, Vec<usize>)>),
}

/// The action on a local file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocalFileAction {
    /// Opens the file in a pane.
    Open(OpenIn),
    /// Copies the file to the downloads.
    Download,
}

/// The answers to a yes/no question.
pub(crate) const YES_OR_NO: [(char, &str); 2] = [('y', "yes"), ('n', "no")];

/// The result of a key while the buttons of a question are shown.
enum ButtonKeyResult {
    /// The question stays open; another button or other lines may be shown.
    Continue(Choice),
    /// The answer with this letter is chosen; `None` closes the question without an answer.
    Chosen(Choice, Option<char>),
}

impl Choice {
    /// Creates a question that is answered by letters. If it opens without a key press, buttons replace the letters.
    pub(crate) fn new(question: &str, answers: &[(char, &str)], kind: ChoiceKind) -> Self {
        let answers = answers.iter();
        Self {
            question: Text::of(question),
            lines: Vec::new(),
            top: 0,
            answers: answers
                .map(|(letter, does)| (*letter, (*does).to_owned()))
                .collect(),
            answer_method: AnswerMethod::Letter,
            kind,
        }
    }

    /// Sets the explaining lines.
    pub(crate) fn with_lines(self, lines: Vec<Text>) -> Self {
        Self { lines, ..self }
    }

    /// Switches to buttons.
    fn with_buttons(mut self) -> Self {
        self.use_buttons();
        self
    }

    /// Switches to buttons.
    pub(crate) fn use_buttons(&mut self) {
        self.answer_method = AnswerMethod::Button(0);
    }

    /// Returns the buttons, the safe one first: the letter of the answer, if it has one, and its text.
    pub fn buttons(&self) -> Vec<(Option<char>, &str)> {
        let safe = match self.kind {
            ChoiceKind::Draft => 'k',
            _ => 'n',
        };
        let is_safe = |answer: &&(char, String)| answer.0 == safe;
        let button = |answer: &'_ (char, String)| Some(answer.0);
        let first = self.answers.iter().find(is_safe);
        let first = first.map_or((None, "leave it"), |answer| (button(answer), &*answer.1));
        let others = self.answers.iter().filter(|answer| !is_safe(answer));
        let others = others.map(|answer| (button(answer), &*answer.1));
        std::iter::once(first).chain(others).collect()
    }

    /// Returns true if the lines scroll one by one, because the user must be able to read all of them before agreeing.
    fn scrolls_by_line(&self) -> bool {
        matches!(self.kind, ChoiceKind::Draft | ChoiceKind::RepairUrls(..))
    }

    /// Scrolls the lines by the usual keys.
    fn scroll(&mut self, key: Key) {
        let by: isize = match (key.code(), key.character()) {
            (Some(KeyCode::PageDown), _) | (_, Some(' ')) => 10,
            (Some(KeyCode::PageUp), _) | (_, Some('b')) => -10,
            (Some(KeyCode::Down), _) if self.scrolls_by_line() => 1,
            (Some(KeyCode::Up), _) if self.scrolls_by_line() => -1,
            (_, _) => return,
        };
        let last = self.lines.len().saturating_sub(1);
        self.top = self.top.saturating_add_signed(by).min(last);
    }

    /// Handles a key while the button `selected` is selected.
    fn press(mut self, key: Key, selected: usize) -> ButtonKeyResult {
        let buttons = self.buttons();
        let count = buttons.len();
        let scrolls_by_line = self.scrolls_by_line();
        let next = match key.code() {
            Some(KeyCode::Enter) => {
                let chosen = buttons.get(selected).and_then(|(letter, _)| *letter);
                return ButtonKeyResult::Chosen(self, chosen);
            }
            Some(KeyCode::Tab) => (selected + 1) % count,
            Some(KeyCode::BackTab) => (selected + count - 1) % count,
            Some(KeyCode::Right) => (selected + 1).min(count - 1),
            Some(KeyCode::Left) => selected.saturating_sub(1),
            Some(KeyCode::Down) if !scrolls_by_line => (selected + 1).min(count - 1),
            Some(KeyCode::Up) if !scrolls_by_line => selected.saturating_sub(1),
            _ => {
                self.scroll(key);
                selected
            }
        };
        self.answer_method = AnswerMethod::Button(next);
        ButtonKeyResult::Continue(self)
    }

    /// Returns the load that waits for the answer.
    pub fn pending(&self) -> Option<&PendingRequest> {
        match &self.kind {
            ChoiceKind::UnknownType(pending)
            | ChoiceKind::AcceptHazards(pending)
            | ChoiceKind::PlainLoginConsent(pending, _)
            | ChoiceKind::SendForm(pending)
            | ChoiceKind::FileChanged(pending)
            | ChoiceKind::WholeDirectory(pending)
            | ChoiceKind::MergeDirectory(pending)
            | ChoiceKind::Oversize(pending)
            | ChoiceKind::Certificate(_, pending)
            | ChoiceKind::ViewFile(pending, ..) => Some(pending),
            ChoiceKind::SendFile(_)
            | ChoiceKind::SaveReply(_)
            | ChoiceKind::LocalFile(..)
            | ChoiceKind::RunProgram(..)
            | ChoiceKind::GopherQuery(..)
            | ChoiceKind::Charset
            | ChoiceKind::CatchUp(..)
            | ChoiceKind::Rule { .. }
            | ChoiceKind::Draft
            | ChoiceKind::RemoveBookmarks(..)
            | ChoiceKind::OpenInTabs(_)
            | ChoiceKind::DuplicateBookmark(..)
            | ChoiceKind::RepairUrls(..)
            | ChoiceKind::WatchBookmarks(..)
            | ChoiceKind::BookmarkLinks(..)
            | ChoiceKind::ReopenGroup(_)
            | ChoiceKind::EraseTransfer(_)
            | ChoiceKind::CheckBookmarks(..)
            | ChoiceKind::RemoveDraft(_)
            | ChoiceKind::StoreLogin(..) => None,
        }
    }
}

impl App {
    /// Handles a key while a question is open. A key that is no answer only scrolls.
    pub(crate) fn choice_key(&mut self, choice: Choice, key: Key) {
        if key.is_cancel() {
            return self.cancel_choice(choice);
        }
        match choice.answer_method {
            AnswerMethod::Button(selected) => match choice.press(key, selected) {
                ButtonKeyResult::Continue(choice) => {
                    self.show(Overlay::Choice(choice));
                }
                ButtonKeyResult::Chosen(choice, None | Some('n')) => self.decline(choice),
                ButtonKeyResult::Chosen(choice, Some(letter)) => {
                    self.chosen_answer(choice.kind, letter);
                }
            },
            AnswerMethod::Letter => {
                let mut answers = choice.answers.iter().map(|(letter, _)| *letter);
                match answers.find(|letter| Some(*letter) == key.character()) {
                    Some('n') => self.cancel_choice(choice),
                    Some(letter) => self.chosen_answer(choice.kind, letter),
                    None => {
                        let mut choice = choice;
                        choice.scroll(key);
                        self.show(Overlay::Choice(choice));
                    }
                }
            }
        }
    }

    /// Closes a question without an answer.
    fn cancel_choice(&mut self, choice: Choice) {
        match choice.kind {
            // Esc closes the question; the form with the typed text stays open.
            ChoiceKind::DuplicateBookmark(form, ..) => {
                self.show(Overlay::Form(form));
            }
            ChoiceKind::Draft => self.compose.close_draft("", &mut self.cx),
            _ if choice.pending().is_some_and(PendingRequest::is_transfer) => {}
            _ => self.decline(choice),
        }
    }

    /// Answers a question with no, and ends the load that waits for it.
    fn decline(&mut self, choice: Choice) {
        match choice.kind {
            ChoiceKind::Certificate(error, pending) => {
                let sentence = format!("the certificate of {} was not accepted", error.authority);
                self.cx.notify(&sentence);
                self.tabs.cancel_pending(
                    pending,
                    &sentence,
                    &mut self.compose,
                    &mut self.transfers,
                    &mut self.cx,
                );
            }
            // Another page may be loading in the pane.
            ChoiceKind::WatchBookmarks(..) => {}
            _ => match choice.pending().cloned() {
                Some(pending) => self.tabs.cancel_pending(
                    pending,
                    UNANSWERED,
                    &mut self.compose,
                    &mut self.transfers,
                    &mut self.cx,
                ),
                None if self.tabs.page().is_none() => self.open_home(),
                None => {}
            },
        }
    }
}
