//! The messages and commands to the news part: pages that begin, end or fail among them.

use geomys_load::LoadId;
use rfc1738::Url;

use crate::news::rules::{add_rule, ask_scope};
use crate::news::server::NewsAuthority;
use crate::news::{News, article_of};
use crate::view::View;
use crate::{Context, Credentials, NewsCommand, NewsMessage, Tabs};

impl News {
    /// Returns true if a load was started for news, and not for a page.
    pub(crate) fn owns(&self, load: LoadId) -> bool {
        self.is_counting(load)
            || self.is_finding_cross_posts(load)
            || self.ahead.is_fetching_ahead(load)
    }

    /// Handles a message.
    pub(crate) fn update(&mut self, message: NewsMessage, tabs: &mut Tabs, cx: &mut Context) {
        match message {
            NewsMessage::Marks(server, changes, result) => {
                self.marks_loaded(&server, changes, result, tabs, cx);
            }
            NewsMessage::Folds(server, changes, result) => {
                self.folds_loaded(&server, changes, result, tabs, cx);
            }
            NewsMessage::Messages(changes, result) => {
                self.messages_loaded(changes, result, tabs, cx);
            }
            NewsMessage::Due => self.write_marks(cx),
            NewsMessage::RefreshDue => self.refresh_due(tabs, cx),
            NewsMessage::Rule(rules) => {
                cx.notify("Rule added to score.txt");
                let rules = rules.with_own_of(&cx.settings.rules);
                self.apply_rules(rules, tabs, cx);
            }
            NewsMessage::Posted(ids) => {
                let rules = cx.settings.rules.as_ref().clone().with_own(ids);
                self.apply_rules(rules, tabs, cx);
            }
        }
    }

    /// Carries out a command of another part.
    pub(crate) fn carry_out(
        &mut self,
        command: NewsCommand,
        tabs: &mut Tabs,
        credentials: &Credentials,
        cx: &mut Context,
    ) {
        match command {
            NewsCommand::CountGroups(server, search) => {
                self.request_counts(&server, search, tabs, credentials, cx);
            }
            NewsCommand::CatchUp(server, group, numbers) => {
                self.catch_up(&server, &group, numbers, (tabs, credentials), cx);
            }
            NewsCommand::AskRuleScope(group, score, header, text) => {
                ask_scope(&group, score, header, &text, cx);
            }
            NewsCommand::AddRule(wildmat, rule) => add_rule(wildmat, rule, cx),
            NewsCommand::PageBegun(load) => self.page_begun(load, tabs, cx),
            NewsCommand::PageFinished(url) => self.page_finished(&url, tabs, credentials, cx),
            NewsCommand::ArticleFailed(url) => self.mark_missing_article_read(&url, tabs, cx),
        }
    }

    /// Handles the begin of a page of news: applies the state of its server, and reads its files for its first page.
    pub(crate) fn page_begun(&mut self, load: LoadId, tabs: &mut Tabs, cx: &mut Context) {
        let begun = tabs
            .find_page(|page| page.load() == Some(load))
            .and_then(|page| {
                let server = NewsAuthority::of(page)?;
                // An empty group may have no number, and a cached page has an old one: neither is used.
                let highest = page.group().and_then(|group| group.highest);
                let highest = highest.filter(|&highest| highest > 0);
                let highest = highest.filter(|_| page.cached.is_none());
                Some((server, page.group_name().zip(highest)))
            });
        let Some((server, highest)) = begun else {
            return;
        };
        self.read_news_files(&server, cx);
        self.apply_news_state(|page| page.load() == Some(load), tabs, cx);
        if let Some((group, highest)) = highest {
            if let Some(state) = self.server_mut(&server) {
                state.highest.insert(group.clone(), highest);
            }
            self.notify_renumbered(&server, &group, cx);
        }
    }

    /// Marks an article read that the group lists but the server no longer has (423), so that the user can go on.
    pub(crate) fn mark_missing_article_read(
        &mut self,
        url: &Url,
        tabs: &mut Tabs,
        cx: &mut Context,
    ) {
        let Some((group, number)) = article_of(url) else {
            return;
        };
        let missing = tabs.page().filter(|page| {
            let failed =
                |view: &View| matches!(view, View::Failure(failed) if failed.is_missing_article());
            page.url == *url && failed(&page.view)
        });
        let Some(server) = missing.and_then(NewsAuthority::of) else {
            return;
        };
        // A URL can contain any number. A number above the highest one of the group was never an article.
        let highest = self
            .server(&server)
            .and_then(|state| state.highest.get(&group));
        if highest.is_none_or(|highest| number > *highest) {
            return;
        }
        self.read_news_files(&server, cx);
        self.mark_read(&server, vec![(group, number)], tabs, cx);
    }

    /// Handles a finished page: applies newer state, and goes to the article that was requested.
    pub(crate) fn page_finished(
        &mut self,
        url: &Url,
        tabs: &mut Tabs,
        credentials: &Credentials,
        cx: &mut Context,
    ) {
        self.mailbox_finished(url, tabs);
        self.apply_news_state(|page| page.url == *url, tabs, cx);
        tabs.finish_changed_pages(|page| page.url == *url, cx);
        self.mark_hidden_read(url, tabs, cx);
        self.select_wanted_article(url, tabs, cx);
        let fetched = tabs.page_mut();
        if let Some(page) = fetched.filter(|page| page.url == *url && page.is_article()) {
            page.run_on_fetched(cx);
        }
        self.ahead.fetch_ahead(url, tabs, credentials, cx);
    }
}
