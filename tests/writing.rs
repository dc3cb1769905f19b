//! Writing in whole sessions: the editor is a script, the server is the demo's.

mod by_group;
mod preview;
mod send_all;
mod supersede;
mod uncertain;

use std::path::PathBuf;
use std::sync::Arc;

use geomys_demo::Demo;
use geomys_testing::capsule::Capsule;
use geomys_testing::script::{assert_played, listen, play};
use geomys_testing::tls::Identity;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::Notify;

use crate::support::screen::{Browser, EDITOR, Session};

const ADA: &str = "[news]\nfrom = \"Ada <ada@example.org>\"\nsignature = \"~/signature\"\n";

/// A session on this group or article of the demo, with these settings and this editor.
fn session(demo: &Demo, target: &str, settings: &str, editor: &str) -> Session {
    let profile = tempfile::tempdir().unwrap();
    write(&profile, "settings.toml", settings);
    write(&profile, "signature", "Ada, Analyst\n");
    write(&profile, EDITOR, editor);
    let news = demo.addresses.news;
    let address = if target.contains('@') {
        format!("news:{target}")
    } else {
        format!("nntp://{news}/{target}")
    };
    Browser::in_profile(profile)
        .news(news)
        .open(address)
        .size((100, 30))
        .start()
}

fn write(profile: &TempDir, name: &str, text: &str) {
    std::fs::write(profile.path().join(name), text).unwrap();
}

/// The files in a directory of the profile, without the notes beside drafts.
fn files(session: &Session, directory: &str) -> Vec<PathBuf> {
    let read = std::fs::read_dir(session.path().join(directory));
    let is_own = |path: &PathBuf| {
        let beside = ["why", "state"];
        !path
            .extension()
            .is_some_and(|extension| beside.iter().any(|own| extension == *own))
    };
    let entries = read.map(|entries| {
        entries
            .map(|entry| entry.unwrap().path())
            .filter(is_own)
            .collect()
    });
    entries.unwrap_or_default()
}

/// The screen without the name of the profile and that of the draft.
fn without_names(session: &Session) -> String {
    let draft = files(session, "drafts").remove(0);
    let name = draft.file_name().unwrap().to_str().unwrap();
    let text = session.dialog().replace(&path(session), "DIR");
    text.replace(name, "DRAFT.eml")
}

/// An editor script that sets the subject and appends this text.
fn says(subject: &str, text: &str) -> String {
    format!(
        "awk -v said='{text}' '/^Subject: *$/ {{ print \"Subject: {subject}\"; next }} \
         /^-- $/ && !done {{ print said; print \"\"; done = 1 }} {{ print }}' \"$1\" > \"$1.new\"\nmv \"$1.new\" \"$1\"\n"
    )
}

/// A server that answers so and lists one group with this status, for a session on that list.
async fn asked_before_writing(greeting: &str, status: char, question: Option<&str>) {
    let script = format!(
        "S: {greeting}
        C: CAPABILITIES
        S: 101 list
        S: VERSION 2
        S: READER
        S: OVER
        S: .
        C: DATE
        S: 500 what
        C: LIST ACTIVE
        S: 215 list
        S: a.b 1 1 {status}
        S: .
        C: LIST NEWSGROUPS
        S: 503 none
        C: GROUP a.b
        S: 211 1 1 1 a.b
        C: OVER 1-1
        S: 224 overview
        S: 1\tone\tada@x\t1 Oct 94 10:00:00 EST\t<1@x>\t\t9\t5
        S: .
        silence"
    );
    let (address, playing) = listen(&[&script]).await;
    let profile = tempfile::tempdir().unwrap();
    write(&profile, EDITOR, "true");
    write(&profile, "signature", "Ada, Analyst\n");
    let session = Browser::in_profile(profile)
        .settings(ADA)
        .open(format!("nntp://{address}/"))
        .start();
    session.wait("a.b").await;
    session.press("Enter");
    session.wait("1 of 1 unread").await;
    session.press("P");
    if let Some(question) = question {
        session.wait(question).await;
        session.press("n");
        session.wait_until_absent(question).await;
        assert_eq!(files(&session, "drafts"), Vec::<PathBuf>::new());
        session.press("P");
        session.wait(question).await;
        session.press("y");
    }
    session.wait("Post this article?").await;
    drop(session);
    assert_played(playing).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn server_that_refuses_posts_is_told_before_writing() {
    let server = "This server refuses posts. Write anyway?";
    let group = "a.b refuses posts here. Write anyway?";
    asked_before_writing("201 read only", 'y', Some(server)).await;
    asked_before_writing("200 post", 'n', Some(group)).await;
    asked_before_writing("200 post", 'x', Some(group)).await;
    asked_before_writing("200 post", 'm', None).await;
    asked_before_writing("200 post", 'y', None).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn article_is_posted_read_followed_up_and_cancelled() {
    let demo = Demo::start().await.unwrap();
    let editor = says("Grüße from the cellar", "It is dry here, schön dry.");
    let session = session(&demo, "underloam.talk.weather", ADA, &editor);
    session.wait("of 10").await;
    session.press("P");
    session.wait("Post this article?").await;
    insta::assert_snapshot!("write_ask", without_names(&session));
    session.choose("Post it").await;
    // Without a question the group is fetched again.
    session.wait("Posted").await;
    session.wait("Grüße from the cellar").await;
    assert_eq!(files(&session, "sent").len(), 1);
    assert_eq!(files(&session, "drafts").len(), 0);
    session.press("g g Enter");
    session.wait("It is dry here, schön dry.").await;
    session.wait("Ada, Analyst").await;
    // The follow-up references the article, quotes it, and omits the signature.
    std::fs::write(
        session.path().join(EDITOR),
        says("", "> And here?\nHere too."),
    )
    .unwrap();
    session.press("F");
    session.wait("Post this reply?").await;
    session.wait("Subject: Re: Grüße from the cellar").await;
    insta::assert_snapshot!("write_answer", without_names(&session));
    session.choose("Post it").await;
    session.wait("Posted").await;
    // The shown article stays; its group has the reply.
    session.wait("It is dry here, schön dry.").await;
    session.press("Backspace");
    session.wait("Re: Grüße from the cellar").await;
    session.press("g g j Enter");
    session.wait("> It is dry here, schön dry.").await;
    session
        .wait("References:  <post-1@underloam.example>")
        .await;
    // The article is Ada's own, so it can be cancelled with the key of its lock.
    session.press("g X");
    session.wait("Send this cancel message?").await;
    session.wait("Note: servers may ignore it.").await;
    session.wait("Cancel-Key: sha256:").await;
    session
        .wait("Control: cancel <post-2@underloam.example>")
        .await;
    session.choose("Cancel it").await;
    session
        .wait("Cancel message accepted; servers may ignore it")
        .await;
    session.press("Backspace");
    session.wait("Re: Grüße from the cellar").await;
    session.press("r");
    session.wait_until_absent("Re: Grüße from the cellar").await;
    assert_eq!(files(&session, "sent").len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn refused_post_stores_the_draft_and_names_its_path() {
    let demo = Demo::start().await.unwrap();
    let editor = says("Rain", "Rain.");
    let editor = format!(
        "{editor}sed -i 's/^Newsgroups.*/&\\nMessage-ID: <gph-1@underloam.example>/' \"$1\"\n"
    );
    let session = session(&demo, "underloam.talk.weather", ADA, &editor);
    session.wait("of 10").await;
    session.press("P");
    session.wait("Post this article?").await;
    session.choose("Post it").await;
    session.wait("an article with that Message-ID").await;
    session.wait("It was not sent.").await;
    let drafts = files(&session, "drafts");
    assert_eq!(drafts.len(), 1);
    let name = drafts[0]
        .file_name()
        .unwrap()
        .to_string_lossy()
        .into_owned();
    let screen = session.screen().replace('\n', "");
    let screen: String = screen.split_whitespace().collect();
    assert!(screen.contains(&name), "{screen}");
    let text = session.dialog().replace(&path(&session), "DIR");
    // The next sync would be refused too.
    assert!(!text.contains("next sync"), "{text}");
    insta::assert_snapshot!("write_refused", text.replace(&name, "DRAFT.eml"));
    // The edited draft is sent.
    std::fs::write(
        session.path().join(EDITOR),
        "sed -i '/^Message-ID/d' \"$1\"\n",
    )
    .unwrap();
    session.choose("Edit it").await;
    session.wait("Post this article?").await;
    session.choose("Post it").await;
    session.wait("Posted").await;
    assert_eq!(files(&session, "drafts").len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_draft_cannot_be_sent_and_is_stored() {
    let demo = Demo::start().await.unwrap();
    // The editor changes nothing: no subject, no text.
    let session = session(&demo, "geomys.demo.big", ADA, "true\n");
    session.wait("Potatoes").await;
    session.press("P");
    session.wait("It cannot be sent: Subject is empty.").await;
    session.wait("It cannot be sent: the text is empty.").await;
    assert!(
        !session.screen().contains("post it"),
        "{}",
        session.screen()
    );
    // Only the offered letters are answers.
    session.press("s");
    session.wait("Post this article?").await;
    std::fs::write(session.path().join(EDITOR), says("x", "y")).unwrap();
    session.choose("Edit it").await;
    session
        .wait("geomys.demo.big does not allow posting there")
        .await;
    session.choose("Keep it as a draft").await;
    session.wait("raft stored").await;
    assert_eq!(files(&session, "drafts").len(), 1);
    assert_eq!(files(&session, "sent").len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn letters_answer_the_posting_question() {
    let demo = Demo::start().await.unwrap();
    let session = session(&demo, "underloam.talk.weather", ADA, &says("x", "y"));
    session.wait("of 10").await;
    session.press("P");
    session.wait("Post this article?").await;
    session.wait("Draft: ").await;
    session.wait("d [ Drop it ]").await;
    session.press("d");
    session.wait("Outbox empty").await;
    assert_eq!(files(&session, "drafts").len(), 0);
    assert_eq!(files(&session, "sent").len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn author_is_prompted_once_and_not_guessed() {
    let demo = Demo::start().await.unwrap();
    let settings = "[mail]\ncommand = []\n";
    let session = session(&demo, "gph-2@underloam.example", settings, &says("", "No."));
    session.wait("It is a word that the server").await;
    session.press("F");
    session.wait("─ From ─").await;
    session.type_in("ada");
    session.press("Enter");
    session.wait("expected “Name <address>”").await;
    session.type_in("@example.org");
    session.press("Enter");
    // Without a signature the draft has no signature mark.
    session
        .wait("It cannot be sent: the text is only quotation.")
        .await;
    let drafts = files(&session, "drafts");
    let text = std::fs::read_to_string(&drafts[0]).unwrap();
    assert!(
        text.starts_with(
            "From: ada@example.org\nNewsgroups: underloam.infosystems.gopher\nSubject: Re: Is a selector a path?\n\
             References: <gph-1@underloam.example> <gph-2@underloam.example>\n\n\
             Botta wrote on 1994-05-11 19:30 +0000:\n>> Marl"
        ) || text.contains("\nBotta wrote on 1994-05-11 19:30 +0000:\n> Marl wrote:\n>> There are"),
        "{text}"
    );
    assert!(
        !text.contains("Shh."),
        "the signature is not quoted: {text}"
    );
    session.choose("Keep it as a draft").await;
    session.wait("raft stored").await;
    // The author is set now; and another author's article is not Ada's to cancel.
    session.press("g X");
    session
        .wait("Only its author, library@underloam.example, can cancel it")
        .await;
    session.press("R");
    session.wait("No mail program is set").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn letter_is_passed_to_the_mail_command() {
    let demo = Demo::start().await.unwrap();
    let profile = tempfile::tempdir().unwrap();
    let taken = profile.path().join("taken");
    let settings = format!(
        "{ADA}[mail]\ncommand = [\"sh\", \"-c\", \"cat > {}\"]\n",
        taken.display()
    );
    let session = session(
        &demo,
        "gph-2@underloam.example",
        &settings,
        &says("", "Ja, schön."),
    );
    session.wait("It is a word that the server").await;
    session.press("R");
    session.wait("Send this mail?").await;
    let screen = without_names(&session).replace(&profile.path().display().to_string(), "DIR");
    insta::assert_snapshot!("write_letter", screen);
    session.choose("Mail it").await;
    session.wait("Mail accepted by sh").await;
    let letter = std::fs::read_to_string(taken).unwrap();
    assert!(
        letter.starts_with(
            "From: Ada <ada@example.org>\nTo: Botta <library@underloam.example>\nSubject: Re: Is a selector a path?\n\
             In-Reply-To: <gph-2@underloam.example>\n"
        ),
        "{letter}"
    );
    assert!(letter.contains("charset=utf-8\n"), "{letter}");
    assert_eq!(files(&session, "sent").len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn article_is_forwarded_by_mail() {
    let demo = Demo::start().await.unwrap();
    let profile = tempfile::tempdir().unwrap();
    let taken = profile.path().join("taken");
    let settings = format!(
        "{ADA}[mail]\ncommand = [\"sh\", \"-c\", \"cat > {}\"]\n",
        taken.display()
    );
    // The reader is named in the second run of the editor.
    let editor =
        "test -e \"$0.once\" && sed -i 's/^To:.*/To: bo@example.org/' \"$1\"\ntouch \"$0.once\"\n";
    let session = session(&demo, "gph-2@underloam.example", &settings, editor);
    session.wait("It is a word that the server").await;
    session.press("g F");
    session.wait("It cannot be sent: To is empty.").await;
    session.choose("Edit it").await;
    session.wait("To: bo@example.org").await;
    session.choose("Mail it").await;
    session.wait("Mail accepted by sh").await;
    let letter = std::fs::read_to_string(taken).unwrap();
    let text = "---------- Forwarded article ----------\nFrom: Botta <library@underloam.example>\n";
    assert!(
        letter.starts_with("From: Ada <ada@example.org>\nTo: bo@example.org\nSubject: Fwd: ")
            && letter.contains(text)
            && letter.contains("Message-ID: <gph-2@underloam.example>\n\n"),
        "{letter}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn failing_mail_command_is_quoted() {
    let demo = Demo::start().await.unwrap();
    let settings =
        format!("{ADA}[mail]\ncommand = [\"sh\", \"-c\", \"echo no route >&2; exit 75\"]\n");
    let session = session(
        &demo,
        "gph-2@underloam.example",
        &settings,
        &says("", "Ja."),
    );
    session.wait("It is a word that the server").await;
    session.press("R");
    session.wait("Send this mail?").await;
    session.choose("Mail it").await;
    session.wait("“sh” exited with status 75").await;
    session.wait("no route").await;
    session.press("Esc");
    session.wait("raft stored").await;
    assert_eq!(files(&session, "drafts").len(), 1);
}

fn path(session: &Session) -> String {
    session.path().display().to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn attachment_is_saved_under_a_sanitized_name() {
    let demo = Demo::start().await.unwrap();
    let text = "Here it is.\nbegin 644 ../../.profile\n#0V%T\n`\nend";
    let settings = format!("downloads = \"~/\"\n{ADA}");
    let session = session(&demo, "geomys.demo.empty", &settings, &says("A cat", text));
    session.wait("No articles here yet").await;
    session.press("P");
    session.wait("Post this article?").await;
    session.choose("Post it").await;
    session.wait("Posted").await;
    session.wait("Enter open").await;
    session.press("Enter");
    session
        .wait("[attachment: ../../.profile, uuencoded, 3 B]")
        .await;
    // Past the link to the group in the header.
    session.press("J J Enter");
    session.wait("Save as").await;
    insta::assert_snapshot!(
        "attachment",
        session.dialog().replace(&path(&session), "DIR")
    );
    session.press("Enter");
    session.wait("Saved ").await;
    let saved: Vec<PathBuf> = files(&session, ".")
        .into_iter()
        .filter(|path| std::fs::read(path).is_ok_and(|octets| octets == b"Cat"))
        .collect();
    assert_eq!(saved.len(), 1, "{:?}", files(&session, "."));
}

#[tokio::test(flavor = "multi_thread")]
async fn quotations_fold_and_rot13_toggles() {
    let demo = Demo::start().await.unwrap();
    let quoted = "> > > Deep.\n> > > Deeper.\n\nNot quoted.\n\n> 1\n> 2\n> 3\n> 4\n> 5\n> 6\n> 7\n\n> Short.\nHello Guvf.";
    let session = session(&demo, "geomys.demo.empty", ADA, &says("Long", quoted));
    session.wait("No articles here yet").await;
    session.press("P");
    session.wait("Post this article?").await;
    session.choose("Post it").await;
    session.wait("Posted").await;
    session.wait("Enter open").await;
    session.press("Enter");
    session.wait("> Short.").await;
    session.press("(");
    session.wait("[7 lines of quotation]").await;
    assert!(!session.screen().contains("Deeper"));
    session.press("%");
    session.wait("Uryyb This.").await;
    insta::assert_snapshot!("folded", session.page());
    // One quotation opens by itself; ROT13 changes neither the header nor the other one.
    session.press("% J J Enter");
    session.wait("> > > Deeper.").await;
    assert!(session.screen().contains("[7 lines of quotation]"));
    session.press("(");
    session.wait("> 7").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn long_draft_is_scrolled_before_sending() {
    let demo = Demo::start().await.unwrap();
    let text: Vec<String> = (1..=60).map(|line| format!("Line {line}.")).collect();
    let session = session(
        &demo,
        "geomys.demo.empty",
        ADA,
        &says("Long", &text.join("\n")),
    );
    session.wait("No articles here yet").await;
    session.press("P");
    session.wait("Space shows them").await;
    // The end of the text is always visible.
    session.wait("Line 60.").await;
    session.wait("To geomys.demo.empty as Ada").await;
    assert!(!session.screen().contains("Line 30."));
    session.press("Space Space Space");
    session.wait("Line 30.").await;
    session.press("PgUp PgUp PgUp PgUp PgUp");
    session.wait("From: Ada").await;
    assert!(!session.screen().contains("Line 30."));
    session.choose("Keep it as a draft").await;
    session.wait("raft stored").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn stored_drafts_are_listed_edited_and_removed() {
    let demo = Demo::start().await.unwrap();
    let editor = says("Rain", "Rain.");
    let refused = format!(
        "{editor}sed -i 's/^Newsgroups.*/&\\nMessage-ID: <gph-1@underloam.example>/' \"$1\"\n"
    );
    let session = session(&demo, "underloam.talk.weather", ADA, &refused);
    session.wait("of 10").await;
    session.press("E");
    session.wait("Outbox empty").await;
    // A refused draft.
    session.press("P");
    session.wait("Post this article?").await;
    session.choose("Post it").await;
    session.wait("It was not sent.").await;
    session.choose("Keep it as a draft").await;
    session.wait("raft stored").await;
    // A postponed draft.
    write(&session.profile, EDITOR, &says("Snow", "Snow."));
    session.press("P");
    session.wait("Subject: Snow").await;
    session.choose("Keep it as a draft").await;
    session.wait("raft stored").await;
    let drafts = session.path().join("drafts");
    let draft_files = files(&session, "drafts");
    assert_eq!(draft_files.len(), 2);
    for path in &draft_files {
        let is_rain = std::fs::read_to_string(path).unwrap().contains("Rain");
        let day = if is_rain {
            1_700_000_000
        } else {
            1_700_100_000
        };
        let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(day);
        let file = std::fs::File::options().write(true).open(path).unwrap();
        file.set_modified(time).unwrap();
    }
    session.press("E");
    session.wait("2 drafts").await;
    session.press("j");
    session.wait("the server said: 441").await;
    // The times must not depend on this machine's zone.
    let screen = session.screen();
    let lines = screen.lines().map(|line| match line.find("2023-11-") {
        Some(at) => format!("{}YYYY-MM-DD HH:MM{}", &line[..at], &line[at + 16..]),
        None => line.to_owned(),
    });
    insta::assert_snapshot!("drafts", lines.collect::<Vec<_>>().join("\n"));
    // The refused draft is opened again, without its fault.
    write(&session.profile, EDITOR, "sed -i '/^Message-ID/d' \"$1\"\n");
    session.press("Enter");
    session.wait("Post this draft?").await;
    session.wait("It goes to 127.0.0.1:").await;
    session.choose("Post it").await;
    session.wait("Posted").await;
    session.wait("Rain").await;
    // The other one is deleted after a question.
    session.press("E");
    session.wait("1 draft   Enter").await;
    session.press("X");
    session.wait("Delete this draft?").await;
    session.press("n");
    session.settle().await;
    assert_eq!(files(&session, "drafts").len(), 1);
    session.press("E");
    session.wait("1 draft   Enter").await;
    session.press("X y");
    session.wait("Outbox empty").await;
    assert_eq!(std::fs::read_dir(drafts).unwrap().count(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn follow_up_starts_from_the_group_list() {
    let demo = Demo::start().await.unwrap();
    let session = session(
        &demo,
        "underloam.talk.weather",
        ADA,
        "echo Indeed. >> \"$1\"\n",
    );
    session.wait("of 10").await;
    session.press("j j F");
    session.wait("Post this reply?").await;
    session.wait("Subject: Re: A storm in the jar").await;
    // Behind the question is the article, and behind that the group.
    session.choose("Keep it as a draft").await;
    session.wait("raft stored").await;
    session.wait("Newsgroups:  underloam.talk.weather").await;
    session.press("h");
    session.wait("▌").await;
    // Another author's article cannot be cancelled from there either.
    session.press("g X");
    session.wait("Only its author").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn follow_up_from_group_is_cancelled_by_another_key() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let go_on = Arc::new(Notify::new());
    let waits = Arc::clone(&go_on);
    let playing = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let group = "C: GROUP a.b\nS: 211 1 7 7 a.b\n";
        let script = format!(
            "S: 200 hi\nC: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: OVER\nS: .\n{group}C: OVER 7-7\nS: 224 x\n\
             S: 7\tA burrow\tbo@x\t\t<7@x>\t\t1\t1\nS: .\nC: ARTICLE 7\n"
        );
        play(&mut stream, &script).await;
        waits.notified().await;
        let article = "S: 220 7\nS: Subject: A burrow\nS: From: bo@x\nS: \nS: hello\nS: .\nsilence";
        play(&mut stream, article).await;
    });
    let profile = tempfile::tempdir().unwrap();
    write(&profile, "settings.toml", ADA);
    let group = [format!("nntp://{address}/a.b")];
    let session = Browser::in_profile(profile).open_all(&group).start();
    session.wait("A burrow").await;
    session.press("F j");
    // The key is handled before the answer arrives.
    session.screen();
    go_on.notify_one();
    session.wait("hello").await;
    session.settle().await;
    assert!(!session.screen().contains("Post"), "{}", session.screen());
    drop(session);
    assert_played(playing).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn answer_for_a_gemini_server_is_written_in_the_editor() {
    let capsule = Capsule::start(&Identity::self_signed("127.0.0.1"), |asked| {
        let answer = match asked.split_once('?') {
            Some((_, words)) => format!("20 text/plain\r\nIt heard {words}\n"),
            None => "10 Your verse\r\n".to_owned(),
        };
        (answer.into_bytes(), true)
    })
    .await;
    let session = Browser::new()
        .file(EDITOR, "echo 'the second' >> \"$1\"\n")
        .open(format!("gemini://{}/verse", capsule.address))
        .start();
    session.wait("Your verse").await;
    session.type_in("one");
    session.press("Alt-e");
    session.wait_in_prompt("one\u{2424}the second").await;
    session.press("Enter");
    session.wait("It heard one%0Athe%20second").await;
}
