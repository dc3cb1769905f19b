//! What the pages on the screen get: decoded and rendered pictures, sessions of the size of their panes.

use crate::app::tabs::pane::Pane;
use crate::app::tabs::tab::Tab;
use crate::app::view::View;
use crate::app::{Context, Page, Tabs};

impl Tabs {
    /// Decodes the next picture on the screen, if none is being decoded there and its memory has room in the budget of pages
    /// beside the other pages on the screen.
    pub(crate) fn decode_pictures(&mut self, cx: &mut Context) {
        let panes = self.tab_mut().into_iter().flat_map(Tab::panes_mut);
        let mut pages: Vec<&mut Page> = panes.filter_map(Pane::page_mut).collect();
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
}
