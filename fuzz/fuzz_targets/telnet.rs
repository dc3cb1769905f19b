//! Octets as data of a telnet server: the result does not depend on how they arrive, and a command has at most one
//! reply.

#![no_main]

use geomys_fuzz::split;
use geomys_wire::protocol::telnet::Telnet;

geomys_fuzz::target!(|octets: &[u8]| {
    let (how, octets) = split(octets);
    let start = || {
        let mut telnet = Telnet::new((80, 24));
        if how & 1 == 1 {
            telnet.opening();
        }
        telnet
    };
    let mut whole = start();
    let all = whole.receive(octets);
    assert!(all.data.len() <= octets.len() * 2);

    let mut pieces = start();
    let (mut data, mut reply) = (Vec::new(), Vec::new());
    for piece in octets.chunks(usize::from(how >> 1) + 1) {
        let received = pieces.receive(piece);
        data.extend(received.data);
        reply.extend(received.reply);
    }
    assert_eq!(
        (&data, &reply),
        (&all.data, &all.reply),
        "the same however it is cut"
    );
    assert_eq!(pieces.mode(), whole.mode());
    whole.resize((u16::from(how), 24));
    assert!(whole.encode_input(octets).len() <= octets.len() * 2);
});
