//! Character references of XML and HTML: `&amp;`, `&#233;`, `&eacute;`.

use std::borrow::Cow;

use quick_xml::escape::{resolve_html5_entity, unescape_with};

/// Resolves the character references in a text (XML 1.0, section 4.1), with the names of HTML; returns the text unchanged if
/// one of them is invalid.
pub fn resolve_references(text: &str) -> String {
    unescape_with(text, resolve_html5_entity).map_or_else(|_| text.to_owned(), Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_resolved_by_number_and_by_name() {
        assert_eq!(
            resolve_references("a &lt; b &#233;&#xe9;&eacute;"),
            "a < b ééé"
        );
    }

    #[test]
    fn text_with_an_invalid_reference_is_unchanged() {
        assert_eq!(resolve_references("&lt;&nothing;"), "&lt;&nothing;");
        assert_eq!(resolve_references("AT&T"), "AT&T");
    }
}
