//! Gopher menu (RFC 1436, section 3.8) as bookmarks: the format of phetch and VF-1; and `.gopherrc` of 1992.
//!
//! An address of any other scheme is an `h` row with `URL:` before the address. Rows of text (`i`) hold folders and
//! notes, in the syntax of the bookmark file: `# name` is a folder, two blanks before a text make it a note on the row
//! above.

use geomys_page::document::menu::target;
use geomys_wire::protocol::{gopher, octets};
use rfc1738::{Dialect, Parts};

use super::builder::TreeBuilder;
use super::tree::{BookmarkTree, Entry, LossReport, TreeStep};
use crate::bookmarks::line::text;

pub(super) fn read(octets: &[u8]) -> BookmarkTree {
    let mut builder = TreeBuilder::default();
    for (index, line) in octets::lines(octets).enumerate() {
        builder.at_line(index);
        if line == b"." {
            break;
        }
        match gopher::item(line) {
            Some(item) if item.gtype == b'i' => text_row(item.name, &mut builder),
            Some(item) if item.gtype == b'3' => {
                let name = text(item.name);
                builder.leave_out(name.as_str(), "the row is an error row");
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
                    Err(_) => builder.leave_out(name.as_str(), "its target has no URL"),
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

/// Names of the fields of an item, in lower case.
const FIELDS: [&[u8]; 5] = [b"type", b"name", b"path", b"host", b"port"];

/// Item whose lines are read.
#[derive(Default)]
struct Block<'a> {
    /// Values of the fields, in the order of [`FIELDS`].
    values: [Option<&'a [u8]>; 5],
    url: Option<&'a [u8]>,
}

/// Parses bookmarks in `.gopherrc`, the configuration of the gopher client of the University of Minnesota.
///
/// ```text
/// file = *setting "bookmarks:" LF *( item "#" LF )
/// item = *( "Type=" type [ "+" ] / "Name=" name / "Path=" selector / "Host=" host / "Port=" port / "URL:" url )
/// ```
///
/// Files of links in the same syntax, as servers have them, are read as well.
pub(super) fn read_gopherrc(octets: &[u8]) -> BookmarkTree {
    let mut builder = TreeBuilder::default();
    let mut block = Block::default();
    // The page at the start has the same syntax.
    let mut is_home = false;
    for line in octets::lines(octets) {
        let name = field(line).map(|(name, _)| name);
        let is_next = name == Some(0) && block.values.first().is_some_and(Option::is_some);
        if line.starts_with(b"#") || is_next || name.is_none() && section(line).is_some() {
            std::mem::take(&mut block).finish(is_home, &mut builder);
        }
        match (field(line), section(line)) {
            (Some((place, value)), _) => {
                if let Some(field) = block.values.get_mut(place) {
                    *field = Some(value);
                }
            }
            (None, Some((name, value))) if name.eq_ignore_ascii_case(b"url") => {
                block.url = Some(value);
            }
            (None, Some((name, value))) => {
                is_home = name.eq_ignore_ascii_case(b"home");
                builder.losses().part_if(!value.is_empty(), "settings");
            }
            (None, None) => {
                let has_text = !line.trim_ascii().is_empty() && !line.starts_with(b"#");
                builder
                    .losses()
                    .part_if(has_text, "lines that are not a field");
            }
        }
    }
    block.finish(is_home, &mut builder);
    builder.finish()
}

impl Block<'_> {
    fn finish(self, is_home: bool, builder: &mut TreeBuilder) {
        let [gtype, name, path, host, port] = self.values;
        let (Some(host), Some(gtype)) = (host, gtype.and_then(<[u8]>::first)) else {
            if let (Some(url), Some(name)) = (self.url, name) {
                builder.link(text(name).as_str(), text(url).as_str());
            }
            return;
        };
        let name = name.unwrap_or_default();
        if is_home {
            builder
                .losses()
                .entry(text(name).as_str(), "it is the page at the start");
            return;
        }
        let fields = [name, path.unwrap_or_default(), host, port.unwrap_or(b"70")];
        let row = [&[*gtype], fields.join(&b'\t').as_slice()].concat();
        let target = gopher::item(&row).map(|item| target(&item, item.gtype));
        match target {
            Some(Ok(url)) => builder.link(text(name).as_str(), url.as_str()),
            Some(Err(_)) | None => {
                builder
                    .losses()
                    .entry(text(name).as_str(), "its target has no URL");
            }
        }
    }
}

/// Returns the place of a field in [`FIELDS`], and its value.
pub(super) fn field(line: &[u8]) -> Option<(usize, &[u8])> {
    let at = memchr::memchr(b'=', line)?;
    let (name, value) = line.split_at_checked(at)?;
    let mut fields = FIELDS.iter();
    let place = fields.position(|field| name.trim_ascii().eq_ignore_ascii_case(field))?;
    Some((place, value.get(1..)?.trim_ascii()))
}

/// Returns the name of a setting or section, and its value.
fn section(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = memchr::memchr(b':', line)?;
    let (name, value) = line.split_at_checked(at)?;
    let is_name = !name.is_empty() && name.iter().all(u8::is_ascii_alphanumeric);
    Some((name, value.get(1..)?.trim_ascii())).filter(|_| is_name)
}
