//! The status line: what the link under the cursor points to, how loads go, and the few keys that matter here.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::Screen;
use super::theme::{Glyph, Role};
use crate::app::action::Action;
use crate::app::page::{Page, Progress, State};
use crate::app::pane::Incoming;
use crate::app::transfers::{self, Total};
use crate::app::{App, Focus, Pending};
use crate::keymap::write_keys;
use crate::load::Phase;
use crate::text;

/// Blanks between two parts.
const GAP: &str = "  ";

pub(super) fn draw(screen: &Screen<'_>, place: Rect, buffer: &mut Buffer) {
    let width = usize::from(place.width);
    let keys = keys(screen);
    let progress = progress(screen);
    let keys_width = keys.width();
    let left_room = |used: usize| width.saturating_sub(used + 2);
    // Progress is worth more than the keys, and the keys more than the end of a long address.
    let mut right = keys;
    if !progress.is_empty() {
        let mut line = Line::from(Span::styled(progress.clone(), screen.style(Role::Notice)));
        if left_room(text::width(&progress) + keys_width + GAP.len()) > width / 3 {
            line.push_span(GAP);
            line.spans.extend(right.spans);
        }
        right = line;
    } else if screen.app.notice.is_some() || left_room(keys_width) < width / 3 {
        right = Line::default();
    }
    let room = width.saturating_sub(right.width() + 3);
    let (left, role) = left(screen);
    let left = text::shorten(&left, room, screen.glyph(Glyph::Ellipsis));
    let pad = " ".repeat(width.saturating_sub(2 + text::width(&left) + right.width()));
    let mut line = Line::from(" ");
    line.push_span(Span::styled(left, screen.style(role)));
    line.push_span(pad);
    line.spans.extend(right.spans);
    screen.write(buffer, place, &line);
}

/// What a page on its way is busy with, in words.
pub(super) fn phase(incoming: &Incoming) -> String {
    let url = incoming.request.url.reading();
    let host = url.address().map_or("", |address| address.text);
    match incoming.phase {
        Phase::Connecting if host.is_empty() => "connecting".to_owned(),
        Phase::Connecting => format!("connecting to {host}"),
        Phase::Asking => "asking".to_owned(),
        Phase::Waiting => "waiting for the answer".to_owned(),
        Phase::Mirror => "it failed: trying its mirror".to_owned(),
    }
}

/// A notice, keys that have only begun, or what is under the cursor.
fn left(screen: &Screen<'_>) -> (String, Role) {
    let app = screen.app;
    match &app.pending {
        Pending::Keys(keys) => return (write_keys(keys), Role::Prompt),
        Pending::Digits(digits) => return (format!("link {digits}"), Role::Prompt),
        Pending::None => {}
    }
    if let Some(notice) = &app.notice {
        let role = if notice.is_fault {
            Role::Fault
        } else {
            Role::Notice
        };
        return (notice.text.to_string(), role);
    }
    let (target, about) = match app.focus {
        Focus::Bookmarks => {
            let bookmark = app.sidebar.bookmark().map(|(_, bookmark)| bookmark);
            (bookmark.map(|bookmark| bookmark.url.clone()), String::new())
        }
        Focus::Transfers => (None, counted(app)),
        Focus::Panes => {
            let page = app.page();
            let target = page.and_then(Page::link).map(|link| link.target);
            (target, page.map_or(String::new(), about))
        }
    };
    match target {
        Some(Ok(url)) if about.is_empty() => (url.masked().into_owned(), Role::Text),
        Some(Ok(url)) => (format!("{}   · {about}", url.masked()), Role::Text),
        Some(Err(error)) => (error.to_string(), Role::Fault),
        None => (about, Role::Dim),
    }
}

/// A page in words: how much of it is here, and the charset where it is not UTF-8.
fn about(page: &Page) -> String {
    let Some(document) = page.document() else {
        return String::new();
    };
    let mut rows = super::rows_in_words(page);
    if let Some(charset) = document.foreign() {
        rows = format!("{rows} in {}", charset.name());
    }
    match &page.state {
        State::Arriving(_) => String::new(),
        State::Whole => rows,
        State::Stopped | State::Left => format!("{rows}, stopped"),
        State::Cut(_) => format!("{rows}, cut"),
        State::Broken(_) => format!("{rows}, broken off"),
    }
}

/// How the page's load and the downloads go.
fn progress(screen: &Screen<'_>) -> String {
    let mut parts = Vec::new();
    if let Some(page) = screen.app.page()
        && let State::Arriving(progress) = &page.state
    {
        let ellipsis = screen.glyph(Glyph::Ellipsis);
        parts.push(format!(
            "{}, {} {ellipsis}",
            super::rows_in_words(page),
            amount(progress)
        ));
    }
    if let Some(download) = screen.app.downloads.first() {
        let others = match screen.app.downloads.len() {
            0 | 1 => String::new(),
            more => format!(" and {} more", more - 1),
        };
        let name = text::shorten(download.name.as_str(), 24, screen.glyph(Glyph::Ellipsis));
        let glyph = screen.glyph(Glyph::Binary);
        parts.push(format!(
            "{glyph} {name} {}{others}",
            amount(&download.progress)
        ));
    }
    parts.extend(transfers(screen));
    parts.join(GAP)
}

/// The sum of the transfers that run, while they are not shown themselves.
fn transfers(screen: &Screen<'_>) -> Option<String> {
    let app = screen.app;
    let total = Total::of(app.transfers.running());
    let first = app.transfers.running().next()?;
    if app.focus == Focus::Transfers {
        return None;
    }
    let glyph = screen.glyph(Glyph::Binary);
    let what = match total.count {
        1 => text::shorten(first.name.as_str(), 24, screen.glyph(Glyph::Ellipsis)),
        count => format!("{count} files,"),
    };
    Some(format!("{glyph} {what} {}", total.words()))
}

/// How many transfers there are.
fn counted(app: &App) -> String {
    match app.transfers.items().len() {
        0 => String::new(),
        1 => "1 transfer".to_owned(),
        count => format!("{} transfers", text::count(count)),
    }
}

/// `31.4 MB`, or `66 % of 147.0 MB`, with the rate and the time left once there is one.
fn amount(progress: &Progress) -> String {
    let mut words = vec![transfers::amount(progress.octets, progress.size)];
    words.extend(
        progress
            .rate()
            .map(|rate| format!("{}/s", text::octets(rate))),
    );
    words.extend(progress.seconds_left().map(transfers::time));
    words.join(", ")
}

/// The few keys that matter here, as the keymap has them.
fn keys(screen: &Screen<'_>) -> Line<'static> {
    let app = screen.app;
    let loading = app.pane().is_some_and(|pane| {
        pane.incoming.is_some() || pane.page().is_some_and(|page| page.state.is_arriving())
    });
    let list = app.page().is_some_and(Page::is_list);
    let actions: &[(Action, &str)] = match app.focus {
        _ if loading => &[(Action::Stop, "stop"), (Action::Help, "keys")],
        Focus::Bookmarks => &[
            (Action::Open, "open"),
            (Action::EditBookmark, "edit"),
            (Action::Help, "keys"),
        ],
        Focus::Transfers => &[
            (Action::Pause, "pause"),
            (Action::Retry, "retry"),
            (Action::RemoveTransfer, "remove"),
            (Action::Transfers, "close"),
            (Action::Help, "keys"),
        ],
        Focus::Panes if app.form().is_some() => &[
            (Action::NextField, "next"),
            (Action::SendForm, "send"),
            (Action::LeaveForm, "leave"),
        ],
        Focus::Panes if list => &[
            (Action::Open, "open"),
            (Action::OpenBeside, "beside"),
            (Action::Help, "keys"),
        ],
        Focus::Panes => &[
            (Action::NextLink, "link"),
            (Action::Back, "back"),
            (Action::Help, "keys"),
        ],
    };
    let mut line = Line::default();
    for (action, word) in actions {
        if let Some(key) = screen.key(*action) {
            if !line.spans.is_empty() {
                line.push_span(GAP);
            }
            line.push_span(Span::styled(key, screen.style(Role::Key)));
            line.push_span(Span::styled(format!(" {word}"), screen.style(Role::Dim)));
        }
    }
    line
}
