//! What transfers report, and whose turn it is.

use super::super::pane::Incoming;
use super::super::{App, Effect};
use super::{Amount, Asked, Ended, Outcome, Rate, State};
use crate::files::download::{Earlier, Report};
use crate::files::tree::Step;
use crate::load::{LoadId, Question};
use crate::text::{self, Text};

impl App {
    /// Starts those whose turn it is, and has it written down when the list of those that have not ended is another one.
    pub(in crate::app) fn turn_transfers(&mut self) -> Vec<Effect> {
        self.resume_answered();
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
            Report::Restarted => {
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
            Err(Ended::Asks(Asked::Load(
                question @ (Question::Save { .. } | Question::Unknown(_) | Question::Form(_)),
            ))) => {
                // What is saved is neither shown nor filled.
                let sentence = question.unanswered();
                item.state = State::Failed(Text::of(&sentence));
                self.complain(&sentence);
            }
            Err(Ended::Asks(asked)) => {
                item.state = State::Asks(Box::new(asked.clone()));
                let (id, name) = (item.id, item.name.clone());
                let incoming = Incoming::of_transfer(id, item.request.clone(), name);
                if let Asked::Load(Question::Password {
                    user,
                    host,
                    said: None,
                    security,
                }) = &asked
                {
                    return self.seek_password(user, host, *security, &incoming);
                }
            }
            Err(Ended::Failed(sentence)) => {
                item.state = State::Failed(Text::of(&sentence));
                self.complain(&sentence);
            }
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
