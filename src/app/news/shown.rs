//! When an article counts as read: its end, or a screen of its body, was shown.

use super::super::layout;
use super::super::page::{Page, Seen, State};
use super::super::place::View;
use super::super::{App, Effect, Focus};
use super::{NewsPlace, article_of};
use crate::document::{Document, Shape};

/// What is to be marked read of an article that is shown: the pane, the server, its numbers in groups.
type Shown = (usize, Seen, NewsPlace, Vec<(Vec<u8>, u64)>);

impl App {
    /// Marks the articles read of which the end, or a screen of the body, is on the screen.
    pub(in crate::app) fn mark_shown(&mut self) -> Vec<Effect> {
        if self.focus == Focus::Transfers {
            return Vec::new();
        }
        let Some(tab) = self.tab() else {
            return Vec::new();
        };
        let wants = |page: &Page| page.seen < Seen::Whole && page.shape() == Some(Shape::Article);
        if !tab.panes().filter_map(|pane| pane.page()).any(wants) {
            return Vec::new();
        }
        let shown: Vec<Shown> = (self.layout().panes.iter())
            .filter_map(|&(index, place)| {
                let page = tab.panes().nth(index)?.page().filter(|page| wants(page))?;
                let (seen, places) = page.to_mark(layout::view(page, place))?;
                Some((index, seen, NewsPlace::of(page)?, places))
            })
            .collect();
        let mut effects = Vec::new();
        for (index, seen, server, places) in shown {
            let pane = self.tab_mut().and_then(|tab| tab.panes_mut().nth(index));
            if let Some(page) = pane.and_then(|pane| pane.page_mut()) {
                page.seen = seen;
            }
            effects.extend(self.look_up(&server));
            self.mark_read(&server, places);
        }
        effects
    }
}

/// A group and the number of an article in it.
type Numbered = (Vec<u8>, u64);

impl Page {
    /// The places of this article that are to be marked read now, and how much of it was shown.
    fn to_mark(&self, view: View) -> Option<(Seen, Vec<Numbered>)> {
        let document = self.document()?;
        if !self.shows_enough(document, view) {
            return None;
        }
        let is_whole = self.state == State::Whole && self.finishing.is_none();
        let seen = if is_whole { Seen::Whole } else { Seen::Part };
        let mut places: Vec<_> = article_of(&self.url).into_iter().collect();
        // The numbers of a cached article are those of the server that it came from then.
        if is_whole && self.kept.is_none() {
            let others = self.own_document()?.cross_posts().into_iter();
            let others: Vec<_> = others.filter(|place| !places.contains(place)).collect();
            places.extend(others);
        }
        (seen > self.seen).then_some((seen, places))
    }

    /// Whether the screen shows the end of the article, or is full down to a line of its body.
    fn shows_enough(&self, document: &Document, view: View) -> bool {
        let (mut row, above) = self.place.top;
        let mut room = view.height + above;
        while row < document.count() && room > 0 {
            room = room.saturating_sub(self.height_of(row, view));
            row += 1;
        }
        let is_end = row >= document.count() && self.state == State::Whole;
        is_end || room == 0 && document.body_row().is_some_and(|body| row > body)
    }
}
