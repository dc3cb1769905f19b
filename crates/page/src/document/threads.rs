//! Threading: finds the parent of each article of a group.
//!
//! The algorithm uses References (RFC 5536, section 3.2.10), as described by Jamie Zawinski: the parent of an article
//! is the nearest referenced article in the group. Articles that refer to the same missing article are grouped, the
//! first of them as the parent of the others. A reply whose references are all missing is placed below the first
//! article with its subject; articles that are no replies never are. Replies with a subject that no such article has
//! are placed below the first of them, and that one in the thread of their former subject: `(was: …)`. Subjects are
//! compared decoded, whatever their charset and encoding were, and as [`folded`].
//!
//! There is no recursion, and a loop of references is cut at its first article. "First" means the order in which the
//! articles are passed in: by number, so that the result does not depend on the order of arrival.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};
use std::ops::Range;

use geomys_wire::protocol::nntp::{References, bare_id};
use geomys_wire::text::Charset;

use super::subject::{PlainSubject, SubjectKind, folded, plain_subject};
use super::{header, parallel};

/// The index for no article.
pub(super) const NONE: u32 = u32::MAX;

/// The minimum number of articles for another thread.
const PARALLEL_MIN: usize = 10_000;

/// The fields of an article that are used for threading.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Member<'a> {
    /// The Message-ID, with or without its brackets.
    pub(super) id: &'a [u8],
    /// The referenced Message-IDs, the nearest last.
    pub(super) references: &'a [u8],
    /// The undecoded subject and author.
    pub(super) subject: &'a [u8],
    pub(super) from: &'a [u8],
}

/// Returns the parent of each of `count` articles, or [`NONE`]. `members` returns the articles in a range of indices,
/// with nothing for an article that is not threaded; it is called on several threads. `charset_of` returns the charset
/// of an article's octets that are not UTF-8, and is called only where such an article is compared by its subject.
pub(super) fn parents<'a, M>(
    count: usize,
    members: impl Fn(Range<usize>) -> M + Sync,
    charset_of: impl Fn(&Member<'a>) -> Charset + Sync,
) -> Vec<u32>
where
    M: Iterator<Item = Option<Member<'a>>>,
{
    let Ok(articles) = u32::try_from(count) else {
        return vec![NONE; count];
    };
    let hasher = RandomState::new();
    let ranges = || parallel::ranges(count, PARALLEL_MIN);
    let parts = parallel::map(ranges(), |range| {
        HashedIds::new(range.start, members(range), &hasher)
    });
    let (mut parents, refers) = by_references(articles, parts);
    cut_loops(&mut parents);
    leave_out_missing(&mut parents, articles);
    let parts = parallel::map(ranges(), |range| {
        let members = (0_u32..).skip(range.start).zip(members(range));
        let is_alone = |index| at(&parents, index) == NONE;
        let refers = |index: u32| refers.get(index as usize) == Some(&true);
        hashed_subjects(
            members.filter(|(index, _)| is_alone(*index)),
            refers,
            &charset_of,
            &hasher,
        )
    });
    by_subject(&mut parents, &parts.concat());
    parents
}

/// The hashed Message-IDs of the threaded articles in a range.
#[derive(Default)]
struct HashedIds {
    articles: Vec<HashedArticle>,
    /// The references of all of them, one article after the other.
    references: Vec<u64>,
}

struct HashedArticle {
    id: u64,
    index: u32,
    /// The number of its references.
    references: u32,
}

impl HashedIds {
    fn new<'a>(
        first: usize,
        members: impl Iterator<Item = Option<Member<'a>>>,
        hasher: &RandomState,
    ) -> Self {
        let mut hashed = Self::default();
        for (index, member) in (0_u32..).skip(first).zip(members) {
            let Some(member) = member else {
                continue;
            };
            let mut article = HashedArticle {
                id: hasher.hash_one(bare_id(member.id)),
                index,
                references: 0,
            };
            for id in References::new(member.references).ids() {
                hashed.references.push(hasher.hash_one(id));
                article.references += 1;
            }
            hashed.articles.push(article);
        }
        hashed
    }
}

/// Returns the parents by References of `count` articles and, behind them, of the missing ones that they refer to; and
/// for each article whether it refers to another one that is here.
fn by_references(count: u32, parts: Vec<HashedIds>) -> (Vec<u32>, Vec<bool>) {
    let mut refers = vec![false; count as usize];
    let mut nodes: IdIndex =
        HashMap::with_capacity_and_hasher(count as usize, BuildHasherDefault::default());
    for article in parts.iter().flat_map(|part| &part.articles) {
        nodes.entry(article.id).or_insert(article.index);
    }
    let mut parents = vec![NONE; count as usize];
    for part in parts {
        let mut references = part.references.into_iter();
        for article in part.articles {
            let mut above = NONE;
            for reference in references.by_ref().take(article.references as usize) {
                let next = u32::try_from(parents.len()).unwrap_or(NONE);
                let node = *nodes.entry(reference).or_insert(next);
                if node == next {
                    parents.push(NONE);
                }
                if node < count
                    && node != article.index
                    && let Some(refers) = refers.get_mut(article.index as usize)
                {
                    *refers = true;
                }
                // Only a missing article gets its parent here: the others state their own.
                if node >= count && node != above && at(&parents, node) == NONE {
                    put(&mut parents, node, above);
                }
                above = node;
            }
            if above != article.index {
                put(&mut parents, article.index, above);
            }
        }
    }
    (parents, refers)
}

type IdIndex = HashMap<u64, u32, BuildHasherDefault<PrehashedHasher>>;

/// A hasher for keys that are hashes already.
#[derive(Default)]
struct PrehashedHasher(u64);

impl Hasher for PrehashedHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _octets: &[u8]) {}

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

fn at(nodes: &[u32], node: u32) -> u32 {
    nodes.get(node as usize).copied().unwrap_or(NONE)
}

fn put(nodes: &mut [u32], node: u32, value: u32) {
    if let Some(slot) = nodes.get_mut(node as usize) {
        *slot = value;
    }
}

/// Cuts every loop above its first article, so that every path to a root ends.
fn cut_loops(parents: &mut [u32]) {
    // The walk that visited each node first.
    let mut seen = vec![NONE; parents.len()];
    for start in 0..parents.len() {
        let walk = u32::try_from(start).unwrap_or(NONE);
        let mut node = walk;
        while node != NONE && at(&seen, node) == NONE {
            put(&mut seen, node, walk);
            node = at(parents, node);
        }
        if node == NONE || at(&seen, node) != walk {
            continue;
        }
        let mut first = node;
        let mut next = at(parents, node);
        while next != node {
            first = first.min(next);
            next = at(parents, next);
        }
        put(parents, first, NONE);
    }
}

/// Removes the missing articles: replaces them as parents, and groups the articles below the same missing root.
fn leave_out_missing(parents: &mut Vec<u32>, articles: u32) {
    // First the missing articles: the parent of each becomes a present article, or the topmost missing one.
    let missing = articles..u32::try_from(parents.len()).unwrap_or(NONE);
    for start in missing.clone() {
        let mut top = start;
        while top >= articles && at(parents, top) != NONE {
            top = at(parents, top);
        }
        let mut node = start;
        while node != top && node >= articles {
            let next = at(parents, node);
            put(parents, node, top);
            node = next;
        }
    }
    // The first article below each missing root.
    let mut first = vec![NONE; missing.len()];
    for article in 0..articles {
        let mut parent = at(parents, article);
        if parent != NONE && parent >= articles && at(parents, parent) != NONE {
            parent = at(parents, parent);
        }
        if parent != NONE && parent >= articles {
            let leader = at(&first, parent - articles);
            if leader == NONE {
                put(&mut first, parent - articles, article);
            }
            parent = leader;
        }
        put(parents, article, parent);
    }
    parents.truncate(articles as usize);
    parents.shrink_to_fit();
}

/// The hashed subject of an article without a parent.
#[derive(Clone, Copy)]
struct HashedSubject {
    subject: u64,
    /// The subject of the thread before it was renamed.
    former: Option<u64>,
    index: u32,
    kind: SubjectKind,
}

/// Returns the subjects of articles without a parent, except of replies that refer to an article that is here: their
/// loop was cut.
fn hashed_subjects<'a>(
    members: impl Iterator<Item = (u32, Option<Member<'a>>)>,
    refers: impl Fn(u32) -> bool,
    charset_of: impl Fn(&Member<'a>) -> Charset,
    hasher: &RandomState,
) -> Vec<HashedSubject> {
    let subjects = members.filter_map(|(index, member)| {
        let member = member?;
        // The marks of a reply may stand in an encoded word.
        let is_plain =
            std::str::from_utf8(member.subject).is_ok() && !header::is_encoded(member.subject);
        let decoded = (!is_plain).then(|| header::decode(member.subject, charset_of(&member)));
        let subject = decoded.as_ref().map_or(member.subject, String::as_bytes);
        let PlainSubject { text, kind, former } = plain_subject(subject);
        let has_place = kind == SubjectKind::Reply && refers(index);
        let text = folded(&text);
        (!text.is_empty() && !has_place).then(|| HashedSubject {
            subject: hasher.hash_one(text),
            former: former.map(|former| hasher.hash_one(folded(former))),
            index,
            kind,
        })
    });
    subjects.collect()
}

/// Places replies below the first article with their subject: one without a mark, else a forward, else the first
/// reply. That one is placed below the first article with the former subject of one of its replies.
fn by_subject(parents: &mut [u32], subjects: &[HashedSubject]) {
    let of = |kind| subjects.iter().filter(move |other| other.kind == kind);
    let mut first: IdIndex = HashMap::default();
    for kind in [SubjectKind::Original, SubjectKind::Forward] {
        for other in of(kind) {
            first.entry(other.subject).or_insert(other.index);
        }
    }
    for answer in of(SubjectKind::Reply) {
        let leader = *first.entry(answer.subject).or_insert(answer.index);
        if leader != answer.index {
            put(parents, answer.index, leader);
        }
    }
    let mut is_reply = vec![false; parents.len()];
    for answer in of(SubjectKind::Reply) {
        if let Some(is_reply) = is_reply.get_mut(answer.index as usize) {
            *is_reply = true;
        }
    }
    let is_reply = |index: u32| is_reply.get(index as usize) == Some(&true);
    for answer in of(SubjectKind::Reply) {
        let leader = first.get(&answer.subject).copied();
        let leader = leader.filter(|leader| is_reply(*leader) && at(parents, *leader) == NONE);
        let former = answer.former.and_then(|former| first.get(&former).copied());
        // Two threads may name each other: a reply goes below an earlier one only.
        if let (Some(leader), Some(former)) = (leader, former)
            && (!is_reply(former) || former < leader)
        {
            put(parents, leader, former);
        }
    }
}

/// The articles in depth-first order, each with its depth below the first article of its thread. Threads are in the
/// order of `roots`, replies in the order of their indices.
pub(super) fn depth_first(parents: &[u32], roots: &[u32]) -> Vec<(u32, u16)> {
    let count = parents.len();
    let (mut child, mut sibling) = (vec![NONE; count], vec![NONE; count]);
    for index in (0..u32::try_from(count).unwrap_or(NONE)).rev() {
        let parent = at(parents, index);
        if parent != NONE {
            put(&mut sibling, index, at(&child, parent));
            put(&mut child, parent, index);
        }
    }
    let mut rows = Vec::with_capacity(count);
    let mut later = Vec::new();
    for &root in roots {
        later.push((root, 0_u16));
        while let Some((article, depth)) = later.pop() {
            rows.push((article, depth));
            if depth > 0 && at(&sibling, article) != NONE {
                later.push((at(&sibling, article), depth));
            }
            if at(&child, article) != NONE {
                later.push((at(&child, article), depth.saturating_add(1)));
            }
        }
    }
    rows
}

/// The first article of the thread of each article.
pub(super) fn roots(parents: &[u32]) -> Vec<u32> {
    let mut roots = vec![NONE; parents.len()];
    for start in 0..u32::try_from(parents.len()).unwrap_or(NONE) {
        let mut top = start;
        while at(&roots, top) == NONE && at(parents, top) != NONE {
            top = at(parents, top);
        }
        let root = match at(&roots, top) {
            NONE => top,
            root => root,
        };
        let mut node = start;
        while node != NONE && at(&roots, node) == NONE {
            put(&mut roots, node, root);
            node = at(parents, node);
        }
    }
    roots
}

#[cfg(test)]
mod tests;
