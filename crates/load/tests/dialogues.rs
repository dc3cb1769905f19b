//! A law for every protocol: whatever a server says instead of what it should, a load ends, without a panic and within
//! its limits. The servers are those of the demo; a relay before each changes a few octets of what they send.

use std::future::Future;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream;
use geomys_demo::Demo;
use geomys_load::{LoadId, Part, Reason, Request, Sink, run_telnet};
use geomys_testing::capsule::Capsule;
use geomys_testing::loading::{Loaded, carry_out, url};
use geomys_testing::tls::Identity;
use geomys_wire::net::{Limits, Net};
use rfc1738::Dialect;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// The dialogues of each protocol.
const DIALOGUES: u64 = 600;

/// The dialogues at once: most of the time they wait for a server that says nothing more.
const AT_ONCE: usize = 48;

/// The cap for a page.
const PAGE: u64 = 40_000;

/// Pseudo-random numbers, the same in every run (xorshift).
struct Numbers(u64);

impl Numbers {
    fn of(seed: u64) -> Self {
        // Neighbouring seeds begin alike.
        let mut numbers = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        for _ in 0..4 {
            numbers.below(2);
        }
        numbers
    }

    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound.max(1) as u64).unwrap()
    }
}

/// What is done to the octets from one side of a dialogue: changes at up to three offsets of its beginning.
struct Mutation {
    numbers: Numbers,
    /// The offsets that are still to come, the last first.
    offsets: Vec<usize>,
    passed: usize,
    has_ended: bool,
}

impl Mutation {
    fn new(seed: u64) -> Self {
        let mut numbers = Numbers::of(seed);
        let count = 1 + numbers.below(3);
        // Status lines are short, and pages are longer.
        let reach = [8, 80, 600, 6000][numbers.below(4)];
        let mut offsets: Vec<usize> = (0..count).map(|_| numbers.below(reach)).collect();
        offsets.sort_unstable_by(|one, other| other.cmp(one));
        Self {
            numbers,
            offsets,
            passed: 0,
            has_ended: false,
        }
    }

    /// Returns the octets that take the place of these.
    fn apply(&mut self, octets: &[u8]) -> Vec<u8> {
        let mut changed = Vec::new();
        let mut rest = octets;
        while let Some(offset) = self.offsets.last()
            && let Some(at) = offset.checked_sub(self.passed)
            && at < rest.len()
            && !self.has_ended
        {
            self.offsets.pop();
            let (before, after) = rest.split_at(at);
            changed.extend(before);
            self.passed += at;
            rest = self.change(after, &mut changed);
        }
        if !self.has_ended {
            self.passed += rest.len();
            changed.extend(rest);
        }
        changed
    }

    /// Changes the beginning of `after`, and returns what follows it.
    fn change<'a>(&mut self, after: &'a [u8], changed: &mut Vec<u8>) -> &'a [u8] {
        let pieces: [&[u8]; 14] = [
            b"\0",
            b"\r\n",
            b"\n",
            b".\r\n",
            b"\x1b[2J",
            b"\xff\xfb\x2a",
            b"\xff\xff\xff\xff",
            b"-1",
            b"99999999999999999999",
            b"\t",
            b" ",
            b"\r\n\r\n",
            "\u{202e}é".as_bytes(),
            &[b'x'; 3000],
        ];
        let length = (1 + self.numbers.below(12)).min(after.len());
        let (own, rest) = after.split_at(length);
        match self.numbers.below(7) {
            0 => {
                let bit = 1 << self.numbers.below(8);
                changed.extend(own.first().map(|octet| octet ^ bit));
                changed.extend(own.get(1..).unwrap_or_default());
            }
            1 => {}
            2 => changed.extend(own.repeat(2)),
            3 => self.has_ended = true,
            4 => changed.extend(own.iter().rev()),
            _ => {
                changed.extend(pieces[self.numbers.below(pieces.len())]);
                changed.extend(own);
            }
        }
        self.passed += length;
        rest
    }
}

/// A relay to a server, with its own address.
struct Relay {
    address: SocketAddr,
    _serving: JoinSet<()>,
}

impl Relay {
    /// Relays connections; what the server sends is changed, unless `seed` is missing.
    async fn tcp(server: SocketAddr, seed: Option<u64>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            let mut connections = JoinSet::new();
            for number in 0.. {
                let Ok((stream, _)) = listener.accept().await else {
                    return;
                };
                let mutation = seed.map(|seed| Mutation::new(seed + (number << 32)));
                connections.spawn(relay(stream, server, mutation));
            }
        });
        Self {
            address,
            _serving: serving,
        }
    }

    /// Relays control connections of FTP without a change, and changes what the server sends over their data
    /// connections.
    async fn data(server: SocketAddr, seed: Option<u64>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                connections.spawn(relay_control(stream, server, seed));
            }
        });
        Self {
            address,
            _serving: serving,
        }
    }

    /// Relays datagrams of one client likewise; one that is cut is lost.
    async fn udp(server: SocketAddr, seed: Option<u64>) -> Self {
        let here = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = here.local_addr().unwrap();
        let there = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        there.connect(server).await.unwrap();
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            let (mut asked, mut answered) = (vec![0; 65_536], vec![0; 65_536]);
            let mut client = None;
            let mut number = 0;
            loop {
                tokio::select! {
                    Ok((length, from)) = here.recv_from(&mut asked) => {
                        client = Some(from);
                        let _ = there.send(&asked[..length]).await;
                    }
                    Ok(length) = there.recv(&mut answered) => {
                        number += 1;
                        let mutation = seed.map(|seed| Mutation::new(seed + (number << 32)));
                        let octets = mutation.map_or_else(
                            || answered[..length].to_vec(),
                            |mut mutation| mutation.apply(&answered[..length]),
                        );
                        if let Some(client) = client {
                            let _ = here.send_to(&octets, client).await;
                        }
                    }
                }
            }
        });
        Self {
            address,
            _serving: serving,
        }
    }
}

/// Copies both ways until one side closes; an end by the mutation closes too.
async fn relay(client: TcpStream, server: SocketAddr, mut mutation: Option<Mutation>) {
    let Ok(server) = TcpStream::connect(server).await else {
        return;
    };
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let asking = async {
        let _ = tokio::io::copy(&mut from_client, &mut to_server).await;
        let _ = to_server.shutdown().await;
    };
    let answering = async {
        let mut octets = vec![0; 16_384];
        while let Ok(length @ 1..) = from_server.read(&mut octets).await {
            let sent = match &mut mutation {
                Some(mutation) => mutation.apply(&octets[..length]),
                None => octets[..length].to_vec(),
            };
            if to_client.write_all(&sent).await.is_err()
                || mutation.as_ref().is_some_and(|mutation| mutation.has_ended)
            {
                break;
            }
        }
        let _ = to_client.shutdown().await;
    };
    tokio::join!(asking, answering);
}

/// Relays a control connection of FTP, and replaces each announced port by that of a relay.
async fn relay_control(client: TcpStream, server: SocketAddr, seed: Option<u64>) {
    let Ok(server) = TcpStream::connect(server).await else {
        return;
    };
    let host = server.peer_addr().unwrap().ip();
    let (mut from_client, mut to_client) = client.into_split();
    let (from_server, mut to_server) = server.into_split();
    let asking = async {
        let _ = tokio::io::copy(&mut from_client, &mut to_server).await;
        let _ = to_server.shutdown().await;
    };
    let answering = async {
        let mut relays = Vec::new();
        let mut lines = BufReader::new(from_server).lines();
        while let Ok(Some(mut line)) = lines.next_line().await {
            if let Some((before, port)) = line.split_once("(|||") {
                let port = port.trim_end_matches(|end: char| !end.is_ascii_digit());
                let there = SocketAddr::new(host, port.parse().unwrap());
                let relay = Relay::tcp(there, seed).await;
                line = format!("{before}(|||{}|)", relay.address.port());
                relays.push(relay);
            }
            if to_client
                .write_all(format!("{line}\r\n").as_bytes())
                .await
                .is_err()
            {
                break;
            }
        }
        let _ = to_client.shutdown().await;
    };
    tokio::join!(asking, answering);
}

/// A network that waits shortly, with a small cap for pages.
fn net() -> Net {
    let short = Duration::from_millis(150);
    Net::new(Limits {
        connect: Duration::from_secs(5),
        idle: short,
        brief: short / 3,
        silence: short,
        page: PAGE,
        list: PAGE,
        ..Limits::default()
    })
}

/// Asserts the law of one load: it has ended, as [`carry_out`] asserts, and its rows can be made.
fn keeps_its_limits(loaded: &Loaded, seed: u64) {
    assert!(
        loaded.octets.len() as u64 <= PAGE,
        "{seed}: {}",
        loaded.octets.len()
    );
    if loaded.begin.is_some() {
        let document = loaded.document();
        for row in 0..document.count().min(200) {
            let _ = (document.row(row), document.links(row));
        }
    }
}

/// Carries out all dialogues by `one`, some at once; it returns what has come, if the dialogue has succeeded. The first
/// is not changed, and has to succeed.
async fn all<F>(one: impl Fn(Option<u64>) -> F)
where
    F: Future<Output = Option<Vec<u8>>> + Send + 'static,
{
    let unchanged = one(None).await;
    assert!(unchanged.is_some(), "the dialogue fails without a change");
    let dialogues = stream::iter(0..DIALOGUES).map(|seed| tokio::spawn(one(Some(seed))));
    let ended: Vec<_> = dialogues.buffer_unordered(AT_ONCE).collect().await;
    let ended = ended.into_iter().map(Result::unwrap);
    let changed = ended.filter(|ended| *ended != unchanged).count();
    assert!(changed as u64 > DIALOGUES / 4, "only {changed} are changed");
}

/// Shows a page; returns what has come, if the load has succeeded.
async fn shown(address: &str, seed: Option<u64>) -> Option<Vec<u8>> {
    let url = Dialect::Extended.parse(address).unwrap();
    let loaded = carry_out(&net(), Request::show(url, Reason::Typed)).await;
    keeps_its_limits(&loaded, seed.unwrap_or(u64::MAX));
    loaded.end.is_ok().then_some(loaded.octets)
}

/// Shows the page of `address`, which has `{}` for the address of the server, through a relay.
async fn of_pages(server: SocketAddr, address: &'static str) {
    all(|seed| async move {
        let relay = Relay::tcp(server, seed).await;
        shown(&address.replace("{}", &relay.address.to_string()), seed).await
    })
    .await;
}

/// A law of one server of the demo.
macro_rules! law {
    ($name:ident, $server:ident, $address:literal) => {
        #[tokio::test(flavor = "multi_thread")]
        async fn $name() {
            let demo = Demo::start().await.unwrap();
            of_pages(demo.addresses.$server, $address).await;
        }
    };
}

law!(any_gopher_menu_ends_within_limits, gopher, "gopher://{}/1");
law!(
    any_phone_book_ends_within_limits,
    phone,
    "gopher://{}/2%09dibble"
);
law!(any_finger_reply_ends_within_limits, finger, "finger://{}/");
law!(any_ftp_dialogue_ends_within_limits, ftp, "ftp://{}/");

#[tokio::test(flavor = "multi_thread")]
async fn any_ftp_data_ends_within_limits() {
    let demo = Demo::start().await.unwrap();
    for path in ["/", "/README"] {
        let server = demo.addresses.ftp;
        all(|seed| async move {
            let relay = Relay::data(server, seed).await;
            shown(&format!("ftp://{}{path}", relay.address), seed).await
        })
        .await;
    }
}

law!(
    any_group_ends_within_limits,
    news,
    "nntp://{}/geomys.demo.announce"
);
law!(any_list_of_groups_ends_within_limits, news, "news://{}/*");
law!(
    any_wais_search_ends_within_limits,
    wais,
    "wais://{}/almanac?tunnels"
);
law!(any_web_page_ends_within_limits, web, "http://{}/");
law!(
    any_spartan_page_ends_within_limits,
    spartan,
    "spartan://{}/"
);
law!(any_nex_page_ends_within_limits, nex, "nex://{}/");

#[tokio::test(flavor = "multi_thread")]
async fn any_prospero_reply_ends_within_limits() {
    let demo = Demo::start().await.unwrap();
    let server = demo.addresses.prospero;
    all(|seed| async move {
        let relay = Relay::udp(server, seed).await;
        shown(&format!("prospero://{}//", relay.address), seed).await
    })
    .await;
}

/// The octets inside of TLS are changed: changed records are no dialogue.
#[tokio::test(flavor = "multi_thread")]
async fn any_gemini_response_ends_within_limits() {
    const PAGE: &str = "20 text/gemini; charset=utf-8\r\n# A page\r\n\r\n=> /a A link\r\n=> gopher://h/ Another\r\n\
        ```\r\nas it is\r\n```\r\n* an item\r\n> a quotation\r\n";
    let identity = Arc::new(Identity::self_signed("127.0.0.1"));
    all(|seed| {
        let identity = Arc::clone(&identity);
        async move {
            let answer = move |_: &str| match seed {
                Some(seed) => (Mutation::new(seed).apply(PAGE.as_bytes()), seed % 3 > 0),
                None => (PAGE.as_bytes().to_vec(), true),
            };
            let capsule = Capsule::start(&identity, answer).await;
            shown(&capsule.url("/"), seed).await
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn any_telnet_session_ends_within_limits() {
    let demo = Demo::start().await.unwrap();
    let server = demo.addresses.telnet;
    let session = |seed| async move {
        let relay = Relay::tcp(server, seed).await;
        let request = Request::show(url(format!("telnet://{}/", relay.address)), Reason::Typed);
        let (typing, typed) = mpsc::unbounded_channel();
        let (sender, mut parts) = mpsc::channel(4);
        let running = tokio::spawn(async move {
            run_telnet(&net(), request, typed, Sink::new(LoadId(1), sender)).await;
        });
        let mut octets = Vec::new();
        // A session ends when it is left: at the first screen, or when nothing more comes.
        while let Ok(Some((_, part))) =
            tokio::time::timeout(Duration::from_millis(100), parts.recv()).await
        {
            if let Part::Octets(come) = part {
                octets.extend(come);
            }
        }
        drop((typing, parts));
        running.abort();
        let is_whole = running
            .await
            .map_or_else(|error| error.is_cancelled(), |()| true);
        assert!(is_whole, "the session panicked");
        Some(octets).filter(|octets| !octets.is_empty())
    };
    all(session).await;
}
