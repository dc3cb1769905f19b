//! Binaries in several articles of a group: joined, checked and saved.

use std::fs;

use geomys_testing::news::NewsServer;

use super::read_on::session;
use crate::support::screen::Browser;

/// The octets of a file whose yEnc form is ASCII.
fn octets() -> Vec<u8> {
    (0..=18).cycle().take(700).collect()
}

/// The article with part `number` of three of [`octets`], with this CRC-32.
fn part(number: usize, crc: u32) -> String {
    let (file, size) = (octets(), 300);
    let begin = (number - 1) * size;
    let end = (begin + size).min(file.len());
    let lines: String = file[begin..end]
        .chunks(128)
        .map(|line| {
            let letters = line.iter().map(|octet| char::from(octet + 42));
            letters.collect::<String>() + "\n"
        })
        .collect();
    format!(
        "From: Ada <ada@example.org>\nNewsgroups: a.bin\nSubject: \"seeds.bin\" yEnc ({number}/3)\n\
         Date: Thu, 19 Nov 2026 12:00:00 +0000\nMessage-ID: <{number}@x>\n\n\
         =ybegin part={number} total=3 line=128 size=700 name=../seeds.bin\n=ypart begin={} end={end}\n\
         {lines}=yend size={} part={number} pcrc32={crc:08x}\n",
        begin + 1,
        end - begin
    )
}

fn crc32(octets: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(octets);
    crc.sum()
}

/// The articles of the file, all complete.
fn parts() -> Vec<String> {
    let file = octets();
    let parts = (1..).zip(file.chunks(300));
    parts
        .map(|(number, octets)| part(number, crc32(octets)))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn parts_of_a_binary_are_joined_checked_and_saved() {
    let mut articles = parts();
    articles.rotate_left(1);
    articles.insert(1, super::read_on::article("a.bin", 9, 3));
    let server = NewsServer::start(vec![("a.bin", articles)]).await;
    let session = session(&server, &["a.bin"], (100, 24));
    session.wait("4 of 4 unread").await;
    session.press("/");
    session.type_in("(2/3)");
    session.press("Enter");
    session.settle().await;
    session.press("g d");
    session.wait("checksum correct").await;
    // The name of the file is no path.
    let saved = session.path().join("Downloads/seeds.bin");
    assert_eq!(fs::read(saved).unwrap(), octets());
    // From the page of a part it is the same file, under a free name.
    session.press("Enter");
    session.wait("Message-ID:").await;
    session.press("g d");
    session.wait("seeds (2).bin").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn part_of_a_message_that_is_opened_by_its_own_url_is_joined() {
    let texts = [
        "Content-Type: text/plain; name=seeds.txt\n\nOne and \n",
        "two and \n",
        "three.\n",
    ];
    let parts = (1..).zip(texts).map(|(number, text)| {
        format!(
            "From: Ada <ada@x>\nNewsgroups: other.group,a.bin\nSubject: seeds ({number}/3)\nMessage-ID: <{number}@x>\n\
             Content-Type: message/partial; id=\"7@x\"; number={number}; total=3\n\n{text}"
        )
    });
    let parts: Vec<String> = parts.collect();
    let mut articles: Vec<String> = (1..=3)
        .map(|number| super::read_on::article("a.bin", number, 3))
        .collect();
    articles.extend(parts);
    let server = NewsServer::start(vec![("a.bin", articles)]).await;
    let address = server.address;
    for (url, is_open) in [
        ("news:2@x".to_owned(), false),
        ("news:2@x".to_owned(), true),
        (format!("nntp://{address}/a.bin/5"), false),
    ] {
        let mut browser = Browser::new()
            .news(address)
            .settings("downloads = \"~/\"\n");
        if is_open {
            browser = browser.open(format!("nntp://{address}/a.bin"));
        }
        let session = browser.open(url).start();
        session.wait("seeds (2/3)").await;
        session.press("g d");
        session.wait("seeds.txt").await;
        session.wait("aved ").await;
        let saved = fs::read_to_string(session.path().join("seeds.txt")).unwrap();
        assert_eq!(saved, "One and \r\ntwo and \r\nthree.\r\n");
        session.press("q");
        session.end().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn message_in_parts_without_counters_in_the_subjects_is_joined() {
    let part = |number: usize, id: &str, text: &str| {
        format!(
            "From: Ada <ada@x>\nNewsgroups: a.bin\nSubject: seeds\nMessage-ID: <{number}{id}>\n\
             Content-Type: message/partial; id=\"{id}\"; number={number}{}\n\n{text}",
            if number == 3 { "; total=3" } else { "" }
        )
    };
    let named = "Content-Type: text/plain; name=seeds.txt\n\nOne and \n";
    let mut articles = vec![
        part(1, "7@x", named),
        // Others with the same author and subject: a part of another message, and a text.
        part(2, "8@x", "not this, "),
        "From: Ada <ada@x>\nNewsgroups: a.bin\nSubject: seeds\nMessage-ID: <9@x>\n\nWords.\n"
            .to_owned(),
        part(3, "7@x", "three.\n"),
    ];
    let server = NewsServer::start(vec![("a.bin", articles.clone())]).await;
    let session = Browser::new()
        .settings("downloads = \"~/\"\n")
        .open(format!("nntp://{}/a.bin/1", server.address))
        .start();
    session.wait("message/partial").await;
    session.press("g d");
    session.wait("part 2 is missing").await;
    articles.push(part(2, "7@x", "two and \n"));
    server.add("a.bin", articles.last().unwrap());
    session.press("g d");
    session.wait("seeds.txt").await;
    session.wait("aved ").await;
    let saved = fs::read_to_string(session.path().join("seeds.txt")).unwrap();
    assert_eq!(saved, "One and \r\ntwo and \r\nthree.\r\n");
    session.press("q");
    session.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn missing_and_damaged_parts_are_reported_and_nothing_is_saved() {
    let mut articles = parts();
    articles.remove(1);
    let server = NewsServer::start(vec![("a.bin", articles)]).await;
    let session = session(&server, &["a.bin"], (100, 24));
    session.wait("2 of 2 unread").await;
    session.press("g d");
    session.wait("parts 2 of 3 are missing in this group").await;
    server.add("a.bin", &part(2, 7));
    session.press("r");
    session.wait("3 of 3 unread").await;
    session.press("g d");
    session.wait("part 2: checksum mismatch").await;
    assert!(!session.path().join("Downloads").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn marked_articles_are_downloaded_at_once() {
    let articles = (1..=5).map(|number| super::read_on::article("a.b", number, 3));
    let server = NewsServer::start(vec![("a.b", articles.collect())]).await;
    let session = session(&server, &["a.b"], (80, 24));
    session.wait("5 of 5 unread").await;
    // The first is marked and not; two others stay marked when the order changes.
    session.press("v k v v v");
    session.wait("2 rows are marked").await;
    session.press(", s");
    session.wait("Sorted by subject").await;
    let screen = session.screen();
    assert_eq!(screen.matches("●+").count(), 2, "{screen}");
    session.press("d");
    let saved = || -> Vec<String> {
        let files = fs::read_dir(session.path().join("Downloads"));
        let files = files.into_iter().flatten().flatten();
        let texts = files.filter_map(|file| fs::read_to_string(file.path()).ok());
        texts.filter(|text| text.contains("Line 3.")).collect()
    };
    session
        .wait_until("both files", |_| saved().len() == 2)
        .await;
    assert!(!session.screen().contains("●+"));
    let saved = saved().concat();
    let numbers = (1..=5).filter(|number| saved.contains(&format!("<{number}.a.b@x>")));
    assert_eq!(numbers.collect::<Vec<_>>(), [3, 4]);
}

#[tokio::test(flavor = "multi_thread")]
async fn marked_articles_are_piped_to_a_program() {
    let articles = (1..=3).map(|number| super::read_on::article("a.b", number, 3));
    let server = NewsServer::start(vec![("a.b", articles.collect())]).await;
    let session = session(&server, &["a.b"], (80, 24));
    session.wait("3 of 3 unread").await;
    let file = session.path().join("piped");
    let tee = format!("tee {}", file.display());
    session.press("v v |");
    session.wait("Pipe to").await;
    session.type_in(&tee);
    session.press("Enter");
    session.wait("“tee” exited").await;
    let piped = fs::read_to_string(&file).unwrap();
    assert_eq!(piped.matches("From geomys ").count(), 2, "{piped}");
    // The rows begin with the newest article, and the program gets the series in order.
    let place = |id: &str| piped.find(id).unwrap();
    assert!(place("<2.a.b@x>") < place("<3.a.b@x>"), "{piped}");
    // Without marks it is the article under the cursor, as it came.
    session.press("Esc G |");
    session.wait("Pipe to").await;
    session.type_in(&tee);
    session.press("Enter");
    session
        .wait_until("the other article", |_| {
            fs::read_to_string(&file)
                .is_ok_and(|piped| piped.contains("Line 3.") && !piped.contains("geomys"))
        })
        .await;
    session.wait("“tee” exited").await;
    assert!(fs::read_to_string(&file).unwrap().contains("<1.a.b@x>"));
    // No shell is run.
    session.press("|");
    session.wait("Pipe to").await;
    session.type_in("cat > x");
    session.press("Enter");
    session.wait("needs a shell").await;
}
