//! Web pages: requests, redirects, and the handling of replies.

mod demo;
mod elements;
mod enter;
mod formats;
mod forms;
mod html;
mod load;
mod proxy;
mod redirect;
mod resume;

use std::io::Write;

/// A reply with these header fields and a body of the announced length.
fn ok(fields: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let head = format!(
        "HTTP/1.1 200 OK\r\n{fields}Content-Length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

fn gzip(octets: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(octets).unwrap();
    encoder.finish().unwrap()
}
