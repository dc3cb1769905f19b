//! `geomys demo --serve`, the real program.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

#[test]
fn terminated_servers_remove_their_temporary_files() {
    let temporary = tempfile::tempdir().unwrap();
    let files = || std::fs::read_dir(temporary.path()).unwrap().count();
    let mut program = Command::new(env!("CARGO_BIN_EXE_geomys"))
        .args(["demo", "--serve"])
        .env("TMPDIR", temporary.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // The URLs are printed when the servers listen.
    let mut line = String::new();
    let mut output = BufReader::new(program.stdout.take().unwrap());
    output.read_line(&mut line).unwrap();
    assert!(line.starts_with("gopher://127.0.0.1:"), "{line}");
    assert!(files() > 0);
    let id = program.id().to_string();
    let killed = Command::new("kill").args(["-s", "TERM", &id]).status();
    assert!(killed.unwrap().success());
    assert!(program.wait().unwrap().success());
    assert_eq!(files(), 0);
}
