//! The tasks of the library: its files are read and written one after the other.

mod groups;

use std::sync::Arc;
use std::time::Duration;

use geomys_store::files::history::{self, Visit};
use geomys_store::files::user_file::FileError;
use geomys_wire::net::compared_text;
use jiff::Timestamp;

use super::file_writer::FileJob;
use super::later;
use super::tasks::Tasks;
use crate::app::library::message::VisitList;
use crate::app::library::visits;
use crate::app::{LibraryEffect, LibraryMessage};

/// The time for which changes of the session are collected before they are written.
const SESSION_DELAY: Duration = Duration::from_millis(500);

impl Tasks {
    pub(super) fn start_library(&self, effect: LibraryEffect) {
        match effect {
            LibraryEffect::Read(settings) => self.put(FileJob::new(
                "the history was not read",
                move |files| history::prune(&files.paths.history(), &settings, Timestamp::now()),
                |read| LibraryMessage::Read(read).into(),
            )),
            LibraryEffect::Store(url, title, kind) => self.put(FileJob::write(
                "the visit was not stored",
                move |files| {
                    let visit = Visit::new(Timestamp::now(), &url, &title, kind);
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
                let cache = Arc::clone(&self.cache);
                self.compute("the groups were not listed", move || {
                    LibraryMessage::Groups(groups::stored_groups(&newsrcs, &cache)).into()
                });
            }
            LibraryEffect::SaveForLater(request, title) => {
                let (net, cache) = (Arc::clone(&self.net), Arc::clone(&self.cache));
                self.report(
                    "the page was not saved for later",
                    later::save(net, cache, *request, title),
                );
            }
            LibraryEffect::ListLater(arrival) => {
                let cache = Arc::clone(&self.cache);
                self.compute("the pages saved for later were not listed", move || {
                    later::list(&cache, arrival)
                });
            }
            LibraryEffect::RemoveLater(url) => {
                let cache = Arc::clone(&self.cache);
                self.compute("the page was not removed", move || {
                    later::remove(&cache, &url)
                });
            }
            LibraryEffect::ListCached => {
                let cache = Arc::clone(&self.cache);
                self.compute("the cached pages were not listed", move || {
                    LibraryMessage::Cached(cache.urls()).into()
                });
            }
            LibraryEffect::List(arrival, list) => self.put(FileJob::new(
                "the history was not read",
                move |files| {
                    let VisitList {
                        page,
                        settings,
                        zone,
                        removed,
                    } = list;
                    if let Some(url) = removed {
                        let key = compared_text(&url);
                        history::remove(&files.paths.history(), |visit| visit.key() == key)?;
                    }
                    let history =
                        history::load(&files.paths.history(), &settings, Timestamp::now())?;
                    let document = visits::document(page, &history, &zone);
                    Ok::<_, FileError>((history, document))
                },
                move |listed: Result<_, String>| LibraryMessage::Listed(arrival, listed).into(),
            )),
        }
    }
}
