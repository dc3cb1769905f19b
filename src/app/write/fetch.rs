//! Answers from a group: the article under its cursor is fetched first, and answered when it is complete.

use super::super::App;
use super::super::action::Action;
use super::super::news::{NewsAuthority, article_of};
use super::super::next_unread::ArticleContext;
use super::super::page::Page;
use crate::url::Url;

/// An action on an article that is being fetched. Any other key cancels the action.
#[derive(Clone, Debug)]
pub(in crate::app) struct ArticleFetch {
    server: NewsAuthority,
    group: Vec<u8>,
    number: u64,
    action: Action,
}

impl App {
    /// Opens the article under the cursor of a group for this action. Returns `None` if no group is shown.
    pub(super) fn fetch_for(&mut self, action: Action) -> Option<()> {
        let shown = self
            .article_here()
            .filter(|shown| shown.context == ArticleContext::Group)?;
        let listed = self.page()?.document()?.numbered_article(shown.number)?;
        self.open_listed(&shown, listed);
        self.article_fetch = Some(ArticleFetch {
            server: shown.server,
            group: shown.group,
            number: shown.number,
            action,
        });

        Some(())
    }

    /// Runs the action of a complete article, if it was fetched for one.
    pub(in crate::app) fn act_on_fetched(&mut self, url: &Url) {
        let here = self.page().filter(|page| page.url == *url);
        let article = article_of(url).zip(here.and_then(NewsAuthority::of));
        let is_requested = |fetch: &ArticleFetch| {
            article.as_ref().is_some_and(|((group, number), server)| {
                (group, number, server) == (&fetch.group, &fetch.number, &fetch.server)
            })
        };
        let is_here = here.is_some_and(Page::is_article)
            && self.article_fetch.as_ref().is_some_and(is_requested);
        if let Some(action) = self
            .article_fetch
            .take_if(|_| is_here)
            .map(|fetch| fetch.action)
        {
            self.carry_out(action);
        }
    }
}
