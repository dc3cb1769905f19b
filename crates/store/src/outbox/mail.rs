//! A mail that is passed to the user's mail program.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::process::Stdio;
use std::time::Duration;

use geomys_load::{Failure, FailureKind, PostError, PostOutcome};
use geomys_wire::text::{Charset, Text};
use tokio::io::AsyncWriteExt;
use tokio::process::Command;
use tokio::time::timeout;

use super::{Outgoing, blocking, stopped};
use crate::files::command::exit_sentence;
use crate::files::draft::{self, SendRecord};

/// Maximum length of the displayed output of a mail program, in octets.
const SAID: u64 = 4096;

/// Exit statuses of mail programs (`sysexits.h`) after which the mail has not left, and another attempt may: an unknown
/// host, as without a network, and a temporary failure.
const RETRIED: [i32; 2] = [68, 75];

/// Time within which a program has to take a mail: one that hands it to a server itself may need minutes.
const LIMIT: Duration = Duration::from_mins(5);

/// Pipes a mail to a program, and waits for its end within [`LIMIT`].
///
/// # Errors
/// Any [`PostError`]: a program that does not end is killed, and whether the mail has left is unknown then.
pub(super) async fn mail(
    command: &[String],
    outgoing: Outgoing,
) -> Result<PostOutcome, Box<PostError>> {
    let Some((program, arguments)) = command.split_first() else {
        return Err(unavailable("no mail program is set".to_owned()).into());
    };
    let failed = |error: io::Error| unavailable(format!("mail not accepted by {program}: {error}"));
    // The output goes to a file, so that a program with much output does not block while its input is written.
    let mut said = tempfile::tempfile().map_err(failed)?;
    let prepared = blocking(move || {
        SendRecord::begin(&outgoing.path)?;
        let octets = draft::encode(&outgoing.draft, None).into_iter();
        // Mail programs expect the line ends of this system on their standard input.
        io::Result::Ok(octets.filter(|&octet| octet != b'\r').collect::<Vec<u8>>())
    });
    let octets = prepared.await.map_err(|bug| stopped(&bug))?;
    let octets = octets.map_err(failed)?;
    // Dropped after the program is killed: the end of its input would end the mail.
    let mut input;
    let mut running = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(said.try_clone().map_err(failed)?)
        .kill_on_drop(true)
        .spawn()
        .map_err(failed)?;
    let lost =
        |error: io::Error| PostError::Unknown(Failure::new(format!("{program} was lost: {error}")));
    input = running.stdin.take();
    let ending = timeout(LIMIT, async {
        let written = match &mut input {
            Some(input) => input.write_all(&octets).await,
            None => Ok(()),
        };
        drop(input.take());
        (written, running.wait().await)
    });
    let Ok((written, status)) = ending.await else {
        let minutes = LIMIT.as_secs() / 60;
        let sentence = format!("{program} did not end within {minutes} minutes, and was killed");
        return Err(PostError::Unknown(Failure::new(sentence).with_words(words(&mut said))).into());
    };
    let status = status.map_err(lost)?;
    if status.success() {
        // A program that has not read all of it has mailed a part.
        written.map_err(lost)?;
        let words = Text::of(&format!("Mail accepted by {program}"));
        return Ok(PostOutcome::Accepted(words));
    }
    let failure = Failure::new(exit_sentence(program, status)).with_words(words(&mut said));
    Err(Box::new(match status.code() {
        Some(code) if RETRIED.contains(&code) => {
            let kind = FailureKind::Transient;
            PostError::Stopped(Failure { kind, ..failure }.into())
        }
        Some(_) => PostError::Refused(failure),
        // A signal ended it.
        None => PostError::Unknown(failure),
    }))
}

/// The error of a program that did not run: the mail is where it was.
fn unavailable(sentence: String) -> PostError {
    let failure = Failure {
        kind: FailureKind::Transient,
        ..Failure::new(sentence)
    };
    let advice = "set the mail program under [mail] in settings.toml";
    PostError::Stopped(failure.with_advice(advice).into())
}

/// Returns the first lines of a program's output.
fn words(said: &mut File) -> Vec<Text> {
    let mut octets = Vec::new();
    // Without the output the failure is reported all the same.
    let _ = said.rewind();
    let _ = said.take(SAID).read_to_end(&mut octets);
    let lines = octets.split(|&octet| octet == b'\n');
    let lines = lines.filter(|line| !line.trim_ascii().is_empty());
    lines
        .map(|line| Text::new(line, Charset::default()))
        .collect()
}
