//! Motions of a cursor through a list or a page.

/// A motion of the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Motion {
    /// A number of rows; negative numbers go up.
    Rows(isize),
    /// A number of screens, divided by the second number. A full screen overlaps the last one by one line.
    Screens(isize, usize),
    /// To an end of the list.
    Edge(Edge),
}

/// An end of a list or a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Edge {
    /// The first row.
    Top,
    /// The last row.
    Bottom,
}

impl Motion {
    /// Returns the number of rows on a screen of `height` lines, in a list of `count` rows.
    pub(crate) fn rows(self, height: usize, count: usize) -> isize {
        let signed = |rows: usize| isize::try_from(rows).unwrap_or(isize::MAX);
        match self {
            Self::Rows(rows) => rows,
            Self::Screens(screens, 1) => screens * signed(height.saturating_sub(1).max(1)),
            Self::Screens(screens, part) => screens * signed((height / part).max(1)),
            Self::Edge(Edge::Top) => -signed(count),
            Self::Edge(Edge::Bottom) => signed(count),
        }
    }
}
