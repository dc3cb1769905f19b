//! Many checks at once: limited per host, each with a result, and stopped at once.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use geomys_load::check::{CheckLink, FetchContent, FetchTitle, JobLimits, UrlJob, run_jobs};
use geomys_load::{Reason, Request};
use geomys_wire::net::{Limits, Net};
use rfc1738::Dialect;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use super::{line, short};

fn requests(address: std::net::SocketAddr, count: usize) -> Vec<Request> {
    let urls = (0..count).map(|number| format!("gopher://{address}/1/{number}"));
    let urls = urls.map(|url| Dialect::Extended.parse(&url).unwrap());
    urls.map(|url| Request::show(url, Reason::Typed)).collect()
}

#[tokio::test]
async fn at_most_four_connections_per_host_and_one_result_per_url() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let (here, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    // No reply is sent before four clients are connected.
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
    run_jobs(
        CheckLink,
        &net,
        &requests,
        JobLimits::default(),
        &mut |number, checked| {
            assert_eq!(line(&checked.verdict), "alive");
            heard.push(number);
        },
    )
    .await;
    serving.abort();
    heard.sort_unstable();
    assert_eq!(heard, (0..40).collect::<Vec<_>>());
    assert_eq!(most.load(Ordering::SeqCst), 4);
}

#[tokio::test]
async fn silent_host_is_tried_a_few_times_for_all_urls() {
    tried_a_few_times(CheckLink, |checked| line(&checked.verdict)).await;
    tried_a_few_times(FetchTitle, |title| line(&title.unwrap_err())).await;
    tried_a_few_times(FetchContent, |content| line(&content.unwrap_err())).await;
}

async fn tried_a_few_times<J: UrlJob>(kind: J, line: impl Fn(J::Outcome) -> String + Sync) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let requests_here = Arc::new(AtomicUsize::new(0));
    let serving = tokio::spawn({
        let requests = Arc::clone(&requests_here);
        async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let requests = Arc::clone(&requests);
                tokio::spawn(async move {
                    // Each request is followed by the question whether TLS is expected.
                    if stream.read_u8().await.is_ok_and(|first| first != 0x16) {
                        requests.fetch_add(1, Ordering::SeqCst);
                    }
                    while stream.read_u8().await.is_ok() {}
                });
            }
        }
    });
    let limits = Limits {
        idle: Duration::from_millis(50),
        brief: Duration::from_millis(50),
        ..Limits::default()
    };
    let requests = requests(address, 50);
    let mut lines = Vec::new();
    let net = Net::new(limits);
    run_jobs(
        kind,
        &net,
        &requests,
        JobLimits::default(),
        &mut |_, outcome| {
            lines.push(line(outcome));
        },
    )
    .await;
    serving.abort();
    assert_eq!(lines.len(), 50);
    lines.dedup();
    assert_eq!(
        lines,
        ["unreachable: 127.0.0.1:PORT sent nothing within 0 s"]
    );
    let requests = requests_here.load(Ordering::SeqCst);
    assert!((2..=5).contains(&requests), "{requests} requests");
}

#[tokio::test]
async fn dropping_the_check_closes_its_connections() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let net = Net::new(Limits::default());
    let requests = requests(address, 10);
    let mut streams = Vec::new();
    let mut report = |_, _| panic!("no server has answered");
    let asking = run_jobs(
        CheckLink,
        &net,
        &requests,
        JobLimits::default(),
        &mut report,
    );
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
        // The connection ends, or is reset when unread data is left.
        let _ = stream.read_to_end(&mut heard).await;
    }
}
