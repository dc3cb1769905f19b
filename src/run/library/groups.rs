//! What is stored about the subscribed groups, for the home page: the read marks and the cached overviews.

use std::fs;
use std::path::PathBuf;

use geomys_store::files::cache::Cache;
use geomys_store::files::newsrc::Newsrc;
use geomys_wire::protocol::nntp::ActiveGroup;
use rfc1738::Url;

use crate::app::library::message::StoredGroup;
use crate::app::news::server::{NewsAuthority, Newsrcs};

/// The maximum number of groups of a server that are looked up in the cache.
const MAX_GROUPS: usize = 500;

/// The port of NNTP, and of NNTP over TLS. A server has one file of marks for both.
const NNTP: u16 = 119;
const NNTPS: u16 = 563;

/// Returns the subscribed groups of all servers that have a cached overview. Blocks.
pub(super) fn stored_groups(newsrcs: &Newsrcs, cache: &Cache) -> Vec<StoredGroup> {
    let mut groups = Vec::new();
    for (server, path) in files(newsrcs) {
        // A file that cannot be read is reported when a page of its server is opened.
        let Ok(newsrc) = Newsrc::load(&path) else {
            continue;
        };
        let marks = newsrc.marks();
        for name in marks.subscribed().into_iter().take(MAX_GROUPS) {
            let urls = urls(&server, name);
            let cached = urls.into_iter().flatten().find_map(|url| {
                let (head, since) = cache.header(&url)?;
                let high = head.highest.or_else(|| head.covered.highest())?;
                let (low, _) = head.covered.ranges().next()?;
                Some((url, low, high, since))
            });
            let Some((url, low, high, since)) = cached else {
                continue;
            };
            let unread = marks.unread(&ActiveGroup {
                name,
                low,
                high,
                count: None,
                status: b"",
            });
            groups.push(StoredGroup {
                server: server.clone(),
                name: name.to_vec(),
                url,
                low,
                high,
                unread,
                since,
            });
        }
    }
    groups
}

/// Returns the URLs under which the overview of a group may be cached.
fn urls(server: &NewsAuthority, name: &[u8]) -> [Option<Url>; 2] {
    let NewsAuthority { host, port } = server;
    let tls_port = if *port == NNTP { NNTPS } else { *port };
    [
        Url::nntp(host, *port, name, None).ok(),
        Url::nntps(host, tls_port, name).ok(),
    ]
}

/// Returns the files of marks with their servers: those that settings.toml names, and those in the directory.
fn files(newsrcs: &Newsrcs) -> Vec<(NewsAuthority, PathBuf)> {
    let mut files = newsrcs.named.clone();
    let entries = newsrcs
        .directory
        .as_ref()
        .and_then(|path| fs::read_dir(path).ok());
    let mut own: Vec<_> = entries
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            let server = NewsAuthority::of_file(path.file_name()?.to_str()?)?;
            Some((server, path))
        })
        .collect();
    own.retain(|(server, _)| files.iter().all(|(named, _)| named != server));
    own.sort_by(|(a, _), (b, _)| (&a.host, a.port).cmp(&(&b.host, b.port)));
    files.extend(own);
    files
}
