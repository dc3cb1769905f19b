//! The people of the town, for its phone book.
//!
//! ```text
//! file  = *( entry blank-line / "#" comment )
//! entry = 1*( field ":" SP text LF *( SP text LF ) )
//! ```

use crate::assets::{self, text};
use crate::wire::{self, split_once};

/// A field that entries may have.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) number: &'static str,
    pub(crate) name: &'static str,
    /// The properties, as words (RFC 2378, section 3.2).
    pub(crate) terms: &'static str,
    pub(crate) description: &'static str,
}

/// An entry of the phone book.
#[derive(Debug, Default)]
pub(crate) struct Person {
    /// The names of fields, with their lines.
    pub(crate) fields: Vec<(&'static [u8], Vec<&'static [u8]>)>,
}

impl Person {
    /// The lines of a field; empty if there is no such field.
    pub(crate) fn lines(&self, name: &[u8]) -> &[&'static [u8]] {
        let field = self.fields.iter().find(|field| field.0 == name);
        field.map_or(&[], |field| field.1.as_slice())
    }
}

/// The phone book.
#[derive(Debug)]
pub(crate) struct PhoneBook {
    pub(crate) people: Vec<Person>,
    pub(crate) fields: Vec<Field>,
}

impl PhoneBook {
    pub(super) fn new() -> Self {
        let fields = assets::table("phone/fields.txt");
        let fields = fields.map(|[number, name, terms, description]| Field {
            number: text(number),
            name: text(name),
            terms: text(terms),
            description: text(description),
        });
        Self {
            people: people(assets::file("phone/people.txt")),
            fields: fields.collect(),
        }
    }

    /// The field with this name.
    pub(crate) fn field(&self, name: &[u8]) -> Option<&Field> {
        let mut fields = self.fields.iter();
        fields.find(|field| field.name.as_bytes() == name)
    }
}

/// The entries of a file.
fn people(file: &'static [u8]) -> Vec<Person> {
    let mut people = vec![Person::default()];
    for line in wire::lines(file).filter(|line| !line.starts_with(b"#")) {
        if line.is_empty() {
            people.push(Person::default());
            continue;
        }
        let Some(Person { fields }) = people.last_mut() else {
            continue;
        };
        if let Some(more) = line.strip_prefix(b" ") {
            if let Some((_, lines)) = fields.last_mut() {
                lines.push(more);
            }
        } else if let Some((name, text)) = split_once(line, b':') {
            fields.push((name, vec![text.trim_ascii()]));
        }
    }
    people.retain(|person| !person.fields.is_empty());
    people
}
