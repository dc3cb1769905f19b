//! Gopher+ replies: a header with the length of the reply, and attribute blocks.
//!
//! ```text
//! header = ( "+" / "-" ) ( "-1" / "-2" / 1*digit ) CRLF      ; -1 until a dot, -2 until the close, or that many octets
//! block  = "+" NAME ":" [ " " descriptor ] CRLF *( " " line CRLF )
//! ```
//! All three lengths are used, so that a client meets each of them: documents are counted, menus end with the
//! connection, attributes and errors end in a dot.

use super::{World, WorldPage, pages, wire};
use super::{closed, row};
use crate::assets;
use crate::wire::split_once;

const POSTMASTER: &str = "Bursarius <postmaster@underloam.example>";

/// A document after its header, in the requested view. A page with only one view is always sent in it.
pub(super) fn headed(page: &WorldPage, view: &[u8]) -> Vec<u8> {
    if page.kind == b'1' {
        return menu(&page.body);
    }
    let views = pages::views(page.selector);
    let is_wanted = |(name, _): &&(&str, &str)| name.as_bytes().eq_ignore_ascii_case(view);
    let body = match views.iter().find(is_wanted) {
        Some((_, file)) => assets::file(file),
        None if view.is_empty() || views.is_empty() => &page.body,
        None => return error(b"It is not to be had in that view"),
    };
    let octets = if page.kind == b'0' {
        // Counted octets need no doubled dots, because nothing in them can look like the end.
        wire::lines(body)
            .flat_map(|line| [line, b"\r\n"])
            .collect::<Vec<_>>()
            .concat()
    } else {
        body.to_vec()
    };
    let header = format!("+{}\r\n", octets.len());
    [header.as_bytes(), &octets].concat()
}

/// A menu after its header.
pub(super) fn menu(rows: &[u8]) -> Vec<u8> {
    [b"+-2\r\n", rows].concat()
}

/// An error: code, administrator, and message.
pub(super) fn error(words: &[u8]) -> Vec<u8> {
    let mut reply = format!("--1\r\n1 {POSTMASTER}\r\n").into_bytes();
    wire::stuff(words, &mut reply);
    closed(reply)
}

/// An error with the new location of the item: its row.
pub(super) fn moved(row: &[u8]) -> Vec<u8> {
    let mut reply = format!("--1\r\n3 {POSTMASTER}\r\n").into_bytes();
    reply.extend_from_slice(row);
    reply.extend_from_slice(b"It hangs elsewhere now.\r\n");
    closed(reply)
}

/// The answer to `!`: the attributes of one item.
pub(super) fn attributes(world: &World, page: &WorldPage, wanted: &[u8]) -> Vec<u8> {
    let mut reply = b"+-1\r\n".to_vec();
    blocks(world, page, wanted, &mut reply);
    closed(reply)
}

/// The answer to `$`: the attributes of every item of a menu. Items of other servers only have +INFO.
pub(super) fn directory(world: &World, page: &WorldPage, wanted: &[u8]) -> Vec<u8> {
    if page.kind != b'1' {
        return error(b"Only a menu has items to tell about");
    }
    let mut reply = b"+-1\r\n".to_vec();
    for item in wire::lines(&page.body) {
        let selector = split_once(item, b'\t').and_then(|(_, rest)| split_once(rest, b'\t'));
        let known = selector
            .filter(|_| item.ends_with(b"\t+") || item.ends_with(b"\t?"))
            .and_then(|(selector, _)| world.pages.at(selector));
        if let Some(known) = known {
            blocks(world, known, wanted, &mut reply);
        } else {
            reply.extend_from_slice(b"+INFO: ");
            reply.extend_from_slice(item);
            reply.extend_from_slice(b"\r\n");
        }
    }
    closed(reply)
}

/// Appends +INFO, and the other blocks if they are in `wanted`, for example `+ADMIN+VIEWS`; empty means all.
fn blocks(world: &World, page: &WorldPage, wanted: &[u8], reply: &mut Vec<u8>) {
    let is_wanted = |name: &[u8]| {
        wanted.is_empty()
            || wanted
                .split(|&octet| octet == b'+' || octet == b' ')
                .any(|one| one == name)
    };
    reply.extend_from_slice(b"+INFO: ");
    reply.extend_from_slice(&row(world, page));
    let mut line = |text: String| {
        reply.extend_from_slice(text.as_bytes());
        reply.extend_from_slice(b"\r\n");
    };
    if is_wanted(b"ADMIN") {
        line("+ADMIN:".to_owned());
        line(format!(" Admin: {POSTMASTER}"));
        line(format!(
            " Mod-Date: {} <{}092600>",
            day(page.changed),
            page.changed
        ));
    }
    if is_wanted(b"VIEWS") {
        line("+VIEWS:".to_owned());
        let views = pages::views(page.selector);
        for (name, file) in views {
            line(format!(" {name}: <{}>", size(assets::file(file).len())));
        }
        if views.is_empty() {
            let (name, size) = (media_type(page.kind), size(page.body.len()));
            line(format!(" {name}: <{size}>"));
        }
    }
    if is_wanted(b"ABSTRACT") {
        line("+ABSTRACT:".to_owned());
        line(format!(" {}", page.summary));
    }
    if is_wanted(b"ASK")
        && let Some(form) = pages::form(page.selector)
    {
        line("+ASK:".to_owned());
        for asked in wire::lines(form) {
            reply.push(b' ');
            reply.extend_from_slice(asked);
            reply.extend_from_slice(b"\r\n");
        }
    }
}

/// The date `19940314` for display.
fn day(changed: &str) -> String {
    match (changed.get(..4), changed.get(4..6), changed.get(6..)) {
        (Some(year), Some(month), Some(day)) => format!("{year}-{month}-{day}"),
        _ => changed.to_owned(),
    }
}

fn size(octets: usize) -> String {
    if octets < 1024 {
        format!("{octets}b")
    } else {
        format!("{}k", octets.div_ceil(1024))
    }
}

fn media_type(kind: u8) -> &'static str {
    match kind {
        b'0' => "text/plain",
        b'1' | b'7' => "application/gopher+-menu",
        b'g' => "image/gif",
        b'h' => "text/html",
        b'I' => "image/png",
        b's' => "audio/x-wav",
        _ => "application/octet-stream",
    }
}
