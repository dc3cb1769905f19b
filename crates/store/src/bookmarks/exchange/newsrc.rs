//! Groups of a newsreader, as news URLs.

use rfc1738::{Dialect, GroupPart, Parts, Url};

use super::builder::TreeBuilder;
use super::tree::{BookmarkTree, LossReport};
use crate::bookmarks::line::text;
use crate::files::newsrc::Newsrc;

pub(super) fn read(octets: &[u8]) -> BookmarkTree {
    let mut builder = TreeBuilder::default();
    let newsrc = Newsrc::parse(octets);
    let mut groups = 0;
    for (name, marked) in newsrc.groups() {
        groups += 1;
        if !marked.is_subscribed {
            builder.losses().part("unsubscribed groups");
            continue;
        }
        match Url::news_group(name) {
            Ok(url) => builder.link("", url.as_str()),
            Err(_) => builder
                .losses()
                .entry(text(name).as_str(), "not a group name"),
        }
        let is_read = *marked.read != geomys_page::document::ArticleNumbers::default();
        builder.losses().part_if(is_read, "read marks");
    }
    let lines = octets.split(|&octet| octet == b'\n');
    let lines = lines.filter(|line| !line.trim_ascii().is_empty()).count();
    let others = lines.saturating_sub(groups);
    builder.losses().count(others, "lines that are not a group");
    builder.finish()
}

pub(super) fn write(tree: &BookmarkTree, losses: &mut LossReport) -> Vec<u8> {
    let mut lines = Vec::new();
    for (folder, entry) in tree.entries() {
        let url = Dialect::Extended.parse(&entry.url).ok();
        let Some(name) = url.as_ref().and_then(group) else {
            losses.entry(&entry.label(), "not a news group");
            continue;
        };
        losses.part_if(!folder.is_empty(), "folders");
        losses.part_if(!entry.title.is_empty(), "titles");
        losses.part_if(!entry.tags.is_empty(), "tags");
        losses.part_if(!entry.note.is_empty(), "notes");
        losses.part_if(entry.added.is_some(), "dates");
        lines.extend_from_slice(&name);
        lines.extend_from_slice(b":\n");
    }
    lines
}

/// Returns the name of a group, if the file can hold it.
fn group(url: &Url) -> Option<Vec<u8>> {
    let parts = url.rfc1738_parts();
    let has_numbers = match parts {
        Parts::Nntp(nntp) => nntp.number.is_some() || nntp.range.is_some(),
        Parts::News(news) => matches!(news.part, GroupPart::Articles(..)),
        _ => false,
    };
    let name = parts
        .group()
        .filter(|_| !has_numbers)?
        .octets()
        .into_owned();
    let is_valid = |octet: &u8| octet.is_ascii_graphic() && !matches!(octet, b':' | b'!');
    (!name.is_empty() && name.iter().all(is_valid)).then_some(name)
}
