//! A person's answers, put into the request that is carried out again with them.

use super::{Login, Request};
use crate::url::Parts;

impl Request {
    /// A name to log in by. An ftp URL that names nobody names them from now on, so that its links do.
    pub fn name(&mut self, user: &str) {
        self.login = Some(Login::of(user));
        let Parts::Ftp(ftp) = self.url.reading() else {
            return;
        };
        if ftp.login.user.is_none()
            && let Ok(url) = self.url.with_user(user.as_bytes())
        {
            self.url = url;
        }
    }

    /// Whose password is to be told.
    pub fn ask_of(&mut self, user: &str) {
        let login = self.login.get_or_insert_with(|| Login::of(user));
        user.clone_into(&mut login.user);
        login.password = None;
    }

    /// A password of `user`.
    pub fn give_password(&mut self, user: &str, password: String) {
        let login = self.login.get_or_insert_with(|| Login::of(user));
        user.clone_into(&mut login.user);
        login.password = Some(password);
    }

    /// An account of `user`, whose password is known already.
    pub fn give_account(&mut self, user: &str, account: String) {
        let login = self.login.get_or_insert_with(|| Login::of(user));
        login.account = Some(account);
    }
}
