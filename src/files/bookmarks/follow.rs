//! Items found again in another state of the file.

use std::collections::HashMap;

use super::Bookmarks;
use super::line::trim_end;

impl Bookmarks {
    /// Where these items stand in another state of the file: at the start and at the end of it, where nothing has
    /// changed, by their place; between, by their line. Nothing for one whose line is not there any more.
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
        let mut changed: Option<HashMap<&[u8], usize>> = None;
        let found = items.iter().map(|&item| {
            let line = self.entry(item)?.line;
            let line = if line < head {
                line
            } else if line >= count - tail {
                counted - (count - line)
            } else {
                let changed = changed.get_or_insert_with(|| {
                    let lines = (head..counted - tail).rev();
                    lines.map(|line| (trim_end(now.line(line)), line)).collect()
                });
                *changed.get(trim_end(self.line(line)))?
            };
            Some(now.on_line(line)?.index())
        });
        found.collect()
    }
}
