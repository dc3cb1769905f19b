//! The keys `newsrc` and `newsrc-by-server` of the table `[news]`: the files that record which articles were read on
//! which server.

use std::ops::Range;
use std::path::PathBuf;

use geomys_page::load::NewsHost;
use toml_edit::{Item, TableLike};

use super::file::ConfigFile;
use super::value::Target;
use crate::app::news::server::NewsAuthority;

/// A newsrc file as settings.toml names it.
pub(super) struct NewsrcEntry {
    /// The server of the file; `None` for the server of `news-server`.
    server: Option<NewsHost>,
    written: String,
    span: Option<Range<usize>>,
}

/// The file for the server of `news-server`.
pub(super) fn of_default(file: &mut ConfigFile<'_>, item: &Item) -> Option<NewsrcEntry> {
    let written = file
        .string(item, "a file")
        .filter(|path| !path.is_empty())?;
    Some(NewsrcEntry {
        server: None,
        written: written.to_owned(),
        span: item.span(),
    })
}

/// The files for individual servers.
pub(super) fn by_server(file: &mut ConfigFile<'_>, item: &Item) -> Vec<NewsrcEntry> {
    let table = file.table(
        item,
        "this is a table of servers, each with a file in quotes",
    );
    let mut all = Vec::new();
    for (server, item) in table.into_iter().flat_map(TableLike::iter) {
        let Some(entry) = of_default(file, item) else {
            continue;
        };
        match NewsHost::parse(server) {
            Some(host) => all.push(NewsrcEntry {
                server: Some(host),
                ..entry
            }),
            None => {
                let sentence = format!("“{server}” is no server; host or host:port is wanted");
                file.record_error(item.span(), sentence);
            }
        }
    }
    all
}

/// The servers of these files. A file belongs to one server.
pub(super) fn owned(
    file: &mut ConfigFile<'_>,
    all: Vec<NewsrcEntry>,
    to: &Target<'_>,
) -> Vec<(NewsAuthority, PathBuf)> {
    let default = to.settings.news_server.as_ref();
    let mut owned: Vec<(NewsAuthority, PathBuf)> = Vec::new();
    for entry in all {
        let Some(server) = entry.server.as_ref().or(default).map(NewsAuthority::from) else {
            let sentence = "a newsrc belongs to one server: set news-server, or name the server under [news.newsrc-by-server]";
            file.record_error(entry.span, sentence);
            continue;
        };
        let path = to.expand_home(&entry.written);
        let is_taken =
            |(owner, taken): &(NewsAuthority, PathBuf)| *owner != server && *taken == path;
        if owned.iter().any(is_taken) {
            let sentence = "this file is named for another server already";
            file.record_error(entry.span, sentence);
            continue;
        }
        // An entry under [news.newsrc-by-server] takes precedence.
        owned.retain(|(owner, _)| *owner != server);
        owned.push((server, path));
    }
    owned
}
