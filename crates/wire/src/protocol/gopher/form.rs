//! Forms: the +ASK block of an item, and the answers to it (Gopher+, section 2.8; RFC 1738, section 3.4.9).
//!
//! ```text
//! line   = "Ask:"     prompt [ TAB default ]                ; a line
//!        / "AskP:"    prompt [ TAB default ]                ; a line that is hidden while typed
//!        / "AskL:"    prompt [ TAB default ]                ; any number of lines
//!        / "AskF:"    prompt [ TAB default ]                ; the name of a file to be written
//!        / "Select:"  prompt [ ( ":" / TAB ) ( "0" / "1" ) ] ; yes or no
//!        / "Choose:"  prompt 1*( TAB choice )               ; one of the choices
//!        / "ChooseF:" prompt                                ; a file to be sent
//!        / "Note:"    text                                  ; nothing to answer
//!        / word ":"   prompt [ TAB default ]                ; an unknown one: like Ask
//!        / text                                             ; like Note
//! filled = "+" [ view ] TAB "1" CR LF data                  ; the Gopher+ string
//! data   = "+-1" CR LF *( answer CR LF ) "." CR LF
//! ```
//!
//! Note and the suffix of Select are not in the paper, but in the servers of its authors. An answer is one line; the
//! answer to `AskL` is a line with the number of lines, then those lines; the answer to `ChooseF` is the lines of the
//! file, after all other answers. Dots are not doubled, so a lone dot cannot be sent as a line. Left out: data sent by
//! count or up to the close, which those servers do not accept, and more than one file.

use crate::protocol::octets::{self, parse, split_once};

/// A form of a server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Form<'a> {
    /// The fields, in the order in which they are shown and answered.
    pub fields: Vec<Field<'a>>,
}

/// A field of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field<'a> {
    /// The prompt.
    pub prompt: &'a [u8],
    /// The kind of answer.
    pub kind: FieldKind<'a>,
}

/// The kind of a field. Defaults are as the server writes them; most are empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldKind<'a> {
    /// A note without an answer.
    Note,
    /// A line, with its default.
    Ask(&'a [u8]),
    /// A line that is hidden while it is typed, with its default.
    AskP(&'a [u8]),
    /// Lines, with the default of the first.
    AskL(&'a [u8]),
    /// The name of a local file for the reply, with its default; the name is sent.
    AskF(&'a [u8]),
    /// Yes or no, with its default.
    Select(bool),
    /// One of these choices; the first is the default.
    Choose(Vec<&'a [u8]>),
    /// A local file to send.
    ChooseF,
}

impl FieldKind<'_> {
    /// Returns true if this is the kind of answer to such a field.
    fn takes(&self, answer: &FormAnswer) -> bool {
        match self {
            Self::Note => matches!(answer, FormAnswer::Nothing),
            Self::Ask(_) | Self::AskP(_) | Self::AskF(_) | Self::Choose(_) => {
                matches!(answer, FormAnswer::Line(_))
            }
            Self::AskL(_) => matches!(answer, FormAnswer::Lines(_)),
            Self::Select(_) => matches!(answer, FormAnswer::Select(_)),
            Self::ChooseF => matches!(answer, FormAnswer::Nothing | FormAnswer::File(_)),
        }
    }
}

impl<'a> Form<'a> {
    /// Parses the lines of a +ASK block, without their leading spaces.
    pub fn parse(lines: impl Iterator<Item = &'a [u8]>) -> Self {
        Self {
            fields: lines.map(Field::parse).collect(),
        }
    }

    /// Returns true if an answer is secret, so that a URL with the answers must not be stored or shown.
    pub fn has_secret(&self) -> bool {
        let mut kinds = self.fields.iter().map(|field| &field.kind);
        kinds.any(|kind| matches!(kind, FieldKind::AskP(_)))
    }

    /// Returns the lines to send for `answers`, of which there must be one for each field.
    ///
    /// # Errors
    /// [`InvalidAnswer`], with the index of the field, if an answer does not match the kind of its field or cannot be
    /// sent.
    pub fn lines(&self, answers: &[FormAnswer]) -> Result<Vec<Vec<u8>>, InvalidAnswer> {
        if answers.len() != self.fields.len() {
            let field = answers.len().min(self.fields.len());
            let error = AnswerError::WrongKind;
            return Err(InvalidAnswer { field, error });
        }
        let (mut lines, mut file) = (Vec::new(), None);
        for (index, (field, answer)) in self.fields.iter().zip(answers).enumerate() {
            let invalid = |error| InvalidAnswer {
                field: index,
                error,
            };
            if !field.kind.takes(answer) {
                return Err(invalid(AnswerError::WrongKind));
            }
            match answer {
                FormAnswer::Nothing => {}
                FormAnswer::Line(line) => lines.push(line.clone()),
                FormAnswer::Lines(many) => {
                    lines.push(many.len().to_string().into_bytes());
                    lines.extend(many.iter().cloned());
                }
                FormAnswer::Select(true) => lines.push(b"1".to_vec()),
                FormAnswer::Select(false) => lines.push(b"0".to_vec()),
                FormAnswer::File(_) if file.is_some() => {
                    return Err(invalid(AnswerError::SecondFile));
                }
                FormAnswer::File(octets) => file = Some(octets),
            }
            for line in answer.typed_lines() {
                sendable(line).map_err(invalid)?;
            }
        }
        let file = file.map(|octets| file_lines(octets));
        lines.extend(file.into_iter().flatten().map(<[u8]>::to_vec));
        Ok(lines)
    }

    /// Returns the Gopher+ string of this form filled with `answers`, for a URL and for sending. `view` is the view of
    /// the reply, usually empty.
    ///
    /// # Errors
    /// [`InvalidAnswer`], as in [`Form::lines`]. For a view with a TAB or a line break the index is the number of
    /// fields.
    pub fn fill(&self, view: &[u8], answers: &[FormAnswer]) -> Result<Vec<u8>, InvalidAnswer> {
        let field = self.fields.len();
        if view.contains(&b'\t') {
            let error = AnswerError::LineBreak;
            return Err(InvalidAnswer { field, error });
        }
        sendable(view).map_err(|error| InvalidAnswer { field, error })?;
        let lines = self.lines(answers)?;
        let filled = FilledForm {
            view,
            lines: lines.iter().map(Vec::as_slice).collect(),
        };
        Ok(filled.to_octets())
    }

    /// Returns the answers that these lines contain: the inverse of [`Form::lines`]. Missing lines leave an answer
    /// empty, surplus lines are ignored: a URL may be older than the form.
    pub fn answers(&self, lines: &[&[u8]]) -> Vec<FormAnswer> {
        let mut rest = lines.iter().copied();
        let mut answers = Vec::with_capacity(self.fields.len());
        let mut file = None;
        for (number, field) in self.fields.iter().enumerate() {
            answers.push(match field.kind {
                FieldKind::Note => FormAnswer::Nothing,
                FieldKind::Ask(_)
                | FieldKind::AskP(_)
                | FieldKind::AskF(_)
                | FieldKind::Choose(_) => {
                    FormAnswer::Line(rest.next().unwrap_or_default().to_vec())
                }
                FieldKind::AskL(_) => {
                    let count = rest.next().and_then(|line| parse(line.trim_ascii()));
                    let lines = rest.by_ref().take(count.unwrap_or(0));
                    FormAnswer::Lines(lines.map(<[u8]>::to_vec).collect())
                }
                FieldKind::Select(_) => FormAnswer::Select(rest.next() == Some(b"1")),
                FieldKind::ChooseF => {
                    file.get_or_insert(number);
                    FormAnswer::Nothing
                }
            });
        }
        let rest: Vec<u8> = rest.flat_map(|line| [line, b"\r\n"].concat()).collect();
        let file_answer = file.and_then(|number| answers.get_mut(number));
        if let Some(file_answer) = file_answer.filter(|_| !rest.is_empty()) {
            *file_answer = FormAnswer::File(rest);
        }
        answers
    }
}

impl<'a> Field<'a> {
    /// Parses a line of a +ASK block, without its leading space. Keywords are compared ignoring case.
    pub fn parse(line: &'a [u8]) -> Self {
        let line = line.trim_ascii_start();
        let Some((keyword, rest)) = split_once(line, b':') else {
            return Self {
                prompt: line.trim_ascii_end(),
                kind: FieldKind::Note,
            };
        };
        let (prompt, after) = split_once(rest, b'\t').unwrap_or((rest, b""));
        let default = split_once(after, b'\t').map_or(after, |(default, _)| default);
        let (prompt, kind) = match keyword.trim_ascii().to_ascii_lowercase().as_slice() {
            b"note" => (rest, FieldKind::Note),
            b"askp" => (prompt, FieldKind::AskP(default)),
            b"askl" => (prompt, FieldKind::AskL(default)),
            b"askf" => (prompt, FieldKind::AskF(default)),
            b"select" => selected(rest.trim_ascii_end()),
            b"choose" => {
                let choices = after.split(|&octet| octet == b'\t');
                let choices = choices.filter(|choice| !choice.is_empty());
                (prompt, FieldKind::Choose(choices.collect()))
            }
            b"choosef" => (prompt, FieldKind::ChooseF),
            _ => (prompt, FieldKind::Ask(default)),
        };
        Self {
            prompt: prompt.trim_ascii(),
            kind,
        }
    }
}

/// Splits the text of a Select into the prompt and the default, which is on only for a `1`.
fn selected(text: &[u8]) -> (&[u8], FieldKind<'_>) {
    let (text, after) = split_once(text, b'\t').unwrap_or((text, b""));
    let (prompt, default) = match text {
        [prompt @ .., b':', default @ (b'0' | b'1')] => (prompt, *default),
        _ => (text, after.trim_ascii().first().copied().unwrap_or(b'0')),
    };
    (prompt, FieldKind::Select(default == b'1'))
}

/// An answer to a field of a form.
#[derive(Clone, PartialEq, Eq)]
pub enum FormAnswer {
    /// No answer: to a Note, or to a `ChooseF` without a file.
    Nothing,
    /// The answer to Ask, `AskP`, `AskF` or Choose.
    Line(Vec<u8>),
    /// The answer to `AskL`.
    Lines(Vec<Vec<u8>>),
    /// The answer to Select.
    Select(bool),
    /// The answer to `ChooseF`: the content of the file. It is sent as lines, each with CR LF at its end. An empty file
    /// is sent like no answer.
    File(Vec<u8>),
}

impl FormAnswer {
    /// Returns the lines of the answer that the user typed.
    fn typed_lines(&self) -> Vec<&[u8]> {
        match self {
            Self::Nothing | Self::Select(_) => Vec::new(),
            Self::Line(line) => vec![line],
            Self::Lines(lines) => lines.iter().map(Vec::as_slice).collect(),
            Self::File(octets) => file_lines(octets).collect(),
        }
    }
}

/// Debug output of the lengths only, as an answer may be a password.
impl std::fmt::Debug for FormAnswer {
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

/// An answer that cannot be sent, with the index of its field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{error}")]
pub struct InvalidAnswer {
    /// The index of the field, from 0.
    pub field: usize,
    /// The problem.
    pub error: AnswerError,
}

/// The reason why an answer cannot be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// A line break, which would end the line early.
    #[error("an answer contains a line break")]
    LineBreak,
    /// A NUL, which ends texts.
    #[error("an answer contains a NUL")]
    Nul,
    /// A lone dot, which would end the form early.
    #[error("a line of an answer is a single dot, which would end the form")]
    Dot,
    /// A second file; a form is sent with one file.
    #[error("only one file can be sent")]
    SecondFile,
    /// An answer to another kind of field, or to no field.
    #[error("an answer does not fit its question")]
    WrongKind,
}

fn sendable(line: &[u8]) -> Result<(), AnswerError> {
    if line == b"." {
        return Err(AnswerError::Dot);
    }
    match line.iter().find(|octet| matches!(octet, b'\r' | b'\n' | 0)) {
        Some(0) => Err(AnswerError::Nul),
        Some(_) => Err(AnswerError::LineBreak),
        None => Ok(()),
    }
}

/// Splits a file into lines, which may end in CR LF or LF.
fn file_lines(octets: &[u8]) -> impl Iterator<Item = &[u8]> {
    let some = !octets.is_empty();
    let octets = octets.strip_suffix(b"\n").unwrap_or(octets);
    octets::lines(octets).filter(move |_| some)
}

/// A Gopher+ string that contains a filled form.
#[derive(Clone, PartialEq, Eq)]
pub struct FilledForm<'a> {
    /// The view of the reply; usually empty.
    pub view: &'a [u8],
    /// The lines of the answers, without line ends.
    pub lines: Vec<&'a [u8]>,
}

/// Debug output without the answers, which may contain a password.
impl std::fmt::Debug for FilledForm<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FilledForm")
            .field("view", &self.view.escape_ascii().to_string())
            .finish_non_exhaustive()
    }
}

impl<'a> FilledForm<'a> {
    /// Parses a decoded Gopher+ string. `None` if it is not a valid filled form to the last octet: then its line breaks
    /// must not be sent.
    pub fn parse(plus: &'a [u8]) -> Option<Self> {
        let (view, rest) = split_once(plus.strip_prefix(b"+")?, b'\t')?;
        sendable(view).ok()?;
        let data = rest.strip_prefix(b"1\r\n+-1\r\n")?.strip_suffix(b".\r\n")?;
        let lines = data.split_inclusive(|&octet| octet == b'\n');
        let lines = lines.map(|line| line.strip_suffix(b"\r\n"));
        let lines = lines.collect::<Option<Vec<_>>>()?;
        for line in &lines {
            sendable(line).ok()?;
        }
        Some(Self { view, lines })
    }

    /// Returns the Gopher+ string.
    pub fn to_octets(&self) -> Vec<u8> {
        let mut octets = [b"+", self.view, b"\t1\r\n+-1\r\n"].concat();
        for line in &self.lines {
            octets.extend_from_slice(line);
            octets.extend_from_slice(b"\r\n");
        }
        octets.extend_from_slice(b".\r\n");
        octets
    }
}
