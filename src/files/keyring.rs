//! Passwords in the keyring of the system: the secret service of a desktop, by D-Bus.
//!
//! It is there in a Geomys that was built with the feature `keyring`; any other has no passwords in it and keeps none.
//! A person is asked before one is kept, and the keyring may ask them to open it.

use std::time::Duration;

use tokio::time::timeout;

/// Whether this Geomys knows of keyrings.
pub const IS_BUILT_IN: bool = cfg!(feature = "keyring");

/// How long a person may take to open their keyring.
const PATIENCE: Duration = Duration::from_mins(1);

/// What the keyring calls us.
#[cfg(feature = "keyring")]
const SERVICE: &str = "geomys";

/// The password of `user` at `place` (`ftp host:port`), when one is kept there. Nothing where there is no keyring, and
/// where it is not opened in time.
pub async fn password(place: &str, user: &str) -> Option<String> {
    let (place, user) = (place.to_owned(), user.to_owned());
    let asking = tokio::task::spawn_blocking(move || asked(&place, &user));
    timeout(PATIENCE, asking).await.ok()?.ok()?
}

/// The same for who can wait: on a thread of its own, as the keyring's library may not like to be called from a task.
pub fn password_now(place: &str, user: &str) -> Option<String> {
    if !IS_BUILT_IN {
        return None;
    }
    let (place, user) = (place.to_owned(), user.to_owned());
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || sender.send(asked(&place, &user)));
    receiver.recv_timeout(PATIENCE).ok()?
}

/// Keeps the password of `user` at `place`.
///
/// # Errors
/// A sentence where it was not kept.
pub async fn keep(place: &str, user: &str, password: &str) -> Result<(), String> {
    let [place, user, password] = [place, user, password].map(str::to_owned);
    let keeping = tokio::task::spawn_blocking(move || kept(&place, &user, &password));
    match timeout(PATIENCE, keeping).await {
        Ok(Ok(kept)) => kept,
        Ok(Err(_)) => Err("the keyring failed".to_owned()),
        Err(_) => Err("the keyring was not opened in time".to_owned()),
    }
}

#[cfg(feature = "keyring")]
fn entry(place: &str, user: &str) -> keyring::Result<keyring::Entry> {
    keyring::Entry::new(SERVICE, &format!("{user} at {place}"))
}

#[cfg(feature = "keyring")]
fn asked(place: &str, user: &str) -> Option<String> {
    entry(place, user).ok()?.get_password().ok()
}

#[cfg(feature = "keyring")]
fn kept(place: &str, user: &str, password: &str) -> Result<(), String> {
    let kept = entry(place, user).and_then(|entry| entry.set_password(password));
    kept.map_err(|error| format!("the keyring did not keep it: {error}"))
}

#[cfg(not(feature = "keyring"))]
fn asked(_place: &str, _user: &str) -> Option<String> {
    None
}

#[cfg(not(feature = "keyring"))]
fn kept(_place: &str, _user: &str, _password: &str) -> Result<(), String> {
    Err("this Geomys was built without the feature keyring".to_owned())
}
