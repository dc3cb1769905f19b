//! Cancel-Lock and Cancel-Key (RFC 8315): prove that an article is cancelled or superseded by its author.
//!
//! ```text
//! K           = HMAC-SHA256(secret, Message-ID)            ; section 4, without a user ID
//! Cancel-Key  = "sha256:" Base64(K)                         ; in what cancels or supersedes the article
//! Cancel-Lock = "sha256:" Base64(SHA256(Base64(K)))         ; in the article
//! ```
//!
//! The secret is random, one per user, in a file that only its owner can read. Without it no article that was posted
//! with it can be cancelled.

use std::io;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::rand::{SecureRandom, SystemRandom};
use ring::{digest, hmac};

use crate::files::{atomic, regular};

/// Length of a new secret in octets: the length of a SHA-256 digest.
const LENGTH: usize = 32;

/// Maximum size of a secret file, in octets.
const FILE: u64 = 1024;

/// Secret from which the keys of articles are derived.
pub struct CancelSecret(Vec<u8>);

impl CancelSecret {
    /// Reads the secret from a file; `None` if the file does not exist.
    ///
    /// # Errors
    /// Errors of reading; a file with a secret that is too short.
    pub fn load(path: &Path) -> io::Result<Option<Self>> {
        let Some(written) = regular::read_if_any(path, FILE)? else {
            return Ok(None);
        };
        let secret = STANDARD.decode(written.trim_ascii()).ok();
        match secret.filter(|secret| secret.len() >= LENGTH) {
            Some(secret) => Ok(Some(Self(secret))),
            None => Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("{} contains no secret for Cancel-Locks", path.display()),
            )),
        }
    }

    /// Reads the secret from a file; creates the file with a new secret if it does not exist.
    ///
    /// # Errors
    /// Errors of [`CancelSecret::load`], and of writing.
    pub fn load_or_create(path: &Path) -> io::Result<Self> {
        let edit = || {
            if let Some(secret) = Self::load(path)? {
                return Ok((None, secret));
            }
            let mut octets = vec![0_u8; LENGTH];
            let filled = SystemRandom::new().fill(&mut octets);
            filled.map_err(|_| io::Error::other("the system has no random bytes"))?;
            Ok((Some(STANDARD.encode(&octets) + "\n"), Self(octets)))
        };
        atomic::change_by(path, |_| {}, |error| error, edit)
    }

    /// Returns the value of Cancel-Lock for a Message-ID with its angle brackets.
    pub fn lock(&self, id: &str) -> String {
        format!("sha256:{}", hashed(&self.key_of(id)))
    }

    /// Returns the value of Cancel-Key for a Message-ID; `None` if none of its `locks` belongs to this secret.
    pub fn key(&self, id: &str, locks: &str) -> Option<String> {
        let key = self.key_of(id);
        let own = hashed(&key);
        let mut locks = locks
            .split_whitespace()
            .filter_map(|lock| lock.split_once(':'));
        let matches =
            locks.any(|(scheme, lock)| scheme.eq_ignore_ascii_case("sha256") && lock == own);
        matches.then(|| format!("sha256:{key}"))
    }

    fn key_of(&self, id: &str) -> String {
        let key = hmac::Key::new(hmac::HMAC_SHA256, &self.0);
        STANDARD.encode(hmac::sign(&key, id.as_bytes()))
    }
}

fn hashed(key: &str) -> String {
    STANDARD.encode(digest::digest(&digest::SHA256, key.as_bytes()))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn examples_of_the_rfc_hold() {
        // RFC 8315, section 5.1.
        let secret = CancelSecret(b"ExampleSecret".to_vec());
        let id = "<12345@mid.example>";
        let lock = "sha256:s/pmK/3grrz++29ce2/mQydzJuc7iqHn1nqcJiQTPMc=";
        let key = "sha256:qv1VXHYiCGjkX/N1nhfYKcAeUn8bCVhrWhoKuBSnpMA=";
        assert_eq!(secret.lock(id), lock);
        assert_eq!(secret.key(id, lock).as_deref(), Some(key));
        // Section 5.3: one lock of several, the scheme in any case.
        let locks = format!(
            "sha1:bNXHc6ohSmeHaRHHW56BIWZJt+4= {}",
            lock.replace("sha", "ShA")
        );
        assert_eq!(secret.key(id, &locks).as_deref(), Some(key));
        // Section 5.2, where the user ID stands before the Message-ID.
        let other = CancelSecret(b"AnotherSecret".to_vec());
        assert_eq!(
            other.lock("JaneDoe<12345@mid.example>"),
            "sha256:NSBTz7BfcQFTCen+U4lQ0VS8VIlZao2b8mxD/xJaaeE="
        );
    }

    #[test]
    fn missing_or_foreign_lock_gets_no_key() {
        let (one, other) = (CancelSecret(vec![1; 32]), CancelSecret(vec![2; 32]));
        assert_eq!(one.key("<1@x>", ""), None);
        assert_eq!(one.key("<1@x>", &other.lock("<1@x>")), None);
        assert_eq!(one.key("<1@x>", &one.lock("<2@x>")), None);
    }

    #[test]
    fn secret_is_made_once_and_private() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("data/cancel-secret");
        assert!(CancelSecret::load(&path).unwrap().is_none());
        let first = CancelSecret::load_or_create(&path).unwrap().lock("<1@x>");
        assert_eq!(
            CancelSecret::load_or_create(&path).unwrap().lock("<1@x>"),
            first
        );
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let files = fs::read_dir(path.parent().unwrap()).unwrap().count();
        assert_eq!(files, 1);
        fs::write(&path, "c2hvcnQ=\n").unwrap();
        assert!(
            CancelSecret::load_or_create(&path).is_err(),
            "it is not replaced"
        );
    }
}
