//! The supervisor process of the browser: it restores the terminal whatever ends the browser.

use std::io::Write;
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::thread;

use geomys::demo::Demo;

use super::ending::{GROUP, check_marks, profile, read_an_article, wait_for};
use crate::support::terminal::{Terminal, send};

#[test]
fn terminal_is_restored_when_a_signal_ends_the_browser() {
    for (signal, number) in [("KILL", 9), ("SEGV", 11), ("ABRT", 6), ("BUS", 7)] {
        let profile = tempfile::tempdir().unwrap();
        let mut terminal = Terminal::run(profile.path(), &[]);
        terminal.wait("geomys:home");
        let browser = terminal.browser();
        // The first SEGV and BUS only remove Rust's own handler, which checks for a stack overflow.
        wait_for(|| !send(&format!("-{signal}"), browser) || !is_running(browser));
        terminal.end(128 + number);
        terminal.check_modes();
        let screen = terminal.screen();
        let sentence = format!("the browser was killed by SIG{signal}");
        assert!(screen.contains(&sentence), "{screen}");
    }
}

#[test]
fn screen_before_is_shown_again_when_the_browser_is_killed() {
    let profile = tempfile::tempdir().unwrap();
    let script = "echo what was here before; \"$0\" \"$@\"; echo status $?; read -r word";
    let mut terminal = Terminal::run_in(&["sh", "-c", script], profile.path(), &[]);
    terminal.wait("geomys:home");
    let [supervisor] = children(terminal.id())[..] else {
        panic!("the shell has one child");
    };
    let [browser] = children(supervisor)[..] else {
        panic!("the supervisor has one child");
    };
    assert!(send("-KILL", browser));
    terminal.wait("status 137");
    terminal.check_modes();
    let screen = terminal.screen();
    assert!(
        screen.contains("what was here before") && !screen.contains("geomys:home"),
        "{screen}"
    );
    terminal.press("\r");
    terminal.end(0);
}

#[test]
fn exit_status_is_known_if_sigchld_is_ignored_at_the_start() {
    let profile = tempfile::tempdir().unwrap();
    let outer = ["sh", "-c", "trap '' CHLD; exec \"$0\" \"$@\""];
    let mut terminal = Terminal::run_in(&outer, profile.path(), &[]);
    terminal.wait("geomys:home");
    assert!(send("-KILL", terminal.browser()));
    terminal.end(128 + 9);
    terminal.check_modes();
}

#[test]
fn browser_ends_when_its_supervisor_is_killed() {
    let profile = tempfile::tempdir().unwrap();
    let script = "\"$0\" \"$@\"; echo status $?; read -r word";
    let mut terminal = Terminal::run_in(&["sh", "-c", script], profile.path(), &[]);
    terminal.wait("geomys:home");
    let supervisor = children(terminal.id())[0];
    let browser = children(supervisor)[0];
    assert!(send("-KILL", supervisor));
    wait_for(|| !is_running(browser));
    terminal.press("\r");
    terminal.end(0);
    terminal.check_modes();
}

#[tokio::test(flavor = "multi_thread")]
async fn browser_saves_and_ends_when_its_supervisor_and_its_terminal_go_at_once() {
    let demo = Demo::start().await.unwrap();
    let profile = profile(&demo);
    let outer = ["sh", "-c", "\"$0\" \"$@\"; read -r word"];
    let mut terminal = Terminal::run_in(&outer, profile.path(), &[&format!("news:{GROUP}")]);
    read_an_article(&mut terminal);
    let supervisor = children(terminal.id())[0];
    let browser = children(supervisor)[0];
    assert!(send("-KILL", supervisor));
    terminal.hang_up();
    wait_for(|| !is_running(browser));
    check_marks(profile.path());
}

#[test]
fn terminal_is_restored_when_an_allocation_fails() {
    let profile = tempfile::tempdir().unwrap();
    // The page limit must not end the load before the failure.
    let settings = "[memory]\npage = 1024\n";
    std::fs::write(profile.path().join("settings.toml"), settings).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let line = format!("{}\r\n", "x".repeat(998));
        // Until the receiver is closed.
        while stream.write_all(line.as_bytes()).is_ok() {}
    });
    let mut terminal = Terminal::run(profile.path(), &[]);
    terminal.wait("geomys:home");
    let browser = terminal.browser();
    let more = 48 << 20;
    let limit = format!("--as={}", memory(browser) + more);
    let limited = Command::new("prlimit")
        .args(["--pid", &browser.to_string(), &limit])
        .status();
    if !limited.is_ok_and(|status| status.success()) {
        let line = "a failed allocation: skipped, as there is no prlimit\n";
        std::io::stderr().write_all(line.as_bytes()).unwrap();
        return;
    }
    terminal.press(&format!("ogopher://{address}/0/endless\r"));
    let status = terminal.ended();
    terminal.check_modes();
    let screen = terminal.screen();
    // A stack that cannot grow would be another fault.
    assert!([128 + 6, 128 + 11].contains(&status), "{status} {screen}");
    assert!(screen.contains("out of memory"), "{screen}");
}

/// The child processes of a process.
fn children(id: u32) -> Vec<u32> {
    let children = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap();
    children
        .split_whitespace()
        .map(|id| id.parse().unwrap())
        .collect()
}

/// Returns true if a process exists and is not a zombie.
fn is_running(id: u32) -> bool {
    let status = std::fs::read_to_string(Path::new("/proc").join(id.to_string()).join("status"));
    status.is_ok_and(|status| !status.contains("State:\tZ"))
}

/// The virtual memory of a process, in bytes.
fn memory(id: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap();
    let size = status
        .lines()
        .find_map(|line| line.strip_prefix("VmSize:"))
        .unwrap();
    let kilobytes: u64 = size.trim().trim_end_matches(" kB").parse().unwrap();
    kilobytes << 10
}
