//! Answers from a group: the article under its cursor is fetched first, and answered when it is complete.

use rfc1738::Url;

use crate::app::action::Action;
use crate::app::news::next_unread::ArticleContext;
use crate::app::requester::NextStep;
use crate::app::{Command, Context, Page, Tabs};

impl Tabs {
    /// Opens the article under the cursor of a group for this action. Returns false if no group is shown.
    pub(crate) fn fetch_for(&mut self, action: Action, cx: &mut Context) -> bool {
        let shown = self.article_here();
        let Some(shown) = shown.filter(|shown| shown.context == ArticleContext::Group) else {
            return false;
        };
        let document = self.page().and_then(Page::document);
        let listed = document.and_then(|document| document.numbered_article(shown.number));
        if let Some(listed) = listed {
            self.open_listed(&shown, listed, Some(NextStep::Run(action)), cx);
        }
        listed.is_some()
    }

    /// Runs the action of a complete article, if it was fetched for one.
    pub(crate) fn run_on_fetched(&mut self, url: &Url, cx: &mut Context) {
        let is_here = |page: &&mut Page| page.url == *url && page.is_article();
        let is_run = |step: &mut NextStep| matches!(step, NextStep::Run(_));
        let page = self.page_mut().filter(is_here);
        if let Some(NextStep::Run(action)) = page.and_then(|page| page.next_step.take_if(is_run)) {
            cx.command(Command::CarryOut(action));
        }
    }
}
