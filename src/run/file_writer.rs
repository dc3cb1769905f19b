//! The user's files, written one change after the other.

use std::collections::HashSet;
use std::path::PathBuf;

use tokio::sync::mpsc;
use tokio::sync::mpsc::error::SendError;
use tokio::task::JoinHandle;

use crate::app::news::{Changes, FoldChanges, NewsPlace};
use crate::app::{History, Message};
use crate::files::bookmarks::{Bookmarks, Change, Store};
use crate::files::checks::{self, Finding, Key};
use crate::files::folds::ServerFolds;
use crate::files::newsrc::{Backup, Newsrc};
use crate::files::transfers::{self, Unfinished};
use crate::files::watch::{self, Event};
use crate::files::{score, trust};
use crate::net::Fingerprint;

/// Where the files are.
#[derive(Clone, Debug)]
pub(super) struct Files {
    /// The bookmark file.
    pub(super) bookmarks: Store,
    /// The certificates that were accepted.
    pub(super) trust: PathBuf,
    /// The transfers that have not ended.
    pub(super) transfers: PathBuf,
    /// What is known of the URLs of bookmarks.
    pub(super) checks: PathBuf,
    /// What was seen at watched ones.
    pub(super) watched: PathBuf,
}

/// Something to write.
#[derive(Debug)]
pub(super) enum Writing {
    /// A change to the bookmarks, of which an earlier state is known.
    Bookmarks(History, Change, Bookmarks),
    /// Nothing: the bookmarks are read again, of which an earlier state is known.
    ReadBookmarks(Bookmarks),
    /// A certificate that was accepted for a place.
    Pin(String, Fingerprint),
    /// What was read of a news server, in this file; without changes the file is only read.
    Marks(NewsPlace, PathBuf, Changes),
    /// Which threads of a news server are folded, in this file; without changes the file is only read.
    Folds(NewsPlace, PathBuf, FoldChanges),
    /// A rule for the articles of a group, in this file.
    Rule(PathBuf, String, String),
    /// Of the transfers that had not ended the second ones are left.
    Transfers(Vec<Unfinished>, Vec<Unfinished>),
    /// What was found out of bookmarks, these being in the list.
    Findings(Vec<Finding>, Bookmarks),
    /// What was seen at watched ones.
    Seen(Vec<Event>),
}

/// Writes what is wanted, until nobody can want anything any more. Gives what could not be written and nobody heard of.
pub(super) async fn write_all(
    files: Files,
    mut wanted: mpsc::UnboundedReceiver<Writing>,
    messages: mpsc::UnboundedSender<Message>,
) -> Vec<String> {
    let mut unheard = Vec::new();
    let mut backed_up = HashSet::new();
    while let Some(writing) = wanted.recv().await {
        let files = files.clone();
        let lost = lost(&writing);
        let first = first_change(&writing, &backed_up);
        let backup = first.as_ref().map_or(Backup::Skip, |_| Backup::Keep);
        let written = tokio::task::spawn_blocking(move || write(&files, writing, backup)).await;
        let written = written.unwrap_or(lost);
        if let Message::Marks(_, _, Ok(_)) = &written {
            backed_up.extend(first);
        }
        // Nobody listens once the loop has ended.
        if let Err(SendError(message)) = messages.send(written) {
            unheard.extend(fault(message));
        }
    }
    unheard
}

/// The file of marks that this changes for the first time.
fn first_change(writing: &Writing, backed_up: &HashSet<PathBuf>) -> Option<PathBuf> {
    match writing {
        Writing::Marks(_, path, changes) => {
            let is_first = !changes.is_empty() && !backed_up.contains(path);
            is_first.then(|| path.clone())
        }
        Writing::Bookmarks(..)
        | Writing::ReadBookmarks(_)
        | Writing::Pin(..)
        | Writing::Folds(..)
        | Writing::Rule(..)
        | Writing::Transfers(..)
        | Writing::Findings(..)
        | Writing::Seen(_) => None,
    }
}

/// What is said at the end of the browser: what the loop left unread, and what was written after it. Nobody may send to
/// `left` any more.
pub(super) async fn unheard(
    mut left: mpsc::UnboundedReceiver<Message>,
    saving: JoinHandle<Vec<String>>,
) -> Vec<String> {
    let mut sentences = Vec::new();
    while let Some(message) = left.recv().await {
        sentences.extend(fault(message));
    }
    let broken = "what was changed last was not written: that is a mistake in Geomys itself";
    let written = saving.await;
    sentences.extend(written.unwrap_or_else(|_| vec![broken.to_owned()]));
    // Of many changes to one file each failed alike.
    sentences.dedup();
    sentences
}

/// Why something was not written; nothing where it was, or where this is about something else.
fn fault(message: Message) -> Option<String> {
    match message {
        Message::Bookmarks(_, written) => written.err(),
        Message::Pinned(_, written) => written.err(),
        Message::Marks(_, changes, written) if changes > 0 => written.err(),
        Message::Folds(_, changes, written) if changes > 0 => written.err(),
        Message::Rule(written) => written.err(),
        Message::TransfersWritten(written) | Message::FindingsWritten(written) => written.err(),
        _ => None,
    }
}

/// What is said when a writing has panicked.
fn lost(writing: &Writing) -> Message {
    match writing {
        Writing::Bookmarks(history, ..) => {
            let sentence = "the bookmarks were not saved: that is a mistake in Geomys itself";
            Message::Bookmarks(*history, Err(sentence.to_owned()))
        }
        Writing::ReadBookmarks(_) => {
            let sentence = "the bookmarks were not read: that is a mistake in Geomys itself";
            Message::BookmarksRead(Err(sentence.to_owned()))
        }
        Writing::Pin(place, _) => {
            let sentence =
                "the certificate was not written down: that is a mistake in Geomys itself";
            Message::Pinned(place.clone(), Err(sentence.to_owned()))
        }
        Writing::Marks(server, _, changes) => {
            let sentence = "what was read was not written down: that is a mistake in Geomys itself";
            Message::Marks(server.clone(), changes.len(), Err(sentence.to_owned()))
        }
        Writing::Folds(server, _, changes) => {
            let sentence = "folded threads were not saved: that is a mistake in Geomys itself";
            Message::Folds(server.clone(), changes.len(), Err(sentence.to_owned()))
        }
        Writing::Rule(..) => {
            let sentence = "the rule was not written down: that is a mistake in Geomys itself";
            Message::Rule(Err(sentence.to_owned()))
        }
        Writing::Transfers(..) => {
            let sentence =
                "the transfers were not written down: that is a mistake in Geomys itself";
            Message::TransfersWritten(Err(sentence.to_owned()))
        }
        Writing::Findings(..) | Writing::Seen(_) => {
            let sentence =
                "what was found out was not written down: that is a mistake in Geomys itself";
            Message::FindingsWritten(Err(sentence.to_owned()))
        }
    }
}

fn write(files: &Files, writing: Writing, backup: Backup) -> Message {
    match writing {
        Writing::Bookmarks(history, change, known) => {
            let saved = files.bookmarks.save(&known, &change);
            Message::Bookmarks(history, saved.map_err(|error| error.to_string()))
        }
        Writing::ReadBookmarks(known) => {
            let read = files.bookmarks.reload(&known);
            Message::BookmarksRead(read.map_err(|error| error.to_string()))
        }
        Writing::Pin(place, fingerprint) => {
            let written = trust::save(&files.trust, &place, fingerprint);
            Message::Pinned(place, written.map_err(|error| error.to_string()))
        }
        Writing::Marks(server, path, changes) => {
            let newsrc = if changes.is_empty() {
                Newsrc::load(&path)
            } else {
                Newsrc::change(&path, &changes, backup)
            };
            let marks = newsrc.map(|newsrc| newsrc.marks());
            Message::Marks(
                server,
                changes.len(),
                marks.map_err(|error| error.to_string()),
            )
        }
        Writing::Folds(server, path, changes) => {
            let folds = if changes.is_empty() {
                ServerFolds::load(&path)
            } else {
                ServerFolds::change(&path, &changes)
            };
            let folds = folds.map_err(|error| error.to_string());
            Message::Folds(server, changes.len(), folds)
        }
        Writing::Rule(path, group, rule) => {
            let rules = score::add(&path, &group, &rule);
            Message::Rule(rules.map_err(|error| error.to_string()))
        }
        Writing::Transfers(was, now) => {
            let written = transfers::save(&files.transfers, &was, &now);
            Message::TransfersWritten(written.map_err(|error| error.to_string()))
        }
        Writing::Findings(findings, bookmarks) => {
            let urls = bookmarks.bookmarks().filter_map(|one| one.url().ok());
            let listed = urls.map(|url| Key::of(&url)).collect();
            let written = checks::save(&files.checks, &findings, &listed, checks::now());
            Message::FindingsWritten(written.map(drop).map_err(|error| error.to_string()))
        }
        Writing::Seen(events) => {
            let written = watch::save(&files.watched, &events, checks::now());
            Message::FindingsWritten(written.map(drop).map_err(|error| error.to_string()))
        }
    }
}
