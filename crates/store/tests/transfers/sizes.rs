//! Ends of transfers: sizes that differ from what came, files that grow, and TLS without `close_notify`.

use std::fs;

use geomys_store::transfer::download::{DownloadOrder, Error, SavedFile, Target};
use geomys_store::transfer::retry::transfer;
use geomys_testing::archive::{
    Archive, Node, RestartSupport, ServerBehavior, SizeSupport, test_octets,
};
use geomys_testing::tls::{Authority, Identity};
use geomys_wire::net::{Limits, Net, TransferEnd};
use proptest::prelude::*;

use super::{HASTE, save};

const HERE: &str = "127.0.0.1";

/// The size that a server announces first.
#[derive(Clone, Copy, Debug)]
enum Announced {
    Zero,
    Less,
    Exact,
    More,
    Nothing,
}

/// The size that it announces when it is asked again.
#[derive(Clone, Copy, Debug)]
enum Again {
    Same,
    Real,
    Nothing,
}

/// Fetches a file of this length, and returns its result, its octets and the number of RETR.
async fn fetch(
    length: usize,
    behavior: ServerBehavior,
) -> (Result<SavedFile, Error>, Vec<u8>, usize) {
    let archive = Archive::start([("/a", Node::File(test_octets(length)))], behavior).await;
    let directory = tempfile::tempdir().unwrap();
    let target = Target::New(directory.path().join("a"));
    let order = DownloadOrder::new(save(archive.url("/a;type=i")), target);
    let result = transfer(&Net::default(), order, &HASTE, &mut |_| {}).await;
    let name = if result.is_ok() { "a" } else { "a.part" };
    let octets = fs::read(directory.path().join(name)).unwrap_or_default();
    (result, octets, archive.command_count("RETR a"))
}

fn announced(kind: Announced, length: usize, other: usize) -> Option<usize> {
    match kind {
        Announced::Zero => Some(0),
        Announced::Less => Some(1 + other % (length - 1)),
        Announced::Exact => Some(length),
        Announced::More => Some(length + 1 + other),
        Announced::Nothing => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn file_is_whole_whatever_size_was_announced(
        length in 2..30_000_usize,
        other in 0..10_000_usize,
        kind in prop_oneof![
            Just(Announced::Zero), Just(Announced::Less), Just(Announced::Exact), Just(Announced::More),
            Just(Announced::Nothing),
        ],
        again in prop_oneof![Just(Again::Same), Just(Again::Real), Just(Again::Nothing)],
        restart in prop_oneof![
            Just(RestartSupport::Supported), Just(RestartSupport::Refused), Just(RestartSupport::Ignored),
        ],
    ) {
        let first = announced(kind, length, other);
        let behavior = ServerBehavior {
            sizes: first.into_iter().collect(),
            announced: match again {
                Again::Same => first,
                Again::Real | Again::Nothing => None,
            },
            size: match (first, again) {
                (None, _) => SizeSupport::Refused,
                (Some(_), Again::Nothing) => SizeSupport::RefusedLater,
                (Some(_), Again::Same | Again::Real) => SizeSupport::Supported,
            },
            restart,
            ..ServerBehavior::default()
        };
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        let (result, octets, count) = runtime.block_on(fetch(length, behavior));
        let whole = test_octets(length);
        prop_assert!(count <= 2, "{count} requests");
        match (kind, again) {
            // The server sends more than it says, and says so again: bounded.
            (Announced::Less, Again::Same | Again::Nothing) => {
                prop_assert!(matches!(result, Err(Error::Oversize { .. })), "{:?}", result);
                prop_assert_eq!(octets, &whole[..first.unwrap()]);
            }
            (Announced::More, Again::Same | Again::Nothing) => {
                let expected = TransferEnd::Differs {
                    announced: first.unwrap() as u64,
                    received: length as u64,
                };
                prop_assert_eq!(result.unwrap().end, expected);
                prop_assert!(octets == whole && count == 2);
            }
            _ => {
                prop_assert_eq!(result.unwrap().end, TransferEnd::Confirmed);
                prop_assert!(octets == whole && count == 1);
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn growing_file_is_taken_as_far_as_its_size_now_says() {
    for (sizes, expected, retr) in [
        // It has grown to all that came.
        (vec![20_000, 50_000], 50_000, 1),
        // It came further than the size says now.
        (vec![20_000, 30_000], 30_000, 1),
    ] {
        let behavior = ServerBehavior {
            sizes,
            ..ServerBehavior::default()
        };
        let (result, octets, count) = fetch(50_000, behavior).await;
        assert_eq!(result.unwrap().end, TransferEnd::Confirmed);
        assert_eq!((octets, count), (test_octets(expected), retr));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn file_that_grows_far_is_taken_as_far_as_its_size_now_says() {
    const MIB: usize = 1024 * 1024;
    let length = 6 * MIB;
    for (restart, announced, expected) in [
        // All of it is requested again, from there or from the beginning.
        (RestartSupport::Supported, None, length),
        (RestartSupport::Refused, None, length),
        (RestartSupport::Ignored, None, length),
        // It came further than its size says now, which is less than is held back, or more.
        (RestartSupport::Supported, Some(2 * MIB), 2 * MIB),
        (RestartSupport::Refused, Some(2 * MIB), 2 * MIB),
        (RestartSupport::Supported, Some(5 * MIB), 5 * MIB),
    ] {
        let behavior = ServerBehavior {
            sizes: vec![20_000],
            announced,
            restart,
            ..ServerBehavior::default()
        };
        let (result, octets, count) = fetch(length, behavior).await;
        let what = format!("{restart:?}, {expected}, {count} RETR");
        let end = result.unwrap_or_else(|error| panic!("{what}: {error:?}"));
        assert_eq!(end.end, TransferEnd::Confirmed, "{what}");
        assert!(octets == test_octets(expected), "{what}: {}", octets.len());
        // Stopped, asked for the rest, resumed and fetched from the beginning.
        assert!(count <= 4, "{what}");
    }
    // Its size does not grow: the excess is not taken.
    for restart in [RestartSupport::Supported, RestartSupport::Refused] {
        let behavior = ServerBehavior {
            announced: Some(20_000),
            restart,
            ..ServerBehavior::default()
        };
        let (result, octets, count) = fetch(length, behavior).await;
        assert!(matches!(result, Err(Error::Oversize { .. })), "{result:?}");
        assert_eq!((octets, count), (test_octets(20_000), 1), "{restart:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn file_over_tls_is_confirmed_by_its_size_and_unconfirmed_without_one() {
    let authority = Authority::new();
    let net = Net::new(Limits::default()).with_root_certificate(authority.certificate());
    for (size, expected) in [
        (SizeSupport::Supported, TransferEnd::Confirmed),
        (SizeSupport::Refused, TransferEnd::Unconfirmed),
    ] {
        let behavior = ServerBehavior {
            tls: Some(Identity::by(&authority, HERE).acceptor()),
            no_close_notify: true,
            size,
            ..ServerBehavior::default()
        };
        let archive = Archive::start([("/a", Node::File(test_octets(50_000)))], behavior).await;
        let directory = tempfile::tempdir().unwrap();
        let target = Target::New(directory.path().join("a"));
        let order = DownloadOrder::new(save(archive.tls_url("/a;type=i")), target);
        let saved = transfer(&net, order, &HASTE, &mut |_| {}).await.unwrap();
        assert_eq!(saved.end, expected);
        assert_eq!(fs::read(&saved.path).unwrap(), test_octets(50_000));
        assert_eq!(archive.command_count("RETR a"), 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn permanent_answers_end_at_once_and_errors_of_a_server_after_three_attempts() {
    use geomys_testing::web::Web;
    for (answer, requests) in [
        ("not the protocol\r\n\r\n", 1),
        ("HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\nx", 1),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nx",
            1,
        ),
        ("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", 1),
        ("HTTP/1.1 408 Timeout\r\nContent-Length: 0\r\n\r\n", 1),
        ("HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n", 3),
        ("HTTP/1.1 503 Later\r\nContent-Length: 0\r\n\r\n", 4),
        ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx", 4),
    ] {
        let web = Web::start(move |_| answer).await;
        let directory = tempfile::tempdir().unwrap();
        let target = Target::New(directory.path().join("a"));
        let order = DownloadOrder::new(save(web.url("/a")), target);
        let result = transfer(&Net::default(), order, &HASTE, &mut |_| {}).await;
        assert!(
            matches!(result, Err(Error::Stopped { .. })),
            "{answer}: {result:?}"
        );
        assert_eq!(web.take_requests().len(), requests, "{answer}");
    }
}
