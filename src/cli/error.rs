//! The errors of subcommands and the exit status, words that are neither a command nor an address, and the output:
//! unchanged bytes to a file or a pipe, escaped control characters on a terminal.

use std::io::{BufWriter, Stdout, Write};
use std::process::ExitCode;
use std::{fs, io};

use geomys_load::{NextReason, Question, Stop};
use geomys_wire::text::{Escape, Text, without_error_numbers};
use rfc1738::mask_words;

use crate::cli::locale::{LocaleWriter, octet_stdout, stderr, stdout};
use crate::config::nearest;

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
    /// The command could not begin its work.
    CannotRun(String),
    /// The reader of the output closed it, as `head` does: that is no failure.
    OutputClosed,
}

impl CliError {
    /// Converts the error of an argument of such a command.
    pub(super) fn before_work(self) -> Self {
        match self {
            Self::Failed { message, .. } => Self::CannotRun(message),
            error => error,
        }
    }

    /// Creates the error of a command that tells by exit status 1 what it has found, and could find nothing out.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "the signature that `map_err` requires"
    )]
    pub(super) fn cannot_run(message: impl ToString) -> Self {
        Self::CannotRun(message.to_string())
    }

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
                    NextReason::Moved | NextReason::MovedForGood => "now",
                    NextReason::Tls => "over TLS",
                };
                let next = next.map_or(String::new(), |url| format!("; {reason} {}", url.masked()));
                Self::Failed {
                    message: format!("{}{next}", failure.sentence),
                    server_lines: failure.said.iter().map(ToString::to_string).collect(),
                }
            }
            Stop::Needs(question @ (Question::Hazards(_) | Question::LocalAddress(_))) => {
                Self::new(format!("{}; use --yes to open it", question.unanswered()))
            }
            Stop::Needs(question @ Question::ActiveMode { .. }) => {
                Self::new(format!("{}; use --yes to allow it", question.unanswered()))
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
        Err(CliError::Usage(message) | CliError::CannotRun(message)) => {
            (message, Vec::new(), ExitCode::from(2))
        }
    };
    let mut stderr = stderr();
    if !message.is_empty() {
        // A closed standard error cannot show the error.
        let _ = writeln!(stderr, "geomys: {}", clean(&message));
    }
    for line in server_lines {
        let _ = writeln!(stderr, "  the server said: {}", clean(&line));
    }
    status
}

/// The names of the subcommands.
pub(super) const COMMANDS: [&str; 17] = [
    "demo",
    "url",
    "links",
    "dump",
    "get",
    "mirror",
    "archive",
    "check",
    "sync",
    "post",
    "bookmarks",
    "config",
    "man",
    "certificates",
    "completions",
    "history",
    "search",
];

/// The names of hosts on this machine.
const HOSTS: &str = "/etc/hosts";

/// Returns the error for a word that is no URL, no path, and no name of a host that could be found without a look-up:
/// it has no dot, and `/etc/hosts` does not have it.
pub(super) fn unknown_word(written: &str) -> Option<String> {
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    let is_host = |hosts: &str| {
        let lines = hosts.lines().filter_map(|line| line.split('#').next());
        let mut names = lines.flat_map(|line| line.split_whitespace().skip(1));
        names.any(|name| name.eq_ignore_ascii_case(written))
    };
    if written.is_empty()
        || !written.chars().all(is_word)
        || written.eq_ignore_ascii_case("localhost")
        || is_host(&fs::read_to_string(HOSTS).unwrap_or_default())
    {
        return None;
    }
    let advice = match nearest(written, COMMANDS) {
        Some(name) => format!("did you mean geomys {name}?"),
        None => format!("a host without a dot: gopher://{written}/"),
    };
    Some(format!("unknown command or host: {written} ({advice})"))
}

/// Standard output for bytes of a server or a file. Control characters are escaped on a terminal.
pub(super) struct Output {
    out: BufWriter<LocaleWriter<Stdout>>,
    /// The escape filter; `None` if the output is no terminal.
    escape: Option<Escape>,
}

impl Output {
    /// Creates the output of a text, in the charset of the locale.
    pub(super) fn new() -> Self {
        Self::to(stdout())
    }

    /// Creates the output of octets, which stay as they are.
    pub(super) fn of_octets() -> Self {
        Self::to(octet_stdout())
    }

    fn to(out: LocaleWriter<Stdout>) -> Self {
        Self {
            out: BufWriter::new(out),
            escape: stdout().is_terminal().then(Escape::default),
        }
    }

    /// Writes the rest, and reports on standard error if something was escaped.
    ///
    /// # Errors
    /// The errors of standard output.
    pub(super) fn end(&mut self) -> io::Result<()> {
        if let Some(escape) = &mut self.escape {
            self.out.write_all(escape.end().as_bytes())?;
        }
        self.out.flush()?;
        if self.escape.as_ref().is_some_and(Escape::has_escaped) {
            let advice = "control characters are shown escaped; redirect the output to a file for the exact bytes";
            writeln!(stderr(), "geomys: {advice}")?;
        }
        Ok(())
    }
}

impl Write for Output {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        let Some(escape) = &mut self.escape else {
            return self.out.write(octets);
        };
        self.out.write_all(escape.text(octets).as_bytes())?;
        Ok(octets.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Escapes control characters in a message of several lines, masks passwords in it, and leaves the numbers of system
/// errors out.
pub(super) fn clean(sentence: &str) -> String {
    let sentence = without_error_numbers(sentence);
    let lines = sentence
        .split('\n')
        .map(|line| Text::of(&mask_words(line)).to_string());
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn word_that_resembles_a_command_suggests_it() {
        let error = unknown_word("compeltions").unwrap();
        assert!(
            error.ends_with("(did you mean geomys completions?)"),
            "{error}"
        );
        let error = unknown_word("gopherspace").unwrap();
        assert!(error.ends_with("gopher://gopherspace/)"), "{error}");
    }

    #[test]
    fn addresses_are_no_words() {
        for written in [
            "localhost",
            "sdf.org",
            "h:70",
            "gopher://h/",
            "/etc/motd",
            "./x",
            "h/path",
            "<id@h>",
            "",
        ] {
            assert_eq!(unknown_word(written), None, "{written}");
        }
    }
}
