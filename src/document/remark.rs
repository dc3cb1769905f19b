//! What a server says beside a directory: its greeting, its notes on the place, a README.

use crate::text::Text;

/// Some lines that are shown folded above the entries of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// What it is, in a few words: `welcome`, `note on this directory`, the name of a file.
    pub title: Text,
    /// Its lines, as they came.
    pub octets: Vec<u8>,
}
