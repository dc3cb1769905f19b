//! Listing of a directory in a walk, its entries, and the comparison of one with its local file.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZeroU64;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::sync::Arc;

use geomys_load::{Failure, PageHead, Part, Request, ResumeRequest, SaveRequest, Stop, Version};
use geomys_page::archive::segments;
use geomys_page::document::{Document, Kind, LineBuffer, Remark, Shape};
use geomys_wire::net::{Net, TransferEnd};
use geomys_wire::protocol::ftp::listing;
use geomys_wire::protocol::ftp::listing::{Date, DateRules, Format, Line, SAMPLE, UnlistedNames};
use geomys_wire::task::blocking;
use geomys_wire::text::{Charset, Text};
use rfc1738::{Parts, Url};

use geomys_store::transfer::download::EventReport;
use geomys_store::transfer::load_parts;
use geomys_store::transfer::retry::{RetryPolicy, RetryState, retries_of, wait};

/// Parsed listing of a directory.
#[derive(Debug)]
pub(super) struct ParsedListing {
    /// Real path from the server.
    pub(super) real: Option<Vec<u8>>,
    /// True if names that begin with a dot may be missing.
    pub(super) lacks_hidden: bool,
    /// Entries, sorted by name.
    pub(super) items: Vec<RemoteItem>,
    /// Charset of the names that are not UTF-8.
    pub(super) charset: Charset,
    /// Charset that the directories below are expected to have.
    pub(super) expected_charset: Option<Charset>,
    /// Lines that could not be parsed, with the reason.
    pub(super) unreadable: Vec<(Text, String)>,
    /// End of its transfer.
    pub(super) end: TransferEnd,
    /// Octets as the server sent them.
    pub(super) octets: LineBuffer,
}

/// Entry of a listing. A listing may have a million.
#[derive(Debug)]
pub(super) struct RemoteItem {
    /// Name from the server; in a walk the local name, which most entries share with it.
    pub(super) name: Box<OsStr>,
    pub(super) kind: ItemKind,
    pub(super) url: Url,
    pub(super) size: Option<u64>,
    pub(super) modified: Option<ModifiedTime>,
    pub(super) size_reliability: SizeReliability,
}

/// Modification time: the number that its digits in the format of [`Version`] are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ModifiedTime(NonZeroU64);

impl ModifiedTime {
    fn new(Date { day, time, .. }: Date) -> Option<Self> {
        let time = time?;
        let parts = [day.month, day.day, time.hour, time.minute, time.second];
        let digits = parts.into_iter().fold(u64::from(day.year), |digits, part| {
            digits * 100 + u64::from(part)
        });
        NonZeroU64::new(digits).map(Self)
    }

    /// Returns the time in the format of [`Version`].
    pub(super) fn digits(self) -> String {
        format!("{:014}", self.0)
    }
}

/// Reliability of the size of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SizeReliability {
    /// The listing shows octets.
    Octets,
    /// The listing shows another unit, or nothing.
    Estimate,
}

impl RemoteItem {
    /// Returns the version of a file as its listing shows it; `None` if the server has to be asked.
    pub(super) fn version(&self) -> Option<Version> {
        (self.size_reliability == SizeReliability::Octets).then(|| Version {
            size: self.size,
            modified: self.modified.map(ModifiedTime::digits),
            tag: None,
        })
    }
}

/// Kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ItemKind {
    Directory,
    /// File, or a link to a file.
    File,
}

/// Loads a listing, with retries when the connection fails.
pub(super) async fn list(
    net: &Net,
    request: Request,
    retry_policy: &RetryPolicy,
    report: &mut EventReport<'_>,
) -> Result<ParsedListing, Stop> {
    let mut retries = retries_of(net, &request);
    loop {
        match list_once(net, request.clone(), &mut retries).await {
            Ok((begin, raw, names, remarks, end)) => {
                let mut listed = read(begin, raw, names, end, &request).await;
                if matches!(request.url.base_parts(), Parts::File(_)) {
                    // A local directory has one kind of remark: about entries without a line.
                    let to_pair = |remark: &Remark| {
                        let why = Text::new(remark.octets.trim_ascii(), Charset::default());
                        (Text::of(&request.url.masked()), why.to_string())
                    };
                    listed.unreadable.extend(remarks.iter().map(to_pair));
                }
                return Ok(listed);
            }
            Err(Stop::Failed(failure)) => match retries.wait(&failure, retry_policy) {
                Some(time) => wait(time, &failure.reason(), report).await,
                None => return Err(Stop::Failed(failure)),
            },
            Err(stop) => return Err(stop),
        }
    }
}

async fn list_once(
    net: &Net,
    request: Request,
    retries: &mut RetryState,
) -> Result<
    (
        PageHead,
        LineBuffer,
        UnlistedNames,
        Vec<Remark>,
        TransferEnd,
    ),
    Stop,
> {
    let cap = net.limits().list;
    load_parts(net, request, async |mut parts| {
        let mut header = None;
        let mut raw = LineBuffer::default();
        let (mut remarks, mut names) = (Vec::new(), UnlistedNames::default());
        while let Some(part) = parts.recv().await {
            match part {
                Part::Phase(_)
                | Part::Terminal(_)
                | Part::Clock(_)
                | Part::Size(_)
                | Part::Hole(_)
                | Part::Covered(_) => {}
                Part::Remark(remark) => remarks.push(remark),
                Part::Names(unlisted) => names = unlisted,
                Part::Head(begin) => {
                    retries.connected();
                    if !matches!(begin.shape, Shape::Listing { .. }) {
                        return Err(Failure::new("not a directory").into());
                    }
                    header = Some(begin);
                }
                Part::Octets(octets) if raw.len() as u64 + octets.len() as u64 > cap => {
                    return Err(Stop::Truncated(cap));
                }
                Part::Octets(octets) => raw.take(octets),
                Part::End(end) => {
                    // A question or a failure before the head is the answer.
                    let end = end?;
                    let begin = header.ok_or_else(|| Failure::new("not a directory"));
                    return Ok((begin?, raw, names, remarks, end));
                }
            }
        }
        Err(Stop::Closed)
    })
    .await
}

/// Parses a listing on a blocking task.
async fn read(
    begin: PageHead,
    raw: LineBuffer,
    names: UnlistedNames,
    end: TransferEnd,
    request: &Request,
) -> ParsedListing {
    let url = begin.url.clone().unwrap_or_else(|| request.url.clone());
    let (real, prior) = (begin.real.clone(), request.name_hints.prior);
    let charset = request.name_hints.charset;
    blocking(move || {
        let mut document = Document::new(url, begin.shape, charset);
        document.expect_charset(prior);
        for block in raw.blocks() {
            document.append(block);
        }
        document.set_unlisted_names(names);
        let document = document.finished();
        let (items, unreadable) = items(&document, begin.shape, &raw);
        ParsedListing {
            real,
            lacks_hidden: begin.lacks_hidden,
            items,
            charset: document.charset(),
            expected_charset: document.expected_charset(),
            unreadable,
            end,
            octets: raw,
        }
    })
    .await
}

/// Returns the entries of a listing, and the lines that cannot be parsed.
fn items(
    document: &Document,
    shape: Shape,
    raw: &LineBuffer,
) -> (Vec<RemoteItem>, Vec<(Text, String)>) {
    let mut facts = facts(shape, raw);
    let mut items = Vec::new();
    let mut unreadable = Vec::new();
    for number in 0..document.count() {
        if document.continues(number) {
            continue;
        }
        let Some(row) = document.row(number).filter(|row| row.kind != Kind::Up) else {
            continue;
        };
        let link = document.links(number).into_iter().next();
        let target = match link.map(|link| link.target) {
            Some(Ok(url)) => name(&url).map(|name| (url, name)),
            Some(Err(error)) => {
                unreadable.push((Text::of(&row.text()), error.to_string()));
                continue;
            }
            None => None,
        };
        let Some((url, name)) = target else {
            let why = "this line of the listing cannot be read".to_owned();
            unreadable.push((Text::of(&row.text()), why));
            continue;
        };
        let kind = match row.kind {
            Kind::Menu => ItemKind::Directory,
            _ => ItemKind::File,
        };
        let facts = facts
            .remove(name.as_bytes())
            .filter(|_| row.kind != Kind::Symlink);
        // The facts of a link are not those of its target.
        let (size, modified, size_reliability) =
            facts.unwrap_or((None, None, SizeReliability::Estimate));
        items.push(RemoteItem {
            name,
            kind,
            url,
            size,
            modified,
            size_reliability,
        });
    }
    // Sorted, so that equal local names get the same numbers in every run.
    items.sort_by(|one, other| one.name.cmp(&other.name));
    items.shrink_to_fit();
    (items, unreadable)
}

/// Returns the last path segment of a URL, or of the member of an archive, as octets.
fn name(url: &Url) -> Option<Box<OsStr>> {
    if let Some(member) = url.fragment() {
        let name = segments(&member.octets()).pop()?;
        return Some(OsString::from_vec(name).into());
    }
    let last = match url.base_parts() {
        Parts::Ftp(ftp) => ftp.segments().rev().find(|segment| !segment.is_empty()),
        Parts::File(file) => file.segments().rev().find(|segment| !segment.is_empty()),
        _ => None,
    };
    last.map(|segment| OsStr::from_bytes(&segment.octets()).into())
}

/// Size of a file, its time in UTC, and the reliability of the size.
type Facts = (Option<u64>, Option<ModifiedTime>, SizeReliability);

/// Returns sizes by name, and the times that are certainly in UTC: those of MLSD.
fn facts(shape: Shape, raw: &LineBuffer) -> HashMap<&[u8], Facts> {
    let Shape::Listing { format, today, .. } = shape else {
        return HashMap::new();
    };
    let lines = || raw.lines_from(0);
    let form = format.unwrap_or_else(|| Format::guess(lines().take(SAMPLE)));
    let mut rules = DateRules::from(today);
    if form == Format::Unix {
        lines().for_each(|line| _ = form.learn(line, &mut rules));
    }
    let entries = lines().filter_map(|line| match form.line(line, rules) {
        Line::Entry(entry) => Some(entry),
        Line::Metadata | Line::Unrecognized => None,
    });
    entries
        .map(|entry| {
            let date = entry.date.filter(|_| form == Format::Facts);
            let size = entry.exact_size(form);
            let is_file = entry.kind == listing::Kind::File && size.is_some();
            let size_reliability = match form {
                Format::Facts | Format::Unix if is_file => SizeReliability::Octets,
                _ => SizeReliability::Estimate,
            };
            let modified = date.and_then(ModifiedTime::new);
            (entry.name, (size, modified, size_reliability))
        })
        .collect()
}

/// Returns true if the server reports the time and the size of the local file. Used when the listing has no time in
/// UTC: only the time of this file is requested; nothing is fetched.
pub(super) async fn is_same(net: &Net, request: Request, path: &Path, size: u64) -> bool {
    let Some(modified) = modified_of(path).await else {
        return false;
    };
    let version = Version {
        size: Some(size),
        modified: Some(modified),
        tag: None,
    };
    let request = Request {
        save: SaveRequest {
            resume: Some(ResumeRequest {
                offset: size,
                version,
            }),
            ..request.save
        },
        ..request
    };
    load_parts(net, request, async |mut parts| {
        let mut offset = None;
        while let Some(part) = parts.recv().await {
            match part {
                Part::Head(begin) => offset = Some(begin.offset),
                // The server sends the file: it has ignored the offset.
                Part::Octets(_) => return false,
                Part::End(end) => return end.is_ok() && offset == Some(size),
                Part::Phase(_)
                | Part::Terminal(_)
                | Part::Remark(_)
                | Part::Clock(_)
                | Part::Names(_)
                | Part::Size(_)
                | Part::Hole(_)
                | Part::Covered(_) => {}
            }
        }
        false
    })
    .await
}

/// Returns the modification time of a local file, in the format of servers.
async fn modified_of(path: &Path) -> Option<String> {
    let modified = tokio::fs::metadata(path).await.ok()?.modified().ok()?;
    let instant = jiff::Timestamp::try_from(modified).ok()?;
    Some(instant.strftime("%Y%m%d%H%M%S").to_string())
}

/// Ancestor of a directory in a walk.
pub(super) struct Ancestor {
    /// Real path from the server.
    pub(super) real: Vec<u8>,
    /// Hash of the names in the directory.
    pub(super) names: u64,
    pub(super) parent: Option<Arc<Ancestor>>,
}

impl Ancestor {
    /// Returns true if this directory or an ancestor has the same path and the same names. Both are compared: on some
    /// servers links look like directories and form loops, and other servers report one path for all directories.
    pub(super) fn has(&self, real: &[u8], names: u64) -> bool {
        let mut next = Some(self);
        while let Some(one) = next {
            if one.names == names && one.real == real {
                return true;
            }
            next = one.parent.as_deref();
        }
        false
    }
}

/// Returns a hash of the names in a directory.
pub(super) fn names_of(items: &[RemoteItem]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for item in items {
        item.name.hash(&mut hasher);
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use geomys_wire::protocol::ftp::listing::{Clock, Day, Time};

    use super::*;

    #[test]
    fn time_has_the_digits_of_a_version() {
        let at = |year, time| Date {
            day: Day {
                year,
                month: 2,
                day: 3,
            },
            time,
            clock: Clock::UTC,
        };
        let time = Time {
            hour: 4,
            minute: 5,
            second: 60,
        };
        for (date, expected) in [
            (at(2026, Some(time)), Some("20260203040560")),
            (at(987, Some(time)), Some("09870203040560")),
            (at(2026, None), None),
        ] {
            let time = ModifiedTime::new(date).map(ModifiedTime::digits);
            assert_eq!(time.as_deref(), expected);
        }
    }
}
