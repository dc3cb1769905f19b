//! Binaries that were posted in several articles: the articles of a group that hold the parts, and the joined file.
//!
//! ```text
//! subject = text ( "(" count ")" / "[" count "]" ) text     ; the last counter, () before []
//! count   = part "/" total / [ "part " ] part " of " total
//! ```
//!
//! Articles belong together if their authors and their subjects are equal except for the part number. The text of the
//! first part 0, a description, is not a part. yEnc states the position and the CRC-32 of each part; uuencode states
//! neither, so its parts are joined in the order of their numbers. Parts of a message (message/partial) state their
//! number: the file is the one that the message holds, or the message itself. Where their subjects have no counter,
//! they are searched among the articles with the same author and subject.

use geomys_wire::protocol::nntp::overview;
use geomys_wire::protocol::octets;
use rfc1738::Url;

pub use super::article::FoundParts;
use super::article::{self, EncodedPart, MessagePart};
use super::group::GroupBody;
use super::model::Document;

/// The maximum number of parts of a binary.
const PARTS: u64 = 5000;

/// The most articles among which the parts of a message without counters are searched.
const MAX_NEIGHBOURS: usize = 200;

/// A file that was joined from its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JoinedFile {
    /// The name that the parts state; octets, not a path.
    pub name: Vec<u8>,
    /// The octets.
    pub octets: Vec<u8>,
    /// The checks that the file has passed.
    pub check: FileCheck,
}

/// The checks that a joined file has passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileCheck {
    /// The size and the CRC-32.
    Checksum,
    /// The size only: no part states a CRC-32.
    Size,
    /// Only the form of the lines: uuencode and parts of messages have no checksum.
    Form,
}

/// The number of a part, and the total number of parts, in a subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PartCounter {
    part: u64,
    total: u64,
    /// The position of the part number in the subject, in octets, and its length.
    at: (usize, usize),
}

impl PartCounter {
    /// Finds the counter of a subject.
    fn find(subject: &[u8]) -> Option<Self> {
        Self::between(subject, b'(', b')').or_else(|| Self::between(subject, b'[', b']'))
    }

    fn between(subject: &[u8], open: u8, close: u8) -> Option<Self> {
        let starts = memchr::memrchr_iter(open, subject);
        starts.map(|at| at + 1).find_map(|start| {
            let rest = subject.get(start..)?;
            let inside = rest.get(..memchr::memchr(close, rest)?)?;
            let words = inside.len() - without_part(inside).len();
            let inside = without_part(inside);
            let (part, total) = octets::split_once(inside, b'/').or_else(|| {
                let at = memchr::memmem::find(inside, b" of ")?;
                Some((inside.get(..at)?, inside.get(at + 4..)?))
            })?;
            let counter = Self {
                part: octets::number(part)?,
                total: octets::number(total)?,
                at: (start + words, part.len()),
            };
            ((1..=PARTS).contains(&counter.total) && counter.part <= counter.total)
                .then_some(counter)
        })
    }

    /// The subject before and after the part number.
    fn around(self, subject: &[u8]) -> (&[u8], &[u8]) {
        let (start, length) = self.at;
        let before = subject.get(..start).unwrap_or_default();
        let after = subject.get(start + length..).unwrap_or_default();
        (before, after)
    }
}

/// Returns a counter without the word before its number (RFC 2046, section 5.2.2.2, has "part 1 of 2").
fn without_part(counter: &[u8]) -> &[u8] {
    match counter.split_at_checked(5) {
        Some((word, rest)) if word.eq_ignore_ascii_case(b"part ") => rest,
        Some(_) | None => counter,
    }
}

impl Document {
    /// The URLs of the articles that hold the parts of the binary in a line of a group, by part; nothing for a missing
    /// part. An article without a part number is the only part. Slow: call it on a clone, on a blocking task.
    pub fn binary_parts(&self, line: usize) -> Vec<Option<Url>> {
        let url = |line| GroupBody::article_link(self.source(), line)?.target.ok();
        let Some(chosen) = self.raw.line(line).and_then(overview) else {
            return Vec::new();
        };
        let Some(counter) = PartCounter::find(chosen.subject) else {
            return vec![url(line)];
        };
        let around = counter.around(chosen.subject);
        let mut parts = vec![None; usize::try_from(counter.total).unwrap_or(0)];
        for line in 0..self.raw.lines() {
            let article = self.raw.line(line).and_then(overview);
            let Some(article) = article.filter(|article| article.from == chosen.from) else {
                continue;
            };
            let Some(counter) = PartCounter::find(article.subject) else {
                continue;
            };
            let index = counter.part.checked_sub(1);
            let index = index.and_then(|index| usize::try_from(index).ok());
            if counter.around(article.subject) == around
                && let Some(part) = index.and_then(|index| parts.get_mut(index))
                && part.is_none()
            {
                *part = url(line);
            }
        }
        parts
    }

    /// The URLs of the other articles with the author and the subject of the one in a line of a group, those with the
    /// nearest numbers first. Slow: call it on a clone, on a blocking task.
    pub fn same_subject(&self, line: usize) -> Vec<Url> {
        let Some(chosen) = self.raw.line(line).and_then(overview) else {
            return Vec::new();
        };
        let lines = (0..self.raw.lines()).filter_map(|other| {
            let article = overview(self.raw.line(other)?)?;
            let is_same = article.from == chosen.from && article.subject == chosen.subject;
            (is_same && other != line).then_some((article.number.abs_diff(chosen.number), other))
        });
        let mut near: Vec<(u64, usize)> = lines.collect();
        near.sort_unstable();
        let near = near.into_iter().take(MAX_NEIGHBOURS);
        near.filter_map(|(_, line)| GroupBody::article_link(self.source(), line)?.target.ok())
            .collect()
    }
}

/// Joins the file that these articles hold, in the order of their parts.
///
/// # Errors
/// A sentence: what is missing or wrong, and in which part.
pub fn join(articles: &[Vec<u8>]) -> Result<JoinedFile, String> {
    let parts = articles.iter().map(|article| article::yenc_part(article));
    let parts: Vec<Option<EncodedPart>> = parts.collect();
    if parts.iter().any(Option::is_some) {
        return join_yenc(parts);
    }
    let parts = articles.iter().map(|article| MessagePart::of(article));
    let parts: Vec<Option<MessagePart<'_>>> = parts.collect();
    if parts.iter().any(Option::is_some) {
        return join_message(parts);
    }
    let (name, octets) = article::joined_uu(articles)?;
    Ok(JoinedFile {
        name,
        octets,
        check: FileCheck::Form,
    })
}

/// Joins a message, and returns the file that it holds; the message itself if it does not hold just one.
fn join_message(parts: Vec<Option<MessagePart<'_>>>) -> Result<JoinedFile, String> {
    let numbered = (1..).zip(parts);
    let parts = numbered.map(|(number, part)| {
        part.ok_or_else(|| format!("part {number} is not a part of a message"))
    });
    let message = article::joined_message(parts.collect::<Result<_, String>>()?)?;
    let (name, octets) = match article::only_file(&message)? {
        Some(file) => (file.name, file.octets),
        None => (b"message.eml".to_vec(), message),
    };
    Ok(JoinedFile {
        name,
        octets,
        check: FileCheck::Form,
    })
}

fn join_yenc(parts: Vec<Option<EncodedPart>>) -> Result<JoinedFile, String> {
    let mut sorted = Vec::with_capacity(parts.len());
    for (number, part) in (1..).zip(parts) {
        let part = part.ok_or_else(|| format!("part {number} is not yEnc"))?;
        if let Some(fault) = &part.fault {
            return Err(format!("part {number}: {fault}"));
        }
        sorted.push(part);
    }
    sorted.sort_by_key(|part| part.begin);
    let Some(first) = sorted.first() else {
        return Err("no parts found".to_owned());
    };
    let (name, size) = (first.name.clone(), first.size);
    let mut octets: Vec<u8> = Vec::new();
    for part in &sorted {
        if part.size != size || part.name != name {
            return Err("the parts belong to different files".to_owned());
        }
        let here = octets.len() as u64 + 1;
        if part.begin < here {
            // A part that was posted twice.
            continue;
        }
        if part.begin > here {
            let missing = part.begin - here;
            return Err(format!(
                "{missing} bytes before byte {} are missing",
                part.begin
            ));
        }
        octets.extend_from_slice(&part.octets);
    }
    let length = octets.len() as u64;
    if length != size {
        return Err(format!("{length} of {size} bytes"));
    }
    let whole = sorted.iter().find_map(|part| part.whole_crc32);
    if whole.is_some_and(|crc| crc != article::crc32(&octets)) {
        return Err("checksum mismatch of the whole file".to_owned());
    }
    let is_checked = whole.is_some() || sorted.iter().all(|part| part.has_checksum);
    let check = if is_checked {
        FileCheck::Checksum
    } else {
        FileCheck::Size
    };
    Ok(JoinedFile {
        name,
        octets,
        check,
    })
}

#[cfg(test)]
mod tests {
    use geomys_wire::text::CharsetSetting;
    use proptest::prelude::*;

    use super::*;
    use crate::document::Shape;

    #[test]
    fn part_counter_is_the_last_one_in_round_brackets() {
        for (subject, expected) in [
            ("[1/5] \"a.rar\" yEnc (03/12)", Some((3, 12))),
            ("a.jpg [2/4]", Some((2, 4))),
            ("a (1/2) b (2/3) c", Some((2, 3))),
            ("a (0/3)", Some((0, 3))),
            ("a (4/3)", None),
            ("a (1/0)", None),
            ("a (1/99999)", None),
            ("either (and/or)", None),
            ("a (1/2", None),
            ("Audio mail (part 1 of 2)", Some((1, 2))),
            ("a [2 of 3]", Some((2, 3))),
            ("one (some of us)", None),
        ] {
            let found = PartCounter::find(subject.as_bytes());
            let found = found.map(|counter| (counter.part, counter.total));
            assert_eq!(found, expected, "{subject}");
        }
    }

    #[test]
    fn parts_of_a_group_are_found_by_author_and_subject() {
        let line = |number: u64, subject: &str, from: &str| {
            format!("{number}\t{subject}\t{from}\t\t<{number}@x>\t\t9\t9\r\n")
        };
        let overview = [
            line(9, "other.bin (1/2)", "ada"),
            line(8, "a.bin (2/3)", "eve"),
            line(7, "a.bin (3/3)", "ada"),
            line(6, "a.bin (0/3)", "ada"),
            line(5, "a.bin (1/3)", "ada"),
            line(4, "a.bin (1/3)", "ada"),
            line(3, "alone", "ada"),
        ];
        let url = Url::parse("nntp://h/a.b").unwrap();
        let mut group = Document::new(url, Shape::Group, CharsetSetting::default());
        group.append(overview.concat().as_bytes());
        let parts = |line| -> Vec<Option<String>> {
            let parts = group.binary_parts(line).into_iter();
            parts.map(|part| part.map(|url| url.to_string())).collect()
        };
        let part = |number: u64| Some(format!("nntp://h/a.b/{number}"));
        assert_eq!(parts(2), [part(5), None, part(7)]);
        assert_eq!(parts(6), [part(3)]);
        assert!(parts(99).is_empty());
        // Without a counter the nearest ones are searched.
        let more = [
            line(20, "alone", "ada"),
            line(2, "alone", "ada"),
            line(1, "alone", "bo"),
        ];
        group.append(more.concat().as_bytes());
        let near: Vec<String> = group.same_subject(6).iter().map(Url::to_string).collect();
        assert_eq!(near, ["nntp://h/a.b/2", "nntp://h/a.b/20"]);
    }

    /// The articles of a file in parts of this size.
    fn yenc_articles(file: &[u8], size: usize) -> Vec<Vec<u8>> {
        let total = file.len().div_ceil(size);
        let parts = (1..).zip(file.chunks(size));
        let parts = parts.map(|(number, part): (usize, &[u8])| {
            let begin = (number - 1) * size + 1;
            let end = begin + part.len() - 1;
            let mut article = format!(
                "Subject: x\r\n\r\nA file.\r\n=ybegin part={number} total={total} line=128 size={} \
                 name=a b.bin\r\n=ypart begin={begin} end={end}\r\n",
                file.len()
            )
            .into_bytes();
            for octet in part {
                match octet.wrapping_add(42) {
                    odd @ (0 | b'\n' | b'\r' | b'=') => {
                        article.extend([b'=', odd.wrapping_add(64)]);
                    }
                    plain => article.push(plain),
                }
            }
            let crc = article::crc32(part);
            article.extend(
                format!(
                    "\r\n=yend size={} part={number} pcrc32={crc:08x}",
                    part.len()
                )
                .bytes(),
            );
            if number == total {
                article.extend(format!(" crc32={:08x}", article::crc32(file)).bytes());
            }
            article.extend_from_slice(b"\r\n");
            article
        });
        parts.collect()
    }

    proptest! {
        #[test]
        fn yenc_parts_are_joined_in_any_order(
            file in prop::collection::vec(any::<u8>(), 1..400),
            size in 1_usize..90,
            turn in any::<prop::sample::Index>(),
        ) {
            let mut articles = yenc_articles(&file, size);
            let at = turn.index(articles.len());
            articles.rotate_left(at);
            let joined = join(&articles).unwrap();
            prop_assert_eq!(joined.octets, file);
            prop_assert_eq!(joined.name, b"a b.bin");
            prop_assert_eq!(joined.check, FileCheck::Checksum);
        }

        #[test]
        fn any_octets_are_joined_or_refused(articles: Vec<Vec<u8>>) {
            let _ = join(&articles);
        }
    }

    #[test]
    fn missing_and_damaged_parts_are_named() {
        let file: Vec<u8> = (0..=255).cycle().take(1000).collect();
        let good = yenc_articles(&file, 300);
        let mut missing = good.clone();
        missing.remove(1);
        assert_eq!(
            join(&missing).unwrap_err(),
            "300 bytes before byte 601 are missing"
        );
        let mut cut = good.clone();
        cut.pop();
        assert_eq!(join(&cut).unwrap_err(), "900 of 1000 bytes");
        let mut damaged = good.clone();
        let at = damaged[2].len() - 80;
        damaged[2][at] ^= 1;
        assert!(join(&damaged).unwrap_err().starts_with("part 3: "));
        let mut text = good.clone();
        text[3] = b"Subject: x\r\n\r\nNothing.\r\n".to_vec();
        assert_eq!(join(&text).unwrap_err(), "part 4 is not yEnc");
        let mut twice = good.clone();
        twice.push(good[0].clone());
        assert_eq!(join(&twice).unwrap().octets, file);
        assert_eq!(join(&[]).unwrap_err(), "no part starts a file");
    }

    /// An article with a part of a message.
    fn message_part(number: u64, more: &str, body: &str) -> Vec<u8> {
        let kind = format!("message/partial; id=\"7@x\";\r\n number={number}{more}");
        format!(
            "From: ada@x\r\nSubject: A song (part {number} of 3)\r\nMessage-ID: <{number}@x>\r\n\
             Newsgroups: a.b\r\nMIME-Version: 1.0\r\nContent-Type: {kind}\r\n\r\n{body}"
        )
        .into_bytes()
    }

    #[test]
    fn parts_of_a_message_are_joined_to_its_file() {
        let one = "Subject: A song\r\nMessage-ID: <7@x>\r\nMIME-Version: 1.0\r\n\
                   Content-Type: audio/basic; name=song.au\r\nContent-Transfer-Encoding: base64\r\n\r\nQ2F0\r\n";
        let parts = [
            message_part(3, "; total=3", "R2\r\n9hdA==\r\n"),
            message_part(1, "", one),
            message_part(2, "; total=3", "RG9n\r\n"),
        ];
        let joined = join(&parts).unwrap();
        assert_eq!(joined.octets, b"CatDogGoat");
        assert_eq!(
            (joined.name.as_slice(), joined.check),
            (&b"song.au"[..], FileCheck::Form)
        );
        let [three, one, two] = &parts;
        for (parts, error) in [
            (vec![one.clone(), three.clone()], "part 2 is missing"),
            (vec![one.clone(), two.clone()], "2 of 3 parts"),
            (
                vec![one.clone(), b"Subject: x\r\n\r\nWords.\r\n".to_vec()],
                "part 2 is not a part of a message",
            ),
        ] {
            assert_eq!(join(&parts).unwrap_err(), error);
        }
    }

    #[test]
    fn message_of_texts_is_joined_with_the_head_of_its_first_part() {
        let one = "Subject: A letter\r\nMessage-ID: <7@x>\r\nTo: nobody\r\n\r\nOne\r\n";
        let parts = [
            message_part(1, "", one),
            message_part(2, "; total=2", "two\r\n"),
        ];
        let joined = join(&parts).unwrap();
        assert_eq!(joined.name, b"message.eml");
        assert_eq!(
            String::from_utf8(joined.octets).unwrap(),
            "From: ada@x\r\nNewsgroups: a.b\r\nSubject: A letter\r\nMessage-ID: <7@x>\r\n\r\nOne\r\ntwo\r\n"
        );
    }

    #[test]
    fn uuencoded_parts_are_joined_without_the_text_around_them() {
        let line = |octet: u8| {
            // 45 octets of one value.
            let bits = u32::from(octet) << 16 | u32::from(octet) << 8 | u32::from(octet);
            let digit = |shift: u32| match (bits >> shift) & 63 {
                0 => '`',
                bits => char::from(b' ' + u8::try_from(bits).unwrap()),
            };
            let group: String = [18, 12, 6, 0].map(digit).iter().collect();
            format!("M{}\r\n", group.repeat(15))
        };
        let part = |body: &str| format!("Subject: x\r\n\r\n{body}").into_bytes();
        let articles = [
            part(&format!(
                "Here it is.\r\nbegin 644 a.jpg\r\n{}{}\r\ncut here\r\n",
                line(1),
                line(2)
            )),
            part(&format!(
                "Part 2\r\n\r\n{}{}-- \r\nMail me\r\n",
                line(3),
                line(0)
            )),
            part("#0V%T\r\n`\r\nend\r\nsum -r/size 1/2\r\n"),
        ];
        let joined = join(&articles).unwrap();
        let expected = [[1; 45], [2; 45], [3; 45], [0; 45]].concat();
        assert_eq!(joined.octets, [expected.as_slice(), b"Cat"].concat());
        assert_eq!(joined.name, b"a.jpg");
        assert_eq!(joined.check, FileCheck::Form);
        assert_eq!(join(&articles[..2]).unwrap_err(), "its end is missing");
        assert_eq!(join(&articles[1..]).unwrap_err(), "no part starts a file");
    }
}
