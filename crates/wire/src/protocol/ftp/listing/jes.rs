//! Jobs of MVS (z/OS), as its FTP server lists them in JES mode.
//!
//! ```text
//! heading = "JOBNAME" 1*SP "JOBID" *octet
//! entry   = jobname 1*SP jobid 1*SP [ owner 1*SP ] status [ 1*SP *octet ]
//! jobid   = ( "JOB" / "STC" / "TSU" / "J" / "S" / "T" ) digits
//! status  = "INPUT" / "ACTIVE" / "OUTPUT" / "HELD" / ...
//! ```
//!
//! RETR takes the job number, so that is the name. The spool files of one job are left out.

use super::entry::{Entry, Kind, Line};
use super::words::Words;
use crate::protocol::octets::number;

/// Parses a line of a list of jobs.
pub(super) fn line(line: &[u8]) -> Option<Line<'_>> {
    let words = Words::of(line, 4);
    if words.word(0) == Some(b"JOBNAME") && words.word(1) == Some(b"JOBID") {
        return Some(Line::Metadata);
    }
    let name = words.word(1).filter(|id| is_id(id))?;
    let is_status = |index| {
        matches!(
            words.word(index),
            Some(b"INPUT" | b"ACTIVE" | b"OUTPUT" | b"HELD" | b"EXECUTING")
        )
    };
    (is_status(2) || is_status(3))
        .then_some(Entry::new(name, Kind::File))
        .and_then(Entry::line)
}

fn is_id(word: &[u8]) -> bool {
    let letters: [&[u8]; 6] = [b"JOB", b"STC", b"TSU", b"J", b"S", b"T"];
    let digits = letters.iter().find_map(|kind| word.strip_prefix(*kind));
    digits.is_some_and(|digits| digits.len() >= 3 && number::<u64>(digits).is_some())
}
