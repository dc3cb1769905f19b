//! Drafts on their way: to their files, to the editor, to servers, to the program that mails.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;

use tokio::sync::mpsc;

use super::sending::Sending;
use crate::app::Message;
use crate::app::outside::Program;
use crate::app::write::{DraftJob, Outcome, server_of};
use crate::files::command::ended;
use crate::files::draft::{self, Draft, Origin, Record, State};
use crate::load::{Failure, LoadId, NotSent, Part, Sent, Sink, Stop, listed};
use crate::net::Net;
use crate::text::Text;

/// What a mailing program says that is shown, in octets.
const SAID: u64 = 4096;

/// Where drafts are, and what they go out over.
#[derive(Clone)]
pub(super) struct Desk {
    /// The directory of the drafts.
    pub(super) drafts: PathBuf,
    /// The file of the secret for Cancel-Locks.
    pub(super) secret: PathBuf,
    /// The way to the network.
    pub(super) net: Arc<Net>,
    /// Where loads report their phases, which no page awaits.
    pub(super) parts: mpsc::Sender<(LoadId, Part)>,
}

/// The load that an job can be dropped by.
pub(super) fn load_of(job: &DraftJob) -> Option<LoadId> {
    match job {
        DraftJob::List(load, ..) | DraftJob::Post(load, ..) | DraftJob::Mail(load, ..) => {
            Some(*load)
        }
        DraftJob::Create(..)
        | DraftJob::Edit(_)
        | DraftJob::Read(_)
        | DraftJob::Kept
        | DraftJob::Remove(_) => None,
    }
}

/// Carries an job out. The editor is the loop's own business, as it has the terminal.
pub(super) async fn carry_out(desk: Desk, job: DraftJob) -> Message {
    let Desk {
        drafts,
        secret,
        net,
        parts,
    } = desk;
    let outcome = match job {
        DraftJob::Create(draft, author, origin) => {
            let origin = Origin { secret, ..origin };
            let created = blocking(move || draft::create(&drafts, *draft, &author, &origin)).await;
            Outcome::Created(created.and_then(|created| created))
        }
        DraftJob::Edit(_) => Outcome::Edited(Err("there is no terminal to edit in".to_owned())),
        DraftJob::Read(path) => {
            let read = blocking(move || (draft::read(&path), Record::load(&path))).await;
            let (read, record) = read.unwrap_or_else(|lost| (Err(lost), Record::default()));
            Outcome::Read(read, record)
        }
        DraftJob::Kept => {
            let kept = blocking(move || draft::kept(&drafts)).await;
            Outcome::Kept(kept.and_then(|kept| kept))
        }
        DraftJob::Remove(path) => {
            let file = path.clone();
            let removed = blocking(move || draft::remove(&file)).await;
            Outcome::Removed(path, removed.and_then(|removed| removed))
        }
        DraftJob::List(load, request, groups) => {
            let sink = Sink::new(load, parts);
            Outcome::Listed(load, listed(&net, &request, &groups, sink).await)
        }
        DraftJob::Post(load, request, draft, path, domain) => {
            let sending = Sending {
                server: server_of(&request),
                draft: *draft,
                path: path.clone(),
                domain,
                secret,
            };
            let sink = Sink::new(load, parts);
            let posted = sending.post(&net, &request, sink).await;
            Outcome::Sent(load, put_away(posted, path).await)
        }
        DraftJob::Mail(load, command, draft, path) => {
            let mailed = blocking(move || mail(&command, &draft)).await;
            let mailed = mailed.unwrap_or_else(|lost| Err(Failure::new(lost)));
            let mailed = mailed.map(Sent::Taken);
            let mailed = mailed.map_err(|failure| NotSent::Stopped(failure.into()));
            Outcome::Sent(load, put_away(mailed, path).await)
        }
    };
    Message::Written(outcome)
}

/// Puts the file of what was taken away, or notes beside it why it was not. What was sent stays sent when that fails.
async fn put_away(taken: Result<Sent, NotSent>, path: PathBuf) -> Result<Sent, NotSent> {
    if let Err(
        NotSent::Stopped(Stop::Failed(failure))
        | NotSent::Refused(failure)
        | NotSent::Unknown(failure),
    ) = &taken
    {
        let why = failure
            .said
            .iter()
            .fold(format!("{}\n", failure.sentence), |why, said| {
                format!("{why}the server said: {said}\n")
            });
        let file = path.clone();
        let is_refused = matches!(&taken, Err(NotSent::Refused(_)));
        // The list tells less without it, and nothing else is lost.
        let _ = blocking(move || {
            draft::note_refusal(&file, &why);
            if is_refused {
                let state = State::Refused;
                let _ = Record {
                    state,
                    ..Record::load(&file)
                }
                .save(&file);
            }
        })
        .await;
    }
    let sent = taken?;
    let put_away = blocking(move || draft::put_away(&path)).await;
    Ok(match put_away.and_then(|put_away| put_away) {
        Ok(()) => sent,
        Err(sentence) => {
            let and = |words: Text| Text::of(&format!("{words} ({sentence})"));
            match sent {
                Sent::Taken(words) => Sent::Taken(and(words)),
                Sent::There(words) => Sent::There(and(words)),
            }
        }
    })
}

pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, String> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| "the draft was lost sight of: that is a mistake in Geomys itself".to_owned())
}

/// How the editor ended, or why it could not be started.
pub(super) fn edited(program: &Program, status: io::Result<ExitStatus>) -> Result<String, String> {
    let name = program.arguments.first().map_or("", String::as_str);
    match status {
        Ok(status) => Ok(ended(name, status)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(format!(
            "there is no editor called {name}: $VISUAL or $EDITOR names another"
        )),
        Err(error) => Err(format!("{name} could not be started: {error}")),
    }
}

/// Gives a letter to a program on its standard input, and waits for what it says of it.
fn mail(command: &[String], letter: &Draft) -> Result<Text, Failure> {
    let Some((program, arguments)) = command.split_first() else {
        return Err(Failure::new("no program takes mail"));
    };
    let failed = |error: io::Error| Failure {
        advice: Some("[mail] in settings.toml names the program that takes mail"),
        ..Failure::new(format!("{program} could not be given the letter: {error}"))
    };
    // Into a file, so that a program that says much does not wait for one that writes to it.
    let mut said = tempfile::tempfile().map_err(failed)?;
    let mut running = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(said.try_clone().map_err(failed)?)
        .spawn()
        .map_err(failed)?;
    // Programs that take mail on a standard input have the line ends of this system.
    let octets: Vec<u8> = draft::encode(letter)
        .into_iter()
        .filter(|&octet| octet != b'\r')
        .collect();
    let written = running
        .stdin
        .take()
        .map_or(Ok(()), |mut input| input.write_all(&octets));
    let status = running.wait().map_err(failed)?;
    if status.success() {
        written.map_err(failed)?;
        return Ok(Text::of(&format!("{program} has taken the letter")));
    }
    Err(Failure {
        said: words(&mut said),
        ..Failure::new(ended(program, status))
    })
}

/// The first lines of what a program has said.
fn words(said: &mut std::fs::File) -> Vec<Text> {
    use std::io::{Read, Seek};
    let mut octets = Vec::new();
    // Without its words the failure is told all the same.
    let _ = said.rewind();
    let _ = said.take(SAID).read_to_end(&mut octets);
    let lines = octets.split(|&octet| octet == b'\n');
    let lines = lines.filter(|line| !line.trim_ascii().is_empty());
    lines
        .map(|line| Text::new(line, crate::text::Charset::default()))
        .collect()
}
