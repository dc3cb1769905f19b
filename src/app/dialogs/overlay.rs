//! The elements above the page.

use geomys_wire::text::Text;

use crate::app::Dialog;
use crate::app::bookmarks::form::BookmarkForm;
use crate::app::compose::message::Drafts;
use crate::app::dialogs::help::HelpOverlay;
use crate::app::dialogs::palette::Palette;
use crate::app::view::hints::Hints;

/// An element above the page that receives the keys.
#[derive(Clone, Debug)]
pub enum Overlay {
    /// The form for a bookmark.
    Form(Box<BookmarkForm>),
    /// Hint letters on the links.
    Hints(Hints),
    /// The palette of all commands.
    Palette(Box<Palette>),
    /// The keys of all contexts.
    Help(Box<HelpOverlay>),
    /// A question with a few answers, or with a line of input.
    Dialog(Box<Dialog>),
    /// The list of stored drafts.
    Drafts(Drafts),
    /// The properties of a link: names and values.
    Info(Vec<(Text, Text)>),
}
