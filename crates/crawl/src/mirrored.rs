//! Mirrors that are browsed: the pages of a directory that a mirror of a site has filled, in place of those of the
//! server.
//!
//! The record of the directory says which URL each file came from, and which URLs redirect. A file is shown as the page
//! of its URL, so that its links, the page above and the address are those of the site; nothing in the directory is
//! changed.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use geomys_load::check::ReceivedPage;
use geomys_load::{MAX_REDIRECTS, PageHead, file_path};
use geomys_wire::net::compared_url;
use jiff::Timestamp;
use rfc1738::{Dialect, Parts, Url};

use crate::site::{SiteScope, slash_twin};
use crate::tree::head_of_copy;
use geomys_store::files::regular;
use geomys_store::transfer::records::DirectoryRecords;

/// The octets of a file that tell its kind.
const SAMPLE: u64 = 4096;

/// The mirrors whose pages are shown: each from the moment when its directory is opened.
#[derive(Debug)]
pub struct Mirrors {
    records: DirectoryRecords,
    open: Mutex<Vec<Arc<Mirror>>>,
}

/// A directory that a mirror has filled.
#[derive(Debug)]
struct Mirror {
    directory: PathBuf,
    /// Key of the URL of the mirror.
    top: Url,
    files: HashMap<Url, MirroredFile>,
    redirects: HashMap<Url, Url>,
}

/// The file of a URL in a mirror.
#[derive(Clone, Debug)]
pub struct MirroredFile {
    /// The URL that it came from.
    pub url: Url,
    /// Its path.
    pub path: PathBuf,
    /// The directory of its mirror.
    pub directory: PathBuf,
    media_type: Option<Box<str>>,
}

impl Mirrors {
    /// Creates a store in which no mirror is open yet, with the records of all directories.
    pub fn new(records: DirectoryRecords) -> Self {
        Self {
            records,
            open: Mutex::default(),
        }
    }

    /// Returns the file of a URL in a mirror that is open. The URL of the directory of a mirror opens it, and gives its
    /// first page. Blocks.
    pub fn find(&self, url: &Url) -> Option<MirroredFile> {
        if let Parts::File(file) = url.base_parts() {
            let directory = file_path(&file).ok().filter(|path| path.is_dir())?;
            let mirror = Arc::new(Mirror::read(&self.records, &directory)?);
            let first = mirror.find(&mirror.top)?;
            let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
            open.retain(|other| other.directory != mirror.directory);
            open.push(mirror);
            return Some(first);
        }
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.iter().find_map(|mirror| mirror.find(url))
    }
}

impl Mirror {
    /// Reads the record of a directory; `None` if it is that of no site.
    fn read(records: &DirectoryRecords, directory: &Path) -> Option<Self> {
        let record = records.read(directory).ok()?;
        let parse = |url: &str| Dialect::Extended.parse(url).ok();
        let mut tops = record.roots().filter_map(parse);
        let top = tops.find(|url| SiteScope::of(url).is_some())?;
        let files = record.files().filter_map(|(name, url)| {
            let url = parse(url)?;
            let file = MirroredFile {
                path: record.directory().join(name),
                directory: record.directory().to_owned(),
                media_type: record.media_type(name).map(Box::from),
                url,
            };
            Some((compared_url(&file.url), file))
        });
        let files: HashMap<Url, MirroredFile> = files.collect();
        let redirects = record.redirects().filter_map(|(from, to)| {
            Some((compared_url(&parse(from)?), compared_url(&parse(&to.url)?)))
        });
        // The record has no slash at the end of a URL.
        let slash = parse(&format!("{}/", top.as_str()));
        let tops = [Some(compared_url(&top)), slash.as_ref().map(compared_url)];
        let top = tops
            .into_iter()
            .flatten()
            .find(|top| files.contains_key(top))?;
        Some(Self {
            directory: record.directory().to_owned(),
            top,
            redirects: redirects.collect(),
            files,
        })
    }

    fn find(&self, url: &Url) -> Option<MirroredFile> {
        let mut key = compared_url(&url.without_password().without_fragment());
        for _ in 0..=MAX_REDIRECTS {
            match self.redirects.get(&key) {
                Some(to) => key = to.clone(),
                None => break,
            }
        }
        // A menu that repeats the one with a slash at its end, or without, has no file of its own.
        let twin = || slash_twin(&key).and_then(|twin| self.files.get(&twin));
        let file = self.files.get(&key).or_else(twin)?;
        file.path.is_file().then(|| file.clone())
    }
}

impl MirroredFile {
    /// Returns the `file:` URL of the file.
    pub fn file_url(&self) -> Option<Url> {
        Url::local_file(self.path.as_os_str().as_encoded_bytes()).ok()
    }

    /// Opens a file that is a page: returns its head, the time when it was fetched, and its octets. `None` for a file
    /// of another kind, and for one that cannot be read. Blocks.
    pub fn open_page(&self) -> Option<(PageHead, Timestamp, File)> {
        let file = regular::open(&self.path).ok()?;
        let since = file.metadata().and_then(|is| is.modified()).ok()?;
        let mut octets = Vec::new();
        (&file).take(SAMPLE).read_to_end(&mut octets).ok()?;
        io::Seek::rewind(&mut &file).ok()?;
        let page = ReceivedPage {
            head: head_of_copy(&self.url, self.media_type.as_deref()),
            octets,
            cut: None,
            is_whole: true,
        };
        if !page.is_text() {
            return None;
        }
        let shape = page.kind(&self.url).ok()?;
        let head = PageHead { shape, ..page.head };
        Some((head, Timestamp::try_from(since).ok()?, file))
    }
}
