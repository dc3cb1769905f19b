//! Directory listings: lines of octets to entries.
//!
//! RFC 959 leaves the form of LIST to the server, so there is one function for each form, each in its own file with its
//! grammar. A parser cannot fail: a line is an entry, a line that is no entry by design ([`Line::Aside`]: `total 12`, the
//! directory itself), or odd, and then it is shown as it came. Nothing is allocated.
//!
//! Left out so far: VMS, OS/400, MVS, `NetWare` and old Macs; month names that are not English; time zones (a time is
//! shown as the server wrote it). A new form is a file here, a variant of [`Format`] and an entry in its `GUESSED`.

mod date;
mod dos;
mod eplf;
mod facts;
mod names;
mod unix;

pub use date::{Date, Day, Time};

/// How many lines a guess looks at.
pub const SAMPLE: usize = 100;

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
    /// Its name, octet for octet.
    pub name: &'a [u8],
    /// What it is.
    pub kind: Kind<'a>,
    /// How many octets it has; for files alone.
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
    /// NLST: a name on each line.
    Names,
}

impl Format {
    /// The forms that LIST may have; of two that fit alike, the one further left.
    const GUESSED: [Self; 4] = [Self::Unix, Self::Dos, Self::Facts, Self::Eplf];

    /// The form that fits most of these lines; blank ones do not count. `ls -l` when none fits any.
    pub fn guess<'a>(lines: impl Iterator<Item = &'a [u8]>) -> Self {
        let today = Day::default();
        let mut fits = [0_usize; Self::GUESSED.len()];
        for line in lines
            .filter(|line| !line.trim_ascii().is_empty())
            .take(SAMPLE)
        {
            for (format, fit) in Self::GUESSED.iter().zip(&mut fits) {
                *fit += usize::from(matches!(format.line(line, today), Line::Entry(_)));
            }
        }
        let best = fits.iter().copied().max().unwrap_or_default();
        let formats = Self::GUESSED.into_iter().zip(fits);
        formats
            .filter(|(_, fit)| *fit == best)
            .map(|(format, _)| format)
            .next()
            .unwrap_or(Self::Unix)
    }

    /// What a line is, without its line end. `today` settles the year of dates that have none.
    pub fn line(self, line: &[u8], today: Day) -> Line<'_> {
        match self {
            Self::Facts => facts::line(line),
            Self::Eplf => eplf::line(line),
            Self::Dos => dos::line(line),
            Self::Unix => unix::line(line, today),
            Self::Names => names::line(line),
        }
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
