//! The tasks of the library: its files are read and written one after the other, and the read marks and cached
//! overviews of the subscribed groups are read for the home page.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use geomys_crawl::sync::unread::{FollowedGroup, Unread, UnreadMarks};
use geomys_load::{Reason, Request, cache_key};
use geomys_page::document::Document;
use geomys_page::document::marks::ServerMarks;
use geomys_store::bookmarks::{checks, records, watch};
use geomys_store::files::cache::{Cache, CachedPage};
use geomys_store::files::history;
use geomys_store::files::history::{History, Visit};
use geomys_store::files::identities::Identities;
use geomys_store::files::later as queue;
use geomys_store::files::newsrc::Newsrc;
use geomys_store::files::user_file::FileError;
use geomys_store::search::SearchQuery;
use geomys_wire::net::page_text;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use rfc1738::Url;

use super::file_writer::FileJob;
use super::later;
use super::tasks::Tasks;
use crate::config::UserPaths;
use geomys_app::library::message::IdentityChange;
use geomys_app::library::message::{CopiesOrder, PageCopies, StoredGroup, VisitList};
use geomys_app::library::visits;
use geomys_app::news::server::{NewsAuthority, Newsrcs};
use geomys_app::{LibraryEffect, LibraryMessage, Message};

/// The time for which changes of the session are collected before they are written.
const SESSION_DELAY: Duration = Duration::from_millis(500);

impl Tasks {
    pub(super) fn start_library(&mut self, effect: LibraryEffect) {
        match effect {
            LibraryEffect::Read(settings) => self.put(FileJob::new(
                "the history was not read",
                move |files| history::prune(&files.paths.history(), &settings, Timestamp::now()),
                |read| LibraryMessage::Read(read).into(),
            )),
            LibraryEffect::Store(url, title, kind, reason) => self.put(FileJob::write(
                "the visit was not stored",
                move |files| {
                    let visit =
                        Visit::new(Timestamp::now(), &url, &title, kind).with_reason(&reason);
                    history::append(&files.paths.history(), &visit).map(|()| visit)
                },
                |stored| LibraryMessage::Stored(stored).into(),
            )),
            LibraryEffect::ScheduleSession => {
                self.send_after(SESSION_DELAY, LibraryMessage::SessionDue.into());
            }
            LibraryEffect::SaveSession(state) => self.put(FileJob::new(
                "the session was not written",
                move |files| {
                    files
                        .session
                        .as_ref()
                        .map_or(Ok(()), |file| file.save(&state))
                },
                |saved| LibraryMessage::SessionSaved(saved).into(),
            )),
            LibraryEffect::ReadGroups(newsrcs) => {
                self.use_cache("the groups were not listed", move |cache| {
                    LibraryMessage::Groups(stored_groups(&newsrcs, cache)).into()
                });
            }
            LibraryEffect::SaveForLater(request, title) => self.save_for_later(*request, title),
            LibraryEffect::Identities(arrival, change) => self.put(FileJob::new(
                "the certificates were not changed",
                move |files| {
                    let identities = files.paths.identities();
                    if let Some(change) = change {
                        change_identity(&identities, &change)?;
                    }
                    identities.list()
                },
                move |listed| LibraryMessage::IdentitiesListed(listed, arrival).into(),
            )),
            LibraryEffect::FindCopies(order) => {
                let (cache, paths) = (Arc::clone(&self.cache), self.user_paths());
                self.compute("the copies were not looked up", move || {
                    let copies = Box::new(find_copies(&cache, &paths, *order));
                    LibraryMessage::Copies(copies).into()
                });
            }
            LibraryEffect::Search(load, order) => self.search(load, *order),
            LibraryEffect::Sync(load, order) => self.sync(load, *order),
            LibraryEffect::ReadOutbox => self.read_outbox(),
            LibraryEffect::ListCached => {
                self.use_cache("the cached pages were not listed", move |cache| {
                    LibraryMessage::Cached(cache.urls()).into()
                });
            }
            LibraryEffect::List(arrival, list) => self.put(FileJob::new(
                "the history was not read",
                move |files| list_visits(&files.paths.history(), list),
                move |listed: Result<_, String>| LibraryMessage::Listed(arrival, listed).into(),
            )),
            LibraryEffect::ReadLater => {
                self.use_cache("the kept pages were not read", move |cache| {
                    later::read(cache)
                });
            }
            LibraryEffect::QueueLink(url, title, namer) => {
                self.use_cache("the link was not kept", move |cache| {
                    later::queue(cache, &url, &title, &namer)
                });
            }
            LibraryEffect::Agree(url, authority) => {
                self.use_cache("the answer was not stored", move |cache| {
                    later::agree(cache, &url, &authority)
                });
            }
            LibraryEffect::MarkRead(url) => {
                self.use_cache("the page was not marked read", move |cache| {
                    later::mark_read(cache, &url)
                });
            }
            LibraryEffect::ListLater(arrival) => {
                self.use_cache("the kept pages were not listed", move |cache| {
                    later::list(cache, arrival)
                });
            }
            LibraryEffect::RemoveLater(url) => {
                self.use_cache("the page was not removed", move |cache| {
                    later::remove(cache, &url)
                });
            }
        }
    }

    /// Puts a page into the queue of pages to read later, and fetches it.
    fn save_for_later(&mut self, request: Request, title: String) {
        let (net, cache) = (Arc::clone(&self.net), Arc::clone(&self.cache));
        let saving = later::save(net, cache, request, title);
        self.report("the page was not kept", saving);
    }

    /// Starts a blocking task on the copies of pages.
    fn use_cache(
        &self,
        not_done: &'static str,
        work: impl FnOnce(&Cache) -> Message + Send + 'static,
    ) {
        let cache = Arc::clone(&self.cache);
        self.compute(not_done, move || work(&cache));
    }
}

/// Makes the page of visits, after those of a URL were removed. Blocks.
fn list_visits(path: &Path, list: VisitList) -> Result<(History, Document), FileError> {
    let VisitList {
        page,
        settings,
        zone,
        removed,
    } = list;
    if let Some(url) = removed {
        let key = page_text(&url);
        history::remove(path, |visit| visit.key() == key)?;
    }
    let history = history::load(path, &settings, Timestamp::now())?;
    let document = visits::document(page, &history, &zone);
    Ok((history, document))
}

/// Looks for the copies of a dead page. Files that cannot be read are reported where they are used. Blocks.
fn find_copies(cache: &Cache, paths: &UserPaths, order: CopiesOrder) -> PageCopies {
    let CopiesOrder {
        url,
        title,
        reason,
        archives,
    } = order;
    let key = cache_key(&Request::show(url.clone(), Reason::Typed));
    let day = |page: CachedPage| page.since.to_zoned(TimeZone::UTC).date();
    let cached = key.as_ref().and_then(|key| cache.unused_page(key));
    let added = records::load(&paths.bookmark_dates()).unwrap_or_default();
    let checks = checks::load(&paths.checks()).unwrap_or_default();
    let alive = checks.of(&url).and_then(|state| state.alive);
    let date = added.added(&url).or(alive).unwrap_or_else(Timestamp::now);
    PageCopies {
        cached: cached.map(day),
        archived: archives.url(&url, date),
        moved: checks.moved_to(&url),
        url,
        title,
        reason,
    }
}

/// Changes the client certificates. Blocks.
fn change_identity(identities: &Identities, change: &IdentityChange) -> io::Result<()> {
    match change {
        IdentityChange::Rename { name, new } => identities.rename_identity(name, new),
        IdentityChange::Widen { name, authority } => identities.widen(name, authority),
        IdentityChange::Leave {
            name,
            authority,
            path,
        } => identities.leave(name, authority, Some(path)).map(drop),
        IdentityChange::Remove(name) => identities.remove(name),
    }
}

/// The maximum number of groups of a server that are looked up in the cache.
const MAX_GROUPS: usize = 500;

/// The port of NNTP, and of NNTP over TLS. A server has one file of marks for both.
const NNTP: u16 = 119;
const NNTPS: u16 = 563;

/// Returns the subscribed groups of all servers that have a cached overview. Blocks.
fn stored_groups(newsrcs: &Newsrcs, cache: &Cache) -> Vec<StoredGroup> {
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
            groups.push(StoredGroup {
                server: server.clone(),
                name: name.to_vec(),
                url,
                low,
                high,
                read: marks.read(name),
                since,
            });
        }
    }
    groups
}

/// Returns the subscribed groups of all servers, with their read articles. Blocks.
pub(crate) fn followed_groups(newsrcs: &Newsrcs) -> Vec<FollowedGroup> {
    let mut groups = Vec::new();
    for (server, path) in files(newsrcs) {
        // A file that cannot be read is reported when a page of its server is opened.
        let Ok(newsrc) = Newsrc::load(&path) else {
            continue;
        };
        let marks = newsrc.marks();
        let subscribed = marks.subscribed().into_iter().take(MAX_GROUPS);
        groups.extend(subscribed.map(|name| followed_group(&server, name, &marks)));
    }
    groups
}

fn followed_group(server: &NewsAuthority, name: &[u8], marks: &ServerMarks) -> FollowedGroup {
    FollowedGroup {
        urls: urls(server, name).into_iter().flatten().collect(),
        read: marks.read(name),
    }
}

/// Returns the marks of all subscribed groups; `None` if some cannot be read. Blocks.
fn marked_groups(newsrcs: &Newsrcs) -> Option<Vec<FollowedGroup>> {
    if let Some(directory) = &newsrcs.directory
        && let Err(error) = fs::read_dir(directory)
        && error.kind() != io::ErrorKind::NotFound
    {
        return None;
    }
    let mut groups = Vec::new();
    for (server, path) in files(newsrcs) {
        let marks = Newsrc::load(&path).ok()?.marks();
        let subscribed = marks.subscribed().into_iter();
        groups.extend(subscribed.map(|name| followed_group(&server, name, &marks)));
    }
    Some(groups)
}

/// Returns what is unread by the marks now; `None` if some cannot be read. Blocks.
fn read_unread(paths: &UserPaths, newsrcs: &Newsrcs) -> Option<Unread> {
    let groups = marked_groups(newsrcs)?;
    let watched = watch::load(&paths.watched()).ok()?;
    let bookmarks = paths.bookmarks().load().ok()?;
    Some(Unread::new(&bookmarks, &watched, &groups))
}

/// Returns the marks of what is unread, as a run asks them.
pub(super) fn unread_marks(paths: &UserPaths, newsrcs: &Newsrcs) -> UnreadMarks {
    let (paths, newsrcs) = (paths.clone(), newsrcs.clone());
    UnreadMarks::new(Box::new(move || read_unread(&paths, &newsrcs)))
}

/// What a search says that needs marks which cannot be read.
pub(crate) const UNREAD_FAILED: &str = "the read marks cannot be read";

/// Returns what is unread for a query that asks for it, with the saved pages; `None` if some marks cannot be read.
/// Blocks.
pub(crate) fn searched_unread(
    query: &SearchQuery,
    cache: &Cache,
    (paths, newsrcs): (&UserPaths, &Newsrcs),
) -> Option<Unread> {
    if !query.asks_unread() {
        return Some(Unread::default());
    }
    let saved = cache.saved().map_or(Ok(Vec::new()), queue::entries).ok()?;
    Some(read_unread(paths, newsrcs)?.with_saved(&saved))
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
