//! The alignment of cells, by the attributes and the style of their elements.

use crate::document::web::tag::StartTag;

/// Where the text of a cell stands in its columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::document::web) enum Alignment {
    #[default]
    Left,
    Centre,
    Right,
}

impl Alignment {
    /// Reads the alignment of an element: its attribute, else that of its style.
    pub(in crate::document::web) fn of(element: &StartTag<'_>) -> Option<Self> {
        let value = element.style("text-align").or(element.value("align"))?;
        match value.trim().to_ascii_lowercase().as_str() {
            "left" | "justify" | "start" => Some(Self::Left),
            "center" | "centre" | "middle" => Some(Self::Centre),
            "right" | "end" | "char" => Some(Self::Right),
            _ => None,
        }
    }

    /// The blanks before a text of this width in these columns.
    pub(super) fn blanks(self, width: usize, columns: usize) -> usize {
        let free = columns.saturating_sub(width);
        match self {
            Self::Left => 0,
            Self::Centre => free / 2,
            Self::Right => free,
        }
    }
}
