//! Directory listings: lines of octets to entries.
//!
//! RFC 959 leaves the form of LIST to the server, so there is one function for each form, each in its own file with its
//! grammar. A parser cannot fail: a line is an entry, a line that is no entry by design ([`Line::Aside`]: `total 12`, the
//! directory itself), or odd, and then it is shown as it came. Nothing is allocated.
//!
//! One form writes an entry in two lines now and then (VMS): [`Format::joined`] reads a line with those around it.
//!
//! A new form is a file here, a variant of [`Format`] and an entry in its `GUESSED`.

mod date;
mod dos;
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
mod unix;
mod vms;
mod words;

pub use date::{Clock, Date, Day, Time};

/// How many lines a guess looks at.
pub const SAMPLE: usize = 100;

/// A day by which every date without its year has one.
const SOME_DAY: Day = Day {
    year: 2000,
    month: 12,
    day: 31,
};

/// What a line of a listing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// Something in the directory.
    Entry(Entry<'a>),
    /// Part of the form, and nothing in the directory: a total, the directory itself, the one above.
    Aside,
    /// It does not fit the form.
    Odd,
}

/// Something in a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    /// Its name, octet for octet: what CWD or RETR takes.
    pub name: &'a [u8],
    /// What it is.
    pub kind: Kind<'a>,
    /// How many octets it has; for files alone. VMS tells blocks: the room of them.
    pub size: Option<u64>,
    /// When it was changed last, as the server wrote it.
    pub date: Option<Date>,
}

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind<'a> {
    /// A directory.
    Directory,
    /// A file.
    File,
    /// A symbolic link, and where it leads when the server says so.
    Symlink(Option<&'a [u8]>),
    /// A device, a socket, a pipe.
    Other,
    /// The listing does not say.
    Unsaid,
}

/// The form of a listing.
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
    /// Data sets of MVS.
    DataSets,
    /// Members of a data set of MVS.
    Members,
    /// Jobs of MVS.
    Jobs,
    /// NLST: a name on each line.
    Names,
}

impl Format {
    /// Every form.
    pub const ALL: [Self; 13] = [
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
        Self::Names,
    ];

    /// The forms that LIST may have; of two that fit alike, the one further left. What a Mac writes, `ls` could.
    const GUESSED: [Self; 12] = [
        Self::Mac,
        Self::Unix,
        Self::Dos,
        Self::Facts,
        Self::Eplf,
        Self::NetWare,
        Self::Vms,
        Self::Os400,
        Self::Os2,
        Self::DataSets,
        Self::Members,
        Self::Jobs,
    ];

    /// The form that fits most of the first [`SAMPLE`] lines.
    pub fn guess<'a>(lines: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut guess = Guess::default();
        lines.for_each(|line| guess.add(line));
        guess.format()
    }

    /// Whether a line speaks for this form.
    fn fits(self, line: &[u8]) -> bool {
        match self {
            // A word alone is a member, but not only that.
            Self::Members => members::is_sure(line),
            // A name without facts could be a line of any form that is indented.
            Self::Facts => !line.starts_with(b" ") && matches!(facts::line(line), Line::Entry(_)),
            Self::Eplf
            | Self::Dos
            | Self::Unix
            | Self::Mac
            | Self::NetWare
            | Self::Os2
            | Self::Vms
            | Self::Os400
            | Self::DataSets
            | Self::Jobs
            | Self::Names => matches!(self.line(line, SOME_DAY), Line::Entry(_)),
        }
    }

    /// What a line is, without its line end. `today` settles the year of dates that have none.
    pub fn line(self, line: &[u8], today: Day) -> Line<'_> {
        match self {
            Self::Facts => facts::line(line),
            Self::Eplf => eplf::line(line),
            Self::Dos => dos::line(line),
            Self::Unix => unix::line(line, today),
            Self::Mac => mac::line(line, today),
            Self::NetWare => netware::line(line, today),
            Self::Os2 => os2::line(line),
            Self::Vms => vms::line(line),
            Self::Os400 => os400::line(line),
            Self::DataSets => mvs::line(line),
            Self::Members => members::line(line),
            Self::Jobs => jes::line(line),
            Self::Names => names::line(line),
        }
    }

    /// Whether an entry may take two lines, so that [`Format::joined`] tells more than [`Format::line`].
    pub fn joins(self) -> bool {
        self == Self::Vms
    }

    /// What a line is, together with the lines before and after it.
    pub fn joined<'a>(
        self,
        before: Option<&[u8]>,
        line: &'a [u8],
        after: Option<&[u8]>,
        today: Day,
    ) -> Line<'a> {
        if self.joins() {
            vms::joined(before, line, after)
        } else {
            self.line(line, today)
        }
    }
}

/// How many lines fit each form: of the first [`SAMPLE`] that are not blank.
#[derive(Clone, Debug, Default)]
pub struct Guess {
    fits: [usize; Format::GUESSED.len()],
    lines: usize,
}

impl Guess {
    /// Takes the next line.
    pub fn add(&mut self, line: &[u8]) {
        if self.is_settled() || line.trim_ascii().is_empty() {
            return;
        }
        self.lines += 1;
        for (format, fit) in Format::GUESSED.iter().zip(&mut self.fits) {
            *fit += usize::from(format.fits(line));
        }
    }

    /// Whether more lines change nothing.
    pub fn is_settled(&self) -> bool {
        self.lines >= SAMPLE
    }

    /// The form that fits most lines so far; `ls -l` when none fits any.
    pub fn format(&self) -> Format {
        let best = self.fits.iter().copied().max().unwrap_or_default();
        let mut formats = Format::GUESSED.into_iter().zip(self.fits);
        formats
            .find(|(_, fit)| best > 0 && *fit == best)
            .map_or(Format::Unix, |(format, _)| format)
    }
}

/// An entry, unless its name means the directory itself or the one above, or nothing at all.
fn entry(entry: Entry<'_>) -> Line<'_> {
    match entry.name {
        b"" => Line::Odd,
        b"." | b".." => Line::Aside,
        _ => Line::Entry(entry),
    }
}

/// A number of digits alone; nothing when it is none or too large.
fn number(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0_u64, |value, octet| {
        let digit = octet.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value.checked_mul(10)?.checked_add(u64::from(digit))
    })
}

/// A small number of digits alone.
fn small<N: TryFrom<u64>>(digits: &[u8]) -> Option<N> {
    N::try_from(number(digits)?).ok()
}

/// The two parts of `octets` around its first `separator`.
fn split_once(octets: &[u8], separator: u8) -> Option<(&[u8], &[u8])> {
    let at = memchr::memchr(separator, octets)?;
    let (before, after) = octets.split_at_checked(at)?;
    Some((before, after.get(1..)?))
}
