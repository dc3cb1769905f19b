//! The kinds of drafts: what an article or a letter is for.

use geomys_page::document::ParentArticle;
use geomys_store::files::draft::{self, Author, DeliveryMethod, Draft};
use rfc1738::{MailtoMessage, Url};

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
            Self::MailReply(..) | Self::Mailto(_) => DeliveryMethod::Mail,
            Self::Stored(delivery) => *delivery,
        }
    }

    pub(crate) fn draft(&self, author: &Author) -> Draft {
        match self {
            Self::New(group) => draft::new_article(group, author),
            Self::FollowUp(parent) => draft::follow_up(parent, author),
            Self::MailReply(parent, _) => draft::letter(parent, author),
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
            | Self::Mailto(_)
            | Self::Stored(_) => None,
        }
    }
}
