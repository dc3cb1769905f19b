//! The user interface: draws `&App` into a frame, and nothing else.

mod bookmark;
mod bookmarks;
mod drafts;
mod form;
mod overlay;
mod page;
mod question;
mod rows;
mod session;
mod status;
pub mod theme;
mod transfers;

use std::borrow::Cow;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};

use crate::app::layout::Layout;
use crate::app::tabs::page::Page;
use crate::app::{App, Focus, Overlay};
use crate::net::Security;
use crate::text::{self, Text};
use crate::url::{ExtensionScheme, Parts, Scheme, Url};

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

/// The data that every part of the screen needs for drawing.
struct Screen<'a> {
    app: &'a App,
    theme: &'a Theme,
    /// The area of the terminal.
    area: Rect,
}

impl Screen<'_> {
    fn style(&self, role: Role) -> Style {
        self.theme.style(role)
    }

    fn glyph(&self, glyph: Glyph) -> &str {
        self.theme.glyph(glyph)
    }

    /// A text in the style of a role.
    fn span<'t>(&self, text: impl Into<Cow<'t, str>>, role: Role) -> Span<'t> {
        Span::styled(text, self.style(role))
    }

    /// A line in the style of a role.
    fn line<'t>(&self, text: impl Into<Cow<'t, str>>, role: Role) -> Line<'t> {
        Line::styled(text, self.style(role))
    }

    /// The mark of the selected row; a space beside the others.
    fn mark(&self, is_selected: bool) -> Span<'static> {
        let mark = if is_selected {
            self.glyph(Glyph::Cursor)
        } else {
            " "
        };
        self.span(mark.to_owned(), Role::Mark)
    }

    /// A text that ends in an ellipsis if it is wider than `width` columns.
    fn shorten(&self, text: &str, width: usize) -> String {
        text::shorten(text, width, self.glyph(Glyph::Ellipsis))
    }

    /// Writes one line into an area; the part that does not fit is left out.
    fn write(&self, buffer: &mut Buffer, area: Rect, line: &Line<'_>) {
        let area = area.intersection(self.area);
        if !area.is_empty() {
            buffer.set_line(area.x, area.y, line, area.width);
        }
    }

    /// Gives a row the style of the cursor. Reversed parts of it, such as matches, stay distinct.
    fn highlight(&self, buffer: &mut Buffer, row: Rect) {
        let cursor = self.style(Role::Cursor);
        let is_reversed = cursor.add_modifier.contains(Modifier::REVERSED);
        for position in row.intersection(self.area).positions() {
            let Some(cell) = buffer.cell_mut(position) else {
                continue;
            };
            let was_reversed = cell.modifier.contains(Modifier::REVERSED);
            if is_reversed {
                // A reversed colour would be a block of that colour.
                cell.fg = Color::Reset;
                cell.bg = Color::Reset;
                cell.modifier.remove(Modifier::DIM);
            }
            cell.set_style(cursor);
            if is_reversed && was_reversed {
                cell.modifier.remove(Modifier::REVERSED);
            }
        }
    }

    /// Clears an area.
    fn clear(&self, buffer: &mut Buffer, area: Rect) {
        for position in area.intersection(self.area).positions() {
            if let Some(cell) = buffer.cell_mut(position) {
                cell.reset();
            }
        }
    }

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

    /// The key of an action for the key hints, as bound in the keymap.
    fn key(&self, action: crate::app::action::Action) -> Option<String> {
        self.app.cx.keymap.key_of(action)
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

/// The number of rows in words: `1,204 rows`.
fn rows_in_words(page: &Page) -> String {
    match page.count() {
        1 => "1 row".to_owned(),
        count => format!("{} rows", text::count(count)),
    }
}
