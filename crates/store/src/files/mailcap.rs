//! mailcap: viewers of files by media type (RFC 1524).
//!
//! ```text
//! entry   = type-pattern ";" command *( ";" field )     ; a "\" at a line's end continues it, "#" begins a comment
//! pattern = type [ "/" ( subtype / "*" ) ]
//! command = *( octet / "%s" / "%t" / "%%" )
//! field   = flag / name "=" value
//! ```
//!
//! A command is a shell command line, and Geomys starts no shell: only a command that equals an argument vector (words,
//! quotes, `%s`, `%t`) is accepted. Any other is stored as refused, with the reason. Also refused are a command with a
//! `test`, which is a shell command line too, a command that reads the file from a pipe, a command that gives a program
//! code to run, and a command with `%s` or `%t` inside a word: the values come from a server, and must be whole
//! arguments. Parsing never fails.

use std::path::PathBuf;

use super::command::CommandTemplate;
use super::regular;

/// Entry of a mailcap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Media type in lower case: `image/gif`, `image/*`.
    pub pattern: String,
    /// Viewer, or the reason why Geomys does not run it.
    pub viewer: Result<Viewer, RefusedCommand>,
}

/// Program that shows a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Viewer {
    /// Command; `{file}` and `{type}` are filled in.
    pub command: CommandTemplate,
    /// True if the program needs the terminal; otherwise it has a window of its own.
    pub needs_terminal: bool,
}

/// Command that is not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedCommand {
    /// Name of the program, as far as it can be parsed.
    pub program: String,
    /// Reason of the refusal.
    pub reason: &'static str,
}

/// Reads the entries of the files that exist, in their order.
pub fn read(paths: &[PathBuf]) -> Vec<Entry> {
    let texts = paths
        .iter()
        .filter_map(|path| regular::read(path, regular::BY_HAND).ok());
    texts
        .flat_map(|octets| parse(&String::from_utf8_lossy(&octets)))
        .collect()
}

/// Parses the entries of a file.
pub fn parse(text: &str) -> Vec<Entry> {
    let mut lines = Vec::new();
    let mut current = String::new();
    for line in text.lines() {
        if current.is_empty() && line.trim_start().starts_with('#') {
            continue;
        }
        current.push_str(line);
        if current.ends_with('\\') {
            current.pop();
        } else {
            lines.push(std::mem::take(&mut current));
        }
    }
    lines.push(current);
    lines.iter().filter_map(|line| entry(line)).collect()
}

/// Returns the first viewer for a media type, exact or by its main type, that can be run; else the first refused one.
pub fn viewer<'a>(entries: &'a [Entry], mime: &str) -> Option<&'a Result<Viewer, RefusedCommand>> {
    let mime = mime.to_ascii_lowercase();
    let main = mime.split('/').next().unwrap_or_default();
    let matches = |entry: &&Entry| {
        entry.pattern == mime
            || entry.pattern == main
            || entry.pattern.strip_suffix("/*") == Some(main)
    };
    let mut matching = entries.iter().filter(matches).map(|entry| &entry.viewer);
    let first = matching.clone().next();
    matching.find(|viewer| viewer.is_ok()).or(first)
}

fn entry(line: &str) -> Option<Entry> {
    let mut fields = fields(line).into_iter();
    let pattern = fields.next()?.trim().to_ascii_lowercase();
    let command = fields.next()?.trim().to_owned();
    if pattern.is_empty() || command.is_empty() {
        return None;
    }
    let fields: Vec<String> = fields
        .map(|field| field.trim().to_ascii_lowercase())
        .collect();
    let program = command.split_whitespace().next().unwrap_or_default();
    let viewer = viewer_of(&command, &fields).map_err(|reason| RefusedCommand {
        program: program.to_owned(),
        reason,
    });
    Some(Entry { pattern, viewer })
}

/// Returns the viewer of a command and its fields, or the reason why it is not run.
fn viewer_of(command: &str, fields: &[String]) -> Result<Viewer, &'static str> {
    let mut tests = fields.iter().filter_map(|field| field.strip_prefix("test"));
    if tests.any(|rest| rest.trim_start().starts_with('=')) {
        return Err("its test needs a shell");
    }
    let words = words(command)?;
    check(&words)?;
    if !words.iter().any(|word| word == FILE) {
        return Err("it reads the file from a pipe");
    }
    let flag = |name: &str| fields.iter().any(|field| field == name);
    Ok(Viewer {
        command: CommandTemplate::new(words).ok_or("it names no program")?,
        needs_terminal: flag("needsterminal") || flag("copiousoutput"),
    })
}

/// Splits a line at each `;` without a `\` before it.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        let Some(field) = fields.last_mut() else {
            break;
        };
        match letter {
            '\\' => match letters.next() {
                Some(';') => field.push(';'),
                Some(other) => field.extend(['\\', other]),
                None => field.push('\\'),
            },
            ';' => fields.push(String::new()),
            other => field.push(other),
        }
    }
    fields
}

/// Splits a typed command into the program and its arguments. A `%` is an ordinary character.
///
/// # Errors
/// The reason why the command is not run, as that it needs a shell.
pub fn command_words(typed: &str) -> Result<Vec<String>, &'static str> {
    words(&typed.replace('%', "%%"))
}

/// Splits a shell command line into words, if that is possible without a shell.
fn words(command: &str) -> Result<Vec<String>, &'static str> {
    const SHELL: &str = "its command needs a shell";
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut letters = command.chars();
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            ('%', _) => {
                let placeholder = match letters.next() {
                    Some('s') => FILE,
                    Some('t') => TYPE,
                    Some('%') => "%",
                    _ => return Err("it uses a placeholder that Geomys does not support"),
                };
                word.get_or_insert_default().push_str(placeholder);
            }
            ('\'' | '"', None) => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (end, Some(open)) if end == open => quote = None,
            ('$' | '`' | '\\', None | Some('"')) => return Err(SHELL),
            (inside, Some(_)) => word.get_or_insert_default().push(inside),
            (blank, None) if blank.is_whitespace() => words.extend(word.take()),
            (
                '|' | '&' | ';' | '<' | '>' | '(' | ')' | '{' | '}' | '*' | '?' | '[' | '~' | '#'
                | '!',
                None,
            ) => {
                return Err(SHELL);
            }
            (plain, None) => word.get_or_insert_default().push(plain),
        }
    }
    if quote.is_some() {
        return Err(SHELL);
    }
    words.extend(word);
    // `VAR=value program` is shell syntax.
    if words
        .first()
        .is_some_and(|first: &String| first.contains('='))
    {
        return Err(SHELL);
    }
    Ok(words)
}

/// Placeholder for the file name.
const FILE: &str = "{file}";

/// Placeholder for the media type.
const TYPE: &str = "{type}";

/// Programs that run code from an argument: names, option letters, long options and subcommands.
const INTERPRETERS: [(&[&str], &str, &[&str]); 7] = [
    (
        &[
            "sh", "bash", "dash", "zsh", "ksh", "mksh", "pdksh", "ash", "fish", "csh", "tcsh",
            "yash", "rc", "es", "nu", "elvish", "busybox", "toybox", "pwsh", "eval",
        ],
        "ce",
        &["--command", "--commands", "--init-command"],
    ),
    (&["env"], "S", &["--split-string"]),
    (
        &[
            "perl",
            "ruby",
            "lua",
            "luajit",
            "osascript",
            "Rscript",
            "R",
            "expect",
        ],
        "eEc",
        &["--eval"],
    ),
    (
        &["python", "pypy", "su", "runuser", "script", "flock"],
        "c",
        &["--command"],
    ),
    (
        &["node", "nodejs", "deno", "bun", "guile"],
        "epc",
        &["--eval", "--print", "eval"],
    ),
    (&["php"], "rBRE", &["--run"]),
    // The first argument of awk is code already.
    (&["awk", "gawk", "mawk", "nawk", "original-awk"], "", &[]),
];

/// Accepts words in which a filled-in value is always a whole argument, and no argument is code.
fn check(words: &[String]) -> Result<(), &'static str> {
    for placeholder in [FILE, TYPE] {
        let inside = |word: &String| word.contains(placeholder) && word != placeholder;
        if words.iter().any(inside) {
            return Err("it puts the name of the file, or its type, inside a longer word");
        }
    }
    // A shell may follow another program: `xterm -e sh -c …`.
    for (at, word) in words.iter().enumerate() {
        if runs_code(word, words.get(at + 1..).unwrap_or_default()) {
            return Err("it gives a program code to run, as a shell would");
        }
    }
    Ok(())
}

/// Returns true if `program` runs one of its arguments, or the file itself, as code.
fn runs_code(program: &str, arguments: &[String]) -> bool {
    let name = program.rsplit('/').next().unwrap_or(program);
    // `python3.12` is Python.
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
    let first = arguments.iter().find(|argument| !argument.starts_with('-'));
    let runs_file = first.is_some_and(|first| first == FILE);
    let mut found = INTERPRETERS.iter();
    found.any(|(names, letters, words)| {
        let is_one = names.contains(&bare);
        let is_code = |argument: &String| {
            let word = argument.split('=').next().unwrap_or(argument);
            let cluster = argument.strip_prefix('-').unwrap_or_default();
            words.contains(&word)
                || !cluster.starts_with('-') && cluster.contains(|c| letters.contains(c))
        };
        is_one && (letters.is_empty() || runs_file || arguments.iter().any(is_code))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(line: &str) -> Result<Vec<String>, &'static str> {
        let entry = parse(line).remove(0);
        let viewer = entry.viewer.map_err(|refused| refused.reason)?;
        let filled = viewer
            .command
            .fill(&[("file", "/tmp/a b.gif"), ("type", "image/gif")]);
        Ok(filled.unwrap())
    }

    #[test]
    fn words_and_quotes_are_an_argument_vector() {
        for line in [
            "image/gif; feh %s",
            "image/gif; feh '%s'; test_me",
            "image/gif; feh \"%s\"; description=\"a; b\"",
            "image/gif; \\\n feh \\\n %s",
        ] {
            assert_eq!(one(line).unwrap(), ["feh", "/tmp/a b.gif"], "{line}");
        }
        assert_eq!(
            one("image/*; show --type %t 100%% 'a b' %s").unwrap(),
            ["show", "--type", "image/gif", "100%", "a b", "/tmp/a b.gif"]
        );
    }

    #[test]
    fn what_needs_a_shell_is_refused_with_the_reason() {
        for (line, why) in [
            ("image/gif; feh %s &", "needs a shell"),
            ("image/gif; feh %s \\; rm %s", "needs a shell"),
            ("image/gif; feh $HOME/%s", "needs a shell"),
            ("image/gif; feh \"`%s`\"", "needs a shell"),
            ("image/gif; feh < %s", "needs a shell"),
            ("image/gif; X=1 feh %s", "needs a shell"),
            ("image/gif; feh '%s", "needs a shell"),
            (
                "image/gif; feh %s; test=test -n \"$DISPLAY\"",
                "test needs a shell",
            ),
            ("image/gif; feh", "from a pipe"),
            ("image/*; sh -c 'cat %s'", "inside a longer word"),
            ("image/*; show --type=%t %s", "inside a longer word"),
            ("image/*; show 'a %s' %s", "inside a longer word"),
            ("image/*; show '{file} a' %s", "inside a longer word"),
            ("image/*; show x%t %s", "inside a longer word"),
            ("image/*; sh -c %s", "code to run"),
            ("image/*; /bin/bash -lc 'cat x' %s", "code to run"),
            ("image/*; env zsh -c 'cat x' %s", "code to run"),
            ("image/*; env -S 'sh x' %s", "code to run"),
            ("image/*; xterm -e fish -c 'cat x' %s", "code to run"),
            ("image/*; perl -ne print %s", "code to run"),
            ("image/*; python3.12 -c 'import x' %s", "code to run"),
            ("image/*; ruby -e x %s", "code to run"),
            ("application/x-sh; sh %s", "code to run"),
            ("image/*; env python3 -u %s", "code to run"),
            ("image/*; awk 'BEGIN {}' %s", "code to run"),
            (
                "image/gif; feh %{charset} %s",
                "a placeholder that Geomys does not support",
            ),
        ] {
            let refused = one(line).expect_err(line);
            assert!(refused.contains(why), "{line}: {refused}");
        }
        // An interpreter may run a script that the mailcap names; the file is its argument.
        assert!(one("image/gif; python3 show.py %s").is_ok());
        assert!(one("image/gif; xterm -e less %s").is_ok());
    }

    #[test]
    fn the_first_that_can_be_run_shows_a_type() {
        let text = "# comment\n\nimage/gif; a %s|b\nimage; c %s; needsterminal\nimage/gif; d %s\ntext/plain; e <%s\n; x\nodd\n";
        let entries = parse(text);
        assert_eq!(entries.len(), 4);
        let found = viewer(&entries, "Image/GIF").unwrap().as_ref().unwrap();
        assert_eq!(found.command.program(), "c");
        assert!(found.needs_terminal);
        let refused = viewer(&entries, "text/plain")
            .unwrap()
            .as_ref()
            .unwrap_err();
        assert_eq!(refused.program, "e");
        assert!(viewer(&entries, "audio/wav").is_none());
    }
}
