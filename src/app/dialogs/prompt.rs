//! Prompts: lines of input at the bottom of the screen.

use std::path::PathBuf;
use std::sync::Arc;

use crossterm::event::KeyCode;
use tui_input::{Input, InputRequest};

use crate::app::PendingRequest;
use crate::app::compose::kind::DraftKind;
use crate::app::dialogs::suggest::Suggestions;
use crate::app::tabs::position::ScrollPosition;
use crate::app::transfers::message::DirectoryTransfer;
use crate::app::transfers::message::PipeInput;
use crate::bookmarks::{Bookmarks, NewBookmark, is_tag_separator};
use crate::document::Document;
use crate::document::find::SearchText;
use crate::keymap::Key;
use crate::load::Request;
use crate::text::Text;
use crate::url::join_lines;

/// The news server that anyone may read without a login.
const PUBLIC_NEWS_SERVER: &str = "news.gmane.io";

/// A line of input and its purpose.
#[derive(Clone, Debug)]
pub struct Prompt {
    /// The purpose of the input.
    pub kind: PromptKind,
    /// The text that the user types.
    pub input: Input,
    /// A sentence under the line: the server's text, or an error found at Enter.
    pub remark: Option<Text>,
    /// The suggestions for a URL.
    pub suggestions: Suggestions,
}

/// The purpose of a line of input.
#[derive(Clone, Debug)]
pub enum PromptKind {
    /// A URL to open.
    Url,
    /// The URL of this page, to be edited.
    EditUrl,
    /// Words to search for in the page, and the page before the search.
    FindInPage(Box<FindOrigin>),
    /// A filter for rows: the words that their names must contain.
    Filter,
    /// A part of a request that waits for it.
    Request(Box<PendingRequest>, RequestInput),
    /// The local path of a file or a directory.
    Path(PathInput),
    /// The author's name and address, for this draft.
    Author(Box<DraftKind>),
    /// A part of the bookmarks.
    Bookmarks(BookmarkInput),
}

/// The page before a search: Esc returns to it.
#[derive(Clone, Debug)]
pub struct FindOrigin {
    /// The cursor and the scroll position.
    pub position: ScrollPosition,
    /// The words of the search before.
    pub needle: Option<SearchText>,
}

/// The part of a request that the user types.
#[derive(Clone, Debug)]
pub enum RequestInput {
    /// The words of a server search.
    Search,
    /// A line that the server asks for.
    Line {
        /// True if it must not be displayed.
        is_secret: bool,
    },
    /// The name of a client certificate.
    Identity {
        /// `host:port`.
        authority: String,
        /// The names of the stored certificates: Tab inserts one after the other.
        names: Vec<String>,
    },
    /// A user name. The string is the host.
    UserName(String),
    /// A password. The string is the login scope.
    Password(String),
    /// An account besides the password. The string is the login scope.
    Account(String),
    /// A news server.
    NewsServer,
}

/// The purpose of a path or a command that the user types.
#[derive(Clone, Debug)]
pub enum PathInput {
    /// A download. The string is its default file name.
    Download(Box<PendingRequest>, String),
    /// A download whose treatment of an existing file is asked for next. The string is its default file name.
    DownloadAs(Box<Request>, String),
    /// A directory transfer. The path given is the proposal.
    Directory(DirectoryTransfer, PathBuf),
    /// The shown page. The string is its default file name.
    Page(String),
    /// An attachment of an article. The string is its default file name.
    Attachment(String, Box<Document>),
    /// A program, with its arguments, that these pages are piped to.
    Pipe(Vec<PipeInput>),
}

/// The part of the bookmarks that the user types.
#[derive(Clone, Debug)]
pub enum BookmarkInput {
    /// Words to search for in the bookmarks.
    Filter,
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
            suggestions: Suggestions::default(),
        }
    }

    /// Creates a prompt for a part of a request; `remark` is a sentence under the line.
    pub(crate) fn for_request(
        pending: PendingRequest,
        input: RequestInput,
        remark: Option<Text>,
    ) -> Self {
        let kind = PromptKind::Request(Box::new(pending), input);
        Self {
            remark,
            ..Self::new(kind, "")
        }
    }

    /// Returns the label before the input.
    pub fn label(&self) -> String {
        let label = match &self.kind {
            PromptKind::Url | PromptKind::EditUrl => "Open",
            PromptKind::FindInPage(_) => "Find",
            PromptKind::Filter => "Filter",
            PromptKind::Request(pending, input) => {
                return match input {
                    RequestInput::Search => format!("{}:", pending.title),
                    RequestInput::Line { .. } => "Answer:".to_owned(),
                    RequestInput::Identity { authority, .. } => {
                        format!("Certificate for {}:", Text::of(authority))
                    }
                    RequestInput::UserName(host) => format!("Name at {}:", Text::of(host)),
                    RequestInput::Password(scope) => format!("Password of {}:", Text::of(scope)),
                    RequestInput::Account(scope) => format!("Account of {}:", Text::of(scope)),
                    RequestInput::NewsServer => "News server:".to_owned(),
                };
            }
            PromptKind::Path(PathInput::Directory(..)) => "Save directory as",
            PromptKind::Path(
                PathInput::Download(..)
                | PathInput::DownloadAs(..)
                | PathInput::Page(_)
                | PathInput::Attachment(..),
            ) => "Save as",
            PromptKind::Path(PathInput::Pipe(_)) => "Pipe to",
            PromptKind::Author(_) => "From:",
            PromptKind::Bookmarks(input) => match input {
                BookmarkInput::Filter => "Find bookmarks",
                BookmarkInput::NewFolder => "New folder:",
                BookmarkInput::RenameFolder(..) => "Name:",
                BookmarkInput::Tags(..) => "Tags:",
                BookmarkInput::Note(..) => "Note:",
                BookmarkInput::LinkFolder(_) => "Folder:",
            },
        };
        label.to_owned()
    }

    /// Returns the request that waits for the answer.
    pub fn pending(&self) -> Option<&PendingRequest> {
        match &self.kind {
            PromptKind::Request(pending, _) | PromptKind::Path(PathInput::Download(pending, _)) => {
                Some(pending)
            }
            PromptKind::Url
            | PromptKind::EditUrl
            | PromptKind::FindInPage(_)
            | PromptKind::Filter
            | PromptKind::Path(_)
            | PromptKind::Author(_)
            | PromptKind::Bookmarks(_) => None,
        }
    }

    /// Returns the tags in use that complete the last typed word, the most used first.
    pub fn tag_completions(&self) -> impl Iterator<Item = &str> {
        let tags = match &self.kind {
            PromptKind::Bookmarks(BookmarkInput::Tags(_, _, tags)) => tags.as_slice(),
            _ => &[],
        };
        let typed = self.input.value();
        let word = typed.rsplit(is_tag_separator).next().unwrap_or_default();
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
        let start = typed.rfind(is_tag_separator).map_or(0, |at| at + 1);
        let (before, word) = typed.split_at_checked(start).unwrap_or((typed, ""));
        let sign = if word.starts_with('-') { "-" } else { "" };
        self.input = Input::new(format!("{before}{sign}{tag} "));
        true
    }

    /// Inserts the public news server into an empty prompt for one. Returns true if it did.
    fn complete_news_server(&mut self) -> bool {
        let is_asked = matches!(self.kind, PromptKind::Request(_, RequestInput::NewsServer));
        let inserts = is_asked && self.input.value().is_empty();
        if inserts {
            self.input = Input::new(PUBLIC_NEWS_SERVER.to_owned());
        }
        inserts
    }

    /// Inserts the name of the next stored certificate into a prompt for one. Returns true if it did.
    fn complete_identity(&mut self) -> bool {
        let PromptKind::Request(_, RequestInput::Identity { names, .. }) = &self.kind else {
            return false;
        };
        let typed = self.input.value();
        let shown = names.iter().position(|name| name == typed);
        let next = match shown {
            Some(shown) => names.get(shown + 1).or_else(|| names.first()),
            None => names.iter().find(|name| name.starts_with(typed)),
        };
        let next = next.cloned();
        if let Some(name) = &next {
            self.input = Input::new(name.clone());
        }
        next.is_some()
    }

    /// Returns true if the input must not be displayed.
    pub fn is_secret(&self) -> bool {
        matches!(
            self.kind,
            PromptKind::Request(
                _,
                RequestInput::Password(_)
                    | RequestInput::Account(_)
                    | RequestInput::Line { is_secret: true }
            )
        )
    }

    /// Returns the typed URL; `None` in other prompts, and while the input is empty.
    pub fn address(&self) -> Option<&str> {
        let is_url = matches!(self.kind, PromptKind::Url | PromptKind::EditUrl);
        let typed = self.input.value();
        (is_url && !typed.trim().is_empty()).then_some(typed)
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
        if completes
            && (self.complete_tag() || self.complete_news_server() || self.complete_identity())
        {
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
