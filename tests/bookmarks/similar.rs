//! Bookmarks that are perhaps of one page: listed, and merged one after the other.

use super::command::Profile;
use crate::support::screen::Browser;
use crate::support::terminal::Terminal;

const LIST: &str = "\
One <URL:http://h.example/a> #x
Two <URL:https://www.h.example/a/> #y
Three <URL:gopher://i.example/>
Four <URL:http://j.example/?b&a>
Five <URL:http://j.example/?a&b>
";

#[test]
fn similar_bookmarks_are_merged_after_a_question_each() {
    let profile = Profile::new(LIST);
    let (_, lines, _) = profile.run(&["list", "is:similar"]);
    assert_eq!(lines.lines().count(), 4);
    let (status, out, _) = profile.run(&["merge", "--similar", "--dry-run"]);
    assert_eq!((status, out.lines().count()), (0, 2), "{out}");
    let (status, _, said) = profile.run(&["merge", "--similar"]);
    assert_eq!(status, 1);
    assert!(said.contains("--similar asks on a terminal"), "{said}");
    assert_eq!(profile.file(), LIST);
    let mut terminal = Terminal::run(profile.directory(), &["bookmarks", "merge", "--similar"]);
    terminal.wait("Merge these bookmarks into the first? y or n:");
    terminal.press("n\r");
    // A key typed before its question is no answer to it.
    terminal.wait_until("the second question", |screen| {
        let questions = screen.contents();
        questions.matches("y or n:").count() == 2
    });
    terminal.press("y\r");
    terminal.end(0);
    assert_eq!(
        profile.file(),
        LIST.replace("Five <URL:http://j.example/?a&b>\n", "")
    );
    let (_, out, _) = profile.run(&["list", "--json", "Four"]);
    assert!(
        out.contains("\"was\":[{\"url\":\"http://j.example/?a&b\",\"until\":\"20"),
        "{out}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn merging_offers_similar_bookmarks_where_there_are_no_copies() {
    let session = Browser::new().bookmarks(LIST).start();
    session.wait("geomys:home").await;
    session.press("B");
    session.wait("Five").await;
    session.press("V g M");
    session.wait("Perhaps one page").await;
    session.press("m");
    session.wait("http://j.example/?a&b").await;
    session.press("k");
    session.wait("similar bookmark merged").await;
    session
        .wait_until("the merged file", |_| {
            session.bookmarks()
                == LIST
                    .replace("#x", "#x #y")
                    .replace("Two <URL:https://www.h.example/a/> #y\n", "")
        })
        .await;
}
