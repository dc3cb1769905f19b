//! The remarks of a server on a directory: its greeting, its notes on the directory, a README.

use geomys_wire::text::Text;

/// A text that is shown folded above the entries of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The title in a few words: `welcome`, `note on this directory`, the name of a file.
    pub title: Text,
    /// The received lines.
    pub octets: Vec<u8>,
}
