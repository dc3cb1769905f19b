//! Prompts: lines of input at the bottom of the screen.

use std::path::PathBuf;
use std::sync::Arc;

use tui_input::{Input, InputRequest};

use crate::app::compose::DraftKind;
use crate::app::requester::PendingRequest;
use crate::app::transfers::DirectoryTransfer;
use crate::bookmarks::{Bookmarks, NewBookmark};
use crate::document::Document;
use crate::keymap::Key;
use crate::text::Text;
use crate::url::join_lines;

use crossterm::event::KeyCode;

/// A line of input and its purpose.
#[derive(Clone, Debug)]
pub struct Prompt {
    /// The purpose of the input.
    pub kind: PromptKind,
    /// The text that the user types.
    pub input: Input,
    /// A sentence under the line: the server's text, or an error found at Enter.
    pub remark: Option<Text>,
}

/// The purpose of a line of input.
#[derive(Clone, Debug)]
pub enum PromptKind {
    /// A URL to open.
    Url,
    /// The URL of this page, to be edited.
    EditUrl,
    /// Words to search for in the page.
    FindInPage,
    /// A filter for rows: the words that their names must contain.
    Filter,
    /// The words of a server search, for the pending page.
    Search(PendingRequest),
    /// A user name, for the pending page. The string is the host.
    UserName(PendingRequest, String),
    /// A password, for the pending page. The string is the login scope.
    Password(PendingRequest, String),
    /// An account besides the password, for the pending page. The string is the login scope.
    Account(PendingRequest, String),
    /// A news server, for the pending page.
    NewsServer(PendingRequest),
    /// The path for a download. The string is its default file name.
    Download(PendingRequest, String),
    /// The path for a directory. The path given is the proposal.
    SaveDirectory(DirectoryTransfer, PathBuf),
    /// The path for the page. The string is its default file name.
    SavePage(String),
    /// The path for an attachment of an article. The string is its default file name.
    SaveAttachment(String, Box<Document>),
    /// The author's name and address, for this draft.
    Author(Box<DraftKind>),
    /// Words to search for in the bookmarks.
    FindBookmarks,
    /// The name of a new folder.
    NewFolder,
    /// A new name for a folder of these bookmarks.
    RenameFolder(Bookmarks, usize),
    /// The tags of some of these bookmarks. The list has the tags in use.
    Tags(Bookmarks, Vec<usize>, Arc<Vec<String>>),
    /// The note on one of these bookmarks.
    Note(Bookmarks, usize),
    /// The folder for these links.
    LinkFolder(Vec<NewBookmark>),
}

/// The result of a key in a line of input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptEvent {
    /// The input goes on, changed or unchanged.
    Continue,
    /// The input was submitted with Enter.
    Submit,
    /// The input was cancelled with Esc.
    Cancel,
}

impl Prompt {
    /// Creates a prompt with this initial text.
    pub fn new(kind: PromptKind, text: &str) -> Self {
        Self {
            kind,
            input: Input::new(text.to_owned()),
            remark: None,
        }
    }

    /// Returns the label before the input.
    pub fn label(&self) -> String {
        match &self.kind {
            PromptKind::Url | PromptKind::EditUrl => "Open".to_owned(),
            PromptKind::FindInPage => "Find".to_owned(),
            PromptKind::Filter => "Filter".to_owned(),
            PromptKind::Search(pending) => format!("{}:", pending.title),
            PromptKind::UserName(_, host) => format!("Name at {}:", Text::of(host)),
            PromptKind::Password(_, scope) => format!("Password of {}:", Text::of(scope)),
            PromptKind::Account(_, scope) => format!("Account of {}:", Text::of(scope)),
            PromptKind::NewsServer(_) => "News server:".to_owned(),
            PromptKind::Download(..) | PromptKind::SavePage(_) | PromptKind::SaveAttachment(..) => {
                "Save as".to_owned()
            }
            PromptKind::SaveDirectory(..) => "Save directory as".to_owned(),
            PromptKind::Author(_) => "From:".to_owned(),
            PromptKind::FindBookmarks => "Find bookmarks".to_owned(),
            PromptKind::NewFolder => "New folder:".to_owned(),
            PromptKind::RenameFolder(..) => "Name:".to_owned(),
            PromptKind::Tags(..) => "Tags:".to_owned(),
            PromptKind::Note(..) => "Note:".to_owned(),
            PromptKind::LinkFolder(_) => "Folder:".to_owned(),
        }
    }

    /// Returns the pending page that waits for the answer.
    pub fn pending(&self) -> Option<&PendingRequest> {
        match &self.kind {
            PromptKind::Search(pending)
            | PromptKind::UserName(pending, _)
            | PromptKind::Password(pending, _)
            | PromptKind::Account(pending, _)
            | PromptKind::NewsServer(pending)
            | PromptKind::Download(pending, _) => Some(pending),
            PromptKind::Url
            | PromptKind::EditUrl
            | PromptKind::FindInPage
            | PromptKind::Filter
            | PromptKind::SaveDirectory(..)
            | PromptKind::SavePage(_)
            | PromptKind::SaveAttachment(..)
            | PromptKind::Author(_)
            | PromptKind::FindBookmarks
            | PromptKind::NewFolder
            | PromptKind::RenameFolder(..)
            | PromptKind::Tags(..)
            | PromptKind::Note(..)
            | PromptKind::LinkFolder(_) => None,
        }
    }

    /// Returns the tags in use that complete the last typed word, the most used first.
    pub fn tag_completions(&self) -> impl Iterator<Item = &str> {
        let tags = match &self.kind {
            PromptKind::Tags(_, _, tags) => tags.as_slice(),
            _ => &[],
        };
        let typed = self.input.value();
        let word = typed.rsplit(char::is_whitespace).next().unwrap_or_default();
        let word = word.trim_start_matches(['#', '-']).to_lowercase();
        let is_match = move |tag: &&String| {
            let lower = tag.to_lowercase();
            lower.starts_with(&word) && lower != word
        };
        tags.iter().filter(is_match).map(String::as_str)
    }

    /// Completes the tag that is being typed. Returns true if there was a completion.
    fn complete_tag(&mut self) -> bool {
        let Some(tag) = self.tag_completions().next().map(str::to_owned) else {
            return false;
        };
        let typed = self.input.value();
        let start = typed.rfind(char::is_whitespace).map_or(0, |at| at + 1);
        let (before, word) = typed.split_at_checked(start).unwrap_or((typed, ""));
        let sign = if word.starts_with('-') { "-" } else { "" };
        self.input = Input::new(format!("{before}{sign}{tag} "));
        true
    }

    /// Returns true if the input must not be displayed.
    pub fn is_secret(&self) -> bool {
        matches!(
            self.kind,
            PromptKind::Password(..) | PromptKind::Account(..)
        )
    }

    /// Returns the typed URL; `None` in other prompts, and while the input is empty.
    pub fn address(&self) -> Option<&str> {
        match self.kind {
            PromptKind::Url | PromptKind::EditUrl => Some(self.input.value()),
            PromptKind::FindInPage
            | PromptKind::Filter
            | PromptKind::Search(_)
            | PromptKind::UserName(..)
            | PromptKind::Password(..)
            | PromptKind::Account(..)
            | PromptKind::NewsServer(_)
            | PromptKind::Download(..)
            | PromptKind::SaveDirectory(..)
            | PromptKind::SavePage(_)
            | PromptKind::SaveAttachment(..)
            | PromptKind::Author(_)
            | PromptKind::FindBookmarks
            | PromptKind::NewFolder
            | PromptKind::RenameFolder(..)
            | PromptKind::Tags(..)
            | PromptKind::Note(..)
            | PromptKind::LinkFolder(_) => None,
        }
        .filter(|typed| !typed.trim().is_empty())
    }

    /// Handles a key.
    pub fn key(&mut self, key: Key) -> PromptEvent {
        if key.code() == Some(KeyCode::Enter) {
            return PromptEvent::Submit;
        }
        if key.is_cancel() {
            return PromptEvent::Cancel;
        }
        let is_at_end = self.input.cursor() == self.input.value().chars().count();
        let completes = match key.code() {
            Some(KeyCode::Tab) => true,
            Some(KeyCode::Right) => is_at_end,
            _ => false,
        };
        if completes && self.complete_tag() {
            return PromptEvent::Continue;
        }
        if edit(&mut self.input, key) {
            self.remark = None;
        }
        PromptEvent::Continue
    }

    /// Inserts the first line of pasted text.
    pub fn paste(&mut self, text: &str) {
        paste(&mut self.input, text);
    }
}

/// Inserts the first line of pasted text at the cursor. Text in angle brackets, as a URL over several lines, is joined to
/// one line.
pub fn paste(input: &mut Input, text: &str) {
    let text = text.trim_start();
    let is_wrapped = text.starts_with('<') && text.trim_end().ends_with('>');
    let line = if is_wrapped {
        join_lines(text)
    } else {
        text.into()
    };
    for letter in line
        .chars()
        .take_while(|letter| !matches!(letter, '\r' | '\n'))
    {
        if !letter.is_control() {
            input.handle(InputRequest::InsertChar(letter));
        }
    }
}

/// Handles the editing keys of a line of input. Returns true if the key was one of them.
pub fn edit(input: &mut Input, key: Key) -> bool {
    let request = if let Some(letter) = key.character() {
        InputRequest::InsertChar(letter)
    } else {
        match key.to_string().as_str() {
            "Backspace" => InputRequest::DeletePrevChar,
            "Delete" | "Ctrl-D" => InputRequest::DeleteNextChar,
            "Left" | "Ctrl-B" => InputRequest::GoToPrevChar,
            "Right" | "Ctrl-F" => InputRequest::GoToNextChar,
            "Ctrl-Left" | "Alt-b" => InputRequest::GoToPrevWord,
            "Ctrl-Right" | "Alt-f" => InputRequest::GoToNextWord,
            "Home" | "Ctrl-A" => InputRequest::GoToStart,
            "End" | "Ctrl-E" => InputRequest::GoToEnd,
            "Ctrl-W" | "Alt-Backspace" => InputRequest::DeletePrevWord,
            "Ctrl-K" => InputRequest::DeleteTillEnd,
            "Ctrl-U" => InputRequest::DeleteLine,
            _ => return false,
        }
    };
    input.handle(request);
    true
}
