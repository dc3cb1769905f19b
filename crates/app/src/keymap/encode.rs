//! The octets that a terminal sends for a key (ECMA-48, and xterm's control sequences), for a session that has the
//! focus.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// The mode of the cursor keys, which the other end sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CursorKeyMode {
    /// Cursor mode: `ESC [ A`.
    Cursor,
    /// Application mode: `ESC O A`.
    Application,
}

/// The octets of a key with its modifiers; empty for a key that terminals do not have. Letters are in UTF-8.
pub fn encode_key(event: KeyEvent, arrows: CursorKeyMode) -> Vec<u8> {
    let ctrl = event.modifiers.contains(KeyModifiers::CONTROL);
    let shift = event.modifiers.contains(KeyModifiers::SHIFT);
    let plain = match event.code {
        KeyCode::Char(letter) if ctrl => match control(letter.to_ascii_lowercase()) {
            Some(octet) => vec![octet],
            None => return Vec::new(),
        },
        KeyCode::Char(letter) if shift => letter.to_ascii_uppercase().to_string().into_bytes(),
        KeyCode::Char(letter) => letter.to_string().into_bytes(),
        KeyCode::Enter => vec![b'\r'],
        KeyCode::Tab if !shift => vec![b'\t'],
        KeyCode::Tab | KeyCode::BackTab => b"\x1b[Z".to_vec(),
        KeyCode::Esc => vec![0x1B],
        KeyCode::Backspace if ctrl => vec![0x08],
        KeyCode::Backspace => vec![0x7F],
        KeyCode::Null => vec![0],
        code => return special_key(code).map_or_else(Vec::new, |key| key.encode(event, arrows)),
    };
    if event.modifiers.contains(KeyModifiers::ALT) {
        [b"\x1b".as_slice(), &plain].concat()
    } else {
        plain
    }
}

/// A key whose sequence contains its modifiers.
enum SpecialKey {
    /// An arrow, Home or End: `ESC [ A`, or `ESC O A` in application mode.
    Cursor(char),
    /// One of F1 to F4: `ESC O P`.
    Function(char),
    /// A key with a number: `ESC [ 5 ~`.
    Numbered(u8),
}

impl SpecialKey {
    fn encode(self, event: KeyEvent, arrows: CursorKeyMode) -> Vec<u8> {
        let modifiers = modifiers(event.modifiers);
        let sequence = match (self, modifiers, arrows) {
            (Self::Cursor(letter), 1, CursorKeyMode::Cursor) => format!("\x1b[{letter}"),
            (Self::Cursor(letter) | Self::Function(letter), 1, _) => format!("\x1bO{letter}"),
            (Self::Cursor(letter) | Self::Function(letter), modifiers, _) => {
                format!("\x1b[1;{modifiers}{letter}")
            }
            (Self::Numbered(number), 1, _) => format!("\x1b[{number}~"),
            (Self::Numbered(number), modifiers, _) => format!("\x1b[{number};{modifiers}~"),
        };
        sequence.into_bytes()
    }
}

/// The parameter of the modifiers in xterm's sequences: 1 for none.
fn modifiers(modifiers: KeyModifiers) -> u8 {
    let values = [
        (KeyModifiers::SHIFT, 1),
        (KeyModifiers::ALT, 2),
        (KeyModifiers::CONTROL, 4),
    ];
    let held = values.iter().filter(|(key, _)| modifiers.contains(*key));
    1 + held.map(|(_, value)| value).sum::<u8>()
}

fn special_key(code: KeyCode) -> Option<SpecialKey> {
    Some(match code {
        KeyCode::Up => SpecialKey::Cursor('A'),
        KeyCode::Down => SpecialKey::Cursor('B'),
        KeyCode::Right => SpecialKey::Cursor('C'),
        KeyCode::Left => SpecialKey::Cursor('D'),
        KeyCode::Home => SpecialKey::Cursor('H'),
        KeyCode::End => SpecialKey::Cursor('F'),
        KeyCode::Insert => SpecialKey::Numbered(2),
        KeyCode::Delete => SpecialKey::Numbered(3),
        KeyCode::PageUp => SpecialKey::Numbered(5),
        KeyCode::PageDown => SpecialKey::Numbered(6),
        KeyCode::F(1) => SpecialKey::Function('P'),
        KeyCode::F(2) => SpecialKey::Function('Q'),
        KeyCode::F(3) => SpecialKey::Function('R'),
        KeyCode::F(4) => SpecialKey::Function('S'),
        KeyCode::F(5) => SpecialKey::Numbered(15),
        KeyCode::F(number @ 6..=10) => SpecialKey::Numbered(number + 11),
        KeyCode::F(number @ 11..=14) => SpecialKey::Numbered(number + 12),
        KeyCode::F(number @ 15..=16) => SpecialKey::Numbered(number + 13),
        KeyCode::F(number @ 17..=20) => SpecialKey::Numbered(number + 14),
        _ => return None,
    })
}

/// The control character of a letter with Ctrl.
fn control(letter: char) -> Option<u8> {
    match letter {
        'a'..='z' | '@' | '['..='_' => Some(letter.to_ascii_uppercase() as u8 & 0x1F),
        ' ' | '2' => Some(0),
        '3' => Some(0x1B),
        '4' => Some(0x1C),
        '5' => Some(0x1D),
        '6' => Some(0x1E),
        '7' | '/' => Some(0x1F),
        '?' | '8' => Some(0x7F),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHIFT: KeyModifiers = KeyModifiers::SHIFT;
    const CTRL: KeyModifiers = KeyModifiers::CONTROL;
    const ALT: KeyModifiers = KeyModifiers::ALT;
    const NONE: KeyModifiers = KeyModifiers::NONE;

    fn encode(code: KeyCode, modifiers: KeyModifiers) -> String {
        let octets = encode_key(KeyEvent::new(code, modifiers), CursorKeyMode::Cursor);
        String::from_utf8(octets).unwrap()
    }

    #[test]
    fn keys_are_sent_as_terminals_send_them() {
        let letter = KeyCode::Char;
        for (code, modifiers, octets) in [
            (letter('a'), NONE, "a"),
            (letter('é'), NONE, "é"),
            (letter('A'), SHIFT, "A"),
            (letter(' '), NONE, " "),
            (letter(' '), CTRL, "\0"),
            (letter('c'), CTRL, "\x03"),
            (letter('h'), CTRL, "\x08"),
            (letter('5'), CTRL, "\x1d"),
            (letter('x'), ALT, "\x1bx"),
            (letter('X'), ALT | SHIFT, "\x1bX"),
            (letter('h'), ALT | CTRL, "\x1b\x08"),
            (KeyCode::Enter, NONE, "\r"),
            (KeyCode::Enter, ALT, "\x1b\r"),
            (KeyCode::Backspace, NONE, "\x7f"),
            (KeyCode::Backspace, CTRL, "\x08"),
            (KeyCode::Backspace, ALT, "\x1b\x7f"),
            (KeyCode::BackTab, SHIFT, "\x1b[Z"),
            (KeyCode::Up, NONE, "\x1b[A"),
            (KeyCode::Up, SHIFT, "\x1b[1;2A"),
            (KeyCode::Left, ALT, "\x1b[1;3D"),
            (KeyCode::Right, CTRL, "\x1b[1;5C"),
            (KeyCode::End, CTRL | SHIFT, "\x1b[1;6F"),
            (KeyCode::PageDown, NONE, "\x1b[6~"),
            (KeyCode::Delete, CTRL | ALT, "\x1b[3;7~"),
            (KeyCode::F(1), NONE, "\x1bOP"),
            (KeyCode::F(1), SHIFT, "\x1b[1;2P"),
            (KeyCode::F(5), NONE, "\x1b[15~"),
            (KeyCode::F(10), NONE, "\x1b[21~"),
            (KeyCode::F(12), CTRL, "\x1b[24;5~"),
            (KeyCode::F(20), NONE, "\x1b[34~"),
            (KeyCode::CapsLock, NONE, ""),
        ] {
            assert_eq!(encode(code, modifiers), octets, "{code:?} {modifiers:?}");
        }
    }

    #[test]
    fn application_mode_changes_cursor_keys_without_modifiers() {
        let sent = |code, modifiers| {
            encode_key(KeyEvent::new(code, modifiers), CursorKeyMode::Application)
        };
        assert_eq!(sent(KeyCode::Up, NONE), b"\x1bOA");
        assert_eq!(sent(KeyCode::Home, NONE), b"\x1bOH");
        assert_eq!(sent(KeyCode::Up, CTRL), b"\x1b[1;5A");
    }
}
