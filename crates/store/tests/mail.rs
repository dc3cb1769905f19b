//! Mails that a program takes, or does not.

use std::fs;

use geomys_load::{PartSender, PostError, PostOutcome, Reason, Request, Sink};
use geomys_store::files::draft::{self, Author};
use geomys_store::outbox::{Outgoing, Sender};
use geomys_testing::loading::url;
use geomys_wire::net::Net;

/// Sends a mail by a shell command.
async fn send(command: &str) -> Result<PostOutcome, PostError> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("drafts/mail.eml");
    fs::create_dir(directory.path().join("drafts")).unwrap();
    fs::write(&path, "To: a@b.example\nSubject: A lamp\n\nIt burns.\n").unwrap();
    let outgoing = Outgoing {
        draft: draft::read(&path).unwrap(),
        path,
    };
    let sender = Sender {
        author: Author {
            mail: ["sh", "-c", command].map(str::to_owned).to_vec(),
            ..Author::default()
        },
        secret: directory.path().join("secret"),
    };
    let request = Request::show(url("mailto:a@b.example"), Reason::Typed);
    let (parts, _received) = tokio::sync::mpsc::channel(16);
    let sink = Sink::of(PartSender::Own(parts));
    let net = Net::default();
    let sent = outgoing.send(&sender, &net, &request, sink);
    sent.await
}

#[tokio::test(start_paused = true)]
async fn program_that_does_not_end_is_killed_and_the_mail_is_uncertain() {
    // One that has read the mail, and one that reads nothing of it.
    for command in ["cat >/dev/null; exec sleep 100000", "exec sleep 100000"] {
        let sent = send(command).await;
        let Err(PostError::Unknown(failure)) = sent else {
            panic!("{sent:?}");
        };
        assert_eq!(
            failure.sentence,
            "sh did not end within 5 minutes, and was killed"
        );
    }
}

#[tokio::test]
async fn program_that_takes_the_mail_has_sent_it() {
    let sent = send("grep -q burns").await;
    assert!(matches!(sent, Ok(PostOutcome::Accepted(_))), "{sent:?}");
    let sent = send("cat >/dev/null; echo No such user >&2; exit 67").await;
    assert!(matches!(sent, Err(PostError::Refused(_))), "{sent:?}");
}
