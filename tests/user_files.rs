//! The user's own files: private from the first byte, regular files only, of limited size.

use std::fs;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use geomys::config::{Environment, UserPaths, read};
use geomys_testing::loading::url;
use tempfile::TempDir;

use crate::support::command::text;
use crate::support::terminal::Terminal;

/// Runs the binary with a home directory, under a umask that makes new files public.
fn run(home: &Path, arguments: &[&str]) -> Output {
    Command::new("sh")
        .args(["-c", "umask 0; exec \"$@\"", "sh"])
        .arg(env!("CARGO_BIN_EXE_geomys"))
        .args(arguments)
        .env_clear()
        .env("HOME", home)
        .output()
        .unwrap()
}

/// Every path below a directory, with its permissions.
fn modes(directory: &Path) -> Vec<(PathBuf, u32)> {
    let mut modes = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let metadata = fs::symlink_metadata(&path).unwrap();
        modes.push((path.clone(), metadata.permissions().mode() & 0o777));
        if metadata.is_dir() {
            modes.extend(self::modes(&path));
        }
    }
    modes
}

fn check_private(home: &Path) {
    for (path, mode) in modes(home) {
        let expected = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode, expected, "{}", path.display());
    }
}

fn is_temporary(path: &Path) -> bool {
    path.to_string_lossy().ends_with(".geomys-new")
}

fn make_pipe(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status();
    assert!(made.unwrap().success());
}

#[test]
fn files_and_directories_are_private_when_killed_at_any_step() {
    for step in ["opened", "written", "synced", "renamed"] {
        let home = tempfile::tempdir().unwrap();
        let added = run(home.path(), &["bookmarks", "add", "gopher://a.example/"]);
        assert!(added.status.success(), "{added:?}");
        let arguments = ["bookmarks", "--die-at", step, "add", "gopher://b.example/"];
        let killed = run(home.path(), &arguments);
        assert_eq!(killed.status.signal(), Some(9), "{killed:?}");
        let left = || {
            modes(home.path())
                .iter()
                .filter(|(path, _)| is_temporary(path))
                .count()
        };
        assert_eq!(left(), usize::from(step != "renamed"), "{step}");
        check_private(home.path());
        let added = run(home.path(), &["bookmarks", "add", "gopher://c.example/"]);
        assert!(added.status.success(), "{added:?}");
        assert_eq!(left(), 0, "{step}");
        check_private(home.path());
    }
}

#[test]
fn temporary_copy_of_a_state_is_swept_and_other_hidden_files_stay() {
    let home = tempfile::tempdir().unwrap();
    let add = |url| {
        assert!(
            run(home.path(), &["bookmarks", "add", url])
                .status
                .success()
        );
    };
    add("gopher://a.example/");
    add("gopher://b.example/");
    let states = home.path().join(".local/share/geomys/bookmarks");
    let (left, own) = (states.join(".9-x.txt.geomys-new"), states.join(".own"));
    fs::write(&left, "half").unwrap();
    fs::write(&own, "mine").unwrap();
    add("gopher://c.example/");
    assert!(!left.exists() && own.exists());
}

#[test]
fn data_directory_that_others_could_enter_is_closed_to_them() {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().join(".local/share/geomys");
    fs::create_dir_all(&data).unwrap();
    fs::set_permissions(&data, fs::Permissions::from_mode(0o755)).unwrap();
    assert!(run(home.path(), &["bookmarks", "list"]).status.success());
    let mode = fs::metadata(&data).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    // The permissions of a directory given by the user stay.
    let named = home.path().join("named");
    fs::create_dir(&named).unwrap();
    fs::set_permissions(&named, fs::Permissions::from_mode(0o755)).unwrap();
    let config = named.to_str().unwrap();
    assert!(
        run(home.path(), &["--config", config, "bookmarks", "list"])
            .status
            .success()
    );
    assert_eq!(
        fs::metadata(&named).unwrap().permissions().mode() & 0o777,
        0o755
    );
}

#[test]
fn bookmark_file_that_is_no_regular_file_is_neither_read_nor_replaced() {
    let home = tempfile::tempdir().unwrap();
    let (pipe, zero) = (home.path().join("pipe"), home.path().join("zero"));
    make_pipe(&pipe);
    std::os::unix::fs::symlink("/dev/zero", &zero).unwrap();
    for (path, what) in [
        (pipe.as_path(), "a named pipe"),
        (zero.as_path(), "a device"),
        (Path::new("/dev/null"), "a device"),
        (home.path(), "a directory"),
    ] {
        let name = path.to_str().unwrap();
        for rest in [&["list"][..], &["add", "gopher://a.example/"]] {
            let arguments = [&["--bookmarks", name, "bookmarks"], rest].concat();
            let refused = run(home.path(), &arguments);
            let said = text(&refused.stderr);
            assert_eq!(refused.status.code(), Some(1), "{said}");
            let sentence = format!("it is {what}, not a file");
            assert!(said.contains(&sentence) && said.contains(name), "{said}");
        }
    }
    assert!(fs::symlink_metadata(&pipe).unwrap().file_type().is_fifo());
    assert!(
        fs::symlink_metadata(&zero)
            .unwrap()
            .file_type()
            .is_symlink()
    );
    let null = fs::metadata("/dev/null").unwrap();
    assert!(null.file_type().is_char_device());
}

#[test]
fn configuration_file_that_is_a_pipe_is_a_reported_mistake() {
    let home = tempfile::tempdir().unwrap();
    let environment = Environment {
        netrc: Some(home.path().join("netrc")),
        ..Environment::default()
    };
    let places = UserPaths::new(Some(home.path().to_owned())).unwrap();
    let names = [
        "settings.toml",
        "score.txt",
        "netrc",
        "keys.toml",
        "theme.toml",
    ];
    for name in names {
        make_pipe(&home.path().join(name));
    }
    let mistakes = read(&places, &environment).errors;
    assert_eq!(mistakes.len(), names.len(), "{mistakes:?}");
    for (mistake, name) in mistakes.iter().zip(names) {
        let said = mistake.to_string();
        assert!(said.contains(name), "{said}");
        assert!(said.contains("it is a named pipe, not a file"), "{said}");
    }
    // The size limit of a hand-written file is far below this.
    let settings = home.path().join("settings.toml");
    fs::remove_file(&settings).unwrap();
    fs::File::create(&settings)
        .unwrap()
        .set_len(1 << 40)
        .unwrap();
    let mistakes = read(&places, &environment).errors;
    assert!(
        mistakes[0].to_string().contains("it is larger than"),
        "{}",
        mistakes[0]
    );
}

/// A profile in which every file that Geomys reads at start is a pipe without a writer.
fn profile_of_pipes() -> TempDir {
    let profile = tempfile::tempdir().unwrap();
    for name in [
        "settings.toml",
        "keys.toml",
        "theme.toml",
        "score.txt",
        "bookmarks.txt",
        "trust.txt",
        "charsets.txt",
        "transfers.txt",
        "checks.jsonl",
        "watched.jsonl",
        ".netrc",
        ".mailcap",
    ] {
        make_pipe(&profile.path().join(name));
    }
    profile
}

#[test]
fn browser_starts_where_every_file_is_a_pipe() {
    let profile = profile_of_pipes();
    let mut terminal = Terminal::run(profile.path(), &[]);
    terminal.wait("it is a named pipe, not a file");
    terminal.press("q");
    terminal.end(0);
    terminal.check_modes();
}

#[test]
fn title_of_a_nested_url_holds_no_password() {
    for written in [
        "gopher://h/hURL:ftp://u:pw@h/",
        "gopher://h/h/URL:ftp://u:p%2Fw@h/",
        "http://h/?u=ftp%3A%2F%2Fu%3Apw%40h%2F",
        "ftp://a:pw@h/ftp://u:pw@i/",
        "prospero://h/ftp://u:pw@i;x=y:p@z",
    ] {
        let title = geomys_app::title_of(&url(written)).to_string();
        assert!(!title.contains("pw") && !title.contains("p%2Fw"), "{title}");
    }
}
