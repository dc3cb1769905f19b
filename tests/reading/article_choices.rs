//! What is chosen or copied for one article: its charset, its own URL.

use geomys_testing::news::NewsServer;

use super::read_on::session;

/// An article that names Latin-1 as its charset, and is written in KOI8-R.
fn misdeclared(number: usize) -> String {
    format!(
        "From: Ada <ada@x>\nNewsgroups: a.b\nSubject: word {number}\n\
         Date: Thu, 19 Nov 2026 12:0{number}:00 +0000\nMessage-ID: <{number}@x>\n\
         Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\n\
         word =CD=C9=D2 {number}\n"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn charset_is_chosen_for_one_article_only() {
    let server = NewsServer::start(vec![("a.b", vec![misdeclared(1), misdeclared(2)])]).await;
    let session = session(&server, &["a.b"], (80, 24));
    session.wait("2 of 2 unread").await;
    session.press("g g Enter");
    session.wait("word ÍÉÒ 2").await;
    session.press("e");
    session
        .wait("Charset of this article, overriding its header:")
        .await;
    session.press("k");
    session.wait("word мир 2").await;
    session.wait("Read as KOI8-R, this article only").await;
    session.press(".");
    session.wait("word ÍÉÒ 1").await;
    // The choice stays with the article.
    session.press("u");
    session.wait("all 2 read").await;
    session.press("g g Enter");
    session.wait("word мир 2").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn news_url_of_an_article_is_copied() {
    let server = NewsServer::start(vec![("a.b", vec![misdeclared(1)])]).await;
    let session = session(&server, &["a.b"], (80, 24));
    session.wait("1 of 1 unread").await;
    session.press("Enter");
    session.wait("word ÍÉÒ 1").await;
    session.press("Y");
    session.wait("Copied news:1@x").await;
    assert_eq!(*session.copied.lock().unwrap(), ["news:1@x"]);
}
