//! Questions that a load ends with, asked on the terminal when there is one.

use std::io::{self, IsTerminal, Write, stderr, stdin};
use std::path::Path;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, read};
use crossterm::terminal::{disable_raw_mode, enable_raw_mode};

use super::{Setting, Trouble};
use crate::files::download::Earlier;
use crate::files::{keyring, trust};
use crate::load::{
    Caution, NewsHost, PlainLogin, Question, Request, Version, difference, sentences,
};
use crate::net::{Doubt, Trust};
use crate::text::{Text, width};

/// The request with the answer in it; nothing when nobody can be asked, or nobody answers.
pub(super) fn answer(
    question: &Question,
    request: &Request,
    setting: &Setting,
) -> Result<Option<Request>, Trouble> {
    if !stdin().is_terminal() || !stderr().is_terminal() {
        return Ok(None);
    }
    let mut answered = request.clone();
    match question {
        Question::Search => {
            let Some(words) = line("Search for: ", false)? else {
                return Ok(None);
            };
            let url = request.url.with_search(words.as_bytes());
            answered.url = url.map_err(|error| Trouble::new(error.to_string()))?;
        }
        Question::Password {
            user,
            host,
            said,
            security,
        } => {
            if let Some(said) = said {
                writeln!(stderr(), "{said}")?;
            }
            let kept = match (said, request.place()) {
                (None, Some(place)) => keyring::password_now(&place, user),
                (Some(_), _) | (None, None) => None,
            };
            let encryption = security.encryption();
            let prompt = format!("Password of {user} at {host} ({encryption}): ");
            let password = match kept {
                Some(password) => Some(password),
                None => line(&prompt, true)?,
            };
            let Some(password) = password else {
                return Ok(None);
            };
            answered.give_password(user, password);
        }
        Question::Login { host, said } => {
            if let Some(said) = said {
                writeln!(stderr(), "{said}")?;
            }
            let Some(user) = line(&format!("Name at {host}: "), false)? else {
                return Ok(None);
            };
            answered.name(user.trim());
        }
        Question::Account {
            user,
            host,
            said,
            security,
        } => {
            if let Some(said) = said {
                writeln!(stderr(), "{said}")?;
            }
            let encryption = security.encryption();
            let prompt = format!("Account of {user} at {host} ({encryption}): ");
            let Some(account) = line(&prompt, true)? else {
                return Ok(None);
            };
            answered.give_account(user, account);
        }
        Question::NewsServer => {
            let Some(server) = line("News server: ", false)? else {
                return Ok(None);
            };
            let server = NewsHost::parse(&server);
            answered.news_server =
                Some(server.ok_or_else(|| {
                    Trouble::new("that is no host, nor host:port, nor nntps://host")
                })?);
        }
        Question::Certificate(doubt) => answered.trust = judge(doubt, setting)?,
        Question::Unencrypted(unencrypted) => {
            writeln!(stderr(), "{}", unencrypted.sentence())?;
            writeln!(stderr(), "{}", unencrypted.setting())?;
            let typed = line("Send the password unencrypted? yes or no: ", false)?;
            if typed.is_none_or(|typed| typed.trim() != "yes") {
                return Ok(None);
            }
            answered.plain_login = PlainLogin::Accepted;
        }
        Question::Hazards(hazards) => {
            let prompt = format!("{}. Open it? y or n: ", sentences(hazards));
            match line(&prompt, false)? {
                Some(typed) if typed.trim() == "y" => answered.caution = Caution::Warned,
                Some(_) | None => return Ok(None),
            }
        }
        Question::Save { .. }
        | Question::Changed { .. }
        | Question::Unknown(_)
        | Question::Form(_)
        | Question::Send(_) => {
            return Ok(None);
        }
    }
    Ok(Some(answered))
}

/// What becomes of the part of a file that has changed since; nothing when nobody can be asked, or nobody answers.
pub(super) fn changed(was: &Version, is: &Version) -> Result<Option<Earlier>, Trouble> {
    if !stdin().is_terminal() || !stderr().is_terminal() {
        return Ok(None);
    }
    writeln!(stderr(), "{}", difference(was, is))?;
    let prompt = "Type again to download it again, or resume to join both; anything else stops: ";
    let typed = line(prompt, false)?;
    Ok(match typed.as_deref().map(str::trim) {
        Some("again") => Some(Earlier::Replaced),
        Some("resume") => Some(Earlier::Trusted),
        Some(_) | None => None,
    })
}

/// Whether somebody at the terminal agrees; nothing when nobody can be asked.
pub(super) fn agrees(question: &str) -> Result<Option<bool>, Trouble> {
    if !stdin().is_terminal() || !stderr().is_terminal() {
        return Ok(None);
    }
    let typed = line(&format!("{question} y or n: "), false)?;
    Ok(Some(typed.is_some_and(|typed| typed.trim() == "y")))
}

/// Whether files are to be added to a directory that holds others; no where nobody can be asked.
pub(super) fn merge(path: &Path) -> Result<bool, Trouble> {
    let path = Text::of(&path.display().to_string());
    let question = format!("{path} holds files from elsewhere. Add these?");
    Ok(agrees(&question)?.unwrap_or(false))
}

/// What is known of a certificate once somebody has judged it.
fn judge(doubt: &Doubt, setting: &Setting) -> Result<Trust, Trouble> {
    for sentence in doubt.sentences() {
        writeln!(stderr(), "{}", Text::of(&sentence))?;
    }
    let prompt = "Trust it? Type once or always; anything else rejects it: ";
    let typed = line(prompt, false)?.unwrap_or_default();
    let trust = match typed.trim() {
        "always" => {
            let path = setting.places.trust();
            let pin = trust::save(&path, &doubt.place, doubt.fingerprint);
            Trust {
                pin: Some(pin.map_err(|error| Trouble::new(error.to_string()))?),
                once: None,
            }
        }
        "once" => Trust {
            pin: doubt.known.clone(),
            once: Some(doubt.fingerprint),
        },
        _ => {
            let refused = "the certificate was not accepted, so nothing was sent";
            return Err(Trouble::new(refused));
        }
    };
    Ok(trust)
}

/// One line from the terminal, unseen when it is secret; nothing when it is left with Esc or Ctrl-C.
fn line(prompt: &str, secret: bool) -> io::Result<Option<String>> {
    // Before the question is seen: what is typed at once must come as keys.
    enable_raw_mode()?;
    let typed = typed(prompt, secret);
    disable_raw_mode()?;
    writeln!(stderr())?;
    typed
}

fn typed(prompt: &str, secret: bool) -> io::Result<Option<String>> {
    write!(stderr(), "{}", Text::of(prompt))?;
    stderr().flush()?;
    let mut line = String::new();
    loop {
        let Event::Key(key) = read()? else { continue };
        match edit(&line, key) {
            Step::Done => return Ok(Some(line)),
            Step::Left => return Ok(None),
            Step::Line(edited) => {
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

/// What a key does to a line.
#[derive(Debug, PartialEq, Eq)]
enum Step {
    /// It is the answer.
    Done,
    /// Nobody answers.
    Left,
    /// It goes on as this.
    Line(String),
}

/// The line after a key, by the keys that a terminal's own line editing has. A letter with Ctrl or Alt held is a
/// command and no letter: in a secret line nobody would see that it got in.
fn edit(line: &str, key: KeyEvent) -> Step {
    if key.kind == KeyEventKind::Release {
        return Step::Line(line.to_owned());
    }
    let held = key.modifiers.difference(KeyModifiers::SHIFT);
    let edited = match key.code {
        KeyCode::Enter => return Step::Done,
        KeyCode::Esc => return Step::Left,
        KeyCode::Char(letter) if held == KeyModifiers::CONTROL => match letter {
            'c' | 'd' => return Step::Left,
            'u' => "",
            'w' => without_last_word(line),
            // What some terminals send for Backspace.
            'h' => without_last_letter(line),
            _ => line,
        },
        KeyCode::Char(letter) if held.is_empty() => return Step::Line(format!("{line}{letter}")),
        KeyCode::Backspace => without_last_letter(line),
        _ => line,
    };
    Step::Line(edited.to_owned())
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

/// What makes a line on the screen another one, which is longer or shorter at its end.
fn echo(before: &str, after: &str) -> String {
    match after.strip_prefix(before) {
        Some(more) => more.to_owned(),
        None => "\u{8} \u{8}".repeat(width(before).saturating_sub(width(after))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The line after these keys.
    fn typed(keys: &[(KeyModifiers, &str)]) -> String {
        let mut line = String::new();
        for (held, letters) in keys {
            for letter in letters.chars() {
                match edit(&line, KeyEvent::new(KeyCode::Char(letter), *held)) {
                    Step::Line(edited) => line = edited,
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
        assert_eq!(step(KeyCode::Enter, PLAIN), Step::Done);
        assert_eq!(step(KeyCode::Esc, PLAIN), Step::Left);
        assert_eq!(step(KeyCode::Char('c'), CTRL), Step::Left);
        assert_eq!(step(KeyCode::Char('d'), CTRL), Step::Left);
        assert_eq!(step(KeyCode::Backspace, PLAIN), Step::Line(String::new()));
        assert_eq!(step(KeyCode::Up, PLAIN), Step::Line("a".to_owned()));
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
