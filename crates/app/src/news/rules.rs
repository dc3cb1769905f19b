//! Score rules: one is added by a key, and all of them apply to open groups at once.

use std::sync::Arc;

use geomys_page::document::score::{NewRule, ScoreRules};
use geomys_wire::text::Text;

use crate::{Context, Dialog, News, NewsCommand, NewsEffect, Page, Tabs};

/// The header of a rule for a whole thread.
pub(crate) const THREAD: &str = "References";

/// The number of days of a rule that expires.
const DAYS: u16 = 30;

impl News {
    /// Takes new rules, and applies them to the open groups.
    pub(crate) fn apply_rules(&self, rules: ScoreRules, tabs: &mut Tabs, cx: &mut Context) {
        cx.settings.rules = Arc::new(rules);
        self.apply_news_state(|_| true, tabs, cx);
        // A group that is arriving is arranged by these rules at its end, and nobody pressed a key for it.
        let is_whole = |page: &Page| page.group().is_some() && !page.state.is_arriving();
        if tabs.page().is_some_and(is_whole) {
            tabs.ask(cx, |view, at| {
                view.rows_mut()?.rearrange(|shown| (shown, ()), at)
            });
        }
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
    let rule = match header {
        THREAD => Some(NewRule::thread(score, text)),
        _ => NewRule::new(score, header, text),
    };
    let Some(rule) = rule else {
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
        None => cx.notify("Rules cannot be saved here"),
    }
}
