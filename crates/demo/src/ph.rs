//! The phone book (RFC 2378), read-only.
//!
//! ```text
//! command   = "query" 1*selection [ "return" ( "all" / 1*field ) ] / "fields" [ 1*field ] / "siteinfo" / "status"
//!           / "id" / "set" / "quit" / "exit" / "stop"                                              CRLF
//! selection = [ field "=" ] value
//! word      = [ field "=" ] ( 1*octet / <"> *( octet / "\n" / "\t" / "\" <"> / "\\" ) <"> )
//! pattern   = *( octet / "*" / "+" / "?" / "[" 1*octet "]" )
//! ```
//!
//! A query without results gets 501, a command that would change something gets 517. Not implemented: logins, `help`,
//! and settings that have an effect.

use std::io;
use std::sync::Arc;

use tokio::net::TcpStream;

use super::wire::{Connection, Line, send};
use super::world::World;
use super::world::people::{Person, PhoneBook};

pub(super) async fn converse(stream: TcpStream, world: Arc<World>) -> io::Result<()> {
    let mut connection = Connection::new(stream);
    loop {
        match connection.lines.next().await? {
            Line::Whole(line) => {
                let words = words(&line);
                let keyword = words.first().map(|word| word.text.as_slice());
                if matches!(keyword, Some(b"quit" | b"exit" | b"stop")) {
                    return connection.end(b"200:Bye!\r\n").await;
                }
                let words = words.get(1..).unwrap_or_default();
                let reply = answer(keyword, words, &world.phone_book);
                send(&mut connection.out, &reply).await?;
            }
            Line::TooLong => {
                let refusal = b"599:Syntax error: no name is that long.\r\n";
                return connection.end(refusal).await;
            }
            Line::End => return Ok(()),
        }
    }
}

/// The reply to a command.
fn answer(keyword: Option<&[u8]>, words: &[Word], book: &PhoneBook) -> Vec<u8> {
    match keyword {
        Some(b"query" | b"ph") => query(words, book),
        Some(b"fields") => fields(words, book),
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

fn fields(wanted: &[Word], book: &PhoneBook) -> Vec<u8> {
    let is_wanted =
        |name: &str| wanted.is_empty() || wanted.iter().any(|word| word.text == name.as_bytes());
    let mut reply = String::new();
    for field in book.fields.iter().filter(|field| is_wanted(field.name)) {
        for text in [field.terms, field.description] {
            let (number, name) = (field.number.to_string(), field.name);
            reply.extend(["-200:", &number, ":", name, ":", text, "\r\n"]);
        }
    }
    (reply + "200:Ok.\r\n").into_bytes()
}

fn query(words: &[Word], book: &PhoneBook) -> Vec<u8> {
    let is_return = |word: &Word| word.text == b"return" && !word.is_quoted;
    let mut parts = words.splitn(2, is_return);
    let selections = parts.next().unwrap_or_default();
    let wanted: Vec<&[u8]> = parts.flatten().map(|word| word.text.as_slice()).collect();
    let all = wanted == [b"all"];
    let named = selections.iter().filter_map(|word| word.field.as_deref());
    let mut names = named.chain(wanted.iter().copied().filter(|_| !all));
    if let Some(unknown) = names.find(|name| book.field(name).is_none()) {
        return [b"507:Field does not exist: ", unknown, b"\r\n"].concat();
    }
    let is_indexed = |word: &Word| match &word.field {
        Some(name) => book
            .field(name)
            .is_some_and(|field| field.terms.contains("Indexed")),
        None => true,
    };
    if !selections.iter().any(is_indexed) {
        return b"515:No indexed field in query.\r\n".to_vec();
    }
    let fits = |person: &&Person| selections.iter().all(|words| is_found(person, words));
    let found: Vec<&Person> = book.people.iter().filter(fits).collect();
    let mut reply = match found.len() {
        0 => return b"501:No matches to your query.\r\n".to_vec(),
        1 => b"102:There was 1 match to your request.\r\n".to_vec(),
        many => format!("102:There were {many} matches to your request.\r\n").into_bytes(),
    };
    for (number, person) in (1_usize..).zip(found) {
        for field in &book.fields {
            let is_named = wanted.contains(&field.name.as_bytes());
            let is_default = wanted.is_empty() && field.terms.contains("Default");
            if !(all || is_named || is_default) {
                continue;
            }
            let mut name = field.name;
            let lines = person.lines(name.as_bytes());
            if lines.is_empty() && !all && is_named {
                let line = format!("-508:{number}:{name:>12}: Not present in entry.\r\n");
                reply.extend_from_slice(line.as_bytes());
            }
            for line in lines {
                reply.extend_from_slice(format!("-200:{number}:{name:>12}: ").as_bytes());
                reply.extend_from_slice(line);
                reply.extend_from_slice(b"\r\n");
                name = "";
            }
        }
    }
    reply.extend_from_slice(b"200:Ok.\r\n");
    reply
}

/// Returns true if the words of a selection occur in order in its field, or, without a field, in name or alias.
fn is_found(person: &Person, selection: &Word) -> bool {
    let holds = |name: &[u8]| {
        let mut lines = person.lines(name).iter();
        lines.any(|line| holds(line, &selection.text))
    };
    match &selection.field {
        Some(field) => holds(field),
        None => holds(b"name") || holds(b"alias"),
    }
}

/// A word of a command.
#[derive(Debug, Default, PartialEq, Eq)]
struct Word {
    /// The text before a `=`.
    field: Option<Vec<u8>>,
    text: Vec<u8>,
    is_quoted: bool,
}

/// The words of a line. Quotes join text with spaces.
fn words(line: &[u8]) -> Vec<Word> {
    let mut words = Vec::new();
    let mut word = Word::default();
    let mut inside = false;
    let mut octets = line.iter().copied();
    while let Some(octet) = octets.next() {
        match octet {
            b'"' => {
                inside = !inside;
                word.is_quoted = true;
            }
            b'\\' => match octets.next() {
                Some(b'n') => word.text.push(b'\n'),
                Some(b't') => word.text.push(b'\t'),
                Some(other) => word.text.push(other),
                None => {}
            },
            b' ' | b'\t' if !inside => words.push(std::mem::take(&mut word)),
            b'=' if !inside && word.field.is_none() => {
                word.field = Some(std::mem::take(&mut word.text).to_ascii_lowercase());
            }
            _ => word.text.push(octet),
        }
    }
    words.push(word);
    words.retain(|word| word.is_quoted || word.field.is_some() || !word.text.is_empty());
    words
}

/// Returns true if the words of `pattern` occur in order in `text`, ignoring ASCII case.
fn holds(text: &[u8], pattern: &[u8]) -> bool {
    let text: Vec<Vec<u8>> = split(text).collect();
    let pattern: Vec<Vec<u8>> = split(pattern).collect();
    if pattern.is_empty() {
        return false;
    }
    text.windows(pattern.len()).any(|words| {
        words
            .iter()
            .zip(&pattern)
            .all(|(word, one)| fits(word, one))
    })
}

/// The words of a text, separated by spaces and `,`, `;`, `:`.
fn split(text: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    text.split(|octet| matches!(octet, b' ' | b'\t' | b'\n' | b',' | b';' | b':'))
        .filter(|word| !word.is_empty())
        .map(<[u8]>::to_ascii_lowercase)
}

/// Returns true if a word matches a pattern. All positions in the word that the pattern may have reached are tracked,
/// so that no sequence of stars takes long.
fn fits(word: &[u8], pattern: &[u8]) -> bool {
    let mut places = vec![false; word.len() + 1];
    if let Some(first) = places.first_mut() {
        *first = true;
    }
    let step = |places: &[bool], is: &dyn Fn(u8) -> bool| -> Vec<bool> {
        let moved = places
            .iter()
            .zip(word)
            .map(|(&here, &octet)| here && is(octet));
        std::iter::once(false).chain(moved).collect()
    };
    let onward = |places: &mut Vec<bool>| {
        let mut reached = false;
        for place in places {
            reached |= *place;
            *place = reached;
        }
    };
    let mut rest = pattern;
    while let Some((&octet, after)) = rest.split_first() {
        rest = after;
        match octet {
            b'*' => onward(&mut places),
            b'+' => {
                places = step(&places, &|_| true);
                onward(&mut places);
            }
            b'?' => places = step(&places, &|_| true),
            b'[' => {
                let end = after.iter().position(|&octet| octet == b']');
                let (set, after) = end
                    .and_then(|end| after.split_at_checked(end))
                    .unwrap_or((after, &[]));
                rest = after.get(1..).unwrap_or_default();
                places = step(&places, &|octet| set.contains(&octet));
            }
            _ => places = step(&places, &|other| other == octet),
        }
    }
    places.last() == Some(&true)
}
