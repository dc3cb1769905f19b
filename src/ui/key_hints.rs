//! Key hints at the end of the status line: the most useful keys of what has the focus, as bound in the keymap.

use geomys_page::document::{Document, Shape};
use ratatui::text::Line;

use super::screen::Screen;
use super::theme::Role;
use crate::app::action::Action;
use crate::app::tabs::page::Content;
use crate::app::transfers::State;
use crate::app::transfers::message::TransferOutcome;
use crate::app::{App, Focus, Page};

/// The label of the key that stops a load. It is on the screen as long as a load runs.
pub const STOP_HINT: &str = "stop";

/// The gap between two hints.
const GAP: &str = "  ";

/// An action and its label.
type KeyHint = (Action, &'static str);

const HELP: KeyHint = (Action::Help, "help");
const OPEN: KeyHint = (Action::Open, "open");
const BACK: KeyHint = (Action::Back, "back");
const NEXT_UNREAD: KeyHint = (Action::NextUnread, "next unread");

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
        Focus::Panes if app.tabs.session_has_keys(&app.cx) => {
            vec![(Action::SessionKeys, "keys of the browser")]
        }
        Focus::Panes if app.tabs.form(&app.cx).is_some() => vec![
            (Action::NextField, "next"),
            (Action::SendForm, "send"),
            (Action::LeaveForm, "leave"),
        ],
        Focus::Panes => {
            let page = app.page();
            page.map_or(vec![HELP], |page| of_page(page, app))
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

/// The hints of a page by its kind.
fn of_page(page: &Page, app: &App) -> Vec<KeyHint> {
    match &page.content {
        Content::Failure(_) => [of_failure(page, app), vec![HELP]].concat(),
        Content::Dropped => vec![(Action::Reload, "load"), BACK, HELP],
        Content::Session(_) if page.state.is_in_session() => vec![
            (Action::SessionKeys, "back to the session"),
            (Action::ZoomSession, "zoom"),
            (Action::Save, "save log"),
            HELP,
        ],
        Content::Session(_) | Content::Form(_) => vec![BACK, HELP],
        Content::Document(document) => of_document(document, page.link().is_some()),
    }
}

/// The keys that help after a failure.
pub(super) fn of_failure(page: &Page, app: &App) -> Vec<KeyHint> {
    let has_copy = !page.copies(&app.cx.settings).is_empty();
    let open = (page.link().is_some() || has_copy).then_some(OPEN);
    let keys = [
        (Action::Reload, "retry"),
        (Action::EditUrl, "edit URL"),
        BACK,
    ];
    open.into_iter().chain(keys).collect()
}

/// The hints of a document; with `has_link`, a link is under its cursor.
fn of_document(document: &Document, has_link: bool) -> Vec<KeyHint> {
    let mut hints = if has_link { vec![OPEN] } else { Vec::new() };
    hints.extend(match document.shape() {
        Shape::Group => [NEXT_UNREAD].as_slice(),
        Shape::Article => &[(Action::ReadOn, "page"), NEXT_UNREAD],
        Shape::Listing { .. } => &[(Action::Download, "download")],
        Shape::Picture => &[(Action::ZoomIn, "zoom"), (Action::Save, "save")],
        Shape::Menu
        | Shape::Attributes
        | Shape::People
        | Shape::Hits
        | Shape::Visits
        | Shape::Groups => &[(Action::Hints, "hints")],
        Shape::Html | Shape::Json | Shape::Feed | Shape::Gemtext | Shape::Text => {
            &[(Action::PageDown, "page"), (Action::Find, "find")]
        }
    });
    hints.push(HELP);
    hints
}
