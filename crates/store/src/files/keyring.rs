//! Passwords in the keyring of the system: the Secret Service of a desktop, through D-Bus.
//!
//! Available if Geomys was built with the feature `keyring`; otherwise no password is found or stored. The user confirms
//! before a password is stored, and the keyring may ask the user to unlock it.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt;
use geomys_wire::task::blocking;
use tokio::time::timeout;

/// True if Geomys was built with keyring support.
pub const IS_BUILT_IN: bool = cfg!(feature = "keyring");

/// Maximum time for the user to unlock the keyring.
const TIMEOUT: Duration = Duration::from_mins(1);

/// Service name in the keyring.
#[cfg(feature = "keyring")]
const SERVICE: &str = "geomys";

/// Returns the stored password of `user` for a login scope (`ftp host:port`). `None` if there is no keyring, or if it is not
/// unlocked in time.
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
