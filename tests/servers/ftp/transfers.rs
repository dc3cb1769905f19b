//! Transfers from vsftpd and pure-ftpd: interrupted and resumed, whole directories, file by file.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use geomys_testing::socks::{Proxy, Rule};
use geomys_wire::text::file_name;

use crate::servers::{Servers, assert_same};
use crate::support::command::{geomys, text};

/// The local path of a remote one in a mirror: names as text, and none that begins like an option.
fn safe(path: &Path) -> PathBuf {
    let names = path.iter().map(|name| match name.to_str() {
        Some(option) if option.starts_with('-') => format!("_{option}"),
        _ => file_name(name.as_bytes(), "file"),
    });
    names.collect()
}

/// The files below a directory, with their octets and modification times; a directory has no octets.
fn tree(root: &Path) -> BTreeMap<PathBuf, Option<(Vec<u8>, i64)>> {
    let mut all = BTreeMap::new();
    let mut waiting = vec![root.to_owned()];
    while let Some(directory) = waiting.pop() {
        for entry in fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            let name = safe(path.strip_prefix(root).unwrap());
            let is = fs::metadata(&path).unwrap();
            if is.is_file() {
                all.insert(name, Some((fs::read(&path).unwrap(), is.mtime())));
            } else if fs::symlink_metadata(&path).unwrap().is_dir() {
                all.insert(name, None);
                waiting.push(path);
            }
        }
    }
    all
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the servers that .ci/servers starts"]
async fn repeatedly_interrupted_transfer_completes() {
    let servers = Servers::named();
    let octets = servers.file("ftp/tree/octets.bin");
    for front in [
        format!("ftp://{}", servers.ftp),
        format!("ftp://ada:byron@{}", servers.pure),
    ] {
        let proxy = Proxy::start(Rule::Cut(1_200_000)).await;
        let by = format!("socks5://{}", proxy.address);
        let address = format!("{front}/tree/octets.bin");
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("saved");
        let saved = path.clone();
        let profile = plain_login();
        let settings = profile.path().to_str().unwrap().to_owned();
        let output = tokio::task::spawn_blocking(move || {
            geomys(
                &[
                    "--config",
                    &settings,
                    "get",
                    &address,
                    "--proxy",
                    &by,
                    "-o",
                    path.to_str().unwrap(),
                ],
                "",
            )
        });
        let output = output.await.unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert_same(&fs::read(&saved).unwrap(), &octets);
        // Three connections for the data, and nothing is left beside the file.
        let data = proxy
            .connections()
            .iter()
            .filter(|connections| !connections.ends_with(port(&front)))
            .count();
        assert_eq!(data, 3, "{:?}", proxy.connections());
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }
}

/// A profile that sends passwords to the local servers without TLS: their certificates are self-signed.
fn plain_login() -> tempfile::TempDir {
    let profile = tempfile::tempdir().unwrap();
    let settings = "[ftp.tls-by-host]\n\"127.0.0.1\" = \"never\"\n";
    fs::write(profile.path().join("settings.toml"), settings).unwrap();
    profile
}

fn port(front: &str) -> &str {
    front.rsplit_once(':').unwrap().1
}

#[test]
#[ignore = "needs the servers that .ci/servers starts"]
fn directory_is_fetched_file_by_file() {
    let servers = Servers::named();
    let expected = tree(&servers.content.join("ftp/tree"));
    assert!(expected.len() > 10, "{expected:?}");
    for front in [
        format!("ftp://{}", servers.ftp),
        format!("ftp://ada:byron@{}", servers.pure),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("tree");
        let address = format!("{front}/tree/;type=d");
        let profile = plain_login();
        let (profile, output) = (profile.path().to_str().unwrap(), path.to_str().unwrap());
        let arguments = ["--config", profile, "get", "-r", &address, "-o", output];
        let output = geomys(&arguments, "");
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{said}");
        let got = tree(&path);
        let names = |tree: &BTreeMap<PathBuf, _>| tree.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&got), names(&expected), "{said}");
        for (name, file) in &expected {
            let (Some((octets, changed)), Some(Some((came, saved_at)))) = (file, got.get(name))
            else {
                continue;
            };
            assert_same(came, octets);
            assert_eq!(saved_at, changed, "{}", name.display());
        }
        // Complete files are not fetched again.
        let again = text(&geomys(&arguments, "").stderr);
        assert!(
            again.contains("passed over") || again.contains("already"),
            "{again}"
        );
    }
}
