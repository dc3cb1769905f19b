//! Target of a download, the names derived from it, and the treatment of a file that has its name already.

use std::ffi::OsString;
use std::fs::{File, OpenOptions, Permissions};
use std::io::{BufReader, Read};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::{fs, io};

use geomys_page::load::{PageHead, Request, server_file_name};
use geomys_wire::task::blocking;

use super::state;
use super::state::{State, time};
use super::{Error, create};
use crate::transfer::records::RecordEntry;

/// Maximum number of names that are tried if a name is taken: `a.txt`, `a (2).txt`, …
pub(in crate::transfer) const NAMES: usize = 999;

/// Maximum number of symbolic links that are followed to a file that does not exist yet; the limit of Linux.
const LINKS: usize = 40;

/// Target of a download.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// This path, or the next free one like it: `a (2).txt`.
    Free(PathBuf),
    /// The name that the server gives the file, in the directory of this path, else this path; or the next free one like
    /// it.
    Suggested(PathBuf),
    /// This path; if it exists, nothing is downloaded.
    Skip(PathBuf),
    /// This path; an existing file is continued if the server sends the same octets. Otherwise the next free one like it.
    Resume(PathBuf),
    /// This path and no other; it must not exist.
    New(PathBuf),
    /// This path; an existing file is replaced at the end. A symbolic link stays and its target is replaced; a pipe or a device
    /// is written directly.
    Replace(PathBuf),
}

/// Target with its symbolic links resolved.
#[derive(Clone)]
pub(super) struct ResolvedTarget {
    /// Path of the complete file; the partial file is next to it.
    pub(super) path: PathBuf,
    pub(super) final_name: FinalName,
    /// Permissions of the existing file, which is replaced.
    pub(super) permissions: Option<Permissions>,
}

impl ResolvedTarget {
    /// Returns the path of the file that is to be replaced, if it is longer than this. Blocks.
    pub(super) fn longer_file(&self, length: u64) -> Option<PathBuf> {
        let FinalName::Named(Target::Replace(path)) = &self.final_name else {
            return None;
        };
        let is = fs::metadata(path).ok()?;
        (is.len() > length).then(|| path.clone())
    }
}

/// Final name of a complete file.
#[derive(Clone)]
pub(super) enum FinalName {
    /// The partial file is renamed as the target says.
    Named(Target),
    /// The file has its name: octets go directly to a pipe or a device.
    Direct,
    /// The file is complete and renamed, or its partial file was handled.
    Done,
}

impl Target {
    /// Returns the requested path.
    pub fn path(&self) -> &Path {
        match self {
            Self::Free(path)
            | Self::Suggested(path)
            | Self::Skip(path)
            | Self::Resume(path)
            | Self::New(path)
            | Self::Replace(path) => path,
        }
    }

    /// Names a suggested target as the server says.
    pub(super) fn name_by_server(&mut self, request: &Request, begin: &PageHead) {
        if let Self::Suggested(path) = self {
            let own = path.file_name().unwrap_or_default().to_string_lossy();
            let here = begin.url.as_ref();
            let name = server_file_name(&own, &request.url, here, &begin.file_name);
            path.set_file_name(name);
        }
    }

    /// Refuses a target that cannot be written, before anything is downloaded. Blocks.
    pub(super) fn check(&self) -> Result<(), Error> {
        let path = self.path();
        if path.is_dir() {
            let sentence = "it is a directory; add a final / to save into it";
            let source = io::Error::new(io::ErrorKind::IsADirectory, sentence);
            return Err(create(path, source));
        }
        if matches!(self, Self::Skip(_)) && is_taken(path) {
            return Err(Error::AlreadyComplete);
        }
        if matches!(self, Self::New(_)) && is_taken(path) {
            return Err(create(path, name_taken("it exists already")));
        }
        Ok(())
    }

    /// Resolves the symbolic links of the target. Blocks.
    pub(super) fn resolve(&self) -> Result<ResolvedTarget, Error> {
        let named = |path, permissions| ResolvedTarget {
            path,
            final_name: FinalName::Named(self.clone()),
            permissions,
        };
        let path = match self {
            Self::New(path)
            | Self::Free(path)
            | Self::Suggested(path)
            | Self::Skip(path)
            | Self::Resume(path) => {
                return Ok(named(path.clone(), None));
            }
            Self::Replace(path) => path,
        };
        match fs::metadata(path) {
            Ok(is) if is.is_file() => {
                // The link stays, and its target is replaced.
                let resolved = fs::canonicalize(path);
                let resolved = resolved.map_err(|source| create(path, source))?;
                Ok(named(resolved, Some(is.permissions())))
            }
            Ok(_) => Ok(ResolvedTarget {
                path: path.clone(),
                final_name: FinalName::Direct,
                permissions: None,
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Ok(named(end_of_links(path), None))
            }
            Err(source) => Err(create(path, source)),
        }
    }
}

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

/// Creates a file without a name, in the directory of this path. Returns `None` if the system or the file system has none.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) fn create_nameless(path: &Path) -> Option<File> {
    use rustix::fs::{Mode, OFlags, open};
    let above = path.parent().filter(|above| !above.as_os_str().is_empty());
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    let mode = Mode::from_raw_mode(0o666);
    let file = File::from(open(above.unwrap_or(Path::new(".")), flags, mode).ok()?);
    // Without /proc it would never get a name.
    fs::symlink_metadata(own_link(&file))
        .is_ok()
        .then_some(file)
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
pub(in crate::transfer) async fn take_name(part: &Path, path: &Path) -> io::Result<()> {
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
    // The file system cannot rename without replacing. A crash between these two steps is detected when the partial file is
    // searched.
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
fn is_taken(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// Follows a chain of links to the path where a file will be created; returns a path that is no link unchanged.
fn end_of_links(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        let Ok(next) = fs::read_link(&path) else {
            break;
        };
        // A relative link starts at its own directory; an absolute one replaces the path.
        path = path.parent().unwrap_or(Path::new("")).join(next);
    }
    path
}

pub(super) fn name_taken(sentence: &str) -> io::Error {
    io::Error::new(io::ErrorKind::AlreadyExists, sentence)
}

/// Returns the path of the partial file: `a.txt.part`.
pub(super) fn partial_path(base: &Path) -> PathBuf {
    let mut part = base.as_os_str().to_owned();
    part.push(".part");
    PathBuf::from(part)
}

/// Returns the names of the files of which this may be the partial file or its state.
pub(in crate::transfer) fn partial_bases(name: &Path) -> Option<[OsString; 2]> {
    let part = match name.extension()?.as_bytes() {
        b"geomys" => Path::new(name.file_stem()?),
        _ => name,
    };
    let base = part.as_os_str().as_bytes().strip_suffix(b".part")?;
    let unnumbered = base.strip_suffix(b")").and_then(|base| {
        let digits = base.iter().rev().take_while(|octet| octet.is_ascii_digit());
        let (base, _) = base.split_at(base.len() - digits.count());
        base.strip_suffix(b" (")
    });
    let name = |octets: &[u8]| OsString::from_vec(octets.to_owned());
    Some([name(base), name(unnumbered.unwrap_or(base))])
}

/// Returns the numbered variant of a path: the path itself for 1, then `a (2).txt`, `a (3).txt`, …
pub(in crate::transfer) fn numbered(path: &Path, number: usize) -> PathBuf {
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

/// Returns true if the file has this size, and this modification time if one is given.
pub(in crate::transfer) async fn is_complete(
    path: &Path,
    size: u64,
    modified: Option<&str>,
) -> bool {
    let Ok(is) = tokio::fs::metadata(path).await else {
        return false;
    };
    let is_same_time = match (modified.and_then(time), is.modified()) {
        (Some(expected), Ok(modified)) => expected == modified,
        (None, _) | (_, Err(_)) => true,
    };
    is.is_file() && is.len() == size && is_same_time
}

/// Treatment of a file that has the name of a download already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TakenName {
    /// The download gets the next free name: `a (2).txt`.
    #[default]
    Rename,
    /// Nothing is downloaded.
    Skip,
    /// The file is continued, if the server sends the same octets; otherwise the download gets the next free name.
    Resume,
    /// The file is replaced.
    Overwrite,
}

impl TakenName {
    /// The names of the policies, in settings.toml and on the command line.
    pub const NAMES: [(&str, Self); 4] = [
        ("rename", Self::Rename),
        ("skip", Self::Skip),
        ("resume", Self::Resume),
        ("overwrite", Self::Overwrite),
    ];

    /// Returns the policy with this name.
    pub fn named(name: &str) -> Option<Self> {
        let mut names = Self::NAMES.into_iter();
        names
            .find(|(one, _)| *one == name)
            .map(|(_, policy)| policy)
    }

    /// Returns the target of a download to this path, which the user has chosen.
    pub fn chosen(self, path: PathBuf) -> Target {
        match self {
            Self::Rename => Target::Free(path),
            Self::Skip | Self::Resume | Self::Overwrite => self.target(path),
        }
    }

    /// Returns the target of a download to this path, which is proposed: the server may give another name.
    pub fn target(self, path: PathBuf) -> Target {
        match self {
            Self::Rename => Target::Suggested(path),
            Self::Skip => Target::Skip(path),
            Self::Resume => Target::Resume(path),
            Self::Overwrite => Target::Replace(path),
        }
    }
}

/// Copies an existing file to the partial file of a download that resumes it. The file itself stays until the download is
/// complete. Blocks.
pub(super) fn adopt(path: &Path, url: &str) -> Result<(), Error> {
    let part = partial_path(path);
    let is = fs::symlink_metadata(path);
    let has_octets = is.is_ok_and(|is| is.is_file() && is.len() > 0);
    if !has_octets || is_taken(&part) || is_taken(&state::beside(&part)) {
        return Ok(());
    }
    let copied = copy(path, &part).and_then(|octets| {
        let state = State {
            url: url.to_owned(),
            octets: Some(octets),
            ..State::default()
        };
        state.write(&part)
    });
    copied.map_err(|source| create(&part, source))
}

fn copy(from: &Path, to: &Path) -> io::Result<u64> {
    let mut options = OpenOptions::new();
    let mut copy = options.write(true).create_new(true).open(to)?;
    let copied = File::open(from).and_then(|mut file| io::copy(&mut file, &mut copy));
    if copied.is_err() {
        // An incomplete copy is of no use.
        let _ = fs::remove_file(to);
    }
    copied
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
    fn names_of_partial_files_are_recognized() {
        for (name, expected) in [
            ("a.txt.part", Some(["a.txt", "a.txt"])),
            ("a.txt (2).part", Some(["a.txt (2)", "a.txt"])),
            ("a.part.geomys", Some(["a", "a"])),
            ("a (12).part.geomys", Some(["a (12)", "a"])),
            ("a (x).part", Some(["a (x)", "a (x)"])),
            ("a.txt", None),
            ("part", None),
        ] {
            let expected = expected.map(|names| names.map(OsString::from));
            assert_eq!(partial_bases(Path::new(name)), expected, "{name}");
        }
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
