//! Downloads: a load written to a file.
//!
//! Octets go to `NAME.part`, which is always a new file; the name itself appears only when all of them are there, so
//! that a process that is killed leaves no file that looks whole. Nothing that exists is written over unless the caller
//! says so, and what came of a download that failed stays in its `.part`.

use std::fs::Permissions;
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

/// How many symbolic links are followed to a file that is not there yet, as many as Linux follows.
const LINKS: usize = 40;

/// Where a download goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// To this path, or to the next free one like it: `a (2).txt`.
    Free(PathBuf),
    /// To this path and no other; it must not exist.
    New(PathBuf),
    /// To this path; a file that is there is replaced at the end. A symbolic link stays, and what it leads to is
    /// replaced; a pipe or a device is written to as it is.
    Replace(PathBuf),
}

impl Target {
    /// Refuses what cannot end well, so that nobody downloads for nothing.
    async fn check(&self) -> Result<(), Error> {
        let (path, new) = match self {
            Self::Free(path) | Self::Replace(path) => (path, false),
            Self::New(path) => (path, true),
        };
        if tokio::fs::metadata(path).await.is_ok_and(|is| is.is_dir()) {
            let sentence = "it is a directory; a `/` at the end puts the file into it";
            let source = io::Error::new(io::ErrorKind::IsADirectory, sentence);
            return Err(create(path, source));
        }
        if new && is_taken(path).await {
            return Err(create(path, taken("it exists already")));
        }
        Ok(())
    }
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
    target.check().await?;
    let (sender, mut parts) = mpsc::channel(WAITING);
    let fetching = load(net, request, Sink::new(LoadId(0), sender));
    let writing = async {
        let mut file: Option<PartFile> = None;
        let mut size = None;
        while let Some((_, part)) = parts.recv().await {
            match part {
                Part::Phase(_) | Part::Remark(_) | Part::Clock(_) => {}
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
                        part: left(file).await,
                    });
                }
            }
        }
        Err(Error::Stopped {
            stop: Stop::Unheard,
            part: left(file).await,
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
    /// Where the octets go.
    path: PathBuf,
    octets: u64,
    end: End,
}

/// How a file gets its name when all of it is there.
#[derive(Clone)]
enum End {
    /// It takes this name, if nothing has it.
    New(PathBuf),
    /// It takes the first name like this one that nothing has.
    Free(PathBuf),
    /// It takes the place of what is there.
    Replace {
        /// The name that was given.
        path: PathBuf,
        /// What it leads to.
        place: PathBuf,
    },
    /// It has its name: octets go straight to a pipe or a device.
    Straight,
    /// It is whole under its name, or its octets have been accounted for.
    Over,
}

impl PartFile {
    async fn create(target: &Target) -> Result<Self, Error> {
        target.check().await?;
        match target {
            Target::New(path) => Self::open(path, End::New(path.clone()), None).await,
            Target::Free(path) => Self::open(path, End::Free(path.clone()), None).await,
            Target::Replace(path) => match tokio::fs::metadata(path).await {
                Ok(is) if is.is_file() => {
                    // The link stays, and what it leads to is replaced.
                    let place = tokio::fs::canonicalize(path).await;
                    let place = place.map_err(|source| create(path, source))?;
                    Self::replace(path, place, Some(is.permissions())).await
                }
                Ok(_) => Self::straight(path).await,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    Self::replace(path, end_of_links(path).await, None).await
                }
                Err(source) => Err(create(path, source)),
            },
        }
    }

    async fn replace(
        path: &Path,
        place: PathBuf,
        permissions: Option<Permissions>,
    ) -> Result<Self, Error> {
        let end = End::Replace {
            path: path.to_owned(),
            place: place.clone(),
        };
        Self::open(&place, end, permissions).await
    }

    /// A new part file beside `path`.
    async fn open(path: &Path, end: End, permissions: Option<Permissions>) -> Result<Self, Error> {
        if let Some(directory) = path
            .parent()
            .filter(|directory| !directory.as_os_str().is_empty())
        {
            tokio::fs::create_dir_all(directory)
                .await
                .map_err(|source| create(directory, source))?;
        }
        let Some(name) = path.file_name() else {
            return Err(create(path, io::Error::from(io::ErrorKind::InvalidInput)));
        };
        let mut part = name.to_owned();
        part.push(".part");
        let part = path.with_file_name(part);
        // A part that is there may be what is left of another download, or somebody's file.
        for number in 1..=NAMES {
            let part = numbered(&part, number);
            let opened = OpenOptions::new()
                .write(true)
                .create_new(true)
                .open(&part)
                .await;
            let file = match opened {
                Ok(file) => Self {
                    file,
                    path: part,
                    octets: 0,
                    end,
                },
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(source) => return Err(create(&part, source)),
            };
            if let Some(permissions) = permissions {
                // Before the first octet: what only its owner may read stays so while it is replaced.
                let set = file.file.set_permissions(permissions).await;
                set.map_err(|source| create(path, source))?;
            }
            return Ok(file);
        }
        Err(create(&part, taken("all names like it are taken")))
    }

    /// What is there and no regular file.
    async fn straight(path: &Path) -> Result<Self, Error> {
        let file = OpenOptions::new().write(true).open(path).await;
        Ok(Self {
            file: file.map_err(|source| create(path, source))?,
            path: path.to_owned(),
            octets: 0,
            end: End::Straight,
        })
    }

    async fn write(&mut self, octets: &[u8]) -> Result<(), Error> {
        // Counted first: what is dropped while the disk takes it may still get there.
        self.octets += octets.len() as u64;
        let written = async {
            self.file.write_all(octets).await?;
            // Else an error of the disk is told with the next block.
            self.file.flush().await
        };
        match written.await {
            Ok(()) => Ok(()),
            Err(source) => Err(self.broken(source).await),
        }
    }

    async fn finish(mut self) -> Result<Saved, Error> {
        let path = match self.place().await {
            Ok(path) => path,
            Err(source) if source.kind() == io::ErrorKind::AlreadyExists => {
                // Somebody has made it meanwhile.
                let (End::New(path) | End::Free(path)) = self.end.clone() else {
                    return Err(self.broken(source).await);
                };
                let sentence = match left(Some(self)).await {
                    Some(part) => format!("it exists already; what came is in {}", part.display()),
                    None => "it exists already".to_owned(),
                };
                return Err(create(&path, taken(&sentence)));
            }
            Err(source) => return Err(self.broken(source).await),
        };
        self.end = End::Over;
        Ok(Saved {
            path,
            octets: self.octets,
        })
    }

    /// Gives the file its name.
    async fn place(&mut self) -> io::Result<PathBuf> {
        self.file.flush().await?;
        if !matches!(self.end, End::Straight) {
            // A pipe or a device may have nothing to sync.
            self.file.sync_all().await?;
        }
        match &self.end {
            End::New(path) => {
                take_name(&self.path, path).await?;
                Ok(path.clone())
            }
            End::Free(path) => {
                for number in 1..=NAMES {
                    let path = numbered(path, number);
                    match take_name(&self.path, &path).await {
                        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                        taken => return taken.map(|()| path),
                    }
                }
                Err(taken("all names like it are taken"))
            }
            End::Replace { path, place } => {
                tokio::fs::rename(&self.path, place).await?;
                Ok(path.clone())
            }
            End::Straight | End::Over => Ok(self.path.clone()),
        }
    }

    /// An error of the disk; it names the part only when there is something in it.
    async fn broken(&mut self, source: io::Error) -> Error {
        let path = self.path.clone();
        if matches!(self.end, End::Straight) {
            return create(&path, source);
        }
        match tokio::fs::metadata(&path).await {
            Ok(part) if part.len() > 0 => Error::Write { path, source },
            Ok(_) | Err(_) => {
                self.octets = 0;
                create(&path, source)
            }
        }
    }
}

impl Drop for PartFile {
    fn drop(&mut self) {
        match self.end {
            End::New(_) | End::Free(_) | End::Replace { .. } if self.octets == 0 => {
                // Nothing is left of nothing.
                let _ = std::fs::remove_file(&self.path);
            }
            End::New(_) | End::Free(_) | End::Replace { .. } | End::Straight | End::Over => {}
        }
    }
}

/// Where what came is left, if anything is.
async fn left(file: Option<PartFile>) -> Option<PathBuf> {
    let mut file = file?;
    // The load has failed already; an octet that the disk refuses now changes nothing.
    let _ = file.file.flush().await;
    match file.end {
        End::New(_) | End::Free(_) | End::Replace { .. } => {
            (file.octets > 0).then(|| file.path.clone())
        }
        End::Straight | End::Over => None,
    }
}

/// Gives a whole file its name, which nothing may have.
async fn take_name(part: &Path, path: &Path) -> io::Result<()> {
    match tokio::fs::hard_link(part, path).await {
        Ok(()) => {
            // The file is whole under its name; a part that cannot be removed does not unmake it.
            let _ = tokio::fs::remove_file(part).await;
            Ok(())
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        // A file system without hard links: somebody may come between these two, and nothing better is to be had.
        Err(_) if is_taken(path).await => Err(io::Error::from(io::ErrorKind::AlreadyExists)),
        Err(_) => tokio::fs::rename(part, path).await,
    }
}

/// Whether something has this name; a link that leads nowhere has it too.
async fn is_taken(path: &Path) -> bool {
    tokio::fs::symlink_metadata(path).await.is_ok()
}

/// Where a file is made that a chain of links leads to; the path itself when it is no link.
async fn end_of_links(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        let Ok(next) = tokio::fs::read_link(&path).await else {
            break;
        };
        // A link's own directory is where its way begins; an absolute one forgets it.
        path = path.parent().unwrap_or(Path::new("")).join(next);
    }
    path
}

fn create(path: &Path, source: io::Error) -> Error {
    Error::Create {
        path: path.to_owned(),
        source,
    }
}

fn taken(sentence: &str) -> io::Error {
    io::Error::new(io::ErrorKind::AlreadyExists, sentence)
}

/// The name itself, then `a (2).txt`, `a (3).txt`, …
fn numbered(path: &Path, number: usize) -> PathBuf {
    if number == 1 {
        return path.to_owned();
    }
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!(" ({number})"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}
