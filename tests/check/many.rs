//! Many at once: politely, each with a result, and stopped at once.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::{line, short};
use geomys::load::Request;
use geomys::load::check::{AtOnce, all};
use geomys::net::{Limits, Net};
use geomys::url::Url;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

fn requests(address: std::net::SocketAddr, count: usize) -> Vec<Request> {
    let urls = (0..count).map(|number| format!("gopher://{address}/1/{number}"));
    let urls = urls.map(|url| Url::accept(&url).unwrap());
    urls.map(Request::show).collect()
}

#[tokio::test]
async fn a_host_has_four_visitors_at_most_and_each_url_one_result() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let (here, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    // Nobody is answered before four are there.
    let gate = Arc::new(Semaphore::new(0));
    let serving = tokio::spawn({
        let (here, most, gate) = (Arc::clone(&here), Arc::clone(&most), Arc::clone(&gate));
        async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let (here, gate) = (Arc::clone(&here), Arc::clone(&gate));
                let count = here.fetch_add(1, Ordering::SeqCst) + 1;
                most.fetch_max(count, Ordering::SeqCst);
                if count == 4 {
                    gate.add_permits(1000);
                }
                tokio::spawn(async move {
                    let _permit = gate.acquire().await.unwrap();
                    while stream.read_u8().await.is_ok_and(|octet| octet != b'\n') {}
                    here.fetch_sub(1, Ordering::SeqCst);
                    let _ = stream.write_all(b"1x\t/x\th\t70\r\n.\r\n").await;
                });
            }
        }
    });
    let requests = requests(address, 40);
    let mut heard = Vec::new();
    let net = Net::new(short());
    all(&net, &requests, AtOnce::default(), |number, checked| {
        assert_eq!(line(&checked.verdict), "alive");
        heard.push(number);
    })
    .await;
    serving.abort();
    heard.sort_unstable();
    assert_eq!(heard, (0..40).collect::<Vec<_>>());
    assert_eq!(most.load(Ordering::SeqCst), 4);
}

#[tokio::test]
async fn a_silent_place_is_asked_a_few_times_and_the_rest_hear_the_same() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let asked = Arc::new(AtomicUsize::new(0));
    let serving = tokio::spawn({
        let asked = Arc::clone(&asked);
        async move {
            let mut kept = Vec::new();
            while let Ok((stream, _)) = listener.accept().await {
                asked.fetch_add(1, Ordering::SeqCst);
                kept.push(stream);
            }
        }
    });
    let limits = Limits {
        idle: Duration::from_millis(50),
        ..Limits::default()
    };
    let requests = requests(address, 50);
    let mut lines = Vec::new();
    let net = Net::new(limits);
    all(&net, &requests, AtOnce::default(), |_, checked| {
        lines.push(line(&checked.verdict));
    })
    .await;
    serving.abort();
    assert_eq!(lines.len(), 50);
    lines.dedup();
    assert_eq!(lines, ["no answer: 127.0.0.1:PORT sent nothing within 0 s"]);
    let asked = asked.load(Ordering::SeqCst);
    assert!((2..=5).contains(&asked), "asked {asked} times");
}

#[tokio::test]
async fn dropping_it_closes_what_was_open() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let net = Net::new(Limits::default());
    let requests = requests(address, 10);
    let mut streams = Vec::new();
    let asking = all(&net, &requests, AtOnce::default(), |_, _| {
        panic!("nobody has answered")
    });
    {
        tokio::pin!(asking);
        while streams.len() < 4 {
            tokio::select! {
                () = &mut asking => unreachable!(),
                accepted = listener.accept() => streams.push(accepted.unwrap().0),
            }
        }
    }
    for mut stream in streams {
        let mut heard = Vec::new();
        // It ends, or is reset where something was not read.
        let _ = stream.read_to_end(&mut heard).await;
    }
}
