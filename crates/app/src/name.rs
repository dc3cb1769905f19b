//! Titles of URLs, and the user's view of a server in a URL.

use std::path::Path;

use geomys_wire::net::{shown_address, shown_url};
use geomys_wire::text::{self, Text};
use rfc1738::{Encoded, Url};

/// Returns the title of a URL without a link title: the last name in its path, else its host.
pub fn title_of(url: &Url) -> Text {
    let url = url.masked_url();
    let parts = url.base_parts();
    let path = parts.title_path().octets();
    let mut names = path.rsplit(|&octet| octet == b'/');
    let last = names.find(|name| !name.is_empty());
    match (last, parts.address()) {
        (Some(last), _) => Text::new(last, text::Charset::default()),
        (None, Some(address)) => Text::of(&shown_address(&address)),
        (_, None) => Text::of(&shown_url(&url)),
    }
}

/// Returns the name of a local file, to be shown.
pub fn name_of(path: &Path) -> Text {
    Text::of(&path.file_name().unwrap_or_default().to_string_lossy())
}

/// Returns the scheme, user, host and port of a URL: the part of it that a question to the user shows.
pub(crate) fn host_of(url: &Url) -> Option<String> {
    let parts = url.base_parts();
    let address = parts.address()?;
    let user = parts.login().and_then(|login| login.user);
    let user = user.map_or("", Encoded::as_str);
    let address = shown_address(&address);
    Some(format!("{} {user}@{address}", url.scheme_name()))
}
