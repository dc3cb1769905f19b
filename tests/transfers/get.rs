//! Transfers from the command line.

use std::fs;

use geomys_demo::Demo;
use geomys_testing::archive::{Archive, Node, ServerBehavior, line, test_octets};
use geomys_testing::names;

use crate::support::command::{geomys, geomys_at, text};

#[tokio::test(flavor = "multi_thread")]
async fn get_resumes_its_own_partial_file() {
    let behavior = ServerBehavior {
        cuts: vec![10_000],
        modified: Some("19940314092600"),
        ..ServerBehavior::default()
    };
    let archive = Archive::of_one_file(behavior).await;
    let directory = tempfile::tempdir().unwrap();
    let config = directory.path().join("config");
    fs::create_dir(&config).unwrap();
    fs::write(
        config.join("settings.toml"),
        "[transfers]\nretry-hours = 0\n",
    )
    .unwrap();
    let file = directory.path().join("a");
    let (config, output) = (config.to_str().unwrap(), file.to_str().unwrap());
    let url = archive.url("/a");
    let get = || geomys(&["--config", config, "get", &url, "-o", output], "");
    let first = get();
    assert_eq!(first.status.code(), Some(1), "{first:?}");
    assert!(text(&first.stderr).contains("a.part"), "{first:?}");
    assert_eq!(
        fs::read(directory.path().join("a.part")).unwrap(),
        test_octets(10_000)
    );
    let second = get();
    assert_eq!(second.status.code(), Some(0), "{second:?}");
    assert!(text(&second.stderr).ends_with(": 50.0 kB\n"), "{second:?}");
    assert_eq!(fs::read(&file).unwrap(), test_octets(50_000));
    assert_eq!(names(directory.path()), ["a", "config"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn get_fetches_a_changed_file_again_and_says_so() {
    let behavior = |modified, cuts| ServerBehavior {
        cuts,
        modified: Some(modified),
        ..ServerBehavior::default()
    };
    let first = Archive::of_one_file(behavior("19940314092600", vec![10_000])).await;
    let directory = tempfile::tempdir().unwrap();
    let config = directory.path().join("config");
    fs::create_dir(&config).unwrap();
    fs::write(
        config.join("settings.toml"),
        "[transfers]\nretry-hours = 0\n",
    )
    .unwrap();
    let file = directory.path().join("a");
    let (config, output) = (config.to_str().unwrap(), file.to_str().unwrap());
    let url = first.url("/a");
    let get = || geomys(&["--config", config, "get", &url, "-o", output], "");
    assert_eq!(get().status.code(), Some(1));
    first.change("20010314092600");
    let second = get();
    assert_eq!(second.status.code(), Some(0), "{second:?}");
    let note = format!("{output}: changed since the partial download: fetched again\n");
    assert!(text(&second.stderr).starts_with(&note), "{second:?}");
    assert_eq!(fs::read(&file).unwrap(), test_octets(50_000));
    assert_eq!(names(directory.path()), ["a", "config"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn get_retries_by_itself() {
    let behavior = ServerBehavior {
        cuts: vec![10_000],
        ..ServerBehavior::default()
    };
    let archive = Archive::of_one_file(behavior).await;
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("a");
    let got = geomys(
        &["get", &archive.url("/a"), "-o", file.to_str().unwrap()],
        "",
    );
    assert_eq!(got.status.code(), Some(0), "{got:?}");
    assert_eq!(fs::read(&file).unwrap(), test_octets(50_000));
    assert_eq!(archive.command_count("RETR a"), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn get_fetches_a_whole_directory() {
    let demo = Demo::start().await.unwrap();
    let directory = tempfile::tempdir().unwrap();
    let into = directory.path().join("here");
    let url = format!("ftp://{}/pub/", demo.addresses.ftp);
    let config = directory.path().join("config");
    let config = config.to_str().unwrap();
    let into_ = into.to_str().unwrap();
    let get = || geomys(&["--config", config, "get", "-r", &url, "-o", into_], "");
    let first = get();
    assert_eq!(first.status.code(), Some(0), "{first:?}");
    let said = text(&first.stderr);
    assert!(
        said.contains("10 files, 4 directories, 1.5 MB in "),
        "{said}"
    );
    let drum = into.join("software/drum.img");
    assert!(fs::read(&drum).unwrap() == geomys_demo::world::drum());
    let time = fs::metadata(&drum).unwrap().modified().unwrap();
    let since = time.duration_since(std::time::UNIX_EPOCH).unwrap();
    assert_eq!(since.as_secs(), 785_661_300, "1994-11-24 07:15:00");
    let second = get();
    let said = text(&second.stderr);
    assert!(
        said.contains("0 files, 4 directories") && said.contains("10 there already"),
        "{said}"
    );

    let refused = geomys(&["get", &url, "-o", into.join("x").to_str().unwrap()], "");
    assert_eq!(refused.status.code(), Some(1));
    assert!(
        text(&refused.stderr).contains("this is a directory: `geomys mirror`"),
        "{refused:?}"
    );
    let missing = format!("ftp://{}/nothing/", demo.addresses.ftp);
    let missing = geomys(
        &["--config", config, "get", "-r", &missing, "-o", into_],
        "",
    );
    assert_eq!(missing.status.code(), Some(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn get_fetches_as_many_files_at_once_as_it_is_told() {
    let files = ["/pub/a", "/pub/b", "/pub/c", "/pub/d", "/pub/e"];
    let listing: Vec<u8> = [b"a", b"b", b"c", b"d", b"e"]
        .map(|name| line("-rw-r--r--", 500, name))
        .concat();
    let files = files.map(|path| (path, Node::File(test_octets(500))));
    let nodes = files
        .into_iter()
        .chain([("/pub", Node::Directory(listing))]);
    let behavior = ServerBehavior {
        connections: Some(2),
        ..ServerBehavior::default()
    };
    let archive = Archive::start(nodes, behavior).await;
    let directory = tempfile::tempdir().unwrap();
    let config = directory.path().join("config");
    let config = config.to_str().unwrap();
    let url = archive.url("/pub/");
    // The default is two connections, none of which is refused.
    for (option, refused) in [(None, 0), (Some("1"), 0), (Some("4"), 2)] {
        let into = directory.path().join(option.unwrap_or("default"));
        let mut arguments = vec!["--config", config, "get", "-r", &url];
        arguments.extend(["-o", into.to_str().unwrap()]);
        arguments.extend(option.map(|number| ["-P", number]).into_iter().flatten());
        let got = geomys(&arguments, "");
        assert_eq!(got.status.code(), Some(0), "{got:?}");
        assert_eq!(names(&into), ["a", "b", "c", "d", "e"]);
        assert_eq!(archive.refused(), refused, "{option:?}");
    }
    for number in ["0", "33", "x"] {
        let refused = geomys(&["get", "-r", "-P", number, &url], "");
        assert_eq!(refused.status.code(), Some(2), "{refused:?}");
        assert!(text(&refused.stderr).contains("a number from 1 to 32"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn get_stops_at_announced_size() {
    let behavior = ServerBehavior {
        announced: Some(20_000),
        ..ServerBehavior::default()
    };
    let archive = Archive::of_one_file(behavior).await;
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("a");
    let (url, output) = (archive.url("/a"), file.to_str().unwrap());
    let stopped = geomys(&["get", &url, "-o", output], "");
    assert_eq!(stopped.status.code(), Some(1), "{stopped:?}");
    let said = text(&stopped.stderr);
    assert!(said.contains("announced size of 20.0 kB"), "{said}");
    assert_eq!(
        fs::read(directory.path().join("a.part")).unwrap(),
        test_octets(20_000)
    );
    let former = geomys(&["get", "--past-size", &url, "-o", output], "");
    let said = text(&former.stderr);
    assert!(said.contains("--past-size is gone"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn get_of_directory_lists_skipped_lines_and_fails() {
    let listing = b"-rw-r--r-- 1 ftp ftp 3 Mar 14 1994 a\r\nwhat is this?\r\n".to_vec();
    let nodes = [
        ("/pub", Node::Directory(listing)),
        ("/pub/a", Node::File(test_octets(3))),
    ];
    let archive = Archive::start(nodes, ServerBehavior::default()).await;
    let directory = tempfile::tempdir().unwrap();
    let into = directory.path().join("here");
    let url = archive.url("/pub/");
    let config = directory.path().join("config");
    let (config, output) = (config.to_str().unwrap(), into.to_str().unwrap());
    let got = geomys(&["--config", config, "get", "-r", &url, "-o", output], "");
    assert_eq!(got.status.code(), Some(1), "{got:?}");
    let said = text(&got.stderr);
    assert!(
        said.contains("what is this?: this line of the listing cannot be read")
            && said.contains("1 file, 1 directory")
            && said.contains("1 failed"),
        "{said}"
    );
    assert_eq!(names(&into), ["a"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn get_of_root_names_the_directory_by_the_host() {
    let listing = b"-rw-r--r-- 1 ftp ftp 3 Mar 14 1994 a\r\n".to_vec();
    let nodes = [
        ("/", Node::Directory(listing)),
        ("/a", Node::File(test_octets(3))),
    ];
    let archive = Archive::start(nodes, ServerBehavior::default()).await;
    let directory = tempfile::tempdir().unwrap();
    let into = format!("{}/", directory.path().display());
    let profile = tempfile::tempdir().unwrap();
    let config = profile.path().to_str().unwrap();
    let url = archive.url("/");
    let got = geomys(&["--config", config, "get", "-r", &url, "-o", &into], "");
    assert_eq!(got.status.code(), Some(0), "{got:?}");
    assert_eq!(names(directory.path()), ["127.0.0.1"]);
    assert_eq!(names(&directory.path().join("127.0.0.1")), ["a"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn get_into_directory_with_foreign_files_fails_with_advice() {
    let listing = b"-rw-r--r-- 1 ftp ftp 3 Mar 14 1994 a\r\n".to_vec();
    let nodes = [
        ("/pub", Node::Directory(listing)),
        ("/pub/a", Node::File(test_octets(3))),
    ];
    let archive = Archive::start(nodes, ServerBehavior::default()).await;
    let directory = tempfile::tempdir().unwrap();
    let into = directory.path().join("here");
    fs::create_dir(&into).unwrap();
    fs::write(into.join("mine"), "mine").unwrap();
    let config = directory.path().join("config");
    let url = archive.url("/pub/");
    let (config, output) = (config.to_str().unwrap(), into.to_str().unwrap());
    let arguments = ["--config", config, "get", "-r", &url, "-o", output];
    let refused = geomys(&arguments, "");
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    let said = text(&refused.stderr);
    assert!(
        said.contains("contains other files") && said.contains("--merge"),
        "{said}"
    );
    assert_eq!(names(&into), ["mine"]);
    let merged = geomys(&[arguments.as_slice(), &["--merge"]].concat(), "");
    assert_eq!(merged.status.code(), Some(0), "{merged:?}");
    assert_eq!(names(&into), ["a", "mine"]);
    // A directory of that name exists: the download goes beside it.
    let above = format!("{}/", directory.path().display());
    fs::rename(&into, directory.path().join("pub")).unwrap();
    let arguments = ["--config", config, "get", "-r", &url, "-o", &above];
    assert_eq!(geomys(&arguments, "").status.code(), Some(0));
    assert_eq!(names(&directory.path().join("pub (2)")), ["a"]);
    assert_eq!(names(directory.path()), ["config", "pub", "pub (2)"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn get_mirrors_a_directory() {
    let archive = Archive::of_a_tree(10).await;
    let directory = tempfile::tempdir().unwrap();
    let url = archive.url("/pub/");
    let get = |more: &[&str]| {
        let arguments = [
            "--config",
            "config",
            "get",
            "-r",
            "--limit-rate",
            "1M",
            &url,
            "-o",
            "here",
        ];
        geomys_at(directory.path(), &[&arguments, more].concat())
    };
    let dry = get(&["--dry-run", "--exclude", "sub"]);
    assert_eq!(dry.status.code(), Some(0), "{dry:?}");
    assert_eq!(text(&dry.stdout), "fetch here/a\n");
    assert!(
        text(&dry.stderr).contains("dry run: here: 1 file"),
        "{dry:?}"
    );
    let first = get(&[]);
    assert!(text(&first.stderr).contains("3 files"), "{first:?}");
    archive.put_directory("/pub", &line("-rw-r--r--", 11, b"a"));
    archive.put("/pub/a", &test_octets(11));
    let second = get(&["--delete"]);
    assert_eq!(second.status.code(), Some(0), "{second:?}");
    let said = text(&second.stderr);
    assert!(said.contains("1 updated; 2 deleted"), "{said}");
    assert_eq!(names(&directory.path().join("here")), ["a"]);
    let wrong = geomys_at(directory.path(), &["get", "--limit-rate", "fast", &url]);
    assert_eq!(wrong.status.code(), Some(2), "{wrong:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn get_keeps_a_file_that_is_shorter_than_announced_with_one_note() {
    let behavior = ServerBehavior {
        announced: Some(204_096),
        ..ServerBehavior::default()
    };
    let archive = Archive::start([("/a", Node::File(test_octets(200_000)))], behavior).await;
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("a");
    let output = file.to_str().unwrap();
    let got = geomys(&["get", "--json", &archive.url("/a"), "-o", output], "");
    assert_eq!(got.status.code(), Some(0), "{got:?}");
    assert_eq!(fs::read(&file).unwrap(), test_octets(200_000));
    let said = text(&got.stderr);
    let note = "the server announced 204,096 bytes and sent 200,000";
    assert_eq!(said.matches(note).count(), 1, "{said}");
    let printed: serde_json::Value = serde_json::from_slice(&got.stdout).unwrap();
    assert_eq!(printed["end"], "confirmed");
    assert_eq!(printed["notes"][0], note);
    assert_eq!(names(directory.path()), ["a"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn local_file_without_a_size_is_saved() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("status");
    let output = file.to_str().unwrap();
    let got = geomys(&["get", "file:///proc/self/status", "-o", output], "");
    assert_eq!(got.status.code(), Some(0), "{got:?}");
    assert!(fs::read_to_string(&file).unwrap().contains("Name:"));
}

#[tokio::test(flavor = "multi_thread")]
async fn get_without_a_terminal_says_each_outage_and_where_it_resumes() {
    let behavior = ServerBehavior {
        cuts: vec![20_000, 5_000],
        ..ServerBehavior::default()
    };
    let archive = Archive::of_one_file(behavior).await;
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("a");
    let output = file.to_str().unwrap();
    let got = geomys(&["get", &archive.url("/a"), "-o", output], "");
    assert_eq!(got.status.code(), Some(0), "{got:?}");
    let said = text(&got.stderr);
    assert_eq!(said.matches("; again in 1 s").count(), 1, "{said}");
    assert_eq!(said.matches("; again in").count(), 2, "{said}");
    assert!(said.contains("a: resumed at 20.0 kB"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn get_takes_the_policy_from_its_option_and_from_the_settings() {
    let archive = Archive::of_one_file(ServerBehavior::default()).await;
    let directory = tempfile::tempdir().unwrap();
    let config = directory.path().join("config");
    fs::create_dir(&config).unwrap();
    fs::write(
        config.join("settings.toml"),
        "[transfers]\nexisting = \"skip\"\n",
    )
    .unwrap();
    fs::write(directory.path().join("a"), "mine").unwrap();
    let url = archive.url("/a");
    let get = |more: &[&str]| {
        let arguments = ["--config", "config", "get", &url];
        geomys_at(directory.path(), &[&arguments, more].concat())
    };
    let skipped = get(&[]);
    assert_eq!(skipped.status.code(), Some(0), "{skipped:?}");
    assert_eq!(text(&skipped.stderr), "a: there already\n");
    assert_eq!(fs::read(directory.path().join("a")).unwrap(), b"mine");
    assert_eq!(get(&["--existing", "rename"]).status.code(), Some(0));
    assert_eq!(names(directory.path()), ["a", "a (2)", "config"]);
    assert_eq!(get(&["--existing", "overwrite"]).status.code(), Some(0));
    assert_eq!(fs::read(directory.path().join("a")).unwrap().len(), 50_000);
    assert_eq!(get(&["--existing", "ask"]).status.code(), Some(2));
}

#[tokio::test(flavor = "multi_thread")]
async fn mirror_and_archive_are_commands_and_options_of_get() {
    let archive = Archive::of_one_file(ServerBehavior::default()).await;
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let config = path("config");
    let run = |arguments: &[&str]| geomys(&[&["--config", &config], arguments].concat(), "");
    let url = archive.url("/;type=d");
    for arguments in [
        ["mirror", &url, &path("a")],
        ["archive", &archive.url("/a"), &path("a.warc.gz")],
    ] {
        let done = run(&arguments);
        assert_eq!(done.status.code(), Some(0), "{done:?}");
    }
    let done = run(&["get", "-r", "--wait", "0", &url, "-o", &path("b")]);
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    assert_eq!(
        names(&directory.path().join("a")),
        names(&directory.path().join("b"))
    );
    assert!(directory.path().join("a.warc.gz").exists());

    // The options of the others are not in the way of who downloads a file.
    let help = text(&run(&["get", "--help"]).stdout);
    assert!(
        help.contains("--existing") && !help.contains("--depth"),
        "{help}"
    );
    let help = text(&run(&["mirror", "--help"]).stdout);
    assert!(
        help.contains("--depth") && !help.contains("--existing"),
        "{help}"
    );
    for (arguments, said) in [
        (&["get", "--depth", "1", &url][..], "--recursive"),
        (
            &["archive", "--depth", "1", &url, "c.warc.gz"],
            "--recursive",
        ),
        (&["archive", &url, "-"], "an archive is a file"),
        (&["mirror", "--span", "http://x/", &url], "expected a host"),
        (&["mirror", "gopher://x~/", &path("d")], ""),
        (&["archive", "gopher://x~/", &path("d.warc.gz")], ""),
    ] {
        let refused = run(arguments);
        assert_eq!(refused.status.code(), Some(2), "{refused:?}");
        assert!(text(&refused.stderr).contains(said), "{refused:?}");
    }
}
