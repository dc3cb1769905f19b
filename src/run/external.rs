//! External programs, and the files for them.

use std::io;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;

use futures_util::FutureExt;
use geomys_load::{LoadId, Request};
use geomys_store::files::command::exit_sentence;
use geomys_store::files::regular;
use geomys_store::transfer::download::Target;
use geomys_store::transfer::view;
use geomys_wire::net::Net;
use tempfile::TempDir;
use tokio::sync::mpsc::UnboundedSender;

use super::reports::{ReportThrottle, panic_sentence, sentence};
use geomys_app::tabs::message::Program;
use geomys_app::{FileLine, Message, TransferMessage, WorkId, WorkResult};

/// Checks that the directory of a file exists. Only the directory `made` may be missing: it is created later.
pub(super) async fn check_directory(target: &Target, made: &Path) -> Result<(), String> {
    let directory = target.path().parent().unwrap_or(made);
    let is_there = || async {
        let about = tokio::fs::metadata(directory).await;
        about.is_ok_and(|about| about.is_dir())
    };
    if directory == made || is_there().await {
        return Ok(());
    }
    let directory = directory.display();
    Err(format!("not saved: no directory {directory}"))
}

/// Reads a file that is to be sent with a form.
pub(super) async fn read(work: WorkId, path: PathBuf, limit: u64) -> Message {
    let octets = regular::read_upload(&path, limit).await;
    Message::Worked(work, WorkResult::Read(octets))
}

/// Fetches a file to be viewed.
pub(super) async fn fetch(
    net: Arc<Net>,
    messages: UnboundedSender<Message>,
    id: LoadId,
    request: Request,
    name: String,
) {
    let url = request.url.clone();
    let reports = ReportThrottle::new(&messages);
    let report = |octets, size| reports.offer(TransferMessage::DownloadProgress(id, octets, size));
    let fetching = reports.during(view::fetch(&net, request, &name, report));
    let fetched = match AssertUnwindSafe(fetching).catch_unwind().await {
        Ok(fetched) => fetched.map_err(|error| sentence(&error)),
        Err(_) => Err(panic_sentence("fetch", &url)),
    };
    let _ = messages.send(TransferMessage::Fetched(id, fetched).into());
}

/// The largest text that is taken back from an editor, in octets.
const MAX_TEXT_BYTES: u64 = 1024 * 1024;

/// A text for the user's editor, in a directory of its own, as an editor may put copies beside it. Both are removed in
/// the end.
pub(super) struct TextFile {
    directory: TempDir,
}

impl TextFile {
    /// Writes a text, with the end of its last line. Blocks.
    pub(super) fn create(text: &str) -> io::Result<Self> {
        let directory = tempfile::Builder::new().prefix("geomys").tempdir()?;
        let file = Self { directory };
        std::fs::write(file.path(), format!("{text}\n"))?;
        Ok(file)
    }

    fn path(&self) -> PathBuf {
        self.directory.path().join("answer.txt")
    }

    /// The editor that is run on the file.
    pub(super) fn program(&self, mut editor: Vec<String>) -> Program {
        editor.push(self.path().display().to_string());
        Program {
            arguments: editor,
            in_terminal: true,
            file: None,
        }
    }

    /// Reads the text back. Blocks.
    pub(super) fn read(&self) -> Result<String, String> {
        let octets = regular::read(&self.path(), MAX_TEXT_BYTES);
        let octets = octets.map_err(|error| format!("the text cannot be read: {error}"))?;
        Ok(String::from_utf8_lossy(&octets).into_owned())
    }
}

/// Returns the editor on a line of a file, whose directory is created. Blocks.
pub(super) fn editor_at(editor: &[String], at: &FileLine) -> Program {
    if let Some(directory) = at.path.parent() {
        // The editor tells that it cannot write there.
        let _ = std::fs::create_dir_all(directory);
    }
    let path = at.path.display().to_string();
    let name = editor.first().map(Path::new).and_then(Path::file_name);
    let name = name.and_then(|name| name.to_str()).unwrap_or_default();
    let line = at.line.filter(|line| *line > 0);
    let place = match (line, name) {
        (None, _) => vec![path],
        (Some(line), "hx" | "helix" | "subl" | "zed") => vec![format!("{path}:{line}")],
        (Some(line), "code" | "codium") => vec!["--goto".to_owned(), format!("{path}:{line}")],
        (Some(line), _) => vec![format!("+{line}"), path],
    };
    Program {
        arguments: editor.iter().cloned().chain(place).collect(),
        in_terminal: true,
        file: None,
    }
}

/// Runs a program with its own window until it ends; then its file is deleted. Its output is discarded, as the terminal
/// is in use.
pub(super) fn run(program: &Program) -> Result<String, String> {
    let status = match program.arguments.split_first() {
        Some((name, arguments)) => Command::new(name)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status(),
        None => Err(io::Error::from(io::ErrorKind::NotFound)),
    };
    program_result(program, status)
}

/// Returns the result of a program that settings.toml names, or the error of its start.
pub(super) fn program_result(
    program: &Program,
    status: io::Result<ExitStatus>,
) -> Result<String, String> {
    let other = "choose another under [open] or [view] in settings.toml";
    result(program, status, "program", other)
}

/// Returns the result of the editor, or the error of its start.
pub(super) fn editor_result(
    program: &Program,
    status: io::Result<ExitStatus>,
) -> Result<String, String> {
    result(
        program,
        status,
        "editor",
        "choose another with $VISUAL or $EDITOR",
    )
}

fn result(
    program: &Program,
    status: io::Result<ExitStatus>,
    kind: &str,
    other: &str,
) -> Result<String, String> {
    let name = program.arguments.first().map_or("", String::as_str);
    match status {
        Ok(status) => Ok(exit_sentence(name, status)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(format!("{kind} not found: {name}; {other}"))
        }
        Err(error) => Err(format!("cannot start {name}: {error}")),
    }
}
