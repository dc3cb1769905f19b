//! A terminal session in a pane: a terminal that is drawn into, and keys that go to whoever is at the other end.
//!
//! Either the session has the keys, or the browser has; one key goes from one to the other. While the browser has them, the
//! keys of pages walk what has scrolled away.

mod tame;

use std::fmt;
use std::num::NonZeroU16;

use vt100::{Callbacks, Parser, Screen};

use self::tame::Tame;
use super::action::Action;
use super::page::{Content, Page, State};
use super::{App, Effect, Focus};
use crate::keymap::{Arrows, Context, Key, Meaning};
use crate::load::{LoadId, Typed};
use crate::url::Url;

/// Lines that are kept when they have scrolled away.
const SCROLLBACK: usize = 2000;

/// Columns that a terminal has at the least, whatever the pane's.
const NARROWEST: u16 = 2;

/// Numbers that control sequences have beside those of lines and columns: of colours.
const COLOURS: u16 = 255;

/// Octets of answers to the other end's questions that wait to be sent.
const ANSWERS: usize = 4096;

/// Who has the keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keys {
    /// The session.
    #[default]
    Session,
    /// The browser.
    Browser,
}

/// A session, as far as it is seen.
pub struct Session {
    terminal: Parser<Answers>,
    tame: Tame,
    /// Who has the keys, while it lasts.
    pub keys: Keys,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("keys", &self.keys)
            .finish_non_exhaustive()
    }
}

impl Session {
    /// A blank terminal of `columns` by `lines`.
    pub fn new(columns: u16, lines: u16) -> Self {
        let (lines, columns) = size(columns, lines);
        let answers = Answers::default();
        Self {
            terminal: Parser::new_with_callbacks(lines, columns, SCROLLBACK, answers),
            tame: Tame::default(),
            keys: Keys::default(),
        }
    }

    /// What is to be seen.
    pub fn screen(&self) -> &Screen {
        self.terminal.screen()
    }

    /// Draws what came; gives what the terminal has to answer.
    fn draw(&mut self, octets: &[u8]) -> Vec<u8> {
        let (lines, columns) = self.screen().size();
        let most = lines.max(columns).get().max(COLOURS);
        let octets = self.tame.octets(octets, most);
        self.terminal.process(&octets);
        std::mem::take(&mut self.terminal.callbacks_mut().octets)
    }

    /// Gives the terminal the size of its pane; whether that is another one.
    fn fit(&mut self, columns: u16, lines: u16) -> bool {
        let wanted = size(columns, lines);
        if self.screen().size() == wanted {
            return false;
        }
        self.terminal.set_size(wanted.0, wanted.1);
        true
    }

    /// Looks this many lines further down, or up where it is negative, in what has scrolled away.
    pub(super) fn scroll(&mut self, lines: isize) {
        let at = self.screen().scrollback();
        let to = at.saturating_add_signed(lines.saturating_neg());
        self.terminal.screen_mut().set_scrollback(to);
    }

    fn arrows(&self) -> Arrows {
        if self.screen().application_cursor() {
            Arrows::Application
        } else {
            Arrows::Cursor
        }
    }
}

/// Lines and columns, as the terminal has them.
fn size(columns: u16, lines: u16) -> (NonZeroU16, NonZeroU16) {
    let at_least =
        |number: u16, least: u16| NonZeroU16::new(number.max(least)).unwrap_or(NonZeroU16::MIN);
    (at_least(lines, 1), at_least(columns, NARROWEST))
}

/// What the other end has asked the terminal, answered (ECMA-48: DA and DSR). Titles, the clipboard, the bell and other sizes
/// are nothing that a session may have of this terminal.
#[derive(Debug, Default)]
struct Answers {
    octets: Vec<u8>,
}

impl Callbacks for Answers {
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

impl Page {
    /// Its session, when it is one.
    pub fn session(&self) -> Option<&Session> {
        match &self.content {
            Content::Session(session) => Some(session),
            Content::Document(_) | Content::Failure(_) | Content::Form(_) | Content::Forgotten => {
                None
            }
        }
    }

    pub(super) fn session_mut(&mut self) -> Option<&mut Session> {
        match &mut self.content {
            Content::Session(session) => Some(session),
            Content::Document(_) | Content::Failure(_) | Content::Form(_) | Content::Forgotten => {
                None
            }
        }
    }

    /// The load of its session, while that lasts.
    fn held(&self) -> Option<LoadId> {
        match self.state {
            State::Held(load) => Some(load),
            State::Arriving(_)
            | State::Whole
            | State::Stopped
            | State::Left
            | State::Cut(_)
            | State::Broken(_) => None,
        }
    }
}

impl App {
    /// Whether the keys go to the session that is shown.
    pub fn session_has_keys(&self) -> bool {
        self.focus == Focus::Panes
            && self.page().is_some_and(|page| {
                page.held().is_some()
                    && page
                        .session()
                        .is_some_and(|session| session.keys == Keys::Session)
            })
    }

    /// A key while the session has them; nothing when it has not.
    pub(super) fn session_key(&mut self, key: Key) -> Option<Vec<Effect>> {
        if !self.session_has_keys() {
            return None;
        }
        if let Meaning::Action(action) = self.keymap.meaning(&[Context::Session], &[key]) {
            return Some(self.act(action));
        }
        let arrows = self.page()?.session()?.arrows();
        Some(self.say(key.sent(arrows)))
    }

    /// Text that is pasted while the session has the keys; nothing when it has not.
    pub(super) fn session_paste(&mut self, text: &str) -> Option<Vec<Effect>> {
        if !self.session_has_keys() {
            return None;
        }
        let text = text.replace("\r\n", "\r").replace('\n', "\r");
        let octets = if self.page()?.session()?.screen().bracketed_paste() {
            // The end mark within the text would let what follows it be typed.
            format!("\x1b[200~{}\x1b[201~", text.replace('\x1b', ""))
        } else {
            text
        };
        Some(self.say(octets.into_bytes()))
    }

    /// Gives the keys to the session that is shown, or takes them from it.
    pub(super) fn switch_keys(&mut self) -> Vec<Effect> {
        let back = self.key_of(Action::SessionKeys);
        let Some(page) = self.page_mut() else {
            return Vec::new();
        };
        let is_held = page.held().is_some();
        let Some(session) = page.session_mut() else {
            self.tell("this page is no session");
            return Vec::new();
        };
        if !is_held {
            let again = self.key_of(Action::Reload);
            self.tell(&format!("the session has ended; {again} begins another"));
            return Vec::new();
        }
        session.keys = match session.keys {
            Keys::Session => Keys::Browser,
            Keys::Browser => Keys::Session,
        };
        session.scroll(isize::MAX);
        if session.keys == Keys::Browser {
            self.tell(&format!(
                "the keys are the browser's; {back} or Enter gives them to the session"
            ));
        }
        Vec::new()
    }

    fn say(&mut self, octets: Vec<u8>) -> Vec<Effect> {
        if let Some(session) = self.page_mut().and_then(Page::session_mut) {
            session.scroll(isize::MAX);
        }
        let load = self.page().and_then(Page::held);
        let Some(load) = load.filter(|_| !octets.is_empty()) else {
            return Vec::new();
        };
        vec![Effect::Say(load, Typed::Octets(octets))]
    }

    /// Draws what came in a session.
    pub(super) fn session_octets(&mut self, load: LoadId, octets: &[u8]) -> Vec<Effect> {
        let page = self.page_where(|page| page.held() == Some(load));
        let Some(session) = page.and_then(Page::session_mut) else {
            return Vec::new();
        };
        let answer = session.draw(octets);
        if answer.is_empty() {
            return Vec::new();
        }
        vec![Effect::Say(load, Typed::Answer(answer))]
    }

    /// Says that a session has ended, and how.
    pub(super) fn session_ended(&mut self, url: &Url, state: &State) -> Vec<Effect> {
        let again = self.key_of(Action::Reload);
        let parts = url.reading();
        let host = parts.address().map_or("", |address| address.text);
        match state {
            State::Broken(failure) => {
                self.complain(&format!("{}; {again} begins another", failure.sentence));
            }
            State::Arriving(_)
            | State::Held(_)
            | State::Whole
            | State::Stopped
            | State::Left
            | State::Cut(_) => {
                self.tell(&format!(
                    "{host} has ended the session; {again} begins another"
                ));
            }
        }
        Vec::new()
    }

    /// Gives every session that is shown the size of its pane, and tells the other end.
    pub(super) fn fit_sessions(&mut self) -> Vec<Effect> {
        let places = self.layout().panes;
        let Some(tab) = self.tab_mut() else {
            return Vec::new();
        };
        let mut effects = Vec::new();
        for (index, pane) in tab.panes_mut().enumerate() {
            let place = places.iter().find(|(shown, _)| *shown == index);
            let (Some((_, place)), Some(page)) = (place, pane.page_mut()) else {
                continue;
            };
            let held = page.held();
            if let (Some(session), Some(load)) = (page.session_mut(), held)
                && session.fit(place.width, place.height)
            {
                effects.push(Effect::Say(load, Typed::Window(place.width, place.height)));
            }
        }
        effects
    }
}
