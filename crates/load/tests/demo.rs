//! Schemes of RFC 1738 in the demo: the replies of its servers.

use std::sync::Arc;

use geomys_demo::Demo;
use geomys_load::{Gateways, Login, ProtocolSettings, Question, Reason, Request, Stop};
use geomys_page::document::Shape;
use geomys_testing::loading::{carry_out, show, texts};
use geomys_wire::net::Net;
use rfc1738::{Scheme, Url};

async fn rows(address: String) -> Vec<String> {
    texts(&show(&Net::default(), address).await.whole().document())
}

#[tokio::test]
async fn finger_lists_users() {
    let demo = Demo::start().await.unwrap();
    let here = demo.addresses.finger;
    let there = rows(format!("finger://{here}/")).await;
    assert!(there[0].starts_with("Login"), "{there:?}");
    for login in ["dibble", "ada", "botta"] {
        let answer = rows(format!("finger://{here}/{login}")).await.join("\n");
        assert!(
            answer.starts_with(&format!("alias:      {login}")),
            "{answer}"
        );
        assert!(there.iter().any(|row| row.starts_with(login)), "{login}");
    }
    assert_eq!(
        rows(format!("finger://{here}/nobody")).await,
        ["Nobody is called nobody here."]
    );
    let refused = rows(format!("finger://{here}/ada@elsewhere.example")).await;
    assert!(refused[0].starts_with("Underloam asks nobody else"));
}

#[tokio::test]
async fn prospero_directory_links_to_the_other_servers() {
    let demo = Demo::start().await.unwrap();
    let here = format!("prospero://{}/", demo.addresses.prospero);
    let directory = show(&Net::default(), format!("{here}/"))
        .await
        .whole()
        .document();
    let mut schemes = Vec::new();
    for row in 0..directory.count() {
        let object = directory.links(row).remove(0).target.unwrap();
        let object = carry_out(&Net::default(), Request::show(object, Reason::Typed))
            .await
            .whole();
        if object.begin.as_ref().unwrap().shape == Shape::Text {
            assert!(String::from_utf8_lossy(&object.octets).contains("the town's directory"));
            continue;
        }
        let ways = object.document();
        for way in (0..ways.count()).flat_map(|row| ways.links(row)) {
            let url = way.target.unwrap();
            schemes.push(url.scheme());
            // A database is a search question; everything else opens.
            match carry_out(&Net::default(), Request::show(url, Reason::Typed))
                .await
                .end
            {
                Ok(_) | Err(Stop::Needs(Question::Search)) => {}
                other => panic!("{other:?}"),
            }
        }
    }
    assert_eq!(
        schemes,
        [Scheme::Ftp, Scheme::Wais, Scheme::Gopher, Scheme::Wais]
    );
    let failure = show(&Net::default(), format!("{here}/nowhere"))
        .await
        .failure();
    assert!(failure.sentence.ends_with("has no /nowhere"), "{failure:?}");
}

#[tokio::test]
async fn web_login_redirect_and_gateway_are_served() {
    let demo = Demo::start().await.unwrap();
    let web = format!("http://{}", demo.addresses.web);
    let question = show(&Net::default(), format!("{web}/drawer"))
        .await
        .question();
    assert!(matches!(question, Question::Login { .. }), "{question:?}");
    let request = |login| Request {
        login: Some(login),
        ..Request::show(Url::parse(&format!("{web}/drawer")).unwrap(), Reason::Typed)
    };
    let opened = carry_out(&Net::default(), request(Login::new("ada", "lovelace"))).await;
    assert!(String::from_utf8_lossy(&opened.whole().octets).contains("Pencils"));
    let wrong = carry_out(&Net::default(), request(Login::new("ada", "x"))).await;
    assert!(matches!(wrong.question(), Question::Password { .. }));
    let moved = show(&Net::default(), format!("{web}/old")).await.whole();
    assert_eq!(moved.place().as_str(), format!("{web}/page.html"));
    let mut gateways = Gateways::default();
    gateways.set("x-mole", &demo.gateway()).unwrap();
    let request = Request {
        settings: ProtocolSettings {
            gateways: Arc::new(gateways),
            ..ProtocolSettings::default()
        },
        ..Request::show(Url::parse("x-mole://h/a%20b").unwrap(), Reason::Typed)
    };
    let page = texts(&carry_out(&Net::default(), request).await.whole().document());
    assert!(
        page.iter().any(|row| row.contains("x-mole://h/a%20b")),
        "{page:?}"
    );
}
