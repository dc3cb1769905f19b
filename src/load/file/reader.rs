//! Reading a regular file: what it is by its name and its first octets, and its octets as they are read.

use std::fs::{File as Opened, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::mailbox::MboxReader;
use super::{blocking, directory, gophermap, mailbox, refused, shown, with_slash};
use crate::document::{Kind, Shape, suffix};
use crate::load::sniff::{SAMPLE, is_text, looks_like_html};
use crate::load::{
    Failure, PageHead, Purpose, Question, Request, ResumeRequest, Sink, Stop, Version,
};
use crate::net::Net;
use crate::text::file_name;

/// The octets that are read at once.
const PIECE: usize = 64 * 1024;

/// The octets used to detect the kind of a text: enough for the headers of an article.
const HEAD: usize = 16 * SAMPLE;

/// A reader for a regular file.
pub(super) struct FileReader<'a> {
    net: &'a Net,
    request: &'a Request,
    path: PathBuf,
    file: Opened,
    version: Version,
}

impl<'a> FileReader<'a> {
    pub(super) fn new(
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

    pub(super) async fn run(mut self, sink: &mut Sink) -> Result<(), Stop> {
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
