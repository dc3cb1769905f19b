//! A program on a pseudo-terminal of 120 columns and 40 lines: what it shows, and when.

use std::ffi::OsStr;
use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use crate::PATIENCE;

const COLUMNS: u16 = 120;
const LINES: u16 = 40;

/// A program that has shown nothing new for so long is at rest.
const REST: Duration = Duration::from_millis(100);

/// A running program.
pub(crate) struct Screen {
    child: Box<dyn Child + Send + Sync>,
    keys: Box<dyn Write + Send>,
    output: Receiver<(Instant, Vec<u8>)>,
    shown: vt100::Parser,
    /// When the last of what is shown came.
    changed: Instant,
    /// When it was started.
    pub(crate) started: Instant,
    /// Reading ends when it is closed.
    _master: Box<dyn MasterPty + Send>,
}

/// What a key led to, in time since it was pressed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stroke {
    /// The next output of any kind.
    pub(crate) frame: Duration,
    /// The output that shows what was waited for.
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
        // The time is taken where the output is read, so that looking at it cannot make it late.
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

    /// When the screen first showed what `fits` looks for.
    pub(crate) fn wait(&mut self, fits: impl Fn(&str) -> bool) -> Instant {
        if fits(&self.text()) {
            return self.changed;
        }
        self.wait_from(Instant::now(), fits).effect
    }

    /// Presses keys when the program is at rest; the screen has to change into something that `fits`.
    pub(crate) fn press_at_rest(&mut self, keys: &str, fits: impl Fn(&str) -> bool) -> Stroke {
        self.settle(REST);
        self.press(keys, fits)
    }

    /// Presses keys at once, whatever goes on.
    pub(crate) fn press(&mut self, keys: &str, fits: impl Fn(&str) -> bool) -> Stroke {
        self.settle(Duration::ZERO);
        let pressed = Instant::now();
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
        let seen = self.wait_from(pressed, fits);
        Stroke {
            frame: seen.frame - pressed,
            effect: seen.effect - pressed,
        }
    }

    fn wait_from(&mut self, from: Instant, fits: impl Fn(&str) -> bool) -> Seen {
        let mut frame = None;
        loop {
            let left = PATIENCE.saturating_sub(from.elapsed());
            let Ok((at, octets)) = self.output.recv_timeout(left) else {
                panic!("waited in vain; the screen is\n{}", self.text());
            };
            self.show(at, &octets);
            let frame = *frame.get_or_insert(at.max(from));
            if fits(&self.text()) {
                let effect = at.max(from);
                return Seen { frame, effect };
            }
        }
    }

    fn text(&self) -> String {
        self.shown.screen().contents()
    }

    /// Takes in what comes until nothing has come for `quiet`.
    pub(crate) fn settle(&mut self, quiet: Duration) {
        while let Ok((at, octets)) = self.output.recv_timeout(quiet) {
            self.show(at, &octets);
        }
    }

    fn show(&mut self, at: Instant, octets: &[u8]) {
        self.shown.process(octets);
        self.changed = at;
    }

    /// The most memory it has had, in octets.
    pub(crate) fn peak(&self) -> usize {
        let status = fs::read_to_string(self.process().join("status")).unwrap();
        field(&status, "VmHWM:") * 1024
    }

    /// How often its threads have gone to sleep: each of them woke once more than that.
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
        // Geomys starts a process of its own for the browser; the others have none.
        let children = fs::read_to_string(format!("/proc/{id}/task/{id}/children"));
        let children = children.unwrap_or_default();
        let browser = children.split_whitespace().next();
        Path::new("/proc").join(browser.unwrap_or(&id.to_string()))
    }
}

struct Seen {
    frame: Instant,
    effect: Instant,
}

impl Drop for Screen {
    fn drop(&mut self) {
        // What it had to show has been seen.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A number of `/proc/PID/status`.
fn field(status: &str, name: &str) -> usize {
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let number = line.and_then(|line| line.split_whitespace().next());
    number.unwrap().parse().unwrap()
}
