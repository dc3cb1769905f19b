//! Pictures in a pane: of every scheme, of an attachment, in half-blocks and without colours, zoomed and moved.

#![cfg(feature = "images")]

use std::net::SocketAddr;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use geomys_demo::Demo;
use ratatui::style::Color;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::support::screen::{Browser, Session};
use crate::support::terminal::Terminal;

const DOOR: &[u8] = include_bytes!("../assets/demo/gopher/door.png");

/// The browser with an empty profile and this settings.toml, at these addresses.
fn browser(settings: &str, addresses: &[String], size: (u16, u16)) -> Session {
    Browser::new()
        .settings(settings)
        .bookmarks("A hole <URL:gopher://127.0.0.1:1/>\n")
        .open_all(addresses)
        .size(size)
        .start()
}

/// A server that answers each request with these octets, and closes the connection.
async fn answering(octets: Vec<u8>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = [0; 4096];
            let _ = stream.read(&mut request).await;
            let _ = stream.write_all(&octets).await;
            let _ = stream.shutdown().await;
        }
    });
    address
}

#[tokio::test(flavor = "multi_thread")]
async fn picture_is_drawn_in_half_blocks() {
    let demo = Demo::start().await.unwrap();
    let picture = format!("gopher://{}/g/gallery/gopher.gif", demo.addresses.gopher);
    // The height of the pane is the bound at 80x24, its width beside the bookmarks.
    for (size, name, count) in [
        ((80, 24), "gif-80", 60 * 20),
        ((120, 40), "gif-120", 80 * 27),
    ] {
        let session = browser("", std::slice::from_ref(&picture), size);
        session.wait("▀▀▀▀").await;
        insta::assert_snapshot!(name, session.screen());
        let cells = session.cells();
        let dots: Vec<_> = cells.iter().filter(|cell| cell.symbol() == "▀").collect();
        assert_eq!(dots.len(), count);
        let is_colour = |colour| matches!(colour, Color::Indexed(16..));
        assert!(dots.iter().all(|cell| is_colour(cell.fg)));
        // The last row has no lower half where the number of dots is odd.
        let whole = dots.len() - 80;
        assert!(dots.iter().take(whole).all(|cell| is_colour(cell.bg)));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn picture_zooms_moves_and_follows_the_size_of_the_pane() {
    let demo = Demo::start().await.unwrap();
    let picture = format!("gopher://{}/g/gallery/gopher.gif", demo.addresses.gopher);
    let session = browser("", &[picture], (80, 24));
    session.wait("13%").await;
    let dots = || session.screen().matches('▀').count();
    assert_eq!(dots(), 60 * 20);
    session.press("+");
    session.wait("19%").await;
    assert_eq!(dots(), 80 * 20);
    session.press("+ + + +");
    session.wait("95%").await;
    let upper = session.cells();
    session.press("G");
    session
        .wait_until("another part", |_| session.cells() != upper)
        .await;
    session.press("=");
    session.wait("13%").await;
    session.press("-");
    session.settle().await;
    assert_eq!(dots(), 60 * 20);
    session.resize(40, 9);
    session
        .wait_until("a smaller picture", |screen| {
            let dots = screen.matches('▀').count();
            dots > 0 && dots < 60 * 20
        })
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn source_of_a_picture_is_not_covered_by_the_picture() {
    let demo = Demo::start().await.unwrap();
    let picture = format!("gopher://{}/g/gallery/gopher.gif", demo.addresses.gopher);
    let session = browser("", &[picture], (80, 24));
    session.wait("▀▀▀▀").await;
    session.press("\\");
    session.wait("Source").await;
    session.wait("GIF89a").await;
    assert!(!session.screen().contains('▀'), "{}", session.screen());
    session.press("+");
    session.wait("There is only one pane").await;
    session.press("\\");
    session.wait("▀▀▀▀").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pictures_of_every_scheme_are_shown() {
    let demo = Demo::start().await.unwrap();
    let profile = tempfile::tempdir().unwrap();
    let file = profile.path().join("door");
    std::fs::write(&file, DOOR).unwrap();
    let web = answering(
        [
            b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nConnection: close\r\n\r\n".as_slice(),
            DOOR,
        ]
        .concat(),
    )
    .await;
    let addresses = [
        format!("gopher://{}/I/gallery/door.png", demo.addresses.gopher),
        format!("ftp://{}/pub/pictures/door.png", demo.addresses.ftp),
        format!("gemini://{}/door.png", demo.addresses.gemini),
        format!("http://{web}/picture"),
    ];
    for address in addresses {
        let session = browser("", std::slice::from_ref(&address), (80, 24));
        session.wait("PNG picture, ").await;
        session.wait("▀▀▀").await;
    }
    // A name without a suffix is no picture: the question of other files.
    let session = browser("", &[format!("file://{}", file.display())], (80, 24));
    session.wait("Save as").await;
    let named = profile.path().join("door.png");
    std::fs::rename(&file, &named).unwrap();
    let session = browser("", &[format!("file://{}", named.display())], (80, 24));
    session.wait("▀▀▀").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn picture_attached_to_an_article_is_shown_and_back_leads_to_the_article() {
    let profile = tempfile::tempdir().unwrap();
    let article = format!(
        "From ada Mon Jan  1 00:00:00 2026\nFrom: ada@h.example\nSubject: A door\nMIME-Version: 1.0\n\
         Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\nLook.\n--b\n\
         Content-Type: image/png\nContent-Disposition: attachment; filename=door.png\n\
         Content-Transfer-Encoding: base64\n\n{}\n--b--\n",
        STANDARD.encode(DOOR)
    );
    let mailbox = profile.path().join("letters.mbox");
    std::fs::write(&mailbox, article).unwrap();
    let session = browser("", &[format!("file://{}/1", mailbox.display())], (80, 24));
    session.wait("door.png").await;
    session.press("J Enter");
    session.wait("PNG picture, ").await;
    session.wait("▀▀▀").await;
    session.press("h");
    session.wait("Look.").await;
    // The download key still saves it.
    session.press("d");
    session.wait("Save as").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_picture_becomes_a_sentence() {
    // 100,000 x 100,000 pixels; the checksum of the header is right.
    let mut png = DOOR.to_vec();
    for at in [16, 20] {
        png[at..at + 4].copy_from_slice(&100_000_u32.to_be_bytes());
    }
    let mut crc = flate2::Crc::new();
    crc.update(&png[12..29]);
    png[29..33].copy_from_slice(&crc.sum().to_be_bytes());
    let mut wrong = DOOR.to_vec();
    wrong[30] ^= 1;
    let text = b"It has moved to the attic.\r\n".to_vec();
    for (octets, expected) in [
        (
            png,
            "Picture not shown: it is wider or higher than 32768 pixels",
        ),
        (wrong, "Picture not shown: "),
        (DOOR[..60].to_vec(), "Picture not shown: "),
        (
            text,
            "Picture not shown: the file is not PNG, JPEG, GIF or WebP",
        ),
    ] {
        let server = answering(octets).await;
        let session = browser("", &[format!("gopher://{server}/I/a.png")], (80, 24));
        session.wait(expected).await;
        // The page can be saved, and the browser works on.
        session.press("S");
        session.wait("a.png").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_colours_a_picture_is_dithered_and_in_ascii_made_of_letters() {
    let demo = Demo::start().await.unwrap();
    let picture = format!("gopher://{}/g/gallery/gopher.gif", demo.addresses.gopher);
    let session = browser(
        "theme = \"mono\"\n",
        std::slice::from_ref(&picture),
        (80, 24),
    );
    session.wait("13%").await;
    insta::assert_snapshot!("mono", session.screen());
    let cells = session.cells();
    assert!(
        cells
            .iter()
            .all(|cell| cell.fg == Color::Reset && cell.bg == Color::Reset)
    );
    let session = browser("ascii = true\n", &[picture], (80, 24));
    session.wait("13%").await;
    insta::assert_snapshot!("ascii", session.screen());
}

#[tokio::test(flavor = "multi_thread")]
async fn pictures_can_be_switched_off() {
    let demo = Demo::start().await.unwrap();
    let picture = format!("gopher://{}/g/gallery/gopher.gif", demo.addresses.gopher);
    let session = browser("[pictures]\nshow = false\n", &[picture], (80, 24));
    session.wait("Save as").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn demo_shows_a_picture_in_a_terminal() {
    let demo = Demo::start().await.unwrap();
    let profile = tempfile::tempdir().unwrap();
    let door = format!("gopher://{}/I/gallery/door.png", demo.addresses.gopher);
    let mut terminal = Terminal::run(profile.path(), &[&door]);
    terminal.wait("▀▀▀");
    terminal.press("+");
    terminal.wait("19%");
    terminal.press("q");
    terminal.end(0);
    terminal.check_modes();
}

/// A picture of 64 x 48 pixels in colours, and a text beside it, in a directory.
fn directory_with_picture() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let pixels: Vec<[u8; 3]> = (0..48_u8)
        .flat_map(|y| (0..64_u8).map(move |x| [x * 4, y * 5, 90]))
        .collect();
    let file = std::fs::File::create(directory.path().join("a.png")).unwrap();
    let mut encoder = png::Encoder::new(file, 64, 48);
    encoder.set_color(png::ColorType::Rgb);
    encoder
        .write_header()
        .unwrap()
        .write_image_data(pixels.as_flattened())
        .unwrap();
    std::fs::write(directory.path().join("b.txt"), "Beside the picture\n").unwrap();
    directory
}

fn open_picture(profile: &Path, directory: &Path) -> Terminal {
    let url = format!("file://{}/a.png", directory.display());
    let mut terminal = Terminal::run(profile, &[&url]);
    terminal.wait("PNG picture, 64");
    terminal
}

#[test]
fn terminal_that_answers_late_shows_the_pixels() {
    let (profile, directory) = (tempfile::tempdir().unwrap(), directory_with_picture());
    let mut terminal = open_picture(profile.path(), directory.path());
    // Until the terminal answers, and beneath it all, half-blocks are shown.
    terminal.wait("▀▀▀");
    terminal.wait_sent("\x1b_Gi=31,", 1);
    terminal.wait_sent("\x1b[>q", 1);
    terminal.press("\x1b_Gi=31;OK\x1b");
    terminal.press("\\\x1bP>|kitty(0.42.1)\x1b\\");
    // A small picture is enlarged three times, to a third of the height.
    let shown = "\x1b_Ga=T,f=24,o=z,s=192,v=144,";
    terminal.wait_sent(shown, 1);
    terminal.wait_until_absent("▀");
    assert!(terminal.screen().contains("PNG picture, 64"));
    // The help is drawn over the picture, and takes its pixels away.
    terminal.press("?");
    terminal.wait("Most used");
    terminal.wait_sent("\x1b_Ga=d,d=A,q=2", 1);
    terminal.press("\x1b");
    terminal.wait_sent(shown, 2);
    // Another size of the terminal shows it again, and a larger zoom a larger picture.
    terminal.resize(100, 24);
    terminal.wait_sent(shown, 3);
    terminal.press("+");
    terminal.wait_sent("\x1b_Ga=T,f=24,o=z,s=288,v=216,", 1);
    terminal.press(&format!("ofile://{}/b.txt\r", directory.path().display()));
    terminal.wait("Beside the picture");
    terminal.press("q");
    terminal.end(0);
    terminal.check_modes();
}

#[test]
fn pixels_that_only_text_removes_are_removed_by_a_whole_frame() {
    let (profile, directory) = (tempfile::tempdir().unwrap(), directory_with_picture());
    for (graphics, shown) in [
        ("sixel", "\x1bP0;1q\"1;1;192;144"),
        ("iterm2", "\x1b]1337;File="),
    ] {
        let settings = format!("[pictures]\ngraphics = \"{graphics}\"\n");
        std::fs::write(profile.path().join("settings.toml"), settings).unwrap();
        let mut terminal = open_picture(profile.path(), directory.path());
        terminal.wait_sent(shown, 1);
        // The terminal was not asked, and is cleared once after the picture.
        let cleared = terminal.sent().matches("\x1b[2J").count();
        assert!(!terminal.sent().contains("\x1b_Gi=31,"));
        terminal.press(&format!("ofile://{}/b.txt\r", directory.path().display()));
        terminal.wait("Beside the picture");
        terminal.wait_sent("\x1b[2J", cleared + 1);
        terminal.press("q");
        terminal.end(0);
        terminal.check_modes();
    }
}

#[test]
fn without_a_picture_and_with_half_blocks_the_terminal_is_not_asked() {
    let (profile, directory) = (tempfile::tempdir().unwrap(), directory_with_picture());
    let text = format!("file://{}/b.txt", directory.path().display());
    let mut terminal = Terminal::run(profile.path(), &[&text]);
    terminal.wait("Beside the picture");
    terminal.press("q");
    terminal.end(0);
    assert!(!terminal.sent().contains("\x1b_G"));
    let settings = "[pictures]\ngraphics = \"half-blocks\"\n";
    std::fs::write(profile.path().join("settings.toml"), settings).unwrap();
    let mut terminal = open_picture(profile.path(), directory.path());
    terminal.wait("▀▀▀");
    terminal.press("q");
    terminal.end(0);
    assert!(!terminal.sent().contains("\x1b_G"));
}
