//! A small Prospero server (protocol 5 over ARDP): a directory whose links lead to the demo's other servers.
//!
//! It answers `DIRECTORY` with `LIST`, and `GET-OBJECT-INFO`. Every answer is a single packet, because all are short.
//! Not implemented: acknowledgements, queues, authentication.

use std::sync::Arc;

use geomys_wire::protocol::prospero::ardp::parse;
use tokio::net::UdpSocket;

use super::Addresses;
use super::world::World;

/// An object in the directory, by name.
struct Object {
    name: &'static str,
    title: &'static str,
    /// The attributes, as they follow `ATTRIBUTE OBJECT INTRINSIC`.
    attributes: Vec<String>,
}

/// The text of the server's own object. Quotes are doubled in it.
const TEXT: &str = "Prospero was a way to call things by your own names, wherever they were kept. A directory\n\
    was a list of links, and a link told which way led to the thing: by FTP, by Gopher, by WAIS.\n\
    The mole who built the town''s directory has moved on. It is still right.\n";

/// Runs the server until the future is dropped.
pub(super) async fn serve(socket: UdpSocket, world: Arc<World>) {
    let objects = objects(&world.addresses);
    let mut datagram = vec![0; 4096];
    loop {
        // A failed client must not stop the server for the others.
        let Ok((length, from)) = socket.recv_from(&mut datagram).await else {
            continue;
        };
        let datagram = datagram.get(..length).unwrap_or_default();
        if let Some(packet) = reply(datagram, &objects) {
            let _ = socket.send_to(&packet, from).await;
        }
    }
}

/// The packet that answers a datagram; `None` if it is not the only packet of a request.
fn reply(datagram: &[u8], objects: &[Object]) -> Option<Vec<u8>> {
    let (header, request) = parse(datagram).filter(|(header, _)| header.number == 1)?;
    let [high, low] = header.id.to_be_bytes();
    let answer = answer(&String::from_utf8_lossy(request), objects);
    Some([&[3, high, low], answer.as_bytes()].concat())
}

fn objects(addresses: &Addresses) -> Vec<Object> {
    let [gopher, ftp, wais] = [addresses.gopher, addresses.ftp, addresses.wais]
        .map(|at| format!("INTERNET-D {}({}) ASCII", at.ip(), at.port()));
    vec![
        Object {
            name: "/soup",
            title: "Potato soup, two ways",
            attributes: vec![
                format!("ACCESS-METHOD SEQUENCE AFTP {ftp} /pub/texts/potato-soup.txt TEXT"),
                format!("ACCESS-METHOD SEQUENCE WAIS {wais} almanac/8"),
                "KEYWORDS SEQUENCE soup potatoes winter".to_owned(),
            ],
        },
        Object {
            name: "/map",
            title: "The map of the town",
            attributes: vec![format!("ACCESS-METHOD SEQUENCE GOPHER {gopher} /map 1")],
        },
        Object {
            name: "/almanac",
            title: "The almanac, to be searched",
            attributes: vec![format!("ACCESS-METHOD SEQUENCE WAIS {wais} almanac")],
        },
        Object {
            name: "/attic",
            title: "The attic, by NFS alone",
            attributes: vec![
                "ACCESS-METHOD SEQUENCE NFS INTERNET-D underloam.example ASCII /attic".to_owned(),
            ],
        },
        Object {
            name: "/about",
            title: "What Prospero was",
            attributes: vec![
                "ACCESS-METHOD SEQUENCE PROSPERO-CONTENTS '' '' '' ''".to_owned(),
                format!("CONTENTS SEQUENCE DATA '{TEXT}'"),
            ],
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
    let is_wanted = |text: &&String| text.starts_with("CONTENTS") == (wanted == "CONTENTS");
    let attributes = object.attributes.iter().filter(is_wanted);
    let lines = attributes.map(|text| format!("ATTRIBUTE OBJECT INTRINSIC {text}\n"));
    lines.chain(["SUCCESS\n".to_owned()]).collect()
}
