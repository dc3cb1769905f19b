//! The writer of the user's files: one job after the other.

use std::collections::HashMap;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;

use geomys_page::document::marks::ServerMarks;
use geomys_store::bookmarks::dates::{self, BookmarkOrder, LastVisits};
use geomys_store::bookmarks::{Bookmarks, Store};
use geomys_store::files::history::{self, HistorySettings};
use geomys_store::files::newsrc::{Newsrc, SharedNewsrc};
use geomys_store::files::session::SessionFile;
use geomys_store::files::user_file::FileError;
use geomys_wire::task::blocking;
use jiff::Timestamp;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::SendError;
use tokio::task::JoinHandle;

use crate::config::UserPaths;
use geomys_app::bookmarks::order::SortResult;
use geomys_app::news::message::MarkChanges;
use geomys_app::{BookmarkMessage, LibraryMessage, Message, NewsMessage};

/// The user's files.
#[derive(Debug)]
pub(super) struct Files {
    pub(super) paths: Arc<UserPaths>,
    /// The bookmark file.
    pub(super) bookmarks: Store,
    /// The file of the session, if this process owns it.
    pub(super) session: Option<SessionFile>,
    /// The files of marks that this process has changed.
    newsrcs: HashMap<PathBuf, SharedNewsrc>,
}

impl Files {
    /// The files at these paths.
    pub(super) fn new(
        paths: Arc<UserPaths>,
        bookmarks: Store,
        session: Option<SessionFile>,
    ) -> Self {
        Self {
            paths,
            bookmarks,
            session,
            newsrcs: HashMap::new(),
        }
    }

    /// Sorts bookmarks, and reads the dates for it.
    pub(super) fn sort_bookmarks(
        &self,
        order: BookmarkOrder,
        bookmarks: Bookmarks,
        settings: &HistorySettings,
    ) -> Result<SortResult, FileError> {
        let added = self.bookmarks.records()?;
        let visits = match order {
            BookmarkOrder::Visited => {
                let history = history::load(&self.paths.history(), settings, Timestamp::now())?;
                LastVisits::of(&history)
            }
            _ => LastVisits::default(),
        };
        let mut items: Vec<usize> = match order {
            BookmarkOrder::File => Vec::new(),
            _ => bookmarks.bookmarks().map(|one| one.index).collect(),
        };
        dates::sort(&bookmarks, &mut items, order, &added, &visits);
        Ok(SortResult {
            added,
            bookmarks,
            order,
            items,
        })
    }

    /// Changes the marks in a file, and returns all of them; without changes the file is only read.
    pub(super) fn change_marks(
        &mut self,
        path: PathBuf,
        changes: &MarkChanges,
    ) -> Result<ServerMarks, FileError> {
        if changes.is_empty() {
            return Ok(Newsrc::load(&path)?.marks());
        }
        let file = self.newsrcs.entry(path.clone());
        let file = file.or_insert_with(|| SharedNewsrc::new(path));
        Ok(file.change(changes)?.marks())
    }

    /// Applies the changes of marks again that another newsreader has overwritten, and returns the error messages.
    fn merge_marks(&mut self) -> Vec<String> {
        let files = self.newsrcs.values_mut();
        let failed = files.filter_map(|file| file.merge().err());
        failed.map(|error| error.to_string()).collect()
    }
}

/// A job for the user's files: a write, or a read that has to see the earlier writes.
pub(super) struct FileJob(Box<dyn FnOnce(&mut Files) -> Message + Send>);

impl FileJob {
    /// Creates a write whose result `report` makes a message of. An error is reported by itself.
    pub(super) fn write<T, E: Display>(
        not_done: &'static str,
        work: impl FnOnce(&mut Files) -> Result<T, E> + Send + 'static,
        report: impl FnOnce(T) -> Message + Send + 'static,
    ) -> Self {
        Self::new(not_done, work, |written| match written {
            Ok(written) => report(written),
            Err(sentence) => Message::Written(Err(sentence)),
        })
    }

    /// Creates a job whose result `report` makes a message of. `not_done` is the error message if the job panics.
    pub(super) fn new<T, E: Display>(
        not_done: &'static str,
        work: impl FnOnce(&mut Files) -> Result<T, E> + Send + 'static,
        report: impl FnOnce(Result<T, String>) -> Message + Send + 'static,
    ) -> Self {
        Self(Box::new(move |files| {
            let done = catch_unwind(AssertUnwindSafe(|| work(files)));
            report(match done {
                Ok(done) => done.map_err(|error| error.to_string()),
                Err(_) => Err(format!("{not_done}: a bug in Geomys")),
            })
        }))
    }
}

/// Carries out the received jobs until the channel is closed. Returns the error messages that were not reported.
pub(super) async fn write_all(
    mut files: Files,
    mut jobs: mpsc::UnboundedReceiver<FileJob>,
    messages: mpsc::UnboundedSender<Message>,
) -> Vec<String> {
    let mut unreported = Vec::new();
    while let Some(FileJob(run)) = jobs.recv().await {
        let done = blocking(move || {
            let message = run(&mut files);
            (files, message)
        });
        let message;
        (files, message) = done.await;
        // The receiver is closed once the main loop has ended.
        if let Err(SendError(message)) = messages.send(message) {
            unreported.extend(write_error(message));
        }
    }
    unreported.extend(blocking(move || files.merge_marks()).await);
    unreported
}

/// Returns the error messages that the main loop left unread, and those of later writes. The channel of `left` must be
/// closed.
pub(super) async fn unreported(
    mut left: mpsc::UnboundedReceiver<Message>,
    saving: JoinHandle<Vec<String>>,
) -> Vec<String> {
    let mut sentences = Vec::new();
    while let Some(message) = left.recv().await {
        sentences.extend(write_error(message));
    }
    let broken = "the last change was not saved: a bug in Geomys";
    let written = saving.await;
    sentences.extend(written.unwrap_or_else(|_| vec![broken.to_owned()]));
    // Many changes to one file fail with the same message.
    sentences.dedup();
    sentences
}

/// Returns the error of a failed write; `None` for a successful write and for other messages.
fn write_error(message: Message) -> Option<String> {
    match message {
        Message::Written(written) => written.err(),
        Message::Bookmarks(BookmarkMessage::Saved(_, written)) => written.err(),
        Message::News(NewsMessage::Marks(_, 1.., written)) => written.err(),
        Message::News(NewsMessage::Folds(_, 1.., written)) => written.err(),
        Message::News(NewsMessage::Messages(1.., written)) => written.err(),
        Message::Library(LibraryMessage::SessionSaved(saved)) => saved.err(),
        _ => None,
    }
}
