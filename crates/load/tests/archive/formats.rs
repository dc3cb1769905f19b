//! Formats of old and of other systems: LHA, cpio, RPM, and the methods of old zips.

use geomys_testing::loading::texts;

use super::{LocalFile, TEXT, data, gzipped};

/// A member of an LHA archive, with a header of level 0.
pub(super) fn lha_member(method: &[u8], name: &[u8], packed: &[u8], plain: &[u8]) -> Vec<u8> {
    let mut crc = 0_u16;
    for octet in plain {
        crc ^= u16::from(*octet);
        for _ in 0..8 {
            crc = (crc >> 1) ^ if crc & 1 == 1 { 0xA001 } else { 0 };
        }
    }
    let size = |octets: &[u8]| u32::try_from(octets.len()).unwrap().to_le_bytes();
    let mut header = method.to_vec();
    header.extend(size(packed));
    header.extend(size(plain));
    // The 14th of March 2020, 09:26; a file; level 0.
    header.extend([0x40, 0x4B, 0x6E, 0x50, 0x20, 0]);
    header.push(u8::try_from(name.len()).unwrap());
    header.extend(name);
    header.extend(crc.to_le_bytes());
    let sum = header
        .iter()
        .fold(0_u8, |sum, octet| sum.wrapping_add(*octet));
    let length = u8::try_from(header.len()).unwrap();
    [&[length, sum][..], &header, packed].concat()
}

/// An archive with a stored member, one of `-lh5-`, and one of an unknown method.
pub(super) fn lha() -> Vec<u8> {
    // A block of 40 symbols whose tables have one code each, the letter a: no bits for a symbol.
    let bits = format!(
        "{:016b}{:010b}{:09b}{:09b}{:08b}",
        40,
        0,
        0,
        u32::from(b'a'),
        0
    );
    let packed: Vec<u8> = format!("{bits:0<56}")
        .as_bytes()
        .chunks(8)
        .map(|bits| u8::from_str_radix(std::str::from_utf8(bits).unwrap(), 2).unwrap())
        .collect();
    [
        lha_member(b"-lh0-", b"docs\\read.me\0a comment", TEXT, TEXT),
        lha_member(b"-lh5-", b"letters", &packed, &[b'a'; 40]),
        lha_member(b"-lhx-", b"odd", b"xx", b"xx"),
        vec![0],
    ]
    .concat()
}

#[tokio::test]
async fn lha_archive_is_listed_and_its_members_open() {
    let file = LocalFile::new("game.lha", &lha());
    let listing = file.show("").await.whole().document();
    assert_eq!(texts(&listing), ["..", "docs", "letters", "odd"]);
    let member = file.show("#docs/read.me").await.whole();
    assert_eq!(member.octets, TEXT);
    let modified = member.begin.unwrap().version.modified;
    assert_eq!(modified.as_deref(), Some("20200314092600"));
    assert_eq!(file.show("#letters").await.whole().octets, [b'a'; 40]);
    let failure = file.show("#odd").await.failure();
    assert!(failure.sentence.contains("another program"), "{failure:?}");
}

/// Members of a cpio archive: mode, name and data.
const CPIO: [(u32, &str, &[u8]); 4] = [
    (0o040_755, "d", b""),
    (0o100_644, "./d/a", TEXT),
    (0o120_777, "link", b"d/a"),
    (0, "TRAILER!!!", b""),
];

fn padded(mut octets: Vec<u8>) -> Vec<u8> {
    octets.resize(octets.len().next_multiple_of(4), 0);
    octets
}

pub(super) fn cpio() -> Vec<u8> {
    let member = |(mode, name, data): (u32, &str, &[u8])| {
        let (size, length) = (data.len(), name.len() + 1);
        let header = format!(
            "070701{:08x}{mode:08x}{:08x}{:08x}{:08x}{:08x}{size:08x}{:08x}{:08x}{:08x}{:08x}{length:08x}{:08x}{name}\0",
            1, 0, 0, 1, 1_700_000_000, 0, 0, 0, 0, 0
        );
        [padded(header.into_bytes()), padded(data.to_vec())].concat()
    };
    CPIO.map(member).concat()
}

fn old_cpio() -> Vec<u8> {
    let member = |(mode, name, data): (u32, &str, &[u8])| {
        let (size, length) = (data.len(), name.len() + 1);
        let header = format!(
            "070707{:06o}{:06o}{mode:06o}{:06o}{:06o}{:06o}{:06o}{:011o}{length:06o}{size:011o}{name}\0",
            0, 1, 0, 0, 1, 0, 1_700_000_000
        );
        [header.into_bytes(), data.to_vec()].concat()
    };
    CPIO.map(member).concat()
}

fn binary_cpio(octets: fn(u16) -> [u8; 2]) -> Vec<u8> {
    let even = |mut octets: Vec<u8>| {
        octets.resize(octets.len().next_multiple_of(2), 0);
        octets
    };
    let member = |(mode, name, data): (u32, &str, &[u8])| {
        let [size, length] =
            [data.len(), name.len() + 1].map(|count| u32::try_from(count).unwrap());
        let time = 1_700_000_000;
        let numbers = [
            0o070_707,
            0,
            1,
            mode,
            0,
            0,
            1,
            0,
            time >> 16,
            time,
            length,
            size >> 16,
            size,
        ];
        let header = numbers
            .map(|number| octets(u16::try_from(number & 0xffff).unwrap()))
            .concat();
        let name = format!("{name}\0").into_bytes();
        [header, even(name), even(data.to_vec())].concat()
    };
    CPIO.map(member).concat()
}

/// An archive with three names of one file, and one of another that is empty.
pub(super) fn cpio_with_hard_links() -> Vec<u8> {
    let member = |name: &str, inode: u32, links: u32, data: &[u8]| {
        let (size, length) = (data.len(), name.len() + 1);
        let header = format!(
            "070701{inode:08x}{:08x}{:08x}{:08x}{links:08x}{:08x}{size:08x}{:08x}{:08x}{:08x}{:08x}{length:08x}{:08x}{name}\0",
            0o100_644, 0, 0, 0, 0, 0, 0, 0, 0
        );
        [padded(header.into_bytes()), padded(data.to_vec())].concat()
    };
    [
        member("first", 7, 3, b""),
        member("other", 8, 2, b""),
        member("second", 7, 3, b""),
        member("third", 7, 3, TEXT),
        member("TRAILER!!!", 0, 1, b""),
    ]
    .concat()
}

#[tokio::test]
async fn hard_links_of_cpio_have_the_content_behind_the_last() {
    let file = LocalFile::new("a.cpio", &cpio_with_hard_links());
    let listing = file.show("").await.whole().document();
    assert_eq!(texts(&listing), ["..", "first", "other", "second", "third"]);
    for name in ["#first", "#second", "#third"] {
        assert_eq!(file.show(name).await.whole().octets, TEXT, "{name}");
    }
    assert_eq!(file.show("#other").await.whole().octets, b"");
}

#[tokio::test]
async fn newest_member_of_a_name_in_lha_counts() {
    let archive = [
        lha_member(b"-lh0-", b"a", b"old", b"old"),
        lha_member(b"-lh0-", b"b", b"b", b"b"),
        lha_member(b"-lh0-", b"a", b"newest", b"newest"),
        vec![0],
    ]
    .concat();
    let file = LocalFile::new("a.lzh", &archive);
    let listing = file.show("").await.whole().document();
    assert_eq!(texts(&listing), ["..", "a", "b"]);
    let columns = listing.row(1).unwrap().aside.unwrap();
    assert!(columns.as_str().trim().starts_with("6 B"), "{columns:?}");
    assert_eq!(file.show("#a").await.whole().octets, b"newest");
    assert_eq!(file.save("#b").await.whole().octets, b"b");
}

#[tokio::test]
async fn files_in_texts_open_whatever_stands_around_them() {
    let cat = "begin 644 cat.txt\n#0V%T\n`\nend\n";
    let dog = "begin 644 dog.txt\n#1&]G\n`\nend\n";
    let words = "From: Ada\nSubject: a cat\n\nHere it is.\n\n";
    let one = LocalFile::new("cat.uue", format!("{words}{cat}\nAda\n").as_bytes());
    assert_eq!(one.show("").await.whole().octets, b"Cat");
    let two = LocalFile::new("pets.uu", format!("{words}{cat}and\n{dog}").as_bytes());
    let listing = two.show("").await.whole().document();
    assert_eq!(texts(&listing), ["..", "cat.txt", "dog.txt"]);
    assert_eq!(two.show("#dog.txt").await.whole().octets, b"Dog");
    assert_eq!(two.save("#cat.txt").await.whole().octets, b"Cat");
    let none = LocalFile::new("none.uue", words.as_bytes());
    assert_eq!(none.show("").await.whole().octets, words.as_bytes());
    let shar = format!(
        "#! /bin/sh\n# This is a shell archive.  Remove anything before this line.\n\
         mkdir 'src'\nsed 's/^X//' > 'src/a.c' << 'END_OF_FILE'\nXint a;\nX\nEND_OF_FILE\n\
         cat << \\EOF > README\nRead me.\nEOF\nsed 's/^X//' << 'EOF' | uudecode\nX{}\nEOF\nexit 0\n",
        cat.trim_end().replace('\n', "\nX")
    );
    for name in ["part01", "a.shar"] {
        let file = LocalFile::new(name, shar.as_bytes());
        let listing = file.show("").await.whole().document();
        assert_eq!(
            texts(&listing),
            ["..", "src", "cat.txt", "README"],
            "{name}"
        );
        assert_eq!(file.show("#src/a.c").await.whole().octets, b"int a;\n\n");
        assert_eq!(file.show("#README").await.whole().octets, b"Read me.\n");
        assert_eq!(file.show("#cat.txt").await.whole().octets, b"Cat");
    }
    let script = b"#! /bin/sh\n# Makes a shell archive.\necho done\n";
    assert_eq!(
        LocalFile::new("make", script).show("").await.whole().octets,
        script
    );
}

pub(super) fn rpm() -> Vec<u8> {
    let header = |count: u32, size: u32| {
        let mut header = vec![0x8E, 0xAD, 0xE8, 1, 0, 0, 0, 0];
        header.extend(count.to_be_bytes());
        header.extend(size.to_be_bytes());
        header.resize(header.len() + (count * 16 + size) as usize, 7);
        header
    };
    let mut package = vec![0xED, 0xAB, 0xEE, 0xDB];
    package.resize(96, 0);
    package.extend(header(1, 5));
    package.resize((package.len() - 96).next_multiple_of(8) + 96, 0);
    package.extend(header(2, 3));
    package.extend(gzipped(&cpio()));
    package
}

#[tokio::test]
async fn cpio_archives_and_packages_of_rpm_open() {
    for (name, octets) in [
        ("a.cpio", cpio()),
        ("old", old_cpio()),
        ("little", binary_cpio(u16::to_le_bytes)),
        ("big", binary_cpio(u16::to_be_bytes)),
        ("a.rpm", rpm()),
    ] {
        let file = LocalFile::new(name, &octets);
        let listing = file.show("").await.whole().document();
        assert_eq!(texts(&listing), ["..", "d", "link → d/a"], "{name}");
        assert_eq!(file.show("#d/a").await.whole().octets, TEXT, "{name}");
        assert_eq!(file.show("#link").await.whole().octets, TEXT, "{name}");
    }
}

#[tokio::test]
async fn old_zip_opens_and_an_unknown_method_needs_another_program() {
    let file = LocalFile::new("old.zip", &data("shrunk.zip"));
    assert_eq!(
        texts(&file.show("").await.whole().document()),
        ["..", "a.txt"]
    );
    assert_eq!(file.show("#a.txt").await.whole().octets, b"hello\n");
    let file = LocalFile::new("new.zip", &data("unknown.zip"));
    assert_eq!(
        texts(&file.show("").await.whole().document()),
        ["..", "a.txt"]
    );
    let failure = file.show("#a.txt").await.failure();
    assert!(failure.sentence.contains("another program"), "{failure:?}");
}

#[tokio::test]
async fn uuencoded_file_opens_as_what_it_contains() {
    let text = b"begin 644 cat.txt\r\n#0V%T\r\n`\r\nend\r\nwords behind\r\n";
    for name in ["cat.uue", "whatever"] {
        let file = LocalFile::new(name, text);
        assert_eq!(file.show("").await.whole().octets, b"Cat", "{name}");
    }
    // A text that begins with the same word is none.
    let text = b"begin 1 thing at a time\n";
    assert_eq!(
        LocalFile::new("a", text).show("").await.whole().octets,
        text
    );
    let cut = LocalFile::new("cat.uue", b"begin 644 cat.txt\n#0V%T\n")
        .show("")
        .await;
    assert_eq!(cut.octets, b"Cat");
    assert!(cut.failure().sentence.contains("is damaged"));
}
