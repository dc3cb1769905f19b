//! Links in archives, and newer versions that were appended.

use std::io::Write;

use geomys_page::document::Kind;
use geomys_testing::loading::{kind, texts};
use geomys_wire::text::Charset;
use tar::{Builder, EntryType};

use super::{LocalFile, TEXT, header, tarred};

/// An archive of files and links.
pub(super) fn linked(members: &[(&[u8], EntryType, &[u8])]) -> Vec<u8> {
    let mut builder = Builder::new(Vec::new());
    for (name, kind, content) in members {
        if *kind == EntryType::Regular {
            let header = header(name, *kind, content.len() as u64);
            builder.append(&header, *content).unwrap();
            continue;
        }
        let mut header = header(name, *kind, 0);
        header
            .set_link_name_literal(std::str::from_utf8(content).unwrap())
            .unwrap();
        header.set_cksum();
        builder.append(&header, std::io::empty()).unwrap();
    }
    builder.into_inner().unwrap()
}

#[tokio::test]
async fn hard_link_is_the_member_that_it_names_and_symlinks_are_followed() {
    let archive = linked(&[
        (b"bin/real", EntryType::Regular, TEXT),
        (b"bin/hard", EntryType::Link, b"./bin/real"),
        (b"sym", EntryType::Symlink, b"bin/hard"),
        (b"bin/up", EntryType::Symlink, b"../bin/./real"),
        (b"directory", EntryType::Symlink, b"bin"),
        (b"circle", EntryType::Symlink, b"round"),
        (b"round", EntryType::Symlink, b"circle"),
    ]);
    let file = LocalFile::new("a.tar", &archive);
    let listing = file.show("#bin/").await.whole().document();
    assert_eq!(kind(&listing, "hard"), kind(&listing, "real"));
    assert_eq!(kind(&listing, "up → ../bin/./real"), Kind::Symlink);
    for path in [
        "#bin/hard",
        "#sym",
        "#bin/up",
        "#directory/real",
        "#directory/hard",
    ] {
        assert_eq!(file.show(path).await.whole().octets, TEXT, "{path}");
        assert_eq!(file.save(path).await.whole().octets, TEXT, "{path}");
    }
    let listing = file.show("#directory").await.whole().document();
    assert_eq!(
        texts(&listing),
        ["..", "hard", "real", "up → ../bin/./real"]
    );
    let failure = file.show("#circle").await.failure();
    assert!(failure.sentence.contains("circle"), "{failure:?}");
}

#[tokio::test]
async fn newest_version_of_a_member_counts() {
    let archive = tarred([
        (b"a".as_slice(), b"one".as_slice()),
        (b"b", b"other"),
        (b"./a", b"the third"),
    ]);
    let file = LocalFile::new("a.tar", &archive);
    let loaded = file.show("").await.whole();
    let listing = loaded.document();
    assert_eq!(texts(&listing), ["..", "a", "b"]);
    let columns = listing.row(1).unwrap().aside.unwrap();
    assert!(columns.as_str().trim().starts_with("9 B"), "{columns:?}");
    let remark = String::from_utf8(loaded.remarks[0].octets.clone()).unwrap();
    assert_eq!(
        remark,
        "1 members with the name of another: the newest of each is shown\n"
    );
    assert_eq!(file.show("#a").await.whole().octets, b"the third");
    assert_eq!(file.save("#a").await.whole().octets, b"the third");
    // Damage behind the newest version that is whole changes nothing.
    let cut = LocalFile::new("a.tar", &archive[..1024 + 700]);
    assert_eq!(cut.show("#a").await.whole().octets, b"one");
}

#[tokio::test]
async fn hard_link_means_the_version_before_it() {
    let archive = linked(&[
        (b"a", EntryType::Regular, b"one"),
        (b"hard", EntryType::Link, b"a"),
        (b"a", EntryType::Regular, b"the second"),
        (b"later", EntryType::Link, b"a"),
        (b"a", EntryType::Regular, b"three"),
    ]);
    let outer = tarred([(b"in.tar".as_slice(), archive.as_slice())]);
    for (file, above) in [
        (LocalFile::new("a.tar", &archive), ""),
        (LocalFile::new("b.tar", &outer), "in.tar/"),
    ] {
        for (name, octets) in [("hard", "one"), ("later", "the second"), ("a", "three")] {
            let shown = file.show(&format!("#{above}{name}")).await.whole();
            assert_eq!(shown.octets, octets.as_bytes(), "{above}{name}");
        }
    }
}

#[tokio::test]
async fn symlinks_of_a_zip_are_followed_inside_it_and_told_outside() {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    writer.start_file("docs/real/a", options).unwrap();
    writer.write_all(TEXT).unwrap();
    for (name, target) in [
        ("link", "docs/real/a"),
        ("docs/up", "../docs/./real"),
        ("directory", "docs"),
        ("out", "../../etc/passwd"),
        ("absolute", "/etc/passwd"),
        ("circle", "round"),
        ("round", "circle"),
    ] {
        writer.add_symlink(name, target, options).unwrap();
    }
    let file = LocalFile::new("a.zip", &writer.finish().unwrap().into_inner());
    let listing = file.show("").await.whole().document();
    assert_eq!(kind(&listing, "link → docs/real/a"), Kind::Symlink);
    for path in [
        "#link",
        "#docs/up/a",
        "#directory/real/a",
        "#directory/up/a",
    ] {
        assert_eq!(file.show(path).await.whole().octets, TEXT, "{path}");
        assert_eq!(file.save(path).await.whole().octets, TEXT, "{path}");
    }
    let listing = file.show("#directory/").await.whole().document();
    assert_eq!(texts(&listing), ["..", "real", "up → ../docs/./real"]);
    for (path, sentence) in [
        ("#out", "out is a link to ../../etc/passwd"),
        ("#absolute", "absolute is a link to /etc/passwd"),
        ("#circle", "the links in the archive go in a circle"),
    ] {
        let failure = file.show(path).await.failure();
        assert_eq!(failure.sentence, sentence);
    }
}

#[tokio::test]
async fn newer_link_replaces_a_file() {
    let archive = linked(&[
        (b"a", EntryType::Regular, b"old"),
        (b"b", EntryType::Regular, TEXT),
        (b"a", EntryType::Symlink, b"b"),
    ]);
    let file = LocalFile::new("a.tar", &archive);
    assert_eq!(file.show("#a").await.whole().octets, TEXT);
}

#[tokio::test]
async fn member_is_opened_by_its_name_as_it_is_shown() {
    let old = |name: &str| Charset::default().encode(name);
    let archive = tarred([
        (old("Bücher/Größe.txt").as_slice(), TEXT),
        (&old("Bücher/x"), b"x"),
        (&old("Bär.txt"), b"bear"),
    ]);
    let file = LocalFile::new("a.tar", &archive);
    for path in [
        "#B%C3%BCcher/Gr%C3%B6%C3%9Fe.txt",
        "#B%FCcher/Gr%C3%B6%C3%9Fe.txt",
    ] {
        assert_eq!(file.show(path).await.whole().octets, TEXT, "{path}");
        assert_eq!(file.save(path).await.whole().octets, TEXT, "{path}");
    }
    let listing = file.show("#B%C3%BCcher/").await.whole().document();
    assert_eq!(texts(&listing), ["..", "Größe.txt", "x"]);
    let failure = file.show("#B%C3%BCcher/Gr%C3%B6se.txt").await.failure();
    assert!(failure.sentence.contains("has no"), "{failure:?}");
}
