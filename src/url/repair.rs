//! From a text that is nearly a URL to the URL that means the same (RFC 1738, section 2.2).
//!
//! Characters that cannot stand unencoded become escapes, in the place where they stand; what a wrapper or white space
//! put around falls away. A host is never changed: where it is at fault there is no repair.

use super::Url;
use super::error::{Message, ParseError, Stood};
use super::escape::{self, XCHAR};
use super::scheme::{Later, Scheme};
use super::typed::bare;

/// The nearest strict URL that means the same as `text`; a URL gives itself. Nothing where there is none.
///
/// `~ { } | \ ^ [ ] " < >`, the grave accent, spaces, controls and non-ASCII characters (as UTF-8) become escapes, a
/// lone `%` becomes `%25`, `#` becomes `%23` (in http and https the fragment is taken off); so does a reserved character
/// where its scheme has another use for it. An empty port loses its colon, `;TYPE=` its capitals; `http://h?x` and
/// `file:/x` get the slashes that RFC 3986 and RFC 8089 read into them; a WAIS document
/// as libwww wrote it gets its form of RFC 1738. No escape is doubled.
pub fn repair(text: &str) -> Option<Url> {
    mended(text, Url::parse)
}

/// The URL that a page means by `text`: the one that it is, as [`Url::accept`] has it, else the one that the steps of
/// [`repair`] make of it. It may depart from RFC 1738.
///
/// # Errors
/// The leftmost fault of `text`, where those steps lead to no URL.
pub fn forgiven(text: &str) -> Result<Url, ParseError> {
    Url::accept(text).or_else(|error| mended(text, Url::accept).ok_or(error))
}

/// No repair is looked for in a longer text, in octets: a page is full of texts, and is drawn while it is repaired.
const LONGEST: usize = 8 * 1024;

/// Nor in one with more faults of the kinds that are taken away one by one.
const FAULTS: usize = 64;

fn mended(text: &str, parse: fn(&str) -> Result<Url, ParseError>) -> Option<Url> {
    let text = bare(text);
    let error = match parse(text) {
        Ok(url) => return Some(url),
        Err(error) => error,
    };
    if let Some(in_form) = Url::accept(text).ok().and_then(|url| url.in_wais_form()) {
        return parse(in_form.as_str()).ok();
    }
    let (name, rest) = text.split_once(':')?;
    let web = Scheme::named(name) == Scheme::Http || Later::named(name) == Some(Later::Https);
    let rest = match rest.split_once('#') {
        Some((before, _)) if web => before,
        _ => rest,
    };
    if matches!(error.message, Message::NoScheme(_)) || text.len() > LONGEST {
        return None;
    }
    let (host, around) = host(without_brackets(name, rest))?;
    let [before, after] = around.map(|text| escape::mend(text, &XCHAR));
    let mut mended = format!("{name}:{before}{host}{after}");
    // Each step takes one fault away and brings none.
    for _ in 0..=FAULTS {
        match parse(&mended) {
            Ok(url) => return Some(url),
            Err(error) => mended = without(&mended, &error)?,
        }
    }
    None
}

/// The host and port in what follows a scheme and its colon, and what stands before and behind: no escape belongs into
/// a host. Nothing where others read another host: behind a user in which a fragment, or a path as browsers have it,
/// begins.
fn host(rest: &str) -> Option<(&str, [&str; 2])> {
    if !rest.starts_with("//") {
        return Some(("", [rest, ""]));
    }
    let end = rest.get(2..).and_then(|rest| rest.find('/'));
    let end = end.map_or(rest.len(), |at| at + 2);
    let user = rest.get(..end).and_then(|login| login.rfind('@'));
    let start = user.map_or(2, |at| at + 1);
    let (before, place) = rest.split_at_checked(start)?;
    if before.contains(|c: char| matches!(c, '#' | '\\') || c.is_control()) {
        return None;
    }
    let end = place.find(['/', '?']).unwrap_or(place.len());
    let (host, after) = place.split_at_checked(end)?;
    Some((host, [before, after]))
}

/// A Message-ID without the angle brackets that it has in an article and never in a URL.
fn without_brackets<'a>(scheme: &str, rest: &'a str) -> &'a str {
    let inside = rest.strip_prefix('<').and_then(|id| id.strip_suffix('>'));
    let news = Scheme::named(scheme) == Scheme::News;
    inside.filter(|_| news).unwrap_or(rest)
}

/// The strict URL that a partial URL would mean beside `base`, were it written with the escapes that it lacks. Nothing
/// where there is none.
pub fn repaired(reference: &str, base: &Url) -> Option<Url> {
    let url = base.resolve(&escape::mend(bare(reference), &XCHAR)).ok()?;
    url.verdict().is_ok().then_some(url)
}

/// `text` without the one fault that `error` names; nothing where that would change what it means.
fn without(text: &str, error: &ParseError) -> Option<String> {
    let (before, at) = text.split_at_checked(error.at)?;
    let (fault, after) = at.split_at_checked(error.len)?;
    match error.message {
        Message::Reserved(_) => {
            let escape = escape::encode(fault.as_bytes(), &escape::UNRESERVED);
            Some(format!("{before}{escape}{after}"))
        }
        Message::TypeCase => Some(format!("{before}{}{after}", fault.to_ascii_lowercase())),
        Message::NoPort => Some(format!("{}{at}", before.strip_suffix(':')?)),
        // Only an http URL has a query to put a slash before.
        Message::HostChar(Stood::Char('?'))
            if Scheme::named(before.split_once(':')?.0) == Scheme::Http =>
        {
            Some(format!("{before}/{at}"))
        }
        Message::Expected(Stood::Char(_), _)
            if error.rule == "ip-schemepart" && before.eq_ignore_ascii_case("file:/") =>
        {
            Some(format!("{before}//{at}"))
        }
        _ => None,
    }
}
