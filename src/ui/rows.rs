//! The visible rows of a document.

mod columns;
mod gutter;
mod visible;

use std::ops::Range;

use geomys_page::document::{Kind, Row, Shape, TODAY};
use geomys_wire::text::{self, StyledRanges};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use rfc1738::{Protocol, Url};

use self::visible::{VisibleRow, at, ranges_of, sgr_styles, spans};
use super::screen::Screen;
use super::screen::{cells, on_screen};
use super::theme::{Glyph, Role, Theme};
use geomys_app::action::Action;
use geomys_app::copies::Availability;
use geomys_app::home::menu::KeyInRow;
use geomys_app::mouse::Click;
use geomys_app::settings::Colours;
use geomys_app::view::View;
use geomys_app::view::context::State;
use geomys_app::view::document_view::LaidOutRow;
use geomys_app::view::text_area::TextArea;
use geomys_app::view::viewport::Viewport;
use geomys_app::{Overlay, Page};

/// The number of links of a row that may look visited or cached.
const MAX_TARGETS: usize = 32;

/// The columns that rows share at least before one of them shows its end.
pub(super) const MIN_SHARED: usize = 8;

/// The links of a line: their columns, and their indices in the row.
type LineLinks = Vec<(Range<usize>, usize)>;

/// A document with its page and its area.
pub(super) struct Rows<'a> {
    pub(super) screen: &'a Screen<'a>,
    pub(super) page: &'a Page,
    pub(super) view: &'a Viewport,
    /// The area of the rows, and the space for their text in it.
    pub(super) area: Rect,
    pub(super) space: TextArea,
    pub(super) focused: bool,
}

impl Rows<'_> {
    /// Draws the rows, in two columns where there is room. Returns the position of the terminal's cursor: on the row
    /// with the focus, or else the first.
    pub(super) fn draw(&self, buffer: &mut Buffer) -> Position {
        let count = self.view.document.count();
        let Some((second, [left, right])) = self.view.two_columns(cells(self.area)) else {
            let (top, first) = self.view.position.top;
            // A reloaded page may be shorter than before, or not complete yet.
            return self.draw_from(top.min(count.saturating_sub(1))..count, first, buffer);
        };
        let left = Rows {
            area: on_screen(left),
            ..*self
        };
        let right = Rows {
            area: on_screen(right),
            ..*self
        };
        let at_left = left.draw_from(0..second, 0, buffer);
        let at_right = right.draw_from(second..count, 0, buffer);
        if self.view.position.cursor < second {
            at_left
        } else {
            at_right
        }
    }

    /// Draws these rows from the top of the area, the first one from its line `first` on.
    fn draw_from(&self, rows: Range<usize>, mut first: usize, buffer: &mut Buffer) -> Position {
        let (mut cursor, mut caret) = (self.area.as_position(), None);
        let Range {
            start: mut number,
            end: count,
        } = rows;
        let mut y = self.area.y;
        while y < self.area.bottom() && number < count {
            let Some(laid_out) = self.view.on_screen(self.space).laid_out(number) else {
                break;
            };
            let room = usize::from(self.area.bottom() - y);
            let lines = laid_out.lines.iter().cloned();
            let shown = lines.enumerate().skip(first).take(room);
            let end = shown.clone().next_back().map_or(0, |(_, line)| line.end);
            let row = self.visible_row(number, &laid_out, end);
            for (index, range) in shown {
                let area = self.line_at(y);
                let mut links = LineLinks::default();
                let line = self.line(&row, index == 0, range, &mut links);
                self.screen.write(buffer, area, &line);
                self.hyperlinks(number, links, area);
                self.press_keys(number, &laid_out.row, area);
                // A match that is found while its words are typed keeps its colours.
                if self.is_lit(number) && !(self.screen.has_element_above() && row.has_match()) {
                    self.screen.highlight_below(buffer, area);
                }
                if index == 0 && number == self.view.position.cursor {
                    cursor = area.as_position();
                }
                caret = caret.or(self.caret(&laid_out, index, area));
                y += 1;
            }
            first = 0;
            number += 1;
        }
        if y < self.area.bottom()
            && let Some((sentence, role)) = self.ending(count)
        {
            let line = format!(" {} {sentence}", self.screen.glyph(Glyph::Line).repeat(2));
            let line = self.screen.line(line, role);
            self.screen.write(buffer, self.line_at(y), &line);
        }
        caret.unwrap_or(cursor)
    }

    /// The cursor in a field that is edited, if it is in this line of the row.
    fn caret(&self, laid_out: &LaidOutRow, line: usize, area: Rect) -> Option<Position> {
        let caret = laid_out.row.caret?;
        let range = laid_out.lines.get(line)?;
        let is_last = line + 1 == laid_out.lines.len();
        if caret < range.start || caret >= range.end && !is_last {
            return None;
        }
        let before = text::width(laid_out.text.get(range.start..caret)?);
        let hang = if line > 0 {
            laid_out.row.hang_in(self.space.width)
        } else {
            0
        };
        let left = if laid_out.is_wrapped {
            0
        } else {
            self.view.position.left
        };
        let gutter = self.space.gutter.width_before(&laid_out.row);
        let column = (gutter + hang + before).saturating_sub(left);
        let x = area
            .x
            .saturating_add(u16::try_from(column).unwrap_or(u16::MAX));
        Some(Position::new(x.min(area.right().saturating_sub(1)), area.y))
    }

    /// The area of a line of the screen.
    fn line_at(&self, y: u16) -> Rect {
        Rect {
            y,
            height: 1,
            ..self.area
        }
    }

    /// The text below the last row, if there is something to say about the end.
    fn ending(&self, count: usize) -> Option<(String, Role)> {
        match &self.page.state {
            State::Arriving(_) if count == 0 => {
                Some(("nothing received yet".to_owned(), Role::Dim))
            }
            State::Whole if count == 0 => {
                let is_filtered = self.view.document.filter_summary().is_some();
                let words = if is_filtered {
                    "No match".to_owned()
                } else {
                    self.empty_words()
                };
                let note = self.page.end.note();
                let note = note.map_or(String::new(), |note| format!("; {note}"));
                Some((format!("{words}{note}"), Role::Dim))
            }
            State::Whole => Some((self.page.end.note()?, Role::Dim)),
            State::Arriving(_) | State::InSession(_) => None,
            State::Stopped => Some(("stopped here".to_owned(), Role::Dim)),
            State::Interrupted => Some(("the rest was not loaded".to_owned(), Role::Dim)),
            State::Truncated(limit) => {
                let more = self.screen.app.cx.settings.memory.next_limit(*limit);
                let key = more.and_then(|_| self.screen.key(Action::Reload));
                let limit = text::octets(*limit);
                let more = key.map_or(String::new(), |key| format!(": {key} loads more"));
                Some((format!("truncated at {limit}{more}"), Role::Fault))
            }
            State::Broken(failure) => {
                let missing = if count == 0 {
                    "nothing came"
                } else {
                    "the rest is missing"
                };
                // It stands before the reason, which may be cut.
                let key = self.screen.key(Action::Reload);
                let retry = key.map_or(String::new(), |key| format!(" ({key} retry)"));
                let words = format!("{missing}{retry}: {}", failure.reason());
                Some((words, Role::Fault))
            }
        }
    }

    /// Returns what stands in place of rows, and what would fill the page.
    fn empty_words(&self) -> String {
        let key = |action| self.screen.key(action).unwrap_or_default();
        match self.view.document.shape() {
            Shape::Group => format!(
                "No articles here yet: {} writes one, {} reloads",
                key(Action::PostArticle),
                key(Action::Reload)
            ),
            Shape::Groups => format!("No groups here: {} reloads", key(Action::Reload)),
            Shape::Visits => format!("No pages visited yet: {} opens a URL", key(Action::Go)),
            Shape::Listing { .. } => "No files here".to_owned(),
            _ => "This page is empty".to_owned(),
        }
    }

    /// The data from which the lines of a row are drawn, computed once for all of them. Only the text up to octet
    /// `end`, and up to the edge of the pane, is processed: a row may be 16 KiB long.
    fn visible_row<'a>(
        &self,
        number: usize,
        laid_out: &'a LaidOutRow,
        end: usize,
    ) -> VisibleRow<'a> {
        let (row, text) = (&laid_out.row, laid_out.text.as_str());
        let shared = if laid_out.is_wrapped {
            0
        } else {
            self.shared_columns(number, laid_out)
        };
        let is_file = self.is_file(&laid_out.row) && !laid_out.is_wrapped;
        let shows_end = is_file || shared >= MIN_SHARED;
        let end = if laid_out.is_wrapped {
            end
        } else if shows_end {
            text.len()
        } else {
            let columns = self.view.position.left + usize::from(self.area.width);
            text::prefix(text, columns + 1)
        };
        let width = if shows_end {
            text::width(text)
        } else {
            text::width_within(text, usize::from(self.area.width))
        };
        let text = text.get(..end).unwrap_or(text);
        let needle = self.view.search.needle.as_ref();
        let matches = match needle {
            Some(needle) => laid_out.matches(needle, text.len()),
            None => ranges_of(row, |span| span.is_match),
        };
        let found = self.view.search.found.map(|found| found.position);
        let found = found.filter(|found| found.row == number);
        let current = found.and_then(|found| matches.get(found.nth).cloned());
        VisibleRow {
            current,
            spans: spans(row),
            keys: if row.spans.iter().any(|span| span.is_key) {
                ranges_of(row, |span| span.is_key)
            } else {
                let keys = self.keys(number).iter();
                let keys = keys.map(|key| key.name.clone());
                keys.chain(self.today(text)).collect()
            },
            link_numbers: laid_out.numbers.ranges().collect(),
            sgr_styles: self.sgr_styles(number, row),
            matches,
            selected: self.selected(number, text.len()),
            number,
            text,
            width,
            row,
            is_wrapped: laid_out.is_wrapped,
            shared,
            is_file,
        }
    }

    /// Returns the marked part of a row.
    fn selected(&self, number: usize, length: usize) -> Vec<Range<usize>> {
        let selection = self.view.selection;
        let range = selection.and_then(|selection| selection.range_in(number, length));
        range.into_iter().collect()
    }

    /// Returns the columns at the beginning of a row that look like those of a row beside it, which goes on
    /// differently: with no room for more, the row shows its end. Nothing counts as that while the rows are scrolled
    /// sideways. A row looks the same with the cursor on it.
    fn shared_columns(&self, number: usize, laid_out: &LaidOutRow) -> usize {
        let position = &self.view.position;
        if !self.view.document.is_list() || position.left > 0 {
            return 0;
        }
        let beside = [number.checked_sub(1), Some(number + 1)];
        let shared = beside.into_iter().flatten().filter_map(|number| {
            let other = self.view.on_screen(self.space).laid_out(number)?;
            let (text, other) = (laid_out.text.as_str(), other.text.as_str());
            let same = text.chars().zip(other.chars());
            let same = same.take_while(|(one, other)| one == other);
            let end: usize = same.map(|(letter, _)| letter.len_utf8()).sum();
            (text != other).then(|| text::width(text.get(..end).unwrap_or_default()))
        });
        shared.max().unwrap_or(0)
    }

    /// Returns true for a file of a listing that is not scrolled sideways.
    fn is_file(&self, row: &Row) -> bool {
        let is_listing = matches!(self.view.document.shape(), Shape::Listing { .. });
        let is_file = is_listing && row.aside.is_some() && !matches!(row.kind, Kind::Remark(_));
        is_file && self.view.document.is_list() && self.view.position.left == 0
    }

    /// Gives the terminal the URLs of the links in a line of a row, if the settings say so.
    fn hyperlinks(&self, number: usize, links: LineLinks, area: Rect) {
        for (columns, link) in links {
            let url = self.target(number, link).filter(may_be_hyperlink);
            let start = u16::try_from(columns.start).ok();
            if let (Some(url), Some(start)) = (url, start) {
                let width = u16::try_from(columns.len()).unwrap_or(u16::MAX);
                let x = area.x.saturating_add(start);
                self.screen
                    .hyperlink(Rect { x, width, ..area }.intersection(area), &url);
            }
        }
    }

    /// Returns the age of today at the beginning of a row of a page that Geomys makes itself.
    fn today(&self, text: &str) -> Option<Range<usize>> {
        let start = text.len() - text.trim_start().len();
        let is_today = text.get(start..)?.starts_with(&format!("{TODAY}  "));
        let is_own = matches!(self.page.view, View::Builtin(_));
        (is_own && is_today).then(|| start..start + TODAY.len())
    }

    /// Returns the keys that stand in a row of a page that Geomys makes itself.
    fn keys(&self, number: usize) -> &[KeyInRow] {
        match &self.page.view {
            View::Builtin(view) if self.view.position.left == 0 => view.keys(number),
            _ => &[],
        }
    }

    /// Makes the keys that stand in a row react to a click.
    fn press_keys(&self, number: usize, row: &Row, area: Rect) {
        let start = self.space.gutter.width_before(row);
        for key in self.keys(number) {
            let x = u16::try_from(start + key.columns.start).unwrap_or(u16::MAX);
            let width = u16::try_from(key.columns.len()).unwrap_or(u16::MAX);
            let x = area.x.saturating_add(x);
            let part = Rect { x, width, ..area };
            self.screen
                .press(part.intersection(area), Click::Act(key.action));
        }
    }

    /// Draws one line of a row: gutter, columns, text. The columns of its links are added to `links`, where hyperlinks
    /// are on.
    fn line(
        &self,
        visible: &VisibleRow<'_>,
        first: bool,
        range: Range<usize>,
        links: &mut LineLinks,
    ) -> Line<'static> {
        let screen = self.screen;
        let (number, row) = (visible.number, visible.row);
        let gutter = self.space.gutter;
        let list = self.view.document.is_list();
        let here = number == self.view.position.cursor;
        let style = screen.style(self.text_role(number, row));
        let mut line = Line::default();
        let marked = here && first && (list || self.view.position.link.is_some());
        if gutter.is_before(row) {
            self.gutter(number, row, first, marked, gutter, &mut line);
        }

        let room = usize::from(self.area.width).saturating_sub(gutter.width_before(row));
        let room = room.saturating_sub(self.lead(row, first, room, &mut line));
        let aside = self.aside(visible, first, room);
        let room = room.saturating_sub(text::width(&aside));
        let room = self.name_width(row, room).map_or(room, |column| {
            // A longer name moves the other columns to the right.
            column.max(visible.width).min(room)
        });
        let room = room.saturating_sub(self.indent(row, first, room, &mut line));
        let start = line.width();
        let used = self.text(visible, range, (style, room), &mut line, links);
        if list && links.is_empty() && self.screen.has_hyperlinks() {
            // The whole row is the link.
            links.push((start..start + used, 0));
        }
        if !aside.is_empty() {
            line.push_span(" ".repeat(room.saturating_sub(used)));
            let role = if aside.trim_start().starts_with(TODAY) {
                Role::Unread
            } else {
                Role::Dim
            };
            line.push_span(screen.span(aside, role));
            self.note(row, &mut line);
        }
        line
    }

    /// Returns true if the cursor is in this row and is highlighted.
    fn is_lit(&self, number: usize) -> bool {
        self.focused && number == self.view.position.cursor && self.view.document.is_list()
    }

    /// The role for the text of a row. In the history every row is visited.
    fn text_role(&self, number: usize, row: &Row) -> Role {
        let role = Theme::text_role(row.kind);
        let is_link = role == Role::Text && self.view.document.is_list();
        let shape = self.view.document.shape();
        if shape == Shape::Found && !self.view.document.is_link(number) {
            // Below the titles.
            return Role::Dim;
        }
        let is_history = shape == Shape::Visits;
        let availability = self.availability(number, 0);
        match availability.filter(|_| self.view.document.is_list()) {
            Some(Availability::Missing | Availability::Queued) => Role::Dim,
            None if is_link && !is_history && self.is_visited(number, 0) => Role::Visited,
            None if matches!(shape, Shape::Listing { .. }) => match row.kind {
                Kind::Menu => Role::Directory,
                Kind::Archive => Role::Packed,
                _ => role,
            },
            // Most cached pages are visited: they would look as those that are not cached.
            Some(Availability::Here) | None => role,
        }
    }

    /// Returns true if a link leads to a visited page.
    fn is_visited(&self, number: usize, link: usize) -> bool {
        let target = self.target(number, link);
        target.is_some_and(|url| self.screen.app.library.is_visited(&url))
    }

    /// Returns whether the page of a link can be opened offline; `None` online, and without a link.
    fn availability(&self, number: usize, link: usize) -> Option<Availability> {
        let app = self.screen.app;
        if !app.cx.settings.offline {
            return None;
        }
        let request = app.tabs.request_from_page(self.target(number, link)?);
        app.cx.copies.availability(&request)
    }

    /// Returns the target of a link. The links far into a row are not looked at: each costs a scan of the row.
    fn target(&self, number: usize, link: usize) -> Option<Url> {
        let link = (link < MAX_TARGETS).then(|| self.view.document.link(number, link));
        link.flatten()?.target.ok()
    }

    /// The remote colours of a row's text, if they are shown. Text that the theme has a style for keeps that style.
    fn sgr_styles(&self, number: usize, row: &Row) -> StyledRanges {
        let is_plain = Theme::glyph_role(row.kind) == Role::Text && !self.is_lit(number);
        let app = self.screen.app;
        match app.tabs.colours_of(&self.page.url, &app.cx.settings) {
            Colours::Shown if is_plain => sgr_styles(row),
            Colours::Shown | Colours::Hidden => StyledRanges::new(),
        }
    }

    /// Draws the text of a line, with links and search matches in their styles. Returns its width in columns.
    fn text(
        &self,
        visible: &VisibleRow<'_>,
        range: Range<usize>,
        (style, room): (Style, usize),
        line: &mut Line<'static>,
        links: &mut LineLinks,
    ) -> usize {
        let (screen, number) = (self.screen, visible.number);
        // Of a row that shows its end, the middle is left out from this column on.
        let left_out = visible.left_out(room);
        let shows_end = left_out.is_some();
        let (cut, hidden) = left_out.unwrap_or((usize::MAX, 0));
        let skip = if visible.is_wrapped {
            0
        } else {
            self.view.position.left
        };
        let range = range.start..range.end.min(visible.text.len());
        let shown = visible.text.get(range.clone()).unwrap_or_default();
        let range = range.start..range.start + text::prefix(shown, skip + hidden + room + 1);
        let (mut column, mut taken) = (0, 0);
        for piece in visible.cuts(&range) {
            let Some(text) = visible.text.get(piece.clone()) else {
                continue;
            };
            let span = at(&visible.spans, piece.start, |(span, _)| span);
            let link = span.and_then(|(_, link)| *link);
            let opens = span.is_some_and(|(span, _)| span.start == piece.start);
            let mut style = style;
            let found = at(&visible.matches, piece.start, |found| found);
            let is_current = found.is_some() && found == visible.current.as_ref();
            let found = found.is_some();
            if link.is_none()
                && !found
                && let Some((_, sgr_style)) =
                    at(&visible.sgr_styles, piece.start, |(range, _)| range)
            {
                style = style.patch(screen.theme.sgr_style(*sgr_style));
            }
            if at(&visible.link_numbers, piece.start, |number| number).is_some() {
                style = screen.style(Role::Number);
            }
            if at(&visible.keys, piece.start, |key| key).is_some() {
                style = style.patch(screen.style(Role::Key));
            }
            if let Some(link) = link {
                style = self.link_style(visible, link, style);
            }
            if found {
                let role = if is_current {
                    Role::MatchCurrent
                } else {
                    Role::Match
                };
                style = style.patch(screen.style(role));
            }
            if at(&visible.selected, piece.start, |range| range).is_some() {
                style = style.add_modifier(Modifier::REVERSED);
            }
            let from = skip.saturating_sub(column);
            let start = column;
            column += text::width(text);
            let mut shown = if shows_end {
                let head = text::columns(text, 0, cut.saturating_sub(start));
                let is_cut_here = (start..column).contains(&cut);
                let mark = screen.glyph(Glyph::Ellipsis);
                let mark = if is_cut_here { mark } else { "" };
                let tail = (cut + hidden).saturating_sub(start);
                let shown = head + mark + &text::columns(text, tail, room);
                text::columns(&shown, 0, room.saturating_sub(taken))
            } else {
                text::columns(text, from, room.saturating_sub(taken))
            };
            let hint = link
                .filter(|_| opens && from == 0)
                .and_then(|link| self.hint(number, link));
            if let Some(hint) = hint {
                let label = text::columns(hint, 0, room.saturating_sub(taken));
                shown = text::columns(&shown, text::width(&label), room);
                taken += text::width(&label);
                line.push_span(screen.span(label, Role::Hint));
            }
            let width = text::width(&shown);
            if let Some(link) = link.filter(|_| screen.has_hyperlinks()) {
                let start = line.width();
                links.push((start..start + width, link));
            }
            taken += width;
            line.push_span(Span::styled(shown, style));
        }
        let is_cut = !visible.is_wrapped && column > skip + room;
        if (is_cut || shows_end) && self.focused && number == self.view.position.cursor {
            *screen.cut_row.borrow_mut() = Some(visible.row.text());
        }
        if is_cut && (!shows_end || column + 1 > room + hidden) {
            // The row continues to the right, so its last column is an ellipsis.
            end_with(line, screen.glyph(Glyph::Ellipsis), screen.style(Role::Dim));
        }
        taken
    }

    /// The style of a link in a row whose text has this style.
    fn link_style(&self, visible: &VisibleRow<'_>, link: usize, text: Style) -> Style {
        let (screen, number) = (self.screen, visible.number);
        let position = &self.view.position;
        let is_chosen = number == position.cursor && position.link == Some(link);
        if self.focused && is_chosen && !screen.has_element_above() {
            return text.patch(screen.style(Role::LinkChosen));
        }
        let style = text.patch(screen.style(Role::Link));
        if visible.row.is_field(link) {
            return style;
        }
        match self.availability(number, link) {
            Some(Availability::Missing | Availability::Queued) => {
                let dim = screen.style(Role::Dim);
                style.patch(dim).remove_modifier(Modifier::UNDERLINED)
            }
            None if self.is_visited(number, link) => style.patch(screen.style(Role::Visited)),
            Some(Availability::Here) | None => style,
        }
    }

    fn hint(&self, row: usize, link: usize) -> Option<&str> {
        match &self.screen.app.dialogs.overlay {
            Some(Overlay::Hints(hints)) if self.focused => hints.of(row, link),
            _ => None,
        }
    }
}

/// Returns true if the terminal may know a URL: not one with a login, a token, or an answer that the user typed.
fn may_be_hyperlink(url: &Url) -> bool {
    let has_user = url
        .base_parts()
        .login()
        .is_some_and(|login| login.user.is_some());
    let has_answer = match url.protocol() {
        Protocol::Gemini(http) | Protocol::Spartan(http) | Protocol::Nex(http) => {
            http.search.is_some()
        }
        _ => false,
    };
    let is_plain = url.as_str().bytes().all(|octet| octet.is_ascii_graphic());
    !has_user && !has_answer && !url.has_secret() && is_plain
}

/// Replaces a line's last column by a mark.
fn end_with(line: &mut Line<'static>, mark: &str, style: Style) {
    while let Some(last) = line.spans.pop() {
        let width = text::width(&last.content);
        if width > 0 {
            line.push_span(Span::styled(
                text::columns(&last.content, 0, width - 1),
                last.style,
            ));
            break;
        }
    }
    line.push_span(Span::styled(mark.to_owned(), style));
}
