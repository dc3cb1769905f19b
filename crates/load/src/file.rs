//! Loading local files (RFC 1738, section 3.10; RFC 8089).
//!
//! Nothing goes over the network. A directory is converted to the lines of MLSD (RFC 3659, section 7), so that it is a
//! listing like any other. A mailbox is a directory of its messages: `…/mbox/3` is the third one, which cannot be
//! another file, because a file contains no files. So is a maildir. A gophermap is the menu that a server would make of
//! it.
//!
//! Names are octets. Only directories and regular files are opened: reading a device, a pipe or a socket may wait
//! forever, or change something.

mod directory;
mod gophermap;
pub(crate) mod mailbox;
mod maildir;
mod reader;
pub mod regular;

use std::ffi::OsString;
use std::fs::{File as Opened, Metadata};
use std::io::{self};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use geomys_wire::net::RequestNet;
use geomys_wire::protocol::ftp::listing::Format;
use geomys_wire::task;
use geomys_wire::text::{self, Charset, Text};
use rfc1738::{Dialect, File, Protocol, Url};

use self::directory::RemainingEntries;
use self::maildir::Maildir;
use self::reader::FileReader;
use super::words::today;
use super::{Failure, FailureKind, PageHead, Purpose, Request, Sink, Stop};
use geomys_page::archive::mailbox::MAX_MESSAGE_BYTES;
use geomys_page::document::{ListingPlace, Shape};

/// Loads a `file:` URL.
pub(super) async fn load(
    net: &RequestNet,
    request: &Request,
    url: File<'_>,
    sink: &mut Sink,
) -> Result<(), Stop> {
    if let Some(host) = url.host.filter(|host| !is_here(host)) {
        return Err(remote_file(host).into());
    }
    let path = path(&url)?;
    // A network disk may never answer.
    let opening = blocking(net, {
        let path = path.clone();
        move || look(&path)
    });
    match opening.await? {
        Ok(PathTarget::Maildir(maildir)) if request.purpose == Purpose::Show => {
            mails(net, request, maildir, &path, sink).await
        }
        Ok(PathTarget::Directory | PathTarget::Maildir(_)) => {
            directory(net, request, path, sink).await
        }
        Ok(PathTarget::File(file, metadata)) => {
            FileReader::new(net, request, path, file, &metadata)
                .run(sink)
                .await
        }
        Ok(PathTarget::Message(mailbox, number)) => {
            message(net, request, (mailbox, number), &path, sink).await
        }
        Ok(PathTarget::Other(what)) => {
            let sentence = format!("{} is {what}: not opened", shown(&path));
            let advice = "reading it could wait forever, or have effects";
            Err(Failure::new(sentence).with_advice(advice).into())
        }
        Err(error) => Err(refused(&path, &error).into()),
    }
}

/// Opens the regular file of a URL again, which was read before.
pub(crate) fn open_regular(url: &Url) -> Option<Opened> {
    match url.protocol() {
        Protocol::File(url) => regular::open(&path(&url).ok()?).ok(),
        _ => None,
    }
}

/// The target of a path.
enum PathTarget {
    Directory,
    Maildir(Maildir),
    File(Opened, Metadata),
    /// A message of a mailbox, by its number from 1.
    Message(PathBuf, u64),
    /// A kind of file that is not opened, in words.
    Other(&'static str),
}

fn look(path: &Path) -> io::Result<PathTarget> {
    let metadata = match path.metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let (maildir, number) = numbered(path).ok_or(error)?;
            return Ok(PathTarget::Message(maildir.to_owned(), number));
        }
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            let (mailbox, number) = inside(path).ok_or(error)?;
            return Ok(PathTarget::Message(mailbox, number));
        }
        other => other?,
    };
    let kind = metadata.file_type();
    if kind.is_dir() {
        let maildir = Maildir::open(path)?;
        return Ok(maildir.map_or(PathTarget::Directory, PathTarget::Maildir));
    }
    if let Some(what) = regular::other_kind(kind) {
        return Ok(PathTarget::Other(what));
    }
    let file = regular::open(path)?;
    let metadata = file.metadata()?;
    Ok(PathTarget::File(file, metadata))
}

/// Returns the mailbox and the message number of a path, if its parent is a file.
fn inside(path: &Path) -> Option<(PathBuf, u64)> {
    let number = path.file_name()?.to_str()?.parse().ok()?;
    let mailbox = path.parent()?;
    mailbox.is_file().then(|| (mailbox.to_owned(), number))
}

/// Returns the maildir and the number of a mail in it, if its parent is one.
fn numbered(path: &Path) -> Option<(&Path, u64)> {
    let number = path.file_name()?.to_str()?.parse().ok()?;
    let maildir = path.parent()?;
    Maildir::is_at(maildir).then_some((maildir, number))
}

/// Returns true if a host is this machine, by its own name or `localhost`.
pub(super) fn is_here(host: &str) -> bool {
    let own = rustix::system::uname();
    let own = own.nodename().to_str().unwrap_or_default();
    host.eq_ignore_ascii_case("localhost")
        || host
            .trim_end_matches('.')
            .eq_ignore_ascii_case(own.trim_end_matches('.'))
}

fn remote_file(host: &str) -> Failure {
    let host = Text::of(host);
    Failure::new(format!("the file is on {host}, not on this machine")).with_advice(
        "a file URL has no protocol to reach another machine (RFC 1738, section 3.10); try an ftp or gopher URL",
    )
}

/// Returns the path of a URL, without the slash at its end: the URL of a mailbox has one, but the mailbox is no
/// directory. A segment that contains a slash is not a valid file name.
pub fn path(url: &File<'_>) -> Result<PathBuf, Failure> {
    let mut path = b"/".to_vec();
    for (index, segment) in url.segments().enumerate() {
        let name = segment.octets();
        if name.contains(&b'/') {
            return Err(Failure::new(format!(
                "a file name cannot contain a slash: {}",
                Text::new(&name, Charset::default())
            )));
        }
        if index > 0 {
            path.push(b'/');
        }
        path.extend_from_slice(&name);
    }
    while path.len() > 1 && path.ends_with(b"/") {
        path.pop();
    }
    Ok(PathBuf::from(OsString::from_vec(path)))
}

/// Runs blocking file work on another thread, with a timeout.
async fn blocking<T: Send + 'static>(
    net: &RequestNet,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Stop> {
    match tokio::time::timeout(net.limits().idle, task::blocking(work)).await {
        Ok(done) => Ok(done),
        Err(_) => {
            let seconds = net.limits().idle.as_secs();
            let failure = Failure::new(format!("the disk did not answer for {seconds} s"));
            let advice = "a network disk that is offline can cause this";
            Err(failure.with_advice(advice).into())
        }
    }
}

/// Returns a path for display.
fn shown(path: &Path) -> Text {
    Text::new(path.as_os_str().as_encoded_bytes(), Charset::default())
}

/// Returns the failure for a path that cannot be read, in the system's words if they are useful.
fn refused(path: &Path, error: &io::Error) -> Failure {
    let path = shown(path);
    let (sentence, kind, advice) = match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => (
            format!("file not found: {path}"),
            FailureKind::Missing,
            Some("look in the directory above (u)"),
        ),
        io::ErrorKind::PermissionDenied => (
            format!("permission denied: {path}"),
            FailureKind::Permanent,
            Some("ask its owner for permission"),
        ),
        _ => (
            format!("{path} cannot be read: {error}"),
            FailureKind::ServerError,
            None,
        ),
    };
    Failure {
        kind,
        advice,
        ..Failure::new(Text::of(&sentence).to_string())
    }
}

/// Forwards a directory piece by piece while it is read.
async fn directory(
    net: &RequestNet,
    request: &Request,
    path: PathBuf,
    sink: &mut Sink,
) -> Result<(), Stop> {
    let page_head = PageHead {
        url: with_slash(&request.url),
        title: Some(shown(&path)),
        ..PageHead::new(Shape::Listing {
            format: Some(Format::Facts),
            today: today(),
            place: ListingPlace::Server,
        })
    };
    let opened = blocking(net, {
        let path = path.clone();
        move || {
            let entries = std::fs::read_dir(&path)?;
            Ok::<_, io::Error>((entries, path.canonicalize().ok()))
        }
    });
    let (mut entries, real) = opened.await?.map_err(|error| refused(&path, &error))?;
    sink.begin(PageHead {
        // A recursive download uses it to find directories that it has visited, also through links.
        real: real.map(|path| path.into_os_string().into_vec()),
        ..page_head
    })
    .await?;
    let mut left_out = 0;
    loop {
        let piece = blocking(net, move || directory::piece(entries)).await?;
        left_out += piece.left_out;
        sink.octets(piece.lines).await?;
        match piece.rest {
            RemainingEntries::Entries(rest) => entries = rest,
            RemainingEntries::Nothing => break,
            // The entries so far are valid, but not all of them.
            RemainingEntries::Failed(error) => return Err(refused(&path, &error).into()),
        }
    }
    directory::remark(left_out, sink).await
}

/// Returns the URL of a directory, with a slash at its end.
fn with_slash(url: &Url) -> Option<Url> {
    let text = url.as_str();
    (!text.ends_with('/'))
        .then(|| Dialect::Extended.parse(&format!("{text}/")).ok())
        .flatten()
}

/// Forwards the overview of a maildir.
async fn mails(
    net: &RequestNet,
    request: &Request,
    mut maildir: Maildir,
    path: &Path,
    sink: &mut Sink,
) -> Result<(), Stop> {
    sink.begin(PageHead {
        url: with_slash(&request.url),
        title: Some(shown(path)),
        ..PageHead::new(Shape::Group)
    })
    .await?;
    let mut count = 0;
    loop {
        let (rest, lines) = blocking(net, move || {
            let lines = maildir.overview(count);
            (maildir, lines)
        })
        .await?;
        if lines.is_empty() {
            return Ok(());
        }
        sink.octets(lines).await?;
        count += Maildir::PIECE;
        maildir = rest;
    }
}

/// Forwards a message of a mailbox or a maildir.
async fn message(
    net: &RequestNet,
    request: &Request,
    (mailbox, number): (PathBuf, u64),
    path: &Path,
    sink: &mut Sink,
) -> Result<(), Stop> {
    let archives = Arc::clone(&request.settings.archives);
    let found = blocking(net, move || {
        if let Some(maildir) = Maildir::open(&mailbox)? {
            return maildir.mail(number);
        }
        archives.mailboxes.read(&mailbox, number)
    });
    match found.await? {
        Ok(Some(article)) => {
            let is_cut = article.len() as u64 > MAX_MESSAGE_BYTES;
            sink.begin(PageHead::new(Shape::Article)).await?;
            sink.octets(article).await?;
            if is_cut {
                let most = text::octets(MAX_MESSAGE_BYTES);
                return Err(Failure::new(format!("only {most} of a message are shown")).into());
            }
            Ok(())
        }
        Ok(None) => Err(Failure::new(format!("there is no {}", shown(path)))
            .with_kind(FailureKind::Missing)
            .with_advice("the mailbox may have changed since it was listed")
            .into()),
        Err(error) => Err(refused(path, &error).into()),
    }
}
