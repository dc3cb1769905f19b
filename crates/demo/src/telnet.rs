//! A small host for terminal sessions (RFC 854): the night counter of the post office, line by line.
//!
//! It requests the size of the window and the name of the terminal (RFC 1073, RFC 1091), does not echo, refuses every
//! other option once, and closes after `quit`.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use geomys_wire::protocol::telnet::{DO, DONT, IAC, SB, SE, WILL, WONT};
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::wire::send;
use super::world::World;

const TERMINAL_TYPE: u8 = 24;
const WINDOW: u8 = 31;

/// The time for which a client may be silent.
const IDLE: Duration = Duration::from_mins(10);

/// The length limit of lines and subnegotiations.
const MAX_LINE_BYTES: usize = 1024;

const WELCOME: &str = "\r\nUnderloam post office, night counter.\r\n\
    The clerk is asleep; the desk is not.\r\n\
    Type help, and quit when you are done.\r\n";

const HELP: &str = "help     these lines\r\n\
    who      who has written today\r\n\
    rates    what a letter costs\r\n\
    size     what the desk knows of your terminal\r\n\
    quit     leave\r\n";

const WHO: &str = "dibble     two telegrams, one of them to himself\r\n\
    ada        a parcel of punched cards\r\n\
    botta      a reminder, to everybody\r\n";

const RATES: &str = "to the next tunnel   1 seed\r\n\
    to the surface       3 seeds\r\n\
    abroad              12 seeds, in spring\r\n";

/// The state of a client connection.
#[derive(Default)]
struct ClientState {
    state: State,
    line: Vec<u8>,
    size: Option<(u16, u16)>,
    terminal: Option<String>,
}

/// The parser state for the next octet.
#[derive(Default)]
enum State {
    #[default]
    Data,
    Command,
    /// The octet follows WILL, WONT, DO or DONT.
    Option(u8),
    Within(Vec<u8>),
    WithinCommand(Vec<u8>),
}

pub(super) async fn converse(mut stream: TcpStream, _: Arc<World>) -> io::Result<()> {
    let asked = [IAC, DO, TERMINAL_TYPE, IAC, DO, WINDOW];
    send(&mut stream, &asked).await?;
    send(&mut stream, WELCOME.as_bytes()).await?;
    send(&mut stream, b"> ").await?;
    let mut client = ClientState::default();
    let mut octets = [0; 512];
    loop {
        let length = timeout(IDLE, stream.read(&mut octets)).await??;
        if length == 0 {
            return Ok(());
        }
        for &octet in octets.get(..length).unwrap_or_default() {
            let mut reply = Vec::new();
            let line = client.take(octet, &mut reply);
            send(&mut stream, &reply).await?;
            let Some(line) = line else { continue };
            let Some(answer) = client.answer(&line) else {
                return send(&mut stream, b"Good night.\r\n").await;
            };
            send(&mut stream, answer.as_bytes()).await?;
            send(&mut stream, b"> ").await?;
        }
    }
}

impl ClientState {
    /// Takes an octet. Returns a line when it is complete.
    fn take(&mut self, octet: u8, reply: &mut Vec<u8>) -> Option<Vec<u8>> {
        match std::mem::take(&mut self.state) {
            State::Data => match octet {
                IAC => self.state = State::Command,
                b'\n' | 0 => {}
                b'\r' => return Some(std::mem::take(&mut self.line)),
                0x08 | 0x7F => {
                    self.line.pop();
                }
                octet if self.line.len() < MAX_LINE_BYTES => self.line.push(octet),
                _ => {}
            },
            State::Command => match octet {
                SB => self.state = State::Within(Vec::new()),
                WILL | WONT | DO | DONT => self.state = State::Option(octet),
                IAC if self.line.len() < MAX_LINE_BYTES => self.line.push(IAC),
                _ => {}
            },
            State::Option(command) => match (command, octet) {
                (WILL, TERMINAL_TYPE) => {
                    // Request it (RFC 1091, section 2).
                    reply.extend([IAC, SB, TERMINAL_TYPE, 1, IAC, SE]);
                }
                (WILL, option) if option != WINDOW => reply.extend([IAC, DONT, option]),
                (DO, option) => reply.extend([IAC, WONT, option]),
                _ => {}
            },
            State::Within(mut data) => match octet {
                IAC => self.state = State::WithinCommand(data),
                octet => {
                    if data.len() < MAX_LINE_BYTES {
                        data.push(octet);
                    }
                    self.state = State::Within(data);
                }
            },
            State::WithinCommand(mut data) => match octet {
                SE => self.subnegotiated(&data),
                octet => {
                    data.push(octet);
                    self.state = State::Within(data);
                }
            },
        }
        None
    }

    /// Handles the data of a subnegotiation.
    fn subnegotiated(&mut self, data: &[u8]) {
        match data {
            [WINDOW, a, b, c, d] => {
                let pair = |high, low| u16::from_be_bytes([high, low]);
                self.size = Some((pair(*a, *b), pair(*c, *d)));
            }
            [TERMINAL_TYPE, 0, name @ ..] => {
                self.terminal = Some(name.escape_ascii().to_string());
            }
            _ => {}
        }
    }

    /// The answer to a line; `None` for the last one.
    fn answer(&self, line: &[u8]) -> Option<String> {
        let line = line.trim_ascii().to_ascii_lowercase();
        Some(match line.as_slice() {
            b"" => String::new(),
            b"help" | b"?" => HELP.to_owned(),
            b"who" => WHO.to_owned(),
            b"rates" => RATES.to_owned(),
            b"size" => self.description(),
            b"quit" | b"exit" | b"bye" | b"logout" => return None,
            other => format!(
                "The desk does not know “{}”. Type help.\r\n",
                other.escape_ascii()
            ),
        })
    }

    fn description(&self) -> String {
        let size = self.size.map_or(
            "a window of no known size".to_owned(),
            |(columns, lines)| format!("a window of {columns} columns and {lines} lines"),
        );
        let terminal = self
            .terminal
            .as_deref()
            .unwrap_or("a terminal without a name");
        format!("{size}, {terminal}\r\n")
    }
}
