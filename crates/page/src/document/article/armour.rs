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

use crate::document::raw::without_line_end;

const BEGIN: &[u8] = b"-----BEGIN PGP SIGNED MESSAGE-----";
const SIGNATURE: &[u8] = b"-----BEGIN PGP SIGNATURE-----";
const END: &[u8] = b"-----END PGP SIGNATURE-----";

/// The line that stands for a signature.
pub(super) const SIGNED: &str = "[signed by PGP, not checked]";

/// The most lines of a signature, and of the headers before a text.
const MAX_LINES: usize = 200;

/// The most letters before the mark of a quotation: the initials of who is quoted.
const MAX_INITIALS: usize = 6;

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
        at += 1;
        if signed.is_some_and(|marks| behind(marks, line).is_none()) {
            signed = None;
        }
        let rest = lines.get(at..).unwrap_or_default();
        if let Some(marks) = marks_before(BEGIN, line) {
            let mut headers = rest.iter().take(MAX_LINES);
            if let Some(blank) = headers.position(|line| behind(marks, line) == Some(b"")) {
                at += blank + 1;
                signed = Some(marks);
                continue;
            }
        } else if let Some(marks) = marks_before(SIGNATURE, line) {
            let mut inside = rest.iter().take(MAX_LINES);
            if let Some(end) = inside.position(|line| behind(marks, line) == Some(END)) {
                at += end + 1;
                signed = None;
                plain.extend_from_slice(marks);
                plain.extend_from_slice(SIGNED.as_bytes());
                plain.push(b'\n');
                continue;
            }
        }
        let escaped = signed.and_then(|marks| {
            let rest = line.strip_prefix(marks)?.strip_prefix(b"- ")?;
            Some((marks, rest))
        });
        if let Some((marks, rest)) = escaped {
            plain.extend_from_slice(marks);
            plain.extend_from_slice(rest);
        } else {
            plain.extend_from_slice(line);
        }
    }
    Cow::Owned(plain)
}

/// Returns true if a line stands for a signature, behind the marks of a quotation or without them.
pub(super) fn is_signed(line: &[u8]) -> bool {
    marks_before(SIGNED.as_bytes(), line).is_some()
}

/// The marks of a quotation before a text that is the rest of the line: `> `, `: `, `| ` or, with initials, `AL> `, as
/// often as it was quoted.
fn marks_before<'a>(text: &[u8], line: &'a [u8]) -> Option<&'a [u8]> {
    let marks = content(line).strip_suffix(text)?;
    let (mut initials, mut ends) = (0_usize, marks.is_empty());
    for octet in marks {
        match octet {
            b'>' => (initials, ends) = (0, true),
            b':' | b'|' if initials == 0 => ends = true,
            b' ' | b'\t' if initials == 0 => {}
            letter if letter.is_ascii_alphanumeric() && initials < MAX_INITIALS => {
                (initials, ends) = (initials + 1, false);
            }
            _ => return None,
        }
    }
    ends.then_some(marks)
}

/// The rest of a line that begins with these marks, without its end. The marks of a blank line may have lost their
/// blank.
fn behind<'a>(marks: &[u8], line: &'a [u8]) -> Option<&'a [u8]> {
    let content = content(line);
    let rest = content.strip_prefix(marks);
    rest.or_else(|| content.strip_prefix(marks.trim_ascii_end()))
}

/// A line without its end and the blanks before it.
fn content(line: &[u8]) -> &[u8] {
    without_line_end(line).trim_ascii_end()
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
        for marks in [": ", "| ", "AL> ", " > ", ">> ", "AL> > ", "|", "AL>> BC> "] {
            let text = text
                .replace('\r', "")
                .trim_end()
                .replace('\n', &format!("\n{marks}"));
            let plain = without_armour(format!("{marks}{text}\n").as_bytes()).into_owned();
            let lines = ["Hi.", "Text", "-- ", "Ada", "---", SIGNED, "Bye.", "- x"];
            let expected: String = lines.map(|line| format!("{marks}{line}\n")).concat();
            assert_eq!(String::from_utf8_lossy(&plain), expected);
            assert!(is_signed(format!("{marks}{SIGNED}\n").as_bytes()));
        }
        for text in [
            format!("They said: {SIGNED}\n"),
            format!("Well. {SIGNED}\n"),
            format!("a {SIGNED}\n"),
        ] {
            assert!(!is_signed(text.as_bytes()), "{text}");
        }
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
