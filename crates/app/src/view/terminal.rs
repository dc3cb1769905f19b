//! A terminal session in a pane: a terminal emulator, and keys that go to the remote host.
//!
//! Either the session or the browser takes the keys; one key switches between the two. While the browser takes them,
//! the keys of pages scroll the scrollback.

mod filter;
pub(crate) mod kind;

use std::borrow::Cow;
use std::fmt;
use std::num::NonZeroU16;

use geomys_wire::text::{Charset, CharsetDecoder, CharsetSetting};
use vt100::{Callbacks, Parser, Screen};

use self::filter::SessionFilter;
use crate::keymap::CursorKeyMode;

/// The number of lines of the scrollback.
const SCROLLBACK: usize = 2000;

/// The minimum number of columns of a terminal, regardless of the pane.
const NARROWEST: u16 = 2;

/// The largest number of a colour in a control sequence. Other numbers are lines and columns.
const COLOURS: u16 = 255;

/// The maximum number of octets of unsent answers to the remote host's requests.
const ANSWERS: usize = 4096;

/// The receiver of the keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeyReceiver {
    /// The keys go to the session.
    #[default]
    Session,
    /// The keys go to the browser.
    Browser,
}

/// The display of a session.
pub struct TerminalView {
    terminal: Parser<TerminalAnswers>,
    filter: SessionFilter,
    charset: SessionCharset,
    /// True if the session covers the whole screen while it has the focus.
    pub is_zoomed: bool,
    /// The receiver of the keys while the session runs.
    pub keys: KeyReceiver,
}

impl fmt::Debug for TerminalView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TerminalView")
            .field("keys", &self.keys)
            .finish_non_exhaustive()
    }
}

impl TerminalView {
    /// Creates a blank terminal of this number of columns and lines.
    pub fn new((columns, lines): (u16, u16), charset: CharsetSetting) -> Self {
        let (lines, columns) = size(columns, lines);
        let answers = TerminalAnswers::default();
        Self {
            terminal: Parser::new_with_callbacks(lines, columns, SCROLLBACK, answers),
            filter: SessionFilter::default(),
            charset: charset.into(),
            is_zoomed: false,
            keys: KeyReceiver::default(),
        }
    }

    /// Returns the screen to draw.
    pub fn screen(&self) -> &Screen {
        self.terminal.screen()
    }

    /// Draws received octets. Returns the terminal's answers to the remote host.
    pub(crate) fn draw(&mut self, octets: &[u8]) -> Vec<u8> {
        let (lines, columns) = self.screen().size();
        let most = lines.max(columns).get().max(COLOURS);
        let octets = self.filter.octets(&self.charset.decode(octets), most);
        self.terminal.process(&octets);
        std::mem::take(&mut self.terminal.callbacks_mut().octets)
    }

    /// Resizes the terminal to its pane. Returns true if the size has changed.
    fn fit(&mut self, columns: u16, lines: u16) -> bool {
        let target = size(columns, lines);
        if self.screen().size() == target {
            return false;
        }
        self.terminal.set_size(target.0, target.1);
        true
    }

    /// Scrolls the scrollback by this number of lines; negative is up.
    pub(crate) fn scroll_back(&mut self, lines: isize) {
        let at = self.screen().scrollback();
        let to = at.saturating_add_signed(lines.saturating_neg());
        self.terminal.screen_mut().set_scrollback(to);
    }

    fn arrows(&self) -> CursorKeyMode {
        if self.screen().application_cursor() {
            CursorKeyMode::Application
        } else {
            CursorKeyMode::Cursor
        }
    }
}

/// The charset of a session: UTF-8, unless the user has set another one.
#[derive(Default)]
struct SessionCharset(Option<(Charset, CharsetDecoder)>);

impl From<CharsetSetting> for SessionCharset {
    fn from(setting: CharsetSetting) -> Self {
        Self(match setting {
            CharsetSetting::Detected => None,
            CharsetSetting::Set(charset) => Some((charset, charset.decoder())),
        })
    }
}

impl SessionCharset {
    /// Decodes received octets to UTF-8. Without a charset they are returned unchanged.
    fn decode<'a>(&mut self, octets: &'a [u8]) -> Cow<'a, [u8]> {
        match &mut self.0 {
            None => Cow::Borrowed(octets),
            Some((_, decoder)) => Cow::Owned(decoder.decode(octets).into_bytes()),
        }
    }

    /// Encodes the octets of keys, which are UTF-8.
    fn encode(&self, keys: Vec<u8>) -> Vec<u8> {
        match &self.0 {
            None => keys,
            Some((charset, _)) => charset.encode(&String::from_utf8_lossy(&keys)),
        }
    }
}

/// Returns the lines and columns of a terminal for a pane of this size.
fn size(columns: u16, lines: u16) -> (NonZeroU16, NonZeroU16) {
    let at_least =
        |number: u16, least: u16| NonZeroU16::new(number.max(least)).unwrap_or(NonZeroU16::MIN);
    (at_least(lines, 1), at_least(columns, NARROWEST))
}

/// The answers to requests of the remote host to the terminal (ECMA-48: DA and DSR). A session has no access to the
/// title, the clipboard, the bell and the size of the user's terminal.
#[derive(Debug, Default)]
struct TerminalAnswers {
    octets: Vec<u8>,
}

impl Callbacks for TerminalAnswers {
    fn unhandled_csi(
        &mut self,
        screen: &mut Screen,
        first: Option<u8>,
        second: Option<u8>,
        parameters: &[&[u16]],
        letter: char,
    ) {
        let parameter = parameters.first().and_then(|values| values.first());
        let answer = match (first, second, letter, parameter.copied().unwrap_or(0)) {
            // A VT100 with the advanced video option.
            (None, None, 'c', 0) => "\x1b[?1;2c".to_owned(),
            (None, None, 'n', 5) => "\x1b[0n".to_owned(),
            (None, None, 'n', 6) => {
                let (row, column) = screen.cursor_position();
                format!(
                    "\x1b[{};{}R",
                    row.saturating_add(1),
                    column.saturating_add(1)
                )
            }
            _ => return,
        };
        if self.octets.len() + answer.len() <= ANSWERS {
            self.octets.extend_from_slice(answer.as_bytes());
        }
    }
}
