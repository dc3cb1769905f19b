//! No output of any command repeats the password of its arguments, whichever option or word it was given as; nor does a
//! message about a setting, or a question of the browser.

use std::fs;
use std::net::TcpListener;

use clap::{Arg, Command, CommandFactory};
use geomys::cli::Arguments;
use geomys_testing::web::{Web, ok};

use crate::support::command::{geomys_at, geomys_in, text};
use crate::support::screen::Browser;

const SECRET: &str = "s3cretPass";

/// A port where nobody listens.
fn closed() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

/// The paths of all commands but `demo`, which serves until it is stopped; that of the browser is empty.
fn commands(command: &Command, above: &[String], all: &mut Vec<(Vec<String>, Command)>) {
    all.push((above.to_vec(), command.clone()));
    for below in command.get_subcommands() {
        if !["demo", "help"].contains(&below.get_name()) {
            let path = [above, &[below.get_name().to_owned()]].concat();
            commands(below, &path, all);
        }
    }
}

/// The ways to write an option with this value, or a word.
fn written(argument: &Arg, value: &str) -> Option<Vec<String>> {
    if !argument.get_action().takes_values() {
        return None;
    }
    let long = argument.get_long().map(|long| format!("--{long}={value}"));
    let short = argument.get_short().map(|short| format!("-{short}{value}"));
    Some(match long.or(short) {
        Some(option) => vec![option],
        None => vec![value.to_owned()],
    })
}

fn is_clean(output: &[u8], what: &str) {
    let said = String::from_utf8_lossy(output);
    assert!(!said.contains(SECRET), "{what}:\n{said}");
}

#[test]
fn no_command_repeats_the_password_of_any_argument() {
    let port = closed();
    let values = [
        format!("ada:{SECRET}@127.0.0.1"),
        format!("u:{SECRET}@127.0.0.1:{port}"),
        format!("http://ada:{SECRET}@127.0.0.1:{port}/"),
        format!("http://127.0.0.1:{port}/ok?password={SECRET}"),
    ];
    let mut all = Vec::new();
    commands(&Arguments::command(), &[], &mut all);
    assert!(all.len() > 30, "{}", all.len());
    let mut runs = 0;
    for (path, command) in &all {
        for argument in command.get_arguments() {
            for value in &values {
                // `url` explains a URL, part by part, and masks the passwords of logins alone.
                let explains = path.first().is_some_and(|name| name == "url");
                if explains && value.contains('?') {
                    continue;
                }
                let Some(words) = written(argument, value) else {
                    continue;
                };
                let root = tempfile::tempdir().unwrap();
                fs::write(
                    root.path().join("settings.toml"),
                    "[transfers]\nretry-hours = 0\n",
                )
                .unwrap();
                let mut line: Vec<&str> = Vec::new();
                if argument.get_long() != Some("config") {
                    line.extend(["--config", root.path().to_str().unwrap()]);
                }
                line.extend(path.iter().chain(&words).map(String::as_str));
                let output = geomys_at(root.path(), &line);
                let what = format!("{path:?} {words:?}");
                is_clean(&output.stdout, &format!("{what}: standard output"));
                is_clean(&output.stderr, &format!("{what}: standard error"));
                runs += 1;
            }
        }
    }
    assert!(runs > 200, "{runs}");
}

#[tokio::test(flavor = "multi_thread")]
async fn success_of_a_command_does_not_repeat_the_token_of_its_url() {
    let web = Web::start(|_| ok("Content-Type: text/plain\r\n", "a page")).await;
    let url = web.url(&format!("/ok?password={SECRET}&access_token={SECRET}"));
    let root = tempfile::tempdir().unwrap();
    let directory = root.path().to_str().unwrap();
    for command in [
        &["archive", &url, "f.warc"][..],
        &["get", "--json", "-o", "saved", &url],
        &["get", "--warc", "g.warc.gz", &url],
        &["mirror", "--json", &url, "copy"],
        &["check", "--json", &url],
        &["check", &url],
        &["dump", &url],
    ] {
        let line = [&["--config", directory], command].concat();
        let output = geomys_at(root.path(), &line);
        assert!(output.status.success(), "{}", text(&output.stderr));
        is_clean(&output.stdout, &format!("{command:?}: standard output"));
        is_clean(&output.stderr, &format!("{command:?}: standard error"));
    }
}

#[test]
fn message_about_a_setting_does_not_repeat_its_password() {
    let login = format!("u:{SECRET}@h.example:x");
    for settings in [
        format!("news-server = \"{login}\"\n"),
        format!("charset = \"{login}\"\n"),
        format!("home-page = \"{login} x\"\n"),
        format!("theme = \"{login}\"\n"),
        format!("[network]\nproxy = \"{login}\"\n"),
        format!("[network]\ncookies = \"{login}\"\n"),
        format!("[history]\nexcept = [\"{login}\"]\n"),
        format!("[transfers]\nrate = \"{login}\"\n"),
        format!("[news]\nservers = [\"{login}\"]\n"),
        format!("[news]\ncharset = \"{login}\"\n"),
        format!("[archives]\ngopher = \"{login}\"\n"),
        format!("[\"{login}\"]\na = 1\n"),
        format!("\"{login}\" = 1\n"),
        format!("news-server = {login}\n"),
    ] {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("settings.toml"), &settings).unwrap();
        let directory = root.path().to_str().unwrap();
        for command in [&["config", "check"][..], &["config", "show"], &["config"]] {
            let line = [&["--config", directory], command].concat();
            let output = geomys_in(&[("NNTPSERVER", &login)], &line, "");
            is_clean(&output.stdout, &format!("{command:?} {settings}"));
            is_clean(&output.stderr, &format!("{command:?} {settings}"));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn browser_masks_a_login_without_a_scheme_and_says_that_it_has_a_password() {
    let session = Browser::new().size((100, 24)).start();
    session.press("o");
    session.type_in(&format!("u:{SECRET}@pub.example"));
    session.press("Enter");
    session.wait("Run another program?").await;
    session
        .wait("it contains a password that anybody can read")
        .await;
    let shown = session.screen();
    assert!(shown.contains("u:***@pub.example"), "{shown}");
    assert!(!shown.contains(SECRET), "{shown}");
    session.press("Esc");
    session.press(":");
    session.type_in(&format!("set news-server u:{SECRET}@h.example"));
    session.press("Enter");
    session.wait("Not a server: “u:***@h.example”").await;
    let shown = session.screen();
    assert!(!shown.contains(SECRET), "{shown}");
}
