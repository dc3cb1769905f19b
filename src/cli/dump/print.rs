//! Prints the rows of pages as lines of text, whole or wrapped.

use std::io::{self, Write};

use crate::document::{Document, Row};
use crate::text;

/// The columns for the author of an article.
const LEAD: usize = 24;

/// The column of the text beside a row, if the row is shorter.
const ASIDE: usize = 48;

/// A printer of rows that collects their links.
#[derive(Debug)]
pub(super) struct Printer<W> {
    out: W,
    /// The width in columns at which lines are wrapped.
    width: Option<usize>,
    /// The links so far, if they are requested.
    links: Option<Vec<String>>,
    /// The unprinted rest of a line that continues: all of it, or its last wrapped part.
    line: String,
    /// The indentation of the rest in columns; `None` at the start of a line.
    indent: Option<usize>,
}

impl<W: Write> Printer<W> {
    /// Creates a printer to `out`.
    pub(super) fn new(out: W, width: Option<usize>, links: bool) -> Self {
        Self {
            out,
            width,
            links: links.then(Vec::new),
            line: String::new(),
            indent: None,
        }
    }

    /// Prints all rows of a document; `is_continued` is true if the line of the last row continues.
    pub(super) fn rows(&mut self, document: &Document, is_continued: bool) -> io::Result<()> {
        let count = document.count();
        for number in 0..count {
            let Some(row) = document.row(number) else {
                continue;
            };
            let is_continued = if number + 1 == count {
                is_continued
            } else {
                // The column beside a row ends its line.
                document.continues(number + 1) && row.aside.is_none()
            };
            self.line.push_str(&line(&row));
            match self.width {
                Some(width) => self.wrap(width, row.hang_in(width), is_continued)?,
                None => self.print(is_continued)?,
            }
            if let Some(links) = &mut self.links {
                for link in document.links(number) {
                    links.push(match link.target {
                        Ok(url) => url.masked().into_owned(),
                        Err(error) => format!("({}: {error})", link.label),
                    });
                }
            }
        }
        Ok(())
    }

    /// Prints the links and flushes the output.
    pub(super) fn finish(mut self) -> io::Result<()> {
        if let Some(links) = self.links.take() {
            writeln!(self.out)?;
            for (link, number) in links.iter().zip(1..) {
                writeln!(self.out, "{number:>5}  {link}")?;
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

    fn wrap(&mut self, width: usize, hang: usize, is_continued: bool) -> io::Result<()> {
        let (starts, hang) = match self.indent {
            None => (text::hanging(&self.line, width, hang), hang),
            Some(indent) => (text::hanging(&self.line, width - indent, 0), indent),
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
                self.indent.unwrap_or_default()
            } else {
                hang
            };
            let part = format!("{}{part}", " ".repeat(indent));
            writeln!(self.out, "{}", part.trim_end())?;
        }
        match rest {
            Some(start) => {
                self.line.drain(..start);
                if start > 0 {
                    self.indent = Some(hang);
                }
            }
            None => {
                self.line.clear();
                self.indent = None;
            }
        }
        Ok(())
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
    use super::*;
    use crate::document::Shape;
    use crate::text::CharsetSetting;
    use crate::url::Url;

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
            let mut printer = Printer::new(&mut out, width, false);
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
        let mut printer = Printer::new(&mut out, None, false);
        printer.rows(&document.finished(), false).unwrap();
        let lines = String::from_utf8(out).unwrap();
        let lines: Vec<&str> = lines.lines().collect();
        assert_eq!(lines.len(), 2);
        assert!(lines[0].ends_with("  2026-01-01"));
        let last: Vec<&str> = lines[1].split_whitespace().rev().take(3).collect();
        assert_eq!(last, ["1", "1", "<a@b.example>"]);
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
}
