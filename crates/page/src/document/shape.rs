//! The formats of a page.

use geomys_wire::protocol::ftp::listing as ftp;
use rfc1738::Url;

use crate::archive::level_above;

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
    /// The visited pages of the user.
    Visits,
    /// The pages that a search of the stored copies has found.
    Found,
    /// A web page (HTML).
    Html,
    /// Data (JSON).
    Json,
    /// A feed (RSS, Atom).
    Feed,
    /// A page of Gemini (gemtext).
    Gemtext,
    /// Lines of text.
    Text,
    /// A list of news groups and their descriptions.
    Groups,
    /// The overview of a news group.
    Group,
    /// A news article.
    Article,
    /// A picture: PNG, JPEG, GIF or WebP.
    Picture,
    /// An FTP directory listing.
    Listing {
        /// The format, when the FTP command determines it; else it is guessed from the first lines.
        format: Option<ftp::Format>,
        /// The day of the request. It determines the year of dates that have none.
        today: ftp::Day,
        /// The place of the directory, which the URLs of its entries need.
        place: ListingPlace,
    },
}

/// The place of a listed directory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ListingPlace {
    /// On a server or a disk: an entry is a segment of the path.
    #[default]
    Server,
    /// In an archive: the fragment is the path of the member.
    Archive,
    /// In the tree of a whole site: an entry has its path below the directory of the file with the tree.
    Site,
}

impl ListingPlace {
    /// Returns the URL of the level above a directory.
    pub(super) fn up(self, url: &Url) -> Option<Url> {
        match self {
            Self::Server | Self::Site => url.up(),
            Self::Archive => level_above(url),
        }
    }
}

impl Shape {
    /// Returns true if the links of its rows have labels, which are no URLs.
    pub(super) fn has_labels(self) -> bool {
        match self {
            Self::Menu
            | Self::Hits
            | Self::Html
            | Self::Feed
            | Self::Gemtext
            | Self::Groups
            | Self::Group
            | Self::Listing { .. } => true,
            Self::Attributes
            | Self::People
            | Self::Visits
            | Self::Found
            | Self::Json
            | Self::Text
            | Self::Article
            | Self::Picture => false,
        }
    }

    /// Returns true if the cursor moves from row to row (a menu, a listing), false if the page scrolls (a text).
    pub(super) fn is_list(self) -> bool {
        match self {
            Self::Html
            | Self::Json
            | Self::Feed
            | Self::Gemtext
            | Self::Text
            | Self::Article
            | Self::Picture => false,
            Self::Menu
            | Self::Attributes
            | Self::People
            | Self::Hits
            | Self::Visits
            | Self::Found
            | Self::Groups
            | Self::Group
            | Self::Listing { .. } => true,
        }
    }

    /// Returns true if each row shows the beginning of a record, and a long record continues in further rows. The rows
    /// of a menu are pieces of lines.
    pub(super) fn has_records(self) -> bool {
        self.is_list() && self != Self::Menu
    }
}
