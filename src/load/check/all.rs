//! Many URLs, checked at once as far as is polite.

use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;

pub use super::queue::AtOnce;
use super::queue::{Ended, Queue, Turn};
use super::{Checked, Verdict, check, place_of};
use crate::load::Request;
use crate::net::Net;

/// Checks what each request is for, and tells each verdict as it comes, by the request's number. All of them run in this
/// future: dropping it stops them at once.
pub async fn all(
    net: &Net,
    requests: &[Request],
    at_once: AtOnce,
    mut hear: impl FnMut(usize, Checked),
) {
    let places: Vec<_> = requests.iter().map(place_of).collect();
    let mut queue = Queue::new(&places, at_once);
    let mut asking = FuturesUnordered::new();
    loop {
        while let Some(turn) = queue.turn() {
            match turn {
                Turn::Ask(number) => {
                    if let Some(request) = requests.get(number) {
                        asking.push(async move { (number, check(net, request).await) });
                    }
                }
                Turn::Silent(number, words) => {
                    let checked = Checked {
                        verdict: Verdict::NoAnswer(words),
                        took: Duration::ZERO,
                        is_heard: false,
                    };
                    hear(number, checked);
                }
            }
        }
        let Some((number, checked)) = asking.next().await else {
            return;
        };
        let how = match &checked.verdict {
            Verdict::NoAnswer(words) if !checked.is_heard => Ended::Silent(words),
            Verdict::NoAnswer(_)
            | Verdict::Alive
            | Verdict::Moved(_)
            | Verdict::Gone(_)
            | Verdict::Refused(_)
            | Verdict::Unasked(_) => Ended::Answered,
        };
        queue.ended(number, how);
        hear(number, checked);
    }
}
