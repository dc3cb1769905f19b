//! The bookmarks: a tree on the left.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::Screen;
use super::theme::{Glyph, Role};
use crate::app::Focus;
use crate::files::bookmarks::Item;
use crate::text;

pub(super) fn draw(screen: &Screen<'_>, place: Rect, buffer: &mut Buffer) {
    let sidebar = &screen.app.sidebar;
    let focused = screen.app.focus == Focus::Bookmarks;
    let width = usize::from(place.width);
    let faults = sidebar
        .bookmarks
        .bookmarks()
        .filter(|bookmark| bookmark.url.is_err())
        .count();
    let mut heading = Line::from(Span::styled(" Bookmarks", screen.style(Role::Heading)));
    if faults > 0 {
        let pad = width.saturating_sub(10 + faults.to_string().len() + 2);
        heading.push_span(" ".repeat(pad));
        let text = format!("{}{faults}", screen.glyph(Glyph::Fault));
        heading.push_span(Span::styled(text, screen.style(Role::Fault)));
    }
    screen.write(buffer, Rect { height: 1, ..place }, &heading);
    let visible = sidebar.visible();
    let rows = visible.iter().enumerate().skip(sidebar.top);
    for ((row, &index), y) in rows.zip(place.y + 1..place.bottom()) {
        let Some(item) = sidebar.bookmarks.items().get(index) else {
            continue;
        };
        let here = row == sidebar.cursor;
        let mark = if here {
            let role = if focused { Role::Mark } else { Role::MarkAway };
            Span::styled(screen.glyph(Glyph::Cursor), screen.style(role))
        } else {
            Span::raw(" ")
        };
        let mut line = Line::from(mark);
        let lit = here && focused;
        let dress = |role| {
            let style = screen.style(role);
            if lit {
                style.patch(screen.style(Role::Cursor))
            } else {
                style
            }
        };
        let (indent, glyph, label, role, aside) = match item {
            Item::Folder(folder) => {
                let closed = sidebar.is_closed(index);
                let glyph = if closed { Glyph::Closed } else { Glyph::Open };
                let count = if closed {
                    sidebar.count(index).to_string()
                } else {
                    String::new()
                };
                (
                    folder.depth,
                    glyph,
                    folder.name.clone(),
                    Role::Folder,
                    count,
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
        let indent = (indent.saturating_sub(1) * 2).min(width / 3);
        line.push_span(" ".repeat(indent));
        line.push_span(Span::styled(
            format!("{} ", screen.glyph(glyph)),
            dress(role),
        ));
        let room = width.saturating_sub(indent + 4 + aside.len());
        let label = text::shorten(label.as_str(), room, screen.glyph(Glyph::Ellipsis));
        let pad = room.saturating_sub(text::width(&label));
        line.push_span(Span::styled(label, dress(role)));
        if !aside.is_empty() {
            line.push_span(" ".repeat(pad));
            line.push_span(Span::styled(aside, screen.style(Role::Number)));
        }
        screen.write(
            buffer,
            Rect {
                y,
                height: 1,
                ..place
            },
            &line,
        );
    }
    if visible.is_empty() {
        let line = Line::styled("  none yet: a adds one", screen.style(Role::Dim));
        screen.write(
            buffer,
            Rect {
                y: place.y + 1,
                height: 1,
                ..place
            },
            &line,
        );
    }
}
