//! Bookmarks of other programs: read, and written for them.
//!
//! Every format is read into a [`Shelf`] and written from one. What a format cannot hold is told of ([`Lost`]), never
//! dropped in silence. A reader takes any octets: what it does not know it passes over, and says so.

mod bombadillo;
mod builder;
mod csv;
mod detect;
mod gophermap;
mod html;
mod json;
mod lftp;
mod merge;
mod newsboat;
mod newsrc;
mod opml;
mod shelf;
mod text;
mod xbel;
mod xml;

use std::fmt;

pub use detect::detect;
pub use shelf::{Entry, Item, Lost, Shelf};

use crate::text::Charset;

/// The largest file that is read, in octets: browsers put pictures into theirs.
pub const LARGEST: usize = 256 << 20;

/// What bookmarks are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// The file of Netscape, which all browsers write and read; the lists of lynx and w3m too.
    Html,
    /// XML Bookmark Exchange Language 1.0.
    Xbel,
    /// A gopher menu: phetch, VF-1.
    Gophermap,
    /// Text with `<URL:...>` in it, the bookmark file among them.
    Text,
    /// Objects with a URL each; what Firefox, Chromium and buku write too.
    Json,
    /// A table with a column of URLs.
    Csv,
    /// Outline Processor Markup Language 2.0: lists of feeds.
    Opml,
    /// The `urls` file of newsboat.
    Newsboat,
    /// The groups of a newsreader.
    Newsrc,
    /// The `[BOOKMARKS]` of bombadillo's configuration.
    Bombadillo,
    /// The bookmarks of lftp.
    Lftp,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::Html,
        Self::Xbel,
        Self::Gophermap,
        Self::Text,
        Self::Json,
        Self::Csv,
        Self::Opml,
        Self::Newsboat,
        Self::Newsrc,
        Self::Bombadillo,
        Self::Lftp,
    ];

    /// The name that a person gives it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Html => "html",
            Self::Xbel => "xbel",
            Self::Gophermap => "gophermap",
            Self::Text => "text",
            Self::Json => "json",
            Self::Csv => "csv",
            Self::Opml => "opml",
            Self::Newsboat => "newsboat",
            Self::Newsrc => "newsrc",
            Self::Bombadillo => "bombadillo",
            Self::Lftp => "lftp",
        }
    }

    /// The format of this name, whatever its case.
    pub fn named(name: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|format| format.name().eq_ignore_ascii_case(name))
    }

    /// The format that a file's name suggests, where it does.
    pub fn of_file(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let whole = match name.as_str() {
            "gophermap" => Some(Self::Gophermap),
            "urls" => Some(Self::Newsboat),
            ".newsrc" => Some(Self::Newsrc),
            ".bombadillo.ini" => Some(Self::Bombadillo),
            _ => None,
        };
        let (_, ending) = name.rsplit_once('.').unwrap_or_default();
        whole.or(match ending {
            "html" | "htm" => Some(Self::Html),
            "xbel" | "xml" => Some(Self::Xbel),
            "gph" | "gopher" => Some(Self::Gophermap),
            "txt" => Some(Self::Text),
            "json" => Some(Self::Json),
            "csv" => Some(Self::Csv),
            "opml" => Some(Self::Opml),
            "newsrc" => Some(Self::Newsrc),
            "ini" => Some(Self::Bombadillo),
            _ => None,
        })
    }

    /// Reads bookmarks in this format.
    ///
    /// # Errors
    /// A sentence with the place, where the octets are not of this format at all. Nothing is half read.
    pub fn read(self, octets: &[u8]) -> Result<Shelf, Malformed> {
        if octets.len() > LARGEST {
            let most = crate::text::octets(LARGEST as u64);
            return Err(Malformed(format!("more than {most} are not read")));
        }
        match self {
            Self::Html => Ok(html::read(&decoded(octets))),
            Self::Xbel => xbel::read(&decoded(octets)),
            Self::Gophermap => Ok(gophermap::read(octets)),
            Self::Text => Ok(text::read(octets)),
            Self::Json => json::read(octets),
            Self::Csv => csv::read(&decoded(octets)),
            Self::Opml => opml::read(&decoded(octets)),
            Self::Newsboat => Ok(newsboat::read(&decoded(octets))),
            Self::Newsrc => Ok(newsrc::read(octets)),
            Self::Bombadillo => Ok(bombadillo::read(&decoded(octets))),
            Self::Lftp => Ok(lftp::read(&decoded(octets))),
        }
    }

    /// Writes bookmarks in this format, and tells what of them it cannot hold.
    pub fn write(self, shelf: &Shelf) -> (Vec<u8>, Lost) {
        let mut lost = Lost::default();
        let octets = match self {
            Self::Html => html::write(shelf, &mut lost).into_bytes(),
            Self::Xbel => xbel::write(shelf, &mut lost).into_bytes(),
            Self::Gophermap => gophermap::write(shelf, &mut lost),
            Self::Text => text::write(shelf, &mut lost),
            Self::Json => json::write(shelf, &mut lost),
            Self::Csv => csv::write(shelf, &mut lost),
            Self::Opml => opml::write(shelf, &mut lost).into_bytes(),
            Self::Newsboat => newsboat::write(shelf, &mut lost).into_bytes(),
            Self::Newsrc => newsrc::write(shelf, &mut lost),
            Self::Bombadillo => bombadillo::write(shelf, &mut lost).into_bytes(),
            Self::Lftp => lftp::write(shelf, &mut lost).into_bytes(),
        };
        (octets, lost)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why a file is not of the format that it was read as: the rest of a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Malformed(pub String);

/// Octets as characters: UTF-8, else as a page says of itself, else windows-1252.
fn decoded(octets: &[u8]) -> String {
    let octets = octets.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(octets);
    if let Ok(text) = std::str::from_utf8(octets) {
        return text.to_owned();
    }
    let start = String::from_utf8_lossy(octets.get(..1024).unwrap_or(octets)).to_ascii_lowercase();
    let named = ["charset=", "encoding="].iter().find_map(|word| {
        let (_, rest) = start.split_once(word)?;
        let rest = rest.trim_start_matches(['"', '\'']);
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "-_".contains(c)));
        Charset::named(rest.get(..end?)?)
    });
    let charset = named.unwrap_or_default();
    charset.decode(octets).into_owned()
}
