//! Hints: one or two letters for each link on the screen.

/// The letters for hints, the easiest to reach first.
const LETTERS: &[u8] = b"asdfghjklqwertyuiopzxcvbnm";

/// The hint letters of the links, and the letters typed so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// The links on the screen: letters, row, and index among the links of the row.
    links: Vec<(String, usize, usize)>,
    /// The letters typed so far.
    pub typed: String,
}

impl Hints {
    /// The largest number of links that can have different letters.
    pub const MAX_LINKS: usize = LETTERS.len() * LETTERS.len();

    /// Assigns letters to links (row, and index in the row), in their order: one letter each if there are enough
    /// letters.
    pub fn new(links: Vec<(usize, usize)>) -> Self {
        let count = links.len();
        let links = links
            .into_iter()
            .enumerate()
            .map(|(index, (row, link))| (letters(index, count), row, link))
            .collect();
        Self {
            links,
            typed: String::new(),
        }
    }

    /// Returns the letters of a link, if they begin with the typed letters.
    pub fn of(&self, row: usize, link: usize) -> Option<&str> {
        let (letters, ..) = self
            .links
            .iter()
            .find(|(_, other, index)| (*other, *index) == (row, link))?;
        letters.starts_with(&self.typed).then_some(letters)
    }

    /// Returns the link whose letters were typed: its row, and its index in the row.
    pub fn chosen(&self) -> Option<(usize, usize)> {
        let (_, row, link) = self
            .links
            .iter()
            .find(|(letters, ..)| *letters == self.typed)?;
        Some((*row, *link))
    }

    /// Returns true if the letters of any link begin with the typed letters.
    pub fn is_possible(&self) -> bool {
        self.links
            .iter()
            .any(|(letters, ..)| letters.starts_with(&self.typed))
    }
}

fn letters(index: usize, count: usize) -> String {
    let letter = |index: usize| {
        LETTERS
            .get(index % LETTERS.len())
            .map_or('?', |&letter| char::from(letter))
    };
    if count <= LETTERS.len() {
        letter(index).to_string()
    } else {
        [letter(index / LETTERS.len()), letter(index)]
            .iter()
            .collect()
    }
}
