//! The tree of a whole site in one file, and the descriptions of files.

use std::fmt::Write as _;

use geomys_testing::archive::{Archive, Node, ServerBehavior, line};

use crate::support::command::{geomys_at, text};
use crate::support::screen::Browser;

/// The tree: some directories, and files of which three are called alike.
fn tree() -> Vec<u8> {
    let mut tree = "total 3\ndrwxr-xr-x 2 ftp ftp 512 Mar 14 1994 pub\n-rw-r--r-- 1 ftp ftp 9 Mar 14 1994 top.txt\n".to_owned();
    for directory in ["pub", "pub/games", "pub/mac"] {
        let file = "-rw-r--r-- 1 ftp ftp 5 Mar 14 1994";
        write!(
            tree,
            "\n./{directory}:\ntotal 1\n{file} README\n{file} chess.txt\n"
        )
        .unwrap();
    }
    tree.into_bytes()
}

async fn site() -> Archive {
    let root = [
        line("drwxr-xr-x", 512, b"pub"),
        line("-rw-r--r--", 2_100_000, b"ls-lR"),
        line("-rw-r--r--", 9, b"top.txt"),
        line("-rw-r--r--", 60, b"FILES.BBS"),
    ];
    let descriptions =
        b"TOP.TXT  9 03-14-94 What is at the top\r\n     | of all\r\nls-lR    All names\r\n";
    let nodes = [
        ("/", Node::Directory(root.concat())),
        ("/ls-lR", Node::File(tree())),
        ("/FILES.BBS", Node::File(descriptions.to_vec())),
        ("/top.txt", Node::File(b"The top.\n".to_vec())),
        ("/pub", Node::Directory(line("drwxr-xr-x", 512, b"games"))),
        (
            "/pub/games",
            Node::Directory(line("-rw-r--r--", 5, b"chess.txt")),
        ),
        ("/pub/games/chess.txt", Node::File(b"Mate.".to_vec())),
    ];
    Archive::start(nodes, ServerBehavior::default()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn tree_of_the_whole_site_is_searched_and_opened() {
    let server = site().await;
    let session = Browser::new().open(server.url("/")).size((100, 24)).start();
    session.wait("What is at the top of all").await;
    session
        .wait("Tree of the whole site (2.1 MB, 1994-03-14)")
        .await;
    session.press("g g");
    session.wait("▌⊞ Tree of the whole site").await;
    session.press("Enter");
    session.wait("pub/mac/chess.txt").await;
    let listed = server.command_count("LIST");
    session.press("&");
    session.wait("─ Filter ─").await;
    session.type_in("chess");
    session.press("Enter");
    session.wait("filter: chess, 3 of 8").await;
    assert!(session.screen().contains("pub/games/chess.txt"));
    assert_eq!(
        server.command_count("LIST"),
        listed,
        "nothing was asked for"
    );
    session.press("Esc");
    session.wait("top.txt").await;
    session.press("/");
    session.wait("─ Find ─").await;
    session.type_in("games/ch");
    session.press("Enter");
    session.wait("▌≡ pub/games/chess.txt").await;
    session.press("Enter");
    session.wait("Mate.").await;
    session.press("h");
    session.wait("pub/mac/chess.txt").await;
    session.press("g g j");
    session.wait("▌▸ pub").await;
    session.press("Enter");
    session.wait("▸ games").await;
    assert!(
        session.screen().contains("/pub;type=d"),
        "the directory of the server"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn dump_prints_the_tree_as_paths() {
    let server = site().await;
    let directory = tempfile::tempdir().unwrap();
    let url = server.url("/ls-lR");
    let dump = geomys_at(directory.path(), &["--config", "config", "dump", &url]);
    let printed = text(&dump.stdout);
    for name in ["pub/games/chess.txt", "pub/mac/README", "top.txt"] {
        assert!(printed.contains(name), "{printed}");
    }
}
