//! Client certificates: the page that lists them with the URLs that they are used for.

use std::fmt::Write as _;

use geomys_load::Request;
use geomys_page::document::{Document, Shape};
use geomys_store::files::identities::StoredIdentity;
use geomys_wire::net::shown_url;
use geomys_wire::text::{CharsetSetting, Text};
use rfc1738::{Dialect, Protocol};

use crate::action::Action;
use crate::library::message::LibraryEffect;
use crate::requester::Arrival;
use crate::view::builtin::{IDENTITIES, IdentityRow};
use crate::view::context::State;
use crate::{Command, Context, Page, PendingRequest, Tabs};

/// Opens the page of the client certificates, or goes back from it.
pub(crate) fn toggle_identities(tabs: &Tabs, cx: &mut Context) {
    if tabs.shows(IDENTITIES) {
        cx.command(Command::Act(Action::Back));
    } else {
        cx.emit(LibraryEffect::Identities(Arrival::Append, None));
    }
}

/// Returns the page of the client certificates.
pub(super) fn identities_page(identities: &[StoredIdentity], tabs: &Tabs) -> Option<Page> {
    let url = Dialect::Extended.parse(IDENTITIES).ok()?;
    let mut document = Document::new(url.clone(), Shape::Menu, CharsetSetting::default());
    document.append(menu(identities, page_behind(tabs)).as_bytes());
    let title = Text::of("Certificates");
    Some(Page::new(url, title, document, State::Whole))
}

/// Returns the request of the page for which a certificate can be chosen: the last one before that of the certificates,
/// if its server takes them.
pub(crate) fn page_behind(tabs: &Tabs) -> Option<PendingRequest> {
    let mut pages = tabs.pane()?.pages_from_here();
    let page = pages.find(|page| page.url.as_str() != IDENTITIES)?;
    let takes_one = matches!(
        page.url.protocol(),
        Protocol::Gemini(_) | Protocol::Titan(_)
    );
    takes_one.then(|| {
        let request = Request::show(page.url.without_fragment(), page.request.reason());
        PendingRequest::for_pane(request, page.title.clone(), Arrival::Append)
    })
}

/// Returns the menu of the client certificates, each above the scopes that it is used for.
fn menu(identities: &[StoredIdentity], page: Option<PendingRequest>) -> String {
    let info = |text: &str| format!("i{text}\t\tnull.host\t1\r\n");
    let mut menu = match identities.len() {
        0 => info("No client certificates. A Gemini server asks for one."),
        1 => info("1 client certificate. Enter on a row changes it."),
        count => info(&format!(
            "{count} client certificates. Enter on a row changes it."
        )),
    };
    if let Some(page) = page {
        let url = IdentityRow::url_of_new();
        let shown = shown_url(&page.request.url);
        let _ = write!(
            menu,
            "hNew certificate for {shown}\tURL:{url}\tnull.host\t70\r\n"
        );
    }
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
