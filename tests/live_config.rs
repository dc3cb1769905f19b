//! Edits of the configuration files in a running browser, and the page of its mistakes.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use crate::support::screen::{Browser, EDITOR, Session};

fn session() -> Session {
    Browser::new().bookmarks("").size((130, 30)).start()
}

#[tokio::test(flavor = "multi_thread")]
async fn edited_keys_and_glyphs_take_effect_in_the_running_browser() {
    let session = session();
    session.wait("Floodgap").await;
    let file = |name: &str| session.path().join(name);
    fs::write(file("keys.toml"), "[global]\n\"Q\" = \"config\"\n").unwrap();
    // All files are read at each edit: with this glyph the keys are in force too.
    fs::write(file("theme.toml"), "[glyphs]\nmenu = \"M\"\n").unwrap();
    session.wait(" M Floodgap").await;
    session.wait("Configuration reloaded").await;
    session.press("Q");
    session.wait("Configuration").await;
    session.wait("None").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn mistakes_are_counted_listed_and_edited_at_their_lines() {
    let text = "# mine\ncolour = 1\ncharset = \"klingon\"\n";
    let session = session();
    session.wait("Floodgap").await;
    let file = |name: &str| session.path().join(name);
    fs::write(
        file(EDITOR),
        "echo \"$1\" >\"$0.log\"; sed -i s/colour.*/page-colours=false/ \"$2\"\n",
    )
    .unwrap();
    fs::write(file("settings.toml"), text).unwrap();
    session
        .wait("2 mistakes in the configuration (g C): settings.toml:2:")
        .await;
    session.press("g C");
    session
        .wait("settings.toml:2 unknown setting “colour” (did you mean colours?)")
        .await;
    session.wait("settings.toml:3 unknown charset").await;
    session.wait("bookmarks.txt").await;
    session.press("1 Enter");
    session.wait("1 mistake in the configuration").await;
    session
        .wait_until_absent("settings.toml:2 unknown setting")
        .await;
    assert_eq!(fs::read_to_string(file("editor.sh.log")).unwrap(), "+2\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn setting_typed_in_the_palette_is_used_and_stored_with_the_comments_kept() {
    let session = Browser::new()
        .bookmarks("")
        .settings("# mine\n[reading] # text\nwidth = 70 # columns\n")
        .size((130, 60))
        .start();
    session.wait("Floodgap").await;
    session.press(":");
    session.type_in("set reading.wi");
    session.wait("70 (settings.toml:3)").await;
    // A name alone puts its value into the line.
    session.press("Enter");
    session.wait("now 70").await;
    session.press("Backspace Backspace");
    session.type_in("64");
    session.wait("set reading.width 64").await;
    session.press("Enter");
    session.wait("reading.width = 64").await;
    let stored = fs::read_to_string(session.path().join("settings.toml")).unwrap();
    assert_eq!(stored, "# mine\n[reading] # text\nwidth = 64 # columns\n");
    session.press(":");
    session.type_in("set charset klingon");
    session.press("Enter");
    session.wait("Unknown charset “klingon”").await;
    session.press(":");
    session.type_in("set");
    session.press("Enter");
    session
        .wait_until("the settings with their sources", |screen| {
            let mut lines = screen.lines();
            let has = |line: &str, words: [&str; 3]| words.iter().all(|word| line.contains(word));
            lines
                .clone()
                .any(|line| has(line, ["reading.width", "64", "settings.toml:3"]))
                && lines.any(|line| has(line, ["charset", "\"auto\"", "default"]))
        })
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn files_and_settings_are_edited_by_name() {
    let session = session();
    session.wait("Floodgap").await;
    let file = |name: &str| session.path().join(name);
    fs::write(file(EDITOR), "echo \"$@\" >>\"$0.log\"\n").unwrap();
    fs::write(file("settings.toml"), "\n[cache]\ndays = 3\n").unwrap();
    session.wait("Configuration reloaded").await;
    for typed in [
        "edit settings",
        "edit keymap",
        "edit bookmarks",
        "edit cache.da",
    ] {
        session.press(":");
        session.type_in(typed);
        session.press("Enter");
    }
    // The editor has ended before the next frame.
    session.screen();
    let path = |name: &str| file(name).display().to_string();
    let expected = format!(
        "{}\n{}\n{}\n+3 {}\n",
        path("settings.toml"),
        path("keys.toml"),
        path("bookmarks.txt"),
        path("settings.toml")
    );
    assert_eq!(fs::read_to_string(file("editor.sh.log")).unwrap(), expected);
}

/// Types `:set` for a setting.
fn set(session: &Session, setting: &str) {
    session.press(":");
    session.type_in(&format!("set {setting}"));
    session.press("Enter");
}

#[tokio::test(flavor = "multi_thread")]
async fn setting_is_stored_through_links_with_the_mode_of_the_file() {
    let profile = tempfile::tempdir().unwrap();
    let file = |name: &str| profile.path().join(name);
    fs::create_dir_all(file("dotfiles/geomys")).unwrap();
    let real = file("dotfiles/geomys/settings.toml");
    fs::write(&real, "mouse = true\n").unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    // A relative link to a link, as stow and home-manager make them.
    symlink("dotfiles/geomys/settings.toml", file("between")).unwrap();
    symlink("between", file("settings.toml")).unwrap();
    let session = Browser::in_profile(profile)
        .bookmarks("")
        .size((130, 30))
        .start();
    session.wait("Floodgap").await;
    set(&session, "reading.width 64");
    session.wait("reading.width = 64").await;
    let file = |name: &str| session.path().join(name);
    let stored = fs::read_to_string(file("dotfiles/geomys/settings.toml")).unwrap();
    assert_eq!(stored, "mouse = true\n\n[reading]\nwidth = 64\n");
    let links = ["settings.toml", "between"].map(|name| fs::read_link(file(name)).unwrap());
    let links = links.map(|link| link.display().to_string());
    assert_eq!(links, ["between", "dotfiles/geomys/settings.toml"]);
    let mode = fs::metadata(file("settings.toml")).unwrap().permissions();
    assert_eq!(mode.mode() & 0o777, 0o640);
    // The target is gone, perhaps with its disk: nothing is written in its place.
    fs::remove_file(file("dotfiles/geomys/settings.toml")).unwrap();
    set(&session, "reading.width 70");
    session.wait("which does not exist").await;
    assert!(!file("dotfiles/geomys/settings.toml").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn setting_in_a_file_that_is_not_utf8_names_file_and_line() {
    let text = b"mouse = true\n# caf\xe9\nascii = false\n";
    let session = session();
    session.wait("Floodgap").await;
    fs::write(session.path().join("settings.toml"), text).unwrap();
    session.wait("1 mistake in the configuration").await;
    set(&session, "reading.width 64");
    session
        .wait("settings.toml:2: not UTF-8, not changed")
        .await;
    assert_eq!(
        fs::read(session.path().join("settings.toml")).unwrap(),
        text
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn key_in_the_transfers_limits_their_rate() {
    let session = session();
    session.wait("Floodgap").await;
    session.press("D");
    session.wait("Transfers").await;
    session.press("%");
    session.wait("set transfers.rate-limit").await;
    session.press("Backspace Backspace");
    session.type_in("500k");
    session.wait("set transfers.rate-limit 500k").await;
    session.press("Enter");
    session.wait("transfers.rate-limit = 500k").await;
    session.wait("at most 500.0 kB/s").await;
    let stored = fs::read_to_string(session.path().join("settings.toml")).unwrap();
    assert_eq!(stored, "[transfers]\nrate-limit = \"500k\"\n");
    set(&session, "transfers.rate-limit fast");
    session.wait("Expected bytes per second").await;
}
