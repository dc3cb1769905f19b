//! Several items at once: removed, moved, copied.
//!
//! A bookmark takes its notes along, a folder what is in it. What is chosen inside a chosen folder goes with it.

use super::Bookmarks;
use super::change::{Change, Splice};
use super::edit::Edit;
use super::index::Kind;
use super::line::{heading, is_blank, is_indented, split, trim_end};
use super::place::Place;

impl Bookmarks {
    /// Without the items at these indices.
    pub fn removing(&self, items: &[usize]) -> Change {
        Change::new(self.taking(&self.chosen(items)))
    }

    /// The items at these indices somewhere else, in the order of the file; nothing when a folder would go into itself.
    pub fn moving(&self, items: &[usize], place: &Place) -> Option<Change> {
        let chosen = self.chosen(items);
        let goes_into_itself = |&index: &usize| self.is_within(place, index);
        if chosen.iter().any(goes_into_itself) {
            return None;
        }
        let blocks = chosen.iter().map(|&index| self.block(index));
        let blocks = blocks.collect();
        Some(self.moved(&chosen, blocks, place))
    }

    /// The bookmark at an index edited and put somewhere else; nothing when there is none.
    pub fn revising(&self, index: usize, edit: &Edit, place: &Place) -> Option<Change> {
        let bookmark = self.bookmark(index)?;
        let block = Block {
            depth: 0,
            lines: self.edited(&bookmark, edit),
        };
        Some(self.moved(&[index], vec![block], place))
    }

    /// The items at these indices as a bookmark file of their own: the bookmarks, and then the folders.
    #[must_use]
    pub fn copying(&self, items: &[usize]) -> Self {
        let blocks = self
            .chosen(items)
            .into_iter()
            .map(|index| self.block(index));
        let (mut octets, folders) = self.gathered(blocks.collect());
        octets.extend_from_slice(&folders);
        Self::of(octets)
    }

    /// All bookmarks and folders of another file, put into this one; lines above the first that mean nothing are not.
    pub fn pasting(&self, from: &Self, place: &Place) -> Change {
        let all: Vec<usize> = (0..from.len()).collect();
        let blocks = from.chosen(&all).into_iter().map(|index| {
            let mut block = from.block(index);
            let lines = split(&block.lines).flat_map(|line| [trim_end(line), self.ending()]);
            block.lines = lines.collect::<Vec<_>>().concat();
            block
        });
        let blocks = blocks.collect();
        Change::new(self.putting_blocks(blocks, place, &[]))
    }

    fn moved(&self, chosen: &[usize], blocks: Vec<Block>, place: &Place) -> Change {
        let mut splices = self.taking(chosen);
        let mut put = self.putting_blocks(blocks, place, &splices);
        for splice in &mut put {
            let inside = splices.iter().find(|taken| {
                let lines = split(&taken.removed).count();
                (taken.at + 1..taken.at + lines).contains(&splice.at)
            });
            // The end of a folder may be in the blank lines that go with the last folder in it.
            if let Some(taken) = inside {
                let at = taken.at + split(&taken.removed).count();
                *splice = Splice::new(self, at, 0, std::mem::take(&mut splice.inserted));
            }
        }
        splices.append(&mut put);
        Change::new(splices)
    }

    /// In the order of the file, without those that are in another one of them.
    fn chosen(&self, items: &[usize]) -> Vec<usize> {
        let mut items: Vec<usize> = items.to_vec();
        items.sort_unstable();
        let mut from = 0;
        items.retain(|&index| {
            let stays = index >= from && index < self.len();
            if stays {
                from = self.end(index);
            }
            stays
        });
        items
    }

    fn taking(&self, chosen: &[usize]) -> Vec<Splice> {
        let lines = chosen.iter().filter_map(|&index| self.extent(index));
        lines
            .map(|(start, end)| Splice::new(self, start, end - start, []))
            .collect()
    }

    /// The lines of an item: those of a bookmark and its notes, or of a folder and all in it, with the blank lines that
    /// follow, and with those that would become notes on something else.
    fn extent(&self, index: usize) -> Option<(usize, usize)> {
        let entry = self.entry(index)?;
        if entry.kind != Kind::Folder {
            return Some((entry.line, self.end_of_notes(entry.line)));
        }
        let end = self.end_of_folder(index);
        let below = (end..self.line_count()).map(|line| self.line(line));
        let more = below.take_while(|line| is_blank(line) || is_indented(line));
        Some((entry.line, end + more.count()))
    }

    fn block(&self, index: usize) -> Block {
        let (start, end) = self.extent(index).unwrap_or_default();
        Block {
            depth: self.folder(index).map_or(0, |folder| folder.depth),
            lines: self.lines(start..end).to_vec(),
        }
    }

    fn putting_blocks(&self, blocks: Vec<Block>, place: &Place, taken: &[Splice]) -> Vec<Splice> {
        let (bookmarks, folders) = self.gathered(blocks);
        let mut splices: Vec<Splice> = self.putting(&bookmarks, place).into_iter().collect();
        if !folders.is_empty() {
            let mut put = self.putting_folder(&folders, place, taken);
            let headings = self.landing_of_folder(place).headings;
            if !splices.is_empty() && !headings.is_empty() {
                // The bookmarks have made the folder that was missing.
                let rest = put.inserted.get(headings.len()..).unwrap_or_default();
                put.inserted = [self.ending(), rest].concat().into();
            }
            splices.push(put);
        }
        splices
    }

    /// The lines of the bookmarks, and those of the folders, all beside each other at the top: what stood below a
    /// heading would be in it.
    fn gathered(&self, blocks: Vec<Block>) -> (Vec<u8>, Vec<u8>) {
        let mut bookmarks = Vec::new();
        let mut folders = Vec::new();
        for block in blocks {
            if block.depth > 0 {
                folders.extend(self.relevelled(&block, 1));
            } else {
                // What is indented would be a note.
                self.join(block.lines.trim_ascii_start(), &mut bookmarks);
            }
        }
        (bookmarks, folders)
    }

    /// Folders of depth 1 and what is in them put in their place, as deep as it is; blank lines around them.
    /// `taken` are the lines that go meanwhile.
    pub(super) fn putting_folder(&self, lines: &[u8], place: &Place, taken: &[Splice]) -> Splice {
        let landing = self.landing_of_folder(place);
        let mut text = landing.headings.clone();
        if text.is_empty() && self.wants_blank(landing.line.checked_sub(1)) {
            text.extend_from_slice(self.ending());
        }
        let block = Block {
            depth: 1,
            lines: lines.to_vec(),
        };
        text.extend(self.relevelled(&block, landing.depth));
        while text.ends_with(b"\n\n") || text.ends_with(b"\n\r\n") {
            text.truncate(trim_end(&text).len());
        }
        let below = taken.iter().fold(landing.line, |below, taken| {
            let end = taken.at + split(&taken.removed).count();
            if taken.at <= below {
                below.max(end)
            } else {
                below
            }
        });
        if self.wants_blank(Some(below)) {
            text.extend_from_slice(self.ending());
        }
        Splice::new(self, landing.line, 0, text)
    }

    /// A folder's lines, each heading so much deeper or less deep as the first.
    fn relevelled(&self, block: &Block, depth: usize) -> Vec<u8> {
        let mut lines = Vec::with_capacity(block.lines.len());
        self.join(&block.lines, &mut lines);
        if block.depth == depth {
            return lines;
        }
        let file = Self::of(lines);
        let mut lines = Vec::with_capacity(block.lines.len());
        for (number, line) in split(file.octets()).enumerate() {
            let own = file
                .on_line(number)
                .and_then(|item| file.folder(item.index()));
            match own {
                Some(folder) => {
                    let deep = (folder.depth + depth).saturating_sub(block.depth).max(1);
                    lines.extend_from_slice(&b"#".repeat(deep));
                    let hashes = heading(trim_end(line)).map_or(0, |(depth, _)| depth);
                    lines.extend_from_slice(line.get(hashes..).unwrap_or_default());
                }
                None => lines.extend_from_slice(line),
            }
        }
        lines
    }

    /// Puts lines below others, the last of them with its end.
    fn join(&self, lines: &[u8], to: &mut Vec<u8>) {
        to.extend_from_slice(lines);
        self.end_line(to);
    }

    /// Whether a place is in the folder at an index.
    fn is_within(&self, place: &Place, index: usize) -> bool {
        if self.folder(index).is_none() {
            return false;
        }
        let own = index..self.end(index);
        match place {
            Place::End | Place::Top => false,
            Place::Inside(at) => own.contains(at),
            Place::Before(at) | Place::After(at) => (index + 1..own.end).contains(at),
            Place::Path(path) => {
                let known = (1..=path.len()).rev().find_map(|known| {
                    let (path, _) = path.split_at_checked(known)?;
                    self.folder_at(path)
                });
                known.is_some_and(|at| own.contains(&at))
            }
        }
    }
}

/// An item's lines.
struct Block {
    /// How deep the folder is; 0 for a bookmark.
    depth: usize,
    lines: Vec<u8>,
}
