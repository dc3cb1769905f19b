//! Checks of many URLs at the same time, within polite limits.

use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;

pub use super::queue::CheckLimits;
use super::queue::{CheckOutcome, CheckQueue, NextCheck};
use super::{LinkCheckResult, LinkStatus, check, host_key};
use crate::load::Request;
use crate::net::Net;

/// Checks each request, and reports each result as it comes, with the number of the request. All checks run in this
/// future: dropping it cancels them at once.
pub async fn all(
    net: &Net,
    requests: &[Request],
    limits: CheckLimits,
    mut report: impl FnMut(usize, LinkCheckResult),
) {
    let authorities: Vec<_> = requests.iter().map(host_key).collect();
    let mut queue = CheckQueue::new(&authorities, limits);
    let mut running = FuturesUnordered::new();
    loop {
        while let Some(next) = queue.next_check() {
            match next {
                NextCheck::Start(number) => {
                    if let Some(request) = requests.get(number) {
                        running.push(async move { (number, check(net, request).await) });
                    }
                }
                NextCheck::Skip(number, words) => {
                    let checked = LinkCheckResult {
                        verdict: LinkStatus::Unreachable(words),
                        took: Duration::ZERO,
                        is_answered: false,
                    };
                    report(number, checked);
                }
            }
        }
        let Some((number, checked)) = running.next().await else {
            return;
        };
        let how = match &checked.verdict {
            LinkStatus::Unreachable(words) if !checked.is_answered => CheckOutcome::NoAnswer(words),
            LinkStatus::Unreachable(_)
            | LinkStatus::Alive
            | LinkStatus::Moved(_)
            | LinkStatus::Dead(_)
            | LinkStatus::Refused(_)
            | LinkStatus::NotChecked(_) => CheckOutcome::Answered,
        };
        queue.finish(number, how);
        report(number, checked);
    }
}
