//! Answers of the hosts of a run: a network that is down reaches none, and that of a hotel answers for all.

use std::collections::{HashMap, HashSet};

use geomys_page::load::check::host_key;
use geomys_page::load::{Reason, Request};

use super::page::FetchedPage;
use super::report::EarlyEnd;
use super::run::SyncRun;

/// Number of hosts that are not reached, and none other is, after which the network counts as down.
const LOST_HOSTS: usize = 3;

/// Number of hosts that redirect to one, and none other answers, which is no chance.
const REDIRECTED_HOSTS: usize = 2;

/// Answers of the hosts.
#[derive(Default)]
pub(super) struct HostAnswers {
    /// True if a host has answered by itself.
    pub(super) is_online: bool,
    pub(super) unreachable: HashSet<String>,
    /// Hosts that redirect to another, with that.
    pub(super) redirected: HashMap<String, String>,
}

impl HostAnswers {
    /// Returns the host to which all hosts redirect.
    pub(super) fn captor(&self) -> Option<&String> {
        let first = self.redirected.values().next()?;
        let is_same = self.redirected.values().all(|target| target == first);
        let is_all = !self.is_online && self.redirected.len() >= REDIRECTED_HOSTS;
        (is_same && is_all).then_some(first)
    }

    /// Returns true if several hosts were not reached, and none has answered.
    pub(super) fn is_lost(&self) -> bool {
        let is_first = !self.is_online && self.redirected.is_empty();
        is_first && self.unreachable.len() >= LOST_HOSTS
    }
}

impl SyncRun<'_> {
    /// Notes that a page did not come.
    pub(super) fn note_absence(&mut self, host: String, is_unreachable: bool) {
        if !is_unreachable {
            self.hosts.is_online = true;
            return;
        }
        self.hosts.unreachable.insert(host);
        if self.hosts.is_lost() || (self.options.is_down)() {
            self.stop(EarlyEnd::Offline);
        }
    }
}

/// Returns the host of a page to which another host has redirected.
pub(super) fn other_host(page: &FetchedPage, host: &str) -> Option<String> {
    let url = page.head.url.as_ref()?;
    let (_, target) = host_key(&Request::show(url.clone(), Reason::Bookmark))?;
    (target != host).then_some(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn network_that_redirects_all_hosts_to_one_is_known() {
        let mut hosts = HostAnswers::default();
        let mut redirect = |host: &str, target: &str| {
            hosts.redirected.insert(host.to_owned(), target.to_owned());
            hosts.captor().cloned()
        };
        assert_eq!(
            redirect("a.example", "login.example"),
            None,
            "one may have moved"
        );
        let captor = Some("login.example".to_owned());
        assert_eq!(redirect("b.example", "login.example"), captor);
        assert_eq!(redirect("c.example", "other.example"), None);
        hosts.redirected.remove("c.example");
        hosts.is_online = true;
        assert_eq!(hosts.captor(), None, "a host has answered by itself");
    }
}
