//! vsftpd that gives data only to a session that it knows, and pure-ftpd: over TLS, and with a user.

use std::sync::Arc;

use geomys::load::{FtpWays, Purpose, Question, Request, Upgrade};
use geomys::net::{Net, Security, Trust};

use crate::servers::{Servers, assert_same};
use crate::support::loading::{Loaded, carry_out, target, texts, url};

/// Loads once the certificate has been accepted.
async fn trusting(net: &Net, mut request: Request) -> (Loaded, Request) {
    let loaded = carry_out(net, request.clone()).await;
    let Question::Certificate(doubt) = loaded.question() else {
        panic!("the certificate is nobody's to believe");
    };
    request.trust = Trust {
        pin: None,
        once: Some(doubt.fingerprint),
    };
    (carry_out(net, request.clone()).await, request)
}

#[tokio::test]
async fn data_is_given_to_the_session_of_the_commands() {
    let Some(servers) = Servers::named() else {
        return;
    };
    for place in [&servers.ftps, &servers.pure] {
        let net = Net::default();
        let front = format!("ftps://ada:byron@{place}");
        let (page, first) = trusting(&net, Request::show(url(format!("{front}/")))).await;
        let page = page.whole();
        let begin = page.begin.as_ref().unwrap();
        assert_eq!(begin.security, Security::Unverified, "{place}");
        let root = page.document();
        assert!(texts(&root).contains(&"welcome.txt".to_owned()));
        // More connections for data than a server gives tickets for.
        for _ in 0..4 {
            let request = Request {
                url: target(&root, "octets.bin"),
                purpose: Purpose::Save,
                ..first.clone()
            };
            let saved = carry_out(&net, request).await.whole();
            assert_same(&saved.octets, &servers.file("ftp/octets.bin"));
        }
        let request = Request {
            url: target(&root, "names"),
            ..first
        };
        let names = carry_out(&net, request).await.whole().document();
        assert_eq!(target(&names, "café.txt").path(), Some("names/caf%E9.txt"));
    }
}

#[tokio::test]
async fn ftp_is_upgraded_by_a_setting() {
    let Some(servers) = Servers::named() else {
        return;
    };
    let request = Request {
        ftp: Arc::new(FtpWays {
            tls: Upgrade::Offer,
            ..FtpWays::default()
        }),
        ..Request::show(url(format!("ftp://{}/welcome.txt", servers.ftps)))
    };
    let (page, _) = trusting(&Net::default(), request).await;
    let page = page.whole();
    assert_eq!(page.begin.as_ref().unwrap().security, Security::Unverified);
    assert_same(&page.octets, &servers.file("ftp/welcome.txt"));
}

#[tokio::test]
async fn a_server_of_members_asks_for_a_name_and_a_password() {
    let Some(servers) = Servers::named() else {
        return;
    };
    let net = Net::default();
    let mut request = Request::show(url(format!("ftp://{}/", servers.pure)));
    let Question::Login {
        said: Some(said), ..
    } = carry_out(&net, request.clone()).await.question()
    else {
        panic!("no name is wanted");
    };
    assert!(said.as_str().starts_with("530 "), "{said}");
    request.name("ada");
    // A login uses TLS where the server offers it.
    let (_, mut request) = trusting(&net, request).await;
    for (password, is_second) in [("lovelace", false), ("byron", true)] {
        let Question::Password { user, said, .. } =
            carry_out(&net, request.clone()).await.question()
        else {
            panic!("no password is wanted");
        };
        assert_eq!(said.is_some(), is_second);
        request.give_password(&user, password.to_owned());
    }
    let page = carry_out(&net, request).await.whole();
    let leads = target(&page.document(), "welcome.txt");
    assert_eq!(
        leads.as_str(),
        format!("ftp://ada@{}/welcome.txt", servers.pure)
    );
}
