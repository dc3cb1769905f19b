//! The tour of the demo: fifteen tasks, each done when the state says so.
//!
//! A task is done by what is shown, stored or sent, whatever keys or buttons led there. Its progress is in memory: the
//! profile of the demo ends with it.

mod follow;

use std::collections::VecDeque;

use crate::action::Action;

/// The lines of the strip below the page.
pub const TOUR_LINES: u16 = 5;

/// The lines of a screen from which the strip is shown.
const MIN_LINES: u16 = 16;

/// A task.
#[derive(Debug)]
pub struct TourTask {
    /// What to do.
    pub words: &'static str,
    /// The actions that do it, with their labels.
    pub hints: &'static [(Action, &'static str)],
    done: Done,
}

/// The state in which a task is done.
#[derive(Debug)]
enum Done {
    /// A page of this scheme is shown, and its URL ends in this.
    Shown(&'static str, &'static str),
    /// A page of this scheme is shown whose URL has this in it.
    Answered(&'static str, &'static str),
    /// A page whose URL ends in this is shown, and words were found in it.
    Found(&'static str),
    /// A file of this name was saved.
    Saved(&'static str),
    /// There is a bookmark of a URL that ends in this.
    Bookmarked(&'static str),
    /// A bookmark of a URL that ends in this is followed.
    Followed(&'static str),
    /// No bookmark has a URL with a fault.
    Repaired,
    /// This group is subscribed to.
    Subscribed(&'static str),
    /// An article is shown.
    Article,
    /// The news server has taken an article.
    Posted,
    /// A page whose URL ends in this is kept, and here.
    Kept(&'static str),
    /// A copy is shown in offline mode.
    Offline,
    /// There is a second page beside or behind the first, online.
    Second,
}

/// The tasks, in their order.
const TASKS: [TourTask; 15] = [
    TourTask {
        words: "Open the library: choose its row on the market square.",
        hints: &[(Action::Open, "open"), (Action::RowDown, "down")],
        done: Done::Shown("gopher", "/1/library"),
    },
    TourTask {
        words: "Go back to the market square.",
        hints: &[(Action::Back, "back")],
        done: Done::Shown("gopher", "/"),
    },
    TourTask {
        words: "Read “What this place is”, and find the word brass in it.",
        hints: &[(Action::Open, "open"), (Action::Find, "find")],
        done: Done::Found("/0/about.txt"),
    },
    TourTask {
        words: "Ask the librarian, back on the market square, for soup.",
        hints: &[(Action::Back, "back"), (Action::Open, "open")],
        done: Done::Answered("gopher", "/7/search%09"),
    },
    TourTask {
        words: "Read potato-soup.txt: “The archive, by FTP”, then pub, then texts.",
        hints: &[
            (Action::Home, "home"),
            (Action::Back, "back"),
            (Action::Open, "open"),
        ],
        done: Done::Answered("ftp", "/potato-soup.txt"),
    },
    TourTask {
        words: "Carry the drum home: download drum.img from pub/software of the archive.",
        hints: &[
            (Action::Up, "up"),
            (Action::Open, "open"),
            (Action::Download, "download"),
            (Action::Transfers, "downloads"),
        ],
        done: Done::Saved("drum.img"),
    },
    TourTask {
        words: "Bookmark the weather station of the market square.",
        hints: &[(Action::Open, "open"), (Action::BookmarkPage, "bookmark")],
        done: Done::Bookmarked("/1/weather"),
    },
    TourTask {
        words: "Follow the phlog of Dibble, telegraph clerk: open it, and tick Follow.",
        hints: &[(Action::Open, "open"), (Action::BookmarkPage, "follow")],
        done: Done::Followed("/1/phlog"),
    },
    TourTask {
        words: "Repair the bookmark with the bad URL.",
        hints: &[
            (Action::Bookmarks, "bookmarks"),
            (Action::NextFault, "next bad URL"),
            (Action::Repair, "repair"),
        ],
        done: Done::Repaired,
    },
    TourTask {
        words: "Open “The reading room on gophers and menus”, and subscribe to it.",
        hints: &[
            (Action::Open, "open"),
            (Action::ToggleSubscription, "subscribe"),
        ],
        done: Done::Subscribed("underloam.infosystems.gopher"),
    },
    TourTask {
        words: "Read one of its articles.",
        hints: &[(Action::Open, "open"), (Action::NextUnread, "next unread")],
        done: Done::Article,
    },
    TourTask {
        words: "Reply in the group: write a line in your editor, and send it.",
        hints: &[(Action::FollowUp, "reply")],
        done: Done::Posted,
    },
    TourTask {
        words: "Keep the map for a time without a network: on its row of the market square.",
        hints: &[(Action::Open, "open"), (Action::SaveForLater, "keep")],
        done: Done::Kept("/1/map"),
    },
    TourTask {
        words: "Read underground: go offline, and open the map again.",
        hints: &[(Action::Offline, "offline"), (Action::Later, "kept pages")],
        done: Done::Offline,
    },
    TourTask {
        words: "Come up again, and open a second page beside the first, or in a tab.",
        hints: &[
            (Action::Offline, "online"),
            (Action::OpenBeside, "beside"),
            (Action::OpenTab, "tab"),
        ],
        done: Done::Second,
    },
];

/// The tasks that are left.
#[derive(Debug)]
pub struct Tour {
    left: VecDeque<&'static TourTask>,
}

impl Default for Tour {
    fn default() -> Self {
        Self {
            left: TASKS.iter().collect(),
        }
    }
}

impl Tour {
    /// Returns the lines that a tour takes from the bottom of a screen of this height.
    pub(crate) fn lines(tour: Option<&Self>, height: u16) -> u16 {
        match tour {
            Some(_) if height >= MIN_LINES => TOUR_LINES,
            Some(_) | None => 0,
        }
    }

    /// Puts the present task behind the others.
    pub(crate) fn put_off(&mut self) {
        if !self.left.is_empty() {
            self.left.rotate_left(1);
        }
    }

    /// Removes the present task, as it is done.
    pub(crate) fn end_task(&mut self) {
        self.left.pop_front();
    }

    /// Returns the present task; `None` after the last one.
    pub fn task(&self) -> Option<&'static TourTask> {
        self.left.front().copied()
    }

    /// Returns the number of the present task, from 1, and that of all.
    pub fn place(&self) -> (usize, usize) {
        (TASKS.len() - self.left.len() + 1, TASKS.len())
    }
}
