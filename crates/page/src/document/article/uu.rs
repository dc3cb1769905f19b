//! uuencode: a file in a text, or in the texts of several articles.
//!
//! ```text
//! uu   = "begin " 3*4octdigit SP name EOL *( data EOL ) [ zero EOL ] "end" EOL
//! data = length *( 4char )          ; the last characters are left out where they are blanks
//! zero = "`" / SP / ""
//! ```
//!
//! Of a malformed file the octets before the error are decoded, and the fault is described. Names are octets and are
//! not valid paths: the code that saves a file must make a safe name.

use super::head::split;
use super::mime::Attachment;
use super::yenc::first_line;
use crate::document::raw::without_line_end;

/// The name in the line that begins a file.
fn opening(line: &[u8]) -> Option<&[u8]> {
    let head = without_line_end(line).strip_prefix(b"begin ")?;
    let space = memchr::memchr(b' ', head)?;
    let (mode, name) = head.split_at_checked(space)?;
    let is_mode =
        matches!(mode.len(), 3 | 4) && mode.iter().all(|digit| (b'0'..=b'7').contains(digit));
    let name = name.trim_ascii();
    (is_mode && !name.is_empty()).then_some(name)
}

/// Decodes the first file in a text.
pub(super) fn first(text: &[u8]) -> Option<Attachment> {
    files(text).next()
}

/// Decodes all files in a text.
pub(crate) fn uu_files(text: &[u8]) -> Vec<Attachment> {
    files(text).collect()
}

fn files(mut text: &[u8]) -> impl Iterator<Item = Attachment> + '_ {
    std::iter::from_fn(move || {
        while !text.is_empty() {
            let file = uu(text);
            let used = file
                .as_ref()
                .map_or(first_line(text).len(), |(_, used)| *used);
            text = text.get(used..).unwrap_or_default();
            if let Some((file, _)) = file {
                return Some(file);
            }
        }
        None
    })
}

/// Returns the offset of the first file in a text.
pub(crate) fn uu_start(text: &[u8]) -> Option<usize> {
    let mut lines = text.split_inclusive(|&octet| octet == b'\n');
    let mut at = 0;
    let found = lines.find(|line| {
        let is_start = opening(line).is_some();
        at += if is_start { 0 } else { line.len() };
        is_start
    });
    found.map(|_| at)
}

/// Decodes the file at the start of `text`. Returns it with the number of octets of `text` that it takes.
pub(super) fn uu(text: &[u8]) -> Option<(Attachment, usize)> {
    let first = first_line(text);
    let name = opening(first)?;
    let mut octets = Vec::new();
    let mut used = first.len();
    let mut fault = Some("its end is missing".to_owned());
    let mut is_empty = true;
    for (number, line) in text
        .get(used..)?
        .split_inclusive(|&octet| octet == b'\n')
        .enumerate()
    {
        let content = without_line_end(line);
        if is_end(content) {
            used += line.len();
            fault = None;
            break;
        }
        let is_decoded = uu_line(content, &mut octets).is_some();
        // A sentence may begin with “begin”: only a valid first line makes it a file.
        if !is_decoded && number == 0 {
            return None;
        }
        is_empty &= number > 0 || octets.is_empty();
        if !is_decoded {
            fault = Some(format!("line {} is malformed", number + 1));
            break;
        }
        used += line.len();
    }
    // A sentence may be followed by an empty line. A real empty file has an `end` line.
    if is_empty && fault.is_some() {
        return None;
    }
    let file = Attachment {
        name: name.to_vec(),
        kind: "uuencoded".to_owned(),
        octets,
        fault,
    };
    Some((file, used))
}

/// Decodes a line of a file; returns nothing where it is malformed.
pub fn uu_line(line: &[u8], octets: &mut Vec<u8>) -> Option<()> {
    let value = |octet: u8| {
        (b' '..=b'`')
            .contains(&octet)
            .then(|| (octet - b' ') & 0o77)
    };
    let Some((length, digits)) = line.split_first() else {
        // Trailing blanks may be stripped in transit, and a line of length 0 is one blank.
        return Some(());
    };
    let length = usize::from(value(*length)?);
    let expected = length.div_ceil(3) * 4;
    // Some encoders append a checksum to the line.
    if digits.len() > expected + 2 {
        return None;
    }
    let mut decoded = Vec::with_capacity(length + 2);
    let mut padded = digits.iter().copied().chain(std::iter::repeat(b' '));
    for _ in 0..expected / 4 {
        let mut bits = 0_u32;
        for _ in 0..4 {
            bits = bits << 6 | u32::from(value(padded.next()?)?);
        }
        decoded.extend(bits.to_be_bytes().iter().skip(1));
    }
    decoded.truncate(length);
    octets.extend_from_slice(&decoded);
    Some(())
}

/// Joins the lines of a file in several articles. Returns the name and the octets of the file.
///
/// # Errors
/// A sentence: what is missing.
pub(in crate::document) fn joined_uu(articles: &[Vec<u8>]) -> Result<(Vec<u8>, Vec<u8>), String> {
    let mut joined: Vec<u8> = Vec::new();
    for article in articles {
        let (_, body) = split(article);
        let lines: Vec<&[u8]> = body
            .split(|&octet| octet == b'\n')
            .map(without_line_end)
            .collect();
        let data = data_lines(&lines);
        let is_data = |at: usize| data.get(at) == Some(&true);
        let all = || lines.iter().enumerate();
        let start = match all().find(|(_, line)| opening(line).is_some()) {
            Some((at, _)) if joined.is_empty() => at,
            _ if joined.is_empty() => return Err("no part starts a file".to_owned()),
            _ => {
                let mut starts = all().filter(|(at, line)| is_data(*at) && !line.is_empty());
                let is_long =
                    |at: &usize| lines.get(*at).is_some_and(|line| line.starts_with(b"M"));
                let ends = |at: &usize| lines.iter().skip(at + 1).take(3).any(|line| is_end(line));
                let start = starts.find(|(at, _)| is_long(at) || ends(at));
                start.map_or(lines.len(), |(at, _)| at)
            }
        };
        let run = all().skip(start);
        let run = run.take_while(|(at, line)| *at == start || is_data(*at) || is_end(line));
        for (_, line) in run {
            joined.extend_from_slice(line);
            joined.push(b'\n');
        }
    }
    let (file, _) = uu(&joined).ok_or("no part starts a file")?;
    match file.fault {
        Some(fault) => Err(fault),
        None => Ok((file.name, file.octets)),
    }
}

/// Tells for each line whether it has data of a file: it is as long as it says, or its blanks were stripped and a line
/// beside it belongs to the file too, so that a signature does not.
fn data_lines(lines: &[&[u8]]) -> Vec<bool> {
    let mut data = vec![false; lines.len()];
    let is_decoded = |line: &[u8]| uu_line(line, &mut Vec::new()).is_some();
    let (mut is_next, mut is_last) = (false, false);
    for (line, data) in lines.iter().zip(&mut data).rev() {
        let length = line
            .first()
            .map_or(0, |octet| octet.wrapping_sub(b' ') & 0o77);
        let expected = 1 + usize::from(length).div_ceil(3) * 4;
        let is_whole = length > 0 && line.len() >= expected;
        *data = (is_whole || is_next) && is_decoded(line);
        // An empty line counts before the end only.
        is_next = is_end(line) || *data && (is_last || !line.is_empty());
        is_last = is_end(line);
    }
    let mut is_within = false;
    for (line, data) in lines.iter().zip(&mut data) {
        *data |= is_within && line.starts_with(b"M") && is_decoded(line);
        is_within = *data || opening(line).is_some();
    }
    data
}

fn is_end(line: &[u8]) -> bool {
    line.trim_ascii_end() == b"end"
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_sentence_is_no_file() {
        for text in [
            &b"begin 100 push-ups\r\n\r\nand end with 200.\r\n"[..],
            b"begin 100 push-ups\r\n",
            b"begin 100 push-ups\r\n\r\n",
            b"begin 100 push-ups\r\n \r\n\r\nREST\r\n",
        ] {
            assert_eq!(uu(text), None, "{}", text.escape_ascii());
        }
        let (empty, _) = uu(b"begin 644 empty\r\n`\r\nend\r\n").unwrap();
        assert_eq!((empty.octets.len(), empty.fault), (0, None));
    }

    #[test]
    fn malformed_file_is_reported_and_decoded_partly() {
        let (broken, _) = uu(b"begin 644 cat.txt\r\n#0V%T\r\n").unwrap();
        assert_eq!(broken.octets, b"Cat");
        assert_eq!(broken.fault.as_deref(), Some("its end is missing"));
    }

    #[test]
    fn signatures_are_no_data() {
        let first = b"Subject: 1/2\n\nbegin 644 a\n#0V%T\n-- \nADA\n".to_vec();
        let second = b"Subject: 2/2\n\n#0V%T\n`\nend\n-- \nADA\n".to_vec();
        assert_eq!(joined_uu(&[first, second]).unwrap().1, b"CatCat");
    }

    proptest! {
        #[test]
        fn file_comes_out_as_it_went_in(octets in prop::collection::vec(any::<u8>(), 1..600)) {
            let text = uuencoded(&octets, b'`');
            let (file, used) = uu(&text).unwrap();
            prop_assert_eq!((&file.octets, file.fault, used), (&octets, None, text.len()));
        }

        #[test]
        fn one_article_and_several_are_decoded_alike(
            octets in prop::collection::vec(prop_oneof![Just(0_u8), any::<u8>()], 1..600),
            cut: prop::sample::Index,
            zero in prop::sample::select(vec![b'`', b' ']),
            is_stripped: bool,
        ) {
            let mut text = uuencoded(&octets, zero);
            if is_stripped {
                let lines = text.split(|&octet| octet == b'\n');
                text = lines.map(<[u8]>::trim_ascii_end).collect::<Vec<_>>().join(&b'\n');
            }
            prop_assert_eq!(&uu(&text).unwrap().0.octets, &octets);
            let whole = [b"Subject: x\n\n", text.as_slice()].concat();
            prop_assert_eq!(&joined_uu(&[whole]).unwrap().1, &octets);
            let ends: Vec<usize> = memchr::memchr_iter(b'\n', &text).collect();
            // The second part begins with a full line.
            let cut = cut.index((octets.len() / 45).max(1)).min(ends.len() - 3);
            let (one, other) = text.split_at(ends[cut] + 1);
            let parts = [one, other].map(|part| [b"Subject: x\n\n", part, b"\n-- \nADA\n"].concat());
            if octets.len() > 45 {
                prop_assert_eq!(&joined_uu(&parts).unwrap().1, &octets);
            }
        }

        #[test]
        fn any_lines_are_joined(lines in "((begin 644 a|end|`|M[ -~]{0,70}|[ -`]{0,8})\r?\n){0,12}") {
            let article = [b"Subject: x\n\n", lines.as_bytes()].concat();
            drop(joined_uu(&[article.clone(), article]));
        }
    }

    fn uuencoded(octets: &[u8], zero: u8) -> Vec<u8> {
        let digit = |bits: u32| match bits & 63 {
            0 => zero,
            bits => b' ' + u8::try_from(bits).unwrap(),
        };
        let mut text = b"begin 644 ../../etc/a b.bin\r\n".to_vec();
        for line in octets.chunks(45) {
            text.push(digit(u32::try_from(line.len()).unwrap()));
            for group in line.chunks(3) {
                let octet = |at: usize| group.get(at).copied().map_or(0, u32::from);
                let bits = octet(0) << 16 | octet(1) << 8 | octet(2);
                text.extend([18, 12, 6, 0].map(|shift| digit(bits >> shift)));
            }
            text.extend_from_slice(b"\r\n");
        }
        text.push(zero);
        text.extend_from_slice(b"\r\nend\r\n");
        text
    }
}
