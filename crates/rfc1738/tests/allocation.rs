//! Parsing allocates nothing.

use rfc1738::Parts;

use super::rows;

#[test]
fn parsing_a_valid_url_allocates_nothing() {
    for row in rows(include_str!("data/good.txt")) {
        let text = row.split('\t').next().unwrap();
        let counted = allocation_counter::measure(|| {
            assert!(Parts::parse(text).is_ok(), "{text}");
        });
        assert_eq!(counted.count_total, 0, "{text}");
    }
}

#[test]
fn finding_a_fault_allocates_nothing() {
    for row in rows(include_str!("data/bad.txt")) {
        let text = row.split('\t').next().unwrap();
        let counted = allocation_counter::measure(|| {
            assert!(Parts::parse(text).is_err(), "{text}");
        });
        assert_eq!(counted.count_total, 0, "{text}");
    }
}

#[test]
fn allocation_counter_counts() {
    let counted = allocation_counter::measure(|| drop(Vec::<u8>::with_capacity(17)));
    assert_eq!((counted.count_total, counted.bytes_total), (1, 17));
}
