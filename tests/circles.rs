//! What the compiler does not see of `crates/app`: circles of files, which may only shrink, and that views do not know the tabs.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::sources::sources;

type Names<'a> = BTreeMap<&'a str, &'a str>;

/// Names that the standard library has too.
const STANDARD: &str = "filter is_empty next new push iter len get map tab find path take insert remove entry drain first \
    last position contains clear index flush write read send recv lock join trim lines count min max split zip rev chain any \
    all extend retain sort cmp eq hash clone fmt from into default parse to_string as_str as_ref unwrap then ok err finish";

fn words(code: &str) -> impl Iterator<Item = &str> {
    let words = code.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| !word.is_empty())
}

/// The names that one of `kinds` defines once in all files, with that file.
fn defined<'a>(files: &'a BTreeMap<String, String>, kinds: &[&str]) -> Names<'a> {
    let mut found: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (file, code) in files {
        for (kind, name) in words(code).zip(words(code).skip(1)) {
            if kinds.contains(&kind) {
                found.entry(name).or_default().push(file);
            }
        }
    }
    let single = found.into_iter().filter(|(_, files)| files.len() == 1);
    single.map(|(name, files)| (name, files[0])).collect()
}

/// The names that code imports, or writes with their path; re-exports do not count.
fn imported(code: &str) -> impl Iterator<Item = &str> {
    let uses = code.split(';').filter_map(|part| part.rsplit_once("use "));
    let uses = uses.filter(|(before, _)| before.is_empty() || before.ends_with('\n'));
    let paths = code.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
    let paths = paths.filter(|path| path.starts_with("crate::") || path.starts_with("super::"));
    uses.map(|(_, path)| path).chain(paths).flat_map(words)
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

/// The files that a file reaches.
fn reached<'a>(from: &str, arrows: &BTreeMap<&str, BTreeSet<&'a str>>) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&'a str> = arrows[from].iter().copied().collect();
    while let Some(file) = open.pop() {
        if reached.insert(file) {
            open.extend(&arrows[file]);
        }
    }
    reached
}

/// The sizes of the circles, the largest first.
fn circles(arrows: &BTreeMap<&str, BTreeSet<&str>>) -> Vec<usize> {
    let reached = arrows.keys().map(|file| (*file, reached(file, arrows)));
    let reached: BTreeMap<_, _> = reached.collect();
    // Files of one circle reach the same files, and themselves.
    let mut circles: BTreeMap<_, usize> = BTreeMap::new();
    for (file, found) in &reached {
        if found.contains(file) {
            *circles.entry(found).or_default() += 1;
        }
    }
    let mut sizes: Vec<usize> = circles.into_values().collect();
    sizes.sort_by(|a, b| b.cmp(a));
    sizes
}

#[test]
fn circles_of_files_in_the_app_do_not_grow() {
    let files = sources();
    let types = defined(
        &files,
        &["struct", "enum", "trait", "type", "const", "static"],
    );
    let mut functions = defined(&files, &["fn"]);
    functions.retain(|name, _| !words(STANDARD).any(|word| word == *name));
    let is_app = |file: &str| file.contains("/crates/app/src/");
    // Circles by imports, by calls, and by both: the files in the largest, and in all. Lower them when they shrink.
    for (imports, calls, largest, all) in [
        (true, false, 2, 4),
        (false, true, 4, 8),
        (true, true, 117, 117),
    ] {
        let arrows = files
            .iter()
            .filter(|(file, _)| is_app(file))
            .map(|(file, code)| {
                let imported = imported(code)
                    .filter(|_| imports)
                    .filter_map(|name| types.get(name));
                let called = called(code)
                    .filter(|_| calls)
                    .filter_map(|name| functions.get(name));
                let to = imported.chain(called).copied();
                (
                    file.as_str(),
                    to.filter(|to| is_app(to) && to != file).collect(),
                )
            });
        let sizes = circles(&arrows.collect());
        let found = (
            sizes.first().copied().unwrap_or(0),
            sizes.iter().sum::<usize>(),
        );
        assert!(found.0 > 1, "the search has lost its way");
        assert!(
            found.0 <= largest && found.1 <= all,
            "imports {imports}, calls {calls}: {sizes:?}"
        );
    }
}

#[test]
fn views_name_nothing_of_the_tabs() {
    let files = sources();
    let defined = defined(&files, &["struct", "enum", "trait"]);
    let views = files
        .iter()
        .filter(|(file, _)| file.contains("/app/src/view"));
    assert!(views.clone().count() > 20, "the search has lost its way");
    for (file, code) in views {
        let is_of_tabs = |name: &&str| {
            let from = defined.get(name);
            *name == "tabs" || from.is_some_and(|from| from.contains("/app/src/tabs"))
        };
        assert_eq!(imported(code).find(is_of_tabs), None, "{file}");
    }
}
