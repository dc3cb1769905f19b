//! International host names (RFC 5890): their ASCII form, which is looked up and named to servers, and their shown
//! form.

use std::borrow::Cow;
use std::collections::HashSet;

use idna::uts46::{AsciiDenyList, DnsLength, Hyphens, Uts46};
use rfc1738::{HostPort, Url, host_range};
use unicode_script::{Script, UnicodeScript};

use super::NetError;

/// The beginning of a label in its ASCII form.
const ASCII_LABEL: &str = "xn--";

/// Scripts that one language is written in together.
const TOGETHER: [&[Script]; 3] = [
    &[Script::Han, Script::Hiragana, Script::Katakana],
    &[Script::Han, Script::Hangul],
    &[Script::Han, Script::Bopomofo],
];

/// Returns the ASCII form of a host (`ToASCII` of UTS #46); a host in ASCII as it is.
///
/// # Errors
/// [`NetError::InvalidHost`] for a host that no name service can have.
///
/// ```
/// use geomys_wire::net::ascii_host;
///
/// assert_eq!(ascii_host("münchen.example").unwrap(), "xn--mnchen-3ya.example");
/// assert_eq!(ascii_host("h.example").unwrap(), "h.example");
/// ```
pub fn ascii_host(host: &str) -> Result<Cow<'_, str>, NetError> {
    if host.is_ascii() {
        return Ok(Cow::Borrowed(host));
    }
    let length = DnsLength::VerifyAllowRootDot;
    let ascii = Uts46::new().to_ascii(host.as_bytes(), AsciiDenyList::URL, Hyphens::Allow, length);
    ascii.map_err(|_| NetError::InvalidHost {
        host: host.to_owned(),
    })
}

/// Returns a URL with its host in ASCII.
///
/// # Errors
/// Those of [`ascii_host`].
pub fn ascii_url(url: &Url) -> Result<Cow<'_, Url>, NetError> {
    let text = url.as_str();
    let Some(host) = host_range(text).and_then(|range| text.get(range)) else {
        return Ok(Cow::Borrowed(url));
    };
    match ascii_host(host)? {
        Cow::Borrowed(_) => Ok(Cow::Borrowed(url)),
        Cow::Owned(ascii) => match url.with_host(&ascii) {
            Ok(url) => Ok(Cow::Owned(url)),
            Err(_) => Err(NetError::InvalidHost {
                host: host.to_owned(),
            }),
        },
    }
}

/// Returns a URL as it is shown: without passwords, its host in Unicode. If not all letters of the host are of one
/// script, its ASCII form stands beside it: a letter of another script may look like one of the reader's own.
///
/// ```
/// use geomys_wire::net::shown_url;
/// use rfc1738::Dialect;
///
/// let shown = |url| shown_url(&Dialect::Extended.parse(url).unwrap()).into_owned();
/// assert_eq!(shown("http://xn--mnchen-3ya.example/"), "http://münchen.example/");
/// // The first two letters are Cyrillic.
/// assert_eq!(shown("http://раypal.example/a"), "http://раypal.example (xn--ypal-43d9g.example)/a");
/// ```
pub fn shown_url(url: &Url) -> Cow<'_, str> {
    let masked = url.masked();
    let Some(range) = host_range(&masked) else {
        return masked;
    };
    let host = masked.get(range.clone()).unwrap_or_default();
    match shown_host(host) {
        Cow::Borrowed(_) => masked,
        Cow::Owned(shown) => {
            let (before, after) = (masked.get(..range.start), masked.get(range.end..));
            let parts = [
                before.unwrap_or_default(),
                &shown,
                after.unwrap_or_default(),
            ];
            Cow::Owned(parts.concat())
        }
    }
}

/// Returns a host with its port as it is shown, like [`shown_url`].
pub fn shown_address<'a>(address: &HostPort<'a>) -> Cow<'a, str> {
    match shown_host(address.host) {
        Cow::Borrowed(_) => Cow::Borrowed(address.text),
        Cow::Owned(host) => {
            let port = address.text.get(address.host.len()..);
            Cow::Owned(host + port.unwrap_or_default())
        }
    }
}

fn shown_host(host: &str) -> Cow<'_, str> {
    let has_ascii_label = host.split('.').any(|label| {
        let start = label.get(..ASCII_LABEL.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(ASCII_LABEL))
    });
    if host.is_ascii() && !has_ascii_label {
        return Cow::Borrowed(host);
    }
    let (unicode, valid) =
        Uts46::new().to_unicode(host.as_bytes(), AsciiDenyList::URL, Hyphens::Allow);
    let (Ok(()), Ok(ascii)) = (valid, ascii_host(&unicode)) else {
        return Cow::Borrowed(host);
    };
    if is_one_script(&unicode) {
        Cow::Owned(unicode.into_owned())
    } else {
        Cow::Owned(format!("{unicode} ({ascii})"))
    }
}

/// Returns true if all letters are of one script, or of scripts that one language uses together.
fn is_one_script(host: &str) -> bool {
    let scripts = host.chars().map(|letter| letter.script());
    let is_own = |script: &Script| !matches!(script, Script::Common | Script::Inherited);
    let scripts: HashSet<Script> = scripts.filter(is_own).collect();
    let fits = |together: &&[Script]| scripts.iter().all(|script| together.contains(script));
    scripts.len() <= 1 || TOGETHER.iter().any(fits)
}

#[cfg(test)]
mod tests {
    use rfc1738::Dialect;

    use super::*;

    #[test]
    fn host_is_shown_in_unicode_where_it_is_of_one_script() {
        for (host, shown) in [
            ("h.example", "h.example"),
            ("192.0.2.1", "192.0.2.1"),
            ("[::1]", "[::1]"),
            ("MÜNCHEN.example", "münchen.example"),
            ("XN--mnchen-3ya.example", "münchen.example"),
            ("пример.рф", "пример.рф"),
            ("xn--e1afmkfd.xn--p1ai", "пример.рф"),
            ("пример.com", "пример.com (xn--e1afmkfd.com)"),
            ("日本の.テスト", "日本の.テスト"),
            // Not the ASCII form of anything.
            ("xn--99999999.example", "xn--99999999.example"),
        ] {
            assert_eq!(shown_host(host), shown, "{host}");
        }
    }

    #[test]
    fn host_is_looked_up_in_ascii() {
        for (host, ascii) in [
            ("H.example", Some("H.example")),
            ("a_b.example.", Some("a_b.example.")),
            ("Straße.example.", Some("xn--strae-oqa.example.")),
            ("例え。example", Some("xn--r8jz45g.example")),
            ("a\u{200d}b.example", None),
        ] {
            assert_eq!(ascii_host(host).ok().as_deref(), ascii, "{host}");
        }
        assert!(ascii_host(&"ü".repeat(64)).is_err());
    }

    #[test]
    fn only_the_host_of_a_url_is_converted() {
        let url = Dialect::Extended
            .parse("ftp://ada:lovelace@münchen.example:2121/a@ü.example")
            .unwrap_err();
        assert_eq!(url.at, 43);
        for (url, ascii, shown) in [
            (
                "ftp://ada:lovelace@münchen.example:2121/a",
                "ftp://ada:lovelace@xn--mnchen-3ya.example:2121/a",
                "ftp://ada:***@münchen.example:2121/a",
            ),
            (
                "news://münchen.example/a.b",
                "news://xn--mnchen-3ya.example/a.b",
                "news://münchen.example/a.b",
            ),
            ("news:a@b.example", "news:a@b.example", "news:a@b.example"),
            ("gopher://[::1]/1", "gopher://[::1]/1", "gopher://[::1]/1"),
        ] {
            let url = Dialect::Extended.parse(url).unwrap();
            assert_eq!(ascii_url(&url).unwrap().as_str(), ascii);
            assert_eq!(shown_url(&url), shown);
        }
    }
}
