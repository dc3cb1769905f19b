//! What was read of news servers: marks, shown on every page of a server.
//!
//! The marks of a server are read when the first page of it is shown. What a person does changes them here at once, and is
//! written within two seconds (`marks`). What another reader wrote into the file meanwhile comes back with the answer.

mod folds;
mod marks;
mod server;
mod shown;

use std::collections::{HashMap, VecDeque};

pub use self::folds::FoldChanges;
use self::folds::KnownFolds;
pub use self::marks::SOON;
pub use self::server::{NewsPlace, Newsrcs};
pub(super) use self::server::{article_of, group_of, range_of};
use super::page::{Content, Page};
use super::pane::Pane;
use super::tab::Tab;
use super::{App, Effect};
use crate::document::marks::{Change, Marks};
use crate::document::{Document, Numbers, Shape};
use crate::load::LoadId;
use crate::url::Url;

/// Groups that an article may have been posted to: a header of thousands of them is nobody's.
const PLACES: usize = 100;

/// Changes to the groups of a server, in order.
pub type Changes = Vec<(Vec<u8>, Change)>;

/// What is known of a server.
#[derive(Debug)]
pub(super) struct Known {
    server: NewsPlace,
    /// Nothing while its file is read.
    marks: Option<Marks>,
    /// Not written yet.
    unwritten: Changes,
    /// On their way into the file.
    writing: VecDeque<Changes>,
    /// Which threads are folded.
    folds: KnownFolds,
    /// The highest numbers of groups, as the server has told them last.
    highest: HashMap<Vec<u8>, u64>,
}

/// The state of all of this.
#[derive(Debug, Default)]
pub(super) struct Read {
    known: Vec<Known>,
    /// Something has changed, and no write of it is scheduled yet.
    is_changed: bool,
    /// A write is scheduled.
    is_scheduled: bool,
}

impl Page {
    /// Whether it shows this group of this server, or articles of it by their numbers.
    pub(super) fn is_group(&self, server: &NewsPlace, group: &[u8]) -> bool {
        self.shape() == Some(Shape::Group)
            && NewsPlace::of(self).as_ref() == Some(server)
            && group_of(&self.url).as_deref() == Some(group)
    }

    /// Whether it shows all of this group of this server.
    pub(super) fn is_whole_group(&self, server: &NewsPlace, group: &[u8]) -> bool {
        self.is_group(server, group) && range_of(&self.url).is_none()
    }

    /// Whether it shows an article, or why there is none.
    pub(super) fn is_article(&self) -> bool {
        match &self.content {
            Content::Failure(_) => article_of(&self.url).is_some(),
            Content::Document(_) | Content::Form(_) | Content::Session(_) | Content::Forgotten => {
                self.shape() == Some(Shape::Article)
            }
        }
    }

    /// Whether it says that the server has no article of its number.
    fn is_gone(&self) -> bool {
        match &self.content {
            Content::Failure(failure) => {
                let said = failure.said.first();
                said.is_some_and(|said| said.as_str().starts_with("423"))
            }
            Content::Document(_) | Content::Form(_) | Content::Session(_) | Content::Forgotten => {
                false
            }
        }
    }

    /// What its octets are, the source left aside that may be shown in their stead.
    pub(super) fn shape(&self) -> Option<Shape> {
        self.own_document().map(Document::shape)
    }

    /// Its document, the page itself where the source is shown.
    pub(super) fn own_document(&self) -> Option<&Document> {
        let rendered = self.rendered.as_ref().map(|rendered| &*rendered.document);
        rendered.or(self.document())
    }

    /// The same, to change it.
    fn own_document_mut(&mut self) -> Option<&mut Document> {
        match (&mut self.rendered, &mut self.content) {
            (Some(rendered), _) => Some(&mut rendered.document),
            (None, Content::Document(document)) => Some(document),
            (
                None,
                Content::Failure(_) | Content::Form(_) | Content::Session(_) | Content::Forgotten,
            ) => None,
        }
    }
}

impl App {
    /// What is known of what was read of a server; nothing while its file is read.
    pub(super) fn marks(&self, server: &NewsPlace) -> Option<&Marks> {
        let mut known = self.read.known.iter();
        known.find(|known| known.server == *server)?.marks.as_ref()
    }

    /// A page of news has begun: it is shown with what is known, which is looked up for the first page of a server.
    pub(super) fn news_begun(&mut self, load: LoadId) -> Vec<Effect> {
        let begun = self
            .page_where(|page| page.load() == Some(load))
            .and_then(|page| {
                let server = NewsPlace::of(page)?;
                // Nothing is said by an empty group, which may have no number, nor by a page that was kept.
                let highest = page.highest.filter(|&highest| highest > 0);
                let highest = highest.filter(|_| page.kept.is_none());
                Some((server, group_of(&page.url).zip(highest)))
            });
        let Some((server, highest)) = begun else {
            return Vec::new();
        };
        let effects = self.look_up(&server);
        self.dress(|page| page.load() == Some(load));
        if let Some((group, highest)) = highest {
            let mut known = self.read.known.iter_mut();
            if let Some(known) = known.find(|known| known.server == server) {
                known.highest.insert(group.clone(), highest);
            }
            self.tell_renumbered(&server, &group);
        }
        effects
    }

    /// An article that its group lists and the server has not any more (423) is read, so that it stops nobody.
    pub(super) fn news_gone(&mut self, url: &Url) -> Vec<Effect> {
        let Some((group, number)) = article_of(url) else {
            return Vec::new();
        };
        let gone = self
            .page()
            .filter(|page| page.url == *url && page.is_gone());
        let Some(server) = gone.and_then(NewsPlace::of) else {
            return Vec::new();
        };
        // Any address may name any number: one above those of the group is none of an article that was there.
        let mut known = self.read.known.iter();
        let known = known.find(|known| known.server == server);
        let highest = known.and_then(|known| known.highest.get(&group));
        if highest.is_none_or(|highest| number > *highest) {
            return Vec::new();
        }
        let effects = self.look_up(&server);
        self.mark_read(&server, vec![(group, number)]);
        effects
    }

    /// Gives pages what they are shown by.
    pub(super) fn dress(&mut self, fits: impl Fn(&Page) -> bool) {
        let known = &self.read.known;
        let rules = &self.settings.rules;
        let panes = self.tabs.iter_mut().flat_map(Tab::panes_mut);
        for page in panes.flat_map(Pane::pages_mut) {
            if !matches!(page.shape(), Some(Shape::Group | Shape::Groups)) || !fits(page) {
                continue;
            }
            let server = NewsPlace::of(page);
            let known = known
                .iter()
                .find(|known| Some(&known.server) == server.as_ref());
            let marks = known.and_then(|known| known.marks.as_ref());
            let folds = known.and_then(|known| known.folds.folds.as_ref());
            let group = group_of(&page.url);
            let Some(document) = page.own_document_mut() else {
                continue;
            };
            document.set_rules(std::sync::Arc::clone(rules));
            if let (Some(folds), Some(group)) = (folds, &group) {
                document.set_folds(&folds.of(group));
            }
            if let Some(marks) = marks {
                if let Some(group) = group {
                    document.set_read(marks.read(&group));
                }
                document.set_marks(marks.clone());
            }
        }
    }

    /// Finishes whole pages again whose rows change their places by what is known now.
    pub(super) fn refinish(&mut self, fits: impl Fn(&Page) -> bool) -> Vec<Effect> {
        let waits = |page: &Page| {
            fits(page)
                && !page.state.is_arriving()
                && page.finishing.is_none()
                && page.own_document().is_some_and(Document::wants_finish)
        };
        let mut effects = Vec::new();
        loop {
            let work = self.next_work();
            let Some(page) = self.page_where(waits) else {
                return effects;
            };
            page.finishing = Some(work);
            let document = page.own_document().cloned();
            effects.extend(document.map(|document| Effect::Finish(work, document)));
        }
    }

    /// Marks these articles read that are not; what is read already needs no writing.
    fn mark_read(&mut self, server: &NewsPlace, places: Vec<(Vec<u8>, u64)>) {
        let unread: Vec<_> = places
            .into_iter()
            .take(PLACES)
            .filter(|(group, number)| !self.is_read(server, group, *number))
            .collect();
        if unread.is_empty() {
            return;
        }
        for (group, number) in unread {
            self.take_change(server, &group, Change::Read(Numbers::range(number, number)));
        }
        self.dress(|page| NewsPlace::of(page).as_ref() == Some(server));
    }

    fn is_read(&self, server: &NewsPlace, group: &[u8], number: u64) -> bool {
        self.marks(server)
            .is_some_and(|marks| marks.read(group).holds(number))
    }

    /// A page was finished: what has become known meanwhile is shown, and what was looked for is found.
    pub(super) fn news_finished(&mut self, url: &Url) -> Vec<Effect> {
        self.dress(|page| page.url == *url);
        let mut effects = self.refinish(|page| page.url == *url);
        effects.extend(self.seek(url));
        effects.extend(self.act_on_fetched(url));
        effects
    }
}
