//! The output of subcommands: unchanged bytes to a file or a pipe, escaped control characters on a terminal.

use std::io::{self, BufWriter, IsTerminal, Stdout, Write, stderr, stdout};

use geomys_wire::text::{Escape, Text, without_error_numbers};

/// Standard output for bytes of a server or a file. Control characters are escaped on a terminal.
pub(super) struct Output {
    out: BufWriter<Stdout>,
    /// The escape filter; `None` if the output is no terminal.
    escape: Option<Escape>,
}

impl Output {
    pub(super) fn new() -> Self {
        Self {
            out: BufWriter::new(stdout()),
            escape: stdout().is_terminal().then(Escape::default),
        }
    }

    /// Writes the rest, and reports on standard error if something was escaped.
    ///
    /// # Errors
    /// The errors of standard output.
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

/// Escapes control characters in a message of several lines, and leaves the numbers of system errors out.
pub(super) fn clean(sentence: &str) -> String {
    let sentence = without_error_numbers(sentence);
    let lines = sentence.split('\n').map(|line| Text::of(line).to_string());
    lines.collect::<Vec<_>>().join("\n")
}
