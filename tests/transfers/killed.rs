//! Downloads of a directory whose process is killed at any moment.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use geomys_testing::archive::{Archive, ServerBehavior, line, test_octets};
use geomys_testing::capsule::Capsule;
use geomys_testing::tls::Identity;

/// Number of files in the directory of the server.
const FILES: usize = 40;

/// The contents of the files below a directory, by their names.
fn contents(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(directory).into_iter().flatten();
    let files = entries.filter_map(|entry| {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        // A partial file may be renamed meanwhile.
        fs::read(path).ok().map(|octets| (name, octets))
    });
    files.collect()
}

/// The octets of the record of the directory.
fn recorded(profile: &Path) -> u64 {
    let records = fs::read_dir(profile.join("data/geomys/sources"));
    let records = records.into_iter().flatten();
    records
        .map(|file| file.unwrap().metadata().unwrap().len())
        .sum()
}

/// Runs `geomys get -r`, and kills it as soon as `is_time`. Returns true if it ended before.
async fn get(url: &str, profile: &Path, mut is_time: impl FnMut() -> bool) -> bool {
    let mut child = Command::new(env!("CARGO_BIN_EXE_geomys"))
        .args(["get", "-r", "-P", "4", url, "-o"])
        .arg(profile.join("here"))
        .env_clear()
        .env("HOME", profile)
        .env("XDG_DATA_HOME", profile.join("data"))
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success(), "{status}");
            return true;
        }
        if is_time() {
            child.kill().unwrap();
            child.wait().unwrap();
            return false;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_download_of_a_directory_loses_and_doubles_nothing() {
    let names: Vec<String> = (0..FILES).map(|number| format!("f{number}")).collect();
    let nodes = names.iter().map(|name| {
        let path: &str = Box::leak(format!("/pub/{name}").into_boxed_str());
        (path, name.as_bytes())
    });
    let nodes: Vec<_> = nodes.collect();
    let archive = Archive::start([], ServerBehavior::default()).await;
    let directory = tempfile::tempdir().unwrap();
    let profile = directory.path();
    let (url, into) = (archive.url("/pub/"), profile.join("here"));
    // The second time all files have another size.
    for size in [2000, 2100] {
        let listing = nodes
            .iter()
            .flat_map(|(_, name)| line("-rw-r--r--", size, name));
        archive.put_directory("/pub", &listing.collect::<Vec<_>>());
        for (path, _) in &nodes {
            archive.put(path, &test_octets(size));
        }
        for here in (1..FILES).step_by(3) {
            let (before, file) = (recorded(profile), into.join(format!("f{here}")));
            let is_time = || match here % 2 {
                0 => recorded(profile) > before + 40,
                _ => fs::metadata(&file).is_ok_and(|is| is.len() == size as u64),
            };
            if get(&url, profile, is_time).await {
                break;
            }
        }
        assert!(get(&url, profile, || false).await);
        let mut found = contents(&into);
        if size == 2100 {
            // A kill within two calls of the system leaves the name that the new version has before it replaces the old
            // one.
            found.retain(|name, _| Path::new(name).extension().is_none_or(|end| end != "part"));
        }
        let expected = names.iter().map(|name| (name.clone(), size));
        let sizes = found
            .iter()
            .map(|(name, octets)| (name.clone(), octets.len()));
        assert_eq!(sizes.collect::<BTreeMap<_, _>>(), expected.collect());
        assert!(found.values().all(|octets| *octets == test_octets(size)));
    }
}

/// Number of pages of the capsule below its first one.
const PAGES: usize = 24;

/// The page of a path, in one of its versions.
fn page(path: &str, version: usize) -> Vec<u8> {
    let links = match path.strip_prefix("/p") {
        Some(number) => format!("=> /d/{number}/\n"),
        None if path == "/" => {
            let links = (0..PAGES).map(|number| format!("=> /p{number}\n"));
            links.collect::<Vec<_>>().concat()
        }
        None => String::new(),
    };
    let line = format!("{path} in version {version}\n");
    [links, line.repeat(30 * version)].concat().into_bytes()
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_mirror_of_a_site_loses_and_doubles_nothing() {
    let version = Arc::new(AtomicUsize::new(1));
    let current = Arc::clone(&version);
    let answer = move |path: &str| match path {
        "/robots.txt" => (b"51 none\r\n".to_vec(), true),
        path => {
            let page = page(path, current.load(Ordering::SeqCst));
            ([b"20 text/gemini\r\n".to_vec(), page].concat(), true)
        }
    };
    let capsule = Capsule::start(&Identity::self_signed("localhost"), answer).await;
    let directory = tempfile::tempdir().unwrap();
    let profile = directory.path();
    let (url, into) = (capsule.url("/"), profile.join("here"));
    let mut kills = 0;
    for number in [1, 2] {
        version.store(number, Ordering::SeqCst);
        for here in 0..PAGES {
            let (asked, before) = (capsule.requests().len(), recorded(profile));
            let path = format!("/p{here}");
            let (file, size) = (
                into.join(format!("p{here}")),
                page(&path, number).len() as u64,
            );
            let is_time = || match here % 3 {
                0 => recorded(profile) > before + here as u64,
                1 => capsule.requests().len() > asked + here,
                _ => fs::metadata(&file).is_ok_and(|is| is.len() == size),
            };
            kills += usize::from(!get(&url, profile, is_time).await);
        }
        assert!(get(&url, profile, || false).await);
        let mut expected = BTreeMap::from([("index.gmi".to_owned(), page("/", number))]);
        for here in 0..PAGES {
            expected.insert(format!("p{here}"), page(&format!("/p{here}"), number));
        }
        let mut found = contents(&into);
        // A kill between two calls of the system leaves a partial file or its state, as above, which no later run takes
        // for a page.
        found.retain(|name, _| !name.contains(".part"));
        let names = |files: &BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&found), names(&expected));
        assert!(found == expected, "some page has other octets");
        for here in 0..PAGES {
            let below = fs::read(into.join(format!("d/{here}/index.gmi"))).unwrap();
            assert_eq!(below, page(&format!("/d/{here}/"), number), "{here}");
            let twice = into.join(format!("d/{here}/index (2).gmi"));
            assert!(!twice.exists(), "{here}");
        }
    }
    assert!(kills > PAGES, "{kills}");
}
