//! What transfers report, and whose turn it is.

use super::super::pane::{Arrival, Incoming};
use super::super::{App, Effect};
use super::{Amount, Asked, Ended, Outcome, Rate, State, TransferId};
use crate::files::download::{Earlier, Report};
use crate::files::transfers::To;
use crate::files::tree::Step;
use crate::load::{LoadId, Phase, Request};
use crate::text::{self, Text};

impl App {
    /// Starts those whose turn it is, and has it written down when the list of those that have not ended is another one.
    pub(in crate::app) fn turn_transfers(&mut self) -> Vec<Effect> {
        let mut effects = Vec::new();
        while let Some(id) = self.transfers.next(&self.settings.transfers) {
            let load = self.next_load();
            let Some(mut request) = self.transfers.get_mut(id).map(|item| item.request.clone())
            else {
                break;
            };
            self.complete(&mut request);
            let Some(item) = self.transfers.get_mut(id) else {
                break;
            };
            item.request = request;
            item.state = State::Running(load, Rate::default());
            effects.push(Effect::Transfer(load, Box::new(item.job())));
        }
        if let Some((was, now)) = self.transfers.changed() {
            effects.push(Effect::Transfers(was, now));
        }
        effects
    }

    /// A file comes along.
    pub(in crate::app) fn transferring(&mut self, load: LoadId, report: Report) -> Vec<Effect> {
        let now = self.now;
        let Some(item) = self.transfers.of_load(load) else {
            return Vec::new();
        };
        match report {
            Report::Octets(octets, size) => {
                item.amount = Amount {
                    octets,
                    size,
                    files: None,
                };
                // What was to become of an old part has become of it.
                item.earlier = Earlier::Checked;
                flows(&mut item.state, load, |rate| rate.tell(now, octets));
            }
            Report::Anew => {
                let sentence = format!(
                    "{}: the part cannot be resumed, the whole file is fetched again",
                    item.name
                );
                self.tell(&sentence);
            }
            Report::Again(left, why) => {
                item.state = State::Retrying(load, now + left, Text::of(&why));
            }
        }
        Vec::new()
    }

    /// A walk goes on.
    pub(in crate::app) fn walking(&mut self, load: LoadId, step: Step) -> Vec<Effect> {
        let now = self.now;
        if let Some(item) = self.transfers.of_load(load) {
            item.amount = Amount {
                octets: step.octets,
                size: None,
                files: Some((step.done, step.found)),
            };
            match step.again {
                Some((left, why)) => {
                    item.state = State::Retrying(load, now + left, Text::of(&why));
                }
                None => flows(&mut item.state, load, |rate| rate.tell(now, step.octets)),
            }
        }
        Vec::new()
    }

    /// A transfer has ended.
    pub(in crate::app) fn transferred(
        &mut self,
        load: LoadId,
        result: Result<Outcome, Ended>,
    ) -> Vec<Effect> {
        let Some(item) = self.transfers.of_load(load) else {
            return Vec::new();
        };
        match result {
            Ok(outcome) => {
                let (sentence, is_fault) = told(&outcome);
                if let Outcome::File(saved) = &outcome {
                    item.amount.octets = saved.octets;
                }
                let request = item.request.clone();
                item.state = State::Done(outcome);
                self.remember(&request);
                if is_fault {
                    self.complain(&sentence);
                } else {
                    self.tell(&sentence);
                }
            }
            Err(Ended::Asks(asked)) => item.state = State::Asks(Box::new(asked)),
            Err(Ended::Failed(sentence)) => {
                item.state = State::Failed(Text::of(&sentence));
                self.complain(&sentence);
            }
        }
        Vec::new()
    }

    /// Asks for the first transfer that cannot go on without an answer.
    pub(in crate::app) fn ask_for_transfer(&mut self) -> Vec<Effect> {
        let mut items = self.transfers.items.iter_mut();
        let Some(item) = items.find(|item| matches!(item.state, State::Asks(_))) else {
            return Vec::new();
        };
        // Until it is answered; who leaves the question has stopped it.
        let State::Asks(asked) = std::mem::replace(&mut item.state, State::Paused) else {
            return Vec::new();
        };
        let id = item.id;
        let incoming = Incoming {
            load: LoadId(0),
            request: item.request.clone(),
            title: item.name.clone(),
            phase: Phase::Connecting,
            arrival: Arrival::Transfer(id),
            question: None,
            keep: None,
        };
        match *asked {
            Asked::Load(question) => self.put_question(question, incoming),
            Asked::Directory => self.ask_for_all(incoming),
        }
    }

    /// A question was answered: the transfer takes its turn again.
    pub(in crate::app) fn go_on(&mut self, id: TransferId, request: Request) -> Vec<Effect> {
        if let Some(item) = self.transfers.get_mut(id) {
            item.request = request;
            item.state = State::Waiting;
        }
        Vec::new()
    }

    /// It has been said what becomes of what is here of a file that has changed.
    pub(in crate::app) fn decide(&mut self, id: TransferId, earlier: Earlier) -> Vec<Effect> {
        if let Some(item) = self.transfers.get_mut(id) {
            item.earlier = earlier;
            item.state = State::Waiting;
        }
        Vec::new()
    }

    /// All of the directory is wanted that a transfer turned out to be of.
    pub(in crate::app) fn take_all(&mut self, id: TransferId) -> Vec<Effect> {
        if let Some(item) = self.transfers.get_mut(id) {
            item.to = To::Directory(item.to.path().to_owned());
            item.state = State::Waiting;
        }
        Vec::new()
    }

    /// A question was not answered, or answered with no.
    pub(in crate::app) fn refuse(&mut self, id: TransferId, sentence: &str) -> Vec<Effect> {
        if let Some(item) = self.transfers.get_mut(id) {
            item.state = State::Failed(Text::of(sentence));
        }
        Vec::new()
    }
}

/// Octets flow: with the rate so far, or a new one after a pause.
fn flows(state: &mut State, load: LoadId, tell: impl FnOnce(&mut Rate)) {
    if let State::Running(_, rate) = state {
        return tell(rate);
    }
    let mut rate = Rate::default();
    tell(&mut rate);
    *state = State::Running(load, rate);
}

/// What came of a transfer, in a sentence; and whether some of it failed.
fn told(outcome: &Outcome) -> (String, bool) {
    match outcome {
        Outcome::File(saved) => {
            let size = text::octets(saved.octets);
            (format!("saved {} ({size})", saved.path.display()), false)
        }
        Outcome::Directory(path, summary) => {
            let sentence = format!("saved {} ({})", path.display(), summary.sentence(None));
            (sentence, summary.failures > 0)
        }
    }
}
