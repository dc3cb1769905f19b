//! Downloads: a load written to a file.
//!
//! Octets go to `NAME.part`; the name itself appears only when all of them are there. Nothing that exists is written
//! over unless the caller says so, and what came of a download that failed stays in its `.part`.

use std::io;
use std::path::{Path, PathBuf};

use tokio::fs::{File, OpenOptions};
use tokio::io::AsyncWriteExt;
use tokio::sync::mpsc;

use crate::load::Request;
use crate::load::{Begin, LoadId, Part, Sink, Stop, load};
use crate::net::Net;

/// Parts that may wait for the disk.
const WAITING: usize = 16;

/// How many names are tried when one is taken: `a.txt`, `a (2).txt`, …
const NAMES: usize = 999;

/// Where a download goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// To this path, or to the next free one like it: `a (2).txt`.
    Free(PathBuf),
    /// To this path and no other; it must not exist.
    New(PathBuf),
    /// To this path; a file that is there is replaced at the end.
    Replace(PathBuf),
}

/// Why there is no file.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The load ended early; what came is in the file named, if anything did.
    #[error("the download ended early")]
    Stopped {
        /// Why.
        stop: Stop,
        /// Where what came is.
        part: Option<PathBuf>,
    },
    /// The file could not be made.
    #[error("{path} cannot be written: {source}", path = path.display())]
    Create {
        /// Its path.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },
    /// The disk took no more; what it took is still there.
    #[error("{path} cannot be written any further, what came so far is in it: {source}", path = path.display())]
    Write {
        /// The path of what came.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },
}

/// A file that is whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saved {
    /// Where it is.
    pub path: PathBuf,
    /// Its octets.
    pub octets: u64,
}

/// Loads `request` into a file. `progress` is told octets so far and, when known, in all.
///
/// # Errors
/// Any [`Error`]. Dropping the future stops the load and leaves the `.part`.
pub async fn download(
    net: &Net,
    request: Request,
    target: Target,
    mut progress: impl FnMut(u64, Option<u64>),
) -> Result<Saved, Error> {
    let (sender, mut parts) = mpsc::channel(WAITING);
    let fetching = load(net, request, Sink::new(LoadId(0), sender));
    let writing = async {
        let mut file: Option<PartFile> = None;
        let mut size = None;
        while let Some((_, part)) = parts.recv().await {
            match part {
                Part::Phase(_) => {}
                Part::Begin(Begin { size: known, .. }) => {
                    size = known;
                    file = Some(PartFile::create(&target).await?);
                    progress(0, size);
                }
                Part::Octets(octets) => {
                    if let Some(file) = &mut file {
                        file.write(&octets).await?;
                        progress(file.octets, size);
                    }
                }
                Part::End(Ok(())) => {
                    let file = match file.take() {
                        Some(file) => file,
                        None => PartFile::create(&target).await?,
                    };
                    return file.finish().await;
                }
                Part::End(Err(stop)) => {
                    return Err(Error::Stopped {
                        stop,
                        part: file.and_then(PartFile::left),
                    });
                }
            }
        }
        Err(Error::Stopped {
            stop: Stop::Unheard,
            part: file.and_then(PartFile::left),
        })
    };
    // The writer ends by what the load says, or before it: then the load is dropped with its socket.
    tokio::pin!(fetching);
    tokio::pin!(writing);
    tokio::select! {
        biased;
        result = &mut writing => result,
        () = &mut fetching => writing.await,
    }
}

/// Writes octets that are here already to a new file.
///
/// # Errors
/// [`Error::Create`], [`Error::Write`].
pub async fn save<'a>(
    blocks: impl Iterator<Item = &'a [u8]>,
    target: Target,
) -> Result<Saved, Error> {
    let mut file = PartFile::create(&target).await?;
    for block in blocks {
        file.write(block).await?;
    }
    file.finish().await
}

/// A file on its way.
struct PartFile {
    file: File,
    part: PathBuf,
    path: PathBuf,
    octets: u64,
    /// The final name was made, empty, to hold its place.
    reserved: bool,
}

impl PartFile {
    async fn create(target: &Target) -> Result<Self, Error> {
        match target {
            Target::Replace(path) => Self::open(path, false).await,
            Target::New(path) => Self::open(path, true).await,
            Target::Free(path) => {
                let mut taken = None;
                for number in 1..=NAMES {
                    match Self::open(&numbered(path, number), true).await {
                        Err(Error::Create { path, source })
                            if source.kind() == io::ErrorKind::AlreadyExists =>
                        {
                            taken = Some(Error::Create { path, source });
                        }
                        other => return other,
                    }
                }
                Err(taken.unwrap_or_else(|| Error::Create {
                    path: path.clone(),
                    source: io::Error::from(io::ErrorKind::AlreadyExists),
                }))
            }
        }
    }

    async fn open(path: &Path, new: bool) -> Result<Self, Error> {
        let create = |path: &Path, source| Error::Create {
            path: path.to_owned(),
            source,
        };
        if let Some(directory) = path
            .parent()
            .filter(|directory| !directory.as_os_str().is_empty())
        {
            tokio::fs::create_dir_all(directory)
                .await
                .map_err(|source| create(directory, source))?;
        }
        let mut part = path.as_os_str().to_owned();
        part.push(".part");
        let part = PathBuf::from(part);
        if new {
            OpenOptions::new()
                .write(true)
                .create_new(true)
                .open(path)
                .await
                .map_err(|source| create(path, source))?;
        }
        let file = OpenOptions::new()
            .write(true)
            .create_new(new)
            .create(true)
            .truncate(true)
            .open(&part)
            .await;
        match file {
            Ok(file) => Ok(Self {
                file,
                part,
                path: path.to_owned(),
                octets: 0,
                reserved: new,
            }),
            Err(source) => {
                if new {
                    let _ = tokio::fs::remove_file(path).await;
                }
                Err(create(&part, source))
            }
        }
    }

    async fn write(&mut self, octets: &[u8]) -> Result<(), Error> {
        let written = self.file.write_all(octets).await;
        written.map_err(|source| self.broken(source))?;
        self.octets += octets.len() as u64;
        Ok(())
    }

    async fn finish(mut self) -> Result<Saved, Error> {
        let done = async {
            self.file.flush().await?;
            self.file.sync_all().await?;
            tokio::fs::rename(&self.part, &self.path).await
        };
        match done.await {
            Ok(()) => {
                self.reserved = false;
                Ok(Saved {
                    path: self.path.clone(),
                    octets: self.octets,
                })
            }
            Err(source) => Err(self.broken(source)),
        }
    }

    fn broken(&self, source: io::Error) -> Error {
        Error::Write {
            path: self.part.clone(),
            source,
        }
    }

    /// Where what came is left; nothing is left of nothing.
    fn left(self) -> Option<PathBuf> {
        if self.octets == 0 {
            let _ = std::fs::remove_file(&self.part);
            return None;
        }
        Some(self.part.clone())
    }
}

impl Drop for PartFile {
    fn drop(&mut self) {
        if self.reserved {
            // The empty file that held the name's place.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

fn numbered(path: &Path, number: usize) -> PathBuf {
    if number == 1 {
        return path.to_owned();
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let name = match path.extension() {
        Some(extension) => format!("{stem} ({number}).{}", extension.to_string_lossy()),
        None => format!("{stem} ({number})"),
    };
    path.with_file_name(name)
}
