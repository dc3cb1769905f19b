//! Header of a cached page: lines with a name and a value.

use std::collections::HashMap;

use geomys_load::{KnownCopy, ServerDate, Version};
use geomys_page::document::{ArticleNumbers, ListingPlace, Shape};
use geomys_wire::net::TransferEnd;
use geomys_wire::protocol::ftp::listing::{Day, Format};
use geomys_wire::text::Charset;
use jiff::Timestamp;
use rfc1738::{Dialect, Url};

/// First line of the file.
const FIRST: &str = "geomys page 1";

/// Words of the shapes, except for listings.
const WORDS: [(&str, Shape); 12] = [
    ("menu", Shape::Menu),
    ("attributes", Shape::Attributes),
    ("people", Shape::People),
    ("hits", Shape::Hits),
    ("html", Shape::Html),
    ("json", Shape::Json),
    ("feed", Shape::Feed),
    ("gemtext", Shape::Gemtext),
    ("text", Shape::Text),
    ("groups", Shape::Groups),
    ("group", Shape::Group),
    ("article", Shape::Article),
];

/// Word for a format of listings that is guessed from the first lines.
const GUESSED: &str = "?";

/// Values of ends at which some of a page may be missing.
const ENDS: [(&str, TransferEnd); 2] = [
    ("unconfirmed", TransferEnd::Unconfirmed),
    ("undotted", TransferEnd::Undotted),
];

/// Header of a cached page, without its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageHeader {
    /// Cache key: the requested URL, without a password.
    pub url: Url,
    /// Kind of the content.
    pub shape: Shape,
    /// Charset that the server or the page declares.
    pub charset: Option<Charset>,
    /// Languages that the server declares, as `en,fr`.
    pub languages: Option<String>,
    /// Field by which the page leads on to another: `5; url=/next`.
    pub refresh: Option<Box<str>>,
    /// Offset of the server's clock from UTC in minutes, for a listing.
    pub offset: Option<i32>,
    /// Title, if the server gave one.
    pub title: Option<String>,
    /// Time of publication, as the page that lists this one has it; an article tells its own.
    pub published: Option<Timestamp>,
    /// Highest article number of a news group.
    pub highest: Option<u64>,
    /// Numbers of the articles of a news group that are in the overview, as far as they exist.
    pub covered: ArticleNumbers,
    /// Time on the clock of a news server when its list of groups was requested.
    pub list_date: Option<ServerDate>,
    /// Time when the complete list came, if only changes have come since.
    pub whole: Option<Timestamp>,
    /// End of its transfer: some of it may be missing.
    pub end: TransferEnd,
    /// URL of the page if it differs from the requested one; without a password.
    pub real: Option<Url>,
    /// Version of the page, as its server reported it.
    pub version: Version,
}

impl PageHeader {
    /// Creates the header of a page of which only these are known.
    pub fn new(url: Url, shape: Shape) -> Self {
        Self {
            url,
            shape,
            charset: None,
            languages: None,
            refresh: None,
            offset: None,
            title: None,
            published: None,
            highest: None,
            covered: ArticleNumbers::default(),
            list_date: None,
            whole: None,
            end: TransferEnd::Confirmed,
            real: None,
            version: Version::default(),
        }
    }

    /// Returns what a request for the page tells of the copy. A page that may be only the beginning is fetched again.
    pub fn known_copy(&self) -> KnownCopy {
        let url = self.real.as_ref().unwrap_or(&self.url).clone();
        if self.end.is_unconfirmed() {
            return KnownCopy::none(url);
        }
        KnownCopy {
            url,
            version: self.version.clone(),
            charset: self.charset,
        }
    }

    /// Formats the header of a page that came at `since`.
    pub(super) fn write(&self, since: Timestamp) -> Vec<u8> {
        let lines = [
            ("url", Some(self.url.to_string())),
            ("shape", Some(shape_words(self.shape))),
            (
                "charset",
                self.charset.map(|charset| charset.name().to_owned()),
            ),
            ("lang", self.languages.clone()),
            ("refresh", self.refresh.as_deref().map(str::to_owned)),
            ("offset", self.offset.map(|offset| offset.to_string())),
            ("since", Some(since.to_string())),
            ("title", self.title.clone()),
            ("published", self.published.map(|time| time.to_string())),
            ("highest", self.highest.map(|highest| highest.to_string())),
            (
                "covered",
                Some(self.covered.to_string()).filter(|covered| !covered.is_empty()),
            ),
            ("clock", self.list_date.map(|date| date.to_string())),
            ("whole", self.whole.map(|whole| whole.to_string())),
            ("end", end_word(self.end).map(str::to_owned)),
            ("real", self.real.as_ref().map(ToString::to_string)),
            ("etag", self.version.tag.as_deref().map(str::to_owned)),
            ("modified", self.version.modified.clone()),
            ("size", self.version.size.map(|size| size.to_string())),
        ];
        let mut head = format!("{FIRST}\n");
        for (name, value) in lines {
            if let Some(value) = value.filter(|value| !value.contains(['\n', '\r'])) {
                head.extend([name, " ", &value, "\n"]);
            }
        }
        head.push('\n');
        head.into_bytes()
    }

    /// Parses the header at the beginning of a file. Returns the header, the time of the page and the length of the
    /// header.
    pub(crate) fn read(octets: &[u8]) -> Option<(Self, Timestamp, u64)> {
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
            url: Dialect::Extended.parse(value("url")?).ok()?,
            shape: parse_shape(value("shape")?)?,
            charset: value("charset").and_then(Charset::named),
            languages: value("lang").map(str::to_owned),
            refresh: value("refresh").map(Box::from),
            offset: value("offset").and_then(|value| value.parse().ok()),
            title: value("title").map(str::to_owned),
            published: value("published").and_then(|value| value.parse().ok()),
            highest: value("highest").and_then(|value| value.parse().ok()),
            covered: value("covered")
                .and_then(|value| ArticleNumbers::parse(value.as_bytes()))
                .unwrap_or_default(),
            list_date: value("clock").and_then(|value| ServerDate::parse(value.as_bytes())),
            whole: value("whole").and_then(|value| value.parse().ok()),
            end: value("end").map_or(TransferEnd::Confirmed, parse_end),
            real: value("real").and_then(|value| Dialect::Extended.parse(value).ok()),
            version: Version {
                size: value("size").and_then(|value| value.parse().ok()),
                modified: value("modified").map(str::to_owned),
                tag: value("etag").map(Into::into),
            },
        };
        let since = value("since")?.parse().ok()?;
        Some((head, since, end as u64 + 2))
    }
}

/// Returns the word for an end at which some of a page may be missing.
fn end_word(end: TransferEnd) -> Option<&'static str> {
    let mut ends = ENDS.iter();
    ends.find(|(_, other)| *other == end).map(|(word, _)| *word)
}

fn parse_end(word: &str) -> TransferEnd {
    let mut ends = ENDS.iter();
    let end = ends.find(|(other, _)| *other == word);
    end.map_or(TransferEnd::Confirmed, |(_, end)| *end)
}

/// Returns the words for a shape. A listing has its format, if it is known, and the day of its request.
fn shape_words(shape: Shape) -> String {
    if let Shape::Listing { format, today, .. } = shape {
        let format = format.map_or_else(|| GUESSED.to_owned(), |format| format!("{format:?}"));
        let Day { year, month, day } = today;
        return format!("listing {format} {year} {month} {day}");
    }
    let mut words = WORDS.iter();
    let word = words.find(|(_, other)| *other == shape);
    word.map_or("text", |(word, _)| word).to_owned()
}

fn parse_shape(words: &str) -> Option<Shape> {
    let mut words = words.split(' ');
    let word = words.next()?;
    if word != "listing" {
        let (_, shape) = WORDS.iter().find(|(other, _)| *other == word)?;
        return Some(*shape);
    }
    let format = match words.next()? {
        GUESSED => None,
        name => {
            let mut formats = Format::ALL.into_iter();
            Some(formats.find(|format| format!("{format:?}") == name)?)
        }
    };
    let today = Day {
        year: words.next()?.parse().ok()?,
        month: words.next()?.parse().ok()?,
        day: words.next()?.parse().ok()?,
    };
    // What is in an archive is not cached.
    Some(Shape::Listing {
        format,
        today,
        place: ListingPlace::Server,
    })
}
