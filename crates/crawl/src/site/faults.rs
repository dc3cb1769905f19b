//! Faults of one page: of its rows, of its end, and of the item type that links give it.

use geomys_load::check::ReceivedPage;
use geomys_page::document::{Document, Shape};
use geomys_wire::protocol::gopher::{self, without_final_dot};
use geomys_wire::text::{self, Text};
use rfc1738::{Parts, Url};

use super::report::FaultKind;

/// The columns that a row of a text or a menu may have: RFC 1436 (section 3.8) wants less than 70 for a name.
const MAX_COLUMNS: usize = 70;

/// The largest answer that may be the error of a server without an error row, in octets.
const MAX_ERROR_BYTES: usize = 1024;

/// Whether the look of a page is checked too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lint {
    /// It is not.
    #[default]
    Off,
    /// Rows that are too long for a terminal are faults.
    On,
}

/// A fault of a page, and its row from 1; 0 for the whole page.
pub(super) type PageFault = (usize, FaultKind, String);

/// Returns the faults of a page that was received.
pub(super) fn page_faults(
    url: &Url,
    page: &ReceivedPage,
    document: &Document,
    lint: Lint,
) -> Vec<PageFault> {
    let mut faults = Vec::new();
    if let Some(why) = &page.cut {
        faults.push((0, FaultKind::Incomplete, why.clone()));
    }
    if document.shape() == Shape::Menu {
        let lines = whole_lines(page);
        for (line, row) in without_final_dot(lines)
            .split_inclusive(|&octet| octet == b'\n')
            .zip(1..)
        {
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if let Some(why) = row_fault(line) {
                faults.push((row, FaultKind::Malformed, why));
            }
        }
    }
    if let Some(what) = dotted_page(url)
        && page.is_whole
        && page.cut.is_none()
        && without_final_dot(&page.octets).len() == page.octets.len()
    {
        let why = format!("the {what} ends without a dot on a line of its own");
        faults.push((0, FaultKind::NoFinalDot, why));
    }
    if lint == Lint::On && matches!(document.shape(), Shape::Menu | Shape::Text) {
        for row in 0..document.count() {
            let columns = document.row(row).map_or(0, |row| text::width(&row.text()));
            if columns > MAX_COLUMNS {
                let why = format!("{columns} columns, more than {MAX_COLUMNS}");
                faults.push((row + 1, FaultKind::LongRow, why));
            }
        }
    }
    faults
}

/// Returns the words for a page that its protocol ends with a dot (RFC 1436, section 3.8: menus and texts).
fn dotted_page(url: &Url) -> Option<&'static str> {
    let Parts::Gopher(gopher) = url.base_parts() else {
        return None;
    };
    match gopher.item_type() {
        b'0' => Some("text"),
        b'1' => Some("menu"),
        _ => None,
    }
}

/// Returns the lines of a page, without one whose end did not come.
fn whole_lines(page: &ReceivedPage) -> &[u8] {
    if page.is_whole && page.cut.is_none() {
        return &page.octets;
    }
    let end = memchr::memrchr(b'\n', &page.octets).map_or(0, |end| end + 1);
    page.octets.get(..end).unwrap_or_default()
}

/// Returns the fault of a row of a menu, beside that of its URL.
fn row_fault(line: &[u8]) -> Option<String> {
    if line.is_empty() {
        return Some("an empty line in a menu".to_owned());
    }
    let fields: Vec<&[u8]> = line.split(|&octet| octet == b'\t').collect();
    if fields.len() < 4 {
        let (fields, shown) = (fields.len(), Text::of(&String::from_utf8_lossy(line)));
        return Some(format!("{fields} of the 4 fields of a row: {shown}"));
    }
    let is_text = matches!(line.first(), Some(b'i' | b'3'));
    let port = fields.get(3).map(|port| port.trim_ascii());
    let port = port.unwrap_or_default();
    let is_port = std::str::from_utf8(port).is_ok_and(|port| port.parse::<u16>().is_ok());
    if is_text || is_port {
        return None;
    }
    let port = Text::of(&String::from_utf8_lossy(port));
    Some(format!("the port is no number: \"{port}\""))
}

/// Returns the words of an answer that is perhaps an error: servers write it as a short text, with a footer below.
pub(super) fn error_words(url: &Url, page: &ReceivedPage) -> Option<String> {
    let is_gopher = matches!(url.base_parts(), Parts::Gopher(_));
    if !is_gopher || page.octets.len() > MAX_ERROR_BYTES || !page.is_whole {
        return None;
    }
    let lines = without_final_dot(&page.octets).trim_ascii();
    let line = lines.strip_prefix(b"3").unwrap_or(lines);
    let name = line
        .split(|&octet| matches!(octet, b'\t' | b'\r' | b'\n'))
        .next()?;
    let is_error = name
        .get(..6)
        .is_some_and(|start| start.eq_ignore_ascii_case(b"error:"));
    is_error.then(|| Text::of(&String::from_utf8_lossy(name)).to_string())
}

/// Returns the reason why the item type of a URL is not that of its answer.
pub(super) fn type_fault(url: &Url, page: &ReceivedPage) -> Option<String> {
    let Parts::Gopher(gopher) = url.base_parts() else {
        return None;
    };
    if page.octets.is_empty() || gopher.search.is_some() || gopher.plus.is_some() {
        return None;
    }
    let content = Content::of(page);
    let gtype = gopher.item_type();
    let is_right = match gtype {
        b'1' => content == Content::Menu || content == Content::Text && has_rows(page),
        b'0' => matches!(content, Content::Text | Content::Html),
        b'h' => matches!(content, Content::Text | Content::Html),
        b'g' => content == Content::Gif,
        b'p' => content == Content::Png,
        b'P' => content == Content::Pdf,
        b'I' | b':' => !matches!(content, Content::Menu | Content::Html | Content::Pdf),
        b's' | b'<' | b';' => matches!(content, Content::Other),
        b'4' | b'5' | b'6' | b'9' | b'd' => content != Content::Menu,
        _ => true,
    };
    (!is_right).then(|| {
        let (gtype, what) = (char::from(gtype), content.words());
        format!("type {gtype}, but the answer is {what}")
    })
}

/// The content of an answer, by its octets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    Menu,
    Text,
    Html,
    Gif,
    Png,
    Pdf,
    /// Octets that are no text.
    Other,
}

impl Content {
    fn of(page: &ReceivedPage) -> Self {
        let octets = page.octets.as_slice();
        if octets.starts_with(b"GIF8") {
            Self::Gif
        } else if octets.starts_with(b"\x89PNG") {
            Self::Png
        } else if octets.starts_with(b"%PDF") {
            Self::Pdf
        } else if !page.is_text() {
            Self::Other
        } else if is_menu(page) {
            Self::Menu
        } else if page.looks_like_html() {
            Self::Html
        } else {
            Self::Text
        }
    }

    const fn words(self) -> &'static str {
        match self {
            Self::Menu => "a menu",
            Self::Text => "a text",
            Self::Html => "a page of HTML",
            Self::Gif => "a GIF image",
            Self::Png => "a PNG image",
            Self::Pdf => "a PDF document",
            Self::Other => "a binary file",
        }
    }
}

/// Returns true if most lines of an answer are rows of a menu; an answer of the final dot alone is an empty menu.
fn is_menu(page: &ReceivedPage) -> bool {
    let lines = without_final_dot(whole_lines(page));
    let (mut rows, mut others) = (0_usize, 0_usize);
    for line in lines.split(|&octet| octet == b'\n') {
        let line = line.trim_ascii_end();
        // A table of numbers has TABs too.
        let is_row = gopher::item(line).is_some_and(|item| !item.host.is_empty())
            && row_fault(line).is_none();
        if is_row {
            rows += 1;
        } else if !line.is_empty() {
            others += 1;
        }
    }
    rows > others || rows == 0 && others == 0 && lines.len() < page.octets.len()
}

/// Returns true if a line of an answer has the fields of a row.
fn has_rows(page: &ReceivedPage) -> bool {
    memchr::memchr(b'\t', &page.octets).is_some()
}
