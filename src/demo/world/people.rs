//! The people of the town, for its phone book.
//!
//! ```text
//! file  = *( entry blank-line / "#" comment )
//! entry = 1*( field ":" SP text LF *( SP text LF ) )
//! ```

use super::split_once;
use crate::demo::wire;

const PEOPLE: &[u8] = include_bytes!("../../../assets/demo/phone/people.txt");

/// A field of an entry: its name and its lines.
pub(in crate::demo) type Field = (&'static [u8], Vec<&'static [u8]>);

/// An entry of the phone book.
#[derive(Debug, Default)]
pub(in crate::demo) struct Person {
    pub(in crate::demo) fields: Vec<Field>,
}

impl Person {
    /// The lines of a field; empty if there is no such field.
    pub(in crate::demo) fn lines(&self, name: &[u8]) -> &[&'static [u8]] {
        let field = self.fields.iter().find(|field| field.0 == name);
        field.map_or(&[], |field| field.1.as_slice())
    }
}

/// All entries.
#[derive(Debug)]
pub(in crate::demo) struct People(pub(in crate::demo) Vec<Person>);

impl People {
    pub(super) fn new() -> Self {
        let mut people = vec![Person::default()];
        for line in wire::lines(PEOPLE).filter(|line| !line.starts_with(b"#")) {
            if line.is_empty() {
                people.push(Person::default());
                continue;
            }
            let Some(person) = people.last_mut() else {
                continue;
            };
            if let Some(more) = line.strip_prefix(b" ") {
                if let Some((_, lines)) = person.fields.last_mut() {
                    lines.push(more);
                }
            } else if let Some((name, text)) = split_once(line, b':') {
                person.fields.push((name, vec![text.trim_ascii()]));
            }
        }
        people.retain(|person| !person.fields.is_empty());
        Self(people)
    }
}
