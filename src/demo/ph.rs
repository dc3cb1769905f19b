//! The phone book (RFC 2378), read-only.
//!
//! ```text
//! command   = "query" 1*selection [ "return" ( "all" / 1*field ) ] / "fields" [ 1*field ] / "siteinfo" / "status"
//!           / "id" / "set" / "quit" / "exit" / "stop"                                              CRLF
//! selection = [ field "=" ] value
//! ```
//!
//! A query without results gets 501, a command that would change something gets 517. Not implemented: logins, `help`,
//! and settings that have an effect.

mod pattern;

use std::io;
use std::sync::Arc;

use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};

use self::pattern::{Word, holds, words};
use super::wire::{self, Line, Lines, send};
use super::world::World;
use super::world::people::Person;

/// The fields of the book: number, name, terms, description.
const FIELDS: [(u32, &str, &str, &str); 10] = [
    (
        6,
        "alias",
        "max 32 Indexed Lookup Public Default",
        "One word for somebody.",
    ),
    (
        3,
        "name",
        "max 64 Indexed Lookup Public Default",
        "The whole name.",
    ),
    (
        4,
        "title",
        "max 64 Indexed Lookup Public Default",
        "What somebody does.",
    ),
    (
        5,
        "department",
        "max 64 Indexed Lookup Public Default",
        "Where somebody does it.",
    ),
    (
        1,
        "phone",
        "max 64 Indexed Lookup Public Default",
        "How often to tap on the pipe.",
    ),
    (
        2,
        "email",
        "max 128 Indexed Lookup Public Default",
        "Where letters go.",
    ),
    (
        7,
        "address",
        "max 128 Lookup Public Default",
        "Where somebody lives.",
    ),
    (8, "fax", "max 64 Lookup Public", "Where drawings go."),
    (
        9,
        "hours",
        "max 128 Lookup Public",
        "When somebody is awake.",
    ),
    (
        16,
        "other",
        "max 256 Lookup Public",
        "What else there is to say.",
    ),
];

/// Runs the phone book of `world` on `listener` until the future is dropped.
pub async fn serve(listener: TcpListener, world: Arc<World>) {
    wire::accept(listener, world, visit).await;
}

async fn visit(stream: TcpStream, world: Arc<World>) -> io::Result<()> {
    let (reading, mut out) = stream.into_split();
    let mut lines = Lines::new(reading);
    loop {
        let reply = match lines.next().await? {
            Line::Whole(line) => {
                let words = words(&line);
                let keyword = words.first().map(|word| word.text.as_slice());
                if matches!(keyword, Some(b"quit" | b"exit" | b"stop")) {
                    send(&mut out, b"200:Bye!\r\n").await?;
                    break;
                }
                answer(keyword, words.get(1..).unwrap_or_default(), &world)
            }
            Line::TooLong => {
                send(&mut out, b"599:Syntax error: no name is that long.\r\n").await?;
                break;
            }
            Line::End => return Ok(()),
        };
        send(&mut out, &reply).await?;
    }
    out.shutdown().await?;
    lines.linger().await;
    Ok(())
}

/// The reply to a command.
fn answer(keyword: Option<&[u8]>, words: &[Word], world: &World) -> Vec<u8> {
    match keyword {
        Some(b"query" | b"ph") => query(words, world),
        Some(b"fields") => fields(words),
        Some(b"siteinfo") => b"-200:1:version:Underloam 1\r\n-200:2:maildomain:\r\n-200:3:mailfield:email\r\n\
            -200:4:mailbox:email\r\n-200:5:administrator:postmaster@underloam.example\r\n200:Ok.\r\n"
            .to_vec(),
        Some(b"status") => b"100:The phone book of Underloam.\r\n201:Database ready, read-only.\r\n".to_vec(),
        Some(b"id" | b"set") => b"200:Done.\r\n".to_vec(),
        Some(b"add" | b"change" | b"delete" | b"login" | b"xlogin") => {
            b"517:Operation failed because database is read-only.\r\n".to_vec()
        }
        Some(_) | None => b"514:Unknown command.\r\n".to_vec(),
    }
}

fn fields(wanted: &[Word]) -> Vec<u8> {
    let mut reply = Vec::new();
    for (id, name, terms, text) in FIELDS {
        if wanted.is_empty() || wanted.iter().any(|word| word.text == name.as_bytes()) {
            reply.extend_from_slice(
                format!("-200:{id}:{name}:{terms}\r\n-200:{id}:{name}:{text}\r\n").as_bytes(),
            );
        }
    }
    reply.extend_from_slice(b"200:Ok.\r\n");
    reply
}

/// The terms of a field; `None` if there is no such field.
fn terms(name: &[u8]) -> Option<&'static str> {
    let field = FIELDS.iter().find(|field| field.1.as_bytes() == name);
    field.map(|field| field.2)
}

fn query(words: &[Word], world: &World) -> Vec<u8> {
    let is_return = |word: &Word| word.text == b"return" && !word.is_quoted;
    let end = words.iter().position(is_return).unwrap_or(words.len());
    let (selections, wanted) = words.split_at_checked(end).unwrap_or((words, &[]));
    let wanted: Vec<&[u8]> = wanted
        .iter()
        .skip(1)
        .map(|word| word.text.as_slice())
        .collect();
    let named = selections.iter().filter_map(|word| word.field.as_deref());
    let all = wanted == [b"all"];
    let asked = wanted.iter().copied().filter(|_| !all);
    if let Some(unknown) = named
        .clone()
        .chain(asked)
        .find(|name| terms(name).is_none())
    {
        return [b"507:Field does not exist: ", unknown, b"\r\n"].concat();
    }
    let is_indexed = |word: &Word| match &word.field {
        Some(field) => terms(field).is_some_and(|terms| terms.contains("Indexed")),
        None => true,
    };
    if !selections.iter().any(is_indexed) {
        return b"515:No indexed field in query.\r\n".to_vec();
    }
    let fits = |person: &&Person| {
        selections
            .iter()
            .all(|selection| is_found(person, selection))
    };
    let found: Vec<&Person> = world.people.0.iter().filter(fits).collect();
    let mut reply = match found.len() {
        0 => return b"501:No matches to your query.\r\n".to_vec(),
        1 => b"102:There was 1 match to your request.\r\n".to_vec(),
        many => format!("102:There were {many} matches to your request.\r\n").into_bytes(),
    };
    for (number, person) in (1_usize..).zip(found) {
        let shown = FIELDS.iter().filter(|field| match wanted.as_slice() {
            [] => field.2.contains("Default"),
            some => all || some.contains(&field.1.as_bytes()),
        });
        for (_, name, ..) in shown {
            let lines = person.lines(name.as_bytes());
            if lines.is_empty() && !wanted.is_empty() && !all {
                let line = format!("-508:{number}:{name:>12}: Not present in entry.\r\n");
                reply.extend_from_slice(line.as_bytes());
            }
            for (row, line) in lines.iter().enumerate() {
                let name = if row == 0 { name } else { "" };
                reply.extend_from_slice(format!("-200:{number}:{name:>12}: ").as_bytes());
                reply.extend_from_slice(line);
                reply.extend_from_slice(b"\r\n");
            }
        }
    }
    reply.extend_from_slice(b"200:Ok.\r\n");
    reply
}

/// Returns true if the words of a selection occur in order in its field, or, without a field, in name or alias.
fn is_found(person: &Person, selection: &Word) -> bool {
    let names: [&[u8]; 2] = match &selection.field {
        Some(field) => [field, field],
        None => [b"name", b"alias"],
    };
    names
        .iter()
        .flat_map(|name| person.lines(name))
        .any(|line| holds(line, &selection.text))
}
