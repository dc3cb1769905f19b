//! Subjects without the marks of replies and forwards, and the subjects of a reply and of a forward.
//!
//! ```text
//! subject = *( mark ) text [ former ]
//! mark    = "Re" *( DIGIT / "[" / "]" / "(" / ")" / "^" ) *WS ":"       ; and the words of other languages
//! former  = ( "(" / "[" ) *WS "was" ( ":" / WS ) subject ( ")" / "]" )      ; a convention, in no RFC
//! ```

/// The marks of replies: English, German, Scandinavian, Dutch, Polish.
const REPLIES: [&[u8]; 6] = [b"re", b"aw", b"sv", b"vs", b"antw", b"odp"];

/// The marks of forwards: English, German.
const FORWARDS: [&[u8]; 3] = [b"fwd", b"fw", b"wg"];

/// The kind of an article, as the first mark of its subject says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SubjectKind {
    /// No mark: the article begins a thread.
    Original,
    /// A forward, which begins a thread too.
    Forward,
    /// A reply.
    Reply,
}

/// A subject in its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PlainSubject<'a> {
    /// The subject without marks and without the former subject.
    pub(super) text: &'a [u8],
    pub(super) kind: SubjectKind,
    /// The former subject, in `(was: …)`, without its own marks and former subject.
    pub(super) former: Option<&'a [u8]>,
}

/// Splits a subject: into its marks, the text, and the former subject of a thread that was renamed.
pub(super) fn plain_subject(subject: &[u8]) -> PlainSubject<'_> {
    let (rest, outer) = without_marks(subject);
    let (rest, former) = split_former(rest);
    // The brackets of a forward may stand before the former subject.
    let (text, inner) = without_marks(rest);
    let former = former.map(|former| split_former(without_marks(former).0).0);
    PlainSubject {
        text,
        kind: if outer == SubjectKind::Original {
            inner
        } else {
            outer
        },
        former: former.filter(|former| !former.is_empty()),
    }
}

/// Removes the marks of replies and forwards, in any order: `Re:`, `re[2]:`, `Re(3):`, `Re^3:`, `Re :`, `Fwd:`, and
/// the brackets of `[Fwd: …]`.
fn without_marks(subject: &[u8]) -> (&[u8], SubjectKind) {
    let mut plain = subject.trim_ascii();
    let mut kind = SubjectKind::Original;
    loop {
        let inside = plain
            .strip_prefix(b"[")
            .and_then(|it| it.strip_suffix(b"]"));
        let (rest, mark) = if let Some(rest) = without_mark(plain, &REPLIES) {
            (rest, SubjectKind::Reply)
        } else if let Some(rest) =
            without_mark(plain, &FORWARDS).or_else(|| without_mark(inside?, &FORWARDS))
        {
            (rest, SubjectKind::Forward)
        } else {
            return (plain, kind);
        };
        plain = rest.trim_ascii();
        if kind == SubjectKind::Original {
            kind = mark;
        }
    }
}

/// Returns the text behind one of these marks, if it begins with one.
fn without_mark<'a>(subject: &'a [u8], marks: &[&[u8]]) -> Option<&'a [u8]> {
    marks.iter().find_map(|mark| {
        let (head, rest) = subject.split_at_checked(mark.len())?;
        if !head.eq_ignore_ascii_case(mark) {
            return None;
        }
        // `Re2:` is a second reply, and `WG14:` is a group.
        let is_bare = head.eq_ignore_ascii_case(b"re");
        let counts = |at: usize, octet: &u8| {
            octet.is_ascii_digit() && (at > 0 || is_bare) || b"[]()^".contains(octet)
        };
        let mut letters = rest.iter().enumerate();
        let end = letters.position(|(at, octet)| !counts(at, octet))?;
        rest.get(end..)?.trim_ascii_start().strip_prefix(b":")
    })
}

/// Splits a subject before the former one in `(was: …)` at its end. All of it is the text if nothing stands before.
fn split_former(subject: &[u8]) -> (&[u8], Option<&[u8]>) {
    let inside = subject
        .strip_suffix(b")")
        .or_else(|| subject.strip_suffix(b"]"));
    let Some(inside) = inside else {
        return (subject, None);
    };
    memchr::memchr2_iter(b'(', b'[', inside)
        .filter(|at| *at > 0)
        .find_map(|at| {
            let (text, former) = inside.split_at_checked(at)?;
            let former = former.get(1..)?.trim_ascii_start();
            let (word, former) = former.split_at_checked(3)?;
            let is_word = word.eq_ignore_ascii_case(b"was");
            let is_former = is_word && matches!(former.first(), Some(b':' | b' '));
            let former = former.get(1..)?.trim_ascii();
            is_former.then_some((text.trim_ascii_end(), Some(former)))
        })
        .unwrap_or((subject, None))
}

/// The subject of a reply: exactly one `Re: `, without the marks of former replies and forwards and without the former
/// subject in `(was: …)`.
pub fn reply_subject(subject: &str) -> String {
    marked("Re: ", subject)
}

/// The subject of a forward: exactly one `Fwd: `, and otherwise that of a reply.
pub fn forward_subject(subject: &str) -> String {
    marked("Fwd: ", subject)
}

fn marked(mark: &str, subject: &str) -> String {
    // It is split at ASCII, so it stays UTF-8.
    let plain = plain_subject(subject.as_bytes()).text;
    mark.to_owned() + &String::from_utf8_lossy(plain)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn subject_of_a_reply_has_one_mark() {
        for (subject, expected) in [
            ("x", "Re: x"),
            ("WG14: x", "Re: WG14: x"),
            ("Re: FW2: x", "Re: FW2: x"),
            (" Re: AW: Re: Re[2]: über x (was: Re: old)", "Re: über x"),
            ("RE : x [Was old]", "Re: x"),
            ("x (wasabi)", "Re: x (wasabi)"),
            ("(was: old) x", "Re: (was: old) x"),
            ("(was: old)", "Re: (was: old)"),
            ("Re(2): FW: Fwd: x", "Re: x"),
            ("Re: [Fwd: Re^2: x]", "Re: x"),
            ("Re:", "Re: "),
            ("", "Re: "),
        ] {
            assert_eq!(reply_subject(subject), expected);
            assert_eq!(forward_subject(subject), expected.replacen("Re", "Fwd", 1));
        }
    }

    #[test]
    fn subjects_are_split_into_marks_text_and_former_subject() {
        use SubjectKind::{Forward, Original, Reply};
        for (subject, text, kind, former) in [
            ("Re: x", "x", Reply, None),
            (" re[12]: RE^3:AW: x ", "x", Reply, None),
            ("Re(2): x", "x", Reply, None),
            ("Re: Fwd: x", "x", Reply, None),
            ("Fwd: Re: x", "x", Forward, None),
            ("[FWD: x]", "x", Forward, None),
            ("[Fwd: x] (was: y)", "x", Forward, Some("y")),
            ("[list] Re: x", "[list] Re: x", Original, None),
            ("Re: x (was: Re: y)", "x", Reply, Some("y")),
            ("x ( WAS y (was: z))", "x", Original, Some("y")),
            ("Re: x (was:)", "x", Reply, None),
            ("Re: x (was: y", "x (was: y", Reply, None),
            ("Reading: x", "Reading: x", Original, None),
            ("Forward: x", "Forward: x", Original, None),
            ("re", "re", Original, None),
            ("Re : x", "x", Reply, None),
            ("Re x", "Re x", Original, None),
            ("", "", Original, None),
        ] {
            let expected = PlainSubject {
                text: text.as_bytes(),
                kind,
                former: former.map(str::as_bytes),
            };
            assert_eq!(plain_subject(subject.as_bytes()), expected, "{subject}");
        }
    }

    proptest! {
        #[test]
        fn marks_do_not_pile_up(
            marks in prop::collection::vec("((Re|RE|re|AW|Fwd|FW|WG|Sv)(\\[[0-9]\\]|\\([0-9]\\)|\\^[0-9])?|Re[0-9]) ?: ?", 0..6),
            text in "[a-z]ü?[a-z ]{0,8}[a-z]",
            former in prop::option::of("(\\(|\\[)[Ww]as[: ] ?(Re: )?[a-z]{1,9}(\\)|\\])"),
        ) {
            let former = former.map_or(String::new(), |former| format!(" {former}"));
            let subject = format!("{}{text}{former}", marks.concat());
            let reply = reply_subject(&subject);
            prop_assert_eq!(&reply, &format!("Re: {text}"));
            prop_assert_eq!(&reply_subject(&reply), &reply);
            prop_assert_eq!(&reply_subject(&forward_subject(&subject)), &reply);
        }

        #[test]
        fn any_octets_are_a_subject(subject: Vec<u8>) {
            let plain = plain_subject(&subject);
            prop_assert!(memchr::memmem::find(&subject, plain.text).is_some());
            prop_assert_eq!(plain_subject(plain.text).kind, SubjectKind::Original);
        }
    }
}
