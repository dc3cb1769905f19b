//! `geomys check`: every link of a page or a site, against servers that answer as each test says.

use std::process::Output;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use geomys_testing::capsule::Capsule;
use geomys_testing::gate::hold_port_closed;
use geomys_testing::hole::{Hole, menu};
use geomys_testing::tls::Identity;
use geomys_testing::web::{HttpRequest, Web, ok};

use crate::support::command::{geomys, text};

/// Runs `geomys check` with an empty profile.
fn check(arguments: &[&str]) -> Output {
    let profile = tempfile::tempdir().unwrap();
    let profile = profile.path().to_str().unwrap();
    geomys(&[&["--config", profile, "check"], arguments].concat(), "")
}

/// The lines of the standard output, with `site` for the address.
fn lines(output: &Output, site: &str) -> Vec<String> {
    let said = text(&output.stdout).replace(site, "site");
    said.lines().map(str::to_owned).collect()
}

async fn hole() -> Hole {
    Hole::start(|selector, here| match selector {
        "" => menu(
            &[
                "iWelcome\t\terror.host\t1",
                "0A text\t/a.txt\t@",
                "0The same text\t/a.txt\t@",
                "1Below\t/below\t@",
                "1Below\t/below/\t@",
                "0Gone\t/gone\t@",
                "0Not a text\t/below\t@",
                "1Not a menu\t/a.txt\t@",
                "gNot a GIF\t/picture\t@",
                "IAn image\t/picture\t@",
                "0Missing\t/missing\t@",
                "hA malformed one\tURL:mailto:a b\t@",
                "hNo port\tURL:mailto:x\t127.0.0.1\tseventy",
                "7A search\t/search\t@",
                "no row at all",
                "0No end\t/open.txt\t@",
            ],
            here,
        ),
        "/open.txt" => b"It begins with a dot:\r\n..profile\r\n".to_vec(),
        "/below" | "/below/" => menu(&["0Gone\t/gone\t@", "1Up\t\t@"], here)
            .strip_suffix(b".\r\n")
            .unwrap()
            .to_vec(),
        "/a.txt" => format!("short\r\n{}\r\n.\r\n", "long ".repeat(15)).into_bytes(),
        "/picture" => b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec(),
        "/missing" => b"Error: File or directory not found!\r\n____\r\n A server\r\n".to_vec(),
        _ => b"3It is gone\t\terror.host\t1\r\n.\r\n".to_vec(),
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn faults_of_a_hole_have_their_page_and_row() {
    let hole = hole().await;
    let site = format!("gopher://{}/", hole.address);
    let output = check(&["-r", &site]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let expected = [
        "site: row 6: dead: site0/gone: It is gone",
        "site: row 7: wrong type: site0/below: type 0, but the answer is a menu",
        "site: row 8: wrong type: site1/a.txt: type 1, but the answer is a text",
        "site: row 9: wrong type: siteg/picture: type g, but the answer is a PNG image",
        "site: row 11: perhaps dead: site0/missing: Error: File or directory not found!",
        "site: row 12: malformed",
        "    mailto:a b",
        "            ^ a space must be encoded as %20 (RFC 1738, section 2.2: encoded822addr)",
        "site: row 12: not checked: mailto:a%20b: a mail address cannot be loaded",
        "site: row 13: malformed: the port is no number: \"seventy\"",
        "site: row 13: not checked: mailto:x: a mail address cannot be loaded",
        "site: row 15: malformed: 1 of the 4 fields of a row: no row at all",
        "site1/below: no final dot: the menu ends without a dot on a line of its own",
        "site1/below: row 1: dead: site0/gone: It is gone",
        "site0/open.txt: no final dot: the text ends without a dot on a line of its own",
    ];
    assert_eq!(lines(&output, &site), expected);
    let summary = "11 pages, 14 URLs: 2 dead, 1 perhaps dead, 3 malformed";
    assert!(text(&output.stderr).contains(summary), "{output:?}");
    let requests = hole.requests();
    let mut once = requests.clone();
    once.dedup();
    let repeated = requests.len() - once.len();
    // The selectors with two item types are two URLs each.
    assert_eq!(repeated, 3, "{requests:?}");
    assert_eq!(hole.most(), 1, "one connection at a time");

    let linted = check(&["--lint", "-r", &site]);
    let row = "site0/a.txt: row 2: long row: 75 columns, more than 70".to_owned();
    assert!(lines(&linted, &site).contains(&row), "{linted:?}");
    let of_one_page = check(&[&site]);
    let said = text(&of_one_page.stdout);
    assert!(
        !said.contains("no final dot"),
        "only the page itself: {said}"
    );
    assert!(said.contains("row 6: dead"), "{said}");
    let json = check(&["--json", "-r", &site]);
    let dead = format!(
        "{{\"verdict\":\"dead\",\"wrong\":true,\"page\":\"{site}\",\"row\":6,\"url\":\"{site}0/gone\",\
         \"words\":\"It is gone\",\"moved\":null,\"written\":null,\"error\":null}}"
    );
    let said = text(&json.stdout);
    assert!(said.lines().any(|line| line == dead), "{said}");
    assert!(
        said.contains("\"written\":\"mailto:a b\",\"error\":{\"at\":8,"),
        "{said}"
    );
}

/// A capsule whose page `/busy` wants a pause once.
async fn capsule(elsewhere: String) -> Capsule {
    let was_busy = Arc::new(AtomicBool::new(false));
    let front = format!(
        "=> /docs/old Moved\n=> /docs/busy Busy\n=> /docs/private/a Private\n=> /docs/sub/ Below\n=> /docs/gone Gone\n\
         => /above Above\n=> {elsewhere} Elsewhere\n=> /docs/ask Question\n"
    );
    let answer = move |path: &str| {
        let answer = match path {
            "/docs/" => format!("20 text/gemini\r\n{front}"),
            "/docs/sub/" => {
                "20 text/gemini\r\n=> ../gone Gone\n=> ../ Up\n=> ../new#part New\n=> ~ada/ Tilde\n"
                    .to_owned()
            }
            "/docs/old" => "31 /docs/new\r\n".to_owned(),
            "/docs/new" | "/docs/private/a" | "/docs/sub/~ada/" | "/docs/sub/%7Eada/" => {
                "20 text/plain\r\nnew\n".to_owned()
            }
            "/above" => "20 text/gemini\r\n=> /nowhere Not followed\n".to_owned(),
            "/docs/ask" => "10 What?\r\n".to_owned(),
            "/docs/busy" if was_busy.swap(true, Ordering::SeqCst) => {
                "20 text/plain\r\nhere\n".to_owned()
            }
            "/docs/busy" => "44 1\r\n".to_owned(),
            "/robots.txt" => "20 text/plain\r\nUser-agent: archiver\nDisallow: /docs/sub/\n\
                 User-agent: researcher\nDisallow: /docs/private/\n"
                .to_owned(),
            _ => "51 not found\r\n".to_owned(),
        };
        (answer.into_bytes(), true)
    };
    Capsule::start(&Identity::self_signed("localhost"), answer).await
}

#[tokio::test(flavor = "multi_thread")]
async fn capsule_is_followed_below_the_path_and_by_its_rules() {
    let web =
        Web::start(|_: &HttpRequest| ok("Content-Type: text/html\r\n", "<a href=/x>x</a>")).await;
    let capsule = capsule(web.url("/elsewhere")).await;
    let site = capsule.url("/docs/");
    let output = check(&["-r", &site]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let host = capsule.address;
    let gone = format!("{host} answered 51: there is no such page: not found");
    assert_eq!(
        lines(&output, &site),
        [
            "site: row 1: moved: siteold: now sitenew".to_owned(),
            "site: row 3: not checked: siteprivate/a: the robots.txt of the site refuses it"
                .to_owned(),
            format!("site: row 5: dead: sitegone: {gone}"),
            format!("sitesub/: row 1: dead: sitegone: {gone}"),
        ]
    );
    let mut requests = capsule.requests();
    requests.sort();
    let mut once = requests.clone();
    once.dedup();
    let busy = requests.iter().filter(|path| *path == "/docs/busy").count();
    assert_eq!((busy, requests.len() - once.len()), (2, 1), "{requests:?}");
    let is_asked = |path: &str| requests.iter().any(|asked| asked == path);
    assert!(
        !is_asked("/docs/private/a") && !is_asked("/nowhere"),
        "{requests:?}"
    );
    assert_eq!(web.take_lines(), ["HEAD /elsewhere"]);

    let own = check(&["--ignore-robots", "-r", &site]);
    assert!(!text(&own.stdout).contains("robots.txt"), "{own:?}");
    let requests = capsule.requests().split_off(requests.len());
    assert!(
        requests.contains(&"/docs/private/a".to_owned()),
        "{requests:?}"
    );
    assert!(
        !requests.contains(&"/robots.txt".to_owned()),
        "{requests:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn endless_site_ends_at_the_limit_and_says_so() {
    let web = Web::start(|request: &HttpRequest| match request.path() {
        "/robots.txt" => b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_vec(),
        path => {
            let link = |number| format!("<a href='{path}{number}/'>x</a> ");
            let links = [0, 1, 2].map(link).concat();
            ok("Content-Type: text/html\r\n", links)
        }
    })
    .await;
    let output = check(&["-r", "--pages", "40", &web.url("/")]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let said = text(&output.stderr);
    let expected = "only 40 of 121 pages read, 121 URLs: no fault in what was read";
    assert!(said.contains(expected), "{said}");
    assert_eq!(web.take_lines().len(), 41);
}

#[tokio::test(flavor = "multi_thread")]
async fn site_that_cannot_be_read_is_not_well() {
    let broken = |_: &HttpRequest| b"HTTP/1.1 500 Broken\r\nContent-Length: 0\r\n\r\n".to_vec();
    let web = Web::start(broken).await;
    let output = check(&["-r", &web.url("/")]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let said = text(&output.stderr);
    assert!(said.contains("robots.txt cannot be read"), "{said}");
    assert!(said.contains("only 0 of 1 page read"), "{said}");
    assert_eq!(web.take_lines(), ["GET /robots.txt"]);
    for (url, status) in [
        ("gopher://127.0.0.1:1/", 1),
        ("gopher://nosuchhost.invalid/", 1),
        ("mailto:a@b.example", 2),
        ("gopher://127.0.0.1:x/", 2),
    ] {
        let output = check(&["--ignore-robots", "-r", url]);
        assert_eq!(output.status.code(), Some(status), "{url}: {output:?}");
        assert!(!text(&output.stderr).contains("all well"), "{output:?}");
    }
}

/// Asserts that each planted fault is reported with these words, and that nothing else is: a line for each of
/// `expected`.
fn assert_faults(output: &Output, site: &str, expected: &[&str]) {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let said = lines(output, site);
    let said = said.iter().filter(|line| !line.starts_with("    "));
    let said: Vec<&str> = said.map(String::as_str).collect();
    for fault in expected {
        let found = said.iter().filter(|line| line.contains(fault)).count();
        assert_eq!(found, 1, "{fault}: {said:#?}");
    }
    assert_eq!(said.len(), expected.len(), "{said:#?}");
}

/// A page with faults, and with what is none; `CLOSED` is a port.
const FRONT_PAGE: &str = "<html><head><link rel=stylesheet href=/style.css><link rel='shortcut icon' href=/icon.png>\
             <link rel=next href=/unread><script src=/code.js></script></head><body id=here>\
             <p><a href=/404>x</a><p><a href=/410>x</a><p><a href=/301>x</a><p><a href=/loop>x</a>\
             <p><a href=http://nosuchhost.invalid/>x</a><p><a href=http://127.0.0.1:CLOSED/>x</a><p><a href=/500>x</a>\
             <p><a href=/malformed>x</a><p><a href=/nowhere>x</a><p><a href='mailto:a b'>x</a>\
             <p><a href=#nothing>x</a> <a href=#top>x</a> <a href=#here>x</a> <a href=#end>x</a> <a href='#:~:text=x'>x</a>\
             <p><a href=/other#gone>x</a> <a href=/other#k%C3%A4se>x</a> <a href=/other#named>x</a> <a href=/to-other#gone>x</a>\
             <p><a href=/other><img src=/image.png></a> <a href=/no-words></a> <img alt='' src=/decoration.png>\
             <p><a href=/403>x</a> <a href=/plain#anything>x</a><a name=end></a>";

#[tokio::test(flavor = "multi_thread")]
async fn each_fault_planted_in_a_web_site_is_found() {
    let page = |body: &str| ok("Content-Type: text/html\r\n", body);
    let moved = |to: &str| {
        format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n").into_bytes()
    };
    let status =
        |status: &str| format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n").into_bytes();
    let held = hold_port_closed("127.0.0.1:0".parse().unwrap()).await;
    let closed = held.local_addr().unwrap().port();
    let front = move || page(&FRONT_PAGE.replace("CLOSED", &closed.to_string()));
    let web = Web::start(move |request: &HttpRequest| match request.path() {
        "/" => front(),
        "/other" => page("<p id='k\u{e4}se'>here<p><a name=named>there</a>"),
        "/to-other" => moved("/other"),
        "/plain" => ok("Content-Type: text/plain\r\n", "text"),
        "/410" => status("410 Gone"),
        "/301" => b"HTTP/1.1 301 Moved\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n".to_vec(),
        "/loop" => moved("/loop2"),
        "/loop2" => moved("/loop"),
        "/nowhere" => moved("http://[x/"),
        "/403" => status("403 Forbidden"),
        "/malformed" => b"HTTP/1.1 huh\r\n\r\n".to_vec(),
        "/500" | "/icon.png" | "/decoration.png" => status("500 Broken"),
        _ => status("404 Not Found"),
    })
    .await;
    let site = web.url("/");
    let output = check(&["-r", &site]);
    let expected = [
        "site: dead: sitestyle.css",
        "site: unreachable: siteicon.png: it answered 500",
        "site: dead: sitecode.js",
        "dead: site404",
        "dead: site410",
        "moved: site301: now siteother",
        "unreachable: siteloop: redirect loop back to siteloop",
        "unreachable: http://nosuchhost.invalid/: host not found",
        &format!("unreachable: http://127.0.0.1:{closed}/: "),
        "unreachable: site500: it answered 500",
        "unreachable: sitemalformed: ",
        "unreachable: sitenowhere: ",
        "row 19: malformed",
        "not checked: mailto:a%20b",
        "dead fragment: site#nothing: no element has this id or name",
        "dead fragment: siteother#gone",
        "dead fragment: siteto-other#gone",
        "site: dead: siteimage.png",
        "site: dead: siteno-words",
        "site: unreachable: sitedecoration.png",
        "refused: site403",
    ];
    let said = text(&output.stdout).replace("row 11: malformed", "row 11: bad");
    let planted = Output {
        stdout: said.into_bytes(),
        ..output.clone()
    };
    let expected = expected.map(|fault| {
        if fault == "malformed" {
            "row 11: bad"
        } else {
            fault
        }
    });
    assert_faults(&planted, &site, &expected);
    let said = text(&output.stderr);
    assert!(
        said.contains("only 11 of 18 pages read, 21 URLs: 6 dead, 3 dead fragment"),
        "{said}"
    );
    assert!(
        said.contains("\nnosuchhost.invalid: 1 URL: 1 unreachable\n"),
        "{said}"
    );

    web.take_lines();
    let whole = format!("*://127.0.0.1:{closed}/");
    let output = check(&["-r", "--exclude", "/*", "--exclude", &whole, &site]);
    let said = text(&output.stderr);
    assert!(said.contains(" excluded: "), "{said}");
    let front_alone = ["GET /robots.txt", "GET /"];
    assert_eq!(web.take_lines(), front_alone, "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_fault_planted_in_a_capsule_is_found() {
    let capsule = Capsule::start(&Identity::self_signed("localhost"), |path| {
        let answer = match path {
            "/" => {
                "20 text/gemini\r\n# The front page\n=> /51 x\n=> /42 x\n=> /loop x\n=> /44 x\n=> /31 x\n=> /malformed x\n\
                 => /nowhere x\n=> gemini://nosuchhost.invalid/ x\n=> #the-front-page x\n=> #nothing x\n=> /other#Part-2 x\n\
                 => /other#part-3 x\n"
            }
            "/other" => "20 text/gemini\r\n## Part 2\n",
            "/42" => "42 the program failed\r\n",
            "/44" => "44 1\r\n",
            "/31" => "31 /other\r\n",
            "/loop" => "30 /loop2\r\n",
            "/loop2" => "30 /loop\r\n",
            "/nowhere" => "30 gemini://[x/\r\n",
            "/malformed" => "huh\r\n",
            _ => "51 not found\r\n",
        };
        (answer.as_bytes().to_vec(), true)
    })
    .await;
    let site = capsule.url("/");
    let output = check(&["-r", &site]);
    let expected = [
        "row 2: dead: site51",
        "row 3: unreachable: site42",
        "row 4: unreachable: siteloop",
        "row 5: unreachable: site44",
        "row 6: moved: site31",
        "row 7: unreachable: sitemalformed",
        "row 8: unreachable: sitenowhere",
        "row 9: unreachable: gemini://nosuchhost.invalid/",
        "row 11: dead fragment: site#nothing: no heading has these words",
        "row 13: dead fragment: siteother#part-3",
    ];
    assert_faults(&output, &site, &expected);
    let asked = capsule.requests().into_iter();
    let asked = asked.filter(|path| path == "/44").count();
    assert_eq!(asked, 2, "once, and once after the pause");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_fault_planted_in_a_hole_is_found() {
    let held = hold_port_closed("127.0.0.1:0".parse().unwrap()).await;
    let closed = held.local_addr().unwrap().port();
    let hole = Hole::start(move |selector, here| match selector {
        "" => menu(
            &[
                "0Gone\t/gone\t@",
                "0No such host\t/a\tnosuchhost.invalid\t70",
                &format!("0No server\t/a\t127.0.0.1\t{closed}"),
                "hThe Web\tURL:http://nosuchhost.invalid/\t@",
                "1Not a menu\t/text\t@",
                "no row",
                "0Here\t/text\t@",
            ],
            here,
        ),
        "/text" => b"text\r\n.\r\n".to_vec(),
        _ => b"3It is gone\t\terror.host\t1\r\n.\r\n".to_vec(),
    })
    .await;
    let site = format!("gopher://{}/", hole.address);
    let output = check(&["-r", &site]);
    let expected = [
        "row 1: dead: site0/gone",
        "row 2: unreachable: gopher://nosuchhost.invalid/0/a: host not found",
        &format!("row 3: unreachable: gopher://127.0.0.1:{closed}/0/a"),
        "row 4: unreachable: http://nosuchhost.invalid/",
        "row 5: wrong type: site1/text",
        "row 6: malformed: 1 of the 4 fields of a row: no row",
    ];
    assert_faults(&output, &site, &expected);
}
