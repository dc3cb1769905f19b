//! A fast Gopher server: selector `/N` returns a menu of N rows, made beforehand and written at once.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Instant;

/// The server, with the start times of its replies.
pub(crate) struct Gopher {
    address: SocketAddr,
    menus: Arc<Mutex<Menus>>,
    /// The times before the first packet of each reply.
    began: Receiver<Instant>,
}

type Menus = HashMap<usize, Arc<[u8]>>;

impl Gopher {
    /// Listens on a free port of loopback, for as long as the process lives.
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let menus = Arc::new(Mutex::new(Menus::new()));
        let (sender, began) = channel();
        let served = Arc::clone(&menus);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (menus, sender) = (Arc::clone(&served), sender.clone());
                // The client may close the connection early.
                thread::spawn(move || answer(stream, &menus, &sender).ok());
            }
        });
        Self {
            address,
            menus,
            began,
        }
    }

    /// Makes the menu of `rows` rows; returns its size in octets and its URL.
    pub(crate) fn menu(&self, rows: usize) -> (usize, String) {
        let menu: Arc<[u8]> = menu(rows, self.address).into();
        let octets = menu.len();
        self.menus.lock().unwrap().insert(rows, menu);
        (octets, format!("gopher://{}/1/{rows}", self.address))
    }

    /// Forgets the replies so far.
    pub(crate) fn forget(&self) {
        while self.began.try_recv().is_ok() {}
    }

    /// Waits for the next reply and returns its start time.
    pub(crate) fn began(&self) -> Instant {
        self.began.recv_timeout(crate::DEADLINE).unwrap()
    }
}

fn menu(rows: usize, address: SocketAddr) -> Vec<u8> {
    let (host, port) = (address.ip(), address.port());
    let mut menu = String::with_capacity(rows * 56);
    for row in 1..=rows {
        write!(
            menu,
            "0Row {row} of the menu\t/row/{row}\t{host}\t{port}\r\n"
        )
        .unwrap();
    }
    menu.push_str(".\r\n");
    menu.into_bytes()
}

fn answer(mut stream: TcpStream, menus: &Mutex<Menus>, began: &Sender<Instant>) -> io::Result<()> {
    let mut selector = String::new();
    BufReader::new(&stream).read_line(&mut selector)?;
    let rows = selector.trim_end().trim_start_matches('/').parse();
    let menu = rows
        .ok()
        .and_then(|rows: usize| menus.lock().ok()?.get(&rows).cloned())
        .ok_or(io::ErrorKind::NotFound)?;
    let _ = began.send(Instant::now());
    stream.write_all(&menu)?;
    stream.shutdown(Shutdown::Write)
}
