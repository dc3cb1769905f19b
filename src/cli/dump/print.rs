//! Prints the rows of pages as lines of text, whole or wrapped.

use std::io::{self, Write};
use std::ops::Range;
use std::thread;

use geomys_page::document::{Document, Kind, Row, Shape, Span};
use geomys_wire::text::{self, Text};

use crate::ui::Theme;

/// The columns for the author of an article.
const LEAD: usize = 24;

/// The column of the text beside a row, if the row is shorter.
const ASIDE: usize = 48;

/// The columns for the number and the glyph before the rows of a list.
const MARK: usize = 8;

/// The rows that one core prints at a time.
const BATCH: usize = 8192;

/// A printer of rows that collects their links.
#[derive(Debug)]
pub(super) struct Printer<W> {
    out: W,
    /// The width in columns at which lines are wrapped.
    width: Option<usize>,
    /// The links so far, if they are requested.
    links: Option<Vec<PrintedLink>>,
    /// The memory that the links may still take, in octets.
    link_room: usize,
    /// The glyphs of rows.
    theme: Theme,
    /// The unprinted rest of a line that continues: all of it, or its last wrapped part.
    line: String,
    /// The text before the rest of a line, as the marks of a quotation; `None` at the start of a line.
    indent: Option<String>,
}

/// A link in the list after a page.
#[derive(Debug)]
struct PrintedLink {
    target: String,
    /// The type of a list's row, by its name in theme.toml.
    kind: Option<&'static str>,
}

impl<W: Write> Printer<W> {
    /// Creates a printer to `out`. With `links` rows are marked by the theme, and their links are listed after them.
    pub(super) fn new(out: W, width: Option<usize>, links: bool, theme: Theme) -> Self {
        Self {
            out,
            width,
            theme,
            links: links.then(Vec::new),
            link_room: usize::MAX,
            line: String::new(),
            indent: None,
        }
    }

    /// Sets the most memory that the links may take, in octets.
    pub(super) fn limit_links(&mut self, memory: u64) {
        self.link_room = usize::try_from(memory).unwrap_or(usize::MAX);
    }

    /// Prints all rows of a document; `is_continued` is true if the line of the last row continues.
    pub(super) fn rows(&mut self, document: &Document, is_continued: bool) -> io::Result<()> {
        let mut first = 0;
        if self.links.is_none() && self.line.is_empty() {
            while document.count() - first > 2 * BATCH {
                let next = self.batches(document, first)?;
                if next == first {
                    break;
                }
                first = next;
            }
        }
        self.rows_from(document, first..document.count(), is_continued)
    }

    /// Prints the rows from `first` on, a batch on each core at the same time. Returns the first row that is not
    /// printed.
    fn batches(&mut self, document: &Document, first: usize) -> io::Result<usize> {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        // The last row is left, as its line may continue in the next octets.
        let last = document.count() - 1;
        let starts = (1..=cores).scan(first, |start, _| {
            // A batch ends where a line ends.
            let mut rows = (*start + BATCH).min(last)..=last;
            *start = rows.find(|row| !document.continues(*row))?;
            Some(*start)
        });
        let starts: Vec<usize> = std::iter::once(first).chain(starts).collect();
        let (width, theme) = (self.width, &self.theme);
        let batch = |rows: Range<usize>| {
            let mut printer = Printer::new(Vec::new(), width, false, theme.clone());
            printer.rows_from(document, rows, false)?;
            Ok::<_, io::Error>(printer.out)
        };
        thread::scope(|scope| {
            let batches: Vec<_> = starts
                .windows(2)
                .filter_map(|ends| Some(*ends.first()?..*ends.last()?))
                .map(|rows| scope.spawn(move || batch(rows)))
                .collect();
            for printed in batches {
                let printed = printed
                    .join()
                    .map_err(|_| io::Error::other("a bug in Geomys"))?;
                self.out.write_all(&printed?)?;
            }
            Ok(starts.last().copied().unwrap_or(first))
        })
    }

    /// Prints these rows of a document.
    fn rows_from(
        &mut self,
        document: &Document,
        rows: Range<usize>,
        is_continued: bool,
    ) -> io::Result<()> {
        let count = rows.end;
        for number in rows {
            let Some(mut row) = document.row(number) else {
                continue;
            };
            let is_continued = if number + 1 == count {
                is_continued
            } else {
                // The column beside a row ends its line.
                document.continues(number + 1) && row.aside.is_none()
            };
            let mark = self.mark(document, number, &mut row)?;
            self.line.push_str(&mark);
            if let (Kind::Heading(level), Shape::Gemtext) = (row.kind, document.shape()) {
                // A text has no bold letters.
                let marks = "#".repeat(level.into());
                self.line.extend([&marks, " "]);
            }
            self.line.push_str(&line(&row));
            match self.width.filter(|_| row.wraps) {
                Some(width) => {
                    row.hang += mark.chars().count();
                    self.wrap(width, &row.hang_text(width), is_continued)?;
                }
                None => self.print(is_continued)?,
            }
        }
        Ok(())
    }

    /// Collects the links of row `number` if they are requested, and numbers them in its text. Returns the text before
    /// a row of a list: the number of its link and its glyph.
    fn mark(&mut self, document: &Document, number: usize, row: &mut Row) -> io::Result<String> {
        let Some(links) = &mut self.links else {
            return Ok(String::new());
        };
        let first = links.len() + 1;
        let is_inside = row.spans.iter().any(|span| span.link.is_some());
        let is_entry = document.is_list() && !is_inside;
        let kind = Theme::mark(row.kind);
        let starting = document.starting_links(number).into_iter();
        links.extend(starting.map(|link| PrintedLink {
            target: match link.target {
                Ok(url) => url.masked().into_owned(),
                Err(error) => format!("({}: {error})", link.label),
            },
            kind: is_entry.then(|| kind.name()),
        }));
        let new = links.get(first - 1..).unwrap_or_default().iter();
        let memory = new.map(|link| size_of::<PrintedLink>() + link.target.len());
        let room = self.link_room.checked_sub(memory.sum());
        self.link_room =
            room.ok_or_else(|| io::Error::other("the links need more memory than all pages"))?;
        let is_continued = document.continues_link(number);
        let continues = document.continues_link(number + 1);
        number_spans(row, first - usize::from(is_continued), continues);
        let is_marked = links.len() >= first && !is_inside;
        Ok(match (document.is_list(), is_marked) {
            (true, _) if document.continues(number) => String::new(),
            (true, true) => format!("{first:>5} {} ", self.theme.glyph(kind)),
            (true, false) => " ".repeat(MARK),
            (false, true) => format!("[{first}] "),
            (false, false) => String::new(),
        })
    }

    /// Prints the links and flushes the output.
    pub(super) fn finish(mut self) -> io::Result<()> {
        if let Some(links) = self.links.take() {
            writeln!(self.out)?;
            for (PrintedLink { target, kind }, number) in links.iter().zip(1..) {
                let kind = kind.map_or(String::new(), |kind| format!("  {kind}"));
                writeln!(self.out, "{number:>5}  {target}{kind}")?;
            }
        }
        self.out.flush()
    }

    fn print(&mut self, is_continued: bool) -> io::Result<()> {
        if is_continued {
            self.out.write_all(self.line.as_bytes())?;
        } else {
            writeln!(self.out, "{}", self.line.trim_end())?;
        }
        self.line.clear();
        Ok(())
    }

    fn wrap(&mut self, width: usize, hang: &str, is_continued: bool) -> io::Result<()> {
        let indent = self.indent.take();
        let (starts, hang) = match &indent {
            None => (text::hanging(&self.line, width, text::width(hang)), hang),
            Some(indent) => {
                let width = width - text::width(indent);
                (text::hanging(&self.line, width, 0), indent.as_str())
            }
        };
        let ends = starts.iter().skip(1).copied();
        let ends = ends.chain(std::iter::once(self.line.len()));
        let mut rest = None;
        for (number, (&start, end)) in starts.iter().zip(ends).enumerate() {
            if is_continued && end == self.line.len() {
                rest = Some(start);
                break;
            }
            let part = self.line.get(start..end).unwrap_or_default();
            let indent = if number == 0 {
                indent.as_deref().unwrap_or_default()
            } else {
                hang
            };
            let part = format!("{indent}{part}");
            writeln!(self.out, "{}", part.trim_end())?;
        }
        match rest {
            Some(start) => {
                self.line.drain(..start);
                self.indent = if start > 0 {
                    Some(hang.to_owned())
                } else {
                    indent.clone()
                };
            }
            None => {
                self.line.clear();
            }
        }
        Ok(())
    }
}

/// Adds the number of each link behind the last span of its text. `first` is the number of the row's first link. With
/// `continues` the last link ends in a row after.
fn number_spans(row: &mut Row, first: usize, continues: bool) {
    for (at, link) in row.link_ends(continues).into_iter().rev() {
        let number = first + link;
        let number = Span::new(Text::of(&format!("[{number}]")));
        row.spans.insert(at, number);
    }
}

/// Returns a row with its columns as text.
fn line(row: &Row) -> String {
    let mut line = String::new();
    if let Some(lead) = &row.lead {
        line.push_str(lead.as_str());
        line.push_str(&" ".repeat(LEAD.saturating_sub(lead.width()).max(1)));
    }
    line.push_str(&row.text());
    if let Some(aside) = &row.aside {
        let gap = ASIDE.saturating_sub(text::width(&line)).max(2);
        line.push_str(&" ".repeat(gap));
        line.push_str(aside.as_str());
    }
    line
}

#[cfg(test)]
mod tests {
    use geomys_page::document::{Kind, Shape};
    use geomys_wire::text::CharsetSetting;
    use rfc1738::{Dialect, Url};

    use super::*;

    fn document(octets: &[u8]) -> Document {
        let url = Url::parse("gopher://h.example/0/x").unwrap();
        let mut document = Document::new(url, Shape::Text, CharsetSetting::default());
        document.append(octets);
        document.finished()
    }

    /// Prints the same text from one document, and from two that the printer joins.
    fn printed(text: &str, cut: usize, width: Option<usize>) -> [String; 2] {
        let print = |pieces: &[&str]| {
            let mut out = Vec::new();
            let mut printer = Printer::new(&mut out, width, false, Theme::default());
            for (index, piece) in pieces.iter().enumerate() {
                let is_continued = index + 1 < pieces.len() && !piece.ends_with('\n');
                printer
                    .rows(&document(piece.as_bytes()), is_continued)
                    .unwrap();
            }
            printer.finish().unwrap();
            String::from_utf8(out).unwrap()
        };
        let (first, second) = text.split_at(cut);
        [print(&[text]), print(&[first, second])]
    }

    #[test]
    fn line_over_several_rows_is_printed_whole() {
        let line = "words of a line ".repeat(20_000);
        let line = line.trim_end();
        for text in [
            format!("{line}\nend\n"),
            format!("{line}\n"),
            line.to_owned(),
        ] {
            let [once, joined] = printed(&text, 100_000, None);
            assert_eq!(once.trim_end(), text.trim_end());
            assert_eq!(joined, once);
        }
    }

    #[test]
    fn column_beside_a_long_record_ends_its_line() {
        let url = Url::parse("news:a.b").unwrap();
        let mut document = Document::new(url, Shape::Group, CharsetSetting::default());
        let references = "<a@b.example> ".repeat(3000);
        let article = format!("1\tx\ty\t1 Jan 2026 00:00:00 +0000\t<z@b>\t{references}\t1\t1\r\n");
        document.append(article.as_bytes());
        let mut out = Vec::new();
        let mut printer = Printer::new(&mut out, None, false, Theme::default());
        printer.rows(&document.finished(), false).unwrap();
        let lines = String::from_utf8(out).unwrap();
        let lines: Vec<&str> = lines.lines().collect();
        assert_eq!(lines.len(), 2);
        assert!(lines[0].ends_with("  2026-01-01"));
        let last: Vec<&str> = lines[1].split_whitespace().rev().take(3).collect();
        assert_eq!(last, ["1", "1", "<a@b.example>"]);
    }

    #[test]
    fn batches_of_rows_are_printed_as_the_rows_in_their_order() {
        let long = "words of a line ".repeat(9000);
        let lines = (0..20_000).map(|number| match number {
            8191 | 16_000 => format!("{number} {long}\n"),
            _ => format!("{number} words\n"),
        });
        let lines: String = lines.collect();
        for text in [lines.clone(), format!("{lines}{long}")] {
            let document = document(text.as_bytes());
            for (width, is_continued) in [(None, false), (None, true), (Some(30), false)] {
                let print = |in_batches| {
                    let mut printer = Printer::new(Vec::new(), width, false, Theme::default());
                    let rows = 0..document.count();
                    let printed = if in_batches {
                        printer.rows(&document, is_continued)
                    } else {
                        printer.rows_from(&document, rows, is_continued)
                    };
                    printed.unwrap();
                    (printer.out, printer.line)
                };
                assert!(print(true) == print(false), "{width:?} {is_continued}");
            }
        }
    }

    #[test]
    fn line_over_several_rows_is_wrapped_as_one() {
        let line = "words of a line ".repeat(20_000);
        let text = format!("{}\nend\n", line.trim_end());
        for width in [7, 40, 80, 71_234] {
            let [once, joined] = printed(&text, 100_000, Some(width));
            assert_eq!(joined, once);
            let wrapped: Vec<&str> = once.lines().collect();
            assert!(wrapped.iter().all(|part| part.len() <= width));
            assert_eq!(wrapped.join(" "), text.replace('\n', " ").trim_end());
            assert!(
                wrapped[..wrapped.len() - 2]
                    .iter()
                    .all(|part| part.len() + 6 > width)
            );
        }
    }

    /// Prints a document with its links.
    fn with_links(url: &str, shape: Shape, octets: &[u8], width: Option<usize>) -> String {
        let url = Url::parse(url).unwrap();
        let mut document = Document::new(url, shape, CharsetSetting::default());
        document.append(octets);
        let mut theme = Theme::default();
        theme.set_glyph(Theme::mark(Kind::Text), "t");
        let mut out = Vec::new();
        let mut printer = Printer::new(&mut out, width, true, theme);
        printer.rows(&document.finished(), false).unwrap();
        printer.finish().unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn links_have_a_limit_in_a_text_without_end() {
        let document = document(&b"At gopher://h/1/x and ftp://h/y today\r\n".repeat(100));
        let mut printer = Printer::new(Vec::new(), None, true, Theme::default());
        printer.limit_links(100 * 1024);
        let printed = (0..100).take_while(|_| printer.rows(&document, false).is_ok());
        assert!((2..20).contains(&printed.count()));
    }

    #[test]
    fn links_of_a_list_are_numbered_in_its_rows() {
        let menu = b"iWelcome to all\t\t\t\r\n0A long name of a text\t/a\th\t70\r\n\
            3Gone\t\t\t\r\n0B\t/b\tbad~host\t70\r\n";
        let fault = Dialect::Extended
            .parse("gopher://bad~host/0/b")
            .unwrap_err();
        assert_eq!(
            with_links("gopher://h/", Shape::Menu, menu, Some(20))
                .replace(&fault.to_string(), "bad host"),
            "        Welcome to\n        all\n    1 t A long name\n        of a text\n        Gone\n    2 t B\n\n\
             \x20   1  gopher://h/0/a  text-file\n\
             \x20   2  (B: bad host)  text-file\n"
        );
    }

    #[test]
    fn links_in_a_text_are_numbered_behind_their_words() {
        let page = b"<p>See <a href=a.html>one <b>and</b> two</a>, <a href=b.html>three</a>.";
        assert_eq!(
            with_links("http://h/", Shape::Html, page, None),
            "See one and two[1], three[2].\n\n    1  http://h/a.html\n    2  http://h/b.html\n"
        );
        let text = b"At gopher://h/1/x and ftp://h/y today\r\n";
        assert_eq!(
            with_links("gopher://h/0/t", Shape::Text, text, None),
            "At gopher://h/1/x[1] and ftp://h/y[2] today\n\n    1  gopher://h/1/x\n    2  ftp://h/y\n"
        );
    }
}
