//! A page: one address, its document as far as it has come, and the place at which it is read.

use std::ops::Range;
use std::time::Duration;

use crate::document::find::{Direction, Needle};
use crate::document::{Document, Link, Row};
use crate::load::{Failure, LoadId};
use crate::text::{self, Text};
use crate::url::Url;

/// How far a key looks for the next link, in rows, so that no key takes long.
const LINK_SCAN: usize = 50_000;

/// Lines that a failure is scrolled at the most.
const FAILURE: usize = 40;

/// A page in a pane's history.
#[derive(Clone, Debug)]
pub struct Page {
    /// Its address.
    pub url: Url,
    /// What the link to it, or the server, called it.
    pub title: Text,
    /// What there is to show.
    pub content: Content,
    /// How far its load is.
    pub state: State,
    /// Where it is read.
    pub place: Place,
    /// Long lines are wrapped; else they are scrolled sideways.
    pub wrap: bool,
    /// The words last looked for in it.
    pub needle: Option<Needle>,
    /// The page itself, while its source is shown.
    pub rendered: Option<Rendered>,
    /// The finishing or sorting whose outcome is for this page.
    pub finishing: Option<WorkId>,
    /// The find whose outcome is for this page, and its way.
    pub finding: Option<(WorkId, Direction)>,
    /// The news server it came from: where its `news:` links lead.
    pub news_server: Option<(String, u16)>,
}

/// A page while its source is shown in its stead.
#[derive(Clone, Debug)]
pub struct Rendered {
    /// The page itself.
    pub document: Document,
    /// Where it was read.
    pub place: Place,
    /// Its long lines were wrapped.
    pub wrap: bool,
}

/// Tells the outcome of one long computation from that of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkId(pub u64);

/// What a page shows.
#[derive(Clone, Debug)]
pub enum Content {
    /// Rows, perhaps not all of them yet.
    Document(Document),
    /// Why there is nothing.
    Failure(Failure),
    /// Nothing any more: it was let go to save memory, and is loaded again when it is looked at.
    Forgotten,
}

/// How far a page's load is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// Octets arrive.
    Arriving(Progress),
    /// All is here.
    Whole,
    /// A person stopped it; what came is here.
    Stopped,
    /// Another page was opened over it before all had come; it is loaded again when it is gone back to.
    Left,
    /// It reached the cap of a page, in octets; what came is here.
    Cut(u64),
    /// It failed on the way; what came is here.
    Broken(Failure),
}

/// How a transfer goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Whose parts they are.
    pub load: LoadId,
    /// Octets so far.
    pub octets: u64,
    /// Octets in all, when the server said.
    pub size: Option<u64>,
    /// When the first came, by the loop's clock.
    pub since: Duration,
    /// When the last came.
    pub now: Duration,
}

impl Progress {
    /// Octets a second; nothing before there is a span to speak of.
    pub fn rate(&self) -> Option<u64> {
        let millis = u64::try_from(self.now.saturating_sub(self.since).as_millis()).ok()?;
        (millis >= 250).then(|| self.octets.saturating_mul(1000) / millis)
    }

    /// Seconds left, when the size is known.
    pub fn seconds_left(&self) -> Option<u64> {
        let left = self.size?.checked_sub(self.octets)?;
        left.checked_div(self.rate()?)
    }
}

/// A place in a page. Rows are counted from 0; a wrapped row has several lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The row of the cursor.
    pub cursor: usize,
    /// Which of its links is chosen, where a row can have several.
    pub link: Option<usize>,
    /// The first row on screen, and its first line there.
    pub top: (usize, usize),
    /// Columns scrolled to the right.
    pub left: usize,
}

/// The room that a page's text has on screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// Columns for the text of a row.
    pub width: usize,
    /// Lines.
    pub height: usize,
}

impl Page {
    /// A page of this document, at its top.
    pub fn new(url: Url, title: Text, document: Document, state: State) -> Self {
        let wrap = !document.is_list();
        Self {
            url,
            title,
            content: Content::Document(document),
            state,
            place: Place::default(),
            wrap,
            needle: None,
            rendered: None,
            finishing: None,
            finding: None,
            news_server: None,
        }
    }

    /// A page that tells why there is none.
    pub fn failed(url: Url, title: Text, failure: Failure) -> Self {
        Self {
            url,
            title,
            content: Content::Failure(failure),
            state: State::Whole,
            place: Place::default(),
            wrap: true,
            needle: None,
            rendered: None,
            finishing: None,
            finding: None,
            news_server: None,
        }
    }

    /// Its document, when it has one.
    pub fn document(&self) -> Option<&Document> {
        match &self.content {
            Content::Document(document) => Some(document),
            Content::Failure(_) | Content::Forgotten => None,
        }
    }

    /// Whether it has to be loaded again before it can be read.
    pub fn wants_load(&self) -> bool {
        matches!(self.content, Content::Forgotten) || self.state == State::Left
    }

    /// The load whose octets arrive.
    pub fn load(&self) -> Option<LoadId> {
        match &self.state {
            State::Arriving(progress) => Some(progress.load),
            State::Whole | State::Stopped | State::Left | State::Cut(_) | State::Broken(_) => None,
        }
    }

    /// Rows so far.
    pub fn count(&self) -> usize {
        self.document().map_or(0, Document::count)
    }

    /// Whether the cursor walks its rows; else they scroll.
    pub fn is_list(&self) -> bool {
        self.document().is_some_and(Document::is_list)
    }

    /// The link under the cursor.
    pub fn link(&self) -> Option<Link> {
        let document = self.document()?;
        let links = document.links(self.place.cursor);
        let index = if document.is_list() {
            0
        } else {
            self.place.link?
        };
        links.into_iter().nth(index)
    }

    /// Moves by `rows`: the cursor of a list, the screen of a text.
    pub fn step(&mut self, rows: isize, view: View) {
        if self.is_list() {
            let last = self.count().saturating_sub(1);
            self.place.cursor = self.place.cursor.saturating_add_signed(rows).min(last);
            self.reveal(view);
        } else {
            self.scroll(rows, view);
        }
    }

    /// Moves by screens, or by parts of one, in lines.
    pub fn page(&mut self, lines: isize, view: View) {
        let before = self.place.top;
        self.scroll(lines, view);
        if self.is_list() {
            let last = self.count().saturating_sub(1);
            let moved = self.place.top.0.abs_diff(before.0);
            self.place.cursor = if self.place.top == before {
                // The screen cannot go further, so the cursor does.
                if lines > 0 { last } else { 0 }
            } else if lines > 0 {
                (self.place.cursor + moved).min(last)
            } else {
                self.place.cursor.saturating_sub(moved)
            };
            self.reveal(view);
        }
    }

    /// To the first row.
    pub fn to_top(&mut self) {
        self.place = Place {
            left: self.place.left,
            ..Place::default()
        };
    }

    /// To the last row.
    pub fn to_bottom(&mut self, view: View) {
        self.place.cursor = self.count().saturating_sub(1);
        self.place.link = None;
        self.place.top = self.last_top(view);
    }

    /// Puts the cursor on a row and shows it.
    pub fn go_to(&mut self, row: usize, view: View) {
        self.place.cursor = row.min(self.count().saturating_sub(1));
        self.place.link = None;
        self.reveal(view);
    }

    /// To the next link, or the one before; whether there was one within reach.
    pub fn step_link(&mut self, forward: bool, view: View) -> bool {
        let Some((row, link)) = self.seek_link(forward, view) else {
            return false;
        };
        self.place.cursor = row;
        self.place.link = Some(link);
        self.reveal(view);
        true
    }

    fn seek_link(&self, forward: bool, view: View) -> Option<(usize, usize)> {
        let document = self.document()?;
        let count = document.count();
        let screen = self.place.top.0..self.place.top.0.saturating_add(view.height);
        let chosen = self
            .place
            .link
            .filter(|_| screen.contains(&self.place.cursor));
        if !document.is_list()
            && let Some(chosen) = chosen
        {
            let links = document.links(self.place.cursor).len();
            if forward && chosen + 1 < links {
                return Some((self.place.cursor, chosen + 1));
            }
            if !forward && chosen > 0 {
                return Some((self.place.cursor, chosen - 1));
            }
        }
        let start = match (document.is_list() || chosen.is_some(), forward) {
            (true, _) => self.place.cursor,
            (false, true) => screen.start.checked_sub(1).unwrap_or(usize::MAX),
            (false, false) => screen.end.min(count),
        };
        let row = if forward {
            let first = start.wrapping_add(1);
            (first..count)
                .take(LINK_SCAN)
                .find(|&row| document.is_link(row))
        } else {
            (0..start.min(count))
                .rev()
                .take(LINK_SCAN)
                .find(|&row| document.is_link(row))
        }?;
        let last = document.links(row).len().saturating_sub(1);
        Some((
            row,
            if forward || document.is_list() {
                0
            } else {
                last
            },
        ))
    }

    /// Scrolls until the cursor is on screen.
    pub fn reveal(&mut self, view: View) {
        let cursor = self.place.cursor;
        if cursor < self.place.top.0 || (cursor == self.place.top.0 && self.place.top.1 > 0) {
            self.place.top = (cursor, 0);
            return;
        }
        // Walk back from the cursor: no more rows than a screen has lines.
        let last = cursor + 1 >= self.count();
        let note = if last { self.note_height() } else { 0 };
        let mut lines = (self.height_of(cursor, view) + note).min(view.height);
        let mut row = cursor;
        while row > self.place.top.0 {
            let above = self.height_of(row - 1, view);
            if lines + above > view.height {
                self.place.top = (row, 0);
                return;
            }
            lines += above;
            row -= 1;
        }
    }

    /// Scrolls by lines, no further than the last screen.
    pub fn scroll(&mut self, lines: isize, view: View) {
        if let Content::Failure(_) = self.content {
            // The screen knows where its sentences end.
            self.place.top.0 = self.place.top.0.saturating_add_signed(lines).min(FAILURE);
            return;
        }
        let mut left = lines.unsigned_abs();
        let (mut row, mut line) = self.place.top;
        if lines < 0 {
            while left > 0 && (row, line) != (0, 0) {
                if line > 0 {
                    let step = line.min(left);
                    line -= step;
                    left -= step;
                } else {
                    row -= 1;
                    line = self.height_of(row, view);
                }
            }
            self.place.top = (row, line);
        } else {
            let count = self.count();
            while left > 0 && row < count {
                let height = self.height_of(row, view);
                let step = height.saturating_sub(line).min(left);
                line += step;
                left -= step;
                if line >= height {
                    row += 1;
                    line = 0;
                }
            }
            self.place.top = (row, line)
                .min(self.last_top(view))
                .max(self.place.top.min(self.last_top(view)));
        }
        if !self.is_list() && self.place.link.is_none() {
            self.place.cursor = self.place.top.0;
        }
    }

    /// The place at which the last row stands on the last line.
    fn last_top(&self, view: View) -> (usize, usize) {
        let mut row = self.count();
        let mut room = view.height.saturating_sub(self.note_height()).max(1);
        while row > 0 {
            let height = self.height_of(row - 1, view);
            if height >= room {
                return (row - 1, height - room);
            }
            room -= height;
            row -= 1;
        }
        (0, 0)
    }

    /// Lines below the last row that say why the page ends there.
    fn note_height(&self) -> usize {
        match self.state {
            State::Arriving(_) | State::Whole => 0,
            State::Stopped | State::Left | State::Cut(_) | State::Broken(_) => 1,
        }
    }

    /// Lines that a row takes.
    pub fn height_of(&self, row: usize, view: View) -> usize {
        if !self.wrap {
            return 1;
        }
        match self.document().and_then(|document| document.row(row)) {
            Some(row) => self.lines(&row, view.width).len(),
            None => 1,
        }
    }

    /// The lines of a row: ranges of octets of its text, or all of it where lines are not wrapped.
    pub fn lines(&self, row: &Row, width: usize) -> Vec<Range<usize>> {
        let all = row.text();
        if !self.wrap {
            return std::iter::once(0..all.len()).collect();
        }
        let starts = text::breaks(&all, width);
        let ends = starts
            .iter()
            .skip(1)
            .copied()
            .chain(std::iter::once(all.len()));
        starts
            .iter()
            .zip(ends)
            .map(|(&start, end)| start..end)
            .collect()
    }
}

impl State {
    /// Whether octets still arrive.
    pub fn is_arriving(&self) -> bool {
        matches!(self, Self::Arriving(_))
    }
}
