//! Detection of the format of a file by its content.

use geomys_wire::protocol::{gopher, octets};
use memchr::memmem;
use rfc1738::{Dialect, leading_scheme};
use serde::de::IgnoredAny;

use super::columns::Field;
use super::{BookmarkFormat, browsers, gophermap, outline, safari, url_lists};

/// Number of octets of a file that are examined.
const SAMPLE: usize = 64 << 10;

/// Tags of which a page of HTML has one, separated by bars.
const TAGS: &str = "<!doctype|<html|<a |<dl|<title|<h1|<ul|<li";

/// Beginnings of a page that are no title of a bookmark, separated by bars.
const PAGE_STARTS: &str = "<!doctype|<html|<?xml";

/// Returns the format of a file that is [`opened`](super::opened); the default is text.
pub fn detect(octets: &[u8]) -> BookmarkFormat {
    let octets = octets.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(octets);
    let sample = Sample::new(octets);
    let by_start = sample.by_first_line().or_else(|| sample.by_markup());
    let format = by_start.or_else(|| sample.by_json(octets));
    format.unwrap_or_else(|| sample.by_lines())
}

/// Start of a file.
struct Sample<'a> {
    /// The octets in lower case.
    small: Vec<u8>,
    /// Lines that are not blank.
    lines: Vec<&'a [u8]>,
    /// Lines that are no comments either.
    entries: Vec<&'a [u8]>,
    /// First line in lower case, without the white space around it.
    first: Vec<u8>,
}

impl<'a> Sample<'a> {
    fn new(octets: &'a [u8]) -> Self {
        // Without a truncated last line, which could be misinterpreted.
        let start = octets.get(..SAMPLE).map_or(octets, |start| {
            let end = memchr::memrchr(b'\n', start).unwrap_or(start.len());
            start.get(..end).unwrap_or(start)
        });
        let lines = octets::lines(start).filter(|line| !line.trim_ascii().is_empty());
        let lines: Vec<&[u8]> = lines.collect();
        let is_comment = |line: &&[u8]| line.starts_with(b"#");
        let entries = lines.iter().copied().filter(|line| !is_comment(line));
        let first = lines.first().copied().unwrap_or_default();
        Self {
            small: start.to_ascii_lowercase(),
            entries: entries.collect(),
            first: first.trim_ascii().to_ascii_lowercase(),
            lines,
        }
    }

    fn holds(&self, word: &str) -> bool {
        memmem::find(&self.small, word.as_bytes()).is_some()
    }

    /// Returns true if a line sets this key in lower case, with white space before it and around its equals sign.
    fn has_key(&self, key: &[u8]) -> bool {
        let is_key = |line: &&[u8]| {
            let own = line.split(|octet| *octet == b'=').next();
            let is_key = own.is_some_and(|own| own.trim_ascii().eq_ignore_ascii_case(key));
            is_key && line.contains(&b'=')
        };
        self.lines.iter().any(is_key)
    }

    /// Returns true if a line begins with these octets in lower case.
    fn has_line(&self, start: &[u8]) -> bool {
        let starts = |line: &&[u8]| {
            let own = line.get(..start.len());
            own.is_some_and(|own| own.eq_ignore_ascii_case(start))
        };
        self.lines.iter().any(starts)
    }

    /// Returns true if the first line is one of a bookmark file, whatever its title is.
    fn is_wrapped(&self) -> bool {
        memmem::find(&self.first, b"<url:").is_some()
    }

    /// Returns the format of a file whose first line decides, or all of whose lines are alike.
    fn by_first_line(&self) -> Option<BookmarkFormat> {
        let first = self.first.as_slice();
        let section = self
            .entries
            .first()
            .copied()
            .unwrap_or_default()
            .trim_ascii();
        let is_shortcut = safari::FIRST_LINES
            .iter()
            .any(|head| section.eq_ignore_ascii_case(head));
        let is_bookmarks = |line: &&[u8]| line.eq_ignore_ascii_case(b"[bookmarks]");
        if first == browsers::MOSAIC {
            Some(BookmarkFormat::Mosaic)
        } else if first.starts_with(browsers::OPERA) {
            Some(BookmarkFormat::Opera)
        } else if all(&self.lines, is_row) {
            Some(BookmarkFormat::Gophermap)
        } else if is_shortcut && self.has_line(b"url=") {
            Some(BookmarkFormat::Shortcut)
        } else if self.has_key(b"connectiontype") && self.has_key(b"address") {
            Some(BookmarkFormat::Syncterm)
        } else if is_section(section) && self.lines.iter().any(is_bookmarks) {
            Some(BookmarkFormat::Bombadillo)
        } else if is_head(first) {
            Some(BookmarkFormat::Csv)
        } else {
            None
        }
    }

    fn by_markup(&self) -> Option<BookmarkFormat> {
        let starts = |start: &str| self.first.starts_with(start.as_bytes());
        let is_page = PAGE_STARTS.split('|').any(starts);
        if !(is_page || starts("<") && !self.is_wrapped()) {
            return None;
        }
        if self.holds("<xbel") {
            Some(BookmarkFormat::Xbel)
        } else if self.holds("<opml") {
            Some(BookmarkFormat::Opml)
        } else if self.holds("<plist") {
            Some(BookmarkFormat::Safari)
        } else if self.holds("<filezilla3") {
            Some(BookmarkFormat::FileZilla)
        } else if self.holds("<posts") {
            Some(BookmarkFormat::Pinboard)
        } else {
            let has_tag = TAGS.split('|').any(|tag| self.holds(tag));
            has_tag.then_some(BookmarkFormat::Html)
        }
    }

    fn by_json(&self, octets: &[u8]) -> Option<BookmarkFormat> {
        let small = self.small.trim_ascii_start();
        let next = small.get(1..).unwrap_or_default().trim_ascii_start();
        let is_json = match small.first() {
            Some(b'{') => next.starts_with(b"\"") || next.starts_with(b"}"),
            Some(b'[') => next.first().is_some_and(|next| b"{[]".contains(next)),
            Some(_) | None => false,
        };
        // The title of a bookmark may begin like JSON.
        let is_value = || {
            let mut values = serde_json::Deserializer::from_slice(octets).into_iter::<IgnoredAny>();
            values.next().is_some_and(|value| value.is_ok())
        };
        let is_json = is_json && (!self.is_wrapped() || is_value());
        is_json.then_some(BookmarkFormat::Json)
    }

    fn by_lines(&self) -> BookmarkFormat {
        let Self { lines, entries, .. } = self;
        let fields = || (0..5).all(|place| lines.iter().any(|line| is_field(line, place)));
        if lines.iter().any(|line| is_number_section(line)) && self.has_line(b"url = ") {
            BookmarkFormat::Lagrange
        } else if fields() {
            BookmarkFormat::Gopherrc
        } else if all(lines, browsers::is_elinks_line) {
            BookmarkFormat::Elinks
        } else if mostly(lines, is_row) {
            BookmarkFormat::Gophermap
        } else if is_newsboat(entries) {
            BookmarkFormat::Newsboat
        } else if self.holds("<url:") {
            BookmarkFormat::Text
        } else if lines.iter().any(|line| is_gemtext_link(line)) {
            BookmarkFormat::Gemtext
        } else if lines.iter().any(|line| has_link(line, b"[[", b"]]")) {
            BookmarkFormat::Org
        } else if lines.iter().any(|line| has_link(line, b"](", b")")) {
            BookmarkFormat::Markdown
        } else if all(entries, |line| {
            is_group(line) || line.starts_with(b"options ")
        }) {
            BookmarkFormat::Newsrc
        } else if all(entries, is_name_and_address)
            || entries.len() > 2 && count(entries, is_name_and_address) + 1 == entries.len()
        {
            BookmarkFormat::Lftp
        } else if all(entries, is_record) {
            BookmarkFormat::Csv
        } else {
            BookmarkFormat::Text
        }
    }
}

/// Formats that are recognized but not imported: the octets at an offset of a file, and a name.
const OTHERS: [(usize, &[u8], &str); 12] = [
    (
        0,
        b"bplist",
        "a binary property list; `plutil -convert xml1` writes it as XML",
    ),
    (
        0,
        b"SQLite format 3\0",
        "an SQLite database; `buku -e FILE.html`, or Show all bookmarks, Import and Backup, Export in Firefox, writes it as HTML",
    ),
    (0, b"PK\x03\x04", "a ZIP archive"),
    (0, b"\x1f\x8b", "a gzip file"),
    (0, b"\x28\xb5\x2f\xfd", "a Zstandard file"),
    (0, b"\xfd7zXZ\0", "an xz file"),
    (4, b"1AY&SY", "a bzip2 file"),
    (257, b"ustar", "a tar archive"),
    (0, b"%PDF-", "a PDF document"),
    (0, b"\x89PNG", "a PNG picture"),
    (0, b"\xff\xd8\xff", "a JPEG picture"),
    (0, b"\x7fELF", "a program"),
];

/// Returns the name of a format that is recognized, but cannot be imported. A chosen format decides only what XML is:
/// no text begins like the others.
pub fn other_format(octets: &[u8], chosen: Option<BookmarkFormat>) -> Option<&'static str> {
    let is_at =
        |at: usize, begin: &[u8]| octets.get(at..).is_some_and(|rest| rest.starts_with(begin));
    let mut others = OTHERS.iter();
    let found = others.find(|(at, begin, _)| is_at(*at, begin));
    let is_xml = octets.trim_ascii_start().starts_with(b"<?xml");
    let is_other_xml = || is_xml && chosen.is_none() && detect(octets) == BookmarkFormat::Text;
    let found = found.map(|(.., name)| *name);
    found.or_else(|| is_other_xml().then_some("XML of another kind"))
}

/// Returns true for the head of a section.
fn is_section(line: &[u8]) -> bool {
    line.starts_with(b"[") && line.ends_with(b"]")
}

/// Returns true for a field of an item of `.gopherrc`, by its place.
fn is_field(line: &[u8], place: usize) -> bool {
    gophermap::field(line).is_some_and(|(own, _)| own == place)
}

/// Returns true for the lines of a `urls` file that are no comments: feeds with tags in quotes, and headings between
/// them.
fn is_newsboat(entries: &[&[u8]]) -> bool {
    let is_heading = |line: &[u8]| str::from_utf8(line).is_ok_and(url_lists::is_heading);
    all(entries, |line| is_feed(line) || is_heading(line))
        && mostly(entries, is_feed)
        && entries
            .iter()
            .any(|line| is_feed(line) && (line.starts_with(b"\"") || has_quoted_word(line)))
}

/// Returns true if a word of a line begins with a quotation mark, but not the first one.
fn has_quoted_word(line: &[u8]) -> bool {
    let mut pairs = line.windows(2);
    pairs.any(|pair| matches!(pair, [b' ' | b'\t', b'"']))
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

fn count(lines: &[&[u8]], is: impl Fn(&[u8]) -> bool) -> usize {
    lines.iter().filter(|line| is(line)).count()
}

/// Returns true if more than half of the lines are so.
fn mostly(lines: &[&[u8]], is: impl Fn(&[u8]) -> bool) -> bool {
    count(lines, is) * 2 > lines.len()
}

/// Returns true for a row of a menu with host and port.
fn is_row(line: &[u8]) -> bool {
    let port = line.split(|&octet| octet == b'\t').nth(3);
    let port = port.and_then(|port| octets::parse::<u16>(port.trim_ascii()));
    port.is_some() && gopher::item(line).is_some_and(|item| item.gtype.is_ascii_graphic())
}

/// Returns true for the first line, in lower case, of a table with a column for addresses.
fn is_head(line: &[u8]) -> bool {
    let mut names = line.split(|octet| b",;\t".contains(octet));
    let is_address = |name: &[u8]| {
        let name = String::from_utf8_lossy(unquoted(name));
        Field::named(&name) == Some(Field::Url)
    };
    let is_other = line.starts_with(b"# ") || memmem::find(line, b"<url:").is_some();
    !is_other && line.iter().any(|octet| b",;\t".contains(octet)) && names.any(is_address)
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
    let line = line.trim_ascii_start();
    let line = line.strip_prefix(b"\"").unwrap_or(line);
    url_lists::OWN
        .iter()
        .any(|own| line.starts_with(own.as_bytes()))
        || is_url(
            line.split(|octet| octet.is_ascii_whitespace() || *octet == b'"')
                .next(),
        )
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
    word.is_some_and(|word| {
        Dialect::Extended.parse(word).is_ok() && memmem::find(word, b":/").is_some()
    })
}
