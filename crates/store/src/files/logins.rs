//! Logins of the user: `~/.netrc`, and passwords in the keyring of the system.

use std::os::unix::fs::PermissionsExt;
use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::time::Duration;
use std::{fmt, fs, io};

use futures_util::FutureExt;
use geomys_load::{Login, Request, news_host};
use geomys_wire::task::blocking;
use rfc1738::{Ftp, Parts};
use tokio::time::timeout;

use super::regular;

/// User names and passwords in `~/.netrc`, in the format of ftp(1) and curl.
///
/// ```text
/// netrc   = *( entry / macro / comment )
/// entry   = ( "machine" blank host / "default" ) *( blank key blank value )
/// key     = "login" / "password" / "account"
/// value   = *octet                    ; without blanks, or in quotes with \" \\ \n \r \t in them
/// macro   = "macdef" blank name lines up to an empty one
/// comment = "#" where a key is due, to the end of the line
/// ```
///
/// The first matching entry counts. `default` is only for anonymous logins: a password is never sent to a host that it
/// was not written for. Other words, and passwords that are not UTF-8, are ignored.
///
/// Entries of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Netrc {
    entries: Vec<NetrcEntry>,
}

#[derive(Clone, Default, PartialEq, Eq)]
struct NetrcEntry {
    /// Host name; `None` for the default entry.
    machine: Option<String>,
    login: Option<String>,
    password: Option<String>,
    account: Option<String>,
}

impl fmt::Debug for NetrcEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NetrcEntry")
            .field("machine", &self.machine)
            .field("login", &self.login)
            .finish_non_exhaustive()
    }
}

/// Reason why the file is not used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file holds passwords and is readable by other users.
    #[error("not used: others may read its passwords; run chmod 600 on it")]
    Open,
    /// The file cannot be read.
    #[error("not used: it cannot be read: {0}")]
    Read(#[from] io::Error),
}

impl Netrc {
    /// Reads the file; a missing file has no entries.
    ///
    /// # Errors
    /// [`Error::Open`] if other users may read the file and it holds a password, [`Error::Read`].
    pub fn load(path: &Path) -> Result<Self, Error> {
        let Some(octets) = regular::read_if_any(path, regular::BY_HAND)? else {
            return Ok(Self::default());
        };
        let netrc = Self::parse(&octets);
        let others = fs::metadata(path).is_ok_and(|is| is.permissions().mode() & 0o077 != 0);
        if others && netrc.is_secret() {
            return Err(Error::Open);
        }
        Ok(netrc)
    }

    /// Parses the octets of a file; any octets are accepted.
    pub fn parse(octets: &[u8]) -> Self {
        let mut words = NetrcTokens(octets);
        let mut entries: Vec<NetrcEntry> = Vec::new();
        let mut no_entry = NetrcEntry::default();
        while let Some(word) = words.next() {
            let entry = entries.last_mut().unwrap_or(&mut no_entry);
            match word.as_slice() {
                b"machine" => {
                    let machine = words.text().unwrap_or_default();
                    entries.push(NetrcEntry {
                        machine: Some(machine.to_ascii_lowercase()),
                        ..NetrcEntry::default()
                    });
                }
                b"default" => entries.push(NetrcEntry::default()),
                b"macdef" => words.skip_macro(),
                b"login" => entry.login = words.text(),
                b"password" => entry.password = words.text(),
                b"account" => entry.account = words.text(),
                _ => {}
            }
        }
        Self { entries }
    }

    fn is_secret(&self) -> bool {
        self.entries.iter().any(|entry| {
            entry.password.is_some() && !entry.login.as_deref().is_some_and(is_anonymous)
        })
    }

    /// Returns the login for a request: for an ftp URL without a password, or for a news server. `None` for other
    /// schemes.
    pub fn login_for(&self, request: &Request) -> Option<Login> {
        let url = request.requested_url();
        let parts = url.base_parts();
        if let Parts::Ftp(ftp) = parts {
            return self.ftp_login(&ftp);
        }
        let server = parts
            .is_news()
            .then(|| news_host(&url, request.news_query.server.as_ref()))??;
        self.host_login(&server.host)
    }

    /// Returns the login of a host that has an entry with a user and a password of its own.
    pub fn host_login(&self, host: &str) -> Option<Login> {
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        self.entries.iter().find_map(|entry| {
            let (user, password) = (entry.login.as_ref()?, entry.password.as_ref()?);
            (entry.machine.as_ref() == Some(&host)).then(|| Login::new(user, password))
        })
    }

    fn ftp_login(&self, ftp: &Ftp<'_>) -> Option<Login> {
        let user = match (ftp.login.user, ftp.login.password) {
            (_, Some(_)) => return None,
            (Some(user), None) => Some(String::from_utf8(user.octets().into_owned()).ok()?),
            (None, None) => None,
        };
        self.login(ftp.login.address.node(), user.as_deref())
    }

    /// Returns the login at `host` for `user`, or for any user.
    pub fn login(&self, host: &str, user: Option<&str>) -> Option<Login> {
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        let matches = |entry: &&NetrcEntry| match (&entry.machine, user, &entry.login) {
            (Some(machine), _, _) if *machine != host => false,
            (Some(_), Some(user), Some(login)) => user == login,
            (Some(_), None, _) | (Some(_), Some(_), None) => true,
            (None, user, Some(login)) => is_anonymous(login) && user.is_none_or(is_anonymous),
            (None, _, None) => false,
        };
        let entry = self.entries.iter().find(matches)?;
        Some(Login {
            user: entry.login.clone().or_else(|| user.map(str::to_owned))?,
            password: entry.password.clone(),
            account: entry.account.clone(),
        })
    }
}

fn is_anonymous(user: &str) -> bool {
    user.eq_ignore_ascii_case("anonymous") || user.eq_ignore_ascii_case("ftp")
}

/// Tokens of a file.
struct NetrcTokens<'a>(&'a [u8]);

impl NetrcTokens<'_> {
    /// Returns the next word as a value, even if it begins like a comment.
    fn text(&mut self) -> Option<String> {
        self.0 = self.0.trim_ascii_start();
        String::from_utf8(self.word()?).ok()
    }

    fn word(&mut self) -> Option<Vec<u8>> {
        if let Some(rest) = self.0.strip_prefix(b"\"") {
            self.0 = rest;
            return Some(self.quoted());
        }
        let end = self.0.iter().position(u8::is_ascii_whitespace);
        let (word, rest) = self.0.split_at(end.unwrap_or(self.0.len()));
        self.0 = rest;
        (!word.is_empty()).then(|| word.to_vec())
    }

    fn quoted(&mut self) -> Vec<u8> {
        let mut word = Vec::new();
        while let Some((&octet, rest)) = self.0.split_first() {
            self.0 = rest;
            match octet {
                b'"' => break,
                b'\\' => {
                    let Some((&escaped, rest)) = self.0.split_first() else {
                        break;
                    };
                    self.0 = rest;
                    word.push(match escaped {
                        b'n' => b'\n',
                        b'r' => b'\r',
                        b't' => b'\t',
                        other => other,
                    });
                }
                other => word.push(other),
            }
        }
        word
    }

    /// Skips the lines of a macro, up to an empty one.
    fn skip_macro(&mut self) {
        while let Some(end) = memchr::memchr(b'\n', self.0) {
            let (line, rest) = self.0.split_at(end + 1);
            self.0 = rest;
            if line.trim_ascii().is_empty() {
                return;
            }
        }
        self.0 = b"";
    }
}

impl Iterator for NetrcTokens<'_> {
    type Item = Vec<u8>;

    fn next(&mut self) -> Option<Vec<u8>> {
        loop {
            self.0 = self.0.trim_ascii_start();
            if !self.0.starts_with(b"#") {
                return self.word();
            }
            let end = memchr::memchr(b'\n', self.0).unwrap_or(self.0.len());
            self.0 = self.0.get(end..).unwrap_or_default();
        }
    }
}

/// True if Geomys was built with keyring support.
pub const IS_BUILT_IN: bool = cfg!(feature = "keyring");

/// Maximum time for the user to unlock the keyring.
const TIMEOUT: Duration = Duration::from_mins(1);

/// Service name in the keyring.
#[cfg(feature = "keyring")]
const SERVICE: &str = "geomys";

/// Returns the stored password of `user` for a login scope (`ftp host:port`). `None` if there is no keyring, or if it
/// is not unlocked in time.
pub async fn password(scope: &str, user: &str) -> Option<String> {
    let (scope, user) = (scope.to_owned(), user.to_owned());
    let lookup = AssertUnwindSafe(blocking(move || look_up(&scope, &user)));
    timeout(TIMEOUT, lookup.catch_unwind()).await.ok()?.ok()?
}

/// Blocking variant of [`password`], on a thread of its own, as the keyring library may not support calls from a task.
pub fn password_now(scope: &str, user: &str) -> Option<String> {
    if !IS_BUILT_IN {
        return None;
    }
    let (scope, user) = (scope.to_owned(), user.to_owned());
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || sender.send(look_up(&scope, &user)));
    receiver.recv_timeout(TIMEOUT).ok()?
}

/// Stores the password of `user` for a login scope.
///
/// # Errors
/// A sentence if the password was not stored.
pub async fn store(scope: &str, user: &str, password: &str) -> Result<(), String> {
    let [scope, user, password] = [scope, user, password].map(str::to_owned);
    let storing = AssertUnwindSafe(blocking(move || store_now(&scope, &user, &password)));
    match timeout(TIMEOUT, storing.catch_unwind()).await {
        Ok(Ok(stored)) => stored,
        Ok(Err(_)) => Err("the keyring failed".to_owned()),
        Err(_) => Err("the keyring was not unlocked in time".to_owned()),
    }
}

#[cfg(feature = "keyring")]
fn entry(scope: &str, user: &str) -> keyring::Result<keyring::Entry> {
    keyring::Entry::new(SERVICE, &format!("{user} at {scope}"))
}

#[cfg(feature = "keyring")]
fn look_up(scope: &str, user: &str) -> Option<String> {
    entry(scope, user).ok()?.get_password().ok()
}

#[cfg(feature = "keyring")]
fn store_now(scope: &str, user: &str, password: &str) -> Result<(), String> {
    let stored = entry(scope, user).and_then(|entry| entry.set_password(password));
    stored.map_err(|error| format!("the keyring refused it: {error}"))
}

#[cfg(not(feature = "keyring"))]
fn look_up(_place: &str, _user: &str) -> Option<String> {
    None
}

#[cfg(not(feature = "keyring"))]
fn store_now(_place: &str, _user: &str, _password: &str) -> Result<(), String> {
    Err("this Geomys was built without the feature keyring".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn credentials(netrc: &Netrc, host: &str, user: Option<&str>) -> Option<(String, String)> {
        let login = netrc.login(host, user)?;
        Some((login.user, login.password.unwrap_or_default()))
    }

    fn pair(user: &str, password: &str) -> (String, String) {
        (user.to_owned(), password.to_owned())
    }

    #[test]
    fn the_first_entry_that_fits_counts() {
        let netrc = Netrc::parse(
            b"# mine\nmachine a.example login ada password \"by \\\"ron\\\\\"\n\
              machine A.example\n\tlogin bob\n\tpassword p#1\n\
              machine b.example login eve account lab\n\
              macdef init\nmachine c.example login mallory password x\n\n\
              default login anonymous password me@home",
        );
        assert_eq!(
            credentials(&netrc, "A.Example.", None),
            Some(pair("ada", "by \"ron\\"))
        );
        assert_eq!(
            credentials(&netrc, "a.example", Some("bob")),
            Some(pair("bob", "p#1"))
        );
        assert_eq!(credentials(&netrc, "a.example", Some("eve")), None);
        assert_eq!(
            credentials(&netrc, "b.example", None),
            Some(pair("eve", ""))
        );
        let account = netrc
            .login("b.example", None)
            .and_then(|login| login.account);
        assert_eq!(account.as_deref(), Some("lab"));
        assert_eq!(
            credentials(&netrc, "c.example", None),
            Some(pair("anonymous", "me@home"))
        );
        assert_eq!(credentials(&netrc, "c.example", Some("mallory")), None);
    }

    #[test]
    fn a_default_with_a_name_is_never_sent() {
        let netrc = Netrc::parse(b"default login ada password byron");
        assert_eq!(credentials(&netrc, "evil.example", None), None);
        assert_eq!(credentials(&netrc, "evil.example", Some("ada")), None);
    }

    #[test]
    fn passwords_that_others_may_read_are_not_used() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("netrc");
        let mode = |mode| fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        fs::write(&path, "machine a login ada password byron").unwrap();
        mode(0o644);
        let sentence = Netrc::load(&path).unwrap_err().to_string();
        assert!(sentence.contains("chmod 600"), "{sentence}");
        mode(0o600);
        assert!(credentials(&Netrc::load(&path).unwrap(), "a", None).is_some());
        fs::write(&path, "default login ftp password me@home").unwrap();
        mode(0o644);
        assert!(Netrc::load(&path).is_ok());
        let none = Netrc::load(&directory.path().join("none"));
        assert_eq!(none.unwrap(), Netrc::default());
    }

    proptest::proptest! {
        #[test]
        fn any_octets_are_a_file(octets: Vec<u8>) {
            Netrc::parse(&octets);
        }

        /// Every password names its machine, and may begin like a comment.
        #[test]
        fn a_password_goes_to_its_own_host(
            entries in proptest::collection::vec(("[a-d]", "#?", proptest::bool::ANY), 0..6),
            comment in "(# machine d login x password d\n)?",
            host in "[a-e]",
        ) {
            let mut text = comment;
            let lines = entries.iter().map(|(machine, mark, is_quoted)| {
                let quote = if *is_quoted { "\"" } else { "" };
                format!("machine {machine} login {mark}user password {quote}{mark}{machine}{quote} # mine\n")
            });
            text.extend(lines);
            let login = Netrc::parse(text.as_bytes()).login(&host, None);
            let first = entries.iter().find(|(machine, ..)| *machine == host);
            let expected = first.map(|(machine, mark, _)| {
                Login::new(format!("{mark}user"), format!("{mark}{machine}"))
            });
            proptest::prop_assert_eq!(login, expected);
        }
    }
}
