//! Passwords are not shown (RFC 1738, section 6: "clearly unwise"), nor are those of URLs nested in another.
//!
//! The password is looked for in the text alone, so that one in a text that is no URL is hidden as well. Where it is
//! not clear how far it goes, too much is hidden.

use std::borrow::Cow;
use std::ops::Range;

use super::nested::{self, Secret};
use super::typed::bare;
use super::{ParseError, Scheme, Url};

/// What stands in the place of a password.
pub const MASK: &str = "***";

impl Url {
    /// Whether a password is written in its own login, be it empty.
    pub fn has_password(&self) -> bool {
        self.password().is_some()
    }

    /// Whether a password is written in it: in its own login, or in that of a URL nested in it.
    pub fn has_secret(&self) -> bool {
        !self.secrets().is_empty()
    }

    /// The text with `***` in the place of each password; for titles, logs and screens.
    pub fn masked(&self) -> Cow<'_, str> {
        masked(self.as_str(), &self.secrets())
    }

    /// The same as a URL, to show the parts of.
    pub fn masked_url(&self) -> Cow<'_, Url> {
        match self.masked() {
            Cow::Borrowed(_) => Cow::Borrowed(self),
            Cow::Owned(text) => {
                let masked = Url::accept(&text).unwrap_or_else(|_| self.without_password());
                Cow::Owned(masked)
            }
        }
    }

    /// The URL with its password and the colon before it left out; the user stays, and so do nested URLs.
    #[must_use]
    pub fn without_password(&self) -> Url {
        let Some(range) = self.password() else {
            return self.clone();
        };
        let own = [Secret::own(range)];
        Url::accept(&without(self.as_str(), &own)).unwrap_or_else(|_| self.clone())
    }

    fn secrets(&self) -> Vec<Secret> {
        nested::with_nested(self.as_str(), || self.password())
    }

    /// A `//` further in (in a Message-ID, say) starts no login.
    fn password(&self) -> Option<Range<usize>> {
        let (_, rest) = self.as_str().split_once(':')?;
        let starts = rest.starts_with("//") || self.scheme() == Scheme::Other;
        starts.then(|| password(self.as_str()))?
    }
}

/// `text` with `***` in the place of what would be the passwords, were it a URL.
pub fn mask(text: &str) -> Cow<'_, str> {
    masked(text, &secrets(text))
}

/// `text` without what would be its passwords, and the colons before them, were it a URL.
pub fn without_secrets(text: &str) -> Cow<'_, str> {
    match Url::accept(text) {
        Ok(url) => without(text, &url.secrets()),
        Err(_) => without(text, &secrets(text)),
    }
}

/// `text` with the passwords of `stored` where it has `***` for a password: the first for the first, and so on. Nothing
/// where `stored` has none there.
pub fn with_secrets_of<'a>(text: &'a str, stored: &str) -> Option<Cow<'a, str>> {
    let (mut filled, mut from) = (String::new(), 0);
    let known = secrets(stored);
    for (number, secret) in secrets(text).into_iter().enumerate() {
        if text.get(secret.range.clone()) != Some(MASK) {
            continue;
        }
        filled.push_str(text.get(from..secret.range.start)?);
        filled.push_str(stored.get(known.get(number)?.range.clone())?);
        from = secret.range.end;
    }
    if from == 0 {
        return Some(Cow::Borrowed(text));
    }
    filled.push_str(text.get(from..)?);
    Some(Cow::Owned(filled))
}

fn secrets(text: &str) -> Vec<Secret> {
    nested::with_nested(text, || secret(text))
}

fn masked<'a>(text: &'a str, secrets: &[Secret]) -> Cow<'a, str> {
    cut(text, secrets, |secret| (secret.range.clone(), MASK))
}

fn without<'a>(text: &'a str, secrets: &[Secret]) -> Cow<'a, str> {
    cut(text, secrets, |secret| (secret.colon..secret.range.end, ""))
}

/// `text` with something else in the places that `place` names of secrets.
fn cut<'a>(
    text: &'a str,
    secrets: &[Secret],
    place: impl Fn(&Secret) -> (Range<usize>, &'static str),
) -> Cow<'a, str> {
    if secrets.is_empty() {
        return Cow::Borrowed(text);
    }
    let (mut left, mut from) = (String::with_capacity(text.len()), 0);
    for secret in secrets {
        let (range, instead) = place(secret);
        left.push_str(text.get(from..range.start).unwrap_or(""));
        left.push_str(instead);
        from = range.end;
    }
    left.push_str(text.get(from..).unwrap_or(""));
    Cow::Owned(left)
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
        let mut at = self.at;
        for Secret { range, .. } in secrets(text).into_iter().rev() {
            at = if at >= range.end {
                at - range.len() + MASK.len()
            } else {
                at.min(range.start)
            };
        }
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
