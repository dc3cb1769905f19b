use std::collections::{HashMap, HashSet};

use proptest::prelude::*;

use super::*;

/// An article: its Message-ID, its references, its subject.
type TestArticle = (u16, Vec<u16>, &'static str);

struct TestGroup(Vec<(Vec<u8>, Vec<u8>, &'static str)>);

impl TestGroup {
    fn new(articles: &[TestArticle]) -> Self {
        let id = |id: &u16| format!("<{id}@x>").into_bytes();
        let articles = articles.iter();
        Self(
            articles
                .map(|(own, references, subject)| {
                    let references: Vec<Vec<u8>> = references.iter().map(id).collect();
                    (id(own), references.join(&b' '), *subject)
                })
                .collect(),
        )
    }

    fn parents(&self) -> Vec<u32> {
        parents_from(self.0.len(), |index| {
            let (id, references, subject) = self.0.get(index)?;
            Some(Member {
                id,
                references,
                subject: subject.as_bytes(),
                from: b"",
            })
        })
    }
}

/// The parents of articles that are all in windows-1252 where they are not UTF-8.
fn parents_from<'a>(
    count: usize,
    member: impl Fn(usize) -> Option<Member<'a>> + Copy + Sync,
) -> Vec<u32> {
    parents(
        count,
        |articles| articles.map(member),
        |_| Charset::default(),
    )
}

fn parents_of(articles: &[TestArticle]) -> Vec<Option<u32>> {
    let parents = TestGroup::new(articles).parents();
    let present = |parent: &u32| Some(*parent).filter(|&parent| parent != NONE);
    parents.iter().map(present).collect()
}

/// The rows of all threads, in the order of their roots' indices.
fn rows(parents: &[u32]) -> Vec<(u32, u16)> {
    let tops: Vec<u32> = (0..)
        .zip(parents)
        .filter(|(_, parent)| **parent == NONE)
        .map(|(index, _)| index)
        .collect();
    depth_first(parents, &tops)
}

#[test]
fn an_article_stands_below_the_nearest_that_is_here() {
    let articles = [
        (1, vec![], "x"),
        (2, vec![1], "Re: x"),
        (3, vec![1, 2], "Re: x"),
        // Article 9 is missing.
        (4, vec![1, 9], "Re: x"),
        (5, vec![1, 9, 4], "Re: x"),
    ];
    assert_eq!(
        parents_of(&articles),
        [None, Some(0), Some(1), Some(0), Some(3)]
    );
    let depths: Vec<(u32, u16)> = vec![(0, 0), (1, 1), (2, 2), (3, 1), (4, 2)];
    assert_eq!(rows(&TestGroup::new(&articles).parents()), depths);
}

#[test]
fn those_below_the_same_that_is_missing_stand_together() {
    let articles = [
        (1, vec![8], "Re: x"),
        (2, vec![8], "Re: x"),
        // This article states the parent of 8.
        (3, vec![7, 8, 9], "Re: y"),
        (4, vec![7], "Re: z"),
        (5, vec![6], "other"),
    ];
    assert_eq!(
        parents_of(&articles),
        [None, Some(0), Some(0), Some(0), None]
    );
    // An article that arrives later becomes their parent.
    let articles = [(7, vec![], "x"), (1, vec![8], "x"), (3, vec![7, 8], "x")];
    assert_eq!(parents_of(&articles), [None, Some(0), Some(0)]);
}

#[test]
fn an_answer_whose_references_are_missing_goes_by_its_subject() {
    let articles = [
        (1, vec![], "RE: A burrow"),
        (2, vec![], "A burrow"),
        (3, vec![], "Aw: re[2]: A burrow"),
        // A new thread with the same subject.
        (4, vec![], "A burrow"),
        (5, vec![], "Re:"),
        (6, vec![], "Re: nobody asked"),
        (7, vec![], "Re: nobody asked"),
        // A reference to an article that has expired, and one to an article that is here.
        (8, vec![99], "Re : A burrow"),
        (9, vec![4], "Re: nobody asked"),
        // No reply, so its thread is new.
        (10, vec![98], "A burrow"),
        (11, vec![97], "=?utf-8?q?Re=3A_A_burrow?="),
    ];
    let expected = [
        Some(1),
        None,
        Some(1),
        None,
        None,
        None,
        Some(5),
        Some(1),
        Some(3),
        None,
        Some(1),
    ];
    assert_eq!(parents_of(&articles), expected);
}

#[test]
fn loops_are_cut_at_their_first() {
    let articles = [
        (1, vec![3], "x"),
        (2, vec![1], "x"),
        (3, vec![2], "x"),
        (4, vec![4], "x"),
    ];
    assert_eq!(parents_of(&articles), [None, Some(0), Some(1), None]);
    // Two articles that refer to each other through a missing one.
    let articles = [(1, vec![2, 9], "x"), (2, vec![9], "x")];
    let parents = parents_of(&articles);
    assert_eq!(parents.iter().filter(|parent| parent.is_none()).count(), 1);
}

#[test]
fn the_same_article_twice_is_two_rows() {
    let articles = [(1, vec![], "x"), (1, vec![], "x"), (2, vec![1], "x")];
    assert_eq!(parents_of(&articles), [None, None, Some(0)]);
}

#[test]
fn renamed_thread_joins_the_one_of_its_former_subject() {
    let articles = [
        (1, vec![], "Old"),
        (2, vec![90], "Re: X"),
        (3, vec![91], "Re: X (was: Old)"),
        (4, vec![92], "Re: Fwd: Re(2): X"),
        // The thread of its own subject is here.
        (5, vec![], "Y (was: Old)"),
        (6, vec![93], "Re: Y (was: Old)"),
        // Neither is.
        (7, vec![94], "Re: Z (was: nothing)"),
        // No reply, so its thread is new.
        (8, vec![], "Q (was: Old)"),
        (9, vec![], "=?utf-8?q?Re=3A_R_=28was=3A_Re=3A_Q=29?="),
    ];
    let expected = [
        None,
        Some(0),
        Some(1),
        Some(1),
        None,
        Some(4),
        None,
        None,
        Some(7),
    ];
    assert_eq!(parents_of(&articles), expected);
    // Each is renamed from the other.
    let articles = [
        (1, vec![90], "Re: A (was: B)"),
        (2, vec![91], "Re: B (was: A)"),
        (3, vec![92], "Re: C (was: B)"),
    ];
    assert_eq!(parents_of(&articles), [None, Some(0), Some(1)]);
}

#[test]
fn subjects_are_compared_decoded_with_letter_case_and_blanks_folded() {
    let subjects: [&[u8]; 8] = [
        b"Gr\xfc\xdfe aus K\xf6ln",
        b"Re: =?iso-8859-1?q?Gr=FC=DFe__aus?= =?utf-8?b?IEvDtmxu?=",
        "Re: grüße aus KÖLN".as_bytes(),
        b"=?utf-8?q?Re=3A?= Gr\xfc\xdfe aus  K\xf6ln",
        b"Re: x (was: GR\xdc\xdfe aus\tK\xf6ln)",
        b"Re: Gr\xfc\xdfe aus Bonn",
        b"=?koi8-r?q?=F0=D2=C9=D7=C5=D4?=",
        "Re: Привет".as_bytes(),
    ];
    let ids: Vec<String> = (0..subjects.len()).map(|index| index.to_string()).collect();
    let parents = parents_from(subjects.len(), |index| {
        Some(Member {
            id: ids.get(index)?.as_bytes(),
            references: b"",
            subject: subjects.get(index)?,
            from: b"",
        })
    });
    assert_eq!(parents, [NONE, 0, 0, 0, 0, NONE, NONE, 6]);
}

#[test]
fn reply_stands_below_the_original_rather_than_its_forward() {
    let articles = [
        (1, vec![], "Fwd: X"),
        (2, vec![], "X"),
        (3, vec![], "Re: X"),
        (4, vec![], "[Fwd: Y]"),
        (5, vec![], "Re[3]: Y"),
    ];
    assert_eq!(parents_of(&articles), [None, None, Some(1), None, Some(3)]);
}

/// A chain so long that recursion would overflow the stack.
#[test]
fn a_chain_of_a_hundred_thousand() {
    let ids: Vec<(Vec<u8>, Vec<u8>)> = (0..100_000_u32)
        .map(|index| {
            let above = index.checked_sub(1);
            let above = above.map_or(Vec::new(), |above| format!("<{above}@x>").into_bytes());
            (format!("<{index}@x>").into_bytes(), above)
        })
        .collect();
    for turned in [false, true] {
        let member = |index: usize| {
            let index = if turned { ids.len() - 1 - index } else { index };
            let (id, references) = ids.get(index)?;
            Some(Member {
                id,
                references,
                subject: b"x",
                from: b"",
            })
        };
        let parents = parents_from(ids.len(), member);
        assert_eq!(parents.iter().filter(|&&parent| parent == NONE).count(), 1);
        let rows = rows(&parents);
        assert_eq!(rows.len(), ids.len());
        assert_eq!(rows.last().unwrap().1, u16::MAX);
        let top = if turned { 99_999 } else { 0 };
        assert!(roots(&parents).iter().all(|&root| root == top));
    }
}

/// So many articles that several threads read them.
#[test]
fn replies_by_subject_find_articles_that_other_threads_read() {
    let half = 2 * PARALLEL_MIN;
    let subjects: Vec<String> = (0..half)
        .map(|index| format!("s{index}"))
        .chain((0..half).rev().map(|index| format!("Re: s{index}")))
        .collect();
    let member = |index: usize| {
        let subject = subjects.get(index)?.as_bytes();
        // All of them without references, and with Message-IDs of their own.
        Some(Member {
            id: subject,
            references: b"",
            subject,
            from: b"",
        })
    };
    let parents = parents_from(subjects.len(), member);
    let (questions, answers) = parents.split_at(half);
    assert!(questions.iter().all(|&parent| parent == NONE));
    assert!(answers.iter().rev().copied().eq((0..).take(half)));
}

fn articles() -> impl Strategy<Value = Vec<TestArticle>> {
    let subject = prop::sample::select(vec![
        "x",
        "Re: x",
        "Re: x (was: y)",
        "Re: Fwd: y (was: Re: x)",
        "y",
        "Fwd: y",
        "",
    ]);
    proptest::collection::vec(
        (
            0..24_u16,
            proptest::collection::vec(0..24_u16, 0..5),
            subject,
        ),
        0..24,
    )
}

/// Returns true if `above` is an ancestor of `article`, by a simple walk.
fn is_below(parents: &[u32], article: u32, above: u32) -> bool {
    let mut node = article;
    for _ in 0..=parents.len() {
        node = at(parents, node);
        if node == above {
            return true;
        }
    }
    false
}

proptest! {
    #[test]
    fn every_article_stands_once_and_below_its_parent(articles in articles()) {
        let parents = TestGroup::new(&articles).parents();
        prop_assert_eq!(parents.len(), articles.len());
        for article in 0..parents.len() {
            prop_assert!(is_below(&parents, u32::try_from(article).unwrap(), NONE), "a loop");
        }
        let rows = rows(&parents);
        let mut positions = HashMap::new();
        for (row, (article, depth)) in rows.iter().enumerate() {
            prop_assert!(positions.insert(*article, (row, *depth)).is_none());
        }
        prop_assert_eq!(positions.len(), articles.len());
        let roots = roots(&parents);
        for (article, parent) in (0..).zip(&parents) {
            if *parent == NONE {
                prop_assert_eq!(positions[&article].1, 0);
                prop_assert_eq!(at(&roots, article), article);
            } else {
                prop_assert!(positions[&article].0 > positions[parent].0);
                prop_assert_eq!(positions[&article].1, positions[parent].1 + 1);
                prop_assert_eq!(at(&roots, article), at(&roots, *parent));
            }
        }
    }

    #[test]
    fn reply_to_present_article_is_below_it(articles in articles()) {
        let parents = TestGroup::new(&articles).parents();
        for (index, (own, references, _)) in (0_u32..).zip(&articles) {
            let Some(nearest) = references.last().filter(|nearest| *nearest != own) else {
                continue;
            };
            let here = articles.iter().position(|(id, ..)| id == nearest);
            let own_first = articles.iter().position(|(id, ..)| id == own);
            let (Some(here), true) = (here, own_first == Some(index as usize)) else {
                continue;
            };
            let here = u32::try_from(here).unwrap();
            // Unless they form a loop, where one of them is the first.
            let parent = at(&parents, index);
            prop_assert!(parent == here || parent == NONE || is_below(&parents, here, index));
        }
    }

    #[test]
    fn only_replies_without_present_references_go_by_subject(mut articles in articles()) {
        // A reference to a Message-ID that is here twice would be one to the first of them.
        let mut seen = HashSet::new();
        articles.retain(|(id, ..)| seen.insert(*id));
        let parents = TestGroup::new(&articles).parents();
        let without: Vec<TestArticle> =
            articles.iter().map(|(id, references, _)| (*id, references.clone(), "")).collect();
        let by_references = TestGroup::new(&without).parents();
        let here = |id: &u16| articles.iter().any(|(own, ..)| own == id);
        let plain = |index: u32| plain_subject(articles[index as usize].2.as_bytes());
        let is_lone = |index: u32| {
            let (own, references, _) = &articles[index as usize];
            let is_reply = plain(index).kind == SubjectKind::Reply;
            let refers = references.iter().any(|id| id != own && here(id));
            at(&by_references, index) == NONE && !plain(index).text.is_empty() && !(is_reply && refers)
        };
        let count = u32::try_from(articles.len()).unwrap();
        let lone = || (0..count).filter(|index| is_lone(*index));
        let first = |text: &[u8]| {
            [SubjectKind::Original, SubjectKind::Forward, SubjectKind::Reply].iter().find_map(|kind| {
                lone().find(|other| plain(*other).kind == *kind && plain(*other).text == text)
            })
        };
        let roots = roots(&parents);
        for index in 0..count {
            let subject = plain(index);
            if !is_lone(index) || subject.kind != SubjectKind::Reply {
                prop_assert_eq!(at(&parents, index), at(&by_references, index));
                continue;
            }
            // It is in the thread of the first article with its subject.
            let leader = first(&subject.text).unwrap();
            prop_assert_eq!(at(&roots, index), at(&roots, leader));
            if leader == index {
                // It is the first, so all of them are replies: their former subject may have a thread.
                let formers = lone().filter(|other| plain(*other).text == subject.text);
                let formers: Vec<u32> = formers.filter_map(|other| first(plain(other).former?)).collect();
                let fits = |former: &u32| plain(*former).kind != SubjectKind::Reply || *former < index;
                let expected = formers.into_iter().find(fits).unwrap_or(NONE);
                prop_assert_eq!(at(&parents, index), expected);
            } else {
                prop_assert_eq!(at(&parents, index), leader);
            }
        }
    }

    #[test]
    fn no_two_articles_that_are_no_replies_are_joined_by_subject(articles in articles()) {
        let parents = TestGroup::new(&articles).parents();
        for (index, (own, references, subject)) in (0_u32..).zip(&articles) {
            let begins = plain_subject(subject.as_bytes()).kind != SubjectKind::Reply;
            let is_twice = articles.iter().filter(|(id, ..)| id == own).count() > 1;
            if begins && references.iter().all(|id| id == own && !is_twice) {
                prop_assert_eq!(at(&parents, index), NONE);
            }
        }
    }

    #[test]
    fn any_octets_are_a_group(
        fields in proptest::collection::vec(any::<(Vec<u8>, Vec<u8>, Vec<u8>)>(), 0..20),
    ) {
        let member = |index: usize| {
            let (id, references, subject) = fields.get(index)?;
            Some(Member { id, references, subject, from: b"" })
        };
        let parents = parents_from(fields.len() + 1, member);
        prop_assert_eq!(rows(&parents).len(), fields.len() + 1);
    }
}
