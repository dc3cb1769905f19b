//! Sessions with the telnetd of inetutils and a shell on a pseudo-terminal, one process per connection.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};

use crate::support::screen::{Browser, Session};

/// The path of telnetd on Debian.
const TELNETD: &str = "/usr/sbin/telnetd";

/// The text in the status line after the end of a session.
const ENDED: &str = "ended the session";

/// Starts a telnetd for one connection, with this shell in this directory.
fn serve(shell: &'static str, directory: &Path) -> (SocketAddr, JoinHandle<ExitStatus>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let directory = directory.to_owned();
    let serving = thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let end = |stream: TcpStream| Stdio::from(OwnedFd::from(stream));
        Command::new(TELNETD)
            .args(["-h", "-E", shell])
            .current_dir(&directory)
            .stdin(end(stream.try_clone().unwrap()))
            .stdout(end(stream.try_clone().unwrap()))
            .stderr(end(stream))
            .status()
            .unwrap()
    });
    (address, serving)
}

/// A browser of 80x24 with a session on this shell in this directory.
fn open(shell: &'static str, directory: &Path) -> (Session, JoinHandle<ExitStatus>) {
    let (address, serving) = serve(shell, directory);
    let session = Browser::new().open(format!("telnet://{address}/")).start();
    (session, serving)
}

/// A bash that reads no files of the user. Tests that run in the background have inherited an ignored SIGINT.
const BASH: &str = "/usr/bin/env --default-signal=INT LC_ALL=C.UTF-8 HISTFILE=/dev/null /bin/bash --noprofile --norc -i";

/// Sets the prompt of the shell to the number of the next command, from `go2>`. The shell reads single keys only after
/// it has printed a prompt. Before that the terminal still collects a line, and Ctrl-D does not end the shell.
async fn number_prompts(session: &Session) {
    session.wait("bash-").await;
    session.type_in(r"PS1='go\#>'");
    session.press("Enter");
    session.wait("go2>").await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the servers that .ci/servers starts"]
async fn shell_session_follows_window_size() {
    let directory = tempfile::tempdir().unwrap();
    let (session, serving) = open("/bin/sh", directory.path());
    session.wait("#").await;
    session.type_in("echo $TERM in a window of $(stty size)");
    session.press("Enter");
    // Eighty columns; twenty-four lines, less two.
    session.wait("xterm-256color in a window of 22 80").await;
    session.resize(120, 40);
    session.type_in("echo it is $(stty size) now");
    session.press("Enter");
    // Without bookmarks the page has all columns; forty lines, less two.
    session.wait("it is 38 120 now").await;
    // Full-screen output, and a key that is no letter.
    session.type_in("printf '\\033[2J\\033[5;10Hmiddle\\033[6n'; read answer");
    session.press("Enter");
    session.wait("middle").await;
    session.press("Enter");
    session.type_in("clear; exit");
    session.press("Enter");
    session.wait(ENDED).await;
    serving.join().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the servers that .ci/servers starts"]
async fn shell_echoes_and_completes_before_enter() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("market-square.txt"), "carrots\n").unwrap();
    let (session, serving) = open(BASH, directory.path());
    number_prompts(&session).await;
    session.type_in("cat mar");
    session.wait("go2>cat mar").await;
    session.press("Tab");
    session.wait("go2>cat market-square.txt").await;
    session.press("Enter");
    session.wait("carrots").await;
    session.wait("go3>").await;
    // Keys of line editing: to the start, and a letter of two octets inserted there.
    session.type_in("cho caf\u{e9}-\u{4e2d}");
    session.press("Ctrl-A e Enter");
    session.wait("go3>echo caf\u{e9}-\u{4e2d}").await;
    session.wait("go4>").await;
    // Ctrl-C ends a program, and nothing else is shown.
    session.type_in("sh -c 'echo $((6*7)) seconds; exec sleep 1000'");
    session.press("Enter");
    // The program itself says that it runs: the shell would take Ctrl-C before that.
    session.wait("42 seconds").await;
    session.press("Ctrl-C");
    session.wait("^C").await;
    session.wait("go5>").await;
    session.paste("echo pasted \u{fc}ber\n");
    session.wait("go5>echo pasted \u{fc}ber").await;
    session.press("Enter");
    session.wait("go6>").await;
    let screen = session.screen();
    assert!(
        !screen.contains('\u{fffd}') && !screen.contains('\u{f2}'),
        "{screen}"
    );
    session.press("Ctrl-D");
    session.wait(ENDED).await;
    serving.join().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the servers that .ci/servers starts"]
async fn full_screen_programs_get_single_keys() {
    let directory = tempfile::tempdir().unwrap();
    let lines: Vec<String> = (1..=200).map(|line| format!("line {line}\n")).collect();
    let lines = lines.concat();
    std::fs::write(directory.path().join("lines"), lines).unwrap();
    let (session, serving) = open(BASH, directory.path());
    number_prompts(&session).await;
    session.type_in("less lines");
    session.press("Enter");
    session.wait("line 21").await;
    session.press("Space");
    session.wait("line 42").await;
    session.press("G");
    session.wait("line 200").await;
    session.press("q");
    session.wait("go3>").await;
    session.type_in("vi -u NONE new");
    session.press("Enter");
    session.wait("~").await;
    session.press("i");
    session.type_in("written by keys");
    session.press("Esc 0 x : w q Enter");
    session.wait("go4>").await;
    session.type_in("cat new");
    session.press("Enter");
    session.wait("ritten by keys").await;
    session.wait("go5>").await;
    session.type_in("top");
    session.press("Enter");
    session.wait("load average").await;
    session.resize(100, 30);
    session.wait("load average").await;
    session.press("q");
    session.wait("go6>").await;
    session.type_in("stty size");
    session.press("Enter");
    session.wait("28 100").await;
    session.wait("go7>").await;
    session.press("Ctrl-D");
    session.wait(ENDED).await;
    serving.join().unwrap();
}
