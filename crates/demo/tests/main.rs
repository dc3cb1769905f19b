//! The demo servers over real loopback sockets: what a client sends, and every octet it gets.

// .clippy.toml lets `#[test]` functions do this; the functions they share are tests as much as they are.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice
)]
#![allow(unreachable_pub)] // One binary: what is shared in it is `pub`.

mod ftp;
mod gopher;
mod news;
mod phone;
mod plus;
mod posting;
mod telnet;
mod wire;

use geomys_demo::Demo;

async fn demo() -> Demo {
    Demo::start().await.expect("free ports on loopback")
}

#[tokio::test]
async fn demo_bookmarks_name_the_listening_ports() {
    let demo = demo().await;
    let bookmarks = demo.bookmarks();
    for url in demo.urls() {
        assert!(bookmarks.contains(&url), "{url} is not among the bookmarks");
    }
    assert!(
        !bookmarks.contains('{'),
        "a placeholder was left: {bookmarks}"
    );
}

#[tokio::test]
async fn dropping_the_demo_closes_its_connections() {
    let demo = demo().await;
    let mut client = wire::Client::connect(demo.addresses.news).await;
    client.line().await;
    let address = demo.addresses.news;
    drop(demo);
    assert_eq!(client.rest().await, b"");
    // A process that another test starts holds a copy of the listener until its exec.
    let closed = async {
        while tokio::net::TcpStream::connect(address).await.is_ok() {
            tokio::task::yield_now().await;
        }
    };
    let closed = tokio::time::timeout(wire::DEADLINE, closed).await;
    closed.expect("nobody listens any more");
}
