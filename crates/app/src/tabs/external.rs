//! External programs: for URLs that Geomys does not support, and for files that it cannot show. Each run needs the
//! user's consent.

use geomys_load::{LoadId, Purpose, Request, gopher_view, speaks, stays_here};
use geomys_page::document::suffix;
use geomys_store::files::command::quoted;
use geomys_store::files::mailcap::{Viewer, viewer};
use geomys_store::transfer::view::TemporaryFile;
use geomys_wire::net::Route;
use geomys_wire::text::{self, Text};
use rfc1738::{Encoded, ExtensionScheme, Hazard, Parts, Scheme, Url, mask};

use crate::dialogs::text_input::{PathInput, TextInput};
use crate::requester::NextStep;
use crate::tabs::message::Program;
use crate::transfers::message::ViewerJob;
use crate::view::picture;
use crate::{
    Command, Compose, Context, Credentials, Dialog, Effect, PendingRequest, Tabs, TransferEffect,
    Transfers,
};

/// Asks whether to run the program that is set for such URLs. Returns false if there is none, or if Geomys opens the
/// URL itself.
pub(crate) fn open_externally(
    url: &Url,
    compose: &mut Compose,
    tabs: &Tabs,
    cx: &mut Context,
) -> bool {
    if cx.settings.gateways.uses_gateway(url) {
        return false;
    }
    if compose.write_to(url, tabs, cx) {
        return true;
    }
    // A configured program for sessions or for web pages comes before Geomys' own support.
    let openers = &cx.settings.open;
    let is_web = url.is_web();
    let is_preferred = url.scheme() == Scheme::Telnet && openers.telnet.is_some()
        || is_web && openers.http.is_some();
    if speaks(url) && !is_preferred || stays_here(url.scheme_name()) {
        return false;
    }
    // A mail has several lines; they stay encoded in the argument.
    let is_letter = url.scheme() == Scheme::Mailto;
    if let Some(forbids) = url.forbidden_hazard().filter(|_| !is_letter) {
        let why = forbids.sentence();
        report_not_run(&format!("not run: the URL has {why}"), cx);
        return true;
    }
    let openers = &cx.settings.open;
    let template = match (url.extension_scheme(), url.scheme()) {
        (Some(ExtensionScheme::Tn3270), _) => &openers.tn3270,
        (_, Scheme::Telnet) => &openers.telnet,
        _ if is_web => &openers.http,
        _ => &openers.other,
    };
    let parts = url.base_parts();
    let address = parts.address();
    let host = address.map_or("", |address| address.node());
    let port = address.and_then(|address| address.known_port());
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
    let Some(template) = template else {
        return false;
    };
    match template.fill(&values) {
        Ok(arguments) => {
            let masked: Vec<String> = arguments.iter().map(|one| mask(one).into_owned()).collect();
            let mut about = vec![Text::of(&quoted(&masked)), Text::of(&mask(&address))];
            if !user.is_empty() {
                about.push(Text::of(&format!("log in there as {user}")));
            }
            about.extend(remarks(url, cx));
            let unspoken = (!speaks(url)).then(|| url.clone());
            cx.ask(Dialog::run_program(arguments, about, unspoken));
        }
        Err(sentence) => report_not_run(&sentence, cx),
    }
    true
}

/// Reports why no program is run. An empty first pane gets the start page.
fn report_not_run(sentence: &str, cx: &mut Context) {
    cx.command(Command::OpenHomeIfEmpty);
    cx.report_error(sentence);
}

/// Runs a program with the user's consent: in the terminal, or with a window of its own.
pub(super) fn run(arguments: Vec<String>, in_terminal: bool, cx: &mut Context) {
    cx.emit(Effect::Run(Program {
        arguments,
        in_terminal,
        file: None,
    }));
    if in_terminal {
        cx.command(Command::OpenHomeIfEmpty);
    }
}

/// Returns what is to be known before another program opens a URL: its hazards, and that it uses no proxy.
pub(crate) fn remarks(url: &Url, cx: &Context) -> Vec<Text> {
    let hazards = url.hazards().into_iter();
    let hazards =
        hazards.filter(|hazard| hazard.needs_confirmation() || *hazard == Hazard::Password);
    let mut remarks: Vec<Text> = hazards.map(|hazard| Text::of(hazard.sentence())).collect();
    remarks.extend(match &cx.settings.route {
        Route::Direct => None,
        Route::Proxy(_) | Route::InvalidProxy(_) => Some(Text::of("it does not use your proxy")),
    });
    remarks
}

impl Transfers {
    /// Fetches a file to be viewed.
    pub(crate) fn fetch_to_view(
        &mut self,
        request: Request,
        name: String,
        viewing: ViewerJob,
        credentials: &Credentials,
        cx: &mut Context,
    ) {
        let mut request = Request {
            purpose: Purpose::Save,
            ..request
        };
        credentials.apply_defaults(&mut request, &cx.settings);
        let load = self.begin_download(Text::of(&name), Some(viewing), cx);
        cx.emit(TransferEffect::Fetch(load, Box::new(request), name));
        cx.command(Command::OpenHomeIfEmpty);
    }

    /// Runs the viewer for a fetched file, or reports the error.
    pub(crate) fn fetched(
        &mut self,
        load: LoadId,
        result: Result<TemporaryFile, String>,
        cx: &mut Context,
    ) {
        let Some(viewing) = self
            .take_download(load)
            .and_then(|download| download.viewer)
        else {
            return;
        };
        let file = match result {
            Ok(file) => file,
            Err(sentence) => return cx.report_error(&sentence),
        };
        let path = file.path.display().to_string();
        let Viewer {
            command,
            needs_terminal,
        } = viewing.viewer;
        match command.fill(&[("file", &path), ("type", &viewing.mime)]) {
            Ok(arguments) => {
                let note = file.end.note();
                let note = note.map_or(String::new(), |note| format!("; {note}"));
                cx.notify(&format!("Opened in {}{note}", command.program()));
                cx.emit(Effect::Run(Program {
                    arguments,
                    in_terminal: needs_terminal,
                    file: Some(file),
                }));
            }
            Err(sentence) => cx.report_error(&sentence),
        }
    }
}

/// Loads a picture to be shown. Asks whether to save another file that cannot be shown, or to show it in another
/// program.
pub(crate) fn ask_about_file(
    mut pending: PendingRequest,
    name: String,
    what: &str,
    octets: Option<u64>,
    cx: &mut Context,
) {
    let size = octets.map_or(String::new(), |size| format!(", {}", text::octets(size)));
    let mime = mime(&pending.request.url, &name);
    let is_page = !matches!(pending.next_step, Some(NextStep::Save(_)));
    // A viewer that the user has named comes before the pane, and the pane before one of mailcap.
    let own = cx.settings.viewers.get(..cx.settings.own_viewers);
    let has_viewer = own
        .zip(mime.as_deref())
        .is_some_and(|(own, mime)| viewer(own, mime).is_some());
    if is_page && !has_viewer && picture::is_shown(mime.as_deref(), what, octets, cx) {
        pending.request.purpose = Purpose::Picture;
        return cx.load(pending);
    }
    let found = mime.and_then(|mime| Some((viewer(&cx.settings.viewers, &mime)?, mime)));
    let why = match found {
        Some((Ok(viewer), mime)) if !matches!(pending.next_step, Some(NextStep::Save(_))) => {
            let viewer = viewer.clone();
            let what = format!("{what}{size}");
            let job = ViewerJob { viewer, mime };
            return cx.ask(Dialog::view_file(pending, name, job, &what));
        }
        Some((Err(refused), _)) => {
            format!(
                " (mailcap names {}, but {})",
                refused.program, refused.reason
            )
        }
        Some((Ok(_), _)) | None => String::new(),
    };
    let noun = what.split_once(' ').map_or(what, |(_, noun)| noun);
    let noun = text::sentence_case(noun, "");
    let remark = format!("{noun}{size} · Enter save · Esc cancel{why}");
    ask_where(pending, name, &remark, cx);
}

/// Asks for the path of a file to be saved.
pub(crate) fn ask_where(mut pending: PendingRequest, name: String, remark: &str, cx: &mut Context) {
    let path = match pending.next_step.take() {
        Some(NextStep::Save(path)) => path,
        Some(
            NextStep::Select(_)
            | NextStep::SelectLink(_)
            | NextStep::GoToFragment
            | NextStep::FindWords(_)
            | NextStep::Run(_),
        )
        | None => cx.settings.downloads.join(&name),
    };
    let path = path.display().to_string();
    let input = TextInput {
        remark: Some(Text::of(remark)).filter(|remark| !remark.is_blank()),
        ..TextInput::new(PathInput::Download(Box::new(pending.clone()), name), &path)
    };
    cx.ask(Dialog::input("Save as", input).about(pending));
}

/// Returns the MIME type of a URL: from its Gopher+ view, else from its file name, else from its Gopher item type.
fn mime(url: &Url, name: &str) -> Option<String> {
    if let Some(view) = gopher_view(url) {
        return Some(view);
    }
    let gtype = match url.base_parts() {
        Parts::Gopher(gopher) => Some(gopher.item_type()),
        _ => None,
    };
    let mime = suffix::mime(name.as_bytes()).or(match gtype {
        Some(b'g') => Some("image/gif"),
        Some(b'p') => Some("image/png"),
        Some(b'I' | b':') => Some("image/x-unknown"),
        Some(b's' | b'<') => Some("audio/x-unknown"),
        Some(b';') => Some("video/x-unknown"),
        Some(b'P') => Some("application/pdf"),
        _ => None,
    });
    mime.map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use rfc1738::Dialect;

    use super::*;

    #[test]
    fn a_view_is_a_type_or_nothing() {
        let of = |path: &str| {
            let url = Dialect::Extended
                .parse(&format!("gopher://h/I/{path}"))
                .unwrap();
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
