//! Which threads of a group are folded, by the Message-IDs of their first articles: what stays when lines change.

use super::Fold;

/// The most exceptions that are kept of a group, and the most bytes of their Message-IDs.
const MOST: usize = 1000;
const MOST_BYTES: usize = 64 * 1024;

/// The longest Message-ID that is kept; RFC 3977 (section 3.6) allows 250 bytes.
const LONGEST: usize = 1000;

/// A change to the folds of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FoldChange {
    /// All threads are so.
    All(Fold),
    /// The thread whose first article has this Message-ID is so.
    Thread(Vec<u8>, Fold),
}

/// The folds of a group: how all threads are, and those that are the other way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupFolds {
    all: Fold,
    /// Message-IDs of first articles, the one changed longest ago first.
    except: Vec<Vec<u8>>,
}

impl Default for GroupFolds {
    fn default() -> Self {
        Self {
            all: Fold::Open,
            except: Vec::new(),
        }
    }
}

impl GroupFolds {
    /// How all threads are but for the exceptions.
    pub fn all(&self) -> Fold {
        self.all
    }

    /// The Message-IDs of the threads that are the other way.
    pub fn except(&self) -> &[Vec<u8>] {
        &self.except
    }

    /// Makes a change. Where there are too many exceptions then, the oldest go. A Message-ID that no line of a file could
    /// hold is passed over.
    pub fn apply(&mut self, change: &FoldChange) {
        match change {
            FoldChange::All(fold) => {
                self.all = *fold;
                self.except.clear();
            }
            FoldChange::Thread(id, fold) if is_word(id) && id.len() <= LONGEST => {
                self.except.retain(|known| known != id);
                if *fold != self.all {
                    self.except.push(id.clone());
                    self.drop_oldest();
                }
            }
            FoldChange::Thread(..) => {}
        }
    }

    fn drop_oldest(&mut self) {
        let mut bytes: usize = self.except.iter().map(Vec::len).sum();
        let mut count = self.except.len();
        let too_many = self.except.iter().take_while(|id| {
            let is_too_much = count > MOST || bytes > MOST_BYTES;
            count -= 1;
            bytes -= id.len();
            is_too_much
        });
        let too_many = too_many.count();
        self.except.drain(..too_many);
    }
}

/// Whether this is one word of a line: not empty, without blanks and control characters.
pub fn is_word(bytes: &[u8]) -> bool {
    !bytes.is_empty() && !bytes.iter().any(|byte| *byte <= b' ' || *byte == 0x7f)
}
