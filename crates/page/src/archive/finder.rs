//! The visitor that finds a path in an archive: the file, or the members of the directory.
//!
//! Of a tar and of LHA the newest member of a name counts, as `tar -x` leaves it; links are followed inside the
//! archive. A member that was found is therefore held while the rest is looked through, as far as memory allows; damage
//! behind it changes nothing. A path that no member has may be typed as it is shown: its octets are then those of the
//! name that looks so.

use std::collections::BTreeSet;
use std::io::{Cursor, Read};
use std::time::{Duration, Instant};

use geomys_wire::text::{Charset, CharsetSetting, NameCharset, is_utf8};

use super::error::{LinkTarget, MemberVersion, UnpackError};
use super::member::{Member, MemberKind, MemberListing, shown};
use super::visit::{Step, Visit};
use super::walk::{LeftOut, Point, Unpacked, UnpackedKind, Unpacker};

/// The octets of a listing that are reported at once, and the time after which fewer are.
const LISTING_BYTES: usize = 16 * 1024;
const LISTING_TIME: Duration = Duration::from_millis(100);

/// The most octets of a member that are held, and of the members behind it that are looked through for a newer one.
const MAX_HELD_BYTES: u64 = 64 * 1024 * 1024;

/// A visitor that finds a path.
pub(super) struct Finder<'a, 'b> {
    unpacker: &'a mut Unpacker<'b>,
    point: Point<'a>,
    listing: MemberListing,
    has_begun: bool,
    /// True if the path names a directory.
    is_directory: bool,
    /// True if what was found has been passed on.
    is_done: bool,
    /// The member of the path so far, where a newer one counts.
    held: Option<Held>,
    /// The octets that may still be looked through behind it.
    room: u64,
    /// The number of members so far.
    count: usize,
    /// The number of members that count.
    members: usize,
    /// The time of the last report of a listing.
    reported: Option<Instant>,
    similar: SimilarNames,
}

/// The names beside the segment of the path at which no member goes on, in an older charset: one of them may be shown
/// as that segment.
#[derive(Default)]
struct SimilarNames {
    /// The index of the segment.
    at: usize,
    names: BTreeSet<Vec<u8>>,
}

impl SimilarNames {
    fn add(&mut self, member: &[Vec<u8>], path: &[Vec<u8>]) {
        let pairs = member.iter().zip(path);
        let at = pairs.take_while(|(own, wanted)| own == wanted).count();
        let (Some(name), Some(wanted)) = (member.get(at), path.get(at)) else {
            return;
        };
        if at < self.at || !NameCharset::may_be_shown(wanted) || is_utf8(name) {
            return;
        }
        if at > self.at {
            self.names.clear();
            self.at = at;
        }
        if !self.names.contains(name) {
            self.names.insert(name.clone());
        }
    }

    /// Returns the path with the octets of the name that is shown as its segment.
    fn path(&self, path: &[Vec<u8>], charset: &NameCharset) -> Option<Vec<Vec<u8>>> {
        let names = self.names.iter().map(Vec::as_slice);
        let name = charset.find(names, path.get(self.at)?)?;
        let mut path = path.to_vec();
        *path.get_mut(self.at)? = name.to_vec();
        Some(path)
    }
}

/// A member that may be replaced by a newer one.
enum Held {
    File(Member, Vec<u8>),
    Link(LinkTarget),
    Refused(UnpackError),
}

impl<'a, 'b> Finder<'a, 'b> {
    pub(super) fn new(unpacker: &'a mut Unpacker<'b>, point: Point<'a>, is_newest: bool) -> Self {
        Self {
            listing: MemberListing::new(is_newest),
            has_begun: false,
            is_directory: point.path.is_empty(),
            is_done: false,
            held: None,
            room: MAX_HELD_BYTES,
            count: 0,
            members: match unpacker.version {
                Some(version) if version.depth == point.above.len() => version.members,
                Some(_) | None => usize::MAX,
            },
            reported: None,
            similar: SimilarNames::default(),
            unpacker,
            point,
        }
    }

    fn flush(&mut self) -> Result<(), UnpackError> {
        if !self.has_begun {
            if self.unpacker.is_raw {
                return Err(UnpackError::Directory);
            }
            self.has_begun = true;
            self.unpacker.begin(UnpackedKind::Listing, self.point)?;
        }
        let lines = self.listing.take();
        (self.unpacker.receiver)(Unpacked::Octets(lines))
    }

    /// Does work whose octets are not counted.
    ///
    /// # Errors
    /// [`UnpackError::Closed`].
    pub(super) fn unlimited(&self, work: impl FnOnce()) -> Result<(), UnpackError> {
        self.unpacker.meter.lift();
        work();
        self.unpacker.meter.restore();
        self.unpacker.meter.interruption().map_or(Ok(()), Err)
    }

    /// Ends a visit: what came before an error is shown.
    pub(super) fn end(mut self, visited: Result<(), UnpackError>) -> Result<(), UnpackError> {
        match self.held.take() {
            Some(Held::File(member, octets)) => {
                return self.open(&member, &mut Cursor::new(octets));
            }
            Some(Held::Link(target)) => return Err(UnpackError::Link(target)),
            Some(Held::Refused(error)) => return Err(error),
            None => {}
        }
        match visited {
            Err(error) if !self.has_begun && self.listing.len() == 0 => Err(error),
            visited => self.finish().and(visited),
        }
    }

    fn finish(&mut self) -> Result<(), UnpackError> {
        if self.is_done {
            return Ok(());
        }
        if !self.is_directory {
            let shown = self.similar.path(self.point.path, &self.unpacker.names);
            return Err(match shown {
                Some(path) => UnpackError::Link(LinkTarget {
                    path: [self.point.above, &path].concat(),
                    version: self.unpacker.version,
                }),
                None => UnpackError::Missing,
            });
        }
        self.flush()?;
        let left_out = LeftOut {
            names: self.listing.left_out,
            repeated: self.listing.repeated,
            is_newest: self.listing.is_newest,
        };
        if left_out.names + left_out.repeated > 0 {
            (self.unpacker.receiver)(Unpacked::LeftOut(left_out))?;
        }
        Ok(())
    }

    /// Takes a member that the path leads to or through.
    fn found(&mut self, member: &Member) -> Step {
        let held = match &member.kind {
            MemberKind::File => return Step::Content,
            MemberKind::Directory => {
                self.held = None;
                self.is_directory |= member.path.len() == self.point.path.len();
                return Step::Next;
            }
            // Its content is the target.
            MemberKind::Link(target) if target.is_empty() => return Step::Content,
            MemberKind::Link(target) | MemberKind::HardLink(target) => {
                let rest = self.point.path.get(member.path.len()..).unwrap_or_default();
                match link_target(member, target) {
                    Some(path) => Held::Link(LinkTarget {
                        path: [self.point.above, &path, rest].concat(),
                        version: self.version_before(member),
                    }),
                    None => Held::Refused(link(member, target)),
                }
            }
            MemberKind::Closed(what) => Held::Refused(closed(member, what)),
        };
        if self.listing.is_newest {
            self.hold(held);
            return Step::Next;
        }
        self.held = Some(held);
        Step::Stop
    }

    /// Returns the version that a hard link means, which is the newest before it; None for a symbolic link.
    fn version_before(&self, member: &Member) -> Option<MemberVersion> {
        matches!(member.kind, MemberKind::HardLink(_)).then(|| MemberVersion {
            depth: self.point.above.len(),
            members: self.count - 1,
        })
    }

    fn hold(&mut self, held: Held) {
        self.held = Some(held);
        self.room = MAX_HELD_BYTES;
    }

    fn open(&mut self, member: &Member, reader: &mut dyn Read) -> Result<(), UnpackError> {
        self.is_done = true;
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
            sparse: member.sparse.as_ref(),
        };
        self.unpacker.meter.restore();
        self.unpacker.open(reader, point)
    }
}

impl Visit for Finder<'_, '_> {
    fn declare(&mut self, charset: Charset) {
        if self.unpacker.names.setting == CharsetSetting::Detected {
            self.unpacker.names.prior = Some(charset);
            self.unpacker.declared = Some(charset);
        }
    }

    fn member(&mut self, member: &Member) -> Result<Step, UnpackError> {
        // The symbols of a library have no name, nor has the root of a tar.
        if member.path.is_empty() {
            return Ok(Step::Next);
        }
        self.count += 1;
        if self.count > self.members {
            return Ok(Step::Stop);
        }
        let path = self.point.path;
        if self.held.is_some() {
            match self.room.checked_sub(member.stored().unwrap_or_default()) {
                Some(room) => self.room = room,
                None => return Ok(Step::Stop),
            }
        }
        if member.path.len() <= path.len() && path.starts_with(&member.path) && !path.is_empty() {
            if self.has_begun {
                // A file or a link with the name of a directory, of which members were listed.
                return Ok(Step::Next);
            }
            return Ok(self.found(member));
        }
        if member.path.starts_with(path) {
            self.is_directory = true;
            self.listing.add(member, path.len());
            let is_due = || {
                let reported = self.reported;
                reported.is_none_or(|reported| reported.elapsed() >= LISTING_TIME)
            };
            if self.held.is_none() && (self.listing.len() > LISTING_BYTES || is_due()) {
                self.flush()?;
                self.reported = Some(Instant::now());
            }
        } else {
            self.similar.add(&member.path, path);
        }
        Ok(Step::Next)
    }

    fn pass(&mut self, members: usize) {
        self.count += members;
    }

    fn refuse(&mut self, _: &Member, error: UnpackError) -> Result<Step, UnpackError> {
        Err(error)
    }

    fn repeat(&mut self, _: &Member) -> Result<Step, UnpackError> {
        // It wants one content only.
        Ok(Step::Stop)
    }

    fn content(&mut self, member: &Member, reader: &mut dyn Read) -> Result<Step, UnpackError> {
        let is_small = member.stored().is_some_and(|size| size <= MAX_HELD_BYTES);
        if self.listing.is_newest && is_small && !self.has_begun {
            let mut octets = Vec::new();
            let read = reader.read_to_end(&mut octets);
            self.hold(Held::File(member.clone(), octets));
            read?;
            return Ok(Step::Next);
        }
        self.held = None;
        self.open(member, reader)?;
        Ok(Step::Stop)
    }
}

/// Returns the path of a link's target; None if it leads out of the archive.
fn link_target(member: &Member, target: &[u8]) -> Option<Vec<Vec<u8>>> {
    let is_hard = matches!(member.kind, MemberKind::HardLink(_));
    if target.starts_with(b"/") && !is_hard {
        return None;
    }
    let (_, above) = member.path.split_last()?;
    let mut path = if is_hard { Vec::new() } else { above.to_vec() };
    for segment in target.split(|&octet| octet == b'/') {
        match segment {
            b"" | b"." => {}
            b".." => drop(path.pop()?),
            segment => path.push(segment.to_vec()),
        }
    }
    (path != member.path).then_some(path)
}

fn link(member: &Member, target: &[u8]) -> UnpackError {
    let name = shown(&member.path);
    let sentence = match target {
        [] => format!("{name} is a link"),
        target => format!("{name} is a link to {}", shown(&[target.to_vec()])),
    };
    UnpackError::Refused(
        sentence,
        "it leads out of the archive: links are followed inside it alone",
    )
}

fn closed(member: &Member, what: &str) -> UnpackError {
    let sentence = format!("{} is {what}: not opened", shown(&member.path));
    UnpackError::Refused(
        sentence,
        "save the archive, and open it with another program",
    )
}
