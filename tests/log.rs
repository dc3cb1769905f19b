//! `--log FILE`: the dialogues with servers, without passwords.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use geomys_demo::Demo;
use geomys_testing::script::{assert_played, listen};
use geomys_testing::web::Web;
use tempfile::TempDir;

use crate::support::command::{geomys_in, text};
use crate::support::terminal::Terminal;

/// The password of the demo, and its login as HTTP sends it.
const PASSWORD: &str = "lovelace";
const BASIC: &str = "YWRhOmxvdmVsYWNl";

/// A directory with a netrc file for Ada, and the path of the trace.
fn profile() -> (TempDir, PathBuf) {
    let profile = tempfile::tempdir().unwrap();
    let netrc = profile.path().join(".netrc");
    let login = format!("machine 127.0.0.1 login ada password {PASSWORD}\n");
    fs::write(&netrc, login).unwrap();
    fs::set_permissions(&netrc, fs::Permissions::from_mode(0o600)).unwrap();
    let log = profile.path().join("trace.txt");
    (profile, log)
}

/// Runs the binary with `--log`, and returns its output and the trace, which holds no password.
fn traced(profile: &Path, log: &Path, arguments: &[&str]) -> (String, String) {
    let home = profile.to_str().unwrap();
    let mut all = vec!["--config", home, "--log", log.to_str().unwrap()];
    all.extend(arguments);
    let output = geomys_in(&[("HOME", home)], &all, "");
    let shown = text(&output.stdout) + &text(&output.stderr);
    (shown, trace(log))
}

/// Reads the trace: readable by its owner alone, each line of bounded length, without passwords or control characters.
fn trace(log: &Path) -> String {
    let mode = fs::metadata(log).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let trace = fs::read_to_string(log).unwrap();
    assert!(
        !trace.contains(PASSWORD) && !trace.contains(BASIC),
        "{trace}"
    );
    assert!(trace.lines().all(|line| line.len() < 6000));
    assert!(
        !trace.contains(|c: char| c.is_control() && c != '\n'),
        "{trace:?}"
    );
    trace
}

/// Asserts that lines of the trace contain these words in this order.
fn has_in_order(trace: &str, words: &[&str]) {
    let mut lines = trace.lines();
    for word in words {
        assert!(
            lines.any(|line| line.contains(word)),
            "{word:?} is missing or out of order:\n{trace}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ftp_login_is_traced_without_its_password() {
    let demo = Demo::start().await.unwrap();
    let (profile, log) = profile();
    // A trace of an earlier run that others can read.
    fs::write(&log, "2026-11-23T15:04:05.678Z geomys - old\n").unwrap();
    fs::set_permissions(&log, fs::Permissions::from_mode(0o644)).unwrap();
    let url = format!("ftp://ada@{}/", demo.addresses.ftp);
    let (shown, found) = traced(profile.path(), &log, &["dump", &url]);
    has_in_order(
        &found,
        &[
            "- load ftp://ada@",
            "- connected in ",
            "< 220 ",
            "> USER ada",
            "< 331 ",
            "> PASS ***",
            "< 230 ",
            "- loaded ftp://ada@",
        ],
    );
    assert!(!found.contains("old") && !shown.contains("PASS"), "{shown}");
    // A password in a URL.
    let url = format!("ftp://ada:{PASSWORD}@{}/", demo.addresses.ftp);
    let (_, found) = traced(profile.path(), &log, &["dump", &url]);
    has_in_order(&found, &["- load ftp://ada:***@", "> PASS ***", "< 230 "]);
}

#[tokio::test(flavor = "multi_thread")]
async fn news_login_is_traced_without_its_password_even_if_the_server_repeats_it() {
    let script = format!(
        "S: 200 hi\nC: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: READER\nS: AUTHINFO USER\nS: .\n\
         C: AUTHINFO USER ada\nS: 381 more\nC: AUTHINFO PASS {PASSWORD}\n\
         S: 481 not {PASSWORD}\x1b[31m"
    );
    let (address, playing) = listen(&[&script]).await;
    let (profile, log) = profile();
    let settings = "[news]\ntls = \"never\"\n";
    fs::write(profile.path().join("settings.toml"), settings).unwrap();
    let url = format!("nntp://{address}/a.b");
    let (_, found) = traced(profile.path(), &log, &["dump", &url]);
    has_in_order(
        &found,
        &[
            "< 200 hi",
            "> CAPABILITIES",
            "> AUTHINFO USER ada",
            "< 381 more",
            "> AUTHINFO PASS ***",
            "< 481 not ***",
        ],
    );
    assert_played(playing).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn http_login_redirect_and_cookies_are_traced_without_secrets() {
    let demo = Demo::start().await.unwrap();
    let (profile, log) = profile();
    let url = format!("http://{}/drawer", demo.addresses.web);
    let mut terminal = Terminal::run(profile.path(), &["--log", log.to_str().unwrap(), &url]);
    terminal.wait("Name at");
    // The question discards keys at first.
    terminal.press_until("\x15x", "the name", |screen| screen.contains("> x "));
    terminal.press("\x15ada\r");
    terminal.wait("Password of ada");
    terminal.press_until("\x15x", "the password", |screen| {
        let mut lines = screen.lines();
        let typed = lines.find_map(|line| line.split_once("> "));
        typed.is_some_and(|(_, typed)| typed.starts_with('•'))
    });
    terminal.press(&format!("\x15{PASSWORD}\r"));
    terminal.wait_until("the page", |screen| {
        let screen = screen.contents();
        screen.contains("Ada's drawer") && !screen.contains("Password of ada")
    });
    terminal.press("q");
    terminal.end(0);
    has_in_order(
        &trace(&log),
        &[
            "- load http://",
            "> GET /drawer HTTP/1.1",
            "< HTTP 401 Unauthorized",
            "> GET /drawer HTTP/1.1",
            "> authorization: ***",
            "< HTTP 200",
        ],
    );
    let web = Web::start(|request| match request.path() {
        "/there" => {
            let cookie = format!("set-cookie: id={PASSWORD}");
            format!("HTTP/1.1 200 OK\r\n{cookie}\r\ncontent-type: text/plain\r\n\r\nhere")
        }
        _ => "HTTP/1.1 302 Found\r\nlocation: /there\r\n\r\n".to_owned(),
    })
    .await;
    let (shown, found) = traced(profile.path(), &log, &["dump", &web.url("/")]);
    assert!(shown.contains("here"), "{shown}");
    has_in_order(
        &found,
        &[
            "> GET / HTTP/1.1",
            "< HTTP 302 Found",
            "< location: /there",
            "- redirect to http://",
            "> GET /there HTTP/1.1",
            "< set-cookie: ***",
        ],
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn download_check_and_cache_are_traced() {
    let demo = Demo::start().await.unwrap();
    let (profile, log) = profile();
    let page = format!("gopher://{}/0/about.txt", demo.addresses.gopher);
    let to = profile.path().join("about.txt");
    let arguments = ["get", &page, "--output", to.to_str().unwrap()];
    let (shown, found) = traced(profile.path(), &log, &arguments);
    has_in_order(
        &found,
        &["- connected in ", "> /about.txt", "< ", "- loaded gopher:"],
    );
    assert!(to.exists(), "{shown}");
    let bookmarks = format!("About <URL:{page}>\n");
    fs::write(profile.path().join("bookmarks.txt"), bookmarks).unwrap();
    let (_, found) = traced(profile.path(), &log, &["bookmarks", "check"]);
    has_in_order(&found, &["- connected in ", "> /about.txt"]);
    let (_, found) = traced(profile.path(), &log, &["--offline", "dump", &page]);
    has_in_order(&found, &["- cache miss: gopher://"]);
    assert!(!found.contains("connected"), "{found}");
}

#[tokio::test(flavor = "multi_thread")]
async fn browser_traces_its_pages_and_the_pooled_connection() {
    let demo = Demo::start().await.unwrap();
    let (profile, log) = profile();
    let url = format!("ftp://{}/", demo.addresses.ftp);
    let mut terminal = Terminal::run(profile.path(), &["--log", log.to_str().unwrap(), &url]);
    terminal.wait("diary.txt");
    terminal.press("r");
    terminal.press_until("j", "the reload", |_| {
        let found = fs::read_to_string(&log).unwrap_or_default();
        found.matches("- loaded ftp:").count() == 2
    });
    terminal.press("q");
    terminal.end(0);
    has_in_order(
        &trace(&log),
        &[
            "> USER ada",
            "> PASS ***",
            "- loaded",
            "- pooled connection reused",
            "- loaded",
        ],
    );
}

#[test]
fn trace_that_cannot_be_written_is_an_error() {
    let (profile, _) = profile();
    let log = profile.path().join("missing/trace.txt");
    let arguments = [
        "--log",
        log.to_str().unwrap(),
        "dump",
        "gopher://h.example/",
    ];
    let output = geomys_in(&[], &arguments, "");
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    assert!(
        said.contains("--log ") && said.contains("No such file"),
        "{said}"
    );
}

/// Runs `--log` with this file, and returns the exit code and the message.
fn log_to(log: &Path) -> (Option<i32>, String) {
    let profile = tempfile::tempdir().unwrap();
    let home = profile.path().to_str().unwrap();
    let log = log.to_str().unwrap();
    let url = "gopher://127.0.0.1:1/";
    let arguments = ["--config", home, "--log", log, "--offline", "dump", url];
    let output = geomys_in(&[], &arguments, "");
    (output.status.code(), text(&output.stderr))
}

#[test]
fn existing_file_that_is_no_log_stays_as_it_is() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let old = "2026-11-23T15:04:05.678Z h.example:70 > /old\n";
    for (name, content) in [
        ("notes", "my notes\n"),
        ("dated", "2026-11-23T15:04:05.678Z a note\n"),
        ("key", "\0\u{1}\u{2}"),
    ] {
        fs::write(path(name), content).unwrap();
        let (code, said) = log_to(&path(name));
        assert_eq!(code, Some(1));
        assert!(said.contains("is not a log"), "{said}");
        assert_eq!(fs::read_to_string(path(name)).unwrap(), content);
    }
    fs::write(path("log"), old).unwrap();
    std::os::unix::fs::symlink(path("log"), path("link")).unwrap();
    std::os::unix::fs::symlink(path("new"), path("broken")).unwrap();
    for name in ["link", "broken"] {
        let (code, said) = log_to(&path(name));
        assert_eq!(code, Some(1));
        assert!(said.contains("symbolic link"), "{said}");
    }
    assert_eq!(fs::read_to_string(path("log")).unwrap(), old);
    assert!(!path("new").exists());
    // A log of an earlier run, and an empty file.
    fs::write(path("empty"), "").unwrap();
    for name in ["log", "empty"] {
        log_to(&path(name));
        let found = trace(&path(name));
        assert!(
            found.contains("load gopher://") && !found.contains("/old"),
            "{found}"
        );
    }
}

#[test]
fn standard_error_takes_the_log_even_if_it_is_a_file() {
    let (code, said) = log_to(Path::new("/dev/stderr"));
    assert_eq!(code, Some(1));
    assert!(said.contains(" - load gopher://"), "{said}");
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("errors");
    fs::write(&path, "earlier errors\n").unwrap();
    let errors = fs::File::options().append(true).open(&path).unwrap();
    let profile = directory.path().to_str().unwrap();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_geomys"));
    command.args(["--config", profile, "--log", "/dev/stderr", "--offline"]);
    command.args(["dump", "gopher://127.0.0.1:1/"]);
    command.stderr(errors).output().unwrap();
    let found = fs::read_to_string(&path).unwrap();
    assert!(found.starts_with("earlier errors\n"), "{found}");
    assert!(found.contains(" - load gopher://"), "{found}");
}

#[tokio::test(flavor = "multi_thread")]
async fn login_in_a_location_is_traced_and_shown_without_its_password() {
    let web = Web::start(|request| match request.path() {
        "/long" => {
            let long = "x".repeat(1500);
            format!("HTTP/1.1 302 Found\r\nlocation: ftp://ada:{PASSWORD}{long}@h.example/\r\n\r\n")
        }
        _ => format!("HTTP/1.1 302 Found\r\nlocation: //ada:{PASSWORD} x@h.example/\r\n\r\n"),
    })
    .await;
    let (profile, log) = profile();
    for page in ["/", "/long"] {
        let (shown, found) = traced(profile.path(), &log, &["dump", &web.url(page)]);
        has_in_order(&found, &["< HTTP 302 Found", "< location: "]);
        assert!(!shown.contains(PASSWORD), "{shown}");
    }
}
