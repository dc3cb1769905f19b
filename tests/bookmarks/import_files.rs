//! Imports of whole directories and of files in an envelope, through the command.

use std::fs;

use super::command::Profile;

#[test]
fn directory_is_imported_with_its_folders() {
    let profile = Profile::new("");
    let favourites = profile.directory().join("Favourites");
    let inner = favourites.join("Old holes");
    fs::create_dir_all(&inner).unwrap();
    fs::write(
        favourites.join("SDF.url"),
        "[InternetShortcut]\r\nURL=gopher://sdf.org/\r\nColour=7\r\n",
    )
    .unwrap();
    fs::write(
        inner.join("b.md"),
        "# Links\n[Floodgap](gopher://gopher.floodgap.com/)\n",
    )
    .unwrap();
    fs::write(
        inner.join("a.url"),
        "[InternetShortcut]\nURL=http://a.example/\n",
    )
    .unwrap();
    fs::write(inner.join("broken.plist"), "<plist").unwrap();
    fs::write(inner.join("picture.png"), "x").unwrap();
    std::os::unix::fs::symlink("/", inner.join("link")).unwrap();
    let path = favourites.to_str().unwrap();
    let (status, out, said) = profile.run(&["import", path]);
    assert_eq!(status, 0, "{said}");
    assert!(out.ends_with("Favourites (4 files): 3 imported\n"), "{out}");
    assert!(said.contains("broken.plist"), "{said}");
    assert!(
        said.contains("fields that no bookmark has: “colour” (1)"),
        "{said}"
    );
    assert_eq!(
        profile.file(),
        "SDF <URL:gopher://sdf.org/>\n# Old holes\na <URL:http://a.example/>\nFloodgap <URL:gopher://gopher.floodgap.com/>\n"
    );
    fs::create_dir(profile.directory().join("empty")).unwrap();
    let empty = profile.directory().join("empty");
    let (status, _, said) = profile.run(&["import", empty.to_str().unwrap()]);
    assert_eq!(status, 1);
    assert!(said.contains("no bookmarks in it (0 files)"), "{said}");
}

#[test]
fn text_in_utf16_is_imported() {
    let profile = Profile::new("");
    let text = "\u{feff}Bücher http://b.example/\r\n";
    let octets: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let path = profile.directory().join("list.txt");
    fs::write(&path, octets).unwrap();
    let (status, _, said) = profile.run(&["import", path.to_str().unwrap()]);
    assert_eq!(status, 0, "{said}");
    assert_eq!(profile.file(), "Bücher <URL:http://b.example/>\n");
}
