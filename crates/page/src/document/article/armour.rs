//! Clear-signed texts (RFC 9580, section 7): the text as its author wrote it, and one line for the signature, which is
//! not checked.
//!
//! ```text
//! signed    = "-----BEGIN PGP SIGNED MESSAGE-----" EOL *( header EOL ) EOL text signature
//! text      = *( [ "- " ] line EOL )         ; "- " before each line that begins with a dash, and before any other
//! signature = "-----BEGIN PGP SIGNATURE-----" EOL *( line EOL ) "-----END PGP SIGNATURE-----" EOL
//! ```
//!
//! Each line may stand behind the marks of a quotation, whose writer has often left out the signature.

use std::borrow::Cow;

use super::fold::quote_prefix;
use crate::document::raw::without_line_end;

const BEGIN: &[u8] = b"-----BEGIN PGP SIGNED MESSAGE-----";
const SIGNATURE: &[u8] = b"-----BEGIN PGP SIGNATURE-----";
const END: &[u8] = b"-----END PGP SIGNATURE-----";

/// The line that stands for a signature.
pub(super) const SIGNED: &str = "[signed by PGP, not checked]";

/// The most lines of a signature, and of the headers before a text.
const MAX_LINES: usize = 200;

/// Returns a text without the armour of signatures.
pub(super) fn without_armour(text: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memmem::find(text, BEGIN).is_none()
        && memchr::memmem::find(text, SIGNATURE).is_none()
    {
        return Cow::Borrowed(text);
    }
    let lines: Vec<&[u8]> = text.split_inclusive(|&octet| octet == b'\n').collect();
    let mut plain = Vec::with_capacity(text.len());
    let mut at = 0;
    // The marks before the lines of the signed text.
    let mut signed: Option<&[u8]> = None;
    while let Some(&line) = lines.get(at) {
        let (marks, content) = parts(line);
        at += 1;
        if signed.is_some_and(|own| !is_inside(own, line)) {
            signed = None;
        }
        let rest = lines.get(at..).unwrap_or_default();
        if content == BEGIN {
            let headers = rest.iter().take(MAX_LINES).map(|line| parts(line).1);
            if let Some(blank) = headers.into_iter().position(<[u8]>::is_empty) {
                at += blank + 1;
                signed = Some(marks);
                continue;
            }
        } else if content == SIGNATURE {
            let mut inside = rest.iter().take(MAX_LINES);
            if let Some(end) = inside.position(|line| parts(line) == (marks, END)) {
                at += end + 1;
                signed = None;
                plain.extend_from_slice(marks);
                plain.extend_from_slice(SIGNED.as_bytes());
                plain.push(b'\n');
                continue;
            }
        }
        let escaped = signed.and_then(|own| line.strip_prefix(own)?.strip_prefix(b"- "));
        if let Some(rest) = escaped {
            plain.extend_from_slice(marks);
            plain.extend_from_slice(rest);
        } else {
            plain.extend_from_slice(line);
        }
    }
    Cow::Owned(plain)
}

/// The marks of a quotation before a line, and the line without them and its end.
fn parts(line: &[u8]) -> (&[u8], &[u8]) {
    let prefix = if line.first() == Some(&b'>') {
        quote_prefix(line)
    } else {
        0
    };
    let (marks, content) = line.split_at_checked(prefix).unwrap_or((line, &[]));
    (marks, without_line_end(content).trim_ascii_end())
}

/// Returns true if a line belongs to a text whose lines have these marks. Those of a blank line may have lost their
/// blank.
fn is_inside(marks: &[u8], line: &[u8]) -> bool {
    let is_quoted = line.first() == Some(&b'>');
    match marks {
        [] => true,
        marks => is_quoted && (line.starts_with(marks.trim_ascii_end())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn armour_is_one_line() {
        let sign =
            "-----BEGIN PGP SIGNATURE-----\nVersion: 2\n\nabc=\n-----END PGP SIGNATURE-----\n";
        let text = format!(
            "Hi.\n-----BEGIN PGP SIGNED MESSAGE-----\r\nHash: SHA1\r\n\r\nText\n- -- \nAda\n- ---\n{sign}Bye.\n- x\n"
        );
        let plain = without_armour(text.as_bytes());
        assert_eq!(
            String::from_utf8_lossy(&plain),
            "Hi.\nText\n-- \nAda\n---\n[signed by PGP, not checked]\nBye.\n- x\n"
        );
        let quoted = format!("> {}", text.trim_end().replace('\n', "\n> "));
        let quoted = format!("{quoted}\n");
        let plain = without_armour(quoted.as_bytes());
        assert_eq!(
            String::from_utf8_lossy(&plain),
            "> Hi.\n> Text\n> -- \n> Ada\n> ---\n> [signed by PGP, not checked]\n> Bye.\n> - x\n"
        );
        // The writer of the quotation has left out the signature.
        let cut = b"> -----BEGIN PGP SIGNED MESSAGE-----\n> Hash: SHA1\n>\n> - - a\n- b\n";
        assert_eq!(
            String::from_utf8_lossy(&without_armour(cut)),
            "> - a\n- b\n"
        );
        for text in [
            "- a\n-----BEGIN\n",
            "-----BEGIN PGP SIGNATURE-----\nno end\n",
        ] {
            assert_eq!(without_armour(text.as_bytes()), text.as_bytes());
        }
    }

    proptest::proptest! {
        #[test]
        fn signed_text_is_read_as_it_was_written(text in "([->a-c ]{0,6}\n){0,9}") {
            let escaped: String = text
                .lines()
                .map(|line| if line.starts_with('-') { format!("- {line}\n") } else { format!("{line}\n") })
                .collect();
            let signed = format!(
                "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\n{escaped}-----BEGIN PGP SIGNATURE-----\n\nx\n-----END PGP SIGNATURE-----\n"
            );
            let plain = without_armour(signed.as_bytes());
            let expected = format!("{text}{SIGNED}\n");
            proptest::prop_assert_eq!(String::from_utf8_lossy(&plain), expected);
        }
    }
}
