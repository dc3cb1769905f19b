//! The imports between the source files of both packages.
//!
//! A file imports another one if it names something that the other one defines: in a `use`, or by a path in its code. A
//! re-export counts as the file that defines the name. A declaration `mod x;` and a call of a method are no imports.

use std::collections::{BTreeMap, BTreeSet};

/// The path of a module from the root, or of an item from a module.
type Path = Vec<String>;

/// The code of one file.
struct Module {
    /// The code without comments, literals, tests and `use` declarations.
    code: String,
    /// The imported names with their paths; `*` for all names of a module.
    uses: Vec<(String, Path)>,
    /// The re-exported names.
    exports: BTreeSet<String>,
    /// The names that the file defines.
    items: BTreeSet<String>,
}

/// The source files, as modules.
pub struct Modules(BTreeMap<Path, Module>);

impl Modules {
    /// Reads files, each a path below its `src` and its text.
    pub fn read(files: impl IntoIterator<Item = (String, String)>) -> Self {
        let files = files.into_iter().map(|(name, text)| {
            let name = name.trim_end_matches(".rs");
            let path = name.split('/').filter(|part| *part != "lib");
            (path.map(str::to_owned).collect(), Module::read(&text))
        });
        Self(files.collect())
    }

    /// The imports: each file with the files that it imports, as paths of modules.
    pub fn imports(&self) -> BTreeMap<String, BTreeSet<String>> {
        let modules = self.0.iter().filter(|(path, _)| !path.is_empty());
        modules
            .map(|(path, module)| (path.join("/"), self.imports_of(path, module)))
            .collect()
    }

    fn imports_of(&self, path: &Path, module: &Module) -> BTreeSet<String> {
        let words = words(&module.code);
        let is_used = |name: &String| !module.exports.contains(name) || words.contains(name);
        let used = module.uses.iter().filter(|(name, _)| is_used(name));
        let paths = used
            .map(|(_, path)| path.clone())
            .chain(paths(&module.code));
        let found = paths.filter_map(|named| self.file_of(path, &named, 0));
        found
            .filter(|file| file != path)
            .map(|file| file.join("/"))
            .collect()
    }

    /// The module that defines what `named` names in `module`; `None` if that is a module itself, or no part of the packages.
    fn file_of(&self, module: &Path, named: &[String], depth: usize) -> Option<Path> {
        let (first, rest) = named.split_first()?;
        let parent = || module.split_last().map(|(_, parent)| parent.to_vec());
        match first.as_str() {
            "crate" => return self.file_of(&Path::new(), rest, depth),
            "self" => return self.file_of(module, rest, depth),
            "super" => return self.file_of(&parent()?, rest, depth),
            _ => {}
        }
        let child = [module.as_slice(), std::slice::from_ref(first)].concat();
        let inside = self.0.get(module)?;
        if self.0.contains_key(&child) {
            return self.file_of(&child, rest, depth);
        }
        // A path of re-exports may lead back to itself.
        if !inside.items.contains(first) && depth < 8 {
            let import = inside.uses.iter().find(|(name, _)| name == first);
            if let Some((_, path)) = import.filter(|(_, path)| path.first() != Some(first)) {
                let path = [path.as_slice(), rest].concat();
                return self.file_of(module, &path, depth + 1);
            }
        }
        // What is not found was made by a macro of the module, or is from another crate: then it names no other file.
        Some(module.clone())
    }
}

impl Module {
    fn read(text: &str) -> Self {
        let (mut code, mut uses, mut exports) = (String::new(), Vec::new(), BTreeSet::new());
        let text = code_of(text);
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let (visibility, rest) = match line.trim_start().split_once("use ") {
                Some((before, rest)) if before.is_empty() || before.starts_with("pub") => {
                    (before, rest)
                }
                _ => {
                    if !line.trim_start().starts_with("mod ") && !line.contains(" mod ") {
                        code.push_str(line);
                    }
                    code.push('\n');
                    continue;
                }
            };
            let mut tree = rest.to_owned();
            while !tree.contains(';') {
                tree.push_str(lines.next().unwrap_or(";"));
            }
            let mut found = Vec::new();
            flatten(tree.trim_end_matches(';'), &Path::new(), &mut found);
            if !visibility.is_empty() {
                exports.extend(found.iter().map(|(name, _)| name.clone()));
            }
            uses.extend(found);
        }
        let items = code.lines().filter_map(item).collect();
        Self {
            code,
            uses,
            exports,
            items,
        }
    }
}

/// The name of the item that a line defines, if it is one of the module itself.
fn item(line: &str) -> Option<String> {
    const KINDS: [&str; 8] = [
        "struct", "enum", "union", "trait", "type", "fn", "const", "static",
    ];
    if line.starts_with(' ') {
        return None;
    }
    let words = line.split(|c: char| !is_word(c));
    let mut words = words.filter(|word| !word.is_empty());
    words.find(|word| KINDS.contains(word))?;
    words.find(|word| !KINDS.contains(word)).map(str::to_owned)
}

/// Adds the names of a `use` tree with their paths.
fn flatten(tree: &str, before: &Path, found: &mut Vec<(String, Path)>) {
    let (mut depth, mut start) = (0, 0);
    let mut parts = Vec::new();
    for (at, letter) in tree.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&tree[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&tree[start..]);
    for part in parts
        .into_iter()
        .map(str::trim)
        .filter(|part| !part.is_empty())
    {
        let (head, group) = part.split_once('{').unwrap_or((part, ""));
        let (head, alias) = head.split_once(" as ").unwrap_or((head, ""));
        let names = head.split("::").map(str::trim);
        let names = names.filter(|name| !name.is_empty() && (*name != "self" || before.is_empty()));
        let mut path = before.clone();
        path.extend(names.map(str::to_owned));
        if part.contains('{') {
            flatten(group.trim_end().trim_end_matches('}'), &path, found);
        } else if let Some(last) = path.last() {
            let name = if alias.is_empty() { last } else { alias.trim() };
            found.push((name.to_owned(), path.clone()));
        }
    }
}

/// The paths of two names or more in code.
fn paths(code: &str) -> Vec<Path> {
    let pieces = code.split(|c: char| !is_word(c) && c != ':');
    let pieces = pieces.filter(|piece| piece.contains("::"));
    let path = |piece: &str| -> Path {
        let names = piece.trim_matches(':').split("::");
        names.map(str::to_owned).collect()
    };
    pieces
        .map(path)
        .filter(|path| path.len() > 1 && !path[0].is_empty())
        .collect()
}

fn words(code: &str) -> BTreeSet<String> {
    code.split(|c: char| !is_word(c))
        .map(str::to_owned)
        .collect()
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// The code of a file without comments, the contents of literals, and the module of tests.
fn code_of(text: &str) -> String {
    let text = text.split("\nmod tests {").next().unwrap_or("");
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let is_name = code.ends_with(is_word);
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("r#\"") && !is_name {
            rest.find("\"#").map_or(rest.len(), |end| end + 2)
        } else if rest.starts_with("r\"") && !is_name {
            rest[2..].find('"').map_or(rest.len(), |end| end + 3)
        } else if letter == '"' {
            literal(rest)
        } else if letter == '\'' {
            character(rest)
        } else {
            0
        };
        if length == 0 {
            code.push(letter);
            rest = &rest[letter.len_utf8()..];
        } else {
            code.push(' ');
            rest = &rest[length..];
        }
    }
    code
}

/// The length of the string literal at the start of `rest`.
fn literal(rest: &str) -> usize {
    let mut escaped = false;
    let end = rest[1..].find(|letter| {
        let is_end = letter == '"' && !escaped;
        escaped = letter == '\\' && !escaped;
        is_end
    });
    end.map_or(rest.len(), |end| end + 2)
}

/// The length of the character literal at the start of `rest`; 0 for a lifetime.
fn character(rest: &str) -> usize {
    let mut letters = rest.char_indices().skip(1);
    match (letters.next(), letters.next()) {
        (Some((_, '\\')), Some((at, _))) => {
            let from = at + 1;
            rest[from..].find('\'').map_or(0, |end| from + end + 1)
        }
        (Some(_), Some((at, '\''))) => at + 1,
        _ => 0,
    }
}
