//! Hints: valid URLs that are probably typing mistakes.
//!
//! A hint changes nothing: section 4 of RFC 1738 allows any scheme, and any name may be that of a host. It is shown
//! beside the URL, or with the failure to open it.

use std::fmt;

use super::scheme::{ExtensionScheme, Scheme, is_known};
use super::{Dialect, Url};

/// The schemes of other programs that are one letter away from a known scheme.
const OTHERS: [&str; 7] = ["sftp", "tftp", "ftpes", "hftp", "ntp", "shttp", "telnets"];

/// The probable meaning of a URL.
///
/// ```
/// use rfc1738::{Hint, Url};
///
/// let url = Url::parse("C:/autoexec.bat").unwrap();
/// assert_eq!(url.hint(), Some(Hint::DrivePath));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hint {
    /// A path of Windows, whose drive letter is read as a scheme.
    DrivePath,
    /// Another URL: with the right name of its scheme, or without a scheme that was written twice.
    Url(Url),
}

impl fmt::Display for Hint {
    /// Writes the hint as part of a sentence, without a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Hint::DrivePath => {
                f.write_str("this looks like a Windows path; start with /, ./ or ~/")
            }
            Hint::Url(url) => write!(f, "did you mean {} ?", url.masked()),
        }
    }
}

impl Url {
    /// The probable meaning of this URL, if it looks like a typing mistake.
    ///
    /// ```
    /// use rfc1738::Dialect;
    ///
    /// let hint = Dialect::Extended.parse("htp://h.example/").unwrap().hint().unwrap();
    /// assert_eq!(hint.to_string(), "did you mean http://h.example/ ?");
    /// ```
    pub fn hint(&self) -> Option<Hint> {
        let (name, rest) = self.as_str().split_once(':')?;
        if name.len() == 1 {
            return Some(Hint::DrivePath);
        }
        let meant = match rest.strip_prefix("//") {
            Some(rest) if is_known(name) => doubled(rest),
            _ => misspelt(name, rest),
        };
        Dialect::Extended.parse(&meant?).ok().map(Hint::Url)
    }
}

/// The URL after a scheme that was written twice, as in `http://http://host/`; `rest` follows the first one.
fn doubled(rest: &str) -> Option<String> {
    let (name, rest) = rest.split_once("//")?;
    let name = name.strip_suffix(':').unwrap_or(name);
    is_known(name).then(|| format!("{name}://{rest}"))
}

/// The URL with the known scheme whose name differs by one letter.
fn misspelt(name: &str, rest: &str) -> Option<String> {
    let name = name.to_ascii_lowercase();
    if is_known(&name) || OTHERS.contains(&name.as_str()) {
        return None;
    }
    let known = Scheme::ALL.iter().map(|scheme| scheme.name());
    let known = known.chain(ExtensionScheme::ALL.iter().map(|scheme| scheme.name()));
    let mut near = known.filter(|known| is_one_letter_off(name.as_bytes(), known.as_bytes()));
    let first = near.clone().next()?;
    // A letter is missed or doubled more often than hit wrong: `htp` is http, and not ftp.
    let meant = near
        .find(|known| known.len() != name.len())
        .unwrap_or(first);
    Some(format!("{meant}:{rest}"))
}

/// Returns true if the words differ by one letter that is missing, added or another, or by two that are swapped.
fn is_one_letter_off(a: &[u8], b: &[u8]) -> bool {
    let start = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (
        a.get(start..).unwrap_or_default(),
        b.get(start..).unwrap_or_default(),
    );
    match (a, b) {
        ([first, second, a @ ..], [other, another, b @ ..])
            if first == another && second == other && a == b =>
        {
            true
        }
        ([_, a @ ..], [_, b @ ..]) if a == b => true,
        ([_, rest @ ..], other) if rest == other => true,
        (other, [_, rest @ ..]) => rest == other,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hint(url: &str) -> Option<String> {
        Dialect::Extended
            .parse(url)
            .unwrap()
            .hint()
            .map(|hint| hint.to_string())
    }

    #[test]
    fn misspelt_scheme_hints_at_the_known_one() {
        for (written, meant) in [
            ("htp://x", "http://x"),
            ("htttp://x/a", "http://x/a"),
            ("hhtp://x/a", "http://x/a"),
            ("gohper://x/1/a", "gopher://x/1/a"),
            ("fpt://u:secret@x/", "ftp://u:***@x/"),
            ("newz:a.b", "news:a.b"),
        ] {
            let expected = format!("did you mean {meant} ?");
            assert_eq!(hint(written), Some(expected), "{written}");
        }
    }

    #[test]
    fn doubled_scheme_hints_at_the_second_one() {
        for written in ["http://http://x", "ftp://http//x"] {
            let expected = "did you mean http://x ?";
            assert_eq!(hint(written).as_deref(), Some(expected), "{written}");
        }
    }

    #[test]
    fn drive_letter_hints_at_a_path() {
        assert_eq!(
            Dialect::Extended.parse("C:/x").unwrap().hint(),
            Some(Hint::DrivePath)
        );
    }

    #[test]
    fn other_urls_have_no_hint() {
        for url in [
            "sftp://x/",
            "ntp://x/",
            "gemini://x/",
            "https://x/",
            "http://x//y",
            "http://news.example//y",
            "tel:110",
            "htp:x",
            "mailto:a@b",
        ] {
            assert_eq!(hint(url), None, "{url}");
        }
    }
}
