//! Gemtext, the text of Gemini, as rows (the specification of gemtext, version 0.24.1).
//!
//! ```text
//! link         = "=>" *blank URL [ 1*blank label ]
//! heading      = ( "#" | "##" | "###" ) *blank text
//! list item    = "* " text
//! quotation    = ">" text
//! preformatted = "```" [ alt text ] *line "```"       ; the lines are shown as they are
//! ```
//!
//! Pages of Spartan have `=:` lines too: links that ask for input. The directories of nex have no lines but links and
//! text.
//!
//! Every line is a row, except the lines of a folded preformatted block. The toggle that opens a block is a row with
//! the block's alt text, the one that closes it is blank. Links are numbered through the whole page.

mod link;

use std::collections::BTreeSet;

use geomys_wire::text::Text;

use self::link::Dialect;
pub use self::link::kind_of;
use self::link::{is_prompt, kind, reference, split};
use super::row::{Fold, Kind, Link, LinkForm, Row, RowOrigin, Span};
use super::rows::{RowProvider, RowSource};
use super::text_line::painted;
use super::web;

/// The columns of a list item's mark.
const ITEM: usize = 2;

/// The body of a page in gemtext.
#[derive(Clone, Debug, Default)]
pub(super) struct GemtextBody {
    /// The lines that open or close a preformatted block.
    toggles: Vec<u32>,
    /// The lines that are links.
    links: Vec<u32>,
    /// The lines that are headings.
    headings: Vec<u32>,
    /// The columns of the longest preformatted line.
    preformatted: usize,
    /// The number of pieces that were scanned.
    scanned: usize,
    /// The opening toggles of the folded blocks.
    folded: BTreeSet<u32>,
    /// The visible pieces, while a block is folded.
    visible: Option<Vec<u32>>,
    /// True if a block without an alt text has no words above it: nobody can fold it.
    adds_no_words: bool,
}

/// The type of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineType {
    Text,
    Link,
    Heading,
    Item,
    Quote,
    /// A line that opens a preformatted block.
    Opening,
    /// A line that closes a preformatted block.
    Closing,
    Preformatted,
}

impl LineType {
    /// The type of a line; `is_inside` is true in a preformatted block.
    fn of(line: &[u8], is_inside: bool, dialect: Dialect) -> Self {
        if dialect == Dialect::Nex {
            let is_link = line.strip_prefix(b"=> ").and_then(reference).is_some();
            return if is_link { Self::Link } else { Self::Text };
        }
        match line {
            [b'`', b'`', b'`', ..] if is_inside => Self::Closing,
            [b'`', b'`', b'`', ..] => Self::Opening,
            _ if is_inside => Self::Preformatted,
            [b'=', b'>', rest @ ..] if reference(rest).is_some() => Self::Link,
            [b'=', b':', rest @ ..] if dialect == Dialect::Spartan && reference(rest).is_some() => {
                Self::Link
            }
            [b'#', ..] => Self::Heading,
            [b'*', b' ', ..] => Self::Item,
            [b'>', ..] => Self::Quote,
            _ => Self::Text,
        }
    }
}

impl GemtextBody {
    /// Leaves the row above a block without an alt text empty.
    pub(super) fn add_no_words(&mut self) {
        self.adds_no_words = true;
    }

    /// The columns of the longest preformatted line.
    pub(super) fn preformatted_columns(&self) -> usize {
        self.preformatted
    }

    /// The piece that row `number` shows.
    fn piece(&self, number: usize) -> Option<usize> {
        match &self.visible {
            None => Some(number),
            Some(visible) => visible.get(number).map(|piece| *piece as usize),
        }
    }

    /// The row that shows a piece: the opening toggle for the lines of a folded block.
    fn row_of_piece(&self, piece: usize) -> usize {
        match &self.visible {
            None => piece,
            Some(visible) => {
                let after = visible.partition_point(|visible| *visible as usize <= piece);
                after.saturating_sub(1)
            }
        }
    }

    /// The type of a piece, with the line if it begins there.
    fn line_type<'a>(&self, source: RowSource<'a>, piece: usize) -> Option<(LineType, &'a [u8])> {
        let line = source.raw.piece(piece)?;
        let toggles = self
            .toggles
            .partition_point(|&toggle| (toggle as usize) < piece);
        let is_inside = toggles % 2 == 1;
        let line_type = match is_inside {
            true if source.raw.continues(piece) => LineType::Preformatted,
            false if source.raw.continues(piece) => LineType::Text,
            is_inside => LineType::of(line, is_inside, Dialect::of(source.url)),
        };
        Some((line_type, line))
    }

    /// Folds or unfolds the preformatted block that row `number` opens. Returns true if it opens one.
    pub(super) fn toggle(&mut self, source: RowSource<'_>, number: usize) -> bool {
        let Some(piece) = self.piece(number) else {
            return false;
        };
        if !matches!(self.line_type(source, piece), Some((LineType::Opening, _))) {
            return false;
        }
        let Ok(opening) = u32::try_from(piece) else {
            return false;
        };
        if !self.folded.remove(&opening) {
            self.folded.insert(opening);
        }
        self.arrange(source);
        true
    }

    /// Folds all preformatted blocks, or unfolds them if one is folded. Returns true if there are any.
    pub(super) fn toggle_all(&mut self, source: RowSource<'_>) -> bool {
        if self.folded.is_empty() {
            self.folded = self.toggles.iter().copied().step_by(2).collect();
        } else {
            self.folded.clear();
        }
        self.arrange(source);
        !self.toggles.is_empty()
    }

    /// Finds the visible pieces.
    fn arrange(&mut self, source: RowSource<'_>) {
        if self.folded.is_empty() {
            self.visible = None;
            return;
        }
        let mut visible = Vec::new();
        let mut toggles = self.toggles.iter().copied().peekable();
        let (mut is_inside, mut is_folded) = (false, false);
        for piece in (0..source.raw.pieces()).filter_map(|piece| u32::try_from(piece).ok()) {
            if toggles.next_if_eq(&piece).is_some() {
                is_inside = !is_inside;
                is_folded = is_inside && self.folded.contains(&piece);
                visible.push(piece);
            } else if !is_folded {
                visible.push(piece);
            }
        }
        self.visible = Some(visible);
    }

    /// The number of the link in a piece: 1 for the first of the page.
    fn link_number(&self, piece: usize) -> usize {
        self.links.partition_point(|&link| (link as usize) < piece) + 1
    }

    fn fold(&self, piece: usize) -> Fold {
        let opening = u32::try_from(piece).ok();
        if opening.is_some_and(|opening| self.folded.contains(&opening)) {
            Fold::Closed
        } else {
            Fold::Open
        }
    }
}

impl RowProvider for GemtextBody {
    fn count(&self, source: RowSource<'_>) -> usize {
        match &self.visible {
            None => source.raw.pieces(),
            Some(visible) => visible.len(),
        }
    }

    fn row(&self, source: RowSource<'_>, number: usize) -> Option<Row> {
        let piece = self.piece(number)?;
        let (line_type, line) = self.line_type(source, piece)?;
        let charset = source.charset;
        let row = |kind, octets: &[u8]| painted(kind, octets, charset);
        Some(match line_type {
            LineType::Text => row(Kind::Plain, line),
            LineType::Preformatted => row(Kind::Preformatted, line),
            LineType::Heading => {
                let (level, words) = heading_parts(line);
                row(Kind::Heading(level), words)
            }
            LineType::Closing => row(Kind::Plain, b""),
            LineType::Opening => match alt_text(line) {
                b"" if self.adds_no_words => Row::new(Kind::Plain, Text::default()),
                b"" => Row::new(Kind::Remark(self.fold(piece)), Text::of("preformatted")),
                alt => row(Kind::Remark(self.fold(piece)), alt),
            },
            LineType::Item => Row {
                hang: ITEM,
                ..row(Kind::Plain, line)
            },
            LineType::Quote => {
                let rest = line.get(1..).unwrap_or_default().trim_ascii_start();
                Row {
                    hang: ITEM,
                    ..row(Kind::Quote(1), &[b"> ", rest].concat())
                }
            }
            LineType::Link => {
                let (_, label) = split(line);
                let kind = if is_prompt(line) {
                    Kind::Search
                } else {
                    kind(self.link(source, number).map(|link| link.target).as_ref())
                };
                let text = Text::new(label, charset);
                let span = Span {
                    link: Some(0),
                    ..Span::new(text)
                };
                Row {
                    number: Some(self.link_number(piece)),
                    ..Row::with_spans(kind, vec![span])
                }
            }
        })
    }

    fn octets<'a>(&'a self, source: RowSource<'a>, number: usize) -> Option<&'a [u8]> {
        let line = source.raw.piece(self.piece(number)?)?;
        // The URL of a link and the marks of a heading are not shown.
        let line_type = self.line_type(source, self.piece(number)?)?.0;
        Some(match line_type {
            LineType::Link => split(line).1,
            LineType::Heading => heading_parts(line).1,
            _ => line,
        })
    }

    fn continues(&self, source: RowSource<'_>, number: usize) -> bool {
        self.piece(number)
            .is_some_and(|piece| source.raw.continues(piece))
    }

    fn link(&self, source: RowSource<'_>, number: usize) -> Option<Link> {
        let (LineType::Link, line) = self.line_type(source, self.piece(number)?)? else {
            return None;
        };
        let (reference, label) = split(line);
        // An octet that is not UTF-8 is a fault in any URL.
        let reference = String::from_utf8_lossy(reference);
        let form = is_prompt(line).then_some(LinkForm::Input);
        Some(Link {
            form,
            ..web::link(Text::new(label, source.charset), &reference, source.url)
        })
    }

    fn link_count(&self, source: RowSource<'_>, number: usize) -> usize {
        let line_type = self
            .piece(number)
            .and_then(|piece| self.line_type(source, piece));
        usize::from(matches!(line_type, Some((LineType::Link, _))))
    }

    fn row_of_link(&self, source: RowSource<'_>, number: usize) -> Option<usize> {
        let before = number.checked_sub(1)?;
        let piece = match self.links.get(before) {
            Some(piece) => Some(*piece as usize),
            None if before == self.links.len() => self.last_of(source, LineType::Link),
            None => None,
        };
        piece.map(|piece| self.row_of_piece(piece))
    }

    fn highest_link_number(&self, source: RowSource<'_>) -> usize {
        self.links.len() + usize::from(self.last_of(source, LineType::Link).is_some())
    }

    fn on_append(&mut self, source: RowSource<'_>) {
        // The last line may be incomplete: it is scanned when the next one has begun.
        while self.scanned + 1 < source.raw.pieces() {
            self.scan(source);
        }
        if self.visible.is_some() {
            self.arrange(source);
        }
    }

    fn memory(&self) -> usize {
        let visible = self.visible.as_ref().map_or(0, Vec::capacity);
        let lists = [&self.toggles, &self.links, &self.headings];
        let lists: usize = lists.into_iter().map(Vec::capacity).sum();
        (lists + visible) * size_of::<u32>()
    }

    fn origin(&self, row: usize) -> Option<RowOrigin> {
        self.piece(row).map(RowOrigin::Line)
    }

    fn row_of(&self, origin: RowOrigin) -> Option<usize> {
        origin.line().map(|piece| self.row_of_piece(piece))
    }

    /// The first heading with words.
    fn title(&self, source: RowSource<'_>) -> Option<Text> {
        let headings = self.headings.iter().map(|heading| *heading as usize);
        let mut headings = headings.chain(self.last_of(source, LineType::Heading));
        headings.find_map(|heading| {
            let line = source.raw.piece(heading)?;
            let title = Text::new(heading_parts(line).1.trim_ascii(), source.charset);
            (!title.is_blank()).then_some(title)
        })
    }
}

impl GemtextBody {
    /// The headings, as rows.
    pub(super) fn headings(&self, source: RowSource<'_>) -> impl Iterator<Item = usize> {
        let last = self.last_of(source, LineType::Heading);
        let headings = self.headings.iter().map(|heading| *heading as usize);
        headings.chain(last).map(|piece| self.row_of_piece(piece))
    }

    /// The last piece, if it was not scanned and has this type.
    fn last_of(&self, source: RowSource<'_>, line_type: LineType) -> Option<usize> {
        let last = source.raw.pieces().checked_sub(1)?;
        let (own, _) = self.line_type(source, last)?;
        (last >= self.scanned && own == line_type).then_some(last)
    }

    /// Scans the next piece.
    fn scan(&mut self, source: RowSource<'_>) {
        let line_type = self.line_type(source, self.scanned);
        let number = u32::try_from(self.scanned).unwrap_or(u32::MAX);
        match line_type.map(|(line_type, _)| line_type) {
            Some(LineType::Opening | LineType::Closing) => self.toggles.push(number),
            Some(LineType::Link) => self.links.push(number),
            Some(LineType::Heading) => self.headings.push(number),
            Some(LineType::Preformatted) => {
                let line = source.raw.piece(self.scanned).unwrap_or_default();
                let columns = Text::new(line, source.charset).width();
                self.preformatted = self.preformatted.max(columns);
            }
            Some(LineType::Text | LineType::Item | LineType::Quote) | None => {}
        }
        self.scanned += 1;
    }
}

/// The level of a heading, 1 to 3, and its text.
fn heading_parts(line: &[u8]) -> (u8, &[u8]) {
    let mut level = 0;
    let mut words = line;
    while let [b'#', rest @ ..] = words
        && level < 3
    {
        level += 1;
        words = rest;
    }
    (level, words.trim_ascii_start())
}

/// The alt text of a toggle.
fn alt_text(line: &[u8]) -> &[u8] {
    line.get(3..).unwrap_or_default().trim_ascii()
}
