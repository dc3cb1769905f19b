//! What a page is laid out as: lines, how each looks, and the links in it.

use std::ops::Range;

use crate::document::{Kind, Raw};
use crate::text;

/// A line that is laid out.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) kind: Kind,
    pub(super) text: String,
    /// Columns below which its continuation stands.
    pub(super) hang: usize,
    /// The links in it, in their order: where each stands, and its number among the targets.
    pub(super) links: Vec<(Range<usize>, u32)>,
}

impl Line {
    /// A line without links.
    pub(super) fn new(kind: Kind, text: String) -> Self {
        Self {
            kind,
            text,
            hang: 0,
            links: Vec::new(),
        }
    }

    pub(super) fn is_blank(&self) -> bool {
        self.text.is_empty()
    }

    pub(super) fn width(&self) -> usize {
        text::width(&self.text)
    }

    /// Puts `prefix` before its text.
    pub(super) fn prefix(&mut self, prefix: &str) {
        if prefix.is_empty() {
            return;
        }
        self.text.insert_str(0, prefix);
        for (range, _) in &mut self.links {
            *range = range.start + prefix.len()..range.end + prefix.len();
        }
    }

    /// Puts a part of another line at its end.
    pub(super) fn push(&mut self, other: &Self, part: Range<usize>) {
        let at = self.text.len();
        self.text
            .push_str(other.text.get(part.clone()).unwrap_or_default());
        for (range, target) in &other.links {
            let (start, end) = (range.start.max(part.start), range.end.min(part.end));
            if start < end {
                let moved = at + start - part.start..at + end - part.start;
                self.links.push((moved, *target));
            }
        }
    }

    /// Fills it with blanks up to a column.
    pub(super) fn pad(&mut self, column: usize) {
        let blanks = column.saturating_sub(self.width());
        self.text.extend(std::iter::repeat_n(' ', blanks));
    }
}

/// A page that is laid out.
#[derive(Debug, Default)]
pub(super) struct Laid {
    /// Its lines, as UTF-8.
    pub(super) raw: Raw,
    pub(super) title: Option<String>,
    /// What its references are relative to, as it says.
    pub(super) base: Option<String>,
    looks: Vec<(Kind, u16)>,
    /// By line.
    anchors: Vec<Anchor>,
    targets: Vec<String>,
}

/// A link in a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Anchor {
    line: u32,
    start: u32,
    end: u32,
    target: u32,
}

impl Anchor {
    pub(super) fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl Laid {
    /// Adds a line at the end.
    pub(super) fn push(&mut self, line: &Line) {
        let small = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let number = small(self.looks.len());
        self.raw.append(line.text.as_bytes());
        self.raw.append(b"\n");
        let hang = u16::try_from(line.hang).unwrap_or(0);
        self.looks.push((line.kind, hang));
        let links = line.links.iter().map(|(range, target)| Anchor {
            line: number,
            start: small(range.start),
            end: small(range.end),
            target: *target,
        });
        self.anchors.extend(links);
    }

    /// Adds a remark of ours at the end.
    pub(super) fn note(&mut self, words: &str) {
        if !self.is_empty() {
            self.push(&Line::new(Kind::Plain, String::new()));
        }
        self.push(&Line::new(Kind::Plain, words.to_owned()));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.looks.is_empty()
    }

    /// Notes where a link leads; its number.
    pub(super) fn add_target(&mut self, reference: String) -> u32 {
        self.targets.push(reference);
        u32::try_from(self.targets.len() - 1).unwrap_or(u32::MAX)
    }

    pub(super) fn target(&self, anchor: &Anchor) -> &str {
        let reference = self.targets.get(anchor.target as usize);
        reference.map(String::as_str).unwrap_or_default()
    }

    pub(super) fn look(&self, number: usize) -> (Kind, usize) {
        let look = self.looks.get(number).copied();
        look.map_or((Kind::Plain, 0), |(kind, hang)| (kind, usize::from(hang)))
    }

    pub(super) fn anchors(&self, number: usize) -> &[Anchor] {
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        let first = self.anchors.partition_point(|anchor| anchor.line < number);
        let after = self.anchors.partition_point(|anchor| anchor.line <= number);
        self.anchors.get(first..after).unwrap_or_default()
    }
}
