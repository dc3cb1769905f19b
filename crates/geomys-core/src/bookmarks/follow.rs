//! Lookup of items in a later state of the file.

use std::collections::HashMap;

use super::Bookmarks;
use super::line::trim_end;

impl Bookmarks {
    /// Returns the indices of these items in a later state of the file; `None` for an item whose line is missing. In the unchanged
    /// start and end of the file, items are found by their line number; in between, by the text of their line. The second of
    /// two equal lines is again the second.
    pub fn follow(&self, now: &Self, items: &[usize]) -> Vec<Option<usize>> {
        let same = |(one, other): &(usize, usize)| self.line(*one) == now.line(*other);
        let (count, counted) = (self.line_count(), now.line_count());
        let head = (0..count.min(counted)).map(|line| (line, line));
        let head = head.take_while(same).count();
        let tail = (head..count).rev().zip((head..counted).rev());
        let tail = tail.take_while(same).count();
        let (was, is) = (head..count - tail, head..counted - tail);
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
        let found = lines.into_iter().map(|line| {
            let line = line?;
            let line = if line < head {
                line
            } else if !was.contains(&line) {
                counted - (count - line)
            } else {
                let [before, after] = numbers.get(trim_end(self.line(line)))?;
                *after.get(before.binary_search(&line).ok()?)?
            };
            Some(now.on_line(line)?.index())
        });
        found.collect()
    }
}
