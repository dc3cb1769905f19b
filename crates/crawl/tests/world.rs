//! A test world, and six laws of everything that fetches pages without a person who looks at them.
//!
//! A server answers each request by one of many faults; later it has other pages and other faults. Syncs, mirrors,
//! archives and checks run again and again against it:
//!
//! 1. Nothing that the server still has is deleted, and no good copy is replaced by something worse.
//! 2. Nothing is stored, and nobody asked, that a rule forbids, whatever redirects say.
//! 3. Every page that is known is fetched, or was left for a stated reason with its number in the report.
//! 4. A run that ended early gets further than the run before, in a world that answers the same.
//! 5. One link, one request; one page, one entry.
//! 6. Whatever a run may be stopped by, the next run ends where an undisturbed one would.

mod answer;
mod check;
mod fault;
mod found;
mod mirror;
mod server;
mod sync;

use std::collections::BTreeSet;
use std::io::Read;

use flate2::read::GzDecoder;
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};

use self::fault::{World, worlds};

/// The variable with the number of worlds of each law.
const WORLDS: &str = "GEOMYS_WORLDS";

/// Number of worlds without it.
const FEW: u32 = 100;

/// Returns the pages that can be reached within a number of links.
fn closure(links: impl Fn(usize) -> Vec<usize>, depth: usize) -> BTreeSet<usize> {
    let (mut found, mut level) = (BTreeSet::from([0]), vec![0]);
    for _ in 0..depth {
        let next = level.iter().flat_map(|page| links(*page));
        level = next.filter(|page| found.insert(*page)).collect();
    }
    found
}

/// Returns the pages to which the copy of a page links.
fn linked(copy: &[u8]) -> Vec<usize> {
    let unpacked = unpacked(copy);
    let text = String::from_utf8_lossy(&unpacked);
    if text.contains(answer::UNREAD) {
        return Vec::new();
    }
    let links = text.split("to /p").skip(1);
    links
        .map(|rest| {
            let end = rest
                .find(|c: char| !c.is_ascii_digit())
                .unwrap_or(rest.len());
            rest[..end].parse().unwrap()
        })
        .collect()
}

fn unpacked(octets: &[u8]) -> Vec<u8> {
    let mut unpacked = Vec::new();
    match GzDecoder::new(octets).read_to_end(&mut unpacked) {
        Ok(_) => unpacked,
        Err(_) => octets.to_vec(),
    }
}

/// Returns true if a copy is the content that was sent, compressed or not.
fn is_content(copy: &[u8], sent: &[u8]) -> bool {
    unpacked(copy) == unpacked(sent)
}

/// Returns true if a copy is a page that was sent without a confirmed end, which may be a part: it replaces no longer
/// copy, unless that is a menu without its dot, as a server sends it that leaves out all dots.
fn is_content_in_part(copy: &[u8], sent: &[u8], before: Option<&[u8]>) -> bool {
    let has_end = |before: &&[u8]| !before.starts_with(b"i") || before.ends_with(b"\r\n.\r\n");
    let is_longer = |before: &[u8]| before.len() > sent.len();
    is_content(copy, sent) && !before.filter(has_end).is_some_and(is_longer)
}

#[expect(clippy::disallowed_methods, reason = "a test has no main")]
fn worlds_wanted() -> u32 {
    let count = std::env::var(WORLDS).ok();
    count.map_or(FEW, |count| count.parse().expect("a number"))
}

/// The seed of worlds.
#[derive(Clone, Copy)]
enum Seed {
    /// They are the same in each run.
    Fixed,
    /// They are new; one that breaks a law is kept.
    Fresh,
}

/// Runs a law in half of the worlds; `name` is that of the test.
fn in_worlds(name: &'static str, seed: Seed, law: impl Fn(&World)) {
    let mut config = ProptestConfig {
        cases: worlds_wanted() / 2,
        test_name: Some(name),
        source_file: Some(file!()),
        max_shrink_iters: 200,
        max_shrink_time: 8_000,
        ..ProptestConfig::default()
    };
    if matches!(seed, Seed::Fixed) {
        config.rng_seed = RngSeed::Fixed(1);
    }
    let ended = TestRunner::new(config).run(&worlds(), |world| {
        law(&world);
        Ok(())
    });
    ended.unwrap_or_else(|error| panic!("{error}"));
}

/// Runs a judge on a clock that waits for nobody.
fn on_its_clock(judging: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build();
    runtime.unwrap().block_on(judging);
}

/// Two tests of a law, which run at once.
macro_rules! laws {
    ($($fixed:ident, $fresh:ident: $judge:path;)*) => {$(
        #[test]
        fn $fixed() {
            in_worlds(stringify!($fixed), Seed::Fixed, |world| on_its_clock($judge(world)));
        }

        #[test]
        fn $fresh() {
            in_worlds(stringify!($fresh), Seed::Fresh, |world| on_its_clock($judge(world)));
        }
    )*};
}

laws! {
    laws_hold_for_syncs, laws_hold_for_syncs_of_new_worlds: sync::judge;
    laws_hold_for_mirrors, laws_hold_for_mirrors_of_new_worlds: mirror::judge;
    laws_hold_for_checks, laws_hold_for_checks_of_new_worlds: check::judge;
}
