//! Pages without content: that of a failed load, with the copies in the cache and at an archive; and one that was dropped.

use geomys_page::document::Link;
use geomys_page::load::{CacheUse, Failure, FailureKind, NoRequestReason, Request};
use geomys_wire::text::Text;
use jiff::civil::Date;
use rfc1738::{Dialect, Url};

use crate::app::action::Action;
use crate::app::motion::Motion;
use crate::app::news::article_of;
use crate::app::requester::OpenPage;
use crate::app::view::context::{Outcome, State, ViewContext};
use crate::app::view::kind::{KeyHint, ViewKind};
use crate::app::view::position::TextArea;
use crate::app::view::viewport::SavedView;
use crate::app::{Dialog, Settings};
use crate::keymap::KeyContext;

/// The maximum number of lines that the page scrolls.
const MAX_LINES: usize = 40;

/// The copies of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageCopies {
    /// The day in UTC when the cached copy came from its server.
    pub cached: Option<Date>,
    /// The URL of the page at the archive that is set.
    pub archived: Option<Url>,
}

impl PageCopies {
    /// Returns a sentence for each copy.
    pub fn sentences(&self) -> Vec<String> {
        let cached = self.cached.map(|day| format!("A copy of {day} is cached."));
        let archived = self.archived.as_ref();
        let archived = archived.map(|url| format!("The archive may have a copy: {url}"));
        cached.into_iter().chain(archived).collect()
    }
}

/// The page of a failed load.
#[derive(Debug)]
pub struct FailureView {
    /// The reason why there is no document.
    pub failure: Failure,
    /// The number of lines that are scrolled away.
    pub top: usize,
    /// True if an article could not be loaded.
    is_article: bool,
    /// The view of the page before it was loaded again.
    saved: Option<SavedView>,
}

impl FailureView {
    /// Creates the page of a failed load.
    pub(crate) fn new(url: &Url, failure: Failure) -> Self {
        Self {
            failure,
            top: 0,
            is_article: article_of(url).is_some(),
            saved: None,
        }
    }

    /// Returns true if the server has no article of this number (423).
    pub(crate) fn is_missing_article(&self) -> bool {
        let said = self.failure.said.first();
        self.is_article && said.is_some_and(|said| said.as_str().starts_with("423"))
    }

    /// Returns the copies of the page; none where the server names another URL.
    pub fn copies(&self, url: &Url, settings: &Settings) -> PageCopies {
        if self.failure.next.is_some() {
            return PageCopies::default();
        }
        let may_be_gone = match self.failure.kind {
            FailureKind::Missing | FailureKind::Permanent | FailureKind::Unreachable => true,
            FailureKind::Transient
            | FailureKind::Malformed
            | FailureKind::ServerError
            | FailureKind::Busy
            | FailureKind::ResumeMismatch => false,
        };
        let has_host = url.base_parts().address().is_some();
        let archive = settings.archive_url.as_ref();
        let archive = archive.filter(|_| may_be_gone && has_host && !url.has_secret());
        let archived = archive.and_then(|archive| {
            Dialect::Extended
                .parse(&format!("{archive}{}", url.without_password()))
                .ok()
        });
        PageCopies {
            cached: self.failure.cached,
            archived,
        }
    }
}

impl ViewKind for FailureView {
    fn contexts(&self) -> Vec<KeyContext> {
        let article = self.is_article.then_some(KeyContext::Article);
        article.into_iter().chain([KeyContext::Page]).collect()
    }

    /// Opens the copy of the page, or asks which one.
    fn open(&mut self, at: &mut ViewContext<'_>) -> Outcome {
        let copies = self.copies(at.url, &at.cx.settings);
        let cached = copies.cached.map(|day| {
            let request = Request {
                cache_use: CacheUse::Always(NoRequestReason::Failed),
                ..Request::show(at.url.clone())
            };
            let open = OpenPage::from(request).titled(at.title.clone());
            ('c', format!("cached copy of {day}"), open)
        });
        let archived = copies
            .archived
            .map(|url| ('a', "archive".to_owned(), OpenPage::from(url)));
        let mut answers: Vec<_> = cached.into_iter().chain(archived).collect();
        if answers.len() < 2 {
            return answers.pop().map(|(_, _, open)| open).into();
        }
        let mut dialog = Dialog::new("Open which copy of this page?");
        for (key, label, open) in answers {
            dialog = dialog.answer(key, &label, open);
        }
        let url = Text::of(&at.url.masked());
        dialog.with_lines(vec![url]).no("none").into()
    }

    fn move_by(&mut self, motion: Motion, at: &mut ViewContext<'_>) {
        self.scroll(motion.rows(at.area.height, MAX_LINES), at.area);
    }

    fn scroll(&mut self, lines: isize, _: TextArea) {
        // The drawing code limits the value to the lines of the failure.
        self.top = self.top.saturating_add_signed(lines).min(MAX_LINES);
    }

    /// Returns the link to go to instead.
    fn link(&self) -> Option<Link> {
        self.failure.next.as_deref().cloned()
    }

    fn hints(&self, url: &Url, _: &State, settings: &Settings) -> Vec<KeyHint> {
        let has_copy = self.copies(url, settings) != PageCopies::default();
        let open = has_copy.then_some((Action::Open, "open"));
        let keys = [
            (Action::Reload, "retry"),
            (Action::EditUrl, "edit URL"),
            (Action::Back, "back"),
        ];
        open.into_iter().chain(keys).collect()
    }

    fn stored(&self) -> Option<SavedView> {
        self.saved.clone()
    }

    fn restore(&mut self, saved: SavedView) {
        self.saved = Some(saved);
    }
}

/// A page whose content was dropped to free memory, or is of an earlier session: it is loaded again when it is shown.
#[derive(Debug, Default)]
pub struct DroppedView {
    /// The view to restore.
    pub(crate) saved: Option<SavedView>,
}

impl ViewKind for DroppedView {
    fn hints(&self, _: &Url, _: &State, _: &Settings) -> Vec<KeyHint> {
        vec![(Action::Reload, "load"), (Action::Back, "back")]
    }

    fn stored(&self) -> Option<SavedView> {
        self.saved.clone()
    }

    fn restore(&mut self, saved: SavedView) {
        self.saved = Some(saved);
    }
}
