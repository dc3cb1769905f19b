//! Mirrors that are served again, by gophernicus and molly-brown.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Permissions};
use std::net::{Ipv4Addr, SocketAddr};
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use geomys_demo::Demo;
use geomys_load::{Purpose, Reason, Request};
use geomys_testing::hole::Hole;
use geomys_testing::loading::{carry_out, url};
use geomys_wire::net::Net;
use geomys_wire::text::Charset;
use rustix::process::{Pid, Signal, kill_process_group};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use super::{Servers, assert_same};
use crate::support::command::{geomys, text};

/// The options that serve a copy as it is: see the manual.
const PLAIN: [&str; 8] = ["-nv", "-nf", "-nx", "-nu", "-no", "-nq", "-na", "-nt"];

/// A gophernicus for each connection, as a super-server starts it.
struct Gophernicus {
    address: SocketAddr,
    task: JoinHandle<()>,
}

impl Gophernicus {
    /// Serves a directory, under the name of `named` or its own.
    async fn start(root: &Path, named: Option<SocketAddr>, options: &[&str]) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let port = named.unwrap_or(address).port().to_string();
        let mut arguments = vec!["--reuid=nobody", "--regid=nogroup", "--clear-groups"];
        arguments.extend([
            "/usr/sbin/gophernicus",
            "-h",
            "127.0.0.1",
            "-p",
            &port,
            "-r",
        ]);
        arguments.push(root.to_str().unwrap());
        arguments.extend(options);
        let arguments: Vec<String> = arguments.into_iter().map(str::to_owned).collect();
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let stream = stream.into_std().unwrap();
                stream.set_nonblocking(false).unwrap();
                let output = OwnedFd::from(stream.try_clone().unwrap());
                let mut command = Command::new("setpriv");
                command.args(&arguments);
                command.stdin(OwnedFd::from(stream)).stdout(output);
                let mut child = command.stderr(Stdio::null()).spawn().unwrap();
                drop(command);
                tokio::task::spawn_blocking(move || child.wait());
            }
        });
        Self { address, task }
    }

    async fn ask(&self, selector: &[u8]) -> Vec<u8> {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let line = [selector, b"\r\n"].concat();
        stream.write_all(&line).await.unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.unwrap();
        answer
    }

    /// Returns all pages that menus of this server lead to, by their types and selectors.
    async fn pages(&self) -> BTreeMap<(u8, Vec<u8>), Vec<u8>> {
        let own = format!("127.0.0.1\t{}", self.address.port());
        let mut pages = BTreeMap::new();
        let mut waiting = BTreeSet::from([(b'1', Vec::new())]);
        while let Some((gtype, selector)) = waiting.pop_first() {
            let page = self.ask(&selector).await;
            if gtype == b'1' {
                let rows = page.split(|&octet| octet == b'\n');
                for row in rows.map(<[u8]>::trim_ascii_end) {
                    let mut fields = row.splitn(3, |&octet| octet == b'\t');
                    let (name, selector) = (fields.next(), fields.next());
                    let is_own = fields.next() == Some(own.as_bytes());
                    if let (Some([gtype, ..]), Some(selector), true) = (name, selector, is_own)
                        && b"01459ghI".contains(gtype)
                        // A page of the server itself.
                        && !selector.starts_with(b"URL:")
                        && !pages.contains_key(&(*gtype, selector.to_vec()))
                    {
                        waiting.insert((*gtype, selector.to_vec()));
                    }
                }
            }
            pages.insert((gtype, selector), page);
        }
        pages
    }
}

impl Drop for Gophernicus {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The address of a free port.
pub(super) async fn free_address() -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    listener.local_addr().unwrap()
}

/// A directory that every server may read.
pub(super) fn readable() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::set_permissions(directory.path(), Permissions::from_mode(0o755)).unwrap();
    directory
}

/// Mirrors a site below `root` without pages of this name, and returns the copy to serve.
fn copy(root: &Path, site: &str, without: &str) -> PathBuf {
    let (config, into) = (root.join("config"), root.join("here"));
    fs::create_dir_all(&config).unwrap();
    let (config, into) = (config.to_str().unwrap(), into.to_str().unwrap());
    let options = ["--config", config, "get", "-r", "--convert", "-o", into];
    let arguments = [options.as_slice(), &["--exclude", without, site]].concat();
    let output = geomys(&arguments, "");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    root.join("here-served")
}

/// The lines of a text, whose ends a server may change.
fn lines(octets: &[u8]) -> Vec<&[u8]> {
    let lines = octets.strip_suffix(b"\n").unwrap_or(octets);
    lines
        .split(|&octet| octet == b'\n')
        .map(<[u8]>::trim_ascii_end)
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the servers that .ci/servers starts"]
async fn copy_of_a_hole_is_the_hole() {
    let servers = Servers::named();
    let original = Gophernicus::start(&servers.content.join("gopher"), None, &["-nv"]).await;
    let directory = readable();
    let address = original.address;
    let pages = original.pages().await;
    let copied = copy(directory.path(), &format!("gopher://{address}/"), "");
    drop(original);
    let served = Gophernicus::start(&copied, Some(address), &PLAIN).await;
    let is_error = |page: &[u8]| page.starts_with(b"Error:") || page.starts_with(b"3Error:");
    let mut compared = (0, 0, 0);
    for ((gtype, selector), page) in pages {
        let name = format!("{}{}", char::from(gtype), selector.escape_ascii());
        let again = served.ask(&selector).await;
        if is_error(&page) {
            continue;
        }
        if gtype == b'0' {
            assert_eq!(lines(&again), lines(&page), "{name}");
            compared.0 += 1;
        } else {
            let at = again.iter().zip(&page).position(|(a, b)| a != b);
            assert_eq!((again.len(), at), (page.len(), None), "{name}");
            compared.1 += usize::from(gtype == b'1');
            compared.2 += usize::from(gtype != b'1');
        }
    }
    let (texts, menus, binaries) = compared;
    assert!(texts >= 4 && menus >= 2 && binaries >= 1, "{compared:?}");
    assert!(is_error(&served.ask(b"/nothing").await));
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the servers that .ci/servers starts"]
async fn copy_of_a_hostile_hole_runs_nothing() {
    let directory = readable();
    let marks = directory.path().join("marks");
    fs::create_dir(&marks).unwrap();
    fs::set_permissions(&marks, Permissions::from_mode(0o777)).unwrap();
    let mark = format!("touch {}/ran", marks.display());
    let command = mark.clone();
    let hole = Hole::start(move |selector, here| {
        let own = format!("{}\t{}", here.ip(), here.port());
        let row = |row: &str| format!("{}\r\n", row.replace('@', &own));
        let commands = || {
            let long = "x".repeat(1021 - "0".len());
            [
                format!("={command}\r\n"),
                format!("={command}\t/x\t{own}\r\n"),
                format!("0{long}={command}\n"),
                format!("0{}={command}\n", "y".repeat(1022)),
                format!("0zero\0={command}\r\n"),
                "#gone\r\n:txt=1\r\n-a.txt\r\n~\r\n%\r\n!Title\r\n".to_owned(),
                format!("\r={command}\r\n\n={command}\n"),
                "*\r\n".to_owned(),
                row("iafter the star\t\terror.host\t1"),
            ]
            .concat()
        };
        let menu = match selector {
            "" => {
                let names = [
                    "1Map\t/d/gophermap",
                    "0Tag\t/gophertag",
                    "0Script\t/cgi-bin/run",
                    "0Inline\t/list/a.gophermap",
                    "0Inline\t/list/my gophermap.txt",
                    "0Encoded\t/list/b.%67ophermap",
                    "0Encoded\t/list/c.#147ophermap",
                    "0Hidden\t/.hidden/x",
                    "0Up\t/%2e%2e/up",
                    "1Menu\t/d",
                    "9Program\t/program",
                ];
                let rows = names.map(|name| row(&format!("{name}\t@")));
                rows.concat() + &commands() + ".\r\n"
            }
            "/d" | "/d/gophermap" => commands() + ".\r\n",
            "/program" => format!("#!/bin/sh\n{command}\n"),
            _ => format!("={command}\r\n#!/bin/sh\r\n.\r\n"),
        };
        menu.into_bytes()
    })
    .await;
    let copied = copy(directory.path(), &format!("gopher://{}/", hole.address), "");
    for options in [["-nv"].as_slice(), &["-nv", "-nu"], &PLAIN] {
        let served = Gophernicus::start(&copied, None, options).await;
        let mut selectors = vec![String::new()];
        let mut waiting = vec![copied.clone()];
        while let Some(directory) = waiting.pop() {
            for entry in fs::read_dir(directory).unwrap() {
                let entry = entry.unwrap();
                let path = entry.path();
                let is = entry.metadata().unwrap();
                let mode = is.permissions().mode() & 0o777;
                assert_eq!(mode, if is.is_dir() { 0o755 } else { 0o644 }, "{path:?}");
                let below = path.strip_prefix(&copied).unwrap().to_str().unwrap();
                selectors.push(format!("/{below}"));
                if is.is_dir() {
                    waiting.push(path);
                }
            }
        }
        assert!(selectors.len() > 12, "{selectors:?}");
        for selector in selectors {
            let page = served.ask(selector.as_bytes()).await;
            let page = String::from_utf8_lossy(&page);
            assert!(!page.contains("uid="), "{selector}: {page}");
        }
        let menu = served.ask(b"/d").await;
        let menu = text(&menu);
        assert!(menu.contains(&format!("i={mark}\t")), "{menu}");
        assert!(menu.contains("iafter the star\t"), "{menu}");
        assert!(
            fs::read_dir(&marks).unwrap().next().is_none(),
            "{options:?}"
        );
    }
}

/// A molly-brown with its own network.
pub(super) struct MollyBrown {
    address: SocketAddr,
    process: Child,
}

impl MollyBrown {
    /// Serves a directory on a free port. `named` is the port that its URLs name; `directory` is for its own files.
    pub(super) async fn start(
        address: SocketAddr,
        named: u16,
        root: &Path,
        directory: &Path,
    ) -> Self {
        let path = |name: &str| directory.join(name).display().to_string();
        let key = [
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-days",
            "30",
            "-subj",
            "/CN=127.0.0.1",
        ];
        let made = Command::new("openssl")
            .args(key)
            .args(["-addext", "subjectAltName=IP:127.0.0.1"])
            .args([
                "-keyout",
                &path("key.pem"),
                "-out",
                &path("certificate.pem"),
            ])
            .output()
            .unwrap();
        assert!(made.status.success(), "{made:?}");
        let conf = format!(
            "Port = {}\nHostname = \"127.0.0.1\"\nCertPath = \"{}\"\nKeyPath = \"{}\"\nDocBase = \"{}/\"\n\
             AccessLog = \"-\"\nErrorLog = \"/dev/null\"\nReadMollyFiles = true\n",
            named,
            path("certificate.pem"),
            path("key.pem"),
            root.display()
        );
        fs::write(path("conf"), conf).unwrap();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join(".ci/capsule");
        let process = Command::new(script)
            .args([path("conf"), named.to_string(), address.port().to_string()])
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        while TcpStream::connect(address).await.is_err() {
            tokio::task::yield_now().await;
        }
        Self { address, process }
    }
}

impl Drop for MollyBrown {
    fn drop(&mut self) {
        let _ = kill_process_group(Pid::from_child(&self.process), Signal::TERM);
        let _ = self.process.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the servers that .ci/servers starts"]
async fn copy_of_a_capsule_is_the_capsule() {
    let demo = Demo::start().await.unwrap();
    let directory = readable();
    let original = demo.addresses.gemini;
    let copied = copy(directory.path(), &format!("gemini://{original}/"), "busy");
    let paths = [
        "/",
        "/log/",
        "/log/lamp.gmi",
        "/gemtext.gmi",
        "/old-art.gmi",
        "/rules.txt",
        "/door.png",
        "/moved",
    ];
    let page = async |address: SocketAddr, path: &str| {
        let mut request = Request::show(url(format!("gemini://{address}{path}")), Reason::Typed);
        request.purpose = Purpose::Save;
        let page = carry_out(&Net::default(), request).await.whole();
        let head = page.begin.clone().unwrap();
        let at = head
            .url
            .map(|url| url.as_str().replace(&address.to_string(), "host"));
        (
            page.octets,
            head.file_name.media_type,
            head.charset,
            head.languages,
            at,
        )
    };
    let mut originals = Vec::new();
    for path in paths {
        originals.push(page(original, path).await);
    }
    drop(demo);
    let address = free_address().await;
    let served = MollyBrown::start(address, address.port(), &copied, directory.path()).await;
    for (path, original) in paths.iter().zip(originals) {
        let again = page(served.address, path).await;
        assert_same(&again.0, &original.0);
        assert_eq!(
            (&again.1, &again.3, &again.4),
            (&original.1, &original.3, &original.4),
            "{path}"
        );
        let is_utf_8 =
            |charset: Option<Charset>| charset.is_none() || charset == Some(Charset::default());
        let charset = (again.2, original.2);
        assert!(
            charset.0 == charset.1 || is_utf_8(charset.0) && is_utf_8(charset.1),
            "{path}: {charset:?}"
        );
    }
}
