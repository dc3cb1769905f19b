//! The layout of a screen of a given size. Drawing and the movement keys use it.

use ratatui::layout::Rect;

/// The smallest number of columns that shows the bookmarks and the panes side by side.
const MIN_SIDE_BY_SIDE: u16 = 60;

/// The smallest width of a pane in columns.
const MIN_PANE: u16 = 12;

/// The areas of all parts of the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The line of tabs, if there are two or more.
    pub tabs: Option<Rect>,
    /// The line with the address.
    pub address: Rect,
    /// The list of bookmarks, if it is shown.
    pub bookmarks: Option<Rect>,
    /// The panes that fit, from left to right: index and area.
    pub panes: Vec<(usize, Rect)>,
    /// The status line.
    pub status: Rect,
}

/// The number of lines below the transfers for the details of the selected one, including the rule above them.
const DETAIL_LINES: u16 = 5;

/// The inputs of the layout besides the size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayoutParams {
    /// The number of tabs.
    pub tabs: usize,
    /// The number of panes in this tab.
    pub panes: usize,
    /// The index of the pane that must be visible.
    pub focus: usize,
    /// True if the bookmarks are shown.
    pub bookmarks: bool,
    /// True if the bookmarks take half of the screen.
    pub wide: bool,
    /// True if the bookmarks have the focus.
    pub bookmarks_focus: bool,
}

impl Layout {
    /// Returns the area of a pane, if it fits.
    pub fn pane(&self, index: usize) -> Option<Rect> {
        let area = self.panes.iter().find(|(shown, _)| *shown == index);
        area.map(|(_, area)| *area)
    }

    /// Returns the area of the transfers, which covers the bookmarks and the panes.
    pub fn transfers(&self) -> Rect {
        let top = self.address.bottom();
        Rect {
            y: top,
            height: self.status.y.saturating_sub(top),
            ..self.address
        }
    }

    /// Returns the number of rows for transfers, between the heading and the details.
    pub fn transfers_rows(&self) -> u16 {
        match self.transfers().height {
            height if height > DETAIL_LINES * 2 => height - DETAIL_LINES,
            height => height,
        }
    }

    /// Returns the number of lines of the bookmark tree, without its heading and the line for the error under the cursor.
    pub fn bookmarks_height(&self) -> usize {
        self.bookmarks
            .map_or(1, |area| usize::from(area.height).saturating_sub(1).max(1))
    }

    /// Computes the layout of a screen of `width` by `height`. One column between two areas is left for the rule.
    pub fn new(width: u16, height: u16, params: LayoutParams) -> Self {
        let tabs = (params.tabs > 1 && height > 5).then(|| Rect::new(0, 0, width, 1));
        let top = u16::from(tabs.is_some());
        let address = Rect::new(0, top, width, u16::from(height > top));
        let body_top = (top + 1).min(height);
        let status_height = u16::from(height > body_top);
        let status = Rect::new(0, height.saturating_sub(1), width, status_height);
        let body_height = height.saturating_sub(body_top + status_height);
        let body = Rect::new(0, body_top, width, body_height);
        let bookmarks = match (params.bookmarks, params.bookmarks_focus) {
            (false, _) => None,
            (true, true) if width < MIN_SIDE_BY_SIDE => Some(body),
            (true, false) if width < MIN_SIDE_BY_SIDE => None,
            (true, _) => Some(Rect {
                width: if params.wide {
                    width / 2
                } else {
                    (width * 27 / 100).min(32)
                },
                ..body
            }),
        };
        let left = bookmarks.map_or(0, |area| area.width.saturating_add(1).min(width));
        let room = Rect {
            x: left,
            width: width - left,
            ..body
        };
        Self {
            tabs,
            address,
            bookmarks,
            panes: columns(room, params.panes, params.focus),
            status,
        }
    }
}

/// Divides `room` among the panes, with one column for the rule between two. Panes that do not fit are left out, but
/// never the one with the focus.
fn columns(room: Rect, panes: usize, focus: usize) -> Vec<(usize, Rect)> {
    if room.width == 0 || panes == 0 {
        return Vec::new();
    }
    let fitting = usize::from((room.width + 1) / (MIN_PANE + 1)).clamp(1, panes);
    let first = focus.saturating_sub(fitting - 1).min(panes - fitting);
    let count = u16::try_from(fitting).unwrap_or(1);
    let text = room.width - (count - 1);
    let mut x = room.x;
    let mut areas = Vec::with_capacity(fitting);
    for (index, column) in (first..first + fitting).zip(0..count) {
        let width = text / count + u16::from(column < text % count);
        areas.push((index, Rect { x, width, ..room }));
        x += width + 1;
    }
    areas
}

/// The part of the screen that receives keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Focus {
    /// The list of bookmarks.
    Bookmarks,
    /// The panes with pages.
    Panes,
    /// The list of transfers, which covers the bookmarks and the panes.
    Transfers,
}
