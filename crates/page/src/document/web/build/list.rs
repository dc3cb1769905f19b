//! Lists, their items, and the numbers of these.

use geomys_wire::text;

use super::{LayoutBuilder, OpenElement};
use crate::document::web::tag::StartTag;

/// The numbering of a list: the number of its next item, and the style.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbering {
    next: i64,
    /// `1`, `a`, `A`, `i` or `I`, as HTML names the styles.
    style: char,
}

impl Numbering {
    /// The numbering of an `ol` element.
    fn new(element: &StartTag<'_>) -> Self {
        let style = element.value("type").unwrap_or("1").trim().chars().next();
        Self {
            next: integer(element, "start").unwrap_or(1),
            style: style.unwrap_or('1'),
        }
    }

    /// Returns the marker of the next item, which may have a number of its own.
    fn mark(&mut self, value: Option<i64>) -> String {
        let number = value.unwrap_or(self.next);
        self.next = number.saturating_add(1);
        let letters = match self.style {
            'a' => alphabetic(number),
            'A' => alphabetic(number).map(|letters| letters.to_uppercase()),
            'i' => roman(number),
            'I' => roman(number).map(|letters| letters.to_uppercase()),
            _ => None,
        };
        format!("{}. ", letters.unwrap_or_else(|| number.to_string()))
    }
}

impl LayoutBuilder {
    pub(super) fn numbered_list(&mut self, element: &StartTag<'_>) {
        self.list(Some(Numbering::new(element)));
    }

    pub(super) fn list(&mut self, numbering: Option<Numbering>) {
        self.flush();
        self.needs_blank |= !self.is_in_list();
        self.push(OpenElement::List(numbering));
    }

    pub(super) fn is_in_list(&self) -> bool {
        let mut open = self.open.iter();
        open.any(|open| matches!(open, OpenElement::List(_)))
    }

    pub(super) fn item(&mut self, element: &StartTag<'_>) {
        self.close_in_list("li");
        let list = self.open.iter_mut().rev().find_map(|open| match open {
            OpenElement::List(numbering) => Some(numbering),
            _ => None,
        });
        let mark = match list {
            Some(Some(numbering)) => numbering.mark(integer(element, "value")),
            Some(None) | None => "• ".to_owned(),
        };
        let columns = text::width(&mark);
        let mark = Some(mark);
        self.push(OpenElement::Item { mark, columns });
    }
}

fn integer(element: &StartTag<'_>, name: &str) -> Option<i64> {
    element.value(name)?.trim().parse().ok()
}

/// `a` to `z`, `aa`, `ab`, ...; nothing below 1.
fn alphabetic(number: i64) -> Option<String> {
    let mut rest = u64::try_from(number).ok().filter(|number| *number > 0)?;
    let mut letters = Vec::new();
    while rest > 0 {
        rest -= 1;
        let letter = u8::try_from(rest % 26).unwrap_or(0);
        letters.push(char::from(b'a' + letter));
        rest /= 26;
    }
    Some(letters.iter().rev().collect())
}

/// A Roman number in small letters; nothing outside 1 to 3999.
fn roman(number: i64) -> Option<String> {
    const DIGITS: [(i64, &str); 13] = [
        (1000, "m"),
        (900, "cm"),
        (500, "d"),
        (400, "cd"),
        (100, "c"),
        (90, "xc"),
        (50, "l"),
        (40, "xl"),
        (10, "x"),
        (9, "ix"),
        (5, "v"),
        (4, "iv"),
        (1, "i"),
    ];
    if !(1..4000).contains(&number) {
        return None;
    }
    let mut rest = number;
    let mut letters = String::new();
    for (value, digits) in DIGITS {
        while rest >= value {
            letters.push_str(digits);
            rest -= value;
        }
    }
    Some(letters)
}
