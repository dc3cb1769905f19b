//! A person with 20,000 links, beside buku: import, filter, tag, export, check. Each command runs from its start to its
//! last line.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use geomys_store::bookmarks::Bookmarks;
use geomys_store::bookmarks::exchange::{BookmarkFormat, BookmarkTree};

use super::FILE;
use super::figures::beside;

/// The number of links of the list, and of those that are checked: buku fetches each page whole.
const LINKS: usize = 20_000;
const CHECKED: usize = 2_000;

/// The number of links that get a tag.
const TAGGED: usize = 500;

/// A profile of Geomys, and a database of buku beside it.
struct Both<'a> {
    home: &'a Path,
}

/// Prints each job with the times of both.
pub(super) fn compare() {
    let directory = tempfile::tempdir().unwrap();
    let home = directory.path();
    let links: Vec<u8> = take(FILE.as_bytes(), LINKS);
    let html = html(&links);
    std::fs::write(home.join("links.html"), &html).unwrap();
    let both = Both { home };
    let file = home.join("links.html").display().to_string();
    std::fs::write(home.join("bookmarks.txt"), "").unwrap();
    both.run(
        "20,000 links: import",
        &["import", &file],
        &["--tacit", "--import", &file],
    );
    both.run(
        "20,000 links: filter by two words",
        &["list", "burrow", "mole19"],
        &[
            "--np", "--nc", "--format", "10", "--deep", "--sall", "burrow", "mole19",
        ],
    );
    let indices = format!("1-{TAGGED}");
    both.run(
        "20,000 links: 500 of them tagged",
        &["edit", "--matching", "#tag7", "--add-tag", "bench"],
        &["--tacit", "--update", &indices, "--tag", "+", "bench"],
    );
    let [out, other] = ["out.html", "buku.html"].map(|name| home.join(name).display().to_string());
    both.run(
        "20,000 links: export as HTML",
        &["export", &out],
        &["--tacit", "--export", &other],
    );
    check();
}

/// Compares the check of all links of a list with the refresh of all titles, which is how buku finds dead links.
fn check() {
    let directory = tempfile::tempdir().unwrap();
    let home = directory.path();
    let web = serve();
    let links = (0..CHECKED).map(|number| format!("<URL:http://{web}/{number}.html>\n"));
    let links = links.collect::<String>().into_bytes();
    let both = Both { home };
    let file = home.join("links.html").display().to_string();
    std::fs::write(&file, html(&links)).unwrap();
    std::fs::write(home.join("bookmarks.txt"), links).unwrap();
    // Without it the row says so.
    let _ = both.buku(&["--tacit", "--import", &file]).output();
    let refresh = ["--tacit", "--threads", "10", "--update"];
    both.run("2,000 links: check", &["check"], &refresh);
}

impl Both<'_> {
    /// Runs a command of each once, as most of them change the list.
    fn run(&self, name: &str, geomys: &[&str], buku: &[&str]) {
        let ours = |_| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_geomys"));
            command.arg("--config").arg(self.home).arg("bookmarks");
            command.args(geomys);
            command
        };
        beside(name, 1, &ours, ("buku", &|_| self.buku(buku)), None);
    }

    fn buku(&self, arguments: &[&str]) -> Command {
        let mut buku = Command::new("buku");
        buku.arg("--nostdin").args(arguments);
        buku.env("XDG_DATA_HOME", self.home).stdin(Stdio::null());
        buku
    }
}

/// Returns the first bookmarks of a file, with the folders above them.
fn take(file: &[u8], bookmarks: usize) -> Vec<u8> {
    let mut rest = bookmarks;
    let lines = file.split_inclusive(|&octet| octet == b'\n');
    let taken = lines.take_while(|line| {
        let is_bookmark = line.windows(5).any(|part| part == b"<URL:");
        rest = rest.saturating_sub(usize::from(is_bookmark));
        rest > 0 || is_bookmark
    });
    taken.collect::<Vec<_>>().concat()
}

fn html(bookmarks: &[u8]) -> Vec<u8> {
    let tree = BookmarkTree::of(&Bookmarks::parse(bookmarks));
    BookmarkFormat::Html.write(&tree).unwrap().0
}

/// Starts a web server whose pages have a title.
fn serve() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // The client may have gone.
            thread::spawn(move || drop(answer(stream)));
        }
    });
    address
}

fn answer(mut stream: TcpStream) -> std::io::Result<()> {
    const PAGE: &str = "<html><title>A burrow</title><p>Dug in the spring</html>";
    let mut head = Vec::new();
    let mut octets = [0; 1024];
    while !head.ends_with(b"\r\n\r\n") {
        let count = stream.read(&mut octets)?;
        if count == 0 {
            return Ok(());
        }
        head.extend_from_slice(octets.get(..count).unwrap_or_default());
    }
    let length = PAGE.len();
    let body = if head.starts_with(b"HEAD") { "" } else { PAGE };
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
}
