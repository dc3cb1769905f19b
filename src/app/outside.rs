//! Other programs: for addresses that Geomys does not speak, and for files that it cannot show. None is run unasked.

use super::choice::Choice;
use super::pane::Incoming;
use super::prompt::{Prompt, Wants};
use super::{App, Download, Effect, Viewing};
use crate::app::page::Progress;
use crate::document::suffix;
use crate::files::command::{Template, shown};
use crate::files::mailcap::{Viewer, viewer};
use crate::files::view::Fetched;
use crate::load::{LoadId, Purpose, Request, speaks};
use crate::net::Route;
use crate::text::{self, Text};
use crate::url::{Encoded, Hazard, Later, Parts, Scheme, Url};

/// What is run for addresses that Geomys does not speak itself.
#[derive(Clone, Debug, Default)]
pub struct Openers {
    /// For terminal sessions, instead of the terminal in a pane.
    pub telnet: Option<Template>,
    /// For those on a 3270 terminal.
    pub tn3270: Option<Template>,
    /// For pages of the Web, instead of showing them here.
    pub http: Option<Template>,
    /// For everything else.
    pub other: Option<Template>,
}

/// A program that is to be run.
#[derive(Debug)]
pub struct Program {
    /// Itself and its arguments.
    pub arguments: Vec<String>,
    /// It has the terminal while it runs; else a window of its own.
    pub in_terminal: bool,
    /// The file it shows, which goes when it has ended.
    pub file: Option<Fetched>,
}

/// Schemes of which nothing is handed on: what they name is a script or a file of this machine, or no program of today
/// speaks them.
const NEVER: [&str; 4] = ["javascript", "vbscript", "data", "file"];

impl App {
    /// Asks whether the program that is set for such addresses may be run; nothing where there is none, or Geomys
    /// speaks it itself.
    pub(super) fn hand_on(&mut self, url: &Url) -> Option<Vec<Effect>> {
        let is_never = |name: &&str| url.scheme_name().eq_ignore_ascii_case(name);
        if self.settings.gateways.takes(url) {
            return None;
        }
        if let Some(effects) = self.write_to(url) {
            return Some(effects);
        }
        // Who names a program for sessions wants that, and not the terminal in a pane; so with pages of the Web.
        let openers = &self.settings.open;
        let is_web = matches!(url.reading(), Parts::Http(_));
        let is_wanted = url.scheme() == Scheme::Telnet && openers.telnet.is_some()
            || is_web && openers.http.is_some();
        if speaks(url) && !is_wanted || NEVER.iter().any(is_never) {
            return None;
        }
        // A letter has lines; they stay encoded in the argument.
        let is_letter = url.scheme() == Scheme::Mailto;
        if let Some(forbids) = url.forbidden().filter(|_| !is_letter) {
            let why = forbids.sentence();
            return Some(self.not_run(&format!("not handed on, as the address holds {why}")));
        }
        let openers = &self.settings.open;
        let template = match (url.later(), url.scheme()) {
            (Some(Later::Tn3270), _) => &openers.tn3270,
            (_, Scheme::Telnet) => &openers.telnet,
            _ if is_web => &openers.http,
            _ => &openers.other,
        };
        let parts = url.reading();
        let address = parts.address();
        let host = address.map_or("", |address| address.node());
        let port = address.and_then(|address| address.port());
        let port = port.map_or(String::new(), |port| port.to_string());
        let user = parts.login().and_then(|login| login.user);
        let user = user.map(Encoded::octets).unwrap_or_default();
        let user = String::from_utf8_lossy(&user);
        let address = url.without_password().to_string();
        let values = [
            ("host", host),
            ("port", &port),
            ("user", &user),
            ("url", &address),
        ];
        match template.as_ref()?.fill(&values) {
            Ok(arguments) => {
                let mut about = vec![Text::of(&shown(&arguments)), Text::of(&address)];
                if !user.is_empty() {
                    about.push(Text::of(&format!("log in there as {user}")));
                }
                let hazards = url.hazards().into_iter();
                let told = hazards.filter(|hazard| hazard.asks() || *hazard == Hazard::Password);
                about.extend(told.map(|hazard| Text::of(hazard.sentence())));
                about.extend(match &self.settings.route {
                    Route::Straight => None,
                    Route::Proxy(_) | Route::Shut(_) => {
                        Some(Text::of("it does not go through the proxy that you set"))
                    }
                });
                let unspoken = (!speaks(url)).then(|| url.clone());
                Some(self.choose(Choice::run(arguments, about, unspoken)))
            }
            Err(sentence) => Some(self.not_run(&sentence)),
        }
    }

    /// Says why no program is run; the first pane of all stays not empty.
    fn not_run(&mut self, sentence: &str) -> Vec<Effect> {
        let effects = if self.page().is_none() {
            self.open_home()
        } else {
            Vec::new()
        };
        self.complain(sentence);
        effects
    }

    /// Runs a program in the terminal: somebody has agreed to it.
    pub(super) fn run_agreed(&mut self, arguments: Vec<String>) -> Vec<Effect> {
        let mut effects = vec![Effect::Run(Program {
            arguments,
            in_terminal: true,
            file: None,
        })];
        if self.page().is_none() {
            effects.extend(self.open_home());
        }
        effects
    }

    /// Asks what becomes of what cannot be shown here: it is saved, or another program shows it.
    pub(super) fn ask_about_file(
        &mut self,
        incoming: Incoming,
        name: String,
        what: &str,
        size: Option<u64>,
    ) -> Vec<Effect> {
        let size = size.map_or(String::new(), |size| format!(", {}", text::octets(size)));
        let mime = mime(&incoming.request.url, &name);
        let found = mime.and_then(|mime| Some((viewer(&self.settings.viewers, &mime)?, mime)));
        let why = match found {
            Some((Ok(viewer), mime)) if incoming.keep.is_none() => {
                let viewer = viewer.clone();
                let what = format!("{what}{size}");
                let choice = Choice::view(incoming, name, Viewing { viewer, mime }, &what);
                return self.choose(choice);
            }
            Some((Err(refused), _)) => {
                format!(" (mailcap names {}, but {})", refused.program, refused.why)
            }
            Some((Ok(_), _)) | None => String::new(),
        };
        let remark = format!("This is {what}{size}. Enter saves it, Esc leaves it.{why}");
        self.ask_where(incoming, name, &remark)
    }

    /// Asks where something is to be saved.
    pub(super) fn ask_where(
        &mut self,
        mut incoming: Incoming,
        name: String,
        remark: &str,
    ) -> Vec<Effect> {
        let kept = incoming.keep.take();
        let path = kept.unwrap_or_else(|| self.settings.downloads.join(&name));
        let path = path.display().to_string();
        self.prompt(Prompt {
            remark: Some(Text::of(remark)).filter(|remark| !remark.is_blank()),
            ..Prompt::new(Wants::Download(incoming, name), &path)
        })
    }

    /// Fetches a file to be looked at.
    pub(super) fn fetch_to_view(
        &mut self,
        request: Request,
        name: String,
        viewing: Viewing,
    ) -> Vec<Effect> {
        let mut request = Request {
            purpose: Purpose::Save,
            ..request
        };
        self.complete(&mut request);
        let load = self.next_load();
        self.viewing.push((load, viewing));
        self.downloads.push(Download {
            name: Text::of(&name),
            progress: Progress {
                load,
                octets: 0,
                size: None,
                since: self.now,
                now: self.now,
            },
        });
        let mut effects = vec![Effect::Fetch(load, request, name)];
        if self.page().is_none() {
            effects.extend(self.open_home());
        }
        effects
    }

    /// A file is here to be looked at, or not.
    pub(super) fn fetched(&mut self, load: LoadId, result: Result<Fetched, String>) -> Vec<Effect> {
        self.downloads
            .retain(|download| download.progress.load != load);
        let at = self.viewing.iter().position(|(viewed, _)| *viewed == load);
        let Some((_, viewing)) = at.map(|at| self.viewing.remove(at)) else {
            return Vec::new();
        };
        let file = match result {
            Ok(file) => file,
            Err(sentence) => {
                self.complain(&sentence);
                return Vec::new();
            }
        };
        let path = file.path.display().to_string();
        let Viewer {
            command,
            needs_terminal,
        } = viewing.viewer;
        match command.fill(&[("file", &path), ("type", &viewing.mime)]) {
            Ok(arguments) => {
                self.tell(&format!("{} shows it", command.program()));
                vec![Effect::Run(Program {
                    arguments,
                    in_terminal: needs_terminal,
                    file: Some(file),
                })]
            }
            Err(sentence) => {
                self.complain(&sentence);
                Vec::new()
            }
        }
    }

    /// A program has ended, or could not be started.
    pub fn ran(&mut self, result: Result<String, String>) {
        match result {
            Ok(sentence) => self.tell(&sentence),
            Err(sentence) => self.complain(&sentence),
        }
    }
}

/// The MIME type of what a URL names: a view says it; else the name, else the type of a Gopher item.
fn mime(url: &Url, name: &str) -> Option<String> {
    let parts = url.reading();
    let mut gtype = None;
    if let Parts::Gopher(gopher) = parts {
        gtype = Some(gopher.item_type());
        let view = gopher.plus.map(Encoded::octets).unwrap_or_default();
        let view = view.strip_prefix(b"+").unwrap_or_default();
        let view = view.split(|octet| matches!(octet, b' ' | b'\t' | b';'));
        if let Some(mime) = view.into_iter().next().and_then(media_type) {
            return Some(mime);
        }
    }
    let known = suffix::mime(name.as_bytes()).or(match gtype {
        Some(b'g') => Some("image/gif"),
        Some(b'p') => Some("image/png"),
        Some(b'I' | b':') => Some("image/x-unknown"),
        Some(b's' | b'<') => Some("audio/x-unknown"),
        Some(b';') => Some("video/x-unknown"),
        Some(b'P') => Some("application/pdf"),
        _ => None,
    });
    known.map(str::to_owned)
}

/// A type in small letters, where it is `type/subtype`. It becomes an argument of a program: of the signs that a token
/// may hold (RFC 2045, section 5.1) only those are taken that every registered type makes do with, and none of them
/// means anything to a shell or begins an option.
fn media_type(octets: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(octets).ok()?.to_ascii_lowercase();
    let is_token = |token: &str| {
        let mut signs = token.bytes();
        signs
            .next()
            .is_some_and(|first| first.is_ascii_alphanumeric())
            && signs.all(|sign| sign.is_ascii_alphanumeric() || b"+-._".contains(&sign))
    };
    let (kind, subtype) = text.split_once('/')?;
    (is_token(kind) && is_token(subtype)).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_is_a_type_or_nothing() {
        let of = |path: &str| {
            let url = Url::accept(&format!("gopher://h/I/{path}")).unwrap();
            mime(&url, path.split('%').next().unwrap())
        };
        for (path, found) in [
            ("a.png%09%09+image/GIF", "image/gif"),
            ("a.png%09%09+image/svg+xml%20En_US", "image/svg+xml"),
            ("a.png%09%09+image/gif;q=1", "image/gif"),
            ("a.png%09%09+image/$(id)", "image/png"),
            ("a.png%09%09+image/*", "image/png"),
            ("a.png%09%09+-c/x", "image/png"),
            ("a.png%09%09+image/a/b", "image/png"),
            ("a.png%09%09+image/a'b", "image/png"),
            ("a%09%09+image/%1bx", "image/x-unknown"),
            ("a%09%09+image/", "image/x-unknown"),
        ] {
            assert_eq!(of(path).as_deref(), Some(found), "{path}");
        }
    }
}
