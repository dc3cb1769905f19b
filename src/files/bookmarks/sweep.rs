//! The bookmarks that hold words, found in one go through the file's octets: nothing is kept of the others, and no URL is
//! judged. What `geomys bookmarks list` goes by.
//!
//! The file is cut in as many parts as there are threads, each where a line begins that is no note; the folders that are
//! open there are found by looking back.

use std::thread;

use super::line::{Parts, heading, is_indented, split_first, trim_end};
use super::search::{Fits, Words};
use crate::text::Text;
use crate::url::{ParseError, Url};

/// From so many octets on, several threads share them.
const SHARED: usize = 256 * 1024;

/// Threads at the most.
const THREADS: usize = 4;

/// A bookmark as it is come by.
#[derive(Clone, Copy, Debug)]
pub struct Passed<'a> {
    /// The line it stands on, from 0.
    pub line: usize,
    /// The names of the folders that it is in, outermost first.
    pub folder: &'a [String],
    parts: Parts<'a>,
    /// The line and those of its notes.
    pub(super) lines: &'a [u8],
}

impl<'a> Passed<'a> {
    /// A line, and it with the notes below; nothing where that is no bookmark.
    pub(super) fn of(line: usize, lines: &'a [u8], folder: &'a [String]) -> Option<Self> {
        let (own, _) = split_first(lines);
        Some(Self {
            line,
            folder,
            parts: Parts::of(trim_end(own))?,
            lines,
        })
    }

    /// What it is called; empty when the line has no title.
    pub fn title(&self) -> Text {
        self.parts.title()
    }

    /// The URL as it stands in the file.
    pub fn written(&self) -> Text {
        self.parts.written()
    }

    /// The URL, or what is wrong with it.
    ///
    /// # Errors
    /// The URL's [`ParseError`].
    pub fn url(&self) -> Result<Url, ParseError> {
        self.parts.judged()
    }

    /// Its tags, without the `#`.
    pub fn tags(&self) -> Vec<Text> {
        self.parts.tag_texts()
    }

    /// Its notes, a line each.
    pub fn notes(&self) -> Vec<Text> {
        let (_, notes) = split_first(self.lines);
        super::view::notes(notes)
    }
}

/// Goes through a bookmark file and gives `take` each bookmark that holds the words, in the order of the file. What it makes
/// of them comes back in parts, the first of the file first; `fits` judges the words that are about what is known.
pub fn sweep<T: Default + Send>(
    octets: &[u8],
    words: &Words,
    fits: &Fits<'_>,
    take: &(impl Fn(&Passed<'_>, &mut T) + Sync),
) -> Vec<T> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let threads = threads.min(THREADS).min(octets.len() / SHARED + 1);
    let mut cuts: Vec<usize> = (0..threads)
        .map(|number| cut(octets, octets.len() / threads * number))
        .collect();
    cuts.push(octets.len());
    let go = |from: usize, to: usize| {
        let mut made = T::default();
        let mut part = Part::new(octets, from, to);
        part.go(words, fits, |passed| take(passed, &mut made));
        made
    };
    thread::scope(|scope| {
        let go = &go;
        let mut ranges = cuts.iter().copied().zip(cuts.iter().copied().skip(1));
        let first = ranges.next();
        let others: Vec<_> = ranges
            .map(|(from, to)| scope.spawn(move || go(from, to)))
            .collect();
        let mut made: Vec<T> = first.map(|(from, to)| go(from, to)).into_iter().collect();
        // A panic there would be a mistake of ours: what was not searched is not found.
        made.extend(others.into_iter().filter_map(|other| other.join().ok()));
        made
    })
}

/// The next place from `at` on where a line begins that is no note.
fn cut(octets: &[u8], mut at: usize) -> usize {
    if at == 0 {
        return 0;
    }
    // The line that `at` is in belongs to the part before.
    at -= 1;
    loop {
        let rest = octets.get(at..).unwrap_or_default();
        let Some(end) = memchr::memchr(b'\n', rest) else {
            return octets.len();
        };
        at += end + 1;
        if !is_indented(octets.get(at..).unwrap_or_default()) {
            return at;
        }
    }
}

/// A part of the file, and what is open where it begins.
struct Part<'a> {
    octets: &'a [u8],
    /// How many lines are above it.
    line: usize,
    /// How deep each of the open folders is, and their names.
    depths: Vec<usize>,
    names: Vec<String>,
}

impl<'a> Part<'a> {
    fn new(octets: &'a [u8], from: usize, to: usize) -> Self {
        let above = octets.get(..from).unwrap_or_default();
        let mut part = Self {
            octets: octets.get(from..to).unwrap_or_default(),
            line: memchr::memchr_iter(b'\n', above).count(),
            depths: Vec::new(),
            names: Vec::new(),
        };
        let mut rest = above;
        while let Some(octets) = rest.strip_suffix(b"\n").filter(|_| !part.is_rooted()) {
            let start = memchr::memrchr(b'\n', octets).map_or(0, |at| at + 1);
            let (before, own) = rest.split_at_checked(start).unwrap_or_default();
            rest = before;
            let found = heading(trim_end(own)).filter(|_| Parts::of(own).is_none());
            if let Some((depth, name)) = found
                && part.depths.last().is_none_or(|below| depth < *below)
            {
                part.depths.push(depth);
                part.names.push(name_of(name));
            }
        }
        part.depths.reverse();
        part.names.reverse();
        part
    }

    /// Whether nothing further up can be open.
    fn is_rooted(&self) -> bool {
        self.depths.last() == Some(&1)
    }

    fn open(&mut self, depth: usize, name: &[u8]) {
        let above = self.depths.iter().take_while(|above| **above < depth);
        let above = above.count();
        self.depths.truncate(above);
        self.names.truncate(above);
        self.depths.push(depth);
        self.names.push(name_of(name));
    }

    fn go(&mut self, words: &Words, fits: &Fits<'_>, mut take: impl FnMut(&Passed<'_>)) {
        let mut look = words.look();
        look.enter(&self.names);
        let mut rest = self.octets;
        let mut line = self.line;
        while !rest.is_empty() {
            let (own, mut below) = split_first(rest);
            let number = line;
            line += 1;
            let bare = trim_end(own);
            if let Some(parts) = Parts::of(bare) {
                while is_indented(below) {
                    (_, below) = split_first(below);
                    line += 1;
                }
                let len = rest.len() - below.len();
                let passed = Passed {
                    line: number,
                    folder: &self.names,
                    parts,
                    lines: rest.get(..len).unwrap_or_default(),
                };
                if look.holds(&passed, fits) {
                    take(&passed);
                }
            } else if let Some((depth, name)) = heading(bare) {
                self.open(depth, name);
                look.enter(&self.names);
            }
            rest = below;
        }
    }
}

fn name_of(name: &[u8]) -> String {
    super::view::text(name).to_string()
}
