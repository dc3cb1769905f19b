//! Which news server a page is of, and the file of what was read there.

use std::path::{Path, PathBuf};

use crate::app::page::Page;
use crate::load::{NewsHost, news_host};
use crate::url::{GroupPart, Later, News, Parts, Url};

/// Where a news server is, as what was read of it is kept: its host in small letters, and its port, that of TLS being the
/// same as the plain one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NewsPlace {
    /// The host.
    pub host: String,
    /// The port.
    pub port: u16,
}

/// Where is written down what was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Newsrcs {
    /// The files that settings.toml names, each for one server.
    pub named: Vec<(NewsPlace, PathBuf)>,
    /// The directory with a file for every other server; nothing where nothing is written down.
    pub directory: Option<PathBuf>,
}

const NNTP: u16 = 119;
const NNTPS: u16 = 563;

impl From<&NewsHost> for NewsPlace {
    fn from(server: &NewsHost) -> Self {
        Self::new(&server.host, server.port)
    }
}

impl NewsPlace {
    pub(in crate::app) fn new(host: &str, port: u16) -> Self {
        Self {
            host: host.trim_end_matches('.').to_ascii_lowercase(),
            port: if port == NNTPS { NNTP } else { port },
        }
    }

    /// The server that a page of news came from.
    pub(in crate::app) fn of(page: &Page) -> Option<Self> {
        let parts = page.url.reading();
        match parts {
            Parts::Nntp(_) | Parts::News(_) => {}
            Parts::Http(_)
            | Parts::Ftp(_)
            | Parts::Gopher(_)
            | Parts::Mailto(_)
            | Parts::Telnet(_)
            | Parts::Wais(_)
            | Parts::File(_)
            | Parts::Prospero(_)
            | Parts::Other(_) => return None,
        }
        if let Some(address) = parts.address() {
            let is_sealed = matches!(page.url.later(), Some(Later::Nntps | Later::Snews));
            let default = if is_sealed { NNTPS } else { NNTP };
            return Some(Self::new(address.node(), address.port().unwrap_or(default)));
        }
        let server = page.news_server.as_ref()?;
        Some(Self::from(server))
    }

    /// The name of its file.
    fn file(&self) -> String {
        let plain = |letter: char| letter.is_ascii_alphanumeric() || ".-_".contains(letter);
        let host = self.host.chars();
        let host: String = host
            .map(|letter| if plain(letter) { letter } else { '_' })
            .collect();
        // A name of dots alone is no file.
        let host = host.trim_start_matches('.');
        format!("{host}_{}", self.port)
    }
}

impl Page {
    /// The server that its `news:` links lead to: the one that it came from.
    pub(in crate::app) fn news_host(&self) -> Option<NewsHost> {
        match self.url.reading() {
            Parts::Nntp(_) | Parts::News(_) => news_host(&self.url, self.news_server.as_ref()),
            Parts::Http(_)
            | Parts::Ftp(_)
            | Parts::Gopher(_)
            | Parts::Mailto(_)
            | Parts::Telnet(_)
            | Parts::Wais(_)
            | Parts::File(_)
            | Parts::Prospero(_)
            | Parts::Other(_) => self.news_server.clone(),
        }
    }
}

impl Newsrcs {
    /// The file of a server. Which server answers `news:` addresses changes nothing: a file belongs to the server that it
    /// is named for.
    pub(super) fn path(&self, server: &NewsPlace) -> Option<PathBuf> {
        if let Some((_, named)) = self.named.iter().find(|(owner, _)| owner == server) {
            return Some(named.clone());
        }
        let directory: Option<&Path> = self.directory.as_deref();
        Some(directory?.join(server.file()))
    }

    /// The file of the folded threads of a server: always in the directory, as no newsrc has a place for them.
    pub(super) fn folds(&self, server: &NewsPlace) -> Option<PathBuf> {
        let directory: Option<&Path> = self.directory.as_deref();
        // The name of a file of marks ends in a port.
        Some(directory?.join(format!("{}.folds", server.file())))
    }
}

/// The group that a page shows, or that its article stands in.
pub(in crate::app) fn group_of(url: &Url) -> Option<Vec<u8>> {
    Some(url.group()?.octets().into_owned())
}

/// The first and the last number of the articles of its group that an address names, where it names several of them.
pub(in crate::app) fn range_of(url: &Url) -> Option<(u64, u64)> {
    let range = match url.reading() {
        Parts::Nntp(nntp) => nntp.range?,
        Parts::News(News {
            part: GroupPart::Articles(_, range),
            ..
        }) => range,
        Parts::News(_)
        | Parts::Http(_)
        | Parts::Ftp(_)
        | Parts::Gopher(_)
        | Parts::Mailto(_)
        | Parts::Telnet(_)
        | Parts::Wais(_)
        | Parts::File(_)
        | Parts::Prospero(_)
        | Parts::Other(_) => return None,
    };
    range.numbers()
}

/// The group and number of an article's own address.
pub(in crate::app) fn article_of(url: &Url) -> Option<(Vec<u8>, u64)> {
    let Parts::Nntp(nntp) = url.reading() else {
        return None;
    };
    Some((nntp.group.octets().into_owned(), nntp.article()?))
}
