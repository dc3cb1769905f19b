//! Posting to inn2.

use std::future::ready;

use futures_util::FutureExt;
use geomys_load::{
    ArticleForId, LoadId, PostError, PostOutcome, PostingGroup, PostingStatus, Reason, Request,
    Sink,
};
use geomys_page::document::{Document, Shape};
use geomys_store::files::draft::{self, Author, CancelSecret, DeliveryMethod, Draft, ServerGroups};
use geomys_testing::loading::{show, url};
use geomys_wire::net::Net;
use geomys_wire::text::{CharsetSetting, Text};
use tokio::sync::mpsc;

use super::Servers;

const GROUP: &str = "local.writing";

impl Servers {
    fn group(&self) -> String {
        format!("nntp://{}/{GROUP}", self.news)
    }

    /// Posts a draft after checking it by itself and against the server's groups.
    async fn post(&self, net: &Net, draft: &Draft) -> Result<Text, PostError> {
        let request = Request::show(url(self.group()), Reason::Typed);
        let groups = draft.groups();
        let (sender, _phases) = mpsc::channel(64);
        let sink = || Sink::new(LoadId(1), sender.clone());
        let listed = geomys_load::posting_groups(net, &request, &groups, sink()).await;
        let listed = listed.expect("a list of groups");
        assert_eq!(
            listed,
            [PostingGroup {
                name: GROUP.as_bytes().to_vec(),
                posting: PostingStatus::Open
            }]
        );
        let mut problems = draft::check(draft, DeliveryMethod::Post, ServerGroups::Listed(&listed));
        // That servers may ignore a cancel is what is tested here.
        problems.retain(|problem| !format!("{problem:?}").contains("ignore it"));
        assert_eq!(problems, []);
        let article: ArticleForId<'_> = Box::new(|recommended| {
            let id = recommended.expect("INN recommends a Message-ID");
            assert!(id.starts_with('<') && id.contains('@'), "{id}");
            ready(Ok(draft::encode(draft, None))).boxed()
        });
        let sent = geomys_load::post(net, &request, &groups, None, article, sink()).await?;
        match sent {
            PostOutcome::Accepted(words) => Ok(words),
            PostOutcome::AlreadyPosted(words) => panic!("it was there: {words}"),
        }
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
        let mut document = Document::new(link.clone(), Shape::Article, CharsetSetting::default());
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

fn reason(not_sent: &PostError) -> String {
    let PostError::Refused(failure) = not_sent else {
        panic!("{not_sent:?}")
    };
    assert!(failure.sentence.ends_with(" refused the article"));
    failure.said[0].to_string()
}

#[tokio::test]
#[ignore = "needs the servers that .ci/servers starts"]
async fn article_is_posted_read_and_answered() {
    let servers = Servers::named();
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

    // A refusal states its reason, and the connection stays usable.
    let mut twice = answer.clone();
    twice
        .headers
        .push(("Message-ID".to_owned(), second.id.clone()));
    let refused = servers.post(&net, &twice).await.unwrap_err();
    assert!(reason(&refused).starts_with("441 "), "{refused:?}");
    assert!(servers.newest(&net).await.parent().is_some());
}

impl Servers {
    /// Returns true if the server has the article with this Message-ID (with brackets).
    async fn has(&self, net: &Net, id: &str) -> bool {
        let id = id.trim_matches(['<', '>']);
        let loaded = show(net, &format!("news://{}/{id}", self.news)).await;
        loaded.end.is_ok()
    }
}

/// A draft with the headers that Geomys adds when sending.
fn locked(mut draft: Draft, id: &str, secret: &CancelSecret) -> Draft {
    let headers = [
        ("Message-ID", id.to_owned()),
        ("Cancel-Lock", secret.lock(id)),
    ];
    let headers = headers.map(|(name, value)| (name.to_owned(), value));
    draft.headers.extend(headers);
    draft
}

#[tokio::test]
#[ignore = "needs the servers that .ci/servers starts"]
async fn cancel_needs_the_key_of_the_lock() {
    let servers = Servers::named();
    let net = Net::default();
    let author = author();
    let directory = tempfile::tempdir().unwrap();
    let secret = CancelSecret::load_or_create(&directory.path().join("secret")).unwrap();
    let other = CancelSecret::load_or_create(&directory.path().join("other")).unwrap();
    let written = |subject: &str| {
        let mut draft = draft::new_article(GROUP, &author);
        for (name, value) in &mut draft.headers {
            if name == "Subject" {
                subject.clone_into(value);
            }
        }
        draft.body = "Locked.\n".to_owned();
        draft
    };
    let new = |draft: &Draft| draft::new_id(draft, Some("lock.example")).unwrap();
    let article = written("Locked");
    let id = new(&article);
    servers
        .post(&net, &locked(article, &id, &secret))
        .await
        .expect("it is taken");
    let parent = servers.newest(&net).await.parent().expect("an article");
    assert_eq!(parent.id, id);
    // Another secret makes no valid key, and without one innd keeps the article.
    assert_eq!(other.key(&parent.id, &parent.cancel_lock), None);
    let cancel = draft::cancel(&parent, &author);
    servers
        .post(&net, &cancel)
        .await
        .expect("the message is taken");
    assert!(
        servers.has(&net, &id).await,
        "it was cancelled without a key"
    );
    let key = secret.key(&parent.id, &parent.cancel_lock).expect("a key");
    let with_key = |mut draft: Draft, key: &str| {
        draft
            .headers
            .push(("Cancel-Key".to_owned(), key.to_owned()));
        draft
    };
    servers
        .post(&net, &with_key(cancel, &key))
        .await
        .expect("it is taken");
    assert!(!servers.has(&net, &id).await, "the cancel was ignored");
    // A superseding article replaces the other.
    let article = written("Locked, too");
    let id = new(&article);
    servers
        .post(&net, &locked(article, &id, &secret))
        .await
        .expect("it is taken");
    let parent = servers.newest(&net).await.parent().expect("an article");
    let key = secret.key(&parent.id, &parent.cancel_lock).expect("a key");
    let draft = draft::supersede(&parent, &author);
    let later = new(&draft);
    let draft = with_key(locked(draft, &later, &secret), &key);
    servers.post(&net, &draft).await.expect("it is taken");
    assert!(servers.has(&net, &later).await);
    assert!(!servers.has(&net, &id).await, "it was not superseded");
}
