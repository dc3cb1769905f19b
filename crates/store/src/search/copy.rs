//! The search of one copy: first its octets, which decide most pages, then its text as the browser shows it.

use std::borrow::Cow;

use geomys_page::document::find::{PageText, fold_latin as fold};
use geomys_page::document::{Document, Shape};
use geomys_wire::text::{Charset, CharsetSetting};
use memchr::memmem;

use super::query::SearchQuery;
use super::{Rank, SearchHit};
use crate::files::cache::PageHeader;

/// The maximum length of the line of a hit, in characters.
const MAX_LINE_CHARS: usize = 300;

/// Text in octets that is not what it shows: encoded headers and bodies, tags.
const ENCODED: [&[u8]; 5] = [
    b"=?",
    b"quoted-printable",
    b"base64",
    b"text/html",
    b"x-yenc",
];

/// Returns true if a page could have all words, by its octets; a false result is never wrong.
pub(super) fn may_match(query: &SearchQuery, head: &PageHeader, octets: &[u8]) -> bool {
    let is_shown_as_sent = !matches!(head.shape, Shape::Html | Shape::Json | Shape::Feed);
    // Controls begin escape sequences, other charsets and overstruck letters.
    let has_controls = || memchr::memchr3(0, 8, 27, octets).is_some();
    if !is_shown_as_sent || has_controls() {
        return true;
    }
    let mut lower = octets.to_ascii_lowercase();
    if let Some(title) = &head.title {
        let mut folded = String::from("\n");
        fold(title, &mut folded);
        lower.extend(folded.into_bytes());
    }
    let is_message = matches!(head.shape, Shape::Article | Shape::Group);
    if is_message
        && ENCODED
            .iter()
            .any(|word| memmem::find(&lower, word).is_some())
    {
        return true;
    }
    let mut folded = None;
    query.wanted.iter().all(|word| {
        // A phrase may be broken into lines.
        word.folded().all(|word| {
            memmem::find(&lower, word.as_bytes()).is_some()
                || !octets.is_ascii() && {
                    let folded = folded.get_or_insert_with(|| fold_lines(head, octets));
                    memmem::find(folded.as_bytes(), word.as_bytes()).is_some()
                }
        })
    })
}

/// Returns the lines that are not in ASCII, folded. Text that declares no charset is read as UTF-8, and else as what it might be.
fn fold_lines(head: &PageHeader, octets: &[u8]) -> String {
    let mut folded = String::new();
    for line in octets
        .split(|&octet| octet == b'\n')
        .filter(|line| !line.is_ascii())
    {
        let decoded = match (head.charset, str::from_utf8(line)) {
            (Some(charset), _) => charset.decode(line),
            (None, Ok(line)) => Cow::Borrowed(line),
            (None, Err(_)) => Charset::default().decode(line),
        };
        fold(&decoded, &mut folded);
        folded.push('\n');
    }
    folded
}

/// Searches a page, and returns its best row.
pub(super) fn hit(
    query: &SearchQuery,
    (head, since): (PageHeader, jiff::Timestamp),
    octets: &[u8],
    charset: CharsetSetting,
) -> Option<SearchHit> {
    let url = head.real.unwrap_or_else(|| head.url.clone());
    let mut document = Document::new(url.clone(), head.shape, charset).for_output();
    document.declare(head.charset);
    document.append(octets);
    let document = document.finished();
    let title = head
        .title
        .or_else(|| document.title().map(|title| title.to_string()));
    let title = title.unwrap_or_default();
    let page = PageText::new(&document, &title);
    let text = || {
        let rows = (0..document.count()).filter_map(|row| document.row(row));
        let rows = rows.map(|row| row.text());
        let all: Vec<String> = rows.chain(std::iter::once(title.clone())).collect();
        all.join(" ")
    };
    if !query.matches(&page, text) {
        return None;
    }
    let (row, is_near) = page.best_row(&query.wanted)?;
    let rank = if query.is_in_title(&title) {
        Rank::Title
    } else if is_near {
        Rank::Near
    } else {
        Rank::Far
    };
    let line = document.row(row).map_or(String::new(), |row| row.text());
    Some(SearchHit {
        key: head.url,
        url,
        title,
        since: Some(since),
        line: excerpt(query, line.trim()),
        count: page.occurrences(&query.wanted),
        rank,
    })
}

/// Returns the part of a line around its first mark.
fn excerpt(query: &SearchQuery, line: &str) -> String {
    if line.chars().count() <= MAX_LINE_CHARS {
        return line.to_owned();
    }
    let first = query
        .wanted
        .ranges(line)
        .first()
        .map_or(0, |mark| mark.start);
    let before = line.get(..first).unwrap_or_default().chars().count();
    let skipped = before.saturating_sub(MAX_LINE_CHARS / 3);
    let part: String = line.chars().skip(skipped).take(MAX_LINE_CHARS).collect();
    if skipped > 0 {
        format!("…{part}")
    } else {
        part
    }
}
