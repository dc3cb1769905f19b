//! WAIS databases, searches and documents (RFC 1738, sections 3.9 and 5).
//!
//! ```text
//! waisurl      = waisdatabase | waisindex | waisdoc
//! waisdatabase = "wais://" hostport "/" database
//! waisindex    = "wais://" hostport "/" database "?" search
//! waisdoc      = "wais://" hostport "/" database "/" wtype "/" wpath
//! database     = *uchar
//! wtype        = *uchar
//! wpath        = *uchar
//! ```
//!
//! One segment is a database, three are a document, two or more than three are a fault. All of them may be empty.

use super::cursor::Cursor;
use super::error::{Message, ParseError, Rule};
use super::escape::{Encoded, SEARCH, UCHAR};
use super::login::{HostPort, hostport};

/// The parts of a wais URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wais<'a> {
    /// Where.
    pub address: HostPort<'a>,
    /// The name of the database.
    pub database: Encoded<'a>,
    /// What of the database is meant.
    pub target: WaisTarget<'a>,
}

/// Which of the three forms it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaisTarget<'a> {
    /// The database itself.
    Database,
    /// A search in it.
    Search(Encoded<'a>),
    /// A document in it.
    Document {
        /// The type of the document.
        wtype: Encoded<'a>,
        /// The document-id, which only its server understands.
        wpath: Encoded<'a>,
    },
}

#[inline]
pub(super) fn parse<'a>(
    cursor: &mut Cursor<'a>,
    port: Option<u16>,
) -> Result<Wais<'a>, ParseError> {
    let address = hostport(cursor, port)?;
    cursor.expect(b'/', Rule("waisurl", "3.9"), "the \"/\" before a database")?;
    let database = Encoded::new(cursor.run(&UCHAR));
    let mut rule = Rule("database", "3.9");
    let target = match cursor.peek() {
        Some(b'?') => {
            cursor.take(1);
            rule = Rule("search", "3.9");
            WaisTarget::Search(Encoded::new(cursor.run(&SEARCH)))
        }
        Some(b'/') => {
            cursor.take(1);
            let wtype = Encoded::new(cursor.run(&UCHAR));
            if cursor.peek().is_none() {
                return Err(cursor.error(0, Rule("waisdoc", "3.9"), Message::WaisSegments));
            }
            if !cursor.eat(b'/') {
                return Err(cursor.stray(Rule("wtype", "3.9")));
            }
            rule = Rule("wpath", "3.9");
            let wpath = Encoded::new(cursor.run(&UCHAR));
            WaisTarget::Document { wtype, wpath }
        }
        _ => WaisTarget::Database,
    };
    cursor.end(rule)?;
    Ok(Wais {
        address,
        database,
        target,
    })
}
