//! Pages of the smaller protocols on the screen: Gemini, Spartan, Titan, WAIS, and local files.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use geomys_demo::Demo;
use geomys_demo::wais::DATABASE;
use geomys_testing::capsule::Capsule;
use geomys_testing::loading::{show, url};
use geomys_testing::tls::Identity;
use geomys_wire::net::Net;
use rfc1738::Url;

use crate::support::screen::{Browser, Session};

#[tokio::test(flavor = "multi_thread")]
async fn links_open_by_number_and_questions_are_asked() {
    let demo = Demo::start().await.unwrap();
    let session = Session::demo(&demo, 120, 50);
    let here = format!("gemini://{}/", demo.addresses.gemini);
    session.press("o");
    session.type_in(&here);
    session.press("Enter");
    session.wait("The observatory of Underloam").await;
    session.wait("6 ≡ Ask Miss Speck").await;
    session.press("J i");
    session.wait("language of this page").await;
    session.press("Esc");
    session.press("6 Enter");
    session.wait("Which star do you ask about?").await;
    session.type_in("Vega");
    session.press("Enter");
    session.wait("has it in her book").await;
    session.press("h");
    session.wait("The observatory of Underloam").await;
    session.press("7 Enter");
    session.wait("The password of the door").await;
    let shown = || session.screen().matches("lovelace").count();
    let before = shown();
    session.type_in("lovelace");
    assert_eq!(shown(), before, "the answer is not shown");
}

#[tokio::test(flavor = "multi_thread")]
async fn line_of_the_book_is_sent_after_a_question_and_again_after_another() {
    let demo = Demo::start().await.unwrap();
    let session = Session::demo(&demo, 120, 40);
    session.press("o");
    session.type_in(&format!("spartan://{}/", demo.addresses.spartan));
    session.press("Enter");
    session.wait("with a pencil on a string").await;
    session.press("1 Enter");
    session.wait("Or a file").await;
    session.type_in("A mole in a hat");
    session.press("Tab");
    session.press("Tab");
    session.press("Enter");
    session.wait("Send 15 bytes of text to spartan://").await;
    session.press("y");
    session.wait("The desk reads").await;
    session.wait("A mole in a hat").await;
    session.press("r");
    session.wait("Send 15 bytes to spartan://").await;
    session.wait("again?").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn slate_is_written_on_after_a_question() {
    let demo = Demo::start().await.unwrap();
    let session = Session::demo(&demo, 120, 40);
    session.press("o");
    session.type_in(&format!("titan://{}/slate", demo.addresses.gemini));
    session.press("Enter");
    session.wait("Media type").await;
    session.press("Tab Tab Tab Tab Enter");
    session.wait("nothing to send").await;
    session.type_in("A mole in a hat");
    session.press("Tab Tab Tab Tab Enter");
    session.wait("Send 15 bytes of text to titan://").await;
    session.press("n");
    session.wait("Media type").await;
    session.press("Enter");
    session.wait("Send 15 bytes of text to titan://").await;
    session.press("y");
    session.wait("until the next wipe").await;
    session.wait("A mole in a hat").await;
    session.press("r");
    session.wait("Send 15 bytes to titan://").await;
    session.wait("/slate again?").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn edited_source_keeps_the_end_of_its_last_line() {
    let identity = Identity::self_signed("localhost");
    let source = |_: &str| (b"20 text/gemini\r\n# Source\nTwo\n".to_vec(), true);
    let capsule = Capsule::start(&identity, source).await;
    let url = capsule.url("/a;edit").replace("gemini://", "titan://");
    let session = Browser::new().open(url).size((120, 40)).start();
    session.wait("# Source").await;
    session.press("Tab Tab Tab Tab Enter");
    session.wait("Send 13 bytes of text to titan://").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn file_is_uploaded_with_the_media_type_of_its_name() {
    let demo = Demo::start().await.unwrap();
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("hat.txt");
    std::fs::write(&file, "A hat in a file").unwrap();
    let session = Session::demo(&demo, 120, 40);
    session.press("o");
    session.type_in(&format!("titan://{}/slate", demo.addresses.gemini));
    session.press("Enter");
    session.wait("Media type").await;
    session.press("Tab");
    session.type_in(&file.display().to_string());
    session.press("Tab Tab Tab Enter");
    session.wait("Send the file ").await;
    session.press("y");
    session.wait("A hat in a file").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn token_in_a_url_is_shown_and_stored_nowhere() {
    let demo = Demo::start().await.unwrap();
    let session = Session::demo(&demo, 120, 40);
    session.press("o");
    let url = format!(
        "titan://{}/slate;size=3;token=s3cret",
        demo.addresses.gemini
    );
    session.type_in(&url);
    session.press("Enter");
    session.wait("Media type").await;
    assert!(!session.screen().contains("s3cret"), "{}", session.screen());
    session.type_in("xy");
    session.press("Tab Tab Tab Tab Enter");
    session.wait("Send 2 bytes of text to titan://").await;
    assert!(!session.screen().contains("s3cret"), "{}", session.screen());
    session.press("n");
    session.wait("Media type").await;
    let profile = session.terminate().await.profile;
    let stored = walk(profile.path());
    let has =
        |octets: &[u8], words: &str| octets.windows(words.len()).any(|at| at == words.as_bytes());
    assert!(!stored.is_empty());
    assert!(!stored.iter().any(|octets| has(octets, "s3cret")));
}

/// The contents of the files below a directory.
fn walk(directory: &std::path::Path) -> Vec<Vec<u8>> {
    let entries = std::fs::read_dir(directory).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let contents = paths.map(|path| {
        if path.is_dir() {
            walk(&path)
        } else {
            vec![std::fs::read(&path).unwrap()]
        }
    });
    contents.flatten().collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn search_prompt_lists_hits_that_open_by_key() {
    let demo = Demo::start().await.unwrap();
    let address = format!("wais://{}/{DATABASE}", demo.addresses.wais);
    let session = Browser::new().open(address).start();
    session.wait("almanac").await;
    session.type_in("potato soup");
    session.press("Enter");
    session.wait("Potato soup").await;
    session.wait("1/1").await;
    insta::assert_snapshot!("found", session.page());
    session.press("1 Enter");
    session.wait("potato").await;
    session.press("u");
    session.wait("Enter search").await;
}

fn address(path: &Path) -> String {
    let mut url = Url::parse("file:///").unwrap();
    for name in path.strip_prefix("/").unwrap() {
        url = url.child(name.as_bytes(), None).unwrap();
    }
    url.to_string()
}

const MAILBOX: &[u8] = b"From ada Thu Nov 19 10:00:00 2026\nFrom: ada@example.org\nSubject: Tunnels\nMessage-ID: <1@x>\n\
    Date: Thu, 19 Nov 2026 10:00:00 +0000\n\nDig.\n>From below.\n\n\
    From bo Thu Nov 19 11:00:00 2026\nFrom: bo@example.org\nSubject: Re: Tunnels\nMessage-ID: <2@x>\n\
    References: <1@x>\nDate: Thu, 19 Nov 2026 11:00:00 +0000\n\nDeeper.\n";

#[tokio::test(flavor = "multi_thread")]
async fn maildir_opens_as_threads_of_mails() {
    let directory = tempfile::tempdir().unwrap();
    let maildir = directory.path().join("Maildir");
    let mails = [
        (
            "new/1800000000.b.h",
            "From: bo@x\nSubject: Re: Tunnels\nMessage-ID: <2@x>\nReferences: <1@x>\n\nDeeper.\n",
        ),
        (
            "cur/999999999.a.h:2,S",
            "From: ada@x\nSubject: Tunnels\nMessage-ID: <1@x>\n\nDig.\n",
        ),
        ("cur/.hidden", "Subject: none\n\n"),
    ];
    for name in ["cur", "new", "tmp"] {
        fs::create_dir_all(maildir.join(name)).unwrap();
    }
    for (name, mail) in mails {
        fs::write(maildir.join(name), mail).unwrap();
    }
    let session = Browser::new()
        .open(address(&maildir))
        .size((100, 24))
        .start();
    session.wait("Tunnels").await;
    session.wait("/2 ").await;
    session.press("Enter");
    session.wait("Dig.").await;
    session.press("h");
    session.wait("/2 ").await;
    session.press("j Enter");
    session.wait("Deeper.").await;
    session.press("u");
    session.wait("/2 ").await;
    let beyond = url(address(&maildir) + "/3");
    let failure = show(&Net::default(), beyond.to_string()).await.failure();
    assert!(
        failure.sentence.ends_with("Maildir/3"),
        "{}",
        failure.sentence
    );
    // Each of its directories is one as any other.
    let listing = show(&Net::default(), address(&maildir.join("cur")))
        .await
        .whole();
    assert_eq!(listing.document().count(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn mailbox_opens_as_threads_of_messages() {
    let directory = tempfile::tempdir().unwrap();
    let mailbox = directory.path().join("mbox");
    fs::write(&mailbox, MAILBOX).unwrap();
    let session = Browser::new()
        .open(address(&mailbox))
        .size((100, 24))
        .start();
    session.wait("Tunnels").await;
    session.wait("/2 ").await;
    session.press("Enter");
    session.wait("From below.").await;
    session.press("h");
    session.wait("/2 ").await;
    session.press("j Enter");
    session.wait("Deeper.").await;
    // The parent of a message is the mailbox, and above that the directory.
    session.press("u");
    session.wait("/2 ").await;
    session.press("u");
    session.wait("mbox").await;
    let beyond = url(address(&mailbox) + "/3");
    let failure = show(&Net::default(), beyond.to_string()).await.failure();
    assert!(failure.sentence.ends_with("mbox/3"), "{}", failure.sentence);
}
