//! The keys that characters and sequences mean ("`XTerm` Control Sequences", "PC-Style Function Keys"; the terminfo
//! entries of xterm, linux, rxvt, screen and tmux).
//!
//! A sequence that is the answer to a question is no key, even where it looks like one: `CSI 1 ; 5 R` is a cursor
//! position, and not Ctrl-F3.

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

/// Returns the key of a character.
pub(super) fn letter(letter: char, has_alt: bool) -> Event {
    let (code, modifiers) = plain(letter);
    press(code, modifiers | alt(has_alt))
}

fn plain(letter: char) -> (KeyCode, KeyModifiers) {
    // A control character, and the distance to the character that makes it with Ctrl.
    let control = |distance| {
        let letter = char::from_u32(u32::from(letter) + distance);
        (
            letter.map_or(KeyCode::Null, KeyCode::Char),
            KeyModifiers::CONTROL,
        )
    };
    match letter {
        '\r' => (KeyCode::Enter, KeyModifiers::NONE),
        '\t' => (KeyCode::Tab, KeyModifiers::NONE),
        '\u{1b}' => (KeyCode::Esc, KeyModifiers::NONE),
        '\u{7f}' => (KeyCode::Backspace, KeyModifiers::NONE),
        '\0' => control(0x20),
        '\u{1}'..='\u{1a}' => control(0x60),
        // Ctrl-4 to Ctrl-7.
        '\u{1c}'..='\u{1f}' => control(0x18),
        _ if letter.is_uppercase() => (KeyCode::Char(letter), KeyModifiers::SHIFT),
        _ => (KeyCode::Char(letter), KeyModifiers::NONE),
    }
}

/// Returns the key of a control sequence; `None` if it is none.
pub(super) fn csi(body: &str, last: char, has_alt: bool) -> Option<Event> {
    match (body, last) {
        ("", 'I') => return Some(Event::FocusGained),
        ("", 'O') => return Some(Event::FocusLost),
        // The answer to the question for the cursor's position.
        (_, 'R') => return None,
        _ => {}
    }
    let mut parameters = Parameters::parse(body)?;
    let (code, held) = match last {
        '~' if parameters.first == 27 => other_key(body)?,
        '~' => (numbered(parameters.first)?, KeyModifiers::NONE),
        // rxvt writes the modifiers as the last character.
        '$' => (numbered(parameters.first)?, KeyModifiers::SHIFT),
        '^' => (numbered(parameters.first)?, KeyModifiers::CONTROL),
        '@' => (numbered(parameters.first)?, CTRL_SHIFT),
        'u' => (unicode(body, &mut parameters)?, KeyModifiers::NONE),
        'Z' if parameters.first <= 1 => (KeyCode::BackTab, KeyModifiers::SHIFT),
        'a'..='d' if body.is_empty() => (cursor(last.to_ascii_uppercase())?, KeyModifiers::SHIFT),
        _ if parameters.first <= 1 => (cursor(last)?, KeyModifiers::NONE),
        // Some terminals leave out the 1 before the modifiers.
        _ if parameters.first <= 16 && !body.contains(';') => {
            (cursor(last)?, modifiers(parameters.first))
        }
        _ => return None,
    };
    let held = held | parameters.modifiers | alt(has_alt);
    Some(Event::Key(KeyEvent::new_with_kind(
        code,
        held,
        parameters.kind,
    )))
}

/// Returns the key of a character of G3; `None` if it is none.
pub(super) fn ss3(body: &str, last: char, has_alt: bool) -> Option<Event> {
    // Some terminals write the modifiers alone, others after 1.
    let modifiers = match body.rsplit(';').next() {
        Some("") | None => KeyModifiers::NONE,
        Some(number) => modifiers(number.parse().ok()?),
    };
    let (code, held) = match last {
        'a'..='d' => (cursor(last.to_ascii_uppercase())?, KeyModifiers::CONTROL),
        'M' => (KeyCode::Enter, KeyModifiers::NONE),
        'I' => (KeyCode::Tab, KeyModifiers::NONE),
        'X' => (KeyCode::Char('='), KeyModifiers::NONE),
        // The keypad in application mode.
        'j'..='y' => {
            let letter = char::from_u32(u32::from(last) - 0x40)?;
            (KeyCode::Char(letter), KeyModifiers::NONE)
        }
        _ => (cursor(last)?, KeyModifiers::NONE),
    };
    Some(press(code, held | modifiers | alt(has_alt)))
}

/// Returns the function key of the Linux console, F1 to F5; `None` if it is none.
pub(super) fn console(letter: char) -> Option<Event> {
    let number = "ABCDE".find(letter)? + 1;
    Some(press(
        KeyCode::F(u8::try_from(number).ok()?),
        KeyModifiers::NONE,
    ))
}

/// Ctrl and Shift.
const CTRL_SHIFT: KeyModifiers = KeyModifiers::CONTROL.union(KeyModifiers::SHIFT);

/// The numbers of a control sequence: `first ; modifiers : kind`, each of which may be absent.
#[derive(Clone, Copy)]
struct Parameters {
    /// The first number; 0 if it is absent.
    first: u32,
    modifiers: KeyModifiers,
    kind: KeyEventKind,
}

impl Parameters {
    /// Parses the parameters; `None` for a private sequence and one with intermediates, which no key sends.
    fn parse(body: &str) -> Option<Self> {
        let numbers = body.strip_suffix('$').unwrap_or(body);
        if !numbers
            .chars()
            .all(|c| c.is_ascii_digit() || c == ';' || c == ':')
        {
            return None;
        }
        let mut parts = numbers.split(';');
        let mut held = parts.nth(1).unwrap_or_default().split(':');
        let kind = match number(held.clone().nth(1)) {
            2 => KeyEventKind::Repeat,
            3 => KeyEventKind::Release,
            _ => KeyEventKind::Press,
        };
        Some(Self {
            first: number(numbers.split([';', ':']).next()),
            modifiers: modifiers(number(held.next())),
            kind,
        })
    }
}

/// Returns a number; 0 if it is absent.
fn number(written: Option<&str>) -> u32 {
    written.and_then(|digits| digits.parse().ok()).unwrap_or(0)
}

/// Returns the modifiers of a number: one more than the sum of their bits.
fn modifiers(number: u32) -> KeyModifiers {
    let bits = number.saturating_sub(1);
    let all = [
        KeyModifiers::SHIFT,
        KeyModifiers::ALT,
        KeyModifiers::CONTROL,
        KeyModifiers::SUPER,
        KeyModifiers::HYPER,
        KeyModifiers::META,
    ];
    let held = all.into_iter().enumerate();
    held.filter(|(bit, _)| (bits >> bit) & 1 == 1)
        .fold(KeyModifiers::NONE, |held, (_, modifier)| held | modifier)
}

fn alt(has_alt: bool) -> KeyModifiers {
    if has_alt {
        KeyModifiers::ALT
    } else {
        KeyModifiers::NONE
    }
}

/// Returns the key of the last character of a sequence: the cursor keys, F1 to F4.
fn cursor(last: char) -> Option<KeyCode> {
    match last {
        'A' => Some(KeyCode::Up),
        'B' => Some(KeyCode::Down),
        'C' => Some(KeyCode::Right),
        'D' => Some(KeyCode::Left),
        'F' => Some(KeyCode::End),
        'H' => Some(KeyCode::Home),
        'P' => Some(KeyCode::F(1)),
        'Q' => Some(KeyCode::F(2)),
        'R' => Some(KeyCode::F(3)),
        'S' => Some(KeyCode::F(4)),
        _ => None,
    }
}

/// Returns the key of the number before `~`.
fn numbered(number: u32) -> Option<KeyCode> {
    let number = u8::try_from(number).ok()?;
    match number {
        1 | 7 => Some(KeyCode::Home),
        2 => Some(KeyCode::Insert),
        3 => Some(KeyCode::Delete),
        4 | 8 => Some(KeyCode::End),
        5 => Some(KeyCode::PageUp),
        6 => Some(KeyCode::PageDown),
        11..=15 => Some(KeyCode::F(number - 10)),
        17..=21 => Some(KeyCode::F(number - 11)),
        23..=26 => Some(KeyCode::F(number - 12)),
        28..=29 => Some(KeyCode::F(number - 15)),
        31..=34 => Some(KeyCode::F(number - 17)),
        _ => None,
    }
}

/// Returns the key of `CSI code : shifted ; modifiers u` ("Comprehensive keyboard handling in terminals").
fn unicode(body: &str, parameters: &mut Parameters) -> Option<KeyCode> {
    match parameters.first {
        number @ 57_376..=57_398 => Some(KeyCode::F(u8::try_from(number - 57_363).ok()?)),
        number @ 57_399..=57_426 => keypad(number),
        number => {
            let is_shifted = parameters.modifiers.contains(KeyModifiers::SHIFT);
            let mut codes = body.split(';').next().unwrap_or_default().split(':');
            // The character with Shift on the user's keyboard.
            let shifted = codes.nth(1).and_then(|digits| digits.parse().ok());
            if let Some(code) = shifted.filter(|_| is_shifted) {
                parameters.modifiers.remove(KeyModifiers::SHIFT);
                return of_character(char::from_u32(code)?, false);
            }
            of_character(char::from_u32(number)?, is_shifted)
        }
    }
}

/// Returns the key of `CSI 27 ; modifiers ; code ~` (`modifyOtherKeys` of xterm).
fn other_key(body: &str) -> Option<(KeyCode, KeyModifiers)> {
    let mut parts = body.split(';').skip(1);
    let is_shifted = modifiers(number(parts.next())).contains(KeyModifiers::SHIFT);
    let letter = char::from_u32(number(parts.next()))?;
    Some((of_character(letter, is_shifted)?, KeyModifiers::NONE))
}

/// Returns the key of a character whose modifiers are written beside it.
fn of_character(letter: char, is_shifted: bool) -> Option<KeyCode> {
    match letter {
        '\u{1b}' => Some(KeyCode::Esc),
        '\r' => Some(KeyCode::Enter),
        '\t' if is_shifted => Some(KeyCode::BackTab),
        '\t' => Some(KeyCode::Tab),
        '\u{7f}' => Some(KeyCode::Backspace),
        // The private characters are keys that have no use here.
        '\u{e000}'..='\u{f8ff}' => None,
        _ if letter.is_control() => None,
        _ => Some(KeyCode::Char(letter)),
    }
}

/// Returns the key of the keypad with this number.
fn keypad(number: u32) -> Option<KeyCode> {
    let letters = "0123456789./*-+\r=,";
    let keys = [
        KeyCode::Left,
        KeyCode::Right,
        KeyCode::Up,
        KeyCode::Down,
        KeyCode::PageUp,
        KeyCode::PageDown,
        KeyCode::Home,
        KeyCode::End,
        KeyCode::Insert,
        KeyCode::Delete,
    ];
    let index = usize::try_from(number.checked_sub(57_399)?).ok()?;
    match letters.chars().nth(index) {
        Some(letter) => Some(plain(letter).0),
        None => keys.get(index.checked_sub(letters.len())?).copied(),
    }
}

fn press(code: KeyCode, modifiers: KeyModifiers) -> Event {
    Event::Key(KeyEvent::new(code, modifiers))
}
