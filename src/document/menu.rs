//! A Gopher menu as rows (RFC 1436, section 3.8 and what came after it).
//!
//! Every line is a row: an item, or text where there is no TAB. What is left of a line that is too long for a row goes on
//! as text in further rows. Links are numbered through the whole menu; which rows
//! are links is kept, a bit each, so that numbers cost nothing even at a million rows.

use std::ops::Range;

use super::arrangement::Named;
use super::rows::only;
use super::{Kind, Link, Row, Rows, Source, plain};
use crate::protocol::gopher::{self, Item};
use crate::text::{Charset, Text};
use crate::url::{Url, forgiven};

/// Rows of one [`Word`].
const STEP: usize = u64::BITS as usize;

/// How far above a mirror row its original is looked for.
const MIRRORS: usize = 100;

/// Octets of the mirrors of a row, at the most.
const MIRROR_OCTETS: usize = 64 * 1024;

/// The body of a menu.
#[derive(Clone, Debug, Default)]
pub(super) struct Menu {
    /// Word `n` is that of the rows from `STEP * n` on.
    words: Vec<Word>,
    /// Rows that were counted.
    seen: usize,
}

/// The links among [`STEP`] rows.
#[derive(Clone, Copy, Debug)]
struct Word {
    /// Links in the rows above them.
    before: usize,
    /// Which of them are links, the first in the lowest bit.
    links: u64,
}

impl Rows for Menu {
    fn count(&self, source: Source<'_>) -> usize {
        let rows = source.raw.pieces();
        // A final dot is the end, not a row.
        match rows.checked_sub(1).and_then(|last| line(source, last)) {
            Some(b".") => rows - 1,
            _ => rows,
        }
    }

    fn row(&self, source: Source<'_>, number: usize) -> Option<Row> {
        let Some((line, item)) =
            line(source, number).and_then(|line| Some((line, gopher::item(line)?)))
        else {
            let text = source.raw.piece(number)?;
            return Some(plain::painted(Kind::Plain, text, source.charset));
        };
        Some(Row {
            number: is_link(line).then(|| self.links_before(source, number) + 1),
            aside: aside(&item, source.charset),
            ..plain::painted(kind(item.gtype), item.name, source.charset)
        })
    }

    /// A name that is shown as it came need not be made into a row to be judged.
    fn named<'a>(&'a self, source: Source<'a>, number: usize) -> Named<'a> {
        let is_plain = |octets: &&[u8]| octets.iter().all(|octet| (b' '..=b'~').contains(octet));
        match self.octets(source, number).filter(is_plain) {
            Some(name) => Named::Octets(name),
            None => Named::Text,
        }
    }

    /// The name alone is shown: a selector is no place to find words in.
    fn octets<'a>(&'a self, source: Source<'a>, number: usize) -> Option<&'a [u8]> {
        let Some(line) = line(source, number) else {
            return source.raw.piece(number);
        };
        let name = line.get(1..).unwrap_or_default();
        Some(memchr::memchr(b'\t', name).map_or(line, |end| name.get(..end).unwrap_or(name)))
    }

    fn continues(&self, source: Source<'_>, number: usize) -> bool {
        source.raw.continues(number)
    }

    fn links(&self, source: Source<'_>, number: usize, which: Range<usize>) -> Vec<Link> {
        only(&which, || {
            let line = line(source, number).filter(|line| is_link(line))?;
            let item = gopher::item(line)?;
            let gtype = if item.gtype == b'+' {
                original(source, number)
            } else {
                item.gtype
            };
            let target = target(&item, gtype);
            Some(Link {
                label: Text::new(item.name.trim_ascii(), source.charset),
                mirrors: mirrors(source, number, gtype),
                about: about(&item, target.as_ref().ok()),
                target,
            })
        })
    }

    fn link_count(&self, source: Source<'_>, number: usize) -> usize {
        usize::from(self.is_link(source, number))
    }

    /// As it was counted; the last line may still grow into a link.
    fn is_link(&self, source: Source<'_>, number: usize) -> bool {
        match self.words.get(number / STEP) {
            Some(word) if number < self.seen => word.links >> (number % STEP) & 1 == 1,
            Some(_) | None => line(source, number).is_some_and(is_link),
        }
    }

    fn numbered(&self, source: Source<'_>, number: usize) -> Option<usize> {
        let before = number.checked_sub(1)?;
        let after = self.words.partition_point(|word| word.before <= before);
        let start = after.saturating_sub(1) * STEP;
        let end = self.count(source).min(start + STEP + 1);
        let mut links = (start..end).filter(|&row| self.is_link(source, row));
        links.nth(before - self.links_before(source, start))
    }

    fn numbers(&self, source: Source<'_>) -> usize {
        self.links_before(source, self.count(source))
    }

    fn arrived(&mut self, source: Source<'_>) {
        // The last line may still grow into a link: it is counted when the next one has begun.
        while self.seen + 1 < source.raw.pieces() {
            if self.seen.is_multiple_of(STEP) {
                let before = self.links_before(source, self.seen);
                self.words.push(Word { before, links: 0 });
            }
            let is_link = line(source, self.seen).is_some_and(is_link);
            if let Some(word) = self.words.last_mut() {
                word.links |= u64::from(is_link) << (self.seen % STEP);
            }
            self.seen += 1;
        }
    }

    fn is_list(&self) -> bool {
        true
    }
}

impl Menu {
    /// Links in the rows above row `number`: counted once, so that no long line is looked through again.
    fn links_before(&self, source: Source<'_>, number: usize) -> usize {
        let counted = number.min(self.seen);
        let (before, links) = match self.words.get(counted / STEP) {
            Some(word) => (word.before, word.links & ((1 << (counted % STEP)) - 1)),
            None => self
                .words
                .last()
                .map_or((0, 0), |word| (word.before, word.links)),
        };
        let new = (counted..number).filter(|&row| self.is_link(source, row));
        before + links.count_ones() as usize + new.count()
    }
}

/// The line that begins in row `number`; nothing where the row continues one.
fn line(source: Source<'_>, number: usize) -> Option<&[u8]> {
    let piece = source.raw.piece(number)?;
    (!source.raw.continues(number)).then_some(piece)
}

/// Whether a line is a link: its type says so and it has a selector.
fn is_link(line: &[u8]) -> bool {
    match line.first() {
        None | Some(b'i' | b'3') => false,
        Some(_) => memchr::memchr(b'\t', line.get(1..).unwrap_or_default()).is_some(),
    }
}

/// The type of the row that a mirror row repeats; a menu when there is none near.
fn original(source: Source<'_>, number: usize) -> u8 {
    (number.saturating_sub(MIRRORS)..number)
        .rev()
        .filter_map(|above| line(source, above)?.first().copied())
        .find(|&gtype| gtype != b'+')
        .unwrap_or(b'1')
}

/// The mirrors of the row: those `+` rows that follow it directly. A mirror has those below it.
fn mirrors(source: Source<'_>, number: usize, gtype: u8) -> Vec<Url> {
    let mut octets = 0;
    (number + 1..)
        .take(MIRRORS)
        .map_while(|below| line(source, below).filter(|line| line.starts_with(b"+")))
        .take_while(|line| {
            octets += line.len();
            octets <= MIRROR_OCTETS
        })
        .filter_map(gopher::item)
        .filter_map(|item| target(&item, gtype).ok())
        .collect()
}

/// Where a row leads. One whose form must be filled first asks for that (RFC 1738, section 3.4.6). Any other Gopher+
/// item is asked for as plain Gopher, which every server and every other client of the same address understands; what
/// Gopher+ adds is in its attributes.
pub(crate) fn target(item: &Item<'_>, gtype: u8) -> Result<Url, crate::url::ParseError> {
    if let Some(url) = item.url() {
        return Url::accept_octets(url).or_else(|error| match std::str::from_utf8(url) {
            Ok(text) => forgiven(text),
            Err(_) => Err(error),
        });
    }
    let host = String::from_utf8_lossy(item.host);
    match (gtype, item.plus) {
        (b'8', _) => Url::telnet(&host, session_port(item), login(item)),
        (b'T', _) => Url::tn3270(&host, session_port(item), login(item)),
        (_, Some(b"?")) => {
            Url::gopher_item(&host, item.port, gtype, item.selector, None, Some(b"?"))
        }
        _ => Url::gopher(&host, item.port, gtype, item.selector),
    }
}

/// The attributes of a Gopher+ item.
fn about(item: &Item<'_>, target: Option<&Url>) -> Option<Url> {
    item.plus?;
    target?.with_plus(b"!").ok()
}

/// A session's selector is the name to log in by; some servers put a slash before it.
fn login<'a>(item: &Item<'a>) -> &'a [u8] {
    item.selector.strip_prefix(b"/").unwrap_or(item.selector)
}

/// Rows of sessions often leave the port at 0, meaning the protocol's own.
fn session_port(item: &Item<'_>) -> u16 {
    if item.port == 0 { 23 } else { item.port }
}

/// What stands at the right of a row: where a `URL:` link leads, whose session it is, what Gopher+ has to tell.
fn aside(item: &Item<'_>, charset: Charset) -> Option<Text> {
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

/// Types of RFC 1436 section 3.8, of Gopher+, and of servers since (in the order of their octets).
pub(crate) fn kind(gtype: u8) -> Kind {
    match gtype {
        b'i' | b'!' => Kind::Plain,
        b'0' | b'x' => Kind::Text,
        b'1' => Kind::Menu,
        b'2' => Kind::PhoneBook,
        b'3' => Kind::Error,
        b'4' | b'5' | b'6' | b'9' => Kind::Binary,
        b'7' => Kind::Search,
        b'8' | b'T' => Kind::Session,
        b'+' => Kind::Mirror,
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
