//! Titles of URLs, and the user's view of a server in a URL.

use std::borrow::Cow;

use crate::text::{self, Text};
use crate::url::{Encoded, Parts, Url};

/// Returns the title of a URL without a link title: the last name in its path, else its host.
pub fn title_of(url: &Url) -> Text {
    let url = url.masked_url();
    let parts = url.base_parts();
    let name = match parts {
        Parts::Gopher(gopher) => gopher.selector.octets(),
        Parts::Ftp(ftp) => {
            let named = ftp.segments().rev().find(|segment| !segment.is_empty());
            named.map(Encoded::octets).unwrap_or_default()
        }
        Parts::Nntp(nntp) => nntp.group.octets(),
        Parts::File(file) => file.path.octets(),
        Parts::Wais(wais) => wais.database.octets(),
        // For these schemes the path is no title. The host is one, and it has no password.
        Parts::Http(_)
        | Parts::Mailto(_)
        | Parts::News(_)
        | Parts::Telnet(_)
        | Parts::Prospero(_)
        | Parts::Other(_) => Cow::Borrowed(b"".as_slice()),
    };
    let last = name
        .rsplit(|&octet| octet == b'/')
        .find(|part| !part.is_empty());
    match (last, parts.address()) {
        (Some(last), _) => Text::new(last, text::Charset::default()),
        (None, Some(address)) => Text::of(address.text),
        (_, None) => Text::of(&url.masked()),
    }
}

/// Returns the scheme, user, host and port of a URL: the part of it that a question to the user shows.
pub(crate) fn host_of(url: &Url) -> Option<String> {
    let parts = url.base_parts();
    let address = parts.address()?;
    let user = parts.login().and_then(|login| login.user);
    let user = user.map_or("", Encoded::as_str);
    Some(format!("{} {user}@{}", url.scheme_name(), address.text))
}
