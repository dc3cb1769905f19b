//! A list of news groups (RFC 3977, section 7.6).
//!
//! ```text
//! groups = *active-line [ "." CRLF *description-line *changes ]
//! changes = "." CRLF *active-line "." CRLF *description-line
//! ```
//!
//! The lines of LIST ACTIVE or LIST COUNTS come first and are the rows; after a line that is a dot come those of LIST
//! NEWSGROUPS, in any order, and each is shown with its group as soon as it is there. Rows that name no group are
//! odd, and shown as they came. Once all have come, the groups that are subscribed to stand first, in the order in which
//! they are written down; the rest stays as it came. What has changed since the list was made stands behind it: the newest
//! line of a group counts, and groups that were not in the list come after those that are subscribed to.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::ops::Range;
use std::sync::Arc;

use super::arrangement::Named;
use super::marks::Marks;
use super::rows::only;
use super::{Kind, Link, Origin, Row, Rows, Shown, Source, Span};
use crate::protocol::nntp::{Active, active, description};
use crate::text::{self, Text};

/// Columns that a name has before its description.
const NAME: usize = 36;

/// The body of a list of groups.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    /// The line of the dot, once it has come.
    end: Option<usize>,
    /// Whole lines that were looked at.
    seen: usize,
    /// Dots that were looked at.
    dots: usize,
    /// Where the newest line of a group stands that has changed, by the name's hash.
    changed: Arc<HashMap<u64, u32>>,
    /// Groups that were not in the list, when the rows were put in order.
    new: usize,
    /// Something has changed since the rows were put in order: groups, or which of them are subscribed to.
    is_stale: bool,
    /// Where the description of a name stands, by the name's hash. Shared, so that a clone stays cheap.
    descriptions: Arc<HashMap<u64, u32>>,
    hash: RandomState,
    /// What was read, once that is known.
    marks: Option<Marks>,
    /// The lines in the order of the rows, where that is not the order in which they came.
    order: Option<Arc<[u32]>>,
}

impl Rows for Groups {
    fn count(&self, source: Source<'_>) -> usize {
        match &self.order {
            Some(order) => order.len(),
            None => self.listed(source),
        }
    }

    fn row(&self, source: Source<'_>, number: usize) -> Option<Row> {
        let line = self.line(source, number)?;
        let Some(group) = active(line) else {
            return Some(Row::new(Kind::Odd, Text::new(line, source.charset)));
        };
        let name = Text::new(group.name, source.charset);
        let about = self.about(source, &group);
        let blanks = (NAME - text::width_within(name.as_str(), NAME)).max(2);
        let mut spans = vec![Span::new(name)];
        if let Some(about) = about {
            spans.push(Span::new(Text::of(&format!("{:blanks$}{about}", ""))));
        }
        let (kind, aside) = self.amount(&group);
        Some(Row {
            kind,
            number: None,
            indent: 0,
            lead: None,
            spans,
            aside: Some(Text::of(&aside)),
            hang: 0,
        })
    }

    /// A row's text stands in two lines, so that it must be made to be searched.
    fn octets<'a>(&'a self, _source: Source<'a>, _number: usize) -> Option<&'a [u8]> {
        None
    }

    fn links(&self, source: Source<'_>, number: usize, which: Range<usize>) -> Vec<Link> {
        only(&which, || {
            let group = self.line(source, number).and_then(active)?;
            let label = Text::new(group.name, source.charset);
            Some(Link::new(label, source.url.group_there(group.name)))
        })
    }

    fn link_count(&self, source: Source<'_>, number: usize) -> usize {
        usize::from(self.line(source, number).and_then(active).is_some())
    }

    fn arrived(&mut self, source: Source<'_>) {
        // The last line may still be growing.
        self.look(source, source.raw.lines().saturating_sub(1));
    }

    fn is_list(&self) -> bool {
        true
    }

    fn finish(&mut self, source: Source<'_>) {
        self.look(source, source.raw.lines());
        self.is_stale = false;
        self.order = self.in_order(source);
    }

    fn wants_finish(&self) -> bool {
        self.is_stale || self.marks.is_some() && self.order.is_none()
    }

    fn show(&mut self, source: Source<'_>, _shown: Shown, _filtered: bool) -> bool {
        let order = self.in_order(source);
        let is_new = order != self.order;
        self.order = order;
        self.is_stale = false;
        is_new
    }

    fn named<'a>(&'a self, source: Source<'a>, number: usize) -> Named<'a> {
        let group = self.line(source, number).and_then(active);
        group.map_or(Named::Text, |group| Named::Group(group.name))
    }

    fn origin(&self, row: usize) -> Option<Origin> {
        Some(Origin::Line(self.line_of(row)?))
    }

    fn row_of(&self, origin: Origin) -> Option<usize> {
        let Origin::Line(line) = origin else {
            return None;
        };
        match &self.order {
            Some(order) => order.iter().position(|&known| known as usize == line),
            None => Some(line),
        }
    }
}

impl Groups {
    /// Knows from now on what was read.
    pub(super) fn set_marks(&mut self, marks: Marks) {
        let before = self.marks.as_ref().map(Marks::subscribed);
        self.is_stale |= before.is_some_and(|before| before != marks.subscribed());
        self.marks = Some(marks);
    }

    /// The group of a line: its name and its highest number.
    pub(super) fn group(&self, source: Source<'_>, line: usize) -> Option<(Vec<u8>, u64)> {
        let group = active(self.newest(source, line)?)?;
        Some((group.name.to_vec(), group.high))
    }

    /// The groups that are subscribed to and have unread articles, in the order in which they are written down.
    pub(super) fn with_unread(&self, source: Source<'_>) -> Vec<Vec<u8>> {
        let Some(marks) = &self.marks else {
            return Vec::new();
        };
        let lines = (0..self.count(source)).filter_map(|row| self.line(source, row));
        let mut groups: Vec<&[u8]> = lines
            .filter_map(active)
            .filter(|group| marks.is_subscribed(group.name) && unread(group, marks) > 0)
            .map(|group| group.name)
            .collect();
        groups.sort_by_key(|name| marks.place(name));
        groups.into_iter().map(<[u8]>::to_vec).collect()
    }

    /// What a group is for its reader, and how much of it there is.
    fn amount(&self, group: &Active<'_>) -> (Kind, String) {
        let count = |count: u64| text::count(usize::try_from(count).unwrap_or(usize::MAX));
        let all = count(group.articles());
        let Some(marks) = &self.marks else {
            return (Kind::Group, all);
        };
        let Some(marked) = marks.of(group.name) else {
            return (Kind::Group, all);
        };
        let unread = unread(group, marks);
        let aside = match unread {
            0 => all,
            unread => format!("{} unread of {all}", count(unread)),
        };
        let kind = match (marked.is_subscribed, unread) {
            (false, _) => Kind::Group,
            (true, 0) => Kind::Subscribed,
            (true, _) => Kind::SubscribedUnread,
        };
        (kind, aside)
    }

    /// The list with what has changed put into it; nothing where nothing has.
    pub(super) fn merged(&self, source: Source<'_>) -> Option<Vec<u8>> {
        let mut whole = self.clone();
        whole.look(source, source.raw.lines());
        if whole.dots < 2 {
            return None;
        }
        let mut merged = Vec::with_capacity(source.raw.len());
        let mut push = |line: &[u8]| {
            merged.extend_from_slice(line);
            merged.extend_from_slice(b"\r\n");
        };
        let lines = 0..u32::try_from(whole.listed(source)).ok()?;
        for line in lines.chain(whole.added(source)) {
            push(whole.newest(source, line as usize).unwrap_or_default());
        }
        push(b".");
        // Of several descriptions of a group the one that is shown.
        let mut described: Vec<u32> = whole.descriptions.values().copied().collect();
        described.sort_unstable();
        for line in described {
            push(source.raw.line(line as usize).unwrap_or_default());
        }
        Some(merged)
    }

    /// Groups that have come since the list was made, as far as it was finished.
    pub(super) fn new_groups(&self) -> usize {
        self.new
    }

    /// Looks at the lines before `end` that were not looked at yet.
    fn look(&mut self, source: Source<'_>, end: usize) {
        for number in self.seen..end {
            let (Some(line), Ok(at)) = (source.raw.line(number), u32::try_from(number)) else {
                break;
            };
            // Rows that were put in order are those that were there then.
            self.is_stale |= self.order.is_some();
            if line == b"." {
                self.end = self.end.or(Some(number));
                self.dots += 1;
                self.is_stale |= self.dots > 1;
            } else if self.dots % 2 == 1 {
                if let Some((name, _)) = description(line) {
                    let key = self.hash.hash_one(name);
                    let descriptions = Arc::make_mut(&mut self.descriptions);
                    descriptions.entry(key).or_insert(at);
                }
            } else if let Some(group) = active(line).filter(|_| self.dots > 0) {
                let key = self.hash.hash_one(group.name);
                Arc::make_mut(&mut self.changed).insert(key, at);
            }
        }
        self.seen = self.seen.max(end);
    }

    /// Lines of the list itself.
    fn listed(&self, source: Source<'_>) -> usize {
        let lines = source.raw.lines();
        self.end.unwrap_or_else(|| match lines.checked_sub(1) {
            // What may become the dot is not shown before it is known.
            Some(last) if source.raw.line(last) == Some(b".") => last,
            _ => lines,
        })
    }

    /// The lines of groups that are not in the list itself.
    fn added(&self, source: Source<'_>) -> Vec<u32> {
        if self.changed.is_empty() {
            return Vec::new();
        }
        let mut added = HashMap::clone(&self.changed);
        for line in 0..self.listed(source) {
            if let Some(group) = source.raw.line(line).and_then(active) {
                added.remove(&self.hash.hash_one(group.name));
            }
        }
        let mut added: Vec<u32> = added.into_values().collect();
        added.sort_unstable();
        added
    }

    /// The lines with those of subscribed groups first, then those that are new; nothing where that is how they came.
    fn in_order(&mut self, source: Source<'_>) -> Option<Arc<[u32]>> {
        let added = self.added(source);
        self.new = added.len();
        if self.marks.is_none() && added.is_empty() {
            return None;
        }
        let is_subscribed = |line: u32| {
            let group = source.raw.line(line as usize).and_then(active)?;
            let marks = self.marks.as_ref()?;
            marks
                .is_subscribed(group.name)
                .then(|| marks.place(group.name))
        };
        let mut subscribed = Vec::new();
        let mut others = Vec::new();
        let listed = 0..u32::try_from(self.listed(source)).ok()?;
        for line in added.into_iter().chain(listed) {
            match is_subscribed(line) {
                Some(place) => subscribed.push((place, line)),
                None => others.push(line),
            }
        }
        subscribed.sort_unstable();
        let subscribed = subscribed.into_iter().map(|(_, line)| line);
        Some(subscribed.chain(others).collect())
    }

    /// The newest line of the group of a line.
    fn newest<'a>(&self, source: Source<'a>, line: usize) -> Option<&'a [u8]> {
        let listed = source.raw.line(line)?;
        if self.changed.is_empty() {
            return Some(listed);
        }
        let newest = active(listed).and_then(|group| {
            let at = self.changed.get(&self.hash.hash_one(group.name))?;
            let line = source.raw.line(*at as usize)?;
            (active(line)?.name == group.name).then_some(line)
        });
        Some(newest.unwrap_or(listed))
    }

    fn line_of(&self, row: usize) -> Option<usize> {
        match &self.order {
            Some(order) => order.get(row).map(|&line| line as usize),
            None => Some(row),
        }
    }

    fn line<'a>(&self, source: Source<'a>, number: usize) -> Option<&'a [u8]> {
        if number >= self.count(source) {
            return None;
        }
        self.newest(source, self.line_of(number)?)
    }

    fn about(&self, source: Source<'_>, group: &Active<'_>) -> Option<Text> {
        let at = self.descriptions.get(&self.hash.hash_one(group.name));
        let last = || {
            source
                .raw
                .lines()
                .checked_sub(1)
                .filter(|&last| Some(last) > self.end)
        };
        let line = at.map(|&at| at as usize).or_else(|| {
            self.end?;
            last()
        })?;
        let (name, about) = description(source.raw.line(line)?)?;
        // `?` is what INN writes when nobody has described a group.
        (name == group.name && about != b"?").then(|| Text::new(about, source.charset))
    }
}

/// Unread articles of a group, as far as its list tells: never more than it counts, nor than its numbers have room for
/// beside what was read.
fn unread(group: &Active<'_>, marks: &Marks) -> u64 {
    let articles = group.articles();
    if articles == 0 || group.high == 0 || group.high < group.low {
        return 0;
    }
    let low = group.low.max(1);
    let room = (group.high - low).saturating_add(1);
    let read = marks.read(group.name).count(low, group.high);
    room.saturating_sub(read).min(articles)
}
