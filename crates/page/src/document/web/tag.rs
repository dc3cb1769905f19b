//! The start tags of elements.

use html5ever::tokenizer::Tag;

/// The start of an element.
pub(super) struct StartTag<'a>(pub(super) &'a Tag);

impl StartTag<'_> {
    pub(super) fn name(&self) -> &str {
        &self.0.name
    }

    /// The value of an attribute.
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        let mut attributes = self.0.attrs.iter();
        let found = attributes.find(|attribute| &*attribute.name.local == name);
        found.map(|attribute| &*attribute.value)
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
