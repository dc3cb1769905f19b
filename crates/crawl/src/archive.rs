//! The archive that transfers are written to, in place of files: what goes over the wire, and the files of FTP.

use std::fs::File;
use std::io::{self, Cursor};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use geomys_load::{FormAnswers, NameHints, Request, file_name_of};
use geomys_page::document::suffix;
use geomys_wire::net::{Exchange, ExchangeEnd, Net, Recording};
use geomys_wire::task::blocking;
use geomys_wire::text;
use rfc1738::Url;
use tempfile::TempDir;

use crate::warc::{ReadSeek, Resource, WarcFile, WarcInfo, Written, wire_name};

/// The media type of a file with an unknown suffix.
const DEFAULT_MEDIA_TYPE: &str = "application/octet-stream";

/// The media type of a listing.
const LISTING_MEDIA_TYPE: &str = "text/plain";

/// An archive that several transfers write to. Copies share it.
#[derive(Clone, Debug)]
pub struct Archive {
    file: Arc<Mutex<WarcFile>>,
    path: PathBuf,
}

/// A page that is fetched into an archive: its network, and the record of its connections.
pub struct ArchivedPage {
    /// The network.
    pub net: Net,
    url: Url,
    archive: Archive,
    recording: Recording,
    /// The time when the page was requested.
    start: SystemTime,
}

impl Archive {
    /// Creates the writer of an open archive.
    pub fn new(file: WarcFile) -> Self {
        Self {
            path: file.path().to_owned(),
            file: Arc::new(Mutex::new(file)),
        }
    }

    /// Opens an archive to append to it. Removes what a killed run has left beside it: no other run has the archive.
    ///
    /// # Errors
    /// A sentence with the path.
    pub fn open(path: &Path, info: WarcInfo<'_>) -> Result<Self, String> {
        let opened = WarcFile::open(path, info);
        let archive = Self::new(opened.map_err(|error| error.to_string())?);
        let cleared = archive.remove_left_directories();
        cleared.map_err(|error| archive.broken(&error))?;
        Ok(archive)
    }

    /// Returns the directory of the archive, and the beginning of the names of its temporary directories there.
    fn place(&self) -> io::Result<(PathBuf, String)> {
        // The path may be a link, or one to an open file.
        let path = self.path.canonicalize()?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        Ok((path.with_file_name(""), format!(".{name}.geomys-")))
    }

    fn remove_left_directories(&self) -> io::Result<()> {
        let (beside, prefix) = self.place()?;
        for entry in beside.read_dir()? {
            let entry = entry?;
            let is_left = entry.file_name().to_string_lossy().starts_with(&prefix);
            if is_left && entry.file_type()?.is_dir() {
                std::fs::remove_dir_all(entry.path())?;
            }
        }
        Ok(())
    }

    /// Creates a temporary directory beside the archive, where there is room for it, with a directory `files` in it.
    ///
    /// # Errors
    /// A sentence with the path.
    pub fn directory(&self) -> Result<TempDir, String> {
        let made = self.place().and_then(|(beside, prefix)| {
            let directory = tempfile::Builder::new()
                .prefix(&prefix)
                .tempdir_in(beside)?;
            std::fs::create_dir(directory.path().join("files"))?;
            Ok(directory)
        });
        made.map_err(|error| self.broken(&error))
    }

    /// Returns the error of an archive that cannot be written.
    fn broken(&self, error: &io::Error) -> String {
        format!("{}: {}", self.path.display(), text::system_message(error))
    }

    /// Returns the path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns a page that is fetched into the archive. Its octets wait in files without a name in `directory`.
    pub fn page(&self, net: &Net, url: &Url, directory: &Path) -> ArchivedPage {
        let recording = Recording::new(directory.to_owned());
        ArchivedPage {
            net: if wire_name(url).is_some() {
                net.clone().with_recording(recording.clone())
            } else {
                net.clone()
            },
            url: url.clone(),
            archive: self.clone(),
            recording,
            start: SystemTime::now(),
        }
    }

    /// Writes all that was added to the disk.
    ///
    /// # Errors
    /// Errors of the system.
    pub async fn sync(&self) -> io::Result<()> {
        self.with(|file| file.sync()).await
    }

    /// Uses the file on a blocking task.
    async fn with<T: Send + 'static>(
        &self,
        action: impl FnOnce(&mut WarcFile) -> T + Send + 'static,
    ) -> T {
        let file = Arc::clone(&self.file);
        blocking(move || action(&mut file.lock().unwrap_or_else(PoisonError::into_inner))).await
    }
}

impl ArchivedPage {
    /// Returns the URL.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// Returns true if the archive has the file in this size, requested after this time. The time is that of
    /// [`geomys_load::Version`].
    pub(super) async fn is_stored(&self, size: Option<u64>, modified: Option<&str>) -> bool {
        let url = self.url.clone();
        let stored = self.archive.with(move |file| file.answer(&url).cloned());
        stored.await.is_some_and(|stored| {
            let date: String = stored.date.chars().filter(char::is_ascii_digit).collect();
            stored.is_page
                && size.is_none_or(|size| size == stored.bytes)
                && modified.is_none_or(|modified| modified < date.as_str())
        })
    }

    /// Adds what went over the connections of the page; `via` links to it. An answer that was stopped at more than
    /// `limit` octets was too long. Returns what became of the last one; `None` if there is none.
    ///
    /// # Errors
    /// Errors of the system.
    pub async fn add_exchanges(
        &self,
        via: Option<&Url>,
        limit: u64,
    ) -> io::Result<Option<Written>> {
        let (exchanges, via) = (self.recording.take(), via.cloned());
        let adding = self.archive.with(move |file| {
            let mut last = None;
            for exchange in exchanges {
                let exchange = ended(exchange, limit);
                last = Some(file.add_exchange(exchange, via.as_ref())?);
            }
            Ok(last)
        });
        adding.await
    }

    /// Adds the page as a file, if it has come over a protocol whose dialogue is not recorded.
    ///
    /// # Errors
    /// Errors of the system.
    pub async fn add_file(&self, via: Option<&Url>, path: &Path) -> io::Result<Option<Written>> {
        if wire_name(&self.url).is_some() {
            return Ok(None);
        }
        let path = path.to_owned();
        let file = blocking(move || File::open(path)).await?;
        let name = file_name_of(&self.url, &NameHints::default());
        let media_type = suffix::media_type(name.as_bytes()).unwrap_or(DEFAULT_MEDIA_TYPE);
        self.add_resource(via, media_type, file).await.map(Some)
    }

    /// Adds the page as the listing of a directory.
    ///
    /// # Errors
    /// Errors of the system.
    pub(super) async fn add_listing(
        &self,
        via: Option<&Url>,
        octets: Vec<u8>,
    ) -> io::Result<Written> {
        let octets = Cursor::new(octets);
        self.add_resource(via, LISTING_MEDIA_TYPE, octets).await
    }

    async fn add_resource(
        &self,
        via: Option<&Url>,
        media_type: &'static str,
        mut octets: impl ReadSeek + Send + 'static,
    ) -> io::Result<Written> {
        let (url, via, start) = (self.url.clone(), via.cloned(), self.start);
        let adding = self.archive.with(move |file| {
            let resource = Resource {
                url: &url,
                via: via.as_ref(),
                media_type,
                start,
            };
            file.add_resource(&resource, &mut octets)
        });
        adding.await
    }
}

/// Returns true for a page that others may read: its request has no login and no answers.
pub fn is_public(request: &Request) -> bool {
    let parts = request.url.base_parts();
    let has_user = parts.login().is_some_and(|login| login.user.is_some());
    let has_answers = !matches!(
        request.answers,
        FormAnswers::Unconfirmed | FormAnswers::Confirmed
    );
    request.login.is_none() && !has_user && !request.url.has_secret() && !has_answers
}

/// Returns an exchange with the reason why its load was dropped.
fn ended(exchange: Exchange, limit: u64) -> Exchange {
    let end = match exchange.end {
        ExchangeEnd::Dropped if exchange.received_bytes > limit => ExchangeEnd::Limit,
        ExchangeEnd::Dropped => ExchangeEnd::Timeout,
        end => end,
    };
    Exchange { end, ..exchange }
}
