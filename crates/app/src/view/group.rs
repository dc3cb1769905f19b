//! The articles of a newsgroup, and the part of its overview that has arrived.

use geomys_load::PageHead;
use geomys_page::document::{ArticleNumbers, ArticleVisibility, Document, HiddenRows, ReadRows};
use rfc1738::Url;

use crate::Settings;
use crate::action::Action;
use crate::keymap::KeyContext;
use crate::view::context::{Outcome, State, ViewContext};
use crate::view::kind::{KeyHint, ViewKind, has_rows};
use crate::view::viewport::Viewport;

/// A newsgroup in a pane.
#[derive(Debug)]
pub struct GroupView {
    /// The document with its cursor.
    pub rows: Viewport,
    /// The highest article number, if the server sent it.
    pub(crate) highest: Option<u64>,
    /// The part of its overview that has arrived.
    pub overview: GroupOverview,
}

impl From<Document> for GroupView {
    fn from(document: Document) -> Self {
        Self {
            rows: document.into(),
            highest: None,
            overview: GroupOverview::default(),
        }
    }
}

impl GroupView {
    /// Hides or shows read articles.
    fn toggle_read_articles(&mut self, at: &mut ViewContext<'_>) {
        let toggle = |shown: ArticleVisibility| {
            let (read, sentence) = match shown.read {
                ReadRows::Shown => (ReadRows::LeftOut, "only unread articles shown"),
                ReadRows::LeftOut => (ReadRows::Shown, "all articles shown"),
            };
            (ArticleVisibility { read, ..shown }, sentence)
        };
        if let Some(sentence) = self.rows.rearrange(toggle, at) {
            at.cx.notify(sentence);
        }
    }

    /// Shows or hides the articles that score rules hide.
    fn toggle_hidden_articles(&mut self, at: &mut ViewContext<'_>) {
        let toggle = |shown: ArticleVisibility| {
            let (hidden, sentence) = match shown.hidden {
                HiddenRows::Shown => (HiddenRows::LeftOut, "articles hidden by rules not shown"),
                HiddenRows::LeftOut => (HiddenRows::Shown, "articles hidden by rules shown"),
            };
            (ArticleVisibility { hidden, ..shown }, sentence)
        };
        if let Some(sentence) = self.rows.rearrange(toggle, at) {
            at.cx.notify(sentence);
        }
    }
}

/// The further hints of a group on a wide screen, where an article stands beside it; the first one in news only.
static MORE_HINTS: [KeyHint; 4] = [
    (Action::FollowUp, "follow-up"),
    (Action::MarkArticle, "mark"),
    (Action::FoldThread, "fold"),
    (Action::Filter, "filter"),
];

impl ViewKind for GroupView {
    has_rows!();

    fn contexts(&self) -> Vec<KeyContext> {
        self.rows.contexts(Some(KeyContext::Group))
    }

    fn act(&mut self, action: Action, at: &mut ViewContext<'_>) -> Outcome {
        match action {
            Action::OnlyUnread => self.toggle_read_articles(at),
            Action::ShowHidden => self.toggle_hidden_articles(at),
            _ => return self.rows.act(action, at),
        }
        Outcome::Done
    }

    fn hints(&self, url: &Url, _: &State, _: &Settings) -> Vec<KeyHint> {
        let mut hints = vec![
            (Action::NextUnread, "next new"),
            (Action::CatchUp, "catch up"),
        ];
        // Nobody posts to a mailbox.
        if url.base_parts().is_news() {
            hints.push((Action::PostArticle, "post"));
        }
        hints
    }

    fn more_hints(&self) -> &'static [KeyHint] {
        let is_news = self.rows.own_document().url().base_parts().is_news();
        MORE_HINTS.get(usize::from(!is_news)..).unwrap_or_default()
    }
}

/// The part of a group's overview that a page has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupOverview {
    /// The numbers of the articles that the server has, as far as they exist.
    span: ArticleNumbers,
    /// The numbers of those that have arrived.
    pub(crate) covered: ArticleNumbers,
    /// The numbers of the cached articles, and of those that have not been read from the cache yet.
    cached: ArticleNumbers,
    pending: ArticleNumbers,
    /// True while more articles are loaded for a page that was complete.
    pub(crate) is_update: bool,
}

impl GroupOverview {
    /// Creates the state of an overview that begins to arrive.
    pub(crate) fn new(head: &PageHead) -> Self {
        Self {
            span: span(head),
            cached: head.known.clone(),
            pending: head.known.clone(),
            ..Self::default()
        }
    }

    /// Takes the numbers of the articles that the server has now.
    pub(crate) fn update(&mut self, head: &PageHead) {
        self.span = span(head);
    }

    /// Takes the articles with these numbers as arrived.
    pub(crate) fn arrived(&mut self, numbers: &ArticleNumbers) {
        self.covered.insert_all(numbers);
        self.pending.remove_all(numbers);
    }

    /// Returns true if the page is a group of a server.
    pub(crate) fn is_begun(&self) -> bool {
        !self.span.is_empty()
    }

    /// Returns true if the part that has arrived is worth caching though it is not complete: all that was cached is in
    /// it.
    pub(crate) fn is_worth_caching(&self) -> bool {
        self.pending.is_empty() && !self.covered.is_empty()
    }

    /// Returns true if all that has arrived came from the cache.
    pub(crate) fn is_cached(&self) -> bool {
        !self.covered.is_empty() && self.covered == self.cached
    }

    /// Returns the numbers of the articles that have not arrived.
    pub(crate) fn missing(&self) -> ArticleNumbers {
        let mut missing = self.span.clone();
        missing.remove_all(&self.covered);
        missing
    }

    /// Returns the number of the articles that have not arrived, about.
    pub fn older(&self) -> usize {
        usize::try_from(self.missing().count(1, u64::MAX)).unwrap_or(usize::MAX)
    }
}

/// The numbers of the articles that a server has, by the head of the page.
fn span(head: &PageHead) -> ArticleNumbers {
    match (head.lowest, head.highest) {
        (Some(lowest), Some(highest)) => ArticleNumbers::range(lowest.max(1), highest),
        (_, _) => ArticleNumbers::default(),
    }
}
