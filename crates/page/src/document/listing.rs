//! The body of an FTP directory listing.
//!
//! Each line is parsed when its row is requested. Besides the octets, the body stores the numbers of the few lines that
//! are not rows (`total 12`, the directory itself) and, once the listing is complete, the sorted order. The format is
//! guessed from the first lines, and guessed again at the end if most lines do not match it. A malformed line stays
//! visible, without a link, after the entries. The first row leads to the parent directory. The server's remarks are
//! below it, folded.

pub(super) mod document;
mod remarks;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use geomys_wire::protocol::ftp::listing::{
    self, DateRules, Day, Descriptions, Entry, Format, Guess, Line, SAMPLE, UnlistedNames,
};
use geomys_wire::text::{self, Text};
use rfc1738::{FtpType, Url};

pub use self::document::ListingTotals;
use self::document::{DateClocks, ListingColumns};
use self::remarks::Remarks;
use super::continuation::Insertions;
use super::folds::{ArticleVisibility, HiddenRows};
use super::order::{self, ListOrder, SortColumn, SortFields, SortKey};
use super::row::{Kind, Link, Row, RowOrigin, Span};
use super::rows::{FilterText, RowProvider, RowSource};
use super::shape::ListingPlace;
use super::suffix;
use super::text_line::{TextLine, TextLinks};
use crate::archive::member_url;
use crate::archive::site::may_be_tree;

/// The body of a listing.
#[derive(Clone, Debug)]
pub(super) struct ListingBody {
    /// The format, when the FTP command determines it; else it is guessed.
    given_format: Option<Format>,
    format: Format,
    /// The guess of the format, and the number of lines that it is based on.
    guess: Guess,
    guessed_lines: usize,
    today: Day,
    dates: DateRules,
    /// The names of lines that cannot be parsed.
    unlisted: Arc<UnlistedNames>,
    place: ListingPlace,
    clocks: DateClocks,
    /// The number of rows for the parent directory: one, or none.
    up: usize,
    remarks: Remarks,
    /// The line of the file with the tree of the whole site, once all have come.
    tree: Option<usize>,
    /// True if that file has a row of its own.
    offers_tree: bool,
    /// The descriptions of the files.
    descriptions: Arc<Descriptions>,
    /// The visibility of names that begin with a dot.
    hidden: HiddenRows,
    /// The number of complete lines that were scanned.
    scanned: usize,
    /// The scanned lines that are not rows.
    aside: Insertions,
    sorted: Option<SortedListing>,
}

/// The rows of a complete listing.
#[derive(Clone, Debug)]
struct SortedListing {
    order: ListOrder,
    /// The lines of the rows, in order.
    lines: Arc<[u32]>,
    totals: ListingTotals,
    /// The octets of the longest name, up to the limit.
    longest_name: usize,
}

impl ListingBody {
    pub(super) fn new(
        url: &Url,
        given_format: Option<Format>,
        today: Day,
        place: ListingPlace,
    ) -> Self {
        Self {
            given_format,
            format: given_format.unwrap_or(Format::Unix),
            guess: Guess::default(),
            guessed_lines: 0,
            today,
            dates: today.into(),
            unlisted: Arc::default(),
            place,
            clocks: DateClocks::default(),
            up: usize::from(place.up(url).is_some()),
            remarks: Remarks::default(),
            tree: None,
            offers_tree: false,
            descriptions: Arc::default(),
            hidden: HiddenRows::Shown,
            scanned: 0,
            aside: Insertions::default(),
            sorted: None,
        }
    }

    pub(super) fn totals(&self) -> Option<ListingTotals> {
        self.sorted.as_ref().map(|sorted| sorted.totals)
    }

    /// The widths of the columns, in columns of the screen.
    pub(super) fn columns(&self) -> ListingColumns {
        ListingColumns::of_names(self.sorted.as_ref().map(|sorted| sorted.longest_name))
    }

    /// The number of rows above the remarks.
    fn top(&self) -> usize {
        self.up + usize::from(self.tree.is_some())
    }

    /// The number of rows above the entries.
    fn above(&self) -> usize {
        self.top() + self.remarks.count()
    }

    /// Returns the entry of the file with the tree of the whole site, if row `number` leads to it.
    fn tree_entry<'a>(&self, source: RowSource<'a>, number: usize) -> Option<Entry<'a>> {
        let line = self.tree.filter(|_| number == self.up)?;
        match self.line(source, line)? {
            (_, Line::Entry(entry)) => Some(entry),
            _ => None,
        }
    }

    /// The line with this number, and its parsed form.
    fn line<'a>(&self, source: RowSource<'a>, number: usize) -> Option<(&'a [u8], Line<'a>)> {
        let line = source.raw.line(number)?;
        let parsed = match self.line_of_two(source, number, line) {
            _ if line.is_empty() => Line::Metadata,
            Some(joined) => joined,
            None => self.format.line(line, self.dates),
        };
        let parsed = match parsed {
            Line::Unrecognized => self.unlisted.entry(line).map_or(parsed, Line::Entry),
            Line::Entry(_) | Line::Metadata => parsed,
        };
        Some((line, parsed))
    }

    /// The parsed form of a line whose entry may take two lines; `None` for formats of one line an entry.
    fn line_of_two<'a>(
        &self,
        source: RowSource<'a>,
        number: usize,
        line: &'a [u8],
    ) -> Option<Line<'a>> {
        if line.is_empty() || !self.format.joins() {
            return None;
        }
        let before = number.checked_sub(1).and_then(|at| source.raw.line(at));
        let after = source.raw.line(number + 1);
        Some(self.format.joined(before, line, after, self.dates))
    }

    /// Scans the lines up to `complete`, which have arrived completely.
    fn scan(&mut self, source: RowSource<'_>, complete: usize) {
        if self.given_format.is_none() && !self.guess.is_settled() {
            for number in self.guessed_lines..complete {
                if self.guess.is_settled() {
                    break;
                }
                self.guess.add(source.raw.line(number).unwrap_or_default());
            }
            self.guessed_lines = complete;
            self.set_format(self.guess.format());
        }
        let was_padded = self.dates.is_padded();
        self.scan_lines(source, complete);
        if self.dates.is_padded() != was_padded {
            // `.` may be metadata now. What is learned from a line twice changes nothing.
            self.scanned = 0;
            self.aside.clear();
            self.scan_lines(source, complete);
        }
    }

    fn scan_lines(&mut self, source: RowSource<'_>, complete: usize) {
        for number in self.scanned..complete {
            let Some(line) = source.raw.line(number) else {
                break;
            };
            let is_metadata = self.format.learn(line, &mut self.dates);
            let is_metadata = match self.line_of_two(source, number, line) {
                Some(joined) => joined == Line::Metadata,
                None => line.is_empty() || is_metadata,
            };
            if is_metadata || self.is_hidden(line) {
                self.aside.push(number);
            }
        }
        self.scanned = complete.max(self.scanned);
    }

    /// Gives the names that begin with a dot no rows.
    pub(super) fn hide_dot_names(&mut self) {
        self.hidden = HiddenRows::LeftOut;
    }

    /// Returns true if the entry in a line has no row, because its name begins with a dot.
    fn is_hidden(&self, line: &[u8]) -> bool {
        self.hidden == HiddenRows::LeftOut
            && memchr::memchr(b'.', line).is_some()
            && matches!(self.format.line(line, self.dates), Line::Entry(entry) if entry.is_hidden())
    }

    fn set_format(&mut self, format: Format) {
        if format != self.format {
            self.format = format;
            self.dates = self.today.into();
            self.scanned = 0;
            self.aside.clear();
        }
    }

    /// Guesses the format again, and parses the lines again, if most of them do not match the first guess.
    fn guess_format_again(&mut self, source: RowSource<'_>) {
        let count = source.raw.lines();
        let malformed = self.totals().map_or(0, |totals| totals.malformed);
        if self.given_format.is_some() || malformed <= count / 2 || count <= SAMPLE {
            return;
        }
        let spread = (0..SAMPLE).filter_map(|part| source.raw.line(part * count / SAMPLE));
        let before = self.format;
        self.set_format(Format::guess(spread));
        if self.format != before {
            self.scan(source, count);
            self.sort(source, self.first_order());
        }
    }

    /// The order of a complete listing. The directories of a tree stand before what is in them.
    fn first_order(&self) -> ListOrder {
        let order = ListOrder::new(SortColumn::Name);
        match self.place {
            ListingPlace::Site => order.with_directories_toggled(),
            ListingPlace::Server | ListingPlace::Archive => order,
        }
    }

    /// The number of rows of complete lines.
    fn entries(&self) -> usize {
        self.scanned - self.aside.len()
    }

    /// The line of a row below the remarks.
    fn line_of(&self, row: usize) -> Option<usize> {
        let entry = row.checked_sub(self.above())?;
        match &self.sorted {
            Some(sorted) => sorted.lines.get(entry).map(|&line| line as usize),
            None => Some(self.aside.number_of(entry)),
        }
    }

    fn entry<'a>(&self, source: RowSource<'a>, row: usize) -> Option<(&'a [u8], Line<'a>)> {
        self.line(source, self.line_of(row)?)
    }

    fn kind(&self, entry: &Entry<'_>) -> Kind {
        let name = match (self.format, memchr::memrchr(b';', entry.name)) {
            // The version of the file follows the semicolon.
            (Format::Vms, Some(end)) => entry.name.get(..end).unwrap_or(entry.name),
            (Format::Paths, _) => entry
                .name
                .rsplit(|&octet| octet == b'/')
                .next()
                .unwrap_or(entry.name),
            (_, Some(_) | None) => entry.name,
        };
        match entry.kind {
            listing::Kind::Directory => Kind::Menu,
            listing::Kind::Symlink(_) => Kind::Symlink,
            listing::Kind::File | listing::Kind::Unknown if suffix::is_packed(name) => {
                Kind::Archive
            }
            listing::Kind::File if self.place == ListingPlace::Server && may_be_tree(name) => {
                suffix::kind(name).unwrap_or(Kind::Archive)
            }
            listing::Kind::File => suffix::kind(name).unwrap_or(Kind::Binary),
            listing::Kind::Unknown => suffix::kind(name).unwrap_or(Kind::Unknown),
            listing::Kind::Other => Kind::Unknown,
        }
    }

    /// The lines whose name a later one has: in an archive that is a newer version of the member.
    fn replaced_lines(&self, source: RowSource<'_>) -> HashSet<usize> {
        let mut replaced = HashSet::new();
        if self.place == ListingPlace::Archive {
            let mut newest = HashMap::new();
            for number in 0..self.scanned {
                if let Some((_, Line::Entry(entry))) = self.line(source, number) {
                    replaced.extend(newest.insert(entry.name, number));
                }
            }
        }
        replaced
    }

    fn sortable<'a>(&self, entry: &Entry<'a>) -> SortFields<'a> {
        SortFields {
            name: entry.name,
            kind: self.kind(entry),
            size: entry.size.unwrap_or_default(),
            // An entry without a date sorts as the oldest.
            date: entry
                .date
                .map_or(i64::MIN, |date| self.clocks.seconds(date)),
        }
    }
}

impl RowProvider for ListingBody {
    fn count(&self, source: RowSource<'_>) -> usize {
        if let Some(sorted) = &self.sorted {
            return self.above() + sorted.lines.len();
        }
        // The last line may be incomplete. It is shown as far as it has arrived.
        let growing = self
            .line(source, self.scanned)
            .is_some_and(|(_, line)| line != Line::Metadata);
        self.above() + self.entries() + usize::from(growing)
    }

    /// Returns a line of a remark.
    fn text_line<'a>(&'a self, _: RowSource<'a>, number: usize) -> Option<TextLine<'a>> {
        let line = self.remarks.line(number.checked_sub(self.top())?)?;
        Some(TextLine::new(Kind::Plain, line, TextLinks::Urls))
    }

    fn row(&self, source: RowSource<'_>, number: usize) -> Option<Row> {
        if number < self.up {
            return Some(Row::new(Kind::Up, Text::of("..")));
        }
        if let Some(entry) = self.tree_entry(source, number) {
            return Some(Row::new(Kind::Archive, self.clocks.tree_title(&entry)));
        }
        if let Some(line) = self.text_line(source, number) {
            return Some(line.row(source.charset));
        }
        if number < self.above() {
            return self.remarks.title(source, number - self.top());
        }
        if number >= self.count(source) {
            return None;
        }
        let (line, found) = self.entry(source, number)?;
        let Line::Entry(entry) = found else {
            return Some(Row::new(Kind::Malformed, Text::new(line, source.charset)));
        };
        let mut spans = vec![Span::new(Text::new(entry.name, source.charset))];
        if let listing::Kind::Symlink(Some(target)) = entry.kind {
            spans.push(Span::new(Text::of(document::ARROW)));
            spans.push(Span::new(Text::new(target, source.charset)));
        }
        Some(Row {
            aside: Some(self.clocks.columns(&entry)),
            note: (self.descriptions.of(entry.name))
                .map(|text| Text::new(text, self.descriptions.charset(source.charset))),
            ..Row::with_spans(self.kind(&entry), spans)
        })
    }

    fn details(&self, source: RowSource<'_>, number: usize) -> Vec<(&'static str, Text)> {
        let entry = self.entry(source, number);
        let Some((line, Line::Entry(entry))) = entry.filter(|_| number >= self.above()) else {
            return Vec::new();
        };
        let details = self.format.details(line);
        let text = |octets: &[u8]| Text::new(octets, source.charset);
        let properties = [
            ("size", entry.size.map(exact_size)),
            (
                "modified",
                entry.date.map(|date| Text::of(&self.clocks.written(date))),
            ),
            ("permissions", details.permissions.map(text)),
            ("owner", details.owner.map(text)),
            ("group", details.group.as_deref().map(text)),
        ];
        let properties = properties.into_iter();
        properties
            .filter_map(|(name, value)| Some((name, value?)))
            .collect()
    }

    fn octets<'a>(&'a self, source: RowSource<'a>, number: usize) -> Option<&'a [u8]> {
        if number < self.above() {
            return self.remarks.line(number.checked_sub(self.top())?);
        }
        match self.entry(source, number)? {
            // The arrow is not in the octets.
            (_, Line::Entry(entry)) if matches!(entry.kind, listing::Kind::Symlink(_)) => None,
            (line, _) => Some(line),
        }
    }

    fn continues(&self, _: RowSource<'_>, number: usize) -> bool {
        let remark = number.checked_sub(self.top());
        remark.is_some_and(|row| self.remarks.continues(row))
    }

    fn record(&self, _: RowSource<'_>, number: usize) -> Vec<usize> {
        self.line_of(number).into_iter().collect()
    }

    fn filter_text<'a>(&'a self, source: RowSource<'a>, number: usize) -> FilterText<'a> {
        if number < self.above() {
            return FilterText::None;
        }
        match self.entry(source, number) {
            Some((_, Line::Entry(entry))) => FilterText::Octets(entry.name),
            Some((line, Line::Unrecognized)) => FilterText::Octets(line),
            Some((_, Line::Metadata)) | None => FilterText::None,
        }
    }

    fn link(&self, source: RowSource<'_>, number: usize) -> Option<Link> {
        if number < self.up {
            return Some(Link::new(Text::of(".."), Ok(self.place.up(source.url)?)));
        }
        if let Some(entry) = self.tree_entry(source, number) {
            let target = source.url.child(entry.name, None);
            return Some(Link::new(Text::new(entry.name, source.charset), target));
        }
        match self.entry(source, number)? {
            (_, Line::Entry(entry)) if number < self.count(source) => {
                let is_directory = entry.kind == listing::Kind::Directory;
                let label = Text::new(entry.name, source.charset);
                let target = match self.place {
                    ListingPlace::Server => {
                        let kind = is_directory.then_some(FtpType::Directory);
                        source.url.child(entry.name, kind)
                    }
                    ListingPlace::Archive => Ok(member_url(source.url, entry.name, is_directory)),
                    ListingPlace::Site => document::site_url(source.url, entry.name, is_directory),
                };
                Some(Link::new(label, target))
            }
            _ => None,
        }
    }

    fn link_count(&self, source: RowSource<'_>, number: usize) -> usize {
        if let Some(line) = self.text_line(source, number) {
            return line.link_count(source.charset);
        }
        let is_entry = || matches!(self.entry(source, number), Some((_, Line::Entry(_))));
        usize::from(number < self.top() || is_entry() && number < self.count(source))
    }

    fn on_append(&mut self, source: RowSource<'_>) {
        let complete = source.raw.lines().saturating_sub(1);
        self.scan(source, complete);
    }

    fn finish(&mut self, source: RowSource<'_>) {
        self.scan(source, source.raw.lines());
        self.sort(source, self.first_order());
        self.guess_format_again(source);
    }

    fn needs_finish(&self) -> bool {
        self.sorted.is_none()
    }

    fn columns(&self) -> &'static [SortColumn] {
        &[
            SortColumn::Name,
            SortColumn::Size,
            SortColumn::Date,
            SortColumn::Kind,
        ]
    }

    fn order(&self) -> Option<ListOrder> {
        self.sorted.as_ref().map(|sorted| sorted.order)
    }

    fn sort(&mut self, source: RowSource<'_>, order: ListOrder) {
        let mut totals = ListingTotals::default();
        let mut longest_name = 0;
        let mut tree = None;
        let replaced = self.replaced_lines(source);
        let hides = self.hidden == HiddenRows::LeftOut;
        let lines = (0..self.scanned).filter_map(|number| {
            if replaced.contains(&number) {
                return None;
            }
            let (_, line) = self.line(source, number)?;
            let number = u32::try_from(number).ok()?;
            match line {
                Line::Entry(entry) if hides && entry.is_hidden() => {
                    totals.hidden += 1;
                    None
                }
                Line::Entry(entry) => {
                    totals.count(&entry, self.format);
                    if self.offers_tree && self.place == ListingPlace::Server && is_tree(&entry) {
                        tree.get_or_insert(number as usize);
                    }
                    longest_name = longest_name.max(document::name_octets(&entry));
                    Some(SortKey::new(number, self.sortable(&entry), order))
                }
                Line::Unrecognized => {
                    totals.malformed += 1;
                    Some(SortKey::malformed(number))
                }
                Line::Metadata => None,
            }
        });
        let lines = order::sorted(lines.collect(), order);
        self.tree = tree;
        self.sorted = Some(SortedListing {
            order,
            lines,
            totals,
            longest_name,
        });
    }

    fn visibility(&self) -> ArticleVisibility {
        ArticleVisibility {
            hidden: self.hidden,
            ..ArticleVisibility::default()
        }
    }

    fn set_visibility(
        &mut self,
        source: RowSource<'_>,
        visibility: ArticleVisibility,
        _filtered: bool,
    ) -> bool {
        let is_new = visibility.hidden != self.hidden;
        self.hidden = visibility.hidden;
        if let (true, Some(order)) = (is_new, self.order()) {
            self.sort(source, order);
        }
        is_new
    }

    fn origin(&self, row: usize) -> Option<RowOrigin> {
        let Some(row_below) = row.checked_sub(self.top()) else {
            let is_up = row < self.up;
            return Some(if is_up {
                RowOrigin::Up
            } else {
                RowOrigin::Tree
            });
        };
        match self.remarks.at(row_below) {
            Some((remark, line)) => Some(RowOrigin::Remark(remark, line)),
            None => self.line_of(row).map(RowOrigin::Line),
        }
    }

    fn row_of(&self, origin: RowOrigin) -> Option<usize> {
        let line = match origin {
            RowOrigin::Up => return self.up.checked_sub(1),
            RowOrigin::Tree => return self.tree.map(|_| self.up),
            RowOrigin::Remark(remark, line) => {
                return Some(self.top() + self.remarks.row_of(remark, line)?);
            }
            RowOrigin::Line(line) => line,
        };
        let entry = match &self.sorted {
            Some(sorted) => {
                let number = u32::try_from(line).ok()?;
                sorted.lines.iter().position(|&sorted| sorted == number)?
            }
            None => line - self.aside.index(line).err()?,
        };
        Some(self.above() + entry)
    }
}

/// Returns true for a file with the tree of the whole site.
fn is_tree(entry: &Entry<'_>) -> bool {
    !matches!(entry.kind, listing::Kind::Directory | listing::Kind::Other)
        && may_be_tree(entry.name)
}

/// A size with all its digits.
fn exact_size(size: u64) -> Text {
    let digits = usize::try_from(size).map_or_else(|_| size.to_string(), text::count);
    Text::of(&format!(
        "{digits} {}",
        if size == 1 { "byte" } else { "bytes" }
    ))
}
