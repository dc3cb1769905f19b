//! Subjects without the marks of replies, and the subject of a reply.

/// A subject without reply marks, and true if it had any: `Re:`, `re[2]:`, `Re^3:`, `Re :`, and the localised marks of
/// some programs.
pub(super) fn plain_subject(subject: &[u8]) -> (&[u8], bool) {
    const MARKS: [&[u8]; 6] = [b"re", b"aw", b"sv", b"vs", b"antw", b"odp"];
    let mut plain = subject.trim_ascii();
    let mut is_answer = false;
    loop {
        let marked = MARKS.iter().find_map(|mark| {
            let (head, rest) = plain.split_at_checked(mark.len())?;
            if !head.eq_ignore_ascii_case(mark) {
                return None;
            }
            let digits = |octet: &u8| octet.is_ascii_digit() || matches!(octet, b'[' | b']' | b'^');
            let end = rest.iter().position(|octet| !digits(octet))?;
            rest.get(end..)?.trim_ascii_start().strip_prefix(b":")
        });
        match marked {
            Some(rest) => {
                plain = rest.trim_ascii_start();
                is_answer = true;
            }
            None => return (plain, is_answer),
        }
    }
}

/// The subject of a reply: exactly one `Re: `, without the marks of former replies and without the former subject in
/// `(was: …)`.
pub fn reply_subject(subject: &str) -> String {
    let subject = subject.trim();
    let (octets, _) = plain_subject(subject.as_bytes());
    let marks = subject.len().saturating_sub(octets.len());
    let plain = subject.get(marks..).unwrap_or_default();
    let is_former = |at: &usize| {
        let former = plain.get(*at..).unwrap_or_default();
        let word = former.get(1..4).unwrap_or_default();
        let rest = former.get(4..).unwrap_or_default();
        word.eq_ignore_ascii_case("was") && rest.starts_with([':', ' '])
    };
    let starts = plain
        .char_indices()
        .filter(|(_, letter)| matches!(letter, '(' | '['));
    let former = starts.map(|(at, _)| at).find(is_former);
    let former = former.filter(|at| *at > 0 && plain.ends_with([')', ']']));
    let plain = former.and_then(|at| plain.get(..at)).unwrap_or(plain);
    format!("Re: {}", plain.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subject_of_a_reply_has_one_mark() {
        for (subject, expected) in [
            ("x", "Re: x"),
            (" Re: AW: Re: Re[2]: über x (was: Re: old)", "Re: über x"),
            ("RE : x [Was old]", "Re: x"),
            ("x (wasabi)", "Re: x (wasabi)"),
            ("(was: old) x", "Re: (was: old) x"),
            ("(was: old)", "Re: (was: old)"),
            ("Re:", "Re: "),
            ("", "Re: "),
        ] {
            assert_eq!(reply_subject(subject), expected);
        }
    }
}
