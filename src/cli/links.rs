//! `geomys links`: finds the URLs in running text (RFC 1738, appendix).

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufWriter, Read, Write, stdin};
use std::path::PathBuf;

use clap::Args;
use geomys_wire::text::Text;
use rfc1738::{LinkPieces, UrlMatch, leading_scheme, links_in_text, mask};
use serde::Serialize;

use super::argument::{ExitStatus, LineEnds};
use super::error::CliError;
use super::url::json::{self, Fault};
use crate::cli::locale::stdout;

#[derive(Debug, Args)]
pub(super) struct Links {
    /// Print one JSON object a line for each URL
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    exit_status: ExitStatus,

    #[command(flatten)]
    line_ends: LineEnds,

    /// Texts to search; `-`, or none, is standard input
    ///
    /// A text is read line by line, and its URLs are printed at once.
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
}

impl Links {
    pub(super) fn run(&self) -> Result<(), CliError> {
        let mut out = BufWriter::new(self.line_ends.of(stdout()));
        let mut count = 0;
        if self.files.is_empty() {
            count += self.list(None, stdin().lock(), &mut out)?;
        }
        let mut unread = Vec::new();
        for path in &self.files {
            let name = Text::of(&path.to_string_lossy()).to_string();
            let listed = if path.as_os_str() == "-" {
                self.list(None, stdin().lock(), &mut out)
            } else {
                // A broken pipe is an error of the output only.
                match File::open(path) {
                    Ok(file) => self.list(Some(&name), file, &mut out),
                    Err(error) => Err(ListError::Read(error)),
                }
            };
            match listed {
                Ok(found) => count += found,
                // The other files are still read.
                Err(ListError::Read(error)) => {
                    unread.push(format!("{name} cannot be read: {error}"));
                }
                Err(ListError::Write(error)) => return Err(error),
            }
        }
        out.flush()?;
        if !unread.is_empty() {
            return Err(CliError::new(unread.join("\ngeomys: ")));
        }
        self.exit_status.of(count > 0)
    }

    /// Lists the URLs of a text while it is read, and returns their number.
    fn list(
        &self,
        file: Option<&str>,
        text: impl Read,
        out: &mut impl Write,
    ) -> Result<usize, ListError> {
        let mut position = TextPosition::default();
        let mut count = 0;
        pieces(text, |piece| {
            for url_match in links_in_text(piece) {
                count += 1;
                position.advance(piece, url_match.range.start);
                let link = PageLink::of(file, &position, &url_match);
                if self.json {
                    json::line(&link, out)?;
                } else {
                    link.write(&url_match, out)?;
                }
            }
            position.end_piece(piece);
            Ok(out.flush()?)
        })?;
        Ok(count)
    }
}

/// Error of the input, or of the output.
enum ListError {
    Read(io::Error),
    Write(CliError),
}

impl From<ListError> for CliError {
    fn from(error: ListError) -> Self {
        match error {
            ListError::Read(error) => Self::new(error),
            ListError::Write(error) => error,
        }
    }
}

/// Passes a text on in pieces that no URL crosses, unless it is longer than a piece.
fn pieces(
    mut text: impl Read,
    mut pass: impl FnMut(&[u8]) -> Result<(), CliError>,
) -> Result<(), ListError> {
    let mut pieces = LinkPieces::default();
    let mut buffer = vec![0; LinkPieces::MAX_BYTES];
    loop {
        let read = match text.read(&mut buffer) {
            Ok(0) => return pass(&pieces.into_rest()).map_err(ListError::Write),
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(ListError::Read(error)),
        };
        pieces.push(buffer.get(..read).unwrap_or_default());
        pass(&pieces.next_piece()).map_err(ListError::Write)?;
    }
}

/// A URL in a text, with its position.
#[derive(Serialize)]
struct PageLink<'a> {
    file: Option<&'a str>,
    line: usize,
    column: usize,
    /// The offset and the length of the match in the text, in octets.
    offset: usize,
    length: usize,
    /// The scheme in lower case, as written before the colon; null for text without one.
    scheme: Option<String>,
    url: Cow<'a, str>,
    fragment: Option<Cow<'a, str>>,
    usable: bool,
    /// The first violation of RFC 1738; null if it allows the URL.
    error: Option<Fault>,
}

impl<'a> PageLink<'a> {
    fn of(file: Option<&'a str>, position: &TextPosition, url_match: &'a UrlMatch<'_>) -> Self {
        PageLink {
            file,
            line: position.line,
            column: position.column,
            offset: position.base + url_match.range.start,
            length: url_match.range.len(),
            scheme: leading_scheme(&url_match.url_text).map(str::to_ascii_lowercase),
            url: mask(&url_match.url_text),
            fragment: url_match.fragment.as_deref().map(mask),
            usable: url_match
                .result
                .as_ref()
                .is_ok_and(|url| url.forbidden_hazard().is_none()),
            error: match &url_match.result {
                Ok(url) => url.verdict().err().as_ref().map(Fault::of),
                Err(error) => Some(Fault::of(error)),
            },
        }
    }

    fn write(&self, url_match: &UrlMatch<'_>, out: &mut impl Write) -> Result<(), CliError> {
        if let Some(file) = self.file {
            write!(out, "{file}:")?;
        }
        write!(
            out,
            "{}:{}: {}",
            self.line,
            self.column,
            Text::of(&self.url)
        )?;
        if let Some(fragment) = &self.fragment {
            write!(out, "#{}", Text::of(fragment))?;
        }
        if let Some(shorter) = url_match.without_hyphen.as_deref() {
            write!(out, ", or without the hyphen {}", Text::of(&mask(shorter)))?;
        }
        if let Err(error) = &url_match.result {
            write!(out, "\n    {error}")?;
        }
        Ok(writeln!(out)?)
    }
}

/// A position in a text, counted from 1: line, and column in characters (in octets if invalid).
#[derive(Debug)]
struct TextPosition {
    line: usize,
    column: usize,
    /// The offset in the piece.
    at: usize,
    /// The octets of the text before the piece.
    base: usize,
}

impl Default for TextPosition {
    fn default() -> Self {
        TextPosition {
            line: 1,
            column: 1,
            at: 0,
            base: 0,
        }
    }
}

impl TextPosition {
    /// Advances to the octet `to` of `text`, which is after the current one.
    fn advance(&mut self, text: &[u8], to: usize) {
        let between = text.get(self.at..to).unwrap_or(&[]);
        let mut rest = between;
        if let Some(last) = memchr::memrchr(b'\n', between) {
            self.line += memchr::memchr_iter(b'\n', between).count();
            self.column = 1;
            rest = between.get(last + 1..).unwrap_or(&[]);
        }
        self.column += rest
            .utf8_chunks()
            .map(|chunk| chunk.valid().chars().count() + chunk.invalid().len())
            .sum::<usize>();
        self.at = to;
    }

    /// Advances to the beginning of the next piece.
    fn end_piece(&mut self, piece: &[u8]) {
        self.advance(piece, piece.len());
        self.base += piece.len();
        self.at = 0;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A reader that gives a few octets at once.
    struct Drops<'a>(&'a [u8], usize);

    impl Read for Drops<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let size = self.1.min(self.0.len());
            let (now, later) = self.0.split_at(size);
            buffer[..size].copy_from_slice(now);
            self.0 = later;
            Ok(size)
        }
    }

    fn listed(text: impl Read) -> String {
        let links = Links {
            json: true,
            exit_status: ExitStatus::default(),
            line_ends: LineEnds::default(),
            files: Vec::new(),
        };
        let mut out = Vec::new();
        assert!(links.list(None, text, &mut out).is_ok());
        String::from_utf8(out).unwrap()
    }

    proptest! {
        /// However a text arrives, its URLs are those of the whole text.
        #[test]
        fn pieces_have_the_links_of_the_whole_text(
            parts in prop::collection::vec(prop_oneof![
                Just("<URL:http://h/one-\n two#x>"), Just("<URL:"), Just("http://h/a"), Just("\n"), Just(" "), Just(">"),
                Just("<"), Just("news:a.b"), Just("é。"), Just("[http://h/](x)"), Just("http://h.<x>/"), Just("a\nb"),
            ], 0..40),
            size in 1_usize..20,
        ) {
            let text = parts.concat();
            prop_assert_eq!(listed(Drops(text.as_bytes(), size)), listed(text.as_bytes()));
        }
    }

    #[test]
    fn line_without_an_end_is_held_to_a_limit() {
        for word in ["x", "<URL:", "<URL:http://h/", "http://h/ ", "\n<a:"] {
            let mut longest = 0;
            let text = word.repeat(400_000);
            let passed = pieces(Drops(text.as_bytes(), 4096), |piece| {
                longest = longest.max(piece.len());
                Ok(())
            });
            assert!(
                passed.is_ok() && longest <= LinkPieces::MAX_BYTES + 4096,
                "{word}: {longest}"
            );
        }
    }

    #[test]
    fn url_of_a_line_is_listed_before_the_next_line_comes() {
        let mut passed = Vec::new();
        let text = b"a http://h/\n<URL:http://i/\n";
        let _ = pieces(Drops(text, 1), |piece| {
            passed.extend((!piece.is_empty()).then_some(piece.len()));
            Ok(())
        });
        assert_eq!(passed, [12, 15]);
    }
}
