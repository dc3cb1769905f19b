//! Gopher+, phone books and unknown types by keyboard.

use geomys_demo::Demo;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::support::screen::{Browser, Session};

/// A session at one address.
fn at(address: String, size: (u16, u16)) -> Session {
    Browser::new().open(address).size(size).start()
}

#[tokio::test(flavor = "multi_thread")]
async fn form_is_filled_sent_and_reply_saved() {
    let demo = Demo::start().await.unwrap();
    let session = at(
        format!("gopher://{}/1/post", demo.addresses.gopher),
        (80, 24),
    );
    session.wait("The parcel window").await;
    session.press("2 Enter");
    session.wait("[ Send ]").await;
    session.wait("receipt.txt").await;
    session.press("Ctrl-U");
    session.type_in("Bursarius");
    session.press("Tab");
    session.type_in("potato");
    session.press("Tab");
    session.type_in("Rain.");
    session.press("Enter");
    session.type_in("Stay in.");
    // Past the lines, the two checkboxes, then the choice.
    session.press("Down Space Down Space Tab Right");
    session.wait("(•) The dry one").await;
    insta::assert_snapshot!("ask", session.screen());
    assert!(!session.screen().contains("potato"));
    session.press("Ctrl-S");
    session.wait("6 octets, since forgotten").await;
    session.wait("Saved ").await;
    let screen = session.screen();
    for words in [
        "    Bursarius",
        "    2 lines:",
        "    Stay in.",
        "    The dry one",
    ] {
        assert!(screen.contains(words), "{words}:\n{screen}");
    }
    // The password is nowhere on screen: the address is that of the form.
    assert!(screen.contains("/0/post/telegram%09%09?"), "{screen}");
    let receipt = session.path().join("Downloads/receipt.txt");
    assert!(
        std::fs::read_to_string(receipt)
            .unwrap()
            .contains("Stay in.")
    );
    // Back shows the form with its answers.
    session.press("h");
    session.wait("Bursarius").await;
    session.press("Esc");
    session.wait("The parcel window").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn reply_of_a_form_makes_no_directory() {
    let demo = Demo::start().await.unwrap();
    let address = format!("gopher://{}/0/post/telegram%09%09?", demo.addresses.gopher);
    let session = at(address, (100, 30));
    session.wait("[ Send ]").await;
    session.press("Shift-Tab Shift-Tab Shift-Tab Shift-Tab Ctrl-U");
    session.type_in("missing/reply.txt");
    session.press("Ctrl-S");
    session.wait("no directory").await;
    assert!(!session.path().join("Downloads/missing").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn form_sends_a_file_after_confirmation() {
    let demo = Demo::start().await.unwrap();
    let address = format!("gopher://{}/0/post/telegram%09%09?", demo.addresses.gopher);
    let session = at(address, (100, 30));
    std::fs::write(session.path().join("note.txt"), "A note.\n").unwrap();
    session.wait("[ Send ]").await;
    session.press("Shift-Tab Shift-Tab Shift-Tab");
    session.type_in("~/none.txt");
    session.press("Ctrl-S");
    session.wait("Send the file").await;
    session.press("y");
    session.wait("cannot be read").await;
    session.press("Ctrl-U");
    session.type_in("~/note.txt");
    session.press("Ctrl-S");
    session.wait("note.txt to 127.0.0.1").await;
    session.press("n");
    session.wait_until_absent("Send the file").await;
    session.press("Ctrl-S y");
    session.wait("a file of 9 octets:").await;
    session.wait("A note.").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn item_attributes_are_a_page_with_views() {
    let demo = Demo::start().await.unwrap();
    let session = at(
        format!("gopher://{}/1/library", demo.addresses.gopher),
        (100, 30),
    );
    session.wait("Keeper: Botta").await;
    session.press("1 0 i");
    session.wait("What to do and not to do").await;
    session.settle().await;
    insta::assert_snapshot!("attributes", session.page());
    // The second view is the German one.
    session.press("J J J J Enter");
    session.wait("REGELN DER BÜCHEREI").await;
    session.wait("%09%09+text/plain%20De_DE").await;
    session.press("h h");
    session.wait("Keeper: Botta").await;
    // The item has moved: the error page links to the new one.
    session.press("1 1 i");
    session.wait("It is now at").await;
    session.settle().await;
    insta::assert_snapshot!("moved", session.screen());
    session.press("Enter");
    session.wait("RULES OF THE LIBRARY").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_item_type_opens_as_chosen() {
    let demo = Demo::start().await.unwrap();
    let session = at(
        format!("gopher://{}/X/about.txt", demo.addresses.gopher),
        (80, 24),
    );
    session.wait("type “X”").await;
    insta::assert_snapshot!("unknown", session.dialog());
    session.choose("Text").await;
    session.wait("A tunnel leads from one").await;
    session.wait("/0/about.txt").await;
    session.press("o");
    session.type_in(&format!("gopher://{}/X/about.txt", demo.addresses.gopher));
    session.press("Enter");
    session.wait("type “X”").await;
    session.choose("Save it").await;
    session.wait("Save as").await;
    session.press("Enter");
    session.wait("Saved ").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn phone_book_query_is_a_form() {
    let demo = Demo::start().await.unwrap();
    let session = at(format!("gopher://{}/2", demo.addresses.phone), (100, 24));
    session.wait("Where letters go.").await;
    session.press("Tab Tab");
    session.type_in("b*");
    insta::assert_snapshot!("phone-form", {
        session.wait("b*").await;
        session.screen()
    });
    session.press("Ctrl-S");
    session.wait("/2%09name=b*").await;
    session.wait("? help").await;
    insta::assert_snapshot!("phone", session.page());
}

#[tokio::test(flavor = "multi_thread")]
async fn filled_form_in_url_asks_before_sending() {
    let demo = Demo::start().await.unwrap();
    let filled = "%09%09+%091%0D%0A+-1%0D%0ABotta%0D%0Ax%0D%0A0%0D%0A1%0D%0A0%0D%0AThe%20short%20one%0D%0A%0D%0A.%0D%0A";
    let address = format!("gopher://{}/0/post/telegram{filled}", demo.addresses.gopher);
    let session = at(address.clone(), (80, 24));
    session.wait("contains a filled form").await;
    insta::assert_snapshot!("send", session.dialog());
    session.choose("No").await;
    session.wait("Not answered, so not loaded").await;
    session.press("r");
    session.wait("contains a filled form").await;
    session.choose("Yes").await;
    session.wait("TELEGRAM").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn dead_server_falls_back_to_named_mirror() {
    let dead = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let dead_place = dead.local_addr().unwrap();
    drop(dead);
    let menu = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let here = menu.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = menu.accept().await.unwrap();
            let mut line = [0; 99];
            let count = stream.read(&mut line).await.unwrap();
            let reply = match &line[..count] {
                b"/mirror\r\n" => "From the mirror.\r\n.\r\n".to_owned(),
                _ => format!(
                    "0A text\t/text\t127.0.0.1\t{}\r\n+Its mirror\t/mirror\t127.0.0.1\t{}\r\n.\r\n",
                    dead_place.port(),
                    here.port()
                ),
            };
            stream.write_all(reply.as_bytes()).await.unwrap();
        }
    });
    let session = at(format!("gopher://{here}/"), (100, 20));
    session.wait("Its mirror").await;
    session.press("Enter");
    session.wait("From the mirror.").await;
    session.wait("Answered by the mirror").await;
    session.wait("/0/mirror").await;
}

/// A session at one address, with these settings.
fn set(settings: &str, address: String, size: (u16, u16)) -> Session {
    Browser::new()
        .settings(settings)
        .open(address)
        .size(size)
        .start()
}

#[tokio::test(flavor = "multi_thread")]
async fn telnet_runs_external_program_after_confirmation() {
    let demo = Demo::start().await.unwrap();
    let settings = "[open]\ntelnet = [\"tn\", \"-d\", \"{host}\", \"{port}\"]\ntn3270 = [\"missing\", \"{host}\"]\n\
                    http = [\"xdg-open\", \"{url}\"]\n";
    let session = set(
        settings,
        format!("gopher://{}/1/types", demo.addresses.gopher),
        (80, 24),
    );
    session.wait("4/45").await;
    session.press("8 Enter");
    session.wait("Run the configured program").await;
    insta::assert_snapshot!("telnet", session.dialog());
    session.press("n");
    session
        .wait_until_absent("Run the configured program")
        .await;
    assert!(session.ran.lock().unwrap().is_empty());
    session.press("8 Enter y");
    session.wait("tn” exited").await;
    assert_eq!(
        *session.ran.lock().unwrap(),
        [["tn", "-d", "underloam.example", "23"]]
    );
    session.press("1 1 Enter");
    session.wait("missing underloam.example").await;
    session.press("y");
    session.wait("Program not found: missing").await;
    // A web page goes to the configured browser; a javascript: link goes nowhere.
    session.press("2 3 Enter");
    session.wait("xdg-open http://underloam.example/").await;
    assert!(!session.screen().contains("proxy"));
    session.press("Esc 2 7 Enter");
    session.wait("does not support javascript").await;
    assert_eq!(session.ran.lock().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn external_program_question_names_hazards_or_refuses() {
    let settings =
        "[open]\ntelnet = [\"tn\", \"{host}\", \"{user}\"]\nhttp = [\"see\", \"{url}\"]\n";
    let demo = Demo::start().await.unwrap();
    let session = set(
        settings,
        format!("gopher://{}/", demo.addresses.gopher),
        (100, 30),
    );
    session.wait("town below a meadow").await;
    let type_in = |address: &str| {
        session.press("o");
        session.type_in(address);
        session.press("Enter");
    };
    type_in("http://h.example/a%0Ab");
    session
        .wait("has an encoded line break: it is never sent")
        .await;
    assert!(!session.screen().contains("Run the configured program"));
    type_in("telnet://a.example:secret@h.example:25/");
    session.wait("Run the configured program").await;
    for words in [
        "the port belongs to another service",
        "it contains a password",
        "the user looks like a host",
    ] {
        session.wait(words).await;
    }
    session.press("n");
    session
        .wait_until_absent("Run the configured program")
        .await;
    // Arguments with invisible characters or a leading hyphen are refused.
    type_in("telnet://a%1B%5B2Jb@h.example/");
    session
        .wait("the arguments of tn would contain invisible characters")
        .await;
    type_in("telnet://a%E2%80%AEb@h.example/");
    session
        .wait("the arguments of tn would contain invisible characters")
        .await;
    type_in("telnet://-x@h.example/");
    session.wait("ot run: tn would read -x as an option").await;
    assert!(session.ran.lock().unwrap().is_empty());
    // Without an open page, the home page is shown.
    let session = set(settings, "http://h.example/%00".to_owned(), (100, 30));
    session.wait("has an encoded NUL: it is never sent").await;
    session.wait("Start here").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn external_viewer_opens_image() {
    let demo = Demo::start().await.unwrap();
    let settings =
        "[view-in-terminal]\n\"image/gif\" = [\"look\", \"-t\", \"{type}\", \"{file}\"]\n";
    let session = set(
        settings,
        format!("gopher://{}/1/types", demo.addresses.gopher),
        (80, 24),
    );
    session.wait("4/45").await;
    session.press("1 2 Enter");
    session.wait("View it with look").await;
    session.wait("look -t image/gif view.gif").await;
    insta::assert_snapshot!("view", session.dialog());
    session.choose("View it with look").await;
    session.wait("look” exited").await;
    let ran = session.ran.lock().unwrap().remove(0);
    assert_eq!(ran[..3], ["look", "-t", "image/gif"]);
    assert!(ran[3].ends_with("/view.gif"), "{ran:?}");
    // The file is removed when the viewer ends.
    assert!(!std::path::Path::new(&ran[3]).exists());
    session.press("1 2 Enter");
    session.wait("View it with look").await;
    session.choose("Save it").await;
    session.wait("Save as").await;
    session.press("Enter");
    session.wait("Saved ").await;
    // No program is set for sounds.
    session.press("1 8 Enter");
    session.wait("Sound · Enter save").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn up_recalls_earlier_search_words() {
    let demo = Demo::start().await.unwrap();
    let session = at(
        format!("gopher://{}/7/search", demo.addresses.gopher),
        (80, 24),
    );
    session.wait("Enter search").await;
    for words in ["potato", "tunnel"] {
        session.type_in(words);
        session.press("Enter");
        // Its answer is here, not only its address.
        session
            .wait_until(words, |screen| {
                let address = screen.lines().next().unwrap_or_default();
                address.contains(&format!("%09{words} ")) && screen.contains("Enter open")
            })
            .await;
        session.wait("Search again").await;
        session.wait("Enter open").await;
        session.press("G Enter");
        session.wait("Search again (").await;
    }
    session.type_in("half a w");
    session.press("Up Up");
    session.wait_in_prompt("> potato ").await;
    session.press("Down Down");
    session.wait_in_prompt("> half a w ").await;
    session.press("Up Enter");
    session.wait("/7/search%09tunnel").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn query_behind_search_item_is_offered_as_search_words() {
    let demo = Demo::start().await.unwrap();
    let session = at(
        format!("gopher://{}/7/search?potato+soup", demo.addresses.gopher),
        (80, 24),
    );
    session.wait("Search for “potato soup”?").await;
    insta::assert_snapshot!("query", session.dialog());
    session.choose("Search").await;
    session.wait("/7/search%09potato%20soup").await;
    session.wait("Search again").await;
    session.press("o");
    session.type_in(&format!("gopher://{}/7/search?x", demo.addresses.gopher));
    session.press("Enter");
    session.wait("Search for “x”?").await;
    session.press("o");
    // The selector itself is valid, and a search needs words.
    session.wait("Enter search").await;
}

/// A server whose selectors are split at colons, with or without saying so in caps.txt; gives its requests.
async fn colons(
    tells: bool,
) -> (
    std::net::SocketAddr,
    std::sync::Arc<std::sync::Mutex<Vec<String>>>,
) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let here = listener.local_addr().unwrap();
    let requests = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let log = requests.clone();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut line = [0; 99];
            let count = stream.read(&mut line).await.unwrap();
            let line = String::from_utf8_lossy(&line[..count])
                .trim_end()
                .to_owned();
            let reply = match (line.as_str(), tells) {
                ("/caps.txt", true) => "CAPS\nPathDelimeter=:\nPathKeepPreDelimeter=TRUE\n",
                ("caps.txt" | "/caps.txt", _) => "3No\t\terror.host\t1\r\n.\r\n",
                _ => "iWords\t\t\t\r\n.\r\n",
            };
            log.lock().unwrap().push(line);
            stream.write_all(reply.as_bytes()).await.unwrap();
        }
    });
    (here, requests)
}

#[tokio::test(flavor = "multi_thread")]
async fn up_follows_caps_delimiter_and_fetches_caps_once() {
    let (here, requests) = colons(true).await;
    let session = at(format!("gopher://{here}/1a:b/x:c"), (80, 24));
    session.wait("Words").await;
    assert_eq!(*requests.lock().unwrap(), ["a:b/x:c"]);
    session.press("u");
    session.wait_until_absent("/1a:b/x:c").await;
    session.wait("/1a:b/x").await;
    session.press("u");
    session.wait_until_absent("/1a:b/x").await;
    session.wait("Words").await;
    let expected = ["a:b/x:c", "caps.txt", "/caps.txt", "a:b/x", "a"];
    assert_eq!(*requests.lock().unwrap(), expected);
    // Without caps.txt the usual delimiter applies.
    let (here, _) = colons(false).await;
    let session = at(format!("gopher://{here}/1a:b/x:c"), (80, 24));
    session.wait("Words").await;
    session.press("u");
    session.wait_until_absent("/1a:b/x").await;
    assert!(session.screen().contains("/1a:b"), "{}", session.screen());
}

#[tokio::test(flavor = "multi_thread")]
async fn charset_chosen_for_a_host_is_used_again() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let here = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut line = [0; 99];
            let _ = stream.read(&mut line).await.unwrap();
            let text = b"\xf0\xd2\xc9\xd7\xc5\xd4\r\n.\r\n";
            stream.write_all(text).await.unwrap();
        }
    });
    let session = at(format!("gopher://{here}/0a"), (80, 24));
    // The detected charset, and the one that the user chooses.
    session.wait("Привет").await;
    session.wait("KOI8-U").await;
    session.press("e");
    session.wait("Charset of").await;
    insta::assert_snapshot!("charset", session.dialog());
    session.press("w");
    session.wait("ðÒÉ×ÅÔ").await;
    session.press("o");
    session.type_in(&format!("gopher://{here}/0b"));
    session.press("Enter");
    session.wait("/0b ").await;
    session.wait("ðÒÉ×ÅÔ").await;
    session.press("e");
    session.wait("Charset of").await;
    session.press("a");
    session.wait("Привет").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn external_program_question_warns_about_bypassed_proxy() {
    let settings = "[network]\nproxy = \"127.0.0.1:1\"\n[open]\ntelnet = [\"tn\", \"{host}\"]\n";
    let session = set(settings, "telnet://h.example/".to_owned(), (80, 24));
    session.wait("it does not use your proxy").await;
    session.choose("No").await;
    session.wait("Start here").await;
    assert!(session.ran.lock().unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn misleading_address_asks_once() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let authority = listener.local_addr().unwrap();
    tokio::spawn(async move {
        // Not an FTP server: the load reports that after the confirmation.
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.write_all(b"421 Not today.\r\n").await;
        }
    });
    let session = at(format!("ftp://ftp.example.org@{authority}/"), (80, 24));
    session.wait("Open it?").await;
    insta::assert_snapshot!("hazard", session.dialog());
    session.choose("No").await;
    session.wait("Not answered, so not loaded").await;
    session.press("r");
    session.wait("Open it?").await;
    session.choose("Yes").await;
    session.wait("Not today.").await;
    // The warning was shown once.
    session.press("r");
    session.settle().await;
    session.wait("Not today.").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn small_screen_shows_all_departures_of_typed_address() {
    let demo = Demo::start().await.unwrap();
    let session = at(
        format!("gopher://{}/0/about.txt", demo.addresses.gopher),
        (80, 24),
    );
    session.wait("town of pocket gophers").await;
    session.press("o");
    session.type_in("gopher://a_b./~x y");
    session.wait("opens as gopher://a_b./%7Ex%20y").await;
    session
        .wait("a dot that ends the host (RFC 3986, section 3.2.2); an")
        .await;
    session
        .wait("underscore in the host (RFC 3986, section 3.2.2)")
        .await;
}
