//! Job control: a real shell stops the browser and continues it.

use std::process::Command;

use super::exit::wait_for;
use crate::support::terminal::{Terminal, send};

/// A shell with job control, and the browser in it.
struct Shell {
    terminal: Terminal,
    /// The job: the leader of its process group.
    job: u32,
    /// The process of the browser, which is the job or a child of it.
    browser: u32,
    /// The number of times that the job has stopped.
    stops: usize,
    _profile: tempfile::TempDir,
}

impl Shell {
    /// Starts the browser by a command line, in which `$geomys` is the browser and its arguments.
    fn start(line: &str) -> Self {
        let profile = tempfile::tempdir().unwrap();
        let script = "export geomys=\"$0 $*\" PS1='shell: '; exec bash --norc --noprofile -i";
        let mut terminal = Terminal::run_in(&["bash", "-c", script], profile.path(), &[]);
        terminal.wait("shell:");
        terminal.press(&format!("{line}\r"));
        terminal.wait("geomys:home");
        let [job] = children(terminal.id())[..] else {
            panic!("the shell has one child");
        };
        let browser = children(job).first().copied().unwrap_or(job);
        Self {
            terminal,
            job,
            browser,
            stops: 0,
            _profile: profile,
        }
    }

    /// Waits for the prompt after the next stop.
    fn wait_for_prompt(&mut self) {
        self.stops += 1;
        wait_for_prompt(&mut self.terminal, self.stops);
    }

    /// Continues the job in the foreground. Asserts that the screen is drawn again and that keys act.
    fn check_foreground(&mut self) {
        self.terminal.press("fg\r");
        self.terminal.wait_until("Geomys again", |screen| {
            let text = screen.contents();
            screen.alternate_screen() && text.contains("geomys:home") && !text.contains("Stopped")
        });
        // Without raw mode a key would be shown, and wait for Enter.
        self.terminal.press("o");
        self.terminal.wait("URL (gopher");
        self.terminal.press("gopher://still.here/");
        self.terminal.wait("gopher://still.here/");
        self.terminal.press("\x1b");
        self.terminal.wait_until_absent("still.here");
        assert_eq!(self.terminal.mouse_modes(), (true, true));
    }

    fn end(mut self) {
        self.terminal.press("q");
        self.terminal
            .wait_until("the shell", |screen| !screen.alternate_screen());
        self.terminal.press("exit\r");
        self.terminal.end(0);
        self.terminal.check_modes();
    }
}

/// Waits until the shell has said so many times that the job was stopped, and asks for a command: it drops what is
/// typed before. The words may stand on the screen of the browser, and go with it.
fn wait_for_prompt(terminal: &mut Terminal, stops: usize) {
    terminal.wait_until_sent("prompt of the shell", |sent| {
        let mut behind = sent.split("Stopped").skip(stops);
        behind.next().is_some_and(|text| text.contains("shell:"))
    });
}

/// The child processes of a process.
fn children(id: u32) -> Vec<u32> {
    let children = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap();
    let ids = children.split_whitespace();
    ids.map(|id| id.parse().unwrap()).collect()
}

/// Returns true if a process is stopped.
fn is_stopped(id: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap();
    status.contains("State:\tT")
}

/// Sends a signal to a process group.
fn send_to_group(signal: &str, group: u32) {
    let kill = Command::new("kill")
        .args([signal, "--", &format!("-{group}")])
        .status();
    assert!(kill.unwrap().success());
}

#[test]
fn job_that_is_stopped_by_a_signal_continues_in_the_foreground() {
    for signal in ["-TSTP", "-STOP"] {
        for is_group in [true, false] {
            let mut shell = Shell::start("$geomys");
            // Twice, as the first stop may leave something behind.
            for _ in 0..2 {
                if is_group {
                    send_to_group(signal, shell.job);
                } else {
                    assert!(send(signal, shell.browser));
                }
                shell.wait_for_prompt();
                wait_for(|| is_stopped(shell.browser));
                if signal == "-TSTP" {
                    let screen = |screen: &vt100::Screen| !screen.alternate_screen();
                    shell.terminal.wait_until("the screen given back", screen);
                    assert_eq!(shell.terminal.mouse_modes(), (false, false));
                }
                shell.check_foreground();
            }
            shell.end();
        }
    }
}

#[test]
fn script_that_runs_the_browser_stops_and_continues_with_it() {
    type Target = fn(&Shell, &str);
    let group: Target = |shell, signal| send_to_group(signal, shell.job);
    let browser: Target = |shell, signal| assert!(send(signal, shell.browser));
    let script: Target = |shell, signal| assert!(send(signal, shell.job));
    // A script that stops alone leaves the browser running in the background, until it reads a key.
    for (signal, target, stops_browser) in [
        ("-TSTP", group, true),
        ("-TSTP", browser, true),
        ("-TSTP", script, false),
        ("-STOP", group, true),
        ("-STOP", script, false),
    ] {
        let mut shell = Shell::start("bash -c \"$geomys; exit\"");
        assert_ne!(shell.job, shell.browser);
        target(&shell, signal);
        shell.wait_for_prompt();
        if stops_browser {
            // The shell may say so before the browser has given the screen back.
            wait_for(|| is_stopped(shell.browser) && is_stopped(shell.job));
        }
        shell.check_foreground();
        shell.end();
    }
}

#[test]
fn stop_while_a_program_has_the_terminal_stops_both() {
    let profile = tempfile::tempdir().unwrap();
    let program = "echo in $0; read -r word; echo heard $word; read -r word";
    let settings = format!("[open]\ntelnet = [\"sh\", \"-c\", \"{program}\", \"{{host}}\"]\n");
    std::fs::write(profile.path().join("settings.toml"), settings).unwrap();
    let script = "export geomys=\"$0 $*\" PS1='shell: '; exec bash --norc --noprofile -i";
    let arguments = ["telnet://h.example/"];
    let mut terminal = Terminal::run_in(&["bash", "-c", script], profile.path(), &arguments);
    terminal.wait("shell:");
    terminal.press("$geomys\r");
    terminal.wait("Run the configured program");
    terminal.choose_last("Yes");
    terminal.wait("in h.example");
    // The terminal sends the signal of this key to the program and to the browser.
    terminal.press("\x1a");
    wait_for_prompt(&mut terminal, 1);
    terminal.press("fg\r");
    // Before that the shell has the modes of its prompt.
    terminal.wait("fg\n$geomys");
    terminal.press("words\r");
    terminal.wait("heard words");
    terminal.press("\r");
    terminal.wait_until("Geomys again", vt100::Screen::alternate_screen);
    terminal.press("q");
    terminal.wait_until("the shell", |screen| !screen.alternate_screen());
    terminal.press("exit\r");
    terminal.end(0);
    terminal.check_modes();
}

#[test]
fn browser_that_no_shell_could_continue_does_not_stop() {
    let profile = tempfile::tempdir().unwrap();
    let mut terminal = Terminal::run(profile.path(), &[]);
    terminal.wait("geomys:home");
    for stop in [
        |terminal: &mut Terminal| terminal.press("\x1a"),
        |terminal: &mut Terminal| {
            terminal.signal("-TSTP");
        },
    ] {
        stop(&mut terminal);
        terminal.wait("no shell could continue Geomys");
        assert!(!is_stopped(terminal.id()));
        terminal.press("j");
        terminal.wait_until_absent("no shell could");
    }
    terminal.press("q");
    terminal.end(0);
}
