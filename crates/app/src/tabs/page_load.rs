//! The growth of a page: its parts, its end, and the results of the computations on its document.

use geomys_load::{Part, Phase, Stop};
use geomys_page::document::{Document, ListOrder, Shape};
use geomys_store::files::cache::PageHeader;
use geomys_store::files::history::VisitKind;
use geomys_wire::net::TransferEnd;
use geomys_wire::text::{self, Charset, Text};

use crate::Rect;
use crate::action::Action;
use crate::requester::NextStep;
use crate::tabs::offline::notify_new_groups;
use crate::view::View;
use crate::view::context::State;
use crate::view::listing::notify_order;
use crate::view::viewport::Viewport;
use crate::view::work::Work;
use crate::{
    Context, Effect, LibraryCommand, NewsCommand, Page, TabsCommand, TabsEffect, TransferCommand,
};

/// The size in octets up to which an article waits for its subject.
const BEGINNING: usize = 16 * 1024;

impl Page {
    /// Takes a part of its load.
    pub(super) fn take_part(&mut self, part: Part, cx: &mut Context) {
        let is_updating = self.is_updating();
        match part {
            Part::Head(head) => match &mut self.view {
                View::Groups(groups) if is_updating => {
                    (groups.date, self.answer.security) = (head.list_date, Some(head.security));
                }
                View::Group(group) if group.overview.is_update => {
                    group.highest = head.highest;
                    group.overview.update(&head);
                    if let Some(load) = self.state.load() {
                        cx.command(NewsCommand::PageBegun(load));
                    }
                }
                _ => {}
            },
            Part::Phase(Phase::Unpacking { octets, size }) => {
                if let State::Arriving(progress) = &mut self.state {
                    progress.record_packed(octets, size, cx.now);
                }
            }
            Part::Phase(_) | Part::Terminal(_) | Part::Size(_) | Part::Hole(_) | Part::End(_) => {}
            Part::Remark(remark) => {
                if let Some(rows) = self.view.rows_mut() {
                    rows.remark(remark);
                }
                cx.reveal_all();
            }
            Part::Clock(minutes) => {
                if let Some(rows) = self.view.rows_mut() {
                    rows.document.set_clock(minutes);
                }
            }
            Part::Names(names) => {
                if let Some(rows) = self.view.rows_mut() {
                    rows.document.set_unlisted_names(names);
                }
            }
            Part::Octets(octets) => self.take_octets(octets, cx),
            Part::Covered(numbers) => {
                if let View::Group(group) = &mut self.view {
                    group.overview.arrived(&numbers);
                }
            }
        }
    }

    fn take_octets(&mut self, octets: Vec<u8>, cx: &mut Context) {
        if let View::Terminal(terminal) = &mut self.view {
            if let Some(load) = self.state.session() {
                terminal.receive(load, &octets, cx);
            }
            return;
        }
        if let State::Arriving(progress) = &mut self.state {
            progress.add(octets.len() as u64, cx.now);
        }
        let Some(rows) = self.view.rows_mut() else {
            return;
        };
        rows.append(octets);
        rows.choose_first_link(cx.layout.panes_height());
        self.lay_out(cx);
        self.store_early_visit(cx);
    }

    /// Stores the visit of a page that still arrives, once its title is known. The subject of an article is read when
    /// it is complete, and the first heading of gemtext may be far from its beginning.
    fn store_early_visit(&mut self, cx: &mut Context) {
        if !self.has_new_visit {
            return;
        }
        let octets = self.document().map_or(0, |document| document.raw().len());
        let has_layout = self.rows().is_none_or(|rows| rows.laying_out.is_none());
        let may_have_title = match self.shape() {
            Some(Shape::Article) => true,
            Some(Shape::Gemtext) => !take_title(self),
            _ => false,
        };
        if has_layout && (!may_have_title || octets > BEGINNING) {
            self.store_visit(cx);
        }
    }

    /// Lays out a page that still arrives, or whose pane has other columns. Its source, if it is shown, stays.
    fn lay_out(&mut self, cx: &mut Context) {
        let rows = self.view.rows_mut();
        let is_free = |rows: &&mut Viewport| {
            rows.laying_out.is_none() && rows.finishing.is_none() && rows.rendered.is_none()
        };
        if let Some(rows) = rows.filter(is_free)
            && rows.document.wants_layout()
        {
            let work = cx.next_work();
            rows.laying_out = Some(work);
            cx.start_work(work, Work::LayOut(rows.document.clone()));
        }
    }

    /// Lays out the page for a pane.
    pub(super) fn fit(&mut self, pane: Rect, cx: &mut Context) {
        let area = self.text_area(pane, cx.settings.reading);
        if let Some(rows) = self.view.rows_mut() {
            rows.fit(pane, cx.settings.reading);
            if !self.state.is_arriving() {
                rows.scroller(area).follow_resize();
            }
        }
        self.lay_out(cx);
    }

    /// Takes the layout of a page that still arrives, or of one whose pane has other columns.
    pub(super) fn laid_out(&mut self, laid_out: &Document, cx: &mut Context) {
        if let Some(rows) = self.view.rows_mut() {
            rows.laying_out = None;
            if rows.rendered.is_none() {
                rows.adopt_layout(laid_out);
                take_title(self);
            }
        }
        self.lay_out(cx);
        self.store_early_visit(cx);
    }

    /// Handles the end of its load. Returns the message about a page that is not whole.
    pub(super) fn load_ended(
        &mut self,
        end: Result<TransferEnd, Stop>,
        order: Option<ListOrder>,
        cx: &mut Context,
    ) -> Option<String> {
        let is_update = self.take_update();
        let mut error;
        (self.state, error) = match end {
            Ok(end) => {
                self.end = end;
                (State::Whole, None)
            }
            Err(Stop::Truncated(limit)) => {
                let sentence = truncated_message(limit, cx);
                (State::Truncated(limit), Some(sentence))
            }
            Err(Stop::Failed(failure)) => {
                let reason = failure.reason();
                (State::Broken(failure), Some(reason))
            }
            Err(Stop::Needs(_) | Stop::Closed) => (State::Stopped, None),
        };
        if is_update && self.state != State::Whole {
            // The rows from before are still complete.
            self.state = State::Whole;
            self.next_step = None;
            error = error.or_else(|| Some("no more articles were requested".to_owned()));
        }
        let is_whole = self.state == State::Whole;
        let is_saved = |step: &mut NextStep| is_whole && matches!(step, NextStep::Save(_));
        let next_step = self.next_step.take_if(is_saved);
        let save = next_step.zip(self.document().cloned());
        let caching = self.take_cache_effect();
        if let Some(rows) = self.view.rows_mut() {
            rows.laying_out = None;
            if !rows.restore_arrangement(cx) && !rows.order(order, cx) {
                rows.finish(cx);
            }
        }
        if self.rows().is_some_and(|rows| rows.finishing.is_none()) {
            take_title(self);
            self.store_visit(cx);
            self.go_to_named_row(cx);
            if is_update {
                // No article was new.
                cx.command(NewsCommand::PageFinished(self.url.clone()));
            }
        }
        if let Some((NextStep::Save(path), document)) = save {
            cx.command(TransferCommand::SaveReply(Box::new(document), path));
        }
        cx.effects.extend(caching);
        cx.command(TabsCommand::RequestListChanges);
        error
    }

    /// Stops its load: the page keeps the part that has arrived.
    pub(super) fn stop_load(&mut self, cx: &mut Context) {
        cx.cancel(self.load());
        self.state = if self.take_update() {
            State::Whole
        } else {
            State::Stopped
        };
        cx.effects.extend(self.take_cache_effect());
        if let Some(rows) = self.view.rows_mut() {
            rows.finish(cx);
        }
        cx.notify("Stopped: partial page");
    }

    /// Replaces the document by the one that was finished or sorted.
    pub(super) fn finished(&mut self, document: Document, cx: &mut Context) {
        let Some(rows) = self.view.rows_mut() else {
            return;
        };
        let (old, more) = (rows.own_document().arrangement(), rows.replace(document));
        let new = rows.own_document().arrangement();
        take_title(self);
        self.store_visit(cx);
        self.go_to_named_row(cx);
        cx.reveal_all();
        notify_order(&old, &new, cx);
        notify_new_groups(more, cx);
        cx.command(NewsCommand::PageFinished(self.url.clone()));
        cx.command(TabsCommand::RequestListChanges);
    }

    /// Finishes the rendered document, even while the source is shown, if its rows have moved.
    pub(super) fn finish_own(&mut self, cx: &mut Context) {
        if let Some(rows) = self.view.rows_mut()
            && rows.own_document().needs_finish()
        {
            let document = rows.own_document().clone();
            rows.await_document(Work::Finish(document), cx);
        }
    }

    /// Stores the visit of a page that has just begun, if it was not stored yet.
    pub(super) fn store_visit(&mut self, cx: &mut Context) {
        if std::mem::take(&mut self.has_new_visit) {
            let kind = self.shape().map_or(VisitKind::Session, VisitKind::of);
            let (url, title) = (self.url.clone(), self.title.to_string());
            let reason = self.request.reason();
            cx.command(LibraryCommand::Visited(url, title, kind, reason));
        }
    }

    /// Goes to the link or the fragment that the next step names, unless the user has moved. A missing fragment is
    /// reported.
    pub(super) fn go_to_named_row(&mut self, cx: &mut Context) {
        let names_row = |step: &mut NextStep| {
            matches!(
                step,
                NextStep::SelectLink(_) | NextStep::GoToFragment | NextStep::FindWords(_)
            )
        };
        let step = self.next_step.take_if(names_row);
        let Some((step, rows)) = step.zip(self.view.rows_mut()) else {
            return;
        };
        match step {
            NextStep::SelectLink(url) => return rows.select_link_to(&url),
            NextStep::FindWords(words) => return rows.find_words(words, cx),
            _ => {}
        }
        let is_at_top = rows.position.top == (0, 0);
        let Some(fragment) = self.url.fragment().filter(|_| is_at_top) else {
            return;
        };
        match rows.document.row_of_fragment(fragment) {
            Some(row) => {
                rows.position.top = (row, 0);
                rows.position.cursor = row;
                rows.position.link = None;
                cx.reveal_all();
            }
            None => {
                let fragment = Text::new(&fragment.octets(), Charset::utf_8());
                cx.notify(&format!("Not on this page: #{fragment}"));
            }
        }
    }

    /// Returns true while the changes since the page was cached are loaded.
    pub(crate) fn is_updating(&self) -> bool {
        self.cached.is_some() && self.cache_key.is_some()
    }

    /// Returns true if more articles were being loaded for a page that was complete, which ends now.
    fn take_update(&mut self) -> bool {
        match &mut self.view {
            View::Group(group) => std::mem::take(&mut group.overview.is_update),
            _ => false,
        }
    }

    /// Returns the effect that caches a complete page, or the part of an overview that has arrived; only once.
    pub(super) fn take_cache_effect(&mut self) -> Option<Effect> {
        let group = match &self.view {
            View::Group(group) => Some(group),
            _ => None,
        };
        let is_complete = self.state == State::Whole
            || group.is_some_and(|group| group.overview.is_worth_caching());
        if !is_complete || group.is_some_and(|group| group.overview.is_cached()) {
            return None;
        }
        let (highest, covered) = group
            .map(|group| (group.highest, group.overview.covered.clone()))
            .unwrap_or_default();
        let url = self.cache_key.take()?;
        let document = self.own_document()?.clone();
        let mut real = self.url.without_password();
        if url.fragment().is_none() {
            // The copy is of the page, whatever row the user went to.
            real = real.without_fragment();
        }
        let head = PageHeader {
            shape: document.shape(),
            charset: document.declared_charset(),
            languages: self.answer.languages.as_ref().map(ToString::to_string),
            refresh: document.refresh_field().map(Box::from),
            offset: document.clock(),
            title: Some(self.title.to_string()),
            published: None,
            highest,
            covered,
            list_date: match &self.view {
                View::Groups(groups) => groups.date,
                _ => None,
            },
            whole: None,
            end: self.end,
            real: (real != url).then_some(real),
            version: self.answer.version.clone(),
            url,
        };
        let (head, document) = (Box::new(head), Box::new(document));
        Some(Effect::Tabs(TabsEffect::CachePage(head, document)))
    }
}

/// Returns the message that a page was truncated, with the key that loads more.
fn truncated_message(limit: u64, cx: &Context) -> String {
    let next = cx.settings.memory.next_limit(limit);
    let limit = text::octets(limit);
    match next {
        Some(next) => {
            let (key, next) = (cx.key_of(Action::Reload), text::octets(next));
            format!("Page cut at {limit}: {key} loads up to {next}")
        }
        None => format!("Page cut at {limit}, as much as pages may hold"),
    }
}

/// Takes the title in the content of a page. Returns false if it has none, or none yet.
fn take_title(page: &mut Page) -> bool {
    if page.is_error() {
        // Its title is that of the error.
        return false;
    }
    let title = page.rows().and_then(|rows| rows.own_document().title());
    let is_titled = title.is_some();
    if let Some(title) = title {
        page.title = title;
    }
    is_titled
}
