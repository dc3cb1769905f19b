//! Sessions in panes: their keys, their octets and their size.

use crossterm::event::KeyEvent;
use geomys_page::load::{LoadId, TelnetInput};

use crate::app::action::Action;
use crate::app::tabs::page::State;
use crate::app::view::terminal::{KeyReceiver, Session};
use crate::app::{Command, Context, Effect, Focus, Page, Tabs};
use crate::keymap::{Key, KeyContext, KeyMatch, encode_key};

impl Page {
    /// Returns the session of the page, if it is one.
    pub fn session(&self) -> Option<&Session> {
        self.content.session()
    }

    pub(crate) fn session_mut(&mut self) -> Option<&mut Session> {
        self.content.session_mut()
    }
}

impl Tabs {
    /// Returns true if the keys go to the shown session.
    pub fn session_has_keys(&self, cx: &Context) -> bool {
        let page = self.page().filter(|page| page.state.is_in_session());
        let session = page.and_then(Page::session);
        cx.focus == Focus::Panes
            && session.is_some_and(|session| session.keys == KeyReceiver::Session)
    }

    /// Sends a key to the session; `None` if the session does not take the keys.
    pub(crate) fn session_key(&mut self, event: KeyEvent, cx: &mut Context) -> Option<()> {
        if !self.session_has_keys(cx) {
            return None;
        }
        let bound = cx.keymap.find(&[KeyContext::Session], &[Key::of(event)]);
        if let KeyMatch::Action(action) = bound {
            cx.command(Command::Act(action));
            return Some(());
        }
        let arrows = self.page()?.session()?.arrows();
        self.send_input(encode_key(event, arrows), cx);
        Some(())
    }

    /// Sends pasted text to the session; `None` if the session does not take the keys.
    pub(crate) fn session_paste(&mut self, text: &str, cx: &mut Context) -> Option<()> {
        if !self.session_has_keys(cx) {
            return None;
        }
        let text = text.replace("\r\n", "\r").replace('\n', "\r");
        let octets = if self.page()?.session()?.screen().bracketed_paste() {
            // With an end mark in the text, the rest of it would count as typed.
            format!("\x1b[200~{}\x1b[201~", text.replace('\x1b', ""))
        } else {
            text
        };
        self.send_input(octets.into_bytes(), cx);
        Some(())
    }

    /// Switches the keys between the shown session and the browser.
    pub(crate) fn switch_keys(&mut self, cx: &mut Context) {
        let back = cx.key_of(Action::SessionKeys);
        let Some(page) = self.page_mut() else {
            return;
        };
        let is_running = page.state.is_in_session();
        let Some(session) = page.session_mut() else {
            cx.notify("not a terminal session");
            return;
        };
        if !is_running {
            let again = cx.key_of(Action::Reload);
            cx.notify(&format!("session ended ({again} new session)"));
            return;
        }
        session.keys = match session.keys {
            KeyReceiver::Session => KeyReceiver::Browser,
            KeyReceiver::Browser => KeyReceiver::Session,
        };
        session.scroll(isize::MAX);
        if session.keys == KeyReceiver::Browser {
            cx.notify(&format!(
                "browser keys active ({back} or Enter returns to the session)"
            ));
        }
    }

    fn send_input(&mut self, octets: Vec<u8>, cx: &mut Context) {
        let Some(page) = self.page_mut() else {
            return;
        };
        let Some(session) = page.session_mut() else {
            return;
        };
        session.scroll(isize::MAX);
        let octets = session.charset.encode(octets);
        if let Some(load) = page.state.session().filter(|_| !octets.is_empty()) {
            cx.emit(Effect::SendToSession(load, TelnetInput::Keys(octets)));
        }
    }

    /// Draws octets received in a session.
    pub(crate) fn session_octets(&mut self, load: LoadId, octets: &[u8], cx: &mut Context) {
        let page = self.find_page(|page| page.state.session() == Some(load));
        let Some(session) = page.and_then(Page::session_mut) else {
            return;
        };
        let answer = session.draw(octets);
        if !answer.is_empty() {
            let answer = TelnetInput::TerminalReply(answer);
            cx.emit(Effect::SendToSession(load, answer));
        }
    }

    /// Resizes every shown session to its pane, and sends the size to the remote host.
    pub(crate) fn fit_sessions(&mut self, cx: &mut Context) {
        for (page, area) in self.pages_on_screen(&cx.layout) {
            let load = page.state.session();
            if let (Some(session), Some(load)) = (page.session_mut(), load)
                && session.fit(area.width, area.height)
            {
                let size = TelnetInput::Resize(area.width, area.height);
                cx.effects.push(Effect::SendToSession(load, size));
            }
        }
    }
}

/// Notifies the user of the end of a session, and of its reason.
pub(crate) fn session_ended(page: &Page, cx: &mut Context) {
    let again = cx.key_of(Action::Reload);
    if let State::Broken(failure) = &page.state {
        cx.report_error(&format!("{} ({again} new session)", failure.sentence));
    } else {
        let parts = page.url.base_parts();
        let host = parts.address().map_or("", |address| address.text);
        let sentence = format!("{host} ended the session ({again} new session)");
        cx.notify(&sentence);
    }
}
