//! Going on with a transfer that was broken off.

/// What a server says of a file, to notice that it is another one now. What it does not say is unknown, and differs
/// from nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Version {
    /// Its size in octets.
    pub size: Option<u64>,
    /// When it was changed last, in UTC, as digits: `20261120184501` (RFC 3659, section 2.3).
    pub modified: Option<String>,
    /// What its server calls this version of it: an entity tag of HTTP, with its quotes (RFC 9110, section 8.8.3).
    pub tag: Option<Box<str>>,
}

impl Version {
    /// Whether both may be of the same octets: nothing that both say differs.
    pub fn may_be(&self, other: &Self) -> bool {
        fn same<T: PartialEq>(one: Option<&T>, other: Option<&T>) -> bool {
            match (one, other) {
                (Some(one), Some(other)) => one == other,
                (None, _) | (_, None) => true,
            }
        }
        same(self.size.as_ref(), other.size.as_ref())
            && same(self.modified.as_ref(), other.modified.as_ref())
            && same(self.tag.as_ref(), other.tag.as_ref())
    }
}

/// Where a transfer goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resume {
    /// How many octets are here already.
    pub offset: u64,
    /// What the server said of the file when they came. When it says otherwise now, the load ends with
    /// [`super::Question::Changed`] before anything is fetched; the default goes on whatever it says.
    pub version: Version,
}
