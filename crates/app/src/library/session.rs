//! The stored session: written soon after each change, restored at the next start.

use geomys_store::files::session::{SessionPolicy, SessionState};

use crate::dialogs::search_history::SearchHistory;
use crate::library::message::{LibraryCommand, LibraryEffect};
use crate::tabs::stored::{beside, count_tabs, leave_out};
use crate::{BookmarksPane, Context, Dialog, Dialogs, Focus, Tabs};

/// The data that the session stores beside the tabs.
pub(crate) struct SessionChoices<'a> {
    bookmarks: &'a BookmarksPane,
    searches: &'a SearchHistory,
}

impl<'a> SessionChoices<'a> {
    pub(crate) fn of(bookmarks: &'a BookmarksPane, dialogs: &'a Dialogs) -> Self {
        Self {
            bookmarks,
            searches: &dialogs.searches,
        }
    }
}

/// The place where the session of this process is stored.
#[derive(Debug, Default)]
pub(crate) enum SessionStore {
    /// There are no files.
    #[default]
    None,
    /// Another process owns the file, or it cannot be written: the session ends with this process.
    Other,
    /// This process owns the file.
    Own(Box<OwnSession>),
}

/// The session of the process that owns the file.
#[derive(Debug, Default)]
pub(crate) struct OwnSession {
    /// The state in the file.
    written: SessionState,
    /// The session of the last run, until it is restored or the user decides against it.
    earlier: Option<SessionState>,
    /// True if that waits beside the URLs of this run until the user takes it up: its tabs stay in the file.
    waits: bool,
    /// True while [`LibraryMessage::SessionDue`](super::message::LibraryMessage::SessionDue) is on its way.
    is_scheduled: bool,
}

impl SessionStore {
    /// Creates the store of the process that owns the file with this content.
    pub(crate) fn own(earlier: SessionState) -> Self {
        Self::Own(Box::new(OwnSession {
            written: earlier.clone(),
            earlier: Some(earlier),
            waits: false,
            is_scheduled: false,
        }))
    }

    /// Returns true if the tabs would be lost at the end of the process.
    pub(crate) fn loses_tabs(&self, cx: &Context) -> bool {
        match self {
            Self::None => false,
            Self::Other => true,
            Self::Own(_) => cx.settings.session == SessionPolicy::New,
        }
    }

    /// Restores the session of the last run as the settings say; if this run opens URLs, it waits. Returns the number
    /// of restored tabs.
    pub(crate) fn restore(&mut self, opens_urls: bool, tabs: &mut Tabs, cx: &mut Context) -> usize {
        let Self::Own(own) = self else {
            return 0;
        };
        match cx.settings.session {
            SessionPolicy::Restore | SessionPolicy::Ask if opens_urls => {
                let earlier = own.earlier.take().unwrap_or_default();
                tabs.closed.take_over(&earlier);
                own.waits = count_tabs(&earlier) > 0;
                own.earlier = own.waits.then_some(earlier);
                0
            }
            SessionPolicy::Restore => own
                .earlier
                .take()
                .map_or(0, |state| tabs.restore_session(state)),
            SessionPolicy::Ask => {
                let count = own.earlier.as_ref().map_or(0, |state| state.tabs.len());
                if count == 0 {
                    own.earlier = None;
                    return 0;
                }
                let what = match count {
                    1 => "the tab".to_owned(),
                    count => format!("the {count} tabs"),
                };
                let question = format!("Restore {what} of the last session?");
                let restore = LibraryCommand::RestoreSession(true);
                let discard = LibraryCommand::RestoreSession(false);
                let dialog = Dialog::confirm(&question, restore).declined(vec![discard.into()]);
                cx.ask(dialog.with_buttons());
                0
            }
            SessionPolicy::New => {
                own.earlier = None;
                0
            }
        }
    }

    /// Carries out the answer to the question whether the session is restored.
    pub(crate) fn answered(&mut self, is_restored: bool, tabs: &mut Tabs, cx: &mut Context) {
        if let Self::Own(own) = self
            && let Some(state) = own.earlier.take()
        {
            if !is_restored {
                return tabs.closed.decline(state);
            }
            tabs.restore_session(state);
            cx.pages_changed();
            cx.reveal_all();
        }
    }

    /// Returns the number of tabs of the session that waits.
    pub(crate) fn waiting_tabs(&self) -> usize {
        match self {
            Self::Own(own) if own.waits => own.earlier.as_ref().map_or(0, count_tabs),
            Self::None | Self::Other | Self::Own(_) => 0,
        }
    }

    /// Opens the tabs of the session that waits, if there is one.
    pub(crate) fn take_up(&mut self, tabs: &mut Tabs, cx: &mut Context) {
        if let Self::Own(own) = self
            && own.waits
            && let Some(earlier) = own.earlier.take()
        {
            own.waits = false;
            let count = tabs.restore_session(SessionState {
                closed: tabs.session_state().closed,
                ..earlier
            });
            cx.focus = Focus::Panes;
            cx.notify(&match count {
                1 => "1 tab of the last session".to_owned(),
                count => format!("{count} tabs of the last session"),
            });
            cx.pages_changed();
            cx.reveal_all();
        }
    }

    /// Opens the tab that was closed last: first those of this run, then the session that waits, then older ones.
    pub(crate) fn reopen(&mut self, tabs: &mut Tabs, cx: &mut Context) {
        if self.waiting_tabs() > 0 && !tabs.closed.has_new() {
            self.take_up(tabs, cx);
        } else {
            tabs.reopen_tab(cx);
        }
    }

    /// Schedules a write: the session may have changed.
    pub(crate) fn changed(&mut self, cx: &mut Context) {
        if let Self::Own(own) = self
            && !own.is_scheduled
        {
            own.is_scheduled = true;
            cx.emit(LibraryEffect::ScheduleSession);
        }
    }

    /// Writes the session that was scheduled, if it has changed.
    pub(crate) fn due(&mut self, tabs: &Tabs, chosen: &SessionChoices<'_>, cx: &mut Context) {
        if let Self::Own(own) = self {
            own.is_scheduled = false;
        }
        self.save(tabs, chosen, cx);
    }

    /// Writes the session, if it has changed.
    pub(crate) fn save(&mut self, tabs: &Tabs, chosen: &SessionChoices<'_>, cx: &mut Context) {
        let Self::Own(own) = self else {
            return;
        };
        let current = match &own.earlier {
            None => tabs.session_state(),
            Some(earlier) if own.waits => beside(tabs.session_state(), earlier),
            // The answer to the question may still need it.
            Some(_) => return,
        };
        let mut state = SessionState {
            closed_folders: chosen.bookmarks.sidebar.closed_folders(),
            bookmark_order: chosen.bookmarks.sort.order,
            searches: chosen.searches.stored(),
            ..current
        };
        leave_out(&cx.settings.history.except, &mut state);
        if state != own.written {
            own.written = state.clone();
            cx.emit(LibraryEffect::SaveSession(state));
        }
    }
}
