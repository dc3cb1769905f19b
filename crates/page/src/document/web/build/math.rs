//! Formulas in `MathML`, as text in one line: `1/2`, `(a+b)/c`, `e^(a+b)`, `x[i]`, `√2`, `[1, 2; 3, 4]`.
//!
//! Only the elements whose places tell something are read: fractions, superscripts and subscripts, limits, roots,
//! tables. The others are their text. Blanks between elements are none of the formula.

use super::{DEPTH, LayoutBuilder};

/// An element of a formula.
#[derive(Debug)]
pub(super) struct MathElement {
    layout: MathLayout,
    name: String,
    /// The number of its children that have ended.
    children: usize,
    /// The start of the element, and of its open child, in the current line.
    start: usize,
    child: usize,
}

/// What the places of the children of an element mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MathLayout {
    /// Nothing.
    Row,
    Fraction,
    Super,
    Sub,
    SubSuper,
    /// A root of the whole content.
    SquareRoot,
    /// A root with its index as the second child.
    Root,
    /// Rows of a matrix.
    Table,
    /// Cells of a row.
    TableRow,
}

impl MathElement {
    fn new(name: &str, start: usize) -> Self {
        let layout = match name {
            "mfrac" => MathLayout::Fraction,
            "msup" | "mover" => MathLayout::Super,
            "msub" | "munder" => MathLayout::Sub,
            "msubsup" | "munderover" => MathLayout::SubSuper,
            "mtable" => MathLayout::Table,
            "mtr" => MathLayout::TableRow,
            "msqrt" => MathLayout::SquareRoot,
            "mroot" => MathLayout::Root,
            _ => MathLayout::Row,
        };
        Self {
            layout,
            name: name.to_owned(),
            children: 0,
            start,
            child: start,
        }
    }

    /// Its places in the current line.
    pub(super) fn places(&mut self) -> [&mut usize; 2] {
        [&mut self.start, &mut self.child]
    }

    /// Continues in a new line.
    pub(super) fn begin_line(&mut self) {
        (self.start, self.child) = (0, 0);
    }
}

impl LayoutBuilder {
    /// Handles the start of an element of a formula. Returns false for any other element.
    pub(super) fn math_start(&mut self, name: &str) -> bool {
        let is_inside = !self.math.is_empty();
        if name != "math" && !(is_inside && name.starts_with('m')) {
            return false;
        }
        let start = self.line.as_ref().map_or(0, |line| line.text.len());
        if let Some(parent) = self.math.last_mut() {
            parent.child = start;
        }
        match name {
            // They have no content, and often no end.
            "mspace" | "mprescripts" => self.end_child(MathLayout::Row),
            name if self.math.len() < DEPTH => self.math.push(MathElement::new(name, start)),
            _ => {}
        }
        true
    }

    /// Handles the end of an element of a formula. Returns false for any other element.
    pub(super) fn math_end(&mut self, name: &str) -> bool {
        let Some(at) = self.math.iter().rposition(|open| open.name == name) else {
            return false;
        };
        // Elements without an end are ended with the one around them.
        while self.math.len() > at {
            let Some(ended) = self.math.pop() else { break };
            match ended.layout {
                MathLayout::SquareRoot => self.enclose_part(ended.start, "√", ""),
                MathLayout::Table => self.enclose(ended.start, "[", "]"),
                _ => {}
            }
            self.end_child(ended.layout);
        }
        true
    }

    /// Ends a child of this layout of the innermost element.
    fn end_child(&mut self, ended: MathLayout) {
        let Some(parent) = self.math.last_mut() else {
            return;
        };
        parent.children += 1;
        let (layout, children, child) = (parent.layout, parent.children, parent.child);
        match (layout, children) {
            // `(1/2)^2`: other bases have their own brackets.
            (MathLayout::Super | MathLayout::Sub | MathLayout::SubSuper, 1)
                if ended == MathLayout::Fraction =>
            {
                self.enclose_part(child, "", "");
            }
            (MathLayout::Table, 2..) => self.enclose(child, "; ", ""),
            (MathLayout::TableRow, 2..) => self.enclose(child, ", ", ""),
            (MathLayout::Fraction, 1) => self.enclose_part(child, "", "/"),
            (MathLayout::Fraction, 2) => self.enclose_part(child, "", ""),
            (MathLayout::Super, 2) | (MathLayout::SubSuper, 3) => {
                self.enclose_part(child, "^", "");
            }
            (MathLayout::Sub | MathLayout::SubSuper, 2) => self.enclose(child, "[", "]"),
            (MathLayout::Root, 2) => {
                self.enclose_part(child, "^(1/", ")");
            }
            _ => {}
        }
    }

    /// Puts the text since a place of the current line between two others, in brackets unless it is one word.
    fn enclose_part(&mut self, start: usize, before: &str, after: &str) {
        let text = self.line.as_ref().and_then(|line| line.text.get(start..));
        let text = text.unwrap_or_default();
        if text.trim().is_empty() {
            return;
        }
        let is_word = text.chars().all(|c| c.is_alphanumeric() || c == '.');
        if is_word {
            self.enclose(start, before, after);
        } else {
            self.enclose(start, &format!("{before}("), &format!("){after}"));
        }
    }
}
