//! Runs of the real binary, to its end.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Runs the binary with these arguments and this standard input, in an empty environment.
pub fn geomys(arguments: &[&str], input: impl AsRef<[u8]>) -> Output {
    geomys_in(&[], arguments, input)
}

/// Runs the binary likewise, with these environment variables.
pub fn geomys_in(
    environment: &[(&str, &str)],
    arguments: &[&str],
    input: impl AsRef<[u8]>,
) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_geomys"))
        .args(arguments)
        .env_clear()
        .env("HOME", "/nonexistent")
        .envs(environment.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_ref())
        .unwrap();
    child.wait_with_output().unwrap()
}

/// Runs the binary in this directory, without input.
pub fn geomys_at(directory: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_geomys"))
        .args(arguments)
        .current_dir(directory)
        .env_clear()
        .env("HOME", "/nonexistent")
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// Runs the binary with its output into a closed pipe.
pub fn unread(arguments: &[&str]) -> Output {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    Command::new(env!("CARGO_BIN_EXE_geomys"))
        .args(arguments)
        .env_clear()
        .env("HOME", "/nonexistent")
        .stdin(Stdio::null())
        .stdout(writer)
        .stderr(Stdio::piped())
        .output()
        .unwrap()
}

/// The printed text, which is always UTF-8.
pub fn text(octets: &[u8]) -> String {
    String::from_utf8(octets.to_vec()).unwrap()
}
