//! Piping of pages to a program, several ones as a mailbox and one as it is; and the saving of pages as a mailbox.

use std::panic::AssertUnwindSafe;
use std::process::Stdio;
use std::sync::Arc;

use futures_util::FutureExt;
use geomys_load::{LoadId, LocalTarget, Question, Stop, announce_articles};
use geomys_page::archive::mbox_message;
use geomys_store::files::command::exit_sentence;
use geomys_store::transfer::download::{self, Target};
use geomys_wire::net::Net;
use geomys_wire::text::{self, Charset, Text};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;
use tokio::sync::mpsc::UnboundedSender;

use super::transfers::{MAX_BINARY_BYTES, fetch};
use geomys_app::transfers::message::{PipeInput, PipeJob, PipeTarget};
use geomys_app::{Message, TransferMessage};

/// The maximum length of the displayed output of a program, in octets.
const SAID: u64 = 400;

/// Fetches pages, and writes them to the standard input of a program. Reports its end.
pub(super) async fn pipe(
    net: Arc<Net>,
    messages: UnboundedSender<Message>,
    id: LoadId,
    job: PipeJob,
) {
    let ended = match AssertUnwindSafe(carry_out(&net, &job)).catch_unwind().await {
        Ok(Ok(said)) => TransferMessage::Piped(id, Ok(said)),
        Ok(Err(NotPiped::Asks(target))) => TransferMessage::PipeAsks(id, Box::new(job), target),
        Ok(Err(NotPiped::Failed(error))) => TransferMessage::Piped(id, Err(error)),
        Err(_) => TransferMessage::Piped(id, Err("not piped: a bug in Geomys".to_owned())),
    };
    let _ = messages.send(Message::Transfers(ended));
}

/// Why nothing was piped.
enum NotPiped {
    /// A page leads to this local address, which the user is to be asked about.
    Asks(LocalTarget),
    /// The error.
    Failed(String),
}

impl From<String> for NotPiped {
    fn from(error: String) -> Self {
        Self::Failed(error)
    }
}

async fn carry_out(net: &Net, job: &PipeJob) -> Result<Text, NotPiped> {
    let mut inputs = job.inputs.clone();
    announce_articles(inputs.iter_mut().filter_map(|input| match input {
        PipeInput::Request(request) => Some(&mut **request),
        PipeInput::Document(_) => None,
    }));
    let (mut pages, mut octets): (Vec<Vec<u8>>, usize) = (Vec::new(), 0);
    for input in inputs {
        let page = match input {
            PipeInput::Document(document) => {
                let blocks: Vec<&[u8]> = document.sent().blocks().collect();
                blocks.concat()
            }
            PipeInput::Request(request) => {
                match fetch(net, *request, MAX_BINARY_BYTES - octets).await {
                    Ok(page) => page,
                    Err(Stop::Needs(Question::LocalAddress(target))) => {
                        return Err(NotPiped::Asks(target));
                    }
                    Err(stop) => return Err(format!("not piped: {}", stop.sentence()).into()),
                }
            }
        };
        octets += page.len();
        pages.push(page);
    }
    match &job.target {
        PipeTarget::Program(arguments) => Ok(run(arguments, &joined(&pages)).await?),
        PipeTarget::Mailbox(path) => {
            let messages: Vec<Vec<u8>> = pages.iter().map(|page| mbox_message(page)).collect();
            let messages = messages.iter().map(Vec::as_slice);
            let saved = download::save(messages, Target::Free(path.clone())).await;
            let saved = saved.map_err(|error| format!("not saved: {error}"))?;
            let (path, size) = (saved.path.display(), text::octets(saved.octets));
            let count = text::count(pages.len());
            Ok(Text::of(&format!(
                "saved {path} ({count} articles, {size})"
            )))
        }
    }
}

/// Joins pages to a mailbox; a single page stays as it is.
fn joined(pages: &[Vec<u8>]) -> Vec<u8> {
    match pages {
        [page] => page.clone(),
        pages => pages.iter().flat_map(|page| mbox_message(page)).collect(),
    }
}

/// Runs a program on this input. It is killed when the task is cancelled.
async fn run(arguments: &[String], input: &[u8]) -> Result<Text, String> {
    let Some((program, arguments)) = arguments.split_first() else {
        return Err("no program is named".to_owned());
    };
    let failed = |error: std::io::Error| format!("cannot run {program}: {error}");
    let mut running = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .map_err(failed)?;
    let (stdin, stdout) = (running.stdin.take(), running.stdout.take());
    let writing = async move {
        if let Some(mut stdin) = stdin {
            // A program that has read enough closes its input.
            let _ = stdin.write_all(input).await;
            let _ = stdin.shutdown().await;
        }
    };
    let reading = async move {
        let mut said = Vec::new();
        if let Some(mut stdout) = stdout {
            let _ = (&mut stdout).take(SAID).read_to_end(&mut said).await;
            // The rest is read, so that the program can end.
            let _ = tokio::io::copy(&mut stdout, &mut tokio::io::sink()).await;
        }
        said
    };
    let ((), said) = tokio::join!(writing, reading);
    let status = running.wait().await.map_err(failed)?;
    let mut lines = said.split(|&octet| octet == b'\n');
    let line = lines.find(|line| !line.trim_ascii().is_empty());
    let line = line.map(|line| Text::new(line, Charset::default()));
    let ended = exit_sentence(program, status);
    let sentence = line.map_or(ended.clone(), |line| format!("{ended}: {line}"));
    if status.success() {
        Ok(Text::of(&sentence))
    } else {
        Err(sentence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_pages_are_a_mailbox_and_one_stays_as_it_is() {
        let page = |text: &str| text.as_bytes().to_vec();
        assert_eq!(joined(&[page("From a\r\n")]), b"From a\r\n");
        let mailbox = joined(&[page("Subject: x\r\n\r\nFrom a\r\n>From b"), page("y\n")]);
        let expected = "F\nSubject: x\n\n>From a\n>>From b\n\nF\ny\n\n";
        let expected = expected.replace("F\n", "From geomys Thu Jan  1 00:00:00 1970\n");
        assert_eq!(String::from_utf8(mailbox).unwrap(), expected);
    }

    #[tokio::test]
    async fn program_gets_the_input_and_its_end_is_reported() {
        let arguments = |words: &[&str]| -> Vec<String> {
            words.iter().map(|word| (*word).to_owned()).collect()
        };
        // More than a pipe holds, in both directions.
        let input = b"line\n".repeat(100_000);
        let said = run(&arguments(&["cat"]), &input).await.unwrap();
        assert_eq!(said.as_str(), "“cat” exited: line");
        let said = run(&arguments(&["true"]), &input).await.unwrap();
        assert_eq!(said.as_str(), "“true” exited");
        let failed = run(&arguments(&["false"]), b"x").await.unwrap_err();
        assert_eq!(failed, "“false” exited with status 1");
        let missing = run(&arguments(&["/nonexistent/x"]), b"x")
            .await
            .unwrap_err();
        assert!(
            missing.starts_with("cannot run /nonexistent/x: "),
            "{missing}"
        );
    }
}
