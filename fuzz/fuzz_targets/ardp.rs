//! Octets as datagrams of ARDP, each after its length, and as the Prospero reply in them.

#![no_main]

use geomys_fuzz::split;
use geomys_wire::protocol::prospero::ProsperoReply;
use geomys_wire::protocol::prospero::ardp::{self, DatagramResult, Exchange};

geomys_fuzz::target!(|octets: &[u8]| {
    let (how, mut rest) = split(octets);
    if how & 1 == 0 {
        if let Some(answer) = ProsperoReply::parse(rest) {
            assert!(answer.links.len() <= rest.len());
        }
        return;
    }
    let mut exchange = Exchange::new(0);
    let mut received = 0;
    while let Some((&length, after)) = rest.split_first() {
        let (datagram, after) = after.split_at(usize::from(length).min(after.len()));
        rest = after;
        received += datagram.len();
        if let DatagramResult::Whole(text) = exchange.receive(datagram) {
            assert!(text.len() <= received, "no more than what has come");
        }
        exchange.acknowledgement();
    }
    let request = ardp::packets(7, octets);
    let sent: usize = request
        .iter()
        .filter_map(|packet| ardp::parse(packet))
        .map(|(_, payload)| payload.len())
        .sum();
    assert_eq!(sent, octets.len(), "a request goes out whole");
});
