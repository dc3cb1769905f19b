//! A form, shown by its method, action and fields: Geomys does not submit HTML forms.

use super::tag::StartTag;
use crate::text;

/// The maximum number of fields that are named. Further fields are only counted.
const FIELDS: usize = 8;

/// The maximum length of a displayed name.
const NAME: usize = 40;

/// An open form.
#[derive(Clone, Debug, Default)]
pub(super) struct Form {
    method: String,
    action: String,
    fields: Vec<String>,
    more: usize,
}

impl Form {
    pub(super) fn new(element: &StartTag<'_>) -> Self {
        let method = element.value("method").unwrap_or_default();
        let is_post = method.trim().eq_ignore_ascii_case("post");
        Self {
            method: if is_post { "POST" } else { "GET" }.to_owned(),
            action: element.value("action").unwrap_or_default().to_owned(),
            ..Self::default()
        }
    }

    /// Adds a field of the form, if the user could fill it.
    pub(super) fn field(&mut self, element: &StartTag<'_>) {
        let kind = element.value("type").unwrap_or("text").trim();
        let not_filled = ["hidden", "submit", "button", "reset", "image"];
        if not_filled
            .iter()
            .any(|name| kind.eq_ignore_ascii_case(name))
        {
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

    /// The line that describes the form.
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
