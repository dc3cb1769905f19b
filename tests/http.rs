//! The demo's web pages, as a user sees them.

use std::io::Read;
use std::path::Path;

use geomys_demo::Demo;
use geomys_load::{Purpose, Reason, Request};
use geomys_store::transfer::download::{Target, download};
use geomys_testing::loading::{show, texts, url};
use geomys_testing::web::{HttpRequest, Web, ok};
use geomys_wire::net::Net;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::support::command::{geomys, text};
use crate::support::screen::Browser;

#[tokio::test]
async fn demo_front_page_has_text_and_links() {
    let demo = Demo::start().await.unwrap();
    let web = demo.addresses.web;
    let serving = tokio::spawn(demo.serve());
    let address = format!("http://{web}/");
    let dump = move || geomys(&["dump", "--links", "--width", "72", &address], "");
    let output = tokio::task::spawn_blocking(dump).await.unwrap();
    let shown = text(&output.stdout).replace(&web.to_string(), "HERE");
    let lines = shown.lines();
    let lines: Vec<&str> = lines.filter(|line| !line.contains("gopher://")).collect();
    let shown = lines.join("\n");
    insta::with_settings!({snapshot_path => "snapshots"}, {
        insta::assert_snapshot!("web-demo", shown);
    });
    serving.abort();
}

#[tokio::test]
async fn demo_pages_open_and_download_resumes() {
    let demo = Demo::start().await.unwrap();
    let here = format!("http://{}", demo.addresses.web);
    let serving = tokio::spawn(demo.serve());
    let net = Net::default();
    let old = show(&net, format!("{here}/old")).await.whole();
    assert_eq!(old.place(), url(format!("{here}/page.html")));
    let latin = show(&net, format!("{here}/latin1.txt")).await.whole();
    assert!(texts(&latin.document()).concat().contains('ö'));
    let failure = show(&net, format!("{here}/lost")).await.failure();
    assert_eq!(failure.said.len(), 2);

    let directory = tempfile::tempdir().unwrap();
    let request = Request {
        purpose: Purpose::Save,
        ..Request::show(url(format!("{here}/seeds.bin")), Reason::Typed)
    };
    let target = Target::New(directory.path().join("whole"));
    let whole = download(&net, request.clone(), target, |_, _| {})
        .await
        .unwrap();
    let octets = std::fs::read(&whole.path).unwrap();
    let place = directory.path().join("again");
    std::fs::write(directory.path().join("again.part"), &octets[..100]).unwrap();
    let state =
        format!("geomys transfer 1\nurl {here}/seeds.bin\ntag \"underloam-1\"\noctets 100\n");
    std::fs::write(directory.path().join("again.part.geomys"), state).unwrap();
    let mut first = None;
    let target = Target::New(place.clone());
    let went = |octets, _| {
        first.get_or_insert(octets);
    };
    download(&net, request, target, went).await.unwrap();
    assert_eq!(first, Some(100));
    assert_eq!(std::fs::read(place).unwrap(), octets);
    serving.abort();
}

#[tokio::test]
async fn page_is_shown_laid_out_while_it_arrives() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/", listener.local_addr().unwrap());
    let (more, wait) = oneshot::channel::<()>();
    let serving = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut head = [0; 4096];
        let _ = stream.read(&mut head).await.unwrap();
        let begin = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>The roof</title><p>first <b>words</b>";
        stream.write_all(begin.as_bytes()).await.unwrap();
        wait.await.unwrap();
        stream.write_all(b"<p>last words").await.unwrap();
    });
    let session = Browser::new().open(address).start();
    let is_laid_out = |screen: &str| screen.contains("first words");
    session.wait_until("first words", is_laid_out).await;
    more.send(()).unwrap();
    session.wait("last words").await;
    serving.await.unwrap();
}

fn answer(request: &HttpRequest) -> Vec<u8> {
    match request.path() {
        "/" => ok(
            "Content-Type: text/html\r\n",
            "<p>Start<form method=post action=/send><input name=n></form><form action='/find?old'><input name=q></form>",
        ),
        path => {
            let body = format!("<p>{path} has {}", request.body);
            ok("Content-Type: text/html\r\n", body)
        }
    }
}

#[tokio::test]
async fn form_is_filled_sent_and_sent_again_only_after_a_question() {
    let web = Web::start(answer).await;
    let session = Browser::new().open(web.url("/")).size((100, 24)).start();
    session.wait("Start").await;
    session.press("J Enter");
    session.type_in("Ada & Co");
    // Enter in the only field sends the form.
    session.wait("[Ada & Co____________] [Send]").await;
    session.press("Enter");
    session.wait("/send has n=Ada+%26+Co").await;
    session.press("r");
    session.wait("Send the form to").await;
    session.press("n");
    session.wait_until_absent("Send the form to").await;
    assert_eq!(web.take_lines(), ["GET /", "POST /send"]);
    session.press("r");
    session.wait("Send the form to").await;
    session.press("y");
    session.wait_until_absent("Send the form to").await;
    session.wait("/send has n=Ada+%26+Co").await;
    assert_eq!(web.take_lines(), ["POST /send"]);
}

#[tokio::test]
async fn reset_button_undoes_answers_and_disabled_fields_are_shown_but_not_sent() {
    let page = "<form action=/send><p><input name=n value=Ada size=9><input name=d value=Locked size=9 disabled>\
                <input type=checkbox name=c checked disabled>\
                <select name=s disabled><option>First<option selected>Second</select>\
                <p><input type=submit value=Go><input type=reset><input type=button value=Sum>\
                <input type=submit name=x value=Off disabled><input type=radio name=r checked disabled>\
                <input type=hidden name=h value=1><input type=password name=p disabled hidden></form>";
    let web = Web::start(move |request| match request.path() {
        "/" => ok("Content-Type: text/html\r\n", page),
        _ => answer(request),
    })
    .await;
    let session = Browser::new().open(web.url("/")).size((100, 24)).start();
    session.wait("[Ada______][Locked___][x][Second_]").await;
    session.wait("[Go][Reset][Sum][Off](*)").await;
    session.press("J Enter");
    session.type_in(" L");
    session.wait("[Ada L____]").await;
    session.press("Esc");
    session.press("J Enter");
    session
        .wait("The page does not let this field be changed")
        .await;
    session.wait("[Ada L____]").await;
    // The other disabled fields, then the buttons.
    session.press("J J J J");
    session.wait("Enter reset").await;
    session.press("Enter");
    session.wait("[Ada______]").await;
    session.press("K Enter");
    session.wait("/send?n=Ada&h=1").await;
    assert_eq!(web.take_lines(), ["GET /", "GET /send?n=Ada&h=1"]);
}

#[tokio::test]
async fn page_leads_on_by_a_field_as_by_its_markup() {
    let web = Web::start(move |request| match request.path() {
        "/" => ok(
            "Content-Type: text/html\r\nRefresh: 5; url=/next\r\n",
            "<p>Moved",
        ),
        "/empty" => ok("Content-Type: text/html\r\nRefresh: 0;URL='/next'\r\n", ""),
        "/again" => ok("Content-Type: text/html\r\nRefresh: 60\r\n", "<p>A clock"),
        _ => answer(request),
    })
    .await;
    for (path, words) in [("/", "Moved"), ("/empty", "")] {
        let session = Browser::new().open(web.url(path)).size((100, 24)).start();
        session.wait("[this page redirects to /next]").await;
        session.wait(words).await;
        session.press("J Enter");
        session.wait("/next has").await;
        session.press("q");
        let profile = session.end().await.profile;
        // The copy has the link too.
        let session = Browser::in_profile(profile).size((100, 24)).start();
        session.wait("geomys:home").await;
        session.run_command("offline").await;
        session.press("o");
        session.type_in(&web.url(path));
        session.press("Enter");
        session.wait("[this page redirects to /next]").await;
    }
    let session = Browser::new()
        .open(web.url("/again"))
        .size((100, 24))
        .start();
    session.wait("A clock").await;
    assert!(!session.screen().contains("redirects"));
}

#[tokio::test]
async fn first_field_that_can_be_changed_is_edited() {
    let page = "<form action=/send><input name=d value=Off disabled><input name=n value=Ada size=9></form>";
    let web = Web::start(move |_| ok("Content-Type: text/html\r\n", page)).await;
    let session = Browser::new().open(web.url("/")).size((100, 24)).start();
    session.wait("[Ada______]").await;
    session.press("Tab");
    session.type_in("!");
    session.wait("[Ada!_____]").await;
}

#[tokio::test]
async fn read_only_fields_are_sent_as_they_are_and_a_field_set_is_disabled_as_a_whole() {
    let page = "<form action=/send><input name=r value=Fixed readonly size=9><textarea name=t readonly>Long</textarea>\
                <fieldset disabled><legend><input name=l value=Legend size=9></legend>\
                <input name=o value=Off size=9><fieldset><legend><input name=i value=In size=9></legend></fieldset>\
                <input type=submit name=x value=No></fieldset>\
                <fieldset><input name=n value=Ada size=9></fieldset><input type=submit value=Go></form>";
    let web = Web::start(move |request| match request.path() {
        "/" => ok("Content-Type: text/html\r\n", page),
        _ => answer(request),
    })
    .await;
    let session = Browser::new().open(web.url("/")).size((100, 24)).start();
    session.wait("[Ada______]").await;
    for name in ["Fixed", "Off", "In"] {
        session.click(&format!("[{name}_"));
        session
            .wait("The page does not let this field be changed")
            .await;
    }
    session.click("[Legend");
    session.type_in("s");
    session.wait("[Legends__]").await;
    session.press("Esc");
    session.wait_until_absent("Esc done").await;
    session.click("[Go]");
    session.wait("/send?r=Fixed&t=Long&l=Legends&n=Ada").await;
}

#[tokio::test]
async fn tab_and_enter_go_to_the_first_field_if_nothing_is_selected() {
    let page = "<p>Log in<form method=post action=/send><input name=n placeholder=Name><textarea name=t rows=3>\
                </textarea></form>";
    let web = Web::start(move |request| match request.path() {
        "/" => ok("Content-Type: text/html\r\n", page),
        _ => answer(request),
    })
    .await;
    for key in ["Tab", "Enter"] {
        let session = Browser::new().open(web.url("/")).size((100, 24)).start();
        session.wait("[Name______").await;
        session.press(key);
        session.wait("[__________").await;
        session.type_in("Ada");
        session.wait("[Ada_______").await;
        session.press("Tab");
        session.type_in("two words");
        session.wait("[two words__").await;
        // The text of a field is found.
        session.press("Esc");
        session.press("/");
        session.type_in("two wo");
        session.wait("1 of 1").await;
        session.press("Esc");
    }
}

#[tokio::test]
async fn hidden_part_of_a_page_unfolds() {
    let page = "<p>Start<div style='display:none'>one<br>two</div><p>End";
    let web = Web::start(move |_| ok("Content-Type: text/html\r\n", page)).await;
    let session = Browser::new().open(web.url("/")).size((100, 24)).start();
    session.wait("2 hidden lines").await;
    assert!(!session.screen().contains("two"), "{}", session.screen());
    session.press("Enter");
    session.wait("two").await;
    session.press("g f");
    session.wait_until_absent("two").await;
    session.press("g f");
    session.wait("two").await;
}

#[tokio::test]
async fn answers_of_a_get_form_are_the_query_of_its_url() {
    let web = Web::start(answer).await;
    let session = Browser::new().open(web.url("/")).size((100, 24)).start();
    session.wait("Start").await;
    session.press("J J J Enter");
    session.type_in("tea time");
    // The button sends it, too.
    session.press("Tab Enter");
    session.wait("/find?q=tea+time has").await;
    assert_eq!(web.take_lines(), ["GET /", "GET /find?q=tea+time"]);
}

#[tokio::test]
async fn fields_are_edited_and_chosen_where_they_are() {
    let page = "<p>Start<form method=post action=/find>Find <input name=q value='default words'> <input type=radio name=m value=e checked> exact \
                <input type=radio name=m value=f> fuzzy <input type=checkbox name=c value=y> case \
                <select name=s><option>One<option>Two</select> <textarea name=t rows=2 cols=8></textarea>\
                <input type=submit value='Go now'></form>";
    let web = web_with(page).await;
    let session = Browser::new().open(web.url("/")).size((100, 24)).start();
    session
        .wait("Find [default words_] (*) exact ( ) fuzzy [ ] case [One_]")
        .await;
    // Letters are typed, also those with a command; of a longer text the end is shown.
    session.press("J Enter");
    session.type_in(" q");
    session.wait("[fault words q_]").await;
    session.press("Backspace Backspace Esc");
    session.wait("[default words_]").await;
    // A radio button, a box, a list, lines.
    session.press("J J Enter J Enter J Enter Down Enter");
    session.wait("( ) exact (*) fuzzy [x] case [Two_]").await;
    // Enter has gone on to the next field and edits it.
    session.type_in("ab");
    session.press("Enter");
    session.type_in("c");
    let has_lines = |screen: &str| screen.contains("[ab______]") && screen.contains("[c_______]");
    session.wait_until("two lines", has_lines).await;
    session.press("Esc J J Enter");
    session
        .wait("/find has q=default+words&m=f&c=y&s=Two&t=ab%0D%0Ac")
        .await;
    assert_eq!(web.take_lines().len(), 2);
}

#[tokio::test]
async fn button_has_an_action_and_a_method_of_its_own() {
    let page = "<p>Start<form action=/find>Word <input name=q value=tea> <button>Find</button> \
                <button formaction=/store formmethod=post name=how value=now>Store</button> \
                <button formenctype=text/plain formmethod=POST>Ask</button></form>";
    let web = web_with(page).await;
    let session = Browser::new().open(web.url("/")).size((100, 24)).start();
    session.wait("Start").await;
    // Enter in a field sends by the first button.
    session.press("J Enter Enter");
    session.wait("/find?q=tea has").await;
    session.press("h");
    session.wait("[Store]").await;
    session.press("J J Enter");
    session.wait("/store has q=tea&how=now").await;
    session.press("h");
    session.wait("[Ask]").await;
    session.press("J Enter");
    session.wait("/find has q=tea").await;
    assert_eq!(
        web.take_lines(),
        ["GET /", "GET /find?q=tea", "POST /store", "POST /find"]
    );
}

/// A server with this page as its root, whose other pages tell what they received.
async fn web_with(page: &'static str) -> Web {
    Web::start(move |request: &HttpRequest| match request.path() {
        "/" => ok("Content-Type: text/html\r\n", page),
        path => ok(
            "Content-Type: text/html\r\n",
            format!("<p>{path} has {}", request.body),
        ),
    })
    .await
}

#[tokio::test]
async fn tab_goes_through_the_fields_of_a_form() {
    let page = "<p>Start<form method=post action=/in><input name=n size=6> <input name=k type=password size=6> \
                <input type=checkbox name=c value=y> stay <textarea name=t rows=3 cols=5></textarea>\
                <button name=go value=1>Enter</button> <button name=go value=2>Preview</button></form>";
    let web = web_with(page).await;
    let session = Browser::new().open(web.url("/")).size((100, 24)).start();
    session.wait("[______] [______] [ ] stay").await;
    session.press("J Enter");
    session.type_in("q");
    session.press("Tab");
    session.paste("jXj\nsecond line");
    session.wait("[q_____] [***___] [ ] stay").await;
    // A box is no field for text, but has the same keys to leave it.
    session.press("Tab Enter Tab");
    session.type_in("one");
    session.press("Enter");
    session.type_in("two");
    session.press("Up Backspace Down Shift-Tab");
    session.wait("[x] stay").await;
    session.wait("[on___]").await;
    // All lines of a text are one field.
    session.press("Tab Tab Tab Enter");
    session
        .wait("/in has n=q&k=jXj&c=y&t=on%0D%0Atwo&go=2")
        .await;
    // The page keeps its answers; a key of a form sends it by its first button.
    session.press("h");
    session.wait("[q_____] [***___] [x] stay").await;
    session.press("g g J Enter Ctrl-S");
    session
        .wait("/in has n=q&k=jXj&c=y&t=on%0D%0Atwo&go=1")
        .await;
}

#[tokio::test]
async fn edited_field_has_the_cursor_of_the_terminal_and_its_keys() {
    let page = "<p>Start<form action=/in>Find <input name=q value=abc size=6> <textarea name=t rows=3 cols=5></textarea></form>";
    let web = web_with(page).await;
    let session = Browser::new().open(web.url("/")).size((80, 24)).start();
    session.wait("Find [abc___]").await;
    session.press("J");
    session.wait("Enter edit").await;
    session.press("Enter");
    session.wait("Esc done").await;
    let at = |words: &str| {
        let screen = session.screen();
        let (row, line) = screen
            .lines()
            .enumerate()
            .find(|(_, line)| line.contains(words))
            .unwrap();
        let column = line.split(words).next().unwrap().chars().count();
        (u16::try_from(column).unwrap(), u16::try_from(row).unwrap())
    };
    let (column, row) = at("[abc");
    assert_eq!(session.cursor(), Some((column + 4, row)));
    session.press("Left Left x");
    session.wait("[axbc__]").await;
    assert_eq!(session.cursor(), Some((column + 3, row)));
    // The cursor goes on to the lines of the next field.
    session.press("Tab a Enter b");
    session.wait("[b____]").await;
    let (column, row) = at("[b");
    assert_eq!(session.cursor(), Some((column + 2, row)));
    session.press("Esc");
    session.wait("Enter edit").await;
    session.click("axbc");
    session.wait("Esc done").await;
}

#[tokio::test]
async fn part_of_a_form_never_looks_visited() {
    let web = web_with("<p>Start <a href=/>here</a> <a href=/other>there</a> <form><input name=q value=abc></form>").await;
    let settings = "background = \"dark\"\n";
    let session = Browser::new().settings(settings).open(web.url("/")).start();
    session.wait("[abc_]").await;
    let differs = |_: &str| session.style_of("here") != session.style_of("there");
    session.wait_until("a visited link", differs).await;
    assert_eq!(session.style_of("abc_"), session.style_of("there"));
}

#[tokio::test]
async fn form_in_a_message_opens_on_a_page_of_its_own() {
    let directory = tempfile::tempdir().unwrap();
    let mailbox = directory.path().join("mail.mbox");
    let message = "From ada@h.example Mon Jan  1 00:00:00 2024\nFrom: ada@h.example\nSubject: a form\nMIME-Version: 1.0\n\
                   Content-Type: text/html\n\n<p>Start<form method=post action=http://h.example/in>Name <input name=n value=Ada></form>\n";
    std::fs::write(&mailbox, message).unwrap();
    let session = Browser::new()
        .open(format!("file://{}/1", mailbox.display()))
        .start();
    session.wait("Name [Ada_]").await;
    session.press("J Enter");
    session.wait("POST http://h.example/in").await;
}

#[tokio::test]
async fn table_and_preformatted_lines_use_the_pane() {
    let digits = "0123456789".repeat(15);
    let words = "word ".repeat(15);
    let page = format!(
        "<p>Start<table><tr><th>Kind<th>Remark<tr><td>a<td>{words}end of the cell</table><pre>{digits}the end</pre>\
         <p>prose {words}behind"
    );
    let web = Web::start(move |_| ok("Content-Type: text/html\r\n", page.clone())).await;
    let session = Browser::new().open(web.url("/")).size((100, 24)).start();
    session.wait("end of the cell").await;
    session.settle().await;
    let line = |words: &str| {
        let screen = session.screen();
        screen
            .lines()
            .find(|line| line.contains(words))
            .map(str::to_owned)
    };
    // The table and the lines use the whole pane, and prose the width of the settings.
    assert!(line("Kind").is_some() && line("end of the cell").unwrap().contains("a     word"));
    assert!(line("0123456789").unwrap().trim().len() > 100);
    assert!(!line("prose").unwrap().contains("behind"));
    // A key scrolls to the end of the preformatted lines, and not the prose.
    session.press("> > > > > > > >");
    session.wait("the end").await;
    assert!(line("prose").is_some());
    // A narrower pane has the table laid out again.
    session.press("< < < < < < < <");
    session.resize(60, 24);
    let is_wrapped = |screen: &str| {
        screen
            .lines()
            .any(|line| line.trim().starts_with("word") && line.ends_with("end of the cell"))
    };
    session
        .wait_until("the table in 60 columns", is_wrapped)
        .await;
    assert!(line("Kind").is_some());
}

/// Returns true if a file in this directory, or below it, has these octets.
fn holds(directory: &Path, octets: &[u8]) -> bool {
    std::fs::read_dir(directory).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() {
            return holds(&path, octets);
        }
        let content = std::fs::read(&path).unwrap_or_default();
        content.windows(octets.len()).any(|window| window == octets)
    })
}

/// A server whose pages have the status that their path says: `/404`, `/300`, `/302` and so on.
async fn error_pages() -> Web {
    Web::start(|request| {
        let (status, rest) = request.path()[1..].split_at(3);
        let (media, body) = match rest {
            "" => (
                "text/html",
                format!("<title>Odd</title><!-- page {status} --><p>Only <a href=/200>members</a>"),
            ),
            "/empty" => ("text/html", " ".to_owned()),
            "/picture" => ("image/png", "\x1bPNG".to_owned()),
            "/text" => ("text/plain; charset=utf-8", "Grüße\n".to_owned()),
            rest => panic!("{rest}"),
        };
        let head = format!("HTTP/1.1 {status} Odd Status\r\nContent-Type: {media}\r\n");
        format!("{head}Content-Length: {}\r\n\r\n{body}", body.len())
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn page_with_an_error_status_is_dumped_and_not_saved() {
    let web = error_pages().await;
    let run = |arguments: &[&str]| {
        let arguments: Vec<String> = arguments.iter().map(|&word| word.to_owned()).collect();
        let run = move || {
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            geomys(&arguments, "")
        };
        tokio::task::spawn_blocking(run)
    };
    for (path, out, err) in [
        ("/404", "Only members\n", "404 Odd Status"),
        ("/500/text", "Grüße\n", "500 Odd Status"),
        ("/300/text", "Grüße\n", "300 Odd Status"),
        ("/302", "Only members\n", "302 Odd Status without a target"),
        ("/403/empty", "", "403 Odd Status"),
        ("/403/picture", "", "403 Odd Status"),
    ] {
        let output = run(&["dump", &web.url(path)]).await.unwrap();
        assert_eq!(text(&output.stdout), out, "{path}");
        let err = format!("geomys: {} answered {err}\n", web.address);
        let status = (text(&output.stderr), output.status.code());
        assert_eq!(status, (err, Some(1)), "{path}");
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("saved");
        let output = run(&["get", &web.url(path), "-o", target.to_str().unwrap()])
            .await
            .unwrap();
        assert_eq!(
            (output.status.code(), target.exists()),
            (Some(1), false),
            "{path}"
        );
    }
}

#[tokio::test]
async fn page_with_an_error_status_is_shown_and_leaves_no_trace() {
    let web = error_pages().await;
    let bookmarks = format!("Mine <URL:{}>\n", web.url("/404"));
    let session = Browser::new()
        .bookmarks(&bookmarks)
        .open(web.url("/404"))
        .start();
    session.wait("404 Odd Status").await;
    session.wait("Only members").await;
    session.press("1 Enter");
    session.wait_until_absent("404 Odd Status").await;
    session.wait("Only members").await;
    session.press("q");
    let ended = session.end().await;
    let path = ended.profile.path();
    let history = std::fs::read_to_string(path.join("history.jsonl")).unwrap();
    let visits = history.lines().count();
    assert_eq!((visits, history.contains("/200\"")), (1, true), "{history}");
    assert_eq!(
        std::fs::read_to_string(path.join("bookmarks.txt")).unwrap(),
        bookmarks
    );
    let stored = |words: &str| holds(path, words.as_bytes());
    assert!(stored("page 200") && !stored("page 404"));
}

/// Compresses octets by zlib, or by deflate without the head of zlib.
fn deflated(octets: &[u8], has_head: bool) -> Vec<u8> {
    let level = flate2::Compression::default();
    let mut packed = Vec::new();
    if has_head {
        flate2::read::ZlibEncoder::new(octets, level)
            .read_to_end(&mut packed)
            .unwrap();
    } else {
        flate2::read::DeflateEncoder::new(octets, level)
            .read_to_end(&mut packed)
            .unwrap();
    }
    packed
}

#[tokio::test(flavor = "multi_thread")]
async fn replies_of_old_servers_are_read() {
    let words = "words of an old server\n".repeat(40);
    let page = words.clone();
    let web = Web::start(move |request| {
        let text = "Content-Type: text/plain\r\n";
        let mut packed = Vec::new();
        let mut encoder =
            flate2::read::GzEncoder::new(page.as_bytes(), flate2::Compression::fast());
        encoder.read_to_end(&mut packed).unwrap();
        match request.path() {
            "/folded" => ok(
                "Content-Type:\r\n text/plain\r\nX-Long: a,\r\n\tb\r\n",
                &page,
            ),
            "/icy" => format!("ICY 200 OK\r\n{text}\r\n{page}").into_bytes(),
            "/bare" => page.clone().into_bytes(),
            "/zlib" => ok(
                &format!("{text}Content-Encoding: deflate\r\n"),
                deflated(page.as_bytes(), true),
            ),
            "/raw" => ok(
                &format!("{text}Content-Encoding: deflate\r\n"),
                deflated(page.as_bytes(), false),
            ),
            "/chunked" => {
                let head =
                    format!("HTTP/1.1 200 OK\r\n{text}Transfer-Encoding: gzip, chunked\r\n\r\n");
                let chunk = format!("{:x}\r\n", packed.len());
                [head.as_bytes(), chunk.as_bytes(), &packed, b"\r\n0\r\n\r\n"].concat()
            }
            path => panic!("{path}"),
        }
    })
    .await;
    let directory = tempfile::tempdir().unwrap();
    for path in ["/folded", "/icy", "/bare", "/zlib", "/raw", "/chunked"] {
        let url = web.url(path);
        let dump = move || geomys(&["dump", &url], "");
        let output = tokio::task::spawn_blocking(dump).await.unwrap();
        assert_eq!(text(&output.stdout), words, "{path}: {output:?}");
    }
    let (url, target) = (web.url("/chunked"), directory.path().join("saved"));
    let saved = target.clone();
    let get = move || geomys(&["get", &url, "-o", saved.to_str().unwrap()], "");
    let output = tokio::task::spawn_blocking(get).await.unwrap();
    assert_eq!(
        std::fs::read_to_string(&target).unwrap(),
        words,
        "{output:?}"
    );
}
