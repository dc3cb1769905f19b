//! Repair: turns text that is nearly a URL into the URL that means the same (RFC 1738, section 2.2).
//!
//! Characters that must be encoded become escapes where they are; a wrapper and white space around the URL are
//! removed, and slips before the host are undone ([`slip`]). The letters of a host are never changed: a fault in them
//! has no repair.

use super::error::{Message, ParseError, Unexpected};
use super::escape::{self, XCHAR};
use super::fragment;
use super::scheme::{ExtensionScheme, Scheme};
use super::slip::{without_invisible, without_slips};
use super::typed::{bare, news_form};
use super::{Dialect, Url};

/// The nearest strict URL with the same meaning as `text`; a URL gives itself. `None` if there is none.
///
/// `~ { } | \ ^ [ ] " < >`, the grave accent, spaces, controls and non-ASCII characters (as UTF-8) become escapes, a
/// lone `%` becomes `%25`, and a fragment is removed. A reserved character
/// becomes an escape where its scheme uses it for something else. The colon of an empty port is removed, `;TYPE=`
/// becomes lower case, `http://h?x` and `file:/x` get the slashes of RFC 3986 and RFC 8089, and a WAIS document as
/// libwww wrote it gets the form of RFC 1738. No escape is encoded twice. A slip in the separator or in the dots of the
/// host (`http:/h`, `http;//h`, `//h`, `hxxp://h[.]org`) is undone, and a login is removed from a URL of the Web, which
/// has none.
///
/// ```
/// use rfc1738::repair;
///
/// let url = repair("gopher://h.example/0/a b.txt").unwrap();
/// assert_eq!(url.as_str(), "gopher://h.example/0/a%20b.txt");
/// ```
pub fn repair(text: &str) -> Option<Url> {
    let text = without_invisible(text);
    let armed = armed(text);
    let text = armed.as_deref().unwrap_or(text);
    let repaired = |text: &str| repaired_text(text, strict);
    let meant = || repaired(&without_slips(bare(text))?);
    repaired(text)
        .or_else(meant)
        .or_else(|| repaired(&without_web_login(bare(text))?))
}

/// The URL that was meant by one whose scheme was written so that nobody opens it by accident (`hxxp://h/`); `None` for
/// another text, and for a host that is disarmed too.
fn armed(text: &str) -> Option<String> {
    let bare = bare(text);
    let is_disarmed = bare
        .get(..4)
        .is_some_and(|scheme| scheme.eq_ignore_ascii_case("hxxp"));
    let url = is_disarmed.then(|| without_slips(bare)).flatten()?;
    Dialect::ExtendedByBase.parse(&url).is_ok().then_some(url)
}

/// `text` without the login of a URL of the Web; `None` if it has none.
fn without_web_login(text: &str) -> Option<String> {
    let (scheme, rest) = text
        .split_once("://")
        .filter(|(scheme, _)| is_web(scheme))?;
    let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
    let (authority, after) = rest.split_at_checked(end)?;
    let (_, host) = authority.rsplit_once('@')?;
    Some(format!("{scheme}://{host}{after}"))
}

/// Parses a URL of RFC 1738 that matches the production of its base scheme too.
fn strict(text: &str) -> Result<Url, ParseError> {
    Url::parse(text)?;
    Dialect::ExtendedByBase.parse(text)
}

/// The URL that a page means by `text`: the URL itself if [`Dialect::ExtendedByBase`] takes it, else the result of the
/// steps of [`repair`]; a login on the Web stays a fault, as what is opened must not lose it unseen. The URL may depart
/// from RFC 1738.
///
/// # Errors
/// The leftmost fault of `text`, where those steps lead to no URL.
///
/// ```
/// use rfc1738::parse_or_repair;
///
/// let url = parse_or_repair("https://h.example/a b#c").unwrap();
/// assert_eq!(url.as_str(), "https://h.example/a%20b#c");
/// assert_eq!(parse_or_repair("http://bad~host/").unwrap_err().at, "http://bad".len());
/// ```
pub fn parse_or_repair(text: &str) -> Result<Url, ParseError> {
    let text = without_invisible(text);
    Dialect::ExtendedByBase.parse(text).or_else(|error| {
        let slip = without_slips(bare(text));
        let text = slip.as_deref().unwrap_or(text);
        let news = || Dialect::ExtendedByBase.parse(&news_form(bare(text))?).ok();
        let (before, fragment) = fragment::split(bare(text));
        let repaired = repaired_text(before, |text| Dialect::ExtendedByBase.parse(text));
        let repaired = repaired.map(|url| match fragment {
            Some(fragment) => url.with_fragment(fragment),
            None => url,
        });
        repaired.or_else(news).ok_or(error)
    })
}

/// The longest text that is repaired, in octets. A page may hold many texts, and they are repaired while it is drawn.
const MAX_TEXT_BYTES: usize = 8 * 1024;

/// The highest number of repair steps for one text. Each step removes one fault.
const MAX_REPAIR_STEPS: usize = 64;

fn repaired_text(text: &str, parse: fn(&str) -> Result<Url, ParseError>) -> Option<Url> {
    let (text, _) = fragment::split(bare(text));
    let error = match parse(text) {
        Ok(url) => return Some(url),
        Err(error) => error,
    };
    if let Some(in_form) = Dialect::Extended
        .parse(text)
        .ok()
        .and_then(|url| url.in_rfc1738_form())
    {
        return parse(in_form.as_str()).ok();
    }
    let (name, rest) = text.split_once(':')?;
    if matches!(error.message, Message::NoScheme(_)) || text.len() > MAX_TEXT_BYTES {
        return None;
    }
    let (host, around) = host(without_brackets(name, rest))?;
    let [before, after] = around.map(|text| escape::escape_unencoded(text, &XCHAR));
    let mut repaired = format!("{name}:{before}{host}{after}");
    // Each step removes one fault and adds none.
    for _ in 0..=MAX_REPAIR_STEPS {
        match parse(&repaired) {
            Ok(url) => return Some(url),
            Err(error) => repaired = without_fault(&repaired, &error)?,
        }
    }
    None
}

/// Returns true for the schemes whose URLs have a query after the path.
fn has_query(scheme: &str) -> bool {
    let extension = ExtensionScheme::named(scheme);
    let has_query = [ExtensionScheme::Gemini, ExtensionScheme::Spartan];
    is_web(scheme) || extension.is_some_and(|scheme| has_query.contains(&scheme))
}

/// Returns true for `http` and `https`.
fn is_web(scheme: &str) -> bool {
    Scheme::named(scheme) == Scheme::Http
        || ExtensionScheme::named(scheme) == Some(ExtensionScheme::Https)
}

/// The URLs that `text`, which has a fragment, may mean: without the fragment, and with it as data (`%23`). An `@`
/// after the `#` gives none, because other programs read another host there.
///
/// ```
/// use rfc1738::repair_fragment;
///
/// let urls = repair_fragment("gopher://h.example/0/a#b");
/// let urls: Vec<_> = urls.iter().map(|url| url.as_str()).collect();
/// assert_eq!(urls, ["gopher://h.example/0/a", "gopher://h.example/0/a%23b"]);
/// ```
pub fn repair_fragment(text: &str) -> Vec<Url> {
    match text.split_once('#') {
        Some((before, fragment)) if !fragment.contains('@') => {
            let both = [before.to_owned(), text.replace('#', "%23")];
            both.iter().filter_map(|text| repair(text)).collect()
        }
        Some(_) | None => Vec::new(),
    }
}

/// The host and port after a scheme and its colon, with the text before and after them; a host must get no escapes.
/// `None` where other programs read another host: after a user that contains the start of a fragment, or of a path as
/// browsers read it.
fn host(rest: &str) -> Option<(&str, [&str; 2])> {
    if !rest.starts_with("//") {
        return Some(("", [rest, ""]));
    }
    let end = rest.get(2..).and_then(|rest| rest.find('/'));
    let end = end.map_or(rest.len(), |at| at + 2);
    let user = rest.get(..end).and_then(|login| login.rfind('@'));
    let start = user.map_or(2, |at| at + 1);
    let (before, authority) = rest.split_at_checked(start)?;
    if before.contains(|c: char| matches!(c, '#' | '\\') || c.is_control()) {
        return None;
    }
    let end = authority.find(['/', '?']).unwrap_or(authority.len());
    let (host, after) = authority.split_at_checked(end)?;
    Some((host, [before, after]))
}

/// Removes the angle brackets of a Message-ID, which it has in an article and never in a URL.
fn without_brackets<'a>(scheme: &str, rest: &'a str) -> &'a str {
    let inside = rest.strip_prefix('<').and_then(|id| id.strip_suffix('>'));
    let news = Scheme::named(scheme) == Scheme::News;
    inside.filter(|_| news).unwrap_or(rest)
}

/// The strict URL that `reference` means relative to `base`: a full URL or one without its scheme is repaired as by
/// [`repair`], a partial one gets its missing escapes. `None` if there is none.
///
/// ```
/// use rfc1738::{Url, repair_reference};
///
/// let base = Url::parse("http://h.example/a/b").unwrap();
/// let url = repair_reference("c d", &base).unwrap();
/// assert_eq!(url.as_str(), "http://h.example/a/c%20d");
/// ```
pub fn repair_reference(reference: &str, base: &Url) -> Option<Url> {
    let (reference, _) = fragment::split(bare(reference));
    // A partial URL may look like one with a slip: "ftp//a" is a path.
    let full = if reference.starts_with("//") {
        repaired_text(&format!("{}:{reference}", base.scheme_name()), strict)
    } else {
        repaired_text(reference, strict)
    };
    if full.is_some() {
        return full;
    }
    let url = base
        .resolve(&escape::escape_unencoded(reference, &XCHAR))
        .ok()?;
    url.verdict().is_ok().then_some(url)
}

/// Removes from `text` the one fault that `error` names. `None` if that would change the meaning.
fn without_fault(text: &str, error: &ParseError) -> Option<String> {
    let (before, at) = text.split_at_checked(error.at)?;
    let (fault, after) = at.split_at_checked(error.len)?;
    match error.message {
        Message::Reserved(_) => {
            let escape = escape::encode(fault.as_bytes(), &escape::UNRESERVED);
            Some(format!("{before}{escape}{after}"))
        }
        Message::TypeCase => Some(format!("{before}{}{after}", fault.to_ascii_lowercase())),
        Message::NoPort => Some(format!("{}{at}", before.strip_suffix(':')?)),
        // Only these URLs have a query that needs a slash before it.
        Message::HostChar(Unexpected::Char('?')) if has_query(before.split_once(':')?.0) => {
            Some(format!("{before}/{at}"))
        }
        Message::Expected(Unexpected::Char(_), _)
            if error.rule == "ip-schemepart" && before.eq_ignore_ascii_case("file:/") =>
        {
            Some(format!("{before}//{at}"))
        }
        _ => None,
    }
}
