//! What a request leaves on the disk: that of a private tab, and one to a host that is excepted, leave nothing.

use std::collections::BTreeSet;
use std::net::IpAddr;

use geomys_wire::net::ascii_host;
use rfc1738::{Dialect, Url, decode};

/// What a request leaves on the disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Privacy {
    /// A visit, a copy, marks and certificates, as the settings say.
    #[default]
    Recorded,
    /// Nothing but what the user saves by name.
    Private,
}

/// The reason why nothing is stored of a host that the user has named.
pub const EXCLUDED: &str = "its host is in [history] except";

/// The reason why a page is not stored whose server forbids it.
pub const NO_STORE: &str = "its server forbids storing it";

/// The reason why a page is not stored that was requested with a cookie.
const PERSONAL: &str = "it was requested with a cookie";

/// Whether a page may be cached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PageStorage {
    /// The page may be cached.
    #[default]
    Allowed,
    /// The page is never written to disk (`Cache-Control: no-store`, RFC 9111, section 5.2.2.5).
    Forbidden,
    /// The page was requested with a cookie, so that it may be for this person alone.
    Personal,
}

impl PageStorage {
    /// Says whether the page may be written to the disk.
    ///
    /// # Errors
    /// The reason why it may not.
    pub(crate) fn permits(self) -> Result<(), &'static str> {
        match self {
            Self::Allowed => Ok(()),
            Self::Forbidden => Err(NO_STORE),
            Self::Personal => Err(PERSONAL),
        }
    }
}

/// The number of times that a URL inside a URL may be encoded, and one.
const MAX_LEVELS: usize = 4;

/// The hosts of whose pages nothing is stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PrivateHosts {
    hosts: BTreeSet<String>,
    /// True if every host counts: the list could not be read.
    is_unreadable: bool,
}

impl PrivateHosts {
    /// The list when it could not be read: every host is one.
    pub fn unreadable() -> Self {
        Self {
            hosts: BTreeSet::new(),
            is_unreadable: true,
        }
    }

    /// Adds a host in any spelling: with capitals, a final dot, brackets, a port, in Unicode or in ASCII.
    ///
    /// # Errors
    /// A sentence for what can be the host of no URL.
    pub fn add(&mut self, written: &str) -> Result<(), String> {
        let host = canonical(written.trim()).filter(|host| has_url(host));
        let host = host.ok_or_else(|| format!("“{written}” is no host"))?;
        self.hosts.insert(host);
        Ok(())
    }

    /// Returns true if nothing may be stored of a URL: its host is one of the list, or one stands in its path or its
    /// query, as in the URL of a gateway, a search or an archive.
    pub fn include(&self, url: &Url) -> bool {
        if self.is_unreadable {
            return true;
        }
        if self.hosts.is_empty() {
            return false;
        }
        let mut text = url.as_str().to_owned();
        for _ in 0..MAX_LEVELS {
            if words(&text).any(|word| self.include_host(word)) {
                return true;
            }
            let decoded = String::from_utf8_lossy(&decode(&text)).into_owned();
            if decoded == text {
                break;
            }
            text = decoded;
        }
        false
    }

    /// Returns true if nothing may be stored of a host.
    pub fn include_host(&self, host: &str) -> bool {
        self.is_unreadable || canonical(host).is_some_and(|host| self.hosts.contains(&host))
    }
}

/// Returns the parts of a text that may be hosts: what stands between characters that no host has.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_part =
        |letter: char| letter.is_alphanumeric() || "-._:[]".contains(letter) || !letter.is_ascii();
    let whole = text.split(move |letter| !is_part(letter));
    // A scheme and a port stand beside a host without a blank.
    whole.flat_map(|word| std::iter::once(word).chain(word.split(':')))
}

/// Returns the one spelling of a host, without its port; `None` for what is no host.
fn canonical(written: &str) -> Option<String> {
    let host = without_port(written);
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    if let Ok(address) = bare.parse::<IpAddr>() {
        return Some(address.to_canonical().to_string());
    }
    let host = ascii_host(host.trim_end_matches('.')).ok()?;
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    let is_letter = |octet: u8| {
        octet.is_ascii_alphanumeric() || octet == b'-' || octet == b'_' || octet == b'.'
    };
    let is_host = !host.is_empty() && host.bytes().all(is_letter) && !host.contains("..");
    is_host.then_some(host)
}

/// Returns true if a URL may have this host: of numbers it has four, as an address does (RFC 1738, section 3.1).
fn has_url(host: &str) -> bool {
    let url = match host.parse() {
        Ok(IpAddr::V6(address)) => format!("http://[{address}]/"),
        Ok(IpAddr::V4(_)) | Err(_) => format!("http://{host}/"),
    };
    Dialect::Extended.parse(&url).is_ok()
}

/// Returns a host without its port.
fn without_port(written: &str) -> &str {
    match written.rsplit_once(':') {
        // An IPv6 address without brackets has no port.
        Some((host, _)) if host.contains(':') && !host.ends_with(']') => written,
        Some((host, port)) if port.bytes().all(|octet| octet.is_ascii_digit()) => host,
        _ => written,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn url(text: &str) -> Url {
        Dialect::Extended.parse(text).unwrap()
    }

    fn list(hosts: &[&str]) -> PrivateHosts {
        let mut list = PrivateHosts::default();
        for host in hosts {
            list.add(host).unwrap();
        }
        list
    }

    #[test]
    fn host_is_found_in_every_spelling() {
        for written in ["secret.example", "SECRET.Example.", "secret.example:70"] {
            let list = list(&[written]);
            for found in [
                "gopher://secret.example/",
                "gopher://Secret.EXAMPLE./1/a",
                "http://secret.example:8080/",
                "ftp://ada@secret.example/",
                "http://search.example/?q=secret.example",
                "http://search.example/?q=gopher%3A%2F%2FSecret.example%2F1",
                "http://gateway.example/secret.example/a",
                "gopher://proxy.example/0/gopher://secret.example:70/0/a",
            ] {
                assert!(list.include(&url(found)), "{written}: {found}");
            }
            for other in [
                "gopher://example/",
                "gopher://nosecret.example/",
                "gopher://secret.example.org/",
                "http://a.secret.example/",
                "http://search.example/?q=secret",
            ] {
                assert!(!list.include(&url(other)), "{written}: {other}");
            }
        }
    }

    #[test]
    fn addresses_and_international_names_are_compared_by_value() {
        let list = list(&["[2001:DB8::1]", "münchen.example", "10.1.2.3"]);
        for found in [
            "http://[2001:db8:0:0::1]:80/",
            "http://[::ffff:10.1.2.3]/",
            "http://xn--mnchen-3ya.example/",
            "http://MÜNCHEN.example/",
            "http://10.1.2.3:8080/",
        ] {
            assert!(list.include(&url(found)), "{found}");
        }
        assert!(list.include_host("2001:db8::1") && list.include_host("[2001:db8::1]"));
    }

    #[test]
    fn what_can_match_nothing_is_refused() {
        for written in [
            "",
            " ",
            "*.example",
            "a b",
            "http://a.example/",
            "a..b",
            "/x",
            "ex@mple",
            "127.1",
            "secret.1",
        ] {
            assert!(PrivateHosts::default().add(written).is_err(), "{written}");
        }
        assert!(PrivateHosts::unreadable().include(&url("http://a.example/")));
    }

    proptest! {
        #[test]
        fn no_text_panics_and_a_written_host_is_included(text in "\\PC{0,40}", name in "[a-z]{1,9}(\\.[a-z]{1,9}){0,2}") {
            let mut list = PrivateHosts::default();
            let _ = list.add(&text);
            let _ = list.include_host(&text);
            list.add(&name.to_ascii_uppercase()).unwrap();
            for found in [format!("http://{name}/"), format!("http://h.example/?u=http%3A%2F%2F{name}.%3A70%2F")] {
                prop_assert!(list.include(&url(&found)), "{}", found);
            }
        }
    }
}
