//! What servers were found to do beside their protocol, until the program ends.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A departure of a server from its protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Quirk {
    /// Octet 255 in a command is taken as it is. Telnet, on which FTP is based, doubles it (RFC 854), but many servers
    /// do not undouble it.
    UnescapedOctet255,
    /// This command of FTP is not answered: the server, or a firewall before it, hangs up or says nothing.
    Unanswered(&'static str),
    /// TLS begins with the first octet, though the port is not the one for it.
    ImplicitTls,
    /// The server greets before TLS begins, though the URL asks for TLS.
    GreetsBeforeTls,
    /// Commands of NNTP that are sent together are lost, or answered out of step.
    LosesWindows,
}

/// The time for which a quirk holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum QuirkPeriod {
    /// Until the program ends.
    Always,
    /// For this number of requests, of those for which it was recorded last.
    Requests { left: u32, all: u32 },
}

/// The requests for which a quirk holds that a silence alone shows, the first time and at most.
const FIRST_REQUESTS: u32 = 32;
const MAX_REQUESTS: u32 = 4096;

/// The quirks of servers, by authority (`host:port`); a shared handle.
#[derive(Clone, Debug, Default)]
pub struct Quirks(Arc<Mutex<BTreeMap<(String, Quirk), QuirkPeriod>>>);

impl Quirks {
    /// Returns true if the server is known to have this quirk.
    pub fn contains(&self, authority: &str, quirk: Quirk) -> bool {
        let period = self.all().get(&key(authority, quirk)).copied();
        match period {
            Some(QuirkPeriod::Always) => true,
            Some(QuirkPeriod::Requests { left, .. }) => left > 0,
            None => false,
        }
    }

    /// Returns true if the server is known to have this quirk, and counts the request that asks.
    pub fn holds_for_request(&self, authority: &str, quirk: Quirk) -> bool {
        let holds = self.contains(authority, quirk);
        let mut all = self.all();
        if let Some(QuirkPeriod::Requests { left, .. }) = all.get_mut(&key(authority, quirk)) {
            *left = left.saturating_sub(1);
        }
        holds
    }

    /// Records a quirk, until the program ends.
    pub fn insert(&self, authority: &str, quirk: Quirk) {
        self.all()
            .insert(key(authority, quirk), QuirkPeriod::Always);
    }

    /// Records a quirk that a silence shows, for some requests, and each time for twice as many. A slow line is as
    /// silent as a server with the quirk: to take one for the other for good would cost each later request a round
    /// trip, and to try again costs the wait for a silence now and then.
    pub fn suspect(&self, authority: &str, quirk: Quirk) {
        let mut all = self.all();
        let period = all
            .entry(key(authority, quirk))
            .or_insert(QuirkPeriod::Requests { left: 0, all: 0 });
        if let QuirkPeriod::Requests { left, all } = period {
            *all = (*all * 2).clamp(FIRST_REQUESTS, MAX_REQUESTS);
            *left = *all;
        }
    }

    /// Forgets a quirk that proved to be something else.
    pub fn remove(&self, authority: &str, quirk: Quirk) {
        self.all().remove(&key(authority, quirk));
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<(String, Quirk), QuirkPeriod>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn key(authority: &str, quirk: Quirk) -> (String, Quirk) {
    (authority.to_ascii_lowercase(), quirk)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suspected_quirk_holds_for_more_requests_each_time() {
        let quirks = Quirks::default();
        let (host, quirk) = ("h:119", Quirk::LosesWindows);
        let requests = || {
            (0..=MAX_REQUESTS)
                .take_while(|_| quirks.holds_for_request(host, quirk))
                .count()
        };
        assert_eq!(requests(), 0);
        for expected in [32, 64, 128] {
            quirks.suspect(host, quirk);
            assert!(quirks.contains("H:119", quirk));
            assert_eq!(requests(), expected);
            assert!(!quirks.contains(host, quirk));
        }
        (0..20).for_each(|_| quirks.suspect(host, quirk));
        assert_eq!(requests(), MAX_REQUESTS as usize);
        quirks.insert(host, quirk);
        quirks.suspect(host, quirk);
        assert_eq!(requests(), MAX_REQUESTS as usize + 1);
    }
}
