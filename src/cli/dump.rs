//! `geomys dump`: a page as text on standard output.

mod print;

use std::io::{BufWriter, Write, stderr, stdout};
use std::sync::Arc;

use clap::Args;

use self::print::Printer;
use super::output::Output;
use super::{Setting, Trouble, address, block_on, fetch};
use crate::document::{Document, Shape, Zone};
use crate::load::{Begin, Part, Purpose, redirected};
use crate::text;
use crate::url::Url;

/// Octets of a text that are printed at once.
const PIECE: usize = 256 * 1024;

/// Octets of a page that is held until it is whole, at most.
const HELD: usize = 1 << 30;

#[derive(Debug, Args)]
pub(super) struct Dump {
    /// What to print
    #[arg(value_name = "URL")]
    address: String,

    /// Wrap lines at this many columns
    #[arg(long, value_name = "N")]
    width: Option<usize>,

    /// The page's links after it, one a line
    #[arg(long)]
    links: bool,

    /// The octets as they came
    #[arg(long, conflicts_with_all = ["width", "links"])]
    raw: bool,
}

impl Dump {
    pub(super) fn run(&self, setting: &Setting) -> Result<(), Trouble> {
        let url = address(&self.address, &setting.config.settings)?;
        block_on(async {
            let mut raw = Output::new();
            let out = BufWriter::new(stdout());
            let mut printer = Printer::new(out, self.width, self.links);
            let mut page = None;
            let fetched = fetch(setting, url.clone(), Purpose::Show, |part| {
                match part {
                    Part::Begin(begin) => {
                        if !begin.from.is_empty() {
                            writeln!(stderr(), "{}", redirected(&begin.from))?;
                        }
                        page = Some(Page::new(begin, &url, setting));
                    }
                    Part::Octets(octets) if self.raw => raw.write_all(&octets)?,
                    Part::Octets(octets) => {
                        if let Some(page) = &mut page {
                            page.take(octets, &mut printer)?;
                        }
                    }
                    Part::Clock(minutes) => {
                        if let Some(page) = &mut page {
                            page.document.set_clock(minutes);
                        }
                    }
                    // What stands folded above a listing is no part of it.
                    Part::Phase(_) | Part::Session(_) | Part::Remark(_) | Part::End(_) => {}
                }
                Ok(())
            })
            .await;
            // What came is printed, also when the rest did not come.
            if let Some(page) = page.filter(|_| !self.raw) {
                page.end(&mut printer)?;
            }
            printer.finish()?;
            raw.end()?;
            fetched
        })?
    }
}

/// A page on its way: a text is printed piece by piece, and any other one is held until it is whole.
struct Page {
    /// The page; of a text the next piece.
    document: Document,
    /// What came of a text and is not printed.
    text: Vec<u8>,
}

impl Page {
    fn new(begin: Begin, url: &Url, setting: &Setting) -> Self {
        let url = begin.url.unwrap_or_else(|| url.clone());
        let mut document = Document::new(url, begin.shape, setting.config.settings.charset);
        document.declare(begin.charset);
        document.set_zone(Zone::system());
        document.show_headers(Arc::clone(&setting.config.settings.news.headers));
        Self {
            document,
            text: Vec::new(),
        }
    }

    fn take(&mut self, octets: Vec<u8>, printer: &mut Printer<impl Write>) -> Result<(), Trouble> {
        if self.document.shape() != Shape::Text {
            self.document.take(octets);
            if self.document.raw().len() > HELD {
                let held = text::octets(HELD as u64);
                return Err(Trouble::new(format!(
                    "cut: {held} of a page are held at most"
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
            // The first piece that is not UTF-8 tells the charset of those behind it.
            self.document.declare(document.foreign());
        }
        Ok(())
    }

    fn piece(&self, octets: &[u8]) -> Document {
        let mut piece = self.document.clone();
        piece.append(octets);
        piece.finished()
    }

    fn end(self, printer: &mut Printer<impl Write>) -> Result<(), Trouble> {
        let mut document = self.piece(&self.text);
        document.unfold();
        Ok(printer.rows(&document, false)?)
    }
}
