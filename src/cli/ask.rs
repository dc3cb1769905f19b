//! Questions that a load ends with, asked on the terminal when there is one.

use std::io::{self, IsTerminal, Write, stderr, stdin};

use crossterm::event::{Event, KeyCode, KeyEventKind, KeyModifiers, read};
use crossterm::terminal::{disable_raw_mode, enable_raw_mode};

use super::Trouble;
use crate::app::host_and_port;
use crate::load::{Login, Question, Request};

/// The request with the answer in it; nothing when nobody can be asked, or nobody answers.
pub(super) fn answer(question: &Question, request: &Request) -> Result<Option<Request>, Trouble> {
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
        Question::Password { user, host, said } => {
            if let Some(said) = said {
                writeln!(stderr(), "{said}")?;
            }
            let prompt = format!("Password of {user} at {host}: ");
            let Some(password) = line(&prompt, true)? else {
                return Ok(None);
            };
            answered.login = Some(Login {
                user: user.clone(),
                password,
            });
        }
        Question::Login { host, said } => {
            if let Some(said) = said {
                writeln!(stderr(), "{said}")?;
            }
            let Some(user) = line(&format!("Name at {host}: "), false)? else {
                return Ok(None);
            };
            answered.login = Some(Login {
                user,
                password: String::new(),
            });
        }
        Question::NewsServer => {
            let Some(server) = line("News server: ", false)? else {
                return Ok(None);
            };
            let server = host_and_port(&server);
            answered.news_server =
                Some(server.ok_or_else(|| Trouble::new("that is no host, nor host:port"))?);
        }
        Question::Save { .. } => return Ok(None),
    }
    Ok(Some(answered))
}

/// One line from the terminal, unseen when it is secret; nothing when it is left with Esc or Ctrl-C.
fn line(prompt: &str, secret: bool) -> io::Result<Option<String>> {
    let mut err = stderr();
    write!(err, "{prompt}")?;
    err.flush()?;
    enable_raw_mode()?;
    let typed = typed(secret);
    disable_raw_mode()?;
    writeln!(err)?;
    typed
}

fn typed(secret: bool) -> io::Result<Option<String>> {
    let mut line = String::new();
    loop {
        let Event::Key(key) = read()? else { continue };
        if key.kind == KeyEventKind::Release {
            continue;
        }
        match key.code {
            KeyCode::Enter => return Ok(Some(line)),
            KeyCode::Esc => return Ok(None),
            KeyCode::Char('c' | 'd') if key.modifiers.contains(KeyModifiers::CONTROL) => {
                return Ok(None);
            }
            KeyCode::Backspace => {
                let gone = line.pop().is_some();
                if gone && !secret {
                    write!(stderr(), "\u{8} \u{8}")?;
                }
            }
            KeyCode::Char(letter) => {
                line.push(letter);
                if !secret {
                    write!(stderr(), "{letter}")?;
                }
            }
            _ => {}
        }
        stderr().flush()?;
    }
}
