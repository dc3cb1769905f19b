//! Header of a cached page: lines with a name and a value.

use std::collections::HashMap;

use jiff::Timestamp;

use crate::document::{ArticleNumbers, Shape};
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
    /// Numbers of the articles of a news group that are in the overview, as far as they exist.
    pub covered: ArticleNumbers,
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
            (
                "covered",
                Some(self.covered.to_string()).filter(|covered| !covered.is_empty()),
            ),
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
    pub(super) fn read(octets: &[u8]) -> Option<(Self, Timestamp, u64)> {
        let end = memchr::memmem::find(octets, b"\n\n")?;
        let text = std::str::from_utf8(octets.get(..end)?).ok()?;
        let mut lines = text.lines();
        if lines.next()? != FIRST {
            return None;
        }
        // A later version of Geomys may write more names.
        let lines: Option<HashMap<&str, &str>> = lines.map(|line| line.split_once(' ')).collect();
        let lines = lines?;
        let value = |name| lines.get(name).copied();
        let head = Self {
            url: Url::accept(value("url")?).ok()?,
            shape: parse_shape(value("shape")?)?,
            title: value("title").map(str::to_owned),
            highest: value("highest").and_then(|value| value.parse().ok()),
            covered: value("covered")
                .and_then(|value| ArticleNumbers::parse(value.as_bytes()))
                .unwrap_or_default(),
            list_date: value("clock").and_then(|value| ServerDate::parse(value.as_bytes())),
            whole: value("whole").and_then(|value| value.parse().ok()),
            real: value("real").and_then(|value| Url::accept(value).ok()),
        };
        let since = value("since")?.parse().ok()?;
        Some((head, since, end as u64 + 2))
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
        Shape::Html | Shape::Json | Shape::Feed | Shape::Listing { .. } => return None,
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
