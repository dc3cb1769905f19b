//! The progress line of a command.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::mpsc;

use geomys_testing::tarred;

use crate::support::terminal::Terminal;

#[test]
fn get_shows_the_progress_of_an_archive_while_it_looks_for_a_member() {
    let archive = tarred(&[("first", vec![0; 1 << 20].as_slice()), ("wanted", b"here")]);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (release, released) = mpsc::channel();
    let server = std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let mut stream = BufReader::new(stream);
        let mut line = String::new();
        while line != "\r\n" {
            line.clear();
            stream.read_line(&mut line).unwrap();
        }
        let stream = stream.get_mut();
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n",
            archive.len()
        );
        let (begin, rest) = archive.split_at(archive.len() / 2);
        stream
            .write_all(&[head.as_bytes(), begin].concat())
            .unwrap();
        released.recv().unwrap();
        stream.write_all(rest).unwrap();
    });
    let profile = tempfile::tempdir().unwrap();
    let file = profile.path().join("saved");
    let member = format!("http://{address}/a.tar#wanted");
    let into = file.to_str().unwrap();
    let mut terminal = Terminal::run(profile.path(), &["get", &member, "-o", into]);
    terminal.wait("saved: reading the archive  [");
    release.send(()).unwrap();
    terminal.end(0);
    assert_eq!(fs::read(&file).unwrap(), b"here");
    server.join().unwrap();
}
