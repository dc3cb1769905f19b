//! Replies of a server (RFC 959, section 4.2), as octets.
//!
//! ```text
//! reply    = code SP text CRLF / code "-" text CRLF *( line CRLF ) code SP text CRLF
//! 227      = ... h1 "," h2 "," h3 "," h4 "," p1 "," p2 ...          (in brackets or not)
//! 229      = ... "(" d d d port d ")"                               (RFC 2428, section 3)
//! 257      = code SP <"> *( octet / <"><"> ) <"> ...                (RFC 959, appendix II)
//! ```
//!
//! The address in a 227 is ignored: a data connection goes to the host of the control connection.

use suppaftp::Status;

use super::FtpError;
use crate::protocol::octets::{self, parse};

/// A reply with all its lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    code: u16,
    octets: Vec<u8>,
}

impl Reply {
    /// Creates a reply from whole lines; the code of the last line is the code of the reply.
    pub fn new(octets: Vec<u8>) -> Self {
        let code = lines(&octets).last().and_then(|line| parse(line.get(..3)?));
        let code = code.unwrap_or_default();
        Self { code, octets }
    }

    /// Returns the three-digit code; 0 if there is none.
    pub fn code(&self) -> u16 {
        self.code
    }

    /// Returns the status of RFC 959, section 4.2; [`Status::Unknown`] for other codes.
    pub fn status(&self) -> Status {
        Status::from(u32::from(self.code))
    }

    /// Returns the text before the last line, without the codes: `None` for most replies.
    pub fn remark(&self) -> Option<Vec<u8>> {
        let lines: Vec<&[u8]> = self.lines().collect();
        let (_, lines) = lines.split_last()?;
        // The code of the first line: some replies end with another one.
        let code = lines.first()?.get(..3)?;
        let mut remark = Vec::new();
        for line in lines {
            let coded = line.strip_prefix(code);
            let text = coded.and_then(|text| text.strip_prefix(b"-").or(text.strip_prefix(b" ")));
            remark.extend_from_slice(text.unwrap_or(line));
            remark.push(b'\n');
        }
        (!remark.trim_ascii().is_empty()).then_some(remark)
    }

    /// Returns true if the command was completed (2yz).
    pub fn is_done(&self) -> bool {
        (200..300).contains(&self.code)
    }

    /// Returns the reply if the command was completed, else an error that says the `problem`.
    pub(super) fn done_or(self, problem: &'static str) -> Result<Self, FtpError> {
        if self.is_done() {
            return Ok(self);
        }
        Err(FtpError::refused(problem, self))
    }

    /// Returns true if the reply is preliminary (1yz).
    pub fn is_begun(&self) -> bool {
        (100..200).contains(&self.code)
    }

    /// Returns true if the server does not know the command, or not in this form.
    pub fn is_unknown_command(&self) -> bool {
        matches!(
            self.status(),
            Status::BadCommand
                | Status::BadArguments
                | Status::NotImplemented
                | Status::NotImplementedParameter
        )
    }

    /// Returns true if the server has no free connection, or a file is busy: later it may work (RFC 959, section
    /// 4.2.2). A refused login (530) tells it in words; a missing file may have the code of a busy one (450).
    pub fn is_busy(&self) -> bool {
        match self.code {
            421 | 425 => true,
            450 => !self.contains_any(&[b"no such", b"not found", b"not exist", b"no files"]),
            530 => self.contains_any(&[
                b"too many",
                b"maximum",
                b" max ",
                b"limit reached",
                b"limit exceeded",
                b"user limit",
                b"connection limit",
                b"try again later",
                b"try later",
                b"server is full",
            ]),
            _ => false,
        }
    }

    /// Returns the lines as received.
    pub fn lines(&self) -> impl Iterator<Item = &[u8]> {
        lines(&self.octets)
    }

    /// Returns the line of a feature in a reply to FEAT (RFC 2389, section 3.2).
    pub(super) fn feature(&self, name: &[u8]) -> Option<&[u8]> {
        self.lines().find_map(|line| {
            let line = line.strip_prefix(b"211-").unwrap_or(line).trim_ascii();
            let word = line.split(|&octet| octet == b' ').next()?;
            word.eq_ignore_ascii_case(name).then_some(line)
        })
    }

    /// Returns true for a reply to FEAT that announces AUTH TLS (RFC 4217, section 6).
    pub(super) fn announces_tls(&self) -> bool {
        let has_tls = |line: &[u8]| line.to_ascii_uppercase().windows(3).any(|it| it == b"TLS");
        self.is_done() && self.feature(b"AUTH").is_some_and(has_tls)
    }

    /// Returns true if the reply contains one of these words, ignoring case.
    pub(super) fn contains_any(&self, words: &[&[u8]]) -> bool {
        let text = self.octets.to_ascii_lowercase();
        words
            .iter()
            .any(|word| memchr::memmem::find(&text, word).is_some())
    }

    /// Returns the digits of a 213: a size, or a time.
    pub(super) fn digits(&self) -> Option<&[u8]> {
        let line = self.lines().last()?;
        let digits = line.strip_prefix(b"213")?.trim_ascii();
        (self.status() == Status::File).then_some(digits)
    }

    /// Returns the port of a 229.
    pub(super) fn extended_port(&self) -> Option<u16> {
        if self.status() != Status::ExtendedPassiveMode {
            return None;
        }
        let line = self.lines().last()?;
        let inside = line.get(memchr::memchr(b'(', line)? + 1..)?;
        let mark = *inside.first()?;
        let port = inside.split(|&octet| octet == mark).nth(3)?;
        parse(port).filter(|&port| port != 0)
    }

    /// Returns the port of a 227: the last two of the first six numbers separated by commas.
    pub(super) fn passive_port(&self) -> Option<u16> {
        if self.status() != Status::PassiveMode {
            return None;
        }
        let text = self.lines().last()?.get(3..)?;
        // Some servers write a blank after each comma.
        let mut numbers = Vec::with_capacity(text.len());
        for &octet in text {
            if octet != b' ' || numbers.last() != Some(&b',') {
                numbers.push(octet);
            }
        }
        numbers
            .split(|octet| !octet.is_ascii_digit() && *octet != b',')
            .find_map(|run| {
                let numbers: Vec<u8> = run
                    .split(|&octet| octet == b',')
                    .map(parse)
                    .collect::<Option<_>>()?;
                let [_, _, _, _, high, low] = *numbers.as_slice() else {
                    return None;
                };
                Some(u16::from_be_bytes([high, low]))
            })
            .filter(|&port| port != 0)
    }

    /// Returns the path of a 257, with doubled quotes undone.
    pub(super) fn quoted_path(&self) -> Option<Vec<u8>> {
        let line = self.lines().last()?;
        let mut rest = line
            .get(memchr::memchr(b'"', line)? + 1..)?
            .iter()
            .copied()
            .peekable();
        let mut path = Vec::new();
        while let Some(octet) = rest.next() {
            if octet == b'"' && rest.next_if_eq(&b'"').is_none() {
                return Some(path);
            }
            path.push(octet);
        }
        None
    }
}

/// Splits into lines without line ends. A doubled 0xFF of Telnet stays doubled: no caller needs it.
fn lines(octets: &[u8]) -> impl Iterator<Item = &[u8]> {
    octets::lines(octets).filter(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(text: &[u8]) -> Reply {
        Reply::new(text.to_vec())
    }

    #[test]
    fn the_last_line_has_the_code() {
        let reply = reply(b"230-Welcome\r\n530 not a code\r\n230 In\r\n");
        assert_eq!(reply.code(), 230);
        assert_eq!(reply.lines().count(), 3);
        assert_eq!(Reply::new(Vec::new()).code(), 0);
    }

    #[test]
    fn ports_in_any_clothes() {
        let passive = |text: &[u8]| reply(text).passive_port();
        assert_eq!(
            passive(b"227 Entering Passive Mode (10,0,0,1,4,5).\r\n"),
            Some(1029)
        );
        assert_eq!(
            passive(b"227 Entering passive mode. 10,0,0,1,4,5\r\n"),
            Some(1029)
        );
        assert_eq!(passive(b"227 Entering (10, 0, 0, 1, 4, 5)\r\n"), Some(1029));
        assert_eq!(passive(b"227 =10,0,0,1,255,255\r\n"), Some(65535));
        assert_eq!(passive(b"227 (10,0,0,1,256,5)\r\n"), None);
        assert_eq!(passive(b"227 caf\xe9 (10,0,0,1,0,0)\r\n"), None);
        let extended = |text: &[u8]| reply(text).extended_port();
        assert_eq!(extended(b"229 Entering (|||6446|)\r\n"), Some(6446));
        assert_eq!(extended(b"229 \xff (!!!6446!)\r\n"), Some(6446));
        assert_eq!(extended(b"229 (|||99999|)\r\n"), None);
    }

    #[test]
    fn busy_server_is_told_from_one_that_refuses() {
        for text in [
            "421 There are too many connections from your internet address.",
            "421 Timeout",
            "425 Cannot open data connection",
            "450 File busy",
            "530 Sorry, max 1 users -- try again later",
            "530 Too many users, the maximum is 10",
            "530-Welcome\r\n530 Login limit reached",
        ] {
            assert!(reply(text.as_bytes()).is_busy(), "{text}");
        }
        for text in [
            "530 Login incorrect.",
            "530 Members only, limited access",
            "450 a.txt: No such file or directory",
            "426 Broken",
            "550 Too many levels of symbolic links",
        ] {
            assert!(!reply(text.as_bytes()).is_busy(), "{text}");
        }
    }

    #[test]
    fn quotes_are_undoubled() {
        let path = reply(b"257 \"/a \"\"q\"\" b\" is \"cwd\"\r\n").quoted_path();
        assert_eq!(path.as_deref(), Some(b"/a \"q\" b".as_slice()));
        assert_eq!(reply(b"257 \"/a\r\n").quoted_path(), None);
    }
}
