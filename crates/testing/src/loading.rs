//! Loads carried to their end, with all reports.

use std::time::Duration;

use geomys_load::{
    Failure, LoadId, PageHead, Part, Phase, Question, Reason, Request, Sink, Stop, load,
};
use geomys_page::document::find::{Direction, FindStart, MatchPosition, SearchText, find_match};
use geomys_page::document::{Document, Kind, Remark};
use geomys_wire::net::{Limits, LocalConsent, NamedBy, Net, RequestNet, TransferEnd};
use geomys_wire::protocol::ftp::listing::UnlistedNames;
use geomys_wire::text::CharsetSetting;
use rfc1738::Url;
use tokio::sync::mpsc;
use tokio::time::timeout;

const DEADLINE: Duration = Duration::from_secs(20);

/// A network with short timeouts.
pub fn short_timeouts() -> Net {
    Net::new(Limits {
        connect: Duration::from_millis(200),
        idle: Duration::from_millis(200),
        brief: Duration::from_millis(200),
        ..Limits::default()
    })
}

/// The URL of a text that has to be one.
pub fn url(text: impl AsRef<str>) -> Url {
    Url::parse(text.as_ref()).expect("a URL")
}

/// The reports of a load.
#[derive(Debug)]
pub struct Loaded {
    /// The requested URL.
    pub url: Url,
    /// The phases in their order.
    pub phases: Vec<Phase>,
    /// The head of the page.
    pub begin: Option<PageHead>,
    /// The page.
    pub octets: Vec<u8>,
    /// The remarks of the load.
    pub remarks: Vec<Remark>,
    /// The offset of the server's clock from UTC, in minutes.
    pub clock: Option<i32>,
    /// The names that the lines of a listing do not tell.
    pub names: UnlistedNames,
    /// The end of the load.
    pub end: Result<TransferEnd, Stop>,
}

/// Carries `request` out; fails the test if the reports are out of order.
pub async fn carry_out(net: &Net, request: Request) -> Loaded {
    let (sender, mut parts) = mpsc::channel(4);
    let mut loaded = Loaded {
        url: request.url.clone(),
        phases: Vec::new(),
        begin: None,
        octets: Vec::new(),
        remarks: Vec::new(),
        clock: None,
        names: UnlistedNames::default(),
        end: Err(Stop::Closed),
    };
    let listen = async {
        let mut ends = 0;
        while let Some((id, part)) = parts.recv().await {
            assert_eq!((id, ends), (LoadId(1), 0), "a part after the end");
            match part {
                Part::Phase(phase) => loaded.phases.push(phase),
                Part::Head(begin) => assert!(loaded.begin.replace(begin).is_none()),
                Part::Remark(remark) => loaded.remarks.push(remark),
                Part::Terminal(_) => panic!("no page"),
                Part::Hole(_) | Part::Covered(_) | Part::Size(_) => {}
                Part::Names(names) => loaded.names = names,
                Part::Clock(minutes) => loaded.clock = Some(minutes),
                Part::Octets(octets) => {
                    assert!(loaded.begin.is_some(), "octets before the beginning");
                    loaded.octets.extend_from_slice(&octets);
                }
                Part::End(end) => {
                    loaded.end = end;
                    ends += 1;
                }
            }
        }
        assert_eq!(ends, 1);
    };
    let load = sendable(load(net, request, Sink::new(LoadId(1), sender)));
    let both = async { tokio::join!(load, listen) };
    timeout(DEADLINE, both).await.expect("in time");
    loaded
}

/// Returns the network for a request that the user has made.
pub fn as_user(net: &Net) -> RequestNet {
    net.for_request(NamedBy::User, &LocalConsent::default())
}

/// A load runs in a task of its own.
fn sendable<F: Future + Send>(future: F) -> F {
    future
}

/// Loads `address` to be shown.
pub async fn show(net: &Net, address: impl AsRef<str>) -> Loaded {
    carry_out(net, Request::show(url(address), Reason::Typed)).await
}

impl Loaded {
    /// Asserts that the load completed, and that the server did not confirm the end.
    pub fn unconfirmed(self) -> Self {
        assert!(
            matches!(self.end, Ok(TransferEnd::Unconfirmed)),
            "{:?}",
            self.end
        );
        self
    }

    /// Asserts that the load completed.
    pub fn whole(self) -> Self {
        assert!(
            matches!(self.end, Ok(TransferEnd::Confirmed | TransferEnd::Undotted)),
            "{:?}",
            self.end
        );
        self
    }

    /// The failure that ended the load.
    pub fn failure(self) -> Failure {
        match self.end {
            Err(Stop::Failed(failure)) => failure,
            other => panic!("no failure: {other:?}"),
        }
    }

    /// The question that ended the load.
    pub fn question(self) -> Question {
        match self.end {
            Err(Stop::Needs(question)) => question,
            other => panic!("no question: {other:?}"),
        }
    }

    /// The final URL.
    pub fn place(&self) -> Url {
        let begin = self.begin.as_ref().expect("a beginning");
        begin.url.clone().unwrap_or_else(|| self.url.clone())
    }

    /// The complete document.
    pub fn document(&self) -> Document {
        let head = self.begin.as_ref().expect("a beginning");
        let mut document = Document::new(self.place(), head.shape, CharsetSetting::default());
        document.declare(head.charset);
        document.append(&self.octets);
        document.set_unlisted_names(self.names.clone());
        document.finished()
    }
}

/// The rows of a document as text.
pub fn texts(document: &Document) -> Vec<String> {
    (0..document.count())
        .map(|row| document.row(row).expect("a row").text())
        .collect()
}

/// The next row with a match behind row `from`; the search ends with that row.
pub fn find_below(document: &Document, needle: &SearchText, from: usize) -> Option<usize> {
    let nth = usize::MAX;
    let start = FindStart::Match(MatchPosition { row: from, nth });
    let found = find_match(document, needle, start, Direction::Down);
    found.map(|found| found.row)
}

/// The number of the row with this text.
pub fn row(document: &Document, text: &str) -> usize {
    texts(document)
        .iter()
        .position(|row| row == text)
        .unwrap_or_else(|| panic!("no row {text} in {:?}", texts(document)))
}

/// The link target of the row with this text.
pub fn target(document: &Document, text: &str) -> Url {
    let links = document.links(row(document, text));
    links[0].target.clone().expect("a URL")
}

/// The kind of the row with this text.
pub fn kind(document: &Document, text: &str) -> Kind {
    document.row(row(document, text)).expect("a row").kind
}
