//! A program on a pseudo-terminal of 120 columns and 40 lines: its output, with times.

use std::ffi::OsStr;
use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use crate::DEADLINE;

const COLUMNS: u16 = 120;
const LINES: u16 = 40;

/// The time without output after which a program is idle.
const IDLE: Duration = Duration::from_millis(100);

/// A running program.
pub(crate) struct Screen {
    child: Box<dyn Child + Send + Sync>,
    keys: Box<dyn Write + Send>,
    output: Receiver<(Instant, Vec<u8>)>,
    shown: vt100::Parser,
    /// The time of the last output.
    changed: Instant,
    /// The start time.
    pub(crate) started: Instant,
    /// The master side; reading ends when it is closed.
    _master: Box<dyn MasterPty + Send>,
}

/// The response to a key, in time since it was pressed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stroke {
    /// The next output of any kind.
    pub(crate) frame: Duration,
    /// The output with the expected effect.
    pub(crate) effect: Duration,
}

impl Screen {
    /// Starts `program` with an environment of its own; `home` is an empty directory.
    pub(crate) fn start(program: &Path, arguments: &[&OsStr], home: &Path) -> Self {
        let size = PtySize {
            rows: LINES,
            cols: COLUMNS,
            pixel_width: 0,
            pixel_height: 0,
        };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(program);
        command.args(arguments);
        command.env_clear();
        command.env("PATH", "/usr/local/bin:/usr/bin:/bin");
        command.env("TERM", "xterm-256color");
        command.env("LANG", "C.UTF-8");
        command.env("HOME", home);
        command.cwd(home);
        let mut reader = pair.master.try_clone_reader().unwrap();
        let keys = pair.master.take_writer().unwrap();
        let (sender, output) = channel();
        // The time is taken when the output is read, before it is parsed.
        thread::spawn(move || {
            let mut octets = [0; 16 * 1024];
            while let Ok(count @ 1..) = reader.read(&mut octets) {
                let piece = (Instant::now(), octets[..count].to_vec());
                if sender.send(piece).is_err() {
                    return;
                }
            }
        });
        let started = Instant::now();
        let child = pair.slave.spawn_command(command).unwrap();
        Self {
            child,
            keys,
            output,
            shown: vt100::Parser::new(LINES.try_into().unwrap(), COLUMNS.try_into().unwrap(), 0),
            changed: started,
            started,
            _master: pair.master,
        }
    }

    /// Waits until `matches` accepts the screen; returns the time.
    pub(crate) fn wait(&mut self, matches: impl Fn(&str) -> bool) -> Instant {
        if matches(&self.text()) {
            return self.changed;
        }
        self.wait_from(Instant::now(), matches).effect
    }

    /// Waits until the output has `words` in one piece, without drawing it: that would take a core from the program.
    pub(crate) fn wait_for_octets(&mut self, words: &str) -> Instant {
        let mut all = Vec::new();
        loop {
            let Ok((at, octets)) = self.output.recv_timeout(DEADLINE) else {
                panic!("waited in vain for {words:?}");
            };
            let from = all.len().saturating_sub(words.len());
            all.extend(octets);
            if memchr::memmem::find(&all[from..], words.as_bytes()).is_some() {
                return at;
            }
        }
    }

    /// Presses keys when the program is idle, and waits until `matches` accepts the screen.
    pub(crate) fn press_when_idle(&mut self, keys: &str, matches: impl Fn(&str) -> bool) -> Stroke {
        self.settle(IDLE);
        self.press(keys, matches)
    }

    /// Presses keys at once, even if the program is busy.
    pub(crate) fn press(&mut self, keys: &str, matches: impl Fn(&str) -> bool) -> Stroke {
        self.settle(Duration::ZERO);
        let pressed = Instant::now();
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
        let outputs = self.wait_from(pressed, matches);
        Stroke {
            frame: outputs.frame - pressed,
            effect: outputs.effect - pressed,
        }
    }

    fn wait_from(&mut self, from: Instant, matches: impl Fn(&str) -> bool) -> OutputTimes {
        let mut frame = None;
        loop {
            let left = DEADLINE.saturating_sub(from.elapsed());
            let Ok((at, octets)) = self.output.recv_timeout(left) else {
                panic!("waited in vain; the screen is\n{}", self.text());
            };
            self.show(at, &octets);
            let frame = *frame.get_or_insert(at.max(from));
            if matches(&self.text()) {
                let effect = at.max(from);
                return OutputTimes { frame, effect };
            }
        }
    }

    fn text(&self) -> String {
        self.shown.screen().contents()
    }

    /// Reads output until nothing has arrived for `quiet`.
    pub(crate) fn settle(&mut self, quiet: Duration) {
        while let Ok((at, octets)) = self.output.recv_timeout(quiet) {
            self.show(at, &octets);
        }
    }

    fn show(&mut self, at: Instant, octets: &[u8]) {
        self.shown.process(octets);
        self.changed = at;
    }

    /// Returns the memory of the program.
    pub(crate) fn memory(&self) -> Memory {
        let status = fs::read_to_string(self.process().join("status")).unwrap();
        Memory {
            peak: field(&status, "VmHWM:") * 1024,
            data: field(&status, "RssAnon:") * 1024,
        }
    }

    /// Returns the number of times that its threads have gone to sleep, which is the number of wake-ups.
    pub(crate) fn sleeps(&self) -> usize {
        let tasks = fs::read_dir(self.process().join("task")).unwrap();
        tasks
            .flatten()
            .filter_map(|task| fs::read_to_string(task.path().join("status")).ok())
            .map(|status| field(&status, "voluntary_ctxt_switches:"))
            .sum()
    }

    fn process(&self) -> std::path::PathBuf {
        let id = self.child.process_id().unwrap();
        // Geomys runs the browser in a child process; the other programs have none.
        let children = fs::read_to_string(format!("/proc/{id}/task/{id}/children"));
        let children = children.unwrap_or_default();
        let browser = children.split_whitespace().next();
        Path::new("/proc").join(browser.unwrap_or(&id.to_string()))
    }
}

/// The memory of a program, in octets.
#[derive(Clone, Copy)]
pub(crate) struct Memory {
    /// The most so far, with the pages of the program file.
    pub(crate) peak: usize,
    /// The data at present, without the program file.
    pub(crate) data: usize,
}

struct OutputTimes {
    frame: Instant,
    effect: Instant,
}

impl Drop for Screen {
    fn drop(&mut self) {
        // The output is not needed any more.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Parses a number of `/proc/PID/status`.
fn field(status: &str, name: &str) -> usize {
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let number = line.and_then(|line| line.split_whitespace().next());
    number.unwrap().parse().unwrap()
}
