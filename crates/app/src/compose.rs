//! Writing of articles and mails: from the first draft to the answer of the server or the mail program.
//!
//! ```text
//! prepare -> edit -> read back -> (check its groups) -> show and confirm -> send -> archive
//! ```
//!
//! In every step the draft is in its file, and the last message names that file. Nothing is sent before the user has
//! seen all of it and confirmed.

mod drafts;
pub mod message;
mod questions;
mod send_all;
mod steps;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use geomys_load::{LoadId, NewsHost, Question, Reason, Request};
use geomys_page::document::{Document, ParentArticle, Shape};
use geomys_store::files::draft::{
    self, DeliveryMethod, Draft, DraftOrigin, SendRecord, StoredDraft,
};
use geomys_store::outbox::{place_of, server_of};
use geomys_wire::text::{Charset, Text};
use rfc1738::{Dialect, GroupPart, Parts, Url};

use self::message::DraftJob;
use self::message::{DraftKind, MailReplyReason, MailtoDraft};
use crate::action::Action;
use crate::dialogs::text_input::{InputCommand, TextInput};
use crate::news::next_unread::CurrentArticle;
use crate::news::server::NewsAuthority;
use crate::requester::NextStep;
use crate::tabs::tab::shows_private;
use crate::{Command, ComposeCommand, Context, Dialog, Page, Tabs};

const BUSY: &str = "a draft is open already";
const NO_MAIL_PROGRAM: &str = "no mail program is set: name one under [mail] in settings.toml";

/// The state of writing.
#[derive(Debug, Default)]
pub(crate) struct Compose {
    /// The article or mail being written.
    pub(crate) writing: Option<DraftInProgress>,
    /// The stored drafts that are sent one after the other.
    batch: Option<DraftBatch>,
}

/// The drafts that are being sent one after the other.
#[derive(Debug, Default)]
pub(crate) struct DraftBatch {
    waiting: VecDeque<(StoredDraft, Request)>,
    /// The subject of the current draft.
    subject: String,
    sent: usize,
    /// The drafts that were not sent, each with the reason.
    kept: Vec<String>,
}

/// A draft that is being written or sent.
#[derive(Clone, Debug)]
pub struct DraftInProgress {
    kind: DraftKind,
    /// The request that posts it, with the answers to the server's questions.
    request: Request,
    /// The record of its send attempts, from when it was last read.
    record: SendRecord,
    /// The file of the draft; `None` while it is created.
    path: Option<PathBuf>,
    /// The draft as it was last read from its file, if it could be read.
    draft: Option<Draft>,
    step: DraftStage,
    /// The key that the user sent it with.
    asked_at: Option<u64>,
    /// True if it was begun in a private tab: then it is not queued.
    is_private: bool,
}

impl Compose {
    /// Returns true if the draft in progress was begun in a private tab.
    pub(crate) fn is_private(&self) -> bool {
        self.writing.as_ref().is_some_and(|draft| draft.is_private)
    }
}

impl DraftInProgress {
    /// Begins a draft that is in no file yet.
    fn new(kind: DraftKind, request: Request, is_private: bool) -> Self {
        Self {
            kind,
            request,
            record: SendRecord::default(),
            path: None,
            draft: None,
            step: DraftStage::Editing,
            asked_at: None,
            is_private,
        }
    }

    /// Returns the server that the draft was begun for, if it is not the server that it would be sent to.
    fn other_server(&self) -> Option<String> {
        let here = NewsHost::parse(&server_of(&self.request))?;
        let begun = NewsHost::parse(&self.record.server)?;
        let is_other = NewsAuthority::from(&begun) != NewsAuthority::from(&here);
        is_other.then(|| self.record.server.clone())
    }

    /// Changes the request to the server that the draft was begun for.
    fn return_to_server(&mut self) {
        let draft = self.draft.clone().unwrap_or_default();
        if let Some((server, url)) = place_of(&self.record, &draft) {
            self.request = Request::show(url, Reason::Queued(self.record.namer.clone()));
            self.request.news_query.server = Some(server);
        }
    }
}

/// The current step of a draft.
#[derive(Clone, Debug)]
pub(crate) enum DraftStage {
    /// The file of the draft is being created, edited or read back.
    Editing,
    /// A request about the draft, or its sending, is running.
    Running(DraftStep, LoadId),
    /// The server asked a question first.
    ServerQuestion(DraftStep, Option<Box<Question>>),
    /// A question to the user waits or is open.
    Asking(Option<Box<Dialog>>),
}

/// The running step of a server or a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DraftStep {
    /// The server lists its groups.
    List,
    /// The server or the program takes the draft.
    Send,
}

impl Compose {
    /// Begins an article for the shown group, or for the group of the shown article.
    pub(crate) fn write_new(&mut self, tabs: &Tabs, cx: &mut Context) {
        let group = tabs.page().and_then(group_of).or_else(|| {
            let groups = tabs.page()?.own_document()?.parent()?.newsgroups;
            Some(groups.split(',').next().unwrap_or_default().to_owned())
        });
        match group {
            Some(group) => self.write(DraftKind::New(group), tabs, cx),
            None => {
                cx.report_error("Open a group or an article to post");
            }
        }
    }

    /// Begins a follow-up in the groups that the article names for it; a mail, if the article requests that.
    pub(crate) fn write_follow_up(&mut self, tabs: &mut Tabs, cx: &mut Context) {
        let kind = |parent: Box<ParentArticle>| {
            let to = parent.followup_to.as_deref().unwrap_or_default();
            if to.trim().eq_ignore_ascii_case("poster") {
                DraftKind::MailReply(parent, MailReplyReason::FollowupToPoster)
            } else {
                DraftKind::FollowUp(parent)
            }
        };
        self.write_about(Action::FollowUp, "answered", kind, tabs, cx);
    }

    /// Begins a draft about the shown article. The article under the cursor of a group is fetched first, for this
    /// action. `participle` is the word for messages about other pages.
    pub(crate) fn write_about(
        &mut self,
        action: Action,
        participle: &str,
        kind: impl FnOnce(Box<ParentArticle>) -> DraftKind,
        tabs: &mut Tabs,
        cx: &mut Context,
    ) {
        let shown = tabs.page().and_then(Page::own_document);
        let Some(parent) = shown.and_then(Document::parent) else {
            let shown = CurrentArticle::of(tabs);
            let listed = shown.and_then(|shown| Some((shown.listed(tabs)?, shown)));
            let Some((listed, shown)) = listed else {
                return cx.report_error(&format!("Only an article can be {participle}"));
            };
            return tabs.open_listed(&shown, listed, Some(NextStep::Run(action)), cx);
        };
        let kind = kind(Box::new(parent));
        if kind.replaced().is_some_and(|parent| parent.id.is_empty()) {
            return cx.report_error(&format!(
                "The article has no Message-ID, so it cannot be {participle}"
            ));
        }
        self.write(kind, tabs, cx);
    }

    /// Begins the mail of a mailto URL. Returns false if no mail program is set.
    pub(crate) fn write_to(&mut self, url: &Url, tabs: &Tabs, cx: &mut Context) -> bool {
        let Parts::Mailto(mailto) = url.base_parts() else {
            return false;
        };
        if cx.settings.author.mail.is_empty() {
            return false;
        }
        if tabs.page().is_none() {
            cx.command(Command::OpenHome);
        }
        let (url, message) = (url.clone(), mailto.letter());
        let mailto = Box::new(MailtoDraft { url, message });
        self.write(DraftKind::Mailto(mailto), tabs, cx);
        true
    }

    /// Begins a draft. If the author's name is not set, asks for it first.
    fn write(&mut self, kind: DraftKind, tabs: &Tabs, cx: &mut Context) {
        if self.writing.is_some() {
            return cx.report_error(BUSY);
        }
        if let DraftKind::Mailto(mailto) = &kind {
            // If the author is not set, the mail program fills it in.
            let request = Request::show(mailto.url.clone(), Reason::Typed);
            return self.prepare(kind, request, tabs, cx);
        }
        let Some(from) = cx.settings.author.for_groups(kind.groups()).from else {
            let remark = "public name and address: Name <address> (stored under [news])";
            let input = TextInput {
                remark: Some(Text::of(remark)),
                ..TextInput::new(InputCommand::Author(Box::new(kind)), "")
            };
            return cx.ask(Dialog::input("From:", input));
        };
        if let Some(parent) = kind.replaced()
            && !is_same_address(&from, &parent.address)
        {
            let whose = Text::of(&parent.address);
            return cx.report_error(&format!("Only its author, {whose}, can cancel it"));
        }
        if kind.delivery() == DeliveryMethod::Mail && cx.settings.author.mail.is_empty() {
            return cx.report_error(NO_MAIL_PROGRAM);
        }
        if let Some(refusal) = refusal(&kind, tabs, cx) {
            let begin = Command::Compose(ComposeCommand::Begin(Box::new(kind)));
            let dialog = Dialog::confirm(&format!("{refusal}. Write anyway?"), begin);
            return cx.ask(dialog.declined(Vec::new()));
        }
        self.begin(kind, tabs, cx);
    }

    /// Begins a draft for the server of the shown page.
    fn begin(&mut self, kind: DraftKind, tabs: &Tabs, cx: &mut Context) {
        if self.writing.is_some() {
            return cx.report_error(BUSY);
        }
        let Some(page) = tabs.page() else {
            return;
        };
        let mut request = Request::show(page.url.clone(), page.request.reason());
        request
            .news_query
            .server
            .clone_from(&page.request.news_server);
        self.prepare(kind, request, tabs, cx);
    }

    fn prepare(&mut self, kind: DraftKind, mut request: Request, tabs: &Tabs, cx: &mut Context) {
        request.settings.private_hosts = Arc::clone(&cx.settings.history.except);
        let author = cx.settings.author.for_groups(kind.groups());
        let draft = kind.draft(&author);
        let replaced = kind.replaced();
        let origin = DraftOrigin {
            server: match kind.delivery() {
                DeliveryMethod::Post => server_of(&request),
                DeliveryMethod::Mail | DeliveryMethod::Upload => String::new(),
            },
            namer: request.namer_to_store(),
            replaces: replaced.map(|parent| (parent.id.clone(), parent.cancel_lock.clone())),
            ..DraftOrigin::default()
        };
        let is_private = shows_private(tabs.tab()) || cx.settings.history.excludes(&request.url);
        self.writing = Some(DraftInProgress::new(kind, request, is_private));
        cx.emit(DraftJob::Create(Box::new(draft), Box::new(author), origin));
    }

    /// Sets the typed author until the program ends, and continues the draft.
    pub(crate) fn name_author(
        &mut self,
        typed: &str,
        kind: DraftKind,
        tabs: &Tabs,
        cx: &mut Context,
    ) -> Result<(), Option<Text>> {
        let typed = typed.trim();
        if !draft::is_mailbox(typed) {
            return Err(Some(Text::of("expected “Name <address>”")));
        }
        cx.settings.author.from = Some(typed.to_owned());
        self.write(kind, tabs, cx);
        Ok(())
    }
}

/// Returns the sentence that the server of the shown page, or a group of the draft, takes no posts, if it has said so:
/// in its greeting, or in a list of groups that is open.
fn refusal(kind: &DraftKind, tabs: &Tabs, cx: &Context) -> Option<String> {
    let page = tabs
        .page()
        .filter(|_| kind.delivery() == DeliveryMethod::Post)?;
    if page.answer.refuses_posts {
        return Some("This server refuses posts".to_owned());
    }
    let server = NewsAuthority::of(page)?;
    let pages = tabs.pages().filter(|page| page.is_of(&server));
    let lists: Vec<&Document> = pages.filter_map(Page::own_document).collect();
    let groups = kind.draft(&cx.settings.author).groups();
    let is_closed = |group: &&Vec<u8>| lists.iter().any(|list| list.lists_as_closed(group));
    let closed = groups.iter().find(is_closed)?;
    let closed = Text::new(closed, Charset::default());
    Some(format!("{closed} refuses posts here"))
}

/// Returns the group that a page shows, or the group in the URL of its article.
pub fn group_of(page: &Page) -> Option<String> {
    let group = match page.url.base_parts() {
        Parts::Nntp(nntp) => nntp.group.octets().into_owned(),
        Parts::News(news) => match news.part {
            GroupPart::Group(group) | GroupPart::Articles(group, _) => group.octets().into_owned(),
            GroupPart::All | GroupPart::Groups(_) | GroupPart::Article(_) => return None,
        },
        _ => return None,
    };
    let shape = page.document().map(Document::shape);
    let is_news = matches!(shape, Some(Shape::Group | Shape::Article | Shape::Text));
    let group = String::from_utf8(group).ok()?;
    (is_news && !group.is_empty()).then_some(group)
}

/// Returns the URL of the group with the posted article.
fn group_url(request: &Request, group: &str) -> Option<Url> {
    match request.url.base_parts() {
        Parts::Nntp(nntp) if nntp.group.octets().as_ref() == group.as_bytes() => {
            if nntp.number.is_none() {
                return Some(request.url.clone());
            }
            let address = request.url.as_str().rsplit_once('/')?.0;
            Dialect::Extended.parse(address).ok()
        }
        _ => Url::news_group(group.as_bytes()).ok(),
    }
}

/// Returns true if a mailbox has this address. Upper and lower case are equal in host names.
fn is_same_address(mailbox: &str, address: &str) -> bool {
    let own = mailbox.rsplit_once('<').map_or(mailbox, |(_, own)| own);
    let own = own.trim().trim_end_matches('>');
    match (own.rsplit_once('@'), address.rsplit_once('@')) {
        (Some((local, host)), Some((other, theirs))) => {
            local == other && host.eq_ignore_ascii_case(theirs)
        }
        (_, _) => false,
    }
}

/// Returns the line of a question that names the file of a draft.
fn path_line(path: &Path) -> String {
    format!("Draft: {}", path.display())
}

/// Returns the sentence after a draft was closed, with the reason.
fn stored_sentence(why: &str, cx: &Context) -> String {
    let list = cx.key_of(Action::Drafts);
    if why.is_empty() {
        format!("Draft stored ({list} lists the outbox)")
    } else {
        format!("{why}; draft stored ({list} lists the outbox)")
    }
}
