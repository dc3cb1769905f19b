//! Answers from a group: the article under its cursor is fetched first, and answered when it is complete.

use super::super::App;
use super::super::action::Action;
use super::super::next_unread::ArticleContext;
use super::super::page::Page;
use super::super::pane::NextStep;
use crate::url::Url;

impl App {
    /// Opens the article under the cursor of a group for this action. Returns `None` if no group is shown.
    pub(super) fn fetch_for(&mut self, action: Action) -> Option<()> {
        let shown = self
            .article_here()
            .filter(|shown| shown.context == ArticleContext::Group)?;
        let listed = self.page()?.document()?.numbered_article(shown.number)?;
        self.open_listed(&shown, listed);
        self.set_next_step(NextStep::Run(action));
        Some(())
    }

    /// Runs the action of a complete article, if it was fetched for one.
    pub(in crate::app) fn run_on_fetched(&mut self, url: &Url) {
        let is_here = |page: &&mut Page| page.url == *url && page.is_article();
        let is_run = |step: &mut NextStep| matches!(step, NextStep::Run(_));
        let page = self.page_mut().filter(is_here);
        if let Some(NextStep::Run(action)) = page.and_then(|page| page.next_step.take_if(is_run)) {
            self.carry_out(action);
        }
    }
}
