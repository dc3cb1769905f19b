//! The trace of `--log FILE`: dialogues line by line, times, and decisions. For reports of defects.
//!
//! ```text
//! 2026-11-23T15:04:05.678Z ftp.example:21 > USER ada
//! 2026-11-23T15:04:05.690Z ftp.example:21 < 331 Password please
//! 2026-11-23T15:04:05.690Z ftp.example:21 > PASS ***
//! 2026-11-23T15:04:05.702Z ftp.example:21 - TLS negotiated: ...
//! ```
//!
//! `>` is sent, `<` received, `-` a decision. A line is cut at 1,000 bytes; `text` escapes its control characters.
//! Passwords are masked before that: those of commands (PASS, ACCT, AUTHINFO), secret answers and tokens of uploads
//! also where they are repeated, logins and cookies in fields of HTTP, and those in URLs, with the tokens in queries.
//! What is typed in forms and terminal sessions, and articles that are posted, is not written at all.
//!
//! The trace is one for the process, as its standard error is: nothing is written, and no text is made, unless
//! [`start`] was called.

mod file;

use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Instant;

use jiff::Timestamp;
use rfc1738::{encoded, mask, mask_words};
use tokio::net::TcpStream;

use super::NetError;
use crate::text::Escape;

/// The longest written part of a line, in octets.
const MAX_PART_BYTES: usize = 1000;

/// The mark for what is left out.
const MASK: &str = "***";

/// The commands whose argument is a password, in lower case.
const COMMANDS: [&str; 3] = ["pass ", "acct ", "authinfo pass "];

/// The command whose first argument is public, and the second one a password.
const SASL: &str = "authinfo sasl ";

/// The fields of HTTP that hold a login, in lower case.
const FIELDS: [&str; 4] = [
    "authorization:",
    "proxy-authorization:",
    "cookie:",
    "set-cookie:",
];

/// The shortest password that is masked where it is repeated: a shorter one would be found in any line.
const MIN_SECRET_BYTES: usize = 3;

/// The most passwords that are remembered.
const MAX_SECRETS: usize = 100;

static TRACE: OnceLock<Trace> = OnceLock::new();

/// The file, and the passwords that must not be written to it.
struct Trace {
    file: Mutex<File>,
    secrets: Mutex<Vec<String>>,
}

/// Starts the trace, in a file that only its owner can read, or on a terminal or pipe. Of existing files only a trace
/// is replaced.
///
/// # Errors
/// Errors of the system; a file that is no trace, or a symbolic link to a file. If the trace was started before, this
/// does nothing.
pub fn start(path: &Path) -> io::Result<()> {
    let file = file::open(path)?;
    let trace = Trace {
        file: Mutex::new(file),
        secrets: Mutex::default(),
    };
    // Of two traces the first one counts.
    let _ = TRACE.set(trace);
    Ok(())
}

/// Writes a line that was sent. `what` names its argument, as for [`super::sendable`]; a password is not written.
pub(super) fn sent(authority: &str, line: &[u8], what: &str) {
    if let Some(trace) = TRACE.get() {
        trace.remember(line);
        let is_bare_password = what.contains("password") && !line.contains(&b' ');
        let line = if is_bare_password {
            MASK.as_bytes()
        } else {
            line
        };
        trace.write(authority, '>', line);
    }
}

/// Writes the lines of the head of a request.
pub(crate) fn sent_head(authority: &str, lines: impl FnOnce() -> Vec<u8>) {
    if let Some(trace) = TRACE.get() {
        trace.write_head(authority, '>', &lines());
    }
}

/// Writes the lines of the head of a response.
pub(crate) fn received_head(authority: &str, lines: impl FnOnce() -> Vec<u8>) {
    if let Some(trace) = TRACE.get() {
        trace.write_head(authority, '<', &lines());
    }
}

/// Writes the result of connecting, and its time.
pub(super) fn connected(authority: &str, start: Instant, connected: &Result<TcpStream, NetError>) {
    let time = start.elapsed().as_millis();
    match connected {
        Ok(_) => note(authority, format_args!("connected in {time} ms")),
        Err(error) => note(
            authority,
            format_args!("not connected after {time} ms: {error}"),
        ),
    }
}

/// Writes the first line of octets that were sent, and the number of the others.
pub(super) fn sent_octets(authority: &str, octets: &[u8]) {
    if TRACE.get().is_some() {
        let mut lines = octets.splitn(2, |octet| *octet == b'\n');
        sent(authority, lines.next().unwrap_or_default(), "the request");
        match lines.next().map_or(0, <[u8]>::len) {
            0 => {}
            more => note(authority, format_args!("{more} more bytes sent")),
        }
    }
}

/// Notes an answer or token that is about to be sent, so that it is masked wherever it is repeated: as it is, and
/// encoded.
pub fn secret(secret: &[u8]) {
    if let Some(trace) = TRACE.get() {
        trace.remember_secret(&String::from_utf8_lossy(secret));
        trace.remember_secret(&encoded(secret));
    }
}

/// Writes a line that was received.
pub(super) fn received(authority: &str, line: &[u8]) {
    if let Some(trace) = TRACE.get() {
        trace.write(authority, '<', line);
    }
}

/// Writes the number of octets that were received, and the first line of them.
pub(super) fn received_octets(authority: &str, octets: &[u8]) {
    if let Some(trace) = TRACE.get() {
        let line = octets.split(|octet| *octet == b'\n').next();
        let count = format!("{} bytes: ", octets.len());
        let line = [count.as_bytes(), line.unwrap_or_default()].concat();
        trace.write(authority, '<', &line);
    }
}

/// Writes a decision; `authority` may be empty.
pub fn note(authority: &str, words: fmt::Arguments<'_>) {
    if let Some(trace) = TRACE.get() {
        let authority = if authority.is_empty() {
            "geomys"
        } else {
            authority
        };
        trace.write(authority, '-', words.to_string().as_bytes());
    }
}

impl Trace {
    /// Remembers the password of a command.
    fn remember(&self, line: &[u8]) {
        let line = String::from_utf8_lossy(line);
        if let Some(start) = secret_start(&line) {
            self.remember_secret(line.get(start..).unwrap_or_default().trim());
        }
    }

    fn remember_secret(&self, secret: &str) {
        let mut secrets = self.secrets.lock().unwrap_or_else(PoisonError::into_inner);
        if secret.len() >= MIN_SECRET_BYTES
            && secrets.len() < MAX_SECRETS
            && !secrets.iter().any(|known| known == secret)
        {
            secrets.push(secret.to_owned());
        }
    }

    fn write_head(&self, authority: &str, mark: char, lines: &[u8]) {
        for line in lines.split(|octet| *octet == b'\n') {
            if !line.trim_ascii().is_empty() {
                self.write(authority, mark, line);
            }
        }
    }

    fn write(&self, authority: &str, mark: char, line: &[u8]) {
        let mut line = masked(&escaped(line));
        let secrets = self.secrets.lock().unwrap_or_else(PoisonError::into_inner);
        for secret in secrets.iter() {
            line = line.replace(secret, MASK);
        }
        drop(secrets);
        let line = bounded(&line);
        let authority = bounded(&escaped(authority.as_bytes()));
        let line = format!("{:.3} {authority} {mark} {line}\n", Timestamp::now());
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        // A full disk must not end what is traced.
        let _ = file.write_all(line.as_bytes());
    }
}

/// Returns a line as text without control characters.
fn escaped(line: &[u8]) -> String {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let mut escape = Escape::default();
    let mut text = escape.text(line);
    text.push_str(&escape.end());
    text.replace('\n', "\\n").replace('\t', "\\t")
}

/// Returns the beginning of a text.
fn bounded(text: &str) -> String {
    let mut start = text
        .get(..text.floor_char_boundary(MAX_PART_BYTES))
        .unwrap_or(text)
        .to_owned();
    if start.len() < text.len() {
        // Writing to a string cannot fail.
        let _ = write!(start, "… ({} bytes)", text.len());
    }
    start
}

/// Returns the start of the password in a line of a dialogue.
fn secret_start(line: &str) -> Option<usize> {
    let lower = line.to_ascii_lowercase();
    let of_command = COMMANDS.iter().chain(&FIELDS);
    if let Some(begin) = of_command.into_iter().find(|it| lower.starts_with(**it)) {
        return Some(begin.len());
    }
    let rest = lower.strip_prefix(SASL)?;
    Some(SASL.len() + rest.find(' ')? + 1)
}

/// Returns a line without passwords.
fn masked(line: &str) -> String {
    if let Some(start) = secret_start(line) {
        let begin = line.get(..start).unwrap_or_default().trim_end();
        return format!("{begin} {MASK}");
    }
    if !line.contains("//") && !line.contains('?') {
        return line.to_owned();
    }
    // A URL in a header may have blanks, against the rules, also in its password.
    let is_target = line.starts_with('3') || line.to_ascii_lowercase().starts_with("location:");
    let line = if is_target {
        mask(line)
    } else {
        Cow::Borrowed(line)
    };
    mask_words(&line).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_masked() {
        for (line, expected) in [
            ("PASS s3cret word", "PASS ***"),
            ("pass s3cret", "pass ***"),
            ("AUTHINFO USER ada", "AUTHINFO USER ada"),
            ("AUTHINFO PASS s3cret", "AUTHINFO PASS ***"),
            (
                "AUTHINFO SASL PLAIN AGFkYQBzM2NyZXQ=",
                "AUTHINFO SASL PLAIN ***",
            ),
            ("AUTHINFO SASL PLAIN", "AUTHINFO SASL PLAIN"),
            (
                "authorization: Basic YWRhOnMzY3JldA==",
                "authorization: ***",
            ),
            (
                "Proxy-Authorization: Basic eA==",
                "Proxy-Authorization: ***",
            ),
            ("Cookie: id=s3cret", "Cookie: ***"),
            ("set-cookie: id=s3cret; Secure", "set-cookie: ***"),
            (
                "load ftp://ada:s3cret@h.example/a and more",
                "load ftp://ada:***@h.example/a and more",
            ),
            (
                "gemini://h.example/login?s3cret",
                "gemini://h.example/login?***",
            ),
            (
                "titan://h.example/a;size=3;token=s3cret",
                "titan://h.example/a;size=3;token=***",
            ),
            (
                "Location: http://ada:s3cret word@h.example/a b",
                "Location: http://ada:***@h.example/a b",
            ),
            ("31 //ada:s3cret word@h.example/", "31 //ada:***@h.example/"),
            ("GET /a?b=c HTTP/1.1", "GET /a?b=c HTTP/1.1"),
            (
                "GET /a?token=s3cret&b=c HTTP/1.1",
                "GET /a?token=***&b=c HTTP/1.1",
            ),
            ("Location: /a?sid=s3cret", "Location: /a?sid=***"),
            ("USER ada", "USER ada"),
        ] {
            assert_eq!(masked(line), expected);
        }
    }

    #[test]
    fn secret_is_masked_where_it_is_repeated_or_cut() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let trace = Trace {
            file: Mutex::new(file.reopen().unwrap()),
            secrets: Mutex::default(),
        };
        trace.remember_secret("s3 cret");
        trace.remember_secret("s3%20cret");
        let long = "x".repeat(MAX_PART_BYTES - 30);
        for line in [
            "30 /next?s3%20cret".to_owned(),
            "50 no such token: s3 cret".to_owned(),
            format!("{long} http://ada:lovelace-and-more@h.example/"),
            format!("50 {long} for the token s3 cret"),
        ] {
            trace.write("h.example:1965", '<', line.as_bytes());
        }
        let written = std::fs::read_to_string(file.path()).unwrap();
        assert!(written.contains("< 30 /next?***\n"), "{written}");
        assert!(written.contains("token: ***\n"), "{written}");
        assert!(
            !written.contains("cret") && !written.contains("lovelace"),
            "{written}"
        );
    }

    #[test]
    fn lines_are_cut_and_hold_no_control_character() {
        assert_eq!(escaped(b"220 \x1b[31mred\r\n"), "220 \\x1b[31mred");
        assert_eq!(escaped(b"a\tb\nc"), "a\\tb\\nc");
        let long = bounded(&escaped(&[b'a'; 5000]));
        assert!(long.len() < 1100 && long.ends_with("… (5000 bytes)"));
        let controls = bounded(&escaped(&[0; 5000]));
        assert!(controls.len() < 1100 && !controls.contains('\0'));
    }
}
