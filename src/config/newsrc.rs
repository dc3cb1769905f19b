//! `newsrc` and `newsrc-by-server` of the table `[news]`: which file holds what was read of which server.

use std::ops::Range;
use std::path::PathBuf;

use toml_edit::Item;

use super::File;
use crate::app::news::NewsPlace;
use crate::load::NewsHost;

/// A file as settings.toml names it.
pub(super) struct Named {
    /// Its server; nothing for that of `news-server`.
    server: Option<NewsHost>,
    written: String,
    span: Option<Range<usize>>,
}

/// The file for the server of `news-server`.
pub(super) fn of_default(file: &mut File<'_>, item: &Item) -> Option<Named> {
    let written = file
        .string(item, "a file")
        .filter(|path| !path.is_empty())?;
    Some(Named {
        server: None,
        written: written.to_owned(),
        span: item.span(),
    })
}

/// A file for each of some servers.
pub(super) fn by_server(file: &mut File<'_>, item: &Item) -> Vec<Named> {
    let Some(table) = item.as_table_like() else {
        let sentence = "this is a table of servers, each with a file in quotes";
        file.mistake(item.span(), sentence.to_owned());
        return Vec::new();
    };
    let mut all = Vec::new();
    for (server, item) in table.iter() {
        let Some(named) = of_default(file, item) else {
            continue;
        };
        match NewsHost::parse(server) {
            Some(host) => all.push(Named {
                server: Some(host),
                ..named
            }),
            None => {
                let sentence = format!("“{server}” is no server; host or host:port is wanted");
                file.mistake(item.span(), sentence);
            }
        }
    }
    all
}

/// The servers of these files, `default` being that of `news-server`. A file belongs to one server.
pub(super) fn owned(
    file: &mut File<'_>,
    all: Vec<Named>,
    default: Option<&NewsHost>,
    path: impl Fn(&str) -> PathBuf,
) -> Vec<(NewsPlace, PathBuf)> {
    let mut owned: Vec<(NewsPlace, PathBuf)> = Vec::new();
    for named in all {
        let Some(server) = named.server.as_ref().or(default).map(NewsPlace::from) else {
            let sentence = "a newsrc belongs to one server: set news-server, or name the server under [news.newsrc-by-server]";
            file.mistake(named.span, sentence.to_owned());
            continue;
        };
        let path = path(&named.written);
        let is_taken = |(owner, taken): &(NewsPlace, PathBuf)| *owner != server && *taken == path;
        if owned.iter().any(is_taken) {
            let sentence = "this file is named for another server already";
            file.mistake(named.span, sentence.to_owned());
            continue;
        }
        // A server named under [news.newsrc-by-server] has that file.
        owned.retain(|(owner, _)| *owner != server);
        owned.push((server, path));
    }
    owned
}
