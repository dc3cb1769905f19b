//! The table `[ftp]` of settings.toml.

use super::tls::{by_host, upgrade};
use super::value::Setting;
use super::value::Value::{Flag, Other, Text};

pub(super) const SETTINGS: &[Setting] = &[
    (
        "anonymous-password",
        Text("a password", |to, password| {
            to.ftp().anonymous_password = password.as_bytes().to_vec();
            Ok(())
        }),
    ),
    (
        "tls",
        Other(|file, item, to| to.ftp().tls = upgrade(file, item)),
    ),
    (
        "tls-by-host",
        Other(|file, item, to| {
            let ftp = to.ftp();
            by_host(file, item, &mut ftp.tls, &mut ftp.tls_by_host);
        }),
    ),
    ("active", Flag(|to, is_on| to.ftp().active = is_on)),
];
