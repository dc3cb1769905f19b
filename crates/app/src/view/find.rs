//! Searching in a page, while the words are typed.

use std::collections::VecDeque;

use geomys_page::document::Document;
use geomys_page::document::find::{Direction, FindStart, MatchCount, MatchPosition, SearchText};
use geomys_wire::text;

use crate::action::Action;
use crate::dialogs::text_input::{FindOrigin, InputCommand, TextInput};
use crate::view::context::{Outcome, ViewContext};
use crate::view::scroll::Scroller;
use crate::view::viewport::Viewport;
use crate::view::work::{Work, WorkId, WorkResult};
use crate::{Context, Dialog};

/// The most keys that wait for the end of a search: a key that is held down repeats faster than a long page is
/// searched.
const MAX_STEPS: usize = 16;

/// The search in a document.
#[derive(Debug, Default)]
pub struct Search {
    /// The words of the last search.
    pub needle: Option<SearchText>,
    /// The task whose result is awaited, with its start and its direction.
    pub finding: Option<(WorkId, FindStart, Direction)>,
    /// The directions of the keys that came while the task runs: each goes on from the match that the one before finds.
    steps: VecDeque<Direction>,
    /// The match that the last search found.
    pub found: Option<FoundMatch>,
}

/// The match that a search found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundMatch {
    /// The position of the match.
    pub position: MatchPosition,
    /// The task that counts the matches.
    pub counting: WorkId,
    /// Its number among all matches, once they are counted.
    pub count: Option<MatchCount>,
}

impl From<Option<SearchText>> for Search {
    /// Creates a search that has not begun.
    fn from(needle: Option<SearchText>) -> Self {
        Self {
            needle,
            ..Self::default()
        }
    }
}

impl Search {
    /// Forgets the search. Returns false if there was none.
    pub(crate) fn clear(&mut self) -> bool {
        std::mem::take(self).needle.is_some()
    }

    /// Forgets the match that was found and the task that finds one, which belong to another document.
    pub(super) fn forget_matches(&mut self) {
        self.finding = None;
        self.steps.clear();
        self.found = None;
    }

    fn start(
        &mut self,
        document: &Document,
        (start, direction): (FindStart, Direction),
        cx: &mut Context,
    ) {
        if let Some(needle) = self.needle.clone() {
            let work = cx.next_work();
            cx.start_work(work, Work::Find(document.clone(), needle, start, direction));
            self.finding = Some((work, start, direction));
        }
    }

    /// Handles the end of a task that counted matches.
    fn counted(&mut self, work: WorkId, count: MatchCount) {
        if let Some(found) = self.found.as_mut().filter(|found| found.counting == work) {
            found.count = Some(count);
        }
    }

    /// Returns true if the result of a computation is for this search.
    pub(super) fn awaits(&self, work: WorkId) -> bool {
        let finding = self.finding.map(|(finding, ..)| finding);
        let counting = self.found.map(|found| found.counting);
        [finding, counting].contains(&Some(work))
    }
}

impl Viewport {
    /// Asks for the words to find.
    pub(super) fn ask_find(&self) -> Outcome {
        let origin = FindOrigin {
            position: self.position,
            needle: self.search.needle.clone(),
        };
        let input = TextInput::new(InputCommand::Find(Box::new(origin)), "");
        Dialog::input("Find", input).into()
    }

    /// Finds the first match from the origin on, while the words are typed.
    pub(crate) fn find_typed(
        &mut self,
        words: &str,
        origin: &FindOrigin,
        at: &mut ViewContext<'_>,
    ) {
        self.position = origin.position;
        self.search = SearchText::new(words).into();
        let row = if self.is_list() {
            origin.position.cursor
        } else {
            origin.position.top.0
        };
        let start = (FindStart::Row(row), Direction::Down);
        self.search.start(&self.document, start, at.cx);
    }

    /// Finds the words of a search of stored copies, where they are best; the page has just arrived.
    pub(crate) fn find_words(&mut self, words: SearchText, cx: &mut Context) {
        // The words may be in folded headers or quotations.
        self.document.unfold();
        self.search = Some(words).into();
        let start = (FindStart::Best, Direction::Down);
        self.search.start(&self.document, start, cx);
    }

    /// Ends the search at Enter. Without words the page is as before.
    pub(crate) fn keep_find(&mut self, words: &str, origin: FindOrigin, at: &mut ViewContext<'_>) {
        if words.is_empty() {
            return self.leave_find(origin);
        }
        let search = &self.search;
        if search.needle.as_ref().map(SearchText::words) != Some(words) {
            self.find_typed(words, &origin, at);
        } else if search.finding.is_none() && search.found.is_none() {
            at.cx.report_error(&not_found(words));
        }
    }

    /// Ends the search at Esc: the page is as before.
    pub(crate) fn leave_find(&mut self, origin: FindOrigin) {
        self.position = origin.position;
        self.search = origin.needle.into();
    }

    pub(super) fn find_again(&mut self, direction: Direction, at: &mut ViewContext<'_>) {
        if self.search.needle.is_none() {
            let find = at.cx.key_of(Action::Find);
            return at.cx.notify(&format!("No search yet ({find} find)"));
        }
        if self.search.finding.is_some() {
            if self.search.steps.len() < MAX_STEPS {
                self.search.steps.push_back(direction);
            }
            return;
        }
        let row = self.position.cursor;
        let current = self.search.found.map(|found| found.position);
        let from = current.filter(|current| current.row == row);
        let from = from.unwrap_or(MatchPosition {
            row,
            nth: match direction {
                Direction::Down => usize::MAX,
                Direction::Up => 0,
            },
        });
        let start = (FindStart::Match(from), direction);
        self.search.start(&self.document, start, at.cx);
    }

    /// Takes the result of a search or a count.
    pub(crate) fn take(
        &mut self,
        work: WorkId,
        result: &WorkResult,
        at: &mut ViewContext<'_>,
    ) -> Outcome {
        match result {
            WorkResult::Found(found) => self.find_ended(work, *found, at),
            WorkResult::Counted(count) => self.search.counted(work, *count),
            WorkResult::Finished(_)
            | WorkResult::LaidOut(_)
            | WorkResult::Rendered(_)
            | WorkResult::Read(_) => return Outcome::Ignored,
        }
        Outcome::Done
    }

    /// Handles the end of a search task.
    fn find_ended(&mut self, work: WorkId, found: Option<MatchPosition>, at: &mut ViewContext<'_>) {
        let is_it = |(finding, ..): &mut (WorkId, FindStart, Direction)| *finding == work;
        let Some((_, start, direction)) = self.search.finding.take_if(is_it) else {
            return;
        };
        // A key has started this search: its messages go with the next key, even while the words are typed.
        at.cx.by_key = true;
        let Some(needle) = self.search.needle.clone() else {
            return;
        };
        let Some(position) = found else {
            self.search.steps.clear();
            return at.cx.report_error(&not_found(needle.words()));
        };
        let wrapped = match (start, direction) {
            (FindStart::Best, _) => false,
            (FindStart::Row(row), _) => position.row < row,
            (FindStart::Match(from), Direction::Down) => position <= from,
            (FindStart::Match(from), Direction::Up) => position >= from,
        };
        if start == FindStart::Best {
            // What follows the words is on the screen too.
            let height = at.area.height;
            let top = position.row.saturating_sub(height / 3);
            self.position.top = (top.min(self.count().saturating_sub(height)), 0);
        }
        self.scroller(at.area).go_to_match(position, &needle);
        self.search.found = Some(FoundMatch {
            position,
            counting: at.start(Work::Count(self.document.clone(), needle, position)),
            count: None,
        });
        match direction {
            _ if !wrapped => {}
            Direction::Down => at.cx.notify("Search wrapped to top"),
            Direction::Up => at.cx.notify("Search wrapped to bottom"),
        }
        if let Some(direction) = self.search.steps.pop_front() {
            self.find_again(direction, at);
        }
    }
}

impl Scroller<'_> {
    /// Moves the cursor to the row of a match, and scrolls to the match in it.
    fn go_to_match(&mut self, found: MatchPosition, needle: &SearchText) {
        self.go_to(found.row);
        let Some(laid_out) = self.on_screen().laid_out(found.row) else {
            return;
        };
        let matches = laid_out.matches(needle, laid_out.text.len());
        let Some(range) = matches.into_iter().nth(found.nth) else {
            return;
        };
        if !laid_out.is_wrapped {
            let end = laid_out.text.get(..range.end).unwrap_or_default();
            let column = text::width(end);
            if column > self.rows.position.left + self.area.columns {
                self.rows.position.left = column.saturating_sub(self.area.columns / 2);
            } else if column <= self.area.columns {
                self.rows.position.left = 0;
            }
        }
        let line = laid_out
            .lines
            .iter()
            .rposition(|line| line.start <= range.start);
        let line = line.unwrap_or(0);
        let (top, above) = self.rows.position.top;
        let before: usize = (top..found.row)
            .map(|row| self.on_screen().height_of(row))
            .sum();
        let is_visible = (above..above + self.area.height).contains(&(before + line));
        if !is_visible {
            self.rows.position.top = (found.row, line.saturating_sub(self.area.height / 2));
        }
    }
}

/// The message of a search without a match.
pub fn not_found(words: &str) -> String {
    format!("\"{}\" not found", text::Text::of(words))
}
