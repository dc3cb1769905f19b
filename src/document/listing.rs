//! A directory of an FTP server as rows.
//!
//! Each line is read again when its row is looked at; beside the octets stand the numbers of the few lines that are no
//! rows (`total 12`, the directory itself) and, once all has come, the sorted order. The form is settled by the first
//! lines. A line that does not fit it stays visible, without a link, after the entries. The first row leads up.

use std::sync::Arc;

use super::order::{self, Order};
use super::{Column, Kind, Link, Row, Rows, Source, Span, suffix};
use crate::protocol::ftp::listing::{self, Date, Day, Entry, Format, Line, SAMPLE};
use crate::text::{self, Text};
use crate::url::{FtpType, Url};

/// What stands for the line of the row that leads up.
const UP: usize = usize::MAX;

/// The columns of a size, and of a date with its time.
const SIZE: usize = 9;
const DATE: usize = 16;

/// The body of a listing.
#[derive(Clone, Debug)]
pub(super) struct Listing {
    /// The form, when the command that asked for it says so; else it is guessed.
    told: Option<Format>,
    format: Format,
    today: Day,
    /// Rows above the entries: the one that leads up, or none.
    above: usize,
    /// Whole lines that were looked at.
    seen: usize,
    /// The lines among them that are no rows, in order.
    aside: Vec<u32>,
    sorted: Option<Sorted>,
}

/// The rows of a whole listing: their lines, in order.
#[derive(Clone, Debug)]
struct Sorted {
    order: Order,
    lines: Arc<[u32]>,
}

impl Listing {
    pub(super) fn new(url: &Url, told: Option<Format>, today: Day) -> Self {
        Self {
            told,
            format: told.unwrap_or(Format::Unix),
            today,
            above: usize::from(url.up().is_some()),
            seen: 0,
            aside: Vec::new(),
            sorted: None,
        }
    }

    fn line<'a>(&self, line: &'a [u8]) -> Line<'a> {
        if line.is_empty() {
            return Line::Aside;
        }
        self.format.line(line, self.today)
    }

    /// Looks at the lines up to `whole`, which have come to their end.
    fn look(&mut self, source: Source<'_>, whole: usize) {
        if self.told.is_none() && self.seen < SAMPLE {
            let sample = (0..whole.min(SAMPLE)).filter_map(|line| source.raw.line(line));
            let format = Format::guess(sample);
            if format != self.format {
                self.format = format;
                self.seen = 0;
                self.aside.clear();
            }
        }
        for number in self.seen..whole {
            let Some(line) = source.raw.line(number) else {
                break;
            };
            if let (Line::Aside, Ok(number)) = (self.line(line), u32::try_from(number)) {
                self.aside.push(number);
            }
        }
        self.seen = whole.max(self.seen);
    }

    /// Rows made of whole lines, the way up left out.
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

    fn entry<'a>(&self, source: Source<'a>, row: usize) -> Option<(&'a [u8], Line<'a>)> {
        let line = source
            .raw
            .line(self.line_of(row).filter(|&line| line != UP)?)?;
        Some((line, self.line(line)))
    }
}

impl Rows for Listing {
    fn count(&self, source: Source<'_>) -> usize {
        if let Some(sorted) = &self.sorted {
            return self.above + sorted.lines.len();
        }
        // The last line may still grow; it is shown as far as it has come.
        let growing = source
            .raw
            .line(self.seen)
            .is_some_and(|line| self.line(line) != Line::Aside);
        self.above + self.entries() + usize::from(growing)
    }

    fn row(&self, source: Source<'_>, number: usize) -> Option<Row> {
        if number < self.above {
            return Some(Row::new(Kind::Up, Text::of("..")));
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
            kind: kind(&entry),
            number: None,
            indent: 0,
            lead: None,
            spans,
            aside: Some(columns(&entry)),
        })
    }

    fn octets<'a>(&'a self, source: Source<'a>, number: usize) -> Option<&'a [u8]> {
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

    fn links(&self, source: Source<'_>, number: usize) -> Vec<Link> {
        if number < self.above {
            let up = source.url.up();
            return up
                .map(|url| Link::new(Text::of(".."), Ok(url)))
                .into_iter()
                .collect();
        }
        match self.entry(source, number) {
            Some((_, Line::Entry(entry))) if number < self.count(source) => {
                let is_directory = entry.kind == listing::Kind::Directory;
                let kind = is_directory.then_some(FtpType::Directory);
                let label = Text::new(entry.name, source.charset);
                vec![Link::new(label, source.url.child(entry.name, kind))]
            }
            _ => Vec::new(),
        }
    }

    fn is_link(&self, source: Source<'_>, number: usize) -> bool {
        number < self.above
            || number < self.count(source)
                && matches!(self.entry(source, number), Some((_, Line::Entry(_))))
    }

    fn arrived(&mut self, source: Source<'_>) {
        let whole = source.raw.lines().saturating_sub(1);
        self.look(source, whole);
    }

    fn finish(&mut self, source: Source<'_>) {
        self.look(source, source.raw.lines());
        self.sort(source, Order::new(Column::Name));
    }

    fn wants_finish(&self) -> bool {
        self.sorted.is_none()
    }

    fn is_list(&self) -> bool {
        true
    }

    fn order(&self) -> Option<Order> {
        self.sorted.as_ref().map(|sorted| sorted.order)
    }

    fn sort(&mut self, source: Source<'_>, order: Order) {
        let lines = (0..self.seen).filter_map(|number| {
            let line = source.raw.line(number)?;
            let number = u32::try_from(number).ok()?;
            match self.line(line) {
                Line::Entry(entry) => Some(key(number, &entry)),
                Line::Odd => Some(order::Key::odd(number)),
                Line::Aside => None,
            }
        });
        self.sorted = Some(Sorted {
            order,
            lines: order::sorted(lines.collect(), order),
        });
    }

    fn line_of(&self, row: usize) -> Option<usize> {
        let Some(entry) = row.checked_sub(self.above) else {
            return Some(UP);
        };
        match &self.sorted {
            Some(sorted) => sorted.lines.get(entry).map(|&line| line as usize),
            None => Some(self.arrived_line(entry)),
        }
    }

    fn row_of(&self, line: usize) -> Option<usize> {
        if line == UP {
            return self.above.checked_sub(1);
        }
        let number = u32::try_from(line).ok()?;
        let entry = match &self.sorted {
            Some(sorted) => sorted.lines.iter().position(|&sorted| sorted == number)?,
            None => line - self.aside.binary_search(&number).err()?,
        };
        Some(self.above + entry)
    }
}

fn key<'a>(line: u32, entry: &Entry<'a>) -> order::Key<'a> {
    order::Key::new(
        line,
        entry.name,
        kind(entry),
        entry.size.unwrap_or_default(),
        // Older than any date: no date.
        entry.date.map_or(0, |date| {
            let time = date.time.map_or(0, |time| {
                (u64::from(time.hour) << 16 | u64::from(time.minute) << 8 | u64::from(time.second))
                    + 1
            });
            u64::from(date.day.year) << 48
                | u64::from(date.day.month) << 40
                | u64::from(date.day.day) << 32
                | time
        }),
    )
}

fn kind(entry: &Entry<'_>) -> Kind {
    match entry.kind {
        listing::Kind::Directory => Kind::Menu,
        listing::Kind::Symlink(_) => Kind::Symlink,
        listing::Kind::File => suffix::kind(entry.name).unwrap_or(Kind::Binary),
        listing::Kind::Unsaid => suffix::kind(entry.name).unwrap_or(Kind::Unknown),
        listing::Kind::Other => Kind::Unknown,
    }
}

/// Size and date, each in its own columns, so that they stand below each other.
fn columns(entry: &Entry<'_>) -> Text {
    let size = entry.size.map(text::octets).unwrap_or_default();
    let date = entry.date.map(written).unwrap_or_default();
    Text::of(&format!("{size:>SIZE$}  {date:<DATE$}"))
}

fn written(Date { day, time }: Date) -> String {
    let Day { year, month, day } = day;
    match time {
        Some(time) => format!(
            "{year:04}-{month:02}-{day:02} {:02}:{:02}",
            time.hour, time.minute
        ),
        None => format!("{year:04}-{month:02}-{day:02}"),
    }
}
