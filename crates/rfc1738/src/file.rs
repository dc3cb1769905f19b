//! Files of a host (RFC 1738, sections 3.10 and 5).
//!
//! ```text
//! fileurl = "file://" [ host | "localhost" ] "/" fpath
//! ```
//!
//! The host may be left out, the slash not. There is no port and no user. `?` is an octet of a name, and `;type=`
//! does not exist. The form `file:/path` of RFC 8089 is a departure.

use std::borrow::Cow;

use super::cursor::Cursor;
use super::departure::Departure;
use super::error::{ParseError, Rule};
use super::escape::{Encoded, FPATH};
use super::host::host;
use super::login::slashes;
use super::production::{Explanation, Production, path_above};

/// The parts of a file URL.
///
/// ```
/// use rfc1738::{Parts, Url};
///
/// let url = Url::parse("file:///etc/motd").unwrap();
/// let Parts::File(file) = url.base_parts() else { panic!() };
/// assert_eq!((file.host, file.path.as_str()), (None, "etc/motd"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct File<'a> {
    /// The host as written; `None` if it is left out.
    pub host: Option<&'a str>,
    /// `fpath`: the text after the slash that ends the host.
    pub path: Encoded<'a>,
}

impl<'a> File<'a> {
    /// The segments of the path, split before decoding.
    ///
    /// ```
    /// use rfc1738::{Parts, Url};
    ///
    /// let url = Url::parse("file:///a%2Fb/c").unwrap();
    /// let Parts::File(file) = url.base_parts() else { panic!() };
    /// assert_eq!(&*file.segments().next().unwrap().octets(), b"a/b");
    /// ```
    pub fn segments(&self) -> impl DoubleEndedIterator<Item = Encoded<'a>> + use<'a> {
        self.path.as_str().split('/').map(Encoded::new)
    }
}

impl<'a> Production<'a> for File<'a> {
    fn title_path(&self) -> Encoded<'a> {
        self.path
    }

    fn is_directory(&self) -> bool {
        self.path.as_str().ends_with('/')
    }

    fn explain(&self, lines: &mut Explanation) {
        let host = self.host.unwrap_or("this machine, as none is written");
        lines.add("host", host);
        lines.add("path", self.path.as_str());
    }

    fn parent_path(&self) -> Option<Cow<'a, str>> {
        path_above(self.path).map(Cow::Borrowed)
    }

    fn root_path(&self) -> Option<&'static str> {
        Some("")
    }
}

#[inline]
pub(super) fn parse<'a>(cursor: &mut Cursor<'a>) -> Result<File<'a>, ParseError> {
    let rule = Rule("fileurl", "3.10");
    let rooted = cursor.rest().starts_with('/') && !cursor.rest().starts_with("//");
    let host = if rooted && cursor.may_depart() {
        cursor.depart(Departure::Rfc8089);
        None
    } else {
        slashes(cursor)?;
        match cursor.peek() {
            None | Some(b'/') => None,
            Some(_) => Some(host(cursor)?),
        }
    };
    cursor.expect(b'/', rule, "the \"/\" before a path")?;
    let path = Encoded::new(cursor.run(&FPATH));
    cursor.end(Rule("fsegment", "3.10"))?;
    Ok(File { host, path })
}
