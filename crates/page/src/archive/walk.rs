//! The way through archives and compressions to what is shown: a file, the listing of a directory, a mailbox, a message.

use std::io::Read;
use std::rc::Rc;

use geomys_wire::protocol::octets::number;

use super::mailbox::{MAX_MESSAGE_BYTES, MboxReader};
use super::member::{Member, MemberKind, MemberListing, shown};
use super::meter::{Meter, Metered};
use super::peek::{Packing, PeekReader};
use super::{MAX_DEPTH, MAX_SCANNED_BYTES, UnpackError, ar, tape, zipped};

/// The octets of a file by which its kind is told.
const SAMPLE_BYTES: usize = 8 * 1024;

/// The octets that are reported at once.
const PIECE_BYTES: usize = 64 * 1024;

/// The octets of a listing that are reported at once.
const LISTING_BYTES: usize = 16 * 1024;

/// A piece of the file, listing or message that was found: the head comes first.
#[derive(Debug)]
pub enum Unpacked {
    /// The head.
    Begin(UnpackedHead),
    /// The next octets.
    Octets(Vec<u8>),
    /// The end of a listing that has members without a row: the number of names that no line can contain, and of repeated ones.
    LeftOut(usize, usize),
}

/// The head of what was found.
#[derive(Debug)]
pub struct UnpackedHead {
    /// The kind of what was found.
    pub kind: UnpackedKind,
    /// The path in the archive; None outside of archives.
    pub member: Option<Vec<Vec<u8>>>,
    /// The name of the file; without the suffix of its compression, if it was decompressed.
    pub name: Vec<u8>,
    /// The size of the file, as its archive has it.
    pub size: Option<u64>,
    /// The time of the last change of the file, as its archive has it and as MLSD writes it.
    pub modified: Option<String>,
}

/// The kind of what was found.
#[derive(Debug, PartialEq, Eq)]
pub enum UnpackedKind {
    /// A file, and its first octets.
    File(Vec<u8>),
    /// A directory of an archive.
    Listing,
    /// The messages of a mailbox, as the lines of an overview.
    Mailbox,
    /// A message of a mailbox.
    Message,
}

/// The part of an archive that a visitor wants next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The next member.
    Next,
    /// The content of this member, and nothing behind it.
    Content,
}

/// A visitor of the members of an archive.
pub(super) trait Visit {
    fn member(&mut self, member: &Member) -> Result<Step, UnpackError>;
    fn content(&mut self, member: &Member, reader: &mut dyn Read) -> Result<(), UnpackError>;
}

/// The receiver of what was found; its error is [`UnpackError::Closed`].
pub type Receiver<'a> = dyn FnMut(Unpacked) -> Result<(), UnpackError> + 'a;

/// A search for a path in a file.
pub struct Unpacker<'a> {
    /// True if a member is wanted as it is stored, to save it.
    is_raw: bool,
    receiver: &'a mut Receiver<'a>,
    meter: Rc<Meter>,
}

/// A point on the way: the name of a file, the path to it and that inside it.
#[derive(Clone, Copy)]
struct Point<'a> {
    name: &'a [u8],
    above: &'a [Vec<u8>],
    path: &'a [Vec<u8>],
    /// The number of archives around the file.
    depth: usize,
    compressions: usize,
    size: Option<u64>,
    modified: Option<&'a str>,
}

impl<'a> Unpacker<'a> {
    /// Creates a search. Its readers end when `is_closed` says that nobody waits for them.
    pub fn new(
        is_raw: bool,
        receiver: &'a mut Receiver<'a>,
        is_closed: impl Fn() -> bool + 'static,
    ) -> Self {
        let room = if is_raw { u64::MAX } else { MAX_SCANNED_BYTES };
        Self {
            is_raw,
            receiver,
            meter: Rc::new(Meter::new(room, is_closed)),
        }
    }

    /// Reports what `path` names in the file `name`.
    pub fn run(
        &mut self,
        reader: &mut dyn Read,
        name: &[u8],
        path: &[Vec<u8>],
    ) -> Result<(), UnpackError> {
        let point = Point {
            name,
            above: &[],
            path,
            depth: 0,
            compressions: 0,
            size: None,
            modified: None,
        };
        let mut reader = Metered::new(reader, &self.meter);
        let result = self.open(&mut reader, point);
        // Decoders have errors of their own for what the meter has ended.
        match self.meter.interruption() {
            Some(error) if result.is_err() => Err(error),
            _ => result,
        }
    }

    fn open(&mut self, reader: &mut dyn Read, point: Point<'_>) -> Result<(), UnpackError> {
        let mut source = PeekReader::new(reader);
        let is_wanted = point.path.is_empty() && point.depth > 0;
        let packing = if is_wanted && self.is_raw {
            None
        } else {
            Packing::of(point.name, source.peek(Packing::SAMPLE_BYTES)?)
        };
        match packing {
            Some(Packing::Compressed(compression)) if point.compressions < MAX_DEPTH => {
                let name = compression.inner_name(point.name);
                let mut decoded = Metered::new(compression.decoder(&mut source), &self.meter);
                let point = Point {
                    name: &name,
                    compressions: point.compressions + 1,
                    size: None,
                    ..point
                };
                self.open(&mut decoded, point)
            }
            Some(Packing::Mailbox) => self.mailbox(source, point),
            Some(packing) if packing.is_archive() => {
                if point.depth < MAX_DEPTH {
                    self.archive(packing, &mut source, point)
                } else if point.path.is_empty() {
                    self.file(source, point)
                } else {
                    Err(UnpackError::TooDeep)
                }
            }
            // Outside of archives the fragment is a place in the page.
            _ if is_wanted || point.path.is_empty() || point.depth == 0 && !self.is_raw => {
                self.file(source, point)
            }
            _ => Err(UnpackError::Missing),
        }
    }

    fn begin(&mut self, kind: UnpackedKind, point: Point<'_>) -> Result<(), UnpackError> {
        let is_member = point.depth > 0 || !matches!(kind, UnpackedKind::File(_));
        (self.receiver)(Unpacked::Begin(UnpackedHead {
            kind,
            member: is_member.then(|| [point.above, point.path].concat()),
            name: point.name.to_vec(),
            size: point.size,
            modified: point.modified.map(str::to_owned),
        }))
    }

    fn file<R: Read>(
        &mut self,
        mut source: PeekReader<R>,
        point: Point<'_>,
    ) -> Result<(), UnpackError> {
        let start = source.peek(SAMPLE_BYTES)?.to_vec();
        let point = match point.depth {
            0 => Point { path: &[], ..point },
            _ => point,
        };
        self.begin(UnpackedKind::File(start), point)?;
        // The receiver counts what it shows.
        self.meter.lift();
        let mut count = 0;
        loop {
            let mut piece = Vec::new();
            let read = source
                .by_ref()
                .take(PIECE_BYTES as u64)
                .read_to_end(&mut piece);
            count += piece.len() as u64;
            let is_end = piece.is_empty();
            if !is_end {
                (self.receiver)(Unpacked::Octets(piece))?;
            }
            read?;
            if is_end {
                let is_whole = point.size.is_none_or(|size| count >= size);
                return is_whole.then_some(()).ok_or_else(UnpackError::early);
            }
        }
    }

    fn mailbox<R: Read>(
        &mut self,
        source: PeekReader<R>,
        point: Point<'_>,
    ) -> Result<(), UnpackError> {
        let mut mailbox = MboxReader::new(source);
        match point.path {
            [] => {
                self.begin(
                    UnpackedKind::Mailbox,
                    Point {
                        size: None,
                        ..point
                    },
                )?;
                loop {
                    let lines = mailbox.overview()?;
                    if lines.is_empty() {
                        return Ok(());
                    }
                    (self.receiver)(Unpacked::Octets(lines))?;
                }
            }
            [message] => {
                let found = number(message).map(|number| mailbox.message(number));
                let message = found.transpose()?.flatten().ok_or(UnpackError::Missing)?;
                self.begin(
                    UnpackedKind::Message,
                    Point {
                        size: None,
                        ..point
                    },
                )?;
                let is_cut = message.len() as u64 > MAX_MESSAGE_BYTES;
                (self.receiver)(Unpacked::Octets(message))?;
                if is_cut {
                    Err(UnpackError::TooLarge(MAX_MESSAGE_BYTES))
                } else {
                    Ok(())
                }
            }
            _ => Err(UnpackError::Missing),
        }
    }

    fn archive<R: Read>(
        &mut self,
        packing: Packing,
        source: &mut PeekReader<R>,
        point: Point<'_>,
    ) -> Result<(), UnpackError> {
        let meter = Rc::clone(&self.meter);
        let mut finder = Finder {
            point,
            listing: MemberListing::default(),
            has_begun: false,
            is_directory: point.path.is_empty(),
            is_found: false,
            unpacker: self,
        };
        let visited = match packing {
            Packing::Zip => zipped::visit(source, &meter, &mut finder),
            Packing::Ar => ar::visit(source, &mut finder),
            _ => tape::visit(source, &mut finder),
        };
        // What came before an error is shown.
        match visited {
            Err(error) if !finder.has_begun && finder.listing.len() == 0 => Err(error),
            visited => finder.finish().and(visited),
        }
    }
}

/// The visitor that finds a path in an archive: the file, or the members of the directory.
struct Finder<'a, 'b> {
    unpacker: &'a mut Unpacker<'b>,
    point: Point<'a>,
    listing: MemberListing,
    has_begun: bool,
    /// True if the path names a directory.
    is_directory: bool,
    is_found: bool,
}

impl Finder<'_, '_> {
    fn flush(&mut self) -> Result<(), UnpackError> {
        if !self.has_begun {
            self.has_begun = true;
            if self.unpacker.is_raw {
                return Err(UnpackError::Directory);
            }
            self.unpacker.begin(UnpackedKind::Listing, self.point)?;
        }
        let lines = self.listing.take();
        (self.unpacker.receiver)(Unpacked::Octets(lines))
    }

    fn finish(&mut self) -> Result<(), UnpackError> {
        if self.is_found {
            return Ok(());
        }
        if !self.is_directory {
            return Err(UnpackError::Missing);
        }
        self.flush()?;
        let (left_out, repeated) = (self.listing.left_out, self.listing.repeated);
        if left_out + repeated > 0 {
            let part = Unpacked::LeftOut(left_out, repeated);
            (self.unpacker.receiver)(part)?;
        }
        Ok(())
    }
}

impl Visit for Finder<'_, '_> {
    fn member(&mut self, member: &Member) -> Result<Step, UnpackError> {
        let path = self.point.path;
        if member.path.len() <= path.len() && path.starts_with(&member.path) && !path.is_empty() {
            let is_exact = member.path.len() == path.len();
            return match &member.kind {
                MemberKind::File => Ok(Step::Content),
                MemberKind::Directory => {
                    self.is_directory |= is_exact;
                    Ok(Step::Next)
                }
                MemberKind::Link(target) => Err(link(member, target)),
                MemberKind::Closed(what) => Err(closed(member, what)),
            };
        }
        if member.path.starts_with(path) {
            self.is_directory = true;
            self.listing.add(member, path.len());
            if self.listing.len() > LISTING_BYTES {
                self.flush()?;
            }
        }
        Ok(Step::Next)
    }

    fn content(&mut self, member: &Member, reader: &mut dyn Read) -> Result<(), UnpackError> {
        self.is_found = true;
        self.has_begun = true;
        let (above, path) = self.point.path.split_at(member.path.len());
        let above = [self.point.above, above].concat();
        let point = Point {
            name: member.path.last().map_or(b"", Vec::as_slice),
            above: &above,
            path,
            depth: self.point.depth + 1,
            compressions: 0,
            size: member.size,
            modified: member.modified.as_deref(),
        };
        self.unpacker.open(reader, point)
    }
}

fn link(member: &Member, target: &[u8]) -> UnpackError {
    let name = shown(&member.path);
    let sentence = match target {
        [] => format!("{name} is a link"),
        target => format!("{name} is a link to {}", shown(&[target.to_vec()])),
    };
    UnpackError::Refused(
        sentence,
        "links in archives are not followed: open its target",
    )
}

fn closed(member: &Member, what: &str) -> UnpackError {
    let sentence = format!("{} is {what}: not opened", shown(&member.path));
    UnpackError::Refused(
        sentence,
        "save the archive, and open it with another program",
    )
}
