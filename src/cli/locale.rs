//! Standard output and standard error of commands, in the charset of the locale where that is not UTF-8.

use std::io::{self, IsTerminal, Stderr, Stdout, Write};
use std::str;
use std::sync::OnceLock;

use geomys_wire::text::Charset;

/// The charset of the locale; empty for UTF-8.
static CHARSET: OnceLock<Charset> = OnceLock::new();

/// Sets the charset of the text that is written from now on.
pub(super) fn set_charset(charset: Option<Charset>) {
    if let Some(charset) = charset {
        // It is set once, before any output.
        let _ = CHARSET.set(charset);
    }
}

/// Returns true if the charset of the locale is not UTF-8.
pub(super) fn has_charset() -> bool {
    CHARSET.get().is_some()
}

/// Standard output for text.
pub(super) fn stdout() -> LocaleWriter<Stdout> {
    LocaleWriter::with_charset(io::stdout(), CHARSET.get().copied())
}

/// Standard output for octets, which stay as they are.
pub(super) fn octet_stdout() -> LocaleWriter<Stdout> {
    LocaleWriter::with_charset(io::stdout(), None)
}

/// Standard error, for text.
pub(super) fn stderr() -> LocaleWriter<Stderr> {
    LocaleWriter::with_charset(io::stderr(), CHARSET.get().copied())
}

/// A writer of UTF-8 that arrives in the charset of the locale. A character that the charset does not have becomes a
/// question mark; octets that are not UTF-8 stay.
pub(super) struct LocaleWriter<W> {
    out: W,
    charset: Option<Charset>,
    /// The first octets of a character whose others have not been written yet.
    begun: Vec<u8>,
}

impl<W: Write> LocaleWriter<W> {
    fn with_charset(out: W, charset: Option<Charset>) -> Self {
        Self {
            out,
            charset,
            begun: Vec::new(),
        }
    }
}

impl<W: IsTerminal> LocaleWriter<W> {
    /// Returns true if the text goes to a terminal.
    pub(super) fn is_terminal(&self) -> bool {
        self.out.is_terminal()
    }
}

impl<W: Write> Write for LocaleWriter<W> {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        let Some(charset) = self.charset else {
            return self.out.write(octets);
        };
        self.begun.extend_from_slice(octets);
        let text = std::mem::take(&mut self.begun);
        let mut chunks = text.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            self.out.write_all(&encoded(charset, chunk.valid()))?;
            let rest = chunk.invalid();
            let is_begun = chunks.peek().is_none()
                && str::from_utf8(rest).is_err_and(|error| error.error_len().is_none());
            if is_begun {
                self.begun = rest.to_vec();
            } else {
                self.out.write_all(rest)?;
            }
        }
        Ok(octets.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Encodes text for a terminal: what is windows-1252 on the Web is ISO-8859-1 there, whose other octets are control
/// characters.
fn encoded(charset: Charset, text: &str) -> Vec<u8> {
    if charset.name() != "windows-1252" {
        return charset.encode(text);
    }
    let octets = text
        .chars()
        .map(|letter| u8::try_from(letter).unwrap_or(b'?'));
    octets.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_written_in_the_charset_wherever_it_is_cut() {
        let text = "Grüße, 5 €: ";
        for (name, expected) in [
            ("iso-8859-15", &b"Gr\xfc\xdfe, 5 \xa4: \xff"[..]),
            ("koi8-r", &b"Gr??e, 5 ?: \xff"[..]),
        ] {
            for size in 1..text.len() {
                let mut written = Vec::new();
                let mut out = LocaleWriter::with_charset(&mut written, Charset::named(name));
                let octets = [text.as_bytes(), b"\xff"].concat();
                for piece in octets.chunks(size) {
                    out.write_all(piece).unwrap();
                }
                assert_eq!(written, expected, "{name} {size}");
            }
        }
    }
}
