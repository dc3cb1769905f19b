//! What the state says of the tasks of the tour.

use crossterm::event::KeyCode;
use geomys_page::document::Shape;
use geomys_store::bookmarks::Bookmark;
use geomys_store::bookmarks::followed::is_followed;

use super::{Done, Tour};
use crate::keymap::Key;
use crate::tabs::tab::Tab;
use crate::transfers::State;
use crate::transfers::message::TransferOutcome;
use crate::{App, Focus, Page, PendingKeys};

impl App {
    /// Begins the tour.
    pub fn start_tour(&mut self) {
        self.tour = Some(Tour::default());
    }

    /// Goes on to the next task that is not done.
    pub(crate) fn follow_tour(&mut self) {
        let Some(mut tour) = self.tour.take() else {
            return;
        };
        while tour.task().is_some_and(|task| task.done.is_true(self)) {
            tour.end_task();
        }
        self.tour = Some(tour);
    }

    /// Puts the task off, if the key asks for it and nothing else takes the key.
    pub(crate) fn puts_task_off(&mut self, key: Key) -> bool {
        let is_free = self.cx.focus == Focus::Panes
            && self.pending_keys == PendingKeys::None
            && self.tabs.page().is_none_or(|page| {
                page.form(&self.cx).is_none() && !page.session_has_keys(&self.cx)
            });
        let tour = self.tour.as_mut();
        let Some(tour) = tour.filter(|_| is_free && key == Key::from_code(KeyCode::Tab)) else {
            return false;
        };
        tour.put_off();
        self.follow_tour();
        true
    }

    /// Leaves the tour, if it is on.
    pub(crate) fn leave_tour(&mut self) {
        if self.tour.take().is_some() {
            self.cx
                .notify("Tour left (geomys demo --tour begins it again)");
            self.cx.pages_changed();
        }
    }
}

impl Done {
    fn is_true(&self, app: &App) -> bool {
        let page = app.tabs.page().filter(|page| !page.is_error());
        let shows = |is_meant: &dyn Fn(&Page) -> bool| page.is_some_and(is_meant);
        let mut bookmarks = app.bookmarks.sidebar.bookmarks.bookmarks();
        let ends_in = |bookmark: &Bookmark<'_>, end: &str| {
            bookmark.url().is_ok_and(|url| url.as_str().ends_with(end))
        };
        match *self {
            Self::Shown(scheme, end) => shows(&|page| {
                let url = page.url.as_str();
                page.url.scheme_name() == scheme && path(url).is_some_and(|path| path == end)
            }),
            Self::Answered(scheme, part) => {
                shows(&|page| page.url.scheme_name() == scheme && page.url.as_str().contains(part))
            }
            Self::Found(end) => shows(&|page| {
                let is_found = page.rows().is_some_and(|rows| rows.search.found.is_some());
                is_found && page.url.as_str().ends_with(end)
            }),
            Self::Saved(name) => app.transfers.queue.items().iter().any(|item| {
                matches!(&item.state, State::Done(TransferOutcome::File(saved))
                    if saved.path.file_name().is_some_and(|saved| saved == name))
            }),
            Self::Bookmarked(end) => bookmarks.any(|bookmark| ends_in(&bookmark, end)),
            Self::Followed(end) => {
                bookmarks.any(|bookmark| ends_in(&bookmark, end) && is_followed(&bookmark))
            }
            Self::Repaired => app.bookmarks.sidebar.bookmarks.faults() == 0,
            Self::Subscribed(group) => app.news.is_subscribed(group.as_bytes()),
            Self::Article => shows(&|page| page.shape() == Some(Shape::Article)),
            Self::Posted => app.cx.settings.rules.has_own(),
            Self::Kept(end) => app.cx.copies.is_kept(end),
            Self::Offline => shows(&|page| app.cx.settings.offline && page.cached.is_some()),
            Self::Second => {
                let is_split = app.tabs.tabs().len() > 1
                    || app.tabs.tab().is_some_and(|tab: &Tab| tab.count() > 1);
                is_split && !app.cx.settings.offline
            }
        }
    }
}

/// Returns the path of a URL with a host, from its slash on.
fn path(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    rest.get(rest.find('/')?..)
}
