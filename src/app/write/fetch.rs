//! Answering from a group: the article under its cursor is fetched first, and answered when all of it is here.

use super::super::action::Action;
use super::super::news::{NewsPlace, article_of};
use super::super::next_unread::On;
use super::super::page::Page;
use super::super::{App, Effect};
use crate::url::Url;

/// What is to be done with an article when it is here; any other key takes that back.
#[derive(Clone, Debug)]
pub(in crate::app) struct Fetched {
    server: NewsPlace,
    group: Vec<u8>,
    number: u64,
    action: Action,
}

impl App {
    /// Opens the article under the cursor of a group, to do this with it; nothing where no group is shown.
    pub(super) fn fetch_for(&mut self, action: Action) -> Option<Vec<Effect>> {
        let shown = self.article_here().filter(|shown| shown.on == On::Group)?;
        let listed = self.page()?.document()?.numbered_article(shown.number)?;
        let effects = self.open_listed(&shown, listed);
        self.fetched = Some(Fetched {
            server: shown.server,
            group: shown.group,
            number: shown.number,
            action,
        });
        Some(effects)
    }

    /// All of a page is here: what it was fetched for is done, if it was.
    pub(in crate::app) fn act_on_fetched(&mut self, url: &Url) -> Vec<Effect> {
        let here = self.page().filter(|page| page.url == *url);
        let place = article_of(url).zip(here.and_then(NewsPlace::of));
        let is_it = |fetched: &Fetched| {
            place.as_ref().is_some_and(|((group, number), server)| {
                (group, number, server) == (&fetched.group, &fetched.number, &fetched.server)
            })
        };
        let is_here =
            here.is_some_and(Page::is_article) && self.fetched.as_ref().is_some_and(is_it);
        match self
            .fetched
            .take_if(|_| is_here)
            .map(|fetched| fetched.action)
        {
            Some(action) => self.carry_out(action),
            None => Vec::new(),
        }
    }
}
