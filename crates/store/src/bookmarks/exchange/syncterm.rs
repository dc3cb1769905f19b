//! `syncterm.lst` of `SyncTERM`: a section for each bulletin board. Only read.
//!
//! ```text
//! [Name of the board]
//! ConnectionType=Telnet
//! Address=bbs.example
//! Port=23
//! Comment=note
//! ```

use std::net::Ipv6Addr;

use super::builder::TreeBuilder;
use super::tree::{BookmarkTree, Entry};

/// Kinds of connections that have a URL: the name in the file, the scheme, and its port.
const KINDS: [(&str, &str, &str); 5] = [
    ("telnet", "telnet", "23"),
    ("rlogin", "rlogin", "513"),
    ("rlogin reversed", "rlogin", "513"),
    ("ssh", "ssh", "22"),
    ("ssh (no auth)", "ssh", "22"),
];

/// Fields that are read, or that hold no data of the user, separated by blanks.
const HANDLED: &str = "connectiontype address port comment added lastconnected calls screenmode nostatus downloadpath uploadpath \
                       loglevel logfile appendlogfile xferloglevel bpsrate ansimusic addressfamily font hidepopups rip flowcontrol type \
                       entertype siteid";

/// A section of the file.
#[derive(Default)]
struct Board {
    name: String,
    /// The index of its first line.
    line: usize,
    fields: Vec<(String, String)>,
}

pub(super) fn read(text: &str) -> BookmarkTree {
    let mut builder = TreeBuilder::default();
    let mut board = Board::default();
    for (index, line) in text.lines().map(str::trim).enumerate() {
        let name = line
            .strip_prefix('[')
            .and_then(|line| line.strip_suffix(']'));
        if let Some(name) = name {
            std::mem::take(&mut board).add_to(&mut builder);
            name.clone_into(&mut board.name);
            board.line = index;
        } else if let Some((key, value)) = line.split_once('=') {
            let key = key.trim().to_ascii_lowercase();
            board.fields.push((key, value.trim().to_owned()));
        }
    }
    board.add_to(&mut builder);
    builder.finish()
}

impl Board {
    fn field(&self, name: &str) -> &str {
        let found = self.fields.iter().find(|(key, _)| key == name);
        found.map_or("", |(_, value)| value)
    }

    fn add_to(&self, builder: &mut TreeBuilder) {
        builder.at_line(self.line);
        let address = self.field("address");
        if address.is_empty() {
            // The part before the first section holds settings.
            if !self.name.is_empty() {
                builder.leave_out(&self.name, "it has no address");
            }
            return;
        }
        let kind = self.field("connectiontype").to_ascii_lowercase();
        // The program itself takes telnet where nothing is said.
        let kind = if kind.is_empty() { "telnet" } else { &kind };
        let Some((_, scheme, usual)) = KINDS.iter().find(|(name, ..)| *name == kind) else {
            return builder.leave_out(&self.name, "no URL names such a connection");
        };
        let port = Some(self.field("port")).filter(|port| !port.is_empty() && port != usual);
        let port = port.map_or(String::new(), |port| format!(":{port}"));
        for (key, value) in &self.fields {
            let is_secret = key.contains("password");
            let is_login = key == "username" || is_secret;
            builder
                .losses()
                .part_if(is_login && !value.is_empty(), "logins of boards");
            let is_handled = is_login || HANDLED.split_whitespace().any(|handled| handled == key);
            builder
                .losses()
                .field_if(!is_handled && !value.is_empty(), key);
        }
        let host = if address.parse::<Ipv6Addr>().is_ok() {
            format!("[{address}]")
        } else {
            address.to_owned()
        };
        builder.entry(&Entry {
            title: self.name.clone(),
            url: format!("{scheme}://{host}{port}/"),
            note: self.field("comment").to_owned(),
            ..Entry::default()
        });
    }
}
