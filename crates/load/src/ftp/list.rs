//! Directories: the listing, or the names alone when the listing is not readable.
//!
//! A URL may have a pattern of the server instead, as in `docs/*.txt;type=d` (RFC 1738, section 3.2.2: NLST). LIST of
//! the pattern also gives sizes and dates. It is shown if each of its lines is an entry that matches the pattern: many
//! servers list the contents of a directory that matches. Else NLST gives the names. A name that is no pattern was
//! refused, and stays refused: vsftpd answers LIST of a directory that may not be entered with the directory itself.

use geomys_wire::net::TransferEnd;
use geomys_wire::protocol::ftp::listing::{Day, Format, Line, SAMPLE, UnlistedNames};
use geomys_wire::protocol::ftp::{DataReply, Reply, Transfer};
use geomys_wire::protocol::nntp::glob;
use geomys_wire::protocol::octets;
use rfc1738::FtpType;
use tokio::time::timeout;

use super::TIME_LIMIT;
use super::command::{DirectoryMessages, TargetError, TargetJob, TargetOutcome};
use super::remarks::ReadmeFinder;
use super::shown::{MAX_NAMES_BYTES, all_names};
use crate::words::today;
use crate::{PageHead, Part, Phase, Purpose, Stop};
use geomys_page::document::{ListingPlace, Shape};

/// The most octets without an entry before a page is shown.
const MAX_UNPARSED_BYTES: u64 = 64 * 1024;

/// The beginning of a listing.
struct ListingHead {
    octets: Vec<u8>,
    /// True if it contains an entry, or nothing at all.
    is_readable: bool,
}

impl TargetJob<'_> {
    /// Lists the connection's directory; by names alone when the listing is not readable.
    pub(super) async fn list(
        &mut self,
        messages: DirectoryMessages,
    ) -> Result<TargetOutcome, TargetError> {
        self.sink.phase(Phase::Waiting).await?;
        let real = match self.request.purpose {
            // A recursive download uses it to find directories that it has visited.
            Purpose::Save => self.connection.working_directory().await?,
            Purpose::Show | Purpose::Picture | Purpose::Check => None,
        };
        let (answer, format) = self.connection.list(self.net).await?;
        let page_head = PageHead {
            real,
            lacks_hidden: !self.connection.lists_hidden(),
            ..self.listing(format)
        };
        let mut transfer = match answer {
            DataReply::Transfer(transfer) => transfer,
            DataReply::Refused(reply) => return Ok(self.refused(&reply)),
            DataReply::Empty => {
                self.begin(page_head, messages).await?;
                return Ok(TargetOutcome::Complete(TransferEnd::Confirmed));
            }
        };
        let head = self.head(&mut transfer, format).await?;
        if head.octets.is_empty()
            && let Some(reply) = self.connection.refusal(self.net, &mut transfer).await?
        {
            return self.refused_after_start(&reply);
        }
        if head.is_readable {
            self.begin(page_head, messages).await?;
            return self.entries(transfer, head.octets, format).await;
        }
        let (received, end) = (transfer.received(), transfer.end());
        let ended = self.connection.finish(self.net, transfer, false).await?;
        if !ended.is_done() {
            return Err(self.broken_off(received, &ended));
        }
        let Some((transfer, names)) = self.list_names(None).await? else {
            // The listing is shown as it came.
            self.begin(page_head, messages).await?;
            self.sink.octets(head.octets).await?;
            return Ok(TargetOutcome::Complete(end));
        };
        let format = Some(Format::Names);
        let page_head = PageHead {
            real: page_head.real,
            lacks_hidden: true,
            ..self.listing(format)
        };
        self.begin(page_head, messages).await?;
        self.entries(transfer, names, format).await
    }

    /// Begins the page of a listing, with the server's messages.
    async fn begin(
        &mut self,
        page_head: PageHead,
        messages: DirectoryMessages,
    ) -> Result<(), Stop> {
        self.sink.begin(page_head).await?;
        self.remark_on(messages).await
    }

    /// Forwards the entries of a listing, `head` first, and what is found out by them.
    async fn entries(
        &mut self,
        transfer: Transfer,
        head: Vec<u8>,
        format: Option<Format>,
    ) -> Result<TargetOutcome, TargetError> {
        let mut readme = ReadmeFinder::new(format, today());
        let (mut first, mut listing) = (Vec::new(), Vec::new());
        let mut watch = |octets: &[u8]| {
            readme.take(octets);
            if first.is_empty() {
                first = octets.to_vec();
            }
            if listing.len() <= MAX_NAMES_BYTES {
                listing.extend_from_slice(octets);
            }
        };
        watch(&head);
        let ended = self.stream(transfer, head, watch).await?;
        let ended = self.send_names(ended, &listing, format).await?;
        let ended = self.send_clock(ended, &first, format).await?;
        self.send_readme(ended, &mut readme).await
    }

    /// Asks for the names of a directory once, if its listing has lines that cannot be parsed, and sends those that no
    /// other line has.
    async fn send_names(
        &mut self,
        ended: TargetOutcome,
        listing: &[u8],
        format: Option<Format>,
    ) -> Result<TargetOutcome, TargetError> {
        let is_checked = self.request.purpose == Purpose::Check;
        let is_left_out = format == Some(Format::Names) || listing.len() > MAX_NAMES_BYTES;
        let (TargetOutcome::Complete(end), false) = (&ended, is_checked || is_left_out) else {
            return Ok(ended);
        };
        let lines = lines(listing, true);
        // To parse all lines of a large listing again takes longer.
        let is_readable = |line: &&[u8]| {
            line.trim_ascii().is_empty() || format.is_some_and(|format| format.is_readable(line))
        };
        if lines.iter().all(is_readable)
            || parsed(&lines, format).all(|line| line != Line::Unrecognized)
        {
            return Ok(ended);
        }
        let reading = timeout(
            TIME_LIMIT.min(self.net.limits().idle),
            all_names(self.net, &mut self.connection),
        );
        let Ok(Ok(names)) = reading.await else {
            return Ok(TargetOutcome::OutOfStep(*end));
        };
        let mut names = UnlistedNames::parse(&names);
        for line in parsed(&lines, format) {
            if let Line::Entry(entry) = line {
                names.remove(entry.name);
            }
        }
        self.sink.put(Part::Names(names)).await?;
        Ok(ended)
    }

    /// Reads the beginning of a listing: up to the first entry, or all of it when no line is an entry.
    async fn head(
        &mut self,
        transfer: &mut Transfer,
        format: Option<Format>,
    ) -> Result<ListingHead, TargetError> {
        let room = match self.request.purpose {
            Purpose::Show => MAX_UNPARSED_BYTES,
            Purpose::Save | Purpose::Picture | Purpose::Check => self.net.limits().page,
        };
        let mut octets = Vec::new();
        // Parsed again when it is twice as long, so that each line is parsed only a few times.
        let mut next = 0;
        loop {
            let more = self.connection.read(self.net, transfer).await?;
            let is_end = more.is_empty();
            octets.extend(more);
            if octets.len() >= next || is_end {
                next = octets.len() * 2;
                let lines = lines(&octets, is_end);
                let is_readable = holds_entry(&lines, format)
                    || is_end && lines.iter().all(|line| line.trim_ascii().is_empty());
                if is_readable || is_end {
                    return Ok(ListingHead {
                        octets,
                        is_readable,
                    });
                }
            }
            if octets.len() as u64 > room {
                return Ok(ListingHead {
                    octets,
                    is_readable: true,
                });
            }
        }
    }

    /// Runs NLST for the connection's directory, or for a name, and returns its first names; None when the server sends
    /// none.
    pub(super) async fn list_names(
        &mut self,
        name: Option<&[u8]>,
    ) -> Result<Option<(Transfer, Vec<u8>)>, TargetError> {
        let DataReply::Transfer(mut transfer) = self.connection.names(self.net, name).await? else {
            return Ok(None);
        };
        let head = self.connection.read(self.net, &mut transfer).await?;
        if head.is_empty() {
            self.connection.finish(self.net, transfer, true).await?;
            return Ok(None);
        }
        Ok(Some((transfer, head)))
    }

    pub(super) fn listing(&self, format: Option<Format>) -> PageHead {
        let found = self.found.as_ref();
        let url = found.unwrap_or(&self.request.url);
        let today = today();
        let shape = Shape::Listing {
            format,
            today,
            place: ListingPlace::Server,
        };
        PageHead {
            // The URL of a path that is a directory gets the type of a directory.
            url: (!self.target.name.is_empty())
                .then(|| url.with_type(FtpType::Directory).ok())
                .flatten()
                .filter(|typed| typed != url)
                .or_else(|| found.cloned()),
            security: self.connection.security(),
            ..PageHead::new(shape).with_title(self.target.title())
        }
    }
}

/// Returns the complete lines of a listing.
pub(super) fn lines(octets: &[u8], is_end: bool) -> Vec<&[u8]> {
    let whole = match memchr::memrchr(b'\n', octets) {
        _ if is_end => octets,
        Some(end) => octets.get(..end).unwrap_or(octets),
        None => b"",
    };
    octets::lines(whole).collect()
}

/// Returns true if one of these lines is readable: as an entry, or as a line that is not an entry by design.
fn holds_entry(lines: &[&[u8]], format: Option<Format>) -> bool {
    let mut parsed = parsed(lines, format).zip(lines);
    parsed.any(|(line, octets)| match line {
        Line::Entry(_) => true,
        Line::Metadata => !octets.trim_ascii().is_empty(),
        Line::Unrecognized => false,
    })
}

/// Parses these lines of a listing; a blank one is no entry by design.
fn parsed<'a>(lines: &[&'a [u8]], format: Option<Format>) -> impl Iterator<Item = Line<'a>> {
    let guess = || Format::guess(lines.iter().copied().take(SAMPLE));
    let (format, today) = (format.unwrap_or_else(guess), today());
    let line = |number: usize| lines.get(number).copied();
    let parse = move |(number, &octets): (usize, &&'a [u8])| {
        if octets.trim_ascii().is_empty() {
            return Line::Metadata;
        }
        let before = number.checked_sub(1).and_then(line);
        format.joined(before, octets, line(number + 1), today)
    };
    lines.iter().enumerate().map(parse)
}

/// The most octets of a listing that are checked before it is shown.
const MAX_CHECKED_BYTES: usize = 1024 * 1024;

impl TargetJob<'_> {
    /// Lists a name that is not a directory, but may be a pattern.
    pub(super) async fn names(
        &mut self,
        at: usize,
        refusal: &Reply,
    ) -> Result<TargetOutcome, TargetError> {
        let name = self.target.name.clone();
        if !is_pattern(&name) || at + 1 < self.target.path().len() {
            return Ok(self.refused(refusal));
        }
        self.sink.phase(Phase::Waiting).await?;
        let (found, format) = match self.list_matching(&name).await? {
            Some(found) => (Some(found), None),
            None => (self.list_names(Some(&name)).await?, Some(Format::Names)),
        };
        // No name may match: many servers answer with an empty list.
        let Some((transfer, head)) = found else {
            return Ok(self.refused(refusal));
        };
        if format.is_some() && is_itself(&head, &name) {
            let ended = self.connection.finish(self.net, transfer, false).await?;
            if !ended.is_done() {
                return self.refused_after_start(&ended);
            }
            return Ok(self.refused(refusal));
        }
        let page_head = PageHead {
            url: self.request.url.up(),
            ..self.listing(format)
        };
        self.sink.begin(page_head).await?;
        self.stream(transfer, head, |_| {}).await
    }

    /// Runs LIST for a pattern and returns its beginning, all of it as a rule; None if that is no list of matching
    /// entries.
    async fn list_matching(
        &mut self,
        pattern: &[u8],
    ) -> Result<Option<(Transfer, Vec<u8>)>, TargetError> {
        let answer = self.connection.list_pattern(self.net, pattern).await?;
        let DataReply::Transfer(mut transfer) = answer else {
            return Ok(None);
        };
        let mut octets = Vec::new();
        let mut is_end = false;
        while !is_end && octets.len() <= MAX_CHECKED_BYTES {
            let more = self.connection.read(self.net, &mut transfer).await?;
            is_end = more.is_empty();
            octets.extend(more);
        }
        if !is_end || are_matches(&lines(&octets, is_end), pattern, today()) {
            return Ok(Some((transfer, octets)));
        }
        self.connection.finish(self.net, transfer, false).await?;
        Ok(None)
    }
}

/// Returns true if a name may be a pattern of the server.
fn is_pattern(name: &[u8]) -> bool {
    name.iter().any(|octet| b"*?[".contains(octet))
}

/// Returns true if the names are one, and that one is the requested name: a directory or a file with the signs of a
/// pattern in its name.
fn is_itself(names: &[u8], name: &[u8]) -> bool {
    let mut names = octets::lines(names).filter(|line| !line.trim_ascii().is_empty());
    names.next() == Some(name) && names.next().is_none()
}

/// Returns true if these lines are entries whose names match the pattern; at least one other than the pattern itself.
fn are_matches(lines: &[&[u8]], pattern: &[u8], today: Day) -> bool {
    let format = Format::guess(lines.iter().copied().take(SAMPLE));
    let mut found = false;
    let only_matches = lines.iter().all(|line| match format.line(line, today) {
        Line::Entry(entry) => {
            found |= entry.name != pattern;
            glob(pattern, entry.name)
        }
        Line::Metadata => true,
        Line::Unrecognized => line.trim_ascii().is_empty(),
    });
    found && only_matches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listing_is_readable_when_one_line_is() {
        let readable = |text: &str| holds_entry(&lines(text.as_bytes(), true), None);
        assert!(readable("-rw-r--r-- 1 a b 5 Nov 20 10:00 x\r\n"));
        assert!(readable(
            "What is here:\r\n-rw-r--r-- 1 a b 5 Nov 20 10:00 x\r\n"
        ));
        assert!(readable("total 0\r\n"), "an empty directory");
        assert!(!readable("apples\r\npears.txt\r\n"));
        assert!(!readable(""));
        assert_eq!(lines(b"a\nb", false), [b"a"]);
        assert_eq!(lines(b"a\nb", true), [b"a", b"b"]);
    }

    #[test]
    fn contents_of_a_matching_directory_are_no_matches() {
        let are = |text: &str, pattern: &[u8]| {
            are_matches(&lines(text.as_bytes(), true), pattern, Day::default())
        };
        let entry = "-rw-r--r-- 1 ftp ftp 12 Mar 14 1994 ";
        assert!(are(&format!("{entry}a.txt\r\n{entry}b.txt\r\n"), b"*.txt"));
        assert!(are(&format!("total 2\r\n{entry}a.txt\r\n"), b"?.*"));
        assert!(!are(&format!("{entry}a.txt\r\n"), b"doc*"), "a content");
        assert!(
            !are(&format!("docs:\r\n{entry}docs\r\n"), b"doc*"),
            "a heading"
        );
        assert!(!are("a.txt\r\nb.txt\r\n", b"*.txt"), "names alone");
        assert!(!are("total 0\r\n", b"*.txt"));
        assert!(!are(&format!("{entry}a*\r\n"), b"a*"), "the directory");
        assert!(are(&format!("{entry}a*\r\n{entry}ab\r\n"), b"a*"));
        assert!(!are("", b"*.txt"));
    }
}
