//! Target of a download, the names derived from it, and the treatment of a file that has its name already.

use std::ffi::OsString;
use std::fs::{File, OpenOptions, Permissions};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::{fs, io};

use geomys_load::{PageHead, Request, server_file_name};
use geomys_wire::net::TransferEnd;

use super::final_name::{is_taken, name_taken};
use super::state;
use super::state::{State, time};
use super::{CUT, EMPTY, Error, KeepPolicy, ShorterFilePolicy, create};

/// Maximum number of names that are tried if a name is taken: `a.txt`, `a (2).txt`, …
pub const NAMES: usize = 999;

/// Maximum number of symbolic links that are followed to a file that does not exist yet; the limit of Linux.
const LINKS: usize = 40;

/// Target of a download.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// This path, or the next free one like it: `a (2).txt`.
    Free(PathBuf),
    /// The name that the server gives the file, in the directory of this path, else this path; or the next free one
    /// like it.
    Suggested(PathBuf),
    /// This path; if it exists, nothing is downloaded.
    Skip(PathBuf),
    /// This path; an existing file is continued if the server sends the same octets. Otherwise the next free one like
    /// it.
    Resume(PathBuf),
    /// This path and no other; it must not exist.
    New(PathBuf),
    /// This path; an existing file is replaced at the end. A symbolic link stays and its target is replaced; a pipe or
    /// a device is written directly.
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
    /// Returns the path of the file that is to be replaced, if it stays as what came with this end and length is, or
    /// may be, less; and the reason. Blocks.
    pub(super) fn kept_file(
        &self,
        policy: KeepPolicy,
        end: TransferEnd,
        length: u64,
    ) -> Option<(PathBuf, &'static str)> {
        let FinalName::Named(Target::Replace(path)) = &self.final_name else {
            return None;
        };
        let is_longer = || fs::metadata(path).is_ok_and(|is| is.len() > length);
        if policy.is_page && length == 0 && is_longer() {
            return Some((path.clone(), EMPTY));
        }
        let is_kept = match policy.shorter {
            ShorterFilePolicy::Replace => false,
            ShorterFilePolicy::Leave => end.is_unconfirmed() && is_longer(),
            ShorterFilePolicy::LeaveWhole => end.may_be_cut() && path.is_file(),
        };
        is_kept.then(|| (path.clone(), CUT))
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

/// Returns the path of the partial file: `a.txt.part`.
pub(super) fn partial_path(base: &Path) -> PathBuf {
    let mut part = base.as_os_str().to_owned();
    part.push(".part");
    PathBuf::from(part)
}

/// Returns the names of the files of which this may be the partial file or its state.
pub fn partial_bases(name: &Path) -> Option<[OsString; 2]> {
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
pub fn numbered(path: &Path, number: usize) -> PathBuf {
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
pub async fn is_complete(path: &Path, size: u64, modified: Option<&str>) -> bool {
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

/// Copies an existing file to the partial file of a download that resumes it. The file itself stays until the download
/// is complete. Blocks.
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
