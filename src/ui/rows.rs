//! The rows of a document that are on screen.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::Screen;
use super::theme::{Glyph, Role, Theme};
use crate::app::Overlay;
use crate::app::action::Action;
use crate::app::document_view::LaidOutRow;
use crate::app::layout::{Gutter, view};
use crate::app::page::{Colours, Page, State};
use crate::document::{Document, Row};
use crate::text::{self, Paints, Text};

/// Columns of the author of an article, at the most.
const LEAD: usize = 20;

/// Columns that a row's text needs before anything stands beside it.
const TEXT: usize = 24;

/// A pane narrower than this leaves the columns beside a row's text out.
const COLUMNS: u16 = 46;

/// A document, its page and its place.
pub(super) struct Rows<'a> {
    pub(super) screen: &'a Screen<'a>,
    pub(super) page: &'a Page,
    pub(super) document: &'a Document,
    pub(super) place: Rect,
    pub(super) focused: bool,
}

impl Rows<'_> {
    pub(super) fn draw(&self, buffer: &mut Buffer) {
        let view = view(self.page, self.place);
        let count = self.document.count();
        let (top, mut first) = self.page.place.top;
        // A page that is loaded again may be shorter than it was, or not have come so far yet.
        let mut number = top.min(count.saturating_sub(1));
        let mut y = self.place.y;
        while y < self.place.bottom() && number < count {
            let Some(laid_out) = self.page.laid_out(number, view.width) else {
                break;
            };
            let room = usize::from(self.place.bottom() - y);
            let lines = laid_out.lines.iter().cloned();
            let shown = lines.enumerate().skip(first).take(room);
            let end = shown.clone().next_back().map_or(0, |(_, line)| line.end);
            let row = self.look(number, &laid_out, end);
            for (index, range) in shown {
                let place = Rect {
                    y,
                    height: 1,
                    ..self.place
                };
                let line = self.line(&row, index == 0, range);
                self.screen.write(buffer, place, &line);
                y += 1;
            }
            first = 0;
            number += 1;
        }
        if y < self.place.bottom()
            && let Some((sentence, role)) = self.ending(count)
        {
            let line = format!(" {} {sentence}", self.screen.glyph(Glyph::Line).repeat(2));
            let place = Rect {
                y,
                height: 1,
                ..self.place
            };
            self.screen
                .write(buffer, place, &Line::styled(line, self.screen.style(role)));
        }
    }

    /// What stands below the last row, when there is something to say about the end.
    fn ending(&self, count: usize) -> Option<(String, Role)> {
        match &self.page.state {
            State::Arriving(_) if count == 0 => {
                Some(("nothing has come yet".to_owned(), Role::Dim))
            }
            State::Whole if count == 0 => Some(("this page is empty".to_owned(), Role::Dim)),
            State::Arriving(_) | State::Held(_) | State::Whole => None,
            State::Stopped => Some(("stopped here".to_owned(), Role::Dim)),
            State::Left => Some(("left before the rest came".to_owned(), Role::Dim)),
            State::Cut(limit) => {
                let more = self.screen.app.next_limit(*limit);
                let key = more.and_then(|_| self.screen.key(Action::Reload));
                let limit = text::octets(*limit);
                let more = key.map_or(String::new(), |key| format!(": {key} loads more"));
                Some((format!("cut here at {limit}{more}"), Role::Fault))
            }
            State::Broken(failure) => Some((
                format!("the rest did not come: {}", failure.sentence),
                Role::Fault,
            )),
        }
    }

    /// What the lines of a row are drawn of, found out once for all of them. Of its text no more than up to `end`, in
    /// octets, and to the edge of the pane is looked at: a row may be 16 KiB long.
    fn look<'a>(&self, number: usize, laid_out: &'a LaidOutRow, end: usize) -> Looked<'a> {
        let (row, text) = (&laid_out.row, laid_out.text.as_str());
        let end = if self.page.wrap {
            end
        } else {
            let columns = self.page.place.left + usize::from(self.place.width);
            text::prefix(text, columns + 1)
        };
        let width = text::width_within(text, usize::from(self.place.width));
        let text = text.get(..end).unwrap_or(text);
        let needle = self.page.needle.as_ref();
        let matches = needle.map_or(Vec::new(), |needle| needle.matches(text));
        Looked {
            spans: spans(row),
            paints: self.paints(number, row),
            matches,
            number,
            text,
            width,
            row,
        }
    }

    /// One line of a row: gutter, columns, text.
    fn line(&self, looked: &Looked<'_>, first: bool, range: Range<usize>) -> Line<'static> {
        let screen = self.screen;
        let (number, row) = (looked.number, looked.row);
        let gutter = Gutter::of(self.page);
        let list = self.document.is_list();
        let here = number == self.page.place.cursor;
        let style = screen.style(Theme::role(row.kind));
        let mut line = Line::default();
        let marked = here && first && (list || self.page.place.link.is_some());
        self.gutter(number, row, first, marked, gutter, &mut line);

        let mut room = usize::from(self.place.width).saturating_sub(gutter.width());
        let wide = first && self.place.width >= COLUMNS;
        if let Some(lead) = row.lead.as_ref().filter(|_| wide) {
            let columns = (room / 4).min(LEAD);
            let lead = text::shorten(lead.as_str(), columns, screen.glyph(Glyph::Ellipsis));
            let pad = " ".repeat(columns.saturating_sub(text::width(&lead)) + 1);
            line.push_span(Span::styled(
                format!("{lead}{pad}"),
                screen.style(Role::Dim),
            ));
            room = room.saturating_sub(columns + 1);
        }
        let aside = row.aside.as_ref().filter(|_| wide).map(Text::as_str);
        let aside = aside
            .map(|aside| self.aside(looked, aside, room))
            .unwrap_or_default();
        let room = room.saturating_sub(text::width(&aside));
        let style = if self.is_lit(number) {
            style.patch(screen.style(Role::Cursor))
        } else {
            style
        };
        let room = room.saturating_sub(self.indent(row, first, room, &mut line));
        let used = self.text(looked, range, style, room, &mut line);
        if !aside.is_empty() {
            line.push_span(" ".repeat(room.saturating_sub(used)));
            line.push_span(Span::styled(aside, screen.style(Role::Dim)));
        }
        line
    }

    /// What stands before an answer; gives the columns it took.
    fn indent(&self, row: &Row, first: bool, room: usize, line: &mut Line<'static>) -> usize {
        if !first {
            let columns = row.hang_in(room);
            line.push_span(" ".repeat(columns));
            return columns;
        }
        if row.indent == 0 {
            return 0;
        }
        // However deep a thread is, there is room for what it says.
        let columns = (row.indent * 2).min(room / 3).max(2);
        let glyph = self.screen.glyph(Glyph::Answer);
        let text = format!("{:>width$} ", glyph, width = columns - 1);
        line.push_span(Span::styled(text, self.screen.style(Role::Dim)));
        columns
    }

    /// What stands beside the text: a column goes before the text's end, anything longer takes what the text leaves.
    fn aside(&self, looked: &Looked<'_>, aside: &str, room: usize) -> String {
        let width = text::width_within(aside, room);
        let left = if width <= room * 3 / 5 {
            room
        } else {
            room.saturating_sub(looked.width)
        };
        let left = left.saturating_sub(3);
        let narrow = room < TEXT + width.min(left);
        if left < 8 || (narrow && looked.row.lead.is_some()) {
            return String::new();
        }
        format!(
            "  {} ",
            text::shorten(aside, left, self.screen.glyph(Glyph::Ellipsis))
        )
    }

    /// The mark of the cursor, the link's number (or its hint), the glyph of its kind.
    fn gutter(
        &self,
        number: usize,
        row: &Row,
        first: bool,
        marked: bool,
        gutter: Gutter,
        line: &mut Line<'static>,
    ) {
        let screen = self.screen;
        line.push_span(if marked {
            let role = if self.focused {
                Role::Mark
            } else {
                Role::MarkAway
            };
            Span::styled(screen.glyph(Glyph::Cursor).to_owned(), screen.style(role))
        } else {
            Span::raw(" ")
        });
        let hint = self
            .hint(number, 0)
            .filter(|_| first && self.document.is_list());
        if gutter.number > 0 {
            let (text, role) = match hint {
                Some(hint) => (hint.to_owned(), Role::Hint),
                None => {
                    let digits = row.number.filter(|_| first);
                    (
                        digits.map_or(String::new(), |digits| digits.to_string()),
                        Role::Number,
                    )
                }
            };
            let pad = " ".repeat(gutter.number.saturating_sub(text::width(&text)));
            line.push_span(pad);
            line.push_span(Span::styled(text, screen.style(role)));
            line.push_span(" ");
        }
        if gutter.glyph {
            let glyph = if first {
                screen.glyph(Theme::mark(row.kind))
            } else {
                " "
            };
            let (text, style) = match hint.filter(|_| gutter.number == 0) {
                Some(hint) => (
                    text::columns(&format!("{hint:<2}"), 0, 2),
                    screen.style(Role::Hint),
                ),
                None => (format!("{glyph} "), screen.style(Theme::role(row.kind))),
            };
            line.push_span(Span::styled(text, style));
        }
    }

    /// Whether the cursor's row is this one, and is told by the style of its text.
    fn is_lit(&self, number: usize) -> bool {
        self.focused && number == self.page.place.cursor && self.document.is_list()
    }

    /// The colours that a row's text came with, where they are shown: what the theme has a style for keeps that.
    fn paints(&self, number: usize, row: &Row) -> Paints {
        let is_plain = Theme::role(row.kind) == Role::Text && !self.is_lit(number);
        match self.page.colours {
            Colours::Shown if is_plain => paints(row),
            Colours::Shown | Colours::Hidden => Paints::new(),
        }
    }

    /// The text of a line, its links and finds told apart; gives the columns it took.
    fn text(
        &self,
        looked: &Looked<'_>,
        range: Range<usize>,
        style: Style,
        room: usize,
        line: &mut Line<'static>,
    ) -> usize {
        let (screen, number) = (self.screen, looked.number);
        let skip = if self.page.wrap {
            0
        } else {
            self.page.place.left
        };
        let range = range.start..range.end.min(looked.text.len());
        let shown = looked.text.get(range.clone()).unwrap_or_default();
        let range = range.start..range.start + text::prefix(shown, skip + room + 1);
        let (mut column, mut taken) = (0, 0);
        for piece in looked.cuts(&range) {
            let Some(text) = looked.text.get(piece.clone()) else {
                continue;
            };
            let span = at(&looked.spans, piece.start, |(span, _)| span);
            let link = span.and_then(|(_, link)| *link);
            let opens = span.is_some_and(|(span, _)| span.start == piece.start);
            let mut style = style;
            let found = at(&looked.matches, piece.start, |found| found).is_some();
            if link.is_none()
                && !found
                && let Some((_, paint)) = at(&looked.paints, piece.start, |(range, _)| range)
            {
                style = style.patch(screen.theme.paint(*paint));
            }
            if let Some(link) = link {
                let place = &self.page.place;
                let chosen = self.focused && number == place.cursor && place.link == Some(link);
                let role = if chosen { Role::LinkChosen } else { Role::Link };
                style = style.patch(screen.style(role));
            }
            if found {
                style = style.patch(screen.style(Role::Match));
            }
            let from = skip.saturating_sub(column);
            column += text::width(text);
            let mut shown = text::columns(text, from, room.saturating_sub(taken));
            let hint = link
                .filter(|_| opens && from == 0)
                .and_then(|link| self.hint(number, link));
            if let Some(hint) = hint {
                let label = text::columns(hint, 0, room.saturating_sub(taken));
                shown = text::columns(&shown, text::width(&label), room);
                taken += text::width(&label);
                line.push_span(Span::styled(label, screen.style(Role::Hint)));
            }
            taken += text::width(&shown);
            line.push_span(Span::styled(shown, style));
        }
        if !self.page.wrap && column > skip + room {
            // The row goes on to the right: its last column says so.
            end_with(line, screen.glyph(Glyph::Ellipsis), screen.style(Role::Dim));
        }
        taken
    }

    fn hint(&self, row: usize, link: usize) -> Option<&str> {
        match &self.screen.app.overlay {
            Some(Overlay::Hints(hints)) if self.focused => hints.of(row, link),
            _ => None,
        }
    }
}

type Spans = Vec<(Range<usize>, Option<usize>)>;

/// Where the spans of a row stand in its text, and which link each is.
fn spans(row: &Row) -> Spans {
    let mut at = 0;
    let place = |text: &Text| {
        let start = at;
        at += text.as_str().len();
        start..at
    };
    let mut place = place;
    row.spans
        .iter()
        .map(|span| (place(&span.text), span.link))
        .collect()
}

/// The paints of a row's spans, by octets of its text.
fn paints(row: &Row) -> Paints {
    let mut at = 0;
    let mut paints = Paints::new();
    for span in &row.spans {
        let shifted = span.paints.iter();
        paints.extend(shifted.map(|(range, paint)| (range.start + at..range.end + at, *paint)));
        at += span.text.as_str().len();
    }
    paints
}

/// A row, and what its lines are drawn of.
struct Looked<'a> {
    number: usize,
    row: &'a Row,
    /// Its text, as far as it can be seen.
    text: &'a str,
    /// The columns of all of it, as far as the pane is wide.
    width: usize,
    spans: Spans,
    paints: Paints,
    /// The words last looked for, where they stand in it.
    matches: Vec<Range<usize>>,
}

impl Looked<'_> {
    /// A range of its text cut wherever the look of that may change.
    fn cuts(&self, range: &Range<usize>) -> Vec<Range<usize>> {
        let mut cuts = vec![range.start, range.end];
        within(&mut cuts, &self.spans, range, |(span, _)| span);
        within(&mut cuts, &self.paints, range, |(painted, _)| painted);
        within(&mut cuts, &self.matches, range, |found| found);
        cuts.retain(|cut| (range.start..=range.end).contains(cut));
        cuts.sort_unstable();
        cuts.dedup();
        cuts.iter()
            .zip(cuts.iter().skip(1))
            .map(|(&start, &end)| start..end)
            .collect()
    }
}

/// Adds the edges of those parts that touch a range; the parts stand in their order.
fn within<T>(
    cuts: &mut Vec<usize>,
    parts: &[T],
    range: &Range<usize>,
    place: impl Fn(&T) -> &Range<usize>,
) {
    let first = parts.partition_point(|part| place(part).end < range.start);
    let parts = parts.iter().skip(first).map(place);
    let parts = parts.take_while(|part| part.start <= range.end);
    cuts.extend(parts.flat_map(|part| [part.start, part.end]));
}

/// The part in which an octet stands; the parts stand in their order.
fn at<T>(parts: &[T], octet: usize, place: impl Fn(&T) -> &Range<usize>) -> Option<&T> {
    let after = parts.partition_point(|part| place(part).end <= octet);
    parts.get(after).filter(|part| place(part).contains(&octet))
}

/// Puts a mark in the place of a line's last column.
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
