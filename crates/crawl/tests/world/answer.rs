//! The octets of an answer over each protocol.

use std::fmt;
use std::io::Write;
use std::net::SocketAddr;

use flate2::Compression;
use flate2::write::GzEncoder;
use geomys_testing::hole::menu;

use super::fault::{Fault, Phase, Rules, Wire};

/// How a connection ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Close,
    /// TLS is not closed.
    Abort,
    /// The server waits for the client.
    Stall,
    /// An octet comes from time to time.
    Drip,
}

/// What came of a request, as the server knows it.
#[derive(Clone, PartialEq, Eq)]
pub enum Sent {
    /// The whole page, with this content.
    Whole(Vec<u8>),
    /// The same, whose end is not confirmed.
    Unconfirmed(Vec<u8>),
    /// The same, that may not be stored.
    Unstorable,
    /// The page is as the copy that the client named.
    Unchanged,
    /// The word that there is no such page.
    Gone,
    /// A redirect.
    Redirect,
    Nothing,
}

impl fmt::Debug for Sent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Whole(_) => "whole",
            Self::Unconfirmed(_) => "unconfirmed",
            Self::Unstorable => "no-store",
            Self::Unchanged => "unchanged",
            Self::Gone => "gone",
            Self::Redirect => "redirect",
            Self::Nothing => "nothing",
        })
    }
}

/// An answer.
pub struct Answer {
    pub octets: Vec<u8>,
    pub end: End,
    pub sent: Sent,
}

impl Answer {
    fn closed(octets: impl Into<Vec<u8>>, sent: Sent) -> Self {
        Self {
            octets: octets.into(),
            end: End::Close,
            sent,
        }
    }

    fn ending(self, end: End) -> Self {
        Self { end, ..self }
    }
}

/// The words that all pages have: their sizes count.
const PADDING: &str = "The same words stand on each page, so that pages have a size.";

/// The word on a page whose links are not read.
pub const UNREAD: &str = "plain";

/// A server that refuses connections: the port is reserved (RFC 6335).
const REFUSED: &str = "127.0.0.1:1";

/// Returns the number of the page of a path.
pub fn number(path: &str) -> Option<usize> {
    match path {
        "" | "/" => Some(0),
        _ => path.strip_prefix("/p")?.parse().ok(),
    }
}

/// Returns the path of a page.
pub fn path(page: usize) -> String {
    match page {
        0 => "/".to_owned(),
        page => format!("/p{page}"),
    }
}

/// The content of a page with an answer that has one.
fn content(wire: Wire, phase: &Phase, page: usize, here: SocketAddr) -> Vec<u8> {
    let fault = phase.faults[page];
    let links = match fault {
        Fault::Bare | Fault::LoginPage | Fault::NoContent => Vec::new(),
        _ => phase.links[page].clone(),
    };
    let words = match fault {
        Fault::NoContent => return Vec::new(),
        // Nobody follows its links, except over Gopher, which has no media types.
        Fault::PlainType | Fault::BinaryType if wire != Wire::Gopher => {
            format!("page {page} {UNREAD} {PADDING}")
        }
        Fault::Changed => format!("page {page} has changed. {PADDING}"),
        Fault::SameSize => format!("page {page} {}", PADDING.replace("same", "SAME")),
        Fault::Grown => format!("page {page} {}", PADDING.repeat(3)),
        Fault::Shrunk => format!("page {page}"),
        Fault::Bare => "Maintenance".to_owned(),
        Fault::LoginPage => "Who are you?".to_owned(),
        Fault::Huge => format!("page {page} {}", PADDING.repeat(2000)),
        _ => format!("page {page} {PADDING}"),
    };
    let paths = links.iter().map(|to| format!("/p{to}"));
    let own = ["/hidden/x", "/excepted/x"].map(str::to_owned);
    let paths = paths.chain(own.into_iter().filter(|_| page == 0));
    match wire {
        Wire::Http => {
            let links = paths.map(|path| format!("<p><a href='{path}'>to {path}</a>\n"));
            format!("<!DOCTYPE html><p>{words}\n{}", links.collect::<String>()).into_bytes()
        }
        Wire::Gemini => {
            let links = paths.map(|path| format!("=> {path} to {path}\n"));
            format!("# {words}\n{}", links.collect::<String>()).into_bytes()
        }
        Wire::Gopher => {
            let links = paths.map(|path| format!("1to {path}\t{path}\t@"));
            let words = format!("i{words}\t\terror.host\t1");
            let search = "7search\t/search\t@".to_owned();
            let rows: Vec<String> = [words, search].into_iter().chain(links).collect();
            let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
            menu(&rows, here)
        }
    }
}

fn compressed(octets: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(octets).unwrap();
    encoder.finish().unwrap()
}

/// Returns the target of a redirect.
fn target(fault: Fault, path: &str, wire: Wire) -> String {
    let scheme = match wire {
        Wire::Http => "http",
        Wire::Gemini => "gemini",
        Wire::Gopher => "gopher",
    };
    match fault {
        Fault::Moved(to) | Fault::MovedForGood(to) => format!("/p{to}"),
        Fault::ToItself => path.to_owned(),
        Fault::Endless => format!("{path}/again"),
        Fault::ToNowhere => format!("{scheme}://nowhere.invalid/"),
        Fault::ToRefused => format!("{scheme}://{REFUSED}/"),
        Fault::ToExcepted => "/excepted/x".to_owned(),
        Fault::ToHidden => "/hidden/x".to_owned(),
        Fault::ToNonsense => format!("{scheme}://["),
        _ => String::new(),
    }
}

/// Returns the answer to a request of a path; `known` is the version that the client has.
pub fn answer(
    wire: Wire,
    phase: &Phase,
    (path, known): (&str, Option<&str>),
    here: SocketAddr,
) -> Answer {
    if path.ends_with("robots.txt") {
        return rules(wire, phase.rules, here);
    }
    let base = path.trim_end_matches("/again");
    let is_public = ["/hidden/x", "/excepted/x"].contains(&path);
    let page = number(base).filter(|page| *page < phase.faults.len());
    let Some(page) = page else {
        let content = content(wire, &phase.healed(), 1, here);
        return if is_public {
            whole(wire, Fault::Good, &content, known)
        } else {
            refusal(wire, Fault::Missing, path, here)
        };
    };
    let fault = phase.faults[page];
    match fault {
        Fault::Good
        | Fault::Changed
        | Fault::SameSize
        | Fault::Grown
        | Fault::Shrunk
        | Fault::Bare
        | Fault::LoginPage
        | Fault::PlainType
        | Fault::BinaryType
        | Fault::NoType
        | Fault::Compressed
        | Fault::NoStore
        | Fault::Huge
        | Fault::Unconfirmed
        | Fault::NoContent => whole(wire, fault, &content(wire, phase, page, here), known),
        Fault::Cut | Fault::Stalls | Fault::Drips => {
            let Answer { octets, .. } =
                whole(wire, Fault::Good, &content(wire, phase, page, here), None);
            let half = octets.get(..octets.len() - 60).unwrap().to_vec();
            // At the end of a line, where nothing but the end tells it.
            let lines = half.rsplit(|octet| *octet == b'\n').next().unwrap().len();
            let half = &half[..half.len() - lines];
            let sent = match wire {
                // Nothing tells it from a page whose end is not confirmed.
                Wire::Gemini if fault == Fault::Cut => {
                    Sent::Unconfirmed(half["20 text/gemini\r\n".len()..].to_vec())
                }
                Wire::Gopher if fault == Fault::Cut => Sent::Unconfirmed(half.to_vec()),
                _ => Sent::Nothing,
            };
            Answer::closed(half, sent).ending(match fault {
                Fault::Stalls => End::Stall,
                Fault::Drips => End::Drip,
                _ => End::Abort,
            })
        }
        Fault::Empty => Answer::closed("", Sent::Nothing).ending(End::Abort),
        Fault::Silent => Answer::closed("", Sent::Nothing).ending(End::Stall),
        _ => refusal(wire, fault, base, here),
    }
}

/// Returns a whole page.
fn whole(wire: Wire, fault: Fault, content: &[u8], known: Option<&str>) -> Answer {
    let octets = match (wire, fault) {
        (Wire::Http | Wire::Gemini, Fault::Compressed) => compressed(content),
        _ => content.to_vec(),
    };
    let media = match (wire, fault) {
        (_, Fault::PlainType) => "text/plain",
        (_, Fault::BinaryType) => "application/octet-stream",
        (_, Fault::NoType) => "",
        (Wire::Http, _) => "text/html",
        _ => "text/gemini",
    };
    let sent = match (wire, fault) {
        (Wire::Http, Fault::NoStore) => Sent::Unstorable,
        // An orderly end of TCP is believed.
        (Wire::Gemini, Fault::Unconfirmed) => Sent::Unconfirmed(octets.clone()),
        _ => Sent::Whole(octets.clone()),
    };
    match wire {
        Wire::Gopher => Answer::closed(octets, sent),
        Wire::Gemini => {
            let end = match fault {
                Fault::Unconfirmed => End::Abort,
                _ => End::Close,
            };
            let head = format!("20 {media}\r\n").into_bytes();
            Answer::closed([head, octets].concat(), sent).ending(end)
        }
        Wire::Http => {
            let tag = format!("\"{}-{media}\"", crc(&octets));
            if known == Some(&tag) {
                let head = format!("HTTP/1.1 304 Same\r\nETag: {tag}\r\n\r\n");
                return Answer::closed(head, Sent::Unchanged);
            }
            let length = match fault {
                Fault::Unconfirmed => "Connection: close\r\n".to_owned(),
                _ => format!("Content-Length: {}\r\n", octets.len()),
            };
            let store = match fault {
                Fault::NoStore => "Cache-Control: no-store\r\n",
                _ => "",
            };
            let media = match media {
                "" => String::new(),
                media => format!("Content-Type: {media}\r\n"),
            };
            let head = format!("HTTP/1.1 200 OK\r\nETag: {tag}\r\n{media}{store}{length}\r\n");
            Answer::closed([head.into_bytes(), octets].concat(), sent)
        }
    }
}

fn crc(octets: &[u8]) -> u32 {
    let mut sum = flate2::Crc::new();
    sum.update(octets);
    sum.sum()
}

/// Returns an answer without a page.
fn refusal(wire: Wire, fault: Fault, path: &str, here: SocketAddr) -> Answer {
    let sent = match fault {
        Fault::Missing | Fault::Gone => Sent::Gone,
        _ if fault.is_redirect() && wire != Wire::Gopher => Sent::Redirect,
        _ => Sent::Nothing,
    };
    let to = target(fault, path, wire);
    let octets = match wire {
        Wire::Http => over_http(fault, &to).into_bytes(),
        Wire::Gemini => over_gemini(fault, &to).into_bytes(),
        Wire::Gopher if sent == Sent::Gone => menu(&["3gone\t\terror.host\t1"], here),
        // A page of maintenance with an error row: no word that the page is gone.
        Wire::Gopher => menu(
            &["iMaintenance\t\terror.host\t1", "3later\t\terror.host\t1"],
            here,
        ),
    };
    Answer::closed(octets, sent)
}

fn over_http(fault: Fault, to: &str) -> String {
    let status = match fault {
        Fault::Missing => "404 Not Found",
        Fault::Gone => "410 Gone",
        Fault::Forbidden => "403 Forbidden",
        Fault::Broken => "500 Broken",
        Fault::Unavailable => "503 Unavailable",
        Fault::Busy => "503 Busy\r\nRetry-After: 2",
        Fault::BusyForLong => "503 Busy\r\nRetry-After: 7200",
        Fault::AsksForLogin => "401 Who\r\nWWW-Authenticate: Basic realm=\"r\"",
        Fault::AsksForWords => "402 Pay",
        Fault::OddStatus => "599 Odd",
        Fault::OddHead => "200 OK\r\nno field",
        Fault::Nonsense => return "nonsense\r\n\r\n".to_owned(),
        Fault::MovedForGood(_) => "301 Moved",
        _ => "302 Found",
    };
    let to = match fault {
        Fault::ToNothing => String::new(),
        fault if fault.is_redirect() => format!("Location: {to}\r\n"),
        _ => String::new(),
    };
    format!("HTTP/1.1 {status}\r\n{to}Content-Length: 0\r\n\r\n")
}

fn over_gemini(fault: Fault, to: &str) -> String {
    let line = match fault {
        Fault::Missing => "51 none",
        Fault::Gone => "52 gone",
        Fault::Forbidden => "50 no",
        Fault::Broken => "42 broken",
        Fault::Unavailable => "41 later",
        Fault::Busy => "44 2",
        Fault::BusyForLong => "44 7200",
        Fault::AsksForLogin => "60 who",
        Fault::AsksForWords => "10 what",
        Fault::OddStatus => "99 odd",
        Fault::OddHead => "2x text/gemini",
        Fault::Nonsense => "nonsense",
        Fault::MovedForGood(_) => return format!("31 {to}\r\n"),
        _ => return format!("30 {to}\r\n"),
    };
    format!("{line}\r\n")
}

/// Returns the rules of the host.
fn rules(wire: Wire, rules: Rules, here: SocketAddr) -> Answer {
    let text = "User-agent: *\nDisallow: /hidden\n".as_bytes().to_vec();
    match rules {
        Rules::Hidden => whole(wire, Fault::PlainType, &text, None),
        Rules::Marked => {
            let marked = ["\u{feff}".as_bytes(), &text].concat();
            match wire {
                Wire::Http => whole(wire, Fault::NoStore, &marked, None),
                _ => whole(wire, Fault::PlainType, &marked, None),
            }
        }
        Rules::Missing => refusal(wire, Fault::Missing, "", here),
        Rules::Broken => refusal(wire, Fault::Broken, "", here),
        Rules::Silent => Answer::closed("", Sent::Nothing).ending(End::Stall),
        Rules::Drips => {
            let Answer { octets, .. } = whole(wire, Fault::PlainType, &text, None);
            Answer::closed(&octets[..octets.len() - 9], Sent::Nothing).ending(End::Drip)
        }
    }
}
