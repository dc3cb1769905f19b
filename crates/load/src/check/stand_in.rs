//! Pages that stand for many others: where a server sends all who ask for what it has no more, or only for members.

use std::collections::BTreeSet;

use rfc1738::Url;

/// Words that are a part of the path of a page about a login or a consent, in lower case.
const GATES: [&str; 12] = [
    "login", "log-in", "signin", "sign-in", "sso", "auth", "oauth", "account", "consent",
    "cookies", "captcha", "404",
];

/// Names of the id of a session, in lower case.
const SESSIONS: [&str; 6] = [
    "jsessionid=",
    "phpsessid=",
    "sessionid=",
    "session_id=",
    "aspsessionid",
    "sid=",
];

/// Returns true if the shape of the new URL is that of a page that stands for many: the root of the server, a login or
/// a consent, a page that has the old URL in its query, or the id of a session.
pub fn stands_for_many(from: &Url, to: &Url) -> bool {
    let [old, new] = [from, to].map(|url| url.path().unwrap_or_default().to_ascii_lowercase());
    let (path, query) = new.split_once('?').unwrap_or((&new, ""));
    let is_root = path.is_empty() && !old.is_empty();
    let parts = |path: &str| -> BTreeSet<String> {
        let parts = path.split(['/', '.', '?', '&', '=', ';']);
        parts.map(str::to_owned).collect()
    };
    let (before, after) = (parts(&old), parts(path));
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
