//! The sequences of the input, and what is known of one that is not complete; the reports of the mouse and the answers
//! of the terminal among them.
//!
//! The mouse has three encodings ("`XTerm` Control Sequences", "Mouse Tracking"): SGR (`CSI < button ; column ; row M`,
//! or `m` for a release), that of rxvt (`CSI button ; column ; row M`) and that of X10 (`CSI M` and three octets). The
//! latter two add 32 to the button, X10 also to the position. The answers that are used:
//!
//! - The background colour: OSC 11 (`ESC ] 11 ; ? ST`), answered by `ESC ] 11 ; rgb:RRRR/GGGG/BBBB ST` ("`XTerm`
//!   Control Sequences", "Operating System Commands").
//! - The graphics of kitty: `ESC _ G i=31,... ST`, answered by `ESC _ G i=31;OK ST` ("Terminal graphics protocol").
//! - The name of the terminal: XTVERSION (`CSI > q`), answered by `ESC P > | NAME ST` ("`XTerm` Control Sequences").

use crossterm::event::{Event, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use geomys_page::document::picture::Protocol;

use super::Input;
use crate::ui::theme::colours::Background;

/// A part of the input.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Sequence {
    /// ESC alone.
    Escape,
    /// A character, which may be one of C0; `has_alt` if ESC came before it.
    Letter { letter: char, has_alt: bool },
    /// A control sequence: its parameters and intermediates, and its final character; `has_alt` if ESC came before it.
    Csi {
        body: String,
        last: char,
        has_alt: bool,
    },
    /// A character of G3, with the parameters that some terminals put before it.
    Ss3 {
        body: String,
        last: char,
        has_alt: bool,
    },
    /// A function key of the Linux console.
    Console(char),
    /// A report of the mouse as X10 sends it.
    Mouse([u8; 3]),
    /// A control string: the letter of its introducer after ESC, and its text.
    Text { introducer: char, text: String },
    /// Pasted text, or a part of it.
    Paste(Vec<u8>),
}

/// The octets before the character after ESC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Lead {
    pub(super) form: Form,
    /// True if ESC is the first octet of a read.
    pub(super) begins_read: bool,
    /// True if ESC is the last octet of a read: a key of its own, unless an introducer follows.
    pub(super) ends_read: bool,
    /// True if another ESC came just before.
    pub(super) follows_esc: bool,
}

/// The form of an introducer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Form {
    /// ESC and a letter, as keys are sent too.
    #[default]
    Escape,
    /// A character of C1, which no key sends.
    C1,
}

/// The sequence to which the next character belongs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum State {
    #[default]
    Ground,
    Escape(Lead),
    Csi(Lead),
    Ss3(Lead),
    /// After `CSI [`.
    Console,
    /// After `CSI M`.
    Mouse,
    /// In a control string with this introducer; `escape` if its last character is ESC.
    Text {
        lead: Lead,
        introducer: char,
        escape: Option<Lead>,
    },
    Paste,
}

/// The offset of the numbers of X10, which keeps them out of C0.
const OFFSET: u8 = 32;

/// Returns the input of a report in a control sequence; `None` if it is none.
pub(super) fn csi(body: &str, last: char) -> Option<Input> {
    let numbers = body.strip_prefix('<');
    let is_sgr = numbers.is_some();
    if !matches!((is_sgr, last), (_, 'M') | (true, 'm')) {
        return None;
    }
    let mut numbers = numbers
        .unwrap_or(body)
        .split(';')
        .map(|number| number.parse::<u16>().ok());
    let [button, column, row] = [numbers.next()??, numbers.next()??, numbers.next()??];
    let button = u8::try_from(button).ok()?;
    let button = if is_sgr {
        button
    } else {
        button.checked_sub(OFFSET)?
    };
    report(button, (column, row), last == 'm')
}

/// Returns the input of a report of X10; `None` for a button that no mouse has.
pub(super) fn x10([button, column, row]: [u8; 3]) -> Option<Input> {
    let [button, column, row] = [
        button.checked_sub(OFFSET)?,
        column.checked_sub(OFFSET)?,
        row.checked_sub(OFFSET)?,
    ];
    report(button, (u16::from(column), u16::from(row)), false)
}

/// Returns the input of a button at a column and a row, counted from 1. The bits of the button: 1 and 2 its number, 4
/// Shift, 8 Alt, 16 Ctrl, 32 movement, 64 and 128 the rest of its number. Buttons 8 and 9 go back and forward;
/// crossterm has no name for them.
fn report(button: u8, (column, row): (u16, u16), is_release: bool) -> Option<Input> {
    let kind = match (
        (button & 0b11) | ((button & 0b1100_0000) >> 4),
        button & 32 != 0,
    ) {
        (number @ 0..=2, false) if is_release => MouseEventKind::Up(named(number)),
        (number @ 0..=2, false) => MouseEventKind::Down(named(number)),
        (number @ 0..=2, true) => MouseEventKind::Drag(named(number)),
        // Which button was released is not told by the older encodings.
        (3, false) => MouseEventKind::Up(MouseButton::Left),
        (3..=5, true) => MouseEventKind::Moved,
        (4, false) => MouseEventKind::ScrollUp,
        (5, false) => MouseEventKind::ScrollDown,
        (6, false) => MouseEventKind::ScrollLeft,
        (7, false) => MouseEventKind::ScrollRight,
        (number @ 8..=9, false) if !is_release => return Some(Input::Navigate(number == 9)),
        _ => return None,
    };
    let held = [
        (4, KeyModifiers::SHIFT),
        (8, KeyModifiers::ALT),
        (16, KeyModifiers::CONTROL),
    ];
    let held = held.into_iter().filter(|(bit, _)| button & bit != 0);
    Some(Input::Event(Event::Mouse(MouseEvent {
        kind,
        column: column.checked_sub(1)?,
        row: row.checked_sub(1)?,
        modifiers: held.fold(KeyModifiers::NONE, |all, (_, modifier)| all | modifier),
    })))
}

fn named(number: u8) -> MouseButton {
    match number {
        0 => MouseButton::Left,
        1 => MouseButton::Middle,
        _ => MouseButton::Right,
    }
}

/// Returns what a control string answers; `None` if it cannot be read, or says nothing that is used.
pub(super) fn answer(introducer: char, text: &str) -> Option<Input> {
    match introducer {
        ']' => {
            let colour = colour(text.strip_prefix("11;")?)?;
            Some(Input::Background(Background::of(colour)))
        }
        '_' => (text == "Gi=31;OK").then_some(Input::Graphics(Protocol::Kitty)),
        'P' => Protocol::of_terminal(text.strip_prefix(">|")?).map(Input::Graphics),
        _ => None,
    }
}

/// The colour `rgb:RRRR/GGGG/BBBB`, with one to four hexadecimal digits each, as shares from 0 to 255.
fn colour(written: &str) -> Option<[u8; 3]> {
    let shares = written
        .strip_prefix("rgb:")
        .or_else(|| written.strip_prefix("rgba:"))?;
    let mut shares = shares.split('/').map(|digits| {
        let share = u32::from_str_radix(digits, 16).ok()?;
        let most = match digits.len() {
            1 => 0xf,
            2 => 0xff,
            3 => 0xfff,
            4 => 0xffff,
            _ => return None,
        };
        u8::try_from(share * 255 / most).ok()
    });
    Some([shares.next()??, shares.next()??, shares.next()??])
}
