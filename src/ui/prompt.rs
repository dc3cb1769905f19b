//! A prompt: a line of input in its box, with its fault or meaning, suggestions and keys.

use geomys_store::bookmarks::followed::meaning;
use geomys_store::search::{QueryError, SearchQuery};
use geomys_wire::text;
use jiff::Timestamp;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;
use rfc1738::Url;

use super::key_hints::{Hint, Hints};
use super::prompt_box::{self, BoxPlace, PromptBox};
use super::screen::Screen;
use super::theme::Role;
use geomys_app::dialogs::palette::PaletteEntry;
use geomys_app::dialogs::text_input::{BookmarkInput, Completions, InputCommand, TextInput};
use geomys_app::mouse::Click;
use geomys_app::view::builtin;
use geomys_app::{Dialog, Layout};

/// The sign before a line of input.
const LABEL: &str = ">";

/// The language of the search of stored copies.
const QUERY_HELP: [&str; 3] = [
    "words  \"a phrase\"  start*  one OR two  -without  -in:web",
    "in:news in:web in:kept  is:unread  host:example.org",
    "from:ada  subject:lamp  title:lamp  url:log  since:2w",
];

/// Draws a line of input in its box, with what stands below it; `behind` is the position of the cursor in the part
/// behind it. Returns the position of the terminal's cursor.
pub(super) fn draw(
    screen: &Screen<'_>,
    (dialog, input): (&Dialog, &TextInput),
    (layout, behind): (&Layout, Option<Position>),
    buffer: &mut Buffer,
) -> Position {
    let frame = PromptBox::new(layout, place(input, behind));
    let width = frame.width();
    let (title, question) = prompt_box::title(dialog);
    let room = usize::from(width).saturating_sub(2).max(1);
    let mut above: Vec<Line<'_>> = question
        .into_iter()
        .flat_map(|question| text::wrap(question, room))
        .map(|piece| screen.line(format!(" {piece}"), Role::Prompt))
        .collect();
    let mut below = below_input(screen, input, width);
    let chosen = input.suggestions.as_ref().and_then(|found| found.chosen);
    let first = below.len();
    let entries = input.suggestions.iter().flat_map(|found| &found.list);
    below.extend(entries.enumerate().map(|(index, entry)| {
        super::palette::drawn(screen, entry, chosen == Some(index), usize::from(width))
    }));
    let suggested = below.len() - first;
    let keys = keys(input).wrapped(room);
    // The input and the keys are more important than the rest.
    let others = frame.max_rows().saturating_sub(1 + keys.len());
    above.truncate(others.saturating_sub(below.len().min(others / 2)));
    below.truncate(others.saturating_sub(above.len()));
    let rows = above.len() + 1 + below.len() + keys.len();
    let area = frame.draw(screen, (&title, Role::Heading), rows, buffer);
    screen.write_lines(buffer, area, &above);
    let at = u16::try_from(above.len()).unwrap_or(u16::MAX);
    let (words, role) = beside_input(screen, input).unwrap_or((String::new(), Role::Dim));
    let taken = match text::width(&words) {
        0 => 0,
        width => u16::try_from(width + 2).unwrap_or(0),
    };
    let left = Rect {
        width: area.width.saturating_sub(taken).max(area.width / 2),
        ..area
    };
    let (cursor, _) = screen.input((LABEL, &input.input, input.is_secret), left, at, buffer);
    let room = Rect::new(left.right() + 1, area.y + at, taken.saturating_sub(1), 1);
    screen.write(buffer, room.intersection(area), &screen.line(words, role));
    let rows = area.rows().skip(above.len() + 1);
    for ((index, line), row) in below.iter().enumerate().zip(rows) {
        screen.write(buffer, row, line);
        let suggestion = index.checked_sub(first).filter(|entry| *entry < suggested);
        if let Some(entry) = suggestion {
            screen.press(row, Click::Choose(entry));
        }
        if chosen.is_some() && suggestion == chosen {
            screen.highlight(buffer, row);
        }
    }
    prompt_box::draw_keys(screen, keys, area, buffer);
    cursor
}

/// The most earlier states of the bookmarks that are listed.
const STATES: usize = 10;

/// The lines below a line of input, without its suggestions.
fn below_input<'a>(screen: &Screen<'a>, input: &TextInput, width: u16) -> Vec<Line<'a>> {
    let dim = |text: &str| screen.line(format!(" {text}"), Role::Dim);
    let suggested = input.suggested().and_then(PaletteEntry::url);
    let mut lines = remark_or_meaning(screen, input, suggested, width);
    if let Some(hint) = hint(screen, input).filter(|_| suggested.is_none()) {
        lines.push(dim(&hint));
    }
    lines.extend(tags(screen, input, width));
    match &input.command {
        InputCommand::Open => {
            if input.input.value().is_empty() {
                lines.push(dim("URL (gopher://…, ftp://…, news:…) or host"));
            }
            // The prompt keeps its height while the user types an address.
            lines.resize(lines.len().max(2), Line::default());
        }
        InputCommand::Bookmarks(BookmarkInput::State(states)) => {
            let shown = states.iter().take(STATES);
            lines.extend(shown.map(|state| dim(&screen.shorten(state, usize::from(width)))));
        }
        InputCommand::Bookmarks(BookmarkInput::Filter) => lines.push(found(screen, input, width)),
        command if is_copy_search(command) => lines.extend(QUERY_HELP.map(dim)),
        InputCommand::Find(_)
        | InputCommand::Filter
        | InputCommand::MarkPattern
        | InputCommand::Article
        | InputCommand::Request(..)
        | InputCommand::Path(_)
        | InputCommand::Author(_)
        | InputCommand::RenameIdentity(_)
        | InputCommand::Bookmarks(_) => {}
    }
    lines.extend(screen.discarded());
    lines
}

/// The text at the right of a line of input: the number of the match, or of the bytes that are left.
fn beside_input(screen: &Screen<'_>, input: &TextInput) -> Option<(String, Role)> {
    match &input.command {
        InputCommand::Find(_) if screen.app.cx.notice.is_none() => {
            super::find::words(screen.app.page()?)
        }
        _ => input.hint.clone().map(|hint| (hint, Role::Dim)),
    }
}

/// The keys of a line of input.
fn keys(input: &TextInput) -> Hints {
    let mut keys = vec![Hint::key("Enter", prompt_box::verb(&input.command))];
    if input.takes_lines() {
        keys.push(Hint::key("Alt-Enter", "new line"));
        if !input.is_secret {
            keys.push(Hint::key("Alt-e", "editor"));
        }
    }
    let has_list = input.suggestions.as_ref();
    match &input.completions {
        _ if has_list.is_some_and(|found| !found.list.is_empty()) => {
            keys.push(Hint::key("Down", "choose"));
        }
        Completions::None | Completions::Query(_) => {}
        Completions::Tags(_) | Completions::Names(_) | Completions::Proposal(_) => {
            keys.push(Hint::key("Tab", "complete"));
        }
    }
    if let InputCommand::Bookmarks(BookmarkInput::Filter) = input.command {
        keys.push(Hint::key("Tab", "to the list"));
        keys.push(Hint::key("Esc", "clear"));
    } else {
        keys.push(Hint::key("Esc", "cancel"));
    }
    keys.into_iter().collect()
}

/// The remark of a line of input, else the meaning or the fault of the typed or suggested address.
fn remark_or_meaning(
    screen: &Screen<'_>,
    input: &TextInput,
    suggested: Option<&Url>,
    width: u16,
) -> Vec<Line<'static>> {
    let typed = input.input.value();
    let room = usize::from(width);
    let place = || {
        let column = text::width(LABEL) + 2;
        let line = &input.input;
        let scroll = line.visual_scroll(room.saturating_sub(column + 1).max(1));
        (column, scroll)
    };
    if let Some(remark) = &input.remark {
        if let Some(error) = query_error(input) {
            let fault = (error.column(typed), remark.as_str());
            return screen.pointed(typed, fault, place(), room);
        }
        let pieces = text::wrap(remark.as_str(), room.saturating_sub(2).max(1));
        let dim = |text: &str| screen.line(format!(" {text}"), Role::Dim);
        return pieces.into_iter().map(dim).collect();
    }
    if let Some(url) = suggested {
        return vec![screen.meaning(url)];
    }
    if input.suggested().is_some() {
        return Vec::new();
    }
    let app = screen.app;
    let read = input
        .address()
        .map(|address| app.bookmarks.parse_typed(address, &app.tabs, &app.cx));
    match read {
        Some(Err(error)) => screen.verdict(typed, &error, place(), width),
        Some(Ok(url)) if typed.trim() != url.as_str() => vec![screen.meaning(&url)],
        Some(Ok(url)) => screen.departures(&url, room),
        None => Vec::new(),
    }
}

/// The error in the words for a search of stored copies.
fn query_error(input: &TextInput) -> Option<QueryError> {
    let is_query = is_copy_search(&input.command);
    let typed = is_query.then(|| input.input.value())?;
    SearchQuery::parse(typed, Timestamp::UNIX_EPOCH).err()
}

/// Returns true for the prompt of the search of stored copies.
fn is_copy_search(command: &InputCommand) -> bool {
    matches!(command, InputCommand::Request(pending, _) if pending.request.url.as_str() == builtin::SEARCH)
}

/// The matching tags, those that follow with their meaning; `None` if the input is for no tags.
fn tags(screen: &Screen<'_>, input: &TextInput, width: u16) -> Option<Line<'static>> {
    let Completions::Tags(_) = input.completions else {
        return None;
    };
    let tags = input
        .tag_completions()
        .take(20)
        .map(|tag| match meaning(tag) {
            Some(meaning) => format!("#{tag} ({meaning})"),
            None => format!("#{tag}"),
        });
    let tags: Vec<String> = tags.collect();
    let mut tags = tags.join(" ");
    if !tags.is_empty() {
        tags.insert_str(0, "Tab completes: ");
    }
    let tags = screen.shorten(&tags, usize::from(width).saturating_sub(2));
    Some(screen.line(format!(" {tags}"), Role::Tag))
}

/// The number of bookmarks found and what completes the word, or what can be searched for.
fn found(screen: &Screen<'_>, input: &TextInput, width: u16) -> Line<'static> {
    let sidebar = &screen.app.bookmarks.sidebar;
    let dim = screen.style(Role::Dim);
    let words = match sidebar.filter() {
        None => "words, #tag, is:dead, host:, since:2019, a OR b, /regex/".to_owned(),
        Some(filter) => {
            let all = sidebar.bookmarks.len() - sidebar.bookmarks.folders().count();
            let (found, all) = (text::count(filter.found.len()), text::count(all));
            format!("{found} of {all}")
        }
    };
    let completions = input.query_completions();
    let words = if completions.is_empty() {
        words
    } else {
        format!("{words}  Right completes: {}", completions.join(" "))
    };
    let words = screen.shorten(&words, usize::from(width).saturating_sub(2));
    Line::styled(format!(" {words}"), dim)
}

/// The place of the box: where the text changes what is shown of the page, away from the cursor there.
fn place(input: &TextInput, behind: Option<Position>) -> BoxPlace {
    match (&input.command, behind) {
        (
            InputCommand::Find(_)
            | InputCommand::Filter
            | InputCommand::Bookmarks(BookmarkInput::Filter),
            Some(at),
        ) => BoxPlace::AwayFrom(at.y),
        _ => BoxPlace::Middle,
    }
}

/// The hint at the probable meaning of a typed address.
fn hint(screen: &Screen<'_>, input: &TextInput) -> Option<String> {
    let (address, app) = (input.address()?, screen.app);
    let url = app.bookmarks.parse_and_fix(address, &app.tabs, &app.cx);
    Some(url.ok()?.hint()?.to_string())
}
