//! Client certificates: made and chosen on request, kept private, and shown nowhere else.

use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

use geomys_demo::Demo;
use geomys_load::{IdentityChoice, IdentityScope, PageStorage, Question, Reason, Request};
use geomys_store::files::identities::Identities;
use geomys_testing::loading::{Loaded, carry_out, show, texts, url};
use geomys_wire::net::{ClientIdentity, IdentityStore, Net};
use tempfile::TempDir;

fn store(directory: &TempDir) -> Identities {
    let path = directory.path();
    Identities::new(path.join("identities"), path.join("identities.txt"))
}

fn net(directory: &TempDir) -> Net {
    Net::default().with_identity_store(Arc::new(store(directory)))
}

fn words(loaded: Loaded) -> String {
    texts(&loaded.whole().document()).join("\n")
}

#[tokio::test]
async fn certificate_is_made_for_a_path_and_shown_nowhere_else() {
    let demo = Demo::start().await.unwrap();
    let directory = tempfile::tempdir().unwrap();
    let net = net(&directory);
    let here = |path: &str| format!("gemini://{}{path}", demo.addresses.gemini);
    let question = show(&net, here("/cellar")).await.question();
    let Question::Identity {
        authority,
        why,
        said,
        url: asking,
        names,
    } = question
    else {
        panic!("{question:?}");
    };
    assert_eq!(
        (authority, why),
        (demo.addresses.gemini.to_string(), "none was sent")
    );
    assert_eq!(
        said.unwrap().as_str(),
        "The cellar opens to a key of your own"
    );
    assert_eq!(names, [""; 0]);
    let request = Request {
        certificate: IdentityChoice {
            name: Some("mole".to_owned()),
            ..IdentityChoice::default()
        },
        ..Request::show(asking, Reason::Typed)
    };
    let page = carry_out(&net, request).await;
    assert_eq!(page.begin.as_ref().unwrap().storage, PageStorage::Forbidden);
    let stored = store(&directory).list().unwrap();
    assert_eq!(stored.len(), 1);
    assert_eq!(stored[0].name, "mole");
    assert_eq!(
        stored[0].chosen_for,
        [format!("{}/cellar", demo.addresses.gemini)]
    );
    let fingerprint = stored[0].fingerprint.unwrap().to_string();
    assert!(words(page).contains(&fingerprint));
    // The choice stays, for the path and those below it.
    let below = show(&net, here("/cellar/shelf")).await;
    assert!(words(below).contains(&fingerprint));
    for path in ["/who", "/"] {
        let page = show(&net, here(path)).await;
        assert_eq!(page.begin.as_ref().unwrap().storage, PageStorage::Allowed);
    }
    assert_eq!(
        words(show(&net, here("/who")).await),
        "You have shown no key."
    );
    let file = directory.path().join("identities/mole.pem");
    let mode = file.metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let directory_mode = file.parent().unwrap().metadata().unwrap().permissions();
    assert_eq!(directory_mode.mode() & 0o777, 0o700);
}

#[test]
fn path_with_dot_segments_gets_the_certificate_of_the_whole_server_only() {
    let directory = tempfile::tempdir().unwrap();
    let identities = store(&directory);
    let is_shown = |path: &str| identities.find("h:1965", path).unwrap().is_some();
    identities.choose("h:1965", "/app", "mole").unwrap();
    for path in [
        "/app",
        "/app/",
        "/app/a",
        "/app/a..b",
        "/app/...",
        "/app/.a",
    ] {
        assert!(is_shown(path), "{path}");
    }
    let outside = [
        "/app/..",
        "/app/../out",
        "/app/a/../../out",
        "/app/%2e%2E/out",
        "/app/.%2e/out",
        "/app/..%2fout",
        "/app/..\\out",
        "/app/./a",
        "/out",
    ];
    for path in outside {
        assert!(!is_shown(path), "{path}");
    }
    identities.choose("h:1965", "/", "vole").unwrap();
    assert!(outside.iter().all(|path| is_shown(path)));
    assert_eq!(identities.names().unwrap(), ["mole", "vole"]);
}

/// A certificate with a key on the curve secp256k1.
const OTHER_CURVE: &str = "\
-----BEGIN CERTIFICATE-----
MIIBbTCCARSgAwIBAgIUEzslkUoZHLch5IjilqSp8DVR7hgwCgYIKoZIzj0EAwIw
DjEMMAoGA1UEAwwDYWRhMB4XDTI2MTEzMDIxMzMzM1oXDTI2MTIxMDIxMzMzM1ow
DjEMMAoGA1UEAwwDYWRhMFYwEAYHKoZIzj0CAQYFK4EEAAoDQgAE3Av4D5VbfEet
1HidDjGPUEtDJSI3JvzYfDTAaJJG95dLo7Uwa5EO2FSsnP/SamlM7EV9zoSRkP9f
GjgcvZiAhqNTMFEwHQYDVR0OBBYEFCg6vRhlGaLkvf1w3F6CXoY2t1lBMB8GA1Ud
IwQYMBaAFCg6vRhlGaLkvf1w3F6CXoY2t1lBMA8GA1UdEwEB/wQFMAMBAf8wCgYI
KoZIzj0EAwIDRwAwRAIgPog2O8iz8VU+XVxNELZV5wYq+4IAPaImmJKe9a3KCoEC
ICsQrDQo+geTj7JUazq34sH7adugBOh/FHg9WqBJiM9Y
-----END CERTIFICATE-----
-----BEGIN PRIVATE KEY-----
MIGEAgEAMBAGByqGSM49AgEGBSuBBAAKBG0wawIBAQQgR5VXH6N93BpePnuewRPH
1dXSo+bcWMzdwKiLYfavvBihRANCAATcC/gPlVt8R63UeJ0OMY9QS0MlIjcm/Nh8
NMBokkb3l0ujtTBrkQ7YVKyc/9JqaUzsRX3OhJGQ/18aOBy9mICG
-----END PRIVATE KEY-----
";

#[test]
fn certificate_whose_key_cannot_be_used_is_not_imported() {
    let directory = tempfile::tempdir().unwrap();
    let identities = store(&directory);
    let error = identities
        .import("ada", OTHER_CURVE.as_bytes())
        .unwrap_err();
    let sentence =
        "ada has a key of a kind that is not supported: RSA, P-256, P-384 and Ed25519 are";
    assert_eq!(error.to_string(), sentence);
}

#[tokio::test]
async fn imported_certificate_is_chosen_by_its_name() {
    let demo = Demo::start().await.unwrap();
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let cellar = url(format!("gemini://{}/cellar", demo.addresses.gemini));
    let request = |name: &str| Request {
        certificate: IdentityChoice {
            name: Some(name.to_owned()),
            ..IdentityChoice::default()
        },
        ..Request::show(cellar.clone(), Reason::Typed)
    };
    words(carry_out(&net(&one), request("made")).await);
    let pem = std::fs::read(one.path().join("identities/made.pem")).unwrap();
    let made = ClientIdentity::from_pem(&pem)
        .unwrap()
        .fingerprint()
        .unwrap();
    let identities = store(&other);
    identities.import("brought", &pem).unwrap();
    assert!(
        identities.import("brought", &pem).is_err(),
        "the name is used"
    );
    assert!(identities.import("bad", b"no certificate").is_err());
    let page = words(carry_out(&net(&other), request("brought")).await);
    assert!(page.contains(&made.to_string()));
    assert_eq!(identities.list().unwrap().len(), 1);
}

#[tokio::test]
async fn certificate_for_the_host_is_shown_everywhere_on_it_and_named() {
    let demo = Demo::start().await.unwrap();
    let directory = tempfile::tempdir().unwrap();
    let net = net(&directory);
    let here = |path: &str| url(format!("gemini://{}{path}", demo.addresses.gemini));
    let request = Request {
        certificate: IdentityChoice {
            name: Some("mole".to_owned()),
            scope: IdentityScope::Host,
        },
        ..Request::show(here("/cellar"), Reason::Typed)
    };
    for loaded in [
        carry_out(&net, request).await,
        show(&net, here("/who")).await,
    ] {
        let head = loaded.begin.as_ref().unwrap();
        assert_eq!(head.identity.as_deref(), Some("mole"));
    }
    let everywhere = format!("{}/", demo.addresses.gemini);
    assert_eq!(
        store(&directory).list().unwrap()[0].chosen_for,
        [everywhere]
    );
}

#[test]
fn certificates_are_renamed_widened_left_and_removed() {
    let directory = tempfile::tempdir().unwrap();
    let identities = store(&directory);
    let uses = || {
        let all = identities.list().unwrap();
        let all = all
            .into_iter()
            .map(|stored| (stored.name, stored.chosen_for.join(" ")));
        all.collect::<Vec<_>>()
    };
    let entry = |name: &str, places: &str| (name.to_owned(), places.to_owned());
    identities.choose("h:1965", "/a", "mole").unwrap();
    identities.choose("h:1965", "/b", "mole").unwrap();
    identities.choose("h:1965", "/c", "vole").unwrap();
    identities.rename_identity("mole", "shrew").unwrap();
    assert!(
        identities.rename_identity("shrew", "vole").is_err(),
        "the name is used"
    );
    assert!(
        identities.rename_identity("mole", "other").is_err(),
        "it is not there"
    );
    assert_eq!(
        uses(),
        [
            entry("shrew", "h:1965/a h:1965/b"),
            entry("vole", "h:1965/c")
        ]
    );
    assert!(identities.leave("shrew", "H:1965", Some("/a")).unwrap());
    assert!(!identities.leave("shrew", "h:1965", Some("/a")).unwrap());
    assert_eq!(uses()[0], entry("shrew", "h:1965/b"));
    // The line for the path says nothing more beside that for the host.
    identities.widen("shrew", "h:1965").unwrap();
    assert!(
        identities.widen("mole", "h:1965").is_err(),
        "it is not there"
    );
    assert_eq!(uses()[0], entry("shrew", "h:1965/"));
    assert!(identities.leave("shrew", "h:1965", None).unwrap());
    assert_eq!(uses()[0], entry("shrew", ""));
    identities.remove("vole").unwrap();
    assert!(identities.remove("vole").is_err(), "it is not there");
    assert_eq!(uses(), [entry("shrew", "")]);
    let file = std::fs::read_to_string(directory.path().join("identities.txt")).unwrap();
    assert!(!file.contains("vole"), "{file}");
}

#[tokio::test]
async fn name_that_is_no_file_name_is_refused_before_anything_is_sent() {
    let demo = Demo::start().await.unwrap();
    let directory = tempfile::tempdir().unwrap();
    let cellar = url(format!("gemini://{}/cellar", demo.addresses.gemini));
    for name in [
        "../mole",
        ".mole",
        "a mole",
        "",
        "mole/key",
        &"x".repeat(65),
    ] {
        let request = Request {
            certificate: IdentityChoice {
                name: Some(name.to_owned()),
                ..IdentityChoice::default()
            },
            ..Request::show(cellar.clone(), Reason::Typed)
        };
        let failure = carry_out(&net(&directory), request).await.failure();
        assert!(failure.sentence.starts_with("not requested"), "{failure:?}");
    }
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn key_is_in_no_debug_output() {
    let directory = tempfile::tempdir().unwrap();
    let identities = store(&directory);
    geomys_wire::net::IdentityStore::choose(&identities, "h:1965", "/", "mole").unwrap();
    let pem = std::fs::read(directory.path().join("identities/mole.pem")).unwrap();
    let identity = ClientIdentity::from_pem(&pem).unwrap();
    let fingerprint = identity.fingerprint().unwrap();
    assert_eq!(
        format!("{identity:?}"),
        format!("ClientIdentity(Some(Fingerprint({fingerprint})))")
    );
}
