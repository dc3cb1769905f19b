//! Equality of URLs: which spellings are one link, and which links are one page.
//!
//! Two links are equal if they send the same request and show the same part of its answer ([`compared_url`]): the case
//! of scheme and host, a default port, escapes, and the forms of an international host make no difference. A fault that
//! [`parse_or_repair`] repairs makes none either, because the repaired URL is what is opened ([`compared_text`]).
//!
//! Two links are one page if their requests differ in nothing but a password ([`page_url`], [`page_text`]): a fragment
//! names a part of the page, and is never sent. Bookmarks are compared as links; visits, copies, checks and what a sync
//! fetches are pages.

use std::borrow::Cow;

use rfc1738::{
    Dialect, Encoded, ExtensionScheme, Ftp, FtpType, Gopher, GroupPart, News, Other, Parts,
    Protocol, Url, parse_or_repair, split_fragment,
};

use super::ascii_url;

/// The beginning of a label of an international host in ASCII.
const ASCII_LABEL: &[u8] = b"xn--";

/// Schemes whose usual spelling, which [`is_compared`] knows, needs no parser.
const USUAL: [&str; 4] = ["gopher://", "gemini://", "http://", "https://"];

/// Returns the spelling by which links are compared: the canonical one, with the host in ASCII, as all its spellings
/// are one host on the wire. A directory over FTP has a slash at its end, as `ftp://host/a;type=d` sends the commands
/// of `ftp://host/a/` (section 3.2.2). Beyond RFC 1738, `ftp://host` lists the directory of the login as `ftp://host/`
/// does, a file on `localhost` is on this machine (section 3.10), and an empty fragment names the page; the user of
/// `finger://user@host` is its query, `ftp://anonymous@host` logs in as `ftp://host` does, and a Message-ID has no
/// brackets.
///
/// ```
/// use geomys_wire::net::compared_url;
/// use rfc1738::Dialect;
///
/// let compared = |url| compared_url(&Dialect::Extended.parse(url).unwrap()).to_string();
/// assert_eq!(compared("HTTP://MÜNCHEN.example:80"), "http://xn--mnchen-3ya.example/");
/// assert_eq!(compared("http://XN--mnchen-3ya.example/"), "http://xn--mnchen-3ya.example/");
/// assert_eq!(compared("file://localhost/a"), "file:///a");
/// ```
pub fn compared_url(url: &Url) -> Url {
    // A host that no name service can have is compared as it is written.
    let mut compared = ascii_url(url).unwrap_or(Cow::Borrowed(url)).canonical();
    if compared.fragment().is_some_and(Encoded::is_empty) {
        compared = compared.without_fragment();
    }
    let text = compared.as_str();
    let same = match compared.base_parts() {
        Parts::Ftp(ftp) => same_directory(ftp, text),
        Parts::Gopher(gopher) => without_empty_search(gopher, &compared),
        // The group of a server, and its articles by their numbers.
        Parts::News(News {
            server: Some(_),
            part: GroupPart::Group(_) | GroupPart::Articles(..),
        }) => text
            .strip_prefix("news:")
            .map(|rest| format!("nntp:{rest}")),
        Parts::News(_) => (text.split_once("%3C"))
            .and_then(|(scheme, id)| Some(format!("{scheme}{}", id.strip_suffix("%3E")?))),
        Parts::Other(other) if matches!(compared.protocol(), Protocol::Finger(_)) => {
            finger_query(other)
        }
        Parts::File(_) => text
            .strip_prefix("file://localhost/")
            .map(|path| format!("file:///{path}")),
        _ => None,
    };
    let same = same.and_then(|text| Dialect::Extended.parse(&text).ok());
    same.unwrap_or(compared)
}

/// Returns the URL of an item without the empty search behind its selector, which sends nothing. An item that is a
/// search keeps it.
fn without_empty_search(gopher: Gopher<'_>, url: &Url) -> Option<String> {
    let is_empty = gopher.search.is_some_and(Encoded::is_empty) && gopher.plus.is_none();
    if !is_empty || gopher.item_type() == b'7' {
        return None;
    }
    let (text, fragment) = split_fragment(url.as_str());
    let text = text.strip_suffix("%09")?;
    Some(match fragment {
        Some(fragment) => format!("{text}#{fragment}"),
        None => text.to_owned(),
    })
}

/// Returns another spelling of a URL of FTP. `text` is canonical.
fn same_directory(ftp: Ftp<'_>, text: &str) -> Option<String> {
    let named = match text.split_once("://") {
        Some((scheme, rest)) => {
            let host = rest.strip_prefix("anonymous@").unwrap_or(rest);
            format!("{scheme}://{host}")
        }
        None => text.to_owned(),
    };
    let same = if ftp.path.is_none() && !text.contains('#') {
        Some(format!("{named}/"))
    } else if ftp.kind == Some(FtpType::Directory) {
        listed_directory(&named)
    } else {
        None
    };
    same.or_else(|| (named != text).then_some(named))
}

/// Returns the URL of finger whose path is the query, as a load reads it: the path, else the user.
fn finger_query(finger: Other<'_>) -> Option<String> {
    let (login, path) = finger.ip()?;
    let query = path.filter(|path| !path.is_empty()).or(login.user);
    let host = login.address.host.to_ascii_lowercase();
    let port = login.address.port();
    let port = if port == ExtensionScheme::Finger.default_port() {
        String::new()
    } else {
        format!(":{port}")
    };
    let query = query.map_or("", |query| query.as_str());
    Some(format!("finger://{host}{port}/{query}"))
}

/// Returns the URL of a directory over FTP without its type, with a slash at its end. `text` is canonical.
fn listed_directory(text: &str) -> Option<String> {
    let (url, fragment) = text.find('#').map_or((text, ""), |at| text.split_at(at));
    let directory = url.strip_suffix(";type=d")?;
    let slash = if directory.ends_with('/') { "" } else { "/" };
    Some(format!("{directory}{slash}{fragment}"))
}

/// Returns the spelling by which pages are compared: that of the link, without a password and without a fragment.
///
/// ```
/// use geomys_wire::net::page_url;
/// use rfc1738::Dialect;
///
/// let page = |url| page_url(&Dialect::Extended.parse(url).unwrap()).to_string();
/// assert_eq!(page("ftp://ada:secret@H.example:21/a#b"), "ftp://ada@h.example/a");
/// ```
pub fn page_url(url: &Url) -> Url {
    compared_url(&url.without_password().without_fragment())
}

/// Returns the spelling by which a link is compared that is written in a file: that of its URL, or of the URL it is
/// repaired to. A text that no repair makes a URL is compared as it is.
///
/// ```
/// use geomys_wire::net::compared_text;
///
/// assert_eq!(compared_text("http://H.example/~a b"), "http://h.example/%7Ea%20b");
/// assert_eq!(compared_text("http://bad~host/"), "http://bad~host/");
/// ```
pub fn compared_text(written: &str) -> Cow<'_, str> {
    if is_compared(written) {
        return Cow::Borrowed(written);
    }
    compared_by(written, compared_url)
}

/// Returns the spelling by which a page is compared whose URL is written in a file, as [`compared_text`] does.
pub fn page_text(written: &str) -> Cow<'_, str> {
    if is_compared(written) && !written.contains('#') {
        return Cow::Borrowed(written);
    }
    compared_by(written, page_url)
}

fn compared_by(written: &str, compared: fn(&Url) -> Url) -> Cow<'_, str> {
    let url = parse_or_repair(written).map(|url| compared(&url).to_string());
    url.map_or(Cow::Borrowed(written), Cow::Owned)
}

/// Returns true for most of the URLs that are their own [`compared_url`], at a fraction of its cost: lists of visits
/// and bookmarks hold tens of thousands of them. False says nothing.
fn is_compared(written: &str) -> bool {
    let Some(rest) = USUAL.iter().find_map(|start| written.strip_prefix(start)) else {
        return false;
    };
    let Some((host, path)) = rest.split_once('/') else {
        return false;
    };
    let is_host = |octet: u8| matches!(octet, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.');
    let is_path =
        |octet: u8| octet.is_ascii_alphanumeric() || b"$-_.+!*'(),/;:@&=?".contains(&octet);
    !host.is_empty()
        && host.bytes().all(is_host)
        && !host.as_bytes().windows(ASCII_LABEL.len()).any(|part| part == ASCII_LABEL)
        // The root of a hole has two spellings.
        && path != "1"
        && path.bytes().all(is_path)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn repaired_fault_makes_no_difference() {
        for (one, other) in [
            ("http://h.example/~x", "http://h.example/%7Ex"),
            ("http://h.example/~x", "http://h.example/%7ex"),
            ("http://h.example/a b|c", "HTTP://h.example:80/a%20b%7Cc"),
            ("https://h.example?q", "https://h.example/?q"),
            ("gopher://h.example/1", "gopher://h.example"),
            ("ftp://h.example", "ftp://h.example/"),
            ("file:/a", "file://localhost/a"),
            ("http://h.example/#", "http://h.example/"),
            ("ftp://h.example/a;TYPE=D", "ftp://h.example/a;type=d"),
            ("ftp://h.example/a/", "ftp://h.example/a;type=d"),
            ("ftp://h.example/a/", "ftp://h.example/a/;type=d"),
            ("ftp://h.example", "ftp://h.example/;type=d"),
            ("ftps://h.example/a/", "ftps://h.example/a;type=d"),
            ("ftp://anonymous@h.example/a", "ftp://h.example/a"),
            ("ftp://anonymous@h.example", "ftp://h.example/;type=d"),
            ("finger://h.example/ada", "finger://ada@H.example:79"),
            ("finger://h.example", "finger://h.example:79/"),
            ("news:%3Cx@y.example%3E", "news:x@y.example"),
            ("ftp://h.example/a/#b", "ftp://h.example/a;type=d#b"),
            ("nntp://h.example/a.b/001", "nntp://h.example/a.b/1"),
            ("http://[0:0:0:0:0:0:0:1]/", "http://[::1]/"),
            ("gemini://[2001:DB8::0001]:1965/", "gemini://[2001:db8::1]/"),
            ("gopher://h.example/0/x%09", "gopher://h.example/0/x"),
            ("gopher://h.example/1/x%09#a", "gopher://h.example/1/x#a"),
            ("news://h.example/a.b", "nntp://h.example/a.b"),
            ("news://h.example:119/a.b/3", "nntp://h.example/a.b/3"),
            ("http://h.example/a#~x", "http://h.example/a#%7Ex"),
            ("http://h.example/a%2Bb", "http://h.example/a+b"),
            ("ftp://h.example/a%2Bb", "ftp://h.example/a+b"),
        ] {
            assert_eq!(compared_text(one), compared_text(other), "{one} {other}");
            assert_eq!(page_text(one), page_text(other), "{one} {other}");
        }
    }

    #[test]
    fn different_requests_differ() {
        for (one, other) in [
            ("gopher://h.example/1/a", "gopher://h.example/1/a/"),
            ("ftp://h.example/a", "ftp://h.example/a;type=d"),
            ("ftp://h.example/a/b", "ftp://h.example/a/b;type=i"),
            ("ftp://h.example/%2Fa/", "ftp://h.example/a;type=d"),
            ("finger://h.example/ada", "finger://h.example:7979/ada"),
            ("finger://h.example/ada", "finger://h.example/bo"),
            ("ftp://ada@h.example/a", "ftp://h.example/a"),
            ("ftp://h.example/x://anonymous@y", "ftp://h.example/x://y"),
            ("http://h.example/a", "http://h.example/a/"),
            ("http://h.example/a%2Fb", "http://h.example/a/b"),
            ("http://h.example/", "https://h.example/"),
            ("http://h.example/?", "http://h.example/"),
            ("http://bad~host/", "http://bad~host"),
            ("http://h.example/?q=c++", "http://h.example/?q=c%2B%2B"),
            ("gemini://h.example/?c%2b", "gemini://h.example/?c+"),
            ("gopher://h.example/7/x%09", "gopher://h.example/7/x"),
            ("gopher://h.example/0/x%09a", "gopher://h.example/0/x"),
            ("news://h.example/*", "nntp://h.example/"),
            ("nntps://h.example/a.b", "news://h.example/a.b"),
        ] {
            assert_ne!(page_text(one), page_text(other), "{one} {other}");
        }
    }

    proptest! {
        #[test]
        fn quick_answer_is_that_of_the_parser(
            start in "(gopher|gemini|https?|ftp)://",
            rest in "[a-z0-9.-]{0,6}(:70|:80|)(/[a-zA-Z01;:@&=?%~#$.*é]{0,6}){0,3}",
        ) {
            let written = start + &rest;
            prop_assert_eq!(compared_text(&written), compared_by(&written, compared_url));
            prop_assert_eq!(page_text(&written), compared_by(&written, page_url));
        }
    }
}
