//! The form of a bookmark: title, URL, folder and tags, the URL judged while it is typed.

use crossterm::event::KeyCode;
use tui_input::Input;

use super::prompt::{Typed, edit};
use crate::files::bookmarks::{Bookmarks, Draft};
use crate::keymap::Key;
use crate::url::{Guesses, ParseError, Url, typed};

/// The fields, in the order in which they stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// What it is called.
    Title,
    /// Its URL.
    Url,
    /// Its folder, the outermost first, `/` between.
    Folder,
    /// Its tags, blanks between.
    Tags,
}

impl Field {
    /// All fields.
    pub const ALL: [Self; 4] = [Self::Title, Self::Url, Self::Folder, Self::Tags];

    /// What stands before it.
    pub fn label(self) -> &'static str {
        match self {
            Self::Title => "Title",
            Self::Url => "URL",
            Self::Folder => "Folder",
            Self::Tags => "Tags",
        }
    }
}

/// A bookmark while it is made or changed.
#[derive(Clone, Debug)]
pub struct Form {
    /// The line of the bookmark that is changed; a new one has none.
    pub line: Option<usize>,
    /// The field that takes keys.
    pub field: Field,
    title: Input,
    url: Input,
    folder: Input,
    tags: Input,
}

impl Form {
    /// A form with this in it.
    pub fn new(
        line: Option<usize>,
        title: &str,
        url: &str,
        folder: &[String],
        tags: &[String],
    ) -> Self {
        Self {
            line,
            field: Field::Title,
            title: Input::new(title.to_owned()),
            url: Input::new(url.to_owned()),
            folder: Input::new(folder.join("/")),
            tags: Input::new(tags.join(" ")),
        }
    }

    /// A field's input.
    pub fn input(&self, field: Field) -> &Input {
        match field {
            Field::Title => &self.title,
            Field::Url => &self.url,
            Field::Folder => &self.folder,
            Field::Tags => &self.tags,
        }
    }

    /// The input of the field that takes keys.
    pub fn input_mut(&mut self) -> &mut Input {
        match self.field {
            Field::Title => &mut self.title,
            Field::Url => &mut self.url,
            Field::Folder => &mut self.folder,
            Field::Tags => &mut self.tags,
        }
    }

    /// The URL, or what is wrong with it.
    pub fn url(&self) -> Result<Url, ParseError> {
        typed(self.url.value(), Guesses::default())
    }

    /// The bookmark that is in the form; `bookmarks` know the folders there are.
    ///
    /// # Errors
    /// The URL's [`ParseError`].
    pub fn draft(&self, bookmarks: &Bookmarks) -> Result<Draft, ParseError> {
        let tags = self
            .tags
            .value()
            .split_whitespace()
            .map(|tag| tag.trim_start_matches('#'));
        Ok(Draft {
            title: self.title.value().trim().to_owned(),
            url: self.url()?,
            folder: bookmarks.folder_named(self.folder.value()),
            tags: tags
                .filter(|tag| !tag.is_empty())
                .map(str::to_owned)
                .collect(),
        })
    }

    /// Takes a key: Tab and the arrows change the field, Enter is done.
    pub fn key(&mut self, key: Key) -> Typed {
        match key.code() {
            Some(KeyCode::Enter) => return Typed::Done,
            Some(KeyCode::Esc) => return Typed::Left,
            Some(KeyCode::Tab | KeyCode::Down) => self.turn(1),
            Some(KeyCode::BackTab | KeyCode::Up) => self.turn(Field::ALL.len() - 1),
            _ if Some(key) == Key::parse("Ctrl-C") => return Typed::Left,
            _ => {
                edit(self.input_mut(), key);
            }
        }
        Typed::On
    }

    fn turn(&mut self, by: usize) {
        let at = Field::ALL
            .iter()
            .position(|field| *field == self.field)
            .unwrap_or(0);
        if let Some(field) = Field::ALL.get((at + by) % Field::ALL.len()) {
            self.field = *field;
        }
    }
}
