//! The commands, messages and effects of the transfers, and the data that they carry.

use std::path::PathBuf;

use geomys_crawl::tree::{self, TreeProgress, TreeSummary};
use geomys_load::{LoadId, LocalTarget, Question, Request};
use geomys_page::document::Document;
use geomys_page::document::binary::FileCheck;
use geomys_store::files::mailcap::Viewer;
use geomys_store::transfer::download::{
    DownloadOrder, PartialFilePolicy, SavedFile, Target, TransferEvent,
};
use geomys_store::transfer::queue::{Destination, UnfinishedTransfer};
use geomys_store::transfer::view::TemporaryFile;
use geomys_wire::text::Text;
use rfc1738::Url;

use crate::credentials::request_defaults::RequestDefaults;
use crate::requester::{PendingRequest, TransferId};

/// A directory transfer whose destination is being determined.
#[derive(Clone, Debug)]
pub enum DirectoryTransfer {
    /// A transfer that is not in the queue yet.
    New(Box<Request>),
    /// A transfer of a marked row, which goes to the proposed path.
    Marked(Box<Request>),
    /// A transfer in the queue.
    Queued(TransferId),
}

/// A viewer to start for a file that is being fetched.
#[derive(Clone, Debug)]
pub struct ViewerJob {
    /// The program.
    pub viewer: Viewer,
    /// The file's MIME type.
    pub mime: String,
}

/// A transfer to be carried out, with its policies.
#[derive(Clone, Debug)]
pub enum TransferJob {
    /// The transfer of a file.
    File(DownloadOrder),
    /// The transfer of a directory with all its files.
    Directory(tree::DirectoryOrder),
}

/// The result of a complete transfer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransferOutcome {
    /// A saved file.
    File(SavedFile),
    /// A file that was there already, and was not downloaded.
    Skipped(PathBuf),
    /// A saved directory: its path, and the counts of files and failures.
    Directory(PathBuf, TreeSummary),
}

/// The reason why a transfer was interrupted.
#[derive(Clone, Debug)]
pub enum TransferInterruption {
    /// A question to the user.
    Question(TransferQuestion),
    /// An error, as a sentence.
    Failed(String),
}

/// A question of a transfer to the user.
#[derive(Clone, Debug)]
pub enum TransferQuestion {
    /// The question of its load.
    Load(Question),
    /// The URL is a directory: transfer all its files?
    Directory,
    /// This local directory has files from another source: add the files to it?
    Foreign(PathBuf),
    /// The server sends more than this announced size: transfer the rest?
    Oversize(u64),
}

/// A group with the parts of a binary, and an article with one of them.
#[derive(Clone, Debug)]
pub enum BinaryGroup {
    /// The group is open: its list, and the line of the article in it.
    Open(Box<Document>, usize),
    /// The group has to be fetched by the first of these requests whose answer lists the article with this Message-ID.
    Closed(Vec<Request>, String),
}

/// A binary to be saved.
#[derive(Clone, Debug)]
pub struct BinaryJob {
    /// The group with the parts.
    pub group: BinaryGroup,
    /// The request for that article; the requests for the other parts differ in the URL.
    pub request: Request,
    /// The directory of the file.
    pub directory: PathBuf,
}

/// A directory or a site of which a file is made.
#[derive(Clone, Debug)]
pub struct SiteJob {
    /// The kind of the file.
    pub kind: SiteFile,
    /// The request for the directory or the site.
    pub request: Box<Request>,
    /// The path of the file.
    pub path: PathBuf,
    /// True if the user has agreed to change a file that is there.
    pub may_change: bool,
}

/// A file that is made of a directory or a site.
#[derive(Clone, Debug)]
pub enum SiteFile {
    /// An archive, to which another one may be added.
    Archive,
    /// The report of a check of all links, with the defaults of its requests.
    Check(Box<RequestDefaults>),
}

impl SiteFile {
    /// Returns the verb for what is done with the directory or the site.
    pub const fn verb(&self) -> &'static str {
        match self {
            Self::Archive => "archive",
            Self::Check(_) => "check",
        }
    }
}

/// A page to be piped.
#[derive(Clone, Debug)]
pub enum PipeInput {
    /// A page that is here.
    Document(Box<Document>),
    /// A page to be fetched.
    Request(Box<Request>),
}

/// Where piped pages go.
#[derive(Clone, Debug)]
pub enum PipeTarget {
    /// To the standard input of a program: its name, then its arguments.
    Program(Vec<String>),
    /// Into a mailbox of this name, or a similar one that is free.
    Mailbox(PathBuf),
}

/// Pages to be piped, one after the other.
#[derive(Clone, Debug)]
pub struct PipeJob {
    /// The pages.
    pub inputs: Vec<PipeInput>,
    /// Where they go.
    pub target: PipeTarget,
}

/// A message to the transfers.
#[derive(Debug)]
pub enum TransferMessage {
    /// The progress of a file that is fetched to be viewed: its octets so far, and its size.
    DownloadProgress(LoadId, u64, Option<u64>),
    /// A page was saved: the file, or the error.
    Downloaded(LoadId, Result<SavedFile, String>),
    /// A binary was joined and saved: the file and its check, or the error.
    Joined(LoadId, Result<(SavedFile, FileCheck), String>),
    /// A program got its pages: its last words, or the error.
    Piped(LoadId, Result<Text, String>),
    /// A page to be piped leads to this local address, which needs the permission of the user.
    PipeAsks(LoadId, Box<PipeJob>, LocalTarget),
    /// The progress of a check: the number of URLs that were requested, and of those that are known.
    CheckProgress(LoadId, usize, usize),
    /// The file of a directory or a site is made, with the message about it, or the error.
    SiteDone(LoadId, Result<String, String>),
    /// The file of a directory or a site is there already.
    SiteFileTaken(LoadId, Box<SiteJob>),
    /// A file was fetched to be viewed, or the error.
    Fetched(LoadId, Result<TemporaryFile, String>),
    /// The local path that is proposed for a directory transfer.
    Destination(DirectoryTransfer, PathBuf),
    /// The progress of a file transfer.
    Progress(LoadId, TransferEvent),
    /// The progress of a directory transfer.
    DirectoryProgress(LoadId, TreeProgress),
    /// A transfer has ended.
    Ended(LoadId, Result<TransferOutcome, TransferInterruption>),
}

/// A task for the transfers.
#[derive(Debug)]
pub enum TransferEffect {
    /// Transfer a file, or a directory with all its files, to the disk.
    Start(LoadId, Box<TransferJob>),
    /// Find a local directory for the directory of this URL: this path, or a similar one that is free.
    Destination(DirectoryTransfer, Url, PathBuf),
    /// Replace the first list of unfinished transfers by the second one in their file.
    WriteList(Vec<UnfinishedTransfer>, Vec<UnfinishedTransfer>),
    /// Remove the partial file of a transfer, after its load was cancelled.
    RemovePartial(Option<LoadId>, Box<DownloadOrder>),
    /// Write a page's octets to a file.
    Save(LoadId, Document, Target),
    /// Write the reply to a form to this file. Its directory must exist, or be the download directory (the last path).
    SaveReply(LoadId, Document, PathBuf, PathBuf),
    /// Fetch the parts of a binary, join and check them, and write the file.
    Join(LoadId, Box<BinaryJob>),
    /// Fetch pages, and write them to the standard input of a program, or into a mailbox.
    Pipe(LoadId, Box<PipeJob>),
    /// Archive a directory or a site, or check its links.
    Site(LoadId, Box<SiteJob>),
    /// Fetch a file under this name to view it; it is deleted afterwards.
    Fetch(LoadId, Box<Request>, String),
}

/// A command to the transfers.
#[derive(Clone, Debug)]
pub(crate) enum TransferCommand {
    /// Download a request.
    Download(Box<Request>),
    /// Copy a directory, or a site by its links, into a directory.
    Mirror(Box<Request>),
    /// Download a request to this destination.
    Add(Box<Request>, Destination),
    /// Ask for the path of a file to be saved; the string is its proposed name.
    AskPath(Box<PendingRequest>, String),
    /// Fetch a file under this name, and view it.
    View(Box<Request>, String, ViewerJob),
    /// Go on with this policy for the partial file.
    SetPartial(TransferId, PartialFilePolicy),
    /// Find a local directory for a transfer of a directory.
    FindDestination(TransferId),
    /// Add the files to a directory with other files.
    Merge(TransferId),
    /// Go on beyond the announced size.
    AcceptOversize(TransferId),
    /// Archive a directory or a site, or check its links.
    Site(Box<SiteJob>),
    /// Pipe pages.
    Pipe(Box<PipeJob>),
    /// Remove a transfer and its partial file.
    Erase(TransferId),
    /// Save the complete reply to a form.
    SaveReply(Box<Document>, PathBuf),
}
