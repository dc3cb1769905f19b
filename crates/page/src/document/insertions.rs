//! The numbers of the items that are inserted in a sequence: the pieces that continue lines, the rows that continue
//! records, the lines between the entries of a listing.

/// Numbers of inserted items, in ascending order. The other items keep their sequence around them.
#[derive(Clone, Debug, Default)]
pub(super) struct Insertions(Vec<usize>);

impl Insertions {
    /// Appends the number of an inserted item, which is greater than all others.
    pub(super) fn push(&mut self, number: usize) {
        self.0.push(number);
    }

    /// Removes all numbers.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// The number of inserted items.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The memory use, in octets.
    pub(super) fn memory(&self) -> usize {
        self.0.len() * size_of::<usize>()
    }

    /// The index of an inserted item among the inserted ones; for another item, the number of inserted ones before it.
    pub(super) fn index(&self, number: usize) -> Result<usize, usize> {
        self.0.binary_search(&number)
    }

    /// Returns true if the item with this number is inserted.
    pub(super) fn contains(&self, number: usize) -> bool {
        self.index(number).is_ok()
    }

    /// The number of the other item with this index among the others.
    pub(super) fn number_of(&self, index: usize) -> usize {
        // Counts the inserted items with at most `index` others before them.
        let (mut low, mut high) = (0, self.0.len());
        while low < high {
            let middle = low.midpoint(high);
            let others = self.0.get(middle).map_or(0, |number| number - middle);
            if others <= index {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        index + low
    }

    /// Adds `distance` to all numbers.
    pub(super) fn shift(&mut self, distance: isize) {
        for number in &mut self.0 {
            *number = number.saturating_add_signed(distance);
        }
    }
}
