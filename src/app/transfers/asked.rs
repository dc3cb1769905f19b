//! What transfers ask: it waits in the row of the transfer, and is opened there.

use std::path::{Path, PathBuf};

use super::super::choice::{Choice, Of};
use super::super::pane::Incoming;
use super::super::{App, Effect, Overlay};
use super::{Asked, DirectoryTransfer, State, Transfer, TransferId};
use crate::files::download::{Earlier, PastSize};
use crate::files::sources::Merge;
use crate::files::transfers::To;
use crate::load::{Question, Request, difference, sentences};
use crate::text::{Text, octets};

impl Asked {
    /// What it asks, in a word.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Directory => "directory?",
            Self::Foreign(_) => "merge?",
            Self::PastSize(_) => "fetch more?",
            Self::Load(Question::Search) => "search words?",
            Self::Load(Question::Password { .. }) => "password?",
            Self::Load(Question::Login { .. }) => "name?",
            Self::Load(Question::Account { .. }) => "account?",
            Self::Load(Question::NewsServer) => "news server?",
            Self::Load(Question::Certificate(_)) => "certificate?",
            Self::Load(Question::Unencrypted(_)) => "unencrypted password?",
            Self::Load(Question::Hazards(_)) => "unsafe address?",
            Self::Load(Question::Changed { .. }) => "file changed?",
            Self::Load(Question::Send(_)) => "send the form?",
            Self::Load(Question::Save { .. } | Question::Unknown(_) | Question::Form(_)) => "?",
        }
    }

    /// What it asks, in a sentence.
    pub fn sentence(&self) -> String {
        let said = |said: &Option<Text>| {
            said.as_ref()
                .map_or(String::new(), |said| format!(": {said}"))
        };
        match self {
            Self::Directory => "this is a directory".to_owned(),
            Self::Foreign(path) => {
                format!(
                    "{} holds files from elsewhere",
                    Text::of(&path.display().to_string())
                )
            }
            Self::PastSize(size) => format!(
                "stopped at the announced size of {}: the server sends more",
                octets(*size)
            ),
            Self::Load(Question::Search) => "this is a search, which needs words".to_owned(),
            Self::Load(Question::Password {
                user,
                host,
                said: words,
                ..
            }) => {
                let (user, host) = (Text::of(user), Text::of(host));
                format!("{host} wants the password of {user}{}", said(words))
            }
            Self::Load(Question::Login { host, said: words }) => {
                format!("{} wants a user name{}", Text::of(host), said(words))
            }
            Self::Load(Question::Account {
                host, said: words, ..
            }) => {
                format!("{} wants an account{}", Text::of(host), said(words))
            }
            Self::Load(Question::NewsServer) => "no news server is set".to_owned(),
            Self::Load(Question::Certificate(doubt)) if doubt.known.is_some() => {
                format!("the certificate of {} has changed", doubt.place)
            }
            Self::Load(Question::Certificate(doubt)) => {
                format!("the certificate of {} is not known here", doubt.place)
            }
            Self::Load(Question::Unencrypted(unencrypted)) => unencrypted.sentence(),
            Self::Load(Question::Hazards(hazards)) => sentences(hazards),
            Self::Load(Question::Changed { was, is }) => difference(was, is),
            Self::Load(Question::Send(_)) => "this address carries a filled form".to_owned(),
            Self::Load(
                question @ (Question::Save { .. } | Question::Unknown(_) | Question::Form(_)),
            ) => question.unanswered(),
        }
    }
}

impl App {
    /// Opens the question of a transfer.
    pub(in crate::app) fn ask_for_transfer(&mut self, id: TransferId) -> Vec<Effect> {
        let Some(item) = self.transfers.get_mut(id) else {
            return Vec::new();
        };
        let State::Asks(asked) = &item.state else {
            return Vec::new();
        };
        let asked = asked.clone();
        let incoming = Incoming::of_transfer(id, item.request.clone(), item.name.clone());
        match *asked {
            Asked::Load(question) => {
                let effects = self.put_question(question, incoming);
                // A question that may wait for long is answered with more care than a letter takes.
                if let Some(Overlay::Choice(choice)) = &mut self.overlay {
                    choice.use_buttons();
                }
                effects
            }
            Asked::Directory => self.choose(Choice::all_of_it(incoming)),
            Asked::Foreign(path) => self.ask_with_buttons(merge(incoming, &path)),
            Asked::PastSize(size) => self.ask_with_buttons(past_size(incoming, size)),
        }
    }

    fn ask_with_buttons(&mut self, mut choice: Choice) -> Vec<Effect> {
        choice.use_buttons();
        self.choose(choice)
    }

    /// Lets those go on whose question was answered meanwhile for a page or another transfer.
    pub(super) fn resume_answered(&mut self) {
        let asking = self.transfers.asking();
        let answered = asking
            .filter(|item| self.is_answered(item))
            .map(|item| item.id);
        for id in answered.collect::<Vec<_>>() {
            if let Some(item) = self.transfers.asking_mut(id) {
                item.state = State::Waiting;
            }
        }
    }

    /// Whether what a transfer asks is known by now.
    fn is_answered(&self, item: &Transfer) -> bool {
        let State::Asks(asked) = &item.state else {
            return false;
        };
        match &**asked {
            Asked::Load(Question::Certificate(doubt)) => self.is_trusted(doubt, &item.request),
            Asked::Load(Question::Unencrypted(unencrypted)) => {
                self.is_plain_login(&unencrypted.place)
            }
            Asked::Load(Question::Password { .. } | Question::Login { .. }) => {
                let mut request = item.request.clone();
                self.complete(&mut request);
                request.login != item.request.login
            }
            Asked::Load(
                Question::Search
                | Question::Account { .. }
                | Question::NewsServer
                | Question::Hazards(_)
                | Question::Save { .. }
                | Question::Changed { .. }
                | Question::Unknown(_)
                | Question::Form(_)
                | Question::Send(_),
            )
            | Asked::Directory
            | Asked::Foreign(_)
            | Asked::PastSize(_) => false,
        }
    }

    /// A question was answered: the transfer takes its turn again.
    pub(in crate::app) fn go_on(&mut self, id: TransferId, request: Request) -> Vec<Effect> {
        if let Some(item) = self.transfers.asking_mut(id) {
            item.request = request;
            item.state = State::Waiting;
        }
        Vec::new()
    }

    /// It has been said what becomes of what is here of a file that has changed.
    pub(in crate::app) fn decide(&mut self, id: TransferId, earlier: Earlier) -> Vec<Effect> {
        if let Some(item) = self.transfers.asking_mut(id) {
            item.earlier = earlier;
            item.state = State::Waiting;
        }
        Vec::new()
    }

    /// Looks for the directory of a transfer that is of a directory.
    pub(in crate::app) fn find_destination(&mut self, id: TransferId) -> Vec<Effect> {
        let Some(item) = self.transfers.asking_mut(id) else {
            return Vec::new();
        };
        let (url, path) = (item.request.url.clone(), item.to.path().to_owned());
        vec![Effect::Destination(
            DirectoryTransfer::Queued(id),
            url,
            path,
        )]
    }

    /// All of the directory is wanted that a transfer is of, in this one.
    pub(in crate::app) fn take_all(&mut self, id: TransferId, path: PathBuf) -> Vec<Effect> {
        if let Some(item) = self.transfers.asking_mut(id) {
            let name = path.file_name().unwrap_or_default();
            item.name = Text::of(&name.to_string_lossy());
            item.to = To::Directory(path);
            item.state = State::Waiting;
        }
        Vec::new()
    }

    /// The files of a directory are added to one that holds others.
    pub(in crate::app) fn merge(&mut self, id: TransferId) -> Vec<Effect> {
        if let Some(item) = self.transfers.asking_mut(id) {
            item.merge = Merge::Agreed;
            item.state = State::Waiting;
        }
        Vec::new()
    }

    /// What comes past the announced size is wanted too.
    pub(in crate::app) fn fetch_past_size(&mut self, id: TransferId) -> Vec<Effect> {
        if let Some(item) = self.transfers.asking_mut(id) {
            item.past_size = PastSize::Fetch;
            item.state = State::Waiting;
        }
        Vec::new()
    }

    /// A question was not answered, or answered with no.
    pub(in crate::app) fn refuse(&mut self, id: TransferId, sentence: &str) -> Vec<Effect> {
        if let Some(item) = self.transfers.asking_mut(id) {
            item.state = State::Failed(Text::of(sentence));
        }
        Vec::new()
    }
}

/// Are the files of a directory added to one that holds others?
fn merge(incoming: Incoming, path: &Path) -> Choice {
    let question = "The directory holds files from elsewhere. Add these?";
    let to = format!("to {}", path.display());
    let lines = [&*incoming.request.url.masked(), &to].map(Text::of);
    let lines = lines.to_vec();
    let answers = [
        ('n', "leave it"),
        ('o', "save to another directory"),
        ('m', "add to this one"),
    ];
    Choice::new(question, &answers, Of::Merge(incoming)).about(lines)
}

/// Is what comes past the announced size fetched?
fn past_size(incoming: Incoming, size: u64) -> Choice {
    let question = format!(
        "{} is larger than announced. Fetch the rest?",
        incoming.title
    );
    let announced = format!("its server announced {}, and sends more", octets(size));
    let lines = [&*incoming.request.url.masked(), &announced].map(Text::of);
    let lines = lines.to_vec();
    let answers = [('n', "leave it"), ('r', "fetch the rest")];
    Choice::new(&question, &answers, Of::PastSize(incoming)).about(lines)
}
