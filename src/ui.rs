//! The user interface: draws `&App` into a frame, and nothing else.

mod bookmark;
mod bookmarks;
mod drafts;
mod form;
mod overlay;
mod page;
mod question;
mod rows;
mod screen;
mod session;
mod status;
pub mod theme;
mod transfers;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

use crate::app::{App, Focus, Layout, Overlay, Page};
use crate::net::Security;
use crate::text::{self, Text};
use crate::url::{ExtensionScheme, Parts, Scheme, Url};

use screen::Screen;
pub use status::STOP_HINT;
pub use theme::Theme;
use theme::{Glyph, Role};

/// The screen width below which the address has a line of its own, in columns.
const NARROW: usize = 40;

/// Draws the whole screen. Returns the position of the terminal's cursor, if there is an input.
pub fn draw(app: &App, theme: &Theme, frame: &mut Frame<'_>) {
    let area = frame.area();
    let layout = app.layout();
    let screen = Screen { app, theme, area };
    let buffer = frame.buffer_mut();
    if let Some(area) = layout.tabs {
        screen.tabs(area, buffer);
    }
    screen.address(layout.address, buffer);
    if let Some(area) = layout.bookmarks {
        bookmarks::draw(&screen, area, buffer);
    }
    screen.rules(&layout, buffer);
    let mut typed_at = None;
    if let Some(tab) = app.tabs.tab() {
        for (index, pane) in tab.panes().enumerate() {
            if let Some(area) = layout.pane(index) {
                let focused = app.cx.focus == Focus::Panes && index == tab.focus();
                let cursor = page::draw(&screen, pane, area, focused, buffer);
                typed_at = typed_at.or(cursor);
            }
        }
    }
    if app.cx.focus == Focus::Transfers {
        typed_at = None;
        transfers::draw(&screen, &layout, buffer);
    }
    status::draw(&screen, layout.status, buffer);
    let cursor = overlay::draw(&screen, &layout, buffer)
        .or(typed_at.filter(|_| app.dialogs.overlay.is_none()));
    if theme.is_ascii {
        write_in_ascii(buffer);
    }
    if let Some(cursor) = cursor {
        frame.set_cursor_position(cursor);
    }
}

/// Replaces the punctuation of our own sentences where only ASCII is certain to be displayed correctly.
fn write_in_ascii(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        let plain = match cell.symbol() {
            "…" => "~",
            "→" => ">",
            "•" | "·" => "*",
            "–" | "—" | "─" => "-",
            "“" | "”" => "\"",
            "‘" | "’" => "'",
            _ => continue,
        };
        cell.set_symbol(plain);
    }
}

impl Screen<'_> {
    fn tabs(&self, area: Rect, buffer: &mut Buffer) {
        let count = self.app.tabs.tabs().len().max(1);
        let room = (usize::from(area.width) / count).clamp(6, 28);
        let mut line = Line::default();
        for (index, tab) in self.app.tabs.tabs().iter().enumerate() {
            let pane = tab.pane();
            let coming = pane.incoming.as_ref().map(|incoming| &incoming.title);
            let title = coming
                .or(pane.page().map(|page| &page.title))
                .map_or("", Text::as_str);
            let label = format!("{} {}", index + 1, title.trim());
            let label = self.shorten(&label, room.saturating_sub(3));
            let role = if index == self.app.tabs.tab_index() {
                Role::TabShown
            } else {
                Role::Tab
            };
            line.push_span(self.span(format!(" {label} "), role));
            line.push_span(" ");
        }
        self.write(buffer, area, &line);
    }

    /// Draws the address line: scheme, host and path in different styles, and the state of the connection.
    fn address(&self, area: Rect, buffer: &mut Buffer) {
        if self.app.cx.focus == Focus::Transfers && self.app.dialogs.overlay.is_none() {
            return transfers::heading(self, area, buffer);
        }
        let pane = self.app.tabs.pane();
        let prompted = match &self.app.dialogs.overlay {
            Some(Overlay::Prompt(prompt)) => prompt.pending(),
            Some(Overlay::Dialog(dialog)) => dialog.pending.as_deref(),
            _ => None,
        };
        let coming = pane.and_then(|pane| pane.incoming.as_ref());
        let is_loading = coming.is_some() || prompted.is_some();
        let page = pane.and_then(|pane| pane.page());
        let requested = coming.map(|incoming| &incoming.request);
        let requested = requested.or(prompted.map(|pending| &pending.request));
        let url = requested
            .map(|request| &request.url)
            .or(page.map(|page| &page.url));
        let Some(url) = url else { return };
        // A page that is loading has no connection state to show yet.
        let security = page.filter(|_| !is_loading).and_then(|page| page.security);
        let state = match coming {
            Some(coming) => status::phase(coming),
            None => self.state(url, page.filter(|_| !is_loading)),
        };
        let role = match security {
            Some(Security::Unverified) => Role::Fault,
            Some(Security::Plain | Security::Verified | Security::Pinned) | None => Role::State,
        };
        let width = usize::from(area.width);
        let state = if width < NARROW { String::new() } else { state };
        let room = width.saturating_sub(if state.is_empty() {
            2
        } else {
            text::width(&state) + 4
        });
        let mut line = Line::from(" ");
        let masked = url.masked();
        let shown = self.shorten(&masked, room);
        let (scheme, host, path) = split(url, &shown);
        line.push_span(self.span(scheme, Role::Scheme));
        line.push_span(self.span(host, Role::Host));
        line.push_span(self.span(path, Role::Path));
        let gap = width.saturating_sub(1 + text::width(&shown) + text::width(&state) + 1);
        line.push_span(" ".repeat(gap));
        line.push_span(self.span(state, role));
        self.write(buffer, area, &line);
    }

    /// The connection of a page, or the time since which it is cached.
    fn state(&self, url: &Url, page: Option<&Page>) -> String {
        let settings = &self.app.cx.settings;
        let security = page.and_then(|page| page.security);
        let state = match page.and_then(|page| page.cached.as_ref()) {
            Some(cached) => format!("kept {}", settings.zone.written(cached.stored_at)),
            None if settings.offline && security.is_none() => String::new(),
            None => connection(url, security),
        };
        match (settings.offline, state.is_empty()) {
            (false, _) => state,
            (true, true) => "offline".to_owned(),
            (true, false) => format!("offline, {state}"),
        }
    }

    fn rules(&self, layout: &Layout, buffer: &mut Buffer) {
        let tree = layout
            .bookmarks
            .iter()
            .filter(|area| area.width < self.area.width);
        let panes = layout.panes.iter().map(|(_, area)| area);
        let last = panes.clone().count().saturating_sub(1);
        for area in tree.chain(panes.take(last)) {
            for y in area.y..area.bottom() {
                let span = self.span(self.glyph(Glyph::Rule), Role::Rule);
                self.write(buffer, Rect::new(area.right(), y, 1, 1), &Line::from(span));
            }
        }
    }
}

/// Scheme with the text up to the host, host with port, and the rest, of a text that may have been shortened.
fn split<'a>(url: &Url, shown: &'a str) -> (&'a str, &'a str, &'a str) {
    let colon = shown.find(':').map_or(shown.len(), |at| at + 1);
    let (scheme, rest) = shown.split_at_checked(colon).unwrap_or((shown, ""));
    if !rest.starts_with("//") || url.base_parts().address().is_none() {
        return (scheme, "", rest);
    }
    let (scheme, rest) = shown.split_at_checked(colon + 2).unwrap_or((scheme, rest));
    let slash = rest.find('/').unwrap_or(rest.len());
    let (host, path) = rest.split_at_checked(slash).unwrap_or((rest, ""));
    (scheme, host, path)
}

/// The connection of a page, as in `plain :70` or `TLS, pinned :70`; empty if there was no connection.
fn connection(url: &Url, security: Option<Security>) -> String {
    let port = match url.base_parts() {
        // The port of a finger URL is not part of the parsed URL.
        Parts::Other(other) if url.extension_scheme() == Some(ExtensionScheme::Finger) => {
            let login = other.ip().map(|(login, _)| login);
            let written = login.and_then(|login| login.address.written_port);
            written.or(Some(ExtensionScheme::Finger.default_port()))
        }
        parts => parts.address().and_then(|address| address.port()),
    };
    let words = match (security, url.scheme()) {
        (None, Scheme::Other | Scheme::File) => "",
        (None, _) => Security::Plain.words(),
        (Some(security), _) => security.words(),
    };
    match port {
        Some(port) if !words.is_empty() => format!("{words} :{port}"),
        Some(_) | None => String::new(),
    }
}
