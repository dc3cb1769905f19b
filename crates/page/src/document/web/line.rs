//! The layout of a page: its lines, the kind of each, and the links in them.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use geomys_wire::text;
use jiff::civil::Date;

use super::form::{WebForm, WebWidget};
use crate::document::raw::LineBuffer;
use crate::document::row::Kind;

/// The indentation of continued lines behind a name, in columns.
const NAME_INDENT: usize = 2;

/// A line of the layout.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) kind: Kind,
    /// True if the line is never wrapped: it is preformatted, or a line of a table.
    pub(super) is_fixed: bool,
    pub(super) text: String,
    /// The indentation of continued lines, in columns.
    pub(super) hang: usize,
    /// The level of a heading, from 1; 0 for other lines.
    pub(super) level: u8,
    /// The links in the line, in their order: the range of each, and its index among the targets.
    pub(super) links: Vec<(Range<usize>, u32)>,
    /// The names of keys and other words that stand out in the line, in their order.
    pub(super) keys: Vec<Range<usize>>,
    /// The ids and names of the elements that begin in the line or before it.
    pub(super) ids: Vec<String>,
    /// The day that an element in the line states for programs.
    pub(super) time: Option<Date>,
    /// The position of the line in the text of the page, which is the same for all widths: twice the number of
    /// characters before it, and one more for a line that is not blank. 0 for a line without a position of its own.
    pub(super) at: u32,
}

impl Line {
    /// Returns a line without links.
    pub(super) fn new(kind: Kind, text: String) -> Self {
        Self {
            kind,
            is_fixed: false,
            text,
            hang: 0,
            level: 0,
            links: Vec::new(),
            keys: Vec::new(),
            ids: Vec::new(),
            time: None,
            at: 0,
        }
    }

    pub(super) fn is_blank(&self) -> bool {
        self.text.is_empty()
    }

    pub(super) fn width(&self) -> usize {
        text::width(&self.text)
    }

    /// Inserts `prefix` before the text.
    pub(super) fn prefix(&mut self, prefix: &str) {
        if prefix.is_empty() {
            return;
        }
        self.text.insert_str(0, prefix);
        for (range, _) in &mut self.links {
            *range = range.start + prefix.len()..range.end + prefix.len();
        }
        for range in &mut self.keys {
            *range = range.start + prefix.len()..range.end + prefix.len();
        }
    }

    /// Indents the line as an element around it: with the text, the kind and the level of this prefix.
    pub(super) fn indent(&mut self, prefix: &Self) {
        if self.kind == Kind::Plain {
            self.kind = prefix.kind;
        }
        self.level = self.level.max(prefix.level);
        self.hang += prefix.hang;
        self.prefix(&prefix.text);
    }

    /// Returns the line behind a name. Continued lines are indented below the name.
    #[must_use]
    pub(super) fn after(mut self, name: &str) -> Self {
        if !self.is_fixed {
            self.hang += NAME_INDENT;
        }
        self.prefix(name);
        self
    }

    /// Returns the lines of this line wrapped to a width, without trailing blanks. A fixed line is one.
    pub(super) fn wrapped(self, width: usize) -> Vec<Self> {
        if self.is_fixed {
            return vec![self];
        }
        let hang = if self.hang * 2 > width { 0 } else { self.hang };
        let starts = text::hanging(&self.text, width, hang);
        let ends = starts.iter().skip(1).copied();
        let ends = ends.chain(std::iter::once(self.text.len()));
        let parts = starts.iter().zip(ends).map(|(&start, end)| {
            let part = self.text.get(start..end).unwrap_or_default();
            let mut line = Self {
                at: self.at,
                ..Self::new(self.kind, String::new())
            };
            line.pad(if start > 0 { hang } else { 0 });
            line.push(&self, start..start + part.trim_end().len());
            line
        });
        parts.collect()
    }

    /// Appends a part of another line, with its links. The start of a heading gives its level to a line without one.
    pub(super) fn push(&mut self, other: &Self, part: Range<usize>) {
        if self.level == 0 && part.start == 0 {
            self.level = other.level;
        }
        if part.start == 0 {
            self.ids.extend_from_slice(&other.ids);
            self.time = self.time.or(other.time);
        }
        let at = self.text.len();
        self.text
            .push_str(other.text.get(part.clone()).unwrap_or_default());
        for (range, target) in &other.links {
            let (start, end) = (range.start.max(part.start), range.end.min(part.end));
            if start < end {
                let moved = at + start - part.start..at + end - part.start;
                self.links.push((moved, *target));
            }
        }
        for range in &other.keys {
            let (start, end) = (range.start.max(part.start), range.end.min(part.end));
            if start < end {
                let moved = at + start - part.start..at + end - part.start;
                self.keys.push(moved);
            }
        }
    }

    /// Pads the line with blanks up to a column.
    pub(super) fn pad(&mut self, column: usize) {
        let blanks = column.saturating_sub(self.width());
        self.text.extend(std::iter::repeat_n(' ', blanks));
    }
}

/// The layout of a page.
#[derive(Debug, Default)]
pub(in crate::document) struct PageLayout {
    /// The lines, as UTF-8.
    pub(in crate::document) raw: LineBuffer,
    pub(super) title: Option<String>,
    /// The base URL of references that the page states.
    pub(super) base: Option<String>,
    /// The style of each line.
    styles: Vec<LineStyle>,
    /// The columns of the longest line that is never wrapped.
    pub(in crate::document) preformatted: usize,
    /// True if the lines depend on the columns of the pane: the page has a table.
    pub(in crate::document) has_tables: bool,
    /// The headings: their lines, sorted, and their levels.
    headings: Vec<(u32, u8)>,
    /// The ids and names of elements, with their lines.
    ids: HashMap<String, u32>,
    /// The days that elements state for programs, sorted by line.
    times: Vec<(u32, Date)>,
    /// The links, sorted by line.
    anchors: Vec<Anchor>,
    targets: Vec<String>,
    /// The names of keys and other words that stand out, sorted by line: the line, and the range in it.
    keys: Vec<(u32, Range<u32>)>,
    /// The forms, as the page has them.
    pub(in crate::document) forms: Vec<Arc<WebForm>>,
    /// The parts of forms, each with the index of its target, in their order.
    widgets: Vec<(u32, WebWidget)>,
}

/// The style and the position of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineStyle {
    pub(super) kind: Kind,
    /// True if the line is never wrapped.
    pub(super) is_fixed: bool,
    /// The indentation of continued lines, in columns.
    pub(super) hang: u16,
    /// The position of the line in the text of the page.
    at: u32,
}

/// A link in a line.
#[derive(Clone, Copy, Debug)]
pub(in crate::document) struct Anchor {
    line: u32,
    start: u32,
    end: u32,
    target: u32,
}

impl Anchor {
    pub(super) fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl PageLayout {
    /// Appends a line.
    pub(super) fn push(&mut self, line: &Line) {
        let small = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let number = small(self.styles.len());
        self.raw.append(line.text.as_bytes());
        self.raw.append(b"\n");
        let hang = u16::try_from(line.hang).unwrap_or(0);
        self.styles.push(LineStyle {
            kind: line.kind,
            is_fixed: line.is_fixed,
            hang,
            at: line.at,
        });
        if line.is_fixed {
            self.preformatted = self.preformatted.max(line.width());
        }
        if line.level > 0 && !line.is_blank() {
            self.headings.push((number, line.level));
        }
        self.times.extend(line.time.map(|time| (number, time)));
        for id in &line.ids {
            self.ids.entry(id.clone()).or_insert(number);
        }
        let links = line.links.iter().map(|(range, target)| Anchor {
            line: number,
            start: small(range.start),
            end: small(range.end),
            target: *target,
        });
        self.anchors.extend(links);
        let keys = line.keys.iter();
        let keys = keys.map(|range| (number, small(range.start)..small(range.end)));
        self.keys.extend(keys);
    }

    /// Appends a note of this program, after a blank line.
    pub(super) fn note(&mut self, words: &str) {
        if !self.is_empty() {
            self.push(&Line::new(Kind::Plain, String::new()));
        }
        self.push(&Line::new(Kind::Plain, words.to_owned()));
    }

    /// Adds the note that only the first octets of a page are laid out.
    pub(super) fn note_cut(&mut self, octets: usize) {
        let read = text::octets(octets as u64);
        self.note(&format!(
            "[only the first {read} are shown; the source has the whole page]"
        ));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.styles.is_empty()
    }

    /// The names of keys in a line.
    pub(in crate::document) fn keys(&self, number: usize) -> impl Iterator<Item = Range<usize>> {
        let first = self
            .keys
            .partition_point(|(line, _)| (*line as usize) < number);
        let keys = self.keys.iter().skip(first);
        let keys = keys.take_while(move |(line, _)| *line as usize == number);
        keys.map(|(_, range)| range.start as usize..range.end as usize)
    }

    /// The headings: their lines and their levels.
    pub(in crate::document) fn headings(&self) -> impl Iterator<Item = (usize, usize)> {
        let headings = self.headings.iter();
        headings.map(|(line, level)| (*line as usize, usize::from(*level)))
    }

    /// The line of the element with this id or name.
    pub(super) fn line_of_id(&self, id: &str) -> Option<usize> {
        self.ids.get(id).map(|line| *line as usize)
    }

    /// The day that an element in a line states for programs.
    pub(super) fn time(&self, number: usize) -> Option<Date> {
        let line = |(line, _): &(u32, Date)| *line as usize;
        let index = self.times.binary_search_by_key(&number, line).ok()?;
        self.times.get(index).map(|(_, time)| *time)
    }

    /// Notes the day of an earlier line, unless it has one: an element behind it states that.
    pub(super) fn set_time(&mut self, number: u32, time: Date) {
        if let Err(at) = self.times.binary_search_by_key(&number, |(line, _)| *line) {
            self.times.insert(at, (number, time));
        }
    }

    /// Gives the last line these ids: of elements with nothing behind them.
    pub(super) fn name_last_line(&mut self, ids: Vec<String>) {
        let last = u32::try_from(self.styles.len().saturating_sub(1)).unwrap_or(u32::MAX);
        for id in ids {
            self.ids.entry(id).or_insert(last);
        }
    }

    /// The ids and names of all elements.
    pub(super) fn ids(&self) -> impl Iterator<Item = &str> {
        self.ids.keys().map(String::as_str)
    }

    /// The references that no line shows: of style sheets, scripts, images inside links, and links without words.
    pub(super) fn hidden_references(&self) -> impl Iterator<Item = &str> {
        let shown: HashSet<u32> = self.anchors.iter().map(|anchor| anchor.target).collect();
        let references = (0_u32..).zip(&self.targets);
        let hidden = references
            .filter(move |(target, reference)| !reference.is_empty() && !shown.contains(target));
        hidden.map(|(_, reference)| reference.as_str())
    }

    /// Adds the target of a link. Returns its index.
    pub(super) fn add_target(&mut self, reference: String) -> u32 {
        self.targets.push(reference);
        u32::try_from(self.targets.len() - 1).unwrap_or(u32::MAX)
    }

    /// Adds a part of a form. Returns the index of its target.
    pub(super) fn add_widget(&mut self, widget: WebWidget) -> u32 {
        let target = self.add_target(String::new());
        self.widgets.push((target, widget));
        target
    }

    /// The number of the hidden part whose row a line is, from 0.
    pub(super) fn hidden_part(&self, line: usize) -> Option<usize> {
        let is_row = |style: &LineStyle| matches!(style.kind, Kind::Remark(_));
        self.styles.get(line).filter(|style| is_row(style))?;
        let before = self.styles.iter().take(line);
        Some(before.filter(|style| is_row(style)).count())
    }

    /// The number of hidden parts.
    pub(super) fn hidden_parts(&self) -> usize {
        let kinds = self.styles.iter().map(|style| style.kind);
        kinds.filter(|kind| matches!(kind, Kind::Remark(_))).count()
    }

    /// Returns true if a line has a part of a form.
    pub(super) fn has_widget(&self, line: usize) -> bool {
        let mut anchors = self.anchors(line).iter();
        anchors.any(|anchor| self.widget(anchor).is_some())
    }

    /// The part of a form that a link is.
    pub(super) fn widget(&self, anchor: &Anchor) -> Option<WebWidget> {
        let target = |(target, _): &(u32, WebWidget)| *target;
        let index = self.widgets.binary_search_by_key(&anchor.target, target);
        let (_, widget) = self.widgets.get(index.ok()?)?;
        Some(*widget)
    }

    pub(super) fn target(&self, anchor: &Anchor) -> &str {
        let reference = self.targets.get(anchor.target as usize);
        reference.map(String::as_str).unwrap_or_default()
    }

    pub(super) fn style(&self, number: usize) -> LineStyle {
        self.styles.get(number).copied().unwrap_or(LineStyle {
            kind: Kind::Plain,
            is_fixed: false,
            hang: 0,
            at: 0,
        })
    }

    /// The position of a line in the text of the page.
    pub(super) fn position(&self, number: usize) -> Option<usize> {
        let style = self.styles.get(number)?;
        Some(style.at as usize)
    }

    /// The line at a position in the text of the page.
    pub(super) fn line_at(&self, position: usize) -> usize {
        let before = |style: &LineStyle| (style.at as usize) < position;
        let line = self.styles.partition_point(before);
        let is_there = self.position(line) == Some(position);
        if is_there {
            line
        } else {
            line.saturating_sub(1)
        }
    }

    /// The text of a line, with its style and without links and ids.
    pub(super) fn line(&self, number: usize) -> Line {
        let text = self.raw.line(number).unwrap_or_default();
        let style = self.style(number);
        Line {
            is_fixed: style.is_fixed,
            hang: usize::from(style.hang),
            keys: self.keys(number).collect(),
            ..Line::new(style.kind, String::from_utf8_lossy(text).into_owned())
        }
    }

    /// The references in a line, with their ranges. Fields of forms are none.
    pub(super) fn references(&self, number: usize) -> impl Iterator<Item = (Range<usize>, &str)> {
        let anchors = self.anchors(number).iter();
        let anchors = anchors.filter(|anchor| self.widget(anchor).is_none());
        anchors.map(|anchor| (anchor.range(), self.target(anchor)))
    }

    pub(in crate::document) fn anchors(&self, number: usize) -> &[Anchor] {
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        let first = self.anchors.partition_point(|anchor| anchor.line < number);
        let after = self.anchors.partition_point(|anchor| anchor.line <= number);
        self.anchors.get(first..after).unwrap_or_default()
    }
}
