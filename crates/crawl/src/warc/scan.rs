//! An archive that is read before it is appended to: where its last whole member ends, and which answers it has.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use flate2::bufread::GzDecoder;

use super::record::{Digest, MAX_STATUS_BYTES};
use super::{StoredAnswer, WarcError, is_page};

/// The longest head of a record.
const MAX_HEAD_BYTES: u64 = 64 * 1024;

/// The beginning of every record.
const MAGIC: &[u8] = b"WARC/1.";

/// The first octets of a member of gzip.
const GZIP: [u8; 2] = [0x1F, 0x8B];

/// What an archive has.
#[derive(Debug, Default)]
pub(super) struct Scan {
    /// The octets of its whole members.
    pub(super) length: u64,
    /// The id of its first `warcinfo` record.
    pub(super) info: Option<String>,
    pub(super) answers: HashMap<String, StoredAnswer>,
}

/// A record of an archive, as far as it concerns the next run.
struct ScannedRecord {
    fields: Vec<(String, String)>,
    /// The beginning of its block.
    start: Vec<u8>,
}

impl ScannedRecord {
    fn field(&self, name: &str) -> Option<&str> {
        let mut fields = self.fields.iter();
        let field = fields.find(|(field, _)| field.eq_ignore_ascii_case(name));
        field.map(|(_, value)| value.as_str())
    }

    fn answer(&self) -> Option<(String, StoredAnswer)> {
        let target = self.field("WARC-Target-URI")?;
        let digest = self.field("WARC-Payload-Digest");
        let digest = digest.or_else(|| self.field("WARC-Block-Digest"))?;
        let is_whole = self.field("WARC-Truncated").is_none();
        let answer = StoredAnswer {
            digest: Digest::parsed(digest),
            bytes: self.field("Content-Length")?.parse().ok()?,
            date: self.field("WARC-Date")?.to_owned(),
            is_page: is_whole && is_page(target, &self.start),
        };
        Some((target.to_owned(), answer))
    }
}

/// A reader that counts what is consumed.
struct Counted<R> {
    reader: R,
    position: u64,
}

impl<R: BufRead> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.reader.read(buffer)?;
        self.position += length as u64;
        Ok(length)
    }
}

impl<R: BufRead> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.reader.fill_buf()
    }

    fn consume(&mut self, length: usize) {
        self.reader.consume(length);
        self.position += length as u64;
    }
}

/// Reads an archive. An incomplete member at its end is not counted.
pub(super) fn scan(mut file: &File, shown: &dyn Fn() -> String) -> Result<Scan, WarcError> {
    let to_error = |source| WarcError::Io {
        path: shown(),
        source,
    };
    file.seek(SeekFrom::Start(0)).map_err(to_error)?;
    let mut reader = Counted {
        reader: BufReader::with_capacity(64 * 1024, file),
        position: 0,
    };
    let mut scan = Scan::default();
    // The response whose request has not come: without it the exchange is not complete.
    let mut pending = None;
    loop {
        let ahead = reader.fill_buf().map_err(to_error)?;
        if ahead.is_empty() {
            break;
        }
        let is_gzip = ahead.iter().zip(GZIP).all(|(one, other)| *one == other);
        let member = is_gzip.then(|| read_member(&mut reader));
        match member.unwrap_or(Err(MemberError::Foreign)) {
            Ok(record) => {
                scan.length = reader.position;
                add(&mut scan, &record, &mut pending);
            }
            Err(MemberError::Incomplete) => break,
            Err(MemberError::Foreign) if scan.length == 0 => {
                return Err(WarcError::Foreign { path: shown() });
            }
            Err(MemberError::Foreign) => {
                return Err(WarcError::Damaged {
                    path: shown(),
                    position: scan.length,
                });
            }
            Err(MemberError::Io(source)) => return Err(to_error(source)),
        }
    }
    Ok(scan)
}

fn add(
    scan: &mut Scan,
    record: &ScannedRecord,
    pending: &mut Option<(String, (String, StoredAnswer))>,
) {
    let id = record
        .field("WARC-Record-ID")
        .unwrap_or_default()
        .to_owned();
    match record.field("WARC-Type") {
        Some("warcinfo") if scan.info.is_none() => scan.info = Some(id),
        Some("response") => *pending = record.answer().map(|answer| (id, answer)),
        Some("request") => {
            if let Some((response, (target, answer))) = pending.take()
                && record.field("WARC-Concurrent-To") == Some(&response)
            {
                scan.answers.insert(target, answer);
            }
        }
        Some("resource") => scan.answers.extend(record.answer()),
        _ => {}
    }
}

/// The reason why a member is not read.
enum MemberError {
    /// The file ends in it.
    Incomplete,
    /// It is no record, or damaged.
    Foreign,
    Io(io::Error),
}

/// Reads a member.
fn read_member(reader: &mut Counted<impl BufRead>) -> Result<ScannedRecord, MemberError> {
    let mut member = BufReader::new(GzDecoder::new(reader));
    let mut read = Vec::new();
    let record = read_record(&mut member, &mut read);
    // Of a member that is cut only the beginning can be judged.
    let length = read.len().min(MAGIC.len());
    let is_record = read.get(..length) == MAGIC.get(..length);
    match record {
        Ok(record) if is_record => Ok(record),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof && is_record => {
            Err(MemberError::Incomplete)
        }
        Err(error)
            if !matches!(
                error.kind(),
                io::ErrorKind::UnexpectedEof
                    | io::ErrorKind::InvalidInput
                    | io::ErrorKind::InvalidData
            ) =>
        {
            Err(MemberError::Io(error))
        }
        Ok(_) | Err(_) => Err(MemberError::Foreign),
    }
}

/// Reads the record of a member up to the end of the member, whose checksum is compared; its head goes to `head`.
fn read_record(member: &mut impl BufRead, head: &mut Vec<u8>) -> io::Result<ScannedRecord> {
    let mut fields = Vec::new();
    let mut lines = member.take(MAX_HEAD_BYTES);
    loop {
        let start = head.len();
        lines.read_until(b'\n', head)?;
        let line = head.get(start..).unwrap_or_default().trim_ascii();
        if line.is_empty() {
            break;
        }
        let line = String::from_utf8_lossy(line);
        if let Some((name, value)) = line.split_once(':') {
            fields.push((name.to_owned(), value.trim().to_owned()));
        }
    }
    let mut start = Vec::new();
    member
        .take(MAX_STATUS_BYTES as u64)
        .read_to_end(&mut start)?;
    io::copy(member, &mut io::sink())?;
    Ok(ScannedRecord { fields, start })
}
