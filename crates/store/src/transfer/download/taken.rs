//! Files that exist already under the name of a download.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use geomys_wire::task::blocking;

use super::order::{Error, create};
use super::state::{self, State};
use super::target::{Target, partial_path};

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
/// complete.
pub(super) async fn adopt(path: &Path, url: &str) -> Result<(), Error> {
    let (path, url) = (path.to_owned(), url.to_owned());
    blocking(move || {
        let part = partial_path(&path);
        let is = fs::symlink_metadata(&path);
        let has_octets = is.is_ok_and(|is| is.is_file() && is.len() > 0);
        let is_taken = |path: &Path| fs::symlink_metadata(path).is_ok();
        if !has_octets || is_taken(&part) || is_taken(&state::beside(&part)) {
            return Ok(());
        }
        let copied = copy(&path, &part).and_then(|octets| {
            let state = State {
                url,
                octets: Some(octets),
                ..State::default()
            };
            state.write(&part)
        });
        copied.map_err(|source| create(&part, source))
    })
    .await
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
    use super::*;

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
