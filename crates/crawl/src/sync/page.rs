//! A page that is fetched as a whole, to be stored: for later, or by a sync.

use std::time::Duration;

use geomys_load::check::{LinkStatus, ReceivedPage, host_key};
use geomys_load::{
    Failure, FailureCause, FailureKind, NO_STORE, PageHead, Part, PartSender, Phase, Question,
    RedirectPolicy, Request, Sink, Stop, load, may_store,
};
use geomys_page::document::{ArticleNumbers, Shape};
use geomys_wire::net::{Net, TransferEnd};
use rfc1738::Url;
use tokio::sync::mpsc;

use super::budget::{Budget, Share};
use crate::hosts::cause_of;
use geomys_store::files::cache::{CachedPage, PageHeader};

/// The capacity of the channel for the parts of a page.
const PARTS: usize = 4;

/// Why a list of groups or articles is not stored as a page.
pub(super) const GROUPS: &str = "groups are cached when they are opened";

/// A page that has arrived completely.
#[derive(Debug)]
pub struct FetchedPage {
    /// The head of the page.
    pub head: PageHead,
    /// The octets in blocks.
    pub octets: Vec<Vec<u8>>,
    /// The end of the transfer.
    pub end: TransferEnd,
    /// The article numbers that came, of an overview.
    pub covered: ArticleNumbers,
    /// The reason why the page may not be stored, of one that is only looked at.
    pub(super) unstored: Option<&'static str>,
    clock: Option<i32>,
}

/// What is done with a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PageUse {
    /// It is stored, or not fetched.
    Store,
    /// It is compared, too: it is fetched even if its server forbids storing it.
    Look,
}

/// The reason why there is no page.
#[derive(Debug)]
pub enum NoPage {
    /// The load stopped.
    Stopped(Box<Stop>),
    /// The page may not be stored, or is stored otherwise.
    NotStored(&'static str),
    /// The URL was not requested, or its server did not answer others before it.
    Skipped(LinkStatus),
}

impl NoPage {
    /// Returns the reason as a sentence.
    pub fn sentence(&self) -> String {
        match self {
            Self::Stopped(stop) => match **stop {
                Stop::Truncated(_) => "it is too large".to_owned(),
                // A page that is to be answered was not opened.
                Stop::Needs(ref question @ Question::LocalAddress(_)) => question.reason(),
                Stop::Failed(_) | Stop::Needs(_) | Stop::Closed => stop.sentence(),
            },
            Self::NotStored(reason) => (*reason).to_owned(),
            Self::Skipped(status) => status.words(),
        }
    }

    /// The page is left for the next run: no octet remains for it in this one.
    fn left() -> Self {
        Stop::Truncated(0).into()
    }

    /// Returns true if nothing remained of the run for the page.
    pub(super) fn is_left(&self) -> bool {
        matches!(self, Self::Stopped(stop) if matches!(**stop, Stop::Truncated(0)))
    }

    /// Returns what failed; `None` if nothing did, or nobody was asked.
    pub(super) fn cause(&self) -> Option<FailureCause> {
        match self {
            Self::Stopped(stop) => cause_of(stop),
            Self::NotStored(_) => Some(FailureCause::Server),
            Self::Skipped(_) => None,
        }
    }
}

impl From<Stop> for NoPage {
    fn from(stop: Stop) -> Self {
        Self::Stopped(Box::new(stop))
    }
}

impl FetchedPage {
    /// Fetches a whole page. A page that may not be stored ends before its octets, and a server that wants a longer
    /// pause than `patience` before it answers.
    ///
    /// # Errors
    /// Any [`NoPage`].
    pub async fn fetch(net: &Net, request: Request, patience: Duration) -> Result<Self, NoPage> {
        let budget = Budget::new(u64::MAX);
        let order = (patience, PageUse::Store);
        Self::fetch_within(net, request, order, budget.begin()).await
    }

    /// Fetches a whole page, as far as its share of the run allows.
    ///
    /// # Errors
    /// Any [`NoPage`].
    pub(super) async fn fetch_within(
        net: &Net,
        request: Request,
        (patience, page_use): (Duration, PageUse),
        share: Option<Share<'_>>,
    ) -> Result<Self, NoPage> {
        let share = share.ok_or_else(NoPage::left)?;
        let (sender, parts) = mpsc::channel(PARTS);
        let mut reception = Reception::new(request.clone(), patience, page_use);
        let receiving = async move {
            let received = reception.receive(parts, &share).await;
            if received.is_ok() {
                share.finish();
            }
            received
        };
        let sink = Sink::of(PartSender::Own(sender));
        tokio::join!(load(net, request, sink), receiving).1
    }

    /// Returns the header of the stored page under `key`. `title` is used if the page has none.
    pub fn header(&self, key: Url, title: Option<String>) -> PageHeader {
        let head = &self.head;
        let real = head.url.as_ref().map(Url::without_password);
        let own_title = head.title.as_ref().map(ToString::to_string);
        PageHeader {
            shape: head.shape,
            charset: head.charset,
            languages: head.languages.as_ref().map(ToString::to_string),
            refresh: head.refresh.clone(),
            offset: self.clock,
            title: own_title.or(title),
            published: None,
            highest: head.highest,
            covered: ArticleNumbers::default(),
            list_date: None,
            whole: None,
            end: self.end,
            real: real.filter(|real| *real != key),
            version: head.version.clone(),
            url: key,
        }
    }

    /// Takes the content of the copy, if the page is as it.
    pub(super) fn fill_from(&mut self, copy: Option<CachedPage>) {
        let Some(mut copy) = copy.filter(|_| self.head.is_unchanged) else {
            return;
        };
        (self.head.shape, self.head.charset) = (copy.head.shape, copy.head.charset);
        if copy.head.shape == Shape::Text && copy.head.url.is_web() {
            // Its type was judged when it came: what looks like HTML was declared as a text.
            self.head.file_name.media_type = Some("text/plain".to_owned());
        }
        // Of a copy that cannot be read further the links so far are followed.
        while let Ok(Some(block)) = copy.octets() {
            self.octets.push(block);
        }
    }

    /// Creates the page of a copy, as far as it can be read.
    pub(super) fn of_copy(copy: CachedPage) -> Self {
        let mut page = Self {
            head: PageHead::new(copy.head.shape),
            octets: Vec::new(),
            end: TransferEnd::Confirmed,
            covered: ArticleNumbers::default(),
            unstored: None,
            clock: None,
        };
        page.head.url.clone_from(&copy.head.real);
        page.head.is_unchanged = true;
        page.fill_from(Some(copy));
        page
    }

    /// Returns the number of octets.
    pub fn len(&self) -> u64 {
        self.octets.iter().map(|block| block.len() as u64).sum()
    }

    /// Returns true if the page has no octets.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the page as it is read for its links.
    pub(super) fn received(self) -> ReceivedPage {
        ReceivedPage {
            head: self.head,
            octets: self.octets.concat(),
            cut: None,
            is_whole: true,
        }
    }
}

/// The reception of a page.
struct Reception {
    request: Request,
    patience: Duration,
    page_use: PageUse,
    unstored: Option<&'static str>,
}

impl Reception {
    fn new(request: Request, patience: Duration, page_use: PageUse) -> Self {
        Self {
            request,
            patience,
            page_use,
            unstored: None,
        }
    }

    /// Receives a page. The load ends when the channel is closed.
    async fn receive(
        &mut self,
        mut parts: mpsc::Receiver<Part>,
        share: &Share<'_>,
    ) -> Result<FetchedPage, NoPage> {
        let (mut head, mut octets, mut clock) = (None, Vec::new(), None);
        let mut covered = ArticleNumbers::default();
        while let Some(part) = parts.recv().await {
            match part {
                Part::Head(begin) => {
                    self.judge(&begin)?;
                    if !share.fits(begin.size.filter(|_| !begin.is_unchanged)) {
                        return Err(NoPage::left());
                    }
                    head = Some(begin);
                }
                Part::Octets(more) => {
                    if !share.take(more.len()) {
                        return Err(NoPage::left());
                    }
                    octets.push(more);
                }
                Part::Clock(minutes) => clock = Some(minutes),
                Part::End(Ok(end)) => {
                    let empty = || Stop::from(Failure::new("the page is empty"));
                    return Ok(FetchedPage {
                        head: head.ok_or_else(empty)?,
                        octets,
                        clock,
                        end,
                        covered,
                        unstored: self.unstored,
                    });
                }
                Part::End(Err(Stop::Failed(failure)))
                    if let Some(why) = self.forbidden(&failure) =>
                {
                    return Err(NoPage::NotStored(why));
                }
                Part::End(Err(Stop::Failed(mut failure))) => {
                    if head.is_some() && failure.cause == FailureCause::Silence {
                        // A server that has begun to answer is not silent.
                        failure.cause = FailureCause::Server;
                    }
                    return Err(Stop::Failed(failure).into());
                }
                Part::End(Err(stop)) => return Err(stop.into()),
                Part::Terminal(_) => return Err(NoPage::NotStored("it is a session")),
                Part::Phase(Phase::Pause(seconds))
                    if Duration::from_secs(seconds) > self.patience =>
                {
                    let authority = host_key(&self.request).unwrap_or_default().0;
                    let sentence = format!("{authority} asks to wait {seconds} s");
                    return Err(Stop::from(Failure {
                        kind: FailureKind::Busy,
                        ..Failure::new(sentence)
                    })
                    .into());
                }
                Part::Covered(numbers) => covered.insert_all(&numbers),
                Part::Phase(_)
                | Part::Remark(_)
                | Part::Names(_)
                | Part::Size(_)
                | Part::Hole(_) => {}
            }
        }
        Err(Stop::Closed.into())
    }

    /// Returns the reason why the target of a redirect, which ended the load, was not requested.
    fn forbidden(&self, failure: &Failure) -> Option<&'static str> {
        let RedirectPolicy::FollowWithin(rules) = &self.request.save.redirects else {
            return None;
        };
        let target = failure.next.as_ref()?.target.as_ref().ok()?;
        rules.admit(target).err()
    }

    /// Refuses a page that is not stored, before its octets are buffered.
    fn judge(&mut self, head: &PageHead) -> Result<(), NoPage> {
        let is_overview = self.request.news_query.overview.is_some();
        let judged = may_store(&self.request, head).and(match head.shape {
            Shape::Group if is_overview => Ok(()),
            Shape::Group | Shape::Groups => Err(GROUPS),
            _ => Ok(()),
        });
        match judged {
            Err(why) if self.page_use == PageUse::Store || why != NO_STORE => {
                Err(NoPage::NotStored(why))
            }
            judged => {
                self.unstored = judged.err();
                Ok(())
            }
        }
    }
}
