//! Writing: an article or a letter, from its first draft to the answer of whoever takes it.
//!
//! ```text
//! prepared -> edited -> read -> (its groups asked about) -> shown and asked -> sent -> put away
//! ```
//!
//! Whatever happens on the way, the draft is in its file, and the sentence that ends the way says in which. Nothing goes
//! out before a person has seen all of it and said so.

mod drafts;
mod fetch;
mod questions;
mod steps;

use std::path::{Path, PathBuf};

use super::action::Action;
use super::prompt::{Prompt, Wants};
use super::{App, Effect};
use crate::document::{Document, Parent, Shape};
use crate::files::draft::{self, Author, Draft, Kept, Origin, Record, Way};
use crate::load::{Listed, LoadId, NewsHost, NotSent, Question, Request, Sent, Stop, news_host};
use crate::text::Text;
use crate::url::{GroupPart, Letter, Parts, Url};

pub use self::drafts::Drafts;
pub(super) use self::fetch::Fetched;
use super::choice::Choice;
use super::news::NewsPlace;
use super::outside::Program;
use super::page::Page;

/// What is written.
#[derive(Clone, Debug)]
pub enum What {
    /// A new article, for this group.
    New(String),
    /// An answer in the group.
    FollowUp(Box<Parent>),
    /// A letter to whom an address names.
    Addressed(Box<Addressed>),
    /// An answer by mail, and whether its author asked for that.
    Letter(Box<Parent>, Asked),
    /// The end of an article of one's own.
    Cancel(Box<Parent>),
    /// A new article in the place of one of one's own.
    Supersede(Box<Parent>),
    /// What was kept earlier, to go out in this way.
    Kept(Way),
}

/// A letter that an address asks for.
#[derive(Clone, Debug)]
pub struct Addressed {
    /// The address.
    pub url: Url,
    /// What it says of the letter.
    pub letter: Letter,
}

/// Who wants an answer to go by mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Who writes it.
    Here,
    /// The author of the article (`Followup-To: poster`).
    There,
}

impl What {
    fn way(&self) -> Way {
        match self {
            Self::New(_) | Self::FollowUp(_) | Self::Cancel(_) | Self::Supersede(_) => Way::Post,
            Self::Letter(..) | Self::Addressed(_) => Way::Mail,
            Self::Kept(way) => *way,
        }
    }

    fn draft(&self, author: &Author) -> Draft {
        match self {
            Self::New(group) => draft::new_article(group, author),
            Self::FollowUp(parent) => draft::follow_up(parent, author),
            Self::Letter(parent, _) => draft::letter(parent, author),
            Self::Addressed(addressed) => draft::addressed(&addressed.letter, author),
            Self::Cancel(parent) => draft::cancel(parent, author),
            Self::Supersede(parent) => draft::supersede(parent, author),
            // It is in its file already.
            Self::Kept(_) => Draft::default(),
        }
    }
}

impl What {
    /// The article of one's own that it cancels or supersedes.
    fn replaced(&self) -> Option<&Parent> {
        match self {
            Self::Cancel(parent) | Self::Supersede(parent) => Some(parent),
            Self::New(_)
            | Self::FollowUp(_)
            | Self::Letter(..)
            | Self::Addressed(_)
            | Self::Kept(_) => None,
        }
    }
}

/// Something that is being written.
#[derive(Clone, Debug)]
pub struct Writing {
    what: What,
    /// Where it is posted, with whatever the server has asked for.
    request: Request,
    /// What was written down of it when it was last read.
    record: Record,
    step: Step,
}

impl Writing {
    /// The server that it was begun for, where that is another than it would go to.
    fn other_server(&self) -> Option<String> {
        let here = NewsHost::parse(&server_of(&self.request))?;
        let begun = NewsHost::parse(&self.record.server)?;
        let is_other = NewsPlace::from(&begun) != NewsPlace::from(&here);
        is_other.then(|| self.record.server.clone())
    }

    /// Has it go to the server that it was begun for.
    fn return_to_server(&mut self, draft: &Draft) {
        let groups = draft.groups();
        let group = groups.first().map(Vec::as_slice).unwrap_or_default();
        let Some(server) = NewsHost::parse(&self.record.server) else {
            return;
        };
        let url = if server.is_sealed {
            Url::nntps(&server.host, server.port, group)
        } else {
            Url::nntp(&server.host, server.port, group, None)
        };
        if let Ok(url) = url {
            self.request = Request::show(url);
            self.request.news_server = Some(server);
        }
    }
}

/// How far it is.
#[derive(Clone, Debug)]
enum Step {
    /// Its file is made.
    Preparing,
    /// The editor has it.
    Editing(PathBuf),
    /// It is read back.
    Reading(PathBuf),
    /// Somebody else is asked about it.
    Busy(PathBuf, Draft, DraftStep, LoadId),
    /// A server wants something first.
    Needs(PathBuf, Draft, DraftStep, Option<Box<Question>>),
    /// A person is asked, as soon as nothing else is; with a draft where it could be read.
    Asking(PathBuf, Option<Draft>, Option<Box<Choice>>),
}

/// What a server, or a program, is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DraftStep {
    /// Tell which groups there are.
    List,
    /// Take it.
    Send,
}

/// What is to be done outside for a draft.
#[derive(Debug)]
pub enum DraftJob {
    /// Write it into a file of its own.
    Create(Box<Draft>, Box<Author>, Origin),
    /// Give it to an editor, which has the terminal.
    Edit(Program),
    /// Read it back.
    Read(PathBuf),
    /// List those that are kept.
    Kept,
    /// Remove the one in this file.
    Remove(PathBuf),
    /// Ask a server which of these groups it has.
    List(LoadId, Box<Request>, Vec<Vec<u8>>),
    /// Post it, and put its file to those that were sent; the domain of Message-IDs, where one is set.
    Post(LoadId, Box<Request>, Box<Draft>, PathBuf, Option<String>),
    /// Give it to this program, which mails it, and put its file away.
    Mail(LoadId, Vec<String>, Box<Draft>, PathBuf),
}

/// What came of an [`DraftJob`].
#[derive(Debug)]
pub enum Outcome {
    /// The file it was written to, or a sentence.
    Created(Result<PathBuf, String>),
    /// The editor has ended, or a sentence.
    Edited(Result<String, String>),
    /// The draft, or a sentence; and what is written down of it.
    Read(Result<Draft, String>, Record),
    /// Those that are kept, or a sentence.
    Kept(Result<Vec<Kept>, String>),
    /// The one in this file is removed, or a sentence.
    Removed(PathBuf, Result<(), String>),
    /// The groups that the server has.
    Listed(LoadId, Result<Vec<Listed>, Stop>),
    /// It was taken, or not.
    Sent(LoadId, Result<Sent, NotSent>),
}

impl App {
    /// Begins an article for the group that is shown, or that the shown article is in.
    pub(super) fn write_new(&mut self) -> Vec<Effect> {
        let group = self.page().and_then(group_of).or_else(|| {
            let groups = self.parent()?.newsgroups;
            Some(groups.split(',').next().unwrap_or_default().to_owned())
        });
        match group {
            Some(group) => self.write(What::New(group)),
            None => self.say_no("an article is posted from a group, or from an article in one"),
        }
    }

    /// Begins an answer in the groups where the article wants it; by mail, where it wants that.
    pub(super) fn write_follow_up(&mut self) -> Vec<Effect> {
        match self.parent() {
            Some(parent) => {
                let to = parent.followup_to.as_deref().unwrap_or_default();
                if to.trim().eq_ignore_ascii_case("poster") {
                    return self.write(What::Letter(Box::new(parent), Asked::There));
                }
                self.write(What::FollowUp(Box::new(parent)))
            }
            None => self.fetch_or_say_no(Action::FollowUp, "only an article can be answered"),
        }
    }

    /// Begins an answer by mail.
    pub(super) fn write_letter(&mut self) -> Vec<Effect> {
        match self.parent() {
            Some(parent) => self.write(What::Letter(Box::new(parent), Asked::Here)),
            None => self.fetch_or_say_no(Action::ReplyByMail, "only an article can be answered"),
        }
    }

    /// Begins the letter that a mailto URL asks for; nothing where no program takes mail.
    pub(super) fn write_to(&mut self, url: &Url) -> Option<Vec<Effect>> {
        let Parts::Mailto(mailto) = url.reading() else {
            return None;
        };
        if self.settings.author.mail.is_empty() {
            return None;
        }
        let mut effects = Vec::new();
        if self.page().is_none() {
            effects.extend(self.open_home());
        }
        let (url, letter) = (url.clone(), mailto.letter());
        effects.extend(self.write(What::Addressed(Box::new(Addressed { url, letter }))));
        Some(effects)
    }

    /// Begins to take back the article that is shown.
    pub(super) fn write_cancel(&mut self) -> Vec<Effect> {
        match self.parent() {
            Some(parent) if parent.id.is_empty() => {
                self.say_no("the article has no Message-ID, so it cannot be cancelled")
            }
            Some(parent) => self.write(What::Cancel(Box::new(parent))),
            None => self.fetch_or_say_no(Action::CancelArticle, "only an article can be cancelled"),
        }
    }

    /// Begins an article in the place of the one that is shown.
    pub(super) fn write_supersede(&mut self) -> Vec<Effect> {
        match self.parent() {
            Some(parent) if parent.id.is_empty() => {
                self.say_no("the article has no Message-ID, so it cannot be superseded")
            }
            Some(parent) => self.write(What::Supersede(Box::new(parent))),
            None => self.fetch_or_say_no(Action::Supersede, "only an article can be superseded"),
        }
    }

    /// Fetches the article that a group's cursor is on for this.
    fn fetch_or_say_no(&mut self, action: Action, sentence: &str) -> Vec<Effect> {
        match self.fetch_for(action) {
            Some(effects) => effects,
            None => self.say_no(sentence),
        }
    }

    fn say_no(&mut self, sentence: &str) -> Vec<Effect> {
        self.complain(sentence);
        Vec::new()
    }

    /// What an answer to the shown article needs, its source shown or not.
    fn parent(&self) -> Option<Parent> {
        let page = self.page()?;
        let rendered = page.rendered.as_ref().map(|rendered| &*rendered.document);
        rendered.or(page.document())?.parent()
    }

    /// Begins to write; asks first by which name, where none is set.
    fn write(&mut self, what: What) -> Vec<Effect> {
        if self.writing.is_some() {
            return self.say_no("something is being written already");
        }
        if let What::Addressed(addressed) = &what {
            // Who it is from is for the program that mails it to know, where nobody has set it.
            let request = Request::show(addressed.url.clone());
            return self.prepare(what, request);
        }
        let Some(from) = self.settings.author.from.clone() else {
            let remark = "the name and address that everybody sees: Name <address>. settings.toml keeps it under [news]";
            return self.prompt(Prompt {
                remark: Some(Text::of(remark)),
                ..Prompt::new(Wants::From(Box::new(what)), "")
            });
        };
        if let Some(parent) = what.replaced()
            && !is_same_address(&from, &parent.address)
        {
            let whose = Text::of(&parent.address);
            return self.say_no(&format!("only its author, {whose}, can cancel it"));
        }
        if what.way() == Way::Mail && self.settings.author.mail.is_empty() {
            return self.say_no("no program takes mail: settings.toml names one under [mail]");
        }
        let Some(url) = self.page().map(|page| page.url.clone()) else {
            return Vec::new();
        };
        let mut request = Request::show(url);
        if let Some(page) = self.page() {
            request.news_server.clone_from(&page.news_server);
        }
        self.prepare(what, request)
    }

    fn prepare(&mut self, what: What, request: Request) -> Vec<Effect> {
        let author = self.settings.author.clone();
        let draft = what.draft(&author);
        let replaced = what.replaced();
        let origin = Origin {
            server: match what.way() {
                Way::Post => server_of(&request),
                Way::Mail => String::new(),
            },
            replaces: replaced.map(|parent| (parent.id.clone(), parent.cancel_lock.clone())),
            ..Origin::default()
        };
        self.writing = Some(Writing {
            what,
            request,
            record: Record::default(),
            step: Step::Preparing,
        });
        vec![Effect::Write(DraftJob::Create(
            Box::new(draft),
            Box::new(author),
            origin,
        ))]
    }

    /// The name to write by was typed; it is kept until the browser ends.
    pub(super) fn name_author(&mut self, prompt: Prompt, what: What) -> Vec<Effect> {
        let typed = prompt.input.value().trim().to_owned();
        if draft::is_mailbox(&typed) {
            self.settings.author.from = Some(typed);
            return self.write(what);
        }
        let remark = Some(Text::of("that is no “Name <address>”"));
        self.prompt(Prompt { remark, ..prompt })
    }
}

/// The group that a page shows, or whose article it shows by number.
fn group_of(page: &Page) -> Option<String> {
    let group = match page.url.reading() {
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

/// Where to look for what was posted.
fn group_url(request: &Request, group: &str) -> Option<Url> {
    match request.url.reading() {
        Parts::Nntp(nntp) if nntp.group.octets().as_ref() == group.as_bytes() => {
            if nntp.number.is_none() {
                return Some(request.url.clone());
            }
            let address = request.url.as_str().rsplit_once('/')?.0;
            Url::accept(address).ok()
        }
        _ => Url::news_group(group.as_bytes()).ok(),
    }
}

/// Whether a mailbox has this address; hosts are the same in capitals.
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

/// The news server of a request, as [`NewsHost::parse`] reads it; empty where none is known.
pub fn server_of(request: &Request) -> String {
    match news_host(&request.url, request.news_server.as_ref()) {
        Some(NewsHost {
            host,
            port,
            is_sealed,
        }) => {
            let scheme = if is_sealed { "nntps://" } else { "" };
            let host = host.to_ascii_lowercase();
            if host.contains(':') && !host.starts_with('[') {
                format!("{scheme}[{host}]:{port}")
            } else {
                format!("{scheme}{host}:{port}")
            }
        }
        None => String::new(),
    }
}

/// Where a draft is, for a sentence.
fn whereabouts(path: &Path) -> String {
    format!("the draft is {}", path.display())
}
