//! The queue while servers are busy or down: waiting, retries, and the own transfers as the reason.

use std::time::Duration;

use geomys_app::transfers::State;
use geomys_app::transfers::message::TransferInterruption;
use geomys_app::{Message, TransferMessage};
use geomys_load::{Failure, FailureKind, Part, Stop};
use geomys_store::transfer::download::TransferEvent;
use geomys_wire::text::Text;

use super::{FILES, Queue, saved};

fn progress(queue: &mut Queue, number: usize, event: TransferEvent) {
    let load = queue.load(number);
    queue.tell(Message::Transfers(TransferMessage::Progress(load, event)));
}

/// The states of the transfers, as the screen names them.
fn states(queue: &Queue) -> Vec<&'static str> {
    let items = queue.app.transfers.queue.items().iter();
    items
        .map(|item| match item.state {
            State::Waiting => "waiting",
            State::Running(..) => "running",
            State::Retrying(..) => "retrying",
            State::Paused => "paused",
            State::Asking(_) => "asking",
            State::Failed(_) => "failed",
            State::Done(_) => "done",
        })
        .collect()
}

#[test]
fn transfer_without_free_connection_waits_for_the_one_that_runs() {
    let mut queue = Queue::new(&FILES[..3], (80, 24));
    queue.press("d j d j d D");
    assert_eq!(states(&queue), ["running", "running", "waiting"]);
    // The server allows one connection.
    progress(&mut queue, 1, TransferEvent::Busy);
    assert_eq!(states(&queue), ["running", "waiting", "waiting"]);
    assert_eq!(queue.dropped, [queue.load(1)]);
    assert_eq!(queue.started.len(), 2);
    queue.ends(0, Ok(saved("/tmp/emacs", 1)));
    assert_eq!(states(&queue), ["done", "running", "waiting"]);
    // Another client has the connection now: the only transfer retries by itself.
    progress(&mut queue, 2, TransferEvent::Busy);
    let why = "421 Too many".to_owned();
    let delay = Duration::from_secs(1);
    progress(&mut queue, 2, TransferEvent::Retry(delay, why));
    assert_eq!(states(&queue), ["done", "retrying", "waiting"]);
    assert_eq!(queue.dropped.len(), 1);
}

#[test]
fn failed_transfers_are_retried_together_and_delays_cut_short() {
    let mut queue = Queue::new(&FILES[3..9], (80, 24));
    queue.press("d Enter j d j d j d j d j d D");
    assert_eq!(queue.started.len(), 6);
    let lost = || Err(TransferInterruption::Failed("it failed".to_owned()));
    queue.ends(1, lost());
    queue.ends(2, lost());
    for number in [3, 4] {
        let why = "it broke".to_owned();
        let delay = Duration::from_mins(5);
        progress(&mut queue, number, TransferEvent::Retry(delay, why));
    }
    queue.press("g g j r");
    let expected = [
        "running", "running", "running", "retrying", "retrying", "running",
    ];
    assert_eq!(states(&queue), expected);
    assert_eq!(queue.started.len(), 8);
    queue.press("j j r");
    assert_eq!(states(&queue), ["running"; 6]);
    assert_eq!(queue.started.len(), 10);
    assert_eq!(queue.dropped, [queue.load(3), queue.load(4)]);
    // All are paused, then all go on: the failed one too.
    queue.ends(0, lost());
    queue.press("g p");
    assert_eq!(states(&queue)[..2], ["failed", "paused"]);
    queue.press("g p");
    assert_eq!(states(&queue), ["running"; 6]);
}

#[test]
fn page_without_free_connection_names_the_own_transfers() {
    let addresses = [FILES[0], "ftp://ftp.gnu.org/gnu/"];
    let mut queue = Queue::new(&addresses, (80, 24));
    queue.press("d j Enter");
    let load = queue.page.expect("a load");
    let failure = Failure {
        kind: FailureKind::Busy,
        said: Box::new([Text::of("421 Too many connections")]),
        ..Failure::new("ftp.gnu.org:21 refused the connection")
    };
    queue.tell(Message::Load(load, Part::End(Err(Stop::Failed(failure)))));
    let screen = queue.screen(80, 24);
    assert!(
        screen.contains("Your own transfer from this server uses a connection"),
        "{screen}"
    );
    assert!(screen.contains("421 Too many connections"), "{screen}");
}

#[test]
fn total_with_a_file_of_unknown_size_says_at_least() {
    let mut queue = Queue::new(&FILES[..3], (100, 24));
    queue.press("d j d j d D");
    queue.flow(0, 1_000_000, Some(4_000_000));
    queue.flow(1, 500_000, Some(1_000_000));
    // The third one waits, and nobody knows its size.
    let heading = |queue: &Queue| queue.screen(100, 24).lines().next().unwrap().to_owned();
    let shown = heading(&queue);
    assert!(shown.contains("1.5 MB of at least 5.0 MB"), "{shown}");
    queue.ends(1, Ok(saved("/tmp/b", 1_000_000)));
    queue.flow(2, 500_000, Some(6_000_000));
    let shown = heading(&queue);
    assert!(shown.contains("15 % of 10.0 MB"), "{shown}");
}
