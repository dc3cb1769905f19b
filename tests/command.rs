//! The command line, run as a user would.

use geomys_demo::Demo;

use crate::support::command::{geomys, geomys_at, geomys_in, text, unread};

#[test]
fn browser_without_a_terminal_names_the_command_for_scripts() {
    let advice = "geomys: needs a terminal; use `geomys dump URL` in scripts\n";
    for arguments in [&["gopher://127.0.0.1:1/"][..], &["demo"][..], &[][..]] {
        let output = geomys(arguments, "");
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert_eq!(text(&output.stderr), advice);
        assert_eq!(text(&output.stdout), "");
    }
}

#[test]
fn url_prints_parts_or_points_at_the_fault() {
    let output = geomys(
        &[
            "url",
            "ftp://ada:secret@ftp.example.org/pub/a%20b;type=i",
            "ftp://ada:secret@h/~x",
            "gopher://bad_host/1/x",
            "GOPHER://h:70",
        ],
        "",
    );
    assert_eq!(output.status.code(), Some(1));
    insta::assert_snapshot!("url", text(&output.stdout));
    let output = geomys(&["url"], "<URL:news:*>\n\nftp://h:port/\n");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).starts_with("news:*\n"), "{output:?}");
    let output = geomys(&["url", "gopher://h/"], "");
    assert_eq!(output.status.code(), Some(0));
    // A host that `geomys HOST` would open is not a URL here.
    let output = geomys(&["url", "floodgap.com"], "");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn url_with_a_fragment_is_offered_without_it_and_with_it_as_data() {
    for (written, repairs) in [
        (
            "gopher://h/0/a#b",
            &["gopher://h/0/a", "gopher://h/0/a%23b"][..],
        ),
        ("http://h/a#b", &["http://h/a", "http://h/a%23b"]),
        ("gemini://h/a#b", &["gemini://h/a", "gemini://h/a%23b"]),
        ("gopher://h#b", &["gopher://h"]),
        // Other programs read the host `ada` here.
        ("ftp://ada:1#2@h/", &[]),
    ] {
        let output = geomys(&["url", written], "");
        let is_opened = !repairs.is_empty();
        assert_eq!(
            output.status.code(),
            Some(i32::from(!is_opened)),
            "{written}"
        );
        let strict = geomys(&["url", "--strict", written], "");
        assert_eq!(strict.status.code(), Some(1), "{written}");
        let printed = text(&output.stdout);
        assert!(printed.contains("\"#\" starts a fragment"), "{printed}");
        let offered = printed
            .lines()
            .filter_map(|line| line.strip_prefix("  repair "));
        let offered: Vec<&str> = offered.map(str::trim).collect();
        assert_eq!(offered, repairs, "{written}");
        let (objects, _) = json(&[], written.as_bytes());
        let both = objects[0]["repairs"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        assert_eq!(both, repairs, "{written}");
    }
}

/// The output of `geomys url --json` for `input`, and its exit status.
fn json(arguments: &[&str], input: &[u8]) -> (Vec<serde_json::Value>, Option<i32>) {
    let all: Vec<&str> = ["url", "--json"].iter().chain(arguments).copied().collect();
    let output = geomys(&all, input);
    let lines = text(&output.stdout);
    let objects = lines
        .lines()
        .map(|line| serde_json::from_str(line).expect(line));
    (objects.collect(), output.status.code())
}

#[test]
fn json_prints_one_object_per_line_with_equal_keys() {
    let lines = b"\n <URL:GOPHER://h> \r\nftp://h/a b\n\t\nftp://h/\xFF\x1b\n\x9b:";
    let (objects, status) = json(&[], lines);
    assert_eq!(status, Some(1));
    let inputs: Vec<&str> = objects
        .iter()
        .map(|it| it["input"].as_str().unwrap())
        .collect();
    assert_eq!(
        inputs,
        [
            " <URL:GOPHER://h> ",
            "ftp://h/a b",
            "ftp://h/\u{fffd}\u{1b}",
            "\u{fffd}:"
        ]
    );
    for object in &objects {
        let keys: Vec<&String> = object.as_object().unwrap().keys().collect();
        assert_eq!(keys.len(), 14, "{object}");
    }
    assert_eq!(objects[0]["url"], "gopher://h/");
    assert_eq!(objects[1]["repair"], "ftp://h/a%20b");
    assert_eq!(objects[1]["scheme"], serde_json::Value::Null);
    let error = &objects[2]["error"];
    assert_eq!((&error["at"], &error["len"]), (&8.into(), &1.into()));
}

#[test]
fn json_of_extension_schemes_has_their_parts() {
    let lines = b"https://h:8443/a/b?q\nftps://ada@h/x\nsnews://h/a.b\nfinger://h/ada\n";
    let (objects, _) = json(&[], lines);
    let parts = |it: &serde_json::Value| {
        let part = |name: &str| it[name].to_string();
        ["scheme", "user", "host", "port", "path"]
            .map(part)
            .join(" ")
    };
    assert_eq!(
        objects.iter().map(parts).collect::<Vec<_>>(),
        [
            r#""https" null "h" 8443 "a/b?q""#,
            r#""ftps" "ada" "h" null "x""#,
            r#""snews" null "h" null "a.b""#,
            r#""finger" null null null null"#,
        ]
    );
    assert_eq!(objects[0]["parts"]["search"], "q");
}

#[test]
fn json_escapes_control_characters() {
    let output = geomys(
        &["url", "--json"],
        "ftp://h/\u{9b}2J\u{202e}\u{7f}\u{e0041}\u{e9}\u{1b}[m\n",
    );
    let said = text(&output.stdout);
    assert!(
        !said.chars().any(|c| c.is_control() && c != '\n'),
        "{said:?}"
    );
    assert!(
        !said.contains('\u{202e}') && said.contains('\u{e9}'),
        "{said}"
    );
    let read: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!(
        read["input"],
        "ftp://h/\u{9b}2J\u{202e}\u{7f}\u{e0041}\u{e9}\u{1b}[m"
    );
}

#[test]
fn password_is_printed_only_with_its_option() {
    let input = b"ftp://ada:secret@h/\nftp://ada:secret@h/~\nftp://ada:secret@h\xFF/\n";
    let output = geomys(&["url", "--json"], input);
    assert!(!text(&output.stdout).contains("secret"), "{output:?}");
    let output = geomys(&["url"], input);
    assert!(!text(&output.stdout).contains("secret"), "{output:?}");
    let (objects, _) = json(&["--show-password"], input);
    assert_eq!(objects[0]["password"], "secret");
    assert_eq!(objects[0]["url"], "ftp://ada:secret@h/");
    assert_eq!(objects[1]["repair"], "ftp://ada:secret@h/%7E");
}

#[test]
fn strict_treats_invalid_urls_as_unusable() {
    let lines = b"gopher://a_b/\nftp://h/a%0Ab\nx-mine:y\n";
    let judged = |(objects, status): (Vec<serde_json::Value>, Option<i32>)| {
        let judged = |it: &serde_json::Value| (it["error"].is_null(), it["usable"] == true);
        (objects.iter().map(judged).collect::<Vec<_>>(), status)
    };
    assert_eq!(
        judged(json(&[], lines)),
        (vec![(false, true), (true, false), (true, true)], Some(1))
    );
    assert_eq!(
        judged(json(&["--strict"], lines)),
        (vec![(false, false), (true, true), (true, true)], Some(1))
    );
    let (_, status) = json(&["gopher://a_b/"], b"");
    assert_eq!(status, Some(0));
}

#[test]
fn url_of_an_extension_scheme_has_the_faults_of_its_base_scheme() {
    let (objects, status) = json(&[], b"https://h?q\nhttps://u:p@h/\nhttp://h:80?x\n");
    assert_eq!(status, Some(1));
    let judged = objects.iter().map(|it| {
        let at = it["error"]["at"].as_u64().unwrap();
        assert!(it.get("valid").is_none(), "{it}");
        (it["usable"] == true, at, it["repair"].as_str())
    });
    let expected = [
        (false, 9, Some("https://h/?q")),
        (false, 8, Some("https://h/")),
        (false, 11, Some("http://h:80/?x")),
    ];
    assert_eq!(judged.collect::<Vec<_>>(), expected);
    // RFC 1738 allows them: each is an `otherurl`.
    let (_, status) = json(&["--strict"], b"https://h?q\nhttps://u:p@h/\n");
    assert_eq!(status, Some(0));
}

#[test]
fn dump_opens_the_repaired_url() {
    let said = |address: &str| {
        let output = geomys(&["dump", address], "");
        let said = text(&output.stderr);
        let is_url = !said.contains("not a URL");
        let status = if is_url { 1 } else { 2 };
        assert_eq!(output.status.code(), Some(status), "{said}");
        said
    };
    // Nothing listens there: the URL was opened.
    let (closed, _held) = geomys_testing::gate::closed_port();
    for address in [
        format!("http://{closed}/~ada"),
        format!("gopher://{closed}/0/a b"),
        format!("{closed}/ü"),
    ] {
        let said = said(&address);
        assert!(said.contains("refused the connection"), "{said}");
    }
    assert!(said("https://u:p@127.0.0.1/").contains("no user name"));
    assert!(said("http://bad~host/").starts_with("geomys: not a URL\n"));
    assert!(said("C:\\x").contains("a Windows path"));
    // The question is answered on the command line, and nothing listens there.
    let unusual = "http://127.0.0.1:2049/";
    assert!(
        said(unusual).contains("; use --yes to open it"),
        "{}",
        said(unusual)
    );
    let output = geomys(&["dump", "--yes", unusual], "");
    assert!(text(&output.stderr).contains("refused the connection"));
    let directory = tempfile::tempdir().unwrap();
    for address in [
        format!("ftp://{closed}/~ada"),
        format!("http://{closed}/a|b"),
    ] {
        let output = geomys_at(directory.path(), &["get", &address]);
        let said = text(&output.stderr);
        assert!(said.contains("refused the connection"), "{said}");
    }
    let get = |options: &[&str]| {
        let unusual = "ftp://127.0.0.1:2049/d/";
        let output = geomys_at(directory.path(), &[options, &[unusual]].concat());
        text(&output.stderr)
    };
    assert!(get(&["get", "-r"]).contains("; use --yes to open it"));
    let said_of_all = get(&["get", "--yes", "-r"]);
    assert!(
        said_of_all.contains("refused the connection"),
        "{said_of_all}"
    );
    assert!(
        said("htp://x").contains("; did you mean http://x ?\n"),
        "{}",
        said("htp://x")
    );
}

#[test]
fn partial_urls_are_resolved_against_a_base() {
    let base = "ftp://ada@h/pub/a/b;type=i";
    let (objects, status) = json(&["--base", base], b"../c\n//other/x\nnews:a.b\nd~\n\n");
    assert_eq!(status, Some(1));
    let urls: Vec<&serde_json::Value> = objects.iter().map(|it| &it["url"]).collect();
    assert_eq!(
        urls,
        [
            &"ftp://ada@h/pub/c".into(),
            &"ftp://other/x".into(),
            &"news:a.b".into(),
            &serde_json::Value::Null
        ]
    );
    assert_eq!(objects[3]["error"]["at"], 1);
    assert_eq!(objects[3]["repair"], "ftp://ada@h/pub/a/d%7E");
    let (objects, _) = json(&["--base", base], b"b;TYPE=A\n//a_b/x\n");
    let faults: Vec<_> = objects.iter().map(|it| it["error"]["at"].clone()).collect();
    assert_eq!(faults, [1, 3]);
    // A fragment is no part of a base.
    let (objects, _) = json(&["--base", "http://h/a#f"], b"b\n");
    assert_eq!(objects[0]["url"], "http://h/b");
    for base in ["http://h:8080?x", "https://h?q"] {
        let (objects, status) = json(&["--base", base], b"b\n?y\n");
        assert_eq!(status, Some(0), "{base}");
        let host = base.split('?').next().unwrap();
        assert_eq!(objects[0]["url"], format!("{host}/b"));
        assert_eq!(objects[1]["url"], format!("{host}/?y"));
    }
    for base in ["h~", "https://u:p@h/"] {
        let wrong = geomys(&["url", "--base", base, "x"], "");
        assert_eq!(wrong.status.code(), Some(2), "{base}");
    }
}

#[test]
fn links_are_listed_with_line_and_column() {
    let directory = tempfile::tempdir().unwrap();
    let letter = directory.path().join("letter.txt");
    let written =
        b"\xC3\xA9t\xE9 <URL:http://h/one-\n  two#x>, and\nnews:a.b, <URL:ftp://bad~host/>.";
    std::fs::write(&letter, written).unwrap();
    let output = geomys(&["links", letter.to_str().unwrap()], "");
    assert_eq!(output.status.code(), Some(0));
    let name = letter.display().to_string();
    insta::assert_snapshot!("links", text(&output.stdout).replace(&name, "letter.txt"));
    let output = geomys(&["links", "--json"], written);
    insta::assert_snapshot!("links_json", text(&output.stdout));
    let output = geomys(&["links", "/no/such/file"], "");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("/no/such/file cannot be read"));
}

#[test]
fn links_of_standard_input_are_named_by_a_hyphen() {
    let output = geomys(&["links", "-"], "see http://h.example/\n");
    assert_eq!(text(&output.stdout), "1:5: http://h.example/\n");
}

#[test]
fn hyphen_is_standard_input_of_each_command() {
    let profile = tempfile::tempdir().unwrap();
    let files = tempfile::tempdir().unwrap();
    let config = profile.path().to_str().unwrap();
    let run = |arguments: &[&str], input: &str| {
        let output = geomys(&[&["--config", config], arguments].concat(), input);
        assert!(output.status.success(), "{arguments:?} {output:?}");
        text(&output.stdout)
    };
    let (one, two) = ("gopher://h.example/0/a", "http://i.example/");
    let lines = format!("{one}\n\n{two}\n");
    let out = run(&["url", "-"], &lines);
    assert!(
        out.contains("host       h.example") && out.contains("host       i.example"),
        "{out}"
    );
    let out = run(&["bookmarks", "add", "-"], &lines);
    assert_eq!(out.lines().count(), 2, "{out}");
    let out = run(&["bookmarks", "edit", "-", "--add-tag", "x"], &lines);
    assert_eq!(out.matches("#x").count(), 2, "{out}");
    let listed = run(&["bookmarks", "list", "gopher"], "");
    run(&["bookmarks", "remove", "-"], &listed);
    let listed = run(&["bookmarks", "list"], "");
    assert!(listed.contains(two) && !listed.contains(one), "{listed}");
    let out = run(
        &["dump", "-"],
        "<title>A page</title><p>words of <b>a page</b>",
    );
    assert!(out.contains("words of a page"), "{out}");
    assert_eq!(run(&["dump", "-"], "plain text\n"), "plain text\n");
    let names = ["a", "b"].map(|name| files.path().join(name));
    for name in &names {
        std::fs::write(name, "octets").unwrap();
    }
    let urls = names
        .each_ref()
        .map(|name| format!("file://{}\n", name.display()));
    let into = files.path().join("into/");
    run(
        &["get", "-", "-o", &format!("{}/", into.display())],
        &urls.concat(),
    );
    assert!(into.join("a").is_file() && into.join("b").is_file());
    let pem = "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n";
    let file = files.path().join("c.pem");
    std::fs::write(&file, pem).unwrap();
    let import = |file: &str| {
        let command = ["--config", config, "certificates", "import", "mole", file];
        text(&geomys(&command, pem).stderr)
    };
    assert_eq!(import("-"), import(file.to_str().unwrap()));
    let empty = geomys(&["--config", config, "check", "-"], "");
    assert_eq!(empty.status.code(), Some(2));
    assert!(text(&empty.stderr).contains("no URL on standard input"));
}

#[test]
fn exit_status_tells_on_request_whether_something_was_found() {
    let profile = tempfile::tempdir().unwrap();
    let config = profile.path().to_str().unwrap();
    std::fs::write(
        profile.path().join("bookmarks.txt"),
        "a <URL:gopher://h/>\n",
    )
    .unwrap();
    for (arguments, input, found) in [
        (&["links"][..], "see http://h.example/", true),
        (&["links"], "nothing", false),
        (&["bookmarks", "list", "gopher"], "", true),
        (&["bookmarks", "list", "ftp"], "", false),
        (&["bookmarks", "list", "--sort", "title", "ftp"], "", false),
        (&["search", "nothing"], "", false),
        (&["history", "search", "nothing"], "", false),
    ] {
        let plain = [&["--config", config], arguments].concat();
        assert_eq!(
            geomys(&plain, input).status.code(),
            Some(0),
            "{arguments:?}"
        );
        let asked = [&plain[..], &["--exit-status"]].concat();
        let output = geomys(&asked, input);
        assert_eq!(output.status.code(), Some(i32::from(!found)), "{output:?}");
    }
}

#[test]
fn lines_end_with_nul_on_request() {
    let profile = tempfile::tempdir().unwrap();
    let config = profile.path().to_str().unwrap();
    let list = "One <URL:gopher://h/>\nTwo <URL:gopher://i/>\n";
    std::fs::write(profile.path().join("bookmarks.txt"), list).unwrap();
    for (arguments, input) in [
        (
            &["links"][..],
            "see http://h.example/ and http://i.example/",
        ),
        (&["bookmarks", "list"], ""),
        (&["bookmarks", "list", "--sort", "title"], ""),
    ] {
        let plain = [&["--config", config], arguments].concat();
        let lines = geomys(&plain, input).stdout;
        let ended = geomys(&[&plain[..], &["-0"]].concat(), input).stdout;
        assert_eq!(text(&lines).lines().count(), 2);
        let expected: Vec<u8> = (lines.iter())
            .map(|octet| if *octet == b'\n' { 0 } else { *octet })
            .collect();
        assert_eq!(ended, expected, "{arguments:?}");
        let both = geomys(&[&plain[..], &["-0", "--json"]].concat(), input);
        assert_eq!(both.status.code(), Some(2));
    }
}

#[test]
fn existing_file_wins_over_a_host_of_its_name() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("notes.txt"), "own words\n").unwrap();
    std::fs::create_dir(directory.path().join("notes.d")).unwrap();
    let output = geomys_at(directory.path(), &["dump", "notes.txt"]);
    assert_eq!(text(&output.stdout), "own words\n");
    let said = "geomys: notes.txt is taken for the file here, not for a host\n";
    assert_eq!(text(&output.stderr), said);
    let output = geomys_at(directory.path(), &["dump", "notes.d/"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(
        text(&output.stderr).contains("the directory here"),
        "{output:?}"
    );
}

#[test]
fn bookmarks_are_listed_and_added() {
    let directory = tempfile::tempdir().unwrap();
    let config = directory.path().to_str().unwrap();
    let run = |arguments: &[&str]| {
        let all: Vec<&str> = ["--config", config, "bookmarks"]
            .iter()
            .chain(arguments)
            .copied()
            .collect();
        geomys(&all, "")
    };
    let path = run(&["path"]);
    assert_eq!(
        text(&path.stdout).trim_end(),
        directory.path().join("bookmarks.txt").to_str().unwrap()
    );
    let listed = run(&["list"]);
    // The suggestions are no bookmarks: none is listed, none is checked.
    assert_eq!(text(&listed.stdout), "");
    let checked = run(&["check", "--json"]);
    assert_eq!(
        (checked.status.code(), text(&checked.stdout)),
        (Some(0), String::new())
    );
    assert!(!directory.path().join("bookmarks.txt").exists());
    let added = run(&[
        "add",
        "gopher://h/",
        "--title",
        "A hole",
        "--folder",
        "Mine",
        "--tag",
        "new",
    ]);
    assert_eq!(added.status.code(), Some(0), "{added:?}");
    let added = run(&["add", "Another <URL:ftp://h/;type=d> #x"]);
    assert_eq!(added.status.code(), Some(0), "{added:?}");
    let listed = text(&run(&["list"]).stdout);
    assert!(
        listed.contains("A hole\tgopher://h/\tMine\t#new\n"),
        "{listed}"
    );
    assert!(
        listed.starts_with("Another\tftp://h/;type=d\t\t#x\n"),
        "{listed}"
    );
    let refused = run(&["add", "gopher://bad~host/"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains('^'), "{refused:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn dump_prints_a_page_and_get_saves_a_file() {
    let demo = Demo::start().await.unwrap();
    let gopher = demo.addresses.gopher;
    let output = geomys(
        &["dump", &format!("gopher://{gopher}/1/library"), "--links"],
        "",
    );
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    insta::assert_snapshot!(
        "dump",
        text(&output.stdout).replace(&gopher.to_string(), "HOST:PORT")
    );

    let missing = geomys(
        &["dump", &format!("gopher://{gopher}/9/gallery/seeds.bin")],
        "",
    );
    assert_eq!(missing.status.code(), Some(1));
    assert!(text(&missing.stderr).contains("geomys get"), "{missing:?}");

    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("seeds");
    let url = format!("gopher://{gopher}/9/gallery/seeds.bin");
    let saved = geomys(&["get", &url, "-o", file.to_str().unwrap()], "");
    assert_eq!(saved.status.code(), Some(0), "{saved:?}");
    let all: Vec<u8> = (0..=255).collect();
    assert_eq!(std::fs::read(&file).unwrap(), all);
    assert_eq!(geomys(&["get", &url, "-o", "-"], "").stdout, all);
    let into = format!("{}/", directory.path().join("in").display());
    let saved = geomys(&["get", &url, "-o", &into], "");
    assert_eq!(saved.status.code(), Some(0), "{saved:?}");
    assert_eq!(std::fs::read(format!("{into}seeds.bin")).unwrap(), all);
    let database = geomys(
        &["dump", &format!("wais://{}/almanac", demo.addresses.wais)],
        "",
    );
    assert!(text(&database.stderr).contains("after ? in a wais URL"));
    let search = geomys(&["dump", &format!("gopher://{gopher}/7/search")], "");
    assert_eq!(search.status.code(), Some(1));
    assert!(
        text(&search.stderr).contains("search words are missing"),
        "{search:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn dump_shows_dates_in_the_zone_of_the_system() {
    let demo = Demo::start().await.unwrap();
    let url = format!("ftp://{}/names/", demo.addresses.ftp);
    let dates = |zone: &str| -> Vec<String> {
        let output = geomys_in(&[("TZ", zone)], &["dump", &url], "");
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let printed = text(&output.stdout);
        let dated = printed.lines().filter(|line| line.contains("2026-03-01 "));
        dated
            .filter_map(|line| Some(line.rsplit_once(' ')?.1.to_owned()))
            .collect()
    };
    let utc = dates("UTC0");
    assert!(!utc.is_empty());
    let hours = |dates: &[String]| -> Vec<u32> {
        let hour = |date: &String| date.split_once(':').unwrap().0.parse().unwrap();
        dates.iter().map(hour).collect()
    };
    let later: Vec<u32> = hours(&utc).iter().map(|hour| hour + 9).collect();
    assert_eq!(hours(&dates("JST-9")), later);
}

#[tokio::test(flavor = "multi_thread")]
async fn closed_output_pipe_is_no_failure() {
    let demo = Demo::start().await.unwrap();
    let page = format!("gopher://{}/1/library", demo.addresses.gopher);
    let file = format!("gopher://{}/9/gallery/seeds.bin", demo.addresses.gopher);
    let config = tempfile::tempdir().unwrap();
    for arguments in [
        &["url", &page] as &[&str],
        &["dump", &page],
        &["dump", &page, "--raw"],
        &["get", &file, "-o", "-"],
        &[
            "--config",
            config.path().to_str().unwrap(),
            "bookmarks",
            "list",
        ],
    ] {
        let output = unread(arguments);
        assert_eq!(text(&output.stderr), "", "{arguments:?}");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
    }
}

#[test]
fn exit_status_is_2_for_usage_and_1_for_failure() {
    assert_eq!(geomys(&["--no-such-option"], "").status.code(), Some(2));
    assert_eq!(
        geomys(&["dump", "gopher://127.0.0.1:1/"], "").status.code(),
        Some(1)
    );
    assert_eq!(
        geomys(&["dump", "not a url at all"], "").status.code(),
        Some(2)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn dump_serves_gopher_plus_and_phone_books() {
    let demo = Demo::start().await.unwrap();
    let (gopher, phone) = (demo.addresses.gopher, demo.addresses.phone);
    let dump = |address: String| async move {
        let run = tokio::task::spawn_blocking(move || geomys(&["dump", &address], ""));
        let output = run.await.unwrap();
        (
            output.status.code(),
            text(&output.stdout),
            text(&output.stderr),
        )
    };
    let rules = format!("gopher://{gopher}/0/library/rules.txt");
    let (code, out, _) = dump(format!("{rules}%09%09+text/plain%20De_DE")).await;
    assert_eq!(code, Some(0));
    assert!(out.starts_with("REGELN DER BÜCHEREI\n"), "{out}");
    let (code, out, _) = dump(format!("{rules}%09%09!")).await;
    assert_eq!(code, Some(0));
    assert!(
        out.contains("Bursarius <postmaster@underloam.example>"),
        "{out}"
    );
    let (code, _, err) = dump(format!("gopher://{gopher}/0/library/old-rules.txt%09%09+")).await;
    assert_eq!(code, Some(1));
    assert!(
        err.contains(&format!("has moved (error 3); now {rules}\n")),
        "{err}"
    );
    // A filled form on the command line counts as seen by the user.
    let form = format!("gopher://{gopher}/0/post/telegram%09%09");
    let filled = "+%091%0D%0A+-1%0D%0ABotta%0D%0Ax%0D%0A0%0D%0A1%0D%0A0%0D%0AThe%20dry%20one%0D%0A%0D%0A.%0D%0A";
    let (code, out, _) = dump(format!("{form}{filled}")).await;
    assert_eq!(code, Some(0));
    assert!(out.contains("    The dry one\n"), "{out}");
    let (code, _, err) = dump(format!("{form}?")).await;
    assert_eq!(code, Some(1));
    assert!(err.contains("this is a form"), "{err}");
    let (code, out, _) = dump(format!("gopher://{phone}/2%09dibble%20return%20email")).await;
    assert_eq!(code, Some(0));
    assert_eq!(out, "email        dibble@underloam.example\n");
    let (code, _, err) = dump(format!("gopher://{phone}/2%09nobody")).await;
    assert_eq!(code, Some(1));
    assert!(err.contains("no match in the phone book"), "{err}");
}

#[test]
fn path_of_windows_gets_a_hint_and_no_repair() {
    for path in ["C:\\x", "C:/x"] {
        let out = text(&geomys(&["url", path], "").stdout);
        assert!(out.contains("this looks like a Windows path"), "{out}");
        assert!(!out.contains("repair"), "{out}");
    }
}

#[test]
fn hazardous_url_without_terminal_is_refused() {
    let output = geomys(&["dump", "gopher://127.0.0.1:25/0HELO"], "");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        text(&output.stderr),
        "geomys: the port belongs to another service; use --yes to open it\n"
    );
}

#[test]
fn help_prints_topics_and_history_lists_alone() {
    let profile = tempfile::tempdir().unwrap();
    let config = profile.path().to_str().unwrap();
    let run = |arguments: &[&str]| geomys(&[&["--config", config], arguments].concat(), "");
    let topic = geomys(&["help", "news"], "");
    assert_eq!(topic.status.code(), Some(0), "{topic:?}");
    let said = text(&topic.stdout);
    assert!(
        said.starts_with("# News\n") && !said.contains("{key:"),
        "{said}"
    );
    // A command has its own help, and an unknown word is an error.
    assert!(text(&geomys(&["help", "get"], "").stdout).contains("Usage: geomys get"));
    assert_eq!(geomys(&["help", "moles"], "").status.code(), Some(2));

    for arguments in [
        &["history"][..],
        &["history", "list"],
        &["history", "--json"],
    ] {
        let listed = run(arguments);
        assert_eq!(listed.status.code(), Some(0), "{listed:?}");
        assert_eq!(text(&listed.stdout), "");
    }
    for option in ["--charset", "--encoding"] {
        let dumped = run(&[option, "koi8-r", "dump", "file:///dev/null"]);
        assert!(!text(&dumped.stderr).contains("unexpected"), "{dumped:?}");
        assert_eq!(
            run(&[option, "klingon", "url", "gopher://h/"])
                .status
                .code(),
            Some(2)
        );
    }
}

#[test]
fn shells_complete_topics_charsets_and_treatments() {
    let script = text(&geomys(&["completions", "bash"], "").stdout);
    for word in ["transfers", "koi8-r", "overwrite"] {
        assert!(script.contains(word), "{word}");
    }
    // Other values are right too.
    assert_eq!(geomys(&["man", "bookmarks-add"], "").status.code(), Some(0));
}
