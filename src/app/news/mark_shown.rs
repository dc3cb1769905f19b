//! Marking of displayed articles: one counts as read when its end, or a screen of its body, was displayed.

use crate::app::news::article_of;
use crate::app::news::server::NewsAuthority;
use crate::app::view::View;
use crate::app::view::article::{ArticleView, ReadExtent};
use crate::app::view::context::State;
use crate::app::view::position::TextArea;
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
    let mut numbers: Vec<_> = article_of(&page.url).into_iter().collect();
    // The numbers of a cached article belong to the server that sent it then.
    if is_whole && page.cached.is_none() {
        let others = article.rows.own_document().cross_posts().into_iter();
        let others: Vec<_> = others.filter(|number| !numbers.contains(number)).collect();
        numbers.extend(others);
    }
    (seen > article.read_extent).then_some((seen, numbers))
}
