//! A form, named by what it would send: Geomys fills none.

use super::read::Element;
use crate::text;

/// More fields than these are counted, not named.
const FIELDS: usize = 8;

/// Octets of a name that are shown.
const NAME: usize = 40;

/// A form that is open.
#[derive(Clone, Debug, Default)]
pub(super) struct Form {
    method: String,
    action: String,
    fields: Vec<String>,
    more: usize,
}

impl Form {
    pub(super) fn of(element: &Element<'_>) -> Self {
        let method = element.value("method").unwrap_or_default();
        let is_post = method.trim().eq_ignore_ascii_case("post");
        Self {
            method: if is_post { "POST" } else { "GET" }.to_owned(),
            action: element.value("action").unwrap_or_default().to_owned(),
            ..Self::default()
        }
    }

    /// A field of it, where somebody is to fill it.
    pub(super) fn field(&mut self, element: &Element<'_>) {
        let kind = element.value("type").unwrap_or("text").trim();
        let unseen = ["hidden", "submit", "button", "reset", "image"];
        if unseen.iter().any(|name| kind.eq_ignore_ascii_case(name)) {
            return;
        }
        let name = element.value("name").unwrap_or_default().trim();
        if name.is_empty() || self.fields.iter().any(|field| field == name) {
            return;
        }
        if self.fields.len() < FIELDS {
            self.fields.push(name.to_owned());
        } else {
            self.more += 1;
        }
    }

    /// The line that names it.
    pub(super) fn words(&self) -> String {
        let short = |text: &str| {
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            text::shorten(&text, NAME, "...")
        };
        let mut words = format!("[form: {}", self.method);
        let action = short(&self.action);
        if !action.is_empty() {
            words.push(' ');
            words.push_str(&action);
        }
        let fields: Vec<String> = self.fields.iter().map(|field| short(field)).collect();
        match fields.len() {
            0 => {}
            1 => words.push_str(", field "),
            _ => words.push_str(", fields "),
        }
        words.push_str(&fields.join(", "));
        match self.more {
            0 => words.push(']'),
            more => words = format!("{words} and {more} more]"),
        }
        words
    }
}
