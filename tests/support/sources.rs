//! The source files of both packages.

use std::fs;
use std::path::{Path, PathBuf};

/// The directories of the sources, below the root of the repository.
const ROOTS: [&str; 6] = [
    "src",
    "crates/rfc1738/src",
    "crates/wire/src",
    "crates/page/src",
    "crates/store/src",
    "crates/demo/src",
];

/// Returns all source files: the path below the package's directory of sources, and the whole path.
pub fn source_files() -> Vec<(PathBuf, PathBuf)> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
    let roots = ROOTS.map(|root| repository.join(root));
    let files = roots.iter().flat_map(|root| {
        let files = files_below(root).into_iter();
        files.map(move |path| (path.strip_prefix(root).unwrap().to_owned(), path))
    });
    files.collect()
}

fn files_below(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_below(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}
