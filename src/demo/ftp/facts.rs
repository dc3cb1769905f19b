//! Formats of an entry: a line of `ls -l`, a bare name, or the facts of RFC 3659 section 7.
//!
//! ```text
//! facts = *( name "=" value ";" ) SP filename
//! ```
//! Dates in the Unix form always show the year. A time of day would mean the current year, which changes.

use std::io;

use super::{Node, Session, number};
use crate::demo::world::tree::{Entry, resolve};

impl Session {
    pub(super) async fn size(&mut self, path: &[u8]) -> io::Result<()> {
        let reply = match self.octets_at(path) {
            Some(octets) => format!("213 {}", self.as_sent(octets).len()),
            None => return self.refuse(path, "no file here is called that").await,
        };
        self.reply(&reply).await
    }

    pub(super) async fn mdtm(&mut self, path: &[u8]) -> io::Result<()> {
        let directory = resolve(&self.directory, path);
        let modified = self
            .world
            .tree
            .at(&directory, self.is_member())
            .map(|found| found.entry().modified);
        match modified {
            Some(modified) => self.reply(&format!("213 {modified}")).await,
            None => self.refuse(path, "no file here is called that").await,
        }
    }

    pub(super) async fn mlst(&mut self, path: &[u8]) -> io::Result<()> {
        let directory = resolve(&self.directory, path);
        let Some(mut reply) = self
            .world
            .tree
            .at(&directory, self.is_member())
            .map(|found| {
                let mut reply = b"250-Facts follow\r\n ".to_vec();
                let entry = found.entry();
                facts(
                    entry,
                    kind(&entry.node),
                    &super::path_of(&directory),
                    &mut reply,
                );
                reply
            })
        else {
            return self.refuse(path, "nothing here is called that").await;
        };
        reply.extend_from_slice(b"\r\n250 End");
        self.reply_octets(reply).await
    }
}

/// The value of the `type` fact.
pub(super) fn kind(node: &Node) -> &'static str {
    match node {
        Node::Directory(_) | Node::Many(_) => "dir",
        Node::File(_) | Node::Drum => "file",
        Node::Link(_) => "OS.unix=slink",
    }
}

/// One line of MLST or MLSD, without its CRLF.
pub(super) fn facts(entry: &Entry, kind: &str, name: &[u8], line: &mut Vec<u8>) {
    line.extend_from_slice(format!("type={kind}").as_bytes());
    if let Node::Link(target) = entry.node {
        line.extend_from_slice(format!(":{target}").as_bytes());
    }
    let size = entry
        .size()
        .map(|size| format!("size={size};"))
        .unwrap_or_default();
    let perm = if size.is_empty() { "el" } else { "r" };
    line.extend_from_slice(format!(";{size}modify={};perm={perm}; ", entry.modified).as_bytes());
    line.extend_from_slice(name);
}

/// One line of LIST, without its CRLF.
pub(super) fn unix(entry: &Entry, name: &[u8], line: &mut Vec<u8>) {
    let (mode, links) = match entry.node {
        Node::Directory(_) | Node::Many(_) => ("drwxr-xr-x", 2),
        Node::File(_) | Node::Drum => ("-rw-r--r--", 1),
        Node::Link(_) => ("lrwxrwxrwx", 1),
    };
    let size = match entry.node {
        Node::Link(target) => target.len(),
        Node::Directory(_) | Node::Many(_) | Node::File(_) | Node::Drum => {
            entry.size().unwrap_or(4096)
        }
    };
    let date = unix_date(entry.modified);
    line.extend_from_slice(
        format!("{mode} {links:>3} ftp      ftp      {size:>9} {date} ").as_bytes(),
    );
    line.extend_from_slice(name);
    if let Node::Link(target) = entry.node {
        line.extend_from_slice(b" -> ");
        line.extend_from_slice(target.as_bytes());
    }
}

/// `19940314092600` as `Mar 14  1994`.
fn unix_date(modified: &str) -> String {
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let part = |range: std::ops::Range<usize>| {
        modified.as_bytes().get(range).and_then(number).unwrap_or(1)
    };
    let month = usize::try_from(part(4..6)).unwrap_or(1).saturating_sub(1);
    format!(
        "{} {:>2}  {:04}",
        MONTHS.get(month).unwrap_or(&"Jan"),
        part(6..8),
        part(0..4)
    )
}
