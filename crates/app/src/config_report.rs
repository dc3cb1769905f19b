//! The state of the configuration files: settings with their values and sources, mistakes, and the pages of both. A row
//! of these pages opens the editor at its line.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use quick_xml::escape::escape;
use rfc1738::{Url, decode, encoded};

/// The beginning of the address of a line of a file, for the pages of the configuration alone.
const EDIT: &str = "geomys:edit/";

/// The greatest width of the column of names.
const MAX_NAME_COLUMNS: usize = 24;

/// The greatest width of the column of values.
const MAX_VALUE_COLUMNS: usize = 28;

/// The configuration files, the settings, and the mistakes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConfigReport {
    /// The files with their names, existing or not.
    pub files: Vec<(&'static str, PathBuf)>,
    /// All settings, in the order of the defaults.
    pub settings: Vec<SettingLine>,
    /// The mistakes.
    pub mistakes: Vec<ConfigMistake>,
}

/// A setting as it is in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingLine {
    /// The name, `key` or `table.key`.
    pub name: String,
    /// The value, as TOML.
    pub value: String,
    /// The source: the file with the line, an option, a variable; `None` for the default.
    pub source: Option<String>,
    /// The line in settings.toml, from 1.
    pub line: Option<usize>,
}

/// A mistake in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigMistake {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1; `None` if the file could not be read.
    pub line: Option<usize>,
    /// The mistake, and the expected value.
    pub sentence: String,
    /// True if the file is right, and has a word of an earlier version.
    pub is_former: bool,
}

/// A line of a file of the user that is to be edited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileLine {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1.
    pub line: Option<usize>,
}

impl SettingLine {
    /// Returns the value in force with its source: `66 (settings.toml:12)`, `x (--server; the setting y waits)`.
    pub(crate) fn in_force(&self) -> String {
        let source = self.source.as_deref().unwrap_or("default");
        format!("{} ({source})", self.value)
    }
}

impl FileLine {
    /// Returns the line that the address of a row of a page names.
    pub(crate) fn of(url: &Url) -> Option<Self> {
        let (path, line) = url.as_str().strip_prefix(EDIT)?.rsplit_once(':')?;
        Some(Self {
            path: PathBuf::from(String::from_utf8(decode(path).into_owned()).ok()?),
            line: line.parse().ok(),
        })
    }

    /// Returns the address of a line.
    fn address(path: &Path, line: Option<usize>) -> String {
        let path = encoded(path.to_string_lossy().as_bytes()).replace(':', "%3A");
        format!("{EDIT}{path}:{}", line.unwrap_or_default())
    }
}

impl ConfigMistake {
    /// Returns the name of the file with the line.
    fn place(&self) -> String {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        match self.line {
            Some(line) => format!("{name}:{line}"),
            None => name.into_owned(),
        }
    }
}

impl ConfigReport {
    /// Returns the message for the status line, the key of the page of mistakes in it; `None` without mistakes.
    pub fn summary(&self, key: &str) -> Option<String> {
        let (former, mistakes): (Vec<_>, Vec<_>) =
            self.mistakes.iter().partition(|mistake| mistake.is_former);
        let first = mistakes.first().or(former.first())?;
        let count = match (mistakes.len(), former.len()) {
            (0, 1) => "1 former setting".to_owned(),
            (0, count) => format!("{count} former settings"),
            (1, _) => "1 mistake".to_owned(),
            (count, _) => format!("{count} mistakes"),
        };
        let (place, sentence) = (first.place(), &first.sentence);
        Some(format!(
            "{count} in the configuration ({key}): {place}: {sentence}"
        ))
    }

    /// Returns the line of a file, by the name of the file, or of a setting; of a file with mistakes the first of
    /// these.
    pub(crate) fn line_of(&self, name: &str) -> Option<FileLine> {
        let file = |name: &str| self.files.iter().find(|(known, _)| *known == name);
        if let Some((_, path)) = file(name) {
            let mistake = self.mistakes.iter().find(|mistake| mistake.path == *path);
            return Some(FileLine {
                path: path.clone(),
                line: mistake.and_then(|mistake| mistake.line),
            });
        }
        let setting = self.settings.iter().find(|setting| setting.name == name)?;
        let (_, path) = file("settings")?;
        Some(FileLine {
            path: path.clone(),
            line: setting.line,
        })
    }

    /// Returns the value of a setting, as TOML.
    pub(crate) fn value_of(&self, name: &str) -> &str {
        let mut settings = self.settings.iter();
        let setting = settings.find(|setting| setting.name == name);
        setting.map_or("", |setting| setting.value.as_str())
    }

    /// Replaces the value of a setting by that of an option or of the environment.
    pub fn override_value(&mut self, name: &str, value: String, source: &str) {
        if let Some(setting) = self
            .settings
            .iter_mut()
            .find(|setting| setting.name == name)
        {
            setting.value = value;
            setting.source = Some(source.to_owned());
        }
    }

    /// Returns the page of the mistakes, the settings and the files, as HTML.
    pub(crate) fn page(&self) -> String {
        let mut page = "<h1>Configuration</h1><h2>Mistakes</h2><ul>".to_owned();
        if self.mistakes.is_empty() {
            page.push_str("<li>None</li>");
        }
        for mistake in &self.mistakes {
            let place = mistake.place();
            let link = link(&FileLine::address(&mistake.path, mistake.line), &place);
            let _ = write!(page, "<li>{link} {}</li>", escape(&mistake.sentence));
        }
        page.push_str("</ul><h2>Files</h2><ul>");
        for (name, path) in &self.files {
            let link = link(&FileLine::address(path, None), &path.to_string_lossy());
            let _ = write!(page, "<li>{link} <kbd>:edit {name}</kbd></li>");
        }
        page.push_str(
            "</ul><h2>Settings</h2><p><kbd>:set NAME VALUE</kbd> changes one, Enter opens your editor at its line. A proxy, time \
             limits, the cache and memory change at the next start.</p>",
        );
        self.write_settings(&mut page);
        page
    }

    /// Appends all settings with their values and sources.
    fn write_settings(&self, page: &mut String) {
        let widest = |text: fn(&SettingLine) -> &str, most: usize| {
            let widths = self.settings.iter().map(|one| text(one).chars().count());
            widths.max().unwrap_or_default().min(most)
        };
        let (names, values) = (
            widest(|one| &one.name, MAX_NAME_COLUMNS),
            widest(|one| &one.value, MAX_VALUE_COLUMNS),
        );
        let file = self.files.iter().find(|(name, _)| *name == "settings");
        page.push_str("<pre>");
        for setting in &self.settings {
            let (name, value) = (&setting.name, &setting.value);
            let linked = match file {
                Some((_, path)) => link(&FileLine::address(path, setting.line), name),
                None => name.clone(),
            };
            let gap = " ".repeat(names.saturating_sub(name.chars().count()));
            let value = format!("{value:<values$}");
            let source = setting.source.as_deref().unwrap_or("default");
            let (value, source) = (escape(value), escape(source));
            let _ = writeln!(page, "{linked}{gap}  {value}  {source}");
        }
        page.push_str("</pre>");
    }
}

fn link(address: &str, text: &str) -> String {
    format!("<a href=\"{}\">{}</a>", escape(address), escape(text))
}
