//! The octets of a terminal, split into characters, escape sequences and control strings.
//!
//! Grammar (ECMA-48, 5th edition, sections 5.3, 5.4 and 5.6, in UTF-8; SS3 by ECMA-35), each introducer as two
//! characters or as one of C1:
//!
//! ```text
//! input   = *( letter / csi / ss3 / string )
//! csi     = CSI *%x30-3F *%x20-2F %x40-7E      ; CSI = ESC "[" / U+009B
//! ss3     = SS3 *%x30-3F %x40-7E               ; SS3 = ESC "O" / U+008F
//! string  = OSC *any (ST / BEL)                ; OSC = ESC "]" / U+009D; BEL by "XTerm Control Sequences"
//!         / ( DCS / SOS / PM / APC ) *any ST   ; ESC "P" / "X" / "^" / "_", U+0090, 98, 9E, 9F
//! ST      = ESC "\" / U+009C
//! ```
//!
//! Terminals also send sequences that ECMA-48 does not have: `CSI [` and a letter (F1 to F5 of the Linux console), `CSI
//! M` and three octets (the mouse of X10), `CSI 200 ~` to `CSI 201 ~` (bracketed paste), `CSI n $` (Shift in rxvt), and
//! ESC before a letter or a sequence for Alt.
//!
//! Keys begin with the same octets: ESC alone is the key Esc, and ESC with the letter of an introducer is that letter
//! with Alt. So the time decides, which this module does not measure: [`Splitter::wait`] says how long the next octet
//! may take, and [`Splitter::expire`] is called if it does not come. A read may end anywhere in a sequence
//! ([`Splitter::end_read`]), but what was typed comes in a read of its own.
//!
//! The crates vte and vtparse split the output of programs by the same standard. They do not tell the state in which
//! they wait, and end `ESC O` and `CSI M` before the end of the key.

use std::mem;
use std::time::Duration;

use super::sequence::{Form, Lead, Sequence, State};

/// The time for the octet after ESC and after an introducer.
const KEY: Duration = Duration::from_millis(150);

/// The time for the next octet of a sequence.
const SEQUENCE: Duration = Duration::from_secs(1);

/// The maximum size of the stored part of a sequence, in bytes. The rest is read and dropped.
const MAX_BODY_BYTES: usize = 4096;

/// The size in bytes over which a paste is passed on in parts.
const MAX_PASTE_BYTES: usize = 1 << 20;

/// The end of a bracketed paste.
const PASTE_END: &[u8] = b"\x1b[201~";

const ESC: char = '\u{1b}';
const BEL: char = '\u{7}';
const ST: char = '\u{9c}';

/// Splits octets into sequences.
#[derive(Debug, Default)]
pub(super) struct Splitter {
    state: State,
    /// The octets of an incomplete character of UTF-8.
    partial: Vec<u8>,
    /// The parameters, the text or the octets so far.
    body: Vec<u8>,
    /// True if the last octet was not the last one of its read.
    is_in_read: bool,
    sequences: Vec<Sequence>,
}

impl Splitter {
    /// Appends octets of a read.
    pub(super) fn push(&mut self, octets: &[u8]) {
        for octet in octets {
            match self.state {
                State::Mouse => self.push_mouse(*octet),
                State::Paste => self.push_paste(*octet),
                _ => {
                    if let Some(letter) = self.letter(*octet) {
                        self.take(letter);
                    }
                }
            }
            self.is_in_read = true;
        }
    }

    /// Notes that no more octets were available.
    pub(super) fn end_read(&mut self) {
        self.is_in_read = false;
        match &mut self.state {
            State::Escape(lead)
            | State::Text {
                escape: Some(lead), ..
            } => lead.ends_read = true,
            State::Csi(lead) if is_shift_of_rxvt(&self.body) => {
                let lead = *lead;
                self.abandon(lead, '[');
                self.state = State::Ground;
            }
            _ => {}
        }
    }

    /// Returns the time after which [`Self::expire`] is to be called if no octet comes; `None` between two sequences.
    pub(super) fn wait(&self) -> Option<Duration> {
        match self.state {
            // The rest of a paste is text, however late it comes.
            State::Ground | State::Paste => None,
            State::Escape(_) => Some(KEY),
            State::Csi(lead) | State::Ss3(lead) | State::Text { lead, .. }
                if self.body.is_empty() && lead.form == Form::Escape =>
            {
                Some(KEY)
            }
            State::Csi(_) | State::Ss3(_) | State::Text { .. } | State::Console | State::Mouse => {
                Some(SEQUENCE)
            }
        }
    }

    /// Ends an incomplete sequence: as the key that it is, or without a trace.
    pub(super) fn expire(&mut self) {
        if !self.partial.is_empty() {
            self.partial.clear();
            self.take_malformed();
        }
        match mem::take(&mut self.state) {
            State::Paste => self.state = State::Paste,
            State::Escape(lead) => self.type_keys(lead, None),
            State::Csi(lead) => self.abandon(lead, '['),
            State::Ss3(lead) => self.abandon(lead, 'O'),
            State::Text {
                lead,
                introducer,
                escape,
            } => {
                let is_key = self.body.is_empty();
                self.abandon(lead, introducer);
                if escape.is_some_and(|escape| is_key || escape.begins_read) {
                    self.sequences.push(Sequence::Escape);
                }
            }
            State::Ground | State::Console | State::Mouse => {}
        }
    }

    /// Returns the complete sequences.
    pub(super) fn take_sequences(&mut self) -> Vec<Sequence> {
        mem::take(&mut self.sequences)
    }

    /// Appends an octet, and returns the character that it completes. An octet that is no UTF-8 is dropped, if it is
    /// none of C1.
    fn letter(&mut self, octet: u8) -> Option<char> {
        if !matches!(octet, 0x80..=0xbf) && !self.partial.is_empty() {
            self.partial.clear();
            self.take_malformed();
        }
        self.partial.push(octet);
        let letter = match str::from_utf8(&self.partial) {
            Ok(text) => text.chars().next(),
            Err(error) if error.error_len().is_none() => return None,
            Err(_) => (self.partial == [octet] && octet < 0xa0).then(|| char::from(octet)),
        };
        self.partial.clear();
        if letter.is_none() {
            self.take_malformed();
        }
        letter
    }

    /// Takes octets that are no character: in a control string they are text.
    fn take_malformed(&mut self) {
        if let State::Text { escape, .. } = &mut self.state {
            *escape = None;
            self.collect(char::REPLACEMENT_CHARACTER);
        }
    }

    fn take(&mut self, letter: char) {
        match mem::take(&mut self.state) {
            State::Escape(lead) => self.take_after_escape(lead, letter),
            State::Csi(lead) => self.take_csi(lead, letter),
            State::Ss3(lead) => self.take_ss3(lead, letter),
            State::Console if letter.is_ascii_alphabetic() => {
                self.sequences.push(Sequence::Console(letter));
            }
            // Mouse and Paste are states of octets, and take no characters.
            State::Ground | State::Console | State::Mouse | State::Paste => self.begin(letter),
            State::Text {
                lead,
                introducer,
                escape,
            } => self.take_text(lead, introducer, escape, letter),
        }
    }

    /// Takes the first character of a sequence.
    fn begin(&mut self, letter: char) {
        match letter {
            ESC => {
                self.state = State::Escape(Lead {
                    begins_read: !self.is_in_read,
                    ..Lead::default()
                });
            }
            '\u{80}'..='\u{9f}' => {
                let lead = Lead {
                    form: Form::C1,
                    ..Lead::default()
                };
                // ECMA-48, section 5.3: ESC and the character 40 (hexadecimal) below.
                if let Some(introducer) = char::from_u32(u32::from(letter) - 0x40) {
                    self.introduce(lead, introducer);
                }
            }
            _ => self.sequences.push(Sequence::Letter {
                letter,
                has_alt: false,
            }),
        }
    }

    fn take_after_escape(&mut self, mut lead: Lead, letter: char) {
        match letter {
            ESC if lead.ends_read => {
                self.type_keys(lead, None);
                self.begin(letter);
            }
            ESC => {
                if lead.follows_esc {
                    self.sequences.push(Sequence::Escape);
                }
                lead.follows_esc = true;
                self.state = State::Escape(lead);
            }
            '[' | ']' | 'O' | 'P' | 'X' | '^' | '_' => self.introduce(lead, letter),
            '\u{80}'..='\u{9f}' => {
                self.type_keys(lead, None);
                self.begin(letter);
            }
            _ => self.type_keys(lead, Some(letter)),
        }
    }

    /// Begins the sequence of an introducer; the other characters of C1 introduce nothing.
    fn introduce(&mut self, mut lead: Lead, introducer: char) {
        self.body.clear();
        self.state = match introducer {
            '[' => State::Csi(lead),
            'O' => State::Ss3(lead),
            'P' | 'X' | ']' | '^' | '_' => {
                // A string has no Alt: the first ESC is a key.
                if mem::take(&mut lead.follows_esc) {
                    self.sequences.push(Sequence::Escape);
                }
                State::Text {
                    lead,
                    introducer,
                    escape: None,
                }
            }
            _ => State::Ground,
        };
    }

    fn take_csi(&mut self, lead: Lead, letter: char) {
        match letter {
            '\u{20}'..='\u{3f}' => {
                self.collect(letter);
                self.state = State::Csi(lead);
            }
            '[' if self.body.is_empty() => self.state = State::Console,
            'M' if self.body.is_empty() => self.state = State::Mouse,
            '~' if self.body == b"200" => {
                self.body.clear();
                self.state = State::Paste;
            }
            '\u{40}'..='\u{7e}' => {
                let body = self.take_body();
                self.sequences.push(Sequence::Csi {
                    body,
                    last: letter,
                    has_alt: lead.follows_esc,
                });
            }
            _ => {
                self.abandon(lead, '[');
                self.begin(letter);
            }
        }
    }

    fn take_ss3(&mut self, lead: Lead, letter: char) {
        match letter {
            '0'..='?' => {
                self.collect(letter);
                self.state = State::Ss3(lead);
            }
            '\u{40}'..='\u{7e}' => {
                let body = self.take_body();
                self.sequences.push(Sequence::Ss3 {
                    body,
                    last: letter,
                    has_alt: lead.follows_esc,
                });
            }
            _ => {
                self.abandon(lead, 'O');
                self.begin(letter);
            }
        }
    }

    fn take_text(&mut self, lead: Lead, introducer: char, escape: Option<Lead>, letter: char) {
        let is_end = match letter {
            ST => true,
            BEL => introducer == ']',
            '\\' => escape.is_some(),
            _ => false,
        };
        if is_end {
            let text = self.take_body();
            self.sequences.push(Sequence::Text { introducer, text });
            return;
        }
        let is_first = self.body.is_empty();
        match escape {
            // The introducer was a key, or ESC begins what was typed after an unfinished string.
            Some(escape) if is_first || escape.begins_read => {
                self.abandon(lead, introducer);
                self.take_after_escape(escape, letter);
                return;
            }
            _ => {}
        }
        let escape = (letter == ESC).then(|| Lead {
            begins_read: !self.is_in_read,
            ..Lead::default()
        });
        if escape.is_none() {
            self.collect(letter);
        }
        self.state = State::Text {
            lead,
            introducer,
            escape,
        };
    }

    /// Drops an incomplete sequence. If nothing followed its introducer, that was a key.
    fn abandon(&mut self, lead: Lead, introducer: char) {
        if self.body.is_empty() {
            self.type_keys(lead, Some(introducer));
        } else if introducer == '[' && is_shift_of_rxvt(&self.body) {
            self.body.pop();
            let body = self.take_body();
            self.sequences.push(Sequence::Csi {
                body,
                last: '$',
                has_alt: lead.follows_esc,
            });
        }
        self.body.clear();
    }

    /// Passes on the keys of ESC and the letter after it, if there is one.
    fn type_keys(&mut self, lead: Lead, letter: Option<char>) {
        if lead.form == Form::C1 {
            return;
        }
        if lead.follows_esc {
            self.sequences.push(Sequence::Escape);
        }
        if lead.ends_read || letter.is_none() {
            self.sequences.push(Sequence::Escape);
        }
        if let Some(letter) = letter {
            self.sequences.push(Sequence::Letter {
                letter,
                has_alt: !lead.ends_read,
            });
        }
    }

    fn push_mouse(&mut self, octet: u8) {
        self.body.push(octet);
        if let Ok(report) = <[u8; 3]>::try_from(self.body.as_slice()) {
            self.sequences.push(Sequence::Mouse(report));
            self.state = State::Ground;
        }
    }

    fn push_paste(&mut self, octet: u8) {
        let is_begin_of_letter = !matches!(octet, 0x80..=0xbf);
        let may_end = self
            .body
            .iter()
            .rev()
            .take(PASTE_END.len())
            .any(|octet| *octet == 0x1b);
        if self.body.len() >= MAX_PASTE_BYTES && is_begin_of_letter && !may_end {
            self.sequences
                .push(Sequence::Paste(mem::take(&mut self.body)));
        }
        self.body.push(octet);
        if self.body.ends_with(PASTE_END) {
            let length = self.body.len().saturating_sub(PASTE_END.len());
            self.body.truncate(length);
            self.sequences
                .push(Sequence::Paste(mem::take(&mut self.body)));
            self.state = State::Ground;
        }
    }

    fn collect(&mut self, letter: char) {
        if self.body.len() < MAX_BODY_BYTES {
            let mut octets = [0; 4];
            self.body.extend(letter.encode_utf8(&mut octets).bytes());
        }
    }

    fn take_body(&mut self) -> String {
        String::from_utf8_lossy(&mem::take(&mut self.body)).into_owned()
    }
}

/// Returns true for `n $`, which rxvt sends for a key with Shift. In a report of a mode (DECRPM) a letter follows in
/// the same read.
fn is_shift_of_rxvt(body: &[u8]) -> bool {
    match body.split_last() {
        Some((b'$', number)) => !number.is_empty() && number.iter().all(u8::is_ascii_digit),
        _ => false,
    }
}
