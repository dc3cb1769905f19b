//! A session with the telnetd of inetutils, one process per connection, with a changing window size.

use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};
use std::thread;

use geomys::net::Limits;

use super::Servers;
use crate::support::screen::Session;

/// The path of telnetd on Debian.
const TELNETD: &str = "/usr/sbin/telnetd";

#[tokio::test(flavor = "multi_thread")]
async fn shell_session_follows_window_size() {
    if Servers::named().is_none() {
        return;
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let serving = thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let end = |stream: std::net::TcpStream| Stdio::from(OwnedFd::from(stream));
        Command::new(TELNETD)
            .args(["-h", "-E", "/bin/sh"])
            .stdin(end(stream.try_clone().unwrap()))
            .stdout(end(stream.try_clone().unwrap()))
            .stderr(end(stream))
            .status()
            .unwrap()
    });
    let session = Session::start(
        tempfile::tempdir().unwrap(),
        None,
        &[format!("telnet://{address}/")],
        (80, 24),
        Limits::default(),
    );
    session.wait("│#").await;
    session.type_in("echo $TERM in a window of $(stty size)");
    session.press("Enter");
    // Eighty columns, less the bookmarks and the rule; twenty-four lines, less two.
    session.wait("xterm in a window of 22 58").await;
    session.resize(120, 40);
    session.type_in("echo it is $(stty size) now");
    session.press("Enter");
    session.wait("it is 38 87 now").await;
    // Full-screen output, and a key that is no letter.
    session.type_in("printf '\\033[2J\\033[5;10Hmiddle\\033[6n'; read answer");
    session.press("Enter");
    session.wait("middle").await;
    session.press("Enter");
    session.type_in("clear; exit");
    session.press("Enter");
    session.wait("has ended the session").await;
    serving.join().unwrap();
}
