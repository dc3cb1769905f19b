//! The almanac of Underloam: a WAIS database, and a directory of servers that has one entry (RFC 1625).
//!
//! A search finds the documents that contain one of its words, the one with the most matches first. Documents are
//! sent in the requested pieces. Not implemented: queries with operators, and everything that the profile of 1994
//! leaves out.

use std::borrow::Cow;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use geomys_wire::protocol::wais::apdu::{Tags, any, num};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::assets::{self, text};
use super::world::World;

/// The database of the demo's bookmark.
pub const DATABASE: &str = "almanac";

/// The directory of servers.
pub const DIRECTORY: &str = "directory-of-servers";

/// The number of octets before an APDU.
const HEADER: usize = 25;

/// The longest request.
const MAX_REQUEST_BYTES: usize = 64 * 1024;

/// A document of the database.
struct WaisDocument {
    id: &'static str,
    headline: &'static str,
    wtype: &'static str,
    octets: Cow<'static, [u8]>,
}

pub(super) async fn converse(mut stream: TcpStream, world: Arc<World>) -> io::Result<()> {
    let mut header = [0; HEADER];
    loop {
        if stream.read_exact(&mut header).await.is_err() {
            return Ok(());
        }
        let length = std::str::from_utf8(header.get(..10).unwrap_or_default());
        let length: Option<usize> = length.ok().and_then(|digits| digits.parse().ok());
        let Some(length) = length.filter(|length| *length <= MAX_REQUEST_BYTES) else {
            return Ok(());
        };
        let mut apdu = vec![0; length];
        stream.read_exact(&mut apdu).await?;
        let Some(answer) = answer(&apdu, world.addresses.wais) else {
            return Ok(());
        };
        let mut message = format!("{:010}z2wais        0", answer.len()).into_bytes();
        message.extend(answer);
        stream.write_all(&message).await?;
    }
}

/// The answer to a request; `None` if it is malformed.
fn answer(apdu: &[u8], here: SocketAddr) -> Option<Vec<u8>> {
    let (length, rest) = apdu.split_first_chunk::<2>()?;
    let (header, behind) = rest.split_at_checked(usize::from(u16::from_be_bytes(*length)))?;
    match header.split_first()? {
        (20, _) => Some(b"\0\x02\x15\x01".to_vec()),
        (22, rest) => {
            let tlvs: Vec<_> = Tags(rest.get(10..)?).collect();
            let find = |tag| {
                tlvs.iter()
                    .find(|(found, _)| *found == tag)
                    .map(|(_, octets)| *octets)
            };
            let database = find(18)?;
            let records = match find(20)? {
                b"3" => search(database, behind, here)?,
                _ => piece(database, behind, here)?,
            };
            let mut answer = b"\0\x0b\x17\x01\0\0\0\0\0\0\0\0\0".to_vec();
            any(&mut answer, 99, &records);
            Some(answer)
        }
        _ => None,
    }
}

/// The source of the almanac, the only entry of the directory of servers.
fn source(here: SocketAddr) -> Vec<u8> {
    let (host, port) = (here.ip(), here.port());
    format!(
        "(:source\n  :version 3\n  :ip-name \"{host}\"\n  :tcp-port {port}\n  :database-name \"{DATABASE}\"\n  \
         :cost 0.00\n  :cost-unit :free\n  :maintainer \"almanac@underloam.example\"\n  :description \"The almanac of \
         Underloam: tunnels, weather, soup.\nAsk for any word; those who ask for potatoes find the most.\n\"\n)\n"
    )
    .into_bytes()
}

/// The documents of a database; `None` if there is no such database.
fn documents(database: &[u8], here: SocketAddr) -> Option<Vec<WaisDocument>> {
    if database == DATABASE.as_bytes() {
        let rows = assets::table("wais/almanac.txt");
        let documents = rows.map(|[id, wtype, file, headline]| WaisDocument {
            id: text(id),
            headline: text(headline),
            wtype: text(wtype),
            octets: Cow::Borrowed(assets::file(text(file))),
        });
        return Some(documents.collect());
    }
    let is_directory = database == DIRECTORY.as_bytes() || database.is_empty();
    is_directory.then(|| {
        vec![WaisDocument {
            id: "almanac.src",
            headline: "almanac.src",
            wtype: "WSRC",
            octets: Cow::Owned(source(here)),
        }]
    })
}

fn search(database: &[u8], behind: &[u8], here: SocketAddr) -> Option<Vec<u8>> {
    let (_, information) = Tags(behind).find(|(tag, _)| *tag == 99)?;
    let (_, words) = Tags(information).find(|(tag, _)| *tag == 106)?;
    let Some(documents) = documents(database, here) else {
        let name = String::from_utf8_lossy(database).into_owned();
        return Some(diagnostic(
            *b"S1",
            &format!("The following database is not available: {name}"),
        ));
    };
    let mut words = words.to_ascii_lowercase();
    // A document that is similar to the one of the request has words of its headline.
    let relevant = Tags(information).find(|(tag, _)| *tag == 116);
    let relevant = relevant.map(|(_, id)| local(id));
    let relevant = documents
        .iter()
        .find(|document| relevant == Some(document.id.as_bytes()));
    if let Some(document) = relevant {
        words.push(b' ');
        words.extend(document.headline.to_ascii_lowercase().bytes());
    }
    let words: Vec<&[u8]> = words
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty())
        .collect();
    let mut found: Vec<_> = documents
        .iter()
        .map(|document| {
            let in_headline = count(document.headline.as_bytes(), &words);
            (in_headline * 5 + count(&document.octets, &words), document)
        })
        .filter(|(count, _)| *count > 0)
        .collect();
    found.sort_by_key(|(count, document)| (usize::MAX - count, document.id));
    let best = found.first().map_or(1, |(count, _)| *count);
    let mut records = Vec::new();
    any(&mut records, 115, &words.join(&b' '));
    for (count, document) in found {
        let mut hit = Vec::new();
        any(&mut hit, 116, document.id.as_bytes());
        let lines = memchr::memchr_iter(b'\n', &document.octets).count();
        let numbers = [
            (118, count * 1000 / best),
            (120, document.octets.len()),
            (131, lines),
        ];
        for (tag, number) in numbers {
            num(&mut hit, tag, u32::try_from(number).unwrap_or(0));
        }
        let mut types = Vec::new();
        any(&mut types, 133, document.wtype.as_bytes());
        any(&mut hit, 132, &types);
        any(&mut hit, 123, document.headline.as_bytes());
        any(&mut records, 150, &hit);
    }
    Some(records)
}

/// The number of occurrences of the words in a text, ignoring case.
fn count(text: &[u8], words: &[&[u8]]) -> usize {
    let text = text.to_ascii_lowercase();
    let times = |word: &&[u8]| memchr::memmem::find_iter(&text, word).count();
    words.iter().map(times).sum()
}

/// Sends a piece of a document. The terms of the request must be in the order in which clients send them.
fn piece(database: &[u8], behind: &[u8], here: SocketAddr) -> Option<Vec<u8>> {
    let (_, query) = Tags(behind).find(|(tag, _)| *tag == 21)?;
    let mut attribute: &[u8] = b"";
    let (mut id, mut start, mut end) = (b"".as_slice(), 0, 0);
    for (tag, octets) in Tags(query) {
        let number = || std::str::from_utf8(octets).ok()?.parse::<usize>().ok();
        match (tag, attribute.get(..5).unwrap_or_default()) {
            (44, _) => attribute = octets,
            (45, b"un re") => id = local(octets),
            (45, b"wb ro") => start = number()?,
            (45, b"wb rl") => end = number()?,
            _ => {}
        }
    }
    let documents = documents(database, here)?;
    let Some(WaisDocument { octets, .. }) = documents
        .iter()
        .find(|document| document.id.as_bytes() == id)
    else {
        return Some(diagnostic(*b"SB", "There is no such document."));
    };
    let start = start.min(octets.len());
    let piece = octets.get(start..end.clamp(start, octets.len()))?;
    let mut document = Vec::new();
    any(&mut document, 116, id);
    any(&mut document, 127, piece);
    let mut records = Vec::new();
    any(&mut records, 153, &document);
    if end > octets.len() {
        records.extend(diagnostic(*b"SF", "Request out of range"));
    }
    Some(records)
}

fn diagnostic(code: [u8; 2], text: &str) -> Vec<u8> {
    let length = u16::try_from(text.len() + 3).unwrap_or(u16::MAX);
    let mut octets = vec![28];
    octets.extend(length.to_be_bytes());
    octets.extend_from_slice(&code);
    octets.extend_from_slice(text.as_bytes());
    octets.extend(b"\0\x1d");
    octets
}

/// The server's own part of a document-id: all of a short one, the third field of one that names server and database
/// too.
fn local(id: &[u8]) -> &[u8] {
    let third = Tags(id).find(|(tag, _)| *tag == 3);
    third.map_or(id, |(_, octets)| octets)
}
