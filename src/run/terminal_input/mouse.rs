//! The reports of the mouse in the three encodings that terminals have ("`XTerm` Control Sequences", "Mouse Tracking"): SGR
//! (`CSI < button ; column ; row M`, or `m` for a release), that of rxvt (`CSI button ; column ; row M`) and that of X10 (`CSI M`
//! and three octets). The latter two add 32 to the button, X10 also to the position.

use crossterm::event::{Event, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

/// The offset of the numbers of X10, which keeps them out of C0.
const OFFSET: u8 = 32;

/// Returns the event of a report in a control sequence; `None` if it is none.
pub(super) fn csi(body: &str, last: char) -> Option<Event> {
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

/// Returns the event of a report of X10; `None` for a button that no mouse has.
pub(super) fn x10([button, column, row]: [u8; 3]) -> Option<Event> {
    let [button, column, row] = [
        button.checked_sub(OFFSET)?,
        column.checked_sub(OFFSET)?,
        row.checked_sub(OFFSET)?,
    ];
    report(button, (u16::from(column), u16::from(row)), false)
}

/// Returns the event of a button at a column and a row, counted from 1. The bits of the button: 1 and 2 its number, 4 Shift, 8
/// Alt, 16 Ctrl, 32 movement, 64 and 128 the rest of its number.
fn report(button: u8, (column, row): (u16, u16), is_release: bool) -> Option<Event> {
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
        _ => return None,
    };
    let held = [
        (4, KeyModifiers::SHIFT),
        (8, KeyModifiers::ALT),
        (16, KeyModifiers::CONTROL),
    ];
    let held = held.into_iter().filter(|(bit, _)| button & bit != 0);
    Some(Event::Mouse(MouseEvent {
        kind,
        column: column.checked_sub(1)?,
        row: row.checked_sub(1)?,
        modifiers: held.fold(KeyModifiers::NONE, |all, (_, modifier)| all | modifier),
    }))
}

fn named(number: u8) -> MouseButton {
    match number {
        0 => MouseButton::Left,
        1 => MouseButton::Middle,
        _ => MouseButton::Right,
    }
}
