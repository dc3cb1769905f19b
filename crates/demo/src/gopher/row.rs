//! Rows of menus, and the end of a reply.

use crate::world::pages::WorldPage;
use crate::world::{World, pages};

pub(super) fn closed(mut block: Vec<u8>) -> Vec<u8> {
    block.extend_from_slice(b".\r\n");
    block
}

/// The menu row for `page`.
pub(super) fn row(world: &World, page: &WorldPage) -> Vec<u8> {
    let sign = pages::form(page.selector).map_or('+', |_| '?');
    let (host, port) = (world.addresses.gopher.ip(), world.addresses.gopher.port());
    let behind = format!("\t{host}\t{port}\t{sign}\r\n");
    let title = page.title.as_bytes();
    [&[page.kind], title, b"\t", page.selector, behind.as_bytes()].concat()
}

pub(super) fn info(text: &str) -> Vec<u8> {
    format!("i{text}\t\tnull.host\t1\r\n").into_bytes()
}
