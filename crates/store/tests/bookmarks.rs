//! The bookmark file: unchanged octets stay, and no update is lost.

mod changes;
mod equality;
mod external_edits;
mod fuzzy;
mod history;
mod laws;
mod search;
mod watch;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use geomys_store::bookmarks::{
    BookmarkEdit, Bookmarks, Change, Error, InsertPosition, Item, NewBookmark, Query, Store,
};
use rfc1738::Url;

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
fn file_parses_into_folders_bookmarks_notes_and_tags() {
    let bookmarks = Bookmarks::parse(FILE.as_bytes());
    let seen: Vec<String> = bookmarks
        .items()
        .map(|item| match item {
            Item::Folder(folder) => format!(
                "{} {} in {:?}",
                folder.depth,
                folder.name(),
                bookmarks.folder_of(folder.index)
            ),
            Item::Bookmark(bookmark) => format!(
                "{} {} {} notes {} tags {} in {:?}",
                bookmark.label(),
                bookmark.url_text(),
                bookmark.url().is_ok(),
                bookmark.notes().len(),
                bookmark.tags().len(),
                bookmarks.folder_of(bookmark.index)
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
            "GNU ftp://ftp.gnu.org/ gnu/;type=d false notes 0 tags 0 in [\"FTP\"]",
        ]
    );
    assert_eq!(bookmarks.octets(), FILE.as_bytes());
}

#[test]
fn save_keeps_mode_and_symlink_and_loses_no_update() {
    let directory = tempfile::tempdir().unwrap();
    let real = directory.path().join("elsewhere").join("list.txt");
    fs::create_dir(real.parent().unwrap()).unwrap();
    fs::write(&real, FILE).unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    let path = directory.path().join("bookmarks.txt");
    symlink(&real, &path).unwrap();

    let read = Store::new(&path, "").load().unwrap();
    // Another program writes between our read and our write.
    fs::write(&real, format!("theirs <URL:gopher://theirs/>\n{FILE}")).unwrap();
    let change = adding(&read, draft("ours"), &["Gopher"]);
    let now = Store::new(&path, "")
        .save(&read, &change)
        .unwrap()
        .bookmarks;

    let text = fs::read_to_string(&real).unwrap();
    assert_eq!(text.as_bytes(), now.octets());
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
fn concurrent_writers_all_add_their_line() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("deep").join("bookmarks.txt");
    let writers: Vec<_> = (0..8)
        .map(|writer| {
            let path = path.clone();
            std::thread::spawn(move || {
                for number in 0..5 {
                    let now = Store::new(&path, "").load().unwrap();
                    let title = format!("w{writer}n{number}");
                    Store::new(&path, "")
                        .save(&now, &adding(&now, draft(&title), &[]))
                        .unwrap();
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
fn dangling_symlink_stays_and_error_names_its_target() {
    let directory = tempfile::tempdir().unwrap();
    let real = directory.path().join("disk").join("list.txt");
    let path = directory.path().join("bookmarks.txt");
    symlink(&real, &path).unwrap();
    let store = Store::new(&path, "shipped <URL:gopher://shipped/>\n");
    let read = store.load().unwrap();
    let change = adding(&read, draft("ours"), &[]);
    let error = store.save(&read, &change).unwrap_err().to_string();
    assert!(error.contains("not saved"), "{error}");
    let words = format!("a symlink to {}, which does not exist", real.display());
    assert!(error.contains(&words), "{error}");
    assert!(error.contains(&format!("({})", path.display())), "{error}");
    assert_eq!(fs::read_link(&path).unwrap(), real);
    assert!(!real.parent().unwrap().exists());
    // The disk is mounted now.
    fs::create_dir(real.parent().unwrap()).unwrap();
    fs::write(&real, FILE).unwrap();
    let read = store.load().unwrap();
    store
        .save(&read, &adding(&read, draft("ours"), &[]))
        .unwrap();
    assert!(fs::read_to_string(&real).unwrap().starts_with(FILE));
    assert_eq!(fs::read_link(&path).unwrap(), real);
}

#[test]
fn file_missing_for_a_moment_keeps_its_content() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("bookmarks.txt");
    let store = Store::new(&path, "shipped <URL:gopher://shipped/>\n");
    let shipped = store.load().unwrap();
    assert_eq!(store.reload(&shipped).unwrap(), shipped);
    fs::write(&path, FILE).unwrap();
    let loaded = store.reload(&shipped).unwrap();
    assert_eq!(loaded.octets(), FILE.as_bytes());
    // An editor renames the old file before it writes the new one.
    let aside = directory.path().join("bookmarks.txt~");
    fs::rename(&path, &aside).unwrap();
    assert_eq!(store.reload(&loaded).unwrap(), loaded);
    let change = adding(&loaded, draft("ours"), &["FTP"]);
    let saved = store.save(&loaded, &change).unwrap().bookmarks;
    assert_eq!(saved, loaded.apply(&change).bookmarks);
    assert_eq!(fs::read(&path).unwrap(), saved.octets());
}

#[test]
fn non_utf8_octets_stay_unchanged() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("bookmarks.txt");
    let file = b"caf\xe9 <URL:gopher://caf/> #\xff\n\x00\x80 words\n";
    fs::write(&path, file).unwrap();
    let read = Store::new(&path, "").load().unwrap();
    assert_eq!(read.bookmarks().next().unwrap().label().as_str(), "café");
    Store::new(&path, "")
        .save(&read, &adding(&read, draft("new"), &[]))
        .unwrap();
    assert_eq!(
        fs::read(&path).unwrap(),
        [&file[..], b"new <URL:gopher://h/>\n"].concat()
    );
}

#[test]
fn read_only_file_stays_unchanged_and_save_fails() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("bookmarks.txt");
    fs::write(&path, FILE).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    let read = Store::new(&path, "").load().unwrap();
    let error = Store::new(&path, "")
        .save(&read, &adding(&read, draft("new"), &[]))
        .unwrap_err();
    assert!(matches!(error, Error::Write { .. }));
    assert!(error.to_string().contains("read-only"), "{error}");
    assert_eq!(fs::read_to_string(&path).unwrap(), FILE);
}

#[test]
fn directory_instead_of_file_is_an_error_naming_it() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("bookmarks.txt");
    fs::create_dir(&path).unwrap();
    let error = Store::new(&path, "").load().unwrap_err();
    assert!(error.to_string().contains("bookmarks.txt"), "{error}");
}

/// The change that adds a draft at the end of a folder, or of the file.
fn adding(bookmarks: &Bookmarks, draft: NewBookmark, folder: &[&str]) -> Change {
    let place = if folder.is_empty() {
        InsertPosition::End
    } else {
        path(folder)
    };
    bookmarks.adding(&[draft], &place)
}

fn path(names: &[&str]) -> InsertPosition {
    InsertPosition::Path(names.iter().map(|name| (*name).to_owned()).collect())
}

fn draft(title: &str) -> NewBookmark {
    NewBookmark {
        title: title.to_owned(),
        url: Url::parse("gopher://h/").unwrap(),
        tags: Vec::new(),
        notes: Vec::new(),
    }
}

fn titled(title: &str) -> BookmarkEdit {
    BookmarkEdit {
        title: Some(title.to_owned()),
        ..BookmarkEdit::default()
    }
}

fn text(bookmarks: &Bookmarks) -> String {
    String::from_utf8(bookmarks.octets().to_vec()).unwrap()
}
