//! Navigation among the articles of a group, and the read marks and rules that news pages use.

use std::sync::Arc;

use geomys_wire::protocol::nntp::{MailboxMessage, References, bare_id, mailbox_message, overview};
use jiff::Timestamp;
use rfc1738::Url;

use super::body::Body;
use super::date;
use super::folds::GroupFolds;
use super::group::ordered::OrderedArticles;
use super::group::{GroupBody, charset_of};
use super::groups::GroupListBody;
use super::marks::ServerMarks;
use super::model::Document;
use super::numbers;
use super::numbers::ArticleNumbers;
use super::numbers::CrossPosts;
use super::row::{Link, RowOrigin};
use super::score::ScoreRules;

/// An article of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupArticle {
    /// The line of the article in the overview.
    pub line: usize,
    /// The article number.
    pub number: u64,
}

/// The relation of one article to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// The article that it answers.
    Parent,
    /// The first article of its thread.
    Root,
    /// The first reply to it.
    Reply,
}

impl Document {
    /// Sets the numbers of the read articles of a group.
    pub fn set_read(&mut self, read: Arc<ArticleNumbers>) {
        if let Body::Group(group) = &mut self.body {
            group.set_read(read);
        }
    }

    /// Sets the stored folds of a group. They are applied when the document is finished.
    pub fn set_folds(&mut self, folds: &Arc<GroupFolds>) {
        if let Body::Group(group) = &mut self.body {
            group.set_folds(folds);
        }
    }

    /// Sets the score rules for the articles of a group. They take effect when the document is finished or arranged.
    pub fn set_rules(&mut self, rules: Arc<ScoreRules>) {
        if let Body::Group(group) = &mut self.body {
            group.rules = rules;
        }
    }

    /// Sets the read articles and subscriptions of all groups, for a list of groups. Its rows are sorted again when the
    /// document is finished or arranged.
    pub fn set_marks(&mut self, marks: ServerMarks) {
        if let Body::Groups(groups) = &mut self.body {
            groups.set_marks(marks);
        }
    }

    /// The number of unread articles and of all articles of a complete group, once the read articles are loaded.
    /// Articles hidden by rules are not counted.
    pub fn unread(&self) -> Option<(usize, usize)> {
        let group = self.body.group()?;
        group.read.as_ref()?;
        group.ordered.as_ref().map(OrderedArticles::unread)
    }

    /// The number of these article numbers that are not read, once the read articles of the group are loaded.
    pub fn unread_of(&self, mut numbers: ArticleNumbers) -> u64 {
        let group = self.body.group();
        if let Some(read) = group.and_then(|group| group.read.as_ref()) {
            numbers.remove_all(read);
        }
        numbers.count(1, u64::MAX)
    }

    /// The article in a row.
    pub fn article(&self, row: usize) -> Option<GroupArticle> {
        let line = self.origin(row)?.line()?;
        self.group_article(line)
    }

    /// The article with this number, in a group.
    pub fn numbered_article(&self, number: u64) -> Option<GroupArticle> {
        let line = self.body.group()?.line_of_number(number)?;
        Some(GroupArticle { line, number })
    }

    /// The time when the article of a line was written, as its overview says.
    pub fn article_time(&self, line: usize) -> Option<Timestamp> {
        date::time(overview(self.raw.line(line)?)?.date)
    }

    /// The articles that are unread and not hidden, in the order in which they are read: the oldest first, thread by
    /// thread. They begin after the article of `line`, and wrap at the end.
    pub fn unread_from(&self, line: Option<usize>) -> impl Iterator<Item = GroupArticle> + '_ {
        let group = self.body.group().into_iter();
        let lines = group.flat_map(move |group| group.unread_from(self.source(), line));
        lines.filter_map(|line| self.group_article(line))
    }

    /// The article with this relation to the article of a line, where the group has it.
    pub fn related(&self, line: usize, relation: Relation) -> Option<GroupArticle> {
        let group = self.body.group()?;
        let ordered = group.ordered.as_ref()?;
        let found = match relation {
            Relation::Parent => ordered.parent(line),
            Relation::Root => Some(ordered.root(line)).filter(|&root| root != line),
            Relation::Reply => ordered.reply(line),
        };
        self.group_article(found?)
    }

    /// The line of the first article of the thread that a line is in.
    pub fn thread_root(&self, line: usize) -> Option<usize> {
        let group = self.body.group()?;
        Some(group.ordered.as_ref()?.root(line))
    }

    /// The Message-ID of the article of a line.
    pub fn message_id(&self, line: usize) -> Option<&[u8]> {
        Some(overview(self.raw.line(line)?)?.id)
    }

    /// The line of the article with this Message-ID in a group.
    pub fn line_of_message(&self, id: &[u8]) -> Option<usize> {
        let id = bare_id(id);
        let mut lines = 0..self.raw.lines();
        lines.find(|line| {
            self.message_id(*line)
                .is_some_and(|other| bare_id(other) == id)
        })
    }

    /// The messages of a mailbox that is shown as a group.
    pub fn mailbox_messages(&self) -> impl Iterator<Item = MailboxMessage<'_>> {
        let lines = self.body.group().into_iter().flat_map(GroupBody::numbered);
        lines.filter_map(|(line, _)| mailbox_message(self.raw.line(line as usize)?))
    }

    /// The numbers of all articles of the thread that a line is in.
    pub fn thread_numbers(&self, line: usize) -> ArticleNumbers {
        let mut numbers = ArticleNumbers::default();
        if let Some(ordered) = self.body.group().and_then(|group| group.ordered.as_ref()) {
            let thread = ordered.thread(line).into_iter();
            let mut found: Vec<u64> = thread.map(|line| ordered.number(line)).collect();
            // In ascending order each number is appended at the end.
            found.sort_unstable();
            for number in found.into_iter().filter(|&number| number > 0) {
                numbers.insert(number, number);
            }
        }
        numbers
    }

    /// Returns true if the rows of a group are not threaded, as when they are sorted by author or filtered.
    pub fn is_flat(&self) -> bool {
        let ordered = self.body.group().and_then(|group| group.ordered.as_ref());
        ordered.is_some_and(OrderedArticles::is_flat)
    }

    /// The highest number in the overview of a complete group.
    pub fn highest(&self) -> Option<u64> {
        let group = self.body.group()?;
        group.ordered.as_ref()?.highest()
    }

    /// The link to the article of a line.
    pub fn article_link(&self, line: usize) -> Option<Link> {
        self.body.group()?;
        GroupBody::article_link(self.source(), line)
    }

    /// The `news:` URL of the article, or of the article in this row of a group, by its Message-ID: it is valid on
    /// every server.
    pub fn news_url(&self, row: usize) -> Option<Url> {
        let id = if self.body.article().is_some() {
            numbers::header(&self.raw, b"Message-ID")?
        } else {
            let line = self.article(row)?.line;
            overview(self.raw.line(line)?)?.id.to_vec()
        };
        Url::news_article(id.trim_ascii()).ok()
    }

    /// The author and the subject of the article of a line, decoded.
    pub fn author_and_subject(&self, line: usize) -> Option<(String, String)> {
        let octets = self.raw.line(line)?;
        let article = overview(octets)?;
        let charset = charset_of(self.source(), octets);
        let decode = |value| super::header::decode(value, charset);
        // The `Re:` may be a part of an encoded word.
        let subject = decode(article.subject);
        let plain = super::subject::plain_subject(subject.as_bytes()).text;
        let plain = String::from_utf8_lossy(&plain).into_owned();
        Some((decode(article.from), plain))
    }

    /// The Message-ID of the first article of the thread that the article of a line belongs to, by its References.
    pub fn thread_id(&self, line: usize) -> Option<String> {
        let article = overview(self.raw.line(line)?)?;
        let references = References::new(article.references);
        let id = references.first().unwrap_or(bare_id(article.id));
        (!id.is_empty()).then(|| format!("<{}>", String::from_utf8_lossy(id)))
    }

    /// The other groups that these articles of a group were posted to, with their numbers there, by the Xref of the
    /// overview.
    pub fn cross_posts_of(&self, numbers: &ArticleNumbers) -> CrossPosts {
        let mut others = CrossPosts::default();
        let lines = self.body.group().into_iter().flat_map(GroupBody::numbered);
        // In ascending order each number is appended at the end.
        for (line, _) in lines.rev().filter(|(_, number)| numbers.contains(*number)) {
            others.add_line(self.raw.line(line as usize).unwrap_or_default());
        }
        others
    }

    /// The numbers of the articles that rules hide, in a complete group.
    pub fn hidden_numbers(&self) -> ArticleNumbers {
        let ordered = self.body.group().and_then(|group| group.ordered.as_ref());
        ordered.map_or_else(ArticleNumbers::default, OrderedArticles::hidden_numbers)
    }

    /// The groups that an article was posted to, with its numbers there, by its Xref header.
    pub fn cross_posts(&self) -> Vec<(Vec<u8>, u64)> {
        if self.body.article().is_none() {
            return Vec::new();
        }
        let value = numbers::header(&self.raw, b"Xref").unwrap_or_default();
        let groups = numbers::groups(&value);
        groups
            .map(|(group, number)| (group.to_vec(), number))
            .collect()
    }

    /// The Message-IDs that an article refers to, or the article of an overview line, as URLs: the nearest last.
    pub fn references(&self, line: Option<usize>) -> Vec<Url> {
        let value = if self.body.article().is_some() {
            numbers::header(&self.raw, b"References").unwrap_or_default()
        } else {
            let line = line.and_then(|line| self.raw.line(line));
            let article = line.and_then(overview);
            article.map_or_else(Vec::new, |article| article.references.to_vec())
        };
        let references = References::new(&value);
        let ids = references.ids();
        ids.filter_map(|id| Url::news_article(id).ok()).collect()
    }

    /// The subscribed groups of a list that have unread articles, in the order of the rows.
    pub fn groups_with_unread(&self) -> Vec<Vec<u8>> {
        let groups = self.body.groups();
        groups.map_or_else(Vec::new, |groups| groups.with_unread(self.source()))
    }

    /// Leaves out the groups of a list that are not subscribed, unless none is.
    pub fn list_only_subscribed(&mut self) {
        if let Body::Groups(groups) = &mut self.body {
            groups.list_only_subscribed();
        }
    }

    /// True for the row of a group that is subscribed, in a list of groups.
    pub fn is_subscribed_row(&self, row: usize) -> bool {
        let group = self.body.groups().zip(self.listed_group(row));
        group.is_some_and(|(groups, (name, _))| groups.is_subscribed(&name))
    }

    /// True for a list of groups, filtered or not, whose shown groups are all subscribed.
    pub fn lists_subscribed_only(&self) -> bool {
        let count = self.count();
        count > 0 && (0..count).all(|row| self.is_subscribed_row(row))
    }

    /// The width of the column for names in a list of groups; 0 for other documents.
    pub fn group_name_columns(&self) -> usize {
        self.body.groups().map_or(0, GroupListBody::name_columns)
    }

    /// True for a list of groups by which the server takes no posts to this one.
    pub fn lists_as_closed(&self, group: &[u8]) -> bool {
        let groups = self.body.groups();
        groups.is_some_and(|groups| groups.is_closed(self.source(), group))
    }

    /// The group in a row of a list: its name and its highest article number.
    pub fn listed_group(&self, row: usize) -> Option<(Vec<u8>, u64)> {
        let groups = self.body.groups()?;
        let line = self.origin(row)?.line()?;
        groups.group(self.source(), line)
    }

    /// The number of groups that were added since the list was cached, once the list is finished.
    pub fn new_groups(&self) -> usize {
        self.body.groups().map_or(0, |groups| groups.new)
    }

    /// The octets of a list of groups with its changes merged, so that it does not grow with each change; nothing for
    /// other documents. Slow.
    pub fn merged(&self) -> Option<Vec<u8>> {
        self.body.groups()?.merged(self.source())
    }

    /// The row of a line. Where it has none: the row of the folded thread that contains it, or the next row.
    pub fn nearest_row(&self, line: usize) -> Option<usize> {
        let row = self.rows().row_of(RowOrigin::Line(line))?;
        let last = self.count().checked_sub(1)?;
        Some(self.nearest(row).min(last))
    }

    fn group_article(&self, line: usize) -> Option<GroupArticle> {
        self.body.group()?;
        let article = overview(self.raw.line(line)?)?;
        Some(GroupArticle {
            line,
            number: article.number,
        })
    }
}
