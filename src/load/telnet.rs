//! Terminal sessions over Telnet (RFC 1738, section 3.8; RFC 854).
//!
//! A session is a load that is also spoken to: [`hold`] hands on what is for the terminal, as any load hands on octets, and
//! sends what a person types meanwhile. User and password of the URL are advice for that person, and never sent. Between two
//! words of a person there is no deadline: they may think for as long as they like, and end it by leaving the page.

mod line;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::timeout;

use self::line::Line;
use super::{Failure, Part, Phase, Request, Sink, Stop, allowed, unspoken};
use crate::net::{Net, NetError, Security, place};
use crate::protocol::telnet::{Mode, Telnet as Protocol};
use crate::text::{Charset, Text};
use crate::url::{Encoded, Parts, Telnet, Url};

/// The port of Telnet. Others may be of services that would take its options for data.
const PORT: u16 = 23;

/// Octets that are read at once: what a screen holds many times over.
const READ: usize = 16 * 1024;

/// Octets that may wait to be sent before more is taken of what is typed.
const AHEAD: usize = 64 * 1024;

/// Octets that may wait to be sent before questions of the other end go unanswered: it reads none of the answers.
const FLOOD: usize = 1024 * 1024;

/// The window before anybody has told another.
const WINDOW: (u16, u16) = (80, 24);

/// What a person does in a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Typed {
    /// Keys, as a terminal sends them; Enter is CR.
    Octets(Vec<u8>),
    /// The window has this many columns and lines now.
    Window(u16, u16),
    /// The terminal answers a question of the other end: it goes out as it is, whoever shows what is typed.
    Answer(Vec<u8>),
}

/// Holds a session until one of the two ends it; the last part is always [`Part::End`], unless this future is dropped or
/// nobody listens. After [`Part::Session`] what comes as octets is for a terminal.
pub async fn hold(
    net: &Net,
    request: Request,
    mut typed: UnboundedReceiver<Typed>,
    mut sink: Sink,
) {
    let end = converse(net, &request, &mut typed, &mut sink).await;
    // Nobody is left to tell when this fails.
    let _ = sink.put(Part::End(end)).await;
}

/// Whether a URL names a session that [`hold`] holds.
pub fn is_session(url: &Url) -> bool {
    matches!(url.parts(), Parts::Telnet(_))
}

/// Why a session is nothing to dump, or to save.
pub(super) fn no_page(url: &Telnet<'_>) -> Stop {
    Stop::Failed(Failure {
        advice: Some("open it in the browser, which has a terminal for it"),
        ..Failure::new(format!(
            "a session with {} is talked to, and is no page",
            url.login.address.text
        ))
    })
}

async fn converse(
    net: &Net,
    request: &Request,
    typed: &mut UnboundedReceiver<Typed>,
    sink: &mut Sink,
) -> Result<(), Stop> {
    allowed(request)?;
    let Parts::Telnet(url) = request.url.parts() else {
        return Err(unspoken(&request.url));
    };
    let (host, port) = (
        url.login.address.node(),
        url.login.address.port().unwrap_or(PORT),
    );
    let place = place(host, port);
    sink.phase(Phase::Connecting).await?;
    let stream = net.connect(host, port).await?;
    sink.put(Part::Session(Security::Plain)).await?;
    if let Some(advice) = advice(&url) {
        sink.octets(format!("{advice}\r\n\r\n").into_bytes())
            .await?;
    }
    let (mut reader, mut writer) = stream.into_split();
    let mut session = Session {
        protocol: Protocol::new(WINDOW),
        line: Line::default(),
        outgoing: Vec::new(),
    };
    if port == PORT {
        session.outgoing = session.protocol.opening();
    }
    let io = |source| NetError::Io {
        place: place.clone(),
        source,
    };
    let mut octets = Vec::with_capacity(READ);
    loop {
        // What is to be said goes out beside what is heard: whoever shows what is typed may wait to be read first.
        let is_busy = !session.outgoing.is_empty();
        let saying = timeout(net.limits().idle, writer.write(&session.outgoing));
        tokio::select! {
            read = reader.read_buf(&mut octets) => {
                if read.map_err(io)? == 0 {
                    return Ok(());
                }
                session.heard(&octets, sink).await?;
                octets.clear();
            }
            said = saying, if is_busy => {
                let said = said.map_err(|_| NetError::Late {
                    place: place.clone(),
                    problem: "took nothing",
                    seconds: net.limits().idle.as_secs(),
                })?;
                let said = said.map_err(io)?;
                session.outgoing.drain(..said);
            }
            word = typed.recv(), if session.outgoing.len() < AHEAD => match word {
                Some(word) => session.typed(word, sink).await?,
                None => return Err(Stop::Closed),
            },
        }
    }
}

/// What the URL has to say to the one who logs in.
fn advice(url: &Telnet<'_>) -> Option<String> {
    let shown = |part: Encoded<'_>| Text::new(&part.octets(), Charset::default()).to_string();
    let user = url.login.user.filter(|user| !user.is_empty()).map(shown)?;
    Some(match url.login.password.map(shown) {
        Some(password) => {
            format!("[The address says: log in as {user}, with the password {password}]")
        }
        None => format!("[The address says: log in as {user}]"),
    })
}

/// A session that is held.
struct Session {
    protocol: Protocol,
    line: Line,
    /// What is still to be sent.
    outgoing: Vec<u8>,
}

impl Session {
    /// Takes octets from the other end.
    async fn heard(&mut self, octets: &[u8], sink: &mut Sink) -> Result<(), Stop> {
        let received = self.protocol.receive(octets);
        if self.outgoing.len() < FLOOD {
            self.outgoing.extend(received.reply);
        }
        if self.protocol.mode() == Mode::Character {
            // What was typed for a line is not kept back any more.
            let rest = self.line.take();
            self.say(&rest);
        }
        sink.octets(received.data).await
    }

    async fn typed(&mut self, typed: Typed, sink: &mut Sink) -> Result<(), Stop> {
        match (typed, self.protocol.mode()) {
            (Typed::Window(columns, lines), _) => {
                let told = self.protocol.resize((columns, lines));
                self.outgoing.extend(told);
                Ok(())
            }
            (Typed::Octets(octets), Mode::Character) | (Typed::Answer(octets), _) => {
                self.say(&octets);
                Ok(())
            }
            (Typed::Octets(octets), mode @ (Mode::Line | Mode::Unseen)) => {
                let typed = self.line.type_in(&octets);
                self.say(&typed.said);
                match mode {
                    Mode::Line => sink.octets(typed.shown).await,
                    Mode::Unseen | Mode::Character => Ok(()),
                }
            }
        }
    }

    fn say(&mut self, typed: &[u8]) {
        let octets = self.protocol.say(typed);
        self.outgoing.extend(octets);
    }
}
