//! The Telnet protocol (RFC 854, 855, 856, 857, 858, 860, 1073, 1091, 1143): octets in, octets out, and no socket.
//!
//! ```text
//! stream    = *( data / command )
//! data      = octet but IAC / IAC IAC / CR LF / CR NUL
//! command   = IAC ( NOP / DM / BRK / IP / AO / AYT / EC / EL / GA / EOR )
//!           / IAC ( WILL / WONT / DO / DONT ) option
//!           / IAC SB option *data-octet IAC SE
//! ```
//!
//! Every piece may be cut anywhere. What nobody knows is passed over by its length: all commands below SB have two octets.
//! A subnegotiation is kept up to a cap, and read to its end. Left out: urgent data, and the options not in `option.rs`,
//! which are refused once each.

mod option;

pub use self::option::{Mode, TERMINALS};
use self::option::{Options, Side, TERMINAL_TYPE, TIMING_MARK, WINDOW};

const SE: u8 = 240;
const SB: u8 = 250;
const WILL: u8 = 251;
const WONT: u8 = 252;
const DO: u8 = 253;
const DONT: u8 = 254;
const IAC: u8 = 255;

/// The codes inside a subnegotiation of the terminal's type (RFC 1091, section 2).
const IS: u8 = 0;
const SEND: u8 = 1;

/// Octets of a subnegotiation that are kept; those that are understood have one or two.
const KEPT: usize = 512;

/// One end of a conversation: the one with the person.
#[derive(Clone, Debug)]
pub struct Telnet {
    state: State,
    options: Options,
    /// Columns and lines of the window.
    size: (u16, u16),
    /// Which of [`TERMINALS`] is told next.
    terminal: usize,
}

/// What the next octet is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Data,
    /// After a CR: LF or NUL belongs to it.
    Return,
    Command,
    /// After WILL, WONT, DO or DONT.
    Option(u8),
    /// Within a subnegotiation: what of it is kept.
    Within(Vec<u8>),
    /// After an IAC in one.
    WithinCommand(Vec<u8>),
}

/// What octets from the other end come to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Received {
    /// For the terminal: lines end in CR LF, and a CR alone goes back to the line's beginning.
    pub data: Vec<u8>,
    /// To be sent back.
    pub reply: Vec<u8>,
}

impl Telnet {
    /// A conversation in a window of `size` columns and lines.
    pub fn new(size: (u16, u16)) -> Self {
        Self {
            state: State::default(),
            options: Options::default(),
            size,
            terminal: 0,
        }
    }

    /// What is sent first on the port of Telnet. Other ports may be of services that would take it for data: there the
    /// other end has to begin.
    pub fn opening(&mut self) -> Vec<u8> {
        let mut octets = Vec::new();
        for (side, option) in Options::WANTED {
            if self.options.want(side, option) {
                octets.extend([IAC, side.ask(), option]);
            }
        }
        octets
    }

    /// Takes octets from the other end, cut anywhere.
    pub fn receive(&mut self, octets: &[u8]) -> Received {
        let mut received = Received::default();
        for &octet in octets {
            self.octet(octet, &mut received);
        }
        received
    }

    /// What is sent for what a person typed, where `\r` is the Enter key.
    pub fn say(&self, typed: &[u8]) -> Vec<u8> {
        let mut octets = Vec::with_capacity(typed.len() + 2);
        for &octet in typed {
            octets.push(octet);
            match (octet, self.options.is_binary(), self.mode()) {
                (IAC, ..) => octets.push(IAC),
                (b'\r', false, Mode::Character) => octets.push(0),
                (b'\r', false, Mode::Line | Mode::Unseen) => octets.push(b'\n'),
                _ => {}
            }
        }
        octets
    }

    /// What is sent when the window has another size.
    pub fn resize(&mut self, size: (u16, u16)) -> Vec<u8> {
        self.size = size;
        if self.options.is_on(Side::Ours, WINDOW) {
            self.window()
        } else {
            Vec::new()
        }
    }

    /// Who shows what is typed, and when it goes out.
    pub fn mode(&self) -> Mode {
        self.options.mode()
    }

    fn octet(&mut self, octet: u8, received: &mut Received) {
        let binary = self.options.is_theirs_binary();
        self.state = match (std::mem::take(&mut self.state), octet) {
            (State::Data | State::Return, IAC) => State::Command,
            (State::Return, 0) => State::Data,
            (State::Data | State::Return, b'\r') => {
                received.data.push(b'\r');
                if binary { State::Data } else { State::Return }
            }
            (State::Data | State::Return, _) => {
                received.data.push(octet);
                State::Data
            }
            (State::Command, IAC) => {
                received.data.push(IAC);
                State::Data
            }
            // In a subnegotiation its end was forgotten: what comes is a command of its own.
            (State::Command | State::WithinCommand(_), WILL | WONT | DO | DONT) => {
                State::Option(octet)
            }
            (State::Command | State::WithinCommand(_), SB) => State::Within(Vec::new()),
            (State::Command, _) => State::Data,
            (State::Option(verb), option) => {
                self.negotiate(verb, option, &mut received.reply);
                State::Data
            }
            (State::Within(kept), IAC) => State::WithinCommand(kept),
            (State::Within(kept), _) => State::Within(with(kept, octet)),
            (State::WithinCommand(kept), IAC) => State::Within(with(kept, IAC)),
            (State::WithinCommand(kept), SE) => {
                self.subnegotiate(&kept, &mut received.reply);
                State::Data
            }
            (State::WithinCommand(kept), _) => State::Within(kept),
        };
    }

    /// An offer or a wish of the other end (RFC 1143, section 7).
    fn negotiate(&mut self, verb: u8, option: u8, reply: &mut Vec<u8>) {
        let (side, on) = match verb {
            WILL => (Side::Theirs, true),
            WONT => (Side::Theirs, false),
            DO => (Side::Ours, true),
            _ => (Side::Ours, false),
        };
        if side == Side::Ours && option == TIMING_MARK {
            // It is no state, but a question: whether all that was sent before has been worked off (RFC 860).
            if on {
                reply.extend([IAC, WILL, option]);
            }
            return;
        }
        let was_on = self.options.is_on(side, option);
        if let Some(agreed) = self.options.heard(side, option, on) {
            let verb = if agreed { side.ask() } else { side.refuse() };
            reply.extend([IAC, verb, option]);
        }
        if side == Side::Ours
            && option == WINDOW
            && !was_on
            && self.options.is_on(Side::Ours, WINDOW)
        {
            reply.extend(self.window());
        }
    }

    fn subnegotiate(&mut self, kept: &[u8], reply: &mut Vec<u8>) {
        if kept != [TERMINAL_TYPE, SEND] || !self.options.is_on(Side::Ours, TERMINAL_TYPE) {
            return;
        }
        // The last is told twice, which says that there are no more; then it begins anew (RFC 1091, section 5).
        let told = TERMINALS.get(self.terminal).or(TERMINALS.last());
        self.terminal = (self.terminal + 1) % (TERMINALS.len() + 1);
        reply.extend([IAC, SB, TERMINAL_TYPE, IS]);
        reply.extend_from_slice(told.unwrap_or(&"").as_bytes());
        reply.extend([IAC, SE]);
    }

    /// The size of the window (RFC 1073).
    fn window(&self) -> Vec<u8> {
        let mut octets = vec![IAC, SB, WINDOW];
        let (columns, lines) = self.size;
        for octet in columns.to_be_bytes().into_iter().chain(lines.to_be_bytes()) {
            octets.push(octet);
            if octet == IAC {
                octets.push(IAC);
            }
        }
        octets.extend([IAC, SE]);
        octets
    }
}

fn with(mut kept: Vec<u8>, octet: u8) -> Vec<u8> {
    if kept.len() < KEPT {
        kept.push(octet);
    }
    kept
}

impl Side {
    /// What asks for an option on this side, and agrees to it.
    const fn ask(self) -> u8 {
        match self {
            Self::Ours => WILL,
            Self::Theirs => DO,
        }
    }

    const fn refuse(self) -> u8 {
        match self {
            Self::Ours => WONT,
            Self::Theirs => DONT,
        }
    }
}
