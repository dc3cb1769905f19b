//! `geomys dump`: a page as text on standard output.

mod print;

use std::io::{BufWriter, Write, stderr, stdout};
use std::sync::Arc;

use clap::Args;

use self::print::Printer;
use super::context::{CliContext, Consent, address};
use super::error::CliError;
use super::fetch::{block_on, fetch};
use super::output::Output;
use crate::document::{Document, Shape, Zone};
use crate::load::{PageHead, Part, Purpose, redirected};
use crate::text;
use crate::url::Url;

/// The number of octets of a text printed at once.
const PIECE: usize = 256 * 1024;

/// The most octets of a page that is buffered until it is complete.
const MAX_BUFFERED: usize = 1 << 30;

#[derive(Debug, Args)]
pub(super) struct Dump {
    /// What to print
    #[arg(value_name = "URL")]
    address: String,

    /// Wrap lines at this many columns
    #[arg(long, value_name = "N")]
    width: Option<usize>,

    /// Number the links in the rows, with the glyph of each row; the links after the page, one a line, with their types
    #[arg(long)]
    links: bool,

    /// The octets as they came
    #[arg(long, conflicts_with_all = ["width", "links"])]
    raw: bool,

    #[command(flatten)]
    consent: Consent,
}

impl Dump {
    pub(super) fn run(&self, context: &CliContext) -> Result<(), CliError> {
        let url = address(&self.address, &context.config.settings)?;
        let request = self
            .consent
            .apply(context.request(url.clone(), Purpose::Show)?);
        block_on(async {
            let mut raw = Output::new();
            let out = BufWriter::new(stdout());
            let mut printer =
                Printer::new(out, self.width, self.links, context.config.theme.clone());
            let mut page = None;
            let fetched = fetch(context, request, |part| {
                match part {
                    Part::Head(begin) => {
                        if !begin.from.is_empty() {
                            writeln!(stderr(), "{}", redirected(&begin.from))?;
                        }
                        page = Some(Page::new(begin, &url, context));
                    }
                    Part::Octets(octets) if self.raw => raw.write_all(&octets)?,
                    Part::Octets(octets) => {
                        if let Some(page) = &mut page {
                            page.add(octets, &mut printer)?;
                        }
                    }
                    Part::Clock(minutes) => {
                        if let Some(page) = &mut page {
                            page.document.set_clock(minutes);
                        }
                    }
                    // The folded remarks above a listing are not part of it.
                    Part::Phase(_)
                    | Part::Session(_)
                    | Part::Remark(_)
                    | Part::Covered(_)
                    | Part::End(_) => {}
                }
                Ok(())
            })
            .await;
            // A partial page is printed too.
            if let Some(page) = page.filter(|_| !self.raw) {
                page.end(&mut printer)?;
            }
            printer.finish()?;
            raw.end()?;
            fetched
        })?
    }
}

/// A page while it loads: a text is printed in pieces, any other page is buffered until it is complete.
struct Page {
    /// The page; for a text the settings of its pieces.
    document: Document,
    /// The octets of a text that are not printed yet.
    text: Vec<u8>,
}

impl Page {
    fn new(begin: PageHead, url: &Url, context: &CliContext) -> Self {
        let url = begin.url.unwrap_or_else(|| url.clone());
        let mut document = Document::new(url, begin.shape, context.config.settings.charset);
        document.declare(begin.charset);
        document.set_zone(Zone::system());
        document.show_headers(Arc::clone(&context.config.settings.news.headers));
        Self {
            document,
            text: Vec::new(),
        }
    }

    fn add(&mut self, octets: Vec<u8>, printer: &mut Printer<impl Write>) -> Result<(), CliError> {
        if self.document.is_full() {
            return Ok(());
        }
        if self.document.shape() != Shape::Text {
            self.document.take(octets);
            if self.document.raw().len() > MAX_BUFFERED {
                let limit = text::octets(MAX_BUFFERED as u64);
                return Err(CliError::new(format!(
                    "cut: {limit} of a page are held at most"
                )));
            }
            return Ok(());
        }
        self.text.extend_from_slice(&octets);
        while self.text.len() >= PIECE {
            let line_end = memchr::memrchr(b'\n', &self.text);
            let end = line_end.map_or_else(|| text::cut(&self.text), |at| at + 1);
            let rest = self.text.split_off(end);
            let piece = std::mem::replace(&mut self.text, rest);
            let document = self.piece(&piece);
            printer.rows(&document, line_end.is_none())?;
            // The first piece that is not UTF-8 determines the charset of later pieces.
            self.document.declare(document.non_utf8_charset());
        }
        Ok(())
    }

    fn piece(&self, octets: &[u8]) -> Document {
        let mut piece = self.document.clone();
        piece.append(octets);
        piece.finished()
    }

    fn end(self, printer: &mut Printer<impl Write>) -> Result<(), CliError> {
        let mut document = self.piece(&self.text);
        document.unfold();
        Ok(printer.rows(&document, false)?)
    }
}
