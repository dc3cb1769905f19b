//! The file in a uuencoded one (POSIX.1, uuencode), as `.uue` is.
//!
//! ```text
//! file = "begin" SP mode SP name LF *line "end" LF
//! ```

use std::io::{self, BufRead, BufReader, Cursor, Read};

use crate::document::uu_line;

/// The most octets of a line.
const MAX_LINE_BYTES: u64 = 1024;

/// Returns true for the first line of a uuencoded file.
pub(super) fn begins(start: &[u8]) -> bool {
    let Some(rest) = start.strip_prefix(b"begin ") else {
        return false;
    };
    let digits = rest.iter().take_while(|octet| octet.is_ascii_digit());
    let digits = digits.count();
    let end = memchr::memchr(b'\n', rest);
    matches!(digits, 3 | 4)
        && rest.get(digits) == Some(&b' ')
        && end.is_some_and(|end| end > digits + 1)
}

/// A reader of the file.
pub(super) struct UuReader<R> {
    lines: BufReader<R>,
    piece: Cursor<Vec<u8>>,
    state: UuState,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum UuState {
    Begin,
    Lines,
    End,
}

impl<R: Read> UuReader<R> {
    pub(super) fn new(reader: R) -> Self {
        Self {
            lines: BufReader::new(reader),
            piece: Cursor::default(),
            state: UuState::Begin,
        }
    }

    /// Returns the next line without its end.
    fn line(&mut self) -> io::Result<Vec<u8>> {
        let mut line = Vec::new();
        let mut lines = self.lines.by_ref().take(MAX_LINE_BYTES);
        if lines.read_until(b'\n', &mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        while line
            .pop_if(|octet| matches!(octet, b'\n' | b'\r'))
            .is_some()
        {}
        Ok(line)
    }
}

impl<R: Read> Read for UuReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.piece.read(buffer)?;
            if count > 0 || buffer.is_empty() || self.state == UuState::End {
                return Ok(count);
            }
            let line = self.line()?;
            if self.state == UuState::Begin {
                self.state = UuState::Lines;
            } else if line == b"end" {
                self.state = UuState::End;
            } else {
                let mut octets = Vec::new();
                let damaged = || io::Error::new(io::ErrorKind::InvalidData, "a line is damaged");
                uu_line(&line, &mut octets).ok_or_else(damaged)?;
                self.piece = Cursor::new(octets);
            }
        }
    }
}
