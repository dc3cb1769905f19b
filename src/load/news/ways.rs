//! How news servers are spoken to, as a person has set it.

use std::sync::Arc;

use crate::load::Upgrade;

/// What settings.toml says of news.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewsWays {
    /// Whether a plain connection becomes one over TLS (STARTTLS). A password is never sent before it has where a server
    /// offers it, whatever is set.
    pub tls: Upgrade,
    /// The same, for hosts by name in lower case, without a port.
    pub tls_by_host: Vec<(String, Upgrade)>,
    /// The headers of an article that are shown, in their order; none for the usual ones.
    pub headers: Arc<[String]>,
}

impl NewsWays {
    /// What is set for `host`.
    pub(super) fn upgrade(&self, host: &str) -> Upgrade {
        let host = host.trim_end_matches('.');
        let mut hosts = self.tls_by_host.iter();
        let found = hosts.find(|(known, _)| known.eq_ignore_ascii_case(host));
        found.map_or(self.tls, |(_, upgrade)| *upgrade)
    }
}
