//! Client certificates: the page that lists them with the URLs that they are used for, and the questions that change them.

use std::fmt::Write as _;

use geomys_page::document::{Document, Shape};
use geomys_store::files::identities::StoredIdentity;
use geomys_wire::text::{Charset, Text};
use rfc1738::{Dialect, Url, decode, encoded};

use crate::app::action::Action;
use crate::app::dialogs::text_input::{InputCommand, TextInput};
use crate::app::library::message::{LibraryCommand, LibraryEffect};
use crate::app::requester::{Arrival, OpenPage};
use crate::app::view::builtin::IDENTITIES;
use crate::app::view::context::State;
use crate::app::{Command, Context, Dialog, Overlay, Page, Tabs};

/// A change of the client certificates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IdentityChange {
    /// Give a certificate another name.
    Rename {
        /// The name now.
        name: String,
        /// The new name.
        new: String,
    },
    /// Use a certificate for a whole host.
    Widen {
        /// The name.
        name: String,
        /// The host with its port.
        authority: String,
    },
    /// Use a certificate no longer for a path of a host and those below it.
    Leave {
        /// The name.
        name: String,
        /// The host with its port.
        authority: String,
        /// The path.
        path: String,
    },
    /// Remove a certificate with its key.
    Remove(String),
}

/// A row of the page: a certificate, or one of the scopes that it is used for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IdentityRow {
    name: String,
    /// The host with its port, and the path.
    scope: Option<(String, String)>,
}

impl IdentityRow {
    /// The URL of a row, for this page alone.
    fn url(name: &str, scope: Option<&str>) -> String {
        match scope {
            Some(scope) => format!("{IDENTITIES}/{name}/{}", encoded(scope.as_bytes())),
            None => format!("{IDENTITIES}/{name}"),
        }
    }

    /// Returns the row with a URL.
    pub(crate) fn of(url: &Url) -> Option<Self> {
        let row = url.as_str().strip_prefix(IDENTITIES)?.strip_prefix('/')?;
        let (name, scope) = match row.split_once('/') {
            Some((name, scope)) => (name, String::from_utf8(decode(scope).into_owned()).ok()),
            None => (row, None),
        };
        let scope = scope.as_deref().and_then(|scope| scope.split_once('/'));
        Some(Self {
            name: name.to_owned(),
            scope: scope.map(|(authority, path)| (authority.to_owned(), format!("/{path}"))),
        })
    }

    /// Asks what to do with the certificate.
    pub(crate) fn question(self) -> Dialog {
        let remove = Command::Show(Overlay::Dialog(Box::new(self.removal())));
        let Self { name, scope } = self;
        let rename = InputCommand::RenameIdentity(name.clone());
        let rename = Dialog::input("New name:", TextInput::new(rename, &name));
        let rename = Command::Show(Overlay::Dialog(Box::new(rename)));
        let mut dialog = Dialog::new(&format!("Certificate {name}:")).answer('r', "rename", rename);
        if let Some((authority, path)) = scope {
            let url = format!("gemini://{authority}{path}");
            dialog = dialog.with_lines(vec![Text::of(&url)]);
            if let Ok(url) = Dialect::Extended.parse(&url) {
                let open = Command::Open(Box::new(OpenPage::from(url)));
                dialog = dialog.answer('o', "open the page", open);
            }
            if path != "/" {
                let widen = IdentityChange::Widen {
                    name: name.clone(),
                    authority: authority.clone(),
                };
                let widen = LibraryCommand::ChangeIdentity(widen);
                dialog = dialog.answer('w', "widen to the whole host", widen);
            }
            let leave = IdentityChange::Leave {
                name,
                authority,
                path,
            };
            let leave = LibraryCommand::ChangeIdentity(leave);
            dialog = dialog.answer('l', "leave: stop using it here", leave);
        }
        dialog.answer('x', "remove it", remove).no("cancel")
    }

    /// Asks whether the certificate is to be removed.
    pub(crate) fn removal(&self) -> Dialog {
        let remove = IdentityChange::Remove(self.name.clone());
        let question = format!("Remove the certificate {}?", self.name);
        let lines = vec![Text::of(
            "Its key is deleted. Servers will not recognise you.",
        )];
        Dialog::confirm(&question, LibraryCommand::ChangeIdentity(remove)).with_lines(lines)
    }
}

/// Opens the page of the client certificates, or goes back from it.
pub(crate) fn toggle_identities(tabs: &Tabs, cx: &mut Context) {
    if tabs.shows(IDENTITIES) {
        cx.command(Command::Act(Action::Back));
    } else {
        cx.emit(LibraryEffect::Identities(Arrival::Append, None));
    }
}

/// Shows the client certificates.
pub(super) fn show_identities(
    listed: Result<Vec<StoredIdentity>, String>,
    arrival: Arrival,
    tabs: &mut Tabs,
    cx: &mut Context,
) {
    let identities = match listed {
        Ok(identities) => identities,
        Err(error) => return cx.report_error(&error),
    };
    let Ok(url) = Dialect::Extended.parse(IDENTITIES) else {
        return;
    };
    if arrival == Arrival::Reload && !tabs.shows(IDENTITIES) {
        return;
    }
    let mut document = Document::new(url.clone(), Shape::Menu, Charset::default());
    document.append(menu(&identities).as_bytes());
    let page = Page::new(url, Text::of("Certificates"), document, State::Whole);
    tabs.arrive(page, arrival, cx);
    cx.reveal_all();
}

/// Returns the menu of the client certificates, each above the scopes that it is used for.
fn menu(identities: &[StoredIdentity]) -> String {
    let info = |text: &str| format!("i{text}\t\tnull.host\t1\r\n");
    let mut menu = match identities.len() {
        0 => info("No client certificate: a Gemini server that wants one asks."),
        1 => info("1 client certificate. Enter on a row changes it."),
        count => info(&format!(
            "{count} client certificates. Enter on a row changes it."
        )),
    };
    for identity in identities {
        let name = &identity.name;
        let mut link = |text: &str, scope: Option<&str>| {
            let url = IdentityRow::url(name, scope);
            let _ = write!(menu, "h{text}\tURL:{url}\tnull.host\t70\r\n");
        };
        link(name, None);
        for scope in &identity.chosen_for {
            link(&format!("  {scope}"), Some(scope));
        }
        let fingerprint = identity.fingerprint.map(|it| it.to_string());
        let fingerprint = fingerprint.as_deref().unwrap_or("malformed");
        menu.push_str(&info(&format!("  {fingerprint}")));
        if identity.chosen_for.is_empty() {
            menu.push_str(&info("  used nowhere"));
        }
    }
    menu
}
