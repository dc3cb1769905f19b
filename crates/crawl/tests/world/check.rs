//! Checks of the test world.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use geomys_crawl::site::check::{PageLint, SiteCheck, SiteCheckOptions, SiteFault};
use geomys_crawl::tree::NameFilter;
use geomys_load::Request;
use geomys_wire::net::Net;
use rfc1738::Dialect;

use super::answer::{Sent, number, path};
use super::fault::{Fault, Rules, Wire, World};
use super::server::{Asked, Server};
use super::{closure, linked};

/// What a check has found.
struct Ended {
    error: Option<String>,
    faults: Vec<SiteFault>,
    unread: usize,
    log: Vec<Asked>,
}

impl Ended {
    /// The exit status is 0.
    fn is_well(&self) -> bool {
        let is_wrong = self.faults.iter().any(|fault| fault.kind.is_wrong());
        self.error.is_none() && self.unread == 0 && !is_wrong
    }
}

async fn check(server: &Server, pages: usize) -> Ended {
    let net = Net::default();
    let exclude = NameFilter {
        exclude: vec!["excepted*".to_owned()],
        ..NameFilter::default()
    };
    let options = SiteCheckOptions {
        request: &Request::show,
        lint: PageLint::Off,
        ignores_robots: false,
        is_recursive: true,
        pages,
        pause: Duration::from_secs(2),
        exclude: (Vec::new(), exclude),
    };
    let url = Dialect::Extended.parse(&server.url("/")).unwrap();
    let mut check = SiteCheck::new(&net, &url, options).unwrap();
    server.take_log();
    let error = check.run(&mut |_, _| {}).await.err();
    Ended {
        error: error.map(|error| error.to_string()),
        faults: check.faults(),
        unread: check.pages().1,
        log: server.take_log(),
    }
}

/// Law 2: nothing that a rule forbids is requested.
fn judge_rules(server: &Server, log: &[Asked]) {
    let rules = server.phase().rules;
    let asked = |name: &str| log.iter().any(|asked| asked.path.starts_with(name));
    assert!(!asked("/excepted"), "{log:?}");
    let is_known = matches!(rules, Rules::Hidden | Rules::Marked);
    assert!(!is_known || !asked("/hidden"), "{log:?}");
    let is_nothing =
        rules == Rules::Missing || server.wire == Wire::Gopher && rules == Rules::Broken;
    let pages = log.iter().filter(|asked| number(&asked.path).is_some());
    assert!(is_known || is_nothing || pages.count() == 0, "{log:?}");
}

/// Law 3: each page that a page which came leads to was requested, or the run is not well; and it is well only if every
/// page came.
fn judge_count(server: &Server, ended: &Ended) {
    let whole: BTreeMap<usize, &Vec<u8>> = ended
        .log
        .iter()
        .filter_map(|asked| match &asked.sent {
            Sent::Whole(octets) => Some((number(&asked.path)?, octets)),
            _ => None,
        })
        .collect();
    let links = |page: usize| {
        whole
            .get(&page)
            .map(|page| linked(page))
            .unwrap_or_default()
    };
    let known = closure(links, 99);
    let asked: BTreeSet<usize> = ended
        .log
        .iter()
        .filter_map(|asked| number(&asked.path))
        .collect();
    let missed: Vec<&usize> = known.difference(&asked).collect();
    let what = format!(
        "{:?} {} {:?} {:?}",
        ended.faults,
        ended.unread,
        ended.log,
        server.phase()
    );
    assert!(
        !ended.is_well() || missed.is_empty(),
        "{missed:?} not asked: {what}"
    );
    for asked in &ended.log {
        let Some(page) = number(&asked.path).filter(|page| *page > 0) else {
            continue;
        };
        let path = path(page);
        let is_told = ended.faults.iter().any(|fault| {
            let mut urls = fault.target.iter().chain(&fault.page);
            urls.any(|url| url.as_str().ends_with(&path))
        });
        let is_target = server.phase().faults.iter().any(
            |fault| matches!(fault, Fault::Moved(to) | Fault::MovedForGood(to) if *to == page),
        );
        let is_search = server.phase().faults[page] == Fault::AsksForWords;
        let is_bad = !is_search && matches!(asked.sent, Sent::Nothing | Sent::Gone);
        let came = whole.contains_key(&page);
        assert!(
            !is_bad || is_told || is_target || came,
            "nothing is said of {path}: {what}"
        );
    }
}

/// Law 5: one link, one request, and once more what was not reached; each fault once at a place.
fn judge_requests(ended: &Ended) {
    let mut requests: BTreeMap<&str, usize> = BTreeMap::new();
    for asked in &ended.log {
        *requests.entry(&asked.path).or_default() += 1;
    }
    for (path, count) in requests {
        let redirects = ended
            .log
            .iter()
            .filter(|asked| asked.sent == Sent::Redirect)
            .count();
        let most = if path.ends_with("robots.txt") {
            1
        } else {
            4 + redirects
        };
        assert!(
            count <= most,
            "{path} was asked for {count} times: {:?}",
            ended.log
        );
    }
    let mut places = BTreeSet::new();
    for fault in &ended.faults {
        let url = |url: &Option<rfc1738::Url>| url.as_ref().map(|url| url.as_str().to_owned());
        let place = (
            url(&fault.page),
            fault.row,
            url(&fault.target),
            fault.kind.name(),
        );
        let shown = format!("{place:?}");
        assert!(
            places.insert(place),
            "{shown} stands twice: {:?}",
            ended.faults
        );
    }
}

/// Runs checks of a world, and judges them by the laws.
pub async fn judge(world: &World) {
    let server = Server::start(world.wire, world.now.clone()).await;
    for phase in [world.now.clone(), world.later.clone(), world.now.healed()] {
        server.set(&phase);
        let ended = check(&server, 1000).await;
        judge_rules(&server, &ended.log);
        judge_count(&server, &ended);
        judge_requests(&ended);
    }
    // The last one is well, unless not all of it was read.
    let ended = check(&server, 1000).await;
    let wrong: Vec<&SiteFault> = ended
        .faults
        .iter()
        .filter(|fault| fault.kind.is_wrong())
        .collect();
    let is_missing = |fault: &&&SiteFault| {
        let target = fault.target.as_ref();
        target.is_none_or(|target| !target.as_str().ends_with("/search"))
    };
    assert_eq!(wrong.iter().filter(is_missing).count(), 0, "{wrong:?}");
    let pages = closure(|page| world.now.links[page].clone(), 99).len();
    let few = check(&server, 1).await;
    assert!(pages == 1 || few.unread > 0 && !few.is_well());
}
