//! Mailboxes (mbox, RFC 4155): the overview of the messages, and one message as an article.
//!
//! ```text
//! mailbox = *( "From " sender SP date LF message LF )
//! ```
//!
//! A line that begins with `From ` and is the first one or follows a blank one begins a message, if a header follows
//! it: not all programs quote such lines inside a message with a `>`, which is removed (as in `mboxrd`).
//! [`mbox_message`] writes it.

use std::io::{self, BufRead, BufReader, Read};

use geomys_wire::protocol::nntp::{MessageText, mailbox_line};
use geomys_wire::protocol::octets;

/// The beginning of a message.
const FROM: &[u8] = b"From ";

/// The most octets of a message's headers that are parsed; the rest is read and dropped.
const MAX_HEADERS_BYTES: usize = 64 * 1024;

/// The most octets of a message that are read: a longer one is cut.
pub const MAX_MESSAGE_BYTES: u64 = 64 * 1024 * 1024;

/// The most octets of a line that are read at once: a longer one is read in pieces.
const MAX_LINE_BYTES: u64 = 64 * 1024;

/// The number of messages in a piece of an overview.
const OVERVIEW_MESSAGES: usize = 256;

/// Returns true for a mailbox, by its first octets: a header follows the first line.
pub fn begins(head: &[u8]) -> bool {
    let mut lines = head.splitn(2, |&octet| octet == b'\n');
    let first = lines.next().unwrap_or_default();
    first.starts_with(FROM) && is_header(lines.next().unwrap_or_default())
}

/// Returns true for an article or a mail: it begins with headers, at least three of them common ones.
pub fn is_article(head: &[u8]) -> bool {
    let mut header_count = 0;
    for line in octets::lines(head) {
        if line.is_empty() {
            break;
        }
        if line.starts_with(b" ") || line.starts_with(b"\t") {
            continue;
        }
        if !is_header(line) {
            return false;
        }
        let name = line.split(|&octet| octet == b':').next();
        let name = name.unwrap_or_default().to_ascii_lowercase();
        header_count += usize::from(matches!(
            name.as_slice(),
            b"from" | b"date" | b"subject" | b"message-id" | b"newsgroups" | b"path" | b"received"
        ));
    }
    header_count >= 3
}

/// Returns true for `name ":"`, of the octets that are valid in a name (RFC 5322, section 2.2).
fn is_header(line: &[u8]) -> bool {
    let end = line
        .iter()
        .position(|octet| !matches!(octet, b'!'..=b'9' | b';'..=b'~'));
    end.is_some_and(|end| end > 0 && line.get(end) == Some(&b':'))
}

/// The line before a message that is written.
const FROM_LINE: &[u8] = b"From geomys Thu Jan  1 00:00:00 1970\n";

/// Returns a message as it stands in a mailbox. Its lines end as those of text files.
pub fn mbox_message(message: &[u8]) -> Vec<u8> {
    let mut written = Vec::with_capacity(message.len() + FROM_LINE.len() + 1);
    written.extend_from_slice(FROM_LINE);
    for line in message.split_inclusive(|&octet| octet == b'\n') {
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        let marks = text.iter().take_while(|&&octet| octet == b'>').count();
        if text.get(marks..).is_some_and(|rest| rest.starts_with(FROM)) {
            written.push(b'>');
        }
        written.extend_from_slice(text);
        written.push(b'\n');
    }
    written.push(b'\n');
    written
}

/// A mailbox that is read from its beginning, or from a message that was found before, to its end.
pub struct MboxReader<R> {
    reader: BufReader<R>,
    /// The offset of the next octet in the mailbox.
    offset: u64,
    /// The offsets of the messages that were found: of their `From ` lines.
    found: Vec<u64>,
    /// The offset at which a message begins, whatever stands there.
    begins_at: Option<u64>,
    /// True if no other message follows.
    is_single: bool,
    /// The number of the current message; 0 before the first.
    number: u64,
    /// True if the last line was blank, or there was none.
    after_blank: bool,
    /// True if the next octets continue a line that was too long.
    within: bool,
}

/// A line, or a piece of one.
struct Line {
    octets: Vec<u8>,
    /// True if the line begins a message.
    opens: bool,
    /// True if this is the beginning of the line.
    is_start: bool,
}

impl<R: Read> MboxReader<R> {
    /// A reader at the beginning of a mailbox.
    pub fn new(file: R) -> Self {
        Self {
            reader: BufReader::new(file),
            offset: 0,
            found: Vec::new(),
            begins_at: None,
            is_single: false,
            number: 0,
            after_blank: true,
            within: false,
        }
    }

    /// A reader of a mailbox whose first messages have these offsets, at the last of them.
    pub fn at_last(file: R, mut found: Vec<u64>) -> Self {
        let begins_at = found.pop();
        Self {
            offset: begins_at.unwrap_or_default(),
            number: found.len() as u64,
            found,
            begins_at,
            ..Self::new(file)
        }
    }

    /// A reader of the octets of one message, with its `From ` line.
    pub fn single(message: R) -> Self {
        Self {
            begins_at: Some(0),
            is_single: true,
            ..Self::new(message)
        }
    }

    /// The offsets of the messages that were found so far, from the first one on, in octets: of their `From ` lines.
    pub fn found(&self) -> &[u64] {
        &self.found
    }

    /// Returns the overview of the next messages (RFC 3977, section 8.3.2); empty at the end.
    pub fn overview(&mut self) -> io::Result<Vec<u8>> {
        let mut lines = Vec::new();
        let (mut head, mut text) = (Vec::new(), None);
        let mut message_count = 0;
        if self.number == 0 {
            // Lines before the first message are skipped.
            while let Some(line) = self.line()? {
                if line.opens {
                    self.number = 1;
                    break;
                }
            }
        }
        let mut in_head = true;
        while message_count < OVERVIEW_MESSAGES && self.number > 0 {
            match self.line()? {
                Some(line) if line.opens => {
                    let text = text.take().unwrap_or_else(|| MessageText::new(&head));
                    lines.extend(mailbox_line(self.number, &head, text, false));
                    self.number += 1;
                    message_count += 1;
                    head.clear();
                    in_head = true;
                }
                Some(line) => {
                    let is_blank = line.is_start && line.octets.trim_ascii().is_empty();
                    in_head &= !is_blank && head.len() < MAX_HEADERS_BYTES;
                    if in_head {
                        head.extend(line.octets);
                    } else {
                        let text = text.get_or_insert_with(|| MessageText::new(&head));
                        text.add(&line.octets);
                    }
                }
                None => {
                    let text = text.take().unwrap_or_else(|| MessageText::new(&head));
                    lines.extend(mailbox_line(self.number, &head, text, false));
                    self.number = 0;
                    self.after_blank = false;
                }
            }
        }
        Ok(lines)
    }

    /// Returns the message of this number, from 1, without its `From ` line; None when there is no such message.
    pub fn message(&mut self, number: u64) -> io::Result<Option<Vec<u8>>> {
        let mut message = Vec::new();
        while let Some(line) = self.line()? {
            if line.opens {
                self.number += 1;
                if self.number > number {
                    break;
                }
            } else if self.number == number && number > 0 {
                let quoted = line
                    .octets
                    .iter()
                    .take_while(|&&octet| octet == b'>')
                    .count();
                let is_quoted = line.is_start
                    && quoted > 0
                    && line
                        .octets
                        .get(quoted..)
                        .is_some_and(|rest| rest.starts_with(FROM));
                let octets = line
                    .octets
                    .get(usize::from(is_quoted)..)
                    .unwrap_or_default();
                message.extend_from_slice(octets);
                if message.len() as u64 > MAX_MESSAGE_BYTES {
                    break;
                }
            }
        }
        Ok((self.number >= number && number > 0).then_some(message))
    }

    /// Returns true if the next line is a header, or there is none, as far as it can be told without reading it.
    fn precedes_header(&mut self) -> io::Result<bool> {
        let next = self.reader.fill_buf()?;
        let is_cut = next
            .iter()
            .all(|octet| matches!(octet, b'!'..=b'9' | b';'..=b'~'));
        Ok(is_cut || is_header(next))
    }

    /// Returns the next line with its end, or a piece of a long one.
    fn line(&mut self) -> io::Result<Option<Line>> {
        let mut octets = Vec::new();
        let mut limited = self.reader.by_ref().take(MAX_LINE_BYTES);
        if limited.read_until(b'\n', &mut octets)? == 0 {
            return Ok(None);
        }
        let offset = self.offset;
        self.offset += octets.len() as u64;
        let is_start = !self.within;
        let opens = self.begins_at == Some(offset)
            || !self.is_single
                && is_start
                && self.after_blank
                && octets.starts_with(FROM)
                && self.precedes_header()?;
        if opens {
            self.found.push(offset);
        }
        self.within = !octets.ends_with(b"\n");
        self.after_blank = is_start && matches!(octets.as_slice(), b"\n" | b"\r\n");
        Ok(Some(Line {
            octets,
            opens,
            is_start,
        }))
    }
}

#[cfg(test)]
mod tests {
    use geomys_wire::protocol::nntp::overview;

    use super::*;

    const BOX: &[u8] =
        b"From ada@example.org Thu Nov 19 10:00:00 2026\nFrom: ada@example.org\nSubject: one\n\n\
        First.\n>From here on it is quoted.\n>>From twice.\nFrom the middle of a text.\n\n\
        From bo Thu Nov 19 11:00:00 2026\r\nFrom: bo\r\nSubject: two\r\n\r\nSecond.\r\n";

    #[test]
    fn messages_are_counted_and_separated() {
        let mut mailbox = MboxReader::new(BOX);
        let lines = mailbox.overview().unwrap();
        let subjects: Vec<_> = lines
            .split(|&octet| octet == b'\n')
            .filter_map(|line| overview(line.trim_ascii_end()))
            .map(|article| (article.number, article.subject.to_vec()))
            .collect();
        assert_eq!(subjects, [(1, b"one".to_vec()), (2, b"two".to_vec())]);
        assert!(mailbox.overview().unwrap().is_empty());
    }

    #[test]
    fn a_message_is_what_was_sent() {
        let message = |number| MboxReader::new(BOX).message(number).unwrap();
        assert_eq!(
            message(1).unwrap(),
            b"From: ada@example.org\nSubject: one\n\nFirst.\nFrom here on it is quoted.\n>From twice.\n\
              From the middle of a text.\n\n"
        );
        assert_eq!(
            message(2).unwrap(),
            b"From: bo\r\nSubject: two\r\n\r\nSecond.\r\n"
        );
        assert_eq!((message(0), message(3)), (None, None));
    }

    #[test]
    fn message_is_read_at_its_offset() {
        let mut mailbox = MboxReader::new(BOX);
        while !mailbox.overview().unwrap().is_empty() {}
        let found = mailbox.found().to_vec();
        assert_eq!(found, [0, 159]);
        let whole = |number| MboxReader::new(BOX).message(number).unwrap();
        let second = BOX.get(159..).unwrap();
        let mut single = MboxReader::single(BOX.get(..159).unwrap());
        assert_eq!(single.message(1).unwrap(), whole(1));
        assert_eq!(MboxReader::single(second).message(1).unwrap(), whole(2));
        let mut mailbox = MboxReader::at_last(second, found.clone());
        assert_eq!(mailbox.message(2).unwrap(), whole(2));
        assert_eq!(mailbox.found(), found);
        assert_eq!(MboxReader::at_last(second, found).message(3).unwrap(), None);
    }

    #[test]
    fn sentence_that_begins_with_from_begins_no_message() {
        for size in [1, 40, 8170, 8180, 8192] {
            let filler = "x".repeat(size);
            let text = format!(
                "From a 1\nSubject: {filler}\n\nOne.\n\nFrom my point of view\nit is one.\n\nFrom b 2\nSubject: two\n\n"
            );
            let mut mailbox = MboxReader::new(text.as_bytes());
            let lines = mailbox.overview().unwrap();
            assert_eq!(
                lines.split(|octet| *octet == b'\n').count() - 1,
                2,
                "{size}"
            );
        }
    }

    #[test]
    fn kind_is_detected_by_the_beginning() {
        assert!(begins(BOX));
        assert!(!begins(b"From here on it is a text\nand nothing else"));
        assert!(is_article(
            b"From: a\nDate: b\nSubject:\n folded\nX-A: b\n\ntext"
        ));
        assert!(!is_article(b"From: a\nthen words\nDate: b\nSubject: c\n"));
        assert!(!is_article(b"Note: this\nName: that\n\n"));
    }

    proptest::proptest! {
        #[test]
        fn written_messages_are_read_as_they_were(
            bodies in proptest::collection::vec("((From |>From |>|a| )?[a-z ]{0,5}\n){0,5}", 1..5),
        ) {
            let messages: Vec<String> =
                bodies.iter().map(|body| format!("Subject: x\n\n{body}")).collect();
            let written: Vec<u8> =
                messages.iter().flat_map(|message| mbox_message(message.as_bytes())).collect();
            for (number, message) in (1..).zip(&messages) {
                let read = MboxReader::new(written.as_slice()).message(number).unwrap();
                proptest::prop_assert_eq!(read, Some(format!("{message}\n").into_bytes()));
            }
        }

        #[test]
        fn messages_at_their_offsets_are_those_that_were_listed(
            bodies in proptest::collection::vec("((From |>From |From: |a| )?[a-z ]{0,5}\n){0,6}", 0..6),
        ) {
            let messages = bodies.iter().map(|body| mbox_message(format!("Subject: x\n\n{body}").as_bytes()));
            let text = messages.collect::<Vec<_>>().concat();
            let mut mailbox = MboxReader::new(text.as_slice());
            while !mailbox.overview().unwrap().is_empty() {}
            let offset = |&offset: &u64| usize::try_from(offset).unwrap();
            let starts: Vec<usize> = mailbox.found().iter().map(offset).collect();
            let ends = starts.iter().skip(1).copied().chain([text.len()]);
            for (index, (&start, end)) in starts.iter().zip(ends).enumerate() {
                let number = index as u64 + 1;
                let whole = MboxReader::new(text.as_slice()).message(number).unwrap();
                let single = MboxReader::single(&text[start..end]).message(1);
                proptest::prop_assert_eq!(&single.unwrap(), &whole);
                let known = mailbox.found()[..=index].to_vec();
                let mut later = MboxReader::at_last(&text[start..], known);
                proptest::prop_assert_eq!(&later.message(number).unwrap(), &whole);
            }
        }

        #[test]
        fn any_octets_are_read_to_their_end(octets: Vec<u8>, number in 0_u64..4) {
            let mut mailbox = MboxReader::new(octets.as_slice());
            let mut rounds = 0;
            while !mailbox.overview().unwrap().is_empty() {
                rounds += 1;
                proptest::prop_assert!(rounds <= octets.len());
            }
            MboxReader::new(octets.as_slice()).message(number).unwrap();
        }
    }
}
