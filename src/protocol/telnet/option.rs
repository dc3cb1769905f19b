//! Which options are on, on which side, by the Q method (RFC 1143): an end answers only what changes something, so that two
//! ends can never go on answering each other.
//!
//! An option is never asked to be off again, so that of the states of RFC 1143 those of a withdrawn wish are not there.

/// Octets come and go as they are (RFC 856).
const BINARY: u8 = 0;

/// Who gets what a person types shows it (RFC 857).
const ECHO: u8 = 1;

/// Nobody waits for a go-ahead (RFC 858).
const NO_GO_AHEAD: u8 = 3;

/// A question whether all has been worked off (RFC 860).
pub(super) const TIMING_MARK: u8 = 6;

/// What terminal it is (RFC 1091).
pub(super) const TERMINAL_TYPE: u8 = 24;

/// How large it is (RFC 1073).
pub(super) const WINDOW: u8 = 31;

/// The terminals that Geomys is like, the best first.
pub const TERMINALS: [&str; 2] = ["XTERM", "VT100"];

/// How what is typed reaches the other end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Line by line, shown by this end: the other does not say that it shows it.
    Line,
    /// Line by line, and shown by nobody: the other end says that it shows what is typed, and not that it takes single keys. That
    /// is how services of lines ask for a password.
    Unseen,
    /// Key by key, shown by the other end.
    Character,
}

/// Whose option it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// This end's: WILL and WONT are its words for it.
    Ours,
    /// The other end's: DO and DONT are this end's words for it.
    Theirs,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Off,
    On,
    /// It was asked for, and is not answered yet.
    Asked,
}

/// The options of both sides that may be on at all.
#[derive(Clone, Debug, Default)]
pub(super) struct Options {
    ours: [State; OURS.len()],
    theirs: [State; THEIRS.len()],
}

/// What this end does when it is asked to.
const OURS: [u8; 4] = [BINARY, NO_GO_AHEAD, TERMINAL_TYPE, WINDOW];

/// What the other end may do when it offers it.
const THEIRS: [u8; 3] = [BINARY, ECHO, NO_GO_AHEAD];

impl Options {
    /// What is asked for on the port of Telnet.
    pub(super) const WANTED: [(Side, u8); 3] = [
        (Side::Theirs, NO_GO_AHEAD),
        (Side::Ours, TERMINAL_TYPE),
        (Side::Ours, WINDOW),
    ];

    /// Asks for an option; whether that has to be said.
    pub(super) fn want(&mut self, side: Side, option: u8) -> bool {
        match self.state(side, option) {
            Some(state) if *state == State::Off => {
                *state = State::Asked;
                true
            }
            Some(_) | None => false,
        }
    }

    /// The other end wants an option on or off. What has to be answered: that it is on, or that it is not.
    pub(super) fn heard(&mut self, side: Side, option: u8, on: bool) -> Option<bool> {
        let Some(state) = self.state(side, option) else {
            // What nobody here knows is off, and saying so again would say nothing.
            return on.then_some(false);
        };
        let was = std::mem::replace(state, if on { State::On } else { State::Off });
        match (was, on) {
            (State::Off, true) => Some(true),
            (State::On, false) => Some(false),
            (State::Off, false) | (State::On, true) | (State::Asked, _) => None,
        }
    }

    pub(super) fn is_on(&self, side: Side, option: u8) -> bool {
        let (known, states): (&[u8], &[State]) = match side {
            Side::Ours => (&OURS, &self.ours),
            Side::Theirs => (&THEIRS, &self.theirs),
        };
        let at = known.iter().position(|&known| known == option);
        at.and_then(|at| states.get(at)) == Some(&State::On)
    }

    /// Whether what is said goes out as it is.
    pub(super) fn is_binary(&self) -> bool {
        self.is_on(Side::Ours, BINARY)
    }

    /// Whether what comes is as it was said.
    pub(super) fn is_theirs_binary(&self) -> bool {
        self.is_on(Side::Theirs, BINARY)
    }

    pub(super) fn mode(&self) -> Mode {
        // Both together are what makes keys of lines (RFC 858).
        match (
            self.is_on(Side::Theirs, ECHO),
            self.is_on(Side::Theirs, NO_GO_AHEAD),
        ) {
            (true, true) => Mode::Character,
            (true, false) => Mode::Unseen,
            (false, _) => Mode::Line,
        }
    }

    fn state(&mut self, side: Side, option: u8) -> Option<&mut State> {
        let (known, states): (&[u8], &mut [State]) = match side {
            Side::Ours => (&OURS, &mut self.ours),
            Side::Theirs => (&THEIRS, &mut self.theirs),
        };
        let at = known.iter().position(|&known| known == option)?;
        states.get_mut(at)
    }
}
