//! Pages without content: that of a failed load, and one that was dropped.

use geomys_wire::net::shown_url;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::screen::Screen;
use super::theme::Role;
use geomys_app::Page;
use geomys_app::action::Action;
use geomys_app::tabs::page::Restored;
use geomys_app::tabs::pane::Pane;
use geomys_app::view::failure::FailureView;
use geomys_app::view::failure::lines::LineRole;

/// Draws a page whose content was dropped: its address, and the key that loads it again, unless it is loading.
pub(super) fn draw_dropped(
    screen: &Screen<'_>,
    pane: &Pane,
    page: &Page,
    area: Rect,
    buffer: &mut Buffer,
) {
    let key = screen
        .key(Action::Reload)
        .filter(|_| pane.incoming.is_none());
    let load = key.map(|key| format!("  {key} load it again"));
    let reason = match page.request.restored {
        Restored::No => "Page dropped to free memory",
        Restored::Automatic | Restored::OnRequest => "Page of the last session, not loaded yet",
    };
    let lines = [
        (format!("  {}", shown_url(&page.url)), Role::Host),
        (String::new(), Role::Text),
        (format!("  {reason}"), Role::Text),
        (String::new(), Role::Text),
        (load.unwrap_or_default(), Role::Dim),
    ];
    write_lines(screen, lines.into_iter().zip(area.rows().skip(1)), buffer);
}

/// Writes lines, each in its style and into its area.
fn write_lines(
    screen: &Screen<'_>,
    lines: impl Iterator<Item = ((String, Role), Rect)>,
    buffer: &mut Buffer,
) {
    for ((text, role), area) in lines {
        screen.write(buffer, area, &screen.line(text, role));
    }
}

/// Draws a failure as a page.
pub(super) fn draw(
    screen: &Screen<'_>,
    page: &Page,
    view: &FailureView,
    area: Rect,
    buffer: &mut Buffer,
) {
    let context = &screen.app.cx;
    let (settings, keymap) = (&context.settings, &context.keymap);
    let can_go_back = screen.app.tabs.pane().is_some_and(Pane::can_go_back);
    let (url, state) = (&page.url, &page.state);
    let lines = view.lines(url, state, settings, keymap, area.width, can_go_back);
    let hidden = lines.len().saturating_sub(usize::from(area.height));
    let lines = lines.into_iter().skip(view.top.min(hidden));
    let lines = lines.map(|(text, role)| (text, role_of(role)));
    write_lines(screen, lines.zip(area.rows()), buffer);
}

fn role_of(role: LineRole) -> Role {
    match role {
        LineRole::Text => Role::Text,
        LineRole::Fault => Role::Fault,
        LineRole::Dim => Role::Dim,
        LineRole::Link => Role::Link,
    }
}
