//! Pages of our own: the home page and the help page.

use super::action::Action;
use crate::document::{Document, Shape};
use crate::keymap::Keymap;
use crate::text::Charset;
use crate::url::Url;

/// The home page's address.
pub const HOME: &str = "geomys:home";

/// The help page's address.
pub const HELP: &str = "geomys:help";

/// Whether an address is of a page of our own.
pub(super) fn is_ours(url: &Url) -> bool {
    matches!(url.as_str(), HOME | HELP)
}

/// A page of our own, by its address.
pub(super) fn page(url: &Url, keymap: &Keymap) -> Option<Document> {
    let (shape, octets) = match url.as_str() {
        HOME => (
            Shape::Menu,
            include_str!("../../assets/home.gophermap").to_owned(),
        ),
        HELP => (Shape::Text, help(keymap)),
        _ => return None,
    };
    let mut document = Document::new(url.clone(), shape, Charset::default());
    document.append(octets.as_bytes());
    Some(document)
}

/// The help page: what every key does, from the keymap that is in force.
pub fn help(keymap: &Keymap) -> String {
    let mut page = include_str!("../../assets/help.txt").to_owned();
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
