//! Clear-signed texts (RFC 9580, section 7): the text as its author wrote it, and one line for the signature, which is
//! not checked.
//!
//! ```text
//! signed    = "-----BEGIN PGP SIGNED MESSAGE-----" EOL *( header EOL ) EOL text signature
//! text      = *( [ "- " ] line EOL )         ; "- " before each line that begins with a dash, and before any other
//! signature = "-----BEGIN PGP SIGNATURE-----" EOL *( line EOL ) "-----END PGP SIGNATURE-----" EOL
//! ```
//!
//! Behind a header `NotDashEscaped` (of gpg) no line has a `- `. Each line may stand behind the marks of a quotation,
//! whose writer has often left out the signature, or has answered between the lines. The beginning and its headers are
//! left out only where the line for the signature stands for them: without a complete signature they stay.

use std::borrow::Cow;

use crate::document::raw::without_line_end;

const BEGIN: &[u8] = b"-----BEGIN PGP SIGNED MESSAGE-----";
const SIGNATURE: &[u8] = b"-----BEGIN PGP SIGNATURE-----";
const END: &[u8] = b"-----END PGP SIGNATURE-----";

/// The header of a text whose lines are as they were written.
const NOT_ESCAPED: &[u8] = b"NotDashEscaped:";

/// The line that stands for a signature.
pub(super) const SIGNED: &str = "[signed by PGP, not checked]";

/// The most lines of a signature, and of the headers before a text.
const MAX_LINES: usize = 200;

/// The most letters before the mark of a quotation: the initials of who is quoted.
const MAX_INITIALS: usize = 6;

/// A signed text that has begun.
#[derive(Clone, Copy)]
struct SignedText<'a> {
    /// The marks before its lines.
    marks: &'a [u8],
    is_escaped: bool,
    /// True if a line without the marks stands inside: an answer, or the end of a quotation without its signature.
    is_answered: bool,
    /// The range of its beginning and headers in the text without armour.
    beginning: (usize, usize),
}

impl<'a> SignedText<'a> {
    /// Returns the marks before an escaped line, and the line as it was written. Behind an answer another text may be
    /// quoted, so only what has to be escaped is taken for that.
    fn unescaped(self, line: &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
        let rest = line.strip_prefix(self.marks)?.strip_prefix(b"- ")?;
        let has_to_be = || rest.starts_with(b"-") || rest.starts_with(b"From ");
        (self.is_escaped && (!self.is_answered || has_to_be())).then_some((self.marks, rest))
    }
}

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
    let mut signed: Option<SignedText<'_>> = None;
    while let Some(&line) = lines.get(at) {
        at += 1;
        if let Some(signed) = &mut signed {
            signed.is_answered |= behind(signed.marks, line).is_none();
        }
        let rest = lines.get(at..).unwrap_or_default();
        if let Some(marks) = marks_before(BEGIN, line) {
            if let Some(blank) = lines_before(b"", marks, rest, is_header) {
                let headers = rest.get(..=blank).unwrap_or_default();
                let start = plain.len();
                plain.extend_from_slice(line);
                for line in headers {
                    plain.extend_from_slice(line);
                }
                signed = Some(SignedText {
                    marks,
                    is_escaped: !headers.iter().any(|line| is_not_escaped(marks, line)),
                    is_answered: false,
                    beginning: (start, plain.len()),
                });
                at += headers.len();
                continue;
            }
        } else if let Some(marks) = marks_before(SIGNATURE, line)
            && let Some(end) = lines_before(END, marks, rest, is_signature)
        {
            at += end + 1;
            let of_it = signed
                .take()
                .filter(|signed| has_marks(signed.marks, marks));
            if let Some((start, end)) = of_it.map(|signed| signed.beginning) {
                plain.drain(start..end);
            }
            plain.extend_from_slice(marks);
            plain.extend_from_slice(SIGNED.as_bytes());
            plain.push(b'\n');
            continue;
        }
        if let Some((marks, rest)) = signed.and_then(|signed| signed.unescaped(line)) {
            plain.extend_from_slice(marks);
            plain.extend_from_slice(rest);
        } else {
            plain.extend_from_slice(line);
        }
    }
    Cow::Owned(plain)
}

/// The number of lines before the one that ends a part of an armour, if all of them may stand in it: an answer inside
/// of a quotation is no armour.
fn lines_before(
    end: &[u8],
    marks: &[u8],
    lines: &[&[u8]],
    fits: impl Fn(&[u8]) -> bool,
) -> Option<usize> {
    for (at, line) in lines.iter().take(MAX_LINES).enumerate() {
        let line = behind(marks, line)?;
        if line == end {
            return Some(at);
        }
        if !fits(line) {
            break;
        }
    }
    None
}

/// Returns true for a header of an armour.
fn is_header(line: &[u8]) -> bool {
    let end = memchr::memchr(b':', line);
    let name = end.and_then(|end| line.get(..end)).unwrap_or_default();
    let is_name = |octet: &u8| octet.is_ascii_alphanumeric() || *octet == b'-';
    !name.is_empty() && name.iter().all(is_name)
}

/// Returns true for a line of a signature: a header, a blank line, or base64.
fn is_signature(line: &[u8]) -> bool {
    let is_base64 = |octet: &u8| octet.is_ascii_alphanumeric() || b"+/=".contains(octet);
    line.iter().all(is_base64) || is_header(line)
}

/// Returns true if the marks of a quotation are the same but for blanks at their end.
fn has_marks(marks: &[u8], other: &[u8]) -> bool {
    marks.trim_ascii_end() == other.trim_ascii_end()
}

/// Returns true for the header of a text whose lines are not escaped.
fn is_not_escaped(marks: &[u8], line: &[u8]) -> bool {
    let header = behind(marks, line).and_then(|line| line.get(..NOT_ESCAPED.len()));
    header.is_some_and(|name| name.eq_ignore_ascii_case(NOT_ESCAPED))
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
    use proptest::prelude::*;

    use super::*;

    /// Lines with the armour of a signature, without the last line end.
    fn signed_lines(lines: &str) -> String {
        format!(
            "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA1\n\n{lines}\n-----BEGIN PGP SIGNATURE-----\n\nabc=\n-----END PGP SIGNATURE-----"
        )
    }

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
        let begin = "> -----BEGIN PGP SIGNED MESSAGE-----\n> Hash: SHA1\n>\n";
        let cut = format!("{begin}> - - a\n- b\n");
        assert_eq!(
            String::from_utf8_lossy(&without_armour(cut.as_bytes())),
            format!("{begin}> - a\n- b\n")
        );
        // An answer stands in the signature, or in the headers.
        for answered in ["> abc=\nSo?\n> ", "So what?\n> abc=\n> "] {
            let text = format!(
                "> a\n> {}\n{answered}{}\n",
                "-----BEGIN PGP SIGNATURE-----", "-----END PGP SIGNATURE-----"
            );
            assert_eq!(without_armour(text.as_bytes()), text.as_bytes());
        }
        let text = "-----BEGIN PGP SIGNED MESSAGE-----\nNo blank line.\n\nText\n";
        assert_eq!(without_armour(text.as_bytes()), text.as_bytes());
        // The signature has no end.
        let cut = format!("{begin}> - - a\n> -----BEGIN PGP SIGNATURE-----\n> abc=\n");
        assert_eq!(
            String::from_utf8_lossy(&without_armour(cut.as_bytes())),
            cut.replace("- - a", "- a")
        );
        // An answer stands between the lines, and then another text is quoted.
        let answered = format!(
            "> {}",
            signed_lines("a\n- -- \nb\n- - c\n- From d").replace('\n', "\n> ")
        );
        let answered = answered.replace("> b\n", "> b\nSo?\n");
        assert_eq!(
            String::from_utf8_lossy(&without_armour(answered.as_bytes())),
            format!("> a\n> -- \n> b\nSo?\n> - c\n> From d\n> {SIGNED}\n")
        );
        let cut = format!("{begin}> - - a\nSo?\n> - b\n> - - c\n");
        assert_eq!(
            String::from_utf8_lossy(&without_armour(cut.as_bytes())),
            format!("{begin}> - a\nSo?\n> - b\n> - c\n")
        );
        // A text that says so is not escaped.
        let patch = signed_lines("- a\n- - b\n+++ c")
            .replace("SHA1\n", "SHA1\nnotdashescaped: You need GnuPG\n");
        assert_eq!(
            String::from_utf8_lossy(&without_armour(patch.as_bytes())),
            format!("- a\n- - b\n+++ c\n{SIGNED}\n")
        );
        for text in [
            "- a\n-----BEGIN\n",
            "-----BEGIN PGP SIGNATURE-----\nno end\n",
        ] {
            assert_eq!(without_armour(text.as_bytes()), text.as_bytes());
        }
    }

    proptest! {
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
            prop_assert_eq!(String::from_utf8_lossy(&plain), expected);
        }

        #[test]
        fn each_line_is_shown_or_left_out_for_its_signature(
            lines in prop::collection::vec((prop::sample::select(PIECES), prop::sample::select(vec!["", "> ", "> > "])), 0..24),
        ) {
            // Blanks at the end tell the lines from each other.
            let numbered = lines.iter().enumerate();
            let lines: Vec<String> = numbered.map(|(at, (piece, marks))| format!("{marks}{piece}{:at$}", "")).collect();
            let text: String = lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
            let plain = without_armour(text.as_bytes());
            let plain = String::from_utf8_lossy(&plain);
            let mut shown = plain.lines().peekable();
            // The line with which the part ends that is left out.
            let mut end = None;
            let mut beginnings = 0;
            for line in &lines {
                if shown.next_if(|row| row == line || *row == line.replacen("- ", "", 1)).is_some() {
                    prop_assert_eq!(end, None, "{}", plain);
                    continue;
                }
                let content = line.trim_start_matches(['>', ' ']).trim_end();
                match content.as_bytes() {
                    BEGIN if end.is_none() => (end, beginnings) = (Some(&b""[..]), beginnings + 1),
                    SIGNATURE if end.is_none() => {
                        let marks = line.split('-').next().unwrap_or_default();
                        let stands = format!("{marks}{SIGNED}");
                        prop_assert_eq!(shown.next(), Some(stands.as_str()));
                        end = Some(END);
                    }
                    content => {
                        prop_assert!(end.is_some(), "{line:?} of {lines:?} in {plain}");
                        end = end.filter(|end| *end != content);
                    }
                }
            }
            prop_assert_eq!((shown.next(), end), (None, None));
            prop_assert!(beginnings <= plain.matches(SIGNED).count(), "{plain}");
        }
    }

    /// Lines of articles with and without armour.
    const PIECES: &[&str] = &[
        "-----BEGIN PGP SIGNED MESSAGE-----",
        "-----BEGIN PGP SIGNED MESSAGE-----",
        "-----BEGIN PGP SIGNATURE-----",
        "-----END PGP SIGNATURE-----",
        "-----END PGP SIGNATURE-----",
        "",
        "",
        "Hash: SHA1",
        "- - x",
        "- x",
        "a",
    ];
}
