//! The Web (RFC 1738, sections 3.3 and 5).
//!
//! ```text
//! httpurl  = "http://" hostport [ "/" hpath [ "?" search ]]
//! hpath    = hsegment *[ "/" hsegment ]
//! hsegment = *[ uchar | ";" | ":" | "@" | "&" | "=" ]
//! search   = *[ uchar | ";" | ":" | "@" | "&" | "=" ]
//! ```
//!
//! No user, and no `?` without a slash before it. A `/` or `?` in a search is a departure (RFC 3986, section 3.4).

use std::borrow::Cow;

use super::cursor::Cursor;
use super::departure::Departure;
use super::error::{ParseError, Rule};
use super::escape::{Class, Encoded, HPATH, SEARCH};
use super::login::{HostPort, hostport};
use super::production::{Explanation, Production, path_above};

/// The literals of a query in RFC 3986.
const QUERY: Class = SEARCH.and(b"/?");

/// The parts of an http URL.
///
/// ```
/// use rfc1738::{Parts, Url};
///
/// let url = Url::parse("http://h.example/a?b").unwrap();
/// let Parts::Http(http) = url.base_parts() else { panic!() };
/// assert_eq!((http.path.unwrap().as_str(), http.search.unwrap().as_str()), ("a", "b"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Http<'a> {
    /// The host and port.
    pub address: HostPort<'a>,
    /// `hpath` without the slash before it; `None` if that slash is left out too.
    pub path: Option<Encoded<'a>>,
    /// The text after the `?`.
    pub search: Option<Encoded<'a>>,
}

impl<'a> Production<'a> for Http<'a> {
    fn explain(&self, lines: &mut Explanation) {
        lines.part("path", self.path);
        lines.part("search", self.search);
    }

    fn parent_path(&self) -> Option<Cow<'a, str>> {
        let above = path_above(self.path?);
        above.or(self.search.map(|_| "")).map(Cow::Borrowed)
    }

    fn root_path(&self) -> Option<&'static str> {
        Some("")
    }

    fn canonical_tail(&self, tail: &'a str) -> Cow<'a, str> {
        Cow::Borrowed(if tail.is_empty() { "/" } else { tail })
    }
}

#[inline]
pub(super) fn parse<'a>(
    cursor: &mut Cursor<'a>,
    port: Option<u16>,
) -> Result<Http<'a>, ParseError> {
    let address = hostport(cursor, port)?;
    let (mut path, mut search) = (None, None);
    if cursor.eat(b'/') {
        path = Some(Encoded::new(cursor.run(&HPATH)));
        if cursor.eat(b'?') {
            search = Some(Encoded::new(query(cursor)));
            cursor.end(Rule("search", "3.3"))?;
        }
        cursor.end(Rule("hsegment", "3.3"))?;
    }
    Ok(Http {
        address,
        path,
        search,
    })
}

fn query<'a>(cursor: &mut Cursor<'a>) -> &'a str {
    let start = *cursor;
    let search = cursor.run(&SEARCH);
    if !cursor.may_depart() || !matches!(cursor.peek(), Some(b'/' | b'?')) {
        return search;
    }
    cursor.run(&QUERY);
    cursor.depart(Departure::HttpQuery);
    cursor.since(&start)
}
