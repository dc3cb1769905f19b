//! Cost of a key press on hostile pages, in allocations, not in time. `cargo bench --bench hostile` measures the times.

use allocation_counter::measure;
use geomys_page::document::{Document, Kind, Row, Shape};
use geomys_wire::text::{Charset, CharsetSetting, Text, prefix};
use proptest::prelude::*;
use rfc1738::{Dialect, Url};

use crate::support::hostile::{HostilePage, KEYS, Victim, filled, fillers, special};

/// A small screen, so that the test is quick.
const SIZE: (u16, u16) = (40, 12);

/// The octets per filled row, and the number of rows.
const LINE: usize = 2_000;
const ROWS: usize = 30;

fn document(url: &str, shape: Shape, octets: &[u8]) -> Document {
    let mut document = Document::new(
        Dialect::Extended.parse(url).unwrap(),
        shape,
        CharsetSetting::default(),
    );
    document.append(octets);
    document.finished()
}

#[test]
fn loaded_pages_need_no_second_finish() {
    for page in filled(1, 10).chain(special(1, 10)) {
        let document = document(&page.url, page.shape, &page.octets);
        assert!(!document.needs_finish(), "{}", page.name);
    }
}

/// The highest allocation of any key, in octets, and that key.
fn costliest(victim: &mut Victim) -> (u64, &'static str) {
    let keys = KEYS.into_iter().map(|key| {
        let cost = measure(|| victim.press(key)).bytes_total;
        victim.settle();
        (cost, key)
    });
    let costliest = keys.max().unwrap();
    let cost = measure(|| victim.resize(SIZE.0 * 2, SIZE.1)).bytes_total;
    costliest.max((cost, "resize"))
}

/// Asserts that a key reads the rows of these pages at most a few times, and no more rows than the screen has.
fn cost_a_few_times_their_octets(pages: impl Iterator<Item = HostilePage>, length: usize) {
    // The base cost of the screen, and how often its content may be read for one key.
    const SCREEN: u64 = 620_000;
    const TIMES: u64 = 64;
    let most = SCREEN + TIMES * u64::from(SIZE.1) * length as u64;
    for page in pages {
        let name = page.name.clone();
        let mut victim = Victim::new(page, SIZE);
        for key in ["j", "Space", "J", "f", "Esc", "w", "j", "G", "\\"] {
            let cost = measure(|| victim.press(key)).bytes_total;
            assert!(cost < most, "{name}: {key} allocates {cost} octets");
            victim.settle();
        }
    }
}

#[test]
fn rows_of_tabs_and_marks_allocate_a_few_times_their_size() {
    let names = [
        "text: tabs",
        "text: combining marks",
        "menu, names: joined emoji",
        "not a form: tabs",
    ];
    let pages = filled(ROWS, 8000).filter(|page| names.contains(&page.name.as_str()));
    cost_a_few_times_their_octets(pages, 8000);
}

#[test]
fn rows_of_every_shape_allocate_a_few_times_their_size() {
    cost_a_few_times_their_octets(filled(ROWS, LINE).step_by(7), LINE);
}

#[test]
fn key_allocations_do_not_grow_with_link_count() {
    const SLACK: u64 = 3_000_000;
    for (few, many) in special(50, LINE).into_iter().zip(special(500, LINE)) {
        let name = many.name.clone();
        let (few, _) = costliest(&mut Victim::new(few, SIZE));
        let (many, key) = costliest(&mut Victim::new(many, SIZE));
        assert!(
            many < few + SLACK,
            "{name}: {key} allocates {many} octets, not {few}"
        );
    }
}

#[test]
fn building_one_link_allocates_for_that_link_only() {
    let base = format!("<base href=\"http://h/{}/\">", "a".repeat(8000));
    let page = |links| {
        let octets = format!("{base}{}", "<a href=x>y</a> ".repeat(links));
        document("http://h/x", Shape::Html, octets.as_bytes())
    };
    let cost = |page: &Document| {
        assert_eq!(measure(|| assert!(page.link_count(0) > 9)).count_total, 0);
        measure(|| assert!(page.link(0, 9).unwrap().target.is_ok())).bytes_total
    };
    assert_eq!(cost(&page(10)), cost(&page(1000)));
    // A WAIS hit with many types is not a hit.
    let types = "TEXT\t".repeat(20_000);
    let hits = format!("1\t5\t5\t941201\t{}\t{types}id\r\n", "x".repeat(9000));
    let hits = document("wais://h/d?x", Shape::Hits, hits.as_bytes());
    assert_eq!((hits.link_count(0), hits.links(0).len()), (0, 0));
}

#[test]
fn links_are_counted_and_chosen_as_they_are_listed() {
    for page in filled(3, 200).chain(special(20, 300)) {
        let document = document(&page.url, page.shape, &page.octets);
        for number in 0..document.count() {
            let links = document.links(number);
            assert_eq!(
                document.link_count(number),
                links.len(),
                "{} {number}",
                page.name
            );
            assert_eq!(
                document.is_link(number),
                !links.is_empty(),
                "{} {number}",
                page.name
            );
            for (index, link) in links.iter().enumerate().take(3) {
                assert_eq!(
                    document.link(number, index).as_ref(),
                    Some(link),
                    "{}",
                    page.name
                );
            }
            assert_eq!(document.link(number, links.len()), None, "{}", page.name);
        }
    }
}

#[test]
fn references_beside_a_base_over_8_kib_are_faults_and_full_urls_are_not() {
    let base = format!("http://h/{}/", "a".repeat(9000));
    let page =
        format!("<base href=\"{base}\"><a href=x>a</a> <a href=/x>b</a> <a href=http://i/>c</a>");
    let page = document("http://h/x", Shape::Html, page.as_bytes());
    let targets: Vec<_> = page.links(0).into_iter().map(|link| link.target).collect();
    let shown = |target: &Result<Url, _>| match target {
        Ok(url) => url.as_str().to_owned(),
        Err(_) => "fault".to_owned(),
    };
    assert_eq!(
        targets.iter().map(shown).collect::<Vec<_>>(),
        ["fault", "http://h/x", "http://i/"]
    );
    let fault = targets[0].as_ref().unwrap_err().to_string();
    assert!(
        fault.starts_with("the base is longer than 8 KiB"),
        "{fault}"
    );
}

#[test]
fn urls_over_64_kib_are_faults() {
    let url = |length: usize| format!("http://h/{}", "a".repeat(length - 9));
    assert!(Url::parse(&url(64 * 1024)).is_ok());
    for dialect in [Dialect::Rfc1738, Dialect::Extended] {
        let fault = dialect.parse(&url(64 * 1024 + 1)).unwrap_err();
        assert_eq!((fault.at, fault.len), (64 * 1024, 1));
        assert!(
            fault
                .to_string()
                .starts_with("the URL is longer than 64 KiB")
        );
    }
    let menu = format!("1x\t{}\th\t70\r\n", "/".repeat(LINE)).repeat(2);
    assert!(
        document("gopher://h/1", Shape::Menu, menu.as_bytes()).links(0)[0]
            .target
            .is_ok()
    );
}

#[test]
fn next_link_search_continues_on_second_key_press() {
    let page = |end: &str| {
        let line = format!("{}\n", "a:".repeat(10_000));
        HostilePage::text("text", format!("{}{end}", line.repeat(75)))
    };
    let mut victim = Victim::new(page("http://a/\n"), SIZE);
    let status = |victim: &Victim| victim.screen().lines().last().unwrap().to_owned();
    victim.press("J");
    assert!(
        status(&victim).contains("No link yet"),
        "{}",
        victim.screen()
    );
    victim.press("J");
    assert!(
        victim.screen().contains("→ http://a/"),
        "{}",
        victim.screen()
    );
    let mut victim = Victim::new(page(""), SIZE);
    victim.press("J");
    victim.press("J");
    assert!(
        status(&victim).contains("No more links below"),
        "{}",
        victim.screen()
    );
}

#[test]
fn hints_label_only_links_on_screen() {
    let row = format!("{}\n", "http://a/ ".repeat(3000));
    let page = HostilePage::text("text", row.repeat(50));
    let mut victim = Victim::new(page, (58, 24));
    // Unwrapped, of each row only the first links are seen, with their numbers.
    victim.press("w");
    victim.press("f");
    let screen = victim.screen();
    for row in screen.lines().skip(1).take(22) {
        let is_hinted = row.matches("tp:").count() >= 4 && !row.contains("http:/");
        assert!(is_hinted, "{screen}");
    }
}

/// Text that is hard to measure.
fn hard() -> impl Strategy<Value = String> {
    let sign = prop::sample::select(
        "a \t\u{301}\u{200d}\u{200c}\u{fe0f}\u{1f469}\u{1100}\u{1160}\u{1161}\u{115f}\u{ac00}\u{915}\u{94d}\u{93e}\u{600}\
         \u{e0067}\u{e007f}\u{1f3f4}\u{1f1e6}\u{e33}\u{200b}\u{ad}\u{633}\u{1820}\u{180b}\u{4e00}\u{e0100}"
            .chars()
            .collect::<Vec<_>>(),
    );
    let run = (sign.clone(), 1..60_usize).prop_map(|(sign, times)| sign.to_string().repeat(times));
    let word = prop::collection::vec(sign, 1..8).prop_map(String::from_iter);
    let words = (word, 1..40_usize).prop_map(|(word, times)| word.repeat(times));
    prop::collection::vec(prop_oneof![run, words], 1..6).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn text_octets_per_column_are_bounded(text in hard(), columns in 1..90_usize) {
        let shown = Text::of(&text);
        // A cluster has 32 characters at most; and at most ten of no width stand behind each other.
        let most = (columns + 1) * 33 * 4 + 11 * 4;
        prop_assert!(prefix(shown.as_str(), columns) <= most, "{:?}", shown);
        prop_assert_eq!(Text::of(shown.as_str()), shown);
    }
}

#[test]
fn sanitized_text_is_at_most_a_few_times_its_input() {
    for (name, filler) in fillers(60_000) {
        let text = Text::new(&filler, Charset::default());
        assert!(
            text.as_str().len() <= filler.len() * 3 + 5000,
            "{name}: {}",
            text.as_str().len()
        );
    }
    let tabs = Text::new(&b"\tx".repeat(1000), Charset::default());
    assert_eq!(tabs.as_str().matches('x').count(), 1000);
    let shown = Row::new(Kind::Plain, tabs).text();
    assert!(shown.starts_with("        x       x       x") && shown.ends_with("x x x"));
}
