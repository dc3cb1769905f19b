//! Client certificates: a directory with one file for each, and a plain text file of the URLs that they are chosen for.
//!
//! ```text
//! identities/NAME.pem = certificate key                    ; in PEM, readable by its owner only
//! identities.txt      = *( authority SP path SP NAME LF )  ; the path and all below it
//! ```
//!
//! A certificate is used for no other URLs. Every other line is ignored and preserved. Removing a line removes the
//! choice.

use std::io;
use std::path::PathBuf;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use geomys_wire::net::{ClientIdentity, Fingerprint, IdentityStore};
use rcgen::{CertificateParams, DistinguishedName, DnType, KeyPair, date_time_ymd};
use rfc1738::decode;

use super::user_file::complete_lines;
use super::{atomic, regular};

/// The largest file of a certificate, in octets.
const MAX_FILE_BYTES: u64 = 256 * 1024;

/// The longest name of a certificate, in octets.
const MAX_NAME_BYTES: usize = 64;

/// Header comment of a new file.
const HEAD: &[u8] =
    b"# Client certificates: host:port, path, name. Remove a line to stop using the certificate there.\n";

/// The certificates of a user.
#[derive(Clone, Debug)]
pub struct Identities {
    directory: PathBuf,
    choices: PathBuf,
}

/// A certificate and the URLs that it is chosen for, as `host:port/path`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredIdentity {
    /// The name.
    pub name: String,
    /// The fingerprint of the certificate; None if the file is malformed.
    pub fingerprint: Option<Fingerprint>,
    /// The URLs, without their scheme.
    pub chosen_for: Vec<String>,
}

/// A line that chooses a certificate.
struct Choice<'a> {
    authority: &'a str,
    path: &'a str,
    name: &'a str,
}

impl<'a> Choice<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let mut words = line.split_ascii_whitespace();
        let choice = Self {
            authority: words.next()?,
            path: words.next()?,
            name: words.next()?,
        };
        (choice.path.starts_with('/') && is_name(choice.name)).then_some(choice)
    }

    /// Returns true if the choice is for this path or one above it. A server may read a path with dot segments (RFC
    /// 3986, section 3.3) as one elsewhere: only a choice for the whole server holds for it.
    fn holds(&self, authority: &str, path: &str) -> bool {
        let below = path.strip_prefix(self.path);
        self.authority.eq_ignore_ascii_case(authority)
            && (self.path == "/" || !has_dot_segments(path))
            && below.is_some_and(|below| {
                below.is_empty() || below.starts_with('/') || self.path.ends_with('/')
            })
    }
}

/// Returns true if a segment of a decoded path is `.` or `..`.
fn has_dot_segments(path: &str) -> bool {
    let decoded = decode(path);
    let mut segments = decoded.split(|octet| b"/\\".contains(octet));
    segments.any(|segment| matches!(segment, b"." | b".."))
}

/// Returns true for a name of letters, digits, `-`, `_` and dots, which does not begin with a dot.
fn is_name(name: &str) -> bool {
    let is_sign = |sign: char| sign.is_ascii_alphanumeric() || "-_.".contains(sign);
    let length = 1..=MAX_NAME_BYTES;
    length.contains(&name.len()) && !name.starts_with('.') && name.chars().all(is_sign)
}

impl Identities {
    /// The certificates in `directory`, chosen by the lines of the file `choices`. Both are created when needed.
    pub fn new(directory: impl Into<PathBuf>, choices: impl Into<PathBuf>) -> Self {
        Self {
            directory: directory.into(),
            choices: choices.into(),
        }
    }

    fn path(&self, name: &str) -> io::Result<PathBuf> {
        if !is_name(name) {
            let sentence = "a name has letters, digits, “-”, “_” and dots, 64 at most";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, sentence));
        }
        Ok(self.directory.join(format!("{name}.pem")))
    }

    /// Returns the certificate with this name, if there is one.
    fn load(&self, name: &str) -> io::Result<Option<ClientIdentity>> {
        let Some(pem) = regular::read_if_any(&self.path(name)?, MAX_FILE_BYTES)? else {
            return Ok(None);
        };
        Ok(Some(identity(name, &pem)?.named(name)))
    }

    fn write(&self, name: &str, pem: &[u8]) -> io::Result<()> {
        atomic::create_directory(&self.directory)?;
        atomic::replace(&self.path(name)?, pem)
    }

    /// Stores a certificate and its key under a name that is not used yet.
    ///
    /// # Errors
    /// A name that is used or cannot be one, octets that are no certificate with its key, errors of the system.
    pub fn import(&self, name: &str, pem: &[u8]) -> io::Result<()> {
        if self.path(name)?.exists() {
            return Err(is_used(name));
        }
        identity(name, pem)?;
        self.write(name, pem)
    }

    /// Gives a certificate another name, which is not used yet.
    ///
    /// # Errors
    /// A name that is used or cannot be one, a certificate that is not there, errors of the system.
    pub fn rename_identity(&self, name: &str, new: &str) -> io::Result<()> {
        let (path, new_path) = (self.stored(name)?, self.path(new)?);
        if new_path.exists() {
            return Err(is_used(new));
        }
        std::fs::rename(path, new_path)?;
        self.change_choices("", |choice| {
            let name = if choice.name == name {
                new
            } else {
                choice.name
            };
            Some(name.to_owned())
        })
    }

    /// Removes a certificate with its key and all that it is chosen for.
    ///
    /// # Errors
    /// A certificate that is not there, errors of the system.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        std::fs::remove_file(self.stored(name)?)?;
        self.change_choices("", |choice| {
            (choice.name != name).then(|| choice.name.to_owned())
        })
    }

    /// Uses a certificate for all of `authority` (`host:port` in lower case).
    ///
    /// # Errors
    /// A certificate that is not there, errors of the system.
    pub fn widen(&self, name: &str, authority: &str) -> io::Result<()> {
        self.stored(name)?;
        self.choose(authority, "/", name).map(|_| ())
    }

    /// Uses a certificate no longer for `authority` (`host:port`): for a path and those below it, or for all without
    /// one. Returns false if it was not used there.
    ///
    /// # Errors
    /// A certificate that is not there, errors of the system.
    pub fn leave(&self, name: &str, authority: &str, path: Option<&str>) -> io::Result<bool> {
        self.stored(name)?;
        let has_left = std::cell::Cell::new(false);
        self.change_choices("", |choice| {
            let is_left = choice.name == name
                && choice.authority.eq_ignore_ascii_case(authority)
                && path.is_none_or(|path| choice.path == path);
            has_left.set(has_left.get() || is_left);
            (!is_left).then(|| choice.name.to_owned())
        })?;
        Ok(has_left.get())
    }

    /// The file of a certificate that is there.
    fn stored(&self, name: &str) -> io::Result<PathBuf> {
        let path = self.path(name)?;
        if path.exists() {
            return Ok(path);
        }
        let sentence = format!("unknown certificate: {name}");
        Err(io::Error::new(io::ErrorKind::NotFound, sentence))
    }

    /// Changes the name in each line that chooses a certificate, or leaves the line out, and appends `new`.
    fn change_choices(
        &self,
        new: &str,
        renamed: impl Fn(&Choice<'_>) -> Option<String>,
    ) -> io::Result<()> {
        let edit = || {
            let lines = complete_lines(regular::read_list(&self.choices)?, HEAD);
            let mut changed = Vec::new();
            for line in lines.split_inclusive(|&octet| octet == b'\n') {
                let text = String::from_utf8_lossy(line);
                match Choice::parse(&text).map(|choice| (renamed(&choice), choice)) {
                    Some((Some(name), choice)) if name != choice.name => {
                        let line = format!("{} {} {name}\n", choice.authority, choice.path);
                        changed.extend(line.into_bytes());
                    }
                    Some((None, _)) => {}
                    Some((Some(_), _)) | None => changed.extend_from_slice(line),
                }
            }
            changed.extend_from_slice(new.as_bytes());
            Ok((changed, ()))
        };
        atomic::change(&self.choices, |error| error, edit)
    }

    /// Returns all certificates, by name.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn list(&self) -> io::Result<Vec<StoredIdentity>> {
        let entries = match std::fs::read_dir(&self.directory) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let choices = regular::read_list(&self.choices)?;
        let choices = String::from_utf8_lossy(&choices);
        let choices: Vec<Choice<'_>> = choices.lines().filter_map(Choice::parse).collect();
        let mut all = Vec::new();
        for entry in entries {
            let file = entry?.file_name();
            let Some(name) = file.to_str().and_then(|name| name.strip_suffix(".pem")) else {
                continue;
            };
            if !is_name(name) {
                continue;
            }
            let own = choices.iter().filter(|choice| choice.name == name);
            let identity = self.load(name).ok().flatten();
            all.push(StoredIdentity {
                name: name.to_owned(),
                fingerprint: identity.and_then(|identity| identity.fingerprint()),
                chosen_for: own
                    .map(|choice| format!("{}{}", choice.authority, choice.path))
                    .collect(),
            });
        }
        all.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(all)
    }
}

impl IdentityStore for Identities {
    fn names(&self) -> io::Result<Vec<String>> {
        Ok(self.list()?.into_iter().map(|stored| stored.name).collect())
    }

    fn find(&self, authority: &str, path: &str) -> io::Result<Option<ClientIdentity>> {
        let choices = regular::read_list(&self.choices)?;
        let choices = String::from_utf8_lossy(&choices);
        let choices = choices.lines().filter_map(Choice::parse);
        let holding = choices.filter(|choice| choice.holds(authority, path));
        match holding.max_by_key(|choice| choice.path.len()) {
            Some(choice) => self.load(choice.name),
            None => Ok(None),
        }
    }

    fn choose(&self, authority: &str, path: &str, name: &str) -> io::Result<ClientIdentity> {
        let identity = match self.load(name)? {
            Some(identity) => identity,
            None => {
                let pem = made(name).map_err(io::Error::other)?;
                self.write(name, pem.as_bytes())?;
                identity(name, pem.as_bytes())?.named(name)
            }
        };
        let is_same = |choice: &Choice<'_>| {
            choice.authority.eq_ignore_ascii_case(authority)
                && (choice.path == path || path == "/" && choice.name == name)
        };
        let new = format!("{authority} {path} {name}\n");
        self.change_choices(&new, |choice| {
            (!is_same(choice)).then(|| choice.name.to_owned())
        })?;
        Ok(identity)
    }
}

/// Makes a certificate that signs itself, with its key, in PEM.
fn made(name: &str) -> Result<String, rcgen::Error> {
    let key = KeyPair::generate()?;
    let mut parameters = CertificateParams::new(Vec::<String>::new())?;
    let mut subject = DistinguishedName::new();
    subject.push(DnType::CommonName, name);
    parameters.distinguished_name = subject;
    parameters.not_before = date_time_ymd(2020, 1, 1);
    // RFC 5280, section 4.1.2.5: without an end.
    parameters.not_after = date_time_ymd(9999, 12, 31);
    let certificate = parameters.self_signed(&key)?;
    Ok(pem("CERTIFICATE", certificate.der()) + &pem("PRIVATE KEY", &key.serialize_der()))
}

/// Writes octets in PEM (RFC 7468).
fn pem(label: &str, octets: &[u8]) -> String {
    let text = STANDARD.encode(octets);
    let lines = text.as_bytes().chunks(64);
    let lines: Vec<_> = lines.map(String::from_utf8_lossy).collect();
    let body = lines.join("\n");
    format!("-----BEGIN {label}-----\n{body}\n-----END {label}-----\n")
}

fn is_used(name: &str) -> io::Error {
    let sentence = format!("there is a certificate called {name}");
    io::Error::new(io::ErrorKind::AlreadyExists, sentence)
}

/// Reads a certificate with a key that can be used.
fn identity(name: &str, pem: &[u8]) -> io::Result<ClientIdentity> {
    let error = |sentence| io::Error::new(io::ErrorKind::InvalidData, sentence);
    let identity = ClientIdentity::from_pem(pem)
        .ok_or_else(|| error(format!("{name} holds no certificate with its key in PEM")))?;
    if identity.has_usable_key() {
        Ok(identity)
    } else {
        let kinds = "RSA, P-256, P-384 and Ed25519 are";
        Err(error(format!(
            "{name} has a key of a kind that is not supported: {kinds}"
        )))
    }
}
