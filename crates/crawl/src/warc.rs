//! Archives in WARC/1.1 (ISO 28500), as `geomys get --warc` writes them: one record a member of gzip (RFC 1952).
//!
//! ```text
//! file     = warcinfo *( response request metadata / resource metadata )
//! response = Content-Type: application/SCHEME; msgtype=response    ; the octets of the wire, the request alike
//! metadata = "via: " URL CRLF "fetchTimeMs: " digits CRLF
//! ```
//!
//! The block of a response is what the server sent: the header line of Gemini and the final dot of Gopher too. What has
//! another dialogue, as FTP, is a `resource`: the file alone. Every record has a digest of its block; one of the
//! payload stands where a payload is defined, over http. A record refers to one that stands before it, so no reference
//! leads nowhere.
//!
//! A file that a killed run has left is cut back to its last whole member. An answer that is in the file already is not
//! written again. Nothing with a login, a cookie or a client certificate is written, and nothing that its server
//! forbids to store; values of cookies that a server sets are masked.

mod cookies;
mod record;
mod scan;

use std::collections::HashMap;
use std::fs::{OpenOptions, TryLockError};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use flate2::Compression;
use flate2::write::GzEncoder;
use geomys_store::files::locked_file::LockedFile;
use geomys_wire::net::{Exchange, ExchangeEnd, page_url};
use rfc1738::{Protocol, Url};

use self::cookies::mask_cookies;
use self::record::{BlockDigests, RecordHead, digests, is_private, new_id};
use self::scan::{Scan, scan};

pub use self::record::Digest;

/// An archive that is written, and locked meanwhile.
#[derive(Debug)]
pub struct WarcFile {
    file: LockedFile,
    path: PathBuf,
    /// The octets of its whole members.
    length: u64,
    /// The id of its `warcinfo` record.
    info: String,
    /// The last answer of each URL.
    answers: HashMap<String, StoredAnswer>,
}

/// An answer that is in an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredAnswer {
    /// The digest of its payload over http, else of its block.
    pub digest: Digest,
    /// The size of its block in octets.
    pub bytes: u64,
    /// The time of its request, in seconds.
    pub date: String,
    /// True if it is a page or file, and whole.
    pub is_page: bool,
}

/// What the first record of an archive tells about it.
#[derive(Clone, Copy, Debug)]
pub struct WarcInfo<'a> {
    /// True if `robots.txt` was honoured.
    pub honours_robots: bool,
    /// The description: the command.
    pub description: &'a str,
}

/// A file without a dialogue of its own.
pub struct Resource<'a> {
    /// The URL.
    pub url: &'a Url,
    /// The page with the link to it.
    pub via: Option<&'a Url>,
    /// The media type.
    pub media_type: &'a str,
    /// The time when they were requested.
    pub start: SystemTime,
}

/// A source of octets that can be read twice.
pub trait ReadSeek: Read + Seek {}

impl<T: Read + Seek> ReadSeek for T {}

/// What became of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// It is in the archive now.
    New,
    /// It was there already.
    Same,
    /// It is left out, for this reason.
    LeftOut(&'static str),
}

/// The reason why an archive is not written.
#[derive(Debug, thiserror::Error)]
pub enum WarcError {
    /// Another process writes to it.
    #[error("another program writes to {path}")]
    Busy {
        /// The file.
        path: String,
    },
    /// The file is something else.
    #[error("{path} is no archive of Geomys: no compressed WARC")]
    Foreign {
        /// The file.
        path: String,
    },
    /// A record before the last is damaged: what follows it would be lost.
    #[error("{path} is damaged at byte {position}, so nothing is added")]
    Damaged {
        /// The file.
        path: String,
        /// The offset of the damaged member.
        position: u64,
    },
    /// An error of the system.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: String,
        /// The error.
        source: io::Error,
    },
}

impl WarcFile {
    /// Opens an archive to append to it, and cuts an incomplete member off its end; creates it if it is missing.
    /// Blocks.
    ///
    /// # Errors
    /// Any [`WarcError`]. A file that is no archive stays as it is.
    pub fn open(path: &Path, info: WarcInfo<'_>) -> Result<Self, WarcError> {
        let shown = || path.display().to_string();
        let to_error = |source| WarcError::Io {
            path: shown(),
            source,
        };
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let file = options.open(path).map_err(to_error)?;
        let file = match LockedFile::try_new(file) {
            Ok(file) => file,
            Err(TryLockError::WouldBlock) => return Err(WarcError::Busy { path: shown() }),
            Err(TryLockError::Error(source)) => return Err(to_error(source)),
        };
        let Scan {
            length,
            info: known,
            answers,
        } = scan(&file, &shown)?;
        file.set_len(length).map_err(to_error)?;
        let mut archive = Self {
            file,
            path: path.to_owned(),
            length,
            info: known.unwrap_or_default(),
            answers,
        };
        if archive.info.is_empty() {
            archive.write_info(info).map_err(to_error)?;
        }
        Ok(archive)
    }

    /// Returns the path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the size in octets.
    pub fn length_bytes(&self) -> u64 {
        self.length
    }

    /// Returns the last answer of a URL.
    pub fn answer(&self, url: &Url) -> Option<&StoredAnswer> {
        self.answers.get(&target_of(url))
    }

    /// Adds what went over one connection. Blocks.
    ///
    /// # Errors
    /// Errors of the system; the archive has nothing of it then.
    pub fn add_exchange(
        &mut self,
        mut exchange: Exchange,
        via: Option<&Url>,
    ) -> io::Result<Written> {
        let Some(protocol) = wire_name(&exchange.target) else {
            return Ok(Written::LeftOut("its protocol is not recorded"));
        };
        if exchange.received_bytes == 0 && exchange.end != ExchangeEnd::Whole {
            return Ok(Written::LeftOut("it was not answered"));
        }
        let is_web = protocol == "http";
        if is_web {
            mask_cookies(&mut exchange.received)?;
        }
        let sums = digests(&mut exchange.received, exchange.received_bytes, is_web)?;
        if is_web && let Some(why) = is_private(&exchange.sent, &sums.head) {
            return Ok(Written::LeftOut(why));
        }
        let target = target_of(&exchange.target);
        let truncated = truncated(exchange.end);
        let answer = StoredAnswer {
            digest: sums.payload.clone().unwrap_or_else(|| sums.block.clone()),
            bytes: exchange.received_bytes,
            date: record::date(exchange.start),
            is_page: truncated.is_none() && is_page(&target, &sums.head),
        };
        if truncated.is_none() && self.has(&target, &answer) {
            return Ok(Written::Same);
        }
        let start = self.length;
        let written =
            self.write_exchange(&target, protocol, &mut exchange, (&sums, truncated), via);
        self.ended(start, written)?;
        self.answers.insert(target, answer);
        Ok(Written::New)
    }

    /// Adds a file without a dialogue of its own. Blocks.
    ///
    /// # Errors
    /// Errors of the system; the archive has nothing of it then.
    pub fn add_resource(
        &mut self,
        resource: &Resource<'_>,
        octets: &mut dyn ReadSeek,
    ) -> io::Result<Written> {
        let bytes = octets.seek(SeekFrom::End(0))?;
        let sums = digests(octets, bytes, false)?;
        let target = target_of(resource.url);
        let answer = StoredAnswer {
            digest: sums.block.clone(),
            bytes,
            date: record::date(resource.start),
            is_page: true,
        };
        if self.has(&target, &answer) {
            return Ok(Written::Same);
        }
        let id = new_id()?;
        let mut head = RecordHead::new("resource", &id, resource.start);
        head.field("WARC-Warcinfo-ID", &self.info);
        head.field("WARC-Target-URI", &target);
        head.field(
            "WARC-Protocol",
            &resource.url.scheme_name().to_ascii_lowercase(),
        );
        head.field("WARC-Block-Digest", &sums.block.to_string());
        head.field("Content-Type", resource.media_type);
        let start = self.length;
        let written = self
            .write(head, octets, bytes)
            .and_then(|()| match resource.via {
                Some(via) => self.write_metadata(&target, &id, &via_line(via), resource.start),
                None => Ok(()),
            });
        self.ended(start, written)?;
        self.answers.insert(target, answer);
        Ok(Written::New)
    }

    /// Writes the octets to the disk. Blocks.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }

    fn has(&self, target: &str, answer: &StoredAnswer) -> bool {
        let stored = self.answers.get(target);
        stored.is_some_and(|stored| {
            stored.digest == answer.digest && stored.is_page == answer.is_page
        })
    }

    /// Removes what a failed record has left.
    fn ended(&mut self, start: u64, written: io::Result<()>) -> io::Result<()> {
        if written.is_err() {
            self.file.set_len(start)?;
            self.length = start;
        }
        written
    }

    fn write_info(&mut self, info: WarcInfo<'_>) -> io::Result<()> {
        let robots = if info.honours_robots {
            "classic"
        } else {
            "none"
        };
        let description: String = info
            .description
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        let block = format!(
            "software: geomys/{}\r\nformat: WARC File Format 1.1\r\nconformsTo: {}\r\nrobots: {robots}\r\ndescription: {description}\r\n",
            env!("CARGO_PKG_VERSION"),
            record::WARC_STANDARD,
        );
        self.info = new_id()?;
        let mut head = RecordHead::new("warcinfo", &self.info, SystemTime::now());
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        head.field("WARC-Filename", &name);
        head.field("Content-Type", "application/warc-fields");
        self.write_octets(head, block.as_bytes())
    }

    fn write_exchange(
        &mut self,
        target: &str,
        protocol: &str,
        exchange: &mut Exchange,
        (sums, truncated): (&BlockDigests, Option<&'static str>),
        via: Option<&Url>,
    ) -> io::Result<()> {
        let id = new_id()?;
        let mut head = self.head_of("response", &id, target, protocol, exchange);
        head.field("WARC-Block-Digest", &sums.block.to_string());
        if let Some(payload) = &sums.payload {
            head.field("WARC-Payload-Digest", &payload.to_string());
        }
        if let Some(reason) = truncated {
            head.field("WARC-Truncated", reason);
        }
        // Only what has a head of HTTP is one of its messages.
        let is_message = protocol != "http" || sums.payload.is_some();
        let response = format!("application/{protocol}; msgtype=response");
        let media = if is_message {
            &response
        } else {
            "application/octet-stream"
        };
        head.field("Content-Type", media);
        self.write(head, &mut exchange.received, exchange.received_bytes)?;
        let request = record::without_proxy_login(&exchange.sent);
        let mut head = self.head_of("request", &new_id()?, target, protocol, exchange);
        head.field("WARC-Concurrent-To", &id);
        head.field(
            "Content-Type",
            &format!("application/{protocol}; msgtype=request"),
        );
        self.write_octets(head, &request)?;
        let via = via.map(via_line).unwrap_or_default();
        let lines = format!("{via}fetchTimeMs: {}\r\n", exchange.duration.as_millis());
        self.write_metadata(target, &id, &lines, exchange.start)
    }

    fn write_metadata(
        &mut self,
        target: &str,
        of: &str,
        lines: &str,
        start: SystemTime,
    ) -> io::Result<()> {
        let mut head = RecordHead::new("metadata", &new_id()?, start);
        head.field("WARC-Warcinfo-ID", &self.info);
        head.field("WARC-Target-URI", target);
        head.field("WARC-Concurrent-To", of);
        head.field("Content-Type", "application/warc-fields");
        self.write_octets(head, lines.as_bytes())
    }

    /// Returns the fields that a request and its response have both.
    fn head_of(
        &self,
        kind: &str,
        id: &str,
        target: &str,
        protocol: &str,
        exchange: &Exchange,
    ) -> RecordHead {
        let mut head = RecordHead::new(kind, id, exchange.start);
        head.field("WARC-Warcinfo-ID", &self.info);
        head.field("WARC-Target-URI", target);
        if let Some(peer) = exchange.peer {
            head.field("WARC-IP-Address", &peer.to_canonical().to_string());
        }
        if let Some(tls) = exchange.tls {
            head.field("WARC-Protocol", tls);
        }
        let protocol = if protocol == "http" {
            "http/1.1"
        } else {
            protocol
        };
        head.field("WARC-Protocol", protocol);
        head
    }

    /// Writes a record whose block is in memory.
    fn write_octets(&mut self, mut head: RecordHead, block: &[u8]) -> io::Result<()> {
        let digest = Digest::of(block);
        head.field("WARC-Block-Digest", &digest.to_string());
        self.write(head, &mut io::Cursor::new(block), block.len() as u64)
    }

    /// Writes a record as a member of its own.
    fn write(
        &mut self,
        mut head: RecordHead,
        block: &mut dyn ReadSeek,
        bytes: u64,
    ) -> io::Result<()> {
        head.field("Content-Length", &bytes.to_string());
        self.file.seek(SeekFrom::Start(self.length))?;
        let out = BufWriter::new(&*self.file);
        let mut member = GzEncoder::new(out, Compression::default());
        member.write_all(head.text().as_bytes())?;
        block.seek(SeekFrom::Start(0))?;
        let copied = io::copy(&mut block.take(bytes), &mut member)?;
        if copied != bytes {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        member.write_all(b"\r\n\r\n")?;
        member.finish()?.flush()?;
        self.length = self.file.stream_position()?;
        Ok(())
    }
}

/// Returns the URL of a record: without a password, and without the default port.
fn target_of(url: &Url) -> String {
    page_url(url).to_string()
}

/// Returns the protocol whose messages are recorded as they went over the wire; `None` for one whose dialogue is not.
pub fn wire_name(url: &Url) -> Option<&'static str> {
    Some(match url.protocol() {
        Protocol::Gopher(_) => "gopher",
        Protocol::Gemini(_) => "gemini",
        Protocol::Spartan(_) => "spartan",
        Protocol::Nex(_) => "nex",
        Protocol::Finger(_) => "finger",
        Protocol::Http(_) => "http",
        Protocol::Cso(_)
        | Protocol::Titan(_)
        | Protocol::Ftp(_)
        | Protocol::Nntp(_)
        | Protocol::Wais(_)
        | Protocol::Prospero(_)
        | Protocol::File(_)
        | Protocol::Mailto(_)
        | Protocol::Telnet(_)
        | Protocol::Other(_) => return None,
    })
}

fn via_line(via: &Url) -> String {
    format!("via: {}\r\n", target_of(via))
}

/// Returns why a block lacks its end, in the words of the standard.
fn truncated(end: ExchangeEnd) -> Option<&'static str> {
    match end {
        ExchangeEnd::Whole => None,
        ExchangeEnd::Limit => Some("length"),
        ExchangeEnd::Timeout => Some("time"),
        ExchangeEnd::Disconnect => Some("disconnect"),
        ExchangeEnd::Dropped => Some("unspecified"),
    }
}

/// Returns true for the beginning of an answer that is a page or a file, and no error or redirect.
fn is_page(target: &str, head: &[u8]) -> bool {
    let scheme = target.split(':').next().unwrap_or_default();
    match scheme {
        "http" | "https" => {
            let mut words = head.split(|octet| *octet == b' ');
            words.nth(1).is_some_and(|code| code == b"200")
        }
        "gemini" | "spartan" => head.starts_with(b"2"),
        _ => true,
    }
}
