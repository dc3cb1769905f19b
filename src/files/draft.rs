//! Drafts: articles and letters while they are written, each a file of its own that any editor can change.
//!
//! ```text
//! draft  = *( name ":" SP value LF *( WS value LF ) ) LF body        ; UTF-8
//! ```
//!
//! A draft stays in its file until it has been sent; then it goes to the directory beside, `sent`. Nothing stands in it
//! that the person did not set: no name of the machine, no clock, no program.

mod attempt;
mod check;
mod encode;
mod lock;
mod prepare;
mod stored;

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use ring::rand::{SecureRandom, SystemRandom};

pub use self::attempt::{Record, State, new_id};
pub use self::check::{Finding, Known, check, is_mailbox};
pub use self::encode::encode;
pub use self::lock::Secret;
pub use self::prepare::{addressed, cancel, follow_up, letter, new_article, supersede};
pub use self::stored::{Kept, kept, note_refusal, remove};
use super::{atomic, regular};

/// The longest draft that is read, in octets.
const DRAFT: u64 = 1024 * 1024;

/// The longest signature that is read, in octets.
const SIGNATURE: u64 = 64 * 1024;

/// Names that are tried for a file before it is given up.
const NAMES: u32 = 10_000;

/// How a draft goes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// It is posted to groups.
    Post,
    /// It is mailed.
    Mail,
}

/// Who writes, as settings.toml has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Author {
    /// `Name <address>`; nothing until it was set or asked for.
    pub from: Option<String>,
    /// The line above a quotation, with `{name}`, `{date}`, `{group}`, `{subject}` and `{id}` in it.
    pub attribution: String,
    /// What stands before a quoted line.
    pub quote: String,
    /// The file whose text stands below what is written.
    pub signature: Option<PathBuf>,
    /// The domain of Message-IDs of our own making, where one is set.
    pub message_id_domain: Option<String>,
    /// The program that takes a letter on its standard input, and its arguments; none where nobody set one.
    pub mail: Vec<String>,
    /// The editor and its arguments.
    pub editor: Vec<String>,
}

/// An article or a letter that is being written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Draft {
    /// Names and values, in their order, decoded and unfolded.
    pub headers: Vec<(String, String)>,
    /// The text, with LF at the ends of its lines.
    pub body: String,
}

impl Draft {
    /// The value of a header; nothing where it is missing or empty.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        let (_, value) = headers.find(|(known, _)| known.eq_ignore_ascii_case(name))?;
        Some(value.trim()).filter(|value| !value.is_empty())
    }

    /// The groups it is for.
    pub fn groups(&self) -> Vec<Vec<u8>> {
        let names = self.header("Newsgroups").unwrap_or_default().split(',');
        let names = names.map(str::trim).filter(|name| !name.is_empty());
        names.map(|name| name.as_bytes().to_vec()).collect()
    }

    /// As it stands in its file.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (name, value) in &self.headers {
            text.extend([name, ": ", value, "\n"]);
        }
        text.push('\n');
        text.push_str(&self.body);
        text
    }

    /// Reads a file's text.
    ///
    /// # Errors
    /// A sentence, with the line that is no header.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut draft = Self::default();
        let mut rest = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut number = 0;
        while !rest.is_empty() {
            let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
            let line = line.strip_suffix('\r').unwrap_or(line);
            rest = after;
            number += 1;
            if line.trim().is_empty() {
                break;
            }
            if let (true, Some((_, value))) =
                (line.starts_with([' ', '\t']), draft.headers.last_mut())
            {
                value.push(' ');
                value.push_str(line.trim());
                continue;
            }
            let is_name =
                |name: &str| !name.is_empty() && name.bytes().all(|octet| octet.is_ascii_graphic());
            match line.split_once(':').filter(|(name, _)| is_name(name)) {
                Some((name, value)) => {
                    let header = (name.to_owned(), value.trim().to_owned());
                    draft.headers.push(header);
                }
                None => {
                    return Err(format!(
                        "line {number} is no header, and no empty line stands above it: a header is “Name: value”"
                    ));
                }
            }
        }
        draft.body = rest.replace("\r\n", "\n");
        Ok(draft)
    }
}

/// Where a new draft comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The news server that it is for, as `host:port`; empty for a letter.
    pub server: String,
    /// The Message-ID and the Cancel-Lock of the article that it cancels or supersedes.
    pub replaces: Option<(String, String)>,
    /// The file of the secret for Cancel-Locks.
    pub secret: PathBuf,
}

/// Writes a new draft into a file of its own in `directory`, readable by nobody else; the signature is put below it, and
/// the Message-ID above it where the author has set a domain for it. Gives the file.
///
/// # Errors
/// A sentence.
pub fn create(
    directory: &Path,
    mut draft: Draft,
    author: &Author,
    origin: &Origin,
) -> Result<PathBuf, String> {
    let told = |path: &Path, error: &io::Error| {
        format!("the draft {} was not written: {error}", path.display())
    };
    atomic::create_directory(directory).map_err(|error| told(directory, &error))?;
    if draft.header("Control").is_none()
        && let Some(path) = &author.signature
    {
        let signature = signature(path)?;
        draft.body.extend(["\n-- \n", signature.trim_end(), "\n"]);
    }
    if let Some(domain) = &author.message_id_domain
        && let Some(token) = token()
    {
        let id = format!("<{token}@{domain}>");
        draft.headers.push(("Message-ID".to_owned(), id));
    }
    if let Some((id, locks)) = &origin.replaces
        && let Ok(Some(secret)) = Secret::load(&origin.secret)
        && let Some(key) = secret.key(id, locks)
    {
        draft.headers.push(("Cancel-Key".to_owned(), key));
    }
    let day = Timestamp::now().strftime("%Y%m%d-%H%M%S").to_string();
    let (path, mut file) =
        free(directory, &format!("{day}.eml")).map_err(|error| told(directory, &error))?;
    file.write_all(draft.text().as_bytes())
        .map_err(|error| told(&path, &error))?;
    if !origin.server.is_empty() {
        let record = Record {
            server: origin.server.clone(),
            ..Record::default()
        };
        record.save(&path).map_err(|error| told(&path, &error))?;
    }
    Ok(path)
}

/// A new file of this name in a directory, or of the first like it that is free.
fn free(directory: &Path, name: &str) -> io::Result<(PathBuf, fs::File)> {
    let stem = name.strip_suffix(".eml").unwrap_or(name);
    for count in 1..=NAMES {
        let name = match count {
            1 => name.to_owned(),
            count => format!("{stem}-{count}.eml"),
        };
        let path = directory.join(name);
        let mut options = OpenOptions::new();
        match options.write(true).create_new(true).mode(0o600).open(&path) {
            Ok(file) => return Ok((path, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Reads a draft back.
///
/// # Errors
/// A sentence.
pub fn read(path: &Path) -> Result<Draft, String> {
    let octets = regular::read(path, DRAFT)
        .map_err(|error| format!("the draft {} cannot be read: {error}", path.display()))?;
    let text = String::from_utf8(octets).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        format!("the draft is not UTF-8 at octet {}", at + 1)
    })?;
    Draft::parse(&text)
}

/// Puts a draft away that has been sent.
///
/// # Errors
/// A sentence.
pub fn put_away(path: &Path) -> Result<(), String> {
    let told = |error: io::Error| {
        format!(
            "it was sent, but {} could not be moved: {error}",
            path.display()
        )
    };
    let (Some(directory), Some(name)) = (path.parent().and_then(Path::parent), path.file_name())
    else {
        return Ok(());
    };
    let sent = directory.join("sent");
    atomic::create_directory(&sent).map_err(told)?;
    // The name is taken first, so that nothing that was sent earlier is written over.
    let (target, _) = free(&sent, &name.to_string_lossy()).map_err(told)?;
    fs::rename(path, target).map_err(told)?;
    stored::forget_refusal(path);
    Ok(())
}

fn signature(path: &Path) -> Result<String, String> {
    let octets = regular::read(path, SIGNATURE)
        .map_err(|error| format!("the signature {} cannot be read: {error}", path.display()))?;
    let text = String::from_utf8(octets)
        .map_err(|_| format!("the signature {} is not UTF-8", path.display()))?;
    // Many keep the mark in the file.
    Ok(text.strip_prefix("-- \n").unwrap_or(&text).to_owned())
}

/// What tells one Message-ID from every other, and nothing else about anybody.
fn token() -> Option<String> {
    let mut octets = [0_u8; 15];
    SystemRandom::new().fill(&mut octets).ok()?;
    let letters = octets.iter().map(|octet| format!("{octet:02x}"));
    Some(letters.collect())
}
