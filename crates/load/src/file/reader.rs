//! Reading a regular file: what it is by its name and its first octets, and its octets as they are read.

use std::fs::{File as Opened, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use geomys_wire::net::RequestNet;
use geomys_wire::text::Charset;

use super::{blocking, directory, gophermap, refused, shown, with_slash};
use crate::http::{MediaType, PageKind};
use crate::sniff::{SAMPLE, is_text, looks_like_html};
use crate::{PageHead, Part, Purpose, Question, Request, Sink, Stop, Version, file_name_of};
use geomys_page::archive::mailbox::{self, MboxReader};
use geomys_page::document::{Kind, Shape, suffix};

/// The octets that are read at once.
const PIECE: usize = 64 * 1024;

/// The octets used to detect the kind of a text: enough for the headers of an article.
const HEAD: usize = 16 * SAMPLE;

/// A reader for a regular file.
pub(super) struct FileReader<'a> {
    net: &'a RequestNet,
    request: &'a Request,
    path: PathBuf,
    file: Arc<Opened>,
    version: Version,
}

impl<'a> FileReader<'a> {
    pub(super) fn new(
        net: &'a RequestNet,
        request: &'a Request,
        path: PathBuf,
        file: Opened,
        metadata: &Metadata,
    ) -> Self {
        Self {
            net,
            request,
            path,
            file: Arc::new(file),
            version: Version {
                // Files that the system makes while they are read, as in /proc, have no size before.
                size: Some(metadata.len()).filter(|&size| size > 0),
                modified: metadata.modified().ok().and_then(directory::stamp),
                tag: None,
            },
        }
    }

    pub(super) async fn run(self, sink: &mut Sink) -> Result<(), Stop> {
        let page_head = PageHead {
            title: Some(shown(&self.path)),
            size: self.version.size,
            version: self.version.clone(),
            ..PageHead::new(Shape::Text)
        };
        if self.request.purpose != Purpose::Show {
            let offset = self.request.resume_offset(&self.version)?;
            sink.begin(PageHead {
                offset,
                ..page_head
            })
            .await?;
            self.work(move |mut file| file.seek(SeekFrom::Start(offset)))
                .await?;
            return self.save(offset, sink).await;
        }
        let name = self.path.file_name().unwrap_or_default();
        let name = name.as_encoded_bytes().to_vec();
        let head = self.head().await?;
        let by_name = suffix::kind(&name);
        let charset = self.request.chosen_charset();
        if !is_text(head.get(..SAMPLE).unwrap_or(&head), charset) {
            let question = Question::Save {
                what: suffix::kind_words(by_name.unwrap_or(Kind::Binary)),
                name: file_name_of(&self.request.url, &self.request.name_hints),
                size: self.version.size,
            };
            sink.begin_or(page_head, Stop::Needs(question))?;
            return self.stream(sink).await;
        }
        let kind = match text_kind(&name, &head, charset) {
            // The fragment names a message, as in mailboxes on servers.
            TextKind::Mailbox if sink.wants_member() => TextKind::Page(Shape::Text),
            kind => kind,
        };
        sink.begin(match kind {
            // The overview is not the content of the file, so the file size is not used.
            TextKind::Mailbox => PageHead {
                url: with_slash(&self.request.url),
                title: page_head.title,
                ..PageHead::new(Shape::Group)
            },
            TextKind::Gophermap => PageHead {
                size: None,
                shape: Shape::Menu,
                ..page_head
            },
            TextKind::Article => PageHead {
                shape: Shape::Article,
                title: None,
                ..page_head
            },
            TextKind::Page(shape) => PageHead { shape, ..page_head },
        })
        .await?;
        match kind {
            TextKind::Mailbox => self.mailbox(sink).await,
            TextKind::Gophermap => self.gophermap(sink).await,
            TextKind::Article | TextKind::Page(_) => self.stream(sink).await,
        }
    }

    /// Returns the first octets, and rewinds the file.
    async fn head(&self) -> Result<Vec<u8>, Stop> {
        self.work(|mut file| {
            let mut head = Vec::new();
            file.by_ref().take(HEAD as u64).read_to_end(&mut head)?;
            file.rewind()?;
            Ok(head)
        })
        .await
    }

    /// Forwards the content up to the current end of the file, which may grow or shrink meanwhile.
    async fn stream(self, sink: &mut Sink) -> Result<(), Stop> {
        loop {
            let piece = self.work(|file| read(file, PIECE as u64)).await?;
            if piece.is_empty() {
                return Ok(());
            }
            sink.octets(piece).await?;
        }
    }

    /// Forwards the content from an offset up to its size: a file that has grown meanwhile, as far as it has when the
    /// end of the size before is reached.
    async fn save(self, offset: u64, sink: &mut Sink) -> Result<(), Stop> {
        let (mut size, mut position, mut has_grown) = (self.version.size, offset, false);
        loop {
            let mut piece = self.work(|file| read(file, PIECE as u64)).await?;
            if piece.is_empty() {
                return Ok(());
            }
            let end = position + piece.len() as u64;
            if size.is_some_and(|size| end > size) && !has_grown {
                let metadata = self.work(|file| file.metadata()).await?;
                size = Some(metadata.len());
                has_grown = true;
                sink.put(Part::Size(metadata.len())).await?;
            }
            let excess = size.map_or(0, |size| end.saturating_sub(size));
            let room = (piece.len() as u64).saturating_sub(excess);
            piece.truncate(usize::try_from(room).unwrap_or(usize::MAX));
            sink.octets(piece).await?;
            if excess > 0 {
                return Ok(());
            }
            position = end;
        }
    }

    async fn mailbox(self, sink: &mut Sink) -> Result<(), Stop> {
        let metadata = self.work(|file| file.metadata()).await?;
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
                let found = &self.request.settings.archives.mailboxes;
                found.remember_all(&metadata, &mailbox);
                return Ok(());
            }
            sink.octets(lines).await?;
        }
    }

    async fn gophermap(self, sink: &mut Sink) -> Result<(), Stop> {
        let directory = self.path.parent().unwrap_or(Path::new("/")).to_owned();
        // One octet more than the page limit, so that a truncation is reported.
        let limit = self.net.limits().page.saturating_add(1);
        let menu = self.work(move |file| Ok(gophermap::menu(&read(file, limit)?, &directory)));
        sink.octets(menu.await?).await
    }

    /// Runs work on the file on another thread.
    async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce(Arc<Opened>) -> io::Result<T> + Send + 'static,
    ) -> Result<T, Stop> {
        let file = Arc::clone(&self.file);
        let done = blocking(self.net, || work(file)).await?;
        done.map_err(|error| refused(&self.path, &error).into())
    }
}

/// Reads the next octets, at most `limit`.
fn read(file: Arc<Opened>, limit: u64) -> io::Result<Vec<u8>> {
    let mut octets = Vec::new();
    file.take(limit).read_to_end(&mut octets)?;
    Ok(octets)
}

/// The kind of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TextKind {
    /// A text, a page of the Web, gemtext, JSON, a feed.
    Page(Shape),
    Gophermap,
    Article,
    Mailbox,
}

/// Detects the kind of a text, by its name and its first octets.
fn text_kind(name: &[u8], head: &[u8], charset: Option<Charset>) -> TextKind {
    let name = name.to_ascii_lowercase();
    if mailbox::begins(head) {
        TextKind::Mailbox
    } else if name == b"gophermap"
        || matches!(suffix::suffix(&name), Some(b"gophermap" | b"gopher"))
    {
        TextKind::Gophermap
    } else if mailbox::is_article(head) {
        TextKind::Article
    } else {
        let media = suffix::media_type(&name).unwrap_or_default();
        let media = MediaType::parse(media.as_bytes()).read_as(charset);
        let shape = media.kind(head).map(PageKind::shape);
        match shape.and_then(Result::ok) {
            // No server declared its type: the octets count more than the name.
            None | Some(Shape::Text) if looks_like_html(head, charset) => {
                TextKind::Page(Shape::Html)
            }
            shape => TextKind::Page(shape.unwrap_or(Shape::Text)),
        }
    }
}
