//! Layout of characters as lines, indentation of lines, and the elements inside a line that the text alone would lose:
//! superscripts, subscripts, quotations, deleted text.

use std::ops::Range;

use geomys_wire::text::{self, is_harmful};
use jiff::civil::Date;

use super::math::MathElement;
use super::{DEPTH, INDENT, LINE, LayoutBuilder, OpenElement, TAB};
use crate::document::row::Kind;
use crate::document::web::line::Line;
use crate::document::web::table::{Block, WebTable};

impl LayoutBuilder {
    /// Adds text of the page.
    pub(in crate::document::web) fn text(&mut self, text: &str) {
        if self.is_preformatted() {
            text.chars().for_each(|c| self.preformatted(c));
        } else {
            text.chars().for_each(|c| self.flowing(c));
        }
    }

    pub(super) fn is_preformatted(&self) -> bool {
        let within = self.open.iter().rev();
        within
            .take_while(|open| !matches!(open, OpenElement::Cell(_)))
            .any(|open| matches!(open, OpenElement::Preformatted))
    }

    fn preformatted(&mut self, c: char) {
        match c {
            '\n' => {
                // The first line end is not part of the text.
                let is_first = self.preformatted_at.take() == Some(self.characters);
                if self.line.is_some() {
                    self.flush();
                } else if is_first {
                } else if self.cell_blocks().is_some_and(|blocks| blocks.is_empty()) {
                    // The line has a number beside it.
                    self.needs_blank = false;
                    self.append(Line::new(Kind::Plain, String::new()));
                } else if !self.needs_blank {
                    self.blank();
                }
                self.column = 0;
            }
            '\t' => {
                let blanks = TAB - self.column % TAB;
                (0..blanks).for_each(|_| self.put(' '));
                self.column += blanks;
            }
            c => {
                self.put(c);
                self.column += text::width(c.encode_utf8(&mut [0; 4]));
            }
        }
    }

    fn flowing(&mut self, c: char) {
        if !c.is_ascii_whitespace() {
            return self.put(if c == '\u{a0}' { ' ' } else { c });
        }
        let line = self.line.as_ref().filter(|_| self.math.is_empty());
        if line.is_some_and(|line| !line.text.ends_with(' ')) {
            self.put(' ');
        }
    }

    /// Appends a character to the line.
    pub(super) fn put(&mut self, c: char) {
        if is_harmful(c) {
            return;
        }
        let at = self.place() + 1;
        let line = self.line.get_or_insert_with(|| Line {
            at,
            ..Line::new(Kind::Plain, String::new())
        });
        line.text.push(c);
        self.characters = self.characters.saturating_add(u32::from(c != ' '));
        self.has_words |= c != ' ';
        let length = line.text.len();
        if length > LINE.1 || (length > LINE.0 && c == ' ') {
            self.flush();
        }
    }

    /// The position of what follows in the text of the page.
    pub(super) fn place(&self) -> u32 {
        2 * self.characters
    }

    pub(super) fn word(&mut self, text: &str) {
        text.chars().for_each(|c| self.flowing(c));
    }

    /// Ends the line, and requests a blank line before the next one.
    pub(super) fn paragraph(&mut self) {
        self.flush();
        // The first paragraph of an item starts beside its marker.
        self.needs_blank |= !self.is_at_item();
    }

    /// Returns true at the start of an item, whose marker is not shown yet.
    pub(super) fn is_at_item(&self) -> bool {
        let innermost = self.open.last();
        matches!(innermost, Some(OpenElement::Item { mark: Some(_), .. }))
    }

    pub(super) fn line_break(&mut self) {
        if self.line.is_some() {
            self.flush();
        } else {
            self.needs_blank = true;
        }
    }

    /// Ends the line. The rows of the hidden parts in it follow.
    pub(super) fn flush(&mut self) {
        self.end_line();
        self.append_deferred();
    }

    fn end_line(&mut self) {
        self.note_label();
        self.note_link();
        self.end_key();
        if let Some(link) = &mut self.link {
            link.start = 0;
        }
        self.scripts.clear();
        self.math.iter_mut().for_each(MathElement::begin_line);
        let Some(mut line) = self.line.take() else {
            return;
        };
        line.text.truncate(line.text.trim_end().len());
        if line.text.is_empty() && !self.is_preformatted() {
            return;
        }
        self.indent(&mut line);
        self.add(line);
    }

    /// Adds the prefix of a line, by the open elements around it.
    pub(super) fn indent(&mut self, line: &mut Line) {
        let barrier = self.innermost(|open| match open {
            OpenElement::Hidden(part) => part.is_deferred(),
            open => matches!(open, OpenElement::Cell(_)),
        });
        let from = barrier.map_or(0, |barrier| barrier + 1);
        let mut prefix = String::new();
        let mut quotes = 0_u8;
        for open in self.open.iter_mut().skip(from) {
            let room = prefix.len() < INDENT;
            match open {
                OpenElement::Item { mark, columns } => match mark.take() {
                    Some(mark) => prefix.push_str(&mark),
                    None if room => prefix.push_str(&" ".repeat(*columns)),
                    None => {}
                },
                OpenElement::Definition if room => prefix.push_str("    "),
                OpenElement::Quote => {
                    quotes = quotes.saturating_add(1);
                    if room {
                        prefix.push_str("  ");
                    }
                }
                OpenElement::Heading(level) => {
                    line.kind = Kind::Heading(*level);
                    line.level = *level;
                }
                OpenElement::List(_)
                | OpenElement::Definition
                | OpenElement::Preformatted
                | OpenElement::Table(_)
                | OpenElement::Cell(_)
                | OpenElement::Hidden(_) => {}
            }
        }
        if self.is_preformatted() {
            line.kind = Kind::Preformatted;
            line.is_fixed = true;
        } else if quotes > 0 && line.kind == Kind::Plain {
            line.kind = Kind::Quote(quotes);
        }
        line.hang += text::width(&prefix);
        line.prefix(&prefix);
    }

    /// Appends a line, with a blank line before it where one is requested.
    pub(super) fn add(&mut self, mut line: Line) {
        line.ids.append(&mut self.ids);
        line.time = line.time.or(self.time.take());
        if self.needs_blank {
            self.needs_blank = false;
            let at = line.at.checked_sub(1);
            self.blank_at(at.unwrap_or(self.place()));
        }
        self.append(line);
    }

    /// Appends a blank line, except at the beginning.
    fn blank(&mut self) {
        self.blank_at(self.place());
    }

    /// Appends a blank line with this position in the text of the page.
    fn blank_at(&mut self, at: u32) {
        let is_first = match self.cell_blocks() {
            Some(blocks) => blocks.is_empty(),
            None => self.layout.is_empty(),
        };
        if !is_first {
            self.append(Line {
                at,
                ..Line::new(Kind::Plain, String::new())
            });
        }
    }

    fn append(&mut self, mut line: Line) {
        if line.at == 0 {
            line.at = self.place() + u32::from(!line.is_blank());
        }
        match self.cell_blocks() {
            Some(blocks) => blocks.push(Block::Line(line)),
            None => {
                self.note_link_of_article(&line);
                self.layout.push(&line);
            }
        }
    }

    /// Notes the line with the link of the post that is open: that of its heading, else the first.
    fn note_link_of_article(&mut self, line: &Line) {
        let number = u32::try_from(self.layout.raw.lines()).unwrap_or(u32::MAX);
        if let Some(article) = &mut self.article
            && !line.links.is_empty()
        {
            let is_heading = matches!(line.kind, Kind::Heading(_));
            if article.link.is_none() || is_heading && !article.is_heading {
                (article.link, article.is_heading) = (Some(number), is_heading);
            }
        }
    }

    /// Takes the day that an element states: in a post that of its link, which may stand in an earlier line.
    pub(super) fn state_time(&mut self, time: Option<Date>) {
        let link = self.article.as_ref().and_then(|article| article.link);
        let is_in_link = self
            .line
            .as_ref()
            .is_some_and(|line| !line.links.is_empty());
        match (link, time) {
            (Some(line), Some(time)) if !is_in_link => self.layout.set_time(line, time),
            _ => self.time = self.time.or(time),
        }
    }

    /// Appends a complete table: to the cell that contains it, else as lines.
    pub(super) fn append_table(&mut self, mut table: WebTable) {
        if table.is_empty() {
            return self.append_deferred();
        }
        table.prefixes = Some(Box::new([self.line_prefix(), self.line_prefix()]));
        // The cells may have changed this flag.
        self.needs_blank = false;
        self.blank_at(table.at);
        match self.cell_blocks() {
            Some(blocks) => blocks.push(Block::Table(table)),
            None => {
                self.layout.has_tables = true;
                for line in table.lines(self.columns) {
                    self.add(line);
                }
            }
        }
        self.needs_blank = true;
        self.append_deferred();
    }

    /// A line of nothing but the prefix of the next line.
    fn line_prefix(&mut self) -> Line {
        let mut prefix = Line::new(Kind::Plain, String::new());
        self.indent(&mut prefix);
        prefix
    }

    /// The blocks of the innermost open cell or hidden part.
    fn cell_blocks(&mut self) -> Option<&mut Vec<Block>> {
        self.open.iter_mut().rev().find_map(|open| match open {
            OpenElement::Cell(cell) => Some(&mut cell.blocks),
            OpenElement::Hidden(part) => Some(&mut part.blocks),
            _ => None,
        })
    }
}

/// An open superscript or subscript: its start in the current line.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenScript {
    is_super: bool,
    start: usize,
}

impl LayoutBuilder {
    /// Handles the start of an inline element. Returns false for any other element.
    pub(super) fn inline_start(&mut self, name: &str) -> bool {
        match name {
            "sup" | "sub" => {
                let start = self.line.as_ref().map_or(0, |line| line.text.len());
                let is_super = name == "sup";
                if self.scripts.len() < DEPTH {
                    self.scripts.push(OpenScript { is_super, start });
                }
            }
            "q" => self.word("\""),
            "kbd" => self.key = Some(self.line.as_ref().map_or(0, |line| line.text.len())),
            "del" | "s" | "strike" => self.word("[deleted: "),
            _ => return false,
        }
        true
    }

    /// Handles the end of an inline element. Returns false for any other element.
    pub(super) fn inline_end(&mut self, name: &str) -> bool {
        match name {
            "sup" | "sub" => self.end_script(),
            "q" => self.word("\""),
            "kbd" => self.end_key(),
            "del" | "s" | "strike" => self.word("]"),
            _ => return false,
        }
        true
    }

    /// Ends the open name of a key.
    fn end_key(&mut self) {
        if let (Some(start), Some(line)) = (self.key.take(), &mut self.line)
            && start < line.text.len()
        {
            line.keys.push(start..line.text.len());
        }
    }

    /// Marks the text since the start of the innermost superscript or subscript: `2^10`, `2^(n+1)`, `x[1]`, `e^(-x^2)`.
    fn end_script(&mut self) {
        let (Some(script), Some(line)) = (self.scripts.pop(), &mut self.line) else {
            return;
        };
        let text = line.text.get(script.start..).unwrap_or_default();
        let is_bracketed =
            text.starts_with(['[', '(']) && text.find([']', ')']) == Some(text.len() - 1);
        let is_ordinal = matches!(text, "st" | "nd" | "rd" | "th");
        let word = text.strip_prefix(['-', '−']).unwrap_or(text);
        let is_word = word.chars().all(char::is_alphanumeric);
        let (before, after) = match script.is_super {
            _ if text.trim().is_empty() => return,
            true if is_ordinal => return,
            true if is_word || is_bracketed => ("^", ""),
            true => ("^(", ")"),
            false if is_bracketed => return,
            false => ("[", "]"),
        };
        self.enclose(script.start, before, after);
    }

    /// Inserts a text at a place of the current line, and appends another one. What begins behind that place moves; an
    /// open element that begins at it stays, as the text is its content.
    pub(super) fn enclose(&mut self, start: usize, before: &str, after: &str) {
        let line = self.line.as_mut();
        let Some(line) = line.filter(|line| line.text.is_char_boundary(start)) else {
            return;
        };
        line.text.insert_str(start, before);
        line.text.push_str(after);
        let ends = |range: &mut Range<usize>| {
            if range.start >= start {
                range.start += before.len();
            }
            if range.end > start {
                range.end += before.len();
            }
        };
        line.links.iter_mut().for_each(|(range, _)| ends(range));
        line.keys.iter_mut().for_each(ends);
        let link = self.link.as_mut().map(|link| &mut link.start);
        for at in link.into_iter().chain(&mut self.key) {
            if *at >= start {
                *at += before.len();
            }
        }
        let scripts = self.scripts.iter_mut().map(|script| &mut script.start);
        let formulas = self.math.iter_mut().flat_map(MathElement::places);
        for at in scripts.chain(formulas).chain(self.forms.label_start()) {
            if *at > start {
                *at += before.len();
            }
        }
    }
}
