//! Configuration: the files in `config/` are the defaults; the user's files override them and are read by the same
//! code.
//!
//! A mistake is reported with file, line, column and the expected value. Only that value falls back to its default.

mod ftp;
mod gateways;
mod keys;
mod news;
mod newsrc;
mod paths;
mod settings;
mod theme;
mod tls;
mod value;

use std::fmt;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toml_edit::{Document, Item, TableLike};

use crate::app::Settings;
use crate::files::command::CommandTemplate;
use crate::files::draft::Author;
use crate::files::keyring;
use crate::files::netrc::Netrc;
use crate::files::regular;
use crate::files::score;
use crate::keymap::Keymap;
use crate::net::{Route, WebProxies};
use crate::ui::Theme;

use self::settings::Target;

pub use paths::UserPaths;
pub use settings::news_server;

/// The bookmarks shown at the first start.
pub const BOOKMARKS: &str = include_str!("../config/bookmarks.txt");

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
    /// All variables `$..._proxy` and `$WWW_..._GATEWAY`: names and values.
    pub gateways: Vec<(String, String)>,
    /// True if `$NO_COLOR` is set and not empty.
    pub no_color: bool,
    /// `$TERM`.
    pub term: Option<String>,
    /// The first of `$LC_ALL`, `$LC_CTYPE`, `$LANG` that is not empty.
    pub locale: Option<String>,
}

impl Environment {
    /// The mailcap files, in order of priority: those of `$MAILCAPS`, else the user's and the system's.
    fn mailcaps(&self) -> Vec<PathBuf> {
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
    fn editor(&self) -> Vec<String> {
        let named = self.editor.as_deref().unwrap_or_default();
        let words: Vec<String> = named.split_whitespace().map(str::to_owned).collect();
        if words.is_empty() {
            vec!["vi".to_owned()]
        } else {
            words
        }
    }

    /// The file of names and passwords: that of `$NETRC`, else the user's.
    fn netrc(&self) -> Option<PathBuf> {
        let own = || self.home.as_ref().map(|home| home.join(".netrc"));
        self.netrc.clone().or_else(own)
    }

    /// Returns true if only ASCII is certain to be displayed correctly: on the Linux console, or in a locale that is
    /// not UTF-8.
    pub fn is_ascii(&self) -> bool {
        let locale = self.locale.as_deref().unwrap_or("").to_ascii_lowercase();
        let utf8 = locale.contains("utf-8") || locale.contains("utf8");
        self.term.as_deref() == Some("linux") || !(utf8 || locale.is_empty())
    }
}

/// The complete configuration.
#[derive(Debug)]
pub struct Config {
    /// The settings that the application state uses.
    pub settings: Settings,
    /// The key bindings.
    pub keymap: Keymap,
    /// Colours and glyphs.
    pub theme: Theme,
    /// The files that name programs by MIME type (RFC 1524).
    pub mailcaps: Vec<PathBuf>,
    /// The route to hosts: from settings.toml, else from the environment.
    pub route: Route,
    /// The proxies for web pages, used if the route is direct.
    pub web: WebProxies,
    /// The mistakes in the user's files.
    pub errors: Vec<ConfigError>,
}

/// A mistake in a configuration file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// The file.
    pub path: PathBuf,
    /// Line and column, from 1; `None` if the file could not be read at all.
    pub position: Option<(usize, usize)>,
    /// The mistake and the expected value, as a sentence.
    pub sentence: String,
}

impl ConfigError {
    /// A file that could not be read.
    fn unreadable(path: PathBuf, error: &impl fmt::Display) -> Self {
        Self {
            path,
            position: None,
            sentence: error.to_string(),
        }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if let Some((line, column)) = self.position {
            write!(f, ":{line}:{column}")?;
        }
        write!(f, ": {}", self.sentence)
    }
}

/// Reads the defaults, then the user's files.
pub fn read(paths: &UserPaths, environment: &Environment) -> Config {
    let mut config = Config {
        settings: Settings {
            home: environment.home.clone(),
            directory: environment.directory.clone(),
            keyring: keyring::IS_BUILT_IN,
            gateways: Arc::new(gateways::named(&environment.gateways)),
            author: Author {
                editor: environment.editor(),
                ..Author::default()
            },
            ..Settings::default()
        },
        keymap: Keymap::default(),
        theme: Theme::default(),
        mailcaps: environment.mailcaps(),
        route: Route::default(),
        web: environment.web.clone(),
        errors: Vec::new(),
    };
    let mut route = None;
    let mut use_ascii = environment.is_ascii();
    let shipped = include_str!("../config/settings.toml");
    let errors = &mut config.errors;
    let state = read_file(paths, "settings.toml", shipped, errors, |file| {
        let target = Target {
            settings: &mut config.settings,
            ascii: &mut use_ascii,
            route: &mut route,
            web: &mut config.web,
            newsrcs: Vec::new(),
        };
        settings::read(file, target);
    });
    config.route = settings::route_if_unreadable(&state)
        .or(route)
        .or_else(|| environment.route.clone())
        .unwrap_or_default();
    config.settings.route = config.route.clone();
    config.settings.newsrcs.directory = Some(paths.newsrcs());
    score(paths.score(), &mut config);
    if let Some(path) = environment.netrc() {
        match Netrc::load(&path) {
            Ok(netrc) => config.settings.netrc = netrc,
            Err(error) => config.errors.push(ConfigError::unreadable(path, &error)),
        }
    }
    let shipped = include_str!("../config/keys.toml");
    read_file(paths, "keys.toml", shipped, &mut config.errors, |file| {
        keys::read(file, &mut config.keymap);
    });
    let shipped = include_str!("../config/theme.toml");
    read_file(paths, "theme.toml", shipped, &mut config.errors, |file| {
        theme::read(file, &mut config.theme, use_ascii);
    });
    config.theme.is_ascii = use_ascii;
    if environment.no_color {
        config.theme = config.theme.without_colours();
    }
    config
}

/// Reads the score rules for articles.
fn score(path: PathBuf, config: &mut Config) {
    match score::load(&path) {
        Ok((rules, faults)) => {
            config.settings.rules = Arc::new(rules);
            let errors = faults.into_iter().map(|fault| ConfigError {
                path: path.clone(),
                position: Some((fault.line, fault.column)),
                sentence: fault.sentence,
            });
            config.errors.extend(errors);
        }
        Err(error) => config
            .errors
            .push(ConfigError::unreadable(path.clone(), &error)),
    }
    config.settings.score = Some(path);
}

/// A configuration file while it is read.
struct File<'a> {
    path: &'a Path,
    text: &'a str,
    table: &'a dyn TableLike,
    errors: &'a mut Vec<ConfigError>,
}

impl File<'_> {
    /// Records a mistake at `span` (octets of the file).
    fn record_error(&mut self, span: Option<Range<usize>>, sentence: impl Into<String>) {
        self.errors.push(ConfigError {
            path: self.path.to_owned(),
            position: span.map(|span| line_and_column(self.text, span.start)),
            sentence: sentence.into(),
        });
    }

    /// Records that a key is unknown in this table.
    fn record_unknown_key(&mut self, table: &dyn TableLike, name: &str, expected: &[&str]) {
        let span = table.get_key_value(name).and_then(|(key, _)| key.span());
        let expected = expected.join(", ");
        self.record_error(
            span,
            format!("“{name}” is not known here; known are: {expected}"),
        );
    }

    /// Reads a table, or records a mistake.
    fn table<'v>(&mut self, item: &'v Item, sentence: &str) -> Option<&'v dyn TableLike> {
        let table = item.as_table_like();
        if table.is_none() {
            self.record_error(item.span(), sentence);
        }
        table
    }

    /// Reads a list of strings, or records a mistake.
    fn strings(&mut self, item: &Item, expected: &str) -> Option<Vec<String>> {
        let strings = item.as_array().and_then(|array| {
            let strings = array.iter().map(|value| value.as_str().map(str::to_owned));
            strings.collect()
        });
        if strings.is_none() {
            let sentence = format!("a list of {expected} is wanted here, each in quotes");
            self.record_error(item.span(), sentence);
        }
        strings
    }

    /// Reads a command: the program and its arguments. Returns `None` for an empty list, and after recording a
    /// mistake.
    fn command(&mut self, item: &Item) -> Option<CommandTemplate> {
        let arguments = self.strings(item, "a program and its arguments")?;
        let is_none = arguments.is_empty();
        let command = CommandTemplate::new(arguments);
        if command.is_none() && !is_none {
            let sentence = "the first in the list is the program, and nothing is filled in there";
            self.record_error(item.span(), sentence);
        }
        command
    }

    /// Reads a string, or records a mistake.
    fn string<'v>(&mut self, item: &'v Item, expected: &str) -> Option<&'v str> {
        let text = item.as_str();
        if text.is_none() {
            self.record_error(item.span(), format!("{expected} is wanted here, in quotes"));
        }
        text
    }

    /// Reads true or false, or records a mistake.
    fn flag(&mut self, item: &Item) -> Option<bool> {
        let flag = item.as_bool();
        if flag.is_none() {
            self.record_error(item.span(), "true or false is wanted here");
        }
        flag
    }
}

/// The result of reading one of the user's files.
enum UserFileState {
    /// The file was read, or there is none.
    Read,
    /// The whole file was ignored; its octets.
    Ignored(Vec<u8>),
    /// The file could not be read, so its content is unknown.
    Unreadable,
}

/// Reads the shipped file, and the user's file if there is one.
fn read_file(
    paths: &UserPaths,
    name: &str,
    shipped: &str,
    errors: &mut Vec<ConfigError>,
    mut read: impl FnMut(&mut File<'_>),
) -> UserFileState {
    let ours = Path::new("config").join(name);
    // The shipped file is valid; a test checks it.
    let _ = parse_text(&ours, shipped, errors, &mut read);
    let path = paths.config.join(name);
    match regular::read(&path, regular::BY_HAND) {
        Ok(octets) => match String::from_utf8(octets) {
            Ok(text) => match parse_text(&path, &text, errors, &mut read) {
                Ok(()) => UserFileState::Read,
                Err(NotToml) => UserFileState::Ignored(text.into_bytes()),
            },
            Err(error) => {
                let before = error.utf8_error().valid_up_to();
                let valid =
                    String::from_utf8_lossy(error.as_bytes().get(..before).unwrap_or_default());
                let position = Some(line_and_column(&valid, before));
                let sentence = "the file is not UTF-8, so all of it is passed over".to_owned();
                errors.push(ConfigError {
                    path,
                    position,
                    sentence,
                });
                UserFileState::Ignored(error.into_bytes())
            }
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => UserFileState::Read,
        Err(error) => {
            errors.push(ConfigError::unreadable(path, &error));
            UserFileState::Unreadable
        }
    }
}

/// An error for a file that is not TOML.
struct NotToml;

fn parse_text(
    path: &Path,
    text: &str,
    errors: &mut Vec<ConfigError>,
    read: &mut impl FnMut(&mut File<'_>),
) -> Result<(), NotToml> {
    match Document::parse(text) {
        Ok(document) => {
            read(&mut File {
                path,
                text,
                table: document.as_table(),
                errors,
            });
            Ok(())
        }
        Err(error) => {
            let position = error.span().map(|span| line_and_column(text, span.start));
            let said = error.message().lines().next().unwrap_or_default();
            let sentence = format!("this is not TOML, so all of the file is passed over: {said}");
            errors.push(ConfigError {
                path: path.to_owned(),
                position,
                sentence,
            });
            Err(NotToml)
        }
    }
}

fn line_and_column(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before
        .rsplit('\n')
        .next()
        .map_or(0, |last| last.chars().count())
        + 1;
    (line, column)
}
