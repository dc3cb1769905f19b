//! Involuntary ends: a closed terminal, SIGTERM while another program has the terminal.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use geomys::ui::STOP_HINT;
use geomys_demo::Demo;

use crate::support::terminal::Terminal;

/// The timeout of a test for something that no screen shows.
const PATIENCE: Duration = Duration::from_mins(1);

const MEBIBYTE: u64 = 1 << 20;

/// The group of the demo that the tests read in.
pub(super) const GROUP: &str = "underloam.infosystems.gopher";

/// Opens the first article of a group, so that an unwritten mark exists.
pub(super) fn read_an_article(terminal: &mut Terminal) {
    terminal.wait("19 of 19 unread");
    terminal.press("\r");
    terminal.wait("there was a town");
    // A part of the article does not count as read, and all of a part may be on the screen.
    let stop = format!("Esc {STOP_HINT}");
    terminal.wait_until("the whole article", |screen| {
        let text = screen.contents();
        text.contains(" All ") && !text.contains(&stop)
    });
    terminal.press("h");
    terminal.wait("18 of 19 unread");
}

/// The marks of all news servers in a profile.
fn marks(profile: &Path) -> String {
    let files = std::fs::read_dir(profile.join("newsrc"));
    let files = files.map_or(Vec::new(), |files| {
        files.map(|file| file.unwrap().path()).collect()
    });
    files
        .iter()
        .map(|file| std::fs::read_to_string(file).unwrap())
        .collect()
}

pub(super) fn check_marks(profile: &Path) {
    let marks = marks(profile);
    let line = marks.lines().find(|line| line.starts_with(GROUP));
    let numbers = line.and_then(|line| line.split_once([':', '!']));
    assert!(
        numbers.is_some_and(|(_, numbers)| !numbers.trim().is_empty()),
        "{marks}"
    );
}

/// A profile with the demo's news server.
pub(super) fn profile(demo: &Demo) -> tempfile::TempDir {
    let profile = tempfile::tempdir().unwrap();
    let settings = format!("news-server = \"{}\"\n", demo.addresses.news);
    std::fs::write(profile.path().join("settings.toml"), settings).unwrap();
    profile
}

#[tokio::test(flavor = "multi_thread")]
async fn closed_terminal_ends_the_browser_and_marks_are_saved() {
    let demo = Demo::start().await.unwrap();
    for _ in 0..4 {
        let profile = profile(&demo);
        let mut terminal = Terminal::run(profile.path(), &[&format!("news:{GROUP}")]);
        read_an_article(&mut terminal);
        assert_eq!(terminal.hang_up(), 0);
        check_marks(profile.path());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_tmux_session_ends_the_browser_and_marks_are_saved() {
    let demo = Demo::start().await.unwrap();
    let profile = profile(&demo);
    let path = |name: &str| profile.path().join(name).to_str().unwrap().to_owned();
    let (socket, status) = (path("tmux"), path("status"));
    if Command::new("tmux").arg("-V").output().is_err() {
        let line = "a killed tmux session: skipped, as there is no tmux\n";
        std::io::stderr().write_all(line.as_bytes()).unwrap();
        return;
    }
    let script =
        format!("trap '' HUP; \"$0\" \"$@\"; echo $? > {status}.new; mv {status}.new {status}");
    let outer = [
        "tmux",
        "-f",
        "/dev/null",
        "-S",
        &socket,
        "new-session",
        "sh",
        "-c",
        &script,
    ];
    let mut terminal = Terminal::run_in(&outer, profile.path(), &[&format!("news:{GROUP}")]);
    read_an_article(&mut terminal);
    let killed = Command::new("tmux")
        .args(["-S", &socket, "kill-session"])
        .status();
    assert!(killed.unwrap().success());
    wait_for(|| Path::new(&status).exists());
    assert_eq!(std::fs::read_to_string(&status).unwrap(), "0\n");
    check_marks(profile.path());
}

/// Waits for something that no terminal shows.
pub fn wait_for(is_there: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_there() {
        assert!(start.elapsed() < PATIENCE, "waited in vain");
        thread::yield_now();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn endless_text_stays_under_the_memory_of_a_page() {
    let profile = tempfile::tempdir().unwrap();
    let settings = "[memory]\npage = 16\n";
    std::fs::write(profile.path().join("settings.toml"), settings).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (done, ended) = channel();
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let line = format!("{}\r\n", "x".repeat(998));
        // Until the receiver is closed.
        while stream.write_all(line.as_bytes()).is_ok() {}
        done.send(()).unwrap();
    });
    let mut terminal = Terminal::run(profile.path(), &[&format!("gopher://{address}/0/endless")]);
    terminal.wait("xxxx");
    ended
        .recv_timeout(PATIENCE)
        .expect("the load ends at the limit");
    // What a frame and the program itself take is far below the rest.
    let most = most_memory(terminal.id());
    assert!(most < 128 << 20, "{most}");
    terminal.press("q");
    terminal.end(0);
}

#[test]
fn address_space_that_is_too_small_is_said_before_the_screen_is_taken() {
    let profile = tempfile::tempdir().unwrap();
    let script = "ulimit -v 300000; exec \"$0\" \"$@\"";
    let mut terminal = Terminal::run_in(&["bash", "-c", script], profile.path(), &[]);
    terminal.end(2);
    let sentence = "geomys: needs 1024 MiB of address space, ulimit -v allows 292 MiB";
    assert_eq!(terminal.screen().trim_end(), sentence);
}

#[test]
fn key_ends_the_browser_while_a_text_comes_in_as_fast_as_it_can() {
    let profile = tempfile::tempdir().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let count = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&count);
    let (done, ended) = channel();
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let lines = "a line of a text that has no end\r\n".repeat(1000);
        while stream.write_all(lines.as_bytes()).is_ok() {
            counted.fetch_add(lines.len() as u64, Ordering::SeqCst);
        }
        done.send(()).unwrap();
    });
    let mut terminal = Terminal::run(profile.path(), &[&format!("gopher://{address}/0/fast")]);
    // By now the loop has always another part to take.
    wait_for(|| count.load(Ordering::SeqCst) > 32 * MEBIBYTE);
    let before = count.load(Ordering::SeqCst);
    terminal.press("q");
    terminal.end(0);
    ended.recv_timeout(PATIENCE).expect("the load ends");
    // What sockets hold, and what was read before the program learnt of the key.
    let more = count.load(Ordering::SeqCst) - before;
    assert!(more < 12 * MEBIBYTE, "{more}");
}

/// The most memory that a process has used, in bytes.
#[cfg(target_os = "linux")]
fn most_memory(id: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes: u64 = line
        .unwrap()
        .trim()
        .trim_end_matches(" kB")
        .parse()
        .unwrap();
    kilobytes << 10
}

/// A profile where telnet is a script that has the terminal.
fn profile_with_program(script: &str) -> tempfile::TempDir {
    let profile = tempfile::tempdir().unwrap();
    let settings = format!("[open]\ntelnet = [\"sh\", \"-c\", \"{script}\", \"{{host}}\"]\n");
    std::fs::write(profile.path().join("settings.toml"), settings).unwrap();
    profile
}

#[test]
fn sigterm_ends_the_program_that_has_the_terminal_and_the_browser() {
    for signal in ["-TERM", "-HUP"] {
        let script =
            "trap 'echo told > $HOME/told; exit' TERM; echo in $0; while :; do read -r word; done";
        let profile = profile_with_program(script);
        let mut terminal = Terminal::run(profile.path(), &["telnet://h.example/"]);
        terminal.wait("Run the configured program");
        terminal.choose_last("Yes");
        terminal.wait("in h.example");
        terminal.signal(signal);
        terminal.end(0);
        terminal.check_modes();
        let written = std::fs::read_to_string(profile.path().join("told"));
        assert_eq!(written.unwrap(), "told\n");
    }
}

#[test]
fn sigterm_is_heard_while_the_end_of_a_program_is_shown() {
    let profile = profile_with_program("exit 3");
    let mut terminal = Terminal::run(profile.path(), &["telnet://h.example/"]);
    terminal.wait("Run the configured program");
    terminal.choose_last("Yes");
    terminal.wait("exited with status 3; press Enter");
    terminal.signal("-TERM");
    terminal.end(0);
    terminal.check_modes();
}

#[test]
fn load_goes_on_while_another_program_has_the_terminal() {
    let (address, go_on, sent) = serve_slowly();
    let profile = profile_with_program("echo in $0; read -r word");
    let mut terminal = Terminal::run(profile.path(), &[&format!("gopher://{address}/0/long")]);
    terminal.wait("line 0 of the text");
    terminal.press("otelnet://h.example/\r");
    terminal.wait("Run the configured program");
    terminal.press("y");
    terminal.wait("in h.example");
    go_on.send(()).unwrap();
    // More than sockets and buffers hold: it must be read while the program runs.
    sent.recv_timeout(PATIENCE).expect("the load goes on");
    terminal.press("\r");
    terminal.wait_until("Geomys again", vt100::Screen::alternate_screen);
    terminal.press("q");
    terminal.end(0);
}

/// A Gopher server that sends the first lines of a text, and the other 32 MB on a signal.
fn serve_slowly() -> (SocketAddr, Sender<()>, Receiver<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (go_on, continue_signal) = channel();
    let (done, sent) = channel();
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut selector = [0; 256];
        let _ = stream.read(&mut selector).unwrap();
        for number in 0..40 {
            write!(stream, "line {number} of the text\r\n").unwrap();
        }
        continue_signal.recv().unwrap();
        let line = format!("{}\r\n", "x".repeat(998));
        for _ in 0..32_000 {
            stream.write_all(line.as_bytes()).unwrap();
        }
        done.send(()).unwrap();
        let _ = stream.write_all(b".\r\n");
    });
    (address, go_on, sent)
}
