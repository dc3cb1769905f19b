//! Score rules: one is added by a key, and all of them apply to open groups at once.

use std::sync::Arc;

use geomys_page::document::score::{NewRule, ScoreRules};
use geomys_wire::text::{Charset, Text};

use crate::app::action::Action;
use crate::app::{Context, Dialog, News, NewsCommand, NewsEffect, Tabs};

/// The score of a rule that a key adds.
const LIKED: i32 = 100;
const DISLIKED: i32 = -9999;

/// The number of days of a rule that expires.
const DAYS: u16 = 30;

impl News {
    /// Handles a saved rule: all rules of the file now apply.
    pub(crate) fn rule_added(&self, rules: ScoreRules, tabs: &mut Tabs, cx: &mut Context) {
        cx.settings.rules = Arc::new(rules);
        cx.notify("rule added to score.txt");
        self.apply_news_state(|_| true, tabs, cx);
        if tabs.page().is_some_and(|page| page.group().is_some()) {
            tabs.rearrange(|shown| (shown, ()), cx);
        }
    }
}

impl Tabs {
    /// Asks whether a new rule is to hide or mark the author or the subject.
    pub(crate) fn ask_rule(&self, cx: &mut Context) {
        let article = self.article_here().and_then(|shown| {
            let page = self.group_page(&shown.server, &shown.group)?;
            let document = page.own_document()?;
            let here = document.numbered_article(shown.number)?;
            let (author, subject) = document.author_and_subject(here.line)?;
            Some((shown.group, author, subject))
        });
        let Some((group, author, subject)) = article else {
            let open = cx.key_of(Action::WholeThread);
            return cx.notify(&format!("open the group of the article first ({open})"));
        };
        let name = Text::new(&group, Charset::default());
        let lines = vec![
            Text::of(&format!("Author:  {author}")),
            Text::of(&format!("Subject: {subject}")),
        ];
        let rule = |score, header, text: &str| {
            NewsCommand::AskRuleScope(group.clone(), score, header, text.to_owned())
        };
        let question = format!("New rule for {name}:");
        let dialog = Dialog::new(&question)
            .answer('a', "hide the author", rule(DISLIKED, "From", &author))
            .answer('s', "hide the subject", rule(DISLIKED, "Subject", &subject))
            .answer('A', "mark the author", rule(LIKED, "From", &author))
            .answer('S', "mark the subject", rule(LIKED, "Subject", &subject));
        cx.ask(dialog.with_lines(lines));
    }
}

/// Asks in which groups a rule is to count, and for how long.
pub(crate) fn ask_scope(
    group: &[u8],
    score: i32,
    header: &'static str,
    text: &str,
    cx: &mut Context,
) {
    let Some(rule) = NewRule::new(score, header, text) else {
        return cx.notify(&format!(
            "“{}” would match most articles",
            Text::of(text.trim())
        ));
    };
    let group = String::from_utf8_lossy(group).into_owned();
    let mut dialog = Dialog::new("Apply the rule to:");
    let hierarchy = group
        .rsplit_once('.')
        .map(|(above, _)| format!("{above}.*"));
    let scopes = [
        ('g', Some(group.clone()), group),
        ('h', hierarchy.clone(), hierarchy.unwrap_or_default()),
        ('e', Some("*".to_owned()), "every group".to_owned()),
    ];
    for (key, wildmat, words) in scopes {
        let Some(wildmat) = wildmat else {
            continue;
        };
        let mut expiring = rule.clone();
        expiring.days = Some(DAYS);
        let add = |rule: NewRule| NewsCommand::AddRule(wildmat.clone(), rule);
        dialog = dialog
            .answer(key, &format!("in {words}"), add(rule.clone()))
            .answer(
                key.to_ascii_uppercase(),
                &format!("in {words}, for {DAYS} days"),
                add(expiring),
            );
    }
    let lines = vec![Text::of(&format!("{header}: {}", text.trim()))];
    cx.ask(dialog.with_lines(lines));
}

/// Saves a rule for the groups of a wildmat.
pub(crate) fn add_rule(wildmat: String, rule: NewRule, cx: &mut Context) {
    match cx.settings.score.clone() {
        Some(path) => cx.emit(NewsEffect::Rule(path, wildmat, rule)),
        None => cx.notify("rules cannot be saved here"),
    }
}
