//! The target and the credentials of an ftp URL, as octets (RFC 1738, sections 3.2.1 and 3.2.2).

use geomys_wire::net::sendable;
use geomys_wire::protocol::ftp::{ANONYMOUS, FtpCredentials, joined};
use geomys_wire::text::Text;
use rfc1738::{Encoded, Ftp, FtpType};

use super::settings::LoginSecret;
use crate::words::text;
use crate::{PlainLoginConsent, Request, Stop};

/// Returns the commands for a URL, as far as they are known before the server has answered.
pub(crate) fn request_preview(url: &Ftp<'_>) -> Option<String> {
    let target = FtpTarget::of(url).ok()?;
    let directories = target.directories.iter();
    let mut lines: Vec<String> = directories
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

/// The path of a URL, decoded.
pub(crate) struct FtpTarget {
    pub(crate) directories: Vec<Vec<u8>>,
    /// The file name; empty when the URL ends with a slash.
    pub(crate) name: Vec<u8>,
}

impl FtpTarget {
    pub(crate) fn of(url: &Ftp<'_>) -> Result<Self, Stop> {
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

    /// Returns all segments, the name as the last.
    pub(crate) fn path(&self) -> Vec<Vec<u8>> {
        let name = Some(self.name.clone()).filter(|name| !name.is_empty());
        self.directories.iter().cloned().chain(name).collect()
    }

    /// Returns the path as people write it.
    pub(super) fn title(&self) -> Text {
        let path = joined(&self.path());
        let slash: &[u8] = if path.starts_with(b"/") { b"" } else { b"/" };
        text(&[slash, &path].concat())
    }
}

/// Returns the credentials of a request: a person's answer has priority over the URL.
pub(super) fn credentials(request: &Request, url: &Ftp<'_>) -> FtpCredentials {
    let url_user = url.login.user.map(Encoded::octets);
    let password = url.login.password.map(Encoded::octets);
    let password = password.map(std::borrow::Cow::into_owned);
    if let Some(login) = &request.login {
        // The question showed the user as text; the octets are those of the URL.
        let own = url_user.filter(|user| text(user).as_str() == login.user);
        let octets = |text: &String| text.clone().into_bytes();
        // Without an entered password, that of the URL is used.
        let entered = login.password.as_ref().map(octets);
        return FtpCredentials {
            password: entered.or_else(|| password.filter(|_| own.is_some())),
            user: own.map_or_else(|| octets(&login.user), std::borrow::Cow::into_owned),
            account: login.account.as_ref().map(octets),
        };
    }
    let anonymous = FtpCredentials::anonymous(&request.settings.ftp.anonymous_password);
    match url_user {
        None => anonymous,
        Some(user) if password.is_none() && is_anonymous(&user) => FtpCredentials {
            user: user.into_owned(),
            ..anonymous
        },
        Some(user) => FtpCredentials {
            user: user.into_owned(),
            password,
            account: None,
        },
    }
}

/// Returns the kind of secret that a login with `credentials` sends to the server.
pub(super) fn secret(request: &Request, credentials: &FtpCredentials) -> LoginSecret {
    let password = credentials.password.as_deref();
    let is_usual =
        password.is_none_or(|password| password == request.settings.ftp.anonymous_password);
    if is_anonymous(&credentials.user) && is_usual && credentials.account.is_none() {
        return LoginSecret::Nothing;
    }
    match request.consents.plain_login {
        PlainLoginConsent::Ask => LoginSecret::Password,
        PlainLoginConsent::Accepted => LoginSecret::PlainPassword,
    }
}

pub(super) fn is_anonymous(user: &[u8]) -> bool {
    user.eq_ignore_ascii_case(ANONYMOUS) || user.eq_ignore_ascii_case(b"ftp")
}
