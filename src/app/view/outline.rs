//! The outline of the shown page: its headings in the palette.

use geomys_page::document::Document;

use crate::app::dialogs::palette::Palette;
use crate::app::{Context, Overlay, Page, Tabs};

impl Tabs {
    /// Lists the headings of the page.
    pub(crate) fn show_outline(&self, cx: &mut Context) {
        let headings = self.page().and_then(Page::document).map(Document::outline);
        match headings {
            Some(headings) if !headings.is_empty() => {
                let palette = Palette::outline(headings, cx.settings.theme);
                cx.show(Overlay::Palette(Box::new(palette)));
            }
            Some(_) | None => cx.notify("No headings on this page"),
        }
    }

    /// Scrolls the page so that a row is the first on the screen, as far as there are rows below.
    pub(crate) fn go_to_row(&mut self, row: usize, cx: &Context) {
        if let Some((page, view)) = self.page_view(cx) {
            page.position.top = (row, 0);
            page.go_to(row, view);
        }
    }
}
