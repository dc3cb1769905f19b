//! Copies of a page that its server does not send: the one in the cache, and the one of an archive.

use geomys_page::load::{CacheUse, FailureKind, NoRequestReason, Request};
use geomys_wire::text::Text;
use jiff::civil::Date;
use rfc1738::{Dialect, Url};

use crate::app::requester::OpenPage;
use crate::app::{Context, Dialog, Page, Settings};

/// The copies of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageCopies {
    /// The day in UTC when the cached copy came from its server.
    pub cached: Option<Date>,
    /// The URL of the page at the archive that is set.
    pub archived: Option<Url>,
}

impl PageCopies {
    /// Returns true if there is no copy.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns a sentence for each copy.
    pub fn sentences(&self) -> Vec<String> {
        let cached = self.cached.map(|day| format!("A copy of {day} is cached."));
        let archived = self.archived.as_ref();
        let archived = archived.map(|url| format!("The archive may have a copy: {url}"));
        cached.into_iter().chain(archived).collect()
    }
}

impl Page {
    /// Returns the copies of a page that failed; none where the server names another URL.
    pub fn copies(&self, settings: &Settings) -> PageCopies {
        let failure = self.content.failure();
        let Some(failure) = failure.filter(|failure| failure.next.is_none()) else {
            return PageCopies::default();
        };
        let may_be_gone = match failure.kind {
            FailureKind::Missing | FailureKind::Permanent | FailureKind::Unreachable => true,
            FailureKind::Transient
            | FailureKind::Malformed
            | FailureKind::ServerError
            | FailureKind::Busy
            | FailureKind::ResumeMismatch => false,
        };
        let has_host = self.url.base_parts().address().is_some();
        let archive = settings.archive_url.as_ref();
        let archive = archive.filter(|_| may_be_gone && has_host && !self.url.has_secret());
        let archived = archive.and_then(|archive| {
            Dialect::Extended
                .parse(&format!("{archive}{}", self.url.without_password()))
                .ok()
        });
        PageCopies {
            cached: failure.cached,
            archived,
        }
    }

    /// Opens the copy of a page that failed, or asks which one. Returns `None` if there is none.
    pub(crate) fn open_copy(&self, cx: &mut Context) -> Option<()> {
        let copies = self.copies(&cx.settings);
        let cached = copies.cached.map(|day| {
            let request = Request {
                cache_use: CacheUse::Always(NoRequestReason::Failed),
                ..Request::show(self.url.clone())
            };
            let open = OpenPage::from(request).titled(self.title.clone());
            ('c', format!("cached copy of {day}"), open)
        });
        let archived = copies
            .archived
            .map(|url| ('a', "archive".to_owned(), OpenPage::from(url)));
        let mut answers: Vec<_> = cached.into_iter().chain(archived).collect();
        if let [_] = answers.as_slice() {
            let (_, _, open) = answers.pop()?;
            cx.open(open);
            return Some(());
        }
        if answers.is_empty() {
            return None;
        }
        let mut dialog = Dialog::new("Open which copy of this page?");
        for (key, label, open) in answers {
            dialog = dialog.answer(key, &label, open);
        }
        let url = Text::of(&self.url.masked());
        cx.ask(dialog.with_lines(vec![url]).no("none"));
        Some(())
    }
}
