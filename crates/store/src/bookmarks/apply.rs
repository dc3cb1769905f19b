//! Application of changes to the current file, even if another program has edited it since the change was created.
//!
//! Each splice searches its lines at the expected line, and then between the lines that were around them. If they are
//! not found, another program has edited or removed them: the lines in the file stay, ours are inserted below, and
//! [`AppliedChange::conflicts`] reports it. All splices are applied in one pass over the file.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt;

use super::Bookmarks;
use super::change::{Change, LineContext, Splice, line_hash};
use super::index::Piece;
use super::line::{end_of, is_indented, split, split_first, trim_end};

/// Result of an applied change.
#[derive(Clone, Debug)]
pub struct AppliedChange {
    /// Bookmarks after the change.
    pub bookmarks: Bookmarks,
    /// Change that reverts it.
    pub undo: Change,
    /// Indices of the items on the inserted lines, in the order of the file.
    pub items: Vec<usize>,
    /// Conflicts with changes of other programs, which are preserved next to ours.
    pub conflicts: Vec<EditConflict>,
}

/// Conflict: a line to change or remove was changed by another program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EditConflict {
    /// Line of the file that was preserved, from 0.
    pub theirs: usize,
    /// Our line, inserted below; `None` if the line was only to be removed or moved.
    pub ours: Option<usize>,
}

impl fmt::Display for EditConflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.theirs + 1;
        write!(f, "line {line} was changed in the file by another program")?;
        f.write_str(match self.ours {
            Some(_) => ": it stays, and yours is below it",
            None => ": it stays where it is",
        })
    }
}

/// Position of a splice in the current file.
#[derive(Clone, Copy)]
enum SplicePosition {
    /// The lines of the splice are at this line.
    At(usize),
    /// The lines were not found: inserted lines go to line `at`, below the changed line of the file.
    Conflict { at: usize, theirs: Option<usize> },
}

impl SplicePosition {
    fn line(self) -> usize {
        match self {
            Self::At(at) | Self::Conflict { at, .. } => at,
        }
    }
}

impl Bookmarks {
    /// Applies a change.
    #[must_use]
    pub fn apply(&self, change: &Change) -> AppliedChange {
        let mut locator = SpliceLocator {
            file: self,
            shift: 0,
            lines: None,
            folders: None,
        };
        let splices = change.splices.iter();
        let mut positions: Vec<(SplicePosition, &Splice)> = splices
            .filter_map(|splice| Some((locator.find(splice)?, splice)))
            .collect();
        positions.sort_by_key(|(position, _)| position.line());
        let mut builder = ChangeBuilder {
            file: self,
            pieces: Vec::new(),
            next: 0,
            lines: 0,
            replaced: Vec::new(),
            conflicts: Vec::new(),
        };
        for (position, splice) in positions {
            match position {
                SplicePosition::At(at) if at >= builder.next => builder.splice(at, splice),
                // Two splices found the same lines: the second one is in conflict.
                SplicePosition::At(_) => builder.conflict(builder.next, None, splice),
                SplicePosition::Conflict { at, theirs } => {
                    builder.conflict(at.max(builder.next), theirs, splice);
                }
            }
        }
        builder.finish()
    }
}

/// Builder of the changed file, in one pass.
struct ChangeBuilder<'a> {
    file: &'a Bookmarks,
    pieces: Vec<Piece<'a>>,
    /// First line of the old file that is not handled yet.
    next: usize,
    /// Number of lines of the new file so far.
    lines: usize,
    /// Inserted ranges: first line in the new file, number of lines, and the replaced octets.
    replaced: Vec<(usize, usize, Vec<u8>)>,
    conflicts: Vec<EditConflict>,
}

impl<'a> ChangeBuilder<'a> {
    fn splice(&mut self, at: usize, splice: &'a Splice) {
        self.copy_to(at);
        self.next = at + splice.removed_lines();
        let old = self.file.lines(at..self.next).to_vec();
        self.put(&splice.inserted, old);
    }

    fn conflict(&mut self, at: usize, theirs: Option<usize>, splice: &'a Splice) {
        self.copy_to(at);
        // Lines before `at` are copied unchanged; inserted lines shift them.
        let theirs = theirs.map(|line| (self.lines + line).saturating_sub(at));
        let ours = (!splice.inserted.is_empty()).then_some(self.lines);
        if let Some(theirs) = theirs {
            self.conflicts.push(EditConflict { theirs, ours });
        }
        if ours.is_some() {
            self.put(&splice.inserted, Vec::new());
        }
    }

    fn copy_to(&mut self, line: usize) {
        if line > self.next {
            self.end_last_line();
            self.pieces.push(Piece::Unchanged(self.next..line));
            self.lines += line - self.next;
            self.next = line;
        }
    }

    fn put(&mut self, inserted: &'a [u8], mut old: Vec<u8>) {
        let mut inserted = Cow::Borrowed(inserted);
        let mut at = self.lines;
        if !inserted.is_empty() {
            self.end_last_line();
            // The last line of the file may have no line end: then it changes, too.
            if let Some(Piece::Unchanged(unchanged)) = self.pieces.last_mut()
                && let Some(last) = unchanged.end.checked_sub(1)
                && !self.file.line(last).ends_with(b"\n")
            {
                unchanged.end = last;
                at -= 1;
                let line = self.file.line(last);
                let mut ended = line.to_vec();
                self.file.end_line(&mut ended);
                ended.extend_from_slice(&inserted);
                inserted = ended.into();
                old.splice(0..0, line.iter().copied());
            }
        }
        self.lines = at + split(&inserted).count();
        self.replaced.push((at, self.lines - at, old));
        self.pieces.push(Piece::New(inserted));
    }

    /// Adds a line end to the last inserted line, because another line follows.
    fn end_last_line(&mut self) {
        let mut pieces = self.pieces.iter_mut().rev();
        let last = pieces.find(|piece| !matches!(piece, Piece::New(new) if new.is_empty()));
        if let Some(Piece::New(new)) = last
            && !new.ends_with(b"\n")
        {
            self.file.end_line(new.to_mut());
        }
    }

    fn finish(mut self) -> AppliedChange {
        self.copy_to(self.file.line_count());
        let bookmarks = self.file.assembled(&self.pieces);
        let mut items = Vec::new();
        for (at, count, old) in &self.replaced {
            let above = |line: usize| bookmarks.entries.partition_point(|entry| entry.line < line);
            let new = bookmarks.lines(*at..at + count);
            let first = at + usize::from(begins_with_a_new_line_end(old, new));
            items.extend(above(first)..above(at + count));
        }
        let undo = self.replaced.into_iter().map(|(at, count, old)| Splice {
            inserted: old.into(),
            ..Splice::new(&bookmarks, at, count, [])
        });
        let undo = Change::new(undo.collect());
        AppliedChange {
            bookmarks,
            undo,
            items,
            conflicts: self.conflicts,
        }
    }
}

/// Returns true if of the first line only the line end differs, which was added because another line follows, or
/// removed again. A line whose notes change is another case.
fn begins_with_a_new_line_end(old: &[u8], new: &[u8]) -> bool {
    let ((old_line, old_rest), (new_line, new_rest)) = (split_first(old), split_first(new));
    !old_line.is_empty()
        && old_line != new_line
        && trim_end(old_line) == trim_end(new_line)
        && !is_indented(old_rest)
        && !is_indented(new_rest)
}

/// Locator of splices in the current file, one after the other.
struct SpliceLocator<'a> {
    file: &'a Bookmarks,
    /// Distance of the splice before from its expected line.
    shift: isize,
    /// Positions of each line, by its hash; built on first use.
    lines: Option<HashMap<u64, Vec<usize>>>,
    /// Hashes of the paths of all folders; built on first use.
    folders: Option<HashSet<u64>>,
}

impl SpliceLocator<'_> {
    /// Returns the position of a splice; `None` if the file already has its result.
    fn find(&mut self, splice: &Splice) -> Option<SplicePosition> {
        let expected = splice.at.saturating_add_signed(self.shift);
        if self.mismatches(expected, splice) == Some(0) {
            return Some(self.position_with_notes(expected, splice));
        }
        let nearest = self.candidates(splice);
        // While its folder exists, the same line in another folder is another bookmark.
        let has_folder = self.has_folder(splice.context.folder);
        let is_elsewhere = |at: usize| {
            has_folder && at != expected && self.file.folder_hash(at) != splice.context.folder
        };
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
                Some(self.position_with_notes(at, splice))
            }
            Some(_) | None => self.conflict_position(expected, splice),
        }
    }

    /// Returns the lines where the splice may belong.
    fn candidates(&mut self, splice: &Splice) -> impl Iterator<Item = usize> + use<> {
        let expected = splice.at.saturating_add_signed(self.shift);
        let mut lines = Vec::new();
        if let Some(first) = split(&splice.removed).next() {
            lines.extend_from_slice(self.lines_with(line_hash(first)));
        } else {
            lines.push(0);
            lines.push(self.file.line_count());
            let LineContext { above, below, .. } = splice.context;
            if let Some(above) = above {
                lines.extend(self.lines_with(above).iter().map(|line| line + 1));
            }
            if let Some(below) = below {
                lines.extend_from_slice(self.lines_with(below));
            }
        }
        lines.push(expected);
        lines.push(splice.at);
        lines.into_iter()
    }

    fn lines_with(&mut self, hash: u64) -> &[usize] {
        let lines = self.lines.get_or_insert_with(|| {
            let mut lines: HashMap<u64, Vec<usize>> = HashMap::new();
            for line in 0..self.file.line_count() {
                lines
                    .entry(self.file.line_hash(line))
                    .or_default()
                    .push(line);
            }
            lines
        });
        lines.get(&hash).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns true if there is a folder whose path has this hash.
    fn has_folder(&mut self, hash: u64) -> bool {
        let folders = self.folders.get_or_insert_with(|| {
            // The top level always exists.
            self.file.folder_hashes().into_iter().chain([0]).collect()
        });
        folders.contains(&hash)
    }

    /// Returns the number of context lines that differ; `None` if the lines of the splice are not at this line.
    fn mismatches(&self, at: usize, splice: &Splice) -> Option<usize> {
        let out = self.matching_lines(at, &splice.removed)?;
        let context = self.file.context(at, at + out);
        let above = usize::from(context.above != splice.context.above);
        Some(above + usize::from(context.below != splice.context.below))
    }

    /// Returns the number of these lines if they are at line `at`.
    fn matching_lines(&self, at: usize, lines: &[u8]) -> Option<usize> {
        let count = split(lines).count();
        let here = (at..).map(|line| trim_end(self.file.line(line)));
        let is_here = at.saturating_add(count) <= self.file.line_count()
            && split(lines)
                .map(trim_end)
                .zip(here)
                .all(|(line, here)| line == here);
        is_here.then_some(count)
    }

    /// Adjusts a position so that new notes stay with their line.
    fn position_with_notes(&self, at: usize, splice: &Splice) -> SplicePosition {
        if splice.removed.is_empty() {
            let is_note = is_indented(&splice.inserted);
            let below = self.file.below_notes(at);
            return SplicePosition::At(if is_note { at } else { below });
        }
        let end = at + splice.removed_lines();
        let noted = is_indented(self.file.line(end));
        if noted && splice.inserted.is_empty() {
            let theirs = Some(at);
            return SplicePosition::Conflict { at: end, theirs };
        }
        SplicePosition::At(at)
    }

    /// Returns the line with this hash that is nearest to the expected one.
    fn nearest_with(&mut self, hash: Option<u64>, expected: usize) -> Option<usize> {
        let lines = self.lines_with(hash?).iter().copied();
        lines.min_by_key(|line| line.abs_diff(expected))
    }

    /// Returns the position of a splice whose lines have changed; `None` if the file already has its result.
    fn conflict_position(&mut self, expected: usize, splice: &Splice) -> Option<SplicePosition> {
        let count = self.file.line_count();
        if splice.removed.is_empty() {
            let at = self.file.below_notes(expected.min(count));
            return Some(SplicePosition::At(at));
        }
        let LineContext { above, below, .. } = splice.context;
        let mut at = if let Some(above) = self.nearest_with(above, expected) {
            above + 1
        } else if let Some(below) = self.nearest_with(below, expected) {
            below.saturating_sub(splice.removed_lines())
        } else {
            expected.min(count)
        };
        while at < count && !self.file.is_own_line(at) {
            at += 1;
        }
        if !splice.inserted.is_empty() && self.matching_lines(at, &splice.inserted).is_some() {
            return None;
        }
        let theirs = Some(at).filter(|&at| at < count);
        if theirs.map(|at| self.file.line_hash(at)) == below {
            // The lines were deleted: a removal is done already, a changed line is inserted again.
            let is_done = splice.inserted.is_empty();
            return (!is_done).then_some(SplicePosition::Conflict { at, theirs: None });
        }
        let at = self.file.below_notes((at + 1).min(count));
        Some(SplicePosition::Conflict { at, theirs })
    }
}

impl Bookmarks {
    /// Returns the first line from `line` on that is not indented, and so is not a note.
    pub(super) fn below_notes(&self, line: usize) -> usize {
        let lines = line..self.line_count();
        let notes = lines.take_while(|&line| is_indented(self.line(line)));
        line + notes.count()
    }

    /// Adds a missing line end to the last of these lines.
    pub(super) fn end_line(&self, lines: &mut Vec<u8>) {
        if lines.ends_with(b"\r") {
            lines.push(b'\n');
        } else if !lines.ends_with(b"\n") {
            lines.extend_from_slice(self.ending());
        }
    }

    /// Returns the line end of the file, by its first line.
    pub(super) fn ending(&self) -> &'static [u8] {
        if end_of(self.line(0)) == b"\r\n" {
            b"\r\n"
        } else {
            b"\n"
        }
    }
}
