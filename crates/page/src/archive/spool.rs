//! An archive that is unpacked whole: its members in their order, and their octets, one after another, in a file
//! without a name. Who wants all of them would otherwise read the archive once for each.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::ops::Range;
use std::os::unix::fs::FileExt;

use geomys_wire::text::Charset;

use super::error::UnpackError;
use super::finder::Finder;
use super::member::{Member, MemberKind};
use super::visit::{FaultReader, Step, Visit};

/// The octets that are copied at once.
const PIECE_BYTES: usize = 64 * 1024;

/// The members of an archive, and what they contain.
#[derive(Debug)]
pub struct Spool {
    file: File,
    /// The octets in the file, and those that it may have.
    end: u64,
    room: u64,
    members: Vec<SpooledMember>,
    /// The indices of the members by their paths.
    paths: BTreeMap<Vec<Vec<u8>>, Vec<usize>>,
    /// The charset of names that are not UTF-8, if the archive tells.
    charset: Option<Charset>,
    /// True if the newest member of a name counts, not the first.
    is_newest: bool,
    /// False if members are missing: the file is full, or not all were visited.
    is_whole: bool,
}

#[derive(Debug)]
struct SpooledMember {
    member: Member,
    /// The octets in the file.
    range: Range<u64>,
    /// The error behind them.
    fault: Option<UnpackError>,
}

impl Spool {
    /// Creates a spool of at most `room` octets in an empty file.
    pub fn new(file: File, room: u64) -> Self {
        Self {
            file,
            end: 0,
            room,
            members: Vec::new(),
            paths: BTreeMap::new(),
            charset: None,
            is_newest: false,
            is_whole: false,
        }
    }

    /// Returns the spool if it has all members.
    pub fn whole(self) -> Option<Self> {
        self.is_whole.then_some(self)
    }

    pub(super) fn is_newest(&self) -> bool {
        self.is_newest
    }

    fn add(&mut self, member: &Member, range: Range<u64>, fault: Option<UnpackError>) {
        let indices = self.paths.entry(member.path.clone()).or_default();
        indices.push(self.members.len());
        self.members.push(SpooledMember {
            member: member.clone(),
            range,
            fault,
        });
    }

    /// Copies the content of a member to the file. What cannot be read is its fault; what cannot be written makes the
    /// spool incomplete.
    fn copy(&mut self, member: &Member, reader: &mut dyn Read) {
        let (start, mut fault) = (self.end, None);
        let mut piece = vec![0; PIECE_BYTES];
        loop {
            let count = match reader.read(&mut piece) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => {
                    fault = Some(error.into());
                    break;
                }
            };
            let octets = piece.get(..count).unwrap_or_default();
            self.end += count as u64;
            if self.end > self.room || self.file.write_all(octets).is_err() {
                self.discard();
                return;
            }
        }
        self.add(member, start..self.end, fault);
    }

    /// Forgets all members: the archive itself is read for each.
    fn discard(&mut self) {
        self.is_whole = false;
        self.members.clear();
        self.paths.clear();
        // It is removed when it is closed; its room is given back at once.
        let _ = self.file.set_len(0).and_then(|()| self.file.rewind());
    }

    /// Visits the members that lead to a path or are below it, in their order; all members if none is there.
    pub(super) fn visit(
        &self,
        path: &[Vec<u8>],
        visitor: &mut dyn Visit,
    ) -> Result<(), UnpackError> {
        if let Some(charset) = self.charset {
            visitor.declare(charset);
        }
        let mut next = 0;
        for index in self.leading_to(path) {
            let Some(spooled) = self.members.get(index) else {
                continue;
            };
            visitor.pass(index - next);
            next = index + 1;
            let member = &spooled.member;
            let step = match (visitor.member(member)?, &spooled.fault) {
                (Step::Content, Some(UnpackError::Refused(why, advice))) => {
                    visitor.refuse(member, UnpackError::Refused(why.clone(), advice))?
                }
                (Step::Content, fault) => {
                    let words = fault.as_ref().map(|fault| match fault {
                        UnpackError::Malformed(words) => words.clone(),
                        _ => "it ends early".to_owned(),
                    });
                    let mut content = self.content(&spooled.range).chain(FaultReader(words));
                    visitor.content(member, &mut content)?
                }
                (step, _) => step,
            };
            if step == Step::Stop {
                break;
            }
        }
        Ok(())
    }

    fn leading_to(&self, path: &[Vec<u8>]) -> Vec<usize> {
        let below = self.paths.range(path.to_vec()..);
        let below = below.take_while(|(other, _)| other.starts_with(path));
        let mut indices: Vec<usize> = below.flat_map(|(_, indices)| indices).copied().collect();
        let above = (1..path.len()).filter_map(|end| self.paths.get(path.get(..end)?));
        let above: Vec<usize> = above.flatten().copied().collect();
        let is_there = |index: &usize| {
            let above = self.members.get(*index);
            above.is_some_and(|above| above.member.kind != MemberKind::Directory)
        };
        if indices.is_empty() && !above.iter().any(is_there) {
            return (0..self.members.len()).collect();
        }
        indices.extend(above);
        indices.sort_unstable();
        indices
    }

    fn content(&self, range: &Range<u64>) -> SpoolReader<'_> {
        SpoolReader {
            file: &self.file,
            range: range.clone(),
        }
    }
}

/// A reader of a part of the file, which several may read at once.
struct SpoolReader<'a> {
    file: &'a File,
    range: Range<u64>,
}

impl Read for SpoolReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.range.end - self.range.start).unwrap_or(usize::MAX);
        let length = buffer.len().min(left);
        let part = buffer.get_mut(..length).unwrap_or_default();
        let count = self.file.read_at(part, self.range.start)?;
        self.range.start += count as u64;
        Ok(count)
    }
}

/// The visitor that lists a directory of an archive, and stores all members.
pub(super) struct Spooler<'s, 'a, 'b> {
    finder: Finder<'a, 'b>,
    spool: &'s mut Spool,
    /// True if the content of the member is what the path names.
    is_wanted: bool,
}

impl<'s, 'a, 'b> Spooler<'s, 'a, 'b> {
    pub(super) fn new(finder: Finder<'a, 'b>, spool: &'s mut Spool, is_newest: bool) -> Self {
        (spool.is_newest, spool.is_whole) = (is_newest, true);
        Self {
            finder,
            spool,
            is_wanted: false,
        }
    }

    /// Ends a visit, as [`Finder::end`] does.
    pub(super) fn end(self, visited: Result<(), UnpackError>) -> Result<(), UnpackError> {
        self.spool.is_whole &= visited.is_ok();
        self.finder.end(visited)
    }
}

impl Visit for Spooler<'_, '_, '_> {
    fn declare(&mut self, charset: Charset) {
        self.spool.charset = Some(charset);
        self.finder.declare(charset);
    }

    fn pass(&mut self, members: usize) {
        self.finder.pass(members);
    }

    fn member(&mut self, member: &Member) -> Result<Step, UnpackError> {
        let step = self.finder.member(member)?;
        self.is_wanted = step == Step::Content;
        if step != Step::Next {
            // The path names a file: what is behind it is not visited.
            self.spool.is_whole = false;
        }
        if step != Step::Next || !self.spool.is_whole || member.path.is_empty() {
            return Ok(step);
        }
        if member.kind == MemberKind::File {
            return Ok(Step::Content);
        }
        self.spool.add(member, 0..0, None);
        Ok(Step::Next)
    }

    fn content(&mut self, member: &Member, reader: &mut dyn Read) -> Result<Step, UnpackError> {
        if self.is_wanted {
            return self.finder.content(member, reader);
        }
        self.finder.unlimited(|| self.spool.copy(member, reader))?;
        Ok(Step::Next)
    }

    fn repeat(&mut self, member: &Member) -> Result<Step, UnpackError> {
        if self.is_wanted {
            return self.finder.repeat(member);
        }
        let range = self.spool.members.last().map(|last| last.range.clone());
        self.spool.add(member, range.unwrap_or_default(), None);
        Ok(Step::Next)
    }

    fn refuse(&mut self, member: &Member, error: UnpackError) -> Result<Step, UnpackError> {
        if self.is_wanted {
            return self.finder.refuse(member, error);
        }
        self.spool.add(member, 0..0, Some(error));
        Ok(Step::Next)
    }
}
