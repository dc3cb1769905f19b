//! `geomys url`: prints the parts of URLs, or their errors.

pub(super) mod json;

use std::borrow::Cow;
use std::collections::VecDeque;
use std::io::{self, BufRead, BufWriter, Read, Write, stdin};
use std::panic;
use std::thread::{self, ScopedJoinHandle};

use clap::Args;
use geomys_wire::net::{ascii_url, compared_url};
use geomys_wire::text::{self, Text};
use rfc1738::{
    Dialect, Hint, ParseError, Url, mask, may_hold_secret, parse_or_repair, repair,
    repair_fragment, repair_reference, strip_wrapper,
};

use super::argument::UrlArgument;
use super::error::CliError;
use crate::cli::locale::stdout;

/// The size of the input that a thread reports about at once, in octets.
const BLOCK: u64 = 64 * 1024;

/// The reports of a block of lines, and true if all of its URLs are usable.
type BlockReports = Result<(Vec<u8>, bool), CliError>;

#[derive(Debug, Args)]
pub(super) struct UrlArguments {
    /// Print one JSON object a line for each URL
    #[arg(long)]
    json: bool,

    /// Resolve partial URLs against this base
    #[arg(long, value_name = "URL", value_parser = base)]
    base: Option<Url>,

    /// Treat URLs that RFC 1738 does not allow as unusable
    #[arg(long)]
    strict: bool,

    /// Print passwords, not ***
    #[arg(long)]
    show_password: bool,

    /// URLs; `-`, or none, is the lines of standard input
    #[arg(value_name = "URL")]
    named: Vec<UrlArgument>,
}

impl UrlArguments {
    pub(super) fn run(&self) -> Result<(), CliError> {
        let mut out = BufWriter::with_capacity(64 * 1024, stdout());
        let mut all_good = true;
        if self.named.is_empty() {
            all_good = self.print_lines(stdin().lock(), &mut out)?;
        }
        for url in &self.named {
            all_good &= if url.is_stdin() {
                self.print_lines(stdin().lock(), &mut out)?
            } else {
                self.print(url.unmasked().as_bytes(), &mut out)?
            };
        }
        out.flush()?;
        if all_good {
            Ok(())
        } else {
            Err(CliError::new(""))
        }
    }

    /// Prints the URLs in the lines of the input, in their order, on all processors; returns true if all are usable.
    fn print_lines(&self, mut input: impl BufRead, out: &mut impl Write) -> Result<bool, CliError> {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let mut all_good = true;
        let mut finish = |running: ScopedJoinHandle<'_, BlockReports>| {
            let reports = running.join();
            let (reports, good) = reports.unwrap_or_else(|panic| panic::resume_unwind(panic))?;
            all_good &= good;
            out.write_all(&reports).map_err(CliError::from)
        };
        thread::scope(|scope| {
            let mut running = VecDeque::new();
            loop {
                let block = read_lines(&mut input)?;
                if block.is_empty() {
                    break;
                }
                if running.len() == threads {
                    running.pop_front().map_or(Ok(()), &mut finish)?;
                }
                running.push_back(scope.spawn(move || self.block_reports(&block)));
            }
            running.into_iter().try_for_each(finish)
        })?;
        Ok(all_good)
    }

    fn block_reports(&self, block: &[u8]) -> BlockReports {
        let (mut reports, mut all_good) = (Vec::with_capacity(8 * block.len()), true);
        for line in block.split(|&octet| octet == b'\n') {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if !line.trim_ascii().is_empty() {
                all_good &= self.print(line, &mut reports)?;
            }
        }
        Ok((reports, all_good))
    }

    /// Prints one URL; returns true if it is usable.
    fn print(&self, input: &[u8], out: &mut impl Write) -> Result<bool, CliError> {
        let report = UrlReport::of(input, self.base.as_ref());
        let usable = report.is_usable(self.strict);
        if self.json {
            json::write(&report, usable, self.show_password, out)?;
        } else {
            self.write(&report, out)?;
        }
        Ok(usable)
    }

    /// Prints a URL for people: the URL, the verdict below it, its parts, and its hazards.
    fn write(&self, report: &UrlReport<'_>, out: &mut impl Write) -> Result<(), CliError> {
        let text = String::from_utf8_lossy(report.text);
        let (shown, fault) = if self.show_password {
            (Text::of(&text), report.fault)
        } else {
            let fault = report.fault.map(|fault| fault.masked(&text));
            (Text::of(&mask(&text)), fault)
        };
        writeln!(out, "{shown}")?;
        if let Some(fault) = fault {
            writeln!(out, "{}", caret(shown.as_str(), &fault, terminal_width()))?;
        }
        let mut print = |label: &str, value: &str| writeln!(out, "  {label:<10} {value}");
        let shown = |url: &Url| json::shown(url, self.show_password).into_owned();
        if let Some(url) = &report.url {
            if self.base.is_some() {
                print("resolved", &shown(url))?;
            }
            let parts = if self.show_password {
                url.explanation_with_passwords()
            } else {
                url.explanation()
            };
            for (name, value) in parts {
                print(name, &value)?;
            }
            let canonical = compared_url(url);
            if canonical != *url {
                print("canonical", &shown(&canonical))?;
            }
            if let Ok(Cow::Owned(ascii)) = ascii_url(url) {
                print("in ASCII", &shown(&ascii))?;
            }
            for departure in url.departures().iter() {
                print("beyond", departure.sentence())?;
            }
            for hazard in url.hazards() {
                print("hazard", hazard.sentence())?;
            }
        }
        let hint = report.url.as_ref().or(report.repair.as_ref());
        let hint = hint.and_then(Url::hint);
        if let Some(hint) = &hint {
            print("hint", &hint.to_string())?;
        }
        // The repair of a path would be no path.
        if let Some(url) = report
            .repair
            .as_ref()
            .filter(|_| hint != Some(Hint::DrivePath))
        {
            print("repair", &shown(url))?;
        }
        // With a base, the text may be a partial URL.
        if self.base.is_none() && report.fault.is_some() {
            let both = repair_fragment(&text);
            for url in both
                .iter()
                .filter(|url| report.repair.as_ref() != Some(*url))
            {
                print("repair", &shown(url))?;
            }
        }
        Ok(writeln!(out)?)
    }
}

/// Reads a block of whole lines; an empty one at the end.
fn read_lines(input: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut block = Vec::new();
    input.take(BLOCK).read_to_end(&mut block)?;
    if block.last().is_some_and(|&octet| octet != b'\n') {
        input.read_until(b'\n', &mut block)?;
    }
    Ok(block)
}

/// The width of the terminal that the output is on; nothing for other outputs.
pub(super) fn terminal_width() -> Option<usize> {
    let size = stdout().is_terminal().then(crossterm::terminal::size);
    let (columns, _) = size?.ok()?;
    Some(usize::from(columns))
}

/// The line with the caret of a fault in a printed URL. A URL that is longer than a line of the terminal is wrapped
/// there, so its part with the fault is printed again, above the caret.
pub(super) fn caret(url: &str, fault: &ParseError, width: Option<usize>) -> String {
    let Some(width) = width.filter(|width| text::width(url) > *width) else {
        return fault.caret();
    };
    let (part, at) = text::around(url, fault.at, width.saturating_sub(1).max(1), "…");
    let caret = ParseError { at, ..*fault }.caret();
    let sentence = fault.to_string();
    if text::width(&caret) <= width {
        return format!("{part}\n{caret}");
    }
    let caret = caret.strip_suffix(&sentence).unwrap_or(&caret).trim_end();
    format!("{part}\n{caret}\n{sentence}")
}

/// The report about a line.
struct UrlReport<'a> {
    /// The line as received.
    input: &'a [u8],
    /// The line without the wrapper around the URL.
    text: &'a [u8],
    /// The URL, if it is accepted.
    url: Option<Url>,
    /// The violation of RFC 1738, or of the base scheme's production in an extension scheme.
    fault: Option<ParseError>,
    /// True if RFC 1738 allows the URL.
    is_valid: bool,
    /// True if Geomys opens the URL.
    is_accepted: bool,
    /// The strict URL with the same meaning as a faulty one.
    repair: Option<Url>,
}

impl<'a> UrlReport<'a> {
    fn of(input: &'a [u8], base: Option<&Url>) -> Self {
        let text = strip_wrapper(input);
        let report = |url: Option<Url>, fault, repair| UrlReport {
            input,
            text,
            is_valid: false,
            is_accepted: url.is_some(),
            url,
            fault,
            repair,
        };
        let written = std::str::from_utf8(text).ok();
        if let (Some(base), Some(reference)) = (base, written) {
            return match base.resolve(reference) {
                Ok(url) => {
                    let fault = url.verdict().err();
                    let fault = fault.map(|fault| within(fault, &url, reference));
                    let repair = fault.and_then(|_| repair(url.as_str()));
                    UrlReport {
                        is_valid: fault.is_none(),
                        ..report(Some(url), fault, repair)
                    }
                }
                Err(error) => report(None, Some(error), repair_reference(reference, base)),
            };
        }
        match Dialect::Rfc1738.parse(text) {
            Ok(url) => {
                let fault = url.base_fault();
                let repair = fault.and_then(|_| repair(url.as_str()));
                UrlReport {
                    is_valid: true,
                    is_accepted: fault.is_none(),
                    ..report(Some(url), fault, repair)
                }
            }
            Err(error) => {
                let url = Dialect::Extended.parse(text).ok();
                report(url, Some(error), written.and_then(repair))
            }
        }
    }

    /// Returns true if the input, or a URL made from it, may hold a password.
    fn may_hold_secret(&self) -> bool {
        let made = self.url.iter().chain(&self.repair).map(Url::as_str);
        let mut made = made.filter(|made| made.as_bytes() != self.input);
        may_hold_secret(self.input) || made.any(|made| may_hold_secret(made.as_bytes()))
    }

    fn is_usable(&self, strict: bool) -> bool {
        match &self.url {
            Some(_) if strict => self.is_valid,
            Some(url) => self.is_accepted && url.forbidden_hazard().is_none(),
            None => false,
        }
    }
}

/// Moves the fault of a resolved URL into its reference, at the same position if the reference contains it.
fn within(fault: ParseError, url: &Url, reference: &str) -> ParseError {
    let base_len = url.as_str().len().checked_sub(reference.len());
    let at = base_len.and_then(|base_len| fault.at.checked_sub(base_len));
    match at.filter(|_| url.as_str().ends_with(reference)) {
        Some(at) => ParseError { at, ..fault },
        None => ParseError {
            at: 0,
            len: reference.len(),
            ..fault
        },
    }
}

/// Parses a base, whose fragment is not used (RFC 1808, section 4, step 2a).
fn base(written: &str) -> Result<Url, String> {
    let (written, _) = written.split_once('#').unwrap_or((written, ""));
    parse_or_repair(written).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fault_of_a_long_url_is_pointed_at_in_its_part() {
        let url = format!("gopher://h.example/1/{}~end/of/it", "a".repeat(100));
        let fault = Url::parse(&url).unwrap_err();
        assert_eq!(fault.at, 121);
        // In a file, and on a wide terminal, the caret is below the URL.
        assert_eq!(caret(&url, &fault, None), fault.caret());
        assert_eq!(caret(&url, &fault, Some(200)), fault.caret());
        let shown = caret(&url, &fault, Some(80));
        let lines: Vec<&str> = shown.lines().collect();
        assert!(lines.iter().all(|line| text::width(line) <= 80), "{shown}");
        assert!(lines[0].starts_with('…'), "{shown}");
        let at = lines[1].find('^').unwrap();
        assert_eq!(lines[0].chars().nth(at), Some('~'), "{shown}");
        assert!(shown.ends_with(&fault.to_string()), "{shown}");
    }
}
