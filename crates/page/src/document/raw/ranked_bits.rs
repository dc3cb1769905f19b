//! A growing bit vector with rank and select: how many bits before one are set, and which is the nth set bit.

/// The number of bits of one [`Word`].
const BITS: usize = u64::BITS as usize;

/// A bit vector that grows at its end. A million bits need a quarter of a megabyte.
#[derive(Clone, Debug, Default)]
pub(in crate::document) struct RankedBits(Vec<Word>);

/// [`BITS`] bits, the first one is the lowest.
#[derive(Clone, Copy, Debug)]
struct Word {
    bits: u64,
    /// The number of set bits in the words before.
    before: usize,
}

impl Word {
    fn count(self) -> usize {
        self.before + self.bits.count_ones() as usize
    }
}

impl RankedBits {
    /// Sets or clears bit `number`: the last one, or the one behind it.
    pub(super) fn set_last(&mut self, number: usize, is_set: bool) {
        if number / BITS >= self.0.len() {
            let before = self.count();
            self.0.push(Word { bits: 0, before });
        }
        if let Some(word) = self.0.last_mut() {
            let at = number % BITS;
            word.bits = word.bits & !(1 << at) | u64::from(is_set) << at;
        }
    }

    /// Returns true if bit `number` is set.
    pub(in crate::document) fn contains(&self, number: usize) -> bool {
        let word = self.0.get(number / BITS);
        word.is_some_and(|word| word.bits >> (number % BITS) & 1 == 1)
    }

    /// The number of set bits.
    pub(in crate::document) fn count(&self) -> usize {
        self.0.last().map_or(0, |word| word.count())
    }

    /// The number of set bits before bit `number`.
    pub(in crate::document) fn rank(&self, number: usize) -> usize {
        match self.0.get(number / BITS) {
            Some(word) => {
                let below = word.bits & ((1 << (number % BITS)) - 1);
                word.before + below.count_ones() as usize
            }
            None => self.count(),
        }
    }

    /// The number of the set bit that has `rank` set bits before it.
    pub(in crate::document) fn select(&self, rank: usize) -> Option<usize> {
        let index = self.0.partition_point(|word| word.count() <= rank);
        let word = self.0.get(index)?;
        let mut bits = word.bits;
        for _ in word.before..rank {
            // Clears the lowest set bit.
            bits &= bits - 1;
        }
        Some(index * BITS + bits.trailing_zeros() as usize)
    }

    /// The memory use, in octets.
    pub(super) fn memory(&self) -> usize {
        self.0.len() * size_of::<Word>()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn rank_and_select_count_the_set_bits(
            bits in proptest::collection::vec((any::<bool>(), any::<bool>()), 0..400),
        ) {
            let mut ranked = RankedBits::default();
            for (number, (first, last)) in bits.iter().enumerate() {
                // The last bit may change.
                ranked.set_last(number, *first);
                ranked.set_last(number, *last);
            }
            let set: Vec<usize> = (0..bits.len()).filter(|&number| bits[number].1).collect();
            prop_assert_eq!(ranked.count(), set.len());
            for number in 0..bits.len() + 70 {
                prop_assert_eq!(ranked.contains(number), set.contains(&number));
                let before = set.iter().filter(|&&one| one < number).count();
                prop_assert_eq!(ranked.rank(number), before);
            }
            let selected: Vec<usize> = (0..).map_while(|rank| ranked.select(rank)).collect();
            prop_assert_eq!(selected, set);
        }
    }
}
