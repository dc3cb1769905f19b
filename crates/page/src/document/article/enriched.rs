//! Enriched text as plain text (RFC 1896; richtext of RFC 1341).
//!
//! ```text
//! enriched = *( "<<" / "<" [ "/" ] command ">" / octet )     ; one line end is a blank, n of them are n - 1
//! richtext = likewise, with "<lt>" for "<" and "<nl>" for a line end
//! ```
//!
//! The commands are left out, and so are parameters (`<param>`).

/// The longest name of a command, in octets.
const MAX_COMMAND_BYTES: usize = 60;

/// Returns the text of a part of this media type without its commands.
pub(super) fn enriched(text: &[u8], kind: &str) -> Vec<u8> {
    let is_rich = kind == "text/richtext";
    let mut plain = Vec::with_capacity(text.len());
    // The open commands whose text stays as it is, and those whose text is left out.
    let (mut unfilled, mut parameters) = (0_usize, 0_usize);
    let mut rest = text;
    while let Some((&octet, after)) = rest.split_first() {
        rest = after;
        if octet == b'<' {
            if let Some(after) = after.strip_prefix(b"<").filter(|_| !is_rich) {
                rest = after;
            } else if let Some((command, after)) = command(after) {
                rest = after;
                match command.as_slice() {
                    b"nofill" => unfilled += 1,
                    b"/nofill" => unfilled = unfilled.saturating_sub(1),
                    b"param" | b"comment" => parameters += 1,
                    b"/param" | b"/comment" => parameters = parameters.saturating_sub(1),
                    b"lt" if is_rich => plain.push(b'<'),
                    b"nl" | b"paragraph" if is_rich => plain.push(b'\n'),
                    _ => {}
                }
                continue;
            }
        }
        if parameters > 0 {
            continue;
        }
        if octet == b'\r' && rest.starts_with(b"\n") {
            continue;
        }
        if octet != b'\n' || unfilled > 0 {
            plain.push(octet);
            continue;
        }
        let more = rest.iter().take_while(|octet| b"\r\n".contains(octet));
        let more = more.count();
        let ends = rest.get(..more).unwrap_or_default();
        let ends = memchr::memchr_iter(b'\n', ends).count();
        if ends == 0 || is_rich {
            plain.push(if rest.is_empty() { b'\n' } else { b' ' });
        } else {
            plain.extend(std::iter::repeat_n(b'\n', ends));
            rest = rest.get(more..).unwrap_or_default();
        }
    }
    plain
}

/// Parses a command behind its `<`: its name in small letters, and the text behind it.
fn command(text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let window = text.get(..MAX_COMMAND_BYTES).unwrap_or(text);
    let end = memchr::memchr(b'>', window)?;
    let name = text.get(..end)?;
    let is_name = |octet: &u8| octet.is_ascii_alphanumeric() || b"-_.:/".contains(octet);
    let is_command = !name.is_empty() && name.iter().all(is_name);
    is_command.then(|| {
        (
            name.to_ascii_lowercase(),
            text.get(end + 1..).unwrap_or_default(),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_left_out() {
        for (text, expected) in [
            ("<bold>Now</bold> is\nthe time", "Now is the time"),
            ("a\r\n\r\nb\n\n\nc\n", "a\nb\n\nc\n"),
            ("1 << 2 <<b>", "1 < 2 <b>"),
            ("<color><param>red</param>x</color>", "x"),
            ("<nofill>a\nb\n</nofill>", "a\nb\n"),
            ("a < b and <no command!>", "a < b and <no command!>"),
        ] {
            let plain = enriched(text.as_bytes(), "text/enriched");
            assert_eq!(String::from_utf8_lossy(&plain), expected, "{text}");
        }
        let rich = enriched(b"a<lt>b<nl>\nc", "text/richtext");
        assert_eq!(String::from_utf8_lossy(&rich), "a<b\n c");
    }

    proptest::proptest! {
        #[test]
        fn any_octets_are_read(octets: Vec<u8>) {
            let plain = enriched(&octets, "text/enriched");
            proptest::prop_assert!(plain.len() <= octets.len());
        }
    }
}
