//! The pane beside a group that shows its articles: Enter, the movement of the cursor and the next unread article use it.

use geomys_page::document::Shape;
use geomys_page::load::Request;
use geomys_wire::text::Text;
use rfc1738::Url;

use crate::app::motion::Motion;
use crate::app::requester::Arrival;
use crate::app::requester::PendingRequest;
use crate::app::tabs::pane::Pane;
use crate::app::tabs::tab::Tab;
use crate::app::{Context, Focus, Page, Tabs, TabsCommand};

/// The screen width from which an article opens beside its group, in columns.
const MIN_WIDTH: u16 = 120;

impl Tabs {
    /// Returns the index of the pane with articles beside the shown group, if there is one.
    pub(crate) fn article_pane(&self, cx: &Context) -> Option<usize> {
        let tab = self.tab()?;
        let beside = tab.focus() + 1;
        let pane = tab.panes().nth(beside)?;
        let is_free = match pane.page() {
            Some(page) => page.is_article(),
            None => pane.incoming.is_some(),
        };
        let is_on_screen = cx.layout.pane(beside).is_some();
        (is_free && is_on_screen && self.has_room_beside(cx)).then_some(beside)
    }

    /// Returns true if the shown page is a group on a screen that is wide enough for an article beside it.
    fn has_room_beside(&self, cx: &Context) -> bool {
        let is_group = self.page().and_then(Page::shape) == Some(Shape::Group);
        is_group && cx.focus == Focus::Panes && cx.layout.address.width >= MIN_WIDTH
    }

    /// Opens an article of the shown group in the pane beside it; the focus stays on the group. If it is open there already,
    /// that pane gets the focus. Returns `None` if the page is no group, the link no article, or the screen too narrow.
    pub(crate) fn open_beside_group(
        &mut self,
        request: &Request,
        title: &Text,
        cx: &mut Context,
    ) -> Option<()> {
        let is_article = {
            let page = self.page()?;
            page.document()?.article(page.position.cursor).is_some()
        };
        if !is_article || !self.has_room_beside(cx) {
            return None;
        }
        if let Some(pane) = self.article_pane(cx) {
            if self.shows(pane, &request.url) {
                self.focus_pane(pane);
                return Some(());
            }
            self.load_beside(pane, request.clone(), title.clone(), cx);
            return Some(());
        }
        let tab = self.tab_mut()?;
        if !cx.layout.has_room_for(tab.count() + 1, tab.is_stacked) {
            return None;
        }
        let group = tab.focus();
        tab.split();
        tab.set_focus(group);
        self.load_beside(group + 1, request.clone(), title.clone(), cx);
        Some(())
    }

    /// Shows the article under the cursor of the group in the pane beside it, if that is open.
    pub(crate) fn follow_cursor(&mut self, cx: &mut Context) {
        let Some(pane) = self.article_pane(cx) else {
            return;
        };
        let Some(page) = self.page() else {
            return;
        };
        let is_article = page.document().is_some_and(|document| {
            let article = document.article(page.position.cursor);
            article.is_some()
        });
        let Some(link) = page.link().filter(|_| is_article) else {
            return;
        };
        if let Ok(url) = link.target
            && !self.shows(pane, &url)
        {
            let request = self.request_from_page(url);
            self.load_beside(pane, request, link.label, cx);
        }
    }

    /// Returns true if a pane shows a URL, or loads it.
    fn shows(&self, pane: usize, url: &Url) -> bool {
        let pane = self.tab().and_then(|tab| tab.panes().nth(pane));
        let url_of = |pane: &Pane| match &pane.incoming {
            Some(incoming) => Some(incoming.request.url.clone()),
            None => pane.page().map(|page| page.url.clone()),
        };
        pane.and_then(url_of).as_ref() == Some(url)
    }

    /// Loads a page into another pane, in place of its page; the focus stays.
    fn load_beside(&self, pane: usize, request: Request, title: Text, cx: &mut Context) {
        let Some(focus) = self.tab().map(Tab::focus) else {
            return;
        };
        // A load is started for the pane that has the focus.
        cx.command(TabsCommand::FocusPane(pane));
        cx.load(PendingRequest::for_pane(request, title, Arrival::Replace));
        cx.command(TabsCommand::FocusPane(focus));
        cx.reveal_all();
    }

    /// Scrolls the article beside the group by a screen. Returns `None` if there is none, or its end is on the screen.
    pub(crate) fn scroll_article_beside(&mut self, cx: &mut Context) -> Option<()> {
        let pane = self.article_pane(cx)?;
        let focus = self.tab()?.focus();
        self.focus_pane(pane);
        let is_at_end = self.is_at_end_of_article(cx);
        if !is_at_end {
            self.move_cursor(Motion::Screens(1, 1), cx);
        }
        self.focus_pane(focus);
        (!is_at_end).then_some(())
    }
}
