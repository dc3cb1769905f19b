//! A line of text with links in it: URLs (RFC 1738, appendix), mail addresses, Message-IDs, groups.

mod around;
mod message_ids;

use std::borrow::Cow;
use std::cell::Cell;
use std::iter;
use std::ops::Range;

use geomys_wire::text::{self, Charset, SgrDecoder, Text, blank_sgr};
use rfc1738::boundary::{FirstChar, is_word_end, is_word_start};
use rfc1738::{Dialect, Url, UrlMatch, links_in_text, parse_or_repair};

pub(super) use self::around::{Around, BRACKET_LINES};
use super::row::{Kind, Link, Row, Span};

/// The maximum number of characters of a line that are decoded one by one to find the ends of URLs, which is slow in
/// some charsets.
const CHARACTERS: usize = 4096;

/// A line of text with links in it.
#[derive(Clone, Debug)]
pub(super) struct TextLine<'a> {
    pub(super) kind: Kind,
    /// The name before the text.
    pub(super) name: Option<Span>,
    pub(super) octets: Cow<'a, [u8]>,
    pub(super) links: TextLinks,
    /// The neighbouring lines over which a URL in brackets runs.
    pub(super) around: Around,
}

/// The links in a line of text.
#[derive(Clone, Debug)]
pub(super) enum TextLinks {
    /// No links, and no colours.
    None,
    /// URLs.
    Urls,
    /// URLs; without one, a mail address.
    UrlsOrMail,
    /// URLs and Message-IDs in running text.
    UrlsAndArticles,
    /// The words of a list of groups. There are no colours.
    Groups,
    /// The Message-IDs of a header. There are no colours.
    Articles,
    /// The whole line, without colours, as a link with this label to the page itself.
    Page(Text),
}

/// A link in a line.
enum TextLink<'a> {
    Url(UrlMatch<'a>),
    Mail,
    Article,
    Group,
    Page(&'a Text),
}

type FoundLinks<'a> = Box<dyn Iterator<Item = (Range<usize>, TextLink<'a>)> + 'a>;

impl<'a> TextLine<'a> {
    /// Returns a line without a name.
    pub(super) fn new(kind: Kind, octets: impl Into<Cow<'a, [u8]>>, links: TextLinks) -> Self {
        Self {
            kind,
            name: None,
            octets: octets.into(),
            links,
            around: Around::default(),
        }
    }

    /// Makes the row of the line.
    pub(super) fn row(self, charset: Charset) -> Row {
        let mut decoder = SgrDecoder::new(charset);
        let mut spans: Vec<Span> = self.name.clone().into_iter().collect();
        let mut push = |range: Range<usize>, link| {
            let octets = self.octets.get(range).unwrap_or_default();
            if octets.is_empty() {
                return;
            }
            let span = if self.has_colours() {
                styled(octets, &mut decoder)
            } else {
                Span::new(Text::new(octets, charset))
            };
            spans.push(Span { link, ..span });
        };
        let mut at = 0;
        let (plain, first) = (self.without_colours(), first_char(charset));
        for (index, (range, _)) in self.found(&plain, &first).enumerate() {
            push(at..range.start, None);
            at = range.end;
            push(range, Some(index));
        }
        push(at..self.octets.len(), None);
        if self.octets.is_empty() {
            spans.push(Span::new(Text::default()));
        }
        Row::with_spans(self.kind, spans)
    }

    /// The links with these indices; `page` is the URL of the page.
    pub(super) fn links(&self, page: &Url, charset: Charset, indices: Range<usize>) -> Vec<Link> {
        let (plain, first) = (self.without_colours(), first_char(charset));
        let found = self.found(&plain, &first);
        let found = found.skip(indices.start).take(indices.len());
        found
            .map(|(range, link)| {
                let word = plain.get(range).unwrap_or_default();
                let label = || Text::new(word, Charset::default());
                match link {
                    TextLink::Url(found) => url_link(found),
                    TextLink::Mail => {
                        let target = Dialect::Extended.parse(&format!("mailto:{}", label()));
                        Link::new(label(), target)
                    }
                    TextLink::Article => Link::new(label(), Url::news_article(word)),
                    TextLink::Group => Link::new(label(), page.group_on_server(word)),
                    TextLink::Page(label) => Link::new(label.clone(), Ok(page.clone())),
                }
            })
            .collect()
    }

    /// The number of links.
    pub(super) fn link_count(&self, charset: Charset) -> usize {
        let plain = self.without_colours();
        self.found(&plain, &first_char(charset)).count()
    }

    /// Returns true if the first link began in a line before.
    pub(super) fn continues_link(&self, charset: Charset) -> bool {
        let plain = self.without_colours();
        self.around.is_continued(&plain, &first_char(charset))
    }

    /// Returns true if the line has a link. Stops at the first.
    pub(super) fn has_link(&self, charset: Charset) -> bool {
        let plain = self.without_colours();
        let first = first_char(charset);
        self.found(&plain, &first).next().is_some()
    }

    fn has_colours(&self) -> bool {
        match self.links {
            TextLinks::Urls | TextLinks::UrlsOrMail | TextLinks::UrlsAndArticles => true,
            TextLinks::None | TextLinks::Groups | TextLinks::Articles | TextLinks::Page(_) => false,
        }
    }

    /// The octets, with blanks in place of colours.
    fn without_colours(&self) -> Cow<'_, [u8]> {
        if self.has_colours() {
            blank_sgr(&self.octets)
        } else {
            Cow::Borrowed(&self.octets)
        }
    }

    /// Finds the links in the octets without colours, in their order.
    fn found<'b>(&'b self, plain: &'b [u8], first: FirstChar<'b>) -> FoundLinks<'b> {
        let urls = || -> FoundLinks<'b> {
            if !self.around.is_empty() {
                return Box::new(self.around.urls(plain, first).into_iter());
            }
            let urls = links_in_text(plain).with_charset(first);
            Box::new(urls.map(|url| (url.range.clone(), TextLink::Url(url))))
        };
        match &self.links {
            TextLinks::None => Box::new(iter::empty()),
            TextLinks::Urls => urls(),
            TextLinks::UrlsOrMail => match mail(plain, first) {
                Some(range) => Box::new(iter::once((range, TextLink::Mail))),
                None => urls(),
            },
            TextLinks::UrlsAndArticles => Box::new(with_articles(plain, urls()).into_iter()),
            TextLinks::Groups => {
                let groups = words(plain, false).filter(|(_, word)| *word != b"poster");
                Box::new(groups.map(|(range, _)| (range, TextLink::Group)))
            }
            TextLinks::Articles => {
                let is_id = |word: &[u8]| word.starts_with(b"<") && word.contains(&b'@');
                let ids = words(plain, true).filter(move |(_, word)| is_id(word));
                Box::new(ids.map(|(range, _)| (range, TextLink::Article)))
            }
            TextLinks::Page(label) => Box::new(iter::once((0..plain.len(), TextLink::Page(label)))),
        }
    }
}

/// Adds the Message-IDs in a line to its URLs. One inside a URL is not a separate link.
fn with_articles<'a>(
    line: &[u8],
    urls: impl Iterator<Item = (Range<usize>, TextLink<'a>)>,
) -> Vec<(Range<usize>, TextLink<'a>)> {
    let mut found = Vec::new();
    let mut urls = urls.peekable();
    let mut at = 0;
    for range in message_ids::in_line(line) {
        while let Some((url, link)) = urls.next_if(|(url, _)| url.start < range.end) {
            at = url.end;
            found.push((url, link));
        }
        if at <= range.start {
            found.push((range, TextLink::Article));
        }
    }
    found.extend(urls);
    found
}

/// The words of a header's value, separated by blanks and commas. In `<a@b><c@d>` no blank separates the two IDs.
fn words(value: &[u8], are_ids: bool) -> impl Iterator<Item = (Range<usize>, &[u8])> {
    let separates = |octet: &u8| octet.is_ascii_whitespace() || *octet == b',';
    let mut end = 0;
    let parts = value.chunk_by(move |a, b| {
        let touches = are_ids && *a == b'>' && *b == b'<';
        separates(a) == separates(b) && !touches
    });
    parts.filter_map(move |word| {
        let start = end;
        end += word.len();
        (!word.first().is_some_and(separates)).then_some((start..end, word))
    })
}

/// Makes the row of a text with its colours, in one span.
pub(super) fn painted(kind: Kind, octets: &[u8], charset: Charset) -> Row {
    let span = styled(octets, &mut SgrDecoder::new(charset));
    Row::with_spans(kind, vec![span])
}

fn styled(octets: &[u8], decoder: &mut SgrDecoder) -> Span {
    let (text, sgr_styles) = decoder.read(octets);
    Span {
        sgr_styles,
        ..Span::new(text)
    }
}

/// Returns a function that decodes the first character of octets by `charset`, with its length in octets.
fn first_char(charset: Charset) -> impl Fn(&[u8]) -> Option<(char, usize)> {
    let left = Cell::new(CHARACTERS);
    move |octets| {
        left.set(left.get().checked_sub(1)?);
        // No charset has characters of more than four octets.
        (1..=4).find_map(|length| {
            let decoded = charset.decode(octets.get(..length)?);
            let mut characters = decoded.chars();
            match (characters.next()?, characters.next()) {
                (char::REPLACEMENT_CHARACTER, _) | (_, Some(_)) => None,
                (character, None) => Some((character, length)),
            }
        })
    }
}

/// Makes the link of a URL in a line. A URL that is not UTF-8 cannot be repaired, as its text lacks the octets.
fn url_link(found: UrlMatch<'_>) -> Link {
    let target = found.result.or_else(|error| {
        if found.url_text.contains(char::REPLACEMENT_CHARACTER) {
            return Err(error);
        }
        parse_or_repair(&found.url_text).map_err(|_| error)
    });
    let target = match &found.fragment {
        Some(fragment) => target.map(|url| url.with_fragment(fragment)),
        None => target,
    };
    Link::new(Text::of(&found.url_text), target)
}

/// The first mail address in a line without URLs: `name@host.domain`, in the characters of a `mailto` URL. Like a URL
/// it must be delimited at both ends.
fn mail(line: &[u8], first: FirstChar<'_>) -> Option<Range<usize>> {
    let at = memchr::memchr(b'@', line)?;
    if links_in_text(line).next().is_some() {
        return None;
    }
    let local = |octet: &u8| octet.is_ascii_alphanumeric() || b"._+-".contains(octet);
    let domain = |octet: &u8| octet.is_ascii_alphanumeric() || b".-".contains(octet);
    let before = line.get(..at)?.iter().rev();
    let start = at - before.take_while(|octet| local(octet)).count();
    let host = line.get(at + 1..)?;
    let end = host.iter().take_while(|octet| domain(octet)).count();
    let host = host.get(..end)?;
    let is_whole = is_word_start(line.get(..start)?, first)
        && is_word_end(line.get(at + 1 + host.len()..)?, first);
    let host = host.strip_suffix(b".").unwrap_or(host);
    let is_host = host.contains(&b'.') && !host.starts_with(b".");
    (start < at && is_host && is_whole).then(|| start..at + 1 + host.len())
}

/// Makes the column of a name before the text. A name that is too long shifts the text.
pub(super) fn column(name: &Text, columns: usize) -> Span {
    let pad = columns - text::width_within(name.as_str(), columns);
    Span::new(Text::of(&format!("{name}{} ", " ".repeat(pad))))
}
