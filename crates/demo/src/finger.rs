//! A small finger server (RFC 1288): a list of logged-in people, and a plan of each.
//!
//! ```text
//! request = [ "/W" ] [ SP ] [ name ] CRLF
//! ```
//!
//! Everyone in the phone book can be queried, by alias or by a part of the name. Queries for another host are
//! refused, as section 3.2.1 allows.

use std::io;
use std::sync::Arc;

use tokio::net::TcpStream;

use super::wire::{Connection, Line};
use super::world::World;
use super::world::people::Person;

/// The people who are logged in: login and activity.
const IN_TOWN: [(&[u8], &str); 3] = [
    (b"dibble", "at the key of the telegraph"),
    (b"ada", "with the engine, do not disturb"),
    (b"botta", "idle for three days, and awake"),
];

pub(super) async fn converse(stream: TcpStream, world: Arc<World>) -> io::Result<()> {
    let mut connection = Connection::new(stream);
    let Line::Whole(query) = connection.lines.next().await? else {
        return Ok(());
    };
    let reply = answer(&query, &world).replace('\n', "\r\n");
    connection.end(reply.as_bytes()).await
}

fn answer(query: &[u8], world: &World) -> String {
    let query = query.strip_prefix(b"/W").unwrap_or(query).trim_ascii();
    if query.contains(&b'@') {
        return "Underloam asks nobody else for you: ask there yourself.\n".to_owned();
    }
    let query = query.to_ascii_lowercase();
    if query.is_empty() {
        let there = IN_TOWN.map(|(login, what)| {
            let login = String::from_utf8_lossy(login);
            format!("{login:<10} {what}\n")
        });
        return format!(
            "Login      What they do\n{}\nAsk about one of them by name.\n",
            there.concat()
        );
    }
    let is_asked = |person: &&Person| {
        let has = |field: &[u8], exactly: bool| {
            person.lines(field).iter().any(|line| {
                let line = line.to_ascii_lowercase();
                let mut words = line.split(|octet| *octet == b' ');
                line == query || !exactly && words.any(|word| word == query)
            })
        };
        has(b"alias", true) || has(b"name", false)
    };
    let found: Vec<String> = world
        .phone_book
        .people
        .iter()
        .filter(is_asked)
        .map(told)
        .collect();
    if found.is_empty() {
        return format!("Nobody is called {} here.\n", query.escape_ascii());
    }
    found.join("\n")
        + &format!(
            "\nThe rest of the town: gopher://{}/\n",
            world.addresses.gopher
        )
}

/// The description of a person.
fn told(person: &Person) -> String {
    let mut told = String::new();
    for (name, lines) in &person.fields {
        let mut label = format!("{}:", String::from_utf8_lossy(name));
        for line in lines {
            let line = String::from_utf8_lossy(line);
            told.extend([&*format!("{label:<12}"), &line, "\n"]);
            label.clear();
        }
    }
    told
}
