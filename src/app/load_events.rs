//! What loads report: a page begins, grows, ends; what long work has made of it.

use std::time::Duration;

use std::sync::Arc;

use super::page::{Colours, Content, Page, Progress, Reload, State};
use super::pane::{Incoming, Pane};
use super::reload::cut_at;
use super::session::Session;
use super::tab::Tab;
use super::{App, Effect, WorkId};
use crate::document::{Arrangement, Document, Remark, Shape, Zone};
use crate::load::{Answers, Begin, LoadId, NewsWays, Part, Request, Stop, kept_as, redirected};
use crate::text::ReadAs;

/// Octets of a document that takes about a millisecond to finish.
const SMALL: usize = 64 * 1024;

/// How a new page is looked at.
#[derive(Clone, Debug)]
struct Look {
    read_as: ReadAs,
    colours: Colours,
    zone: Zone,
    news: Arc<NewsWays>,
}

impl App {
    /// A part of a load: for the page that awaits it, if one does.
    pub(super) fn part(&mut self, load: LoadId, part: Part) -> Vec<Effect> {
        let now = self.now;
        let Some(pane) = self.pane_awaiting(load) else {
            return self.later_part(load, part);
        };
        let Some(request) = pane
            .incoming
            .as_ref()
            .map(|incoming| incoming.request.clone())
        else {
            return Vec::new();
        };
        let look = Look {
            read_as: self.charset_of(&request.url),
            colours: self.settings.colours,
            zone: self.settings.zone.clone(),
            news: Arc::clone(&self.settings.news),
        };
        let Some(pane) = self.pane_awaiting(load) else {
            return Vec::new();
        };
        let begin = match &part {
            Part::Begin(begin) => Some(begin.clone()),
            Part::Phase(_)
            | Part::Session(_)
            | Part::Octets(_)
            | Part::Remark(_)
            | Part::Clock(_)
            | Part::End(_) => None,
        };
        let mut effects = first_part(pane, part, now, look);
        effects.extend(match begin {
            Some(begin) => self.page_begun(load, &request, begin),
            None => self.news_gone(&request.url),
        });
        effects
    }

    /// A page has begun: what its beginning says besides what is shown of it.
    fn page_begun(&mut self, load: LoadId, request: &Request, begin: Begin) -> Vec<Effect> {
        let effects = self.news_begun(load);
        // A page that was kept says nothing of a password: no server has taken it.
        if begin.kept.is_none() {
            self.remember(request);
        }
        if let Some((menu, directory)) = request.directory.as_ref().zip(begin.directory) {
            self.keep_told(menu, &directory);
        }
        if let Answers::Hidden(_) = request.answers {
            self.tell("one answer is hidden, so this page goes by the address of its form");
        }
        if !begin.from.is_empty() {
            self.tell(&redirected(&begin.from));
        }
        if let Some(kept) = &begin.kept {
            self.tell_kept(kept);
        }
        if let Some((why, mirror)) = begin.instead.zip(begin.url) {
            let mirror = mirror.masked();
            self.tell(&format!("{mirror} answered, as {why}"));
        }
        effects
    }

    /// A part for a page that has begun.
    fn later_part(&mut self, load: LoadId, part: Part) -> Vec<Effect> {
        let now = self.now;
        let work = self.next_work();
        let is_shown = self.page().and_then(Page::load) == Some(load);
        let more = self.more_after(&part);
        let Some(page) = self.page_where(|page| page.load() == Some(load)) else {
            return Vec::new();
        };
        match part {
            Part::Begin(begin) if page.is_renewing() => {
                (page.asked_at, page.security) = (begin.asked_at, Some(begin.security));
                Vec::new()
            }
            Part::End(end) if page.is_renewing() => self.renewed(load, end),
            Part::Phase(_) | Part::Begin(_) | Part::Session(_) => Vec::new(),
            Part::Remark(remark) => {
                page.remark(remark);
                self.reveal_all();
                Vec::new()
            }
            Part::Clock(minutes) => {
                if let Content::Document(document) = &mut page.content {
                    document.set_clock(minutes);
                }
                Vec::new()
            }
            Part::Octets(octets) if page.state.is_held() => self.session_octets(load, &octets),
            Part::Octets(octets) => {
                if let State::Arriving(progress) = &mut page.state {
                    progress.octets += octets.len() as u64;
                    progress.now = now;
                }
                if let Content::Document(document) = &mut page.content {
                    document.take(octets);
                }
                Vec::new()
            }
            Part::End(end) if page.state.is_held() => {
                page.state = match end {
                    Err(Stop::Failed(failure)) => State::Broken(failure),
                    Ok(()) | Err(Stop::Cut(_) | Stop::Needs(_) | Stop::Closed) => State::Whole,
                };
                let (url, state) = (page.url.clone(), page.state.clone());
                self.session_ended(&url, &state)
            }
            Part::End(end) => {
                page.state = match end {
                    Ok(()) => State::Whole,
                    Err(Stop::Cut(limit)) => State::Cut(limit),
                    Err(Stop::Failed(failure)) => State::Broken(failure),
                    Err(Stop::Needs(_) | Stop::Closed) => State::Stopped,
                };
                let fault = match &page.state {
                    State::Cut(limit) => Some(cut_at(*limit, more)),
                    State::Broken(failure) => Some(failure.sentence.clone()),
                    State::Arriving(_)
                    | State::Held(_)
                    | State::Whole
                    | State::Stopped
                    | State::Left => None,
                };
                let title = page.title.clone();
                let kept = (page.state == State::Whole)
                    .then(|| page.keep.take().zip(page.document().cloned()))
                    .flatten();
                let keeping = page.take_keeping();
                let restoring = page.restoring(work);
                let finishing = if restoring.is_none() {
                    page.finish(work)
                } else {
                    None
                };
                if let Some(fault) = fault {
                    // The status line is about the page that is looked at.
                    self.complain(&if is_shown {
                        fault
                    } else {
                        format!("{title}: {fault}")
                    });
                }
                let mut effects = self.finish_now_or_later(finishing);
                if let Some((document, arrangement)) = restoring {
                    effects.extend(self.arrange_now_or_later(work, document, arrangement));
                }
                if let Some((path, document)) = kept {
                    effects.extend(self.save_reply(document, path));
                }
                effects.extend(keeping);
                effects.extend(self.renew());
                effects
            }
        }
    }

    /// What is to be done once all of the shown page has come that will.
    pub(super) fn finish_page(&mut self) -> Vec<Effect> {
        let work = self.next_work();
        let finishing = self.page_mut().and_then(|page| page.finish(work));
        self.finish_now_or_later(finishing)
    }

    /// A small document is finished at once, so that it is never seen unfinished; a large one by a task.
    pub(super) fn finish_now_or_later(
        &mut self,
        finishing: Option<(WorkId, Document)>,
    ) -> Vec<Effect> {
        match finishing {
            Some((work, document)) if document.raw().len() <= SMALL => {
                self.finished(work, document.finished())
            }
            Some((work, document)) => vec![Effect::Finish(work, document)],
            None => Vec::new(),
        }
    }

    /// The pane for which a load is on its way.
    fn pane_awaiting(&mut self, load: LoadId) -> Option<&mut Pane> {
        let mut panes = self.tabs.iter_mut().flat_map(Tab::panes_mut);
        panes.find(|pane| {
            pane.incoming
                .as_ref()
                .is_some_and(|incoming| incoming.load == load)
        })
    }

    /// The page on its way that a load is for.
    pub(super) fn incoming_mut(&mut self, load: LoadId) -> Option<&mut Incoming> {
        self.pane_awaiting(load)?.incoming.as_mut()
    }

    pub(super) fn page_where(&mut self, fits: impl Fn(&Page) -> bool) -> Option<&mut Page> {
        let panes = self.tabs.iter_mut().flat_map(Tab::panes_mut);
        panes.flat_map(Pane::pages_mut).find(|page| fits(page))
    }

    /// A document that a blocking task has finished or sorted.
    pub(super) fn finished(&mut self, work: WorkId, document: Document) -> Vec<Effect> {
        let Some(page) = self.page_where(|page| page.finishing == Some(work)) else {
            return Vec::new();
        };
        page.finishing = None;
        page.arranging = None;
        let restored = page.restore.take().map(|(place, _)| place);
        let restored = restored.filter(|place| *place == page.place);
        if let Some(title) = document.title() {
            page.title = title;
        }
        let new = document.arrangement();
        // While the source is shown, the page itself waits behind it.
        let (shown, place) = match (&mut page.rendered, &mut page.content) {
            (Some(rendered), Content::Document(source)) => {
                source.read_like(&document);
                (&mut rendered.document, &mut rendered.place)
            }
            (None, Content::Document(shown)) => (shown, &mut page.place),
            (
                _,
                Content::Failure(_) | Content::Form(_) | Content::Session(_) | Content::Forgotten,
            ) => return Vec::new(),
        };
        let old = shown.arrangement();
        // The cursor stays on its entry when entries change places; at the top it stays at the top.
        let refiltered = old.filter != new.filter;
        if !refiltered && place.cursor == shown.rest() && place.top == (0, 0) {
            place.cursor = document.rest();
        } else {
            let last = document.count().saturating_sub(1);
            let moved = shown.moved_to(place.cursor, &document);
            place.cursor = moved.map_or(place.cursor, |moved| moved.min(last));
        }
        if refiltered {
            place.top = (0, 0);
        }
        if let Some(restored) = restored {
            *place = restored;
        }
        let more = document.new_groups().saturating_sub(shown.new_groups());
        *shown = document.into();
        let url = page.url.clone();
        self.reveal_all();
        self.tell_order(&old, &new);
        self.tell_new_groups(more);
        let mut effects = self.news_finished(&url);
        effects.extend(self.renew());
        effects
    }
}

impl App {
    /// Says how rows are sorted now, when that is new.
    fn tell_order(&mut self, old: &Arrangement, new: &Arrangement) {
        if let (Some(old), Some(new)) = (old.order, new.order)
            && (old.column, old.reverse) != (new.column, new.reverse)
        {
            self.tell(&format!("sorted by {}", new.words()));
        }
    }
}

impl Page {
    /// Starts what its document needs once all of it has come.
    pub(super) fn finish(&mut self, work: WorkId) -> Option<(WorkId, Document)> {
        let document = self.document();
        let document = document.filter(|document| document.wants_finish())?.clone();
        self.finishing = Some(work);
        Some((work, document))
    }

    /// Puts a remark above the entries; what is looked at stays where it is on the screen.
    fn remark(&mut self, remark: Remark) {
        let Content::Document(document) = &mut self.content else {
            return;
        };
        let before = document.count();
        let rests = self.place.cursor == document.rest();
        let (cursor, top) = (self.place.cursor, self.place.top.0);
        let origins = [document.origin(cursor), document.origin(top)];
        document.remark(remark);
        let more = document.count().saturating_sub(before);
        let [cursor, top] = origins.map(|origin| document.row_of(origin?));
        self.place.cursor = if rests {
            document.rest()
        } else {
            cursor.unwrap_or(self.place.cursor.saturating_add(more))
        };
        // At the top it stays at the top, and the remark is seen.
        if self.place.top.0 > 0 {
            self.place.top.0 = top.unwrap_or(self.place.top.0);
        }
    }
}

/// A part for a page whose answer has not begun: it begins, asks, or fails.
fn first_part(pane: &mut Pane, part: Part, now: Duration, look: Look) -> Vec<Effect> {
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
            // Its pane is told apart from others once it is there: it gets its size then.
            let session = Session::new(80, 24);
            Page {
                state: State::Held(incoming.load),
                security: Some(security),
                ..Page::of(
                    incoming.request.url,
                    incoming.title,
                    Content::Session(Box::new(session)),
                )
            }
        }
        Part::Begin(begin) => {
            let progress = Progress {
                load: incoming.load,
                octets: 0,
                size: begin.size,
                since: now,
                now,
            };
            begun(&incoming, begin, State::Arriving(progress), look, now)
        }
        Part::End(Err(Stop::Failed(failure))) => {
            Page::failed(incoming.request.url, incoming.title, failure)
        }
        // An answer without a beginning is an empty one.
        Part::End(Ok(()) | Err(Stop::Cut(_) | Stop::Closed)) => {
            begun(&incoming, Begin::new(Shape::Text), State::Whole, look, now)
        }
    };
    dropped(pane.arrive(page, incoming.arrival))
}

/// The page of an answer that has begun.
fn begun(incoming: &Incoming, begin: Begin, state: State, look: Look, now: Duration) -> Page {
    let url = begin.url.unwrap_or_else(|| incoming.request.url.clone());
    let title = begin.title.unwrap_or_else(|| incoming.title.clone());
    let security = begin.kept.is_none().then_some(begin.security);
    let mut document = Document::new(url.clone(), begin.shape, look.read_as);
    document.declare(begin.charset);
    document.set_zone(look.zone);
    document.show_headers(Arc::clone(&look.news.headers));
    let news_server = incoming.request.news_server.clone();
    Page {
        news_server,
        highest: begin.highest,
        keep: incoming.keep.clone(),
        security,
        colours: look.colours,
        kept_as: kept_as(&incoming.request).filter(|_| begin.kept.is_none()),
        asked_at: begin.asked_at,
        kept: begin.kept,
        shown_at: now,
        reload: if incoming.request.sends_answers() {
            Reload::Asked
        } else {
            Reload::Unasked
        },
        limit: incoming.request.limit,
        ..Page::new(url, title, document, state)
    }
}

fn dropped(loads: Vec<LoadId>) -> Vec<Effect> {
    loads.into_iter().map(Effect::Drop).collect()
}
