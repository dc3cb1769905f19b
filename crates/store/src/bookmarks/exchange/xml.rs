//! XML for XBEL and OPML: elements, attributes and text. Other nodes are ignored.

use std::borrow::Cow;
use std::collections::BTreeMap;

use geomys_wire::text::resolve_references;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::tree::{Entry, FormatError};

/// Maximum nesting depth of elements.
const MAX_DEPTH: usize = 512;

/// Event of the XML parser.
pub(super) enum XmlEvent {
    /// Start of an element: its name without a prefix, and its attributes; names are in lower case.
    Start(String, BTreeMap<String, String>),
    /// Text in the current element.
    Text(String),
    /// End of the element of this name; an empty element has a start and an end, too.
    End(String),
}

/// Parses a document and passes its events to `take`.
pub(super) fn read(text: &str, mut take: impl FnMut(XmlEvent)) -> Result<(), FormatError> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = true;
    let mut depth = 0_usize;
    loop {
        let event = reader.read_event().map_err(|error| {
            let at = usize::try_from(reader.error_position()).unwrap_or_default();
            let before = text.get(..at).unwrap_or(text);
            let line = before.matches('\n').count() + 1;
            FormatError(format!("line {line}: {error}"))
        })?;
        match event {
            Event::Start(start) => {
                depth += 1;
                if depth > MAX_DEPTH {
                    return Err(FormatError("elements are nested too deep".to_owned()));
                }
                let name = name(start.local_name().as_ref());
                take(XmlEvent::Start(name, attributes(&start)));
            }
            Event::Empty(start) => {
                let name = name(start.local_name().as_ref());
                take(XmlEvent::Start(name.clone(), attributes(&start)));
                take(XmlEvent::End(name));
            }
            Event::End(end) => {
                depth = depth.saturating_sub(1);
                take(XmlEvent::End(name(end.local_name().as_ref())));
            }
            Event::Text(words) => take(XmlEvent::Text(words.to_string())),
            Event::CData(words) => take(XmlEvent::Text(words.to_string())),
            Event::GeneralRef(reference) => {
                let entity = format!("&{};", &*reference);
                take(XmlEvent::Text(resolve_references(&entity)));
            }
            Event::Eof if depth > 0 => {
                return Err(FormatError("it ends in the middle".to_owned()));
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
            (
                name(attribute.key.local_name().as_ref()),
                resolve_references(value),
            )
        })
        .collect()
}

/// Escapes a text or a value of an attribute.
pub(super) fn escaped(text: &str) -> Cow<'_, str> {
    quick_xml::escape::escape(text)
}

/// Formats the tags of an entry as an attribute of this name, with a comma between them; empty without tags.
pub(super) fn tags_attribute(entry: &Entry, name: &str) -> String {
    match entry.tags.join(",") {
        tags if tags.is_empty() => String::new(),
        tags => format!(" {name}=\"{}\"", escaped(&tags)),
    }
}

/// Loss of a tag with a comma in it.
pub(super) const COMMAS: &str = "commas in tags, which part tags there";
