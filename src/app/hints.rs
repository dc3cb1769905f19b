//! Hints: a letter, or two, for every link on screen.

/// The letters of hints, the easiest to reach first.
const LETTERS: &[u8] = b"asdfghjklqwertyuiopzxcvbnm";

/// Letters for links, and those typed so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// Each link on screen, its letters, its row and which of the row's links it is.
    links: Vec<(String, usize, usize)>,
    /// What is typed of them.
    pub typed: String,
}

impl Hints {
    /// So many links can have letters of their own.
    pub const MOST: usize = LETTERS.len() * LETTERS.len();

    /// Letters for these links (row, and which of its links), in their order: one letter each while that is enough.
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

    /// The letters of a link, when they can still be typed.
    pub fn of(&self, row: usize, link: usize) -> Option<&str> {
        let (letters, ..) = self
            .links
            .iter()
            .find(|(_, of, index)| (*of, *index) == (row, link))?;
        letters.starts_with(&self.typed).then_some(letters)
    }

    /// The link that is typed: its row and which of the row's links.
    pub fn chosen(&self) -> Option<(usize, usize)> {
        let (_, row, link) = self
            .links
            .iter()
            .find(|(letters, ..)| *letters == self.typed)?;
        Some((*row, *link))
    }

    /// Whether any link still begins with what is typed.
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
