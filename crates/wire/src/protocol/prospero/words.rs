//! Words of a line, and their quoting.
//!
//! ```text
//! line = word *( SP word ) LF
//! word = 1*( octet / quoted )          ; a quoted part may begin in the middle
//! quoted = "'" *( octet / "''" ) "'"   ; may contain blanks and LF; '' alone is empty, '' within is a quote
//! ```

/// Returns a word to send, quoted if necessary.
pub(super) fn word(octets: &[u8]) -> Vec<u8> {
    let plain = |octet: &u8| !matches!(octet, 0..=b' ' | b'\'' | 0x7F);
    if !octets.is_empty() && octets.iter().all(plain) {
        return octets.to_vec();
    }
    let quotes: Vec<&[u8]> = octets.split(|&octet| octet == b'\'').collect();
    [
        b"'".as_slice(),
        quotes.join(b"''".as_slice()).as_slice(),
        b"'",
    ]
    .concat()
}

/// Splits a reply into lines, and lines into words. An unclosed quote extends to the end.
pub(super) fn lines(text: &[u8]) -> Vec<Vec<Vec<u8>>> {
    let mut lines = Vec::new();
    let mut words: Vec<Vec<u8>> = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut rest = text.iter().copied().peekable();
    let mut quoted = false;
    while let Some(octet) = rest.next() {
        match (octet, quoted) {
            (b'\'', true) if rest.peek() == Some(&b'\'') => {
                rest.next();
                word.get_or_insert_default().push(b'\'');
            }
            (b'\'', _) => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            (b' ' | b'\t', false) => words.extend(word.take()),
            (b'\n', false) => {
                words.extend(word.take());
                lines.push(std::mem::take(&mut words));
            }
            (b'\r' | 0, false) => {}
            (octet, _) => word.get_or_insert_default().push(octet),
        }
    }
    words.extend(word.take());
    if !words.is_empty() {
        lines.push(words);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_may_begin_anywhere() {
        let read = |text: &str| {
            let lines = lines(text.as_bytes());
            let words = |words: &Vec<Vec<u8>>| {
                words
                    .iter()
                    .map(|word| String::from_utf8_lossy(word).into_owned())
                    .collect::<Vec<_>>()
            };
            lines.iter().map(words).collect::<Vec<_>>()
        };
        assert_eq!(
            read("SIZE SEQUENCE 15' bytes'\n"),
            [["SIZE", "SEQUENCE", "15 bytes"]]
        );
        assert_eq!(read("AFTP'/pub/README'"), [["AFTP/pub/README"]]);
        assert_eq!(read("a '' b"), [["a", "", "b"]]);
        assert_eq!(read("'it''s' x\ny\n"), [vec!["it's", "x"], vec!["y"]]);
        assert_eq!(
            read("DATA 'one\ntwo\n'\nSUCCESS\n"),
            [vec!["DATA", "one\ntwo\n"], vec!["SUCCESS"]]
        );
        assert_eq!(read("'no end x\n"), [["no end x\n"]]);
    }

    proptest::proptest! {
        #[test]
        fn what_is_quoted_is_read(words: Vec<Vec<u8>>) {
            let words: Vec<Vec<u8>> = words
                .into_iter()
                .map(|word| word.into_iter().filter(|octet| !matches!(octet, b'\r' | 0)).collect())
                .collect();
            let line: Vec<Vec<u8>> = words.iter().map(|octets| word(octets)).collect();
            let read = lines(&line.join(&b' '));
            proptest::prop_assert_eq!(read.into_iter().flatten().collect::<Vec<_>>(), words);
        }
    }
}
