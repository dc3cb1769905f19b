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
//! RFC 1738 separates the names of attributes with encoded spaces, Gopher+ does not separate them at all; servers that
//! follow the latter lose names after a space. Left out: the TAB and `0` that say that no data block follows, which
//! mean the same as nothing and are left as they are.

use std::borrow::Cow;

use super::form::Filled;

/// What a Gopher+ string asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Want<'a> {
    /// `+`: the item, with this view (`text/plain De_DE`) or its default one.
    View(&'a [u8]),
    /// `?`: the item has a form, which its attributes hold.
    Form,
    /// `!`: attributes of the item; the names as written, none for all.
    Attributes(&'a [u8]),
    /// `$`: attributes of each item of a menu; the names as written, none for all.
    EveryAttribute(&'a [u8]),
    /// The item, with these answers to its form.
    Filled(Filled<'a>),
    /// Something else, as written.
    Odd(&'a [u8]),
}

impl<'a> Want<'a> {
    /// Reads a Gopher+ string, decoded. Any octets are one.
    pub fn parse(plus: &'a [u8]) -> Self {
        if let Some(filled) = Filled::parse(plus) {
            return Self::Filled(filled);
        }
        match plus.split_first() {
            Some((b'+', view)) if !view.contains(&b'\t') => Self::View(view),
            Some((b'!', names)) => Self::Attributes(names),
            Some((b'$', names)) => Self::EveryAttribute(names),
            Some((b'?', [])) => Self::Form,
            _ => Self::Odd(plus),
        }
    }

    /// What is sent for it. For a form not yet filled, that is what asks for the form.
    pub fn wire(&self) -> Cow<'a, [u8]> {
        let one = |sign: u8, rest: &[u8]| {
            let mut octets = vec![sign];
            octets.extend_from_slice(rest);
            Cow::Owned(octets)
        };
        match self {
            Self::View(view) => one(b'+', view),
            Self::Form => Cow::Borrowed(b"!"),
            Self::Attributes(names) => one(b'!', &joined(names)),
            Self::EveryAttribute(names) => one(b'$', &joined(names)),
            Self::Filled(filled) => Cow::Owned(filled.to_octets()),
            Self::Odd(octets) => Cow::Borrowed(octets),
        }
    }

    /// Whether the reply is a list of attributes.
    pub fn is_of_attributes(&self) -> bool {
        match self {
            Self::Form | Self::Attributes(_) | Self::EveryAttribute(_) => true,
            Self::View(_) | Self::Filled(_) | Self::Odd(_) => false,
        }
    }
}

/// Names without the spaces before a `+`.
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
