//! Formats of an entry: a line of `ls -l`, a bare name, or the facts of RFC 3659 section 7.
//!
//! ```text
//! facts = *( name "=" value ";" ) SP filename
//! ```
//! Dates in the Unix form always show the year. A time of day would mean the current year, which changes.

use jiff::civil::DateTime;

use super::{FtpSession, Node, path_of, refusal};
use crate::world::tree::{Entry, resolve};

impl FtpSession {
    pub(super) fn size(&self, path: &[u8]) -> Vec<u8> {
        match self.octets_at(path) {
            Some(octets) => format!("213 {}", self.as_sent(octets).len()).into(),
            None => refusal(path, "no file here is called that"),
        }
    }

    pub(super) fn mdtm(&self, path: &[u8]) -> Vec<u8> {
        match self.at(path) {
            Some(found) => format!("213 {}", found.entry().modified).into(),
            None => refusal(path, "no file here is called that"),
        }
    }

    pub(super) fn mlst(&self, path: &[u8]) -> Vec<u8> {
        let Some(found) = self.at(path) else {
            return refusal(path, "nothing here is called that");
        };
        let mut reply = b"250-Facts follow\r\n ".to_vec();
        let (entry, name) = (found.entry(), path_of(&resolve(&self.directory, path)));
        facts(entry, kind(&entry.node), &name, &mut reply);
        reply.extend_from_slice(b"\r\n250 End");
        reply
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
    let date = DateTime::strptime("%Y%m%d%H%M%S", modified).unwrap_or_default();
    date.strftime("%b %e  %Y").to_string()
}
