//! The pages on the screen: their layout, their pictures, and the size of their sessions.

use crate::settings::Reading;
use crate::tabs::pane::Pane;
use crate::tabs::tab::Tab;
use crate::view::View;
use crate::{Context, Layout, Page};

impl Tab {
    /// Returns true if a pane on the screen shows a picture.
    pub fn shows_picture(&self) -> bool {
        let mut pages = self.panes().filter_map(Pane::page);
        pages.any(|page| matches!(&page.view, View::Picture(picture) if picture.shown().is_some()))
    }

    /// Lays out the pages on the screen for their panes, where tables depend on these.
    pub(crate) fn fit_pages(&mut self, cx: &mut Context) {
        let layout = cx.layout.clone();
        for (page, pane) in self.pages_on_screen(&layout) {
            page.fit(pane, cx);
        }
    }

    /// Decodes the next picture on the screen, if none is being decoded there and its memory has room in the budget of
    /// pages beside the other pages on the screen.
    pub(crate) fn decode_pictures(&mut self, cx: &mut Context) {
        let mut pages: Vec<&mut Page> = self.panes_mut().filter_map(Pane::page_mut).collect();
        let sizes = pages.iter().map(|page| page.memory());
        let used = sizes.fold(0, u64::saturating_add);
        let pictures = pages.iter_mut().filter_map(|page| match &mut page.view {
            View::Picture(picture) => Some((picture, &page.state)),
            _ => None,
        });
        let mut pictures: Vec<_> = pictures.collect();
        if !pictures.iter().any(|(picture, _)| picture.is_decoding()) {
            let mut pictures = pictures.iter_mut();
            pictures.any(|(picture, state)| picture.decode(state, used, cx));
        }
    }

    /// Requests the rendering of the pictures on the screen, and resizes the sessions there to their panes.
    pub(crate) fn fit_panes(&mut self, cx: &mut Context) {
        let layout = cx.layout.clone();
        for (page, pane) in self.pages_on_screen(&layout) {
            match &mut page.view {
                View::Picture(picture) => picture.render(pane, cx),
                View::Terminal(terminal) => terminal.fit_pane(&page.state, pane, cx),
                _ => {}
            }
        }
    }

    /// Scrolls every pane so that its cursor is on screen.
    pub(crate) fn reveal(&mut self, layout: &Layout, reading: Reading) {
        for (page, area) in self.pages_on_screen(layout) {
            let area = page.text_area(area, reading);
            if let Some(rows) = page.view.rows_mut().filter(|rows| rows.is_list()) {
                rows.scroller(area).reveal();
            }
        }
    }
}
