//! Gopher menu (RFC 1436, section 3.8) as bookmarks: the format of phetch and VF-1.
//!
//! An address of any other scheme is an `h` row with `URL:` before the address. Rows of text (`i`) hold folders and notes, in
//! the syntax of the bookmark file: `# name` is a folder, two blanks before a text make it a note on the row above.

use geomys_page::document::menu::target;
use geomys_wire::protocol::{gopher, octets};
use rfc1738::{Dialect, Parts};

use super::builder::TreeBuilder;
use super::tree::{BookmarkTree, Entry, LossReport, TreeStep};
use crate::bookmarks::line::text;

pub(super) fn read(octets: &[u8]) -> BookmarkTree {
    let mut builder = TreeBuilder::default();
    for line in octets::lines(octets) {
        if line == b"." {
            break;
        }
        match gopher::item(line) {
            Some(item) if item.gtype == b'i' => text_row(item.name, &mut builder),
            Some(item) if item.gtype == b'3' => {
                let name = text(item.name);
                builder
                    .losses()
                    .entry(name.as_str(), "the row is an error row");
            }
            Some(item) => {
                let name = text(item.name);
                // A `URL:` selector is taken unchanged, valid or not.
                let url = match item.url() {
                    Some(url) => Ok(text(url).to_string()),
                    None => target(&item, item.gtype).map(|url| url.as_str().to_owned()),
                };
                match url {
                    Ok(url) => builder.link(name.as_str(), &url),
                    Err(_) => builder
                        .losses()
                        .entry(name.as_str(), "its target has no URL"),
                }
            }
            // phetch and servers treat a line without a TAB as text.
            None => text_row(line.strip_prefix(b"i").unwrap_or(line), &mut builder),
        }
    }
    builder.finish()
}

fn text_row(line: &[u8], builder: &mut TreeBuilder) {
    let line = text(line);
    let line = line.as_str();
    let depth = line.bytes().take_while(|&octet| octet == b'#').count();
    let heading = line.get(depth..).and_then(|rest| rest.strip_prefix(' '));
    match heading {
        Some(name) if depth > 0 && !name.trim().is_empty() => {
            builder.close_to(depth - 1);
            builder.open(name.trim());
        }
        Some(_) | None if line.starts_with("  ") && builder.last().is_some() => builder.note(line),
        Some(_) | None => {
            let has_text = !line.trim().is_empty();
            builder.losses().part_if(has_text, "lines of text");
        }
    }
}

pub(super) fn write(tree: &BookmarkTree, losses: &mut LossReport) -> Vec<u8> {
    let mut menu = Vec::new();
    for (depth, step) in tree.steps() {
        match step {
            TreeStep::Open(folder) => {
                let heading = format!("{} {}", "#".repeat(depth + 1), folder.name);
                row(b'i', &heading, b"", "null.host", 1, &mut menu);
            }
            TreeStep::Close => {}
            TreeStep::Entry(entry) => {
                losses.part_if(!entry.tags.is_empty(), "tags");
                losses.part_if(entry.added.is_some(), "dates");
                link(entry, &mut menu);
                for note in entry.note.lines() {
                    // A TAB would end the name of the row.
                    let note = note.replace('\t', "        ");
                    row(b'i', &format!("  {note}"), b"", "null.host", 1, &mut menu);
                }
            }
        }
    }
    menu
}

fn link(entry: &Entry, menu: &mut Vec<u8>) {
    if let Ok(url) = Dialect::Extended.parse(&entry.url)
        && let Parts::Gopher(item) = url.rfc1738_parts()
        && url.scheme_name().eq_ignore_ascii_case("gopher")
        && item.search.is_none()
        && item.plus.is_none()
        && let Some(address) = Parts::Gopher(item).address()
    {
        let selector = item.selector.octets();
        let gtype = item.item_type();
        // The reader interprets rows of these types differently.
        let is_odd = matches!(gtype, b'i' | b'3' | b'8' | b'T' | b'+');
        let is_valid = !selector.iter().any(|octet| b"\t\r\n\0".contains(octet));
        if is_valid && !is_odd && !selector.to_ascii_lowercase().starts_with(b"url:") {
            let port = address.port();
            row(gtype, &entry.title, &selector, address.host, port, menu);
            return;
        }
    }
    let selector = [b"URL:", entry.url.as_bytes()].concat();
    row(b'h', &entry.title, &selector, "null.host", 1, menu);
}

fn row(gtype: u8, name: &str, selector: &[u8], host: &str, port: u16, menu: &mut Vec<u8>) {
    menu.push(gtype);
    menu.extend_from_slice(name.as_bytes());
    menu.push(b'\t');
    menu.extend_from_slice(selector);
    menu.extend_from_slice(format!("\t{host}\t{port}\r\n").as_bytes());
}
