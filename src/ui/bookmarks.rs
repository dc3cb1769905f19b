//! The bookmark pane: a tree on the left, or search results.

use geomys_load::{Reason, Request};
use geomys_page::document::{Kind, kind_of};
use geomys_store::bookmarks::dates::BookmarkOrder;
use geomys_store::bookmarks::{Bookmark, Folder, Item, Query};
use geomys_wire::net::shown_url;
use geomys_wire::text::{self, Text};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation;

use super::screen::Screen;
use super::theme::{Glyph, Role, Theme};
use super::title::{Title, in_list};
use geomys_app::Focus;
use geomys_app::action::Action;
use geomys_app::copies::Availability;

/// The width from which tags and URL have columns of their own.
const WIDE: usize = 60;

/// Draws the bookmarks. Returns the position of the terminal's cursor, if they have the focus.
pub(super) fn draw(screen: &Screen<'_>, area: Rect, buffer: &mut Buffer) -> Option<Position> {
    let is_focused = screen.app.cx.focus == Focus::Bookmarks;
    let mut cursor = is_focused.then_some(area.as_position());
    let sidebar = screen.app.bookmarks.listed();
    let line_at = |y| Rect {
        y,
        height: 1,
        ..area
    };
    screen.write(buffer, line_at(area.y), &heading(screen, area.width));
    let rows = sidebar.rows().iter().enumerate().skip(sidebar.top);
    for ((row, &index), y) in rows.zip(area.y + 1..area.bottom()) {
        if let Some(item) = sidebar.bookmarks.item(index) {
            let here = row == sidebar.cursor;
            let line = BookmarkRow::new(screen, &item, here, area.width).line(item);
            screen.write(buffer, line_at(y), &line);
            if here && is_focused {
                screen.highlight_below(buffer, line_at(y));
                cursor = Some(line_at(y).as_position());
            }
        }
    }
    if sidebar.rows().is_empty() {
        let lines = empty_lines(screen, usize::from(area.width).saturating_sub(2).max(1));
        for ((words, role), y) in lines.into_iter().zip(area.y + 1..area.bottom()) {
            let line = screen.line(format!(" {words}"), role);
            screen.write(buffer, line_at(y), &line);
        }
    }
    cursor
}

/// Returns what stands in place of rows: why there is none.
fn empty_lines(screen: &Screen<'_>, width: usize) -> Vec<(String, Role)> {
    let sidebar = &screen.app.bookmarks.sidebar;
    let Some(filter) = sidebar.filter() else {
        let add = screen.key(Action::BookmarkPage).unwrap_or_default();
        let words = format!("No bookmarks yet: {add} adds this page, :import FILE");
        return wrapped(&words, width, Role::Dim);
    };
    let Some(error) = &filter.error else {
        return vec![("No match".to_owned(), Role::Dim)];
    };
    let fault = wrapped(&error.fault(), width, Role::Fault);
    [fault, wrapped(&error.advice(), width, Role::Dim)].concat()
}

/// Returns a sentence in lines of this width.
fn wrapped(words: &str, width: usize, role: Role) -> Vec<(String, Role)> {
    let words = Text::of(words);
    let lines = text::wrap(words.as_str(), width).into_iter();
    lines.map(|line| (line.to_owned(), role)).collect()
}

/// The title of the pane, or the query; and the number of results, marked bookmarks or faults.
fn heading(screen: &Screen<'_>, width: u16) -> Line<'static> {
    let sidebar = screen.app.bookmarks.listed();
    let focused = screen.app.cx.focus == Focus::Bookmarks;
    let faults = sidebar.bookmarks.faults();
    let name = sidebar.filter().map(|filter| filter.typed.trim());
    let all = match sidebar.order() {
        BookmarkOrder::File => "Bookmarks",
        BookmarkOrder::Title => "Bookmarks by title",
        BookmarkOrder::Added => "Bookmarks, last added",
        BookmarkOrder::Visited => "Bookmarks, last visited",
        BookmarkOrder::Host => "Bookmarks by host",
    };
    let name = name.map_or(all.to_owned(), |typed| {
        Text::of(&format!("/{typed}")).to_string()
    });
    let (aside, role) = match (sidebar.filter(), sidebar.marks()) {
        (_, marks @ 1..) => {
            let marked = format!("{} {}", text::count(marks), screen.glyph(Glyph::Marked));
            (marked, Role::Marked)
        }
        (Some(filter), 0) => (text::count(filter.found.len()), Role::Number),
        (None, 0) if faults > 0 => {
            let noun = if faults == 1 { "URL" } else { "URLs" };
            (format!("{} bad {noun}", text::count(faults)), Role::Fault)
        }
        (None, 0) if sidebar.rows().is_empty() => (String::new(), Role::Number),
        (None, 0) => (in_list(sidebar.cursor, sidebar.rows().len()), Role::Dim),
    };
    let title = Title {
        name: &name,
        aside: &aside,
        role,
        focused,
    };
    title.line(screen, width)
}

/// Returns whether the page of a bookmark can be opened offline; `None` online.
fn availability(screen: &Screen<'_>, bookmark: &Bookmark<'_>) -> Option<Availability> {
    if !screen.app.cx.settings.offline {
        return None;
    }
    let request = Request::show(bookmark.repaired_url().ok()?, Reason::Bookmark);
    screen.app.cx.copies.availability(&request)
}

/// A row that is being drawn.
struct BookmarkRow<'a> {
    screen: &'a Screen<'a>,
    width: usize,
    style: Style,
    /// True for the row of the cursor.
    here: bool,
    /// The query, if only its results are shown.
    query: Option<&'a Query>,
    /// The text at the right edge.
    aside: (String, Role),
    spans: Vec<Span<'a>>,
}

impl<'a> BookmarkRow<'a> {
    fn new(screen: &'a Screen<'_>, item: &Item<'_>, here: bool, width: u16) -> Self {
        let sidebar = screen.app.bookmarks.listed();
        let focused = screen.app.cx.focus == Focus::Bookmarks;
        let availability = match item {
            Item::Bookmark(bookmark) => availability(screen, bookmark),
            Item::Folder(_) => None,
        };
        let is_here = availability.is_none_or(|availability| availability == Availability::Here);
        let role = match item {
            Item::Folder(_) => Role::Folder,
            Item::Bookmark(_) if sidebar.is_cut(item.index()) || !is_here => Role::Dim,
            Item::Bookmark(_) => Role::Text,
        };
        let style = screen.style(role);
        let mark = if here {
            let is_below = screen.has_element_above();
            let role = if focused && !is_below {
                Role::Mark
            } else {
                Role::MarkAway
            };
            screen.span(screen.glyph(Glyph::Cursor), role)
        } else {
            screen.availability(availability)
        };
        let aside = if sidebar.is_marked(item.index()) {
            (screen.glyph(Glyph::Marked).to_owned(), Role::Marked)
        } else {
            (String::new(), Role::Number)
        };
        Self {
            screen,
            width: usize::from(width),
            style,
            here: here && focused,
            query: sidebar.filter().map(|filter| &filter.query),
            aside,
            spans: vec![mark],
        }
    }

    fn line(self, item: Item<'_>) -> Line<'a> {
        match item {
            Item::Folder(folder) => self.folder(folder),
            Item::Bookmark(bookmark) => self.bookmark(bookmark),
        }
    }

    /// Draws a folder, with the number of its bookmarks if it is closed.
    fn folder(mut self, folder: Folder<'_>) -> Line<'a> {
        let sidebar = self.screen.app.bookmarks.listed();
        let closed = sidebar.is_closed(folder.index);
        let glyph = if closed { Glyph::Closed } else { Glyph::Open };
        if closed && self.aside.0.is_empty() {
            self.aside.0 = text::count(sidebar.bookmarks.count(folder.index));
        }
        let room = self.begin(folder.depth, glyph, self.style);
        self.words(folder.name().as_str(), room, self.style);
        self.end()
    }

    fn bookmark(mut self, bookmark: Bookmark<'_>) -> Line<'a> {
        let url = bookmark.repaired_url().ok();
        let mark = url.and_then(|url| self.screen.app.bookmarks.checks.mark(&url));
        let (glyph, role) = match mark.map(Theme::check) {
            Some((glyph, role)) => (glyph, Some(role)),
            None if bookmark.has_fault => (Glyph::Fault, Some(Role::Fault)),
            None => {
                let kind = bookmark.url().map_or(Kind::Malformed, |url| kind_of(&url));
                (Theme::mark(kind), Some(Theme::glyph_role(kind)))
            }
        };
        let mark = role.map_or(self.style, |role| self.screen.style(role));
        let is_flat = self.screen.app.bookmarks.listed().is_flat();
        let depth = if is_flat { 0 } else { bookmark.depth };
        let room = self.begin(depth, glyph, mark);
        let dim = self.screen.style(Role::Dim);
        if self.width >= WIDE {
            // The columns are aligned, whatever the depth of a folder.
            let left = self.width.saturating_sub(room);
            let title = (self.width * 2 / 5).saturating_sub(left);
            let tags = self.width / 5;
            self.column(bookmark.label().as_str(), title, self.style);
            self.spans.push(Span::raw(" "));
            let words = bookmark.tags();
            let words: Vec<String> = words.iter().map(|tag| format!("#{tag}")).collect();
            self.column(&words.join(" "), tags, self.screen.style(Role::Tag));
            self.spans.push(Span::raw(" "));
            let rest = room.saturating_sub(title + tags + 2);
            match bookmark.url() {
                Ok(url) => self.words(&shown_url(&url), rest, dim),
                Err(_) => {
                    let written = bookmark.url_text();
                    self.words(&rfc1738::mask(written.as_str()), rest, self.style);
                }
            }
            return self.end();
        }
        let label = bookmark.label();
        if self.here && label.width() > room {
            *self.screen.cut_row.borrow_mut() = Some(label.to_string());
        }
        self.words(label.as_str(), room, self.style);
        if is_flat {
            let folders = self
                .screen
                .app
                .bookmarks
                .listed()
                .bookmarks
                .folder_of(bookmark.index);
            let rest = room.saturating_sub(label.width() + 2);
            if rest > 3 && !folders.is_empty() {
                self.spans.push(Span::raw("  "));
                self.words(&folders.join("/"), rest, dim);
            }
        }
        self.end()
    }

    /// Indents the row and writes the glyph. Returns the columns left for text.
    fn begin(&mut self, depth: usize, glyph: Glyph, style: Style) -> usize {
        // The glyph replaces one indent step, so that a folder's bookmarks are aligned with its name.
        let indent = (depth.saturating_sub(1) * 2).min(self.width / 3);
        self.spans.push(Span::raw(" ".repeat(indent)));
        let glyph = format!("{} ", self.screen.glyph(glyph));
        self.spans.push(Span::styled(glyph, style));
        let aside = text::width(&self.aside.0);
        self.width.saturating_sub(indent + 4 + aside)
    }

    /// Writes text into a column of this width, shortened or padded.
    fn column(&mut self, words: &str, room: usize, style: Style) {
        let before: usize = self.spans.iter().map(Span::width).sum();
        self.words(words, room, style);
        let after: usize = self.spans.iter().map(Span::width).sum();
        let pad = room.saturating_sub(after - before);
        self.spans.push(Span::raw(" ".repeat(pad)));
    }

    /// Writes text, with the letters that match the query marked.
    fn words(&mut self, words: &str, room: usize, style: Style) {
        let words = self.screen.shorten(words, room);
        let marks = self.query.map(|query| query.marks(&words));
        let marks = marks.unwrap_or_default();
        if marks.is_empty() {
            self.spans.push(Span::styled(words, style));
            return;
        }
        let lit = style.patch(self.screen.style(Role::Match));
        for (number, letter) in words.graphemes(true).enumerate() {
            let is_lit = marks.binary_search(&number).is_ok();
            let style = if is_lit { lit } else { style };
            self.spans.push(Span::styled(letter.to_owned(), style));
        }
    }

    fn end(self) -> Line<'a> {
        let taken: usize = self.spans.iter().map(Span::width).sum();
        let (aside, role) = self.aside;
        let mut line = Line::from(self.spans);
        if !aside.is_empty() {
            let pad = self.width.saturating_sub(taken + text::width(&aside) + 1);
            line.push_span(" ".repeat(pad));
            line.push_span(self.screen.span(aside, role));
        }
        line
    }
}
