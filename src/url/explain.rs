//! A URL explained part by part, for `geomys url` and the key that shows a link's address.
//!
//! Values are as written and still encoded, so they are ASCII without controls and safe on any terminal.

use super::parts::Parts;
use super::{GroupPart, HostPort, Login, Url, WaisTarget};

impl Url {
    /// Label and value of each part, in the order of the URL. A password is `***`; absent parts are left out.
    pub fn explanation(&self) -> Vec<(&'static str, String)> {
        self.masked_url().explanation_with_passwords()
    }

    /// Label and value of each part, with passwords as written.
    pub fn explanation_with_passwords(&self) -> Vec<(&'static str, String)> {
        let mut lines = vec![("scheme", self.scheme_name().to_ascii_lowercase())];
        let parts = self.base_parts();
        if let Some(login) = parts.login() {
            user(&mut lines, &login);
        }
        if let Some(address) = parts.address() {
            hostport(&mut lines, &address);
        }
        let mut say = |label, value: &str| lines.push((label, value.to_owned()));
        match parts {
            Parts::Ftp(ftp) => {
                for directory in ftp.cwd() {
                    say("directory", directory.as_str());
                }
                if ftp.path.is_some() {
                    say("name", ftp.name().as_str());
                }
                if let Some(kind) = ftp.kind {
                    say("type", &kind.letter().to_string());
                }
            }
            Parts::Http(http) => {
                if let Some(path) = http.path {
                    say("path", path.as_str());
                }
                if let Some(search) = http.search {
                    say("search", search.as_str());
                }
            }
            Parts::Gopher(gopher) => {
                match gopher.gtype {
                    Some(gtype) => say("type", gtype.as_str()),
                    None => say("type", "1, as none is written"),
                }
                say("selector", gopher.selector.as_str());
                if let Some(search) = gopher.search {
                    say("search", search.as_str());
                }
                if let Some(plus) = gopher.plus {
                    say("gopher+", plus.as_str());
                }
            }
            Parts::Mailto(mailto) => say("address", mailto.address.as_str()),
            Parts::News(news) => match news.part {
                GroupPart::All => say("groups", "all"),
                GroupPart::Group(group) => say("group", group.as_str()),
                GroupPart::Groups(pattern) => say("groups", pattern.as_str()),
                GroupPart::Articles(group, range) => {
                    say("group", group.as_str());
                    say("articles", &range.written());
                }
                GroupPart::Article(article) => say("article", article.id.as_str()),
            },
            Parts::Nntp(nntp) => {
                say("group", nntp.group.as_str());
                if let Some(number) = nntp.number {
                    say("article", number);
                }
                if let Some(range) = nntp.range {
                    say("articles", &range.written());
                }
            }
            Parts::Telnet(_) => {}
            Parts::Wais(wais) => {
                say("database", wais.database.as_str());
                target(&mut lines, wais.target);
            }
            Parts::File(file) => {
                match file.host {
                    Some(host) => say("host", host),
                    None => say("host", "this machine, as none is written"),
                }
                say("path", file.path.as_str());
            }
            Parts::Prospero(prospero) => {
                say("path", prospero.path.as_str());
                for (name, value) in prospero.fields() {
                    say("field", &format!("{} = {}", name.as_str(), value.as_str()));
                }
            }
            Parts::Other(other) => match other.ip() {
                Some((login, path)) => {
                    user(&mut lines, &login);
                    hostport(&mut lines, &login.address);
                    if let Some(path) = path {
                        lines.push(("path", path.as_str().to_owned()));
                    }
                }
                None => say("rest", other.schemepart.as_str()),
            },
        }
        lines
    }
}

/// Adds the lines for the part of a WAIS database that the URL names.
fn target(lines: &mut Vec<(&'static str, String)>, target: WaisTarget<'_>) {
    let mut say = |label, value: &str| lines.push((label, value.to_owned()));
    match target {
        WaisTarget::Database => {}
        WaisTarget::Search(search) => say("search", search.as_str()),
        WaisTarget::Document { wtype, wpath } => {
            say("type", wtype.as_str());
            say("path", wpath.as_str());
        }
        WaisTarget::Fields { wtype, length, id } => {
            say("type", wtype.as_str());
            say("length", length);
            for field in id.as_str().split_terminator(';') {
                say("id field", field);
            }
        }
    }
}

fn user(lines: &mut Vec<(&'static str, String)>, login: &Login<'_>) {
    if let Some(user) = login.user {
        lines.push(("user", user.as_str().to_owned()));
    }
    if let Some(password) = login.password {
        lines.push(("password", password.as_str().to_owned()));
    }
}

fn hostport(lines: &mut Vec<(&'static str, String)>, address: &HostPort<'_>) {
    lines.push(("host", address.host.to_owned()));
    match (address.written_port, address.default_port) {
        (Some(port), _) => lines.push(("port", port.to_string())),
        (None, Some(port)) => lines.push(("port", format!("{port}, the scheme's own"))),
        (None, None) => {}
    }
}
