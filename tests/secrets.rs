//! Passwords and tokens of the command line are in no output: standard output and error, the trace, archives, and the
//! files of the profile.

use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;

use geomys_demo::Demo;
use geomys_testing::warc::read;

use crate::support::command::geomys_in;
use crate::support::terminal::Terminal;

const PASSWORD: &str = "s3cretPass";
const TOKEN: &str = "s3cretToken";

/// Asserts that a text has neither secret.
fn is_clean(text: &[u8], what: &str) {
    let text = String::from_utf8_lossy(text);
    for secret in [PASSWORD, TOKEN] {
        assert!(!text.contains(secret), "{secret} in {what}:\n{text}");
    }
}

/// Asserts that no file below a directory has a secret, in its content or its name; of archives the unpacked records.
fn is_clean_below(directory: &Path, what: &str) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        is_clean(path.as_os_str().as_encoded_bytes(), what);
        if path.is_dir() {
            is_clean_below(&path, what);
        } else if path.extension().is_some_and(|suffix| suffix == "gz") {
            for record in read(&path) {
                is_clean(record.text().as_bytes(), &format!("{what}: warc"));
                is_clean(
                    record
                        .field("WARC-Target-URI")
                        .unwrap_or_default()
                        .as_bytes(),
                    what,
                );
            }
        } else {
            let content = fs::read(&path).unwrap();
            is_clean(&content, &format!("{what}: {}", path.display()));
        }
    }
}

/// The address of a port where nobody listens.
fn closed() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap()
}

/// URLs with a password and tokens: one that loads, one of no server, wrong ones, and nested ones.
fn urls(demo: &Demo) -> Vec<String> {
    let closed = closed();
    let ftp = demo.addresses.ftp;
    vec![
        format!("ftp://anonymous:{PASSWORD}@{ftp}/pub/software/"),
        format!("ftp://ada:{PASSWORD}@{closed}/f;type=i"),
        format!("ftp://ada:{PASSWORD}@h:notaport/"),
        format!("ftp://ada:{PASSWORD}@"),
        format!("gopher://{closed}/hURL:ftp://ada:{PASSWORD}@h.example/"),
        format!("titan://{closed}/a;mime=text/plain;size=3;token={TOKEN}"),
        format!("titan://h:notaport/a;size=3;token={TOKEN}"),
        format!("--output=ftp://ada:{PASSWORD}@h/"),
        format!("--no-such=titan://h/a;token={TOKEN}"),
        format!("--encoding=ftp://ada:{PASSWORD}@h/"),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn no_output_of_a_command_has_a_password_or_token_of_its_url() {
    let demo = Demo::start().await.unwrap();
    let commands: &[&[&str]] = &[
        &["dump"],
        &["dump", "--raw"],
        &["get", "--json"],
        &["get", "-o", "-"],
        &["get", "-r", "--dry-run"],
        &["get", "--warc", "a.warc.gz"],
        &["get", "-r", "--warc", "b.warc.gz"],
        &["check"],
        &["check", "--json"],
        &["url"],
        &["url", "--json"],
        &["bookmarks", "remove"],
        &["bookmarks", "edit", "--title", "x"],
        &["no-such-command"],
        &["links"],
        &["man"],
        &["bookmarks", "import"],
        &["bookmarks", "export"],
        &["certificates", "import", "x"],
        &["dump", "gopher://h/", "and-more"],
        &["--config"],
        &["--server"],
        &["--proxy"],
    ];
    for url in urls(&demo) {
        for command in commands {
            let root = tempfile::tempdir().unwrap();
            let home = root.path().to_str().unwrap();
            let path = |name: &str| format!("{home}/{name}");
            let settings = "[transfers]\nretry-hours = 0\n";
            fs::write(path("settings.toml"), settings).unwrap();
            let words = command.iter().map(|word| match *word {
                "a.warc.gz" | "b.warc.gz" => path(word),
                word => word.to_owned(),
            });
            let mut all = vec!["--log".to_owned(), path("log.txt")];
            if command != &["--config"] {
                all.extend(["--config".to_owned(), home.to_owned()]);
            }
            all.extend(words.chain([url.clone()]));
            if command.contains(&"--json") && command.contains(&"get") {
                all.extend(["-o".to_owned(), path("saved")]);
            }
            let all: Vec<&str> = all.iter().map(String::as_str).collect();
            let output = geomys_in(&[("HOME", home)], &all, "");
            let what = format!("{command:?} {url}");
            is_clean(&output.stdout, &format!("{what}: stdout"));
            is_clean(&output.stderr, &format!("{what}: stderr"));
            is_clean_below(root.path(), &what);
            if command.contains(&"--warc") && root.path().join("a.warc.gz").exists() {
                let records = read(&root.path().join("a.warc.gz"));
                let description = records[0].text();
                assert!(description.contains("geomys get "), "{description}");
            }
        }
    }
}

#[test]
fn answer_to_a_gemini_server_is_masked_where_the_command_line_is_repeated() {
    let root = tempfile::tempdir().unwrap();
    let archive = root.path().join("a.warc.gz");
    let file = archive.to_str().unwrap();
    let url = format!("gemini://{}/login?{TOKEN}", closed());
    let home = root.path().to_str().unwrap();
    let refused = geomys_in(&[("HOME", home)], &["get", "--warc", file, &url], "");
    assert_eq!(refused.status.code(), Some(1));
    is_clean(&refused.stderr, "stderr");
    let wrong = geomys_in(&[("HOME", home)], &["get", "--no-such", &url], "");
    assert_eq!(wrong.status.code(), Some(2));
    is_clean(&wrong.stderr, "the error of the command line");
    let info = read(&archive)[0].text();
    is_clean(info.as_bytes(), "warcinfo");
    assert!(info.contains("login?***"), "{info}");
}

#[test]
fn token_in_a_query_is_masked_in_errors_logs_and_descriptions() {
    let root = tempfile::tempdir().unwrap();
    let path = |name: &str| root.path().join(name).to_str().unwrap().to_owned();
    let (archive, log, home) = (path("a.warc.gz"), path("log.txt"), path(""));
    fs::write(path("settings.toml"), "[transfers]\nretry-hours = 0\n").unwrap();
    let url = format!("http://{}/a?b=c&access_token={TOKEN}", closed());
    let commands: &[&[&str]] = &[
        &["dump"],
        &["get", "-o", "-"],
        &["get", "--warc", &archive],
        &["check"],
        &["no-such-command"],
        &["dump", "--no-such"],
        &["certificates", "import", "x"],
    ];
    for command in commands {
        let first = ["--config", &home, "--log", &log];
        let all = [&first, *command, &[url.as_str()]].concat();
        let output = geomys_in(&[("HOME", &home)], &all, "");
        is_clean(&output.stderr, &format!("{command:?}: stderr"));
        if let Ok(log) = fs::read(&log) {
            is_clean(&log, &format!("{command:?}: log"));
        }
    }
    let info = read(Path::new(&archive))[0].text();
    is_clean(info.as_bytes(), "warcinfo");
    assert!(info.contains("/a?b=c&access_token=***"), "{info}");
}

#[tokio::test(flavor = "multi_thread")]
async fn profile_and_screen_of_a_browser_have_no_password_of_its_command_line() {
    let demo = Demo::start().await.unwrap();
    let profile = tempfile::tempdir().unwrap();
    let log = profile.path().join("log.txt");
    let url = format!("ftp://anonymous:{PASSWORD}@{}/", demo.addresses.ftp);
    let token = format!("titan://{}/a;size=3;token={TOKEN}", closed());
    let arguments = ["--log", log.to_str().unwrap(), &url, &token];
    let mut terminal = Terminal::run(profile.path(), &arguments);
    terminal.wait("welcome.txt");
    terminal.press("q");
    terminal.end(0);
    is_clean(terminal.sent().as_bytes(), "the screen");
    is_clean_below(profile.path(), "the profile");
    assert!(profile.path().join("session.json").exists());
}
