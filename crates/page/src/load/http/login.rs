//! Login with a name and a password (RFC 7617): only `Basic`, which is as safe as its connection.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use geomys_wire::net::Security;
use geomys_wire::text::Text;

use super::response::HttpResponse;
use crate::load::redirect::{is_same_server, not_followed};
use crate::load::words::trimmed;
use crate::load::{Failure, Question, Request, Stop};

/// Returns the value of the `Authorization` field, if the request has a login with a password.
pub(super) fn authorization(request: &Request) -> Result<Option<String>, Failure> {
    let Some(login) = &request.login else {
        return Ok(None);
    };
    let Some(password) = &login.password else {
        return Ok(None);
    };
    if login.user.contains(':') {
        let sentence = "not sent: HTTP allows no colon in a user name";
        return Err(Failure::new(sentence));
    }
    let pair = format!("{}:{password}", login.user);
    Ok(Some(format!("Basic {}", STANDARD.encode(pair))))
}

/// Returns the question for a login, or a failure when the server needs another scheme.
pub(super) fn login_question(request: &Request, answer: &HttpResponse) -> Stop {
    let authority = &answer.authority;
    let challenge = trimmed(answer.head.field("www-authenticate").unwrap_or_default());
    let scheme = challenge.split(' ').next().unwrap_or_default();
    if !scheme.eq_ignore_ascii_case("basic") {
        let scheme = Some(scheme).filter(|scheme| !scheme.is_empty());
        let scheme = scheme.unwrap_or("something else");
        let sentence =
            format!("{authority} requires {scheme} authentication; Geomys supports only Basic");
        return Failure::new(sentence).into();
    }
    if !answer.from.is_empty() && !is_same_server(&answer.here, &request.url) {
        return not_followed(&answer.here, "the target requires a user name and password").into();
    }
    let realm = realm(&challenge).map_or(String::new(), |realm| format!("{realm}: "));
    let warning = match answer.security {
        Security::Plain => "this is plain http: the password can be read on the way",
        Security::Verified | Security::Pinned | Security::Unverified => {
            "a user name and password are required"
        }
    };
    let host = authority.clone();
    let said = Some(Text::of(&format!("{realm}{warning}")));
    match &request.login {
        None => Stop::Needs(Question::Login { host, said }),
        Some(login) => {
            let user = login.user.clone();
            let refused = format!("{realm}the server refused the password of {user}");
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
