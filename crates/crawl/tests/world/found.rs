//! Worlds in which a law was broken once: each stands for a repair.

use super::fault::Fault::{
    AsksForLogin, AsksForWords, Busy, Compressed, Cut, Good, MovedForGood, PlainType, Silent,
    ToExcepted, ToHidden,
};
use super::fault::{Fault, PAGES, Phase, Rules, Wire, World};
use super::{check, mirror, on_its_clock, sync};

/// Makes a phase of links and faults by the numbers of their pages.
fn phase(links: &[(usize, &[usize])], faults: &[(usize, Fault)]) -> Phase {
    let mut phase = Phase {
        links: vec![Vec::new(); PAGES + 1],
        faults: vec![Good; PAGES + 1],
        rules: Rules::Hidden,
    };
    for (page, links) in links {
        phase.links[*page] = links.to_vec();
    }
    for (page, fault) in faults {
        phase.faults[*page] = *fault;
    }
    phase
}

/// Judges all that runs in a world, on the day of the runs and later.
fn judge(wire: Wire, now: Phase, later: Phase) {
    let mut world = World {
        wire,
        now,
        later,
        kill: 0,
    };
    for kill in [1, 2] {
        world.kill = kill;
        on_its_clock(sync::judge(&world));
        on_its_clock(mirror::judge(&world));
    }
    on_its_clock(check::judge(&world));
}

#[test]
fn pages_below_one_that_does_not_come_are_known_by_its_copy() {
    let now = phase(&[(0, &[1]), (1, &[2])], &[]);
    for fault in [Cut, AsksForLogin] {
        judge(Wire::Http, now.clone(), phase(&[], &[(0, fault)]));
    }
    // Over Gopher a page of maintenance with an error row says nothing of the page.
    judge(Wire::Gopher, now, phase(&[], &[(0, Busy)]));
}

#[test]
fn pages_of_a_host_without_rules_have_their_number() {
    let later = Phase {
        rules: Rules::Broken,
        ..phase(&[], &[])
    };
    judge(Wire::Http, phase(&[(0, &[1])], &[]), later);
}

#[test]
fn redirect_leads_to_nothing_that_a_rule_forbids() {
    for fault in [ToExcepted, ToHidden] {
        let now = phase(&[(0, &[2])], &[(2, fault)]);
        judge(Wire::Http, now.clone(), phase(&[], &[(0, fault)]));
        judge(Wire::Gemini, now, phase(&[], &[]));
    }
}

#[test]
fn run_goes_on_where_the_last_one_stopped() {
    // Without versions all pages that are here are fetched again.
    let chain = phase(&[(0, &[3]), (3, &[1]), (1, &[2])], &[]);
    judge(Wire::Gemini, chain.clone(), chain);
}

#[test]
fn copy_of_a_plain_text_is_none_of_html() {
    let links: &[(usize, &[usize])] = &[(0, &[4]), (4, &[6]), (2, &[2])];
    let now = phase(links, &[(2, PlainType), (6, MovedForGood(2))]);
    judge(Wire::Http, now.clone(), now);
}

#[test]
fn links_of_a_compressed_page_are_followed() {
    let now = phase(&[(0, &[1])], &[(0, Compressed)]);
    judge(Wire::Http, now.clone(), now);
}

#[test]
fn menu_without_its_dot_replaces_no_longer_one() {
    judge(Wire::Gopher, phase(&[], &[]), phase(&[], &[(0, Cut)]));
}

#[test]
fn menus_without_their_dots_replace_each_other() {
    let cut = |links: &[(usize, &[usize])]| phase(links, &[(0, Cut)]);
    judge(Wire::Gopher, cut(&[(0, &[1, 2, 3])]), cut(&[]));
}

#[test]
fn busy_page_waits_until_another_has_ended() {
    let now = phase(&[(0, &[4, 1]), (1, &[2])], &[(4, Busy)]);
    judge(Wire::Http, now.clone(), now);
}

#[test]
fn silent_host_is_left() {
    let now = phase(&[(0, &[1, 2, 3, 4, 5, 6])], &[]);
    let silent = phase(&[], &[1, 2, 3, 4, 5, 6].map(|page| (page, Silent)));
    let links = now.links.clone();
    judge(Wire::Http, now, Phase { links, ..silent });
}

#[test]
fn page_that_asks_for_words_is_no_page_that_was_not_read() {
    let now = phase(&[(0, &[1])], &[(1, AsksForWords)]);
    judge(Wire::Gemini, now.clone(), now);
}

#[test]
fn page_that_came_before_a_kill_is_not_asked_for_again() {
    let links: &[(usize, &[usize])] = &[(0, &[1, 5, 2]), (1, &[4])];
    let now = Phase {
        rules: Rules::Missing,
        ..phase(links, &[(5, Fault::Huge)])
    };
    for kill in 3..8 {
        let (now, later) = (now.clone(), now.clone());
        let world = World {
            wire: Wire::Http,
            now,
            later,
            kill,
        };
        on_its_clock(mirror::judge(&world));
    }
}
