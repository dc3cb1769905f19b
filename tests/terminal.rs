//! The real binary in a real pseudo-terminal: its screen, and the restored terminal.

mod bookmarks;
pub mod exit;
mod input;
mod job_control;
mod mouse;
mod progress;
mod window;

use geomys_demo::Demo;

use crate::support::terminal::Terminal;

#[tokio::test(flavor = "multi_thread")]
async fn bookmark_link_back_new_bookmark_and_quit() {
    let demo = Demo::start().await.unwrap();
    let profile = tempfile::tempdir().unwrap();
    std::fs::write(profile.path().join("bookmarks.txt"), demo.bookmarks()).unwrap();
    let mut terminal = Terminal::run(profile.path(), &[]);
    terminal.open_bookmarks();
    terminal.wait("Underloam");
    terminal.press("j\r");
    terminal.wait("town below a meadow");
    terminal.press("2\r");
    // The address alone may be that of the link under the cursor.
    terminal.wait("A map of Underloam");
    terminal.press("h");
    terminal.wait("town below a meadow");
    terminal.press("7\r");
    terminal.wait("Bursarius");
    terminal.press("a");
    terminal.wait("New bookmark");
    terminal.press("\r");
    terminal.wait("Bookmarks saved");
    terminal.press("q");
    terminal.end(0);
    terminal.check_modes();
    let file = std::fs::read_to_string(profile.path().join("bookmarks.txt")).unwrap();
    let line = format!("<URL:gopher://{}/1/weather>\n", demo.addresses.gopher);
    assert!(file.contains(&format!("{line}\n# Gopher\n")), "{file}");
}

#[test]
fn bookmarks_are_filtered_moved_repaired_and_undone_beside_an_outside_edit() {
    let list = "# Gopher\nFloodgap <URL:gopher://gopher.floodgap.com/>\nFlat gap <URL:gopher://flat.example/>\n\
                # FTP\nGNU <URL:ftp://ftp.gnu.org/~gnu>\n";
    let profile = tempfile::tempdir().unwrap();
    let path = profile.path().join("bookmarks.txt");
    std::fs::write(&path, list).unwrap();
    let file = || std::fs::read_to_string(&path).unwrap();
    let mut terminal = Terminal::run(profile.path(), &[]);
    terminal.open_bookmarks();
    terminal.wait("▾ FTP");
    terminal.press("/flgp");
    terminal.wait("> flgp ");
    terminal.wait("2 of 3");
    insta::assert_snapshot!("bookmarks-filter", terminal.whole_screen());
    terminal.press("\x1b");
    terminal.wait("▾ FTP");
    // Esc and a key without a pause would read as Alt and that key.
    terminal.press("!");
    terminal.wait("opens as");
    terminal.press("\x12");
    terminal.wait("Repair “GNU”?");
    insta::assert_snapshot!("bookmarks-repair", terminal.whole_screen());
    terminal.press("y");
    terminal.wait("“GNU” repaired");
    assert_eq!(file(), list.replace("~gnu", "%7Egnu"));
    terminal.press("m");
    terminal.wait(" cut (");
    terminal.press("ggp");
    terminal.wait("“GNU” moved to Gopher");
    insta::assert_snapshot!("bookmarks-moved", terminal.whole_screen());
    // Another program adds a line meanwhile, and it stays.
    std::fs::write(&path, format!("{}New <URL:news:news.announce>\n", file())).unwrap();
    terminal.wait("New");
    terminal.press("z");
    terminal.wait("Undone: “GNU” moved to Gopher");
    terminal.press("z");
    terminal.wait("Undone: “GNU” repaired");
    assert_eq!(file(), format!("{list}New <URL:news:news.announce>\n"));
    terminal.press("e");
    terminal.wait("Edit the bookmark");
    terminal.press("\t~");
    terminal.wait("gnu~ ");
    terminal.wait("Ctrl-R repair URL");
    insta::assert_snapshot!("bookmarks-form", terminal.whole_screen());
    terminal.press("\x1b");
    terminal.wait_until_absent("Edit the");
    terminal.press("q");
    terminal.end(0);
    terminal.check_modes();
}

#[tokio::test(flavor = "multi_thread")]
async fn bookmarks_option_names_any_file_and_list_line_opens() {
    let demo = Demo::start().await.unwrap();
    let profile = tempfile::tempdir().unwrap();
    let other = profile.path().join("other.txt");
    let before = "# Of my own\nThe well <URL:gopher://well/>\n";
    std::fs::write(&other, before).unwrap();
    let line = format!(
        "A hole\tgopher://{}/1/phlog\tHoles/Old\t#x",
        demo.addresses.gopher
    );
    let mut terminal = Terminal::run(
        profile.path(),
        &["--bookmarks", other.to_str().unwrap(), &line],
    );
    terminal.wait("Newest first");
    terminal.press("a");
    terminal.wait("New bookmark");
    terminal.press("\r");
    terminal.wait("Bookmarks saved");
    terminal.press("q");
    terminal.end(0);
    let file = std::fs::read_to_string(&other).unwrap();
    assert!(file.ends_with(&format!("/1/phlog>\n\n{before}")), "{file}");
    assert!(!profile.path().join("bookmarks.txt").exists());
    let states = profile.path().join("bookmarks");
    let own = std::fs::read_dir(states).unwrap().next().unwrap().unwrap();
    let backup = std::fs::read_dir(own.path())
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    assert_eq!(std::fs::read_to_string(backup.path()).unwrap(), before);
}

#[cfg(debug_assertions)]
#[test]
fn panic_restores_the_terminal_first() {
    let profile = tempfile::tempdir().unwrap();
    let mut terminal = Terminal::run(profile.path(), &["--panic-at-first-key"]);
    terminal.wait("geomys:home");
    terminal.press("j");
    terminal.end(101);
    terminal.check_modes();
    let screen = terminal.screen();
    let sentence = "geomys: stopped by a bug in Geomys, please report it: the first key, as";
    assert!(screen.contains(sentence), "{screen}");
    assert!(!screen.contains("backtrace"), "{screen}");
}

#[cfg(debug_assertions)]
#[test]
fn hanging_browser_is_ended_by_a_signal_and_restores_the_terminal() {
    let profile = tempfile::tempdir().unwrap();
    let mut terminal = Terminal::run(profile.path(), &["--hang-at-first-key"]);
    terminal.wait("geomys:home");
    terminal.press("j");
    terminal.wait("hangs as asked");
    terminal.signal("-TERM");
    terminal.end(128 + 15);
    terminal.check_modes();
}

#[test]
fn terminating_signal_restores_the_terminal() {
    for signal in ["-TERM", "-HUP", "-INT", "-QUIT"] {
        let profile = tempfile::tempdir().unwrap();
        let mut terminal = Terminal::run(profile.path(), &[]);
        terminal.wait("geomys:home");
        terminal.signal(signal);
        terminal.end(0);
        terminal.check_modes();
    }
}

/// The signals that nobody sends to end a program in order, and their descriptions.
const OTHER_SIGNALS: [(&str, &str); 9] = [
    ("-ABRT", "Aborted"),
    ("-ALRM", "Alarm clock"),
    ("-PROF", "Profiling timer expired"),
    ("-SYS", "Bad system call"),
    ("-TRAP", "Trace/breakpoint trap"),
    ("-USR1", "User defined signal 1"),
    ("-USR2", "User defined signal 2"),
    ("-VTALRM", "Virtual timer expired"),
    ("-XCPU", "CPU time limit exceeded"),
];

#[test]
fn other_signal_restores_the_terminal_and_ends_the_program_by_itself() {
    for (signal, description) in OTHER_SIGNALS {
        let profile = tempfile::tempdir().unwrap();
        let page = profile.path().join("a-text");
        std::fs::write(&page, "some words").unwrap();
        let mut terminal = Terminal::run(profile.path(), &[]);
        terminal.wait("geomys:home");
        terminal.press(&format!("o{}\r", page.display()));
        terminal.wait("some words");
        terminal.signal(signal);
        terminal.end_by(description);
        // What is unsaved is written first.
        let session = std::fs::read_to_string(profile.path().join("session.json"));
        let session = session.unwrap_or_default();
        assert!(session.contains("a-text"), "{signal}: {session}");
    }
}

#[test]
fn limit_of_file_sizes_ends_nothing() {
    let profile = tempfile::tempdir().unwrap();
    let mut terminal = Terminal::run(profile.path(), &[]);
    terminal.wait("geomys:home");
    terminal.signal("-XFSZ");
    terminal.press("?");
    terminal.wait("Most used");
    terminal.press("\x1b");
    terminal.wait_until_absent("Most used");
    terminal.press("q");
    terminal.end(0);
    terminal.check_modes();
}

#[test]
fn signal_at_the_question_of_a_command_restores_the_modes() {
    let signals = OTHER_SIGNALS.iter().map(|(signal, _)| *signal);
    for signal in signals.chain(["-TERM", "-INT", "-HUP", "-QUIT"]) {
        let profile = tempfile::tempdir().unwrap();
        let mut terminal = Terminal::run(profile.path(), &["dump", "gopher://h.example/7/find"]);
        terminal.wait("Search for:");
        terminal.signal(signal);
        terminal.ended();
        terminal.check_modes();
    }
}

#[test]
fn ctrl_z_suspends_and_fg_resumes() {
    let profile = tempfile::tempdir().unwrap();
    // Suspending needs a shell with job control: without one the key does nothing. The script that runs the
    // browser is in the same job, and has to stop with it.
    let job = "bash -c '\"$0\" \"$@\"; exit $?' \"$0\" \"$@\"";
    let script = format!("set -m; {job}; echo it has stopped; read -r word; fg > /dev/null");
    let mut terminal = Terminal::run_in(&["bash", "-c", &script], profile.path(), &[]);
    terminal.wait("geomys:home");
    terminal.press("\u{1a}");
    terminal.wait("it has stopped");
    terminal.wait_until("the screen given back", |screen| !screen.alternate_screen());
    terminal.check_modes();
    // A stopped process does not receive it.
    terminal.resize(100, 30);
    terminal.press("on\r");
    terminal.wait_until("the status line at the new end", |screen| {
        let last = screen.rows(0, 100).last();
        screen.alternate_screen() && last.is_some_and(|line| !line.trim().is_empty())
    });
    terminal.wait("geomys:home");
    terminal.press("q");
    terminal.end(0);
    terminal.check_modes();
}

#[test]
fn unreadable_bookmark_file_is_reported_and_not_overwritten() {
    let profile = tempfile::tempdir().unwrap();
    std::fs::create_dir(profile.path().join("bookmarks.txt")).unwrap();
    let mut terminal = Terminal::run(profile.path(), &["gopher://127.0.0.1:49151/"]);
    terminal.wait("The bookmarks cannot be read");
    terminal.wait("refused the connection");
    terminal.press("a");
    terminal.wait("New bookmark");
    terminal.press("\r");
    terminal.wait_until("the sentence again", |screen| {
        let screen = screen.contents();
        screen.contains("The bookmarks cannot be read") && !screen.contains("New bookmark")
    });
    terminal.press("q");
    terminal.end(0);
}

#[test]
fn external_program_gets_terminal_keys_and_signals() {
    let profile = tempfile::tempdir().unwrap();
    let script = "echo in telnet to $0; read -r word; echo it heard $word; exit 3";
    let settings = format!("[open]\ntelnet = [\"sh\", \"-c\", \"{script}\", \"{{host}}\"]\n");
    std::fs::write(profile.path().join("settings.toml"), settings).unwrap();
    let mut terminal = Terminal::run(profile.path(), &["telnet://h.example/"]);
    terminal.wait("Run the configured program");
    terminal.choose_last("Yes");
    terminal.wait("in telnet to h.example");
    terminal.wait_until("the screen given back", |screen| !screen.alternate_screen());
    terminal.check_modes();
    terminal.press("every key\r");
    terminal.wait("it heard every key");
    terminal.wait("exited with status 3; press Enter");
    terminal.press("\r");
    terminal.wait_until("Geomys again", |screen| {
        screen.alternate_screen() && screen.contents().contains("“sh” exited with status 3")
    });
    // Ctrl-C goes to the program that has the terminal, and Geomys continues.
    terminal.press("otelnet://i.example/\r");
    terminal.wait("Run the configured program");
    terminal.press("y");
    terminal.wait("in telnet to i.example");
    terminal.press("\u{3}");
    terminal.wait("was killed by a signal; press Enter");
    terminal.press("\r");
    terminal.wait_until("Geomys again", vt100::Screen::alternate_screen);
    terminal.wait("“sh” was killed by a signal");
    terminal.press("q");
    terminal.end(0);
    terminal.check_modes();
}

#[tokio::test(flavor = "multi_thread")]
async fn mailcap_names_the_viewer_of_a_file() {
    let demo = Demo::start().await.unwrap();
    let profile = tempfile::tempdir().unwrap();
    let mailcap = "audio/*; play %s &\nimage/*; wc -c %s; needsterminal\n";
    std::fs::write(profile.path().join(".mailcap"), mailcap).unwrap();
    let settings = profile.path().join("settings.toml");
    std::fs::write(settings, "[pictures]\nshow = false\n").unwrap();
    let door = format!("gopher://{}/I/gallery/door.png", demo.addresses.gopher);
    let mut terminal = Terminal::run(profile.path(), &[&door]);
    terminal.choose_last("View it with wc");
    terminal.wait("“wc” exited");
    // An entry that needs a shell is reported as unusable.
    terminal.press(&format!(
        "ogopher://{}/s/gallery/bell.wav\r",
        demo.addresses.gopher
    ));
    terminal.wait("mailcap names play, but its command");
    terminal.press("\u{1b}");
    terminal.wait_until_absent("Save as");
    terminal.press("q");
    terminal.end(0);
    terminal.check_modes();
}

#[test]
fn demo_leaves_no_files() {
    let home = tempfile::tempdir().unwrap();
    // The user's own news settings do not apply to the demo.
    let rules = "[*]\n-9999 From: Lost Visitor\n";
    std::fs::write(home.path().join("score.txt"), rules).unwrap();
    let mut terminal = Terminal::run(home.path(), &["demo"]);
    terminal.wait("U N D E R L O A M");
    terminal.press("onews:underloam.infosystems.gopher\r");
    terminal.wait("19 of 19 unread");
    terminal.press("\r");
    // The article is complete when the status line shows its keys.
    terminal.wait("F follow-up");
    terminal.press("h");
    terminal.wait("18 of 19 unread");
    terminal.press("q");
    terminal.end(0);
    let files = std::fs::read_dir(home.path()).unwrap();
    let names: Vec<_> = files.map(|file| file.unwrap().file_name()).collect();
    assert_eq!(names, ["score.txt"]);
}
