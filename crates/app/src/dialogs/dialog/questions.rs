//! The constructors of the questions, each with its answers.

use std::path::{Path, PathBuf};

use geomys_load::{
    Caution, FormAnswers, IdentityScope, QuestionWords, Reason, Request, Version, file_name_of,
    version_difference, with_type,
};
use geomys_store::files::command::quoted;
use geomys_store::files::draft;
use geomys_store::transfer::download::{PartialFilePolicy, TakenName};
use geomys_store::transfer::queue::Destination;
use geomys_store::transfer::view::own_name;
use geomys_wire::net::{UntrustedCertificate, shown_url};
use geomys_wire::text::{Charset, Text, octets};
use rfc1738::{Parts, Url};

use crate::credentials::message::TrustDuration;
use crate::requester::OpenPage;
use crate::requester::TransferId;
use crate::transfers::message::ViewerJob;
use crate::{
    Command, ComposeCommand, Context, CredentialCommand, Dialog, OpenIn, PendingRequest,
    TabsCommand, TransferCommand,
};

impl Dialog {
    /// Asks how to read an item with an unknown item type.
    pub(crate) fn unknown_type(pending: PendingRequest, gtype: u8) -> Self {
        let gtype = Text::new(&[gtype], Charset::default());
        let question = format!("Unknown item type “{gtype}”. Open as:");
        let name = file_name_of(&pending.request.url, &pending.request.name_hints);
        let load_as = |gtype| {
            let mut pending = pending.clone();
            if let Some(url) = with_type(&pending.request.url, gtype) {
                pending.request.url = url;
            }
            Command::Load(Box::new(pending))
        };
        let save = TransferCommand::AskPath(Box::new(pending.clone()), name);
        Self::new(&question)
            .answer('t', "text", load_as('0'))
            .answer('m', "menu", load_as('1'))
            .answer('s', "save it", save)
            .about(pending)
    }

    /// Asks before opening a URL with hazards.
    pub(crate) fn confirm_hazards(mut pending: PendingRequest, words: QuestionWords) -> Self {
        let mut lines = vec![Text::of(&shown_url(&pending.request.url))];
        lines.extend(words.remarks);
        let waiting = pending.clone();
        pending.request.consents.caution = Caution::Confirmed;
        let accept = CredentialCommand::AcceptHazards(Box::new(pending));
        Self::confirm(&words.prompt, accept)
            .with_lines(lines)
            .about(waiting)
    }

    /// Asks before an archive unpacks to many times its size.
    pub(crate) fn confirm_unpacking(mut pending: PendingRequest, words: QuestionWords) -> Self {
        let waiting = pending.clone();
        pending.request.consents.unpack = true;
        Self::confirm(&words.prompt, Command::Load(Box::new(pending)))
            .with_lines(words.remarks)
            .about(waiting)
    }

    /// Asks before connecting to an address of this machine or its network, to which the page of another host led.
    pub(crate) fn local_address(
        mut pending: PendingRequest,
        authority: String,
        words: QuestionWords,
    ) -> Self {
        let mut lines = vec![Text::of(&shown_url(&pending.request.url))];
        lines.extend(words.remarks);
        let waiting = pending.clone();
        pending.request.consents.local.accept(&authority);
        let accept = CredentialCommand::AcceptLocalAddress(Box::new(pending), authority);
        Self::confirm(&words.prompt, accept)
            .with_lines(lines)
            .about(waiting)
    }

    /// Asks for which URLs the client certificate of a request is chosen.
    pub(crate) fn identity_scope(mut pending: PendingRequest) -> Self {
        let question = "Use the certificate for";
        let waiting = pending.clone();
        let page = Command::Load(Box::new(pending.clone()));
        pending.request.certificate.scope = IdentityScope::Host;
        Self::new(question)
            .answer('p', "this page and below", page)
            .answer('h', "the whole host", Command::Load(Box::new(pending)))
            .no("cancel")
            .about(waiting)
    }

    /// Asks before sending the form answers that a URL contains.
    pub(crate) fn send_form(mut pending: PendingRequest, lines: Vec<Text>) -> Self {
        let url = pending.request.url.base_parts();
        let host = url.address().map_or("", |address| address.text);
        let question = format!("This URL contains a filled form. Send it to {host}?");
        let waiting = pending.clone();
        pending.request.answers = FormAnswers::Confirmed;
        Self::confirm(&question, Command::Load(Box::new(pending)))
            .with_lines(lines)
            .about(waiting)
    }

    /// Asks before sending the answers to a form of the Web, or an upload, a second time.
    pub(crate) fn post_again(pending: PendingRequest) -> Self {
        let url = &pending.request.url;
        let question = match pending.request.posted() {
            Some(posted) if !url.is_web() => {
                let (size, target) = (posted.octets.len(), shown_url(url));
                format!("Send {size} bytes to {target} again?")
            }
            Some(_) | None => {
                let url = url.base_parts();
                let host = url.address().map_or("", |address| address.text);
                format!("Send the form to {host} again?")
            }
        };
        let lines = vec![Text::of("It was sent before. It will be done twice.")];
        Self::confirm(&question, Command::Load(Box::new(pending))).with_lines(lines)
    }

    /// Asks before uploading a text: how much of it is sent, and where. `can_wait` offers to send it at the next sync,
    /// unless it needs a token: none is stored. Offline it is the first answer.
    pub(crate) fn send_text(pending: PendingRequest, can_wait: bool, is_offline: bool) -> Self {
        let request = &pending.request;
        let posted = request.posted();
        let size = posted.map_or(0, |posted| posted.octets.len());
        let target = shown_url(&request.url);
        let question = format!("Send {size} bytes of text to {target}?");
        let draft = posted.filter(|_| can_wait);
        let draft = draft.and_then(|posted| draft::upload(&request.url, posted));
        let namer = request.namer_to_store();
        let dialog = Self::new(&question).answer('y', "yes", Command::Load(Box::new(pending)));
        let dialog = match draft {
            Some(draft) => {
                let queue = ComposeCommand::QueueUpload(Box::new(draft), namer);
                let dialog = dialog.answer('s', "at the next sync", Command::Compose(queue));
                if is_offline {
                    dialog.safe('s').with_letters().with_buttons()
                } else {
                    dialog
                }
            }
            None => dialog,
        };
        dialog.no("no")
    }

    /// Asks before sending a file with the form.
    pub(crate) fn send_file(path: PathBuf, host: &str) -> Self {
        let question = format!("Send the file {} to {host}?", path.display());
        Self::confirm(&question, TabsCommand::ReadFormFile(path))
    }

    /// Asks before saving the reply to a form to a file outside the download directory.
    pub(crate) fn save_reply(path: PathBuf) -> Self {
        let question = format!("Save the reply to {}?", path.display());
        let lines = vec![Text::of("It is outside your download directory.")];
        let command = Command::Tabs(TabsCommand::ConfirmReplyPath(path));
        Self::confirm(&question, command).with_lines(lines)
    }

    /// Asks before opening a local file to which a page of a server links; before downloading it, without `open_in`.
    pub(crate) fn local_file(
        request: Request,
        label: Text,
        page: &Url,
        open_in: Option<OpenIn>,
    ) -> Self {
        let url = &request.url;
        let path = match url.base_parts() {
            Parts::File(file) => format!("/{}", Text::new(&file.path.octets(), Charset::default())),
            _ => shown_url(url).into_owned(),
        };
        let lines = vec![
            Text::of(&shown_url(url)),
            Text::of(&format!("A remote page links to it: {}", shown_url(page))),
        ];
        let (question, command) = match open_in {
            Some(open_in) => (
                format!("Open the local file {path}?"),
                OpenPage::from(request)
                    .titled(label)
                    .open_in(open_in)
                    .into(),
            ),
            None => (
                format!("Copy the local file {path} to your downloads?"),
                Command::Transfers(TransferCommand::Download(Box::new(request))),
            ),
        };
        Self::confirm(&question, command).with_lines(lines)
    }

    /// Asks for the treatment of a file that has the path of a download already.
    pub(crate) fn taken_name(request: &Request, path: &Path) -> Self {
        let add = |policy: TakenName| {
            let to = Destination::File(policy.chosen(path.to_owned()));
            Command::Transfers(TransferCommand::Add(Box::new(request.clone()), to))
        };
        let lines = vec![
            Text::of(&shown_url(&request.url)),
            Text::of(&format!("to {}", path.display())),
        ];
        Self::new("If the file exists?")
            .answer('n', "rename: add a number", add(TakenName::Rename))
            .answer('s', "save nothing", add(TakenName::Skip))
            .answer(
                'c',
                "resume, if it is the same file",
                add(TakenName::Resume),
            )
            .answer('o', "overwrite it", add(TakenName::Overwrite))
            .with_lines(lines)
    }

    /// Asks before running another program.
    pub(crate) fn run_program(
        arguments: Vec<String>,
        lines: Vec<Text>,
        unsupported: Option<Url>,
    ) -> Self {
        let question = match unsupported {
            Some(_) => "Not supported by Geomys. Run another program?",
            None => "Run the configured program?",
        };
        let run = Command::Tabs(TabsCommand::Run(arguments));
        let dialog = Self::confirm(question, run).with_lines(lines);
        match unsupported {
            Some(url) => {
                let explain = Command::Tabs(TabsCommand::OpenUnsupported(url));
                dialog.answer('i', "details", explain)
            }
            None => dialog,
        }
    }

    /// Asks before the program of the desktop opens something.
    pub(crate) fn open_on_desktop(arguments: Vec<String>, lines: Vec<Text>) -> Self {
        let program = Text::of(arguments.first().map_or("", String::as_str));
        let run = Command::Tabs(TabsCommand::RunOnDesktop(arguments));
        Self::confirm(&format!("Open it with {program}?"), run).with_lines(lines)
    }

    /// Asks if the words after the `?` of a typed gopher URL are search words.
    pub(crate) fn gopher_query(url: Url, search: Url, words: &str, reason: &Reason) -> Self {
        let question =
            format!("In a gopher URL “?” belongs to the selector. Search for “{words}”?");
        let lines = vec![Text::of(&shown_url(&search))];
        let open = |url| Command::from(OpenPage::at(url, reason.clone()));
        Self::new(&question)
            .answer('s', "search", open(search))
            .answer('o', "open as typed", open(url))
            .with_lines(lines)
    }

    /// Asks if a file is saved or viewed. The full command line is shown, except for the directory of the file.
    pub(crate) fn view_file(
        pending: PendingRequest,
        name: String,
        viewing: ViewerJob,
        what: &str,
    ) -> Self {
        let command = &viewing.viewer.command;
        let program = Text::of(command.program());
        let file = own_name(&name);
        let filled = command.fill(&[("file", &file), ("type", &viewing.mime)]);
        let save = TransferCommand::AskPath(Box::new(pending.clone()), name.clone());
        let mut dialog = Self::new(&format!("This is {what}.")).answer('s', "save it", save);
        let line = match filled {
            Ok(arguments) => {
                let request = Box::new(pending.request.clone());
                let view = Command::Transfers(TransferCommand::View(request, name, viewing));
                dialog = dialog.answer('v', &format!("view it with {program}"), view);
                quoted(&arguments)
            }
            Err(sentence) => sentence,
        };
        dialog.with_lines(vec![Text::of(&line)]).about(pending)
    }

    /// Asks if a certificate is trusted. The answers are always buttons, never letters.
    pub(crate) fn certificate(error: &UntrustedCertificate, pending: PendingRequest) -> Self {
        let sentences = error.sentences();
        let mut sentences = sentences.iter().map(String::as_str);
        let question = sentences.next().unwrap_or_default();
        let lines = sentences.map(Text::of).collect();
        let waiting = Box::new(pending.clone());
        let trust = |duration| {
            let trust =
                CredentialCommand::Trust(Box::new(error.clone()), waiting.clone(), duration);
            Command::Credentials(trust)
        };
        let reject = CredentialCommand::RejectCertificate(error.authority.clone(), waiting.clone());
        let dialog = Self::new(question)
            .no("reject")
            .answer(
                'o',
                "trust until Geomys exits",
                trust(TrustDuration::Session),
            )
            .answer('a', "trust always", trust(TrustDuration::Always))
            .with_lines(lines)
            .about(pending)
            .declined(vec![Command::Credentials(reject)])
            .with_buttons();
        Self {
            is_warning: error.pinned.is_some(),
            ..dialog
        }
    }

    /// Asks about the partial file of a download that has changed on the server. The answers are always buttons.
    pub(crate) fn file_changed(
        id: TransferId,
        pending: PendingRequest,
        was: &Version,
        is: &Version,
    ) -> Self {
        let lines = [
            &*shown_url(&pending.request.url),
            &version_difference(was, is),
            "Resuming would mix two different files.",
        ];
        let lines = lines.map(Text::of).to_vec();
        let set = |policy| Command::Transfers(TransferCommand::SetPartial(id, policy));
        let question = format!("{} has changed on the server.", pending.title);
        Self::new(&question)
            .no("leave it")
            .answer('f', "download again", set(PartialFilePolicy::Restart))
            .answer('g', "resume anyway", set(PartialFilePolicy::ResumeAlways))
            .with_lines(lines)
            .about(pending)
    }

    /// Asks before downloading a whole directory, where a file was expected.
    pub(crate) fn whole_directory(id: TransferId, pending: PendingRequest) -> Self {
        let question = format!("{} is a directory. Download all of it?", pending.title);
        let lines = vec![Text::of(&shown_url(&pending.request.url))];
        let find = Command::Transfers(TransferCommand::FindDestination(id));
        Self::confirm(&question, find)
            .with_lines(lines)
            .about(pending)
    }

    /// Asks before removing a transfer and its partial file.
    pub(crate) fn erase_transfer(id: TransferId, name: &Text, size: u64) -> Self {
        let size = octets(size);
        let question = format!("Delete {name} ({size} partial)?");
        Self::confirm(&question, TransferCommand::Erase(id))
    }
}

impl Context {
    /// Asks a question at once, as a key press caused it.
    pub(crate) fn ask(&mut self, dialog: Dialog) {
        self.show(crate::Overlay::Dialog(Box::new(dialog)));
    }

    /// Queues a question that no key press caused, until the user types nothing.
    pub(crate) fn ask_later(&mut self, dialog: Dialog) {
        self.command(Command::AskLater(Box::new(dialog)));
    }
}
