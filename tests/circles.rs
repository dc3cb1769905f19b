//! What the compiler does not see: circles of files within a crate, and that views do not know the tabs.
//!
//! An arrow leads from a file to the one that defines a type it imports or names by its path, or a function it calls.
//! Only names that one file of all defines count, so what is found is a lower bound.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::support::sources::{ROOTS, sources};

/// The files of the largest circle of each crate, and of the folders in it whose own is larger than [`FOLDER`]. A
/// figure may only shrink: lower it when it does.
const LARGEST: [(&str, usize); 14] = [
    ("crates/app/src", 12),
    ("crates/app/src/news", 8),
    ("crates/crawl/src", 8),
    ("crates/crawl/src/tree", 8),
    ("crates/demo/src", 7),
    ("crates/load/src", 6),
    ("crates/page/src", 13),
    ("crates/page/src/document", 13),
    ("crates/rfc1738/src", 9),
    ("crates/store/src", 19),
    ("crates/store/src/bookmarks", 19),
    ("crates/store/src/transfer", 7),
    ("crates/wire/src", 14),
    ("crates/wire/src/net", 14),
];

/// The most files of a circle in a folder that is not listed.
const FOLDER: usize = 5;

/// Names that the standard library has too.
const STANDARD: &str = "filter is_empty next new push iter len get map tab find path take insert remove entry drain first \
    last position contains clear index flush write read send recv lock join trim lines count min max split zip rev chain any \
    all ancestors extend retain sort cmp eq hash clone fmt from into default parse to_string as_str as_ref unwrap then ok err finish";

type Files = BTreeMap<String, String>;
type Names<'a> = BTreeMap<&'a str, &'a str>;
type Arrows<'a> = BTreeMap<&'a str, BTreeSet<&'a str>>;

fn words(code: &str) -> impl Iterator<Item = &str> {
    let words = code.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| !word.is_empty())
}

/// The code of all files by their path below the repository. The handlers of the table of actions stand in the file
/// where its macro is expanded.
fn files() -> Files {
    let repository = concat!(env!("CARGO_MANIFEST_DIR"), "/");
    let mut files: Files = sources()
        .into_iter()
        .map(|(path, code)| {
            let path = path.strip_prefix(repository).unwrap().to_owned();
            // A lifetime is no item: the word behind it is no name of one.
            (path, code.replace("'static", ""))
        })
        .collect();
    let table = files.get_mut("crates/app/src/action.rs").unwrap();
    let (handlers, names): (Vec<_>, Vec<_>) = table
        .lines()
        .map(str::to_owned)
        .partition(|line| line.contains("|app|"));
    *table = names.join("\n");
    files
        .get_mut("crates/app/src/handlers.rs")
        .unwrap()
        .push_str(&handlers.join("\n"));
    files
}

/// The names that one of `kinds` defines in a single file of all.
fn defined<'a>(files: &'a Files, kinds: &[&str]) -> Names<'a> {
    let mut found: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (file, code) in files {
        for (kind, name) in words(code).zip(words(code).skip(1)) {
            if kinds.contains(&kind) {
                found.entry(name).or_default().insert(file);
            }
        }
    }
    let single = found.into_iter().filter(|(_, files)| files.len() == 1);
    single
        .filter_map(|(name, files)| Some((name, *files.first()?)))
        .collect()
}

/// The names that code imports, or writes with their path.
fn imported(code: &str) -> impl Iterator<Item = &str> {
    let uses = code
        .split(';')
        .filter_map(|part| part.rsplit_once("use "))
        .filter(|(before, _)| !before.ends_with(char::is_alphanumeric))
        .map(|(_, path)| path);
    let paths = code.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
    let paths = paths.filter(|path| path.starts_with("crate::") || path.starts_with("super::"));
    uses.chain(paths).flat_map(words)
}

/// The names of functions that code calls on a value or by a path.
fn called(code: &str) -> impl Iterator<Item = &str> {
    code.split('(').filter_map(|before| {
        let name = words(before).last().filter(|name| before.ends_with(name))?;
        before
            .strip_suffix(name)?
            .ends_with(['.', ':'])
            .then_some(name)
    })
}

/// The arrows between the files in a folder.
fn arrows<'a>(files: &'a Files, folder: &str, types: &Names<'a>, calls: &Names<'a>) -> Arrows<'a> {
    let is_inside = |file: &str| {
        Path::new(file).starts_with(folder) || file.strip_suffix(".rs") == Some(folder)
    };
    let inside = files.iter().filter(|(file, _)| is_inside(file));
    inside
        .map(|(file, code)| {
            let types = imported(code).filter_map(|name| types.get(name));
            let calls = called(code).filter_map(|name| calls.get(name));
            let to = types.chain(calls).copied();
            (
                file.as_str(),
                to.filter(|to| is_inside(to) && to != file).collect(),
            )
        })
        .collect()
}

/// The files that a file reaches.
fn reached<'a>(from: &str, arrows: &Arrows<'a>) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&'a str> = arrows[from].iter().copied().collect();
    while let Some(file) = open.pop() {
        if reached.insert(file) {
            open.extend(&arrows[file]);
        }
    }
    reached
}

/// The files of the largest circle.
fn largest_circle<'a>(arrows: &Arrows<'a>) -> Vec<&'a str> {
    // Files of one circle reach the same files, and themselves.
    let mut circles: BTreeMap<BTreeSet<&str>, Vec<&'a str>> = BTreeMap::new();
    for file in arrows.keys().copied() {
        let reached = reached(file, arrows);
        if reached.contains(file) {
            circles.entry(reached).or_default().push(file);
        }
    }
    circles
        .into_values()
        .max_by_key(Vec::len)
        .unwrap_or_default()
}

/// The crates, and the folders directly in them.
fn folders(files: &Files) -> BTreeSet<&str> {
    let mut folders = BTreeSet::new();
    for file in files.keys() {
        let root = ROOTS.iter().find(|root| Path::new(file).starts_with(root));
        let root = *root.unwrap();
        folders.insert(root);
        if let Some((name, _)) = file[root.len() + 1..].split_once('/') {
            folders.insert(&file[..root.len() + 1 + name.len()]);
        }
    }
    folders
}

#[test]
fn circles_of_files_do_not_grow() {
    let files = files();
    let types = defined(
        &files,
        &["struct", "enum", "trait", "type", "const", "static"],
    );
    let mut calls = defined(&files, &["fn"]);
    calls.retain(|name, _| !words(STANDARD).any(|word| word == *name));
    let mut grown = Vec::new();
    for folder in folders(&files) {
        let listed = LARGEST.iter().find(|(name, _)| *name == folder);
        let bar = listed.map_or(FOLDER, |(_, bar)| *bar);
        let circle = largest_circle(&arrows(&files, folder, &types, &calls));
        let count = circle.len();
        if count > bar {
            grown.push(format!("{folder}: {count} files, {bar} before: {circle:?}"));
        }
    }
    assert!(grown.is_empty(), "{}", grown.join("\n"));
}

#[test]
fn views_name_nothing_of_the_tabs() {
    let files = files();
    let defined = defined(&files, &["struct", "enum", "trait"]);
    let views = files
        .iter()
        .filter(|(file, _)| file.starts_with("crates/app/src/view"));
    assert!(views.clone().count() > 20, "the search has lost its way");
    for (file, code) in views {
        let is_of_tabs = |name: &&str| {
            let from = defined.get(name);
            *name == "tabs" || from.is_some_and(|from| from.starts_with("crates/app/src/tabs"))
        };
        assert_eq!(imported(code).find(is_of_tabs), None, "{file}");
    }
}
