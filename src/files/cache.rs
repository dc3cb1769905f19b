//! Pages that are kept to be read again without a network: a file each, in a directory of their own.
//!
//! ```text
//! file   = "geomys page 1" LF *( name SP value LF ) LF octets digest
//! name   = "url" / "shape" / "since" / "title" / "highest" / "clock" / "whole" / "real"
//! digest = 32OCTET                       ; SHA-256 of all that stands before it
//! ```
//!
//! A file is called by the SHA-256 of its URL, in hexadecimal digits. Its time of change is when it was last looked at; the
//! ones that were not for longest go when all together are too large. A file that is not as it was written, and one that
//! somebody else has put there, is none. Files are for their owner alone, as pages may come from behind a password; no
//! password is in them.

mod head;

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use jiff::Timestamp;
use ring::digest::{Context, SHA256, SHA256_OUTPUT_LEN, digest};

pub use self::head::Head;
use super::{atomic, regular};
use crate::url::Url;

/// As much of a file as is read or written at once, in octets.
const BUFFER: usize = 256 * 1024;

/// As much of a page as is given at once, in octets: what a socket gives.
const PIECE: usize = 64 * 1024;

/// What files are called that are being written.
const NEW: &str = "new-";

/// The directory, and how much may be in it.
#[derive(Debug)]
pub struct Cache {
    directory: PathBuf,
    /// Octets of all files; 0 for none at all.
    size: u64,
    /// Octets of all files so far, once they were counted.
    used: Mutex<Option<u64>>,
}

/// A page that is kept.
#[derive(Debug)]
pub struct Page {
    /// What is known of it.
    pub head: Head,
    /// When it came from its server.
    pub since: Timestamp,
    octets: io::Take<BufReader<File>>,
}

impl Cache {
    /// The cache in a directory, which need not exist, of this many octets at the most.
    pub fn new(directory: PathBuf, size: u64) -> Self {
        Self {
            directory,
            size,
            used: Mutex::new(None),
        }
    }

    /// Whether anything is kept at all.
    pub fn is_on(&self) -> bool {
        self.size > 0
    }

    /// The page of a URL; nothing where it is not kept, whatever the reason. Blocks: all of the file is read to know that
    /// it is good.
    pub fn page(&self, url: &Url) -> Option<Page> {
        if !self.is_on() {
            return None;
        }
        let path = self.path(url);
        let Good {
            mut file,
            head,
            since,
            from,
            to,
        } = good(&path, url).ok()??;
        io::Seek::seek(&mut file, io::SeekFrom::Start(from)).ok()?;
        // Nobody loses anything when it cannot be told that it was looked at.
        let _ = file.set_modified(SystemTime::now());
        let octets = BufReader::with_capacity(BUFFER, file).take(to - from);
        Some(Page {
            head,
            since,
            octets,
        })
    }

    /// Keeps a page that came from its server then, instead of what is kept of its URL; others go for it. One that is larger
    /// than the whole cache is not kept. Blocks.
    ///
    /// # Errors
    /// What the system says when it cannot be written; what was kept is as it was then.
    pub fn keep<'a>(
        &self,
        head: &Head,
        since: Timestamp,
        octets: impl Iterator<Item = &'a [u8]>,
    ) -> io::Result<()> {
        let Some(written) = head.write(since).filter(|_| self.is_on()) else {
            return Ok(());
        };
        atomic::create_directory(&self.directory)?;
        // A file for its owner alone, and gone again unless all goes well.
        let mut file = tempfile::Builder::new()
            .prefix(NEW)
            .permissions(fs::Permissions::from_mode(0o600))
            .tempfile_in(&self.directory)?;
        // Whoever finds it without a lock removes it. A file system without locks has none left.
        let _ = file.as_file().try_lock();
        let mut sum = Context::new(&SHA256);
        let mut length = SHA256_OUTPUT_LEN as u64;
        let mut out = BufWriter::with_capacity(BUFFER, file.as_file_mut());
        let mut write = |octets: &[u8]| {
            length += octets.len() as u64;
            sum.update(octets);
            out.write_all(octets)?;
            io::Result::Ok(length <= self.size)
        };
        let mut fits = write(&written)?;
        for octets in octets {
            fits = fits && write(octets)?;
        }
        if !fits {
            return Ok(());
        }
        out.write_all(sum.finish().as_ref())?;
        out.flush()?;
        drop(out);
        let path = self.path(&head.url);
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let before = fs::metadata(&path).map_or(0, |old| old.len());
        file.persist(&path).map_err(|error| error.error)?;
        let now = used.map(|used| used.saturating_sub(before) + length);
        // Where counting fails, it is counted anew the next time.
        *used = None;
        *used = match now.filter(|&now| now <= self.size) {
            Some(now) => Some(now),
            None => Some(self.make_room(&path)?),
        };
        Ok(())
    }

    /// Lets pages go that were not looked at for longest, until what is left fits; `new` stays. How many octets that is.
    fn make_room(&self, new: &Path) -> io::Result<u64> {
        let now = SystemTime::now();
        let mut pages = Vec::new();
        let mut used = 0;
        for entry in fs::read_dir(&self.directory)?.flatten() {
            let (Ok(of), name) = (entry.metadata(), entry.file_name()) else {
                continue;
            };
            let (changed, name) = (of.modified().unwrap_or(now), name.to_string_lossy());
            if is_name(&name) {
                used += of.len();
                pages.push((changed, of.len(), entry.path()));
            } else if name.starts_with(NEW) && is_abandoned(&entry.path()) {
                let _ = fs::remove_file(entry.path());
            }
        }
        if used <= self.size {
            return Ok(used);
        }
        // A little more than has to, so that not every page that is kept has all others counted.
        let wanted = self.size - self.size / 8;
        pages.sort_unstable();
        for (_, length, path) in pages {
            if used <= wanted {
                break;
            }
            if path != new {
                match fs::remove_file(&path) {
                    // Another Geomys may have been first.
                    Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                    Ok(()) | Err(_) => used -= length,
                }
            }
        }
        Ok(used)
    }

    fn path(&self, url: &Url) -> PathBuf {
        let name = digest(&SHA256, url.as_str().as_bytes());
        let digits = name.as_ref().iter().map(|octet| format!("{octet:02x}"));
        self.directory.join(digits.collect::<String>())
    }
}

impl Page {
    /// The next octets of it; nothing at the end. Blocks.
    ///
    /// # Errors
    /// What the system says when it cannot be read any more.
    pub fn octets(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut piece = Vec::with_capacity(PIECE);
        let read = self
            .octets
            .by_ref()
            .take(PIECE as u64)
            .read_to_end(&mut piece)?;
        Ok((read > 0).then_some(piece))
    }
}

/// A file that is as it was written.
struct Good {
    /// The file that was looked at: another may stand in its place by now.
    file: File,
    head: Head,
    since: Timestamp,
    /// Where its octets begin, and where they end.
    from: u64,
    to: u64,
}

/// Reads all of a file; nothing where it is not as it was written, or not of this URL.
fn good(path: &Path, url: &Url) -> io::Result<Option<Good>> {
    let file = regular::open(path)?;
    let length = file.metadata()?.len();
    let Some(end) = length.checked_sub(SHA256_OUTPUT_LEN as u64) else {
        return Ok(None);
    };
    let mut reader = BufReader::with_capacity(BUFFER, file);
    let mut sum = Context::new(&SHA256);
    let mut known = None;
    let mut left = end;
    let mut piece = Vec::with_capacity(BUFFER);
    while left > 0 {
        piece.clear();
        let most = left.min(BUFFER as u64);
        let read = reader.by_ref().take(most).read_to_end(&mut piece)?;
        if read == 0 {
            return Ok(None);
        }
        if known.is_none() {
            // It stands at the beginning, or nowhere.
            let Some((head, since, from)) =
                Head::read(&piece).filter(|(head, _, _)| head.url == *url)
            else {
                return Ok(None);
            };
            known = Some((head, since, from as u64));
        }
        sum.update(&piece);
        left -= read as u64;
    }
    let mut written = Vec::new();
    reader.read_to_end(&mut written)?;
    let is_good = sum.finish().as_ref() == written.as_slice();
    let file = reader.into_inner();
    Ok(known.filter(|_| is_good).map(|(head, since, from)| Good {
        file,
        head,
        since,
        from,
        to: end,
    }))
}

/// Whether the process that wrote a temporary file was killed: it held a lock on the file.
fn is_abandoned(path: &Path) -> bool {
    regular::open(path).is_ok_and(|file| file.try_lock().is_ok())
}

/// Whether a file is called as pages are: 64 hexadecimal digits.
fn is_name(name: &str) -> bool {
    name.len() == 2 * SHA256_OUTPUT_LEN
        && name
            .bytes()
            .all(|octet| matches!(octet, b'0'..=b'9' | b'a'..=b'f'))
}
