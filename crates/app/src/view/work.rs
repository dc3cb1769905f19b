//! Long computations for a view: they run in tasks, and short ones at once.

use std::sync::Arc;

use geomys_page::document::find::{
    Direction, FindStart, MatchCount, MatchPosition, SearchText, count_matches, find_match,
};
use geomys_page::document::picture::{Picture, RenderRequest, RenderedPicture, render};
use geomys_page::document::{Arrangement, Document, Shape};

/// The size in octets of a document that takes about a millisecond to finish or to arrange.
const SMALL_DOCUMENT: usize = 64 * 1024;

/// The size in octets up to which a page that still arrives is laid out with each part.
const BEGINNING: usize = 16 * 1024;

/// The id of one long computation, to match its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkId(pub u64);

/// A long computation.
#[derive(Debug)]
pub enum Work {
    /// Finish a document after its last part.
    Finish(Document),
    /// Lay out a document that still arrives.
    LayOut(Document),
    /// Sort and filter a document's rows.
    Arrange(Document, Arrangement),
    /// Search a document, from this position in this direction.
    Find(Document, SearchText, FindStart, Direction),
    /// Count the matches in a document, and the number of this one.
    Count(Document, SearchText, MatchPosition),
    /// Render the shown part of a picture.
    Render(Arc<Picture>, RenderRequest),
}

/// The result of a computation, or what was read for it.
#[derive(Clone, Debug)]
pub enum WorkResult {
    /// A document was finished, or its rows were arranged.
    Finished(Document),
    /// A document that still arrives was laid out.
    LaidOut(Document),
    /// A search has ended: the match, if there is one.
    Found(Option<MatchPosition>),
    /// The matches of a search were counted.
    Counted(MatchCount),
    /// The shown part of a picture was rendered.
    Rendered(RenderedPicture),
    /// A file that is to be sent with a form was read, or the error.
    Read(Result<Vec<u8>, String>),
}

impl Work {
    /// Returns true if it takes about a millisecond: then no frame shows the page without its result.
    pub(crate) fn is_short(&self) -> bool {
        match self {
            // A picture is decoded.
            Self::Finish(document) if document.shape() == Shape::Picture => false,
            Self::Finish(document) | Self::Arrange(document, _) => {
                document.raw().len() <= SMALL_DOCUMENT
            }
            Self::LayOut(document) => document.raw().len() <= BEGINNING,
            Self::Find(..) | Self::Count(..) | Self::Render(..) => false,
        }
    }

    /// Carries the computation out.
    pub fn carry_out(self) -> WorkResult {
        match self {
            Self::Finish(document) => WorkResult::Finished(document.finished()),
            Self::LayOut(document) => WorkResult::LaidOut(document.laid_out()),
            Self::Arrange(document, arrangement) => {
                WorkResult::Finished(document.arranged(arrangement))
            }
            Self::Find(document, needle, from, direction) => {
                WorkResult::Found(find_match(&document, &needle, from, direction))
            }
            Self::Count(document, needle, current) => {
                WorkResult::Counted(count_matches(&document, &needle, current))
            }
            Self::Render(picture, request) => WorkResult::Rendered(render(&picture, &request)),
        }
    }
}
