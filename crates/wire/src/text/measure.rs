//! Text width in columns, and the parts of a text that fit.
//!
//! A text is measured by graphemes, as it is drawn, and only as far as necessary: a row may be 16 KiB long.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// The columns of a text on a terminal: the sum of its characters' East Asian widths (Unicode).
pub fn width(text: &str) -> usize {
    if is_visible_ascii(text) {
        return text.len();
    }
    UnicodeWidthStr::width(text)
}

/// Returns true if all characters are visible ASCII or blanks: each is an octet and a column.
pub(super) fn is_visible_ascii(text: &str) -> bool {
    let is_visible = |octet: u8| matches!(octet, b' '..=b'~');
    // Without an early end this is one pass of vector instructions.
    (text.bytes()).fold(true, |all, octet| all & is_visible(octet))
}

/// The columns of a text, but at most `most`.
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

/// The number of octets of `text` in its first `columns` columns.
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
struct MeasuredGrapheme<'a> {
    text: &'a str,
    width: usize,
}

/// The graphemes of a text, with their octet offsets.
fn measured(text: &str) -> impl Iterator<Item = (usize, MeasuredGrapheme<'_>)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let (start, grapheme) = (at, grapheme_at(text, at)?);
        at += grapheme.text.len();
        Some((start, grapheme))
    })
}

/// The grapheme at an octet offset.
fn grapheme_at(text: &str, at: usize) -> Option<MeasuredGrapheme<'_>> {
    let rest = text.get(at..)?;
    let octets = rest.as_bytes();
    // A character with ASCII on both sides is a grapheme by itself.
    let is_plain = matches!(octets.first()?, b' '..=b'~') && octets.get(1).is_none_or(u8::is_ascii);
    if is_plain {
        let text = rest.get(..1)?;
        return Some(MeasuredGrapheme { text, width: 1 });
    }
    let text = rest.graphemes(true).next()?;
    let width = width(text);
    Some(MeasuredGrapheme { text, width })
}

/// The number of consecutive spaces from an octet offset on, each of them a grapheme.
fn blanks_at(text: &str, at: usize) -> usize {
    let octets = text.as_bytes().get(at..).unwrap_or_default();
    let blanks = octets.iter().take_while(|octet| **octet == b' ').count();
    // A combining accent may follow the last one.
    let is_plain = octets.get(blanks).is_none_or(u8::is_ascii);
    if is_plain {
        blanks
    } else {
        blanks.saturating_sub(1)
    }
}

/// Returns true if every character in the first `columns` columns, and the one after them, is ASCII, so that octets
/// equal columns.
fn is_plain(text: &str, columns: usize) -> bool {
    let first = text.as_bytes().get(..=columns);
    first.unwrap_or(text.as_bytes()).is_ascii()
}

/// The part of a text around one of its columns, with an ellipsis where it is cut, and the position of that column in
/// the part.
pub fn around(text: &str, column: usize, room: usize, ellipsis: &str) -> (String, usize) {
    let whole = width(text);
    if whole.max(column + 1) <= room {
        return (text.to_owned(), column);
    }
    // The cut ends have an ellipsis, so the column is neither the first nor the last one.
    let last = (whole.max(column + 1) + 1).saturating_sub(room);
    let from = column.saturating_sub(room * 2 / 3).min(last);
    let mut part = columns(text, from, room);
    if from + room < whole {
        part = columns(&part, 0, room.saturating_sub(1)) + ellipsis;
    }
    if from > 0 {
        part = ellipsis.to_owned() + &columns(&part, 1, room);
    }
    (part, column - from)
}

/// The part of `text` in the columns `from..from + columns`, cut between graphemes. A wide character cut by the left
/// edge becomes spaces.
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

/// As much of `text` as fits in `columns`, with `ellipsis` at its end if something was cut off.
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

/// As much of a file name as fits in `columns`, with `ellipsis` in its middle if something was cut out: its end, which
/// tells versions, numbers and types apart, stays.
pub fn shorten_middle(text: &str, columns_: usize, ellipsis: &str) -> String {
    if prefix(text, columns_) == text.len() {
        return text.to_owned();
    }
    let Some(room) = columns_.checked_sub(width(ellipsis)) else {
        return columns(text, 0, columns_);
    };
    let end = room / 2;
    let head = columns(text, 0, room - end);
    let tail = columns(text, width(text).saturating_sub(end), end);
    format!("{head}{ellipsis}{tail}")
}

/// The octet offsets at which the parts of a one-line text start, so that each part fits `columns`: it is broken
/// after the last space that fits, a long URL after its last slash that fits, else between graphemes. The first offset
/// is 0. `columns` of 0 breaks nothing.
pub fn breaks(text: &str, columns: usize) -> Vec<usize> {
    hanging(text, columns, 0)
}

/// The offsets of [`breaks`], where every part except the first is indented by `hang` columns, which is less than
/// `columns`.
pub fn hanging(text: &str, columns: usize, hang: usize) -> Vec<usize> {
    let mut starts = vec![0];
    if columns == 0 || (text.is_ascii() && text.len() <= columns) {
        return starts;
    }
    // The columns since the last start, and the last position after a space with the columns before it.
    let (mut taken, mut begin) = (0, 0);
    let mut blank: Option<(usize, usize)> = None;
    // The same behind the last slash in the path of a URL.
    let mut slash: Option<(usize, usize)> = None;
    let mut is_url = false;
    let mut at = 0;
    while let Some(grapheme) = grapheme_at(text, at) {
        // Spaces at the edge stay invisible at the end of the row above.
        let blanks = blanks_at(text, at);
        if blanks > 0 {
            at += blanks;
            taken += blanks;
            blank = Some((at, taken));
            (slash, is_url) = (None, false);
            continue;
        }
        let wide = grapheme.width;
        while taken + wide > columns && taken > begin {
            let end = blank.take().or_else(|| slash.take());
            let (start, before) = end.unwrap_or((at, taken));
            starts.push(start);
            begin = hang;
            taken = begin + taken.saturating_sub(before);
            let later = slash.filter(|(slash, _)| *slash > start);
            slash = later.map(|(slash, taken)| (slash, begin + taken.saturating_sub(before)));
        }
        taken += wide;
        at += grapheme.text.len();
        if grapheme.text == "/" {
            if is_url {
                slash = Some((at, taken));
            }
            is_url |= text.get(..at).is_some_and(|before| before.ends_with("://"));
        }
    }
    starts
}

/// The parts of a one-line text that [`breaks`] makes.
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
