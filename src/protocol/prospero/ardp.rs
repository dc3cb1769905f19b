//! ARDP, version 0: requests and answers over datagrams.
//!
//! ```text
//! packet = octet id number total through wait flags option payload
//!          ; the first octet is the version (2 bits) and how many octets the header has, itself included; a header may end
//!          ; before any of the others: the id is 0 then, and the packet is the first of one
//! ```
//!
//! Packets of an answer come in any order, lost or doubled. Every sixteenth wants to be acknowledged, or the server sends no
//! more: an acknowledgement is a packet of number 0 that tells up to which all have come.

use std::collections::BTreeMap;

/// Octets of a payload that go into one packet.
const PAYLOAD: usize = 1250;

/// The longest answer that is believed, in octets.
const LONGEST: usize = 16 * 1024 * 1024;

/// Packets of an answer that may be ahead of the first that is missing.
const AHEAD: u16 = 1024;

/// The largest first octet of a version 0 packet: what is more is a server from before ARDP.
const VERSION_0: u8 = 31;

const FLAG_ACKNOWLEDGE: u8 = 0x80;

const OPTION_REFUSED: u8 = 1;

/// A packet's header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Which exchange it belongs to.
    pub id: u16,
    /// Which packet it is, from 1; 0 is none, and only tells something.
    pub number: u16,
    /// How many packets there are; 0 while that is not known.
    pub total: u16,
    /// Up to which packet all of the other side's have come.
    pub through: u16,
    /// Seconds that the server asks for.
    pub wait: u16,
    /// Flags.
    pub flags: u8,
    /// What else it says.
    pub option: u8,
}

/// A header, and what follows it; nothing where there is none.
pub fn parse(datagram: &[u8]) -> Option<(Header, &[u8])> {
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
    let parsed = Header {
        id: pair(1).unwrap_or(0),
        number: pair(3).unwrap_or(1),
        // A header that says no number is of a single packet.
        total: pair(5).unwrap_or(u16::from(pair(3).is_none())),
        through: pair(7).unwrap_or(0),
        wait: pair(9).unwrap_or(0),
        flags: octet(11),
        option: octet(12),
    };
    Some((parsed, payload))
}

/// The packets that a request goes out in.
pub fn packets(id: u16, request: &[u8]) -> Vec<Vec<u8>> {
    let total = u16::try_from(request.len().div_ceil(PAYLOAD).max(1)).unwrap_or(u16::MAX);
    let mut packets = Vec::new();
    for (payload, number) in request.chunks(PAYLOAD).zip(1_u16..) {
        let mut packet = vec![9];
        for field in [id, number, total, 0] {
            packet.extend(field.to_be_bytes());
        }
        packet.extend_from_slice(payload);
        packets.push(packet);
    }
    packets
}

/// What a datagram has brought.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Taken {
    /// Nothing that is awaited.
    Nothing,
    /// A part of the answer.
    Part,
    /// The server asks for so many seconds.
    Wait(u16),
    /// All of the answer is here.
    Whole(Vec<u8>),
    /// The server does not want to.
    Refused,
    /// It is no packet of this protocol.
    Odd,
    /// The answer is longer than any is believed.
    Long,
}

/// One question and its answer, as far as it has come.
#[derive(Debug)]
pub struct Exchange {
    id: u16,
    parts: BTreeMap<u16, Vec<u8>>,
    octets: usize,
    total: u16,
    /// An acknowledgement is due.
    is_due: bool,
}

impl Exchange {
    /// An exchange by this id.
    pub fn new(id: u16) -> Self {
        Self {
            id,
            parts: BTreeMap::new(),
            octets: 0,
            total: 0,
            is_due: false,
        }
    }

    /// Takes a datagram.
    pub fn take(&mut self, datagram: &[u8]) -> Taken {
        let Some((header, payload)) = parse(datagram) else {
            return Taken::Odd;
        };
        if header.id != self.id {
            return Taken::Nothing;
        }
        if header.option == OPTION_REFUSED {
            return Taken::Refused;
        }
        self.is_due |= header.flags & FLAG_ACKNOWLEDGE != 0;
        if header.number == 0 {
            return if header.wait > 0 {
                Taken::Wait(header.wait)
            } else {
                Taken::Nothing
            };
        }
        if header.total > 0 {
            self.total = header.total;
        }
        if header.number > self.through().saturating_add(AHEAD) {
            return Taken::Nothing;
        }
        if !self.parts.contains_key(&header.number) {
            self.octets += payload.len();
            if self.octets > LONGEST {
                return Taken::Long;
            }
            self.parts.insert(header.number, payload.to_vec());
        }
        if self.total > 0 && self.through() >= self.total {
            return Taken::Whole(self.parts.values().flatten().copied().collect());
        }
        Taken::Part
    }

    /// What acknowledges what has come, when that is due.
    pub fn acknowledgement(&mut self) -> Option<Vec<u8>> {
        if !std::mem::take(&mut self.is_due) {
            return None;
        }
        let mut packet = vec![9];
        for field in [self.id, 0, 0, self.through()] {
            packet.extend(field.to_be_bytes());
        }
        Some(packet)
    }

    /// Up to which packet all have come.
    fn through(&self) -> u16 {
        let mut through = 0;
        for number in self.parts.keys() {
            if *number != through + 1 {
                break;
            }
            through = *number;
            if through == u16::MAX {
                break;
            }
        }
        through
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
            exchange.take(b"\x03\0\x07SUCCESS\n"),
            Taken::Whole(b"SUCCESS\n".to_vec())
        );
        let mut exchange = Exchange::new(0);
        assert_eq!(
            exchange.take(b"\x01SUCCESS\n"),
            Taken::Whole(b"SUCCESS\n".to_vec())
        );
        for (datagram, taken) in [
            (b"".as_slice(), Taken::Odd),
            (b"\0x", Taken::Odd),
            (b"\x28x", Taken::Odd),
            (b"\x09\0\x07", Taken::Odd),
            (b"\x03\0\x08x", Taken::Nothing),
        ] {
            assert_eq!(Exchange::new(7).take(datagram), taken, "{datagram:?}");
        }
    }

    #[test]
    fn packets_are_put_in_order_and_acknowledged_when_that_is_wanted() {
        let mut exchange = Exchange::new(7);
        assert_eq!(exchange.take(&packet(2, 0, 0, b"b")), Taken::Part);
        assert_eq!(exchange.acknowledgement(), None);
        assert_eq!(
            exchange.take(&packet(1, 0, FLAG_ACKNOWLEDGE, b"a")),
            Taken::Part
        );
        assert_eq!(
            exchange.acknowledgement().unwrap(),
            b"\x09\0\x07\0\0\0\0\0\x02"
        );
        assert_eq!(exchange.take(&packet(2, 0, 0, b"another")), Taken::Part);
        assert_eq!(
            exchange.take(&packet(3, 3, 0, b"c")),
            Taken::Whole(b"abc".to_vec())
        );
    }

    #[test]
    fn a_server_may_refuse_or_ask_for_time() {
        let mut refused = packet(0, 0, 0, b"");
        refused.push(OPTION_REFUSED);
        refused[0] = 13;
        assert_eq!(Exchange::new(7).take(&refused), Taken::Refused);
        let wait = b"\x0b\0\x07\0\0\0\0\0\0\0\x05";
        assert_eq!(Exchange::new(7).take(wait), Taken::Wait(5));
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
                if let Taken::Whole(octets) = exchange.take(&packet(number, last, 0, &answer[at..=at])) {
                    whole = Some(octets);
                }
            }
            proptest::prop_assert_eq!(whole, Some(answer));
        }

        #[test]
        fn any_datagram_is_taken(datagrams: Vec<Vec<u8>>) {
            let mut exchange = Exchange::new(0);
            for datagram in datagrams {
                exchange.take(&datagram);
                exchange.acknowledgement();
            }
        }
    }
}
