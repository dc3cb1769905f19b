//! Items found again in another state of the file.

use std::collections::HashMap;

use super::Bookmarks;
use super::line::trim_end;

impl Bookmarks {
    /// Where these items stand in another state of the file: at the start and at the end of it, where nothing has
    /// changed, by their place; between, by their line, the second of equal ones being the second again. Nothing for one
    /// whose line is not there any more.
    pub fn follow(&self, now: &Self, items: &[usize]) -> Vec<Option<usize>> {
        let same = |(one, other): &(usize, usize)| {
            let (one, other) = (self.lines(*one..*one + 1), now.lines(*other..*other + 1));
            one == other
        };
        let (count, counted) = (self.line_count(), now.line_count());
        let head = (0..count.min(counted)).map(|line| (line, line));
        let head = head.take_while(same).count();
        let tail = (head..count).rev().zip((head..counted).rev());
        let tail = tail.take_while(same).count();
        let (was, is) = (head..count - tail, head..counted - tail);
        let lines = items.iter().map(|&item| Some(self.entry(item)?.line));
        let lines: Vec<Option<usize>> = lines.collect();
        let wanted = lines.iter().flatten().filter(|line| was.contains(line));
        // For each line that is looked for: where it stands before and now.
        let mut places: HashMap<&[u8], [Vec<usize>; 2]> = wanted
            .map(|line| (trim_end(self.line(*line)), <[Vec<usize>; 2]>::default()))
            .collect();
        if !places.is_empty() {
            for line in was.clone() {
                if let Some([before, _]) = places.get_mut(trim_end(self.line(line))) {
                    before.push(line);
                }
            }
            for line in is {
                if let Some([_, after]) = places.get_mut(trim_end(now.line(line))) {
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
                let [before, after] = places.get(trim_end(self.line(line)))?;
                *after.get(before.binary_search(&line).ok()?)?
            };
            Some(now.on_line(line)?.index())
        });
        found.collect()
    }
}
