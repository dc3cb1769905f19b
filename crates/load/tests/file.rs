//! Local files: shown by their type; pipes and devices are not opened.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;

use geomys_load::{Purpose, Question, Reason, Request, ResumeRequest, SaveRequest, Version};
use geomys_page::document::{Kind, ListOrder};
use geomys_testing::loading::{Loaded, carry_out, show, url};
use geomys_wire::net::Net;
use rfc1738::{Parts, Url};

fn address(path: &Path) -> String {
    let mut url = Url::parse("file:///").unwrap();
    for name in path.strip_prefix("/").unwrap() {
        url = url.child(name.as_bytes(), None).unwrap();
    }
    url.to_string()
}

async fn open(path: &Path) -> Loaded {
    show(&Net::default(), address(path)).await
}

fn names(loaded: &Loaded) -> Vec<String> {
    let document = loaded.document();
    let rows = (0..document.count()).filter_map(|row| document.row(row));
    rows.map(|row| row.text()).collect()
}

#[tokio::test]
async fn text_in_utf_16_is_text() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.txt");
    let units = "\u{feff}Grüße\nПривет\n".encode_utf16();
    let octets: Vec<u8> = units.flat_map(u16::to_be_bytes).collect();
    fs::write(&path, octets).unwrap();
    assert_eq!(names(&open(&path).await.whole()), ["Grüße", "Привет"]);
}

#[tokio::test]
async fn directory_opens_as_listing_with_working_links() {
    let directory = tempfile::tempdir().unwrap();
    let odd = [
        b"a b;c%d#e?f".as_slice(),
        b"caf\xe9",
        b"-rf",
        b" blank",
        b"type=dir; x",
    ];
    for name in odd {
        fs::write(directory.path().join(OsStr::from_bytes(name)), name).unwrap();
    }
    fs::create_dir(directory.path().join("inside")).unwrap();
    symlink("inside", directory.path().join("to a directory")).unwrap();
    symlink("nowhere;at all", directory.path().join("to nowhere")).unwrap();
    let loaded = open(directory.path()).await.whole();
    assert_eq!(loaded.place().to_string(), address(directory.path()) + "/");
    let document = loaded.document();
    let links: Vec<_> = (0..document.count())
        .flat_map(|row| document.links(row))
        .map(|link| link.target.unwrap())
        .collect();
    assert_eq!(links.len(), 1 + odd.len() + 3);
    for name in odd {
        let child = loaded.place().child(name, None).unwrap();
        assert!(links.contains(&child), "{child}");
        let read = show(&Net::default(), child.to_string()).await.whole();
        assert_eq!(read.octets, name);
    }
    let names = names(&loaded);
    assert!(
        names.contains(&"to a directory → inside".to_owned()),
        "{names:?}"
    );
    // A target with a line break is left out, and its link is still listed.
    assert!(names.contains(&"to nowhere".to_owned()), "{names:?}");
    let linked = open(&directory.path().join("to a directory")).await.whole();
    assert_eq!(
        linked.begin.unwrap().real.unwrap(),
        directory
            .path()
            .join("inside")
            .canonicalize()
            .unwrap()
            .as_os_str()
            .as_bytes()
    );
    let dangling = open(&directory.path().join("to nowhere")).await.failure();
    assert!(
        dangling.sentence.starts_with("file not found: "),
        "{}",
        dangling.sentence
    );
}

#[tokio::test]
async fn names_with_line_breaks_are_left_out_with_a_remark() {
    let directory = tempfile::tempdir().unwrap();
    for name in ["one\nline", "other\rline", "plain"] {
        fs::write(directory.path().join(name), name).unwrap();
    }
    let loaded = open(directory.path()).await.whole();
    assert_eq!(names(&loaded).len(), 2);
    let [remark] = loaded.remarks.as_slice() else {
        panic!("{:?}", loaded.remarks);
    };
    assert!(remark.octets.starts_with(b"2 names contain a line break"));
}

#[tokio::test]
async fn directory_of_ten_thousand_entries_is_complete() {
    let directory = tempfile::tempdir().unwrap();
    for number in 0..10_000 {
        fs::File::create(directory.path().join(number.to_string())).unwrap();
    }
    let document = open(directory.path()).await.whole().document().finished();
    assert_eq!(document.count(), 10_001);
    assert_eq!(
        document.order(),
        Some(ListOrder::new(geomys_page::document::SortColumn::Name))
    );
}

#[tokio::test]
async fn pipes_sockets_and_devices_are_not_opened() {
    let directory = tempfile::tempdir().unwrap();
    let socket = directory.path().join("socket");
    let _listener = UnixListener::bind(&socket).unwrap();
    let pipe = directory.path().join("pipe");
    let made = std::process::Command::new("mkfifo")
        .arg(&pipe)
        .status()
        .unwrap();
    assert!(made.success() && pipe.metadata().unwrap().file_type().is_fifo());
    for (path, what) in [
        (socket.as_path(), "a socket"),
        (&pipe, "a named pipe"),
        (Path::new("/dev/null"), "a device"),
    ] {
        let failure = open(path).await.failure();
        let expected = format!("{} is {what}: not opened", path.display());
        assert_eq!(failure.sentence, expected);
    }
    let missing = directory.path().join("missing");
    let failure = open(&missing).await.failure();
    assert_eq!(
        failure.sentence,
        format!("file not found: {}", missing.display())
    );
    let closed = directory.path().join("closed");
    fs::write(&closed, "x").unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    // Root reads everything.
    if fs::read(&closed).is_err() {
        let failure = open(&closed).await.failure();
        assert!(failure.sentence.starts_with("permission denied: "));
    }
}

#[tokio::test]
async fn file_url_of_another_machine_fails() {
    for address in ["file://files.example/etc/motd", "file://127.0.0.1/etc/motd"] {
        let failure = show(&Net::default(), address).await.failure();
        assert!(
            failure.sentence.contains("not on this machine"),
            "{}",
            failure.sentence
        );
    }
    let directory = tempfile::tempdir().unwrap();
    let own = rustix::system::uname();
    let own = own.nodename().to_str().unwrap();
    for host in ["localhost", "LocalHost", own] {
        let address = address(directory.path()).replace("file://", &format!("file://{host}"));
        show(&Net::default(), address).await.whole();
    }
    let slash = show(&Net::default(), "file:///etc%2Fmotd").await.failure();
    assert!(
        slash.sentence.contains("cannot contain a slash"),
        "{}",
        slash.sentence
    );
}

#[tokio::test]
async fn file_is_shown_by_its_content_type() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, octets: &[u8]| {
        let path = directory.path().join(name);
        fs::write(&path, octets).unwrap();
        path
    };
    let article = b"From: ada@example.org\nSubject: caf=?utf-8?q?=C3=A9?=\nDate: Thu, 19 Nov 2026 10:00:00 +0000\n\nWords.\n";
    let article = open(&write("letter", article)).await.whole();
    assert!(
        names(&article).iter().any(|row| row.contains("café")),
        "{:?}",
        names(&article)
    );
    let map = write(
        "gophermap",
        b"Welcome\n0The letter\tletter\n1Away\t/\tgopher.example\t70\n",
    );
    let map = open(&map).await.whole();
    let document = map.document();
    assert_eq!(document.row(1).unwrap().kind, Kind::Text);
    let links: Vec<String> = (0..3)
        .flat_map(|row| document.links(row))
        .map(|link| link.target.unwrap().to_string())
        .collect();
    let letter = address(&directory.path().join("letter"));
    assert_eq!(links, [letter.as_str(), "gopher://gopher.example/1/"]);
    let binary = open(&write("tar.gz", b"\x1f\x8b\x00\x01")).await.question();
    assert!(
        matches!(binary, Question::Save { size: Some(4), .. }),
        "{binary:?}"
    );
    assert!(open(&write("empty", b"")).await.whole().octets.is_empty());
}

#[tokio::test]
async fn file_is_a_page_by_its_name_where_its_octets_do_not_tell() {
    let directory = tempfile::tempdir().unwrap();
    for (name, content, shown) in [
        (
            "a.gmi",
            "# Log\n=> b.gmi The lamp\n",
            &["Log", "The lamp"][..],
        ),
        ("a.xhtml", "<p>One<p>Two", &["One", "", "Two"]),
        ("a.htm", "<p>One<p>Two", &["One", "", "Two"]),
        ("a.json", "{\"a\":1}", &["{", "  \"a\": 1", "}"]),
        // What is a text is shown, whatever its name says.
        ("a.doc", "=> b.gmi", &["=> b.gmi"]),
        ("a.txt", "=> b.gmi", &["=> b.gmi"]),
        ("b.txt", "<html><p>One", &["One"]),
        ("b.doc", "<html><p>One", &["One"]),
    ] {
        let path = directory.path().join(name);
        fs::write(&path, content).unwrap();
        assert_eq!(names(&open(&path).await.whole()), shown, "{name}");
    }
}

#[tokio::test]
async fn copy_of_a_local_file_resumes() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("long");
    let octets: Vec<u8> = (0..200_000_u32).flat_map(u32::to_le_bytes).collect();
    fs::write(&path, &octets).unwrap();
    let request = |resume| Request {
        purpose: Purpose::Save,
        save: SaveRequest {
            resume,
            ..SaveRequest::default()
        },
        ..Request::show(url(address(&path)), Reason::Typed)
    };
    let net = Net::default();
    let all = carry_out(&net, request(None)).await.whole();
    assert_eq!(all.octets, octets);
    let version = all.begin.unwrap().version;
    let resume = |version| ResumeRequest {
        offset: 123_456,
        version,
    };
    let rest = carry_out(&net, request(Some(resume(version))))
        .await
        .whole();
    assert_eq!(rest.begin.unwrap().offset, 123_456);
    assert_eq!(rest.octets, octets[123_456..]);
    let other = Version {
        size: Some(1),
        ..Version::default()
    };
    let question = carry_out(&net, request(Some(resume(other))))
        .await
        .question();
    assert!(matches!(question, Question::Changed { .. }), "{question:?}");
}

#[tokio::test]
async fn links_of_ten_thousand_odd_names_open_their_files() {
    let directory = tempfile::tempdir().unwrap();
    let odd: [&[u8]; 12] = [
        b"a\ttab",
        b"an \x1b[31mescape",
        b"not \xff\xfe utf-8",
        b"semi;type=a",
        b"hash#mark",
        b"half%20",
        b"100%",
        b"question?",
        b"~tilde",
        b"\"quoted\" <angles>",
        b" blank at both ends ",
        "\u{202e}override".as_bytes(),
    ];
    for number in 0..10_000 - odd.len() {
        fs::write(directory.path().join(format!("file {number}")), b"").unwrap();
    }
    for name in odd {
        fs::write(directory.path().join(OsStr::from_bytes(name)), name).unwrap();
    }
    let loaded = open(directory.path()).await.whole();
    let document = loaded.document();
    let links = (0..document.count()).flat_map(|row| document.links(row));
    let mut led: Vec<Vec<u8>> = links
        .map(|link| match link.target.unwrap().base_parts() {
            Parts::File(file) => file.path.octets().into_owned(),
            other => panic!("{other:?}"),
        })
        .filter_map(|path| Some(path.rsplit(|octet| *octet == b'/').next()?.to_vec()))
        .filter(|name| !name.is_empty())
        .collect();
    led.sort_unstable();
    let there = fs::read_dir(directory.path()).unwrap();
    let mut there: Vec<Vec<u8>> = there
        .map(|entry| entry.unwrap().file_name().as_bytes().to_vec())
        .collect();
    there.sort_unstable();
    assert_eq!(led.len(), 10_000);
    assert!(led == there);
    for name in odd {
        let read = open(&directory.path().join(OsStr::from_bytes(name)))
            .await
            .whole();
        assert_eq!(read.octets, name, "{}", name.escape_ascii());
    }
    for row in (0..document.count()).filter_map(|number| document.row(number)) {
        let text = row.text();
        let is_harmful = |sign: char| sign.is_control() || sign == '\u{202e}';
        assert!(!text.contains(is_harmful), "{text:?}");
    }
}
