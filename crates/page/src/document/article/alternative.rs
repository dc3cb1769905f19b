//! The tree of the parts of an article, and those of them that are shown (RFC 2046, section 5.1.4).
//!
//! ```text
//! shown alternative = text of the best branch that is not blank, its files, files of the other branches
//! ```
//!
//! A part stands behind the one that contains it, so that the tree is judged from its end without recursion.

use std::ops::Range;

use super::head::TEXT;
use super::mime::Part;

/// The tree of the parts of an article.
#[derive(Default)]
pub(super) struct PartTree {
    nodes: Vec<PartNode>,
    /// What was decoded of the parts without subparts.
    decoded: Vec<Part>,
}

/// A part in the tree.
struct PartNode {
    parent: Option<usize>,
    children: Vec<usize>,
    /// True if only one of the children is to be read.
    is_alternative: bool,
    /// The preference among alternatives; the lowest number first.
    preference: u8,
    /// True if it has text that is not blank.
    has_text: bool,
    /// The range of what was decoded of it.
    decoded: Range<usize>,
}

impl PartTree {
    /// The number of parts.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Adds a part inside another one, and returns its number.
    pub(super) fn add(&mut self, parent: Option<usize>, kind: &str) -> usize {
        let number = self.nodes.len();
        self.nodes.push(PartNode {
            parent,
            children: Vec::new(),
            is_alternative: kind == "multipart/alternative",
            preference: preference(kind),
            has_text: false,
            decoded: self.decoded.len()..self.decoded.len(),
        });
        if let Some(parent) = parent.and_then(|parent| self.nodes.get_mut(parent)) {
            parent.children.push(number);
        }
        number
    }

    /// Decodes the last part, which has no subparts: `decode` appends to what was decoded before.
    pub(super) fn decode(&mut self, decode: impl FnOnce(&mut Vec<Part>)) {
        let start = self.decoded.len();
        decode(&mut self.decoded);
        if let Some(node) = self.nodes.last_mut() {
            node.decoded = start..self.decoded.len();
        }
    }

    /// Returns what is shown, in its order.
    pub(super) fn shown(mut self) -> Vec<Part> {
        self.find_texts();
        let decoded = std::mem::take(&mut self.decoded);
        let mut decoded: Vec<Option<Part>> = decoded.into_iter().map(Some).collect();
        let mut shown = Vec::with_capacity(decoded.len());
        let mut waiting = Vec::from_iter((!self.nodes.is_empty()).then_some((0, false)));
        while let Some((number, is_files_only)) = waiting.pop() {
            let Some(node) = self.nodes.get(number) else {
                continue;
            };
            let parts = decoded.get_mut(node.decoded.clone()).unwrap_or_default();
            let parts = parts.iter_mut().filter_map(Option::take);
            shown
                .extend(parts.filter(|part| !is_files_only || matches!(part, Part::Attachment(_))));
            let chosen = self.chosen(node);
            let others = node.children.iter().rev().copied();
            let others = others.filter(|child| Some(*child) != chosen);
            waiting.extend(others.map(|child| (child, is_files_only || chosen.is_some())));
            waiting.extend(chosen.map(|child| (child, is_files_only)));
        }
        shown
    }

    /// Finds the parts that have text.
    fn find_texts(&mut self) {
        for number in (0..self.nodes.len()).rev() {
            let Some(node) = self.nodes.get_mut(number) else {
                continue;
            };
            let decoded = self.decoded.get(node.decoded.clone()).unwrap_or_default();
            node.has_text |= decoded.iter().any(has_text);
            let (has_text, parent) = (node.has_text, node.parent);
            if let Some(parent) = parent.and_then(|parent| self.nodes.get_mut(parent)) {
                parent.has_text |= has_text;
            }
        }
    }

    /// The child whose text is shown, where only one is to be read.
    fn chosen(&self, node: &PartNode) -> Option<usize> {
        let children = node.children.iter().copied();
        let children = children.filter(|_| node.is_alternative);
        children.min_by_key(|child| {
            let child = self.nodes.get(*child);
            child.map(|child| (!child.has_text, child.preference))
        })
    }
}

/// The preference among alternatives: plain text, a multipart, another text.
fn preference(kind: &str) -> u8 {
    match kind.split('/').next() {
        _ if kind == TEXT => 0,
        Some("multipart") => 1,
        Some("text") => 2,
        Some(_) | None => 3,
    }
}

/// Returns true if a text says in another form what an alternative says.
pub(super) fn is_rendition(kind: &str) -> bool {
    matches!(
        kind,
        "text/plain"
            | "text/html"
            | "text/enriched"
            | "text/richtext"
            | "text/x-amp-html"
            | "text/watch-html"
    )
}

fn has_text(part: &Part) -> bool {
    match part {
        Part::Text { octets, .. } => match str::from_utf8(octets) {
            Ok(text) => !is_blank(text),
            // A no-break space of Latin-1.
            Err(_) => !(octets.iter()).all(|octet| octet.is_ascii_whitespace() || *octet == 0xa0),
        },
        Part::Html(page) => !is_blank(page),
        Part::Attachment(_) | Part::Remark(_) => false,
    }
}

/// Returns true for a text without a character that is seen.
fn is_blank(text: &str) -> bool {
    let is_unseen = |letter| {
        matches!(
            letter,
            '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}'
        )
    };
    (text.chars()).all(|letter| letter.is_whitespace() || is_unseen(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_is_not_seen_is_blank() {
        for text in ["", " \n", "\u{a0}\n", "\u{200b}", "\u{feff}\u{a0}"] {
            assert!(is_blank(text), "{text:?}");
        }
        assert!(!is_blank("\u{a0}."));
    }
}
