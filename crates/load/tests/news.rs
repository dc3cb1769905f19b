//! News: dialogues as transcripts, loads on loopback and from the demo, rendered articles.

mod article;
mod cancel;
mod changes;
mod compress;
mod counts;
mod details;
mod files;
mod headers;
mod hostile;
mod load;
mod overview;
mod plain_login;
mod post;
mod refusal;
mod rows;
mod tls;
mod wildmat;
mod windows;

use geomys_load::{LoadId, PageHead, Part, Phase, Reason, Request, Sink, Stop};
use geomys_page::document::{ArticleNumbers, Document, Row, Shape};
use geomys_testing::script::DEADLINE;
use geomys_wire::net::Net;
use geomys_wire::text::CharsetSetting;
use rfc1738::Url;
use tokio::sync::mpsc;
use tokio::time::timeout;

/// Everything that a load reported.
#[derive(Debug)]
struct Loaded {
    phases: Vec<Phase>,
    begin: Option<PageHead>,
    octets: Vec<u8>,
    /// The numbers whose articles have arrived.
    covered: ArticleNumbers,
    end: Result<geomys_wire::net::TransferEnd, Stop>,
}

impl Loaded {
    fn lines(&self) -> Vec<String> {
        String::from_utf8_lossy(&self.octets)
            .lines()
            .map(str::to_owned)
            .collect()
    }

    fn failure(&self) -> (&str, Vec<String>) {
        match &self.end {
            Err(Stop::Failed(failure)) => (
                &failure.sentence,
                failure.said.iter().map(ToString::to_string).collect(),
            ),
            other => panic!("no failure: {other:?}"),
        }
    }
}

async fn load(net: &Net, request: Request) -> Loaded {
    let (sender, mut receiver) = mpsc::channel(16);
    let id = LoadId(1);
    let collect = async {
        let mut loaded = Loaded {
            phases: Vec::new(),
            begin: None,
            octets: Vec::new(),
            covered: ArticleNumbers::default(),
            end: Ok(geomys_wire::net::TransferEnd::Confirmed),
        };
        while let Some((_, part)) = receiver.recv().await {
            match part {
                Part::Phase(phase) => loaded.phases.push(phase),
                Part::Head(begin) => loaded.begin = Some(begin),
                Part::Terminal(_)
                | Part::Remark(_)
                | Part::Clock(_)
                | Part::Names(_)
                | Part::Size(_) => {
                    panic!("a listing's, and this is none")
                }
                Part::Hole(_) => panic!("no file"),
                Part::Covered(numbers) => loaded.covered.insert_all(&numbers),
                Part::Octets(octets) => loaded.octets.extend_from_slice(&octets),
                Part::End(end) => {
                    loaded.end = end;
                    return loaded;
                }
            }
        }
        panic!("a load without an end");
    };
    // On the heap, as tests that load twice would be large.
    let loading = Box::pin(geomys_load::load(net, request, Sink::new(id, sender)));
    timeout(DEADLINE, async { tokio::join!(loading, collect).1 })
        .await
        .expect("a load in time")
}

fn request(url: &str) -> Request {
    Request::show(Url::parse(url).unwrap(), Reason::Typed)
}

fn document(url: &str, shape: Shape, octets: &[u8]) -> Document {
    let mut document = Document::new(Url::parse(url).unwrap(), shape, CharsetSetting::default());
    document.append(octets);
    document
}

fn rows(document: &Document) -> Vec<Row> {
    (0..document.count())
        .map(|number| document.row(number).expect("a row for every number"))
        .collect()
}
