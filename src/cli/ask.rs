//! Questions of a load, answered on the terminal if there is one.

use std::io::{self, IsTerminal, Write, stderr, stdin};
use std::path::Path;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use geomys_page::load::{
    Caution, FormAnswers, HiddenAnswers, NewsHost, PlainLoginConsent, Question, Request,
    UnencryptedLogin, hazard_sentences, wanted_identity,
};
use geomys_store::files::{logins, trust};
use geomys_wire::net::{Trust, UntrustedCertificate};
use geomys_wire::text::{Text, width};
use rfc1738::Url;

use super::context::CliContext;
use super::error::CliError;
use super::keys::PromptKeys;

/// Asks a question and returns the request with the answer; `None` without a terminal, or without an answer.
pub(super) fn answer(
    question: &Question,
    request: &Request,
    context: &CliContext,
) -> Result<Option<Request>, CliError> {
    if !is_interactive() {
        return Ok(None);
    }
    if let Some(said) = said(question) {
        writeln!(stderr(), "{said}")?;
    }
    typed_answer(question, request, context)
}

fn typed_answer(
    question: &Question,
    request: &Request,
    context: &CliContext,
) -> Result<Option<Request>, CliError> {
    let mut answered = request.clone();
    match question {
        Question::Search => {
            let Some(words) = line("Search for: ", false)? else {
                return Ok(None);
            };
            add_input(&mut answered, &request.url, words, false)?;
        }
        Question::Input {
            prompt,
            is_secret,
            url,
        } => {
            let Some(words) = line(&format!("{prompt} "), *is_secret)? else {
                return Ok(None);
            };
            add_input(&mut answered, url, words, *is_secret)?;
        }
        Question::Password { .. } | Question::Login { .. } | Question::Account { .. } => {
            if type_login(question, &mut answered)?.is_none() {
                return Ok(None);
            }
        }
        Question::Identity {
            authority,
            why,
            said,
            url,
            names,
        } => {
            let sentence = wanted_identity(authority, why, said.as_ref());
            let stored = match names.as_slice() {
                [] => String::new(),
                names => format!(" (stored: {})", names.join(", ")),
            };
            let prompt = format!("{sentence}. Its name{stored}: ");
            let Some(name) = line(&prompt, false)?.filter(|name| !name.trim().is_empty()) else {
                return Ok(None);
            };
            answered.url = url.clone();
            answered.identity = Some(name.trim().to_owned());
        }
        Question::NewsServer => {
            let Some(server) = typed_news_server()? else {
                return Ok(None);
            };
            answered.news_server = Some(server);
        }
        Question::Certificate(error) => answered.trust = ask_certificate(error, context)?,
        Question::Unencrypted(unencrypted) if confirms_unencrypted(unencrypted)? => {
            answered.plain_login = PlainLoginConsent::Accepted;
        }
        Question::Hazards(hazards) if agrees_to(&hazard_sentences(hazards))? => {
            answered.caution = Caution::Confirmed;
        }
        Question::LocalAddress(target) if agrees_to(&target.sentence())? => {
            answered.local_consent.accept(&target.authority);
        }
        Question::Unencrypted(_)
        | Question::Hazards(_)
        | Question::LocalAddress(_)
        | Question::Save { .. }
        | Question::Changed { .. }
        | Question::Unknown(_)
        | Question::Form(_)
        | Question::Send(_) => return Ok(None),
    }
    Ok(Some(answered))
}

/// Adds the typed name, password or account to a request; `None` for another question, and without an answer.
fn type_login(question: &Question, request: &mut Request) -> Result<Option<()>, CliError> {
    match question {
        Question::Login { host, .. } => {
            let user = line(&format!("Name at {host}: "), false)?;
            Ok(user.map(|user| request.set_user(user.trim())))
        }
        Question::Password {
            user,
            host,
            said,
            security,
        } => {
            let prompt = format!("Password of {user} at {host} ({}): ", security.encryption());
            // The server has refused the stored password if it says something.
            let scope = request.login_scope().filter(|_| said.is_none());
            let password = stored_or_typed(scope, user, &prompt)?;
            Ok(password.map(|password| request.set_password(user, password)))
        }
        Question::Account {
            user,
            host,
            security,
            ..
        } => {
            let prompt = format!("Account of {user} at {host} ({}): ", security.encryption());
            Ok(line(&prompt, true)?.map(|account| request.set_account(user, account)))
        }
        _ => Ok(None),
    }
}

/// Adds what a server has asked for to a request.
fn add_input(
    request: &mut Request,
    url: &Url,
    words: String,
    is_secret: bool,
) -> Result<(), CliError> {
    if is_secret {
        request.url = url.clone();
        request.answers = FormAnswers::Hidden(HiddenAnswers(words.into_bytes()));
    } else {
        let url = url.with_search(words.as_bytes());
        request.url = url.map_err(CliError::new)?;
    }
    Ok(())
}

fn typed_news_server() -> Result<Option<NewsHost>, CliError> {
    let problem = "expected host, host:port or nntps://host";
    let server = line("News server: ", false)?;
    let server = server.map(|typed| NewsHost::parse(&typed).ok_or_else(|| CliError::new(problem)));
    server.transpose()
}

fn agrees_to(problem: &str) -> Result<bool, CliError> {
    let prompt = format!("{problem}. Open it? y or n: ");
    Ok(line(&prompt, false)?.is_some_and(|typed| typed.trim() == "y"))
}

/// Returns the password of a login scope in the keyring, else the one that the user types.
fn stored_or_typed(
    scope: Option<String>,
    user: &str,
    prompt: &str,
) -> Result<Option<String>, CliError> {
    match scope.and_then(|scope| logins::password_now(&scope, user)) {
        Some(password) => Ok(Some(password)),
        None => Ok(line(prompt, true)?),
    }
}

/// Asks whether to send a password without TLS. Returns true for the answer yes.
fn confirms_unencrypted(unencrypted: &UnencryptedLogin) -> Result<bool, CliError> {
    writeln!(stderr(), "{}", unencrypted.sentence())?;
    writeln!(stderr(), "{}", unencrypted.setting())?;
    let typed = line("Send the password unencrypted? yes or no: ", false)?;
    Ok(typed.is_some_and(|typed| typed.trim() == "yes"))
}

/// Returns the server's words in a question about a login.
fn said(question: &Question) -> Option<&Text> {
    match question {
        Question::Password { said, .. }
        | Question::Login { said, .. }
        | Question::Account { said, .. }
        | Question::Identity { said, .. } => said.as_ref(),
        Question::Search
        | Question::Input { .. }
        | Question::NewsServer
        | Question::Certificate(_)
        | Question::Unencrypted(_)
        | Question::Hazards(_)
        | Question::LocalAddress(_)
        | Question::Save { .. }
        | Question::Changed { .. }
        | Question::Unknown(_)
        | Question::Form(_)
        | Question::Send(_) => None,
    }
}

/// Returns true if there is a terminal to ask on.
fn is_interactive() -> bool {
    stdin().is_terminal() && stderr().is_terminal()
}

/// Asks a yes-or-no question; `None` without a terminal.
pub(super) fn agrees(question: &str) -> Result<Option<bool>, CliError> {
    if !is_interactive() {
        return Ok(None);
    }
    let typed = line(&format!("{question} y or n: "), false)?;
    Ok(Some(typed.is_some_and(|typed| typed.trim() == "y")))
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
            let pin = trust::save(&path, &error.authority, error.fingerprint);
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

/// Returns the effect of a key, with the keys of line editing in a terminal. A letter with Ctrl or Alt is a command and no
/// letter: in a hidden line the user would not see it.
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
