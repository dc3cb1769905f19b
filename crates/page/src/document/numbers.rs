//! A set of article numbers, stored as ranges: the read articles of a group; and the Xref header, which has the numbers
//! of an article in other groups (RFC 5536, section 3.2.14).
//!
//! ```text
//! numbers = [ range *( "," range ) ]
//! range   = number [ "-" number ]          ; the first is not greater than the last
//! xref    = server 1*( 1*blank group ":" number )
//! ```

use std::collections::HashMap;
use std::fmt;

use geomys_wire::protocol::nntp::overview;
use geomys_wire::protocol::octets;

use super::raw::LineBuffer;

/// Article numbers in ranges: ascending, neither overlapping nor adjacent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArticleNumbers {
    ranges: Vec<(u64, u64)>,
}

impl ArticleNumbers {
    /// Returns the set of all numbers from `first` to `last`; empty when `first` is greater than `last`.
    pub fn range(first: u64, last: u64) -> Self {
        let mut numbers = Self::default();
        numbers.insert(first, last);
        numbers
    }

    /// Parses ranges in the format of `.newsrc`, with optional blanks between them. Returns nothing for other text.
    pub fn parse(ranges: &[u8]) -> Option<Self> {
        let mut numbers = Self::default();
        let text = std::str::from_utf8(ranges).ok()?;
        for range in text.split(',').map(str::trim) {
            if range.is_empty() {
                // `1-5,` and an empty set.
                continue;
            }
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let number = |digits: &str| octets::number(digits.trim().as_bytes());
            let (first, last) = (number(first)?, number(last)?);
            // Some programs write ranges that end before they begin: they are empty.
            numbers.insert(first, last);
        }
        Some(numbers)
    }

    /// Returns true if the set contains a number.
    pub fn contains(&self, number: u64) -> bool {
        let after = self.ranges.partition_point(|&(first, _)| first <= number);
        let range = after.checked_sub(1).and_then(|at| self.ranges.get(at));
        range.is_some_and(|&(_, last)| number <= last)
    }

    /// Returns true if the set is empty.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// The ranges, the lowest first: first and last number of each.
    pub fn ranges(&self) -> impl DoubleEndedIterator<Item = (u64, u64)> {
        self.ranges.iter().copied()
    }

    /// The highest number in the set.
    pub fn highest(&self) -> Option<u64> {
        self.ranges.last().map(|&(_, last)| last)
    }

    /// The number of elements from `first` to `last`.
    pub fn count(&self, first: u64, last: u64) -> u64 {
        let within = self.ranges.iter().map(|&(from, to)| {
            let (from, to) = (from.max(first), to.min(last));
            to.checked_sub(from)
                .map_or(0, |more| more.saturating_add(1))
        });
        within.fold(0, u64::saturating_add)
    }

    /// Inserts the numbers from `first` to `last`; none when `first` is greater than `last`.
    pub fn insert(&mut self, first: u64, last: u64) {
        if first > last {
            return;
        }
        // Overlapping and adjacent ranges are merged with the new one.
        let from = self
            .ranges
            .partition_point(|&(_, end)| end.saturating_add(1) < first);
        let to = self
            .ranges
            .partition_point(|&(begin, _)| begin <= last.saturating_add(1));
        let met = self.ranges.get(from..to).unwrap_or_default();
        let first = met.first().map_or(first, |&(begin, _)| begin.min(first));
        let last = met.last().map_or(last, |&(_, end)| end.max(last));
        self.ranges.splice(from..to.max(from), [(first, last)]);
    }

    /// Removes the numbers from `first` to `last`.
    pub fn remove(&mut self, first: u64, last: u64) {
        self.remove_all(&Self::range(first, last));
    }

    /// Inserts all numbers of `other`.
    pub fn insert_all(&mut self, other: &Self) {
        if let [(first, last)] = other.ranges.as_slice() {
            return self.insert(*first, *last);
        }
        let mut ranges: Vec<_> = self.ranges.iter().chain(&other.ranges).copied().collect();
        ranges.sort_unstable();
        self.ranges.clear();
        for (first, last) in ranges {
            match self.ranges.last_mut() {
                Some((_, end)) if first <= end.saturating_add(1) => *end = last.max(*end),
                Some(_) | None => self.ranges.push((first, last)),
            }
        }
    }

    /// Returns the numbers that are not in `other`.
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        let mut left = self.clone();
        left.remove_all(other);
        left
    }

    /// Removes all numbers of `other`.
    pub fn remove_all(&mut self, other: &Self) {
        let mut left = Vec::with_capacity(self.ranges.len());
        let mut others = other.ranges.iter().peekable();
        for &(mut first, last) in &self.ranges {
            while others.next_if(|(_, end)| *end < first).is_some() {}
            let mut is_done = false;
            while let Some(&&(begin, end)) = others.peek().filter(|(begin, _)| *begin <= last) {
                if begin > first {
                    left.push((first, begin - 1));
                }
                if end >= last {
                    is_done = true;
                    break;
                }
                first = end + 1;
                others.next();
            }
            if !is_done {
                left.push((first, last));
            }
        }
        self.ranges = left;
    }
}

impl fmt::Display for ArticleNumbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, &(first, last)) in self.ranges.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            if first == last {
                write!(f, "{comma}{first}")?;
            } else {
                write!(f, "{comma}{first}-{last}")?;
            }
        }
        Ok(())
    }
}

/// The maximum number of octets of an article that are searched for its headers.
const HEAD: usize = 256 * 1024;

/// The groups in the value of an Xref header, with the article's number in each. Malformed words are ignored.
pub(super) fn groups(value: &[u8]) -> impl Iterator<Item = (&[u8], u64)> {
    // The first word is the server's name.
    octets::words(value).skip(1).filter_map(|word| {
        let at = memchr::memrchr(b':', word)?;
        let (group, number) = word.split_at_checked(at)?;
        let number = octets::number(number.get(1..)?)?;
        (!group.is_empty()).then_some((group, number))
    })
}

/// The groups in the Xref field of an overview line, with the article's number in each. It is one of the optional
/// fields behind the eighth.
pub(super) fn of_overview(line: &[u8]) -> impl Iterator<Item = (&[u8], u64)> {
    let extra = line.split(|&octet| octet == b'\t').skip(8);
    let mut xref = extra.filter_map(|field| {
        let (name, value) = field.trim_ascii().split_at_checked(5)?;
        name.eq_ignore_ascii_case(b"xref:").then_some(value)
    });
    groups(xref.next().unwrap_or_default())
}

/// The groups that articles were posted to, with the numbers of the articles in each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CrossPosts {
    /// The numbers by group.
    pub groups: HashMap<Vec<u8>, ArticleNumbers>,
}

impl CrossPosts {
    /// Adds the groups of an overview line, if its number is one of these.
    pub fn add(&mut self, line: &[u8], numbers: &ArticleNumbers) {
        if overview(line).is_some_and(|article| numbers.contains(article.number)) {
            self.add_line(line);
        }
    }

    /// Adds the groups of an overview line.
    pub(super) fn add_line(&mut self, line: &[u8]) {
        for (group, number) in of_overview(line) {
            match self.groups.get_mut(group) {
                Some(known) => known.insert(number, number),
                None => {
                    let numbers = ArticleNumbers::range(number, number);
                    self.groups.insert(group.to_vec(), numbers);
                }
            }
        }
    }
}

/// The value of a header of an article, with its lines joined; nothing where the header is missing.
pub(super) fn header(article: &LineBuffer, name: &[u8]) -> Option<Vec<u8>> {
    let mut value: Option<Vec<u8>> = None;
    let mut scanned = 0;
    for number in 0..article.lines() {
        let line = article.line(number)?;
        scanned += line.len() + 1;
        if line.is_empty() || scanned > HEAD {
            break;
        }
        match (&mut value, line.first()) {
            (Some(value), Some(b' ' | b'\t')) => value.extend_from_slice(line),
            (Some(_), _) => break,
            (None, _) => {
                let split = line.split_at_checked(name.len());
                let found = split.filter(|(start, _)| start.eq_ignore_ascii_case(name));
                value = found.and_then(|(_, rest)| Some(rest.strip_prefix(b":")?.to_vec()));
            }
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ranges_as_others_write_them() {
        let read = |text: &str| ArticleNumbers::parse(text.as_bytes()).map(|read| read.to_string());
        assert_eq!(read("1-5,7").as_deref(), Some("1-5,7"));
        assert_eq!(read(" 7, 1-5 ,6 ").as_deref(), Some("1-7"));
        assert_eq!(read("").as_deref(), Some(""));
        assert_eq!(read("1-0").as_deref(), Some(""));
        assert_eq!(
            read("1-18446744073709551615,3").as_deref(),
            Some("1-18446744073709551615")
        );
        for bad in [
            "a",
            "1-",
            "-1",
            "1 2",
            "+1",
            "1-2-3",
            "99999999999999999999",
        ] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }

    #[derive(Clone, Debug)]
    enum SetChange {
        Insert(u64, u64),
        Remove(u64, u64),
    }

    proptest! {
        #[test]
        fn it_is_a_set(
            steps in proptest::collection::vec(
                (any::<bool>(), 0..40_u64, 0..40_u64).prop_map(|(put, first, last)| {
                    if put { SetChange::Insert(first, last) } else { SetChange::Remove(first, last) }
                }),
                0..20,
            ),
        ) {
            let (mut numbers, mut naive) = (ArticleNumbers::default(), BTreeSet::new());
            for step in steps {
                match step {
                    SetChange::Insert(first, last) => {
                        numbers.insert(first, last);
                        naive.extend(first..=last);
                    }
                    SetChange::Remove(first, last) => {
                        numbers.remove(first, last);
                        naive.retain(|number| !(first..=last).contains(number));
                    }
                }
                for number in 0..42 {
                    prop_assert_eq!(numbers.contains(number), naive.contains(&number));
                }
                prop_assert_eq!(numbers.count(3, 30), naive.range(3..=30).count() as u64);
                prop_assert_eq!(numbers.highest(), naive.last().copied());
                prop_assert_eq!(numbers.is_empty(), naive.is_empty());
                // No two ranges are adjacent, so the text form is unique.
                let written = numbers.to_string();
                let again = ArticleNumbers::parse(written.as_bytes());
                prop_assert_eq!(again.as_ref(), Some(&numbers));
            }
        }

        #[test]
        fn any_octets_are_numbers_or_none(octets: Vec<u8>) {
            ArticleNumbers::parse(&octets);
        }
    }

    #[test]
    fn groups_and_numbers() {
        let found: Vec<_> = groups(b" news.example.org a.b:12 c:d:3\tx:y :4 e.f:+5 g.h:").collect();
        assert_eq!(found, [(b"a.b".as_slice(), 12), (b"c:d", 3)]);
        assert_eq!(groups(b"").count(), 0);
        let mut article = LineBuffer::default();
        article.append(b"Subject: x\nXREF: h a.b:1\n\tc.d:2\nFrom: x\n\nXref: h e.f:3\n");
        let value = header(&article, b"Xref").unwrap();
        let found: Vec<_> = groups(&value).collect();
        assert_eq!(found, [(b"a.b".as_slice(), 1), (b"c.d", 2)]);
        assert_eq!(header(&article, b"References"), None);
    }
}
