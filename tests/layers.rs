//! The layers of both packages: a module uses only the layers above its own, and its own. No more than three files import
//! each other in a circle.

mod imports;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use self::imports::Modules;
use crate::support::sources::source_files;

/// The largest number of files that may import each other in a circle.
const MAX_CIRCLE_FILES: usize = 3;

/// The modules by layer, the top one first; modules of one layer may use each other.
const LAYERS: [&[&str]; 7] = [
    &["text", "task"],
    &["net", "protocol"],
    &["document", "load"],
    &["bookmarks", "transfer", "files"],
    &["app", "keymap"],
    &["ui"],
    &["config", "run", "demo", "cli"],
];

#[test]
fn module_uses_only_the_layers_above_its_own() {
    let mut seen = 0;
    let mut faults = Vec::new();
    for (name, path) in source_files() {
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
fn no_more_than_three_files_import_each_other_in_a_circle() {
    let files = source_files().into_iter().filter(|(name, _)| {
        let name = name.file_name().unwrap();
        name != "main.rs" && name != "tests.rs"
    });
    let files = files.map(|(name, path)| {
        let name = name.to_str().unwrap().to_owned();
        (name, fs::read_to_string(&path).unwrap())
    });
    let imports = Modules::read(files).imports();
    let count: usize = imports.values().map(BTreeSet::len).sum();
    assert!(count > 2500, "only {count} imports were found");
    let circles = circles(&imports);
    let large = circles
        .iter()
        .filter(|circle| circle.len() > MAX_CIRCLE_FILES);
    let described: Vec<String> = large
        .map(|circle| format!("{} files:\n{}", circle.len(), arrows(circle, &imports)))
        .collect();
    assert!(described.is_empty(), "{}", described.join("\n"));
}

#[test]
fn circle_through_a_reexport_is_found() {
    let files = [
        ("lib.rs", "pub mod a;\npub mod b;\n"),
        (
            "a.rs",
            "mod one;\nmod two;\npub use self::one::One;\n\npub fn a() {\n    crate::b::b()\n}\n",
        ),
        ("a/one.rs", "use super::two;\n\npub struct One(two::Two);\n"),
        (
            "a/two.rs",
            "// use crate::b::b;\npub type Two = &'static str;\nconst TWO: &str = \"crate::b::b\";\n",
        ),
        (
            "b.rs",
            "use crate::a::{One, a as c};\n\npub fn b() {\n    c();\n}\n",
        ),
    ];
    let files = files.map(|(name, text)| (name.to_owned(), text.to_owned()));
    let imports = Modules::read(files).imports();
    let files = |file: &str| imports[file].iter().map(String::as_str).collect::<Vec<_>>();
    assert_eq!(files("a"), ["b"]);
    assert_eq!(files("a/one"), ["a/two"]);
    assert_eq!(files("a/two"), [""; 0]);
    assert_eq!(files("b"), ["a", "a/one"]);
    assert_eq!(circles(&imports), [BTreeSet::from(["a", "b"])]);
}

/// The sets of files that reach each other by imports.
fn circles(imports: &BTreeMap<String, BTreeSet<String>>) -> Vec<BTreeSet<&str>> {
    let reached: BTreeMap<&str, BTreeSet<&str>> = imports
        .keys()
        .map(|file| (file.as_str(), reached(file, imports)))
        .collect();
    let circle = |file: &&str| -> BTreeSet<&str> {
        let others = reached[file].iter().copied();
        others
            .filter(|other| reached[other].contains(file))
            .collect()
    };
    let circles: BTreeSet<_> = reached.keys().map(circle).collect();
    let circles = circles.into_iter().filter(|circle| circle.len() > 1);
    circles.collect()
}

/// The files that a file imports, and those that these import.
fn reached<'a>(
    file: &'a str,
    imports: &'a BTreeMap<String, BTreeSet<String>>,
) -> BTreeSet<&'a str> {
    let (mut reached, mut open) = (BTreeSet::new(), vec![file]);
    while let Some(file) = open.pop() {
        let next = imports[file].iter().map(String::as_str);
        open.extend(next.filter(|next| reached.insert(*next)));
    }
    reached
}

/// The imports within a circle, one a line.
fn arrows(circle: &BTreeSet<&str>, imports: &BTreeMap<String, BTreeSet<String>>) -> String {
    let mut lines = String::new();
    for from in circle {
        let within = imports[*from]
            .iter()
            .filter(|to| circle.contains(to.as_str()));
        for to in within {
            lines.push_str(&["  ", from, " -> ", to, "\n"].concat());
        }
    }
    lines
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
