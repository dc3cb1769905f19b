//! vsftpd, which requires TLS session reuse for data, and pure-ftpd: over TLS, and with a user.

use std::sync::Arc;

use geomys_load::{FtpSettings, ProtocolSettings, Purpose, Question, Reason, Request, TlsUpgrade};
use geomys_testing::loading::{Loaded, carry_out, target, texts, url};
use geomys_wire::net::{Net, Security, Trust};

use crate::servers::{Servers, assert_same};

/// Loads once the certificate has been accepted.
async fn trusting(net: &Net, mut request: Request) -> (Loaded, Request) {
    let loaded = carry_out(net, request.clone()).await;
    let Question::Certificate(error) = loaded.question() else {
        panic!("no certificate question");
    };
    request.trust = Trust {
        pin: None,
        once: Some(error.fingerprint),
        ..Trust::default()
    };
    (carry_out(net, request.clone()).await, request)
}

#[tokio::test]
#[ignore = "needs the servers that .ci/servers starts"]
async fn data_connection_resumes_the_control_tls_session() {
    let servers = Servers::named();
    for authority in [&servers.ftps, &servers.pure] {
        let net = Net::default();
        let front = format!("ftps://ada:byron@{authority}");
        let (page, first) =
            trusting(&net, Request::show(url(format!("{front}/")), Reason::Typed)).await;
        let page = page.whole();
        let begin = page.begin.as_ref().unwrap();
        assert_eq!(begin.security, Security::Unverified, "{authority}");
        let root = page.document();
        assert!(texts(&root).contains(&"welcome.txt".to_owned()));
        // More data connections than the server issues tickets.
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
#[ignore = "needs the servers that .ci/servers starts"]
async fn setting_upgrades_ftp_to_tls() {
    let servers = Servers::named();
    let request = Request {
        settings: ProtocolSettings {
            ftp: Arc::new(FtpSettings {
                tls: TlsUpgrade::Offer,
                ..FtpSettings::default()
            }),
            ..ProtocolSettings::default()
        },
        ..Request::show(
            url(format!("ftp://{}/welcome.txt", servers.ftps)),
            Reason::Typed,
        )
    };
    let (page, _) = trusting(&Net::default(), request).await;
    let page = page.whole();
    assert_eq!(page.begin.as_ref().unwrap().security, Security::Unverified);
    assert_same(&page.octets, &servers.file("ftp/welcome.txt"));
}

#[tokio::test]
#[ignore = "needs the servers that .ci/servers starts"]
async fn members_server_prompts_for_name_and_password() {
    let servers = Servers::named();
    let net = Net::default();
    let mut request = Request::show(url(format!("ftp://{}/", servers.pure)), Reason::Typed);
    let Question::Login {
        said: Some(said), ..
    } = carry_out(&net, request.clone()).await.question()
    else {
        panic!("no name prompt");
    };
    assert!(said.as_str().starts_with("530 "), "{said}");
    request.set_user("ada");
    // A login uses TLS where the server offers it.
    let (_, mut request) = trusting(&net, request).await;
    for (password, is_second) in [("lovelace", false), ("byron", true)] {
        let Question::Password { user, said, .. } =
            carry_out(&net, request.clone()).await.question()
        else {
            panic!("no password prompt");
        };
        assert_eq!(said.is_some(), is_second);
        request.set_password(&user, password.to_owned());
    }
    let page = carry_out(&net, request).await.whole();
    let leads = target(&page.document(), "welcome.txt");
    assert_eq!(
        leads.as_str(),
        format!("ftp://ada@{}/welcome.txt", servers.pure)
    );
}
