//! Changes made to the file as it is now, even when somebody has edited it since they were made.
//!
//! Each splice looks for its lines where it expects them, and else where they stand between the lines that were around
//! them. When they are not there any more, somebody has edited or removed them: what stands in the file stays, ours is
//! put below it, and [`Applied::clashes`] says so. All splices are made in one pass over the file.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt;

use super::Bookmarks;
use super::change::{Around, Change, Splice, mark};
use super::index::{Kind, Piece};
use super::line::{end_of, is_indented, split, trim_end};

/// A change that was made.
#[derive(Clone, Debug)]
pub struct Applied {
    /// The bookmarks as they are now.
    pub bookmarks: Bookmarks,
    /// The change that takes it back.
    pub back: Change,
    /// The indices of the items on the lines that were put in, in the order of the file.
    pub items: Vec<usize>,
    /// What somebody else had changed meanwhile, and is there beside ours.
    pub clashes: Vec<Clash>,
}

/// A line that was to be changed or removed, and had been changed by somebody else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clash {
    /// The line of the file that was kept, from 0.
    pub theirs: usize,
    /// The line that was put below it; nothing when it was only to be removed, or moved.
    pub ours: Option<usize>,
}

impl fmt::Display for Clash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.theirs + 1;
        write!(f, "line {line} was changed in the file meanwhile")?;
        f.write_str(match self.ours {
            Some(_) => ": it stays, and yours is below it",
            None => ": it stays where it is",
        })
    }
}

/// Where a splice goes in the file as it is.
enum Found {
    /// Its lines are there.
    Here(usize),
    /// They are not: what it puts in goes to this line, below what is there now.
    Lost { at: usize, theirs: Option<usize> },
    /// What it wants is done already.
    Done,
}

impl Bookmarks {
    /// Makes a change.
    #[must_use]
    pub fn apply(&self, change: &Change) -> Applied {
        let mut finder = Finder::new(self);
        let mut places: Vec<(usize, &Splice, Found)> = Vec::with_capacity(change.splices.len());
        for splice in &change.splices {
            match finder.find(splice) {
                Found::Here(at) => places.push((at, splice, Found::Here(at))),
                Found::Lost { at, theirs } => {
                    places.push((at, splice, Found::Lost { at, theirs }));
                }
                Found::Done => {}
            }
        }
        places.sort_by_key(|(at, ..)| *at);
        let mut pass = Pass::new(self);
        for (at, splice, found) in places {
            match found {
                Found::Here(_) if at >= pass.next => pass.splice(at, splice),
                // Two splices found the same lines: the second has lost its own.
                Found::Here(_) => pass.lost(pass.next, None, splice),
                Found::Lost { theirs, .. } => pass.lost(at.max(pass.next), theirs, splice),
                Found::Done => {}
            }
        }
        pass.done()
    }
}

/// The file while it is gone through once.
struct Pass<'a> {
    file: &'a Bookmarks,
    pieces: Vec<Piece<'a>>,
    /// The first line that is not yet kept or taken out.
    next: usize,
    /// How many lines the new file has so far.
    lines: usize,
    /// Where in the new file lines were put in, how many, and what stood there.
    made: Vec<(usize, usize, Vec<u8>)>,
    clashes: Vec<Clash>,
}

impl<'a> Pass<'a> {
    fn new(file: &'a Bookmarks) -> Self {
        Self {
            file,
            pieces: Vec::new(),
            next: 0,
            lines: 0,
            made: Vec::new(),
            clashes: Vec::new(),
        }
    }

    fn splice(&mut self, at: usize, splice: &'a Splice) {
        self.keep_to(at);
        let out = split(&splice.removed).count();
        let stood = self.file.lines(at..at + out).to_vec();
        self.next = at + out;
        self.put(&splice.inserted, stood);
    }

    fn lost(&mut self, at: usize, theirs: Option<usize>, splice: &'a Splice) {
        self.keep_to(at);
        // Lines before `at` are kept as they are, but for those that came in.
        let theirs = theirs.map(|line| (self.lines + line).saturating_sub(at));
        let ours = (!splice.inserted.is_empty()).then_some(self.lines);
        if let Some(theirs) = theirs {
            self.clashes.push(Clash { theirs, ours });
        }
        if ours.is_some() {
            self.put(&splice.inserted, Vec::new());
        }
    }

    fn keep_to(&mut self, line: usize) {
        if line > self.next {
            self.end_the_last();
            self.pieces.push(Piece::Kept(self.next..line));
            self.lines += line - self.next;
            self.next = line;
        }
    }

    fn put(&mut self, inserted: &'a [u8], mut stood: Vec<u8>) {
        let mut inserted = Cow::Borrowed(inserted);
        let mut at = self.lines;
        if !inserted.is_empty() {
            self.end_the_last();
            // The last line of the file may have no end: it is one of those that change.
            if let Some(Piece::Kept(kept)) = self.pieces.last_mut()
                && let Some(last) = kept.end.checked_sub(1)
                && !self.file.line(last).ends_with(b"\n")
            {
                kept.end = last;
                at -= 1;
                let line = self.file.line(last);
                let mut ended = line.to_vec();
                self.file.end_line(&mut ended);
                ended.extend_from_slice(&inserted);
                inserted = ended.into();
                stood.splice(0..0, line.iter().copied());
            }
        }
        self.lines = at + split(&inserted).count();
        self.made.push((at, self.lines - at, stood));
        self.pieces.push(Piece::New(inserted));
    }

    /// A line that was put in without its end gets one, because something follows.
    fn end_the_last(&mut self) {
        let last = self.pieces.iter_mut().rev().find_map(|piece| match piece {
            Piece::Kept(_) => Some(None),
            Piece::New(new) if new.is_empty() => None,
            Piece::New(new) => Some(Some(new)),
        });
        if let Some(Some(new)) = last
            && !new.ends_with(b"\n")
        {
            self.file.end_line(new.to_mut());
        }
    }

    fn done(mut self) -> Applied {
        self.keep_to(self.file.line_count());
        let bookmarks = self.file.assembled(&self.pieces);
        let mut items = Vec::new();
        for (at, count, _) in &self.made {
            let from = bookmarks.entries.partition_point(|entry| entry.line < *at);
            let to = bookmarks
                .entries
                .partition_point(|entry| entry.line < at + count);
            items.extend(from..to);
        }
        let back = self.made.into_iter().map(|(at, count, stood)| Splice {
            inserted: stood.into(),
            ..Splice::new(&bookmarks, at, count, [])
        });
        let back = Change::new(back.collect());
        Applied {
            bookmarks,
            back,
            items,
            clashes: self.clashes,
        }
    }
}

/// Finds the places of splices, one after the other.
struct Finder<'a> {
    file: &'a Bookmarks,
    /// How far the one before was from where it was made for.
    shift: isize,
    /// Where each line stands; made when it is first needed.
    lines: Option<HashMap<u64, Vec<usize>>>,
    /// The headings of all folders; made when they are first needed.
    folders: Option<HashSet<u64>>,
}

impl<'a> Finder<'a> {
    fn new(file: &'a Bookmarks) -> Self {
        Self {
            file,
            shift: 0,
            lines: None,
            folders: None,
        }
    }

    fn find(&mut self, splice: &Splice) -> Found {
        let expected = splice.at.saturating_add_signed(self.shift);
        if self.mismatches(expected, splice) == Some(0) {
            return self.settled(expected, splice);
        }
        let nearest = self.candidates(splice);
        // While its folder is there, the same line in another one is another bookmark.
        let has_folder = self.has_folder(splice.around.under);
        let is_elsewhere =
            |at: usize| has_folder && at != expected && self.file.under(at) != splice.around.under;
        let nearest = nearest
            .filter_map(|at| {
                let mismatches = self.mismatches(at, splice)? + 2 * usize::from(is_elsewhere(at));
                Some((mismatches, at.abs_diff(expected), at))
            })
            .min();
        match nearest {
            Some((mismatches, _, at))
                if mismatches < 2 || (at == expected && !splice.removed.is_empty()) =>
            {
                self.shift = at.cast_signed() - splice.at.cast_signed();
                self.settled(at, splice)
            }
            Some(_) | None => self.lost(expected, splice),
        }
    }

    /// Where it may go.
    fn candidates(&mut self, splice: &Splice) -> impl Iterator<Item = usize> + use<> {
        let expected = splice.at.saturating_add_signed(self.shift);
        let mut places = Vec::new();
        if let Some(first) = split(&splice.removed).next() {
            places.extend_from_slice(self.standing(mark(first)));
        } else {
            places.push(0);
            places.push(self.file.line_count());
            let Around { above, below, .. } = splice.around;
            if let Some(above) = above {
                places.extend(self.standing(above).iter().map(|line| line + 1));
            }
            if let Some(below) = below {
                places.extend_from_slice(self.standing(below));
            }
        }
        places.push(expected);
        places.push(splice.at);
        places.into_iter()
    }

    fn standing(&mut self, mark: u64) -> &[usize] {
        let lines = self.lines.get_or_insert_with(|| {
            let mut lines: HashMap<u64, Vec<usize>> = HashMap::new();
            for line in 0..self.file.line_count() {
                lines.entry(self.file.mark(line)).or_default().push(line);
            }
            lines
        });
        lines.get(&mark).map(Vec::as_slice).unwrap_or_default()
    }

    /// Whether there is a folder with these headings.
    fn has_folder(&mut self, under: u64) -> bool {
        let folders = self.folders.get_or_insert_with(|| {
            let entries = self.file.entries.iter();
            let folders = entries.filter(|entry| entry.kind == Kind::Folder);
            // In none at all there is always room.
            let folders = folders.map(|folder| self.file.under(folder.line + 1));
            folders.chain([0]).collect()
        });
        folders.contains(&under)
    }

    /// How many of the lines around are others; nothing when its own lines are not there.
    fn mismatches(&self, at: usize, splice: &Splice) -> Option<usize> {
        let out = self.fits(at, &splice.removed)?;
        let around = self.file.around(at, at + out);
        let above = usize::from(around.above != splice.around.above);
        Some(above + usize::from(around.below != splice.around.below))
    }

    /// Whether these lines stand at a line, and how many they are.
    fn fits(&self, at: usize, lines: &[u8]) -> Option<usize> {
        if at > self.file.line_count() {
            return None;
        }
        let mut count = 0;
        for line in split(lines) {
            let here = at + count;
            if here >= self.file.line_count() || trim_end(self.file.line(here)) != trim_end(line) {
                return None;
            }
            count += 1;
        }
        Some(count)
    }

    /// Notes that came below a line meanwhile are not torn from it.
    fn settled(&self, at: usize, splice: &Splice) -> Found {
        if splice.removed.is_empty() {
            let is_note = is_indented(&splice.inserted);
            let below = self.file.below_notes(at);
            return Found::Here(if is_note { at } else { below });
        }
        let end = at + split(&splice.removed).count();
        let noted = is_indented(self.file.line(end));
        if noted && splice.inserted.is_empty() {
            let theirs = Some(at);
            return Found::Lost { at: end, theirs };
        }
        Found::Here(at)
    }

    /// The lines that it was to change are others by now.
    fn lost(&mut self, expected: usize, splice: &Splice) -> Found {
        let count = self.file.line_count();
        if splice.removed.is_empty() {
            let at = self.file.below_notes(expected.min(count));
            return Found::Here(at);
        }
        let mut at = expected.min(count);
        let out = split(&splice.removed).count();
        let nearest = |lines: &[usize]| {
            let nearest = lines.iter().copied();
            nearest.min_by_key(|line| line.abs_diff(expected))
        };
        if let Some(above) = splice.around.above
            && let Some(above) = nearest(self.standing(above))
        {
            at = above + 1;
        } else if let Some(below) = splice.around.below
            && let Some(below) = nearest(self.standing(below))
        {
            at = below.saturating_sub(out);
        }
        while at < count && !self.file.stands(at) {
            at += 1;
        }
        if !splice.inserted.is_empty() && self.fits(at, &splice.inserted).is_some() {
            return Found::Done;
        }
        let here = (at < count).then(|| self.file.mark(at));
        if here == splice.around.below {
            // They are gone: what was to go is done, what was to change is put there again.
            if splice.inserted.is_empty() {
                return Found::Done;
            }
            return Found::Lost { at, theirs: None };
        }
        let theirs = Some(at).filter(|&at| at < count);
        let at = self.file.below_notes((at + 1).min(count));
        Found::Lost { at, theirs }
    }
}

impl Bookmarks {
    /// The first line from here on that is not indented, and so can be no note.
    pub(super) fn below_notes(&self, line: usize) -> usize {
        let lines = line..self.line_count();
        let notes = lines.take_while(|&line| is_indented(self.line(line)));
        line + notes.count()
    }

    /// Ends the last of these lines where it has no end.
    pub(super) fn end_line(&self, lines: &mut Vec<u8>) {
        if lines.ends_with(b"\r") {
            lines.push(b'\n');
        } else if !lines.ends_with(b"\n") {
            lines.extend_from_slice(self.ending());
        }
    }

    /// The line ending of the file, by its first line.
    pub(super) fn ending(&self) -> &'static [u8] {
        if end_of(self.line(0)) == b"\r\n" {
            b"\r\n"
        } else {
            b"\n"
        }
    }
}
