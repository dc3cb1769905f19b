//! The strip of the tour below the page: the task, the keys as they are bound now, and how to leave.

use geomys_wire::text;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::key_hints::{Hint, Hints};
use super::screen::Screen;
use super::theme::Role;
use super::title::Title;
use geomys_app::tour::Tour;

/// Draws the strip.
pub(super) fn draw(screen: &Screen<'_>, tour: &Tour, area: Rect, buffer: &mut Buffer) {
    screen.clear(buffer, area);
    let (number, count) = tour.place();
    let task = tour.task();
    let name = match task {
        Some(_) => format!("Task {number} of {count}"),
        None => "The tour is done".to_owned(),
    };
    let title = Title {
        name: &name,
        aside: "",
        role: Role::Dim,
        focused: true,
    };
    screen.write_at(buffer, area, 0, &title.line(screen, area.width));
    let words = match task {
        Some(task) => task.words,
        None => "You know the town now. Everything else stands in the help and the manual.",
    };
    let width = usize::from(area.width).saturating_sub(2).max(1);
    for (line, words) in (1..).zip(text::wrap(words, width).into_iter().take(2)) {
        screen.write_at(
            buffer,
            area,
            line,
            &screen.line(format!(" {words}"), Role::Text),
        );
    }
    let keys = area.rows().next_back().unwrap_or(area);
    let hints = task.map_or(&[][..], |task| task.hints);
    let own = hints.iter().filter_map(|&(action, label)| {
        let key = screen.key(action)?;
        Some(Hint::key(&key, label))
    });
    let own: Hints = own.collect();
    own.draw(
        screen,
        Rect {
            x: keys.x + 1,
            ..keys
        },
        buffer,
    );
    let leave = Hint::key("Esc", "leave");
    let later = task.map(|_| Hint::key("Tab", "later"));
    let ways: Hints = later.into_iter().chain([leave]).collect();
    let taken = u16::try_from(ways.width() + 1).unwrap_or(u16::MAX);
    let x = keys.right().saturating_sub(taken).max(keys.x);
    let right = Rect {
        x,
        width: keys.right() - x,
        ..keys
    };
    ways.draw(screen, right, buffer);
}
