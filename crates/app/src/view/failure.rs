//! Pages without content: that of a failed load, with the copies in the cache and at an archive; and one that was
//! dropped.

pub mod lines;

use geomys_load::{Failure, FailureKind, Question, Request, news_host};
use geomys_page::document::Link;
use geomys_wire::net::shown_address;
use geomys_wire::text::Text;
use jiff::Timestamp;
use rfc1738::Url;

use crate::action::Action;
use crate::keymap::KeyContext;
use crate::library::copies::{find_copies, stored_copy};
use crate::motion::Motion;
use crate::news::article_of;
use crate::requester::Arrival;
use crate::view::context::{Outcome, State, ViewContext};
use crate::view::gutter::between_margins;
use crate::view::kind::{KeyHint, ViewKind};
use crate::view::text_area::{Gutter, TextArea};
use crate::view::viewport::SavedView;
use crate::{Command, PendingRequest, Settings};

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

    /// Returns a sentence for each copy of the page; none where the server names another URL.
    pub fn copies(&self, url: &Url, settings: &Settings) -> Vec<String> {
        if self.failure.next.is_some() {
            return Vec::new();
        }
        let cached = self.failure.cached;
        let cached = cached.map(|day| format!("A copy of {day} is cached."));
        let archive = self.archive(url, settings);
        let archived = archive.map(|archive| format!("The archive may have a copy: {archive}"));
        cached.into_iter().chain(archived).collect()
    }

    /// Returns the host of the archive that may have the page.
    fn archive(&self, url: &Url, settings: &Settings) -> Option<Text> {
        let may_be_gone = match self.failure.kind {
            FailureKind::Missing | FailureKind::Permanent | FailureKind::Unreachable => true,
            FailureKind::Transient
            | FailureKind::Malformed
            | FailureKind::ServerError
            | FailureKind::Busy
            | FailureKind::ResumeMismatch => false,
        };
        // Its date matters only when it is opened.
        let archived = settings.archives.url(url, Timestamp::UNIX_EPOCH);
        let archived = archived.filter(|_| may_be_gone)?;
        let address = archived.base_parts().address()?;
        Some(Text::of(&shown_address(&address)))
    }
}

impl ViewKind for FailureView {
    fn contexts(&self) -> Vec<KeyContext> {
        let article = self.is_article.then_some(KeyContext::Article);
        article.into_iter().chain([KeyContext::Page]).collect()
    }

    /// Asks for another login where that may help, else opens the stored copy of the page. If an archive may have one
    /// too, asks which one.
    fn open(&mut self, at: &mut ViewContext<'_>) -> Outcome {
        if self.failure.wants_login {
            let request = Request::show(at.url.clone(), at.reason.clone());
            let host = news_host(at.url, at.cx.settings.news_server.as_ref());
            let question = Question::Login {
                host: host.map_or_else(String::new, |server| server.host),
                said: self.failure.said.first().cloned(),
            };
            let pending = PendingRequest::for_pane(request, at.title.clone(), Arrival::Reload);
            at.cx.command(Command::Ask(question, Box::new(pending)));
            return Outcome::Done;
        }
        if self.failure.next.is_some() {
            return Outcome::Ignored;
        }
        if self.archive(at.url, &at.cx.settings).is_some() {
            find_copies(at.url, at.title, at.reason.clone(), at.cx);
            return Outcome::Done;
        }
        let cached = self.failure.cached;
        let reason = at.reason.clone();
        cached.map(|_| stored_copy(at.url, at.title, reason)).into()
    }

    fn move_by(&mut self, motion: Motion, at: &mut ViewContext<'_>) {
        let (settings, keymap) = (&at.cx.settings, &at.cx.keymap);
        let area = between_margins(Gutter::default(), at.pane, settings.reading);
        let lines = self
            .lines(at.url, at.state, settings, keymap, area.width, true)
            .len();
        let height = usize::from(area.height);
        let hidden = lines.saturating_sub(height);
        let top = self.top.min(hidden);
        self.top = top
            .saturating_add_signed(motion.rows(height, lines))
            .min(hidden);
    }

    fn scroll(&mut self, lines: isize, _: TextArea) {
        // The drawing code limits it to the lines of the page, and so does the next motion.
        self.top = self.top.saturating_add_signed(lines);
    }

    /// Returns the link to go to instead.
    fn link(&self) -> Option<Link> {
        self.failure.next.as_deref().cloned()
    }

    fn hints(&self, url: &Url, _: &State, settings: &Settings) -> Vec<KeyHint> {
        let has_copy = !self.copies(url, settings).is_empty();
        let open = if self.failure.wants_login {
            Some((Action::Open, "other login"))
        } else {
            has_copy.then_some((Action::Open, "open"))
        };
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
