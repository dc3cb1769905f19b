//! The members of archives: listed as a directory of FTP is, opened, saved, and named by a fragment.

use std::io::Read;

use flate2::read::GzDecoder;
use geomys_load::{Phase, Question, file_name_of, level_above};
use geomys_page::archive::{Unpacked, Unpacker};
use geomys_page::document::{Kind, Shape};
use geomys_testing::loading::{kind, row, target, texts};
use geomys_testing::sparse_tar;
use geomys_wire::text::Charset;
use tar::{Builder, EntryType, Header};

use super::{LocalFile, TEXT, data, gzipped, tarred, url, zipped};

fn sample() -> Vec<u8> {
    tarred([
        (b"docs/README".as_slice(), TEXT),
        (b"docs/sub/b.txt", b"bee\n"),
        (b"a b#c?%.txt", b"odd\n"),
        (b"caf\xe9.txt", b"latin\n"),
        (b"data", b"\0\x01\x02\0\0\0"),
    ])
}

#[tokio::test]
async fn archive_opens_as_a_listing_whose_members_open_and_save() {
    for packed in [sample(), gzipped(&sample())] {
        // The name does not matter.
        let file = LocalFile::new("archive", &packed);
        let loaded = file.show("").await.whole();
        let document = loaded.document();
        assert!(matches!(document.shape(), Shape::Listing { .. }));
        assert_eq!(
            texts(&document),
            ["..", "docs", "a b#c?%.txt", "café.txt", "data"]
        );
        assert_eq!(kind(&document, "docs"), Kind::Menu);
        let details = document.details(row(&document, "data"));
        assert!(
            details
                .iter()
                .any(|(name, size)| *name == "size" && size.as_str().starts_with('6')),
            "{details:?}"
        );
        let docs = target(&document, "docs");
        assert_eq!(docs.as_str(), file.url("#docs/"));
        let inside = file.show("#docs/").await.whole().document();
        assert_eq!(texts(&inside), ["..", "sub", "README"]);
        assert_eq!(target(&inside, "..").as_str(), file.url(""));
        assert_eq!(target(&inside, "README").as_str(), file.url("#docs/README"));
        for (name, octets) in [("a b#c?%.txt", "odd\n"), ("café.txt", "latin\n")] {
            let member = target(&document, name);
            let fragment = format!("#{}", member.fragment().unwrap().as_str());
            assert_eq!(file.show(&fragment).await.whole().octets, octets.as_bytes());
            assert_eq!(file.save(&fragment).await.whole().octets, octets.as_bytes());
        }
        let read = file.show("#docs/README").await.whole();
        assert_eq!(read.octets, TEXT);
        let head = read.begin.unwrap();
        assert_eq!(head.size, Some(TEXT.len() as u64));
        assert_eq!(head.title.unwrap().as_str(), "docs/README in archive");
        let question = file.show("#data").await.question();
        assert!(
            matches!(&question, Question::Save { name, size: Some(6), .. } if name == "data"),
            "{question:?}"
        );
    }
}

#[tokio::test]
async fn archives_open_inside_one_another_three_deep() {
    let fourth = tarred([(b"text".as_slice(), TEXT)]);
    let third = gzipped(&tarred([
        (b"fourth.tar".as_slice(), fourth.as_slice()),
        (b"text", TEXT),
    ]));
    let second = zipped([("third.tgz", third.as_slice())]);
    let first = LocalFile::new(
        "first.tar",
        &tarred([(b"in/second.zip".as_slice(), second.as_slice())]),
    );
    let listing = first.show("#in/second.zip").await.whole().document();
    assert_eq!(
        target(&listing, "third.tgz").as_str(),
        first.url("#in/second.zip/third.tgz")
    );
    let read = first.show("#in/second.zip/third.tgz/text").await.whole();
    assert_eq!(read.octets, TEXT);
    let saved = first.save("#in/second.zip").await.whole();
    assert_eq!(saved.octets, second);
    let too_deep = first.show("#in/second.zip/third.tgz/fourth.tar/text").await;
    assert!(too_deep.failure().sentence.contains("three deep"));
    // The fourth is a file to save.
    first
        .show("#in/second.zip/third.tgz/fourth.tar")
        .await
        .question();
}

#[tokio::test]
async fn packages_and_libraries_are_archives() {
    let control = tarred([(b"./control".as_slice(), b"Package: hello\n".as_slice())]);
    let control = gzipped(&control);
    let mut package = b"!<arch>\n".to_vec();
    let long = b"a name of more than sixteen octets.txt";
    for (name, octets) in [
        ("//", [long.as_slice(), b"/\n"].concat()),
        ("debian-binary", b"2.0\n".to_vec()),
        ("control.tar.gz/", control),
        ("/0", b"odd".to_vec()),
        ("#1/6", b"bsd.o\0object".to_vec()),
    ] {
        let size = octets.len();
        let head = format!(
            "{name:<16}{:<12}{:<6}{:<6}{:<8}{size:<10}`\n",
            0, 0, 0, "100644"
        );
        package.extend(head.bytes());
        package.extend(octets);
        package.resize(package.len() + size % 2, b'\n');
    }
    let file = LocalFile::new("hello.deb", &package);
    let names = [
        "..",
        std::str::from_utf8(long).unwrap(),
        "bsd.o",
        "control.tar.gz",
        "debian-binary",
    ];
    assert_eq!(texts(&file.show("").await.whole().document()), names);
    let read = file.show("#control.tar.gz/control").await.whole();
    assert_eq!(read.octets, b"Package: hello\n");
    assert_eq!(file.save("#bsd.o").await.whole().octets, b"object");
    let odd = format!("#{}", names[1].replace(' ', "%20"));
    assert_eq!(file.save(&odd).await.whole().octets, b"odd");
}

#[tokio::test]
async fn long_and_old_forms_of_tar_are_read() {
    let long = format!("{}/{}", "d".repeat(150), "n".repeat(150));
    let mut builder = Builder::new(Vec::new());
    let mut header = Header::new_gnu();
    header.set_size(4);
    builder
        .append_data(&mut header, &long, b"gnu\n".as_slice())
        .unwrap();
    let path = format!("{long}-pax");
    builder
        .append_pax_extensions([("path", path.as_bytes())])
        .unwrap();
    builder
        .append(
            &super::header(b"short", EntryType::Regular, 4),
            b"pax\n".as_slice(),
        )
        .unwrap();
    let file = LocalFile::new("a.tar", &builder.into_inner().unwrap());
    assert_eq!(
        file.show(&format!("#{long}")).await.whole().octets,
        b"gnu\n"
    );
    assert_eq!(
        file.show(&format!("#{path}")).await.whole().octets,
        b"pax\n"
    );
    let old = LocalFile::new("v7.tar.gz", &data("v7.tar.gz"));
    assert_eq!(old.show("#s.txt").await.whole().octets, b"secret\n");
}

/// The tar of GNU with a header as star writes it: the map is at other offsets.
fn star() -> Vec<u8> {
    let mut tar = Vec::new();
    GzDecoder::new(data("sparse-gnu.tar.gz").as_slice())
        .read_to_end(&mut tar)
        .unwrap();
    let header = &mut tar[..512];
    let (map, size) = (header[386..482].to_vec(), header[483..495].to_vec());
    header[257..265].copy_from_slice(b"ustar\x0000");
    header[345..512].fill(0);
    header[356..452].copy_from_slice(&map);
    header[452..464].copy_from_slice(&size);
    header[508..512].copy_from_slice(b"tar\0");
    header[148..156].fill(b' ');
    let sum: u32 = header.iter().map(|octet| u32::from(*octet)).sum();
    header[148..154].copy_from_slice(format!("{sum:06o}").as_bytes());
    tar
}

#[tokio::test]
async fn sparse_members_of_each_form_are_read() {
    let mut expected = vec![0; 3 << 20];
    expected[1 << 20..(1 << 20) + 512].fill(b'.');
    expected[1 << 20..(1 << 20) + 7].copy_from_slice(b"middle\n");
    expected.extend(b"end\n");
    let forms = ["gnu", "0.0", "0.1", "1.0"].map(|form| data(&format!("sparse-{form}.tar.gz")));
    for (number, tar) in forms.into_iter().chain([star()]).enumerate() {
        let file = LocalFile::new("a.tar.gz", &tar);
        let listing = file.show("").await.whole().document();
        assert_eq!(texts(&listing), ["..", "after", "hole"], "{number}");
        let columns = listing.row(2).unwrap().aside.unwrap();
        assert!(columns.as_str().trim().starts_with("3.1 MB"), "{columns:?}");
        assert!(
            file.save("#hole").await.whole().octets == expected,
            "{number}"
        );
        assert_eq!(file.save("#after").await.whole().octets, b"after\n");
    }
}

#[test]
fn holes_of_a_member_are_reported_as_such() {
    const SIZE: u64 = 7 << 30;
    let tar = sparse_tar("holes", SIZE);
    let parts = std::cell::RefCell::new(Vec::new());
    let mut receiver = |part| {
        parts.borrow_mut().push(part);
        Ok(())
    };
    let mut unpacker = Unpacker::new(true, &mut receiver, || false);
    let path = [b"holes".to_vec()];
    unpacker.run(&mut tar.as_slice(), b"a.tar", &path).unwrap();
    let parts = parts.borrow();
    let [
        Unpacked::Begin(head),
        Unpacked::Octets(octets),
        Unpacked::Hole(hole),
    ] = &parts[..]
    else {
        panic!("{parts:?}");
    };
    assert_eq!((head.size, octets.len()), (Some(SIZE), 512));
    assert_eq!(*hole, SIZE - 512);
}

#[tokio::test]
async fn zip64_and_names_of_other_charsets_are_read() {
    let file = LocalFile::new("a.zip", &data("zip64.zip"));
    assert_eq!(file.show("#big.txt").await.whole().octets, b"sixty-four\n");
    // In code page 437, Shift-JIS and Latin-1; and the separator of DOS.
    for (name, fragment) in [
        (b"gr\x81n.txt".as_slice(), "gr%81n.txt"),
        (b"\x93\xfa\x96{.txt", "%93%FA%96%7B.txt"),
        (b"gr\xfcn.txt", "gr%FCn.txt"),
        (b"dir\\file.x", "dir/file.x"),
    ] {
        let placeholder = "X".repeat(name.len());
        let mut archive = zipped([(placeholder.as_str(), TEXT)]);
        for at in 0..archive.len() - name.len() {
            if archive[at..].starts_with(placeholder.as_bytes()) {
                archive[at..at + name.len()].copy_from_slice(name);
            }
        }
        let file = LocalFile::new("a.zip", &archive);
        let top = file.show("").await.whole().document();
        let targets: Vec<_> = (1..top.count())
            .map(|row| top.link(row, 0).unwrap().target.unwrap())
            .collect();
        let first = fragment.split_inclusive('/').next().unwrap();
        assert_eq!(
            targets.iter().map(rfc1738::Url::as_str).collect::<Vec<_>>(),
            [file.url(&format!("#{first}"))]
        );
        assert_eq!(
            file.show(&format!("#{fragment}")).await.whole().octets,
            TEXT
        );
    }
}

/// A zip of these files, as a program of DOS writes it.
fn zipped_by_dos(names: &[&[u8]]) -> Vec<u8> {
    let placeholders: Vec<String> = (names.iter().enumerate())
        .map(|(at, name)| {
            char::from(b'A' + u8::try_from(at).unwrap())
                .to_string()
                .repeat(name.len())
        })
        .collect();
    let mut archive = zipped(placeholders.iter().map(|name| (name.as_str(), TEXT)));
    for (placeholder, name) in placeholders.iter().zip(names) {
        for at in 0..archive.len() - name.len() {
            if archive[at..].starts_with(placeholder.as_bytes()) {
                archive[at..at + name.len()].copy_from_slice(name);
            }
        }
    }
    let entries: Vec<usize> = memchr::memmem::find_iter(&archive, b"PK\x01\x02").collect();
    for at in entries {
        archive[at + 5] = 0;
    }
    archive
}

#[tokio::test]
async fn names_of_dos_are_in_code_page_437() {
    let file = LocalFile::new(
        "a.zip",
        &zipped_by_dos(&[b"Gr\x94\xe1e.txt", b"\x9abung/\x84", b"plain"]),
    );
    let listing = file.show("").await.whole().document();
    assert_eq!(texts(&listing), ["..", "Übung", "Größe.txt", "plain"]);
    for path in [
        "#Gr%94%E1e.txt",
        "#Gr%C3%B6%C3%9Fe.txt",
        "#%C3%9Cbung/%C3%A4",
    ] {
        assert_eq!(file.show(path).await.whole().octets, TEXT, "{path}");
    }
    let saved = file.save("#Gr%94%E1e.txt").await.whole().begin.unwrap();
    assert_eq!(saved.file_name.disposition.unwrap(), "Größe.txt".as_bytes());
    // Another charset of DOS.
    let names = ["日本語の説明書", "ファイル"]
        .map(|name| Charset::named("shift_jis").unwrap().encode(name));
    let names: Vec<&[u8]> = names.iter().map(Vec::as_slice).collect();
    let listing = LocalFile::new("a.zip", &zipped_by_dos(&names))
        .show("")
        .await
        .whole()
        .document();
    assert_eq!(texts(&listing), ["..", "ファイル", "日本語の説明書"]);
}

#[tokio::test]
async fn encrypted_member_is_listed_and_said() {
    let file = LocalFile::new("a.zip", &data("encrypted.zip"));
    assert_eq!(
        texts(&file.show("").await.whole().document()),
        ["..", "s.txt"]
    );
    let failure = file.show("#s.txt").await.failure();
    assert_eq!(failure.sentence, "s.txt is an encrypted file: not opened");
}

#[test]
fn level_above_a_member_is_its_directory() {
    let above = |text: &str| level_above(&url(text)).map(|url| url.to_string());
    let parent = |text| Some(format!("http://h.example/{text}"));
    assert_eq!(
        above("http://h.example/d/a.tar#b/c/d"),
        parent("d/a.tar#b/c/")
    );
    assert_eq!(above("http://h.example/d/a.tar#b/c/"), parent("d/a.tar#b/"));
    assert_eq!(above("http://h.example/d/a.tar#b"), parent("d/a.tar"));
    assert_eq!(above("http://h.example/d/a.tar"), parent("d/"));
}

#[test]
fn member_is_saved_under_its_own_name() {
    let name = |text: &str| file_name_of(&url(text), &geomys_load::NameHints::default());
    assert_eq!(name("ftp://h.example/a.tar.gz#docs/b.txt"), "b.txt");
    assert_eq!(name("http://h.example/a.zip#x/..%2F..%2Fpasswd"), "passwd");
    assert_eq!(name("http://h.example/a.html#b.txt"), "a.html");
}

#[tokio::test]
async fn truncated_zip_shows_its_first_members() {
    let long = b"many words\n".repeat(10_000);
    let zip = zipped([("d/a", TEXT), ("b", b"two"), ("c", &long)]);
    let file = LocalFile::new("a.zip", &zip[..zip.len() - 200]);
    let loaded = file.show("").await;
    assert_eq!(texts(&loaded.document()), ["..", "d", "b", "c"]);
    let failure = loaded.failure();
    assert!(
        failure.sentence.starts_with("a.zip is damaged: "),
        "{failure:?}"
    );
    assert_eq!(file.show("#d/a").await.whole().octets, TEXT);
    assert_eq!(file.show("#b").await.whole().octets, b"two");
    let cut = file.show("#c").await;
    assert!(long.starts_with(&cut.octets));
}

/// A reader that gives the first octets, and then counts what is asked of it before it fails.
struct Stuck<'a>(&'a [u8]);

impl Read for Stuck<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self.0.read(buffer)? {
            0 => Err(std::io::ErrorKind::TimedOut.into()),
            count => Ok(count),
        }
    }
}

#[test]
fn row_of_a_member_is_reported_before_the_next_one_arrives() {
    let archive = tarred([(b"first".as_slice(), TEXT), (b"second", TEXT)]);
    let rows = std::cell::RefCell::new(Vec::new());
    let mut receiver = |part| {
        if let Unpacked::Octets(octets) = part {
            rows.borrow_mut().push(octets);
        }
        Ok(())
    };
    // The content of the first member has not come.
    let mut reader = Stuck(&archive[..512]);
    let mut unpacker = Unpacker::new(false, &mut receiver, || false);
    unpacker.run(&mut reader, b"a.tar", &[]).unwrap_err();
    let rows = rows.borrow();
    assert!(rows[0].ends_with(b" first\r\n"), "{rows:?}");
}

#[tokio::test]
async fn progress_of_an_archive_counts_what_has_come_of_it() {
    let large = vec![0; 1 << 20];
    let archive = tarred([(b"large".as_slice(), large.as_slice()), (b"last", TEXT)]);
    let size = Some(archive.len() as u64);
    let file = LocalFile::new("a.tar", &archive);
    for fragment in ["", "#last"] {
        let loaded = file.show(fragment).await.whole();
        let mut last = 0;
        for phase in &loaded.phases {
            if let Phase::Unpacking { octets, size: told } = phase {
                assert!(*octets > last && *told == size, "{phase:?}");
                last = *octets;
            }
        }
        assert!(last > 1 << 19, "{fragment}: {last}");
    }
}
