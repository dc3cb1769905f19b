//! Passwords are not shown (RFC 1738, section 6: "clearly unwise").
//!
//! The password is looked for in the text alone, so that one in a text that is no URL is hidden as well. Where it is
//! not clear how far it goes, too much is hidden.

use std::borrow::Cow;
use std::ops::Range;

use super::typed::bare;
use super::{ParseError, Scheme, Url};

/// What stands in the place of a password.
pub const MASK: &str = "***";

impl Url {
    /// Whether a password is written in it, be it empty.
    pub fn has_password(&self) -> bool {
        self.password().is_some()
    }

    /// The text with `***` in the place of the password; for titles, logs and screens.
    pub fn masked(&self) -> Cow<'_, str> {
        match self.password() {
            None => Cow::Borrowed(self.as_str()),
            Some(_) => mask(self.as_str()),
        }
    }

    /// The URL with its password and the colon before it left out; the user stays.
    #[must_use]
    pub fn without_password(&self) -> Url {
        let text = self.as_str();
        let Some(range) = self.password() else {
            return self.clone();
        };
        let before = text.get(..range.start.saturating_sub(1)).unwrap_or("");
        let after = text.get(range.end..).unwrap_or("");
        Url::accept(&format!("{before}{after}")).unwrap_or_else(|_| self.clone())
    }

    /// A `//` further in (in a Message-ID, say) starts no login.
    fn password(&self) -> Option<Range<usize>> {
        let (_, rest) = self.as_str().split_once(':')?;
        let starts = rest.starts_with("//") || self.scheme() == Scheme::Other;
        starts.then(|| password(self.as_str()))?
    }
}

/// `text` with `***` in the place of what would be the password, were it a URL.
pub fn mask(text: &str) -> Cow<'_, str> {
    match secret(text) {
        None => Cow::Borrowed(text),
        Some(range) => {
            let before = text.get(..range.start).unwrap_or("");
            let after = text.get(range.end..).unwrap_or("");
            Cow::Owned(format!("{before}{MASK}{after}"))
        }
    }
}

/// Where the password of any text is: in one that is no URL, whatever could be one.
fn secret(text: &str) -> Option<Range<usize>> {
    if !text.as_bytes().contains(&b'@') {
        return None;
    }
    if let Some(range) = password(text) {
        return Some(range);
    }
    let start = match text.find("//") {
        Some(at) => at + 2,
        None => text.find(':')? + 1,
    };
    let rest = text.get(start..)?;
    let end = rest.rfind('@')?;
    let colon = rest.get(..end)?.find(':')?;
    // What has no colon there needs no judge.
    if Url::accept(bare(text)).is_ok() {
        return None;
    }
    let written = rest.get(colon + 1..end)?;
    // A port, and a path behind it.
    let digits = written.bytes().take_while(u8::is_ascii_digit).count();
    if written.as_bytes().get(digits) == Some(&b'/') && digits > 0 {
        return None;
    }
    Some(start + colon + 1..start + end)
}

impl ParseError {
    /// The fault at its place in [`mask`]`(text)`, where it is one of `text`.
    #[must_use]
    pub fn masked(self, text: &str) -> Self {
        let Some(range) = secret(text) else {
            return self;
        };
        let at = if self.at >= range.end {
            self.at - range.len() + MASK.len()
        } else {
            self.at.min(range.start)
        };
        ParseError { at, ..self }
    }
}

/// Where the password is: after the first colon of what stands between `//` and the last `@` before a slash.
fn password(text: &str) -> Option<Range<usize>> {
    // Most have no `@`, which is quickly seen.
    if !text.as_bytes().contains(&b'@') {
        return None;
    }
    let start = text.find("//")? + 2;
    let rest = text.get(start..)?;
    let authority = rest.split('/').next()?;
    let end = authority.rfind('@')?;
    let colon = authority.get(..end)?.find(':')?;
    Some(start + colon + 1..start + end)
}
