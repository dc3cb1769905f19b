//! The handling of load events: a page begins, grows and ends; and the results of blocking tasks.

use std::sync::Arc;
use std::time::Duration;

use crate::app::command::{CredentialCommand, NewsCommand, TabsCommand, TransferCommand};
use crate::app::requester::NextStep;
use crate::app::tabs::offline::{notify_cached, notify_new_groups};
use crate::app::tabs::page::{Colours, Content, Page, Progress, ReloadPolicy, State};
use crate::app::tabs::pane::{IncomingPage, Pane};
use crate::app::tabs::reload::{more_after, truncated_message};
use crate::app::tabs::session::{Session, session_ended};
use crate::app::tabs::tab::Tab;
use crate::app::{Command, Context, Effect, Tabs, TabsEffect, WorkId};
use crate::document::{Arrangement, Document, Remark, Shape, Zone};
use crate::load::{
    FormAnswers, LoadId, NewsSettings, PageHead, Part, Request, Stop, cache_key, redirected,
};
use crate::text::CharsetSetting;

/// The size in octets of a document that takes about a millisecond to finish.
const SMALL_DOCUMENT: usize = 64 * 1024;

/// The display options of a new page.
#[derive(Clone, Debug)]
struct DisplayOptions {
    read_as: CharsetSetting,
    colours: Colours,
    zone: Zone,
    news: Arc<NewsSettings>,
}

impl Tabs {
    /// Handles a part of a load for the page that waits for it.
    pub(crate) fn part(&mut self, load: LoadId, part: Part, cx: &mut Context) {
        let now = cx.now;
        let Some(pane) = self.pane_awaiting(load) else {
            return self.later_part(load, part, cx);
        };
        let Some(request) = pane
            .incoming
            .as_ref()
            .map(|incoming| incoming.request.clone())
        else {
            return;
        };
        let options = DisplayOptions {
            read_as: self.charset_of(&request.url, cx),
            colours: cx.settings.colours,
            zone: cx.settings.zone.clone(),
            news: Arc::clone(&cx.settings.news),
        };
        let Some(pane) = self.pane_awaiting(load) else {
            return;
        };
        let head = match &part {
            Part::Head(head) => Some(head.clone()),
            Part::Phase(_)
            | Part::Session(_)
            | Part::Octets(_)
            | Part::Remark(_)
            | Part::Clock(_)
            | Part::End(_) => None,
        };
        let dropped = first_part(pane, part, now, options);
        cx.cancel(dropped);
        match head {
            Some(head) => self.head_received(load, &request, head, cx),
            None => cx.command(Command::News(NewsCommand::ArticleFailed(request.url))),
        }
    }

    /// Handles the beginning of a response, apart from the page itself.
    fn head_received(&mut self, load: LoadId, request: &Request, head: PageHead, cx: &mut Context) {
        cx.command(Command::News(NewsCommand::PageBegun(load)));
        // A page from the cache does not confirm a password, because no server has accepted it.
        if head.cached.is_none() {
            cx.command(Command::Credentials(CredentialCommand::Remember(Box::new(
                request.clone(),
            ))));
        }
        if let Some((menu, directory)) = request.directory.as_ref().zip(head.directory) {
            self.store_menu_attributes(menu, &directory);
        }
        if let FormAnswers::Hidden(_) = request.answers {
            cx.notify("one answer is hidden, so this page goes by the address of its form");
        }
        if !head.from.is_empty() {
            cx.notify(&redirected(&head.from));
        }
        if let Some(cached) = &head.cached {
            notify_cached(cached, cx);
        }
        if let Some((why, mirror)) = head.mirror_reason.zip(head.url) {
            let mirror = mirror.masked();
            cx.notify(&format!("{mirror} answered, as {why}"));
        }
    }

    /// Handles a part for a page whose response has begun.
    fn later_part(&mut self, load: LoadId, part: Part, cx: &mut Context) {
        let now = cx.now;
        let work = cx.next_work();
        let is_shown = self.page().and_then(Page::load) == Some(load);
        let more = more_after(&part, cx);
        let Some(page) = self.find_page(|page| page.load() == Some(load)) else {
            return;
        };
        match part {
            Part::Head(head) if page.is_updating() => {
                (page.list_date, page.security) = (head.list_date, Some(head.security));
            }
            Part::End(end) if page.is_updating() => self.list_changes_ended(load, end, cx),
            Part::Phase(_) | Part::Head(_) | Part::Session(_) => {}
            Part::Remark(remark) => {
                page.remark(remark);
                cx.reveal_all();
            }
            Part::Clock(minutes) => {
                if let Content::Document(document) = &mut page.content {
                    document.set_clock(minutes);
                }
            }
            Part::Octets(octets) if page.state.is_in_session() => {
                self.session_octets(load, &octets, cx);
            }
            Part::Octets(octets) => {
                if let State::Arriving(progress) = &mut page.state {
                    progress.octets += octets.len() as u64;
                    progress.now = now;
                }
                if let Content::Document(document) = &mut page.content {
                    document.take(octets);
                }
            }
            Part::End(end) if page.state.is_in_session() => {
                page.state = match end {
                    Err(Stop::Failed(failure)) => State::Broken(failure),
                    Ok(()) | Err(Stop::Truncated(_) | Stop::Needs(_) | Stop::Closed) => {
                        State::Whole
                    }
                };
                let (url, state) = (page.url.clone(), page.state.clone());
                session_ended(&url, &state, cx);
            }
            Part::End(end) => {
                page.state = match end {
                    Ok(()) => State::Whole,
                    Err(Stop::Truncated(limit)) => State::Truncated(limit),
                    Err(Stop::Failed(failure)) => State::Broken(failure),
                    Err(Stop::Needs(_) | Stop::Closed) => State::Stopped,
                };
                let error_text = match &page.state {
                    State::Truncated(limit) => Some(truncated_message(*limit, more)),
                    State::Broken(failure) => Some(failure.sentence.clone()),
                    State::Arriving(_)
                    | State::InSession(_)
                    | State::Whole
                    | State::Stopped
                    | State::Interrupted => None,
                };
                let title = page.title.clone();
                let is_saved = |step: &mut NextStep| {
                    page.state == State::Whole && matches!(step, NextStep::Save(_))
                };
                let save = page
                    .next_step
                    .take_if(is_saved)
                    .zip(page.document().cloned());
                let cache_effect = page.take_cache_effect();
                let restoring = page.restoring(work);
                let finishing = if restoring.is_none() {
                    page.finish(work)
                } else {
                    None
                };
                if let Some(error_text) = error_text {
                    // A message about another page names that page.
                    cx.report_error(&if is_shown {
                        error_text
                    } else {
                        format!("{title}: {error_text}")
                    });
                }
                self.finish_now_or_later(finishing, cx);
                if let Some((document, arrangement)) = restoring {
                    self.arrange_now_or_later(work, document, arrangement, cx);
                }
                if let Some((NextStep::Save(path), document)) = save {
                    cx.command(Command::Transfers(TransferCommand::SaveReply(
                        document, path,
                    )));
                }
                cx.effects.extend(cache_effect);
                cx.command(Command::Tabs(TabsCommand::RequestListChanges));
            }
        }
    }
}

impl Tabs {
    /// Starts the final processing of the current page after its last part.
    pub(crate) fn finish_page(&mut self, cx: &mut Context) {
        let work = cx.next_work();
        let finishing = self.page_mut().and_then(|page| page.finish(work));
        self.finish_now_or_later(finishing, cx);
    }

    /// Finishes a small document at once, so that it is never shown unfinished, and a large one in a task.
    pub(crate) fn finish_now_or_later(
        &mut self,
        finishing: Option<(WorkId, Document)>,
        cx: &mut Context,
    ) {
        match finishing {
            Some((work, document)) if document.raw().len() <= SMALL_DOCUMENT => {
                self.finished(work, document.finished(), cx);
            }
            Some((work, document)) => cx.emit(Effect::Tabs(TabsEffect::Finish(work, document))),
            None => {}
        }
    }

    /// Returns the pane that waits for a load.
    fn pane_awaiting(&mut self, load: LoadId) -> Option<&mut Pane> {
        let mut panes = self.list.iter_mut().flat_map(Tab::panes_mut);
        panes.find(|pane| {
            pane.incoming
                .as_ref()
                .is_some_and(|incoming| incoming.load == load)
        })
    }

    /// Returns the incoming page of a load.
    pub(crate) fn incoming_mut(&mut self, load: LoadId) -> Option<&mut IncomingPage> {
        self.pane_awaiting(load)?.incoming.as_mut()
    }

    /// Replaces a document by the one that a blocking task has finished or sorted.
    pub(crate) fn finished(&mut self, work: WorkId, document: Document, cx: &mut Context) {
        let Some(page) = self.find_page(|page| page.finishing == Some(work)) else {
            return;
        };
        page.finishing = None;
        page.arranging = None;
        let restored = page.restore.take().map(|(position, _)| position);
        let restored = restored.filter(|position| *position == page.position);
        if let Some(title) = document.title() {
            page.title = title;
        }
        let new = document.arrangement();
        // While the source is shown, the rendered page is stored beside it.
        let (shown, position) = match (&mut page.rendered, &mut page.content) {
            (Some(rendered), Content::Document(source)) => {
                source.copy_charset_from(&document);
                (&mut rendered.document, &mut rendered.position)
            }
            (None, Content::Document(shown)) => (shown, &mut page.position),
            (
                _,
                Content::Failure(_) | Content::Form(_) | Content::Session(_) | Content::Dropped,
            ) => return,
        };
        let old = shown.arrangement();
        // The cursor stays on its entry when the order changes; at the top it stays at the top.
        let refiltered = old.filter != new.filter;
        if !refiltered && position.cursor == shown.initial_row() && position.top == (0, 0) {
            position.cursor = document.initial_row();
        } else {
            let last = document.count().saturating_sub(1);
            let moved = shown.moved_to(position.cursor, &document);
            position.cursor = moved.map_or(position.cursor, |moved| moved.min(last));
        }
        if refiltered {
            position.top = (0, 0);
        }
        if let Some(restored) = restored {
            *position = restored;
        }
        let more = document.new_groups().saturating_sub(shown.new_groups());
        *shown = document.into();
        let url = page.url.clone();
        cx.reveal_all();
        notify_order(&old, &new, cx);
        notify_new_groups(more, cx);
        cx.command(Command::News(NewsCommand::PageFinished(url)));
        cx.command(Command::Tabs(TabsCommand::RequestListChanges));
    }
}

/// Reports a changed sort order in the status line.
fn notify_order(old: &Arrangement, new: &Arrangement, cx: &mut Context) {
    if let (Some(old), Some(new)) = (old.order, new.order)
        && (old.column, old.reverse) != (new.column, new.reverse)
    {
        cx.notify(&format!("sorted by {}", new.words()));
    }
}

impl Page {
    /// Returns the document that must be finished after its last part, if it needs that.
    pub(crate) fn finish(&mut self, work: WorkId) -> Option<(WorkId, Document)> {
        let document = self.document();
        let document = document.filter(|document| document.needs_finish())?.clone();
        self.finishing = Some(work);
        Some((work, document))
    }

    /// Adds a remark above the entries; the visible rows stay at their position on the screen.
    fn remark(&mut self, remark: Remark) {
        let Content::Document(document) = &mut self.content else {
            return;
        };
        let before = document.count();
        let rests = self.position.cursor == document.initial_row();
        let (cursor, top) = (self.position.cursor, self.position.top.0);
        let origins = [document.origin(cursor), document.origin(top)];
        document.add_remark(remark);
        let more = document.count().saturating_sub(before);
        let [cursor, top] = origins.map(|origin| document.row_of(origin?));
        self.position.cursor = if rests {
            document.initial_row()
        } else {
            cursor.unwrap_or(self.position.cursor.saturating_add(more))
        };
        // At the top the view stays at the top, so that the remark is visible.
        if self.position.top.0 > 0 {
            self.position.top.0 = top.unwrap_or(self.position.top.0);
        }
    }
}

/// Handles a part for a page whose response has not begun: it begins, asks a question, or fails. Returns the loads of the
/// pages that the new page takes the place of.
fn first_part(pane: &mut Pane, part: Part, now: Duration, options: DisplayOptions) -> Vec<LoadId> {
    let Some(mut incoming) = pane.incoming.take() else {
        return Vec::new();
    };
    let page = match part {
        Part::Phase(phase) => {
            incoming.phase = phase;
            pane.incoming = Some(incoming);
            return Vec::new();
        }
        Part::Octets(_) | Part::Remark(_) | Part::Clock(_) => {
            pane.incoming = Some(incoming);
            return Vec::new();
        }
        Part::End(Err(Stop::Needs(question))) => {
            incoming.question = Some(question);
            pane.incoming = Some(incoming);
            return Vec::new();
        }
        Part::Session(security) => {
            // The real size is set when the session is in its pane.
            let session = Session::new(80, 24);
            Page {
                state: State::InSession(incoming.load),
                security: Some(security),
                ..Page::of(
                    incoming.request.url,
                    incoming.title,
                    Content::Session(Box::new(session)),
                )
            }
        }
        Part::Head(head) => {
            let progress = Progress {
                load: incoming.load,
                octets: 0,
                size: head.size,
                since: now,
                now,
            };
            new_page(&incoming, head, State::Arriving(progress), options, now)
        }
        Part::End(Err(Stop::Failed(failure))) => {
            Page::failed(incoming.request.url, incoming.title, failure)
        }
        // A response that ends before its beginning is empty.
        Part::End(Ok(()) | Err(Stop::Truncated(_) | Stop::Closed)) => new_page(
            &incoming,
            PageHead::new(Shape::Text),
            State::Whole,
            options,
            now,
        ),
    };
    pane.arrive(page, incoming.arrival)
}

/// Creates the page of a response that has begun.
fn new_page(
    incoming: &IncomingPage,
    head: PageHead,
    state: State,
    options: DisplayOptions,
    now: Duration,
) -> Page {
    let url = head.url.unwrap_or_else(|| incoming.request.url.clone());
    let title = head.title.unwrap_or_else(|| incoming.title.clone());
    let security = head.cached.is_none().then_some(head.security);
    let mut document = Document::new(url.clone(), head.shape, options.read_as);
    document.declare(head.charset);
    document.set_zone(options.zone);
    document.show_headers(Arc::clone(&options.news.headers));
    let news_server = incoming.request.news_server.clone();
    Page {
        news_server,
        highest: head.highest,
        security,
        colours: options.colours,
        cache_key: cache_key(&incoming.request).filter(|_| head.cached.is_none()),
        list_date: head.list_date,
        cached: head.cached,
        shown_at: now,
        reload: if incoming.request.sends_answers() {
            ReloadPolicy::OnRequest
        } else {
            ReloadPolicy::Automatic
        },
        limit: incoming.request.limit,
        next_step: incoming.next_step.clone(),
        ..Page::new(url, title, document, state)
    }
}
