//! Lookup of items in a later state of the file.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::Bookmarks;
use super::line::trim_end;

impl Bookmarks {
    /// Returns the indices of these items in a later state of the file; `None` for an item whose line is missing. In
    /// the unchanged start and end of the file, items are found by their line number; in between, by the text of their
    /// line. The second of two equal lines is again the second. Where no item was added or removed in between, an
    /// edited line is that of the item in the same position.
    pub fn follow(&self, now: &Self, items: &[usize]) -> Vec<Option<usize>> {
        let same = |(one, other): &(usize, usize)| self.line(*one) == now.line(*other);
        let (count, counted) = (self.line_count(), now.line_count());
        let head = (0..count.min(counted)).map(|line| (line, line));
        let head = head.take_while(same).count();
        let tail = (head..count).rev().zip((head..counted).rev());
        let tail = tail.take_while(same).count();
        let (was, is) = (head..count - tail, head..counted - tail);
        let edited = self.edited_items(was.clone(), now, is.clone());
        let lines = items.iter().map(|&item| Some(self.entry(item)?.line));
        let lines: Vec<Option<usize>> = lines.collect();
        let searched = lines.iter().flatten().filter(|line| was.contains(line));
        // Line numbers of each searched line, before and now.
        let mut numbers: HashMap<&[u8], [Vec<usize>; 2]> = searched
            .map(|line| (trim_end(self.line(*line)), <[Vec<usize>; 2]>::default()))
            .collect();
        if !numbers.is_empty() {
            for line in was.clone() {
                if let Some([before, _]) = numbers.get_mut(trim_end(self.line(line))) {
                    before.push(line);
                }
            }
            for line in is {
                if let Some([_, after]) = numbers.get_mut(trim_end(now.line(line))) {
                    after.push(line);
                }
            }
        }
        let moved = |line: usize| {
            let [before, after] = numbers.get(trim_end(self.line(line)))?;
            after.get(before.binary_search(&line).ok()?).copied()
        };
        let found = lines.into_iter().map(|line| {
            let own = line?;
            let line = if own < head {
                Some(own)
            } else if !was.contains(&own) {
                Some(counted - (count - own))
            } else {
                moved(own)
            };
            match line {
                Some(line) => Some(now.on_line(line)?.index()),
                None => edited.get(&own).copied(),
            }
        });
        found.collect()
    }

    /// Returns the new indices of the items on these lines that were edited in their positions, by their lines.
    fn edited_items(
        &self,
        was: Range<usize>,
        now: &Self,
        is: Range<usize>,
    ) -> HashMap<usize, usize> {
        let items = |file: &Self, lines: Range<usize>| {
            let before = |line: usize| file.entries.partition_point(|entry| entry.line < line);
            before(lines.start)..before(lines.end)
        };
        let (before, after) = (items(self, was), items(now, is));
        if before.len() != after.len() {
            return HashMap::new();
        }
        let line = |file: &Self, index: usize| file.entry(index).map(|entry| entry.line);
        let old: HashSet<&[u8]> = before
            .clone()
            .filter_map(|index| Some(trim_end(self.line(line(self, index)?))))
            .collect();
        let is_new =
            |index| line(now, index).is_some_and(|line| !old.contains(trim_end(now.line(line))));
        let edited = before.zip(after).filter(|(_, index)| is_new(*index));
        edited
            .filter_map(|(own, index)| Some((line(self, own)?, index)))
            .collect()
    }
}
