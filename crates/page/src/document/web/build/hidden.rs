//! Parts of a page that its markup hides (`hidden`, `display:none`): a row tells how many lines they have, and unfolds
//! them.
//!
//! Left out: parts of a line, cells and parts of them, and parts inside other ones; they are shown. No style sheet is
//! read.

use std::collections::BTreeSet;

use super::{LayoutBuilder, OpenElement, is_block};
use crate::document::row::{Fold, Kind};
use crate::document::web::line::Line;
use crate::document::web::table::Block;
use crate::document::web::tag::StartTag;

/// The elements that are folded. All have end tags, but for a paragraph, which a block ends, and an item of a list,
/// which the next one ends.
const FOLDED: [&str; 32] = [
    "p",
    "li",
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

/// A hidden part that is read.
#[derive(Debug)]
pub(super) struct HiddenPart {
    /// The element that hides it, and the number of open elements with this name.
    name: String,
    depth: usize,
    pub(super) blocks: Vec<Block>,
    /// True if a blank line precedes the part.
    needs_blank: bool,
}

/// The hidden parts of a page: the unfolded ones, by their numbers from 0, if parts are folded; and their number so
/// far.
#[derive(Debug, Default)]
pub(super) struct HiddenParts {
    unfolded: Option<BTreeSet<usize>>,
    count: usize,
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

    /// Handles the start of an element that is hidden, or inside a hidden part.
    pub(super) fn begin_hidden(&mut self, element: &StartTag<'_>) {
        let name = element.name();
        if self.hidden.unfolded.is_none() || !FOLDED.contains(&name) {
            return;
        }
        let (list, hidden) = (
            self.innermost(|open| matches!(open, OpenElement::List(_))),
            self.innermost_hidden(),
        );
        let has_inner_list = list > hidden;
        if let Some(at) = hidden
            && let Some(OpenElement::Hidden(part)) = self.open.get_mut(at)
        {
            let is_within = match part.name.as_str() {
                "p" => false,
                "li" => name != "li" || has_inner_list,
                _ => true,
            };
            if is_within {
                part.depth += usize::from(part.name == name);
                return;
            }
            self.close_from(at);
        }
        if is_hidden(element) && self.innermost_cell().is_none() {
            if name == "li" {
                self.close_in_list(name);
            }
            self.flush();
            self.push(OpenElement::Hidden(HiddenPart {
                name: name.to_owned(),
                depth: 1,
                blocks: Vec::new(),
                // Those with a meaning of their own stand apart.
                needs_blank: self.needs_blank || !is_block(name) && name != "li",
            }));
        }
    }

    /// Handles the end of an element that may hide a part.
    pub(super) fn end_hidden(&mut self, name: &str) {
        let Some(at) = self.innermost_hidden() else {
            return;
        };
        let is_outside = self.innermost_cell().is_none_or(|cell| cell < at);
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

    /// Appends the row of a hidden part, and its lines if it is unfolded.
    pub(super) fn append_hidden(&mut self, part: HiddenPart) {
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

/// Returns true if an element hides what is in it.
fn is_hidden(element: &StartTag<'_>) -> bool {
    let display = element.style("display");
    let is_none = display.is_some_and(|display| display.eq_ignore_ascii_case("none"));
    is_none || element.value("hidden").is_some()
}
