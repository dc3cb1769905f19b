//! The formats of a page.

use crate::protocol::ftp::listing as ftp;

/// The format of the octets, as the protocol states it. A load reports it first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A Gopher menu.
    Menu,
    /// The attributes of Gopher+ items.
    Attributes,
    /// The entries of a phone book (CSO).
    People,
    /// The results of a search in a WAIS database.
    Hits,
    /// A web page (HTML).
    Html,
    /// Lines of text.
    Text,
    /// A list of news groups and their descriptions.
    Groups,
    /// The overview of a news group.
    Group,
    /// A news article.
    Article,
    /// An FTP directory listing.
    Listing {
        /// The format, when the FTP command determines it; else it is guessed from the first lines.
        format: Option<ftp::Format>,
        /// The day of the request. It determines the year of dates that have none.
        today: ftp::Day,
    },
}
