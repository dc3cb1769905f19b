//! inn2: a login, and compression after it.

use std::sync::{Arc, Mutex};

use geomys_load::{
    Consents, Login, NewsSettings, PlainLoginConsent, ProtocolSettings, Question, Reason, Request,
    TlsUpgrade,
};
use geomys_testing::loading::{carry_out, texts, url};
use geomys_wire::net::Net;
use geomys_wire::protocol::nntp::Compression;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

use super::Servers;

/// The recorded traffic of both directions.
type Wire = Arc<Mutex<Vec<u8>>>;

/// A forwarder to the server at `place` that records the traffic and hides the TLS announcement: inn2 announces
/// it without a certificate, and a password would wait for it.
async fn overheard(authority: &str) -> (String, Wire) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let here = listener.local_addr().unwrap().to_string();
    let wire = Wire::default();
    let (written, authority) = (Arc::clone(&wire), authority.to_owned());
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            let server = TcpStream::connect(&authority).await.unwrap();
            let (from_client, to_client) = client.into_split();
            let (from_server, to_server) = server.into_split();
            tokio::spawn(carry(from_client, to_server, Arc::clone(&written)));
            tokio::spawn(carry(from_server, to_client, Arc::clone(&written)));
        }
    });
    (here, wire)
}

async fn carry(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, wire: Wire) {
    let mut octets = [0; 4096];
    while let Ok(read @ 1..) = from.read(&mut octets).await {
        if let Some(at) = memchr::memmem::find(&octets[..read], b"STARTTLS\r\n") {
            octets[at] = b'X';
        }
        wire.lock().unwrap().extend_from_slice(&octets[..read]);
        if to.write_all(&octets[..read]).await.is_err() {
            break;
        }
    }
}

fn request(address: &str, login: Option<Login>, compress: Compression) -> Request {
    Request {
        login,
        settings: ProtocolSettings {
            news: Arc::new(NewsSettings {
                compress,
                ..NewsSettings::default()
            }),
            ..ProtocolSettings::default()
        },
        ..Request::show(url(address), Reason::Typed)
    }
}

#[tokio::test]
#[ignore = "needs the servers that .ci/servers starts"]
async fn members_group_is_read_compressed_after_login() {
    let servers = Servers::named();
    let (authority, _) = overheard(&servers.news).await;
    let members = format!("nntp://{authority}/local.members");
    let net = Net::default();
    let question = carry_out(&net, request(&members, None, Compression::Never));
    assert!(matches!(question.await.question(), Question::Login { .. }));
    let wrong = Some(Login::new("ada", "babbage"));
    let question = carry_out(&net, request(&members, wrong, Compression::Never));
    assert!(matches!(
        question.await.question(),
        Question::Password { said: Some(_), .. }
    ));

    for compress in [Compression::Never, Compression::Offered] {
        let (authority, wire) = overheard(&servers.news).await;
        let net = Net::default();
        let ada = || Some(Login::new("ada", "byron"));
        let members = format!("nntp://{authority}/local.members");
        let page = carry_out(&net, request(&members, ada(), compress))
            .await
            .whole();
        assert_eq!(page.document().count(), 0);
        let article = format!("nntp://{authority}/local.burrow/1");
        let page = carry_out(&net, request(&article, ada(), compress))
            .await
            .whole();
        assert!(texts(&page.document()).contains(&"Grüße".to_owned()));
        let wire = wire.lock().unwrap();
        let has = |text: &str| memchr::memmem::find(&wire, text.as_bytes()).is_some();
        let is_packed = compress == Compression::Offered;
        assert!(has("AUTHINFO USER ada\r\n") && has("AUTHINFO PASS byron\r\n"));
        assert_eq!(has("COMPRESS DEFLATE\r\n206 "), is_packed);
        assert_eq!(has("ARTICLE 1\r\n"), !is_packed);
    }
}

#[tokio::test]
#[ignore = "needs the servers that .ci/servers starts"]
async fn announced_tls_without_certificate_asks_before_login() {
    let servers = Servers::named();
    let members = format!("nntp://{}/local.members", servers.news);
    let ada = |tls, plain_login| Request {
        login: Some(Login::new("ada", "byron")),
        consents: Consents {
            plain_login,
            ..Consents::default()
        },
        settings: ProtocolSettings {
            news: Arc::new(NewsSettings {
                tls,
                ..NewsSettings::default()
            }),
            ..ProtocolSettings::default()
        },
        ..Request::show(url(&members), Reason::Typed)
    };
    let net = Net::default();
    let loading = carry_out(&net, ada(TlsUpgrade::Login, PlainLoginConsent::Ask));
    let question = loading.await.question();
    let Question::Unencrypted(unencrypted) = question else {
        panic!("another question: {question:?}");
    };
    let sentence = unencrypted.sentence();
    assert!(
        sentence.contains("announces TLS but refused it (“580 "),
        "{sentence}"
    );
    for (tls, plain_login) in [
        (TlsUpgrade::Login, PlainLoginConsent::Accepted),
        (TlsUpgrade::Never, PlainLoginConsent::Ask),
    ] {
        let page = carry_out(&Net::default(), ada(tls, plain_login))
            .await
            .whole();
        assert_eq!(page.document().count(), 0);
    }
}
