//! Configuration: the files in `config/` are the defaults, which a launch does not read: the compiler makes tables of
//! the keys and the theme, and the settings are constants. Only the user's files are read.
//!
//! A mistake is reported with file, line, column and the expected value. Only that value falls back to its default.

mod defaults;
mod environment;
mod file;
mod keys;
mod nearest;
mod network;
mod news;
mod paths;
mod programs;
mod set;
mod settings;
mod theme;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use geomys_load::PrivateHosts;
use geomys_store::files::draft::{Author, posted_ids};
use geomys_store::files::logins;
use geomys_store::files::logins::Netrc;
use geomys_store::files::news::load_score;
use geomys_wire::net::{Route, WebProxies};

pub use self::defaults::{CONFIG_FILES, KEY_PRESETS};
pub use self::environment::{Environment, local_hosts};
pub use self::file::ConfigError;
use self::file::Target;
use self::file::read_file;
pub use self::nearest::nearest;
pub use self::paths::{BOOKMARKS, UserPaths};
pub use self::set::with_setting;
pub use self::settings::{is_read_at_start, news_server};
use crate::ui::Theme;
use geomys_app::keymap::Keymap;
use geomys_app::{ConfigMistake, ConfigReport, Settings};

/// The names of the files that the user edits.
const FILES: [&str; 5] = ["settings", "keys", "theme", "score", "bookmarks"];

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

/// Reads the user's files over the defaults.
pub fn read(paths: &UserPaths, environment: &Environment) -> Config {
    let defaults = defaults::settings(environment.home.as_deref());
    let mut config = Config {
        settings: Settings {
            directory: environment.directory.clone(),
            local_hosts: environment.local_hosts.clone(),
            keyring: logins::IS_BUILT_IN,
            author: Author {
                editor: environment.editor(),
                ..defaults.author
            },
            ..defaults
        },
        keymap: keys::shipped(),
        theme: Theme::default(),
        mailcaps: environment.mailcaps(),
        route: Route::default(),
        web: environment.web.clone(),
        errors: Vec::new(),
    };
    let mut lines = settings::default_lines();
    let mut route = None;
    let mut use_ascii = environment.is_ascii();
    let (mut background, mut depth) = (None, None);
    let errors = &mut config.errors;
    let state = read_file(paths, "settings.toml", errors, |file| {
        let target = Target {
            settings: &mut config.settings,
            ascii: &mut use_ascii,
            background: &mut background,
            depth: &mut depth,
            route: &mut route,
            web: &mut config.web,
            newsrcs: Vec::new(),
        };
        lines = settings::lines(file);
        settings::read(file, target);
    });
    if state.may_speak_of(b"history") {
        config.settings.history.except = Arc::new(PrivateHosts::unreadable());
    }
    config.route = network::route_if_unreadable(&state)
        .or(route)
        .or_else(|| environment.route.clone())
        .unwrap_or_default();
    config.settings.route = config.route.clone();
    config.settings.newsrcs.directory = Some(paths.newsrcs());
    score(paths.score(), &paths.posted(), &mut config);
    if let Some(path) = environment.netrc() {
        match Netrc::load(&path) {
            Ok(netrc) => config.settings.netrc = netrc,
            Err(error) => config.errors.push(ConfigError::unreadable(path, &error)),
        }
    }
    read_file(paths, "keys.toml", &mut config.errors, |file| {
        keys::read(file, &mut config.keymap);
    });
    config.theme = theme::shipped(use_ascii);
    read_file(paths, "theme.toml", &mut config.errors, |file| {
        theme::read(file, &mut config.theme, use_ascii);
    });
    config.theme.is_ascii = use_ascii;
    config
        .theme
        .set_depth(depth.unwrap_or_else(|| environment.colour_depth()));
    config.theme.set_name(config.settings.theme);
    if let Some(background) = background {
        config.theme.set_background(background);
    }
    if environment.no_color {
        config.theme.disable_colours();
    }
    let mistakes = config.errors.iter().map(|error| ConfigMistake {
        path: error.path.clone(),
        line: error.position.map(|(line, _)| line),
        sentence: error.sentence.clone(),
        is_former: error.is_former,
    });
    let mut report = ConfigReport {
        files: FILES.into_iter().zip(paths.configuration()).collect(),
        settings: lines,
        mistakes: mistakes.collect(),
    };
    environment.override_settings(&mut report);
    config.settings.config = Arc::new(report);
    config
}

/// Reads the score rules for articles.
fn score(path: PathBuf, posted: &Path, config: &mut Config) {
    match load_score(&path) {
        Ok((rules, faults)) => {
            config.settings.rules = Arc::new(rules.with_own(posted_ids(posted)));
            let errors = faults.into_iter().map(|fault| ConfigError {
                path: path.clone(),
                position: Some((fault.line, fault.column)),
                sentence: fault.sentence,
                is_former: false,
            });
            config.errors.extend(errors);
        }
        Err(error) => config
            .errors
            .push(ConfigError::unreadable(path.clone(), &error)),
    }
    config.settings.score = Some(path);
}
