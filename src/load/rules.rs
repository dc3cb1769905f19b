//! The rules by which a Gopher server's selectors are cut, from its caps.txt.

use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::timeout;

use super::{LoadId, Part, Purpose, Request, Sink, load};
use crate::net::Net;
use crate::protocol::gopher::caps::Caps;
use crate::url::{Parts, Url, escape};

/// How long a server may take to tell: somebody waits for the page above.
const PATIENCE: Duration = Duration::from_secs(2);

/// Octets of a caps.txt that are read.
const LONGEST: usize = 64 * 1024;

/// What a server says of itself and of its selectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostRules(Vec<u8>);

/// Asks for the caps.txt of `caps`, and once more with a slash before it, as some servers have it. Nothing when there is
/// none, or it does not come in time.
pub async fn rules(net: &Net, caps: &Request) -> Option<HostRules> {
    let both = async {
        let slashed = caps.url.as_str().replacen("/0caps.txt", "/0/caps.txt", 1);
        for url in [Some(caps.url.clone()), Url::accept(&slashed).ok()] {
            let request = Request {
                url: url?,
                purpose: Purpose::Save,
                ..caps.clone()
            };
            let file = file(net, request).await;
            if Caps::parse(&file).is_some() {
                return Some(HostRules(file));
            }
        }
        None
    };
    timeout(PATIENCE, both).await.ok().flatten()
}

async fn file(net: &Net, request: Request) -> Vec<u8> {
    let (sender, mut parts) = mpsc::channel(4);
    let loading = load(net, request, Sink::new(LoadId(0), sender));
    let reading = async {
        let mut file = Vec::new();
        while let Some((_, part)) = parts.recv().await {
            match part {
                Part::Octets(octets) if file.len() <= LONGEST => file.extend(octets),
                Part::Octets(_) | Part::End(_) => break,
                Part::Phase(_)
                | Part::Begin(_)
                | Part::Session(_)
                | Part::Remark(_)
                | Part::Clock(_) => {}
            }
        }
        file
    };
    tokio::pin!(loading);
    tokio::pin!(reading);
    tokio::select! {
        biased;
        file = &mut reading => file,
        () = &mut loading => reading.await,
    }
}

/// The page above a Gopher page by its server's rules; nothing where those say nothing of it.
pub fn above(url: &Url, rules: Option<&HostRules>) -> Option<Url> {
    let Parts::Gopher(gopher) = url.reading() else {
        return None;
    };
    let caps = Caps::parse(&rules?.0)?;
    let above = caps.above(&gopher.selector.octets())?;
    let root = url.root()?;
    if above.is_empty() {
        return Some(root);
    }
    Url::accept(&format!(
        "{root}1{}",
        escape::encode(&above, &escape::XCHAR)
    ))
    .ok()
}
