//! What comes to the state, and what it wants done.

use std::path::PathBuf;

use crossterm::event::KeyEvent;

use super::check::{Report, Round, Watching};
use super::filter::{Filtered, Search};
use super::news::{Changes, FoldChanges, NewsPlace};
use super::outside::Program;
use super::page::WorkId;
use super::transfers::{self, DirectoryTransfer, Ended, Job};
use super::write::{DraftJob, Outcome};
use crate::document::find::{Direction, Needle};
use crate::document::marks::Marks;
use crate::document::score;
use crate::document::{Arrangement, Document};
use crate::files::bookmarks::{Applied, Bookmarks, Change};
use crate::files::cache::Head;
use crate::files::checks::{Checks, Finding};
use crate::files::download::{Order as Fetch, Report as Downloading, Saved, Target};
use crate::files::folds::ServerFolds;
use crate::files::mailcap::Entry;
use crate::files::transfers::Unfinished;
use crate::files::tree::Step;
use crate::files::view::Fetched;
use crate::files::watch::{Event, Watched};
use crate::load::{HostRules, LoadId, Login, Part, Request, Typed};
use crate::net::{Fingerprint, Pin};
use crate::url::Url;

/// What happened.
#[derive(Debug)]
pub enum Message {
    /// A key was pressed.
    Key(KeyEvent),
    /// Text was pasted.
    Paste(String),
    /// The terminal has this many columns and lines now.
    Resize(u16, u16),
    /// A load reports.
    Part(LoadId, Part),
    /// A page is finished, or arranged.
    Finished(WorkId, Document),
    /// A find ended: the row, if there is one.
    Found(WorkId, Option<usize>),
    /// The bookmark file was changed, or why not.
    Bookmarks(History, Result<Applied, String>),
    /// Something has touched the bookmark file.
    BookmarksTouched,
    /// The bookmark file was read again, or why not.
    BookmarksRead(Result<Bookmarks, String>),
    /// A search in the bookmarks has ended.
    Filtered(WorkId, Box<Filtered>),
    /// What is known of bookmarks has been read, and what was seen of the watched ones; or why not.
    Known(Result<(Checks, Watched), String>),
    /// What a check of bookmarks has found out since its last report.
    Checked(LoadId, Report),
    /// A check of bookmarks has ended.
    CheckEnded(LoadId),
    /// Watched bookmarks were fetched.
    Watched(Vec<Event>),
    /// These bookmarks are tagged to be watched, and their addresses were never fetched.
    NewlyWatched(Bookmarks, Vec<usize>),
    /// What was found out of bookmarks was written down, or why not.
    FindingsWritten(Result<(), String>),
    /// An accepted certificate was written down, or why not.
    Pinned(String, Result<Pin, String>),
    /// A file that is fetched to be looked at comes along.
    Downloading(LoadId, u64, Option<u64>),
    /// A page was saved: the file, or a sentence.
    Downloaded(LoadId, Result<Saved, String>),
    /// A transfer of a file comes along.
    Transferring(LoadId, Downloading),
    /// A transfer of a directory comes along.
    Walking(LoadId, Step),
    /// A transfer has ended.
    Transferred(LoadId, Result<transfers::Outcome, Ended>),
    /// The transfers that have not ended were written down, or why not.
    TransfersWritten(Result<(), String>),
    /// The directory that another one is proposed to be saved to.
    Destination(DirectoryTransfer, PathBuf),
    /// A file is here to be looked at, or a sentence.
    Fetched(LoadId, Result<Fetched, String>),
    /// A program has ended: how, or why it could not be started.
    Ran(Result<String, String>),
    /// What a server says of its selectors; nothing when it does not.
    Rules(WorkId, String, Option<HostRules>),
    /// The programs that mailcap names.
    Viewers(Vec<Entry>),
    /// What the keyring has for a password that was asked for.
    Keyring(WorkId, Option<Login>),
    /// The keyring keeps a password, or why not.
    Kept(Result<(), String>),
    /// A file that goes with a form has been read, or why not.
    FileRead(WorkId, Result<Vec<u8>, String>),
    /// What was read of a news server, after so many changes were written down; or why not.
    Marks(NewsPlace, usize, Result<Marks, String>),
    /// The folded threads of a news server, after so many changes were written down; or why not.
    Folds(NewsPlace, usize, Result<ServerFolds, String>),
    /// The write of marks and folds that [`Effect::MarksSoon`] asked for is due.
    MarksDue,
    /// All rules for articles, after one was written down; or why it was not.
    Rule(Result<score::Rules, String>),
    /// A page is kept from now on, or why not.
    PageKept(Result<(), String>),
    /// Something has come of an job for what is being written.
    Written(Outcome),
    /// The system asks to end (SIGTERM, SIGHUP).
    Terminate,
}

/// What is to be done outside of the state.
#[derive(Debug)]
pub enum Effect {
    /// Start a load.
    Load(LoadId, Request),
    /// Say something in the session that this load holds.
    Say(LoadId, Typed),
    /// Drop a load, or a download.
    Drop(LoadId),
    /// Finish a document on a blocking task.
    Finish(WorkId, Document),
    /// Sort and filter a document's rows on a blocking task.
    Arrange(WorkId, Document, Arrangement),
    /// Find in a document on a blocking task: from this row, this way.
    Find(WorkId, Document, Needle, usize, Direction),
    /// Change the bookmark file, of which these bookmarks are an earlier state.
    Bookmarks(History, Change, Bookmarks),
    /// Read the bookmark file again, of which these bookmarks are an earlier state.
    ReadBookmarks(Bookmarks),
    /// Search the bookmarks on a blocking task.
    FilterBookmarks(WorkId, Box<Search>),
    /// Read what is known of bookmarks.
    Known,
    /// Check bookmarks.
    Check(LoadId, Box<Round>),
    /// Fetch what is watched and due.
    Watch(LoadId, Box<Watching>),
    /// Write down what was found out of bookmarks, those being in the list now.
    Findings(Vec<Finding>, Bookmarks),
    /// Write down what was seen at watched bookmarks, or that one was opened.
    Seen(Vec<Event>),
    /// Write down that a certificate is accepted for a place.
    Pin(String, Fingerprint),
    /// Load into a file, or all of a directory into one.
    Transfer(LoadId, Box<Job>),
    /// Find the directory that the one of this URL is saved to: this one, or one like it.
    Destination(DirectoryTransfer, Url, PathBuf),
    /// Write down that of the first of these transfers, which had not ended, the second ones are left.
    Transfers(Vec<Unfinished>, Vec<Unfinished>),
    /// Take away what a transfer has left, when its load has been dropped.
    Forget(Option<LoadId>, Box<Fetch>),
    /// Write a page's octets to a file.
    Save(LoadId, Document, Target),
    /// Write the reply to a form to this file, whose directory is there already or is the last one: that of downloads.
    SaveReply(LoadId, Document, PathBuf, PathBuf),
    /// Load into a file of this name that goes when it has been looked at.
    Fetch(LoadId, Request, String),
    /// Ask a server, by this name, for the rules of its selectors.
    Rules(WorkId, String, Box<Request>),
    /// Run another program.
    Run(Program),
    /// Read the mailcap files.
    Viewers(Vec<PathBuf>),
    /// Read a file that goes with a form.
    Read(WorkId, PathBuf),
    /// Write down in a file what was read of a news server, and read that file; with no changes, only read it.
    Marks(NewsPlace, PathBuf, Changes),
    /// Write down in a file which threads of a news server are folded, and read that file; with no changes, only read it.
    Folds(NewsPlace, PathBuf, FoldChanges),
    /// Send [`Message::MarksDue`] soon: marks or folds have changed.
    MarksSoon,
    /// Write down a rule for the articles of a group.
    Rule(PathBuf, String, String),
    /// Ask the keyring for the password of a user at a place.
    Keyring(WorkId, String, String),
    /// Have the keyring keep a password for a place.
    Keep(String, Login),
    /// Do something for what is being written.
    Write(DraftJob),
    /// Keep a page, to be read without a network.
    KeepPage(Box<Head>, Document),
    /// Ask no server from now on, or ask them again.
    Offline(bool),
    /// Put text on the terminal's clipboard.
    Copy(String),
    /// Draw everything anew.
    Redraw,
    /// Give the terminal back and stop until the shell says go on.
    Suspend,
}

/// What a change to the bookmarks is in their history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum History {
    /// Something new, which can be undone.
    Done,
    /// It takes the last one back.
    Undone,
    /// It does again what was taken back.
    Redone,
}
