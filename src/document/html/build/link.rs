//! Links, and what is shown by a link: images, frames.

use super::Builder;
use crate::document::html::read::Element;

impl Builder {
    pub(super) fn anchor(&mut self, element: &Element<'_>) {
        self.end_link();
        let reference = element.value("href").map(reference);
        // What leads to another place of this page, or to a script, is a word like any other.
        let reference = reference.filter(|to| !to.starts_with('#') && !is_script(to));
        if let Some(reference) = reference {
            let target = self.laid.add_target(reference);
            let at = self.line.as_ref().map_or(0, |line| line.text.len());
            self.link = Some((target, at));
        }
    }

    pub(super) fn end_link(&mut self) {
        self.note_link();
        self.link = None;
    }

    /// Notes the part of the open link that stands in the line.
    pub(super) fn note_link(&mut self) {
        let (Some((target, start)), Some(line)) = (self.link, &mut self.line) else {
            return;
        };
        let text = line.text.get(start..).unwrap_or_default();
        let blanks = text.len() - text.trim_start().len();
        let range = start + blanks..start + text.trim_end().len();
        if range.start < range.end {
            line.links.push((range, target));
        }
    }

    /// A link that is all of these words.
    pub(super) fn link(&mut self, words: &str, to: String) {
        self.end_link();
        let target = self.laid.add_target(to);
        let at = self.line.as_ref().map_or(0, |line| line.text.len());
        self.link = Some((target, at));
        self.word(words);
        self.end_link();
    }

    pub(super) fn image(&mut self, element: &Element<'_>) {
        let is_dot = |name| matches!(element.value(name).map(str::trim), Some("0" | "1"));
        if is_dot("width") || is_dot("height") {
            return;
        }
        let alt = element.value("alt").map(str::trim);
        let source = element.value("src").map(reference);
        let source = source.filter(|source| !source.starts_with("data:"));
        let name = match alt {
            // It is there for the eye alone.
            Some("") => return,
            Some(alt) => alt.to_owned(),
            None => named(source.as_deref().unwrap_or_default()),
        };
        match (self.link, source) {
            (Some(_), _) | (None, None) => self.word(&format!("[{name}]")),
            (None, Some(source)) => self.link(&format!("[image: {name}]"), source),
        }
    }

    /// What is a page or a file of its own: a link to it.
    pub(super) fn embedded(&mut self, element: &Element<'_>) {
        let Some(source) = element.value("src").map(reference) else {
            return;
        };
        let what = match element.name() {
            "frame" | "iframe" => "frame",
            name => name,
        };
        let told = element.value("title").or(element.value("name"));
        let name = told.map_or_else(|| named(&source), str::to_owned);
        self.flush();
        self.link(&format!("[{what}: {name}]"), source);
        self.flush();
    }
}

/// A reference as it is meant: blanks around it, and line ends in it, are the page's.
pub(super) fn reference(written: &str) -> String {
    let written = written.trim_matches(|c: char| c.is_ascii_whitespace() || c.is_control());
    written
        .chars()
        .filter(|c| !matches!(c, '\t' | '\n' | '\r'))
        .collect()
}

fn is_script(reference: &str) -> bool {
    let scheme = reference.split(':').next().unwrap_or_default();
    reference.contains(':') && scheme.eq_ignore_ascii_case("javascript")
}

/// What something is called by its address: what stands last in it.
fn named(reference: &str) -> String {
    let path = reference.split(['?', '#']).next().unwrap_or_default();
    let name = path
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or_default();
    if name.is_empty() {
        "without a name"
    } else {
        name
    }
    .to_owned()
}
