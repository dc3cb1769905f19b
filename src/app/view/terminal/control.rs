//! Commands for the shown session: zoom, AYT, break, the key that takes the keys, and the text of its log.

use geomys_page::document::{Document, Shape};
use geomys_page::load::TelnetInput;
use geomys_wire::text::{Charset, CharsetSetting, Text};
use ratatui::layout::Rect;
use vt100::capture::{
    BasicFormattedCaptureRange, BasicFormattedCaptureState, basic_formatted_to_plain,
};

use super::{KeyReceiver, Session};
use crate::app::action::Action;
use crate::app::{Context, Effect, Focus, Layout, Page, Tabs};

/// The octet of Ctrl-].
const ESCAPE: u8 = 0x1D;

impl Layout {
    /// Computes the layout of a session on the whole screen. The status line covers its last line while the user needs it.
    fn zoomed((width, height): (u16, u16), pane: usize, has_status: bool) -> Self {
        let lines = u16::from(has_status).min(height);
        Self {
            tabs: None,
            address: Rect::new(0, 0, width, 0),
            bookmarks: None,
            is_drawer: false,
            panes: vec![(pane, Rect::new(0, 0, width, height))],
            has_titles: false,
            is_stacked: false,
            status: Rect::new(0, height - lines, width, lines),
        }
    }
}

impl Tabs {
    /// Returns the layout of a screen of `size` while the shown session covers it; `has_overlay` is true while an element is
    /// shown above the page.
    pub(crate) fn zoomed_layout(
        &self,
        size: (u16, u16),
        has_overlay: bool,
        cx: &Context,
    ) -> Option<Layout> {
        let page = self.page().filter(|page| page.state.is_in_session())?;
        if cx.focus != Focus::Panes || !page.session()?.is_zoomed {
            return None;
        }
        let has_status = !self.session_has_keys(cx) || has_overlay || cx.notice.is_some();
        Some(Layout::zoomed(size, self.tab()?.focus(), has_status))
    }

    /// Shows the session on the whole screen, or in its pane again. The session gets the keys.
    pub(crate) fn zoom_session(&mut self, cx: &mut Context) {
        if let Some(session) = self.running_session(cx) {
            session.is_zoomed = !session.is_zoomed;
            self.give_keys();
            cx.reveal_all();
        }
    }

    /// Sends Ctrl-], which does not reach the session as a key.
    pub(crate) fn send_escape(&mut self, cx: &mut Context) {
        self.control_session(TelnetInput::Keys(vec![ESCAPE]), cx);
    }

    /// Sends input to the session, which gets the keys.
    pub(crate) fn control_session(&mut self, input: TelnetInput, cx: &mut Context) {
        if self.running_session(cx).is_none() {
            return;
        }
        self.give_keys();
        if let Some(load) = self.page().and_then(|page| page.state.session()) {
            cx.emit(Effect::SendToSession(load, input));
        }
    }

    /// Gives the keys to the shown session.
    pub(crate) fn give_keys(&mut self) {
        if let Some(session) = self.page_mut().and_then(Page::session_mut) {
            session.keys = KeyReceiver::Session;
            session.scroll(isize::MAX);
        }
    }

    /// Returns the shown session while it runs. If there is none, the status line shows the reason.
    fn running_session(&mut self, cx: &mut Context) -> Option<&mut Session> {
        let page = self.page();
        if page.is_none_or(|page| page.session().is_none()) {
            cx.notify("not a terminal session");
            return None;
        }
        if page.is_some_and(|page| page.state.session().is_none()) {
            let again = cx.key_of(Action::Reload);
            cx.notify(&format!("session ended ({again} new session)"));
            return None;
        }
        self.page_mut().and_then(Page::session_mut)
    }
}

impl Page {
    /// Returns what is written to a file when the page is saved: the document, or the log of a session.
    pub(crate) fn saved_document(&self) -> Option<Document> {
        let Some(session) = self.session() else {
            return self.document().cloned();
        };
        let utf8 = Charset::named("utf-8").map_or(CharsetSetting::Detected, CharsetSetting::Set);
        let mut document = Document::new(self.url.clone(), Shape::Text, utf8);
        document.take(session.log().into_bytes());
        Some(document)
    }
}

impl Session {
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
