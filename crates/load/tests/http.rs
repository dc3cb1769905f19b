//! Web pages: requests, redirects, and the handling of replies.

mod elements;
mod feeds;
mod formats;
mod forms;
mod html;
mod layout;
mod load;
mod login;
mod proxy;
mod redirect;
mod resume;
mod unchanged;

use std::io::Write;

fn gzip(octets: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(octets).unwrap();
    encoder.finish().unwrap()
}
