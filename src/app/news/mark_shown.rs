//! Marking of displayed articles: one counts as read when its end, or a screen of its body, was displayed.

use geomys_page::document::{Document, Shape};

use crate::app::news::article_of;
use crate::app::news::server::NewsAuthority;
use crate::app::tabs::page::{ReadExtent, State};
use crate::app::view::gutter::view;
use crate::app::view::position::Viewport;
use crate::app::{Context, Focus, News, Page, Tabs};

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
        let is_unmarked = |page: &Page| {
            page.read_extent < ReadExtent::Whole && page.shape() == Some(Shape::Article)
        };
        if !tab.panes().filter_map(|pane| pane.page()).any(is_unmarked) {
            return;
        }
        let shown: Vec<ShownArticle> = (cx.layout.panes.iter())
            .filter_map(|&(index, area)| {
                let page = tab
                    .panes()
                    .nth(index)?
                    .page()
                    .filter(|page| is_unmarked(page))?;
                let (seen, numbers) = page.to_mark(view(page, area, cx.settings.reading))?;
                Some((index, seen, NewsAuthority::of(page)?, numbers))
            })
            .collect();

        for (index, seen, server, numbers) in shown {
            let pane = tabs.tab_mut().and_then(|tab| tab.panes_mut().nth(index));
            if let Some(page) = pane.and_then(|pane| pane.page_mut()) {
                page.read_extent = seen;
            }
            self.read_news_files(&server, cx);
            self.mark_read(&server, numbers, tabs, cx);
        }
    }
}

/// A group and the number of an article in it.
type ArticleLocation = (Vec<u8>, u64);

impl Page {
    /// Returns the groups and numbers of this article that are to be marked read now, and their extent.
    fn to_mark(&self, view: Viewport) -> Option<(ReadExtent, Vec<ArticleLocation>)> {
        let document = self.document()?;
        if !self.shows_enough(document, view) {
            return None;
        }
        let is_whole = self.state == State::Whole && self.finishing.is_none();
        let seen = if is_whole {
            ReadExtent::Whole
        } else {
            ReadExtent::Part
        };
        let mut numbers: Vec<_> = article_of(&self.url).into_iter().collect();
        // The numbers of a cached article belong to the server that sent it then.
        if is_whole && self.cached.is_none() {
            let others = self.own_document()?.cross_posts().into_iter();
            let others: Vec<_> = others.filter(|number| !numbers.contains(number)).collect();
            numbers.extend(others);
        }
        (seen > self.read_extent).then_some((seen, numbers))
    }

    /// Returns true if the screen shows the end of the article, or is full down to a line of its body.
    fn shows_enough(&self, document: &Document, view: Viewport) -> bool {
        let (mut row, above) = self.position.top;
        let mut room = view.height + above;
        while row < document.count() && room > 0 {
            room = room.saturating_sub(self.height_of(row, view));
            row += 1;
        }
        let is_end = row >= document.count() && self.state == State::Whole;
        is_end || room == 0 && document.body_row().is_some_and(|body| row > body)
    }
}
