//! Marks of articles and groups: those of keys, and those of articles that were displayed to their end, or a screen of
//! their body.

use geomys_page::document::ArticleNumbers;
use geomys_page::document::marks::MarkChange;
use geomys_wire::text::{Charset, Text};

use crate::news::message::CatchUpRange;
use crate::news::next_unread::{ArticleContext, CurrentArticle};
use crate::news::server::NewsAuthority;
use crate::tabs::groups::group_here;
use crate::view::View;
use crate::view::article::{ArticleView, ReadExtent};
use crate::view::context::State;
use crate::view::text_area::TextArea;
use crate::{Command, Context, Credentials, Focus, News, Page, Tabs};

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
        self.history
            .end_step(server, &format!("{what} marked {how}"), cx);
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
        self.history.end_step(server, &words, cx);
    }

    /// Subscribes to the group, or unsubscribes from it if it is subscribed to: once that is known.
    pub(crate) fn toggle_subscription(&mut self, tabs: &mut Tabs, cx: &mut Context) {
        let Some((server, group)) = news_group_here(tabs, cx) else {
            return;
        };
        match self.server_mut(&server) {
            Some(state) if state.marks.is_none() => {
                state.toggled.push(group);
                cx.notify("Waiting for the read marks");
            }
            Some(_) | None => self.toggle_group(&server, &group, tabs, cx),
        }
    }

    /// Subscribes to the group, or unsubscribes from it.
    pub(crate) fn subscribe(&mut self, subscribed: bool, tabs: &mut Tabs, cx: &mut Context) {
        if let Some((server, group)) = news_group_here(tabs, cx) {
            self.subscribe_to(&server, &group, subscribed, tabs, cx);
        }
    }
}

/// Returns the group here and its news server; without one the user is told.
fn news_group_here(tabs: &Tabs, cx: &mut Context) -> Option<(NewsAuthority, Vec<u8>)> {
    let here = group_here(tabs).filter(|(server, ..)| !server.is_mailboxes());
    if here.is_none() {
        cx.notify("No group of a news server here");
    }
    here.map(|(server, group, _)| (server, group))
}

/// An article to be marked read: its pane, the extent, its server, and its numbers in groups.
type ShownArticle = (usize, ReadExtent, NewsAuthority, Vec<(Vec<u8>, u64)>);

impl News {
    /// Marks the articles read whose end, or a screen of whose body, is on the screen.
    pub(crate) fn mark_shown(&mut self, tabs: &mut Tabs, cx: &mut Context) {
        if cx.focus == Focus::Transfers {
            return;
        }
        let Some(tab) = tabs.tab() else {
            return;
        };
        let shown: Vec<ShownArticle> = (cx.layout.panes.iter())
            .filter_map(|&(index, pane)| {
                let page = tab.panes().nth(index)?.page()?;
                let View::Article(article) = &page.view else {
                    return None;
                };
                let area = page.text_area(pane, cx.settings.reading);
                let (seen, numbers) = to_mark(page, article, area)?;
                Some((index, seen, NewsAuthority::of(page)?, numbers))
            })
            .collect();
        for (index, seen, server, numbers) in shown {
            let pane = tabs.tab_mut().and_then(|tab| tab.panes_mut().nth(index));
            let page = pane.and_then(|pane| pane.page_mut());
            if let Some(View::Article(article)) = page.map(|page| &mut page.view) {
                article.read_extent = seen;
            }
            self.read_news_files(&server, cx);
            self.mark_read(&server, numbers, tabs, cx);
        }
    }
}

/// A group and the number of an article in it.
type ArticleLocation = (Vec<u8>, u64);

/// Returns the groups and numbers of an article that are to be marked read now, and their extent.
fn to_mark(
    page: &Page,
    article: &ArticleView,
    area: TextArea,
) -> Option<(ReadExtent, Vec<ArticleLocation>)> {
    if article.read_extent == ReadExtent::Whole || !article.shows_enough(&page.state, area) {
        return None;
    }
    let is_whole = page.state == State::Whole && !page.is_finishing();
    let seen = if is_whole {
        ReadExtent::Whole
    } else {
        ReadExtent::Part
    };
    let mut numbers: Vec<_> = page.article_number().into_iter().collect();
    // The numbers of a cached article belong to the server that sent it then.
    if is_whole && page.cached.is_none() && page.url.base_parts().is_news() {
        let others = article.rows.own_document().cross_posts().into_iter();
        let others: Vec<_> = others.filter(|number| !numbers.contains(number)).collect();
        numbers.extend(others);
    }
    (seen > article.read_extent).then_some((seen, numbers))
}
