//! The news server of a page, and the files of its marks and folds.

use std::path::{Path, PathBuf};

use geomys_load::NewsHost;
use rfc1738::{Parts, Url};

/// The authority of a news server, as the key of its stored marks: the host in lower case, and the port. The port of
/// NNTPS counts as the port of NNTP.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NewsAuthority {
    /// The host.
    pub host: String,
    /// The port.
    pub port: u16,
}

/// The files of the marks of news servers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Newsrcs {
    /// The files that settings.toml names, each for one server.
    pub named: Vec<(NewsAuthority, PathBuf)>,
    /// The directory with a file for each other server; `None` if nothing is written.
    pub directory: Option<PathBuf>,
}

pub(super) const NNTP: u16 = 119;
pub(super) const NNTPS: u16 = 563;

impl From<&NewsHost> for NewsAuthority {
    fn from(server: &NewsHost) -> Self {
        Self::new(&server.host, server.port)
    }
}

impl NewsAuthority {
    pub(crate) fn new(host: &str, port: u16) -> Self {
        Self {
            host: host.trim_end_matches('.').to_ascii_lowercase(),
            port: if port == NNTPS { NNTP } else { port },
        }
    }

    /// The keeper of the marks of messages in mailboxes, which have no server: each mailbox is a group, named by its
    /// URL.
    pub(crate) fn mailboxes() -> Self {
        Self::new("", 0)
    }

    /// Returns true for the keeper of the marks of messages in mailboxes.
    pub(crate) fn is_mailboxes(&self) -> bool {
        *self == Self::mailboxes()
    }

    /// Returns the server that a URL of news names.
    pub(crate) fn of_url(url: &Url) -> Option<Self> {
        let parts = url.base_parts();
        let address = parts.address().filter(|_| parts.is_news())?;
        Some(Self::new(address.node(), address.port()))
    }

    /// Returns the server of a file with this name; `None` for a host that the name does not tell, as an IPv6 address.
    pub fn of_file(name: &str) -> Option<Self> {
        let (host, port) = name.rsplit_once('_')?;
        let server = Self::new(host, port.parse().ok()?);
        (server.file() == name && !host.contains('_')).then_some(server)
    }

    /// Returns the name of the server's file.
    fn file(&self) -> String {
        let plain = |letter: char| letter.is_ascii_alphanumeric() || ".-_".contains(letter);
        let host = self.host.chars();
        let host: String = host
            .map(|letter| if plain(letter) { letter } else { '_' })
            .collect();
        // A name that consists of dots is not a file name.
        let host = host.trim_start_matches('.');
        format!("{host}_{}", self.port)
    }
}

impl Newsrcs {
    /// Returns the file of a server. It depends only on the server's name, not on the server that is set for `news:`
    /// URLs.
    pub fn path(&self, server: &NewsAuthority) -> Option<PathBuf> {
        if server.is_mailboxes() {
            return None;
        }
        if let Some((_, named)) = self.named.iter().find(|(owner, _)| owner == server) {
            return Some(named.clone());
        }
        let directory: Option<&Path> = self.directory.as_deref();
        Some(directory?.join(server.file()))
    }

    /// Returns the file of the folded threads of a server. It is always in the directory, as a newsrc has no field for
    /// them.
    pub(crate) fn folds(&self, server: &NewsAuthority) -> Option<PathBuf> {
        let directory: Option<&Path> = self.directory.as_deref();
        let directory = directory.filter(|_| !server.is_mailboxes());
        // No collision: the name of a file of marks ends with a port.
        Some(directory?.join(format!("{}.folds", server.file())))
    }

    /// Returns the file of the messages of mailboxes that were read.
    pub(crate) fn messages(&self) -> Option<PathBuf> {
        Some(self.directory.as_ref()?.join("messages"))
    }
}

/// Returns the group that a page shows, or the group of its article.
pub fn group_of(url: &Url) -> Option<Vec<u8>> {
    Some(url.group()?.octets().into_owned())
}

/// Returns the first and the last article number of a URL that names a range of articles.
pub fn range_of(url: &Url) -> Option<(u64, u64)> {
    url.base_parts().range()?.numbers()
}

/// Returns the group and the number in the URL of an article.
pub fn article_of(url: &Url) -> Option<(Vec<u8>, u64)> {
    let Parts::Nntp(nntp) = url.base_parts() else {
        return None;
    };
    Some((nntp.group.octets().into_owned(), nntp.article()?))
}
