//! Links and saved files for the program of the desktop.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use geomys_demo::Demo;

use crate::support::terminal::Terminal;

/// Makes a program that writes its arguments to the file `ran`, one a line, and a settings.toml that names it.
fn set_program(profile: &Path) {
    let program = profile.join("opener");
    let ran = profile.join("ran");
    let script = format!(
        "#!/bin/sh\nprintf '%s\\n' \"$#\" \"$@\" > '{}'\n",
        ran.display()
    );
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o700)).unwrap();
    let settings = format!(
        "downloads = \"{}\"\n[open]\ndesktop = [\"{}\", \"{{url}}\"]\n",
        profile.display(),
        program.display()
    );
    std::fs::write(profile.join("settings.toml"), settings).unwrap();
}

fn ran(profile: &Path) -> String {
    std::fs::read_to_string(profile.join("ran")).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn link_is_one_argument_without_its_password_after_a_question() {
    let demo = Demo::start().await.unwrap();
    let profile = tempfile::tempdir().unwrap();
    set_program(profile.path());
    let menu = profile.path().join("gophermap");
    let row = "hLook\tURL:ftp://ada:secret@h.example/$(id)/a%20b&x\n0Text\t/x\n";
    std::fs::write(&menu, row).unwrap();
    let mut terminal = Terminal::run(profile.path(), &[&format!("file://{}", menu.display())]);
    terminal.wait("Look");
    terminal.press("W");
    terminal.wait("Open it with");
    terminal.wait("ftp://ada@h.example/$(id)/a%20b&x");
    terminal.press("n");
    terminal.wait_until_absent("Open it with");
    assert!(!profile.path().join("ran").exists());
    terminal.press("W");
    terminal.wait("Open it with");
    terminal.press("y");
    terminal.wait("opener” exited");
    assert_eq!(
        ran(profile.path()),
        "1\nftp://ada@h.example/$(id)/a%20b&x\n"
    );
    // The terminal was not given away: the page is still on the screen.
    terminal.wait("Look");
    // A text without links: the page itself.
    terminal.press(&format!(
        "ogopher://{}/0/about.txt\r",
        demo.addresses.gopher
    ));
    terminal.wait("You can reach us in");
    terminal.press("W");
    terminal.wait("Open it with");
    terminal.press("\u{1b}");
    terminal.wait_until_absent("Open it with");
    terminal.press("q");
    terminal.end(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn finished_download_opens_with_one_key() {
    let demo = Demo::start().await.unwrap();
    let profile = tempfile::tempdir().unwrap();
    set_program(profile.path());
    let gallery = format!("gopher://{}/1/gallery", demo.addresses.gopher);
    let mut terminal = Terminal::run(profile.path(), &[&gallery]);
    terminal.wait("A packet of seeds");
    terminal.press("7d");
    terminal.press("D");
    terminal.wait("Transfers  1 done");
    terminal.press("W");
    terminal.wait("Open it with");
    terminal.press("y");
    terminal.wait("opener” exited");
    let ran = ran(profile.path());
    let mut lines = ran.lines();
    assert_eq!(lines.next(), Some("1"));
    let path = lines.next().unwrap();
    assert!(path.starts_with(profile.path().to_str().unwrap()), "{path}");
    assert!(Path::new(path).is_file(), "{path}");
    terminal.press("q");
    terminal.press("q");
    terminal.end(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn built_in_page_and_script_are_not_opened() {
    let profile = tempfile::tempdir().unwrap();
    set_program(profile.path());
    let mut terminal = Terminal::run(profile.path(), &["geomys:config"]);
    terminal.wait("settings.toml");
    terminal.press("W");
    terminal.wait("No other program opens geomys:");
    terminal.press("q");
    terminal.end(0);
}
