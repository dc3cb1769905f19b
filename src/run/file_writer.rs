//! The writer of the user's files: one change after the other.

use std::collections::HashSet;
use std::path::PathBuf;

use tokio::sync::mpsc;
use tokio::sync::mpsc::error::SendError;
use tokio::task::JoinHandle;

use crate::app::news::{FoldChanges, MarkChanges, NewsAuthority};
use crate::app::{
    BookmarkMessage, CredentialMessage, HistoryStep, Message, NewsMessage, TransferMessage,
};
use crate::bookmarks::checks::{self, CheckResult, UrlKey};
use crate::bookmarks::watch::{self, WatchEvent};
use crate::bookmarks::{Bookmarks, Change, Store};
use crate::files::folds::ServerFolds;
use crate::files::newsrc::{Backup, Newsrc};
use crate::files::{score, trust};
use crate::net::Fingerprint;
use crate::transfer::queue::{self, UnfinishedTransfer};

/// The paths of the files.
#[derive(Clone, Debug)]
pub(super) struct FilePaths {
    /// The bookmark file.
    pub(super) bookmarks: Store,
    /// The file of accepted certificates.
    pub(super) trust: PathBuf,
    /// The file of unfinished transfers.
    pub(super) transfers: PathBuf,
    /// The file of link check results.
    pub(super) checks: PathBuf,
    /// The file of the contents of watched bookmarks.
    pub(super) watched: PathBuf,
}

/// A change to be written to a file.
#[derive(Debug)]
pub(super) enum FileWrite {
    /// A change to the bookmarks. The bookmarks are an earlier state of the file.
    Bookmarks(HistoryStep, Change, Bookmarks),
    /// No write: the bookmarks are read again. The bookmarks are an earlier state of the file.
    ReadBookmarks(Bookmarks),
    /// A certificate that was accepted for an authority.
    Pin(String, Fingerprint),
    /// The changed marks of a news server, in this file; without changes the file is only read.
    Marks(NewsAuthority, PathBuf, MarkChanges),
    /// The changed folds of a news server, in this file; without changes the file is only read.
    Folds(NewsAuthority, PathBuf, FoldChanges),
    /// A score rule for the articles of a group, in this file.
    Rule(PathBuf, String, String),
    /// The unfinished transfers: the second list replaces the first one in the file.
    Transfers(Vec<UnfinishedTransfer>, Vec<UnfinishedTransfer>),
    /// Results of a link check; the bookmarks are the current list.
    CheckResults(Vec<CheckResult>, Bookmarks),
    /// Events of watched bookmarks.
    WatchEvents(Vec<WatchEvent>),
}

/// Writes the received changes until the channel is closed. Returns the error messages that were not reported.
pub(super) async fn write_all(
    files: FilePaths,
    mut changes: mpsc::UnboundedReceiver<FileWrite>,
    messages: mpsc::UnboundedSender<Message>,
) -> Vec<String> {
    let mut unreported = Vec::new();
    let mut backed_up = HashSet::new();
    while let Some(writing) = changes.recv().await {
        let files = files.clone();
        let panic_message = panic_message(&writing);
        let first = first_change(&writing, &backed_up);
        let backup = first.as_ref().map_or(Backup::Skip, |_| Backup::Write);
        let written = tokio::task::spawn_blocking(move || write(&files, writing, backup)).await;
        let written = written.unwrap_or(panic_message);
        if let Message::News(NewsMessage::Marks(_, _, Ok(_))) = &written {
            backed_up.extend(first);
        }
        // The receiver is closed once the main loop has ended.
        if let Err(SendError(message)) = messages.send(written) {
            unreported.extend(write_error(message));
        }
    }
    unreported
}

/// Returns the file of marks, if this is its first change.
fn first_change(writing: &FileWrite, backed_up: &HashSet<PathBuf>) -> Option<PathBuf> {
    match writing {
        FileWrite::Marks(_, path, changes) => {
            let is_first = !changes.is_empty() && !backed_up.contains(path);
            is_first.then(|| path.clone())
        }
        FileWrite::Bookmarks(..)
        | FileWrite::ReadBookmarks(_)
        | FileWrite::Pin(..)
        | FileWrite::Folds(..)
        | FileWrite::Rule(..)
        | FileWrite::Transfers(..)
        | FileWrite::CheckResults(..)
        | FileWrite::WatchEvents(_) => None,
    }
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
    let broken = "what was changed last was not written: that is a mistake in Geomys itself";
    let written = saving.await;
    sentences.extend(written.unwrap_or_else(|_| vec![broken.to_owned()]));
    // Many changes to one file fail with the same message.
    sentences.dedup();
    sentences
}

/// Returns the error of a failed write; `None` for a successful write and for other messages.
fn write_error(message: Message) -> Option<String> {
    match message {
        Message::Bookmarks(BookmarkMessage::Saved(_, written)) => written.err(),
        Message::Credentials(CredentialMessage::Pinned(_, written)) => written.err(),
        Message::News(NewsMessage::Marks(_, changes, written)) if changes > 0 => written.err(),
        Message::News(NewsMessage::Folds(_, changes, written)) if changes > 0 => written.err(),
        Message::News(NewsMessage::Rule(written)) => written.err(),
        Message::Transfers(TransferMessage::ListWritten(written))
        | Message::Bookmarks(BookmarkMessage::ResultsWritten(written)) => written.err(),
        _ => None,
    }
}

/// Returns the message for a write that has panicked.
fn panic_message(writing: &FileWrite) -> Message {
    match writing {
        FileWrite::Bookmarks(history, ..) => {
            let sentence = "the bookmarks were not saved: that is a mistake in Geomys itself";
            Message::Bookmarks(BookmarkMessage::Saved(*history, Err(sentence.to_owned())))
        }
        FileWrite::ReadBookmarks(_) => {
            let sentence = "the bookmarks were not read: that is a mistake in Geomys itself";
            Message::Bookmarks(BookmarkMessage::Read(Err(sentence.to_owned())))
        }
        FileWrite::Pin(authority, _) => {
            let sentence =
                "the certificate was not written down: that is a mistake in Geomys itself";
            Message::Credentials(CredentialMessage::Pinned(
                authority.clone(),
                Err(sentence.to_owned()),
            ))
        }
        FileWrite::Marks(server, _, changes) => {
            let sentence = "what was read was not written down: that is a mistake in Geomys itself";
            Message::News(NewsMessage::Marks(
                server.clone(),
                changes.len(),
                Err(sentence.to_owned()),
            ))
        }
        FileWrite::Folds(server, _, changes) => {
            let sentence = "folded threads were not saved: that is a mistake in Geomys itself";
            Message::News(NewsMessage::Folds(
                server.clone(),
                changes.len(),
                Err(sentence.to_owned()),
            ))
        }
        FileWrite::Rule(..) => {
            let sentence = "the rule was not written down: that is a mistake in Geomys itself";
            Message::News(NewsMessage::Rule(Err(sentence.to_owned())))
        }
        FileWrite::Transfers(..) => {
            let sentence =
                "the transfers were not written down: that is a mistake in Geomys itself";
            Message::Transfers(TransferMessage::ListWritten(Err(sentence.to_owned())))
        }
        FileWrite::CheckResults(..) | FileWrite::WatchEvents(_) => {
            let sentence =
                "what was found out was not written down: that is a mistake in Geomys itself";
            Message::Bookmarks(BookmarkMessage::ResultsWritten(Err(sentence.to_owned())))
        }
    }
}

fn write(files: &FilePaths, writing: FileWrite, backup: Backup) -> Message {
    match writing {
        FileWrite::Bookmarks(history, change, base) => {
            let saved = files.bookmarks.save(&base, &change);
            Message::Bookmarks(BookmarkMessage::Saved(
                history,
                saved.map_err(|error| error.to_string()),
            ))
        }
        FileWrite::ReadBookmarks(base) => {
            let read = files.bookmarks.reload(&base);
            Message::Bookmarks(BookmarkMessage::Read(
                read.map_err(|error| error.to_string()),
            ))
        }
        FileWrite::Pin(authority, fingerprint) => {
            let written = trust::save(&files.trust, &authority, fingerprint);
            Message::Credentials(CredentialMessage::Pinned(
                authority,
                written.map_err(|error| error.to_string()),
            ))
        }
        FileWrite::Marks(server, path, changes) => {
            let newsrc = if changes.is_empty() {
                Newsrc::load(&path)
            } else {
                Newsrc::change(&path, &changes, backup)
            };
            let marks = newsrc.map(|newsrc| newsrc.marks());
            Message::News(NewsMessage::Marks(
                server,
                changes.len(),
                marks.map_err(|error| error.to_string()),
            ))
        }
        FileWrite::Folds(server, path, changes) => {
            let folds = if changes.is_empty() {
                ServerFolds::load(&path)
            } else {
                ServerFolds::change(&path, &changes)
            };
            let folds = folds.map_err(|error| error.to_string());
            Message::News(NewsMessage::Folds(server, changes.len(), folds))
        }
        FileWrite::Rule(path, group, rule) => {
            let rules = score::add(&path, &group, &rule);
            Message::News(NewsMessage::Rule(rules.map_err(|error| error.to_string())))
        }
        FileWrite::Transfers(was, now) => {
            let written = queue::save(&files.transfers, &was, &now);
            Message::Transfers(TransferMessage::ListWritten(
                written.map_err(|error| error.to_string()),
            ))
        }
        FileWrite::CheckResults(findings, bookmarks) => {
            let urls = bookmarks.bookmarks().filter_map(|one| one.url().ok());
            let listed = urls.map(|url| UrlKey::of(&url)).collect();
            let written = checks::save(&files.checks, &findings, &listed, checks::now());
            Message::Bookmarks(BookmarkMessage::ResultsWritten(
                written.map(drop).map_err(|error| error.to_string()),
            ))
        }
        FileWrite::WatchEvents(events) => {
            let written = watch::save(&files.watched, &events, checks::now());
            Message::Bookmarks(BookmarkMessage::ResultsWritten(
                written.map(drop).map_err(|error| error.to_string()),
            ))
        }
    }
}
