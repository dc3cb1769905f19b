//! A configuration file while it is read, the types of its values, and the mistakes in it.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fmt, io};

use geomys_load::{FtpSettings, NewsSettings};
use geomys_store::files::command::CommandTemplate;
use geomys_store::files::regular;
use geomys_wire::net::{Route, WebProxies};
use rfc1738::mask_words;
use toml_edit::{Document, Item, TableLike};

use super::nearest::unknown;
use super::news::NewsrcEntry;
use super::paths::UserPaths;
use crate::ui::theme::colours::Background;
use crate::ui::theme::depth::ColourDepth;
use geomys_app::Settings;

/// A mistake in a configuration file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// The file.
    pub path: PathBuf,
    /// Line and column, from 1; `None` if the file could not be read at all.
    pub position: Option<(usize, usize)>,
    /// The mistake and the expected value, as a sentence.
    pub sentence: String,
    /// True if the file is right, and has a word of an earlier version.
    pub is_former: bool,
}

impl ConfigError {
    /// A file that could not be read.
    pub(super) fn unreadable(path: PathBuf, error: &impl fmt::Display) -> Self {
        Self {
            path,
            position: None,
            sentence: error.to_string(),
            is_former: false,
        }
    }
}

/// Masks what a sentence repeats of a file, whatever that is: it stands between “ and ”.
fn without_secrets(sentence: &str) -> String {
    let quoted = sentence.find('“').zip(sentence.rfind('”'));
    let parts = quoted.and_then(|(start, end)| {
        let (before, repeated) = (sentence.get(..start)?, sentence.get(start..end)?);
        Some((before, repeated, sentence.get(end..)?))
    });
    match parts {
        Some((before, repeated, after)) => format!("{before}{}{after}", mask_words(repeated)),
        None => sentence.to_owned(),
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

/// A configuration file while it is read.
pub(super) struct ConfigFile<'a> {
    path: &'a Path,
    pub(super) text: &'a str,
    pub(super) table: &'a dyn TableLike,
    pub(super) errors: &'a mut Vec<ConfigError>,
}

impl ConfigFile<'_> {
    /// Records a mistake at `span` (octets of the file).
    pub(super) fn record_error(&mut self, span: Option<Range<usize>>, sentence: impl Into<String>) {
        self.errors.push(ConfigError {
            path: self.path.to_owned(),
            position: span.map(|span| line_and_column(self.text, span.start)),
            sentence: without_secrets(&sentence.into()),
            is_former: false,
        });
    }

    /// Records a word of an earlier version at `span`, with what replaces it.
    pub(super) fn record_former(&mut self, span: Option<Range<usize>>, sentence: String) {
        self.record_error(span, sentence);
        if let Some(last) = self.errors.last_mut() {
            last.is_former = true;
        }
    }

    /// Records that a key is unknown in this table.
    pub(super) fn record_unknown_key(
        &mut self,
        table: &dyn TableLike,
        kind: &str,
        name: &str,
        known: &[&str],
    ) {
        let span = table.get_key_value(name).and_then(|(key, _)| key.span());
        self.record_error(span, unknown(kind, name, known));
    }

    /// Reads a table, or records a mistake.
    pub(super) fn table<'v>(
        &mut self,
        item: &'v Item,
        sentence: &str,
    ) -> Option<&'v dyn TableLike> {
        let table = item.as_table_like();
        if table.is_none() {
            self.record_error(item.span(), sentence);
        }
        table
    }

    /// Reads a list of strings, or records a mistake.
    pub(super) fn strings(&mut self, item: &Item, expected: &str) -> Option<Vec<String>> {
        let strings = item.as_array().and_then(|array| {
            let strings = array.iter().map(|value| value.as_str().map(str::to_owned));
            strings.collect()
        });
        if strings.is_none() {
            let sentence = format!("expected a list of {expected}, each in quotes");
            self.record_error(item.span(), sentence);
        }
        strings
    }

    /// Reads a command: the program and its arguments. Returns `None` for an empty list, and after recording a
    /// mistake.
    pub(super) fn command(&mut self, item: &Item) -> Option<CommandTemplate> {
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
    pub(super) fn string<'v>(&mut self, item: &'v Item, expected: &str) -> Option<&'v str> {
        let text = item.as_str();
        if text.is_none() {
            self.record_error(item.span(), format!("expected {expected}, in quotes"));
        }
        text
    }

    /// Reads true or false, or records a mistake.
    pub(super) fn flag(&mut self, item: &Item) -> Option<bool> {
        let flag = item.as_bool();
        if flag.is_none() {
            self.record_error(item.span(), "expected true or false");
        }
        flag
    }
}

/// The result of reading one of the user's files.
pub(super) enum UserFileState {
    /// The file was read, or there is none.
    Read,
    /// The whole file was ignored; its octets.
    Ignored(Vec<u8>),
    /// The file could not be read, so its content is unknown.
    Unreadable,
}

impl UserFileState {
    /// Returns true if the file was not read, and a setting with this in its name may be in it.
    pub(super) fn may_speak_of(&self, name: &[u8]) -> bool {
        match self {
            Self::Read => false,
            Self::Ignored(octets) => memchr::memmem::find(octets, name).is_some(),
            Self::Unreadable => true,
        }
    }
}

/// Reads the user's file, if there is one.
pub(super) fn read_file(
    paths: &UserPaths,
    name: &str,
    errors: &mut Vec<ConfigError>,
    read: impl FnOnce(&mut ConfigFile<'_>),
) -> UserFileState {
    let path = paths.config.join(name);
    match regular::read(&path, regular::BY_HAND) {
        Ok(octets) => match String::from_utf8(octets) {
            Ok(text) => match parse_text(&path, &text, errors, read) {
                Ok(()) => UserFileState::Read,
                Err(NotToml) => UserFileState::Ignored(text.into_bytes()),
            },
            Err(error) => {
                let before = error.utf8_error().valid_up_to();
                let valid =
                    String::from_utf8_lossy(error.as_bytes().get(..before).unwrap_or_default());
                let position = Some(line_and_column(&valid, before));
                let sentence = "not UTF-8, so the file is ignored".to_owned();
                errors.push(ConfigError {
                    path,
                    position,
                    sentence,
                    is_former: false,
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
pub(super) struct NotToml;

/// Reads the text of a file.
pub(super) fn parse_text(
    path: &Path,
    text: &str,
    errors: &mut Vec<ConfigError>,
    read: impl FnOnce(&mut ConfigFile<'_>),
) -> Result<(), NotToml> {
    match Document::parse(text) {
        Ok(document) => {
            read(&mut ConfigFile {
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
            let sentence = format!("not TOML, so the file is ignored: {said}");
            errors.push(ConfigError {
                path: path.to_owned(),
                position,
                sentence,
                is_former: false,
            });
            Err(NotToml)
        }
    }
}

pub(super) fn line_and_column(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before
        .rsplit('\n')
        .next()
        .map_or(0, |last| last.chars().count())
        + 1;
    (line, column)
}

/// The values that settings.toml sets.
pub(super) struct Target<'a> {
    pub(super) settings: &'a mut Settings,
    pub(super) ascii: &'a mut bool,
    /// The background of the terminal, if it is set.
    pub(super) background: &'a mut Option<Background>,
    /// The colours that the terminal can show, if they are set.
    pub(super) depth: &'a mut Option<ColourDepth>,
    /// The route to hosts.
    pub(super) route: &'a mut Option<Route>,
    /// The proxies for web pages.
    pub(super) web: &'a mut WebProxies,
    /// The newsrc files of this file.
    pub(super) newsrcs: Vec<NewsrcEntry>,
}

impl Target<'_> {
    pub(super) fn ftp(&mut self) -> &mut FtpSettings {
        Arc::make_mut(&mut self.settings.ftp)
    }

    pub(super) fn news(&mut self) -> &mut NewsSettings {
        Arc::make_mut(&mut self.settings.news)
    }

    /// Expands `~/` to the home directory.
    pub(super) fn expand_home(&self, written: &str) -> PathBuf {
        expand_home(written, self.settings.home.as_deref())
    }
}

/// Expands `~/` to the home directory.
pub(super) fn expand_home(written: &str, home: Option<&Path>) -> PathBuf {
    match (written.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(written),
    }
}

/// A setting: its name in its table, and its value.
pub(super) type Setting = (&'static str, Value);

/// The type of a value, with the function that sets it. An error of that function is a mistake at the value.
pub(super) enum Value {
    Flag(fn(&mut Target<'_>, bool)),
    /// A string, and what is wanted there.
    Text(&'static str, SetText),
    /// A string that sets nothing when it is empty.
    Filled(&'static str, SetText),
    /// A number between two limits.
    Number(u32, u32, fn(&mut Target<'_>, u32)),
    /// A number of MiB from this one on, which is set in octets.
    Mebibytes(u64, fn(&mut Target<'_>, u64)),
    /// A list of strings, and what is wanted there.
    Texts(
        &'static str,
        fn(&mut Target<'_>, Vec<String>) -> Result<(), String>,
    ),
    Table(&'static [Setting]),
    /// A setting of an earlier version: what replaces it, and what its value still does.
    Former(&'static str, fn(&mut Target<'_>, &Item)),
    /// The name of a setting in an earlier version; its name now.
    Renamed(&'static str),
    /// A value with a reader of its own.
    Other(fn(&mut ConfigFile<'_>, &Item, &mut Target<'_>)),
}

/// Sets a string, or says what is wrong with it.
type SetText = fn(&mut Target<'_>, &str) -> Result<(), String>;

/// The highest number of MiB for pages on the disk or in memory.
const MEBIBYTES: u64 = 1024 * 1024;

impl Value {
    /// Reads the value of the setting `name`, or records a mistake.
    pub(super) fn read(
        &self,
        name: &str,
        file: &mut ConfigFile<'_>,
        item: &Item,
        to: &mut Target<'_>,
    ) {
        let result = match self {
            Self::Flag(set) => return file.flag(item).map_or((), |flag| set(to, flag)),
            Self::Text(expected, set) => file.string(item, expected).map(|text| set(to, text)),
            Self::Filled(expected, set) => {
                let text = file.string(item, expected);
                text.filter(|text| !text.is_empty())
                    .map(|text| set(to, text))
            }
            Self::Number(least, most, set) => {
                let number = item
                    .as_integer()
                    .and_then(|number| u32::try_from(number).ok());
                match number.filter(|number| (least..=most).contains(&number)) {
                    Some(number) => return set(to, number),
                    None => Some(Err(format!("expected a number from {least} to {most}"))),
                }
            }
            Self::Mebibytes(least, set) => {
                let size = item.as_integer().and_then(|size| u64::try_from(size).ok());
                match size.filter(|size| (*least..=MEBIBYTES).contains(size)) {
                    Some(size) => return set(to, size << 20),
                    None => Some(Err(format!("expected MiB from {least} to {MEBIBYTES}"))),
                }
            }
            Self::Texts(expected, set) => file.strings(item, expected).map(|texts| set(to, texts)),
            Self::Table(settings) => {
                if let Some(table) = file.table(item, &format!("expected a table: [{name}]")) {
                    for entry in table.iter() {
                        read_setting(settings, file, table, entry, to);
                    }
                }
                return;
            }
            Self::Former(replacement, set) => {
                file.record_former(item.span(), format!("{name} is gone: {replacement}"));
                return set(to, item);
            }
            Self::Renamed(now) => {
                return file.record_former(item.span(), format!("{name} is now {now}"));
            }
            Self::Other(read) => return read(file, item, to),
        };
        if let Some(Err(sentence)) = result {
            file.record_error(item.span(), sentence);
        }
    }
}

/// Reads one entry of a table that may hold these settings.
pub(super) fn read_setting(
    settings: &[Setting],
    file: &mut ConfigFile<'_>,
    table: &dyn TableLike,
    (name, item): (&str, &Item),
    to: &mut Target<'_>,
) {
    match settings.iter().find(|(known, _)| *known == name) {
        Some((_, value)) => {
            value.read(name, file, item, to);
            // The name of now comes first.
            if let Value::Renamed(now) = value
                && !table.contains_key(now)
                && let Some((now, value)) = settings.iter().find(|(known, _)| known == now)
            {
                value.read(now, file, item, to);
            }
        }
        None => {
            let settings = settings.iter();
            let is_known =
                |(_, value): &&Setting| !matches!(value, Value::Former(..) | Value::Renamed(_));
            let known: Vec<&str> = settings.filter(is_known).map(|(known, _)| *known).collect();
            file.record_unknown_key(table, "setting", name, &known);
        }
    }
}
