//! A tab: one or more panes, side by side or above each other.

use std::sync::Arc;

use crate::Rect;
use geomys_load::{CookieJar, LoadId};
use geomys_store::files::session::TabState;
use rfc1738::Url;

use crate::tabs::pane::Pane;
use crate::{Context, Credentials, Layout, Page};

/// Panes, one of them with the focus. There is always at least one.
#[derive(Debug, Default)]
pub struct Tab {
    first: Pane,
    rest: Vec<Pane>,
    focus: usize,
    /// True if nothing of its pages is stored: no visit, no copy, no tab of the session.
    pub is_private: bool,
    /// The cookies of a private tab.
    cookies: Arc<CookieJar>,
    /// True if the panes are above each other, false if they are side by side.
    pub is_stacked: bool,
}

impl Tab {
    /// Creates a tab of these panes; `None` without a pane.
    pub(crate) fn of(panes: Vec<Pane>, focus: usize) -> Option<Self> {
        let mut panes = panes.into_iter();
        let mut tab = Self {
            first: panes.next()?,
            rest: panes.collect(),
            ..Self::default()
        };
        tab.set_focus(focus);
        Some(tab)
    }

    /// Returns the panes, from left to right.
    pub fn panes(&self) -> impl Iterator<Item = &Pane> {
        std::iter::once(&self.first).chain(&self.rest)
    }

    /// Returns the panes to be changed, from left to right.
    pub(crate) fn pages_mut(&mut self) -> impl Iterator<Item = &mut Page> {
        self.panes_mut().flat_map(Pane::pages_mut)
    }

    /// Returns the panes, from left to right, to be changed.
    pub fn panes_mut(&mut self) -> impl Iterator<Item = &mut Pane> {
        std::iter::once(&mut self.first).chain(&mut self.rest)
    }

    /// Returns the pages on the screen with the areas of their panes.
    pub(crate) fn pages_on_screen(
        &mut self,
        layout: &Layout,
    ) -> impl Iterator<Item = (&mut Page, Rect)> {
        let shown = self.panes_mut().enumerate();
        shown.filter_map(|(index, pane)| Some((pane.page_mut()?, layout.pane(index)?)))
    }

    /// Returns the number of panes.
    pub fn count(&self) -> usize {
        1 + self.rest.len()
    }

    /// Returns the index of the pane with the focus, from 0 on the left.
    pub fn focus(&self) -> usize {
        self.focus
    }

    /// Gives a pane the focus.
    pub fn set_focus(&mut self, pane: usize) {
        self.focus = pane.min(self.rest.len());
    }

    /// Returns the pane with the focus.
    pub fn pane(&self) -> &Pane {
        self.focus
            .checked_sub(1)
            .and_then(|index| self.rest.get(index))
            .unwrap_or(&self.first)
    }

    /// Returns the pane with the focus to be changed.
    pub fn pane_mut(&mut self) -> &mut Pane {
        match self
            .focus
            .checked_sub(1)
            .and_then(|index| self.rest.get_mut(index))
        {
            Some(pane) => pane,
            None => &mut self.first,
        }
    }

    /// Returns the shares of the panes; 0 for a pane without a chosen share.
    pub fn shares(&self) -> Vec<u16> {
        self.panes().map(|pane| pane.share).collect()
    }

    /// Inserts an empty pane after the one with the focus, and moves the focus to it. All panes get the same size.
    pub fn split(&mut self) {
        for pane in self.panes_mut() {
            pane.share = 0;
        }
        self.rest
            .insert(self.focus.min(self.rest.len()), Pane::default());
        self.focus += 1;
    }

    /// Closes the pane with the focus. Returns its loads, which are to be cancelled; `None` if it is the last pane.
    pub fn close(&mut self) -> Option<Vec<LoadId>> {
        if self.rest.is_empty() {
            return None;
        }
        let closed = match self.focus.checked_sub(1) {
            Some(index) if index < self.rest.len() => self.rest.remove(index),
            _ => {
                let next = self.rest.remove(0);
                std::mem::replace(&mut self.first, next)
            }
        };
        self.focus = self.focus.saturating_sub(1);
        Some(closed.loads().collect())
    }

    /// Returns true if what is done on a page of the tab may be written to disk.
    pub(crate) fn stores_visits(&self, url: &Url, cx: &Context) -> bool {
        !self.is_private && cx.settings.history.includes(url)
    }

    /// Returns the cookies for the pages of the tab: a private tab has its own.
    pub(crate) fn cookies(&self, credentials: &Credentials) -> Arc<CookieJar> {
        let jar = if self.is_private {
            &self.cookies
        } else {
            &credentials.cookies
        };
        Arc::clone(jar)
    }

    /// Returns all running loads of the tab.
    pub fn loads(&self) -> Vec<LoadId> {
        self.panes().flat_map(Pane::loads).collect()
    }
}

/// Returns true if the shown tab is private.
pub(crate) fn shows_private(shown: Option<&Tab>) -> bool {
    shown.is_some_and(|tab| tab.is_private)
}

/// Returns true if a load is one of a private tab.
pub(crate) fn is_private_load(tabs: &[Tab], load: LoadId) -> bool {
    let mut private = tabs.iter().filter(|tab| tab.is_private);
    private.any(|tab| tab.loads().contains(&load))
}

/// The closed tabs, the one closed last at the end, and the number of those that were closed in this run.
#[derive(Debug, Default)]
pub(crate) struct ClosedTabs(pub(super) Vec<TabState>, pub(super) usize);
