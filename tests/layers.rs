//! The layers of the package: a module uses only the layers above its own, and its own.

use std::fs;
use std::path::{Path, PathBuf};

/// The modules by layer, the top one first; modules of one layer may use each other.
const LAYERS: [&[&str]; 8] = [
    &["url"],
    &["text"],
    &["net", "protocol"],
    &["document", "load"],
    &["bookmarks", "transfer", "files"],
    &["app", "keymap"],
    &["ui"],
    &["config", "run", "demo", "cli"],
];

#[test]
fn module_uses_only_the_layers_above_its_own() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut seen = 0;
    let mut faults = Vec::new();
    for path in sources(&source) {
        let name = path.strip_prefix(&source).unwrap();
        let module = name
            .iter()
            .next()
            .unwrap()
            .to_str()
            .unwrap()
            .trim_end_matches(".rs")
            .to_owned();
        if matches!(module.as_str(), "lib" | "main") {
            continue;
        }
        let layer = layer_of(&module).unwrap_or_else(|| panic!("{module} stands in no layer"));
        let depth = name.iter().count();
        for (line, text) in fs::read_to_string(&path).unwrap().lines().enumerate() {
            // As many `super::` as the module's depth reach the root, which this test does not follow.
            if supers(text) >= depth && !text.contains("super::*") {
                faults.push(format!(
                    "{}:{}: super:: to the root",
                    name.display(),
                    line + 1
                ));
            }
            for used in uses(text) {
                seen += 1;
                match layer_of(used) {
                    Some(other) if other <= layer => {}
                    _ => faults.push(format!("{}:{}: {used}", name.display(), line + 1)),
                }
            }
        }
    }
    assert!(
        seen > 100,
        "only {seen} uses were found: the search has lost its way"
    );
    assert!(
        faults.is_empty(),
        "arrows that go down:\n{}",
        faults.join("\n")
    );
}

#[test]
fn url_layer_depends_on_std_alone() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let (_, dependencies) = manifest.split_once("[dependencies]\n").unwrap();
    let (dependencies, _) = dependencies.split_once("\n\n").unwrap();
    let names = dependencies
        .lines()
        .filter_map(|line| line.split(' ').next());
    let crates: Vec<String> = names.map(|name| name.replace('-', "_")).collect();
    assert!(crates.iter().any(|name| name == "tokio"), "{crates:?}");
    let source = root.join("src");
    let url = sources(&source.join("url"))
        .into_iter()
        .chain([source.join("url.rs")]);
    for path in url {
        for line in fs::read_to_string(&path).unwrap().lines() {
            for word in line.split(|c: char| !c.is_alphanumeric() && c != '_') {
                let named = line.contains(&format!("{word}::"));
                let foreign = word == "crate" || crates.iter().any(|name| name == word);
                assert!(!(named && foreign), "{}: {line}", path.display());
            }
        }
    }
}

fn layer_of(module: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&module))
}

/// The modules that a line names as `crate::module`.
fn uses(line: &str) -> impl Iterator<Item = &str> {
    line.split("crate::").skip(1).map(|rest| {
        let end = rest
            .find(|c: char| !c.is_alphanumeric() && c != '_')
            .unwrap_or(rest.len());
        &rest[..end]
    })
}

/// The longest run of `super::` in a line.
fn supers(line: &str) -> usize {
    let mut longest = 0;
    let mut rest = line;
    while let Some(at) = rest.find("super::") {
        let mut run = 0;
        rest = &rest[at..];
        while let Some(after) = rest.strip_prefix("super::") {
            run += 1;
            rest = after;
        }
        longest = longest.max(run);
    }
    longest
}

fn sources(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}
