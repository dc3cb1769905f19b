//! The parts of a record: its head, its id and date, the digests of its block, and what it may not contain.

use std::fmt;
use std::io::{self, Read, SeekFrom};
use std::time::SystemTime;

use jiff::Timestamp;
use ring::digest::{Context, SHA1_FOR_LEGACY_USE_ONLY};
use ring::rand::{SecureRandom, SystemRandom};

use super::ReadSeek;

/// The address of the standard, as records name it.
pub(super) const WARC_STANDARD: &str =
    "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/";

/// The first line of a record.
pub(super) const VERSION: &str = "WARC/1.1";

/// The longest head of an HTTP message that is looked at.
pub(super) const MAX_HEAD_BYTES: usize = 64 * 1024;

/// The digits of base32 (RFC 4648, section 6).
const BASE32: [u8; 32] = *b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// A SHA-1 digest. It is written as `sha1:` and 32 digits of base32, as archives have it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Digest(String);

impl Digest {
    /// Computes the digest of these octets.
    pub fn of(octets: &[u8]) -> Self {
        let mut context = new_context();
        context.update(octets);
        Self::from(context)
    }

    /// Returns a digest as it is written.
    pub(super) fn parsed(written: &str) -> Self {
        Self(written.to_owned())
    }
}

impl From<Context> for Digest {
    fn from(context: Context) -> Self {
        let digest = context.finish();
        let digits = digest.as_ref().chunks(5).flat_map(|five| {
            let number = five
                .iter()
                .fold(0_u64, |sum, octet| sum << 8 | u64::from(*octet));
            (0..8).rev().map(move |place| number >> (5 * place) & 31)
        });
        let digits = digits.filter_map(|digit| BASE32.get(usize::try_from(digit).ok()?));
        let digits: String = digits.map(|digit| char::from(*digit)).collect();
        Self(format!("sha1:{digits}"))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn new_context() -> Context {
    Context::new(&SHA1_FOR_LEGACY_USE_ONLY)
}

/// The digests of a block, and its beginning.
#[derive(Debug)]
pub(super) struct BlockDigests {
    pub(super) block: Digest,
    /// The digest of what follows the head; `None` if the block is no message of HTTP.
    pub(super) payload: Option<Digest>,
    /// The head of a message of HTTP, else the first octets.
    pub(super) head: Vec<u8>,
}

/// Reads a block of this size and computes its digests.
///
/// # Errors
/// Errors of the system.
pub(super) fn digests(
    block: &mut dyn ReadSeek,
    bytes: u64,
    is_web: bool,
) -> io::Result<BlockDigests> {
    block.seek(SeekFrom::Start(0))?;
    let mut block = block.take(bytes);
    let mut head = Vec::new();
    block
        .by_ref()
        .take(MAX_HEAD_BYTES as u64)
        .read_to_end(&mut head)?;
    let mut whole = new_context();
    whole.update(&head);
    let body = Some(head_bytes(&head)).filter(|_| is_web && head.starts_with(b"HTTP/"));
    let mut payload = body.map(|at| {
        let mut payload = new_context();
        payload.update(head.get(at..).unwrap_or_default());
        payload
    });
    let mut octets = vec![0; 64 * 1024];
    loop {
        let length = block.read(&mut octets)?;
        let read = octets.get(..length).unwrap_or_default();
        if read.is_empty() {
            break;
        }
        whole.update(read);
        if let Some(payload) = &mut payload {
            payload.update(read);
        }
    }
    head.truncate(body.unwrap_or(MAX_STATUS_BYTES));
    Ok(BlockDigests {
        block: Digest::from(whole),
        payload: payload.map(Digest::from),
        head,
    })
}

/// The longest status line that is looked at.
pub(super) const MAX_STATUS_BYTES: usize = 1024;

/// Returns the size of the head of a message of HTTP, with its empty line.
pub(super) fn head_bytes(octets: &[u8]) -> usize {
    let mut at = 0;
    for line in octets.split_inclusive(|octet| *octet == b'\n') {
        at += line.len();
        if line.trim_ascii().is_empty() {
            break;
        }
    }
    at
}

/// Returns why an exchange of HTTP is not for others: it has a login or a cookie of ours, or its server forbids storing
/// it.
pub(super) fn is_private(request: &[u8], response: &[u8]) -> Option<&'static str> {
    let has = |head: &[u8], name: &str, value: &str| {
        fields(head).any(|(field, written)| {
            let written = String::from_utf8_lossy(written).to_ascii_lowercase();
            field.eq_ignore_ascii_case(name.as_bytes()) && written.contains(value)
        })
    };
    if has(request, "authorization", "") || has(request, "cookie", "") {
        return Some("it needs a login");
    }
    has(response, "cache-control", "no-store").then_some("its server forbids storing it")
}

/// Returns a request without the login of a proxy, which is for that proxy alone.
pub(super) fn without_proxy_login(request: &[u8]) -> Vec<u8> {
    let (head, body) = request.split_at(head_bytes(request));
    let lines = head.split_inclusive(|octet| *octet == b'\n');
    let is_login = |line: &&[u8]| {
        let mut parts = line.splitn(2, |octet| *octet == b':');
        let name = parts.next().unwrap_or_default();
        name.eq_ignore_ascii_case(b"proxy-authorization")
    };
    let kept = lines.filter(|line| !is_login(line));
    kept.chain([body]).flatten().copied().collect()
}

/// Returns the fields of a head.
fn fields(head: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let head = head.get(..head_bytes(head)).unwrap_or_default();
    head.split(|octet| *octet == b'\n')
        .skip(1)
        .filter_map(|line| {
            let colon = line.iter().position(|octet| *octet == b':')?;
            let (name, value) = line.split_at(colon);
            Some((name.trim_ascii(), value.get(1..)?))
        })
}

/// The head of a record.
pub(super) struct RecordHead(String);

impl RecordHead {
    pub(super) fn new(kind: &str, id: &str, time: SystemTime) -> Self {
        let mut head = Self(format!("{VERSION}\r\n"));
        head.field("WARC-Type", kind);
        head.field("WARC-Record-ID", id);
        head.field("WARC-Date", &date(time));
        head
    }

    /// Adds a field. Its value has no line ends: it is a URL, or our own.
    pub(super) fn field(&mut self, name: &str, value: &str) {
        let value: String = value.chars().filter(|sign| !sign.is_control()).collect();
        self.0.push_str(name);
        self.0.push_str(": ");
        self.0.push_str(&value);
        self.0.push_str("\r\n");
    }

    /// Returns the text, with its empty line.
    pub(super) fn text(&self) -> String {
        format!("{}\r\n", self.0)
    }
}

/// Returns a time in UTC, in seconds.
pub(super) fn date(time: SystemTime) -> String {
    let time = Timestamp::try_from(time).unwrap_or_default();
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Returns a new id: a random UUID (RFC 9562, section 5.4).
pub(super) fn new_id() -> io::Result<String> {
    let mut octets = [0; 16];
    let filled = SystemRandom::new().fill(&mut octets);
    filled.map_err(|_| io::Error::other("the system has no random numbers"))?;
    let number = u128::from_be_bytes(octets);
    let number = number & !(0xF << 76) | 4 << 76;
    let number = number & !(3 << 62) | 2 << 62;
    let digits = format!("{number:032x}");
    let mut rest = digits.as_str();
    let mut groups = Vec::new();
    for length in [8, 4, 4, 4, 12] {
        let (group, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
        groups.push(group);
        rest = after;
    }
    Ok(format!("<urn:uuid:{}>", groups.join("-")))
}
