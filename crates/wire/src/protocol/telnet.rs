//! The Telnet protocol (RFC 854, 855, 856, 857, 858, 1073, 1091, 1143): octets in, octets out, and no socket.
//!
//! ```text
//! stream    = *( data / command )
//! data      = octet but IAC / IAC IAC / CR LF / CR NUL
//! command   = IAC ( NOP / DM / BRK / IP / AO / AYT / EC / EL / GA / EOR )
//!           / IAC ( WILL / WONT / DO / DONT ) option
//!           / IAC SB option *data-octet IAC SE
//! ```
//!
//! The input may be split anywhere. Unknown commands are skipped by their length: all commands below SB have two
//! octets. A subnegotiation is stored up to a cap, and read to its end. Left out: the flush of output up to a DM that
//! arrives as urgent data, and the options not in `option.rs`, which are refused each time.
//!
//! A timing mark (RFC 860) is one of the refused options: the telnetd of BSD and of inetutils takes a client that
//! accepts it for one that edits lines itself ("kludge line mode"), turns SGA off and expects whole lines.

mod option;

pub use self::option::InputMode;
use self::option::{Options, Side, TERMINAL_TYPE, WINDOW};

// The commands of RFC 854 (page 14).
/// The end of a subnegotiation.
pub const SE: u8 = 240;
const BREAK: u8 = 243;
const ARE_YOU_THERE: u8 = 246;
/// The start of a subnegotiation.
pub const SB: u8 = 250;
/// The offer to use an option, or the agreement to it.
pub const WILL: u8 = 251;
/// The refusal to use an option.
pub const WONT: u8 = 252;
/// The request that the other side uses an option, or the agreement to it.
pub const DO: u8 = 253;
/// The request that the other side does not use an option.
pub const DONT: u8 = 254;
/// The octet before a command.
pub const IAC: u8 = 255;

/// The codes in a subnegotiation of the terminal type (RFC 1091, section 2).
const IS: u8 = 0;
const SEND: u8 = 1;

/// The terminal type without a setting, and the one that follows the first: that of bulletin boards.
const TERMINALS: [&str; 2] = ["XTERM", "ANSI"];

/// The most octets of a subnegotiation that are stored; supported ones have one or two.
const MAX_SUBNEGOTIATION_BYTES: usize = 512;

/// The client side of a Telnet connection.
#[derive(Clone, Debug)]
pub struct Telnet {
    state: State,
    options: Options,
    /// The size of the window in columns and lines.
    size: (u16, u16),
    /// The terminal types, the best first.
    terminals: Vec<String>,
    /// The index of the next terminal type to send.
    terminal: usize,
}

/// A command that the user can send (RFC 854, page 13).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TelnetCommand {
    /// AYT: the server shows that it is there.
    AreYouThere,
    /// BRK: the Break key of a terminal.
    Break,
}

impl TelnetCommand {
    /// Returns the octets of the command.
    pub fn encode(self) -> [u8; 2] {
        match self {
            Self::AreYouThere => [IAC, ARE_YOU_THERE],
            Self::Break => [IAC, BREAK],
        }
    }
}

/// The state of the parser: the meaning of the next octet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Data,
    /// After a CR, which LF or NUL follows.
    Return,
    Command,
    /// After WILL, WONT, DO or DONT.
    Option(u8),
    /// In a subnegotiation, with its octets so far.
    Within(Vec<u8>),
    /// After an IAC in a subnegotiation.
    WithinCommand(Vec<u8>),
}

/// The result of received octets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TelnetOutput {
    /// The data for the terminal: lines end in CR LF, and a CR alone returns to the start of the line.
    pub data: Vec<u8>,
    /// The octets to send back.
    pub reply: Vec<u8>,
}

impl Telnet {
    /// Creates a connection with a window of `size` columns and lines.
    pub fn new(size: (u16, u16)) -> Self {
        Self {
            state: State::default(),
            options: Options::default(),
            size,
            terminals: TERMINALS.map(str::to_owned).to_vec(),
            terminal: 0,
        }
    }

    /// Sets the best terminal type. It is sent in upper case, as other clients do; the case means nothing (RFC 1091).
    #[must_use]
    pub fn with_terminal(mut self, name: &str) -> Self {
        let name = name.to_ascii_uppercase();
        self.terminals.clear();
        self.terminals.push(name);
        let [_, second] = TERMINALS.map(str::to_owned);
        if !self.terminals.contains(&second) {
            self.terminals.push(second);
        }
        self
    }

    /// Returns the octets to send first on the Telnet port. On other ports a service could take them for data: there
    /// the server has to begin.
    pub fn opening(&mut self) -> Vec<u8> {
        let mut octets = Vec::new();
        for (side, option) in Options::REQUESTED {
            if self.options.request(side, option) {
                octets.extend([IAC, side.agree(), option]);
            }
        }
        octets
    }

    /// Processes octets from the server, split anywhere.
    pub fn receive(&mut self, octets: &[u8]) -> TelnetOutput {
        let mut received = TelnetOutput::default();
        for &octet in octets {
            self.octet(octet, &mut received);
        }
        received
    }

    /// Encodes typed octets for sending; `\r` is the Enter key.
    pub fn encode_input(&self, typed: &[u8]) -> Vec<u8> {
        let mut octets = Vec::with_capacity(typed.len() + 2);
        for &octet in typed {
            octets.push(octet);
            match octet {
                IAC => octets.push(IAC),
                b'\r' if self.options.is_binary() => {}
                // A service that reads single keys takes a CR; one that reads lines ends them at CR LF (RFC 854, page
                // 11).
                b'\r' if self.options.reads_keys() => octets.push(0),
                b'\r' => octets.push(b'\n'),
                _ => {}
            }
        }
        octets
    }

    /// Changes the size of the window and returns the octets to send.
    pub fn resize(&mut self, size: (u16, u16)) -> Vec<u8> {
        self.size = size;
        if self.options.is_on(Side::Ours, WINDOW) {
            self.window()
        } else {
            Vec::new()
        }
    }

    /// Returns the input mode: the side that echoes input, and when input is sent.
    pub fn mode(&self) -> InputMode {
        self.options.mode()
    }

    fn octet(&mut self, octet: u8, received: &mut TelnetOutput) {
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
            // The end of the subnegotiation is missing: a new command begins.
            (State::Command | State::WithinCommand(_), WILL | WONT | DO | DONT) => {
                State::Option(octet)
            }
            (State::Command | State::WithinCommand(_), SB) => State::Within(Vec::new()),
            (State::Command, _) => State::Data,
            (State::Option(verb), option) => {
                self.negotiate(verb, option, &mut received.reply);
                State::Data
            }
            (State::Within(content), IAC) => State::WithinCommand(content),
            (State::Within(content), _) => State::Within(with(content, octet)),
            (State::WithinCommand(content), IAC) => State::Within(with(content, IAC)),
            (State::WithinCommand(content), SE) => {
                self.subnegotiate(&content, &mut received.reply);
                State::Data
            }
            (State::WithinCommand(content), _) => State::Within(content),
        };
    }

    /// Processes an offer or a request of the server (RFC 1143, section 7).
    fn negotiate(&mut self, verb: u8, option: u8, reply: &mut Vec<u8>) {
        let (side, on) = match verb {
            WILL => (Side::Theirs, true),
            WONT => (Side::Theirs, false),
            DO => (Side::Ours, true),
            _ => (Side::Ours, false),
        };
        let was_on = self.options.is_on(side, option);
        if let Some(agreed) = self.options.receive(side, option, on) {
            let verb = if agreed { side.agree() } else { side.refuse() };
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

    fn subnegotiate(&mut self, content: &[u8], reply: &mut Vec<u8>) {
        if content != [TERMINAL_TYPE, SEND] || !self.options.is_on(Side::Ours, TERMINAL_TYPE) {
            return;
        }
        // The last type is sent twice, which marks the end of the list; then the list starts again (RFC 1091, section
        // 5).
        let terminal = self.terminals.get(self.terminal);
        let terminal = terminal
            .or(self.terminals.last())
            .map_or("", String::as_str);
        reply.extend([IAC, SB, TERMINAL_TYPE, IS]);
        reply.extend_from_slice(terminal.as_bytes());
        reply.extend([IAC, SE]);
        self.terminal = (self.terminal + 1) % (self.terminals.len() + 1);
    }

    /// Returns the subnegotiation with the size of the window (RFC 1073).
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

fn with(mut content: Vec<u8>, octet: u8) -> Vec<u8> {
    if content.len() < MAX_SUBNEGOTIATION_BYTES {
        content.push(octet);
    }
    content
}

impl Side {
    /// Returns the verb that requests an option on this side, or agrees to it.
    const fn agree(self) -> u8 {
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
