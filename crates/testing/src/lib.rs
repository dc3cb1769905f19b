//! Shared helpers of the tests of several crates: servers on loopback, transcripts, and loads carried to their end.

// Everything here is part of tests, which fail by panics.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::missing_panics_doc,
    clippy::new_without_default,
    clippy::return_self_not_must_use
)]

pub mod archive;
pub mod capsule;
pub mod deflate;
pub mod ftp;
pub mod gate;
pub mod hole;
#[cfg(feature = "loading")]
pub mod loading;
pub mod news;
pub mod script;
pub mod socks;
pub mod tls;
pub mod warc;
pub mod web;

use std::fs;
use std::path::Path;

/// The text with `PORT` for every loopback port of five digits.
pub fn same_ports(text: &str) -> String {
    let mut same = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("127.0.0.1:") {
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        let (port, after) = after.split_at(digits);
        let port = if digits == 5 { "PORT" } else { port };
        same += before;
        same += "127.0.0.1:";
        same += port;
        rest = after;
    }
    same + rest
}

/// The names in a directory, sorted.
pub fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// A tar archive with one sparse file of GNU tar: 512 octets of data, and a hole up to `size`.
pub fn sparse_tar(name: &str, size: u64) -> Vec<u8> {
    let mut archive = tarred(&[(name, &[b'x'; 512])]);
    let (end, magic) = (format!("{size:011o}"), b"ustar  \0");
    for (at, field) in [
        (156, b"S".as_slice()),
        (257, magic),
        (386, b"00000000000"),
        (398, b"00000001000"),
        (410, end.as_bytes()),
        (422, b"00000000000"),
        (483, end.as_bytes()),
    ] {
        archive[at..at + field.len()].copy_from_slice(field);
    }
    set_checksum(&mut archive[..512]);
    archive
}

/// Sets the checksum of a header of tar.
fn set_checksum(header: &mut [u8]) {
    header[148..156].fill(b' ');
    let sum: u32 = header.iter().map(|octet| u32::from(*octet)).sum();
    header[148..154].copy_from_slice(format!("{sum:06o}").as_bytes());
}

/// A tar archive of these files (POSIX.1-2001, ustar).
pub fn tarred(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = Vec::new();
    for (name, octets) in files {
        let mut header = [0; 512];
        header[..name.len()].copy_from_slice(name.as_bytes());
        let size = format!("{:011o}", octets.len());
        for (at, field) in [
            (100, "0000644"),
            (124, &*size),
            (136, "05727432200"),
            (156, "0"),
            (257, "ustar\0"),
            (263, "00"),
        ] {
            header[at..at + field.len()].copy_from_slice(field.as_bytes());
        }
        set_checksum(&mut header);
        archive.extend(header);
        archive.extend(*octets);
        archive.resize(archive.len().next_multiple_of(512), 0);
    }
    archive.resize(archive.len() + 1024, 0);
    archive
}
