//! The octets of a page as a whole.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use geomys_wire::net::{Net, TransferEnd};
use tokio::sync::mpsc;

use super::{Failure, PageHead, Part, PartSender, Request, Sink, Stop, load};

/// The octets of a page, its head, and the end of its load.
pub(crate) type CollectedPage = (Vec<u8>, Option<Box<PageHead>>, Result<TransferEnd, Stop>);

/// Loads a page; at most the first `most` octets.
pub fn collect(net: &Net, request: Request, most: usize) -> BoxFuture<'_, CollectedPage> {
    collect_parts(net, request, most).boxed()
}

async fn collect_parts(net: &Net, request: Request, most: usize) -> CollectedPage {
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
                | Part::Size(_)
                | Part::Covered(_) => {}
            }
            if octets.len() >= most {
                octets.truncate(most);
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
