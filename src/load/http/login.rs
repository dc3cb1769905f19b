//! Login with a name and a password (RFC 7617): only `Basic`, which is as safe as its connection.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::{HttpResponse, not_followed, text};
use crate::load::{Failure, Question, Request, Stop};
use crate::net::Security;
use crate::text::Text;

/// The value of the `Authorization` field; it has no `Debug`.
pub(super) struct Authorization(pub(super) String);

/// Returns the authorization, if the request has a login with a password.
pub(super) fn authorization(request: &Request) -> Result<Option<Authorization>, Failure> {
    let Some(login) = &request.login else {
        return Ok(None);
    };
    let Some(password) = &login.password else {
        return Ok(None);
    };
    if login.user.contains(':') {
        let sentence = "not sent: a name with a colon in it cannot be sent by HTTP";
        return Err(Failure::new(sentence));
    }
    let pair = format!("{}:{password}", login.user);
    Ok(Some(Authorization(format!(
        "Basic {}",
        STANDARD.encode(pair)
    ))))
}

/// Returns the question for a login, or a failure when the server needs another scheme.
pub(super) fn login_question(request: &Request, answer: &HttpResponse) -> Stop {
    let authority = &answer.authority;
    let challenge = text(answer.head.field("www-authenticate").unwrap_or_default());
    let scheme = challenge.split(' ').next().unwrap_or_default();
    if !scheme.eq_ignore_ascii_case("basic") {
        let scheme = if scheme.is_empty() {
            "something else"
        } else {
            scheme
        };
        let sentence =
            format!("{authority} wants a login by {scheme}, and Geomys knows Basic alone");
        return Failure::new(sentence).into();
    }
    if !answer.from.is_empty() && !super::is_same_server(&answer.here, &request.url) {
        return not_followed(&answer.here, "there a name and a password are wanted").into();
    }
    let realm = realm(&challenge).map_or(String::new(), |realm| format!("{realm}: "));
    let warning = match answer.security {
        Security::Plain => "this is plain http, and anybody on the way can read the password",
        Security::Verified | Security::Pinned | Security::Unverified => {
            "a name and a password are wanted"
        }
    };
    let host = authority.clone();
    let said = Some(Text::of(&format!("{realm}{warning}")));
    match &request.login {
        None => Stop::Needs(Question::Login { host, said }),
        Some(login) => {
            let user = login.user.clone();
            let refused = format!("{realm}it does not let {user} in with that password");
            Stop::Needs(Question::Password {
                said: match login.password {
                    None => said.filter(|_| answer.security == Security::Plain),
                    Some(_) => Some(Text::of(&refused)),
                },
                user,
                host,
                security: answer.security,
            })
        }
    }
}

/// Returns the realm of a challenge.
fn realm(challenge: &str) -> Option<String> {
    let (_, after) = challenge.split_once("realm=")?;
    let after = after.strip_prefix('"').unwrap_or(after);
    let realm = after.split(['"', ',']).next().unwrap_or_default().trim();
    (!realm.is_empty()).then(|| realm.to_owned())
}
