//! The questions that have a few answers, and which of the answers each has.

use std::path::PathBuf;

use super::{Choice, Of, OpenLocal, YES_OR_NO};
use crate::app::Viewing;
use crate::app::pane::Incoming;
use crate::app::transfers::TransferId;
use crate::files::command::shown;
use crate::files::view::own_name;
use crate::load::{Request, Version, difference};
use crate::net::Doubt;
use crate::text::{Charset, Text, octets};
use crate::url::{Hazard, Parts, Url};

impl Choice {
    /// What is a type that nobody knows to be read as?
    pub(in crate::app) fn unknown(incoming: Incoming, gtype: u8) -> Self {
        let gtype = Text::new(&[gtype], Charset::default());
        let question =
            format!("Nobody has told Geomys what an item of type {gtype} is. What is it to be?");
        let answers = [
            ('t', "read as a text"),
            ('m', "read as a menu"),
            ('s', "save it"),
        ];
        Self::new(&question, &answers, Of::Unknown(incoming))
    }

    /// Is a URL to be opened in spite of its hazards?
    pub(in crate::app) fn confirm_hazards(incoming: Incoming, hazards: &[Hazard]) -> Self {
        let mut lines = vec![Text::of(&incoming.request.url.masked())];
        lines.extend(hazards.iter().map(|hazard| Text::of(hazard.sentence())));
        let question = "This address may not be what it seems. Open it?";
        Self::new(question, &YES_OR_NO, Of::AcceptHazards(incoming)).about(lines)
    }

    /// Is the filled form of a URL to be sent?
    pub(in crate::app) fn send(incoming: Incoming, lines: Vec<Text>) -> Self {
        let url = incoming.request.url.reading();
        let host = url.address().map_or("", |address| address.text);
        let question = format!("This address carries a filled form. Send these answers to {host}?");
        Self::new(&question, &YES_OR_NO, Of::Send(incoming)).about(lines)
    }

    /// Is this file to be sent with the form?
    pub(in crate::app) fn send_file(path: PathBuf, host: &str) -> Self {
        let question = format!("Send the file {} to {host}?", path.display());
        Self::new(&question, &YES_OR_NO, Of::SendFile(path))
    }

    /// Is the reply to a form to be saved to this file, which is outside the download directory?
    pub(in crate::app) fn save_reply(path: PathBuf) -> Self {
        let question = format!("Save the reply to {}?", path.display());
        let lines = vec![Text::of("It is outside your download directory.")];
        Self::new(&question, &YES_OR_NO, Of::SaveReply(path)).about(lines)
    }

    /// Is a file of this machine to be opened, or downloaded, to which a page of a server leads?
    pub(in crate::app) fn local_file(
        request: Request,
        label: Text,
        page: &Url,
        open_in: OpenLocal,
    ) -> Self {
        let url = &request.url;
        let path = match url.reading() {
            Parts::File(file) => format!("/{}", Text::new(&file.path.octets(), Charset::default())),
            _ => url.masked().into_owned(),
        };
        let question = match open_in {
            OpenLocal::Pane(_) => format!("Open the local file {path}?"),
            OpenLocal::Download => format!("Copy the local file {path} to your downloads?"),
        };
        let lines = vec![
            Text::of(&url.masked()),
            Text::of(&format!(
                "A page of a server leads to it: {}",
                page.masked()
            )),
        ];
        let of = Of::LocalFile(Box::new(request), label, open_in);
        Self::new(&question, &YES_OR_NO, of).about(lines)
    }

    /// Is this program to be run?
    pub(in crate::app) fn run(
        arguments: Vec<String>,
        about: Vec<Text>,
        unspoken: Option<Url>,
    ) -> Self {
        let mut answers = YES_OR_NO.to_vec();
        if unspoken.is_some() {
            answers.push(('i', "tell what this is"));
        }
        let question = match unspoken {
            Some(_) => "Geomys does not speak this. Run another program for it?",
            None => "Run another program for this, as you have set?",
        };
        Self::new(question, &answers, Of::Run(arguments, unspoken)).about(about)
    }

    /// Is what stands behind a `?` to be searched for?
    pub(in crate::app) fn query(url: Url, search: Url, words: &str) -> Self {
        let question =
            format!("In a gopher URL the ? belongs to the selector. Search for “{words}”?");
        let answers = [('s', "search"), ('o', "open it as it was typed")];
        let lines = vec![Text::of(&search.masked())];
        Self::new(&question, &answers, Of::Query(url, search)).about(lines)
    }

    /// What is to become of a file? All that would be run is shown, but for the directory that the file will be in.
    pub(in crate::app) fn view(
        incoming: Incoming,
        name: String,
        viewing: Viewing,
        what: &str,
    ) -> Self {
        let command = &viewing.viewer.command;
        let mut answers = vec![('s', "save it".to_owned())];
        let file = own_name(&name);
        let line = match command.fill(&[("file", &file), ("type", &viewing.mime)]) {
            Ok(arguments) => {
                let program = Text::of(command.program());
                answers.push(('v', format!("view it with {program}")));
                shown(&arguments)
            }
            Err(sentence) => sentence,
        };
        let of = Of::View(incoming, name, viewing);
        Self {
            answers,
            ..Self::new(&format!("This is {what}."), &[], of).about(vec![Text::of(&line)])
        }
    }

    /// Is this certificate trusted? It is never answered by a letter.
    pub(in crate::app) fn certificate(doubt: Box<Doubt>, incoming: Incoming) -> Self {
        let sentences = doubt.sentences();
        let mut sentences = sentences.iter().map(String::as_str);
        let question = sentences.next().unwrap_or_default();
        let lines = sentences.map(Text::of).collect();
        let answers = [
            ('n', "reject"),
            ('o', "trust until Geomys ends"),
            ('a', "trust always"),
        ];
        Self::new(question, &answers, Of::Certificate(doubt, incoming))
            .about(lines)
            .with_buttons()
    }

    /// What becomes of the partial file of a file that has changed on its server? It is never answered by a letter.
    pub(in crate::app) fn changed(incoming: Incoming, was: &Version, is: &Version) -> Self {
        let lines = [
            &*incoming.request.url.masked(),
            &difference(was, is),
            "Resuming joins what is here with other content.",
        ];
        let lines = lines.map(Text::of).to_vec();
        let answers = [
            ('n', "leave it"),
            ('f', "download again"),
            ('g', "resume anyway"),
        ];
        let question = format!("{} has changed. What is to become of it?", incoming.title);
        Self::new(&question, &answers, Of::Changed(incoming))
            .about(lines)
            .with_buttons()
    }

    /// Is all of this wanted, which turned out to be a directory?
    pub(in crate::app) fn all_of_it(incoming: Incoming) -> Self {
        let question = format!("{} is a directory. Fetch all of it?", incoming.title);
        let lines = vec![Text::of(&incoming.request.url.masked())];
        Self::new(&question, &YES_OR_NO, Of::All(incoming))
            .about(lines)
            .with_buttons()
    }

    /// Is the group to be opened again that something was posted to? `note` is what else is to be known.
    pub(in crate::app) fn look_again(
        url: Url,
        taken: &str,
        note: Option<&str>,
        words: &Text,
    ) -> Self {
        let (said, masked) = (format!("the server said: {words}"), url.masked());
        let lines = [Some(said.as_str()), note, Some(&masked)];
        let lines = lines.into_iter().flatten().map(Text::of).collect();
        Self::new(taken, &YES_OR_NO, Of::Again(url)).about(lines)
    }

    /// Does a transfer go, and what came of it?
    pub(in crate::app) fn erase(id: TransferId, name: &Text, came: u64) -> Self {
        let came = octets(came);
        let question = format!("Remove {name}, and delete the {came} that came of it?");
        Self::new(&question, &YES_OR_NO, Of::Erase(id))
    }
}
