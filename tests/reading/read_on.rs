//! Reading on by one key: the next screen of an article, the next unread article, the next group.

use geomys_testing::news::NewsServer;

use crate::support::screen::{Browser, Session};

/// A session on the first group of a server, with all its groups subscribed.
pub(super) fn session(server: &NewsServer, groups: &[&str], size: (u16, u16)) -> Session {
    let profile = tempfile::tempdir().unwrap();
    std::fs::create_dir(profile.path().join("newsrc")).unwrap();
    let address = server.address;
    let file = format!("newsrc/{}_{}", address.ip(), address.port());
    let newsrc = groups
        .iter()
        .map(|group| format!("{group}:\n"))
        .collect::<Vec<_>>()
        .concat();
    std::fs::write(profile.path().join(file), newsrc).unwrap();
    let first = format!("nntp://{address}/{}", groups[0]);
    Browser::in_profile(profile).open(first).size(size).start()
}

/// An article of a group with this many lines of text.
pub(super) fn article(group: &str, number: usize, lines: usize) -> String {
    let text = (1..=lines)
        .map(|line| format!("Line {line}.\n"))
        .collect::<Vec<_>>()
        .concat();
    format!(
        "From: Ada <ada@example.org>\nNewsgroups: {group}\nSubject: {group} {number}\n\
         Date: Thu, 19 Nov 2026 12:{number:02}:00 +0000\nMessage-ID: <{number}.{group}@x>\n\n{text}"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn space_reads_all_unread_articles_of_three_groups() {
    let names = ["a.first", "a.second", "a.third"];
    let counts = [30, 20, 7];
    let groups = names.iter().zip(counts).map(|(name, count)| {
        // Every fifth article has two screens.
        let lines = |number: usize| if number.is_multiple_of(5) { 30 } else { 9 };
        let articles = (1..=count).map(|number| article(name, number, lines(number)));
        (*name, articles.collect())
    });
    let server = NewsServer::start(groups.collect()).await;
    let session = session(&server, &names, (80, 24));
    session.wait("30 of 30 unread").await;
    let mut keys = 1;
    session.press(".");
    let mut read = std::collections::BTreeSet::new();
    let end = "No unread articles";
    while read.len() < 57 {
        let is_new = |screen: &str| {
            let id = screen.split("Message-ID:").nth(1);
            let id = id.and_then(|rest| rest.split_whitespace().next());
            id.is_some_and(|id| !read.contains(id))
                .then(|| id.unwrap().to_owned())
        };
        session
            .wait_until("an article", |screen| is_new(screen).is_some())
            .await;
        session.wait("Line 1.").await;
        read.insert(is_new(&session.screen()).unwrap());
        while !session.screen().contains("Line 9.\n\n") && !session.screen().contains("Line 30.") {
            session.press("Space");
            keys += 1;
            session.settle().await;
        }
        session.press("Space");
        keys += 1;
    }
    session.wait(end).await;
    assert_eq!(
        keys,
        57 + 11 + 1,
        "one key for each screen, and one to begin"
    );
    assert!(keys <= 75);
    let (address, profile) = (server.address, session.path().to_owned());
    let file = profile.join(format!("newsrc/{}_{}", address.ip(), address.port()));
    let ended = session.terminate().await;
    assert_eq!(
        std::fs::read_to_string(file).unwrap(),
        "a.first: 1-30\na.second: 1-20\na.third: 1-7\n"
    );
    drop(ended);
}

#[tokio::test(flavor = "multi_thread")]
async fn space_reads_66_articles_of_five_groups_from_the_list_of_subscribed_groups() {
    let names = [
        "a.empty", "a.first", "a.second", "a.third", "a.fourth", "a.fifth",
    ];
    let counts = [0, 20, 16, 14, 9, 7];
    // Every seventh article has two screens.
    let lines = |number: usize| if number.is_multiple_of(7) { 30 } else { 9 };
    let groups = names.iter().zip(counts).map(|(name, count)| {
        let articles = (1..=count).map(|number| article(name, number, lines(number)));
        (*name, articles.collect())
    });
    let server = NewsServer::start(groups.collect()).await;
    let session = session(&server, &names, (80, 24));
    session.wait("a.empty").await;
    session.press("u");
    session.wait("20 unread").await;
    let count_of = |(count, _): (usize, _)| (1..=count).map(lines).sum::<usize>();
    let expected: usize = counts.into_iter().zip(names).map(count_of).sum();
    // Every line of every article, by the URL of its page.
    let (mut keys, mut seen) = (0, std::collections::BTreeSet::new());
    while seen.len() < expected {
        session.press("Space");
        keys += 1;
        session.settle().await;
        let screen = session.screen();
        assert!(keys <= 84, "{} of {expected} lines: {screen}", seen.len());
        let address = screen.lines().next().unwrap();
        let lines = screen.lines().map(str::trim);
        let lines = lines.filter(|line| line.starts_with("Line "));
        seen.extend(lines.map(|line| format!("{address} {line}")));
    }
    session.press("Space");
    session.wait("No unread articles").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn page_down_key_stays_at_the_end_of_an_article() {
    let articles = vec![article("a.b", 1, 3), article("a.b", 2, 3)];
    let server = NewsServer::start(vec![("a.b", articles)]).await;
    let session = session(&server, &["a.b"], (80, 24));
    session.wait("2 of 2 unread").await;
    session.press("Enter");
    session.wait("<2.a.b@x>").await;
    session.press("PgDn");
    session.settle().await;
    assert!(session.screen().contains("<2.a.b@x>"));
    session.press("Space");
    session.wait("<1.a.b@x>").await;
    // In a list the key stays the one for the next screen.
    session.press("h Space");
    session.settle().await;
    assert!(
        session.screen().contains("all 2 read"),
        "{}",
        session.screen()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn space_opens_the_next_unread_from_lists() {
    let names = ["a.first", "a.second"];
    let groups = names.map(|name| {
        (
            name,
            (1..=2).map(|number| article(name, number, 3)).collect(),
        )
    });
    let server = NewsServer::start(groups.into()).await;
    let session = session(&server, &names, (80, 24));
    session.wait("2 of 2 unread").await;
    session.press("Space");
    session.wait("<1.a.first@x>").await;
    session.press("Space");
    session.wait("<2.a.first@x>").await;
    session.press("Space");
    session.wait("<1.a.second@x>").await;
}
