//! Names by a pattern of the server, as in `docs/*.txt;type=d` (RFC 1738, section 3.2.2: NLST).
//!
//! LIST of the pattern also gives sizes and dates. It is shown if each of its lines is an entry that matches the pattern:
//! many servers list the contents of a directory that matches. Else NLST gives the names.

use geomys_wire::protocol::ftp::listing::{Day, Format, Line, SAMPLE};
use geomys_wire::protocol::ftp::{DataReply, Reply, Transfer};
use geomys_wire::protocol::nntp::glob;

use super::command::{TargetError, TargetJob, TargetOutcome};
use super::list::lines;
use crate::load::day::today;
use crate::load::{PageHead, Phase};

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
        if name.is_empty() || at + 1 < self.target.path().len() {
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

/// Returns true if these lines are entries whose names match the pattern; at least one.
fn are_matches(lines: &[&[u8]], pattern: &[u8], today: Day) -> bool {
    let format = Format::guess(lines.iter().copied().take(SAMPLE));
    let mut found = false;
    let only_matches = lines.iter().all(|line| match format.line(line, today) {
        Line::Entry(entry) => {
            found = true;
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
        assert!(!are("", b"*.txt"));
    }
}
