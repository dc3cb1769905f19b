//! Jobs over the URLs of bookmarks: each URL once, whatever number of bookmarks has it.

use std::collections::HashMap;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use geomys_load::Request;
use geomys_load::check::{JobLimits, UrlJob, run_jobs};
use geomys_wire::net::Net;
use rfc1738::Url;

use super::checks::UrlKey;

/// A URL of a job, and the bookmarks that have it.
#[derive(Debug)]
pub struct UrlTarget {
    /// Key of the URL.
    pub key: UrlKey,
    /// Request for the URL.
    pub request: Request,
    /// Indices of the bookmarks; at least one.
    pub items: Vec<usize>,
}

/// Returns one target for each key, in the order of the bookmarks: `urls` are their indices and URLs.
pub fn targets(
    urls: impl Iterator<Item = (usize, Url)>,
    key: impl Fn(&Url) -> UrlKey,
    request: impl Fn(Url) -> Request,
) -> Vec<UrlTarget> {
    let mut targets: Vec<UrlTarget> = Vec::new();
    let mut numbers: HashMap<UrlKey, usize> = HashMap::new();
    for (item, url) in urls {
        let key = key(&url);
        let number = *numbers.entry(key.clone()).or_insert(targets.len());
        match targets.get_mut(number) {
            Some(target) => target.items.push(item),
            None => targets.push(UrlTarget {
                key,
                request: request(url),
                items: vec![item],
            }),
        }
    }
    targets
}

/// Runs a job on each target, and reports each outcome as it comes. Dropping this future cancels all of them at once.
pub fn run_on_targets<'a, J: UrlJob + 'a>(
    kind: J,
    net: &'a Net,
    targets: &'a [UrlTarget],
    limits: JobLimits,
    report: &'a mut (dyn FnMut(&UrlTarget, J::Outcome) + Send),
) -> BoxFuture<'a, ()> {
    let running = async move {
        let requests = targets.iter().map(|target| &target.request);
        let mut on_outcome = |number: usize, outcome| {
            if let Some(target) = targets.get(number) {
                report(target, outcome);
            }
        };
        run_jobs(kind, net, requests, limits, &mut on_outcome).await;
    };
    running.boxed()
}

#[cfg(test)]
mod tests {
    use geomys_load::Reason;
    use proptest::prelude::*;
    use rfc1738::Dialect;

    use super::*;

    proptest! {
        #[test]
        fn each_bookmark_is_in_one_target_and_each_url_comes_once(
            numbers in proptest::collection::vec(0_u8..9, 0..40),
        ) {
            let parse = |text: &str| Dialect::Extended.parse(text).unwrap();
            let url = |number: &u8| parse(&format!("gopher://h.example/0/{number}"));
            let urls = numbers.iter().map(url).enumerate();
            let targets = targets(urls, UrlKey::of, |url| Request::show(url, Reason::Bookmark));
            let firsts: Vec<usize> = targets.iter().map(|target| target.items[0]).collect();
            prop_assert!(firsts.is_sorted(), "the order of the bookmarks: {firsts:?}");
            let mut items = Vec::new();
            for target in &targets {
                prop_assert!(target.items.is_sorted());
                for &item in &target.items {
                    prop_assert_eq!(UrlKey::of(&url(&numbers[item])), target.key.clone());
                    items.push(item);
                }
            }
            items.sort_unstable();
            prop_assert_eq!(items, (0..numbers.len()).collect::<Vec<_>>());
            let different: std::collections::BTreeSet<u8> = numbers.into_iter().collect();
            prop_assert_eq!(targets.len(), different.len());
        }
    }
}
