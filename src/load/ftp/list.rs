//! A directory: its listing, and its names where no line of that can be read.

use super::command::{Broken, Ended, Heard, Visit};
use super::readme::Readme;
use crate::document::Shape;
use crate::load::day::today;
use crate::load::{Begin, Phase, Purpose};
use crate::protocol::ftp::listing::{Format, Line, SAMPLE};
use crate::protocol::ftp::{Answer, Reply, Transfer};
use crate::url::FtpType;

/// Octets of a listing without an entry that a page waits for.
const UNREADABLE: u64 = 64 * 1024;

/// The beginning of a listing.
struct Head {
    octets: Vec<u8>,
    /// Whether there is an entry in it, or nothing at all.
    is_readable: bool,
}

impl Visit<'_> {
    /// Lists the directory that the session is in: by names alone where nothing else of it can be read.
    pub(super) async fn list(&mut self, heard: Heard) -> Result<Ended, Broken> {
        self.sink.phase(Phase::Waiting).await?;
        let real = match self.request.purpose {
            // A walk knows by it where it has been.
            Purpose::Save => self.session.place_now().await?,
            Purpose::Show => None,
        };
        let (answer, format) = self.session.list(self.net).await?;
        let begin = Begin {
            real,
            ..self.listing(format)
        };
        match answer {
            Answer::Refused(reply) => Ok(self.refused(&reply)),
            Answer::Empty => {
                self.sink.begin(begin).await?;
                self.remark_on(heard).await?;
                Ok(Ended::Whole)
            }
            Answer::Transfer(mut transfer) => {
                let head = self.head(&mut transfer, format).await?;
                let (transfer, begin, head, format) = if head.is_readable {
                    (transfer, begin, head.octets, format)
                } else {
                    let received = transfer.received();
                    let ended = self.session.finish(self.net, transfer, false).await?;
                    if !ended.is_done() {
                        return Err(self.broken_off(received, &ended));
                    }
                    let Some((transfer, names)) = self.names_here().await? else {
                        // It is shown as it came.
                        self.sink.begin(begin).await?;
                        self.remark_on(heard).await?;
                        self.sink.octets(head.octets).await?;
                        return Ok(Ended::Whole);
                    };
                    let format = Some(Format::Names);
                    let real = begin.real;
                    let begin = Begin {
                        real,
                        ..self.listing(format)
                    };
                    (transfer, begin, names, format)
                };
                self.sink.begin(begin).await?;
                self.remark_on(heard).await?;
                let mut readme = Readme::new(format);
                let mut first = Vec::new();
                let mut watch = |octets: &[u8]| {
                    readme.take(octets);
                    if first.is_empty() {
                        first = octets.to_vec();
                    }
                };
                watch(&head);
                let ended = self.stream(transfer, head, None, watch).await?;
                let ended = self.tell_clock(ended, &first, format).await?;
                self.tell_readme(ended, &mut readme).await
            }
        }
    }

    /// The beginning of a listing: as much of it as shows an entry, or all of it where no line is one.
    async fn head(&self, transfer: &mut Transfer, format: Option<Format>) -> Result<Head, Broken> {
        let room = match self.request.purpose {
            Purpose::Show => UNREADABLE,
            Purpose::Save => self.net.limits().page,
        };
        let mut octets = Vec::new();
        // Looked at again when it is twice as long: each line no more than a few times.
        let mut next = 0;
        loop {
            let more = transfer.read(self.net).await?;
            let is_end = more.is_empty();
            octets.extend(more);
            if octets.len() >= next || is_end {
                next = octets.len() * 2;
                let lines = lines(&octets, is_end);
                let is_readable = holds_entry(&lines, format)
                    || is_end && !lines.iter().any(|line| !line.trim_ascii().is_empty());
                if is_readable || is_end {
                    return Ok(Head {
                        octets,
                        is_readable,
                    });
                }
            }
            if octets.len() as u64 > room {
                let is_readable = true;
                return Ok(Head {
                    octets,
                    is_readable,
                });
            }
        }
    }

    /// NLST of the directory that the session is in, and its first names; nothing where the server gives none.
    async fn names_here(&mut self) -> Result<Option<(Transfer, Vec<u8>)>, Broken> {
        let Answer::Transfer(mut transfer) = self.session.names(self.net, None).await? else {
            return Ok(None);
        };
        let head = transfer.read(self.net).await?;
        if head.is_empty() {
            self.session.finish(self.net, transfer, true).await?;
            return Ok(None);
        }
        Ok(Some((transfer, head)))
    }

    /// NLST of a name that is no directory, but may be a pattern of the server's (RFC 1738, section 3.2.2).
    pub(super) async fn names(&mut self, at: usize, refusal: &Reply) -> Result<Ended, Broken> {
        let name = self.target.name.clone();
        if name.is_empty() || at + 1 < self.target.path().len() {
            return Ok(self.refused(refusal));
        }
        self.sink.phase(Phase::Waiting).await?;
        let Answer::Transfer(mut transfer) = self.session.names(self.net, Some(&name)).await?
        else {
            return Ok(self.refused(refusal));
        };
        let head = transfer.read(self.net).await?;
        if head.is_empty() {
            // Nothing is called that, which many servers say by a list of nothing.
            self.session.finish(self.net, transfer, true).await?;
            return Ok(self.refused(refusal));
        }
        let begin = Begin {
            url: self.request.url.up(),
            ..self.listing(Some(Format::Names))
        };
        self.sink.begin(begin).await?;
        self.stream(transfer, head, None, |_| {}).await
    }

    fn listing(&self, format: Option<Format>) -> Begin {
        let url = &self.request.url;
        Begin {
            // A path that turned out to be a directory is called one from now on.
            url: (!self.target.name.is_empty())
                .then(|| url.with_type(FtpType::Directory).ok())
                .flatten()
                .filter(|typed| typed != url),
            title: Some(self.target.title()),
            security: self.session.security(),
            ..Begin::new(Shape::Listing {
                format,
                today: today(),
            })
        }
    }
}

/// The lines of a listing that have come to their end.
fn lines(octets: &[u8], is_end: bool) -> Vec<&[u8]> {
    let whole = match memchr::memrchr(b'\n', octets) {
        _ if is_end => octets,
        Some(end) => octets.get(..end).unwrap_or(octets),
        None => b"",
    };
    let lines = whole.split(|&octet| octet == b'\n');
    lines
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
        .collect()
}

/// Whether one of these lines can be read: as an entry, or as one that is none by design.
fn holds_entry(lines: &[&[u8]], format: Option<Format>) -> bool {
    let guess = || Format::guess(lines.iter().copied().take(SAMPLE));
    let (format, today) = (format.unwrap_or_else(guess), today());
    let line = |number: usize| lines.get(number).copied();
    lines.iter().enumerate().any(|(number, &octets)| {
        let before = number.checked_sub(1).and_then(line);
        match format.joined(before, octets, line(number + 1), today) {
            Line::Entry(_) => true,
            Line::Aside => !octets.is_empty(),
            Line::Odd => false,
        }
    })
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
}
