//! The peer of a compressed stream (RFC 8054), as an uncompressed stream.

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream};

/// Returns a stream whose writes go compressed over `stream`, and whose reads are decompressed.
pub fn deflated<S: AsyncRead + AsyncWrite + Send + 'static>(stream: S) -> DuplexStream {
    let (plain, inner) = tokio::io::duplex(64 * 1024);
    tokio::spawn(async move {
        let (mut comes, mut goes) = tokio::io::split(stream);
        let (mut said, mut heard) = tokio::io::split(inner);
        let unpack = async {
            let mut inflate = Decompress::new(false);
            let mut octets = [0; 4096];
            loop {
                let read = comes.read(&mut octets).await.unwrap_or(0);
                if read == 0 {
                    break;
                }
                let mut unpacked = Vec::with_capacity(1 << 20);
                inflate
                    .decompress_vec(&octets[..read], &mut unpacked, FlushDecompress::Sync)
                    .expect("what was sent is no DEFLATE");
                if heard.write_all(&unpacked).await.is_err() {
                    break;
                }
            }
            let _ = heard.shutdown().await;
        };
        let pack = async {
            let mut deflate = Compress::new(Compression::default(), false);
            let mut octets = [0; 4096];
            loop {
                let read = said.read(&mut octets).await.unwrap_or(0);
                if read == 0 {
                    break;
                }
                let mut packed = Vec::with_capacity(16 * 1024);
                deflate
                    .compress_vec(&octets[..read], &mut packed, FlushCompress::Sync)
                    .unwrap();
                if goes.write_all(&packed).await.is_err() {
                    break;
                }
            }
            let _ = goes.shutdown().await;
        };
        tokio::join!(unpack, pack);
    });
    plain
}
