//! `geomys dump`: a page as text on standard output.

mod print;

use std::io::{self, BufWriter, Write, stdin};
use std::sync::Arc;

use clap::Args;
use crossterm::terminal;
use geomys_app::news::server::NewsAuthority;
use geomys_app::view::groups::is_first_page;
use geomys_load::{ErrorPage, PageHead, Part, Purpose, Request, Stop, news_host, redirected};
use geomys_page::document::{Document, Shape, Zone};
use geomys_store::files::newsrc::Newsrc;
use geomys_wire::protocol::gopher;
use geomys_wire::text;
use geomys_wire::text::Charset;
use rfc1738::Url;
use tempfile::NamedTempFile;

use self::print::Printer;
use super::argument::UrlArgument;
use super::context::{CliContext, Consent, address, existing_file};
use super::context::{block_on, fetch_over};
use super::error::CliError;
use super::error::Output;
use super::memory;
use crate::cli::locale::{stderr, stdout};

/// The number of octets of a text printed at once.
const PIECE: usize = 256 * 1024;

/// The columns for tables where there is no terminal.
const COLUMNS: usize = 80;

/// The columns of a name that the server gave.
const MAX_NAME_COLUMNS: usize = 40;

#[derive(Debug, Args)]
pub(super) struct Dump {
    /// Page to print; `-` is standard input
    #[arg(value_name = "URL")]
    address: UrlArgument,

    /// Wrap lines at this many columns
    ///
    /// Tables are laid out for them; without this option for the terminal, or for 80 columns. Preformatted lines are
    /// never wrapped.
    #[arg(long, value_name = "N")]
    width: Option<usize>,

    /// Number the links, and list them after the page
    ///
    /// The rows of menus and listings have the glyphs of their kinds, and their links are listed with their types.
    /// Links of other pages have a number in brackets.
    #[arg(long)]
    links: bool,

    /// Print the original bytes
    #[arg(long, conflicts_with_all = ["width", "links"])]
    raw: bool,

    /// Wait for a pause that a Gemini server asks for (44)
    ///
    /// A minute at most. Without this option it is said, with exit status 1.
    #[arg(long)]
    wait: bool,

    #[command(flatten)]
    consent: Consent,
}

/// Returns standard input as a file, whose type is that of its octets.
fn spooled_input() -> io::Result<NamedTempFile> {
    let mut file = NamedTempFile::new()?;
    io::copy(&mut stdin().lock(), &mut file)?;
    file.flush()?;
    Ok(file)
}

impl Dump {
    pub(super) fn run(&self, context: &CliContext) -> Result<(), CliError> {
        let spool = self.address.is_stdin().then(spooled_input).transpose()?;
        let file = match &spool {
            Some(spool) => Some(UrlArgument::new(&spool.path().to_string_lossy())),
            None => existing_file(&self.address)?,
        };
        let written = file.as_ref().unwrap_or(&self.address);
        let url = address(written, &context.config.settings)?;
        let request = Request {
            is_attended: true,
            waits: self.wait,
            ..self
                .consent
                .apply(context.request(url.clone(), Purpose::Show)?)
        };
        block_on(async {
            let mut raw = Output::of_octets();
            let out = BufWriter::new(stdout());
            let mut printer =
                Printer::new(out, self.width, self.links, context.config.theme.clone());
            printer.limit_links(context.config.settings.memory.pages);
            let mut page = None;
            let mut error_page = None;
            let net = Arc::new(context.config.net(&context.paths));
            let mut take = |part| {
                match part {
                    Part::Head(begin) => {
                        if !begin.from.is_empty() {
                            writeln!(stderr(), "{}", redirected(&begin.from))?;
                        }
                        if let Some(name) = &begin.unknown_charset {
                            let name = text::shorten(name.as_str(), MAX_NAME_COLUMNS, "…");
                            writeln!(
                                stderr(),
                                "unknown charset “{name}”: --charset chooses another"
                            )?;
                        }
                        let mut new = DumpedPage::new(&begin, &url, self.links, context);
                        let columns = self.width.or_else(terminal_columns);
                        new.document.set_columns(columns.unwrap_or(COLUMNS));
                        mark_groups(&mut new.document, context)?;
                        page = Some(new);
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
                    Part::Names(names) => {
                        if let Some(page) = &mut page {
                            page.document.set_unlisted_names(names);
                        }
                    }
                    // The folded remarks above a listing are not part of it.
                    Part::Phase(_)
                    | Part::Terminal(_)
                    | Part::Remark(_)
                    | Part::Size(_)
                    | Part::Hole(_)
                    | Part::Covered(_)
                    | Part::End(_) => {}
                }
                Ok(())
            };
            let fetched = fetch_over(&net, context, request, &mut take).await;
            let fetched = fetched?.map_err(|stop| match stop {
                Stop::Failed(mut failure) => {
                    error_page = failure.page.take();
                    if error_page.is_some() {
                        // The server's words are the page.
                        failure.said = Box::default();
                    }
                    Stop::Failed(failure)
                }
                stop => stop,
            });
            if let Some(ErrorPage { head, octets }) = error_page.map(|page| *page) {
                take(Part::Head(head))?;
                take(Part::Octets(octets))?;
            }
            // A partial page is printed too.
            if let Some(page) = page.filter(|_| !self.raw) {
                page.end(&mut printer)?;
            }
            printer.finish()?;
            raw.end()?;
            Ok(fetched.map(drop)?)
        })?
    }
}

/// The columns of the terminal that shows the output, if there is one.
fn terminal_columns() -> Option<usize> {
    let size = stdout().is_terminal().then(terminal::size)?.ok()?;
    Some(usize::from(size.0)).filter(|columns| *columns > 0)
}

/// Marks the subscribed groups of a list, and leaves out the others in the list that a server begins with, as the
/// browser does.
fn mark_groups(document: &mut Document, context: &CliContext) -> Result<(), CliError> {
    let settings = &context.config.settings;
    if document.shape() != Shape::Groups {
        return Ok(());
    }
    let Some(host) = news_host(document.url(), settings.news_server.as_ref()) else {
        return Ok(());
    };
    if is_first_page(document.url()) {
        document.list_only_subscribed();
    }
    if let Some(path) = settings.newsrcs.path(&NewsAuthority::from(&host)) {
        match Newsrc::load(&path) {
            Ok(newsrc) => document.set_marks(newsrc.marks()),
            Err(error) => writeln!(stderr(), "geomys: {error}")?,
        }
    }
    Ok(())
}

/// A page while it loads: a text or menu is printed in pieces, any other page is buffered until it is complete.
struct DumpedPage {
    /// The page; the settings of its pieces, if it is printed in pieces.
    document: Document,
    /// True if each line is printed without the others.
    is_printed_in_pieces: bool,
    /// The octets that are not printed yet.
    pending: Vec<u8>,
    /// The most octets of a page that is buffered until it is complete: as many as the browser loads.
    limit: u64,
}

impl DumpedPage {
    fn new(begin: &PageHead, url: &Url, has_links: bool, context: &CliContext) -> Self {
        let url = begin.url_of(url);
        let charset = context.config.settings.charset;
        let mut document = Document::new(url, begin.shape, charset).for_output();
        document.declare(begin.charset);
        document.refresh_by(begin.refresh.clone());
        let limits = context.config.limits();
        let is_large_list = matches!(
            document.shape(),
            Shape::Groups | Shape::Group | Shape::Listing { .. }
        );
        document.set_zone(Zone::system());
        document.show_headers(Arc::clone(&context.config.settings.news.headers));
        Self {
            // The type and the mirrors of a link in a menu may stand in earlier rows.
            is_printed_in_pieces: document.shape() == Shape::Text
                || document.shape() == Shape::Menu && !has_links,
            limit: if is_large_list {
                limits.list
            } else {
                limits.page
            },
            document,
            pending: Vec::new(),
        }
    }

    fn add(&mut self, octets: Vec<u8>, printer: &mut Printer<impl Write>) -> Result<(), CliError> {
        if self.document.is_full() {
            return Ok(());
        }
        if self.is_printed_in_pieces {
            let octets = self.document.convert(octets);
            return self.add_converted(&octets, printer);
        }
        self.document.take(octets);
        self.check_limit()
    }

    fn check_limit(&self) -> Result<(), CliError> {
        if self.document.raw().len() as u64 > self.limit {
            return Err(Stop::Truncated(self.limit).into());
        }
        memory::check_held(self.document.raw().len())
    }

    /// Adds octets that are UTF-8, or lines in another charset, to a page that is printed in pieces.
    fn add_converted(
        &mut self,
        octets: &[u8],
        printer: &mut Printer<impl Write>,
    ) -> Result<(), CliError> {
        self.pending.extend_from_slice(octets);
        while self.pending.len() >= PIECE {
            let line_end = line_end(&self.pending);
            let end = match line_end {
                Some(end) => end,
                None if self.document.shape() == Shape::Text => text::cut(&self.pending),
                // The rest of a long row of a menu can only be told from a row with its start.
                None => {
                    self.is_printed_in_pieces = false;
                    self.document
                        .append_converted(&std::mem::take(&mut self.pending));
                    return self.check_limit();
                }
            };
            let rest = self.pending.split_off(end);
            let piece = std::mem::replace(&mut self.pending, rest);
            let document = self.document.piece(&piece).finished();
            if document.shape() != self.document.shape() {
                // The text is a feed, whose head is not printed alone.
                self.is_printed_in_pieces = false;
                self.document.append_converted(&piece);
                self.document
                    .append_converted(&std::mem::take(&mut self.pending));
                return self.check_limit();
            }
            printer.rows(&document, line_end.is_none())?;
            // The first piece that is not UTF-8 determines the charset of later pieces.
            let found = document.non_utf8_charset();
            self.document.declare(found);
            if found.is_some_and(Charset::precedes_lines) {
                self.pending = self.document.convert(std::mem::take(&mut self.pending));
            }
        }
        Ok(())
    }

    fn end(mut self, printer: &mut Printer<impl Write>) -> Result<(), CliError> {
        let mut document = if self.is_printed_in_pieces {
            self.pending.extend(self.document.convert_rest());
            self.document.piece(&self.pending)
        } else {
            self.document
        }
        .finished();
        document.unfold();
        Ok(printer.rows(&document, false)?)
    }
}

/// The offset behind the last line of `octets` that can end a piece: a final dot would end the page.
fn line_end(octets: &[u8]) -> Option<usize> {
    let lines = octets.get(..=memchr::memrchr(b'\n', octets)?)?;
    let before = memchr::memrchr(b'\n', lines.get(..lines.len() - 1)?).map_or(0, |at| at + 1);
    let is_dot = gopher::is_final_dot(lines.get(before..)?);
    Some(if is_dot { before } else { lines.len() }).filter(|&end| end > 0)
}

#[cfg(test)]
mod tests {
    use geomys_wire::text::CharsetSetting;

    use super::*;
    use crate::ui::Theme;

    fn menu(octets: &[u8], piece: usize, is_printed_in_pieces: bool) -> String {
        let url = Url::parse("gopher://h.example/").unwrap();
        let mut page = DumpedPage {
            document: Document::new(url, Shape::Menu, CharsetSetting::default()),
            is_printed_in_pieces,
            pending: Vec::new(),
            limit: u64::MAX,
        };
        let mut out = Vec::new();
        let mut printer = Printer::new(&mut out, None, false, Theme::default());
        for octets in octets.chunks(piece) {
            page.add(octets.to_vec(), &mut printer).unwrap();
        }
        page.end(&mut printer).unwrap();
        printer.finish().unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn page_in_the_buffer_has_a_limit() {
        let url = Url::parse("news:a@b.example").unwrap();
        let mut page = DumpedPage {
            document: Document::new(url, Shape::Article, CharsetSetting::default()),
            is_printed_in_pieces: false,
            pending: Vec::new(),
            limit: 10_000,
        };
        let mut printer = Printer::new(Vec::new(), None, false, Theme::default());
        let mut add = || page.add(b"X-Endless: header\r\n".repeat(100), &mut printer);
        let added = (0..100).take_while(|_| add().is_ok()).count();
        assert_eq!(added, 5);
        assert!(page.document.raw().len() < 12_000);
    }

    #[test]
    fn menu_in_pieces_is_printed_as_a_whole_one() {
        let row = |number: usize| match number % 3 {
            0 => ".\r\n".to_owned(),
            1 => format!("0Item {number}\t/{number}\th\t70\r\n"),
            _ => format!("iText {number}\t\t\t\r\n"),
        };
        let mut rows: String = (0..60_000).map(row).collect();
        let long = format!("0{}\t/long\th\t70\r\n", "long ".repeat(PIECE / 4));
        rows.push_str(&long);
        rows.push_str("0Last\t/last\th\t70\r\n.\r\n");
        assert!(rows.len() > 4 * PIECE);
        let whole = menu(rows.as_bytes(), rows.len(), false);
        assert!(whole.ends_with("\nLast\n"));
        for piece in [PIECE, 10_007] {
            assert!(menu(rows.as_bytes(), piece, true) == whole, "{piece}");
        }
    }
}
