//! A list of the groups of a news server.

use geomys_load::ServerDate;
use geomys_page::document::{ArticleVisibility, Document, ReadRows};
use rfc1738::{GroupPart, Parts, Url};

use crate::Settings;
use crate::action::Action;
use crate::keymap::KeyContext;
use crate::view::context::{Outcome, State, ViewContext};
use crate::view::kind::{KeyHint, ViewKind, has_rows};
use crate::view::viewport::Viewport;

/// A list of groups in a pane.
#[derive(Debug)]
pub struct GroupsView {
    /// The document with its cursor.
    pub rows: Viewport,
    /// The date of the server's clock when the list was requested.
    pub(crate) date: Option<ServerDate>,
}

impl From<Document> for GroupsView {
    fn from(document: Document) -> Self {
        Self {
            rows: document.into(),
            date: None,
        }
    }
}

impl ViewKind for GroupsView {
    has_rows!();

    fn contexts(&self) -> Vec<KeyContext> {
        self.rows.contexts(Some(KeyContext::Groups))
    }

    fn act(&mut self, action: Action, at: &mut ViewContext<'_>) -> Outcome {
        match action {
            Action::AllGroups => self.toggle_other_groups(at),
            _ => return self.rows.act(action, at),
        }
        Outcome::Done
    }

    fn hints(&self, _: &Url, _: &State, _: &Settings) -> Vec<KeyHint> {
        let is_short = self.rows.document.arrangement().visibility.read == ReadRows::LeftOut;
        let is_short = is_short && self.rows.document.lists_subscribed_only();
        let all = is_short.then_some((Action::AllGroups, "all groups"));
        let is_subscribed = self
            .rows
            .document
            .is_subscribed_row(self.rows.position.cursor);
        let subscribe = if is_subscribed {
            "unsubscribe"
        } else {
            "subscribe"
        };
        let keys = [
            (Action::NextUnread, "next new"),
            (Action::ToggleSubscription, subscribe),
            (Action::CatchUp, "catch up"),
            (Action::Find, "find"),
        ];
        all.into_iter().chain(keys).collect()
    }
}

impl GroupsView {
    /// Hides or shows the groups that are not subscribed.
    fn toggle_other_groups(&mut self, at: &mut ViewContext<'_>) {
        let toggle = |shown: ArticleVisibility| {
            let (read, sentence) = match shown.read {
                ReadRows::Shown => (ReadRows::LeftOut, "only subscribed groups shown"),
                ReadRows::LeftOut => (ReadRows::Shown, "all groups shown"),
            };
            (ArticleVisibility { read, ..shown }, sentence)
        };
        if let Some(sentence) = self.rows.rearrange(toggle, at) {
            at.cx.notify(sentence);
        }
    }
}

/// Returns true for the first page of a news server, which lists the subscribed groups: `news://host/`. `news:*` lists
/// all.
pub fn is_first_page(url: &Url) -> bool {
    let is_all = match url.base_parts() {
        Parts::News(news) => news.server.is_some() && news.part == GroupPart::All,
        _ => false,
    };
    is_all && !url.as_str().ends_with('*')
}
