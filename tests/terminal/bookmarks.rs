//! Bookmarks in a real pseudo-terminal: all of a folder in tabs, writes that fail, the same line edited by two.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use geomys_demo::Demo;

use crate::support::terminal::Terminal;

#[tokio::test(flavor = "multi_thread")]
async fn folder_opens_in_tabs() {
    let demo = Demo::start().await.unwrap();
    let gopher = demo.addresses.gopher;
    let profile = tempfile::tempdir().unwrap();
    let list = format!(
        "# Town\nThe square <URL:gopher://{gopher}/>\nA phlog <URL:gopher://{gopher}/1/phlog>\n\
         Bad <URL:gopher://bad~host/>\n# Other\nElsewhere <URL:gopher://{gopher}/1/nowhere>\n"
    );
    fs::write(profile.path().join("bookmarks.txt"), list).unwrap();
    let mut terminal = Terminal::run(profile.path(), &[]);
    terminal.open_bookmarks();
    terminal.wait("The square");
    terminal.press("T");
    terminal.wait("Opened in 2 tabs");
    // The tab that was shown stays.
    terminal.wait("1 geomys:home");
    terminal.press("}");
    terminal.wait("town below a meadow");
    terminal.press("}");
    terminal.wait("Newest first");
    let tabs = terminal.screen().lines().next().unwrap_or("").to_owned();
    assert!(tabs.contains('3') && !tabs.contains('4'), "{tabs}");
    terminal.press("q");
    terminal.end(0);
}

/// The command prefix that removes root's right to write anywhere; empty for other users.
/// `None` when that cannot be done.
fn as_others() -> Option<Vec<&'static str>> {
    let id = Command::new("id").arg("-u").output().ok()?;
    if id.stdout != b"0\n" {
        return Some(Vec::new());
    }
    let outer = vec![
        "setpriv",
        "--bounding-set",
        "-dac_override,-dac_read_search",
        "--inh-caps",
        "-dac_override,-dac_read_search",
    ];
    let mut trial = Command::new("setpriv");
    let ran = trial.args(&outer[1..]).arg("true").status();
    ran.is_ok_and(|status| status.success()).then_some(outer)
}

/// Prints that a case is skipped, also where the output of passing tests is captured.
fn skipped(why: &str) {
    let line = format!("bookmarks in a terminal: skipped, as {why}\n");
    std::io::stderr().write_all(line.as_bytes()).unwrap();
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn failed_write_is_reported_and_retried() {
    let Some(outer) = as_others() else {
        skipped("root may write everywhere, and there is no setpriv to take that away");
        return;
    };
    let list = "One <URL:gopher://one/>\nTwo <URL:gopher://two/>\n";
    let profile = tempfile::tempdir().unwrap();
    let directory = profile.path().join("shelf");
    fs::create_dir(&directory).unwrap();
    let path = directory.join("own.txt");
    fs::write(&path, list).unwrap();
    set_mode(&directory, 0o555);
    let named = path.to_str().unwrap();
    let mut terminal = Terminal::run_in(&outer, profile.path(), &["--bookmarks", named]);
    terminal.open_bookmarks();
    terminal.wait("Two");
    terminal.press("X");
    terminal.wait("The bookmarks were not saved");
    // An unwritten change is not shown as saved.
    terminal.wait("One");
    assert_eq!(fs::read_to_string(&path).unwrap(), list);
    set_mode(&directory, 0o755);
    terminal.press("ggX");
    terminal.wait("“One” removed");
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        "Two <URL:gopher://two/>\n"
    );
    // Undo fails now, and works later.
    set_mode(&directory, 0o555);
    terminal.press("z");
    terminal.wait("The bookmarks were not saved");
    set_mode(&directory, 0o755);
    terminal.press("z");
    terminal.wait("Undone: “One” removed");
    assert_eq!(fs::read_to_string(&path).unwrap(), list);
    assert_eq!(
        fs::read_dir(&directory).unwrap().count(),
        1,
        "nothing is left behind"
    );
    terminal.press("q");
    terminal.end(0);
}

#[test]
fn failed_write_at_exit_is_reported_on_the_restored_terminal() {
    let Some(outer) = as_others() else {
        skipped("root may write everywhere, and there is no setpriv to take that away");
        return;
    };
    let list = "One <URL:gopher://one/>\nTwo <URL:gopher://two/>\n";
    let profile = tempfile::tempdir().unwrap();
    let path = profile.path().join("bookmarks.txt");
    fs::write(&path, list).unwrap();
    set_mode(&path, 0o444);
    let mut terminal = Terminal::run_in(&outer, profile.path(), &[]);
    terminal.open_bookmarks();
    terminal.wait("Two");
    // As long as another program holds the lock the write has not failed yet.
    let lock = fs::File::open(profile.path()).unwrap();
    lock.lock().unwrap();
    terminal.press("Xq");
    terminal.wait_until("the end", |screen| !screen.alternate_screen());
    drop(lock);
    terminal.end(1);
    let said = terminal.screen();
    assert!(
        said.contains("geomys: the bookmarks were not saved"),
        "{said}"
    );
    assert!(said.contains("the file is read-only"), "{said}");
    assert_eq!(fs::read_to_string(&path).unwrap(), list);
}

#[test]
fn full_disk_is_reported_and_write_retried() {
    let list = "One <URL:gopher://one/>\nTwo <URL:gopher://two/>\n";
    let profile = tempfile::tempdir().unwrap();
    let path = profile.path().join("bookmarks.txt");
    fs::write(&path, list).unwrap();
    // No file may grow: a write fails as on a full disk. It is the shell's process that becomes the browser.
    let script = "trap '' XFSZ; ulimit -S -f 0; exec \"$0\" \"$@\"";
    let mut terminal = Terminal::run_in(&["bash", "-c", script], profile.path(), &[]);
    terminal.open_bookmarks();
    terminal.wait("Two");
    terminal.press("X");
    terminal.wait("The bookmarks were not saved");
    terminal.wait("One");
    assert_eq!(fs::read_to_string(&path).unwrap(), list);
    let id = terminal.id().to_string();
    let room = Command::new("prlimit")
        .args(["--pid", &id, "--fsize=unlimited:unlimited"])
        .status();
    if room.is_ok_and(|status| status.success()) {
        terminal.press("ggX");
        terminal.wait("“One” removed");
        assert_eq!(
            fs::read_to_string(&path).unwrap(),
            "Two <URL:gopher://two/>\n"
        );
    } else {
        skipped("there is no prlimit to give the browser room again");
    }
    terminal.press("q");
    terminal.end(0);
}

#[test]
fn edit_conflict_shows_both_lines() {
    let list = "One <URL:gopher://one/>\nTwo <URL:gopher://two/>\n";
    let profile = tempfile::tempdir().unwrap();
    let path = profile.path().join("bookmarks.txt");
    fs::write(&path, list).unwrap();
    let mut terminal = Terminal::run(profile.path(), &[]);
    terminal.open_bookmarks();
    terminal.wait("Two");
    terminal.press("e");
    terminal.wait("Edit the bookmark");
    terminal.press("\u{15}Ours");
    terminal.wait("Ours");
    fs::write(&path, list.replace("One", "Theirs")).unwrap();
    terminal.wait("Theirs");
    terminal.press("\r");
    terminal.wait("was changed in the file by another program");
    let both = "Theirs <URL:gopher://one/>\nOurs <URL:gopher://one/>\nTwo <URL:gopher://two/>\n";
    assert_eq!(fs::read_to_string(&path).unwrap(), both);
    terminal.wait_until("both", |screen| {
        let screen = screen.contents();
        screen.contains("Theirs") && screen.contains("Ours") && screen.contains("Two")
    });
    terminal.press("q");
    terminal.end(0);
}
