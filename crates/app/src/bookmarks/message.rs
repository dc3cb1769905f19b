//! The commands, messages and effects of the bookmarks, and the data that they carry.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use geomys_load::LoadId;
use geomys_load::check::FetchedTitle;
use geomys_store::bookmarks::checks::{CheckResult, Checks, UrlKey};
use geomys_store::bookmarks::dates::BookmarkOrder;
use geomys_store::bookmarks::exchange::import::Import;
use geomys_store::bookmarks::records::BookmarkRecords;
use geomys_store::bookmarks::watch::{WatchEvent, WatchedPages};
use geomys_store::bookmarks::{AppliedChange, Bookmarks, Change, NewBookmark};
use geomys_store::files::history::HistorySettings;
use jiff::Timestamp;
use rfc1738::Url;

use crate::WorkId;
use crate::bookmarks::form::BookmarkForm;
use crate::bookmarks::order::SortResult;
use crate::bookmarks::search::{BookmarkSearch, BookmarkSearchResult};
use crate::credentials::request_defaults::RequestDefaults;
use crate::requester::Arrival;

/// A job over the URLs of bookmarks, each once.
#[derive(Debug)]
pub struct BulkJob {
    /// The content of the bookmark file.
    pub bookmarks: Bookmarks,
    /// The defaults for each request.
    pub defaults: RequestDefaults,
    /// The work for each URL.
    pub kind: BulkKind,
}

/// The work of a job for each URL.
#[derive(Debug)]
pub enum BulkKind {
    /// Check the links of these items; folders are skipped.
    Check(Vec<usize>),
    /// Fetch the titles of these items; folders are skipped.
    FetchTitles(Vec<usize>),
    /// Fetch the watched bookmarks that are due.
    Watch(DuePages),
}

impl BulkKind {
    /// The error message for a job that does not come to its end.
    pub fn not_done(&self) -> &'static str {
        match self {
            Self::Check(_) => "not all links were checked",
            Self::FetchTitles(_) => "not all titles were fetched",
            Self::Watch(_) => "not all followed bookmarks were fetched",
        }
    }
}

/// The rule for the watched pages to fetch.
#[derive(Debug)]
pub struct DuePages {
    /// The state after the earlier fetches.
    pub watched: Arc<WatchedPages>,
    /// The only URLs to fetch, if the user has just confirmed them; `None` for all.
    pub only: Option<BTreeSet<UrlKey>>,
    /// The current time.
    pub now: Timestamp,
}

impl DuePages {
    /// Returns true if a URL is due and not excluded.
    pub fn includes(&self, url: &Url) -> bool {
        let only = self.only.as_ref();
        let is_included = only.is_none_or(|only| only.contains(&UrlKey::of(url)));
        is_included && self.watched.is_due(url, self.now)
    }
}

/// New outcomes of a running job.
#[derive(Debug)]
pub struct BulkReport {
    /// The outcomes since the last report.
    pub outcomes: Vec<BulkOutcome>,
    /// The total number of URLs.
    pub total: usize,
}

/// The outcome for one URL.
#[derive(Debug)]
pub enum BulkOutcome {
    /// The result of a link check.
    Checked(CheckResult),
    /// The title of these bookmarks was fetched, or the error.
    Titled(Vec<usize>, FetchedTitle),
    /// A watched page was fetched.
    Watched(WatchEvent),
}

/// A message to the bookmarks.
#[derive(Debug)]
pub enum BookmarkMessage {
    /// A change to the bookmark file was saved, or the error.
    Saved(HistoryStep, Result<AppliedChange, String>),
    /// The earlier states of the bookmark file, the newest first, or the error.
    States(Result<Vec<String>, String>),
    /// An earlier state was restored, with the message about it, or not.
    Restored(Result<String, String>),
    /// The bookmark file was touched by this or another program.
    Touched,
    /// The bookmark file was read again, or the error.
    Read(Result<Bookmarks, String>),
    /// A search in the bookmarks has ended.
    Filtered(WorkId, Box<BookmarkSearchResult>),
    /// The bookmarks were sorted, or the error of reading their dates.
    Sorted(WorkId, Result<Box<SortResult>, String>),
    /// The stored results of link checks and of watched bookmarks were read, or the error.
    CheckResultsRead(Result<(Checks, WatchedPages), String>),
    /// A job is done with some of its URLs.
    BulkReported(LoadId, BulkReport),
    /// A job is done with all its URLs.
    BulkEnded(LoadId),
    /// The bookmarks of another program were read, or the error.
    ImportRead(Result<Box<Import>, String>),
    /// These bookmarks have the tag of watched ones, and their URLs were never fetched.
    NewlyWatched(Bookmarks, Vec<usize>),
}

/// Moves that are accepted after their check.
#[derive(Clone, Debug)]
pub struct MoveCheck {
    /// The id of the check.
    pub(super) load: LoadId,
    /// The bookmarks when the check began.
    pub(super) from: Bookmarks,
    /// The indices of the bookmarks whose moves are accepted.
    pub(super) items: Vec<usize>,
}

/// A task for the bookmarks.
#[derive(Debug)]
pub enum BookmarkEffect {
    /// Change the bookmark file, of which these bookmarks are an earlier state.
    /// It brings these records, or takes them back if it is undone.
    Save(HistoryStep, Change, Bookmarks, BookmarkRecords),
    /// Read the bookmarks of another program from a file or a directory.
    Import(PathBuf),
    /// List the earlier states of the bookmark file.
    ListStates,
    /// Restore the state with this number.
    Restore(u32),
    /// Read the bookmark file again, of which these bookmarks are an earlier state.
    Read(Bookmarks),
    /// Search the bookmarks on a blocking task.
    Filter(WorkId, Box<BookmarkSearch>),
    /// Sort the bookmarks, and read the dates of additions.
    Sort(WorkId, BookmarkOrder, Bookmarks, HistorySettings),
    /// Read the stored results of link checks and of watched bookmarks.
    ReadCheckResults,
    /// Run a job over the URLs of bookmarks.
    RunBulk(LoadId, Box<BulkJob>),
    /// Save results of a link check; the bookmarks are the current list.
    WriteCheckResults(Vec<CheckResult>, Bookmarks),
    /// Save events of watched bookmarks: their content was fetched, or one was opened.
    WriteWatchEvents(Vec<WatchEvent>),
}

/// The kind of a change to the bookmarks in their undo history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HistoryStep {
    /// A new change, which can be undone.
    Done,
    /// The undo of the last change.
    Undone,
    /// The redo of an undone change.
    Redone,
}

/// The bookmarks that are perhaps of one page, which the user merges or keeps one after the other.
#[derive(Clone, Debug)]
pub(crate) struct SimilarMerge {
    /// The bookmarks when the first question was asked.
    pub(crate) from: Bookmarks,
    /// The pairs that are still to be asked about, the next one last.
    pub(crate) waiting: Vec<[usize; 2]>,
    /// The pairs to merge.
    pub(crate) merged: Vec<[usize; 2]>,
}

/// A command to the bookmarks.
#[derive(Clone, Debug)]
pub(crate) enum BookmarkCommand {
    /// Remove items of these bookmarks.
    Remove(Bookmarks, Vec<usize>),
    /// Replace faulty URLs by fixed ones.
    Repair(Bookmarks, Vec<(usize, Url)>),
    /// Go on with the similar bookmarks.
    MergeSimilar(Box<SimilarMerge>),
    /// Check the links of these bookmarks.
    Check(Bookmarks, Vec<usize>),
    /// Follow these bookmarks: look at their pages now.
    Watch(Bookmarks, Vec<usize>),
    /// Remove the tags that follow from these bookmarks.
    Unfollow(Bookmarks, Vec<usize>),
    /// Ask for the folder of these links; the string is the proposed name.
    AskLinksFolder(Vec<NewBookmark>, String),
    /// Show the bookmarks in this order.
    Sort(BookmarkOrder),
    /// Move the cursor to this bookmark.
    GoTo(Bookmarks, usize),
    /// Save a form although another bookmark has the same address.
    SaveDuplicate(Box<BookmarkForm>),
    /// Save a form.
    SaveForm(Box<BookmarkForm>),
    /// Show the report of the last import.
    ShowImport(Arrival),
}
