//! Text of the pages as the browser shows it, made once for each, so that a search reads it alone.
//!
//! ```text
//! file = "geomys text 1" LF page LF charset LF key LF url LF since LF title LF [ text ]
//! page = inode SP size                ; of the file of the page: a page that replaces it has another one
//! text = row *( ( LF / VT ) row )     ; words with single blanks; a VT before the first row of a paragraph
//! ```
//!
//! It is beside the file of its page, with the same name and the extension `text`, counts in the size of the cache, and
//! is removed with the page. It is made when a page is stored, and for a long page, or one of an earlier version, by
//! the first search.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use geomys_page::document::find::shown_rows;
use geomys_wire::text::CharsetSetting;
use jiff::Timestamp;
use rfc1738::{Dialect, Url};
use ring::digest::SHA256_OUTPUT_LEN;

use super::directory::{Eviction, header, is_name, remove_if_any};
use super::{BUFFER, Cache, NEW, PageHeader, regular};

/// First line of the file.
const FIRST: &str = "geomys text 1";

/// Extension of the name of the file.
const EXTENSION: &str = "text";

/// Maximum size of a page whose text is made when it is stored, in octets: the time of a longer one would be felt.
const AT_ONCE: u64 = 1024 * 1024;

/// Maximum length of the title, in characters.
const MAX_TITLE_CHARS: usize = 1000;

/// Maximum size of the header of a page, in octets.
const MAX_HEADER: usize = 64 * 1024;

/// Ends of rows: the second one before the first row of a paragraph.
pub(crate) const ROW_ENDS: [u8; 2] = [b'\n', 0x0b];

/// File of a page in one of the directories of a cache.
pub(crate) struct PageFile<'a> {
    cache: &'a Cache,
    path: PathBuf,
    /// Time before which a page has expired.
    oldest: Option<Timestamp>,
    /// Time of the last use.
    pub(crate) used: SystemTime,
    identity: Identity,
}

/// Inode and size of the file of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Identity(u64, u64);

impl Identity {
    fn of(file: &fs::Metadata) -> Self {
        Self(file.ino(), file.len())
    }
}

/// Text of a page.
pub(crate) struct ShownText {
    /// URL under which the page is stored.
    pub(crate) key: Url,
    /// URL of the page.
    pub(crate) url: Url,
    /// Time when the page came.
    pub(crate) since: Timestamp,
    /// Title; empty if there is none.
    pub(crate) title: String,
    /// File behind the octets that were read with the header, and the number of octets that are left in it.
    pub(crate) rest: (File, u64),
}

/// Returns the file for the text of the page in a file.
pub(super) fn text_of(page: &Path) -> PathBuf {
    page.with_extension(EXTENSION)
}

/// Returns true for the name of a text whose page is gone.
pub(super) fn is_orphan(path: &Path) -> bool {
    let is_text = path.extension().is_some_and(|end| end == EXTENSION);
    let page = path.with_extension("");
    let name = page.file_name().unwrap_or_default();
    is_text && is_name(&name.to_string_lossy()) && !page.exists()
}

impl<'a> PageFile<'a> {
    /// Returns the file at a path; `None` if there is none.
    pub(crate) fn at(cache: &'a Cache, path: PathBuf, oldest: Option<Timestamp>) -> Option<Self> {
        let file = fs::metadata(&path).ok()?;
        Some(Self {
            cache,
            path,
            oldest,
            used: file.modified().unwrap_or(SystemTime::UNIX_EPOCH),
            identity: Identity::of(&file),
        })
    }

    /// Returns the URL under which the page is stored; `None` if it has expired or is no page.
    pub(super) fn url(&self) -> Option<Url> {
        let (head, since) = header(&self.path)?;
        let is_valid = self.oldest.is_none_or(|oldest| since >= oldest);
        is_valid.then_some(head.url)
    }

    /// Opens the text of the page, which is made if there is none; `None` if the page has expired or is no page.
    /// `octets` receives the beginning of the text. Blocks.
    ///
    /// # Errors
    /// Errors of reading, and of writing a temporary file.
    pub(crate) fn text(
        &self,
        setting: CharsetSetting,
        octets: &mut Vec<u8>,
    ) -> io::Result<Option<ShownText>> {
        let stored = regular::open(&text_of(&self.path)).ok();
        let stored = stored.and_then(|file| self.read(file, setting, octets));
        let text = match stored {
            Some(text) => Some(text),
            // A search removes no page for the text of another one.
            None => {
                let made = self.make(setting, Eviction::Nothing)?;
                made.and_then(|file| self.read(file, setting, octets))
            }
        };
        let is_valid = |text: &ShownText| self.oldest.is_none_or(|oldest| text.since >= oldest);
        Ok(text.filter(is_valid))
    }

    /// Reads the beginning of a text; `None` if it is not that of the page in this charset.
    fn read(
        &self,
        mut file: File,
        setting: CharsetSetting,
        octets: &mut Vec<u8>,
    ) -> Option<ShownText> {
        octets.clear();
        // A known length needs no read at the end.
        let length = file.metadata().ok()?.len();
        let start = length.min(BUFFER as u64);
        Read::by_ref(&mut file)
            .take(start)
            .read_to_end(octets)
            .ok()?;
        let ends = memchr::memchr_iter(b'\n', octets);
        let end = ends.take(7).last()?;
        let head = std::str::from_utf8(octets.get(..end)?).ok()?;
        let mut lines = head.split('\n');
        let Identity(inode, size) = self.identity;
        let is_of_page = lines.next()? == FIRST && lines.next()? == format!("{inode} {size}");
        if !is_of_page || lines.next()? != name_of(setting) {
            return None;
        }
        let key = Dialect::Extended.parse(lines.next()?).ok()?;
        let url = Dialect::Extended.parse(lines.next()?).ok()?;
        let since = lines.next()?.parse().ok()?;
        let title = lines.next()?.to_owned();
        octets.drain(..=end);
        Some(ShownText {
            key,
            url,
            since,
            title,
            rest: (file, length - start),
        })
    }

    /// Returns true unless the page was removed or replaced.
    fn is_same(&self) -> bool {
        fs::metadata(&self.path).is_ok_and(|file| Identity::of(&file) == self.identity)
    }

    /// Makes the text of the page, and stores it where there is room. Returns the file at its beginning; `None` if the
    /// file is no page.
    fn make(&self, setting: CharsetSetting, eviction: Eviction) -> io::Result<Option<File>> {
        let page = regular::open(&self.path)?;
        if Identity::of(&page.metadata()?) != self.identity {
            // Another page has replaced it.
            return Ok(None);
        }
        let octets = regular::read_open(&page, self.identity.1)?;
        let start = octets.get(..MAX_HEADER).unwrap_or(&octets);
        let Some((head, since, start)) = PageHeader::read(start) else {
            return Ok(None);
        };
        let start = usize::try_from(start).unwrap_or(usize::MAX);
        let end = octets.len().saturating_sub(SHA256_OUTPUT_LEN);
        let body = octets.get(start..end).unwrap_or_default();
        let mut builder = tempfile::Builder::new();
        builder.prefix(NEW);
        builder.permissions(fs::Permissions::from_mode(0o600));
        // Where nothing may be written the search has the text, and stores none.
        let file = builder.tempfile_in(&self.cache.directory);
        let mut file = file.or_else(|_| builder.tempfile())?;
        // On a file system without locks no abandoned file remains.
        let _ = file.as_file().try_lock();
        let url = head.real.as_ref().unwrap_or(&head.url);
        let mut rows = Rows::new();
        let (page, charset) = ((url, head.shape), (setting, head.charset));
        let title = shown_rows(page, charset, body, |row| rows.push(row))?;
        let title = head.title.clone().or(title).unwrap_or_default();
        let title: String = title.chars().take(MAX_TITLE_CHARS).collect();
        let title = title.replace(['\n', '\u{b}'], " ");
        let Identity(inode, size) = self.identity;
        let setting = name_of(setting);
        let mut out = BufWriter::with_capacity(BUFFER, file.as_file_mut());
        write!(
            out,
            "{FIRST}\n{inode} {size}\n{setting}\n{}\n{url}\n{since}\n{title}\n",
            head.url
        )?;
        io::copy(&mut rows.finish()?, &mut out)?;
        out.flush()?;
        drop(out);
        let length = size + file.as_file().metadata()?.len();
        let room = (length <= self.cache.limits.size)
            .then(|| self.cache.make_room(&self.path, length, eviction));
        let mut file = match room {
            Some(Ok(room)) if self.is_same() => match file.persist(text_of(&self.path)) {
                Ok(file) => {
                    room.taken()?;
                    if !self.is_same() {
                        remove_if_any(&text_of(&self.path))?;
                    }
                    file
                }
                Err(error) => error.file.into_file(),
            },
            Some(_) | None => file.into_file(),
        };
        file.seek(SeekFrom::Start(0))?;
        Ok(Some(file))
    }
}

impl Cache {
    /// Makes the text of a page that was stored at a path. A text that cannot be made now is made by the first search.
    pub(super) fn make_text(&self, path: &Path) {
        let page = PageFile::at(self, path.to_owned(), None);
        if let Some(page) = page.filter(|page| page.identity.1 <= AT_ONCE) {
            // A text removes no other text.
            let eviction = if self.evicts {
                Eviction::Pages
            } else {
                Eviction::Nothing
            };
            let _ = page.make(CharsetSetting::default(), eviction);
        }
    }
}

fn name_of(setting: CharsetSetting) -> &'static str {
    match setting {
        CharsetSetting::Detected => CharsetSetting::AUTO,
        CharsetSetting::Set(charset) => charset.name(),
    }
}

/// Rows that become a text: in memory, and in a file without a name once there are many.
struct Rows {
    spool: BufWriter<tempfile::SpooledTempFile>,
    is_first: bool,
    was_blank: bool,
}

impl Rows {
    fn new() -> Self {
        let spool = tempfile::spooled_tempfile(4 * BUFFER);
        Self {
            spool: BufWriter::with_capacity(BUFFER, spool),
            is_first: true,
            was_blank: false,
        }
    }

    fn push(&mut self, row: &str) -> io::Result<()> {
        let mut words = row.split_whitespace();
        let Some(first) = words.next() else {
            self.was_blank = true;
            return Ok(());
        };
        let is_paragraph = std::mem::take(&mut self.was_blank);
        if !std::mem::take(&mut self.is_first) {
            let [row, paragraph] = ROW_ENDS;
            self.spool
                .write_all(&[if is_paragraph { paragraph } else { row }])?;
        }
        self.spool.write_all(first.as_bytes())?;
        for word in words {
            self.spool.write_all(b" ")?;
            self.spool.write_all(word.as_bytes())?;
        }
        Ok(())
    }

    fn finish(self) -> io::Result<impl Read> {
        let mut spool = self.spool.into_inner().map_err(io::Error::from)?;
        spool.seek(SeekFrom::Start(0))?;
        Ok(spool)
    }
}
