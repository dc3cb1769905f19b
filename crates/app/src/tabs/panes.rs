//! The panes of a tab: splitting, resizing, stacking, and closing.

use crate::action::Action;
use crate::layout::{Divider, MIN_PANE, MIN_PANE_LINES};
use crate::requester::OpenIn;
use crate::tabs::pane::Pane;
use crate::tabs::tab::Tab;
use crate::view::View;
use crate::view::builtin;
use crate::view::form::FormView;
use crate::{Command, Context, Focus, Page, Tabs};

impl Tab {
    /// Puts the panes of the tab above each other, or side by side again.
    pub(crate) fn stack(&mut self, cx: &mut Context) {
        let count = self.count();
        if count < 2 {
            return cx.notify("There is only one pane");
        }
        if !cx.layout.has_room_for(count, !self.is_stacked) {
            return cx.notify("No room to arrange the panes that way");
        }
        self.is_stacked = !self.is_stacked;
        for pane in self.panes_mut() {
            pane.share = 0;
        }
        cx.reveal_all();
    }

    /// Gives the focus to another pane: the next one, or a new one beside or below the only one. Returns false if two
    /// would be too small to be read, or if the other one has a session.
    fn go_to_other_pane(&mut self, cx: &Context) -> bool {
        let count = self.count();
        if count > 1 {
            let other = (self.focus() + 1) % count;
            let page = self.panes().nth(other).and_then(Pane::page);
            let is_free = page.is_none_or(|page| !page.state.is_in_session());
            if is_free {
                self.set_focus(other);
            }
            return is_free;
        }
        let has_room = |is_stacked| cx.layout.has_room_for_two(is_stacked);
        let possible = [false, true].into_iter().find(|way| has_room(*way));
        if let Some(is_stacked) = possible {
            self.is_stacked = is_stacked;
            self.split();
        }
        possible.is_some()
    }

    /// Gives the pane with the focus `columns` more of its neighbour, or lines in a stack; negative numbers give some
    /// back.
    pub(crate) fn widen(&mut self, columns: i16, cx: &mut Context) {
        let (focus, last) = (self.focus(), self.count() - 1);
        match focus.checked_sub(1).filter(|_| focus == last) {
            None if last == 0 => cx.notify("There is only one pane"),
            // The last pane has its neighbour before it.
            Some(before) => self.move_divider(before, -columns, cx),
            None => self.move_divider(focus, columns, cx),
        }
    }

    /// Moves the divider after a pane by columns, or by lines in a stack.
    fn move_divider(&mut self, pane: usize, by: i16, cx: &mut Context) {
        let is_stacked = cx.layout.is_stacked;
        let sizes: Vec<u16> = (0..self.count())
            .map(|index| match cx.layout.frame(index) {
                Some(area) if is_stacked => area.height,
                Some(area) => area.width,
                None => 0,
            })
            .collect();
        let least = if is_stacked { MIN_PANE_LINES } else { MIN_PANE };
        let (Some(&here), Some(&next)) = (sizes.get(pane), sizes.get(pane + 1)) else {
            return;
        };
        // Neither of the two becomes smaller than a pane may be.
        let room = |size: u16| i16::try_from(size.saturating_sub(least)).unwrap_or(0);
        let by = by.clamp(-room(here), room(next));
        for ((index, pane_of_tab), size) in self.panes_mut().enumerate().zip(&sizes) {
            pane_of_tab.share = match index {
                _ if index == pane => size.saturating_add_signed(by),
                _ if index == pane + 1 => size.saturating_add_signed(-by),
                _ => *size,
            };
        }
        cx.reveal_all();
    }

    /// Moves the divider after a pane to a column, or to a line in a stack.
    pub(crate) fn drag_divider(&mut self, pane: usize, to: (u16, u16), cx: &mut Context) {
        let dividers = cx.layout.dividers();
        let mut dividers = dividers.iter();
        let area = dividers.find(|(found, _)| *found == Divider::Pane(pane));
        let Some((_, area)) = area else {
            return;
        };
        let signed = |position: u16| i16::try_from(position).unwrap_or(i16::MAX);
        let by = if cx.layout.is_stacked {
            signed(to.1) - signed(area.y)
        } else {
            signed(to.0) - signed(area.x)
        };
        self.move_divider(pane, by, cx);
    }
}

impl Tabs {
    /// Gives the focus to the pane for another page. A new pane is the other one of two; where two would be too small
    /// to be read, it is that of a new tab.
    pub(crate) fn go_to(&mut self, open_in: OpenIn, cx: &mut Context) {
        if open_in == OpenIn::ThisPane {
            return;
        }
        if let Some(tab) = self.tab_mut().filter(|_| open_in == OpenIn::NewPane) {
            if tab.go_to_other_pane(cx) {
                return;
            }
            cx.notify(match tab.count() {
                1 => "No room for two panes: opened in a tab",
                _ => "The other pane has a session: opened in a tab",
            });
        }
        self.add_related();
    }

    /// Closes the pane with the focus; the tab, if it has no other pane.
    pub(crate) fn close_pane(&mut self, cx: &mut Context) {
        match self.tab_mut().and_then(Tab::close) {
            Some(loads) => {
                cx.reveal_all();
                cx.cancel(loads);
                cx.pages_changed();
            }
            None => self.close_tab(cx),
        }
    }

    /// Closes the shown tab. The last one shows the home page instead.
    pub(crate) fn close_tab(&mut self, cx: &mut Context) {
        if self.list.len() < 2 {
            return self.close_last_tab(cx);
        }
        let closed = self.list.remove(self.index.min(self.list.len() - 1));
        self.closed.remember(&closed);
        self.index = self.index.min(self.list.len() - 1);
        cx.reveal_all();
        cx.cancel(closed.loads());
        cx.pages_changed();
        if closed.is_private {
            return cx.notify("Private tab closed");
        }
        let reopen = cx.key_of(Action::ReopenTab);
        cx.notify(&format!("Tab closed ({reopen} reopens)"));
    }

    fn close_last_tab(&mut self, cx: &mut Context) {
        let is_home = |page: &Page| page.url.as_str() == builtin::HOME;
        let in_session = self.page().is_some_and(|page| page.state.is_in_session());
        if in_session || self.page().is_none_or(is_home) && self.incoming().is_none() {
            let quit = cx.key_of(Action::Quit);
            return cx.notify(&format!("Last tab ({quit} quit)"));
        }
        if let Some(tab) = self.tab_mut() {
            let closed = std::mem::take(tab);
            cx.cancel(closed.loads());
            self.closed.remember(&closed);
            cx.pages_changed();
        }
        cx.command(Command::OpenHome);
    }

    /// Leaves the page of a form, or stops its load: goes back, or closes the pane or the tab whose first page it is.
    pub(crate) fn leave_page(&mut self, cx: &mut Context) {
        if self.incoming().is_some() {
            return cx.command(Command::Act(Action::Stop));
        }
        let has_page_before = self.pane().is_some_and(|pane| pane.shown_index() > 0);
        if has_page_before {
            self.go_in_history(false, cx);
        } else {
            self.close_pane(cx);
        }
    }
}

impl Page {
    /// Returns the form that receives keys.
    pub fn form(&self, cx: &Context) -> Option<&FormView> {
        match &self.view {
            View::Form(form) if cx.focus == Focus::Panes => Some(form),
            _ => None,
        }
    }

    /// Returns true if the user types a text into the page that is sent: a form, or a terminal session.
    pub fn takes_text(&self) -> bool {
        matches!(self.view, View::Form(_) | View::Terminal(_))
    }

    /// Returns the form of the page.
    pub(crate) fn form_mut(&mut self) -> Option<&mut FormView> {
        match &mut self.view {
            View::Form(form) => Some(form),
            _ => None,
        }
    }
}
