//! Loading over FTP (RFC 1738, section 3.2).
//!
//! A session is kept for the next load of the same user while it is at rest: after a page that came whole, a question
//! that interrupts nothing, a refusal. Everything else drops it.

mod errand;

use std::time::Duration;

use tokio::time::timeout;

pub(super) use self::errand::sends;
use self::errand::{Errand, is_anonymous, shown, visitor};
use super::{Begin, Failure, Phase, Purpose, Question, Request, Sink, Stop};
use crate::document::{Kind, Shape, suffix};
use crate::net::{Net, place};
use crate::protocol::ftp::listing::{Day, Format};
use crate::protocol::ftp::{
    Answer, FtpError, Look, Reply, Representation, Session, Transfer, Visitor, Walk, joined,
};
use crate::text::{Charset, Text, file_name};
use crate::url::{Ftp, FtpType};

/// How much of a file is looked at to tell text from anything else, in octets, when that much comes.
const SAMPLE: usize = 512;

/// How long a kept session may take to show that it is alive; a new one is dialled after that.
const PATIENCE: Duration = Duration::from_secs(5);

/// Finds out what the URL names, and lists or fetches it.
pub(super) async fn load(
    net: &Net,
    request: &Request,
    url: Ftp<'_>,
    sink: &mut Sink,
) -> Result<(), Stop> {
    // What may not be sent is refused before anything is dialled.
    let errand = Errand::of(&url)?;
    let visitor = visitor(request, &url);
    let (host, port) = (
        url.login.address.node(),
        url.login.address.port().unwrap_or(21),
    );
    let key = key(&visitor, host, port);
    sink.phase(Phase::Connecting).await?;
    let session = match kept(net, &key, &visitor).await {
        Some(session) => session,
        None => Session::open(net, host, port, &visitor)
            .await
            .map_err(|error| stop(error, &place(host, port), &visitor, host))?,
    };
    sink.phase(Phase::Asking).await?;
    let mut visit = Visit {
        net,
        request,
        session,
        errand,
        sink,
    };
    let ended = visit.run(url.kind).await.map_err(|broken| match broken {
        Broken::Dialogue(error) => stop(error, &place(host, port), &visitor, host),
        Broken::Load(stop) => stop,
    })?;
    let session = visit.session;
    if session.has_home() && !matches!(ended, Ended::OutOfStep) {
        net.keep(&key, session);
    }
    match ended {
        Ended::Whole | Ended::OutOfStep => Ok(()),
        Ended::Asks(question) => Err(Stop::Needs(question)),
        Ended::Refused(failure) => Err(Stop::Failed(failure)),
    }
}

/// Where a session is kept. The password is no part of it.
fn key(visitor: &Visitor, host: &str, port: u16) -> String {
    let host = host.to_ascii_lowercase();
    format!("ftp {}@{}", visitor.user.escape_ascii(), place(&host, port))
}

/// A kept session that still answers, back in its login directory.
async fn kept(net: &Net, key: &str, visitor: &Visitor) -> Option<Session> {
    let patience = net.limits().idle.min(PATIENCE);
    while let Some(mut session) = net.take::<Session>(key) {
        if !session.is_for(visitor) {
            continue;
        }
        if let Ok(Ok(())) = timeout(patience, session.go_home()).await {
            return Some(session);
        }
    }
    None
}

/// How a visit ended with the session at rest, but for the last.
enum Ended {
    Whole,
    Asks(Question),
    Refused(Failure),
    /// All came, but the server never said so: nothing may be asked of it any more.
    OutOfStep,
}

/// How a visit ended with the session out of step.
enum Broken {
    Dialogue(FtpError),
    Load(Stop),
}

impl From<FtpError> for Broken {
    fn from(error: FtpError) -> Self {
        Self::Dialogue(error)
    }
}

impl From<Stop> for Broken {
    fn from(stop: Stop) -> Self {
        Self::Load(stop)
    }
}

impl From<crate::net::NetError> for Broken {
    fn from(error: crate::net::NetError) -> Self {
        Self::Load(error.into())
    }
}

/// One errand over one session.
struct Visit<'a> {
    net: &'a Net,
    request: &'a Request,
    session: Session,
    errand: Errand,
    sink: &'a mut Sink,
}

impl Visit<'_> {
    async fn run(&mut self, kind: Option<FtpType>) -> Result<Ended, Broken> {
        if kind == Some(FtpType::Directory) || kind.is_none() && self.errand.name.is_empty() {
            return match self.session.walk(&self.errand.path()).await? {
                Walk::Arrived => self.list().await,
                Walk::Stopped { reply, .. } => Ok(self.refused(&reply)),
            };
        }
        // Where the directory may not be entered, the file may still be had by its whole path.
        let name = match self.session.walk(&self.errand.directories).await? {
            Walk::Arrived => self.errand.name.clone(),
            Walk::Stopped { at, .. } => joined(self.errand.path().get(at..).unwrap_or_default()),
        };
        if kind.is_none()
            && let Look::Directory = self.session.look(&name).await?
        {
            return self.list().await;
        }
        self.fetch(&name, kind).await
    }

    /// Lists the directory that the session is in.
    async fn list(&mut self) -> Result<Ended, Broken> {
        self.sink.phase(Phase::Waiting).await?;
        let (answer, format) = self.session.list(self.net).await?;
        match answer {
            Answer::Refused(reply) => Ok(self.refused(&reply)),
            Answer::Empty => {
                self.sink.begin(self.listing(format)).await?;
                Ok(Ended::Whole)
            }
            Answer::Transfer(transfer) => {
                self.sink.begin(self.listing(format)).await?;
                self.stream(transfer, Vec::new(), None).await
            }
        }
    }

    fn listing(&self, format: Option<Format>) -> Begin {
        let url = &self.request.url;
        Begin {
            // A path that turned out to be a directory is called one from now on.
            url: (!self.errand.name.is_empty())
                .then(|| url.with_type(FtpType::Directory).ok())
                .flatten()
                .filter(|typed| typed != url),
            title: Some(self.errand.title()),
            ..Begin::new(Shape::Listing {
                format,
                today: today(),
            })
        }
    }

    async fn fetch(&mut self, name: &[u8], kind: Option<FtpType>) -> Result<Ended, Broken> {
        let ascii = kind == Some(FtpType::Ascii);
        let size = if ascii {
            None
        } else {
            match self.session.size(name).await? {
                Ok(size) => Some(size),
                Err(reply) if is_missing(&reply) => return Ok(self.refused(&reply)),
                Err(_) => None,
            }
        };
        let by_name = suffix::kind(&self.errand.name);
        let showing = self.request.purpose == Purpose::Show;
        if let Some(known) = by_name.filter(|&known| showing && !ascii && known != Kind::Text) {
            return Ok(Ended::Asks(self.save(known, size)));
        }
        self.sink.phase(Phase::Waiting).await?;
        let representation = if ascii {
            Representation::Ascii
        } else {
            Representation::Image
        };
        let mut transfer = match self.session.fetch(self.net, name, representation).await? {
            Answer::Transfer(transfer) => transfer,
            Answer::Refused(reply) => return Ok(self.refused(&reply)),
            Answer::Empty => return Ok(Ended::Whole),
        };
        let mut head = Vec::new();
        if showing && !ascii {
            while head.len() < SAMPLE {
                let octets = transfer.read(self.net).await?;
                if octets.is_empty() {
                    break;
                }
                head.extend_from_slice(&octets);
            }
            if !is_text(&head) {
                let question = self.save(by_name.unwrap_or(Kind::Binary), size);
                return Err(Broken::Load(Stop::Needs(question)));
            }
        }
        let begin = Begin {
            title: Some(self.errand.title()),
            size,
            ..Begin::new(Shape::Text)
        };
        self.sink.begin(begin).await?;
        self.stream(transfer, head, size).await
    }

    fn save(&self, kind: Kind, size: Option<u64>) -> Question {
        Question::Save {
            what: suffix::what(kind),
            name: file_name(&self.errand.name, "ftp-file"),
            size,
        }
    }

    /// Hands on what comes, `head` first, and asks whether it was all.
    async fn stream(
        &mut self,
        mut transfer: Transfer,
        head: Vec<u8>,
        size: Option<u64>,
    ) -> Result<Ended, Broken> {
        self.sink.octets(head).await?;
        loop {
            let octets = transfer.read(self.net).await?;
            if octets.is_empty() {
                break;
            }
            self.sink.octets(octets).await?;
        }
        let received = transfer.received();
        let is_all = size == Some(received);
        let place = self.session.place().to_owned();
        match self.session.finish(transfer).await {
            Ok(reply) if reply.is_done() => match size.filter(|&size| received < size) {
                Some(size) => {
                    let sentence = format!(
                        "{place} sent {received} of {size} octets and says that this is all"
                    );
                    Ok(Ended::Refused(failure(sentence, Some(&reply))))
                }
                None => Ok(Ended::Whole),
            },
            Ok(_) | Err(_) if is_all => Ok(Ended::OutOfStep),
            Ok(reply) => {
                let sentence = format!("{place} broke off after {received} octets");
                Err(Broken::Load(Stop::Failed(failure(sentence, Some(&reply)))))
            }
            Err(error) => Err(error.into()),
        }
    }

    fn refused(&self, reply: &Reply) -> Ended {
        let place = self.session.place();
        let title = self.errand.title();
        let sentence = if reply.code() == 550 {
            format!("{place} has no {title}, or does not give it to you")
        } else {
            format!("{place} did not give {title}")
        };
        Ended::Refused(Failure {
            advice: Some("the directory above has the names that are there"),
            ..failure(sentence, Some(reply))
        })
    }
}

/// Whether a 550 says in words that there is no such file; alone it may mean many things.
fn is_missing(reply: &Reply) -> bool {
    let text: Vec<u8> = reply
        .lines()
        .collect::<Vec<_>>()
        .join(&b' ')
        .to_ascii_lowercase();
    let says = |words: &[u8]| memchr::memmem::find(&text, words).is_some();
    reply.code() == 550 && (says(b"no such file") || says(b"not found") || says(b"not exist"))
}

/// Whether the beginning of a file looks like text: no NUL, and hardly a control character that no text needs.
fn is_text(head: &[u8]) -> bool {
    let odd = head.iter().filter(|&&octet| {
        octet < b' ' && !matches!(octet, b'\t' | b'\n' | b'\r' | 8 | 12 | 26 | 27)
    });
    memchr::memchr(0, head).is_none() && odd.count() * 32 <= head.len()
}

/// The day it is here; servers leave the year out of dates that are near it.
fn today() -> Day {
    let date = jiff::Zoned::now().date();
    let small = |value: i8| u8::try_from(value).unwrap_or(1);
    Day {
        year: u16::try_from(date.year()).unwrap_or_default(),
        month: small(date.month()),
        day: small(date.day()),
    }
}

fn failure(sentence: String, reply: Option<&Reply>) -> Failure {
    Failure {
        said: reply.map(words).unwrap_or_default(),
        ..Failure::new(sentence)
    }
}

fn words(reply: &Reply) -> Vec<Text> {
    reply
        .lines()
        .map(|line| Text::new(line, Charset::default()))
        .collect()
}

fn stop(error: FtpError, place: &str, visitor: &Visitor, host: &str) -> Stop {
    let user = shown(&visitor.user);
    match error {
        FtpError::Net(error) => error.into(),
        FtpError::Password { said } if is_anonymous(&visitor.user) => Stop::Failed(Failure {
            advice: Some("put a name into the address: ftp://name@host/"),
            ..failure(
                format!("{place} lets nobody in without a name"),
                said.as_ref(),
            )
        }),
        FtpError::Password { said } => Stop::Needs(Question::Password {
            user,
            host: host.to_owned(),
            said: said.as_ref().and_then(|reply| words(reply).pop()),
        }),
        FtpError::Account { reply } => Stop::Failed(failure(
            format!("{place} wants an account beside a password, which Geomys cannot give it"),
            Some(&reply),
        )),
        FtpError::Refused { deed, reply } => {
            Stop::Failed(failure(format!("{place} {deed}"), Some(&reply)))
        }
        FtpError::Garbled { .. } => Stop::Failed(Failure {
            advice: Some("another protocol may live on that port"),
            ..Failure::new(error.to_string())
        }),
    }
}
