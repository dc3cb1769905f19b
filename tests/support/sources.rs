//! The source files of all packages.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, iter};

/// The directories of the sources, below the root of the repository.
pub const ROOTS: [&str; 9] = [
    "src",
    "crates/rfc1738/src",
    "crates/wire/src",
    "crates/page/src",
    "crates/load/src",
    "crates/store/src",
    "crates/crawl/src",
    "crates/app/src",
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

/// The code of every file, without comments, literals and unit tests.
pub fn sources() -> BTreeMap<String, String> {
    let code = |text: &str| -> String {
        let text = text.split("#[cfg(test)]").next().unwrap();
        let lines = text.lines().map(|line| line.split("//").next().unwrap());
        lines
            .flat_map(|line| line.split('"').step_by(2).chain(iter::once("\n")))
            .collect()
    };
    let files = source_files().into_iter().map(|(_, path)| {
        let text = fs::read_to_string(&path).unwrap();
        (path.to_str().unwrap().to_owned(), code(&text))
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
