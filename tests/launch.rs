//! The order of a launch: a frame first, then threads, watchers and servers. And what the loader has to do before it.

use std::fs;
use std::io::{ErrorKind, Read};
use std::net::TcpListener;
use std::path::{Path, PathBuf};

use portable_pty::{CommandBuilder, PtySize, native_pty_system};

/// What a terminal is sent before a frame, and behind it.
const FRAME: (&str, &str) = ("\x1b[?2026h", "\x1b[?2026l");

/// More octets than a terminal of the system takes while nobody reads them.
const MAX_UNREAD_BYTES: usize = 100_000;

/// Reads the output of a program up to this sequence.
fn read_until(output: &mut impl Read, end: &str) -> Vec<u8> {
    let (mut read, mut octet) = (Vec::new(), [0]);
    while !read.ends_with(end.as_bytes()) {
        output.read_exact(&mut octet).unwrap();
        read.extend(octet);
    }
    read
}

/// Returns the targets of the open files of a process.
fn open_files(process: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(process.join("fd")).unwrap();
    let targets = files.filter_map(|file| fs::read_link(file.unwrap().path()).ok());
    targets.collect()
}

/// A frame that is longer than the terminal takes is not drawn before it is read: until then nothing behind it happens.
#[test]
fn first_frame_precedes_threads_watchers_and_connections() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let path = "a".repeat(60_000);
    let url = format!("gopher://{}/1/{path}", listener.local_addr().unwrap());
    let profile = tempfile::tempdir().unwrap();
    // The bookmarks beside the page make the frame longer.
    let bookmarks = profile.path().join("bookmarks.txt");
    fs::write(bookmarks, "A hole <URL:gopher://h.example/>\n").unwrap();
    let size = PtySize {
        rows: 6,
        cols: 60_000,
        ..PtySize::default()
    };
    let pair = native_pty_system().openpty(size).unwrap();
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_geomys"));
    command.env_clear();
    command.env("TERM", "xterm-256color");
    command.env("LANG", "C.UTF-8");
    command.env("HOME", profile.path());
    command.arg("--config");
    command.arg(profile.path());
    command.arg(url);
    let mut child = pair.slave.spawn_command(command).unwrap();
    let mut output = pair.master.try_clone_reader().unwrap();
    read_until(&mut output, FRAME.0);
    let process = Path::new("/proc").join(child.process_id().unwrap().to_string());
    let threads = fs::read_dir(process.join("task")).unwrap().count();
    assert_eq!(threads, 1);
    let files = open_files(&process);
    let is_watcher = |file: &PathBuf| file.to_string_lossy().contains("inotify");
    assert!(!files.iter().any(is_watcher), "{files:?}");
    assert_eq!(listener.accept().unwrap_err().kind(), ErrorKind::WouldBlock);
    let frame = read_until(&mut output, FRAME.1);
    assert!(frame.len() > MAX_UNREAD_BYTES, "{}", frame.len());
    listener.set_nonblocking(false).unwrap();
    listener.accept().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
}

#[cfg(target_env = "gnu")]
#[test]
fn relocations_are_packed_where_the_library_reads_them() {
    let maps = fs::read_to_string("/proc/self/maps").unwrap();
    let mut mapped = maps
        .lines()
        .filter_map(|line| line.split_whitespace().nth(5));
    let library = mapped.find(|path| path.ends_with("/libc.so.6")).unwrap();
    let names_them = |path: &str| {
        let octets = fs::read(path).unwrap();
        memchr::memmem::find(&octets, b"GLIBC_ABI_DT_RELR").is_some()
    };
    assert_eq!(
        names_them(env!("CARGO_BIN_EXE_geomys")),
        names_them(library)
    );
}
