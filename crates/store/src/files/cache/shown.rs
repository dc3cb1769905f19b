//! Text of the pages as the browser shows it, made once for each, so that a search reads it alone.
//!
//! ```text
//! file   = "geomys text 2" LF page LF charset LF key LF url LF since LF [ date ] LF author LF title LF length LF
//!          text *label
//! page   = inode SP size              ; of the file of the page: a page that replaces it has another one
//! date   = time                       ; of publication
//! length = 1*DIGIT                    ; of the text, in octets
//! text   = [ row *( ( LF / VT ) row ) ]   ; words with single blanks; a VT before the first row of a paragraph
//! label  = number number              ; of a link in the text: octets behind the label before it, and its length
//! number = *%x80-FF %x00-7F           ; seven bits in each octet, the lowest first
//! ```
//!
//! It is beside the file of its page, with the same name and the extension `text`, counts in the size of the cache, and
//! is removed with the page. It is made when a page is stored, and for a long page, or one of an earlier version, by
//! the first search.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use geomys_page::document::Shape;
use geomys_page::document::find::ROW_ENDS;
use geomys_page::document::find::shown::shown_rows;
use geomys_wire::text::CharsetSetting;
use jiff::Timestamp;
use rfc1738::{Dialect, Url};
use ring::digest::SHA256_OUTPUT_LEN;

use super::directory::{CacheSize, Eviction, confirmed_of, header, is_name, remove_if_any, since};
use super::{BUFFER, Cache, NEW, PageHeader, regular};

/// First line of the file.
const FIRST: &str = "geomys text 2";

/// Extension of the name of the file.
const EXTENSION: &str = "text";

/// Maximum size of a page whose text is made when it is stored, in octets: the time of a longer one would be felt.
const AT_ONCE: u64 = 1024 * 1024;

/// Lines of the header.
const HEADER_LINES: usize = 10;

/// Maximum length of the title and of the author, in characters.
const MAX_TITLE_CHARS: usize = 1000;

/// Maximum size of the header of a page, in octets.
const MAX_HEADER: usize = 64 * 1024;

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
    /// Time when the page came, or was confirmed.
    since: Timestamp,
    /// Time of its publication; that when it came or was confirmed if there is none, or it is in the future.
    pub(crate) date: Timestamp,
    /// Name and address of the author of an article; empty if there is none.
    pub(crate) author: String,
    /// Title, the subject of an article; empty if there is none.
    pub(crate) title: String,
    /// File behind the octets that were read with the header, and the number of octets of text that are left in it.
    pub(crate) rest: (File, u64),
    /// Place of the labels in the file.
    labels: Range<u64>,
}

impl ShownText {
    /// Returns true if the page has links with labels.
    pub(crate) fn has_labels(&self) -> bool {
        !self.labels.is_empty()
    }

    /// Reads the places of the labels of links in the text, in octets and in order. Blocks.
    ///
    /// # Errors
    /// Errors of reading.
    pub(crate) fn labels(&self) -> io::Result<Vec<Range<u64>>> {
        let length = usize::try_from(self.labels.end - self.labels.start);
        let mut octets = vec![0; length.map_err(io::Error::other)?];
        self.rest.0.read_exact_at(&mut octets, self.labels.start)?;
        let (mut rest, mut at) = (octets.as_slice(), 0);
        let labels = std::iter::from_fn(|| {
            let start = read_number(&mut rest)?.checked_add(at)?;
            at = read_number(&mut rest)?.checked_add(start)?;
            Some(start..at)
        });
        Ok(labels.collect())
    }
}

fn write_number(mut number: u64, to: &mut Vec<u8>) {
    while number >= 0x80 {
        let [low, ..] = number.to_le_bytes();
        to.push(low | 0x80);
        number >>= 7;
    }
    let [low, ..] = number.to_le_bytes();
    to.push(low);
}

fn read_number(octets: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let (first, rest) = octets.split_first()?;
        *octets = rest;
        number |= u64::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

/// Returns the file for the text of the page in a file.
pub(super) fn text_of(page: &Path) -> PathBuf {
    page.with_extension(EXTENSION)
}

/// Returns true for the name of a file beside that of a page which is gone.
pub(super) fn is_orphan(path: &Path) -> bool {
    let page = path.with_extension("");
    let is_beside = [text_of(&page), confirmed_of(&page)]
        .iter()
        .any(|other| other == path);
    let name = page.file_name().unwrap_or_default();
    is_beside && is_name(&name.to_string_lossy()) && !page.exists()
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
        let end = ends.take(HEADER_LINES).last()?;
        let head = std::str::from_utf8(octets.get(..end)?).ok()?;
        let mut lines = head.split('\n');
        let Identity(inode, size) = self.identity;
        let is_of_page = lines.next()? == FIRST && lines.next()? == format!("{inode} {size}");
        if !is_of_page || lines.next()? != name_of(setting) {
            return None;
        }
        let key = Dialect::Extended.parse(lines.next()?).ok()?;
        let url = Dialect::Extended.parse(lines.next()?).ok()?;
        let since = since(&self.path, lines.next()?.parse().ok()?);
        let published: Option<Timestamp> = lines.next()?.parse().ok();
        let author = lines.next()?.to_owned();
        let title = lines.next()?.to_owned();
        let text_length: u64 = lines.next()?.parse().ok()?;
        octets.drain(..=end);
        let labels = (end as u64 + 1).checked_add(text_length)?..length;
        octets.truncate(usize::try_from(text_length).unwrap_or(usize::MAX));
        let left = text_length - octets.len() as u64;
        if labels.start > labels.end {
            return None;
        }
        Some(ShownText {
            key,
            url,
            since,
            date: published.map_or(since, |published| published.min(since)),
            author,
            title,
            rest: (file, left),
            labels,
        })
    }

    /// Returns true unless the page was removed or replaced.
    fn is_same(&self) -> bool {
        fs::metadata(&self.path).is_ok_and(|file| Identity::of(&file) == self.identity)
    }

    /// Makes room for the page with its text, of `length` octets together; `None` if it does not fit. For a page that
    /// is gone no other one leaves.
    fn room(&self, length: u64, eviction: Eviction) -> Option<CacheSize> {
        let sum = self.cache.lock_sum().ok()?;
        let is_wanted = length <= self.cache.limits.size && self.is_same();
        let room = is_wanted.then(|| (self.cache).make_room_in(sum, &self.path, length, eviction));
        room?.ok()
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
        let shown = shown_rows(page, charset, body, |row, labels| rows.push(row, labels))?;
        let title = match head.shape {
            // The label of the link that led here is not always the subject.
            Shape::Article => shown.title.or(head.title.clone()),
            _ => head.title.clone().or(shown.title),
        };
        let [title, author] = [title, shown.author].map(|text| one_line(&text.unwrap_or_default()));
        let date = shown.date.or(head.published);
        let date = date.map(|date| date.to_string()).unwrap_or_default();
        let Identity(inode, size) = self.identity;
        let setting = name_of(setting);
        let mut out = BufWriter::with_capacity(BUFFER, file.as_file_mut());
        let (mut text, text_length, labels) = rows.finish()?;
        let key = &head.url;
        write!(
            out,
            "{FIRST}\n{inode} {size}\n{setting}\n{key}\n{url}\n{since}\n{date}\n{author}\n{title}\n{text_length}\n"
        )?;
        io::copy(&mut text, &mut out)?;
        out.write_all(&labels)?;
        out.flush()?;
        drop(out);
        let length = size + file.as_file().metadata()?.len();
        let mut file = match self.room(length, eviction) {
            Some(room) => match file.persist(text_of(&self.path)) {
                Ok(file) => {
                    room.taken()?;
                    if !self.is_same() {
                        remove_if_any(&text_of(&self.path))?;
                    }
                    file
                }
                Err(error) => error.file.into_file(),
            },
            None => file.into_file(),
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

/// Returns a text as a line of the header.
fn one_line(text: &str) -> String {
    let line: String = text.chars().take(MAX_TITLE_CHARS).collect();
    line.replace(['\n', '\u{b}'], " ")
}

/// Place in a row whose words are written with single blanks.
struct PlaceInText {
    /// Octets of the text before it.
    length: u64,
    start: u64,
    /// True behind white space, which is a blank before a word.
    is_behind_blank: bool,
}

impl PlaceInText {
    fn at(start: u64) -> Self {
        Self {
            length: start,
            start,
            is_behind_blank: false,
        }
    }

    /// Returns the octets of the text before the next word.
    fn next(&self) -> u64 {
        let has_blank = self.is_behind_blank && self.length > self.start;
        self.length + u64::from(has_blank)
    }

    /// Goes on behind a part of the row.
    fn pass(&mut self, part: &str) {
        for letter in part.chars() {
            if letter.is_whitespace() {
                self.is_behind_blank = true;
            } else {
                self.length = self.next() + letter.len_utf8() as u64;
                self.is_behind_blank = false;
            }
        }
    }
}

/// Rows that become a text: in memory, and in a file without a name once there are many.
struct Rows {
    spool: BufWriter<tempfile::SpooledTempFile>,
    /// Octets of the text.
    length: u64,
    is_first: bool,
    was_blank: bool,
    /// Labels as they are stored, and the end of the last one.
    labels: (Vec<u8>, u64),
}

impl Rows {
    fn new() -> Self {
        let spool = tempfile::spooled_tempfile(4 * BUFFER);
        Self {
            spool: BufWriter::with_capacity(BUFFER, spool),
            length: 0,
            is_first: true,
            was_blank: false,
            labels: (Vec::new(), 0),
        }
    }

    fn write(&mut self, octets: &[u8]) -> io::Result<()> {
        self.length += octets.len() as u64;
        self.spool.write_all(octets)
    }

    /// Adds a row with the places of the labels in it.
    fn push(&mut self, row: &str, labels: &[Range<usize>]) -> io::Result<()> {
        let mut words = row.split_whitespace().peekable();
        if words.peek().is_none() {
            self.was_blank = true;
            return Ok(());
        }
        let is_paragraph = std::mem::take(&mut self.was_blank);
        let [row_end, paragraph_end] = ROW_ENDS;
        let end = if is_paragraph { paragraph_end } else { row_end };
        let mut before = Some(end).filter(|_| !std::mem::take(&mut self.is_first));
        let mut start = None;
        for word in words {
            if let Some(before) = before {
                self.write(&[before])?;
            }
            before = Some(b' ');
            start = start.or(Some(self.length));
            self.write(word.as_bytes())?;
        }
        let start = start.unwrap_or(self.length);
        let is_same = self.length - start == row.len() as u64;
        let mut place = PlaceInText::at(start);
        let mut done = 0;
        for label in labels {
            let text = row.get(label.clone()).unwrap_or_default().trim_end();
            let words = text.trim_start();
            let from = label.start + text.len() - words.len();
            let to = from + words.len();
            if words.is_empty() {
                continue;
            }
            if is_same {
                self.push_label(start + from as u64..start + to as u64);
                continue;
            }
            place.pass(row.get(done..from).unwrap_or_default());
            let from = place.next();
            place.pass(words);
            done = to;
            self.push_label(from..place.length);
        }
        Ok(())
    }

    /// Adds the place of a label in the text.
    fn push_label(&mut self, place: Range<u64>) {
        let (stored, before) = &mut self.labels;
        write_number(place.start - *before, stored);
        write_number(place.end - place.start, stored);
        *before = place.end;
    }

    /// Returns the text, its length in octets, and its labels.
    fn finish(self) -> io::Result<(impl Read, u64, Vec<u8>)> {
        let mut spool = self.spool.into_inner().map_err(io::Error::from)?;
        spool.seek(SeekFrom::Start(0))?;
        Ok((spool, self.length, self.labels.0))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_number_is_read_as_it_was_written(numbers: Vec<u64>) {
            let mut octets = Vec::new();
            for number in &numbers {
                write_number(*number, &mut octets);
            }
            let mut rest = octets.as_slice();
            let read: Vec<u64> = std::iter::from_fn(|| read_number(&mut rest)).collect();
            prop_assert_eq!(read, numbers);
        }

        #[test]
        fn label_has_its_words_in_the_text(
            row in "[a-c\u{e9} \u{a0}\t]{1,24}",
            cuts in proptest::collection::vec(0..40_usize, 0..6),
        ) {
            let mut cuts: Vec<usize> = cuts.into_iter().filter(|at| row.is_char_boundary(*at)).collect();
            cuts.sort_unstable();
            let labels: Vec<Range<usize>> = cuts.chunks_exact(2).map(|cut| cut[0]..cut[1]).collect();
            let mut rows = Rows::new();
            rows.push("before", &[]).unwrap();
            rows.push(&row, &labels).unwrap();
            let (mut text, _, stored) = rows.finish().unwrap();
            let mut written = String::new();
            text.read_to_string(&mut written).unwrap();
            let (mut rest, mut at) = (stored.as_slice(), 0);
            let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            for label in labels.iter().filter(|label| !row.get((*label).clone()).unwrap().trim().is_empty()) {
                let start = at + usize::try_from(read_number(&mut rest).unwrap()).unwrap();
                at = start + usize::try_from(read_number(&mut rest).unwrap()).unwrap();
                prop_assert_eq!(written.get(start..at).unwrap(), words(row.get(label.clone()).unwrap()));
            }
            prop_assert!(rest.is_empty());
        }

        #[test]
        fn any_octets_are_labels(octets: Vec<u8>) {
            let mut rest = octets.as_slice();
            while read_number(&mut rest).is_some() {}
        }
    }
}
