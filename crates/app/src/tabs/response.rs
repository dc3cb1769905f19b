//! The beginning of a response: it makes the page, or ends with a question or a failure.

use std::sync::Arc;
use std::time::Duration;

use geomys_load::{
    Failure, FailureKind, FormAnswers, LoadId, NewsSettings, PageHead, Part, Phase, Question,
    Request, ServerForm, Stop, cache_key, may_store, redirected,
};
use geomys_page::document::{Document, Shape, Zone};
use geomys_wire::net::{TransferEnd, shown_url};
use geomys_wire::text::CharsetSetting;
use geomys_wire::text::Text;

use crate::action::Action;
use crate::name::host_of;
use crate::news::range_of;
use crate::requester::{Arrival, NextStep, Requester};
use crate::tabs::offline::notify_cached;
use crate::tabs::page::{AnswerFacts, PageRequest, ReloadPolicy, Restored};
use crate::tabs::pane::{IncomingPage, Pane};
use crate::tabs::tab::{Tab, is_private_load};
use crate::transfers::Progress;
use crate::view::View;
use crate::view::builtin;
use crate::view::context::State;
use crate::view::failure::FailureView;
use crate::view::form::FormView;
use crate::view::group::GroupOverview;
use crate::view::groups::is_first_page;
use crate::view::terminal::TerminalView;
use crate::{
    Command, Compose, Context, CredentialCommand, Mailcaps, NewsCommand, Page, PendingRequest,
    Tabs, TabsEffect, Transfers,
};

/// The display options of a new page.
#[derive(Clone, Debug)]
struct DisplayOptions {
    /// True for a page that is not written to the disk.
    is_private: bool,
    read_as: CharsetSetting,
    /// The charset that the user chose for this article.
    article_charset: Option<CharsetSetting>,
    zone: Zone,
    news: Arc<NewsSettings>,
    now: Duration,
    /// True if the page may be written to disk, as its visit is.
    is_stored: bool,
}

impl Tabs {
    /// Handles a part of a load for the page that waits for it.
    pub(crate) fn part(&mut self, load: LoadId, part: Part, cx: &mut Context) {
        cx.pages_changed();
        cx.questions_changed();
        let part = match part {
            Part::End(Err(Stop::Failed(failure))) if self.incoming_mut(load).is_some() => {
                self.error_page(load, failure, cx)
            }
            part => part,
        };
        let Some(incoming) = self.incoming_mut(load) else {
            return self.later_part(load, part, cx);
        };
        let request = incoming.request.clone();
        if let Part::End(Err(Stop::Failed(failure))) = &part
            && failure.wants_login
            && failure.kind == FailureKind::Busy
        {
            cx.command(CredentialCommand::Keep(Box::new(request.clone())));
        }
        let mut urls = vec![&request.url];
        if let Part::Head(head) = &part {
            urls.extend(head.url.iter().chain(&head.from));
        }
        let is_excluded = urls.iter().any(|url| cx.settings.history.excludes(url));
        let is_private = is_excluded || is_private_load(&self.list, load);
        let options = DisplayOptions {
            is_private,
            read_as: self.choices.charset_of(&request.url, cx),
            article_charset: self.choices.article_charset(&request.url, cx),
            zone: cx.settings.zone.clone(),
            news: Arc::clone(&cx.settings.news),
            now: cx.now,
            is_stored: cx.settings.history.includes(&request.url),
        };
        let Some(pane) = self.pane_awaiting(load) else {
            return;
        };
        let head = match &part {
            Part::Head(head) => Some(head.clone()),
            _ => None,
        };
        let is_visit =
            pane.incoming.as_ref().map(|incoming| incoming.arrival) != Some(Arrival::Reload);
        // The page of an error is not the one that was requested: it is no visit, and shows nothing new.
        let is_error = (head.as_ref()).is_some_and(|head| head.error_status.is_some());
        let is_session = matches!(part, Part::Terminal(_));
        let is_file = matches!(part, Part::End(Err(Stop::Needs(Question::Save { .. }))));
        if head.is_some() && !is_error || is_session || is_file {
            cx.command(Command::Shown(request.url.clone()));
        }
        cx.cancel(first_part(pane, part, options));
        let is_visit = is_visit && !is_error && !builtin::is_builtin(&request.url);
        if is_visit && !is_private && (head.is_some() || is_session) && !request.sends_answers() {
            self.visited(load, cx);
        }
        match head {
            Some(head) => self.head_received(load, &request, head, cx),
            None => cx.command(NewsCommand::ArticleFailed(request.url)),
        }
    }

    /// Handles the page that a server sent with an error, if any. Returns the part that ends the load.
    fn error_page(&mut self, load: LoadId, mut failure: Failure, cx: &mut Context) -> Part {
        let page = failure.page.take();
        let incoming = self.incoming_mut(load);
        let Some((mut page, incoming)) = page.zip(incoming) else {
            return Part::End(Err(failure.into()));
        };
        // A file is not made of an error.
        incoming
            .next_step
            .take_if(|step| matches!(step, NextStep::Save(_)));
        let copies = FailureView::new(&incoming.request.url, failure);
        let copies = copies.copies(&incoming.request.url, &cx.settings);
        if let (Some(status), false) = (&page.head.error_status, copies.is_empty()) {
            let (key, copies) = (cx.key_of(Action::Copies), copies.join(" "));
            page.head.error_status = Some(Text::of(&format!("{status} ({key} opens) {copies}")));
        }
        self.part(load, Part::Head(page.head), cx);
        self.part(load, Part::Octets(page.octets), cx);
        Part::End(Ok(TransferEnd::Confirmed))
    }

    /// Stores the visit of the page that a load has begun; at once, unless its title may be in the page.
    fn visited(&mut self, load: LoadId, cx: &mut Context) {
        if let Some(page) = self.find_page(|page| page.load() == Some(load)) {
            page.has_new_visit = true;
            let titled = [Shape::Html, Shape::Gemtext, Shape::Article];
            if page.shape().is_none_or(|shape| !titled.contains(&shape)) {
                page.store_visit(cx);
            }
        }
    }

    /// Handles the beginning of a response, apart from the page itself.
    fn head_received(&mut self, load: LoadId, request: &Request, head: PageHead, cx: &mut Context) {
        cx.command(NewsCommand::PageBegun(load));
        // A page from the cache does not confirm a password, because no server has accepted it.
        if head.cached.is_none() && head.error_status.is_none() {
            let remember = CredentialCommand::Remember(Box::new(request.clone()));
            cx.command(remember);
        }
        if let Some((url, directory)) = request.gopher.directory.as_ref().zip(head.directory) {
            for page in self
                .tabs_mut()
                .flat_map(Tab::pages_mut)
                .filter(|page| page.url == *url)
            {
                if let View::Menu(menu) = &mut page.view {
                    menu.store_attributes(&directory);
                }
            }
        }
        if let FormAnswers::Hidden(_) = request.answers {
            cx.notify("An answer is hidden, so this page has the URL of its form");
        }
        if !head.from.is_empty() {
            cx.notify(&redirected(&head.from));
        }
        if let Some(cached) = &head.cached {
            notify_cached(cached, cx);
        }
        if let Some(name) = &head.unknown_charset {
            let key = cx.key_of(Action::Charset);
            cx.notify(&format!("Unknown charset “{name}”: {key} chooses another"));
        }
        if head.is_unchanged {
            cx.notify("The page is unchanged");
        }
        if let Some((why, mirror)) = head.alternate_reason.zip(head.url) {
            let mirror = shown_url(&mirror);
            cx.notify(&format!("Answered by the mirror {mirror}: {why}"));
        }
    }
}

impl Tabs {
    /// Ends a load whose question was left or answered with no; `sentence` is the message about it.
    pub(crate) fn cancel_pending(
        &mut self,
        pending: PendingRequest,
        sentence: &str,
        compose: &mut Compose,
        transfers: &mut Transfers,
        cx: &mut Context,
    ) {
        if pending.requester == Requester::Draft {
            return compose.close_draft(sentence, cx);
        }
        if let Requester::Transfer(id) = pending.requester {
            return transfers.decline_transfer(id, sentence, cx);
        }
        cx.pages_changed();
        if self.page().is_none() {
            // There is no page to go back to: the pane shows the reason.
            let failure = Failure::new(sentence).with_advice("reload to be asked again");
            let page = Page {
                request: PageRequest::from(&pending.request),
                ..Page::failed(pending.request.url, pending.title, failure)
            };
            self.arrive(page, Arrival::Append, cx);
        }
    }
}

impl Pane {
    /// Opens the question of the page that is loading.
    pub(crate) fn ask_for_page(&mut self, cx: &mut Context) {
        let incoming = self.incoming.as_ref();
        let question = incoming.and_then(|incoming| incoming.question.as_ref());
        let is_file = question.is_some_and(|question| matches!(question, Question::Save { .. }));
        match (&mut cx.settings.mailcaps, is_file) {
            (Mailcaps::Unread(paths), true) => {
                let paths = std::mem::take(paths);
                cx.settings.mailcaps = Mailcaps::Reading;
                return cx.emit(TabsEffect::Viewers(paths));
            }
            (Mailcaps::Reading, true) => return,
            (Mailcaps::Unread(_) | Mailcaps::Reading, false) | (Mailcaps::Read, _) => {}
        }
        let waiting = self.incoming.take_if(|pending| pending.question.is_some());
        let Some(mut pending) = waiting else {
            return;
        };
        if let Some(question) = pending.question.take() {
            cx.command(Command::Ask(question, Box::new(pending.into())));
        }
    }
}

/// Handles a part for a page whose response has not begun: it begins, asks a question, or fails. Returns the loads of
/// the pages that the new page takes the place of.
fn first_part(pane: &mut Pane, part: Part, options: DisplayOptions) -> Vec<LoadId> {
    let is_restored = pane
        .page()
        .is_some_and(|page| page.request.restored != Restored::No);
    let is_member = pane.page().is_some_and(Page::is_in_archive);
    let Some(incoming) = &mut pane.incoming else {
        return Vec::new();
    };
    let is_restored = is_restored && incoming.arrival == Arrival::Reload;
    let is_member = is_member && incoming.arrival == Arrival::Reload;
    let (url, title) = (incoming.request.url.clone(), incoming.title.clone());
    let page = match part {
        Part::Phase(phase) => {
            incoming.phase = phase;
            if let Phase::Unpacking { octets, size } = phase {
                let new = || Progress::new(incoming.load, size, options.now);
                let progress = incoming.progress.get_or_insert_with(new);
                progress.record_packed(octets, size, options.now);
            }
            return Vec::new();
        }
        Part::Octets(_)
        | Part::Remark(_)
        | Part::Clock(_)
        | Part::Names(_)
        | Part::Size(_)
        | Part::Hole(_)
        | Part::Covered(_) => {
            return Vec::new();
        }
        Part::End(Err(Stop::Needs(_))) if is_restored => {
            // The restored page stays unloaded until the user asks for it.
            pane.incoming = None;
            return Vec::new();
        }
        Part::End(Err(Stop::Needs(question))) => {
            incoming.question = Some(question);
            return Vec::new();
        }
        Part::Terminal(security) => {
            // The real size is set when the session is in its pane.
            let host = host_of(&url).unwrap_or_default();
            let terminal = Box::new(TerminalView::new((80, 24), options.read_as, &host));
            Page {
                state: State::InSession(incoming.load),
                request: PageRequest::from(&incoming.request),
                answer: AnswerFacts {
                    security: Some(security),
                    ..AnswerFacts::default()
                },
                ..Page::of(url, title, View::Terminal(terminal))
            }
        }
        Part::Head(head) => {
            let new = || Progress::new(incoming.load, head.size, options.now);
            let progress = incoming.progress.take().unwrap_or_else(new);
            new_page(incoming, head, State::Arriving(progress), options)
        }
        Part::End(Err(Stop::Failed(failure))) => Page {
            request: PageRequest::from(&incoming.request),
            answer: AnswerFacts::of_member(&url, is_member),
            ..Page::failed(url, title, failure)
        },
        // A response that ends before its beginning is empty.
        Part::End(Ok(_) | Err(Stop::Truncated(_) | Stop::Closed)) => {
            new_page(incoming, PageHead::new(Shape::Text), State::Whole, options)
        }
    };
    let arrival = incoming.arrival;
    pane.incoming = None;
    pane.arrive(page, arrival)
}

/// Returns the page of a form that a server requests.
pub(crate) fn form_page(form: ServerForm, pending: PendingRequest) -> Page {
    let (url, title) = (pending.request.url.clone(), pending.title.clone());
    let form = FormView::new(form, pending.request, pending.title);
    Page::of(url, title, View::Form(Box::new(form)))
}

impl From<&Request> for PageRequest {
    fn from(request: &Request) -> Self {
        Self {
            news_server: request.news_query.server.clone(),
            reason: Some(request.reason.clone()),
            relevant: request.relevant.clone(),
            gopher_item: request.gopher.item,
            limit: request.limit,
            posted: request.posted().map(|_| Box::new(request.clone())),
            reload: if request.sends_answers() {
                ReloadPolicy::OnRequest
            } else {
                ReloadPolicy::Automatic
            },
            restored: Restored::No,
            is_private: cache_key(request).is_none(),
        }
    }
}

/// Creates the page of a response that has begun.
fn new_page(
    incoming: &IncomingPage,
    head: PageHead,
    state: State,
    options: DisplayOptions,
) -> Page {
    let overview = GroupOverview::new(&head);
    let may_be_stored = may_store(&incoming.request, &head).is_ok();
    let wanted = &incoming.request.url;
    let url = head.url_of(wanted);
    let in_archive = head.unpacked.as_ref().is_some_and(|file| file.in_archive);
    let is_named = url.fragment().is_some() && !in_archive && incoming.arrival == Arrival::Append;
    let title = head.title.unwrap_or_else(|| incoming.title.clone());
    let is_remote = head.cached.is_none() && !builtin::is_builtin(&url);
    let security = is_remote.then_some(head.security);
    let mut document = Document::new(url.clone(), head.shape, options.read_as);
    document.declare(head.charset);
    document.refresh_by(head.refresh);
    if let Shape::Listing { .. } = head.shape {
        document.expect_charset(incoming.request.name_hints.prior);
        document.hide_dot_names();
        document.offer_tree();
    }
    document.set_zone(options.zone);
    if is_first_page(&url) {
        document.list_only_subscribed();
    }
    if let Some(charset) = options.article_charset {
        document.set_charset_setting(charset);
        document.read_article_as(charset);
    }
    document.show_headers(Arc::clone(&options.news.headers));
    if !options.news.unfolds_headers {
        document.fold_headers();
    }
    let mut view = View::new(&url, document);
    if let Some(rows) = view.rows_mut() {
        rows.error_status = head.error_status;
    }
    match &mut view {
        View::Group(group) => {
            group.highest = head.highest;
            // A range of a group has no more articles than it names.
            if range_of(&url).is_none() {
                group.overview = overview;
            }
        }
        View::Groups(groups) => groups.date = head.list_date,
        _ => {}
    }
    let mut request = PageRequest::from(&incoming.request);
    request.posted.take_if(|_| !head.from.is_empty());
    Page {
        state,
        request,
        answer: AnswerFacts {
            security,
            identity: head.identity.map(|name| Text::of(&name)),
            refuses_posts: head.refuses_posts,
            languages: head.languages,
            version: head.version,
            unpacked: head.unpacked,
        },
        cache_key: cache_key(&incoming.request)
            .filter(|_| head.cached.is_none() && may_be_stored)
            .filter(|_| options.is_stored && !options.is_private)
            .filter(|_| !incoming.request.sends_answers()),
        cached: head.cached,
        shown_at: options.now,
        next_step: incoming
            .next_step
            .clone()
            .or(is_named.then_some(NextStep::GoToFragment)),
        ..Page::of(url, title, view)
    }
}
