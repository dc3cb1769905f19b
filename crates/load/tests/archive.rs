//! Compressed files and archives: opened as what they contain in every scheme, whatever they are called.

mod formats;
mod hostile;
mod links;
mod members;
mod parts;
mod spool;

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use flate2::Compression;
use flate2::write::GzEncoder;
use geomys_load::{
    ArchiveStore, CacheUse, ProtocolSettings, Purpose, Question, Reason, Request, Stop,
};
use geomys_page::document::Shape;
use geomys_testing::archive::{Archive, Node, ServerBehavior};
use geomys_testing::loading::{Loaded, carry_out, short_timeouts, texts};
use geomys_wire::net::{Limits, Net};
use rfc1738::{Dialect, Url};
use tar::{Builder, EntryType, Header};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// A URL, which may have a fragment.
fn url(text: impl AsRef<str>) -> Url {
    Dialect::Extended.parse(text.as_ref()).unwrap()
}

async fn show(net: &Net, address: impl AsRef<str>) -> Loaded {
    carry_out(net, Request::show(url(address), Reason::Typed)).await
}

const TEXT: &[u8] = b"Read me: Gr\xc3\xbc\xc3\x9fe.\nThe second line.\n";

fn gzipped(octets: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(octets).unwrap();
    encoder.finish().unwrap()
}

fn bzipped(octets: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(octets).unwrap();
    encoder.finish().unwrap()
}

/// A header for a member; its name is written as it is.
fn header(name: &[u8], kind: EntryType, size: u64) -> Header {
    let mut header = Header::new_gnu();
    header.as_gnu_mut().unwrap().name[..name.len()].copy_from_slice(name);
    header.set_entry_type(kind);
    header.set_mtime(1_700_000_000);
    header.set_size(size);
    header.set_mode(0o644);
    header.set_cksum();
    header
}

/// A tar archive of files.
fn tarred<'a>(members: impl IntoIterator<Item = (&'a [u8], &'a [u8])>) -> Vec<u8> {
    let mut builder = Builder::new(Vec::new());
    for (name, octets) in members {
        let header = header(name, EntryType::Regular, octets.len() as u64);
        builder.append(&header, octets).unwrap();
    }
    builder.into_inner().unwrap()
}

/// A zip archive of files.
fn zipped<'a>(members: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, octets) in members {
        let options = zip::write::SimpleFileOptions::default();
        writer.start_file(name, options).unwrap();
        writer.write_all(octets).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// A file in a directory of its own.
struct LocalFile {
    path: PathBuf,
    _directory: TempDir,
}

impl LocalFile {
    fn new(name: &str, octets: &[u8]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(name);
        fs::write(&path, octets).unwrap();
        Self {
            path,
            _directory: directory,
        }
    }

    fn url(&self, fragment: &str) -> String {
        format!("file://{}{fragment}", self.path.display())
    }

    async fn show(&self, fragment: &str) -> Loaded {
        show(&Net::default(), self.url(fragment)).await
    }

    async fn save(&self, fragment: &str) -> Loaded {
        let request = Request {
            purpose: Purpose::Save,
            ..Request::show(url(self.url(fragment)), Reason::Typed)
        };
        carry_out(&Net::default(), request).await
    }
}

fn data(name: &str) -> Vec<u8> {
    fs::read(format!("tests/data/archive/{name}")).unwrap()
}

/// Answers connections with these octets; returns its port and the number of connections.
async fn serve(reply: Vec<u8>) -> (u16, JoinHandle<()>, Arc<std::sync::atomic::AtomicUsize>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let count = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let serving = tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            counted.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            let mut request = [0; 2048];
            let _ = stream.read(&mut request).await;
            let _ = stream.write_all(&reply).await;
        }
    });
    (port, serving, count)
}

fn http_reply(fields: &str, octets: &[u8]) -> Vec<u8> {
    let length = octets.len();
    let head =
        format!("HTTP/1.1 200 OK\r\n{fields}Content-Length: {length}\r\nConnection: close\r\n\r\n");
    [head.as_bytes(), octets].concat()
}

#[tokio::test]
async fn each_compression_opens_as_text_whatever_the_name() {
    let numbers: Vec<String> = (1..=3000).map(|number| format!("{number}\n")).collect();
    let numbers = numbers.concat();
    let frames = format!("{numbers}end\n");
    for (name, octets, expected) in [
        ("a.gz", gzipped(numbers.as_bytes()), &numbers),
        ("a", gzipped(numbers.as_bytes()), &numbers),
        ("twice.txt", gzipped(&gzipped(numbers.as_bytes())), &numbers),
        ("a.Z", data("numbers-16.Z"), &numbers),
        ("clear.Z", data("numbers-clear.Z"), &numbers),
        ("a.xz", data("numbers.xz"), &numbers),
        ("a.lzma", data("numbers.lzma"), &numbers),
        ("a.lz", data("numbers.lz"), &numbers),
        // Two frames, and one to skip between them.
        ("a.zst", data("numbers.zst"), &frames),
    ] {
        let loaded = LocalFile::new(name, &octets).show("").await.whole();
        assert_eq!(loaded.begin.as_ref().unwrap().shape, Shape::Text, "{name}");
        assert!(loaded.octets == expected.as_bytes(), "{name}");
    }
    let file = LocalFile::new("README.bz2", &bzipped(TEXT));
    assert_eq!(file.show("").await.whole().octets, TEXT);
    // Saved, it stays what it is.
    assert!(file.save("").await.whole().octets.starts_with(b"BZh"));
}

#[tokio::test]
async fn padding_behind_compressed_members_is_no_damage() {
    for (name, member) in [("a.gz", gzipped(TEXT)), ("a.bz2", bzipped(TEXT))] {
        for padding in [&[0; 512][..], b"\n", b""] {
            let file = LocalFile::new(name, &[&member, member.as_slice(), padding].concat());
            let loaded = file.show("").await.whole();
            assert_eq!(loaded.octets, [TEXT, TEXT].concat(), "{name}");
        }
        // Half a member is damage.
        let cut = [&member, &member[..member.len() / 2]].concat();
        let cut = LocalFile::new(name, &cut).show("").await;
        assert!(cut.failure().sentence.contains(" is damaged: "), "{name}");
    }
}

#[tokio::test]
async fn unpacked_file_has_the_shape_of_its_content() {
    let html = b"<html><title>T</title><p>A page.".as_slice();
    for (name, octets, shape) in [
        ("a.html.gz", html, Shape::Html),
        ("a.gz", html, Shape::Html),
        ("a.gmi.gz", b"# Head\n", Shape::Gemtext),
        (
            "a.gz",
            b"From: a\nDate: b\nSubject: c\n\ntext\n",
            Shape::Article,
        ),
    ] {
        let loaded = LocalFile::new(name, &gzipped(octets))
            .show("")
            .await
            .whole();
        assert_eq!(loaded.begin.unwrap().shape, shape, "{name}");
        assert_eq!(loaded.octets, octets);
    }
    let picture = [b"\x89PNG\r\n\x1a\n".as_slice(), &[0; 32]].concat();
    let question = LocalFile::new("a.png.gz", &gzipped(&picture))
        .show("")
        .await
        .question();
    let Question::Save { what, name, .. } = question else {
        panic!("{question:?}");
    };
    assert_eq!((what, name.as_str()), ("an image", "a.png.gz"));
}

#[tokio::test]
async fn compressed_text_opens_over_every_protocol() {
    let packed = gzipped(TEXT);
    let net = Net::default();
    for selector in ["0/README.gz", "9/README.gz", "5/x", "0/without%20suffix"] {
        let (port, _serving, _) = serve(packed.clone()).await;
        let loaded = show(&net, format!("gopher://127.0.0.1:{port}/{selector}")).await;
        assert_eq!(loaded.octets, TEXT, "{selector} {:?}", loaded.end);
    }
    for fields in [
        "Content-Type: application/gzip\r\n",
        "Content-Type: application/octet-stream\r\n",
        "Content-Type: text/plain\r\n",
        "",
        // Decoded once: what is inside is no gzip.
        "Content-Type: text/plain\r\nContent-Encoding: gzip\r\n",
        "Content-Type: application/x-gzip\r\nContent-Encoding: x-gzip\r\n",
    ] {
        let (port, _serving, _) = serve(http_reply(fields, &packed)).await;
        let loaded = show(&net, format!("http://127.0.0.1:{port}/README.gz")).await;
        assert_eq!(loaded.octets, TEXT, "{fields} {:?}", loaded.end);
    }
    let (port, _serving, _) = serve(packed.clone()).await;
    let loaded = show(&net, format!("nex://127.0.0.1:{port}/README.gz")).await;
    assert_eq!(loaded.octets, TEXT, "{:?}", loaded.end);
    let reply = [b"2 application/gzip\r\n".as_slice(), &packed].concat();
    let (port, _serving, _) = serve(reply).await;
    let loaded = show(&net, format!("spartan://127.0.0.1:{port}/README.gz")).await;
    assert_eq!(loaded.octets, TEXT, "{:?}", loaded.end);
    let nodes = [
        ("/README.gz", Node::File(packed.clone())),
        ("/README", Node::File(packed)),
    ];
    let server = Archive::start(nodes, ServerBehavior::default()).await;
    for path in ["/README.gz", "/README"] {
        let loaded = show(&net, server.url(path)).await;
        assert_eq!(loaded.octets, TEXT, "{path} {:?}", loaded.end);
    }
}

#[tokio::test]
async fn other_binary_files_are_still_asked_about() {
    let octets: Vec<u8> = (0..=255).cycle().take(4096).collect();
    let net = Net::default();
    let is_save = |loaded: Loaded| matches!(loaded.question(), Question::Save { .. });
    let (port, _serving, _) = serve(octets.clone()).await;
    assert!(is_save(
        show(&net, format!("gopher://127.0.0.1:{port}/9/a.gz")).await
    ));
    let reply = http_reply("Content-Type: application/gzip\r\n", &octets);
    let (port, _serving, _) = serve(reply).await;
    assert!(is_save(
        show(&net, format!("http://127.0.0.1:{port}/a.gz")).await
    ));
    let server = Archive::start(
        [("/a.gz", Node::File(octets.clone()))],
        ServerBehavior::default(),
    )
    .await;
    assert!(is_save(show(&net, server.url("/a.gz")).await));
    assert!(is_save(LocalFile::new("a.gz", &octets).show("").await));
    // Documents that are archives inside are for other programs.
    let document = zipped([("word/document.xml", b"<w/>".as_slice())]);
    assert!(is_save(
        LocalFile::new("letter.docx", &document).show("").await
    ));
}

#[tokio::test]
async fn packed_picture_is_asked_about_before_its_end() {
    let mut octets = b"\x89PNG\r\n\x1a\n".to_vec();
    // Hardly compressible.
    let mut state = 1_u64;
    octets.extend((0..2 << 20).map(|_| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 56) as u8
    }));
    let mut reply = http_reply("Content-Type: application/gzip\r\n", &gzipped(&octets));
    reply.truncate(reply.len() / 2);
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let serving = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = [0; 2048];
        let _ = stream.read(&mut request).await;
        // The client may close the connection before all is sent.
        let _ = stream.write_all(&reply).await;
        while stream.read(&mut request).await.is_ok_and(|count| count > 0) {}
    });
    let request = Request {
        settings: ProtocolSettings {
            archives: Arc::new(ArchiveStore::default()),
            ..ProtocolSettings::default()
        },
        ..Request::show(
            url(format!("http://127.0.0.1:{port}/a.png.gz")),
            Reason::Typed,
        )
    };
    let loaded = carry_out(&short_timeouts(), request).await;
    assert!(matches!(loaded.question(), Question::Save { .. }));
    serving.await.unwrap();
}

#[tokio::test]
async fn bomb_is_cut_at_the_limit_of_a_page() {
    let limits = Limits {
        page: 100_000,
        ..Limits::default()
    };
    let octets = b"a line\n".repeat(200_000);
    for file in [
        LocalFile::new("a.gz", &gzipped(&octets)),
        LocalFile::new("a.gz", &gzipped(&gzipped(&octets))),
    ] {
        for limit in [None, Some(u64::MAX)] {
            let request = Request {
                limit,
                ..Request::show(url(file.url("")), Reason::Typed)
            };
            let loaded = carry_out(&Net::new(limits.clone()), request).await;
            assert_eq!(loaded.octets.len(), 100_000);
            assert!(
                matches!(loaded.end, Err(Stop::Truncated(100_000))),
                "{:?}",
                loaded.end
            );
        }
    }
    let file = LocalFile::new(
        "a.tar.gz",
        &gzipped(&tarred([(b"big".as_slice(), octets.as_slice())])),
    );
    let loaded = show(&Net::new(limits), file.url("#big")).await;
    assert!(
        matches!(loaded.end, Err(Stop::Truncated(100_000))),
        "{:?}",
        loaded.end
    );
    // A download has no such limit.
    assert_eq!(file.save("#big").await.whole().octets.len(), octets.len());
}

#[tokio::test]
async fn next_member_needs_no_request_but_a_reload_does() {
    let archive = tarred([(b"a".as_slice(), b"one".as_slice()), (b"b", b"two")]);
    let (port, _serving, count) =
        serve(http_reply("Content-Type: application/x-tar\r\n", &archive)).await;
    let net = Net::default();
    let archives = Arc::new(ArchiveStore::default());
    let open = async |fragment: &str, cache_use, purpose| {
        let request = Request {
            settings: ProtocolSettings {
                archives: Arc::clone(&archives),
                ..ProtocolSettings::default()
            },
            cache_use,
            purpose,
            ..Request::show(
                url(format!("http://127.0.0.1:{port}/a.tar{fragment}")),
                Reason::Typed,
            )
        };
        let loaded = carry_out(&net, request).await.whole();
        (
            loaded.octets,
            count.load(std::sync::atomic::Ordering::SeqCst),
        )
    };
    let (listing, requests) = open("", CacheUse::BeforeRequest, Purpose::Show).await;
    assert_eq!((listing.is_empty(), requests), (false, 1));
    let one = open("#a", CacheUse::BeforeRequest, Purpose::Show).await;
    assert_eq!(one, (b"one".to_vec(), 1));
    let two = open("#b", CacheUse::IfUnreachable, Purpose::Save).await;
    assert_eq!(two, (b"two".to_vec(), 1));
    let reloaded = open("#a", CacheUse::IfUnreachable, Purpose::Show).await;
    assert_eq!(reloaded, (b"one".to_vec(), 2));
}

#[tokio::test]
async fn fragment_of_a_page_is_no_member() {
    let (port, _serving, _) = serve(http_reply("Content-Type: text/html\r\n", b"<p>A page.")).await;
    let net = Net::default();
    let address = format!("http://127.0.0.1:{port}/#intro");
    assert_eq!(show(&net, &address).await.whole().octets, b"<p>A page.");
    let request = Request {
        purpose: Purpose::Save,
        ..Request::show(url(&address), Reason::Typed)
    };
    assert_eq!(carry_out(&net, request).await.whole().octets, b"<p>A page.");
    let file = LocalFile::new("a.txt.gz", &gzipped(TEXT));
    assert_eq!(file.show("#intro").await.whole().octets, TEXT);
}

#[tokio::test]
async fn mailbox_of_a_server_opens_as_its_messages() {
    let mailbox = b"From a@b Thu Nov 19 10:00:00 2026\nFrom: Ada <a@b>\nSubject: one\n\nFirst.\n\n\
        From c@d Thu Nov 19 11:00:00 2026\nFrom: Bo <c@d>\nSubject: two\n\nSecond.\n";
    let (port, _serving, _) = serve(http_reply("Content-Type: text/plain\r\n", mailbox)).await;
    let net = Net::default();
    let box_url = format!("http://127.0.0.1:{port}/list");
    let loaded = show(&net, &box_url).await.whole();
    let document = loaded.document();
    assert_eq!(document.shape(), Shape::Group);
    let targets: Vec<_> = (0..document.count())
        .filter_map(|row| Some(document.link(row, 0)?.target.unwrap().to_string()))
        .collect();
    assert_eq!(targets, [format!("{box_url}#2"), format!("{box_url}#1")]);
    let message = show(&net, &targets[0]).await.whole();
    assert_eq!(message.begin.unwrap().shape, Shape::Article);
    assert_eq!(message.octets, b"From: Bo <c@d>\nSubject: two\n\nSecond.\n");
    let (port, _serving, _) = serve(mailbox.to_vec()).await;
    let packed = LocalFile::new("list.mbox.gz", &gzipped(mailbox));
    for address in [format!("gopher://127.0.0.1:{port}/0/list"), packed.url("")] {
        let loaded = show(&net, &address).await.whole();
        assert_eq!(texts(&loaded.document()).len(), 2, "{address}");
    }
    let local = LocalFile::new("list.mbox", mailbox);
    assert!(
        local
            .show("#1")
            .await
            .whole()
            .octets
            .ends_with(b"First.\n\n")
    );
}
