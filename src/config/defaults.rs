//! The defaults of the configuration files: their texts, and the settings.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use geomys_page::load::NewsSettings;
use geomys_store::files::cache::CacheLimits;
use geomys_store::files::command::CommandTemplate;
use geomys_store::files::draft::Author;
use geomys_store::files::history::HistorySettings;
use jiff::SignedDuration;
use rfc1738::Dialect;

use super::value::expand_home;
use crate::app::Settings;
use crate::app::settings::{Openers, PictureSettings};

/// The names and default contents of the configuration files.
pub const CONFIG_FILES: [(&str, &str); 3] = [
    ("settings.toml", SETTINGS),
    ("keys.toml", KEYS),
    ("theme.toml", THEME),
];

/// The names and contents of the key presets. The first one is the default.
pub const KEY_PRESETS: [(&str, &str); 3] =
    [("vi", KEYS), ("emacs", KEYS_EMACS), ("lynx", KEYS_LYNX)];

const SETTINGS: &str = include_str!("../../config/settings.toml");
pub(super) const KEYS: &str = include_str!("../../config/keys.toml");
pub(super) const KEYS_EMACS: &str = include_str!("../../config/keys-emacs.toml");
pub(super) const KEYS_LYNX: &str = include_str!("../../config/keys-lynx.toml");
pub(super) const THEME: &str = include_str!("../../config/theme.toml");

/// The shown headers of an article.
const HEADERS: [&str; 9] = [
    "Subject",
    "From",
    "Date",
    "Reply-To",
    "Organization",
    "Newsgroups",
    "Message-ID",
    "References",
    "Followup-To",
];

/// Returns the values in settings.toml; a test reads that file, and holds both equal.
pub(super) fn settings(home: Option<&Path>) -> Settings {
    let command = |words: &[&str]| {
        let words = words.iter().map(|word| (*word).to_owned());
        CommandTemplate::new(words.collect())
    };
    let news = NewsSettings {
        headers: HEADERS.map(str::to_owned).to_vec().into(),
        ..NewsSettings::default()
    };
    Settings {
        home: home.map(Path::to_owned),
        cache: CacheLimits {
            size: 256 << 20,
            page: 8 << 20,
            age: Some(SignedDuration::from_hours(24 * 90)),
            saved: 64 << 20,
        },
        news: Arc::new(news),
        downloads: expand_home("~/Downloads", home),
        search_engine: Dialect::Extended
            .parse("gopher://gopher.floodgap.com/7/v2/vs")
            .ok(),
        mouse: true,
        pictures: PictureSettings {
            are_shown: true,
            ..PictureSettings::default()
        },
        watch: true,
        history: HistorySettings {
            days: 365,
            ..HistorySettings::default()
        },
        news_refresh: Duration::from_mins(5),
        author: Author {
            attribution: "{name} wrote on {date}:".to_owned(),
            quote: "> ".to_owned(),
            mail: ["sendmail", "-t", "-oi"].map(str::to_owned).to_vec(),
            ..Author::default()
        },
        open: Openers {
            tn3270: command(&["c3270", "{host}:{port}"]),
            other: command(&["xdg-open", "{url}"]),
            desktop: command(&["xdg-open", "{url}"]),
            ..Openers::default()
        },
        ..Settings::default()
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use geomys_wire::net::WebProxies;

    use super::super::file::parse_text;
    use super::super::settings;
    use super::super::value::Target;
    use super::*;

    /// Returns the settings after the shipped file is read over `settings`.
    fn read_over(mut settings: Settings) -> Settings {
        let (mut ascii, mut background, mut route, mut errors) = (false, None, None, Vec::new());
        let mut web = WebProxies::default();
        let [(_, text), ..] = CONFIG_FILES;
        let parsed = parse_text(Path::new("settings.toml"), text, &mut errors, |file| {
            let target = Target {
                settings: &mut settings,
                ascii: &mut ascii,
                background: &mut background,
                route: &mut route,
                web: &mut web,
                newsrcs: Vec::new(),
            };
            settings::read(file, target);
        });
        assert!(parsed.is_ok());
        assert_eq!(errors, []);
        assert_eq!((ascii, background, route, web), Default::default());
        settings
    }

    #[test]
    fn settings_are_those_of_the_shipped_file() {
        for home in [None, Some(PathBuf::from("/home/mole"))] {
            let shipped = super::settings(home.as_deref());
            let empty = Settings {
                home,
                // Two zones of the system are equal only if they are the same one.
                zone: shipped.zone.clone(),
                ..Settings::default()
            };
            assert_eq!(read_over(empty), shipped);
            assert_eq!(read_over(shipped.clone()), shipped);
        }
    }
}
