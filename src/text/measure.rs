//! Columns: how wide texts are, and the parts of them that fit.
//!
//! A text is measured by graphemes, as it is drawn, and no further than somebody looks: a row may be 16 KiB long.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Columns of a text on a terminal: what its characters add up to, by Unicode's East Asian widths.
pub fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// The columns of a text where they are fewer than `most`, else `most`.
pub fn width_within(text: &str, most: usize) -> usize {
    if is_plain(text, most) {
        return text.len().min(most);
    }
    let mut taken = 0;
    for (_, grapheme) in measured(text) {
        taken += grapheme.width;
        if taken >= most {
            return most;
        }
    }
    taken
}

/// The octets of `text` that stand in its first `columns` columns.
pub fn prefix(text: &str, columns: usize) -> usize {
    if is_plain(text, columns) {
        return text.len().min(columns);
    }
    let mut taken = 0;
    for (at, grapheme) in measured(text) {
        taken += grapheme.width;
        if taken > columns {
            return at;
        }
    }
    text.len()
}

/// A grapheme and its columns.
struct Measured<'a> {
    text: &'a str,
    width: usize,
}

/// The graphemes of a text, and where each begins.
fn measured(text: &str) -> impl Iterator<Item = (usize, Measured<'_>)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let (start, grapheme) = (at, grapheme_at(text, at)?);
        at += grapheme.text.len();
        Some((start, grapheme))
    })
}

/// The grapheme that begins at an octet.
fn grapheme_at(text: &str, at: usize) -> Option<Measured<'_>> {
    let rest = text.get(at..)?;
    let octets = rest.as_bytes();
    // What is ASCII on both sides of it is a grapheme by itself.
    let is_plain = matches!(octets.first()?, b' '..=b'~') && octets.get(1).is_none_or(u8::is_ascii);
    if is_plain {
        let text = rest.get(..1)?;
        return Some(Measured { text, width: 1 });
    }
    let text = rest.graphemes(true).next()?;
    let width = width(text);
    Some(Measured { text, width })
}

/// How many blanks stand behind each other from an octet on, each of them a grapheme.
fn blanks_at(text: &str, at: usize) -> usize {
    let octets = text.as_bytes().get(at..).unwrap_or_default();
    let blanks = octets.iter().take_while(|octet| **octet == b' ').count();
    // An accent may stand on the last.
    let is_plain = octets.get(blanks).is_none_or(u8::is_ascii);
    if is_plain {
        blanks
    } else {
        blanks.saturating_sub(1)
    }
}

/// Whether every character in the first `columns` columns, and the one behind them, is ASCII: an octet and a column.
fn is_plain(text: &str, columns: usize) -> bool {
    let first = text.as_bytes().get(..=columns);
    first.unwrap_or(text.as_bytes()).is_ascii()
}

/// The part of `text` that stands in the columns `from..from + columns`, cut between graphemes; a wide character
/// that the left edge cuts in two becomes blanks.
pub fn columns(text: &str, from: usize, columns: usize) -> String {
    let end = from.saturating_add(columns);
    if is_plain(text, end) {
        let part = text.get(from.min(text.len())..end.min(text.len()));
        return part.unwrap_or_default().to_owned();
    }
    let mut part = String::new();
    let mut at = 0;
    let mut taken = 0;
    for (_, grapheme) in measured(text) {
        let wide = grapheme.width;
        let end = at + wide;
        if at >= from {
            if taken + wide > columns {
                break;
            }
            part.push_str(grapheme.text);
            taken += wide;
        } else if end > from {
            let rest = (end - from).min(columns);
            part.extend(std::iter::repeat_n(' ', rest));
            taken += rest;
        }
        at = end;
    }
    part
}

/// As much of `text` as `columns` hold, with `ellipsis` at its end when something had to go.
pub fn shorten(text: &str, columns_: usize, ellipsis: &str) -> String {
    if prefix(text, columns_) == text.len() {
        return text.to_owned();
    }
    let mut short = columns(text, 0, columns_.saturating_sub(width(ellipsis)));
    if columns_ >= width(ellipsis) {
        short.push_str(ellipsis);
    }
    short
}

/// Where a text of one line is broken so that each part fits `columns`: after the last blank that fits, else between
/// graphemes. Gives the octet offset at which each part starts; the first is 0. `columns` of 0 breaks nothing.
pub fn breaks(text: &str, columns: usize) -> Vec<usize> {
    hanging(text, columns, 0)
}

/// The same where every part but the first stands `hang` columns further in, which is less than `columns`.
pub fn hanging(text: &str, columns: usize, hang: usize) -> Vec<usize> {
    let mut starts = vec![0];
    if columns == 0 || (text.is_ascii() && text.len() <= columns) {
        return starts;
    }
    // Columns since the last start, and the last place after a blank with the columns before it.
    let (mut taken, mut begin) = (0, 0);
    let mut blank: Option<(usize, usize)> = None;
    let mut at = 0;
    while let Some(grapheme) = grapheme_at(text, at) {
        // A blank at the edge stays on the row above, unseen, and so do those behind it.
        let blanks = blanks_at(text, at);
        if blanks > 0 {
            at += blanks;
            taken += blanks;
            blank = Some((at, taken));
            continue;
        }
        let wide = grapheme.width;
        while taken + wide > columns && taken > begin {
            let (start, before) = blank.take().unwrap_or((at, taken));
            starts.push(start);
            begin = hang;
            taken = begin + taken.saturating_sub(before);
        }
        taken += wide;
        at += grapheme.text.len();
    }
    starts
}

/// A text of one line as the parts that [`breaks`] makes of it.
pub fn wrap(text: &str, columns: usize) -> Vec<&str> {
    let starts = breaks(text, columns);
    let ends = starts
        .iter()
        .skip(1)
        .copied()
        .chain(std::iter::once(text.len()));
    starts
        .iter()
        .zip(ends)
        .filter_map(|(&start, end)| text.get(start..end))
        .collect()
}
