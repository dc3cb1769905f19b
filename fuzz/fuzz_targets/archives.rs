//! Octets as a compressed file or an archive: the listing, and the member of each row, end without a panic, and no name
//! leads out.

#![no_main]

use geomys_fuzz::split;
use geomys_page::archive::{UnpackError, Unpacked, UnpackedKind, Unpacker, segments};

/// The octets that are received at most: a few may be decompressed without end.
const MAX_BYTES: usize = 1 << 20;

/// Opens a path, and returns the lines if it is a directory.
fn open(mut octets: &[u8], name: &[u8], path: &[Vec<u8>], is_raw: bool) -> Vec<u8> {
    let (mut lines, mut count, mut is_listing) = (Vec::new(), 0, false);
    let mut receive = |part| {
        match part {
            Unpacked::Begin(head) => is_listing = head.kind == UnpackedKind::Listing,
            Unpacked::Octets(piece) => {
                count += piece.len();
                if is_listing {
                    lines.extend(piece);
                }
            }
            Unpacked::Hole(_) | Unpacked::LeftOut(..) => {}
        }
        (count < MAX_BYTES).then_some(()).ok_or(UnpackError::Closed)
    };
    // Damage is an error.
    let _ = Unpacker::new(is_raw, &mut receive, || false).run(&mut octets, name, path);
    lines
}

geomys_fuzz::target!(|octets: &[u8]| {
    let (how, octets) = split(octets);
    let is_raw = how & 1 == 1;
    let lines = open(octets, b"a", &[], false);
    for line in lines.split(|&octet| octet == b'\n').take(4) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let Some(at) = line.windows(2).position(|pair| pair == b"; ") else {
            continue;
        };
        let name = &line[at + 2..];
        assert!(!name.contains(&b'/') && name != b".." && name != b".");
        open(octets, b"a", &segments(name), is_raw);
    }
});
