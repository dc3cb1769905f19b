//! Detection of the format of a file by its content.

use memchr::memmem;

use super::{BookmarkFormat, outline, sqlite};
use crate::protocol::{gopher, octets};
use crate::url::{Url, leading_scheme};

/// Number of octets of a file that are examined.
const SAMPLE: usize = 64 << 10;

/// Tags of which a page of HTML has one, separated by bars.
const TAGS: &str = "<!doctype|<html|<a |<dl|<title|<h1|<ul|<li";

/// Returns the format of these octets; the default is text.
pub fn detect(octets: &[u8]) -> BookmarkFormat {
    if octets.starts_with(sqlite::MAGIC) {
        return BookmarkFormat::Buku;
    }
    let octets = octets.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(octets);
    // Without a truncated last line, which could be misinterpreted.
    let start = octets.get(..SAMPLE).map_or(octets, |start| {
        let end = memchr::memrchr(b'\n', start).unwrap_or(start.len());
        start.get(..end).unwrap_or(start)
    });
    let small = start.to_ascii_lowercase();
    let holds = |word: &str| memmem::find(&small, word.as_bytes()).is_some();
    let first = small.trim_ascii_start();
    let is_markup = first.starts_with(b"<") && !first.starts_with(b"<url:");
    let next = first.get(1..).unwrap_or_default().trim_ascii_start();
    let is_json = match first.first() {
        Some(b'{') => next.starts_with(b"\"") || next.starts_with(b"}"),
        Some(b'[') => next.first().is_some_and(|next| b"{[]".contains(next)),
        Some(_) | None => false,
    };
    let lines: Vec<&[u8]> = octets::lines(start)
        .filter(|line| !line.trim_ascii().is_empty())
        .collect();
    let is_section = |line: &&[u8]| line.eq_ignore_ascii_case(b"[bookmarks]");
    let rows = lines.iter().filter(|line| is_row(line)).count();
    let is_comment = |line: &&[u8]| line.starts_with(b"#");
    let entries: Vec<&[u8]> = lines
        .iter()
        .copied()
        .filter(|line| !is_comment(line))
        .collect();
    let starts = |begin: &[u8]| lines.iter().any(|line| line.starts_with(begin));
    if is_markup && holds("<xbel") {
        BookmarkFormat::Xbel
    } else if is_markup && holds("<opml") {
        BookmarkFormat::Opml
    } else if is_markup && TAGS.split('|').any(holds) {
        BookmarkFormat::Html
    } else if lines.iter().any(is_section) {
        BookmarkFormat::Bombadillo
    } else if lines.iter().any(|line| is_number_section(line)) && starts(b"url = ") {
        BookmarkFormat::Lagrange
    } else if is_json {
        BookmarkFormat::Json
    } else if holds("<url:") {
        BookmarkFormat::Text
    } else if rows * 2 > lines.len() {
        BookmarkFormat::Gophermap
    } else if lines.first().is_some_and(|first| is_head(first)) {
        BookmarkFormat::Csv
    } else if lines.iter().any(|line| is_gemtext_link(line)) {
        BookmarkFormat::Gemtext
    } else if lines.iter().any(|line| has_link(line, b"[[", b"]]")) {
        BookmarkFormat::Org
    } else if lines.iter().any(|line| has_link(line, b"](", b")")) {
        BookmarkFormat::Markdown
    } else if all(&entries, |line| {
        is_group(line) || line.starts_with(b"options ")
    }) {
        BookmarkFormat::Newsrc
    } else if all(&entries, is_name_and_address) {
        BookmarkFormat::Lftp
    } else if all(&entries, is_feed) && entries.iter().any(|line| line.contains(&b'"')) {
        BookmarkFormat::Newsboat
    } else if all(&entries, is_record) {
        BookmarkFormat::Csv
    } else {
        BookmarkFormat::Text
    }
}

/// Formats that are recognized but not imported: the octets at an offset of a file, and a name.
const OTHERS: [(usize, &[u8], &str); 14] = [
    (0, b"mozLz40\0", "a compressed file of Firefox (jsonlz4)"),
    (0, b"bplist", "a binary property list"),
    (0, b"PK\x03\x04", "a ZIP archive"),
    (0, b"\x1f\x8b", "a gzip file"),
    (0, b"\x28\xb5\x2f\xfd", "a Zstandard file"),
    (0, b"\xfd7zXZ\0", "an xz file"),
    (0, b"BZh", "a bzip2 file"),
    (257, b"ustar", "a tar archive"),
    (0, b"%PDF-", "a PDF document"),
    (0, b"\x89PNG", "a PNG picture"),
    (0, b"\xff\xd8\xff", "a JPEG picture"),
    (0, b"\x7fELF", "a program"),
    (0, b"\xff\xfe", "text in UTF-16"),
    (0, b"\xfe\xff", "text in UTF-16"),
];

/// Returns the name of a format that is recognized, but cannot be imported.
pub fn other_format(octets: &[u8]) -> Option<&'static str> {
    let is_at =
        |at: usize, begin: &[u8]| octets.get(at..).is_some_and(|rest| rest.starts_with(begin));
    let mut others = OTHERS.iter();
    let found = others.find(|(at, begin, _)| is_at(*at, begin));
    found.map(|(.., name)| *name)
}

/// Returns true for the number of a bookmark of lagrange.
fn is_number_section(line: &[u8]) -> bool {
    let number = line
        .strip_prefix(b"[")
        .and_then(|line| line.strip_suffix(b"]"));
    number.is_some_and(|number| !number.is_empty() && number.iter().all(u8::is_ascii_digit))
}

/// Returns true for a link of gemtext with a whole URL.
fn is_gemtext_link(line: &[u8]) -> bool {
    let link = str::from_utf8(line).ok().and_then(outline::gemtext_link);
    link.is_some_and(|(url, _)| leading_scheme(url).is_some())
}

/// Returns true if a line has a URL between these brackets.
fn has_link(line: &[u8], open: &[u8], close: &[u8]) -> bool {
    memmem::find_iter(line, open).any(|at| {
        let rest = line.get(at + open.len()..).unwrap_or_default();
        let end = memmem::find(rest, close).unwrap_or(rest.len());
        let url = str::from_utf8(rest.get(..end).unwrap_or_default());
        end < rest.len() && url.is_ok_and(|url| leading_scheme(url).is_some())
    })
}

fn all(lines: &[&[u8]], is: impl Fn(&[u8]) -> bool) -> bool {
    !lines.is_empty() && lines.iter().all(|line| is(line))
}

/// Returns true for a row of a menu with host and port.
fn is_row(line: &[u8]) -> bool {
    let fields = line.split(|&octet| octet == b'\t').count();
    gopher::item(line).is_some_and(|item| fields >= 4 && (item.gtype.is_ascii_graphic()))
}

/// Returns true for the first line of a table with a column for addresses.
fn is_head(line: &[u8]) -> bool {
    let mut names = line.split(|octet| b",;\t".contains(octet));
    let is_address = |name: &[u8]| {
        let addresses: [&[u8]; 5] = [b"url", b"uri", b"href", b"link", b"address"];
        let name = unquoted(name);
        addresses
            .iter()
            .any(|address| name.eq_ignore_ascii_case(address))
    };
    line.iter().any(|octet| b",;\t".contains(octet)) && names.any(is_address)
}

/// Returns true for a group of a `.newsrc`.
fn is_group(line: &[u8]) -> bool {
    let Some(end) = line.iter().position(|octet| matches!(octet, b':' | b'!')) else {
        return false;
    };
    let (name, rest) = line.split_at_checked(end).unwrap_or_default();
    let rest = rest.get(1..).unwrap_or_default();
    let is_number = |octet: &u8| octet.is_ascii_digit() || b" ,-\t".contains(octet);
    !name.is_empty() && name.iter().all(u8::is_ascii_graphic) && rest.iter().all(is_number)
}

/// Returns true for a name of one word and an address.
fn is_name_and_address(line: &[u8]) -> bool {
    let mut words = line
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty());
    let (name, url, more) = (words.next(), words.next(), words.next());
    let is_address = |word: &[u8]| memmem::find(word, b"://").is_some();
    name.is_some_and(|name| !is_address(name)) && url.is_some_and(is_address) && more.is_none()
}

/// Returns true for a line that starts with an address, or with a feed specification of newsboat.
fn is_feed(line: &[u8]) -> bool {
    let own: [&[u8]; 4] = [b"query:", b"filter:", b"exec:", b"\""];
    own.iter().any(|own| line.starts_with(own))
        || is_url(line.split(u8::is_ascii_whitespace).next())
}

/// Returns true for columns of which one is an address.
fn is_record(line: &[u8]) -> bool {
    [b',', b';', b'\t'].iter().any(|by| {
        let mut values = line.split(|octet| octet == by);
        line.contains(by) && values.any(|value| is_url(Some(unquoted(value))))
    })
}

/// Returns a value of a table without the quotes around it.
fn unquoted(value: &[u8]) -> &[u8] {
    let value = value.trim_ascii();
    let value = value.strip_prefix(b"\"").unwrap_or(value);
    value.strip_suffix(b"\"").unwrap_or(value)
}

fn is_url(word: Option<&[u8]>) -> bool {
    word.is_some_and(|word| Url::accept_octets(word).is_ok() && memmem::find(word, b":/").is_some())
}
