//! Terminal sessions over Telnet (RFC 1738, section 3.8; RFC 854).
//!
//! A session is a load that also takes input: [`run_telnet`] forwards the output for the terminal like any load
//! forwards octets, and sends the keys of the person. User and password of the URL are shown to the person, and never
//! sent. There is no timeout between two inputs; leaving the page ends the session.

mod line;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use geomys_wire::net::{
    Net, NetError, RequestNet, Security, TransferEnd, authority, deliver_urgent_data_inline,
};
use geomys_wire::protocol::telnet::{InputMode, Telnet as Protocol, TelnetCommand};
use geomys_wire::text::{Charset, Text};
use rfc1738::{Encoded, Parts, Scheme, Telnet, Url};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::timeout;

use self::line::Line;
use super::{Failure, Part, Phase, Request, Sink, Stop};

/// The port of Telnet. Services on other ports may take Telnet options for data.
const PORT: u16 = 23;

/// The octets that are read at once: many screens.
const READ: usize = 16 * 1024;

/// The most octets in the send buffer before input is paused.
const INPUT_PAUSE: usize = 64 * 1024;

/// The most octets in the send buffer before replies to the server's options are dropped: it does not read them.
const MAX_PENDING_BYTES: usize = 1024 * 1024;

/// The default window size.
const WINDOW: (u16, u16) = (80, 24);

/// Input to a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TelnetInput {
    /// Keys, as a terminal sends them; Enter is CR.
    Keys(Vec<u8>),
    /// The new window size, in columns and lines.
    Resize(u16, u16),
    /// A command, which is sent at once, in any echo mode.
    Command(TelnetCommand),
    /// A reply of the terminal to a query of the server: it is sent unchanged, in any echo mode.
    TerminalReply(Vec<u8>),
}

/// Runs a session until either side ends it. The last part is always [`Part::End`], unless this future is dropped or
/// the receiver is closed. Octets after [`Part::Terminal`] are for a terminal.
pub fn run_telnet(
    net: &Net,
    request: Request,
    mut typed: UnboundedReceiver<TelnetInput>,
    mut sink: Sink,
) -> BoxFuture<'_, ()> {
    let session = async move {
        let end = run(net, &request, &mut typed, &mut sink).await;
        // An error means that the receiver is closed, so there is nothing to report.
        let _ = sink
            .put(Part::End(end.map(|()| TransferEnd::Confirmed)))
            .await;
    };
    session.boxed()
}

/// Returns true if a URL is of a session that [`run_telnet`] can run.
pub fn is_telnet(url: &Url) -> bool {
    url.scheme() == Scheme::Telnet
}

/// Returns the error for dumping or saving a session.
pub(super) fn session_failure(url: &Telnet<'_>) -> Stop {
    let address = url.login.address.text;
    Failure::new(format!("{address} is a terminal session, not a page"))
        .with_advice("open it in the browser, which has a terminal")
        .into()
}

/// Checks that a server accepts the connection: nothing is sent or read.
pub(super) async fn check(net: &RequestNet, url: &Telnet<'_>) -> Result<TransferEnd, Stop> {
    let address = url.login.address;
    net.connect(address.node(), address.port()).await?;
    Ok(TransferEnd::Confirmed)
}

async fn run(
    net: &Net,
    request: &Request,
    typed: &mut UnboundedReceiver<TelnetInput>,
    sink: &mut Sink,
) -> Result<(), Stop> {
    request.allowed()?;
    let net = &request.network(net);
    let Parts::Telnet(url) = request.url.base_parts() else {
        return Err(Failure::unsupported(&request.url).into());
    };
    let (host, port) = (url.login.address.node(), url.login.address.port());
    let authority = authority(host, port);
    sink.phase(Phase::Connecting).await?;
    let stream = net.connect(host, port).await?;
    let io = |source| NetError::io(&authority, source);
    deliver_urgent_data_inline(&stream).map_err(io)?;
    sink.put(Part::Terminal(Security::Plain)).await?;
    if let Some(advice) = advice(&url) {
        sink.octets(format!("{advice}\r\n\r\n").into_bytes())
            .await?;
    }
    let (mut reader, mut writer) = stream.into_split();
    let mut connection = TelnetConnection {
        protocol: Protocol::new(WINDOW).with_terminal(&request.settings.telnet.terminal),
        line: Line::default(),
        outgoing: Vec::new(),
    };
    if port == PORT {
        connection.outgoing = connection.protocol.opening();
    }
    let mut octets = Vec::with_capacity(READ);
    loop {
        // Sending and receiving run at the same time: a server that echoes may not read before its output is read.
        let is_busy = !connection.outgoing.is_empty();
        let sending = timeout(net.limits().idle, writer.write(&connection.outgoing));
        tokio::select! {
            read = reader.read_buf(&mut octets) => {
                if read.map_err(io)? == 0 {
                    return Ok(());
                }
                connection.receive(&octets, sink).await?;
                octets.clear();
            }
            sent = sending, if is_busy => {
                let sent = sent.map_err(|_| NetError::Timeout {
                    authority: authority.clone(),
                    problem: "took nothing",
                    seconds: net.limits().idle.as_secs(),
                })?;
                let sent = sent.map_err(io)?;
                connection.outgoing.drain(..sent);
            }
            word = typed.recv(), if connection.outgoing.len() < INPUT_PAUSE => match word {
                Some(word) => connection.typed(word, sink).await?,
                None => return Err(Stop::Closed),
            },
        }
    }
}

/// Returns the login of the URL as a message for the person.
fn advice(url: &Telnet<'_>) -> Option<String> {
    let shown = |part: Encoded<'_>| Text::new(&part.octets(), Charset::default()).to_string();
    let user = url.login.user.filter(|user| !user.is_empty()).map(shown)?;
    Some(match url.login.password.map(shown) {
        Some(password) => {
            format!("[Log in as {user} with the password {password}, says the URL]")
        }
        None => format!("[Log in as {user}, says the URL]"),
    })
}

/// A connection to a telnet server.
struct TelnetConnection {
    protocol: Protocol,
    line: Line,
    /// The octets that are still to be sent.
    outgoing: Vec<u8>,
}

impl TelnetConnection {
    /// Handles octets from the server.
    async fn receive(&mut self, octets: &[u8], sink: &mut Sink) -> Result<(), Stop> {
        let received = self.protocol.receive(octets);
        if self.outgoing.len() < MAX_PENDING_BYTES {
            self.outgoing.extend(received.reply);
        }
        if self.protocol.mode() == InputMode::Character {
            // Input that was buffered for a line is sent now.
            let rest = self.line.take();
            self.send(&rest);
        }
        sink.octets(received.data).await
    }

    async fn typed(&mut self, typed: TelnetInput, sink: &mut Sink) -> Result<(), Stop> {
        match (typed, self.protocol.mode()) {
            (TelnetInput::Resize(columns, lines), _) => {
                let announced = self.protocol.resize((columns, lines));
                self.outgoing.extend(announced);
                Ok(())
            }
            (TelnetInput::Command(command), _) => {
                self.outgoing.extend(command.encode());
                Ok(())
            }
            (TelnetInput::Keys(octets), InputMode::Character)
            | (TelnetInput::TerminalReply(octets), _) => {
                self.send(&octets);
                Ok(())
            }
            (TelnetInput::Keys(octets), InputMode::Line) => {
                let typed = self.line.input(&octets);
                self.send(&typed.to_send);
                sink.octets(typed.echo).await
            }
        }
    }

    fn send(&mut self, typed: &[u8]) {
        let octets = self.protocol.encode_input(typed);
        self.outgoing.extend(octets);
    }
}
