//! The real binary in a pseudo-terminal: keys in, the screen of that terminal out.

use std::io::{Read, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, ExitStatus, MasterPty, PtySize, native_pty_system};

/// The timeout of a test for something that should appear.
const PATIENCE: Duration = Duration::from_mins(1);

/// The width and height of a cell in pixels.
const CELL: (u16, u16) = (8, 16);

/// The binary, its terminal, and the screen that terminal would show.
pub struct Terminal {
    /// `None` once it was closed.
    master: Option<Box<dyn MasterPty + Send>>,
    child: Box<dyn Child + Send + Sync>,
    keys: Box<dyn Write + Send>,
    output: Receiver<Vec<u8>>,
    screen: vt100::Parser,
    /// All octets of the program.
    sent: Vec<u8>,
    /// The modes before the program ran.
    before: String,
}

impl Terminal {
    /// Runs the binary on a profile, on a screen of 80x24.
    pub fn run(profile: &Path, arguments: &[&str]) -> Self {
        Self::run_in(&[], profile, arguments)
    }

    /// Runs the binary and its arguments at the end of another command.
    pub fn run_in(outer: &[&str], profile: &Path, arguments: &[&str]) -> Self {
        let size = PtySize {
            rows: 24,
            cols: 80,
            pixel_width: 80 * CELL.0,
            pixel_height: 24 * CELL.1,
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
        // Read before the program can change them.
        let before = modes(pair.master.as_ref());
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
            master: Some(pair.master),
            child,
            keys,
            output,
            before,
            sent: Vec::new(),
            screen: vt100::Parser::new(24.try_into().unwrap(), 80.try_into().unwrap(), 0),
        }
    }

    /// Asserts that the terminal's modes are those before the program ran.
    pub fn check_modes(&self) {
        assert_eq!(modes(self.master.as_deref().unwrap()), self.before);
    }

    /// Sends keys, as a terminal does.
    pub fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Waits for a question that opens by itself, and chooses its last button, repeatedly, as the question
    /// discards keys at first.
    pub fn choose_last(&mut self, button: &str) {
        let button = format!("▌[ {button} ]");
        self.press_until("\x1b[C", &button, |screen| screen.contains(&button));
        self.press("\r");
    }

    /// Presses keys repeatedly until the screen fits.
    pub fn press_until(&mut self, keys: &str, what: &str, fits: impl Fn(&str) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !fits(&self.screen()) {
            assert!(Instant::now() < deadline, "{what}: {}", self.screen());
            self.press(keys);
            if let Ok(octets) = self.output.recv_timeout(Duration::from_millis(50)) {
                self.process(&octets);
            }
        }
    }

    fn process(&mut self, octets: &[u8]) {
        self.sent.extend_from_slice(octets);
        self.screen.process(octets);
    }

    /// Waits until the program has sent this sequence so many times.
    pub fn wait_sent(&mut self, sequence: &str, times: usize) {
        self.wait_until_sent(sequence, |sent| sent.matches(sequence).count() >= times);
    }

    /// Waits until all that the program has sent fits.
    pub fn wait_until_sent(&mut self, what: &str, fits: impl Fn(&str) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !fits(&String::from_utf8_lossy(&self.sent)) {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left) {
                Ok(octets) => self.process(&octets),
                Err(error) => panic!("no {what:?} ({error}): {}", self.screen()),
            }
        }
    }

    /// Waits for the home page, and opens the bookmarks, which 80 columns show on request only.
    pub fn open_bookmarks(&mut self) {
        self.wait("geomys:home");
        self.press("B");
        self.wait("Bookmarks ━");
    }

    /// Waits until the screen contains `text`.
    pub fn wait(&mut self, text: &str) {
        self.wait_until(text, |screen| screen.contents().contains(text));
    }

    /// Waits until the screen fits. Returns false if the program ends before, or the time is over.
    pub fn is_reached(&mut self, patience: Duration, fits: impl Fn(&str) -> bool) -> bool {
        let deadline = Instant::now() + patience;
        while !fits(&self.screen()) {
            if Instant::now() > deadline || self.has_ended() {
                return false;
            }
            if let Ok(octets) = self.output.recv_timeout(Duration::from_millis(20)) {
                self.process(&octets);
            }
        }
        true
    }

    /// Processes what comes until nothing does for a moment, as a question discards keys until nothing is typed.
    /// Returns true if the screen contains `text` then.
    pub fn shows(&mut self, text: &str) -> bool {
        while let Ok(octets) = self.output.recv_timeout(Duration::from_millis(700)) {
            self.process(&octets);
        }
        self.screen().contains(text)
    }

    /// Returns true once the program has ended.
    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Quits, whatever the program shows. Returns the last screen before, and all that was sent to the terminal.
    pub fn quit(&mut self) -> String {
        let last = self.screen();
        let deadline = Instant::now() + PATIENCE;
        while !self.has_ended() {
            assert!(Instant::now() < deadline, "{}", self.screen());
            // Alone, the first closes a dialog.
            for key in ["\x1b", "q"] {
                self.press(key);
                while let Ok(octets) = self.output.recv_timeout(Duration::from_millis(200)) {
                    self.process(&octets);
                }
            }
        }
        last + &String::from_utf8_lossy(&self.sent)
    }

    /// Waits until the screen no longer contains `text`.
    pub fn wait_until_absent(&mut self, text: &str) {
        let is_absent = |screen: &vt100::Screen| !screen.contents().contains(text);
        self.wait_until(&format!("no “{text}”"), is_absent);
    }

    /// Waits until the screen satisfies `fits`.
    pub fn wait_until(&mut self, what: &str, fits: impl Fn(&vt100::Screen) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !fits(self.screen.screen()) {
            match self
                .output
                .recv_timeout(deadline.saturating_duration_since(Instant::now()))
            {
                Ok(octets) => self.process(&octets),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    panic!(
                        "waited for “{what}” in vain; the screen is\n{}",
                        self.screen()
                    )
                }
            }
        }
    }

    /// The screen as text.
    pub fn screen(&self) -> String {
        self.screen.screen().contents()
    }

    /// The screen as text, once the frame that is coming is complete: it may come in pieces.
    pub fn whole_screen(&mut self) -> String {
        while let Ok(octets) = self.output.recv_timeout(Duration::from_millis(300)) {
            self.process(&octets);
        }
        self.screen()
    }

    /// All that the program has sent.
    pub fn sent(&self) -> String {
        String::from_utf8_lossy(&self.sent).into_owned()
    }

    /// Returns true for reports of the mouse, and true for their SGR encoding.
    pub fn mouse_modes(&self) -> (bool, bool) {
        let screen = self.screen.screen();
        let is_on = screen.mouse_protocol_mode() != vt100::MouseProtocolMode::None;
        let is_sgr = screen.mouse_protocol_encoding() == vt100::MouseProtocolEncoding::Sgr;
        (is_on, is_sgr)
    }

    /// Resizes the terminal.
    pub fn resize(&mut self, columns: u16, lines: u16) {
        let size = PtySize {
            rows: lines,
            cols: columns,
            pixel_width: columns * CELL.0,
            pixel_height: lines * CELL.1,
        };
        self.master.as_ref().unwrap().resize(size).unwrap();
        self.screen
            .screen_mut()
            .set_size(lines.try_into().unwrap(), columns.try_into().unwrap());
    }

    /// The process that the terminal runs.
    pub fn id(&self) -> u32 {
        self.child.process_id().unwrap()
    }

    /// Sends a signal to the process that the terminal runs.
    pub fn signal(&self, signal: &str) {
        assert!(send(signal, self.id()));
    }

    /// Kills the process that the terminal runs, and waits for its end.
    pub fn kill(&mut self) {
        self.signal("-KILL");
        self.status();
    }

    /// Closes the terminal under the program, waits for the program's end, and returns its exit status.
    pub fn hang_up(&mut self) -> u32 {
        // The thread that reads the terminal ends with the next octets (those of a frame), as its receiver is dropped.
        let (_sender, output) = channel();
        self.output = output;
        self.press("\u{c}");
        self.keys = Box::new(std::io::sink());
        self.master = None;
        self.status()
    }

    /// Waits for the end, and returns the exit status.
    fn status(&mut self) -> u32 {
        self.exit().exit_code()
    }

    /// Waits for the end, and returns how it came.
    fn exit(&mut self) -> ExitStatus {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(ended) = self.child.try_wait().unwrap() {
                return ended;
            }
            assert!(
                Instant::now() < deadline,
                "it did not end; the screen is\n{}",
                self.screen()
            );
            if let Ok(octets) = self.output.recv_timeout(Duration::from_millis(20)) {
                self.process(&octets);
            }
        }
    }

    /// Waits for the end with this exit status; asserts that the terminal is restored.
    pub fn end(&mut self, status: u32) {
        let ended = self.ended();
        assert_eq!(ended, status, "{}", self.screen());
    }

    /// Waits for the end by this signal, as the system describes it; asserts that the terminal is restored, with its
    /// modes.
    pub fn end_by(&mut self, description: &str) {
        let exit = self.exit();
        self.check_restored();
        self.check_modes();
        assert_eq!(exit.signal(), Some(description), "{}", self.screen());
    }

    /// Waits for the end, asserts that the terminal is restored, and returns the exit status.
    pub fn ended(&mut self) -> u32 {
        let status = self.status();
        self.check_restored();
        status
    }

    fn check_restored(&mut self) {
        // The output of a program that has ended ends at once, unless another one has the terminal too.
        while let Ok(octets) = self.output.recv_timeout(Duration::from_secs(2)) {
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

/// Sends a signal to a process. Returns true if the process exists.
pub fn send(signal: &str, id: u32) -> bool {
    let kill = std::process::Command::new("kill")
        .arg(signal)
        .arg(id.to_string())
        .output();
    kill.unwrap().status.success()
}

/// A terminal's modes, as `stty` would print them.
fn modes(master: &dyn MasterPty) -> String {
    format!("{:?}", master.get_termios().unwrap())
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // A failed test must not leave the process behind.
        let _ = self.child.kill();
    }
}
