//! Key hints at the end of the status line: the most useful keys of what has the focus, as bound in the keymap.

use ratatui::text::Line;

use super::screen::Screen;
use super::theme::Role;
use crate::app::action::Action;
use crate::app::transfers::State;
use crate::app::transfers::message::TransferOutcome;
use crate::app::view::kind::KeyHint;
use crate::app::{App, Focus};

/// The label of the key that stops a load. It is on the screen as long as a load runs.
pub const STOP_HINT: &str = "stop";

/// The gap between two hints.
const GAP: &str = "  ";

const HELP: KeyHint = (Action::Help, "help");
const OPEN: KeyHint = (Action::Open, "open");

/// The hints of what has the focus.
pub(super) fn draw(screen: &Screen<'_>) -> Line<'static> {
    let mut line = Line::default();
    for (action, label) in key_hints(screen.app) {
        if let Some(key) = screen.key(action) {
            if !line.spans.is_empty() {
                line.push_span(GAP);
            }
            line.push_span(screen.span(key, Role::Key));
            line.push_span(screen.span(format!(" {label}"), Role::Dim));
        }
    }
    line
}

fn key_hints(app: &App) -> Vec<KeyHint> {
    let is_loading = app.tabs.pane().is_some_and(|pane| {
        pane.incoming.is_some() || pane.page().is_some_and(|page| page.state.is_arriving())
    });
    match app.cx.focus {
        _ if is_loading => vec![(Action::Stop, STOP_HINT), HELP],
        Focus::Bookmarks
            if app.bookmarks.checks.running.is_some() || app.bookmarks.titles.is_some() =>
        {
            vec![(Action::Stop, STOP_HINT), HELP]
        }
        Focus::Bookmarks => vec![
            OPEN,
            (Action::FilterBookmarks, "find"),
            (Action::EditBookmark, "edit"),
            HELP,
        ],
        Focus::Transfers => of_transfers(app),
        Focus::Panes
            if app
                .tabs
                .page()
                .is_some_and(|page| page.session_has_keys(&app.cx)) =>
        {
            vec![(Action::SessionKeys, "back to Geomys")]
        }
        Focus::Panes
            if app
                .tabs
                .page()
                .and_then(|page| page.form(&app.cx))
                .is_some() =>
        {
            vec![
                (Action::NextField, "next"),
                (Action::SendForm, "send"),
                (Action::LeaveForm, "leave"),
            ]
        }
        Focus::Panes => {
            let page = app.page();
            let hints = page.map(|page| page.hints(&app.cx.settings));
            hints.into_iter().flatten().chain([HELP]).collect()
        }
    }
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
    hints.extend([(Action::Transfers, "close"), HELP]);
    hints
}
