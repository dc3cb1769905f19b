//! What servers were found to do beside their protocol, until the program ends.

use std::collections::BTreeSet;
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

/// The quirks of servers, by authority (`host:port`); a shared handle.
#[derive(Clone, Debug, Default)]
pub struct Quirks(Arc<Mutex<BTreeSet<(String, Quirk)>>>);

impl Quirks {
    /// Returns true if the server is known to have this quirk.
    pub fn contains(&self, authority: &str, quirk: Quirk) -> bool {
        self.all()
            .contains(&(authority.to_ascii_lowercase(), quirk))
    }

    /// Records a quirk, until the program ends.
    pub fn insert(&self, authority: &str, quirk: Quirk) {
        self.all().insert((authority.to_ascii_lowercase(), quirk));
    }

    /// Forgets a quirk that proved to be something else.
    pub fn remove(&self, authority: &str, quirk: Quirk) {
        self.all().remove(&(authority.to_ascii_lowercase(), quirk));
    }

    fn all(&self) -> MutexGuard<'_, BTreeSet<(String, Quirk)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
