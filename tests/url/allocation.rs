//! Parsing costs no memory.

use geomys::url::Parts;

use super::rows;

#[test]
fn a_valid_url_is_taken_apart_without_an_allocation() {
    for row in rows(include_str!("../data/url/good.txt")) {
        let text = row.split('\t').next().unwrap();
        let counted = allocation_counter::measure(|| {
            assert!(Parts::parse(text).is_ok(), "{text}");
        });
        assert_eq!(counted.count_total, 0, "{text}");
    }
}

#[test]
fn a_fault_is_found_without_an_allocation() {
    for row in rows(include_str!("../data/url/bad.txt")) {
        let text = row.split('\t').next().unwrap();
        let counted = allocation_counter::measure(|| {
            assert!(Parts::parse(text).is_err(), "{text}");
        });
        assert_eq!(counted.count_total, 0, "{text}");
    }
}

#[test]
fn the_counter_counts() {
    let counted = allocation_counter::measure(|| drop(Vec::<u8>::with_capacity(17)));
    assert_eq!((counted.count_total, counted.bytes_total), (1, 17));
}
