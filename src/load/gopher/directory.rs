//! The attributes of every item of a menu at once (Gopher+, section 2.7): what comes of `$`, and one item out of it.
//!
//! They are asked for where that saves requests, when somebody wants to know more than one item of a menu. Whatever is
//! wrong with them is told to nobody: the item is then asked about by itself, as if nothing had been.

use std::sync::Arc;

use super::content::Content;
use super::plus;
use super::reply::{Body, size};
use crate::document::menu;
use crate::load::{Begin, Purpose, Request, Sink, Stop};
use crate::net::{Net, Security, place};
use crate::protocol::gopher::attributes::items;
use crate::protocol::gopher::{Dots, Head, Outcome};
use crate::url::{Gopher, Parts, Url};

/// Octets of them that are kept.
const ROOM: usize = 1024 * 1024;

/// The attributes of every item of a menu, as its server told them.
#[derive(Clone, Debug)]
pub struct Directory {
    octets: Arc<[u8]>,
    /// How safe the connection was that they came over.
    pub security: Security,
}

impl Directory {
    /// What it tells of the item that `url` names: the octets that would come of asking for its attributes alone.
    pub fn item(&self, url: &Url) -> Option<&[u8]> {
        let told = items(&self.octets).find(|told| {
            let target = told
                .info()
                .and_then(|item| menu::target(&item, item.gtype).ok());
            target.is_some_and(|target| is_same(&target, url))
        })?;
        // A server that has only the rows here has more to tell of each by itself.
        told.blocks().nth(1)?;
        Some(told.octets())
    }
}

/// Whether two URLs are of one item. Its type is in no request, so that it makes no difference to what is told.
fn is_same(one: &Url, other: &Url) -> bool {
    match (one.reading(), other.reading()) {
        (Parts::Gopher(one), Parts::Gopher(other)) => {
            is_same_place(&one, &other) && one.selector.octets() == other.selector.octets()
        }
        _ => false,
    }
}

/// Whether two items are to be had at one place.
pub(crate) fn is_same_place(one: &Gopher<'_>, other: &Gopher<'_>) -> bool {
    let port = |item: &Gopher<'_>| item.address.port().unwrap_or(70);
    port(one) == port(other)
        && one
            .address
            .node()
            .eq_ignore_ascii_case(other.address.node())
}

/// Asks for the attributes of an item among those of every item of `menu`; by themselves where that does not do.
pub(super) async fn attributes(
    net: &Net,
    request: &Request,
    url: &Gopher<'_>,
    menu: &Url,
    sink: &mut Sink,
) -> Result<(), Stop> {
    let directory = match every(net, request, menu, sink).await {
        Ok(directory) => directory,
        Err(Stop::Failed(_)) => None,
        Err(stop @ (Stop::Needs(_) | Stop::Cut(_) | Stop::Closed)) => return Err(stop),
    };
    let told = directory.and_then(|directory| {
        let item = directory.item(&request.url)?.to_vec();
        Some((directory, item))
    });
    let Some((directory, item)) = told else {
        return plus::attributes(net, request, url, sink).await;
    };
    let begin = Begin {
        security: directory.security,
        directory: Some(directory),
        ..Begin::new(Content::Attributes.shape())
    };
    sink.begin(begin).await?;
    sink.octets(item).await
}

/// Asks for those of every item; nothing where that is unwise, or where not all of them come.
async fn every(
    net: &Net,
    request: &Request,
    menu: &Url,
    sink: &mut Sink,
) -> Result<Option<Directory>, Stop> {
    let Ok(url) = menu.with_plus(b"$") else {
        return Ok(None);
    };
    let every = Request {
        url,
        ..request.clone()
    };
    // What was said of another place's certificate is nothing here, and nobody is asked about hazards.
    let is_other = every.certificate_place() != request.certificate_place();
    if is_other || !every.hazards_to_confirm().is_empty() {
        return Ok(None);
    }
    let Parts::Gopher(url) = every.url.reading() else {
        return Ok(None);
    };
    let place = place(url.address.node(), url.address.port().unwrap_or(70));
    let about = (place.as_str(), Content::Attributes);
    let mut source = super::send(net, &every, &url, about, sink).await?;
    let (reply, start) = source.head(Dots::Doubled).await?;
    let header = match reply.head() {
        Head::Plus(header) => header,
        // What has no header does not tell either whether all of it came.
        Head::None | Head::Awaited => return Ok(None),
    };
    let is_large = size(header).is_some_and(|size| size > ROOM as u64);
    if header.outcome == Outcome::Refused || is_large {
        return Ok(None);
    }
    let body = Body::plus(reply, Content::Attributes, Purpose::Show);
    let octets = source.whole(body, start, ROOM).await?;
    Ok(octets.map(|octets| Directory {
        octets: octets.into(),
        security: source.security,
    }))
}
