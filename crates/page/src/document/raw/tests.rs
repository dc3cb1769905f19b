use geomys_wire::text;
use proptest::prelude::*;

use super::*;

/// All pieces, grouped by line.
fn shown(raw: &LineBuffer) -> Vec<Vec<Vec<u8>>> {
    let mut lines: Vec<Vec<Vec<u8>>> = Vec::new();
    for number in 0..raw.pieces() {
        let piece = raw.piece(number).unwrap().to_vec();
        if raw.continues(number) {
            lines.last_mut().unwrap().push(piece);
        } else {
            lines.push(vec![piece]);
        }
        let first = number + 1 - lines.last().unwrap().len();
        assert_eq!(raw.first_of(number), first);
        assert_eq!(raw.piece_of(lines.len() - 1), first);
        assert_eq!(raw.line(lines.len() - 1), raw.piece(first));
    }
    assert_eq!(raw.lines(), lines.len());
    assert_eq!(raw.line(lines.len()), None);
    lines
}

fn naive(octets: &[u8]) -> Vec<Vec<Vec<u8>>> {
    let lines = octets.split_inclusive(|&octet| octet == b'\n');
    lines.map(cut).collect()
}

fn cut(line: &[u8]) -> Vec<Vec<u8>> {
    let ended = line.strip_suffix(b"\n");
    let (mut pieces, mut rest) = (Vec::new(), ended.unwrap_or(line));
    while rest.len() > LINE + 1 {
        let (piece, more) = rest.split_at(text::cut(&rest[..LINE]));
        pieces.push(piece);
        rest = more;
    }
    // CR CR LF is one line end.
    pieces.push(match ended {
        Some(_) => rest.strip_suffix(b"\r").unwrap_or(rest),
        None => rest,
    });
    let without_cr = |piece: &[u8]| piece.strip_suffix(b"\r").unwrap_or(piece).to_vec();
    pieces.into_iter().map(without_cr).collect()
}

proptest! {
    #[test]
    fn lines_are_the_same_however_the_octets_arrive(
        pieces in proptest::collection::vec(
            prop_oneof![
                proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), any::<u8>()], 0..40),
                (0..300_000_usize).prop_map(|length| vec![b'x'; length]),
                (0..90_000_usize).prop_map(|length| "文".repeat(length).into_bytes()),
                (0..200_000_usize).prop_map(|length| vec![0x82; length]),
                (1..300_000_usize, 1..90_000_usize).prop_map(|(length, line)| {
                    (0..length).map(|at| if at % line == line / 2 { b'\n' } else { b'x' }).collect()
                }),
            ],
            0..12,
        ),
        firsts in proptest::collection::vec(0..60_usize, 0..20),
    ) {
        let has_x = |piece: &[u8]| piece.contains(&b'x');
        let mut raw = LineBuffer::flagging(has_x);
        for (index, piece) in pieces.iter().enumerate() {
            if index % 2 == 0 {
                raw.append(piece);
            } else {
                raw.take(piece.clone());
            }
        }
        let whole = pieces.concat();
        prop_assert_eq!(raw.to_vec(), whole.clone());
        prop_assert_eq!(raw.len(), whole.len());
        prop_assert_eq!(shown(&raw), naive(&whole));
        for number in 0..raw.pieces() {
            let is_flagged = !raw.continues(number) && has_x(raw.piece(number).unwrap());
            prop_assert_eq!(raw.flagged().unwrap().contains(number), is_flagged);
        }
        let numbers = firsts.iter().flat_map(|&first| first..first + 3);
        let expected = numbers.clone().map(|number| raw.line(number));
        prop_assert!(raw.lines_at(numbers).eq(expected));
    }
}

#[test]
fn a_line_that_large_arrivals_break_off_is_one_line() {
    let large = b"\nsome more words".repeat(4000);
    let mut raw = LineBuffer::default();
    raw.append(b"short");
    raw.take(large.clone());
    raw.take(large);
    assert_eq!(raw.lines(), 8001);
    assert_eq!(raw.line(0), Some(&b"short"[..]));
    assert_eq!(raw.line(4000), Some(&b"some more words"[..]));
    assert_eq!(raw.line(8000), Some(&b"some more words"[..]));

    // A large buffer that ends the line and contains no other.
    let mut line = vec![b'x'; LARGE];
    line.push(b'\n');
    let mut raw = LineBuffer::default();
    raw.append(b"x");
    raw.take(line);
    raw.append(b"next");
    assert_eq!(raw.lines(), 2);
    assert_eq!(raw.line(1), Some(&b"next"[..]));
}

#[test]
fn clone_is_not_changed_by_later_octets() {
    let mut raw = LineBuffer::from_octets(&b"one\ntwo".repeat(100_000));
    let before = raw.clone();
    raw.append(b" and more\nthree\n");
    assert_eq!(before.to_vec(), b"one\ntwo".repeat(100_000));
    assert_eq!(before.lines(), 100_001);
    assert_eq!(raw.lines(), 100_002);
}
