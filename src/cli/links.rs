//! `geomys links`: finds the URLs in running text (RFC 1738, appendix).

use std::borrow::Cow;
use std::fs;
use std::io::{BufWriter, Read, Write, stdin};
use std::path::PathBuf;

use clap::Args;
use geomys_wire::text::Text;
use rfc1738::{UrlMatch, links_in_text};
use rfc1738::{leading_scheme, mask};
use serde::Serialize;

use super::error::CliError;
use super::url::json::{self, Fault};
use crate::cli::locale::stdout;

#[derive(Debug, Args)]
pub(super) struct Links {
    /// Print one JSON object a line for each URL
    #[arg(long)]
    json: bool,

    /// Texts to search; without any, standard input
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
}

impl Links {
    pub(super) fn run(&self) -> Result<(), CliError> {
        let mut out = BufWriter::new(stdout());
        if self.files.is_empty() {
            let mut text = Vec::new();
            stdin().lock().read_to_end(&mut text)?;
            self.list(None, &text, &mut out)?;
        }
        let mut unread = Vec::new();
        for path in &self.files {
            let name = Text::of(&path.to_string_lossy()).to_string();
            match fs::read(path) {
                Ok(text) => self.list(Some(&name), &text, &mut out)?,
                // The other files are still read.
                Err(error) => {
                    unread.push(format!("{name} cannot be read: {error}"));
                }
            }
        }
        out.flush()?;
        if unread.is_empty() {
            Ok(())
        } else {
            Err(CliError::new(unread.join("\ngeomys: ")))
        }
    }

    fn list(&self, file: Option<&str>, text: &[u8], out: &mut impl Write) -> Result<(), CliError> {
        let mut position = TextPosition::default();
        for url_match in links_in_text(text) {
            position.advance(text, url_match.range.start);
            let link = PageLink::of(file, &position, &url_match);
            if self.json {
                json::line(&link, out)?;
            } else {
                link.write(&url_match, out)?;
            }
        }
        Ok(())
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
    /// The URL without the hyphen at a line end, if there is one.
    without_hyphen: Option<Cow<'a, str>>,
    fragment: Option<Cow<'a, str>>,
    valid: bool,
    usable: bool,
    /// The first violation of RFC 1738.
    error: Option<Fault>,
}

impl<'a> PageLink<'a> {
    fn of(file: Option<&'a str>, position: &TextPosition, url_match: &'a UrlMatch<'_>) -> Self {
        PageLink {
            file,
            line: position.line,
            column: position.column,
            offset: url_match.range.start,
            length: url_match.range.len(),
            scheme: leading_scheme(&url_match.url_text).map(str::to_ascii_lowercase),
            url: mask(&url_match.url_text),
            without_hyphen: url_match.without_hyphen.as_deref().map(mask),
            fragment: url_match.fragment.as_deref().map(mask),
            valid: url_match
                .result
                .as_ref()
                .is_ok_and(|url| url.verdict().is_ok()),
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
        if let Some(shorter) = &self.without_hyphen {
            write!(out, ", or without the hyphen {}", Text::of(shorter))?;
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
    at: usize,
}

impl Default for TextPosition {
    fn default() -> Self {
        TextPosition {
            line: 1,
            column: 1,
            at: 0,
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
}
