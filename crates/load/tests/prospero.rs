//! Prospero over ARDP: a server on loopback that loses, duplicates and reorders its packets.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use geomys_load::check::check;
use geomys_load::{Reason, Request};
use geomys_page::document::{Kind, Shape};
use geomys_testing::loading::{Loaded, short_timeouts, show};
use geomys_wire::net::{Limits, Net, Route};
use rfc1738::{Dialect, Url};
use tokio::net::UdpSocket;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// The way in which the server sends a reply.
#[derive(Clone, Copy)]
enum PacketOrder {
    /// One packet.
    Once,
    /// Packets of this many octets, the last first, each twice; every sixteenth requests an acknowledgement.
    Mixed(usize),
    /// Drops the first request.
    Late,
}

/// The request, without the lines before the command.
fn command(request: &[u8]) -> String {
    let text = String::from_utf8_lossy(request).into_owned();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("VERSION 5 Geomys"));
    assert_eq!(
        lines.next(),
        Some("AUTHENTICATE '' UNAUTHENTICATED anonymous")
    );
    lines.collect::<Vec<_>>().join("; ")
}

fn packet(id: [u8; 2], number: u16, total: u16, flags: u8, payload: &[u8]) -> Vec<u8> {
    let [one, other] = id;
    let mut packet = vec![12, one, other];
    packet.extend(number.to_be_bytes());
    packet.extend(total.to_be_bytes());
    packet.extend([0, 0, 0, 0, flags]);
    packet.extend_from_slice(payload);
    packet
}

/// A server that answers these commands in order; its task returns the acknowledged packets.
async fn serving(
    answers: Vec<(&'static str, String)>,
    way: PacketOrder,
) -> (SocketAddr, JoinHandle<Vec<u16>>) {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let here = socket.local_addr().unwrap();
    let serving = tokio::spawn(async move {
        let mut acknowledged = Vec::new();
        for (expected, answer) in answers {
            let mut datagram = vec![0; 4096];
            let (length, from) = socket.recv_from(&mut datagram).await.unwrap();
            let mut request = datagram[..length].to_vec();
            assert_eq!(
                (request[0], &request[3..9]),
                (9, b"\0\x01\0\x01\0\0".as_slice())
            );
            assert_eq!(command(&request[9..]), expected);
            if let PacketOrder::Late = way {
                let (again, _) = socket.recv_from(&mut datagram).await.unwrap();
                assert_eq!(&datagram[..again], request.as_slice());
                request.truncate(again);
            }
            let id = [request[1], request[2]];
            // A server on a little-endian host swaps them.
            assert_eq!(id[0], id[1]);
            match way {
                PacketOrder::Once | PacketOrder::Late => {
                    let [one, other] = id;
                    let reply = [&[3, one, other], answer.as_bytes()].concat();
                    socket.send_to(&reply, from).await.unwrap();
                }
                PacketOrder::Mixed(octets) => {
                    let parts: Vec<&[u8]> = answer.as_bytes().chunks(octets).collect();
                    let total = u16::try_from(parts.len()).unwrap();
                    for start in (0..parts.len()).step_by(16) {
                        let end = (start + 16).min(parts.len());
                        for at in (start..end).rev() {
                            let number = u16::try_from(at + 1).unwrap();
                            let is_last = number == total;
                            let requested = at == start && end < parts.len();
                            let flags = if requested { 0x80 } else { 0 };
                            let total = if is_last { total } else { 0 };
                            let packet = packet(id, number, total, flags, parts[at]);
                            socket.send_to(&packet, from).await.unwrap();
                            socket.send_to(&packet, from).await.unwrap();
                        }
                        // No packet is sent before the acknowledgement of the received ones.
                        while end < parts.len()
                            && acknowledged.last().map(|last| usize::from(*last)) != Some(end)
                        {
                            let (length, _) = socket.recv_from(&mut datagram).await.unwrap();
                            assert_eq!((length, datagram[0]), (9, 9));
                            acknowledged.push(u16::from_be_bytes([datagram[7], datagram[8]]));
                        }
                    }
                }
            }
        }
        acknowledged
    });
    (here, serving)
}

async fn done(serving: JoinHandle<Vec<u16>>) -> Vec<u16> {
    timeout(Duration::from_secs(20), serving)
        .await
        .expect("every request came")
        .expect("as expected")
}

fn rows(loaded: &Loaded) -> Vec<String> {
    let document = loaded.document();
    (0..document.count())
        .map(|row| {
            let link = document.links(row).into_iter().next();
            let target = link.map_or(String::new(), |link| {
                format!(" -> {}", link.target.unwrap())
            });
            document.row(row).unwrap().text() + &target
        })
        .collect()
}

const DIRECTORY: &str = "LINK L DIRECTORY papers INTERNET-D far.example(41525) ASCII '/a path' 0\n\
    LINK L FILE README '' '' ASCII /README 3\nLINK L EXTERNAL gone INTERNET-D x ASCII y 0\nSUCCESS\n";

#[tokio::test]
async fn directory_opens_as_menu() {
    let answers = vec![(
        "DIRECTORY ASCII /; LIST ATTRIBUTES COMPONENTS",
        DIRECTORY.to_owned(),
    )];
    let (here, server) = serving(answers, PacketOrder::Once).await;
    let loaded = show(&Net::default(), format!("prospero://{here}//"))
        .await
        .whole();
    assert_eq!(loaded.begin.as_ref().unwrap().shape, Shape::Menu);
    assert_eq!(
        rows(&loaded),
        [
            "papers -> prospero://far.example:41525//a%20path".to_owned(),
            format!("README -> prospero://{here}//README;OBJECT-VERSION=3"),
            "(EXTERNAL) gone".to_owned(),
        ]
    );
    done(server).await;
}

#[tokio::test]
async fn object_shows_its_access_methods() {
    let about = "ATTRIBUTE OBJECT INTRINSIC SIZE SEQUENCE 15' bytes'\n\
        ATTRIBUTE OBJECT INTRINSIC ACCESS-METHOD SEQUENCE AFTP INTERNET-D f.example ASCII /pub/x BINARY\n\
        ATTRIBUTE OBJECT INTRINSIC ACCESS-METHOD SEQUENCE NFS INTERNET-D f.example ASCII /x\nSUCCESS\n";
    let answers = vec![
        (
            "DIRECTORY ASCII 'a b' 2; LIST ATTRIBUTES COMPONENTS",
            "FAILURE NOT-A-DIRECTORY\n".to_owned(),
        ),
        ("GET-OBJECT-INFO #ALL ASCII 'a b' 2", about.to_owned()),
    ];
    let (here, server) = serving(answers, PacketOrder::Late).await;
    let limits = Limits {
        idle: Duration::from_millis(300),
        ..Limits::default()
    };
    let address = format!("prospero://{here}/a%20b;OBJECT-VERSION=2;SIZE=15%20bytes;KIND=odd");
    let loaded = show(&Net::new(limits), address).await.whole();
    assert_eq!(
        rows(&loaded),
        [
            "By AFTP -> ftp://f.example/%2Fpub/x;type=i",
            "By NFS, which Geomys does not speak",
            "",
            "SIZE: 15 bytes",
            "The address says KIND=odd; the server does not.",
        ]
    );
    done(server).await;
}

#[tokio::test]
async fn every_way_to_an_object_is_offered_beside_its_contents() {
    let method = |line: &str| format!("ATTRIBUTE OBJECT INTRINSIC ACCESS-METHOD SEQUENCE {line}\n");
    let about = [
        method("PROSPERO-CONTENTS '' '' '' ''"),
        method("AFTP INTERNET-D f.example ASCII /pub/x TEXT"),
        method("LOCAL INTERNET-D l.example ASCII /usr/x"),
        method("GOPHER INTERNET-D g.example ASCII 0/x 0"),
        method("WAIS INTERNET-D w.example ASCII db/7 HTML"),
        method("TELNET INTERNET-D t.example(2323) ASCII ''"),
    ];
    let about = about.concat() + "SUCCESS\n";
    let listing = "DIRECTORY ASCII x; LIST ATTRIBUTES COMPONENTS";
    let answers = vec![
        (listing, "FAILURE NOT-A-DIRECTORY\n".to_owned()),
        ("GET-OBJECT-INFO #ALL ASCII x 0", about.clone()),
        (listing, "FAILURE NOT-A-DIRECTORY\n".to_owned()),
        ("GET-OBJECT-INFO #ALL ASCII x 0", about),
        (
            "GET-OBJECT-INFO CONTENTS ASCII x 0",
            "ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA soup\nSUCCESS\n".to_owned(),
        ),
    ];
    let (here, server) = serving(answers, PacketOrder::Once).await;
    let loaded = show(&Net::default(), format!("prospero://{here}/x"))
        .await
        .whole();
    let contents = format!("prospero://{here}/x;ACCESS-METHOD=PROSPERO-CONTENTS");
    assert_eq!(
        rows(&loaded),
        [
            &format!("By PROSPERO-CONTENTS, from this server -> {contents}"),
            "By AFTP -> ftp://f.example/%2Fpub/x;type=a",
            "By LOCAL -> file://l.example/usr/x",
            "By GOPHER -> gopher://g.example/00/x",
            "By WAIS -> wais://w.example/db/HTML/7",
            "By TELNET -> telnet://t.example:2323/",
            "",
        ]
    );
    let document = loaded.document();
    let kinds: Vec<Kind> = (0..6).map(|row| document.row(row).unwrap().kind).collect();
    let expected = [
        Kind::Text,
        Kind::Text,
        Kind::Text,
        Kind::Text,
        Kind::Search,
        Kind::Session,
    ];
    assert_eq!(kinds, expected);
    let loaded = show(&Net::default(), contents).await.whole();
    assert_eq!(loaded.octets, b"soup");
    done(server).await;
}

#[tokio::test]
async fn forwarded_object_is_loaded_from_its_new_place() {
    let found = vec![(
        "DIRECTORY ASCII /new 2; LIST ATTRIBUTES COMPONENTS",
        DIRECTORY.to_owned(),
    )];
    let (there, new) = serving(found, PacketOrder::Once).await;
    let forwarded = format!(
        "FORWARDED INTERNET-D {}({}) ASCII /new 2\n",
        there.ip(),
        there.port()
    );
    let moved = vec![("DIRECTORY ASCII old; LIST ATTRIBUTES COMPONENTS", forwarded)];
    let (here, old) = serving(moved, PacketOrder::Once).await;
    let first = format!("prospero://{here}/old");
    let loaded = show(&Net::default(), &*first).await.whole();
    let head = loaded.begin.as_ref().unwrap();
    assert_eq!(head.from, [Url::parse(&first).unwrap()]);
    let place = head.url.as_ref().unwrap().to_string();
    assert_eq!(place, format!("prospero://{there}//new;OBJECT-VERSION=2"));
    done(old).await;
    done(new).await;
    // A port of another service is not asked without a question.
    let to_mail = "FORWARDED INTERNET-D 127.0.0.1(25) ASCII /new 0\n".to_owned();
    let moved = vec![("DIRECTORY ASCII old; LIST ATTRIBUTES COMPONENTS", to_mail)];
    let (here, old) = serving(moved, PacketOrder::Once).await;
    let failure = show(&Net::default(), format!("prospero://{here}/old"))
        .await
        .failure();
    assert_eq!(
        failure.sentence,
        "redirect to prospero://127.0.0.1:25//new: the port belongs to another service"
    );
    done(old).await;
}

#[tokio::test]
async fn external_links_open_by_their_methods_or_their_urls() {
    let listing = "LINK L EXTERNAL soup INTERNET-D f.example ASCII /pub/soup 0\n\
        ATTRIBUTE LINK FIELD ACCESS-METHOD SEQUENCE AFTP '' '' '' '' TEXT\n\
        LINK L EXTERNAL news '' '' URL gopher://g.example/1/news 0\n\
        LINK L EXTERNAL odd INTERNET-D x ASCII y 0\nSUCCESS\n";
    let answers = vec![(
        "DIRECTORY ASCII /; LIST ATTRIBUTES COMPONENTS",
        listing.to_owned(),
    )];
    let (here, server) = serving(answers, PacketOrder::Once).await;
    let loaded = show(&Net::default(), format!("prospero://{here}//"))
        .await
        .whole();
    assert_eq!(
        rows(&loaded),
        [
            "soup (By AFTP) -> ftp://f.example/%2Fpub/soup;type=a",
            "news -> gopher://g.example/1/news",
            "(EXTERNAL) odd",
        ]
    );
    done(server).await;
}

#[tokio::test]
async fn contents_are_assembled_from_lost_and_reordered_packets() {
    let text: String = (0..2000)
        .map(|number| format!("line {number}\n"))
        .collect::<Vec<_>>()
        .concat();
    let about = "ATTRIBUTE OBJECT INTRINSIC ACCESS-METHOD SEQUENCE PROSPERO-CONTENTS '' '' '' ''\nSUCCESS\n";
    let contents = format!("ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA '{text}'\nSUCCESS\n");
    let answers = vec![
        (
            "DIRECTORY ASCII x; LIST ATTRIBUTES COMPONENTS",
            "FAILURE NOT-A-DIRECTORY\n".to_owned(),
        ),
        ("GET-OBJECT-INFO #ALL ASCII x 0", about.to_owned()),
        ("GET-OBJECT-INFO CONTENTS ASCII x 0", contents),
    ];
    let (here, server) = serving(answers, PacketOrder::Mixed(500)).await;
    let loaded = show(&Net::default(), format!("prospero://{here}/x"))
        .await
        .whole();
    assert_eq!(String::from_utf8(loaded.octets).unwrap(), text);
    let acknowledged = done(server).await;
    assert!(
        acknowledged.contains(&16) && acknowledged.contains(&32),
        "{acknowledged:?}"
    );
}

#[tokio::test]
async fn check_lists_the_directory_then_the_object() {
    let listing = "DIRECTORY ASCII x; LIST ATTRIBUTES COMPONENTS";
    let about = "GET-OBJECT-INFO #ALL ASCII x 0";
    let failing = |words: &str| format!("FAILURE {words}\n");
    for (answers, expected) in [
        (
            vec![(
                listing,
                "LINK L DIRECTORY sub INTERNET-D '' ASCII sub 0\n".to_owned(),
            )],
            "alive: ",
        ),
        (
            vec![
                (listing, failing("NOT-FOUND no such thing")),
                (about, failing("NOT-FOUND no such thing")),
            ],
            "dead: ADDRESS has no x: FAILURE NOT-FOUND no such thing",
        ),
        (
            vec![
                (listing, failing("NOT-AUTHORIZED who are you")),
                (about, failing("NOT-AUTHORIZED who are you")),
            ],
            "refused: ADDRESS denies access to x: FAILURE NOT-AUTHORIZED who are you",
        ),
    ] {
        let (here, server) = serving(answers, PacketOrder::Once).await;
        let url = Dialect::Extended
            .parse(&format!("prospero://{here}/x"))
            .unwrap();
        let verdict = check(&Net::default(), &Request::show(url, Reason::Typed))
            .await
            .verdict;
        let result = format!("{}: {}", verdict.name(), verdict.words());
        assert_eq!(result.replace(&here.to_string(), "ADDRESS"), expected);
        done(server).await;
    }
    // No server listens there.
    let dead = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let here = dead.local_addr().unwrap();
    drop(dead);
    let url = Dialect::Extended
        .parse(&format!("prospero://{here}/x"))
        .unwrap();
    let checked = check(&short_timeouts(), &Request::show(url, Reason::Typed)).await;
    assert_eq!(checked.verdict.name(), "unreachable");
}

#[tokio::test]
async fn failures_name_their_cause() {
    let missing = vec![
        (
            "DIRECTORY ASCII x; LIST ATTRIBUTES COMPONENTS",
            "FAILURE NOT-FOUND no such thing\n".to_owned(),
        ),
        (
            "GET-OBJECT-INFO #ALL ASCII x 0",
            "FAILURE NOT-FOUND no such thing\n".to_owned(),
        ),
    ];
    let (here, server) = serving(missing, PacketOrder::Once).await;
    let failure = show(&Net::default(), format!("prospero://{here}/x"))
        .await
        .failure();
    assert_eq!(failure.sentence, format!("{here} has no x"));
    assert_eq!(failure.said[0].as_str(), "FAILURE NOT-FOUND no such thing");
    done(server).await;

    let odd = vec![(
        "DIRECTORY ASCII x; LIST ATTRIBUTES COMPONENTS",
        "hello\n".to_owned(),
    )];
    let (here, server) = serving(odd, PacketOrder::Once).await;
    let failure = show(&Net::default(), format!("prospero://{here}/x"))
        .await
        .failure();
    assert!(
        failure
            .sentence
            .contains("did not answer as a Prospero server")
    );
    done(server).await;

    let silent = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let here = silent.local_addr().unwrap();
    let failure = show(&short_timeouts(), format!("prospero://{here}/x"))
        .await
        .failure();
    assert!(
        failure.sentence.contains("did not answer"),
        "{}",
        failure.sentence
    );
    drop(silent);
    let failure = show(&Net::default(), format!("prospero://{here}/x"))
        .await
        .failure();
    assert!(failure.sentence.contains("refused"), "{}", failure.sentence);
}

#[tokio::test]
async fn proxy_is_never_bypassed_and_line_breaks_are_not_sent() {
    let net = Net::default().with_route(Route::from_setting("socks5://127.0.0.1:1"));
    let failure = show(&net, "prospero://127.0.0.1/x").await.failure();
    assert!(
        failure.sentence.contains("proxies do not forward UDP"),
        "{}",
        failure.sentence
    );
    let failure = show(&Net::default(), "prospero://127.0.0.1/x%0AFOO")
        .await
        .failure();
    assert!(
        failure.sentence.starts_with("not sent"),
        "{}",
        failure.sentence
    );
    let url = Url::prospero("h", None, b"/a b;c", Some(b"2")).unwrap();
    assert_eq!(url.to_string(), "prospero://h//a%20b%3Bc;OBJECT-VERSION=2");
}
