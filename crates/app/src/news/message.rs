//! The commands, messages and effects of the news part, and the data that they carry.

use std::path::PathBuf;
use std::time::Duration;

use geomys_load::LoadId;
use geomys_page::document::folds::FoldChange;
use geomys_page::document::marks::{MarkChange, ServerMarks};
use geomys_page::document::score::NewRule;
use geomys_page::document::{ArticleNumbers, score};
use geomys_store::files::news::ServerFolds;
use geomys_store::files::read_messages::{MessageMark, ReadMessages};
use rfc1738::Url;

use crate::news::server::NewsAuthority;

/// A search for a group with unread articles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupSearch {
    /// The groups that had no unread article, whatever the server had counted.
    pub(crate) tried: Vec<Vec<u8>>,
    /// The step that follows when an unread article is found.
    pub(crate) step: UnreadStep,
    /// True if the server has counted the groups since the search began.
    pub(crate) is_counted: bool,
    /// The page that the search began on.
    pub(crate) page: Option<Url>,
    /// The step after a search that finds nothing.
    pub(crate) end: SearchEnd,
}

/// The step that follows when no group of the server has an unread article.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SearchEnd {
    /// Say so.
    #[default]
    Notify,
    /// Open the next new item of the home page.
    OtherItems,
}

/// The step that follows when a group with an unread article was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum UnreadStep {
    /// Move the cursor of the group to the article.
    #[default]
    Select,
    /// Open the article.
    Open,
}

impl GroupSearch {
    /// Returns a search that ends with this step.
    pub(crate) fn to(step: UnreadStep) -> Self {
        Self {
            step,
            ..Self::default()
        }
    }

    /// Returns the search that goes on with the other new items of the home page.
    pub(crate) fn then_other_items(self) -> Self {
        Self {
            end: SearchEnd::OtherItems,
            ..self
        }
    }
}

/// An article to be selected in a group that was opened for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WantedArticle {
    pub(crate) server: NewsAuthority,
    pub(crate) group: Vec<u8>,
    pub(crate) target: GroupTarget,
}

/// The articles of a group that are marked read at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CatchUpRange {
    /// All articles up to this number.
    All(u64),
    /// The articles from the first number to the last.
    Between(u64, u64),
    /// No article: all marks of the group are reset.
    Reset,
}

impl CatchUpRange {
    /// Returns the change of the marks; `None` if the range has no article.
    pub(crate) fn change(self) -> Option<MarkChange> {
        let numbers = match self {
            Self::All(highest) => ArticleNumbers::range(1, highest),
            Self::Between(first, last) => ArticleNumbers::range(first, last),
            Self::Reset => return Some(MarkChange::Reset),
        };
        (!numbers.is_empty()).then_some(MarkChange::Read(numbers))
    }
}

/// Changes to the groups of a server, in order.
pub type MarkChanges = Vec<(Vec<u8>, MarkChange)>;

/// Changes to the folds of groups of a server, in order.
pub type FoldChanges = Vec<(Vec<u8>, FoldChange)>;

/// A message to the news part.
#[derive(Clone, Debug)]
pub enum NewsMessage {
    /// The marks of a news server after this number of changes was saved, or the error.
    Marks(NewsAuthority, usize, Result<ServerMarks, String>),
    /// The folded threads of a news server after this number of changes was saved, or the error.
    Folds(NewsAuthority, usize, Result<ServerFolds, String>),
    /// The messages of mailboxes that were read after this number of changes was saved, or the error.
    Messages(usize, Result<ReadMessages, String>),
    /// The write of marks and folds that [`NewsEffect::Schedule`] scheduled is due.
    Due,
    /// The request of counts that [`NewsEffect::Refresh`] scheduled is due.
    RefreshDue,
    /// All score rules after one was added.
    Rule(score::ScoreRules),
    /// The Message-IDs of all articles that were posted, after one was.
    Posted(Vec<String>),
}

/// A task for the news part.
#[derive(Debug)]
pub enum NewsEffect {
    /// Save changes to the marks of a news server in a file, and read that file; without changes, only read it.
    Marks(NewsAuthority, PathBuf, MarkChanges),
    /// Save changes to the folded threads of a news server in a file, and read that file; without changes, only read
    /// it.
    Folds(NewsAuthority, PathBuf, FoldChanges),
    /// Save changes to the read messages of mailboxes in a file, and read that file; without changes, only read it.
    Messages(PathBuf, Vec<MessageMark>),
    /// Send [`NewsMessage::Due`] soon, as marks or folds have changed.
    Schedule,
    /// Send [`NewsMessage::RefreshDue`] after this time.
    Refresh(Duration),
    /// Add a score rule for the articles in the groups of a wildmat to this file.
    Rule(PathBuf, String, NewRule),
    /// Read the Message-IDs of all articles that were posted.
    Posted,
}

/// A command to the news part.
#[derive(Clone, Debug)]
pub(crate) enum NewsCommand {
    /// Request the counts of the subscribed groups of a server, to go on with a search.
    CountGroups(NewsAuthority, Option<GroupSearch>),
    /// Mark articles of a group read.
    CatchUp(NewsAuthority, Vec<u8>, CatchUpRange),
    /// Ask where a score rule is to count: the group, the score, the header and its text.
    AskRuleScope(Vec<u8>, i32, &'static str, String),
    /// Add a score rule for the groups of a wildmat.
    AddRule(String, NewRule),
    /// Apply the state of the server to the page of a load that has begun.
    PageBegun(LoadId),
    /// Go on after the page of a URL was finished.
    PageFinished(Url),
    /// Mark the article of a URL read, if its load has failed because the server no longer has it.
    ArticleFailed(Url),
}

impl WantedArticle {
    /// Returns the first unread article of a group.
    pub(crate) fn unread(server: NewsAuthority, group: Vec<u8>, search: GroupSearch) -> Self {
        Self {
            server,
            group,
            target: GroupTarget::Unread(search),
        }
    }
}

/// The article to be found in a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum GroupTarget {
    /// The first unread article; the search goes on with other groups.
    Unread(GroupSearch),
    /// The article with this number.
    Article(u64),
}
