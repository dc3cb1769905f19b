//! Masks and removes passwords in URLs (RFC 1738, section 6: "clearly unwise"), including those of nested URLs, and the
//! tokens of Titan.
//!
//! The password is searched in the text alone, so one in a text that is not a URL is masked too. If its end is not
//! clear, more is masked rather than less.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use super::bare_login::bare_logins;
use super::escape::Encoded;
use super::nested::{self, NestedPassword};
use super::typed::bare;
use super::{Dialect, ParseError, Scheme, Url, token};

/// The text shown in place of a password.
///
/// ```
/// use rfc1738::{MASK, mask};
///
/// assert_eq!(mask("ftp://u:p@h.example/"), format!("ftp://u:{MASK}@h.example/"));
/// ```
pub const MASK: &str = "***";

impl Url {
    /// Returns true if the URL's own login has a password, even an empty one.
    ///
    /// ```
    /// use rfc1738::Url;
    ///
    /// assert!(Url::parse("ftp://u:@h.example/").unwrap().has_password());
    /// assert!(!Url::parse("ftp://u@h.example/").unwrap().has_password());
    /// ```
    pub fn has_password(&self) -> bool {
        self.password().is_some()
    }

    /// Returns true if the URL has a password in its own login or in that of a nested URL, or the token of an upload.
    ///
    /// ```
    /// use rfc1738::Url;
    ///
    /// let url = Url::parse("gopher://h.example/hURL:ftp://u:p@i.example/").unwrap();
    /// assert!(url.has_secret() && !url.has_password());
    /// ```
    pub fn has_secret(&self) -> bool {
        !self.secrets().is_empty()
    }

    /// The text with `***` in place of each password, for titles, logs and screens.
    ///
    /// ```
    /// use rfc1738::Url;
    ///
    /// let url = Url::parse("ftp://u:p@h.example/").unwrap();
    /// assert_eq!(url.masked(), "ftp://u:***@h.example/");
    /// ```
    pub fn masked(&self) -> Cow<'_, str> {
        masked(self.as_str(), &self.secrets())
    }

    /// The masked text as a URL, to show its parts.
    ///
    /// ```
    /// use rfc1738::Url;
    ///
    /// let url = Url::parse("ftp://u:p@h.example/").unwrap();
    /// assert_eq!(url.masked_url().as_str(), "ftp://u:***@h.example/");
    /// ```
    pub fn masked_url(&self) -> Cow<'_, Url> {
        match self.masked() {
            Cow::Borrowed(_) => Cow::Borrowed(self),
            Cow::Owned(text) => {
                let masked = Dialect::Extended
                    .parse(&text)
                    .unwrap_or_else(|_| self.without_password());
                Cow::Owned(masked)
            }
        }
    }

    /// The URL without its password and the colon before it, and without its token for an upload. The user stays, and
    /// so do nested URLs.
    ///
    /// ```
    /// use rfc1738::Url;
    ///
    /// let url = Url::parse("ftp://u:p@h.example/").unwrap();
    /// assert_eq!(url.without_password().as_str(), "ftp://u@h.example/");
    /// ```
    #[must_use]
    pub fn without_password(&self) -> Url {
        let mut own: Vec<_> = self
            .password()
            .map(NestedPassword::own)
            .into_iter()
            .collect();
        if token::is_titan(self.as_str()) {
            own.extend(token::in_text(self.as_str()));
        }
        if own.is_empty() {
            return self.clone();
        }
        Dialect::Extended
            .parse(&*without(self.as_str(), &own))
            .unwrap_or_else(|_| self.clone())
    }

    /// Returns true if the URL is perhaps a login without a scheme.
    pub(super) fn is_bare_login(&self) -> bool {
        self.scheme() == Scheme::Other && !bare_logins(self.as_str()).is_empty()
    }

    fn secrets(&self) -> Vec<NestedPassword> {
        let text = self.as_str();
        let all = nested::with_nested(text, || scheme(text), || self.password());
        with_bare_logins(text, all)
    }

    /// A `//` later in the text (in a Message-ID, for example) starts no login.
    fn password(&self) -> Option<Range<usize>> {
        let range = password(self.as_str())?;
        let (_, rest) = self.as_str().split_once(':')?;
        let starts = rest.starts_with("//") || self.scheme() == Scheme::Other;
        starts.then_some(range)
    }
}

/// A nested URL in the part may hold a password, so it is masked.
impl fmt::Debug for Encoded<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Encoded")
            .field(&mask(self.as_str()))
            .finish()
    }
}

/// `text` with `***` in place of each password, read as if it were a URL.
///
/// ```
/// use rfc1738::mask;
///
/// assert_eq!(mask("<ftp://u:p@bad~host/>"), "<ftp://u:***@bad~host/>");
/// ```
pub fn mask(text: &str) -> Cow<'_, str> {
    masked(text, &secrets(text))
}

/// `text` without its passwords and the colons before them, read as if it were a URL.
///
/// ```
/// use rfc1738::without_secrets;
///
/// assert_eq!(without_secrets("ftp://u:p@h.example/"), "ftp://u@h.example/");
/// ```
pub fn without_secrets(text: &str) -> Cow<'_, str> {
    match Dialect::Extended.parse(text) {
        Ok(url) => without(text, &url.secrets()),
        Err(_) => without(text, &secrets(text)),
    }
}

/// `text` with each `***` password replaced by the password of `stored` with the same index. `None` if `stored` has
/// no password at that index.
///
/// ```
/// use rfc1738::with_secrets_of;
///
/// let filled = with_secrets_of("ftp://u:***@h.example/b", "ftp://u:p@h.example/a");
/// assert_eq!(filled.as_deref(), Some("ftp://u:p@h.example/b"));
/// ```
pub fn with_secrets_of<'a>(text: &'a str, stored: &str) -> Option<Cow<'a, str>> {
    let (mut filled, mut from) = (String::new(), 0);
    let passwords = secrets(stored);
    for (number, secret) in secrets(text).into_iter().enumerate() {
        if text.get(secret.range.clone()) != Some(MASK) {
            continue;
        }
        filled.push_str(text.get(from..secret.range.start)?);
        filled.push_str(stored.get(passwords.get(number)?.range.clone())?);
        from = secret.range.end;
    }
    if from == 0 {
        return Some(Cow::Borrowed(text));
    }
    filled.push_str(text.get(from..)?);
    Some(Cow::Owned(filled))
}

/// The passwords in any text, such that its masked text has none but masks.
///
/// A mask can make a URL invalid, and then more of the text counts as a password: that is masked too.
fn secrets(text: &str) -> Vec<NestedPassword> {
    let mut secrets = visible_secrets(text);
    while !secrets.is_empty() {
        let masked = masked(text, &secrets);
        let rest = visible_secrets(&masked);
        if rest
            .iter()
            .all(|rest| masked.get(rest.range.clone()) == Some(MASK))
        {
            break;
        }
        let merged = merge(&secrets, &rest);
        if merged == secrets {
            break;
        }
        secrets = merged;
    }
    secrets
}

fn visible_secrets(text: &str) -> Vec<NestedPassword> {
    let all = nested::with_nested(text, || scheme(bare(text)), || secret(text));
    with_bare_logins(text, all)
}

/// The passwords of a text together with those of logins without a scheme.
fn with_bare_logins(text: &str, mut all: Vec<NestedPassword>) -> Vec<NestedPassword> {
    let logins = bare_logins(text);
    if logins.is_empty() {
        return all;
    }
    all.extend(logins.into_iter().map(NestedPassword::own));
    nested::without_overlaps(all)
}

fn scheme(text: &str) -> &str {
    text.split(':').next().unwrap_or_default()
}

/// The passwords of a text, and further ones with the offsets of its masked text, as one list without overlaps. Both
/// are in order.
fn merge(secrets: &[NestedPassword], in_masked: &[NestedPassword]) -> Vec<NestedPassword> {
    let mut unmasked = UnmaskedOffsets { secrets, cut: 0 };
    let further = in_masked.iter().map(|secret| NestedPassword {
        colon: unmasked.offset(secret.colon),
        range: unmasked.offset(secret.range.start)..unmasked.offset(secret.range.end),
    });
    let further: Vec<_> = further.collect();
    nested::without_overlaps(further.into_iter().chain(secrets.iter().cloned()).collect())
}

/// Conversion of ascending offsets in a masked text to those in the text.
struct UnmaskedOffsets<'a> {
    /// The passwords behind the last offset.
    secrets: &'a [NestedPassword],
    /// The octets by which the masks before the last offset have made the text shorter: negative where they are longer.
    cut: isize,
}

impl UnmaskedOffsets<'_> {
    /// The offset in the text for one that is not before the last. A mask is never divided.
    fn offset(&mut self, offset: usize) -> usize {
        while let Some((secret, behind)) = self.secrets.split_first()
            && offset.saturating_add_signed(self.cut) > secret.range.start
        {
            self.cut += secret.range.len().cast_signed() - MASK.len().cast_signed();
            self.secrets = behind;
        }
        offset.saturating_add_signed(self.cut)
    }
}

pub(super) fn masked<'a>(text: &'a str, secrets: &[NestedPassword]) -> Cow<'a, str> {
    cut(text, secrets, |secret| (secret.range.clone(), MASK))
}

fn without<'a>(text: &'a str, secrets: &[NestedPassword]) -> Cow<'a, str> {
    cut(text, secrets, |secret| (secret.colon..secret.range.end, ""))
}

/// `text` with a replacement in the ranges that `replacement` returns for the passwords.
fn cut<'a>(
    text: &'a str,
    secrets: &[NestedPassword],
    replacement: impl Fn(&NestedPassword) -> (Range<usize>, &'static str),
) -> Cow<'a, str> {
    if secrets.is_empty() {
        return Cow::Borrowed(text);
    }
    let (mut left, mut from) = (String::with_capacity(text.len()), 0);
    for secret in secrets {
        let (range, instead) = replacement(secret);
        left.push_str(text.get(from..range.start).unwrap_or(""));
        left.push_str(instead);
        from = range.end;
    }
    left.push_str(text.get(from..).unwrap_or(""));
    Cow::Owned(left)
}

/// The range of the password in any text. In text that is not a URL, anything that could be a password.
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
    // The rest has no colon, so no further test is needed.
    if Dialect::Extended.parse(bare(text)).is_ok() {
        return None;
    }
    let written = rest.get(colon + 1..end)?;
    // A port, and a path after it.
    let digits = written.bytes().take_while(u8::is_ascii_digit).count();
    if written.as_bytes().get(digits) == Some(&b'/') && digits > 0 {
        return None;
    }
    Some(start + colon + 1..start + end)
}

impl ParseError {
    /// The fault at its offset in [`mask`]`(text)`, converted from its offset in `text`.
    ///
    /// ```
    /// use rfc1738::{Url, mask};
    ///
    /// let text = "ftp://u:long-password@h.example/a b";
    /// let error = Url::parse(text).unwrap_err().masked(text);
    /// assert_eq!(mask(text).find(' '), Some(error.at));
    /// ```
    #[must_use]
    pub fn masked(self, text: &str) -> Self {
        let mut at = self.at;
        for NestedPassword { range, .. } in secrets(text).into_iter().rev() {
            at = if at >= range.end {
                at - range.len() + MASK.len()
            } else {
                at.min(range.start)
            };
        }
        ParseError { at, ..self }
    }
}

/// The range of the password: after the first colon of the text between `//` and the last `@` before a slash.
fn password(text: &str) -> Option<Range<usize>> {
    // Most texts have no `@`, and this test is fast.
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
