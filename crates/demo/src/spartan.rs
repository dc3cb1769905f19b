//! Two small servers that take one line: Spartan, the visitors' book at the station (nothing that is written into it is
//! stored), and nex, the back room of the library.

use std::io;
use std::sync::Arc;

use tokio::net::TcpStream;

use super::assets;
use super::assets::Placeholders;
use super::wire::{Connection, Line};
use super::world::World;

/// The longest line of the book, in octets.
const MAX_LINE_BYTES: usize = 4096;

pub(super) async fn converse(stream: TcpStream, world: Arc<World>) -> io::Result<()> {
    let mut connection = Connection::new(stream);
    let Line::Whole(line) = connection.lines.next().await? else {
        return Ok(());
    };
    let line = String::from_utf8_lossy(&line).into_owned();
    let fields: Vec<&str> = line.split(' ').collect();
    let request = match fields.as_slice() {
        [_, path, length] => length.parse().ok().map(|length: usize| (*path, length)),
        _ => None,
    };
    let response = match request {
        None => b"4 A request is a host, a path and a length\r\n".to_vec(),
        Some((_, length)) if length > MAX_LINE_BYTES => b"4 The book takes 4096 bytes\r\n".to_vec(),
        Some((path, length)) => {
            let data = connection.lines.octets(length).await?;
            response(path, &data, &world)
        }
    };
    connection.end(&response).await
}

/// The response to a request.
fn response(path: &str, data: &[u8], world: &World) -> Vec<u8> {
    let page = |body: &[u8]| [b"2 text/gemini; charset=utf-8\r\n".as_slice(), body].concat();
    match path {
        "/" => {
            let placeholders = Placeholders::new(&world.addresses);
            page(&placeholders.fill(assets::file("spartan/index.gmi")))
        }
        "/book" if data.is_empty() => b"4 Nothing is written on this line\r\n".to_vec(),
        "/book" => page(&[b"# The desk reads\n".as_slice(), data, b"\n"].concat()),
        "/moved" => b"3 /\r\n".to_vec(),
        "/broken" => b"5 The pencil is broken\r\n".to_vec(),
        _ => b"4 No such desk\r\n".to_vec(),
    }
}

/// The nex server: the back room of the library.
pub(super) async fn converse_nex(stream: TcpStream, world: Arc<World>) -> io::Result<()> {
    let mut connection = Connection::new(stream);
    let Line::Whole(path) = connection.lines.next().await? else {
        return Ok(());
    };
    let placeholders = Placeholders::new(&world.addresses);
    let reply = match path.as_slice() {
        b"" | b"/" => placeholders.fill(assets::file("nex/index.txt")),
        b"/lamp.txt" => assets::file("nex/lamp.txt").to_vec(),
        b"/drawer/" => b"The drawer holds one slip.\n=> ../lamp.txt The slip\n".to_vec(),
        b"/door.png" => assets::file("gopher/door.png").to_vec(),
        _ => b"Nothing of that name was ever filed here.\n".to_vec(),
    };
    connection.end(&reply).await
}
