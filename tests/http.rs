//! Pages of the Web: what is asked, where it leads, what is made of what comes.

mod demo;
mod enter;
mod html;
mod load;
mod proxy;
mod redirect;
mod resume;

use std::io::Write;

/// An answer with these fields and a body as long as it says.
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
