//! The mouse: a click follows a link, gives a part of the screen the focus, shows a tab or places the cursor; the wheel
//! scrolls the part under the pointer; a drag moves the rule between two parts, or marks text and copies it.
//!
//! A click is a press and a release over the same cell. It acts at the release, so that a user who has pressed the
//! wrong thing moves away and releases there.

use crate::{Position, Rect};
use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};

use crate::action::Action;
use crate::keymap::Key;
use crate::layout::Divider;
use crate::motion::Motion;
use crate::panes::drag;
use crate::tabs::motion::labels;
use crate::{BookmarksPane, Command, Context, Dialogs, Focus, Overlay, Tabs, Transfers};

/// The number of lines that one step of the wheel scrolls.
const WHEEL: isize = 3;

/// The effect of a click on an element that looks pressable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Click {
    /// Runs an action.
    Act(Action),
    /// Presses a key.
    Press(Key),
    /// Chooses a row, a button or a field of the element above the page, by its index.
    Choose(usize),
    /// Goes to a field or a button of the form in this pane, by its index, and in it to this line.
    Field(usize, usize),
}

/// An area of the screen that can be clicked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// The area.
    pub area: Rect,
    /// The effect of a click there.
    pub click: Click,
}

/// The state of the mouse.
#[derive(Debug, Default)]
pub struct Mouse {
    /// The pressable areas of the last frame.
    pub regions: Vec<Region>,
    /// The divider that is being moved.
    dragged: Option<Divider>,
    /// The press that waits for its release.
    held: Option<Press>,
    /// The cell where the marked text begins, while it is marked.
    selecting: Option<Position>,
    /// True once it was said how to leave the mouse to the terminal.
    has_told: bool,
}

/// A button of the mouse that was pressed over a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Press {
    /// The cell.
    pub(crate) at: Position,
    /// The button.
    pub(crate) button: MouseButton,
    /// The effect of a click there; `None` where nothing looks pressable, and for other buttons than the left one.
    pub(crate) effect: Option<Click>,
}

/// The parts of the app that the mouse reaches.
pub(crate) struct MouseParts<'a> {
    pub(crate) tabs: &'a mut Tabs,
    pub(crate) bookmarks: &'a mut BookmarksPane,
    pub(crate) transfers: &'a mut Transfers,
    pub(crate) dialogs: &'a mut Dialogs,
}

impl Mouse {
    /// Remembers a press, and returns it at a release over the same cell, unless something else is to be pressed there
    /// by now.
    pub(crate) fn clicked(&mut self, event: MouseEvent) -> Option<Press> {
        let at = Position {
            x: event.column,
            y: event.row,
        };
        match event.kind {
            MouseEventKind::Down(button) => {
                self.held = Some(self.press(at, button));
                None
            }
            // Not every terminal says which button was released.
            MouseEventKind::Up(_) => {
                let held = self.held.take()?;
                (held == self.press(at, held.button)).then_some(held)
            }
            _ => None,
        }
    }

    fn press(&self, at: Position, button: MouseButton) -> Press {
        let mut regions = self.regions.iter().rev();
        let region = regions.find(|region| region.area.contains(at));
        let region = region.filter(|_| button == MouseButton::Left);
        Press {
            at,
            button,
            effect: region.map(|region| region.click),
        }
    }

    /// Handles an event of the mouse that is no click.
    pub(crate) fn update(
        &mut self,
        event: MouseEvent,
        parts: &mut MouseParts<'_>,
        cx: &mut Context,
    ) {
        let at = Position {
            x: event.column,
            y: event.row,
        };
        let has_overlay = parts.dialogs.overlay.is_some();
        match event.kind {
            MouseEventKind::Down(_) if !has_overlay => {
                let dividers = cx.layout.dividers();
                let divider = dividers.iter().find(|(_, area)| area.contains(at));
                self.dragged = divider.map(|(divider, _)| *divider);
                self.selecting = None;
                if self.dragged.is_none() && event.kind == MouseEventKind::Down(MouseButton::Left) {
                    self.selecting = parts.begin_selection(at, cx);
                }
            }
            MouseEventKind::Drag(MouseButton::Left) => {
                if let Some(divider) = self.dragged {
                    drag(
                        divider,
                        (at.x, at.y),
                        parts.tabs.tab_mut(),
                        parts.bookmarks,
                        cx,
                    );
                } else if !has_overlay && let Some(from) = self.selecting {
                    parts.tabs.select(from, at, cx);
                }
            }
            MouseEventKind::Up(_) => {
                self.dragged = None;
                let moved = self.selecting.take().filter(|from| *from != at);
                if moved.is_some() && parts.tabs.copy_selection(cx) && !self.has_told {
                    self.has_told = true;
                    cx.notify("Copied. Shift-drag leaves the mouse to the terminal");
                }
            }
            MouseEventKind::ScrollDown if !has_overlay => parts.wheel(at, WHEEL, cx),
            MouseEventKind::ScrollUp if !has_overlay => parts.wheel(at, -WHEEL, cx),
            MouseEventKind::Down(_)
            | MouseEventKind::Drag(_)
            | MouseEventKind::Moved
            | MouseEventKind::ScrollDown
            | MouseEventKind::ScrollUp
            | MouseEventKind::ScrollLeft
            | MouseEventKind::ScrollRight => {}
        }
    }
}

impl MouseParts<'_> {
    /// Closes a panel that has no answer; a question or a prompt stays.
    fn close_panel(&mut self) {
        let overlay = &mut self.dialogs.overlay;
        overlay.take_if(|shown| matches!(shown, Overlay::Info(_) | Overlay::Hints(_)));
    }

    /// Removes the marks of all texts, and gives the pane at this position the focus, where a drag may mark text.
    fn begin_selection(&mut self, at: Position, cx: &mut Context) -> Option<Position> {
        if let Some((rows, _)) = self.tabs.rows_mut(cx) {
            rows.selection = None;
        }
        let layout = &cx.layout;
        let is_in = |index: &usize| layout.pane(*index).is_some_and(|area| area.contains(at));
        let mut panes = layout.panes.iter().map(|(index, _)| *index);
        let pane = panes
            .find(is_in)
            .filter(|_| layout.bookmarks.is_none_or(|area| !area.contains(at)))?;
        // The focus moves at the release, if nothing is marked.
        let is_focused = self.tabs.tab().is_some_and(|tab| tab.focus() == pane);
        (is_focused && cx.focus == Focus::Panes).then_some(at)
    }

    /// Handles a click where nothing looks pressable.
    pub(crate) fn click(&mut self, Press { at, button, .. }: Press, cx: &mut Context) {
        if self.dialogs.overlay.is_some() {
            return self.close_panel();
        }
        cx.clear_notice(false);
        let layout = cx.layout.clone();
        if layout.tabs.is_some_and(|row| row.contains(at)) {
            return self.click_tab(at.x, cx);
        }
        if cx.focus == Focus::Transfers {
            let row = line_in(layout.transfers(), at);
            let row = row.and_then(|row| row.checked_sub(usize::from(layout.sync_rows)));
            if let Some(row) = row.filter(|row| *row < usize::from(layout.transfers_rows())) {
                self.transfers.queue.select_line(row);
            }
            return;
        }
        if let Some(line) = layout.bookmarks.and_then(|area| line_in(area, at)) {
            return self.click_bookmark(line, button, cx);
        }
        if BookmarksPane::close_drawer(cx) {
            return;
        }
        let is_in = |index: &usize| layout.frame(*index).is_some_and(|area| area.contains(at));
        let mut panes = layout.panes.iter().map(|(index, _)| *index);
        if let Some(pane) = panes.find(is_in) {
            cx.focus = Focus::Panes;
            self.tabs.focus_pane(pane);
            if self.tabs.click(at, cx) {
                open(button, cx);
            }
        }
    }

    fn click_tab(&mut self, x: u16, cx: &mut Context) {
        let labels = labels(self.tabs.tabs(), cx.layout.address.width);
        let tab = labels.iter().position(|(_, columns)| columns.contains(&x));
        if let Some(tab) = tab {
            self.tabs.show_tab(tab, cx);
            cx.focus = Focus::Panes;
        }
    }

    fn click_bookmark(&mut self, line: usize, button: MouseButton, cx: &mut Context) {
        cx.focus = Focus::Bookmarks;
        let sidebar = self.bookmarks.listed_mut();
        // The first line is the heading.
        let row = line.checked_sub(1).map(|line| line + sidebar.top);
        if let Some(row) = row.filter(|row| *row < sidebar.rows().len()) {
            sidebar.cursor = row;
            open(button, cx);
        }
    }

    fn wheel(&mut self, at: Position, lines: isize, cx: &Context) {
        let layout = &cx.layout;
        if cx.focus == Focus::Transfers {
            return self.transfers.move_cursor(Motion::Rows(lines), cx);
        }
        if layout.bookmarks.is_some_and(|area| area.contains(at)) {
            let height = layout.bookmarks_height();
            return self.bookmarks.listed_mut().scroll(lines, height);
        }
        if let Some(tab) = self.tabs.tab_mut() {
            tab.scroll_at(at, lines, cx);
        }
    }
}

/// Opens the link that was clicked: here with the left button, in a tab with the middle one.
fn open(button: MouseButton, cx: &mut Context) {
    match button {
        MouseButton::Left => cx.command(Command::Act(Action::Open)),
        MouseButton::Middle => cx.command(Command::Act(Action::OpenTab)),
        MouseButton::Right => {}
    }
}

/// The number of a line in an area, if it has this position.
fn line_in(area: Rect, at: Position) -> Option<usize> {
    area.contains(at).then(|| usize::from(at.y - area.y))
}
