//! A relay that makes a server far away: each octet takes half of the round trip.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// Relays the connections of a listener to a server, for as long as the process lives.
pub(crate) fn relay(listener: TcpListener, server: SocketAddr, round_trip: Duration) {
    thread::spawn(move || {
        for near in listener.incoming().flatten() {
            let far = TcpStream::connect(server).unwrap();
            for (from, to) in [(&near, &far), (&far, &near)] {
                let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                to.set_nodelay(true).unwrap();
                delay(from, to, round_trip / 2);
            }
        }
    });
}

/// Sends what comes from a connection to another, this much later.
fn delay(mut from: TcpStream, mut to: TcpStream, by: Duration) {
    let (sender, pieces) = mpsc::channel::<(Instant, Vec<u8>)>();
    thread::spawn(move || {
        let mut octets = vec![0; 1 << 16];
        // A connection that is reset ends as one that is closed.
        while let Ok(count @ 1..) = from.read(&mut octets) {
            let piece = octets.get(..count).unwrap_or_default().to_owned();
            if sender.send((Instant::now() + by, piece)).is_err() {
                break;
            }
        }
    });
    thread::spawn(move || {
        for (due, piece) in pieces {
            thread::sleep(due.saturating_duration_since(Instant::now()));
            if to.write_all(&piece).is_err() {
                break;
            }
        }
        // The other side may be gone.
        let _ = to.shutdown(Shutdown::Write);
    });
}
