//! Names, passwords and SASL PLAIN as transcripts (RFC 4643).

use geomys::net::{Limits, NetError, Security};
use geomys::protocol::nntp::{Account, Dialogue, NntpError, Opening};
use tokio::io::DuplexStream;
use tokio::time::timeout;

use crate::support::script::{DEADLINE, peer, played};

const ADA: &str = "AGFkYQBsb3ZlbGFjZQ==";

/// The server asks who reads.
const WHO: &str = "C: GROUP a\nS: 480 who\n";

/// What asking for a group comes to, on a server that announces `capabilities` and then plays `rest`.
async fn asked(
    capabilities: &str,
    rest: &str,
    security: Security,
    account: (&str, &str),
) -> Result<(), NntpError> {
    let script = format!(
        "S: 200 hi\nC: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: READER\n{capabilities}S: .\n{rest}"
    );
    let (stream, playing) = peer(&script);
    let account = Account {
        user: account.0.to_owned(),
        password: account.1.to_owned(),
    };
    let limits = Limits::default();
    let asked = async {
        let mut talk: Dialogue<DuplexStream> = Dialogue::open(
            stream,
            "news:563",
            &limits,
            Some(account),
            Opening::Modern,
            security,
        )
        .await?;
        talk.introduce().await?;
        talk.group(b"a").await.map(|_| ())
    };
    let end = timeout(DEADLINE, asked).await.expect("in time");
    played(playing).await;
    end
}

const IN: &str =
    "C: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: .\nC: GROUP a\nS: 211 0 0 0\nsilence";

#[tokio::test]
async fn sasl_serves_where_names_do_not() {
    let sasl = format!("C: AUTHINFO SASL PLAIN {ADA}\nS: 281 in\n{IN}");
    let only = "S: AUTHINFO SASL\nS: SASL CRAM-MD5 plain\n";
    let ada = ("ada", "lovelace");
    asked(only, &sasl, Security::Verified, ada).await.unwrap();
    // What a server proves of itself is no matter of PLAIN.
    let proving = sasl.replace("S: 281 in", "S: 283 Zm9v");
    asked(only, &proving, Security::Verified, ada)
        .await
        .unwrap();
    asked("S: SASL PLAIN\n", &sasl, Security::Verified, ada)
        .await
        .unwrap();
    // A USER that is announced and refused after all.
    for refusal in ["482 no", "483 no", "500 no", "501 no", "503 no"] {
        let announced = "S: AUTHINFO USER SASL\nS: SASL PLAIN\n";
        let refused = format!("C: AUTHINFO USER ada\nS: {refusal}\n{sasl}");
        let end = asked(announced, &refused, Security::Verified, ada).await;
        end.unwrap_or_else(|error| panic!("{refusal}: {error:?}"));
    }
}

#[tokio::test]
async fn names_come_first() {
    let names =
        format!("C: AUTHINFO USER ada\nS: 381 more\nC: AUTHINFO PASS lovelace\nS: 281 in\n{IN}");
    // Where it announces what it takes nobody waits to be asked.
    for (announced, who) in [
        ("S: AUTHINFO USER SASL\nS: SASL PLAIN\n", ""),
        ("S: AUTHINFO SASL USER\nS: SASL PLAIN LOGIN\n", ""),
        ("S: AUTHINFO SASL\nS: SASL DIGEST-MD5\n", WHO),
        ("S: AUTHINFO USER\n", ""),
        ("", WHO),
    ] {
        let names = format!("{who}{names}");
        let end = asked(announced, &names, Security::Verified, ("ada", "lovelace")).await;
        end.unwrap_or_else(|error| panic!("{announced}: {error:?}"));
    }
    // A password that is refused is one, and is not said in another way.
    for refusal in ["481 wrong", "482 wrong", "502 wrong"] {
        let refused = format!(
            "C: AUTHINFO USER ada\nS: 381 more\nC: AUTHINFO PASS lovelace\nS: {refusal}\nsilence"
        );
        let announced = "S: AUTHINFO USER SASL\nS: SASL PLAIN\n";
        let end = asked(announced, &refused, Security::Verified, ("ada", "lovelace")).await;
        assert!(
            matches!(&end, Err(NntpError::PasswordWanted(user, Some(_), _)) if user == "ada"),
            "{end:?}"
        );
    }
}

#[tokio::test]
async fn nothing_of_sasl_is_said_in_the_open() {
    let only = "S: AUTHINFO SASL\nS: SASL PLAIN\n";
    let refused = format!("{WHO}C: AUTHINFO USER ada\nS: 483 not here\nsilence");
    let end = asked(only, &refused, Security::Plain, ("ada", "lovelace")).await;
    assert!(matches!(&end, Err(NntpError::InClear)), "{end:?}");
    let offered = format!("{only}S: STARTTLS\n");
    let silent = format!("{WHO}silence");
    let end = asked(&offered, &silent, Security::Plain, ("ada", "lovelace")).await;
    assert!(matches!(&end, Err(NntpError::InClear)), "{end:?}");
}

#[tokio::test]
async fn sasl_that_fails() {
    let only = "S: AUTHINFO SASL\nS: SASL PLAIN\n";
    for (refusal, is_password) in [
        ("481 wrong", true),
        ("482 wrong", true),
        ("502 wrong", true),
        ("400 bye", false),
        ("503 none", false),
        ("383 more", false),
        ("200 what", false),
    ] {
        let script = format!("C: AUTHINFO SASL PLAIN {ADA}\nS: {refusal}\nsilence");
        let end = asked(only, &script, Security::Verified, ("ada", "lovelace")).await;
        let error = end.expect_err(refusal);
        assert_eq!(
            matches!(&error, NntpError::PasswordWanted(user, Some(_), _) if user == "ada"),
            is_password,
            "{refusal}: {error:?}"
        );
        assert!(!format!("{error:?} {error}").contains("lovelace"));
        assert!(!format!("{error:?} {error}").contains(ADA));
    }
    let silent = format!("{WHO}silence");
    let end = asked(only, &silent, Security::Verified, ("ada", "")).await;
    assert!(
        matches!(&end, Err(NntpError::PasswordWanted(_, None, _))),
        "{end:?}"
    );
    // A NUL would end the name before its time.
    for account in [("a\0da", "lovelace"), ("ada", "love\0lace")] {
        let end = asked(only, "silence", Security::Verified, account).await;
        assert!(
            matches!(&end, Err(NntpError::Net(NetError::Unsendable { .. }))),
            "{end:?}"
        );
    }
}

#[tokio::test]
async fn a_long_password_waits_until_it_is_asked_for() {
    let only = "S: AUTHINFO SASL\nS: SASL PLAIN\n";
    let long = "x".repeat(600);
    // `\0ada\0` and 600 times `x`: 605 octets, 808 of base64.
    let message = format!("AGFkYQB4{}eHg=", "eHh4".repeat(199));
    let script = format!("C: AUTHINFO SASL PLAIN\nS: 383 =\nC: {message}\nS: 281 in\n{IN}");
    asked(only, &script, Security::Verified, ("ada", &long))
        .await
        .unwrap();
}
