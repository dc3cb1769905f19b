//! The user interface: draws `&App` into a frame, and nothing else.

mod bookmark;
mod bookmarks;
mod drafts;
mod failure;
mod find;
mod form;
mod help;
mod key_hints;
mod overlay;
mod page;
mod palette;
mod picture;
mod prompt;
mod prompt_box;
mod question;
mod rows;
mod screen;
mod status;
pub mod svg;
mod terminal;
pub mod theme;
mod title;
mod totals;
mod tour;
mod transfers;

use self::screen::on_screen;
use std::cell::RefCell;

use geomys_page::document::{Document, Link};
use geomys_wire::net::{Security, shown_url};
use geomys_wire::text::{self, Charset, Text};
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Color, Modifier};
use ratatui::text::Line;
use rfc1738::{Encoded, ParseError, Parts, Url};

use geomys_app::action::Action;
use geomys_app::layout::Divider;
use geomys_app::mouse::{Click, Region};
use geomys_app::tabs::motion::labels;
use geomys_app::tabs::tab::Tab;
use geomys_app::view::builtin;
use geomys_app::view::picture::picture_area;
use geomys_app::{App, Focus, Layout, Overlay, Page};

pub use key_hints::STOP_HINT;
pub use picture::PlacedPicture;
pub use question::UNLOCK_HINT;
pub use screen::Hyperlink;
use screen::Screen;
pub use theme::Theme;
use theme::{Glyph, Role};
pub use title::window_title;

/// The screen width below which the address has a line of its own, in columns.
const NARROW: usize = 40;

/// The parts of a frame that are not in its cells.
#[derive(Debug, Default)]
pub struct Drawn {
    /// The pictures whose pixels can be shown over the frame.
    pub pictures: Vec<PlacedPicture>,
    /// The areas that can be clicked.
    pub regions: Vec<Region>,
    /// The parts that the terminal shows as hyperlinks.
    pub links: Vec<Hyperlink>,
}

/// Draws the whole screen. The terminal's cursor stands in the input, or else on the row with the focus.
pub fn draw(app: &App, theme: &Theme, frame: &mut Frame<'_>) -> Drawn {
    let area = frame.area();
    let layout = app.layout();
    let screen = Screen {
        app,
        theme,
        area,
        link: link(app),
        regions: RefCell::default(),
        links: RefCell::default(),
        cut_row: RefCell::default(),
    };
    let buffer = frame.buffer_mut();
    if let Some(area) = layout.tabs {
        screen.tabs(on_screen(area), buffer);
    }
    screen.address(on_screen(layout.address), buffer);
    let mut focus_at = screen.panes(&layout, buffer);
    screen.rules(&layout, buffer);
    if let Some(area) = layout.bookmarks {
        // A drawer covers a part of the page.
        let mut regions = screen.regions.borrow_mut();
        regions.retain(|region| {
            let covered = on_screen(region.area).intersection(on_screen(area));
            covered.is_empty()
        });
        drop(regions);
        let cursor = screen.bookmarks(on_screen(area), layout.is_drawer, buffer);
        focus_at = cursor.or(focus_at);
    }
    if app.cx.focus == Focus::Transfers {
        screen.regions.borrow_mut().clear();
        screen.links.borrow_mut().clear();
        screen.cut_row.take();
        focus_at = transfers::draw(&screen, &layout, buffer);
    }
    status::draw(&screen, &layout, buffer);
    if let Some(tour) = app.tour.as_ref().filter(|_| app.tour_lines() > 0) {
        let below = on_screen(layout.status).bottom();
        let strip = Rect {
            y: below,
            height: area.bottom().saturating_sub(below),
            ..area
        };
        tour::draw(&screen, tour, strip, buffer);
    }
    let cursor = overlay::draw(&screen, &layout, focus_at, buffer)
        .or(focus_at.filter(|_| app.dialogs.overlay.is_none()));
    let pictures = screen.place_pictures(&layout, buffer);
    if theme.is_ascii {
        write_in_ascii(buffer);
    }
    if let Some(ground) = theme.ground() {
        paint_ground(ground, buffer);
    }
    if let Some(cursor) = cursor {
        frame.set_cursor_position(cursor);
    }
    Drawn {
        pictures,
        regions: screen.regions.into_inner(),
        links: screen.links.into_inner(),
    }
}

/// Returns the link under the cursor of the page with the focus. It may be large: it is made once for each frame.
fn link(app: &App) -> Option<Link> {
    app.page().filter(|_| app.cx.focus == Focus::Panes)?.link()
}

/// Gives all cells without colours the colours of the theme, and makes all text bold.
fn paint_ground((ink, ground): (Color, Color), buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        if cell.fg == Color::Reset {
            cell.fg = ink;
        }
        if cell.bg == Color::Reset {
            cell.bg = ground;
        }
        cell.modifier |= Modifier::BOLD;
    }
}

/// Replaces the punctuation of our own sentences where only ASCII is certain to be displayed correctly.
fn write_in_ascii(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        let plain = match cell.symbol() {
            "…" => "~",
            "→" => ">",
            "•" | "·" | "●" => "*",
            "◷" => "q",
            "–" | "—" | "─" => "-",
            "┌" | "┐" | "└" | "┘" => "+",
            "“" | "”" => "\"",
            "‘" | "’" => "'",
            _ => continue,
        };
        cell.set_symbol(plain);
    }
}

/// The columns between the URL of the page and that of the link under the cursor, and those of the shortest one.
const MIN_GAP: usize = 2;
const MIN_TARGET: usize = 6;

impl Screen<'_> {
    /// Returns the pictures on the screen with nothing over them, and blanks their cells.
    fn place_pictures(&self, layout: &Layout, buffer: &mut Buffer) -> Vec<PlacedPicture> {
        let panes = self.app.tabs.tab().into_iter().flat_map(Tab::panes);
        let placed = panes.enumerate().filter_map(|(index, pane)| {
            let area = picture_area(layout.pane(index)?);
            picture::place(pane.page()?, on_screen(area), buffer)
        });
        placed.collect()
    }

    fn tabs(&self, area: Rect, buffer: &mut Buffer) {
        let mut line = Line::default();
        for (index, (label, columns)) in labels(self.app.tabs.tabs(), area.width).iter().enumerate()
        {
            let label = self.shorten(label, columns.len().saturating_sub(2));
            let role = if index == self.app.tabs.tab_index() {
                Role::TabShown
            } else {
                Role::Tab
            };
            line.push_span(self.span(format!(" {label} "), role));
            line.push_span(" ");
        }
        self.write(buffer, area, &line);
        self.write_at_right(area, line.width(), buffer);
    }

    /// Draws the number of new articles and the key that closes a tab at the right of the tabs, as far as there is room
    /// behind their `taken` columns.
    fn write_at_right(&self, area: Rect, taken: usize, buffer: &mut Buffer) {
        let close = key_hints::of_tabs(self.app);
        let new = match self.app.news.new_articles() {
            0 => String::new(),
            new => format!(" {new} new "),
        };
        let room = usize::from(area.width).saturating_sub(taken);
        let mut end = usize::from(area.width);
        let at = |start: usize, end: usize| Rect {
            x: area.x + u16::try_from(start).unwrap_or(area.width),
            width: u16::try_from(end - start).unwrap_or(0),
            ..area
        };
        if close.width() + 2 + text::width(&new) <= room {
            let start = end - close.width() - 1;
            close.draw(self, at(start, end), buffer);
            end = start - 1;
        }
        if !new.is_empty() && text::width(&new) <= room {
            let start = end - text::width(&new);
            self.write(buffer, at(start, end), &self.line(new, Role::State));
        }
    }

    /// Draws the address line: scheme, host and path in different styles, and the state of the connection.
    fn address(&self, area: Rect, buffer: &mut Buffer) {
        if self.app.cx.focus == Focus::Transfers && self.app.dialogs.overlay.is_none() {
            return transfers::heading(self, area, buffer);
        }
        let pane = self.app.tabs.pane();
        let prompted = match &self.app.dialogs.overlay {
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
        self.press(area, Click::Act(Action::EditUrl));
        // A page that is loading has no connection state to show yet.
        let security = page
            .filter(|_| !is_loading)
            .and_then(|page| page.answer.security);
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
        let is_bookmarked = !self.app.bookmarks.sidebar.bookmarks.same_as(url).is_empty();
        let star = if is_bookmarked {
            format!(" {} ", self.glyph(Glyph::Bookmark))
        } else {
            " ".to_owned()
        };
        let star_width = text::width(&star);
        let room = width.saturating_sub(if state.is_empty() {
            star_width + 1
        } else {
            text::width(&state) + star_width + 3
        });
        let mut line = Line::from(self.span(star, Role::Mark));
        let shown = self.shorten(&shown_url(url), room);
        let (scheme, host, path) = split(url, &shown);
        line.push_span(self.span(scheme, Role::Scheme));
        line.push_span(self.span(host, Role::Host));
        line.push_span(self.span(path, Role::Path));
        let state = match state.as_str() {
            "" => String::new(),
            state => format!("  {state}"),
        };
        let used = star_width + text::width(&shown) + text::width(&state);
        let left = width.saturating_sub(used + 1);
        let target = self.target_within(url, left.saturating_sub(MIN_GAP));
        line.push_span(" ".repeat(left.saturating_sub(text::width(&target))));
        line.push_span(self.span(target, Role::Dim));
        line.push_span(self.span(state, role));
        self.write(buffer, area, &line);
    }

    /// The URL of the bookmark or the link under the cursor, or its fault.
    fn target(&self) -> Option<Result<Url, ParseError>> {
        match self.app.cx.focus {
            Focus::Bookmarks => Some(self.app.bookmarks.listed().bookmark()?.url()),
            Focus::Panes => Some(self.link.as_ref()?.target.clone()),
            Focus::Transfers => None,
        }
    }

    /// The URL of the link under the cursor behind its arrow, without the scheme if that is the page's. One that is too
    /// long for the width is shortened behind its host; it is empty if not even the host fits.
    fn target_within(&self, page: &Url, width: usize) -> String {
        let target = self.target().and_then(Result::ok);
        let target = target.filter(|target| !builtin::is_builtin(target) && width > MIN_TARGET);
        let Some(target) = target else {
            return String::new();
        };
        let full = shown_url(&target);
        let (scheme, host, _) = split(&target, &full);
        let is_same = target.scheme_name() == page.scheme_name() && !host.is_empty();
        let shown = full
            .get(if is_same { scheme.len() } else { 0 }..)
            .unwrap_or(&full);
        let arrow = if self.theme.is_ascii { "->" } else { "→" };
        let room = width.saturating_sub(text::width(arrow) + 1);
        let least = text::width(host) + if is_same { 0 } else { text::width(scheme) };
        if text::width(shown) > room && least + 2 > room {
            return String::new();
        }
        format!("{arrow} {}", self.shorten(shown, room))
    }

    /// What is unusual of a page: the offline mode, its identity, a charset other than UTF-8, and its connection, or
    /// the time since which it is cached.
    fn state(&self, url: &Url, page: Option<&Page>) -> String {
        let settings = &self.app.cx.settings;
        let security = page.and_then(|page| page.answer.security);
        let state = match page.and_then(|page| page.cached.as_ref()) {
            Some(cached) => format!("cached {}", settings.zone.written(cached.stored_at)),
            None if settings.offline && security.is_none() => String::new(),
            None => connection(url, page),
        };
        let offline = settings.offline.then(|| "offline".to_owned());
        let identity = page.and_then(|page| page.answer.identity.as_ref());
        let identity = identity.map(|name| format!("as {name}"));
        let charset = page
            .and_then(Page::document)
            .and_then(Document::non_utf8_charset);
        let charset = charset.map(|charset| charset.name().to_owned());
        let parts = [offline, identity, charset, Some(state)]
            .into_iter()
            .flatten();
        let parts: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
        parts.join(", ")
    }

    /// Draws the panes of the shown tab with their titles. Returns the position of the terminal's cursor in the one
    /// with the focus.
    fn panes(&self, layout: &Layout, buffer: &mut Buffer) -> Option<Position> {
        let tab = self.app.tabs.tab()?;
        let mut focus_at = None;
        for (index, pane) in tab.panes().enumerate() {
            let Some(area) = layout.pane(index) else {
                continue;
            };
            let focused = self.app.cx.focus == Focus::Panes && index == tab.focus();
            if let Some(title) = layout.title(index) {
                title::draw(
                    self,
                    pane,
                    on_screen(title),
                    on_screen(area),
                    focused,
                    buffer,
                );
            }
            let cursor = page::draw(self, pane, on_screen(area), focused, buffer);
            focus_at = focus_at.or(cursor.filter(|_| focused));
        }
        focus_at
    }

    /// Draws the bookmarks, in a drawer over the page or beside it. Returns the position of the terminal's cursor.
    fn bookmarks(&self, area: Rect, is_drawer: bool, buffer: &mut Buffer) -> Option<Position> {
        if is_drawer {
            let rule = Rect {
                x: area.right(),
                width: 1,
                ..area
            };
            let behind = Rect {
                x: rule.right(),
                width: self.area.right().saturating_sub(rule.right()),
                ..area
            };
            self.links.borrow_mut().clear();
            self.dim(buffer, behind);
            self.clear(buffer, area.union(rule));
            self.vertical(rule, buffer);
        }
        bookmarks::draw(self, area, buffer)
    }

    /// Draws the rules to the right of the bookmarks and between panes side by side, with the scroll bar of the pane
    /// beside them; the titles separate the others.
    fn rules(&self, layout: &Layout, buffer: &mut Buffer) {
        let focus = self.app.tabs.tab().map(Tab::focus);
        for (divider, area) in layout.dividers() {
            let pane = match divider {
                Divider::Pane(_) if layout.is_stacked => continue,
                Divider::Pane(left) if focus == Some(left + 1) => Some(left + 1),
                Divider::Pane(left) => Some(left),
                Divider::Bookmarks => layout.panes.first().map(|(pane, _)| *pane),
            };
            let area = on_screen(area);
            self.vertical(area, buffer);
            if let Some(pane) = pane {
                self.scroll_bar(layout, pane, area, buffer);
            }
        }
    }

    /// Draws the scroll bar of a pane into the rule beside it, if the pane has more rows than lines.
    fn scroll_bar(&self, layout: &Layout, index: usize, rule: Rect, buffer: &mut Buffer) {
        let tab = self.app.tabs.tab();
        let pane = tab.and_then(|tab| tab.panes().nth(index));
        let rows = pane.and_then(|pane| pane.page()?.rows());
        let Some((rows, area)) = rows.zip(layout.pane(index)) else {
            return;
        };
        let (count, height) = (rows.count(), usize::from(area.height));
        if height == 0 || count <= height || rows.two_columns(area).is_some() {
            return;
        }
        let length = (height * height / count).max(1);
        let top = rows.position.top.0.min(count - height);
        let start = top * (height - length) / (count - height);
        let is_focused = self.app.cx.focus == Focus::Panes && tab.map(Tab::focus) == Some(index);
        let role = if is_focused { Role::Focus } else { Role::Dim };
        let thumb = Line::from(self.span(self.glyph(Glyph::Thumb), role));
        let within = Rect {
            y: area.y,
            height: area.height,
            ..rule
        };
        for row in within.rows().skip(start).take(length) {
            self.write(buffer, row, &thumb);
        }
    }

    fn vertical(&self, area: Rect, buffer: &mut Buffer) {
        for row in area.rows() {
            let span = self.span(self.glyph(Glyph::Rule), Role::Rule);
            self.write(buffer, row, &Line::from(span));
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

/// The connection of a page where it is unusual: a login or a form over one that is not encrypted, TLS that the URL
/// does not imply, a certificate that only the user trusts. The user of an FTP server is named. Empty for any other.
fn connection(url: &Url, page: Option<&Page>) -> String {
    let security = page.and_then(|page| page.answer.security);
    // Without a user an ftp URL is anonymous (RFC 1738, section 3.2.1).
    let user = match url.base_parts() {
        Parts::Ftp(ftp) => ftp.login.user.map(Encoded::octets),
        _ => None,
    };
    let sends = user.is_some() || page.is_some_and(Page::takes_text);
    let words = match security {
        Some(Security::Plain) if sends => Security::Plain.encryption(),
        Some(Security::Verified) if url.is_tls() => "",
        Some(Security::Plain) | None => "",
        Some(security) => security.words(),
    };
    let user = user.map(|user| format!("as {}", Text::new(&user, Charset::default())));
    let parts = user.into_iter().chain([words.to_owned()]);
    let parts: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
    parts.join(", ")
}
