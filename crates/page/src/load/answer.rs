//! A person's answers, added to the request that is then run again.

use geomys_wire::protocol::gopher::PlusRequest;
use rfc1738::{Encoded, Parts, Url};

use super::{FormAnswers, Login, PostedAnswers, Request};

impl Request {
    /// Sets the user name. An ftp URL without a user gets this one, so that its links have it too.
    pub fn set_user(&mut self, user: &str) {
        self.login = Some(Login::of(user));
        let Parts::Ftp(ftp) = self.url.base_parts() else {
            return;
        };
        if ftp.login.user.is_none()
            && let Ok(url) = self.url.with_user(user.as_bytes())
        {
            self.url = url;
        }
    }

    /// Sets the user whose password has to be entered, and clears the password.
    pub fn request_password(&mut self, user: &str) {
        let login = self.login.get_or_insert_with(|| Login::of(user));
        user.clone_into(&mut login.user);
        login.password = None;
    }

    /// Sets the password of `user`.
    pub fn set_password(&mut self, user: &str, password: String) {
        let login = self.login.get_or_insert_with(|| Login::of(user));
        user.clone_into(&mut login.user);
        login.password = Some(password);
    }

    /// Sets the account of `user`, who has a password already.
    pub fn set_account(&mut self, user: &str, account: String) {
        let login = self.login.get_or_insert_with(|| Login::of(user));
        login.account = Some(account);
    }

    /// The body of the POST request, if the request is one.
    pub fn posted(&self) -> Option<&PostedAnswers> {
        match &self.answers {
            FormAnswers::Posted(posted) => Some(posted),
            FormAnswers::Unconfirmed
            | FormAnswers::Confirmed
            | FormAnswers::Hidden(_)
            | FormAnswers::Fill(_) => None,
        }
    }

    /// Returns true if the request sends answers to a form, which may change something on the server each time.
    pub fn sends_answers(&self) -> bool {
        match self.answers {
            FormAnswers::Unconfirmed => holds_form(&self.url),
            FormAnswers::Fill(_) => false,
            FormAnswers::Confirmed | FormAnswers::Hidden(_) | FormAnswers::Posted(_) => true,
        }
    }
}

/// Returns true if a URL contains a filled form of Gopher+.
pub(super) fn holds_form(url: &Url) -> bool {
    let Parts::Gopher(gopher) = url.base_parts() else {
        return false;
    };
    let plus = gopher.plus.map(Encoded::octets).unwrap_or_default();
    matches!(PlusRequest::parse(&plus), PlusRequest::FilledForm(_))
}
