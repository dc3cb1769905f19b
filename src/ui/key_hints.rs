//! Key hints: a key in the key style and what it does, one style for the status line, prompts, questions and forms. A
//! hint can be clicked.

use std::borrow::Cow;

use geomys_page::document::Link;
use geomys_store::bookmarks::followed;
use geomys_wire::text;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::screen::Screen;
use super::theme::Role;
use geomys_app::action::Action;
use geomys_app::home::HomeSource;
use geomys_app::home::new_items::NewCounts;
use geomys_app::keymap::{Key, KeyContext, write_keys};
use geomys_app::mouse::Click;
use geomys_app::tabs::pane::Pane;
use geomys_app::transfers::State;
use geomys_app::transfers::message::TransferOutcome;
use geomys_app::view::builtin::HOME;
use geomys_app::view::kind::KeyHint;
use geomys_app::{App, Continuations, Focus, Page};

/// The label of the key that stops a load. It is on the screen as long as a load runs.
pub const STOP_HINT: &str = "stop";

/// The gap between two hints.
const GAP: &str = "  ";

const OPEN: KeyHint = (Action::Open, "open");

/// The hints of every page, by priority, after those of its kind. That of the help is always the last one.
const COMMON: [KeyHint; 7] = [
    (Action::Back, "back"),
    (Action::Go, "URL"),
    (Action::Find, "find"),
    (Action::Bookmarks, "bookmarks"),
    (Action::Palette, "commands"),
    (Action::Home, "home"),
    QUIT,
];

/// The hint that takes the place of the way back where there is none.
const QUIT: KeyHint = (Action::Quit, "quit");

/// The hint of the list of downloads, on every page while it has any.
const DOWNLOADS: KeyHint = (Action::Transfers, "downloads");

/// The hints of a page that was searched, until the match is left.
const WHILE_FINDING: [KeyHint; 3] = [
    (Action::FindNext, "next"),
    (Action::FindPrevious, "previous"),
    (Action::Stop, "leave"),
];

/// The number of hints for which there is space from the start.
const MAX_HINTS: usize = 16;

/// The width of a screen with room for the further hints of its page, in columns.
const WIDE: u16 = 120;

/// A key and what it does.
#[derive(Clone, Debug)]
pub(super) struct Hint {
    key: String,
    label: Cow<'static, str>,
    click: Option<Click>,
    /// False while a box above the page gets the keys.
    is_in_force: bool,
}

/// Hints in a row, by priority.
#[derive(Clone, Debug, Default)]
pub(super) struct Hints(Vec<Hint>);

impl Hint {
    /// Creates the hint of a fixed key of an element above the page.
    pub(super) fn key(key: &str, label: impl Into<Cow<'static, str>>) -> Self {
        Self {
            key: key.to_owned(),
            label: label.into(),
            click: Key::parse(key).map(Click::Press),
            is_in_force: true,
        }
    }

    /// Adds a letter that does the same as the key.
    pub(super) fn or_letter(mut self, letter: char) -> Self {
        self.key = format!("{letter}/{}", self.key);
        self
    }

    /// Creates the hint of an action with the key that runs it now, in these contexts; `None` if there is none.
    fn action(app: &App, contexts: &[KeyContext], (action, label): KeyHint) -> Option<Self> {
        let is_typing = is_typing(app);
        let is_free = |keys: &&[Key]| {
            let types = |key: &Key| is_typing && key.character().is_some();
            !keys.first().is_some_and(types)
        };
        let keys = app.cx.keymap.keys_in(contexts, action).find(is_free)?;
        let (keys, click) = match keys {
            // The prefix of the keys that sort shows all of them.
            [prefix, _, ..] if is_sort(action) => (&[*prefix][..], Click::Press(*prefix)),
            keys => (keys, Click::Act(action)),
        };
        let is_numbered = |page: &Page| page.has_text_numbers();
        let by_number = (action, label) == OPEN
            && app.cx.focus == Focus::Panes
            && app.page().is_some_and(is_numbered);
        Some(Self {
            key: if by_number {
                "1-9".to_owned()
            } else {
                write_keys(keys)
            },
            label: label.into(),
            click: Some(click),
            is_in_force: true,
        })
    }

    fn width(&self) -> usize {
        text::width(&self.key) + 1 + text::width(&self.label)
    }

    /// Returns the hint in the style of all hints.
    fn spans(self, screen: &Screen<'_>) -> [Span<'static>; 2] {
        let of_key = if self.is_in_force {
            Role::Key
        } else {
            Role::Dim
        };
        [
            screen.span(self.key, of_key),
            screen.span(format!(" {}", self.label), Role::Dim),
        ]
    }
}

impl FromIterator<Hint> for Hints {
    fn from_iter<T: IntoIterator<Item = Hint>>(hints: T) -> Self {
        Self(hints.into_iter().collect())
    }
}

impl Hints {
    /// Returns the hints in grey: a box above the page gets the keys.
    pub(super) fn grey(mut self) -> Self {
        for hint in &mut self.0 {
            hint.click = None;
            hint.is_in_force = false;
        }
        self
    }

    /// Returns true for hints in grey.
    pub(super) fn are_grey(&self) -> bool {
        self.0.iter().any(|hint| !hint.is_in_force)
    }

    /// Returns the number of hints.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the first hints, with the last one at the end.
    pub(super) fn first_and_last(&self, count: usize) -> Self {
        let Some((last, others)) = self.0.split_last() else {
            return Self::default();
        };
        others.iter().take(count).chain([last]).cloned().collect()
    }

    /// Returns the number of hints at the front that are always shown: that of a running load.
    pub(super) fn required(&self) -> usize {
        let stops = |hint: &&Hint| hint.label == STOP_HINT;
        self.0.iter().take_while(stops).count()
    }

    /// Returns the width in columns.
    pub(super) fn width(&self) -> usize {
        let widths: usize = self.0.iter().map(Hint::width).sum();
        widths + GAP.len() * self.0.len().saturating_sub(1)
    }

    /// Divides the hints into rows of this width; into columns if they take more than one.
    pub(super) fn wrapped(mut self, width: usize) -> Vec<Self> {
        if self.width() > width {
            let widest = self.0.iter().map(Hint::width).max().unwrap_or(0);
            for hint in &mut self.0 {
                let pad = " ".repeat(widest - hint.width());
                hint.label.to_mut().push_str(&pad);
            }
        }
        let mut rows = vec![Self::default()];
        for hint in self.0 {
            if let Some(row) = rows.last_mut() {
                if row.0.is_empty() || row.width() + GAP.len() + hint.width() <= width {
                    row.0.push(hint);
                } else {
                    rows.push(Self(vec![hint]));
                }
            }
        }
        rows
    }

    /// Draws the hints from the left of a row on, as far as they fit.
    pub(super) fn draw(self, screen: &Screen<'_>, area: Rect, buffer: &mut Buffer) {
        let mut line = Line::default();
        for hint in self.0 {
            if !line.spans.is_empty() {
                line.push_span(GAP);
            }
            let start = u16::try_from(line.width()).unwrap_or(u16::MAX);
            let width = u16::try_from(hint.width()).unwrap_or(u16::MAX);
            let x = area.x.saturating_add(start);
            let clicked = Rect { x, width, ..area }.intersection(area);
            if let Some(click) = hint.click {
                screen.press(clicked, click);
            }
            line.spans.extend(hint.spans(screen));
        }
        screen.write(buffer, area, &line);
    }
}

fn is_sort(action: Action) -> bool {
    matches!(
        action,
        Action::SortName | Action::SortSize | Action::SortDate | Action::SortKind
    )
}

/// Returns true if letters are typed into a form of the page.
fn is_typing(app: &App) -> bool {
    let is_form = |page: &Page| page.form(&app.cx).is_some();
    app.page().is_some_and(is_form)
}

/// The hints of what has the focus, by priority: those of its kind, those of every page, and the help.
pub(super) fn of_focus(screen: &Screen<'_>) -> Hints {
    let app = screen.app;
    if app.continuations == Continuations::Shown {
        return Hints::from_iter([Hint::key("Esc", "cancel")]);
    }
    let own = own(app, screen.link.as_ref());
    let is_new = |(action, _): &KeyHint| own.iter().all(|(other, _)| other != action);
    let can_go_back = app.tabs.pane().is_some_and(Pane::can_go_back);
    let first = Some(QUIT).filter(|_| !can_go_back && app.cx.focus == Focus::Panes);
    let common = first.into_iter().chain(COMMON);
    let common = common.filter(|hint| match app.cx.focus {
        Focus::Panes => is_new(hint) && has_common(app),
        // `h` and Left fold and unfold there.
        Focus::Bookmarks | Focus::Transfers => {
            is_new(hint) && ![Action::Back, Action::Find].contains(&hint.0)
        }
    });
    let has_new = HomeSource::of(app).new_counts() != NewCounts::default();
    let read_on = (Action::NextUnread, "read on");
    let is_page = app.cx.focus == Focus::Panes && has_common(app);
    let read_on = Some(read_on).filter(|hint| has_new && is_page && is_new(hint));
    // After the first key of the page.
    let (first, others) = own.split_at(own.len().min(1));
    let own = first.iter().copied().chain(read_on);
    let own = own.chain(others.iter().copied());
    let page = app.page().filter(|_| is_page && screen.area.width >= WIDE);
    let more = page.map_or(&[][..], Page::more_hints).iter().copied();
    let mut hints: Vec<KeyHint> = Vec::with_capacity(MAX_HINTS);
    for hint in own.chain(more).chain(common) {
        if hints.iter().all(|(action, _)| *action != hint.0) {
            hints.push(hint);
        }
    }
    let hints = hints.into_iter();
    let hints = hints.filter(|(action, _)| *action != Action::Back || can_go_back);
    // A terminal session gets the keys.
    let help = (!in_session(app)).then_some((Action::Help, "help"));
    let hints = hints.chain(help);
    let contexts = app.tabs.contexts(&app.cx);
    hints
        .filter_map(|hint| Hint::action(app, &contexts, hint))
        .collect()
}

/// The hint of the key that closes what has the focus, for the end of the line of tabs.
pub(super) fn of_tabs(app: &App) -> Hints {
    let contexts = app.tabs.contexts(&app.cx);
    let hint = Hint::action(app, &contexts, (Action::ClosePane, "close"));
    hint.filter(|_| has_common(app)).into_iter().collect()
}

/// Returns true if the hints of every page are of use: not while a form takes the keys.
fn has_common(app: &App) -> bool {
    !is_typing(app) && !in_session(app)
}

/// Returns true if a terminal session of the page gets the keys.
fn in_session(app: &App) -> bool {
    app.page()
        .is_some_and(|page| page.session_has_keys(&app.cx))
}

/// The hints of the kind of what has the focus.
fn own(app: &App, link: Option<&Link>) -> Vec<KeyHint> {
    let is_loading = app.tabs.pane().is_some_and(|pane| {
        pane.incoming.is_some() || pane.page().is_some_and(|page| page.state.is_arriving())
    });
    match app.cx.focus {
        _ if is_loading => vec![(Action::Stop, STOP_HINT)],
        Focus::Bookmarks
            if app.bookmarks.checks.running.is_some() || app.bookmarks.titles.is_some() =>
        {
            vec![(Action::Stop, STOP_HINT)]
        }
        Focus::Bookmarks => vec![
            OPEN,
            (Action::EditBookmark, "edit"),
            (Action::Tags, "tags"),
            (Action::RemoveBookmark, "remove"),
            (Action::Undo, "undo"),
            (Action::FilterBookmarks, "filter"),
        ],
        Focus::Transfers => of_transfers(app),
        Focus::Panes if in_session(app) => {
            vec![(Action::SessionKeys, "back to Geomys")]
        }
        Focus::Panes if is_typing(app) => vec![
            (Action::NextField, "next"),
            (Action::SendForm, "send"),
            (Action::LeaveForm, "leave"),
        ],
        Focus::Panes => {
            let Some(page) = app.page() else {
                return Vec::new();
            };
            let mut hints = page.hints(link, &app.cx.settings);
            if page.lists_entries() && !is_followed(app, page) {
                hints.insert(hints.len().min(1), (Action::BookmarkPage, "follow"));
            }
            // The home page has the key in its text.
            let is_home = page.url.as_str() == HOME;
            if !is_home && !app.transfers.queue.items().is_empty() {
                hints.insert(hints.len().min(1), DOWNLOADS);
            }
            let is_found =
                |page: &Page| page.rows().is_some_and(|rows| rows.search.found.is_some());
            if is_found(page) {
                hints.splice(..0, WHILE_FINDING);
            }
            hints
        }
    }
}

/// Returns true if the page is followed.
fn is_followed(app: &App, page: &Page) -> bool {
    let bookmarks = &app.bookmarks.sidebar.bookmarks;
    let mut same = bookmarks.same_as(&page.url).into_iter();
    same.any(|index| {
        bookmarks
            .bookmark(index)
            .is_some_and(|one| followed::is_followed(&one))
    })
}

/// The hints of the transfer under the cursor: only those keys that do something now.
fn of_transfers(app: &App) -> Vec<KeyHint> {
    let remove = (Action::RemoveTransfer, "remove");
    let of_state = app.transfers.queue.chosen().map(|item| match item.state {
        State::Waiting | State::Running(..) => vec![(Action::Pause, "pause"), remove],
        State::Retrying(..) => vec![(Action::Pause, "pause"), (Action::Retry, "retry"), remove],
        State::Paused => vec![(Action::Pause, "resume"), remove],
        State::Asking(_) => vec![(Action::Open, "answer"), remove],
        State::Failed(_) => vec![(Action::Retry, "retry"), remove],
        State::Done(ref outcome) => {
            let label = match outcome {
                TransferOutcome::Directory(_, summary) if summary.failures > 0 => "list failures",
                TransferOutcome::Directory(..) => "open directory",
                TransferOutcome::File(_) | TransferOutcome::Skipped(_) => "open file",
            };
            vec![(Action::Open, label), (Action::ClearDone, "clear")]
        }
    });
    let mut hints = of_state.unwrap_or_default();
    hints.push((Action::Transfers, "close"));
    hints
}
