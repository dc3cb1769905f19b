//! The layout of a screen of a given size. Drawing and the movement keys use it.

use crate::Rect;

/// The smallest width of the bookmarks beside the panes, in columns.
const MIN_BOOKMARKS_COLUMNS: u16 = 25;

/// The largest width of the bookmarks, unless the user has made them wider, in columns.
const MAX_BOOKMARKS_COLUMNS: u16 = 40;

/// The width that the only page keeps beside the bookmarks, and that several pages get first, in columns: a row of 72
/// columns with the marks of a menu.
const PAGE: u16 = 80;

/// The smallest width of a pane, in columns.
pub const MIN_PANE: u16 = 40;

/// The smallest height of a pane above another one, in lines with its title.
pub const MIN_PANE_LINES: u16 = 5;

/// The width that a page needs to be read beside another one, in columns.
const READING_COLUMNS: u16 = 74;

/// The height that a page needs to be read above another one, in lines without its title.
const READING_LINES: u16 = 12;

/// The areas of all parts of the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The line of tabs, if there are two or more.
    pub tabs: Option<Rect>,
    /// The line with the address.
    pub address: Rect,
    /// The list of bookmarks, if it is shown.
    pub bookmarks: Option<Rect>,
    /// True if the bookmarks cover the left of the page while they have the focus.
    pub is_drawer: bool,
    /// The panes that fit, from left to right or from top to bottom: index and area, without the title.
    pub panes: Vec<(usize, Rect)>,
    /// True if each pane has a line for its title above its area.
    pub has_titles: bool,
    /// True if the panes are above each other.
    pub is_stacked: bool,
    /// The status line.
    pub status: Rect,
    /// The number of rows above the transfers: one while a sync runs.
    pub sync_rows: u16,
}

/// The most columns of a box over the page.
const MAX_BOX_COLUMNS: u16 = 90;

/// The width of the screen from which on there is page on both sides of a box, in columns.
const BOX_MARGINS_FROM: u16 = 60;

/// The columns of the page on each side of a box.
const BOX_MARGIN: u16 = 1;

/// The number of lines below the transfers for the details of the selected one, including the rule above them.
const DETAIL_LINES: u16 = 5;

/// The inputs of the layout besides the size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayoutParams<'a> {
    /// The number of tabs.
    pub tabs: usize,
    /// The shares of the panes in this tab; 0 for a pane without a chosen share.
    pub shares: &'a [u16],
    /// True if the panes are above each other.
    pub is_stacked: bool,
    /// The index of the pane that must be visible.
    pub focus: usize,
    /// The index of the pane with an article beside its group.
    pub article: Option<usize>,
    /// The bookmarks.
    pub bookmarks: BookmarksParams,
}

/// The inputs of the layout about the bookmarks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BookmarksParams {
    /// True if they are shown.
    pub shown: bool,
    /// True if they take half of the screen.
    pub wide: bool,
    /// The width that the user has chosen, in columns.
    pub width: Option<u16>,
    /// True if they have the focus.
    pub focused: bool,
}

/// The line between two parts of the screen that the mouse can move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Divider {
    /// The rule to the right of the bookmarks.
    Bookmarks,
    /// The rule to the right of this pane, or the title of the pane below it.
    Pane(usize),
}

impl Layout {
    /// Computes the layout of a session on the whole screen. The status line covers its last line while the user needs
    /// it.
    pub(crate) fn zoomed((width, height): (u16, u16), pane: usize, has_status: bool) -> Self {
        let lines = u16::from(has_status).min(height);
        Self {
            tabs: None,
            address: Rect::new(0, 0, width, 0),
            bookmarks: None,
            is_drawer: false,
            panes: vec![(pane, Rect::new(0, 0, width, height))],
            has_titles: false,
            is_stacked: false,
            status: Rect::new(0, height - lines, width, lines),
            sync_rows: 0,
        }
    }

    /// Returns the area of a pane, if it fits.
    pub fn pane(&self, index: usize) -> Option<Rect> {
        let area = self.panes.iter().find(|(shown, _)| *shown == index);
        area.map(|(_, area)| *area)
    }

    /// Returns the number of panes on the screen.
    pub(crate) fn count(&self) -> usize {
        self.panes.len()
    }

    /// Returns the line of a pane's title, if it has one.
    pub fn title(&self, index: usize) -> Option<Rect> {
        let area = self.pane(index).filter(|_| self.has_titles)?;
        Some(Rect {
            y: area.y.checked_sub(1)?,
            height: 1,
            ..area
        })
    }

    /// Returns the area of a pane with its title.
    pub fn frame(&self, index: usize) -> Option<Rect> {
        let area = self.pane(index)?;
        Some(self.title(index).map_or(area, |title| Rect {
            height: title.height + area.height,
            ..title
        }))
    }

    /// Returns the lines between the parts, each with its area.
    pub fn dividers(&self) -> Vec<(Divider, Rect)> {
        let beside = self.bookmarks.filter(|_| !self.is_drawer);
        let right_of = |area: Rect| Rect {
            x: area.right(),
            width: 1,
            ..area
        };
        let mut dividers: Vec<(Divider, Rect)> = beside
            .map(|area| (Divider::Bookmarks, right_of(area)))
            .into_iter()
            .collect();
        let below = self.panes.iter().skip(1);
        for ((pane, _), (next, _)) in self.panes.iter().zip(below) {
            let area = if self.is_stacked {
                self.title(*next)
            } else {
                self.frame(*pane).map(right_of)
            };
            dividers.extend(area.map(|area| (Divider::Pane(*pane), area)));
        }
        dividers
    }

    /// Returns true if this number of panes fits on the screen.
    pub fn has_room_for(&self, panes: usize, is_stacked: bool) -> bool {
        let fitting = if is_stacked {
            self.transfers().height / MIN_PANE_LINES
        } else {
            (self.address.width + 1) / (MIN_PANE + 1)
        };
        panes <= usize::from(fitting)
    }

    /// Returns true if both of two panes have the space to be read. The bookmarks fold away for them.
    pub(crate) fn has_room_for_two(&self, is_stacked: bool) -> bool {
        if is_stacked {
            self.transfers().height >= 2 * (READING_LINES + 1)
        } else {
            self.address.width > 2 * READING_COLUMNS
        }
    }

    /// Returns true if an article beside its group has the space to be read. The bookmarks fold away for it.
    pub(crate) fn has_room_for_article(&self) -> bool {
        self.address.width > MIN_PANE + READING_COLUMNS
    }

    /// Returns the greatest height of a pane, in lines.
    pub fn panes_height(&self) -> usize {
        let heights = self.panes.iter().map(|(_, area)| usize::from(area.height));
        heights.max().unwrap_or(0)
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

    /// Returns the columns of the box over the page, with its frame.
    pub fn box_columns(&self) -> u16 {
        let width = self.transfers().width;
        if width < BOX_MARGINS_FROM {
            return width;
        }
        (width - 2 * BOX_MARGIN).min(MAX_BOX_COLUMNS)
    }

    /// Returns the columns of the lines that explain a question, which have a blank more than its answers on each side.
    pub fn question_columns(&self) -> usize {
        usize::from(self.box_columns()).saturating_sub(6).max(1)
    }

    /// Returns the number of rows for transfers, between the heading and the details.
    pub fn transfers_rows(&self) -> u16 {
        match self.transfers().height {
            height if height > DETAIL_LINES * 2 => height - DETAIL_LINES - self.sync_rows,
            height => height.saturating_sub(self.sync_rows),
        }
    }

    /// Returns the number of lines of the bookmark tree, without its heading and the line for the error under the
    /// cursor.
    pub fn bookmarks_height(&self) -> usize {
        self.bookmarks
            .map_or(1, |area| usize::from(area.height).saturating_sub(1).max(1))
    }

    /// Computes the layout of a screen of `width` by `height`. One column between two areas is left for the rule.
    pub fn new(width: u16, height: u16, params: LayoutParams<'_>) -> Self {
        let tabs = (params.tabs > 1 && height > 5).then(|| Rect::new(0, 0, width, 1));
        let top = u16::from(tabs.is_some());
        let address = Rect::new(0, top, width, u16::from(height > top));
        let body_top = (top + 1).min(height);
        let status_height = u16::from(height > body_top);
        let status = Rect::new(0, height.saturating_sub(1), width, status_height);
        let body_height = height.saturating_sub(body_top + status_height);
        let body = Rect::new(0, body_top, width, body_height);
        let columns = if params.is_stacked {
            1
        } else {
            params.shares.len()
        };
        let beside = params
            .bookmarks
            .beside(width, columns, params.article.is_some());
        let bookmarks = match beside {
            _ if !params.bookmarks.shown => None,
            Some(width) => Some(Rect { width, ..body }),
            None => params.bookmarks.drawer(body),
        };
        let left = bookmarks.filter(|_| beside.is_some());
        let left = left.map_or(0, |area| area.width.saturating_add(1).min(width));
        let room = Rect {
            x: left,
            width: width - left,
            ..body
        };
        let has_titles = (params.shares.len() > 1 || left > 0) && body_height > 3;
        Self {
            tabs,
            address,
            bookmarks,
            is_drawer: beside.is_none(),
            panes: divided(room, params, has_titles),
            has_titles,
            is_stacked: params.is_stacked,
            sync_rows: 0,
            status,
        }
    }
}

impl BookmarksParams {
    /// Returns the width of the bookmarks beside this number of columns of panes, of which one may have an article
    /// beside its group; `None` if the panes would not keep their space.
    fn beside(self, width: u16, columns: usize, has_article: bool) -> Option<u16> {
        let columns = u16::try_from(columns).unwrap_or(u16::MAX).max(1);
        let least = match columns {
            1 => MIN_PANE + 1,
            columns if has_article => {
                (columns - 1).saturating_mul(MIN_PANE + 1) + READING_COLUMNS + 1
            }
            columns => columns.saturating_mul(READING_COLUMNS + 1),
        };
        let needed = if columns == 1 { PAGE + 1 } else { least };
        let most = width.checked_sub(needed)?;
        if most < MIN_BOOKMARKS_COLUMNS {
            return None;
        }
        let spare = width.saturating_sub(columns.saturating_mul(PAGE + 1));
        let wanted = match (self.wide, self.width) {
            (true, _) => width / 2,
            (false, Some(chosen)) => chosen.max(MIN_BOOKMARKS_COLUMNS),
            (false, None) => spare
                .clamp(MIN_BOOKMARKS_COLUMNS, MAX_BOOKMARKS_COLUMNS)
                .min(most),
        };
        Some(wanted.min(width - least))
    }

    /// Returns the area of the bookmarks over the left of `body` while they have the focus.
    fn drawer(self, body: Rect) -> Option<Rect> {
        self.focused.then(|| Rect {
            width: body.width.min(MAX_BOOKMARKS_COLUMNS),
            ..body
        })
    }
}

/// Divides `room` among the panes, side by side with one column for the rule between two, or above each other with a
/// line for the title of each. Panes that do not fit are left out, but never the one with the focus.
fn divided(room: Rect, params: LayoutParams<'_>, has_titles: bool) -> Vec<(usize, Rect)> {
    let panes = params.shares.len();
    if room.width == 0 || panes == 0 {
        return Vec::new();
    }
    let fitting = if params.is_stacked {
        room.height / MIN_PANE_LINES
    } else {
        (room.width + 1) / (MIN_PANE + 1)
    };
    let fitting = usize::from(fitting).clamp(1, panes);
    // An article keeps its space, unless the user has moved the rules.
    let is_chosen = params.is_stacked || !params.shares.contains(&0);
    let article = params.article.filter(|_| !is_chosen);
    let first_of = |fitting: usize| {
        let first = params.focus.saturating_sub(fitting - 1);
        first.min(panes - fitting)
    };
    let keeps_article = |fitting: &usize| {
        let shown = first_of(*fitting)..first_of(*fitting) + fitting;
        let others = u16::try_from(fitting - 1).unwrap_or(u16::MAX);
        let needed = others.saturating_mul(MIN_PANE + 1) + READING_COLUMNS;
        needed <= room.width || !article.is_some_and(|pane| shown.contains(&pane))
    };
    let fitting = (1..=fitting).rev().find(keeps_article).unwrap_or(1);
    let first = first_of(fitting);
    let parts = params.shares.iter().enumerate().skip(first).take(fitting);
    let parts: Vec<Part> = parts
        .map(|(index, &share)| Part {
            share,
            least: match params.is_stacked {
                true => MIN_PANE_LINES,
                false if article == Some(index) => READING_COLUMNS,
                false => MIN_PANE,
            },
        })
        .collect();
    let title = u16::from(has_titles);
    if params.is_stacked {
        let heights = divide(room.height, &parts);
        let mut y = room.y;
        let areas = heights.into_iter().map(|height| {
            let top = y + title;
            y += height;
            let height = height.saturating_sub(title);
            Rect {
                y: top,
                height,
                ..room
            }
        });
        return (first..).zip(areas).collect();
    }
    let rules = u16::try_from(fitting - 1).unwrap_or(0);
    let widths = divide(room.width - rules, &parts);
    let mut x = room.x;
    let areas = widths.into_iter().map(|width| {
        let left = x;
        x += width + 1;
        Rect {
            x: left,
            y: room.y + title,
            width,
            height: room.height.saturating_sub(title),
        }
    });
    (first..).zip(areas).collect()
}

/// A part of a length: its share, 0 without a chosen one, and the least that it keeps where that is possible.
#[derive(Clone, Copy)]
struct Part {
    share: u16,
    least: u16,
}

/// Divides a length by shares. Without chosen shares all parts are equal, apart from what each keeps at least.
fn divide(total: u16, parts: &[Part]) -> Vec<u16> {
    let is_equal = parts.iter().any(|part| part.share == 0);
    let share = |part: &Part| if is_equal { 1 } else { u32::from(part.share) };
    let sum: u32 = parts.iter().map(share).sum();
    let (mut upto, mut taken) = (0, 0);
    let mut sizes: Vec<(u16, u16)> = parts
        .iter()
        .map(|part| {
            upto += share(part);
            let end = (u32::from(total) * upto).div_ceil(sum.max(1));
            let end = u16::try_from(end).unwrap_or(total).min(total);
            let size = end.saturating_sub(taken);
            taken = end;
            (size, part.least)
        })
        .collect();
    for index in 0..sizes.len() {
        let lacks = |(size, least): &(u16, u16)| least.saturating_sub(*size);
        let mut lacking = sizes.get(index).map_or(0, lacks);
        // Those with the most to spare give what they can.
        let spare = |(size, least): &(u16, u16)| size.saturating_sub(*least);
        while let Some(largest) = sizes.iter_mut().max_by_key(|part| spare(part)) {
            let given = spare(largest).min(lacking);
            if given == 0 {
                break;
            }
            largest.0 -= given;
            lacking -= given;
            if let Some((size, _)) = sizes.get_mut(index) {
                *size += given;
            }
        }
    }
    sizes.into_iter().map(|(size, _)| size).collect()
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn params(shares: &[u16]) -> LayoutParams<'_> {
        LayoutParams {
            tabs: 1,
            shares,
            is_stacked: false,
            focus: 0,
            article: None,
            bookmarks: BookmarksParams {
                shown: true,
                focused: true,
                ..BookmarksParams::default()
            },
        }
    }

    #[test]
    fn bookmarks_are_a_drawer_below_106_columns_and_beside_the_page_from_there_on() {
        let narrow = Layout::new(105, 30, params(&[0]));
        assert!(narrow.is_drawer);
        assert_eq!(narrow.bookmarks.map(|area| area.width), Some(40));
        assert_eq!(narrow.pane(0).map(|area| area.width), Some(105));
        let wide = Layout::new(106, 30, params(&[0]));
        assert!(!wide.is_drawer);
        assert_eq!(wide.bookmarks.map(|area| area.width), Some(25));
        assert_eq!(wide.pane(0).map(|area| area.width), Some(80));
    }

    #[test]
    fn article_beside_its_group_keeps_74_columns_or_the_panes_are_shown_one_at_a_time() {
        let widths = |width| {
            let of = LayoutParams {
                article: Some(1),
                ..params(&[0, 0])
            };
            let layout = Layout::new(width, 40, of);
            let panes = layout.panes.iter().map(|(_, area)| area.width);
            let bookmarks = layout.bookmarks.filter(|_| !layout.is_drawer);
            (bookmarks.map(|area| area.width), panes.collect::<Vec<_>>())
        };
        assert_eq!(widths(114), (None, vec![114]));
        assert_eq!(widths(115), (None, vec![40, 74]));
        assert_eq!(widths(120), (None, vec![45, 74]));
        assert_eq!(widths(140), (None, vec![65, 74]));
        assert_eq!(widths(141), (Some(25), vec![40, 74]));
        assert_eq!(widths(200), (Some(38), vec![80, 80]));
    }

    #[test]
    fn article_among_four_panes_leaves_out_panes_until_all_keep_their_width() {
        let of = |focus| LayoutParams {
            focus,
            article: Some(1),
            bookmarks: BookmarksParams::default(),
            ..params(&[0, 1, 1, 2])
        };
        let widths = |focus| {
            let panes = Layout::new(122, 30, of(focus)).panes.into_iter();
            panes
                .map(|(pane, area)| (pane, area.width))
                .collect::<Vec<_>>()
        };
        assert_eq!(widths(3), [(2, 41), (3, 80)]);
        assert_eq!(widths(1), [(0, 47), (1, 74)]);
    }

    #[test]
    fn bookmarks_fold_away_for_two_panes_that_would_not_keep_74_columns() {
        let is_drawer = |width| Layout::new(width, 40, params(&[0, 0])).is_drawer;
        assert!(is_drawer(174) && !is_drawer(175));
    }

    #[test]
    fn drawer_is_shown_only_while_it_has_the_focus() {
        let mut of = params(&[0]);
        of.bookmarks.focused = false;
        assert_eq!(Layout::new(80, 24, of).bookmarks, None);
        assert!(Layout::new(120, 24, of).bookmarks.is_some());
    }

    #[test]
    fn shares_move_the_rule_and_keep_the_smallest_width() {
        let part = |share| Part { share, least: 40 };
        assert_eq!(divide(119, &[0, 0].map(part)), [60, 59]);
        assert_eq!(divide(119, &[70, 49].map(part)), [70, 49]);
        assert_eq!(divide(119, &[118, 1].map(part)), [79, 40]);
        assert_eq!(divide(120, &[66, 48, 1].map(part)), [40, 40, 40]);
    }

    fn is_within(area: Rect, outer: Rect) -> bool {
        area.x >= outer.x
            && area.y >= outer.y
            && area.right() <= outer.right()
            && area.bottom() <= outer.bottom()
    }

    proptest! {
        #[test]
        fn panes_cover_the_screen_and_none_is_narrower_than_40_unless_it_is_alone(
            width in 1u16..300,
            height in 1u16..80,
            shares in prop::collection::vec(0u16..200, 1..5),
            is_stacked: bool,
            focus in 0usize..5,
            has_article: bool,
            wide: bool,
            chosen in prop::option::of(1u16..300),
            shown: bool,
            focused: bool,
        ) {
            let focus = focus.min(shares.len() - 1);
            let layout = Layout::new(width, height, LayoutParams {
                tabs: 2,
                shares: &shares,
                is_stacked,
                focus,
                article: (shares.len() > 1 && has_article).then_some(1),
                bookmarks: BookmarksParams { shown, wide, width: chosen, focused },
            });
            let screen = Rect::new(0, 0, width, height);
            prop_assert!(layout.pane(focus).is_some());
            for (index, area) in &layout.panes {
                let frame = layout.frame(*index).unwrap();
                prop_assert!(is_within(frame, screen));
                let is_alone = layout.panes.len() == 1;
                prop_assert!(area.width >= MIN_PANE || is_alone || is_stacked);
                let is_article = has_article && *index == 1 && shares.contains(&0);
                prop_assert!(!is_article || area.width >= READING_COLUMNS || is_alone || is_stacked);
                prop_assert!(frame.height == 0 || layout.status.height == 0 || frame.bottom() <= layout.status.y);
            }
            let beside = layout.bookmarks.filter(|_| !layout.is_drawer);
            let right = layout.panes.iter().map(|(_, area)| area.right()).max();
            prop_assert_eq!(right, Some(width));
            let left = layout.panes.iter().map(|(_, area)| area.x).min();
            prop_assert_eq!(left, Some(beside.map_or(0, |area| area.right() + 1)));
            for (_, area) in layout.dividers() {
                prop_assert!(is_within(area, screen));
            }
        }
    }
}
