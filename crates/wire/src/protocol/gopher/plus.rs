//! The Gopher+ string of a URL, and of a request (RFC 1738, sections 3.4.4 to 3.4.9; Gopher+, section 2).
//!
//! ```text
//! gopher+_string = "+" [ view [ SP language ] ]                ; the item, in one of its views
//!                / "?"                                         ; the item, whose form must be filled first
//!                / "!" *( "+" name )                           ; the item's attributes, all or some
//!                / "$" *( "+" name )                           ; those of every item of a menu
//!                / "+" [ view ] TAB "1" CR LF datablock        ; the item, with its form filled
//! ```
//!
//! RFC 1738 separates the names of attributes with encoded spaces, Gopher+ does not separate them; servers that follow
//! Gopher+ ignore names after a space. Left out: the TAB and `0` for "no data block", which are optional and stay
//! unchanged.

use super::form::FilledForm;

/// A parsed Gopher+ string: the kind of request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlusRequest<'a> {
    /// `+`: the item, with this view (`text/plain De_DE`) or its default one.
    View(&'a [u8]),
    /// `?`: the item has a form, which is in its attributes.
    Form,
    /// `!`: attributes of the item; the names as written, empty for all.
    Attributes(&'a [u8]),
    /// `$`: attributes of each item of a menu; the names as written, empty for all.
    EveryAttribute(&'a [u8]),
    /// A request for the item with a filled form.
    FilledForm(FilledForm<'a>),
    /// Any other string, as written.
    Other(&'a [u8]),
}

impl<'a> PlusRequest<'a> {
    /// Parses a decoded Gopher+ string. Any octets are valid.
    pub fn parse(plus: &'a [u8]) -> Self {
        if let Some(filled) = FilledForm::parse(plus) {
            return Self::FilledForm(filled);
        }
        match plus.split_first() {
            Some((b'+', view)) if !view.contains(&b'\t') => Self::View(view),
            Some((b'!', names)) => Self::Attributes(names),
            Some((b'$', names)) => Self::EveryAttribute(names),
            Some((b'?', [])) => Self::Form,
            _ => Self::Other(plus),
        }
    }

    /// Returns the octets to send. For a form that is not filled yet, they request the form.
    pub fn wire(&self) -> Vec<u8> {
        match self {
            Self::View(view) => [b"+", *view].concat(),
            Self::Form => b"!".to_vec(),
            Self::Attributes(names) => [b"!", joined(names).as_slice()].concat(),
            Self::EveryAttribute(names) => [b"$", joined(names).as_slice()].concat(),
            Self::FilledForm(filled) => filled.to_octets(),
            Self::Other(octets) => octets.to_vec(),
        }
    }
}

/// Removes the spaces before each `+`.
fn joined(names: &[u8]) -> Vec<u8> {
    let mut joined: Vec<u8> = Vec::with_capacity(names.len());
    for &octet in names {
        if octet == b'+' {
            while joined.last() == Some(&b' ') {
                joined.pop();
            }
        }
        joined.push(octet);
    }
    joined
}
