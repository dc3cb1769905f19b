//! Passwords are not shown (RFC 1738, section 6: "clearly unwise").
//!
//! The password is looked for in the text alone, so that one in a text that is no URL is hidden as well. Where it is
//! not clear how far it goes, too much is hidden.

use std::borrow::Cow;
use std::ops::Range;

use super::{ParseError, Url};

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
        rest.starts_with("//").then(|| password(self.as_str()))?
    }
}

/// `text` with `***` in the place of what would be the password, were it a URL.
pub fn mask(text: &str) -> Cow<'_, str> {
    match password(text) {
        None => Cow::Borrowed(text),
        Some(range) => {
            let before = text.get(..range.start).unwrap_or("");
            let after = text.get(range.end..).unwrap_or("");
            Cow::Owned(format!("{before}{MASK}{after}"))
        }
    }
}

impl ParseError {
    /// The fault at its place in [`mask`]`(text)`, where it is one of `text`.
    #[must_use]
    pub fn masked(self, text: &str) -> Self {
        let Some(range) = password(text) else {
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
