//! News groups and articles on any server (RFC 1738, sections 3.6 and 5).
//!
//! ```text
//! newsurl   = "news:" grouppart
//! grouppart = "*" | group | article
//! group     = alpha *[ alpha | digit | "-" | "." | "+" | "_" ]
//! article   = 1*[ uchar | ";" | "/" | "?" | ":" | "&" | "=" ] "@" host
//! ```
//!
//! An `@` makes it an article. A group has no escapes and starts with a letter; the text after the `@` must be a
//! strict host. RFC 5538 allows more, and each such form is a departure:
//!
//! ```text
//! newsURL    = "news:" [ server "/" ] ( article / newsgroups )
//! server     = "//" authority
//! newsgroups = *( group-char / pct-encoded / "*" )
//! ```
//!
//! Other newsreaders accept articles by their numbers after a group, `news:group/7` and `news:group/1-9`; that is a
//! separate departure. Domains in Message-IDs that are not valid hosts are a departure too. Of an authority, host and
//! port are read, and no user; the slash after it may be missing. `news://host/a@b` is strictly an article of RFC
//! 1738, but no server has one with that id.

use std::borrow::Cow;

use super::cursor::Cursor;
use super::departure::Departure;
use super::error::{ParseError, Rule};
use super::escape::{ALPHA, ARTICLE, Class, Encoded, GROUP, UCHAR};
use super::host::strict_host;
use super::login::{HostPort, hostport, slashes};
use super::production::{Explanation, Production};
use super::range::{Range, range};

/// The literals of `newsgroups` of RFC 5538.
const PATTERN: Class = GROUP.and(b"*");

/// The parts of a news URL.
///
/// ```
/// use rfc1738::{GroupPart, Parts, Url};
///
/// let url = Url::parse("news:comp.lang.rust").unwrap();
/// let Parts::News(news) = url.base_parts() else { panic!() };
/// assert!(news.server.is_none() && matches!(news.part, GroupPart::Group(_)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct News<'a> {
    /// The server, or `None` for any server, which is the only form of RFC 1738.
    pub server: Option<HostPort<'a>>,
    /// The articles or groups that the URL names.
    pub part: GroupPart<'a>,
}

/// `grouppart`: one group, several, or an article.
///
/// ```
/// use rfc1738::{GroupPart, Parts, Url};
///
/// let url = Url::parse("news:*").unwrap();
/// let Parts::News(news) = url.base_parts() else { panic!() };
/// assert_eq!(news.part, GroupPart::All);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupPart<'a> {
    /// `*`: all groups.
    All,
    /// A group; it has escapes only in a departure.
    Group(Encoded<'a>),
    /// The groups that match a pattern of RFC 3977, section 4, with a `*` or `?` in it; a departure.
    Groups(Encoded<'a>),
    /// Articles of a group by their numbers; a departure.
    Articles(Encoded<'a>, Range<'a>),
    /// An article, by its Message-ID without the angle brackets.
    Article(Article<'a>),
}

/// `article`: a Message-ID.
///
/// ```
/// use rfc1738::{GroupPart, News, Parts, Url};
///
/// let url = Url::parse("news:1%3C2@h.example").unwrap();
/// let Parts::News(News { part: GroupPart::Article(article), .. }) = url.base_parts() else { panic!() };
/// assert_eq!(&*article.id.octets(), b"1<2@h.example");
/// assert_eq!(article.host, "h.example");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Article<'a> {
    /// The whole Message-ID.
    pub id: Encoded<'a>,
    /// The text before the `@`; never empty.
    pub unique: Encoded<'a>,
    /// The host after the `@`; in a departure, any text.
    pub host: &'a str,
}

impl<'a> Production<'a> for News<'a> {
    fn range(&self) -> Option<Range<'a>> {
        match self.part {
            GroupPart::Articles(_, range) => Some(range),
            _ => None,
        }
    }

    fn group(&self) -> Option<Encoded<'a>> {
        match self.part {
            GroupPart::Group(name) | GroupPart::Articles(name, _) => Some(name),
            GroupPart::All | GroupPart::Groups(_) | GroupPart::Article(_) => None,
        }
    }

    fn explain(&self, lines: &mut Explanation) {
        match self.part {
            GroupPart::All => lines.add("groups", "all"),
            GroupPart::Group(group) => lines.add("group", group.as_str()),
            GroupPart::Groups(pattern) => lines.add("groups", pattern.as_str()),
            GroupPart::Articles(group, range) => {
                lines.add("group", group.as_str());
                lines.add("articles", range.written());
            }
            GroupPart::Article(article) => lines.add("article", article.id.as_str()),
        }
    }

    /// From articles to their group, from a group to all groups.
    fn parent_path(&self) -> Option<Cow<'a, str>> {
        match self.part {
            GroupPart::All | GroupPart::Article(_) => None,
            GroupPart::Articles(group, _) => Some(Cow::Borrowed(group.as_str())),
            GroupPart::Group(_) | GroupPart::Groups(_) => Some(Cow::Borrowed("*")),
        }
    }

    fn root_path(&self) -> Option<&'static str> {
        Some("*")
    }
}

pub(super) fn parse<'a>(
    cursor: &mut Cursor<'a>,
    port: Option<u16>,
) -> Result<News<'a>, ParseError> {
    let start = *cursor;
    if !cursor.may_depart() || !cursor.rest().starts_with("//") {
        let part = grouppart(cursor)?;
        return Ok(News { server: None, part });
    }
    with_server(cursor, port).or_else(|fault| {
        // As far as is known, no program reads the URL like this, but strictly it may be an article.
        *cursor = start.strict();
        let part = grouppart(cursor).map_err(|_| fault)?;
        Ok(News { server: None, part })
    })
}

/// `server "/" ( article / newsgroups )` of RFC 5538.
fn with_server<'a>(cursor: &mut Cursor<'a>, port: Option<u16>) -> Result<News<'a>, ParseError> {
    let server = hostport(slashes(cursor)?, port)?;
    cursor.depart(Departure::Rfc5538);
    if cursor.peek().is_some() {
        let rule = Rule("newsURL", "3.6");
        cursor.expect(b'/', rule, "the \"/\" after a news server")?;
    }
    let part = grouppart(cursor)?;
    Ok(News {
        server: Some(server),
        part,
    })
}

fn grouppart<'a>(cursor: &mut Cursor<'a>) -> Result<GroupPart<'a>, ParseError> {
    let start = *cursor;
    let text = cursor.rest();
    if text == "*" {
        cursor.take(1);
        return Ok(GroupPart::All);
    }
    if cursor.peek().is_some_and(|first| ALPHA.has(first)) {
        let group = cursor.literals(&GROUP);
        if cursor.peek().is_none() {
            return Ok(GroupPart::Group(Encoded::new(group)));
        }
        *cursor = start;
    }
    // This is the common case: the text before an "@" is followed by it, or by the end.
    let unique = cursor.run(&ARTICLE);
    if cursor.peek() == Some(b'@') || cursor.rest().contains('@') {
        return article(&start, cursor, unique).map(GroupPart::Article);
    }
    *cursor = start;
    let fault = match strict_group(cursor) {
        Ok(group) => return Ok(GroupPart::Group(Encoded::new(group))),
        Err(fault) => fault,
    };
    *cursor = start;
    let pattern = cursor.run(&PATTERN);
    let is_name = !pattern.is_empty() && !pattern.contains('*');
    if cursor.may_depart() && is_name && cursor.eat(b'/') {
        let range = range(cursor).filter(|_| cursor.peek().is_none());
        cursor.depart(Departure::Range);
        let group = Encoded::new(pattern);
        return range
            .map(|range| GroupPart::Articles(group, range))
            .ok_or(fault);
    }
    if !cursor.may_depart() || cursor.peek().is_some() {
        return Err(fault);
    }
    cursor.depart(Departure::Rfc5538);
    let groups = Encoded::new(pattern);
    Ok(match groups.octets() {
        octets if matches!(&*octets, b"" | b"*") => GroupPart::All,
        octets if octets.contains(&b'*') || octets.contains(&b'?') => GroupPart::Groups(groups),
        _ => GroupPart::Group(groups),
    })
}

fn strict_group<'a>(cursor: &mut Cursor<'a>) -> Result<&'a str, ParseError> {
    if cursor.eat(b'*') {
        let rule = Rule("grouppart", "3.6");
        return Err(cursor.missing(rule, "the end (all groups are \"*\" alone)"));
    }
    let group = group(cursor, "3.6")?;
    match cursor.peek() {
        None => Ok(group),
        Some(_) => Err(not_in_group(cursor, "3.6")),
    }
}

/// Parses an `article`, of which `unique` was already taken, starting at `start`.
fn article<'a>(
    start: &Cursor<'a>,
    cursor: &mut Cursor<'a>,
    unique: &'a str,
) -> Result<Article<'a>, ParseError> {
    let rule = Rule("article", "3.6");
    if unique.is_empty() && cursor.peek() == Some(b'@') {
        return Err(cursor.missing(rule, "what a Message-ID has before its \"@\""));
    }
    if !cursor.eat(b'@') {
        return Err(cursor.stray(rule));
    }
    let domain = *cursor;
    let strict = strict_host(cursor).and_then(|host| match cursor.peek() {
        None => Ok(host),
        Some(_) => Err(cursor.missing(rule, "the end of the Message-ID")),
    });
    let host = match strict {
        Ok(host) => host,
        Err(fault) => {
            *cursor = domain;
            let host = cursor.run(&UCHAR);
            if !cursor.may_depart() || host.is_empty() || cursor.peek().is_some() {
                return Err(fault);
            }
            cursor.depart(Departure::Rfc5538);
            host
        }
    };
    Ok(Article {
        id: Encoded::new(cursor.since(start)),
        unique: Encoded::new(unique),
        host,
    })
}

/// `group`, up to the first character that cannot belong to it.
pub(super) fn group<'a>(
    cursor: &mut Cursor<'a>,
    section: &'static str,
) -> Result<&'a str, ParseError> {
    match cursor.peek() {
        Some(first) if ALPHA.has(first) => Ok(cursor.literals(&GROUP)),
        _ => Err(cursor.missing(Rule("group", section), "the first letter of a news group")),
    }
}

/// The error for a character that cannot be in a group name.
pub(super) fn not_in_group(cursor: &Cursor<'_>, section: &'static str) -> ParseError {
    cursor.missing(
        Rule("group", section),
        "a letter, a digit, \"-\", \".\", \"+\" or \"_\" of a news group",
    )
}
