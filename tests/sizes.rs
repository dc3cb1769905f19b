//! The sizes of the parts of `crates/app`, which grow without an error of the compiler: methods of a type, fields of a page and
//! of a request, and functions that pass the tabs on.

use std::collections::BTreeMap;

use crate::support::sources::sources;

/// The code of the files of the app, as rustfmt has written it.
fn app() -> BTreeMap<String, String> {
    let mut files = sources();
    files.retain(|file, _| file.contains("/crates/app/src/"));
    assert!(files.len() > 100, "the search has lost its way");
    files
}

/// The text after `fn` of each function in these columns: its name and its parameters.
fn functions<'a>(code: &'a str, indent: &'a str) -> impl Iterator<Item = &'a str> {
    let starts = code.match_indices("fn ").filter_map(move |(at, _)| {
        let line = code[..at].rsplit('\n').next()?;
        let before = line.strip_prefix(indent)?;
        let is_item = !before.starts_with(' ')
            && ["", "pub", "const", "async"].contains(&before.split(['(', ' ']).next()?);
        is_item.then(|| &code[at + 3..])
    });
    starts.map(|rest| rest.split(" {\n").next().unwrap())
}

/// The type and the code of each block of methods; implementations of traits are left out.
fn blocks(code: &str) -> impl Iterator<Item = (&str, &str)> {
    code.split("\nimpl").skip(1).filter_map(|block| {
        let (head, body) = block.split_once('{')?;
        // The parameters of the block come before the name.
        let head = head
            .strip_prefix('<')
            .and_then(|head| head.split_once("> "));
        let name = head.map_or(block, |(_, head)| head).trim_start();
        let name = name.split(|c: char| !c.is_alphanumeric() && c != '_');
        let is_trait = block.split('{').next()?.contains(" for ");
        Some((name.into_iter().next()?, body.split("\n}").next()?)).filter(|_| !is_trait)
    })
}

/// The number of fields of a type.
fn fields(code: &str, name: &str) -> usize {
    let (_, body) = code.split_once(&format!("pub struct {name} {{")).unwrap();
    let body = body.split("\n}").next().unwrap();
    let is_field =
        |line: &&str| line.starts_with("    ") && !line.starts_with("     ") && line.contains(": ");
    body.lines().filter(is_field).count()
}

#[test]
fn no_type_of_the_app_has_all_the_methods() {
    let files = app();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (file, code) in &files {
        for (name, body) in blocks(code) {
            *counts.entry(name).or_default() += functions(body, "    ").count();
            let is_there = name != "Tabs" || file.contains("/app/src/tabs");
            assert!(is_there, "methods of the tabs stand in {file}");
        }
    }
    assert!(counts["Tabs"] > 40, "the search has lost its way");
    counts.retain(|name, count| *count > if *name == "Tabs" { 80 } else { 60 });
    assert!(counts.is_empty(), "{counts:?}");
}

#[test]
fn pages_and_requests_have_few_fields() {
    let files = sources();
    let code = |end: &str| {
        let (_, code) = files.iter().find(|(file, _)| file.ends_with(end)).unwrap();
        code
    };
    let page = fields(code("/app/src/tabs/page.rs"), "Page");
    let request = fields(code("crates/load/src/request.rs"), "Request");
    assert!((5..=14).contains(&page), "{page} fields of a page");
    assert!((5..=16).contains(&request), "{request} fields of a request");
}

#[test]
fn no_free_function_changes_the_tabs() {
    for (file, code) in app() {
        let found = functions(&code, "").find(|function| function.contains("&mut Tabs"));
        assert_eq!(found, None, "{file}");
    }
}

#[test]
fn few_functions_return_an_empty_option() {
    let files = app();
    let functions = files
        .iter()
        .flat_map(|(file, code)| code.matches("-> Option<()> {").map(move |_| file));
    let found: Vec<_> = functions.collect();
    assert!(found.len() <= 6, "{found:?}");
}
