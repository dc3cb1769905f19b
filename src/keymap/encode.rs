//! The octets that a terminal sends for a key (ECMA-48, and xterm's control sequences), for a session that has the
//! focus.

use crossterm::event::KeyCode;

use super::Key;

/// The mode of the cursor keys, which the other end sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CursorKeyMode {
    /// Cursor mode: `ESC [ A`.
    Cursor,
    /// Application mode: `ESC O A`.
    Application,
}

impl Key {
    /// The octets of this key; empty for a key that terminals do not have.
    pub fn encode(self, arrows: CursorKeyMode) -> Vec<u8> {
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
            code => match (special_key(code), arrows) {
                (Some(KeyEncoding::Arrow(letter)), CursorKeyMode::Cursor) => {
                    octets.extend([0x1B, b'[', letter]);
                }
                (Some(KeyEncoding::Arrow(letter)), CursorKeyMode::Application) => {
                    octets.extend([0x1B, b'O', letter]);
                }
                (Some(KeyEncoding::Sequence(sequence)), _) => {
                    octets.push(0x1B);
                    octets.extend_from_slice(sequence.as_bytes());
                }
                (None, _) => return Vec::new(),
            },
        }
        octets
    }
}

enum KeyEncoding {
    Arrow(u8),
    /// The text after the ESC.
    Sequence(&'static str),
}

fn special_key(code: KeyCode) -> Option<KeyEncoding> {
    Some(match code {
        KeyCode::Up => KeyEncoding::Arrow(b'A'),
        KeyCode::Down => KeyEncoding::Arrow(b'B'),
        KeyCode::Right => KeyEncoding::Arrow(b'C'),
        KeyCode::Left => KeyEncoding::Arrow(b'D'),
        KeyCode::Home => KeyEncoding::Arrow(b'H'),
        KeyCode::End => KeyEncoding::Arrow(b'F'),
        KeyCode::BackTab => KeyEncoding::Sequence("[Z"),
        KeyCode::Insert => KeyEncoding::Sequence("[2~"),
        KeyCode::Delete => KeyEncoding::Sequence("[3~"),
        KeyCode::PageUp => KeyEncoding::Sequence("[5~"),
        KeyCode::PageDown => KeyEncoding::Sequence("[6~"),
        KeyCode::F(1) => KeyEncoding::Sequence("OP"),
        KeyCode::F(2) => KeyEncoding::Sequence("OQ"),
        KeyCode::F(3) => KeyEncoding::Sequence("OR"),
        KeyCode::F(4) => KeyEncoding::Sequence("OS"),
        KeyCode::F(5) => KeyEncoding::Sequence("[15~"),
        KeyCode::F(6) => KeyEncoding::Sequence("[17~"),
        KeyCode::F(7) => KeyEncoding::Sequence("[18~"),
        KeyCode::F(8) => KeyEncoding::Sequence("[19~"),
        KeyCode::F(9) => KeyEncoding::Sequence("[20~"),
        KeyCode::F(10) => KeyEncoding::Sequence("[21~"),
        KeyCode::F(11) => KeyEncoding::Sequence("[23~"),
        KeyCode::F(12) => KeyEncoding::Sequence("[24~"),
        _ => return None,
    })
}

/// The control character of a letter with Ctrl.
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
        let sent = |written: &str, arrows| Key::parse(written).unwrap().encode(arrows);
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
            assert_eq!(sent(key, CursorKeyMode::Cursor), octets.as_bytes(), "{key}");
        }
        assert_eq!(sent("Up", CursorKeyMode::Application), b"\x1bOA");
    }
}
