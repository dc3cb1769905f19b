//! The transfer list: a row for each, and details of the selected one below.

use geomys_store::transfer::queue::Destination;
use geomys_wire::net::shown_url;
use geomys_wire::text::{self, Text};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use super::screen::Screen;
use super::screen::on_screen;
use super::theme::{Glyph, Role};
use geomys_app::Layout;
use geomys_app::action::Action;
use geomys_app::library::message::RunningSync;
use geomys_app::transfers::message::TransferOutcome;
use geomys_app::transfers::{State, Transfer, TransferTotal, time};

/// The width of the share: `100%`.
const SHARE: usize = 4;

/// The width of the amounts: `999.9 kB of 999.9 MB`.
const AMOUNT: usize = 20;

/// The width of the state: `999.9 MB/s  99 min`.
const STATE: usize = 18;

/// The smallest width of the bar.
const MIN_BAR: usize = 8;

/// The gap between two columns.
const GAP: &str = "  ";

/// The widths that depend on the screen; a column without room has width 0.
#[derive(Clone, Copy)]
struct Columns {
    name: usize,
    host: usize,
    bar: usize,
    amount: usize,
}

impl Columns {
    /// The columns for these transfers: names and hosts as wide as they are, and the bar fills the row.
    fn of(width: usize, items: &[Transfer]) -> Self {
        let room = width.saturating_sub(1 + GAP.len() + STATE + 1);
        if room < 50 {
            // The name has priority over the amount.
            let amount = if room < 34 { 0 } else { AMOUNT };
            let taken = if amount > 0 { amount + GAP.len() } else { 0 };
            return Self {
                name: room - taken,
                host: 0,
                bar: 0,
                amount,
            };
        }
        let columns = MIN_BAR + GAP.len() + SHARE + GAP.len() + AMOUNT + GAP.len();
        let rest = room.saturating_sub(columns);
        let widest = |width: &dyn Fn(&Transfer) -> usize| items.iter().map(width).max();
        // Without room for both the name has priority over the host.
        let host = match rest {
            0..40 => 0,
            rest => {
                let own = |item: &Transfer| {
                    let file = current(item).map_or(0, Text::width);
                    text::width(&item.host()).max(file)
                };
                widest(&own).unwrap_or(0).min(rest * 2 / 5)
            }
        };
        let gap = if host > 0 { GAP.len() } else { 0 };
        let own = |item: &Transfer| text::width(&file_name(item));
        let name = widest(&own).unwrap_or(0).min(rest - host - gap);
        Self {
            name,
            host,
            bar: MIN_BAR + rest - host - gap - name,
            amount: AMOUNT,
        }
    }

    /// Returns the area of the bar in a row.
    fn bar_in(self, row: Rect) -> Rect {
        let wide = |width: usize| if width > 0 { width + GAP.len() } else { 0 };
        let before = 1 + wide(self.name) + wide(self.host);
        let x = row
            .x
            .saturating_add(u16::try_from(before).unwrap_or(u16::MAX));
        let width = u16::try_from(self.bar).unwrap_or(u16::MAX);
        Rect { x, width, ..row }.intersection(row)
    }
}

/// Draws the line above the list, in place of the address: the number of transfers by state, and their total.
pub(super) fn heading(screen: &Screen<'_>, area: Rect, buffer: &mut Buffer) {
    let items = screen.app.transfers.queue.items();
    let total = TransferTotal::of(screen.app.transfers.queue.remaining());
    let is_running = screen.app.transfers.queue.running().next().is_some();
    let right = if is_running {
        let room = usize::from(area.width).saturating_sub(9 + 2 * GAP.len());
        screen.shorten(&total.words(), room)
    } else {
        String::new()
    };
    let mut counts: Vec<String> = Vec::new();
    for (word, matches_state) in COUNTED {
        let count = items
            .iter()
            .filter(|item| matches_state(&item.state))
            .count();
        if count > 0 {
            counts.push(format!("{} {word}", text::count(count)));
        }
    }
    if let Some(rate) = screen.app.cx.settings.transfers.rate {
        counts.push(format!("at most {}/s", text::octets(rate.get())));
    }
    let width = usize::from(area.width);
    let room = width.saturating_sub(text::width(&right) + 16);
    let left = screen.shorten(&counts.join(", "), room);
    let used = 1 + 9 + GAP.len() + text::width(&left) + text::width(&right) + 1;
    screen.clear(buffer, area);
    let line = Line::from(vec![
        Span::raw(" "),
        screen.span("Transfers", Role::Heading),
        Span::raw(GAP),
        screen.span(left, Role::Dim),
        Span::raw(" ".repeat(width.saturating_sub(used))),
        screen.span(right, Role::Notice),
    ]);
    screen.write(buffer, area, &line);
}

type StatePredicate = fn(&State) -> bool;

const COUNTED: [(&str, StatePredicate); 7] = [
    ("running", |state| matches!(state, State::Running(..))),
    ("again", |state| matches!(state, State::Retrying(..))),
    ("waiting", |state| matches!(state, State::Waiting)),
    ("asking", |state| matches!(state, State::Asking(_))),
    ("paused", |state| matches!(state, State::Paused)),
    ("failed", |state| matches!(state, State::Failed(_))),
    ("done", |state| matches!(state, State::Done(_))),
];

/// Draws the transfers over the bookmarks and the panes. Returns the position of the terminal's cursor.
pub(super) fn draw(screen: &Screen<'_>, layout: &Layout, buffer: &mut Buffer) -> Option<Position> {
    let whole = layout.transfers();
    screen.clear(buffer, on_screen(whole));
    if let Some(running) = &screen.app.library.sync.running {
        let line = sync_row(screen, running, usize::from(whole.width));
        screen.write_at(buffer, on_screen(whole), 0, &line);
    }
    let area = Rect {
        y: whole.y + layout.sync_rows,
        height: whole.height.saturating_sub(layout.sync_rows),
        ..on_screen(whole)
    };
    let transfers = &screen.app.transfers.queue;
    let rows = layout.transfers_rows();
    if transfers.items().is_empty() {
        let key = screen.key(Action::Download);
        let key = key.unwrap_or_else(|| Action::Download.name().to_owned());
        let text = format!(" No transfers. {key} on a link downloads it.");
        let line = screen.line(text, Role::Dim);
        screen.write_at(buffer, area, 0, &line);
        return Some(area.as_position());
    }
    let columns = Columns::of(usize::from(area.width), transfers.items());
    let items = transfers.items().iter().enumerate().skip(transfers.top);
    for ((index, item), at) in items.zip(0..rows) {
        let is_chosen = index == transfers.cursor;
        let line = row(screen, item, is_chosen, columns);
        screen.write_choice(buffer, area, at, &line, is_chosen);
        let chosen = area.rows().nth(usize::from(at)).filter(|_| is_chosen);
        if let Some(row) = chosen {
            // A reversed bar would look empty where it is full.
            let row = columns.bar_in(row);
            let (_, role) = state(screen, item);
            screen.clear(buffer, row);
            screen.write(
                buffer,
                row,
                &screen.line(bar(screen, parts(item), columns.bar), role),
            );
        }
    }
    if rows < area.height
        && let Some(item) = transfers.chosen()
    {
        let below = Rect {
            y: area.y + rows,
            height: area.height.saturating_sub(rows),
            ..area
        };
        more(screen, item, below, buffer);
    }
    let row = transfers.cursor.checked_sub(transfers.top)?;
    let row = area.rows().nth(row)?;
    Some(row.as_position())
}

/// The row of a running sync: its source, the done part of the pages that are known so far, and its words.
fn sync_row(screen: &Screen<'_>, running: &RunningSync, width: usize) -> Line<'static> {
    let words = running.words();
    let room = width.saturating_sub(2 + text::width(&words) + 2 * GAP.len());
    let bar_width = room / 3;
    let name = match running.source.as_str() {
        "" => "Sync".to_owned(),
        source => format!("Sync: {source}"),
    };
    let name = screen.shorten(&name, room - bar_width);
    let pad = " ".repeat((room - bar_width).saturating_sub(text::width(&name)));
    let pages = (running.pages.done as u128, running.pages.found as u128);
    Line::from(vec![
        Span::raw(" "),
        screen.span(format!("{name}{pad}"), Role::Text),
        Span::raw(GAP),
        screen.span(bar(screen, Some(pages), bar_width), Role::Notice),
        Span::raw(GAP),
        screen.span(words, Role::Notice),
    ])
}

fn row(screen: &Screen<'_>, item: &Transfer, is_chosen: bool, columns: Columns) -> Line<'static> {
    let ellipsis = screen.glyph(Glyph::Ellipsis);
    let fitted = |text: &str, width: usize| {
        let text = text::shorten_middle(text, width, ellipsis);
        let pad = " ".repeat(width.saturating_sub(text::width(&text)));
        format!("{text}{pad}")
    };
    let mut line = Line::from(vec![
        screen.mark(is_chosen),
        screen.span(fitted(&file_name(item), columns.name), Role::Text),
    ]);
    let mut push = |text: String, role: Role| {
        line.push_span(GAP);
        line.push_span(screen.span(text, role));
    };
    if columns.host > 0 {
        // The row of a directory shows its current file instead of its host, which is below the list.
        match current(item) {
            Some(name) => push(fitted(name.as_str(), columns.host), Role::Text),
            None => push(fitted(&item.host(), columns.host), Role::Dim),
        }
    }
    let (state, role) = state(screen, item);
    if columns.bar > 0 {
        push(bar(screen, parts(item), columns.bar), role);
        let share = share(item).map_or(String::new(), |share| format!("{share}%"));
        push(format!("{share:>SHARE$}"), Role::Text);
    }
    if columns.amount > 0 {
        push(format!("{:>AMOUNT$}", here(item)), Role::Text);
    }
    push(format!("{state:>STATE$}"), role);
    line
}

/// The name of the file, or of the directory.
fn file_name(item: &Transfer) -> String {
    match item.to {
        Destination::File(_) => item.name.to_string(),
        Destination::Directory(_) => format!("{}/", item.name),
    }
}

/// The done part and the whole of a transfer, in files or octets; nothing while the whole is unknown.
fn parts(item: &Transfer) -> Option<(u128, u128)> {
    if matches!(item.state, State::Done(_)) {
        return Some((1, 1));
    }
    let amount = &item.amount;
    match (amount.files, amount.size) {
        (Some((done, found)), _) => Some((done as u128, found as u128)),
        (None, size) => Some((u128::from(amount.octets), u128::from(size?))),
    }
}

/// The done part of a transfer in percent.
fn share(item: &Transfer) -> Option<u128> {
    let (part, whole) = parts(item)?;
    Some((part * 100).checked_div(whole)?.min(100))
}

fn bar(screen: &Screen<'_>, parts: Option<(u128, u128)>, width: usize) -> String {
    let Some((part, whole)) = parts else {
        return " ".repeat(width);
    };
    let full = (part * width as u128).checked_div(whole).unwrap_or(0);
    let full = usize::try_from(full).unwrap_or(width).min(width);
    let (done, left) = (screen.glyph(Glyph::Done), screen.glyph(Glyph::Left));
    format!("{}{}", done.repeat(full), left.repeat(width - full))
}

/// The file that a running directory is at.
fn current(item: &Transfer) -> Option<&Text> {
    let is_running = matches!(item.state, State::Running(..) | State::Retrying(..));
    item.current.as_ref().filter(|_| is_running)
}

/// The progress of a running directory as a sentence: files, bytes and the current file.
fn directory_sentence(item: &Transfer) -> Option<String> {
    let (done, found) = item.amount.files?;
    let octets = match item.amount.size {
        Some(size) => octets_of(item.amount.octets, size),
        None => text::octets(item.amount.octets),
    };
    let current = current(item)?;
    Some(format!(
        "{} of {} files, {octets}, now {current}",
        text::count(done),
        text::count(found)
    ))
}

/// The amount on disk.
fn here(item: &Transfer) -> String {
    match (&item.state, item.amount.files) {
        (State::Done(TransferOutcome::Directory(_, summary)), _) => {
            format!("{} files", text::count(summary.files + summary.existing))
        }
        (State::Done(TransferOutcome::File(saved)), _) => text::octets(saved.octets),
        (State::Done(TransferOutcome::Skipped(_)), _) => "there already".to_owned(),
        (_, Some((done, found))) => {
            format!("{} of {}", text::count(done), text::count(found))
        }
        (_, None) => match item.amount.size {
            Some(size) => octets_of(item.amount.octets, size),
            None => text::octets(item.amount.octets),
        },
    }
}

/// An amount of a whole: `97.1 of 146.8 MB`, or `975.2 kB of 1.3 GB` in different units.
fn octets_of(here: u64, size: u64) -> String {
    let (here, size) = (text::octets(here), text::octets(size));
    match (here.split_once(' '), size.split_once(' ')) {
        (Some((number, unit)), Some((_, other))) if unit == other => format!("{number} of {size}"),
        _ => format!("{here} of {size}"),
    }
}

/// The state in a word or two.
fn state(screen: &Screen<'_>, item: &Transfer) -> (String, Role) {
    match &item.state {
        State::Waiting => ("waiting".to_owned(), Role::Dim),
        State::Running(_, rate) => {
            let speed = rate
                .octets_per_second()
                .map(|rate| format!("{}/s", text::octets(rate)));
            let left = item.amount.size.and_then(|size| rate.seconds_left(size));
            let words = [speed, left.map(time)].into_iter().flatten();
            let words = words.collect::<Vec<_>>().join("  ");
            let is_new = words.is_empty();
            (
                if is_new { "running".to_owned() } else { words },
                Role::Notice,
            )
        }
        State::Retrying(_, until, _) => {
            let left = until.saturating_sub(screen.app.cx.now);
            let seconds = left.as_millis().div_ceil(1000);
            (format!("again in {seconds} s"), Role::Fault)
        }
        State::Paused => ("paused".to_owned(), Role::Dim),
        State::Asking(question) => (question.word().to_owned(), Role::Prompt),
        State::Failed(_) => ("failed".to_owned(), Role::Fault),
        State::Done(TransferOutcome::Directory(_, summary)) if summary.failures > 0 => {
            let failed = text::count(summary.failures);
            (format!("{failed} failed, done"), Role::Fault)
        }
        State::Done(_) => ("done".to_owned(), Role::Dim),
    }
}

/// Draws details of the selected transfer: source, target, and its sentence.
fn more(screen: &Screen<'_>, item: &Transfer, area: Rect, buffer: &mut Buffer) {
    let line = screen.glyph(Glyph::Line).repeat(usize::from(area.width));
    screen.write_at(buffer, area, 0, &screen.line(line, Role::Rule));
    let width = usize::from(area.width).saturating_sub(8);
    let path = match &item.state {
        State::Done(TransferOutcome::File(saved)) => saved.path.display().to_string(),
        State::Done(TransferOutcome::Skipped(path) | TransferOutcome::Directory(path, _)) => {
            path.display().to_string()
        }
        State::Waiting
        | State::Running(..)
        | State::Retrying(..)
        | State::Paused
        | State::Asking(_)
        | State::Failed(_) => item.to.path().display().to_string(),
    };
    let ellipsis = screen.glyph(Glyph::Ellipsis);
    let named = [
        ("from", shown_url(&item.request.url).into_owned()),
        ("to", path),
    ];
    let mut index = 1;
    for (name, value) in named {
        let value = text::shorten(Text::of(&value).as_str(), width, ellipsis);
        let line = Line::from(vec![
            screen.span(format!(" {name:>4}  "), Role::Dim),
            screen.span(value, Role::Text),
        ]);
        screen.write_at(buffer, area, index, &line);
        index += 1;
    }
    let Some((sentence, role)) = sentence(item) else {
        return;
    };
    let mut lines: Vec<String> = text::wrap(&sentence, width.max(1))
        .into_iter()
        .map(str::to_owned)
        .collect();
    if let State::Done(TransferOutcome::Directory(_, summary)) = &item.state {
        let failed = summary.failed_lines();
        let room = usize::from(area.height.saturating_sub(index)).saturating_sub(lines.len());
        if failed.len() > room {
            let key = |action: Action| {
                screen
                    .key(action)
                    .unwrap_or_else(|| action.name().to_owned())
            };
            let shown = failed.iter().take(room.saturating_sub(1)).cloned();
            lines.extend(shown);
            let (open, retry) = (key(Action::Open), key(Action::Retry));
            lines.push(format!("{open} list failures, {retry} retry"));
        } else {
            lines.extend(failed);
        }
    }
    for line in lines {
        let line = text::shorten(&line, width, ellipsis);
        let line = screen.line(format!("       {line}"), role);
        screen.write_at(buffer, area, index, &line);
        index += 1;
    }
}

/// The sentence about the transfer, if there is one.
fn sentence(item: &Transfer) -> Option<(String, Role)> {
    match &item.state {
        State::Retrying(_, _, why) | State::Failed(why) => Some((why.to_string(), Role::Fault)),
        State::Asking(question) => Some((question.sentence(), Role::Prompt)),
        State::Done(TransferOutcome::Directory(_, summary)) => {
            Some((summary.sentence(None), Role::Dim))
        }
        State::Done(TransferOutcome::File(saved)) => Some((saved.end.sentence()?, Role::Dim)),
        State::Running(..) => directory_sentence(item).map(|sentence| (sentence, Role::Text)),
        State::Done(TransferOutcome::Skipped(_)) | State::Waiting | State::Paused => None,
    }
}
