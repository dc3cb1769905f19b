//! Downloads of a directory whose process is killed at any moment.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use geomys_testing::archive::{Archive, ServerBehavior, line, test_octets};

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
            // A kill within two calls of the system leaves the name that the new version has before it replaces the old one.
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
