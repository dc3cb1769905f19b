//! Reading news in whole sessions against the demo: read articles lose their mark, are counted and stored.

mod all_sources;
mod article_choices;
mod binary;
mod folds;
mod form_feed;
mod mark_times;
mod prefetch;
mod read_on;
mod reload;
mod screens;
mod selection;
mod wrapped_links;

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use geomys::config::{self, Environment, UserPaths};
use geomys_demo::Demo;
use geomys_testing::script::{assert_played, listen};

use crate::support::screen::{Browser, Session};

/// A session on a page of the demo's news server, with `read` as its newsrc.
fn session(demo: &Demo, newsrc: &str, page: &str, size: (u16, u16)) -> Session {
    let profile = tempfile::tempdir().unwrap();
    fs::create_dir(profile.path().join("newsrc")).unwrap();
    let news = demo.addresses.news;
    let file = format!("newsrc/{}_{}", news.ip(), news.port());
    fs::write(profile.path().join(file), newsrc).unwrap();
    let browser = Browser::in_profile(profile).size(size);
    match page {
        "*" => browser.news(news).open("news:*").start(),
        _ => browser.open(format!("nntp://{news}/{page}")).start(),
    }
}

/// Waits until this line of the screen, from 0, contains `text`: a list is sorted in the background.
async fn wait_for_row(session: &Session, row: usize, text: &str) {
    // Above the first row are the address and the heads of the columns.
    let line = row + 1;
    let is_there = |screen: &str| {
        screen
            .lines()
            .nth(line)
            .is_some_and(|row| row.contains(text))
    };
    session.wait_until(text, is_there).await;
}

fn newsrc(demo: &Demo, session: &Session) -> PathBuf {
    let news = demo.addresses.news;
    session
        .path()
        .join(format!("newsrc/{}_{}", news.ip(), news.port()))
}

/// Terminates the session, and returns the newsrc file.
async fn ended(demo: &Demo, session: Session) -> String {
    let path = newsrc(demo, &session);
    // The session removes its profile, and this file is read after that.
    let profile = session.terminate().await.profile;
    let written = fs::read_to_string(path).unwrap();
    drop(profile);
    written
}

const MENUS: &str = "underloam.infosystems.gopher";

#[tokio::test(flavor = "multi_thread")]
async fn article_is_bookmarked_by_its_message_id() {
    let demo = Demo::start().await.unwrap();
    let session = session(&demo, "", "underloam.talk.weather/27", (80, 24));
    session.wait("<wx-9@underloam").await;
    session.press("a");
    session.wait("New bookmark").await;
    session.press("Enter");
    session.wait("(z undo)").await;
    let written = session.bookmarks();
    let url = "<URL:news:wx-9@underloam.example>";
    assert!(written.contains(url), "{written}");
}

#[tokio::test(flavor = "multi_thread")]
async fn threads_show_read_and_unread_articles() {
    let demo = Demo::start().await.unwrap();
    let read = format!("{MENUS}: 1-405,411-416\n");
    let session = session(&demo, &read, MENUS, (80, 24));
    session.wait("9 of 19 unread").await;
    insta::assert_snapshot!("unread", session.page());
    session.press("(");
    session.press("j (");
    session.wait("of 2 unread").await;
    session.press("G (");
    session.wait("of 5 unread").await;
    insta::assert_snapshot!("folded", session.page());
    session.run_command("fold-threads").await;
    session.wait("4 of 4 unread").await;
    session.press(", u");
    session.wait("Only unread").await;
    session.run_command("fold-threads").await;
    session.press("j");
    session.wait("9/9 100%   9 of 19 unread").await;
    insta::assert_snapshot!("only-unread", session.page());
}

#[tokio::test(flavor = "multi_thread")]
async fn next_unread_continues_into_the_next_group() {
    let demo = Demo::start().await.unwrap();
    let read = "geomys.demo.announce: 1-9\nunderloam.talk.weather: 1-26\ngeomys.demo.empty! \n";
    let session = session(&demo, read, "geomys.demo.announce", (80, 24));
    session.wait("2 of 10 unread").await;
    session.press(".");
    session.wait("Message-ID:  <announce-9@").await;
    session.press(".");
    session.wait("Message-ID:  <announce-10@").await;
    // Back opens the group.
    session.press("h");
    session.wait("all 10 read").await;
    session.press(".");
    session.wait("▌● Brünhilde").await;
    session.press(".");
    session.wait("Newsgroups:  underloam.talk.weather").await;
    session.press(".");
    session.wait("No unread articles").await;
    let written = ended(&demo, session).await;
    assert_eq!(
        written,
        "geomys.demo.announce: 1-11\nunderloam.talk.weather: 1-27\ngeomys.demo.empty! \n"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn group_list_counts_unread_articles() {
    let demo = Demo::start().await.unwrap();
    let read = format!("underloam.talk.weather: 1-20\n{MENUS}! 1-410\ngeomys.demo.empty: 1-3\n");
    let session = session(&demo, &read, "*", (80, 24));
    session.wait(" unread").await;
    session.settle().await;
    insta::assert_snapshot!("groups-unread", session.page());
    // A newly subscribed group is appended to the newsrc.
    session.press("G *");
    session.wait("Subscribed to geomys.demo.big").await;
    wait_for_row(&session, 3, "geomys.demo.big").await;
    session.press("k k *");
    session.wait("Unsubscribed").await;
    let written = ended(&demo, session).await;
    assert!(written.ends_with("geomys.demo.big: \n") || written.ends_with("geomys.demo.big:\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn subscribed_group_moves_to_the_top_at_once() {
    let demo = Demo::start().await.unwrap();
    let session = session(&demo, "underloam.talk.weather: 1-20\n", "*", (80, 24));
    // The groups are sorted when all of them have arrived.
    wait_for_row(&session, 1, "underloam.talk.weather").await;
    session.settle().await;
    session.press("j j *");
    session.wait("Subscribed to").await;
    wait_for_row(&session, 2, "underloam.infosystems.gopher").await;
    session.settle().await;
    // The cursor moves with the group.
    session
        .wait_until("the cursor on the group", |screen| {
            let cursor = screen.lines().find(|line| line.starts_with('▌'));
            cursor.is_some_and(|line| line.contains("underloam.infosystems.gopher"))
        })
        .await;
    insta::assert_snapshot!("groups-subscribed", session.page());
    session.press("*");
    session.wait("Unsubscribed from").await;
    // The filter takes patterns, and unsubscribed groups stay so.
    session.press("&");
    session.type_in("underloam.*,!*.talk.*");
    session.press("Enter");
    session
        .wait("1/1 100%   filter: underloam.*,!*.talk.*")
        .await;
    insta::assert_snapshot!("groups-pattern", session.page());
}

#[tokio::test(flavor = "multi_thread")]
async fn members_group_opens_with_netrc_login() {
    let demo = Demo::start().await.unwrap();
    let profile = tempfile::tempdir().unwrap();
    let netrc = profile.path().join(".netrc");
    // The `default` entry of netrc is not used for news servers.
    let entries =
        "machine 127.0.0.1 login ada password lovelace\ndefault login anonymous password x@\n";
    fs::write(&netrc, entries).unwrap();
    fs::set_permissions(&netrc, Permissions::from_mode(0o600)).unwrap();
    let session = Browser::in_profile(profile)
        .open(format!("nntp://{}/geomys.demo.attic", demo.addresses.news))
        .size((90, 24))
        .start();
    session.wait("2 of 2 unread").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn catch_up_asks_before_marking_group_read() {
    let demo = Demo::start().await.unwrap();
    let session = session(&demo, "", "geomys.demo.announce", (80, 24));
    session.wait("10 of 10 unread").await;
    session.press("C");
    session.wait("Mark all articles").await;
    insta::assert_snapshot!("catch-up", session.dialog());
    session.press("n");
    session.wait("10 of 10 unread").await;
    session.press("C y");
    session
        .wait("All articles of geomys.demo.announce marked read")
        .await;
    session.press("m");
    session.wait("marked unread").await;
    let written = ended(&demo, session).await;
    assert_eq!(written, "geomys.demo.announce! 1-10\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn catch_up_is_undone_and_redone() {
    let demo = Demo::start().await.unwrap();
    let session = session(&demo, "", "geomys.demo.announce", (80, 24));
    session.wait("10 of 10 unread").await;
    session.press("C y");
    session.wait_until_absent("● Bursarius").await;
    session.press("z");
    session
        .wait("Undone: all articles of geomys.demo.announce marked read")
        .await;
    session.wait("● Bursarius").await;
    session.press("Z");
    session.wait("Redone: all articles").await;
    session.wait_until_absent("● Bursarius").await;
    session.press("z");
    session.wait("● Bursarius").await;
    let written = ended(&demo, session).await;
    assert!(!written.contains('1'), "{written}");
}

#[tokio::test(flavor = "multi_thread")]
async fn rule_hides_a_whole_thread() {
    let demo = Demo::start().await.unwrap();
    let session = session(&demo, "", MENUS, (80, 24));
    session.wait("19 of 19 unread").await;
    session.press("j j j Ctrl-K");
    session.wait("hide the thread").await;
    session.press("t");
    session.wait("Apply the rule to").await;
    session.press("g");
    session.wait("score.txt").await;
    session.wait_until_absent("a million doors").await;
    session.wait("Attributes").await;
    let rules = fs::read_to_string(session.path().join("score.txt")).unwrap();
    assert!(rules.contains("-9999 References: <"), "{rules}");
    assert!(rules.contains("-9999 Message-ID: <"), "{rules}");
}

#[tokio::test(flavor = "multi_thread")]
async fn catch_up_of_article_range_marks_that_range_only() {
    let demo = Demo::start().await.unwrap();
    let session = session(&demo, "", "geomys.demo.announce/3-5", (80, 24));
    session.wait("2 of 2 unread").await;
    session.press("C");
    session
        .wait("Mark articles 3 to 5 of geomys.demo.announce read?")
        .await;
    session.press("y");
    session
        .wait("Articles 3 to 5 of geomys.demo.announce marked read")
        .await;
    // The group itself is searched, as this page is only a part of it.
    session.press("o");
    session.type_in(&format!(
        "nntp://{}/geomys.demo.announce",
        demo.addresses.news
    ));
    session.press("Enter");
    session.wait("8 of 10 unread").await;
    session.press("h C");
    session.wait("Mark articles 3 to 5").await;
    session.press("n ] C");
    session.wait("Mark all articles").await;
    session.press("n");
    let written = ended(&demo, session).await;
    assert_eq!(written, "geomys.demo.announce! 3-5\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn next_group_is_searched_beside_an_open_article_range() {
    let demo = Demo::start().await.unwrap();
    let read = "geomys.demo.announce: 3-5\nunderloam.talk.weather: 1-27\n";
    let session = session(&demo, read, "geomys.demo.announce/3-5", (80, 24));
    session.wait("all 2 read").await;
    session.press("o");
    session.type_in(&format!(
        "nntp://{}/underloam.talk.weather",
        demo.addresses.news
    ));
    session.press("Enter");
    session.wait("all 10 read").await;
    session.press(".");
    session.wait("Next group: geomys.demo.announce").await;
    session.wait("Welcome to the news").await;
    assert!(session.screen().contains("▌●"), "{}", session.screen());
}

#[tokio::test(flavor = "multi_thread")]
async fn crossposted_article_is_marked_read_in_both_groups() {
    let demo = Demo::start().await.unwrap();
    let session = session(&demo, "", "geomys.demo.announce", (80, 24));
    session.wait("10 of 10 unread").await;
    session.press("/");
    session.type_in("library has");
    session.press("Enter");
    session.wait("▌● Botta").await;
    session.press("Esc Enter");
    session.wait("Message-ID:").await;
    session.press("h o");
    session.type_in(&format!("nntp://{}/{MENUS}", demo.addresses.news));
    session.press("Enter");
    session.wait("18 of 19 unread").await;
    // Quitting writes all marks at once.
    let written = ended(&demo, session).await;
    let groups: Vec<&str> = written.lines().collect();
    assert_eq!(groups.len(), 2, "{written}");
}

#[tokio::test(flavor = "multi_thread")]
async fn renumbered_group_is_noticed_beside_an_older_page() {
    let over = |high: u64, early: &str| {
        format!(
            "C: GROUP a.b\nS: 211 1 {high} {high} a.b\n{early}C: OVER {high}-{high}\nS: 224 x\n\
             S: {high}\tArticle {high}\tada@x\t\t<{high}@x>\t\t1\t1\nS: .\n"
        )
    };
    let script = format!(
        "S: 200 hi\nC: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: OVER\nS: .\n{}{}silence",
        over(500, ""),
        // What the older page lacks is asked for with the group, before its numbers are known.
        over(7, "C: OVER 401-499\nS: 423 none\n")
    );
    let (address, playing) = listen(&[&script]).await;
    let profile = tempfile::tempdir().unwrap();
    fs::create_dir(profile.path().join("newsrc")).unwrap();
    let file = format!("newsrc/{}_{}", address.ip(), address.port());
    fs::write(profile.path().join(file), "a.b: 1-499\n").unwrap();
    let group = format!("nntp://{address}/a.b");
    let session = Browser::in_profile(profile)
        .open_all(std::slice::from_ref(&group))
        .size((100, 24))
        .start();
    session.wait("Article 500").await;
    session.wait("1 of 1 unread").await;
    // The older page stays in the history of the tab.
    session.press("o");
    session.type_in(&group);
    session.press("Enter");
    session
        .wait("a.b ends at 7, but is marked read to 499")
        .await;
    session.wait("Article 7").await;
    drop(session);
    assert_played(playing).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn slightly_lower_numbers_and_missing_articles_keep_read_marks() {
    // The newest article was cancelled, and the number that the last address names no article ever had.
    let group = "C: GROUP a.b\nS: 211 999 1 999 a.b\n";
    let over = "C: OVER 900-999\nS: 224 x\nS: 999\tThe last\tada@x\t\t<999@x>\t\t1\t1\nS: .\n\
         C: OVER 700-899\nS: 423 none\nC: OVER 300-699\nS: 423 none\nC: OVER 1-299\nS: 423 none\n";
    let asked = "C: ARTICLE 99999999\nS: 423 none\n";
    let missing = format!("{asked}{group}{asked}");
    let script = format!(
        "S: 200 hi\nC: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: OVER\nS: .\n{group}{over}{missing}silence"
    );
    let (address, playing) = listen(&[&script]).await;
    let profile = tempfile::tempdir().unwrap();
    fs::create_dir(profile.path().join("newsrc")).unwrap();
    let file = format!("newsrc/{}_{}", address.ip(), address.port());
    let newsrc = profile.path().join(file);
    fs::write(&newsrc, "a.b: 1-1000\n").unwrap();
    let session = Browser::in_profile(profile)
        .open(format!("nntp://{address}/a.b"))
        .size((100, 24))
        .start();
    session.wait("all 1 read").await;
    session.press("o");
    session.type_in(&format!("nntp://{address}/a.b/99999999"));
    session.press("Enter");
    session.wait("423").await;
    session.press("q");
    let _profile = session.end().await.profile;
    assert_eq!(fs::read_to_string(newsrc).unwrap(), "a.b: 1-1000\n");
    assert_played(playing).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn stopped_group_load_does_not_count_as_complete() {
    let group = |name: &str| format!("C: GROUP {name}\nS: 211 900 1 900 {name}\n");
    let line =
        |number: u64| format!("S: {number}\tArticle {number}\tada@x\t\t<{number}@x>\t\t1\t1\n");
    let cut = format!(
        "S: 200 hi\nC: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: OVER\nS: .\n{}C: OVER 801-900\nS: 224 x\n{}S: .\n\
         C: OVER 601-800\nS: 224 x\n{}silence",
        group("a.b"),
        line(900),
        line(700)
    );
    let other = format!(
        "S: 200 hi\nC: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: OVER\nS: .\n{}C: OVER 800-899\nS: 423 none\n\
         C: OVER 600-799\nS: 423 none\nC: OVER 200-599\nS: 423 none\nC: OVER 1-199\nS: 423 none\n\
         C: OVER 900-900\nS: 224 x\n{}S: .\nC: LIST ACTIVE a.b,c.d\nS: 215 x\nS: a.b 900 1 y\nS: c.d 900 1 y\nS: .\n\
         C: GROUP a.b\nS: 211 900 1 900 a.b\nC: OVER 701-800\nS: 224 x\n{}silence",
        group("c.d"),
        line(900),
        line(750)
    );
    let (address, playing) = listen(&[&cut, &other]).await;
    let profile = tempfile::tempdir().unwrap();
    fs::create_dir(profile.path().join("newsrc")).unwrap();
    let file = format!("newsrc/{}_{}", address.ip(), address.port());
    fs::write(profile.path().join(file), "a.b: 1\nc.d: 900\n").unwrap();
    let session = Browser::in_profile(profile)
        .open(format!("nntp://{address}/a.b"))
        .size((100, 24))
        .start();
    // The first part of the overview is complete, and the second one is not.
    let arrives = |screen: &str| screen.contains("Article 700");
    session.wait_until("Article 700", arrives).await;
    session.press("Esc");
    session.wait("Stopped").await;
    // What came is cached, and not requested again.
    let cache = session.path().join("cache");
    let is_cached = |_: &str| {
        let names = fs::read_dir(&cache).into_iter().flatten().flatten();
        let mut names = names.map(|file| file.file_name());
        // A file that is being written has another name.
        names.any(|name| !name.to_string_lossy().starts_with("new-"))
    };
    session.wait_until("the cached part", is_cached).await;
    session.press("o");
    session.type_in(&format!("nntp://{address}/c.d"));
    session.press("Enter");
    session.wait("c.d").await;
    session.wait("all 1 read").await;
    session.press("g n");
    let goes_on = |screen: &str| screen.contains("Next group: a.b");
    session.wait_until("the next group", goes_on).await;
    let arrives = |screen: &str| screen.contains("Article 750");
    session.wait_until("Article 750", arrives).await;
    session.press("Esc");
    session.wait("Stopped").await;
    drop(session);
    assert_played(playing).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelled_unread_search_does_not_open_an_article_later() {
    let demo = Demo::start().await.unwrap();
    let read = "geomys.demo.announce: 1-11\nunderloam.talk.weather: 1-20\n";
    let session = session(&demo, read, "geomys.demo.announce", (80, 24));
    session.wait("all 10 read").await;
    // The search is cancelled before its result.
    session.press("g n Esc");
    session.settle().await;
    session.press("o");
    session.type_in(&format!(
        "nntp://{}/underloam.talk.weather",
        demo.addresses.news
    ));
    session.press("Enter");
    session.wait("of 10 unread").await;
    session.settle().await;
    let screen = session.screen();
    assert!(screen.contains("▌●") || screen.contains("▌·"), "{screen}");
    assert!(
        session.screen().lines().nth(2).unwrap().starts_with('▌'),
        "{screen}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn article_above_announced_numbers_is_no_renumbering() {
    let group = |name: &str, high: u64| {
        format!(
            "C: GROUP {name}\nS: 211 1 {high} {high} {name}\nC: OVER {high}-{high}\nS: 224 x\n\
             S: {high}\tArticle {high}\tada@x\t\t<{high}@x>\t\t1\t1\nS: .\n"
        )
    };
    // The article is in the first group too, by a number that came after its page.
    let article = "C: GROUP c.d\nS: 211 1 1 1 c.d\nC: ARTICLE 1\nS: 220 1 <1@x>\nS: Message-ID: <1@x>\nS: Xref: h c.d:1 a.b:501\nS: \n\
        S: Both.\nS: .\n";
    let script = format!(
        "S: 200 hi\nC: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: OVER\nS: .\n{}{article}{}silence",
        group("a.b", 500),
        group("c.d", 1)
    );
    let (address, playing) = listen(&[&script]).await;
    let profile = tempfile::tempdir().unwrap();
    fs::create_dir(profile.path().join("newsrc")).unwrap();
    let file = format!("newsrc/{}_{}", address.ip(), address.port());
    fs::write(profile.path().join(file), "a.b: 1-499\n").unwrap();
    let session = Browser::in_profile(profile)
        .open(format!("nntp://{address}/a.b"))
        .size((100, 24))
        .start();
    session.wait("1 of 1 unread").await;
    for (url_path, expected) in [("c.d/1", "Both."), ("c.d", "Article 1")] {
        session.press("o");
        session.type_in(&format!("nntp://{address}/{url_path}"));
        session.press("Enter");
        session.wait(expected).await;
    }
    assert!(
        !session.screen().contains("ends at"),
        "{}",
        session.screen()
    );
    drop(session);
    assert_played(playing).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn score_rule_hides_articles_and_key_shows_them() {
    let demo = Demo::start().await.unwrap();
    let session = session(&demo, "", MENUS, (80, 24));
    session.wait("19 of 19 unread").await;
    session.press("Ctrl-K");
    session.wait("New rule for").await;
    insta::assert_snapshot!("rule", session.dialog());
    session.press("a");
    session.wait("Apply the rule to").await;
    insta::assert_snapshot!("rule-scope", session.dialog());
    session.press("g");
    session.wait("score.txt").await;
    session.wait_until_absent("Lost Visitor").await;
    session.press(", h");
    session.wait("× Lost Visitor").await;
    session.press("j");
    session.wait("18 of 18 unread").await;
    let rules = fs::read_to_string(session.path().join("score.txt")).unwrap();
    assert_eq!(
        rules,
        format!("[{MENUS}]\n-9999 From: Lost Visitor <lost@nowhere.example>\n")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn parent_and_reply_keys_follow_the_thread() {
    let demo = Demo::start().await.unwrap();
    let session = session(&demo, "", MENUS, (80, 24));
    session.wait("19 of 19 unread").await;
    session.press("G Enter");
    session.wait("Message-ID:  <gph-").await;
    session.press("^");
    session.wait("Message-ID:  <gph-2@").await;
    session.press("^");
    session.wait("Message-ID:  <gph-1@").await;
    session.press("^");
    session.wait("is not a reply").await;
    session.press("g a");
    session.wait("Message-ID:  <gph-2@").await;
    session.press("Y");
    session.wait("Copied").await;
    let copied = session.copied.lock().unwrap().join(" ");
    assert_eq!(copied, "news:gph-2@underloam.example");
    session.press("g t");
    session.wait("▌· Botta").await;
    session.press("g r");
    session.wait("▌· Marl").await;
    session.press("M");
    session.wait("Thread marked read").await;
    session.press("M");
    session.wait("Thread marked unread").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn newsrc_of_another_reader_is_shared() {
    let demo = Demo::start().await.unwrap();
    let profile = tempfile::tempdir().unwrap();
    let news = demo.addresses.news;
    let settings = format!("news-server = \"{news}\"\n[news]\nnewsrc = \"~/.newsrc\"\n");
    fs::write(profile.path().join("settings.toml"), settings).unwrap();
    let path = profile.path().join(".newsrc");
    let before = format!("options -q\n{MENUS}: 1-419\nalt.else! 7\n");
    fs::write(&path, &before).unwrap();
    let session = Browser::in_profile(profile)
        .news(news)
        .open(format!("news:{MENUS}"))
        .size((160, 24))
        .start();
    session.wait("1 of 19 unread").await;
    // Changes that tin writes meanwhile stay in the file.
    fs::write(&path, format!("{before}alt.tin: 1-5\n")).unwrap();
    // In a new pane it is read, too.
    session.press("s");
    session.wait("Message-ID:").await;
    session.press("Shift-Tab");
    session.wait("all 19 read").await;
    let profile = session.terminate().await.profile;
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        format!("options -q\n{MENUS}: 1-420\nalt.else! 7\nalt.tin: 1-5\n")
    );
    assert!(!profile.path().join("newsrc").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn next_unread_in_group_list_opens_first_unread_group() {
    let demo = Demo::start().await.unwrap();
    let read = format!("geomys.demo.announce: 1-11\ngeomys.demo.empty:\n{MENUS}: 1-418\n");
    let session = session(&demo, &read, "*", (80, 24));
    session.wait("2 of 19 unread").await;
    session.press(".");
    session.wait("▌● Søren").await;
    session.press("C y");
    session.wait("marked read").await;
    session.press("g n");
    session.wait("No unread articles").await;
    // Back: the list has the new count.
    session.press("h");
    session.wait_until_absent("2 of 19 unread").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn missing_article_does_not_stop_next_unread() {
    let demo = Demo::start().await.unwrap();
    let read = "geomys.demo.announce: 1-3,5-10\n";
    let session = session(&demo, read, "geomys.demo.announce", (80, 24));
    session.wait("1 of 10 unread").await;
    session.press("o");
    session.type_in(&format!(
        "nntp://{}/geomys.demo.announce/4",
        demo.addresses.news
    ));
    session.press("Enter");
    session.wait("No article").await;
    session.press(".");
    session.wait("Message-ID:  <announce-10@").await;
    assert_eq!(ended(&demo, session).await, "geomys.demo.announce: 1-11\n");
}

#[test]
fn malformed_score_line_is_a_reported_mistake() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(
        directory.path().join("score.txt"),
        "+10 From: ada\n-x Subject: y\n",
    )
    .unwrap();
    let places = UserPaths::new(Some(directory.path().to_owned())).unwrap();
    let read = config::read(&places, &Environment::default());
    let mistakes: Vec<String> = read.errors.iter().map(ToString::to_string).collect();
    let path = directory.path().join("score.txt");
    assert_eq!(
        mistakes,
        [format!(
            "{}:2:2: “x” is not a score; expected a number",
            path.display()
        )]
    );
    assert!(!read.settings.rules.is_empty_for(b"a.b"));
}
