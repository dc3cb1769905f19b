//! Pages without content: that of a failed load, and one that was dropped.

use geomys_load::{Failure, NextReason};
use geomys_wire::net::{shown_address, shown_url};
use geomys_wire::text::{self, Text};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::screen::Screen;
use super::theme::Role;
use geomys_app::Page;
use geomys_app::action::Action;
use geomys_app::tabs::page::Restored;
use geomys_app::tabs::pane::Pane;
use geomys_app::view::failure::FailureView;

/// The highest number of lines of a server's message, and of columns in each line.
const SAID: (usize, usize) = (30, 800);

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

/// Draws a failure as a page: the address, the error, the server's own message, and the keys that help.
pub(super) fn draw(
    screen: &Screen<'_>,
    page: &Page,
    view: &FailureView,
    area: Rect,
    buffer: &mut Buffer,
) {
    let width = usize::from(area.width).saturating_sub(4).max(1);
    let lines = failure_lines(screen, page, view, width);
    let hidden = lines.len().saturating_sub(usize::from(area.height));
    let top = view.top.min(hidden);
    write_lines(screen, lines.into_iter().skip(top).zip(area.rows()), buffer);
}

/// The lines of a failure, wrapped to `width` columns.
fn failure_lines(
    screen: &Screen<'_>,
    page: &Page,
    view: &FailureView,
    width: usize,
) -> Vec<(String, Role)> {
    let failure = &view.failure;
    let mut lines: Vec<(String, Role)> = vec![(String::new(), Role::Text)];
    let mut add = |text: &str, role: Role, indent: usize| {
        for piece in text::wrap(text, width.saturating_sub(indent).max(1)) {
            lines.push((format!("  {}{piece}", " ".repeat(indent)), role));
        }
    };
    let parts = page.url.base_parts();
    let address = parts.address();
    add(
        &format!("Requested  {}", shown_url(&page.url)),
        Role::Text,
        0,
    );
    if let Some(address) = address.as_ref().filter(|address| !address.text.is_empty()) {
        add(
            &format!("From       {}", Text::of(&shown_address(address))),
            Role::Text,
            0,
        );
    }
    add("", Role::Text, 0);
    let host = address.as_ref().map_or("", |address| address.node());
    add(&capital(&failure.sentence, host), Role::Fault, 0);
    if let Some(about) = &failure.about {
        add("", Role::Text, 0);
        for line in &about.lines {
            add(line.as_str(), Role::Text, 2);
        }
    }
    add_server_words(screen, failure, &mut add);
    if let Some(admin) = &failure.admin {
        add("", Role::Text, 0);
        add(&format!("Contact: {admin}"), Role::Dim, 0);
    }
    if let Some(next) = &failure.next {
        let target = match &next.target {
            Ok(url) => shown_url(url).into_owned(),
            Err(error) => error.to_string(),
        };
        add("", Role::Text, 0);
        let reason = match failure.next_reason {
            NextReason::Moved | NextReason::MovedForGood => "It is now at:",
            NextReason::Tls => "It answers over TLS:",
        };
        add(reason, Role::Dim, 0);
        add(next.label.as_str(), Role::Text, 2);
        add(&target, Role::Link, 2);
    }
    for sentence in view.copies(&page.url, &screen.app.cx.settings) {
        add("", Role::Text, 0);
        add(&sentence, Role::Text, 0);
    }
    if let Some(advice) = failure.advice {
        add("", Role::Text, 0);
        add(&capital(advice, host), Role::Text, 0);
    }
    add("", Role::Text, 0);
    let keys: Vec<String> = page
        .hints(page.link().as_ref(), &screen.app.cx.settings)
        .into_iter()
        .filter_map(|(action, label)| Some(format!("{} {label}", screen.key(action)?)))
        .collect();
    add(&keys.join("   "), Role::Dim, 0);
    lines
}

/// Adds what the server said, in a few lines.
fn add_server_words(
    screen: &Screen<'_>,
    failure: &Failure,
    add: &mut impl FnMut(&str, Role, usize),
) {
    if failure.said.is_empty() {
        return;
    }
    add("", Role::Text, 0);
    add("The server said:", Role::Dim, 0);
    for said in failure.said.iter().take(SAID.0) {
        add(&screen.shorten(said.as_str(), SAID.1), Role::Text, 2);
    }
    if let Some(more) = failure.said.len().checked_sub(SAID.0 + 1) {
        let more = format!("({} more lines)", text::count(more + 1));
        add(&more, Role::Dim, 2);
    }
}

/// Adds a capital and a full stop to a sentence; the host at its beginning stays as it is.
fn capital(sentence: &str, host: &str) -> String {
    let stop = if sentence.ends_with(['.', '!', '?']) {
        ""
    } else {
        "."
    };
    format!("{}{stop}", text::sentence_case(sentence, host))
}
