//! What is known of a page that is kept: lines of a name and a value.

use jiff::Timestamp;

use crate::document::Shape;
use crate::load::ServerDate;
use crate::url::Url;

/// The first line.
const FIRST: &str = "geomys page 1";

/// What is known of a page that is kept, but for when it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// By what it is found; without a password.
    pub url: Url,
    /// What its octets are.
    pub shape: Shape,
    /// A title, when the server gave one.
    pub title: Option<String>,
    /// The highest number of a news group.
    pub highest: Option<u64>,
    /// What the clock of a news server showed when its list of groups was asked for.
    pub asked_at: Option<ServerDate>,
    /// When all of it came, where only changes of it have come since.
    pub whole: Option<Timestamp>,
    /// Where it was found, when that is not where it was looked for; without a password.
    pub real: Option<Url>,
}

impl Head {
    /// As it is written of a page that came from its server then; nothing for one that cannot be kept.
    pub(super) fn write(&self, since: Timestamp) -> Option<Vec<u8>> {
        let lines = [
            ("url", Some(self.url.to_string())),
            ("shape", Some(shape_word(self.shape)?.to_owned())),
            ("since", Some(since.to_string())),
            ("title", self.title.clone()),
            ("highest", self.highest.map(|highest| highest.to_string())),
            ("clock", self.asked_at.map(|date| date.to_string())),
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

    /// Reads it from the beginning of a file; when the page came, and how long the head is.
    pub(super) fn read(octets: &[u8]) -> Option<(Self, Timestamp, usize)> {
        let end = memchr::memmem::find(octets, b"\n\n")?;
        let text = std::str::from_utf8(octets.get(..end)?).ok()?;
        let mut lines = text.lines();
        if lines.next()? != FIRST {
            return None;
        }
        let (mut url, mut shape, mut since) = (None, None, None);
        let (mut title, mut highest, mut asked_at) = (None, None, None);
        let (mut whole, mut real) = (None, None);
        for line in lines {
            let (name, value) = line.split_once(' ')?;
            match name {
                "url" => url = Url::accept(value).ok(),
                "shape" => shape = shape_named(value),
                "since" => since = value.parse().ok(),
                "title" => title = Some(value.to_owned()),
                "highest" => highest = value.parse().ok(),
                "clock" => asked_at = ServerDate::parse(value.as_bytes()),
                "whole" => whole = value.parse().ok(),
                "real" => real = Url::accept(value).ok(),
                // A later Geomys may know more.
                _ => {}
            }
        }
        let head = Self {
            url: url?,
            shape: shape?,
            title,
            highest,
            asked_at,
            whole,
            real,
        };
        Some((head, since?, end + 2))
    }
}

/// The word for a shape; nothing for one that needs more than its octets to be read.
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
        // Its charset may stand nowhere in it.
        Shape::Html | Shape::Listing { .. } => return None,
    })
}

fn shape_named(word: &str) -> Option<Shape> {
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
