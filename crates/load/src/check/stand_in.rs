//! Pages that stand for many others: where a server sends all who ask for what it has no more, or only for members.

use std::collections::BTreeSet;

use rfc1738::Url;

use super::LinkStatus;

/// Words that are a part of the host or of the path of a page about a login or a consent, in lower case.
const GATES: [&str; 17] = [
    "login", "logon", "log-in", "signin", "sign-in", "signup", "register", "sso", "auth", "oauth",
    "account", "accounts", "consent", "cookies", "captcha", "404", "notfound",
];

/// Names of the page that a server sends for a directory, in lower case.
const INDEX_PAGES: [&str; 7] = [
    "index.html",
    "index.htm",
    "index.php",
    "index.gmi",
    "index.gemini",
    "default.htm",
    "default.html",
];

/// Returns true for the name of a page that a server sends for a directory, in any case.
pub fn is_index_page(name: &str) -> bool {
    let mut names = INDEX_PAGES.iter();
    names.any(|index| index.eq_ignore_ascii_case(name))
}

/// Names of the id of a session, in lower case.
const SESSIONS: [&str; 6] = [
    "jsessionid=",
    "phpsessid=",
    "sessionid=",
    "session_id=",
    "aspsessionid",
    "sid=",
];

impl LinkStatus {
    /// Returns true for a page at this URL that has moved to one that stands for many.
    pub fn is_perhaps_gone(&self, from: &Url) -> bool {
        matches!(self, Self::Moved(to) if stands_for_many(from, to))
    }
}

/// Returns true if the shape of the new URL is that of a page that stands for many: the root of the server, a login or
/// a consent, a page that has the old URL in its query, or the id of a session.
pub fn stands_for_many(from: &Url, to: &Url) -> bool {
    let [old, new] = [from, to].map(|url| url.path().unwrap_or_default().to_ascii_lowercase());
    let (path, query) = new.split_once('?').unwrap_or((&new, ""));
    let is_top = |path: &str| path.is_empty() || is_index_page(path);
    let is_root = is_top(path) && !is_top(&old);
    let parts = |host: &Url, path: &str| -> BTreeSet<String> {
        let host = host.base_parts().address().map(|address| address.node());
        let host = host.unwrap_or_default().to_ascii_lowercase();
        let words = [host.as_str(), path].map(|text| {
            let parts = text.split(['/', '.', '?', '&', '=', ';', '_']);
            // `log-in` is a word, and `user-login` has one; a longer part is a title.
            parts.flat_map(|part| {
                let halves = part.split('-').filter(|_| part.matches('-').count() < 2);
                halves.chain([part])
            })
        });
        words.into_iter().flatten().map(str::to_owned).collect()
    };
    let (before, after) = (parts(from, &old), parts(to, path));
    let is_gate = GATES
        .iter()
        .any(|gate| after.contains(*gate) && !before.contains(*gate));
    let holds_old = !old.is_empty() && {
        let name = from.as_str().to_ascii_lowercase();
        let rest = name
            .split_once("://")
            .map_or(name.as_str(), |(_, rest)| rest);
        let encoded = rest.replace('/', "%2f");
        query.contains(rest) || query.contains(&encoded) || query.contains(&old.replace('/', "%2f"))
    };
    let has_session = SESSIONS
        .iter()
        .any(|session| new.contains(session) && !old.contains(session));
    is_root || is_gate || holds_old || has_session
}
