//! Octets as the input of a terminal: the input does not depend on how a read is cut, every incomplete sequence ends in
//! time, and nothing in a control string acts.

#![no_main]

use geomys::run::terminal_input::{Input, InputDecoder};
use geomys_fuzz::split;

/// The introducers of control strings.
const INTRODUCERS: [&[u8]; 6] = [b"\x1b]", b"\x1bP", b"\x1bX", b"\x1b^", b"\x1b_", b"\x9d"];

geomys_fuzz::target!(|octets: &[u8]| {
    let (how, octets) = split(octets);
    let mut whole = InputDecoder::default();
    let mut input = whole.read(octets);
    input.extend(whole.expire());

    let (first, second) = octets.split_at(octets.len().min(usize::from(how)));
    let mut pieces = InputDecoder::default();
    let mut same = pieces.read_part(first);
    same.extend(pieces.read(second));
    same.extend(pieces.expire());
    assert_eq!(input, same, "the same however it is cut");

    // Only a paste has no time in which it ends.
    whole.read(b"\x1b[201~");
    whole.expire();
    assert_eq!(whole.wait(), None);
    assert_eq!(whole.read(b"j").len(), 1, "the next key acts");

    check_string(usize::from(how), octets);
});

/// Checks that nothing acts between an introducer and the end of its string.
fn check_string(how: usize, octets: &[u8]) {
    let Some(introducer) = INTRODUCERS.get(how % INTRODUCERS.len()) else {
        return;
    };
    let is_end = |octet: &u8| matches!(octet, 0x1b | 0x9c | 0x07);
    let content: Vec<u8> = octets
        .iter()
        .copied()
        .filter(|octet| !is_end(octet))
        .collect();
    if content.is_empty() {
        return;
    }
    let mut decoder = InputDecoder::default();
    let mut input = decoder.read(introducer);
    for read in content.chunks(how + 1) {
        input.extend(decoder.read(read));
    }
    input.extend(decoder.read(b"\x1b\\"));
    let is_answer = |input: &Input| matches!(input, Input::Background(_) | Input::Graphics(_));
    assert!(input.iter().all(is_answer), "{input:?}");
    assert_eq!(decoder.read(b"j").len(), 1, "the next key acts");
}
