//! The articles of a group, one a line of its overview (RFC 3977, section 8.3).
//!
//! While it arrives, an article is a row, in the order in which they come: the newest first. Once all have come they
//! stand in threads, the thread with the newest article first, or in another order; a thread may be folded into one row.
//! What was read, and what rules of the reader say, are given to it as data.

pub(super) mod ordered;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use self::ordered::Ordered;
use super::folds::GroupFolds;
use super::rows::only;
use super::score::{Judgement, Rules};
use super::threads;
use super::{Column, Kind, Link, Numbers, Order, Origin, Row, Rows, Shown, Source, Span, header};
use crate::protocol::nntp::{Overview, overview};
use crate::text::{self, Text};
use crate::url::{Encoded, Url};

/// The body of a group.
#[derive(Clone, Debug, Default)]
pub(super) struct Group {
    /// What was read; nothing while that is not known.
    read: Option<Arc<Numbers>>,
    /// What the reader likes and does not.
    rules: Arc<Rules>,
    ordered: Option<Ordered>,
    folds: StoredFolds,
}

/// The folds that a group had before.
#[derive(Clone, Debug, Default)]
enum StoredFolds {
    /// It is not known which.
    #[default]
    Unknown,
    /// They are to be applied.
    Known(Arc<GroupFolds>),
    /// They were applied: what is shown is newer.
    Applied,
}

impl Rows for Group {
    fn count(&self, source: Source<'_>) -> usize {
        match &self.ordered {
            Some(ordered) => ordered.count(),
            None => source.raw.lines(),
        }
    }

    fn row(&self, source: Source<'_>, number: usize) -> Option<Row> {
        let at = self.line_of(number)?;
        let line = source.raw.line(at)?;
        let Some(article) = overview(line) else {
            return Some(Row::new(Kind::Odd, Text::new(line, source.charset)));
        };
        let folded = self.folded(number);
        let spans = if self.repeats(source, number, &article) {
            Vec::new()
        } else {
            vec![Span::new(subject(source, &article))]
        };
        let day = header::day(article.date, source.charset);
        let (unread, aside) = match folded {
            Some((unread, of)) => (unread > 0, Text::of(&in_thread(unread, of, &day))),
            None => (self.is_unread(article.number), day),
        };
        Some(Row {
            kind: self.kind(at, unread),
            number: None,
            indent: self.depth(number),
            lead: Some(header::author(article.from, source.charset)),
            spans,
            aside: Some(aside),
            hang: 0,
        })
    }

    /// Subjects and authors may be encoded, and then do not stand in the line as they are shown.
    fn octets<'a>(&'a self, source: Source<'a>, number: usize) -> Option<&'a [u8]> {
        let line = source.raw.line(self.line_of(number)?)?;
        memchr::memmem::find(line, b"=?").is_none().then_some(line)
    }

    fn links(&self, source: Source<'_>, number: usize, which: Range<usize>) -> Vec<Link> {
        only(&which, || Self::link(source, self.line_of(number)?))
    }

    fn link_count(&self, source: Source<'_>, number: usize) -> usize {
        usize::from(self.article(source, number).is_some())
    }

    fn is_list(&self) -> bool {
        true
    }

    fn finish(&mut self, source: Source<'_>) {
        let read = self.read.as_deref();
        let ordered = self.ordered.get_or_insert_with(|| {
            let mut ordered = Ordered::new(source);
            ordered.judge(source, &self.rules, &named(source.url));
            ordered.sort(source, Order::new(Column::Thread));
            ordered.show(Shown::default(), false, read);
            ordered
        });
        if let StoredFolds::Known(folds) = &self.folds {
            ordered.show_folds(source, folds, read);
            self.folds = StoredFolds::Applied;
        }
    }

    fn wants_finish(&self) -> bool {
        self.ordered.is_none() || matches!(self.folds, StoredFolds::Known(_))
    }

    fn columns(&self) -> &'static [Column] {
        &[
            Column::Thread,
            Column::Date,
            Column::Author,
            Column::Subject,
            Column::Score,
        ]
    }

    fn order(&self) -> Option<Order> {
        self.ordered.as_ref().map(Ordered::order)
    }

    fn sort(&mut self, source: Source<'_>, order: Order) {
        if let Some(ordered) = &mut self.ordered {
            ordered.sort(source, order);
        }
    }

    fn shown(&self) -> Shown {
        let ordered = self.ordered.as_ref();
        ordered.map_or_else(Shown::default, |ordered| ordered.shown().clone())
    }

    fn show(&mut self, source: Source<'_>, shown: Shown, filtered: bool) -> bool {
        let Some(ordered) = &mut self.ordered else {
            return false;
        };
        ordered.judge(source, &self.rules, &named(source.url));
        ordered.show(shown, filtered, self.read.as_deref())
    }

    fn origin(&self, row: usize) -> Option<Origin> {
        self.line_of(row).map(Origin::Line)
    }

    /// An article without a row has that of its thread, where that is folded, else the next one.
    fn row_of(&self, origin: Origin) -> Option<usize> {
        let Origin::Line(line) = origin else {
            return None;
        };
        match &self.ordered {
            Some(ordered) => ordered.row_of(u32::try_from(line).ok()?),
            None => Some(line),
        }
    }
}

impl Group {
    /// Knows from now on what was read.
    pub(super) fn set_read(&mut self, read: Arc<Numbers>) {
        if let Some(ordered) = &mut self.ordered {
            ordered.count_unread(&read);
        }
        self.read = Some(read);
    }

    /// Has these folds once it is finished, unless it was finished with some.
    pub(super) fn set_folds(&mut self, folds: &Arc<GroupFolds>) {
        self.folds = match &self.folds {
            StoredFolds::Applied => StoredFolds::Applied,
            // Its threads are open already.
            StoredFolds::Unknown | StoredFolds::Known(_)
                if self.ordered.is_some() && **folds == GroupFolds::default() =>
            {
                StoredFolds::Applied
            }
            StoredFolds::Unknown | StoredFolds::Known(_) => StoredFolds::Known(Arc::clone(folds)),
        };
    }

    /// What was read, once that is known.
    pub(super) fn read(&self) -> Option<&Arc<Numbers>> {
        self.read.as_ref()
    }

    /// Has other rules from now on; they count when it is finished or arranged.
    pub(super) fn set_rules(&mut self, rules: Arc<Rules>) {
        self.rules = rules;
    }

    /// The articles in their order, once all have come.
    pub(super) fn ordered(&self) -> Option<&Ordered> {
        self.ordered.as_ref()
    }

    /// Whether an article is to be read: it has not been, as far as is known, and no rule hides it.
    pub(super) fn is_wanted(&self, line: usize) -> bool {
        let Some(ordered) = &self.ordered else {
            return false;
        };
        let number = ordered.number(line);
        number > 0 && self.is_unread(number) && self.judged(line) != Judgement::Hidden
    }

    /// The line that a row is made of.
    pub(super) fn line_of(&self, row: usize) -> Option<usize> {
        match &self.ordered {
            Some(ordered) => ordered.at(row).map(|(line, _)| line as usize),
            None => Some(row),
        }
    }

    /// The link to the article of a line.
    pub(super) fn link(source: Source<'_>, line: usize) -> Option<Link> {
        let article = overview(source.raw.line(line)?)?;
        // A page that has no server of its own names articles by what is theirs everywhere.
        let target = match source.url.numbered(article.number) {
            Ok(url) => Ok(url),
            Err(_) => Url::news_article(article.id),
        };
        Some(Link::new(subject(source, &article), target))
    }

    fn article<'a>(&self, source: Source<'a>, row: usize) -> Option<Overview<'a>> {
        overview(source.raw.line(self.line_of(row)?)?)
    }

    fn is_unread(&self, number: u64) -> bool {
        self.read.as_ref().is_some_and(|read| !read.holds(number))
    }

    fn judged(&self, line: usize) -> Judgement {
        let ordered = self.ordered.as_ref();
        ordered.map_or(Judgement::Plain, |ordered| {
            self.rules.judge(ordered.score(line))
        })
    }

    fn kind(&self, line: usize, unread: bool) -> Kind {
        match (self.judged(line), &self.read, unread) {
            (Judgement::Hidden, ..) => Kind::Hidden,
            (Judgement::Plain | Judgement::Marked, Some(_), false) => Kind::Read,
            (Judgement::Marked, ..) => Kind::Marked,
            (Judgement::Plain, Some(_), true) => Kind::Unread,
            (Judgement::Plain, None, _) => Kind::Article,
        }
    }

    fn depth(&self, row: usize) -> usize {
        let ordered = self.ordered.as_ref();
        let depth = ordered.and_then(|ordered| Some(ordered.at(row)?.1));
        depth.map_or(0, usize::from)
    }

    /// How many articles a row stands for that is a folded thread: the unread ones, and all.
    fn folded(&self, row: usize) -> Option<(usize, usize)> {
        let ordered = self.ordered.as_ref()?;
        let lines = ordered.folded(row)?;
        let (mut unread, mut of) = (0, 0);
        for line in lines {
            of += 1;
            unread += usize::from(self.is_unread(ordered.number(line)));
        }
        (of > 1).then_some((unread, of))
    }

    /// Whether the row above in the thread has the same subject already.
    fn repeats(&self, source: Source<'_>, row: usize, article: &Overview<'_>) -> bool {
        let Some(above) = row.checked_sub(1).filter(|_| self.depth(row) > 0) else {
            return false;
        };
        let plain = |article: &Overview<'_>| threads::plain_subject(article.subject).0.to_vec();
        self.article(source, above)
            .is_some_and(|above| plain(&above) == plain(article))
    }
}

/// `4 of 6 unread  2026-11-19`: short, as it stands beside a subject.
fn in_thread(unread: usize, of: usize, day: &Text) -> String {
    let of = text::count(of);
    match unread {
        0 => format!("{of} articles  {day}"),
        unread => format!("{} of {of} unread  {day}", text::count(unread)),
    }
}

/// The name of the group that a page shows.
fn named(page: &Url) -> Cow<'_, [u8]> {
    page.group().map_or_else(Cow::default, Encoded::octets)
}

fn subject(source: Source<'_>, article: &Overview<'_>) -> Text {
    let subject = header::text(article.subject, source.charset);
    if subject.is_blank() {
        Text::of("(no subject)")
    } else {
        subject
    }
}
