//! The Web (RFC 1738, sections 3.3 and 5).
//!
//! ```text
//! httpurl  = "http://" hostport [ "/" hpath [ "?" search ]]
//! hpath    = hsegment *[ "/" hsegment ]
//! hsegment = *[ uchar | ";" | ":" | "@" | "&" | "=" ]
//! search   = *[ uchar | ";" | ":" | "@" | "&" | "=" ]
//! ```
//!
//! No user, no `?` without a slash before it, and neither `/` nor `?` in a search.

use super::cursor::Cursor;
use super::error::{ParseError, Rule};
use super::escape::{Encoded, HPATH, SEARCH};
use super::login::{HostPort, hostport};

/// The parts of an http URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Http<'a> {
    /// Where.
    pub address: HostPort<'a>,
    /// `hpath`, without the slash before it; nothing when that is left out too.
    pub path: Option<Encoded<'a>>,
    /// What stands after the `?`.
    pub search: Option<Encoded<'a>>,
}

pub(super) fn parse(mut cursor: Cursor<'_>, port: Option<u16>) -> Result<Http<'_>, ParseError> {
    let mut http = Http {
        address: hostport(&mut cursor, port)?,
        path: None,
        search: None,
    };
    if cursor.eat(b'/') {
        http.path = Some(Encoded::new(cursor.run(&HPATH)));
        if cursor.eat(b'?') {
            http.search = Some(Encoded::new(cursor.run(&SEARCH)));
            cursor.end(Rule("search", "3.3"))?;
        }
        cursor.end(Rule("hsegment", "3.3"))?;
    }
    Ok(http)
}
