//! mailto: URLs: the draft of a letter, and its transfer to the mail command.

use geomys_load::{Purpose, Reason, Request};
use geomys_testing::loading::{carry_out, show};
use geomys_wire::net::Net;
use proptest::prelude::*;
use rfc1738::{Dialect, MailtoMessage, Parts};
use tempfile::TempDir;

use crate::support::screen::{Browser, EDITOR, Session};

fn letter(address: &str) -> MailtoMessage {
    let url = Dialect::Extended.parse(address).unwrap();
    match url.base_parts() {
        Parts::Mailto(mailto) => mailto.letter(),
        other => panic!("{other:?}"),
    }
}

fn fields(address: &str) -> String {
    let letter = letter(address);
    let headers = letter.headers.iter();
    let headers = headers.map(|(name, value)| format!("{name}={};", value.escape_ascii()));
    let left_out = letter.left_out.iter();
    let left_out = left_out.map(|name| format!("-{};", name.escape_ascii()));
    let fields: Vec<String> = headers.chain(left_out).collect();
    fields.concat() + &letter.body.escape_ascii().to_string()
}

#[test]
fn mailto_url_sets_headers_and_body() {
    for (address, expected) in [
        ("mailto:a@b.example", "To=a@b.example;"),
        ("mailto:a%40c@b.example", "To=a@c@b.example;"),
        ("mailto:a@b,c@d", "To=a@b,c@d;"),
        (
            "mailto:a@b?subject=Two%20words&body=One%0D%0Atwo",
            "To=a@b;Subject=Two words;One\\r\\ntwo",
        ),
        ("mailto:?to=a@b&to=c@d&CC=e@f", "To=a@b, c@d;Cc=e@f;"),
        (
            "mailto:a@b?bcc=spy@x&from=boss@x&attach=/etc/passwd",
            "To=a@b;-bcc;-from;-attach;",
        ),
        (
            "mailto:a@b?subject=x%0D%0ABcc:%20spy@x",
            "To=a@b;Subject=x  Bcc: spy@x;",
        ),
        (
            "mailto:a@b?in-reply-to=%3C1@x%3E&keywords=k",
            "To=a@b;In-Reply-To=<1@x>;Keywords=k;",
        ),
        ("mailto:a@b?body=a&body=b&subject", "To=a@b;ab"),
        ("mailto:a@b?subject=1+1", "To=a@b;Subject=1+1;"),
    ] {
        assert_eq!(fields(address), expected, "{address}");
    }
}

proptest! {
    #[test]
    fn header_values_hold_no_line_break(fields in "([a-z]{1,7}=(%0[AaDd0]|[a-zA-Z@.:]){0,20}&){0,4}") {
        let letter = letter(&format!("mailto:a@b?{fields}"));
        for (_, value) in letter.headers {
            prop_assert!(!value.iter().any(|octet| *octet < b' '), "{value:?}");
        }
    }
}

#[tokio::test]
async fn mailto_url_loads_as_text_for_scripts() {
    let address = "mailto:a@b?subject=Hi&body=One%0D%0ATwo&bcc=c@d";
    let shown = show(&Net::default(), "mailto:a@b").await.whole();
    assert_eq!(shown.octets, b"To: a@b\n\n");
    let url = Dialect::Extended.parse(address).unwrap();
    let request = Request {
        purpose: Purpose::Save,
        ..Request::show(url, Reason::Typed)
    };
    let saved = carry_out(&Net::default(), request).await.whole();
    assert_eq!(
        String::from_utf8(saved.octets).unwrap(),
        "To: a@b\nSubject: Hi\n(bcc is left out: no address may set it)\n\nOne\r\nTwo"
    );
}

/// A session on an address, with a mail command that stores its input.
fn session(address: &str, is_set: bool) -> Session {
    let profile = tempfile::tempdir().unwrap();
    let mailed = profile.path().join("mailed");
    write(
        &profile,
        "mail.sh",
        &format!("cat > {}\n", mailed.display()),
    );
    let command = profile.path().join("mail.sh");
    let command = if is_set {
        format!("[\"sh\", \"{}\"]", command.display())
    } else {
        "[]".to_owned()
    };
    let settings = format!("[mail]\ncommand = {command}\n[open]\nother = [\"see\", \"{{url}}\"]\n");
    write(&profile, "settings.toml", &settings);
    write(&profile, EDITOR, "echo 'Come and see.' >> \"$1\"\n");
    Browser::in_profile(profile).open(address).start()
}

fn write(profile: &TempDir, name: &str, text: &str) {
    std::fs::write(profile.path().join(name), text).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn letter_is_edited_confirmed_and_mailed() {
    let address = "mailto:bo@example.org?subject=The%20tunnel&bcc=spy@example.org";
    let session = session(address, true);
    session.wait("Send this mail?").await;
    let screen = session.screen();
    for text in [
        "To: bo@example.org",
        "Subject: The tunnel",
        "Come and see.",
        "a URL may not set it): bcc",
    ] {
        assert!(screen.contains(text), "{text}: {screen}");
    }
    session.choose("Mail it").await;
    session.wait("Mail accepted by sh").await;
    let mailed = std::fs::read_to_string(session.path().join("mailed")).unwrap();
    assert!(mailed.contains("To: bo@example.org"), "{mailed}");
    assert!(
        mailed.ends_with("Come and see.\n") && !mailed.contains("spy"),
        "{mailed}"
    );
    assert!(!mailed.contains("From:"), "{mailed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_mail_command_the_url_program_is_offered() {
    let session = session("mailto:bo@example.org?body=One%0D%0ATwo", false);
    session
        .wait("see mailto:bo@example.org?body=One%0D%0ATwo")
        .await;
    session.choose("No").await;
    session.wait("Start here").await;
    assert!(session.ran.lock().unwrap().is_empty());
}
