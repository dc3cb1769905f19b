//! What a check of a site reports: the kinds of faults, and each fault with its place.

use geomys_page::document::ReferenceFault;
use rfc1738::Url;

/// The kind of a fault, or of a remark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FaultKind {
    /// The target does not exist.
    Dead,
    /// The page of a link has no part that its fragment names.
    DeadFragment,
    /// The answer is perhaps an error: Gopher has no status.
    PerhapsDead,
    /// The target has moved permanently.
    Moved,
    /// The URL of a link, or a row of a menu, is malformed.
    Malformed,
    /// The item type of a link is not that of its answer.
    WrongType,
    /// A menu or a text of Gopher has no dot at its end.
    NoFinalDot,
    /// The server has cut a page.
    Incomplete,
    /// A row is longer than a terminal shows.
    LongRow,
    /// The server refuses access.
    Refused,
    /// The server did not answer, twice; or its answer is no page: an error of its own, a malformed head, a loop of
    /// redirects.
    Unreachable,
    /// The link was not requested: by the rules of the site, or because it cannot be checked.
    NotChecked,
}

impl FaultKind {
    /// All kinds, in the order of a summary.
    pub const ALL: [Self; 12] = [
        Self::Dead,
        Self::DeadFragment,
        Self::PerhapsDead,
        Self::Moved,
        Self::Malformed,
        Self::WrongType,
        Self::NoFinalDot,
        Self::Incomplete,
        Self::LongRow,
        Self::Refused,
        Self::Unreachable,
        Self::NotChecked,
    ];

    /// Returns the name, as it is printed.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Dead => "dead",
            Self::DeadFragment => "dead fragment",
            Self::PerhapsDead => "perhaps dead",
            Self::Moved => "moved",
            Self::Malformed => "malformed",
            Self::WrongType => "wrong type",
            Self::NoFinalDot => "no final dot",
            Self::Incomplete => "incomplete",
            Self::LongRow => "long row",
            Self::Refused => "refused",
            Self::Unreachable => "unreachable",
            Self::NotChecked => "not checked",
        }
    }

    /// Returns true for what is wrong with the site, and false for a remark.
    pub const fn is_wrong(self) -> bool {
        match self {
            Self::Dead
            | Self::DeadFragment
            | Self::PerhapsDead
            | Self::Moved
            | Self::Malformed
            | Self::WrongType
            | Self::NoFinalDot
            | Self::Incomplete
            | Self::LongRow
            | Self::Unreachable => true,
            Self::Refused | Self::NotChecked => false,
        }
    }
}

/// The URLs of one host, and what is wrong with them.
#[derive(Clone, Debug)]
pub struct HostReport {
    /// The host, in lower case.
    pub host: String,
    /// Number of its URLs.
    pub urls: usize,
    /// The kinds of the faults of its pages and of the links to it: one for each place.
    pub faults: Vec<FaultKind>,
}

/// A fault, with its place.
#[derive(Clone, Debug)]
pub struct SiteFault {
    /// The kind.
    pub kind: FaultKind,
    /// The URL of the page; `None` for the URL of the check itself.
    pub page: Option<Url>,
    /// The row of the page, from 1; 0 for the whole page.
    pub row: usize,
    /// The target of the link; `None` for a fault of the row itself.
    pub target: Option<Url>,
    /// The reference as it is written, where it is malformed.
    pub reference: Option<ReferenceFault>,
    /// The details.
    pub words: String,
    /// The new address.
    pub moved: Option<Url>,
}
