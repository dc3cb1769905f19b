//! Subjects without the marks of replies and forwards, and the subjects of a reply and of a forward.
//!
//! ```text
//! subject = *( mark ) *( tag *( mark ) ) text [ "(fwd)" ] [ former ]
//! mark    = "Re" *( DIGIT / "[" / "]" / "(" / ")" / "^" ) *WS ( ":" / "：" )   ; and the words of other languages
//! tag     = "[" name "]"                                                  ; of a mailing list
//! former  = ( "(" / "[" ) *WS "was" ( ":" / WS ) subject ( ")" / "]" )      ; a convention, in no RFC
//! ```

use std::borrow::Cow;

/// The marks of replies: English, German, Scandinavian, Dutch, Polish, French, Chinese. Letters of ASCII have any case.
const REPLIES: [&str; 12] = [
    "re", "aw", "sv", "vs", "antw", "odp", "réf", "rÉf", "回复", "答复", "回覆", "答覆",
];

/// The marks of forwards: English, German, Chinese.
const FORWARDS: [&str; 6] = ["fwd", "fw", "wg", "转发", "轉發", "轉寄"];

/// The mark of a forward behind its subject, as elm and Pine write it.
const FORWARD_END: &[u8] = b"(fwd)";

/// The most tags whose marks are removed.
const MAX_TAGS: usize = 4;

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
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PlainSubject<'a> {
    /// The subject without marks and without the former subject; with its tags.
    pub(super) text: Cow<'a, [u8]>,
    pub(super) kind: SubjectKind,
    /// The former subject, in `(was: …)`, without its own marks and former subject.
    pub(super) former: Option<&'a [u8]>,
}

/// Splits a subject: into its marks, the text, and the former subject of a thread that was renamed.
pub(super) fn plain_subject(subject: &[u8]) -> PlainSubject<'_> {
    let (rest, outer) = without_marks(subject);
    let (rest, former) = split_former(rest);
    // The brackets of a forward may stand before the former subject.
    let (rest, inner) = without_marks(rest);
    let (text, tagged) = without_tagged_marks(rest);
    let former = former.map(|former| split_former(without_marks(former).0).0);
    let kinds = [outer, inner, tagged].into_iter();
    PlainSubject {
        text,
        kind: first_kind(kinds),
        former: former.filter(|former| !former.is_empty()),
    }
}

/// The kind of a subject with these marks, in their order.
fn first_kind(mut kinds: impl Iterator<Item = SubjectKind>) -> SubjectKind {
    let marked = kinds.find(|kind| *kind != SubjectKind::Original);
    marked.unwrap_or(SubjectKind::Original)
}

/// Removes the marks behind the tags of mailing lists, which stay, each once: `[list] Re: [list] x`.
fn without_tagged_marks(subject: &[u8]) -> (Cow<'_, [u8]>, SubjectKind) {
    let mut tags: Vec<&[u8]> = Vec::new();
    let mut kind = SubjectKind::Original;
    let mut rest = subject;
    while let Some((tag, behind)) = split_tag(rest) {
        let is_known = tags.contains(&tag);
        if !is_known && tags.len() == MAX_TAGS {
            break;
        }
        if !is_known || kind == SubjectKind::Original {
            tags.push(tag);
        }
        let (plain, mark) = without_marks(behind);
        kind = first_kind([kind, mark].into_iter());
        rest = plain;
    }
    if kind == SubjectKind::Original || rest.is_empty() {
        return (Cow::Borrowed(subject), SubjectKind::Original);
    }
    tags.push(rest);
    (Cow::Owned(tags.join(&b' ')), kind)
}

/// Splits a subject behind the tag that it begins with.
fn split_tag(subject: &[u8]) -> Option<(&[u8], &[u8])> {
    let inside = subject.strip_prefix(b"[")?;
    let end = memchr::memchr2(b'[', b']', inside)?;
    let (tag, rest) = subject.split_at_checked(end + 2)?;
    (tag.ends_with(b"]") && tag.len() > 2).then(|| (tag, rest.trim_ascii_start()))
}

/// Removes the marks of replies and forwards, in any order: `Re:`, `re[2]:`, `Re(3):`, `Re^3:`, `Re :`, `Fwd:`, the
/// brackets of `[Fwd: …]`, and `(fwd)` at the end.
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
        } else if let Some(rest) = without_forward_end(plain) {
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

/// Returns the text before `(fwd)`, if there is one.
fn without_forward_end(subject: &[u8]) -> Option<&[u8]> {
    let (text, end) = subject.split_at_checked(subject.len().checked_sub(FORWARD_END.len())?)?;
    let text = text.trim_ascii_end();
    (end.eq_ignore_ascii_case(FORWARD_END) && !text.is_empty()).then_some(text)
}

/// Returns the text behind one of these marks, if it begins with one.
fn without_mark<'a>(subject: &'a [u8], marks: &[&str]) -> Option<&'a [u8]> {
    marks.iter().find_map(|mark| {
        let mark = mark.as_bytes();
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
        let rest = rest.get(end..)?.trim_ascii_start();
        let wide = || rest.strip_prefix("：".as_bytes());
        rest.strip_prefix(b":").or_else(wide)
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

/// A decoded subject as it is compared: in small letters, several blanks as one (RFC 5256, section 2.1).
pub(super) fn folded(subject: &[u8]) -> String {
    let subject = String::from_utf8_lossy(subject);
    let words: Vec<&str> = subject.split_whitespace().collect();
    words.join(" ").to_lowercase()
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
    mark.to_owned() + &String::from_utf8_lossy(&plain)
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
            ("x (fwd)", "Re: x"),
            ("(fwd)", "Re: (fwd)"),
            ("Re: Fwd: x (Fwd) (fwd)", "Re: x"),
            ("[list] Re: x", "Re: [list] x"),
            ("Re: [list] AW: [list] Re: x (was: y)", "Re: [list] x"),
            ("[a] [b] Fwd: x", "Re: [a] [b] x"),
            ("[a] [a] x", "Re: [a] [a] x"),
            ("[a] x: Re: y", "Re: [a] x: Re: y"),
            ("[a] Re:", "Re: [a] Re:"),
            ("Réf: RÉF : x", "Re: x"),
            ("回复：答复: 转发：x", "Re: x"),
            ("Re：x", "Re: x"),
            ("回复 x", "Re: 回复 x"),
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
            ("[list] Re: x", "[list] x", Reply, None),
            ("[list] x", "[list] x", Original, None),
            ("Fwd: [list] Re: x", "[list] x", Forward, None),
            ("x (fwd)", "x", Forward, None),
            ("Re: x (fwd) (was: y)", "x", Reply, Some("y")),
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
                text: text.as_bytes().into(),
                kind,
                former: former.map(str::as_bytes),
            };
            assert_eq!(plain_subject(subject.as_bytes()), expected, "{subject}");
        }
    }

    proptest! {
        #[test]
        fn marks_do_not_pile_up(
            marks in prop::collection::vec("((Re|RE|re|AW|Fwd|FW|WG|Sv|Réf|回复|转发)(\\[[0-9]\\]|\\([0-9]\\)|\\^[0-9])?|Re[0-9]) ?(:|：) ?", 0..6),
            tags in prop::sample::subsequence(vec!["[a] ", "[b] ", "[c] ", "[d] "], 0..=4),
            text in "[a-z]ü?[a-z ]{0,8}[a-z]",
            former in prop::option::of("(\\(|\\[)[Ww]as[: ] ?(Re: )?[a-z]{1,9}(\\)|\\])"),
        ) {
            let former = former.map_or(String::new(), |former| format!(" {former}"));
            // The marks stand behind tags, too.
            let at = tags.len().min(marks.len());
            let tagged = marks.iter().zip(&tags).map(|(mark, tag)| [mark.as_str(), *tag].concat());
            let tagged: String = tagged.collect();
            let more = tags.get(at..).unwrap_or_default().concat() + &marks[at..].concat();
            let subject = format!("{tagged}{more}{text}{former}");
            let reply = reply_subject(&subject);
            prop_assert_eq!(&reply, &format!("Re: {}{text}", tags.concat()));
            prop_assert_eq!(&reply_subject(&reply), &reply);
            prop_assert_eq!(&reply_subject(&forward_subject(&subject)), &reply);
        }

        #[test]
        fn any_octets_are_a_subject(subject: Vec<u8>) {
            let plain = plain_subject(&subject);
            prop_assert!(plain.text.len() <= subject.len());
            // Its letters are those of the subject, in their order.
            let mut letters = subject.iter();
            let is_there = |letter: &u8| *letter == b' ' || letters.any(|other| other == letter);
            prop_assert!(plain.text.iter().all(is_there));
            prop_assert_eq!(plain_subject(&plain.text).kind, SubjectKind::Original);
        }
    }
}
