//! Where a load puts its parts.

use tokio::sync::mpsc;

use super::mirror::Answering;
use super::{Begin, LoadId, Part, Phase, Stop};
use crate::document::Shape;

/// Where a load puts its parts. It waits when the reader is behind, so that a fast server fills no memory.
#[derive(Debug)]
pub struct Sink {
    id: LoadId,
    /// Nothing where nobody wants to know.
    sender: Option<mpsc::Sender<(LoadId, Part)>>,
    /// Octets that may still come.
    room: u64,
    /// Octets of a page, and of one that is a list.
    limit: u64,
    list: u64,
    pub(super) answering: Answering,
}

impl Sink {
    /// A sink for the parts of load `id`.
    pub fn new(id: LoadId, sender: mpsc::Sender<(LoadId, Part)>) -> Self {
        Self {
            id,
            sender: Some(sender),
            room: u64::MAX,
            limit: u64::MAX,
            list: u64::MAX,
            answering: Answering::default(),
        }
    }

    /// Takes no more octets than this; of a page that is a list, no more than `list`.
    pub(super) fn set_limit(&mut self, limit: u64, list: u64) {
        (self.room, self.limit, self.list) = (limit, limit, list);
    }

    /// A sink for what nobody wants to know.
    pub(super) fn nowhere() -> Self {
        Self {
            id: LoadId(0),
            sender: None,
            room: u64::MAX,
            limit: u64::MAX,
            list: u64::MAX,
            answering: Answering::default(),
        }
    }

    pub(super) async fn phase(&self, phase: Phase) -> Result<(), Stop> {
        self.put(Part::Phase(phase)).await
    }

    pub(super) async fn begin(&mut self, begin: Begin) -> Result<(), Stop> {
        let begin = self.answering.begin(begin);
        match begin.shape {
            Shape::Groups | Shape::Group | Shape::Listing { .. } => {
                (self.room, self.limit) = (self.list, self.list);
            }
            Shape::Menu
            | Shape::Attributes
            | Shape::People
            | Shape::Hits
            | Shape::Html
            | Shape::Text
            | Shape::Article => {}
        }
        self.put(Part::Begin(begin)).await
    }

    /// Hands octets on; ends the load when a page is full.
    pub(super) async fn octets(&mut self, mut octets: Vec<u8>) -> Result<(), Stop> {
        let length = octets.len() as u64;
        if length > self.room {
            octets.truncate(usize::try_from(self.room).unwrap_or(usize::MAX));
            self.room = 0;
            self.put(Part::Octets(octets)).await?;
            return Err(Stop::Cut(self.limit));
        }
        self.room -= length;
        if octets.is_empty() {
            Ok(())
        } else {
            self.put(Part::Octets(octets)).await
        }
    }

    pub(super) async fn put(&self, part: Part) -> Result<(), Stop> {
        let Some(sender) = &self.sender else {
            return Ok(());
        };
        let sent = sender.send((self.id, part)).await;
        sent.map_err(|_| Stop::Closed)
    }
}
