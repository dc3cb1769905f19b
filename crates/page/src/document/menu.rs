//! A Gopher menu as rows (RFC 1436, section 3.8 and later extensions).
//!
//! Every line is a row: an item, or text where there is no TAB. The remainder of a line that is too long for a row
//! continues as text in further rows. Links are numbered through the whole menu. The buffer flags the lines with links,
//! so that numbering is fast even for a million rows.

use geomys_wire::protocol::gopher::{self, Item};
use geomys_wire::text::Text;
use rfc1738::{Dialect, ParseError, Parts, Url, parse_or_repair};

use super::gemtext::kind_of;
use super::row::{Kind, Link, ReferenceFault, Row};
use super::rows::{FilterText, RowProvider, RowSource};
use super::text_line::painted;
use super::web;

/// The maximum distance of an alternate row from its original, in rows.
const MAX_ALTERNATE_ROWS: usize = 100;

/// The maximum size of the alternates of a row, in octets.
const MAX_ALTERNATES_BYTES: usize = 64 * 1024;

/// The body of a menu, whose buffer flags the lines with links ([`is_link`]).
#[derive(Clone, Debug)]
pub(super) struct MenuBody;

impl RowProvider for MenuBody {
    fn count(&self, source: RowSource<'_>) -> usize {
        let rows = source.raw.pieces();
        // A final dot is the end, not a row.
        match rows.checked_sub(1).and_then(|last| line(source, last)) {
            Some(last) if gopher::is_final_dot(last) => rows - 1,
            Some(_) | None => rows,
        }
    }

    fn row(&self, source: RowSource<'_>, number: usize) -> Option<Row> {
        let Some((line, item)) =
            line(source, number).and_then(|line| Some((line, gopher::item(line)?)))
        else {
            let text = text(source, number)?;
            return Some(painted(Kind::Plain, text, source.charset));
        };
        let is_mascot = is_home(source) && item.selector == MASCOT.as_bytes();
        let kind = if is_mascot {
            // It has the colour of a quotation.
            Kind::Quote(1)
        } else {
            kind_of_item(&item)
        };
        Some(Row {
            number: is_link(line).then(|| links_before(source, number) + 1),
            aside: aside(&item, source),
            short_aside: is_home(source).then(|| aside(&item, source)).flatten(),
            ..painted(kind, item.name, source.charset)
        })
    }

    /// Returns the octets of a name in printable ASCII, as filtering them needs no row.
    fn filter_text<'a>(&'a self, source: RowSource<'a>, number: usize) -> FilterText<'a> {
        let is_plain = |octets: &&[u8]| octets.iter().all(|octet| (b' '..=b'~').contains(octet));
        match self.octets(source, number).filter(is_plain) {
            Some(name) => FilterText::Octets(name),
            None => FilterText::Text,
        }
    }

    /// Returns the name only, so that a search does not match the hidden selector.
    fn octets<'a>(&'a self, source: RowSource<'a>, number: usize) -> Option<&'a [u8]> {
        let item = line(source, number).and_then(gopher::item);
        item.map_or_else(|| text(source, number), |item| Some(item.name))
    }

    fn continues(&self, source: RowSource<'_>, number: usize) -> bool {
        source.raw.continues(number)
    }

    fn link(&self, source: RowSource<'_>, number: usize) -> Option<Link> {
        let line = line(source, number).filter(|line| is_link(line))?;
        let item = gopher::item(line)?;
        let gtype = if item.gtype == b'+' {
            original(source, number)
        } else {
            item.gtype
        };
        let target = target_on_page(&item, gtype, source.url);
        Some(Link {
            label: Text::new(item.name.trim_ascii(), source.charset),
            alternates: alternates(source, number, gtype),
            attributes: attributes(&item, target.as_ref().ok()),
            form: None,
            widget: None,
            fault: fault(&item, gtype, &target),
            target,
        })
    }

    fn link_count(&self, source: RowSource<'_>, number: usize) -> usize {
        usize::from(self.is_link(source, number))
    }

    fn is_link(&self, source: RowSource<'_>, number: usize) -> bool {
        source
            .raw
            .flagged()
            .is_some_and(|links| links.contains(number))
    }

    fn row_of_link(&self, source: RowSource<'_>, number: usize) -> Option<usize> {
        source.raw.flagged()?.select(number.checked_sub(1)?)
    }

    fn highest_link_number(&self, source: RowSource<'_>) -> usize {
        links_before(source, self.count(source))
    }
}

/// The selectors of text rows that are headings, of the first level and of the second.
pub const HEADINGS: [&str; 2] = ["TITLE", "SUBTITLE"];

/// The kind of an item: of a URL that of its scheme.
fn kind_of_item(item: &Item<'_>) -> Kind {
    let mut levels = HEADINGS.iter().zip(1..);
    let level = levels.find(|(selector, _)| selector.as_bytes() == item.selector);
    match (level, item.gtype) {
        (Some((_, level)), b'i') => Kind::Heading(level),
        (_, b'h') => match item.url().map(|url| Dialect::Extended.parse(url)) {
            Some(Ok(url)) => kind_of(&url),
            Some(Err(_)) | None => Kind::Web,
        },
        (_, gtype) => kind(gtype),
    }
}

/// The number of links in the rows before row `number`.
fn links_before(source: RowSource<'_>, number: usize) -> usize {
    source.raw.flagged().map_or(0, |links| links.rank(number))
}

/// The line that begins in row `number`; nothing where the row continues a line.
fn line(source: RowSource<'_>, number: usize) -> Option<&[u8]> {
    let piece = source.raw.piece(number)?;
    (!source.raw.continues(number)).then_some(piece)
}

/// The text of a row that is no item: the piece of a line. A text row without the fields behind its name has its type
/// removed, as clients of the time show it.
fn text(source: RowSource<'_>, number: usize) -> Option<&[u8]> {
    let piece = source.raw.piece(number)?;
    let is_line = !source.raw.continues(number);
    Some(
        piece
            .strip_prefix(b"i")
            .filter(|_| is_line)
            .unwrap_or(piece),
    )
}

/// Returns true if a line is a link: its type is not text, and it has a selector.
pub(super) fn is_link(line: &[u8]) -> bool {
    match line.first() {
        None | Some(b'i' | b'3') => false,
        Some(_) => memchr::memchr(b'\t', line.get(1..).unwrap_or_default()).is_some(),
    }
}

/// The type of the row that an alternate row repeats; a menu when there is none within the limit.
fn original(source: RowSource<'_>, number: usize) -> u8 {
    (number.saturating_sub(MAX_ALTERNATE_ROWS)..number)
        .rev()
        .filter_map(|above| line(source, above)?.first().copied())
        .find(|&gtype| gtype != b'+')
        .unwrap_or(b'1')
}

/// The alternates of a row: the `+` rows directly below it. The alternates of an alternate are those below it.
fn alternates(source: RowSource<'_>, number: usize, gtype: u8) -> Vec<Url> {
    let mut octets = 0;
    (number + 1..)
        .take(MAX_ALTERNATE_ROWS)
        .map_while(|below| line(source, below).filter(|line| line.starts_with(b"+")))
        .take_while(|line| {
            octets += line.len();
            octets <= MAX_ALTERNATES_BYTES
        })
        .filter_map(gopher::item)
        .filter_map(|item| target_on_page(&item, gtype, source.url).ok())
        .collect()
}

/// The target URL of an item on a page, which may state its address in relation to the page: a blank host is the page's
/// server, and so is its port where the item has only the default one. An item of the server of a page over TLS is
/// requested over TLS too, as menus have no field for it.
pub fn target_on_page(item: &Item<'_>, gtype: u8, page: &Url) -> Result<Url, ParseError> {
    let Parts::Gopher(here) = page.base_parts() else {
        return target(item, gtype);
    };
    let mut item = *item;
    if item.host.is_empty() {
        item.host = here.address.node().as_bytes();
        if matches!(item.port, 0 | 70) && !matches!(gtype, b'8' | b'T') {
            item.port = here.address.port();
        }
    }
    let url = target(&item, gtype)?;
    let is_tls_item = match url.base_parts() {
        Parts::Gopher(there) => {
            page.is_tls() && item.url().is_none() && here.is_same_server(&there)
        }
        _ => false,
    };
    if !is_tls_item || url.is_tls() {
        return Ok(url);
    }
    let rest = url
        .as_str()
        .get(url.scheme_name().len()..)
        .unwrap_or_default();
    Dialect::Extended.parse(&format!("{}{rest}", page.scheme_name()))
}

/// The target URL of an item, by its own fields alone. The URL of an item with an ASK form requests the form (RFC 1738,
/// section 3.4.6). That of any other Gopher+ item is one of plain Gopher, which every client understands; its mark is
/// in its attributes, and its request is made of both.
pub fn target(item: &Item<'_>, gtype: u8) -> Result<Url, ParseError> {
    if let Some(url) = item.url() {
        return Dialect::Extended
            .parse(url)
            .or_else(|error| match std::str::from_utf8(url) {
                Ok(text) => parse_or_repair(text),
                Err(_) => Err(error),
            });
    }
    let host = String::from_utf8_lossy(item.host);
    match (gtype, item.plus) {
        (b'8', _) => session("telnet", &host, item),
        (b'T', _) => session("tn3270", &host, item),
        (_, Some(b"?")) => Url::gopher(&host, item.port, gtype, item.selector)?.with_plus(b"?"),
        _ => Url::gopher(&host, item.port, gtype, item.selector),
    }
}

/// The fault of an item's address: of the URL that it holds, even where that was repaired, or of the URL of its fields.
fn fault(
    item: &Item<'_>,
    gtype: u8,
    target: &Result<Url, ParseError>,
) -> Option<Box<ReferenceFault>> {
    let lossy = |octets| String::from_utf8_lossy(octets).into_owned();
    let (written, error) = match (item.url(), target) {
        (Some(url), _) => {
            let error = Dialect::Extended.parse(url).err()?;
            let written = lossy(url);
            let error = web::fault(&written, error, |url| Dialect::Extended.parse(url))?;
            (written, error)
        }
        (None, Err(error)) => {
            let (host, selector) = (lossy(item.host), lossy(item.selector));
            let (port, gtype) = (item.port, char::from(gtype));
            let written = format!("gopher://{host}:{port}/{gtype}{selector}");
            (written, *error)
        }
        (None, Ok(_)) => return None,
    };
    Some(Box::new(ReferenceFault { written, error }))
}

/// The URL of a session, with the login name if the item has one.
fn session(scheme: &str, host: &str, item: &Item<'_>) -> Result<Url, ParseError> {
    let url = Url::on_server(scheme, host, Some(session_port(item)), "")?;
    match login(item) {
        b"" => Ok(url),
        user => url.with_user(user),
    }
}

/// The URL of a Gopher+ item's attributes.
fn attributes(item: &Item<'_>, target: Option<&Url>) -> Option<Url> {
    item.plus?;
    target?.with_plus(b"!").ok()
}

/// The login name of a session: its selector. Some servers put a slash before it.
fn login<'a>(item: &Item<'a>) -> &'a [u8] {
    item.selector.strip_prefix(b"/").unwrap_or(item.selector)
}

/// The port of a session. Menus often state port 0 for the default port.
fn session_port(item: &Item<'_>) -> u16 {
    if item.port == 0 { 23 } else { item.port }
}

/// The selector of a line of the mascot on the home page.
pub const MASCOT: &str = "MASCOT";

/// The port of a row of the home page without a scheme beside it.
pub const BARE: u16 = 0;

/// Returns true for the menu of the home page.
fn is_home(source: RowSource<'_>) -> bool {
    source.url.as_str() == "geomys:home"
}

/// The text on the right of a row: the target of a `URL:` link, the host of a session, the Gopher+ marks.
/// On the home page it is the scheme.
fn aside(item: &Item<'_>, source: RowSource<'_>) -> Option<Text> {
    let charset = source.charset;
    if is_home(source) {
        let of_url = |url: &[u8]| url.split(|octet| *octet == b':').next().map(<[u8]>::to_vec);
        let scheme = item.url().map_or(Some(b"gopher".to_vec()), of_url);
        return scheme
            .filter(|_| !matches!(item.gtype, b'i' | b'3') && item.port != BARE)
            .map(|scheme| Text::new(&scheme, charset));
    }
    if let Some(url) = item.url() {
        return Some(Text::new(url, charset));
    }
    match (item.gtype, item.plus) {
        (b'8' | b'T', _) => Some(Text::new(item.host, charset)),
        (b'i' | b'3', _) | (_, None) => None,
        (_, Some(b"?")) => Some(Text::of("form")),
        (_, Some(_)) => Some(Text::of("+")),
    }
}

/// The kind of row for an item type of RFC 1436 section 3.8, of Gopher+, or of later servers.
pub fn kind(gtype: u8) -> Kind {
    match gtype {
        b'i' | b'!' => Kind::Plain,
        b'0' | b'x' => Kind::Text,
        b'1' => Kind::Menu,
        b'2' => Kind::PhoneBook,
        b'3' => Kind::Error,
        b'4' | b'5' | b'6' | b'9' => Kind::Binary,
        b'7' => Kind::Search,
        b'8' | b'T' => Kind::Session,
        b'+' => Kind::Alternate,
        b'g' | b'I' | b'p' | b':' => Kind::Image,
        b's' | b'<' => Kind::Sound,
        b';' => Kind::Movie,
        b'd' | b'P' | b'v' => Kind::Document,
        b'h' | b'H' | b'w' => Kind::Web,
        b'M' | b'm' => Kind::Mail,
        b'c' | b'e' => Kind::Calendar,
        _ => Kind::Unknown,
    }
}
