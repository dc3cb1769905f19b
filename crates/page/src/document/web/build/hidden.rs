//! Parts of a page that its markup hides (`hidden`, `display:none`): a row tells how many lines they have, and unfolds
//! them.
//!
//! The row of a part of a line stands below the line, and the rows of cells and of parts of them stand below the table.
//! Left out: parts inside other ones, formulas and buttons, which are shown. No style sheet is read.

use std::collections::BTreeSet;

use super::flow::OpenScript;
use super::{LayoutBuilder, OpenElement, is_block};
use crate::document::row::{Fold, Kind};
use crate::document::web::line::Line;
use crate::document::web::table::{Block, WebTable};
use crate::document::web::tag::StartTag;

/// The elements that are folded. All have end tags, but for a paragraph, which a block ends, and an item of a list,
/// which the next one ends.
const FOLDED: [&str; 36] = [
    "p",
    "li",
    "dt",
    "dd",
    "summary",
    "figcaption",
    "div",
    "section",
    "article",
    "aside",
    "nav",
    "header",
    "footer",
    "main",
    "form",
    "ul",
    "ol",
    "dl",
    "menu",
    "dir",
    "table",
    "blockquote",
    "pre",
    "figure",
    "details",
    "dialog",
    "fieldset",
    "center",
    "address",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hgroup",
];

/// The elements of a line that are folded.
const FOLDED_IN_LINE: [&str; 30] = [
    "sub", "sup", "time", "output", "strike", "nobr", "a", "abbr", "b", "big", "bdo", "cite",
    "code", "del", "em", "font", "i", "ins", "kbd", "label", "mark", "q", "s", "samp", "small",
    "span", "strong", "tt", "u", "var",
];

/// The parts of a table that are folded. All of their end tags may be missing.
const FOLDED_IN_TABLE: [&str; 6] = ["tbody", "thead", "tfoot", "tr", "td", "th"];

/// Elements without an end that matters here. They are folded too.
const SINGLE: [&str; 5] = ["img", "embed", "iframe", "video", "audio"];

/// A hidden part that is read.
#[derive(Debug)]
pub(super) struct HiddenPart {
    /// The element that hides it, and the number of open elements with this name.
    name: String,
    depth: usize,
    /// The number of blocks that are open in a part of a line. The end of a block around the part ends it.
    inner_blocks: usize,
    /// True for a part of a line of a paragraph, which the start of a block ends.
    is_in_paragraph: bool,
    pub(super) blocks: Vec<Block>,
    /// True if a blank line precedes the part.
    needs_blank: bool,
    /// What the part interrupts, if its row stands below the current line or table.
    interrupted: Option<Box<Interrupted>>,
}

/// A line that a hidden part interrupts.
#[derive(Debug)]
struct Interrupted {
    line: Option<Line>,
    /// The target of the open link, and its start in the line.
    link: Option<(u32, usize)>,
    key: Option<usize>,
    scripts: Vec<OpenScript>,
    column: usize,
    needs_blank: bool,
}

impl HiddenPart {
    /// Returns true if its row stands below the line or the table that it interrupts.
    pub(super) fn is_deferred(&self) -> bool {
        self.interrupted.is_some()
    }
}

/// The hidden parts of a page.
#[derive(Debug, Default)]
pub(super) struct HiddenParts {
    /// The unfolded ones, by their numbers from 0, if parts are folded.
    unfolded: Option<BTreeSet<usize>>,
    /// The number of parts so far.
    count: usize,
    /// True while a paragraph is open, whose end tag may be missing.
    has_paragraph: bool,
    /// Those whose rows stand below the current line or table.
    deferred: Vec<HiddenPart>,
}

impl LayoutBuilder {
    /// Folds hidden parts, but for the ones with these numbers.
    #[must_use]
    pub(in crate::document::web) fn folding(mut self, unfolded: &BTreeSet<usize>) -> Self {
        self.hidden.unfolded = Some(unfolded.clone());
        self
    }

    fn innermost_hidden(&self) -> Option<usize> {
        self.innermost(|open| matches!(open, OpenElement::Hidden(_)))
    }

    /// Handles the start of an element that is hidden, or inside a hidden part. Returns true for a hidden cell, which
    /// the table does not get.
    pub(super) fn begin_hidden(&mut self, element: &StartTag<'_>) -> bool {
        let name = element.name();
        if self.hidden.unfolded.is_none() || !self.ends_inside_hidden(name) {
            return false;
        }
        let is_in_line = FOLDED_IN_LINE.contains(&name) || SINGLE.contains(&name);
        let is_in_table = FOLDED_IN_TABLE.contains(&name);
        let is_folded = is_in_line || is_in_table || FOLDED.contains(&name);
        let is_whole = self.math.is_empty() && self.forms.button.is_none();
        if !is_folded || !element.is_hidden() || !is_whole || !self.has_room() {
            return false;
        }
        match name {
            "li" => self.close_in_list(name),
            "dt" | "dd" => self.close_in_list("dd"),
            _ => {}
        }
        if is_in_table {
            self.close_in_table();
            if !matches!(self.open.last(), Some(OpenElement::Table(_))) {
                return false;
            }
        }
        if !is_in_line {
            self.flush();
        }
        let is_deferred = is_in_line || is_in_table || self.innermost_cell().is_some();
        let part = HiddenPart {
            name: name.to_owned(),
            depth: 1,
            inner_blocks: 0,
            is_in_paragraph: is_in_line && self.hidden.has_paragraph,
            blocks: Vec::new(),
            // Those with a meaning of their own stand apart.
            needs_blank: !is_deferred && (self.needs_blank || !is_block(name) && name != "li"),
            interrupted: is_deferred.then(|| Box::new(self.interrupt())),
        };
        self.open.push(OpenElement::Hidden(part));
        if is_in_table && !is_cell(name) {
            self.open
                .push(OpenElement::Table(WebTable::new(self.place())));
        }
        is_cell(name)
    }

    /// Notes that a paragraph begins, or that another block ends one.
    pub(super) fn begin_paragraph(&mut self, name: &str) {
        if FOLDED.contains(&name) {
            self.hidden.has_paragraph = name == "p";
        }
    }

    /// Ends the part of an element that has no end. `depth` is the number of elements that were open before it.
    pub(super) fn end_single_hidden(&mut self, name: &str, depth: usize) {
        if SINGLE.contains(&name) && matches!(self.open.get(depth), Some(OpenElement::Hidden(_))) {
            self.close_from(depth);
        }
    }

    /// Handles the start of an element with this name inside a hidden part, which it may end. Returns false if it
    /// belongs to the part.
    fn ends_inside_hidden(&mut self, name: &str) -> bool {
        let Some(at) = self.innermost_hidden() else {
            return true;
        };
        let has_inner_list = self.innermost(|open| matches!(open, OpenElement::List(_))) > Some(at);
        let has_inner_table = self.has_table_inside(at);
        if let Some(OpenElement::Hidden(part)) = self.open.get_mut(at) {
            let is_within = match part.name.as_str() {
                "p" => !FOLDED.contains(&name),
                "li" => name != "li" || has_inner_list,
                "dt" | "dd" => !matches!(name, "dt" | "dd") || has_inner_list,
                _ if part.is_in_paragraph && part.inner_blocks == 0 => !FOLDED.contains(&name),
                "td" | "th" => !FOLDED_IN_TABLE.contains(&name) || has_inner_table,
                "tr" => !FOLDED_IN_TABLE.contains(&name) || is_cell(name) || has_inner_table,
                "tbody" | "thead" | "tfoot" => {
                    !matches!(name, "tbody" | "thead" | "tfoot") || has_inner_table
                }
                _ => true,
            };
            if is_within {
                part.depth += usize::from(part.name == name);
                part.inner_blocks += usize::from(FOLDED.contains(&name));
                return false;
            }
        }
        self.close_from(at);
        true
    }

    /// Returns true if a table is open inside the hidden part at this position on the stack, but for the one of its own
    /// rows.
    fn has_table_inside(&self, at: usize) -> bool {
        let Some(OpenElement::Hidden(part)) = self.open.get(at) else {
            return false;
        };
        let own = usize::from(FOLDED_IN_TABLE.contains(&&*part.name) && !is_cell(&part.name));
        self.innermost_table() > Some(at + own)
    }

    /// Puts the current line aside for a part that does not belong to it.
    fn interrupt(&mut self) -> Interrupted {
        self.note_label();
        let link = self.link.as_mut();
        Interrupted {
            line: self.line.take(),
            link: link.map(|link| (link.target, std::mem::take(&mut link.start))),
            key: self.key.take(),
            scripts: std::mem::take(&mut self.scripts),
            column: self.column,
            needs_blank: self.needs_blank,
        }
    }

    /// Goes on with a line that was put aside.
    fn resume(&mut self, interrupted: Interrupted) {
        let length = interrupted.line.as_ref().map_or(0, |line| line.text.len());
        if let Some(link) = &mut self.link {
            let same = interrupted.link.filter(|before| before.0 == link.target);
            link.start = same.map_or(length, |(_, start)| start);
        }
        self.line = interrupted.line;
        self.key = interrupted.key;
        self.scripts = interrupted.scripts;
        self.column = interrupted.column;
        self.needs_blank = interrupted.needs_blank;
    }

    /// Handles the end of an element that is around a hidden part whose own end tag is missing.
    pub(super) fn end_around_hidden(&mut self, name: &str) {
        if FOLDED.contains(&name) {
            self.hidden.has_paragraph = false;
        }
        let Some(at) = self.innermost_hidden() else {
            return;
        };
        let has_inner_table = self.has_table_inside(at);
        let Some(OpenElement::Hidden(part)) = self.open.get_mut(at) else {
            return;
        };
        let is_around = if FOLDED_IN_TABLE.contains(&&*part.name) {
            let is_part = matches!(name, "table" | "tbody" | "thead" | "tfoot");
            is_part && part.name != name && !has_inner_table
        } else {
            let is_block = FOLDED.contains(&name) && FOLDED_IN_LINE.contains(&&*part.name);
            let is_around = is_block && part.inner_blocks == 0;
            part.inner_blocks = part.inner_blocks.saturating_sub(usize::from(is_block));
            is_around
        };
        if is_around {
            self.close_from(at);
        }
    }

    /// Handles the end of an element that may hide a part.
    pub(super) fn end_hidden(&mut self, name: &str) {
        let Some(at) = self.innermost_hidden() else {
            return;
        };
        let is_outside = if FOLDED_IN_TABLE.contains(&name) {
            !self.has_table_inside(at)
        } else {
            self.innermost_cell().is_none_or(|cell| cell < at)
        };
        if let Some(OpenElement::Hidden(part)) = self.open.get_mut(at)
            && part.name == name
            && is_outside
        {
            part.depth = part.depth.saturating_sub(1);
            if part.depth == 0 {
                self.close_from(at);
            }
        }
    }

    /// Ends a hidden part: its row stands here, or below the line or the table that it interrupts.
    pub(super) fn finish_hidden(&mut self, mut part: HiddenPart) {
        match part.interrupted.take() {
            Some(interrupted) => {
                self.resume(*interrupted);
                self.hidden.deferred.push(part);
            }
            None => self.append_hidden(part),
        }
    }

    /// Appends the rows of the parts that the line or the table above had.
    pub(super) fn append_deferred(&mut self) {
        let is_inside = self.innermost_table().is_some() || self.innermost_hidden().is_some();
        if !self.hidden.deferred.is_empty() && !is_inside {
            for part in std::mem::take(&mut self.hidden.deferred) {
                self.append_hidden(part);
            }
        }
    }

    /// Appends the row of a hidden part, and its lines if it is unfolded.
    fn append_hidden(&mut self, part: HiddenPart) {
        let columns = self.columns;
        let lines = part
            .blocks
            .into_iter()
            .flat_map(|block| block.lines(columns));
        let lines: Vec<Line> = lines.collect();
        let count = lines.iter().filter(|line| !line.is_blank()).count();
        let Some(first) = lines.iter().find(|_| count > 0) else {
            self.needs_blank |= part.needs_blank;
            return;
        };
        let number = self.hidden.count;
        self.hidden.count += 1;
        let unfolded = self.hidden.unfolded.as_ref();
        let is_open = unfolded.is_none_or(|unfolded| unfolded.contains(&number));
        let fold = if is_open { Fold::Open } else { Fold::Closed };
        let words = match count {
            1 => "1 hidden line".to_owned(),
            count => format!("{count} hidden lines"),
        };
        let mut row = Line {
            at: first.at,
            ..Line::new(Kind::Remark(fold), words)
        };
        if !is_open {
            row.ids = lines
                .iter()
                .flat_map(|line| line.ids.iter().cloned())
                .collect();
        }
        let needs_blank = std::mem::replace(&mut self.needs_blank, part.needs_blank);
        self.add(row);
        for line in lines.into_iter().filter(|_| is_open) {
            self.add(line);
        }
        self.needs_blank = needs_blank;
    }
}

/// Returns true for the name of a cell.
fn is_cell(name: &str) -> bool {
    matches!(name, "td" | "th")
}
