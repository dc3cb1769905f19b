//! Posting to inn2.

use geomys::document::{Document, Shape};
use geomys::files::draft::{self, Author, Draft, Known, Way};
use geomys::load::{self, Listed, LoadId, Posting, Request, Sink, Stop};
use geomys::net::Net;
use geomys::text::{Charset, Text};
use tokio::sync::mpsc;

use super::Servers;
use crate::support::loading::{show, url};

const GROUP: &str = "local.writing";

impl Servers {
    fn group(&self) -> String {
        format!("nntp://{}/{GROUP}", self.news)
    }

    /// Posts a draft that is good by itself and by what the server says of its groups.
    async fn post(&self, net: &Net, draft: &Draft) -> Result<Text, Stop> {
        let request = Request::show(url(self.group()));
        let groups = draft.groups();
        let (sender, _phases) = mpsc::channel(64);
        let sink = || Sink::new(LoadId(1), sender.clone());
        let listed = load::listed(net, &request, &groups, sink()).await;
        let listed = listed.expect("a list of groups");
        assert_eq!(
            listed,
            [Listed {
                name: GROUP.as_bytes().to_vec(),
                posting: Posting::Open
            }]
        );
        assert_eq!(draft::check(draft, Way::Post, Known::Listed(&listed)), []);
        load::post(net, &request, &groups, &draft::encode(draft), sink()).await
    }

    /// The newest article of the group.
    async fn newest(&self, net: &Net) -> Document {
        let group = show(net, &self.group()).await.whole().document();
        assert_eq!(group.shape(), Shape::Group);
        let newest = (0..group.count())
            .filter_map(|row| {
                let link = group.links(row).into_iter().next()?.target.ok()?;
                let number: u64 = link.as_str().rsplit_once('/')?.1.parse().ok()?;
                Some((number, link))
            })
            .max_by_key(|(number, _)| *number);
        let (_, link) = newest.expect("an article");
        let mut document = Document::new(link.clone(), Shape::Article, Charset::default());
        document.append(&show(net, link.as_str()).await.whole().octets);
        document.finished()
    }
}

fn author() -> Author {
    Author {
        from: Some("Adä <ada@example.org>".to_owned()),
        attribution: "{name} wrote on {date}:".to_owned(),
        quote: "> ".to_owned(),
        ..Author::default()
    }
}

fn reason(stop: &Stop) -> String {
    let Stop::Failed(failure) = stop else {
        panic!("{stop:?}")
    };
    assert!(failure.sentence.ends_with(" did not take the article"));
    failure.said[0].to_string()
}

#[tokio::test]
async fn an_article_is_posted_read_back_answered_and_cancelled() {
    let Some(servers) = Servers::named() else {
        return;
    };
    let net = Net::default();
    let author = author();
    let mut article = draft::new_article(GROUP, &author);
    for (name, value) in &mut article.headers {
        if name == "Subject" {
            "Grüße aus dem Bau, und noch einige Wörter mehr, damit die Zeile lang wird"
                .clone_into(value);
        }
    }
    article.body = "Schön hier.\n.\n.. und Punkte\n".to_owned();
    servers.post(&net, &article).await.expect("it is taken");
    let read = servers.newest(&net).await;
    let parent = read.parent().expect("an article");
    assert_eq!(Some(parent.subject.as_str()), article.header("Subject"));
    assert_eq!(parent.name, "Adä");
    assert_eq!(parent.body, ["Schön hier.", ".", ".. und Punkte"]);
    assert!(
        parent.id.starts_with('<'),
        "the server made an id: {parent:?}"
    );

    let mut answer = draft::follow_up(&parent, &author);
    answer.body.push_str("Ja.\n");
    servers.post(&net, &answer).await.expect("it is taken");
    let second = servers.newest(&net).await.parent().expect("an article");
    assert_eq!(second.references, std::slice::from_ref(&parent.id));
    assert!(second.subject.starts_with("Re: Grüße"), "{second:?}");
    assert!(
        second.body.contains(&"> Schön hier.".to_owned()),
        "{second:?}"
    );

    // Servers of today take a cancel only from whom they know: either way it ends in their words.
    match servers.post(&net, &draft::cancel(&second, &author)).await {
        Ok(words) => assert!(words.as_str().starts_with("240 "), "{words}"),
        Err(stop) => assert!(reason(&stop).starts_with("441 "), "{stop:?}"),
    }

    // What it does not take it says why, and the connection goes on.
    let mut twice = answer.clone();
    twice
        .headers
        .push(("Message-ID".to_owned(), second.id.clone()));
    let refused = servers.post(&net, &twice).await.unwrap_err();
    assert!(reason(&refused).starts_with("441 "), "{refused:?}");
    assert!(servers.newest(&net).await.parent().is_some());
}
