//! The parts that a load reports.

use geomys_wire::net::{Security, TransferEnd};
use geomys_wire::protocol::ftp::listing::UnlistedNames;
use geomys_wire::protocol::nntp::ServerDate;
use geomys_wire::text::{Charset, Text};
use rfc1738::Url;

use super::{CachedInfo, GopherAttributes, PageStorage, ServerFileName, Stop, Version};
use geomys_page::document::{ArticleNumbers, Remark, Shape};

/// The id of a load, which its parts carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LoadId(pub u64);

/// One report of a load. They come in this order: phases, one head, octets and remarks, the end.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "the large variants begin and end a load; octets are in their own allocation"
)]
pub enum Part {
    /// The current phase, before the answer begins.
    Phase(Phase),
    /// The answer has begun.
    Head(PageHead),
    /// A terminal session has begun: what follows as octets is for a terminal.
    Terminal(Security),
    /// Octets of the content, as they came.
    Octets(Vec<u8>),
    /// The number of octets of a hole in a sparse file, which are zeros. Only a request that
    /// [takes holes](super::SaveRequest::takes_holes) gets it; others get the zeros.
    Hole(u64),
    /// A text beside the content, shown above a listing.
    Remark(Remark),
    /// The offset of the server's listing clock from UTC, in minutes; negative when it is behind. It comes after a
    /// listing whose format has no time zone, when the load could find it out.
    Clock(i32),
    /// The names of a listing that its lines do not tell: those of lines that cannot be parsed. They come after the
    /// listing.
    Names(UnlistedNames),
    /// The size of the file as the server tells it now: it has grown since the head came.
    Size(u64),
    /// The articles of a group with these numbers have arrived, as far as they exist. Reported for each part of an
    /// overview.
    Covered(ArticleNumbers),
    /// The end of the load: that of the transfer, or the reason why the load stopped.
    End(Result<TransferEnd, Stop>),
}

/// The phase of a load before its answer begins; that of an archive is reported behind it too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Resolving the name and connecting.
    Connecting,
    /// Logging in, over a new connection.
    LoggingIn,
    /// Preparing the request, as by changing directories.
    Negotiating,
    /// Waiting for the answer: the request has been sent.
    Waiting,
    /// Trying an alternate, because the server has failed.
    Alternate,
    /// Reading an archive: its octets so far, and all of them if that is known.
    Unpacking {
        /// The octets of the archive that have come.
        octets: u64,
        /// The size of the archive.
        size: Option<u64>,
    },
    /// Waiting for the end of the pause that the server wants, for these seconds.
    Pause(u64),
}

/// The head of a page: its type and metadata, sent before its octets.
#[derive(Clone, Debug)]
pub struct PageHead {
    /// The type of the octets.
    pub shape: Shape,
    /// The URL of the page, when it differs from the requested one.
    pub url: Option<Url>,
    /// The title, when the server gave one.
    pub title: Option<Text>,
    /// The total size in octets, when known.
    pub size: Option<u64>,
    /// The offset of the first octet: the one of [`SaveRequest::resume`](super::SaveRequest::resume), or 0 when the
    /// server starts from the beginning.
    pub offset: u64,
    /// The version of the file, as the server reports it.
    pub version: Version,
    /// The name of the file, as far as the server tells it.
    pub file_name: ServerFileName,
    /// The redirect chain: the URLs that led to [`PageHead::url`], in order.
    pub from: Vec<Url>,
    /// The charset that the server declares.
    pub charset: Option<Charset>,
    /// The name of that charset as the server writes it.
    pub charset_name: Option<Box<str>>,
    /// The charset that the server declares, if nothing is known by that name.
    pub unknown_charset: Option<Text>,
    /// The status of an error that the page came with, as `404 Not Found`; None for the page that was requested.
    pub error_status: Option<Text>,
    /// The field by which the page leads on to another: `5; url=/next`.
    pub refresh: Option<Box<str>>,
    /// The languages of the page that the server declares, as `en,fr`.
    pub languages: Option<Text>,
    /// The error of the original server, when an alternate answered instead.
    pub alternate_reason: Option<String>,
    /// The attributes of all items of [`GopherRequest::directory`](super::GopherRequest::directory), when they were
    /// requested and are usable.
    pub directory: Option<GopherAttributes>,
    /// The directory's path as the server reports it (PWD), independent of the path that led to it. None when the
    /// server does not say, and for everything that is not a directory.
    pub real: Option<Vec<u8>>,
    /// True if the listing of a directory may lack the names that begin with a dot.
    pub lacks_hidden: bool,
    /// The security of the connection.
    pub security: Security,
    /// The highest article number of a news group, when the server said so.
    pub highest: Option<u64>,
    /// The lowest article number of a news group, when the server said so.
    pub lowest: Option<u64>,
    /// True if a news server has said that it refuses posts.
    pub refuses_posts: bool,
    /// The numbers of the articles that were known when an overview was requested, and that the server still has.
    pub known: ArticleNumbers,
    /// The time of a news server's clock when its list of groups was requested.
    /// [`NewsQuery::since`](super::NewsQuery::since) uses it to request what has changed since then.
    pub list_date: Option<ServerDate>,
    /// The origin of a cached page; None when the page comes from its server.
    pub cached: Option<CachedInfo>,
    /// True if the page is as its copy of [`SaveRequest::copy`](super::SaveRequest::copy): a load reports neither its
    /// shape nor its octets.
    pub is_unchanged: bool,
    /// The permission of the server to cache the page.
    pub storage: PageStorage,
    /// The name of the client certificate that the server could see.
    pub identity: Option<String>,
    /// The file that was unpacked; None if the octets are those of the server.
    pub unpacked: Option<UnpackedFile>,
}

/// The content of a compressed file or of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnpackedFile {
    /// The name of the file, without a suffix for its compression.
    pub name: Vec<u8>,
    /// True for an archive and its members, which the fragment of the URL names.
    pub in_archive: bool,
}

impl PageHead {
    /// Creates a head with this shape and no other metadata.
    pub fn new(shape: Shape) -> Self {
        Self {
            shape,
            url: None,
            title: None,
            size: None,
            offset: 0,
            version: Version::default(),
            file_name: ServerFileName::default(),
            from: Vec::new(),
            charset: None,
            charset_name: None,
            unknown_charset: None,
            error_status: None,
            refresh: None,
            languages: None,
            alternate_reason: None,
            directory: None,
            real: None,
            lacks_hidden: false,
            security: Security::Plain,
            highest: None,
            lowest: None,
            refuses_posts: false,
            known: ArticleNumbers::default(),
            list_date: None,
            cached: None,
            is_unchanged: false,
            storage: PageStorage::default(),
            identity: None,
            unpacked: None,
        }
    }

    /// Returns the URL of the page, with the fragment of the requested URL unless it has its own.
    pub fn url_of(&self, requested: &Url) -> Url {
        match (&self.url, requested.fragment()) {
            (Some(url), Some(fragment)) if url.fragment().is_none() => {
                url.with_fragment(fragment.as_str())
            }
            (Some(url), _) => url.clone(),
            (None, _) => requested.clone(),
        }
    }

    /// Returns the media type with the charset and the languages, as `text/gemini;charset=utf-8;lang=en`; `None` if the
    /// server tells none, or what is none.
    pub fn media_type(&self) -> Option<String> {
        let is_word = |text: &str, others: &[u8]| {
            let is_own = |octet: u8| octet.is_ascii_alphanumeric() || others.contains(&octet);
            !text.is_empty() && text.bytes().all(is_own)
        };
        let name = self.file_name.media_type.as_deref()?;
        let (main, sub) = name.split_once('/')?;
        if !is_word(main, b"-.+_") || !is_word(sub, b"-.+_") {
            return None;
        }
        let named = self.charset_name.as_deref().map(str::to_ascii_lowercase);
        let named = named.filter(|name| is_word(name, b"-.+_:"));
        let charset = named.or_else(|| Some(self.charset?.name().to_owned()));
        let charset = charset.map(|name| format!(";charset={name}"));
        let languages = self.languages.as_ref().map(Text::as_str);
        let languages = languages.filter(|languages| is_word(languages, b"-,"));
        let languages = languages.map(|languages| format!(";lang={languages}"));
        Some(
            [Some(name.to_owned()), charset, languages]
                .into_iter()
                .flatten()
                .collect(),
        )
    }

    /// Returns the head with this title.
    #[must_use]
    pub fn with_title(self, title: Text) -> Self {
        Self {
            title: Some(title),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use rfc1738::Dialect;

    use super::*;

    #[test]
    fn page_has_the_fragment_of_the_request_unless_it_has_its_own() {
        let url = |text: &str| Dialect::Extended.parse(text).unwrap();
        let requested = url("nntp://h/a/7#Inside.eml");
        for (own, expected) in [
            (None, "nntp://h/a/7#Inside.eml"),
            (Some("nntp://h/a/8"), "nntp://h/a/8#Inside.eml"),
            (Some("nntp://h/a/8#x"), "nntp://h/a/8#x"),
        ] {
            let head = PageHead {
                url: own.map(url),
                ..PageHead::new(Shape::Article)
            };
            assert_eq!(head.url_of(&requested).as_str(), expected);
        }
    }
}
