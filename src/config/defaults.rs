//! The defaults of the configuration files: their texts, the settings, and the keys and the theme, of which the
//! compiler makes tables.
//!
//! Of TOML the files of keys and theme have comments, `[table]` and `key = "value"`, with quotes around the key or
//! without; a backslash stands before a sign that is alone in its quotes. Other lines do not compile, nor does the name
//! of an unknown action or context.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use geomys_load::NewsSettings;
use geomys_store::files::cache::CacheLimits;
use geomys_store::files::command::CommandTemplate;
use geomys_store::files::draft::Author;
use rfc1738::Dialect;

use super::file::expand_home;
use geomys_app::Settings;
use geomys_app::action::Action;
use geomys_app::keymap::{DefaultBinding, KeyContext};
use geomys_app::settings::{Openers, PictureSettings};

/// The names and default contents of the configuration files.
pub const CONFIG_FILES: [(&str, &str); 3] = [
    ("settings.toml", SETTINGS),
    ("keys.toml", KEYS),
    ("theme.toml", THEME),
];

/// The names and contents of the key presets. The first one is the default.
pub const KEY_PRESETS: [(&str, &str); 4] = [
    ("vi", KEYS),
    ("emacs", KEYS_EMACS),
    ("lynx", KEYS_LYNX),
    ("tin", KEYS_TIN),
];

const SETTINGS: &str = include_str!("../../config/settings.toml");
pub(super) const KEYS: &str = include_str!("../../config/keys.toml");
pub(super) const KEYS_EMACS: &str = include_str!("../../config/keys-emacs.toml");
pub(super) const KEYS_LYNX: &str = include_str!("../../config/keys-lynx.toml");
pub(super) const KEYS_TIN: &str = include_str!("../../config/keys-tin.toml");
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
        cookies: true,
        home: home.map(Path::to_owned),
        cache: CacheLimits {
            size: 256 << 20,
            page: 8 << 20,
            age: None,
            saved: 64 << 20,
            synced: 1 << 30,
        },
        sync_size: 200 << 20,
        sync_reserve: 200 << 20,
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
        follow: true,
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

/// A value in a table of a shipped file.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub(super) table: &'static str,
    pub(super) key: &'static str,
    pub(super) value: &'static str,
}

/// The bindings of the key presets. The first one is the default.
pub(super) const PRESETS: [(&str, &[DefaultBinding]); 4] = [
    ("vi", &bindings::<{ count(KEYS) }>(KEYS)),
    ("emacs", &bindings::<{ count(KEYS_EMACS) }>(KEYS_EMACS)),
    ("lynx", &bindings::<{ count(KEYS_LYNX) }>(KEYS_LYNX)),
    ("tin", &bindings::<{ count(KEYS_TIN) }>(KEYS_TIN)),
];

/// The styles and glyphs.
pub(super) const STYLES: &[Entry] = &entries::<{ count(THEME) }>(THEME);

/// The rest of a file, and the table that it is in.
struct Rest {
    table: &'static str,
    text: &'static str,
}

impl Rest {
    const fn of(text: &'static str) -> Self {
        Self { table: "", text }
    }

    /// Takes the next value that is in a table.
    const fn next(&mut self) -> Option<Entry> {
        while !self.text.is_empty() {
            let (line, rest) = split(self.text, b'\n');
            self.text = rest;
            match line.as_bytes() {
                [] | [b'#', ..] => {}
                [b'[', ..] => self.table = split(line.split_at(1).1, b']').0,
                _ if self.table.is_empty() => {}
                _ => {
                    let (key, rest) = string(line);
                    let (between, rest) = split(rest, b'=');
                    let (value, rest) = string(rest.trim_ascii_start());
                    assert!(
                        between.trim_ascii().is_empty() && rest.is_empty(),
                        "a line of a shipped file is not `key = \"value\"`"
                    );
                    let table = self.table;
                    return Some(Entry { table, key, value });
                }
            }
        }
        None
    }
}

/// Splits at the first of an octet of ASCII, which is dropped.
const fn split(text: &'static str, octet: u8) -> (&'static str, &'static str) {
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        if *first == octet {
            let (before, rest) = text.split_at(text.len() - rest.len());
            return (before, rest.split_at(1).1);
        }
        rest = after;
    }
    (text, "")
}

/// Splits behind the string, or the key without quotes, at the beginning.
const fn string(text: &'static str) -> (&'static str, &'static str) {
    match text.as_bytes() {
        [b'"', b'\\', _, b'"', ..] => {
            let (sign, rest) = text.split_at(2).1.split_at(1);
            (sign, rest.split_at(1).1)
        }
        [b'"', ..] => split(text.split_at(1).1, b'"'),
        _ => split(text, b' '),
    }
}

/// The number of values in the tables of a file.
const fn count(text: &'static str) -> usize {
    let (mut rest, mut count) = (Rest::of(text), 0);
    while rest.next().is_some() {
        count += 1;
    }
    count
}

const fn entries<const N: usize>(text: &'static str) -> [Entry; N] {
    let entry = Entry {
        table: "",
        key: "",
        value: "",
    };
    let (mut rest, mut entries) = (Rest::of(text), [entry; N]);
    let mut free = entries.as_mut_slice();
    while let (Some(entry), Some((slot, others))) = (rest.next(), free.split_first_mut()) {
        *slot = entry;
        free = others;
    }
    entries
}

const fn bindings<const N: usize>(text: &'static str) -> [DefaultBinding; N] {
    let binding = (KeyContext::Global, "", Action::RowDown);
    let (mut rest, mut bindings) = (Rest::of(text), [binding; N]);
    let mut free = bindings.as_mut_slice();
    while let (Some(entry), Some((slot, others))) = (rest.next(), free.split_first_mut()) {
        *slot = (context(entry.table), entry.key, action(entry.value));
        free = others;
    }
    bindings
}

#[expect(clippy::panic, reason = "this is done by the compiler, which says so")]
const fn context(name: &str) -> KeyContext {
    let mut rest: &[KeyContext] = &KeyContext::ALL;
    while let [context, others @ ..] = rest {
        if is_same(context.name(), name) {
            return *context;
        }
        rest = others;
    }
    panic!("a shipped file has an unknown context")
}

const fn action(name: &str) -> Action {
    let mut rest = Action::ALL;
    while let [action, others @ ..] = rest {
        if is_same(action.name(), name) {
            return *action;
        }
        rest = others;
    }
    let mut tab = 1;
    while !is_same(Action::Tab(tab).name(), name) {
        assert!(tab < 9, "a shipped file names an unknown action");
        tab += 1;
    }
    Action::Tab(tab)
}

const fn is_same(one: &str, other: &str) -> bool {
    let (mut one, mut other) = (one.as_bytes(), other.as_bytes());
    while let ([first, rest @ ..], [of_other, rest_of_other @ ..]) = (one, other) {
        if *first != *of_other {
            return false;
        }
        (one, other) = (rest, rest_of_other);
    }
    one.is_empty() && other.is_empty()
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use geomys_wire::net::WebProxies;

    use super::super::settings;
    use super::{KEY_PRESETS, *};
    use crate::config::file::Target;
    use crate::config::file::{ConfigFile, parse_text};
    use crate::config::{keys, theme};
    use crate::ui::Theme;
    use geomys_app::keymap::Keymap;

    /// Returns the settings after the shipped file is read over `settings`.
    fn read_over(mut settings: Settings) -> Settings {
        let (mut ascii, mut background, mut route, mut errors) = (false, None, None, Vec::new());
        let mut depth = None;
        let mut web = WebProxies::default();
        let [(_, text), ..] = CONFIG_FILES;
        let parsed = parse_text(Path::new("settings.toml"), text, &mut errors, |file| {
            let target = Target {
                settings: &mut settings,
                ascii: &mut ascii,
                background: &mut background,
                depth: &mut depth,
                route: &mut route,
                web: &mut web,
                newsrcs: Vec::new(),
            };
            settings::read(file, target);
        });
        assert!(parsed.is_ok());
        assert_eq!(errors, []);
        assert_eq!((ascii, background, depth, route, web), Default::default());
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

    fn parse(text: &str, read: impl FnOnce(&mut ConfigFile<'_>)) {
        let mut errors = Vec::new();
        let parsed = parse_text(Path::new("shipped.toml"), text, &mut errors, read);
        assert!(parsed.is_ok());
        assert_eq!(errors, []);
    }

    #[test]
    fn shipped_keys_are_those_of_the_shipped_files() {
        for ((name, text), (preset, bindings)) in KEY_PRESETS.iter().zip(PRESETS) {
            assert_eq!(*name, preset);
            let mut keymap = Keymap::default();
            parse(text, |file| keys::read_contexts(file, &mut keymap));
            assert_eq!(Keymap::of_preset(bindings), keymap, "{name}");
        }
    }

    #[test]
    fn shipped_theme_is_that_of_the_shipped_file() {
        for is_ascii in [false, true] {
            let mut read = Theme::default();
            parse(THEME, |file| theme::read(file, &mut read, is_ascii));
            assert_eq!(theme::shipped(is_ascii), read);
        }
    }
}
