//! Whether the network is down: there is no route, or two unrelated hosts were not resolved one after the other. One
//! host is no evidence: it may not exist. Any answer shows that the network is there, also a refusal.

use std::fmt;
use std::io::ErrorKind;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use super::NetError;

/// The number of labels that related hosts share.
const SITE_LABELS: usize = 2;

/// The judgement of the direct connections of a [`super::Net`], reported when it changes.
pub struct Reachability {
    state: Mutex<State>,
    report: Box<dyn Fn(bool) + Send + Sync>,
}

#[derive(Debug, Default)]
struct State {
    is_down: bool,
    /// The site of the host that was not resolved since the last answer.
    unresolved: Option<String>,
}

/// What the end of an attempt to connect tells about the network.
#[derive(Debug, PartialEq, Eq)]
enum Evidence {
    /// A host has answered.
    Answer,
    /// There is no route to any host.
    NoRoute,
    /// A host of this site was not resolved.
    Unresolved(String),
    /// Nothing.
    Neither,
}

impl fmt::Debug for Reachability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reachability")
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}

impl Reachability {
    /// Creates the judgement of a network that works; `report` is called with true when it is down, also after each
    /// further attempt that confirms it, and with false when a host answers again.
    pub fn new(report: impl Fn(bool) + Send + Sync + 'static) -> Self {
        Self {
            state: Mutex::default(),
            report: Box::new(report),
        }
    }

    /// Takes the end of an attempt to connect.
    pub(super) fn note<T>(&self, connected: &Result<T, NetError>) {
        let evidence = Evidence::of(connected.as_ref().err());
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(is_down) = state.judge(evidence) {
            drop(state);
            (self.report)(is_down);
        }
    }
}

impl State {
    /// Returns what is to be reported after an attempt.
    fn judge(&mut self, evidence: Evidence) -> Option<bool> {
        match evidence {
            Evidence::Neither => return None,
            Evidence::Answer => {
                self.unresolved = None;
                return std::mem::take(&mut self.is_down).then_some(false);
            }
            Evidence::NoRoute => self.is_down = true,
            Evidence::Unresolved(site) => match &self.unresolved {
                Some(other) => self.is_down |= *other != site,
                None => self.unresolved = Some(site),
            },
        }
        self.is_down.then_some(true)
    }
}

impl Evidence {
    fn of(error: Option<&NetError>) -> Self {
        match error {
            None | Some(NetError::Refused { .. }) => Self::Answer,
            Some(NetError::HostNotFound { host, .. }) => match host.parse::<IpAddr>() {
                Ok(_) => Self::Neither,
                Err(_) => Self::Unresolved(site(host)),
            },
            Some(NetError::Io { source, .. })
                if matches!(
                    source.kind(),
                    ErrorKind::NetworkUnreachable | ErrorKind::NetworkDown
                ) =>
            {
                Self::NoRoute
            }
            Some(_) => Self::Neither,
        }
    }
}

/// Returns the last labels of a host, which related hosts share.
fn site(host: &str) -> String {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    let mut labels: Vec<&str> = host.rsplit('.').take(SITE_LABELS).collect();
    labels.reverse();
    labels.join(".")
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    /// What is reported after attempts that ended like this: a host was not found, refused (`-`), or had no route
    /// (`!`).
    fn reports(attempts: &[&str]) -> Vec<Option<bool>> {
        let mut state = State::default();
        let ends = attempts.iter().map(|host| match *host {
            "-" => NetError::Refused {
                authority: String::new(),
            },
            "!" => NetError::io("h:70", io::ErrorKind::NetworkUnreachable.into()),
            "?" => NetError::io("h:70", io::ErrorKind::HostUnreachable.into()),
            host => NetError::HostNotFound {
                host: host.to_owned(),
                source: io::ErrorKind::NotFound.into(),
            },
        });
        ends.map(|error| state.judge(Evidence::of(Some(&error))))
            .collect()
    }

    #[test]
    fn two_unrelated_hosts_without_an_address_are_an_outage_and_one_is_none() {
        let (none, down, up) = (None, Some(true), Some(false));
        assert_eq!(
            reports(&["a.example", "A.example.", "b.a.example"]),
            [none; 3]
        );
        assert_eq!(reports(&["a.example", "b.example"]), [none, down]);
        assert_eq!(
            reports(&["a.example", "-", "b.example"]),
            [none; 3],
            "one has answered between them"
        );
        assert_eq!(
            reports(&["a.example", "b.example", "b.example", "-", "-", "b.example"]),
            [none, down, down, up, none, none]
        );
    }

    #[test]
    fn missing_route_is_an_outage_at_once_and_one_unreachable_host_is_none() {
        assert_eq!(reports(&["?", "?", "!"]), [None, None, Some(true)]);
    }
}
