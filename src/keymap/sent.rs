//! What a terminal sends for a key (ECMA-48, and xterm's control sequences): for a session that has the keys.

use crossterm::event::KeyCode;

use super::Key;

/// What the other end has asked the arrows to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrows {
    /// As those of a cursor: `ESC [ A`.
    Cursor,
    /// As keys of an application: `ESC O A`.
    Application,
}

impl Key {
    /// The octets of this key; nothing for one that terminals do not have.
    pub fn sent(self, arrows: Arrows) -> Vec<u8> {
        let mut octets = Vec::new();
        if self.alt {
            octets.push(0x1B);
        }
        match self.code {
            KeyCode::Char(letter) if self.ctrl => match control(letter) {
                Some(octet) => octets.push(octet),
                None => return Vec::new(),
            },
            KeyCode::Char(letter) => {
                octets.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
            }
            KeyCode::Enter => octets.push(b'\r'),
            KeyCode::Tab => octets.push(b'\t'),
            KeyCode::Esc => octets.push(0x1B),
            KeyCode::Backspace => octets.push(0x7F),
            KeyCode::Null => octets.push(0),
            code => match (named(code), arrows) {
                (Some(Named::Arrow(letter)), Arrows::Cursor) => {
                    octets.extend([0x1B, b'[', letter]);
                }
                (Some(Named::Arrow(letter)), Arrows::Application) => {
                    octets.extend([0x1B, b'O', letter]);
                }
                (Some(Named::Sequence(sequence)), _) => {
                    octets.push(0x1B);
                    octets.extend_from_slice(sequence.as_bytes());
                }
                (None, _) => return Vec::new(),
            },
        }
        octets
    }
}

enum Named {
    Arrow(u8),
    /// What follows the ESC.
    Sequence(&'static str),
}

fn named(code: KeyCode) -> Option<Named> {
    Some(match code {
        KeyCode::Up => Named::Arrow(b'A'),
        KeyCode::Down => Named::Arrow(b'B'),
        KeyCode::Right => Named::Arrow(b'C'),
        KeyCode::Left => Named::Arrow(b'D'),
        KeyCode::Home => Named::Arrow(b'H'),
        KeyCode::End => Named::Arrow(b'F'),
        KeyCode::BackTab => Named::Sequence("[Z"),
        KeyCode::Insert => Named::Sequence("[2~"),
        KeyCode::Delete => Named::Sequence("[3~"),
        KeyCode::PageUp => Named::Sequence("[5~"),
        KeyCode::PageDown => Named::Sequence("[6~"),
        KeyCode::F(1) => Named::Sequence("OP"),
        KeyCode::F(2) => Named::Sequence("OQ"),
        KeyCode::F(3) => Named::Sequence("OR"),
        KeyCode::F(4) => Named::Sequence("OS"),
        KeyCode::F(5) => Named::Sequence("[15~"),
        KeyCode::F(6) => Named::Sequence("[17~"),
        KeyCode::F(7) => Named::Sequence("[18~"),
        KeyCode::F(8) => Named::Sequence("[19~"),
        KeyCode::F(9) => Named::Sequence("[20~"),
        KeyCode::F(10) => Named::Sequence("[21~"),
        KeyCode::F(11) => Named::Sequence("[23~"),
        KeyCode::F(12) => Named::Sequence("[24~"),
        _ => return None,
    })
}

/// The control that a letter is with Ctrl held.
fn control(letter: char) -> Option<u8> {
    match letter {
        'a'..='z' | '@' | '['..='_' => Some(letter.to_ascii_uppercase() as u8 & 0x1F),
        ' ' | '2' => Some(0),
        '4' => Some(0x1C),
        '6' => Some(0x1E),
        '7' | '/' => Some(0x1F),
        '?' | '8' => Some(0x7F),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_sent_as_terminals_send_them() {
        let sent = |written: &str, arrows| Key::parse(written).unwrap().sent(arrows);
        for (key, octets) in [
            ("a", "a"),
            ("é", "é"),
            ("Space", " "),
            ("Enter", "\r"),
            ("Ctrl-C", "\x03"),
            ("Ctrl-]", "\x1d"),
            ("Backspace", "\x7f"),
            ("Alt-x", "\x1bx"),
            ("Up", "\x1b[A"),
            ("PgDn", "\x1b[6~"),
            ("F1", "\x1bOP"),
            ("Shift-Tab", "\x1b[Z"),
        ] {
            assert_eq!(sent(key, Arrows::Cursor), octets.as_bytes(), "{key}");
        }
        assert_eq!(sent("Up", Arrows::Application), b"\x1bOA");
    }
}
