//! Import and export of the bookmarks of other programs.
//!
//! Every format is read into a [`BookmarkTree`] and written from one. Data that a format cannot hold is reported
//! ([`LossReport`]), never dropped silently. A reader accepts any octets: it skips and reports what it does not
//! understand.

mod browsers;
mod builder;
mod columns;
mod csv;
mod delimited;
mod detect;
mod envelope;
mod filezilla;
mod gophermap;
mod html;
pub mod import;
mod json;
mod merge;
mod outline;
mod pinboard;
mod safari;
mod syncterm;
mod text;
mod tree;
mod url_line;
mod url_lists;
mod xml;

use std::fmt;

pub use detect::{detect, other_format};
pub use envelope::opened;

pub use merge::EXISTS;
pub use tree::{BookmarkTree, Entry, Folder, FormatError, Item, LeftOut, LossReport};

use geomys_wire::text::Charset;

use self::outline::Syntax;

/// Maximum size of a file, in octets: browsers store pictures in their files.
pub const MAX_FILE_BYTES: usize = 256 << 20;

/// File format of bookmarks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BookmarkFormat {
    /// Netscape bookmark file, which all browsers write and read; also the lists of lynx and w3m.
    Html,
    /// XML Bookmark Exchange Language 1.0.
    Xbel,
    /// Gopher menu: phetch, VF-1.
    Gophermap,
    /// Text with `<URL:...>` in it, such as the bookmark file of Geomys.
    Text,
    /// JSON objects with a URL each, also as written by Firefox, Chromium and buku.
    Json,
    /// Table with a column of URLs.
    Csv,
    /// Outline Processor Markup Language 2.0: lists of feeds.
    Opml,
    /// `urls` file of newsboat.
    Newsboat,
    /// Groups of a newsreader; only read.
    Newsrc,
    /// Section `[BOOKMARKS]` of bombadillo's configuration; only read.
    Bombadillo,
    /// Bookmarks of lftp; only read.
    Lftp,
    /// `bookmarks.ini` of lagrange; only read.
    Lagrange,
    /// Gemtext with links; only read.
    Gemtext,
    /// Org with links; only read.
    Org,
    /// Markdown with links; only read.
    Markdown,
    /// Hotlist of Mosaic; only read.
    Mosaic,
    /// Hotlist of Opera until version 12; only read.
    Opera,
    /// Bookmarks of elinks; only read.
    Elinks,
    /// `.gopherrc` of the gopher client of the University of Minnesota; only read.
    Gopherrc,
    /// XML of Pinboard; only read.
    Pinboard,
    /// `sitemanager.xml` of `FileZilla`; only read.
    FileZilla,
    /// Property list of Safari in XML; only read.
    Safari,
    /// File of one bookmark, such as `.url`; only read.
    Shortcut,
    /// `syncterm.lst` of `SyncTERM`; only read.
    Syncterm,
}

impl BookmarkFormat {
    /// All formats, each with its name on the command line, and with the names and the extensions of its files.
    const NAMES: [(Self, &'static str, &'static [&'static str]); 24] = [
        (Self::Html, "html", &[".html", ".htm"]),
        (Self::Xbel, "xbel", &[".xbel", ".xml"]),
        (
            Self::Gophermap,
            "gophermap",
            &["gophermap", ".gph", ".gopher"],
        ),
        (Self::Text, "text", &[".txt"]),
        (Self::Json, "json", &[".json"]),
        (Self::Csv, "csv", &[".csv"]),
        (Self::Opml, "opml", &[".opml"]),
        (Self::Newsboat, "newsboat", &["urls"]),
        (Self::Newsrc, "newsrc", &[".newsrc"]),
        (Self::Bombadillo, "bombadillo", &[".ini"]),
        (Self::Lftp, "lftp", &[]),
        (Self::Lagrange, "lagrange", &[]),
        (Self::Gemtext, "gemtext", &[".gmi", ".gemini"]),
        (Self::Org, "org", &[".org"]),
        (Self::Markdown, "markdown", &[".md", ".markdown"]),
        (Self::Mosaic, "mosaic", &[".mosaic-hotlist-default"]),
        (Self::Opera, "opera", &[".adr"]),
        (Self::Elinks, "elinks", &[]),
        (Self::Gopherrc, "gopherrc", &[".gopherrc"]),
        (Self::Pinboard, "pinboard", &[]),
        (Self::FileZilla, "filezilla", &["sitemanager.xml"]),
        (Self::Safari, "safari", &[".plist", ".webloc"]),
        (Self::Shortcut, "shortcut", &[".url", ".desktop"]),
        (Self::Syncterm, "syncterm", &["syncterm.lst"]),
    ];

    /// Iterates over all formats.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::NAMES.into_iter().map(|(format, ..)| format)
    }

    /// Iterates over the formats that can be written, too.
    pub fn written() -> impl Iterator<Item = Self> {
        Self::all().filter(|format| format.is_written())
    }

    /// Returns true if bookmarks can be written in this format.
    pub fn is_written(self) -> bool {
        !matches!(
            self,
            Self::Newsrc
                | Self::Bombadillo
                | Self::Lftp
                | Self::Lagrange
                | Self::Gemtext
                | Self::Org
                | Self::Markdown
                | Self::Mosaic
                | Self::Opera
                | Self::Elinks
                | Self::Gopherrc
                | Self::Pinboard
                | Self::FileZilla
                | Self::Safari
                | Self::Shortcut
                | Self::Syncterm
        )
    }

    /// Returns the name of the format on the command line.
    pub fn name(self) -> &'static str {
        let mut names = Self::NAMES.into_iter();
        let found = names.find(|(format, ..)| *format == self);
        found.map_or("", |(_, name, _)| name)
    }

    /// Returns the format of this name, case ignored.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|format| format.name().eq_ignore_ascii_case(name))
    }

    /// Returns the format for the name of a file; `None` if the name does not identify one.
    pub fn of_file(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let is_of = |file: &&str| name == **file || file.starts_with('.') && name.ends_with(*file);
        let mut all = Self::NAMES.into_iter();
        let found = all.find(|(.., files)| files.iter().any(is_of));
        found.map(|(format, ..)| format)
    }

    /// Parses bookmarks in this format.
    ///
    /// # Errors
    /// A sentence with the position, if the octets are not in this format. There are no partial results.
    pub fn read(self, octets: &[u8]) -> Result<BookmarkTree, FormatError> {
        if octets.len() > MAX_FILE_BYTES {
            let limit = geomys_wire::text::octets(MAX_FILE_BYTES as u64);
            return Err(FormatError(format!("more than {limit} are not read")));
        }
        let octets = &*opened(octets)?;
        match self {
            Self::Html => Ok(html::read(&decoded(octets))),
            Self::Xbel => xml::read_xbel(&decoded(octets)),
            Self::Gophermap => Ok(gophermap::read(octets)),
            Self::Text => Ok(text::read(octets)),
            Self::Json => json::read(octets),
            Self::Csv => csv::read(&decoded(octets)),
            Self::Opml => xml::read_opml(&decoded(octets)),
            Self::Newsboat => Ok(url_lists::read_newsboat(&decoded(octets))),
            Self::Newsrc => Ok(url_lists::read_newsrc(octets)),
            Self::Bombadillo => Ok(browsers::read_bombadillo(&decoded(octets))),
            Self::Lftp => Ok(url_lists::read_lftp(&decoded(octets))),
            Self::Lagrange => browsers::read_lagrange(&decoded(octets)),
            Self::Gemtext => Ok(outline::read(&decoded(octets), Syntax::Gemtext)),
            Self::Org => Ok(outline::read(&decoded(octets), Syntax::Org)),
            Self::Markdown => Ok(outline::read(&decoded(octets), Syntax::Markdown)),
            Self::Mosaic => Ok(browsers::read_mosaic(&decoded(octets))),
            Self::Opera => Ok(browsers::read_opera(&decoded(octets))),
            Self::Elinks => Ok(browsers::read_elinks(&decoded(octets))),
            Self::Gopherrc => Ok(gophermap::read_gopherrc(octets)),
            Self::Pinboard => pinboard::read(&decoded(octets)),
            Self::FileZilla => filezilla::read(&decoded(octets)),
            Self::Safari => safari::read_safari(&decoded(octets)),
            Self::Shortcut => Ok(safari::read_shortcut(&decoded(octets))),
            Self::Syncterm => Ok(syncterm::read(&decoded(octets))),
        }
    }

    /// Writes bookmarks in this format, and reports data that the format cannot hold; `None` for a format that is only
    /// read.
    pub fn write(self, tree: &BookmarkTree) -> Option<(Vec<u8>, LossReport)> {
        let mut losses = LossReport::default();
        let octets = match self {
            Self::Html => html::write(tree, &mut losses).into_bytes(),
            Self::Xbel => xml::write_xbel(tree, &mut losses).into_bytes(),
            Self::Gophermap => gophermap::write(tree, &mut losses),
            Self::Text => text::write(tree, &mut losses),
            Self::Json => json::write(tree, &mut losses),
            Self::Csv => csv::write(tree, &mut losses),
            Self::Opml => xml::write_opml(tree, &mut losses).into_bytes(),
            Self::Newsboat => url_lists::write_newsboat(tree, &mut losses).into_bytes(),
            Self::Newsrc
            | Self::Bombadillo
            | Self::Lftp
            | Self::Lagrange
            | Self::Gemtext
            | Self::Org
            | Self::Markdown
            | Self::Mosaic
            | Self::Opera
            | Self::Elinks
            | Self::Gopherrc
            | Self::Pinboard
            | Self::FileZilla
            | Self::Safari
            | Self::Shortcut
            | Self::Syncterm => return None,
        };
        Some((octets, losses))
    }
}

impl fmt::Display for BookmarkFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Decodes octets: as UTF-8, else by the charset that the file declares, else as windows-1252.
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
