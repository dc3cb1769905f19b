//! The commands on several bookmarks or on folders: mark, move, copy, tag, note, remove, open.

use geomys_store::bookmarks::followed::{self, is_followed};
use geomys_store::bookmarks::{
    Bookmark, BookmarkEdit, Bookmarks, InsertPosition, Item, is_tag_separator,
};
use geomys_wire::text::{self, Text};
use rfc1738::{Url, mask};

use crate::action::Action;
use crate::bookmarks::message::SimilarMerge;
use crate::bookmarks::note::{note_lines, note_typed};
use crate::bookmarks::sidebar::Sidebar;
use crate::dialogs::text_input::{BookmarkInput, Completions, TextInput};
use crate::{BookmarkCommand, BookmarksPane, Command, Context, Dialog};

/// The largest number of tabs that are opened without a question.
pub(crate) const MAX_TABS_UNASKED: usize = 10;

impl BookmarksPane {
    /// Marks the bookmark under the cursor, or removes its mark, and moves down.
    pub(crate) fn mark_bookmark(&mut self, cx: &mut Context) {
        self.sidebar.mark();
        cx.command(Command::Step(1));
    }

    /// Marks every bookmark that is shown; removes all marks if they were marked.
    pub(crate) fn mark_all_bookmarks(&mut self, cx: &mut Context) {
        self.sidebar.mark_all();
        match self.sidebar.marks() {
            0 => cx.notify("No marked bookmarks"),
            marks => cx.notify(&format!("{} marked", text::count(marks))),
        }
    }

    pub(crate) fn cut_selected(&mut self, cx: &mut Context) {
        self.sidebar.cut();
        let cut = self.sidebar.cut_items().to_vec();
        if cut.is_empty() {
            return cx.notify("Nothing to move");
        }
        let words = items_name(&self.sidebar.bookmarks, &cut);
        let [put, copies] = [Action::Paste, Action::PasteCopies].map(|action| cx.key_of(action));
        cx.notify(&format!(
            "{words} cut ({put} paste, {copies} paste copy, Esc cancel)"
        ));
    }

    /// Pastes the cut items below the cursor, or into the folder under it.
    pub(crate) fn paste_bookmarks(&mut self, copies: bool, cx: &mut Context) {
        let cut = self.sidebar.cut_items().to_vec();
        let bookmarks = self.sidebar.bookmarks.clone();
        if cut.is_empty() {
            let cut = cx.key_of(Action::Cut);
            return cx.notify(&format!("Nothing cut yet ({cut} cut)"));
        }
        let (position, destination) = match self.sidebar.item() {
            None => (InsertPosition::Top, String::new()),
            Some(Item::Folder(folder)) => (
                InsertPosition::Inside(folder.index),
                format!(" to {}", folder.name()),
            ),
            Some(Item::Bookmark(bookmark)) => {
                let folder = bookmarks.parent(bookmark.index);
                let folder = folder.and_then(|folder| bookmarks.folder(folder));
                let destination = folder.map(|folder| format!(" to {}", folder.name()));
                (
                    InsertPosition::After(bookmark.index),
                    destination.unwrap_or_default(),
                )
            }
        };
        let label = items_name(&self.sidebar.bookmarks, &cut);
        let (change, verb) = if copies {
            let copied = bookmarks.copying(&cut);
            (Some(bookmarks.pasting(&copied, &position)), "copied")
        } else {
            (bookmarks.moving(&cut, &position), "moved")
        };
        let Some(change) = change else {
            return cx.report_error("A folder cannot go into itself");
        };
        if !copies {
            self.sidebar.cancel_cut();
        }
        self.sidebar.unmark();
        self.change_bookmarks(change, &format!("{label} {verb}{destination}"), cx);
    }

    /// Moves the item under the cursor one row up or down.
    pub(crate) fn shift(&mut self, down: bool, cx: &mut Context) {
        if self.sidebar.notify_flat(cx) {
            return;
        }
        let Some(index) = self.sidebar.index() else {
            return;
        };
        let bookmarks = self.sidebar.bookmarks.clone();
        let Some(position) = shifted_position(&bookmarks, index, down) else {
            return cx.notify(if down {
                "already the last one"
            } else {
                "already the first one"
            });
        };
        let Some(change) = bookmarks.moving(&[index], &position) else {
            return;
        };
        let words = item_name(&bookmarks, index);
        let destination = if down { "down" } else { "up" };
        self.change_bookmarks(change, &format!("{words} moved {destination}"), cx);
        // The cursor stays on the folder's first row.
        if let Some(folder) = bookmarks.folder(index) {
            let path = folder.path();
            if let Some(index) = self.sidebar.bookmarks.folder_at(&path) {
                self.sidebar.go_to(index);
            }
        }
    }

    /// Creates a folder below the folder at the cursor.
    pub(crate) fn add_folder(&mut self, name: &str, cx: &mut Context) {
        let bookmarks = &self.sidebar.bookmarks;
        let folder = self.sidebar.nearest_folder();
        let position = folder.map_or(InsertPosition::End, InsertPosition::After);
        if let Some(change) = bookmarks.adding_folder(name, &position) {
            self.change_bookmarks(change, &format!("folder “{}” created", name.trim()), cx);
        }
    }

    /// Renames the folder at an index.
    pub(crate) fn rename_folder(
        &mut self,
        from: &Bookmarks,
        index: usize,
        name: &str,
        cx: &mut Context,
    ) {
        let was = from.folder(index).map(|folder| folder.name());
        if let Some(change) = from.renaming(index, name) {
            let was = was.unwrap_or_default();
            let words = format!("folder “{was}” renamed to “{}”", name.trim());
            self.change_bookmarks(change, &words, cx);
        }
    }

    /// Removes the selected items: bookmarks at once, folders after a question.
    pub(crate) fn remove_bookmark(&mut self, cx: &mut Context) {
        let items = self.sidebar.selection();
        let bookmarks = &self.sidebar.bookmarks;
        let mut folders = items.iter().filter_map(|&index| bookmarks.folder(index));
        let Some(folder) = folders.next() else {
            let bookmarks = bookmarks.clone();
            return self.remove_from(&bookmarks, &items, cx);
        };
        let inside = self.sidebar.bookmarks_in(&items).len();
        let label = match folders.next() {
            None => format!("the folder “{}”", folder.name()),
            Some(_) => format!("{} entries", text::count(items.len())),
        };
        let with = match inside {
            0 => "It has no bookmarks".to_owned(),
            1 => "Its 1 bookmark is removed too".to_owned(),
            inside => format!("Its {} bookmarks are removed too", text::count(inside)),
        };
        let undo = cx.key_of(Action::Undo);
        let lines = vec![Text::of(&format!("{with} ({undo} undo)"))];
        let remove = BookmarkCommand::Remove(bookmarks.clone(), items);
        let question = format!("Remove {label}?");
        cx.ask(Dialog::confirm(&question, remove).with_lines(lines));
    }

    /// Removes items; `from` is the state of the bookmarks when the question was opened.
    pub(crate) fn remove_from(&mut self, from: &Bookmarks, items: &[usize], cx: &mut Context) {
        if items.is_empty() {
            return cx.notify("Nothing to remove");
        }
        let words = items_name(from, items);
        self.sidebar.unmark();
        self.change_bookmarks(from.removing(items), &format!("{words} removed"), cx);
    }

    /// Merges the copies of the marked bookmarks, or of the one under the cursor or those in the folder there, into the
    /// first bookmark of each URL.
    pub(crate) fn merge(&mut self, cx: &mut Context) {
        let bookmarks = &self.sidebar.bookmarks;
        let items = self.sidebar.bookmarks_in(&self.sidebar.selection());
        let mut doubles = bookmarks.doubles();
        doubles.retain(|same| same.iter().any(|index| items.binary_search(index).is_ok()));
        let copies = doubles.iter().map(|same| same.len() - 1).sum();
        let words = match (copies, doubles.as_slice()) {
            (0, _) => {
                let mut waiting = bookmarks.similar();
                waiting.retain(|pair| pair.iter().any(|index| items.binary_search(index).is_ok()));
                waiting.reverse();
                if waiting.is_empty() {
                    return cx.notify("No copies to merge");
                }
                let merge = SimilarMerge {
                    from: bookmarks.clone(),
                    waiting,
                    merged: Vec::new(),
                };
                return self.merge_similar(merge, cx);
            }
            (1, [same]) => same.first().map(|&first| item_name(bookmarks, first)),
            _ => None,
        };
        let words = words.map_or(format!("{} copies", text::count(copies)), |name| {
            format!("copy of {name}")
        });
        let change = bookmarks.merging(&doubles);
        self.sidebar.unmark();
        self.change_bookmarks(change, &format!("{words} merged"), cx);
    }

    /// Asks about the next two bookmarks that are perhaps of one page; after the last ones, merges those that the user
    /// wants merged as one change.
    pub(crate) fn merge_similar(&mut self, mut merge: SimilarMerge, cx: &mut Context) {
        let Some(pair) = merge.waiting.pop() else {
            if merge.merged.is_empty() {
                return cx.notify("Nothing merged");
            }
            let words = match merge.merged.len() {
                1 => "similar bookmark merged".to_owned(),
                copies => format!("{} similar bookmarks merged", text::count(copies)),
            };
            self.sidebar.unmark();
            let pages = Bookmarks::joined(&merge.merged);
            let records = merge.from.merged_records(&pages, self.checks.time(cx));
            let change = merge.from.merging(&pages);
            return self.change_with_records(change, records, &words, cx);
        };
        let bookmarks = pair.iter().filter_map(|&index| merge.from.bookmark(index));
        let lines = bookmarks
            .map(|one| Text::of(&mask(one.url_text().as_str())))
            .collect();
        let next = |merge: SimilarMerge| {
            Command::Bookmarks(BookmarkCommand::MergeSimilar(Box::new(merge)))
        };
        let mut with_these = merge.clone();
        with_these.merged.push(pair);
        let dialog = Dialog::new("Perhaps one page. Merge into the first?")
            .answer('m', "merge", next(with_these))
            .answer('k', "keep both", next(merge))
            .with_lines(lines);
        cx.ask(dialog);
    }

    /// Sets the tags of one bookmark, or adds and removes tags of several.
    pub(crate) fn tag(&mut self, from: &Bookmarks, items: &[usize], typed: &str, cx: &mut Context) {
        let words: Vec<&str> = typed
            .split(is_tag_separator)
            .map(|word| word.trim_start_matches('#'))
            .filter(|word| !word.is_empty())
            .collect();
        let follows = words
            .iter()
            .any(|word| followed::depth_of_tag(word).is_some());
        let is_one = items.len() == 1;
        let edits = items.iter().filter_map(|&index| {
            let mut tags = if is_one {
                Vec::new()
            } else {
                tags_of(&from.bookmark(index)?)
            };
            for word in &words {
                match word.strip_prefix('-') {
                    Some(removed) if !is_one => {
                        let removed = removed.trim_start_matches('#');
                        tags.retain(|tag| tag != removed);
                    }
                    Some(_) | None if tags.iter().any(|tag| tag == word) => {}
                    Some(_) | None => tags.push((*word).to_owned()),
                }
            }
            let edit = BookmarkEdit {
                tags: Some(tags),
                ..BookmarkEdit::default()
            };
            Some((index, edit))
        });
        let change = from.editing(&edits.collect::<Vec<_>>());
        let words = match items {
            [one] => item_name(from, *one),
            items => format!("{} bookmarks", text::count(items.len())),
        };
        self.sidebar.unmark();
        self.change_bookmarks(change, &format!("{words} tagged"), cx);
        let now = &self.sidebar.bookmarks;
        let begun = items.iter().filter_map(|&index| {
            let url = from
                .bookmark(index)
                .filter(|was| !is_followed(was))?
                .url()
                .ok()?;
            let mut same = now.same_as(&url).into_iter();
            let is_followed =
                same.any(|index| now.bookmark(index).is_some_and(|one| is_followed(&one)));
            is_followed.then_some(url)
        });
        let begun: Vec<Url> = begun.collect();
        if follows {
            self.begin_to_follow(begun, cx);
        }
    }

    /// Removes the tags that follow from bookmarks.
    pub(crate) fn unfollow(&mut self, from: &Bookmarks, items: &[usize], cx: &mut Context) {
        let edits = items.iter().filter_map(|&index| {
            let mut tags = tags_of(&from.bookmark(index)?);
            followed::set_depth(&mut tags, None);
            let edit = BookmarkEdit {
                tags: Some(tags),
                ..BookmarkEdit::default()
            };
            Some((index, edit))
        });
        let change = from.editing(&edits.collect::<Vec<_>>());
        self.change_bookmarks(change, "No longer followed", cx);
    }

    /// Sets the note of a bookmark.
    pub(crate) fn note(&mut self, from: &Bookmarks, index: usize, typed: &str, cx: &mut Context) {
        let edit = BookmarkEdit {
            notes: Some(note_lines(typed)),
            ..BookmarkEdit::default()
        };
        let words = item_name(from, index);
        self.change_bookmarks(
            from.editing(&[(index, edit)]),
            &format!("note on {words}"),
            cx,
        );
    }
}

/// Opens the prompt for tags: all tags of one bookmark, or the tags to add to and remove from several.
pub(crate) fn ask_tags(sidebar: &Sidebar, cx: &mut Context) {
    let items = sidebar.bookmarks_in(&sidebar.selection());
    let bookmarks = sidebar.bookmarks.clone();
    let typed = match items.as_slice() {
        [] => {
            return cx.notify("No bookmark to tag");
        }
        [one] => bookmarks.bookmark(*one).map(|bookmark| tags_of(&bookmark)),
        _ => None,
    };
    let mut typed = typed.unwrap_or_default().join(" ");
    if !typed.is_empty() {
        typed.push(' ');
    }
    let count = text::count(items.len());
    let hint = format!("for {count} bookmarks: word adds a tag, -word removes it");
    let input = TextInput {
        hint: (items.len() > 1).then_some(hint),
        completions: Completions::Tags(followed::with_special_tags(bookmarks.tags_in_use())),
        ..TextInput::new(BookmarkInput::Tags(bookmarks, items), &typed)
    };
    cx.ask(Dialog::input("Tags:", input));
}

/// Opens the prompt for the note of a bookmark.
pub(crate) fn ask_note(sidebar: &Sidebar, cx: &mut Context) {
    let Some(bookmark) = sidebar.bookmark() else {
        return cx.notify("Only a bookmark has a note");
    };
    let notes = bookmark.notes();
    let notes = note_typed(notes.iter().map(Text::as_str));
    let input = BookmarkInput::Note(sidebar.bookmarks.clone(), bookmark.index);
    let input = TextInput {
        remark: Some(Text::of("“ | ” starts a new line; empty removes the note")),
        ..TextInput::new(input, &notes)
    };
    cx.ask(Dialog::input("Note:", input));
}

/// Opens the selected bookmarks and the content of selected folders in tabs; asks first if there are many.
pub(crate) fn ask_open_all(sidebar: &Sidebar, cx: &mut Context) {
    let items = sidebar.bookmarks_in(&sidebar.selection());
    let addresses: Vec<(Text, Url)> = items
        .iter()
        .filter_map(|&index| {
            let bookmark = sidebar.bookmarks.bookmark(index)?;
            Some((bookmark.label(), bookmark.repaired_url().ok()?))
        })
        .collect();
    match addresses.len() {
        0 => cx.notify("Nothing to open here"),
        count if count > MAX_TABS_UNASKED => {
            let question = format!("Open {} tabs?", text::count(count));
            let first = addresses.iter().take(MAX_TABS_UNASKED).cloned().collect();
            let dialog = Dialog::new(&question)
                .answer('y', "yes", Command::OpenInTabs(addresses))
                .answer('f', "the first ten", Command::OpenInTabs(first))
                .no("no");
            cx.ask(dialog);
        }
        _ => cx.command(Command::OpenInTabs(addresses)),
    }
}

/// Returns the target position of an item that moves by one: a bookmark moves by one row, also into the next folder; a
/// folder moves past its sibling.
fn shifted_position(bookmarks: &Bookmarks, index: usize, down: bool) -> Option<InsertPosition> {
    let Some(folder) = bookmarks.folder(index) else {
        return if down {
            (index + 1 < bookmarks.len()).then(|| InsertPosition::After(index + 1))
        } else {
            index.checked_sub(1).map(InsertPosition::Before)
        };
    };
    if down {
        let next = bookmarks.folder(bookmarks.end(index))?;
        return (next.depth == folder.depth).then_some(InsertPosition::After(next.index));
    }
    let parent = bookmarks.parent(index);
    let before = (0..index).rev().find(|&before| {
        bookmarks
            .folder(before)
            .is_some_and(|before| before.depth <= folder.depth)
    })?;
    let is_beside = bookmarks.parent(before) == parent && Some(before) != parent;
    is_beside.then_some(InsertPosition::Before(before))
}

/// Returns an item's name for a message.
fn items_name(bookmarks: &Bookmarks, items: &[usize]) -> String {
    match items {
        [one] => item_name(bookmarks, *one),
        items => format!("{} entries", text::count(items.len())),
    }
}

pub(crate) fn item_name(bookmarks: &Bookmarks, index: usize) -> String {
    match bookmarks.item(index) {
        Some(Item::Folder(folder)) => format!("folder “{}”", folder.name()),
        Some(Item::Bookmark(bookmark)) => {
            let label = bookmark.label();
            format!("“{}”", text::shorten(label.as_str().trim(), 32, "…"))
        }
        None => String::new(),
    }
}

/// Returns a bookmark's tags.
pub(crate) fn tags_of(bookmark: &Bookmark<'_>) -> Vec<String> {
    bookmark.tags().iter().map(Text::to_string).collect()
}
