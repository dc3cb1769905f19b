//! Loading local files (RFC 1738, section 3.10; RFC 8089).
//!
//! Nothing goes over the network. A directory is converted to the lines of MLSD (RFC 3659, section 7), so that it is a
//! listing like any other. A mailbox is a directory of its messages: `…/mbox/3` is the third one, which cannot be
//! another file, because a file contains no files. A gophermap is the menu that a server would make of it.
//!
//! Names are octets. Only directories and regular files are opened: reading a device, a pipe or a socket may wait
//! forever, or change something.

mod directory;
mod gophermap;
mod mailbox;
pub(crate) mod regular;

use std::ffi::OsString;
use std::fs::{File as Opened, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use self::directory::RemainingEntries;
use self::mailbox::{MESSAGE, MboxReader};
use super::day::today;
use super::sniff::{SAMPLE, is_text, looks_like_html};
use super::{Failure, PageHead, Purpose, Question, Request, ResumeRequest, Sink, Stop, Version};
use crate::document::{Kind, Shape, suffix};
use crate::net::Net;
use crate::protocol::ftp::listing::Format;
use crate::text::{self, Charset, Text, file_name};
use crate::url::{File, Url};

/// The octets that are read at once.
const PIECE: usize = 64 * 1024;

/// The octets used to detect the kind of a text: enough for the headers of an article.
const HEAD: usize = 16 * SAMPLE;

/// Loads a `file:` URL.
pub(super) async fn load(
    net: &Net,
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
        Ok(PathTarget::Directory) => directory(net, request, path, sink).await,
        Ok(PathTarget::File(file, metadata)) => {
            FileReader::new(net, request, path, file, &metadata)
                .run(sink)
                .await
        }
        Ok(PathTarget::Message(mailbox, number)) => {
            message(net, mailbox, number, &path, sink).await
        }
        Ok(PathTarget::Other(what)) => Err(Failure {
            advice: Some("reading it could wait for ever, or change something"),
            ..Failure::new(format!("{} is {what}, and is not opened", shown(&path)))
        }
        .into()),
        Err(error) => Err(refused(&path, &error).into()),
    }
}

/// The target of a path.
enum PathTarget {
    Directory,
    File(Opened, Metadata),
    /// A message of a mailbox, by its number from 1.
    Message(PathBuf, u64),
    /// A kind of file that is not opened, in words.
    Other(&'static str),
}

fn look(path: &Path) -> io::Result<PathTarget> {
    let metadata = match path.metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            let (mailbox, number) = inside(path).ok_or(error)?;
            return Ok(PathTarget::Message(mailbox, number));
        }
        other => other?,
    };
    let kind = metadata.file_type();
    if kind.is_dir() {
        return Ok(PathTarget::Directory);
    }
    if let Some(what) = regular::other_kind(kind) {
        return Ok(PathTarget::Other(what));
    }
    let file = regular::open(path)?;
    let metadata = file.metadata()?;
    Ok(PathTarget::File(file, metadata))
}

/// Returns the mailbox and the message number of a path, if its parent is a file.
pub(super) fn inside(path: &Path) -> Option<(PathBuf, u64)> {
    let number = path.file_name()?.to_str()?.parse().ok()?;
    let mailbox = path.parent()?;
    mailbox.is_file().then(|| (mailbox.to_owned(), number))
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
    Failure {
        advice: Some(
            "a file URL names no way to another machine (RFC 1738, section 3.10); it may serve the same by ftp or gopher, \
             under an address of that kind",
        ),
        ..Failure::new(format!(
            "the file is on {}, which is not this machine: nothing was asked of it",
            Text::of(host)
        ))
    }
}

/// Returns the path of a URL, without the slash at its end: the URL of a mailbox has one, but the mailbox is no
/// directory. A segment that contains a slash is not a valid file name.
pub(super) fn path(url: &File<'_>) -> Result<PathBuf, Failure> {
    let mut path = b"/".to_vec();
    for (index, segment) in url.segments().enumerate() {
        let name = segment.octets();
        if name.contains(&b'/') {
            return Err(Failure::new(format!(
                "no file can be called {}: a name here holds no slash",
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
    net: &Net,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Stop> {
    let work = tokio::task::spawn_blocking(work);
    match tokio::time::timeout(net.limits().idle, work).await {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(_)) => Err(Failure::new("reading the file broke off").into()),
        Err(_) => Err(Failure {
            advice: Some("a disk of the network that is away can do that"),
            ..Failure::new(format!(
                "the disk did not answer for {} s",
                net.limits().idle.as_secs()
            ))
        }
        .into()),
    }
}

/// Returns a path for display.
fn shown(path: &Path) -> Text {
    Text::new(path.as_os_str().as_encoded_bytes(), Charset::default())
}

/// Returns the failure for a path that cannot be read, in the system's words if they are useful.
fn refused(path: &Path, error: &io::Error) -> Failure {
    let path = shown(path);
    let (sentence, advice) = match error.kind() {
        io::ErrorKind::NotFound => (
            format!("there is no {path}"),
            Some("the directory above has the names that are there"),
        ),
        io::ErrorKind::PermissionDenied => (
            format!("{path} may not be read by you"),
            Some("its owner can allow it"),
        ),
        _ => (format!("{path} cannot be read: {error}"), None),
    };
    Failure {
        advice,
        ..Failure::new(Text::of(&sentence).to_string())
    }
}

/// Forwards a directory piece by piece while it is read.
async fn directory(
    net: &Net,
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
        .then(|| Url::accept(&format!("{text}/")).ok())
        .flatten()
}

/// Forwards a message of a mailbox.
async fn message(
    net: &Net,
    mailbox: PathBuf,
    number: u64,
    path: &Path,
    sink: &mut Sink,
) -> Result<(), Stop> {
    let found = blocking(net, move || {
        MboxReader::new(Opened::open(mailbox)?).message(number)
    });
    match found.await? {
        Ok(Some(article)) => {
            let is_cut = article.len() as u64 > MESSAGE;
            sink.begin(PageHead::new(Shape::Article)).await?;
            sink.octets(article).await?;
            if is_cut {
                let most = text::octets(MESSAGE);
                return Err(Failure::new(format!("{most} of a message are shown at most")).into());
            }
            Ok(())
        }
        Ok(None) => Err(Failure {
            advice: Some("the mailbox may have changed since it was listed"),
            ..Failure::new(format!("there is no {}", shown(path)))
        }
        .into()),
        Err(error) => Err(refused(path, &error).into()),
    }
}

/// A reader for a regular file.
struct FileReader<'a> {
    net: &'a Net,
    request: &'a Request,
    path: PathBuf,
    file: Opened,
    version: Version,
}

impl<'a> FileReader<'a> {
    fn new(
        net: &'a Net,
        request: &'a Request,
        path: PathBuf,
        file: Opened,
        metadata: &Metadata,
    ) -> Self {
        Self {
            net,
            request,
            path,
            file,
            version: Version {
                size: Some(metadata.len()),
                modified: metadata.modified().ok().and_then(directory::stamp),
                tag: None,
            },
        }
    }

    async fn run(mut self, sink: &mut Sink) -> Result<(), Stop> {
        let page_head = PageHead {
            title: Some(shown(&self.path)),
            size: self.version.size,
            version: self.version.clone(),
            ..PageHead::new(Shape::Text)
        };
        if self.request.purpose == Purpose::Save {
            let offset = self.offset()?;
            sink.begin(PageHead {
                offset,
                ..page_head
            })
            .await?;
            self = self.seek(offset).await?;
            return self.stream(sink).await;
        }
        let name = self.path.file_name().unwrap_or_default();
        let name = name.as_encoded_bytes().to_vec();
        let head = self.head().await?;
        let by_name = suffix::kind(&name);
        if !is_text(head.get(..SAMPLE).unwrap_or(&head)) {
            return Err(Stop::Needs(Question::Save {
                what: suffix::kind_words(by_name.unwrap_or(Kind::Binary)),
                name: file_name(&name, "file"),
                size: self.version.size,
            }));
        }
        match shape(&name, &head) {
            // The overview is not the content of the file, so the file size is not used.
            TextKind::Mailbox => {
                let url = with_slash(&self.request.url);
                let shape = PageHead::new(Shape::Group);
                sink.begin(PageHead {
                    url,
                    title: page_head.title,
                    ..shape
                })
                .await?;
                self.mailbox(sink).await
            }
            TextKind::Gophermap => {
                sink.begin(PageHead {
                    size: None,
                    shape: Shape::Menu,
                    ..page_head
                })
                .await?;
                self.gophermap(sink).await
            }
            TextKind::Article => {
                sink.begin(PageHead {
                    shape: Shape::Article,
                    title: None,
                    ..page_head
                })
                .await?;
                self.stream(sink).await
            }
            TextKind::Html => {
                sink.begin(PageHead {
                    shape: Shape::Html,
                    ..page_head
                })
                .await?;
                self.stream(sink).await
            }
            TextKind::Text => {
                sink.begin(page_head).await?;
                self.stream(sink).await
            }
        }
    }

    /// Returns the offset at which an interrupted copy resumes.
    fn offset(&self) -> Result<u64, Stop> {
        match &self.request.resume {
            Some(ResumeRequest { version, .. }) if !version.may_be(&self.version) => {
                Err(Stop::Needs(Question::Changed {
                    was: version.clone(),
                    is: self.version.clone(),
                }))
            }
            Some(ResumeRequest { offset, .. }) if self.version.size >= Some(*offset) => Ok(*offset),
            Some(_) | None => Ok(0),
        }
    }

    /// Returns the first octets, and rewinds the file.
    async fn head(&mut self) -> Result<Vec<u8>, Stop> {
        let mut file = self.file.try_clone().map_err(|error| self.failed(&error))?;
        let read = blocking(self.net, move || {
            let mut head = Vec::new();
            file.by_ref().take(HEAD as u64).read_to_end(&mut head)?;
            file.rewind()?;
            Ok::<_, io::Error>(head)
        });
        read.await?.map_err(|error| self.failed(&error).into())
    }

    async fn seek(mut self, offset: u64) -> Result<Self, Stop> {
        let mut file = self.file;
        let (file, moved) = blocking(self.net, move || {
            let moved = file.seek(SeekFrom::Start(offset));
            (file, moved)
        })
        .await?;
        self.file = file;
        match moved {
            Ok(_) => Ok(self),
            Err(error) => Err(self.failed(&error).into()),
        }
    }

    /// Forwards the content up to the current end of the file, which may grow or shrink meanwhile.
    async fn stream(mut self, sink: &mut Sink) -> Result<(), Stop> {
        loop {
            let mut file = self.file;
            let (file, piece) = blocking(self.net, move || {
                let mut piece = Vec::new();
                let read = file.by_ref().take(PIECE as u64).read_to_end(&mut piece);
                (file, read.map(|_| piece))
            })
            .await?;
            self.file = file;
            let piece = piece.map_err(|error| self.failed(&error))?;
            if piece.is_empty() {
                return Ok(());
            }
            sink.octets(piece).await?;
        }
    }

    async fn mailbox(self, sink: &mut Sink) -> Result<(), Stop> {
        let mut mailbox = MboxReader::new(self.file);
        loop {
            let (rest, lines) = blocking(self.net, move || {
                let lines = mailbox.overview();
                (mailbox, lines)
            })
            .await?;
            mailbox = rest;
            let lines = lines.map_err(|error| refused(&self.path, &error))?;
            if lines.is_empty() {
                return Ok(());
            }
            sink.octets(lines).await?;
        }
    }

    async fn gophermap(mut self, sink: &mut Sink) -> Result<(), Stop> {
        let file = self.file;
        let directory = self.path.parent().unwrap_or(Path::new("/")).to_owned();
        // One octet more than the page limit, so that a truncation is reported.
        let limit = self.net.limits().page.saturating_add(1);
        let read = blocking(self.net, move || {
            let mut octets = Vec::new();
            let mut file = file;
            let read = file.by_ref().take(limit).read_to_end(&mut octets);
            (file, read.map(|_| gophermap::menu(&octets, &directory)))
        });
        let (file, menu) = read.await?;
        self.file = file;
        let menu = menu.map_err(|error| self.failed(&error))?;
        sink.octets(menu).await
    }

    fn failed(&self, error: &io::Error) -> Failure {
        refused(&self.path, error)
    }
}

/// The kind of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TextKind {
    Text,
    Html,
    Gophermap,
    Article,
    Mailbox,
}

/// Detects the kind of a text, by its name and its first octets.
fn shape(name: &[u8], head: &[u8]) -> TextKind {
    let name = name.to_ascii_lowercase();
    if mailbox::begins(head) {
        TextKind::Mailbox
    } else if name == b"gophermap" || name.ends_with(b".gophermap") {
        TextKind::Gophermap
    } else if mailbox::is_article(head) {
        TextKind::Article
    } else if matches!(suffix::suffix(&name), Some(b"html" | b"htm" | b"xhtml"))
        || looks_like_html(head)
    {
        TextKind::Html
    } else {
        TextKind::Text
    }
}
