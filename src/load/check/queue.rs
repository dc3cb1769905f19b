//! The order of link checks: a few at once per host, more in total, and none for an authority that does not answer.
//!
//! The queue starts nothing by itself. The caller takes a [`NextCheck`] as long as there is one, and reports how each
//! check has ended. Every entry is returned exactly once. Entries without a host are limited only in total.

use std::collections::{HashMap, VecDeque};

/// The checks in a row without an answer after which an authority is skipped.
const MAX_FAILURES: usize = 2;

/// The limits for checks that run at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckLimits {
    /// The limit in total.
    pub total: usize,
    /// The limit per host.
    pub per_host: usize,
}

impl Default for CheckLimits {
    fn default() -> Self {
        Self {
            total: 64,
            per_host: 4,
        }
    }
}

/// The authority (`host:port`) and the host of an entry. Entries without one, such as files, have no limit per host,
/// and a missing answer does not affect the others.
pub type HostKey = Option<(String, String)>;

/// The next step of the queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NextCheck {
    /// Check this entry now, and report the outcome to [`CheckQueue::finish`].
    Start(usize),
    /// Skip this entry: its authority does not answer. The text is the last error.
    Skip(usize, String),
}

/// The outcome of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckOutcome<'a> {
    /// The server answered.
    Answered,
    /// The server did not answer; the text is the error.
    NoAnswer(&'a str),
}

/// The entries that wait for a check, by number.
#[derive(Debug)]
pub struct CheckQueue {
    limits: CheckLimits,
    /// The indices of the host and the authority of each entry.
    entries: Vec<(usize, Option<usize>)>,
    hosts: Vec<HostQueue>,
    authorities: Vec<AuthorityFailures>,
    /// The hosts with waiting entries and free capacity, each once.
    ready: VecDeque<usize>,
    running: usize,
}

#[derive(Debug, Default)]
struct HostQueue {
    waiting: VecDeque<usize>,
    running: usize,
    /// The limit of checks at the same time.
    most: usize,
    is_ready: bool,
}

/// The number of checks in a row without an answer, and the last error.
#[derive(Debug, Default)]
struct AuthorityFailures {
    in_row: usize,
    words: String,
}

impl CheckQueue {
    /// Creates a queue of these entries, in this order.
    pub fn new(entries: &[HostKey], limits: CheckLimits) -> Self {
        let mut queue = Self {
            limits: CheckLimits {
                total: limits.total.max(1),
                per_host: limits.per_host.max(1),
            },
            entries: Vec::with_capacity(entries.len()),
            hosts: Vec::new(),
            authorities: Vec::new(),
            ready: VecDeque::new(),
            running: 0,
        };
        let (mut hosts, mut authorities) = (HashMap::new(), HashMap::new());
        for (number, entry) in entries.iter().enumerate() {
            let host = entry.as_ref().map(|(_, host)| host);
            let at = *hosts.entry(host).or_insert(queue.hosts.len());
            if at == queue.hosts.len() {
                queue.hosts.push(HostQueue {
                    most: host.map_or(queue.limits.total, |_| queue.limits.per_host),
                    ..HostQueue::default()
                });
            }
            let authority = entry.as_ref().map(|(authority, _)| {
                let authority = *authorities
                    .entry(authority)
                    .or_insert(queue.authorities.len());
                if authority == queue.authorities.len() {
                    queue.authorities.push(AuthorityFailures::default());
                }
                authority
            });
            queue.entries.push((at, authority));
            if let Some(host) = queue.hosts.get_mut(at) {
                host.waiting.push_back(number);
            }
            queue.make_ready(at);
        }
        queue
    }

    /// Returns the next step; None when there are no more entries, or when a running check has to end first.
    pub fn next_check(&mut self) -> Option<NextCheck> {
        if self.running >= self.limits.total {
            return None;
        }
        let at = self.ready.pop_front()?;
        let host = self.hosts.get_mut(at)?;
        host.is_ready = false;
        let number = host.waiting.pop_front()?;
        let (_, authority) = *self.entries.get(number)?;
        let failures = authority.and_then(|authority| self.authorities.get(authority));
        let next = match failures.filter(|failures| failures.in_row >= MAX_FAILURES) {
            Some(failures) => NextCheck::Skip(number, failures.words.clone()),
            None => {
                host.running += 1;
                self.running += 1;
                NextCheck::Start(number)
            }
        };
        self.make_ready(at);
        Some(next)
    }

    /// Reports the outcome of a check.
    pub fn finish(&mut self, number: usize, how: CheckOutcome<'_>) {
        let Some(&(at, authority)) = self.entries.get(number) else {
            return;
        };
        self.running = self.running.saturating_sub(1);
        if let Some(host) = self.hosts.get_mut(at) {
            host.running = host.running.saturating_sub(1);
        }
        if let Some(failures) = authority.and_then(|authority| self.authorities.get_mut(authority))
        {
            match how {
                CheckOutcome::Answered => failures.in_row = 0,
                CheckOutcome::NoAnswer(words) => {
                    failures.in_row += 1;
                    words.clone_into(&mut failures.words);
                }
            }
        }
        self.make_ready(at);
    }

    /// Adds a host to the ready list if it has waiting entries and free capacity, and is not there already.
    fn make_ready(&mut self, at: usize) {
        let Some(host) = self.hosts.get_mut(at) else {
            return;
        };
        if !host.is_ready && !host.waiting.is_empty() && host.running < host.most {
            host.is_ready = true;
            self.ready.push_back(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    fn key(number: u8) -> HostKey {
        (number > 0).then(|| {
            let host = format!("h{}", number % 5);
            (format!("{host}:{number}"), host)
        })
    }

    /// Runs a queue to its end; `silent` says which authorities do not answer, `pick` which check ends next. Returns
    /// the entries that were returned, those that were checked, and the most checks at once, in total and per host.
    fn play(
        entries: &[HostKey],
        limits: CheckLimits,
        silent: impl Fn(&HostKey) -> bool,
        mut pick: impl FnMut(usize) -> usize,
    ) -> (Vec<usize>, Vec<usize>, usize, usize) {
        let mut queue = CheckQueue::new(entries, limits);
        let (mut returned, mut started, mut running) = (Vec::new(), Vec::new(), Vec::new());
        let (mut most, mut most_per_host) = (0, 0);
        loop {
            while let Some(next) = queue.next_check() {
                match next {
                    NextCheck::Start(number) => {
                        returned.push(number);
                        started.push(number);
                        running.push(number);
                    }
                    NextCheck::Skip(number, words) => {
                        assert_eq!(words, "nobody");
                        returned.push(number);
                    }
                }
                let mut hosts: HashMap<_, usize> = HashMap::new();
                for number in &running {
                    if let Some((_, host)) = &entries[*number] {
                        *hosts.entry(host).or_default() += 1;
                    }
                }
                most = most.max(running.len());
                most_per_host = most_per_host.max(hosts.values().copied().max().unwrap_or(0));
            }
            if running.is_empty() {
                return (returned, started, most, most_per_host);
            }
            let number = running.remove(pick(running.len()));
            let how = if silent(&entries[number]) {
                CheckOutcome::NoAnswer("nobody")
            } else {
                CheckOutcome::Answered
            };
            queue.finish(number, how);
        }
    }

    proptest! {
        #[test]
        fn each_entry_is_returned_once_within_the_limits(
            authorities in proptest::collection::vec(0_u8..20, 0..300),
            picks in proptest::collection::vec(any::<proptest::sample::Index>(), 300),
            all in 1_usize..70,
            per_host in 1_usize..6,
            silent in 0_u8..20,
        ) {
            let entries: Vec<HostKey> = authorities.into_iter().map(key).collect();
            let limits = CheckLimits { total: all, per_host };
            let silent = key(silent);
            let mut picks = picks.into_iter();
            let (mut returned, started, most, most_per_host) = play(
                &entries,
                limits,
                |authority| *authority == silent,
                |count| picks.next().map_or(0, |pick| pick.index(count)),
            );
            returned.sort_unstable();
            prop_assert_eq!(returned, (0..entries.len()).collect::<Vec<_>>());
            prop_assert!(most <= all && most_per_host <= per_host);
            // Two checks without an answer, and those that were running already.
            let failed = started.iter().filter(|number| entries[**number] == silent).count();
            if silent.is_some() {
                prop_assert!(failed < MAX_FAILURES + per_host, "{} asked in vain", failed);
            } else {
                let here = entries.iter().filter(|entry| entry.is_none()).count();
                prop_assert_eq!(failed, here);
            }
        }
    }

    #[test]
    fn entries_without_authority_do_not_wait_for_a_host() {
        let mut entries = vec![None; 10];
        entries.extend([key(1), key(1)]);
        let limits = CheckLimits {
            total: 9,
            per_host: 1,
        };
        let mut queue = CheckQueue::new(&entries, limits);
        let mut started = Vec::new();
        while let Some(NextCheck::Start(number)) = queue.next_check() {
            started.push(number);
        }
        // As many as the total limit allows, without waiting for the host.
        assert_eq!(started.len(), 9);
        assert!(
            started.contains(&10) && !started.contains(&11),
            "{started:?}"
        );
        for number in started.into_iter().filter(|number| *number < 10) {
            queue.finish(number, CheckOutcome::NoAnswer("the disk is away"));
        }
        // The others are still checked.
        assert_eq!(queue.next_check(), Some(NextCheck::Start(8)));
        assert_eq!(queue.next_check(), Some(NextCheck::Start(9)));
        assert_eq!(queue.next_check(), None);
    }

    #[test]
    fn an_authority_that_answers_again_is_checked_further() {
        let entries = vec![key(1); 6];
        let limits = CheckLimits {
            total: 1,
            per_host: 1,
        };
        let mut queue = CheckQueue::new(&entries, limits);
        for (number, how) in [
            CheckOutcome::NoAnswer("nobody"),
            CheckOutcome::Answered,
            CheckOutcome::NoAnswer("nobody"),
            CheckOutcome::NoAnswer("still nobody"),
        ]
        .into_iter()
        .enumerate()
        {
            assert_eq!(queue.next_check(), Some(NextCheck::Start(number)));
            assert_eq!(queue.next_check(), None);
            queue.finish(number, how);
        }
        let last = |number| Some(NextCheck::Skip(number, "still nobody".to_owned()));
        assert_eq!(queue.next_check(), last(4));
        assert_eq!(queue.next_check(), last(5));
        assert_eq!(queue.next_check(), None);
    }
}
