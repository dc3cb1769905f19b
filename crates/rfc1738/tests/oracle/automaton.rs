//! A nondeterministic automaton made of a production: section 5 of RFC 1738 has no recursion, so its language is
//! regular.
//!
//! All states that a text may lead to are followed at once, so a match costs no more than states times octets.

use super::bnf::{Expression, Grammar};

/// A set of octets.
type Class = [bool; 256];

enum State {
    /// Takes one octet of the class, then goes to the next state.
    Octet(Box<Class>, usize),
    /// Goes to each of these states.
    Split(Vec<usize>),
    End,
}

pub(crate) struct Automaton {
    states: Vec<State>,
    start: usize,
}

impl Automaton {
    pub(crate) fn new(grammar: &Grammar, production: &str) -> Self {
        let mut automaton = Automaton {
            states: vec![State::End],
            start: 0,
        };
        automaton.start = automaton.add(grammar, &grammar[production], 0);
        automaton
    }

    /// Returns true if the production derives the text.
    pub(crate) fn matches(&self, text: &[u8]) -> bool {
        let mut here = vec![false; self.states.len()];
        self.enter(self.start, &mut here);
        for octet in text {
            let mut next = vec![false; self.states.len()];
            for (state, _) in self
                .states
                .iter()
                .zip(&here)
                .filter(|(_, is_here)| **is_here)
            {
                if let State::Octet(class, to) = state
                    && class[usize::from(*octet)]
                {
                    self.enter(*to, &mut next);
                }
            }
            here = next;
        }
        here[0]
    }

    fn enter(&self, state: usize, here: &mut [bool]) {
        if std::mem::replace(&mut here[state], true) {
            return;
        }
        if let State::Split(all) = &self.states[state] {
            for state in all {
                self.enter(*state, here);
            }
        }
    }

    fn push(&mut self, state: State) -> usize {
        self.states.push(state);
        self.states.len() - 1
    }

    /// Adds an expression before the state `next`; returns its first state.
    fn add(&mut self, grammar: &Grammar, expression: &Expression, next: usize) -> usize {
        if let Some(class) = class(grammar, expression) {
            return self.push(State::Octet(Box::new(class), next));
        }
        match expression {
            Expression::Literal(word) => word.bytes().rev().fold(next, |next, octet| {
                let mut class = [false; 256];
                class[usize::from(octet)] = true;
                self.push(State::Octet(Box::new(class), next))
            }),
            Expression::Name(name) => self.add(grammar, &grammar[name], next),
            Expression::Sequence(all) => all
                .iter()
                .rev()
                .fold(next, |next, part| self.add(grammar, part, next)),
            Expression::Alternatives(all) => {
                let all = all.iter().map(|part| self.add(grammar, part, next));
                let all = all.collect();
                self.push(State::Split(all))
            }
            Expression::Optional(inside) => {
                let inside = self.add(grammar, inside, next);
                self.push(State::Split(vec![inside, next]))
            }
            Expression::Repeated(least, inside) => {
                let again = self.push(State::Split(vec![next]));
                let first = self.add(grammar, inside, again);
                self.states[again] = State::Split(vec![first, next]);
                (0..*least).fold(again, |next, _| self.add(grammar, inside, next))
            }
        }
    }
}

/// The octets of an expression that derives single octets only.
fn class(grammar: &Grammar, expression: &Expression) -> Option<Class> {
    match expression {
        Expression::Literal(word) => {
            let [octet] = word.as_bytes() else {
                return None;
            };
            let mut class = [false; 256];
            class[usize::from(*octet)] = true;
            Some(class)
        }
        Expression::Name(name) => class(grammar, &grammar[name]),
        Expression::Sequence(all) if all.len() == 1 => class(grammar, &all[0]),
        Expression::Alternatives(all) => {
            let mut union = [false; 256];
            for part in all {
                let part = class(grammar, part)?;
                union
                    .iter_mut()
                    .zip(part)
                    .for_each(|(has, more)| *has |= more);
            }
            Some(union)
        }
        Expression::Sequence(_) | Expression::Repeated(..) | Expression::Optional(_) => None,
    }
}
