//! Many bookmarks at once, and folders: marked, moved, copied, tagged, noted, removed, opened.

use std::sync::Arc;

use super::action::Action;
use super::browse::Where;
use super::choice::{Choice, Of, YES_OR_NO};
use super::note::{note_lines, note_typed};
use super::prompt::{Prompt, Wants};
use super::{App, Effect, Focus};
use crate::files::bookmarks::{Bookmark, Bookmarks, Change, Edit, Item, Place};
use crate::text::{self, Text};
use crate::url::Url;

/// So many tabs are opened without a question.
const TABS: usize = 10;

impl App {
    /// Does what a key of the bookmarks asks for.
    pub(super) fn act_on_bookmarks(&mut self, action: Action) -> Vec<Effect> {
        if self.focus != Focus::Bookmarks {
            self.focus = Focus::Bookmarks;
            self.sidebar.shown = true;
        }
        let effects = match action {
            Action::FilterBookmarks => self.ask_bookmark_filter(),
            Action::Mark => {
                self.sidebar.mark();
                self.step(1)
            }
            Action::MarkAll => {
                self.sidebar.mark_all();
                match self.sidebar.marks() {
                    0 => self.tell("no bookmark is marked"),
                    marks => self.tell(&format!("{} marked", text::count(marks))),
                }
                Vec::new()
            }
            Action::Take => self.take_meant(),
            Action::Put => self.put(false),
            Action::PutCopies => self.put(true),
            Action::EntryDown => self.shift(true),
            Action::EntryUp => self.shift(false),
            Action::NewFolder => self.prompt(Prompt::new(Wants::NewFolder, "")),
            Action::Tags => self.ask_tags(),
            Action::Note => self.ask_note(),
            Action::OpenAll => self.ask_open_all(),
            Action::Widen => {
                self.sidebar.is_wide = !self.sidebar.is_wide;
                Vec::new()
            }
            Action::CloseFolder => {
                self.sidebar.close();
                Vec::new()
            }
            Action::OpenFolder if self.sidebar.open() => Vec::new(),
            Action::OpenFolder => self.open_chosen(Where::Here),
            _ => Vec::new(),
        };
        self.reveal_all();
        effects
    }

    /// What is meant, in words: `“Floodgap”`, `3 bookmarks`.
    fn named(&self, items: &[usize]) -> String {
        let bookmarks = &self.sidebar.bookmarks;
        match items {
            [one] => named(bookmarks, *one),
            items => format!("{} entries", text::count(items.len())),
        }
    }

    fn take_meant(&mut self) -> Vec<Effect> {
        self.sidebar.take();
        let held = self.sidebar.held().to_vec();
        if held.is_empty() {
            self.tell("there is nothing to move");
            return Vec::new();
        }
        let words = self.named(&held);
        let [put, copies] = [Action::Put, Action::PutCopies].map(|action| self.key_of(action));
        self.tell(&format!(
            "{words} taken up: {put} puts there, {copies} a copy, Esc lets go"
        ));
        Vec::new()
    }

    /// Puts what was taken up below the cursor, or into the folder under it.
    fn put(&mut self, copies: bool) -> Vec<Effect> {
        let held = self.sidebar.held().to_vec();
        let bookmarks = self.sidebar.bookmarks.clone();
        if held.is_empty() {
            let take = self.key_of(Action::Take);
            self.tell(&format!("nothing was taken up: {take} does that"));
            return Vec::new();
        }
        let (place, destination) = match self.sidebar.item() {
            None => (Place::Top, String::new()),
            Some(Item::Folder(folder)) => (
                Place::Inside(folder.index),
                format!(" to {}", folder.name()),
            ),
            Some(Item::Bookmark(bookmark)) => {
                let folder = bookmarks.parent(bookmark.index);
                let folder = folder.and_then(|folder| bookmarks.folder(folder));
                let destination = folder.map(|folder| format!(" to {}", folder.name()));
                (
                    Place::After(bookmark.index),
                    destination.unwrap_or_default(),
                )
            }
        };
        let what = self.named(&held);
        let (change, did) = if copies {
            let copied = bookmarks.copying(&held);
            (Some(bookmarks.pasting(&copied, &place)), "copied")
        } else {
            (bookmarks.moving(&held, &place), "moved")
        };
        let Some(change) = change else {
            self.complain("a folder cannot go into itself");
            return Vec::new();
        };
        if !copies {
            self.sidebar.let_go();
        }
        self.sidebar.unmark();
        self.do_to_bookmarks(change, &format!("{what} {did}{destination}"))
    }

    /// Moves the item under the cursor by one.
    fn shift(&mut self, down: bool) -> Vec<Effect> {
        if self.sidebar.is_filtered() {
            self.tell("what was found stands by how well it fits; Esc shows the tree");
            return Vec::new();
        }
        let Some(index) = self.sidebar.index() else {
            return Vec::new();
        };
        let bookmarks = self.sidebar.bookmarks.clone();
        let Some(place) = beside(&bookmarks, index, down) else {
            self.tell(if down {
                "it is the last one here"
            } else {
                "it is the first one here"
            });
            return Vec::new();
        };
        let Some(change) = bookmarks.moving(&[index], &place) else {
            return Vec::new();
        };
        let words = named(&bookmarks, index);
        let destination = if down { "down" } else { "up" };
        let effects = self.do_to_bookmarks(change, &format!("{words} moved {destination}"));
        // A folder has the cursor where it begins.
        if let Some(folder) = bookmarks.folder(index) {
            let path = folder.path();
            if let Some(index) = self.sidebar.bookmarks.folder_at(&path) {
                self.sidebar.go_to(index);
            }
        }
        effects
    }

    /// Makes a folder below the one that the cursor is in.
    pub(super) fn add_folder(&mut self, name: &str) -> Vec<Effect> {
        let bookmarks = &self.sidebar.bookmarks;
        let place = match self.sidebar.item() {
            Some(Item::Folder(folder)) => Place::After(folder.index),
            Some(Item::Bookmark(bookmark)) => match bookmarks.parent(bookmark.index) {
                Some(folder) => Place::After(folder),
                None => Place::End,
            },
            None => Place::End,
        };
        match bookmarks.adding_folder(name, &place) {
            Some(change) => self.do_to_bookmarks(change, &format!("folder “{}” made", name.trim())),
            None => Vec::new(),
        }
    }

    /// Gives the folder at an index another name.
    pub(super) fn rename_folder(
        &mut self,
        from: &Bookmarks,
        index: usize,
        name: &str,
    ) -> Vec<Effect> {
        let was = from.folder(index).map(|folder| folder.name());
        match from.renaming(index, name) {
            Some(change) => {
                let was = was.unwrap_or_default();
                self.do_to_bookmarks(change, &format!("folder “{was}” renamed"))
            }
            None => Vec::new(),
        }
    }

    /// Removes what is meant: bookmarks at once, folders after a question.
    pub(super) fn remove_bookmark(&mut self) -> Vec<Effect> {
        let items = self.sidebar.meant();
        let bookmarks = &self.sidebar.bookmarks;
        let mut folders = items.iter().filter_map(|&index| bookmarks.folder(index));
        let Some(folder) = folders.next() else {
            return self.remove(&items);
        };
        let inside = self.sidebar.bookmarks_of(&items).len();
        let what = match folders.next() {
            None => format!("the folder “{}”", folder.name()),
            Some(_) => format!("{} entries", text::count(items.len())),
        };
        let with = match inside {
            0 => "there is no bookmark in it".to_owned(),
            1 => "1 bookmark goes with it".to_owned(),
            inside => format!("{} bookmarks go with it", text::count(inside)),
        };
        let undo = self.key_of(Action::Undo);
        let lines = vec![Text::of(&format!("{with}; {undo} brings it back"))];
        let of = Of::Remove(self.sidebar.bookmarks.clone(), items);
        self.choose(Choice::new(&format!("Remove {what}?"), &YES_OR_NO, of).about(lines))
    }

    /// Removes items of the bookmarks as they are.
    fn remove(&mut self, items: &[usize]) -> Vec<Effect> {
        let bookmarks = self.sidebar.bookmarks.clone();
        self.remove_from(&bookmarks, items)
    }

    /// Removes items of the bookmarks as they were when it was asked.
    pub(super) fn remove_from(&mut self, from: &Bookmarks, items: &[usize]) -> Vec<Effect> {
        if items.is_empty() {
            self.tell("there is nothing to remove");
            return Vec::new();
        }
        let words = match items {
            [one] => named(from, *one),
            items => format!("{} entries", text::count(items.len())),
        };
        self.sidebar.unmark();
        self.do_to_bookmarks(from.removing(items), &format!("{words} removed"))
    }

    /// Asks for the tags of what is meant: of one, all of them; of several, what they get and lose.
    fn ask_tags(&mut self) -> Vec<Effect> {
        let items = self.sidebar.bookmarks_of(&self.sidebar.meant());
        let bookmarks = self.sidebar.bookmarks.clone();
        let typed = match items.as_slice() {
            [] => {
                self.tell("there is no bookmark to tag");
                return Vec::new();
            }
            [one] => bookmarks.bookmark(*one).map(|bookmark| tags_of(&bookmark)),
            _ => None,
        };
        let mut typed = typed.unwrap_or_default().join(" ");
        if !typed.is_empty() {
            typed.push(' ');
        }
        let known = Arc::new(bookmarks.tags_in_use());
        let prompt = Prompt::new(Wants::Tags(bookmarks, items, known), &typed);
        self.prompt(prompt)
    }

    /// Gives bookmarks tags.
    pub(super) fn tag(&mut self, from: &Bookmarks, items: &[usize], typed: &str) -> Vec<Effect> {
        let words: Vec<&str> = typed
            .split_whitespace()
            .map(|word| word.trim_start_matches('#'))
            .filter(|word| !word.is_empty())
            .collect();
        let is_one = items.len() == 1;
        let edits = items.iter().filter_map(|&index| {
            let mut tags = if is_one {
                Vec::new()
            } else {
                tags_of(&from.bookmark(index)?)
            };
            for word in &words {
                match word.strip_prefix('-') {
                    Some(gone) if !is_one => {
                        let gone = gone.trim_start_matches('#');
                        tags.retain(|tag| tag != gone);
                    }
                    Some(_) | None if tags.iter().any(|tag| tag == word) => {}
                    Some(_) | None => tags.push((*word).to_owned()),
                }
            }
            let edit = Edit {
                tags: Some(tags),
                ..Edit::default()
            };
            Some((index, edit))
        });
        let change = from.editing(&edits.collect::<Vec<_>>());
        let words = match items {
            [one] => named(from, *one),
            items => format!("{} bookmarks", text::count(items.len())),
        };
        self.sidebar.unmark();
        self.do_to_bookmarks(change, &format!("{words} tagged"))
    }

    /// Asks for the note on a bookmark.
    fn ask_note(&mut self) -> Vec<Effect> {
        let Some(bookmark) = self.sidebar.bookmark() else {
            self.tell("only a bookmark has a note");
            return Vec::new();
        };
        let notes = bookmark.notes();
        let notes = note_typed(notes.iter().map(Text::as_str));
        let wants = Wants::Note(self.sidebar.bookmarks.clone(), bookmark.index);
        let prompt = Prompt {
            remark: Some(Text::of(
                "“ | ” begins another line; nothing takes the note away",
            )),
            ..Prompt::new(wants, &notes)
        };
        self.prompt(prompt)
    }

    /// Puts a note on a bookmark.
    pub(super) fn note(&mut self, from: &Bookmarks, index: usize, typed: &str) -> Vec<Effect> {
        let edit = Edit {
            notes: Some(note_lines(typed)),
            ..Edit::default()
        };
        let words = named(from, index);
        self.do_to_bookmarks(from.editing(&[(index, edit)]), &format!("note on {words}"))
    }

    /// Opens all that is meant in tabs, a folder with all that is in it; asks first where it is much.
    fn ask_open_all(&mut self) -> Vec<Effect> {
        let items = self.sidebar.bookmarks_of(&self.sidebar.meant());
        let addresses: Vec<(Text, Url)> = items
            .iter()
            .filter_map(|&index| {
                let bookmark = self.sidebar.bookmarks.bookmark(index)?;
                Some((bookmark.label(), bookmark.url().ok()?))
            })
            .collect();
        match addresses.len() {
            0 => {
                self.tell("there is nothing here that can be opened");
                Vec::new()
            }
            count if count > TABS => {
                let question = format!("Open {} tabs?", text::count(count));
                let answers = [('y', "yes"), ('f', "the first ten"), ('n', "no")];
                self.choose(Choice::new(&question, &answers, Of::OpenAll(addresses)))
            }
            _ => self.open_all(addresses),
        }
    }

    /// Opens each in a tab of its own; the tab that is shown stays.
    pub(super) fn open_all(&mut self, addresses: Vec<(Text, Url)>) -> Vec<Effect> {
        let shown = self.tab;
        let focus = self.focus;
        let count = addresses.len();
        let mut effects = Vec::new();
        for (label, url) in addresses {
            // Each to the right of the one before.
            effects.extend(self.open(url, Some(label), Where::Tab));
        }
        self.show_tab(shown);
        self.focus = focus;
        self.tell(&match count {
            1 => "opened in a tab".to_owned(),
            count => format!("opened in {count} tabs"),
        });
        effects
    }

    /// The first of many.
    pub(super) fn open_first(&mut self, mut addresses: Vec<(Text, Url)>) -> Vec<Effect> {
        addresses.truncate(TABS);
        self.open_all(addresses)
    }
}

/// Where an item goes that moves by one: a bookmark from a folder into the next, a folder past the one beside it.
fn beside(bookmarks: &Bookmarks, index: usize, down: bool) -> Option<Place> {
    let Some(folder) = bookmarks.folder(index) else {
        return if down {
            (index + 1 < bookmarks.len()).then(|| Place::After(index + 1))
        } else {
            index.checked_sub(1).map(Place::Before)
        };
    };
    if down {
        let next = bookmarks.folder(bookmarks.end(index))?;
        return (next.depth == folder.depth).then_some(Place::After(next.index));
    }
    let parent = bookmarks.parent(index);
    let before = (0..index).rev().find(|&before| {
        bookmarks
            .folder(before)
            .is_some_and(|before| before.depth <= folder.depth)
    })?;
    let is_beside = bookmarks.parent(before) == parent && Some(before) != parent;
    is_beside.then_some(Place::Before(before))
}

/// An item by its name.
pub(super) fn named(bookmarks: &Bookmarks, index: usize) -> String {
    match bookmarks.item(index) {
        Some(Item::Folder(folder)) => format!("folder “{}”", folder.name()),
        Some(Item::Bookmark(bookmark)) => {
            let label = bookmark.label();
            format!("“{}”", text::shorten(label.as_str().trim(), 32, "…"))
        }
        None => String::new(),
    }
}

/// A bookmark's tags.
pub(super) fn tags_of(bookmark: &Bookmark<'_>) -> Vec<String> {
    bookmark.tags().iter().map(Text::to_string).collect()
}

/// Many edits as one change: what has a fault gets the URL that it means.
pub(super) fn repairing(bookmarks: &Bookmarks, repairs: &[(usize, Url)]) -> Change {
    let edits = repairs.iter().map(|(index, url)| {
        let edit = Edit {
            url: Some(url.clone()),
            ..Edit::default()
        };
        (*index, edit)
    });
    bookmarks.editing(&edits.collect::<Vec<_>>())
}
