//! Against servers that others wrote: gophernicus, pygopherd, vsftpd, pure-ftpd, inn2, nginx, molly-brown and the
//! telnetd of inetutils, on loopback. Beside them, the programs that others keep bookmarks with: buku, lynx, w3m,
//! newsboat, lftp.
//!
//! `.ci/servers cargo test --test main -- --ignored --skip write_picture` starts them over the files that
//! `.ci/content.py` makes, and names their addresses in a file that `$GEOMYS_SERVERS` names. A plain `cargo test` lists
//! these tests as ignored; with the servers, one that is missing is a failure.

mod anywhere;
mod bookmarks;
mod browser;
mod copies;
mod curl;
mod ftp;
mod gemini;
mod gopher;
mod gopher_plus;
mod news;
mod news_login;
mod news_post;
mod telnet;
mod web;

use std::fs;
use std::path::{Path, PathBuf};

use geomys_load::{Purpose, Reason, Request};
use geomys_testing::loading::{carry_out, url};
use geomys_wire::net::Net;

use crate::support::command::geomys;

/// The addresses of the servers, and the directory of the files that they serve.
struct Servers {
    gopher: String,
    plus: String,
    ftp: String,
    ftps: String,
    pure: String,
    news: String,
    web: String,
    gemini: String,
    content: PathBuf,
}

impl Servers {
    /// The servers to test against.
    #[expect(
        clippy::disallowed_methods,
        reason = "the variable is for the tests alone"
    )]
    fn named() -> Self {
        let path = std::env::var_os("GEOMYS_SERVERS").expect("run by .ci/servers");
        let file = fs::read_to_string(path).expect("$GEOMYS_SERVERS names a file");
        let value = |name| {
            file.lines()
                .filter_map(|line| line.split_once(' '))
                .find(|line| line.0 == name)
                .unwrap_or_else(|| panic!("no {name} in {file}"))
                .1
                .to_owned()
        };
        Self {
            gopher: value("gopher"),
            plus: value("gopher+"),
            ftp: value("ftp"),
            ftps: value("ftps"),
            pure: value("pure-ftp"),
            news: value("news"),
            web: value("web"),
            gemini: value("gemini"),
            content: value("content").into(),
        }
    }

    /// The octets of a file that is served.
    fn file(&self, path: impl AsRef<Path>) -> Vec<u8> {
        let path = self.content.join(path);
        fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }
}

/// A text with CRLF line endings, as sent on the wire.
fn with_crlf(text: &[u8]) -> Vec<u8> {
    let lines = text.split_inclusive(|&octet| octet == b'\n');
    lines
        .flat_map(|line| match line.strip_suffix(b"\n") {
            Some(line) => [line, b"\r\n"].concat(),
            None => line.to_vec(),
        })
        .collect()
}

/// Asserts that `address` gives `expected`, octet for octet: loaded, and saved by the real binary.
async fn saves(net: &Net, address: &str, expected: &[u8]) {
    let mut request = Request::show(url(address), Reason::Typed);
    request.purpose = Purpose::Save;
    let loaded = carry_out(net, request).await.whole();
    assert_same(&loaded.octets, expected);

    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("saved");
    let output = geomys(&["get", address, "-o", path.to_str().unwrap()], "");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_same(&fs::read(&path).unwrap(), expected);
    let output = geomys(&["get", address, "-o", "-"], "");
    assert_eq!(output.status.code(), Some(0));
    assert_same(&output.stdout, expected);
}

/// Asserts equality without printing a megabyte on failure.
fn assert_same(octets: &[u8], expected: &[u8]) {
    let at = octets.iter().zip(expected).position(|(a, b)| a != b);
    assert_eq!((octets.len(), at), (expected.len(), None));
}
