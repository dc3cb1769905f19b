//! Windows in which the articles of a group are sent for: as many as are under way on a connection.

use std::collections::HashMap;

use geomys_load::Request;
use geomys_load::check::host_key;
use geomys_wire::protocol::nntp::ARTICLES_AHEAD;
use rfc1738::{Parts, Url};

/// Number of articles of a group that are fetched in its turn: each turn costs a GROUP.
pub(super) const ARTICLES_A_TURN: usize = 100;

/// Tells each request for an article of a group which ones follow it on its connection, so that they are sent for in
/// windows. The requests to a server are made in their order.
pub(super) fn announce_articles(requests: &mut [Request]) {
    // For each server the group of the following requests, and their numbers in reverse.
    let mut following: HashMap<String, (Vec<u8>, Vec<u64>)> = HashMap::new();
    for request in requests.iter_mut().rev() {
        let Some((server, _)) = host_key(request) else {
            continue;
        };
        let Some((group, number)) = article_number(&request.url) else {
            following.remove(&server);
            continue;
        };
        let (last, numbers) = following.entry(server).or_default();
        if *last != group {
            (*last, *numbers) = (group, Vec::new());
        }
        let next = numbers.iter().rev().take(ARTICLES_AHEAD - 1);
        request.news_query.next_articles = next.copied().collect();
        numbers.push(number);
    }
}

/// Returns the group and the number of the article of a URL.
fn article_number(url: &Url) -> Option<(Vec<u8>, u64)> {
    let Parts::Nntp(nntp) = url.base_parts() else {
        return None;
    };
    Some((nntp.group.octets().into(), nntp.number?.parse().ok()?))
}
