//! The articles of a group as a reader moves among them, and the marks that pages of news are shown by.

use std::sync::Arc;

use super::folds::GroupFolds;
use super::group::Group;
use super::group::ordered::Ordered;
use super::groups::Groups;
use super::marks::Marks;
use super::score::Rules;
use super::{Document, Link, Numbers, Origin, xref};
use crate::protocol::nntp::overview;
use crate::url::Url;

/// An article of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The line of the overview that it stands in.
    pub line: usize,
    /// Its number.
    pub number: u64,
}

/// How one article stands to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// What it answers.
    Parent,
    /// The first of its thread.
    Root,
    /// The first answer to it.
    Reply,
}

impl Document {
    /// What was read of a group, from now on.
    pub fn set_read(&mut self, read: Arc<Numbers>) {
        if let Some(group) = self.body.group_mut() {
            group.set_read(read);
        }
    }

    /// Which threads of a group were folded before; they are so when it is finished.
    pub fn set_folds(&mut self, folds: &Arc<GroupFolds>) {
        if let Some(group) = self.body.group_mut() {
            group.set_folds(folds);
        }
    }

    /// By which rules the articles of a group are judged; they count when it is finished or arranged.
    pub fn set_rules(&mut self, rules: Arc<Rules>) {
        if let Some(group) = self.body.group_mut() {
            group.set_rules(rules);
        }
    }

    /// What was read of every group, and which are subscribed to, for a list of groups; its rows change their places
    /// when it is finished or arranged.
    pub fn set_marks(&mut self, marks: Marks) {
        if let Some(groups) = self.body.groups_mut() {
            groups.set_marks(marks);
        }
    }

    /// Of a whole group of which it is known what was read: unread articles, and all. Those that rules hide are neither.
    pub fn unread(&self) -> Option<(usize, usize)> {
        let group = self.body.group()?;
        group.read()?;
        group.ordered().map(Ordered::unread)
    }

    /// The article of a row.
    pub fn article(&self, row: usize) -> Option<Listed> {
        let Some(Origin::Line(line)) = self.origin(row) else {
            return None;
        };
        self.listed(line)
    }

    /// The article of this number, in a whole group.
    pub fn numbered_article(&self, number: u64) -> Option<Listed> {
        let group = self.body.group()?;
        let line = group.ordered()?.line_of(number)?;
        Some(Listed { line, number })
    }

    /// The next article that is unread and not hidden, in the order of the rows, from the one after `line` on, or from
    /// the first; in the end those before it.
    pub fn next_unread(&self, line: Option<usize>) -> Option<Listed> {
        let group = self.body.group()?;
        let line = line.and_then(|line| u32::try_from(line).ok());
        let mut lines = group.ordered()?.from(line);
        self.listed(lines.find(|&line| group.is_wanted(line))?)
    }

    /// The article that stands so to that of a line, where the group has it.
    pub fn related(&self, line: usize, relation: Relation) -> Option<Listed> {
        let group = self.body.group()?;
        let ordered = group.ordered()?;
        let found = match relation {
            Relation::Parent => ordered.parent(line),
            Relation::Root => Some(ordered.root(line)).filter(|&root| root != line),
            Relation::Reply => ordered.reply(line),
        };
        self.listed(found?)
    }

    /// The line of the first article of the thread that a line is in.
    pub fn thread_root(&self, line: usize) -> Option<usize> {
        let group = self.body.group()?;
        Some(group.ordered()?.root(line))
    }

    /// The Message-ID of the article of a line.
    pub fn message_id(&self, line: usize) -> Option<&[u8]> {
        Some(overview(self.raw.line(line)?)?.id)
    }

    /// The numbers of all articles of the thread that a line is in.
    pub fn thread_numbers(&self, line: usize) -> Numbers {
        let mut numbers = Numbers::default();
        if let Some(ordered) = self.body.group().and_then(Group::ordered) {
            let thread = ordered.thread(line).into_iter();
            let mut found: Vec<u64> = thread.map(|line| ordered.number(line)).collect();
            // In their order each is put in at the end.
            found.sort_unstable();
            for number in found.into_iter().filter(|&number| number > 0) {
                numbers.insert(number, number);
            }
        }
        numbers
    }

    /// Whether every row of a group stands by itself, as sorting by author or a filter has it.
    pub fn is_flat(&self) -> bool {
        let ordered = self.body.group().and_then(Group::ordered);
        ordered.is_some_and(Ordered::is_flat)
    }

    /// The highest number in the overview of a whole group.
    pub fn highest(&self) -> Option<u64> {
        let group = self.body.group()?;
        group.ordered()?.highest()
    }

    /// The link to the article of a line.
    pub fn article_link(&self, line: usize) -> Option<Link> {
        self.body.group()?;
        Group::link(self.source(), line)
    }

    /// Author and subject of the article of a line, decoded.
    pub fn author_and_subject(&self, line: usize) -> Option<(String, String)> {
        let article = overview(self.raw.line(line)?)?;
        let decode = |value| super::header::decode(value, self.charset());
        let (subject, _) = super::threads::plain_subject(article.subject);
        Some((decode(article.from), decode(subject)))
    }

    /// The groups, and the numbers there, that an article says it was posted to.
    pub fn cross_posts(&self) -> Vec<(Vec<u8>, u64)> {
        if self.body.article().is_none() {
            return Vec::new();
        }
        let value = xref::header(&self.raw, b"Xref").unwrap_or_default();
        let places = xref::places(&value);
        places
            .map(|(group, number)| (group.to_vec(), number))
            .collect()
    }

    /// The Message-IDs that an article refers to, or that the article of a line of an overview does, as addresses: the
    /// nearest last.
    pub fn references(&self, line: Option<usize>) -> Vec<Url> {
        let value = if self.body.article().is_some() {
            xref::header(&self.raw, b"References").unwrap_or_default()
        } else {
            let line = line.and_then(|line| self.raw.line(line));
            let article = line.and_then(overview);
            article.map_or_else(Vec::new, |article| article.references.to_vec())
        };
        let ids = super::threads::references(&value);
        ids.filter_map(|id| Url::news_article(id).ok()).collect()
    }

    /// The groups of a list that are subscribed to and have unread articles, in the order of the rows.
    pub fn groups_with_unread(&self) -> Vec<Vec<u8>> {
        let groups = self.body.groups();
        groups.map_or_else(Vec::new, |groups| groups.with_unread(self.source()))
    }

    /// The group of a row of a list: its name and its highest number.
    pub fn listed_group(&self, row: usize) -> Option<(Vec<u8>, u64)> {
        let groups = self.body.groups()?;
        let Some(Origin::Line(line)) = self.origin(row) else {
            return None;
        };
        groups.group(self.source(), line)
    }

    /// How many groups of a list, once it is finished, have come since it was made.
    pub fn new_groups(&self) -> usize {
        self.body.groups().map_or(0, Groups::new_groups)
    }

    /// The octets of a list of groups with what has changed put into it, so that it does not grow with each change;
    /// nothing for everything else. May take its time.
    pub fn merged(&self) -> Option<Vec<u8>> {
        self.body.groups()?.merged(self.source())
    }

    /// Whether the article of a line is unread and not hidden.
    pub fn is_wanted(&self, line: usize) -> bool {
        let group = self.body.group();
        group.is_some_and(|group| group.is_wanted(line))
    }

    /// The row of a line; of the thread that it is folded into, or the next one, where it has none.
    pub fn nearest_row(&self, line: usize) -> Option<usize> {
        let row = self.rows().row_of(Origin::Line(line))?;
        let row = match &self.filter {
            Some(filter) => filter.nearest(row),
            None => row,
        };
        let last = self.count().checked_sub(1)?;
        Some(row.min(last))
    }

    fn listed(&self, line: usize) -> Option<Listed> {
        self.body.group()?;
        let article = overview(self.raw.line(line)?)?;
        Some(Listed {
            line,
            number: article.number,
        })
    }
}
