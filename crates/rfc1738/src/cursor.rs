//! A cursor over a text from left to right, and the errors at its position.

use super::departure::{Departure, Departures};
use super::error::{Message, ParseError, Rule, Unexpected};
use super::escape::{self, Class};

/// The rest of a text, its offset in the whole, and how strictly it is read.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    rest: &'a str,
    at: usize,
    /// The departures accepted so far; `None` if no departures are allowed.
    departures: Option<Departures>,
}

impl<'a> Cursor<'a> {
    /// A cursor at the start of a text that is parsed strictly.
    pub(super) const fn new(text: &'a str) -> Self {
        Cursor {
            rest: text,
            at: 0,
            departures: None,
        }
    }

    /// A cursor at the start of a text in which departures are allowed.
    pub(super) const fn lenient(text: &'a str) -> Self {
        Cursor {
            rest: text,
            at: 0,
            departures: Some(Departures::NONE),
        }
    }

    /// A cursor at the same position that parses strictly.
    pub(super) const fn strict(self) -> Self {
        Cursor {
            departures: None,
            ..self
        }
    }

    /// Returns true if a later document may be followed where RFC 1738 has a fault.
    pub(super) const fn may_depart(&self) -> bool {
        self.departures.is_some()
    }

    /// Records that a later document was followed.
    pub(super) fn depart(&mut self, departure: Departure) {
        if let Some(departures) = &mut self.departures {
            departures.add(departure);
        }
    }

    /// Copies the departures of `other`, which read further.
    pub(super) fn copy_departures(&mut self, other: &Cursor<'a>) {
        self.departures = other.departures;
    }

    /// The departures accepted so far.
    pub(super) fn departures(&self) -> Departures {
        self.departures.unwrap_or(Departures::NONE)
    }

    pub(super) const fn rest(&self) -> &'a str {
        self.rest
    }

    /// The octets that are left.
    pub(super) const fn octets(&self) -> &'a [u8] {
        self.rest.as_bytes()
    }

    #[inline]
    pub(super) fn peek(&self) -> Option<u8> {
        self.octets().first().copied()
    }

    /// Takes `count` octets, which the caller has checked to be ASCII.
    #[inline]
    pub(super) fn take(&mut self, count: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at_checked(count).unwrap_or((self.rest, ""));
        self.rest = rest;
        self.at += taken.len();
        taken
    }

    /// Takes the literals of `class` and the escapes at the cursor.
    #[inline]
    pub(super) fn run(&mut self, class: &Class) -> &'a str {
        self.take(escape::span(self.octets(), class))
    }

    /// Takes the literals of `class` at the cursor, and no escapes.
    #[inline]
    pub(super) fn literals(&mut self, class: &Class) -> &'a str {
        self.take(escape::literal_span(self.octets(), class))
    }

    /// The text taken since this cursor was at `start`.
    pub(super) fn since(&self, start: &Cursor<'a>) -> &'a str {
        let len = self.at - start.at;
        start.rest.get(..len).unwrap_or(start.rest)
    }

    /// Takes `octet`, which is ASCII, if it is next. Returns true if it was.
    #[inline]
    pub(super) fn eat(&mut self, octet: u8) -> bool {
        let here = self.peek() == Some(octet);
        if here {
            self.take(1);
        }
        here
    }

    /// Takes `octet`, which is ASCII, or returns an error that says `expected`.
    #[inline]
    pub(super) fn expect(
        &mut self,
        octet: u8,
        rule: Rule,
        expected: &'static str,
    ) -> Result<(), ParseError> {
        if self.eat(octet) {
            Ok(())
        } else {
            Err(self.missing(rule, expected))
        }
    }

    /// Returns an error unless the text is at its end.
    #[inline]
    pub(super) fn end(&self, rule: Rule) -> Result<(), ParseError> {
        if self.peek().is_none() {
            Ok(())
        } else {
            Err(self.stray(rule))
        }
    }

    /// The character at the cursor, or the end.
    pub(super) fn found(&self) -> Unexpected {
        self.rest
            .chars()
            .next()
            .map_or(Unexpected::End, Unexpected::Char)
    }

    /// An error at the cursor.
    pub(super) fn error(&self, len: usize, rule: Rule, message: Message) -> ParseError {
        ParseError {
            at: self.at,
            len,
            rule: rule.0,
            section: rule.1,
            message,
        }
    }

    /// An error that says that `expected` is missing at the cursor.
    pub(super) fn missing(&self, rule: Rule, expected: &'static str) -> ParseError {
        self.error(
            self.char_len(),
            rule,
            Message::Expected(self.found(), expected),
        )
    }

    /// An error for a character that `rule` does not allow.
    pub(super) fn stray(&self, rule: Rule) -> ParseError {
        let escape_rule = Rule("escape", "2.2");
        let unsafe_rule = Rule(rule.0, "2.2");
        match self.found() {
            Unexpected::Char('%') => {
                if escape::escaped(self.octets(), 0).is_some() {
                    return self.error(
                        3,
                        rule,
                        Message::Expected(Unexpected::Char('%'), "a plain character"),
                    );
                }
                // The fault covers the sign and the digits after it.
                let digits = self.rest.bytes().skip(1).take(1);
                let len = 1 + digits.filter(u8::is_ascii_hexdigit).count();
                self.error(len, escape_rule, Message::LoneEscape)
            }
            Unexpected::Char('#') => self.error(1, unsafe_rule, Message::Fragment),
            Unexpected::Char(c) if c.is_ascii() && escape::RESERVED.has(c as u8) => {
                self.error(1, rule, Message::Reserved(c))
            }
            Unexpected::Char(c) if c.is_ascii() && escape::UNRESERVED.has(c as u8) => self.error(
                1,
                rule,
                Message::Expected(Unexpected::Char(c), "something else"),
            ),
            found => self.error(self.char_len(), unsafe_rule, Message::Unsafe(found)),
        }
    }

    pub(super) fn char_len(&self) -> usize {
        self.rest.chars().next().map_or(0, char::len_utf8)
    }
}
