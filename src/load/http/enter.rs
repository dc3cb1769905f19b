//! Entering where a name and a password are wanted (RFC 7617): by `Basic` alone, which is as safe as what carries it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::{Answer, led_on, text};
use crate::load::{Failure, Question, Request, Stop};
use crate::net::Security;
use crate::text::Text;

/// The field that lets somebody in; it is in no `Debug`.
pub(super) struct Entry(pub(super) String);

/// What is known already.
pub(super) fn entry(request: &Request) -> Result<Option<Entry>, Failure> {
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
    Ok(Some(Entry(format!("Basic {}", STANDARD.encode(pair)))))
}

/// What is asked of a person where the server lets nobody in like that.
pub(super) fn wanted(request: &Request, answer: &Answer) -> Stop {
    let place = &answer.place;
    let challenge = text(answer.head.field("www-authenticate").unwrap_or_default());
    let scheme = challenge.split(' ').next().unwrap_or_default();
    if !scheme.eq_ignore_ascii_case("basic") {
        let scheme = if scheme.is_empty() {
            "something else"
        } else {
            scheme
        };
        let sentence = format!("{place} wants a login by {scheme}, and Geomys knows Basic alone");
        return Failure::new(sentence).into();
    }
    if !answer.from.is_empty() && !super::is_same_place(&answer.here, &request.url) {
        return led_on(&answer.here, "there a name and a password are wanted").into();
    }
    let realm = realm(&challenge).map_or(String::new(), |realm| format!("{realm}: "));
    let warning = match answer.security {
        Security::Plain => "this is plain http, and anybody on the way can read the password",
        Security::Verified | Security::Pinned | Security::Unverified => {
            "a name and a password are wanted"
        }
    };
    let host = place.clone();
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

/// What the server calls what is entered.
fn realm(challenge: &str) -> Option<String> {
    let (_, after) = challenge.split_once("realm=")?;
    let after = after.strip_prefix('"').unwrap_or(after);
    let realm = after.split(['"', ',']).next().unwrap_or_default().trim();
    (!realm.is_empty()).then(|| realm.to_owned())
}
