//! The table `[ftp]` of settings.toml.

use geomys_page::load::is_ftp_server;

use super::tls::{by_host, upgrade};
use super::value::Setting;
use super::value::Value::{Flag, Other, Text, Texts};

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
    (
        "implicit-tls",
        Texts("servers", |to, servers| {
            if let Some(wrong) = servers.iter().find(|server| !is_ftp_server(server)) {
                return Err(format!(
                    "“{wrong}” is no server; host or host:port is wanted"
                ));
            }
            to.ftp().implicit_tls = servers;
            Ok(())
        }),
    ),
    ("active", Flag(|to, is_on| to.ftp().active = is_on)),
];
