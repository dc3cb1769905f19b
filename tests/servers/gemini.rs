//! molly-brown.

use geomys_load::check::check;
use geomys_load::{FailureKind, Question, Reason, Request};
use geomys_page::document::Shape;
use geomys_testing::loading::{carry_out, show, texts, url};
use geomys_wire::net::{Net, Security};

use super::{Servers, assert_same, saves};
use crate::support::command::geomys;

#[tokio::test]
#[ignore = "needs the servers that .ci/servers starts"]
async fn page_and_its_links_open() {
    let servers = Servers::named();
    let net = Net::default();
    let here = format!("gemini://{}/", servers.gemini);
    let page = show(&net, &here).await.whole();
    assert_same(&page.octets, &servers.file("gemini/index.gmi"));
    let head = page.begin.as_ref().unwrap();
    assert_eq!(
        (head.shape, head.security),
        (Shape::Gemtext, Security::Pinned)
    );
    assert_eq!(head.languages.as_ref().unwrap().as_str(), "en");
    let document = page.document();
    assert_eq!(document.title().unwrap().as_str(), "The capsule");
    let targets = (0..document.count()).flat_map(|row| document.links(row));
    let targets: Vec<_> = targets.map(|link| link.target.unwrap()).collect();
    assert_eq!(targets.len(), 4);
    let names = carry_out(&net, Request::show(targets[1].clone(), Reason::Typed)).await;
    let names = names.whole().document();
    let file = (0..names.count())
        .flat_map(|row| names.links(row))
        .map(|link| link.target.unwrap())
        .find(|target| target.as_str().contains("blanks"))
        .expect("the file with blanks in its name");
    let file = carry_out(&net, Request::show(file, Reason::Typed))
        .await
        .whole();
    assert_eq!(texts(&file.document()), ["Blanks are encoded."]);
    let moved = carry_out(&net, Request::show(targets[2].clone(), Reason::Typed)).await;
    assert_eq!(moved.whole().place(), url(format!("{here}text.txt")));
    let missing = carry_out(&net, Request::show(targets[3].clone(), Reason::Typed)).await;
    assert_eq!(missing.failure().kind, FailureKind::Missing);
}

#[tokio::test]
#[ignore = "needs the servers that .ci/servers starts"]
async fn file_is_saved_octet_for_octet_and_dump_shows_a_page() {
    let servers = Servers::named();
    let here = format!("gemini://{}", servers.gemini);
    let octets = servers.file("gemini/octets.bin");
    saves(&Net::default(), &format!("{here}/octets.bin"), &octets).await;
    let output = geomys(&["dump", "--raw", &format!("{here}/text.txt")], "");
    assert_same(&output.stdout, &servers.file("gemini/text.txt"));
}

#[tokio::test]
#[ignore = "needs the servers that .ci/servers starts"]
async fn private_page_asks_for_a_certificate_and_a_redirect_loop_ends() {
    let servers = Servers::named();
    let net = Net::default();
    let here = format!("gemini://{}", servers.gemini);
    let question = show(&net, format!("{here}/private/")).await.question();
    assert!(
        matches!(question, Question::Identity { .. }),
        "{question:?}"
    );
    let failure = show(&net, format!("{here}/round")).await.failure();
    assert!(failure.sentence.starts_with("redirect loop"), "{failure:?}");
    let verdict = |path: &str| {
        let request = Request::show(url(format!("{here}{path}")), Reason::Typed);
        let net = &net;
        async move { check(net, &request).await.verdict.name() }
    };
    assert_eq!(verdict("/").await, "alive");
    assert_eq!(verdict("/missing.gmi").await, "dead");
}
