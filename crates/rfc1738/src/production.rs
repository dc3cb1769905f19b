//! The parts of a URL by the production of its scheme: what every scheme tells about its URLs, in its own file.

use std::borrow::Cow;

use super::escape::Encoded;
use super::login::{HostPort, Login};
use super::range::Range;

/// The parts of a URL by the production of one scheme.
pub(super) trait Production<'a> {
    /// The news group that the URL names, or whose articles it names by number.
    fn group(&self) -> Option<Encoded<'a>> {
        None
    }

    /// The range of article numbers that the URL names.
    fn range(&self) -> Option<Range<'a>> {
        None
    }

    /// The path whose last name is a title for the URL; empty if its path is no title.
    fn title_path(&self) -> Encoded<'a> {
        Encoded::default()
    }

    /// True for a URL that is explicitly a directory whose files can be downloaded.
    fn is_directory(&self) -> bool {
        false
    }

    /// Adds the parts after the host to the explanation of a URL.
    fn explain(&self, lines: &mut Explanation);

    /// The path of the URL one level up, after the slash that ends the host; `None` at the top.
    fn parent_path(&self) -> Option<Cow<'a, str>> {
        None
    }

    /// The path of the top of the server; `None` if servers of this scheme have no top.
    fn root_path(&self) -> Option<&'static str> {
        None
    }

    /// The canonical spelling of `tail`: the slash that ends the host, and the text after it.
    fn canonical_tail(&self, tail: &'a str) -> Cow<'a, str> {
        Cow::Borrowed(tail)
    }
}

/// Label and value of each part of a URL, in its order.
#[derive(Default)]
pub(super) struct Explanation(pub(super) Vec<(&'static str, String)>);

impl Explanation {
    pub(super) fn add(&mut self, label: &'static str, value: impl Into<String>) {
        self.0.push((label, value.into()));
    }

    /// Adds a part that may be absent.
    pub(super) fn part(&mut self, label: &'static str, part: Option<Encoded<'_>>) {
        if let Some(part) = part {
            self.add(label, part.as_str());
        }
    }

    pub(super) fn user(&mut self, login: &Login<'_>) {
        self.part("user", login.user);
        self.part("password", login.password);
    }

    pub(super) fn address(&mut self, address: &HostPort<'_>) {
        self.add("host", address.host);
        match (address.written_port, address.default_port) {
            (Some(port), _) => self.add("port", port.to_string()),
            (None, Some(port)) => self.add("port", format!("{port}, the scheme's own")),
            (None, None) => {}
        }
    }
}

/// The path up to and including the slash before its last segment; `None` for an empty path.
pub(super) fn path_above(path: Encoded<'_>) -> Option<&str> {
    let path = path.as_str();
    if path.is_empty() {
        return None;
    }
    let path = path.strip_suffix('/').unwrap_or(path);
    let end = path.rfind('/').map_or(0, |at| at + 1);
    path.get(..end)
}
