//! What an ftp URL asks for, and who asks, as octets (RFC 1738, sections 3.2.1 and 3.2.2).

use super::ways::Secret;
use crate::load::{PlainLogin, Request, Stop};
use crate::net::sendable;
use crate::protocol::ftp::{ANONYMOUS, Visitor, joined};
use crate::text::{Charset, Text};
use crate::url::{Encoded, Ftp, FtpType};

/// The commands that a URL asks for, as far as they are known before the server has spoken.
pub(in crate::load) fn sends(url: &Ftp<'_>) -> Option<String> {
    let target = FtpTarget::of(url).ok()?;
    let mut lines: Vec<String> = target
        .directories
        .iter()
        .map(|segment| format!("CWD {}", segment.escape_ascii()))
        .collect();
    let name = target.name.escape_ascii();
    match (url.kind, target.name.is_empty()) {
        (Some(FtpType::Directory), false) => lines.push(format!("CWD {name}, LIST")),
        (Some(FtpType::Directory) | None, _) if target.name.is_empty() => {
            lines.push("LIST".to_owned());
        }
        (Some(FtpType::Ascii), _) => lines.push(format!("TYPE A, RETR {name}")),
        (Some(FtpType::Directory | FtpType::Image) | None, _) => {
            lines.push(format!("TYPE I, RETR {name}"));
        }
    }
    Some(lines.join(", "))
}

/// What a URL names, decoded.
pub(in crate::load) struct FtpTarget {
    pub(in crate::load) directories: Vec<Vec<u8>>,
    /// Empty where the URL ends with a slash.
    pub(in crate::load) name: Vec<u8>,
}

impl FtpTarget {
    pub(in crate::load) fn of(url: &Ftp<'_>) -> Result<Self, Stop> {
        let decoded = |segment: Encoded<'_>| -> Result<Vec<u8>, Stop> {
            let octets = segment.octets().into_owned();
            sendable(&octets, "the path")?;
            Ok(octets)
        };
        Ok(Self {
            directories: url.cwd().map(decoded).collect::<Result<_, _>>()?,
            name: decoded(url.name())?,
        })
    }

    /// All segments, the name as the last.
    pub(in crate::load) fn path(&self) -> Vec<Vec<u8>> {
        let name = Some(self.name.clone()).filter(|name| !name.is_empty());
        self.directories.iter().cloned().chain(name).collect()
    }

    /// The path as people write it.
    pub(super) fn title(&self) -> Text {
        let path = joined(&self.path());
        let slash: &[u8] = if path.starts_with(b"/") { b"" } else { b"/" };
        Text::new(&[slash, &path].concat(), Charset::default())
    }
}

/// Who the request says is asking: a person's answer goes before the URL.
pub(super) fn visitor(request: &Request, url: &Ftp<'_>) -> Visitor {
    let named = url.login.user.map(Encoded::octets);
    let password = url
        .login
        .password
        .map(|password| password.octets().into_owned());
    if let Some(login) = &request.login {
        // The question named the user as text; the octets are those of the URL.
        let own = named.filter(|user| shown(user) == login.user);
        let octets = |text: &String| text.clone().into_bytes();
        // Where nobody has told one, the URL's still counts.
        let told = login.password.as_ref().map(octets);
        return Visitor {
            password: told.or_else(|| password.filter(|_| own.is_some())),
            user: own.map_or_else(|| octets(&login.user), std::borrow::Cow::into_owned),
            account: login.account.as_ref().map(octets),
        };
    }
    let anonymous = Visitor::anonymous(&request.ftp.anonymous_password);
    match named {
        None => anonymous,
        Some(user) if password.is_none() && is_anonymous(&user) => Visitor {
            user: user.into_owned(),
            ..anonymous
        },
        Some(user) => Visitor {
            user: user.into_owned(),
            password,
            account: None,
        },
    }
}

/// What logging `visitor` in tells the server.
pub(super) fn secret(request: &Request, visitor: &Visitor) -> Secret {
    let password = visitor.password.as_deref();
    let is_usual = password.is_none_or(|password| password == request.ftp.anonymous_password);
    if is_anonymous(&visitor.user) && is_usual && visitor.account.is_none() {
        return Secret::Nothing;
    }
    match request.plain_login {
        PlainLogin::Ask => Secret::Password,
        PlainLogin::Accepted => Secret::PlainPassword,
    }
}

pub(super) fn is_anonymous(user: &[u8]) -> bool {
    user.eq_ignore_ascii_case(ANONYMOUS) || user.eq_ignore_ascii_case(b"ftp")
}

pub(super) fn shown(user: &[u8]) -> String {
    Text::new(user, Charset::default()).to_string()
}
