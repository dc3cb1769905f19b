//! The handling of load events: a page grows and ends; and the results of blocking tasks.

use geomys_page::document::{Arrangement, Document, Remark, Shape};
use geomys_page::load::{LoadId, Part, Stop};
use geomys_wire::net::TransferEnd;
use rfc1738::Url;

use crate::app::requester::NextStep;
use crate::app::tabs::offline::notify_new_groups;
use crate::app::tabs::page::State;
use crate::app::tabs::pane::{IncomingPage, Pane};
use crate::app::tabs::reload::truncated_message;
use crate::app::tabs::tab::Tab;
use crate::app::view::terminal::input::session_ended;
use crate::app::{
    Context, NewsCommand, Page, Tabs, TabsCommand, TabsEffect, TransferCommand, WorkId,
};

/// The size in octets of a document that takes about a millisecond to finish.
const SMALL_DOCUMENT: usize = 64 * 1024;

/// The size in octets up to which a page that still arrives is laid out with each part.
const BEGINNING: usize = 16 * 1024;

impl Tabs {
    /// Handles a part for a page whose response has begun.
    pub(crate) fn later_part(&mut self, load: LoadId, part: Part, cx: &mut Context) {
        let Some(page) = self.find_page(|page| page.load() == Some(load)) else {
            return;
        };
        match part {
            Part::Head(head) if page.is_updating() => {
                (page.list_date, page.security) = (head.list_date, Some(head.security));
            }
            Part::End(end) if page.is_updating() => self.list_changes_ended(load, end, cx),
            Part::Head(head) if page.overview.is_update => {
                page.highest = head.highest;
                page.overview.update(&head);
                cx.command(NewsCommand::PageBegun(load));
            }
            Part::Phase(_) | Part::Head(_) | Part::Terminal(_) | Part::Size(_) => {}
            Part::Remark(remark) => {
                page.remark(remark);
                cx.reveal_all();
            }
            Part::Clock(minutes) => {
                if let Some(document) = page.content.document_mut() {
                    document.set_clock(minutes);
                }
            }
            Part::Octets(octets) if page.state.is_in_session() => {
                self.session_octets(load, &octets, cx);
            }
            Part::Octets(octets) => {
                if let State::Arriving(progress) = &mut page.state {
                    progress.record(progress.octets + octets.len() as u64, cx.now);
                }
                page.take_octets(octets);
                page.choose_first_link(cx.layout.panes_height());
                lay_out_arriving(page, cx);
                let octets = page.document().map_or(0, |document| document.raw().len());
                // The subject of an article is read when it is complete.
                if page.shape() != Some(Shape::Article) || octets > BEGINNING {
                    page.store_visit(cx);
                }
            }
            Part::Covered(numbers) => page.overview.arrived(&numbers),
            Part::End(end) if page.state.is_in_session() => {
                page.state = match end {
                    Err(Stop::Failed(failure)) => State::Broken(failure),
                    Ok(_) | Err(Stop::Truncated(_) | Stop::Needs(_) | Stop::Closed) => State::Whole,
                };
                session_ended(page, cx);
            }
            Part::End(end) => self.load_ended(load, end, cx),
        }
    }

    /// Handles the end of a load of a document.
    fn load_ended(&mut self, load: LoadId, end: Result<TransferEnd, Stop>, cx: &mut Context) {
        let work = cx.next_work();
        let is_shown = self.page().and_then(Page::load) == Some(load);
        let ended = self.find_page(|page| page.load() == Some(load));
        let ended = ended.and_then(|page| Some((page.shape()?, page.url.clone())));
        let order = ended.and_then(|(shape, url)| self.order_of(shape, &url));
        let Some(page) = self.find_page(|page| page.load() == Some(load)) else {
            return;
        };
        let is_update = std::mem::take(&mut page.overview.is_update);
        let mut error;
        (page.state, error) = match end {
            Ok(end) => {
                page.end = end;
                (State::Whole, None)
            }
            Err(Stop::Truncated(limit)) => {
                let sentence = truncated_message(limit, cx);
                (State::Truncated(limit), Some(sentence))
            }
            Err(Stop::Failed(failure)) => {
                let sentence = failure.sentence.clone();
                (State::Broken(failure), Some(sentence))
            }
            Err(Stop::Needs(_) | Stop::Closed) => (State::Stopped, None),
        };
        if is_update && page.state != State::Whole {
            // What was there before is still complete.
            page.state = State::Whole;
            page.next_step = None;
            error = error.or_else(|| Some("no more articles were requested".to_owned()));
        }
        match error {
            Some(error) if is_shown => cx.report_error(&error),
            // A message about another page names that page.
            Some(error) => cx.report_error(&format!("{}: {error}", page.title)),
            None => {}
        }
        page.laying_out = None;
        let is_whole = page.state == State::Whole;
        let is_saved = |step: &mut NextStep| is_whole && matches!(step, NextStep::Save(_));
        let next_step = page.next_step.take_if(is_saved);
        let save = next_step.zip(page.document().cloned());
        let caching = page.take_cache_effect();
        let arranging = page.restoring(work);
        if let Some((document, arrangement)) = arranging.or_else(|| page.ordering(work, order)) {
            self.arrange_now_or_later(work, document, arrangement, cx);
        } else {
            let finishing = page.finish(work);
            if finishing.is_none() {
                page.store_visit(cx);
                page.select_link();
                page.scroll_to_fragment(cx);
                if is_update {
                    // No article was new.
                    cx.command(NewsCommand::PageFinished(page.url.clone()));
                }
            }
            self.finish_now_or_later(finishing, cx);
        }
        if let Some((NextStep::Save(path), document)) = save {
            let save = TransferCommand::SaveReply(Box::new(document), path);
            cx.command(save);
        }
        cx.effects.extend(caching);
        cx.command(TabsCommand::RequestListChanges);
    }

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
            Some((work, document)) if is_small(&document) => {
                self.finished(work, document.finished(), cx);
            }
            Some((work, document)) => cx.emit(TabsEffect::Finish(work, document)),
            None => {}
        }
    }

    /// Takes the layout of a page that still arrives.
    pub(crate) fn laid_out(&mut self, work: WorkId, document: &Document, cx: &mut Context) {
        let Some(page) = self.find_page(|page| page.laying_out == Some(work)) else {
            return;
        };
        page.laying_out = None;
        page.adopt_layout(document);
        lay_out_arriving(page, cx);
    }

    /// Returns the pane that waits for a load.
    pub(crate) fn pane_awaiting(&mut self, load: LoadId) -> Option<&mut Pane> {
        let mut panes = self.list.iter_mut().flat_map(Tab::panes_mut);
        panes.find(|pane| pane.incoming.as_ref().map(|incoming| incoming.load) == Some(load))
    }

    /// Returns the URL of a load whose page has not begun.
    pub(crate) fn loaded_url(&mut self, load: LoadId) -> Option<Url> {
        let incoming = self.incoming_mut(load)?;
        Some(incoming.request.url.clone())
    }

    /// Returns the incoming page of a load.
    pub(crate) fn incoming_mut(&mut self, load: LoadId) -> Option<&mut IncomingPage> {
        self.pane_awaiting(load)?.incoming.as_mut()
    }

    /// Replaces a document by the one that a blocking task has finished or sorted.
    pub(crate) fn finished(&mut self, work: WorkId, mut document: Document, cx: &mut Context) {
        let Some(page) = self.find_page(|page| page.finishing == Some(work)) else {
            return;
        };
        page.finishing = None;
        page.arranging = None;
        let follows_entry = std::mem::take(&mut page.follows_entry);
        let restored = page.restore.take();
        if let Some(view) = &restored {
            view.restore_text(&mut document);
        }
        let restored = restored.filter(|view| view.position() == page.position);
        if let Some(title) = document.title() {
            page.title = title;
        }
        page.store_visit(cx);
        let new = document.arrangement();
        // While the source is shown, the rendered page is stored beside it.
        let Some(shown) = page.content.document_mut() else {
            return;
        };
        let (shown, position) = match &mut page.rendered {
            Some(rendered) => {
                shown.copy_charset_from(&document);
                (&mut rendered.document, &mut rendered.position)
            }
            None => (shown, &mut page.position),
        };
        let old = shown.arrangement();
        // The cursor stays on its entry when the order changes; at the top it stays at the top.
        let refiltered = old.filter != new.filter;
        let is_at_top = position.cursor == shown.initial_row() && position.top == (0, 0);
        if !refiltered && !follows_entry && is_at_top {
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
            *position = restored.position_in(&document);
        }
        let more = document.new_groups().saturating_sub(shown.new_groups());
        *shown = document.into();
        page.found = None;
        page.select_link();
        page.scroll_to_fragment(cx);
        let url = page.url.clone();
        cx.reveal_all();
        notify_order(&old, &new, cx);
        notify_new_groups(more, cx);
        cx.command(NewsCommand::PageFinished(url));
        cx.command(TabsCommand::RequestListChanges);
    }
}

/// Returns true if a document is finished in about a millisecond.
fn is_small(document: &Document) -> bool {
    document.raw().len() <= SMALL_DOCUMENT
}

/// Lays out a page that still arrives: the beginning at once, more of it in a task. Its source, if it is shown, stays.
fn lay_out_arriving(page: &mut Page, cx: &mut Context) {
    let is_arriving = matches!(page.state, State::Arriving(_));
    if page.laying_out.is_some() || page.rendered.is_some() || !is_arriving {
        return;
    }
    let Some(document) = page.document().filter(|document| document.wants_layout()) else {
        return;
    };
    let document = Document::clone(document);
    if document.raw().len() <= BEGINNING {
        page.adopt_layout(&document.laid_out());
        return;
    }
    let work = cx.next_work();
    page.laying_out = Some(work);
    cx.emit(TabsEffect::LayOut(work, document));
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
    /// Takes the layout and the title of a clone of the document.
    fn adopt_layout(&mut self, laid_out: &Document) {
        if let Some(document) = self
            .content
            .document_mut()
            .filter(|_| self.rendered.is_none())
        {
            document.adopt_layout(laid_out);
            if let Some(title) = document.title() {
                self.title = title;
            }
        }
    }

    /// Returns the document that must be finished after its last part, if it needs that.
    pub(crate) fn finish(&mut self, work: WorkId) -> Option<(WorkId, Document)> {
        let document = self.document();
        // A picture waits for its turn: see `picture.rs`.
        let needs_finish =
            |document: &&Document| document.needs_finish() && document.shape() != Shape::Picture;
        let document = document.filter(needs_finish)?.clone();
        self.finishing = Some(work);
        Some((work, document))
    }

    /// Adds a remark above the entries; the visible rows stay at their position on the screen.
    fn remark(&mut self, remark: Remark) {
        let Some(document) = self.content.document_mut() else {
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
