//! A list of news groups (RFC 3977, section 7.6).
//!
//! ```text
//! groups = *active-line [ "." CRLF *description-line *changes ]
//! changes = "." CRLF *active-line "." CRLF *description-line
//! ```
//!
//! The lines of LIST ACTIVE or LIST COUNTS come first and are the rows; after a line that is a dot come those of LIST
//! NEWSGROUPS, in any order, and each is shown with its group as soon as it arrives. Malformed rows are shown
//! unchanged. In the complete list the subscribed groups come first, in the order of the newsrc file; the other groups
//! stay in the order of arrival. The changes since the list was cached are appended to it: the newest line of a group
//! counts, and new groups come after the subscribed ones.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use geomys_wire::protocol::nntp::{ActiveGroup, description, parse_active};
use geomys_wire::text::{self, Charset, Text};

use super::folds::{ArticleVisibility, ReadRows};
use super::header;
use super::marks::ServerMarks;
use super::page_charset::own_charset;
use super::row::{Kind, Link, Row, RowOrigin, Span};
use super::rows::{FilterText, RowLines, RowProvider, RowSource};

/// The width of the column for names, before the descriptions: of a list whose names are longer, or may be.
const MAX_NAME_COLUMNS: usize = 36;

/// The width of the column for names of a list with short ones.
const MIN_NAME_COLUMNS: usize = 16;

/// The country of the hierarchies whose name is none.
const COUNTRIES: [(&[u8], &str); 5] = [
    (b"relcom", "ru"),
    (b"fido7", "ru"),
    (b"fj", "jp"),
    (b"han", "kr"),
    (b"ukr", "ua"),
];

/// The charset of the name of a group and its description. The country of the hierarchy separates languages where the
/// octets do not.
fn charset_of(source: RowSource<'_>, name: &[u8], about: &[u8]) -> Charset {
    let top = name.split(|&octet| octet == b'.').next();
    let top = top.unwrap_or_default();
    let known = COUNTRIES.iter().find(|(other, _)| *other == top);
    let label = known.map(|(_, country)| *country);
    let label = label.or_else(|| std::str::from_utf8(top).ok());
    own_charset(source, &[name, about], label)
}

/// The body of a list of groups.
#[derive(Clone, Debug, Default)]
pub(super) struct GroupListBody {
    /// The line of the first dot, once it has arrived.
    end: Option<usize>,
    /// The number of complete lines that were scanned.
    scanned: usize,
    /// The number of dots that were scanned.
    dots: usize,
    /// The newest line of each changed group, by the hash of its name.
    changed: Arc<HashMap<u64, u32>>,
    /// The number of groups that were not in the list when the rows were last sorted.
    pub(super) new: usize,
    /// True if groups or subscriptions have changed since the rows were last sorted.
    is_stale: bool,
    /// The line of each description, by the hash of the group's name. Shared, so that a clone stays cheap.
    descriptions: Arc<HashMap<u64, u32>>,
    hash: RandomState,
    /// The read articles and subscriptions, once they are loaded.
    marks: Option<ServerMarks>,
    /// True if only the subscribed groups have a row, where there are any.
    only_subscribed: bool,
    /// True for the first page of a server: a changed subscription moves no row before the list is loaded again.
    is_first_page: bool,
    /// The groups that were listed when the subscriptions were first known; nothing before that. Later changes of
    /// subscriptions take no row away.
    listed: Option<ListedGroups>,
    /// The subscriptions by which the rows of a first page are in their order; nothing before they are known.
    first: Option<ServerMarks>,
    lines: RowLines,
    /// The length of the longest name in octets, once the list is finished.
    longest_name: Option<usize>,
}

/// The groups that have a row in a list of subscribed groups, beside those that are subscribed.
#[derive(Clone, Debug)]
enum ListedGroups {
    /// All, as none was subscribed.
    All,
    /// Those of these lines, which were subscribed.
    Lines(Arc<HashSet<u32>>),
}

impl RowProvider for GroupListBody {
    fn count(&self, source: RowSource<'_>) -> usize {
        self.lines
            .count()
            .unwrap_or_else(|| self.list_lines(source))
    }

    fn row(&self, source: RowSource<'_>, number: usize) -> Option<Row> {
        let line = self.line(source, number)?;
        let Some(group) = parse_active(line) else {
            return Some(Row::new(Kind::Malformed, Text::new(line, source.charset)));
        };
        let about = self.description(source, &group);
        let charset = charset_of(source, group.name, about.map_or(b"", |(_, about)| about));
        let name = header::text(group.name, charset);
        let blanks =
            (self.name_columns() - text::width_within(name.as_str(), self.name_columns())).max(2);
        let mut spans = vec![Span::new(name)];
        if let Some((_, about)) = about {
            let about = header::text(about, charset);
            spans.push(Span::new(Text::of(&format!("{:blanks$}{about}", ""))));
        }
        let (kind, aside) = self.amount(&group);
        Some(Row {
            aside: Some(Text::of(&aside)),
            ..Row::with_spans(kind, spans)
        })
    }

    /// Returns nothing, as the text of a row comes from two lines.
    fn octets<'a>(&'a self, _source: RowSource<'a>, _number: usize) -> Option<&'a [u8]> {
        None
    }

    /// Returns the line of the group and that of its description.
    fn record(&self, source: RowSource<'_>, number: usize) -> Vec<usize> {
        let group = self.line(source, number).and_then(parse_active);
        let about = group.and_then(|group| self.description(source, &group));
        let line = self
            .lines
            .line_of(number)
            .map(|line| self.newest(source, line));
        line.into_iter()
            .chain(about.map(|(line, _)| line))
            .collect()
    }

    fn link(&self, source: RowSource<'_>, number: usize) -> Option<Link> {
        let group = self.line(source, number).and_then(parse_active)?;
        let about = self.description(source, &group);
        let charset = charset_of(source, group.name, about.map_or(b"", |(_, about)| about));
        let label = header::text(group.name, charset);
        Some(Link::new(label, source.url.group_on_server(group.name)))
    }

    fn link_count(&self, source: RowSource<'_>, number: usize) -> usize {
        usize::from(self.line(source, number).and_then(parse_active).is_some())
    }

    fn on_append(&mut self, source: RowSource<'_>) {
        // The last line may be incomplete.
        self.scan(source, source.raw.lines().saturating_sub(1));
    }

    fn finish(&mut self, source: RowSource<'_>) {
        self.scan(source, source.raw.lines());
        self.is_stale = false;
        self.lines = self.in_order(source);
        let mut longest = 0;
        for line in 0..self.list_lines(source) {
            // A long list has long names among its first.
            if longest >= MAX_NAME_COLUMNS {
                break;
            }
            let name = source.raw.line(line).and_then(parse_active);
            longest = longest.max(name.map_or(0, |group| group.name.len()));
        }
        self.longest_name = Some(longest);
    }

    fn needs_finish(&self) -> bool {
        self.is_stale || self.marks.is_some() && !self.lines.are_sorted()
    }

    fn visibility(&self) -> ArticleVisibility {
        ArticleVisibility {
            read: if self.only_subscribed && !matches!(self.listed, Some(ListedGroups::All)) {
                ReadRows::LeftOut
            } else {
                ReadRows::Shown
            },
            ..ArticleVisibility::default()
        }
    }

    fn set_visibility(
        &mut self,
        source: RowSource<'_>,
        visibility: ArticleVisibility,
        _filtered: bool,
    ) -> bool {
        if visibility.read != self.visibility().read {
            (self.listed, self.first) = (None, None);
        }
        self.only_subscribed = visibility.read == ReadRows::LeftOut;
        let lines = self.in_order(source);
        let is_new = lines != self.lines;
        self.lines = lines;
        self.is_stale = false;
        is_new
    }

    fn filter_text<'a>(&'a self, source: RowSource<'a>, number: usize) -> FilterText<'a> {
        let group = self.line(source, number).and_then(parse_active);
        group.map_or(FilterText::Text, |group| FilterText::Group(group.name))
    }

    fn origin(&self, row: usize) -> Option<RowOrigin> {
        Some(RowOrigin::Line(self.lines.line_of(row)?))
    }

    fn row_of(&self, origin: RowOrigin) -> Option<usize> {
        self.lines.row_of(origin.line()?)
    }
}

impl GroupListBody {
    /// Leaves out the groups that are not subscribed, unless none is: the first page of a server.
    pub(super) fn list_only_subscribed(&mut self) {
        (self.only_subscribed, self.is_first_page) = (true, true);
    }

    /// The width of the column for names, before the descriptions. It does not change while the list arrives.
    pub(super) fn name_columns(&self) -> usize {
        let longest = self.longest_name.unwrap_or(MAX_NAME_COLUMNS);
        (longest + 2).clamp(MIN_NAME_COLUMNS, MAX_NAME_COLUMNS)
    }

    /// True if the groups that are not subscribed are to be left out, though there may be no other ones.
    pub(super) fn is_only_subscribed(&self) -> bool {
        self.only_subscribed
    }

    /// Sets the read articles and subscriptions.
    pub(super) fn set_marks(&mut self, marks: ServerMarks) {
        let before = self.marks.as_ref().map(ServerMarks::subscribed);
        self.is_stale |= before.is_some_and(|before| before != marks.subscribed());
        // A key may come before the rows are in their order.
        if self.is_first_page && self.first.is_none() {
            self.first = Some(marks.clone());
        }
        self.marks = Some(marks);
    }

    /// The group of a line: its name and its highest article number.
    pub(super) fn group(&self, source: RowSource<'_>, line: usize) -> Option<(Vec<u8>, u64)> {
        let group = parse_active(source.raw.line(self.newest(source, line))?)?;
        Some((group.name.to_vec(), group.high))
    }

    /// The subscribed groups that have unread articles, in the order of the newsrc file.
    pub(super) fn with_unread(&self, source: RowSource<'_>) -> Vec<Vec<u8>> {
        let Some(marks) = &self.marks else {
            return Vec::new();
        };
        let lines = (0..self.count(source)).filter_map(|row| self.line(source, row));
        let mut groups: Vec<&[u8]> = lines
            .filter_map(parse_active)
            .filter(|group| marks.is_subscribed(group.name) && marks.unread(group) > 0)
            .map(|group| group.name)
            .collect();
        groups.sort_by_key(|name| marks.position(name));
        groups.into_iter().map(<[u8]>::to_vec).collect()
    }

    /// True if the list tells that the server takes no posts to this group.
    pub(super) fn is_closed(&self, source: RowSource<'_>, group: &[u8]) -> bool {
        let lines = 0..self.list_lines(source);
        let lines = lines.filter_map(|line| source.raw.line(self.newest(source, line)));
        let mut groups = lines.filter_map(parse_active);
        let listed = groups.find(|listed| listed.name == group);
        listed.is_some_and(|listed| listed.is_closed())
    }

    /// True for a subscribed group.
    pub(super) fn is_subscribed(&self, group: &[u8]) -> bool {
        let marks = self.marks.as_ref();
        marks.is_some_and(|marks| marks.is_subscribed(group))
    }

    /// The kind of a group's row, and the text with its number of articles.
    fn amount(&self, group: &ActiveGroup<'_>) -> (Kind, String) {
        let count = |count: u64| text::count(usize::try_from(count).unwrap_or(usize::MAX));
        let all = count(group.articles());
        let Some(marks) = &self.marks else {
            return (Kind::Group, all);
        };
        let Some(group_marks) = marks.group(group.name) else {
            return (Kind::Group, all);
        };
        let unread = marks.unread(group);
        let aside = match unread {
            0 => all,
            unread => format!("{} of {all} unread", count(unread)),
        };
        let kind = match (group_marks.is_subscribed, unread) {
            (false, _) => Kind::Group,
            (true, 0) => Kind::Subscribed,
            (true, _) => Kind::SubscribedUnread,
        };
        (kind, aside)
    }

    /// The list with its changes merged; nothing where nothing has changed.
    pub(super) fn merged(&self, source: RowSource<'_>) -> Option<Vec<u8>> {
        let mut whole = self.clone();
        whole.scan(source, source.raw.lines());
        if whole.dots < 2 {
            return None;
        }
        let mut merged = Vec::with_capacity(source.raw.len());
        let mut push = |line: &[u8]| {
            merged.extend_from_slice(line);
            merged.extend_from_slice(b"\r\n");
        };
        let lines = 0..u32::try_from(whole.list_lines(source)).ok()?;
        for line in lines.chain(whole.added(source)) {
            let newest = whole.newest(source, line as usize);
            push(source.raw.line(newest).unwrap_or_default());
        }
        push(b".");
        // Of several descriptions of a group only the displayed one is written.
        let mut described: Vec<u32> = whole.descriptions.values().copied().collect();
        described.sort_unstable();
        for line in described {
            push(source.raw.line(line as usize).unwrap_or_default());
        }
        Some(merged)
    }

    /// Scans the lines before `end` that were not scanned yet.
    fn scan(&mut self, source: RowSource<'_>, end: usize) {
        for number in self.scanned..end {
            let (Some(line), Ok(at)) = (source.raw.line(number), u32::try_from(number)) else {
                break;
            };
            // The sorted rows do not contain this line yet.
            self.is_stale |= self.lines.are_sorted();
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
            } else if let Some(group) = parse_active(line).filter(|_| self.dots > 0) {
                let key = self.hash.hash_one(group.name);
                Arc::make_mut(&mut self.changed).insert(key, at);
            }
        }
        self.scanned = self.scanned.max(end);
    }

    /// The number of lines of the list itself.
    fn list_lines(&self, source: RowSource<'_>) -> usize {
        let lines = source.raw.lines();
        self.end.unwrap_or_else(|| match lines.checked_sub(1) {
            // An incomplete line that may become the dot is not shown.
            Some(last) if source.raw.line(last) == Some(b".") => last,
            _ => lines,
        })
    }

    /// The lines of groups that are not in the list itself.
    fn added(&self, source: RowSource<'_>) -> Vec<u32> {
        if self.changed.is_empty() {
            return Vec::new();
        }
        let mut added = HashMap::clone(&self.changed);
        for line in 0..self.list_lines(source) {
            if let Some(group) = source.raw.line(line).and_then(parse_active) {
                added.remove(&self.hash.hash_one(group.name));
            }
        }
        let mut added: Vec<u32> = added.into_values().collect();
        added.sort_unstable();
        added
    }

    /// Sorts the lines: subscribed groups first, then new groups, then the others. Without any the order of arrival
    /// stays.
    fn in_order(&mut self, source: RowSource<'_>) -> RowLines {
        let added = self.added(source);
        self.new = added.len();
        if self.marks.is_none() && added.is_empty() {
            return RowLines::default();
        }
        if self.is_first_page && self.first.is_none() {
            self.first = self.marks.clone();
        }
        let order = if self.is_first_page {
            &self.first
        } else {
            &self.marks
        };
        let position_in = |marks: &Option<ServerMarks>, line: u32| {
            let group = source.raw.line(line as usize).and_then(parse_active)?;
            let marks = marks.as_ref()?;
            let is_subscribed = marks.is_subscribed(group.name);
            is_subscribed.then(|| marks.position(group.name))
        };
        let mut subscribed = Vec::new();
        let mut others = Vec::new();
        let listed = 0..u32::try_from(self.list_lines(source)).unwrap_or(u32::MAX);
        for line in added.into_iter().chain(listed) {
            match position_in(order, line) {
                Some(position) => subscribed.push((position, line)),
                None => others.push(line),
            }
        }
        subscribed.sort_unstable();
        if self.only_subscribed && self.marks.is_some() {
            let listed = self
                .listed
                .get_or_insert_with(|| match subscribed.as_slice() {
                    [] => ListedGroups::All,
                    some => {
                        ListedGroups::Lines(Arc::new(some.iter().map(|(_, line)| *line).collect()))
                    }
                });
            if let ListedGroups::Lines(listed) = listed {
                let marks = &self.marks;
                others.retain(|line| listed.contains(line) || position_in(marks, *line).is_some());
            }
        }
        let subscribed = subscribed.into_iter().map(|(_, line)| line);
        subscribed.chain(others).collect()
    }

    /// The newest line of the group of a line.
    fn newest(&self, source: RowSource<'_>, line: usize) -> usize {
        let name = |line| Some(parse_active(source.raw.line(line)?)?.name);
        let changed = || {
            let listed = name(line)?;
            let newest = *self.changed.get(&self.hash.hash_one(listed))? as usize;
            (name(newest)? == listed).then_some(newest)
        };
        let is_changed = !self.changed.is_empty();
        is_changed.then(changed).flatten().unwrap_or(line)
    }

    fn line<'a>(&self, source: RowSource<'a>, number: usize) -> Option<&'a [u8]> {
        if number >= self.count(source) {
            return None;
        }
        source
            .raw
            .line(self.newest(source, self.lines.line_of(number)?))
    }

    /// The description of a group, with its line.
    fn description<'a>(
        &self,
        source: RowSource<'a>,
        group: &ActiveGroup<'_>,
    ) -> Option<(usize, &'a [u8])> {
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
        // INN writes `?` for a group without a description.
        (name == group.name && about != b"?").then_some((line, about))
    }
}
