//! The messages and commands to the news part.

use crate::app::news::News;
use crate::app::news::rules::{add_rule, ask_scope};
use crate::app::{Context, Credentials, NewsCommand, NewsMessage, Tabs};

impl News {
    /// Handles a message.
    pub(crate) fn update(&mut self, message: NewsMessage, tabs: &mut Tabs, cx: &mut Context) {
        match message {
            NewsMessage::Marks(server, changes, result) => {
                self.marks_loaded(&server, changes, result, tabs, cx);
            }
            NewsMessage::Folds(server, changes, result) => {
                self.folds_loaded(&server, changes, result, tabs, cx);
            }
            NewsMessage::Due => self.marks_due(cx),
            NewsMessage::RefreshDue => self.refresh_due(tabs, cx),
            NewsMessage::Rule(rules) => self.rule_added(rules, tabs, cx),
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
}
