//! A line of input at the foot of the screen.

use std::path::PathBuf;
use std::sync::Arc;

use tui_input::{Input, InputRequest};

use super::pane::Incoming;
use super::transfers::DirectoryTransfer;
use super::write::What;
use crate::document::Document;
use crate::files::bookmarks::{Bookmarks, Draft};
use crate::keymap::Key;
use crate::text::Text;
use crate::url::folded;

use crossterm::event::KeyCode;

/// A line of input, and what it is for.
#[derive(Clone, Debug)]
pub struct Prompt {
    /// What is asked.
    pub wants: Wants,
    /// What is typed.
    pub input: Input,
    /// A sentence under the line: the server's words, a fault that Enter found.
    pub remark: Option<Text>,
}

/// What a line of input is for.
#[derive(Clone, Debug)]
pub enum Wants {
    /// A URL to open.
    Url,
    /// This page's URL, changed.
    Edited,
    /// Words to find in the page.
    Words,
    /// Words that the names of rows must hold to be shown.
    Filter,
    /// The words of a search, for the page on its way.
    Search(Incoming),
    /// A name to log in by, for the page on its way.
    Name(Incoming, String),
    /// A password, for the page on its way.
    Password(Incoming, String),
    /// An account beside a password, for the page on its way.
    Account(Incoming, String),
    /// The news server, for the page on its way.
    NewsServer(Incoming),
    /// Where to save what was asked for, and what it is called.
    Download(Incoming, String),
    /// Where to save a directory; this path is proposed.
    SaveDirectory(DirectoryTransfer, PathBuf),
    /// Where to save the page, and what it is called.
    Save(String),
    /// Where to save a file that an article holds, and what it is called.
    SaveFile(String, Box<Document>),
    /// By which name and address something is written.
    From(Box<What>),
    /// Words to find in the bookmarks.
    Bookmarks,
    /// The name of a new folder.
    NewFolder,
    /// Another name for a folder of these bookmarks.
    Rename(Bookmarks, usize),
    /// The tags of some of these bookmarks; those that are in use.
    Tags(Bookmarks, Vec<usize>, Arc<Vec<String>>),
    /// The note on one of these bookmarks.
    Note(Bookmarks, usize),
    /// The folder for these links.
    Links(Vec<Draft>),
}

/// What a key did to a line of input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Typed {
    /// It changed, or nothing happened.
    On,
    /// Enter.
    Done,
    /// Esc.
    Left,
}

impl Prompt {
    /// A prompt with this much typed already.
    pub fn new(wants: Wants, text: &str) -> Self {
        Self {
            wants,
            input: Input::new(text.to_owned()),
            remark: None,
        }
    }

    /// What stands before the input.
    pub fn label(&self) -> String {
        match &self.wants {
            Wants::Url | Wants::Edited => "Open".to_owned(),
            Wants::Words => "Find".to_owned(),
            Wants::Filter => "Filter".to_owned(),
            Wants::Search(incoming) => format!("{}:", incoming.title),
            Wants::Name(_, host) => format!("Name at {}:", Text::of(host)),
            Wants::Password(_, place) => format!("Password of {}:", Text::of(place)),
            Wants::Account(_, place) => format!("Account of {}:", Text::of(place)),
            Wants::NewsServer(_) => "News server:".to_owned(),
            Wants::Download(..) | Wants::Save(_) | Wants::SaveFile(..) => "Save as".to_owned(),
            Wants::SaveDirectory(..) => "Save directory as".to_owned(),
            Wants::From(_) => "From:".to_owned(),
            Wants::Bookmarks => "Find bookmarks".to_owned(),
            Wants::NewFolder => "New folder:".to_owned(),
            Wants::Rename(..) => "Name:".to_owned(),
            Wants::Tags(..) => "Tags:".to_owned(),
            Wants::Note(..) => "Note:".to_owned(),
            Wants::Links(_) => "Folder:".to_owned(),
        }
    }

    /// The page on its way that waits for the answer.
    pub fn incoming(&self) -> Option<&Incoming> {
        match &self.wants {
            Wants::Search(incoming)
            | Wants::Name(incoming, _)
            | Wants::Password(incoming, _)
            | Wants::Account(incoming, _)
            | Wants::NewsServer(incoming)
            | Wants::Download(incoming, _) => Some(incoming),
            Wants::Url
            | Wants::Edited
            | Wants::Words
            | Wants::Filter
            | Wants::SaveDirectory(..)
            | Wants::Save(_)
            | Wants::SaveFile(..)
            | Wants::From(_)
            | Wants::Bookmarks
            | Wants::NewFolder
            | Wants::Rename(..)
            | Wants::Tags(..)
            | Wants::Note(..)
            | Wants::Links(_) => None,
        }
    }

    /// Tags in use that what is typed at the end may become, the most used first.
    pub fn tags_meant(&self) -> impl Iterator<Item = &str> {
        let known = match &self.wants {
            Wants::Tags(_, _, known) => known.as_slice(),
            _ => &[],
        };
        let typed = self.input.value();
        let word = typed.rsplit(char::is_whitespace).next().unwrap_or_default();
        let word = word.trim_start_matches(['#', '-']).to_lowercase();
        let meant = move |tag: &&String| {
            let lower = tag.to_lowercase();
            lower.starts_with(&word) && lower != word
        };
        known.iter().filter(meant).map(String::as_str)
    }

    /// Completes the tag that is being typed; whether there is one to complete it to.
    fn complete_tag(&mut self) -> bool {
        let Some(tag) = self.tags_meant().next().map(str::to_owned) else {
            return false;
        };
        let typed = self.input.value();
        let start = typed.rfind(char::is_whitespace).map_or(0, |at| at + 1);
        let (before, word) = typed.split_at_checked(start).unwrap_or((typed, ""));
        let sign = if word.starts_with('-') { "-" } else { "" };
        self.input = Input::new(format!("{before}{sign}{tag} "));
        true
    }

    /// Whether what is typed must not be seen.
    pub fn is_secret(&self) -> bool {
        matches!(self.wants, Wants::Password(..) | Wants::Account(..))
    }

    /// What is typed where a URL is asked; nothing while nothing is.
    pub fn address(&self) -> Option<&str> {
        match self.wants {
            Wants::Url | Wants::Edited => Some(self.input.value()),
            Wants::Words
            | Wants::Filter
            | Wants::Search(_)
            | Wants::Name(..)
            | Wants::Password(..)
            | Wants::Account(..)
            | Wants::NewsServer(_)
            | Wants::Download(..)
            | Wants::SaveDirectory(..)
            | Wants::Save(_)
            | Wants::SaveFile(..)
            | Wants::From(_)
            | Wants::Bookmarks
            | Wants::NewFolder
            | Wants::Rename(..)
            | Wants::Tags(..)
            | Wants::Note(..)
            | Wants::Links(_) => None,
        }
        .filter(|typed| !typed.trim().is_empty())
    }

    /// Takes a key.
    pub fn key(&mut self, key: Key) -> Typed {
        if key.code() == Some(KeyCode::Enter) {
            return Typed::Done;
        }
        if key.leaves() {
            return Typed::Left;
        }
        let is_at_end = self.input.cursor() == self.input.value().chars().count();
        let completes = match key.code() {
            Some(KeyCode::Tab) => true,
            Some(KeyCode::Right) => is_at_end,
            _ => false,
        };
        if completes && self.complete_tag() {
            return Typed::On;
        }
        if edit(&mut self.input, key) {
            self.remark = None;
        }
        Typed::On
    }

    /// Takes pasted text: its first line.
    pub fn paste(&mut self, text: &str) {
        paste(&mut self.input, text);
    }
}

/// Puts the first line of a pasted text where the cursor is. One in brackets, as a URL over several lines is, is one line.
pub fn paste(input: &mut Input, text: &str) {
    let text = text.trim_start();
    let is_wrapped = text.starts_with('<') && text.trim_end().ends_with('>');
    let line = if is_wrapped {
        folded(text)
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

/// The keys of every line of input; whether it was one of them.
pub fn edit(input: &mut Input, key: Key) -> bool {
    let request = if let Some(letter) = key.typed() {
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
