//! Quotations, and what stands behind form feeds: lines in a row that fold to one.
//!
//! A form feed (octet 12) in a text hides what follows until somebody asks for it, as other readers have it: up to the next
//! form feed, or to the end of the text. It ends a quotation, so that no run reaches into another but from inside.

use super::super::Raw;
use super::decode::Section;
use super::quotation;
use crate::document::Kind;

/// Quoted lines in a row that stay as they are, where they are not deep.
const LINES: usize = 6;

/// How deep a quotation may be and stay as it is, however short.
const DEPTH: u8 = 2;

/// The octet that hides what follows.
const FORM_FEED: u8 = 12;

/// Why lines in a row are folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// They are quoted.
    Quotation,
    /// They stand behind a form feed.
    FormFeed,
}

/// Lines in a row that are folded together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    /// Why.
    pub(super) sort: Sort,
    /// The first of them.
    pub(super) first: usize,
    /// How many.
    pub(super) lines: usize,
}

impl Run {
    /// Whether it has this line in it.
    pub(super) fn holds(&self, line: usize) -> bool {
        (self.first..self.first + self.lines).contains(&line)
    }
}

/// The quotations that may be folded.
pub(super) fn quotations(raw: &Raw, section: impl Fn(usize) -> Section) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut current: Option<(Run, u8)> = None;
    let mut end = |current: &mut Option<(Run, u8)>| {
        if let Some((run, deepest)) = current.take()
            && (run.lines > LINES || deepest > DEPTH && run.lines > 1)
        {
            runs.push(run);
        }
    };
    for number in 0..raw.pieces() {
        let line = raw.piece(number).unwrap_or_default();
        if raw.continues(number) && !has_form_feed(line) {
            if let Some((run, _)) = &mut current {
                run.lines += 1;
            }
            continue;
        }
        match (section(number), quotation(line)) {
            (Section::Text, Kind::Quote(depth)) if !has_form_feed(line) => {
                let new = Run {
                    sort: Sort::Quotation,
                    first: number,
                    lines: 0,
                };
                let (run, deepest) = current.get_or_insert((new, 0));
                run.lines += 1;
                *deepest = depth.max(*deepest);
            }
            (_, _) => end(&mut current),
        }
    }
    end(&mut current);
    runs
}

/// What stands behind form feeds. A line with something before it is shown, with something behind it hidden.
pub(super) fn form_feeds(raw: &Raw, section: impl Fn(usize) -> Section) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut current: Option<Run> = None;
    // Where there is nothing to hide nothing is hidden.
    let hides = |run: &Run| {
        (run.first..run.first + run.lines)
            .any(|line| !is_blank(raw.piece(line).unwrap_or_default()))
    };
    for number in 0..raw.pieces() {
        let line = raw.piece(number).unwrap_or_default();
        let is_text = section(number) == Section::Text;
        let begins = hides_from(line, number).filter(|_| is_text);
        if let Some(run) = current
            .as_mut()
            .filter(|_| is_text && begins != Some(number))
        {
            run.lines += 1;
        }
        if begins.is_some() || !is_text {
            runs.extend(current.take().filter(hides));
        }
        if let Some(first) = begins {
            current = Some(Run {
                sort: Sort::FormFeed,
                first,
                lines: usize::from(first == number),
            });
        }
    }
    runs.extend(current.filter(hides));
    runs
}

/// The first line that a form feed in line `number` hides; nothing where none is in it. What stands behind it on its line
/// is hidden with the line.
pub(super) fn hides_from(line: &[u8], number: usize) -> Option<usize> {
    let at = memchr::memchr(FORM_FEED, line)?;
    let (before, behind) = line.split_at_checked(at)?;
    Some(number + usize::from(!is_blank(before) && is_blank(behind)))
}

/// Whether a line shows nothing; a form feed is a blank.
fn is_blank(line: &[u8]) -> bool {
    line.trim_ascii().is_empty()
}

fn has_form_feed(line: &[u8]) -> bool {
    memchr::memchr(FORM_FEED, line).is_some()
}

/// A letter of ROT13.
pub(super) fn rot13(octet: u8) -> u8 {
    match octet {
        b'a'..=b'm' | b'A'..=b'M' => octet + 13,
        b'n'..=b'z' | b'N'..=b'Z' => octet - 13,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn form_feeds_hide_what_follows() {
        for (text, expected) in [
            ("a\nb\n", vec![]),
            ("a\n\x0c\nb\nc\n", vec![(1, 3)]),
            // What stands before one is shown, what stands behind it is not.
            ("a\x0c\nb\n", vec![(1, 1)]),
            ("a\x0c \r\nb\n", vec![(1, 1)]),
            ("\x0cb\nc\n", vec![(0, 2)]),
            ("a\x0cb\nc\n", vec![(0, 2)]),
            // One after the other.
            ("a\n\x0c\nb\n\x0c\nc\n", vec![(1, 2), (3, 2)]),
            ("a\x0c\nb\x0c\nc\n", vec![(1, 1), (2, 1)]),
            ("\x0c\x0c\n\n\x0c\nb\n", vec![(2, 2)]),
            // Nothing follows.
            ("a\x0c\n", vec![]),
            ("a\n\x0c", vec![]),
        ] {
            let mut raw = Raw::default();
            raw.append(text.as_bytes());
            let runs = form_feeds(&raw, |_| Section::Text);
            let runs: Vec<_> = runs.iter().map(|run| (run.first, run.lines)).collect();
            assert_eq!(runs, expected, "{text:?}");
        }
        // The signature is no text, and has none that count.
        let mut raw = Raw::default();
        raw.append(b"\x0c\na\n-- \nAda\x0c\nx\n");
        let section = |line| {
            if line < 2 {
                Section::Text
            } else {
                Section::Signature
            }
        };
        let runs = form_feeds(&raw, section);
        assert_eq!(runs.len(), 1);
        assert_eq!((runs[0].first, runs[0].lines), (0, 2));
    }

    #[test]
    fn a_form_feed_ends_a_quotation() {
        let mut raw = Raw::default();
        raw.append("> a\n".repeat(8).as_bytes());
        raw.append(b"> \x0c\n");
        raw.append("> b\n".repeat(8).as_bytes());
        let quotations = quotations(&raw, |_| Section::Text);
        let found: Vec<_> = quotations
            .iter()
            .map(|run| (run.first, run.lines))
            .collect();
        assert_eq!(found, [(0, 8), (9, 8)]);
        let feeds = form_feeds(&raw, |_| Section::Text);
        assert_eq!((feeds[0].first, feeds[0].lines), (9, 8));
    }
}
