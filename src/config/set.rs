//! The change of one setting in the text of settings.toml, as `:set` makes it: comments, blank lines and order stay.

use std::fmt::Write as _;
use std::ops::Range;
use std::path::Path;

use geomys_wire::net::WebProxies;
use toml_edit::{Document, Item, TableLike};

use super::file::{ConfigError, Target, parse_text};
use super::settings;
use geomys_app::Settings;

/// Returns the text of settings.toml with a setting, `key` or `table.key`, set to the value that a user has typed: as
/// TOML, as a string without its quotes, or as the words of a list.
///
/// # Errors
/// The mistake in the name or in the value, or that the text cannot be changed.
pub fn with_setting(text: &str, name: &str, typed: &str) -> Result<String, String> {
    let typed = typed.trim();
    let words: Vec<String> = typed.split_whitespace().map(quoted).collect();
    let values = [
        typed.to_owned(),
        quoted(typed),
        format!("[{}]", words.join(", ")),
    ];
    let before = mistakes(text);
    let mut first = None;
    for value in values {
        let Some(changed) = with_value(text, name, &value) else {
            continue;
        };
        let new = mistakes(&changed);
        let mistake = new
            .iter()
            .find(|new| !before.iter().any(|old| old.sentence == new.sentence));
        match mistake {
            None => return Ok(changed),
            Some(mistake) => {
                first.get_or_insert_with(|| mistake.sentence.clone());
            }
        }
    }
    Err(first.unwrap_or_else(|| format!("settings.toml cannot be changed at {name}")))
}

/// Returns the mistakes in a text of settings.toml.
fn mistakes(text: &str) -> Vec<ConfigError> {
    let mut errors = Vec::new();
    let (mut settings, mut ascii) = (Settings::default(), false);
    let (mut background, mut depth) = (None, None);
    let (mut route, mut web) = (None, WebProxies::default());
    let target = Target {
        settings: &mut settings,
        ascii: &mut ascii,
        background: &mut background,
        depth: &mut depth,
        route: &mut route,
        web: &mut web,
        newsrcs: Vec::new(),
    };
    // A text that is not TOML is one mistake.
    let _ = parse_text(Path::new("settings.toml"), text, &mut errors, |file| {
        settings::read(file, target);
    });
    errors
}

/// Returns a text as a string of TOML.
fn quoted(text: &str) -> String {
    let mut quoted = "\"".to_owned();
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            _ if letter.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(letter));
            }
            _ => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

/// Returns the text with `value`, which is TOML, for a setting. A missing key is written below the name of its table,
/// or as the first line; a missing table at the end.
///
/// Returns `None` if the text is not TOML, or would not be with this value, or if no value can be written there.
fn with_value(text: &str, name: &str, value: &str) -> Option<String> {
    let (range, new) = edit(text, name, value)?;
    let mut changed = text.to_owned();
    changed.replace_range(range, &new);
    let document = Document::parse(changed.as_str()).ok()?;
    let written = span_of(document.as_table(), name)?;
    (changed.get(written)? == value).then_some(changed)
}

/// Returns the place of the value of a setting in the text of its file.
pub(super) fn span_of(root: &dyn TableLike, name: &str) -> Option<Range<usize>> {
    let item = match name.split_once('.') {
        Some((table, key)) => root.get(table)?.as_table_like()?.get(key)?,
        None => root.get(name)?,
    };
    item.as_value()?.span()
}

/// Returns the part of the text to replace, and its replacement.
fn edit(text: &str, name: &str, value: &str) -> Option<(Range<usize>, String)> {
    let document = Document::parse(text).ok()?;
    let root = document.as_table();
    if let Some(span) = span_of(root, name) {
        return Some((span, value.to_owned()));
    }
    let end = text.len()..text.len();
    let Some((table, key)) = name.split_once('.') else {
        return Some((0..0, format!("{name} = {value}\n")));
    };
    let line = format!("{key} = {value}\n");
    let new_table = || {
        let gap = match text {
            "" => "",
            _ if text.ends_with('\n') => "\n",
            _ => "\n\n",
        };
        Some((end.clone(), format!("{gap}[{table}]\n{line}")))
    };
    match root.get(table) {
        None => new_table(),
        Some(Item::Table(dotted)) if dotted.is_dotted() => Some((0..0, format!("{table}.{line}"))),
        Some(Item::Table(implicit)) if implicit.is_implicit() => new_table(),
        Some(Item::Table(of)) => {
            let head = of.span()?.end;
            match text.get(head..)?.find('\n') {
                Some(line_end) => Some((head + line_end + 1..head + line_end + 1, line)),
                None => Some((end, format!("\n{line}"))),
            }
        }
        Some(item) => {
            let inside = item.as_table_like()?;
            let brace = item.span()?.end.checked_sub(1)?;
            let last = text.get(..brace)?.trim_end().len();
            let gap = if inside.is_empty() { "" } else { "," };
            Some((last..brace, format!("{gap} {key} = {value} ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_setting_leaves_every_other_line() {
        for (before, name, typed, after) in [
            ("", "theme", "nord", "theme = \"nord\"\n"),
            (
                "# a\ntheme='x' # mine\nmouse = true\n",
                "theme",
                "nord",
                "# a\ntheme=\"nord\" # mine\nmouse = true\n",
            ),
            (
                "mouse = true\n[reading]\n# wide\nwidth = 90 # columns\n",
                "reading.width",
                "72",
                "mouse = true\n[reading]\n# wide\nwidth = 72 # columns\n",
            ),
            (
                "[reading] # text\nwidth = 90\n[cache]\n",
                "reading.centred",
                "false",
                "[reading] # text\ncentred = false\nwidth = 90\n[cache]\n",
            ),
            (
                "mouse = true",
                "history.except",
                "a.example b.example",
                "mouse = true\n\n[history]\nexcept = [\"a.example\", \"b.example\"]\n",
            ),
            (
                "reading = { width = 9 }\n",
                "reading.centred",
                "false",
                "reading = { width = 9, centred = false }\n",
            ),
            (
                "reading.width = 9\n",
                "reading.centred",
                "false",
                "reading.centred = false\nreading.width = 9\n",
            ),
            ("[reading]", "reading.width", "0", "[reading]\nwidth = 0\n"),
            (
                "[news.tls-by-host]\n\"h\" = \"never\"\n",
                "news.refresh",
                "5",
                "[news.tls-by-host]\n\"h\" = \"never\"\n\n[news]\nrefresh = 5\n",
            ),
            (
                "",
                "gateways.x-mole",
                "\"gopher://h/%u\"",
                "[gateways]\nx-mole = \"gopher://h/%u\"\n",
            ),
        ] {
            assert_eq!(
                with_setting(before, name, typed).as_deref(),
                Ok(after),
                "{before}"
            );
        }
    }

    #[test]
    fn wrong_value_is_refused_with_its_mistake() {
        for (before, name, typed, mistake) in [
            (
                "",
                "reading.width",
                "wide",
                "expected a number from 0 to 1000",
            ),
            ("", "mouse", "maybe", "expected true or false"),
            ("", "thme", "nord", "did you mean theme?"),
            ("colour = 1\n", "reading.widht", "1", "did you mean width?"),
            (
                "history = false\n",
                "history.days",
                "3",
                "cannot be changed",
            ),
            ("theme = \n", "theme", "nord", "cannot be changed"),
        ] {
            let refused = with_setting(before, name, typed).unwrap_err();
            assert!(refused.contains(mistake), "{name}: {refused}");
        }
    }
}
