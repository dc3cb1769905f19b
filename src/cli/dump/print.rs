//! The rows of pages as lines of text: each line whole, or wrapped.

use std::io::{self, Write};

use crate::document::{Document, Row};
use crate::text;

/// Columns of the author of an article.
const LEAD: usize = 24;

/// The column at which what stands beside a row's text begins, when the text leaves room.
const ASIDE: usize = 48;

/// Prints rows, and collects their links.
#[derive(Debug)]
pub(super) struct Printer<W> {
    out: W,
    /// Columns at which lines are wrapped.
    width: Option<usize>,
    /// The links so far, where they are wanted.
    links: Option<Vec<String>>,
    /// What is left of a line that goes on: all of it, or its last wrapped part.
    line: String,
    /// Columns that this part is indented by; nothing while it is the first of its line.
    indent: Option<usize>,
}

impl<W: Write> Printer<W> {
    /// A printer to `out`.
    pub(super) fn new(out: W, width: Option<usize>, links: bool) -> Self {
        Self {
            out,
            width,
            links: links.then(Vec::new),
            line: String::new(),
            indent: None,
        }
    }

    /// Prints every row of a document; `goes_on` says whether the line of the last one has more than that.
    pub(super) fn rows(&mut self, document: &Document, goes_on: bool) -> io::Result<()> {
        let count = document.count();
        for number in 0..count {
            let Some(row) = document.row(number) else {
                continue;
            };
            let goes_on = if number + 1 == count {
                goes_on
            } else {
                document.continues(number + 1)
            };
            self.line.push_str(&line(&row));
            match self.width {
                Some(width) => self.wrap(width, row.hang_in(width), goes_on)?,
                None => self.print(goes_on)?,
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

    /// Prints the links, and all that is still held back.
    pub(super) fn finish(mut self) -> io::Result<()> {
        if let Some(links) = self.links.take() {
            writeln!(self.out)?;
            for (link, number) in links.iter().zip(1..) {
                writeln!(self.out, "{number:>5}  {link}")?;
            }
        }
        self.out.flush()
    }

    fn print(&mut self, goes_on: bool) -> io::Result<()> {
        if goes_on {
            self.out.write_all(self.line.as_bytes())?;
        } else {
            writeln!(self.out, "{}", self.line.trim_end())?;
        }
        self.line.clear();
        Ok(())
    }

    fn wrap(&mut self, width: usize, hang: usize, goes_on: bool) -> io::Result<()> {
        let (starts, hang) = match self.indent {
            None => (text::hanging(&self.line, width, hang), hang),
            Some(indent) => (text::hanging(&self.line, width - indent, 0), indent),
        };
        let ends = starts.iter().skip(1).copied();
        let ends = ends.chain(std::iter::once(self.line.len()));
        let mut left = None;
        for (number, (&start, end)) in starts.iter().zip(ends).enumerate() {
            if goes_on && end == self.line.len() {
                left = Some(start);
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
        match left {
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

/// A row with its columns, as it is seen.
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
    use crate::text::ReadAs;
    use crate::url::Url;

    fn document(octets: &[u8]) -> Document {
        let url = Url::parse("gopher://h.example/0/x").unwrap();
        let mut document = Document::new(url, Shape::Text, ReadAs::default());
        document.append(octets);
        document.finished()
    }

    /// The same text in one document, and in two that the printer joins.
    fn printed(text: &str, cut: usize, width: Option<usize>) -> [String; 2] {
        let print = |pieces: &[&str]| {
            let mut out = Vec::new();
            let mut printer = Printer::new(&mut out, width, false);
            for (index, piece) in pieces.iter().enumerate() {
                let goes_on = index + 1 < pieces.len() && !piece.ends_with('\n');
                printer.rows(&document(piece.as_bytes()), goes_on).unwrap();
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
