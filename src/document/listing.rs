//! A directory of an FTP server as rows.
//!
//! Each line is read again when its row is looked at; beside the octets stand the numbers of the few lines that are no
//! rows (`total 12`, the directory itself) and, once all has come, the sorted order. The form is settled by the first
//! lines, and once more at the end, when it did not fit what came after them. A line that does not fit it stays
//! visible, without a link, after the entries. The first row leads up; below it stand the server's remarks, folded.

mod columns;
mod remarks;
mod totals;

use std::ops::Range;
use std::sync::Arc;

use self::columns::Clocks;
use self::remarks::Remarks;
pub use self::totals::Totals;
use super::arrangement::Named;
use super::order::{self, Key, Order, Sortable};
use super::rows::only;
use super::{Column, Kind, Link, Origin, Remark, Row, Rows, Source, Span, Zone, suffix};
use crate::protocol::ftp::listing::{self, Day, Entry, Format, Guess, Line, SAMPLE};
use crate::text::Text;
use crate::url::{FtpType, Url};

/// The body of a listing.
#[derive(Clone, Debug)]
pub(super) struct Listing {
    /// The form, when the command that asked for it says so; else it is guessed.
    told: Option<Format>,
    format: Format,
    /// By what it is guessed, and how many lines were judged for it.
    guess: Guess,
    judged: usize,
    today: Day,
    clocks: Clocks,
    /// Rows that lead up: one, or none.
    up: usize,
    remarks: Remarks,
    /// Whole lines that were looked at.
    seen: usize,
    /// The lines among them that are no rows, in order.
    aside: Vec<u32>,
    sorted: Option<Sorted>,
}

/// The rows of a whole listing.
#[derive(Clone, Debug)]
struct Sorted {
    order: Order,
    /// Their lines, in order.
    lines: Arc<[u32]>,
    totals: Totals,
}

impl Listing {
    pub(super) fn new(url: &Url, told: Option<Format>, today: Day) -> Self {
        Self {
            told,
            format: told.unwrap_or(Format::Unix),
            guess: Guess::default(),
            judged: 0,
            today,
            clocks: Clocks::default(),
            up: usize::from(url.up().is_some()),
            remarks: Remarks::default(),
            seen: 0,
            aside: Vec::new(),
            sorted: None,
        }
    }

    pub(super) fn remark(&mut self, remark: Remark) {
        self.remarks.push(remark);
    }

    pub(super) fn fold(&mut self, remark: usize) {
        self.remarks.fold(remark);
    }

    pub(super) fn set_zone(&mut self, zone: Zone) {
        self.clocks.zone = zone;
    }

    pub(super) fn set_clock(&mut self, minutes: i32) {
        self.clocks.server = Some(minutes);
    }

    pub(super) fn totals(&self) -> Option<Totals> {
        self.sorted.as_ref().map(|sorted| sorted.totals)
    }

    /// Rows above the entries.
    fn above(&self) -> usize {
        self.up + self.remarks.count()
    }

    /// The line of this number, and what it is.
    fn line<'a>(&self, source: Source<'a>, number: usize) -> Option<(&'a [u8], Line<'a>)> {
        let line = source.raw.line(number)?;
        let found = if line.is_empty() {
            Line::Aside
        } else if self.format.joins() {
            let before = number.checked_sub(1).and_then(|at| source.raw.line(at));
            let after = source.raw.line(number + 1);
            self.format.joined(before, line, after, self.today)
        } else {
            self.format.line(line, self.today)
        };
        Some((line, found))
    }

    /// Looks at the lines up to `whole`, which have come to their end.
    fn look(&mut self, source: Source<'_>, whole: usize) {
        if self.told.is_none() && !self.guess.is_settled() {
            for number in self.judged..whole {
                if self.guess.is_settled() {
                    break;
                }
                self.guess.add(source.raw.line(number).unwrap_or_default());
            }
            self.judged = whole;
            self.read_as(self.guess.format());
        }
        for number in self.seen..whole {
            let Some((_, line)) = self.line(source, number) else {
                break;
            };
            if let (Line::Aside, Ok(number)) = (line, u32::try_from(number)) {
                self.aside.push(number);
            }
        }
        self.seen = whole.max(self.seen);
    }

    fn read_as(&mut self, format: Format) {
        if format != self.format {
            self.format = format;
            self.seen = 0;
            self.aside.clear();
        }
    }

    /// Reads the lines anew when most of them do not fit the form that the first ones had.
    fn look_again(&mut self, source: Source<'_>) {
        let count = source.raw.lines();
        let odd = self.totals().map_or(0, |totals| totals.odd);
        if self.told.is_some() || odd <= count / 2 || count <= SAMPLE {
            return;
        }
        let spread = (0..SAMPLE).filter_map(|part| source.raw.line(part * count / SAMPLE));
        let before = self.format;
        self.read_as(Format::guess(spread));
        if self.format != before {
            self.look(source, count);
            self.sort(source, Order::new(Column::Name));
        }
    }

    /// Rows made of whole lines.
    fn entries(&self) -> usize {
        self.seen - self.aside.len()
    }

    /// The line of an entry, by its number in the order of arrival.
    fn arrived_line(&self, entry: usize) -> usize {
        // The lines left out before an entry are those whose number, less the lines left out before them, is not past it.
        let mut low = 0;
        let mut high = self.aside.len();
        while low < high {
            let middle = low.midpoint(high);
            let before = self
                .aside
                .get(middle)
                .map_or(usize::MAX, |&line| line as usize - middle);
            if before <= entry {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        entry + low
    }

    /// The line that a row below all others is made of.
    fn line_of(&self, row: usize) -> Option<usize> {
        let entry = row.checked_sub(self.above())?;
        match &self.sorted {
            Some(sorted) => sorted.lines.get(entry).map(|&line| line as usize),
            None => Some(self.arrived_line(entry)),
        }
    }

    fn entry<'a>(&self, source: Source<'a>, row: usize) -> Option<(&'a [u8], Line<'a>)> {
        self.line(source, self.line_of(row)?)
    }

    fn kind(&self, entry: &Entry<'_>) -> Kind {
        let name = match (self.format, memchr::memrchr(b';', entry.name)) {
            // Behind it stands the version.
            (Format::Vms, Some(end)) => entry.name.get(..end).unwrap_or(entry.name),
            (_, Some(_) | None) => entry.name,
        };
        match entry.kind {
            listing::Kind::Directory => Kind::Menu,
            listing::Kind::Symlink(_) => Kind::Symlink,
            listing::Kind::File => suffix::kind(name).unwrap_or(Kind::Binary),
            listing::Kind::Unsaid => suffix::kind(name).unwrap_or(Kind::Unknown),
            listing::Kind::Other => Kind::Unknown,
        }
    }

    fn sortable<'a>(&self, entry: &Entry<'a>) -> Sortable<'a> {
        Sortable {
            name: entry.name,
            kind: self.kind(entry),
            size: entry.size.unwrap_or_default(),
            // Older than any date: no date.
            date: entry
                .date
                .map_or(i64::MIN, |date| self.clocks.seconds(date)),
        }
    }
}

impl Rows for Listing {
    fn count(&self, source: Source<'_>) -> usize {
        if let Some(sorted) = &self.sorted {
            return self.above() + sorted.lines.len();
        }
        // The last line may still grow; it is shown as far as it has come.
        let growing = self
            .line(source, self.seen)
            .is_some_and(|(_, line)| line != Line::Aside);
        self.above() + self.entries() + usize::from(growing)
    }

    fn row(&self, source: Source<'_>, number: usize) -> Option<Row> {
        if number < self.up {
            return Some(Row::new(Kind::Up, Text::of("..")));
        }
        if number < self.above() {
            return self.remarks.row(source, number - self.up);
        }
        if number >= self.count(source) {
            return None;
        }
        let (line, found) = self.entry(source, number)?;
        let Line::Entry(entry) = found else {
            return Some(Row::new(Kind::Odd, Text::new(line, source.charset)));
        };
        let mut spans = vec![Span::new(Text::new(entry.name, source.charset))];
        if let listing::Kind::Symlink(Some(target)) = entry.kind {
            spans.push(Span::new(Text::of(" → ")));
            spans.push(Span::new(Text::new(target, source.charset)));
        }
        Some(Row {
            kind: self.kind(&entry),
            number: None,
            indent: 0,
            lead: None,
            spans,
            aside: Some(self.clocks.columns(&entry)),
            hang: 0,
        })
    }

    fn octets<'a>(&'a self, source: Source<'a>, number: usize) -> Option<&'a [u8]> {
        if number < self.above() {
            return self.remarks.line(number.checked_sub(self.up)?);
        }
        match self.entry(source, number)? {
            // The arrow is nowhere in the octets.
            (
                _,
                Line::Entry(Entry {
                    kind: listing::Kind::Symlink(_),
                    ..
                }),
            ) => None,
            (line, _) => Some(line),
        }
    }

    fn named<'a>(&'a self, source: Source<'a>, number: usize) -> Named<'a> {
        if number < self.above() {
            return Named::Nothing;
        }
        match self.entry(source, number) {
            Some((_, Line::Entry(entry))) => Named::Octets(entry.name),
            Some((line, Line::Odd)) => Named::Octets(line),
            Some((_, Line::Aside)) | None => Named::Nothing,
        }
    }

    fn links(&self, source: Source<'_>, number: usize, which: Range<usize>) -> Vec<Link> {
        if number < self.up {
            return only(&which, || {
                Some(Link::new(Text::of(".."), Ok(source.url.up()?)))
            });
        }
        if number < self.above() {
            return self.remarks.links(source, number - self.up, which);
        }
        only(&which, || match self.entry(source, number)? {
            (_, Line::Entry(entry)) if number < self.count(source) => {
                let is_directory = entry.kind == listing::Kind::Directory;
                let kind = is_directory.then_some(FtpType::Directory);
                let label = Text::new(entry.name, source.charset);
                Some(Link::new(label, source.url.child(entry.name, kind)))
            }
            _ => None,
        })
    }

    fn link_count(&self, source: Source<'_>, number: usize) -> usize {
        if number < self.up {
            return 1;
        }
        if number < self.above() {
            return self.remarks.link_count(source, number - self.up);
        }
        let is_entry = matches!(self.entry(source, number), Some((_, Line::Entry(_))));
        usize::from(is_entry && number < self.count(source))
    }

    fn arrived(&mut self, source: Source<'_>) {
        let whole = source.raw.lines().saturating_sub(1);
        self.look(source, whole);
    }

    fn finish(&mut self, source: Source<'_>) {
        self.look(source, source.raw.lines());
        self.sort(source, Order::new(Column::Name));
        self.look_again(source);
    }

    fn wants_finish(&self) -> bool {
        self.sorted.is_none()
    }

    fn is_list(&self) -> bool {
        true
    }

    fn columns(&self) -> &'static [Column] {
        &[Column::Name, Column::Size, Column::Date, Column::Kind]
    }

    fn order(&self) -> Option<Order> {
        self.sorted.as_ref().map(|sorted| sorted.order)
    }

    fn sort(&mut self, source: Source<'_>, order: Order) {
        let mut totals = Totals::default();
        let lines = (0..self.seen).filter_map(|number| {
            let (_, line) = self.line(source, number)?;
            let number = u32::try_from(number).ok()?;
            match line {
                Line::Entry(entry) => {
                    totals.count(&entry);
                    Some(Key::new(number, self.sortable(&entry), order))
                }
                Line::Odd => {
                    totals.odd += 1;
                    Some(Key::odd(number))
                }
                Line::Aside => None,
            }
        });
        let lines = order::sorted(lines.collect(), order);
        self.sorted = Some(Sorted {
            order,
            lines,
            totals,
        });
    }

    fn origin(&self, row: usize) -> Option<Origin> {
        let Some(row_below) = row.checked_sub(self.up) else {
            return Some(Origin::Up);
        };
        match self.remarks.at(row_below) {
            Some((remark, line)) => Some(Origin::Remark(remark, line)),
            None => self.line_of(row).map(Origin::Line),
        }
    }

    fn row_of(&self, origin: Origin) -> Option<usize> {
        let line = match origin {
            Origin::Up => return self.up.checked_sub(1),
            Origin::Remark(remark, line) => {
                return Some(self.up + self.remarks.row_of(remark, line)?);
            }
            Origin::Line(line) => line,
        };
        let number = u32::try_from(line).ok()?;
        let entry = match &self.sorted {
            Some(sorted) => sorted.lines.iter().position(|&sorted| sorted == number)?,
            None => line - self.aside.binary_search(&number).err()?,
        };
        Some(self.above() + entry)
    }
}
