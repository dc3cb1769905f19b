//! The pane beside a group that shows its articles: Enter, the movement of the cursor and the next unread article use
//! it.

use geomys_load::Request;
use geomys_wire::text::Text;
use rfc1738::Url;

use crate::motion::Motion;
use crate::requester::Arrival;
use crate::requester::PendingRequest;
use crate::tabs::pane::Pane;
use crate::tabs::tab::Tab;
use crate::view::View;
use crate::{Context, Focus, Page, Tabs, TabsCommand};

impl Tab {
    /// Returns the index of the pane with an article beside its group, if there is one.
    pub(crate) fn article_beside(&self) -> Option<usize> {
        let is_group = |pane: &Pane| pane.page().is_some_and(is_group);
        let mut beside = self.panes().zip(self.panes().skip(1));
        let group = beside.position(|(group, next)| is_group(group) && takes_article(next))?;
        Some(group + 1)
    }

    /// Returns the index of the pane with articles beside the shown group, if there is one.
    pub(crate) fn article_pane(&self, cx: &Context) -> Option<usize> {
        let beside = self.focus() + 1;
        let is_beside = self.pane().page().is_some_and(is_group)
            && self.panes().nth(beside).is_some_and(takes_article);
        let is_on_screen = cx.layout.pane(beside).is_some() && cx.focus == Focus::Panes;
        (is_beside && is_on_screen).then_some(beside)
    }

    /// Returns true if the shown group can have a new pane beside it in which an article has the space to be read.
    fn has_room_beside(&self, cx: &Context) -> bool {
        self.count() == 1 && cx.focus == Focus::Panes && cx.layout.has_room_for_article()
    }

    /// Opens an article of the shown group in the pane beside it; the focus stays on the group. If it is open there
    /// already, that pane gets the focus. Returns false if the page is no group, the link no article, or the screen too
    /// narrow.
    pub(crate) fn open_beside_group(
        &mut self,
        request: &Request,
        title: &Text,
        cx: &mut Context,
    ) -> bool {
        let is_on_article = |page: &Page| is_group(page) && is_on_article(page);
        if !self.pane().page().is_some_and(is_on_article) {
            return false;
        }
        if let Some(pane) = self.article_pane(cx) {
            if self.has_in_pane(pane, &request.url) {
                self.set_focus(pane);
            } else {
                self.load_beside(pane, request.clone(), title.clone(), cx);
            }
            return true;
        }
        if !self.has_room_beside(cx) {
            return false;
        }
        let group = self.focus();
        self.is_stacked = false;
        self.split();
        self.set_focus(group);
        self.load_beside(group + 1, request.clone(), title.clone(), cx);
        true
    }

    /// Loads a page into another pane, in place of its page; the focus stays.
    fn load_beside(&self, pane: usize, request: Request, title: Text, cx: &mut Context) {
        // A load is started for the pane that has the focus.
        cx.command(TabsCommand::FocusPane(pane));
        cx.load(PendingRequest::for_pane(request, title, Arrival::Replace));
        cx.command(TabsCommand::FocusPane(self.focus()));
        cx.reveal_all();
    }

    /// Returns true if the screen shows the end of an article, without text that a form feed hides, or that an article
    /// is missing.
    pub(crate) fn is_at_end_of_article(&self, cx: &Context) -> bool {
        let pane = cx.layout.pane(self.focus());
        let Some((page, pane)) = self.pane().page().zip(pane) else {
            return false;
        };
        match &page.view {
            View::Article(article) => {
                article.is_at_end(&page.state, page.text_area(pane, cx.settings.reading))
            }
            View::Failure(_) => page.is_article(),
            _ => false,
        }
    }

    /// Returns true if a pane shows a URL, or loads it.
    fn has_in_pane(&self, pane: usize, url: &Url) -> bool {
        let pane = self.panes().nth(pane);
        let url_of = |pane: &Pane| match &pane.incoming {
            Some(incoming) => Some(incoming.request.url.clone()),
            None => pane.page().map(|page| page.url.clone()),
        };
        pane.and_then(url_of).as_ref() == Some(url)
    }
}

impl Tabs {
    /// Returns true if the pane beside the group shows the article under its cursor.
    pub(crate) fn shows_beside(&self, cx: &Context) -> bool {
        let pane = self
            .tab()
            .and_then(|tab| Some((tab, tab.article_pane(cx)?)));
        let url = self.page().and_then(|page| page.link()?.target.ok());
        let shown = pane.zip(url);
        shown.is_some_and(|((tab, pane), url)| tab.has_in_pane(pane, &url))
    }

    /// Shows the article under the cursor of the group in the pane beside it, if that is open.
    pub(crate) fn follow_cursor(&mut self, cx: &mut Context) {
        let Some(tab) = self.tab() else {
            return;
        };
        let Some(pane) = tab.article_pane(cx) else {
            return;
        };
        let page = self.page().filter(|page| is_on_article(page));
        let Some(link) = page.and_then(Page::link) else {
            return;
        };
        if let Ok(url) = link.target
            && !tab.has_in_pane(pane, &url)
        {
            let request = self.request_from_page(url);
            tab.load_beside(pane, request, link.label, cx);
        }
    }

    /// Scrolls the article beside the group by a screen. Returns false if there is none, or its end is on the screen.
    pub(crate) fn scroll_article_beside(&mut self, cx: &mut Context) -> bool {
        let Some(tab) = self.tab() else {
            return false;
        };
        let (Some(pane), focus) = (tab.article_pane(cx), tab.focus()) else {
            return false;
        };
        self.focus_pane(pane);
        let is_at_end = self.tab().is_some_and(|tab| tab.is_at_end_of_article(cx));
        if !is_at_end {
            self.move_cursor(Motion::Screens(1, 1), cx);
        }
        self.focus_pane(focus);
        !is_at_end
    }
}

fn is_group(page: &Page) -> bool {
    matches!(page.view, View::Group(_))
}

/// Returns true if an article takes the place of what a pane shows: of another article, or of nothing yet.
fn takes_article(pane: &Pane) -> bool {
    let page = pane.page();
    page.map_or(pane.incoming.is_some(), Page::is_article)
}

/// Returns true if the cursor of a group is on an article.
fn is_on_article(page: &Page) -> bool {
    let document = page.document();
    document.is_some_and(|document| document.article(page.cursor()).is_some())
}
