//! Searching in a page, while the words are typed.

use geomys_page::document::find::{Direction, FindStart, MatchCount, MatchPosition, SearchText};
use geomys_wire::text;

use crate::app::action::Action;
use crate::app::dialogs::text_input::{FindOrigin, InputCommand, TextInput};
use crate::app::tabs::page::FoundMatch;
use crate::app::view::position::Viewport;
use crate::app::{Context, Dialog, Page, Tabs, TabsEffect, WorkId};

impl Tabs {
    /// Asks for the words to find.
    pub(crate) fn ask_find(&mut self, cx: &mut Context) {
        let Some(page) = self.page() else {
            return;
        };
        let origin = FindOrigin {
            position: page.position,
            needle: page.needle.clone(),
        };
        let input = TextInput::new(InputCommand::Find(Box::new(origin)), "");
        cx.ask(Dialog::input("Find", input));
    }

    /// Finds the first match from the origin on, while the words are typed.
    pub(crate) fn find_typed(&mut self, words: &str, origin: &FindOrigin, cx: &mut Context) {
        let Some(page) = self.page_mut() else {
            return;
        };
        page.position = origin.position;
        page.needle = SearchText::new(words);
        page.finding = None;
        page.found = None;
        let row = if page.is_list() {
            origin.position.cursor
        } else {
            origin.position.top.0
        };
        self.start_find(FindStart::Row(row), Direction::Down, cx);
    }

    /// Ends the search at Enter. Without words the page is as before.
    pub(crate) fn keep_find(&mut self, words: &str, origin: FindOrigin, cx: &mut Context) {
        if words.is_empty() {
            return self.leave_find(origin);
        }
        let Some(page) = self.page() else {
            return;
        };
        if page.needle.as_ref().map(SearchText::words) != Some(words) {
            self.find_typed(words, &origin, cx);
        } else if page.finding.is_none() && page.found.is_none() {
            cx.report_error(&not_found(words));
        }
    }

    /// Ends the search at Esc: the page is as before.
    pub(crate) fn leave_find(&mut self, origin: FindOrigin) {
        if let Some(page) = self.page_mut() {
            page.position = origin.position;
            page.needle = origin.needle;
            page.finding = None;
            page.found = None;
        }
    }

    pub(crate) fn find_again(&mut self, direction: Direction, cx: &mut Context) {
        let Some(page) = self.page() else {
            return;
        };
        if page.needle.is_none() {
            let find = cx.key_of(Action::Find);
            cx.notify(&format!("No search yet ({find} find)"));
            return;
        }
        let row = page.position.cursor;
        let current = page.found.map(|found| found.position);
        let from = current.filter(|current| current.row == row);
        let from = from.unwrap_or(MatchPosition {
            row,
            nth: match direction {
                Direction::Down => usize::MAX,
                Direction::Up => 0,
            },
        });
        self.start_find(FindStart::Match(from), direction, cx);
    }

    fn start_find(&mut self, start: FindStart, direction: Direction, cx: &mut Context) {
        let work = cx.next_work();
        let Some(page) = self.page_mut() else {
            return;
        };
        let (Some(document), Some(needle)) = (page.document().cloned(), page.needle.clone()) else {
            return;
        };
        page.finding = Some((work, start, direction));
        cx.emit(TabsEffect::Find(work, document, needle, start, direction));
    }

    /// Handles the end of a search task.
    pub(crate) fn found(&mut self, work: WorkId, found: Option<MatchPosition>, cx: &mut Context) {
        let counting = cx.next_work();
        let Some((page, view)) = self.page_view(cx) else {
            return;
        };
        let Some((_, start, direction)) = page.finding.take_if(|(finding, ..)| *finding == work)
        else {
            return;
        };
        // A key has started this search: its messages go with the next key, even while the words are typed.
        cx.by_key = true;
        let words = page.needle.as_ref().map_or("", SearchText::words);
        let Some(position) = found else {
            let words = not_found(words);
            return cx.report_error(&words);
        };
        let wrapped = match (start, direction) {
            (FindStart::Row(row), _) => position.row < row,
            (FindStart::Match(from), Direction::Down) => position <= from,
            (FindStart::Match(from), Direction::Up) => position >= from,
        };
        page.found = Some(FoundMatch {
            position,
            counting,
            count: None,
        });
        page.go_to_match(position, view);
        if let (Some(document), Some(needle)) = (page.document().cloned(), page.needle.clone()) {
            cx.emit(TabsEffect::Count(counting, document, needle, position));
        }
        match direction {
            _ if !wrapped => {}
            Direction::Down => cx.notify("Search wrapped to top"),
            Direction::Up => cx.notify("Search wrapped to bottom"),
        }
    }

    /// Handles the end of a task that counted matches.
    pub(crate) fn counted(&mut self, work: WorkId, count: MatchCount) {
        let is_it = |page: &Page| page.found.is_some_and(|found| found.counting == work);
        if let Some(page) = self.find_page(is_it)
            && let Some(found) = &mut page.found
        {
            found.count = Some(count);
        }
    }
}

/// The message of a search without a match.
pub fn not_found(words: &str) -> String {
    format!("\"{}\" not found", text::Text::of(words))
}

impl Page {
    /// Moves the cursor to the row of a match, and scrolls to the match in it.
    fn go_to_match(&mut self, found: MatchPosition, view: Viewport) {
        self.go_to(found.row, view);
        let Some(laid_out) = self.laid_out(found.row, view.width) else {
            return;
        };
        let matches = self
            .needle
            .as_ref()
            .map(|needle| needle.matches(&laid_out.text));
        let Some(range) = matches.and_then(|matches| matches.into_iter().nth(found.nth)) else {
            return;
        };
        if !self.wrap {
            let end = laid_out.text.get(..range.end).unwrap_or_default();
            let column = text::width(end);
            if column > self.position.left + view.width {
                self.position.left = column.saturating_sub(view.width / 2);
            } else if column <= view.width {
                self.position.left = 0;
            }
            return;
        }
        let line = laid_out
            .lines
            .iter()
            .rposition(|line| line.start <= range.start);
        let line = line.unwrap_or(0);
        let (top, above) = self.position.top;
        let before: usize = (top..found.row).map(|row| self.height_of(row, view)).sum();
        let is_visible = (above..above + view.height).contains(&(before + line));
        if !is_visible {
            self.position.top = (found.row, line.saturating_sub(view.height / 2));
        }
    }
}
