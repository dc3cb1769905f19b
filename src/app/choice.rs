//! Questions with a few answers, each of them a letter.

use std::path::PathBuf;

use crossterm::event::KeyCode;

use super::browse::Where;
use super::form::Form;
use super::mark::CaughtUp;
use super::name::host_of;
use super::news::NewsPlace;
use super::pane::{Arrival, Incoming};
use super::transfers::TransferId;
use super::write::Errand;
use super::{App, Effect, Overlay, Viewing};
use crate::files::bookmarks::{Bookmarks, Draft};
use crate::files::command::shown;
use crate::files::download::Earlier;
use crate::files::view::own_name;
use crate::keymap::Key;
use crate::load::{Answers, Caution, Login, Request, Version, difference, with_type};
use crate::text::{Text, file_name, octets};
use crate::url::{Encoded, Hazard, Parts, Url};

/// A question, what it is about, and its answers.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The question.
    pub question: Text,
    /// What it is about, line by line.
    pub lines: Vec<Text>,
    /// The letters that answer it, and what each does.
    pub answers: Vec<(char, String)>,
    /// What is to be decided.
    pub of: Of,
}

/// What a question is to decide.
#[derive(Clone, Debug)]
pub enum Of {
    /// What an item of a type that nobody knows is read as.
    Unknown(Incoming),
    /// Whether a URL with hazards is opened.
    Dare(Incoming),
    /// Whether the filled form in a URL is sent.
    Send(Incoming),
    /// Whether this file goes with the form that is shown.
    SendFile(PathBuf),
    /// Whether this is run, the program first; or else the page that tells what this address is.
    Run(Vec<String>, Option<Url>),
    /// Whether a URL is opened as it is, or this one with the words that stand behind its `?`.
    Query(Url, Url),
    /// How the page that is shown is read.
    Charset,
    /// Whether this of a group is marked read.
    CatchUp(NewsPlace, Vec<u8>, CaughtUp),
    /// Of what a rule for articles is made.
    Rule {
        /// The group that it is for.
        group: Vec<u8>,
        /// The author of the article.
        author: String,
        /// Its subject.
        subject: String,
    },
    /// Whether a file of this name is saved, or looked at.
    View(Incoming, String, Viewing),
    /// What becomes of what is here of a file that has changed.
    Changed(Incoming),
    /// Whether all of what turned out to be a directory is wanted.
    All(Incoming),
    /// Whether all of a directory is fetched, to this path.
    FetchAll(Box<Request>, PathBuf),
    /// Whether a transfer goes, and what came of it.
    Erase(TransferId),
    /// Whether the keyring keeps this password for this place.
    Keep(String, Login),
    /// What becomes of the draft that is shown from this line on.
    Draft(usize),
    /// Whether the draft in this file is removed.
    RemoveDraft(PathBuf),
    /// Whether the group that something was posted to is opened again.
    Again(Url),
    /// Whether some of these bookmarks are removed, folders among them.
    Remove(Bookmarks, Vec<usize>),
    /// Whether these are opened in tabs.
    OpenAll(Vec<(Text, Url)>),
    /// What becomes of what is in the form, as there is a bookmark to that place among these at this index.
    Both(Box<Form>, Bookmarks, usize),
    /// Whether these bookmarks get the URLs that they mean; what is shown begins with this line.
    Repair(Bookmarks, Vec<(usize, Url)>, usize),
    /// Whether these links become bookmarks, in a folder named like the page.
    Links(Vec<Draft>, String),
    /// Which of these bookmarks are checked: the letter for each choice, and the places among the items of the file that it
    /// means.
    Check(Bookmarks, Vec<(char, Vec<usize>)>),
}

/// The answers to a question of yes or no.
pub(super) const YES_OR_NO: [(char, &str); 2] = [('y', "yes"), ('n', "no")];

pub(super) fn answers(answers: &[(char, &str)]) -> Vec<(char, String)> {
    let answers = answers.iter();
    answers
        .map(|(letter, does)| (*letter, (*does).to_owned()))
        .collect()
}

impl Choice {
    /// The answers to a question of yes or no.
    pub(super) fn yes_or_no() -> Vec<(char, String)> {
        answers(&YES_OR_NO)
    }

    /// What is a type that nobody knows to be read as?
    pub(super) fn unknown(incoming: Incoming, gtype: u8) -> Self {
        let gtype = Text::new(&[gtype], crate::text::Charset::default());
        Self {
            question: Text::of(&format!(
                "Nobody has told Geomys what an item of type {gtype} is. What is it to be?"
            )),
            lines: Vec::new(),
            answers: answers(&[
                ('t', "read as a text"),
                ('m', "read as a menu"),
                ('s', "saved"),
            ]),
            of: Of::Unknown(incoming),
        }
    }

    /// Is a URL to be opened in spite of its hazards?
    pub(super) fn dare(incoming: Incoming, hazards: &[Hazard]) -> Self {
        let mut lines = vec![Text::of(&incoming.request.url.masked())];
        lines.extend(hazards.iter().map(|hazard| Text::of(hazard.sentence())));
        Self {
            question: Text::of("This address may not be what it seems. Open it?"),
            lines,
            answers: answers(&YES_OR_NO),
            of: Of::Dare(incoming),
        }
    }

    /// Is the filled form of a URL to be sent?
    pub(super) fn send(incoming: Incoming, lines: Vec<Text>) -> Self {
        let url = incoming.request.url.reading();
        let host = url.address().map_or("", |address| address.text);
        Self {
            question: Text::of(&format!(
                "This address carries a filled form. Send these answers to {host}?"
            )),
            lines,
            answers: answers(&YES_OR_NO),
            of: Of::Send(incoming),
        }
    }

    /// Is this file to be sent with the form?
    pub(super) fn send_file(path: PathBuf, host: &str) -> Self {
        let question = format!("Send the file {} to {host}?", path.display());
        Self {
            question: Text::of(&question),
            lines: Vec::new(),
            answers: answers(&YES_OR_NO),
            of: Of::SendFile(path),
        }
    }

    /// Is this program to be run?
    pub(super) fn run(arguments: Vec<String>, about: Vec<Text>, unspoken: Option<Url>) -> Self {
        let mut answers = Self::yes_or_no();
        if unspoken.is_some() {
            answers.push(('i', "tell what this is".to_owned()));
        }
        let question = match unspoken {
            Some(_) => "Geomys does not speak this. Run another program for it?",
            None => "Run another program for this, as you have set?",
        };
        Self {
            question: Text::of(question),
            lines: about,
            answers,
            of: Of::Run(arguments, unspoken),
        }
    }

    /// Is what stands behind a `?` to be searched for?
    pub(super) fn query(url: Url, search: Url, words: &str) -> Self {
        let question =
            format!("In a gopher URL the ? belongs to the selector. Search for “{words}”?");
        Self {
            question: Text::of(&question),
            lines: vec![Text::of(&search.masked())],
            answers: answers(&[('s', "search"), ('o', "open it as it was typed")]),
            of: Of::Query(url, search),
        }
    }

    /// What is to become of a file? All that would be run is shown, but for the directory that the file will be in.
    pub(super) fn view(incoming: Incoming, name: String, viewing: Viewing, what: &str) -> Self {
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
        Self {
            question: Text::of(&format!("This is {what}.")),
            lines: vec![Text::of(&line)],
            answers,
            of: Of::View(incoming, name, viewing),
        }
    }

    /// What becomes of what is here of a file that has changed on its server?
    pub(super) fn changed(incoming: Incoming, was: &Version, is: &Version) -> Self {
        Self {
            question: Text::of(&format!("What is to become of {}?", incoming.title)),
            lines: vec![
                Text::of(&incoming.request.url.masked()),
                Text::of(&difference(was, is)),
            ],
            answers: answers(&[
                ('f', "fetch it anew"),
                ('g', "go on with what is here"),
                ('n', "leave it"),
            ]),
            of: Of::Changed(incoming),
        }
    }

    /// Is all of this wanted, which turned out to be a directory?
    pub(super) fn all_of_it(incoming: Incoming) -> Self {
        Self {
            question: Text::of(&format!(
                "{} is a directory. Fetch all of it?",
                incoming.title
            )),
            lines: vec![Text::of(&incoming.request.url.masked())],
            answers: answers(&YES_OR_NO),
            of: Of::All(incoming),
        }
    }

    /// Is all of a directory wanted?
    pub(super) fn fetch_all(request: Request, path: PathBuf) -> Self {
        let from = Text::of(&request.url.masked());
        let to = Text::of(&format!("to {}", path.display()));
        Self {
            question: Text::of("This is a directory. Fetch all of it?"),
            lines: vec![from, to],
            answers: answers(&YES_OR_NO),
            of: Of::FetchAll(Box::new(request), path),
        }
    }

    /// Is the group to be opened again that something was posted to?
    pub(super) fn look_again(url: Url, words: &Text) -> Self {
        Self {
            question: Text::of("It was taken. Load the group again?"),
            lines: vec![
                Text::of(&format!("the server said: {words}")),
                Text::of(&url.masked()),
            ],
            answers: answers(&YES_OR_NO),
            of: Of::Again(url),
        }
    }

    /// Does a transfer go, and what came of it?
    pub(super) fn erase(id: TransferId, name: &Text, came: u64) -> Self {
        let came = octets(came);
        Self {
            question: Text::of(&format!(
                "Remove {name}, and delete the {came} that came of it?"
            )),
            lines: Vec::new(),
            answers: answers(&YES_OR_NO),
            of: Of::Erase(id),
        }
    }

    /// Which of its lines is the first that is shown.
    pub fn top(&self) -> usize {
        match self.of {
            Of::Draft(top) | Of::Repair(.., top) => top,
            Of::Unknown(_)
            | Of::Dare(_)
            | Of::Send(_)
            | Of::SendFile(_)
            | Of::Run(..)
            | Of::Query(..)
            | Of::Charset
            | Of::View(..)
            | Of::Changed(_)
            | Of::All(_)
            | Of::FetchAll(..)
            | Of::Again(_)
            | Of::Remove(..)
            | Of::OpenAll(_)
            | Of::Both(..)
            | Of::Links(..)
            | Of::CatchUp(..)
            | Of::Rule { .. }
            | Of::Keep(..)
            | Of::Check(..)
            | Of::RemoveDraft(_)
            | Of::Erase(_) => 0,
        }
    }

    /// Shows other lines, by the keys that scroll everywhere: who is to agree sees all of a draft, however long it is.
    fn scroll(&mut self, key: Key) {
        let (Of::Draft(top) | Of::Repair(.., top)) = &mut self.of else {
            return;
        };
        let by: isize = match (key.code(), key.typed()) {
            (Some(KeyCode::PageDown), _) | (_, Some(' ')) => 10,
            (Some(KeyCode::PageUp), _) | (_, Some('b')) => -10,
            (Some(KeyCode::Down), _) => 1,
            (Some(KeyCode::Up), _) => -1,
            (_, _) => return,
        };
        let last = self.lines.len().saturating_sub(1);
        *top = top.saturating_add_signed(by).min(last);
    }

    /// The page on its way that waits for the answer.
    pub fn incoming(&self) -> Option<&Incoming> {
        match &self.of {
            Of::Unknown(incoming)
            | Of::Dare(incoming)
            | Of::Send(incoming)
            | Of::Changed(incoming)
            | Of::All(incoming)
            | Of::View(incoming, ..) => Some(incoming),
            Of::SendFile(_)
            | Of::Run(..)
            | Of::Query(..)
            | Of::Charset
            | Of::CatchUp(..)
            | Of::Rule { .. }
            | Of::FetchAll(..)
            | Of::Draft(_)
            | Of::Remove(..)
            | Of::OpenAll(_)
            | Of::Both(..)
            | Of::Repair(..)
            | Of::Links(..)
            | Of::Again(_)
            | Of::Erase(_)
            | Of::Check(..)
            | Of::RemoveDraft(_)
            | Of::Keep(..) => None,
        }
    }
}

impl App {
    /// A key, while a question is asked: one of its letters, or Esc; any other changes nothing.
    pub(super) fn choice_key(&mut self, choice: Choice, key: Key) -> Vec<Effect> {
        let letter = key.typed();
        let is_answer = choice
            .answers
            .iter()
            .any(|(answer, _)| Some(*answer) == letter);
        let is_left = key.code() == Some(KeyCode::Esc)
            || Some(key) == Key::parse("Ctrl-C")
            || letter == Some('n') && is_answer;
        if is_left && let Of::Both(form, ..) = choice.of {
            // Esc leaves the question, not what was typed.
            self.overlay = Some(Overlay::Form(form));
            return Vec::new();
        }
        if is_left && matches!(choice.of, Of::Draft(_)) {
            return self.keep_draft("");
        }
        if is_left {
            if self.page().is_none() && choice.incoming().is_none() {
                return self.open_home();
            }
            return self.leave_question(choice.incoming().cloned());
        }
        match letter.filter(|_| is_answer) {
            Some(letter) => self.chosen_answer(choice.of, letter),
            None => {
                let mut choice = choice;
                choice.scroll(key);
                self.overlay = Some(Overlay::Choice(choice));
                Vec::new()
            }
        }
    }

    fn chosen_answer(&mut self, of: Of, letter: char) -> Vec<Effect> {
        match of {
            Of::Unknown(incoming) => {
                let gtype = match letter {
                    't' => '0',
                    'm' => '1',
                    _ => return self.save_unknown(incoming),
                };
                let url = with_type(&incoming.request.url, gtype);
                let url = url.unwrap_or_else(|| incoming.request.url.clone());
                let request = Request {
                    url,
                    ..incoming.request
                };
                self.request(request, incoming.title, incoming.arrival)
            }
            Of::Dare(incoming) => {
                self.dared.extend(host_of(&incoming.request.asked()));
                let request = Request {
                    caution: Caution::Warned,
                    ..incoming.request
                };
                self.request(request, incoming.title, incoming.arrival)
            }
            Of::Send(incoming) => {
                let request = Request {
                    answers: Answers::Agreed,
                    ..incoming.request
                };
                self.request(request, incoming.title, incoming.arrival)
            }
            Of::SendFile(path) => self.read_file(path),
            Of::Run(_, Some(url)) if letter == 'i' => self.open_unspoken(url),
            Of::Run(arguments, _) => self.run_agreed(arguments),
            Of::Charset => self.choose_charset(letter),
            Of::CatchUp(server, group, numbers) => self.catch_up(&server, &group, numbers),
            Of::Rule {
                group,
                author,
                subject,
            } => self.add_rule(letter, &group, &author, &subject),
            Of::Query(url, search) => {
                let url = if letter == 's' { search } else { url };
                self.open(url, None, Where::Here)
            }
            Of::View(incoming, name, viewing) if letter == 'v' => {
                self.fetch_to_view(incoming.request, name, viewing)
            }
            Of::View(incoming, name, _) => self.ask_where(incoming, name, ""),
            Of::Changed(incoming) => match incoming.arrival {
                Arrival::Transfer(id) if letter == 'f' => self.decide(id, Earlier::Replaced),
                Arrival::Transfer(id) => self.decide(id, Earlier::Trusted),
                Arrival::Next | Arrival::Again(_) | Arrival::Draft => Vec::new(),
            },
            Of::All(incoming) => match incoming.arrival {
                Arrival::Transfer(id) => self.take_all(id),
                Arrival::Next | Arrival::Again(_) | Arrival::Draft => Vec::new(),
            },
            Of::FetchAll(request, path) => self.transfer_all(*request, path),
            Of::Erase(id) => self.erase(id),
            Of::RemoveDraft(path) => vec![Effect::Write(Errand::Remove(path))],
            Of::Keep(place, login) => vec![Effect::Keep(place, login)],
            Of::Draft(_) => self.answer_draft(letter),
            Of::Again(url) => self.look_again(url),
            Of::Remove(from, items) => self.remove_from(&from, &items),
            Of::OpenAll(addresses) if letter == 'f' => self.open_first(addresses),
            Of::OpenAll(addresses) => self.open_all(addresses),
            Of::Both(form, from, other) => self.answer_both(form, &from, other, letter),
            Of::Repair(from, repairs, _) => self.repair(&from, &repairs),
            Of::Links(drafts, title) => self.ask_links_folder(drafts, &title),
            Of::Check(from, sets) => {
                let mut sets = sets.into_iter();
                let chosen = sets.find(|(choice, _)| *choice == letter);
                chosen.map_or(Vec::new(), |(_, items)| self.check(from, items))
            }
        }
    }

    fn save_unknown(&mut self, incoming: Incoming) -> Vec<Effect> {
        let selector = match incoming.request.url.reading() {
            Parts::Gopher(gopher) => gopher.selector,
            _ => Encoded::default(),
        };
        let name = file_name(&selector.octets(), "gopher-file");
        self.ask_where(incoming, name, "")
    }

    /// A question was left without an answer.
    pub(super) fn leave_question(&mut self, incoming: Option<Incoming>) -> Vec<Effect> {
        match incoming {
            Some(incoming) => self.leave(incoming, "nothing was answered, so nothing was loaded"),
            None => Vec::new(),
        }
    }
}
