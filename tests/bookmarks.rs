//! The bookmark file: every octet that was not changed stays, and no update is lost.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;

use geomys::files::bookmarks::{Bookmarks, Draft, Error, Item, load, save};
use geomys::url::Url;
use proptest::prelude::*;

const FILE: &str = "\
some words
# Gopher
Floodgap <URL:gopher://gopher.floodgap.com/> #start #gopher
  a note
  another note

## Phlogs
Broken <URL:gopher://bad~host/> and words after it #x
# FTP
<url: ftp://ftp.gnu.org/gnu/
;type=d > two <URL:news:*>
GNU <URL: ftp://ftp.gnu.org/ gnu/;type=d> two <URL:news:*>
last line without its end";

#[test]
fn a_file_is_folders_bookmarks_notes_and_words() {
    let bookmarks = Bookmarks::parse(FILE.as_bytes());
    let seen: Vec<String> = bookmarks
        .items()
        .iter()
        .enumerate()
        .map(|(index, item)| match item {
            Item::Folder(folder) => format!(
                "{} {} in {:?}",
                folder.depth,
                folder.name,
                bookmarks.folder_of(index)
            ),
            Item::Bookmark(bookmark) => format!(
                "{} {} {} notes {} tags {} in {:?}",
                bookmark.label(),
                bookmark.written,
                bookmark.url.is_ok(),
                bookmark.notes.len(),
                bookmark.tags.len(),
                bookmarks.folder_of(index)
            ),
        })
        .collect();
    assert_eq!(
        seen,
        [
            "1 Gopher in []",
            "Floodgap gopher://gopher.floodgap.com/ true notes 2 tags 2 in [\"Gopher\"]",
            "2 Phlogs in [\"Gopher\"]",
            "Broken gopher://bad~host/ false notes 0 tags 1 in [\"Gopher\", \"Phlogs\"]",
            "1 FTP in []",
            "ftp://ftp.gnu.org/gnu/ ftp://ftp.gnu.org/gnu/ true notes 0 tags 0 in [\"FTP\"]",
            ";type=d > two news:* true notes 0 tags 0 in [\"FTP\"]",
            "GNU ftp://ftp.gnu.org/gnu/;type=d true notes 0 tags 0 in [\"FTP\"]",
        ]
    );
    assert_eq!(bookmarks.to_octets(), FILE.as_bytes());
}

#[test]
fn a_new_bookmark_goes_to_its_folder_or_to_the_end() {
    let mut bookmarks = Bookmarks::parse(FILE.as_bytes());
    let change = bookmarks.adding(&draft("New", &["Gopher"], &["a"]));
    bookmarks.apply(&change).unwrap();
    let text = String::from_utf8(bookmarks.to_octets()).unwrap();
    assert_eq!(
        text,
        FILE.replace(
            "  another note\n",
            "  another note\nNew <URL:gopher://h/> #a\n"
        )
    );
    let mut bookmarks = Bookmarks::parse(FILE.as_bytes());
    let change = bookmarks.adding(&draft("New", &[], &[]));
    bookmarks.apply(&change).unwrap();
    let text = String::from_utf8(bookmarks.to_octets()).unwrap();
    assert_eq!(text, format!("{FILE}\nNew <URL:gopher://h/>\n"));
    let change = bookmarks.adding(&draft("Deep", &["FTP", "Mirrors"], &[]));
    bookmarks.apply(&change).unwrap();
    let more = String::from_utf8(bookmarks.to_octets()).unwrap();
    assert_eq!(
        more,
        format!("{text}\n## Mirrors\nDeep <URL:gopher://h/>\n")
    );
}

#[test]
fn new_lines_take_the_files_line_ending() {
    let mut bookmarks = Bookmarks::parse(b"# A\r\nx <URL:gopher://h/1>\r\n");
    let change = bookmarks.adding(&draft("New", &["B"], &[]));
    bookmarks.apply(&change).unwrap();
    assert_eq!(
        String::from_utf8(bookmarks.to_octets()).unwrap(),
        "# A\r\nx <URL:gopher://h/1>\r\n\r\n# B\r\nNew <URL:gopher://h/>\r\n"
    );
}

#[test]
fn an_edit_keeps_what_stands_behind_the_url_and_takes_the_notes_along() {
    let mut bookmarks = Bookmarks::parse(FILE.as_bytes());
    let change = bookmarks
        .editing(7, &draft("Mended", &["Gopher", "Phlogs"], &["x"]))
        .unwrap();
    let back = bookmarks.apply(&change).unwrap();
    let text = String::from_utf8(bookmarks.to_octets()).unwrap();
    assert_eq!(
        text,
        FILE.replace(
            "Broken <URL:gopher://bad~host/>",
            "Mended <URL:gopher://h/>"
        )
    );
    bookmarks.apply(&back).unwrap();
    assert_eq!(bookmarks.to_octets(), FILE.as_bytes());

    let change = bookmarks
        .editing(2, &draft("Floodgap", &["Gopher", "Phlogs"], &["start"]))
        .unwrap();
    let back = bookmarks.apply(&change).unwrap();
    let text = String::from_utf8(bookmarks.to_octets()).unwrap();
    let moved = "Floodgap <URL:gopher://h/> #start\n  a note\n  another note\n";
    assert!(
        text.contains(&format!("after it #x\n{moved}# FTP")),
        "{text}"
    );
    bookmarks.apply(&back).unwrap();
    assert_eq!(bookmarks.to_octets(), FILE.as_bytes());
}

#[test]
fn a_title_cannot_become_a_url_or_a_second_line() {
    let mut bookmarks = Bookmarks::default();
    let change = bookmarks.adding(&draft("a\n# b <URL:x> <url:y>", &[], &[]));
    bookmarks.apply(&change).unwrap();
    let only: Vec<_> = bookmarks.bookmarks().collect();
    assert_eq!(only.len(), 1);
    assert_eq!(only[0].written.as_str(), "gopher://h/");
    assert_eq!(bookmarks.items().len(), 1);
}

#[test]
fn a_change_finds_its_line_after_somebody_else_has_edited_the_file() {
    let read = Bookmarks::parse(FILE.as_bytes());
    let removing = read.removing(2).unwrap();
    let elsewhere = format!("# Top\nnew <URL:gopher://new/>\n{FILE}");
    let mut now = Bookmarks::parse(elsewhere.as_bytes());
    now.apply(&removing).unwrap();
    let text = String::from_utf8(now.to_octets()).unwrap();
    assert!(
        text.contains("new <URL:gopher://new/>")
            && !text.contains("Floodgap")
            && !text.contains("a note")
    );

    let gone = FILE.replace("Floodgap", "Floodgap Systems");
    let mut now = Bookmarks::parse(gone.as_bytes());
    assert!(now.apply(&removing).is_err());
    assert_eq!(now.to_octets(), gone.as_bytes());
}

#[test]
fn a_line_that_lost_its_end_outside_never_runs_into_a_new_one() {
    let read = Bookmarks::parse(b"one <URL:gopher://one/>\nlast <URL:gopher://last/>\n");
    let adding = read.adding(&draft("New", &[], &[]));
    let mut now = Bookmarks::parse(b"one <URL:gopher://one/>\nlast, edited <URL:gopher://last/>");
    let before = now.to_octets();
    let back = now.apply(&adding).unwrap();
    assert_eq!(
        String::from_utf8(now.to_octets()).unwrap(),
        "one <URL:gopher://one/>\nlast, edited <URL:gopher://last/>\nNew <URL:gopher://h/>\n"
    );
    now.apply(&back).unwrap();
    assert_eq!(now.to_octets(), before);

    // And the other way round: a line without its end is put back where lines follow by now.
    let mut file = Bookmarks::parse(b"one <URL:gopher://one/>\nlast <URL:gopher://last/>");
    let back = file.apply(&file.removing(1).unwrap()).unwrap();
    let mut grown = Bookmarks::parse(b"one <URL:gopher://one/>\nmore <URL:gopher://more/>\n");
    grown.apply(&back).unwrap();
    assert_eq!(grown.bookmarks().count(), 3);
}

#[test]
fn a_folder_whose_name_holds_a_slash_is_one_folder() {
    let mut bookmarks = Bookmarks::parse(b"# TCP/IP\nold <URL:gopher://old/>\n");
    assert_eq!(bookmarks.folder_named("TCP/IP"), ["TCP/IP"]);
    assert_eq!(bookmarks.folder_named(" New / Deep "), ["New", "Deep"]);
    let folder = bookmarks.folder_named(&bookmarks.folder_of(1).join("/"));
    let new = Draft {
        folder,
        ..draft("new", &[], &[])
    };
    let change = bookmarks.editing(1, &new).unwrap();
    bookmarks.apply(&change).unwrap();
    assert_eq!(bookmarks.to_octets(), b"# TCP/IP\nnew <URL:gopher://h/>\n");
}

#[test]
fn the_file_keeps_its_mode_and_its_link_and_loses_no_update() {
    let directory = tempfile::tempdir().unwrap();
    let real = directory.path().join("elsewhere").join("list.txt");
    fs::create_dir(real.parent().unwrap()).unwrap();
    fs::write(&real, FILE).unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    let path = directory.path().join("bookmarks.txt");
    symlink(&real, &path).unwrap();

    let read = load(&path, "").unwrap();
    // Somebody else writes between our reading and our writing.
    fs::write(&real, format!("theirs <URL:gopher://theirs/>\n{FILE}")).unwrap();
    let change = read.adding(&draft("ours", &["Gopher"], &[]));
    let (now, _) = save(&path, "", &change).unwrap();

    let text = fs::read_to_string(&real).unwrap();
    assert_eq!(text.as_bytes(), now.to_octets());
    assert!(text.starts_with("theirs <URL:gopher://theirs/>\n"));
    assert!(
        text.contains("another note\nours <URL:gopher://h/>\n"),
        "{text}"
    );
    assert!(
        fs::symlink_metadata(&path)
            .unwrap()
            .file_type()
            .is_symlink()
    );
    assert_eq!(
        fs::metadata(&real).unwrap().permissions().mode() & 0o777,
        0o640
    );
    let left: Vec<PathBuf> = fs::read_dir(real.parent().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert_eq!(left, [real]);
}

#[test]
fn writers_at_the_same_time_all_get_their_line_in() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("deep").join("bookmarks.txt");
    let writers: Vec<_> = (0..8)
        .map(|writer| {
            let path = path.clone();
            std::thread::spawn(move || {
                for number in 0..5 {
                    let now = load(&path, "").unwrap();
                    let title = format!("w{writer}n{number}");
                    save(&path, "", &now.adding(&draft(&title, &[], &[]))).unwrap();
                }
            })
        })
        .collect();
    for writer in writers {
        writer.join().unwrap();
    }
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(text.lines().count(), 40);
    for writer in 0..8 {
        for number in 0..5 {
            assert!(text.contains(&format!("w{writer}n{number} ")), "{text}");
        }
    }
}

#[test]
fn octets_that_are_not_utf8_stay_as_they_are() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("bookmarks.txt");
    let file = b"caf\xe9 <URL:gopher://caf/> #\xff\n\x00\x80 words\n";
    fs::write(&path, file).unwrap();
    let read = load(&path, "").unwrap();
    assert_eq!(read.bookmarks().next().unwrap().label().as_str(), "café");
    save(&path, "", &read.adding(&draft("new", &[], &[]))).unwrap();
    assert_eq!(
        fs::read(&path).unwrap(),
        [&file[..], b"new <URL:gopher://h/>\n"].concat()
    );
}

#[test]
fn a_read_only_file_stays_as_it_is_and_the_error_says_so() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("bookmarks.txt");
    fs::write(&path, FILE).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    let change = load(&path, "").unwrap().adding(&draft("new", &[], &[]));
    let error = save(&path, "", &change).unwrap_err();
    assert!(matches!(error, Error::Write { .. }));
    assert!(error.to_string().contains("read-only"), "{error}");
    assert_eq!(fs::read_to_string(&path).unwrap(), FILE);
}

#[test]
fn a_directory_in_the_files_place_is_an_error_that_names_it() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("bookmarks.txt");
    fs::create_dir(&path).unwrap();
    let error = load(&path, "").unwrap_err();
    assert!(error.to_string().contains("bookmarks.txt"), "{error}");
}

#[test]
fn a_full_disk_leaves_the_file_as_it_was() {
    // /dev/full is the disk that is always full; where there is none the test has nothing to stand on.
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("bookmarks.txt");
    fs::write(&path, FILE).unwrap();
    let small = std::process::Command::new("sh")
        .arg("-c")
        .arg("ulimit -f 0; trap '' XFSZ; exec \"$0\" --config \"$1\" bookmarks add gopher://h/")
        .arg(env!("CARGO_BIN_EXE_geomys"))
        .arg(directory.path())
        .output()
        .unwrap();
    assert_eq!(small.status.code(), Some(1), "{small:?}");
    assert!(
        String::from_utf8_lossy(&small.stderr).contains("not saved"),
        "{small:?}"
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), FILE);
}

proptest! {
    #[test]
    fn any_octets_are_a_bookmark_file_and_are_kept(octets in proptest::collection::vec(any::<u8>(), 0..400)) {
        prop_assert_eq!(Bookmarks::parse(&octets).to_octets(), octets);
    }

    #[test]
    fn what_is_undone_was_never_done(
        lines in proptest::collection::vec(line(), 0..20),
        ended in any::<bool>(),
        pick in any::<proptest::sample::Index>(),
        deed in 0..3,
        folder in prop_oneof![Just(vec![]), Just(vec!["A"]), Just(vec!["A", "B"]), Just(vec!["Z"])],
    ) {
        let mut text = lines.concat();
        if !ended {
            text.pop();
        }
        let mut bookmarks = Bookmarks::parse(text.as_bytes());
        let places: Vec<usize> = bookmarks.bookmarks().map(|bookmark| bookmark.line).collect();
        let new = draft("New", &folder, &["t"]);
        let change = match deed {
            0 => Some(bookmarks.adding(&new)),
            _ if places.is_empty() => None,
            1 => bookmarks.editing(places[pick.index(places.len())], &new),
            _ => bookmarks.removing(places[pick.index(places.len())]),
        };
        if let Some(change) = change {
            let back = bookmarks.apply(&change).unwrap();
            if deed < 2 {
                let (index, _) = bookmarks.items().iter().enumerate().find(
                    |(_, item)| matches!(item, Item::Bookmark(bookmark) if bookmark.title.as_str() == "New")
                ).expect("the new bookmark is there");
                if !folder.is_empty() || deed == 1 {
                    prop_assert_eq!(bookmarks.folder_of(index), folder);
                }
            }
            bookmarks.apply(&back).unwrap();
        }
        prop_assert_eq!(String::from_utf8(bookmarks.to_octets()).unwrap(), text);
    }
}

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("# A\n".to_owned()),
        Just("## B\n".to_owned()),
        Just("# C\n".to_owned()),
        Just("\n".to_owned()),
        Just("  note\n".to_owned()),
        Just("words\n".to_owned()),
        Just("one <URL:gopher://one/> #t\n".to_owned()),
        Just("two <URL:ftp://two/;type=d> more\n".to_owned()),
        Just("bad <URL:gopher://b_d/>\n".to_owned()),
    ]
}

fn draft(title: &str, folder: &[&str], tags: &[&str]) -> Draft {
    let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    Draft {
        title: title.to_owned(),
        url: Url::parse("gopher://h/").unwrap(),
        folder: owned(folder),
        tags: owned(tags),
    }
}
