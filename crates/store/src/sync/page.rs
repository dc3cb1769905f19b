//! A page that is fetched as a whole, to be stored: for later, or by a sync.

use std::time::Duration;

use geomys_page::document::{ArticleNumbers, Document, Shape};
use geomys_page::load::check::{LinkStatus, host_key};
use geomys_page::load::{
    Failure, FailureKind, PageHead, PageStorage, Part, PartSender, Phase, Request, Sink, Stop, load,
};
use geomys_wire::net::{Net, TransferEnd};
use geomys_wire::text::CharsetSetting;
use rfc1738::Url;
use tokio::sync::mpsc;

use crate::files::cache::{CachedPage, PageHeader};

/// The capacity of the channel for the parts of a page.
const PARTS: usize = 4;

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
    clock: Option<i32>,
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
                Stop::Failed(_) | Stop::Needs(_) | Stop::Closed => stop.sentence(),
            },
            Self::NotStored(reason) => (*reason).to_owned(),
            Self::Skipped(status) => status.words(),
        }
    }
}

impl From<Stop> for NoPage {
    fn from(stop: Stop) -> Self {
        Self::Stopped(Box::new(stop))
    }
}

impl FetchedPage {
    /// Fetches a whole page. A page that may not be stored ends before its octets, and a server that wants a longer pause than
    /// `patience` before it answers.
    ///
    /// # Errors
    /// Any [`NoPage`].
    pub async fn fetch(net: &Net, request: Request, patience: Duration) -> Result<Self, NoPage> {
        let authority = host_key(&request).map_or_else(String::new, |(authority, _)| authority);
        let is_overview = request.news_query.overview.is_some();
        let (sender, mut parts) = mpsc::channel(PARTS);
        // The load ends when the channel is closed.
        let receiving = async move {
            let (mut head, mut octets, mut clock) = (None, Vec::new(), None);
            let mut covered = ArticleNumbers::default();
            while let Some(part) = parts.recv().await {
                match part {
                    Part::Head(begin) => {
                        check_storage(&begin, is_overview)?;
                        head = Some(begin);
                    }
                    Part::Octets(more) => octets.push(more),
                    Part::Clock(minutes) => clock = Some(minutes),
                    Part::End(Ok(end)) => {
                        let empty = || Stop::from(Failure::new("the page is empty"));
                        return Ok(Self {
                            head: head.ok_or_else(empty)?,
                            octets,
                            clock,
                            end,
                            covered,
                        });
                    }
                    Part::End(Err(stop)) => return Err(stop.into()),
                    Part::Terminal(_) => return Err(NoPage::NotStored("it is a session")),
                    Part::Phase(Phase::Pause(seconds))
                        if Duration::from_secs(seconds) > patience =>
                    {
                        let sentence = format!("{authority} asks to wait {seconds} s");
                        return Err(Stop::from(Failure {
                            kind: FailureKind::Busy,
                            ..Failure::new(sentence)
                        })
                        .into());
                    }
                    Part::Covered(numbers) => covered.insert_all(&numbers),
                    Part::Phase(_) | Part::Remark(_) | Part::Names(_) | Part::Size(_) => {}
                }
            }
            Err(Stop::Closed.into())
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
            offset: self.clock,
            title: own_title.or(title),
            highest: head.highest,
            covered: ArticleNumbers::default(),
            list_date: None,
            whole: None,
            is_unconfirmed: self.end.is_unconfirmed(),
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
        // Of a copy that cannot be read further the links so far are followed.
        while let Ok(Some(block)) = copy.octets() {
            self.octets.push(block);
        }
    }

    /// Returns the number of octets.
    pub fn len(&self) -> u64 {
        self.octets.iter().map(|block| block.len() as u64).sum()
    }

    /// Returns true if the page has no octets.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the page as a document; `requested` is the URL of its request. Takes time for a long page.
    pub fn document(&self, requested: &Url) -> Document {
        let url = self.head.url.clone().unwrap_or_else(|| requested.clone());
        let mut document = Document::new(url, self.head.shape, CharsetSetting::default());
        document.declare(self.head.charset);
        document.take(self.octets.concat());
        document
    }
}

/// Refuses a page that is not stored, before its octets are buffered.
fn check_storage(head: &PageHead, is_overview: bool) -> Result<(), NoPage> {
    match (head.storage, head.shape) {
        (PageStorage::Forbidden, _) => Err(NoPage::NotStored("its server forbids storing it")),
        (_, Shape::Group) if is_overview => Ok(()),
        (_, Shape::Group | Shape::Groups) => {
            Err(NoPage::NotStored("groups are cached when they are opened"))
        }
        (PageStorage::Allowed, _) => Ok(()),
    }
}
