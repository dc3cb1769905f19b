//! Windows in which articles are sent for: as many as are under way on a connection.

use std::collections::HashMap;

use geomys_wire::net::authority;
use geomys_wire::protocol::nntp::ARTICLES_AHEAD;
use rfc1738::{GroupPart, News, Nntp, Parts, Range, Url};

use super::endpoint::server;
use crate::Request;

/// Tells each request for an article of a group which ones follow it on its connection, so that they are sent for in
/// windows. The requests to a server are to be made one after the other, in this order.
pub fn announce_articles<'r>(requests: impl DoubleEndedIterator<Item = &'r mut Request>) {
    // For each server the group of the following requests, and their numbers in reverse.
    let mut following: HashMap<String, (Vec<u8>, Vec<u64>)> = HashMap::new();
    for request in requests.rev() {
        let Some(server) = server(request) else {
            continue;
        };
        let server = authority(&server.host, server.port);
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
    let (group, number) = match url.base_parts() {
        Parts::Nntp(Nntp { group, number, .. }) => (group, number?),
        Parts::News(News {
            part: GroupPart::Articles(group, Range::One(number)),
            ..
        }) => (group, number),
        _ => return None,
    };
    Some((group.octets().into(), number.parse().ok()?))
}
