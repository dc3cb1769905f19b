//! From article to article: in the order of the rows, up and down a thread.

use super::Ordered;
use crate::document::threads::{self, NONE};

impl Ordered {
    /// The highest number there is.
    pub(in crate::document) fn highest(&self) -> Option<u64> {
        self.numbers.iter().copied().max()
    }

    /// All lines in their order, from the one after `line` on and then from the beginning up to it.
    pub(in crate::document) fn from(&self, line: Option<u32>) -> impl Iterator<Item = usize> {
        let place = line.and_then(|line| self.rows.iter().position(|(known, _)| *known == line));
        let start = place.map_or(0, |place| place + 1);
        let lines = self.rows.iter().map(|(line, _)| *line as usize);
        let before = self.rows.iter().map(|(line, _)| *line as usize);
        lines.skip(start).chain(before.take(start))
    }

    /// The line that a line stands below.
    pub(in crate::document) fn parent(&self, line: usize) -> Option<usize> {
        let parent = *self.parents.get(self.turned(line)?)?;
        (parent != NONE)
            .then(|| self.turned(parent as usize))
            .flatten()
    }

    /// The first line of a thread.
    pub(in crate::document) fn root(&self, line: usize) -> usize {
        let mut top = line;
        while let Some(above) = self.parent(top) {
            top = above;
        }
        top
    }

    /// The first line that stands below a line.
    pub(in crate::document) fn reply(&self, line: usize) -> Option<usize> {
        let article = u32::try_from(self.turned(line)?).ok()?;
        let reply = self.parents.iter().position(|&parent| parent == article)?;
        self.turned(reply)
    }

    /// The lines of a thread, by any of them.
    pub(in crate::document) fn thread(&self, line: usize) -> Vec<usize> {
        let roots = threads::roots(&self.parents);
        let of = |line: usize| Some(*roots.get(self.turned(line)?)?);
        let root = of(line);
        let lines = 0..self.numbers.len();
        lines.filter(|&line| of(line) == root).collect()
    }

    /// Articles are counted from the oldest, lines from the newest: one as the other.
    fn turned(&self, at: usize) -> Option<usize> {
        self.numbers.len().checked_sub(at + 1)
    }
}
