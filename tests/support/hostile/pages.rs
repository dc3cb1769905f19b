//! The hostile pages: rows of maximal cost, and content that is expensive for one format only.

use geomys_page::document::{ListingPlace, Shape};
use geomys_wire::protocol::ftp::listing::{Day, Format};

use super::{End, HostilePage};

/// Texts of about `length` octets that are expensive to clean, measure, search for links or draw.
pub fn fillers(length: usize) -> Vec<(&'static str, Vec<u8>)> {
    let units: [(&str, &[u8]); 27] = [
        ("letters", b"x"),
        ("words", b"word "),
        ("tabs", b"\t"),
        ("combining marks", "\u{301}".as_bytes()),
        (
            "letters with nine marks",
            "e\u{301}\u{302}\u{303}\u{304}\u{306}\u{307}\u{308}\u{30a}\u{30b}".as_bytes(),
        ),
        ("joined emoji", "\u{1f469}\u{200d}".as_bytes()),
        ("Hangul leads", "\u{1100}".as_bytes()),
        ("conjuncts", "\u{915}\u{94d}".as_bytes()),
        ("prepended signs", "\u{600}".as_bytes()),
        ("zero-width spaces", "\u{200b}".as_bytes()),
        ("soft hyphens", "\u{ad}".as_bytes()),
        ("wide letters", "\u{6f22}".as_bytes()),
        ("painted letters", b"\x1b[31mx\x1b[32my"),
        ("colours alone", b"\x1b[38;5;9m"),
        ("escapes", b"\x1b(B"),
        ("strings to the terminal", b"\x1b]0;a\x07"),
        ("NULs", b"\0"),
        ("octets that are not UTF-8", b"\xff\xe9"),
        ("URLs", b"http://a/ "),
        ("faulty URLs", b"http://a/[ "),
        ("wrapped URLs", b"<URL:http://a/>"),
        ("half-wrapped URLs", b"<URL:http://a/ "),
        ("words with a colon", b"URL:! "),
        ("Message-IDs", b"<12345678901234@b>"),
        ("mail addresses", b"a@b.c "),
        ("encoded words", b"=?utf-8?q?=C3=A9?= "),
        ("quotation marks", b">"),
    ];
    let mut fillers: Vec<(&str, Vec<u8>)> = units
        .into_iter()
        .map(|(name, unit)| (name, unit.repeat(length / unit.len())))
        .collect();
    let faults = [b"http://a/".to_vec(), b"[".repeat(length)].concat();
    fillers.push(("one long faulty URL", faults));
    fillers.push((
        "one long URL",
        [b"http://a/".to_vec(), b"a".repeat(length)].concat(),
    ));
    let octets = [b"http://a/".to_vec(), b"\xff\xe9".repeat(length / 2)].concat();
    fillers.push(("one URL that is not UTF-8", octets));
    fillers.push((
        "half an escape",
        [b"\x1b[".to_vec(), b"0;".repeat(length / 2)].concat(),
    ));
    fillers
}

pub(super) const TODAY: Day = Day {
    year: 1994,
    month: 12,
    day: 1,
};

/// The line of each shape that holds a filler.
#[expect(clippy::too_many_lines, reason = "a table")]
fn forms() -> Vec<(&'static str, &'static str, Shape, &'static str)> {
    let listing = |format| Shape::Listing {
        format,
        today: TODAY,
        place: ListingPlace::Server,
    };
    vec![
        ("text", "gopher://h/0/x", Shape::Text, "{}\n"),
        ("finger answer", "finger://h/x", Shape::Text, "Plan: {}\r\n"),
        (
            "menu, names",
            "gopher://h/1/x",
            Shape::Menu,
            "1{}\t/x\th\t70\r\n",
        ),
        (
            "menu, information",
            "gopher://h/1/x",
            Shape::Menu,
            "i{}\t\t\t\r\n",
        ),
        (
            "menu, selectors",
            "gopher://h/1/x",
            Shape::Menu,
            "1x\t{}\th\t70\r\n",
        ),
        (
            "menu, hosts",
            "gopher://h/1/x",
            Shape::Menu,
            "1x\t/x\t{}\t70\r\n",
        ),
        (
            "menu, URLs",
            "gopher://h/1/x",
            Shape::Menu,
            "hx\tURL:{}\th\t70\r\n",
        ),
        (
            "menu, sessions",
            "gopher://h/1/x",
            Shape::Menu,
            "8x\t{}\th\t70\r\n",
        ),
        (
            "menu, mirrors",
            "gopher://h/1/x",
            Shape::Menu,
            "+{}\t/x\th\t70\r\n",
        ),
        (
            "menu, Gopher+",
            "gopher://h/1/x",
            Shape::Menu,
            "1{}\t/x\th\t70\t+\r\n",
        ),
        (
            "attributes, items",
            "gopher://h/1/x%09%09!",
            Shape::Attributes,
            "+INFO: 1{}\t/x\th\t70\t+\r\n",
        ),
        (
            "attributes, administrators",
            "gopher://h/1/x%09%09!",
            Shape::Attributes,
            "+INFO: 1x\t/x\th\t70\t+\r\n+ADMIN:\r\n Admin: {}\r\n",
        ),
        (
            "attributes, views",
            "gopher://h/1/x%09%09!",
            Shape::Attributes,
            "+VIEWS:\r\n {} De: <1k>\r\n",
        ),
        (
            "attributes, abstracts",
            "gopher://h/1/x%09%09!",
            Shape::Attributes,
            "+ABSTRACT:\r\n {}\r\n",
        ),
        (
            "people, names",
            "gopher://h/2x",
            Shape::People,
            "-200:1:{}: x\r\n",
        ),
        (
            "people, values",
            "gopher://h/2x",
            Shape::People,
            "-200:1:email: {}\r\n",
        ),
        (
            "hits, headlines",
            "wais://h/d?x",
            Shape::Hits,
            "1000\t5\t5\t941201\t{}\tTEXT\tid\r\n",
        ),
        (
            "hits, types",
            "wais://h/d?x",
            Shape::Hits,
            "1000\t5\t5\t941201\tx\t{}\tid\r\n",
        ),
        (
            "hits, ids",
            "wais://h/d?x",
            Shape::Hits,
            "1000\t5\t5\t941201\tx\tTEXT\t{}\r\n",
        ),
        (
            "Unix listing, names",
            "ftp://h/x/",
            listing(None),
            "-rw-r--r-- 1 a b 5 Jan 1 00:00 {}\r\n",
        ),
        (
            "Unix listing, links",
            "ftp://h/x/",
            listing(None),
            "lrwxrwxrwx 1 a b 5 Jan 1 00:00 a -> {}\r\n",
        ),
        (
            "Unix listing, owners",
            "ftp://h/x/",
            listing(Some(Format::Unix)),
            "-rw-r--r-- 1 {} b 5 Jan 1 00:00 a\r\n",
        ),
        (
            "DOS listing, names",
            "ftp://h/x/",
            listing(None),
            "01-01-94  12:00AM  5 {}\r\n",
        ),
        (
            "VMS listing, names",
            "ftp://h/x/",
            listing(None),
            "{}.TXT;1  5/6  1-JAN-1994 00:00:00  [A,B]  (RWED,RWED,RE,)\r\n",
        ),
        (
            "facts, names",
            "ftp://h/x/",
            listing(Some(Format::Facts)),
            "type=file;size=5;modify=19940101000000; {}\r\n",
        ),
        (
            "facts, facts",
            "ftp://h/x/",
            listing(Some(Format::Facts)),
            "type=file;{}; a\r\n",
        ),
        (
            "directory of this machine",
            "file:///x/",
            listing(Some(Format::Facts)),
            "type=dir; {}\r\n",
        ),
        (
            "group list, names",
            "news://h/*",
            Shape::Groups,
            "{} 5 1 y\r\n",
        ),
        (
            "overview, subjects",
            "nntp://h/g",
            Shape::Group,
            "5\t{}\ta@b\t1 Jan 1994 00:00:00 GMT\t<a@b>\t\t5\t5\r\n",
        ),
        (
            "overview, authors",
            "nntp://h/g",
            Shape::Group,
            "5\tx\t{} <a@b>\t1 Jan 1994 00:00:00 GMT\t<a@b>\t\t5\t5\r\n",
        ),
        (
            "overview, references",
            "nntp://h/g",
            Shape::Group,
            "5\tx\ta@b\t1 Jan 1994 00:00:00 GMT\t<a@b>\t{}\t5\t5\r\n",
        ),
        (
            "overview, dates",
            "nntp://h/g",
            Shape::Group,
            "5\tx\ta@b\t{}\t<a@b>\t\t5\t5\r\n",
        ),
        ("article, text", "nntp://h/g/5", Shape::Article, "{}\r\n"),
        ("HTML, paragraphs", "http://h/x", Shape::Html, "<p>{}</p>\n"),
        (
            "HTML, preformatted",
            "http://h/x",
            Shape::Html,
            "<pre>{}</pre>\n",
        ),
        (
            "HTML, links",
            "http://h/x",
            Shape::Html,
            "<p><a href=\"{}\">x</a>\n",
        ),
        (
            "HTML, table",
            "http://h/x",
            Shape::Html,
            "<table><tr><td>{}<td>x</table>\n",
        ),
        ("JSON, strings", "http://h/x", Shape::Json, "\"{}\",\n"),
        (
            "feed, titles",
            "http://h/x",
            Shape::Feed,
            "<item><title>{}</title><link>{}</link></item>\n",
        ),
        (
            "HTML, forms",
            "http://h/x",
            Shape::Html,
            "<form action=\"{}\"><input name=\"{}\"></form>\n",
        ),
        (
            "not a form",
            "ftp://h/x/",
            listing(Some(Format::Unix)),
            "{}\r\n",
        ),
    ]
}

impl HostilePage {
    /// A text.
    pub fn text(name: &str, text: String) -> Self {
        Self::new(name, "gopher://h/0/x", Shape::Text, text.into_bytes())
    }

    pub(super) fn new(name: &str, url: &str, shape: Shape, octets: Vec<u8>) -> Self {
        Self {
            name: name.to_owned(),
            url: url.to_owned(),
            shape,
            octets,
            remark: None,
            end: End::Whole,
        }
    }
}

/// Every shape with every filler of about `length` octets, in `rows` lines each.
pub fn filled(rows: usize, length: usize) -> impl Iterator<Item = HostilePage> {
    let fillers = fillers(length);
    forms()
        .into_iter()
        .flat_map(move |(form, url, shape, line)| {
            let (before, after) = line.split_once("{}").unwrap();
            let pages: Vec<HostilePage> = fillers
                .iter()
                .map(|(name, filler)| {
                    let line = [before.as_bytes(), filler, after.as_bytes()].concat();
                    let mut octets = match shape {
                        Shape::Article => b"Subject: x\r\n\r\n".to_vec(),
                        _ => Vec::new(),
                    };
                    (0..rows).for_each(|_| octets.extend_from_slice(&line));
                    HostilePage::new(&format!("{form}: {name}"), url, shape, octets)
                })
                .collect();
            pages
        })
}
