//! The events of the terminal, without its answers to questions.
//!
//! - The background colour: OSC 11 (`ESC ] 11 ; ? ST`), answered by `ESC ] 11 ; rgb:RRRR/GGGG/BBBB` and `ST` (`ESC \`) or BEL
//!   ("`XTerm` Control Sequences", "Operating System Commands").
//! - The graphics of kitty: `ESC _ G i=31,... ST`, answered by `ESC _ G i=31;OK ST` ("Terminal graphics protocol").
//! - The name of the terminal: XTVERSION (`CSI > q`), answered by `ESC P > | NAME ST` ("`XTerm` Control Sequences").
//!
//! `crossterm` does not know the answers, and reports them as keys: Alt-], Alt-_ or Alt-P, the characters, and Alt-\ or Ctrl-G.
//! When an answer comes in pieces, ESC may be reported as a key of its own. Such keys are withheld until they are an answer, or
//! cannot be one any more; then they are passed on.

use std::collections::VecDeque;
use std::io;
use std::time::Duration;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use futures_util::{Stream, StreamExt};
use tokio::time::{Instant, sleep_until};

use crate::document::picture::Protocol;
use crate::ui::theme::colours::Background;

/// The time in which the next piece of an answer has to follow.
const PIECE: Duration = Duration::from_millis(150);

/// The time after the question in which a single Esc may be the beginning of an answer.
const ESC: Duration = Duration::from_secs(10);

/// The beginnings of the answers: the character after ESC, and the text after it.
const BEGINNINGS: [(char, &str); 3] = [(']', BACKGROUND), ('_', KITTY), ('P', NAME)];

const BACKGROUND: &str = "11;";
const KITTY: &str = "Gi=31;";
const NAME: &str = ">|";

/// The maximum length of an answer in keys.
const LONGEST: usize = 80;

/// An event, or an answer of the terminal.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Input {
    Event(Event),
    Background(Background),
    /// A graphics protocol that the terminal has.
    Graphics(Protocol),
}

/// A stream of events from which the answers of the terminal are taken.
pub(super) struct TerminalInput<I> {
    events: I,
    /// The time at which the last question was sent; `None` if none was sent, or the last answer has come.
    asked_at: Option<Instant>,
    /// True if the last question is that for the name of the terminal, after that for the graphics of kitty.
    awaits_name: bool,
    /// The events that may be the beginning of the answer.
    withheld: Vec<Event>,
    /// The time at which the withheld events are keys.
    deadline: Instant,
    /// The events that turned out not to be an answer.
    released: VecDeque<Event>,
}

impl<I: Stream<Item = io::Result<Event>> + Unpin> TerminalInput<I> {
    /// Wraps a stream; `is_asked` is true if the question was sent.
    pub(super) fn new(events: I, is_asked: bool) -> Self {
        let now = Instant::now();
        Self {
            events,
            asked_at: is_asked.then_some(now),
            awaits_name: false,
            withheld: Vec::new(),
            deadline: now,
            released: VecDeque::new(),
        }
    }

    /// Expects the answers about graphics, as the questions were sent.
    pub(super) fn expect_graphics(&mut self) {
        self.asked_at = Some(Instant::now());
        self.awaits_name = true;
    }

    /// Waits for the next event. Nothing is lost if the future is dropped.
    pub(super) async fn next(&mut self) -> Option<io::Result<Input>> {
        loop {
            if let Some(event) = self.released.pop_front() {
                return Some(Ok(Input::Event(event)));
            }
            let event = if self.withheld.is_empty() {
                self.events.next().await
            } else {
                tokio::select! {
                    biased;
                    event = self.events.next() => event,
                    () = sleep_until(self.deadline) => {
                        self.released.extend(self.withheld.drain(..));
                        continue;
                    }
                }
            };
            match event {
                Some(Ok(event)) => {
                    if let Some(answer) = self.take(event) {
                        return Some(Ok(answer));
                    }
                }
                Some(Err(error)) => return Some(Err(error)),
                None if self.withheld.is_empty() => return None,
                None => self.released.extend(self.withheld.drain(..)),
            }
        }
    }

    /// Withholds an event or releases it. Returns what a complete answer says.
    fn take(&mut self, event: Event) -> Option<Input> {
        let Some(asked_at) = self.asked_at else {
            self.released.push_back(event);
            return None;
        };
        // A change of the size may come in the middle of an answer.
        let Event::Key(_) = event else {
            self.released.push_back(event);
            return None;
        };
        self.withheld.push(event);
        self.deadline = Instant::now() + PIECE;
        match answer(&self.withheld) {
            TerminalReply::Complete(kind, text) => {
                self.withheld.clear();
                // The terminal answers in the order of the questions; one that it does not know has no answer.
                let is_last = if self.awaits_name { NAME } else { BACKGROUND };
                if kind == is_last {
                    self.asked_at = None;
                }
                meaning(kind, &text)
            }
            TerminalReply::Partial if self.withheld.len() == 1 && !is_recent(asked_at) => {
                // A late answer arrives in one piece, or is taken for keys: Esc must not wait forever.
                let is_esc = self.withheld.first().and_then(key) == Some(InputKey::Esc);
                if is_esc {
                    self.released.extend(self.withheld.drain(..));
                }
                None
            }
            TerminalReply::Partial => None,
            TerminalReply::None => {
                // The key that ends one beginning may be another beginning.
                let last = self.withheld.pop()?;
                if self.withheld.is_empty() {
                    self.released.push_back(last);
                    return None;
                }
                self.released.extend(self.withheld.drain(..));
                self.take(last)
            }
        }
    }
}

fn is_recent(asked_at: Instant) -> bool {
    asked_at.elapsed() < ESC
}

/// A key as an answer may contain it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InputKey {
    Esc,
    /// A character after ESC.
    Alt(char),
    /// BEL.
    Bell,
    Char(char),
}

fn key(event: &Event) -> Option<InputKey> {
    let Event::Key(KeyEvent {
        code, modifiers, ..
    }) = event
    else {
        return None;
    };
    let modifiers = modifiers.difference(KeyModifiers::SHIFT);
    Some(match code {
        KeyCode::Esc if modifiers.is_empty() => InputKey::Esc,
        KeyCode::Char('g') if modifiers == KeyModifiers::CONTROL => InputKey::Bell,
        KeyCode::Char(letter) if modifiers == KeyModifiers::ALT => InputKey::Alt(*letter),
        KeyCode::Char(letter) if modifiers.is_empty() => InputKey::Char(*letter),
        _ => return None,
    })
}

/// Returns what an answer says; `None` if it cannot be read, or says nothing that is used.
fn meaning(kind: &str, text: &str) -> Option<Input> {
    match kind {
        BACKGROUND => colour(text).map(|colour| Input::Background(Background::of(colour))),
        KITTY => (text == "OK").then_some(Input::Graphics(Protocol::Kitty)),
        _ => Protocol::of_terminal(text).map(Input::Graphics),
    }
}

/// The form of some keys.
#[derive(Debug, PartialEq, Eq)]
enum TerminalReply {
    /// They are no answer.
    None,
    /// They may be the beginning of an answer.
    Partial,
    /// They are an answer: its beginning, and the text after it.
    Complete(&'static str, String),
}

fn answer(events: &[Event]) -> TerminalReply {
    let Some(keys) = events.iter().map(key).collect::<Option<Vec<InputKey>>>() else {
        return TerminalReply::None;
    };
    let (introducer, rest) = match keys.as_slice() {
        [InputKey::Esc] => return TerminalReply::Partial,
        [InputKey::Alt(introducer), rest @ ..]
        | [InputKey::Esc, InputKey::Char(introducer), rest @ ..] => (introducer, rest),
        _ => return TerminalReply::None,
    };
    let Some((_, beginning)) = BEGINNINGS.iter().find(|(first, _)| first == introducer) else {
        return TerminalReply::None;
    };
    let text: String = rest
        .iter()
        .map_while(|key| match key {
            InputKey::Char(letter) => Some(*letter),
            InputKey::Esc | InputKey::Alt(_) | InputKey::Bell => None,
        })
        .collect();
    let Some(said) = text.strip_prefix(beginning) else {
        let is_beginning = beginning.starts_with(&text) && text.len() == rest.len();
        return if is_beginning {
            TerminalReply::Partial
        } else {
            TerminalReply::None
        };
    };
    match rest.get(text.chars().count()..).unwrap_or_default() {
        [] if rest.len() < LONGEST => TerminalReply::Partial,
        [InputKey::Esc] => TerminalReply::Partial,
        [InputKey::Bell | InputKey::Alt('\\')] | [InputKey::Esc, InputKey::Char('\\')] => {
            TerminalReply::Complete(beginning, said.to_owned())
        }
        _ => TerminalReply::None,
    }
}

/// The colour `rgb:RRRR/GGGG/BBBB`, with one to four hexadecimal digits each, as shares from 0 to 255.
fn colour(written: &str) -> Option<[u8; 3]> {
    let shares = written
        .strip_prefix("rgb:")
        .or_else(|| written.strip_prefix("rgba:"))?;
    let mut shares = shares.split('/').map(|digits| {
        let share = u32::from_str_radix(digits, 16).ok()?;
        let most = match digits.len() {
            1 => 0xf,
            2 => 0xff,
            3 => 0xfff,
            4 => 0xffff,
            _ => return None,
        };
        u8::try_from(share * 255 / most).ok()
    });
    Some([shares.next()??, shares.next()??, shares.next()??])
}

#[cfg(test)]
mod tests {
    use futures_util::stream;

    use super::*;

    fn press(code: KeyCode, modifiers: KeyModifiers) -> Event {
        Event::Key(KeyEvent::new(code, modifiers))
    }

    fn plain(letters: &str) -> Vec<Event> {
        let letter = |letter| press(KeyCode::Char(letter), KeyModifiers::NONE);
        letters.chars().map(letter).collect()
    }

    fn alt(letter: char) -> Event {
        press(KeyCode::Char(letter), KeyModifiers::ALT)
    }

    /// The answer as crossterm reports it when it comes in one piece.
    fn whole(colour: &str) -> Vec<Event> {
        let mut events = vec![alt(']')];
        events.extend(plain(&format!("11;{colour}")));
        events.push(alt('\\'));
        events
    }

    /// The events that come out, and the background. Each event comes this long after the one before.
    async fn taken(events: Vec<Event>, pause: Duration) -> (Vec<Event>, Option<Background>) {
        let events = stream::iter(events).then(|event| async move {
            tokio::time::sleep(pause).await;
            Ok(event)
        });
        let input = TerminalInput::new(Box::pin(events), true);
        let (out, answers) = read(input).await;
        let background = answers.into_iter().find_map(|answer| match answer {
            Input::Background(background) => Some(background),
            Input::Event(_) | Input::Graphics(_) => None,
        });
        (out, background)
    }

    /// The events that come out, and the answers.
    async fn read(
        mut input: TerminalInput<impl Stream<Item = io::Result<Event>> + Unpin>,
    ) -> (Vec<Event>, Vec<Input>) {
        let (mut out, mut answers) = (Vec::new(), Vec::new());
        while let Some(input) = input.next().await {
            match input.unwrap() {
                Input::Event(event) => out.push(event),
                answer => answers.push(answer),
            }
        }
        (out, answers)
    }

    #[tokio::test(start_paused = true)]
    async fn answers_about_graphics_are_no_keys_up_to_the_last() {
        let string = |introducer: char, text: &str| {
            [vec![alt(introducer)], plain(text), vec![alt('\\')]].concat()
        };
        let events = [
            plain("j"),
            string('_', "Gi=31;OK"),
            plain("k"),
            string('P', ">|WezTerm 20240203-110809-5046fc22"),
            plain("l"),
            // After the name no answer is expected: these are keys.
            string('_', "Gi=31;OK"),
        ]
        .concat();
        let mut input = TerminalInput::new(stream::iter(events.into_iter().map(Ok)), false);
        input.expect_graphics();
        let expected = [plain("jkl"), string('_', "Gi=31;OK")].concat();
        let graphics = [Protocol::Kitty, Protocol::Iterm2].map(Input::Graphics);
        assert_eq!(read(input).await, (expected, graphics.into()));
    }

    #[tokio::test(start_paused = true)]
    async fn terminal_without_graphics_answers_nothing_that_is_used() {
        let events = [
            [vec![alt('P')], plain(">|tmux 3.4"), vec![alt('\\')]].concat(),
            [
                vec![alt('_')],
                plain("Gi=31;ENOTSUPPORTED"),
                vec![alt('\\')],
            ]
            .concat(),
        ];
        for events in events {
            let mut input = TerminalInput::new(stream::iter(events.into_iter().map(Ok)), false);
            input.expect_graphics();
            assert_eq!(read(input).await, (Vec::new(), Vec::new()));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn answer_between_keys_leaves_the_keys() {
        let mut events = plain("jk");
        events.extend(whole("rgb:fdfd/f6f6/e3e3"));
        events.extend(plain("l"));
        let taken = taken(events, Duration::ZERO).await;
        assert_eq!(taken, (plain("jkl"), Some(Background::Light)));
    }

    #[tokio::test(start_paused = true)]
    async fn answer_in_pieces_of_one_octet_two_seconds_late_is_no_key() {
        let mut events = plain("jjjjjjjjjjjjjjjjjjjj");
        events.push(press(KeyCode::Esc, KeyModifiers::NONE));
        events.extend(plain("]11;rgb:0000/2b2b/3636"));
        events.push(press(KeyCode::Esc, KeyModifiers::NONE));
        events.extend(plain("\\q"));
        let taken = taken(events, Duration::from_millis(100)).await;
        assert_eq!(
            taken,
            (plain("jjjjjjjjjjjjjjjjjjjjq"), Some(Background::Dark))
        );
    }

    #[tokio::test(start_paused = true)]
    async fn answer_may_end_in_bel_and_have_other_depths() {
        let mut events = whole("rgb:f/f/f");
        events.pop();
        events.push(press(KeyCode::Char('g'), KeyModifiers::CONTROL));
        assert_eq!(
            taken(events, Duration::ZERO).await.1,
            Some(Background::Light)
        );
        let events = whole("rgb:FF/FF/FF");
        assert_eq!(
            taken(events, Duration::ZERO).await.1,
            Some(Background::Light)
        );
    }

    #[tokio::test(start_paused = true)]
    async fn keys_that_only_look_like_an_answer_are_passed_on() {
        let esc = || press(KeyCode::Esc, KeyModifiers::NONE);
        let broken = {
            let mut events = vec![alt(']')];
            events.extend(plain("11;rgb:0000"));
            events.push(press(KeyCode::Enter, KeyModifiers::NONE));
            events
        };
        let long = {
            let mut events = vec![alt(']')];
            events.extend(plain("11;"));
            events.extend(plain(&"0".repeat(LONGEST)));
            events
        };
        for events in [
            vec![esc()],
            vec![esc(), esc(), alt(']')],
            vec![alt(']'), alt('x')],
            [vec![esc()], plain("]12")].concat(),
            broken,
            long,
        ] {
            assert_eq!(taken(events.clone(), Duration::ZERO).await, (events, None));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn esc_is_delayed_for_150_ms_at_most() {
        let events = stream::iter([Ok(press(KeyCode::Esc, KeyModifiers::NONE))]);
        let events = events.chain(stream::pending());
        let mut input = TerminalInput::new(Box::pin(events), true);
        let start = Instant::now();
        assert!(matches!(input.next().await, Some(Ok(Input::Event(_)))));
        assert!(start.elapsed() <= Duration::from_millis(151));
    }
}
