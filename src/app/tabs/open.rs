//! Navigation: links, addresses, built-in pages, and stopping a load.

use geomys_page::load::{CacheUse, NoRequestReason, Request, similar_documents};
use geomys_wire::text::Text;
use rfc1738::{Dialect, Parts, Scheme, Url};

use crate::app::action::Action;
use crate::app::dialogs::text_input::{InputCommand, TextInput};
use crate::app::requester::OpenPage;
use crate::app::requester::OpenTarget;
use crate::app::requester::PendingRequest;
use crate::app::requester::{Arrival, NextStep};
use crate::app::tabs::page::State;
use crate::app::view::builtin;
use crate::app::{
    Context, Dialog, Focus, LibraryCommand, OpenIn, Page, Tabs, TabsEffect, title_of,
};

impl Tabs {
    /// Opens the page of the configuration files and the mistakes in them.
    pub(crate) fn open_config(&mut self, cx: &mut Context) {
        cx.focus = Focus::Panes;
        match self.page() {
            Some(page) if page.url.as_str() == builtin::CONFIG => {}
            _ => open_builtin(builtin::CONFIG, cx),
        }
    }

    /// Opens a request in a pane; `next_step` follows when its page is complete.
    pub(crate) fn open_page(&mut self, page: OpenPage, cx: &mut Context) {
        let OpenPage {
            target,
            title,
            open_in,
            next_step,
        } = page;
        let request = self.request_to(target);
        if next_step.is_none() && self.go_to_fragment(&request, open_in, cx).is_some() {
            return;
        }
        let url = request.url.clone();
        let cache_use = match request.cache_use {
            CacheUse::Always(reason) => CacheUse::Always(reason),
            CacheUse::IfUnreachable | CacheUse::BeforeRequest => {
                if self.shows_later() && cx.focus == Focus::Panes {
                    CacheUse::Always(NoRequestReason::Saved)
                } else {
                    CacheUse::BeforeRequest
                }
            }
        };
        let in_session = self.page().is_some_and(|page| page.state.is_in_session());
        // A session would end if another page replaced it.
        let open_in = if in_session && open_in == OpenIn::ThisPane {
            OpenIn::NewTab
        } else {
            open_in
        };
        match open_in {
            OpenIn::ThisPane => {}
            OpenIn::NewPane => self.split(cx),
            OpenIn::NewTab => self.add_related(),
        }
        cx.focus = Focus::Panes;
        cx.reveal_all();
        let title = link_title(title, &url);
        if let Some(document) = builtin::page(&url, &cx.keymap, &cx.settings) {
            let mut page = Page::new(url, title, document, State::Whole);
            page.next_step = page.url.fragment().map(|_| NextStep::GoToFragment);
            page.scroll_to_fragment(cx);
            return self.arrive(page, Arrival::Append, cx);
        }
        if url.as_str() == builtin::HOME {
            return cx.command(LibraryCommand::Home(Arrival::Append));
        }
        if url.as_str() == builtin::HISTORY {
            return cx.command(LibraryCommand::List(Arrival::Append));
        }
        if url.as_str() == builtin::LATER {
            return cx.emit(TabsEffect::ListLater(Arrival::Append));
        }
        let request = Request {
            cache_use,
            ..request
        };
        cx.load(PendingRequest::for_pane(request, title, Arrival::Append).then(next_step));
    }

    /// Creates a request for a link of the shown page. A `news:` URL is requested from the server of the page, over
    /// TLS if the page was; an item of its Gopher server likewise.
    pub(crate) fn request_from_page(&self, url: Url) -> Request {
        let url = self.at_tls_port(url);
        let page = self.page();
        let news_page = page.filter(|_| url.scheme() == Scheme::News);
        let named_by = page.filter(|page| !builtin::is_builtin(&page.url));
        Request {
            news_server: news_page.and_then(Page::news_host),
            referrer: named_by.map(Page::origin),
            ..Request::show(url)
        }
    }

    /// Creates the request to a target. A URL that the user typed or has as a bookmark is requested from the same server as
    /// with [`Tabs::request_from_page`].
    pub(crate) fn request_to(&self, target: OpenTarget) -> Request {
        match target {
            OpenTarget::Url(url) => Request {
                referrer: None,
                ..self.request_from_page(url)
            },
            OpenTarget::Request(request) => *request,
        }
    }

    pub(crate) fn arrive(&mut self, page: Page, arrival: Arrival, cx: &mut Context) {
        let height = cx.layout.panes_height();
        if let Some(pane) = self.pane_mut() {
            cx.cancel(pane.arrive(page, arrival));
            // A built-in page arrives complete.
            if let Some(page) = pane.page_mut() {
                page.choose_first_link(height);
            }
            cx.pages_changed();
        }
    }

    /// Returns the page of a server if it is the source of a link to this local file; `None` if the link comes from the
    /// user, a local page or a built-in page.
    pub(crate) fn remote_page_to_file(&self, url: &Url, cx: &Context) -> Option<Url> {
        let page = self.page().filter(|_| cx.focus == Focus::Panes)?;
        let is_local = page.url.scheme() == Scheme::File || builtin::is_builtin(&page.url);
        (url.scheme() == Scheme::File && !is_local).then(|| page.url.clone())
    }

    /// Folds or unfolds the remark under the cursor; on a text without a chosen link, the first block on the screen. Returns
    /// `None` if there is none.
    fn fold_remark(&mut self, cx: &Context) -> Option<()> {
        let (page, view) = self.page_view(cx)?;
        let rows = match page.position.link {
            _ if page.is_list() => page.position.cursor..page.position.cursor + 1,
            Some(_) => return None,
            None => page.position.top.0..page.position.top.0 + view.height,
        };
        let document = page.content.document_mut()?;
        let is_folded = rows.into_iter().any(|row| document.toggle_remark(row));
        page.reveal(view);
        is_folded.then_some(())
    }

    /// Returns the message that explains why no link is selected.
    pub(crate) fn no_link(&self, cx: &Context) -> String {
        match cx.focus {
            Focus::Bookmarks => "this is a folder, not a link".to_owned(),
            Focus::Transfers => "no transfers".to_owned(),
            Focus::Panes if self.page().is_some_and(Page::is_list) => {
                "no link on this row".to_owned()
            }
            Focus::Panes => {
                let next = cx.key_of(Action::NextLink);
                format!("no link selected ({next} next link)")
            }
        }
    }

    /// Searches again for documents that are similar to the one under the cursor.
    pub(crate) fn search_similar(&self, cx: &mut Context) {
        let page = self.page();
        let request = page.and_then(|page| {
            let document = page.link()?.target.ok()?;
            similar_documents(&page.url, &document)
        });
        match request {
            Some(request) => cx.open(request),
            None => cx.notify("not a result of a WAIS search"),
        }
    }

    /// Creates a request for all groups of the server of the shown group or article.
    pub(crate) fn all_groups(&self, to_root: bool) -> Option<Request> {
        match self.page()?.url.base_parts() {
            Parts::Nntp(nntp) if to_root || nntp.number.is_none() => {
                Some(self.request_from_page(Url::parse("news:*").ok()?))
            }
            _ => None,
        }
    }

    /// Returns the title and URL for the address line: of the page that is loading, or else of the current page.
    pub(crate) fn address(&self) -> Option<(Text, Url)> {
        let (title, url) = match self.incoming() {
            Some(incoming) => (&incoming.title, &incoming.request.url),
            None => self.page().map(|page| (&page.title, &page.url))?,
        };
        Some((title.clone(), url.clone()))
    }

    pub(crate) fn edit_url(&self, cx: &mut Context) {
        let address = self.address();
        let url = address.map_or(String::new(), |(_, url)| url.without_password().to_string());
        let input = TextInput::new(InputCommand::Open, &url);
        cx.ask(Dialog::input("Open", input));
    }

    /// Opens what is under the cursor of the page and is no link: a session, a folded remark or quotation, an attachment.
    /// Returns `None` if there is nothing of that kind.
    pub(crate) fn open_here(&mut self, cx: &mut Context) -> Option<()> {
        if cx.focus == Focus::Panes {
            if self.page().is_some_and(|page| page.session().is_some()) {
                self.switch_keys(cx);
                return Some(());
            }
            if self.fold_remark(cx).is_some() {
                return Some(());
            }
            if let Some(opened) = self.page().and_then(|page| page.open_copy(cx)) {
                return Some(opened);
            }
        }
        self.open_quotation(cx)
            .or_else(|| self.open_attached_message(cx))
            .or_else(|| self.open_attached_picture(cx))
            .or_else(|| self.ask_save_attachment(cx))
    }

    /// Stops the load or the search of the pane with the focus. Returns `None` if there is none.
    pub(crate) fn stop(&mut self, cx: &mut Context) -> Option<()> {
        let pane = self.pane_mut()?;
        if let Some(incoming) = pane.incoming.take() {
            cx.notify("stopped");
            cx.cancel([incoming.load]);
            return Some(());
        }
        let page = pane.page_mut()?;
        page.next_step = None;
        if let Some(load) = page.load() {
            page.state = if std::mem::take(&mut page.overview.is_update) {
                State::Whole
            } else {
                State::Stopped
            };
            let caching = page.take_cache_effect();
            cx.cancel([load]);
            cx.effects.extend(caching);
            self.finish_page(cx);
            cx.notify("stopped: partial page");
            return Some(());
        }
        page.needle.take()?;
        page.finding = None;
        page.found = None;
        Some(())
    }
}

/// Returns the title of a link to a URL, or else the title of the URL.
pub(crate) fn link_title(title: Option<Text>, url: &Url) -> Text {
    let title = title.filter(|title| !title.is_blank());
    title.unwrap_or_else(|| title_of(url))
}

pub(crate) fn open_builtin(address: &str, cx: &mut Context) {
    if let Ok(url) = Dialect::Extended.parse(address) {
        cx.open(url);
    }
}
