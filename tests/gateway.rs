//! Gateways: which requests they get, and which data they never get.

use std::fs;
use std::sync::Arc;

use geomys::config::{Environment, UserPaths, read};
use geomys_load::check::{LinkStatus, check};
use geomys_load::{Caution, Consents, Gateways, ProtocolSettings, Question, Reason, Request};
use geomys_testing::loading::{Loaded, carry_out};
use geomys_testing::web::Web;
use geomys_wire::net::Net;
use rfc1738::{Dialect, Hazard};

use crate::support::command::geomys_in;
use crate::support::screen::Browser;

fn answer(body: &str) -> Vec<u8> {
    let length = body.len();
    let head =
        format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\n\r\n");
    [head.as_bytes(), body.as_bytes()].concat()
}

async fn gateway() -> Web {
    Web::start(|_| answer("from afar")).await
}

/// Gateways set for some schemes.
fn set(written: &[(&str, &str)]) -> Gateways {
    let mut gateways = Gateways::default();
    for (scheme, written) in written {
        gateways.set(scheme, written).unwrap();
    }
    gateways
}

fn request(url: &str, gateways: Gateways) -> Request {
    Request {
        settings: ProtocolSettings {
            gateways: Arc::new(gateways),
            ..ProtocolSettings::default()
        },
        ..Request::show(Dialect::Extended.parse(url).unwrap(), Reason::Typed)
    }
}

async fn show(url: &str, gateways: Gateways) -> Loaded {
    carry_out(&Net::default(), request(url, gateways)).await
}

#[tokio::test]
async fn gateway_request_fills_the_template() {
    let web = gateway().await;
    for (template, url, expected_path) in [
        ("/%u", "nfs://h.example/a;b", "/nfs://h.example/a;b"),
        (
            "/x?u=%U",
            "nfs://h:81/a%20b",
            "/x?u=nfs%3A%2F%2Fh%3A81%2Fa%2520b",
        ),
        ("/%h/%p/%d", "nfs://ada@h:2049/a/b?c", "/h/2049/a/b?c"),
        ("/%h/%p/%d", "nfs://h", "/h//"),
        ("/%d%%41", "mid:a@b", "/a@b%41"),
    ] {
        let url = &url;
        // A port of another service needs a question first, also through a gateway.
        let request = Request {
            consents: Consents {
                caution: Caution::Confirmed,
                ..Consents::default()
            },
            ..request(url, set(&[(&url[..3], &web.url(template))]))
        };
        let loaded = carry_out(&Net::default(), request).await.whole();
        assert_eq!(loaded.octets, b"from afar");
        assert_eq!(web.take_requests().pop().unwrap().path(), expected_path);
        // The page is the gateway's, and its origin is named.
        assert_eq!(loaded.place().as_str(), web.url(expected_path));
        assert_eq!(loaded.begin.unwrap().from[0].as_str(), *url);
    }
}

#[tokio::test]
async fn gateway_variables_of_the_environment_are_not_read() {
    let web = gateway().await;
    let (gateway, proxy) = (web.url("/"), web.address.to_string());
    let environment = [("WWW_nfs_GATEWAY", gateway.as_str()), ("nfs_proxy", &proxy)];
    let output = geomys_in(&environment, &["dump", "nfs://h.example/a"], "");
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("does not support nfs"), "{error}");
    assert_eq!(web.take_requests().len(), 0);
}

#[tokio::test]
async fn empty_template_removes_the_gateway() {
    let gateways = set(&[("nfs", "http://gateway.example/%u"), ("NFS", "")]);
    let failure = show("nfs://h/a", gateways).await.failure();
    assert!(failure.sentence.contains("does not support nfs"));
}

#[tokio::test]
async fn url_with_password_is_not_sent_to_a_gateway() {
    let web = gateway().await;
    let gateways = set(&[("nfs", &web.url("/%u"))]);
    let failure = show("nfs://ada:s3cret@h/a", gateways).await.failure();
    assert!(!format!("{failure:?}").contains("s3cret"), "{failure:?}");
    let next = failure.next.unwrap().target.unwrap();
    assert_eq!(next.as_str(), "nfs://ada@h/a");
    assert!(web.take_requests().is_empty());
}

#[tokio::test]
async fn line_break_in_url_is_not_sent_to_a_gateway() {
    let web = gateway().await;
    for template in ["/%u", "/%U"] {
        let gateways = set(&[("nfs", &web.url(template))]);
        let failure = show("nfs://h/a%0D%0Ab", gateways).await.failure();
        assert!(failure.sentence.contains("line break"), "{failure:?}");
    }
    // The resulting address has its own hazards.
    let gateways = set(&[("mid", "http://h.example:25/%u")]);
    let question = show("mid:a@b", gateways).await.question();
    assert_eq!(question, Question::Hazards(vec![Hazard::Port]));
    // The answer to the question applies.
    let gateways = set(&[("mid", &web.url("/%U"))]);
    let request = Request {
        consents: Consents {
            caution: Caution::Confirmed,
            ..Consents::default()
        },
        ..request("mid:a@b", gateways)
    };
    carry_out(&Net::default(), request).await.whole();
    assert_eq!(web.take_requests().pop().unwrap().path(), "/mid%3Aa%40b");
}

#[tokio::test]
async fn urls_at_the_gateway_itself_are_loaded_directly() {
    let web = gateway().await;
    let gateways = set(&[("http", &web.url("/by/%u")), ("nfs", &web.url("/by/%u"))]);
    show("http://h.example/a", gateways.clone()).await.whole();
    assert_eq!(
        web.take_requests().pop().unwrap().path(),
        "/by/http://h.example/a"
    );
    show(&web.url("/by/x"), gateways).await.whole();
    assert_eq!(web.take_requests().pop().unwrap().path(), "/by/x");
}

#[tokio::test]
async fn check_goes_through_the_gateway() {
    let web = Web::start(|request| match request.path() {
        "/mid:gone@h" => b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_vec(),
        "/mid:moved@h" => {
            b"HTTP/1.1 301 Moved\r\nLocation: /mid:a@h\r\nContent-Length: 0\r\n\r\n".to_vec()
        }
        _ => answer("x"),
    })
    .await;
    let gateways = set(&[("mid", &web.url("/%u"))]);
    for (url, verdict) in [
        ("mid:a@h", LinkStatus::Alive),
        ("mid:moved@h", LinkStatus::Alive),
        ("mid:gone@h", LinkStatus::Dead("404 Not Found".to_owned())),
    ] {
        let request = request(url, gateways.clone());
        assert_eq!(check(&Net::default(), &request).await.verdict, verdict);
    }
}

#[test]
fn template_mistakes_name_line_and_column() {
    let directory = tempfile::tempdir().unwrap();
    let settings = "[gateways]\n\
                    a = \"http://gw.example/%x\"\n\
                    b = \"http://gw.example/%\"\n\
                    c = \"http://gw.example/\"\n\
                    d = \"gw.example/%u\"\n\
                    e = \"http://ada:s3cret@gw.example/%u\"\n\
                    f = \"http://gw.example/%u#x y\"\n\
                    g = \"nfs://gw.example/%u\"\n\
                    file = \"http://gw.example/%u\"\n\
                    \"a b\" = \"http://gw.example/%u\"\n\
                    h = 7\n\
                    i = \"http://gw.example/%u\"\n\
                    j = \"environment\"\n";
    fs::write(directory.path().join("settings.toml"), settings).unwrap();
    let places = UserPaths::new(Some(directory.path().to_owned())).unwrap();
    let config = read(&places, &Environment::default());
    let path = format!("{}/", directory.path().display());
    let said: Vec<String> = config.errors.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!("mistakes", said.join("\n").replace(&path, ""));
    let takes = |url| {
        config
            .settings
            .gateways
            .uses_gateway(&Dialect::Extended.parse(url).unwrap())
    };
    assert!(takes("i:x"));
    assert!(!takes("g://h/"));
}

#[tokio::test(flavor = "multi_thread")]
async fn unsupported_scheme_opens_an_explaining_page() {
    let web = gateway().await;
    let settings = format!(
        "[open]\nother = [\"see\", \"{{url}}\"]\n[gateways]\nmid = \"{}\"\n",
        web.url("/%u")
    );
    let address = "nfs://ada:s3cret@files.example//export/notes".to_owned();
    let session = Browser::new().settings(settings).open(address).start();
    session.wait("Run another program").await;
    session.choose("Details").await;
    session.wait("does not support nfs").await;
    insta::assert_snapshot!("unspoken", session.page());
    session.press("o");
    session.type_in("mid:x@h");
    session.press("Enter");
    session.wait("from afar").await;
    session.wait("Redirected from mid:x@h").await;
}
