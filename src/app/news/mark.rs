//! Keys of a group and of a list of groups: marks of read articles, subscriptions, score rules.

use geomys_page::document::marks::MarkChange;
use geomys_page::document::{ArticleNumbers, Shape};
use geomys_wire::text::{Charset, Text};

use crate::app::news::message::CatchUpRange;
use crate::app::news::next_unread::{ArticleContext, CurrentArticle};
use crate::app::news::server::NewsAuthority;
use crate::app::tabs::groups::group_here;
use crate::app::{Command, Context, Credentials, News, Page, Tabs};

impl News {
    /// Marks the article read; unread if it was read.
    pub(crate) fn mark_article(&mut self, tabs: &mut Tabs, cx: &mut Context) {
        let Some(shown) = CurrentArticle::of(tabs) else {
            return cx.notify("No article here");
        };
        let number = ArticleNumbers::range(shown.number, shown.number);
        self.toggle_read_mark(&shown.server, &shown.group, number, "article", tabs, cx);
        if shown.context == ArticleContext::Group {
            cx.command(Command::Step(1));
        }
    }

    /// Marks all articles of the thread read; unread if all of them were read.
    pub(crate) fn mark_thread(&mut self, tabs: &mut Tabs, cx: &mut Context) {
        let Some(shown) = CurrentArticle::of(tabs) else {
            return cx.notify("No article here");
        };
        let page = tabs.group_page(&shown.server, &shown.group);
        let numbers = page.and_then(|page| {
            let document = page.own_document()?;
            let here = document.numbered_article(shown.number)?;
            Some(document.thread_numbers(here.line))
        });
        let numbers = numbers.filter(|numbers| !numbers.is_empty());
        match numbers {
            Some(numbers) => {
                self.toggle_read_mark(&shown.server, &shown.group, numbers, "thread", tabs, cx);
            }
            None => cx.notify("Wait until the group is loaded"),
        }
    }

    fn toggle_read_mark(
        &mut self,
        server: &NewsAuthority,
        group: &[u8],
        numbers: ArticleNumbers,
        what: &str,
        tabs: &mut Tabs,
        cx: &mut Context,
    ) {
        let Some(marks) = self.marks(server) else {
            return cx.notify("Read marks are still loading");
        };
        let mut unread = numbers.clone();
        unread.remove_all(&marks.read(group));
        let (change, how) = if unread.is_empty() {
            (MarkChange::Unread(numbers), "unread")
        } else {
            (MarkChange::Read(numbers), "read")
        };
        self.history.begin();
        if let MarkChange::Read(_) = &change {
            self.mark_cross_posts(server, group, &unread, tabs, cx);
        }
        self.change(server, group, change, tabs, cx);
        self.end_step(server, &format!("{what} marked {how}"), cx);
    }

    /// Marks these articles of a group read.
    pub(crate) fn catch_up(
        &mut self,
        server: &NewsAuthority,
        group: &[u8],
        numbers: CatchUpRange,
        (tabs, credentials): (&mut Tabs, &Credentials),
        cx: &mut Context,
    ) {
        let name = Text::new(group, Charset::default());
        let words = match numbers {
            CatchUpRange::All(_) => format!("all articles of {name} marked read"),
            CatchUpRange::Between(first, last) => {
                format!("articles {first} to {last} of {name} marked read")
            }
            CatchUpRange::Reset => format!("all articles of {name} marked unread"),
        };
        let Some(change) = numbers.change() else {
            return;
        };
        self.history.begin();
        if let (MarkChange::Read(numbers), Some(marks)) = (&change, self.marks(server)) {
            let mut unread = numbers.clone();
            unread.remove_all(&marks.read(group));
            self.mark_cross_posts(server, group, &unread, tabs, cx);
            self.find_unseen_cross_posts(server, group, unread, (tabs, credentials), cx);
        }
        self.change(server, group, change, tabs, cx);
        self.end_step(server, &words, cx);
    }

    /// Subscribes to the group, or unsubscribes from it if it is subscribed to.
    pub(crate) fn toggle_subscription(&mut self, tabs: &mut Tabs, cx: &mut Context) {
        let group = group_here(tabs);
        let is_subscribed = group.is_some_and(|(server, group, _)| {
            self.marks(&server)
                .is_some_and(|marks| marks.is_subscribed(&group))
        });
        self.subscribe(!is_subscribed, tabs, cx);
    }

    /// Subscribes to the group, or unsubscribes from it.
    pub(crate) fn subscribe(&mut self, subscribed: bool, tabs: &mut Tabs, cx: &mut Context) {
        let Some((server, group, _)) = group_here(tabs) else {
            return cx.notify("No group here");
        };
        self.history.begin();
        self.change(&server, &group, MarkChange::Subscribe(subscribed), tabs, cx);
        let name = Text::new(&group, Charset::default());
        let words = if subscribed {
            format!("subscribed to {name}")
        } else {
            format!("unsubscribed from {name}")
        };
        self.end_step(&server, &words, cx);
        let is_list = |page: &Page| page.shape() == Some(Shape::Groups) && page.is_of(&server);
        // The row of the group moves to its new position, and the cursor with it.
        let list = tabs.page_mut().filter(|page| is_list(page));
        if let Some(rows) = list.and_then(|page| page.view.rows_mut()) {
            rows.follows_entry = true;
        }
        tabs.finish_changed_pages(is_list, cx);
    }
}
