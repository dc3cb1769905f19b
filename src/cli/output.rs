//! What the subcommands print: bytes as they are into a file or a pipe, nothing that acts on a terminal on one.

use std::io::{self, BufWriter, IsTerminal, Stdout, Write, stderr, stdout};

use crate::text::{Escape, Text};

/// Standard output for bytes that a server or a file has chosen. On a terminal they are escaped.
pub(super) struct Output {
    out: BufWriter<Stdout>,
    /// Nothing where it is no terminal.
    escape: Option<Escape>,
}

impl Output {
    pub(super) fn new() -> Self {
        Self {
            out: BufWriter::new(stdout()),
            escape: stdout().is_terminal().then(Escape::default),
        }
    }

    /// Writes what is left, and says on standard error that something was escaped.
    ///
    /// # Errors
    /// Those of standard output.
    pub(super) fn end(&mut self) -> io::Result<()> {
        if let Some(escape) = &mut self.escape {
            self.out.write_all(escape.end().as_bytes())?;
        }
        self.out.flush()?;
        if self.escape.as_ref().is_some_and(Escape::has_escaped) {
            let advice = "control characters are shown escaped; redirect the output to a file for the exact bytes";
            writeln!(stderr(), "geomys: {advice}")?;
        }
        Ok(())
    }
}

impl Write for Output {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        let Some(escape) = &mut self.escape else {
            return self.out.write(octets);
        };
        self.out.write_all(escape.text(octets).as_bytes())?;
        Ok(octets.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// A sentence of several lines without what could act on a terminal.
pub(super) fn clean(sentence: &str) -> String {
    let lines = sentence.split('\n').map(|line| Text::of(line).to_string());
    lines.collect::<Vec<_>>().join("\n")
}
