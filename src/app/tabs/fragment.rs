//! Scrolling to the row that the fragment of a URL names.

use geomys_page::load::Request;
use geomys_wire::text::Text;

use crate::app::requester::NextStep;
use crate::app::{Context, OpenIn, Page, Tabs};

impl Tabs {
    /// Scrolls to the fragment of a request for the shown page, without a load. Returns `None` for another page.
    pub(crate) fn go_to_fragment(
        &mut self,
        request: &Request,
        open_in: OpenIn,
        cx: &mut Context,
    ) -> Option<()> {
        let url = &request.url;
        url.fragment()?;
        let (page, _) = self.page_view(cx)?;
        let is_shown = open_in == OpenIn::ThisPane
            && !request.sends_answers()
            && page.url.before_fragment() == url.before_fragment();
        page.document().filter(|_| is_shown)?;
        page.url = url.clone();
        page.next_step = Some(NextStep::GoToFragment);
        page.position.top = (0, 0);
        page.scroll_to_fragment(cx);
        Some(())
    }
}

impl Page {
    /// Scrolls to the row that the fragment names, if that is the next step and the user has not scrolled. A missing one is
    /// reported.
    pub(crate) fn scroll_to_fragment(&mut self, cx: &mut Context) {
        let is_wanted = |step: &mut NextStep| matches!(step, NextStep::GoToFragment);
        if self.next_step.take_if(is_wanted).is_none() || self.position.top != (0, 0) {
            return;
        }
        let (Some(document), Some(fragment)) = (self.document(), self.url.fragment()) else {
            return;
        };
        match document.row_of_fragment(fragment) {
            Some(row) => {
                self.position.top = (row, 0);
                self.position.cursor = row;
                self.position.link = None;
                cx.reveal_all();
            }
            None => {
                let fragment = Text::new(&fragment.octets(), geomys_wire::text::Charset::utf_8());
                cx.notify(&format!("Not on this page: #{fragment}"));
            }
        }
    }
}
