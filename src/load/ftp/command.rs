//! One target over one session: a directory is listed, a file fetched.

use super::failure;
use super::lines::LineEnds;
use super::target::FtpTarget;
use crate::document::{Kind, Shape, suffix};
use crate::load::sniff::{SAMPLE, is_text};
use crate::load::{
    Begin, Failure, FailureKind, Phase, Purpose, Question, Request, Sink, Stop, Version,
};
use crate::net::{Net, NetError};
use crate::protocol::ftp::{
    Answer, FtpError, Look, Reply, Representation, Session, Transfer, Walk, joined,
};
use crate::text::file_name;
use crate::url::FtpType;
use suppaftp::Status;

/// How a visit ended with the session at rest, but for the last.
pub(super) enum Ended {
    Whole,
    Asks(Question),
    Refused(Failure),
    /// All came, but the server never said so: nothing may be asked of it any more.
    OutOfStep,
}

/// How a visit ended with the session out of step.
pub(super) enum Broken {
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

impl From<NetError> for Broken {
    fn from(error: NetError) -> Self {
        Self::Load(error.into())
    }
}

/// One target over one session.
pub(super) struct Visit<'a> {
    pub(super) net: &'a Net,
    pub(super) request: &'a Request,
    pub(super) session: Session,
    pub(super) target: FtpTarget,
    /// The session began with this visit.
    pub(super) is_new: bool,
    /// How lines that are saved end.
    pub(super) ends: Option<LineEnds>,
    pub(super) sink: &'a mut Sink,
}

/// What was heard on the way to a directory.
#[derive(Default)]
pub(super) struct Heard {
    pub(super) said: Option<Vec<u8>>,
    pub(super) passed: usize,
}

impl Visit<'_> {
    pub(super) async fn run(&mut self, kind: Option<FtpType>) -> Result<Ended, Broken> {
        if kind == Some(FtpType::Directory) || kind.is_none() && self.target.name.is_empty() {
            return match self.session.walk(&self.target.path()).await? {
                Walk::Arrived { said, passed } => self.list(Heard { said, passed }).await,
                Walk::Stopped { at, reply } => self.names(at, &reply).await,
            };
        }
        // Where the directory may not be entered, the file may still be had by its whole path.
        let (name, passed) = match self.session.walk(&self.target.directories).await? {
            Walk::Arrived { said: _, passed } => (self.target.name.clone(), passed),
            Walk::Stopped { at, .. } => {
                let rest = joined(self.target.path().get(at..).unwrap_or_default());
                (rest, 0)
            }
        };
        if kind.is_none()
            && let Look::Directory(said) = self.session.look(&name).await?
        {
            return self.list(Heard { said, passed }).await;
        }
        self.fetch(&name, kind).await
    }

    async fn fetch(&mut self, name: &[u8], kind: Option<FtpType>) -> Result<Ended, Broken> {
        let is_text_wanted = kind == Some(FtpType::Ascii);
        let showing = self.request.purpose == Purpose::Show;
        let mut version = Version::default();
        if !is_text_wanted {
            match self.session.size(name).await? {
                Ok(size) => version.size = Some(size),
                Err(reply) if is_missing(&reply) => return Ok(self.refused(&reply)),
                Err(_) => {}
            }
        }
        if !showing {
            version.modified = self.session.modified(name).await?;
        }
        let by_name = suffix::kind(&self.target.name);
        if let Some(known) =
            by_name.filter(|&known| showing && !is_text_wanted && known != Kind::Text)
        {
            return Ok(Ended::Asks(self.save(known, version.size)));
        }
        let offset = match self.request.resume.as_ref().filter(|_| !showing) {
            Some(resume) if !resume.version.may_be(&version) => {
                return Ok(Ended::Asks(Question::Changed {
                    was: resume.version.clone(),
                    is: version,
                }));
            }
            // Lines have other ends here than there: only octets can be counted.
            // More is here than there: nothing of it can be gone on with.
            Some(resume) if version.size.is_some_and(|size| size < resume.offset) => 0,
            Some(resume) if !is_text_wanted => resume.offset,
            Some(_) | None => 0,
        };
        let begin = Begin {
            title: Some(self.target.title()),
            size: version.size,
            offset,
            security: self.session.security(),
            version,
            ..Begin::new(Shape::Text)
        };
        if offset > 0 && begin.size == Some(offset) {
            self.sink.begin(begin).await?;
            return Ok(Ended::Whole);
        }
        self.sink.phase(Phase::Waiting).await?;
        let representation = if is_text_wanted {
            Representation::Ascii
        } else {
            Representation::Image
        };
        let fetched = self
            .session
            .fetch(self.net, name, representation, offset)
            .await?;
        let fetched = match fetched {
            // The file may end before that offset.
            Answer::Refused(_) if offset > 0 => {
                self.session
                    .fetch(self.net, name, representation, 0)
                    .await?
            }
            fetched => fetched,
        };
        let mut transfer = match fetched {
            Answer::Transfer(transfer) => transfer,
            Answer::Refused(reply) => return Ok(self.refused(&reply)),
            Answer::Empty => return Ok(Ended::Whole),
        };
        let mut head = Vec::new();
        if showing && !is_text_wanted {
            while head.len() < SAMPLE {
                let octets = transfer.read(self.net).await?;
                if octets.is_empty() {
                    break;
                }
                head.extend_from_slice(&octets);
            }
            if !is_text(&head) {
                let question = self.save(by_name.unwrap_or(Kind::Binary), begin.size);
                return Err(Broken::Load(Stop::Needs(question)));
            }
        }
        let size = begin.size;
        let offset = transfer.offset();
        self.sink.begin(Begin { offset, ..begin }).await?;
        if is_text_wanted && !showing {
            self.ends = Some(LineEnds::default());
        }
        self.stream(transfer, head, size, |_| {}).await
    }

    fn save(&self, kind: Kind, size: Option<u64>) -> Question {
        Question::Save {
            what: suffix::what(kind),
            name: file_name(&self.target.name, "ftp-file"),
            size,
        }
    }

    /// Hands on what comes, `head` first, and asks whether it was all. `watch` sees it go by.
    pub(super) async fn stream(
        &mut self,
        mut transfer: Transfer,
        head: Vec<u8>,
        size: Option<u64>,
        mut watch: impl FnMut(&[u8]),
    ) -> Result<Ended, Broken> {
        self.sink.octets(head).await?;
        loop {
            let octets = transfer.read(self.net).await?;
            if octets.is_empty() {
                break;
            }
            let so_far = transfer.offset() + transfer.received();
            if transfer.offset() > 0
                && let Some(size) = size.filter(|&size| so_far > size)
            {
                return Err(self.resume_mismatch(size));
            }
            watch(&octets);
            let octets = match &mut self.ends {
                Some(ends) => ends.turn(&octets),
                None => octets,
            };
            self.sink.octets(octets).await?;
        }
        if let Some(ends) = &mut self.ends {
            self.sink.octets(ends.rest()).await?;
        }
        let received = transfer.offset() + transfer.received();
        let is_all = size == Some(received);
        let is_cut = transfer.is_cut() && !is_all;
        let place = self.session.place().to_owned();
        match self.session.finish(self.net, transfer, is_all).await {
            Ok(reply) if reply.is_done() => match size.filter(|&size| received < size) {
                Some(size) => {
                    let sentence = format!(
                        "{place} sent {received} of {size} octets and says that this is all"
                    );
                    // The rest may be had from there on.
                    let kind = FailureKind::Transient;
                    let failure = failure(sentence, Some(&reply));
                    Ok(Ended::Refused(Failure { kind, ..failure }))
                }
                // The server has sent all of it, and nothing says that all of it came.
                None if is_cut => {
                    let failure = Failure {
                        kind: FailureKind::Transient,
                        advice: Some("try again: some of it may be missing"),
                        ..Failure::new(format!(
                            "{place} did not say, as TLS does, that this was all"
                        ))
                    };
                    Ok(Ended::Refused(failure))
                }
                None => Ok(Ended::Whole),
            },
            Ok(_) | Err(_) if is_all => Ok(Ended::OutOfStep),
            Ok(reply) => Err(self.broken_off(received, &reply)),
            Err(error) => Err(error.into()),
        }
    }

    /// The server did not send all of it.
    pub(super) fn broken_off(&self, received: u64, reply: &Reply) -> Broken {
        let place = self.session.place();
        let sentence = format!("{place} broke off after {received} octets");
        Broken::Load(Stop::Failed(failure(sentence, Some(reply))))
    }

    /// It said yes to REST, and sends all of it again.
    fn resume_mismatch(&self, size: u64) -> Broken {
        let place = self.session.place();
        let sentence =
            format!("{place} was asked to go on in the middle of {size} octets, and sends more");
        Broken::Load(Stop::Failed(Failure {
            kind: FailureKind::ResumeMismatch,
            ..Failure::new(sentence)
        }))
    }

    pub(super) fn refused(&self, reply: &Reply) -> Ended {
        let place = self.session.place();
        let title = self.target.title();
        let sentence = if reply.status() == Status::FileUnavailable {
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
    reply.status() == Status::FileUnavailable
        && (says(b"no such file") || says(b"not found") || says(b"not exist"))
}
