//! Large zips that are opened by parts: their directory, and a member alone.

use std::io::Write;
use std::os::unix::fs::FileExt;
use std::sync::{Arc, LazyLock};

use geomys_load::{ArchiveStore, CacheUse, FormAnswers, PostedAnswers, Purpose, Reason, Request};
use geomys_testing::archive::{Archive, Node, RestartSupport, ServerBehavior};
use geomys_testing::loading::{Loaded, carry_out, texts};
use geomys_testing::web::{HttpRequest, Web, ok};
use geomys_wire::net::Net;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use zip::CompressionMethod;
use zip::write::SimpleFileOptions;

use super::{TEXT, url};

/// A file that is too long to be fetched before it is read.
static OTHER: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let numbers = (0_u32..17 << 18).map(|n| n.wrapping_mul(0x9e37_79b9));
    numbers.flat_map(u32::to_be_bytes).collect()
});

/// A zip of more than 16 MiB; `other` is the file before the others.
fn large(count: usize) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    writer.start_file("other", stored).unwrap();
    writer.write_all(&OTHER).unwrap();
    for number in 0..count {
        writer
            .start_file(format!("docs/{number:05}.txt"), stored)
            .unwrap();
        writer.write_all(TEXT).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

static ZIP: LazyLock<Vec<u8>> = LazyLock::new(|| large(3));

/// Requests that share a store of archives.
struct Requests {
    net: Net,
    archives: Arc<ArchiveStore>,
}

impl Requests {
    fn new() -> Self {
        Self {
            net: Net::default(),
            archives: Arc::new(ArchiveStore::default()),
        }
    }

    async fn carry_out(&self, address: &str, purpose: Purpose) -> Loaded {
        let mut request = Request {
            purpose,
            cache_use: CacheUse::BeforeRequest,
            // As on the command line.
            answers: FormAnswers::Confirmed,
            ..Request::show(url(address), Reason::Typed)
        };
        request.settings.archives = Arc::clone(&self.archives);
        carry_out(&self.net, request).await
    }

    async fn show(&self, address: &str) -> Loaded {
        self.carry_out(address, Purpose::Show).await
    }
}

/// Opens the listing and members of a zip at an address.
async fn open_all(address: &str, count: usize) {
    let requests = Requests::new();
    let listing = requests.show(address).await.whole().document();
    assert_eq!(texts(&listing), ["..", "docs", "other"]);
    let docs = requests.show(&format!("{address}#docs/")).await.whole();
    assert_eq!(docs.document().count(), count + 1);
    let member = format!("{address}#docs/00001.txt");
    assert_eq!(requests.show(&member).await.whole().octets, TEXT);
    let saved = requests.carry_out(&member, Purpose::Save).await;
    assert_eq!(saved.whole().octets, TEXT);
    let other = format!("{address}#other");
    let saved = requests.carry_out(&other, Purpose::Save).await.whole();
    assert!(saved.octets == *OTHER, "{} octets", saved.octets.len());
    let missing = requests.show(&format!("{address}#none")).await.failure();
    assert!(missing.sentence.contains("has no none"), "{missing:?}");
}

async fn ftp(behavior: ServerBehavior, zip: &[u8]) -> Archive {
    let nodes = [
        ("/", Node::Directory(Vec::new())),
        ("/a.zip", Node::File(zip.to_vec())),
    ];
    Archive::start(nodes, behavior).await
}

#[tokio::test]
async fn zip_is_listed_by_its_end_over_ftp_and_a_member_fetched_alone() {
    for (count, most) in [(3, 4), (5000, 5)] {
        let server = ftp(ServerBehavior::default(), &large(count)).await;
        open_all(&server.url("/a.zip"), count).await;
        let begun = server.command_count("RETR");
        assert!(begun <= most, "{count}: {begun}");
        assert_eq!(server.command_count("REST"), begun - 1);
    }
}

#[tokio::test]
async fn server_that_ignores_or_refuses_rest_sends_the_whole_zip() {
    for restart in [RestartSupport::Ignored, RestartSupport::Refused] {
        let behavior = ServerBehavior {
            restart,
            ..ServerBehavior::default()
        };
        let server = ftp(behavior, &ZIP).await;
        open_all(&server.url("/a.zip"), 3).await;
    }
}

/// Answers a request for a part of the zip, of which so many octets are sent at most.
fn part(request: &HttpRequest, most: usize) -> Vec<u8> {
    let Some(range) = request.field("range") else {
        return ok("Content-Type: application/zip\r\n", &*ZIP);
    };
    let range = range.strip_prefix("bytes=").unwrap();
    let (first, last) = range.split_once('-').unwrap();
    let (first, last): (usize, usize) = (first.parse().unwrap(), last.parse().unwrap());
    let (part, size) = (&ZIP[first..=last], ZIP.len());
    let head = format!(
        "HTTP/1.1 206 Partial Content\r\nContent-Type: application/zip\r\n\
         Content-Range: bytes {first}-{last}/{size}\r\nContent-Length: {}\r\n\r\n",
        part.len()
    );
    [head.as_bytes(), &part[..part.len().min(most)]].concat()
}

#[tokio::test]
async fn zip_is_opened_by_ranges_over_http() {
    let server = Web::start(|request| part(request, usize::MAX)).await;
    open_all(&server.url("/a.zip"), 3).await;
    let ranges = server.take_requests();
    let whole = ranges
        .iter()
        .filter(|request| request.field("range").is_none());
    assert_eq!(whole.count(), 1, "the start of the first request");
    // A server without ranges.
    let server = Web::start(|_| ok("Content-Type: application/zip\r\n", &*ZIP)).await;
    open_all(&server.url("/a.zip"), 3).await;
}

#[tokio::test]
async fn large_zip_on_the_disk_is_read_from_its_end() {
    const HOLE: u64 = 2 << 30;
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    writer.start_file("other", stored).unwrap();
    writer.write_all(b"x").unwrap();
    writer.start_file("docs/a", stored).unwrap();
    writer.write_all(TEXT).unwrap();
    let zip = writer.finish().unwrap().into_inner();
    // What is behind the first member moves by the hole.
    let second = memchr::memmem::find_iter(&zip, b"PK\x03\x04")
        .nth(1)
        .unwrap();
    let mut end = zip[second..].to_vec();
    let moved = |at: usize, end: &mut Vec<u8>| {
        let offset = u32::from_le_bytes(end[at..at + 4].try_into().unwrap());
        let offset = offset + u32::try_from(HOLE).unwrap();
        end[at..at + 4].copy_from_slice(&offset.to_le_bytes());
    };
    let entry = memchr::memmem::rfind(&end, b"PK\x01\x02").unwrap();
    moved(entry + 42, &mut end);
    let directory = end.len() - 22;
    moved(directory + 16, &mut end);
    let file = super::LocalFile::new("a.zip", &zip[..second]);
    let opened = std::fs::OpenOptions::new()
        .write(true)
        .open(&file.path)
        .unwrap();
    opened.write_all_at(&end, second as u64 + HOLE).unwrap();
    let listing = file.show("").await.whole().document();
    assert_eq!(texts(&listing), ["..", "docs", "other"]);
    assert_eq!(file.show("#docs/a").await.whole().octets, TEXT);
    assert_eq!(file.save("#docs/a").await.whole().octets, TEXT);
}

#[tokio::test]
async fn truncated_zip_without_its_directory_shows_its_first_members() {
    let zip = &ZIP[..ZIP.len() - 100];
    let server = ftp(ServerBehavior::default(), zip).await;
    let local = super::LocalFile::new("a.zip", zip);
    for address in [server.url("/a.zip"), local.url("")] {
        let requests = Requests::new();
        let loaded = requests.show(&address).await;
        assert_eq!(texts(&loaded.document()), ["..", "docs", "other"]);
        assert!(
            loaded.failure().sentence.contains("is damaged"),
            "{address}"
        );
        let member = requests.show(&format!("{address}#docs/00001.txt")).await;
        assert_eq!(member.whole().octets, TEXT);
    }
}

#[tokio::test]
async fn long_zip_without_its_directory_shows_its_first_members() {
    let end = memchr::memmem::rfind(&ZIP, b"PK\x03\x04").unwrap();
    let local = super::LocalFile::new("a.zip", &ZIP[..end]);
    let file = std::fs::OpenOptions::new().write(true).open(&local.path);
    file.unwrap().set_len(200 << 20).unwrap();
    let loaded = Requests::new().show(&local.url("")).await;
    assert_eq!(texts(&loaded.document()), ["..", "docs", "other"]);
    let sentence = loaded.failure().sentence;
    assert!(sentence.contains("only 134.2 MB of a.zip"), "{sentence}");
}

#[tokio::test]
async fn member_that_ends_early_is_a_failure() {
    // The connection ends in the middle of the long member.
    let server = Web::start(|request| part(request, 10 << 20)).await;
    let requests = Requests::new();
    let other = server.url("/a.zip#other");
    let loaded = requests.carry_out(&other, Purpose::Save).await;
    assert!(OTHER.starts_with(&loaded.octets) && loaded.octets.len() > 8 << 20);
    let failure = loaded.failure();
    assert!(!failure.sentence.contains("damaged"), "{failure:?}");
}

#[tokio::test]
async fn members_of_a_directory_that_is_saved_are_fetched_alone() {
    let server = ftp(ServerBehavior::default(), &ZIP).await;
    let requests = Requests::new();
    let mut request = Request {
        purpose: Purpose::Save,
        ..Request::show(url(server.url("/a.zip#docs/")), Reason::Typed)
    };
    request.save.lists_members = true;
    request.settings.archives = Arc::clone(&requests.archives);
    let listing = carry_out(&requests.net, request).await.whole().document();
    assert_eq!(listing.count(), 4);
    let member = server.url("/a.zip#docs/00001.txt");
    let saved = requests.carry_out(&member, Purpose::Save).await;
    assert_eq!(saved.whole().octets, TEXT);
    let begun = server.command_count("RETR");
    assert_eq!(
        server.command_count("REST"),
        begun - 1,
        "the start of the first request"
    );
}

#[tokio::test]
async fn changed_zip_is_fetched_again() {
    let server = ftp(ServerBehavior::default(), &ZIP).await;
    let requests = Requests::new();
    let address = server.url("/a.zip");
    requests.show(&address).await.whole();
    server.put("/a.zip", &large(7));
    let member = format!("{address}#docs/00001.txt");
    assert_eq!(requests.show(&member).await.whole().octets, TEXT);
}

#[tokio::test]
async fn part_that_does_not_end_is_cut_off_and_the_whole_zip_fetched() {
    const SENT_BYTES: usize = 64 * 1024 * 1024;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/a.zip", listener.local_addr().unwrap());
    let (ends, mut ended) = mpsc::unbounded_channel();
    let server = tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let mut stream = BufReader::new(stream);
            let mut head = String::new();
            while !head.ends_with("\r\n\r\n") {
                stream.read_line(&mut head).await.unwrap();
            }
            let head = head.to_ascii_lowercase();
            let Some((_, range)) = head.split_once("range: bytes=") else {
                let whole = ok("Content-Type: application/zip\r\n", &*ZIP);
                // The client closes after the start.
                let _ = stream.write_all(&whole).await;
                continue;
            };
            let first = range.split('-').next().unwrap();
            let (last, size) = (ZIP.len() - 1, ZIP.len());
            let head = format!(
                "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes {first}-{last}/{size}\r\n\r\n"
            );
            stream.write_all(head.as_bytes()).await.unwrap();
            ends.send(stream.write_all(&vec![1; SENT_BYTES]).await.is_err())
                .unwrap();
        }
    });
    open_all(&address, 3).await;
    assert_eq!(ended.recv().await, Some(true), "cut off");
    server.abort();
}

#[tokio::test]
async fn form_that_a_zip_answers_is_sent_once() {
    let server = Web::start(|_| ok("", &*ZIP)).await;
    let requests = Requests::new();
    let mut request = Request::show(url(server.url("/a.zip")), Reason::Typed);
    request.answers = FormAnswers::Posted(PostedAnswers {
        media: "application/x-www-form-urlencoded".into(),
        octets: b"a=b".to_vec(),
        ..PostedAnswers::default()
    });
    request.settings.archives = Arc::clone(&requests.archives);
    let listing = carry_out(&requests.net, request).await.whole().document();
    assert_eq!(texts(&listing), ["..", "docs", "other"]);
    assert_eq!(server.take_lines(), ["POST /a.zip"]);
}
