//! `geomys dump`: a page as text on standard output.

use std::io::{BufWriter, Write, stderr, stdout};
use std::sync::Arc;

use clap::Args;

use super::{Setting, Trouble, address, block_on, fetch};
use crate::document::{Document, Row, Zone};
use crate::load::{Part, Purpose, redirected};
use crate::text;

/// Columns of the author of an article.
const LEAD: usize = 24;

/// The column at which what stands beside a row's text begins, when the text leaves room.
const ASIDE: usize = 48;

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
            let mut out = BufWriter::new(stdout());
            let mut document = None;
            let read_as = setting.config.settings.charset;
            let fetched = fetch(setting, url.clone(), Purpose::Show, |part| {
                match part {
                    Part::Begin(begin) => {
                        if !begin.from.is_empty() {
                            writeln!(stderr(), "{}", redirected(&begin.from))?;
                        }
                        let url = begin.url.unwrap_or_else(|| url.clone());
                        let mut begun = Document::new(url, begin.shape, read_as);
                        begun.declare(begin.charset);
                        begun.set_zone(Zone::system());
                        begun.show_headers(Arc::clone(&setting.config.settings.news.headers));
                        document = Some(begun);
                    }
                    Part::Octets(octets) if self.raw => out.write_all(&octets)?,
                    Part::Octets(octets) => {
                        if let Some(document) = &mut document {
                            document.append(&octets);
                        }
                    }
                    Part::Clock(minutes) => {
                        if let Some(document) = &mut document {
                            document.set_clock(minutes);
                        }
                    }
                    // What stands folded above a listing is no part of it.
                    Part::Phase(_) | Part::Session(_) | Part::Remark(_) | Part::End(_) => {}
                }
                Ok(())
            })
            .await;
            // What came is printed, also when the rest did not come.
            if let Some(document) = document.filter(|_| !self.raw) {
                let mut document = document.finished();
                document.unfold();
                self.print(&document, &mut out)?;
            }
            out.flush()?;
            fetched
        })?
    }

    fn print(&self, document: &Document, out: &mut impl Write) -> Result<(), Trouble> {
        for row in (0..document.count()).filter_map(|number| document.row(number)) {
            let line = line(&row);
            match self.width {
                Some(width) => {
                    let hang = row.hang_in(width);
                    let starts = text::hanging(&line, width, hang);
                    let ends = starts.iter().skip(1).copied();
                    let ends = ends.chain(std::iter::once(line.len()));
                    for (number, (&start, end)) in starts.iter().zip(ends).enumerate() {
                        let piece = line.get(start..end).unwrap_or_default();
                        let blanks = if number == 0 { 0 } else { hang };
                        let piece = format!("{}{piece}", " ".repeat(blanks));
                        writeln!(out, "{}", piece.trim_end())?;
                    }
                }
                None => writeln!(out, "{}", line.trim_end())?,
            }
        }
        if self.links {
            writeln!(out)?;
            let links = (0..document.count()).flat_map(|number| document.links(number));
            for (link, number) in links.zip(1..) {
                match link.target {
                    Ok(url) => writeln!(out, "{number:>5}  {}", url.masked())?,
                    Err(error) => writeln!(out, "{number:>5}  ({}: {error})", link.label)?,
                }
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
