//! The arguments of the command line: raw ones, which cannot be formatted, and URLs, which are masked wherever they are
//! shown.

use std::convert::Infallible;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::{self, Write};
use std::str::FromStr;

use clap::Args;
use clap::builder::{PossibleValue, TypedValueParser};
use rfc1738::mask_answers;

use super::error::CliError;

/// The words of the command line, the name of the program first.
///
/// They may hold passwords and tokens, in valid URLs and in wrong ones, so that they are neither `Debug` nor `Display`:
/// a text for a terminal, a log or a file is made of the masked words, or of the types that the words are parsed into.
pub struct RawArguments(Vec<OsString>);

impl RawArguments {
    /// Creates the arguments of these words.
    pub fn new(words: impl IntoIterator<Item = OsString>) -> Self {
        Self(words.into_iter().collect())
    }

    /// Returns the words, to be parsed.
    pub(super) fn words(&self) -> &[OsString] {
        &self.0
    }

    /// Returns the words with `***` in place of passwords, tokens, and answers to servers of Gemini.
    pub(super) fn masked(&self) -> Vec<OsString> {
        self.0.iter().map(|word| masked(word)).collect()
    }
}

/// Masks a word; one without a secret stays as it is, whatever its octets.
fn masked(word: &OsStr) -> OsString {
    let text = word.to_string_lossy();
    let (option, value) = match text.split_once('=') {
        Some((option, value)) if option.starts_with('-') => (Some(option), value),
        _ => (None, text.as_ref()),
    };
    let shown = mask_answers(value);
    match option {
        _ if shown == value => word.to_owned(),
        Some(option) => format!("{option}={shown}").into(),
        None => shown.into_owned().into(),
    }
}

/// The option of commands that list what they find.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(super) struct ExitStatus {
    /// Exit with status 1 if nothing was found
    #[arg(long)]
    exit_status: bool,
}

impl ExitStatus {
    /// Returns the end of a command that has found something or nothing.
    pub(super) fn of(self, has_found: bool) -> Result<(), CliError> {
        if has_found || !self.exit_status {
            Ok(())
        } else {
            // Without a message: nothing has failed.
            Err(CliError::new(""))
        }
    }
}

/// The option of commands that print lines.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(super) struct LineEnds {
    /// End each line with NUL instead of a line feed, for `xargs -0`
    #[arg(short = '0', long = "null", conflicts_with = "json")]
    null: bool,
}

impl LineEnds {
    /// Returns a writer of lines with these ends.
    pub(super) fn of<W: Write>(self, out: W) -> Lines<W> {
        Lines {
            out,
            end: if self.null { b'\0' } else { b'\n' },
        }
    }
}

/// A writer that ends lines with another octet than a line feed.
pub(super) struct Lines<W> {
    out: W,
    end: u8,
}

impl<W: Write> Write for Lines<W> {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        if self.end == b'\n' {
            return self.out.write(octets);
        }
        let mut octets = octets.to_vec();
        for octet in &mut octets {
            if *octet == b'\n' {
                *octet = self.end;
            }
        }
        self.out.write_all(&octets)?;
        Ok(octets.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// A URL, or text that may hold one, as it was typed. It is shown masked; only what parses it reads it as it is.
#[derive(Clone)]
pub(super) struct UrlArgument(String);

impl UrlArgument {
    /// Creates the argument of a text.
    pub(super) fn new(typed: &str) -> Self {
        Self(typed.to_owned())
    }

    /// Returns the text with its secrets, to be parsed.
    pub(super) fn unmasked(&self) -> &str {
        &self.0
    }

    /// Returns true for standard input.
    pub(super) fn is_stdin(&self) -> bool {
        self.0 == "-"
    }

    /// Returns arguments with the lines of standard input in place of each `-`; blank lines are left out.
    ///
    /// # Errors
    /// Errors of the system; text that is not UTF-8.
    pub(super) fn expanded(arguments: &[Self]) -> io::Result<Vec<Self>> {
        let mut expanded = Vec::new();
        for argument in arguments {
            if argument.is_stdin() {
                let lines = io::read_to_string(io::stdin())?;
                let lines = lines.lines().filter(|line| !line.trim().is_empty());
                expanded.extend(lines.map(Self::new));
            } else {
                expanded.push(argument.clone());
            }
        }
        Ok(expanded)
    }
}

impl FromStr for UrlArgument {
    type Err = Infallible;

    fn from_str(typed: &str) -> Result<Self, Infallible> {
        Ok(Self::new(typed))
    }
}

impl fmt::Display for UrlArgument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&mask_answers(&self.0))
    }
}

impl fmt::Debug for UrlArgument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", mask_answers(&self.0))
    }
}

/// A parser of a value with the usual values, which a shell completes.
#[derive(Clone, Copy)]
pub(super) struct Suggested<T: 'static> {
    parse: fn(&str) -> Result<T, String>,
    values: fn() -> Vec<&'static str>,
}

impl<T> Suggested<T> {
    /// A parser with these values; others may be right too.
    pub(super) fn new(
        parse: fn(&str) -> Result<T, String>,
        values: fn() -> Vec<&'static str>,
    ) -> Self {
        Self { parse, values }
    }
}

impl<T: Clone + Send + Sync> TypedValueParser for Suggested<T> {
    type Value = T;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<T, clap::Error> {
        self.parse.parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(
            (self.values)().into_iter().map(PossibleValue::new),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_masked_also_as_values_of_options() {
        for (word, expected) in [
            ("ftp://ada:s3cret@h:notaport/", "ftp://ada:***@h:notaport/"),
            (
                "--proxy=socks5://ada:s3cret@h:1",
                "--proxy=socks5://ada:***@h:1",
            ),
            ("titan://h/a;token=s3cret", "titan://h/a;token=***"),
            ("gemini://h/login?s3cret", "gemini://h/login?***"),
            (
                "https://h/a?access_token=s3cret",
                "https://h/a?access_token=***",
            ),
            ("--width=40", "--width=40"),
            ("http://h/?a=b", "http://h/?a=b"),
        ] {
            let masked = RawArguments::new([word.into()]).masked();
            assert_eq!(masked, [OsString::from(expected)], "{word}");
            let Ok(typed) = word.parse::<UrlArgument>();
            assert!(!format!("{typed} {typed:?}").contains("s3cret"), "{word}");
        }
    }
}
