//! The octets of connections, recorded for an archive: what was sent and what was received, above TLS and below every
//! protocol.
//!
//! A [`Net`] with a [`Recording`] records each connection on which a page is requested ([`Net::recorded`]). What is
//! received is spooled to a file without a name in the directory of the archive, so that a large page fills no memory.
//! The dialogues of FTP and news are not recorded: they hold logins.

use std::fmt;
use std::io::{self, Write};
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use rfc1738::Url;
use rustls::ProtocolVersion;
use tempfile::{SpooledTempFile, spooled_tempfile_in};

use super::{Net, Stream};

/// The most received octets of a connection that stay in memory.
const MAX_SPOOLED_BYTES: usize = 64 * 1024;

/// The record of the connections of one page. Copies share it.
#[derive(Clone)]
pub struct Recording {
    /// The directory of the spooled files.
    directory: Arc<PathBuf>,
    exchanges: Arc<Mutex<Vec<Arc<Mutex<ExchangeLog>>>>>,
    /// The URL that is requested.
    target: Option<Arc<Url>>,
}

/// The octets that went over one connection.
#[derive(Debug)]
pub struct Exchange {
    /// The URL that was requested.
    pub target: Url,
    /// The address of the server; `None` behind a proxy.
    pub peer: Option<IpAddr>,
    /// The version of TLS, as `tls/1.3`; `None` for an unencrypted connection.
    pub tls: Option<&'static str>,
    /// The time when the connection was open.
    pub start: SystemTime,
    /// The time from then to the last octet.
    pub duration: Duration,
    /// What was sent.
    pub sent: Vec<u8>,
    /// What was received, to be read from its beginning.
    pub received: SpooledTempFile,
    /// The number of octets that were received.
    pub received_bytes: u64,
    /// The end of the exchange.
    pub end: ExchangeEnd,
}

/// The end of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExchangeEnd {
    /// All that the protocol wants was received.
    Whole,
    /// The rest was left out: the page reached its limit.
    Limit,
    /// The server sent nothing more in time.
    Timeout,
    /// The connection broke.
    Disconnect,
    /// The load was dropped before it ended.
    Dropped,
}

/// The end of a load, as far as it concerns a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordedEnd {
    /// The server has answered, with a page or otherwise.
    Answered,
    /// The page reached its limit.
    Limit,
    /// The connection failed.
    Failed,
}

/// An exchange that goes on; `None` once it was taken.
#[derive(Debug)]
struct ExchangeLog {
    exchange: Option<Exchange>,
    since: Instant,
    /// True if the stream has ended or failed.
    is_closed: bool,
}

/// The recorder of a stream.
#[derive(Clone, Debug)]
pub(super) struct StreamRecorder(Arc<Mutex<ExchangeLog>>);

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for Recording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recording").finish_non_exhaustive()
    }
}

impl Recording {
    /// Creates an empty record that spools into this directory.
    pub fn new(directory: PathBuf) -> Self {
        Self {
            directory: Arc::new(directory),
            exchanges: Arc::default(),
            target: None,
        }
    }

    /// Takes the exchanges in which something was sent, in the order of their connections.
    pub fn take(&self) -> Vec<Exchange> {
        let logs = std::mem::take(&mut *locked(&self.exchanges));
        let exchanges = logs.iter().filter_map(|log| locked(log).exchange.take());
        exchanges.filter(|one| !one.sent.is_empty()).collect()
    }

    /// Notes the end of the load of the last exchange.
    pub fn end(&self, end: RecordedEnd) {
        for log in locked(&self.exchanges).iter().rev() {
            let mut log = locked(log);
            let is_closed = log.is_closed;
            let Some(exchange) = log.exchange.as_mut().filter(|one| !one.sent.is_empty()) else {
                continue;
            };
            exchange.end = match end {
                RecordedEnd::Answered => ExchangeEnd::Whole,
                RecordedEnd::Limit => ExchangeEnd::Limit,
                RecordedEnd::Failed if is_closed => ExchangeEnd::Disconnect,
                RecordedEnd::Failed => ExchangeEnd::Timeout,
            };
            return;
        }
    }

    /// Begins an exchange; `None` before a URL is requested.
    fn begin(&self, peer: Option<IpAddr>, tls: Option<&'static str>) -> Option<StreamRecorder> {
        let exchange = Exchange {
            target: self.target.as_deref()?.clone(),
            peer,
            tls,
            start: SystemTime::now(),
            duration: Duration::ZERO,
            sent: Vec::new(),
            received: spooled_tempfile_in(MAX_SPOOLED_BYTES, &*self.directory),
            received_bytes: 0,
            end: ExchangeEnd::Dropped,
        };
        let log = Arc::new(Mutex::new(ExchangeLog {
            exchange: Some(exchange),
            since: Instant::now(),
            is_closed: false,
        }));
        let mut exchanges = locked(&self.exchanges);
        // A load asks again only after an answer.
        for former in exchanges.iter() {
            if let Some(exchange) = &mut locked(former).exchange
                && exchange.end == ExchangeEnd::Dropped
            {
                exchange.end = ExchangeEnd::Whole;
            }
        }
        exchanges.push(Arc::clone(&log));
        Some(StreamRecorder(log))
    }
}

impl StreamRecorder {
    /// Records octets that were sent.
    pub(super) fn sent(&self, octets: &[u8]) {
        let mut log = locked(&self.0);
        let duration = log.since.elapsed();
        if let Some(exchange) = &mut log.exchange {
            exchange.sent.extend_from_slice(octets);
            exchange.duration = duration;
        }
    }

    /// Records octets that were received; none at the end of the stream.
    ///
    /// # Errors
    /// Those of the file: a record with a gap would be a forgery.
    pub(super) fn received(&self, octets: &[u8]) -> io::Result<()> {
        let mut log = locked(&self.0);
        log.is_closed |= octets.is_empty();
        let duration = log.since.elapsed();
        let Some(exchange) = &mut log.exchange else {
            return Ok(());
        };
        exchange.duration = duration;
        exchange.received.write_all(octets)?;
        exchange.received_bytes += octets.len() as u64;
        Ok(())
    }

    /// Notes that the stream has failed.
    pub(super) fn failed(&self) {
        locked(&self.0).is_closed = true;
    }
}

impl Net {
    /// Records the streams that are opened for pages, and sends no client certificate: an archive is for others to
    /// read.
    #[must_use]
    pub fn with_recording(self, recording: Recording) -> Self {
        Self {
            recording: Some(recording),
            identities: None,
            ..self
        }
    }

    /// Names the URL that is requested next, for a record.
    #[must_use]
    pub fn requesting(mut self, url: &Url) -> Self {
        if let Some(recording) = &mut self.recording {
            recording.target = Some(Arc::new(url.clone()));
        }
        self
    }

    /// Returns the record of the streams of this network.
    pub fn recording(&self) -> Option<&Recording> {
        self.recording.as_ref()
    }

    /// Returns the stream of a connection on which one page is requested, recorded if there is a record.
    pub fn recorded(&self, connection: impl Into<Stream>) -> Stream {
        let stream = connection.into();
        let Some(recording) = &self.recording else {
            return stream;
        };
        let peer = stream.peer().filter(|_| self.is_direct());
        let tls = stream.tls_version().map(protocol_name);
        stream.with_recorder(recording.begin(peer, tls))
    }
}

/// Returns the name of a version of TLS, as `WARC-Protocol` has it.
fn protocol_name(version: ProtocolVersion) -> &'static str {
    match version {
        ProtocolVersion::TLSv1_2 => "tls/1.2",
        ProtocolVersion::TLSv1_3 => "tls/1.3",
        _ => "tls",
    }
}
