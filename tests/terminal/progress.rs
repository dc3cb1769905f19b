//! The progress line of a command.

use std::fs;

use geomys_testing::tarred;
use geomys_testing::web::in_halves;

use crate::support::terminal::Terminal;

#[test]
fn get_shows_the_progress_of_an_archive_while_it_looks_for_a_member() {
    let first = vec![0; 1 << 20];
    let archive = tarred(&[("first", first.as_slice()), ("wanted", b"here")]);
    let (address, second_half) = in_halves(&archive);
    let profile = tempfile::tempdir().unwrap();
    let file = profile.path().join("saved");
    let member = format!("http://{address}/a.tar#wanted");
    let into = file.to_str().unwrap();
    let mut terminal = Terminal::run(profile.path(), &["get", &member, "-o", into]);
    terminal.wait("saved: reading the archive  [");
    second_half.send(()).unwrap();
    terminal.end(0);
    assert_eq!(fs::read(&file).unwrap(), b"here");
}
