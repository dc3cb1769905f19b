//! The way through archives and compressions to what is shown: a file, the listing of a directory, a mailbox, a
//! message.

use std::io::Read;
use std::rc::Rc;

use geomys_wire::protocol::ftp::listing::Day;
use geomys_wire::protocol::octets::number;
use geomys_wire::text::{Charset, NameCharset};

use super::compress::Compression;
use super::error::{MemberVersion, UnpackError};
use super::finder::Finder;
use super::mailbox::{MAX_MESSAGE_BYTES, MboxReader};
use super::meter::{Meter, Metered, PackedReader};
use super::parts::{ComingPart, KnownParts};
use super::peek::{Packing, PeekReader};
use super::sparse::{Segment, SparseMap, SparseReader};
use super::spool::{Spool, Spooler};
use super::visit::Visit;
use super::{MAX_DEPTH, MAX_SCANNED_BYTES, ar, cpio, lha, site, tape, zipped};

/// The octets of a file by which its kind is told.
const SAMPLE_BYTES: usize = 8 * 1024;

/// The octets that are reported at once.
const PIECE_BYTES: usize = 64 * 1024;

/// A piece of the file, listing or message that was found: the head comes first.
#[derive(Debug)]
pub enum Unpacked {
    /// The head.
    Begin(UnpackedHead),
    /// The next octets.
    Octets(Vec<u8>),
    /// The number of octets of a hole: zeros that the archive does not contain.
    Hole(u64),
    /// The end of a listing that has members without a row.
    LeftOut(LeftOut),
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
    /// The charset of the names that are not UTF-8, if the archive tells and the user has not chosen one.
    pub charset: Option<Charset>,
}

/// The numbers of members without a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Names that no line can contain.
    pub names: usize,
    /// Members whose name another one has.
    pub repeated: usize,
    /// True if the newest of each name counts, not the first.
    pub is_newest: bool,
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
    /// The tree of a whole site, as lines of [`Format::Paths`](geomys_wire::protocol::ftp::listing::Format::Paths).
    Site,
}

/// The receiver of what was found; its error is [`UnpackError::Closed`].
pub type Receiver<'a> = dyn FnMut(Unpacked) -> Result<(), UnpackError> + 'a;

/// A search for a path in a file.
pub struct Unpacker<'a> {
    /// True if a member is wanted as it is stored, to save it.
    pub(super) is_raw: bool,
    /// The charset in which names are shown, for a path as a person types it.
    pub(super) names: NameCharset,
    /// The day for dates without a year.
    pub(super) today: Day,
    pub(super) version: Option<MemberVersion>,
    /// The spool for all members of the outermost archive.
    spool: Option<Spool>,
    /// The charset that the innermost archive tells.
    pub(super) declared: Option<Charset>,
    pub(super) receiver: &'a mut Receiver<'a>,
    pub(super) meter: Rc<Meter>,
}

/// A point on the way: the name of a file, the path to it and that inside it.
#[derive(Clone, Copy)]
pub(super) struct Point<'a> {
    pub(super) name: &'a [u8],
    pub(super) above: &'a [Vec<u8>],
    pub(super) path: &'a [Vec<u8>],
    /// The number of archives around the file.
    pub(super) depth: usize,
    pub(super) compressions: usize,
    pub(super) size: Option<u64>,
    pub(super) modified: Option<&'a str>,
    /// The map of a sparse file, of which a reader gives the pieces.
    pub(super) sparse: Option<&'a SparseMap>,
}

impl<'a> Point<'a> {
    /// The point before the file `name`, in which `path` is wanted.
    fn start(name: &'a [u8], path: &'a [Vec<u8>]) -> Self {
        Self {
            name,
            above: &[],
            path,
            depth: 0,
            compressions: 0,
            size: None,
            modified: None,
            sparse: None,
        }
    }
}

impl<'a> Unpacker<'a> {
    /// Creates a search. Its readers end when `is_closed` says that nobody waits for them.
    pub fn new(
        is_raw: bool,
        receiver: &'a mut Receiver<'a>,
        is_closed: impl Fn() -> bool + 'static,
    ) -> Self {
        let limit = if is_raw { u64::MAX } else { MAX_SCANNED_BYTES };
        Self {
            is_raw,
            names: NameCharset::default(),
            today: Day::default(),
            version: None,
            spool: None,
            declared: None,
            receiver,
            meter: Rc::new(Meter::new(limit, is_closed)),
        }
    }

    /// Sets the charset in which the names of members are shown, and the day for dates without a year.
    pub fn set_names(&mut self, names: NameCharset, today: Day) {
        (self.names, self.today) = (names, today);
    }

    /// Sets the version of a member that is wanted, where a hard link means an older one.
    pub fn set_version(&mut self, version: Option<MemberVersion>) {
        self.version = version;
    }

    /// Stores all members of the archive in a spool, while a directory of it is listed.
    pub fn set_spool(&mut self, spool: Option<Spool>) {
        self.spool = spool;
    }

    /// Returns the spool, if it has all members.
    pub fn take_spool(&mut self) -> Option<Spool> {
        self.spool.take().and_then(Spool::whole)
    }

    /// Reports what `path` names in the archive `name`, whose members are in a spool.
    pub fn run_spool(
        &mut self,
        spool: &Spool,
        name: &[u8],
        path: &[Vec<u8>],
    ) -> Result<(), UnpackError> {
        let point = Point::start(name, path);
        let result = self.search(point, spool.is_newest(), |visitor| {
            spool.visit(path, visitor)
        });
        self.uninterrupted(result)
    }

    /// Reports what `path` names in the file `name`.
    pub fn run(
        &mut self,
        reader: &mut dyn Read,
        name: &[u8],
        path: &[Vec<u8>],
    ) -> Result<(), UnpackError> {
        let point = Point::start(name, path);
        let mut reader = PackedReader::new(reader, &self.meter);
        let result = self.open(&mut reader, point);
        self.uninterrupted(result)
    }

    /// Returns the result of a search, or why it was ended: decoders have errors of their own for that.
    fn uninterrupted(&self, result: Result<(), UnpackError>) -> Result<(), UnpackError> {
        match self.meter.interruption() {
            Some(error) if result.is_err() => Err(error),
            _ => result,
        }
    }

    /// Reports what `path` names in the zip archive `name`, of which parts are known.
    ///
    /// # Errors
    /// [`UnpackError::Range`] if others are needed.
    pub fn run_zip(
        &mut self,
        (parts, coming): (&KnownParts, Option<ComingPart<'_>>),
        name: &[u8],
        path: &[Vec<u8>],
    ) -> Result<(), UnpackError> {
        let point = Point::start(name, path);
        let meter = Rc::clone(&self.meter);
        let result = self.search(point, false, |visitor| {
            zipped::visit_parts((parts, coming), &meter, visitor)
        });
        match result {
            Err(UnpackError::Range(range)) => Err(UnpackError::Range(range)),
            result => self.uninterrupted(result),
        }
    }

    /// Visits the members of an archive until the path is found; all of them for the spool.
    pub(super) fn search(
        &mut self,
        point: Point<'_>,
        is_newest: bool,
        visit: impl FnOnce(&mut dyn Visit) -> Result<(), UnpackError>,
    ) -> Result<(), UnpackError> {
        self.declared = None;
        let spool = self.spool.take();
        let mut finder = Finder::new(self, point, is_newest);
        let Some(mut spool) = spool else {
            return match visit(&mut finder) {
                Err(UnpackError::Range(range)) => Err(UnpackError::Range(range)),
                visited => finder.end(visited),
            };
        };
        let mut spooler = Spooler::new(finder, &mut spool, is_newest);
        let visited = visit(&mut spooler);
        let result = spooler.end(visited);
        self.spool = Some(spool);
        result
    }

    pub(super) fn open(
        &mut self,
        reader: &mut dyn Read,
        point: Point<'_>,
    ) -> Result<(), UnpackError> {
        let is_wanted = point.path.is_empty() && point.depth > 0;
        if let Some(map) = point.sparse {
            if is_wanted && self.is_raw {
                return self.sparse_file(reader, map, point);
            }
            let mut whole = Metered::new(SparseReader::new(reader, map), &self.meter);
            let point = Point {
                sparse: None,
                ..point
            };
            return self.open(&mut whole, point);
        }
        let mut source = PeekReader::new(reader);
        let packing = if is_wanted && self.is_raw {
            None
        } else {
            // The head of a list may be long.
            let count = if site::may_be_tree(point.name) {
                SAMPLE_BYTES
            } else {
                Packing::SAMPLE_BYTES
            };
            Packing::of(point.name, source.peek(count)?)
        };
        match packing {
            Some(packing @ (Packing::Shar | Packing::Compressed(Compression::Uuencode)))
                if point.compressions < MAX_DEPTH =>
            {
                self.in_text(packing, source, point)
            }
            Some(Packing::Compressed(compression)) if point.compressions < MAX_DEPTH => {
                self.decompressed(compression, &mut source, point)
            }
            Some(Packing::Mailbox) => self.mailbox(source, point),
            Some(Packing::Site) if !self.is_raw && point.path.is_empty() => {
                self.site(source, point)
            }
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

    pub(super) fn decompressed(
        &mut self,
        compression: Compression,
        reader: &mut dyn Read,
        point: Point<'_>,
    ) -> Result<(), UnpackError> {
        let name = compression.inner_name(point.name);
        let mut decoded = Metered::new(compression.decoder(reader), &self.meter);
        let point = Point {
            name: &name,
            compressions: point.compressions + 1,
            size: None,
            ..point
        };
        self.open(&mut decoded, point)
    }

    pub(super) fn begin(
        &mut self,
        kind: UnpackedKind,
        point: Point<'_>,
    ) -> Result<(), UnpackError> {
        let is_member =
            point.depth > 0 || !matches!(kind, UnpackedKind::File(_) | UnpackedKind::Site);
        (self.receiver)(Unpacked::Begin(UnpackedHead {
            kind,
            member: is_member.then(|| [point.above, point.path].concat()),
            name: point.name.to_vec(),
            size: point.size,
            modified: point.modified.map(str::to_owned),
            charset: self.declared,
        }))
    }

    pub(super) fn file<R: Read>(
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
        let count = self.octets(&mut source, u64::MAX)?;
        let is_whole = point.size.is_none_or(|size| count >= size);
        is_whole.then_some(()).ok_or_else(UnpackError::early)
    }

    /// Passes octets on, at most `limit`. Returns their number.
    pub(super) fn octets(&mut self, reader: &mut dyn Read, limit: u64) -> Result<u64, UnpackError> {
        let mut count = 0;
        loop {
            let mut piece = Vec::new();
            let room = (limit - count).min(PIECE_BYTES as u64);
            let read = reader.take(room).read_to_end(&mut piece);
            count += piece.len() as u64;
            let is_end = piece.is_empty();
            if !is_end {
                (self.receiver)(Unpacked::Octets(piece))?;
            }
            read?;
            if is_end {
                return Ok(count);
            }
        }
    }

    /// Passes on the holes and the pieces of a file.
    fn sparse_file(
        &mut self,
        reader: &mut dyn Read,
        map: &SparseMap,
        point: Point<'_>,
    ) -> Result<(), UnpackError> {
        self.begin(UnpackedKind::File(Vec::new()), point)?;
        self.meter.lift();
        for segment in map.segments() {
            match segment {
                Segment::Hole(length) => (self.receiver)(Unpacked::Hole(length))?,
                Segment::Data(length) if self.octets(reader, length)? == length => {}
                Segment::Data(_) => return Err(UnpackError::early()),
            }
        }
        Ok(())
    }

    fn site<R: Read>(
        &mut self,
        mut source: PeekReader<R>,
        point: Point<'_>,
    ) -> Result<(), UnpackError> {
        let point = Point {
            size: None,
            ..point
        };
        self.begin(UnpackedKind::Site, point)?;
        let receiver = &mut self.receiver;
        site::read(&mut source, self.today, &mut |lines| {
            receiver(Unpacked::Octets(lines))
        })
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
        let is_newest = matches!(packing, Packing::Tar | Packing::Lha);
        self.search(point, is_newest, |visitor| match packing {
            Packing::Zip => zipped::visit(source, &meter, visitor),
            Packing::Ar => ar::visit(source, visitor),
            Packing::Cpio => cpio::visit(source, visitor),
            Packing::Lha => lha::visit(source, &meter, visitor),
            // The others are no archives.
            Packing::Tar
            | Packing::Compressed(_)
            | Packing::Shar
            | Packing::Mailbox
            | Packing::Site => tape::visit(source, visitor),
        })
    }
}
