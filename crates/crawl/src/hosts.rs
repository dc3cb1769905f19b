//! Answers of the hosts of a run: those that are silent are left, a network that is down reaches none, and that of a
//! hotel answers for all.

use std::collections::{HashMap, HashSet};

use geomys_load::{FailureCause, Stop};

/// Number of requests in a row without an answer after which a host is left for the run.
const SILENT: usize = 2;

/// Number of hosts without a way to them, and none other has answered, after which the network is down.
const LOST_HOSTS: usize = 3;

/// Number of hosts that redirect to one address, and did not before, which is no chance.
const CAPTIVES: usize = 3;

/// Returns what the early end of a load shows of its server; `None` if nobody was asked.
pub(crate) fn cause_of(stop: &Stop) -> Option<FailureCause> {
    match stop {
        Stop::Failed(failure) => Some(failure.cause),
        Stop::Truncated(0) => None,
        Stop::Needs(_) | Stop::Truncated(_) => Some(FailureCause::Server),
        Stop::Closed => Some(FailureCause::Silence),
    }
}

/// Answers of the hosts.
#[derive(Debug, Default)]
pub(crate) struct HostAnswers {
    /// True if a host has answered, even with a refusal.
    has_answer: bool,
    /// Hosts to which the system knows no way.
    lost: HashSet<String>,
    /// Requests in a row that a server, `host:port`, has not answered: another port of its host may answer.
    silent: HashMap<String, usize>,
    /// Hosts that redirect to an address.
    redirects: HashMap<String, HashSet<String>>,
}

impl HostAnswers {
    /// Notes what a request to a server has shown; `None` if none was sent.
    pub(crate) fn note(&mut self, (server, host): (&str, &str), cause: Option<FailureCause>) {
        match cause {
            None | Some(FailureCause::Local) => {}
            Some(FailureCause::NoNetwork) => {
                self.lost.insert(host.to_owned());
            }
            Some(FailureCause::Silence) => {
                *self.silent.entry(server.to_owned()).or_default() += 1;
            }
            Some(FailureCause::Server) => {
                self.has_answer = true;
                self.silent.remove(server);
            }
        }
    }

    /// Returns true if a server is left for the run.
    pub(crate) fn is_silent(&self, server: &str) -> bool {
        self.silent
            .get(server)
            .is_some_and(|times| *times >= SILENT)
    }

    /// Leaves a server for the run.
    pub(crate) fn leave(&mut self, server: &str) {
        self.silent.insert(server.to_owned(), SILENT);
    }

    /// Returns true if the system has no way to several hosts, and none other has answered.
    pub(crate) fn is_network_down(&self) -> bool {
        !self.has_answer && self.lost.len() >= LOST_HOSTS
    }

    /// Returns true if the system had no way to any host that was asked.
    pub(crate) fn is_offline(&self) -> bool {
        !self.has_answer && !self.lost.is_empty() && self.silent.is_empty()
    }

    /// Notes that a host redirects to an address, and did not before.
    pub(crate) fn redirect(&mut self, to: &str, host: &str) {
        let hosts = self.redirects.entry(to.to_owned()).or_default();
        hosts.insert(host.to_owned());
    }

    /// Returns the number of hosts for which a network answers with an address; `None` if it is an address as others.
    pub(crate) fn captives(&self, to: &str) -> Option<usize> {
        let hosts = self.redirects.get(to).map_or(0, HashSet::len);
        (hosts >= CAPTIVES).then_some(hosts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn network_is_down_only_if_the_system_says_so_of_three_hosts() {
        let mut hosts = HostAnswers::default();
        for host in ["a", "b", "a"] {
            hosts.note((host, host), Some(FailureCause::NoNetwork));
        }
        assert!(hosts.is_offline() && !hosts.is_network_down());
        hosts.note(("c", "c"), Some(FailureCause::NoNetwork));
        assert!(hosts.is_network_down());
        hosts.note(("d", "d"), Some(FailureCause::Server));
        assert!(!hosts.is_network_down() && !hosts.is_offline());
    }

    #[test]
    fn host_that_was_silent_twice_is_left_until_it_answers() {
        let mut hosts = HostAnswers::default();
        hosts.note(("a:1", "a"), Some(FailureCause::Silence));
        assert!(!hosts.is_silent("a:1"));
        hosts.note(("a:1", "a"), Some(FailureCause::Silence));
        assert!(hosts.is_silent("a:1") && !hosts.is_silent("a:2"));
        hosts.note(("a:1", "a"), Some(FailureCause::Server));
        assert!(!hosts.is_silent("a:1"));
    }

    #[test]
    fn address_to_which_three_hosts_redirect_is_one_of_the_network() {
        let mut hosts = HostAnswers::default();
        for host in ["a", "b", "b"] {
            hosts.redirect("http://login.example/", host);
        }
        assert_eq!(hosts.captives("http://login.example/"), None);
        hosts.redirect("http://login.example/", "c");
        assert_eq!(hosts.captives("http://login.example/"), Some(3));
        assert_eq!(hosts.captives("http://other.example/"), None);
    }
}
