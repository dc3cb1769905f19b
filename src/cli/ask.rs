//! Questions of a load, answered on the terminal if there is one.

use std::io::{self, IsTerminal, Write, stdin};
use std::path::Path;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use geomys_load::{
    Caution, FormAnswers, HiddenAnswers, IdentityScope, NewsHost, PlainLoginConsent, Question,
    QuestionWords, Request,
};
use geomys_store::files::{logins, trust};
use geomys_wire::net::{Trust, UntrustedCertificate};
use geomys_wire::text::{Text, width};
use rfc1738::Url;

use super::context::CliContext;
use super::error::CliError;
use super::signals::restore_at_signal;
use super::terminal::PromptKeys;
use crate::cli::locale::stderr;

/// Asks a question and returns the request with the answer; `None` without a terminal, or without an answer.
pub(super) fn answer(
    question: &Question,
    request: &Request,
    context: &CliContext,
) -> Result<Option<Request>, CliError> {
    if !is_interactive() {
        return Ok(None);
    }
    if let Question::Certificate(error) = question {
        let trust = ask_certificate(error, context)?;
        return Ok(Some(Request {
            trust,
            ..request.clone()
        }));
    }
    match question.words() {
        Some(words) => answered(question, &words, request.clone()),
        None => Ok(None),
    }
}

/// Asks a question in its words, and adds the answer to the request; `None` without an answer.
fn answered(
    question: &Question,
    words: &QuestionWords,
    mut request: Request,
) -> Result<Option<Request>, CliError> {
    if let Question::Password {
        user, said: None, ..
    } = question
        // The server has refused the stored password if it says something.
        && let Some(password) = request
            .login_scope()
            .and_then(|scope| logins::password_now(&scope, user))
    {
        request.set_password(user, password);
        return Ok(Some(request));
    }
    for remark in &words.remarks {
        writeln!(stderr(), "{remark}")?;
    }
    if let Question::Identity { names, .. } = question
        && !names.is_empty()
    {
        writeln!(stderr(), "stored certificates: {}", names.join(", "))?;
    }
    match question {
        Question::Unencrypted(_) => {
            // A single letter is typed too easily.
            let typed = line(&format!("{} yes or no: ", words.prompt), false)?;
            if typed.is_none_or(|typed| typed.trim() != "yes") {
                return Ok(None);
            }
            request.consents.plain_login = PlainLoginConsent::Accepted;
        }
        Question::Hazards(_) if confirms(&words.prompt)? => {
            request.consents.caution = Caution::Confirmed;
        }
        Question::LocalAddress(target) if confirms(&words.prompt)? => {
            request.consents.local.accept(&target.authority);
        }
        Question::ActiveMode { .. } if confirms(&words.prompt)? => {
            request.consents.active = true;
        }
        Question::Unpack { .. } if confirms(&words.prompt)? => {
            request.consents.unpack = true;
        }
        Question::Hazards(_)
        | Question::LocalAddress(_)
        | Question::ActiveMode { .. }
        | Question::Unpack { .. } => {
            return Ok(None);
        }
        Question::Search
        | Question::Input { .. }
        | Question::Login { .. }
        | Question::Password { .. }
        | Question::Account { .. }
        | Question::Identity { .. }
        | Question::NewsServer
        | Question::Certificate(_)
        | Question::Save { .. }
        | Question::Changed { .. }
        | Question::Unknown(_)
        | Question::Form(_)
        | Question::Send(_) => {
            let Some(typed) = line(&format!("{} ", words.label()), words.is_secret)? else {
                return Ok(None);
            };
            if !add_typed(question, typed, &mut request)? {
                return Ok(None);
            }
        }
    }
    Ok(Some(request))
}

/// Adds a typed line to a request. Returns false if it is no answer.
fn add_typed(question: &Question, typed: String, request: &mut Request) -> Result<bool, CliError> {
    match question {
        Question::Search => set_search(request, &request.url.clone(), &typed)?,
        Question::Input {
            is_secret: false,
            url,
            ..
        } => set_search(request, url, &typed)?,
        Question::Input { url, .. } => {
            request.url = url.clone();
            request.answers = FormAnswers::Hidden(HiddenAnswers(typed.into_bytes()));
        }
        Question::Login { .. } => request.set_user(typed.trim()),
        Question::Password { user, .. } => request.set_password(user, typed),
        Question::Account { user, .. } => request.set_account(user, typed),
        Question::Identity { url, .. } if !typed.trim().is_empty() => {
            request.url = url.clone();
            request.certificate.name = Some(typed.trim().to_owned());
            let prompt = "For this page and below, or the whole host? Type page or host: ";
            let scope = line(prompt, false)?.unwrap_or_default();
            if scope.trim() == "host" {
                request.certificate.scope = IdentityScope::Host;
            }
        }
        Question::NewsServer => {
            let server = NewsHost::parse(&typed);
            let server = server.ok_or_else(|| CliError::new(NewsHost::EXPECTED))?;
            request.news_query.server = Some(server);
        }
        Question::Identity { .. }
        | Question::Unencrypted(_)
        | Question::Hazards(_)
        | Question::LocalAddress(_)
        | Question::ActiveMode { .. }
        | Question::Unpack { .. }
        | Question::Certificate(_)
        | Question::Save { .. }
        | Question::Changed { .. }
        | Question::Unknown(_)
        | Question::Form(_)
        | Question::Send(_) => return Ok(false),
    }
    Ok(true)
}

fn set_search(request: &mut Request, url: &Url, words: &str) -> Result<(), CliError> {
    let url = url.with_search(words.as_bytes());
    request.url = url.map_err(CliError::new)?;
    Ok(())
}

/// Asks a question to be answered with yes or no.
fn confirms(question: &str) -> io::Result<bool> {
    let typed = line(&format!("{question} y or n: "), false)?;
    Ok(typed.is_some_and(|typed| typed.trim() == "y"))
}

/// Returns true if there is a terminal to ask on.
pub(super) fn is_interactive() -> bool {
    stdin().is_terminal() && stderr().is_terminal()
}

/// Asks a yes-or-no question; `None` without a terminal.
pub(super) fn agrees(question: &str) -> Result<Option<bool>, CliError> {
    if !is_interactive() {
        return Ok(None);
    }
    Ok(Some(confirms(question)?))
}

/// Asks whether to add files to a directory with other files; false without a terminal.
pub(super) fn merge(path: &Path) -> Result<bool, CliError> {
    let path = Text::of(&path.display().to_string());
    let question = format!("{path} contains other files. Add these?");
    Ok(agrees(&question)?.unwrap_or(false))
}

/// Asks about a certificate error and returns the resulting trust.
fn ask_certificate(error: &UntrustedCertificate, context: &CliContext) -> Result<Trust, CliError> {
    for sentence in error.sentences() {
        writeln!(stderr(), "{}", Text::of(&sentence))?;
    }
    let prompt = "Trust it? Type once or always; anything else rejects it: ";
    let typed = line(prompt, false)?.unwrap_or_default();
    let trust = match typed.trim() {
        "always" => {
            let path = context.paths.trust();
            let pin = trust::save(&path, &error.authority, error.pin());
            Trust {
                pin: Some(pin.map_err(CliError::new)?),
                ..Trust::default()
            }
        }
        "once" => Trust {
            pin: error.pinned.clone(),
            once: Some(error.fingerprint),
            ..Trust::default()
        },
        _ => {
            let refused = "the certificate was not accepted, so nothing was sent";
            return Err(CliError::new(refused));
        }
    };
    Ok(trust)
}

/// Reads one line from the terminal, hidden if it is secret; `None` after Esc or Ctrl-C.
fn line(prompt: &str, secret: bool) -> io::Result<Option<String>> {
    restore_at_signal()?;
    // Raw mode before the prompt: early input must arrive as keys.
    enable_raw_mode()?;
    let typed = typed(prompt, secret);
    disable_raw_mode()?;
    writeln!(stderr())?;
    typed
}

fn typed(prompt: &str, secret: bool) -> io::Result<Option<String>> {
    write!(stderr(), "{}", Text::of(prompt))?;
    stderr().flush()?;
    let (mut line, mut keys) = (String::new(), PromptKeys::default());
    loop {
        let Event::Key(key) = keys.next()? else {
            continue;
        };
        match edit(&line, key) {
            PromptEdit::Done => return Ok(Some(line)),
            PromptEdit::Cancelled => return Ok(None),
            PromptEdit::Line(edited) => {
                if !secret {
                    let mut err = stderr();
                    write!(err, "{}", echo(&line, &edited))?;
                    err.flush()?;
                }
                line = edited;
            }
        }
    }
}

/// The effect of a key on a line.
#[derive(Debug, PartialEq, Eq)]
enum PromptEdit {
    /// The line is complete.
    Done,
    /// The input is cancelled.
    Cancelled,
    /// The line is edited to this text.
    Line(String),
}

/// Returns the effect of a key, with the keys of line editing in a terminal. A letter with Ctrl or Alt is a command and
/// no letter: in a hidden line the user would not see it.
fn edit(line: &str, key: KeyEvent) -> PromptEdit {
    if key.kind == KeyEventKind::Release {
        return PromptEdit::Line(line.to_owned());
    }
    let held = key.modifiers.difference(KeyModifiers::SHIFT);
    let edited = match key.code {
        KeyCode::Enter => return PromptEdit::Done,
        KeyCode::Esc => return PromptEdit::Cancelled,
        KeyCode::Char(letter) if held == KeyModifiers::CONTROL => match letter {
            'c' | 'd' => return PromptEdit::Cancelled,
            'u' => "",
            'w' => without_last_word(line),
            // Some terminals send Ctrl-H for Backspace.
            'h' => without_last_letter(line),
            _ => line,
        },
        KeyCode::Char(letter) if held.is_empty() => {
            return PromptEdit::Line(format!("{line}{letter}"));
        }
        KeyCode::Backspace => without_last_letter(line),
        _ => line,
    };
    PromptEdit::Line(edited.to_owned())
}

fn without_last_letter(line: &str) -> &str {
    let mut letters = line.chars();
    letters.next_back();
    letters.as_str()
}

fn without_last_word(line: &str) -> &str {
    let line = line.trim_end();
    line.trim_end_matches(|letter: char| !letter.is_whitespace())
}

/// Returns the output that changes a line on the screen into another one, which is longer or shorter at its end.
fn echo(before: &str, after: &str) -> String {
    match after.strip_prefix(before) {
        Some(more) => more.to_owned(),
        None => "\u{8} \u{8}".repeat(width(before).saturating_sub(width(after))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the line after these keys.
    fn typed(keys: &[(KeyModifiers, &str)]) -> String {
        let mut line = String::new();
        for (held, letters) in keys {
            for letter in letters.chars() {
                match edit(&line, KeyEvent::new(KeyCode::Char(letter), *held)) {
                    PromptEdit::Line(edited) => line = edited,
                    step => panic!("{step:?}"),
                }
            }
        }
        line
    }

    const PLAIN: KeyModifiers = KeyModifiers::NONE;
    const SHIFT: KeyModifiers = KeyModifiers::SHIFT;
    const CTRL: KeyModifiers = KeyModifiers::CONTROL;
    const ALT: KeyModifiers = KeyModifiers::ALT;

    #[test]
    fn a_letter_with_ctrl_or_alt_held_is_no_letter() {
        let both = CTRL | ALT;
        let keys = [(PLAIN, "se"), (CTRL, "ax"), (ALT, "bu"), (both, "cdhuw")];
        assert_eq!(typed(&keys), "se");
        assert_eq!(
            typed(&[(PLAIN, "se"), (SHIFT, "C"), (PLAIN, "ret")]),
            "seCret"
        );
    }

    #[test]
    fn ctrl_u_clears_and_ctrl_w_takes_the_last_word() {
        assert_eq!(typed(&[(PLAIN, "a b"), (CTRL, "u")]), "");
        assert_eq!(typed(&[(PLAIN, "a b"), (CTRL, "u"), (PLAIN, "c")]), "c");
        assert_eq!(typed(&[(PLAIN, "über  cafés "), (CTRL, "w")]), "über  ");
        assert_eq!(typed(&[(PLAIN, "über  cafés "), (CTRL, "ww")]), "");
        assert_eq!(typed(&[(CTRL, "w")]), "");
        assert_eq!(typed(&[(PLAIN, "é"), (CTRL, "hh")]), "");
    }

    #[test]
    fn a_line_ends_and_is_left() {
        let step = |code, held| edit("a", KeyEvent::new(code, held));
        assert_eq!(step(KeyCode::Enter, PLAIN), PromptEdit::Done);
        assert_eq!(step(KeyCode::Esc, PLAIN), PromptEdit::Cancelled);
        assert_eq!(step(KeyCode::Char('c'), CTRL), PromptEdit::Cancelled);
        assert_eq!(step(KeyCode::Char('d'), CTRL), PromptEdit::Cancelled);
        assert_eq!(
            step(KeyCode::Backspace, PLAIN),
            PromptEdit::Line(String::new())
        );
        assert_eq!(step(KeyCode::Up, PLAIN), PromptEdit::Line("a".to_owned()));
    }

    #[test]
    fn what_is_taken_back_goes_from_the_screen() {
        assert_eq!(echo("a", "ab"), "b");
        assert_eq!(echo("a", "a"), "");
        assert_eq!(echo("ab", "a"), "\u{8} \u{8}");
        // A letter that is two columns wide.
        assert_eq!(echo("a漢", "a"), "\u{8} \u{8}\u{8} \u{8}");
        assert_eq!(echo("ab", ""), "\u{8} \u{8}\u{8} \u{8}");
    }
}
