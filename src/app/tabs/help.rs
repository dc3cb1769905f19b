//! The built-in pages: the home page, the help page and the page of the configuration.

use crate::app::action::Action;
use crate::app::settings::{ConfigReport, Settings};
use crate::document::{Document, Shape};
use crate::keymap::Keymap;
use crate::text::{Charset, Text};
use crate::url::Url;

/// The address of the home page.
pub const HOME: &str = "geomys:home";

/// The address of the help page.
pub const HELP: &str = "geomys:help";

/// The address of the page of visits.
pub const HISTORY: &str = "geomys:history";

/// The address of the page of the configuration.
pub const CONFIG: &str = "geomys:config";

/// The address of the page of pages to read later. It is made from its file each time.
pub const LATER: &str = "geomys:later";

/// Returns true for the address of a built-in page.
pub(crate) fn is_builtin(url: &Url) -> bool {
    matches!(url.as_str(), HOME | HELP | HISTORY | CONFIG | LATER)
}

/// Returns the built-in page with an address.
pub(crate) fn page(url: &Url, keymap: &Keymap, settings: &Settings) -> Option<Document> {
    let (shape, octets) = match url.as_str() {
        HOME => (
            Shape::Menu,
            include_str!("../../../assets/home.gophermap").to_owned(),
        ),
        HELP => (Shape::Text, help(keymap)),
        CONFIG => (Shape::Text, configuration(&settings.config)),
        _ => return None,
    };
    let mut document = Document::new(url.clone(), shape, Charset::default());
    document.append(octets.as_bytes());
    Some(document)
}

/// Returns the text of the page of the configuration.
fn configuration(report: &ConfigReport) -> String {
    let mut page = "Geomys: the configuration\n\nFiles\n\n".to_owned();
    for file in &report.files {
        page.push_str(&format!("  {}\n", Text::of(&file.to_string_lossy())));
    }
    page.push_str("\nMistakes\n\n");
    if report.mistakes.is_empty() {
        page.push_str("  None\n");
    }
    for mistake in &report.mistakes {
        page.push_str(&format!("  {}\n", Text::of(mistake)));
    }
    page.push_str(
        "\nAn edit takes effect when the file is saved; a proxy, time limits and the cache at the next\n\
         start. geomys config show prints the defaults.\n",
    );
    page
}

/// Returns the text of the help page, with the keys of the current keymap.
pub fn help(keymap: &Keymap) -> String {
    let mut page = include_str!("../../../assets/help.txt").to_owned();
    page.push_str("\nActions\n\n");
    let rows: Vec<(String, &str)> = Action::ALL
        .iter()
        .map(|&action| (keymap.keys_of(action).join("  "), action.doc()))
        .chain(std::iter::once((
            "Alt-1 … Alt-9".to_owned(),
            Action::Tab(1).doc(),
        )))
        .collect();
    let width = rows
        .iter()
        .map(|(keys, _)| keys.chars().count())
        .max()
        .unwrap_or(0);
    let lines = rows.into_iter().map(|(keys, doc)| {
        let keys = if keys.is_empty() {
            "(no key)".to_owned()
        } else {
            keys
        };
        format!("  {keys:<width$}   {doc}\n")
    });
    page.extend(lines);
    page
}
