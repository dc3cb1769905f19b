//! The oracle of the search: generated pages, of which the search must find those that a slow and plain reading of what
//! they were made of finds, with the same ranks.
//!
//! A page is made of words whose forms are known to be one, and of what may stand between them. The end of a row behind
//! a hyphen, and between letters of East Asia, is read in both ways: each page has several readings.

mod pages;
mod queries;

use std::collections::BTreeMap;

use geomys_store::search::Rank;
use proptest::prelude::*;

use self::pages::{Page, page};
use self::queries::{Query, query, term};
use super::Copies;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    #[test]
    fn search_finds_what_a_plain_reading_of_5000_pages_finds(
        pages in prop::collection::vec(page(), 50..=50),
        queries in prop::collection::vec(query(), 8..=8),
    ) {
        let copies = Copies::new();
        for (number, page) in pages.iter().enumerate() {
            page.store(&copies, number);
        }
        for (groups, excluded, conditions) in queries {
            let groups = groups.into_iter().map(|group| {
                let terms = group.into_iter().map(|(term_of_all, (is_of_page, page, at, length, typing))| {
                    let words = &pages[usize::from(page) % pages.len()].words;
                    let at = usize::from(at) % words.len();
                    let forms: Vec<usize> = words[at..].iter().take(length).map(|word| word.0).collect();
                    if is_of_page { term(&forms, typing) } else { term_of_all }
                });
                terms.collect()
            });
            let query = Query { groups: groups.collect(), excluded, conditions };
            let typed = query.typed();
            let expected = pages.iter().enumerate().filter_map(|(number, page)| {
                Some((page.address(number), query.rank(page, number)?))
            });
            let expected: BTreeMap<String, (Rank, bool)> = expected.collect();
            let hits = copies.search(&typed);
            let found = hits.iter().map(|hit| (hit.url.to_string(), (hit.rank, hit.is_part)));
            let found: BTreeMap<String, (Rank, bool)> = found.collect();
            let differs = |(number, page): &(usize, &Page)| {
                let address = page.address(*number);
                found.get(&address) != expected.get(&address)
            };
            if let Some((number, page)) = pages.iter().enumerate().find(differs) {
                let address = page.address(number);
                let (found, expected) = (found.get(&address), expected.get(&address));
                prop_assert!(false, "{typed}: found {found:?}, expected {expected:?}: {page:?}\n{}", page.octets());
            }
            let order = |page: &Page, (rank, is_part): (Rank, bool)| (is_part, rank, page.date());
            let in_order = hits.iter().map(|hit| {
                let is_hit = |(number, page): &(usize, &Page)| page.address(*number) == hit.url.as_str();
                let number = pages.iter().enumerate().position(|page| is_hit(&page));
                order(&pages[number.unwrap()], (hit.rank, hit.is_part))
            });
            prop_assert!(in_order.is_sorted(), "{}", typed);
        }
    }
}
