//! The start tags of elements, and the limit of their attributes: the tokenizer compares each attribute of a tag with
//! all attributes before it, so that a tag with very many takes hours.
//!
//! ```text
//! tag       = "<" [ "/" ] letter *name-octet *attribute [ "/" ] ">"
//! attribute = name [ "=" ( quoted | word ) ]
//! ```
//!
//! Comments, declarations and the content of elements without markup are skipped.

use std::borrow::Cow;

use html5ever::tokenizer::Tag;
use memchr::memmem;

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

impl StartTag<'_> {
    /// The value of a property in the style of the element itself.
    pub(super) fn style(&self, property: &str) -> Option<&str> {
        let mut styles = self.value("style")?.split(';');
        styles.find_map(|part| {
            let (name, value) = part.split_once(':')?;
            let value = value.trim();
            let value = value.strip_suffix("!important").unwrap_or(value);
            name.trim()
                .eq_ignore_ascii_case(property)
                .then(|| value.trim())
        })
    }
}

impl StartTag<'_> {
    /// Returns true if the markup hides what is in the element. No style sheet is read.
    pub(super) fn is_hidden(&self) -> bool {
        let display = self.style("display");
        let is_none = display.is_some_and(|display| display.eq_ignore_ascii_case("none"));
        is_none || self.value("hidden").is_some()
    }

    /// The number that an attribute states, from 1 to this limit. Without one it is 1.
    pub(super) fn count(&self, attribute: &str, limit: usize) -> usize {
        let number = self.value(attribute).map(str::trim);
        let number = number.and_then(|number| number.parse().ok());
        number.unwrap_or(1_usize).clamp(1, limit)
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

/// The maximum number of attributes of a tag. The following ones are dropped.
const ATTRIBUTES: usize = 256;

/// The elements whose content has no markup.
const RAW: [&str; 8] = [
    "script", "style", "textarea", "title", "xmp", "listing", "iframe", "noembed",
];

/// Drops the attributes of each tag after the first [`ATTRIBUTES`].
pub(super) fn limited(page: &str) -> Cow<'_, str> {
    let mut reader = Reader { page, at: 0 };
    let (mut text, mut copied) = (String::new(), 0);
    while let Some(start) = reader.next_tag() {
        if let Some(from) = reader.tag(start) {
            text.push_str(page.get(copied..from).unwrap_or_default());
            copied = reader.at;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(page);
    }
    text.push_str(page.get(copied..).unwrap_or_default());
    Cow::Owned(text)
}

struct Reader<'a> {
    page: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a [u8] {
        self.page.as_bytes().get(self.at..).unwrap_or_default()
    }

    /// Moves behind the `<` or `</` of the next tag, and returns the name of a start tag, empty for an end tag.
    fn next_tag(&mut self) -> Option<&'a str> {
        loop {
            self.at += memchr::memchr(b'<', self.rest())? + 1;
            match self.rest() {
                [b'!', b'-', b'-', ..] => {
                    self.at += 1;
                    self.at += memmem::find(self.rest(), b"-->")?;
                }
                [b'/', letter, ..] if letter.is_ascii_alphabetic() => {
                    self.at += 1;
                    return Some("");
                }
                [letter, ..] if letter.is_ascii_alphabetic() => {
                    let is_end = |octet: &u8| !octet.is_ascii_alphanumeric();
                    let length = self.rest().iter().position(is_end)?;
                    return self.page.get(self.at..self.at + length);
                }
                _ => {}
            }
        }
    }

    /// Reads the tag with this name up to its `>`, and the content of an element without markup. Returns the offset
    /// from which on the tag has too many attributes.
    fn tag(&mut self, name: &str) -> Option<usize> {
        let mut from = None;
        let mut count = 0;
        let is_name_end = |octet: &u8| octet.is_ascii_whitespace() || matches!(octet, b'/' | b'>');
        self.skip(is_name_end);
        loop {
            self.skip(|octet| !octet.is_ascii_whitespace() && *octet != b'/');
            if matches!(self.rest(), [] | [b'>', ..]) {
                break;
            }
            count += 1;
            if count == ATTRIBUTES + 1 {
                from = Some(self.at);
            }
            // The first octet of a name may be an equals sign.
            self.at += 1;
            self.skip(|octet| is_name_end(octet) || *octet == b'=');
            let name_end = self.at;
            self.skip(|octet| !octet.is_ascii_whitespace());
            if self.rest().first() != Some(&b'=') {
                self.at = name_end;
                continue;
            }
            self.at += 1;
            self.skip(|octet| !octet.is_ascii_whitespace());
            match self.rest() {
                [quote @ (b'"' | b'\''), ..] => {
                    self.at += 1;
                    self.skip(|octet| octet == quote);
                    self.at = (self.at + 1).min(self.page.len());
                }
                _ => self.skip(|octet| octet.is_ascii_whitespace() || *octet == b'>'),
            }
        }
        // Where the tag is cut, its end stays.
        let end = self.at;
        if RAW.iter().any(|raw| name.eq_ignore_ascii_case(raw)) {
            self.raw_text(name);
        }
        from.inspect(|_| self.at = end)
    }

    /// Moves to the first octet that `is_end` accepts, or to the end.
    fn skip(&mut self, is_end: impl Fn(&u8) -> bool) {
        let rest = self.rest();
        self.at += rest.iter().position(is_end).unwrap_or(rest.len());
    }

    /// Moves to the end tag of an element without markup, or to the end.
    fn raw_text(&mut self, name: &str) {
        let rest = self.rest();
        let mut ends = memmem::find_iter(rest, b"</");
        let end = ends.find(|at| {
            let found = rest.get(at + 2..at + 2 + name.len());
            found.is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes()))
        });
        self.at += end.unwrap_or(rest.len());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tag(count: usize) -> String {
        let names = (0..count).map(|number| format!(" a{number}"));
        format!("<p{}>", names.collect::<String>())
    }

    #[test]
    fn attributes_over_the_limit_are_dropped() {
        for (long, count) in [(tag(ATTRIBUTES), 0), (tag(ATTRIBUTES + 3), 3)] {
            let page = format!("<a href='>'>x</a>{long}y{}z", tag(2));
            let kept = limited(&page);
            assert_eq!(
                kept.len() + count * " a256".len(),
                page.len() + usize::from(count > 0)
            );
            assert!(kept.ends_with(">y<p a0 a1>z"), "{kept}");
        }
    }

    #[test]
    fn comments_and_scripts_are_no_tags() {
        let words = " w".repeat(ATTRIBUTES + 2);
        for page in [
            format!("<!-- <a{words}> --><p>x"),
            format!("<script>if (i <a{words}> 0)</SCRIPT><p>x"),
            format!("a < b{words}>"),
            format!("<p title=\"{words}\" id={words}"),
        ] {
            let kept = limited(&page);
            assert!(kept == page || page.contains("id="), "{kept}");
        }
    }

    proptest! {
        #[test]
        fn page_without_long_tags_is_unchanged(page in "(<|/|>|=|\"|'| |a|b|!|-|é|script){0,60}") {
            prop_assert_eq!(&*limited(&page), &*page);
        }

        #[test]
        fn only_attributes_are_dropped(before in "[ab<>\"= é]{0,9}", after in "[ab<>\"= é]{0,9}") {
            let page = format!("{before}{}{after}", tag(400));
            let kept = limited(&page);
            prop_assert!(kept.len() == page.len() || kept.starts_with(&before) && kept.ends_with(&after));
        }
    }
}
