//! Drafts: articles and letters while they are written, each in a file of its own that any editor can change.
//!
//! ```text
//! draft  = *( name ":" SP value LF *( WS value LF ) ) LF body        ; UTF-8
//! ```
//!
//! A draft stays in its file until it has been sent; then it moves to the sibling directory `sent`. It contains nothing
//! that the user did not set: no machine name, no clock, no program name.

mod author;
mod cancel_lock;
mod check;
mod encode;
mod posted;
mod prepare;
mod record;
mod store;

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use geomys_load::Namer;
use jiff::Timestamp;
use rfc1738::{Dialect, Protocol, Url};

pub use self::author::{Author, GroupAuthor, PostingCharset};
pub use self::cancel_lock::CancelSecret;
pub use self::check::{DraftIssue, ServerGroups, check, is_mailbox};
pub use self::encode::encode;
pub(crate) use self::posted::note_posted;
pub use self::posted::{posted_beside, posted_ids};
pub use self::prepare::{
    FORWARDED, addressed, cancel, follow_up, forward, letter, new_article, supersede, upload,
};
pub use self::record::{SendRecord, State, new_id};
pub use self::store::sweep_notes;
pub use self::store::{StoredDraft, list_stored, note_refusal, put_away, remove};
use super::{atomic, regular};

/// Maximum size of a draft file, in octets.
const DRAFT: u64 = 1024 * 1024;

/// Maximum size of a signature file, in octets.
const SIGNATURE: u64 = 64 * 1024;

/// Maximum number of file names that are tried for a new draft.
const NAMES: u32 = 10_000;

/// Delivery method of a draft.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryMethod {
    /// Posted to newsgroups.
    Post,
    /// Sent by mail.
    Mail,
    /// Uploaded over Titan or Spartan.
    Upload,
}

/// Header with the URL to which a text is uploaded.
pub const UPLOAD_TO: &str = "Upload-To";

/// Header with the media type of a text that is uploaded.
pub const MEDIA_TYPE: &str = "Media-Type";

/// Article or letter that is being written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Draft {
    /// Header names and values, in their order, decoded and unfolded.
    pub headers: Vec<(String, String)>,
    /// Text, with LF at the ends of its lines.
    pub body: String,
}

impl Draft {
    /// Returns the value of a header; `None` if it is missing or empty.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        let (_, value) = headers.find(|(header, _)| header.eq_ignore_ascii_case(name))?;
        Some(value.trim()).filter(|value| !value.is_empty())
    }

    /// Returns the newsgroups of the draft.
    pub fn groups(&self) -> Vec<Vec<u8>> {
        let names = self.header("Newsgroups").unwrap_or_default().split(',');
        let names = names.map(str::trim).filter(|name| !name.is_empty());
        names.map(|name| name.as_bytes().to_vec()).collect()
    }

    /// Returns the URL to which the text is uploaded.
    pub fn upload_url(&self) -> Option<Url> {
        let url = Dialect::Extended.parse(self.header(UPLOAD_TO)?).ok()?;
        let takes_uploads = matches!(url.protocol(), Protocol::Titan(_) | Protocol::Spartan(_));
        takes_uploads.then_some(url)
    }

    /// Formats the draft as the text of its file.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (name, value) in &self.headers {
            text.extend([name, ": ", value, "\n"]);
        }
        text.push('\n');
        text.push_str(&self.body);
        text
    }

    /// Parses the text of a draft file.
    ///
    /// # Errors
    /// A sentence with the number of the line that is not a header.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut draft = Self::default();
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut lines = text.split_inclusive('\n');
        for (line, number) in lines.by_ref().zip(1..) {
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
            let Some((name, value)) = line.split_once(':').filter(|(name, _)| is_name(name)) else {
                return Err(format!(
                    "line {number} is not a header (“Name: value”), and no empty line precedes it"
                ));
            };
            let header = (name.to_owned(), value.trim().to_owned());
            draft.headers.push(header);
        }
        draft.body = lines.collect::<String>().replace("\r\n", "\n");
        Ok(draft)
    }
}

/// Context in which a new draft is created.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DraftOrigin {
    /// News server for the draft, as `host:port`; empty for a letter.
    pub server: String,
    /// Who named the URL of the server.
    pub namer: Namer,
    /// Message-ID and Cancel-Lock of the article that the draft cancels or supersedes.
    pub replaces: Option<(String, String)>,
    /// File with the secret for Cancel-Locks.
    pub secret: PathBuf,
}

/// Writes a new draft into a file of its own in `directory`, readable only by its owner. Appends the signature, and
/// adds a Message-ID if the author has set a domain for it. Returns the path of the file.
///
/// # Errors
/// A sentence.
pub fn create(
    directory: &Path,
    mut draft: Draft,
    author: &Author,
    origin: &DraftOrigin,
) -> Result<PathBuf, String> {
    let failure = |path: &Path| {
        let path = path.display().to_string();
        move |error: io::Error| format!("the draft {path} was not written: {error}")
    };
    atomic::create_directory(directory).map_err(failure(directory))?;
    if draft.header("Control").is_none()
        && let Some(path) = &author.signature
    {
        let signature = signature(path)?;
        draft.body.extend(["\n-- \n", signature.trim_end(), "\n"]);
    }
    if let Some(domain) = &author.message_id_domain
        && let Some(token) = record::token()
    {
        let id = format!("<{token}@{domain}>");
        draft.headers.push(("Message-ID".to_owned(), id));
    }
    if let Some((id, locks)) = &origin.replaces
        && let Ok(Some(secret)) = CancelSecret::load(&origin.secret)
        && let Some(key) = secret.key(id, locks)
    {
        draft.headers.push(("Cancel-Key".to_owned(), key));
    }
    let day = Timestamp::now().strftime("%Y%m%d-%H%M%S").to_string();
    let created = create_free(directory, &format!("{day}.eml"));
    let (path, mut file) = created.map_err(failure(directory))?;
    // A process that was killed may have left the notes of a draft of this name.
    store::forget_refusal(&path);
    let written = file.write_all(draft.text().as_bytes()).and_then(|()| {
        if origin.server.is_empty() {
            return Ok(());
        }
        let record = SendRecord {
            server: origin.server.clone(),
            namer: origin.namer.clone(),
            ..SendRecord::default()
        };
        record.save(&path)
    });
    if let Err(error) = written {
        // What nobody has written would be listed as a draft.
        let _ = std::fs::remove_file(&path);
        return Err(failure(&path)(error));
    }
    Ok(path)
}

/// Creates a file of this name in a directory, or the first numbered variant that does not exist yet.
fn create_free(directory: &Path, name: &str) -> io::Result<(PathBuf, File)> {
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

/// Reads a draft from its file.
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

fn signature(path: &Path) -> Result<String, String> {
    let octets = regular::read(path, SIGNATURE)
        .map_err(|error| format!("the signature {} cannot be read: {error}", path.display()))?;
    let text = String::from_utf8(octets)
        .map_err(|_| format!("the signature {} is not UTF-8", path.display()))?;
    // Many users have the signature separator in the file.
    Ok(text.strip_prefix("-- \n").unwrap_or(&text).to_owned())
}
