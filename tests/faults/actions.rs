//! The actions.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use geomys_demo::Demo;
use geomys_testing::capsule::Capsule;
use geomys_testing::news::NewsServer;
use geomys_testing::tls::Identity;
use tokio::task::block_in_place;

use super::{Action, DRAFT, Seen, disturb};
use crate::support::command::text;
use crate::support::files::write_queue;
use crate::support::terminal::Terminal;

/// A group of the demo.
const GROUP: &str = "underloam.talk.weather";

/// The timeout for a text that a fault may have prevented.
const PATIENCE: Duration = Duration::from_secs(6);

/// The timeout for a text that nothing prevents: it ends a run that hangs.
const LIMIT: Duration = Duration::from_mins(1);

/// Runs a command of the binary.
fn command(profile: &Path, outer: &[&str], arguments: &[&str]) -> Seen {
    let program = [
        env!("CARGO_BIN_EXE_geomys"),
        "--config",
        profile.to_str().unwrap(),
    ];
    let words = [outer, &program, arguments].concat();
    let output = Command::new(words[0])
        .args(&words[1..])
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", profile)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    Seen {
        is_done: output.status.success(),
        said: text(&output.stdout) + &text(&output.stderr),
    }
}

/// Keys behind one of some texts on the screen, with `|` between them.
#[derive(Clone, Copy)]
struct Step(&'static str, Keys);

#[derive(Clone, Copy)]
enum Keys {
    Once(&'static str),
    /// Until another text is shown: a question that opens by itself takes no key at first.
    Until(&'static str, &'static str),
}

const fn step(words: &'static str, keys: &'static str) -> Step {
    Step(words, Keys::Once(keys))
}

/// Runs the browser: waits for each text, and presses the keys behind it; then quits.
fn browse(profile: &Path, outer: &[&str], arguments: &[&str], steps: &[Step]) -> Seen {
    let mut terminal = Terminal::run_in(outer, profile, arguments);
    let has_fault = outer.iter().any(|word| word.starts_with("inject="));
    let patience = if has_fault { PATIENCE } else { LIMIT };
    let mut is_done = true;
    for Step(words, keys) in steps {
        is_done &= terminal.is_reached(patience, |screen| {
            words.split('|').any(|words| screen.contains(words))
        });
        if !is_done {
            break;
        }
        match keys {
            Keys::Once(keys) => terminal.press(keys),
            Keys::Until(keys, end) => {
                let mut attempts = 0..8;
                while attempts.next().is_some() && !terminal.has_ended() && !terminal.shows(end) {
                    terminal.press(keys);
                }
            }
        }
    }
    Seen {
        is_done,
        said: terminal.quit(),
    }
}

/// An action of a command or of the browser, which a user does again after a fault.
fn action<'a>(
    name: &'static str,
    results: &'static [&'static str],
    prepare: impl Fn(&Path) + 'a,
    act: impl Fn(&Path, &[&str]) -> Seen + Clone + 'a,
) -> Action<'a> {
    let again = act.clone();
    Action {
        name,
        prepare: Box::new(prepare),
        act: Box::new(act),
        again: Box::new(move |profile| again(profile, &[])),
        check: Box::new(|| None),
        results,
        // The next start shows the page before, and lists fewer visits; a sum of sizes is made again, and a copy that
        // could not be removed from where it was is kept twice. A queued draft has no reason of a refusal, so that the
        // removal of one removes nothing.
        quiet: &[
            "unlink drafts/{draft}.why",
            "session.json",
            "history.jsonl",
            "cache",
            "charsets.txt",
            "/size",
            "unlink synced/",
        ],
    }
}

#[test]
#[ignore = "takes its time, and needs strace"]
fn bookmark_is_added_once() {
    let prepare = |profile: &Path| {
        fs::write(
            profile.join("bookmarks.txt"),
            "A <URL:gopher://a.example/>\n",
        )
        .unwrap();
    };
    let act = |profile: &Path, outer: &[&str]| {
        command(profile, outer, &["bookmarks", "add", "gopher://b.example/"])
    };
    let mut action = action("bookmarks add", &["bookmarks.txt"], prepare, act);
    // The bookmark is there, without the day when it was added.
    action.quiet = &["added.jsonl"];
    action.again = Box::new(move |profile| {
        let list = command(profile, &[], &["bookmarks", "list"]);
        if list.said.contains("b.example") {
            list
        } else {
            act(profile, &[])
        }
    });
    disturb(&action);
}

#[test]
#[ignore = "takes its time, and needs strace"]
fn setting_is_old_or_new() {
    let prepare = |profile: &Path| {
        let settings = "# mine\n[reading] # text\nwidth = 70 # columns\n";
        fs::write(profile.join("settings.toml"), settings).unwrap();
    };
    let act = |profile: &Path, outer: &[&str]| {
        let steps = [
            step("geomys:home", ":set reading.width 64\r"),
            step("reading.width = 64", ""),
        ];
        browse(profile, outer, &[], &steps)
    };
    disturb(&action(":set", &["settings.toml"], prepare, act));
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes its time, and needs strace"]
async fn read_mark_is_stored() {
    let demo = Demo::start().await.unwrap();
    let group = format!("nntp://{}/{GROUP}", demo.addresses.news);
    let act = |profile: &Path, outer: &[&str]| {
        browse(
            profile,
            outer,
            &[&group],
            &[step(" unread", "."), step("more headers", "")],
        )
    };
    let mut action = action("a read mark", &["newsrc/"], |_| {}, act);
    // The next key would read the next article.
    action.again = Box::new(|profile| {
        let marks = profile
            .join("newsrc")
            .join(demo.addresses.news.to_string().replace(':', "_"));
        let marks = fs::read_to_string(marks).unwrap_or_default();
        let has_mark = |line: &str| {
            line.starts_with(GROUP) && line.ends_with(|last: char| last.is_ascii_digit())
        };
        if marks.lines().any(has_mark) {
            browse(profile, &[], &[&group], &[step(" unread", "")])
        } else {
            act(profile, &[])
        }
    });
    block_in_place(|| disturb(&action));
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes its time, and needs strace"]
async fn kept_page_is_kept() {
    let demo = Demo::start().await.unwrap();
    let menu = format!("gopher://{}/1/library", demo.addresses.gopher);
    let act = |profile: &Path, outer: &[&str]| {
        let steps = [
            step("How to write an address", "JL"),
            step("Kept: How to write", ""),
        ];
        browse(profile, outer, &[&menu], &steps)
    };
    block_in_place(|| disturb(&action("L", &["later/queue"], |_| {}, act)));
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes its time, and needs strace"]
async fn draft_is_stored() {
    let demo = Demo::start().await.unwrap();
    let group = format!("nntp://{}/{GROUP}", demo.addresses.news);
    let prepare = |profile: &Path| {
        let settings = "[news]\nfrom = \"Ada <ada@example.org>\"\n";
        fs::write(profile.join("settings.toml"), settings).unwrap();
        let editor = "sed -i 's/^Subject: *$/Subject: Rain/' \"$1\"\necho 'It rains.' >> \"$1\"\n";
        fs::write(profile.join("editor.sh"), editor).unwrap();
    };
    let act = |profile: &Path, outer: &[&str]| {
        let editor = format!("EDITOR=sh {}/editor.sh", profile.display());
        let outer = [&["env", &editor], outer].concat();
        let steps = [
            step(" unread", "P"),
            Step(
                "Post this article?",
                Keys::Until("\x1b[C", "▌s [ At the next sync ]"),
            ),
            step("", "\r"),
            step("In the outbox: g U sync", ""),
        ];
        browse(profile, &outer, &[&group], &steps)
    };
    let mut action = action("a draft", &["drafts/"], prepare, act);
    action.again = Box::new(|profile| {
        let drafts = fs::read_dir(profile.join("drafts"));
        let has_text = |entry: fs::DirEntry| {
            let is_draft = entry
                .path()
                .extension()
                .is_some_and(|extension| extension == "eml");
            is_draft && fs::read_to_string(entry.path()).unwrap().contains(DRAFT)
        };
        if drafts.is_ok_and(|mut drafts| drafts.any(|entry| has_text(entry.unwrap()))) {
            browse(profile, &[], &[], &[step(" q quit", "E"), step("Rain", "")])
        } else {
            act(profile, &[])
        }
    });
    block_in_place(|| disturb(&action));
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes its time, and needs strace"]
async fn download_is_whole_and_recorded_once() {
    let demo = Demo::start().await.unwrap();
    let directory = format!("ftp://{}/pub/software/", demo.addresses.ftp);
    let act = |profile: &Path, outer: &[&str]| {
        let steps = [
            step("seeds.bin", "/seeds\r"),
            step("1 of 1", "d"),
            step("Saved|failed|cannot be", "D"),
            step("Transfers", ""),
        ];
        browse(profile, outer, &[&directory], &steps)
    };
    let mut action = action("a download", &["Downloads/seeds.bin"], |_| {}, act);
    // What is left of the record is taken up with the next download of that name.
    action.quiet = &[
        "session.json",
        "history.jsonl",
        "cache",
        "unlink Downloads/seeds.bin.part.geomys",
        // The message that the file is saved takes the place of the one about the list.
        ".transfers.txt",
    ];
    // A download that is in the list goes on by itself, or by a key there.
    action.again = Box::new(|profile| {
        let list = fs::read_to_string(profile.join("transfers.txt")).unwrap_or_default();
        if profile.join("Downloads/seeds.bin").exists() {
            browse(profile, &[], &[], &[step("help", "")])
        } else if list.contains("seeds.bin") {
            browse(
                profile,
                &[],
                &[],
                &[step("help", "D"), step("Transfers", "r"), step("done", "")],
            )
        } else {
            act(profile, &[])
        }
    });
    block_in_place(|| disturb(&action));
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes its time, and needs strace"]
async fn sync_fetches_and_posts_once() {
    let server = NewsServer::start(vec![("a.b", Vec::new())]).await;
    let answer = |path: &str| {
        let page = match path {
            "/top" => "20 text/gemini\r\n=> /one x\n",
            "/one" => "20 text/gemini\r\nthe text of one\n",
            "/queued" => "20 text/gemini\r\nthe text of the queued page\n",
            _ => "51 not found\r\n",
        };
        (page.as_bytes().to_vec(), true)
    };
    let capsule = Capsule::start(&Identity::self_signed("localhost"), answer).await;
    let posts = AtomicUsize::new(0);
    let prepare = |profile: &Path| {
        let number = 1 + posts.fetch_add(1, Ordering::Relaxed);
        let bookmark = format!("Top <URL:{}> #offline\n", capsule.url("/top"));
        fs::write(profile.join("bookmarks.txt"), bookmark).unwrap();
        write_queue(profile, &[(capsule.url("/queued"), "Queued")]);
        fs::create_dir(profile.join("drafts")).unwrap();
        queue_post(profile, &server.address.to_string(), number);
    };
    let act = |profile: &Path, outer: &[&str]| command(profile, outer, &["sync"]);
    let mut action = action(
        "sync",
        &["sent/", "drafts/", "later/queue", "trust.txt"],
        prepare,
        act,
    );
    // A pin that is not stored lasts until the end, and is made again.
    // The record of a draft that was sent is removed by the next sync.
    // A sum of sizes is made again; without its Message-ID no reply to the article is marked.
    action.quiet = &["trust.txt", "drafts/1.state", "/size", "posted.txt"];
    action.check = Box::new(|| {
        let subject = format!("Subject: Post {}", posts.load(Ordering::Relaxed));
        let articles = server.articles("a.b");
        let found = articles
            .iter()
            .filter(|article| article.lines().any(|line| line == subject));
        let count = found.count();
        (count != 1).then(|| format!("the server has the post {count} times"))
    });
    block_in_place(|| disturb(&action));
}

/// Writes the draft of an article that waits for a sync.
fn queue_post(profile: &Path, server: &str, number: usize) {
    let path = profile.join("drafts/1.eml");
    let draft =
        format!("From: a@example.org\nNewsgroups: a.b\nSubject: Post {number}\n\n{DRAFT}\n");
    fs::write(&path, draft).unwrap();
    let record = format!("Server: {server}\nAttempts: 0\nState: queued\nNamed-By: geomys:user\n");
    fs::write(path.with_extension("state"), record).unwrap();
}
