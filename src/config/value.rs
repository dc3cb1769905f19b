//! The types of the values in settings.toml, and how a mistake in one of them is reported.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use geomys_page::load::{FtpSettings, NewsSettings};
use geomys_wire::net::{Route, WebProxies};
use toml_edit::{Item, TableLike};

use super::file::ConfigFile;
use super::newsrc::NewsrcEntry;
use crate::app::Settings;
use crate::ui::theme::colours::Background;

/// The values that settings.toml sets.
pub(super) struct Target<'a> {
    pub(super) settings: &'a mut Settings,
    pub(super) ascii: &'a mut bool,
    /// The background of the terminal, if it is set.
    pub(super) background: &'a mut Option<Background>,
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
                    None => Some(Err(format!(
                        "a number from {least} to {most} is wanted here"
                    ))),
                }
            }
            Self::Mebibytes(least, set) => {
                let size = item.as_integer().and_then(|size| u64::try_from(size).ok());
                match size.filter(|size| (*least..=MEBIBYTES).contains(size)) {
                    Some(size) => return set(to, size << 20),
                    None => Some(Err(format!(
                        "a number of MiB from {least} to {MEBIBYTES} is wanted here"
                    ))),
                }
            }
            Self::Texts(expected, set) => file.strings(item, expected).map(|texts| set(to, texts)),
            Self::Table(settings) => {
                if let Some(table) = file.table(item, &format!("a table is wanted here: [{name}]"))
                {
                    for entry in table.iter() {
                        read_setting(settings, file, table, entry, to);
                    }
                }
                return;
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
        Some((_, value)) => value.read(name, file, item, to),
        None => {
            let known: Vec<&str> = settings.iter().map(|(known, _)| *known).collect();
            file.record_unknown_key(table, name, &known);
        }
    }
}
