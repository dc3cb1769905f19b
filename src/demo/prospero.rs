//! A small Prospero server (protocol 5 over ARDP): a directory whose links lead to the demo's other servers.
//!
//! It answers `DIRECTORY` with `LIST`, and `GET-OBJECT-INFO`. Every answer is a single packet, because all are short.
//! Not implemented: acknowledgements, queues, authentication.

use std::io;
use std::net::SocketAddr;

use tokio::net::UdpSocket;

use crate::protocol::prospero::ardp::parse;

/// An object in the directory, by name.
struct Object {
    name: &'static str,
    title: &'static str,
    about: String,
}

/// The addresses of the other servers.
#[derive(Clone, Copy, Debug)]
pub(super) struct ServerAuthorities {
    pub(super) gopher: SocketAddr,
    pub(super) ftp: SocketAddr,
    pub(super) wais: SocketAddr,
}

/// The text of the server's own object. Quotes are doubled in it.
const TEXT: &str = "Prospero was a way to call things by your own names, wherever they were kept. A directory\n\
    was a list of links, and a link told which way led to the thing: by FTP, by Gopher, by WAIS.\n\
    The mole who built the town''s directory has moved on. It is still right.\n";

/// Runs the server until the future is dropped.
pub(super) async fn serve(socket: UdpSocket, authorities: ServerAuthorities) {
    let objects = objects(authorities);
    let mut datagram = vec![0; 4096];
    loop {
        // A failed client must not stop the server for the others.
        let Ok((length, from)) = socket.recv_from(&mut datagram).await else {
            continue;
        };
        let _ = reply(
            &socket,
            datagram.get(..length).unwrap_or_default(),
            from,
            &objects,
        )
        .await;
    }
}

async fn reply(
    socket: &UdpSocket,
    datagram: &[u8],
    from: SocketAddr,
    objects: &[Object],
) -> io::Result<()> {
    let Some((header, request)) = parse(datagram) else {
        return Ok(());
    };
    if header.number != 1 {
        return Ok(());
    }
    let [high, low] = header.id.to_be_bytes();
    let answer = answer(&String::from_utf8_lossy(request), objects);
    let packet = [&[3, high, low], answer.as_bytes()].concat();
    socket.send_to(&packet, from).await.map(|_| ())
}

fn objects(authorities: ServerAuthorities) -> Vec<Object> {
    let ServerAuthorities { gopher, ftp, wais } = authorities;
    let place = |at: SocketAddr| format!("INTERNET-D {}({}) ASCII", at.ip(), at.port());
    let by = |methods: &[String]| {
        let methods = methods.iter();
        methods
            .map(|method| format!("ATTRIBUTE OBJECT INTRINSIC ACCESS-METHOD SEQUENCE {method}\n"))
            .collect::<Vec<_>>()
            .concat()
    };
    let (gopher, ftp, wais) = (place(gopher), place(ftp), place(wais));
    vec![
        Object {
            name: "/soup",
            title: "Potato soup, two ways",
            about: by(&[
                format!("AFTP {ftp} /pub/texts/potato-soup.txt TEXT"),
                format!("WAIS {wais} almanac/8"),
            ]) + "ATTRIBUTE OBJECT INTRINSIC KEYWORDS SEQUENCE soup potatoes winter\n",
        },
        Object {
            name: "/map",
            title: "The map of the town",
            about: by(&[format!("GOPHER {gopher} /map 1")]),
        },
        Object {
            name: "/almanac",
            title: "The almanac, to be searched",
            about: by(&[format!("WAIS {wais} almanac")]),
        },
        Object {
            name: "/attic",
            title: "The attic, by NFS alone",
            about: by(&["NFS INTERNET-D underloam.example ASCII /attic".to_owned()]),
        },
        Object {
            name: "/about",
            title: "What Prospero was",
            about: by(&["PROSPERO-CONTENTS '' '' '' ''".to_owned()])
                + &format!("ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA '{TEXT}'\n"),
        },
    ]
}

/// The answer to a request, whose commands are lines.
fn answer(request: &str, objects: &[Object]) -> String {
    let mut directory = None;
    for line in request.lines() {
        let mut words = line.split(' ');
        match (words.next(), words.next(), words.next()) {
            (Some("DIRECTORY"), Some("ASCII"), Some(name)) => directory = Some(name),
            (Some("LIST"), ..) => {
                return match directory {
                    Some("/" | "''") => list(objects),
                    Some(name) if objects.iter().any(|object| object.name == name) => {
                        "FAILURE NOT-A-DIRECTORY\n".to_owned()
                    }
                    _ => "FAILURE NOT-FOUND nothing of that name is here\n".to_owned(),
                };
            }
            (Some("GET-OBJECT-INFO"), Some(wanted), Some("ASCII")) => {
                let name = words.next().unwrap_or_default();
                return match objects.iter().find(|object| object.name == name) {
                    Some(object) => info(object, wanted),
                    None => "FAILURE NOT-FOUND nothing of that name is here\n".to_owned(),
                };
            }
            _ => {}
        }
    }
    "ERROR no command that is known here\n".to_owned()
}

fn list(objects: &[Object]) -> String {
    let links = objects
        .iter()
        .map(|Object { name, title, .. }| format!("LINK L FILE '{title}' '' '' ASCII {name} 0\n"));
    links.chain(["SUCCESS\n".to_owned()]).collect()
}

/// The description of an object, with its contents only if they are requested.
fn info(object: &Object, wanted: &str) -> String {
    let attributes = object.about.split_inclusive("ATTRIBUTE ");
    let mut told = String::new();
    for attribute in attributes {
        let attribute = attribute.strip_suffix("ATTRIBUTE ").unwrap_or(attribute);
        let is_contents = attribute.starts_with("OBJECT INTRINSIC CONTENTS");
        if !attribute.is_empty() && is_contents == (wanted == "CONTENTS") {
            told += "ATTRIBUTE ";
            told += attribute;
        }
    }
    told + "SUCCESS\n"
}
