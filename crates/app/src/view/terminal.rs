//! A terminal session in a pane: a terminal emulator, and keys that go to the remote host.
//!
//! Either the session or the browser takes the keys; one key switches between the two. While the browser takes them,
//! the keys of pages scroll the scrollback.

mod charset;
mod filter;
pub(crate) mod kind;

use std::fmt;
use std::num::NonZeroU16;

use geomys_wire::text::{Charset, CharsetSetting};
use vt100::{Callbacks, Parser, Screen};

use self::charset::{Received, SessionCharset};
use self::filter::SessionFilter;
use crate::keymap::CursorKeyMode;

/// The columns and lines of the screen of a PC.
const PC_SCREEN: (u16, u16) = (80, 25);

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
    /// The lines of the pane.
    pane_lines: u16,
    /// The lines by which a screen that is higher than the pane is scrolled from where its cursor is seen.
    shift: i64,
}

impl fmt::Debug for TerminalView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TerminalView")
            .field("keys", &self.keys)
            .finish_non_exhaustive()
    }
}

impl TerminalView {
    /// Creates a blank terminal of this number of columns and lines, for a session with a host.
    pub fn new((columns, lines): (u16, u16), charset: CharsetSetting, host: &str) -> Self {
        let (lines, columns) = size(columns, lines);
        Self {
            terminal: blank(lines, columns),
            filter: SessionFilter::default(),
            charset: SessionCharset::new(charset, host),
            is_zoomed: false,
            keys: KeyReceiver::default(),
            pane_lines: lines.get(),
            shift: 0,
        }
    }

    /// Returns the screen to draw.
    pub fn screen(&self) -> &Screen {
        self.terminal.screen()
    }

    /// Draws received octets. Returns the terminal's answers to the remote host.
    pub(crate) fn draw(&mut self, octets: &[u8]) -> Vec<u8> {
        match self.charset.receive(octets) {
            Received::Text(text) => self.draw_text(&text),
            Received::Again(before, text) => {
                self.draw_again(&before);
                self.draw_text(&text)
            }
        }
    }

    fn draw_text(&mut self, text: &[u8]) -> Vec<u8> {
        let (lines, columns) = self.screen().size();
        let most = lines.max(columns).get().max(COLOURS);
        let filtered = self.filter.octets(text, most);
        self.terminal.process(&filtered);
        std::mem::take(&mut self.terminal.callbacks_mut().octets)
    }

    /// Draws a text on a new screen. The requests in it were answered.
    fn draw_again(&mut self, text: &[u8]) {
        let (lines, columns) = self.screen().size();
        self.terminal = blank(lines, columns);
        self.filter = SessionFilter::default();
        self.draw_text(text);
    }

    /// Changes the charset, and draws what is known of the session again.
    fn set_session_charset(&mut self, setting: CharsetSetting) {
        if let Some(text) = self.charset.set(setting) {
            self.draw_again(&text);
        }
    }

    /// The size of a session in a pane: a bulletin board draws for the screen of a PC.
    fn size_in(&self, pane: (u16, u16)) -> (u16, u16) {
        if self.charset.charset() == Some(Charset::CP437) && !self.is_zoomed {
            PC_SCREEN
        } else {
            pane
        }
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

    /// The lines of the screen that a pane of this height leaves out.
    fn left_out(&self, pane_lines: u16) -> u16 {
        self.screen().size().0.get().saturating_sub(pane_lines)
    }

    /// The first line in a pane of this height that shows the cursor.
    fn line_of_cursor(&self, pane_lines: u16) -> u16 {
        let below = self.screen().cursor_position().0 + 1;
        let first = below.saturating_sub(pane_lines);
        first.min(self.left_out(pane_lines))
    }

    /// Returns the first line of the screen that a pane of this height shows: that of the cursor is seen, unless the
    /// user has scrolled.
    pub fn first_line(&self, pane_lines: u16) -> u16 {
        let first = i64::from(self.line_of_cursor(pane_lines)).saturating_add(self.shift);
        let last = self.left_out(pane_lines);
        u16::try_from(first.max(0)).unwrap_or(last).min(last)
    }

    /// Shows the line of the cursor.
    fn show_cursor(&mut self) {
        self.shift = 0;
        self.terminal.screen_mut().set_scrollback(0);
    }

    /// Scrolls the screen, and the scrollback above it, by this number of lines; negative is up.
    pub(crate) fn scroll_back(&mut self, lines: isize) {
        let back = i64::try_from(self.screen().scrollback()).unwrap_or(i64::MAX);
        let first = i64::from(self.first_line(self.pane_lines));
        let last = i64::from(self.left_out(self.pane_lines));
        let lines = i64::try_from(lines).unwrap_or_default();
        let target = (first - back).saturating_add(lines).min(last);
        self.shift = target.max(0) - i64::from(self.line_of_cursor(self.pane_lines));
        let back = usize::try_from(target.saturating_neg()).unwrap_or(0);
        self.terminal.screen_mut().set_scrollback(back);
    }

    fn arrows(&self) -> CursorKeyMode {
        if self.screen().application_cursor() {
            CursorKeyMode::Application
        } else {
            CursorKeyMode::Cursor
        }
    }
}

/// Returns a blank screen.
fn blank(lines: NonZeroU16, columns: NonZeroU16) -> Parser<TerminalAnswers> {
    Parser::new_with_callbacks(lines, columns, SCROLLBACK, TerminalAnswers::default())
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
