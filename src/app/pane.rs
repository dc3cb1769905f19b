//! A pane: a history of pages, one of them shown, and perhaps one on its way.

use std::path::PathBuf;

use super::page::{Content, Page, State};
use super::place::Place;
use super::transfers::TransferId;
use crate::load::{LoadId, Phase, Question, Request};
use crate::text::Text;

/// One column of the screen.
#[derive(Debug, Default)]
pub struct Pane {
    pages: Vec<Page>,
    at: usize,
    /// A page whose answer has not begun: the page before it stays on screen until then.
    pub incoming: Option<Incoming>,
}

/// A page on its way.
#[derive(Clone, Debug)]
pub struct Incoming {
    /// Whose parts it waits for.
    pub load: LoadId,
    /// What was asked.
    pub request: Request,
    /// What the link to it called it.
    pub title: Text,
    /// What it is busy with.
    pub phase: Phase,
    /// Where in the history it will stand.
    pub arrival: Arrival,
    /// What its load ended with, until somebody answers.
    pub question: Option<Question>,
    /// The file that it is written to once it is whole.
    pub keep: Option<PathBuf>,
}

/// Where a page on its way will stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// After the shown page; what was forward of that is gone.
    Next,
    /// Instead of the shown page, and at this place in it.
    Again(Place),
    /// In no pane: it is for what is being written.
    Draft,
    /// In no pane: it is written to the disk by this transfer.
    Transfer(TransferId),
}

impl Incoming {
    /// What a transfer asks for, as if it were a page on its way.
    pub(super) fn of_transfer(id: TransferId, request: Request, title: Text) -> Self {
        Self::elsewhere(Arrival::Transfer(id), request, title)
    }

    /// What a draft asks for, as if it were a page on its way.
    pub(super) fn of_draft(request: Request) -> Self {
        Self::elsewhere(Arrival::Draft, request, Text::default())
    }

    fn elsewhere(arrival: Arrival, request: Request, title: Text) -> Self {
        Self {
            load: LoadId(0),
            request,
            title,
            phase: Phase::Asking,
            arrival,
            question: None,
            keep: None,
        }
    }

    /// Whether it is a transfer that asks.
    pub fn is_transfer(&self) -> bool {
        matches!(self.arrival, Arrival::Transfer(_))
    }
}

impl Pane {
    /// The page that is shown.
    pub fn page(&self) -> Option<&Page> {
        self.pages.get(self.at)
    }

    /// The page that is shown, to change it.
    pub fn page_mut(&mut self) -> Option<&mut Page> {
        self.pages.get_mut(self.at)
    }

    /// The number of the page that is shown.
    pub fn shown_index(&self) -> usize {
        self.at
    }

    /// Every page.
    pub fn pages(&self) -> impl Iterator<Item = &Page> {
        self.pages.iter()
    }

    /// Every page, the way back first.
    pub fn pages_from_here(&self) -> impl Iterator<Item = &Page> {
        let here = self.pages.len().min(self.at + 1);
        let (back, forward) = self.pages.split_at(here);
        back.iter().rev().chain(forward)
    }

    /// Every page, to find the one whose parts arrive.
    pub fn pages_mut(&mut self) -> impl Iterator<Item = &mut Page> {
        self.pages.iter_mut()
    }

    /// Loads whose parts some page of this pane awaits.
    pub fn loads(&self) -> impl Iterator<Item = LoadId> {
        let incoming = self.incoming.iter().map(|incoming| incoming.load);
        incoming.chain(self.pages.iter().filter_map(Page::load))
    }

    /// Shows a page at its arrival; gives the loads that nobody awaits any more.
    pub fn arrive(&mut self, mut page: Page, arrival: Arrival) -> Vec<LoadId> {
        let left = match arrival {
            Arrival::Next => self.leave(),
            Arrival::Again(_) | Arrival::Draft | Arrival::Transfer(_) => None,
        };
        let mut dropped: Vec<LoadId> = match arrival {
            Arrival::Next => {
                let keep = if self.pages.is_empty() {
                    0
                } else {
                    self.at + 1
                };
                let forward = self.pages.split_off(keep.min(self.pages.len()));
                self.pages.push(page);
                self.at = self.pages.len() - 1;
                forward.iter().filter_map(Page::load).collect()
            }
            Arrival::Draft | Arrival::Transfer(_) => Vec::new(),
            Arrival::Again(place) => {
                page.place = place;
                match self.pages.get_mut(self.at) {
                    Some(shown) => {
                        page.wrap = match shown.content {
                            Content::Document(_) | Content::Forgotten => shown.wrap,
                            Content::Failure(_) | Content::Form(_) | Content::Session(_) => {
                                page.wrap
                            }
                        };
                        page.needle = shown.needle.take();
                        page.restore = shown.restore.take();
                        std::mem::replace(shown, page).load().into_iter().collect()
                    }
                    None => {
                        self.pages.push(page);
                        Vec::new()
                    }
                }
            }
        };
        dropped.extend(left);
        dropped
    }

    /// Stops the load of the shown page, because another one is about to be shown; gives it, as nobody awaits it now.
    fn leave(&mut self) -> Option<LoadId> {
        let page = self.page_mut()?;
        let load = page.load()?;
        // What was said in a session cannot be said again by itself.
        page.state = if page.state.is_held() {
            State::Stopped
        } else if page.is_renewing() {
            // All of it is here, as it was kept.
            page.kept_as = None;
            State::Whole
        } else {
            State::Left
        };
        Some(load)
    }

    /// One page back, or forward, when there is one; gives the load of the page that was left, if it was arriving.
    pub fn turn(&mut self, forward: bool) -> Option<Option<LoadId>> {
        let to = if forward {
            self.at + 1
        } else {
            self.at.checked_sub(1)?
        };
        if to >= self.pages.len() {
            return None;
        }
        let left = self.leave();
        self.at = to;
        Some(left)
    }

    /// Shows the nearest page before the shown one that fits; gives the load of the page that was left, if it was
    /// arriving. Nothing when none fits.
    pub fn show(&mut self, fits: impl Fn(&Page) -> bool) -> Option<Option<LoadId>> {
        let before = self.pages.get(..self.at)?;
        let to = before.iter().rposition(fits)?;
        let left = self.leave();
        self.at = to;
        Some(left)
    }
}
