//! Everything that is followed is read, searched, queued and answered without any server, and a sync with the servers
//! does the rest.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use geomys_testing::capsule::Capsule;
use geomys_testing::gate::Gate;
use geomys_testing::hole::Hole;
use geomys_testing::news::NewsServer;
use geomys_testing::tls::Identity;
use geomys_testing::web::{Web, ok};
use jiff::Timestamp;

use super::{offline, run, synced};
use crate::support::command::text;
use crate::support::files::write_queue;
use crate::support::follow;
use crate::support::screen::{Browser, EDITOR, is_loading};

/// The words of home after the last new item.
const END: &str = "Nothing new";

/// The beginning of the message of `.` after the last new item.
const READ_END: &str = "No unread articles";

/// Stores a file by its path and its text.
pub(crate) type Put = Box<dyn Fn(&str, &str) + Send + Sync>;

/// A server behind a gate, and the way to its files.
pub(crate) struct Site {
    pub(crate) gate: Gate,
    /// Stores a file below the directory of the test.
    pub(crate) put: Put,
    /// The beginning of the URLs of these files.
    pub(crate) root: String,
}

/// The servers of a test.
pub(crate) struct Followed {
    pub(crate) gemini: Site,
    pub(crate) gopher: Site,
    pub(crate) web: Site,
    pub(crate) news: Gate,
    /// Two groups; the first takes posts.
    pub(crate) groups: [&'static str; 2],
}

impl Followed {
    fn gates(&mut self) -> [&mut Gate; 4] {
        let sites = (&mut self.gemini.gate, &mut self.gopher.gate);
        [sites.0, sites.1, &mut self.web.gate, &mut self.news]
    }

    async fn stop(&mut self) {
        for gate in self.gates() {
            gate.close().await;
        }
    }

    async fn start(&mut self) {
        for gate in self.gates() {
            gate.open().await;
        }
    }

    /// A row of a menu.
    fn row(&self, kind: char, name: &str, path: &str) -> String {
        let address = self.gopher.gate.address;
        let selector = self
            .gopher
            .root
            .split_once("/0")
            .map_or("", |(_, path)| path);
        format!(
            "{kind}{name}\t{selector}{path}\t{}\t{}\r\n",
            address.ip(),
            address.port()
        )
    }

    /// Writes the logs and the feed with these entries.
    fn publish(&self, days: &[&str]) {
        let [mut log, mut menu, mut feed] = [const { String::new() }; 3];
        for day in days {
            writeln!(log, "=> entry-{day}.gmi 2026-11-{day} Gemlog {day}").unwrap();
            menu += &self.row(
                '0',
                &format!("2026-11-{day} Phlog {day}"),
                &format!("/phlog/{day}.txt"),
            );
            write!(
                feed,
                "<entry><id>e{day}</id><title>Feed {day}</title><updated>2026-11-{day}T10:00:00Z</updated>\
                 <link href=\"{}/{day}.html\"/></entry>",
                self.web.root
            )
            .unwrap();
            (self.gemini.put)(
                &format!("entry-{day}.gmi"),
                &format!("The gemlog of day {day}.\n"),
            );
            (self.gopher.put)(
                &format!("phlog/{day}.txt"),
                &format!("The phlog of day {day}.\r\n"),
            );
            (self.web.put)(
                &format!("{day}.html"),
                &format!("<p>The f<b>ee</b>d of day {day}.</p>"),
            );
        }
        (self.gemini.put)("log.gmi", &format!("# A gemlog\n{log}"));
        (self.gopher.put)("phlog/gophermap", &menu);
        let feed = format!(
            "<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>A feed</title><id>f</id>{feed}</feed>"
        );
        (self.web.put)("feed.atom", &feed);
    }

    /// Writes the profile of somebody who follows all of it, has saved five pages, and waits for a post to leave.
    fn profile(&self, profile: &Path) {
        let settings = "session = \"new\"\n[bookmarks]\nfollow = false\n[news]\nfrom = \"Ada <ada@example.org>\"\n";
        fs::write(profile.join("settings.toml"), settings).unwrap();
        let phlog = self.gopher.root.replacen("/0", "/1", 1);
        let (gemini, web) = (&self.gemini.root, &self.web.root);
        let bookmarks = format!(
            "A gemlog <URL:{gemini}/log.gmi> #watch\nA phlog <URL:{phlog}/phlog> #watch\n\
             A feed <URL:{web}/feed.atom> #watch\nKept <URL:{gemini}/kept.gmi> #offline2\n"
        );
        fs::write(profile.join("bookmarks.txt"), bookmarks).unwrap();
        (self.gemini.put)("kept.gmi", "=> near.gmi Near\n");
        (self.gemini.put)("near.gmi", "=> far.gmi Far\n");
        (self.gemini.put)("far.gmi", "A periscope.\n=> beyond.gmi Beyond\n");
        (self.gemini.put)("beyond.gmi", "Beyond the copies.\n");
        let mut links = Vec::new();
        for (number, title) in (1..).zip(["One", "Two", "Three", "Four", "Five"]) {
            let name = format!("saved-{number}.html");
            (self.web.put)(&name, &format!("<p>Saved page {number}."));
            links.push((format!("{web}/{name}"), title));
        }
        write_queue(profile, &links);
        fs::create_dir(profile.join("newsrc")).unwrap();
        let address = self.news.address;
        let newsrc = format!("newsrc/{}_{}", address.ip(), address.port());
        let groups = self.groups.map(|group| format!("{group}:\n"));
        fs::write(profile.join(newsrc), groups.concat()).unwrap();
        fs::create_dir(profile.join("drafts")).unwrap();
        let post = format!(
            "From: Ada <ada@example.org>\nNewsgroups: {}\nSubject: First rain\n\nIt rained.\n",
            self.groups[0]
        );
        fs::write(profile.join("drafts/1.eml"), post).unwrap();
        let record =
            format!("Server: {address}\nAttempts: 0\nState: queued\nNamed-By: geomys:user\n");
        fs::write(profile.join("drafts/1.state"), record).unwrap();
    }

    /// The number of articles on the server with a subject.
    fn posts(&self, subject: &str) -> usize {
        let profile = tempfile::tempdir().unwrap();
        let group = format!("nntp://{}/{}", self.news.address, self.groups[0]);
        let output = run(profile.path(), &["dump", &group]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        text(&output.stdout).matches(subject).count()
    }
}

/// Syncs, reads what is new by one key without a server, searches, queues and posts, and syncs again. `articles` are
/// texts of unread articles, one of which has the word “theodolite”.
pub(crate) async fn read_anywhere(mut followed: Followed, articles: &[&str]) {
    let directory = tempfile::tempdir().unwrap();
    followed.publish(&["01"]);
    followed.profile(directory.path());
    follow::look(directory.path()).await;
    followed.publish(&["03", "02", "01"]);
    let said = synced(directory.path());
    assert!(
        said.starts_with("outbox: 1 sent\nkept pages: 5 new\n"),
        "{said}"
    );
    assert_eq!(followed.posts("First rain"), 1, "{said}");
    followed.stop().await;

    let editor =
        "sed -i 's/^Subject: *$/Subject: Second rain/' \"$1\"\necho 'It rains.' >> \"$1\"\n";
    let session = Browser::in_profile(directory)
        .file(EDITOR, editor)
        .size((100, 40))
        .start();
    session.wait("6 entries  5 kept").await;
    let mut read = String::new();
    for step in 0.. {
        let before = session.screen();
        session.press(".");
        // The counts of the groups may be asked for first; a group is opened on the way to its first article.
        let goes_on = |screen: &str| {
            let is_other = screen.lines().next() != before.lines().next();
            is_other && !is_loading(screen) && !screen.contains("Subject ▾")
        };
        let fits = |screen: &str| goes_on(screen) || screen.contains(READ_END);
        let screen = session.screen_when("the next item", fits).await;
        if screen.contains(READ_END) {
            break;
        }
        assert!(step < 60, "no end:\n{screen}");
        read += &screen;
    }
    session.press("~");
    session.wait(END).await;
    let entries = ["gemlog", "phlog", "feed"];
    let entries = entries
        .iter()
        .flat_map(|log| ["02", "03"].map(|day| format!("The {log} of day {day}.")));
    let saved = (1..=5).map(|number| format!("Saved page {number}."));
    let articles = articles.iter().map(|text| (*text).to_owned());
    for item in entries
        .chain(saved)
        .chain(articles)
        .chain(["It rained.".to_owned()])
    {
        assert!(read.contains(&item), "{item} was not read:\n{read}");
    }

    // A word of an article and of gemtext is found, and the copy opens there.
    session.press("g /");
    session.wait("Search all stored pages").await;
    session.type_in("periscope");
    session.press("Enter");
    session.wait("1 found").await;
    session.press("Enter");
    session.wait("A periscope.").await;
    let found = run(session.path(), &["search", "theodolite", "in:news"]);
    assert!(text(&found.stdout).contains("theodolite"), "{found:?}");

    // A link without a copy is queued, and so is a post.
    session.press("Ctrl-O");
    session.wait("pages come from the cache").await;
    session.settle().await;
    session.press("J Enter");
    session.wait("Kept: the next sync fetches it (g L").await;
    session.press("o");
    session.type_in(&format!(
        "nntp://{}/{}",
        followed.news.address, followed.groups[0]
    ));
    session.press("Enter");
    session.wait("First rain").await;
    session.press("P");
    session.wait("At the next sync").await;
    session.press("Enter");
    session.wait("In the outbox: g U sync").await;
    session.press("q");
    let profile = session.end().await.profile;

    followed.start().await;
    let said = synced(profile.path());
    assert!(said.starts_with("outbox: 1 sent\n"), "{said}");
    assert!(said.contains("kept pages: 1 new\n"), "{said}");
    let again = synced(profile.path());
    assert!(!again.contains("outbox"), "{again}");
    assert_eq!(
        (followed.posts("First rain"), followed.posts("Second rain")),
        (1, 1)
    );
    followed.stop().await;
    let beyond = offline(
        profile.path(),
        &format!("{}/beyond.gmi", followed.gemini.root),
    );
    assert!(beyond.contains("Beyond the copies."), "{beyond}");
}

/// The files of a server by their paths.
type Files = Arc<Mutex<HashMap<String, String>>>;

fn put(files: &Files) -> Put {
    let files = Arc::clone(files);
    Box::new(move |path, file| {
        files
            .lock()
            .unwrap()
            .insert(format!("/{path}"), file.to_owned());
    })
}

fn article(group: &str, number: usize, text: &str) -> String {
    let date = Timestamp::now().strftime("%a, %d %b %Y %H:%M:%S +0000");
    format!(
        "From: bo@x\nNewsgroups: {group}\nSubject: {group} {number}\nDate: {date}\nMessage-ID: <{number}.{group}@x>\n\n{text}\n"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn all_that_is_followed_is_read_without_its_servers() {
    let files: [Files; 3] = Default::default();
    let [gemini_files, gopher_files, web_files] = files.clone();
    let capsule = Capsule::start(&Identity::self_signed("localhost"), move |path| {
        let answer = match gemini_files.lock().unwrap().get(path) {
            Some(page) => format!("20 text/gemini\r\n{page}"),
            None => "51 not found\r\n".to_owned(),
        };
        (answer.into_bytes(), true)
    })
    .await;
    let hole = Hole::start(move |selector, _| {
        let files = gopher_files.lock().unwrap();
        let map = || {
            files
                .get(&format!("{selector}/gophermap"))
                .map(|menu| format!("{menu}.\r\n"))
        };
        let answer = files.get(selector).cloned().or_else(map);
        answer
            .unwrap_or_else(|| "3not found\t\terror.host\t1\r\n.\r\n".to_owned())
            .into_bytes()
    })
    .await;
    let web = Web::start(move |request| {
        let path = request.path();
        let kind = if path == "/feed.atom" {
            "application/atom+xml"
        } else {
            "text/html"
        };
        match web_files.lock().unwrap().get(path) {
            Some(page) => ok(&format!("Content-Type: {kind}\r\n"), page),
            None => b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_vec(),
        }
    })
    .await;
    let news = NewsServer::start(vec![
        ("a.first", vec![article("a.first", 1, "One theodolite.")]),
        (
            "a.second",
            vec![
                article("a.second", 1, "Two levels."),
                article("a.second", 2, "Three chains."),
            ],
        ),
    ])
    .await;
    let [gemini, gopher, http] = [capsule.address, hole.address, web.address].map(Gate::before);
    let (gemini, gopher, http) = tokio::join!(gemini, gopher, http);
    let followed = Followed {
        gemini: Site {
            root: format!("gemini://{}", gemini.address),
            put: put(&files[0]),
            gate: gemini,
        },
        gopher: Site {
            root: format!("gopher://{}/0", gopher.address),
            put: put(&files[1]),
            gate: gopher,
        },
        web: Site {
            root: format!("http://{}", http.address),
            put: put(&files[2]),
            gate: http,
        },
        news: Gate::before(news.address).await,
        groups: ["a.first", "a.second"],
    };
    read_anywhere(
        followed,
        &["One theodolite.", "Two levels.", "Three chains."],
    )
    .await;
}
