//! The filter of the bookmarks: what is looked for while it is typed, and what was found.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crossterm::event::KeyCode;

use super::action::Action;
use super::browse::Where;
use super::page::WorkId;
use super::prompt::{Prompt, Typed, Wants};
use super::{App, Effect, Focus, Overlay};
use crate::files::bookmarks::{Bookmarks, Fits, Query, Searched};
use crate::keymap::Key;

/// Of so many items or fewer all is searched at once; of more, on a blocking task.
const SMALL: usize = 2000;

/// So long a filter waits between two looks while a check runs.
const REFRESH: Duration = Duration::from_millis(500);

/// Words, and the bookmarks that have them.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// As it was typed.
    pub typed: String,
    /// What is looked for.
    pub query: Query,
    /// The indices of what was found by the last search, the best first.
    pub found: Arc<Vec<usize>>,
    /// What that search was for; nothing when the file has changed since.
    by: Option<Query>,
    /// The bookmarks, made ready.
    searched: Option<Arc<Searched>>,
    /// The search that is awaited.
    pub(super) work: Option<WorkId>,
    /// Nobody has typed anything yet: the bookmarks are made ready meanwhile.
    is_early: bool,
    /// When it was searched last because of what a check has found.
    refreshed: Duration,
}

impl Filter {
    /// Whether something was looked for and found, or not found.
    pub fn is_on(&self) -> bool {
        !self.is_blank() && self.by.is_some()
    }

    /// Whether nothing is typed.
    fn is_blank(&self) -> bool {
        self.typed.trim().is_empty()
    }

    /// Nothing is looked for any more.
    fn emptied(self) -> Self {
        Self {
            searched: self.searched,
            work: self.work.filter(|_| self.is_early),
            is_early: self.is_early,
            ..Self::default()
        }
    }

    /// The file has changed: this is what is left of what was found.
    pub(super) fn outdate(&mut self, found: Vec<usize>) {
        self.found = Arc::new(found);
        self.searched = None;
        self.work = None;
        self.is_early = false;
    }
}

/// A search for a blocking task.
#[derive(Clone, Debug)]
pub struct Search {
    /// In what.
    pub bookmarks: Bookmarks,
    /// The same made ready, where it was before.
    pub searched: Option<Arc<Searched>>,
    /// For what; the bookmarks are only made ready where that is nothing.
    pub query: Option<Query>,
    /// Only among these, by their index.
    pub among: Option<Arc<Vec<usize>>>,
    /// What is known of the bookmarks.
    pub known: Known,
}

/// Tells whether a word is about what is known of a bookmark, and then whether it fits.
#[derive(Clone)]
pub struct Known(Arc<Fits<'static>>);

impl fmt::Debug for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Known")
    }
}

impl Search {
    /// Searches.
    pub fn run(self) -> Filtered {
        let searched = self
            .searched
            .unwrap_or_else(|| Arc::new(Searched::new(&self.bookmarks)));
        let among = self.among.as_ref().map(|among| among.as_slice());
        let found = self.query.as_ref().map_or(Vec::new(), |query| {
            searched.find(query, among, &*self.known.0)
        });
        Filtered {
            searched,
            query: self.query,
            found,
        }
    }
}

/// What a search has found.
#[derive(Clone, Debug)]
pub struct Filtered {
    searched: Arc<Searched>,
    query: Option<Query>,
    found: Vec<usize>,
}

impl App {
    /// Asks for the words of the filter. Many bookmarks are made ready until the first letter comes.
    pub(super) fn ask_bookmark_filter(&mut self) -> Vec<Effect> {
        let filter = self.sidebar.filter.get_or_insert_default();
        let typed = filter.typed.clone();
        let is_early = filter.searched.is_none() && filter.work.is_none();
        let mut effects = self.prompt(Prompt::new(Wants::Bookmarks, &typed));
        if is_early && self.sidebar.bookmarks.len() > SMALL {
            effects.extend(self.look());
            if let Some(filter) = &mut self.sidebar.filter {
                filter.is_early = true;
            }
        }
        effects
    }

    /// A key while the words are typed: what is found is shown meanwhile, and the arrows go through it.
    pub(super) fn filter_key(&mut self, mut prompt: Prompt, key: Key) -> Vec<Effect> {
        let by = match key.to_string().as_str() {
            "Down" | "Ctrl-N" => Some(self.step(1)),
            "Up" | "Ctrl-P" => Some(self.step(-1)),
            "PgDn" => Some(self.step_page(1, 1)),
            "PgUp" => Some(self.step_page(-1, 1)),
            _ => None,
        };
        if let Some(effects) = by {
            self.overlay = Some(Overlay::Prompt(prompt));
            return effects;
        }
        if key.code() == Some(KeyCode::Tab) {
            // What was found stays, and has the keys.
            self.leave_blank();
            return Vec::new();
        }
        match prompt.key(key) {
            Typed::On => {
                let effects = self.filter_by(prompt.input.value());
                self.overlay = Some(Overlay::Prompt(prompt));
                effects
            }
            Typed::Left => {
                self.clear_filter();
                Vec::new()
            }
            Typed::Done if self.sidebar.is_filtered() && !self.sidebar.rows().is_empty() => {
                self.open_chosen(Where::Here)
            }
            Typed::Done => {
                self.leave_blank();
                Vec::new()
            }
        }
    }

    /// Keeps nothing of a filter for which nothing was typed.
    fn leave_blank(&mut self) {
        self.sidebar.filter.take_if(|filter| filter.is_blank());
    }

    /// Shows only the bookmarks with these words; the tree again when there are none.
    pub(super) fn filter_by(&mut self, typed: &str) -> Vec<Effect> {
        if typed.trim().is_empty() {
            // What was made ready stays so while the line is open.
            let filter = self.sidebar.filter.take();
            let here = self.sidebar.index();
            self.sidebar.make_rows();
            if let Some(here) = here.filter(|_| filter.as_ref().is_some_and(Filter::is_on)) {
                self.show_bookmark(here);
            }
            self.sidebar.filter = filter.map(Filter::emptied);
            self.reveal_all();
            return Vec::new();
        }
        let filter = self.sidebar.filter.get_or_insert_default();
        if filter.typed == typed && filter.by.is_some() {
            return Vec::new();
        }
        typed.clone_into(&mut filter.typed);
        filter.query = Query::new(typed);
        if filter.is_early && filter.work.is_some() {
            // It is searched when they are ready.
            return Vec::new();
        }
        self.search()
    }

    /// Looks again where the filter is about what a check finds out, but not all the time.
    pub(super) fn refresh_filter(&mut self, is_last: bool) -> Vec<Effect> {
        let now = self.now;
        let Some(filter) = self.sidebar.filter.as_mut().filter(|filter| filter.is_on()) else {
            return Vec::new();
        };
        let is_due = now.saturating_sub(filter.refreshed) >= REFRESH && filter.work.is_none();
        if !filter.query.asks_what_is_known() || !(is_due || is_last) {
            return Vec::new();
        }
        filter.refreshed = now;
        self.search()
    }

    /// Looks again for what is looked for, if something is.
    pub(super) fn search(&mut self) -> Vec<Effect> {
        let filter = self.sidebar.filter.as_ref();
        if filter.is_none_or(Filter::is_blank) {
            return Vec::new();
        }
        self.look()
    }

    fn look(&mut self) -> Vec<Effect> {
        let bookmarks = self.sidebar.bookmarks.clone();
        let known = Known(Arc::new(self.fits()));
        let work = self.next_work();
        let Some(filter) = &mut self.sidebar.filter else {
            return Vec::new();
        };
        let by = filter.by.as_ref().filter(|_| filter.searched.is_some());
        // What is the same words again has a reason to be: something else has changed.
        let narrows = by.is_some_and(|by| filter.query != *by && filter.query.narrows(by));
        let is_small = bookmarks.len() <= SMALL;
        let search = Search {
            bookmarks,
            searched: filter.searched.clone(),
            query: (!filter.is_blank()).then(|| filter.query.clone()),
            among: narrows.then(|| Arc::clone(&filter.found)),
            known,
        };
        filter.work = Some(work);
        if is_small {
            return self.filtered(work, search.run());
        }
        vec![Effect::FilterBookmarks(work, Box::new(search))]
    }

    /// A search has ended; an older one falls on the floor.
    pub(super) fn filtered(&mut self, work: WorkId, filtered: Filtered) -> Vec<Effect> {
        let Some(filter) = &mut self.sidebar.filter else {
            return Vec::new();
        };
        if filter.work != Some(work) {
            return Vec::new();
        }
        filter.work = None;
        if std::mem::take(&mut filter.is_early) {
            filter.searched = Some(filtered.searched);
            return self.search();
        }
        let is_new = filter.by != filtered.query;
        filter.by = filtered.query;
        filter.searched = Some(filtered.searched);
        filter.found = Arc::new(filtered.found);
        let here = self.sidebar.index();
        self.sidebar.make_rows();
        if is_new {
            self.sidebar.cursor = 0;
        } else if let Some(here) = here {
            self.sidebar.stay_on(here);
        }
        self.reveal_all();
        Vec::new()
    }

    /// Shows the tree again, the cursor on what it was on; whether it did not.
    pub(super) fn clear_filter(&mut self) -> bool {
        let here = self.sidebar.index();
        let was = self.sidebar.filter.take().is_some();
        self.sidebar.make_rows();
        if let Some(here) = here.filter(|_| was) {
            self.show_bookmark(here);
        }
        self.reveal_all();
        was
    }

    /// Puts the cursor on a bookmark, wherever it is.
    pub(super) fn show_bookmark(&mut self, index: usize) {
        self.focus = Focus::Bookmarks;
        self.sidebar.shown = true;
        self.sidebar.go_to(index);
        let height = self.bookmarks_height();
        self.sidebar.centre(height);
        self.reveal_all();
    }

    /// The nearest thing in the pane that Esc clears: what is held, the filter, the marks.
    pub(super) fn stop_in_bookmarks(&mut self) -> bool {
        if self.focus != Focus::Bookmarks {
            return false;
        }
        if self.sidebar.let_go() {
            self.tell("let go: all is where it was");
            return true;
        }
        if self.clear_filter() {
            return true;
        }
        let marked = self.sidebar.marks() > 0;
        self.sidebar.unmark();
        marked
    }

    /// The next bookmark with a fault, below the cursor or else from the top.
    pub(super) fn go_to_fault(&mut self) -> Vec<Effect> {
        let bookmarks = &self.sidebar.bookmarks;
        let from = self.sidebar.index().map_or(0, |index| index + 1);
        let faults = |range: std::ops::Range<usize>| {
            range.into_iter().find(|&index| {
                bookmarks
                    .bookmark(index)
                    .is_some_and(|bookmark| bookmark.has_fault)
            })
        };
        let next = faults(from..bookmarks.len()).or_else(|| faults(0..from));
        match next {
            Some(index) => {
                self.show_bookmark(index);
                if index < from {
                    let repair = self.key_of(Action::Repair);
                    self.tell(&format!(
                        "the first one with a fault again; {repair} offers a repair"
                    ));
                }
            }
            None => self.tell("no bookmark has a fault"),
        }
        Vec::new()
    }
}
