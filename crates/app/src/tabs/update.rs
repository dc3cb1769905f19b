//! The messages and commands to the tabs, the parts of loads whose page grows or ends, and the results of computations.

use crate::Rect;
use geomys_load::{LoadId, Part, Reason, Request, Stop};
use geomys_wire::net::TransferEnd;

use crate::tabs::external::run;
use crate::tabs::pane::{IncomingPage, Pane};
use crate::tabs::tab::Tab;
use crate::view::View;
use crate::view::context::{Outcome, State};
use crate::view::terminal::kind::session_ended;
use crate::view::work::{WorkId, WorkResult};
use crate::{Context, Credentials, Dialogs, Mailcaps, News, Page, Tabs, TabsCommand, TabsMessage};

impl Tabs {
    /// Handles a message.
    pub(crate) fn update(
        &mut self,
        message: TabsMessage,
        dialogs: &Dialogs,
        credentials: &Credentials,
        cx: &mut Context,
    ) {
        cx.pages_changed();
        cx.questions_changed();
        match message {
            TabsMessage::Graphics(graphics) => cx.graphics = graphics,
            TabsMessage::Rules(from, host, rules, usage) => {
                self.server_rules_loaded(&from, (host, rules), usage, dialogs, credentials, cx);
            }
            TabsMessage::Viewers(entries) => {
                cx.settings.viewers.extend(entries);
                cx.settings.mailcaps = Mailcaps::Read;
            }
            TabsMessage::ProgramEnded(result) => cx.report(result),
        }
    }

    /// Carries out a command of another part.
    pub(crate) fn carry_out(
        &mut self,
        command: TabsCommand,
        news: &News,
        credentials: &Credentials,
        cx: &mut Context,
    ) {
        match command {
            // The page explains that the scheme is not supported.
            TabsCommand::OpenUnsupported(url) => {
                self.open_page(Request::show(url, Reason::Typed).into(), cx);
            }
            TabsCommand::ReadFormFile(path) => {
                if let Some(form) = self.page_mut().and_then(Page::form_mut) {
                    form.read_file(path, cx);
                }
            }
            TabsCommand::ConfirmReplyPath(path) => {
                let form = self.page_mut().and_then(Page::form_mut);
                let outcome = form.map(|form| form.confirm_reply_path(path, cx));
                Self::follow(outcome.unwrap_or(Outcome::Ignored), cx);
            }
            TabsCommand::FocusPane(pane) => self.focus_pane(pane),
            TabsCommand::Run(arguments) => run(arguments, true, cx),
            TabsCommand::RunOnDesktop(arguments) => run(arguments, false, cx),
            TabsCommand::RequestListChanges => self.request_list_changes(news, credentials, cx),
            TabsCommand::LoadArticles(server, group, goal) => {
                self.load_articles(&server, &group, goal, (news, credentials), cx);
            }
        }
    }
}

impl Tabs {
    /// Handles a part for a page whose response has begun.
    pub(crate) fn later_part(&mut self, load: LoadId, part: Part, cx: &mut Context) {
        match part {
            Part::End(end) => self.load_ended(load, end, cx),
            part => {
                if let Some(page) = self.find_page(|page| page.load() == Some(load)) {
                    page.take_part(part, cx);
                }
            }
        }
    }

    /// Handles the end of a load.
    fn load_ended(&mut self, load: LoadId, end: Result<TransferEnd, Stop>, cx: &mut Context) {
        let is_shown = self.page().and_then(Page::load) == Some(load);
        let Some(page) = self.find_page(|page| page.load() == Some(load)) else {
            return;
        };
        if let View::Terminal(_) = page.view {
            page.state = match end {
                Err(Stop::Failed(failure)) => State::Broken(failure),
                Ok(_) | Err(Stop::Truncated(_) | Stop::Needs(_) | Stop::Closed) => State::Whole,
            };
            return session_ended(&page.url, &page.state, cx);
        }
        if page.is_updating() {
            return self.list_changes_ended(load, end, cx);
        }
        let order = page.shape().map(|shape| (shape, page.url.clone()));
        let order = order.and_then(|(shape, url)| self.choices.order_of(shape, &url, cx));
        let Some(page) = self.find_page(|page| page.load() == Some(load)) else {
            return;
        };
        if let Some(error) = page.load_ended(end, order, cx) {
            // A message about another page names that page.
            let named = (!is_shown).then(|| format!("{}: {error}", page.title));
            cx.report_error(&named.unwrap_or(error));
        }
    }

    /// Handles the result of a computation.
    pub(crate) fn worked(&mut self, work: WorkId, result: WorkResult, cx: &mut Context) {
        let awaits = |page: &Page| page.view.kind().awaits(work);
        match result {
            WorkResult::Finished(document) => {
                if let Some(page) = self.find_page(awaits) {
                    page.finished(document, cx);
                }
            }
            WorkResult::LaidOut(document) => {
                if let Some(page) = self.find_page(awaits) {
                    page.laid_out(&document, cx);
                }
            }
            WorkResult::Found(_) | WorkResult::Read(_) if self.page().is_some_and(awaits) => {
                self.have_done(cx, |view, at| view.take(work, result, at));
            }
            WorkResult::Read(_) => {}
            WorkResult::Found(_) | WorkResult::Counted(_) | WorkResult::Rendered(_) => {
                let pane = match result {
                    WorkResult::Found(_) => cx.layout.pane(0).unwrap_or_default(),
                    _ => Rect::default(),
                };
                let panes = self.list.iter_mut().flat_map(Tab::panes_mut);
                let mut pages = panes.flat_map(Pane::pages_mut);
                if let Some(page) = pages.find(|page| awaits(page)) {
                    // The user is told of a result only where its page is in front.
                    let notice = cx.notice.take();
                    let (view, mut at) = page.lend((pane, true), &mut self.choices, cx);
                    view.take(work, result, &mut at);
                    cx.notice = notice;
                }
            }
        }
    }

    /// Returns the pane that waits for a load.
    pub(crate) fn pane_awaiting(&mut self, load: LoadId) -> Option<&mut Pane> {
        let mut panes = self.list.iter_mut().flat_map(Tab::panes_mut);
        panes.find(|pane| pane.incoming.as_ref().map(|incoming| incoming.load) == Some(load))
    }

    /// Returns the incoming page of a load.
    pub(crate) fn incoming_mut(&mut self, load: LoadId) -> Option<&mut IncomingPage> {
        self.pane_awaiting(load)?.incoming.as_mut()
    }
}
