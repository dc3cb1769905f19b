//! XML as XBEL and OPML use it: elements, attributes, text. What else there is means nothing here.

use std::collections::BTreeMap;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::Malformed;

/// Elements inside each other at the most.
const DEEPEST: usize = 512;

/// What comes along in a document.
pub(super) enum Part {
    /// An element begins: its name, without a prefix, in lower case, and its attributes, their names so too.
    Start(String, BTreeMap<String, String>),
    /// Text in the element that was begun last.
    Text(String),
    /// The element of this name ends; one that is empty begins first.
    End(String),
}

/// Reads a document from one end to the other.
pub(super) fn read(text: &str, mut take: impl FnMut(Part)) -> Result<(), Malformed> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = true;
    let mut depth = 0_usize;
    loop {
        let event = reader.read_event().map_err(|error| {
            let at = usize::try_from(reader.error_position()).unwrap_or_default();
            let before = text.get(..at).unwrap_or(text);
            let line = before.matches('\n').count() + 1;
            Malformed(format!("line {line}: {error}"))
        })?;
        match event {
            Event::Start(start) => {
                depth += 1;
                if depth > DEEPEST {
                    let sentence = "elements are nested too deep".to_owned();
                    return Err(Malformed(sentence));
                }
                take(Part::Start(
                    name(start.local_name().as_ref()),
                    attributes(&start),
                ));
            }
            Event::Empty(start) => {
                let name = name(start.local_name().as_ref());
                take(Part::Start(name.clone(), attributes(&start)));
                take(Part::End(name));
            }
            Event::End(end) => {
                depth = depth.saturating_sub(1);
                take(Part::End(name(end.local_name().as_ref())));
            }
            Event::Text(words) => {
                take(Part::Text(words.to_string()));
            }
            Event::CData(words) => {
                take(Part::Text(words.to_string()));
            }
            Event::GeneralRef(reference) => {
                let entity = format!("&{};", &*reference);
                take(Part::Text(unescaped(&entity)));
            }
            Event::Eof if depth > 0 => {
                return Err(Malformed("it ends in the middle".to_owned()));
            }
            Event::Eof => return Ok(()),
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
        }
    }
}

fn name(written: &str) -> String {
    written.to_ascii_lowercase()
}

fn attributes(start: &BytesStart<'_>) -> BTreeMap<String, String> {
    let mut attributes = start.html_attributes();
    let attributes = attributes.with_checks(false).flatten();
    attributes
        .map(|attribute| {
            let value = &attribute.value;
            (name(attribute.key.local_name().as_ref()), unescaped(value))
        })
        .collect()
}

/// Text with its references resolved; all of it as it is, where one is none.
fn unescaped(text: &str) -> String {
    let entity = quick_xml::escape::resolve_html5_entity;
    match quick_xml::escape::unescape_with(text, entity) {
        Ok(plain) => plain.into_owned(),
        Err(_) => text.to_owned(),
    }
}
