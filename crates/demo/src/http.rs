//! A small HTTP server (RFC 9110, RFC 9112): GET and HEAD, one request per connection.
//!
//! Its pages are the front page and those linked from it: a table, a form, a text in Latin-1 (as the header says), a
//! redirection, a missing page, a page with a login, a gateway that shows its requests, and a file to download, with
//! `ETag`, `Range` and `If-Range`; gzip for clients that accept it.

use std::borrow::Cow;
use std::io::{self, Write};
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rfc1738::decode;
use tokio::net::TcpStream;

use super::assets::{self, Placeholders, text};
use super::wire::{Connection, Line, Lines, send};
use super::world::{ACCOUNT, PASSWORD, World};

/// The tag of all pages, which never change.
const TAG: &str = "\"underloam-1\"";

/// The date of all pages.
const WRITTEN: &str = "Fri, 20 Nov 2026 12:00:00 GMT";

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

pub(super) async fn converse(stream: TcpStream, world: Arc<World>) -> io::Result<()> {
    let mut connection = Connection::new(stream);
    let Some(request) = request(&mut connection.lines).await? else {
        let none = "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
        return send(&mut connection.out, none.as_bytes()).await;
    };
    connection.end(&answer(&request, &world)).await
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
    match request.path.as_str() {
        "/old" => {
            let fields = "Location: /page.html\r\n";
            return reply("301 Moved Permanently", fields, b"", request);
        }
        "/gateway" => return gateway(request),
        "/drawer" => return drawer(request),
        _ => {}
    }
    let mut pages = assets::table("web/index.txt");
    let Some([_, file, media]) = pages.find(|[path, _, _]| *path == request.path.as_bytes()) else {
        let fields = "Content-Type: text/html\r\n";
        let words = b"<h1>Not down here</h1><p>Somebody has filled that tunnel in.";
        return reply("404 Not Found", fields, words, request);
    };
    let mut octets = Cow::Borrowed(assets::file(text(file)));
    if media.starts_with(b"text/html") {
        octets = Cow::Owned(Placeholders::new(&world.addresses).fill(&octets));
    }
    let fields = format!(
        "Content-Type: {}\r\nETag: {TAG}\r\nLast-Modified: {WRITTEN}\r\nAccept-Ranges: bytes\r\n",
        text(media)
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
fn gateway(request: &HttpRequest) -> Vec<u8> {
    let url = decode(&request.search);
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
