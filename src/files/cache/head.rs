//! Header of a cached page: lines with a name and a value.

use jiff::Timestamp;

use crate::document::Shape;
use crate::load::ServerDate;
use crate::url::Url;

/// First line of the file.
const FIRST: &str = "geomys page 1";

/// Header of a cached page, without its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageHeader {
    /// Cache key: the requested URL, without a password.
    pub url: Url,
    /// Kind of the content.
    pub shape: Shape,
    /// Title, if the server gave one.
    pub title: Option<String>,
    /// Highest article number of a news group.
    pub highest: Option<u64>,
    /// Time on the clock of a news server when its list of groups was requested.
    pub list_date: Option<ServerDate>,
    /// Time when the complete list came, if only changes have come since.
    pub whole: Option<Timestamp>,
    /// URL of the page if it differs from the requested one; without a password.
    pub real: Option<Url>,
}

impl PageHeader {
    /// Formats the header of a page that came at `since`; `None` for a page that cannot be cached.
    pub(super) fn write(&self, since: Timestamp) -> Option<Vec<u8>> {
        let lines = [
            ("url", Some(self.url.to_string())),
            ("shape", Some(shape_word(self.shape)?.to_owned())),
            ("since", Some(since.to_string())),
            ("title", self.title.clone()),
            ("highest", self.highest.map(|highest| highest.to_string())),
            ("clock", self.list_date.map(|date| date.to_string())),
            ("whole", self.whole.map(|whole| whole.to_string())),
            ("real", self.real.as_ref().map(ToString::to_string)),
        ];
        let mut head = format!("{FIRST}\n");
        for (name, value) in lines {
            if let Some(value) = value.filter(|value| !value.contains(['\n', '\r'])) {
                head.extend([name, " ", &value, "\n"]);
            }
        }
        head.push('\n');
        Some(head.into_bytes())
    }

    /// Parses the header at the beginning of a file. Returns the header, the time of the page and the length of the header.
    pub(super) fn read(octets: &[u8]) -> Option<(Self, Timestamp, usize)> {
        let end = memchr::memmem::find(octets, b"\n\n")?;
        let text = std::str::from_utf8(octets.get(..end)?).ok()?;
        let mut lines = text.lines();
        if lines.next()? != FIRST {
            return None;
        }
        let (mut url, mut shape, mut since) = (None, None, None);
        let (mut title, mut highest, mut list_date) = (None, None, None);
        let (mut whole, mut real) = (None, None);
        for line in lines {
            let (name, value) = line.split_once(' ')?;
            match name {
                "url" => url = Url::accept(value).ok(),
                "shape" => shape = parse_shape(value),
                "since" => since = value.parse().ok(),
                "title" => title = Some(value.to_owned()),
                "highest" => highest = value.parse().ok(),
                "clock" => list_date = ServerDate::parse(value.as_bytes()),
                "whole" => whole = value.parse().ok(),
                "real" => real = Url::accept(value).ok(),
                // A later version of Geomys may write more names.
                _ => {}
            }
        }
        let head = Self {
            url: url?,
            shape: shape?,
            title,
            highest,
            list_date,
            whole,
            real,
        };
        Some((head, since?, end + 2))
    }
}

/// Returns the word for a shape; `None` for a shape that cannot be read from its octets alone.
fn shape_word(shape: Shape) -> Option<&'static str> {
    Some(match shape {
        Shape::Menu => "menu",
        Shape::Attributes => "attributes",
        Shape::People => "people",
        Shape::Hits => "hits",
        Shape::Text => "text",
        Shape::Groups => "groups",
        Shape::Group => "group",
        Shape::Article => "article",
        // The charset may be missing in the content.
        Shape::Html | Shape::Listing { .. } => return None,
    })
}

fn parse_shape(word: &str) -> Option<Shape> {
    Some(match word {
        "menu" => Shape::Menu,
        "attributes" => Shape::Attributes,
        "people" => Shape::People,
        "hits" => Shape::Hits,
        "text" => Shape::Text,
        "groups" => Shape::Groups,
        "group" => Shape::Group,
        "article" => Shape::Article,
        _ => return None,
    })
}
