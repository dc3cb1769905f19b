//! Configuration: the files in `config/` are the defaults, and the user's own are read over them by the same code.
//!
//! A mistake in one names the file, the line, the column and what would be right; the default stands in for that value
//! alone.

mod ftp;
mod gateways;
mod keys;
mod news;
mod newsrc;
mod places;
mod settings;
mod theme;
mod tls;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toml_edit::{Document, Item, TableLike};

use crate::app::Settings;
use crate::files::command::Template;
use crate::files::draft::Author;
use crate::files::keyring;
use crate::files::netrc::Netrc;
use crate::files::regular;
use crate::files::score;
use crate::keymap::Keymap;
use crate::net::{Route, WebProxies};
use crate::ui::Theme;

pub use places::Places;
pub use settings::news_server;

/// The bookmarks that a first start shows.
pub const BOOKMARKS: &str = include_str!("../config/bookmarks.txt");

/// What the program was started in, read once.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// The home directory.
    pub home: Option<PathBuf>,
    /// The directory that the program was started in.
    pub directory: Option<PathBuf>,
    /// `$NNTPSERVER`.
    pub nntpserver: Option<String>,
    /// `$MAILCAPS`.
    pub mailcaps: Option<String>,
    /// `$NETRC`.
    pub netrc: Option<PathBuf>,
    /// The editor and its arguments, by `$VISUAL` or `$EDITOR`.
    pub editor: Option<String>,
    /// By `$ALL_PROXY`, or `$all_proxy`.
    pub route: Option<Route>,
    /// By `$http_proxy`, `$https_proxy` and `$no_proxy`.
    pub web: WebProxies,
    /// All of `$..._proxy` and `$WWW_..._GATEWAY`: their names, and what they hold.
    pub gateways: Vec<(String, String)>,
    /// `$NO_COLOR` is there and not empty.
    pub no_color: bool,
    /// `$TERM`.
    pub term: Option<String>,
    /// The first of `$LC_ALL`, `$LC_CTYPE`, `$LANG` that is not empty.
    pub locale: Option<String>,
}

impl Environment {
    /// The mailcap files, the first the strongest: those of `$MAILCAPS`, else the user's and the system's.
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

    /// The editor as an argument vector: no shell reads it, so that blanks part its arguments whatever stands around them.
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

    /// Whether only ASCII is sure to be shown right: the Linux console, or a locale that is not UTF-8.
    pub fn is_ascii(&self) -> bool {
        let locale = self.locale.as_deref().unwrap_or("").to_ascii_lowercase();
        let utf8 = locale.contains("utf-8") || locale.contains("utf8");
        self.term.as_deref() == Some("linux") || !(utf8 || locale.is_empty())
    }
}

/// Everything that is configured.
#[derive(Debug)]
pub struct Config {
    /// What the state depends on.
    pub settings: Settings,
    /// Keys to actions.
    pub keymap: Keymap,
    /// Colours and glyphs.
    pub theme: Theme,
    /// The files that name programs by MIME type (RFC 1524).
    pub mailcaps: Vec<PathBuf>,
    /// How hosts are reached: as settings.toml says, else as the environment does.
    pub route: Route,
    /// How pages of the Web are reached, where that is straight.
    pub web: WebProxies,
    /// What is wrong in the user's files.
    pub mistakes: Vec<Mistake>,
}

/// Something in a configuration file that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The file.
    pub path: PathBuf,
    /// Line and column, from 1; nothing when the file could not be read at all.
    pub place: Option<(usize, usize)>,
    /// What is wrong and what would be right.
    pub sentence: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if let Some((line, column)) = self.place {
            write!(f, ":{line}:{column}")?;
        }
        write!(f, ": {}", self.sentence)
    }
}

/// Reads the defaults, and the user's files over them.
pub fn read(places: &Places, environment: &Environment) -> Config {
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
        mistakes: Vec::new(),
    };
    let mut route = None;
    let mut wants_ascii = environment.is_ascii();
    let shipped = include_str!("../config/settings.toml");
    let read = each(
        places,
        "settings.toml",
        shipped,
        &mut config.mistakes,
        |file| {
            let mut ways = (&mut route, &mut config.web);
            settings::read(file, &mut config.settings, &mut wants_ascii, &mut ways);
        },
    );
    config.route = settings::shut(&read)
        .or(route)
        .or_else(|| environment.route.clone())
        .unwrap_or_default();
    config.settings.route = config.route.clone();
    config.settings.newsrcs.directory = Some(places.newsrcs());
    score(places.score(), &mut config);
    if let Some(path) = environment.netrc() {
        match Netrc::load(&path) {
            Ok(netrc) => config.settings.netrc = netrc,
            Err(error) => config.mistakes.push(Mistake {
                path,
                place: None,
                sentence: error.to_string(),
            }),
        }
    }
    each(
        places,
        "keys.toml",
        include_str!("../config/keys.toml"),
        &mut config.mistakes,
        |file| {
            keys::read(file, &mut config.keymap);
        },
    );
    each(
        places,
        "theme.toml",
        include_str!("../config/theme.toml"),
        &mut config.mistakes,
        |file| {
            theme::read(file, &mut config.theme, wants_ascii);
        },
    );
    config.theme.is_ascii = wants_ascii;
    if environment.no_color {
        config.theme = config.theme.without_colours();
    }
    config
}

/// Reads the rules for articles.
fn score(path: PathBuf, config: &mut Config) {
    match score::load(&path) {
        Ok((rules, faults)) => {
            config.settings.rules = Arc::new(rules);
            let mistakes = faults.into_iter().map(|fault| Mistake {
                path: path.clone(),
                place: Some((fault.line, fault.column)),
                sentence: fault.sentence,
            });
            config.mistakes.extend(mistakes);
        }
        Err(error) => config.mistakes.push(Mistake {
            path: path.clone(),
            place: None,
            sentence: error.to_string(),
        }),
    }
    config.settings.score = Some(path);
}

/// A configuration file while it is read.
struct File<'a> {
    path: &'a Path,
    text: &'a str,
    table: &'a dyn TableLike,
    mistakes: &'a mut Vec<Mistake>,
}

impl File<'_> {
    /// Notes a mistake at `span` (octets of the file).
    fn mistake(&mut self, span: Option<std::ops::Range<usize>>, sentence: String) {
        let place = span.map(|span| line_and_column(self.text, span.start));
        self.mistakes.push(Mistake {
            path: self.path.to_owned(),
            place,
            sentence,
        });
    }

    /// Notes that a key is not known here.
    fn unknown(&mut self, key: &toml_edit::Key, known: &[&str]) {
        let sentence = format!(
            "“{}” is not known here; known are: {}",
            key.get(),
            known.join(", ")
        );
        self.mistake(key.span(), sentence);
    }

    /// A command: the program and its arguments, none for an empty list, or a mistake.
    fn command(&mut self, item: &Item) -> Option<Template> {
        let arguments = item.as_array().and_then(|array| {
            let texts = array.iter().map(|value| value.as_str().map(str::to_owned));
            texts.collect::<Option<Vec<String>>>()
        });
        let Some(arguments) = arguments else {
            let sentence = "a list of a program and its arguments is wanted here, each in quotes";
            self.mistake(item.span(), sentence.to_owned());
            return None;
        };
        let is_none = arguments.is_empty();
        let command = Template::new(arguments);
        if command.is_none() && !is_none {
            let sentence = "the first in the list is the program, and nothing is filled in there";
            self.mistake(item.span(), sentence.to_owned());
        }
        command
    }

    /// A value's string, or a mistake.
    fn string<'v>(&mut self, item: &'v Item, wanted: &str) -> Option<&'v str> {
        let text = item.as_str();
        if text.is_none() {
            self.mistake(item.span(), format!("{wanted} is wanted here, in quotes"));
        }
        text
    }
}

/// What became of a file of the user's.
enum Users {
    /// It was read, or there is none.
    Read,
    /// All of it was passed over; its octets.
    PassedOver(Vec<u8>),
    /// Nothing is known of what is in it.
    Unreadable,
}

/// Reads the shipped file, and the user's when there is one.
fn each(
    places: &Places,
    name: &str,
    shipped: &str,
    mistakes: &mut Vec<Mistake>,
    mut read: impl FnMut(&mut File<'_>),
) -> Users {
    let ours = Path::new("config").join(name);
    // What is shipped is right, as a test knows.
    let _ = one(&ours, shipped, mistakes, &mut read);
    let path = places.config.join(name);
    match regular::read(&path, regular::BY_HAND) {
        Ok(octets) => match String::from_utf8(octets) {
            Ok(text) => match one(&path, &text, mistakes, &mut read) {
                Ok(()) => Users::Read,
                Err(NotToml) => Users::PassedOver(text.into_bytes()),
            },
            Err(error) => {
                let before = error.utf8_error().valid_up_to();
                let valid =
                    String::from_utf8_lossy(error.as_bytes().get(..before).unwrap_or_default());
                let place = Some(line_and_column(&valid, before));
                let sentence = "the file is not UTF-8, so all of it is passed over".to_owned();
                mistakes.push(Mistake {
                    path,
                    place,
                    sentence,
                });
                Users::PassedOver(error.into_bytes())
            }
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Users::Read,
        Err(error) => {
            mistakes.push(Mistake {
                path,
                place: None,
                sentence: error.to_string(),
            });
            Users::Unreadable
        }
    }
}

/// A file that is not TOML.
struct NotToml;

fn one(
    path: &Path,
    text: &str,
    mistakes: &mut Vec<Mistake>,
    read: &mut impl FnMut(&mut File<'_>),
) -> Result<(), NotToml> {
    match Document::parse(text) {
        Ok(document) => {
            read(&mut File {
                path,
                text,
                table: document.as_table(),
                mistakes,
            });
            Ok(())
        }
        Err(error) => {
            let place = error.span().map(|span| line_and_column(text, span.start));
            let said = error.message().lines().next().unwrap_or_default();
            let sentence = format!("this is not TOML, so all of the file is passed over: {said}");
            mistakes.push(Mistake {
                path: path.to_owned(),
                place,
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
