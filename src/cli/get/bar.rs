//! The progress of a transfer, in one line of a terminal.

use std::io::Write;
use std::time::{Duration, Instant};

use geomys_crawl::tree::TreeProgress;
use geomys_store::transfer::download::TransferEvent;
use geomys_wire::text;

use crate::cli::error::clean;
use crate::cli::locale::stderr;
use geomys_app::transfers::{Rate, amount, time};

/// The time between two updates.
const FRAME: Duration = Duration::from_millis(100);

/// The width in columns if the terminal does not tell it.
const DEFAULT_WIDTH: usize = 80;

/// A progress line, drawn on standard error if that is a terminal.
pub(super) struct ProgressBar {
    name: String,
    start: Instant,
    drawn: Option<Instant>,
    rate: Rate,
    is_terminal: bool,
    /// True until the first report of an attempt.
    is_starting: bool,
    /// The size that was reported last.
    size: Option<u64>,
    /// True while a member is looked for in an archive.
    is_unpacking: bool,
}

impl ProgressBar {
    /// Creates a progress line for a name; draws nothing yet.
    pub(super) fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            start: Instant::now(),
            drawn: None,
            rate: Rate::default(),
            is_terminal: stderr().is_terminal(),
            is_starting: true,
            size: None,
            is_unpacking: false,
        }
    }

    /// Returns the time since the start.
    pub(super) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Shows the progress of a file.
    pub(super) fn file(&mut self, event: &TransferEvent) {
        match event {
            TransferEvent::Octets(received, size) => {
                if std::mem::take(&mut self.is_unpacking) {
                    self.rate = Rate::default();
                }
                self.rate.record(self.start.elapsed(), *received);
                self.print_decision(*received, *size);
                if self.is_due() {
                    self.draw(&line(&self.name, *received, *size, &self.rate, width()));
                }
            }
            TransferEvent::Unpacking(received, size) => {
                self.is_unpacking = true;
                self.rate.record(self.start.elapsed(), *received);
                if self.is_due() {
                    let name = format!("{}: reading the archive", self.name);
                    self.draw(&line(&name, *received, *size, &self.rate, width()));
                }
            }
            TransferEvent::Restarted => {
                self.print("cannot resume: downloading the whole file");
            }
            // The end, or the report of the retry, follows.
            TransferEvent::Received | TransferEvent::Busy => {}
            TransferEvent::Outage(delay, reason) => {
                self.is_starting = true;
                self.log(&format!(
                    "{}: {reason}; again in {} s",
                    self.name,
                    seconds(*delay)
                ));
            }
            TransferEvent::Retry(remaining, reason) => self.show_retry(*remaining, reason),
        }
    }

    /// Shows the progress of a directory.
    pub(super) fn tree(&mut self, step: &TreeProgress) {
        self.rate.record(self.start.elapsed(), step.octets);
        if let Some(line) = &step.line {
            self.log(line);
        }
        if let Some((remaining, reason)) = &step.retry {
            self.show_retry(*remaining, reason);
        } else if self.is_due() {
            let line = format!(
                "{} of {} files, {}{}  {}",
                text::count(step.done),
                text::count(step.found),
                amount(step.octets.saturating_add(step.existing), Some(step.size)),
                speed(&self.rate).map_or(String::new(), |speed| format!(", {speed}")),
                step.name
            );
            self.draw(&line);
        }
    }

    fn show_retry(&mut self, remaining: Duration, reason: &str) {
        self.draw(&format!("{reason}; again in {} s", seconds(remaining)));
    }

    /// Logs where an attempt resumes, and that the file has grown.
    fn print_decision(&mut self, received: u64, size: Option<u64>) {
        let was = std::mem::replace(&mut self.size, size);
        if std::mem::take(&mut self.is_starting) && received > 0 {
            let here = text::octets(received);
            self.log(&format!("{}: resumed at {here}", self.name));
        } else if let (Some(was), Some(size)) = (was, size)
            && size > was
        {
            let size = text::octets(size);
            self.log(&format!("{}: it has grown to {size}", self.name));
        }
    }

    /// Prints a line that stays, where no progress is drawn: an outage, or a decision.
    fn log(&self, line: &str) {
        if !self.is_terminal {
            // A closed standard error shows nothing.
            let _ = writeln!(stderr(), "{}", clean(line));
        }
    }

    /// Prints a line that stays.
    pub(super) fn print(&mut self, sentence: &str) {
        self.clear();
        // Write errors of a closed terminal are ignored.
        let _ = writeln!(stderr(), "{}", text::Text::of(sentence));
    }

    /// Clears the line.
    pub(super) fn clear(&self) {
        if self.is_terminal {
            let _ = write!(stderr(), "\r\u{1b}[K");
        }
    }

    /// Returns true if the line should be drawn. Without a terminal the query of its width would start another program.
    fn is_due(&self) -> bool {
        self.is_terminal && self.drawn.is_none_or(|drawn| drawn.elapsed() >= FRAME)
    }

    fn draw(&mut self, line: &str) {
        if !self.is_terminal {
            return;
        }
        self.drawn = Some(Instant::now());
        // The last column stays free: some terminals wrap after it.
        let line = text::Text::of(line);
        let line = text::shorten(line.as_str(), width().saturating_sub(1), "…");
        let mut err = stderr();
        let _ = write!(err, "\r\u{1b}[K{line}");
        let _ = err.flush();
    }
}

/// Returns the whole seconds of a delay, at least one if there is one.
fn seconds(delay: Duration) -> f32 {
    delay.as_secs_f32().ceil()
}

fn width() -> usize {
    crossterm::terminal::size().map_or(DEFAULT_WIDTH, |(columns, _)| usize::from(columns).max(1))
}

fn speed(rate: &Rate) -> Option<String> {
    let rate = rate.octets_per_second()?;
    Some(format!("{}/s", text::octets(rate)))
}

/// Returns a line such as `drum.img  [######....]  60 %  900.0 kB of 1.5 MB  1.2 MB/s  3 s`
fn line(name: &str, received: u64, size: Option<u64>, rate: &Rate, width: usize) -> String {
    let speed = speed(rate);
    let Some(size) = size.filter(|size| *size > 0) else {
        let words = [Some(text::octets(received)), speed].into_iter().flatten();
        return format!("{name}  {}", words.collect::<Vec<_>>().join("  "));
    };
    let hundredths = (u128::from(received) * 100 / u128::from(size)).min(100);
    let remaining = rate.seconds_left(size).map(time);
    let amount = format!("{} of {}", text::octets(received), text::octets(size));
    let mut words = vec![format!("{hundredths:>3} %"), amount];
    words.extend(speed);
    words.extend(remaining);
    let words = words.join("  ");
    let name = text::shorten(name, (width / 3).max(8), "…");
    let room = width.saturating_sub(text::width(&name) + words.len() + 7);
    if room < 5 {
        return format!("{name}  {words}");
    }
    let room = room.min(40);
    let full = usize::try_from(hundredths).unwrap_or(100) * room / 100;
    format!(
        "{name}  [{}{}]  {words}",
        "#".repeat(full),
        ".".repeat(room - full)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_fits_its_terminal() {
        let mut rate = Rate::default();
        rate.record(Duration::ZERO, 0);
        rate.record(Duration::from_secs(1), 600_000);
        assert_eq!(
            line("drum.img", 600_000, Some(1_500_000), &rate, 80),
            "drum.img  [#########..............]   40 %  600.0 kB of 1.5 MB  600.0 kB/s  1 s"
        );
        for width in 1..200 {
            let line = line("a name that is not so short", 1, Some(3), &rate, width);
            assert!(line.contains("33 %"), "{line}");
            if width > 60 {
                assert!(text::width(&line) < width, "{width}: {line}");
            }
        }
        assert_eq!(line("a", 5, None, &Rate::default(), 80), "a  5 B");
    }
}
