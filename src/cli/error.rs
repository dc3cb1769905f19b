//! Errors of subcommands, and the exit status.

use std::io::{self, Write};
use std::process::ExitCode;

use geomys_page::load::{NextReason, Question, Stop};

use super::output::clean;

/// An error of a subcommand.
#[derive(Debug)]
pub(super) enum CliError {
    /// The command failed, with a message and the words of the server.
    Failed {
        message: String,
        server_lines: Vec<String>,
    },
    /// The command line is wrong.
    Usage(String),
    /// The reader of the output closed it, as `head` does: that is no failure.
    OutputClosed,
}

impl CliError {
    #[expect(
        clippy::needless_pass_by_value,
        reason = "the signature that `map_err` requires"
    )]
    pub(super) fn new(message: impl ToString) -> Self {
        Self::Failed {
            message: message.to_string(),
            server_lines: Vec::new(),
        }
    }
}

impl From<io::Error> for CliError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            // Errors of sockets and files are converted elsewhere: only a standard stream breaks here.
            io::ErrorKind::BrokenPipe => Self::OutputClosed,
            _ => Self::new(error),
        }
    }
}

impl From<Stop> for CliError {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Failed(failure) => {
                let next = failure.next.and_then(|next| next.target.ok());
                let reason = match failure.next_reason {
                    NextReason::Moved => "now",
                    NextReason::Tls => "over TLS",
                };
                let next = next.map_or(String::new(), |url| format!("; {reason} {}", url.masked()));
                Self::Failed {
                    message: format!("{}{next}", failure.sentence),
                    server_lines: failure.said.iter().map(ToString::to_string).collect(),
                }
            }
            Stop::Needs(question @ (Question::Hazards(_) | Question::LocalAddress(_))) => {
                Self::new(format!("{}; --yes opens it", question.unanswered()))
            }
            Stop::Needs(question) => Self::new(question.unanswered()),
            Stop::Truncated(limit) => Self::new(format!(
                "truncated: a page is limited to {}",
                geomys_wire::text::octets(limit)
            )),
            Stop::Closed => Self::new("stopped"),
        }
    }
}

/// Prints the error of a subcommand and returns the exit status.
pub(super) fn exit_status(result: Result<(), CliError>) -> ExitCode {
    let (message, server_lines, status) = match result {
        Ok(()) | Err(CliError::OutputClosed) => return ExitCode::SUCCESS,
        Err(CliError::Failed {
            message,
            server_lines,
        }) => (message, server_lines, ExitCode::FAILURE),
        Err(CliError::Usage(message)) => (message, Vec::new(), ExitCode::from(2)),
    };
    let mut stderr = io::stderr().lock();
    if !message.is_empty() {
        // A closed standard error cannot show the error.
        let _ = writeln!(stderr, "geomys: {}", clean(&message));
    }
    for line in server_lines {
        let _ = writeln!(stderr, "  the server said: {}", clean(&line));
    }
    status
}
