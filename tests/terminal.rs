//! The real binary in a real pseudo-terminal: what a person would see, and a terminal that is given back.

use std::io::{Read, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use geomys::demo::Demo;
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// How long a test waits for what should appear.
const PATIENCE: Duration = Duration::from_secs(20);

#[tokio::test(flavor = "multi_thread")]
async fn a_bookmark_a_link_back_a_new_bookmark_and_out() {
    let demo = Demo::start().await.unwrap();
    let profile = tempfile::tempdir().unwrap();
    std::fs::write(profile.path().join("bookmarks.txt"), demo.bookmarks()).unwrap();
    let mut terminal = Terminal::run(profile.path(), &[]);
    let before = terminal.modes();
    terminal.wait("Underloam");
    terminal.press("j\r");
    terminal.wait("market square");
    terminal.press("2\r");
    terminal.wait("/1/map");
    terminal.press("h");
    terminal.wait("market square");
    terminal.press("3\r");
    terminal.wait("/1/phlog");
    terminal.press("a");
    terminal.wait("New bookmark");
    terminal.press("\r");
    terminal.wait("bookmarks saved");
    terminal.press("q");
    terminal.end(0);
    assert_eq!(terminal.modes(), before);
    let file = std::fs::read_to_string(profile.path().join("bookmarks.txt")).unwrap();
    let line = format!("<URL:gopher://{}/1/phlog>\n", demo.gopher());
    assert!(file.ends_with(&line), "{file}");
}

#[cfg(debug_assertions)]
#[test]
fn a_panic_gives_the_terminal_back_first() {
    let profile = tempfile::tempdir().unwrap();
    let mut terminal = Terminal::run(profile.path(), &["--panic-at-first-key"]);
    let before = terminal.modes();
    terminal.wait("Bookmarks");
    terminal.press("j");
    terminal.end(101);
    assert_eq!(terminal.modes(), before);
    let screen = terminal.screen();
    assert!(screen.contains("as --panic-at-first-key asks"), "{screen}");
}

#[test]
fn sigterm_and_sighup_give_the_terminal_back() {
    for signal in ["-TERM", "-HUP"] {
        let profile = tempfile::tempdir().unwrap();
        let mut terminal = Terminal::run(profile.path(), &[]);
        let before = terminal.modes();
        terminal.wait("Bookmarks");
        terminal.signal(signal);
        terminal.end(0);
        assert_eq!(terminal.modes(), before);
    }
}

#[test]
fn ctrl_z_gives_the_terminal_back_until_the_shell_says_go_on() {
    let profile = tempfile::tempdir().unwrap();
    // Only a shell with job control can be stopped in: without one the key does nothing.
    let script = "set -m; \"$0\" \"$@\"; echo it has stopped; read -r word; fg > /dev/null";
    let mut terminal = Terminal::run_in(&["bash", "-c", script], profile.path(), &[]);
    let before = terminal.modes();
    terminal.wait("Bookmarks");
    terminal.press("\u{1a}");
    terminal.wait("it has stopped");
    terminal.wait_until("the screen given back", |screen| !screen.alternate_screen());
    assert_eq!(terminal.modes(), before);
    terminal.press("on\r");
    terminal.wait("Bookmarks");
    terminal.press("q");
    terminal.end(0);
    assert_eq!(terminal.modes(), before);
}

#[test]
fn a_bookmark_file_that_cannot_be_read_is_a_sentence_and_is_not_written_over() {
    let profile = tempfile::tempdir().unwrap();
    std::fs::create_dir(profile.path().join("bookmarks.txt")).unwrap();
    let mut terminal = Terminal::run(profile.path(), &[]);
    terminal.wait("the bookmarks cannot be read");
    terminal.press("\ta");
    terminal.wait("New bookmark");
    terminal.press("\r");
    terminal.wait_until("the sentence again", |screen| {
        let screen = screen.contents();
        screen.contains("the bookmarks cannot be read") && !screen.contains("New bookmark")
    });
    terminal.press("q");
    terminal.end(0);
}

/// The binary, its terminal, and the screen that terminal would show.
struct Terminal {
    master: Box<dyn MasterPty + Send>,
    child: Box<dyn Child + Send + Sync>,
    keys: Box<dyn Write + Send>,
    output: Receiver<Vec<u8>>,
    screen: vt100::Parser,
}

impl Terminal {
    fn run(profile: &Path, arguments: &[&str]) -> Self {
        Self::run_in(&[], profile, arguments)
    }

    /// Runs the binary as the last words of another command.
    fn run_in(outer: &[&str], profile: &Path, arguments: &[&str]) -> Self {
        let size = PtySize {
            rows: 24,
            cols: 80,
            pixel_width: 0,
            pixel_height: 0,
        };
        let pair = native_pty_system().openpty(size).unwrap();
        let words = outer.iter().chain(&[env!("CARGO_BIN_EXE_geomys")]);
        let mut command = CommandBuilder::from_argv(words.map(Into::into).collect());
        command.env_clear();
        command.env("PATH", "/usr/local/bin:/usr/bin:/bin");
        command.env("TERM", "xterm-256color");
        command.env("LANG", "C.UTF-8");
        command.env("HOME", profile);
        command.arg("--config");
        command.arg(profile);
        command.args(arguments);
        let child = pair.slave.spawn_command(command).unwrap();
        let mut reader = pair.master.try_clone_reader().unwrap();
        let (sender, output) = channel();
        thread::spawn(move || {
            let mut octets = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut octets) {
                if sender.send(octets[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        // The slave stays open here, so that the terminal outlives its program and its modes can be read.
        std::mem::forget(pair.slave);
        let keys = pair.master.take_writer().unwrap();
        Self {
            master: pair.master,
            child,
            keys,
            output,
            screen: vt100::Parser::new(24.try_into().unwrap(), 80.try_into().unwrap(), 0),
        }
    }

    /// The terminal's modes, as `stty` would print them.
    fn modes(&self) -> String {
        format!("{:?}", self.master.get_termios().unwrap())
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Waits until the screen holds `text` and nothing is on its way that could be stopped.
    fn wait(&mut self, text: &str) {
        self.wait_until(text, |screen| {
            let screen = screen.contents();
            screen.contains(text) && !screen.contains("Esc stop  ?")
        });
    }

    fn wait_until(&mut self, what: &str, fits: impl Fn(&vt100::Screen) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !fits(self.screen.screen()) {
            match self
                .output
                .recv_timeout(deadline.saturating_duration_since(Instant::now()))
            {
                Ok(octets) => self.screen.process(&octets),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    panic!(
                        "waited for “{what}” in vain; the screen is\n{}",
                        self.screen()
                    )
                }
            }
        }
    }

    fn screen(&self) -> String {
        self.screen.screen().contents()
    }

    fn signal(&self, signal: &str) {
        let id = self.child.process_id().unwrap().to_string();
        let sent = std::process::Command::new("kill")
            .arg(signal)
            .arg(id)
            .status()
            .unwrap();
        assert!(sent.success());
    }

    /// Waits for the end; the terminal has to be as it was.
    fn end(&mut self, status: u32) {
        let deadline = Instant::now() + PATIENCE;
        let ended = loop {
            if let Some(ended) = self.child.try_wait().unwrap() {
                break ended;
            }
            assert!(
                Instant::now() < deadline,
                "it did not end; the screen is\n{}",
                self.screen()
            );
            if let Ok(octets) = self.output.recv_timeout(Duration::from_millis(20)) {
                self.screen.process(&octets);
            }
        };
        assert_eq!(ended.exit_code(), status, "{}", self.screen());
        while let Ok(octets) = self.output.recv_timeout(Duration::from_millis(100)) {
            self.screen.process(&octets);
        }
        let screen = self.screen.screen();
        assert!(!screen.alternate_screen(), "the alternate screen was left");
        assert!(!screen.hide_cursor(), "the cursor was shown again");
        assert!(
            !screen.bracketed_paste(),
            "bracketed paste was switched off"
        );
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // It has ended, or the test has failed: then it must not be left behind.
        let _ = self.child.kill();
    }
}
