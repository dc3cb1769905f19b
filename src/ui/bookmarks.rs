//! The bookmarks: a tree on the left.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::Screen;
use super::theme::{Glyph, Role};
use crate::app::Focus;
use crate::app::action::Action;
use crate::files::bookmarks::Item;
use crate::text;

pub(super) fn draw(screen: &Screen<'_>, place: Rect, buffer: &mut Buffer) {
    let sidebar = &screen.app.sidebar;
    let line_at = |y| Rect {
        y,
        height: 1,
        ..place
    };
    screen.write(buffer, line_at(place.y), &heading(screen, place.width));
    let visible = sidebar.visible();
    let rows = visible.iter().enumerate().skip(sidebar.top);
    for ((row, &index), y) in rows.zip(place.y + 1..place.bottom()) {
        if let Some(item) = sidebar.bookmarks.items().get(index) {
            let here = row == sidebar.cursor;
            let line = line(screen, index, item, here, place.width);
            screen.write(buffer, line_at(y), &line);
        }
    }
    if visible.is_empty() {
        let add = screen.key(Action::BookmarkPage).unwrap_or_default();
        let sentence = format!("  none yet: {add} adds one");
        let line = Line::styled(sentence, screen.style(Role::Dim));
        screen.write(buffer, line_at(place.y + 1), &line);
    }
}

/// The pane's name, and how many entries have faults.
fn heading<'a>(screen: &'a Screen<'_>, width: u16) -> Line<'a> {
    const NAME: &str = " Bookmarks";
    let bookmarks = screen.app.sidebar.bookmarks.bookmarks();
    let faults = bookmarks.filter(|bookmark| bookmark.url.is_err()).count();
    let mut line = Line::from(Span::styled(NAME, screen.style(Role::Heading)));
    if faults > 0 {
        let text = format!("{}{faults}", screen.glyph(Glyph::Fault));
        let taken = NAME.len() + text::width(&text) + 1;
        line.push_span(" ".repeat(usize::from(width).saturating_sub(taken)));
        line.push_span(Span::styled(text, screen.style(Role::Fault)));
    }
    line
}

/// A folder or a bookmark: the mark of the cursor, a glyph, the name, and how much a closed folder holds.
fn line<'a>(screen: &'a Screen<'_>, index: usize, item: &Item, here: bool, width: u16) -> Line<'a> {
    let width = usize::from(width);
    let sidebar = &screen.app.sidebar;
    let focused = screen.app.focus == Focus::Bookmarks;
    let (depth, glyph, label, role, aside) = match item {
        Item::Folder(folder) => {
            let closed = sidebar.is_closed(index);
            let glyph = if closed { Glyph::Closed } else { Glyph::Open };
            let count = closed.then(|| sidebar.count(index).to_string());
            let name = folder.name.clone();
            (
                folder.depth,
                glyph,
                name,
                Role::Folder,
                count.unwrap_or_default(),
            )
        }
        Item::Bookmark(bookmark) => {
            let (glyph, role) = match bookmark.url {
                Ok(_) => (Glyph::Bookmark, Role::Text),
                Err(_) => (Glyph::Fault, Role::Fault),
            };
            (bookmark.depth, glyph, bookmark.label(), role, String::new())
        }
    };
    let mut style = screen.style(role);
    if here && focused {
        style = style.patch(screen.style(Role::Cursor));
    }
    let mut line = Line::from(if here {
        let role = if focused { Role::Mark } else { Role::MarkAway };
        Span::styled(screen.glyph(Glyph::Cursor), screen.style(role))
    } else {
        Span::raw(" ")
    });
    // A glyph takes the place of one step, so that a folder's bookmarks stand under its name.
    let indent = (depth.saturating_sub(1) * 2).min(width / 3);
    line.push_span(" ".repeat(indent));
    line.push_span(Span::styled(format!("{} ", screen.glyph(glyph)), style));
    let room = width.saturating_sub(indent + 4 + aside.len());
    let label = text::shorten(label.as_str(), room, screen.glyph(Glyph::Ellipsis));
    let pad = room.saturating_sub(text::width(&label));
    line.push_span(Span::styled(label, style));
    if !aside.is_empty() {
        line.push_span(" ".repeat(pad));
        line.push_span(Span::styled(aside, screen.style(Role::Number)));
    }
    line
}
