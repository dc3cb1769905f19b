//! Visits of the members of an archive, which each format makes in its order.

use std::io::{self, Read};

use geomys_wire::text::Charset;

use super::error::UnpackError;
use super::member::Member;

/// The part of an archive that a visitor wants next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The next member.
    Next,
    /// The content of this member.
    Content,
    /// Nothing more.
    Stop,
}

/// A visitor of the members of an archive.
pub(super) trait Visit {
    /// Takes the charset of names that are not UTF-8, before any member.
    fn declare(&mut self, charset: Charset);
    /// Takes a member, in the order of the archive.
    fn member(&mut self, member: &Member) -> Result<Step, UnpackError>;
    /// Takes the content of a member; returns [`Step::Next`] if it wants those behind it.
    fn content(&mut self, member: &Member, reader: &mut dyn Read) -> Result<Step, UnpackError>;
    /// Takes a member with the content that came last.
    fn repeat(&mut self, member: &Member) -> Result<Step, UnpackError>;
    /// Takes the reason why the content of a member cannot be read.
    fn refuse(&mut self, member: &Member, error: UnpackError) -> Result<Step, UnpackError>;
    /// Takes the number of members that it does not need.
    fn pass(&mut self, members: usize);
}

/// A reader that has nothing, or fails.
pub(super) struct FaultReader(pub(super) Option<String>);

impl Read for FaultReader {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        match self.0.take() {
            Some(fault) => Err(io::Error::new(io::ErrorKind::InvalidData, fault)),
            None => Ok(0),
        }
    }
}
