//! Pages that are kept: those to be kept, those that come from what was, and being offline.

use super::action::Action;
use super::news::NewsPlace;
use super::page::{Page, Progress, State};
use super::pane::{Arrival, Pane};
use super::tab::Tab;
use super::{App, Effect};
use crate::files::cache::Head;
use crate::load::{FailureKind, Kept, LoadId, Request, Since, Stop, kept_as};
use crate::text;

impl Page {
    /// Whether it was kept, and what has changed since then may be asked for.
    fn waits_for_changes(&self) -> bool {
        let kept = self.kept.as_ref();
        kept.is_some_and(|kept| kept.why.is_none())
            && self.asked_at.is_some()
            && self.state == State::Whole
            && self.finishing.is_none()
            && self.rendered.is_none()
    }

    /// Whether what has changed since it was kept is on its way.
    pub(super) fn is_renewing(&self) -> bool {
        self.kept.is_some() && self.kept_as.is_some()
    }

    /// What has it kept, once it is whole; once.
    pub(super) fn take_keeping(&mut self) -> Option<Effect> {
        if self.state != State::Whole {
            return None;
        }
        let url = self.kept_as.take()?;
        let document = self.document()?.clone();
        let real = self.url.without_password();
        let head = Head {
            shape: document.shape(),
            title: Some(self.title.to_string()),
            highest: self.highest,
            asked_at: self.asked_at,
            whole: None,
            real: (real != url).then_some(real),
            url,
        };
        Some(Effect::KeepPage(Box::new(head), document))
    }
}

impl App {
    /// Says why a page is one that was kept.
    pub(super) fn tell_kept(&mut self, kept: &Kept) {
        let sentence = if self.settings.offline {
            let online = self.key_of(Action::Offline);
            format!("offline: this is what was kept; {online} asks servers again")
        } else if let Some(why) = &kept.why {
            let again = self.key_of(Action::Reload);
            format!("kept, as {why}; {again} tries again")
        } else {
            return;
        };
        self.tell(&sentence);
    }

    /// Asks for what has changed in lists that were kept and are shown at once: when all of one is here, and it is known
    /// what was read on its server.
    pub(super) fn renew(&mut self) -> Vec<Effect> {
        let mut effects = Vec::new();
        let waits = |page: &Page| page.waits_for_changes();
        let panes = self.tabs.iter().flat_map(Tab::panes);
        let servers: Vec<NewsPlace> = panes
            .flat_map(Pane::pages)
            .filter(|page| waits(page))
            .filter_map(NewsPlace::of)
            .collect();
        for server in servers {
            let Some(marks) = self.marks(&server) else {
                continue;
            };
            let subscribed = marks.subscribed().into_iter().map(<[u8]>::to_vec);
            let subscribed = subscribed.collect();
            let (load, now) = (self.next_load(), self.now);
            let is_of = |page: &Page| waits(page) && NewsPlace::of(page).as_ref() == Some(&server);
            let Some(page) = self.page_where(is_of) else {
                continue;
            };
            let mut request = Request {
                news_server: page.news_server.clone(),
                ..Request::show(page.url.clone())
            };
            page.kept_as = kept_as(&request);
            request.since = page.asked_at.map(|date| Since { date, subscribed });
            page.state = State::Arriving(Progress {
                load,
                octets: 0,
                size: None,
                since: now,
                now,
            });
            self.complete(&mut request);
            effects.push(Effect::Load(load, request));
        }
        effects
    }

    /// What has changed in a list that was kept is here, or why it is not.
    pub(super) fn renewed(&mut self, load: LoadId, end: Result<(), Stop>) -> Vec<Effect> {
        let work = self.next_work();
        let is_free = self.pane().is_some_and(|pane| {
            pane.incoming.is_none() && pane.page().and_then(Page::load) == Some(load)
        });
        let Some(page) = self.page_where(|page| page.load() == Some(load)) else {
            return Vec::new();
        };
        page.state = State::Whole;
        let why = match end {
            Ok(()) => {
                page.kept = None;
                let keeping = page.take_keeping();
                let finishing = page.finish(work);
                let mut effects = self.finish_now_or_later(finishing);
                effects.extend(keeping);
                return effects;
            }
            // The server does not know what is new: all of the list is.
            Err(Stop::Failed(failure)) if failure.kind == FailureKind::ResumeMismatch => {
                page.asked_at = None;
                let (url, place) = (page.url.clone(), page.place);
                let title = page.title.clone();
                if is_free {
                    let request = self.request_from_page(url);
                    return self.request(request, title, Arrival::Again(place));
                }
                // Whoever looks elsewhere, or waits for another page here, keeps that.
                failure.sentence
            }
            Err(Stop::Failed(failure)) => failure.sentence,
            Err(Stop::Needs(question)) => question.unanswered(),
            Err(Stop::Cut(_) | Stop::Closed) => "it was stopped".to_owned(),
        };
        page.kept_as = None;
        if let Some(kept) = &mut page.kept {
            kept.why = Some(why);
            let kept = kept.clone();
            self.tell_kept(&kept);
        }
        Vec::new()
    }

    /// Says how many groups are new in a list.
    pub(super) fn tell_new_groups(&mut self, count: usize) {
        match count {
            0 => {}
            1 => self.tell("one group is new since this list was kept"),
            count => self.tell(&format!(
                "{} groups are new since this list was kept",
                text::count(count)
            )),
        }
    }

    /// Asks no server any more, or asks them again.
    pub(super) fn toggle_offline(&mut self) -> Vec<Effect> {
        let offline = !self.settings.offline;
        self.settings.offline = offline;
        self.tell(if offline {
            "offline: no server is asked, and what is kept is shown"
        } else {
            "online: servers are asked again"
        });
        vec![Effect::Offline(offline)]
    }
}
