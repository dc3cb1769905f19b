//! The search of one copy: first its octets, which decide most pages, then its text as the browser shows it.

use geomys_page::document::Document;
use geomys_page::document::find::{PageText, SearchWord, fold_latin as fold, shown_text};
use geomys_wire::text::CharsetSetting;
use memchr::memmem;
use rfc1738::Url;

use super::query::SearchQuery;
use super::{Rank, SearchHit};
use crate::files::cache::PageHeader;

/// The maximum length of the line of a hit, in characters.
const MAX_LINE_CHARS: usize = 300;

/// Returns true if a page could have all words, by its octets; a false result is never wrong.
pub(super) fn may_match(
    query: &SearchQuery,
    head: &PageHeader,
    octets: &[u8],
    charset: CharsetSetting,
) -> bool {
    let charset = match charset {
        CharsetSetting::Set(charset) => Some(charset),
        CharsetSetting::Detected => head.charset,
    };
    let url = head.real.as_ref().unwrap_or(&head.url);
    let Some(mut text) = shown_text(url, head.shape, charset, octets) else {
        return true;
    };
    fold(head.title.as_deref().unwrap_or_default(), &mut text);
    // A phrase may be broken into lines.
    let mut words = query.wanted.iter().flat_map(SearchWord::folded);
    words.all(|word| memmem::find(text.as_bytes(), word.as_bytes()).is_some())
}

/// Returns true if a page has an excluded word.
pub(super) fn is_excluded(
    query: &SearchQuery,
    head: PageHeader,
    octets: &[u8],
    charset: CharsetSetting,
) -> bool {
    let ReadCopy {
        document, title, ..
    } = ReadCopy::new(head, octets, charset);
    let page = PageText::new(&document, &title);
    query.is_excluded(&page, || whole_text(&document, &title))
}

/// The text of a copy.
struct ReadCopy {
    url: Url,
    key: Url,
    document: Document,
    title: String,
}

impl ReadCopy {
    fn new(head: PageHeader, octets: &[u8], charset: CharsetSetting) -> Self {
        let url = head.real.unwrap_or_else(|| head.url.clone());
        let mut document = Document::new(url.clone(), head.shape, charset).for_output();
        document.declare(head.charset);
        document.append(octets);
        let document = document.finished();
        let title = head
            .title
            .or_else(|| document.title().map(|title| title.to_string()));
        Self {
            url,
            key: head.url,
            title: title.unwrap_or_default(),
            document,
        }
    }
}

fn whole_text(document: &Document, title: &str) -> String {
    let rows = (0..document.count()).filter_map(|row| document.row(row));
    let rows = rows.map(|row| row.text());
    let all: Vec<String> = rows.chain(std::iter::once(title.to_owned())).collect();
    all.join(" ")
}

/// Searches a page, and returns its best row.
pub(super) fn hit(
    query: &SearchQuery,
    (head, since): (PageHeader, jiff::Timestamp),
    octets: &[u8],
    charset: CharsetSetting,
) -> Option<SearchHit> {
    let ReadCopy {
        url,
        key,
        document,
        title,
    } = ReadCopy::new(head, octets, charset);
    let page = PageText::new(&document, &title);
    let text = || whole_text(&document, &title);
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
        key,
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use geomys_page::document::Shape;
    use geomys_wire::text::Charset;
    use jiff::Timestamp;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;
    use rfc1738::Dialect;

    use super::*;

    /// Asserts that no word of the rows is missed, and returns whether the octets told at all.
    fn no_word_is_missed(shape: Shape, declared: Option<&str>, octets: &[u8]) -> bool {
        let url = Dialect::Extended.parse("http://h.example/a").unwrap();
        let mut head = PageHeader::new(url.clone(), shape);
        head.charset = declared.and_then(Charset::named);
        let mut document =
            Document::new(url.clone(), shape, CharsetSetting::default()).for_output();
        document.declare(head.charset);
        document.append(octets);
        let document = document.finished();
        let rows = (0..document.count()).filter_map(|row| document.row(row));
        let mut words: BTreeSet<String> = BTreeSet::new();
        for row in rows {
            words.extend(
                row.text()
                    .replace('"', " ")
                    .split_whitespace()
                    .map(str::to_owned),
            );
        }
        for word in words {
            let query = format!("\"{word}\"");
            let Ok(query) = SearchQuery::parse(&query, Timestamp::UNIX_EPOCH) else {
                continue;
            };
            let charset = CharsetSetting::default();
            let found = hit(
                &query,
                (head.clone(), Timestamp::UNIX_EPOCH),
                octets,
                charset,
            );
            assert!(
                found.is_none() || may_match(&query, &head, octets, charset),
                "{word:?} in {}",
                octets.escape_ascii()
            );
        }
        shown_text(&url, shape, head.charset, octets).is_some()
    }

    const LETTERS: [&str; 12] = [
        "fo", "o", "ba", "r ", " ", "\n", "é", "e\u{301}", "\u{200b}", "\u{ad}", "=41", "~{VP~}",
    ];

    fn text() -> impl Strategy<Value = String> {
        vec(select(&LETTERS[..]), 0..16).prop_map(|pieces| pieces.concat())
    }

    /// Octets in which rows differ from what was sent.
    const ODD: [&[u8]; 14] = [
        b"fo",
        b"o",
        b" ",
        b"\r\n",
        b"\xe9",
        b"\xc3\xa9",
        b"\x0c",
        b"\x01",
        b"\x1b[31m",
        b"\x08o",
        b"\x00",
        b"\xf0\xcf",
        b"\t",
        b"\r",
    ];

    const MARKUP: [&str; 52] = [
        "<b>",
        "</b>",
        "<p>",
        "<br>",
        "fo",
        "o",
        "ba",
        " ",
        "\n",
        "é",
        "&eacute;",
        "&#233;",
        "&#xe9",
        "&shy;",
        "&nbsp;",
        "&amp;",
        "<!-- fo -->",
        "<script>fo</script>",
        "<style>fo</style>",
        "<title>fo</title>",
        "<img alt=fo src=/x>",
        "<img src=/a/fo.gif>",
        "<form>",
        "</form>",
        "<input value=fo>",
        "<input type=checkbox>",
        "<input type=submit>",
        "<input type=file>",
        "<select><option>fo<option>ba</select>",
        "<textarea>fo ba</textarea>",
        "<button>",
        "</button>",
        "<ol><li>",
        "<li>",
        "<ul>",
        "<table><tr><td>",
        "<td>",
        "<tr>",
        "<th>",
        "</table>",
        "<sup>2</sup>",
        "<sub>",
        "</sub>",
        "<q>",
        "<del>",
        "<pre>",
        "</pre>",
        "<iframe src=/x title=fo></iframe>",
        "<wbr>",
        "<a href=/fo>",
        "\u{200b}",
        "\x01",
    ];

    fn page() -> impl Strategy<Value = String> {
        vec(select(&MARKUP[..]), 0..24).prop_map(|pieces| pieces.concat())
    }

    /// Quoted-printable with a soft line break behind every few octets.
    fn quoted(octets: &[u8], piece: usize) -> String {
        let octet = |octet: &u8| match octet {
            b'\n' => "\r\n".to_owned(),
            b'a'..=b'z' | b' ' => char::from(*octet).to_string(),
            octet => format!("={octet:02X}"),
        };
        let pieces = octets.chunks(piece);
        let pieces = pieces.map(|piece| piece.iter().map(octet).collect::<String>());
        pieces.collect::<Vec<_>>().join("=\r\n")
    }

    /// A part with its headers, encoded.
    fn part(kind: &str, charset: &str, encoding: &str, text: &str) -> Vec<u8> {
        let octets = Charset::named(charset).map_or(text.into(), |charset| charset.encode(text));
        let octets = if charset == "utf-7" {
            text.replace('é', "+AOk-").into_bytes()
        } else {
            octets
        };
        let body = match encoding {
            "base64" => STANDARD.encode(&octets).into_bytes(),
            "quoted-printable" => quoted(&octets, 5).into_bytes(),
            _ => octets,
        };
        let head = format!(
            "Content-Type: {kind}; charset={charset}\r\nContent-Transfer-Encoding: {encoding}\r\n\r\n"
        );
        [head.as_bytes(), &body, b"\r\n"].concat()
    }

    proptest! {
        #[test]
        fn no_word_of_a_text_is_missed(
            pieces in vec(select(&ODD[..]), 0..20),
            shape in select(vec![Shape::Text, Shape::Menu, Shape::Gemtext, Shape::Html, Shape::Article, Shape::Group]),
            declared in select(vec![None, Some("utf-8"), Some("koi8-r"), Some("iso-2022-jp"), Some("utf-7")]),
        ) {
            no_word_is_missed(shape, declared, &pieces.concat());
        }

        #[test]
        fn no_word_of_a_web_page_is_missed(page in page(), is_latin: bool) {
            let octets = if is_latin {
                Charset::default().encode(&page)
            } else {
                page.clone().into_bytes()
            };
            let told = no_word_is_missed(Shape::Html, None, &octets);
            prop_assert_eq!(told, str::from_utf8(&octets).is_ok());
        }

        #[test]
        fn no_word_of_a_message_is_missed(
            (one, other) in (text(), page()),
            kind in select(vec!["text/plain", "text/plain; format=flowed; delsp=yes", "text/html", "application/x-tar"]),
            charset in select(vec!["utf-8", "iso-8859-1", "utf-7", "koi8-r", "hz-gb-2312", "x-unknown", "us-ascii"]),
            encoding in select(vec!["base64", "quoted-printable", "8bit"]),
            outer in select(vec!["mixed", "alternative", "none"]),
        ) {
            let inner = part(kind, charset, encoding, if kind == "text/html" { &other } else { &one });
            let head = b"From: Fo =?utf-8?q?Ba=C3=A9?= <fo@h>\r\nSubject: =?koi8-r?b?8M/H?= fo\r\n";
            let message = if outer == "none" {
                [&head[..], &inner].concat()
            } else {
                let html = part("text/html", "utf-8", "quoted-printable", &other);
                let outer = format!("Content-Type: multipart/{outer}; boundary=x\r\n\r\n--x\r\n");
                [&head[..], outer.as_bytes(), &inner, b"--x\r\n", &html, b"--x--\r\n"].concat()
            };
            no_word_is_missed(Shape::Article, None, &message);
        }
    }

    #[test]
    fn no_word_of_a_long_line_is_missed() {
        let line = format!("\u{e9} {} lamp", "brass ".repeat(20_000));
        let message = part("text/plain", "utf-8", "quoted-printable", &line);
        let message = [&b"From: a@h\r\nSubject: x\r\n"[..], &message].concat();
        assert!(no_word_is_missed(Shape::Text, None, line.as_bytes()));
        assert!(no_word_is_missed(Shape::Html, None, line.as_bytes()));
        assert!(no_word_is_missed(Shape::Article, None, &message));
    }

    #[test]
    fn encoded_bodies_tell_their_words_without_a_document() {
        for encoding in ["base64", "quoted-printable"] {
            let message = part(
                "text/plain",
                "utf-8",
                encoding,
                "A brass lamp in the caf\u{e9}.",
            );
            let message = [&b"From: a@h\r\nSubject: x\r\n"[..], &message].concat();
            assert!(no_word_is_missed(Shape::Article, None, &message));
            let head =
                PageHeader::new(Dialect::Extended.parse("news:x@h").unwrap(), Shape::Article);
            let is_possible = |words: &str| {
                let query = SearchQuery::parse(words, Timestamp::UNIX_EPOCH).unwrap();
                may_match(&query, &head, &message, CharsetSetting::default())
            };
            assert!(
                is_possible("lamp cafe") && !is_possible("lamp oil"),
                "{encoding}"
            );
        }
    }
}
