//! The process environment, as far as it sets anything.

use std::path::{Path, PathBuf};

use geomys_store::files::regular;
use geomys_wire::net::{Route, WebProxies};

/// The process environment, read once.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// The home directory.
    pub home: Option<PathBuf>,
    /// The directory in which the program was started.
    pub directory: Option<PathBuf>,
    /// `$NNTPSERVER`.
    pub nntpserver: Option<String>,
    /// `$MAILCAPS`.
    pub mailcaps: Option<String>,
    /// `$NETRC`.
    pub netrc: Option<PathBuf>,
    /// The editor and its arguments, from `$VISUAL` or `$EDITOR`.
    pub editor: Option<String>,
    /// The route from `$ALL_PROXY` or `$all_proxy`.
    pub route: Option<Route>,
    /// The proxies from `$http_proxy`, `$https_proxy` and `$no_proxy`.
    pub web: WebProxies,
    /// True if `$NO_COLOR` is set and not empty.
    pub no_color: bool,
    /// `$TERM`.
    pub term: Option<String>,
    /// `$COLORTERM`.
    pub colorterm: Option<String>,
    /// The first of `$LC_ALL`, `$LC_CTYPE`, `$LANG` that is not empty.
    pub locale: Option<String>,
    /// The names without a dot in `/etc/hosts`, in lower case.
    pub local_hosts: Vec<String>,
}

/// Returns the names without a dot in a file of hosts, in lower case: an address and its names on each line. A file that cannot be
/// read, or is very large, has none.
pub fn local_hosts(path: &Path) -> Vec<String> {
    let octets = regular::read(path, regular::BY_HAND).unwrap_or_default();
    let text = String::from_utf8_lossy(&octets).to_lowercase();
    let mut hosts = Vec::new();
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default();
        let names = line.split_whitespace().skip(1);
        hosts.extend(names.filter(|name| !name.contains('.')).map(str::to_owned));
    }
    hosts.sort_unstable();
    hosts.dedup();
    hosts
}

impl Environment {
    /// The mailcap files, in order of priority: those of `$MAILCAPS`, else the user's and the system's.
    pub(super) fn mailcaps(&self) -> Vec<PathBuf> {
        match &self.mailcaps {
            Some(paths) => {
                let paths = paths.split(':').filter(|path| !path.is_empty());
                paths.map(PathBuf::from).collect()
            }
            None => {
                let own = self.home.as_ref().map(|home| home.join(".mailcap"));
                let system = ["/etc/mailcap", "/usr/local/etc/mailcap"];
                own.into_iter().chain(system.map(PathBuf::from)).collect()
            }
        }
    }

    /// The editor as an argument vector. No shell reads it, so spaces always separate arguments, even in quotes.
    pub(super) fn editor(&self) -> Vec<String> {
        let named = self.editor.as_deref().unwrap_or_default();
        let words: Vec<String> = named.split_whitespace().map(str::to_owned).collect();
        if words.is_empty() {
            vec!["vi".to_owned()]
        } else {
            words
        }
    }

    /// The file of names and passwords: that of `$NETRC`, else the user's.
    pub(super) fn netrc(&self) -> Option<PathBuf> {
        let own = || self.home.as_ref().map(|home| home.join(".netrc"));
        self.netrc.clone().or_else(own)
    }

    /// Returns true if the terminal has all colours, not those of its table alone.
    pub(super) fn has_all_colours(&self) -> bool {
        let term = self.term.as_deref().unwrap_or_default();
        matches!(self.colorterm.as_deref(), Some("truecolor" | "24bit"))
            || term.ends_with("-direct")
    }

    /// Returns true if only ASCII is certain to be displayed correctly: on the Linux console, or in a locale that is
    /// not UTF-8.
    pub fn is_ascii(&self) -> bool {
        let locale = self.locale.as_deref().unwrap_or("").to_ascii_lowercase();
        let utf8 = locale.contains("utf-8") || locale.contains("utf8");
        self.term.as_deref() == Some("linux") || !(utf8 || locale.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_hosts_are_the_names_without_a_dot() {
        let file =
            b"127.0.0.1 localhost\n::1 localhost ip6-localhost # loopback\n# 10.0.0.9 old\n\n\
                     10.0.0.7\tBurrow burrow.example.org mole\n0.0.0.0 ads.example\n\xff\n10.0.0.8";
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("hosts");
        assert_eq!(local_hosts(&path), [""; 0]);
        std::fs::write(&path, file).unwrap();
        let expected = ["burrow", "ip6-localhost", "localhost", "mole"];
        assert_eq!(local_hosts(&path), expected);
    }
}
