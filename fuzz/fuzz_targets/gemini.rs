//! Octets as a response of a Gemini server, and as gemtext.

#![no_main]

use geomys_fuzz::{check_document, connection, runtime, split};
use geomys_page::document::Shape;
use geomys_wire::net::Limits;
use geomys_wire::protocol::gemini;

geomys_fuzz::target!(|octets: &[u8]| {
    let (how, octets) = split(octets);
    if how & 1 == 0 {
        runtime().block_on(receive(octets));
        return;
    }
    let piece = usize::from(how) + 1;
    let mut document = check_document("gemini://h.example/a/b", Shape::Gemtext, octets, piece);
    let count = document.count();
    assert!(document.outline().iter().all(|entry| entry.row < count));
    for row in (0..count.min(200)).rev() {
        document.toggle_remark(row);
    }
    assert!(document.count() <= count);
});

async fn receive(octets: &[u8]) {
    let line = b"gemini://h.example/";
    let limits = Limits::default();
    let request = gemini::request(connection(octets), line, b"", "h:1965", &limits);
    let Ok(mut response) = request.await else {
        return;
    };
    assert!((10..70).contains(&response.header.code));
    assert!(response.header.meta.len() <= 1024);
    response.header.status();
    let mut length = 0;
    while let Ok(body) = response.body.next().await
        && !body.is_empty()
    {
        length += body.len();
    }
    assert!(length <= octets.len());
}
