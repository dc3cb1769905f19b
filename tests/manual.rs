//! The manual pages, the completions, the configuration commands and the version, as a user runs them.

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

use geomys::config::{CONFIG_FILES, Environment, UserPaths, read};
use geomys_app::action::Action;
use geomys_app::manual::{TOPICS, Topic};

use crate::support::command::{geomys, text, unread};

fn stdout(arguments: &[&str]) -> String {
    let output = geomys(arguments, "");
    assert_eq!(output.status.code(), Some(0), "{arguments:?} {output:?}");
    text(&output.stdout)
}

#[test]
fn manual_has_a_page_for_every_command_and_topic() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("pages");
    stdout(&["man", "--out", out.to_str().unwrap()]);
    let mut names: Vec<String> = fs::read_dir(&out)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    for expected in [
        "geomys.1",
        "geomys-bookmarks.1",
        "geomys-bookmarks-check.1",
        "geomys-completions.1",
        "geomys-config.1",
        "geomys-config.5",
        "geomys-dump.1",
        "geomys-get.1",
        "geomys-keys.5",
        "geomys-news.7",
        "geomys-urls.7",
    ] {
        assert!(
            names.iter().any(|name| name == expected),
            "{expected}: {names:?}"
        );
    }
    for topic in TOPICS {
        let prefix = format!("geomys-{}.", topic.name);
        assert!(
            names.iter().any(|name| name.starts_with(&prefix)),
            "{prefix}"
        );
    }
    assert!(!names.iter().any(|name| name.contains("help")), "{names:?}");
    // The references of the first page lead to pages.
    let first = fs::read_to_string(out.join("geomys.1")).unwrap();
    let (_, references) = first.split_once(".SH SEE ALSO").unwrap();
    for line in references
        .lines()
        .filter_map(|line| line.strip_prefix(".BR "))
    {
        let file = line
            .replace("\\-", "-")
            .replace(" (", ".")
            .replace([')', ','], "");
        assert!(names.contains(&file), "{line}");
    }
}

#[test]
fn manual_pages_are_formatted_without_warnings() {
    if Command::new("groff")
        .arg("--version")
        .stdout(Stdio::null())
        .status()
        .is_err()
    {
        let _ = writeln!(std::io::stderr(), "skipped: there is no groff");
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    stdout(&["man", "--out", directory.path().to_str().unwrap()]);
    for entry in fs::read_dir(directory.path()).unwrap() {
        let path = entry.unwrap().path();
        let output = Command::new("groff")
            .args(["-man", "-Tutf8", "-Kutf8", "-ww", "-z"])
            .arg(&path)
            .output()
            .unwrap();
        let said = text(&output.stderr);
        assert!(
            output.status.success() && said.is_empty(),
            "{}: {said}",
            path.display()
        );
    }
}

#[test]
fn manual_page_is_found_by_its_topic() {
    let page = stdout(&["man", "news"]);
    assert!(page.starts_with(".TH GEOMYS-NEWS 7"), "{page}");
    assert!(
        page.contains("score.txt") && page.contains("\\fB.\\fR opens the next unread"),
        "{page}"
    );
    assert!(stdout(&["man"]).contains("geomys\\-bookmarks(1)"));
    let output = geomys(&["man", "nonsense"], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("there are"), "{output:?}");
}

#[test]
fn keys_page_has_every_action_and_key() {
    let nowhere = UserPaths::new(Some("/nonexistent".into())).unwrap();
    let keymap = read(&nowhere, &Environment::default()).keymap;
    let page = Topic::named("keys").unwrap().text(&keymap);
    for action in Action::ALL {
        let name = format!(": {} ({})\n", action.doc(), action.name());
        assert!(page.contains(&name), "{action:?}");
        for key in keymap.keys_of(*action) {
            assert!(page.contains(&format!("`{key}`")), "{action:?} {key}");
        }
    }
}

#[test]
fn completions_are_printed_for_every_shell() {
    for (shell, mark) in [
        ("bash", "complete -F _geomys"),
        ("zsh", "#compdef geomys"),
        ("fish", "complete -c geomys"),
        ("elvish", "edit:completion:arg-completer[geomys]"),
        ("powershell", "Register-ArgumentCompleter"),
    ] {
        let script = stdout(&["completions", shell]);
        assert!(script.contains(mark), "{shell}");
        assert!(
            script.contains("bookmarks") && script.contains("completions"),
            "{shell}"
        );
    }
    assert_eq!(geomys(&["completions", "tcsh"], "").status.code(), Some(2));
    assert_eq!(unread(&["completions", "zsh"]).status.code(), Some(0));
}

#[test]
fn mistyped_command_suggests_the_command_and_looks_no_host_up() {
    for arguments in [
        &["compeltions"][..],
        &["bokmarks"],
        &["dump", "compeltions"],
    ] {
        let output = geomys(arguments, "");
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(
            text(&output.stderr).contains("did you mean geomys "),
            "{output:?}"
        );
    }
}

#[test]
fn config_check_lists_every_mistake_of_every_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().to_str().unwrap();
    let check = || geomys(&["--config", path, "config", "check"], "");
    let output = check();
    assert_eq!(
        (output.status.code(), text(&output.stdout)),
        (Some(0), String::new())
    );
    let write =
        |name: &str, content: &str| fs::write(directory.path().join(name), content).unwrap();
    write("settings.toml", "colour = 1\ncharset = \"klingon\"\n");
    write("keys.toml", "[global]\n\"Q\" = \"tab-close\"\n");
    write("theme.toml", "[styles]\nmenu = \"bleu\"\n");
    write("score.txt", "nonsense\n");
    let output = check();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(text(&output.stderr), "");
    let listed = text(&output.stdout);
    let places = [
        "settings.toml:1:1:",
        "settings.toml:2:11:",
        "keys.toml:2:7:",
        "theme.toml:2:8:",
        "score.txt:1:1:",
    ];
    assert_eq!(listed.lines().count(), places.len(), "{listed}");
    for place in places {
        assert!(
            listed.contains(&format!("{path}/{place}")),
            "{place}: {listed}"
        );
    }
    // Every other command reports the same on standard error.
    let output = geomys(&["--config", path, "bookmarks", "path"], "");
    assert_eq!(output.status.code(), Some(0));
    let reported = text(&output.stderr);
    let lines: Vec<&str> = reported
        .lines()
        .filter_map(|line| line.strip_prefix("geomys: "))
        .collect();
    assert_eq!(lines, listed.lines().collect::<Vec<_>>());
}

#[test]
fn config_show_prints_defaults_that_are_valid() {
    let directory = tempfile::tempdir().unwrap();
    let all = stdout(&["config", "show"]);
    for (name, content) in CONFIG_FILES {
        let file = name.trim_end_matches(".toml");
        assert_eq!(stdout(&["config", "show", file]), content);
        assert!(all.contains(content), "{name}");
        fs::write(directory.path().join(name), content).unwrap();
    }
    let path = directory.path().to_str().unwrap();
    assert_eq!(stdout(&["--config", path, "config", "check"]), "");
    let paths = stdout(&["--config", path, "config", "path"]);
    let names = [
        "settings.toml",
        "keys.toml",
        "theme.toml",
        "score.txt",
        "bookmarks.txt",
    ];
    let expected: String = names.map(|name| format!("{path}/{name}\n")).concat();
    assert_eq!(paths, expected);
}

#[test]
fn version_tells_how_the_program_was_built() {
    let version = format!("geomys {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(stdout(&["--version"]), version);
    assert_eq!(stdout(&["-V"]), version);
    let verbose = stdout(&["--version", "--verbose"]);
    assert!(verbose.starts_with(&version), "{verbose}");
    let images = if cfg!(feature = "images") {
        "features: images"
    } else {
        "features: "
    };
    for part in [images, "TLS: rustls", "target: "] {
        assert!(verbose.contains(part), "{verbose}");
    }
    assert_eq!(geomys(&["--verbose"], "").status.code(), Some(2));
}
