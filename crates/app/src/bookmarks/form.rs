//! The form for a bookmark: title, URL, folder, tags and note, and the rows to follow it, which write its tags. The URL
//! is checked while it is typed.

use crossterm::event::KeyCode;
use geomys_store::bookmarks::followed;
use geomys_store::bookmarks::{
    Bookmark, BookmarkEdit, Bookmarks, Change, InsertPosition, NewBookmark, is_tag_separator,
    on_one_line,
};
use geomys_wire::net::compared_url;
use geomys_wire::text::{self, Text};
use rfc1738::{Guesses, ParseError, Url, expand_typed, links_in_text, parse_typed};
use tui_input::Input;

use crate::bookmarks::bulk_edit::{item_name, tags_of};
use crate::bookmarks::note::{note_lines, note_typed};
use crate::dialogs::text_input::{InputEvent, edit, paste};
use crate::keymap::Key;

/// A field of the form, in the order on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// The title of the bookmark.
    Title,
    /// The URL.
    Url,
    /// The path of the folder, outermost first, separated by `/`.
    Folder,
    /// The tags, separated by blanks or commas.
    Tags,
    /// The note; its lines are separated by ` | `.
    Note,
    /// The box that follows the bookmark: another view of the tags, as is the next.
    Follow,
    /// The depth to which it is followed.
    Depth,
}

impl Field {
    /// All fields with a text.
    pub const TEXTS: [Self; 5] = [Self::Title, Self::Url, Self::Folder, Self::Tags, Self::Note];

    /// Returns the label of the field.
    pub fn label(self) -> &'static str {
        match self {
            Self::Title => "Title",
            Self::Url => "URL",
            Self::Folder => "Folder",
            Self::Tags => "Tags",
            Self::Note => "Note",
            Self::Follow => "Follow",
            Self::Depth => "Depth",
        }
    }

    /// Returns the value of this field from those of all texts; for the rows that follow, that of the tags.
    fn of<T>(self, [title, url, folder, tags, note]: [T; 5]) -> T {
        match self {
            Self::Title => title,
            Self::Url => url,
            Self::Folder => folder,
            Self::Tags | Self::Follow | Self::Depth => tags,
            Self::Note => note,
        }
    }
}

/// The initial values of a form.
#[derive(Clone, Debug, Default)]
pub struct BookmarkFields {
    /// The title of the bookmark.
    pub title: String,
    /// The URL, normalized or as written in the file.
    pub url: String,
    /// The path of the folder, outermost name first.
    pub folder: Vec<String>,
    /// The tags.
    pub tags: Vec<String>,
    /// The lines of the note.
    pub notes: Vec<String>,
}

impl BookmarkFields {
    /// Returns the values of a bookmark, without its folder.
    pub(super) fn of(bookmark: &Bookmark<'_>) -> Self {
        let url = bookmark.url();
        Self {
            title: bookmark.title().as_str().to_owned(),
            url: url.map_or_else(|_| bookmark.url_text().to_string(), |url| url.to_string()),
            folder: Vec::new(),
            tags: tags_of(bookmark),
            notes: bookmark.notes().iter().map(Text::to_string).collect(),
        }
    }

    /// Returns the values of a text that is one bookmark of the file, with a title before its URL; `None` for another
    /// text.
    fn of_lines(text: &str) -> Option<Self> {
        let parsed = Bookmarks::parse(text.trim().as_bytes());
        let mut bookmarks = parsed.bookmarks();
        let fields = Self::of(&bookmarks.next()?);
        (bookmarks.next().is_none() && !fields.title.trim().is_empty()).then_some(fields)
    }
}

/// The warning that was shown for the form. The next Enter saves the bookmark in spite of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FormWarning {
    /// No warning was shown yet.
    #[default]
    None,
    /// The URL has a fault: the next Enter saves it unchanged.
    InvalidUrl,
    /// The URL was encoded for the file: the next Enter saves it as shown.
    EncodedUrl,
    /// Another bookmark has the same address, and the user wants both.
    Duplicate,
}

/// The part of a form that asks whether a page is followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FollowRow {
    /// The last row: the page may be of any kind.
    #[default]
    Last,
    /// The second row: the page lists entries, and probably is to be followed.
    Second,
}

/// The form for a new or an edited bookmark.
#[derive(Clone, Debug)]
pub struct BookmarkForm {
    /// The edited bookmark, by its index in the bookmarks when the form was opened; `None` for a new one.
    pub edited: Option<(Bookmarks, usize)>,
    /// The field with the focus.
    pub field: Field,
    /// The last warning that was shown.
    pub warning: FormWarning,
    /// True once the user has said what a mistyped tag means.
    pub is_tag_confirmed: bool,
    follow_row: FollowRow,
    inputs: [Input; 5],
    /// The initial texts in the order of the fields; unchanged fields are not written.
    before: [String; 5],
    /// The existing folders and tags, for completion.
    folders: Vec<String>,
    tags: Vec<String>,
}

impl BookmarkForm {
    /// Creates a form for an existing bookmark or for a new one, with initial values.
    pub fn new(bookmarks: &Bookmarks, edited: Option<usize>, filled: BookmarkFields) -> Self {
        let note = note_typed(filled.notes.iter().map(String::as_str));
        let texts = [
            filled.title,
            filled.url,
            filled.folder.join("/"),
            filled.tags.join(" "),
            note,
        ];
        let folders = bookmarks.folder_paths('/').into_iter();
        let folders = folders.filter(|path| !path.is_empty());
        Self {
            edited: edited.map(|index| (bookmarks.clone(), index)),
            field: Field::Title,
            warning: FormWarning::None,
            is_tag_confirmed: false,
            follow_row: FollowRow::Last,
            before: texts.clone(),
            inputs: texts.map(Input::new),
            folders: folders.collect(),
            tags: followed::with_special_tags(bookmarks.tags_in_use()),
        }
    }

    /// Puts the row that follows the page where the user looks for it.
    pub(super) fn with_follow_row(mut self, follow_row: FollowRow) -> Self {
        self.follow_row = follow_row;
        self
    }

    /// Returns the fields from top to bottom.
    pub fn fields(&self) -> Vec<Field> {
        let mut fields = Field::TEXTS.to_vec();
        let at = match self.follow_row {
            FollowRow::Second => 1,
            FollowRow::Last => fields.len(),
        };
        let depth = self.depth().map(|_| Field::Depth);
        fields.splice(at..at, [Field::Follow].into_iter().chain(depth));
        fields
    }

    /// Returns the depth to which the bookmark will be followed, by its tags; `None` if it will not be followed.
    pub fn depth(&self) -> Option<u8> {
        followed::depth_of_tags(self.tags().iter().map(String::as_str))
    }

    /// Returns the depth to which the bookmark was followed when the form was opened.
    pub(super) fn depth_before(&self) -> Option<u8> {
        let tags = self.bookmark().map(|bookmark| tags_of(&bookmark));
        followed::depth_of_tags(tags.unwrap_or_default().iter().map(String::as_str))
    }

    /// Sets the depth in the tags.
    pub(super) fn set_depth(&mut self, depth: Option<u8>) {
        let mut tags = self.tags();
        followed::set_depth(&mut tags, depth);
        self.set_tags(&tags);
    }

    fn set_tags(&mut self, tags: &[String]) {
        let [_, _, _, input, _] = &mut self.inputs;
        *input = Input::new(tags.join(" "));
    }

    /// Returns a typed tag that no bookmark has yet and that probably means to follow, and the depth.
    pub(super) fn near_miss(&self) -> Option<(String, u8)> {
        let typed = self.tags().into_iter();
        let mut new = typed.filter(|tag| !self.tags.contains(tag));
        new.find_map(|tag| Some((tag.clone(), followed::near_miss(&tag)?)))
    }

    /// Replaces a mistyped tag by the one that follows.
    pub(super) fn follow_instead(mut self, typed: &str, depth: u8) -> Self {
        let mut tags = self.tags();
        tags.retain(|tag| tag != typed);
        let depth = followed::depth_of_tags(tags.iter().map(String::as_str)).max(Some(depth));
        followed::set_depth(&mut tags, depth);
        self.set_tags(&tags);
        self
    }

    /// Returns the input of a field.
    pub fn input(&self, field: Field) -> &Input {
        field.of(self.inputs.each_ref())
    }

    /// Returns the input of the field with the focus.
    pub fn input_mut(&mut self) -> &mut Input {
        self.field.of(self.inputs.each_mut())
    }

    fn value(&self, field: Field) -> &str {
        self.input(field).value()
    }

    /// Returns the edited bookmark in its old state.
    pub fn bookmark(&self) -> Option<Bookmark<'_>> {
        let (bookmarks, index) = self.edited.as_ref()?;
        bookmarks.bookmark(*index)
    }

    /// Returns the parsed URL, or its error.
    pub fn url(&self) -> Result<Url, ParseError> {
        parse_typed(self.value(Field::Url), Guesses::default())
    }

    /// Returns the typed URL, encoded so that it fits on one line of the file.
    pub fn written(&self) -> String {
        on_one_line(&expand_typed(self.value(Field::Url), Guesses::default()))
    }

    /// Returns true if the URL of an edited bookmark was not changed: it then stays in the file as written, even with a
    /// fault.
    pub fn is_url_unchanged(&self) -> bool {
        self.edited.is_some() && !self.is_changed(Field::Url)
    }

    /// Replaces the URL in the form.
    pub fn set_url(&mut self, url: &str) {
        let [_, input, ..] = &mut self.inputs;
        *input = Input::new(url.to_owned());
        self.warning = FormWarning::None;
    }

    /// Inserts pasted text: a bookmark of the file fills all its fields, a URL alone is that of the bookmark, and other
    /// text goes into the field with the focus. A note may hold a URL, and a URL that was typed is not replaced.
    pub(crate) fn paste(&mut self, text: &str) {
        self.warning = FormWarning::None;
        let has_place = matches!(
            self.field,
            Field::Title | Field::Folder | Field::Tags | Field::Follow | Field::Depth
        );
        if has_place && !self.is_changed(Field::Url) && is_url(text) {
            return self.set_url(&expand_typed(text.trim(), Guesses::default()));
        }
        let Some(fields) = BookmarkFields::of_lines(text) else {
            return paste(self.input_mut(), text);
        };
        let [title, url, _, tags, note] = &mut self.inputs;
        *title = Input::new(fields.title);
        *url = Input::new(fields.url);
        *tags = Input::new(fields.tags.join(" "));
        *note = Input::new(note_typed(fields.notes.iter().map(String::as_str)));
    }

    /// Returns the title.
    pub fn title(&self) -> &str {
        self.value(Field::Title).trim()
    }

    /// Returns the path of the typed folder, outermost name first; `bookmarks` supplies the existing folders.
    pub fn folder(&self, bookmarks: &Bookmarks) -> Vec<String> {
        bookmarks.folder_named(self.value(Field::Folder))
    }

    /// Returns the tags without the `#`.
    pub fn tags(&self) -> Vec<String> {
        let tags = self.value(Field::Tags).split(is_tag_separator);
        let tags = tags.map(|tag| tag.trim_start_matches('#'));
        tags.filter(|tag| !tag.is_empty())
            .map(str::to_owned)
            .collect()
    }

    /// Returns the tags; `None` if they were not changed.
    pub fn new_tags(&self) -> Option<Vec<String>> {
        self.is_changed(Field::Tags).then(|| self.tags())
    }

    /// Returns the folder; `None` if it was not changed.
    pub fn new_folder(&self, bookmarks: &Bookmarks) -> Option<Vec<String>> {
        let is_changed = self.is_changed(Field::Folder);
        is_changed.then(|| self.folder(bookmarks))
    }

    /// Returns the lines of the note; `None` if it was not changed.
    pub fn notes(&self) -> Option<Vec<String>> {
        let typed = self.value(Field::Note);
        self.is_changed(Field::Note).then(|| note_lines(typed))
    }

    fn is_changed(&self, field: Field) -> bool {
        field.of(self.before.each_ref()) != self.value(field)
    }

    /// Returns the rest of the completion for the field with the focus: of an existing folder or tag.
    pub fn completion(&self) -> Option<&str> {
        let (begun, name) = self.find_completion()?;
        name.get(begun.len()..)
    }

    /// Returns the typed beginning in the field with the focus, and its completion.
    fn find_completion(&self) -> Option<(&str, &str)> {
        let input = self.input(self.field);
        if input.cursor() < input.value().chars().count() {
            return None;
        }
        let (begun, names) = match self.field {
            Field::Title | Field::Url | Field::Note | Field::Follow | Field::Depth => return None,
            Field::Folder => (input.value().trim_start(), &self.folders),
            Field::Tags => {
                let word = input.value().rsplit(is_tag_separator).next()?;
                (word.trim_start_matches('#'), &self.tags)
            }
        };
        Some((begun, completed(begun, names.iter())?))
    }

    /// Returns what the tag means that completes the typed one.
    pub fn completion_meaning(&self) -> Option<&'static str> {
        let (_, name) = self
            .find_completion()
            .filter(|_| self.field == Field::Tags)?;
        followed::meaning(name)
    }

    /// Returns another bookmark with the same address; `None` if the edited bookmark already had this address.
    pub(super) fn duplicate_of(&self, url: &Url, bookmarks: &Bookmarks) -> Option<usize> {
        let own = self.bookmark();
        if own.is_some_and(|own| own.compared_link() == compared_url(url).as_str()) {
            return None;
        }
        bookmarks.same_as(url).first().copied()
    }

    /// Returns the change that saves the content, and its description; without a valid URL the text of the field is
    /// saved unchanged.
    pub(super) fn change(
        &self,
        url: Option<Url>,
        bookmarks: &Bookmarks,
    ) -> Option<(Change, String)> {
        let title = self.title().to_owned();
        let folder = self.folder(bookmarks);
        let as_written = (url.is_none() && !self.is_url_unchanged()).then(|| self.written());
        let Some((from, index)) = &self.edited else {
            let destination = if folder.is_empty() {
                " at the top".to_owned()
            } else {
                format!(" to {}", folder.join("/"))
            };
            let position = InsertPosition::Path(folder);
            let draft = |url| NewBookmark {
                title,
                url,
                tags: self.tags(),
                notes: self.notes().unwrap_or_default(),
            };
            let change = match (url, as_written, Url::parse("news:*")) {
                (Some(url), ..) => bookmarks.adding(&[draft(url)], &position),
                (None, Some(written), Ok(any)) => {
                    bookmarks.adding_url_text(&draft(any), &written, &position)
                }
                (None, ..) => return None,
            };
            let label = text::shorten(self.title(), 32, "…");
            return Some((change, format!("“{label}” added{destination}")));
        };
        let edit = BookmarkEdit {
            title: Some(title),
            url,
            url_text: as_written,
            tags: self.new_tags(),
            notes: self.notes(),
        };
        let words = format!("{} edited", item_name(from, *index));
        let folder = self.new_folder(bookmarks);
        let folder = folder.filter(|folder| *folder != from.folder_of(*index));
        let change = match folder {
            Some(folder) => from.revising(*index, &edit, &InsertPosition::Path(folder)),
            None => Some(from.editing(&[(*index, edit)])),
        };
        Some((change?, words))
    }

    /// Handles a key: Tab and the arrows change the field, Enter submits, Right at the end completes.
    pub fn key(&mut self, key: Key) -> InputEvent {
        match key.code() {
            Some(KeyCode::Enter) => return InputEvent::Submit,
            Some(KeyCode::Esc) => return InputEvent::Cancel,
            Some(KeyCode::Tab | KeyCode::Down) => self.move_focus(1),
            Some(KeyCode::BackTab | KeyCode::Up) => self.move_focus(self.fields().len() - 1),
            Some(KeyCode::Right | KeyCode::End) if self.completion().is_some() => self.complete(),
            _ if key.is_cancel() => return InputEvent::Cancel,
            code if self.field == Field::Follow => {
                if code == Some(KeyCode::Char(' ')) {
                    self.toggle_follow();
                }
            }
            code if self.field == Field::Depth => self.key_in_depth(code),
            _ => {
                if edit(self.input_mut(), key) {
                    self.warning = FormWarning::None;
                }
            }
        }
        InputEvent::Continue
    }

    fn complete(&mut self) {
        let Some((begun, name)) = self.find_completion() else {
            return;
        };
        // The completed word has the upper and lower case of the name, not of the typed letters.
        let typed = self.value(self.field);
        let before = typed.len() - begun.len();
        let before = typed.get(..before).unwrap_or_default();
        let end = if self.field == Field::Tags { " " } else { "" };
        let completed = Input::new(format!("{before}{name}{end}"));
        *self.input_mut() = completed;
    }

    fn move_focus(&mut self, by: usize) {
        let fields = self.fields();
        let at = fields.iter().position(|field| *field == self.field);
        let at = at.unwrap_or(0) + by;
        if let Some(field) = fields.get(at % fields.len().max(1)) {
            self.field = *field;
        }
    }

    /// Follows the bookmark, or follows it no more.
    fn toggle_follow(&mut self) {
        let depth = self.depth().map_or(Some(0), |_| None);
        self.set_depth(depth);
    }

    /// Sets the depth by its digit, or to the next or the previous one.
    fn key_in_depth(&mut self, code: Option<KeyCode>) {
        let depth = self.depth().unwrap_or_default();
        let depth = match code {
            Some(KeyCode::Char(digit @ '0'..='3')) => digit.to_digit(10),
            Some(KeyCode::Right | KeyCode::Char(' ')) => Some(u32::from(depth) + 1),
            Some(KeyCode::Left) => Some(u32::from(depth.saturating_sub(1))),
            _ => None,
        };
        let depth = depth.and_then(|depth| u8::try_from(depth).ok());
        if let Some(depth) = depth {
            self.set_depth(Some(depth.min(followed::MAX_DEPTH)));
        }
    }

    /// Moves the focus to the field with this index, counted from the top; the box there is ticked or cleared.
    pub(crate) fn choose(&mut self, index: usize) {
        if let Some(field) = self.fields().get(index) {
            self.field = *field;
            if *field == Field::Follow {
                self.toggle_follow();
            }
        }
    }
}

/// Returns true for a text that is one URL with its scheme, whatever its faults.
fn is_url(text: &str) -> bool {
    let text = text.trim();
    let first = links_in_text(text).next();
    first.is_some_and(|first| first.range == (0..text.len()))
}

/// Returns the first name that is longer than what was typed, and begins with it.
fn completed<'n>(begun: &str, mut names: impl Iterator<Item = &'n String>) -> Option<&'n str> {
    let name = names.find(|name| {
        let start = name.get(..begun.len()).filter(|_| name.len() > begun.len());
        start.is_some_and(|start| !begun.is_empty() && start.to_lowercase() == begun.to_lowercase())
    });
    name.map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typed_tags_are_separated_by_blanks_or_commas() {
        let fields = BookmarkFields {
            tags: vec!["a,".to_owned(), "#b,c".to_owned(), "d".to_owned()],
            ..BookmarkFields::default()
        };
        let form = BookmarkForm::new(&Bookmarks::default(), None, fields);
        assert_eq!(form.tags(), ["a", "b", "c", "d"]);
    }
}
