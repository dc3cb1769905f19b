//! Navigation: links, addresses, built-in pages, and stopping a load.

use crate::app::action::Action;
use crate::app::dialogs::prompt::{Prompt, PromptKind};
use crate::app::requester::NextStep;
use crate::app::tabs::help;
use crate::app::tabs::page::{Content, Page, State};
use crate::app::tabs::pane::Arrival;
use crate::app::tabs::tab::Tab;
use crate::app::{Context, Effect, Focus, Tabs, title_of};
use crate::load::{CacheUse, Request};
use crate::text::Text;
use crate::url::{Parts, Scheme, Url};

/// The target pane for a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenIn {
    /// The pane with the focus.
    ThisPane,
    /// A new pane to the right.
    NewPane,
    /// A new tab.
    NewTab,
}

impl Tabs {
    pub(crate) fn open_help(&mut self, cx: &mut Context) {
        cx.focus = Focus::Panes;
        if self
            .page()
            .is_some_and(|page| page.url.as_str() == help::HELP)
        {
            return self.go_in_history(false, cx);
        }
        open_builtin(help::HELP, cx);
    }

    /// Opens the page that explains an address with an unsupported scheme.
    pub(crate) fn open_unsupported(&mut self, url: Url, cx: &mut Context) {
        self.open_page(Request::show(url), None, OpenIn::ThisPane, cx);
    }

    pub(crate) fn open_page(
        &mut self,
        request: Request,
        title: Option<Text>,
        open_in: OpenIn,
        cx: &mut Context,
    ) {
        let url = request.url.clone();
        let in_session = self.page().is_some_and(|page| page.state.is_in_session());
        // A session would end if another page replaced it.
        let open_in = if in_session && open_in == OpenIn::ThisPane {
            OpenIn::NewTab
        } else {
            open_in
        };
        match open_in {
            OpenIn::ThisPane => {}
            OpenIn::NewPane => {
                if let Some(tab) = self.tab_mut() {
                    tab.split();
                }
            }
            OpenIn::NewTab => {
                self.list
                    .insert((self.index + 1).min(self.list.len()), Tab::default());
                self.index = (self.index + 1).min(self.list.len() - 1);
            }
        }
        cx.focus = Focus::Panes;
        cx.reveal_all();
        let title = title
            .filter(|title| !title.is_blank())
            .unwrap_or_else(|| title_of(&url));
        if let Some(document) = help::page(&url, &cx.keymap) {
            let page = Page::new(url, title, document, State::Whole);
            return self.arrive(page, Arrival::Append, cx);
        }
        let request = Request {
            cache_use: CacheUse::BeforeRequest,
            ..request
        };
        cx.request(request, title, Arrival::Append);
    }

    /// Creates a request for a link of the shown page. A `news:` URL is requested from the server of the page, over
    /// TLS if the page was.
    pub(crate) fn request_from_page(&self, url: Url) -> Request {
        let request = Request::show(url);
        let Some(page) = self.page().filter(|_| request.url.scheme() == Scheme::News) else {
            return request;
        };
        let news_server = page.news_host();
        Request {
            news_server,
            ..request
        }
    }

    pub(crate) fn arrive(&mut self, page: Page, arrival: Arrival, cx: &mut Context) {
        let dropped = self
            .pane_mut()
            .map(|pane| pane.arrive(page, arrival))
            .unwrap_or_default();
        cx.effects.extend(dropped.into_iter().map(Effect::Drop));
    }

    /// Returns the page of a server if it is the source of a link to this local file; `None` if the link comes from the
    /// user, a local page or a built-in page.
    pub(crate) fn remote_page_to_file(&self, url: &Url, cx: &Context) -> Option<Url> {
        let page = self.page().filter(|_| cx.focus == Focus::Panes)?;
        let is_local = page.url.scheme() == Scheme::File || help::is_builtin(&page.url);
        (url.scheme() == Scheme::File && !is_local).then(|| page.url.clone())
    }

    /// Folds or unfolds the remark under the cursor. Returns true if there is one.
    fn fold_remark(&mut self, cx: &Context) -> bool {
        let Some((page, view)) = self.page_view(cx) else {
            return false;
        };
        let cursor = page.position.cursor;
        let Content::Document(document) = &mut page.content else {
            return false;
        };
        let folded = document.toggle_remark(cursor);
        page.reveal(view);
        folded
    }

    /// Returns the message that explains why no link is selected.
    pub(crate) fn no_link(&self, cx: &Context) -> String {
        match cx.focus {
            Focus::Bookmarks => "this is a folder, and no link".to_owned(),
            Focus::Transfers => "there is no transfer".to_owned(),
            Focus::Panes if self.page().is_some_and(Page::is_list) => {
                "no link on this row".to_owned()
            }
            Focus::Panes => {
                let next = cx.key_of(Action::NextLink);
                format!("no link is chosen: {next} goes to the next one")
            }
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
        let pane = self.pane()?;
        match &pane.incoming {
            Some(incoming) => Some((incoming.title.clone(), incoming.request.url.clone())),
            None => pane
                .page()
                .map(|page| (page.title.clone(), page.url.clone())),
        }
    }

    pub(crate) fn edit_url(&self, cx: &mut Context) {
        let url = self
            .address()
            .map(|(_, url)| url.without_password().to_string());
        cx.prompt(Prompt::new(PromptKind::EditUrl, &url.unwrap_or_default()));
    }

    /// Sets the step that follows when the incoming page is complete.
    pub(crate) fn set_next_step(&mut self, next_step: NextStep) {
        if let Some(incoming) = self.pane_mut().and_then(|pane| pane.incoming.as_mut()) {
            incoming.next_step = Some(next_step);
        }
    }

    /// Opens what is under the cursor of the page and is no link: a session, a folded remark or quotation, an attachment.
    /// Returns `None` if there is nothing of that kind.
    pub(crate) fn open_here(&mut self, cx: &mut Context) -> Option<()> {
        if cx.focus == Focus::Panes {
            if self.page().is_some_and(|page| page.session().is_some()) {
                self.switch_keys(cx);
                return Some(());
            }
            if self.fold_remark(cx) {
                return Some(());
            }
        }
        self.open_quotation(cx)
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
            page.state = State::Stopped;
            cx.cancel([load]);
            self.finish_page(cx);
            cx.notify("stopped; what came is here");
            return Some(());
        }
        page.needle.take()?;
        page.finding = None;
        Some(())
    }
}

pub(crate) fn open_builtin(address: &str, cx: &mut Context) {
    if let Ok(url) = Url::accept(address) {
        cx.open(url, None, OpenIn::ThisPane);
    }
}
