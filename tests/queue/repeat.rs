//! Transfers that are added or tried again.

use std::path::PathBuf;

use geomys_app::transfers::State;
use geomys_app::transfers::message::{TransferInterruption, TransferOutcome};
use geomys_app::{Message, TransferMessage};
use geomys_crawl::tree::{TreeProgress, TreeSummary};
use geomys_wire::text::Text;

use super::Queue;

const FILE: &str = "ftp://h.example/a.iso";

#[test]
fn duplicate_is_not_added_until_the_first_is_complete() {
    let mut queue = Queue::new(&[FILE], (80, 24));
    queue.press("d d");
    assert_eq!(queue.app.transfers.queue.items().len(), 1);
    let screen = queue.screen(80, 24);
    assert!(screen.contains("a.iso is in the queue already"), "{screen}");
    // A failed one is tried again.
    queue.ends(0, Err(TransferInterruption::Failed("it failed".to_owned())));
    queue.press("d");
    assert_eq!(queue.started.len(), 2);
    assert_eq!(queue.app.transfers.queue.items().len(), 1);
    let load = queue.load(1);
    let saved = super::saved("/home/bo/Downloads/a.iso", 1);
    queue.tell(Message::Transfers(TransferMessage::Ended(load, Ok(saved))));
    queue.press("d");
    assert_eq!(
        queue.app.transfers.queue.items().len(),
        2,
        "it is fetched again"
    );
}

/// A directory that is being transferred, with the list of transfers on the screen.
fn directory() -> Queue {
    let mut queue = Queue::new(&["ftp://h.example/pub/"], (100, 24));
    queue.press("d Enter D");
    queue
}

#[test]
fn running_directory_shows_its_file_and_its_amounts() {
    let mut queue = directory();
    let step = TreeProgress {
        done: 12,
        found: 20,
        octets: 3_000_000,
        existing: 1_000_000,
        size: 7_000_000,
        name: Text::of("linux.tar.xz"),
        retry: None,
        line: None,
    };
    let message = TransferMessage::DirectoryProgress(queue.load(0), step);
    queue.tell(Message::Transfers(message));
    let screen = queue.screen(100, 24);
    assert!(screen.contains(" 60%              12 of 20 "), "{screen}");
    let sentence = "12 of 20 files, 3.0 of 6.0 MB, now linux.tar.xz";
    assert!(screen.contains(sentence), "{screen}");
}

#[test]
fn failed_files_of_a_directory_are_tried_again() {
    let mut queue = directory();
    let summary = TreeSummary {
        files: 1,
        failures: 1,
        failed: vec![(Text::of("b"), "it is not there".to_owned())],
        ..TreeSummary::default()
    };
    let path = PathBuf::from("/home/bo/Downloads/pub");
    queue.ends(0, Ok(TransferOutcome::Directory(path, summary)));
    assert_eq!(queue.started.len(), 1);
    queue.press("r");
    assert_eq!(queue.started.len(), 2);
    let path = PathBuf::from("/home/bo/Downloads/pub");
    let load = queue.load(1);
    let done = TransferOutcome::Directory(path, TreeSummary::default());
    queue.tell(Message::Transfers(TransferMessage::Ended(load, Ok(done))));
    queue.press("r");
    assert_eq!(queue.started.len(), 2, "nothing has failed");
    let item = &queue.app.transfers.queue.items()[0];
    assert!(matches!(item.state, State::Done(_)), "{item:?}");
}
