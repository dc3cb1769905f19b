//! Cookies of the Web (RFC 6265), in memory: they end with the browser, or with their private tab.
//!
//! ```text
//! Set-Cookie = name "=" value *( ";" attribute )       ; in answers, redirects too
//! attribute  = "Domain=" host / "Path=" path / "Max-Age=" seconds / "Expires=" date / "Secure" / "HttpOnly"
//! Cookie     = name "=" value *( "; " name "=" value ) ; in requests
//! ```
//!
//! A cookie belongs to the host that has set it. With a domain it also belongs to the same host with or without `www.`,
//! and to no other: no list of public suffixes is needed, and no site follows a reader to another. One with `Secure` is
//! neither taken nor sent without TLS. No script could read a cookie, so `HttpOnly` adds nothing.

use std::fmt;
use std::ops::RangeInclusive;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use geomys_wire::protocol::http::ResponseHead;
use geomys_wire::text::Text;
use jiff::civil;
use jiff::tz::TimeZone;
use rfc1738::{Encoded, ExtensionScheme, Protocol, Url};

/// The most cookies of all hosts, and of one. The oldest ones are dropped.
const MAX_COOKIES: usize = 1000;
const MAX_COOKIES_OF_HOST: usize = 50;

/// The longest cookie with its attributes, in octets.
const MAX_COOKIE_BYTES: usize = 4096;

/// The longest age of a cookie, in seconds: 400 days.
const MAX_AGE_SECONDS: u64 = 400 * 24 * 60 * 60;

/// The years of an end; others are malformed.
const YEARS: RangeInclusive<i16> = 1601..=9998;

/// The cookies of a tab, or of all tabs that are not private.
#[derive(Default)]
pub struct CookieJar(Mutex<Vec<Cookie>>);

impl fmt::Debug for CookieJar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} cookies", self.lock().len())
    }
}

/// A cookie.
#[derive(Clone, PartialEq, Eq)]
struct Cookie {
    name: String,
    value: String,
    /// The host that has set it, in lower case.
    host: String,
    /// True if it belongs to the host with and without `www.`.
    is_of_site: bool,
    path: String,
    is_secure: bool,
    /// The time at which it ends; None for the end of the browser.
    expires: Option<SystemTime>,
}

/// The page of a request, as cookies see it.
struct Place {
    host: String,
    path: String,
    is_tls: bool,
}

impl Place {
    fn of(url: &Url) -> Option<Self> {
        let Protocol::Http(parts) = url.protocol() else {
            return None;
        };
        Some(Self {
            host: parts.address.node().to_ascii_lowercase(),
            path: format!("/{}", parts.path.map_or("", Encoded::as_str)),
            is_tls: url.extension_scheme() == Some(ExtensionScheme::Https),
        })
    }

    /// The path of a cookie that states none: that of the directory (RFC 6265, section 5.1.4).
    fn directory(&self) -> &str {
        match self.path.rsplit_once('/') {
            Some(("", _)) | None => "/",
            Some((directory, _)) => directory,
        }
    }
}

/// Returns a host without `www.`.
fn site(host: &str) -> &str {
    host.strip_prefix("www.").unwrap_or(host)
}

/// Returns true if the hosts of two URLs are the same but for `www.`.
pub(super) fn is_same_site(one: &Url, other: &Url) -> bool {
    let hosts = Place::of(one).zip(Place::of(other));
    hosts.is_some_and(|(one, other)| site(&one.host) == site(&other.host))
}

impl Cookie {
    /// Reads a Set-Cookie field of the answer to a request (RFC 6265, section 5.2); None for one that is not taken.
    fn parse(field: &[u8], place: &Place, now: SystemTime) -> Option<Self> {
        let field = std::str::from_utf8(field).ok()?;
        if field.len() > MAX_COOKIE_BYTES || field.chars().any(|c| c.is_control() && c != '\t') {
            return None;
        }
        let mut parts = field.split(';');
        let (name, value) = parts.next()?.split_once('=')?;
        let mut cookie = Self {
            name: name.trim().to_owned(),
            value: value.trim().to_owned(),
            host: place.host.clone(),
            is_of_site: false,
            path: place.directory().to_owned(),
            is_secure: false,
            expires: None,
        };
        let mut has_age = false;
        for part in parts {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            let value = value.trim();
            match name.trim().to_ascii_lowercase().as_str() {
                "domain" => cookie.is_of_site = cookie.domain(value)?,
                "path" if value.starts_with('/') => value.clone_into(&mut cookie.path),
                "path" => place.directory().clone_into(&mut cookie.path),
                "secure" => cookie.is_secure = true,
                "max-age" => {
                    if let Some(end) = end_of_age(value, now) {
                        has_age = true;
                        cookie.expires = Some(end);
                    }
                }
                "expires" if !has_age => cookie.expires = date(value).or(cookie.expires),
                _ => {}
            }
        }
        let is_allowed = !cookie.name.is_empty() && (place.is_tls || !cookie.is_secure);
        is_allowed.then_some(cookie)
    }

    /// Returns true if a domain is the host of the cookie with or without `www.`; None if it is that of others.
    fn domain(&self, written: &str) -> Option<bool> {
        let domain = written.strip_prefix('.').unwrap_or(written);
        let domain = domain.to_ascii_lowercase();
        if domain.is_empty() {
            return Some(false);
        }
        if domain == self.host || domain == site(&self.host) && domain.contains('.') {
            let is_name = self.host.parse::<std::net::IpAddr>().is_err() && self.host.contains('.');
            return Some(is_name);
        }
        // A domain above is honoured no further than the host itself.
        let before = self.host.strip_suffix(domain.as_str());
        before
            .is_some_and(|before| before.ends_with('.'))
            .then_some(false)
    }

    fn is_for_host(&self, host: &str) -> bool {
        self.host == host || self.is_of_site && site(&self.host) == site(host)
    }

    /// Returns true if the cookie is sent with a request (RFC 6265, section 5.4).
    fn is_for(&self, place: &Place) -> bool {
        let below = place.path.strip_prefix(self.path.as_str());
        self.is_for_host(&place.host)
            && (place.is_tls || !self.is_secure)
            && below.is_some_and(|below| {
                below.is_empty() || below.starts_with('/') || self.path.ends_with('/')
            })
    }

    /// Returns true if another cookie takes its place.
    fn is_replaced_by(&self, new: &Self) -> bool {
        let is_own = self.host == new.host || self.is_of_site && new.is_of_site;
        self.name == new.name && self.path == new.path && is_own && self.is_for_host(&new.host)
    }
}

/// Returns when a cookie of this age ends: now for one that has ended; None for what is no age.
fn end_of_age(written: &str, now: SystemTime) -> Option<SystemTime> {
    let digits = written.strip_prefix('-').unwrap_or(written);
    if digits.is_empty() || !digits.bytes().all(|octet| octet.is_ascii_digit()) {
        return None;
    }
    if digits.len() < written.len() {
        return Some(now);
    }
    let seconds = digits.parse().unwrap_or(MAX_AGE_SECONDS);
    now.checked_add(Duration::from_secs(seconds.min(MAX_AGE_SECONDS)))
}

/// Parses the end of a cookie, in any order of its parts (RFC 6265, section 5.1.1); None for what is no date.
fn date(written: &str) -> Option<SystemTime> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == ':';
    let (mut time, mut day, mut month, mut year) = (None, None, None, None);
    for part in written
        .split(|c| !is_part(c))
        .filter(|part| !part.is_empty())
    {
        let number = part.parse::<i16>().ok();
        match (part, number) {
            (part, _) if time.is_none() && part.contains(':') => time = Some(clock(part)?),
            (_, Some(number)) if day.is_none() && part.len() <= 2 => day = Some(number),
            (_, Some(number)) if year.is_none() => {
                year = Some(match number {
                    0..70 => number + 2000,
                    70..100 => number + 1900,
                    _ => number,
                });
            }
            (name, None) if month.is_none() => month = month_of(name),
            _ => {}
        }
    }
    let (hour, minute, second) = time?;
    let year = year.filter(|year| YEARS.contains(year))?;
    let date = civil::Date::new(year, month?, i8::try_from(day?).ok()?).ok()?;
    let time = civil::Time::new(hour, minute, second, 0).ok()?;
    let zoned = date.to_datetime(time).to_zoned(TimeZone::UTC).ok()?;
    Some(SystemTime::from(zoned.timestamp()))
}

fn clock(written: &str) -> Option<(i8, i8, i8)> {
    let mut numbers = written.split(':').map(|number| number.parse().ok());
    Some((numbers.next()??, numbers.next()??, numbers.next()??))
}

fn month_of(name: &str) -> Option<i8> {
    const MONTHS: [&str; 12] = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ];
    let start = name.get(..3)?.to_ascii_lowercase();
    let index = MONTHS.iter().position(|month| *month == start)?;
    i8::try_from(index + 1).ok()
}

impl CookieJar {
    fn lock(&self) -> MutexGuard<'_, Vec<Cookie>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the cookies of the answer from a URL. Returns true if one was set, changed or removed.
    pub(super) fn take(&self, url: &Url, head: &ResponseHead) -> bool {
        let fields = head.all("set-cookie");
        // Each is taken.
        let changes = fields.filter(|field| self.set_cookie(url, field));
        changes.count() > 0
    }

    /// Takes a Set-Cookie field of the answer from a URL, of 4096 octets at the most. Returns true if a cookie was set,
    /// changed or removed.
    pub fn set_cookie(&self, url: &Url, field: &[u8]) -> bool {
        let now = SystemTime::now();
        let place = Place::of(url);
        let cookie = place
            .as_ref()
            .and_then(|place| Cookie::parse(field, place, now));
        let set = cookie.zip(place);
        set.is_some_and(|(cookie, place)| self.set(cookie, &place, now))
    }

    fn set(&self, cookie: Cookie, place: &Place, now: SystemTime) -> bool {
        let mut cookies = self.lock();
        let known = cookies
            .iter()
            .position(|known| known.is_replaced_by(&cookie));
        let is_kept = |known: &Cookie| known == &cookie || known.is_secure && !place.is_tls;
        if known.is_some_and(|at| cookies.get(at).is_some_and(is_kept)) {
            return false;
        }
        let removed = known.map(|at| cookies.remove(at));
        if cookie.expires.is_some_and(|end| end <= now) {
            return removed.is_some();
        }
        let of_host = cookies.iter().filter(|known| known.host == cookie.host);
        if of_host.count() >= MAX_COOKIES_OF_HOST
            && let Some(at) = cookies.iter().position(|known| known.host == cookie.host)
        {
            cookies.remove(at);
        }
        if cookies.len() >= MAX_COOKIES {
            cookies.remove(0);
        }
        cookies.push(cookie);
        true
    }

    /// Returns the cookies for a request of a URL, those with longer paths first.
    fn cookies_for(&self, url: &Url) -> Vec<Cookie> {
        let now = SystemTime::now();
        let mut cookies = self.lock();
        cookies.retain(|cookie| cookie.expires.is_none_or(|end| end > now));
        let place = Place::of(url);
        let own = |cookie: &&Cookie| place.as_ref().is_some_and(|place| cookie.is_for(place));
        let mut found: Vec<Cookie> = cookies.iter().filter(own).cloned().collect();
        drop(cookies);
        found.sort_by_key(|cookie| std::cmp::Reverse(cookie.path.len()));
        found
    }

    /// Returns the field of a request for a URL; None without a cookie for it.
    pub(super) fn field_for(&self, url: &Url) -> Option<String> {
        let cookies = self.cookies_for(url).into_iter();
        let pairs = cookies.map(|cookie| format!("{}={}", cookie.name, cookie.value));
        let field = pairs.collect::<Vec<_>>().join("; ");
        (!field.is_empty()).then_some(field)
    }

    /// Returns what a person is told of the cookies that a request for a URL sends: their names, and where they belong.
    /// The values are not among it.
    pub fn facts(&self, url: &Url) -> Vec<Text> {
        let cookies = self.cookies_for(url).into_iter();
        let facts = cookies.map(|cookie| {
            let hosts = match (cookie.is_of_site, site(&cookie.host)) {
                (true, site) => format!("{site} and www.{site}"),
                (false, _) => cookie.host.clone(),
            };
            let secure = if cookie.is_secure { ", TLS only" } else { "" };
            Text::of(&format!(
                "{} of {hosts}{}{secure}",
                cookie.name, cookie.path
            ))
        });
        facts.collect()
    }

    /// Removes the first cookie that a request for a URL sends. Returns its name.
    pub fn remove_first(&self, url: &Url) -> Option<Text> {
        let first = self.cookies_for(url).into_iter().next()?;
        self.lock().retain(|cookie| *cookie != first);
        Some(Text::of(&first.name))
    }
}

#[cfg(test)]
mod tests;
