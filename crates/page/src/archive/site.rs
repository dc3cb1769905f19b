//! The tree of a whole site in one file, as servers keep it in their root: the answer of `ls -lR`, or a list of files
//! with their sizes.
//!
//! ```text
//! tree    = [ path ":" LF ] section *( LF path ":" LF section )
//! section = [ "total" SP number LF ] *( entry LF )                        ; entry as in `ls -l`
//! list    = *( name 1*SP size [ 1*SP date ] [ 1*SP description ] LF )     ; FILES.BBS
//! ```
//!
//! Each entry becomes a line of [`Format::Paths`], with its path below the directory of the file. If the first path is
//! absolute, it is that directory. Lines that are no entry stay as they are.

use std::io::Read;

use geomys_wire::protocol::ftp::listing::{
    Date, DateRules, Day, DescribedFile, Entry, Format, Kind, Line,
};
use geomys_wire::protocol::octets;

use super::compress::Compression;
use super::error::UnpackError;
use crate::document::suffix;

/// The names of lists of a whole site without the suffix of a compression, in lower case. Names that begin with `ls-l`
/// and hold an `r` are too.
const NAMES: [&[u8]; 8] = [
    b"index",
    b"00-index.txt",
    b"00_index.txt",
    b"00index.txt",
    b"00-index",
    b"files.bbs",
    b"allfiles",
    b"allfiles.txt",
];

/// The octets that are read and reported at once.
const PIECE_BYTES: usize = 64 * 1024;

/// The most octets of a line: a longer one is read in pieces.
const MAX_LINE_BYTES: usize = 16 * 1024;

/// Returns true if a file of this name may be the tree of a whole site.
pub(crate) fn may_be_tree(name: &[u8]) -> bool {
    let lower = name.to_ascii_lowercase();
    let is_packed = suffix::is_packed(&lower);
    let plain = match memchr::memrchr(b'.', &lower) {
        Some(end) if is_packed => lower.get(..end).unwrap_or(&lower),
        _ => lower.as_slice(),
    };
    let is_ls = plain.strip_prefix(b"ls-l").is_some_and(|flags| {
        let flags = flags.split(|&octet| octet == b'.').next();
        flags.is_some_and(|flags| flags.contains(&b'r') && flags.len() <= 4)
    });
    is_ls || NAMES.contains(&plain)
}

/// Returns true for the tree of a whole site, by the name of its file and its first octets.
pub(super) fn begins(name: &[u8], start: &[u8]) -> bool {
    if !may_be_tree(name) || Compression::detect(start).is_some() {
        return false;
    }
    let lines = octets::lines(start).map(<[u8]>::trim_ascii_end);
    let lines: Vec<&[u8]> = lines.filter(|line| !line.is_empty()).collect();
    let is_entry = |line: &[u8]| matches!(entry(line), Line::Entry(_));
    let is_start = |line: &[u8]| heading(line).is_some() || line.starts_with(b"total ");
    let is_first = |line: &&[u8]| is_entry(line) || is_start(line);
    let is_tree = lines.first().is_some_and(is_first) && lines.iter().any(|&line| is_entry(line));
    let is_listed = |line: &[u8]| is_in_list(line) || is_entry(line) || is_start(line);
    let listed = lines.iter().filter(|&&line| is_listed(line)).count();
    // The last line may be cut.
    is_tree || lines.len() > 1 && listed * 2 >= lines.len()
}

/// Returns true for a line of a list with sizes. The contents of a book have numbers behind words, too: only a name
/// with an extension tells.
fn is_in_list(line: &[u8]) -> bool {
    DescribedFile::parse(line).is_some_and(|file| file.size.is_some() && has_extension(file.name))
}

/// Returns true for `a.txt` and `a.1`, but not for a number (`1.2`).
fn has_extension(name: &[u8]) -> bool {
    let Some(dot) = memchr::memrchr(b'.', name).filter(|&dot| dot > 0) else {
        return false;
    };
    let extension = name.get(dot + 1..).unwrap_or_default();
    let is_word = !extension.is_empty() && extension.iter().all(u8::is_ascii_alphanumeric);
    is_word && name.iter().any(u8::is_ascii_alphabetic)
}

fn entry(line: &[u8]) -> Line<'_> {
    // Any day: a date without a year is one only beside it.
    let today = Day {
        year: 2000,
        month: 1,
        day: 1,
    };
    Format::Unix.line(line, today)
}

/// Returns the path of a line that begins a directory.
fn heading(line: &[u8]) -> Option<&[u8]> {
    let path = line.strip_suffix(b":")?;
    (!path.is_empty()).then_some(path)
}

/// Reads a tree, and passes its lines on.
pub(super) fn read(
    reader: &mut dyn Read,
    today: Day,
    emit: &mut dyn FnMut(Vec<u8>) -> Result<(), UnpackError>,
) -> Result<(), UnpackError> {
    let mut tree = TreeReader::new(today);
    let mut rest: Vec<u8> = Vec::new();
    loop {
        let before = rest.len();
        let count = reader.take(PIECE_BYTES as u64).read_to_end(&mut rest);
        let is_end = rest.len() == before;
        let whole = match memchr::memrchr(b'\n', &rest) {
            _ if is_end || rest.len() > PIECE_BYTES + MAX_LINE_BYTES => rest.len(),
            Some(end) => end + 1,
            None => 0,
        };
        for line in octets::lines(rest.get(..whole).unwrap_or_default()) {
            tree.line(line);
        }
        rest.drain(..whole);
        if !tree.lines.is_empty() {
            emit(std::mem::take(&mut tree.lines))?;
        }
        count?;
        if is_end {
            return Ok(());
        }
    }
}

/// The state between two lines of a tree.
struct TreeReader {
    rules: DateRules,
    /// The path that all others begin with.
    root: Option<Vec<u8>>,
    /// The path of the directory, with a slash at its end unless it is empty.
    directory: Vec<u8>,
    /// True at the beginning and after a blank line.
    may_begin: bool,
    /// The lines that were made.
    lines: Vec<u8>,
}

impl TreeReader {
    fn new(today: Day) -> Self {
        Self {
            rules: today.into(),
            root: None,
            directory: Vec::new(),
            may_begin: true,
            lines: Vec::new(),
        }
    }

    fn line(&mut self, line: &[u8]) {
        if line.trim_ascii().is_empty() {
            self.may_begin = true;
            return;
        }
        let may_begin = std::mem::take(&mut self.may_begin);
        if may_begin && let Some(path) = heading(line.trim_ascii_end()) {
            return self.begin(path);
        }
        Format::Unix.learn(line, &mut self.rules);
        match Format::Unix.line(line, self.rules) {
            Line::Entry(entry) => {
                self.root.get_or_insert_default();
                self.entry(&entry);
            }
            Line::Metadata => {}
            Line::Unrecognized => match DescribedFile::parse(line) {
                Some(file) if file.size.is_some() => self.entry(&Entry {
                    name: file.name,
                    kind: Kind::File,
                    size: file.size,
                    date: None,
                }),
                // The continuation of a description.
                _ if line.starts_with(b" ") => {}
                _ => {
                    self.lines.extend_from_slice(line);
                    self.lines.extend_from_slice(b"\r\n");
                }
            },
        }
    }

    /// Begins a directory.
    fn begin(&mut self, path: &[u8]) {
        let is_absolute = path.starts_with(b"/");
        let path = path.strip_prefix(b"./").unwrap_or(path);
        let path = path.strip_prefix(b"/").unwrap_or(path);
        let path = if path == b"." { b"".as_slice() } else { path };
        let root = match &self.root {
            Some(root) => root.as_slice(),
            None if is_absolute => {
                self.root = Some(
                    [
                        path,
                        if path.is_empty() {
                            b"".as_slice()
                        } else {
                            b"/"
                        },
                    ]
                    .concat(),
                );
                self.directory.clear();
                return;
            }
            None => self.root.insert(Vec::new()).as_slice(),
        };
        let path = path.strip_prefix(root).unwrap_or(path);
        self.directory = path.trim_ascii_end().to_vec();
        if !self.directory.is_empty() {
            self.directory.push(b'/');
        }
    }

    fn entry(&mut self, entry: &Entry<'_>) {
        let kind: &[u8] = match entry.kind {
            Kind::Directory => b"type=dir;",
            Kind::File | Kind::Unknown => b"type=file;",
            Kind::Symlink(_) => b"type=OS.unix=symlink;",
            Kind::Other => b"type=OS.unix=other;",
        };
        self.lines.extend_from_slice(kind);
        if let Some(size) = entry.size {
            self.lines.extend(format!("size={size};").bytes());
        }
        // Without the time: it is that of the server's clock.
        if let Some(Date { day, .. }) = entry.date {
            let day = format!("modify={:04}{:02}{:02};", day.year, day.month, day.day);
            self.lines.extend(day.bytes());
        }
        self.lines.push(b' ');
        self.lines.extend_from_slice(&self.directory);
        self.lines.extend_from_slice(entry.name);
        self.lines.extend_from_slice(b"\r\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TODAY: Day = Day {
        year: 2026,
        month: 11,
        day: 20,
    };

    fn tree(octets: &[u8]) -> String {
        let mut lines = Vec::new();
        let mut emit = |more: Vec<u8>| {
            lines.extend(more);
            Ok(())
        };
        read(&mut &octets[..], TODAY, &mut emit).unwrap();
        String::from_utf8_lossy(&lines).replace("\r\n", "\n")
    }

    const LS: &str = "total 2\ndrwxr-xr-x 2 ftp ftp 512 Mar 14 1994 pub\n-rw-r--r-- 1 ftp ftp 12 Nov 20 10:00 README\n";

    #[test]
    fn paths_are_below_the_first_directory() {
        let pub_ = "-rw-r--r-- 1 ftp ftp 5 Mar 14 1994 a b.txt\nlrwxrwxrwx 1 ftp ftp 1 Mar 14 1994 l -> a\n";
        let expected = "type=dir;modify=19940314; pub\ntype=file;size=12;modify=20261120; README\n\
            type=file;size=5;modify=19940314; pub/a b.txt\ntype=OS.unix=symlink;modify=19940314; pub/l\n";
        for (first, second) in [
            ("", "pub"),
            (".:\n", "./pub"),
            ("/:\n", "/pub"),
            ("/srv/ftp:\n", "/srv/ftp/pub"),
        ] {
            let written = format!("{first}{LS}\n{second}:\ntotal 1\n{pub_}");
            assert!(begins(b"ls-lR.txt", written.as_bytes()), "{written}");
            assert_eq!(tree(written.as_bytes()), expected, "{first}{second}");
        }
        assert!(!begins(b"ls-lR", b"Nothing here\nat all\n"));
        assert!(!begins(b"other", LS.as_bytes()));
    }

    #[test]
    fn list_with_sizes_is_a_tree_too() {
        let list = "DOOM.ZIP  2208012  02-01-95  Doom\n   | again\nKEEN.ZIP 12 Keen\n";
        assert!(begins(b"FILES.BBS", list.as_bytes()));
        assert_eq!(
            tree(list.as_bytes()),
            "type=file;size=2208012; DOOM.ZIP\ntype=file;size=12; KEEN.ZIP\n"
        );
        assert!(!begins(
            b"INDEX",
            b"This index lists what is here.\nAsk the staff.\n"
        ));
        for contents in [
            "Chapter 1 Introduction\nChapter 2 Gophers\n",
            "1.1 4 Burrows\n1.2 9 Tunnels\n",
            "Page. 12 Roots\nVol. 3 Shoots\n",
        ] {
            assert!(!begins(b"INDEX", contents.as_bytes()), "{contents}");
        }
        assert!(begins(b"INDEX", b"ls.1 12 Manual\nREADME 5\na.Z 12k\n"));
        let simtel = "NOTE: Type B is Binary; Type A is ASCII\n\n Filename   Type Length   Date   Description\n\
            ==============================================\narc-e.com     B   12242  940523  Extracts\n\
            arc602.exe    B   48128  890113  An archiver\nread.me       A     512  890113  Read it\n\
            zip.exe       B   48128  890113  Another\n";
        assert!(begins(b"00-index.txt", simtel.as_bytes()));
        let read = tree(simtel.as_bytes());
        assert!(read.contains("type=file;size=12242; arc-e.com\n"), "{read}");
        let head = format!(
            "Index of this site\nMade every night\n\n{}",
            LS.replacen("total 2\n", "", 1)
        );
        assert!(begins(b"INDEX", head.as_bytes()));
        let flat = LS.replacen("total 2\n", "", 1);
        assert!(begins(b"ls-lR", flat.as_bytes()));
    }

    #[test]
    fn names_of_trees_are_known() {
        for name in [
            "ls-lR",
            "ls-lR.gz",
            "LS-LR.Z",
            "ls-ltR.gz",
            "INDEX",
            "index.gz",
            "FILES.BBS",
            "00-INDEX.TXT",
        ] {
            assert!(may_be_tree(name.as_bytes()), "{name}");
        }
        for name in [
            "ls-l",
            "ls",
            "ls-lready",
            "INDEX.html",
            "files",
            "index.php",
        ] {
            assert!(!may_be_tree(name.as_bytes()), "{name}");
        }
    }

    proptest! {
        #[test]
        fn any_octets_are_read(octets: Vec<u8>) {
            begins(b"ls-lR", &octets);
            tree(&octets);
        }
    }
}
