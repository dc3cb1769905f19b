//! A small HTTP server (RFC 9110, RFC 9112): GET and HEAD, one request per connection.
//!
//! Its pages are the front page and those linked from it: a table, a form, a text in Latin-1 (as the header says), a
//! redirection, a missing page, a page with a login, a gateway that shows its requests, and a file to download, with
//! `ETag`, `Range` and `If-Range`; gzip for clients that accept it.

use std::io::{self, Write};
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tokio::net::{TcpListener, TcpStream};

use super::wire::{Line, Lines, accept, send};
use super::world::{ACCOUNT, PASSWORD, World};
use crate::url::escape;

/// The tag of all pages, which never change.
const TAG: &str = "\"underloam-1\"";

/// The date of all pages.
const WRITTEN: &str = "Fri, 20 Nov 2026 12:00:00 GMT";

struct Page {
    path: &'static str,
    media: &'static str,
    octets: &'static [u8],
}

const PAGES: [Page; 5] = [
    Page {
        path: "/",
        media: "text/html; charset=utf-8",
        octets: include_bytes!("../../assets/demo/web/index.html"),
    },
    Page {
        path: "/page.html",
        media: "text/html",
        octets: include_bytes!("../../assets/demo/gopher/page.html"),
    },
    Page {
        path: "/rules.html",
        media: "text/html",
        octets: include_bytes!("../../assets/demo/gopher/rules.html"),
    },
    Page {
        path: "/latin1.txt",
        media: "text/plain; charset=iso-8859-1",
        octets: include_bytes!("../../assets/demo/gopher/latin1.txt"),
    },
    Page {
        path: "/seeds.bin",
        media: "application/octet-stream",
        octets: include_bytes!("../../assets/demo/gopher/seeds.bin"),
    },
];

/// A parsed request.
#[derive(Debug, Default)]
struct HttpRequest {
    is_head: bool,
    path: String,
    search: String,
    authorization: String,
    range: Option<usize>,
    takes_gzip: bool,
    is_same: bool,
}

pub(super) async fn serve(listener: TcpListener, world: Arc<World>) {
    accept(listener, world, visit).await;
}

async fn visit(mut stream: TcpStream, world: Arc<World>) -> io::Result<()> {
    let (read, mut write) = stream.split();
    let mut lines = Lines::new(read);
    let Some(request) = request(&mut lines).await? else {
        let none = "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
        send(&mut write, none.as_bytes()).await?;
        return Ok(());
    };
    send(&mut write, &answer(&request, &world)).await?;
    tokio::io::AsyncWriteExt::shutdown(&mut write).await?;
    lines.linger().await;
    Ok(())
}

/// Reads the head of a request; `None` if it is not supported.
async fn request<R: tokio::io::AsyncRead + Unpin>(
    lines: &mut Lines<R>,
) -> io::Result<Option<HttpRequest>> {
    let Line::Whole(first) = lines.next().await? else {
        return Ok(None);
    };
    let first = String::from_utf8_lossy(&first).into_owned();
    let mut words = first.split(' ');
    let (method, path) = (words.next(), words.next().unwrap_or_default());
    let (path, search) = path.split_once('?').unwrap_or((path, ""));
    let mut request = HttpRequest {
        is_head: method == Some("HEAD"),
        path: path.to_owned(),
        search: search.to_owned(),
        is_same: true,
        ..HttpRequest::default()
    };
    if !matches!(method, Some("GET" | "HEAD")) {
        return Ok(None);
    }
    loop {
        let Line::Whole(line) = lines.next().await? else {
            return Ok(None);
        };
        let line = String::from_utf8_lossy(&line).into_owned();
        if line.is_empty() {
            return Ok(Some(request));
        }
        let (name, value) = line.split_once(':').unwrap_or_default();
        let value = value.trim();
        match name.to_ascii_lowercase().as_str() {
            "range" => {
                let first = value.strip_prefix("bytes=");
                let first = first.and_then(|range| range.strip_suffix('-'));
                request.range = first.and_then(|first| first.parse().ok());
            }
            "authorization" => value.clone_into(&mut request.authorization),
            "if-range" => request.is_same = value == TAG || value == WRITTEN,
            "accept-encoding" => request.takes_gzip = value.contains("gzip"),
            _ => {}
        }
    }
}

fn answer(request: &HttpRequest, world: &World) -> Vec<u8> {
    if request.path == "/old" {
        let fields = "Location: /page.html\r\n";
        return reply("301 Moved Permanently", fields, b"", request);
    }
    if request.path == "/gateway" {
        return through(request);
    }
    if request.path == "/drawer" {
        return drawer(request);
    }
    let Some(page) = PAGES.iter().find(|page| page.path == request.path) else {
        let fields = "Content-Type: text/html\r\n";
        let words = b"<h1>Not down here</h1><p>Somebody has filled that tunnel in.";
        return reply("404 Not Found", fields, words, request);
    };
    let octets = if page.media.starts_with("text/html") {
        let page = String::from_utf8_lossy(page.octets);
        page.replace("{gopher}", &world.gopher.to_string())
            .into_bytes()
    } else {
        page.octets.to_vec()
    };
    let fields = format!(
        "Content-Type: {}\r\nETag: {TAG}\r\nLast-Modified: {WRITTEN}\r\nAccept-Ranges: bytes\r\n",
        page.media
    );
    match request.range.filter(|_| request.is_same) {
        Some(first) => match octets.get(first..).filter(|rest| !rest.is_empty()) {
            Some(rest) => {
                let (last, all) = (octets.len() - 1, octets.len());
                let fields = format!("{fields}Content-Range: bytes {first}-{last}/{all}\r\n");
                reply("206 Partial Content", &fields, rest, request)
            }
            None => {
                let fields = format!("Content-Range: bytes */{}\r\n", octets.len());
                reply("416 Range Not Satisfiable", &fields, b"", request)
            }
        },
        None => match gzip(&octets).filter(|_| request.takes_gzip) {
            Some(packed) => {
                let fields = format!("{fields}Content-Encoding: gzip\r\nVary: Accept-Encoding\r\n");
                reply("200 OK", &fields, &packed, request)
            }
            None => reply("200 OK", &fields, &octets, request),
        },
    }
}

/// The page of a gateway, which only shows the requested URL.
fn through(request: &HttpRequest) -> Vec<u8> {
    let url = escape::decode(&request.search);
    let url = String::from_utf8_lossy(&url)
        .replace('&', "&amp;")
        .replace('<', "&lt;");
    let page = format!(
        "<html><head><title>The gateway</title></head><body><h1>The gateway</h1>\
         <p>Somebody asked me for <b>{url}</b>, which nobody speaks.\
         <p>A real gateway would go there and tell what it found. Which one is asked for what is set under [gateways] in \
         settings.toml.</body></html>"
    );
    let fields = "Content-Type: text/html; charset=utf-8\r\n";
    reply("200 OK", fields, page.as_bytes(), request)
}

/// A page that requires a name and a password (RFC 7617).
fn drawer(request: &HttpRequest) -> Vec<u8> {
    let pair = STANDARD.encode(format!("{ACCOUNT}:{PASSWORD}"));
    if request.authorization == format!("Basic {pair}") {
        let fields = "Content-Type: text/html; charset=utf-8\r\n";
        let page = "<html><head><title>Ada's drawer</title></head><body><h1>Ada's drawer</h1>\
                    <p>Pencils, a sieve, and a plan of an engine that would draw plans of engines.</body></html>";
        return reply("200 OK", fields, page.as_bytes(), request);
    }
    let fields = "WWW-Authenticate: Basic realm=\"Ada's drawer\"\r\nContent-Type: text/html\r\n";
    let words = b"<p>This drawer is Ada's.";
    reply("401 Unauthorized", fields, words, request)
}

fn reply(status: &str, fields: &str, body: &[u8], request: &HttpRequest) -> Vec<u8> {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\n{fields}Content-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    let body = if request.is_head { b"" } else { body };
    [head.as_bytes(), body].concat()
}

fn gzip(octets: &[u8]) -> Option<Vec<u8>> {
    let level = flate2::Compression::default();
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), level);
    encoder.write_all(octets).ok()?;
    encoder.finish().ok()
}
