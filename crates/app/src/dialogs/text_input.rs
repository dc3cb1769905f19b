//! Lines of input, and the commands that take their text.

use std::path::PathBuf;

use crossterm::event::KeyCode;
use geomys_load::{Request, line_limit};
use geomys_page::document::Document;
use geomys_page::document::find::SearchText;
use geomys_store::bookmarks::followed;
use geomys_store::bookmarks::{Bookmarks, NewBookmark, is_tag_separator};
use geomys_wire::text::Text;
use rfc1738::join_lines;
use tui_input::{Input, InputRequest};

use crate::PendingRequest;
use crate::compose::message::DraftKind;
use crate::dialogs::answer::with_line;
use crate::dialogs::palette::PaletteEntry;
use crate::dialogs::query_rows::{query_completions, with_completion};
use crate::dialogs::suggest::Suggestions;
use crate::keymap::Key;
use crate::transfers::message::PipeInput;
use crate::transfers::message::{DirectoryTransfer, SiteFile};
use crate::view::position::ScrollPosition;

/// The sign that stands for a line end in a line of input.
pub const LINE_END: char = '\u{2424}';

/// A line of input: the answer to a dialog that the user types.
#[derive(Clone, Debug)]
pub struct TextInput {
    /// The command for the typed text at Enter.
    pub command: InputCommand,
    /// The text that the user types.
    pub input: Input,
    /// A sentence under the line, until the user types: the server's text, or an error found at Enter.
    pub remark: Option<Text>,
    /// A sentence that stays beside the line.
    pub hint: Option<String>,
    /// True if the text must not be displayed.
    pub is_secret: bool,
    /// The texts that Tab inserts.
    pub completions: Completions,
    /// The suggestions for the text, from which the user can choose; `None` if there are never any.
    pub suggestions: Option<Suggestions>,
}

/// A command that takes the typed text.
#[derive(Clone, Debug)]
pub enum InputCommand {
    /// Open a URL.
    Open,
    /// Open an article by its number in the group, or by its Message-ID.
    Article,
    /// Search for words in the page, which was shown like this before.
    Find(Box<FindOrigin>),
    /// Filter the rows by the words that their names must contain.
    Filter,
    /// Mark the rows whose names match a pattern.
    MarkPattern,
    /// Add the text to a request that waits for it, and start the request again.
    Request(Box<PendingRequest>, RequestInput),
    /// Use a local path, or a program.
    Path(PathInput),
    /// Set the author's name and address, and continue this draft.
    Author(Box<DraftKind>),
    /// Change or search the bookmarks.
    Bookmarks(BookmarkInput),
    /// Give the client certificate with this name another one.
    RenameIdentity(String),
}

/// The texts that Tab, or Right at the end of the line, inserts.
#[derive(Clone, Debug)]
pub enum Completions {
    /// No completions.
    None,
    /// These tags complete the last typed word, the first match first.
    Tags(Vec<String>),
    /// The words of a query with a meaning, and these with values, complete the last typed word; only by Right, as Tab
    /// leads to the list.
    Query(Vec<String>),
    /// These names replace the text, one after the other.
    Names(Vec<String>),
    /// This text is inserted into the empty line.
    Proposal(&'static str),
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
#[derive(Clone, Copy, Debug)]
pub enum RequestInput {
    /// The words of a server search.
    Search,
    /// A line that the server asks for.
    Line,
    /// A line that the server asks for, and that must not be displayed.
    SecretLine,
    /// The name of a client certificate.
    Identity,
    /// A user name.
    UserName,
    /// A password.
    Password,
    /// An account besides the password.
    Account,
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
    /// A file that is made of a directory or a site. The string is its default name.
    Site(Box<Request>, String, SiteFile),
    /// A picture of the screen.
    Card,
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
    /// The path of a file to import.
    Import,
    /// The number of an earlier state to restore; these are listed.
    State(Vec<String>),
    /// A new name for a folder of these bookmarks.
    RenameFolder(Bookmarks, usize),
    /// The tags of some of these bookmarks.
    Tags(Bookmarks, Vec<usize>),
    /// The note on one of these bookmarks.
    Note(Bookmarks, usize),
    /// The folder for these links.
    LinkFolder(Vec<NewBookmark>),
}

/// The result of a key in a line of input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputEvent {
    /// The input goes on, changed or unchanged.
    Continue,
    /// The input was submitted with Enter.
    Submit,
    /// The input was cancelled with Esc.
    Cancel,
    /// The input is to be edited in the user's editor.
    Edit,
}

impl From<PathInput> for InputCommand {
    fn from(input: PathInput) -> Self {
        Self::Path(input)
    }
}

impl From<BookmarkInput> for InputCommand {
    fn from(input: BookmarkInput) -> Self {
        Self::Bookmarks(input)
    }
}

impl TextInput {
    /// Creates a line of input with this initial text.
    pub(crate) fn new(command: impl Into<InputCommand>, text: &str) -> Self {
        Self {
            command: command.into(),
            input: Input::new(text.to_owned()),
            remark: None,
            hint: None,
            is_secret: false,
            completions: Completions::None,
            suggestions: None,
        }
    }

    /// Creates an empty line of input for a part of a request; `remark` is a sentence under the line.
    pub(crate) fn for_request(
        pending: &PendingRequest,
        input: RequestInput,
        remark: Option<Text>,
    ) -> Self {
        let command = InputCommand::Request(Box::new(pending.clone()), input);
        Self {
            remark,
            ..Self::new(command, "")
        }
    }

    /// Returns the tags that complete the last typed word: those that follow first, then the most used. Only what was
    /// begun completes to a tag that follows.
    pub fn tag_completions(&self) -> impl Iterator<Item = &str> {
        let tags = match &self.completions {
            Completions::Tags(tags) => tags.as_slice(),
            _ => &[],
        };
        let typed = self.input.value();
        let word = typed.rsplit(is_tag_separator).next().unwrap_or_default();
        let word = word.trim_start_matches(['#', '-']).to_lowercase();
        let is_match = move |tag: &&String| {
            let lower = tag.to_lowercase();
            let is_begun = !word.is_empty() || followed::meaning(tag).is_none();
            is_begun && lower.starts_with(&word) && lower != word
        };
        tags.iter().filter(is_match).map(String::as_str)
    }

    /// Returns the words that complete the last typed one of a query, the first match first.
    pub fn query_completions(&self) -> Vec<String> {
        let Completions::Query(valued) = &self.completions else {
            return Vec::new();
        };
        query_completions(self.input.value(), valued)
    }

    /// Returns the completed text; `None` if there is no completion.
    fn completed(&self) -> Option<String> {
        let typed = self.input.value();
        match &self.completions {
            Completions::None => None,
            Completions::Tags(_) => {
                let tag = self.tag_completions().next()?;
                let start = typed.rfind(is_tag_separator).map_or(0, |at| at + 1);
                let (before, word) = typed.split_at_checked(start).unwrap_or((typed, ""));
                let sign = if word.starts_with('-') { "-" } else { "" };
                Some(format!("{before}{sign}{tag} "))
            }
            Completions::Query(_) => {
                let word = self.query_completions().into_iter().next()?;
                Some(with_completion(typed, &word))
            }
            Completions::Names(names) => {
                let next = match names.iter().position(|name| name == typed) {
                    Some(shown) => names.get(shown + 1).or_else(|| names.first()),
                    None => names.iter().find(|name| name.starts_with(typed)),
                };
                next.cloned()
            }
            Completions::Proposal(text) => typed.is_empty().then(|| (*text).to_owned()),
        }
    }

    /// Returns true for an answer that may have several lines.
    pub fn takes_lines(&self) -> bool {
        let InputCommand::Request(pending, RequestInput::Line | RequestInput::SecretLine) =
            &self.command
        else {
            return false;
        };
        line_limit(&pending.request).is_some()
    }

    /// Takes the text back from the user's editor, the end of each line but the last as [`LINE_END`].
    pub(crate) fn set_edited(&mut self, text: &str) {
        let lines: Vec<&str> = text.trim_end().lines().collect();
        let line = lines.join(&LINE_END.to_string()).replace('\t', " ");
        self.input = Input::new(line.chars().filter(|it| !it.is_control()).collect());
        self.remark = None;
        self.count();
    }

    /// Counts the octets of an answer, for a server that takes a limited number.
    pub(crate) fn count(&mut self) {
        let InputCommand::Request(pending, input) = &self.command else {
            return;
        };
        if !matches!(input, RequestInput::Line | RequestInput::SecretLine) {
            return;
        }
        let answered = with_line(&pending.request, *input, self.input.value()).ok();
        let limit = answered.as_ref().and_then(line_limit);
        self.hint = limit.map(|(bytes, most)| match most.checked_sub(bytes) {
            Some(left) => format!("{left} bytes left"),
            None => format!("{} bytes too many", bytes - most),
        });
    }

    /// Returns the chosen suggestion.
    pub fn suggested(&self) -> Option<&PaletteEntry> {
        self.suggestions.as_ref()?.entry()
    }

    /// Returns the typed URL; `None` if the line is not for one, and while it is empty.
    pub fn address(&self) -> Option<&str> {
        let is_url = matches!(self.command, InputCommand::Open);
        let typed = self.input.value();
        (is_url && !typed.trim().is_empty()).then_some(typed)
    }

    /// Handles a key.
    pub fn key(&mut self, key: Key) -> InputEvent {
        if self.takes_lines() && key.to_string() == "Alt-Enter" {
            self.input.handle(InputRequest::InsertChar(LINE_END));
            return InputEvent::Continue;
        }
        // A secret is written to no file.
        if self.takes_lines() && !self.is_secret && key.to_string() == "Alt-e" {
            return InputEvent::Edit;
        }
        if key.code() == Some(KeyCode::Enter) {
            return InputEvent::Submit;
        }
        if key.is_cancel() {
            return InputEvent::Cancel;
        }
        let is_at_end = self.input.cursor() == self.input.value().chars().count();
        let completes = match key.code() {
            Some(KeyCode::Tab) => !matches!(self.completions, Completions::Query(_)),
            Some(KeyCode::Right) => is_at_end,
            _ => false,
        };
        if completes && let Some(completed) = self.completed() {
            self.input = Input::new(completed);
            return InputEvent::Continue;
        }
        if edit(&mut self.input, key) {
            self.remark = None;
        }
        InputEvent::Continue
    }
}

/// Inserts the first line of pasted text at the cursor. Text in angle brackets, as a URL over several lines, is joined
/// to one line.
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
