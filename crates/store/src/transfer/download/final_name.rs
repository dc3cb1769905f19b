//! The final name of a complete file: no existing file loses it unless it is to be replaced, and a crash leaves one of
//! both names.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
#[cfg(any(target_os = "linux", target_os = "android"))]
use std::sync::OnceLock;
use std::{fs, io};

use geomys_wire::task::blocking;

use super::target::{FinalName, NAMES, ResolvedTarget, Target, numbered, partial_path};
use crate::transfer::records::RecordEntry;

/// Complete file before it has its final name.
pub(super) enum CompleteFile<'a> {
    /// The partial file of this path.
    Part(&'a Path, &'a File),
    /// A file without a name.
    Nameless(&'a File),
}

impl CompleteFile<'_> {
    /// Gives the file the final name of its target, after it has been recorded, and returns that. Blocks.
    pub(super) fn take_final_name(
        &self,
        target: &ResolvedTarget,
        entry: Option<&RecordEntry>,
    ) -> io::Result<PathBuf> {
        match &target.final_name {
            FinalName::Named(Target::New(path) | Target::Skip(path)) => {
                self.take_free(path, entry)?;
                Ok(path.clone())
            }
            // The complete file begins with the existing file, which loses nothing by it.
            FinalName::Named(Target::Resume(path)) if matches!(self, Self::Part(part, _) if matches!(is_beginning(path, part), Ok(true))) =>
            {
                self.replace(path)?;
                Ok(path.clone())
            }
            FinalName::Named(
                Target::Free(path) | Target::Suggested(path) | Target::Resume(path),
            ) => {
                for number in 1..=NAMES {
                    let path = numbered(path, number);
                    match self.take_free(&path, entry) {
                        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                        taken => return taken.map(|()| path),
                    }
                }
                Err(name_taken("all similar names are taken"))
            }
            FinalName::Named(Target::Replace(path)) => {
                if let Some(entry) = entry {
                    entry.add(path, self.file());
                }
                self.replace(&target.path)?;
                Ok(path.clone())
            }
            FinalName::Direct | FinalName::Done => Ok(target.path.clone()),
        }
    }

    fn file(&self) -> &File {
        match self {
            Self::Part(_, file) | Self::Nameless(file) => file,
        }
    }

    /// Gives the file a name that must be free.
    fn take_free(&self, path: &Path, entry: Option<&RecordEntry>) -> io::Result<()> {
        if is_taken(path) {
            return Err(io::Error::from(io::ErrorKind::AlreadyExists));
        }
        if let Some(entry) = entry {
            entry.add(path, self.file());
        }
        let taken = match self {
            Self::Part(part, _) => rename_to_free(part, path),
            Self::Nameless(file) => link(file, path),
        };
        if taken.is_err()
            && let Some(entry) = entry
        {
            entry.forget(path);
        }
        taken
    }

    /// Gives the file a name, and removes the file that had it.
    fn replace(&self, path: &Path) -> io::Result<()> {
        let file = match self {
            Self::Part(part, _) => return fs::rename(part, path),
            Self::Nameless(file) => file,
        };
        let part = link_as_part(file, path)?;
        fs::rename(&part, path).inspect_err(|_| {
            // Nobody can resume it.
            let _ = fs::remove_file(&part);
        })
    }
}

/// Gives a file without a name that of a partial file, and returns that.
pub(super) fn link_as_part(file: &File, path: &Path) -> io::Result<PathBuf> {
    for number in 1..=NAMES {
        let part = numbered(&partial_path(path), number);
        match link(file, &part) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            linked => return linked.map(|()| part),
        }
    }
    Err(name_taken("all similar names are taken"))
}

/// True if /proc has links to open files.
#[cfg(any(target_os = "linux", target_os = "android"))]
static HAS_LINKS: OnceLock<bool> = OnceLock::new();

/// Creates a file without a name, in the directory of this path. Returns `None` if the system or the file system has
/// none.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) fn create_nameless(path: &Path) -> Option<File> {
    use rustix::fs::{Mode, OFlags, open};
    let above = path.parent().filter(|above| !above.as_os_str().is_empty());
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    let mode = Mode::from_raw_mode(0o666);
    let file = File::from(open(above.unwrap_or(Path::new(".")), flags, mode).ok()?);
    // Without /proc it would never get a name.
    let has_links = HAS_LINKS.get_or_init(|| fs::symlink_metadata(own_link(&file)).is_ok());
    has_links.then_some(file)
}

/// Returns `None`: the system has no files without a name.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) fn create_nameless(_: &Path) -> Option<File> {
    None
}

/// Gives a file without a name a name that must be free.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn link(file: &File, path: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    linkat(CWD, own_link(file), CWD, path, AtFlags::SYMLINK_FOLLOW).map_err(io::Error::from)
}

/// Returns an error on a system without such files.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn link(_: &File, _: &Path) -> io::Result<()> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

/// Returns the path of the link to an open file.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn own_link(file: &File) -> PathBuf {
    use std::os::fd::AsRawFd;
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

/// Renames a complete file to a name that must be free.
pub async fn take_name(part: &Path, path: &Path) -> io::Result<()> {
    let (part, path) = (part.to_owned(), path.to_owned());
    blocking(move || rename_to_free(&part, &path)).await
}

/// Renames a complete file to a name that must be free. Blocks.
pub(super) fn rename_to_free(part: &Path, path: &Path) -> io::Result<()> {
    let Err(error) = rename_new(part, path) else {
        return Ok(());
    };
    if matches!(
        error.kind(),
        io::ErrorKind::AlreadyExists | io::ErrorKind::NotFound
    ) {
        return Err(error);
    }
    // The file system cannot rename without replacing. A crash between these two steps is detected when the partial
    // file is searched.
    match fs::hard_link(part, path) {
        Ok(()) => {
            // The file is complete under its name; a partial file that cannot be removed does no harm.
            let _ = fs::remove_file(part);
            Ok(())
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        // No hard links either: another process may come between these two steps, but there is no better way.
        Err(_) if is_taken(path) => Err(io::Error::from(io::ErrorKind::AlreadyExists)),
        Err(_) => fs::rename(part, path),
    }
}

/// Renames a file atomically to a name that must be free.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE).map_err(io::Error::from)
}

/// Returns an error on a system without such a rename.
#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn rename_new(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

/// Returns true if the name is taken, even by a broken link.
pub(super) fn is_taken(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

pub(super) fn name_taken(sentence: &str) -> io::Error {
    io::Error::new(io::ErrorKind::AlreadyExists, sentence)
}

/// Returns true if a file holds nothing but the beginning of another one. Blocks.
pub(super) fn is_beginning(file: &Path, of: &Path) -> io::Result<bool> {
    if !fs::symlink_metadata(file)?.is_file() {
        return Ok(false);
    }
    let mut one = BufReader::new(File::open(file)?);
    let mut other = BufReader::new(File::open(of)?);
    let mut blocks = ([0; 16 * 1024], [0; 16 * 1024]);
    loop {
        let length = one.read(&mut blocks.0)?;
        if length == 0 {
            return Ok(true);
        }
        let (Some(block), Some(compared)) = (blocks.0.get(..length), blocks.1.get_mut(..length))
        else {
            return Ok(false);
        };
        match other.read_exact(compared) {
            Ok(()) if block == compared => {}
            Ok(()) => return Ok(false),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::transfer::records::{DirectoryRecords, MergePolicy};

    #[test]
    fn file_is_recorded_before_it_gets_its_name() {
        let directory = tempfile::tempdir().unwrap();
        let (root, into) = (directory.path(), directory.path().join("here"));
        fs::create_dir(&into).unwrap();
        let parse = |text: &str| rfc1738::Dialect::Extended.parse(text).unwrap();
        let (above, url) = (
            parse("ftp://h.example/pub/"),
            parse("ftp://h.example/pub/a"),
        );
        let records = DirectoryRecords::new(root.join("records"));
        let record = records.open(&into, &above, MergePolicy::Ask).unwrap();
        let entry = RecordEntry {
            record: Arc::new(Mutex::new(record)),
            into: into.clone(),
            url,
        };
        let name = |target| {
            // A partial file that is gone gets no name.
            let part = into.join("gone.part");
            let file = File::create(root.join("file")).unwrap();
            let resolved = Target::resolve(&target).unwrap();
            let error = CompleteFile::Part(&part, &file).take_final_name(&resolved, Some(&entry));
            assert_eq!(error.unwrap_err().kind(), io::ErrorKind::NotFound);
            let file = fs::read_dir(root.join("records")).unwrap().next().unwrap();
            let text = fs::read_to_string(file.unwrap().path()).unwrap();
            let words = text
                .lines()
                .map(|line| line.split(' ').next().unwrap().to_owned());
            words.skip(3).collect::<Vec<_>>()
        };
        assert_eq!(
            name(Target::Free(into.join("a"))),
            ["state", "file", "deleted"]
        );
        fs::write(into.join("a"), "old").unwrap();
        let replaced = name(Target::Replace(into.join("a")));
        assert_eq!(
            replaced[3..],
            ["state", "file"],
            "the old version is still there"
        );
    }

    #[test]
    fn beginning_of_a_file_is_recognized() {
        let directory = tempfile::tempdir().unwrap();
        let file = |name: &str, octets: &[u8]| {
            let path = directory.path().join(name);
            fs::write(&path, octets).unwrap();
            path
        };
        let long = vec![b'x'; 40_000];
        let of = file("of", &[&long[..], b"y"].concat());
        for (octets, expected) in [
            (&long[..], true),
            (&long[..39_999], true),
            (b"", true),
            (b"y", false),
            (&[&long[..], b"yz"].concat(), false),
        ] {
            assert_eq!(is_beginning(&file("a", octets), &of).unwrap(), expected);
        }
        assert!(is_beginning(&directory.path().join("none"), &of).is_err());
    }
}
