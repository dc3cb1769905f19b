//! The status line: the target of the link under the cursor, and the progress of loads; [`key_hints`] are at its end.

use geomys_load::Phase;
use geomys_wire::net::shown_address;
use geomys_wire::text::{self, Text};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::key_hints::{self, Hints};
use super::screen::Screen;
use super::screen::on_screen;
use super::theme::{Glyph, Role};
use super::title;
use super::totals::{entries, in_words, size};
use geomys_app::action::Action;
use geomys_app::home::HomeSource;
use geomys_app::home::new_items::NewCounts;
use geomys_app::keymap::write_keys;
use geomys_app::tabs::pane::IncomingPage;
use geomys_app::transfers::{Progress, TransferTotal};
use geomys_app::view::View;
use geomys_app::view::context::State;
use geomys_app::{App, Focus, Layout, Overlay, Page, PendingKeys};

/// The gap between two parts.
const GAP: &str = "   ";

/// The number of hints that come before the end of a fault, and before the numbers of new items.
const FIRST_HINTS: usize = 2;
const HINTS_BEFORE_NEW: usize = 5;

/// The number of hints that a row without room leaves at the front.
const HINTS_BESIDE_ROW: usize = 3;

/// The width of a screen from which a row without room stands whole left of the hints, in columns.
const WHOLE_ROW: u16 = 100;

/// The columns that the target keeps before the first hints, and before the others.
const TARGET: (usize, usize) = (12, 24);

/// The left part of the status line.
struct Left {
    /// The parts that are shown whole, the most important first.
    parts: Vec<(String, Role)>,
    /// The text before the target: the filter, or the unread articles of a group.
    first: String,
    /// The target, or the size of the page, as variants from long to short.
    target: Vec<String>,
    role: Role,
    /// The columns that the target keeps before all but the first hints.
    kept: usize,
    /// The numbers of new items, as variants from long to short.
    new: Vec<String>,
    /// True if a message takes the place of the rest.
    has_message: bool,
}

/// Draws the status line: on the left the message, or the position and the target; on the right as many hints as there
/// is room for.
pub(super) fn draw(screen: &Screen<'_>, layout: &Layout, buffer: &mut Buffer) {
    let area = layout.status;
    let room = usize::from(area.width).saturating_sub(2);
    // The keys of a question stand in its box.
    let hints = match &screen.app.dialogs.overlay {
        Some(Overlay::Dialog(_) | Overlay::Form(_)) => key_hints::of_focus(screen).grey(),
        _ => key_hints::of_focus(screen),
    };
    let mut left = left(screen, layout);
    let cut_row = screen.cut_row.take();
    if let Some(row) = cut_row.filter(|_| area.width >= WHOLE_ROW && !hints.are_grey()) {
        left.show_row(row, &hints, room);
    }
    let mut hints = left.fit(&hints, room);
    if hints.are_grey() {
        // They yield to what is said.
        let said = left.width();
        while hints.len() > 1 && said + hints.width() > room {
            hints = hints.first_and_last(hints.len() - 2);
        }
        hints = if said + hints.width() > room {
            Hints::default()
        } else {
            hints
        };
    }
    let taken = hints.width();
    let mut line = Line::from(" ");
    let mut free = room.saturating_sub(taken + if taken > 0 { GAP.len() } else { 0 });
    for (text, role) in left.into_parts(free) {
        let gap = if line.spans.len() > 1 { GAP } else { "" };
        let text = screen.shorten(&text, free.saturating_sub(gap.len()));
        if text.is_empty() {
            break;
        }
        free = free.saturating_sub(gap.len() + text::width(&text));
        line.push_span(gap);
        line.push_span(screen.span(text, role));
    }
    screen.write(buffer, on_screen(area), &line);
    let taken = u16::try_from(taken).unwrap_or(u16::MAX).min(area.width);
    let x = area.right().saturating_sub(taken + 1).max(area.x);
    let right = Rect {
        x,
        width: taken,
        ..on_screen(area)
    };
    hints.draw(screen, right, buffer);
}

impl Left {
    /// Shows the whole text of the row under the cursor in place of the size of the page, where the first hints have
    /// room beside it.
    fn show_row(&mut self, row: String, hints: &Hints, room: usize) {
        let taken = self.parts.iter().map(|(text, _)| text);
        let taken = taken.chain([&self.first, &row]);
        let taken: usize = taken
            .filter(|text| !text.is_empty())
            .map(|text| text::width(text) + GAP.len())
            .sum();
        let hints = hints.first_and_last(HINTS_BESIDE_ROW.max(hints.required()));
        if !self.has_message && self.role == Role::Dim && taken + hints.width() <= room {
            self.kept = text::width(&row);
            self.target = vec![row];
            self.role = Role::Text;
        }
    }

    /// Returns the hints that fit into `room` columns. Those after the first ones leave the target its columns.
    fn fit(&mut self, hints: &Hints, room: usize) -> Hints {
        let wide = |text: &str| match text::width(text) {
            0 => 0,
            width => width + GAP.len(),
        };
        let parts = |left: &Self| left.parts.iter().map(|(text, _)| wide(text)).sum::<usize>();
        let mut count = hints.required();
        // The new items take what the position, the target and the first hints leave.
        let first_hints = hints.first_and_last(count.max(HINTS_BEFORE_NEW)).width();
        let used = parts(self) + wide(&self.first) + self.kept + GAP.len() + first_hints;
        let mut variants = std::mem::take(&mut self.new).into_iter();
        let new = variants.find(|new| used + wide(new) <= room);
        self.parts.extend(new.map(|new| (new, Role::State)));
        // The position yields to the last hint, and to the one that stops a load.
        let last = hints.first_and_last(count).width();
        while self.parts.len() > 1 && parts(self) + last > room {
            self.parts.pop();
        }
        let (parts, first) = (parts(self), wide(&self.first));
        let target = match self.kept {
            0 => (0, 0),
            kept => (kept.min(TARGET.0) + GAP.len(), kept + GAP.len()),
        };
        while count + 1 < hints.len() {
            let kept = if count < FIRST_HINTS {
                target.0
            } else {
                first + target.1
            };
            if parts + kept + hints.first_and_last(count + 1).width() > room {
                break;
            }
            count += 1;
        }
        hints.first_and_last(count)
    }

    /// Returns the columns of all parts in their longest form.
    fn width(&self) -> usize {
        let parts = self.parts.iter().map(|(text, _)| text);
        let others = [Some(&self.first), self.target.first()];
        let texts = parts.chain(others.into_iter().flatten());
        let texts = texts.filter(|text| !text.is_empty());
        texts.map(|text| text::width(text) + GAP.len()).sum()
    }

    /// Returns the parts for `room` columns, from left to right.
    fn into_parts(self, room: usize) -> Vec<(String, Role)> {
        let texts = self.parts.iter().map(|(text, _)| text);
        let used = texts.chain([&self.first].into_iter().filter(|text| !text.is_empty()));
        let used: usize = used.map(|text| text::width(text) + GAP.len()).sum();
        let room = room.saturating_sub(used);
        let fits = self.target.iter().find(|text| text::width(text) <= room);
        let target = fits.or(self.target.last()).cloned().unwrap_or_default();
        // A number that is cut is another number.
        let target = if self.kept == 0 && text::width(&target) > room {
            String::new()
        } else {
            target
        };
        let rest = [(self.first, Role::Dim), (target, self.role)];
        let parts = self.parts.into_iter().chain(rest);
        parts.filter(|(text, _)| !text.is_empty()).collect()
    }
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
        Phase::Unpacking { .. } => {
            let progress = incoming.progress.as_ref().map(Progress::words);
            format!("reading the archive: {}", progress.unwrap_or_default())
        }
        Phase::Pause(seconds) => format!("{host} asks to wait {seconds} s"),
        Phase::Alternate => "failed, trying the mirror".to_owned(),
    }
}

/// The message or the pending keys; else the position, the link under the cursor and the size of the page.
fn left(screen: &Screen<'_>, layout: &Layout) -> Left {
    let app = screen.app;
    let message = message(app);
    let has_message = message.is_some();
    let mut parts: Vec<(String, Role)> = message.into_iter().collect();
    parts.push((questions(app), Role::Prompt));
    let (own, others) = progress(screen);
    let is_in_progress = !own.is_empty();
    parts.push((own, Role::Notice));
    // Where panes have titles, these have it.
    let is_in_title = layout.has_titles && app.cx.focus == Focus::Panes;
    let position =
        title::position(screen, layout).filter(|_| !has_message && !is_in_progress && !is_in_title);
    let position = (position.unwrap_or_default(), Role::Dim);
    let others = (others, Role::Notice);
    match found(app).filter(|_| !has_message) {
        // The reason for a dead link is shown whole.
        Some(found) => parts.extend([others, (found, Role::Dim), position]),
        None => parts.extend([position, others]),
    }
    parts.retain(|(text, _)| !text.is_empty());
    if has_message {
        return Left {
            parts,
            first: String::new(),
            target: Vec::new(),
            role: Role::Dim,
            kept: 0,
            new: Vec::new(),
            has_message,
        };
    }
    let page = app.page().filter(|_| app.cx.focus == Focus::Panes);
    let summary = match app.cx.focus {
        Focus::Bookmarks => PageSummary::Amount(Vec::new()),
        Focus::Transfers => PageSummary::Amount(vec![counted(app)]),
        Focus::Panes => page.map_or(PageSummary::Amount(Vec::new()), summary),
    };
    let (first, amounts) = match summary {
        PageSummary::First(first) => (first, Vec::new()),
        PageSummary::Amount(amounts) => (String::new(), amounts),
    };
    let (target, role, kept) = match screen.target() {
        // The address line shows the URL.
        Some(Ok(_)) | None => (amounts, Role::Dim, 0),
        Some(Err(error)) => {
            let error = error.to_string();
            let kept = text::width(&error);
            (vec![error], Role::Fault, kept)
        }
    };
    Left {
        parts,
        first,
        target,
        role,
        kept,
        new: new_items(screen),
        has_message,
    }
}

/// The numbers of new items: `● 12 articles  4 entries  3 saved`, and `● 19 new` where there is no room.
fn new_items(screen: &Screen<'_>) -> Vec<String> {
    let counts = HomeSource::of(screen.app).new_counts();
    if counts == NewCounts::default() {
        return Vec::new();
    }
    let glyph = screen.glyph(Glyph::New);
    let total = text::count(counts.total());
    vec![
        format!("{glyph} {}", counts.words()),
        format!("{glyph} {total} new"),
    ]
}

/// The pending keys, or the notice.
fn message(app: &App) -> Option<(String, Role)> {
    match &app.pending_keys {
        PendingKeys::Sequence(keys) => return Some((write_keys(keys), Role::Prompt)),
        PendingKeys::Digits(digits) => return Some((format!("link {digits}"), Role::Prompt)),
        PendingKeys::None => {}
    }
    let notice = app.cx.notice.as_ref()?;
    let role = if notice.is_error {
        Role::Fault
    } else {
        Role::Notice
    };
    Some((notice.text.to_string(), role))
}

/// The result of the link check for the bookmark under the cursor, if the bookmarks have the focus.
fn found(app: &App) -> Option<String> {
    let bookmark = app.bookmarks.listed().bookmark();
    let bookmark = bookmark.filter(|_| app.cx.focus == Focus::Bookmarks)?;
    app.bookmarks
        .checks
        .sentence(&bookmark.repaired_url().ok()?)
}

/// The summary of a page.
enum PageSummary {
    /// A text before the address: the filter, or the unread articles of a group.
    First(String),
    /// The size of the page, as variants from long to short.
    Amount(Vec<String>),
}

/// The summary of a page: its filter, its unread articles, or the size of a listing.
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
    if let Some((unread, of)) = page.unread() {
        let older = page.group().map_or(0, |group| group.overview.older());
        let older = match older {
            0 => String::new(),
            older => format!(", {} older", text::count(older)),
        };
        let unread = unread_in_words(unread, of);
        return PageSummary::First(format!("{unread}{older}{how}"));
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
        // The position tells the number of rows.
        None if how.is_empty() && !matches!(page.view, View::Found(_)) => return nothing,
        None => vec![rows_in_words(page)],
    };
    let with_state = |amount| format!("{amount}{how}");
    PageSummary::Amount(amounts.into_iter().map(with_state).collect())
}

/// The text `12 of 345 unread`.
fn unread_in_words(unread: usize, of: usize) -> String {
    match unread {
        0 if of == 0 => String::new(),
        0 => format!("all {} read", text::count(of)),
        unread => format!("{} of {} unread", text::count(unread), text::count(of)),
    }
}

/// The progress of the page, which takes the place of the position: its load, or the number of the match; and that of
/// the downloads and checks.
fn progress(screen: &Screen<'_>) -> (String, String) {
    let mut own = Vec::new();
    // A notice has priority; one tells of a search without a match.
    let page = screen.app.page();
    let has_found = |page: &&Page| page.rows().is_some_and(|rows| rows.search.found.is_some());
    let page = page.filter(|page| has_found(page) && screen.app.cx.notice.is_none());
    own.extend(page.and_then(super::find::words).map(|(words, _)| words));
    if let Some(page) = screen.app.page()
        && let State::Arriving(progress) = &page.state
    {
        let ellipsis = screen.glyph(Glyph::Ellipsis);
        own.push(format!(
            "{}, {} {ellipsis}",
            rows_in_words(page),
            progress.words()
        ));
    }
    let mut parts = Vec::new();
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
    if let Some(running) = &screen.app.library.sync.running {
        let glyph = screen.glyph(Glyph::Binary);
        parts.push(format!("{glyph} sync {}", running.words()));
    }
    parts.extend(check(screen.app));
    (own.join(GAP), parts.join(GAP))
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

/// The number of rows in words: `1,204 rows`; of a list of found pages, that of the pages.
fn rows_in_words(page: &Page) -> String {
    let (count, noun) = if let View::Found(found) = &page.view {
        (found.pages(), "page")
    } else {
        (page.count(), "row")
    };
    let end = if count == 1 { "" } else { "s" };
    format!("{} {noun}{end}", text::count(count))
}
