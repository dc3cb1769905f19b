//! With any folding, sorting, hiding and filtering, every article has its row once, and the cursor stays on
//! its article.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;

use geomys_page::document::find::FilterQuery;
use geomys_page::document::score::ScoreRules;
use geomys_page::document::{
    Arrangement, ArticleNumbers, ArticleVisibility, Document, Fold, HiddenRows, ListOrder,
    ReadRows, Relation, Shape, SortColumn, ThreadFolds,
};
use geomys_wire::text::CharsetSetting;
use proptest::prelude::*;
use rfc1738::Url;

/// A whole group: for each article, from the oldest on, the distance to its parent and its author.
fn group(articles: &[(usize, u8)]) -> Document {
    let url = Url::parse("nntp://news.example.org/a.b").unwrap();
    let mut document = Document::new(url, Shape::Group, CharsetSetting::default());
    let mut octets = String::new();
    for (index, (back, author)) in articles.iter().enumerate().rev() {
        let answered = index.checked_sub(*back).filter(|_| *back > 0);
        let references = answered.map_or(String::new(), |answered| format!("<{answered}@x>"));
        let author = ["ada", "bo", "=?utf-8?q?c=C3=A9?="][usize::from(author % 3)];
        let (number, day) = (index * 2 + 1, 1 + index * 7 % 28);
        writeln!(
            octets,
            "{number}\tsubject {}\t{author} <x@y>\t{day} Nov 2026 21:04:00 +0000\t<{index}@x>\t{references}\t9\t9",
            index % 5
        )
        .unwrap();
    }
    document.append(octets.as_bytes());
    document.finished()
}

fn numbers(document: &Document) -> Vec<u64> {
    let rows = 0..document.count();
    rows.map(|row| document.article(row).unwrap().number)
        .collect()
}

fn articles() -> impl Strategy<Value = Vec<(usize, u8)>> {
    proptest::collection::vec((0..6_usize, any::<u8>()), 1..40)
}

fn orders() -> impl Strategy<Value = ListOrder> {
    let columns = [
        SortColumn::Thread,
        SortColumn::Date,
        SortColumn::Author,
        SortColumn::Subject,
        SortColumn::Score,
    ];
    (prop::sample::select(columns.to_vec()), any::<bool>()).prop_map(|(column, reverse)| {
        ListOrder {
            reverse,
            ..ListOrder::new(column)
        }
    })
}

fn rules() -> Arc<ScoreRules> {
    Arc::new(ScoreRules::parse("-500 Subject: subject 3\n+50 From: cé\n").0)
}

proptest! {
    #[test]
    fn every_order_shows_every_article_once(articles in articles(), order in orders()) {
        let group = group(&articles).sorted(order);
        prop_assert_eq!(group.order(), Some(order));
        let shown = numbers(&group);
        let all: BTreeSet<u64> = shown.iter().copied().collect();
        prop_assert_eq!(all.len(), articles.len());
        prop_assert_eq!(shown.len(), articles.len());
        // A thread stays whole: below a row that stands deeper is no article of another thread.
        let roots = |row: usize| {
            let line = group.article(row).unwrap().line;
            group.thread_root(line).unwrap()
        };
        if !group.is_flat() {
            for row in 1..group.count() {
                let indent = group.row(row).unwrap().indent;
                prop_assert_eq!(indent == 0, roots(row) == group.article(row).unwrap().line);
                prop_assert!(indent == 0 || roots(row) == roots(row - 1));
            }
        }
    }

    #[test]
    fn reversed_order_reverses_threads(articles in articles()) {
        let group = group(&articles);
        let newest = numbers(&group);
        // The thread of the newest article comes first.
        let first = group.article(0).unwrap().line;
        let newest_root = group.numbered_article(*newest.iter().max().unwrap()).unwrap().line;
        prop_assert_eq!(group.thread_root(first), group.thread_root(newest_root));
        let oldest = group.clone().sorted(ListOrder { reverse: false, ..ListOrder::new(SortColumn::Thread) });
        let roots = |document: &Document| -> Vec<usize> {
            let rows = (0..document.count()).filter(|&row| document.row(row).unwrap().indent == 0);
            rows.map(|row| document.article(row).unwrap().line).collect()
        };
        let mut turned = roots(&oldest);
        turned.reverse();
        prop_assert_eq!(turned, roots(&group));
    }

    #[test]
    fn cursor_stays_on_its_article_or_thread(
        articles in articles(),
        order in orders(),
        all in any::<bool>(),
        turned in proptest::collection::vec(0..40_u32, 0..5),
        (unread, hidden, scored) in any::<(bool, bool, bool)>(),
        read in proptest::collection::vec(0..80_u64, 0..40),
        cursor in any::<prop::sample::Index>(),
        words in prop::option::of("subject [0-9]|ada|cé|x"),
    ) {
        let mut group = group(&articles);
        let mut marked = ArticleNumbers::default();
        for &number in &read {
            marked.insert(number, number);
        }
        group.set_read(Arc::new(marked.clone()));
        if scored {
            group.set_rules(rules());
        }
        let all = if all { Fold::Closed } else { Fold::Open };
        let folds = turned.into_iter().fold(ThreadFolds::all(all), ThreadFolds::with_toggled);
        let shown = ArticleVisibility {
            folds,
            read: if unread { ReadRows::LeftOut } else { ReadRows::Shown },
            hidden: if hidden { HiddenRows::Shown } else { HiddenRows::LeftOut },
        };
        let filter = words.as_deref().and_then(FilterQuery::new);
        let arranged = group.clone().arranged(Arrangement { order: Some(order), filter, visibility: shown });
        // No duplicates, and no unknown ones.
        let shown = numbers(&arranged);
        let different: BTreeSet<u64> = shown.iter().copied().collect();
        prop_assert_eq!(different.len(), shown.len());
        if unread {
            prop_assert!(shown.iter().all(|&number| !marked.contains(number)));
        }
        let row = cursor.index(group.count());
        let article = group.article(row).unwrap();
        let moved = group.moved_to(row, &arranged).unwrap();
        if let Some(there) = shown.iter().position(|&number| number == article.number) {
            prop_assert_eq!(moved, there);
        } else {
            prop_assert!(moved <= arranged.count());
        }
        // And back again.
        let back = arranged.arranged(Arrangement {
            order: Some(ListOrder::new(SortColumn::Thread)),
            visibility: ArticleVisibility { hidden: HiddenRows::Shown, ..ArticleVisibility::default() },
            filter: None,
        });
        prop_assert_eq!(numbers(&back), numbers(&group));
    }

    #[test]
    fn folded_thread_is_one_row_with_its_count(articles in articles(), read in proptest::collection::vec(0..80_u64, 0..40)) {
        let mut group = group(&articles);
        let mut marked = ArticleNumbers::default();
        for &number in &read {
            marked.insert(number, number);
        }
        group.set_read(Arc::new(marked.clone()));
        let shown = ArticleVisibility { folds: ThreadFolds::all(Fold::Closed), ..ArticleVisibility::default() };
        let folded = group.clone().arranged(Arrangement { visibility: shown, ..group.arrangement() });
        let roots: BTreeSet<_> = (0..articles.len()).map(|line| group.thread_root(line)).collect();
        prop_assert_eq!(folded.count(), roots.len());
        for row in 0..folded.count() {
            let line = folded.article(row).unwrap().line;
            let members = folded.thread_numbers(line);
            let of = members.count(0, u64::MAX);
            let unread = of - (0..100).filter(|&n| members.contains(n) && marked.contains(n)).count() as u64;
            let aside = folded.row(row).unwrap().aside.unwrap().to_string();
            let expected = match (of, unread) {
                (1, _) => String::new(),
                (of, 0) => format!("{of} articles  "),
                (of, unread) => format!("{unread} of {of} unread  "),
            };
            prop_assert!(aside.starts_with(&expected), "{} {}", aside, expected);
            prop_assert!(of == 1 || !aside.starts_with("2026"));
        }
        let (unread, of) = group.unread().unwrap();
        let shown = numbers(&group);
        prop_assert_eq!(of, shown.len());
        prop_assert_eq!(unread, shown.iter().filter(|&&number| !marked.contains(number)).count());
    }

    #[test]
    fn unread_articles_are_read_thread_by_thread_the_oldest_first(
        articles in articles(),
        order in orders(),
        scored in any::<bool>(),
        read in any::<u64>(),
        kept in any::<u64>(),
    ) {
        let mut group = group(&articles);
        if scored {
            group.set_rules(rules());
        }
        let has = |set: u64, number: u64| set >> (number / 2) & 1 == 1;
        let mut marked = ArticleNumbers::default();
        for number in (1..80).step_by(2).filter(|&number| has(read, number)) {
            marked.insert(number, number);
        }
        group.set_read(Arc::new(marked.clone()));
        // In this order the articles of a thread stand together, the oldest thread first.
        let threads = ListOrder { reverse: false, ..ListOrder::new(SortColumn::Thread) };
        let rows = group.clone().arranged(Arrangement { order: Some(threads), ..Arrangement::default() });
        let shown: Vec<u64> = numbers(&rows).into_iter().filter(|&number| !has(read, number)).collect();
        let root = |number: u64| rows.thread_root(rows.numbered_article(number).unwrap().line).unwrap();
        let oldest = |number: u64| shown.iter().copied().filter(|&other| root(other) == root(number)).min();
        let mut expected = shown.clone();
        expected.sort_by_key(|&number| oldest(number));

        let mut group = group.arranged(Arrangement { order: Some(order), ..Arrangement::default() });
        let mut met = Vec::new();
        let mut at = None;
        // An article that is marked as unread again comes last.
        loop {
            let next = group.unread_from(at).next();
            let Some(next) = next.filter(|_| met.len() < expected.len()) else {
                break;
            };
            met.push(next.number);
            if !has(kept, next.number) {
                marked.insert(next.number, next.number);
            }
            group.set_read(Arc::new(marked.clone()));
            at = Some(next.line);
        }
        prop_assert_eq!(&met, &expected);
        let kept = met.into_iter().find(|&number| has(kept, number));
        prop_assert_eq!(group.unread_from(at).next().map(|next| next.number), kept);
    }

    #[test]
    fn reply_is_below_its_parent(articles in articles()) {
        let group = group(&articles);
        for line in 0..articles.len() {
            if let Some(parent) = group.related(line, Relation::Parent) {
                let index = articles.len() - 1 - line;
                prop_assert_eq!(articles.len() - 1 - parent.line, index - articles[index].0);
                prop_assert!(group.related(parent.line, Relation::Reply).is_some());
                prop_assert_eq!(
                    group.related(line, Relation::Root).unwrap().line,
                    group.thread_root(line).unwrap()
                );
            } else {
                prop_assert_eq!(group.related(line, Relation::Root), None);
            }
        }
    }
}

#[test]
fn filter_matches_authors_and_subjects_in_folded_threads() {
    let group = group(&[(0, 0), (1, 1), (1, 2), (0, 0)]);
    let shown = ArticleVisibility {
        folds: ThreadFolds::all(Fold::Closed),
        ..ArticleVisibility::default()
    };
    let folded = group.clone().arranged(Arrangement {
        visibility: shown.clone(),
        ..group.arrangement()
    });
    assert_eq!(folded.count(), 2);
    let found = |words: &str| {
        let filter = FilterQuery::new(words);
        let document = folded.clone().arranged(Arrangement {
            filter,
            visibility: shown.clone(),
            ..folded.arrangement()
        });
        let rows = (0..document.count()).map(|row| document.row(row).unwrap());
        assert!(
            rows.clone()
                .all(|row| row.indent == 0 && !row.text().is_empty())
        );
        numbers(&document)
    };
    assert_eq!(found("bo"), [3]);
    assert_eq!(found("CÉ"), [5]);
    assert_eq!(found("subject 2"), [5]);
    assert_eq!(found("subject"), [7, 1, 3, 5]);
    assert!(found("nobody").is_empty());
}
