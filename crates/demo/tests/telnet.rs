//! The demo's telnet server: options, and the end of a session.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::{demo, wire};

#[tokio::test]
async fn telnet_session_negotiates_and_ends() {
    let demo = demo().await;
    let mut stream = TcpStream::connect(demo.addresses.telnet).await.unwrap();
    // The server requests the terminal type when the client offers it, accepts the window size, and refuses another
    // option.
    let said = b"\xff\xfb\x18\xff\xfb\x1f\xff\xfd\x05\xff\xfa\x1f\0P\0\x18\xff\xf0\
                 \xff\xfa\x18\0VT100\xff\xf0size\r\0quit\r\n";
    stream.write_all(said).await.unwrap();
    let mut heard = Vec::new();
    timeout(wire::DEADLINE, stream.read_to_end(&mut heard))
        .await
        .unwrap()
        .unwrap();
    assert!(heard.starts_with(b"\xff\xfd\x18\xff\xfd\x1f\r\n"));
    for octets in [
        b"\xff\xfa\x18\x01\xff\xf0".as_slice(),
        b"\xff\xfc\x05",
        b"a window of 80 columns and 24 lines, VT100\r\n",
    ] {
        assert!(
            memchr::memmem::find(&heard, octets).is_some(),
            "{octets:?} in {heard:?}"
        );
    }
    assert!(heard.ends_with(b"> Good night.\r\n"));
}
