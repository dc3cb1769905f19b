//! How far a transfer is, in one line of a terminal.

use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};

use crate::app::transfers::{Rate, time};
use crate::files::download::Report;
use crate::files::tree::Step;
use crate::text;

/// Between two drawings.
const FRAME: Duration = Duration::from_millis(100);

/// Columns where the terminal does not tell.
const WIDTH: usize = 80;

/// The line, drawn on standard error where that is a terminal.
pub(super) struct Bar {
    name: String,
    start: Instant,
    drawn: Option<Instant>,
    rate: Rate,
    is_terminal: bool,
}

impl Bar {
    /// A line for something of this name; nothing is drawn yet.
    pub(super) fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            start: Instant::now(),
            drawn: None,
            rate: Rate::default(),
            is_terminal: stderr().is_terminal(),
        }
    }

    /// How long it has been there.
    pub(super) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// How a file comes along.
    pub(super) fn file(&mut self, report: &Report) {
        match report {
            Report::Octets(here, size) => {
                self.rate.tell(self.start.elapsed(), *here);
                if self.is_due() {
                    self.draw(&line(&self.name, *here, *size, &self.rate, width()));
                }
            }
            Report::Restarted => {
                self.say("the part cannot be resumed: the whole file is fetched again");
            }
            Report::Again(left, why) => self.again(*left, why),
        }
    }

    /// How a walk goes.
    pub(super) fn tree(&mut self, step: &Step) {
        self.rate.tell(self.start.elapsed(), step.octets);
        if let Some((left, why)) = &step.again {
            self.again(*left, why);
        } else if self.is_due() {
            let line = format!(
                "{} of {} files, {}{}  {}",
                text::count(step.done),
                text::count(step.found),
                text::octets(step.octets),
                self.rate
                    .a_second()
                    .map_or(String::new(), |rate| format!(", {}/s", text::octets(rate))),
                step.name
            );
            self.draw(&line);
        }
    }

    fn again(&mut self, left: Duration, why: &str) {
        let seconds = left.as_secs_f32().ceil();
        self.draw(&format!("{why}; again in {seconds} s"));
    }

    /// Says something that stays.
    pub(super) fn say(&mut self, sentence: &str) {
        self.clear();
        // A terminal that has gone misses nothing.
        let _ = writeln!(stderr(), "{}", text::Text::of(sentence));
    }

    /// Takes the line away.
    pub(super) fn clear(&self) {
        if self.is_terminal {
            let _ = write!(stderr(), "\r\u{1b}[K");
        }
    }

    /// Whether a drawing is wanted. Where there is no terminal its width is a question that starts another program.
    fn is_due(&self) -> bool {
        self.is_terminal && self.drawn.is_none_or(|drawn| drawn.elapsed() >= FRAME)
    }

    fn draw(&mut self, line: &str) {
        if !self.is_terminal {
            return;
        }
        self.drawn = Some(Instant::now());
        // The last column stays free: a terminal may go to the next line after it.
        let line = text::shorten(
            text::Text::of(line).as_str(),
            width().saturating_sub(1),
            "…",
        );
        let mut err = stderr();
        let _ = write!(err, "\r\u{1b}[K{line}");
        let _ = err.flush();
    }
}

fn width() -> usize {
    crossterm::terminal::size().map_or(WIDTH, |(columns, _)| usize::from(columns).max(1))
}

/// `drum.img  [######....]  60 %  900.0 kB of 1.5 MB  1.2 MB/s  3 s`
fn line(name: &str, here: u64, size: Option<u64>, rate: &Rate, width: usize) -> String {
    let speed = rate
        .a_second()
        .map(|rate| format!("{}/s", text::octets(rate)));
    let Some(size) = size.filter(|size| *size > 0) else {
        let words = [Some(text::octets(here)), speed].into_iter().flatten();
        return format!("{name}  {}", words.collect::<Vec<_>>().join("  "));
    };
    let hundredths = (u128::from(here) * 100 / u128::from(size)).min(100);
    let left = rate.seconds_left(size).map(time);
    let amount = format!("{} of {}", text::octets(here), text::octets(size));
    let words = [
        Some(format!("{hundredths:>3} %")),
        Some(amount),
        speed,
        left,
    ];
    let words = words.into_iter().flatten().collect::<Vec<_>>().join("  ");
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
        rate.tell(Duration::ZERO, 0);
        rate.tell(Duration::from_secs(1), 600_000);
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
