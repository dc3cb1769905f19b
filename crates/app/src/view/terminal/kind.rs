//! A terminal session as a view: its keys, the commands to it, its size, and the text of its log.

use crate::Rect;
use crossterm::event::KeyEvent;
use geomys_load::{LoadId, TelnetInput};
use geomys_page::document::{Document, Shape};
use geomys_wire::protocol::telnet::TelnetCommand;
use geomys_wire::text::{Charset, CharsetSetting, Text};
use rfc1738::Url;
use vt100::capture::{
    BasicFormattedCaptureRange, BasicFormattedCaptureState, basic_formatted_to_plain,
};

use super::{KeyReceiver, TerminalView};
use crate::action::Action;
use crate::keymap::{Key, KeyContext, KeyMatch, encode_key};
use crate::motion::{Edge, Motion};
use crate::view::charset::{ask_among_charsets, remember_charset};
use crate::view::context::{Outcome, State, ViewContext};
use crate::view::kind::{KeyHint, ViewKind};
use crate::view::text_area::TextArea;
use crate::{Command, Context, Effect, Focus, Settings};

/// The octet of Ctrl-].
const ESCAPE: u8 = 0x1D;

impl TerminalView {
    /// Returns true if the keys go to the session.
    pub(crate) fn has_keys(&self, state: &State, cx: &Context) -> bool {
        state.is_in_session() && cx.focus == Focus::Panes && self.keys == KeyReceiver::Session
    }

    /// Gives the keys to the session.
    pub(crate) fn give_keys(&mut self) {
        self.keys = KeyReceiver::Session;
        self.show_cursor();
    }

    /// Returns the load of the session while it runs. If it has ended, the status line says so.
    fn running(at: &mut ViewContext<'_>) -> Option<LoadId> {
        let load = at.state.session();
        if load.is_none() {
            let again = at.cx.key_of(Action::Reload);
            at.cx
                .notify(&format!("Session ended ({again} new session)"));
        }
        load
    }

    /// Sends input to the session, which gets the keys.
    fn control(&mut self, input: TelnetInput, at: &mut ViewContext<'_>) {
        if let Some(load) = Self::running(at) {
            self.give_keys();
            at.cx.emit(Effect::SendToSession(load, input));
        }
    }

    /// Shows the session on the whole screen, or in its pane again. It gets the keys.
    fn zoom(&mut self, at: &mut ViewContext<'_>) {
        if Self::running(at).is_some() {
            self.is_zoomed = !self.is_zoomed;
            self.give_keys();
            at.cx.reveal_all();
        }
    }

    /// Switches the keys between the session and the browser.
    fn switch_keys(&mut self, at: &mut ViewContext<'_>) {
        if Self::running(at).is_none() {
            return;
        }
        self.keys = match self.keys {
            KeyReceiver::Session => KeyReceiver::Browser,
            KeyReceiver::Browser => KeyReceiver::Session,
        };
        self.show_cursor();
        if self.keys == KeyReceiver::Browser {
            let back = at.cx.key_of(Action::SessionKeys);
            at.cx
                .notify(&format!("Browser keys active ({back} session)"));
        }
    }

    fn send_input(&mut self, octets: Vec<u8>, at: &mut ViewContext<'_>) {
        self.show_cursor();
        let octets = self.charset.encode(octets);
        if let Some(load) = at.state.session().filter(|_| !octets.is_empty()) {
            at.cx
                .emit(Effect::SendToSession(load, TelnetInput::Keys(octets)));
        }
    }

    /// Draws octets received in the session, and answers the requests in them.
    pub(crate) fn receive(&mut self, load: LoadId, octets: &[u8], cx: &mut Context) {
        let before = self.charset.charset();
        let answer = self.draw(octets);
        if let Some(charset) = self
            .charset
            .charset()
            .filter(|new| Some(*new) != before && *new != Charset::utf_8())
        {
            let choose = cx.key_of(Action::Charset);
            cx.notify(&format!("Read as {} ({choose} charset)", charset.name()));
            // The size may follow the charset.
            cx.reveal_all();
        }
        if !answer.is_empty() {
            let answer = TelnetInput::TerminalReply(answer);
            cx.emit(Effect::SendToSession(load, answer));
        }
    }

    /// Resizes the session to its pane, and sends the size to the remote host.
    pub(crate) fn fit_pane(&mut self, state: &State, pane: Rect, cx: &mut Context) {
        self.pane_lines = pane.height;
        let (columns, lines) = self.size_in((pane.width, pane.height));
        if let Some(load) = state.session()
            && self.fit(columns, lines)
        {
            let size = TelnetInput::Resize(columns, lines);
            cx.emit(Effect::SendToSession(load, size));
        }
    }

    /// Returns the lines of the scrollback and of the screen, without blank lines at the end.
    fn log(&self) -> String {
        let mut formatted = String::new();
        let mut state = BasicFormattedCaptureState::new();
        let range = BasicFormattedCaptureRange::Full(&mut state);
        // Writing to a string does not fail.
        let _ = self
            .screen()
            .write_contents_formatted_basic(&mut formatted, range);
        let plain: String = basic_formatted_to_plain(&formatted).collect();
        let lines = plain.trim_end().lines();
        let lines = lines.map(|line| Text::of(line.trim_end()).to_string());
        lines.flat_map(|line| [line, "\n".to_owned()]).collect()
    }
}

impl ViewKind for TerminalView {
    fn contexts(&self) -> Vec<KeyContext> {
        vec![
            KeyContext::SessionPage,
            KeyContext::Session,
            KeyContext::Page,
        ]
    }

    fn act(&mut self, action: Action, at: &mut ViewContext<'_>) -> Outcome {
        let command = |command| TelnetInput::Command(command);
        match action {
            Action::SessionKeys => self.switch_keys(at),
            Action::ZoomSession => self.zoom(at),
            Action::SendEscape => self.control(TelnetInput::Keys(vec![ESCAPE]), at),
            Action::AreYouThere => self.control(command(TelnetCommand::AreYouThere), at),
            Action::SendBreak => self.control(command(TelnetCommand::Break), at),
            Action::Charset => {
                let question = "Charset of sessions with this host:";
                return ask_among_charsets(question).into();
            }
            _ => return Outcome::Ignored,
        }
        Outcome::Done
    }

    fn key(&mut self, event: KeyEvent, at: &mut ViewContext<'_>) -> Outcome {
        if !self.has_keys(at.state, at.cx) {
            return Outcome::Ignored;
        }
        let bound = at.cx.keymap.find(&[KeyContext::Session], &[Key::of(event)]);
        if let KeyMatch::Action(action) = bound {
            at.cx.command(Command::Act(action));
        } else {
            self.send_input(encode_key(event, self.arrows()), at);
        }
        Outcome::Done
    }

    fn paste(&mut self, text: &str, at: &mut ViewContext<'_>) -> Outcome {
        if !self.has_keys(at.state, at.cx) {
            return Outcome::Ignored;
        }
        let text = text.replace("\r\n", "\r").replace('\n', "\r");
        let octets = if self.screen().bracketed_paste() {
            // With an end mark in the text, the rest of it would count as typed.
            format!("\x1b[200~{}\x1b[201~", text.replace('\x1b', ""))
        } else {
            text
        };
        self.send_input(octets.into_bytes(), at);
        Outcome::Done
    }

    fn set_charset(&mut self, read_as: CharsetSetting, at: &mut ViewContext<'_>) {
        self.set_session_charset(read_as);
        at.cx.reveal_all();
        remember_charset(false, read_as, at);
    }

    fn open(&mut self, at: &mut ViewContext<'_>) -> Outcome {
        self.switch_keys(at);
        Outcome::Done
    }

    fn move_by(&mut self, motion: Motion, at: &mut ViewContext<'_>) {
        self.scroll_back(match motion {
            Motion::Rows(_) | Motion::Screens(..) => motion.rows(at.area.height, 0),
            Motion::Edge(Edge::Top) => isize::MIN,
            Motion::Edge(Edge::Bottom) => isize::MAX,
        });
    }

    fn scroll(&mut self, lines: isize, _: TextArea) {
        self.scroll_back(lines);
    }

    fn hints(&self, _: &Url, state: &State, _: &Settings) -> Vec<KeyHint> {
        if state.is_in_session() {
            vec![
                (Action::SessionKeys, "back to the session"),
                (Action::ZoomSession, "zoom"),
                (Action::Save, "save log"),
            ]
        } else {
            vec![(Action::Back, "back")]
        }
    }

    fn offer(&self, url: &Url) -> Option<Document> {
        let utf8 = Charset::named("utf-8").map_or(CharsetSetting::Detected, CharsetSetting::Set);
        let mut document = Document::new(url.clone(), Shape::Text, utf8);
        document.take(self.log().into_bytes());
        Some(document)
    }
}

/// Tells the user that a session has ended, and why.
pub(crate) fn session_ended(url: &Url, state: &State, cx: &mut Context) {
    let again = cx.key_of(Action::Reload);
    if let State::Broken(failure) = state {
        cx.report_error(&format!("{} ({again} new session)", failure.sentence));
    } else {
        let parts = url.base_parts();
        let host = parts.address().map_or("", |address| address.text);
        let sentence = format!("{host} ended the session ({again} new session)");
        cx.notify(&sentence);
    }
}
