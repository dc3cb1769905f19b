//! A parsed line of a listing.

use super::Format;
use super::date::Date;

/// A parsed line of a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// An entry of the directory.
    Entry(Entry<'a>),
    /// A part of the format that is no entry: a total, the directory itself, the parent directory.
    Metadata,
    /// A line that does not match the format.
    Unrecognized,
}

impl Line<'_> {
    /// Returns the date of an entry, if it has one.
    pub(super) fn date(self) -> Option<Date> {
        match self {
            Self::Entry(entry) => entry.date,
            Self::Metadata | Self::Unrecognized => None,
        }
    }
}

/// An entry of a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    /// The name as octets, as CWD or RETR takes it.
    pub name: &'a [u8],
    /// The kind of the entry.
    pub kind: Kind<'a>,
    /// The size in octets; only for files. VMS lists blocks: then it is their capacity.
    pub size: Option<u64>,
    /// The modification time, as the server wrote it.
    pub date: Option<Date>,
}

/// A column of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column<T> {
    /// A column with this value.
    Value(T),
    /// A column that has the form of a value, but does not tell it exactly.
    Unknown,
}

impl<T> Column<T> {
    /// Returns the value, if it is known.
    pub(super) fn value(self) -> Option<T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Unknown => None,
        }
    }
}

impl<T> From<Option<T>> for Column<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Unknown, Self::Value)
    }
}

/// The kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind<'a> {
    /// A directory.
    Directory,
    /// A file.
    File,
    /// A symbolic link, with its target if the server lists it.
    Symlink(Option<&'a [u8]>),
    /// A device, a socket, a pipe.
    Other,
    /// The listing does not tell the kind.
    Unknown,
}

impl<'a> Entry<'a> {
    /// Returns the size if a line of this format tells it for certain. A 0 in LIST may stand for an unknown size, and
    /// other formats list blocks, or more than what is transferred.
    pub fn exact_size(&self, format: Format) -> Option<u64> {
        match format {
            Format::Facts | Format::Paths | Format::Eplf => self.size,
            Format::Dos | Format::Unix | Format::NetWare | Format::Os2 | Format::Rare => {
                self.size.filter(|size| *size > 0)
            }
            Format::Mac
            | Format::Vms
            | Format::Os400
            | Format::DataSets
            | Format::Members
            | Format::Jobs
            | Format::Names => None,
        }
    }

    /// Returns true if the name begins with a dot: such names are not listed on a Unix unless they are asked for.
    pub fn is_hidden(&self) -> bool {
        self.name.starts_with(b".")
    }

    /// Creates an entry without size and date.
    pub(super) fn new(name: &'a [u8], kind: Kind<'a>) -> Self {
        Self {
            name,
            kind,
            size: None,
            date: None,
        }
    }

    /// Returns the entry as a line; metadata if its name means the directory itself or its parent, `None` if it is
    /// empty.
    pub(super) fn line(self) -> Option<Line<'a>> {
        match self.name {
            b"" => None,
            b"." | b".." => Some(Line::Metadata),
            _ => Some(Line::Entry(self)),
        }
    }
}

impl Kind<'_> {
    /// Returns the size of an entry of this kind: only that of a file is a number of its octets.
    pub(super) fn size(self, listed: Option<u64>) -> Option<u64> {
        listed.filter(|_| matches!(self, Self::File | Self::Unknown))
    }
}
