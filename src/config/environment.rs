//! The process environment, as far as it sets anything.

use std::path::{Path, PathBuf};

use geomys_store::files::regular;
use geomys_wire::net::{Route, WebProxies};
use geomys_wire::text::Charset;
use rfc1738::mask;

use crate::ui::theme::depth::ColourDepth;
use geomys_app::ConfigReport;

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

/// Returns the names without a dot in a file of hosts, in lower case: an address and its names on each line. A file
/// that cannot be read, or is very large, has none.
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

    /// The editor as an argument vector: words with the quoting of a shell, which does not read them. Nothing is
    /// expanded. A quote that is never closed is part of its word.
    pub(super) fn editor(&self) -> Vec<String> {
        let named = self.editor.as_deref().unwrap_or_default();
        let words = shell_words::split(named)
            .unwrap_or_else(|_| named.split_whitespace().map(str::to_owned).collect());
        if words.is_empty() {
            vec!["vi".to_owned()]
        } else {
            words
        }
    }

    /// Replaces the values of settings that the environment sets.
    pub(super) fn override_settings(&self, report: &mut ConfigReport) {
        let is_default = |report: &ConfigReport, name: &str| {
            let mut settings = report.settings.iter();
            settings.any(|one| one.name == name && one.source.is_none())
        };
        if self.no_color {
            report.override_value("theme", "\"mono\"".to_owned(), "NO_COLOR or --no-color");
        }
        if self.is_ascii() {
            report.override_value("ascii", "true".to_owned(), "TERM or the locale");
        }
        if let Some(server) = &self.nntpserver
            && is_default(report, "news-server")
        {
            report.override_value("news-server", format!("\"{}\"", mask(server)), "NNTPSERVER");
        }
        if self.route.is_some() && is_default(report, "network.proxy") {
            report.override_value("network.proxy", "set".to_owned(), "ALL_PROXY");
        }
    }

    /// The file of names and passwords: that of `$NETRC`, else the user's.
    pub(super) fn netrc(&self) -> Option<PathBuf> {
        let own = || self.home.as_ref().map(|home| home.join(".netrc"));
        self.netrc.clone().or_else(own)
    }

    /// Returns the colours that the terminal can show.
    pub(super) fn colour_depth(&self) -> ColourDepth {
        let term = self.term.as_deref().unwrap_or_default();
        ColourDepth::of_terminal(term, self.colorterm.as_deref().unwrap_or_default())
    }

    /// Returns true if the terminal is too simple for a browser, or nothing is known of it.
    pub fn is_dumb(&self) -> bool {
        matches!(self.term.as_deref(), None | Some("dumb"))
    }

    /// Returns the charset that the locale names, if it is not UTF-8; `None` too for a locale that names none.
    pub fn charset(&self) -> Option<Charset> {
        let (_, named) = self.locale.as_deref()?.split_once('.')?;
        let named = named.split('@').next()?;
        Charset::named(named).filter(|charset| charset.name() != "UTF-8")
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
    fn editor_is_split_by_the_quoting_of_a_shell() {
        for (editor, words) in [
            ("", &["vi"][..]),
            ("nvim", &["nvim"]),
            ("emacsclient -a '' -c", &["emacsclient", "-a", "", "-c"]),
            (
                "\"/opt/my editor/ed\" --wait",
                &["/opt/my editor/ed", "--wait"],
            ),
            (
                r"/opt/my\ editor/ed $HOME ~ *",
                &["/opt/my editor/ed", "$HOME", "~", "*"],
            ),
            ("vi 'a", &["vi", "'a"]),
        ] {
            let environment = Environment {
                editor: Some(editor.to_owned()),
                ..Environment::default()
            };
            assert_eq!(environment.editor(), words, "{editor}");
        }
    }

    #[test]
    fn charset_is_the_one_that_the_locale_names() {
        for (locale, charset) in [
            ("de_DE.ISO-8859-1", Some("windows-1252")),
            ("de_DE.ISO8859-15@euro", Some("ISO-8859-15")),
            ("ja_JP.eucJP", Some("EUC-JP")),
            ("ru_RU.KOI8-R", Some("KOI8-R")),
            ("en_US.UTF-8", None),
            ("C.utf8", None),
            ("C", None),
            ("de_DE", None),
        ] {
            let environment = Environment {
                locale: Some(locale.to_owned()),
                ..Environment::default()
            };
            let found = environment.charset().map(Charset::name);
            assert_eq!(found, charset, "{locale}");
        }
    }

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
