//! ARDP, version 0: requests and replies over datagrams.
//!
//! ```text
//! packet = octet id number total through wait flags option payload
//!          ; the first octet is the version (2 bits) and the length of the header in octets, itself included; a header may
//!          ; end before any of the other fields: then the id is 0, and the packet is the first of one
//! ```
//!
//! Packets of a reply arrive in any order, may be lost or duplicated. Every sixteenth must be acknowledged, or the
//! server stops sending: an acknowledgement is a packet with number 0 that contains the number up to which all have
//! arrived.

use std::collections::BTreeMap;

/// The length of the header of a packet to send, in octets.
const HEADER: u8 = 9;

/// The most octets of payload in one packet.
const PAYLOAD: usize = 1250;

/// The longest accepted reply, in octets.
const MAX_REPLY_BYTES: usize = 16 * 1024 * 1024;

/// The most packets after the first missing one that are stored.
const AHEAD: u16 = 1024;

/// The largest first octet of a version 0 packet: larger octets come from servers older than ARDP.
const VERSION_0: u8 = 31;

const FLAG_ACKNOWLEDGE: u8 = 0x80;

const OPTION_REFUSED: u8 = 1;

/// The header of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArdpHeader {
    /// The id of the exchange.
    pub id: u16,
    /// The number of the packet, from 1; 0 is a control packet without payload.
    pub number: u16,
    /// The total number of packets; 0 if it is not given yet.
    pub total: u16,
    /// The number up to which all packets of the other side have arrived.
    pub through: u16,
    /// The seconds that the server requests to wait.
    pub wait: u16,
    /// The flags.
    pub flags: u8,
    /// The option.
    pub option: u8,
}

/// Parses a datagram into header and payload; `None` without a valid header.
pub fn parse(datagram: &[u8]) -> Option<(ArdpHeader, &[u8])> {
    let first = *datagram.first()?;
    if first > VERSION_0 || first == 0 {
        return None;
    }
    let (header, payload) = datagram.split_at_checked(usize::from(first))?;
    let pair = |at: usize| {
        let octets = header.get(at..at + 2)?.first_chunk()?;
        Some(u16::from_be_bytes(*octets))
    };
    let octet = |at: usize| header.get(at).copied().unwrap_or(0);
    let parsed = ArdpHeader {
        id: pair(1).unwrap_or(0),
        number: pair(3).unwrap_or(1),
        // A header without a number belongs to a single packet.
        total: pair(5).unwrap_or(u16::from(pair(3).is_none())),
        through: pair(7).unwrap_or(0),
        wait: pair(9).unwrap_or(0),
        flags: octet(11),
        option: octet(12),
    };
    Some((parsed, payload))
}

/// Splits a request into packets.
pub fn packets(id: u16, request: &[u8]) -> Vec<Vec<u8>> {
    let total = u16::try_from(request.len().div_ceil(PAYLOAD).max(1)).unwrap_or(u16::MAX);
    let chunks = request.chunks(PAYLOAD).zip(1_u16..);
    chunks
        .map(|(payload, number)| packet([id, number, total, 0], payload))
        .collect()
}

/// Returns a packet with these fields: id, number, total and through.
fn packet(fields: [u16; 4], payload: &[u8]) -> Vec<u8> {
    let fields = fields.into_iter().flat_map(u16::to_be_bytes);
    let header = std::iter::once(HEADER).chain(fields);
    header.chain(payload.iter().copied()).collect()
}

/// The result of a received datagram.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DatagramResult {
    /// The datagram contains nothing of the reply.
    Ignored,
    /// A part of the reply has arrived.
    Partial,
    /// The server requests to wait this number of seconds.
    Wait(u16),
    /// The reply is complete.
    Whole(Vec<u8>),
    /// The server refused the request.
    Refused,
    /// The datagram is no packet of this protocol.
    Malformed,
    /// The reply is longer than its cap.
    TooLong,
}

/// One request and the packets of its reply received so far.
#[derive(Debug)]
pub struct Exchange {
    id: u16,
    parts: BTreeMap<u16, Vec<u8>>,
    octets: usize,
    total: u16,
    /// True if an acknowledgement is due.
    is_due: bool,
}

impl Exchange {
    /// Creates an exchange with this id.
    pub fn new(id: u16) -> Self {
        Self {
            id,
            parts: BTreeMap::new(),
            octets: 0,
            total: 0,
            is_due: false,
        }
    }

    /// Processes a datagram.
    pub fn receive(&mut self, datagram: &[u8]) -> DatagramResult {
        let Some((header, payload)) = parse(datagram) else {
            return DatagramResult::Malformed;
        };
        if header.id != self.id {
            return DatagramResult::Ignored;
        }
        if header.option == OPTION_REFUSED {
            return DatagramResult::Refused;
        }
        self.is_due |= header.flags & FLAG_ACKNOWLEDGE != 0;
        if header.number == 0 {
            return if header.wait > 0 {
                DatagramResult::Wait(header.wait)
            } else {
                DatagramResult::Ignored
            };
        }
        if header.total > 0 {
            self.total = header.total;
        }
        if header.number > self.through().saturating_add(AHEAD) {
            return DatagramResult::Ignored;
        }
        if !self.parts.contains_key(&header.number) {
            self.octets += payload.len();
            if self.octets > MAX_REPLY_BYTES {
                return DatagramResult::TooLong;
            }
            self.parts.insert(header.number, payload.to_vec());
        }
        if self.total > 0 && self.through() >= self.total {
            return DatagramResult::Whole(self.parts.values().flatten().copied().collect());
        }
        DatagramResult::Partial
    }

    /// Returns an acknowledgement packet, if one is due.
    pub fn acknowledgement(&mut self) -> Option<Vec<u8>> {
        if !std::mem::take(&mut self.is_due) {
            return None;
        }
        Some(packet([self.id, 0, 0, self.through()], b""))
    }

    /// Returns the number up to which all packets have arrived.
    fn through(&self) -> u16 {
        let numbers = self.parts.keys().zip(1..=u16::MAX);
        let whole = numbers.take_while(|(number, expected)| **number == *expected);
        whole.last().map_or(0, |(number, _)| *number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(number: u16, total: u16, flags: u8, payload: &[u8]) -> Vec<u8> {
        let mut packet = vec![12, 0, 7];
        packet.extend(number.to_be_bytes());
        packet.extend(total.to_be_bytes());
        packet.extend([0, 0, 0, 0, flags]);
        packet.extend_from_slice(payload);
        packet
    }

    #[test]
    fn a_request_is_the_packets_that_a_server_took() {
        assert_eq!(
            packets(0x0102, b"VERSION 5\n"),
            [b"\x09\x01\x02\0\x01\0\x01\0\0VERSION 5\n".to_vec()]
        );
        let long = packets(1, &[b'x'; 2600]);
        let numbers: Vec<_> = long.iter().map(|packet| parse(packet).unwrap().0).collect();
        assert_eq!(
            numbers
                .iter()
                .map(|header| (header.number, header.total))
                .collect::<Vec<_>>(),
            [(1, 3), (2, 3), (3, 3)]
        );
    }

    #[test]
    fn a_header_may_end_anywhere() {
        let mut exchange = Exchange::new(7);
        assert_eq!(
            exchange.receive(b"\x03\0\x07SUCCESS\n"),
            DatagramResult::Whole(b"SUCCESS\n".to_vec())
        );
        let mut exchange = Exchange::new(0);
        assert_eq!(
            exchange.receive(b"\x01SUCCESS\n"),
            DatagramResult::Whole(b"SUCCESS\n".to_vec())
        );
        for (datagram, result) in [
            (b"".as_slice(), DatagramResult::Malformed),
            (b"\0x", DatagramResult::Malformed),
            (b"\x28x", DatagramResult::Malformed),
            (b"\x09\0\x07", DatagramResult::Malformed),
            (b"\x03\0\x08x", DatagramResult::Ignored),
        ] {
            assert_eq!(Exchange::new(7).receive(datagram), result, "{datagram:?}");
        }
    }

    #[test]
    fn packets_are_put_in_order_and_acknowledged_when_requested() {
        let mut exchange = Exchange::new(7);
        assert_eq!(
            exchange.receive(&packet(2, 0, 0, b"b")),
            DatagramResult::Partial
        );
        assert_eq!(exchange.acknowledgement(), None);
        assert_eq!(
            exchange.receive(&packet(1, 0, FLAG_ACKNOWLEDGE, b"a")),
            DatagramResult::Partial
        );
        assert_eq!(
            exchange.acknowledgement().unwrap(),
            b"\x09\0\x07\0\0\0\0\0\x02"
        );
        assert_eq!(
            exchange.receive(&packet(2, 0, 0, b"another")),
            DatagramResult::Partial
        );
        assert_eq!(
            exchange.receive(&packet(3, 3, 0, b"c")),
            DatagramResult::Whole(b"abc".to_vec())
        );
    }

    #[test]
    fn a_server_may_refuse_or_ask_for_time() {
        let mut refused = packet(0, 0, 0, b"");
        refused.push(OPTION_REFUSED);
        refused[0] = 13;
        assert_eq!(Exchange::new(7).receive(&refused), DatagramResult::Refused);
        let wait = b"\x0b\0\x07\0\0\0\0\0\0\0\x05";
        assert_eq!(Exchange::new(7).receive(wait), DatagramResult::Wait(5));
    }

    proptest::proptest! {
        #[test]
        fn any_order_of_packets_is_the_answer(order in proptest::collection::vec(0_usize..20, 0..60)) {
            let answer: Vec<u8> = (0..20).collect();
            let mut exchange = Exchange::new(7);
            let mut whole = None;
            for at in order.into_iter().chain(0..20) {
                let number = u16::try_from(at + 1).unwrap();
                let last = if at == 19 { 20 } else { 0 };
                if let DatagramResult::Whole(octets) = exchange.receive(&packet(number, last, 0, &answer[at..=at])) {
                    whole = Some(octets);
                }
            }
            proptest::prop_assert_eq!(whole, Some(answer));
        }

        #[test]
        fn any_datagram_is_taken(datagrams: Vec<Vec<u8>>) {
            let mut exchange = Exchange::new(0);
            for datagram in datagrams {
                exchange.receive(&datagram);
                exchange.acknowledgement();
            }
        }
    }
}
