//! A configuration file while it is read, and the mistakes in it.

use std::fmt;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use geomys_store::files::command::CommandTemplate;
use geomys_store::files::regular;
use toml_edit::{Document, Item, TableLike};

use super::paths::UserPaths;

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
    pub(super) fn unreadable(path: PathBuf, error: &impl fmt::Display) -> Self {
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

/// A configuration file while it is read.
pub(super) struct ConfigFile<'a> {
    path: &'a Path,
    text: &'a str,
    pub(super) table: &'a dyn TableLike,
    pub(super) errors: &'a mut Vec<ConfigError>,
}

impl ConfigFile<'_> {
    /// Records a mistake at `span` (octets of the file).
    pub(super) fn record_error(&mut self, span: Option<Range<usize>>, sentence: impl Into<String>) {
        self.errors.push(ConfigError {
            path: self.path.to_owned(),
            position: span.map(|span| line_and_column(self.text, span.start)),
            sentence: sentence.into(),
        });
    }

    /// Records that a key is unknown in this table.
    pub(super) fn record_unknown_key(
        &mut self,
        table: &dyn TableLike,
        name: &str,
        expected: &[&str],
    ) {
        let span = table.get_key_value(name).and_then(|(key, _)| key.span());
        let expected = expected.join(", ");
        self.record_error(
            span,
            format!("“{name}” is not known here; known are: {expected}"),
        );
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
            let sentence = format!("a list of {expected} is wanted here, each in quotes");
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
            self.record_error(item.span(), format!("{expected} is wanted here, in quotes"));
        }
        text
    }

    /// Reads true or false, or records a mistake.
    pub(super) fn flag(&mut self, item: &Item) -> Option<bool> {
        let flag = item.as_bool();
        if flag.is_none() {
            self.record_error(item.span(), "true or false is wanted here");
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
