//! Where a download goes, and the names beside it.

use std::fs::Permissions;
use std::io;
use std::path::{Path, PathBuf};

use super::Error;
use super::state::time;

/// How many names are tried when one is taken: `a.txt`, `a (2).txt`, …
pub(super) const NAMES: usize = 999;

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

/// What a target comes down to.
pub(super) enum Place {
    /// A part beside `base`, which gets its name by `end`.
    Part {
        base: PathBuf,
        end: End,
        permissions: Option<Permissions>,
    },
    /// What is there and no regular file.
    Straight(PathBuf),
}

/// How a file gets its name when all of it is there.
#[derive(Clone)]
pub(super) enum End {
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

impl Target {
    /// The path that was asked for.
    pub fn path(&self) -> &Path {
        match self {
            Self::Free(path) | Self::New(path) | Self::Replace(path) => path,
        }
    }

    /// Refuses what cannot end well, so that nobody downloads for nothing.
    pub(super) async fn check(&self) -> Result<(), Error> {
        let path = self.path();
        if tokio::fs::metadata(path).await.is_ok_and(|is| is.is_dir()) {
            let sentence = "it is a directory; a `/` at the end puts the file into it";
            let source = io::Error::new(io::ErrorKind::IsADirectory, sentence);
            return Err(create(path, source));
        }
        if matches!(self, Self::New(_)) && is_taken(path).await {
            return Err(create(path, taken("it exists already")));
        }
        Ok(())
    }

    pub(super) async fn place(&self) -> Result<Place, Error> {
        let part = |base: &Path, end, permissions| Place::Part {
            base: base.to_owned(),
            end,
            permissions,
        };
        Ok(match self {
            Self::New(path) => part(path, End::New(path.clone()), None),
            Self::Free(path) => part(path, End::Free(path.clone()), None),
            Self::Replace(path) => match tokio::fs::metadata(path).await {
                Ok(is) if is.is_file() => {
                    // The link stays, and what it leads to is replaced.
                    let place = tokio::fs::canonicalize(path).await;
                    let place = place.map_err(|source| create(path, source))?;
                    part(&place, replace(path, &place), Some(is.permissions()))
                }
                Ok(_) => Place::Straight(path.clone()),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    let place = end_of_links(path).await;
                    part(&place, replace(path, &place), None)
                }
                Err(source) => return Err(create(path, source)),
            },
        })
    }
}

fn replace(path: &Path, place: &Path) -> End {
    End::Replace {
        path: path.to_owned(),
        place: place.to_owned(),
    }
}

/// Gives a whole file its name, which nothing may have.
pub(super) async fn take_name(part: &Path, path: &Path) -> io::Result<()> {
    let (from, to) = (part.to_owned(), path.to_owned());
    let renamed = tokio::task::spawn_blocking(move || rename_new(&from, &to)).await;
    let error = match renamed.map_err(io::Error::other)? {
        Ok(()) => return Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(error),
        Err(error) => error,
    };
    if error.kind() == io::ErrorKind::NotFound {
        return Err(error);
    }
    // A file system that cannot rename so. A crash between these two is noticed when the part is looked for.
    match tokio::fs::hard_link(part, path).await {
        Ok(()) => {
            // The file is whole under its name; a part that cannot be removed does not unmake it.
            let _ = tokio::fs::remove_file(part).await;
            Ok(())
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        // Nor hard links: somebody may come between these two, and nothing better is to be had.
        Err(_) if is_taken(path).await => Err(io::Error::from(io::ErrorKind::AlreadyExists)),
        Err(_) => tokio::fs::rename(part, path).await,
    }
}

/// Renames a file in one step to a name that nothing has.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE).map_err(io::Error::from)
}

/// The same for a system that cannot: an error.
#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn rename_new(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
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

pub(super) fn create(path: &Path, source: io::Error) -> Error {
    Error::Create {
        path: path.to_owned(),
        source,
    }
}

pub(super) fn taken(sentence: &str) -> io::Error {
    io::Error::new(io::ErrorKind::AlreadyExists, sentence)
}

/// The part of a file: `a.txt.part`.
pub(super) fn part_of(base: &Path) -> PathBuf {
    let mut part = base.as_os_str().to_owned();
    part.push(".part");
    PathBuf::from(part)
}

/// The name itself, then `a (2).txt`, `a (3).txt`, …
pub(in crate::files) fn numbered(path: &Path, number: usize) -> PathBuf {
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

/// Whether the file of this path has this size, and this time where it is known.
pub(in crate::files) async fn is_whole(path: &Path, size: u64, modified: Option<&str>) -> bool {
    let Ok(is) = tokio::fs::metadata(path).await else {
        return false;
    };
    let is_same_time = match (modified.and_then(time), is.modified()) {
        (Some(wanted), Ok(modified)) => wanted == modified,
        (None, _) | (_, Err(_)) => true,
    };
    is.is_file() && is.len() == size && is_same_time
}
