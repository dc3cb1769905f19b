//! The form of a bookmark: title, URL, folder, tags and note, the URL judged while it is typed.

use crossterm::event::KeyCode;
use tui_input::Input;

use super::note::{note_lines, note_typed};
use super::prompt::{Typed, edit};
use crate::files::bookmarks::{Bookmark, Bookmarks, on_one_line};
use crate::keymap::Key;
use crate::url::{Guesses, ParseError, Url, meant, typed};

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
    /// Its note; ` | ` between two lines.
    Note,
}

impl Field {
    /// All fields.
    pub const ALL: [Self; 5] = [Self::Title, Self::Url, Self::Folder, Self::Tags, Self::Note];

    /// What stands before it.
    pub fn label(self) -> &'static str {
        match self {
            Self::Title => "Title",
            Self::Url => "URL",
            Self::Folder => "Folder",
            Self::Tags => "Tags",
            Self::Note => "Note",
        }
    }
}

/// What a form begins with.
#[derive(Clone, Debug, Default)]
pub struct Filled {
    /// What it is called.
    pub title: String,
    /// Its URL, as it is or as it stands in the file.
    pub url: String,
    /// Its folder, outermost name first.
    pub folder: Vec<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// The lines of its note.
    pub notes: Vec<String>,
}

/// How sure a person is of what the form says against the URL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Insisting {
    /// Nothing was said yet.
    #[default]
    No,
    /// It was said that the URL has a fault: Enter again saves it as it is.
    OnFault,
    /// The URL was encoded so that it can stand in the file: Enter saves it as it is shown now.
    Encoded,
    /// That there is another bookmark to the same place: both are kept.
    OnBoth,
}

/// A bookmark while it is made or changed.
#[derive(Clone, Debug)]
pub struct Form {
    /// The bookmark that is changed, by its index in the bookmarks as they were; a new one has none.
    pub of: Option<(Bookmarks, usize)>,
    /// The field that takes keys.
    pub field: Field,
    /// What a person insists on.
    pub insisting: Insisting,
    inputs: [Input; 5],
    /// What was filled in, in the order of the fields, to leave alone what is not touched.
    before: [String; 5],
    /// The folders that there are, and the tags, to complete what is typed.
    folders: Vec<String>,
    tags: Vec<String>,
}

impl Form {
    /// A form for a bookmark of these, or for a new one, with this in it.
    pub fn new(bookmarks: &Bookmarks, of: Option<usize>, filled: Filled) -> Self {
        let note = note_typed(filled.notes.iter().map(String::as_str));
        let texts = [
            filled.title,
            filled.url,
            filled.folder.join("/"),
            filled.tags.join(" "),
            note,
        ];
        let folders = bookmarks.folders().map(|folder| folder.path().join("/"));
        Self {
            of: of.map(|index| (bookmarks.clone(), index)),
            field: Field::Title,
            insisting: Insisting::No,
            before: texts.clone(),
            inputs: texts.map(Input::new),
            folders: folders.collect(),
            tags: bookmarks.tags_in_use(),
        }
    }

    /// A field's input.
    pub fn input(&self, field: Field) -> &Input {
        let [title, url, folder, tags, note] = &self.inputs;
        match field {
            Field::Title => title,
            Field::Url => url,
            Field::Folder => folder,
            Field::Tags => tags,
            Field::Note => note,
        }
    }

    /// The input of the field that takes keys.
    pub fn input_mut(&mut self) -> &mut Input {
        let [title, url, folder, tags, note] = &mut self.inputs;
        match self.field {
            Field::Title => title,
            Field::Url => url,
            Field::Folder => folder,
            Field::Tags => tags,
            Field::Note => note,
        }
    }

    fn value(&self, field: Field) -> &str {
        self.input(field).value()
    }

    /// The bookmark that is changed, as it was.
    pub fn bookmark(&self) -> Option<Bookmark<'_>> {
        let (bookmarks, index) = self.of.as_ref()?;
        bookmarks.bookmark(*index)
    }

    /// The URL, or what is wrong with it.
    pub fn url(&self) -> Result<Url, ParseError> {
        typed(self.value(Field::Url), Guesses::default())
    }

    /// The URL as it is typed, in the spelling in which it can stand in the file.
    pub fn written(&self) -> String {
        on_one_line(&meant(self.value(Field::Url), Guesses::default()))
    }

    /// Whether the URL is the one of the bookmark that is edited: it stays as it stands in the file, fault or not.
    pub fn keeps_url(&self) -> bool {
        self.of.is_some() && !self.is_touched(Field::Url)
    }

    /// Puts another URL into the form.
    pub fn set_url(&mut self, url: &str) {
        let [_, input, ..] = &mut self.inputs;
        *input = Input::new(url.to_owned());
        self.insisting = Insisting::No;
    }

    /// What it is called.
    pub fn title(&self) -> &str {
        self.value(Field::Title).trim()
    }

    /// The folder that is in the form, outermost name first; `bookmarks` know the folders there are.
    pub fn folder(&self, bookmarks: &Bookmarks) -> Vec<String> {
        bookmarks.folder_named(self.value(Field::Folder))
    }

    /// Its tags, without the `#`.
    pub fn tags(&self) -> Vec<String> {
        let tags = self.value(Field::Tags).split_whitespace();
        let tags = tags.map(|tag| tag.trim_start_matches('#'));
        tags.filter(|tag| !tag.is_empty())
            .map(str::to_owned)
            .collect()
    }

    /// Its tags; nothing when they were not touched.
    pub fn new_tags(&self) -> Option<Vec<String>> {
        self.is_touched(Field::Tags).then(|| self.tags())
    }

    /// Its folder; nothing when it was not touched.
    pub fn new_folder(&self, bookmarks: &Bookmarks) -> Option<Vec<String>> {
        let is_touched = self.is_touched(Field::Folder);
        is_touched.then(|| self.folder(bookmarks))
    }

    /// The lines of its note; nothing when it was not touched.
    pub fn notes(&self) -> Option<Vec<String>> {
        let typed = self.value(Field::Note);
        self.is_touched(Field::Note).then(|| note_lines(typed))
    }

    fn is_touched(&self, field: Field) -> bool {
        let [title, url, folder, tags, note] = &self.before;
        let before = match field {
            Field::Title => title,
            Field::Url => url,
            Field::Folder => folder,
            Field::Tags => tags,
            Field::Note => note,
        };
        before != self.value(field)
    }

    /// What is still to come of what would complete the field that takes keys: a folder that there is, a tag in use.
    pub fn completion(&self) -> Option<&str> {
        let (begun, name) = self.completed()?;
        name.get(begun.len()..)
    }

    /// What is begun in the field that takes keys, and what would complete it.
    fn completed(&self) -> Option<(&str, &str)> {
        let input = self.input(self.field);
        if input.cursor() < input.value().chars().count() {
            return None;
        }
        let (begun, known) = match self.field {
            Field::Title | Field::Url | Field::Note => return None,
            Field::Folder => (input.value().trim_start(), &self.folders),
            Field::Tags => {
                let word = input.value().rsplit(char::is_whitespace).next()?;
                (word.trim_start_matches('#'), &self.tags)
            }
        };
        let longer = |name: &&String| name.len() > begun.len();
        let mut known = known.iter().filter(longer);
        let name = known.find(|name| {
            let start = name.get(..begun.len());
            start.is_some_and(|start| {
                !begun.is_empty() && start.to_lowercase() == begun.to_lowercase()
            })
        });
        Some((begun, name?))
    }

    /// Takes a key: Tab and the arrows change the field, Enter is done, Right at the end completes.
    pub fn key(&mut self, key: Key) -> Typed {
        match key.code() {
            Some(KeyCode::Enter) => return Typed::Done,
            Some(KeyCode::Esc) => return Typed::Left,
            Some(KeyCode::Tab | KeyCode::Down) => self.turn(1),
            Some(KeyCode::BackTab | KeyCode::Up) => self.turn(Field::ALL.len() - 1),
            Some(KeyCode::Right | KeyCode::End) if self.completion().is_some() => self.complete(),
            _ if key.leaves() => return Typed::Left,
            _ => {
                if edit(self.input_mut(), key) {
                    self.insisting = Insisting::No;
                }
            }
        }
        Typed::On
    }

    fn complete(&mut self) {
        let Some((begun, name)) = self.completed() else {
            return;
        };
        // In the letters of the name, capital or small, and not in those that were typed.
        let typed = self.value(self.field);
        let before = typed.len() - begun.len();
        let before = typed.get(..before).unwrap_or_default();
        let end = if self.field == Field::Tags { " " } else { "" };
        let completed = Input::new(format!("{before}{name}{end}"));
        *self.input_mut() = completed;
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
