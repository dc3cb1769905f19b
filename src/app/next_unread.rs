//! Reading on: the next unread article, in this group and then in the next one; what an article answers, and what
//! answers it.

use super::action::Action;
use super::browse::Where;
use super::news::{NewsPlace, article_of, group_of};
use super::page::{Page, State};
use super::pane::{Arrival, Pane};
use super::place::Place;
use super::tab::Tab;
use super::{App, Effect, Focus};
use crate::document::marks::Marks;
use crate::document::{Document, Fold, Listed, Relation, Shape};
use crate::text::{Charset, Text};
use crate::url::Url;

/// Groups that are opened one after the other to look for an unread article, where no list tells which have any.
const TRIES: usize = 20;

/// What is looked for in a group that has been opened for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Awaited {
    server: NewsPlace,
    group: Vec<u8>,
    what: What,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum What {
    /// The first unread article; these groups had none.
    Unread(Vec<Vec<u8>>),
    /// The article of this number.
    Article(u64),
}

/// An article that is shown, or that the cursor of its group is on.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    pub(super) server: NewsPlace,
    pub(super) group: Vec<u8>,
    pub(super) number: u64,
    pub(super) on: On,
}

/// Which page shows an article.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum On {
    /// That of its group.
    Group,
    /// Its own.
    Itself,
}

impl App {
    /// The article that keys are about.
    pub(super) fn article_here(&self) -> Option<Shown> {
        let page = self.page()?;
        let server = NewsPlace::of(page)?;
        if page.shape() == Some(Shape::Group) {
            let number = page.document()?.article(page.place.cursor)?.number;
            let group = group_of(&page.url)?;
            return Some(Shown {
                server,
                group,
                number,
                on: On::Group,
            });
        }
        if !page.is_article() {
            return None;
        }
        let places = match article_of(&page.url) {
            Some(place) => vec![place],
            // A kept article's numbers are those of the server that it came from then.
            None if page.kept.is_some() => Vec::new(),
            None => page.document()?.cross_posts(),
        };
        let is_open = |place: &&(Vec<u8>, u64)| self.group_page(&server, &place.0).is_some();
        let (group, number) = places.iter().find(is_open).or(places.first())?.clone();
        Some(Shown {
            server,
            group,
            number,
            on: On::Itself,
        })
    }

    /// A page of a group, or of articles of it: the nearest on the way back, then that of another pane, all of the group
    /// before a part.
    pub(super) fn group_page(&self, server: &NewsPlace, group: &[u8]) -> Option<&Page> {
        let is_group = |page: &&Page| page.is_group(server, group) && page.own_document().is_some();
        let mut here = self.pane().into_iter().flat_map(Pane::pages_from_here);
        here.find(is_group)
            .or_else(|| self.whole_group_page(server, group))
            .or_else(|| self.pages_from_here().find(is_group))
    }

    /// A page of all of a group.
    fn whole_group_page(&self, server: &NewsPlace, group: &[u8]) -> Option<&Page> {
        let is_group =
            |page: &&Page| page.is_whole_group(server, group) && page.own_document().is_some();
        self.pages_from_here().find(is_group)
    }

    /// The pages of this pane, the way back first, then those of all panes.
    fn pages_from_here(&self) -> impl Iterator<Item = &Page> {
        let here = self.pane().into_iter().flat_map(Pane::pages_from_here);
        here.chain(self.tabs.iter().flat_map(Tab::panes).flat_map(Pane::pages))
    }

    /// Puts the cursor of every page of a group on an article; a thread that it is folded into stays folded.
    fn point_at(&mut self, server: &NewsPlace, group: &[u8], line: usize) {
        let panes = self.tabs.iter_mut().flat_map(Tab::panes_mut);
        for page in panes.flat_map(Pane::pages_mut) {
            if page.is_group(server, group)
                && let Some(row) = page
                    .document()
                    .and_then(|document| document.nearest_row(line))
            {
                page.place.cursor = row;
            }
        }
        self.reveal_all();
    }

    /// Unfolds the thread of a line in the group that is shown, and puts the cursor on its article.
    fn unfold_at(&mut self, server: &NewsPlace, group: &[u8], line: usize) -> Vec<Effect> {
        self.point_at(server, group, line);
        let effects = self.fold_thread(Some(Fold::Open));
        // It has a row of its own only now.
        self.point_at(server, group, line);
        effects
    }

    /// On to the next unread article: of this group from here on, then of the next groups that are subscribed to.
    pub(super) fn next_unread(&mut self) -> Vec<Effect> {
        self.focus = Focus::Panes;
        let Some(shown) = self.article_here() else {
            return self.next_group();
        };
        let Some(page) = self.group_page(&shown.server, &shown.group) else {
            let open = self.key_of(Action::WholeThread);
            self.tell(&format!(
                "the group of this article is not open; {open} opens it"
            ));
            return Vec::new();
        };
        if page.state.is_arriving() || page.finishing.is_some() {
            self.tell("that is known when all of the group is here");
            return Vec::new();
        }
        let next = page.own_document().and_then(|document| {
            let line = document
                .numbered_article(shown.number)
                .map(|here| here.line);
            // Who looks at a group has not read what the cursor is on.
            let here = document
                .numbered_article(shown.number)
                .filter(|here| shown.on == On::Group && document.is_wanted(here.line));
            here.or_else(|| document.next_unread(line))
        });
        match next {
            Some(next) => self.open_listed(&shown, next),
            None => self.next_group(),
        }
    }

    /// Opens an article of a group: instead of the article that is shown, so that the way back leads to the group.
    pub(super) fn open_listed(&mut self, shown: &Shown, listed: Listed) -> Vec<Effect> {
        let page = self.group_page(&shown.server, &shown.group);
        let link = page.and_then(|page| page.own_document()?.article_link(listed.line));
        let Some(link) = link else {
            return Vec::new();
        };
        let url = match link.target {
            Ok(url) => url,
            Err(error) => {
                self.complain(&error.to_string());
                return Vec::new();
            }
        };
        self.point_at(&shown.server, &shown.group, listed.line);
        let arrival = match shown.on {
            On::Group => Arrival::Next,
            On::Itself => Arrival::Again(Place::default()),
        };
        let request = self.request_from_page(url);
        self.request(request, link.label, arrival)
    }

    /// To the next group that is subscribed to and has unread articles.
    pub(super) fn next_group(&mut self) -> Vec<Effect> {
        self.focus = Focus::Panes;
        self.group_after(Vec::new())
    }

    /// The same, where these groups had none.
    fn group_after(&mut self, tried: Vec<Vec<u8>>) -> Vec<Effect> {
        let Some((server, page)) = self
            .page()
            .and_then(|page| Some((NewsPlace::of(page)?, page)))
        else {
            self.tell("this page is of no news server");
            return Vec::new();
        };
        let here = group_of(&page.url);
        let lists = self.tabs.iter().flat_map(Tab::panes).flat_map(Pane::pages);
        let is_list = |page: &&Page| {
            page.shape() == Some(Shape::Groups)
                && page.state == State::Whole
                && NewsPlace::of(page).as_ref() == Some(&server)
        };
        // A list knows which groups have any; without one they are looked into, one after the other.
        let unread = lists
            .filter(is_list)
            .find_map(Page::own_document)
            .map(Document::groups_with_unread);
        let subscribed = self.marks(&server).map(Marks::subscribed);
        let subscribed = subscribed.unwrap_or_default();
        // From the one after this on, and then those before it.
        let at = subscribed
            .iter()
            .position(|name| Some(*name) == here.as_deref());
        let (before, after) = subscribed.split_at(at.map_or(0, |at| at + 1));
        let next = after.iter().chain(before).map(|name| name.to_vec());
        let next = next.into_iter().find(|name| {
            let is_read = || {
                let page = self.whole_group_page(&server, name);
                // What was stopped may have more.
                let page = page.filter(|page| page.state == State::Whole);
                let unread = page.and_then(|page| page.own_document()?.unread());
                unread.is_some_and(|(unread, _)| unread == 0)
            };
            unread
                .as_ref()
                .map_or_else(|| !is_read(), |unread| unread.contains(name))
                && Some(name) != here.as_ref()
                && !tried.contains(name)
        });
        let Some(group) = next.filter(|_| tried.len() < TRIES) else {
            self.tell("nothing else is unread in the groups that are subscribed to");
            return Vec::new();
        };
        let shown = Text::new(&group, Charset::default());
        let effects = self.open_group(&server, &group);
        self.awaited = Some(Awaited {
            server,
            group,
            what: What::Unread(tried),
        });
        self.tell(&format!("on to {shown}"));
        effects
    }

    fn open_group(&mut self, server: &NewsPlace, group: &[u8]) -> Vec<Effect> {
        match self.group_url(server, group) {
            Ok(url) => {
                let request = self.request_from_page(url);
                self.open_request(request, None, Where::Here)
            }
            Err(error) => {
                self.complain(&error.to_string());
                Vec::new()
            }
        }
    }

    /// The address of a group, over TLS where this page's server is spoken to so from its first octet.
    pub(super) fn group_url(
        &self,
        server: &NewsPlace,
        group: &[u8],
    ) -> Result<Url, crate::url::ParseError> {
        let here = self.page().and_then(Page::news_host);
        let same = here.filter(|here| NewsPlace::from(here) == *server);
        match same {
            Some(here) if here.is_sealed => Url::nntps(&here.host, here.port, group),
            Some(_) | None => Url::nntp(&server.host, server.port, group, None),
        }
    }

    /// A group is whole: what was looked for in it is found, or is looked for in the next one.
    pub(super) fn seek(&mut self, url: &Url) -> Vec<Effect> {
        let Some(awaited) = self.awaited.take() else {
            return Vec::new();
        };
        let page = self.pages_from_here().find(|page| {
            page.is_whole_group(&awaited.server, &awaited.group)
                && page.url == *url
                && !page.state.is_arriving()
                // Stored folds are to be applied first.
                && page.finishing.is_none()
        });
        let Some((page, document)) = page.and_then(|page| Some((page, page.own_document()?)))
        else {
            self.awaited = Some(awaited);
            return Vec::new();
        };
        // Nobody is led on who looks at something else by now, nor from a group of which some may be missing.
        let leads_on = page.state == State::Whole
            && self.page().is_some_and(|shown| std::ptr::eq(shown, page));
        let found = match &awaited.what {
            What::Unread(_) => document.next_unread(None),
            What::Article(number) => document.numbered_article(*number),
        };
        match (found, awaited.what) {
            (Some(found), What::Article(_)) if leads_on => {
                self.unfold_at(&awaited.server, &awaited.group, found.line)
            }
            (Some(found), _) => {
                self.point_at(&awaited.server, &awaited.group, found.line);
                Vec::new()
            }
            (None, What::Unread(_)) if !leads_on => Vec::new(),
            (None, What::Unread(mut tried)) => {
                tried.push(awaited.group);
                self.group_after(tried)
            }
            (None, What::Article(_)) => {
                self.tell("the group does not list this article");
                Vec::new()
            }
        }
    }

    /// To the article that stands so to this one: the cursor of a group goes there, an article is opened.
    pub(super) fn go_to_related(&mut self, relation: Relation) -> Vec<Effect> {
        let none = match relation {
            Relation::Parent => "this article answers none",
            Relation::Root => "this is the first article of its thread",
            Relation::Reply => "nothing here answers this article",
        };
        let Some(shown) = self.article_here() else {
            return self.go_to_reference(None, relation, none);
        };
        let page = self.group_page(&shown.server, &shown.group);
        let document = page.and_then(Page::own_document);
        let here = document.and_then(|document| document.numbered_article(shown.number));
        let related = here.and_then(|here| document?.related(here.line, relation));
        match (related, shown.on) {
            (Some(related), On::Group) => {
                self.point_at(&shown.server, &shown.group, related.line);
                Vec::new()
            }
            (Some(related), On::Itself) => {
                let shown = Shown {
                    on: On::Group,
                    ..shown
                };
                self.open_listed(&shown, related)
            }
            (None, _) => self.go_to_reference(here.map(|here| here.line), relation, none),
        }
    }

    /// To an article that the group does not have, by what this one refers to.
    fn go_to_reference(
        &mut self,
        line: Option<usize>,
        relation: Relation,
        none: &str,
    ) -> Vec<Effect> {
        let references = self
            .page()
            .and_then(Page::document)
            .map(|document| document.references(line))
            .unwrap_or_default();
        let url = match relation {
            Relation::Parent => references.last(),
            Relation::Root => references.first(),
            Relation::Reply => None,
        };
        match url.cloned() {
            Some(url) => {
                let request = self.request_from_page(url);
                self.open_request(request, None, Where::Here)
            }
            None => {
                self.tell(none);
                Vec::new()
            }
        }
    }

    /// From an article to its group, with the cursor on it and its thread unfolded; in a group, unfolds the thread.
    pub(super) fn whole_thread(&mut self) -> Vec<Effect> {
        let Some(shown) = self.article_here() else {
            self.tell("it is not known in which group this stands");
            return Vec::new();
        };
        if shown.on == On::Group {
            return self.fold_thread(Some(Fold::Open));
        }
        let lists = |page: &Page| {
            let document = page.own_document();
            document.is_some_and(|document| document.numbered_article(shown.number).is_some())
        };
        let is_here = |page: &Page| {
            page.is_whole_group(&shown.server, &shown.group)
                || page.is_group(&shown.server, &shown.group) && lists(page)
        };
        let turned = self.pane_mut().and_then(|pane| pane.show(is_here));
        if let Some(left) = turned {
            let line = self
                .page()
                .and_then(|page| page.document()?.numbered_article(shown.number));
            let mut effects: Vec<Effect> = left.map(Effect::Drop).into_iter().collect();
            effects.extend(match line {
                Some(listed) => self.unfold_at(&shown.server, &shown.group, listed.line),
                None => self.fold_thread(Some(Fold::Open)),
            });
            return effects;
        }
        let effects = self.open_group(&shown.server, &shown.group);
        self.awaited = Some(Awaited {
            server: shown.server,
            group: shown.group,
            what: What::Article(shown.number),
        });
        effects
    }
}
