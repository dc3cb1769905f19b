//! Where everything stands on a screen of a given size. The screen draws by it and keys move by it.

use ratatui::layout::Rect;

use super::page::Page;
use super::place::View;

/// Below this many columns the bookmarks and the panes do not stand beside each other.
const FOLD: u16 = 60;

/// Columns a pane needs to be worth its place.
const PANE: u16 = 12;

/// The places of everything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The line of tabs, when there are two or more.
    pub tabs: Option<Rect>,
    /// The address line.
    pub address: Rect,
    /// The bookmarks, when they show.
    pub bookmarks: Option<Rect>,
    /// The panes that fit, from left to right: index and place.
    pub panes: Vec<(usize, Rect)>,
    /// The status line.
    pub status: Rect,
}

/// Lines below the transfers that tell more of the chosen one, with the rule above them.
const MORE: u16 = 5;

/// What the layout depends on besides the size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// Tabs there are.
    pub tabs: usize,
    /// Panes of this tab.
    pub panes: usize,
    /// Which of them must be seen.
    pub focus: usize,
    /// The bookmarks are wanted.
    pub bookmarks: bool,
    /// They have half of the screen.
    pub wide: bool,
    /// They have the focus.
    pub bookmarks_focus: bool,
}

impl Layout {
    /// Where the transfers stand, when they are shown: over the bookmarks and the panes.
    pub fn transfers(&self) -> Rect {
        let top = self.address.bottom();
        Rect {
            y: top,
            height: self.status.y.saturating_sub(top),
            ..self.address
        }
    }

    /// Rows of the transfers that have room, below their heading and above what tells more of one.
    pub fn transfers_rows(&self) -> u16 {
        let height = self.transfers().height;
        let more = if height > MORE * 2 { MORE } else { 0 };
        height.saturating_sub(more)
    }
    /// The layout of a screen of `width` by `height`. Columns between two places are for the rule.
    pub fn new(width: u16, height: u16, needs: Needs) -> Self {
        let tabs = (needs.tabs > 1 && height > 5).then(|| Rect::new(0, 0, width, 1));
        let top = u16::from(tabs.is_some());
        let address = Rect::new(0, top, width, u16::from(height > top));
        let body_top = (top + 1).min(height);
        let status = Rect::new(
            0,
            height.saturating_sub(1),
            width,
            u16::from(height > body_top),
        );
        let body = Rect::new(
            0,
            body_top,
            width,
            height.saturating_sub(body_top + status.height),
        );
        let bookmarks = match (needs.bookmarks, needs.bookmarks_focus) {
            (false, _) => None,
            (true, true) if width < FOLD => Some(body),
            (true, false) if width < FOLD => None,
            (true, _) => Some(Rect {
                width: if needs.wide {
                    width / 2
                } else {
                    (width * 27 / 100).min(32)
                },
                ..body
            }),
        };
        let left = bookmarks.map_or(0, |place| {
            if place.width == width {
                width
            } else {
                place.width + 1
            }
        });
        let room = Rect {
            x: left,
            width: width - left,
            ..body
        };
        Self {
            tabs,
            address,
            bookmarks,
            panes: columns(room, needs.panes, needs.focus),
            status,
        }
    }
}

/// Shares `room` among panes, with a column for the rule between two; those that do not fit are left out, never the
/// one with the focus.
fn columns(room: Rect, panes: usize, focus: usize) -> Vec<(usize, Rect)> {
    if room.width == 0 || panes == 0 {
        return Vec::new();
    }
    let fitting = usize::from((room.width + 1) / (PANE + 1)).clamp(1, panes);
    let first = focus.saturating_sub(fitting - 1).min(panes - fitting);
    let count = u16::try_from(fitting).unwrap_or(1);
    let text = room.width - (count - 1);
    let mut x = room.x;
    let mut places = Vec::with_capacity(fitting);
    for (index, column) in (first..first + fitting).zip(0..count) {
        let width = text / count + u16::from(column < text % count);
        places.push((index, Rect { x, width, ..room }));
        x += width + 1;
    }
    places
}

/// What stands to the left of a row's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gutter {
    /// Columns for the number of a link; 0 where links are not numbered.
    pub number: usize,
    /// A glyph tells the kind.
    pub glyph: bool,
}

impl Gutter {
    /// The gutter of a page: lists have glyphs, menus have numbers.
    pub fn of(page: &Page) -> Self {
        let Some(document) = page.document().filter(|document| document.is_list()) else {
            return Self {
                number: 0,
                glyph: false,
            };
        };
        let number = match document.numbers() {
            0 => 0,
            highest => highest.to_string().len().max(2),
        };
        Self {
            number,
            glyph: true,
        }
    }

    /// Its columns: the mark, the number and a blank, the glyph and a blank.
    pub fn width(self) -> usize {
        1 + if self.number > 0 { self.number + 1 } else { 0 } + if self.glyph { 2 } else { 0 }
    }
}

/// The room for a page's text in a pane.
pub fn view(page: &Page, pane: Rect) -> View {
    let gutter = Gutter::of(page).width();
    View {
        width: usize::from(pane.width).saturating_sub(gutter).max(1),
        height: usize::from(pane.height).max(1),
    }
}
