//! The articles of a group, one per line of its overview (RFC 3977, section 8.3).
//!
//! While the overview arrives, each article is a row, the highest number first. The complete overview is sorted into
//! threads, the thread with the newest article first, or into another order. A thread may be folded into one row. The
//! numbers of read articles and the user's score rules are passed in as data.

mod numbered;
pub(super) mod ordered;

use std::borrow::Cow;
use std::sync::Arc;

use geomys_wire::protocol::nntp::{Overview, overview};
use geomys_wire::text::{self, Charset, Text, is_utf8};
use rfc1738::{Encoded, Url};

use self::numbered::NumberedLines;
use self::ordered::OrderedArticles;
use super::date::{self, Zone};
use super::folds::ArticleVisibility;
use super::folds::GroupFolds;
use super::header;
use super::numbers::ArticleNumbers;
use super::order::{ListOrder, SortColumn};
use super::page_charset;
use super::row::{Kind, Link, Row, RowOrigin};
use super::rows::{RowProvider, RowSource};
use super::score::{ScoreClass, ScoreRules};
use crate::archive::member_url;

/// The number of rows below an article that are searched for the lines of its thread.
const THREAD_ROWS: usize = 2000;

/// The body of a group.
#[derive(Clone, Debug, Default)]
pub(super) struct GroupBody {
    /// The numbers of read articles; nothing until they are loaded.
    pub(super) read: Option<Arc<ArticleNumbers>>,
    /// The numbers of the articles that were read when the group was opened.
    read_before: Option<Arc<ArticleNumbers>>,
    /// The user's score rules. They take effect when the group is finished or arranged.
    pub(super) rules: Arc<ScoreRules>,
    /// The lines by article number: the rows while the overview arrives.
    lines: NumberedLines,
    /// The sorted articles, once the overview is complete.
    pub(super) ordered: Option<OrderedArticles>,
    folds: StoredFolds,
    /// The time zone of the displayed dates.
    pub(super) zone: Zone,
}

/// The state of a group's stored folds.
#[derive(Clone, Debug, Default)]
enum StoredFolds {
    /// The stored folds are not loaded yet.
    #[default]
    NotLoaded,
    /// Loaded folds that are not applied yet.
    Pending(Arc<GroupFolds>),
    /// The stored folds were applied. The current folds are newer.
    Applied,
}

impl RowProvider for GroupBody {
    fn count(&self, source: RowSource<'_>) -> usize {
        match &self.ordered {
            Some(ordered) => ordered.count(),
            None => self.lines.count(source),
        }
    }

    fn row(&self, source: RowSource<'_>, number: usize) -> Option<Row> {
        let at = self.line_of(number)?;
        let line = source.raw.line(at)?;
        let Some(article) = overview(line) else {
            return Some(Row::new(Kind::Malformed, Text::new(line, source.charset)));
        };
        let charset = charset_of(source, line);
        let folded = self.folded(number);
        let day = date::by_age(article.date, &self.zone);
        let (unread, aside, short_aside) = match folded {
            Some((unread, total)) => {
                let counts = in_thread(unread, total);
                let aside = Text::of(&format!("{counts}  {day}"));
                (unread > 0, aside, Some(Text::of(&counts)))
            }
            None => (self.is_unread(article.number), day, None),
        };
        let indent = self.depth(number);
        Some(Row {
            indent,
            branches: self.branches(number, indent),
            short_aside,
            lead: Some(header::author(article.from, charset)),
            aside: Some(aside),
            ..Row::new(self.kind(at, unread), subject(&article, charset))
        })
    }

    /// Returns nothing for lines with encoded words, as their octets differ from the displayed text.
    fn octets<'a>(&'a self, source: RowSource<'a>, number: usize) -> Option<&'a [u8]> {
        let line = source.raw.line(self.line_of(number)?)?;
        (!header::is_encoded(line)).then_some(line)
    }

    fn record(&self, _: RowSource<'_>, number: usize) -> Vec<usize> {
        self.line_of(number).into_iter().collect()
    }

    fn link(&self, source: RowSource<'_>, number: usize) -> Option<Link> {
        Self::article_link(source, self.line_of(number)?)
    }

    fn link_count(&self, source: RowSource<'_>, number: usize) -> usize {
        usize::from(self.article(source, number).is_some())
    }

    fn on_append(&mut self, source: RowSource<'_>) {
        self.lines.scan(source, source.raw.complete_lines());
    }

    fn finish(&mut self, source: RowSource<'_>) {
        self.lines.scan(source, source.raw.lines());
        let (read, group) = (self.read.as_deref(), group_name(source.url));
        let ordered = match self.ordered.take() {
            Some(ordered) if ordered.lines() == self.lines.scanned() => ordered,
            Some(ordered) => ordered.with_more(source, &self.lines, &self.rules, &group, read),
            None => {
                let mut ordered = OrderedArticles::new(source, &self.lines);
                ordered.update_scores(source, &self.rules, &group);
                ordered.sort(source, ListOrder::new(SortColumn::Thread));
                ordered.set_visibility(ArticleVisibility::default(), false, read);
                ordered
            }
        };
        let ordered = self.ordered.insert(ordered);
        if let StoredFolds::Pending(folds) = &self.folds {
            ordered.show_folds(source, folds, read);
            self.folds = StoredFolds::Applied;
        }
    }

    fn needs_finish(&self) -> bool {
        let is_current = |ordered: &OrderedArticles| ordered.lines() == self.lines.scanned();
        !self.ordered.as_ref().is_some_and(is_current)
            || matches!(self.folds, StoredFolds::Pending(_))
    }

    fn memory(&self) -> usize {
        self.lines.memory()
    }

    fn columns(&self) -> &'static [SortColumn] {
        &[
            SortColumn::Thread,
            SortColumn::Date,
            SortColumn::Author,
            SortColumn::Subject,
            SortColumn::Score,
        ]
    }

    fn order(&self) -> Option<ListOrder> {
        self.ordered.as_ref().map(OrderedArticles::order)
    }

    fn sort(&mut self, source: RowSource<'_>, order: ListOrder) {
        if let Some(ordered) = &mut self.ordered {
            ordered.sort(source, order);
        }
    }

    fn visibility(&self) -> ArticleVisibility {
        let ordered = self.ordered.as_ref();
        ordered.map_or_else(ArticleVisibility::default, |ordered| {
            ordered.visibility().clone()
        })
    }

    fn set_visibility(
        &mut self,
        source: RowSource<'_>,
        visibility: ArticleVisibility,
        filtered: bool,
    ) -> bool {
        let Some(ordered) = &mut self.ordered else {
            return false;
        };
        ordered.update_scores(source, &self.rules, &group_name(source.url));
        ordered.set_visibility(visibility, filtered, self.read.as_deref())
    }

    fn origin(&self, row: usize) -> Option<RowOrigin> {
        self.line_of(row).map(RowOrigin::Line)
    }

    /// Returns the row of an article. Where it has none: the row of its folded thread, else the next row.
    fn row_of(&self, origin: RowOrigin) -> Option<usize> {
        let line = origin.line()?;
        match &self.ordered {
            Some(ordered) => ordered.row_of(u32::try_from(line).ok()?),
            None => self.lines.row_of(line),
        }
    }
}

impl GroupBody {
    /// Sets the numbers of read articles.
    pub(super) fn set_read(&mut self, read: Arc<ArticleNumbers>) {
        if let Some(ordered) = &mut self.ordered {
            ordered.count_unread(&read);
        }
        self.read_before.get_or_insert_with(|| Arc::clone(&read));
        self.read = Some(read);
    }

    /// Sets the stored folds, to be applied when the group is finished, unless folds were applied before.
    pub(super) fn set_folds(&mut self, folds: &Arc<GroupFolds>) {
        self.folds = match &self.folds {
            StoredFolds::Applied => StoredFolds::Applied,
            // All threads are open already.
            StoredFolds::NotLoaded | StoredFolds::Pending(_)
                if self.ordered.is_some() && **folds == GroupFolds::default() =>
            {
                StoredFolds::Applied
            }
            StoredFolds::NotLoaded | StoredFolds::Pending(_) => {
                StoredFolds::Pending(Arc::clone(folds))
            }
        };
    }

    /// Returns true if the article of a line is unread and no rule hides it.
    fn is_unread_and_visible(&self, source: RowSource<'_>, line: usize) -> bool {
        let number = match &self.ordered {
            Some(ordered) => ordered.number(line),
            None => {
                let article = source.raw.line(line).and_then(overview);
                article.map_or(0, |article| article.number)
            }
        };
        number > 0 && self.is_unread(number) && !self.is_hidden(source, line)
    }

    /// Returns true if a rule hides the article of a line.
    fn is_hidden(&self, source: RowSource<'_>, line: usize) -> bool {
        let group = group_name(source.url);
        if self.ordered.is_some() || self.rules.is_empty_for(&group) {
            return self.score_class(line) == ScoreClass::Hidden;
        }
        // The scores are computed when the overview is complete.
        let scorer = self.rules.scorer(&group, source);
        let score = source.raw.line(line).map(|line| scorer.score(line));
        score.is_some_and(|score| self.rules.classify(score) == ScoreClass::Hidden)
    }

    /// All lines with their article numbers, the highest first; 0 where a line is not an article.
    pub(super) fn numbered(&self) -> impl DoubleEndedIterator<Item = (u32, u64)> {
        self.lines.lines()
    }

    /// The line of the article with this number.
    pub(super) fn line_of_number(&self, number: u64) -> Option<usize> {
        match &self.ordered {
            Some(ordered) => ordered.line_of(number),
            None => self.lines.line_of_number(number),
        }
    }

    /// The lines of the unread articles that no rule hides, in the order in which they are read: the oldest first,
    /// thread by thread. They begin after `line`, and wrap at the end. After an article, the threads stay in the order
    /// of the articles that were unread when the group was opened.
    pub(super) fn unread_from<'a>(
        &'a self,
        source: RowSource<'a>,
        line: Option<usize>,
    ) -> impl Iterator<Item = usize> + 'a {
        let lines = match &self.ordered {
            Some(ordered) => {
                let read = line.map_or(self.read.as_ref(), |_| self.read_before.as_ref());
                ordered.read_from(line, |line| {
                    let number = ordered.number(line);
                    number > 0
                        && read.is_some_and(|read| !read.contains(number))
                        && !self.is_hidden(source, line)
                })
            }
            None => {
                let lines = self.lines.lines().rev();
                let mut lines: Vec<usize> = lines.map(|(line, _)| line as usize).collect();
                let here = line.and_then(|line| lines.iter().position(|other| *other == line));
                lines.rotate_left(here.map_or(0, |here| here + 1));
                lines
            }
        };
        let lines = lines.into_iter();
        lines.filter(move |line| self.is_unread_and_visible(source, *line))
    }

    /// The line that a row shows.
    pub(super) fn line_of(&self, row: usize) -> Option<usize> {
        match &self.ordered {
            Some(ordered) => ordered.at(row).map(|(line, _)| line as usize),
            None => Some(self.lines.line_of(row)),
        }
    }

    /// The link to the article of a line.
    pub(super) fn article_link(source: RowSource<'_>, line: usize) -> Option<Link> {
        let octets = source.raw.line(line)?;
        let article = overview(octets)?;
        let url = source.url;
        let target = match url.numbered(article.number) {
            // A directory of messages, as a mailbox on the disk is one.
            Ok(target) if url.base_parts().is_news() || url.as_str().ends_with('/') => Ok(target),
            // Without a server of the page the link uses the Message-ID, which is valid on every server.
            Err(_) if url.base_parts().is_news() => Url::news_article(article.id),
            Ok(_) | Err(_) => Ok(member_url(
                url,
                article.number.to_string().as_bytes(),
                false,
            )),
        };
        let label = subject(&article, charset_of(source, octets));
        Some(Link::new(label, target))
    }

    fn article<'a>(&self, source: RowSource<'a>, row: usize) -> Option<Overview<'a>> {
        overview(source.raw.line(self.line_of(row)?)?)
    }

    fn is_unread(&self, number: u64) -> bool {
        self.read
            .as_ref()
            .is_some_and(|read| !read.contains(number))
    }

    fn score_class(&self, line: usize) -> ScoreClass {
        let ordered = self.ordered.as_ref();
        ordered.map_or(ScoreClass::Plain, |ordered| {
            self.rules.classify(ordered.score(line))
        })
    }

    fn kind(&self, line: usize, unread: bool) -> Kind {
        match (self.score_class(line), &self.read, unread) {
            (ScoreClass::Hidden, ..) => Kind::Hidden,
            (ScoreClass::Plain | ScoreClass::Marked, Some(_), false) => Kind::Read,
            (ScoreClass::Marked, ..) => Kind::Marked,
            (ScoreClass::Plain, Some(_), true) => Kind::Unread,
            (ScoreClass::Plain, None, _) => Kind::Article,
        }
    }

    fn depth(&self, row: usize) -> usize {
        let ordered = self.ordered.as_ref();
        let depth = ordered.and_then(|ordered| Some(ordered.at(row)?.1));
        depth.map_or(0, usize::from)
    }

    /// The number of unread articles and of all articles in a row that is a folded thread.
    fn folded(&self, row: usize) -> Option<(usize, usize)> {
        let ordered = self.ordered.as_ref()?;
        let lines = ordered.folded(row)?;
        let (mut unread, mut total) = (0, 0);
        for line in lines {
            total += 1;
            unread += usize::from(self.is_unread(ordered.number(line)));
        }
        (total > 1).then_some((unread, total))
    }

    /// The levels of the thread that go on below a row of this depth; see [`Row::branches`].
    fn branches(&self, row: usize, depth: usize) -> u64 {
        let mut branches = 0;
        // The lowest depth between the row and the one below that is looked at.
        let mut lowest = depth + 1;
        for below in (row + 1..).take(THREAD_ROWS) {
            let next = if lowest > 1 { self.depth(below) } else { 0 };
            if next == 0 {
                break;
            }
            if next < lowest {
                lowest = next;
                let bit = u32::try_from(depth - next).ok();
                branches |= bit.and_then(|bit| 1_u64.checked_shl(bit)).unwrap_or(0);
            }
        }
        branches
    }
}

/// The counts of a folded thread, as `4 of 6 unread`: short, as they are shown beside a subject.
fn in_thread(unread: usize, total: usize) -> String {
    let total = text::count(total);
    match unread {
        0 => format!("{total} articles"),
        unread => format!("{} of {total} unread", text::count(unread)),
    }
}

/// The name of the group that a page shows.
fn group_name(page: &Url) -> Cow<'_, [u8]> {
    page.group().map_or_else(Cow::default, Encoded::octets)
}

fn subject(article: &Overview<'_>, charset: Charset) -> Text {
    let subject = header::text(article.subject, charset);
    if subject.is_blank() {
        Text::of("(no subject)")
    } else {
        subject
    }
}

/// The charset of the raw octets in a line of an overview, as each article has its own. The country of the author's
/// host separates languages where the octets do not.
pub(super) fn charset_of(source: RowSource<'_>, line: &[u8]) -> Charset {
    if !source.is_detected || is_utf8(line) {
        return source.charset;
    }
    overview(line).map_or(source.charset, |article| {
        article_charset(source, article.subject, article.from)
    })
}

/// The charset of the raw octets in these fields of an article.
fn article_charset(source: RowSource<'_>, subject: &[u8], from: &[u8]) -> Charset {
    if !source.is_detected {
        return source.charset;
    }
    let address = header::address(from);
    let label = address.rsplit_once('.').map(|(_, label)| label);
    page_charset::own_charset(source, &[subject, from], label)
}
