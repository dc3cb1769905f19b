//! Names of local files below a directory that the user has named: one for each that a server has chosen, and no way
//! through a symbolic link.

use std::collections::hash_map::RandomState;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::hash::BuildHasher;
use std::path::{Component, Path, PathBuf};

use geomys_wire::text::{Charset, FileUse, local_file_name};

use geomys_store::transfer::download::numbered;

/// The name for what has none that a file may have.
const UNNAMED: &str = "unnamed";

/// Names that are given in one directory. No two are the same on a file system that does not tell cases apart. A
/// directory may have a million names, so that only a hash of each is kept.
#[derive(Default)]
pub(crate) struct DirectoryNames {
    hasher: RandomState,
    taken: HashSet<u64>,
    /// Last number that was tried for each name that was taken: many entries may get the same local name.
    tried: HashMap<u64, usize>,
}

impl DirectoryNames {
    /// Takes a name as it is: that of an earlier run.
    pub(crate) fn take(&mut self, name: &Path) {
        self.taken.insert(self.hasher.hash_one(folded(name)));
    }

    /// Returns a free name for a server's name, which is then taken.
    pub(crate) fn name(&mut self, octets: &[u8], charset: Charset) -> PathBuf {
        let name = PathBuf::from(mirror_name(octets, charset));
        let hash = self.hasher.hash_one(folded(&name));
        if self.taken.insert(hash) {
            return name;
        }
        let number = self.tried.entry(hash).or_insert(1);
        loop {
            *number += 1;
            let free = numbered(&name, *number);
            if self.taken.insert(self.hasher.hash_one(folded(&free))) {
                return free;
            }
        }
    }
}

/// Returns the name of an entry or a segment in a mirror.
pub(crate) fn mirror_name(octets: &[u8], charset: Charset) -> String {
    let name = local_file_name(octets, charset, FileUse::Mirror);
    name.unwrap_or_else(|| UNNAMED.to_owned())
}

/// Returns the path that all paths share which differ from it in the case of their letters only.
pub(crate) fn folded(path: &Path) -> PathBuf {
    match path.to_str() {
        Some(text) => text.to_lowercase().into(),
        None => path.to_owned(),
    }
}

/// Returns the path of a directory with its symbolic links resolved; as it is if it has none, or does not exist.
/// Blocks.
pub(crate) fn without_links(directory: &Path) -> PathBuf {
    let resolved = fs::canonicalize(directory);
    let plain = std::path::absolute(directory);
    match (resolved, plain) {
        (Ok(resolved), Ok(plain)) if resolved != plain => resolved,
        _ => directory.to_owned(),
    }
}

/// Returns the first symbolic link on the way from a directory to a path below it; what is above is the user's. A path
/// that is not below the directory counts as a link. Blocks.
pub(crate) fn link_below(directory: &Path, path: &Path) -> Option<PathBuf> {
    let mut way = directory.to_owned();
    if !path.starts_with(directory) {
        // The record of a directory has its real path.
        way = fs::canonicalize(directory).unwrap_or(way);
    }
    let Ok(below) = path.strip_prefix(&way).map(Path::to_owned) else {
        return Some(path.to_owned());
    };
    for part in below.components() {
        let Component::Normal(name) = part else {
            return Some(path.to_owned());
        };
        way.push(name);
        // What does not exist leads nowhere.
        let is = fs::symlink_metadata(&way).ok()?;
        if is.is_symlink() {
            return Some(way);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_that_differ_in_their_case_are_numbered() {
        let mut names = DirectoryNames::default();
        let mut name = |octets: &[u8]| {
            let name = names.name(octets, Charset::default());
            name.into_os_string().into_string().unwrap()
        };
        for (octets, expected) in [
            (b"README".as_slice(), "README"),
            (b"readme", "readme (2)"),
            (b"ReadMe", "ReadMe (3)"),
            (b"readme (2)", "readme (2) (2)"),
            (b"-rf", "_-rf"),
            (b"_-rf", "_-rf (2)"),
            (b"..", "unnamed"),
            (b"", "unnamed (2)"),
            (b".htaccess", ".htaccess"),
        ] {
            assert_eq!(name(octets), expected);
        }
    }

    #[test]
    fn link_below_a_directory_is_found_and_one_above_is_not() {
        let root = tempfile::tempdir().unwrap();
        let path = |name: &str| root.path().join(name);
        fs::create_dir_all(path("real/in/deep")).unwrap();
        symlink("real", path("named")).unwrap();
        symlink("in", path("real/link")).unwrap();
        symlink("nowhere", path("real/broken")).unwrap();
        let link = |to: &str| link_below(&path("named"), &path("named").join(to));
        assert_eq!(link("in/deep/new"), None);
        assert_eq!(link("none/deep"), None);
        assert_eq!(link("link/deep"), Some(path("named/link")));
        assert_eq!(link("broken"), Some(path("named/broken")));
        let real = fs::canonicalize(path("real")).unwrap();
        assert_eq!(link_below(&path("named"), &real.join("in/deep")), None);
        assert!(link("../other").is_some() && link("/other").is_some());
        assert_eq!(
            without_links(&path("named/in")),
            fs::canonicalize(path("real/in")).unwrap()
        );
    }

    proptest! {
        #[test]
        fn names_of_a_directory_differ_in_more_than_their_case(
            entries in proptest::collection::vec("(?i)[-._ ab\u{e9}/]{0,4}( \\(2\\))?|n{198,203}[ab]?", 0..40)
        ) {
            let mut names = DirectoryNames::default();
            let mut seen = HashSet::new();
            for entry in &entries {
                let name = names.name(entry.as_bytes(), Charset::default());
                prop_assert!(seen.insert(folded(&name)), "{name:?} twice");
                let text = name.to_str().unwrap();
                prop_assert!(text.len() <= 240 && !text.contains('/') && !text.starts_with('-'), "{text}");
                prop_assert!(!matches!(text, "" | "." | ".."));
            }
        }
    }
}
