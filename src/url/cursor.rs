//! A place in a text that moves from left to right, and the errors that name what stands there.

use super::departure::{Departure, Departures};
use super::error::{Message, ParseError, Rule, Stood};
use super::escape::{self, Class};

/// The rest of a text, where in the whole it starts, and how strictly it is read.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    rest: &'a str,
    at: usize,
    /// What was allowed beyond RFC 1738 on the way here; nothing at all may be where this is `None`.
    beyond: Option<Departures>,
}

impl<'a> Cursor<'a> {
    /// The start of a text that is read to the letter.
    pub(super) const fn new(text: &'a str) -> Self {
        Cursor {
            rest: text,
            at: 0,
            beyond: None,
        }
    }

    /// The start of a text in which later documents may be followed.
    pub(super) const fn beyond(text: &'a str) -> Self {
        Cursor {
            rest: text,
            at: 0,
            beyond: Some(Departures::NONE),
        }
    }

    /// The same place in a text that is read to the letter.
    pub(super) const fn to_the_letter(self) -> Self {
        Cursor {
            beyond: None,
            ..self
        }
    }

    /// Whether a later document may be followed where RFC 1738 sees a fault.
    pub(super) const fn may_depart(&self) -> bool {
        self.beyond.is_some()
    }

    /// Notes that a later document was followed.
    pub(super) fn depart(&mut self, departure: Departure) {
        if let Some(departures) = &mut self.beyond {
            departures.add(departure);
        }
    }

    /// Takes over what `other`, which went further, departed from.
    pub(super) fn departed_as(&mut self, other: &Cursor<'a>) {
        self.beyond = other.beyond;
    }

    /// Where later documents were followed on the way here.
    pub(super) fn departures(&self) -> Departures {
        self.beyond.unwrap_or(Departures::NONE)
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

    /// Takes `count` octets, all ASCII by what was looked at before.
    #[inline]
    pub(super) fn take(&mut self, count: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at_checked(count).unwrap_or((self.rest, ""));
        self.rest = rest;
        self.at += taken.len();
        taken
    }

    /// Takes the literals of `class` and the escapes that stand here.
    #[inline]
    pub(super) fn run(&mut self, class: &Class) -> &'a str {
        self.take(escape::span(self.octets(), class))
    }

    /// Takes the literals of `class` that stand here, and no escapes.
    #[inline]
    pub(super) fn literals(&mut self, class: &Class) -> &'a str {
        self.take(escape::literal_span(self.octets(), class))
    }

    /// What was taken since this cursor was at `start`.
    pub(super) fn since(&self, start: &Cursor<'a>) -> &'a str {
        let len = self.at - start.at;
        start.rest.get(..len).unwrap_or(start.rest)
    }

    /// Takes `octet`, which is ASCII, if it is the next.
    #[inline]
    pub(super) fn eat(&mut self, octet: u8) -> bool {
        let here = self.peek() == Some(octet);
        if here {
            self.take(1);
        }
        here
    }

    /// Takes `octet`, which is ASCII, or says that `want` was expected.
    #[inline]
    pub(super) fn expect(
        &mut self,
        octet: u8,
        rule: Rule,
        want: &'static str,
    ) -> Result<(), ParseError> {
        if self.eat(octet) {
            Ok(())
        } else {
            Err(self.missing(rule, want))
        }
    }

    /// Nothing may follow.
    #[inline]
    pub(super) fn end(&self, rule: Rule) -> Result<(), ParseError> {
        if self.peek().is_none() {
            Ok(())
        } else {
            Err(self.stray(rule))
        }
    }

    /// What stands here.
    pub(super) fn found(&self) -> Stood {
        self.rest.chars().next().map_or(Stood::End, Stood::Char)
    }

    /// An error at this place.
    pub(super) fn error(&self, len: usize, rule: Rule, message: Message) -> ParseError {
        ParseError {
            at: self.at,
            len,
            rule: rule.0,
            section: rule.1,
            message,
        }
    }

    /// `want` should stand here and does not.
    pub(super) fn missing(&self, rule: Rule, want: &'static str) -> ParseError {
        self.error(self.char_len(), rule, Message::Expected(self.found(), want))
    }

    /// The character here is not one that `rule` allows.
    pub(super) fn stray(&self, rule: Rule) -> ParseError {
        let escape_rule = Rule("escape", "2.2");
        let unsafe_rule = Rule(rule.0, "2.2");
        match self.found() {
            Stood::Char('%') => {
                if escape::escaped(self.octets(), 0).is_some() {
                    return self.error(
                        3,
                        rule,
                        Message::Expected(Stood::Char('%'), "a plain character"),
                    );
                }
                // The sign and such digits as follow it.
                let digits = self.rest.bytes().skip(1).take(1);
                let len = 1 + digits.filter(u8::is_ascii_hexdigit).count();
                self.error(len, escape_rule, Message::LoneEscape)
            }
            Stood::Char('#') => self.error(1, unsafe_rule, Message::Fragment),
            Stood::Char(c) if c.is_ascii() && escape::RESERVED.has(c as u8) => {
                self.error(1, rule, Message::Reserved(c))
            }
            Stood::Char(c) if c.is_ascii() && escape::UNRESERVED.has(c as u8) => {
                self.error(1, rule, Message::Expected(Stood::Char(c), "something else"))
            }
            found => self.error(self.char_len(), unsafe_rule, Message::Unsafe(found)),
        }
    }

    pub(super) fn char_len(&self) -> usize {
        self.rest.chars().next().map_or(0, char::len_utf8)
    }
}
