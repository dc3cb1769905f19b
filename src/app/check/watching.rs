//! Watched bookmarks: what is fetched of them, and the question before an address is fetched for the first time.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Timestamp;

use super::super::bulk_edit::tags_of;
use super::super::choice::{Choice, Of};
use super::super::complete::Complete;
use super::super::{App, Effect};
use crate::files::bookmarks::{Bookmarks, Edit};
use crate::files::checks::Key;
use crate::files::watch::{Event, TAG, Watched, is_tag};
use crate::text::{Text, count};
use crate::url::Url;

/// Addresses that the question shows.
const SHOWN: usize = 8;

/// What is to be fetched of what is watched: as much as is due.
#[derive(Debug)]
pub struct Watching {
    /// The bookmark file.
    pub bookmarks: Bookmarks,
    /// What was seen before.
    pub watched: Arc<Watched>,
    /// Those that were just confirmed, where no others are wanted.
    pub only: Option<BTreeSet<Key>>,
    /// The time.
    pub now: Timestamp,
    /// What is put into each request.
    pub known: Complete,
}

impl Watching {
    /// Whether a URL is to be fetched now.
    pub fn wants(&self, url: &Url) -> bool {
        let is_meant = self.only.as_ref();
        let is_meant = is_meant.is_none_or(|only| only.contains(&Key::of(url)));
        is_meant && self.watched.is_due(url, self.now)
    }
}

impl App {
    /// The time of day.
    pub(super) fn time(&self) -> Timestamp {
        let started = self.checking.started.unwrap_or_default();
        started.checked_add(self.now).unwrap_or(started)
    }

    /// Fetches what is watched and due, or of that only some addresses.
    pub(super) fn watch(&mut self, only: Option<BTreeSet<Key>>) -> Effect {
        let watching = Watching {
            bookmarks: self.sidebar.bookmarks.clone(),
            watched: Arc::clone(&self.checking.watched),
            only,
            now: self.time(),
            known: self.completing(),
        };
        Effect::Watch(self.next_load(), Box::new(watching))
    }

    /// Bookmarks are tagged to be watched whose addresses were never fetched: asks once whether they are to be.
    pub(in crate::app) fn newly_watched(&mut self, from: Bookmarks, items: Vec<usize>) {
        let urls = urls_of(&from, &items);
        let mut lines: Vec<Text> = urls
            .take(SHOWN)
            .map(|url| Text::of(&url.masked()))
            .collect();
        if items.len() > SHOWN {
            let more = count(items.len() - SHOWN);
            lines.push(Text::of(&format!("and {more} more")));
        }
        let question = match items.len() {
            1 => "Contact this address once a day?".to_owned(),
            many => format!("Contact these {} addresses once a day?", count(many)),
        };
        let answers = [
            ('n', "not now"),
            ('w', "watch"),
            ('r', "remove the tag #watch"),
        ];
        let choice = Choice::new(&question, &answers, Of::Watch(from, items));
        self.ask_later(choice.about(lines));
    }

    /// Watches what the question named, or removes the tag.
    pub(in crate::app) fn watch_new(
        &mut self,
        letter: char,
        from: &Bookmarks,
        items: &[usize],
    ) -> Vec<Effect> {
        if letter == 'r' {
            let edits = items.iter().filter_map(|&index| {
                let mut tags = tags_of(&from.bookmark(index)?);
                tags.retain(|tag| !is_tag(tag));
                let edit = Edit {
                    tags: Some(tags),
                    ..Edit::default()
                };
                Some((index, edit))
            });
            let change = from.editing(&edits.collect::<Vec<_>>());
            return self.do_to_bookmarks(change, &format!("tag #{TAG} removed"));
        }
        let now = self.time();
        let keys: BTreeSet<Key> = urls_of(from, items).map(|url| Key::of(&url)).collect();
        let events = keys.iter().map(|key| Event::Confirmed(key.clone(), now));
        let mut effects = self.watched(events.collect());
        effects.push(self.watch(Some(keys)));
        effects
    }
}

fn urls_of<'a>(from: &'a Bookmarks, items: &'a [usize]) -> impl Iterator<Item = Url> + 'a {
    let bookmarks = items.iter().filter_map(|&index| from.bookmark(index));
    bookmarks.filter_map(|bookmark| bookmark.url().ok())
}
