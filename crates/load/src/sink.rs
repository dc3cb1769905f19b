//! The channel through which a load reports its parts, and the octets of a page as a whole.

use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use geomys_wire::net::{Net, TransferEnd};
use rfc1738::Url;
use tokio::sync::mpsc;

use super::redirect::MovedAway;
use super::unpack::{PartialZip, Unpacking};
use super::{Failure, LoadId, PageHead, Part, Phase, Request, Stop, load};
use geomys_page::archive::LinkTarget;
use geomys_page::document::Shape;

/// The most octets of a part: the reader looks at its keys again after each, and takes some milliseconds for as many.
const MAX_OCTETS: usize = 64 * 1024;

/// The sender of the parts of a load.
#[derive(Clone, Debug)]
pub enum PartSender {
    /// A channel for this load alone.
    Own(mpsc::Sender<Part>),
    /// A channel for several loads: each part comes with the id of its load.
    Shared(LoadId, mpsc::Sender<(LoadId, Part)>),
}

impl PartSender {
    /// Sends a part; octets in pieces of 64 kB at most, however many come at once.
    ///
    /// # Errors
    /// The receiver is closed.
    pub async fn send(&self, part: Part) -> Result<(), Stop> {
        match part {
            Part::Octets(octets) if octets.len() > MAX_OCTETS => {
                for piece in octets.chunks(MAX_OCTETS) {
                    self.put(Part::Octets(piece.to_vec())).await?;
                }
                Ok(())
            }
            part => self.put(part).await,
        }
    }

    async fn put(&self, part: Part) -> Result<(), Stop> {
        let is_sent = match self {
            Self::Own(sender) => sender.send(part).await.is_ok(),
            Self::Shared(load, sender) => sender.send((*load, part)).await.is_ok(),
        };
        is_sent.then_some(()).ok_or(Stop::Closed)
    }
}

/// The channel through which a load reports its parts. It waits when the reader is slower, so that a fast server fills
/// no memory.
#[derive(Debug)]
pub struct Sink {
    /// The channel; None when no reports are needed.
    sender: Option<PartSender>,
    /// Octets that may still be sent.
    room: u64,
    /// The size limits of a page, and of a page that is a list, in octets.
    limit: u64,
    list: u64,
    /// The shape of a file, whose lines no protocol knows.
    pub(super) file_shape: Shape,
    pub(super) page_source: PageSource,
    /// The state of a file that is opened.
    pub(super) unpacking: Unpacking,
    /// The member that the requested one is a link to.
    pub(super) linked: Option<LinkTarget>,
    /// True if the holes of a file are reported as such.
    pub(super) takes_holes: bool,
    /// The zip that is opened by parts, not as a whole.
    pub(super) partial: Option<Box<PartialZip>>,
    /// True if the load ends when its answer has begun.
    stops_at_head: bool,
    /// The new permanent address of the target, by the redirects that were followed.
    pub(super) moved: Option<Url>,
    /// The pause that the server wants before the next request.
    pub(super) pause: Option<Duration>,
    /// The redirect that was not followed, because it leads elsewhere.
    pub(super) moved_away: Option<MovedAway>,
    /// The page to which the server led after it had taken the data of the request, until the page comes.
    pub(super) sent_to: Option<Url>,
}

impl Sink {
    /// Creates a sink for the parts of load `id`, in the channel of several loads.
    pub fn new(id: LoadId, sender: mpsc::Sender<(LoadId, Part)>) -> Self {
        Self::of(PartSender::Shared(id, sender))
    }

    /// Creates a sink for the parts of a load.
    pub fn of(sender: PartSender) -> Self {
        Self {
            sender: Some(sender),
            ..Self::discard()
        }
    }

    /// Creates a sink that drops all parts.
    pub(super) fn discard() -> Self {
        Self {
            sender: None,
            room: u64::MAX,
            limit: u64::MAX,
            list: u64::MAX,
            file_shape: Shape::Text,
            page_source: PageSource::default(),
            unpacking: Unpacking::Off,
            linked: None,
            takes_holes: false,
            partial: None,
            stops_at_head: false,
            moved: None,
            pause: None,
            moved_away: None,
            sent_to: None,
        }
    }

    /// Creates a sink for a link check, which ends the load when its answer has begun.
    pub(super) fn until_head() -> Self {
        Self {
            stops_at_head: true,
            ..Self::discard()
        }
    }

    /// Sets the limit in octets: `limit` for a page, `list` for a page that is a list.
    pub(super) fn set_limit(&mut self, limit: u64, list: u64) {
        (self.room, self.limit, self.list) = (limit, limit, list);
    }

    /// Lowers the limit, for a page whose octets are not those that were sent.
    pub(super) fn lower_limit(&mut self, limit: u64) {
        (self.room, self.limit) = (self.room.min(limit), self.limit.min(limit));
    }

    pub(super) async fn phase(&self, phase: Phase) -> Result<(), Stop> {
        self.put(Part::Phase(phase)).await
    }

    pub(super) async fn begin(&mut self, page_head: PageHead) -> Result<(), Stop> {
        let mut page_head = self.page_source.begin(page_head);
        self.sent_to = None;
        if self.stops_at_head {
            return Err(Stop::Closed);
        }
        let saves_attachment = page_head.shape == Shape::Article
            && matches!(&self.unpacking, Unpacking::Planned(plan) if plan.saves_attachment());
        if (page_head.shape == Shape::Text || saves_attachment) && page_head.offset == 0 {
            match std::mem::take(&mut self.unpacking) {
                Unpacking::Planned(plan) => {
                    self.unpacking = Unpacking::Waiting {
                        plan,
                        head: Box::new(page_head),
                        start: Vec::new(),
                        otherwise: None,
                    };
                    return Ok(());
                }
                state => self.unpacking = state,
            }
        }
        if page_head.shape == Shape::Text {
            page_head.shape = self.file_shape;
        }
        match page_head.shape {
            Shape::Groups | Shape::Group | Shape::Listing { .. } => {
                (self.room, self.limit) = (self.list, self.list);
            }
            Shape::Menu
            | Shape::Attributes
            | Shape::People
            | Shape::Hits
            | Shape::Visits
            | Shape::Found
            | Shape::Html
            | Shape::Json
            | Shape::Feed
            | Shape::Gemtext
            | Shape::Text
            | Shape::Article
            | Shape::Picture => {}
        }
        self.put(Part::Head(page_head)).await
    }

    /// Reports that the page is as its copy, so that no octets follow.
    pub(super) async fn unchanged(&mut self, page_head: PageHead) -> Result<TransferEnd, Stop> {
        let page_head = self.page_source.begin(page_head);
        let is_unchanged = true;
        self.put(Part::Head(PageHead {
            is_unchanged,
            ..page_head
        }))
        .await?;
        Ok(TransferEnd::Confirmed)
    }

    /// Sends octets, or what they contain.
    pub(super) async fn octets(&mut self, octets: Vec<u8>) -> Result<(), Stop> {
        match self.unpacking {
            Unpacking::Off | Unpacking::Planned(_) => self.deliver(octets).await,
            Unpacking::Waiting { .. } | Unpacking::Running(_) | Unpacking::Message { .. } => {
                self.unpack(octets).await
            }
        }
    }

    /// Sends octets; ends the load when the page has reached its limit.
    pub(super) async fn deliver(&mut self, mut octets: Vec<u8>) -> Result<(), Stop> {
        let len = octets.len() as u64;
        if len > self.room {
            octets.truncate(usize::try_from(self.room).unwrap_or(usize::MAX));
            self.room = 0;
            self.put(Part::Octets(octets)).await?;
            return Err(Stop::Truncated(self.limit));
        }
        self.room -= len;
        if octets.is_empty() {
            Ok(())
        } else {
            self.put(Part::Octets(octets)).await
        }
    }

    /// Sends a hole, or its zeros.
    pub(super) async fn hole(&mut self, length: u64) -> Result<(), Stop> {
        if self.takes_holes {
            return self.put(Part::Hole(length)).await;
        }
        let mut left = length;
        while left > 0 {
            let piece = left.min(MAX_OCTETS as u64);
            left -= piece;
            let piece = usize::try_from(piece).unwrap_or(MAX_OCTETS);
            self.deliver(vec![0; piece]).await?;
        }
        Ok(())
    }

    pub(super) async fn put(&self, part: Part) -> Result<(), Stop> {
        match &self.sender {
            Some(sender) => sender.send(part).await,
            None => Ok(()),
        }
    }
}

/// The source of a page: the server, an alternate or a gateway.
#[derive(Debug, Default)]
pub(super) struct PageSource {
    /// The current alternate, and the error of the server before it.
    alternate: Option<(Url, String)>,
    /// The original URL, and the one that the gateway receives.
    gateway: Option<(Url, Url)>,
    pub(super) has_begun: bool,
}

impl PageSource {
    /// Returns true if a page has begun: it stays with its server.
    pub(super) fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Records that a gateway is used for `url`, by the URL `gateway_url`.
    pub(super) fn by_gateway(&mut self, url: &Url, gateway_url: &Url) {
        self.gateway = Some((url.clone(), gateway_url.clone()));
    }

    /// Records that an alternate is used, because of an error of the server before it.
    pub(super) fn by_alternate(&mut self, alternate: &Url, why: &str) {
        self.alternate = Some((alternate.clone(), why.to_owned()));
    }

    /// Adds the gateway or the alternate to the head of a page.
    fn begin(&mut self, page_head: PageHead) -> PageHead {
        self.has_begun = true;
        let page_head = match self.gateway.take() {
            None => page_head,
            Some((url, gateway_url)) => PageHead {
                url: page_head.url.or(Some(gateway_url)),
                from: [vec![url], page_head.from].concat(),
                ..page_head
            },
        };
        match &self.alternate {
            None => page_head,
            Some((alternate, why)) => PageHead {
                url: page_head.url.or_else(|| Some(alternate.clone())),
                alternate_reason: Some(why.clone()),
                ..page_head
            },
        }
    }
}

/// The octets of a page, its head, and the end of its load.
pub(crate) type CollectedPage = (Vec<u8>, Option<Box<PageHead>>, Result<TransferEnd, Stop>);

/// Loads a page; at most the first `max_bytes` octets.
pub fn collect(net: &Net, request: Request, max_bytes: usize) -> BoxFuture<'_, CollectedPage> {
    collect_parts(net, request, max_bytes).boxed()
}

async fn collect_parts(net: &Net, request: Request, max_bytes: usize) -> CollectedPage {
    let (sender, mut parts) = mpsc::channel(4);
    let loading = load(net, request, Sink::of(PartSender::Own(sender)));
    let reading = async {
        let (mut octets, mut head) = (Vec::new(), None);
        while let Some(part) = parts.recv().await {
            match part {
                Part::Head(page_head) => head = Some(Box::new(page_head)),
                Part::Octets(more) => octets.extend(more),
                Part::End(end) => return (octets, head, end),
                // A session has no end, and no stable content.
                Part::Terminal(_) => {
                    return (octets, head, Err(Failure::new("it is a session").into()));
                }
                Part::Phase(_)
                | Part::Remark(_)
                | Part::Clock(_)
                | Part::Names(_)
                | Part::Size(_)
                | Part::Hole(_)
                | Part::Covered(_) => {}
            }
            if octets.len() >= max_bytes {
                octets.truncate(max_bytes);
                return (octets, head, Ok(TransferEnd::Confirmed));
            }
        }
        (octets, head, Err(Stop::Closed))
    };
    tokio::pin!(loading, reading);
    tokio::select! {
        biased;
        read = &mut reading => read,
        () = &mut loading => reading.await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn octets_that_come_at_once_are_sent_in_pieces() {
        let (sender, mut parts) = mpsc::channel(2);
        let octets: Vec<u8> = (0..=u8::MAX).cycle().take(5 * MAX_OCTETS + 7).collect();
        let mut sink = Sink::of(PartSender::Own(sender));
        let sending = async {
            assert!(sink.octets(octets.clone()).await.is_ok());
            drop(sink);
        };
        let receiving = async {
            let mut come = Vec::new();
            while let Some(part) = parts.recv().await {
                let Part::Octets(piece) = part else {
                    panic!("only octets were sent")
                };
                assert!(piece.len() <= MAX_OCTETS, "{}", piece.len());
                come.extend(piece);
            }
            come
        };
        let ((), come) = tokio::join!(sending, receiving);
        assert_eq!(come, octets);
    }
}
