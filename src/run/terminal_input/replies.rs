//! The answers of the terminal that are used.
//!
//! - The background colour: OSC 11 (`ESC ] 11 ; ? ST`), answered by `ESC ] 11 ; rgb:RRRR/GGGG/BBBB ST` ("`XTerm` Control
//!   Sequences", "Operating System Commands").
//! - The graphics of kitty: `ESC _ G i=31,... ST`, answered by `ESC _ G i=31;OK ST` ("Terminal graphics protocol").
//! - The name of the terminal: XTVERSION (`CSI > q`), answered by `ESC P > | NAME ST` ("`XTerm` Control Sequences").

use geomys_page::document::picture::Protocol;

use super::Input;
use crate::ui::theme::colours::Background;

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
