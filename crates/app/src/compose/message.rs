//! The kinds of drafts, their commands, jobs and outcomes, and the data that these carry.

use std::path::PathBuf;

use geomys_load::{LoadId, Namer, PostError, PostOutcome, PostingGroup, Request, Stop};
use geomys_page::document::ParentArticle;
use geomys_store::files::draft;
use geomys_store::files::draft::{
    Author, DeliveryMethod, Draft, DraftOrigin, SendRecord, StoredDraft,
};
use rfc1738::{MailtoMessage, Url};

use crate::tabs::message::Program;

/// A job for a draft, carried out outside the state.
#[derive(Debug)]
pub enum DraftJob {
    /// Write the draft to a new file.
    Create(Box<Draft>, Box<Author>, DraftOrigin),
    /// Run the editor in the terminal.
    Edit(Program),
    /// Read the draft back from its file.
    Read(PathBuf),
    /// List the stored drafts.
    ListDrafts,
    /// Remove the draft in this file.
    Remove(PathBuf),
    /// Ask the server which of these groups it has.
    List(LoadId, Box<Request>, Vec<Vec<u8>>),
    /// Send the draft, and move its file to the sent ones.
    Send(LoadId, Box<Request>, Box<Draft>, PathBuf, Box<Author>),
    /// Queue the draft for the next sync, which posts it to this server, with who named the server.
    Queue(PathBuf, String, Namer),
    /// Write the draft of an upload to a new file, and queue it, with who named its URL.
    QueueUpload(Box<Draft>, Namer),
    /// Take the draft out of the queue, to be edited.
    Hold(PathBuf),
}

/// The result of a [`DraftJob`].
#[derive(Debug)]
pub enum DraftOutcome {
    /// The file of the draft to be edited, or the error.
    Created(Result<PathBuf, String>),
    /// The editor has ended, or the error.
    Edited(Result<String, String>),
    /// The draft or the error, and the record of its send attempts.
    Read(Result<Draft, String>, SendRecord),
    /// The stored drafts, or the error.
    DraftsListed(Result<Vec<StoredDraft>, String>),
    /// The removal of the draft in this file, or the error.
    Removed(PathBuf, Result<(), String>),
    /// The groups of the server.
    Listed(LoadId, Result<Vec<PostingGroup>, Stop>),
    /// The result of the posting.
    Sent(LoadId, Result<PostOutcome, PostError>),
    /// The draft waits for the next sync, or the error.
    Queued(Result<(), String>),
}

/// The listed drafts, and the chosen one.
#[derive(Clone, Debug)]
pub struct Drafts {
    /// The drafts, the newest first; at least one.
    pub items: Vec<StoredDraft>,
    /// The index of the chosen draft, from 0.
    pub chosen: usize,
}

/// A command about the draft that is being written.
#[derive(Clone, Debug)]
pub(crate) enum ComposeCommand {
    /// Begin this draft, though the server refuses posts.
    Begin(Box<DraftKind>),
    /// Send the draft.
    Send,
    /// Send the draft to the server that it was begun for.
    SendToFirstServer,
    /// Queue the draft for the next sync.
    Queue,
    /// Queue a text for the next sync, which uploads it to the URL that this namer has named.
    QueueUpload(Box<Draft>, Namer),
    /// Edit the draft.
    Edit,
    /// Close the draft; its file stays.
    Close,
    /// Close the draft, and remove its file.
    Drop,
    /// Remove the draft in this file.
    Remove(PathBuf),
    /// Send these stored drafts.
    SendAll(Vec<StoredDraft>),
    /// Load the group again to which an article was posted.
    ReloadGroup(Url),
}

/// The kind of a draft.
#[derive(Clone, Debug)]
pub enum DraftKind {
    /// A new article for this group.
    New(String),
    /// A follow-up in the group.
    FollowUp(Box<ParentArticle>),
    /// A mail to the address in a mailto URL.
    Mailto(Box<MailtoDraft>),
    /// A reply by mail, and the reason why it goes by mail.
    MailReply(Box<ParentArticle>, MailReplyReason),
    /// A mail with the text of an article, to a reader whom the user names.
    Forward(Box<ParentArticle>),
    /// The cancel message for one of the user's own articles.
    Cancel(Box<ParentArticle>),
    /// A new article that supersedes one of the user's own articles.
    Supersede(Box<ParentArticle>),
    /// A stored draft, to be sent by this method.
    Stored(DeliveryMethod),
}

/// A mail to the address in a mailto URL.
#[derive(Clone, Debug)]
pub struct MailtoDraft {
    /// The mailto URL.
    pub url: Url,
    /// The recipients, headers and body in the URL.
    pub message: MailtoMessage,
}

/// The reason why a reply goes by mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MailReplyReason {
    /// The user chose to reply by mail.
    UserChoice,
    /// The author of the article requested it (`Followup-To: poster`).
    FollowupToPoster,
}

impl DraftKind {
    pub(crate) fn delivery(&self) -> DeliveryMethod {
        match self {
            Self::New(_) | Self::FollowUp(_) | Self::Cancel(_) | Self::Supersede(_) => {
                DeliveryMethod::Post
            }
            Self::MailReply(..) | Self::Forward(_) | Self::Mailto(_) => DeliveryMethod::Mail,
            Self::Stored(delivery) => *delivery,
        }
    }

    /// Returns the groups of the draft, or of the article that a mail is about, separated by commas.
    pub(crate) fn groups(&self) -> &str {
        match self {
            Self::New(group) => group,
            Self::FollowUp(parent) => parent.followup_to.as_ref().unwrap_or(&parent.newsgroups),
            Self::MailReply(parent, _)
            | Self::Forward(parent)
            | Self::Cancel(parent)
            | Self::Supersede(parent) => &parent.newsgroups,
            Self::Mailto(_) | Self::Stored(_) => "",
        }
    }

    pub(crate) fn draft(&self, author: &Author) -> Draft {
        match self {
            Self::New(group) => draft::new_article(group, author),
            Self::FollowUp(parent) => draft::follow_up(parent, author),
            Self::MailReply(parent, _) => draft::letter(parent, author),
            Self::Forward(parent) => draft::forward(parent, author),
            Self::Mailto(mailto) => draft::addressed(&mailto.message, author),
            Self::Cancel(parent) => draft::cancel(parent, author),
            Self::Supersede(parent) => draft::supersede(parent, author),
            // The draft is in its file already.
            Self::Stored(_) => Draft::default(),
        }
    }

    /// Returns the user's own article that the draft cancels or supersedes.
    pub(crate) fn replaced(&self) -> Option<&ParentArticle> {
        match self {
            Self::Cancel(parent) | Self::Supersede(parent) => Some(parent),
            Self::New(_)
            | Self::FollowUp(_)
            | Self::MailReply(..)
            | Self::Forward(_)
            | Self::Mailto(_)
            | Self::Stored(_) => None,
        }
    }
}
