//! Runs one target over one connection: lists a directory or fetches a file.
//!
//! A check asks by MLST if the server supports it, else by CWD, SIZE and MDTM. A file that exists is requested too, and
//! the transfer given up when it begins: many servers tell the size of a file that they do not send.

use geomys_wire::net::{NetError, RequestNet, TransferEnd};
use geomys_wire::protocol::ftp::{
    DataReply, FtpConnection, FtpError, NameProbe, PathOutcome, Reply, Representation, Transfer,
    joined,
};
use geomys_wire::text::Charset;
use rfc1738::{Ftp, FtpType, Url};
use suppaftp::Status;

use super::lent::JobConnection;
use super::target::FtpTarget;
use super::{AttemptError, Restarts, connect_for, refused};
use crate::line_ends::CrlfToLf;
use crate::sniff::{SAMPLE, is_text, looks_like_html};
use crate::words::trimmed;
use crate::{
    Failure, FailureKind, PageHead, Phase, Purpose, Question, Request, Sink, Stop, Version,
    file_name_of,
};
use geomys_page::document::{Kind, Shape, suffix};

/// The outcome of a target. The connection is reusable, except after the last one.
pub(super) enum TargetOutcome {
    Complete(TransferEnd),
    /// A question, or a refusal.
    Stopped(Stop),
    /// All data came, but the server's final reply is missing: the connection is not reusable.
    OutOfStep(TransferEnd),
}

/// An error after which the connection is not reusable.
pub(super) enum TargetError {
    Dialogue(FtpError),
    Load(Stop),
}

impl From<FtpError> for TargetError {
    fn from(error: FtpError) -> Self {
        Self::Dialogue(error)
    }
}

impl From<Stop> for TargetError {
    fn from(stop: Stop) -> Self {
        Self::Load(stop)
    }
}

impl From<NetError> for TargetError {
    fn from(error: NetError) -> Self {
        Self::Load(error.into())
    }
}

/// A job: one target over one connection.
pub(super) struct TargetJob<'a> {
    pub(super) net: &'a RequestNet,
    pub(super) request: &'a Request,
    pub(super) connection: JobConnection,
    pub(super) target: FtpTarget,
    /// The URL of the target, if the requested one has another path, as it is shown.
    pub(super) found: Option<Url>,
    /// True if the connection was opened for this job.
    pub(super) is_new: bool,
    /// The line end conversion, for a text that is saved.
    pub(super) ends: Option<CrlfToLf>,
    pub(super) sink: &'a mut Sink,
}

/// The server's messages on the way to a directory.
#[derive(Default)]
pub(super) struct DirectoryMessages {
    pub(super) said: Option<Vec<u8>>,
    pub(super) skipped: usize,
}

impl TargetJob<'_> {
    pub(super) async fn run(
        &mut self,
        kind: Option<FtpType>,
    ) -> Result<TargetOutcome, TargetError> {
        // A listing has told that it is a file.
        let kind = kind.or_else(|| self.request.save.listed.as_ref().map(|_| FtpType::Image));
        if kind == Some(FtpType::Directory) || kind.is_none() && self.target.name.is_empty() {
            return match self.connection.enter_path(&self.target.path()).await? {
                PathOutcome::Entered { remark, skipped } => {
                    self.list(DirectoryMessages {
                        said: remark,
                        skipped,
                    })
                    .await
                }
                PathOutcome::Refused { at, reply } => self.names(at, &reply).await,
            };
        }
        // If the directory cannot be entered, the file may still be available by its whole path.
        let (name, skipped) = match self.connection.enter_path(&self.target.directories).await? {
            PathOutcome::Entered { remark: _, skipped } => (self.target.name.clone(), skipped),
            PathOutcome::Refused { at, .. } => {
                let rest = joined(self.target.path().get(at..).unwrap_or_default());
                (rest, 0)
            }
        };
        if kind.is_none()
            && let NameProbe::Directory(said) = self.connection.probe_name(&name).await?
        {
            return self.list(DirectoryMessages { said, skipped }).await;
        }
        self.fetch(&name, kind).await
    }

    async fn fetch(
        &mut self,
        name: &[u8],
        kind: Option<FtpType>,
    ) -> Result<TargetOutcome, TargetError> {
        let as_ascii = kind == Some(FtpType::Ascii);
        let showing = self.request.purpose == Purpose::Show;
        let mut version = Version::default();
        let listed = self.request.save.listed.clone().filter(|_| !showing);
        let listed = listed.unwrap_or_default();
        if !as_ascii {
            version.size = listed.size;
        }
        if !as_ascii && version.size.is_none() {
            match self.connection.size(name).await? {
                Ok(size) => version.size = Some(size),
                Err(reply) if is_missing(&reply) => return Ok(self.refused(&reply)),
                Err(_) => {}
            }
        }
        let announced = version.size;
        // 0 is what servers announce for a file that is made while it is read, as in /proc.
        version.size = announced.filter(|&size| size > 0);
        version.modified = listed.modified;
        let copy = self.request.copy_of(&self.request.url);
        if (!showing || copy.is_some()) && version.modified.is_none() {
            version.modified = self.connection.modified(name).await?;
        }
        let size = version.size;
        let by_name = suffix::kind(&self.target.name);
        if let Some(kind) = by_name.filter(|&kind| showing && !as_ascii && !may_be_packed(kind)) {
            return Ok(TargetOutcome::Stopped(self.save_question(kind, size)));
        }
        let offset = match self.request.resume_offset(&version) {
            // A text cannot resume: its line ends differ here and on the server, so only octets can be counted.
            Ok(_) if as_ascii => 0,
            Ok(offset) => offset,
            Err(stop) => return Ok(TargetOutcome::Stopped(stop)),
        };
        let page_head = PageHead {
            url: self.found.clone(),
            size,
            offset,
            security: self.connection.security(),
            version,
            ..PageHead::new(Shape::Text).with_title(self.target.title())
        };
        if copy.is_some_and(|copy| is_as_copy(&page_head.version, &copy.version)) {
            let end = self.sink.unchanged(page_head).await?;
            return Ok(TargetOutcome::Complete(end));
        }
        if offset > 0 && size == Some(offset) {
            self.sink.begin(page_head).await?;
            return Ok(TargetOutcome::Complete(TransferEnd::Confirmed));
        }
        self.sink.phase(Phase::Waiting).await?;
        let mut transfer = match self.retrieve(name, as_ascii, offset).await? {
            DataReply::Transfer(transfer) => transfer,
            DataReply::Refused(reply) => return Ok(self.refused(&reply)),
            DataReply::Empty => return Ok(TargetOutcome::Complete(TransferEnd::Confirmed)),
        };
        let mut head = Vec::new();
        if showing && !as_ascii {
            head = self.sample(&mut transfer).await?;
            if head.is_empty()
                && let Some(reply) = self.connection.refusal(self.net, &mut transfer).await?
            {
                return self.refused_after_start(&reply);
            }
        }
        let offset = transfer.offset();
        let charset = self.request.chosen_charset();
        let is_html = showing && !as_ascii && is_html(&self.target.name, &head, charset);
        let page_head = PageHead {
            offset,
            shape: if is_html { Shape::Html } else { Shape::Text },
            ..page_head
        };
        if showing && !as_ascii && !is_text(&head, charset) {
            let question = self.save_question(by_name.unwrap_or(Kind::Binary), size);
            self.sink.begin_or(page_head, question)?;
        } else {
            self.sink.begin(page_head).await?;
        }
        if as_ascii && !showing {
            self.ends = Some(CrlfToLf::default());
        }
        self.file(name, transfer, head, announced).await
    }

    /// Reads the first octets of a file, from which its type is guessed.
    async fn sample(&mut self, transfer: &mut Transfer) -> Result<Vec<u8>, FtpError> {
        let mut head = Vec::new();
        while head.len() < SAMPLE {
            let octets = self.connection.read(self.net, transfer).await?;
            if octets.is_empty() {
                break;
            }
            head.extend_from_slice(&octets);
        }
        Ok(head)
    }

    /// Requests a file from `offset`, or from its beginning if it may end before that.
    pub(super) async fn retrieve(
        &mut self,
        name: &[u8],
        as_ascii: bool,
        offset: u64,
    ) -> Result<DataReply, FtpError> {
        let representation = if as_ascii {
            Representation::Ascii
        } else {
            Representation::Image
        };
        let net = self.net;
        let fetched = self
            .connection
            .fetch(net, name, representation, offset)
            .await?;
        match fetched {
            DataReply::Refused(_) if offset > 0 => {
                self.connection.fetch(net, name, representation, 0).await
            }
            fetched => Ok(fetched),
        }
    }

    fn save_question(&self, kind: Kind, size: Option<u64>) -> Stop {
        Stop::Needs(Question::Save {
            what: suffix::kind_words(kind),
            name: file_name_of(&self.request.url, &self.request.name_hints),
            size,
        })
    }

    /// Ends a transfer that the server refused after its beginning, without any octets.
    #[expect(
        clippy::result_large_err,
        reason = "the same error as that of its callers, which are async"
    )]
    pub(super) fn refused_after_start(&self, reply: &Reply) -> Result<TargetOutcome, TargetError> {
        if reply.status() == Status::NotAvailable {
            // The server closes the connection.
            return Err(self.broken_off(0, reply));
        }
        Ok(self.refused(reply))
    }

    pub(super) fn refused(&self, reply: &Reply) -> TargetOutcome {
        let failure = refused(self.connection.authority(), &self.target.title(), reply);
        TargetOutcome::Stopped(failure.into())
    }
}

/// Returns true if a file has the time and, where both are known, the size that its copy had on the server.
fn is_as_copy(is: &Version, was: &Version) -> bool {
    is.modified.is_some() && is.modified == was.modified && is.may_be(was)
}

/// Returns true for a file that is fetched to be shown: a text, or what may be an archive.
fn may_be_packed(kind: Kind) -> bool {
    matches!(kind, Kind::Text | Kind::Binary)
}

/// Returns true for an HTML page, by its name or its first octets.
fn is_html(name: &[u8], head: &[u8], charset: Option<Charset>) -> bool {
    let suffix = suffix::suffix(name).map(<[u8]>::to_ascii_lowercase);
    matches!(suffix.as_deref(), Some(b"html" | b"htm" | b"xhtml")) || looks_like_html(head, charset)
}

/// Returns true if a 550 says in words that the file does not exist; the code alone has several meanings.
fn is_missing(reply: &Reply) -> bool {
    let lines: Vec<_> = reply.lines().collect();
    let text = lines.join(&b' ').to_ascii_lowercase();
    let says = |words: &[u8]| memchr::memmem::find(&text, words).is_some();
    reply.status() == Status::FileUnavailable
        && (says(b"no such file") || says(b"not found") || says(b"not exist"))
}

/// Checks that the target of a URL exists.
pub(crate) async fn check(
    net: &RequestNet,
    request: &Request,
    url: &Ftp<'_>,
) -> Result<TransferEnd, Stop> {
    let mut restarts = Restarts::default();
    loop {
        let ended = check_once(net, request, url).await;
        if let Some(ended) = restarts.end(net, ended, false) {
            return ended;
        }
    }
}

/// Carries out a check on one connection.
async fn check_once(
    net: &RequestNet,
    request: &Request,
    url: &Ftp<'_>,
) -> Result<TransferEnd, AttemptError> {
    // A path that may not be sent is refused before connecting.
    let target = FtpTarget::of(url)?;
    let (mut connection, context) = connect_for(net, request, url, None, None).await?;
    let looked = look_as_shown(net, request, &mut connection, (&target, url.kind)).await;
    let refusal = match looked.map_err(|error| context.end_target(error))? {
        Found::Missing(failure) => Some(failure),
        Found::Directory => None,
        Found::File(name) => match connection.fetch(net, &name, Representation::Image, 0).await {
            Ok(DataReply::Refused(reply)) if is_refusal_of_file(&reply) => {
                let failure = missing(&connection, &target, &reply);
                // What was found is not missing, whatever the words are.
                Some(failure.with_kind(FailureKind::Permanent))
            }
            Ok(DataReply::Refused(_)) => None,
            Err(error @ FtpError::Unanswered { .. }) => return Err(context.end(error)),
            // The transfer has begun, or there is no data connection: the connection is not reusable.
            Ok(DataReply::Transfer(_) | DataReply::Empty) | Err(_) => {
                return Ok(TransferEnd::Confirmed);
            }
        },
    };
    context.store(net, connection);
    match refusal {
        Some(failure) => Err(failure.into()),
        None => Ok(TransferEnd::Confirmed),
    }
}

/// Returns true if a reply to RETR says that the file is not sent to this user.
fn is_refusal_of_file(reply: &Reply) -> bool {
    matches!(reply.code(), 530 | 532 | 550 | 553)
}

/// The result of looking for a target.
enum Found {
    Directory,
    /// A file, by its name in the working directory.
    File(Vec<u8>),
    /// It does not exist, or is refused.
    Missing(Failure),
}

/// Looks for a target; for one that is missing also as it may be shown.
async fn look_as_shown(
    net: &RequestNet,
    request: &Request,
    connection: &mut FtpConnection,
    (target, kind): (&FtpTarget, Option<FtpType>),
) -> Result<Found, TargetError> {
    let found = look(connection, target, kind).await?;
    if let Found::Missing(failure) = &found {
        let charset = request.name_hints.names_of(&request.url);
        let shown = target.as_shown(net, connection, &charset, failure);
        if let Some(target) = shown.await? {
            return Ok(look(connection, &target, kind).await?);
        }
    }
    Ok(found)
}

/// Looks for a target, without a data connection.
async fn look(
    connection: &mut FtpConnection,
    target: &FtpTarget,
    kind: Option<FtpType>,
) -> Result<Found, FtpError> {
    if kind == Some(FtpType::Directory) || kind.is_none() && target.name.is_empty() {
        return Ok(match connection.enter_path(&target.path()).await? {
            PathOutcome::Entered { .. } => Found::Directory,
            PathOutcome::Refused { reply, .. } => {
                Found::Missing(missing(connection, target, &reply))
            }
        });
    }
    // If the directory cannot be entered, the file may still be available by its whole path.
    let (name, stopped) = match connection.enter_path(&target.directories).await? {
        PathOutcome::Entered { .. } => (target.name.clone(), None),
        PathOutcome::Refused { at, reply } => {
            let path = target.path();
            (joined(path.get(at..).unwrap_or_default()), Some(reply))
        }
    };
    match connection.probe_name(&name).await? {
        NameProbe::Other(reply) if !reply.is_done() => {}
        NameProbe::Directory(_) => return Ok(Found::Directory),
        NameProbe::Other(_) => return Ok(Found::File(name)),
    }
    let Err(said) = connection.size(&name).await? else {
        return Ok(Found::File(name));
    };
    if connection.modified(&name).await?.is_some() {
        return Ok(Found::File(name));
    }
    Ok(Found::Missing(match (said.is_unknown_command(), stopped) {
        (false, _) => missing(connection, target, &said),
        // The directory does not exist, so neither does the file in it.
        (true, Some(reply)) => missing(connection, target, &reply),
        (true, None) => {
            Failure::new("the server reports nothing about a file (no MLST, SIZE or MDTM)")
        }
    }))
}

/// Returns the failure for a refused target. 550 means both that a file is missing and that access is denied.
fn missing(connection: &FtpConnection, target: &FtpTarget, reply: &Reply) -> Failure {
    let words = trimmed(reply.lines().last().unwrap_or_default());
    let lower = words.to_ascii_lowercase();
    let is_forbidden = ["permission", "denied", "not allowed", "forbidden"]
        .iter()
        .any(|word| lower.contains(word));
    let failure = refused(connection.authority(), &target.title(), reply).with_brief(&words);
    let is_refusal =
        is_forbidden || reply.is_unknown_command() || matches!(reply.code(), 530 | 532 | 534);
    match failure.kind {
        FailureKind::Permanent if !is_refusal => failure.with_kind(FailureKind::Missing),
        _ => failure,
    }
}
