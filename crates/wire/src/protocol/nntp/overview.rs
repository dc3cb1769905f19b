//! Lines of an overview (RFC 3977, section 8.3), also made from headers for servers without one (section 6.1.2).
//!
//! ```text
//! line   = number TAB subject TAB from TAB date TAB message-id TAB references TAB bytes TAB lines *( TAB extra )
//! header = name ":" value CRLF *( WS value CRLF )          ; unfolded: line ends are removed, blanks stay
//! ```
//!
//! The first eight fields are the same on every server, so LIST OVERVIEW.FMT is not requested. Servers omit fields at
//! the end, and leave missing counts empty; both are accepted. Fields after the eighth are not read. In a made line
//! tabs, line ends and NUL become blanks, as RFC 3977 requires of servers, and the byte count is unknown.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use ring::digest::{Context, SHA256};
use tokio::io::{AsyncRead, AsyncWrite};

use super::{Dialogue, NntpError};
use crate::protocol::octets;
use crate::protocol::octets::parse;

/// An article in an overview; fields that the server omitted are empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overview<'a> {
    /// The number in this group on this server.
    pub number: u64,
    /// The subject, not decoded.
    pub subject: &'a [u8],
    /// The author, not decoded.
    pub from: &'a [u8],
    /// The date, as written.
    pub date: &'a [u8],
    /// The Message-ID, with its angle brackets.
    pub id: &'a [u8],
    /// The Message-IDs of the referenced articles, with their angle brackets.
    pub references: &'a [u8],
    /// The number of lines of the body, if the server lists it.
    pub lines: Option<u64>,
}

/// Parses a line of an overview; `None` without a number and a subject.
pub fn overview(line: &[u8]) -> Option<Overview<'_>> {
    let mut rest = Some(line);
    let mut field = || {
        let line = rest.take()?;
        let Some(end) = memchr::memchr(b'\t', line) else {
            return Some(line.trim_ascii());
        };
        rest = line.get(end + 1..);
        Some(line.get(..end)?.trim_ascii())
    };
    let number = octets::number(field()?)?;
    let subject = field()?;
    let mut next = || field().unwrap_or_default();
    let (from, date, id, references, _bytes) = (next(), next(), next(), next(), next());
    Some(Overview {
        number,
        subject,
        from,
        date,
        id,
        references,
        lines: octets::number(next()),
    })
}

/// The most octets read of a line with a number.
const NUMBER: usize = 32;

impl<S: AsyncRead + AsyncWrite + Unpin> Dialogue<S> {
    /// Returns the article numbers of the selected group from `first` to `last`, the highest first, at most `max` of
    /// them (LISTGROUP; RFC 3977, section 6.1.2). `None` if the server does not list them.
    ///
    /// # Errors
    /// [`NntpError`].
    pub async fn numbers(
        &mut self,
        first: u64,
        last: u64,
        max: usize,
    ) -> Result<Option<Vec<u64>>, NntpError> {
        let Some(group) = self.group.clone() else {
            return Ok(None);
        };
        let mut command = [b"LISTGROUP ", group.as_slice()].concat();
        // RFC 2980 has no range: servers of its time list all numbers.
        if self.capabilities.is_some() {
            command.extend_from_slice(format!(" {first}-{last}").as_bytes());
        }
        let reply = self.ask(&command, super::GROUP).await?;
        match reply.code {
            211 => {}
            412 => return Ok(None),
            _ if reply.is_unsupported() => return Ok(None),
            _ => return Err(reply.into()),
        }
        let mut highest = BinaryHeap::new();
        let mut line = Vec::new();
        while let Some(run) = self.block().await? {
            for octet in run {
                if octet != b'\n' {
                    line.extend((line.len() < NUMBER).then_some(octet));
                    continue;
                }
                let number: Option<u64> = parse(line.trim_ascii());
                line.clear();
                let number = number.filter(|number| (first..=last).contains(number));
                highest.extend(number.map(Reverse));
                if highest.len() > max {
                    highest.pop();
                }
            }
        }
        let highest = highest.into_sorted_vec().into_iter();
        Ok(Some(highest.map(|Reverse(number)| number).collect()))
    }
}

/// The headers of an overview, in its order.
const FIELDS: [&[u8]; 5] = [b"subject", b"from", b"date", b"message-id", b"references"];

/// Returns the overview line for the article `number`, with its CRLF. Of a duplicate header the first one counts.
pub fn overview_line(number: u64, head: &[u8]) -> Vec<u8> {
    let mut line = number.to_string().into_bytes();
    for name in FIELDS {
        line.push(b'\t');
        push_value(&mut line, head, name);
    }
    line.extend_from_slice(b"\t\t");
    push_value(&mut line, head, b"lines");
    line.extend_from_slice(b"\r\n");
    line
}

/// The extra field with the id of a message without a Message-ID.
const KEY: &[u8] = b"Geomys-Key: ";

/// The extra field of a message that another program has shown.
const SEEN: &[u8] = b"Geomys-Seen: yes";

/// The text of a message without a Message-ID, as it arrives, from which its id is made. Blanks do not count, as the
/// ends of lines differ.
pub struct MessageText(Option<Context>);

impl MessageText {
    /// Begins with the headers. Of a message with a Message-ID nothing is read.
    pub fn new(head: &[u8]) -> Self {
        let line = overview_line(0, head);
        let headers = line.strip_suffix(b"\r\n").and_then(overview);
        let headers = headers.filter(|message| message.id.is_empty());
        Self(headers.map(|message| {
            let mut content = Context::new(&SHA256);
            let headers = [message.date, message.from, message.subject, b""];
            content.update(&headers.join(&b'\t'));
            content
        }))
    }

    /// Returns true if the text is needed.
    pub fn is_needed(&self) -> bool {
        self.0.is_some()
    }

    /// Adds the next octets of the body.
    pub fn add(&mut self, octets: &[u8]) {
        let Some(content) = &mut self.0 else {
            return;
        };
        for word in octets.split(u8::is_ascii_whitespace) {
            content.update(word);
        }
    }

    fn id(self) -> Option<String> {
        let digest = self.0?.finish();
        let first = digest.as_ref().first_chunk();
        let id = first.map(|first| u64::from_be_bytes(*first));
        Some(format!("{:016x}", id.unwrap_or_default()))
    }
}

/// Returns the overview line for a message of a mailbox, with its CRLF. It tells whether another program has shown the
/// message, and has an id of its own where the message has none, made of its headers and its text.
pub fn mailbox_line(number: u64, head: &[u8], text: MessageText, is_seen: bool) -> Vec<u8> {
    let mut line = overview_line(number, head);
    line.truncate(line.len().saturating_sub(2));
    if let Some(id) = text.id() {
        line.extend([b"\t", KEY, id.as_bytes()].concat());
    }
    if is_seen {
        line.push(b'\t');
        line.extend_from_slice(SEEN);
    }
    line.extend_from_slice(b"\r\n");
    line
}

/// A message of a mailbox, by its line of [`mailbox_line`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MailboxMessage<'a> {
    /// The number in the mailbox.
    pub number: u64,
    /// The Message-ID, or the id in its place; empty in a line without one.
    pub id: &'a [u8],
    /// True if another program has shown the message.
    pub is_seen: bool,
}

/// Parses a line of [`mailbox_line`]; `None` without a number and a subject.
pub fn mailbox_message(line: &[u8]) -> Option<MailboxMessage<'_>> {
    let message = overview(line)?;
    let fields = || line.split(|&octet| octet == b'\t').skip(8);
    let key = fields().find_map(|field| field.strip_prefix(KEY));
    Some(MailboxMessage {
        number: message.number,
        id: match message.id {
            [] => key.unwrap_or_default(),
            id => id,
        },
        is_seen: fields().any(|field| field.trim_ascii_end() == SEEN),
    })
}

/// Appends the unfolded value of a header.
fn push_value(line: &mut Vec<u8>, head: &[u8], name: &[u8]) {
    let (start, end) = (name.len(), name.len() + 1);
    let is_named = |line: &[u8]| {
        line.get(..start)
            .is_some_and(|word| word.eq_ignore_ascii_case(name))
            && line.get(start) == Some(&b':')
    };
    let mut lines = octets::lines(head).skip_while(|line| !is_named(line));
    let Some(first) = lines.next().and_then(|line| line.get(end..)) else {
        return;
    };
    let folded = lines.take_while(|line| matches!(line.first(), Some(b' ' | b'\t')));
    for value in std::iter::once(first.trim_ascii_start()).chain(folded) {
        let blank = |&octet: &u8| if octet < b' ' { b' ' } else { octet };
        line.extend(value.iter().map(blank));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::nntp::overview;

    #[test]
    fn headers_make_a_line() {
        let head =
            b"Path: x!y\r\nSUBJECT:  A\tlong\r\n one\r\nFrom: caf\xe9@x\r\nMessage-ID: <1@x>\r\n\
            Subject: another\r\nReferences: <a@x>\r\n\t<b@x>\r\nLines: 7\r\n";
        let line = overview_line(12, head);
        assert_eq!(
            line.escape_ascii().to_string(),
            "12\\tA long one\\tcaf\\xe9@x\\t\\t<1@x>\\t<a@x> <b@x>\\t\\t7\\r\\n"
        );
        let read = overview(line.trim_ascii_end()).unwrap();
        assert_eq!(
            (read.number, read.lines, read.references),
            (12, Some(7), b"<a@x> <b@x>".as_slice())
        );
    }

    #[test]
    fn message_without_an_id_has_that_of_its_content() {
        let id = |head: &str, body: &str| {
            let mut text = MessageText::new(head.as_bytes());
            // In pieces of any length.
            body.as_bytes().chunks(7).for_each(|piece| text.add(piece));
            let line = mailbox_line(3, head.as_bytes(), text, false);
            let message = mailbox_message(line.trim_ascii_end()).unwrap();
            assert_eq!(message.number, 3);
            String::from_utf8(message.id.to_vec()).unwrap()
        };
        let head = "Subject: s\nFrom: ada@x\nDate: 1 Oct 1994\n";
        let own = id(head, "Text\nof it.\n");
        assert_eq!(own.len(), 16);
        // Its place, other headers, and the ends of its lines do not count.
        assert_eq!(
            id(
                "Status: RO\r\nDate: 1 Oct 1994\r\nFrom: ada@x\r\nSubject: s\r\n",
                "Text\r\nof it.\r\n"
            ),
            own
        );
        for (head, body) in [
            (head.replace("1994", "1995"), "Text\nof it.\n"),
            (head.replace("ada", "bo"), "Text\nof it.\n"),
            (head.replace("Subject: s", "Subject: t"), "Text\nof it.\n"),
            (head.to_owned(), "Other text.\n"),
            (
                head.to_owned(),
                &("Text\nof it.\n".to_owned() + &"Words\n".repeat(300)),
            ),
        ] {
            assert_ne!(id(&head, body), own);
        }
        let long = "Words\n".repeat(300);
        assert_ne!(
            id(head, &(long.clone() + "one\n")),
            id(head, &(long + "two\n"))
        );
        assert_eq!(id("Subject: s\nMessage-ID: <1@x>\n", "Text"), "<1@x>");
    }

    proptest::proptest! {
        #[test]
        fn line_of_a_mailbox_is_one_of_an_overview(number: u64, head: Vec<u8>, body: Vec<u8>, is_seen: bool) {
            let mut text = MessageText::new(&head);
            text.add(&body);
            let line = mailbox_line(number, &head, text, is_seen);
            let read = mailbox_message(line.strip_suffix(b"\r\n").unwrap()).unwrap();
            proptest::prop_assert_eq!((read.number, read.is_seen), (number, is_seen));
            proptest::prop_assert!(!read.id.is_empty());
            let plain = overview_line(number, &head);
            proptest::prop_assert_eq!(
                overview(line.strip_suffix(b"\r\n").unwrap()),
                overview(plain.strip_suffix(b"\r\n").unwrap())
            );
        }

        #[test]
        fn any_octets_make_one_line(number: u64, head: Vec<u8>) {
            let line = overview_line(number, &head);
            proptest::prop_assert_eq!(memchr::memchr_iter(b'\n', &line).count(), 1);
            proptest::prop_assert_eq!(memchr::memchr_iter(b'\t', &line).count(), 7);
            proptest::prop_assert_eq!(overview(line.strip_suffix(b"\r\n").unwrap()).map(|read| read.number), Some(number));
        }
    }
}
