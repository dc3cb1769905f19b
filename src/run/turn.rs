//! The turns of the main loop: the work between two looks for a key. Each is measured in all builds, and `--log` lists
//! the slow ones with what was running.

use std::fmt::{self, Debug, Write as _};
use std::time::{Duration, Instant};

use geomys_wire::net::trace;
use rustix::time::{ClockId, clock_gettime};

use geomys_app::Message;

/// The work after which the loop looks for a key again.
const WORK_BEFORE_KEYS: Duration = Duration::from_millis(10);

/// The time from which on a turn is listed.
const SLOW: Duration = Duration::from_millis(50);

/// The name in the log, where requests have their authority.
const LOOP: &str = "loop";

/// The work of a turn so far.
#[derive(Default)]
pub(super) struct Turn {
    /// The steps with their times, in order.
    steps: Vec<(String, Duration)>,
    /// The CPU time of this thread in them: on a busy machine the time on the clock says little.
    cpu: Duration,
}

/// A step of a turn that is running.
pub(super) struct Step {
    name: String,
    start: Instant,
    /// The CPU time of this thread at the start.
    cpu: Duration,
}

impl Step {
    pub(super) fn draw() -> Self {
        Self::named("draw".to_owned())
    }

    /// The handling of a message.
    pub(super) fn message(message: &Message) -> Self {
        Self::named(match message {
            Message::Load(_, part) => format!("message Load {}", kind(part)),
            message => format!("message {}", kind(message)),
        })
    }

    /// The start of an effect.
    pub(super) fn effect(effect: &impl Debug) -> Self {
        Self::named(format!("effect {}", kind(effect)))
    }

    fn named(name: String) -> Self {
        Self {
            name,
            start: Instant::now(),
            cpu: cpu_time(),
        }
    }
}

impl Turn {
    /// Adds a step that ends now.
    pub(super) fn add(&mut self, step: Step) {
        let time = step.start.elapsed();
        self.cpu += cpu_time().saturating_sub(step.cpu);
        match self.steps.last_mut() {
            // Of parts that come together only the sum is of interest.
            Some((name, sum)) if *name == step.name => *sum += time,
            _ => self.steps.push((step.name, time)),
        }
    }

    /// Returns true if the loop has to look for a key before it goes on.
    pub(super) fn is_over(&self) -> bool {
        self.time() >= WORK_BEFORE_KEYS
    }

    fn time(&self) -> Duration {
        self.steps.iter().map(|(_, time)| *time).sum()
    }

    /// Ends the turn, and lists it if it was slow.
    pub(super) fn end(&mut self) {
        if self.time() >= SLOW {
            trace::note(LOOP, format_args!("slow turn: {self}"));
        }
        *self = Self::default();
    }
}

impl fmt::Display for Turn {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (time, cpu) = (self.time().as_millis(), self.cpu.as_millis());
        write!(formatter, "{time} ms, CPU {cpu} ms")?;
        for (name, time) in &self.steps {
            write!(formatter, ", {name} {} ms", time.as_millis())?;
        }
        Ok(())
    }
}

/// Returns the CPU time of this thread so far.
fn cpu_time() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(
        now.tv_sec.try_into().unwrap_or_default(),
        now.tv_nsec.try_into().unwrap_or_default(),
    )
}

/// Returns the name of a variant, and none of what it holds.
fn kind(value: &impl Debug) -> String {
    let mut name = Name::default();
    // The error is that of the first sign behind the name: the rest is not written.
    let _ = write!(name, "{value:?}");
    name.0
}

/// The letters before the first other sign.
#[derive(Default)]
struct Name(String);

impl fmt::Write for Name {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = text.find(|sign: char| !sign.is_ascii_alphanumeric());
        let letters = end.and_then(|end| text.get(..end)).unwrap_or(text);
        self.0.push_str(letters);
        end.map_or(Ok(()), |_| Err(fmt::Error))
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use geomys_app::Effect;

    #[test]
    fn slow_turn_names_its_steps_and_nothing_that_they_hold() {
        let mut turn = Turn::default();
        let steps = [
            (Step::message(&Message::Paste("a secret".to_owned())), 40),
            (Step::effect(&Effect::Copy("a secret".to_owned())), 20),
            (Step::draw(), 7),
            (Step::draw(), 7),
        ];
        for (step, time) in steps {
            turn.add(step);
            let (_, sum) = turn.steps.last_mut().unwrap();
            *sum = Duration::from_millis(time);
        }
        turn.cpu = Duration::from_millis(30);
        let listed = turn.to_string();
        assert_eq!(
            listed,
            "67 ms, CPU 30 ms, message Paste 40 ms, effect Copy 20 ms, draw 7 ms"
        );
        assert!(turn.is_over());
        turn.end();
        assert!(!turn.is_over());
    }

    #[test]
    fn turn_is_over_after_its_time_whatever_the_number_of_its_steps() {
        let mut turn = Turn::default();
        for _ in 0..100 {
            turn.add(Step::draw());
        }
        assert!(!turn.is_over());
        let mut step = Step::draw();
        step.start = Instant::now().checked_sub(WORK_BEFORE_KEYS).unwrap();
        turn.add(step);
        assert!(turn.is_over());
    }
}
