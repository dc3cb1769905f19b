//! The check of a page whose links are checked too: its answer is judged as by a link check, and the page is received.

use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use geomys_wire::net::{Net, TransferEnd};
use geomys_wire::text::CharsetSetting;
use rfc1738::Url;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};

use super::{Attempt, LinkCheckResult, LinkStatus, ServerAnswer, UrlJob, check_request};
use crate::part::Part;
use crate::sink::PartSender;
use crate::{
    PageHead, Request, Sink, Stop, decompressed, is_compressed_page, kind_of, scheme, sniff,
};
use geomys_page::document::{Document, Kind, Shape};

/// The octets of a page that are read: links after them are not seen.
pub const MAX_READ_BYTES: usize = 8 * 1024 * 1024;

/// The octets of a file that is no text, which tell its type.
const SAMPLE: usize = 4 * sniff::SAMPLE;

/// The time limit for one server to send a page.
const DEADLINE: Duration = Duration::from_mins(1);

/// The check of a page, which is received if its purpose is to be saved; a link check for
/// [`Purpose::Check`](crate::Purpose::Check).
#[derive(Clone, Copy, Debug)]
pub struct CheckPage;

/// The result of the check of a page.
#[derive(Debug)]
pub struct CheckedPage {
    /// The result of the link check.
    pub result: LinkCheckResult,
    /// The page; None if there is no answer, or it is of another server than the URL.
    pub page: Option<ReceivedPage>,
}

/// A page, or the beginning of a file.
#[derive(Debug)]
pub struct ReceivedPage {
    /// The head of the page.
    pub head: PageHead,
    /// The octets as they came, without the framing of the protocol.
    pub octets: Vec<u8>,
    /// The reason why the end did not come; None for a whole page, and for one of which no more was read.
    pub cut: Option<String>,
    /// True if all of it was read.
    pub is_whole: bool,
}

impl ReceivedPage {
    /// Returns the shape of the page; `requested` is the URL of its request.
    ///
    /// # Errors
    /// The kind of a file that is no page.
    pub fn kind(&self, requested: &Url) -> Result<Shape, Kind> {
        kind_of(&self.head, requested, &self.octets)
    }

    /// Returns the page without the compression that nobody asked its server for.
    #[must_use]
    pub fn decompressed(self, requested: &Url) -> Self {
        if !is_compressed_page(&self.head, requested, &self.octets) {
            return self;
        }
        let octets = decompressed(self.octets, MAX_READ_BYTES);
        Self { octets, ..self }
    }

    /// Returns true if the octets are those of a text, and not of a file of another kind.
    pub fn is_text(&self) -> bool {
        let start = self.octets.get(..sniff::SAMPLE).unwrap_or(&self.octets);
        sniff::is_text(start, self.head.charset)
    }

    /// Returns true for a text that begins as a page of HTML does.
    pub fn looks_like_html(&self) -> bool {
        sniff::looks_like_html(&self.octets, self.head.charset)
    }

    /// Returns the page as a document; `requested` is the URL of its request. Takes time for a long page.
    pub fn document(&self, requested: &Url) -> Document {
        let url = self.head.url.clone().unwrap_or_else(|| requested.clone());
        let shape = self.kind(requested).unwrap_or(Shape::Text);
        let mut document = Document::new(url, shape, CharsetSetting::default());
        document.declare(self.head.charset);
        document.append(&self.octets);
        document.finished()
    }
}

impl UrlJob for CheckPage {
    type Outcome = CheckedPage;

    fn run<'a>(self, net: &'a Net, request: &'a Request) -> BoxFuture<'a, CheckedPage> {
        let checking = async move {
            let mut attempt = Attempt::once_more();
            let result = check_request(net, request, request.purpose, &mut attempt).await;
            CheckedPage {
                result,
                page: attempt.page,
            }
        };
        checking.boxed()
    }

    fn missing_answer(outcome: &CheckedPage) -> Option<&str> {
        super::CheckLink::missing_answer(&outcome.result)
    }

    fn failed(status: LinkStatus) -> CheckedPage {
        CheckedPage {
            result: super::CheckLink::failed(status),
            page: None,
        }
    }
}

/// Asks the server of a prepared request within the deadline, and receives its page.
pub(super) async fn receive(
    net: &Net,
    prepared: &Request,
    page: &mut Option<ReceivedPage>,
) -> ServerAnswer {
    let deadline = Instant::now() + DEADLINE;
    let (sender, mut parts) = mpsc::channel(4);
    let (net, mut sink) = (prepared.network(net), Sink::of(PartSender::Own(sender)));
    let mut reception = Reception::new(prepared);
    let end = {
        // Boxed: its state is large, and there may be many.
        let load = Box::pin(scheme::load(&net, prepared, &mut sink));
        tokio::pin!(load);
        loop {
            let end = tokio::select! {
                biased;
                Some(part) = parts.recv() => match reception.take(part) {
                    Received::More => continue,
                    Received::Enough => Ok(Ok(TransferEnd::Confirmed)),
                },
                end = timeout_at(deadline, &mut load) => end,
            };
            break end;
        }
    };
    while let Ok(part) = parts.try_recv() {
        reception.take(part);
    }
    let answer = match end {
        Ok(end) => {
            reception.is_whole &= end.is_ok();
            reception.cut = end.as_ref().err().map(Stop::sentence);
            ServerAnswer::of(end, sink)
        }
        Err(_) if reception.head.is_some() => {
            reception.is_whole = false;
            reception.cut = Some(format!("no end within {} s", DEADLINE.as_secs()));
            ServerAnswer::of(Ok(TransferEnd::Confirmed), sink)
        }
        Err(_) => ServerAnswer::missing(DEADLINE),
    };
    *page = reception
        .page()
        .map(|page| page.decompressed(&prepared.url));
    answer
}

/// The parts of a page that have come.
struct Reception {
    /// The URL of the request.
    requested: Url,
    head: Option<PageHead>,
    octets: Vec<u8>,
    /// The number of octets after which no more is read.
    max: usize,
    is_whole: bool,
    cut: Option<String>,
}

/// Whether more of a page is read.
enum Received {
    More,
    Enough,
}

impl Reception {
    fn new(request: &Request) -> Self {
        let limit = request.limit.and_then(|limit| usize::try_from(limit).ok());
        Self {
            requested: request.url.clone(),
            head: None,
            octets: Vec::new(),
            max: limit.unwrap_or(usize::MAX).min(MAX_READ_BYTES),
            is_whole: true,
            cut: None,
        }
    }

    fn take(&mut self, part: Part) -> Received {
        match part {
            Part::Head(head) => self.head = Some(head),
            Part::Octets(octets) => self.octets.extend(octets),
            Part::Phase(_)
            | Part::Terminal(_)
            | Part::Remark(_)
            | Part::Clock(_)
            | Part::Names(_)
            | Part::Size(_)
            | Part::Hole(_)
            | Part::Covered(_)
            | Part::End(_) => {}
        }
        let start = self.octets.get(..sniff::SAMPLE);
        let is_page = |start| {
            let head = self.head.as_ref();
            let is_compressed = |head| is_compressed_page(head, &self.requested, start);
            let charset = head.and_then(|head| head.charset);
            sniff::is_text(start, charset) || head.is_some_and(is_compressed)
        };
        let is_file = start.is_some_and(|start| !is_page(start));
        let max = if is_file {
            SAMPLE.min(self.max)
        } else {
            self.max
        };
        if self.octets.len() < max {
            return Received::More;
        }
        self.octets.truncate(max);
        self.is_whole = false;
        Received::Enough
    }

    fn page(self) -> Option<ReceivedPage> {
        Some(ReceivedPage {
            head: self.head?,
            octets: self.octets,
            cut: self.cut,
            is_whole: self.is_whole,
        })
    }
}
