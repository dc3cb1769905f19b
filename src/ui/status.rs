//! The status line: the target of the link under the cursor, and the progress of loads; [`key_hints`] are at its end.

use geomys_page::load::Phase;
use geomys_wire::net::{shown_address, shown_url};
use geomys_wire::text::{self, Text};
use ratatui::buffer::Buffer;
use ratatui::text::{Line, Span};

use super::key_hints;
use super::screen::Screen;
use super::theme::{Glyph, Role};
use super::title;
use super::totals::{entries, in_words, size};
use crate::app::action::Action;
use crate::app::tabs::pane::IncomingPage;
use crate::app::transfers::TransferTotal;
use crate::app::view::context::State;
use crate::app::{App, Focus, Layout, Page, PendingKeys};
use crate::keymap::write_keys;

/// The gap between two parts.
const GAP: &str = "  ";

/// The gap between the position and the keys.
const MIDDLE: &str = "    ";

pub(super) fn draw(screen: &Screen<'_>, layout: &Layout, buffer: &mut Buffer) {
    let area = layout.status;
    let width = usize::from(area.width);
    let keys = key_hints::draw(screen);
    let progress = progress(screen);
    let keys_width = keys.width();
    let left_room = |used: usize| width.saturating_sub(used + 2);
    // Progress has priority over the keys, and the keys over the end of a long address.
    let mut right = keys;
    let prompts = questions(screen.app);
    if !prompts.is_empty() {
        // A load waits until its question is answered, so questions come first.
        let mut line = Line::from(screen.span(prompts, Role::Prompt));
        if !progress.is_empty() {
            let progress = format!("{GAP}{progress}");
            line.push_span(screen.span(progress, Role::Notice));
        } else if screen.app.cx.notice.is_none()
            && left_room(line.width() + keys_width + GAP.len()) > width / 3
        {
            line.push_span(GAP);
            line.spans.extend(right.spans);
        }
        right = line;
    } else if !progress.is_empty() {
        let mut line = Line::from(screen.span(progress.clone(), Role::Notice));
        if left_room(text::width(&progress) + keys_width + GAP.len()) > width / 3 {
            line.push_span(GAP);
            line.spans.extend(right.spans);
        }
        right = line;
    } else if screen.app.cx.notice.is_some() || left_room(keys_width) < width / 3 {
        right = Line::default();
    } else if found(screen.app).is_some_and(|words| text::width(&words) + 2 > left_room(keys_width))
    {
        // The reason for a dead link is shown in full.
        right = Line::default();
    }
    // The position is in the middle: before the keys, and before the end of a long address.
    let position = title::position(screen, layout);
    let position = position.filter(|position| {
        let room = left_room(right.width() + text::width(position) + MIDDLE.len());
        let is_cut = found(screen.app).is_some_and(|words| text::width(&words) + 2 > room);
        screen.app.cx.notice.is_none() && room >= width / 3 && !is_cut
    });
    if let Some(position) = position {
        let gap = if right.spans.is_empty() { GAP } else { MIDDLE };
        right.spans.insert(0, Span::raw(gap));
        right.spans.insert(0, screen.span(position, Role::Dim));
    }
    let room = width.saturating_sub(right.width() + 3);
    let (left, role) = left(screen, room);
    let left = screen.shorten(&left, room);
    let pad = " ".repeat(width.saturating_sub(2 + text::width(&left) + right.width()));
    let mut line = Line::from(" ");
    line.push_span(screen.span(left, role));
    line.push_span(pad);
    line.spans.extend(right.spans);
    screen.write(buffer, area, &line);
}

/// The phase of a load in words.
pub(super) fn phase(incoming: &IncomingPage) -> String {
    let url = incoming.request.url.base_parts();
    let address = url.address();
    let host = address.as_ref().map(shown_address).unwrap_or_default();
    match incoming.phase {
        Phase::Connecting if host.is_empty() => "connecting".to_owned(),
        Phase::Connecting => format!("connecting to {host}"),
        Phase::LoggingIn => format!("logging in to {host}"),
        Phase::Negotiating => "asking".to_owned(),
        Phase::Waiting => "waiting for the answer".to_owned(),
        Phase::Pause(seconds) => format!("{host} wants a pause, {seconds} s"),
        Phase::Alternate => "failed, trying the mirror".to_owned(),
    }
}

/// A notice, the pending keys, or the link under the cursor and the size of the page, in `room` columns.
fn left(screen: &Screen<'_>, room: usize) -> (String, Role) {
    let app = screen.app;
    match &app.pending_keys {
        PendingKeys::Sequence(keys) => return (write_keys(keys), Role::Prompt),
        PendingKeys::Digits(digits) => return (format!("link {digits}"), Role::Prompt),
        PendingKeys::None => {}
    }
    if let Some(notice) = &app.cx.notice {
        let role = if notice.is_error {
            Role::Fault
        } else {
            Role::Notice
        };
        return (notice.text.to_string(), role);
    }
    let (target, summary) = match app.cx.focus {
        Focus::Bookmarks => {
            let url = app
                .bookmarks
                .sidebar
                .bookmark()
                .map(|bookmark| bookmark.url());
            let summary = found(app).map_or(PageSummary::Amount(Vec::new()), PageSummary::First);
            (url, summary)
        }
        Focus::Transfers => (None, PageSummary::Amount(vec![counted(app)])),
        Focus::Panes => {
            let page = app.page();
            let target = page.and_then(Page::link).map(|link| link.target);
            (
                target,
                page.map_or(PageSummary::Amount(Vec::new()), summary),
            )
        }
    };
    match target {
        Some(Ok(url)) => (beside(&shown_url(&url), &summary, room), Role::Text),
        Some(Err(error)) => (error.to_string(), Role::Fault),
        None => {
            let words = match summary {
                PageSummary::First(filter) => filter,
                PageSummary::Amount(variants) => {
                    let fits = variants.iter().find(|variant| text::width(variant) <= room);
                    fits.or(variants.last()).cloned().unwrap_or_default()
                }
            };
            (words, Role::Dim)
        }
    }
}

/// The result of the link check for the bookmark under the cursor, if the bookmarks have the focus.
fn found(app: &App) -> Option<String> {
    let bookmark = app.bookmarks.listed().bookmark();
    let bookmark = bookmark.filter(|_| app.cx.focus == Focus::Bookmarks)?;
    app.bookmarks.checks.sentence(&bookmark.url().ok()?)
}

/// An address with the first summary variant that fits, if any does. A filter comes before the
/// address, because it explains why few rows are visible; so does the number of unread articles in a group.
fn beside(address: &str, summary: &PageSummary, room: usize) -> String {
    const DOT: &str = "   · ";
    match summary {
        PageSummary::First(filter) => format!("{filter}{DOT}{address}"),
        PageSummary::Amount(variants) => {
            let taken = text::width(address) + text::width(DOT);
            let fits = variants
                .iter()
                .find(|variant| taken + text::width(variant) <= room);
            match fits {
                Some(variant) => format!("{address}{DOT}{variant}"),
                None => address.to_owned(),
            }
        }
    }
}

/// The summary of a page.
enum PageSummary {
    /// A text before the address: the filter, the unread articles of a group, or the fault of a bookmark.
    First(String),
    /// The size of the page, as variants from long to short.
    Amount(Vec<String>),
}

/// The summary of a page: its filter, or its size, and the charset if it is not UTF-8.
fn summary(page: &Page) -> PageSummary {
    let nothing = PageSummary::Amount(Vec::new());
    let Some(document) = page.document() else {
        return nothing;
    };
    if let Some((words, shown, of)) = document.filter_summary() {
        let (shown, of) = (text::count(shown), text::count(of));
        return PageSummary::First(format!("filter: {}, {shown} of {of}", Text::of(words)));
    }
    let how = match &page.state {
        State::Arriving(_) | State::InSession(_) => return nothing,
        State::Whole => "",
        State::Stopped | State::Interrupted => ", stopped",
        State::Truncated(_) => ", cut",
        State::Broken(_) => ", broken off",
    };
    let charset = document.non_utf8_charset();
    let charset = charset.map_or(String::new(), |charset| format!(" in {}", charset.name()));
    if let Some((unread, of)) = page.unread() {
        let older = page.group().map_or(0, |group| group.overview.older());
        let older = match older {
            0 => String::new(),
            older => format!(", {} older", text::count(older)),
        };
        let unread = unread_in_words(unread, of);
        return PageSummary::First(format!("{unread}{older}{charset}{how}"));
    }
    let amounts = match document.totals() {
        Some(totals) => {
            let entries = entries(&totals);
            let short = match size(&totals) {
                None => entries.clone(),
                Some(size) => format!("{entries}, {size}"),
            };
            vec![in_words(&totals), short, entries]
        }
        None => vec![rows_in_words(page)],
    };
    let with_state = |amount| format!("{amount}{charset}{how}");
    PageSummary::Amount(amounts.into_iter().map(with_state).collect())
}

/// The text `12 unread of 345`.
fn unread_in_words(unread: usize, of: usize) -> String {
    match unread {
        0 => format!("all {} read", text::count(of)),
        unread => format!("{} unread of {}", text::count(unread), text::count(of)),
    }
}

/// The progress of the page's load and of the downloads.
fn progress(screen: &Screen<'_>) -> String {
    let mut parts = Vec::new();
    // A notice has priority; one tells of a search without a match.
    let page = screen.app.page();
    let has_found = |page: &&Page| page.rows().is_some_and(|rows| rows.search.found.is_some());
    let page = page.filter(|page| has_found(page) && screen.app.cx.notice.is_none());
    parts.extend(page.and_then(super::find::words).map(|(words, _)| words));
    if let Some(page) = screen.app.page()
        && let State::Arriving(progress) = &page.state
    {
        let ellipsis = screen.glyph(Glyph::Ellipsis);
        parts.push(format!(
            "{}, {} {ellipsis}",
            rows_in_words(page),
            progress.words()
        ));
    }
    if let Some(download) = screen.app.transfers.downloads().first() {
        let others = match screen.app.transfers.downloads().len() {
            0 | 1 => String::new(),
            more => format!(" and {} more", more - 1),
        };
        let name = screen.shorten(download.name.as_str(), 24);
        let glyph = screen.glyph(Glyph::Binary);
        parts.push(format!(
            "{glyph} {name} {}{others}",
            download.progress.words()
        ));
    }
    parts.extend(transfers(screen));
    parts.extend(check(screen.app));
    parts.join(GAP)
}

/// The number of waiting questions, and the key that shows those of transfers.
fn questions(app: &App) -> String {
    let number = |count: usize| match count {
        1 => "1 question".to_owned(),
        count => format!("{} questions", text::count(count)),
    };
    let of_transfers = match app.transfers.queue.asking().count() {
        0 => None,
        _ if app.cx.focus == Focus::Transfers => None,
        count => {
            let key = app.cx.keymap.key_of(Action::Transfers);
            let key = key.unwrap_or_else(|| format!(":{}", Action::Transfers.name()));
            Some(format!("{} ({key})", number(count)))
        }
    };
    let waiting_questions = match app.waiting_questions() {
        0 => None,
        count => Some(format!("{} after this form", number(count))),
    };
    let parts: Vec<String> = of_transfers.into_iter().chain(waiting_questions).collect();
    parts.join(", ")
}

/// The progress of the link check of bookmarks, or of the fetch of their titles.
fn check(app: &App) -> Option<String> {
    let Some(running) = &app.bookmarks.checks.running else {
        let fetch = app.bookmarks.titles.as_ref()?;
        return Some(format!("{} titles", fetch.progress.words()));
    };
    let dead = text::count(running.of("dead"));
    Some(format!("checked {}, {dead} dead", running.words()))
}

/// The sum of the transfers that run and wait, while the transfer list is not visible.
fn transfers(screen: &Screen<'_>) -> Option<String> {
    let app = screen.app;
    let total = TransferTotal::of(app.transfers.queue.remaining());
    let first = app.transfers.queue.running().next()?;
    if app.cx.focus == Focus::Transfers {
        return None;
    }
    let glyph = screen.glyph(Glyph::Binary);
    let what = match total.count {
        1 => screen.shorten(first.name.as_str(), 24),
        count => format!("{count} files,"),
    };
    Some(format!("{glyph} {what} {}", total.words()))
}

/// The number of transfers.
fn counted(app: &App) -> String {
    match app.transfers.queue.items().len() {
        0 => String::new(),
        1 => "1 transfer".to_owned(),
        count => format!("{} transfers", text::count(count)),
    }
}

/// The number of rows in words: `1,204 rows`.
fn rows_in_words(page: &Page) -> String {
    match page.count() {
        1 => "1 row".to_owned(),
        count => format!("{} rows", text::count(count)),
    }
}
