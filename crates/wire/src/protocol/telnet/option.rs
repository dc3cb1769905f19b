//! Option negotiation on both sides by the Q method (RFC 1143): a side replies only to changes, so that two sides
//! cannot reply to each other forever.
//!
//! Options are never turned off again, so the states of RFC 1143 for a withdrawn request are left out.

/// Binary transmission (RFC 856).
const BINARY: u8 = 0;

/// Echo: the receiver of typed octets shows them (RFC 857).
const ECHO: u8 = 1;

/// Suppress go-ahead (RFC 858).
const NO_GO_AHEAD: u8 = 3;

/// The terminal type (RFC 1091).
pub(super) const TERMINAL_TYPE: u8 = 24;

/// The window size (RFC 1073).
pub(super) const WINDOW: u8 = 31;

/// The mode in which typed input is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputMode {
    /// Line by line, echoed by the client: the server does not echo.
    Line,
    /// Key by key, echoed by the server, with or without SGA: a server that echoes has to see every key.
    Character,
}

/// The side of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// The client: it sends WILL and WONT.
    Ours,
    /// The server: the client sends DO and DONT.
    Theirs,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Off,
    On,
    /// The option was requested, and the reply is missing.
    Requested,
}

/// The states of the supported options on both sides.
#[derive(Clone, Debug, Default)]
pub(super) struct Options {
    ours: [State; OURS.len()],
    theirs: [State; THEIRS.len()],
}

/// The options that the client supports.
const OURS: [u8; 4] = [BINARY, NO_GO_AHEAD, TERMINAL_TYPE, WINDOW];

/// The options that the server may turn on.
const THEIRS: [u8; 3] = [BINARY, ECHO, NO_GO_AHEAD];

impl Options {
    /// The options requested on the Telnet port.
    pub(super) const REQUESTED: [(Side, u8); 3] = [
        (Side::Theirs, NO_GO_AHEAD),
        (Side::Ours, TERMINAL_TYPE),
        (Side::Ours, WINDOW),
    ];

    /// Requests an option; returns true if the request has to be sent.
    pub(super) fn request(&mut self, side: Side, option: u8) -> bool {
        match self.state(side, option) {
            Some(state) if *state == State::Off => {
                *state = State::Requested;
                true
            }
            Some(_) | None => false,
        }
    }

    /// Processes a request of the server to turn an option on or off. Returns the state to send in the reply, if one is
    /// needed.
    pub(super) fn receive(&mut self, side: Side, option: u8, on: bool) -> Option<bool> {
        let Some(state) = self.state(side, option) else {
            // An unsupported option is off; only a request to turn it on gets a reply.
            return on.then_some(false);
        };
        let was = std::mem::replace(state, if on { State::On } else { State::Off });
        match (was, on) {
            (State::Off, true) => Some(true),
            (State::On, false) => Some(false),
            (State::Off, false) | (State::On, true) | (State::Requested, _) => None,
        }
    }

    pub(super) fn is_on(&self, side: Side, option: u8) -> bool {
        let (supported, states): (&[u8], &[State]) = match side {
            Side::Ours => (&OURS, &self.ours),
            Side::Theirs => (&THEIRS, &self.theirs),
        };
        let at = supported.iter().position(|&supported| supported == option);
        at.and_then(|at| states.get(at)) == Some(&State::On)
    }

    /// Returns true if the client sends binary.
    pub(super) fn is_binary(&self) -> bool {
        self.is_on(Side::Ours, BINARY)
    }

    /// Returns true if the server sends binary.
    pub(super) fn is_theirs_binary(&self) -> bool {
        self.is_on(Side::Theirs, BINARY)
    }

    pub(super) fn mode(&self) -> InputMode {
        if self.is_on(Side::Theirs, ECHO) {
            InputMode::Character
        } else {
            InputMode::Line
        }
    }

    /// Returns true if the server reads single keys: it echoes and suppresses go-ahead (RFC 858).
    pub(super) fn reads_keys(&self) -> bool {
        self.is_on(Side::Theirs, ECHO) && self.is_on(Side::Theirs, NO_GO_AHEAD)
    }

    fn state(&mut self, side: Side, option: u8) -> Option<&mut State> {
        let (supported, states): (&[u8], &mut [State]) = match side {
            Side::Ours => (&OURS, &mut self.ours),
            Side::Theirs => (&THEIRS, &mut self.theirs),
        };
        let at = supported
            .iter()
            .position(|&supported| supported == option)?;
        states.get_mut(at)
    }
}
