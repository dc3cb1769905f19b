//! The version of a file or a page, and what a request tells of it: the point at which a transfer resumes, and the copy
//! that is stored.

use geomys_wire::text::Charset;
use rfc1738::Url;

/// The version of a file, as its server reports it, used to notice that the file has changed. An unknown value matches
/// any other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Version {
    /// The size in octets.
    pub size: Option<u64>,
    /// The time of the last change, in UTC, as digits: `20261120184501` (RFC 3659, section 2.3).
    pub modified: Option<String>,
    /// The server's name of this version: an entity tag of HTTP, with its quotes (RFC 9110, section 8.8.3).
    pub tag: Option<Box<str>>,
}

impl Version {
    /// Returns true if both may have the same content: no value that both have differs.
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

/// The version of a page of which a copy is stored. A server that can be asked for another version only does not send
/// the page again: its head is [`super::PageHead::is_unchanged`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownCopy {
    /// The URL of the page that came, which is another one after a redirect.
    pub url: Url,
    /// The version that came with it; the default version fetches the page and finds out its version.
    pub version: Version,
    /// The charset that the server declared.
    pub charset: Option<Charset>,
}

impl KnownCopy {
    /// Creates the state of a page without a copy, to be stored with its version.
    pub fn none(url: Url) -> Self {
        Self {
            url,
            version: Version::default(),
            charset: None,
        }
    }
}

/// The point at which a transfer resumes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResumeRequest {
    /// The number of octets that are stored already.
    pub offset: u64,
    /// The version of the file when they came. When the server reports another one now, the load ends with
    /// [`super::Question::Changed`] before anything is fetched; the default version matches any.
    pub version: Version,
}
