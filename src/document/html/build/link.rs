//! Links, and the elements shown as links: images, frames.

use super::LayoutBuilder;
use crate::document::html::tag::StartTag;

impl LayoutBuilder {
    pub(super) fn anchor(&mut self, element: &StartTag<'_>) {
        self.end_link();
        let reference = element.value("href").map(reference);
        // A link to an anchor on this page, or to a script, is plain text.
        let reference = reference.filter(|target| !target.starts_with('#') && !is_script(target));
        if let Some(reference) = reference {
            let target = self.layout.add_target(reference);
            let at = self.line.as_ref().map_or(0, |line| line.text.len());
            self.link = Some((target, at));
        }
    }

    pub(super) fn end_link(&mut self) {
        self.note_link();
        self.link = None;
    }

    /// Records the part of the open link that is in the current line.
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

    /// Adds a link with these words.
    pub(super) fn link(&mut self, words: &str, reference: String) {
        self.end_link();
        let target = self.layout.add_target(reference);
        let at = self.line.as_ref().map_or(0, |line| line.text.len());
        self.link = Some((target, at));
        self.word(words);
        self.end_link();
    }

    pub(super) fn image(&mut self, element: &StartTag<'_>) {
        let is_dot = |name| matches!(element.value(name).map(str::trim), Some("0" | "1"));
        if is_dot("width") || is_dot("height") {
            return;
        }
        let alt = element.value("alt").map(str::trim);
        let source = element.value("src").map(reference);
        let source = source.filter(|source| !source.starts_with("data:"));
        let name = match alt {
            // A decorative image.
            Some("") => return,
            Some(alt) => alt.to_owned(),
            None => name_in_path(source.as_deref().unwrap_or_default()),
        };
        match (self.link, source) {
            (Some(_), _) | (None, None) => self.word(&format!("[{name}]")),
            (None, Some(source)) => self.link(&format!("[image: {name}]"), source),
        }
    }

    /// Adds a link to an embedded page or file.
    pub(super) fn embedded(&mut self, element: &StartTag<'_>) {
        let Some(source) = element.value("src").map(reference) else {
            return;
        };
        let kind = match element.name() {
            "frame" | "iframe" => "frame",
            name => name,
        };
        let title = element.value("title").or(element.value("name"));
        let name = title.map_or_else(|| name_in_path(&source), str::to_owned);
        self.flush();
        self.link(&format!("[{kind}: {name}]"), source);
        self.flush();
    }
}

/// Normalises a reference: removes blanks around it, and tabs and line ends in it.
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

/// The name of a resource by its reference: the last segment of the path.
fn name_in_path(reference: &str) -> String {
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
