//! Every scheme of RFC 1738 in the demo: the replies of its servers, and that every bookmark opens.

use std::sync::Arc;

use geomys_page::document::{Document, Shape};
use geomys_page::load::{Gateways, Login, NewsHost, Question, Request, Stop};
use geomys_store::bookmarks::Bookmarks;
use geomys_testing::loading::{Loaded, carry_out, show, texts};
use geomys_wire::net::Net;
use rfc1738::{Scheme, Url};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::{demo, wire};
use crate::support::screen::Session;

async fn rows(address: String) -> Vec<String> {
    texts(&show(&Net::default(), address).await.whole().document())
}

#[tokio::test]
async fn finger_lists_users() {
    let demo = demo().await;
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
    let demo = demo().await;
    let here = format!("prospero://{}/", demo.addresses.prospero);
    let directory = show(&Net::default(), format!("{here}/"))
        .await
        .whole()
        .document();
    let mut schemes = Vec::new();
    for row in 0..directory.count() {
        let object = directory.links(row).remove(0).target.unwrap();
        let object = carry_out(&Net::default(), Request::show(object))
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
            match carry_out(&Net::default(), Request::show(url)).await.end {
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
    let demo = demo().await;
    let web = format!("http://{}", demo.addresses.web);
    let question = show(&Net::default(), format!("{web}/drawer"))
        .await
        .question();
    assert!(matches!(question, Question::Login { .. }), "{question:?}");
    let request = |login| Request {
        login: Some(login),
        ..Request::show(Url::parse(&format!("{web}/drawer")).unwrap())
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
        gateways: Arc::new(gateways),
        ..Request::show(Url::parse("x-mole://h/a%20b").unwrap())
    };
    let page = texts(&carry_out(&Net::default(), request).await.whole().document());
    assert!(
        page.iter().any(|row| row.contains("x-mole://h/a%20b")),
        "{page:?}"
    );
}

#[tokio::test]
async fn telnet_session_negotiates_and_ends() {
    let demo = demo().await;
    let mut stream = TcpStream::connect(demo.addresses.telnet).await.unwrap();
    // The server requests the terminal type when the client offers it, accepts the window size, and refuses another option.
    let said = b"\xff\xfb\x18\xff\xfb\x1f\xff\xfd\x05\xff\xfa\x1f\0P\0\x18\xff\xf0\
                 \xff\xfa\x18\0VT100\xff\xf0size\r\0quit\r\n";
    stream.write_all(said).await.unwrap();
    let mut heard = Vec::new();
    timeout(wire::DEADLINE, stream.read_to_end(&mut heard))
        .await
        .unwrap()
        .unwrap();
    assert!(heard.starts_with(b"\xff\xfd\x18\xff\xfd\x1f\r\n"));
    for octets in [
        b"\xff\xfa\x18\x01\xff\xf0".as_slice(),
        b"\xff\xfc\x05",
        b"a window of 80 columns and 24 lines, VT100\r\n",
    ] {
        assert!(
            memchr::memmem::find(&heard, octets).is_some(),
            "{octets:?} in {heard:?}"
        );
    }
    assert!(heard.ends_with(b"> Good night.\r\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn telnet_session_is_left_and_entered_again() {
    let demo = demo().await;
    let session = Session::demo(&demo, 80, 24);
    session.press("o");
    session.type_in(&format!("telnet://{}/", demo.addresses.telnet));
    session.press("Enter");
    // The name of the counter is also a suggestion of the prompt.
    session.wait("Type help, and quit").await;
    session.type_in("size");
    session.press("Enter");
    session.wait("columns and").await;
    session.press("Ctrl-]");
    session.press("o");
    session.type_in("geomys:help");
    session.press("Enter");
    session.wait("news groups: read, write").await;
    session.press("{");
    session.wait("columns and").await;
    session.press("Ctrl-]");
    session.type_in("quit");
    session.press("Enter");
    session.wait("Good night.").await;
}

#[tokio::test]
async fn every_demo_bookmark_opens_and_all_schemes_occur() {
    let demo = demo().await;
    let bookmarks = Bookmarks::of(demo.bookmarks().into_bytes());
    let net = Net::default();
    let mut gateways = Gateways::default();
    gateways.set("x-mole", &demo.gateway()).unwrap();
    let gateways = Arc::new(gateways);
    let mut schemes = Vec::new();
    for bookmark in bookmarks.bookmarks() {
        let Ok(url) = bookmark.url() else {
            assert!(bookmark.title().as_str().starts_with("A bad one"));
            continue;
        };
        schemes.push(url.scheme());
        if url.scheme() == Scheme::Telnet {
            // A session, not a page: tested above.
            continue;
        }
        if url.as_str().contains("/big") {
            // These pages never end.
            continue;
        }
        let request = Request {
            gateways: Arc::clone(&gateways),
            news_server: Some(NewsHost::plain(
                demo.addresses.news.ip().to_string(),
                demo.addresses.news.port(),
            )),
            ..Request::show(url.clone())
        };
        let loaded: Loaded = carry_out(&net, request).await;
        match &loaded.end {
            Ok(_) => {
                let document: Document = loaded.document();
                assert!(document.count() > 0, "{url}");
            }
            Err(Stop::Needs(
                Question::Search
                | Question::Input { .. }
                | Question::Login { .. }
                | Question::Password { .. }
                | Question::Save { .. },
            )) => {}
            other => panic!("{url}: {other:?}"),
        }
    }
    for scheme in Scheme::ALL {
        assert!(schemes.contains(&scheme), "{scheme}");
    }
}
