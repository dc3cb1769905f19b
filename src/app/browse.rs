//! Going to places: links, addresses, history; the parts of loads; the questions that loads end with.

use std::time::Duration;

use super::page::{Content, Page, Progress, State};
use super::pane::{Arrival, Incoming, Pane};
use super::prompt::{Prompt, Wants};
use super::tab::Tab;
use super::{App, Effect, Focus, Overlay, help};
use crate::document::{Document, Link, Shape};
use crate::files::download::Target;
use crate::load::{Begin, Failure, LoadId, Login, Part, Phase, Purpose, Question, Request, Stop};
use crate::text::{self, Text};
use crate::url::{Parts, Url, typed};

/// Where a link opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Where {
    /// In the pane with the focus.
    Here,
    /// In a new pane to the right.
    Beside,
    /// In a new tab.
    Tab,
}

impl App {
    /// Opens what a person named, each in a tab of its own; the home page when nothing is named.
    pub fn start(&mut self, addresses: &[String]) -> Vec<Effect> {
        let mut effects = Vec::new();
        if addresses.is_empty() {
            effects.extend(self.open_home());
        }
        for (index, address) in addresses.iter().enumerate() {
            if index > 0 {
                self.tabs.push(Tab::default());
                self.tab = self.tabs.len() - 1;
            }
            match typed(address) {
                Ok(url) => effects.extend(self.open(url, None, Where::Here)),
                Err(error) => {
                    effects.extend(self.open_home());
                    self.complain(&format!("{address}: {error}"));
                }
            }
        }
        self.tab = 0;
        self.focus = if addresses.is_empty() {
            Focus::Bookmarks
        } else {
            Focus::Panes
        };
        effects
    }

    /// The home page.
    pub(super) fn open_home(&mut self) -> Vec<Effect> {
        self.open_ours(help::HOME)
    }

    pub(super) fn open_help(&mut self) -> Vec<Effect> {
        self.focus = Focus::Panes;
        if self
            .page()
            .is_some_and(|page| page.url.as_str() == help::HELP)
        {
            return self.turn(false);
        }
        self.open_ours(help::HELP)
    }

    fn open_ours(&mut self, address: &str) -> Vec<Effect> {
        match Url::parse(address) {
            Ok(url) => self.open(url, None, Where::Here),
            Err(_) => Vec::new(),
        }
    }

    /// Opens a URL; `title` is what the link to it said.
    pub(super) fn open(&mut self, url: Url, title: Option<Text>, place: Where) -> Vec<Effect> {
        match place {
            Where::Here => {}
            Where::Beside => {
                if let Some(tab) = self.tab_mut() {
                    tab.split();
                }
            }
            Where::Tab => {
                self.tabs
                    .insert((self.tab + 1).min(self.tabs.len()), Tab::default());
                self.tab = (self.tab + 1).min(self.tabs.len() - 1);
            }
        }
        self.focus = Focus::Panes;
        self.reveal_all();
        let title = title
            .filter(|title| !title.is_blank())
            .unwrap_or_else(|| title_of(&url));
        if let Some(document) = help::page(&url, &self.keymap) {
            let page = Page::new(url, title, document, State::Whole);
            return self.arrive(page, Arrival::Next);
        }
        self.request(Request::show(url), title, Arrival::Next)
    }

    /// Starts a load for the pane with the focus. The page that is shown stays until the answer begins.
    pub(super) fn request(
        &mut self,
        mut request: Request,
        title: Text,
        arrival: Arrival,
    ) -> Vec<Effect> {
        if request.news_server.is_none() {
            request.news_server.clone_from(&self.settings.news_server);
        }
        let load = self.next_load();
        let Some(pane) = self.pane_mut() else {
            return Vec::new();
        };
        let incoming = Incoming {
            load,
            request: request.clone(),
            title,
            phase: Phase::Connecting,
            arrival,
            question: None,
        };
        let mut effects: Vec<Effect> = Vec::new();
        effects.extend(
            pane.incoming
                .replace(incoming)
                .map(|old| Effect::Drop(old.load)),
        );
        effects.push(Effect::Load(load, request));
        effects
    }

    fn arrive(&mut self, page: Page, arrival: Arrival) -> Vec<Effect> {
        let dropped = self
            .pane_mut()
            .map(|pane| pane.arrive(page, arrival))
            .unwrap_or_default();
        dropped.into_iter().map(Effect::Drop).collect()
    }

    /// The link that is chosen: in the bookmarks, or in the page.
    pub(super) fn chosen(&self) -> Option<Link> {
        match self.focus {
            Focus::Bookmarks => {
                let (_, bookmark) = self.sidebar.bookmark()?;
                Some(Link {
                    label: bookmark.label(),
                    target: bookmark.url.clone(),
                })
            }
            Focus::Panes => self.page()?.link(),
        }
    }

    pub(super) fn open_chosen(&mut self, place: Where) -> Vec<Effect> {
        if self.focus == Focus::Bookmarks && self.sidebar.bookmark().is_none() {
            self.sidebar.fold();
            self.reveal_all();
            return Vec::new();
        }
        match self.chosen() {
            None => {
                self.tell(self.no_link());
                Vec::new()
            }
            Some(Link {
                label,
                target: Ok(url),
            }) => self.open(url, Some(label), place),
            Some(Link {
                target: Err(error), ..
            }) => {
                self.complain(&error.to_string());
                Vec::new()
            }
        }
    }

    /// Why no link is chosen, in words.
    pub(super) fn no_link(&self) -> &'static str {
        match self.focus {
            Focus::Bookmarks => "this is a folder, and no link",
            Focus::Panes if self.page().is_some_and(Page::is_list) => "no link on this row",
            Focus::Panes => "no link is chosen: J and K choose one",
        }
    }

    /// To what is above this page, by one of the moves of an address.
    pub(super) fn climb(&mut self, to: impl Fn(&Url) -> Option<Url>, nowhere: &str) -> Vec<Effect> {
        self.focus = Focus::Panes;
        match self.page().and_then(|page| to(&page.url)) {
            Some(url) => self.open(url, None, Where::Here),
            None => {
                self.tell(nowhere);
                Vec::new()
            }
        }
    }

    pub(super) fn edit_url(&mut self) -> Vec<Effect> {
        let url = self.page().map_or(String::new(), |page| {
            page.url.without_password().to_string()
        });
        self.prompt(Prompt::new(Wants::Edited, &url))
    }

    pub(super) fn reload(&mut self) -> Vec<Effect> {
        let Some(page) = self.page() else {
            return Vec::new();
        };
        let (url, title, place) = (page.url.clone(), page.title.clone(), page.place);
        if let Some(document) = help::page(&url, &self.keymap) {
            return self.arrive(
                Page::new(url, title, document, State::Whole),
                Arrival::Again(place),
            );
        }
        self.request(Request::show(url), title, Arrival::Again(place))
    }

    /// Stops the nearest thing that can be stopped: a load, then the find.
    pub(super) fn stop(&mut self) -> Vec<Effect> {
        let Some(pane) = self.pane_mut() else {
            return Vec::new();
        };
        if let Some(incoming) = pane.incoming.take() {
            self.tell("stopped");
            return vec![Effect::Drop(incoming.load)];
        }
        let Some(page) = pane.page_mut() else {
            return Vec::new();
        };
        if let Some(load) = page.load() {
            page.state = State::Stopped;
            self.tell("stopped; what came is here");
            return vec![Effect::Drop(load)];
        }
        if page.needle.take().is_some() {
            page.work = None;
        }
        Vec::new()
    }

    /// A part of a load: for the page that awaits it, if one does.
    pub(super) fn part(&mut self, load: LoadId, part: Part) -> Vec<Effect> {
        let now = self.now;
        let charset = self.settings.charset;
        for pane in self.tabs.iter_mut().flat_map(Tab::panes_mut) {
            if pane
                .incoming
                .as_ref()
                .is_some_and(|incoming| incoming.load == load)
            {
                return first_part(pane, part, now, charset);
            }
        }
        self.later_part(load, part)
    }

    /// A part for a page that has begun.
    fn later_part(&mut self, load: LoadId, part: Part) -> Vec<Effect> {
        let now = self.now;
        let work = self.next_work();
        let Some(page) = self.page_where(|page| page.load() == Some(load)) else {
            return Vec::new();
        };
        match part {
            Part::Phase(_) | Part::Begin(_) => Vec::new(),
            Part::Octets(octets) => {
                if let State::Arriving(progress) = &mut page.state {
                    progress.octets += octets.len() as u64;
                    progress.now = now;
                }
                if let Content::Document(document) = &mut page.content {
                    document.append(&octets);
                }
                Vec::new()
            }
            Part::End(end) => {
                page.state = match end {
                    Ok(()) => State::Whole,
                    Err(Stop::Cut(limit)) => State::Cut(limit),
                    Err(Stop::Failed(failure)) => State::Broken(failure),
                    Err(Stop::Needs(_) | Stop::Unheard) => State::Stopped,
                };
                let fault = match &page.state {
                    State::Cut(limit) => {
                        Some(format!("cut: a page holds {}", text::octets(*limit)))
                    }
                    State::Broken(failure) => Some(failure.sentence.clone()),
                    State::Arriving(_) | State::Whole | State::Stopped => None,
                };
                let mut effects = Vec::new();
                if let Some(document) = page.document().filter(|document| document.wants_finish()) {
                    let document = document.clone();
                    page.work = Some(work);
                    effects.push(Effect::Finish(work, document));
                }
                if let Some(fault) = fault {
                    self.complain(&fault);
                }
                effects
            }
        }
    }

    fn page_where(&mut self, fits: impl Fn(&Page) -> bool) -> Option<&mut Page> {
        let panes = self.tabs.iter_mut().flat_map(Tab::panes_mut);
        panes.flat_map(Pane::pages_mut).find(|page| fits(page))
    }

    /// A document that a blocking task has finished or sorted.
    pub(super) fn finished(&mut self, work: super::WorkId, document: Document) -> Vec<Effect> {
        if let Some(page) = self.page_where(|page| page.work == Some(work)) {
            page.work = None;
            let cursor = page.place.cursor;
            let moved = page
                .document()
                .and_then(|old| old.moved_to(cursor, &document));
            match &mut page.rendered {
                Some(rendered) => *rendered = document,
                None => page.content = Content::Document(document),
            }
            page.place.cursor = moved.unwrap_or(cursor);
        }
        self.reveal_all();
        Vec::new()
    }

    /// Puts the question of the page on its way, when it is the one that is looked at and nothing else is asked.
    pub(super) fn ask(&mut self) {
        if self.overlay.is_some() {
            return;
        }
        let Some(pane) = self.pane_mut() else { return };
        let Some(mut incoming) = pane
            .incoming
            .take_if(|incoming| incoming.question.is_some())
        else {
            return;
        };
        let Some(question) = incoming.question.take() else {
            return;
        };
        let prompt = match question {
            Question::Search => Prompt::new(Wants::Search(incoming), ""),
            Question::Password { user, host, said } => {
                let place = format!("{user} at {host}");
                incoming.request.login = Some(Login {
                    user,
                    password: String::new(),
                });
                Prompt {
                    remark: said,
                    ..Prompt::new(Wants::Password(incoming, place), "")
                }
            }
            Question::Login { host, said } => Prompt {
                remark: said,
                ..Prompt::new(Wants::Name(incoming, host), "")
            },
            Question::NewsServer => {
                let remark =
                    Text::of("no news server is set: a host, and :port when it is not 119");
                Prompt {
                    remark: Some(remark),
                    ..Prompt::new(Wants::NewsServer(incoming), "")
                }
            }
            Question::Save { what, name, size } => {
                let size = size.map_or(String::new(), |size| format!(", {}", text::octets(size)));
                let path = self.settings.downloads.join(name).display().to_string();
                let remark = Text::of(&format!(
                    "This is {what}{size}. Enter saves it, Esc leaves it."
                ));
                Prompt {
                    remark: Some(remark),
                    ..Prompt::new(Wants::Download(incoming), &path)
                }
            }
        };
        self.overlay = Some(Overlay::Prompt(prompt));
    }

    /// A prompt was left without an answer.
    pub(super) fn leave_prompt(&mut self, prompt: Prompt) -> Vec<Effect> {
        if let Wants::Search(incoming)
        | Wants::Name(incoming, _)
        | Wants::Password(incoming, _)
        | Wants::NewsServer(incoming)
        | Wants::Download(incoming) = prompt.wants
            && self.page().is_none()
        {
            // Nothing to go back to: the pane says what it waits for.
            let failure = Failure {
                advice: Some("r asks again, o opens another address"),
                ..Failure::new("nothing was answered, so nothing was loaded")
            };
            return self.arrive(
                Page::failed(incoming.request.url, incoming.title, failure),
                Arrival::Next,
            );
        }
        Vec::new()
    }

    /// A prompt was answered with Enter.
    pub(super) fn answer(&mut self, mut prompt: Prompt) -> Vec<Effect> {
        let answer = prompt.input.value().to_owned();
        match prompt.wants.clone() {
            Wants::Url | Wants::Edited if answer.trim().is_empty() => Vec::new(),
            Wants::Url | Wants::Edited => match typed(&answer) {
                Ok(url) => self.open(url, None, Where::Here),
                Err(_) => self.keep_prompt(prompt),
            },
            Wants::Words => self.find(&answer),
            Wants::Search(incoming) => match incoming.request.url.with_search(answer.as_bytes()) {
                Ok(url) => {
                    let title = Text::of(&format!("{}: {answer}", incoming.title));
                    self.request(
                        Request {
                            url,
                            ..incoming.request
                        },
                        title,
                        Arrival::Next,
                    )
                }
                Err(error) => {
                    prompt.remark = Some(Text::of(&error.to_string()));
                    self.keep_prompt(prompt)
                }
            },
            Wants::Name(..) if answer.trim().is_empty() => self.keep_prompt(prompt),
            Wants::Name(mut incoming, _) => {
                // The server says whether it wants a password too.
                incoming.request.login = Some(Login {
                    user: answer.trim().to_owned(),
                    password: String::new(),
                });
                self.request(incoming.request, incoming.title, incoming.arrival)
            }
            Wants::Password(mut incoming, _) => {
                if let Some(login) = &mut incoming.request.login {
                    login.password = answer;
                }
                self.request(incoming.request, incoming.title, incoming.arrival)
            }
            Wants::NewsServer(mut incoming) => match host_and_port(&answer) {
                Some(server) => {
                    self.settings.news_server = Some(server.clone());
                    incoming.request.news_server = Some(server);
                    self.request(incoming.request, incoming.title, incoming.arrival)
                }
                None => {
                    prompt.remark = Some(Text::of(
                        "that is no host: news.example.org, or news.example.org:119",
                    ));
                    self.keep_prompt(prompt)
                }
            },
            Wants::Download(incoming) => {
                let path = self.path(&answer);
                let request = Request {
                    purpose: Purpose::Save,
                    ..incoming.request
                };
                let mut effects = self.download(request, Target::Free(path));
                if self.page().is_none() {
                    // The pane would stay empty: what it was opened for goes to a file.
                    effects.extend(self.open_home());
                }
                effects
            }
            Wants::Save => {
                let path = self.path(&answer);
                self.save_page(Target::Free(path))
            }
        }
    }

    fn keep_prompt(&mut self, prompt: Prompt) -> Vec<Effect> {
        self.overlay = Some(Overlay::Prompt(prompt));
        Vec::new()
    }
}

/// A part for a page whose answer has not begun: it begins, asks, or fails.
fn first_part(pane: &mut Pane, part: Part, now: Duration, charset: text::Charset) -> Vec<Effect> {
    let Some(mut incoming) = pane.incoming.take() else {
        return Vec::new();
    };
    let page = match part {
        Part::Phase(phase) => {
            incoming.phase = phase;
            pane.incoming = Some(incoming);
            return Vec::new();
        }
        Part::Octets(_) => {
            pane.incoming = Some(incoming);
            return Vec::new();
        }
        Part::End(Err(Stop::Needs(question))) => {
            incoming.question = Some(question);
            pane.incoming = Some(incoming);
            return Vec::new();
        }
        Part::Begin(begin) => {
            let progress = Progress {
                load: incoming.load,
                octets: 0,
                size: begin.size,
                since: now,
                now,
            };
            begun(&incoming, begin, State::Arriving(progress), charset)
        }
        Part::End(Err(Stop::Failed(failure))) => {
            Page::failed(incoming.request.url, incoming.title, failure)
        }
        // An answer without a beginning is an empty one.
        Part::End(Ok(()) | Err(Stop::Cut(_) | Stop::Unheard)) => {
            begun(&incoming, Begin::new(Shape::Text), State::Whole, charset)
        }
    };
    dropped(pane.arrive(page, incoming.arrival))
}

/// The page of an answer that has begun.
fn begun(incoming: &Incoming, begin: Begin, state: State, charset: text::Charset) -> Page {
    let url = begin.url.unwrap_or_else(|| incoming.request.url.clone());
    let title = begin.title.unwrap_or_else(|| incoming.title.clone());
    let document = Document::new(url.clone(), begin.shape, charset);
    Page::new(url, title, document, state)
}

fn dropped(loads: Vec<LoadId>) -> Vec<Effect> {
    loads.into_iter().map(Effect::Drop).collect()
}

/// What to call an address that no link named: its last name, else its host.
pub fn title_of(url: &Url) -> Text {
    let parts = url.reading();
    let name = match parts {
        Parts::Gopher(gopher) => gopher.selector.octets(),
        Parts::Ftp(ftp) => {
            let named = ftp.segments().rev().find(|segment| !segment.is_empty());
            named
                .map(super::super::url::escape::Encoded::octets)
                .unwrap_or_default()
        }
        Parts::Nntp(nntp) => nntp.group.as_bytes().into(),
        _ => url.as_str().as_bytes().into(),
    };
    let last = name
        .rsplit(|&octet| octet == b'/')
        .find(|part| !part.is_empty());
    match (last, parts.address()) {
        (Some(last), Some(_)) => Text::new(last, text::Charset::default()),
        (None, Some(address)) => Text::of(address.text),
        (_, None) => Text::of(&url.masked()),
    }
}

/// `host` or `host:port`, as a person types a server; port 119 when none is typed.
pub fn host_and_port(typed: &str) -> Option<(String, u16)> {
    let typed = typed.trim();
    let typed = typed
        .strip_prefix("nntp://")
        .or_else(|| typed.strip_prefix("news://"))
        .unwrap_or(typed);
    let url = Url::parse(&format!("telnet://{}/", typed.trim_end_matches('/'))).ok()?;
    let Parts::Telnet(telnet) = url.parts() else {
        return None;
    };
    let address = telnet.login.address;
    telnet
        .login
        .user
        .is_none()
        .then(|| (address.host.to_owned(), address.written_port.unwrap_or(119)))
}
