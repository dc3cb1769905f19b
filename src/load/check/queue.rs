//! Who is asked when: a few at once of a host, some more in all, and none again of a place that keeps silent.
//!
//! The queue starts nothing by itself. Whoever asks takes a [`Turn`] as often as there is one, and says how each that was
//! asked has ended. Every entry has exactly one turn. What is asked of nobody elsewhere waits for nobody but the limit in all.

use std::collections::{HashMap, VecDeque};

/// Silences in a row after which a place is asked no more.
const SILENCES: usize = 2;

/// How many are asked at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AtOnce {
    /// In all.
    pub all: usize,
    /// Of one host.
    pub of_host: usize,
}

impl Default for AtOnce {
    fn default() -> Self {
        Self {
            all: 64,
            of_host: 4,
        }
    }
}

/// Where an entry is asked. Entries of no place, as files are, have no host that is to be spared, and the silence of one says
/// nothing of another.
pub type Place = Option<(String, String)>;

/// What is to be done next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Turn {
    /// This entry is asked now; [`Queue::ended`] is told how it went.
    Ask(usize),
    /// This entry is not asked: its place has been silent, and this is what it said last.
    Silent(usize, String),
}

/// How an entry that was asked has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended<'a> {
    /// Somebody answered.
    Answered,
    /// Nobody did, in these words.
    Silent(&'a str),
}

/// The entries that wait for their turn, by their number.
#[derive(Debug)]
pub struct Queue {
    at_once: AtOnce,
    /// The host and the place of each entry.
    entries: Vec<(usize, Option<usize>)>,
    hosts: Vec<Host>,
    places: Vec<Silence>,
    /// Hosts that have somebody waiting and room for them, each once.
    ready: VecDeque<usize>,
    running: usize,
}

#[derive(Debug, Default)]
struct Host {
    waiting: VecDeque<usize>,
    running: usize,
    /// How many are asked of it at once.
    most: usize,
    is_ready: bool,
}

/// How often in a row a place has kept silent, and in which words it did last.
#[derive(Debug, Default)]
struct Silence {
    in_row: usize,
    words: String,
}

impl Queue {
    /// Entries at these places, in this order: `host:port` and the host.
    pub fn new(entries: &[Place], at_once: AtOnce) -> Self {
        let mut queue = Self {
            at_once: AtOnce {
                all: at_once.all.max(1),
                of_host: at_once.of_host.max(1),
            },
            entries: Vec::with_capacity(entries.len()),
            hosts: Vec::new(),
            places: Vec::new(),
            ready: VecDeque::new(),
            running: 0,
        };
        let (mut hosts, mut places) = (HashMap::new(), HashMap::new());
        for (number, entry) in entries.iter().enumerate() {
            let host = entry.as_ref().map(|(_, host)| host);
            let at = *hosts.entry(host).or_insert(queue.hosts.len());
            if at == queue.hosts.len() {
                queue.hosts.push(Host {
                    most: host.map_or(queue.at_once.all, |_| queue.at_once.of_host),
                    ..Host::default()
                });
            }
            let place = entry.as_ref().map(|(place, _)| {
                let place = *places.entry(place).or_insert(queue.places.len());
                if place == queue.places.len() {
                    queue.places.push(Silence::default());
                }
                place
            });
            queue.entries.push((at, place));
            if let Some(host) = queue.hosts.get_mut(at) {
                host.waiting.push_back(number);
            }
            queue.make_ready(at);
        }
        queue
    }

    /// Who has the next turn; nothing when all have had it, or nobody may begin before another has ended.
    pub fn turn(&mut self) -> Option<Turn> {
        if self.running >= self.at_once.all {
            return None;
        }
        let at = self.ready.pop_front()?;
        let host = self.hosts.get_mut(at)?;
        host.is_ready = false;
        let number = host.waiting.pop_front()?;
        let (_, place) = *self.entries.get(number)?;
        let silence = place.and_then(|place| self.places.get(place));
        let turn = match silence.filter(|silence| silence.in_row >= SILENCES) {
            Some(silence) => Turn::Silent(number, silence.words.clone()),
            None => {
                host.running += 1;
                self.running += 1;
                Turn::Ask(number)
            }
        };
        self.make_ready(at);
        Some(turn)
    }

    /// An entry that was asked has ended.
    pub fn ended(&mut self, number: usize, how: Ended<'_>) {
        let Some(&(at, place)) = self.entries.get(number) else {
            return;
        };
        self.running = self.running.saturating_sub(1);
        if let Some(host) = self.hosts.get_mut(at) {
            host.running = host.running.saturating_sub(1);
        }
        if let Some(silence) = place.and_then(|place| self.places.get_mut(place)) {
            match how {
                Ended::Answered => silence.in_row = 0,
                Ended::Silent(words) => {
                    silence.in_row += 1;
                    words.clone_into(&mut silence.words);
                }
            }
        }
        self.make_ready(at);
    }

    /// Puts a host in line, where it has somebody waiting, room for them, and does not stand there already.
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

    fn place(number: u8) -> Place {
        (number > 0).then(|| {
            let host = format!("h{}", number % 5);
            (format!("{host}:{number}"), host)
        })
    }

    /// Plays a queue to its end; `silent` says which places keep silent, `pick` who ends next. The entries that had a
    /// turn, those of them that were asked, and the most that were asked at once, in all and of a host.
    fn play(
        entries: &[Place],
        at_once: AtOnce,
        silent: impl Fn(&Place) -> bool,
        mut pick: impl FnMut(usize) -> usize,
    ) -> (Vec<usize>, Vec<usize>, usize, usize) {
        let mut queue = Queue::new(entries, at_once);
        let (mut had, mut asked, mut running) = (Vec::new(), Vec::new(), Vec::new());
        let (mut most, mut most_of_host) = (0, 0);
        loop {
            while let Some(turn) = queue.turn() {
                match turn {
                    Turn::Ask(number) => {
                        had.push(number);
                        asked.push(number);
                        running.push(number);
                    }
                    Turn::Silent(number, words) => {
                        assert_eq!(words, "nobody");
                        had.push(number);
                    }
                }
                let mut hosts: HashMap<_, usize> = HashMap::new();
                for number in &running {
                    if let Some((_, host)) = &entries[*number] {
                        *hosts.entry(host).or_default() += 1;
                    }
                }
                most = most.max(running.len());
                most_of_host = most_of_host.max(hosts.values().copied().max().unwrap_or(0));
            }
            if running.is_empty() {
                return (had, asked, most, most_of_host);
            }
            let number = running.remove(pick(running.len()));
            let how = if silent(&entries[number]) {
                Ended::Silent("nobody")
            } else {
                Ended::Answered
            };
            queue.ended(number, how);
        }
    }

    proptest! {
        #[test]
        fn each_has_one_turn_and_never_too_many_at_once(
            places in proptest::collection::vec(0_u8..20, 0..300),
            picks in proptest::collection::vec(any::<proptest::sample::Index>(), 300),
            all in 1_usize..70,
            of_host in 1_usize..6,
            silent in 0_u8..20,
        ) {
            let entries: Vec<Place> = places.into_iter().map(place).collect();
            let at_once = AtOnce { all, of_host };
            let silent = place(silent);
            let mut picks = picks.into_iter();
            let (mut had, asked, most, most_of_host) = play(
                &entries,
                at_once,
                |place| *place == silent,
                |count| picks.next().map_or(0, |pick| pick.index(count)),
            );
            had.sort_unstable();
            prop_assert_eq!(had, (0..entries.len()).collect::<Vec<_>>());
            prop_assert!(most <= all && most_of_host <= of_host);
            // Two silences, and whoever was asked before they were known.
            let vain = asked.iter().filter(|number| entries[**number] == silent).count();
            if silent.is_some() {
                prop_assert!(vain < SILENCES + of_host, "{} asked in vain", vain);
            } else {
                let here = entries.iter().filter(|entry| entry.is_none()).count();
                prop_assert_eq!(vain, here);
            }
        }
    }

    #[test]
    fn entries_of_no_place_are_in_nobodys_way() {
        let mut entries = vec![None; 10];
        entries.extend([place(1), place(1)]);
        let at_once = AtOnce { all: 9, of_host: 1 };
        let mut queue = Queue::new(&entries, at_once);
        let mut asked = Vec::new();
        while let Some(Turn::Ask(number)) = queue.turn() {
            asked.push(number);
        }
        // As many as there may be in all, and not behind the host.
        assert_eq!(asked.len(), 9);
        assert!(asked.contains(&10) && !asked.contains(&11), "{asked:?}");
        for number in asked.into_iter().filter(|number| *number < 10) {
            queue.ended(number, Ended::Silent("the disk is away"));
        }
        // The others are looked at all the same.
        assert_eq!(queue.turn(), Some(Turn::Ask(8)));
        assert_eq!(queue.turn(), Some(Turn::Ask(9)));
        assert_eq!(queue.turn(), None);
    }

    #[test]
    fn a_place_that_answers_again_is_asked_on() {
        let entries = vec![place(1); 6];
        let at_once = AtOnce { all: 1, of_host: 1 };
        let mut queue = Queue::new(&entries, at_once);
        for (number, how) in [
            Ended::Silent("nobody"),
            Ended::Answered,
            Ended::Silent("nobody"),
            Ended::Silent("still nobody"),
        ]
        .into_iter()
        .enumerate()
        {
            assert_eq!(queue.turn(), Some(Turn::Ask(number)));
            assert_eq!(queue.turn(), None);
            queue.ended(number, how);
        }
        let last = |number| Some(Turn::Silent(number, "still nobody".to_owned()));
        assert_eq!(queue.turn(), last(4));
        assert_eq!(queue.turn(), last(5));
        assert_eq!(queue.turn(), None);
    }
}
