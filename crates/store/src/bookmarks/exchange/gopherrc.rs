//! Bookmarks in `.gopherrc`, the configuration of the gopher client of the University of Minnesota. Only read.
//!
//! ```text
//! file = *setting "bookmarks:" LF *( item "#" LF )
//! item = *( "Type=" type [ "+" ] / "Name=" name / "Path=" selector / "Host=" host / "Port=" port / "URL:" url )
//! ```
//!
//! Files of links in the same syntax, as servers have them, are read as well.

use geomys_page::document::menu::target;
use geomys_wire::protocol::{gopher, octets};

use super::builder::TreeBuilder;
use super::tree::BookmarkTree;
use crate::bookmarks::line::text;

/// Names of the fields of an item, in lower case.
const FIELDS: [&[u8]; 5] = [b"type", b"name", b"path", b"host", b"port"];

/// Item whose lines are read.
#[derive(Default)]
struct Block<'a> {
    /// Values of the fields, in the order of [`FIELDS`].
    values: [Option<&'a [u8]>; 5],
    url: Option<&'a [u8]>,
}

pub(super) fn read(octets: &[u8]) -> BookmarkTree {
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
