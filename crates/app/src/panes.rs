//! The sizes of the parts beside each other: the bookmarks and the panes.

use crate::layout::Divider;
use crate::tabs::tab::Tab;
use crate::{BookmarksPane, Context, Focus};

/// The number of columns, or of lines in a stack, of one step of resizing.
const STEP: (i16, i16) = (4, 2);

/// Gives the part with the focus a step more room, or less.
pub(crate) fn widen(
    is_wider: bool,
    tab: Option<&mut Tab>,
    bookmarks: &mut BookmarksPane,
    cx: &mut Context,
) {
    let is_stack = cx.layout.is_stacked && cx.focus == Focus::Panes;
    let step = if is_stack { STEP.1 } else { STEP.0 };
    let step = if is_wider { step } else { -step };
    match (cx.focus, cx.layout.bookmarks) {
        (Focus::Panes, _) => {
            if let Some(tab) = tab {
                tab.widen(step, cx);
            }
        }
        (Focus::Bookmarks, Some(area)) if !cx.layout.is_drawer => {
            bookmarks.set_width(area.width.saturating_add_signed(step), cx);
        }
        (Focus::Bookmarks, _) => cx.notify("The bookmark drawer cannot be resized"),
        (Focus::Transfers, _) => cx.notify("The transfers take the whole screen"),
    }
}

/// Moves a divider to a column, or to a line in a stack.
pub(crate) fn drag(
    divider: Divider,
    to: (u16, u16),
    tab: Option<&mut Tab>,
    bookmarks: &mut BookmarksPane,
    cx: &mut Context,
) {
    match divider {
        Divider::Bookmarks => bookmarks.set_width(to.0, cx),
        Divider::Pane(pane) => {
            if let Some(tab) = tab {
                tab.drag_divider(pane, to, cx);
            }
        }
    }
}
