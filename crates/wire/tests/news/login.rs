//! Names, passwords and SASL PLAIN as transcripts (RFC 4643).

use geomys_testing::script::{DEADLINE, assert_played, peer};
use geomys_wire::net::{Limits, NetError, Security};
use geomys_wire::protocol::nntp::{Account, Dialogue, NntpError, OpenMode};
use tokio::io::DuplexStream;
use tokio::time::timeout;

const ADA: &str = "AGFkYQBsb3ZlbGFjZQ==";

/// The server demands a login.
const WHO: &str = "C: GROUP a\nS: 480 who\n";

/// The result of selecting a group on a server that announces `capabilities` and then plays `rest`.
async fn select_group(
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
    let dialogue = async {
        let mut talk: Dialogue<DuplexStream> = Dialogue::open(
            stream,
            "news:563",
            &limits,
            Some(account),
            OpenMode::WithCapabilities,
            security,
        )
        .await?;
        talk.log_in_early().await?;
        talk.group(b"a").await.map(|_| ())
    };
    let end = timeout(DEADLINE, dialogue).await.expect("in time");
    assert_played(playing).await;
    end
}

const IN: &str =
    "C: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: .\nC: GROUP a\nS: 211 0 0 0\nsilence";

#[tokio::test]
async fn sasl_plain_is_used_where_user_login_is_not_announced() {
    let sasl = format!("C: AUTHINFO SASL PLAIN {ADA}\nS: 281 in\n{IN}");
    let only = "S: AUTHINFO SASL\nS: SASL CRAM-MD5 plain\n";
    let ada = ("ada", "lovelace");
    select_group(only, &sasl, Security::Verified, ada)
        .await
        .unwrap();
    // PLAIN ignores the server's additional data.
    let proving = sasl.replace("S: 281 in", "S: 283 Zm9v");
    select_group(only, &proving, Security::Verified, ada)
        .await
        .unwrap();
    select_group("S: SASL PLAIN\n", &sasl, Security::Verified, ada)
        .await
        .unwrap();
    // An announced USER command that the server refuses.
    for refusal in ["482 no", "483 no", "500 no", "501 no", "503 no"] {
        let announced = "S: AUTHINFO USER SASL\nS: SASL PLAIN\n";
        let refused = format!("C: AUTHINFO USER ada\nS: {refusal}\n{sasl}");
        let end = select_group(announced, &refused, Security::Verified, ada).await;
        end.unwrap_or_else(|error| panic!("{refusal}: {error:?}"));
    }
}

#[tokio::test]
async fn user_login_is_preferred_to_sasl() {
    let names =
        format!("C: AUTHINFO USER ada\nS: 381 more\nC: AUTHINFO PASS lovelace\nS: 281 in\n{IN}");
    // When the login is announced, it is sent before a demand.
    for (announced, who) in [
        ("S: AUTHINFO USER SASL\nS: SASL PLAIN\n", ""),
        ("S: AUTHINFO SASL USER\nS: SASL PLAIN LOGIN\n", ""),
        ("S: AUTHINFO SASL\nS: SASL DIGEST-MD5\n", WHO),
        ("S: AUTHINFO USER\n", ""),
        ("", WHO),
    ] {
        let names = format!("{who}{names}");
        let end = select_group(announced, &names, Security::Verified, ("ada", "lovelace")).await;
        end.unwrap_or_else(|error| panic!("{announced}: {error:?}"));
    }
    // A refused password is final, and is not sent by another method.
    for refusal in ["481 wrong", "482 wrong", "502 wrong"] {
        let refused = format!(
            "C: AUTHINFO USER ada\nS: 381 more\nC: AUTHINFO PASS lovelace\nS: {refusal}\nsilence"
        );
        let announced = "S: AUTHINFO USER SASL\nS: SASL PLAIN\n";
        let end = select_group(announced, &refused, Security::Verified, ("ada", "lovelace")).await;
        let is_password =
            matches!(&end, Err(NntpError::PasswordRequired(user, Some(_), _)) if user == "ada");
        assert_eq!(is_password, refusal.starts_with("481"), "{end:?}");
        let is_refused = matches!(&end, Err(NntpError::LoginRefused(_)));
        assert_eq!(is_refused, !is_password, "{end:?}");
    }
}

#[tokio::test]
async fn sasl_plain_is_not_sent_unencrypted() {
    let only = "S: AUTHINFO SASL\nS: SASL PLAIN\n";
    let refused = format!("{WHO}C: AUTHINFO USER ada\nS: 483 not here\nsilence");
    let end = select_group(only, &refused, Security::Plain, ("ada", "lovelace")).await;
    assert!(matches!(&end, Err(NntpError::InsecureLogin)), "{end:?}");
    let offered = format!("{only}S: STARTTLS\n");
    let silent = format!("{WHO}silence");
    let end = select_group(&offered, &silent, Security::Plain, ("ada", "lovelace")).await;
    assert!(matches!(&end, Err(NntpError::InsecureLogin)), "{end:?}");
}

#[tokio::test]
async fn failed_sasl_is_a_wrong_password_or_an_error() {
    let only = "S: AUTHINFO SASL\nS: SASL PLAIN\n";
    for (refusal, is_password) in [
        ("481 wrong", true),
        ("482 wrong", false),
        ("502 wrong", false),
        ("400 bye", false),
        ("503 none", false),
        ("383 more", false),
        ("200 what", false),
    ] {
        let script = format!("C: AUTHINFO SASL PLAIN {ADA}\nS: {refusal}\nsilence");
        let end = select_group(only, &script, Security::Verified, ("ada", "lovelace")).await;
        let error = end.expect_err(refusal);
        assert_eq!(
            matches!(&error, NntpError::PasswordRequired(user, Some(_), _) if user == "ada"),
            is_password,
            "{refusal}: {error:?}"
        );
        assert!(!format!("{error:?} {error}").contains("lovelace"));
        assert!(!format!("{error:?} {error}").contains(ADA));
    }
    let silent = format!("{WHO}silence");
    let end = select_group(only, &silent, Security::Verified, ("ada", "")).await;
    assert!(
        matches!(&end, Err(NntpError::PasswordRequired(_, None, _))),
        "{end:?}"
    );
    // A NUL would end the name early.
    for account in [("a\0da", "lovelace"), ("ada", "love\0lace")] {
        let end = select_group(only, "silence", Security::Verified, account).await;
        assert!(
            matches!(&end, Err(NntpError::Net(NetError::Unsendable { .. }))),
            "{end:?}"
        );
    }
}

#[tokio::test]
async fn long_sasl_response_is_sent_after_the_challenge() {
    let only = "S: AUTHINFO SASL\nS: SASL PLAIN\n";
    let long = "x".repeat(600);
    // `\0ada\0` and 600 times `x`: 605 octets, 808 of base64.
    let message = format!("AGFkYQB4{}eHg=", "eHh4".repeat(199));
    let script = format!("C: AUTHINFO SASL PLAIN\nS: 383 =\nC: {message}\nS: 281 in\n{IN}");
    select_group(only, &script, Security::Verified, ("ada", &long))
        .await
        .unwrap();
}
