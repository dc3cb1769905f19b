//! Changes to the bookmark file, line by line.
//!
//! A change is a few splices: lines taken out, lines put in. It can be applied to the file as it is now, even when
//! someone has edited other lines since it was read; applying gives the change that takes it back.

use super::{Bookmark, Bookmarks, Draft, Item, Parts, tag, trim_end};

/// Lines out, lines in, in the order in which they are applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    splices: Vec<Splice>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Splice {
    /// Where, when nothing else has changed.
    at: usize,
    /// The line above, by which the place is found when something has.
    above: Option<Vec<u8>>,
    removed: Vec<Vec<u8>>,
    inserted: Vec<Vec<u8>>,
}

/// The lines to change are not in the file any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the line was changed or removed in the file meanwhile; nothing was written")]
pub struct Conflict;

impl Bookmarks {
    /// A new bookmark: at the end of its folder, which is made when it is missing, or else of the file.
    pub fn adding(&self, draft: &Draft) -> Change {
        let line = self.written(draft, None);
        Change {
            splices: vec![self.insertion(&draft.folder, vec![line])],
        }
    }

    /// Another title, URL, tags or folder for the bookmark on a line; notes go where it goes. Nothing when the line
    /// holds no bookmark.
    pub fn editing(&self, line: usize, draft: &Draft) -> Option<Change> {
        let index = self.index_of(line)?;
        let old = self.lines.get(line)?;
        let new = self.written(draft, Some(old));
        if draft.folder == self.folder_of(index) {
            let splice = self.splice(line, vec![old.clone()], vec![new]);
            return Some(Change {
                splices: vec![splice],
            });
        }
        let taken = self.block(line);
        let mut put = taken.clone();
        if let Some(first) = put.first_mut() {
            *first = new;
        }
        let out = self.splice(line, taken, Vec::new());
        let mut rest = self.clone();
        let back = out.clone().apply(&mut rest.lines).ok()?;
        debug_assert_eq!(back.at, line);
        let rest = Self::of(rest.lines);
        let into = if draft.folder.is_empty() {
            rest.splice(rest.top(), Vec::new(), put)
        } else {
            rest.insertion(&draft.folder, put)
        };
        Some(Change {
            splices: vec![out, into],
        })
    }

    /// Without the bookmark on a line, and its notes.
    pub fn removing(&self, line: usize) -> Option<Change> {
        self.index_of(line)?;
        let taken = self.block(line);
        Some(Change {
            splices: vec![self.splice(line, taken, Vec::new())],
        })
    }

    /// Makes a change, and gives the one that takes it back.
    ///
    /// # Errors
    /// [`Conflict`]; nothing is changed then.
    pub fn apply(&mut self, change: &Change) -> Result<Change, Conflict> {
        let mut lines = self.lines.clone();
        let mut back = Vec::with_capacity(change.splices.len());
        for splice in &change.splices {
            back.push(splice.clone().apply(&mut lines)?);
        }
        back.reverse();
        *self = Self::of(lines);
        Ok(Change { splices: back })
    }

    /// The line that a change left behind, by the change that takes it back.
    pub fn changed_line(&self, back: &Change) -> Option<usize> {
        let put = back
            .splices
            .iter()
            .find(|splice| !splice.removed.is_empty())?;
        let lines = put.at..put.at + put.removed.len();
        self.bookmarks()
            .map(|bookmark| bookmark.line)
            .filter(|line| lines.contains(line))
            .last()
    }

    fn index_of(&self, line: usize) -> Option<usize> {
        self.items
            .iter()
            .position(|item| matches!(item, Item::Bookmark(bookmark) if bookmark.line == line))
    }

    /// A bookmark's line and those of its notes.
    fn block(&self, line: usize) -> Vec<Vec<u8>> {
        let notes = self
            .bookmarks()
            .find(|bookmark| bookmark.line == line)
            .map_or(0, |found| found.notes.len());
        self.lines
            .iter()
            .skip(line)
            .take(1 + notes)
            .cloned()
            .collect()
    }

    fn splice(&self, at: usize, removed: Vec<Vec<u8>>, inserted: Vec<Vec<u8>>) -> Splice {
        let above = at
            .checked_sub(1)
            .and_then(|above| self.lines.get(above))
            .cloned();
        Splice {
            at,
            above,
            removed,
            inserted,
        }
    }

    /// New lines at the end of a folder, before the blank lines that end it.
    fn insertion(&self, folder: &[String], mut new: Vec<Vec<u8>>) -> Splice {
        let end = if folder.is_empty() {
            Some(self.lines.len())
        } else {
            self.end_of(folder)
        };
        let at = end.unwrap_or_else(|| {
            new = self
                .headings(folder)
                .into_iter()
                .chain(std::mem::take(&mut new))
                .collect();
            self.lines.len()
        });
        self.splice(at, Vec::new(), new)
    }

    /// The line above which no folder stands: where a bookmark is in none.
    fn top(&self) -> usize {
        let first = self.items.iter().find_map(|item| match item {
            Item::Folder(folder) => Some(folder.line),
            Item::Bookmark(_) => None,
        });
        first.unwrap_or(self.lines.len())
    }

    /// The line after the last one that means something in a folder.
    fn end_of(&self, folder: &[String]) -> Option<usize> {
        let start = self.items.iter().enumerate().position(|(index, item)| {
            matches!(item, Item::Folder(own) if {
                let mut path = self.folder_of(index);
                path.push(own.name.to_string());
                path == folder
            })
        })?;
        let Some(Item::Folder(own)) = self.items.get(start) else {
            return None;
        };
        let mut end = own.line + 1;
        for item in self.items.iter().skip(start + 1) {
            match item {
                Item::Folder(_) => break,
                Item::Bookmark(Bookmark { line, notes, .. }) => end = line + 1 + notes.len(),
            }
        }
        Some(end)
    }

    /// The headings that a folder needs which the file does not have yet.
    fn headings(&self, folder: &[String]) -> Vec<Vec<u8>> {
        let last: Vec<String> = match self.items.len().checked_sub(1) {
            None => Vec::new(),
            Some(index) => {
                let mut path = self.folder_of(index);
                if let Some(Item::Folder(own)) = self.items.get(index) {
                    path.push(own.name.to_string());
                }
                path
            }
        };
        let shared = last
            .iter()
            .zip(folder)
            .take_while(|(one, other)| one == other)
            .count();
        let blank = (!self.lines.is_empty()
            && self
                .lines
                .last()
                .is_some_and(|line| !trim_end(line).is_empty()))
        .then(|| ending(&self.lines).to_vec());
        let missing = folder.iter().enumerate().skip(shared).map(|(depth, name)| {
            let name = one_line(name);
            [
                b"#".repeat(depth + 1).as_slice(),
                b" ",
                name.as_bytes(),
                ending(&self.lines),
            ]
            .concat()
        });
        blank.into_iter().chain(missing).collect()
    }

    /// A draft as a line; what else the old line held after its URL is kept.
    fn written(&self, draft: &Draft, old: Option<&[u8]>) -> Vec<u8> {
        let mut line = Vec::new();
        let title = one_line(&draft.title);
        if !title.is_empty() {
            line.extend_from_slice(title.as_bytes());
            line.push(b' ');
        }
        line.extend_from_slice(b"<URL:");
        line.extend_from_slice(draft.url.as_str().as_bytes());
        line.push(b'>');
        let parts = old.and_then(|old| Parts::of(trim_end(old)));
        let kept = parts.map(|parts| parts.rest).unwrap_or_default();
        let had: Vec<&[u8]> = kept
            .split(u8::is_ascii_whitespace)
            .filter_map(tag)
            .collect();
        let wanted: Vec<&[u8]> = draft.tags.iter().map(String::as_bytes).collect();
        if had == wanted {
            line.extend_from_slice(kept);
        } else {
            for word in kept
                .split(u8::is_ascii_whitespace)
                .filter(|word| !word.is_empty() && tag(word).is_none())
            {
                line.push(b' ');
                line.extend_from_slice(word);
            }
            for tag in wanted {
                line.extend_from_slice(b" #");
                line.extend_from_slice(tag);
            }
        }
        let end = old.map_or(ending(&self.lines), |old| {
            old.get(trim_end(old).len()..).unwrap_or_default()
        });
        line.extend_from_slice(end);
        line
    }
}

/// The line ending of a file, by its first line.
fn ending(lines: &[Vec<u8>]) -> &'static [u8] {
    match lines.first() {
        Some(line) if line.ends_with(b"\r\n") => b"\r\n",
        _ => b"\n",
    }
}

impl Splice {
    /// Carries itself out, and gives the splice that takes it back.
    fn apply(mut self, lines: &mut Vec<Vec<u8>>) -> Result<Self, Conflict> {
        let mut at = self.place(lines).ok_or(Conflict)?;
        let ending = ending(lines);
        if !self.inserted.is_empty() {
            // A line without its end, above or at the end of what is put in, would run into the next one.
            if let Some(above) = at.checked_sub(1).and_then(|above| lines.get(above))
                && !above.ends_with(b"\n")
            {
                let above = above.clone();
                self.inserted.insert(0, [above.as_slice(), ending].concat());
                self.removed.insert(0, above);
                at -= 1;
            }
            let is_last = at + self.removed.len() == lines.len();
            if let Some(last) = self.inserted.last_mut().filter(|_| !is_last)
                && !last.ends_with(b"\n")
            {
                last.extend_from_slice(ending);
            }
        }
        let above = at
            .checked_sub(1)
            .and_then(|above| lines.get(above))
            .cloned();
        lines.splice(at..at + self.removed.len(), self.inserted.iter().cloned());
        Ok(Self {
            at,
            above,
            removed: self.inserted,
            inserted: self.removed,
        })
    }

    /// Where it applies now: where it was made for, else the nearest place that looks the same.
    fn place(&self, lines: &[Vec<u8>]) -> Option<usize> {
        let fits = |&at: &usize| {
            lines
                .get(at..at + self.removed.len())
                .is_some_and(|here| here == self.removed)
        };
        let above = |at: usize| at.checked_sub(1).and_then(|above| lines.get(above));
        if fits(&self.at) && above(self.at) == self.above.as_ref() {
            return Some(self.at);
        }
        let places = (0..=lines.len()).filter(fits);
        if self.removed.is_empty() {
            let after = places.filter(|&at| above(at) == self.above.as_ref());
            return after
                .min_by_key(|at| at.abs_diff(self.at))
                .or(Some(lines.len()));
        }
        places.min_by_key(|&at| (above(at) != self.above.as_ref(), at.abs_diff(self.at)))
    }
}

/// A title or a name as it can stand on a line, where `<URL:` would begin the URL.
fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut safe = String::with_capacity(line.len());
    let mut rest = line.as_str();
    while let Some(at) = rest.find('<') {
        let (before, from) = rest.split_at(at);
        safe.push_str(before);
        let opens = from
            .get(1..5)
            .is_some_and(|prefix| prefix.eq_ignore_ascii_case("URL:"));
        safe.push(if opens { '(' } else { '<' });
        rest = from.strip_prefix('<').unwrap_or_default();
    }
    safe.push_str(rest);
    safe
}
