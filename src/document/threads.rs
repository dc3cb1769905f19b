//! Threads: which article of a group answers which.
//!
//! By References (RFC 5536, section 3.2.10), in the manner that Jamie Zawinski described: an article stands below the
//! nearest of those it refers to that is here. Articles that refer to the same one that is missing stand together, the
//! first of them above the others. An article that says it answers something, and refers to nothing, stands below the
//! first one of that subject.
//!
//! Nothing here is recursive, a loop of references is cut at its first article, and what is meant by "first" is the
//! order in which the articles are given: by number, so that it is the same whenever they arrive.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};

/// No article.
pub(super) const NONE: u32 = u32::MAX;

/// References of one article that are looked at: the last ones, as the first may have been left out anyway.
const REFERENCES: usize = 64;

/// What threads are told by.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Member<'a> {
    /// Its Message-ID, with or without its brackets.
    pub(super) id: &'a [u8],
    /// The Message-IDs that it refers to, the nearest last.
    pub(super) references: &'a [u8],
    /// Its subject, as it came.
    pub(super) subject: &'a [u8],
}

/// For each of `count` articles the one that it stands below, or [`NONE`]. `member` gives them by their index; where it
/// gives nothing the article stands alone.
pub(super) fn parents<'a>(count: usize, member: impl Fn(usize) -> Option<Member<'a>>) -> Vec<u32> {
    let Ok(articles) = u32::try_from(count) else {
        return vec![NONE; count];
    };
    let hasher = RandomState::new();
    let mut known: Known = HashMap::with_capacity_and_hasher(count, BuildHasherDefault::default());
    for index in 0..articles {
        if let Some(member) = member(index as usize) {
            let id = hasher.hash_one(bare(member.id));
            known.entry(id).or_insert(index);
        }
    }
    // Those past the articles are referred to, and not here.
    let mut parents = vec![NONE; count];
    for index in 0..articles {
        let Some(member) = member(index as usize) else {
            continue;
        };
        let mut above = NONE;
        for reference in references(member.references) {
            let next = u32::try_from(parents.len()).unwrap_or(NONE);
            let node = *known.entry(hasher.hash_one(reference)).or_insert(next);
            if node == next {
                parents.push(NONE);
            }
            // Who is here says itself what it answers.
            if node >= articles
                && node != above
                && let Some(parent) = parents.get_mut(node as usize)
                && *parent == NONE
            {
                *parent = above;
            }
            above = node;
        }
        if above != index
            && let Some(parent) = parents.get_mut(index as usize)
        {
            *parent = above;
        }
    }
    drop(known);
    cut_loops(&mut parents);
    leave_out_missing(&mut parents, articles);
    by_subject(&mut parents, &hasher, member);
    parents
}

type Known = HashMap<u64, u32, BuildHasherDefault<Same>>;

/// What was hashed already.
#[derive(Default)]
struct Same(u64);

impl Hasher for Same {
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
    if let Some(place) = nodes.get_mut(node as usize) {
        *place = value;
    }
}

/// Cuts every loop above its first article, so that each way up ends.
fn cut_loops(parents: &mut [u32]) {
    // By which walk a node was seen first.
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

/// Leads every article's way up past those that are not here, and keeps together those that end at the same one.
fn leave_out_missing(parents: &mut Vec<u32>, articles: u32) {
    // First the missing ones: each leads to one that is here, or to the last missing one.
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
    // The first article below each missing one at a top.
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

/// Puts answers that refer to nothing below the first of their subject.
fn by_subject<'a>(
    parents: &mut [u32],
    hasher: &RandomState,
    member: impl Fn(usize) -> Option<Member<'a>>,
) {
    let mut first: Known = HashMap::default();
    let mut answers = Vec::new();
    for (index, parent) in (0_u32..).zip(parents.iter()) {
        if *parent != NONE {
            continue;
        }
        let Some(member) = member(index as usize) else {
            continue;
        };
        let (subject, is_answer) = plain_subject(member.subject);
        if subject.is_empty() {
            continue;
        }
        let subject = hasher.hash_one(subject);
        if !is_answer {
            first.entry(subject).or_insert(index);
        } else if references(member.references).next().is_none() {
            answers.push((subject, index));
        }
    }
    for (subject, index) in answers {
        let leader = *first.entry(subject).or_insert(index);
        if leader != index {
            put(parents, index, leader);
        }
    }
}

/// The Message-IDs of References, without their brackets, the nearest last.
fn references(references: &[u8]) -> impl Iterator<Item = &[u8]> {
    // The last ones are found from the end, as a line may hold thousands.
    let start = memchr::memrchr_iter(b'<', references)
        .nth(REFERENCES - 1)
        .unwrap_or_default();
    let last = references.get(start..).unwrap_or_default();
    last.split(|&octet| octet == b'<')
        .skip(1)
        .filter_map(|rest| {
            let end = memchr::memchr(b'>', rest)?;
            rest.get(..end).filter(|id| !id.is_empty())
        })
}

fn bare(id: &[u8]) -> &[u8] {
    let id = id.trim_ascii();
    let id = id.strip_prefix(b"<").unwrap_or(id);
    id.strip_suffix(b">").unwrap_or(id)
}

/// A subject without the marks of an answer, and whether it had any: `Re:`, `re[2]:`, `Re^3:`, and what some programs
/// write in their own language.
pub(super) fn plain_subject(subject: &[u8]) -> (&[u8], bool) {
    const MARKS: [&[u8]; 6] = [b"re", b"aw", b"sv", b"vs", b"antw", b"odp"];
    let mut plain = subject.trim_ascii();
    let mut is_answer = false;
    loop {
        let marked = MARKS.iter().find_map(|mark| {
            let (head, rest) = plain.split_at_checked(mark.len())?;
            if !head.eq_ignore_ascii_case(mark) {
                return None;
            }
            let digits = |octet: &u8| octet.is_ascii_digit() || matches!(octet, b'[' | b']' | b'^');
            let end = rest.iter().position(|octet| !digits(octet))?;
            rest.get(end..)?.strip_prefix(b":")
        });
        match marked {
            Some(rest) => {
                plain = rest.trim_ascii_start();
                is_answer = true;
            }
            None => return (plain, is_answer),
        }
    }
}

/// The articles in the order in which threads are read, each with how far below its thread's first article it stands.
/// Threads come in the order of `roots`, answers by their index.
pub(super) fn read_through(parents: &[u32], roots: &[u32]) -> Vec<(u32, u16)> {
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

/// For each article the first of its thread.
pub(super) fn roots(parents: &[u32]) -> Vec<u32> {
    let mut roots = vec![NONE; parents.len()];
    for start in 0..u32::try_from(parents.len()).unwrap_or(NONE) {
        let mut top = start;
        while at(&roots, top) == NONE && at(parents, top) != NONE {
            top = at(parents, top);
        }
        let root = match at(&roots, top) {
            NONE => top,
            known => known,
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
