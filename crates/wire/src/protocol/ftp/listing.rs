//! Directory listings: parses lines of octets to entries.
//!
//! RFC 959 leaves the format of LIST to the server, so there is one parser for each format, each in its own file with
//! its grammar. A line is an entry, metadata ([`Line::Metadata`]: `total 12`, the directory itself), or unrecognized
//! (`None` of a parser), and then it is shown as received. Nothing is allocated.
//!
//! VMS sometimes writes an entry in two lines: [`Format::joined`] reads a line with its neighbours.
//!
//! A new format needs a file here, a variant of [`Format`] and an entry in its `GUESSED`.

mod date;
mod described;
mod details;
mod dos;
mod entry;
mod eplf;
mod facts;
mod jes;
mod mac;
mod members;
mod month;
mod mvs;
mod names;
mod netware;
mod os2;
mod os400;
mod padding;
mod rare;
mod unix;
mod vms;
mod words;

use date::{ANY_DAY, DateOrder};
pub use date::{Clock, Date, DateRules, Day, Time};
pub use described::{DescribedFile, Descriptions};
pub use details::Details;
pub use entry::{Entry, Kind, Line};
pub use names::UnlistedNames;

use crate::protocol::octets;

/// The number of lines used to guess the format.
pub const SAMPLE: usize = 100;

/// What the beginning of a listing has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ListingStart {
    /// True if a line is an entry of the directory. The directory itself, its parent and a count of blocks are none.
    pub(super) has_entry: bool,
    /// True if it has the directory itself, or a name that begins with a dot: the listing has such names then.
    pub(super) has_hidden: bool,
}

impl ListingStart {
    /// Reads the beginning of a listing; its last line may be cut.
    pub(super) fn of(octets: &[u8]) -> Self {
        let lines = || octets::lines(octets).filter(|line| !line.trim_ascii().is_empty());
        let format = Format::guess(lines().take(SAMPLE));
        let mut start = Self::default();
        for line in lines() {
            match format.line(line, ANY_DAY) {
                Line::Entry(entry) => {
                    start.has_entry = true;
                    start.has_hidden |= entry.is_hidden();
                }
                Line::Metadata => {
                    let name = line.trim_ascii().rsplit(|octet| *octet == b' ').next();
                    start.has_hidden |= matches!(name, Some(b"." | b".."));
                }
                Line::Unrecognized => {}
            }
        }
        start
    }
}

/// The format of a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// MLSD: `type=file;size=12; name` (RFC 3659, section 7).
    Facts,
    /// EPLF: `+s12,r,<TAB>name`.
    Eplf,
    /// `10-11-26  03:15PM  <DIR>  name`.
    Dos,
    /// `ls -l`.
    Unix,
    /// `NetPresenz` on a Mac: `-------r--  326 1391972 1392298 Nov 22 1995 name`.
    Mac,
    /// `d [R----F--] owner 512 Jan 16 18:53 name`.
    NetWare,
    /// OS/2: ` 0 DIR 12-11-26 10:20 name`.
    Os2,
    /// `NAME.TXT;1  3/4  19-NOV-2026 10:23:45 [owner] (RWED,RWED,RE,)`.
    Vms,
    /// `QSYS 4096 11/19/26 10:11:12 *DIR name/`.
    Os400,
    /// Data sets on MVS.
    DataSets,
    /// Members of a data set on MVS.
    Members,
    /// Jobs on MVS.
    Jobs,
    /// Formats of few servers: `VxWorks`, HP `NonStop`, `VShell`, modes in digits.
    Rare,
    /// NLST: a name on each line.
    Names,
    /// MLSD with paths instead of names: the tree of a whole site. No server sends it.
    Paths,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 15] = [
        Self::Facts,
        Self::Eplf,
        Self::Dos,
        Self::Unix,
        Self::Mac,
        Self::NetWare,
        Self::Os2,
        Self::Vms,
        Self::Os400,
        Self::DataSets,
        Self::Members,
        Self::Jobs,
        Self::Rare,
        Self::Names,
        Self::Paths,
    ];

    /// The formats that LIST may have. If two match equally, the first wins: a listing of a Mac also matches `ls`, and
    /// a name in EPLF may look like facts.
    const GUESSED: [Self; 13] = [
        Self::Mac,
        Self::Unix,
        Self::Dos,
        Self::Eplf,
        Self::Facts,
        Self::NetWare,
        Self::Vms,
        Self::Os400,
        Self::Os2,
        Self::DataSets,
        Self::Members,
        Self::Jobs,
        Self::Rare,
    ];

    /// Returns the format that matches most of the first [`SAMPLE`] lines.
    pub fn guess<'a>(lines: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut guess = Guess::default();
        lines.for_each(|line| guess.add(line));
        guess.format()
    }

    /// Returns true if a line is evidence for this format.
    fn matches(self, line: &[u8]) -> bool {
        match (self.line(line, ANY_DAY), self) {
            // A single word may be a member, but also anything else.
            (Line::Entry(entry), Self::Members) => entry.date.is_some() || entry.size.is_some(),
            // A name without facts could be an indented line of any format.
            (Line::Entry(_), Self::Facts) => !line.starts_with(b" "),
            (Line::Entry(_), _) | (Line::Metadata, Self::Members) => true,
            (Line::Metadata | Line::Unrecognized, _) => false,
        }
    }

    /// Parses a line without its line end.
    pub fn line(self, line: &[u8], rules: impl Into<DateRules>) -> Line<'_> {
        let rules = rules.into();
        let parsed = match self {
            Self::Facts => facts::line(line),
            Self::Eplf => eplf::line(line),
            Self::Dos => dos::line(line, rules),
            Self::Unix => unix::line(line, rules),
            Self::Mac => mac::line(line, rules),
            Self::NetWare => netware::line(line, rules),
            Self::Os2 => os2::line(line, rules),
            Self::Vms => vms::line(line),
            Self::Os400 => os400::line(line, rules),
            Self::DataSets => mvs::line(line),
            Self::Members => members::line(line),
            Self::Jobs => jes::line(line),
            Self::Rare => rare::line(line, rules),
            Self::Names => names::line(line),
            Self::Paths => facts::path_line(line),
        };
        parsed.unwrap_or(Line::Unrecognized)
    }

    /// Returns true if [`Format::line`] can parse a line, without parsing it; a false result may be wrong.
    pub fn is_readable(self, line: &[u8]) -> bool {
        self == Self::Facts && facts::is_readable(line)
    }

    /// Learns the rules from a line, and returns true if it is [`Line::Metadata`] under those rules. Lines of MLSD are
    /// parsed only up to the fact that tells it.
    pub fn learn(self, line: &[u8], rules: &mut DateRules) -> bool {
        self.learn_order(line, rules);
        if self == Self::Facts {
            return facts::is_metadata(line);
        }
        let mut parsed = self.line(line, rules.unpadded());
        if let (Self::Unix, Line::Entry(entry)) = (self, parsed) {
            rules.padding.learn(line, &entry);
        }
        if rules.is_padded() {
            parsed = self.line(line, *rules);
        }
        parsed == Line::Metadata
    }

    /// Returns the properties of the entry in a line; none for formats without them.
    pub fn details(self, line: &[u8]) -> Details<'_> {
        match self {
            Self::Facts | Self::Paths => facts::details(line),
            Self::Unix => unix::details(line).unwrap_or_default(),
            Self::Eplf
            | Self::Dos
            | Self::Mac
            | Self::NetWare
            | Self::Os2
            | Self::Vms
            | Self::Os400
            | Self::DataSets
            | Self::Members
            | Self::Jobs
            | Self::Rare
            | Self::Names => Details::default(),
        }
    }

    /// Learns from a line in which orders day and month may be in this listing: those in which its date is one.
    fn learn_order(self, line: &[u8], rules: &mut DateRules) {
        if rules.is_settled() {
            return;
        }
        let line_in = |order| self.line(line, rules.with_orders(|other| other == order));
        let date_in = |order| line_in(order).date();
        let [first, others @ ..] = DateOrder::ALL.map(date_in);
        if others.iter().all(|date| *date == first) {
            // Day and month may be equal: only a date that needs no order does not depend on it.
            if self.line(line, rules.with_orders(|_| false)).date() == first {
                rules.count_independent();
            }
            return;
        }
        let orders: Vec<_> = rules
            .orders()
            .filter(|&order| date_in(order).is_some())
            .collect();
        if !orders.is_empty() {
            *rules = rules.with_orders(|order| orders.contains(&order));
        }
    }

    /// Returns true if an entry may take two lines, so that [`Format::joined`] is needed instead of [`Format::line`].
    pub fn joins(self) -> bool {
        self == Self::Vms
    }

    /// Parses a line together with the lines before and after it.
    pub fn joined<'a>(
        self,
        before: Option<&[u8]>,
        line: &'a [u8],
        after: Option<&[u8]>,
        rules: impl Into<DateRules>,
    ) -> Line<'a> {
        if self.joins() {
            vms::joined(before, line, after).unwrap_or(Line::Unrecognized)
        } else {
            self.line(line, rules)
        }
    }
}

/// The number of lines that match each format, of the first [`SAMPLE`] that are not blank.
#[derive(Clone, Debug, Default)]
pub struct Guess {
    matches: [usize; Format::GUESSED.len()],
    lines: usize,
}

impl Guess {
    /// Counts the next line.
    pub fn add(&mut self, line: &[u8]) {
        if self.is_settled() || line.trim_ascii().is_empty() {
            return;
        }
        self.lines += 1;
        for (format, count) in Format::GUESSED.iter().zip(&mut self.matches) {
            *count += usize::from(format.matches(line));
        }
    }

    /// Returns true if more lines change nothing.
    pub fn is_settled(&self) -> bool {
        self.lines >= SAMPLE
    }

    /// Returns the format that matches most lines so far; `ls -l` if none matches.
    pub fn format(&self) -> Format {
        let best = self.matches.iter().copied().max().unwrap_or_default();
        let mut formats = Format::GUESSED.into_iter().zip(self.matches);
        formats
            .find(|(_, count)| best > 0 && *count == best)
            .map_or(Format::Unix, |(format, _)| format)
    }
}
