//! A small nex server: the back room of the library.

use std::io;
use std::sync::Arc;

use tokio::net::TcpStream;

use super::assets::{self, Placeholders};
use super::wire::{Connection, Line};
use super::world::World;

pub(super) async fn converse(stream: TcpStream, world: Arc<World>) -> io::Result<()> {
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
