//! Forms: the +ASK block of an item, and the answers to it (Gopher+, section 2.8; RFC 1738, section 3.4.9).
//!
//! ```text
//! line   = "Ask:"     prompt [ TAB default ]                ; a line
//!        / "AskP:"    prompt [ TAB default ]                ; a line that nobody may see being typed
//!        / "AskL:"    prompt [ TAB default ]                ; any number of lines
//!        / "AskF:"    prompt [ TAB default ]                ; the name of a file to be written
//!        / "Select:"  prompt [ ":" ( "0" / "1" ) ]          ; yes or no
//!        / "Choose:"  prompt 1*( TAB choice )               ; one of these
//!        / "ChooseF:" prompt                                ; a file to be sent
//!        / "Note:"    text                                  ; nothing to answer
//!        / word ":"   prompt [ TAB default ]                ; an unknown one: like Ask
//!        / text                                             ; like Note
//! filled = "+" [ view ] TAB "1" CR LF data                  ; the Gopher+ string
//! data   = "+-1" CR LF *( answer CR LF ) "." CR LF
//! ```
//!
//! The paper does not know Note, nor the suffix of Select; the servers of its own authors do. An answer is one line;
//! that to `AskL` is a line with the count of lines, and those; that to `ChooseF` is the file's lines, after all others.
//! Dots are not doubled, so a line that is a lone dot cannot be sent. Left out: data sent by count or up to the close,
//! which those servers do not take, and more than one file.

use super::attributes::cut;

/// A form as its server asks it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Form<'a> {
    /// Its lines, in the order in which they are shown and answered.
    pub fields: Vec<Field<'a>>,
}

/// A line of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field<'a> {
    /// What the one who fills it reads.
    pub prompt: &'a [u8],
    /// What is wanted.
    pub kind: Kind<'a>,
}

/// What a line of a form wants. Defaults are as the server writes them; most are empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind<'a> {
    /// Nothing: it is there to be read.
    Note,
    /// A line, with its default.
    Ask(&'a [u8]),
    /// A line that is not shown while it is typed, with its default.
    AskP(&'a [u8]),
    /// Lines, with the default of the first.
    AskL(&'a [u8]),
    /// The name of a local file for the reply, with its default; the name is sent.
    AskF(&'a [u8]),
    /// Yes or no; whether it is yes by default.
    Select(bool),
    /// One of these; the first by default.
    Choose(Vec<&'a [u8]>),
    /// A local file, which is sent.
    ChooseF,
}

impl<'a> Form<'a> {
    /// Reads the lines of a +ASK block, without the space that begins each.
    pub fn parse(lines: impl Iterator<Item = &'a [u8]>) -> Self {
        Self {
            fields: lines.map(Field::parse).collect(),
        }
    }

    /// Whether an answer is one that nobody may see, so that a URL with the answers is not to be kept or shown.
    pub fn has_secret(&self) -> bool {
        let mut kinds = self.fields.iter().map(|field| &field.kind);
        kinds.any(|kind| matches!(kind, Kind::AskP(_)))
    }

    /// The answers of someone who changes nothing, one a field.
    pub fn defaults(&self) -> Vec<Answer> {
        let answers = self.fields.iter().map(|field| match &field.kind {
            Kind::Note | Kind::ChooseF => Answer::Nothing,
            Kind::Ask(text) | Kind::AskP(text) | Kind::AskF(text) => Answer::Line(text.to_vec()),
            Kind::AskL(b"") => Answer::Lines(Vec::new()),
            Kind::AskL(text) => Answer::Lines(vec![text.to_vec()]),
            Kind::Select(is_on) => Answer::Select(*is_on),
            Kind::Choose(choices) => {
                Answer::Line(choices.first().copied().unwrap_or_default().to_vec())
            }
        });
        answers.collect()
    }

    /// The lines that are sent for `answers`, of which there must be one a field.
    ///
    /// # Errors
    /// [`Unfit`], with the number of the field, when an answer is not of its field's kind or cannot be sent.
    pub fn lines(&self, answers: &[Answer]) -> Result<Vec<Vec<u8>>, Unfit> {
        if answers.len() != self.fields.len() {
            let field = answers.len().min(self.fields.len());
            return Err(Unfit {
                field,
                why: Why::Kind,
            });
        }
        let (mut lines, mut file) = (Vec::new(), None);
        for (field, (asked, answer)) in self.fields.iter().zip(answers).enumerate() {
            let unfit = |why| Unfit { field, why };
            match (&asked.kind, answer) {
                (Kind::Note | Kind::ChooseF, Answer::Nothing) => {}
                (
                    Kind::Ask(_) | Kind::AskP(_) | Kind::AskF(_) | Kind::Choose(_),
                    Answer::Line(line),
                ) => lines.push(line.clone()),
                (Kind::AskL(_), Answer::Lines(many)) => {
                    lines.push(many.len().to_string().into_bytes());
                    lines.extend(many.iter().cloned());
                }
                (Kind::Select(_), Answer::Select(is_on)) => {
                    lines.push(if *is_on { b"1" } else { b"0" }.to_vec());
                }
                (Kind::ChooseF, Answer::File(octets)) if file.is_none() => {
                    file = Some((field, octets));
                }
                (Kind::ChooseF, Answer::File(_)) => return Err(unfit(Why::SecondFile)),
                (
                    Kind::Note
                    | Kind::Ask(_)
                    | Kind::AskP(_)
                    | Kind::AskL(_)
                    | Kind::AskF(_)
                    | Kind::Select(_)
                    | Kind::Choose(_)
                    | Kind::ChooseF,
                    _,
                ) => return Err(unfit(Why::Kind)),
            }
            for line in answer.sent() {
                sendable(line).map_err(unfit)?;
            }
        }
        if let Some((_, octets)) = file {
            lines.extend(file_lines(octets).map(<[u8]>::to_vec));
        }
        Ok(lines)
    }

    /// The Gopher+ string of this form filled with `answers`, for a URL and for the wire. `view` is the view to have
    /// the reply in, mostly empty.
    ///
    /// # Errors
    /// [`Unfit`], as [`Form::lines`] has it. A view with a TAB or a line break is the fault of no field: its number is
    /// that of the fields.
    pub fn fill(&self, view: &[u8], answers: &[Answer]) -> Result<Vec<u8>, Unfit> {
        let field = self.fields.len();
        if view.contains(&b'\t') {
            return Err(Unfit {
                field,
                why: Why::LineBreak,
            });
        }
        sendable(view).map_err(|why| Unfit { field, why })?;
        let lines = self.lines(answers)?;
        let filled = Filled {
            view,
            lines: lines.iter().map(Vec::as_slice).collect(),
        };
        Ok(filled.to_octets())
    }

    /// The answers that these lines are: the way back from [`Form::lines`]. Lines that are missing leave an answer
    /// empty, lines that are too many are left out: a URL may be older than the form.
    pub fn answers(&self, lines: &[&[u8]]) -> Vec<Answer> {
        let mut rest = lines.iter().copied();
        let mut answers = Vec::with_capacity(self.fields.len());
        let mut file = None;
        for (number, field) in self.fields.iter().enumerate() {
            answers.push(match field.kind {
                Kind::Note => Answer::Nothing,
                Kind::Ask(_) | Kind::AskP(_) | Kind::AskF(_) | Kind::Choose(_) => {
                    Answer::Line(rest.next().unwrap_or_default().to_vec())
                }
                Kind::AskL(_) => {
                    let count = rest.next().and_then(count).unwrap_or(0);
                    Answer::Lines(rest.by_ref().take(count).map(<[u8]>::to_vec).collect())
                }
                Kind::Select(_) => Answer::Select(rest.next() == Some(b"1")),
                Kind::ChooseF => {
                    file.get_or_insert(number);
                    Answer::Nothing
                }
            });
        }
        let rest: Vec<u8> = rest.flat_map(|line| [line, b"\r\n"].concat()).collect();
        let place = file.and_then(|number| answers.get_mut(number));
        if let Some(place) = place.filter(|_| !rest.is_empty()) {
            *place = Answer::File(rest);
        }
        answers
    }
}

impl<'a> Field<'a> {
    /// Reads a line of a +ASK block, without the space that begins it. Keywords are compared without regard to case.
    pub fn parse(line: &'a [u8]) -> Self {
        let line = line.trim_ascii_start();
        let Some((keyword, rest)) = cut(line, b':') else {
            return Self {
                prompt: line.trim_ascii_end(),
                kind: Kind::Note,
            };
        };
        let (prompt, after) = cut(rest, b'\t').unwrap_or((rest, b""));
        let default = cut(after, b'\t').map_or(after, |(default, _)| default);
        let (prompt, kind) = match keyword.trim_ascii().to_ascii_lowercase().as_slice() {
            b"note" => (rest, Kind::Note),
            b"askp" => (prompt, Kind::AskP(default)),
            b"askl" => (prompt, Kind::AskL(default)),
            b"askf" => (prompt, Kind::AskF(default)),
            b"select" => selected(rest.trim_ascii_end()),
            b"choose" => {
                let choices = after.split(|&octet| octet == b'\t');
                let choices = choices.filter(|choice| !choice.is_empty());
                (prompt, Kind::Choose(choices.collect()))
            }
            b"choosef" => (prompt, Kind::ChooseF),
            _ => (prompt, Kind::Ask(default)),
        };
        Self {
            prompt: prompt.trim_ascii(),
            kind,
        }
    }
}

fn selected(text: &[u8]) -> (&[u8], Kind<'_>) {
    let no = text.strip_suffix(b":0");
    match text.strip_suffix(b":1") {
        Some(prompt) => (prompt, Kind::Select(true)),
        None => (no.unwrap_or(text), Kind::Select(false)),
    }
}

/// An answer to a line of a form.
#[derive(Clone, PartialEq, Eq)]
pub enum Answer {
    /// To a Note, and to a `ChooseF` for which no file was chosen.
    Nothing,
    /// To Ask, `AskP`, `AskF` and Choose.
    Line(Vec<u8>),
    /// To `AskL`.
    Lines(Vec<Vec<u8>>),
    /// To Select.
    Select(bool),
    /// To `ChooseF`: what the file holds. It is sent as lines, so that it comes out with CR LF at the end of each. An
    /// empty file is sent as nothing is.
    File(Vec<u8>),
}

impl Answer {
    /// To `AskL`: the lines of a text, which ends in a line break or not.
    pub fn of_text(text: &[u8]) -> Self {
        Self::Lines(file_lines(text).map(<[u8]>::to_vec).collect())
    }

    /// Each line that is sent for it and was typed.
    fn sent(&self) -> Vec<&[u8]> {
        match self {
            Self::Nothing | Self::Select(_) => Vec::new(),
            Self::Line(line) => vec![line],
            Self::Lines(lines) => lines.iter().map(Vec::as_slice).collect(),
            Self::File(octets) => file_lines(octets).collect(),
        }
    }
}

/// An answer may be a password: how long it is, and no more, is for logs.
impl std::fmt::Debug for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Nothing => f.write_str("Nothing"),
            Self::Line(line) => write!(f, "Line({} octets)", line.len()),
            Self::Lines(lines) => write!(f, "Lines({} lines)", lines.len()),
            Self::Select(is_on) => write!(f, "Select({is_on})"),
            Self::File(octets) => write!(f, "File({} octets)", octets.len()),
        }
    }
}

/// An answer that cannot be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct Unfit {
    /// The number of its field, from 0.
    pub field: usize,
    /// What is wrong with it.
    pub why: Why,
}

/// What is wrong with an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Why {
    /// It would end its line early.
    #[error("an answer holds a line break")]
    LineBreak,
    /// It holds an octet that ends texts.
    #[error("an answer holds a NUL")]
    Nul,
    /// It would end the form early.
    #[error("a line of an answer is a lone dot, which ends the form")]
    Dot,
    /// A form is sent with one file.
    #[error("only one file can be sent")]
    SecondFile,
    /// It answers another kind of field, or none.
    #[error("an answer does not fit its question")]
    Kind,
}

fn sendable(line: &[u8]) -> Result<(), Why> {
    if line == b"." {
        return Err(Why::Dot);
    }
    match line.iter().find(|octet| matches!(octet, b'\r' | b'\n' | 0)) {
        Some(0) => Err(Why::Nul),
        Some(_) => Err(Why::LineBreak),
        None => Ok(()),
    }
}

/// The lines of a file, which may end in CR LF or LF.
fn file_lines(octets: &[u8]) -> impl Iterator<Item = &[u8]> {
    let some = !octets.is_empty();
    let octets = octets.strip_suffix(b"\n").unwrap_or(octets);
    octets
        .split(|&octet| octet == b'\n')
        .filter(move |_| some)
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
}

fn count(line: &[u8]) -> Option<usize> {
    std::str::from_utf8(line.trim_ascii()).ok()?.parse().ok()
}

/// A Gopher+ string that is a form with its answers.
#[derive(Clone, PartialEq, Eq)]
pub struct Filled<'a> {
    /// The view to have the reply in; mostly empty.
    pub view: &'a [u8],
    /// The lines of the answers, without their ends.
    pub lines: Vec<&'a [u8]>,
}

/// The answers are kept out, as they may hold a password.
impl std::fmt::Debug for Filled<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Filled")
            .field("view", &self.view.escape_ascii().to_string())
            .finish_non_exhaustive()
    }
}

impl<'a> Filled<'a> {
    /// Reads a Gopher+ string, decoded. Nothing when it is no filled form to the last octet, as then its line breaks
    /// must not be sent.
    pub fn parse(plus: &'a [u8]) -> Option<Self> {
        let (view, rest) = cut(plus.strip_prefix(b"+")?, b'\t')?;
        sendable(view).ok()?;
        let data = rest.strip_prefix(b"1\r\n+-1\r\n")?.strip_suffix(b".\r\n")?;
        let mut lines = Vec::new();
        if !data.is_empty() {
            let data = data.strip_suffix(b"\r\n")?;
            for line in data.split(|&octet| octet == b'\n') {
                lines.push(line);
            }
            // Every line but the last has lost its LF and still has its CR.
            let (_, broken) = lines.split_last_mut()?;
            for line in broken {
                *line = line.strip_suffix(b"\r")?;
            }
        }
        for line in &lines {
            sendable(line).ok()?;
        }
        Some(Self { view, lines })
    }

    /// The Gopher+ string.
    pub fn to_octets(&self) -> Vec<u8> {
        let mut octets = b"+".to_vec();
        octets.extend_from_slice(self.view);
        octets.extend_from_slice(b"\t1\r\n+-1\r\n");
        for line in &self.lines {
            octets.extend_from_slice(line);
            octets.extend_from_slice(b"\r\n");
        }
        octets.extend_from_slice(b".\r\n");
        octets
    }
}
