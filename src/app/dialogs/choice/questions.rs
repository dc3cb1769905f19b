//! The constructors of the questions, each with its answers.

use std::path::PathBuf;

use crate::app::dialogs::choice::{Choice, ChoiceKind, LocalFileAction, YES_OR_NO};
use crate::app::requester::{PendingRequest};
use crate::app::transfers::TransferId;
use crate::app::transfers::ViewerJob;
use crate::files::command::quoted;
use crate::load::{Request, Version, version_difference};
use crate::net::UntrustedCertificate;
use crate::text::{Charset, Text, octets};
use crate::transfer::view::own_name;
use crate::url::{Hazard, Parts, Url};

impl Choice {
    /// Asks how to read an item with an unknown item type.
    pub(crate) fn unknown_type(pending: PendingRequest, gtype: u8) -> Self {
        let gtype = Text::new(&[gtype], Charset::default());
        let question =
            format!("Nobody has told Geomys what an item of type {gtype} is. What is it to be?");
        let answers = [
            ('t', "read as a text"),
            ('m', "read as a menu"),
            ('s', "save it"),
        ];
        Self::new(&question, &answers, ChoiceKind::UnknownType(pending))
    }

    /// Asks before opening a URL with hazards.
    pub(crate) fn confirm_hazards(pending: PendingRequest, hazards: &[Hazard]) -> Self {
        let mut lines = vec![Text::of(&pending.request.url.masked())];
        lines.extend(hazards.iter().map(|hazard| Text::of(hazard.sentence())));
        let question = "This address may not be what it seems. Open it?";
        Self::new(question, &YES_OR_NO, ChoiceKind::AcceptHazards(pending)).with_lines(lines)
    }

    /// Asks before sending the form answers that a URL contains.
    pub(crate) fn send_form(pending: PendingRequest, lines: Vec<Text>) -> Self {
        let url = pending.request.url.base_parts();
        let host = url.address().map_or("", |address| address.text);
        let question = format!("This address carries a filled form. Send these answers to {host}?");
        Self::new(&question, &YES_OR_NO, ChoiceKind::SendForm(pending)).with_lines(lines)
    }

    /// Asks before sending a file with the form.
    pub(crate) fn send_file(path: PathBuf, host: &str) -> Self {
        let question = format!("Send the file {} to {host}?", path.display());
        Self::new(&question, &YES_OR_NO, ChoiceKind::SendFile(path))
    }

    /// Asks before saving the reply to a form to a file outside the download directory.
    pub(crate) fn save_reply(path: PathBuf) -> Self {
        let question = format!("Save the reply to {}?", path.display());
        let lines = vec![Text::of("It is outside your download directory.")];
        Self::new(&question, &YES_OR_NO, ChoiceKind::SaveReply(path)).with_lines(lines)
    }

    /// Asks before opening or downloading a local file to which a page of a server links.
    pub(crate) fn local_file(
        request: Request,
        label: Text,
        page: &Url,
        action: LocalFileAction,
    ) -> Self {
        let url = &request.url;
        let path = match url.base_parts() {
            Parts::File(file) => format!("/{}", Text::new(&file.path.octets(), Charset::default())),
            _ => url.masked().into_owned(),
        };
        let question = match action {
            LocalFileAction::Open(_) => format!("Open the local file {path}?"),
            LocalFileAction::Download => format!("Copy the local file {path} to your downloads?"),
        };
        let lines = vec![
            Text::of(&url.masked()),
            Text::of(&format!(
                "A page of a server leads to it: {}",
                page.masked()
            )),
        ];
        let kind = ChoiceKind::LocalFile(Box::new(request), label, action);
        Self::new(&question, &YES_OR_NO, kind).with_lines(lines)
    }

    /// Asks before running another program.
    pub(crate) fn run_program(
        arguments: Vec<String>,
        lines: Vec<Text>,
        unsupported: Option<Url>,
    ) -> Self {
        let mut answers = YES_OR_NO.to_vec();
        if unsupported.is_some() {
            answers.push(('i', "tell what this is"));
        }
        let question = match unsupported {
            Some(_) => "Geomys does not speak this. Run another program for it?",
            None => "Run another program for this, as you have set?",
        };
        Self::new(
            question,
            &answers,
            ChoiceKind::RunProgram(arguments, unsupported),
        )
        .with_lines(lines)
    }

    /// Asks if the words after the `?` of a typed gopher URL are search words.
    pub(crate) fn gopher_query(url: Url, search: Url, words: &str) -> Self {
        let question =
            format!("In a gopher URL the ? belongs to the selector. Search for “{words}”?");
        let answers = [('s', "search"), ('o', "open it as it was typed")];
        let lines = vec![Text::of(&search.masked())];
        Self::new(&question, &answers, ChoiceKind::GopherQuery(url, search)).with_lines(lines)
    }

    /// Asks if a file is saved or viewed. The full command line is shown, except for the directory of the file.
    pub(crate) fn view_file(
        pending: PendingRequest,
        name: String,
        viewing: ViewerJob,
        what: &str,
    ) -> Self {
        let command = &viewing.viewer.command;
        let mut answers = vec![('s', "save it".to_owned())];
        let file = own_name(&name);
        let line = match command.fill(&[("file", &file), ("type", &viewing.mime)]) {
            Ok(arguments) => {
                let program = Text::of(command.program());
                answers.push(('v', format!("view it with {program}")));
                quoted(&arguments)
            }
            Err(sentence) => sentence,
        };
        let kind = ChoiceKind::ViewFile(pending, name, viewing);
        Self {
            answers,
            ..Self::new(&format!("This is {what}."), &[], kind).with_lines(vec![Text::of(&line)])
        }
    }

    /// Asks if a certificate is trusted. The answers are always buttons, never letters.
    pub(crate) fn certificate(error: Box<UntrustedCertificate>, pending: PendingRequest) -> Self {
        let sentences = error.sentences();
        let mut sentences = sentences.iter().map(String::as_str);
        let question = sentences.next().unwrap_or_default();
        let lines = sentences.map(Text::of).collect();
        let answers = [
            ('n', "reject"),
            ('o', "trust until Geomys ends"),
            ('a', "trust always"),
        ];
        Self::new(question, &answers, ChoiceKind::Certificate(error, pending))
            .with_lines(lines)
            .with_buttons()
    }

    /// Asks about the partial file of a download that has changed on the server. The answers are always buttons.
    pub(crate) fn file_changed(pending: PendingRequest, was: &Version, is: &Version) -> Self {
        let lines = [
            &*pending.request.url.masked(),
            &version_difference(was, is),
            "Resuming joins what is here with other content.",
        ];
        let lines = lines.map(Text::of).to_vec();
        let answers = [
            ('n', "leave it"),
            ('f', "download again"),
            ('g', "resume anyway"),
        ];
        let question = format!("{} has changed. What is to become of it?", pending.title);
        Self::new(&question, &answers, ChoiceKind::FileChanged(pending))
            .with_lines(lines)
            .with_buttons()
    }

    /// Asks before downloading a whole directory, where a file was expected.
    pub(crate) fn whole_directory(pending: PendingRequest) -> Self {
        let question = format!("{} is a directory. Fetch all of it?", pending.title);
        let lines = vec![Text::of(&pending.request.url.masked())];
        Self::new(&question, &YES_OR_NO, ChoiceKind::WholeDirectory(pending))
            .with_lines(lines)
            .with_buttons()
    }

    /// Asks if the group to which an article was posted is reloaded. `note` is an additional line.
    pub(crate) fn reopen_group(url: Url, question: &str, note: Option<&str>, words: &Text) -> Self {
        let (reply, masked) = (format!("the server said: {words}"), url.masked());
        let lines = [Some(reply.as_str()), note, Some(&masked)];
        let lines = lines.into_iter().flatten().map(Text::of).collect();
        Self::new(question, &YES_OR_NO, ChoiceKind::ReopenGroup(url)).with_lines(lines)
    }

    /// Asks before removing a transfer and its partial file.
    pub(crate) fn erase_transfer(id: TransferId, name: &Text, size: u64) -> Self {
        let size = octets(size);
        let question = format!("Remove {name}, and delete the {size} that came of it?");
        Self::new(&question, &YES_OR_NO, ChoiceKind::EraseTransfer(id))
    }
}
